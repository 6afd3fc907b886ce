"""A directive for pages without a kernel: the verdict table from `svtlib`.

And three repairs: of docstrings for the API page, of its links to and from the source, of the bibliography.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from page_tables import mark, table
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

import svtlib as svt


def _verdict(sign: str, colour: str, spoken: str) -> nodes.inline:
    """The sign, with words for readers who do not see it."""
    return nodes.inline("", "", mark(sign, colour), nodes.inline("", f" {spoken}", classes=["svt-unseen"]))


class Verdicts(SphinxDirective):
    """The verdict table in small: what each version claims, what holds, and, unless `:brief:`, the step that fails."""

    option_spec: ClassVar[dict[str, Any]] = {"brief": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Build the table from `svtlib.catalogue()`: the versions that the first chapters put on trial."""
        package = Path(svt.__file__).parent
        for name in ("catalogue.py", "mechanism.py"):
            self.env.note_dependency(str(package / name))
        heads = ("version", "claimed", "holds", "if monotonic")
        widths = (4, 56, 12, 14, 14)
        first = nodes.paragraph("", "", nodes.inline("", "verdict", classes=["svt-unseen"]))
        rows = []
        for key, row in svt.catalogue().loc[list(svt.variants("trial"))].iterrows():
            sound = not row["fails at"]
            # The year in a title becomes the link to the bibliography.
            cite = svt.variant(key).cite
            title, found = re.subn(r"\b\d{4}\b", f"{{cite:year}}`{cite}`", row["variant"], count=1)
            title += "" if found else f" {{cite:p}}`{cite}`"
            version = [nodes.paragraph("", "", *self.parse_inline(title)[0])]
            brief = "brief" in self.options
            if not sound and not brief:
                version.append(nodes.paragraph("", row["fails at"], classes=["svt-why"]))
            page = relative_uri(self.env.docname, "book/certificates") + ".html"
            shown = f"{key}" if sound else f"{key}-above-1"
            link = nodes.reference("", "certificate", refuri=f"{page}#certificate-{shown}", internal=True)
            if brief:
                version[0] += [nodes.Text(" · "), nodes.inline("", "", link, classes=["svt-why"])]
            else:
                version.append(nodes.paragraph("", "", link, classes=["svt-why"]))
            not_so = "not as claimed" if svt.variant(key).claims else "not private, and it does not claim to be"
            verdict = _verdict("✓", "confirmed", "private as claimed") if sound else _verdict("✗", "refuted", not_so)
            numbers = [row[column] for column in ("claimed", "actual", "actual, monotonic")]
            epsilons = [nodes.entry("", nodes.paragraph("", number, classes=["svt-epsilon"])) for number in numbers]
            rows.append([nodes.entry("", nodes.paragraph("", "", verdict)), nodes.entry("", *version), *epsilons])
        caption = "The smallest ε known to hold; ∞ means that no finite ε does. ✓ private as claimed, ✗ not"
        return [table([nodes.entry("", first), *heads], widths, rows, caption=caption, classes=["svt-verdicts"])]


def bars_are_absolute_values(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep |x| in a docstring an absolute value; reStructuredText would look for a substitution of that name."""
    lines[:] = [re.sub(r"\|(\w+)\|", r"\\|\1\\|", line) for line in lines]


def bibliography_is_a_list(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Give bibliography entries the role of list items; the role that docutils gives them is deprecated in ARIA."""
    if "body" in context:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


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


def setup(app: Any) -> dict[str, Any]:
    """Register the directives."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_directive("svt-verdicts", Verdicts)
    app.connect("autodoc-process-docstring", bars_are_absolute_values)
    app.connect("html-page-context", bibliography_is_a_list)
    app.connect("html-page-context", source_links_back)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
