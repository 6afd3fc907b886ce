"""The site for students has the exercises and no solution, neither on a page nor in a page's notebook."""

from __future__ import annotations

import re

import nbformat
import pytest
import student_site
from parts import ROOT

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
