"""The search for a clipping bound of the capital gains, on 30,000 bounds: as Near & Abuah do it, and from the counts.

Their loop clips and sums the whole column twice for each bound; it is timed on 40 bounds and multiplied.
Run with `make bench`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from record import Call, Recorder

import svtlib as svt
from svtcourse.chapter.clipping import clipping_bound, first_positives

STEPS = np.arange(1, 150_000, 5)
ASKED, TIMED, RUNS = 20_001, 40, 1_000  # queries of the median search at epsilon = 1, those timed, runs at once
THEIRS, ONE, MANY = "a clipped sum for each query", "clipping_bound", "one of 1,000 runs, first_positives"


def difference(column: pd.Series, bound: int) -> float:
    """One query, as printed."""
    return float(column.clip(lower=0, upper=bound).sum() - column.clip(lower=0, upper=bound + 1).sum())


def loop(column: pd.Series, bounds: np.ndarray, epsilon: float) -> int:
    """Near & Abuah's AboveThreshold over these queries; the threshold is out of reach, so that it goes through all."""
    bar = 1e9 + np.random.laplace(loc=0, scale=2 / epsilon)  # noqa: NPY002
    for index, bound in enumerate(bounds):
        noise = np.random.laplace(loc=0, scale=4 / epsilon)  # noqa: NPY002
        if difference(column, int(bound)) + noise >= bar:
            return index
    return -1


def main() -> None:
    """Print and record one line a case."""
    gain = svt.load_adult("capital_gain")
    column = pd.Series(np.repeat(gain.values, gain.count))
    mechanism = svt.variant("above_threshold").calibrate(epsilon=1 / 3)
    rng = np.random.default_rng(1)
    few = STEPS[:: STEPS.size // TIMED][:TIMED]
    calls = [
        Call(THEIRS, lambda: loop(column, few, 1 / 3), relative_to=ONE, weight=ASKED / TIMED),
        Call(ONE, lambda: clipping_bound(gain, STEPS, mechanism, rng=rng), target="<= 0.1 s"),
        Call(
            MANY,
            lambda: first_positives(mechanism, -gain.rows_above(STEPS), trials=RUNS, rng=rng),
            relative_to=ONE,
            target="<= 0.1",
            weight=1 / RUNS,
        ),
    ]
    with Recorder("clipping") as record:
        record.race(STEPS.size, calls, repetitions=9)


if __name__ == "__main__":
    main()
