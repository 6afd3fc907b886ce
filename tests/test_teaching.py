"""The page for teachers says what is so: minutes and goals of the chapters, questions and commands that exist."""

from __future__ import annotations

import re

import coursework
import pytest
import svt_teaching
from parts import ROOT

PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
LESSONS = svt_teaching.lessons(ROOT / "chapters")


def test_every_lesson_is_in_the_list_with_its_minutes_and_goals():
    """What `{svt-goals}` shows is what the chapters say, all of it."""
    text = "\n".join(svt_teaching.goals(LESSONS))
    chapters = sorted((ROOT / "chapters").glob("[0-8][0-9]_*.ipynb"))
    assert [lesson.file for lesson in LESSONS] == [path.stem for path in chapters]
    assert all(f"**, {lesson.minutes} minutes" in text for lesson in LESSONS)
    assert all(2 <= len(lesson.goals) <= 6 for lesson in LESSONS)
    assert all(15 <= lesson.minutes <= 45 and lesson.exercises >= 30 for lesson in LESSONS)


def test_a_syllabus_adds_up():
    table = svt_teaching.syllabus(LESSONS, [1, 3])
    one, three = (next(lesson for lesson in LESSONS if lesson.number == n) for n in (1, 3))
    assert f"| together | {one.minutes + three.minutes} min | {one.exercises + three.exercises} min |" in table


@pytest.mark.parametrize("numbers", [[1, 99], []])
def test_a_chapter_that_does_not_exist_stops_the_build(numbers):
    with pytest.raises(ValueError, match="the chapters are"):
        svt_teaching.syllabus(LESSONS, numbers)


def test_a_chapter_without_goals_stops_the_build(tmp_path):
    path = tmp_path / "01_x.ipynb"
    path.write_text('{"cells": [{"source": ""}, {"cell_type": "markdown", "source": "# X\\n\\n*3 minutes.\\n"}]}')
    with pytest.raises(ValueError, match="must begin with"):
        svt_teaching.lesson(path)


def test_the_syllabi_of_the_page_can_be_built():
    found = re.findall(r"^```\{svt-syllabus\} (.+)$", PAGE, re.M)
    assert len(found) == 3
    assert all(svt_teaching.syllabus(LESSONS, [int(n) for n in numbers.split()]) for numbers in found)


def test_every_question_that_is_named_exists():
    """`e1_foundations` 3 is the third question of that notebook, and every notebook is on the page."""
    sources = coursework.sources()
    named = re.findall(r"`(e\d_\w+)`(?: (\d))?", PAGE)
    assert {name for name, _ in named} == set(sources)
    counts = {name: len(list(coursework.questions(notebook))) for name, notebook in sources.items()}
    assert all(int(question) <= counts[name] for name, question in named if question)
    assert sum(bool(question) for _, question in named) > 10


def test_the_minutes_of_the_lecture_add_up():
    """Ninety minutes are ninety."""
    part = PAGE.partition("### One lecture")[2].partition("### One week")[0]
    assert sum(int(minutes) for minutes in re.findall(r"^\| (\d+) \|", part, re.M)) == 90


@pytest.mark.parametrize("name", coursework.sources())
def test_the_chapters_that_a_notebook_asks_for_exist(name):
    """Titles in its head, in italics, are titles of pages."""
    titles = {lesson.title for lesson in LESSONS}
    for path in [*(ROOT / "book").glob("*.md"), *(ROOT / "chapters").glob("9*.ipynb")]:
        titles |= set(re.findall(r"^\s*\"?# ([^\\\n\"]+)", path.read_text(encoding="utf-8"), re.M))
    head = re.search(r"Before this: .+?\*\*$", coursework.sources()[name].cells[0].source, re.M)[0]
    named = re.findall(r"\*([^*]+)\*", head)
    assert named
    assert set(named) <= titles
