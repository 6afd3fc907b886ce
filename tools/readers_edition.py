"""The reader's edition: the chapters as notebooks that read well wherever notebooks are read, without an extension.

`make lab` writes it into `notebooks/`, trusts it and opens it there; the site's download button, Binder and Colab have
the same files.  A notebook that its reader has changed is never written over: the new one is laid beside it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import yaml
from edition_text import Edition
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "notebooks"
RECORD = ".edition.json"
SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
MARGIN = 6
INK, PAPER = "#1f2328", "#ffffff"  # a picture does not know the theme around it, so it brings its paper along

INSTALL = """# svtlib comes with the course; where it is missing, as on Colab, this installs it.
import importlib.util

if importlib.util.find_spec("svtlib") is None:
    {install}"""
HOW = 'raise ModuleNotFoundError("svtlib is missing: in the folder of the course, `make lab` or `pip install .`")'
EXPLORER = "*The next cell is an explorer: run it (Shift and Enter), and move its controls.*"


def site_address(root: Path, repository: str) -> str:
    """Where the site is published: as `_config.yml` says, or the pages of the repository; empty if neither is known."""
    said = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8")).get("html", {}).get("baseurl", "")
    pages = re.fullmatch(r"https://github\.com/([\w.-]+)/([\w.-]+)", repository)
    said = said or (f"https://{pages[1].lower()}.github.io/{pages[2]}" if pages else "")
    return f"{said.rstrip('/')}/" if said else ""


def picture(svg: str) -> str:
    """An inline SVG as an image with its text alternative: without trust, an inline SVG is reduced to its labels."""
    opening, body = svg.split(">", 1)
    alt, box = re.search(r'aria-label="([^"]*)"', opening), SIZE.search(opening)
    if not alt or not box:
        raise ValueError(f"a figure needs an aria-label and a viewBox that begins at 0 0, got {opening[:200]!r}")
    width, height = (float(side) + 2 * MARGIN for side in box.groups())
    opening = opening.replace(box[0], f'viewBox="-{MARGIN} -{MARGIN} {width:g} {height:g}"').replace(
        "max-width", "width"
    )
    opening = opening.replace('style="', f'style="color:{INK};')
    paper = f'<rect x="-{MARGIN}" y="-{MARGIN}" width="{width:g}" height="{height:g}" rx="{MARGIN}" fill="{PAPER}"/>'
    data = base64.b64encode(f"{opening}>{paper}{body}".encode()).decode()
    return f'<img alt="{alt[1]}" width="{width * 4 / 3:.0f}" src="data:image/svg+xml;base64,{data}">'


def shown(output: Any) -> Any:
    """An output with its figure as a picture."""
    page = output.get("data", {}).get("text/html", "")
    if page.startswith("<svg"):
        output["data"]["text/html"] = picture(page)
    return output


def parted(cells: list[Any]) -> Iterator[Any]:
    """The cells of a chapter, each solution that has code in a cell of its own, so that it folds with its code.

    JupyterLab opens a folded output when its cell is run, but leaves what is below a folded heading where it is.
    """
    for i, cell in enumerate(cells):
        after = cells[i + 1] if i + 1 < len(cells) else None
        with_code = after and after.cell_type == "code" and "hide-cell" in after.metadata.get("tags", [])
        *_, last = [None, *re.finditer(r"<details><summary>(Solution to [^<]+)</summary>", cell.source)]
        if not (cell.cell_type == "markdown" and with_code and last):
            yield cell
            continue
        before, folded = cell.source[: last.start()].rstrip("\n"), cell.source[last.start() :]
        yield nbformat.from_dict({**cell, "source": before})
        solution = nbformat.v4.new_markdown_cell(id=f"{cell.id}-solution")
        solution.source = f"#### {last[1]}\n\n{folded.replace(last[1], 'In words; the code is below this heading', 1)}"
        solution.metadata = {"jp-MarkdownHeadingCollapsed": True, "id": solution.id}  # Colab's list names it by this id
        yield solution


def notebook(source: Any, page: str, edition: Edition, install: str) -> Any:
    """The edition of one chapter, from the chapter."""
    for cell in source.cells:
        if cell.cell_type == "markdown":
            cell.source = edition.plain(cell.source, page)
    cells: list[Any] = []
    for cell in parted([cell for cell in source.cells if cell.source]):  # a cell that had nothing but targets is gone
        if cell.cell_type == "code":
            if not any(before.cell_type == "code" for before in cells):
                cells.append(nbformat.v4.new_code_cell(INSTALL.format(install=install), id="install"))
                cells[-1].metadata = {"jupyter": {"source_hidden": True}, "cellView": "form"}
            if "remove-cell" in cell.metadata.get("tags", []):
                cells.append(nbformat.v4.new_markdown_cell(EXPLORER, id=f"{cell.id}-says"))
            if cell.metadata.get("jupyter", {}).get("source_hidden"):
                cell.metadata["cellView"] = "form"  # Colab's word for it
            cell.outputs = [shown(output) for output in cell.outputs]
        cells.append(cell)
    source.cells = cells
    folded = [cell.id for cell in cells if "jp-MarkdownHeadingCollapsed" in cell.metadata]
    source.metadata["colab"] = {"collapsed_sections": folded}
    return source


def made(root: Path, folder: Path, repository: str = "") -> Iterator[tuple[str, Any]]:
    """Name and notebook of every chapter under `root`, for a reader who finds it in `folder`."""
    edition = Edition(root, folder, site_address(root, repository))
    install = f'%pip install --quiet "svtlib @ git+{repository}"' if repository else HOW
    for path in sorted((root / "chapters").glob("[0-9]*.ipynb")):
        yield path.name, notebook(nbformat.read(path, 4), f"chapters/{path.stem}", edition, install)


def written(chapter: Any) -> bytes:
    """The bytes of its file."""
    return (nbformat.writes(chapter) + "\n").encode()


def traces(content: bytes) -> list[str]:
    """What a file is known by: its bytes, and what is written in its cells.

    JupyterLab changes the bytes of a notebook that is only opened or run.
    """
    try:
        cells = json.loads(content)["cells"]
        texts = json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]).encode()
    except (ValueError, KeyError, TypeError):
        texts = content
    return [hashlib.sha256(part).hexdigest() for part in (content, texts)]


def lay(folder: Path, name: str, content: bytes, record: dict[str, list[str]]) -> str:
    """Write `content` where a reader finds it, never over what a reader has written; if that is so, say it.

    `record` has, for each name, the traces of all that was ever laid there; the last are the newest.
    """
    known = record.setdefault(name, [])
    newest = traces(content)
    new = newest != known[-2:]
    known += newest * new
    path = folder / name
    beside = path.with_name(f"{path.stem}.new.ipynb")
    there = {place: traces(place.read_bytes()) for place in (path, beside) if place.exists()}
    free = [place for place in (path, beside) if place not in there or set(there[place]) & set(known)]
    if path not in free and not new:
        return f"  {name}: changed by you, kept"
    if not free:
        return f"  {name}: changed by you, kept, and so is {beside.name}; rename one to get the chapter as it is now"
    place = free[0]
    only_run = place in there and there[place][0] not in known and there[place][1] == newest[1]
    if not only_run and there.get(place) != newest:
        place.write_bytes(content)
    return "" if place == path else f"  {name}: changed by you, kept; as the chapter is now it is {beside.name}"


def write(root: Path, folder: Path, repository: str = "", *, trusted: bool = False) -> list[str]:
    """Write the whole edition into `folder`; return a sentence for each notebook that its reader has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    recorded = folder / RECORD
    record = json.loads(recorded.read_text(encoding="utf-8")) if recorded.exists() else {}
    notary = NotebookNotary() if trusted else None
    said = []
    for name, chapter in made(root, folder, repository):
        said.append(lay(folder, name, written(chapter), record))
        if notary:
            notary.sign(chapter)  # it is known by its content: what a reader makes of it is not signed here
    recorded.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return list(filter(None, said))


def main() -> int:
    """Write it, and say what was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / FOLDER)
    parser.add_argument("--trust", action="store_true", help="let JupyterLab show it as its own")
    given = parser.parse_args()
    kept = write(ROOT, given.folder.resolve(), os.environ.get("REPOSITORY_URL", ""), trusted=given.trust)
    print("\n".join([f"The reader's edition: {given.folder}", *kept]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
