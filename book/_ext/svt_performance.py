"""The directive of the performance page: the rows of one benchmark in `data/performance.csv`, as a table."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from page_tables import FromData, cell, table

HEADS = ("what", "size", "time", "compared")
WIDTHS = (44, 14, 14, 28)


def spoken(seconds: float) -> str:
    """A time with three digits, in the unit that suits it."""
    seconds = float(f"{seconds:.3g}")
    unit, factor = ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    return f"{_digits(seconds * factor)}\u00a0{unit}"


def met(row: dict[str, str]) -> bool:
    """Whether the measured ratio, or the time where the target is in seconds, is within the target."""
    sign, bound, *unit = row["target"].split()
    value = float(row["seconds" if unit else "ratio"])
    return value <= float(bound) if sign == "<=" else value >= float(bound)


def _digits(value: float, digits: int = 3) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.{digits}g}"


def _compared(row: dict[str, str]) -> list[str]:
    """The ratio and what it is to, and the target with whether it was met."""
    lines = [f"{_digits(float(row['ratio']), 4)} × {row['relative_to']}"] if row["ratio"] else []
    if row["target"]:
        target = row["target"].replace("<=", "≤").replace(">=", "≥")
        if target.endswith(" s"):
            target = f"{target[0]} {spoken(float(target.split()[1]))}"
        lines.append(f"target {target}: {'met' if met(row) else 'missed'}")
    return lines


class Performance(FromData):
    """`{svt-performance} NAME`: what `benchmarks/bench_NAME.py` measured, and on what machine."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        rows = [row for row in self.rows("performance.csv") if row["benchmark"] == self.arguments[0]]
        if not rows:
            raise self.error(f"data/performance.csv has no rows of {self.arguments[0]!r}: run make bench")
        said = ((row["case"], f"{int(row['size']):,}", spoken(float(row["seconds"]))) for row in rows)
        cells = [(*map(cell, words), cell(*_compared(row))) for words, row in zip(said, rows, strict=True)]
        turns = sorted({int(row["repetitions"]) for row in rows})
        between = str(turns[0]) if len(turns) == 1 else f"{turns[0]} to {turns[-1]}"
        machines = "; ".join(dict.fromkeys(row["machine"] for row in rows))
        return [table(HEADS, WIDTHS, cells, caption=f"Medians of {between} turns on {machines}")]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-performance", Performance)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
