"""The sandbox of `make grade`: harm costs its own question, nothing gets out, and what comes over the wire is data."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from functools import cache
from pathlib import Path

import coursework
import grade
import grade_run
import nbformat
import pytest
import submissions

NOWHERE = grade.Isolation((), 0)  # for what is not executed


def small(*answers: str) -> object:
    """A notebook of one point for each answer, whose test is that the cell came to its end."""
    cells = []
    for k, answer in enumerate(answers):
        told = {"grade_id": f"a{k}", "solution": True, "grade": False, "locked": False, "schema_version": 3}
        test = {"grade_id": f"t{k}", "solution": False, "grade": True, "locked": True, "points": 1, "schema_version": 3}
        cells.append(nbformat.v4.new_code_cell(f"{answer}\nok{k} = True", metadata={"nbgrader": told}))
        cells.append(nbformat.v4.new_code_cell(f"assert ok{k}", metadata={"nbgrader": test}))
    return nbformat.v4.new_notebook(cells=cells)


def points(
    answers: list[str], limits: grade.Limits, isolation: grade.Isolation | None = None, hidden: tuple[Path, ...] = ()
) -> list[float]:
    """What each answer of a small notebook gets."""
    notebook, names = small(*answers), [f"ok{k}" for k in range(len(answers))]
    assert grade_run.executed(notebook, names, limits, isolation or best(), hidden)
    return [coursework.earned(cell) for cell in notebook.cells if coursework.is_graded(cell)]


@cache
def best() -> grade.Isolation:
    """The strictest way of this machine, tried once for all tests."""
    return grade_run.find_isolation()


@pytest.fixture
def shut_in():
    """For tests of what holds only where a submission can be shut in: there it is, or the test fails."""
    spaces = [*grade_run.SPACES, *(() if os.geteuid() == 0 else ("--map-root-user",)), "true"]
    if not shutil.which("unshare") or subprocess.run(spaces, capture_output=True).returncode:
        pytest.skip("submissions cannot be shut in here")
    assert best().missing == []
    return best()


WAYS = {
    "as found": None,
    "in a name space of users": grade.Isolation((*grade_run.SPACES, "--map-root-user"), 0),
    "as root in its own": grade.Isolation(grade_run.SPACES, 0),
    "without name spaces": grade.Isolation((), 0),
}


@pytest.mark.parametrize("way", ["as found", *(pytest.param(w, marks=pytest.mark.full) for w in list(WAYS)[1:])])
def test_harm_costs_its_own_question(tmp_path, way):
    """A loop, an end, a file outside: the questions before, between and after them keep their point."""
    outside = f"open({str(tmp_path / 'gotcha')!r}, 'w')" if WAYS[way] is None or WAYS[way].spaces else "1 / 0"
    harm = [submissions.BREAKS["endless loop"], submissions.BREAKS["crash"], outside]
    answers = ["x = 1", harm[0], "assert x == 1", *harm[1:], "open('mine', 'w').write('x')"]
    assert points(answers, grade.Limits(cell=1.0, total=60.0, memory=3.0), WAYS[way]) == [1, 0, 1, 0, 0, 1]
    assert not (tmp_path / "gotcha").exists()


def test_cells_share_one_event_loop():
    """As in a kernel: what one cell leaves in it goes on while others run, and its numpy settings stay."""
    begin = """import asyncio, numpy as np
async def work():
    seen.append(await asyncio.sleep(0, 1))
    return 2
seen, loop, state = [], asyncio.get_running_loop(), np.seterr(all="raise")
task, later = asyncio.create_task(work()), loop.run_in_executor(None, int, "3")"""
    then = "assert seen and np.geterr()['over'] == 'raise' and asyncio.get_running_loop() is loop"
    waits = "assert (await task, await later, await asyncio.to_thread(asyncio.run, work())) == (2, 3, 2)"
    hangs = "async def hang():\n    while True: pass\nasyncio.create_task(hang())"
    answers = [begin, then, waits, "asyncio.run(work())", "loop.stop()", hangs, then]
    assert points(answers, grade.Limits(cell=8.0, total=120.0, memory=3.0)) == [1, 1, 1, 0, 0, 0, 1]


@pytest.mark.full
def test_memory_and_processes_are_counted_together():
    """Four children with 300 MB each are too much for 1 GB, and a hundred are too many, though each may be."""
    fork = "import os, time\nfor _ in range({}):\n    if os.fork() == 0:\n        hog = b'x' * {}\n"
    fork += "        time.sleep(9)\n"
    answers = [fork.format(4, 300 * 2**20) + "time.sleep(9)", fork.format(100, 1), "y = 1"]
    assert points(answers, grade.Limits(cell=9.0, total=60.0, memory=1.0)) == [0, 0, 1]


def escapes(place: Path, kinds: list[str], isolation: grade.Isolation | None = None) -> dict[str, float]:
    """Which of these ways out of a submission lead out, with another student's folder at `place`."""
    (place / "ada").write_text("hers", encoding="utf-8")
    (place / "ada").chmod(0o666)
    found = {"OTHERS": repr(str(place)), "GRADER": str(os.getpid()), "ROOT": repr(str(coursework.ROOT))}
    found["SVTLIB"] = repr(str(coursework.ROOT / "svtlib" / "__init__.py"))
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as local:
        found["PORT"] = str(listener.getsockname()[1])
        local.bind(f"{place}/socket")
        local.listen()
        os.chmod(f"{place}/socket", 0o777)
        answers = [submissions.ESCAPES[kind] for kind in kinds]
        for name, value in found.items():
            answers = [answer.replace(name, value) for answer in answers]
        got = points(answers, grade.Limits(cell=20.0, total=200.0, memory=3.0), isolation, (place,))
    assert (place / "ada").read_text(encoding="utf-8") == "hers"
    return {kind: found for kind, found in zip(kinds, got, strict=True) if found}


def test_a_submission_stays_in_its_room(tmp_path, shut_in):
    """Nine of the ways out that the full list has, each of which was open before."""
    kinds = ["remount", "some capability", "name space of users", "passwords", "local socket"]
    assert escapes(tmp_path, [*kinds, "write others", "sources", "too much on the disk", "another core"]) == {}


@pytest.mark.full
def test_an_open_door_is_reported():
    """Without name spaces the same attempts succeed, and the teacher is told of them."""
    found = grade_run.tried(grade.Isolation((), 0), [coursework.FOLDER])
    assert {what for what, holds in found.held.items() if not holds} >= {
        "nothing outside its own folder can be written",
        "neither hidden tests, nor other submissions, nor passwords can be read",
    }


def test_time_has_a_bound():
    """Cells without end that end what they can reach, too: the clock was started once."""
    answers = ["import os\ntry: os.kill(os.getppid(), 9)\nexcept OSError: pass\nwhile True: pass"] * 6
    isolation, began = best(), time.monotonic()
    assert points(answers, grade.Limits(cell=0.6, total=1.5, memory=3.0), isolation) == [0] * 6
    assert time.monotonic() - began < 1.5 + 3


def test_the_clock_starts_once(monkeypatch):
    """Whatever ends the process with the tests, again and again: each new start has what is left of the time."""
    ends = []

    def start(told, isolation, until):
        ends.append(until)
        time.sleep(0.05)
        return [{"cell": len(ends) - 1, "outputs": None}]

    monkeypatch.setattr(grade_run, "start", start)
    assert points(["x = 1"] * 50, grade.Limits(cell=1.0, total=0.3, memory=3.0), NOWHERE) == [0] * 50
    assert len(set(ends)) == 1 and 1 < len(ends) < 20


def cheated(code: str, isolation: grade.Isolation) -> tuple[float, str]:
    """Points of a notebook without answers that begins with `code`, and all that comes back from it."""
    source, notebook = coursework.sources()[submissions.NAME], submissions.blank()
    for cell in notebook.cells:
        if coursework.is_answer(cell) and cell.cell_type == "code":
            cell.source = "pass"
    notebook.cells.insert(2, nbformat.v4.new_code_cell(code))
    merged = grade.merged(source, notebook)
    limits = grade.Limits(cell=40.0, total=200.0, memory=3.0)
    assert grade_run.executed(merged, coursework.defined(source), limits, isolation)
    graded = [cell for cell in merged.cells if coursework.is_graded(cell)]
    nbformat.writes(merged).encode()  # whatever came back can be written
    return sum(coursework.earned(cell) or 0.0 for cell in graded), str([cell.get("outputs") for cell in merged.cells])


HIDDEN = [
    line
    for line in coursework.inside(coursework.sources()[submissions.NAME], "HIDDEN TESTS")
    if len(line) > 20 and line not in "".join(cell.source for cell in submissions.blank().cells)
]


def test_a_blank_notebook_gets_nothing_and_sees_nothing():
    """Errors unseen, tests rewritten, a difference of 0, a judge that says yes; the history at the end."""
    kinds = ["_showtraceback", "input transformers", "partial", "abs", "no text", "hidden tests: history"]
    earned, said = cheated("\n".join(submissions.CHEATS[kind] for kind in kinds), best())
    assert earned == 0
    assert HIDDEN and not [line for line in HIDDEN if line in said or repr(line)[1:-1] in said]


def test_a_hidden_test_does_not_say_what_it_hands_over():
    """By an error's text, by its kind, by a text or a key that the test trips over; a visible one says what it is."""
    notebook, kinds = small("x = 1"), ["text", "kind", "assertion", "key", "number", "unpacked"]
    answer, test = notebook.cells
    answer.source = """def f(kind, secret):
    if kind == "text":
        raise ValueError(repr(secret))
    if kind == "kind":
        raise type(repr(secret), (Exception,), {})
    if kind == "assertion":
        raise AssertionError(repr(secret))
    return lambda *a: None if kind == "unpacked" else repr(secret)"""
    cells = [answer]
    for k, (kind, place) in enumerate([(kind, "HIDDEN") for kind in kinds] + [("text", "SEEN"), ("number", "SEEN")]):
        body = f"### BEGIN {place} TESTS\nfound = f({kind!r}, 4711)\n"
        body += "{}[found()]\n" if kind == "key" else "int('x' + found())\n" if kind == "number" else "found[0]\n"
        cells.append(nbformat.from_dict(dict(test) | {"source": f"{body}### END {place} TESTS", "id": f"t{k}"}))
    notebook.cells = cells
    assert grade_run.executed(notebook, ["f"], grade.Limits(cell=20.0, total=60.0, memory=3.0), best())
    *hidden, text, number = [coursework.error(cell) for cell in notebook.cells[1:]]
    assert hidden == [
        "ValueError: at values that are not shown",
        "RuntimeError: at values that are not shown",
        "at values that are not shown",
        "KeyError: at values that are not shown",
        "ValueError: at values that are not shown",
        "TypeError: at values that are not shown",
    ]
    assert "4711" in text and "4711" in number


# --- full: whole notebooks ------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("part", range(3))
def test_every_harm_costs_its_own_question(part):
    """Harmful answers in one notebook, good ones between them: these keep their point, nobody is called."""
    kinds = list(submissions.BREAKS)[part::3]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        port = str(listener.getsockname()[1])
        answers = [one for kind in kinds for one in (submissions.BREAKS[kind].replace("PORT", port), "y = 1")]
        earned = points(answers, grade.Limits(cell=8.0, total=900.0, memory=2.0))
        with pytest.raises(TimeoutError):
            listener.accept()
    assert earned[1::2] == [1.0] * len(kinds)
    harmless = {kind for kind, got in zip(kinds, earned[::2], strict=True) if got}
    assert harmless <= {"daemon", "kill", "kill all", "stop"}  # it hit nobody, or was ended


@pytest.mark.full
@pytest.mark.parametrize("way", ["as found", "in a name space of users", "as root in its own"])
def test_nothing_gets_out(tmp_path, way, shut_in):
    assert escapes(tmp_path, list(submissions.ESCAPES), WAYS[way]) == {}


@pytest.mark.full
@pytest.mark.parametrize("kind", submissions.CHEATS)
def test_no_cheat_gets_a_point(kind):
    """And none brings back a line of a hidden test."""
    earned, said = cheated(submissions.CHEATS[kind], best())
    assert earned == 0
    assert not [line for line in HIDDEN if line in said or repr(line)[1:-1] in said]


@pytest.mark.full
@pytest.mark.parametrize("name", coursework.sources())
def test_solutions_get_all_points_across_the_wire(name):
    """Every answer of every notebook comes over as what the tests expect."""
    source = coursework.sources()[name]
    merged = grade.merged(source, source)
    assert grade_run.executed(merged, coursework.defined(source), grade.Limits(), best())
    lost = {coursework.grade_id(c): coursework.error(c) for c in merged.cells if coursework.is_test(c)}
    got = {coursework.grade_id(c): coursework.earned(c) for c in merged.cells if coursework.is_test(c)}
    most = {coursework.grade_id(c): coursework.points(c) for c in merged.cells if coursework.is_test(c)}
    assert got == most, lost
