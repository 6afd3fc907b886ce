"""Leave out of the style sheets of the theme what no page of the site uses: two thirds of them.

A rule goes if each of its selectors asks for a class that no page and no script mentions; what a script could put
together from pieces stays, because its own style sheets are not touched.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.util import logging

logger = logging.getLogger(__name__)
SHEETS = ("styles/pydata-sphinx-theme.css", "sphinx-design.min.css", "mystnb.*.css")
ICONS = Path("book/_static/vendor/fontawesome/icons.txt")


def pruned(css: str, words: set[str]) -> str:
    """A style sheet without the rules that ask for a class which is not among `words`."""
    kept = []
    for rule in tinycss2.parse_stylesheet(css, skip_whitespace=True):
        if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inside = pruned(tinycss2.serialize(rule.content), words)
            kept += [f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"] if inside else []
        elif rule.type == "qualified-rule":
            name = tinycss2.serialize(rule.prelude).strip()
            # A selector with a list in brackets, :is(.a, .b), stays whole.
            selectors = [name] if "(" in name else name.split(",")
            used = [one for one in selectors if "(" in one or set(re.findall(r"\.(-?[A-Za-z_][\w-]*)", one)) <= words]
            kept += [f"{','.join(used)}{{{tinycss2.serialize(rule.content)}}}"] if used else []
        elif rule.type != "comment" or rule.value.startswith("!"):  # a licence
            kept.append(rule.serialize())
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
            missing = {f"{ord(sign):x}" for sign in re.findall('content:"([\ue000-\uf8ff])"', less)} - icons
            if missing:
                logger.warning("icons that are not in %s: %s", ICONS, " ".join(sorted(missing)))


def setup(app: Any) -> dict[str, Any]:
    """Prune when all is written."""
    app.connect("build-finished", prune, priority=900)  # after extensions have copied their sheets
    return {"parallel_read_safe": True, "parallel_write_safe": True}
