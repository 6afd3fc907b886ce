"""Leave out of the style sheets of the theme what no page of the site uses: two thirds of them.

A rule goes if each of its selectors asks for a class that no page and no script mentions; what a script could put
together from pieces stays, because its own style sheets are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.util import logging

logger = logging.getLogger(__name__)
SHEETS = ("styles/pydata-sphinx-theme.css", "sphinx-design.min.css", "mystnb.*.css")
ICONS = Path("book/_static/vendor/fontawesome/icons.txt")


def rules(css: str) -> Iterator[tuple[str, str | None]]:
    """Each rule of a style sheet: what stands before its braces, and inside; None for a statement without braces."""
    place = 0
    while place < len(css):
        head = re.compile(r"[^{};]*").match(css, place)
        assert head is not None  # it matches nothing, too
        end = head.end()
        if end == len(css):
            return
        if css[end] != "{":
            yield css[place:end], None
            place = end + 1
            continue
        depth, close = 1, end + 1
        while depth:
            brace = re.compile(r"[{}]").search(css, close)
            if brace is None:
                raise ValueError("a style sheet ends within a rule")
            depth += 1 if brace.group() == "{" else -1
            close = brace.end()
        yield css[place:end], css[end + 1 : close - 1]
        place = close


def pruned(css: str, words: set[str]) -> str:
    """A style sheet without the rules that ask for a class which is not among `words`."""
    kept = []
    for head, body in rules(re.sub(r"/\*[^!].*?\*/", "", css, flags=re.DOTALL)):
        name = head.strip()
        if body is None:
            kept.append(f"{name};")
        elif name.startswith(("@media", "@supports")):
            inside = pruned(body, words)
            if inside:
                kept.append(f"{name}{{{inside}}}")
        elif name.startswith("@"):
            kept.append(f"{name}{{{body}}}")
        else:
            # A selector with a list in brackets, :is(.a, .b), stays whole.
            selectors = [name] if "(" in name else name.split(",")
            used = [one for one in selectors if "(" in one or set(re.findall(r"\.(-?[A-Za-z_][\w-]*)", one)) <= words]
            if used:
                kept.append(f"{','.join(used)}{{{body}}}")
    return "".join(kept)


def prune(app: Any, exception: Exception | None) -> None:
    """Prune the sheets of the site that was built, and check that the icons they show are in the font."""
    if exception is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    words: set[str] = set()
    for file in (*out.rglob("*.html"), *out.glob("_static/**/*.js")):
        if "vendor" not in file.parts:
            words.update(re.findall(r"-?[A-Za-z_][\w-]*", file.read_text(encoding="utf-8")))
    icons = set((Path(app.srcdir) / ICONS).read_text(encoding="utf-8").split())
    for pattern in SHEETS:
        for sheet in (out / "_static").glob(pattern):
            less = pruned(
                sheet.read_text(encoding="utf-8").replace("summary>p.", "summary>span."), words
            )  # see `valid`
            sheet.write_text(less, encoding="utf-8")
            missing = set(re.findall(r'content:"\\(f[0-9a-f]{3})"', less)) - icons
            if missing:
                logger.warning("icons that are not in %s: %s", ICONS, " ".join(sorted(missing)))


def setup(app: Any) -> dict[str, Any]:
    """Prune when all is written."""
    app.connect("build-finished", prune, priority=900)  # after extensions have copied their sheets
    return {"parallel_read_safe": True, "parallel_write_safe": True}
