"""`make grade` on submissions as they come: the right points, a reason for each loss, and no harm done by any."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import threading
from pathlib import Path

import coursework
import grade
import nbformat
import pytest
import submissions

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


@pytest.fixture
def class_of(tmp_path, monkeypatch):
    """Grade students whose notebooks are only names, with a function in the place of what gives the marks of one."""
    monkeypatch.setattr(grade, "find_isolation", lambda hidden: NOWHERE)

    def run(marked, students=("ada", "bob"), notebooks=(submissions.NAME,)) -> list[grade.Student]:
        for name in students:
            (tmp_path / "in" / name).mkdir(parents=True)
            for notebook in notebooks:
                (tmp_path / "in" / name / f"{notebook}.ipynb").touch()
        monkeypatch.setattr(grade, "marked", marked)
        workers = 1 if len(notebooks) == 1 else len(students)
        return grade.grade(tmp_path / "in", tmp_path / "out", list(notebooks), LIMITS, workers=workers)

    return run


@pytest.mark.parametrize("name", ["{} (1).ipynb", "{}(12).ipynb", "{}-Copy1.ipynb", "{}.IPYNB"])
def test_a_notebook_under_the_name_that_a_browser_gave_it_counts(name, tmp_path):
    """And the one of its own name before it."""
    for student in ("ada", "bob"):
        (tmp_path / student).mkdir()
        (tmp_path / student / name.format(submissions.NAME)).touch()
    own = tmp_path / "bob" / f"{submissions.NAME}.ipynb"
    own.touch()
    ada, bob = grade.handed_in(tmp_path, [submissions.NAME])
    assert list(ada.files) == [submissions.NAME]
    assert bob.files == {submissions.NAME: own}


ONE_OF_TWO = grade.Mark(submissions.NAME, "1", "q1", 2.0, 1.0)


def rows(tmp_path: Path) -> list[str]:
    """Who is in the table of the class."""
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        return [row["student"] for row in csv.DictReader(stream)]


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


def test_of_an_answer_in_two_cells_both_run():
    """A cell that was split keeps its name twice."""
    source, submitted = coursework.sources()[submissions.NAME], submissions.blank()
    cell = submissions.cell(submitted, "q4")
    cell.source, rest = "x = 1", nbformat.from_dict({**cell, "source": "y = x + 1"})
    submitted.cells.insert(submitted.cells.index(cell) + 1, rest)
    merged = grade.merged(source, submitted)
    place = merged.cells.index(submissions.cell(merged, "q4"))
    assert [cell.source for cell in merged.cells[place - 1 : place + 1]] == ["x = 1", "y = x + 1"]


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
    names.append(grade.file_stem("a b"))
    stems = [grade.file_stem(name) for name in names]
    assert max(len(f"{stem}.html".encode()) for stem in stems) <= 255
    assert len({stem.casefold() for stem in stems}) == len(names)
    assert "class" not in stems
    assert stems[1] == "a_b" and stems[-2] == "cafe"


def test_folders_without_end_are_left_alone(tmp_path):
    """The notebook that is nearest counts, and none that is deeper than anybody puts one: paths have an end."""
    deep = "/".join("x" * grade.DEEPEST)
    submissions.write(tmp_path, {"ada": submissions.blank(), f"bob/{deep}": submissions.blank()})
    submissions.write(tmp_path, {"ada/earlier": submissions.blank(), "cyn/x/x": submissions.blank()})
    name = f"{submissions.NAME}.ipynb"
    found = [list(student.files.values()) for student in grade.handed_in(tmp_path, [submissions.NAME])]
    assert found == [[tmp_path / "ada" / name], [], [tmp_path / "cyn" / "x" / "x" / name]]
    assert grade.listed(tmp_path / "ada" / name) == []


def test_an_unforeseen_fault_is_one_students(tmp_path, class_of, capsys):
    """Whatever is raised for the first student, the second has her points, and the teacher is told."""

    def marked(name, source, path, *more):
        if path.parent.name == "ada":
            raise RecursionError("deep")
        return [ONE_OF_TWO], None

    assert [student.earned for student in class_of(marked)] == [0, 1]
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
    monkeypatch.setattr(grade, "find_isolation", lambda hidden: NOWHERE)
    grade.grade(tmp_path / "in", tmp_path / "out", [submissions.NAME], LIMITS, sure=True)
    assert rows(tmp_path) == ["a b", "a_b", "caf\\xe9", "class", "z\\x1b[2J"]
    assert len(list((tmp_path / "out").glob("*.html"))) == 6
    assert "tried from inside a submission" in capsys.readouterr().out


def test_the_table_is_written_as_the_class_goes(tmp_path, class_of):
    """If the second student stops everything, the first has her row."""

    def marked(name, source, path, *more):
        if path.parent.name == "bob":
            raise KeyboardInterrupt
        return [ONE_OF_TWO], None

    with pytest.raises(KeyboardInterrupt):
        class_of(marked)
    assert rows(tmp_path) == ["ada"]


def test_a_student_who_is_halfway_has_no_row_yet(tmp_path, class_of, monkeypatch, capsys):
    """One is finished while two are between notebooks, of whom one fails there: the table is whole."""
    first, second = list(coursework.sources())[:2]
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
            seen.append(rows(tmp_path))
        return "page"

    def written(students, path):
        class_table(students, path)
        finished.set()

    seen, class_table = list[list[str]](), grade.class_table
    monkeypatch.setattr(grade, "feedback", page)
    monkeypatch.setattr(grade, "class_table", written)
    students = class_of(marked, ("ada", "bob", "cyn"), (first, second))
    assert [student.earned for student in students] == [2, 2, 0]
    assert seen == [["ada"]] and rows(tmp_path) == ["ada", "bob"]
    assert capsys.readouterr().out.count("NOT GRADED") == 1


def test_a_table_that_cannot_be_written_leaves_the_one_before(tmp_path):
    """And a mark that a student does not have, or that a person has to give, is an empty field."""
    ada, bob = (grade.Student(name, marks=[grade.Mark("e1", "1", name, 2.0, 1.0)]) for name in ("ada", "bob"))
    grade.class_table([ada, bob], tmp_path / "class.csv")
    before = (tmp_path / "class.csv").read_text(encoding="utf-8")
    assert before.splitlines()[1:] == ['"ada","1","","1","0"', '"bob","","1","1","0"']
    ada.marks[0].earned = None
    grade.class_table([ada, bob], tmp_path / "waits.csv")
    assert '"ada","","","0","2"' in (tmp_path / "waits.csv").read_text(encoding="utf-8")
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


@pytest.mark.parametrize("what", ["no folder", "no notebook", "an unknown one"])
def test_a_wrong_call_is_told_what_to_do(tmp_path, what):
    (tmp_path / "ada").mkdir()
    with pytest.raises(SystemExit, match=r"SUBMISSIONS|There is no notebook|ASSIGNMENT"):
        grade.grade(
            tmp_path / "nowhere" if what == "no folder" else tmp_path,
            tmp_path / "out",
            ["e9"] if what == "an unknown one" else [],
        )


# --- full: whole notebooks ------------------------------------------------------------------------------------------


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
    assert "it takes longer, or does not end" in reasons["hal"]["q4-private"]
    assert "No such file" in reasons["joe"]["q2-test"]
    assert reasons["cyn"]["q4-private"] == "not answered yet"
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["points"]) for row in rows] == [student.earned for student in found.values()]
    assert "What the class did not understand" in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")


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
