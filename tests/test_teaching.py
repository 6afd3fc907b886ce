"""What teachers get: a page that says what is so, a lecture in slides, and a site for students without solutions."""

from __future__ import annotations

import re

import coursework
import make_slides
import nbformat
import pytest
import student_site
import svt_teaching
from parts import ROOT

# The page

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


# The slides

LECTURE = make_slides.SOURCE.read_text(encoding="utf-8")
SLIDES = make_slides.page(LECTURE, ROOT / "chapters")


def test_the_lecture_has_ninety_minutes():
    assert make_slides.minutes(LECTURE) == 90


def test_every_figure_is_shown_with_its_text():
    """As many as are named, each with the text alternative that it has in its chapter."""
    named = make_slides.FIGURE.findall(LECTURE)
    assert len(named) >= 6
    labels = re.findall(r'<svg[^>]*aria-label="([^"]+)"', SLIDES)
    assert len(labels) == len(named) == SLIDES.count("<figure>")
    assert all(label.startswith(start) for label, (_, start) in zip(labels, named, strict=True))
    assert "@@" not in SLIDES


def test_nothing_is_asked_of_another_host_and_nothing_runs():
    assert "<script" not in SLIDES
    assert not re.findall(r"(?:src|href)=\"(?!#)|url\((?!#)|@import", SLIDES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n\n::: notes\nLong.", "begin with its minutes"),
        ("# A", "begin with its minutes"),
        ("# A\n\n![](03: No such figure)\n\n::: notes\n1 min.", "one figure"),
    ],
)
def test_a_slide_that_is_not_whole_stops_it(text, said):
    with pytest.raises(ValueError, match=said):
        make_slides.page(text, ROOT / "chapters")


# The site for students

CHAPTERS = sorted((ROOT / "chapters").glob("[0-8][0-9]_*.ipynb"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_solutions_go_and_exercises_stay(path):
    """Every solution with its code is gone; what stands before, between and after is left as it is."""
    before = nbformat.read(path, 4)
    after = student_site.without_solutions(nbformat.read(path, 4))
    texts = ["\n".join(cell.source for cell in notebook.cells) for notebook in (before, after)]
    assert "{solution}" in texts[0]
    assert "{solution}" not in texts[1]
    assert len(re.findall(r"\{exercise\}", texts[0])) == len(re.findall(r"\{exercise\}", texts[1])) >= 3
    assert re.findall(r"^## .+$", texts[0], re.M) == re.findall(r"^## .+$", texts[1], re.M)
    assert re.findall(r"^\(claim-.+\)=$", texts[0], re.M) == re.findall(r"^\(claim-.+\)=$", texts[1], re.M)
    start = next(i for i, cell in enumerate(before.cells) if "## Exercises" in cell.source)
    assert [cell.source for cell in after.cells[:start]] == [cell.source for cell in before.cells[:start]]
    code = [cell for cell in after.cells[start:] if cell.cell_type == "code"]
    assert all("hide-cell" not in cell.metadata.get("tags", []) for cell in code)
    assert len(student_site.solution_lines(before)) > 5


def test_a_page_with_a_solution_is_found(tmp_path):
    """The search of what was built can fail, for a box and for a line without its box."""
    path = CHAPTERS[0]
    (tmp_path / f"{path.stem}.html").write_text("<p>nothing</p>")
    assert student_site.leaks(tmp_path, ROOT) == []
    line = max(student_site.solution_lines(nbformat.read(path, 4)), key=len)
    (tmp_path / f"{path.stem}.html").write_text(f"<p>\n{line}\n</p>")
    assert len(student_site.leaks(tmp_path, ROOT)) == 1
    (tmp_path / "other.html").write_text('<div class="solution dropdown">')
    assert len(student_site.leaks(tmp_path, ROOT)) == 2


def test_the_copy_has_no_solution_and_no_page_for_teachers(tmp_path):
    student_site.copy(ROOT, tmp_path / "copy")
    names = {path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*")}
    assert "book/teaching.md" not in names
    assert "chapters/exercises" not in names
    assert "book/teaching" not in (tmp_path / "copy" / "_toc.yml").read_text()
    assert "teaching.md" not in (tmp_path / "copy" / "book" / "intro.md").read_text()
    assert {f"chapters/{path.name}" for path in CHAPTERS} <= names
    assert "evidence/__init__.py" in names  # whose functions the page of claims shows
