"""Counts of the rows of a dataset by value, and those of UCI Adult."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.files import damaged, read_table, whole_number
from svtlib.select.scores import _counts, _frozen
from svtlib.validate import choice, finite_array, non_negative

if TYPE_CHECKING:
    import pandas as pd

_ADULT_ROWS = 32_561
_ADULT_SOURCE = "UCI Adult, the 32,561 rows of adult.data, counted"
_TEXT_COLUMNS = ("sex", "income")
_ADULT = {
    "age": ("age",),
    "capital_gain": ("capital_gain",),
    "hours_per_week": ("hours_per_week",),
    "joint": ("age_from", "education_num", "sex", "income"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """How many rows of a dataset have each value of one column, or of several together.

    All but `series` is for one column, a ValueError for several.

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
        """Return how many rows have low <= value < high: a counting query, sensitivity 1. Ends may be infinite.

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
        """Return the sum over all rows of the value clipped to [0, upper]: sensitivity `upper`, at least 0.

        Examples
        --------
        Near & Abuah print this number for ``age_sum_query(adult, 30)``:

        >>> load_adult("age").clipped_sum(30)
        913809.0
        """
        values = self._column("clipped_sum")
        return float(np.clip(values, 0, non_negative("upper", upper)) @ self.count)

    def rows_above(self, bounds: ArrayLike) -> NDArray[np.float64]:
        """Return for each bound how many rows have a value above it: counting queries, sensitivity 1 and monotonic.

        Examples
        --------
        >>> load_adult("capital_gain").rows_above([0, 10_000, 50_000, 100_000])
        array([2712.,  770.,  159.,    0.])
        """
        values = self._column("rows_above")
        below = np.concatenate([[0], np.cumsum(self.count)])
        return np.asarray(
            self.rows - below[np.searchsorted(values, finite_array("bounds", bounds), side="right")], dtype=float
        )

    def mean(self) -> float:
        """Return the mean value over all rows, in the units of the column.

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
    parse = [str if key in _TEXT_COLUMNS else partial(whole_number, file) for key in columns]
    values = [tuple(read(entry) for read, entry in zip(parse, row, strict=False)) for row in rows]
    number = np.array([whole_number(file, row[-1]) for row in rows])
    try:
        counts = Counts(columns, values if len(columns) > 1 else [value for (value,) in values], number, _ADULT_SOURCE)
    except ValueError as error:
        raise damaged(file, str(error)) from None
    if counts.rows != _ADULT_ROWS:
        raise damaged(file, f"the counts sum to {counts.rows:,}, not to {_ADULT_ROWS:,} rows")
    return counts
