"""What gives the site its look: styles without what no page uses, descriptions, fonts, tables, room for formulas."""

from __future__ import annotations

import re
from types import SimpleNamespace

import page_tables
import pytest
import site_head
import site_search
import site_styles
from docutils import nodes
from docutils.utils import new_document
from math_room import INLINE, room
from parts import ROOT

STATIC = ROOT / "book" / "_static"


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\varepsilon_1 + 2\Delta", "ε₁ + 2Δ"),
        (r"\operatorname{Lap}\left(\frac{2c\Delta}{\varepsilon_2}\right)", "Lap((2cΔ)/(ε₂))"),
        (r"\tfrac12 \Pr[A(D) = \bot^\ell] \le e^{\varepsilon}", "1/2 Pr[A(D) = ⊥^ℓ] ≤ e^ε"),
        (r"\sum_{i=1}^n q_i", "∑ᵢ=1^n qᵢ"),
        (r"\Gamma(\eta) \le \theta", "Γ(η) ≤ θ"),
    ],
)
def test_a_formula_is_searched_as_it_looks(tex, text):
    assert site_search.math_text(tex) == text


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".a{x:1}.b{y:2}", ".a{x:1}"),
        (".a,.b{x:1}", ".a{x:1}"),
        ("div.a .b{x:1}h1{y:2}", "h1{y:2}"),
        ("@media print{.a{x:1}.b{y:2}}@media screen{.b{x:1}}", "@media print{.a{x:1}}"),
        (":is(.a,.b){x:1}", ":is(.a,.b){x:1}"),
        ('@charset "UTF-8";@font-face{src:url(f.woff2)}', '@charset "UTF-8";@font-face{src:url(f.woff2)}'),
        ("@keyframes k{0%{x:1}to{x:2}}", "@keyframes k{0%{x:1}to{x:2}}"),
        ("/* .a{ */.a:hover{x:1}", ".a:hover{x:1}"),
    ],
)
def test_a_rule_stays_if_a_page_can_use_it(css, left):
    """With the class a and no other, rules of b go; rules about elements, fonts and animations stay."""
    assert site_styles.pruned(css, {"a"}) == left


def page(*paragraphs: nodes.paragraph) -> nodes.document:
    document = new_document("page")
    document += list(paragraphs)
    return document


def test_a_page_is_described_by_its_first_sentence():
    """Formulas are spoken, the line with the minutes is passed over, and what is long is cut after a word."""
    time = nodes.paragraph("", "", nodes.emphasis("", "20 minutes. Before this: another chapter, and some more."))
    claim = nodes.paragraph("", "It is ", nodes.math("", r"\varepsilon"))
    claim += nodes.Text("-differentially private for every number of queries.")
    assert site_head.described(page(time, claim)) == "It is ε-differentially private for every number of queries."
    long = site_head.described(page(nodes.paragraph("", "word " * 100)))
    assert long.endswith("word…") and len(long) <= 200
    assert site_head.described(page()) == ""


@pytest.mark.parametrize("base", ["", "https://example.org/course/"])
def test_the_address_of_the_site_decides_what_search_engines_get(base, tmp_path):
    """Without an address there is no map; with one, each page is in it; the page for wrong addresses leads home."""
    app = SimpleNamespace(
        builder=SimpleNamespace(name="html"),
        outdir=tmp_path,
        srcdir=ROOT,
        config=SimpleNamespace(html_baseurl=base),
        env=SimpleNamespace(found_docs={"book/intro", "chapters/01_threshold_questions"}),
    )
    site_head.whole_site(app, None)
    missing = (tmp_path / "404.html").read_text(encoding="utf-8")
    assert f'href="{base or "/"}"' in missing and "HOME" not in missing
    assert {path.name for path in tmp_path.iterdir()} == {"404.html"} | (
        {"sitemap.xml", "robots.txt"} if base else set()
    )
    if base:
        assert f"<loc>{base}book/intro.html</loc>" in (tmp_path / "sitemap.xml").read_text(encoding="utf-8")


def test_a_table_has_heads_a_caption_and_its_reasons_small():
    """All but the first line of a cell is small, an empty line is none, and a row may have a name."""
    named = nodes.row("", page_tables.cell("b"), page_tables.cell("c"), ids=["here"])
    shown = page_tables.table(
        ("one", "two"), (30, 70), [(page_tables.cell("a", "", "why"), page_tables.cell("d")), named], caption="T"
    )
    assert [entry.astext() for entry in shown.next_node(nodes.thead).findall(nodes.entry)] == ["one", "two"]
    assert [column["colwidth"] for column in shown.findall(nodes.colspec)] == [30, 70]
    small = [line.astext() for line in shown.findall(nodes.paragraph) if "svt-why" in line["classes"]]
    assert small == ["why"] and shown.next_node(nodes.title).astext() == "T"
    assert [row["ids"] for row in shown.next_node(nodes.tbody).findall(nodes.row)] == [[], ["here"]]


def test_every_font_of_the_style_sheet_is_there():
    """Each url of custom.css is a file, and each vendored font is used."""
    css = (STATIC / "custom.css").read_text(encoding="utf-8")
    used = {STATIC / name for name in re.findall(r'url\("([^"]+)"\)', css)}
    assert used and {file.name for file in used if not file.is_file()} == set()
    assert used == set((STATIC / "vendor" / "fonts").glob("*.woff2"))


@pytest.mark.parametrize(
    ("page", "written", "valid"),
    [
        (
            "a",
            '<div class="proof admonition" id="proof"><section id="proof-content">',
            '<div class="proof admonition svt-proof"><section>',
        ),
        ("a", '<p class="collapsed admonition-title">Show</p>', '<span class="collapsed admonition-title">Show</span>'),
        ("a", "<style scoped>\n.a {}\n</style><th rowspan='2' valign=\"top\">", "<th rowspan='2'>"),
        ("a", '<p class="admonition-title" id="proof-1">', '<p class="admonition-title" id="proof-1">'),
        (
            "_modules/a",
            '<pre><div class="viewcode-block" id="f">1</div>\n</pre></div>',
            '<pre><span class="viewcode-block" id="f">1</span>\n</pre></div>',
        ),
    ],
)
def test_what_html_does_not_allow_is_mended(page, written, valid):
    """And nothing else is touched; every built page is read by a validator with the browser tests."""
    context = {"body": written}
    site_head.valid(None, page, "", context, None)
    assert context["body"] == valid


# The room for a formula: widths in ems as MathJax set them at the size of the text

SET = {
    r"\varepsilon": 0.50,
    "c": 0.46,
    r"\Delta": 0.89,
    r"\top": 0.83,
    "D'": 1.28,
    r"2\Delta": 1.43,
    r"\varepsilon = 1": 2.47,
    "1 : 2c": 2.43,
    "c = 100": 3.50,
    r"\ln k": 1.63,
    r"(\varepsilon, \delta)": 2.29,
    "q_i": 0.83,
    r"\varepsilon_1 + \varepsilon_2 = \varepsilon": 5.17,
    r"\operatorname{KL}": 1.50,
    r"D \simeq D'": 3.60,
}


@pytest.mark.parametrize("source", SET)
def test_it_is_within_a_letter_of_what_is_set(source):
    assert room(source) == pytest.approx(SET[source], abs=0.3, rel=0.08)


def test_every_inline_formula_of_a_page_is_found():
    page = r'<p><span class="math notranslate nohighlight">\(a &lt; b\)</span> <span class="math">\(x\)</span></p>'
    assert [m[3] for m in INLINE.finditer(page)] == ["a &lt; b"]
    assert room("a &lt; b") == room("a < b") == pytest.approx(2.5, abs=0.3)
