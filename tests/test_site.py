"""The built site asks no other host for anything, and none of its own links is broken.

Tests marked `site` read `_build/html`; the others hold each check to a broken page that it must reject.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from lxml import html
from parts import HTML


class Page:
    """What a page loads, links to, and can be linked at."""

    def __init__(self, text: str) -> None:
        tree = html.document_fromstring(text)
        found = [(element.tag, url) for element, _, url, _ in tree.iterlinks() if not url.startswith(("data:", "#"))]
        found += [("image", url) for url in tree.xpath("//@*[name()='xlink:href']") if not url.startswith("#")]
        self.links = [url for tag, url in found if tag == "a"] + tree.xpath("//a/@href[starts-with(., '#')]")
        self.loads = [url for tag, url in found if tag != "a"]
        self.loads += [part.split()[0] for sources in tree.xpath("//@srcset") for part in sources.split(",")]
        for script in tree.xpath("//script/text()"):
            self.loads += re.findall(r"(?:https?:)?//[\w-]+(?:\.[\w-]+)+[^\s\"'`]*", script)
        self.ids = {*tree.xpath("//@id"), *tree.xpath("//a/@name")}
        self.title = tree.findtext("head/title") or ""
        self.language = tree.get("lang", "")


def style_loads(css: str) -> list[str]:
    """Whatever a style sheet fetches."""
    found = re.findall(r"url\(\s*['\"]?([^'\")]+)", css) + re.findall(r"@import\s+['\"]([^'\"]+)", css)
    return [url for url in found if not url.startswith(("data:", "#"))]


def is_elsewhere(url: str) -> bool:
    """Whether a URL names a host; the site itself only uses relative ones."""
    return bool(urlsplit(url).netloc)


def foreign(page: Page) -> list[str]:
    """What `page` would fetch from another host."""
    return [url for url in page.loads if is_elsewhere(url)]


def broken(name: str, page: Page, ids_of: Callable[[str], set[str] | None]) -> list[str]:
    """Links and loads of `page` (at path `name`) that lead to no file, or to no place in it.

    `ids_of(path)` gives the ids of a page, an empty set for another file, None where there is no file.
    """
    faults = []
    for url in page.loads + page.links:
        parts = urlsplit(url)
        if is_elsewhere(url) or parts.scheme in ("mailto", "data", "javascript"):
            continue
        target, fragment = urldefrag(urljoin(f"/{name}", url))
        path = unquote(urlsplit(target).path).lstrip("/")
        if path.endswith("/") or not path:
            path += "index.html"
        ids = ids_of(path)
        if ids is None:
            faults.append(f"{url}: no such file")
        # A choice in an explorer is an address too; tests/test_explorers.py looks at what it says.
        elif fragment and path.endswith(".html") and ("explorer" if "=" in fragment else unquote(fragment)) not in ids:
            faults.append(f"{url}: no such place")
    return faults


@cache
def built(name: str) -> Page:
    return Page((HTML / name).read_text(encoding="utf-8"))


def built_ids(path: str) -> set[str] | None:
    if not (HTML / path).is_file():
        return None
    return built(path).ids if path.endswith(".html") else set()


def pages() -> Iterator[str]:
    for path in sorted(HTML.rglob("*.html")):
        # The theme ships fragments of pages among its static files.
        if "_static" not in path.parts:
            yield path.relative_to(HTML).as_posix()


# --- the site ---------------------------------------------------------------------------------------------------------


@pytest.mark.site
def test_the_search_leads_to_sections_that_exist():
    """Every chapter has several, every address can be opened, and what is searched has no TeX and no folded code."""
    index = (HTML / "searchindex.js").read_text(encoding="utf-8")
    rows = json.loads(index.removeprefix("window.svtSections = ").removesuffix(";\n"))
    names = set(pages())
    for url, *said in rows:
        page, _, anchor = url.partition("#")
        assert page in names and (not anchor or anchor in built(page).ids), url
        assert not re.search(r"\\[A-Za-z]|lesson\.\w+\(|matplotlib", " ".join(said)), url
    chapters = [url.partition("#")[0] for url, *_ in rows if url.startswith("chapters/")]
    assert min(map(chapters.count, chapters)) >= 5


@pytest.mark.site
def test_no_page_loads_anything_from_another_host():
    """Readers are not reported to third parties, and the site works offline."""
    assert {name: foreign(built(name)) for name in pages() if foreign(built(name))} == {}


@pytest.mark.site
def test_no_style_sheet_loads_anything_from_another_host():
    """Fonts and images of the style sheets are our own."""
    sheets = list(HTML.rglob("*.css"))
    assert sheets
    found = {sheet.name: style_loads(sheet.read_text(encoding="utf-8")) for sheet in sheets}
    assert [(name, url) for name, urls in found.items() for url in urls if is_elsewhere(url)] == []


@pytest.mark.site
def test_no_internal_link_is_broken():
    """Every relative link leads to a file, every fragment to a place in it."""
    faults = {name: broken(name, built(name), built_ids) for name in pages()}
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.site
def test_every_page_has_a_title_and_a_language():
    """A screen reader needs both."""
    assert [name for name in pages() if not built(name).title.strip() or not built(name).language] == []


# --- each check rejects what it is for --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example.org/x.js"></script>',
        '<script src="//cdn.example.org/x.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example.org/css">',
        '<img src="http://example.org/pixel.gif">',
        '<img srcset="a.png 1x, https://example.org/b.png 2x">',
        '<iframe src="https://example.org"></iframe>',
        '<p style="background: url(https://example.org/a.png)">',
        '<style>@import "https://example.org/a.css";</style>',
        '<style>@font-face { src: url("https://example.org/a.woff2") }</style>',
        '<script>fetch("https://example.org/data.json")</script>',
        '<svg><use href="https://example.org/icons.svg#a"></use></svg>',
        '<svg><image xlink:href="https://example.org/a.png"></image></svg>',
    ],
)
def test_a_page_that_asks_another_host_is_rejected(text):
    """Scripts, styles, images, fonts, frames and fetches all count."""
    assert foreign(Page(text))


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://doi.org/10.1561/0400000042">Dwork and Roth</a>',
        '<script src="_static/x.js"></script>',
        "<style>p { background: url(data:image/png;base64,AAAA) }</style>",
        "<script>const half = 1 / 2; // a comment</script>",
        '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    ],
)
def test_a_page_that_asks_no_other_host_is_accepted(text):
    """A link that the reader may follow is not a request."""
    assert foreign(Page(text)) == []


@pytest.mark.parametrize(
    "url", ["gone.html", "../gone.html#x", "there.html#gone", "#gone", "gone.png", "/gone/", "#n=1"]
)
def test_a_broken_link_is_rejected(url):
    """A missing file and a missing fragment are both faults."""
    files = {"book/here.html": {"top"}, "book/there.html": {"place"}}
    assert broken("book/here.html", Page(f'<a href="{url}">x</a>'), files.get)


@pytest.mark.parametrize(
    "url",
    [
        "there.html",
        "there.html#place",
        "there.html#n=1&c=2",
        "#top",
        "../index.html",
        "/",
        "https://example.org/gone",
        "",
    ],
)
def test_a_good_link_is_accepted(url):
    """Relative links are resolved against the page that has them."""
    files = {"index.html": set(), "book/here.html": {"top"}, "book/there.html": {"place", "explorer"}}
    assert broken("book/here.html", Page(f'<a href="{url}">x</a>'), files.get) == []
