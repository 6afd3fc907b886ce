"""The room that an inline formula takes, known before it is set: lines do not break otherwise once MathJax has come.

Every inline formula gets an estimate of its width in ems, from its source, as the CSS variable --room; the style sheet
keeps that much room while the formula is not set.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

INLINE = re.compile(r'(<span class="math notranslate nohighlight")(>\\\((.*?)\\\)</span>)', re.S)
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[^\s]")
RELATION = re.compile(r"[=<>]|\\(?:le|ge|neq?|to|in|approx|propto|ll|gg|simeq|sim)")
BINARY = re.compile(r"[+-]|\\(?:cdot|times|pm|cup|cap|setminus|mapsto)")
NO_ROOM = re.compile(r"\\(?:left|right|[bB]ig[lr]?|math\w+|operatorname|text|!|displaystyle|[td]?frac|sqrt)")
OWN = {  # widths in ems; a lower case letter has 0.54
    r"\min": 1.7,
    **dict.fromkeys((r"\log", r"\cdots"), 1.35),
    **dict.fromkeys((r"\Pr", r"\dots", r"\ldots", r"\sum"), 1.2),
    **dict.fromkeys((r"\top", r"\bot", r"\Delta", r"\ln", r"\mid", ":"), 0.85),
    r"\int": 0.7,
    **dict.fromkeys(("/", r"\{", r"\}", ",", ";"), 0.48),
    **dict.fromkeys(("(", ")", "'"), 0.38),
    **dict.fromkeys((".", "[", "]", "|", r"\lvert", r"\rvert", r"\;", r"\ "), 0.28),
    r"\exp": 1.6,
    r"\max": 1.9,
    r"\infty": 1.0,
    r"\quad": 1.0,
    r"\qquad": 2.0,
    r"\,": 0.17,
}
SCRIPT = 0.72  # of the size of the line


def room(source: str) -> float:
    """Width of a formula in ems, estimated from its TeX."""
    tokens = TOKEN.findall(source.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    width, sizes, script = 0.0, [1.0], False  # the size within each open brace
    for token in tokens:
        if token in ("^", "_"):
            script = True
            continue
        size = sizes[-1] * (SCRIPT if script else 1.0)
        script = False
        if token == "{":
            sizes.append(size)
        elif token == "}":
            sizes = sizes[:-1] or [1.0]
        elif not NO_ROOM.fullmatch(token):
            width += size * _width(token, sizes[-1] < 1 or size < 1)
    return round(width, 2)


def _width(token: str, in_script: bool) -> float:
    for kind, width in ((RELATION, 1.42), (BINARY, 1.3)):
        if kind.fullmatch(token):
            return 0.78 if in_script else width
    if token in OWN:
        return OWN[token]
    if token.isdigit():
        return 0.5
    return 0.82 if token.isupper() else 0.54


def _marked(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if body := context.get("body"):
        context["body"] = INLINE.sub(lambda m: f'{m[1]} style="--room:{room(m[3])}"{m[2]}', body)


def setup(app: Sphinx) -> dict[str, Any]:
    """Mark every inline formula of every page."""
    app.connect("html-page-context", _marked)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
