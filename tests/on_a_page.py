"""What a page says of a program: MicroPython runs the judge there, and says what the whole judge says, or less."""

from __future__ import annotations

import ast
import functools
import inspect
import json
import math
import re
import shutil
import subprocess
from zlib import crc32

import hostile_programs as hostile
import pytest
import svt_alive
from parts import ROOT

import svtlib as svt
from svtcourse.judge import page


@functools.cache
def micropython():
    """One MicroPython for all tests of a process, as a page has one for all its programs."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it runs MicroPython, as a browser does")
    pipe = subprocess.PIPE
    running = subprocess.Popen([node, "tests/browser/judge.mjs"], cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    running.stdin.write(json.dumps(svt_alive.judge_files()) + "\n")
    return running


def in_micropython(requests):
    """Answers of the judge as a page runs it."""
    running, answers = micropython(), []
    for request in requests:
        running.stdin.write(json.dumps(request) + "\n")
        running.stdin.flush()
        answers.append(json.loads(running.stdout.readline() or '{"crash": "it has ended"}'))
    return answers


def text_of(style, scales, stop):
    """A program of a style with its scales written out, as one text."""
    outer = ast.parse(inspect.getsource(style)).body[0]
    inner = next(node for node in outer.body if isinstance(node, ast.FunctionDef))
    named = zip(("rho_scale", "nu_scale"), scales, strict=True)
    helpers = [f"def {name}(e, c):\n    return {expression}\n" for name, expression in named]
    return "\n".join([*helpers, f"stop = {stop}\n", ast.unparse(inner), ""])


@functools.cache
def scales():
    """The expressions of the scales in the tables of programs in many styles."""
    found = {}
    for node in ast.parse(inspect.getsource(hostile)).body:
        if isinstance(node, ast.AnnAssign) and node.target.id in ("ENOUGH", "TOO_LITTLE"):
            for key, laws in zip(node.value.keys, node.value.values, strict=True):
                found[key.value] = [ast.unparse(law.body) for law in laws.elts]
    return found


def reply(request):
    """What a page answers: every third text is read by MicroPython, the others by Python, which takes half as long."""
    there = crc32(request["text"].encode()) % 3 == 0
    return in_micropython([request])[0] if there else json.loads(page.reply(json.dumps(request)))


def heard(text, options, whole, turn=1):
    """The verdict on a page, never surer than the judge's own; one description; its pair is exact."""
    mine = reply({"do": "judge", "text": text, **options})
    assert "crash" not in mine, mine
    verdict = mine.get("private")
    if verdict is None:
        return None
    assert whole.private is verdict or whole.private is None, (mine, whole)
    if whole.mechanism is not None:
        described = re.sub(r"^For up to \d queries it", "It", mine["sentence"]).split(". ")[0]
        assert described in whole.reason.replace("it is an SVT", "It is an SVT"), (mine, whole)
    pair, m = mine["pair"], whole.mechanism
    if verdict is False and pair["loss"] is not None and m and not pair["density"]:
        for side, p in (("answers", pair["p"]), ("neighbour", pair["q"])):
            log = svt.log_probability(
                whole.mechanism, [turn * x for x in pair[side]], pair["output"], pair["threshold"]
            )
            assert math.log(p) == pytest.approx(log, abs=1e-6)
    return verdict
