"""The pages of the built site as one page to print: what `make pdf` hands to the browser.

The chapters stand in the order of the contents, under a heading for each part.  Identifiers get the name of their page,
so that a link inside the course leads inside the book; a link to a page that is not in the book is only its words.
Proofs are open.  Solutions and the reasons of the questions move to the end, each beside a link to where it belongs.
Code that the site folds away (of plots and of evidence) is left to the notebooks.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

REFERENCES = ("for", "aria-labelledby", "aria-describedby")
NOT_PRINTED = "a.headerlink, script, input, .svt-unseen, summary, .svt-not-printed, button"
# Explorers need a screen, and the module's pages are as long as the course: both stay on the site.
# Only keywords, strings, numbers and comments keep their colour: a tag for every comma doubles the size of the book.
PLAIN_TOKEN = re.compile(r'<span class="(?:n|nn|nf|nb|nc|nd|ow|p|o|w|kc|si|fm|vm|gp)">([^<]*)</span>')
LEFT_OUT = ("book/explore", "book/api")


def contents(toc: str) -> dict[str, list[str]]:
    """Read `_toc.yml`: the landing page, then the parts by their titles, pages below a chapter after it."""
    read = yaml.safe_load(toc)
    parts = {"": [read["root"]]}
    for part in read["parts"]:
        files = [page["file"] for chapter in part["chapters"] for page in (chapter, *chapter.get("sections", []))]
        parts[part["caption"]] = [file for file in files if not file.startswith(LEFT_OUT)]
    return {title: pages for title, pages in parts.items() if pages}


def slug(page: str) -> str:
    """Name a page inside the book."""
    return re.sub(r"[^\w-]+", "-", page)


def place(page: str, fragment: str) -> str:
    """Name a place on a page inside the book."""
    return f"{slug(page)}--{slug(fragment)}" if fragment else slug(page)


def target(page: str, url: str, known: set[str]) -> str | None:
    """Return where `url` on `page` leads: a place in the book, another host's address, or None for neither."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return url
    path, fragment = urldefrag(url)
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path))) if path else page
    name = name.removesuffix(".html")
    return f"#{place(name, unquote(fragment))}" if name in known else None


def rename(article: Tag, page: str, known: set[str]) -> None:
    """Give every identifier of `article`, and whatever refers to one, the name of the page."""
    for tag in article.find_all(True):
        for name, value in list(tag.attrs.items()):
            if name == "id":
                tag[name] = place(page, value)
            elif name in REFERENCES:
                tag[name] = " ".join(place(page, part) for part in value.split())
            elif isinstance(value, str) and "url(#" in value:
                tag[name] = re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{place(page, m[1])})", value)
            elif name in ("href", "xlink:href"):
                if tag.name != "a":
                    tag[name] = f"#{place(page, value[1:])}" if value.startswith("#") else value
                    continue
                leads = target(page, value, known)
                if leads is None:
                    del tag[name]
                else:
                    tag[name] = leads
            elif name in ("src", "data") and not re.match(r"[a-z]+:", value):
                tag[name] = posixpath.normpath(posixpath.join(posixpath.dirname(page), value))


def lower(article: Tag, by: int) -> None:
    """Move every heading of `article` down by as many levels; six is the last."""
    for heading in article.find_all(re.compile(r"^h[1-6]$")):
        heading.name = f"h{min(int(heading.name[1]) + by, 6)}"


def fragment(html: str) -> Tag:
    """Make one element from text."""
    return BeautifulSoup(html, "html.parser").find(True)


def unfold(article: Tag) -> None:
    """Open what is folded; leave out code that the site shows on demand only, unless it is a solution's."""
    for cell in article.select("div.cell.tag_hide-input"):
        for code in cell.select("details.above-input"):
            code.decompose()
        if not cell.select(".cell_output"):
            cell.decompose()
    for tag in article.select(NOT_PRINTED):
        tag.decompose()
    for listing in article.select(".toctree-wrapper"):  # the book has contents of its own
        section = listing.find_parent("section")
        listing.decompose()
        if section and len(section.find_all(True, recursive=False)) == 1:
            section.decompose()
    for box in article.find_all("details"):
        box.name = "div"
        box["class"] = ["svt-unfolded"]


def move_solutions(soup: BeautifulSoup, article: Tag, page: str) -> list[Tag]:
    """Take the solutions of a page and the code that belongs to them, and link each exercise to its own."""
    moved: list[Tag] = []
    for number, solution in enumerate(article.select("div.solution")):
        box = soup.new_tag("section", attrs={"class": "svt-solution", "id": place(page, f"solution-{number + 1}")})
        code = list(takewhile(lambda tag: "cell" in tag.get("class", ()), solution.find_next_siblings()))
        exercise = article.find(id=solution.select_one("p.admonition-title a")["href"][1:])
        exercise.append(fragment(f'<p class="svt-to-solution"><a href="#{box["id"]}">Solution at the end</a></p>'))
        for tag in (solution, *code):
            box.append(tag.extract())
        moved.append(box)
    return moved


def move_reasons(article: Tag, page: str) -> list[Tag]:
    """Turn each question into its options, and take the reasons to the end."""
    moved: list[Tag] = []
    for number, question in enumerate(article.select("fieldset.svt-question")):
        here, there = place(page, f"asked-{number + 1}"), place(page, f"answered-{number + 1}")
        question.name, question["id"] = "div", here
        title, asked = escape(question.legend.get_text()), question.p.decode_contents()
        question.legend.replace_with(fragment(f'<p class="svt-question-title"><strong>{title}</strong></p>'))
        box = fragment(
            f'<section id="{there}" class="svt-solution"><p class="svt-asked"><a href="#{here}">{title}:</a> '
            f"{asked}</p></section>"
        )
        for letter, option in zip("abcdefgh", question.select(".svt-option"), strict=False):
            reason = option.select_one(".svt-reason")
            for part in (option, reason):
                part.insert(0, fragment(f"<strong>({letter}) </strong>"))
            box.append(reason.extract())
        question.append(fragment(f'<p class="svt-to-solution"><a href="#{there}">Answer at the end</a></p>'))
        moved.append(box)
    return moved


@dataclass
class Chapter:
    """One page of the site inside the book, with what stands at the end for it."""

    page: str
    title: str  # in HTML
    article: Tag
    end: list[Tag]

    @property
    def slug(self) -> str:
        """The name of the page inside the book."""
        return slug(self.page)

    @property
    def name(self) -> str:
        """The title in plain words."""
        return " ".join(BeautifulSoup(self.title, "html.parser").get_text().split())


def read_page(html: Path, page: str, known: set[str]) -> Chapter:
    """Take a page from the built site."""
    text = (html / f"{page}.html").read_text(encoding="utf-8")
    text = PLAIN_TOKEN.sub(r"\1", text[text.find("<article") : text.rfind("</article>") + len("</article>")])
    soup = BeautifulSoup(re.sub(r"The explorer needs JavaScript\.\s+Without it: ", "", text), "lxml")
    article = soup.find("article")
    if not isinstance(article, Tag) or article.h1 is None:
        raise ValueError(f"{page}.html has no article with a title: build the site first")
    unfold(article)
    rename(article, page, known)
    end = [*move_reasons(article, page), *move_solutions(soup, article, page)]
    for formula in article.select(".math"):
        # One thing with a name for whoever listens to the book, in place of a hundred single letters.
        formula["role"], formula["aria-label"] = "img", re.sub(r"^\\[(\[]|\\[)\]]$", "", formula.get_text().strip())
    title = article.h1.decode_contents()
    lower(article, 1)
    article.name, article["class"], article["id"] = "section", ["svt-chapter", "bd-article"], slug(page)
    return Chapter(page, title, article, end)


def head(html: Path, chapters: list[Chapter]) -> str:
    """The style sheets of the site, and what sets its mathematics, from the first page that has any."""
    heads = [(html / f"{one.page}.html").read_text(encoding="utf-8").partition("<body")[0] for one in chapters]
    text = next((one for one in heads if "window.MathJax" in one), heads[0])
    wanted = (
        r'<link [^>]*rel="stylesheet"[^>]*>|<script>window\.MathJax.*?</script>|<script[^>]*/mathjax/[^>]*></script>'
    )
    tags = re.sub(r'"(?:\.\./)+', '"', "\n".join(re.findall(wanted, text, re.S)))
    # What a screen reader gets from the formula on the site would be printed twice.
    tags = re.sub(r'("(?:enableA|a)ssistiveMml": )true', r"\1false", tags)
    return tags.replace('"a11y/assistive-mml"', "")


def title_page(title: str, version: str) -> str:
    """The first sheet: what this is, which version of it, under which licence."""
    return f"""<section class="svt-title-page"><p class="svt-book-title">{escape(title)}</p>
<p class="svt-book-subtitle">A course you can run</p>
<p>Version {escape(version)}</p>
<p class="svt-fine">The course is a website and a set of notebooks; this is its printed form. The code of plots and of
evidence is in the notebooks; the explorers and the pages of the module are on the site.
Solutions and answers stand at the end.
Text and figures: CC BY 4.0. Code: BSD 3-Clause.</p></section>"""


def table(parts: dict[str, list[Chapter]]) -> str:
    """The contents, with a place for each page number."""

    def line(anchor: str, words: str) -> str:
        return (
            f'<li><a href="#{anchor}"><span>{words}</span><span class="svt-dots"></span>'
            f'<span class="svt-page">@@{anchor}@@</span></a></li>'
        )

    made = ['<nav class="svt-contents"><h1 id="contents">Contents</h1>']
    for title, chapters in parts.items():
        # A heading in the contents would be a bookmark of its own.
        made += [f'<p class="svt-part-name">{escape(title)}</p>' if title else "", "<ol>"]
        made += [*(line(chapter.slug, chapter.title) for chapter in chapters), "</ol>"]
    return "".join([*made, "<ol>", line("solutions", "Solutions and answers"), "</ol></nav>"])


TITLE = "The Sparse Vector Technique"


def book(html: Path, toc: str, *, version: str, before: str) -> tuple[str, list[str]]:
    """Join the pages of the site in `html` into one, with addresses relative to `html`; return it and their titles.

    `before` goes into its head, and `@@place@@` in its contents is where the number of a page goes.
    """
    parts = contents(toc)
    known = {page for pages in parts.values() for page in pages}
    read = {title: [read_page(html, page, known) for page in pages] for title, pages in parts.items()}
    chapters = [chapter for found in read.values() for chapter in found]
    running = "".join(
        f"@page {c.slug} {{ @top-left {{ content: {_css(c.name)}; }} }} #{c.slug} {{ page: {c.slug}; }}\n"
        for c in chapters
    )
    body = [title_page(TITLE, version), table(read)]
    for caption, found in read.items():
        if caption:
            opening = f'<h1 class="svt-part" id="{slug(caption)}">{escape(caption)}</h1>'
            found[0].article.insert(0, fragment(opening))
        else:
            lower(found[0].article, -1)
        body += [str(chapter.article) for chapter in found]
    body.append('<section class="svt-solutions"><h1 class="svt-part" id="solutions">Solutions and answers</h1>')
    for chapter in chapters:
        if chapter.end:
            name = f'<h2 id="{chapter.slug}-end"><a href="#{chapter.slug}">{chapter.title}</a></h2>'
            body += [name, *(str(box) for box in chapter.end)]
    body.append("</section>")
    text = (
        '<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>{TITLE}</title>{head(html, chapters)}{before}<style>{running}</style></head>"
        f"<body>{''.join(body)}</body></html>"
    )
    return text, [chapter.name for chapter in chapters]


def _css(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
