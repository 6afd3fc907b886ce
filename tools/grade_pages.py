"""What `make grade` writes: a page for each student, the class as a table and a page, a course of nbgrader."""

from __future__ import annotations

import csv
import html
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coursework
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


@dataclass
class Student:
    """What one student handed in, and the marks for it."""

    name: str
    file: str = ""  # without its ending
    files: dict[str, Path] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    executed: dict[str, Any] = field(default_factory=dict)

    @property
    def earned(self) -> float:
        """The points that are certain."""
        return sum(mark.earned or 0.0 for mark in self.marks)

    @property
    def waiting(self) -> float:
        """The points that a person has to give."""
        return sum(mark.most for mark in self.marks if mark.earned is None)


STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
td.low { background: #d556; } td.part { background: #db46; } td.full { background: #5a56; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid #8886; padding: .3rem .8rem; }
.wide { overflow-x: auto; } .why { border-left-color: #c55; } footer { margin-top: 3rem; font-size: .85rem; }
"""


SHOWN = 50_000  # characters of an answer


def number(value: float) -> str:
    """A number of points."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def page(title: str, body: str) -> str:
    """One HTML page that asks nobody for anything."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>\n<h1>{html.escape(title)}</h1>\n{body}\n</main></body></html>\n"
    )


def feedback(student: Student) -> str:
    """The page for one student."""
    most = sum(mark.most for mark in student.marks)
    waiting = (
        f" {number(student.waiting)} more are for answers in words, which a person reads." if student.waiting else ""
    )
    body = [f"<p>{number(student.earned)} of {number(most)} points.{waiting}</p>"]
    for name in dict.fromkeys(mark.notebook for mark in student.marks):
        body.append(f"<h2>{html.escape(name)}</h2>")
        marks = [mark for mark in student.marks if mark.notebook == name]
        for question in dict.fromkeys(mark.question for mark in marks):
            parts = [mark for mark in marks if mark.question == question]
            body.append(f"<h3>{html.escape(question)}</h3>")
            for mark in parts:
                if mark.earned is None:
                    why = html.escape(f" ({mark.reason})" if mark.reason else "")
                    body.append(f"<p>– of {number(mark.most)}: to be read by a person{why}.</p>")
                    continue
                sign = "✓" if mark.earned == mark.most else "✗" if not mark.earned else "≈"
                body.append(f"<p>{sign} {number(mark.earned)} of {number(mark.most)}</p>")
                if mark.reason:
                    body.append(f'<pre class="why">{html.escape(mark.reason)}</pre>')
            if parts[0].answer.strip() and not all(mark.earned == mark.most for mark in parts):
                answer = parts[0].answer
                answer = html.escape(
                    answer if len(answer) <= SHOWN else f"{answer[:SHOWN]} … (the rest is in the file)"
                )
                body.append(f"<details><summary>Your answer</summary><pre>{answer}</pre></details>")
    return page(f"Feedback for {student.name}", "\n".join(body))


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
            by_name = {(mark.notebook, mark.name): mark.earned for mark in student.marks}
            earned = [by_name.get(head) for head in heads]
            row = ["" if points is None else number(points) for points in earned]
            shown = student.name if student.name[:1].isalnum() else f"'{student.name}"  # no formula
            writer.writerow([shown, *row, number(student.earned), number(student.waiting)])
    beside.replace(path)


def class_page(students: list[Student], shut_in: str) -> str:
    """The page for the teacher: who has what, and what the class did not understand."""
    heads = columns(students)
    body = ['<div class="wide"><table><thead><tr><th>Student</th>']
    body += [f"<th>{html.escape(notebook.split('_')[0])}<br>{html.escape(name)}</th>" for notebook, name in heads]
    body.append("<th>points</th><th>to be read</th></tr></thead><tbody>")
    shares: dict[tuple[str, str], list[float]] = {head: [] for head in heads}
    reasons: dict[tuple[str, str], Counter[str]] = {head: Counter() for head in heads}
    titles: dict[tuple[str, str], str] = {}
    read: set[tuple[str, str]] = set()  # by a person
    for student in students:
        link = f"{student.file}.html"
        body.append(f'<tr><td><a href="{html.escape(link)}">{html.escape(student.name)}</a></td>')
        for mark in student.marks:
            head = (mark.notebook, mark.name)
            titles[head] = mark.question
            if mark.earned is None:
                read.add(head)
                body.append("<td>–</td>")
                continue
            kind = "full" if mark.earned == mark.most else "part" if mark.earned else "low"
            body.append(f'<td class="{kind}">{number(mark.earned)}/{number(mark.most)}</td>')
            shares[head].append(mark.earned / mark.most)
            if mark.reason:
                reasons[head][mark.reason.split("\n")[0][:160]] += 1
        body += ["<td></td>"] * (len(heads) - len(student.marks))  # of whom could not be graded
        body.append(f"<td>{number(student.earned)}</td><td>{number(student.waiting)}</td></tr>")
    body.append("</tbody></table></div><h2>What the class did not understand</h2>")
    body.append(
        "<p>Questions by the share of their points that was earned, the lowest first, and why points were lost.</p>"
    )
    by_machine = [head for head in heads if shares[head] and head not in read]
    for head in sorted(by_machine, key=lambda h: sum(shares[h]) / len(shares[h])):
        share = sum(shares[head]) / len(shares[head])
        if share >= 0.995:
            continue
        body.append(f"<h3>{html.escape(titles[head])} · {html.escape(head[1])}: {share:.0%}</h3><ul>")
        body += [f"<li>{count} × {html.escape(why)}</li>" for why, count in reasons[head].most_common(4)]
        body.append("</ul>")
    body.append(f"<footer>Every notebook was executed by itself: {html.escape(shut_in)}.</footer>")
    return page("Class", "\n".join(body))


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
