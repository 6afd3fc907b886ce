"""nbgrader, where it is installed, agrees: the same student versions, the same points, and its gradebook has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import coursework
import grade
import nbformat
import pytest
import submissions

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not Path(sys.executable).with_name("nbgrader").exists(), reason="the extra grading is not installed"
    ),
]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Three of the class, graded, with all notebooks of the course in nbgrader's."""
    place = tmp_path_factory.mktemp("nbgrader")
    the_class = submissions.the_class(place / "outside.txt")
    submissions.write(place / "in", {name: the_class[name][0] for name in ("ada", "cyn", "fay")})
    students = grade.grade(place / "in", place / "out", list(coursework.sources()), grade.Limits(cell=30.0))
    return place, students


def scores(place: Path) -> dict[str, dict[str, float | None]]:
    """The points in nbgrader's gradebook: what it counted, or what a person gave."""
    from nbgrader.api import Gradebook

    found: dict[str, dict[str, float | None]] = {}
    with Gradebook(f"sqlite:///{place / 'out' / 'nbgrader' / 'gradebook.db'}") as book:
        for submission in book.assignment_submissions("svt"):
            grades = [(n.name, g) for n in submission.notebooks for g in n.grades]
            found[submission.student.id] = {
                f"{name}:{g.name}": g.auto_score if g.manual_score is None else g.manual_score for name, g in grades
            }
    return found


@pytest.mark.parametrize("name", coursework.sources())
def test_the_student_version_is_nbgraders(graded, name):
    """Cell by cell: source, locks and checksums."""
    theirs = nbformat.read(graded[0] / "out" / "nbgrader" / "release" / "svt" / f"{name}.ipynb", 4)
    ours = coursework.student_version(coursework.sources()[name])
    assert [(c.cell_type, c.source, c.metadata) for c in ours.cells] == [
        (c.cell_type, c.source, c.metadata) for c in theirs.cells
    ]


def test_the_gradebook_has_our_points(graded):
    """Every question of every student, and none for what was not handed in."""
    place, students = graded
    assert scores(place) == {
        student.name: {f"{mark.notebook}:{mark.name}": mark.earned for mark in student.marks} for student in students
    }


def test_feedback_of_nbgrader_is_written(graded):
    pages = list((graded[0] / "out" / "nbgrader" / "feedback").rglob(f"{submissions.NAME}.html"))
    assert len(pages) == 3


def test_what_was_graded_by_hand_stays(graded):
    """A second run does not throw a teacher's work away."""
    from nbgrader.api import Gradebook

    place, _ = graded
    with Gradebook(f"sqlite:///{place / 'out' / 'nbgrader' / 'gradebook.db'}") as book:
        book.find_grade("q6", submissions.NAME, "svt", "ada").manual_score = 1.5
        book.db.commit()
    grade.grade(place / "in", place / "out", [submissions.NAME], grade.Limits(cell=30.0))
    assert scores(place)["ada"][f"{submissions.NAME}:q6"] == 1.5


def test_nbgrader_finds_the_source_valid(tmp_path):
    """`nbgrader validate` runs a perfect notebook through its own kernel, hidden tests and all."""
    path = tmp_path / f"{submissions.NAME}.ipynb"
    nbformat.write(coursework.sources()[submissions.NAME], path)
    program = Path(sys.executable).with_name("nbgrader")
    done = subprocess.run([str(program), "validate", str(path)], capture_output=True, text=True, cwd=tmp_path)
    assert "Success" in done.stdout
