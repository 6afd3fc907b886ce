"""What a page says about itself to browsers and search engines, and the page for wrong addresses.

A description from its first sentence, the fonts to fetch early, a card.  Where `html.baseurl` in `_config.yml` says
where the site lives, also canonical addresses (Sphinx writes them), the card's picture, `sitemap.xml` and `robots.txt`.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from site_search import math_text

LONGEST = 200  # characters of a description
FONTS = (
    "fonts/svt-text-regular",
    "fonts/svt-text-semibold",
    "fonts/svt-text-italic",
    "fontawesome/webfonts/fa-solid-900",
)
TYPESET = '<script>document.documentElement.classList.add("svt-typesets")</script>'
# A page that is opened as a file may not fetch a font before its style sheet does: the browser would complain.
PRELOAD = (
    '<script>if (location.protocol !== "file:") for (const href of FONTS) '
    'document.head.append(Object.assign(document.createElement("link"), '
    '{rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href}));</script>'
)
# Text waits for its faces, for as long as a browser waits of its own accord; nothing is set twice then.
WAIT = (
    '<script>{ const root = document.documentElement, show = () => root.classList.remove("svt-waits"); '
    'root.classList.add("svt-waits"); setTimeout(show, 3000); addEventListener("DOMContentLoaded", () => '
    'Promise.allSettled(["1em", "italic 1em", "600 1em"].map((face) => document.fonts.load(`${face} "SVT Text"`)))'
    ".then(show)); }</script>"
)
CARD = "_static/social-card.png"


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
    """Add to the head of a page what a reader does not see."""
    fonts = json.dumps([context["pathto"](f"_static/vendor/{font}.woff2", 1) for font in FONTS])
    lines = [PRELOAD.replace("FONTS", fonts), WAIT]
    if doctree is not None and doctree.next_node(lambda node: isinstance(node, (nodes.math, nodes.math_block))):
        lines.append(TYPESET)
    title = re.sub(r"<[^>]+>", "", context.get("title") or "")
    about = {"og:title": html.unescape(title), "og:type": "article", "og:site_name": app.config.html_title}
    text = described(doctree) if doctree is not None else ""
    if text:
        lines.append(f'<meta name="description" content="{html.escape(text)}">')
        about["og:description"] = text
    base = app.config.html_baseurl
    if base:
        about |= {"og:url": context.get("pageurl") or base, "og:image": f"{base.rstrip('/')}/{CARD}"}
        lines.append('<meta name="twitter:card" content="summary_large_image">')
    lines += [f'<meta property="{name}" content="{html.escape(value)}">' for name, value in about.items()]
    context["metatags"] = context.get("metatags", "") + "\n    " + "\n    ".join(lines)


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
