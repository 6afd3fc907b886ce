"""Time calls against each other, and keep the medians in data/performance.csv for the performance page.

A machine's speed drifts, so calls that are compared take turns, and a ratio is the median of the ratios turn by turn.
"""

from __future__ import annotations

import csv
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).resolve().parent.parent / "data" / "performance.csv"
COLUMNS = ("benchmark", "case", "size", "seconds", "relative_to", "ratio", "target", "repetitions", "machine")
LEAST = 0.005  # seconds: a shorter call is repeated within one turn until it takes as long


@dataclass(frozen=True)
class Call:
    """Something to time, and what it is held against."""

    case: str
    call: Callable[[], object]
    relative_to: str = ""  # the case of another call of the same race
    target: str = ""  # "<= 1.3" or ">= 50" for the ratio, "<= 0.003 s" for the time
    weight: float = 1.0  # how often the part that is timed fits into the whole
    before: Callable[[], object] | None = None  # run before each turn, not timed; such a call is made once a turn


def machine() -> str:
    """What the numbers depend on; no name of a machine, no date."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    try:
        memory = f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        memory = ""
    return f"{model}, {os.cpu_count()} cores{memory}; Python {platform.python_version()}, numpy {np.__version__}"


def measure(calls: Sequence[Call], repetitions: int) -> list[list[float]]:
    """Seconds of one call of each of `calls`, turn by turn; every second turn goes in the opposite order."""
    numbers = []
    for entry in calls:
        taken = _timed(entry, 1)  # the warm-up
        numbers.append(1 if entry.before else max(1, round(LEAST / max(taken, 1e-9))))
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(repetitions):
        for k in range(len(calls))[:: -1 if turn % 2 else 1]:
            times[k].append(_timed(calls[k], numbers[k]) / numbers[k] * calls[k].weight)
    return times


def _timed(entry: Call, number: int) -> float:
    if entry.before:
        entry.before()
    start = time.perf_counter()
    for _ in range(number):
        entry.call()
    return time.perf_counter() - start


class Recorder:
    """The rows of one benchmark: used as a context, it replaces the earlier rows in `file` at its end."""

    def __init__(self, benchmark: str, file: Path = FILE) -> None:
        self.benchmark, self.file = benchmark, file
        self.rows: list[dict[str, Any]] = []
        self.kept: set[str] = set()

    def race(self, size: int, calls: Sequence[Call], *, repetitions: int) -> None:
        """Time `calls` in turn and add a row for each; `size` is how many items (or runs) there are."""
        times = measure(calls, repetitions)
        cases = [entry.case for entry in calls]
        for entry, taken in zip(calls, times, strict=True):
            ratio = ""
            if entry.relative_to:
                other = times[cases.index(entry.relative_to)]
                ratio = f"{statistics.median(a / b for a, b in zip(taken, other, strict=True)):.4g}"
            self.add(entry.case, size, statistics.median(taken), repetitions, entry.relative_to, ratio, entry.target)

    def add(
        self,
        case: str,
        size: int,
        seconds: float,
        repetitions: int,
        relative_to: str = "",
        ratio: str = "",
        target: str = "",
    ) -> None:
        """Add one row and print it."""
        values = (self.benchmark, case, size, f"{seconds:.3g}", relative_to, ratio, target, repetitions, machine())
        self.rows.append(dict(zip(COLUMNS, values, strict=True)))
        against = f"{ratio} x {relative_to}" if ratio else ""
        print("   ".join(filter(None, [f"{1e3 * seconds:11.4f} ms", f"{case}, {size:,}", against, target])), flush=True)

    def skip(self, case: str, why: str) -> None:
        """Leave the earlier rows of `case` as they are."""
        self.kept.add(case)
        print(f"   skipped    {case}: {why}", flush=True)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> None:
        if error is not None:
            return
        before = []
        if self.file.exists():
            with self.file.open(encoding="utf-8", newline="") as lines:
                before = list(csv.DictReader(lines))
        others = [row for row in before if row["benchmark"] != self.benchmark]
        kept = [row for row in before if row["benchmark"] == self.benchmark and row["case"] in self.kept]
        with self.file.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted([*others, *self.rows, *kept], key=lambda row: row["benchmark"]))
