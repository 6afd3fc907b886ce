"""Tables of the pages that are made from data: how their nodes fit together, said once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docutils import nodes


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
