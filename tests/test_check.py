"""The runner of the checks: what it lists, what it says while tests run, and that a step which fails is not hidden."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import check
import pytest

BEGUN = (
    "tests/test_a.py::test_one[a b] ",
    "tests/test_a.py::test_two ",
    "[gw1] [  1%] PASSED tests/test_a.py::test_two ",
    "tests/test_a.py::test_three ",
    "[gw0] [  2%] FAILED tests/test_a.py::test_three ",
    "tests/test_b.py::test_alone PASSED                                      [ 50%]",
    "chapters/01.ipynb::ipynb::Cell 3 ",
)
WAITS = """\
import time
import check

def test_ended():
    pass

def test_running():
    for _ in range(600):
        with open("output") as output:
            if check.under_way(output) == ["test_a.py::test_running"]:
                return
        time.sleep(0.1)
    raise AssertionError(open("output").read())
"""


def test_what_is_under_way_is_read_from_the_output(tmp_path):
    """A test is under way from the line that names it until the line that says how it ended."""
    path = tmp_path / "output"
    path.write_text("\n".join(BEGUN), encoding="utf-8")
    with path.open() as output:
        assert check.under_way(output) == ["chapters/01.ipynb::ipynb::Cell 3", "tests/test_a.py::test_one[a b]"]


@pytest.mark.full
def test_pytest_still_writes_these_lines(tmp_path):
    """A test that is running is named, one that has ended is not: in what pytest-xdist really prints."""
    (tmp_path / "test_a.py").write_text(WAITS, encoding="utf-8")
    step = check.Step("a", "a", (*check.PYTEST, "--numprocesses=1", f"--rootdir={tmp_path}", "test_a.py"))
    with (tmp_path / "output").open("w+") as output:
        environment = {"PYTHONPATH": str(Path(check.__file__).parent)}
        code = check.Run(tmp_path).execute(replace(step, environment=environment), output)
        output.seek(0)
        assert code == 0, output.read()


@pytest.mark.parametrize(("code", "result"), [("0", "passed"), ("3", "FAILED")])
def test_a_step_that_fails_is_told(code, result, monkeypatch, capsys):
    """Its output is shown, the table says so, and the command fails."""
    step = check.Step("only", "a step", (sys.executable, "-c", f"print('said'); raise SystemExit({code})"))
    monkeypatch.setitem(check.LANES, "test", ((step,),))
    assert check.main("test", []) == (code != "0")
    printed = capsys.readouterr().out
    assert re.search(rf"^only +\d+ s  {result}$", printed, re.M) and "said" in printed


def test_a_site_that_was_not_built_is_not_looked_at(monkeypatch, capsys):
    """It counts as failed, and is not begun."""
    lane = tuple(
        check.Step(key, key, (sys.executable, "-c", f"raise SystemExit({key == 'book'})")) for key in ("book", "site")
    )
    monkeypatch.setitem(check.LANES, "test", (lane,))
    assert check.main("test", []) == 1
    printed = capsys.readouterr().out
    assert "site: skipped" in printed and "0 passed, 2 failed" in printed


def test_the_long_checks_are_those_of_the_short_and_more():
    """Nothing is only in `make test`; names are unique; everything runs as on another processor too."""
    steps = {name: [step for lane in lanes for step in lane] for name, lanes in check.LANES.items()}
    assert {step.key for step in steps["check"]} == {step.key for step in steps["test"] + steps["more"]}
    assert len({step.key for step in steps["check"]}) == len(steps["check"])
    again = [step for step in steps["more"] if step.environment.items() >= check.ANOTHER_PROCESSOR.items()]
    assert [step.key for step in again] == ["unit-again", "cells-again"] and "COLD_KERNELS" in again[1].environment


def test_what_computes_numbers_runs_as_on_another_processor_too():
    """Only tests that import neither `svtlib` nor the evidence, or compare no number nearly, are left out."""
    left_out = {option.partition("=")[2] for option in check.WORDS}
    assert not any("approx(" in (check.ROOT / "tests" / name).read_text(encoding="utf-8") for name in check.READING)
    assert {"tests/test_grading.py", "tests/test_notebook_form.py"} <= left_out
    assert not left_out & {"tests/test_exact.py", "tests/test_judge.py", "tests/test_evidence.py"}


def test_unknown_names_are_refused(capsys):
    """ONLY with a name that no step has lists those there are."""
    assert check.main("test", ["unti"]) == 2
    told = capsys.readouterr().out
    assert "ONLY knows style format types certificates unit book site notebooks; it was given unti." in told
