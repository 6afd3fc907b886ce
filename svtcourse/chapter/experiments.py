"""The published experiments on selecting the top c, as tidy tables.

A method is a row of a list: which variant, how its budget is split, how often it may go through the items, and by how
much the threshold is raised.
Every cell has a seed of its own, made from the seed of the experiment and its place in the full grid of that call, so a
table does not depend on how many processes computed it.
The cells run through joblib: on all cores of this machine, or on a cluster inside
`joblib.parallel_config(backend="dask")`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svtcourse.chapter.whole_sets import draw_sets, one_shot
from svtlib import validate
from svtlib.catalogue import variant
from svtlib.mechanism import Mechanism
from svtlib.scales import Split
from svtlib.select.expectation import expected_error
from svtlib.select.scores import RECORDS, Scores, load_scores
from svtlib.select.selections import Selections
from svtlib.select.simulate import exponential_mechanism, simulate

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["DATASETS", "GRIDS", "METHODS", "RIVALS", "Method", "cell", "errors", "expected", "sweep", "table1"]

DATASETS = {"BMS-POS": "bms-pos", "Kosarak": "kosarak", "AOL": "aol", "Zipf": "zipf"}
"""The names that Lyu, Su & Li give the datasets, and ours."""

_AT_ONCE = 1_000  # trials, so that no table of trials by blocks grows large


@dataclass(frozen=True)
class Method:
    """One method of selecting c items from a list in random order, with monotonic scores of sensitivity 1.

    Attributes
    ----------
    key : str
        The variant; "em" for the exponential mechanism, "one_shot" and "whole_sets" for its rivals.
    split : Split or None
        epsilon2 / epsilon1 as a function of c; None takes the source's own.
    passes : int or inf
        As for `simulate`.
    scales, deviations : float
        By how many scales, or standard deviations, of the query noise the threshold is raised.
    """

    key: str
    split: Split | None = None
    passes: float = 1
    scales: float = 0.0
    deviations: float = 0.0

    def mechanism(self, epsilon: float, c: int) -> Mechanism:
        """The SVT of this method."""
        split = None if self.split is None else self.split(c, True)
        return variant(self.key).calibrate(epsilon=epsilon, c=c, monotonic=True, split=split)

    def threshold(self, scores: Scores, epsilon: float, c: int) -> float:
        """The mean of the c-th and the (c+1)-th score, raised as the method says."""
        if not (self.scales or self.deviations):
            return scores.threshold(c)
        noise = self.mechanism(epsilon, c).query_noise
        deviation = math.sqrt(noise.variance)
        return scores.threshold(c) + self.scales * noise.scale + self.deviations * deviation

    def select(self, scores: Scores, *, epsilon: float, c: int, trials: int, rng: np.random.Generator) -> Selections:
        """Run the method `trials` times."""
        if self.key == "em":
            return exponential_mechanism(scores, c, epsilon=epsilon, monotonic=True, trials=trials, rng=rng)
        if self.key == "one_shot":
            return one_shot(scores, c, scale=c / epsilon, trials=trials, rng=rng)
        if self.key == "whole_sets":
            return draw_sets(scores, c, scale=2 / epsilon, trials=trials, rng=rng)
        threshold = self.threshold(scores, epsilon, c)
        return simulate(self.mechanism(epsilon, c), scores, threshold, trials=trials, rng=rng, passes=self.passes)


_EVEN, _THREE, _C, _BEST = Split(), Split(3), Split(power=1.0), Split(power=2 / 3)

METHODS = {
    "SVT-DPBook": Method("alg2"),
    "SVT-S-1:1": Method("alg7", _EVEN),
    "SVT-S-1:3": Method("alg7", _THREE),
    "SVT-S-1:c": Method("alg7", _C),
    "SVT-S-1:c^(2/3)": Method("alg7", _BEST),
    "SVT-ReTr-1:1": Method("alg7", _EVEN, math.inf, scales=1),
    "SVT-ReTr-1:c^(2/3)": Method("alg7", _BEST, math.inf, scales=1),
    **{f"SVT-ReTr-1:c^(2/3) {k}D": Method("alg7", _BEST, math.inf, deviations=k) for k in range(1, 6)},
    "EM": Method("em"),
}
"""The methods of both versions by the names of Table 3 (2016); "1D" to "5D" are the increments of Figure 5 (2017)."""

RIVALS = {"exponential noise": Method("one_shot"), "EM, whole sets": Method("whole_sets")}
"""What is newer, for a list that is known (chapter 18): exponential noise in one shot, and one round over all sets."""

_PRINTED = [name for name in METHODS if not name.endswith("D")]
_ONCE = [name for name in _PRINTED if name.startswith("SVT-S")]
_CURVES: tuple[list[str], list[float], range] = (list(DATASETS), [0.1], range(25, 301, 25))

GRIDS: dict[str, tuple[list[str], list[float], Sequence[int], list[str]]] = {
    "table 3": (list(DATASETS)[:3], [0.1, 0.5], [50, 100, 150, 200, 300], _PRINTED),
    "figure 4": (*_CURVES, ["SVT-DPBook", *_ONCE]),
    "figure 5": (*_CURVES, [name for name in METHODS if name.endswith("D") or name == "EM"]),
}
"""What `sweep` takes for Table 3 of 2016 and Figures 4 and 5 of 2017: datasets, budgets, numbers wanted, methods."""


def table1() -> DataFrame:
    """Return Table 1 of Lyu, Su & Li 2017, and how well each dataset is known here.

    Returns
    -------
    DataFrame[dataset, records, items, distinct, status]
        Items and distinct scores are counted; the number of records is the published one, which no count of items can
        tell.

    Examples
    --------
    >>> print(table1().to_string(index=False))
    dataset  records   items  distinct     status
    BMS-POS   515597    1657       744   estimate
    Kosarak   990002   41270      1928 exact head
        AOL   647377 2290685      2984 exact head
       Zipf  1000000   10000     10000      exact
    """
    import pandas as pd

    rows = []
    for title, name in DATASETS.items():
        scores = load_scores(name)
        rows.append((title, RECORDS[name], scores.items, scores.support.size, scores.status))
    return pd.DataFrame(rows, columns=["dataset", "records", "items", "distinct", "status"])


@lru_cache
def _scores(dataset: str) -> Scores:
    """A dataset, read once in every process."""
    return load_scores(DATASETS[dataset])


def cell(
    dataset: str, epsilon: float, c: int, method: str, *, trials: int, seed: int | Sequence[int]
) -> dict[str, Any]:
    """Run one method on one dataset, and return mean and standard deviation of its SER (by c) and FNR.

    Parameters
    ----------
    dataset : str
        A key of `DATASETS`.
    epsilon : float
    c : int
    method : str
        A key of `METHODS` or of `RIVALS`.
    trials : int
    seed : int or sequence of int
        For `numpy.random.default_rng`.

    Returns
    -------
    dict
        dataset, epsilon, c, method, ser_mean, ser_std, fnr_mean, fnr_std.

    Raises
    ------
    ValueError
        If a name is unknown or a number out of range.

    Examples
    --------
    >>> round(cell("AOL", 0.5, 100, "EM", trials=100, seed=1)["ser_mean"], 4)
    0.0002
    """
    found = errors(dataset, epsilon, c, method, trials=trials, seed=seed)
    spread = {f"{name}_{what}": float(getattr(x, what)()) for name, x in found.items() for what in ("mean", "std")}
    return {"dataset": dataset, "epsilon": epsilon, "c": c, "method": method, **spread}


def errors(
    dataset: str, epsilon: float, c: int, method: str, *, trials: int, seed: int | Sequence[int]
) -> dict[str, NDArray[np.float64]]:
    """Run one method on one dataset, and return "ser" (by c) and "fnr" of every run: what `cell` summarises."""
    validate.choice("dataset", dataset, DATASETS)
    how = {**METHODS, **RIVALS}[validate.choice("method", method, (*METHODS, *RIVALS))]
    scores, rng = _scores(dataset), np.random.default_rng(seed)
    lost, missed = [], []
    for start in range(0, validate.count("trials", trials), _AT_ONCE):
        several = min(_AT_ONCE, trials - start)
        runs = how.select(scores, epsilon=epsilon, c=c, trials=several, rng=rng)
        lost.append(runs.ser())
        missed.append(runs.fnr())
    return {"ser": np.concatenate(lost), "fnr": np.concatenate(missed)}


def sweep(
    datasets: Sequence[str],
    epsilons: Sequence[float],
    cs: Sequence[int],
    methods: Sequence[str],
    *,
    trials: int,
    seed: int,
    n_jobs: int = -1,
) -> DataFrame:
    """Run every method on every dataset for every epsilon and c.

    Parameters
    ----------
    datasets, methods : sequence of str
        Keys of `DATASETS` and `METHODS`.
    epsilons : sequence of float
    cs : sequence of int
    trials, seed : int
    n_jobs : int
        Processes, as joblib counts them: -1 for all cores. The result does not depend on it.

    Returns
    -------
    DataFrame
        One row for each combination, in the order of the arguments, with the columns of `cell`.

    Examples
    --------
    >>> sweep(["AOL"], [0.5], [50, 100], ["EM"], trials=10, seed=1, n_jobs=1).shape
    (2, 8)
    """
    import pandas as pd
    from joblib import Parallel, delayed

    seed = validate.count("seed", seed, least=0, most=2**64)
    grid = list(product(datasets, epsilons, cs, methods))
    jobs = (delayed(cell)(*place, trials=trials, seed=[seed, k]) for k, place in enumerate(grid))
    return pd.DataFrame(Parallel(n_jobs=n_jobs)(jobs))


def expected(
    datasets: Sequence[str], epsilons: Sequence[float], cs: Sequence[int], methods: Sequence[str], *, n_jobs: int = -1
) -> DataFrame:
    """Return the expectations that the runs of `sweep` scatter around, computed without runs.

    Parameters
    ----------
    datasets, epsilons, cs, methods, n_jobs
        As for `sweep`; only the methods that go through the items once with one noisy threshold: "SVT-S-…".

    Returns
    -------
    DataFrame[dataset, epsilon, c, method, ser, ser_of_selected, fnr, selected, fewer, error]

    Examples
    --------
    >>> expected(["AOL"], [0.5], [50], ["SVT-S-1:1"], n_jobs=1).round(4).ser.item()
    0.0057
    """
    import pandas as pd
    from joblib import Parallel, delayed

    grid = list(product(datasets, epsilons, cs, methods))
    rows = Parallel(n_jobs=n_jobs)(delayed(_expected)(*place) for place in grid)
    places = pd.DataFrame(grid, columns=["dataset", "epsilon", "c", "method"])
    return places.join(pd.DataFrame([vars(row) for row in rows]))


def _expected(dataset: str, epsilon: float, c: int, method: str) -> Any:
    validate.choice("dataset", dataset, DATASETS)
    how = METHODS[validate.choice("method", method, _ONCE)]
    scores = _scores(dataset)
    return expected_error(how.mechanism(epsilon, c), scores, how.threshold(scores, epsilon, c))
