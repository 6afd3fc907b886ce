"""Compute again the two tables of 10,000 runs in data/computed: a quarter of an hour on two cores.

The seed of every cell is [SEED, its row], so any row can be computed again on its own; a test does so for some.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from pandas import DataFrame

from svtlib.utility.experiments import METHODS, Method, sweep, table3_grid
from svtlib.utility.metrics import ser
from svtlib.utility.scores import load_scores

TRIALS, SEED = 10_000, 2026
FOLDER = Path(__file__).resolve().parent.parent / "data" / "computed"
INCREMENTS = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]


def raised(dataset: str, c: int, deviations: float, row: int) -> tuple[float, float]:
    """Mean and standard deviation of SER of SVT-ReTr-1:c^(2/3) at epsilon = 0.1; "em" where `deviations` is inf."""
    best = METHODS["SVT-ReTr-1:c^(2/3)"]
    method = Method("em") if math.isinf(deviations) else replace(best, scales=0.0, deviations=deviations)
    rng = np.random.default_rng([SEED, row])
    runs = method.select(load_scores(dataset), epsilon=0.1, c=c, trials=TRIALS, rng=rng)
    return float(ser(runs).mean()), float(ser(runs).std())


def main() -> None:
    """Write both files."""
    begun = time.monotonic()
    places = [
        (name, c, d) for name in ("bms-pos", "kosarak") for c in (100, 200, 250, 300) for d in (*INCREMENTS, math.inf)
    ]
    rows = [(*place, *raised(*place, row)) for row, place in enumerate(places)]
    table = DataFrame(rows, columns=["scores", "c", "deviations", "ser_mean", "ser_std"])
    table.round(6).to_csv(FOLDER / "retraversal_10000.csv", index=False, lineterminator="\n")
    print(f"retraversal_10000.csv after {time.monotonic() - begun:.0f} s", flush=True)
    table = sweep(*table3_grid(), trials=TRIALS, seed=SEED, n_jobs=int(sys.argv[1]) if sys.argv[1:] else -1)
    table.round(6).to_csv(FOLDER / "table3_10000.csv", index=False, lineterminator="\n")
    print(f"table3_10000.csv after {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
