"""`make pdf`: the course as one PDF, printed by Chromium from the pages of the built site, in _build/svt.pdf.

Where each chapter begins is known when the book is printed; then it is printed again, with numbers in its contents.
"""

from __future__ import annotations

import json
import re
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import book_page
import pikepdf
from chromium import WATCH, NoBrowser, printed

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
OUTPUT = ROOT / "_build" / "svt.pdf"
WIDTH = 612  # CSS pixels between the margins: formulas are broken for this width


def first_pages(pdf: pikepdf.Pdf) -> dict[str, int]:
    """The page on which each place that something links to stands, from 1."""
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
    return {name.lstrip("/"): numbers[place[0].objgen] for name, place in pdf.Root.Dests.items()}


def unfolded(items: list[pikepdf.OutlineItem]) -> list[pikepdf.OutlineItem]:
    """Items of the outline, each before those below it."""
    return [one for item in items for one in (item, *unfolded(item.children))]


def bookmarks(pdf: pikepdf.Pdf) -> list[str]:
    """The words of the outline as it unfolds."""
    with pdf.open_outline() as outline:
        return [item.title for item in unfolded(outline.root)]


def unembedded(pdf: pikepdf.Pdf) -> set[str]:
    """Fonts that a reader's machine would have to have."""
    missing = set()
    for font in pdf.objects:
        if isinstance(font, pikepdf.Dictionary) and font.get("/Subtype") in ("/Type1", "/TrueType", "/CIDFontType2"):
            description = font.get("/FontDescriptor", {})
            if not any(f"/FontFile{kind}" in description for kind in ("", "2", "3")):
                missing.add(str(font.get("/BaseFont")))
    return missing


def wrong(pdf: pikepdf.Pdf, titles: list[str]) -> list[str]:
    """What `pdf` must have and has not: titles among the bookmarks, fonts, tags, a place for each link."""
    named = bookmarks(pdf)
    faults = [f"no bookmark: {title}" for title in titles if title not in named]
    faults += [f"font not embedded: {name}" for name in sorted(unembedded(pdf))]
    if not pdf.Root.get("/MarkInfo", {}).get("/Marked", False) or "/Lang" not in pdf.Root:
        faults.append("not tagged, or without a language")
    places = set(pdf.Root.get("/Dests", {}).keys())
    for number, page in enumerate(pdf.pages, 1):
        for note in page.get("/Annots", []):
            leads = note.get("/Dest")
            if isinstance(leads, pikepdf.Name) and str(leads) not in places:
                faults.append(f"page {number}: a link leads nowhere: {leads}")
            address = str(note.get("/A", {}).get("/URI", ""))
            if address.startswith("file:"):
                faults.append(f"page {number}: a link leads to a file: {address}")
    return faults


def finish(pdf: pikepdf.Pdf, headings: list[str], *, version: str) -> None:
    """Name the bookmarks and the book, and leave out when it was printed."""
    # Chromium says the words of a heading twice where it was painted twice at the end of a page.
    with pdf.open_outline() as outline:
        found = unfolded(outline.root)
        if len(found) != len(headings):
            raise ValueError(
                f"the book must have a bookmark for each of its {len(headings)} headings, it has {len(found)}"
            )
        for item, words in zip(found, headings, strict=True):
            item.title = words
    for name in list(pdf.docinfo.keys()):
        del pdf.docinfo[name]
    pdf.docinfo["/Title"] = "The Sparse Vector Technique, a course you can run"
    pdf.docinfo["/Author"] = "The course authors"
    pdf.docinfo["/Subject"] = f"Version {version}"


def told(said: list[tuple[str, str]]) -> tuple[dict[str, Any], list[str]]:
    """What `tools/book.js` says of the book, and what is wrong with it."""
    seen = next((json.loads(words) for kind, words in said if kind == "BOOK"), None)
    faults = {words for kind, words in said if kind == "FAULT"}
    if seen is None:
        return {}, [*sorted(faults), "the page was printed before it was ready"]
    for kind in ("not typeset", "wrong formula", "markup shown as text"):
        faults |= {f"{kind}: {piece}" for piece in seen[kind]}
    return seen, sorted(faults)


def numbered(text: str, pages: dict[str, int]) -> str:
    """The book with numbers in its contents, as far as they are known."""
    return re.sub("@@(.*?)@@", lambda place: str(pages.get(place[1], "000")), text)


def make() -> list[str]:
    """Join the pages, print, print again with the numbers of the pages; return the faults of the book."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    style, script = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("book.css", "book.js"))
    before = f"{WATCH}<style>{style}</style><script>{script}</script>"
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    text, titles = book_page.book(HTML, toc, version=version, before=before)
    joined, pages = HTML / "book-to-print.html", dict[str, int]()
    try:
        for _ in range(2):
            joined.write_text(numbered(text, pages), encoding="utf-8")
            seen, faults = told(printed(joined, OUTPUT, WIDTH))
            if faults:
                return faults
            with pikepdf.open(OUTPUT) as pdf:
                expected, pages = pages, first_pages(pdf)
            print(f"  printed: {seen['formulas']} formulas", flush=True)
    finally:
        joined.unlink()
    with pikepdf.open(OUTPUT, allow_overwriting_input=True) as pdf:
        finish(pdf, seen["headings"], version=version)
        pdf.save(OUTPUT, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
        print(f"PDF: {len(pdf.pages)} pages, {len(bookmarks(pdf))} bookmarks, {OUTPUT.stat().st_size / 1e6:.1f} MB")
        moved = [] if pages == expected else ["the page numbers in the contents moved the pages"]
        return moved + wrong(pdf, titles)


def main() -> int:
    """Make the book and say where it is, or what is wrong with it."""
    started = time.monotonic()
    print("PDF: joining the pages of the site and printing them twice (three minutes)", flush=True)
    try:
        faults = make()
    except NoBrowser as error:
        print(error)
        return 2
    print(
        "\n".join(["The book has faults:", *faults[:30]]) if faults else f"{time.monotonic() - started:.0f} s: {OUTPUT}"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
