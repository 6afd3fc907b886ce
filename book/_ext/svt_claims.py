"""The page of claims: every row of `data/claims.csv`, with what `evidence/` computed for it and the function that did.

A row is one line that unfolds, without a script too; `claims.js` adds the chips that filter.  A mark in a chapter is an
ordinary link to a row, and so is `{ref}` to `claim-<id>` where no chapter shows a card of that claim.
"""

from __future__ import annotations

import html
import inspect
import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from page_tables import FromData
from sphinx.util.osutil import relative_uri

from svtcourse.claim_cards import MARKS, LedgerRow, ledger, typeset

PAGE = "book/claims"
VERSION = metadata.version("svtlib")
CARD = re.compile(r'(data-claim="([^"]+)"[^>]*><p><strong class="svt-mark [^"]*">)([^<]+)(?=</strong>)')
HOW = {"exact": "exact computation", "proof": "proof", "simulation": "simulation", "data": "the data"}


def source_of(function: Any) -> str:
    """The lines of a function without its docstring, which is the statement above it."""
    return inspect.getsource(function).replace(f'    """{function.__doc__}"""\n', "")


class Claims(FromData):
    """All claims of the ledger, by source, what does not hold first."""

    def run(self) -> list[nodes.Node]:
        """Build one section a source."""
        root = Path(self.env.srcdir)
        if str(root) not in sys.path:
            sys.path.append(str(root))
        from evidence import records

        chapters = {int(path.name[:2]): path.stem for path in sorted((root / "chapters").glob("[0-9]*_*.ipynb"))}
        files = [root / "data/claims.csv", root / "data/evidence.json", *sorted((root / "evidence").glob("*.py"))]
        for path in [*files, *sorted((root / "chapters").glob("*.ipynb"))]:
            self.env.note_dependency(str(path))
        cards = "".join(path.read_text(encoding="utf-8") for path in (root / "chapters").glob("*.ipynb"))
        said = json.loads((root / "data/evidence.json").read_text(encoding="utf-8"))
        rows = list(ledger().values())
        counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in MARKS}
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        cite = html.escape(citation(version=VERSION, year=str(self.config.copyright)), quote=True)
        result: list[nodes.Node] = [nodes.paragraph("", f"{len(rows)} claims: {summary}.")]
        result.append(nodes.raw("", f'<div hidden data-cite="{cite}"></div>', format="html"))
        std = self.env.get_domain("std")
        for source in dict.fromkeys(row.source for row in rows):
            name = re.sub(r"[^a-z0-9]+", "-", source.lower()).strip("-")
            section = self.section(source, f"claims: {name}")
            mine = [row for row in rows if row.source == source]
            for row in sorted(mine, key=lambda row: list(MARKS).index(row.verdict)):
                record = records().get(row.id)
                code = source_of(record.function) if record else ""
                chapter = relative_uri(self.env.docname, f"chapters/{chapters[row.chapter]}") + ".html"
                section += nodes.raw("", self._claim(row, said.get(row.id, ""), code, chapter), format="html")
                if f"(claim-{row.id})=" not in cards:
                    place = self.env.docname, row.id
                    std.labels[f"claim-{row.id}"] = (*place, f"{row.source}, {row.locator}")
                    std.anonlabels[f"claim-{row.id}"] = place
            result.append(section)
        return result

    def _claim(self, row: LedgerRow, sentence: str, code: str, chapter: str) -> str:
        def line(what: str, text: str) -> str:
            return f"<p><b>{what}:</b> {typeset(text)}</p>" if text else ""

        shown = html.escape(code, quote=False)
        stronger = "Made stronger by us · " if row.wording == "stronger" else ""
        computed = f"<details class='svt-computed'><summary>The function</summary><pre>{shown}</pre></details>"
        mark = f'<span class="svt-mark svt-mark-{row.verdict}">{MARKS[row.verdict]} {row.verdict}</span>'
        return (
            f'<div class="svt-claim svt-claim-{row.verdict}" id="{row.id}" data-verdict="{row.verdict}" '
            f'data-source="{html.escape(row.source)}" data-how="{" ".join(row.how)}" data-chapter="{row.chapter}">'
            f"<details><summary>{mark} {typeset(row.statement)} <cite>{html.escape(row.locator)}</cite></summary>"
            f"{line('What holds', row.correction)}{line('Evidence', sentence)}{computed if code else ''}"
            f'<p class="svt-why">{stronger}Decided by {" and ".join(HOW[one] for one in row.how)}'
            f' · <a href="{chapter}">chapter {row.chapter}</a> · <a href="#{row.id}">permanent address</a>'
            f'<button type="button" class="svt-cite" hidden data-at="#{row.id}">Cite</button></p>'
            "</details></div>"
        )


def citation(*, version: str, year: str) -> str:
    """How to cite a claim, in words, then for BibTeX; the page puts its name, what it is and its address in."""
    title = "The Sparse Vector Technique, a course you can run"
    return (
        f"The course authors. {title}, version {version}, {year}, @@what@@. @@address@@\n\n"
        f"@misc{{svt-course-@@key@@,\n  author = {{{{The course authors}}}},\n  title = {{{title}}},\n"
        f"  year = {{{year}}},\n  note = {{Version {version}, @@what-tex@@}},\n"
        "  howpublished = {\\url{@@address@@}},\n}\n"
    )


def rows_are_targets(app: Any, doctree: nodes.document) -> None:
    """Let Markdown links from other pages find the rows, which are no headings."""
    if app.env.docname == PAGE:
        slugs = app.env.metadata[PAGE].setdefault("myst_slugs", {})
        slugs.update({row.id: (0, row.id, f"{row.source}, {row.locator}") for row in ledger().values()})


def cards_lead_to_the_ledger(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the verdict of a card in a chapter a link to its row on the page of claims, and let that page copy."""
    if page == PAGE:
        app.add_js_file("claims.js", defer="defer")
    elif "body" in context and "data-claim=" in context["body"]:
        ledger_page = relative_uri(page, PAGE) + ".html"
        context["body"] = CARD.sub(
            lambda card: f'{card[1]}<a class="svt-claim-link" href="{ledger_page}#{card[2]}">{card[3]}</a>',
            context["body"],
        )


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-claims", Claims)
    app.connect("doctree-read", rows_are_targets)
    app.connect("html-page-context", cards_lead_to_the_ledger)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
