"""`make grade` on submissions as they come: the right points, a reason for each loss, and no harm done by any."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import threading
import time
from fractions import Fraction
from functools import cache
from pathlib import Path

import coursework
import grade
import grade_run
import grade_tests
import grade_wire
import nbformat
import numpy as np
import psutil
import pytest
import submissions

import svtlib as svt
from svtcourse.judge.mine import Mine as Program
from svtcourse.judge.symbols import Unreadable

MOST = {
    coursework.grade_id(cell): coursework.points(cell)
    for cell in coursework.sources()[submissions.NAME].cells
    if coursework.is_graded(cell)
}
LIMITS = grade.Limits(cell=30.0, total=240.0, memory=3.0)
NOWHERE = grade.Isolation((), 0)  # for what is not executed


def graded(tmp_path: Path, handed_in: dict[str, object], limits: grade.Limits = LIMITS) -> dict[str, grade.Student]:
    submissions.write(tmp_path / "in", handed_in)
    students = grade.grade(tmp_path / "in", tmp_path / "out", [submissions.NAME], limits, sure=True)
    return {student.name: student for student in students}


def losses(student: grade.Student) -> dict[str, float]:
    return {mark.name: mark.most - mark.earned for mark in student.marks if mark.earned not in (None, mark.most)}


# --- quick: no notebook is executed -----------------------------------------------------------------------------------


def test_answers_are_the_students_and_all_else_is_the_sources():
    """Tests that were changed, deleted or moved come back; points are not the student's to set."""
    source = coursework.sources()[submissions.NAME]
    merged = grade.merged(source, submissions.tampered())
    kept = [cell for cell in merged.cells if coursework.grade_id(cell)]
    assert [coursework.grade_id(cell) for cell in kept] == [coursework.grade_id(cell) for cell in source.cells]
    for mine, theirs in zip(kept, source.cells, strict=True):
        if coursework.is_answer(theirs):
            assert "BEGIN SOLUTION" not in mine.source
        else:
            assert mine.source == theirs.source
        assert coursework.meta(mine) == coursework.meta(theirs)


def test_a_cell_of_the_students_own_stays_where_it_was():
    source = coursework.sources()[submissions.NAME]
    names = [coursework.grade_id(cell) or "own" for cell in grade.merged(source, submissions.helped()).cells]
    assert names[names.index("own") - 1] == "q4-text"
    assert names.count("own") == 1


def test_a_missing_answer_is_the_empty_one():
    source = coursework.sources()[submissions.NAME]
    merged = grade.merged(source, submissions.without("q4", "q4-spent"))
    assert "NotImplementedError" in submissions.cell(merged, "q4").source
    assert submissions.cell(merged, "q4-spent").source == submissions.cell(source, "q4-spent").source


def test_links_are_not_followed(tmp_path):
    """Neither a student's folder nor a notebook may be somebody else's."""
    submissions.write(tmp_path, {"ada": submissions.blank()})
    (tmp_path / "bob").symlink_to(tmp_path / "ada")
    (tmp_path / "cyn").mkdir()
    (tmp_path / "cyn" / f"{submissions.NAME}.ipynb").symlink_to(tmp_path / "ada" / f"{submissions.NAME}.ipynb")
    students = grade.handed_in(tmp_path, [submissions.NAME])
    assert [(student.name, len(student.files)) for student in students] == [("ada", 1), ("cyn", 0)]


def test_the_pages_show_what_students_wrote_as_text(tmp_path):
    """No name, reason or answer becomes a part of the page, and no name of a formula becomes one of a spreadsheet."""
    evil = "<script>alert(1)</script>"
    student = grade.Student("=1;=" + evil, marks=[grade.Mark("e1", evil, "q1", 2.0, 0.0, evil, evil)])
    pages = grade.feedback(student) + grade.class_page([student], evil)
    assert "<script" not in pages
    assert "/" not in grade.file_stem("../../" + evil)
    grade.class_table([student], tmp_path / "class.csv")
    assert "\n\"'=1;=" in (tmp_path / "class.csv").read_text(encoding="utf-8")  # one cell, whatever parts columns
    long = grade.Student("ada", marks=[grade.Mark("e1", "", "q1", 2.0, 0.0, "no", "x" * 10**7)])
    assert len(grade.feedback(long)) < 100_000


def test_every_student_has_a_page_of_her_own():
    """Whatever the names have in common, and none is the page of the class; a plain name stays as it is."""
    names = [
        "a b",
        "a_b",
        "a/b",
        "class",
        "Class",
        "x" * 90,
        "x" * 91,
        "caf\udce9",
        "caf\udce8",
        "\U00020000" * 63,
        "cafe",
    ]
    stems = [grade.file_stem(name) for name in names]
    assert max(len(f"{stem}.html".encode()) for stem in stems) <= 255
    assert len({stem.casefold() for stem in stems}) == len(names)
    assert "class" not in stems
    assert stems[1] == "a_b" and stems[-1] == "cafe"


def test_folders_without_end_are_left_alone(tmp_path):
    """The notebook that is nearest counts, and none that is deeper than anybody puts one: paths have an end."""
    deep = "/".join("x" * grade.DEEPEST)
    submissions.write(tmp_path, {"ada": submissions.blank(), f"bob/{deep}": submissions.blank()})
    submissions.write(tmp_path, {"ada/earlier": submissions.blank(), "cyn/x/x": submissions.blank()})
    name = f"{submissions.NAME}.ipynb"
    found = [list(student.files.values()) for student in grade.handed_in(tmp_path, [submissions.NAME])]
    assert found == [[tmp_path / "ada" / name], [], [tmp_path / "cyn" / "x" / "x" / name]]
    assert grade.listed(tmp_path / "ada" / name) == []


def test_an_unforeseen_fault_is_one_students(tmp_path, monkeypatch, capsys):
    """Whatever is raised for the first student, the second has her points, and the teacher is told."""
    for name in ("ada", "bob"):
        (tmp_path / "in" / name).mkdir(parents=True)
    seen: list[str] = []

    def marked(name, source, path, *more):
        if not seen:
            seen.append(name)
            raise RecursionError("deep")
        return [grade.Mark(name, "1", "q1", 2.0, 1.0)], None

    monkeypatch.setattr(grade, "marked", marked)
    monkeypatch.setattr(grade, "find_isolation", lambda hidden: NOWHERE)
    students = grade.grade(tmp_path / "in", tmp_path / "out", [submissions.NAME], LIMITS, workers=1)
    assert [student.earned for student in students] == [0, 1]
    assert "ada: NOT GRADED, RecursionError: deep" in capsys.readouterr().out
    assert (tmp_path / "out" / "bob.html").exists() and (tmp_path / "out" / "class.html").exists()


DAMAGED = {
    "no kind": lambda notebook: notebook["cells"][3].pop("cell_type"),
    "no text": lambda notebook: notebook["cells"][3].pop("source"),
    "a number for a text": lambda notebook: notebook["cells"][3].update(source=3),
    "no cells": lambda notebook: notebook.pop("cells"),
    "a cell that is none": lambda notebook: notebook["cells"].insert(0, None),
    "too many cells": lambda notebook: notebook["cells"].extend(notebook["cells"][:1] * 2_000),
    "another kind": lambda notebook: notebook["cells"][3].update(cell_type="picture"),
}
STRANGE = {
    "a surrogate": lambda notebook: [cell.update(source="x = '\ud800'") for cell in notebook["cells"]],
    "metadata that are none": lambda notebook: notebook["cells"][3].update(metadata=[]),
    "names that are none": lambda notebook: notebook["cells"][3]["metadata"].update(nbgrader={"grade_id": ["q1"]}),
    "texts in lines": lambda notebook: notebook["cells"][4].update(source=["x = 1\n", "y = 2"]),
    "outputs that are none": lambda notebook: notebook["cells"][4].update(outputs=3, execution_count="x"),
}


@pytest.mark.parametrize("how", [*DAMAGED, *STRANGE])
def test_a_damaged_notebook_is_refused_or_read(tmp_path, how):
    """What cannot be read is a ValueError's kin, never anything later; what is left can be written as UTF-8."""
    notebook = json.loads(nbformat.writes(submissions.blank()))
    (DAMAGED | STRANGE)[how](notebook)
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    source = coursework.sources()[submissions.NAME]
    if how in DAMAGED:
        marks, executed = grade.marked(submissions.NAME, source, tmp_path / "n.ipynb", LIMITS, NOWHERE)
        assert {mark.earned for mark in marks} == {0.0} and executed is None
        assert "cannot be read" in marks[0].reason
    else:
        merged = grade.merged(source, grade.read(tmp_path / "n.ipynb"))
        nbformat.writes(merged).encode()


def test_one_students_fault_is_one_students_zero(tmp_path, capsys, monkeypatch):
    """A notebook that cannot be read and a folder whose name is no text: the class has its table, a row for each."""
    for name in (b"a b", b"a_b", b"class", b"caf\xe9", b"z\x1b[2J"):
        place = os.path.join(os.fsencode(tmp_path), b"in", name)
        os.makedirs(place)
        with open(os.path.join(place, submissions.NAME.encode() + b".ipynb"), "w") as file:
            file.write('{"cells": [{"source": "x"}]}')
    monkeypatch.setattr(grade, "find_isolation", lambda hidden: best())
    grade.grade(tmp_path / "in", tmp_path / "out", [submissions.NAME], LIMITS, sure=True)
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        assert [row["student"] for row in csv.DictReader(stream)] == ["a b", "a_b", "caf\\xe9", "class", "z\\x1b[2J"]
    assert len(list((tmp_path / "out").glob("*.html"))) == 6
    assert "tried from inside a submission" in capsys.readouterr().out


def test_the_table_is_written_as_the_class_goes(tmp_path, monkeypatch):
    """If the second student stops everything, the first has her row."""
    for name in ("ada", "bob"):
        (tmp_path / "in" / name).mkdir(parents=True)

    def marked(name, source, path, *more):
        if (tmp_path / "out" / "ada.html").exists():
            raise KeyboardInterrupt
        return [grade.Mark(name, "1", "q1", 2.0, 1.0)], None

    monkeypatch.setattr(grade, "marked", marked)
    monkeypatch.setattr(grade, "find_isolation", lambda hidden: NOWHERE)
    with pytest.raises(KeyboardInterrupt):
        grade.grade(tmp_path / "in", tmp_path / "out", [submissions.NAME], LIMITS, workers=1)
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        assert [row["student"] for row in csv.DictReader(stream)] == ["ada"]


def test_a_student_who_is_halfway_has_no_row_yet(tmp_path, monkeypatch, capsys):
    """One is finished while two are between notebooks, of whom one fails there: the table is whole."""
    first, second = list(coursework.sources())[:2]
    for name in ("ada", "bob", "cyn"):
        (tmp_path / "in" / name).mkdir(parents=True)
        for kind in (first, second):
            (tmp_path / "in" / name / f"{kind}.ipynb").touch()
    halfway, finished = threading.Barrier(3), threading.Event()

    def marked(name, source, path, *more):
        student = path.parent.name
        if name == second:
            halfway.wait(20)
            if student != "ada":
                finished.wait(20)
            if student == "cyn":
                raise RecursionError("deep")
        return [grade.Mark(name, "1", "q1", 2.0, 1.0)], None

    def page(student):
        if student.name == "bob":
            table.append((tmp_path / "out" / "class.csv").read_text(encoding="utf-8"))
        return "page"

    def written(students, path):
        class_table(students, path)
        finished.set()

    table, class_table = list[str](), grade.class_table
    monkeypatch.setattr(grade, "marked", marked)
    monkeypatch.setattr(grade, "feedback", page)
    monkeypatch.setattr(grade, "class_table", written)
    monkeypatch.setattr(grade, "find_isolation", lambda hidden: NOWHERE)
    students = grade.grade(tmp_path / "in", tmp_path / "out", [first, second], LIMITS, workers=3)
    assert [student.earned for student in students] == [2, 2, 0]
    assert [line.split(",")[0] for line in table[0].splitlines()] == ['"student"', '"ada"']
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        assert [row["student"] for row in csv.DictReader(stream)] == ["ada", "bob"]
    assert capsys.readouterr().out.count("NOT GRADED") == 1


def test_a_table_that_cannot_be_written_leaves_the_one_before(tmp_path):
    """And a mark that a student does not have is an empty field."""
    ada, bob = (grade.Student(name, marks=[grade.Mark("e1", "1", name, 2.0, 1.0)]) for name in ("ada", "bob"))
    grade.class_table([ada, bob], tmp_path / "class.csv")
    before = (tmp_path / "class.csv").read_text(encoding="utf-8")
    assert before.splitlines()[1:] == ['"ada","1","","1","0"', '"bob","","1","1","0"']
    bob.marks[0].earned = "no number"
    with pytest.raises((TypeError, ValueError)):
        grade.class_table([ada, bob], tmp_path / "class.csv")
    assert (tmp_path / "class.csv").read_text(encoding="utf-8") == before


def test_it_asks_where_a_submission_is_not_shut_in(capsys, monkeypatch):
    """It says what does not hold, and goes on only when it is told to."""
    open_house = grade.Isolation((), 0, {"no mount": True, "no connection": False})
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(SystemExit, match="--yes"):
        grade.agreed(open_house, sure=False)
    assert "no connection" in capsys.readouterr().out
    assert "no mount" in str(open_house) and "no connection" not in str(open_house)
    grade.agreed(open_house, sure=True)
    grade.agreed(NOWHERE, sure=False)


@pytest.mark.parametrize("passes", ["1000", "Fraction(1000)", "np.float64(1000)"])
def test_a_part_of_the_points_stays_a_part(passes):
    """Whatever kind of number comes out of a test with what the student handed over: 4 · 3 / 1000 rounds to 0.01."""
    source = "import numpy as np\nfrom fractions import Fraction\n"
    outputs = grade_tests.run_cell(f"{source}round(4 * min(1, 3 / {passes}), 2)", {})
    told = {"grade": True, "solution": False, "grade_id": "x", "points": 4, "locked": True}
    cell = nbformat.v4.new_code_cell("", metadata={"nbgrader": told}, outputs=[nbformat.from_dict(o) for o in outputs])
    assert coursework.earned(cell) == 0.01


class Told(grade_wire.Wire):
    """A wire of which only the values are looked at."""

    def keep(self, value):
        raise TypeError(type(value).__name__)


class Shouted(str):
    """A text that claims to be equal to everything."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


def test_what_comes_over_is_data_and_no_object():
    """Subclasses arrive as what they are made of, arrays as arrays, and nothing that could act arrives at all."""
    wire = Told(None, None)
    values = [None, True, 3, 2.5, "⊥⊤", [1, (2, 3)], {"a": {4}}, Fraction(1, 3), np.arange(6).reshape(2, 3)]
    for value in values:
        came = wire.unpack(json.loads(json.dumps(wire.pack(value))))
        assert type(came) is type(value) and repr(came) == repr(value)
    assert type(wire.unpack(wire.pack(Shouted("⊥")))) is str
    assert wire.unpack(wire.pack(Shouted("⊥"))) != "⊤"
    for value in (object(), Shouted, len, [wire]):
        with pytest.raises(TypeError):
            wire.pack(value)
    for wrong in ([], ["no"], ["array", "f", [7], [1, 2]], ["fraction", 1, 0], ["set", [["list", []]]], {"a": 1}):
        with pytest.raises((ValueError, TypeError, ArithmeticError)):
            wire.unpack(wrong)


class Elsewhere:
    """A function that runs in a student's process, by its text."""

    def __init__(self, text):
        self.source = text, "f"

    def __call__(self, answers, threshold, epsilon, rng):
        raise NotImplementedError


@pytest.mark.parametrize("kind", submissions.WORLD)
def test_the_world_of_what_was_read_is_closed(kind):
    """It runs beside the tests, so it sees nothing of them; and it is what would run, or it is not read."""
    with pytest.raises(Unreadable):
        Program(Elsewhere(submissions.WORLD[kind]), epsilon=1.0).grown(5)


def test_functions_of_the_world_are_those_of_numpy():
    """The program that is read in the list above but for its fault; and functions are equal where numpy's are."""
    program = Elsewhere(submissions.LOOP_OF.replace("FACTOR", "(4 if np.abs == np.absolute else 0.01)"))
    assert svt.judge(program, epsilon=1.0).private


def test_a_cell_that_python_cannot_parse_costs_no_other():
    """An expression that is nested too deeply is left out of what the judge reads."""
    cells = [{"source": source, "kind": "answer"} for source in ("x = " + "-" * 50_000 + "1", "y = (", "z = 1")]
    assert grade_tests.readable(cells) == "z = 1"


@pytest.mark.skipif(sys.platform != "linux", reason="processes without a first thread are looked up in /proc")
def test_a_process_whose_first_thread_has_ended_still_counts():
    """With its memory: it looks dead, and its other threads go on."""
    code = """import ctypes, threading, time
hog = b'x' * 2**27
threading.Thread(target=time.sleep, args=(60,)).start()
print('', flush=True)
ctypes.CDLL(None).syscall(60 if MACHINE == 'x86_64' else 93, 0)""".replace("MACHINE", repr(platform.machine()))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        process, until = psutil.Process(child.pid), time.monotonic() + 10
        while process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < until:
            time.sleep(0.01)
        found = grade_tests.lives(process), grade_tests.memory(process) > 2**27
        child.kill()
    assert found == (True, True)


@pytest.mark.parametrize("what", ["no folder", "no notebook", "an unknown one"])
def test_a_wrong_call_is_told_what_to_do(tmp_path, what):
    (tmp_path / "ada").mkdir()
    with pytest.raises(SystemExit, match=r"SUBMISSIONS|There is no notebook|ASSIGNMENT"):
        grade.grade(
            tmp_path / "nowhere" if what == "no folder" else tmp_path,
            tmp_path / "out",
            ["e9"] if what == "an unknown one" else [],
        )


# --- one notebook in its sandbox, small enough for every run ----------------------------------------------------------


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
    for line in coursework.hidden_tests(coursework.sources()[submissions.NAME])
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


# --- full: whole notebooks --------------------------------------------------------------------------------------------


@pytest.mark.full
def test_ten_submissions_get_the_points_they_earned(tmp_path):
    """The class of `submissions.the_class`: every point, a reason for each that was lost, on pages and in tables."""
    outside = tmp_path / "outside.txt"
    expected = submissions.the_class(outside)
    found = graded(tmp_path, {name: notebook for name, (notebook, _) in expected.items()})
    assert {name: losses(student) for name, student in found.items()} == {
        name: pytest.approx(lost, abs=0.01) for name, (_, lost) in expected.items()
    }
    assert not outside.exists()
    for student in found.values():
        assert all(mark.reason for mark in student.marks if mark.earned not in (None, mark.most))
        page = (tmp_path / "out" / f"{student.name}.html").read_text(encoding="utf-8")
        assert f"{grade.number(student.earned)} of 20 points" in page
        assert "BEGIN HIDDEN" not in page
    reasons = {name: {mark.name: mark.reason for mark in student.marks} for name, student in found.items()}
    assert "not private" in reasons["dan"]["q4-private"]
    assert "with sensitivity 50" in reasons["eve"]["q4-private"]
    assert "above the threshold" in reasons["eve"]["q1-one"]
    assert "it pays" in reasons["fay"]["q4-private"]
    assert "ended the whole program" in reasons["gus"]["q4-private"]
    assert "it does not end" in reasons["hal"]["q4-private"]
    assert "No such file" in reasons["joe"]["q2-test"]
    assert reasons["cyn"]["q4-private"] == "not answered yet"
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["points"]) for row in rows] == [student.earned for student in found.values()]
    assert "What the class did not understand" in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")


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


@pytest.mark.full
def test_what_is_missing_costs_what_is_missing(tmp_path):
    """A deleted answer, a deleted test, a renamed function, a helper of one's own, a file that is no notebook, none."""
    found = graded(
        tmp_path,
        {
            "deleted answer": submissions.without("q4"),
            "deleted test": submissions.without("q4-private", "setup"),
            "renamed": submissions.renamed(),
            "helped": submissions.helped(),
            "damaged": "{" + nbformat.writes(submissions.perfect())[:400],
            "list": "[1, 2, 3]",
        },
    )
    (tmp_path / "in" / "nothing").mkdir()
    q4, everything = {"q4-private": 3.0, "q4-spent": 2.0}, MOST
    assert {name: losses(student) for name, student in found.items()} == {
        "deleted answer": q4,
        "deleted test": {},
        "renamed": q4,
        "helped": {},
        "damaged": everything,
        "list": everything,
    }
    assert "missing" in found["deleted answer"].marks[4].reason
    assert "must keep the name" in found["renamed"].marks[4].reason
    assert "cannot be read" in found["list"].marks[0].reason
    (student,) = [
        s for s in grade.grade(tmp_path / "in", tmp_path / "again", [submissions.NAME], LIMITS) if s.name == "nothing"
    ]
    assert losses(student) == everything
    assert student.marks[0].reason == "not handed in"
