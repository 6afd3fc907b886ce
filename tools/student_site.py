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

ROOT = build_site.ROOT
OUTPUT = ROOT / "_build" / "student"
SOLUTION = re.compile(r"^(?P<fence>:{3,})\{solution\}[^\n]*\n.*?^(?P=fence)[ ]*$\n?", re.M | re.S)
TARGETS = re.compile(r"(\s*^\([\w-]+\)=\s*$)+", re.M)
LEFT_OUT = ("book/teaching",)


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
        if in_solution and TARGETS.fullmatch(cell.source):
            kept.append(cell)  # where the page of claims links to; the computation belongs to the solution
            continue
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
    target.mkdir(parents=True)
    for name in ("_config.yml", "requirements.txt", "CITATION.cff", "README.md", "CONTRIBUTING.md"):
        shutil.copy(root / name, target / name)
    toc = (root / "_toc.yml").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in toc if not any(line.strip() == f"- file: {page}" for page in LEFT_OUT)]
    (target / "_toc.yml").write_text("".join(kept), encoding="utf-8")
    for name in ("book", "data", "svtlib", "svtcourse", "evidence"):
        shutil.copytree(root / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for page in LEFT_OUT:
        (target / f"{page}.md").unlink()
    links = tuple(f"]({Path(page).name}.md" for page in LEFT_OUT)
    for path in (target / "book").glob("*.md"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)  # a sentence each
        path.write_text("".join(line for line in lines if not any(link in line for link in links)), encoding="utf-8")
    (target / "chapters").mkdir()
    for path in sorted((root / "chapters").glob("*.ipynb")):
        nbformat.write(without_solutions(nbformat.read(path, 4)), target / "chapters" / path.name)


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
    build_site.ROOT, build_site.OUTPUT = source, source / "_build"
    build_site.HTML, build_site.STAMP = source / "_build" / "html", source / "_build" / "site.stamp"
    code = build_site.build(clean=True)
    if code:
        return code
    found = leaks(build_site.HTML, ROOT)
    if found:
        print("\n".join(["The site has parts of solutions in it:", *found[:20]]))
        return 1
    shutil.rmtree(OUTPUT / "html", ignore_errors=True)
    build_site.HTML.rename(OUTPUT / "html")
    shutil.rmtree(source)
    print(f"No solution in it: {OUTPUT / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
