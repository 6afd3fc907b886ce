"""Tables of the pages that are made from data: how their nodes fit together, said once, and most of these tables.

`{svt-verdicts}` is the verdict table, `{svt-certificates}` the files of `data/certificates`, each one to download, and
`{svt-reproduction}` the rows of `data/reproduction.csv`, one table a source, with what the claims of a row computed.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

import svtlib as svt
from svtcourse.claim_cards import MARKS as VERDICTS, ledger, typeset


def mark(sign: str, colour: str) -> nodes.inline:
    """A sign in its colour."""
    return nodes.inline("", sign, classes=["svt-mark", f"svt-mark-{colour}"])


def cell(*lines: str) -> nodes.entry:
    """A cell with one paragraph for each line that is not empty; all but the first are small."""
    shown = [line for line in lines if line]
    return nodes.entry(
        "", *(nodes.paragraph("", line, classes=["svt-why"] if k else []) for k, line in enumerate(shown))
    )


def table(
    heads: Sequence[str | nodes.entry],
    widths: Sequence[int],
    rows: Iterable[Iterable[nodes.entry]],
    *,
    caption: str = "",
    classes: Sequence[str] = (),
) -> nodes.container:
    """A table in the look of the site, with a head for each column."""
    group = nodes.tgroup("", *(nodes.colspec("", colwidth=width) for width in widths), cols=len(widths))
    group += nodes.thead("", nodes.row("", *(cell(head) if isinstance(head, str) else head for head in heads)))
    group += nodes.tbody("", *(row if isinstance(row, nodes.row) else nodes.row("", *row) for row in rows))
    parts = [nodes.title("", caption), group] if caption else [group]
    return nodes.container("", nodes.table("", *parts), classes=["svt-table", *classes])


class FromData(SphinxDirective):
    """A directive that shows what a file of `data/` has."""

    def rows(self, name: str) -> list[dict[str, str]]:
        """The rows of one of its tables, with which the page changes."""
        path = Path(self.env.srcdir) / "data" / name
        self.env.note_dependency(str(path))
        with path.open(encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def section(self, title: str, name: str) -> nodes.section:
        """A section of the page with this title, which links find by this name."""
        made = nodes.section("", nodes.title("", title), ids=[nodes.make_id(name)], names=[name])
        self.state.document.note_implicit_target(made, made)
        return made


def _verdict(sign: str, colour: str, spoken: str) -> nodes.inline:
    """The sign, with words for readers who do not see it."""
    return nodes.inline("", "", mark(sign, colour), nodes.inline("", f" {spoken}", classes=["svt-unseen"]))


class Verdicts(SphinxDirective):
    """The verdict table in small: what each version claims, and what holds."""

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
            page = relative_uri(self.env.docname, "book/certificates") + ".html"
            shown = key if sound else f"{key}-above-1"
            link = nodes.reference("", "certificate", refuri=f"{page}#certificate-{shown}", internal=True)
            version = nodes.paragraph("", "", *self.parse_inline(title)[0], nodes.Text(" · "))
            version += nodes.inline("", "", link, classes=["svt-why"])
            not_so = "not as claimed" if svt.variant(key).claims else "not private, and it does not claim to be"
            verdict = _verdict("✓", "confirmed", "private as claimed") if sound else _verdict("✗", "refuted", not_so)
            numbers = [row[column] for column in ("claimed", "actual", "actual, monotonic")]
            epsilons = [nodes.entry("", nodes.paragraph("", number, classes=["svt-epsilon"])) for number in numbers]
            rows.append([nodes.entry("", nodes.paragraph("", "", verdict)), nodes.entry("", version), *epsilons])
        caption = "The smallest ε known to hold; ∞ means that no finite ε does. ✓ private as claimed, ✗ not"
        return [table([nodes.entry("", first), *heads], widths, rows, caption=caption, classes=["svt-verdicts"])]


class Certificates(SphinxDirective):
    """What each certificate shows, and its file."""

    def run(self) -> list[nodes.Node]:
        """Build one table."""
        rows = []
        files = sorted((Path(self.env.srcdir) / "data" / "certificates").glob("*.json"))
        for file in files:
            self.env.note_dependency(str(file))
            data = json.loads(file.read_text(encoding="utf-8"))
            sign, colour = ("✓", "confirmed") if data.get("private") else ("✗", "refuted")
            what = nodes.paragraph("", "", mark(sign, colour))
            what += nodes.Text(f" {data['statement']}")
            target = f"/data/certificates/{file.name}"
            link = addnodes.download_reference(
                "", "", nodes.literal("", file.stem), reftarget=target, refdoc=self.env.docname
            )
            name = f"certificate-{file.stem}"
            entries = nodes.entry("", what), nodes.entry("", nodes.paragraph("", "", link))
            rows.append(nodes.row("", *entries, ids=[name]))
        shown = table(("what it shows", "file"), (78, 22), rows)
        return [nodes.paragraph("", f"{len(files)} certificates."), shown]


MARKS = {
    "reproduced": ("✓", "confirmed"),
    "with a correction": ("≈", "corrected"),
    "not reproducible": ("✗", "refuted"),
    "computed, nothing to compare": ("○", "open"),
}
HEADS = ("what", "theirs", "ours", "how close")
WIDTHS = (28, 22, 38, 12)


class Reproduction(FromData):
    """Every table and figure of the sources, beside ours."""

    def cells(self, row: dict[str, str], said: dict[str, str]) -> list[nodes.entry]:
        """What the row says, with the sign of its status, and what its claims computed."""
        what = nodes.paragraph("", "", mark(*MARKS[row["status"]]), nodes.Text(f" {row['item']}"))
        status = nodes.paragraph("", f"{row['status']}. {row['note']}", classes=["svt-why"])
        page, ours = relative_uri(self.env.docname, "book/claims") + ".html", cell(row["ours"])
        for claim in map(ledger().__getitem__, row["claims"].split()):
            link = f'<a href="{page}#{claim.id}">{VERDICTS[claim.verdict]} chapter {claim.chapter}</a>'
            ours += nodes.raw("", f"<p>{typeset(said[claim.id])} · {link}</p>", format="html")
        return [nodes.entry("", what, status), cell(row["theirs"]), ours, cell(row["tolerance"])]

    def run(self) -> list[nodes.Node]:
        """Build one section a source."""
        rows, evidence = self.rows("reproduction.csv"), Path(self.env.srcdir) / "data" / "evidence.json"
        self.env.note_dependency(str(evidence))
        said = json.loads(evidence.read_text(encoding="utf-8"))
        counts = {status: sum(row["status"] == status for row in rows) for status in MARKS}
        summary = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        result: list[nodes.Node] = [nodes.paragraph("", f"{len(rows)} rows: {summary}.")]
        for source in dict.fromkeys(row["source"] for row in rows):
            section = self.section(source, f"reproduction {source.lower()}")
            section += table(HEADS, WIDTHS, [self.cells(row, said) for row in rows if row["source"] == source])
            result.append(section)
        return result


def setup(app: Any) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("svt-verdicts", Verdicts)
    app.add_directive("svt-certificates", Certificates)
    app.add_directive("svt-reproduction", Reproduction)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
