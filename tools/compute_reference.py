"""Compute again the tables in data/computed, all of them or those named: half an hour on two cores.

The seed of every row is [SEED, its row], so any row can be computed again on its own; tests do so for some.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from pandas import DataFrame, concat

from svtlib.teaching.mutations import harmless, mutations, power_table
from svtlib.utility.experiments import METHODS, Method, sweep, table3_grid
from svtlib.utility.metrics import ser
from svtlib.utility.scores import load_scores

TRIALS, SEED = 10_000, 2026
AUDITS = 100_000
FOLDER = Path(__file__).resolve().parent.parent / "data" / "computed"
INCREMENTS = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]


def raised(dataset: str, c: int, deviations: float, row: int) -> tuple[float, float]:
    """Mean and standard deviation of SER of SVT-ReTr-1:c^(2/3) at epsilon = 0.1; "em" where `deviations` is inf."""
    best = METHODS["SVT-ReTr-1:c^(2/3)"]
    method = Method("em") if math.isinf(deviations) else replace(best, scales=0.0, deviations=deviations)
    rng = np.random.default_rng([SEED, row])
    runs = method.select(load_scores(dataset), epsilon=0.1, c=c, trials=TRIALS, rng=rng)
    return float(ser(runs).mean()), float(ser(runs).std())


def retraversal() -> DataFrame:
    """SER of re-traversal by the increment of the threshold."""
    places = [
        (name, c, d) for name in ("bms-pos", "kosarak") for c in (100, 200, 250, 300) for d in (*INCREMENTS, math.inf)
    ]
    rows = [(*place, *raised(*place, row)) for row, place in enumerate(places)]
    return DataFrame(rows, columns=["scores", "c", "deviations", "ser_mean", "ser_std"])


def table3() -> DataFrame:
    """The 240 cells of Table 3."""
    return sweep(*table3_grid(), trials=TRIALS, seed=SEED, n_jobs=-1)


def check(row: int) -> DataFrame:
    """What the three checks say about one changed mechanism, one row of `checks`; "—" stands for nothing."""
    change = (*mutations(), *harmless())[row]
    table = power_table(np.random.default_rng([SEED, row]), [change], trials=AUDITS).reset_index()
    table.insert(1, "private", change.step is None)
    return table.replace("", "—")


def checks() -> DataFrame:
    """The power table of the three checks, over what is damaged and what is changed and still private."""
    return concat([check(row) for row in range(len(mutations()) + len(harmless()))], ignore_index=True)


MAKERS: dict[str, Callable[[], DataFrame]] = {
    "checks_100000": checks,
    "retraversal_10000": retraversal,
    "table3_10000": table3,
}


def main(names: list[str]) -> int:
    """Write the files of these names."""
    unknown = set(names) - set(MAKERS)
    if unknown:
        print(f"No table {', '.join(sorted(unknown))}: name some of {', '.join(MAKERS)}.")
        return 1
    for name in names or MAKERS:
        begun = time.monotonic()
        MAKERS[name]().round(6).to_csv(FOLDER / f"{name}.csv", index=False, lineterminator="\n")
        print(f"{name}.csv after {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
