"""`make pdf`: the course as one PDF, printed by Chromium from the pages of the built site, in _build/svt.pdf.

Where each chapter begins is known when the book is printed; then its contents are printed again, with page numbers.
"""

from __future__ import annotations

import json
import sys
import time
import tomllib
from pathlib import Path

import book_page
import pikepdf
from chromium import NoBrowser, browser

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
OUTPUT = ROOT / "_build" / "svt.pdf"
CONTENTS = ROOT / "_build" / "contents.pdf"
WIDTH = 612  # CSS pixels between the margins: formulas are broken for this width


def first_pages(pdf: pikepdf.Pdf) -> dict[str, int]:
    """The page on which each place that something links to stands, from 1."""
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
    return {name.lstrip("/"): numbers[place[0].objgen] for name, place in pdf.Root.Dests.items()}


def bookmarks(pdf: pikepdf.Pdf) -> list[tuple[int, str]]:
    """The outline as it unfolds: level from 0, and words."""
    found: list[tuple[int, str]] = []

    def walk(items: list[pikepdf.OutlineItem], level: int) -> None:
        for item in items:
            found.append((level, item.title))
            walk(item.children, level + 1)

    with pdf.open_outline() as outline:
        walk(outline.root, 0)
    return found


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
    named = [words for _, words in bookmarks(pdf)]
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


def finish(pdf: pikepdf.Pdf, numbered: pikepdf.Pdf, headings: list[str], *, version: str) -> None:
    """Put the contents with page numbers in, name the bookmarks and the book, and leave out when it was printed."""
    for old, new in zip(pdf.pages, numbered.pages, strict=False):
        old.Contents = pdf.copy_foreign(new.Contents)
        old.Resources = pdf.copy_foreign(numbered.make_indirect(new.Resources))
    # Chromium says the words of a heading twice where it was painted twice at the end of a page.
    found = len(bookmarks(pdf))
    if found != len(headings):
        raise ValueError(f"the book must have a bookmark for each of its {len(headings)} headings, it has {found}")
    waiting = iter(headings)

    def rename(items: list[pikepdf.OutlineItem]) -> None:
        for item in items:
            item.title = next(waiting)
            rename(item.children)

    with pdf.open_outline() as outline:
        rename(outline.root)
    for name in list(pdf.docinfo.keys()):
        del pdf.docinfo[name]
    pdf.docinfo["/Title"] = "The Sparse Vector Technique, a course you can run"
    pdf.docinfo["/Author"] = "The course authors"
    pdf.docinfo["/Subject"] = f"Version {version}"


def main() -> int:
    """Join the pages, print, number the contents, print again."""
    started = time.monotonic()
    if not (HTML / "index.html").exists():
        print("There is no site in _build/html: run 'make book' first.")
        return 2
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    print("PDF: joining the pages of the site", flush=True)
    style = Path(__file__).with_name("book.css").read_text(encoding="utf-8")
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    text, titles = book_page.book(HTML, toc, version=version, style=style)
    first = book_page.slug(book_page.contents(toc)[0].pages[0])
    joined = HTML / "book-to-print.html"
    joined.write_text(text, encoding="utf-8")
    try:
        with browser() as page:
            page.call("Emulation.setEmulatedMedia", media="print")
            page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=900, deviceScaleFactor=1, mobile=False)
            page.open(joined.as_uri())
            page.run(Path(__file__).with_name("book.js").read_text(encoding="utf-8"))
            seen = page.run(f"book.prepare({WIDTH})")
            print(f"  {time.monotonic() - started:.0f} s: {seen['formulas']} formulas typeset", flush=True)
            faults = page.failures()
            for kind, said in (
                ("unset", "not typeset"),
                ("errors", "wrong formula"),
                ("stray", "markup shown as text"),
            ):
                faults += [f"{said}: {piece}" for piece in seen[kind]]
            if faults:
                print("\n".join(["The book has faults:", *sorted(set(faults))]))
                return 1
            page.print(OUTPUT, generateTaggedPDF=True, generateDocumentOutline=True)
            print(f"  {time.monotonic() - started:.0f} s: printed; now the contents with page numbers", flush=True)
            with pikepdf.open(OUTPUT, allow_overwriting_input=True) as pdf:
                numbers = first_pages(pdf)
                headings = page.run("book.headings()")
                page.run(f"book.number({json.dumps(numbers)})")
                page.print(CONTENTS, generateTaggedPDF=True, pageRanges=f"1-{numbers[first] - 1}")
                with pikepdf.open(CONTENTS) as numbered:
                    finish(pdf, numbered, headings, version=version)
                pdf.save(OUTPUT, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    except NoBrowser as error:
        print(error)
        return 2
    finally:
        joined.unlink()
        CONTENTS.unlink(missing_ok=True)
    with pikepdf.open(OUTPUT) as pdf:
        faults = wrong(pdf, titles)
        counts = f"{len(pdf.pages)} pages, {len(bookmarks(pdf))} bookmarks"
    print(f"PDF: {counts}, {OUTPUT.stat().st_size / 1e6:.1f} MB, {time.monotonic() - started:.0f} s: {OUTPUT}")
    if faults:
        print("\n".join(["The book has faults:", *faults[:30]]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
