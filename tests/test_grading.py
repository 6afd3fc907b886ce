"""`make grade` on submissions as they come: the right points, a reason for each loss, and no harm done by any."""

from __future__ import annotations

import csv
import socket
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
LIMITS = grade.Limits(cell=12.0, total=240.0, memory=3.0)


def graded(tmp_path: Path, handed_in: dict[str, object], limits: grade.Limits = LIMITS) -> dict[str, grade.Student]:
    submissions.write(tmp_path / "in", handed_in)
    students = grade.grade(tmp_path / "in", tmp_path / "out", [submissions.NAME], limits)
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
    student = grade.Student("=" + evil, marks=[grade.Mark("e1", evil, "q1", 2.0, 0.0, evil, evil)])
    pages = grade.feedback(student) + grade.class_page([student], grade.Isolation((), 0, True, True))
    assert "<script" not in pages
    assert "/" not in grade.student_file("../../" + evil)
    grade.class_table([student], tmp_path / "class.csv")
    with (tmp_path / "class.csv").open(encoding="utf-8") as stream:
        assert next(iter(csv.DictReader(stream)))["student"].startswith("'=")


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


WAYS = {
    "as found": None,
    "in a name space of users": grade.Isolation((*grade.SPACES, "--map-root-user"), 0, False, False),
    "without name spaces": grade.Isolation((), 0, True, True),
}


@pytest.mark.parametrize(
    "way", [pytest.param("as found"), *(pytest.param(w, marks=pytest.mark.full) for w in list(WAYS)[1:])]
)
def test_harm_costs_its_own_question(tmp_path, way):
    """A loop, an end, a file outside, a connection: the questions before, between and after them keep their point."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        harm = [
            submissions.BREAKS["endless loop"],
            submissions.BREAKS["crash"],
            f"open({str(tmp_path / 'gotcha')!r}, 'w')",
            submissions.BREAKS["network"].replace("PORT", str(port)),
        ]
        notebook = small("x = 1", harm[0], "assert x == 1", *harm[1:], "open('mine', 'w').write('x')")
        grade.executed(notebook, grade.Limits(cell=2.0, total=60.0, memory=3.0), WAYS[way] or grade.find_isolation())
    earned = [coursework.earned(cell) for cell in notebook.cells if coursework.is_graded(cell)]
    assert earned == [1, 0, 1, 0, 0, 0, 1]
    assert not (tmp_path / "gotcha").exists()


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
    assert "may write in its own folder only" in reasons["joe"]["q2-test"]
    assert reasons["cyn"]["q4-private"] == "not answered yet"
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["points"]) for row in rows] == [student.earned for student in found.values()]
    assert "What the class did not understand" in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")


@pytest.mark.full
def test_every_harm_costs_its_own_question():
    """Sixteen harmful answers in one notebook, good ones between them: these keep their point, nobody is called."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        port = str(listener.getsockname()[1])
        answers = [part for kind in submissions.BREAKS.values() for part in (kind.replace("PORT", port), "y = 1")]
        notebook = small(*answers)
        grade.executed(notebook, grade.Limits(cell=6.0, total=500.0, memory=3.0), grade.find_isolation())
        with pytest.raises(TimeoutError):
            listener.accept()
    earned = [coursework.earned(cell) for cell in notebook.cells if coursework.is_graded(cell)]
    assert earned[1::2] == [1.0] * len(submissions.BREAKS)
    harmless = {kind for kind, points in zip(submissions.BREAKS, earned[::2], strict=True) if points}
    assert harmless <= {"daemon"}  # it went on in the background, and was ended


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
