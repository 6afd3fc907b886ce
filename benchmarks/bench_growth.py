"""How the cost grows: `svt.simulate` and the one-shot exponential mechanism by items, by c and by trials.

Run with `make bench`.
"""

from __future__ import annotations

import numpy as np
from record import Call, Recorder

import svtlib as svt

DATASETS = ("bms-pos", "kosarak", "aol")
CUTOFFS = (25, 100, 300)
TRIALS = (1, 10, 100, 1_000, 10_000)
METHODS = ("simulate", "exponential_mechanism")


def call(method: str, dataset: str, c: int, trials: int) -> Call:
    """`trials` runs of one method on a dataset's histogram of scores, epsilon 0.1."""
    scores = svt.load_scores(dataset)
    rng = np.random.default_rng(1)
    mechanism = svt.variant("alg1").calibrate(epsilon=0.1, c=c, monotonic=True)
    level = scores.threshold(c)

    def select() -> object:
        if method == "simulate":
            return svt.simulate(mechanism, scores, level, trials=trials, rng=rng)
        return svt.exponential_mechanism(scores, c, epsilon=0.1, monotonic=True, trials=trials, rng=rng)

    return Call("", select)


def main() -> None:
    """Print and record one line a method and size."""
    with Recorder("growth") as record:
        for method in METHODS:
            grown = (
                ("by items, c = 100, 100 trials", [(svt.load_scores(d).items, (d, 100, 100)) for d in DATASETS]),
                ("by c, AOL, 100 trials", [(c, ("aol", c, 100)) for c in CUTOFFS]),
                ("by trials, AOL, c = 100", [(trials, ("aol", 100, trials)) for trials in TRIALS]),
            )
            for what, cases in grown:
                for size, arguments in cases:
                    timed = call(method, *arguments)
                    record.race(size, [Call(f"svt.{method} {what}", timed.call)], repetitions=5)


if __name__ == "__main__":
    main()
