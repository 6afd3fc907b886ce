"""Score distributions of the published experiments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.files import damaged, read_table, whole_number
from svtlib.validate import choice, count, finite, finite_array


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """A score distribution: how many items have each score.

    Items with equal scores are exchangeable, so this is all that an experiment on selection needs.

    Parameters
    ----------
    support : array_like, shape (m,)
        The distinct scores, strictly descending. For a transaction dataset the number of records that contain the
        item, so that one record changes every score by at most 1.
    count : array_like of int, shape (m,)
        How many items have each score, at least 1; at most 10^12 in all.
    status : {"exact", "exact head", "estimate"}
        Whether every score is exact, only the high ones, or none.
    source : str
        Where the numbers come from, and from where on they are modelled.
    name : str
        The name that `load_scores` knows the distribution by.

    Raises
    ------
    ValueError
        If the arrays are empty, differ in length, are not finite, not strictly descending, or a count is not a
        whole number of at least 1, or they sum to more than 10^12.

    Examples
    --------
    >>> Scores([7, 5, 1], [1, 2, 4], "exact", "made up").top(4)
    array([7., 5., 5., 1.])
    """

    support: NDArray[np.float64]
    count: NDArray[np.int64]
    status: str
    source: str
    name: str = "scores"

    def __post_init__(self) -> None:
        support = finite_array("support", self.support)
        counts = _counts("count", self.count, support.size)
        steps = np.flatnonzero(support[1:] >= support[:-1])
        if steps.size:
            first, second = support[steps[0]], support[steps[0] + 1]
            raise ValueError(f"support must be strictly descending, got {second:.12g} after {first:.12g}")
        choice("status", self.status, _STATUSES)
        object.__setattr__(self, "support", _frozen(support))
        object.__setattr__(self, "count", counts)

    @classmethod
    def of(cls, scores: ArrayLike, *, name: str = "scores") -> Scores:
        """The distribution of these scores, one for each item: a list, an array, a pandas or polars Series.

        Examples
        --------
        >>> Scores.of([3, 2, 1, 2])
        Scores(scores: 4 items, 3 distinct scores from 3 down to 1; exact)
        """
        values = finite_array("scores", scores, copy=False)
        if not values.size:
            raise ValueError("scores must have at least one entry, got none")
        support, number = np.unique(values, return_counts=True)
        return cls(support[::-1], number[::-1], "exact", f"{values.size:,} scores as given", name)

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.count.sum())

    @property
    def total(self) -> float:
        """Sum of the scores of all items."""
        return float(self.support @ self.count)

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Rank of the last item with each score, 1 for the highest, shape (m,): with `support`, the score curve."""
        return np.cumsum(self.count)

    def top(self, k: int) -> NDArray[np.float64]:
        """Return the k highest scores, descending, for a k from 1 to the number of items and at most 10^8.

        Examples
        --------
        >>> load_scores("kosarak").top(3)
        array([601374., 450031., 364065.])
        """
        k = count("k", k, most=min(self.items, _MOST_LISTED))
        groups = int(np.searchsorted(self.ranks, k)) + 1
        return np.repeat(self.support[:groups], self.count[:groups])[:k]

    def at_rank(self, k: int) -> float:
        """Return the k-th highest score, for a k from 1 to the number of items.

        Examples
        --------
        >>> load_scores("kosarak").at_rank(3)
        364065.0
        """
        return float(self.support[np.searchsorted(self.ranks, count("k", k, most=self.items))])

    def above(self, threshold: float) -> int:
        """Return how many items have a score of at least `threshold`, a finite number.

        Examples
        --------
        >>> load_scores("kosarak").above(100_000)
        4
        """
        return int(self.count[self.support >= finite("threshold", threshold)].sum())

    def threshold(self, c: int) -> float:
        """Return the mean of the c-th and the (c+1)-th highest score, for a c less than the number of items.

        The experiments of Lyu, Su & Li (2017, sec. 6) use it as the threshold that should select c items.
        It is computed from the data and so depends on them: it must not be printed. Using it costs nothing with
        monotonic counts, because it moves with them, and another epsilon1 without.

        Examples
        --------
        >>> Scores([7, 5, 1], [1, 2, 4], "exact", "made up").threshold(3)
        3.0
        """
        c = count("c", c, most=self.items - 1)
        return (self.at_rank(c) + self.at_rank(c + 1)) / 2

    def top_weight(self, c: int) -> NDArray[np.float64]:
        """Return the probability that an item of each score is of the true top c, ties broken at random, shape (m,).

        Examples
        --------
        >>> Scores([7, 5, 1], [1, 2, 4], "exact", "made up").top_weight(2)
        array([1. , 0.5, 0. ])
        """
        before, until = self._places(c)
        return np.asarray((until - before) / self.count)

    def rank_weight(self, c: int) -> NDArray[np.float64]:
        """Return the mean over the items of each score of max(c + 1 - rank, 0), shape (m,).

        Examples
        --------
        >>> Scores([7, 5, 1], [1, 2, 4], "exact", "made up").rank_weight(3)
        array([3. , 1.5, 0. ])
        """
        before, until = self._places(c)
        left, still_left = c - before, c - until
        return np.asarray((left * (left + 1) - still_left * (still_left + 1)) / 2 / self.count)

    def _places(self, c: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many of the c best places lie before, and until the end of, each group of equal scores."""
        c = count("c", c, most=self.items)
        return np.minimum(self.ranks - self.count, c), np.minimum(self.ranks, c)

    def __repr__(self) -> str:
        return (
            f"Scores({self.name}: {self.items:,} items, {self.support.size:,} distinct scores "
            f"from {self.support[0]:,.6g} down to {self.support[-1]:,.6g}; {self.status})"
        ).replace("e+06", "e6")


def load_scores(name: str, *, c: int | None = None) -> Scores:
    """Return one of the score distributions of the published experiments.

    Parameters
    ----------
    name : {"bms-pos", "kosarak", "aol", "zipf", "zipf10k", "binary", "t40i10d100k", "adult"}
        The four datasets of Lyu, Su & Li are bms-pos, kosarak, aol and zipf (10,000 items, score proportional to
        1/i, sum 1,000,000); those of Liu et al. are zipf10k (10,000/i), binary, t40i10d100k, adult, kosarak and aol.
    c : int, optional
        Only for ``"binary"``, and needed there: how many of the 10,000 items have the score 1,000; the others have 0.

    Returns
    -------
    Scores
        Checked against the recorded number of items, sum of scores and number of records.

    Raises
    ------
    ValueError
        If the name is unknown, c is missing, out of range or not wanted, or the data file is missing or damaged
        (naming it and what is wrong).

    Examples
    --------
    >>> load_scores("kosarak")
    Scores(kosarak: 41,270 items, 1,928 distinct scores from 601,374 down to 1; exact head)
    >>> load_scores("binary", c=50).threshold(50)
    500.0
    """
    choice("name", name, _NAMES)
    if name == "binary":
        if c is None:
            raise ValueError("c must be given for 'binary': how many items have the score 1,000, got None")
        c = count("c", c, most=_SYNTHETIC_ITEMS - 1)
        sizes = np.array([c, _SYNTHETIC_ITEMS - c])
        return Scores(np.array([1000.0, 0.0]), sizes, "exact", f"{_LIU}: {c} items at 1,000, others 0", name)
    if c is not None:
        raise ValueError(f"c must be left out for {name!r}, only 'binary' takes it, got {c!r}")
    if name in _FORMULAS:
        formula, source = _FORMULAS[name]
        index = np.arange(1, _SYNTHETIC_ITEMS + 1)
        return Scores(formula(index), np.ones_like(index), "exact", source, name)
    return _load_counted(name, _COUNTED[name])


class _Recorded(NamedTuple):
    """What a score file must hold: loading checks it."""

    records: int
    items: int
    total: int
    status: str
    source: str


_MOST_ITEMS = 10**12  # then an item of a trial has a number below 2^63
_MOST_LISTED = 10**8
_STATUSES = ("exact", "exact head", "estimate")
_SYNTHETIC_ITEMS = 10_000
_LIU = "Liu et al. 2024, sec. 5"

# Items and sums as counted when the files were made; records as published (data/README.md).
_COUNTED = {
    "bms-pos": _Recorded(
        515_597, 1_657, 3_367_020, "estimate",
        "BMS-POS (KDD Cup 2000, contributed by Blue Martini Software): 275,000 transactions counted, the rest "
        "extrapolated to the published total; the top 300 is off by about 2 %",
    ),
    "kosarak": _Recorded(
        990_002, 41_270, 8_018_992, "exact head",
        "Kosarak (FIMI): supports of at least 991 (1,259 items) exact, the tail modelled from the first 100,000 "
        "transactions and the published totals",
    ),
    "aol": _Recorded(
        647_377, 2_290_685, 22_010_818, "exact head",
        "AOL as published with the PrivBasis code: supports of at least 1,295 (2,637 items) exact, the tail a smooth "
        "model",
    ),
    "t40i10d100k": _Recorded(100_000, 942, 3_960_507, "exact", "T40I10D100K (FIMI, synthetic), counted"),
    "adult": _Recorded(
        48_842, 123, 677_323, "exact", "UCI Adult in LIBSVM's 123 binary features (a9a and a9a.t), counted"
    ),
}  # fmt: skip

_FORMULAS: dict[str, tuple[Callable[[NDArray[np.int64]], NDArray[np.float64]], str]] = {
    "zipf": (
        lambda i: 1_000_000 / i / np.sum(1 / i),
        "Lyu, Su & Li 2016 and 2017: 10,000 items, score proportional to 1/i, sum 1,000,000, not rounded",
    ),
    "zipf10k": (lambda i: 10_000 / i, f"{_LIU}: 10,000 items, score 10,000/i"),
}

RECORDS = {**{name: recorded.records for name, recorded in _COUNTED.items()}, "zipf": 1_000_000}
"""Published number of records of each dataset that has records: no score can be larger."""

_NAMES = ("bms-pos", "kosarak", "aol", "zipf", "zipf10k", "binary", "t40i10d100k", "adult")


def _load_counted(name: str, recorded: _Recorded) -> Scores:
    file = f"scores/{name}.csv"
    rows = read_table(file, ["support", "count_of_items"])
    support, items = np.array([[whole_number(file, entry) for entry in row] for row in rows]).T
    try:
        scores = Scores(support, items, recorded.status, recorded.source, name)
    except ValueError as error:
        raise damaged(file, str(error)) from None
    if support[-1] < 1:
        raise damaged(file, f"the lowest support is {support[-1]}, which is below 1")
    if support[0] > recorded.records:
        raise damaged(file, f"the highest support is {support[0]:,}, but there are only {recorded.records:,} records")
    if scores.items != recorded.items:
        raise damaged(file, f"it has {scores.items:,} items, not {recorded.items:,}")
    if scores.total != recorded.total:
        raise damaged(file, f"the supports of all items sum to {scores.total:,.0f}, not to {recorded.total:,}")
    return scores


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _counts(name: str, values: Any, length: int) -> NDArray[np.int64]:
    array = finite_array(name, values)
    if array.size != length or not length:
        raise ValueError(f"{name} must have one entry for each of the {length} values, at least one, got {array.size}")
    wrong = (array < 1) | (array != np.round(array))
    if wrong.any():
        raise ValueError(f"{name} must be whole numbers of at least 1, got {array[wrong][0]:.12g}")
    if array.sum() > _MOST_ITEMS:
        raise ValueError(f"{name} must sum to at most {_MOST_ITEMS:,}, got {array.sum():.12g}")
    return _frozen(array.astype(np.int64))
