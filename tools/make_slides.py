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
OUTPUT = ROOT / "_build" / "slides.html"
FIGURE = re.compile(r"!\[\]\((\d\d): ([^)]+)\)")

STYLE = """
:root { color-scheme: light dark; }
html { scroll-snap-type: y proximity; font: clamp(16px, 2.2vw, 30px)/1.45 system-ui, sans-serif; }
body { margin: 0; }
section { min-height: 100vh; box-sizing: border-box; padding: 4vh 8vw; scroll-snap-align: start;
  display: flex; flex-direction: column; justify-content: center; border-bottom: 1px solid #8884; }
h1 { font-size: 2.2em; margin: 0; } h2 { font-size: 1.4em; margin: 0 0 .5em; }
p, ul, ol { margin: .4em 0; } pre { font-size: .8em; overflow-x: auto; }
figure { margin: 0; }
svg { width: 100% !important; max-width: none !important; height: 50vh !important; }
.notes { display: none; font-size: .7em; border-left: .2em solid #8888; padding-left: 1em; margin-top: 1.5em; }
#notes:checked ~ main .notes { display: block; }
label[for=notes], #notes { position: relative; font-size: .6em; margin: .5em; }
footer { font-size: .6em; opacity: .75; margin-top: auto; padding-top: 1em; text-align: right; }
@media print {
  @page { size: A4 landscape; margin: 0; }
  html { font-size: 17pt; } section { height: 100vh; break-after: page; border: 0; } label, #notes { display: none; }
}
"""


def figures(path: Path) -> dict[str, str]:
    """Every figure of a chapter: its text alternative, and its SVG."""
    found = {}
    for cell in nbformat.read(path, 4).cells:
        for output in cell.get("outputs", []):
            for svg in re.findall(r"<svg.*?</svg>", output.get("data", {}).get("text/html", ""), re.S):
                label = re.search(r'aria-label="([^"]*)"', svg)
                if label:
                    found[html.unescape(label[1])] = svg
    return found


def figure(chapter: str, start: str, chapters: Path) -> str:
    """The one figure of `chapter` whose text alternative begins with `start`."""
    paths = list(chapters.glob(f"{chapter}_*.ipynb"))
    found = [svg for path in paths for label, svg in figures(path).items() if label.startswith(start)]
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
        body, pictures = shown, []
        for chapter, start in FIGURE.findall(shown):
            pictures.append(figure(chapter, start, chapters))
            body = FIGURE.sub(f"@@{len(pictures) - 1}@@", body, count=1)
        rendered = markdown.render(body)
        for k, picture in enumerate(pictures):
            rendered = rendered.replace(f"<p>@@{k}@@</p>", f"<figure>{picture}</figure>")
        aside = f'<aside class="notes" aria-label="Notes">{markdown.render(notes)}</aside>'
        sections.append(f"<section>\n{rendered}{aside}<footer>{number} / {len(made)}</footer></section>")
    title = html.escape(made[0][0].split("\n")[0].lstrip("# "))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body>\n"
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
