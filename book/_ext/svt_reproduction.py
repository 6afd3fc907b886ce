"""The directive of the reproduction report: the rows of `data/reproduction.csv`, one table a source."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from docutils import nodes
from page_tables import cell, mark, table
from sphinx.util.docutils import SphinxDirective

MARKS = {
    "reproduced": ("✓", "confirmed"),
    "with a correction": ("≈", "corrected"),
    "not reproducible": ("✗", "refuted"),
    "computed, nothing to compare": ("○", "open"),
}
HEADS = ("what", "theirs", "ours", "how close, seed, time")
WIDTHS = (34, 26, 26, 14)


def _cells(row: dict[str, str]) -> list[nodes.entry]:
    """What the row says, with the sign of its status."""
    sign, colour = MARKS[row["status"]]
    what = nodes.paragraph("", "", mark(sign, colour))
    what += nodes.Text(f" {row['item']}")
    place = f", chapter {row['chapter']}" if row["chapter"] else ", in no chapter"
    status = nodes.paragraph("", f"{row['status']}{place}. {row['note']}", classes=["svt-why"])
    seed = f"seed {row['seed']}" if row["seed"].isdigit() else f"seed: {row['seed']}" if row["seed"] else ""
    seconds = f"{row['seconds']} s" if row["seconds"] else ""
    close = cell(row["tolerance"] or "–", seed, seconds)
    return [nodes.entry("", what, status), cell(row["theirs"] or "–"), cell(row["ours"] or "–"), close]


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
            section += table(HEADS, WIDTHS, [_cells(row) for row in rows if row["source"] == source])
            result.append(section)
        return result


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-reproduction", Reproduction)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
