"""Table 3 of Lyu, Su & Li 2016, 240 cells of 100 runs: the grouped simulation against going through all items.

The other two are extrapolated: numpy from one run of every cell instead of 100, the loop over single items from the
number of items that those runs looked at and the time that Near & Abuah's loop takes for one.
Run with `make bench`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from itertools import product

import numpy as np
from record import Recorder

import svtlib as svt
from svtcourse.chapter.experiments import DATASETS, GRIDS, METHODS, Method, sweep
from svtlib.select.scores import Scores

TRIALS = 100
ITEMS_LOOPED = 200_000


def one_run(method: Method, scores: Scores, items: np.ndarray, epsilon: float, c: int, rng: np.random.Generator) -> int:
    """One run over all items by numpy: shuffle, draw, compare, keep the first c; return how many were looked at."""
    if method.key == "em":
        np.argpartition(items + c / epsilon * rng.gumbel(size=items.size), items.size - c)
        return items.size
    mechanism, threshold = method.mechanism(epsilon, c), method.threshold(scores, epsilon, c)
    left = rng.permutation(items)
    if mechanism.refresh:
        return len(svt.run(mechanism, left, threshold, rng=rng).outcome)
    bar = threshold + mechanism.threshold_noise.sample(rng)
    found = looked_at = 0
    while left.size:
        positive = np.flatnonzero(left + mechanism.query_noise.sample(rng, left.size) >= bar)
        if found + positive.size >= c:
            return looked_at + int(positive[c - found - 1]) + 1
        found, looked_at = found + positive.size, looked_at + left.size
        if method.passes == 1:
            break
        left = np.delete(left, positive)
    return looked_at


def loop(queries: list[Callable[[list[float]], float]], data: list[float], bar: float, scale: float) -> int:
    """Go through items as Near & Abuah do: for each a query, a draw of `numpy.random` and a comparison."""
    for index, query in enumerate(queries):
        noise = np.random.laplace(loc=0, scale=scale)  # noqa: NPY002
        if query(data) + noise >= bar:
            return index
    return -1


def timed(call: object) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - start


def table3(trials: int, n_jobs: int = -1) -> object:
    """All 240 cells, this many runs of each."""
    return sweep(*GRIDS["table 3"], trials=trials, seed=2016, n_jobs=n_jobs)


def main() -> None:
    """Print and record one line a method."""
    datasets, epsilons, cs, methods = GRIDS["table 3"]
    size = len(datasets) * len(epsilons) * len(cs) * len(methods)
    rng = np.random.default_rng(1)
    with Recorder("table3") as record:
        table3(1)  # processes are started once
        both, alone = [], []
        for _ in range(3):
            both.append(timed(lambda: table3(TRIALS)))
            alone.append(timed(lambda: table3(TRIALS, n_jobs=1)))
        ours, shared = statistics.median(alone), statistics.median(both)
        record.add("experiments.sweep, all cores", size, shared, 3, target="<= 10 s")
        record.add("experiments.sweep, one process", size, ours, 3)
        seconds, looked_at = 0.0, 0
        for dataset in datasets:
            scores = svt.load_scores(DATASETS[dataset])
            items = np.repeat(scores.support, scores.count)
            for epsilon, c, name in product(epsilons, cs, methods):
                start = time.perf_counter()
                looked_at += one_run(METHODS[name], scores, items, epsilon, c, rng)
                seconds += time.perf_counter() - start
        one = "experiments.sweep, one process"
        whole = seconds * TRIALS
        what = "numpy over all items, one process (from 1 run of 100)"
        record.add(what, size, whole, 1, one, f"{whole / ours:.3g}", ">= 50")
        aol = svt.load_scores("aol")
        part = rng.permutation(np.repeat(aol.support, aol.count))[:ITEMS_LOOPED].tolist()
        queries: list[Callable[[list[float]], float]] = [lambda data, i=i: data[i] for i in range(ITEMS_LOOPED)]
        each = statistics.median(timed(lambda: loop(queries, part, 1e9, 1e3)) for _ in range(3)) / ITEMS_LOOPED
        whole = each * looked_at * TRIALS
        what = f"loop over single items, one process (from {ITEMS_LOOPED:,} items)"
        every = "experiments.sweep, all cores"
        record.add(what, size, whole, 3, every, f"{whole / shared:.3g}", ">= 2000")


if __name__ == "__main__":
    main()
