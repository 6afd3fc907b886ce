"""Directives of the page for teachers: what each chapter teaches and how long it takes, read from the chapters.

`{svt-goals}` lists every lesson with its minutes and what a reader can do after it; `{svt-syllabus} 1 2 3` is a table
of some of them with the sum of their minutes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


@dataclass(frozen=True)
class Lesson:
    """What the head of a chapter says, and how long its exercises take."""

    number: int
    file: str
    title: str
    minutes: int
    goals: tuple[str, ...]
    exercises: int

    @property
    def link(self) -> str:
        """Its number and title, as a link from a page in book/."""
        return f"[{self.number} · {self.title}](../chapters/{self.file}.ipynb)"


def lesson(path: Path) -> Lesson:
    """Read one chapter."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    head = "".join(cells[0]["source"])
    title = re.match(r"# (.+)", head)
    minutes = re.search(r"^\*(\d+) minutes\.", head, re.M)
    goals = re.findall(r"^\* (.+)$", head.partition("you can")[2], re.M)
    if title is None or minutes is None or not goals:
        raise ValueError(f"{path.name} must begin with a title, its minutes and what a reader can do after it")
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    exercises = re.findall(r"^:{3,}\{exercise\} ◆.*· (\d+) min", prose, re.M)
    said = tuple(goal.rstrip(",.") for goal in goals)
    return Lesson(int(path.name[:2]), path.stem, title[1], int(minutes[1]), said, sum(map(int, exercises)))


def lessons(folder: Path) -> list[Lesson]:
    """Every lesson of the course, in order; pages from 90 on are none."""
    return [lesson(path) for path in sorted(folder.glob("[0-8][0-9]_*.ipynb"))]


def goals(found: list[Lesson]) -> list[str]:
    """The list of `{svt-goals}`, in Markdown."""
    lines: list[str] = []
    for one in found:
        lines += [f"**{one.link}**, {one.minutes} minutes; the exercises, {one.exercises} minutes.", ""]
        lines += [*(f"* {goal}" for goal in one.goals), ""]
    return lines


def syllabus(found: list[Lesson], numbers: list[int]) -> list[str]:
    """The table of `{svt-syllabus}`, in Markdown."""
    by_number = {one.number: one for one in found}
    unknown = [number for number in numbers if number not in by_number]
    if unknown or not numbers:
        raise ValueError(f"the chapters are {sorted(by_number)}, got {unknown or 'none'}")
    chosen = [by_number[number] for number in numbers]
    lines = ["| Chapter | To read | Exercises |", "|---|---|---|"]
    lines += [f"| {one.link} | {one.minutes} min | {one.exercises} min |" for one in chosen]
    read, work = (sum(getattr(one, name) for one in chosen) for name in ("minutes", "exercises"))
    return [*lines, f"| together | {read} min | {work} min |", ""]


class _FromChapters(SphinxDirective):
    def _lessons(self) -> list[Lesson]:
        folder = Path(self.env.srcdir) / "chapters"
        for path in folder.glob("[0-8][0-9]_*.ipynb"):
            self.env.note_dependency(str(path))
        try:
            return lessons(folder)
        except ValueError as error:
            raise self.error(str(error)) from error


class Goals(_FromChapters):
    """`{svt-goals}`: every lesson, its minutes, and what a reader can do after it."""

    def run(self) -> list[nodes.Node]:
        """Build the list."""
        return self.parse_text_to_nodes("\n".join(goals(self._lessons())))


class Syllabus(_FromChapters):
    """`{svt-syllabus} 1 2 3`: these chapters, with the sum of their minutes."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        try:
            table = syllabus(self._lessons(), [int(word) for word in self.arguments[0].split()])
        except ValueError as error:
            raise self.error(str(error)) from error
        return self.parse_text_to_nodes("\n".join(table))


def setup(app: Any) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("svt-goals", Goals)
    app.add_directive("svt-syllabus", Syllabus)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
