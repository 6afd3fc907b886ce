"""What a page says about itself to browsers and search engines, and the page for wrong addresses.

`book/_templates/layout.html` writes the head of a page: the fonts to fetch early, a description, a card.  Where
`html.baseurl` in `_config.yml` says where the site lives, also canonical addresses (Sphinx writes them), the card's
picture, `sitemap.xml` and `robots.txt`.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from site_search import math_text

LONGEST = 200  # characters of a description


def described(doctree: nodes.document) -> str:
    """The first words of a page that are a sentence, without markup, cut after a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        if paragraph.next_node(nodes.emphasis) and re.match(r"\d+ minutes", paragraph.astext()):
            continue
        words = []
        for node in paragraph.findall(nodes.Text):
            text = node.astext()
            words.append(math_text(text) if isinstance(node.parent, nodes.math) else text)
        text = " ".join("".join(words).split())
        if len(text) > 40:
            return text if len(text) <= LONGEST else text[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return ""


def describe_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Give `book/_templates/layout.html` what the head of a page says and a reader does not see."""
    context["svt_base"] = app.config.html_baseurl.rstrip("/")
    if doctree is not None:
        context["svt_description"] = described(doctree)
        context["svt_typesets"] = any(doctree.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))))


# What extensions and pandas write, and HTML does not allow: the same name many times, paragraphs in a summary, styles
# in the middle of a page (the site has its own), an attribute and a role of old.  The word with which a proof begins
# is set apart from what it says.
MENDED = (
    (re.compile(r' id="(?:proof|exercise|solution)-content"'), ""),
    (re.compile(r'<div class="proof admonition" id="proof">'), '<div class="proof admonition svt-proof">'),
    (re.compile(r'<p class="((?:collapsed|expanded) admonition-title)">(.*?)</p>'), r'<span class="\1">\2</span>'),
    (re.compile(r"<style scoped>.*?</style>", re.S), ""),
    (re.compile(r'(<th[^>]*?) valign="top"'), r"\1"),
    (re.compile(r'role="doc-biblioentry"'), 'role="listitem"'),
    (re.compile(r"<p>Proof\. "), '<p><span class="svt-proof-word">Proof.</span> '),
)


def valid(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the body of a page valid HTML."""
    body = context.get("body")
    if not body:
        return
    for pattern, instead in MENDED:
        body = pattern.sub(instead, body)
    if page.startswith("_modules/"):  # a listing has no divisions
        body = re.sub(r'<div class="viewcode-block"', '<span class="viewcode-block"', body)
        body = re.sub(r"<pre>.*</pre>", lambda listing: listing[0].replace("</div>", "</span>"), body, flags=re.S)
    context["body"] = body


def source_links_back(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Lead the [docs] links of a source page to objects that the API page lists by their full path.

    Sphinx knows one name for a module, and takes `svtlib` for all objects of a module once one of them is listed so.
    """
    if page.startswith(("_modules/svtlib/", "_modules/svtcourse/")) and "body" in context:
        listed = app.env.domaindata["py"]["objects"]
        module = page.removeprefix("_modules/").replace("/", ".")

        def lead(link: re.Match[str]) -> str:
            full = module + link[1].removeprefix("svtlib")
            return f"#{full}" if link[1] not in listed and full in listed else link[0]

        context["body"] = re.sub(r"#(svtlib\.[\w.]+)", lead, context["body"])


def bars_are_absolute_values(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep |x| in a docstring an absolute value; reStructuredText would look for a substitution of that name."""
    lines[:] = [re.sub(r"\|(\w+)\|", r"\\|\1\\|", line) for line in lines]


def whole_site(app: Any, exception: Exception | None) -> None:
    """Write the page for wrong addresses and, where the address of the site is known, the map for search engines."""
    if exception is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    base = app.config.html_baseurl.rstrip("/")
    missing = (Path(app.srcdir) / "book" / "_templates" / "404.html").read_text(encoding="utf-8")
    (out / "404.html").write_text(missing.replace("HOME", html.escape(f"{base}/")), encoding="utf-8")
    if base:
        pages = [f"{base}/{page}.html" for page in sorted(app.env.found_docs)]
        urls = "".join(f"<url><loc>{html.escape(page)}</loc></url>\n" for page in pages)
        head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        (out / "sitemap.xml").write_text(f"{head}{urls}</urlset>\n", encoding="utf-8")
        (out / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n", encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Listen to Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", bars_are_absolute_values)
    app.connect("html-page-context", describe_page)
    app.connect("html-page-context", valid)
    app.connect("html-page-context", source_links_back)
    app.connect("build-finished", whole_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
