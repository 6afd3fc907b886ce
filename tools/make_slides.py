"""`make slides`: one lecture as a page of slides, from tools/lecture.md and the committed figures of the chapters.

A slide ends at `---`; what follows `::: notes` is for the speaker, and begins with its minutes.  `![](03: One run)` is
the figure of chapter 3 whose text alternative begins with these words, so a slide shows what the chapter shows.
The page asks no other host for anything and has no script: Page Down turns the slides, a box shows the notes, and
printing gives one slide a sheet, with the notes if they are shown.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path(__file__).with_name("lecture.md")
STYLE = Path(__file__).with_name("slides.css")
OUTPUT = ROOT / "_build" / "slides.html"
FIGURE = re.compile(r"!\[\]\((\d\d): ([^)]+)\)")


def figure(chapter: str, start: str, chapters: Path) -> str:
    """The one figure of `chapter` whose text alternative begins with `start`."""
    cells = [cell for path in chapters.glob(f"{chapter}_*.ipynb") for cell in nbformat.read(path, 4).cells]
    pages = [output.get("data", {}).get("text/html", "") for cell in cells for output in cell.get("outputs", [])]
    drawn = [svg for page in pages for svg in re.findall(r"<svg.*?</svg>", page, re.S)]
    found = [svg for svg in drawn if f'aria-label="{html.escape(start)}' in svg]
    if len(found) != 1:
        raise ValueError(f"a slide must name one figure, got {len(found)} in chapter {chapter} beginning {start!r}")
    return found[0]


def slides(text: str) -> list[tuple[str, str]]:
    """Each slide and its notes, in Markdown."""
    made = []
    for part in re.split(r"^---\s*$", text, flags=re.M):
        shown, mark, notes = part.partition("::: notes")
        if not mark or not re.match(r"\s*\d+ min", notes):
            raise ValueError(f"a slide must have notes that begin with its minutes, got {part.strip()[:60]!r}")
        made.append((shown.strip(), notes.strip()))
    return made


def minutes(text: str) -> int:
    """How long the lecture is."""
    return sum(int(found[0]) for _, notes in slides(text) if (found := re.match(r"\d+", notes)))


def page(text: str, chapters: Path) -> str:
    """Return the slides as one HTML page."""
    markdown: Any = MarkdownIt()
    made = slides(text)
    sections = []
    for number, (shown, notes) in enumerate(made, 1):
        # A figure's name is no address, so it is left in a paragraph as it was.
        rendered = re.sub(
            f"<p>{FIGURE.pattern}</p>",
            lambda named: f"<figure>{figure(named[1], html.unescape(named[2]), chapters)}</figure>",
            markdown.render(shown),
        )
        aside = f'<aside class="notes" aria-label="Notes">{markdown.render(notes)}</aside>'
        sections.append(f"<section>\n{rendered}{aside}<footer>{number} / {len(made)}</footer></section>")
    title = html.escape(made[0][0].split("\n")[0].lstrip("# "))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>\n{STYLE.read_text(encoding='utf-8')}</style></head>\n<body>\n"
        f'<input type="checkbox" id="notes"><label for="notes">Notes for the speaker</label>\n'
        f"<main>\n{''.join(sections)}\n</main></body></html>\n"
    )


def main() -> int:
    """Write the page."""
    text = SOURCE.read_text(encoding="utf-8")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(page(text, ROOT / "chapters"), encoding="utf-8")
    print(f"Written: {OUTPUT} ({len(slides(text))} slides, {minutes(text)} minutes); open it in a browser, or print it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
