"""The index of the search: every section, its headings, and its text as a reader sees it.

Sphinx's own leads to pages, and its excerpts are folded code and raw TeX.  This one takes its place, and
`book/_static/search.js` ranks it: titles first, then headings, then text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.entities import name2codepoint
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import desc, desc_signature, glossary, toctree

SIGNS = {name: name for name in ("ln", "log", "exp", "max", "min", "Pr")}
SIGNS |= {name: chr(code) for name, code in name2codepoint.items() if "α" <= chr(code).lower() <= "ω"}
SIGNS |= {"varepsilon": "ε", "ell": "ℓ", "top": "⊤", "bot": "⊥"}
SIGNS |= {"infty": "∞", "ge": "≥", "geq": "≥", "le": "≤", "leq": "≤", "ne": "≠", "neq": "≠", "in": "∈", "approx": "≈"}
SIGNS |= {"cdot": "·", "times": "×", "to": "→", "rightarrow": "→", "mapsto": "↦", "pm": "±", "sum": "∑", "sqrt": "√"}
SIGNS |= {"dots": "…", "ldots": "…", "cdots": "…", "mid": "|", "sim": "~"}
LOW = str.maketrans("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ")
UNREAD = (
    nodes.literal_block,
    nodes.raw,
    nodes.comment,
    nodes.substitution_definition,
    nodes.target,
    nodes.system_message,
)
MOST = 4000  # characters of one section


def math_text(tex: str) -> str:
    """A formula as near to what it looks like as a line of text comes."""
    text = re.sub(r"\\(?:operatorname\*?|mathrm|mathbf|mathcal|mathbb|text)\{([^{}]*)\}", r"\1", tex)
    for _ in range(3):
        text = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"(\1)/(\2)", text)
    text = re.sub(r"\\[dt]?frac\s*(\w)\s*(\w)", r"\1/\2", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda name: SIGNS.get(name[1], ""), text)
    text = re.sub(r"_\{?([0-9ij])\}?(?![\w])", lambda index: index[1].translate(LOW), text)
    return " ".join(re.sub(r"\(([\w⊤⊥])\)/", r"\1/", re.sub(r"[{}$\\&]", "", text)).split())


def _own_text(node: nodes.Node) -> str:
    """The text of a node without its sections, listings and what a reader does not see."""
    if isinstance(node, (nodes.math, nodes.math_block)):
        return f"{math_text(node.astext())} "
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, (nodes.section, toctree, desc, glossary, *UNREAD)):
        return ""
    if isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
        return ""  # the heading; a theorem's name is text
    if isinstance(node, nodes.Element) and {"cell", "celloutput"} & set(node.get("classes", ())):
        return ""
    apart = isinstance(node, (nodes.TextElement, nodes.list_item, nodes.Body)) and not isinstance(node, nodes.Inline)
    return "".join(map(_own_text, node.children)) + (" " if apart else "")


def _heading(node: nodes.Element) -> str:
    return "".join(map(_own_text, node.children)).strip()


def sections(doctree: nodes.document) -> Iterator[tuple[str, str, str]]:
    """Anchor, heading and text of each section of a page, and of each name that it documents."""
    for section in doctree.findall(lambda node: isinstance(node, (nodes.section, nodes.definition_list_item, desc))):
        if isinstance(section, nodes.definition_list_item):
            term = section.next_node(nodes.term)
            if not term.get("ids"):
                continue
            anchor, heading, parts = term["ids"][0], _heading(term), [section.next_node(nodes.definition)]
        elif isinstance(section, desc):
            signature = section.next_node(desc_signature)
            if signature is None or not signature.get("ids") or "." in signature.get("fullname", ""):
                continue
            anchor, heading, parts = signature["ids"][0], str(signature.get("fullname", "")), section.children[1:]
        else:
            anchor, title = section["ids"][0] if section.get("ids") else "", section.next_node(nodes.title)
            heading, parts = (_heading(title) if title is not None else ""), section.children
        text = re.sub(r" (?=[,.;:?!)’])", "", " ".join("".join(map(_own_text, parts)).split()))
        if heading:
            yield anchor, heading, text[:MOST]


def rows(app: Any) -> list[list[str]]:
    """Address, title of the page, heading and text, in the order of the book."""
    env = app.env
    found = []
    for page in sorted(env.found_docs):
        number = ".".join(map(str, env.toc_secnumbers.get(page, {}).get("", ())))
        title = f"{number}{'. ' if number else ''}{_heading(env.titles[page])}"
        for k, (anchor, heading, text) in enumerate(sections(env.get_doctree(page))):
            found.append([f"{page}.html" + (f"#{anchor}" if k else ""), title, heading if k else "", text])
    return found


def without_sphinx(app: Any) -> None:
    """Let Sphinx make no index of its own; the page that it would make with it is asked for by `search_page`."""
    app.builder.search = False


def search_page(app: Any) -> list[tuple[str, dict[str, Any], str]]:
    """The page with the results."""
    return [("search", {}, "search.html")]


def write(app: Any, exception: Exception | None) -> None:
    """Put the index beside the pages."""
    if exception is None and app.builder.name == "html":
        text = json.dumps(rows(app), ensure_ascii=False, separators=(",", ":"))
        (Path(app.outdir) / "searchindex.js").write_text(f"window.svtSections = {text};\n", encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Listen to Sphinx."""
    app.connect("builder-inited", without_sphinx)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
