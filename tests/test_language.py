"""The language in which programs are read: its trees are those of `ast`, and what it does is what Python does."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import hostile_programs as hostile
import numpy as np
import pytest
from parts import one_in

from svtcourse.judge.mine import Mine
from svtcourse.judge.numpys import Generator
from svtcourse.judge.parsing import Node, NoPython, Refusal, parse
from svtcourse.judge.program import said, value
from svtcourse.judge.symbols import Unreadable
from svtcourse.judge.values import Raised, Row, Run

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"ctx", "type_comment", "type_params", "kind", "returns", "annotation", "simple"}


def assert_same(tree, node, where=""):
    """A node of `ast` and one of ours have the same kind, line and fields."""
    if isinstance(tree, list):
        assert isinstance(node, list) and len(tree) == len(node), where
        for k, pair in enumerate(zip(tree, node, strict=True)):
            assert_same(*pair, f"{where}[{k}]")
    elif isinstance(tree, ast.AST):
        assert isinstance(node, Node) and node.kind == type(tree).__name__, where
        assert not isinstance(tree, ast.stmt) or tree.lineno == node.lineno, where
        for name in set(tree._fields) - LEFT_OUT:
            assert_same(getattr(tree, name), node.fields.get(name), f"{where}.{name}")
    else:
        assert type(tree) is type(node) and tree == node, where


def programs():
    """Every program of the lists, with what it is judged for."""
    for name, one in [*hostile.WRONG.items(), *hostile.RIGHT.items()]:
        yield name, one.make(), one.c
    for style in hostile.STYLES:
        yield style.__name__, style(*hostile.ENOUGH["alg1"], True), 2


def texts():
    """The programs, the cells of all chapters, and the project's own code."""
    for name, function, _ in programs():
        yield name, hostile.source_of(function)
    for path in sorted((ROOT / "chapters").rglob("*.ipynb"))[::3]:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for k, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                yield f"{path.stem}, cell {k}", "".join(cell["source"])
    for path in sorted((ROOT / "svtcourse" / "judge").glob("*.py")):
        yield path.stem, path.read_text(encoding="utf-8")


def test_a_tree_is_that_of_ast():
    """On hundreds of texts; what is refused says why."""
    read = 0
    for name, text in texts():
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        try:
            assert_same(tree.body, parse(text).body, name)
            read += 1
        except Refusal as reason:
            assert reason.line
    assert read > 300


@pytest.mark.parametrize("text", ["x = = 1", "if x:\npass", "x = (1", "'a", "def f(:\n    pass", "x y", "1.2.3"])
def test_what_is_no_python_is_refused_with_its_line(text):
    with pytest.raises(NoPython) as found:
        parse("y = 1\n" + text)
    assert found.value.line >= 2 and "SyntaxError" in found.value.reason


def told(run):
    """What a run gave, or the kind of the error that it ended with."""
    try:
        return run()
    except Raised as error:
        return error.name
    except Exception as error:
        return type(error).__name__


# Their noise or their verdict hangs on what a seed, a clock or another run left; or they are not read.
OTHERWISE = {
    "np.random.seed", "a coin's sign", "arrays, its own generator and an index", "as_arrays", "as_a_while_loop",
    "a generator of its own, unseeded", "a clock for a seed", "state between calls",
}  # fmt: skip


@pytest.mark.parametrize("name", one_in(6, [name for name, *_ in programs()]))
def test_a_program_is_read_as_python_runs_it(name):
    """With the same noise, on twelve lists with ties and extremes: the same answers, to the last digits of a sum."""
    _, function, c = next(one for one in programs() if one[0] == name)
    mine, rng, read = Mine(function, 1.0, c), np.random.default_rng(3), 0
    for seed in range(12):
        answers = rng.choice([-100.0, -3.0, 0.0, 0.5, 1.0, 100.0, 101.5], size=seed)

        def python(seed=seed, answers=answers):
            return mine.sample(answers, 0.5, np.random.default_rng(seed))

        def ours(seed=seed, answers=answers):
            run = Run(None, Generator(np.random.default_rng(seed)))
            run.count = len(answers)
            return said(value(run, mine.asked(run, Row(answers.tolist()), 0.5)), len(answers))

        try:
            found = told(ours)
        except Unreadable:
            continue
        read += 1
        expected = told(python)
        assert name in OTHERWISE or found == expected or np.allclose(
            np.array(found, dtype=float), np.array(expected, dtype=float)
        ), (answers, found, expected)  # fmt: skip
    assert read or name not in hostile.RIGHT or name in OTHERWISE
