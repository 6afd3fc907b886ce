"""Two directives for pages without a kernel: the verdict table from `svtlib`, the claims from `data/claims.csv`.

And three repairs: of docstrings for the API page, of its links to and from the source, of the bibliography.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

import svtlib as svt
from svtcourse.claims import LedgerRow, ledger

FIRST_EVIDENCE = 90  # notebooks from this number on are evidence pages
VERSION = metadata.version("svtlib")
CARD = re.compile(r'(data-claim="([^"]+)"[^>]*><p><strong class="svt-mark [^"]*">)([^<]+)(?=</strong>)')
MARKS = {"confirmed": "✓", "refuted": "✗", "corrected": "≈"}


def _mark(sign: str, colour: str, spoken: str = "") -> nodes.inline:
    """A verdict's sign, coloured, with words for readers who do not see it where none stand beside it."""
    mark = nodes.inline("", "", nodes.inline("", sign, classes=["svt-mark", f"svt-mark-{colour}"]))
    if spoken:
        mark += nodes.inline("", f" {spoken}", classes=["svt-unseen"])
    return mark


def _row(cells: Iterable[list[nodes.Node]]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", *content) for content in cells))


HOW = {"exact": "exact computation", "proof": "proof", "simulation": "simulation", "data": "the data"}


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
        group = nodes.tgroup("", *(nodes.colspec("", colwidth=width) for width in widths), cols=len(widths))
        first = nodes.paragraph("", "", nodes.inline("", "verdict", classes=["svt-unseen"]))
        group += nodes.thead("", _row([[first], *([nodes.paragraph("", text)] for text in heads)]))
        body = nodes.tbody("")
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
            verdict = _mark("✓", "confirmed", "private as claimed") if sound else _mark("✗", "refuted", not_so)
            numbers = [row[column] for column in ("claimed", "actual", "actual, monotonic")]
            body += _row(
                [
                    [nodes.paragraph("", "", verdict)],
                    version,
                    *([nodes.paragraph("", number, classes=["svt-epsilon"])] for number in numbers),
                ]
            )
        group += body
        caption = nodes.title(
            "", "The smallest ε known to hold; ∞ means that no finite ε does. ✓ private as claimed, ✗ not"
        )
        return [nodes.container("", nodes.table("", caption, group), classes=["svt-table", "svt-verdicts"])]


def title_of(notebook: Path) -> str:
    """The heading of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return re.search(r"^# (.+)$", text, re.M)[1]  # type: ignore[index]


class Claims(SphinxDirective):
    """All claims of the ledger, by chapter, each with its verdict and a link to where it is decided."""

    def run(self) -> list[nodes.Node]:
        """Build one section a chapter."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "data" / "claims.csv"))
        chapters = {}
        for path in sorted((root / "chapters").glob("[0-9]*_*.ipynb")):
            self.env.note_dependency(str(path))
            chapters[int(path.name.split("_")[0])] = path
        rows = list(ledger().values())
        counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in MARKS}
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        result: list[nodes.Node] = [nodes.paragraph("", f"So far {len(rows)} claims: {summary}.")]
        for number in sorted({row.chapter for row in rows}):
            title = f"Chapter {number}" if number < FIRST_EVIDENCE else title_of(chapters[number])
            section = nodes.section("", nodes.title("", title), ids=[f"claims-chapter-{number}"])
            section["names"] = [f"claims of chapter {number}"]
            self.state.document.note_implicit_target(section, section)
            text = chapters[number].read_text(encoding="utf-8") if number in chapters else ""
            for row in rows:
                if row.chapter == number:
                    section += self._claim(row, linked=f"(claim-{row.id})=" in text)
            result.append(section)
        return result

    def _claim(self, row: LedgerRow, *, linked: bool) -> nodes.container:
        head = nodes.paragraph("", "", _mark(MARKS[row.verdict], row.verdict), nodes.Text(" "))
        head += nodes.strong("", row.verdict)
        head += nodes.Text(f": {row.statement}")
        item = nodes.container("", head, classes=["svt-claim", f"svt-claim-{row.verdict}"], ids=[row.id])
        if row.correction:
            item += nodes.paragraph("", "", nodes.strong("", "What holds: "), nodes.Text(row.correction))
        how = " and ".join(HOW[one] for one in row.how)
        foot = nodes.paragraph("", f"{row.place} · decided by {how} · ", classes=["svt-why"])
        name = nodes.literal("", row.id)
        if linked:
            link = pending_xref(
                "", name, refdomain="std", reftype="ref", refexplicit=True, reftarget=f"claim-{row.id}", refwarn=True
            )
            link["refdoc"] = self.env.docname
            foot += link
        else:
            foot += name
        said = html.escape(citation(row, version=VERSION, year=str(self.config.copyright)), quote=True)
        address = nodes.reference("", "permanent address", refid=row.id, internal=True)
        button = f'<button type="button" class="svt-cite" hidden data-at="#{row.id}" data-cite="{said}">Cite</button>'
        foot += [nodes.Text(" · "), address, nodes.raw("", button, format="html")]
        item += foot
        return item


def citation(row: LedgerRow, *, version: str, year: str) -> str:
    """How to cite what the course says on a claim: in words, then for BibTeX; the page puts its address in."""
    title = "The Sparse Vector Technique, a course you can run"
    what = f"claim {row.id} ({row.source}, {row.locator}): {row.verdict}"
    key = re.sub(r"[^a-z0-9]+", "-", row.id)
    return (
        f"The course authors. {title}, version {version}, {year}, {what}. @@address@@\n\n"
        f"@misc{{svt-course-{key},\n  author = {{{{The course authors}}}},\n  title = {{{title}}},\n"
        f"  year = {{{year}}},\n  note = {{Version {version}, {what.replace('&', chr(92) + '&')}}},\n"
        "  howpublished = {\\url{@@address@@}},\n}\n"
    )


def cards_lead_to_the_ledger(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the verdict of a card in a chapter a link to its row on the page of claims, and let that page copy."""
    if page == "book/claims":
        app.add_js_file("claims.js", defer="defer")
    elif "body" in context and "data-claim=" in context["body"]:
        ledger_page = relative_uri(page, "book/claims") + ".html"
        context["body"] = CARD.sub(
            lambda card: f'{card[1]}<a class="svt-claim-link" href="{ledger_page}#{card[2]}">{card[3]}</a>',
            context["body"],
        )


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
    app.add_directive("svt-claims", Claims)
    app.connect("autodoc-process-docstring", bars_are_absolute_values)
    app.connect("html-page-context", bibliography_is_a_list)
    app.connect("html-page-context", source_links_back)
    app.connect("html-page-context", cards_lead_to_the_ledger)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
