"""What `make grade` writes: a page for each student, the class as a table and a page, a course of nbgrader."""

from __future__ import annotations

import csv
import itertools
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coursework
import jinja2
import nbformat


@dataclass
class Mark:
    """One graded cell of one student: points, None where a person has to give them, and why."""

    notebook: str
    question: str
    name: str
    most: float
    earned: float | None
    reason: str = ""
    answer: str = ""

    @property
    def kind(self) -> str:
        """Whether all of the points were given, or a part of them."""
        return "full" if self.earned == self.most else "part" if self.earned else "low"


@dataclass
class Student:
    """What one student handed in, and the marks for it."""

    name: str
    file: str = ""  # without its ending
    files: dict[str, Path] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    executed: dict[str, Any] = field(default_factory=dict)

    def mark(self, head: tuple[str, str]) -> Mark | None:
        """The mark of one graded cell, named by its notebook and its own name."""
        return next((mark for mark in self.marks if (mark.notebook, mark.name) == head), None)

    @property
    def earned(self) -> float:
        """The points that are certain."""
        return sum(mark.earned or 0.0 for mark in self.marks)

    @property
    def waiting(self) -> float:
        """The points that a person has to give."""
        return sum(mark.most for mark in self.marks if mark.earned is None)


def number(value: float) -> str:
    """A number of points."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


# Whatever goes into a page is text: no name, reason or answer becomes a part of it.
PAGES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=jinja2.StrictUndefined
)
PAGES.filters["points"] = number
SHOWN = 50_000  # characters of an answer


def page(title: str, **told: Any) -> str:
    """One HTML page that asks nobody for anything."""
    return PAGES.get_template("grade_pages.html").render({"student": None, "shown": SHOWN, "title": title, **told})


def feedback(student: Student) -> str:
    """The page for one student."""
    groups = itertools.groupby(student.marks, lambda mark: (mark.notebook, mark.question))
    questions = [(which, list(marks)) for which, marks in groups]
    return page(f"Feedback for {student.name}", student=student, questions=questions)


def columns(students: list[Student]) -> list[tuple[str, str]]:
    """Every graded cell of the class, by notebook and name."""
    return list(dict.fromkeys((mark.notebook, mark.name) for student in students for mark in student.marks))


def class_table(students: list[Student], path: Path) -> None:
    """Write one row a student, one column a graded cell; empty where a person has to grade."""
    heads, beside = columns(students), path.with_suffix(".part")
    with beside.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)  # where a semicolon parts columns, too
        writer.writerow(["student", *(f"{notebook}:{name}" for notebook, name in heads), "points", "to_be_read"])
        for student in students:
            marks = [student.mark(head) for head in heads]
            row = ["" if mark is None or mark.earned is None else number(mark.earned) for mark in marks]
            shown = student.name if student.name[:1].isalnum() else f"'{student.name}"  # no formula
            writer.writerow([shown, *row, number(student.earned), number(student.waiting)])
    beside.replace(path)


def class_page(students: list[Student], shut_in: str) -> str:
    """The page for the teacher: who has what, and what the class did not understand."""
    heads, missed = columns(students), []
    for head in heads:
        marks = [mark for mark in (student.mark(head) for student in students) if mark]
        share = sum(mark.earned or 0.0 for mark in marks) / sum(mark.most for mark in marks)
        if share < 0.995 and all(mark.earned is not None for mark in marks):  # none is read by a person
            reasons = Counter(mark.reason.split("\n")[0][:160] for mark in marks if mark.reason)
            missed.append((share, marks[0].question, head[1], reasons.most_common(4)))
    missed.sort(key=lambda found: found[0])
    return page("Class", students=students, heads=heads, missed=missed, shut_in=shut_in)


NBGRADER = """c = get_config()
c.CourseDirectory.course_id = "svt"
c.ClearSolutions.code_stub = {"python": %r}
# What ran is not run again: the outputs are counted as they are.
c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.OverwriteCells"]
c.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.SaveAutoGrades"]
"""


def to_nbgrader(course: Path, students: list[Student], wanted: list[str]) -> bool:
    """Make a course of nbgrader with all marks in its gradebook; False where nbgrader is not installed."""
    program = Path(sys.executable).with_name("nbgrader")
    if not program.exists():
        return False
    for old in (
        "source",
        "release",
        "submitted",
        "autograded",
        "feedback",
    ):  # the gradebook has what was graded by hand
        shutil.rmtree(course / old, ignore_errors=True)
    (course / "source" / "svt").mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(NBGRADER % coursework.CODE_STUB, encoding="utf-8")
    for name in wanted:
        shutil.copy(coursework.FOLDER / f"{name}.ipynb", course / "source" / "svt")
    for student in students:
        place = course / "submitted" / student.file / "svt"
        place.mkdir(parents=True, exist_ok=True)
        for name, notebook in student.executed.items():
            if notebook is not None:
                nbformat.write(notebook, place / f"{name}.ipynb")
    path = os.pathsep.join([str(program.parent), os.environ.get("PATH", os.defpath)])  # it calls alembic by name
    for command in (["generate_assignment", "--create"], ["autograde", "--create"], ["generate_feedback"]):
        done = subprocess.run(
            [str(program), command[0], "svt", *command[1:], "--log-level=ERROR"],
            cwd=course,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(f"nbgrader {command[0]} failed, the pages beside it are complete:\n{done.stderr[-2000:]}")
            return False
    return True
