"""The certificates on disk are those of the verdict table; the checker, which knows no svtlib, refuses damaged ones."""

from __future__ import annotations

import ast
import copy
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import check_certificates as checker
import make_certificates as maker
import pytest

import svtlib as svt

FOLDER = Path(__file__).resolve().parent.parent / "data" / "certificates"
FILES = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("*.json"))}


def test_the_checker_knows_no_svtlib():
    """It imports the solver, the ball library and the standard library, and has at most 250 lines of code."""
    source = Path(checker.__file__).read_text(encoding="utf-8")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names == {"__future__", "itertools", "json", "os", "re", "sys", "fractions", "pathlib", "z3", "flint"}
    documentation = sum(
        len(node.body[0].value.value.splitlines())
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node)
    )
    lines = [line for line in source.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(lines) - documentation <= 250


@pytest.mark.parametrize("key", svt.variants())
@pytest.mark.parametrize("monotonic", [False, True])
def test_every_row_of_the_verdict_table_has_one(key, monotonic):
    """A private row its alignment; another one pairs above the claim, above 1, 10 and 100 where nothing holds."""
    name = f"{key}-monotonic" if monotonic else key
    proof = svt.prove(svt.variant(key), monotonic=monotonic)
    if proof.holds:
        assert FILES[name]["private"]
        return
    above = [n for n in (1, 10, 100) if f"{name}-above-{n}" in FILES]
    assert above == ([1] if proof.epsilon.costs else [1, 10, 100])


def more(by):
    """Add to a number that is written as a fraction."""
    return lambda text: str(Fraction(text) + by)


# What is damaged, and where: the new value, or what to make of the old one.
BOTH, ALG5 = "alg6-above-1", "alg5-above-1"
DAMAGES = {
    "threshold raised by half of Delta": ("alg1", {"alignments.0.threshold": "1/2"}),
    "positives moved by Delta only": ("alg1", {"alignments.0.positive": "1", "alignments.0.difference": "0"}),
    "query noise halved": ("alg1", {"noise.query.factor": "1"}),
    "query noise without c": ("alg1", {"noise.query.times_c": False}),
    "no cut-off": ("alg1", {"cutoff": None}),
    "released number": ("alg1", {"release": "compared"}),
    "a gap that moves": ("gap", {"alignments.0.positive": "2", "alignments.0.difference": "0"}),
    "half a step of whole noise": (
        "geometric",
        {
            "alignments.0.threshold": "3/2",
            "alignments.0.positive": "3/2",
            "epsilon": [[["epsilon1", 0, "3/2"], ["epsilon2", 0, "5/4"]]],
            "private": False,
        },
    ),
    "Gumbel noise moved down": (
        "svt_gumbel",
        {"noise.threshold.family": "Gumbel", "alignments.0.threshold": "-1"},
    ),
    "one direction left out": ("alg1-monotonic", {"alignments": lambda both: both[:-1]}),
    "monotonic alignment for any queries": (
        "alg1-monotonic",
        {"monotonic": False, "alignments": lambda both: [both[0] | {"direction": "any"}]},
    ),
    "inwards inside the absolute value": ("abs_value", {"alignments.0.positive": "-1"}),
    "one-sided noise inside the absolute value": ("abs_value", {"noise.query.family": "Exponential"}),
    "a smaller bound": ("alg1", {"epsilon": [[["epsilon1", 0, "1"], ["epsilon2", 0, "99/100"]]]}),
    "two of three without the third": ("alg7-monotonic-numbers", {"epsilon": lambda three: three[:2]}),
    "not neighbours": ("alg4-above-1", {"neighbour.0": more(1)}),
    "another loss": ("alg4-above-1", {"loss": lambda ends: list(map(more(Fraction(1, 10**12)), ends))}),
    "a loss that refutes nothing": ("alg4-above-1", {"exceeds": "2"}),
    "another scale": (BOTH, {"mechanism.query.scale": "3"}),
    "one positive too many": ("alg4-above-1", {"mechanism.c": 0}),
    "not impossible": (ALG5, {"neighbour": FILES[ALG5]["answers"]}),
    "both directions": (BOTH, {"mechanism.monotonic": True}),
    "a number from a mechanism that shows none": ("lecture2012-above-1", {"mechanism.release": "indicator"}),
    "another schema": ("alg1", {"schema": 2}),
    "the same dataset twice, in two epochs": (
        ALG5,
        {"mechanism.refresh": True, "answers": ["0", "1"], "neighbour": ["0", "1"], "outcome": ["⊤", "⊥"]},
    ),
    "a split that no budget has": ("alg4", {"private": True, "split": "-1", "epsilon": [[["epsilon1", 0, "1"]]]}),
    "a negative factor": ("alg1", {"noise.query.factor": "-2"}),
    "a family it does not know": ("alg4-above-1", {"mechanism.query.family": "Gaussian"}),
    "one-sided noise that points down": (
        "alg1",
        {"noise.threshold.family": "Exponential", "noise.threshold.sign": -1},
    ),
    "a release it does not know": ("alg1", {"release": "number"}),
    "a negative epsilon": (
        "alg4-above-1",
        {"neighbour": FILES["alg4-above-1"]["answers"], "exceeds": "-1", "loss": ["-1/2", "1/2"]},
    ),
    "a negative scale": ("alg4-above-1", {"mechanism.query.scale": "-4/3"}),
    "a scale where a factor belongs": ("alg1", {"noise.query": {"family": "Laplace", "scale": "1/1000000"}}),
    "the same bound ten thousand times": ("alg1", {"epsilon": lambda bounds: bounds * 10_000}),
    "a threshold that is no rational": ("alg3-above-1", {"threshold": "0e0"}),
    "a bound of dozens of terms": ("alg1", {"epsilon": lambda bounds: [bounds[0] * 20]}),
    "a number of hundreds of digits": ("alg1", {"alignments.0.positive": f"2{0:0300}/1{0:0300}"}),
}


def damaged(name, changes):
    """A certificate in which these places are changed, each named by the keys that lead to it."""
    data = copy.deepcopy(FILES[name])
    for path, value in changes.items():
        place, *way = data, *(int(key) if key.isdigit() else key for key in path.split("."))
        for key in way[:-1]:
            place = place[key]
        place[way[-1]] = value(place[way[-1]]) if callable(value) else value
    return data


@pytest.mark.parametrize("change", DAMAGES)
def test_a_damaged_certificate_is_refused(change, tmp_path, capsys):
    """The checker says why, and fails."""
    data = damaged(*DAMAGES[change])
    assert data not in FILES.values()
    file = tmp_path / "damaged.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert checker.main([str(file)]) == 1
    said = capsys.readouterr().out
    assert "0 passed, 1 failed" in said and "the statement is not what was checked" not in said


def refusals(texts, folder, capsys):
    """What the checker says of files with these texts, a line each, before a good one that it goes on to."""
    for k, text in enumerate([*texts, (FOLDER / "alg1.json").read_text(encoding="utf-8")]):
        (folder / f"{k:03}.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert checker.main([str(folder)]) == 1
    *lines, good, summary = capsys.readouterr().out.splitlines()
    assert good.startswith("✓") and summary == f"1 passed, {len(texts)} failed"
    return lines


def test_what_is_no_certificate_is_one_line_and_the_next_file_is_read(tmp_path, capsys):
    """Entries twice, no truth, a forged line, numbers that are none or endless, nesting, nothing, no text."""
    alg1, alg4 = (json.dumps(FILES[name], ensure_ascii=False) for name in ("alg1", "alg4-above-1"))
    forged = json.dumps("alg1: private\n✓ alg5.json: private")
    empty, far = alg4, [f"{k}/7" for k in range(20)] + ["0"]
    for name in ("answers", "neighbour", "outcome"):
        empty = json.dumps(json.loads(empty) | {name: []})
    texts = [
        alg1.replace('"schema": 1', '"schema": 1, "private": false'),
        alg1.replace('"times_c": true', '"times_c": "no"'),
        alg1.replace('"variant": "alg1"', f'"variant": {forged}'),
        alg1.replace('"family": "Laplace"', f'"family": {forged}'),
        alg4.replace('"c": 1', '"c": -Infinity'),
        alg4.replace('"c": 1', '"c": 1e100000000'),
        alg1.replace('"factor": "2"', '"factor": "1e100000000"'),
        alg4.replace('"sensitivity": "1"', '"sensitivity": "1e100000000"'),
        "[" * 100_000 + "]" * 100_000,
        empty,
        json.dumps(FILES["alg1"] | {"epsilon": []}),
        json.dumps(FILES["alg1"] | {"epsilon": [[]]}),
        json.dumps(FILES["alg1"] | {"more": 1}),
        "",
        "[]",
        "null",
        b"\xff\xfe",
        json.dumps(FILES["alg4-above-1"] | {"answers": far, "neighbour": far, "outcome": ["⊥"] * 20 + ["⊤"]}),
    ]
    assert len(set(texts)) == len(texts) and not {alg1, alg4} & set(texts)
    lines = refusals(texts, tmp_path, capsys)
    assert [line[:8] for line in lines] == [f"✗ {k:03}.js" for k in range(len(texts))]
    assert "more than 16 different answers" in lines[-1]


def test_what_takes_long_is_refused(tmp_path, capsys):
    """Sixteen different answers and noise of 10^-1190 took 18 seconds of a processor."""
    data = damaged("alg4-above-1", {"mechanism.compare": "absolute", "mechanism.query.scale": f"1/1{'0' * 1190}"})
    data |= {"answers": [str(k) for k in range(1, 17)], "neighbour": ["1"] * 16, "outcome": ["⊥"] * 16}
    data["mechanism"]["sensitivity"] = "16"
    assert "it takes more than 10,000 tails of noise" in refusals([json.dumps(data)], tmp_path, capsys)[0]


def test_a_terminal_without_signs_gets_a_verdict():
    """The first ✓ was a UnicodeEncodeError, and no other file was read."""
    command = [sys.executable, "tools/check_certificates.py", "data/certificates/geometric.json"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=FOLDER.parent.parent, env=environment, capture_output=True, text=True)
    assert done.stdout.startswith("\\u2713 geometric.json") and "1 passed" in done.stdout, done.stderr
    assert "where the sensitivity and all answers are whole numbers" in done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in a folder")
def test_a_pipe_is_no_certificate(tmp_path, capsys):
    """Nobody waits for what is written into it."""
    os.mkfifo(tmp_path / "pipe.json")
    assert checker.main([str(tmp_path)]) == 1 and "no file of at most 400 kB" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["alg1", "alg4-above-1"])
def test_a_statement_belongs_to_what_is_checked(name, tmp_path, capsys):
    """Neither another sentence nor another name passes, and the sentence has the noise and the switches in it."""
    data = FILES[name]
    texts = [
        json.dumps(data | {"statement": FILES["alg7"]["statement"]}),
        json.dumps(data | {"variant": "alg7"}),
    ]
    for line in refusals(texts, tmp_path, capsys):
        assert "the statement is not what was checked" in line
    assert "Laplace(" in data["statement"] and "signed; indicator; at c" in data["statement"]


@pytest.mark.parametrize("family", ["Gumbel", "Geometric", "Gaussian"])
def test_a_loss_with_noise_that_is_not_written_down_is_refused(family, tmp_path, capsys):
    """Gumbel and Geometric were let in and computed as Laplace: a false 1.0324 for a true 0.928 passed."""
    data = copy.deepcopy(FILES["alg4-above-1"])
    data["mechanism"]["query"]["family"] = family
    (line,) = refusals([json.dumps(data)], tmp_path, capsys)
    assert "unknown noise" in line


KEYS = ["alg1", "alg2", "alg4", "alg5"]


@pytest.mark.parametrize("keys", [KEYS, pytest.param(svt.variants(), marks=pytest.mark.full)], ids=["some", "all"])
def test_making_them_again_changes_nothing(keys):
    """To the last byte, on any processor: bounds are enclosed to twice the digits that are written."""
    for name, data in maker.certificates(keys).items():
        assert maker.written(data) == (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def test_nothing_to_check_is_a_failure(tmp_path):
    """An empty folder shows nothing."""
    assert checker.main([str(tmp_path)]) == 1
