"""The directive of the reproduction report: the rows of `data/reproduction.csv`, one table a source."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

MARKS = {
    "reproduced": ("✓", "confirmed"),
    "with a correction": ("≈", "corrected"),
    "not reproducible": ("✗", "refuted"),
    "computed, nothing to compare": ("○", "open"),
}
HEADS = ("what", "theirs", "ours", "how close, seed, time")
WIDTHS = (34, 26, 26, 14)


def _cell(*texts: str) -> nodes.entry:
    """A cell with one paragraph for each text that is not empty; all but the first are small."""
    shown = [text for text in texts if text]
    return nodes.entry(
        "", *(nodes.paragraph("", text, classes=["svt-why"] if k else []) for k, text in enumerate(shown))
    )


class Reproduction(SphinxDirective):
    """Every table and figure of the sources, beside ours."""

    def run(self) -> list[nodes.Node]:
        """Build one section a source."""
        root = Path(self.env.srcdir)
        path = root / "data" / "reproduction.csv"
        self.env.note_dependency(str(path))
        with path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        counts = {status: sum(row["status"] == status for row in rows) for status in MARKS}
        summary = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        result: list[nodes.Node] = [nodes.paragraph("", f"{len(rows)} rows: {summary}.")]
        for source in dict.fromkeys(row["source"] for row in rows):
            name = f"reproduction {source.lower()}"
            section = nodes.section("", nodes.title("", source), ids=[nodes.make_id(name)], names=[name])
            self.state.document.note_implicit_target(section, section)
            section += self._table([row for row in rows if row["source"] == source])
            result.append(section)
        return result

    def _table(self, rows: list[dict[str, str]]) -> nodes.container:
        group = nodes.tgroup("", *(nodes.colspec("", colwidth=width) for width in WIDTHS), cols=len(WIDTHS))
        group += nodes.thead("", nodes.row("", *(_cell(head) for head in HEADS)))
        body = nodes.tbody("")
        for row in rows:
            sign, colour = MARKS[row["status"]]
            what = nodes.paragraph("", "", nodes.inline("", sign, classes=["svt-mark", f"svt-mark-{colour}"]))
            what += nodes.Text(f" {row['item']}")
            place = f", chapter {row['chapter']}" if row["chapter"] else ", in no chapter"
            status = nodes.paragraph("", f"{row['status']}{place}. {row['note']}", classes=["svt-why"])
            seed = f"seed {row['seed']}" if row["seed"].isdigit() else f"seed: {row['seed']}" if row["seed"] else ""
            seconds = f"{row['seconds']} s" if row["seconds"] else ""
            body += nodes.row(
                "",
                nodes.entry("", what, status),
                _cell(row["theirs"] or "–"),
                _cell(row["ours"] or "–"),
                _cell(row["tolerance"] or "–", seed, seconds),
            )
        group += body
        return nodes.container("", nodes.table("", group), classes=["svt-table"])


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-reproduction", Reproduction)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
