"""What helps while one reads: back-links, the map, claims that can be cited, questions, notebooks, launch buttons."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import build_site
import pytest
import readers_edition
import svt_claims
import svt_launch
import svt_uses
from parts import HTML, ROOT
from sphinx.application import Sphinx
from sphinx.errors import ConfigError

from svtcourse.claim_cards import ledger

# Questions: radio buttons with a reason each

GOOD = """# Title

:::{question} Is it < 1?
What did $n$ negatives cost?

- [ ] A *little* each.

  Then there would be a sum.
- [x] Nothing.

  The threshold pays.
:::

:::{question}
Again?

- [x] Yes.

  So it is.
- [ ] No.

  It is not.
:::
"""


def build(text: str, folder: Path) -> tuple[str, str]:
    """Build one page and return its HTML and what Sphinx warned of."""
    (folder / "index.md").write_text(text, encoding="utf-8")
    warnings = folder / "warnings.txt"
    with warnings.open("w", encoding="utf-8") as stream:
        app = Sphinx(
            *(str(folder), None, str(folder / "html"), str(folder / "trees"), "html"),
            confoverrides={
                "extensions": ["myst_parser", "svt_questions"],
                "myst_enable_extensions": ["colon_fence", "tasklist", "dollarmath"],
            },
            status=None,
            warning=stream,
        )
        app.build()
    return (folder / "html" / "index.html").read_text(encoding="utf-8"), warnings.read_text(encoding="utf-8")


def test_a_question_becomes_radio_buttons(tmp_path):
    """Each option has its own button, a label and a reason; the buttons of one question form one group."""
    html, warnings = build(GOOD, tmp_path)
    assert warnings == ""
    assert html.count('type="radio"') == html.count("<label for=") == html.count('class="svt-reason ') == 4
    assert html.count('name="question-0"') == html.count('name="question-1"') == 2
    assert html.count("svt-reason-right") == 2 and html.count("checkbox") == 0
    assert (
        "<legend>Is it &lt; 1?</legend>" in html
        and "<legend>Before you scroll</legend>" in html
        and "<em>little</em>" in html
    )
    assert html.index("svt-reason-wrong") < html.index("Then there would be a sum") < html.index("svt-reason-right")


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("- [ ] A", "- [x] A", "exactly one option"),
        ("- [x] Nothing", "- [ ] Nothing", "exactly one option"),
        ("\n  The threshold pays.\n", "", "option 2 needs"),
        ("- [ ] A", "- A", "option 1 needs"),
        ("- [ ] A *little* each.", "- [ ] $n$", "option 1 needs words"),
        ("- [ ] A *little* each.\n\n  Then there would be a sum.\n- [x] Nothing.\n\n", "", "ends with a list"),
    ],
)
def test_what_is_not_a_question_is_refused(tmp_path, before, after, error):
    """Two right answers, none, an option without a reason or without a box, and no options at all."""
    assert before in GOOD
    assert error in build(GOOD.replace(before, after, 1), tmp_path)[1]


# Back-links, the map, claims, buttons

BEFORE = {(1, 2), (2, 3), (1, 3), (2, 4)}
BOXES = {n: (f"Chapter & {n}", f"{n}.html", n - 1) for n in range(1, 5)}


def test_the_map_is_links_with_words():
    """Every box is a link with title and claims; a line for each edge; the list says that and what else is used."""
    drawn = svt_uses.drawing(BOXES, BEFORE, Counter({(3, 4): 2, (1, 2): 1}))
    svg, _, words = drawn.partition("</svg>")
    assert re.findall(r'<a href="(\d)\.html"><rect', svg) == ["1", "2", "3", "4"]
    assert svg.count("<path ") == 3
    assert "Chapter &amp; 2" in svg and "1 claim<" in svg and "3 claims<" in svg
    assert "2. Chapter &amp; 2</a>: read 1 before." in words
    assert "1. Chapter &amp; 1</a>: begins here." in words
    assert "4. Chapter &amp; 4</a>: read 2 before; uses statements of 3." in words


def test_a_chapter_stands_below_what_is_read_before_it():
    """Every arc leads down, from the lower part of one box to the upper part of another, and no two boxes overlap."""
    drawn = svt_uses.drawing(BOXES, BEFORE, Counter())
    tops = [float(y) for y in re.findall(r'<rect x="\d+" y="([\d.]+)"', drawn)]
    height = float(re.search(r'height="(\d+)"', drawn)[1])
    assert all(below - above > height for above, below in itertools.pairwise(tops))
    arcs = [(float(y), float(to)) for y, to in re.findall(r'd="M\d+ ([\d.]+)C.*? \d+ ([\d.]+)"', drawn)]
    ends = [(tops[a - 1] + height, tops[b - 1]) for a, b in ((1, 2), (2, 3), (2, 4))]
    for (y, to), (low, top) in zip(arcs, ends, strict=True):
        assert low - height / 2 < y < low and top < to < top + height / 2


def test_users_are_in_the_order_of_the_contents_each_once():
    """A page that refers twice is listed at its first place; another kind of reference is not listed."""
    env = SimpleNamespace(
        config=SimpleNamespace(external_site_map=["intro", "b", "a"]),
        metadata={
            "a": {"svt_uses": [("prf", "law", "x"), ("prf", "law", "y")]},
            "b": {"svt_uses": [("prf", "law", "z"), ("cite", "law", "")]},
            "intro": {},
        },
    )
    assert svt_uses.users(env, "prf") == {"law": [("b", "z"), ("a", "x")]}
    assert svt_uses.users(env, "cite") == {"law": [("b", "")]}


def test_a_citation_has_a_place_for_the_claim_and_its_address():
    """In words and for BibTeX, with braces that close; tests/browser/reading.mjs reads what the page makes of it."""
    words, _, entry = svt_claims.citation(version="1.2.3", year="2030").partition("\n\n")
    for text, what in ((words, "@@what@@"), (entry, "@@what-tex@@")):
        assert "1.2.3" in text and "2030" in text
        assert text.count(what) == text.count("@@address@@") == 1
    assert entry.startswith("@misc{svt-course-@@key@@,") and entry.count("{") == entry.count("}")


def test_a_card_leads_to_its_row():
    """The verdict of a card in a chapter is a link; the page of claims has none."""
    mark = '<strong class="svt-mark svt-mark-x">✓ confirmed</strong>'
    card = f'<div class="svt-claim" data-claim="a-1.5" style="x"><p>{mark}'
    context = {"body": card}
    svt_claims.cards_lead_to_the_ledger(None, "chapters/01_a", "", context, None)
    assert '<a class="svt-claim-link" href="../book/claims.html#a-1.5">✓ confirmed</a></strong>' in context["body"]


def test_launch_buttons_need_an_address():
    """None without; Colab and Binder with one; another form is refused by name."""
    assert svt_launch.theme_options("") == {}
    options = svt_launch.theme_options("https://github.com/a/b")
    assert options["repository_url"] == "https://github.com/a/b"
    assert {"binderhub_url", "colab_url"} <= set(options["launch_buttons"])
    for wrong in ("github.com/a/b", "https://example.org/a/b", "https://github.com/a/b/tree/main"):
        with pytest.raises(ConfigError, match="REPOSITORY_URL must look like"):
            svt_launch.theme_options(wrong)


def test_another_address_builds_every_page_again(monkeypatch, tmp_path):
    """The buttons are on every chapter."""
    monkeypatch.delenv("REPOSITORY_URL", raising=False)
    without = build_site.fingerprints(tmp_path)
    monkeypatch.setenv("REPOSITORY_URL", "https://github.com/a/b")
    assert all(before != after for before, after in zip(without, build_site.fingerprints(tmp_path), strict=True))


# --- the site ---------------------------------------------------------------------------------------------------------


def page(name: str) -> str:
    return (HTML / name).read_text(encoding="utf-8")


@pytest.mark.site
def test_every_chapter_gives_its_notebook_its_neighbours_and_its_minutes():
    """The reader's edition; a link back and on; the time it takes."""
    address = build_site.os.environ.get("REPOSITORY_URL", "")
    editions = dict(readers_edition.made(ROOT, ROOT / "chapters", address))
    for notebook in sorted((ROOT / "chapters").glob("[0-2]*.ipynb")):
        text = page(f"chapters/{notebook.stem}.html")
        assert f'href="../_sources/chapters/{notebook.name}"' in text
        assert (HTML / "_sources" / "chapters" / notebook.name).read_bytes() == readers_edition.written(
            editions[notebook.name]
        )
        assert 'class="left-prev"' in text and 'class="right-next"' in text
        assert re.search(r"<em>\d+ minutes\.", text)


@pytest.mark.site
def test_launch_buttons_are_there_exactly_if_the_address_is_known():
    """By the environment of the build."""
    address = build_site.os.environ.get("REPOSITORY_URL", "")
    hosts = {urlsplit(url).netloc for url in re.findall(r'href="([^"]+)"', page("chapters/03_above_threshold.html"))}
    assert ({"mybinder.org", "colab.research.google.com"} <= hosts) == bool(address)


@pytest.mark.site
def test_statements_and_works_say_where_they_are_used():
    """Lemma 3.1 is used by other chapters; every work of the bibliography is cited somewhere else."""
    lemma = re.search(r'id="lem-negatives">.*?svt-used">(.*?)</p>', page("chapters/03_above_threshold.html"), re.S)
    assert lemma and "04_standard_svt.html#" in lemma[1]
    bibliography = page("book/bibliography.html")
    assert bibliography.count("cited in") > 0.7 * bibliography.count('class="citation"') > 10


@pytest.mark.site
def test_every_claim_has_an_address_and_a_citation():
    """Its row has its own name, and cards of chapters lead there."""
    claims = page("book/claims.html")
    for name in ledger():
        assert f'id="{name}"' in claims and f'data-at="#{name}"' in claims
    cards = "".join(page(f"chapters/{path.name}") for path in sorted((HTML / "chapters").glob("*.html")))
    linked = set(re.findall(r"book/claims\.html#([^\"]+)\"", cards))
    assert set(re.findall(r'data-claim="([^"]+)"', cards)) <= linked <= set(ledger())
