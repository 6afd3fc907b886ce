"""`make student-site`: the site without solutions and without the page for teachers, in _build/student/html.

A folded solution is one click away, and the page's notebook has it too, so hiding is not enough: the notebooks are
copied without the solutions and the cells of code that belong to them, and the site is built from the copy.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import build_site
import nbformat
from measure import SOLUTION

ROOT = build_site.ROOT
OUTPUT = ROOT / "_build" / "student"
# The page for teachers, and the lines that lead to it: a line has a sentence.
LEFT_OUT = "book/teaching.md"
LEADING_THERE = re.compile(r"^.*(?:- file: book/teaching$|\]\(teaching\.md).*\n", re.M)


def without_solutions(notebook: Any) -> Any:
    """Take the solutions out of `notebook`, and the code that stands right after them."""
    kept = []
    in_solution = False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if not in_solution:
                kept.append(cell)
            continue
        found = list(SOLUTION.finditer(cell.source))
        # The code of a solution follows it; what comes after other text belongs to that text.
        in_solution = bool(found) and not cell.source[found[-1].end() :].strip()
        if found:
            cell.source = re.sub(r"\n{3,}", "\n\n", SOLUTION.sub("", cell.source)).strip("\n")
        if cell.source.strip():
            kept.append(cell)
    notebook.cells = kept
    return notebook


def solution_lines(notebook: Any) -> set[str]:
    """Return the lines that are in a solution or in its code and nowhere else, the long ones."""

    def lines(cells: list[Any]) -> set[str]:
        return {line.strip() for cell in cells for line in cell.source.split("\n") if len(line.strip()) > 40}

    whole = lines(notebook.cells)
    return whole - lines(without_solutions(nbformat.from_dict(dict(notebook))).cells)


def copy(root: Path, target: Path) -> None:
    """Write what the student site is made from into `target`."""
    shutil.rmtree(target, ignore_errors=True)
    linked = (root / name for name in ("CITATION.cff", "README.md", "CONTRIBUTING.md"))
    for file in (*build_site.source_files(root), *linked):
        name = file.relative_to(root).as_posix()
        if name == LEFT_OUT or name.startswith("chapters/exercises/"):
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".ipynb":
            nbformat.write(without_solutions(nbformat.read(file, 4)), target / name)
        elif file.suffix in (".md", ".yml"):
            (target / name).write_text(LEADING_THERE.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copy(file, target / name)


def leaks(built: Path, root: Path) -> list[str]:
    """Where a solution is found in the built site: a box anywhere, its lines in its chapter's page and notebook."""
    found = []
    for path in sorted((root / "chapters").glob("*.ipynb")):
        lines = solution_lines(nbformat.read(path, 4))
        for shown in built.rglob(f"{path.stem}.*"):
            if shown.suffix == ".ipynb":
                cells = nbformat.read(shown, 4).cells
                said = {line.strip() for cell in cells for line in cell.source.split("\n")}
            else:
                said = {line.strip() for line in re.sub(r"<[^>]+>", "", shown.read_text(encoding="utf-8")).split("\n")}
                said = {html.unescape(line) for line in said}
            found += [f"{shown.relative_to(built)}: {line}" for line in sorted(lines & said)]
    for page in sorted(built.rglob("*")):
        if page.suffix in (".html", ".ipynb", ".md") and "vendor" not in page.parts:
            text = page.read_text(encoding="utf-8", errors="replace")
            if 'class="solution' in text or "{solution}" in text:
                found.append(f"{page.relative_to(built)}: a solution")
    return found


def main() -> int:
    """Copy, build, search what was built."""
    source = OUTPUT / "source"
    copy(ROOT, source)
    os.environ["WITHOUT_SOLUTIONS"] = "1"  # programs that stand in one are not looked for
    os.environ.pop("REPOSITORY_URL", None)  # the buttons would open the chapters with their solutions
    if code := build_site.build(source, clean=True):
        return code
    built = source / "_build" / "html"
    if found := leaks(built, ROOT):
        print("\n".join(["The site has parts of solutions in it:", *found[:20]]))
        return 1
    shutil.rmtree(OUTPUT / "html", ignore_errors=True)
    built.rename(OUTPUT / "html")
    shutil.rmtree(source)
    print(f"No solution in it: {OUTPUT / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
