"""Score distributions of the published experiments, and counts from the Adult data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.files import damaged, read_table
from svtlib.validate import choice, count, finite, finite_array, non_negative

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RECORDS", "Counts", "Scores", "load_adult", "load_scores"]


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

        Parameters
        ----------
        scores : array_like, shape (n,)
        name : str

        Raises
        ------
        ValueError
            If there is none, or one is not a finite number.

        Examples
        --------
        >>> Scores.of([3, 2, 1, 2])
        Scores(scores: 4 items, 3 distinct scores from 3 down to 1; exact)
        """
        values = finite_array("scores", scores)
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
        """Return the k highest scores, descending, shape (k,).

        Parameters
        ----------
        k : int
            From 1 to the number of items.

        Raises
        ------
        ValueError
            If k is not a whole number in that range, or more than 10^8, which no list should hold.

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
        """Return how many items have a score of at least `threshold`.

        Parameters
        ----------
        threshold : float
            Finite, in the units of the scores.

        Raises
        ------
        ValueError
            If `threshold` is not finite.

        Examples
        --------
        >>> load_scores("kosarak").above(100_000)
        4
        """
        return int(self.count[self.support >= finite("threshold", threshold)].sum())

    def threshold(self, c: int) -> float:
        """Return the mean of the c-th and the (c+1)-th highest score.

        The experiments of Lyu, Su & Li (2017, sec. 6) use it as the threshold that should select c items.
        It is computed from the data and so depends on them: it must not be printed. Using it costs nothing with
        monotonic counts, because it moves with them, and another epsilon1 without.

        Parameters
        ----------
        c : int
            From 1 to the number of items less 1.

        Raises
        ------
        ValueError
            If c is not a whole number in that range.

        Examples
        --------
        >>> Scores([7, 5, 1], [1, 2, 4], "exact", "made up").threshold(3)
        3.0
        """
        c = count("c", c, most=self.items - 1)
        return (self.at_rank(c) + self.at_rank(c + 1)) / 2

    def __repr__(self) -> str:
        return (
            f"Scores({self.name}: {self.items:,} items, {self.support.size:,} distinct scores "
            f"from {self.support[0]:,.6g} down to {self.support[-1]:,.6g}; {self.status})"
        ).replace("e+06", "e6")


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """How many rows of a dataset have each value of one column, or of several together.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns, at least one.
    values : sequence, length m
        The distinct values, strictly ascending: numbers for one column, tuples for several.
    count : array_like of int, shape (m,)
        How many rows have each value, at least 1.
    source : str
        Where the numbers come from.

    Raises
    ------
    ValueError
        If lengths differ, values are not strictly ascending, or a count is not a whole number of at least 1.

    Examples
    --------
    >>> load_adult("age")
    Counts(age: 32,561 rows, 73 distinct values from 17 to 90)
    """

    columns: tuple[str, ...]
    values: Sequence[Any] | NDArray[Any]
    count: NDArray[np.int64]
    source: str

    def __post_init__(self) -> None:
        columns = tuple(self.columns)
        if not columns or isinstance(self.columns, str) or not all(isinstance(name, str) for name in columns):
            raise ValueError(f"columns must be a sequence of at least one name, got {self.columns!r}")
        values: Any
        if len(columns) == 1:
            values = _frozen(finite_array("values", self.values))
            if (values == np.round(values)).all():
                values = _frozen(values.astype(np.int64))
        else:
            values = tuple(map(tuple, self.values))
            wrong = [row for row in values if len(row) != len(columns)]
            if wrong:
                raise ValueError(f"values must have {len(columns)} entries each, got {wrong[0]!r}")
        for previous, current in pairwise(values):
            if not previous < current:
                raise ValueError(f"values must be strictly ascending, got {current} after {previous}")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "count", _counts("count", self.count, len(values)))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.count.sum())

    def between(self, low: float, high: float) -> int:
        """Return how many rows have low <= value < high: a counting query, sensitivity 1.

        Parameters
        ----------
        low, high : float
            In the units of the column, low <= high; infinite ends are allowed.

        Raises
        ------
        ValueError
            If low > high, either is NaN, or the counts are of several columns.

        Examples
        --------
        >>> load_adult("age").between(25, 30)
        4141
        """
        values = self._column("between")
        if not low <= high:
            raise ValueError(f"low must be at most high, got low={low!r} and high={high!r}")
        return int(self.count[(values >= low) & (values < high)].sum())

    def clipped_sum(self, upper: float) -> float:
        """Return the sum over all rows of the value clipped to [0, upper]: sensitivity `upper`.

        Parameters
        ----------
        upper : float
            Finite, at least 0.

        Raises
        ------
        ValueError
            If `upper` is negative or not finite, or the counts are of several columns.

        Examples
        --------
        Near & Abuah print this number for ``age_sum_query(adult, 30)``:

        >>> load_adult("age").clipped_sum(30)
        913809.0
        """
        values = self._column("clipped_sum")
        return float(np.clip(values, 0, non_negative("upper", upper)) @ self.count)

    def mean(self) -> float:
        """Return the mean value over all rows, in the units of the column.

        Raises
        ------
        ValueError
            If the counts are of several columns.

        Examples
        --------
        >>> round(load_adult("capital_gain").mean(), 2)
        1077.65
        """
        return float(self._column("mean") @ self.count) / self.rows

    def series(self) -> pd.Series[int]:
        """Return the counts as a pandas Series indexed by value; a MultiIndex for several columns.

        Examples
        --------
        >>> load_adult("joint").series().groupby("sex").sum().to_dict()
        {'Female': 10771, 'Male': 21790}
        """
        import pandas as pd

        index: pd.Index[Any]
        if len(self.columns) == 1:
            index = pd.Index(self.values, name=self.columns[0])
        else:
            index = pd.MultiIndex.from_tuples(list(self.values), names=list(self.columns))
        return pd.Series(self.count, index=index, name="count")

    def _column(self, method: str) -> NDArray[Any]:
        if len(self.columns) > 1:
            raise ValueError(f"{method} needs counts of one column, got {', '.join(self.columns)}: use series()")
        return np.asarray(self.values)

    def __repr__(self) -> str:
        label = " x ".join(self.columns)
        ends = f" from {self.values[0]:,} to {self.values[-1]:,}" if len(self.columns) == 1 else ""
        return f"Counts({label}: {self.rows:,} rows, {self.count.size:,} distinct values{ends})"


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


def load_adult(column: str) -> Counts:
    """Return counts of the 32,561 training rows of UCI Adult.

    Parameters
    ----------
    column : {"age", "capital_gain", "hours_per_week", "joint"}
        In years, dollars and hours; ``"joint"`` counts five-year age band (its lower end, `age_from`), years of
        education, sex and income together.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If the column is unknown, or its data file is missing or damaged (naming it and what is wrong).

    Examples
    --------
    >>> round(load_adult("age").mean(), 2)
    38.58
    """
    columns = _ADULT[choice("column", column, _ADULT)]
    file = f"adult/{column}.csv"
    rows = read_table(file, [*columns, "count"])
    parse = [str if key in _TEXT_COLUMNS else partial(_integer, file) for key in columns]
    values = [tuple(read(entry) for read, entry in zip(parse, row, strict=False)) for row in rows]
    number = np.array([_integer(file, row[-1]) for row in rows])
    try:
        counts = Counts(columns, values if len(columns) > 1 else [value for (value,) in values], number, _ADULT_SOURCE)
    except ValueError as error:
        raise damaged(file, str(error)) from None
    if counts.rows != _ADULT_ROWS:
        raise damaged(file, f"the counts sum to {counts.rows:,}, not to {_ADULT_ROWS:,} rows")
    return counts


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

_ADULT_ROWS = 32_561
_ADULT_SOURCE = "UCI Adult, the 32,561 rows of adult.data, counted"
_TEXT_COLUMNS = ("sex", "income")
_ADULT = {
    "age": ("age",),
    "capital_gain": ("capital_gain",),
    "hours_per_week": ("hours_per_week",),
    "joint": ("age_from", "education_num", "sex", "income"),
}


def _load_counted(name: str, recorded: _Recorded) -> Scores:
    file = f"scores/{name}.csv"
    rows = read_table(file, ["support", "count_of_items"])
    support, items = np.array([[_integer(file, entry) for entry in row] for row in rows]).T
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


def _integer(file: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise damaged(file, f"{text!r} is not a whole number") from None


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
