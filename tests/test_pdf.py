"""The printed book and the zip: pages joined so that links hold, nothing lost or shown twice, faults found.

`make pdf` holds the finished book to `make_pdf.wrong`; here each of its checks has a book that it must reject.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import book_page
import chromium
import make_offline
import make_pdf
import pikepdf
import pytest

HEAD = """<html><head><link href="../_static/a.css?v=1" rel="stylesheet" />
<script>window.MathJax = {"tex": {}}</script><script defer src="../_static/vendor/mathjax/tex.js?v=1"></script>
</head>"""
FIRST = """<body><nav><a href="two.html">menu</a></nav><article class="bd-article"><section id="one">
<h1>1. One<a class="headerlink" href="#one">#</a></h1>
<p>See <a href="two.html#law">the law</a>, <a href="#here">here</a>, <a href="../genindex.html">the index</a>,
<a href="https://example.org/x">elsewhere</a> and <span class="math">\\(\\eps\\)</span>.</p>
<h2 id="here">1.1. Here</h2><svg><clipPath id="p"></clipPath><g clip-path="url(#p)"></g>
<use xlink:href="#p"></use></svg>
<div class="cell tag_hide-input"><details class="admonition hide above-input"><summary>Show</summary><pre>plot()</pre>
</details><div class="cell_output"><img src="../_images/a.png" alt="A"></div></div>
<fieldset class="svt-question" id="question-0"><legend>Before</legend><p>Which?</p>
<div class="svt-option"><input type="radio"><label>This</label>
<div class="svt-reason"><strong>Yes.</strong> Why.</div></div>
</fieldset>
<div class="exercise admonition" id="ex"><p class="admonition-title">Exercise 1.1</p></div>
<div class="solution dropdown admonition" id="s">
<p class="admonition-title">Solution to <a href="#ex">Exercise 1.1</a></p>
<p>Because.</p></div><div class="cell tag_hide-cell"><details class="above-input"><summary>Show</summary>
<pre>solve()</pre></details></div><p>After.</p></section></article></body></html>"""
SECOND = """<body><article class="bd-article"><section id="two"><h1>Two</h1><section id="contents"><h2>Contents</h2>
<div class="toctree-wrapper"><p role="heading">First</p></div></section><div id="law"><p>Law</p></div>
</section></article></body></html>"""
TOC = """root: book/intro
parts:
  - caption: First
    chapters:
      - file: chapters/one
        sections: [{file: chapters/two}]
  - caption: Last
    chapters: [{file: book/api/index}, {file: book/explore/a}]
"""


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three small pages as a book."""
    html = tmp_path_factory.mktemp("html")
    for name, text in (("book/intro", SECOND), ("chapters/one", FIRST), ("chapters/two", SECOND)):
        (html / name).parent.mkdir(exist_ok=True)
        (html / f"{name}.html").write_text(HEAD + text)
    text, titles = book_page.book(html, TOC, version="9.9", before="")
    assert titles == ["Two", "1. One", "Two"]
    return text


def test_the_parts_are_those_of_the_contents():
    """Pages below a chapter follow it; what stays on the site is left out, and a part that has nothing else with it."""
    assert book_page.contents(TOC) == {"": ["book/intro"], "First": ["chapters/one", "chapters/two"]}


def test_every_link_of_the_book_leads_into_it(joined):
    """Links between pages and inside pictures meet an identifier, each identifier is there once; others stay words."""
    ids = re.findall(r' id="([^"]+)"', joined)
    assert len(ids) == len(set(ids))
    inside = re.findall(r'href="#([^"]+)"', joined) + re.findall(r"url\(#([^)]+)\)", joined)
    assert "chapters-two--law" in inside and "chapters-one--p" in inside
    assert set(inside) <= set(ids)
    assert "<a>the index</a>" in joined and 'href="https://example.org/x"' in joined
    assert "chapters/two.html" not in joined and 'src="_images/a.png"' in joined
    assert set(re.findall("@@(.*?)@@", joined)) <= set(ids)
    assert make_pdf.numbered("@@one@@ @@two@@", {"one": 7}) == "7 000"


def test_solutions_and_reasons_stand_at_the_end_once(joined):
    """With the code that belongs to a solution, and a link from the exercise; what follows stays where it is."""
    text, _, end = joined.partition('<section class="svt-solutions">')
    for words in ("Because.", "solve()", "Why."):
        assert words not in text and end.count(words) == 1
    assert "After." in text and text.count("at the end</a>") == 2


def test_folded_code_is_left_out_and_nothing_is_folded(joined):
    """No code of a plot, no button, no radio button; its picture is there."""
    assert not re.search(r"plot\(\)|<details|<summary|<input|headerlink", joined)
    assert 'alt="A"' in joined


def test_headings_are_levels_of_the_book(joined):
    """Parts first, chapters below them, and a formula has its source for who listens."""
    levels = [(level, re.sub(r"<.*?>", "", words)) for level, words in re.findall(r"<h(\d)[^>]*>(.*?)</h\1>", joined)]
    assert levels == [
        ("1", "Contents"),
        ("1", "Two"),
        ("1", "First"),
        ("2", "1. One"),
        ("3", "1.1. Here"),
        ("2", "Two"),
        ("1", "Solutions and answers"),
        ("2", "1. One"),
    ]
    assert 'aria-label="\\eps"' in joined
    assert 'href="_static/a.css?v=1"' in joined and 'src="_static/vendor/mathjax/tex.js?v=1"' in joined


def test_a_page_that_is_not_built_is_named(tmp_path):
    (tmp_path / "a.html").write_text("<p>nothing</p>")
    with pytest.raises(ValueError, match=r"a\.html has no article"):
        book_page.read_page(tmp_path, "a", set())


def finished(**changes: bool) -> pikepdf.Pdf:
    """A book of one page that is in order, but for what `changes` turn off."""
    on = {"tags": True, "font": True, "place": True, "file": False} | changes
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    description = pikepdf.Dictionary(FontFile2=pdf.make_stream(b"x")) if on["font"] else pikepdf.Dictionary()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.TrueType, BaseFont=pikepdf.Name.A, FontDescriptor=description
    )
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=pdf.make_indirect(font)))
    page.Annots = pikepdf.Array([pikepdf.Dictionary(Subtype=pikepdf.Name.Link, Dest=pikepdf.Name.one)])
    if on["file"]:
        page.Annots.append(pikepdf.Dictionary(A=pikepdf.Dictionary(URI="file:///x.html")))
    pdf.Root.Dests = pikepdf.Dictionary({"/one": [page.obj, pikepdf.Name.XYZ]} if on["place"] else {})
    if on["tags"]:
        pdf.Root.MarkInfo, pdf.Root.Lang = pikepdf.Dictionary(Marked=True), "en"
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem("oneone", 0))
    return pdf


def test_a_book_in_order_is_accepted_with_its_bookmarks_named():
    """Doubled words of a bookmark give way to the heading's own; no date is left in the file."""
    pdf = finished()
    pdf.docinfo["/CreationDate"] = "D:2020"
    make_pdf.finish(pdf, ["One"], version="9.9")
    assert make_pdf.wrong(pdf, ["One"]) == []
    assert make_pdf.bookmarks(pdf) == ["One"]
    assert make_pdf.first_pages(pdf) == {"one": 1}
    assert "/CreationDate" not in pdf.docinfo
    with pytest.raises(ValueError, match="for each of its 2 headings, it has 1"):
        make_pdf.finish(pdf, ["One", "Two"], version="9.9")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tags": False}, "not tagged"),
        ({"font": False}, "font not embedded: /A"),
        ({"place": False}, "page 1: a link leads nowhere: /one"),
        ({"file": True}, "page 1: a link leads to a file"),
    ],
)
def test_a_faulty_book_is_rejected(change, said):
    """Each check of the finished book can fail."""
    (fault,) = make_pdf.wrong(finished(**change), [])
    assert fault.startswith(said)
    assert make_pdf.wrong(finished(), ["Three"]) == ["no bookmark: Three"]


def test_the_zip_is_the_same_bytes_whenever_it_is_made(tmp_path):
    """Dates of files and the order of the disk do not matter, and everything is in it."""
    site = tmp_path / "site"
    for name in ("b.html", "_static/a.css"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(name)
    assert make_offline.pack(site, tmp_path / "1.zip") == 2
    (site / "b.html").touch()
    (site / "b.html").chmod(0o755)
    make_offline.pack(site, tmp_path / "2.zip")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert zipfile.ZipFile(tmp_path / "1.zip").namelist() == ["svt-site/_static/a.css", "svt-site/b.html"]


# --- with a browser ---------------------------------------------------------------------------------------------------


@pytest.fixture
def chromium_is_there() -> None:
    try:
        chromium.executable()
    except chromium.NoBrowser:
        pytest.skip("no Chromium")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("nproc", "1\n"),  # it stays on one processor
        ("kill -s ABRT $$", "Chromium failed"),
        ("exec sleep 60", "did not end within 1 seconds"),
    ],
)
def test_a_browser_that_dies_or_stands_still_ends_the_command(tmp_path, monkeypatch, does, said):
    """And it is told which of the two."""
    instead = tmp_path / "chromium"
    instead.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    instead.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(instead))
    monkeypatch.setattr(chromium, "LONGEST", 1 if "sleep" in does else 60)
    try:
        got, _ = chromium.opened(tmp_path / "a.html")
    except chromium.NoBrowser as error:
        got = str(error)
    assert said in got


@pytest.mark.full
@pytest.mark.usefixtures("chromium_is_there")
def test_a_zip_that_misses_a_file_is_noticed(tmp_path):
    """A page whose style sheet is not in the zip, and one with a script that fails; one in order passes."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "good.html").write_text("<title>A</title><h1>A</h1>")
    (site / "bare.html").write_text('<link rel="stylesheet" href="gone.css"><h1>A</h1>')
    (site / "fails.html").write_text("<h1>A</h1><script>nothing.at.all()</script>")
    (site / "empty.html").write_text("<p>A</p>")
    make_offline.pack(site, tmp_path / "site.zip")
    found = make_offline.faults(tmp_path / "site.zip", ("good.html", "bare.html", "fails.html", "empty.html"))
    assert [fault.partition(":")[0] for fault in found] == ["bare.html", "fails.html", "empty.html"]


def sheet(folder: Path, text: str) -> tuple[Path, Path]:
    """A page that tells us what it has, and where it is printed to."""
    script = Path(make_pdf.__file__).with_name("book.js").read_text(encoding="utf-8")
    (folder / "a.html").write_text(f"{chromium.WATCH}<script>{script}</script>{text}", encoding="utf-8")
    return folder / "a.html", folder / "a.pdf"


@pytest.mark.full
@pytest.mark.usefixtures("chromium_is_there")
def test_chromium_prints_what_the_book_needs(tmp_path, joined):
    """Tags, a language, a bookmark for each heading, the place of each link, fonts: the finished book is in order."""
    page, printed = sheet(tmp_path, re.sub(r"<script.*?</script>|<link[^>]*>|<img[^>]*>", "", joined))
    seen, faults = make_pdf.told(chromium.printed(page, printed, 600))
    assert faults == [r"markup shown as text: \(", r"not typeset: \(\eps\)"]
    with pikepdf.open(printed) as pdf:
        assert make_pdf.first_pages(pdf)["chapters-two--law"] > 1
        make_pdf.finish(pdf, seen["headings"], version="9.9")
        assert make_pdf.wrong(pdf, ["1. One", "Two"]) == []
        assert len(make_pdf.bookmarks(pdf)) == 8


@pytest.mark.full
@pytest.mark.usefixtures("chromium_is_there")
def test_markup_that_is_shown_as_text_is_found(tmp_path):
    """A directive, a formula and a role that nobody read; in code they are code; and a picture that is not there."""
    text = "<p>:::{prf:theorem} and $$x$$ and {cite}`a`</p><pre>::: undefined</pre><p>fine</p>"
    _, faults = make_pdf.told(chromium.printed(*sheet(tmp_path, text), 600))
    assert faults == [f"markup shown as text: {piece}" for piece in ("$$", ":::", "{cite}", "{prf:")]
    _, faults = make_pdf.told(chromium.printed(*sheet(tmp_path, '<img src="gone.png">'), 600))
    assert [fault.partition(": file:")[0] for fault in faults] == ["not loaded"]


def test_a_page_that_says_nothing_is_a_fault():
    """A book that was printed before its script came to the end is not taken for one without faults."""
    assert make_pdf.told([("FAULT", "a")]) == ({}, ["a", "the page was printed before it was ready"])
