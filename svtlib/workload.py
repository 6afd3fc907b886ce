"""What one record can do to a family of queries: the premises that a worked example asserts.

A query here is a sum over the records of what each contributes, so a dataset and its neighbour differ by the
contributions of one record (or two), whatever the other records are.
Sensitivities are therefore maxima over the record domain alone.
They are exact: contributions are whole numbers or fractions.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from svtlib import validate

Exact: TypeAlias = int | Fraction
Query: TypeAlias = Callable[[Any], Any]

# A contribution beyond this is kept as a Python number, because its sums could overflow 64 bits.
_SMALL = 2**31

# More contributions than this are not listed: 128 MB.
_MOST = 2**24


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 30 else f"{text[:29]}…"


@dataclass(frozen=True)
class Sensitivity:
    """How far one step between neighbours can move the answers of a `Workload`, exactly.

    Attributes
    ----------
    neighbours : str
        "add/remove": a neighbour has one record more or less; "replace": it has another record in the place of one.
    each : dict of str to int or Fraction
        For each query the largest change of its answer.
    together : int or Fraction
        The largest sum of the changes of all answers: the joint sensitivity in the L1 norm.
        Laplace noise of scale together / epsilon on every answer makes the whole list epsilon-DP.
    changed : int
        The largest number of answers that one step changes; if it is 1, parallel composition needs no more noise for
        all the queries than for one.
    monotonic : bool
        True if no step moves one answer up and another one down.
    disjoint : bool
        True if no record contributes to two queries, under either relation.
    step : tuple of records
        A step that attains `together`: the record added or removed, or the two that take each other's place.

    Examples
    --------
    >>> ages = Workload(range(18, 91), {"minors": lambda a: a < 21, "young": lambda a: a < 30})
    >>> ages.sensitivity()
    Sensitivity(add/remove: one query 1, together 2, changes 2 of 2, monotonic, overlapping; attained by 18)
    """

    neighbours: str
    each: dict[str, Exact]
    together: Exact
    changed: int
    monotonic: bool
    disjoint: bool
    step: tuple[Any, ...]

    @property
    def one(self) -> Exact:
        """The largest change of any one answer; as two maxima may be swapped, also the joint change in maximum norm."""
        return max(self.each.values())

    def __repr__(self) -> str:
        kind = "monotonic" if self.monotonic else "not monotonic"
        overlap = "disjoint" if self.disjoint else "overlapping"
        step = " for ".join(map(_short, self.step))
        return (
            f"Sensitivity({self.neighbours}: one query {self.one}, together {self.together}, "
            f"changes {self.changed} of {len(self.each)}, {kind}, {overlap}; attained by {step})"
        )


def _exact(value: Any, name: str, record: Any) -> Exact:
    """Read one contribution, or refuse it."""
    if isinstance(value, (np.bool_, numbers.Integral)):
        return int(value)
    if isinstance(value, numbers.Rational):
        return Fraction(value)
    raise ValueError(
        f"queries must give True, False, an integer or a Fraction for every record, "
        f"got {value!r} from query {name!r} for record {_short(record)}"
    )


def _distinct(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    """The values as a tuple, or ValueError unless they are hashable, distinct and at least one."""
    listed = tuple(values)
    if not listed:
        raise ValueError(f"{name} must have at least one entry, got 0")
    try:
        counts = Counter(listed)
    except TypeError:
        raise ValueError(f"{name} must be hashable: tuples and frozensets, not lists and sets") from None
    again, times = counts.most_common(1)[0]
    if times > 1:
        raise ValueError(f"{name} must be distinct, got {_short(again)} twice")
    return listed


def _named(queries: Any) -> dict[str, Query]:
    """The queries by name, or ValueError unless they are callables."""
    if not isinstance(queries, (Mapping, Sequence)) or isinstance(queries, (str, bytes)) or not queries:
        raise ValueError(f"queries must be a dict or a sequence of at least one callable, got {queries!r}")
    named = dict(queries) if isinstance(queries, Mapping) else {str(i): query for i, query in enumerate(queries)}
    for name, query in named.items():
        if not isinstance(name, str):
            raise ValueError(f"queries must have a str as name, got {name!r}")
        if not callable(query):
            raise ValueError(f"queries must be callables, got {query!r} for query {name!r}")
    return named


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on the records of a finite domain: each answer is the sum of what the records contribute.

    Parameters
    ----------
    records : iterable of hashable
        Every record that a dataset may contain, whether or not the data at hand contain it.
    queries : dict of str to callable, or sequence of callables
        What one record contributes to each answer: a predicate for a counting query, a whole number or Fraction for
        a sum. Queries without a name are called "0", "1", …

    Raises
    ------
    ValueError
        If either is empty, a record is not hashable or appears twice, a contribution is not an exact number, or there
        are more than 2^24 of them.

    Examples
    --------
    >>> ages = Workload(range(18, 91), [lambda age, low=low: low <= age < low + 10 for low in (20, 25, 30)])
    >>> ages
    Workload(3 queries on 73 records)
    >>> ages.sensitivity("add/remove")
    Sensitivity(add/remove: one query 1, together 2, changes 2 of 3, monotonic, overlapping; attained by 25)
    >>> ages.sensitivity("replace")
    Sensitivity(replace: one query 1, together 3, changes 3 of 3, not monotonic, overlapping; attained by 20 for 30)
    >>> ages.answers([19, 27, 27, 33])
    [2, 3, 1]
    """

    records: Iterable[Hashable]
    queries: Mapping[str, Query] | Sequence[Query]
    _rows: dict[tuple[Exact, ...], Any] = field(init=False, repr=False)
    _known: frozenset[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        queries = _named(self.queries)
        if isinstance(self.records, str) or not isinstance(self.records, Iterable):
            raise ValueError(f"records must be an iterable of records, got {self.records!r}")
        records = _distinct("records", self.records)
        if len(records) * len(queries) > _MOST:
            raise ValueError(
                f"records and queries must make at most {_MOST:,} pairs, got {len(records):,} times {len(queries):,}"
            )
        object.__setattr__(self, "records", records)
        object.__setattr__(self, "queries", queries)
        rows: dict[tuple[Exact, ...], Any] = {}
        for record in records:
            rows.setdefault(self._contributions(record), record)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_known", frozenset(records))

    @classmethod
    def subsets(cls, items: int | Iterable[Hashable], at_most: int | None = None) -> Workload:
        """Count for each item the records that hold it, where a record is any set of at most `at_most` items.

        The pages of a session, the products in a basket: too many records to list, and no need to.
        Adding one changes at most `at_most` answers by 1, and a set of that size does so; exchanging two changes the
        answers of the items that only one of them has, at most the smaller of 2 `at_most` and all n, which two sets
        that are as different as they can be attain; and {first} for {second} item moves two answers apart.

        Parameters
        ----------
        items : int or iterable of hashable
            The items, or how many: then they are 0, 1, …
        at_most : int, optional
            The most items a record has; without it a record may have all of them.

        Raises
        ------
        ValueError
            If `items` is empty or has an item twice, or `at_most` is not a whole number from 0 to the number of items.

        Examples
        --------
        >>> Workload.subsets(100).sensitivity().together
        100
        >>> Workload.subsets(100, at_most=7).sensitivity().together
        7
        >>> Workload.subsets(["home", "news", "mail"], at_most=1).sensitivity().disjoint
        True
        """
        listed = isinstance(items, Iterable) and not isinstance(items, str)
        given: Any = items if listed else range(validate.count("items", items))
        names = _distinct("items", given)
        n = len(names)
        most = n if at_most is None else validate.count("at_most", at_most, least=0, most=n)
        queries = {str(name): lambda record, name=name: name in record for name in names}
        if len(queries) < n:
            raise ValueError(f"items must have distinct names, got {_short(names)}")
        return _Subsets((), queries, names, most)

    def __repr__(self) -> str:
        return f"Workload({len(self.queries):,} queries on {self._domain()})"

    def _domain(self) -> str:
        return f"{len(tuple(self.records)):,} records"

    def _contains(self, record: Any) -> bool:
        return record in self._known

    def _contributions(self, record: Any) -> tuple[Exact, ...]:
        return tuple(_exact(query(record), name, record) for name, query in _named(self.queries).items())

    def sensitivity(self, neighbours: str = "add/remove") -> Sensitivity:
        """Return how far a step between neighbouring datasets can move the answers.

        Parameters
        ----------
        neighbours : {"add/remove", "replace"}
            Whether a neighbour has one record more or less, or another record in the place of one.

        Returns
        -------
        Sensitivity
            Exact, over all datasets and all their neighbours; time grows with the records, and for "replace" with the
            square of the number of records that contribute differently.

        Raises
        ------
        ValueError
            If `neighbours` is neither of the two.

        Examples
        --------
        >>> clipped = Workload(range(91), {"sum": lambda age: min(age, 50), "rows": lambda age: 1})
        >>> clipped.sensitivity("add/remove").each
        {'sum': 50, 'rows': 1}
        >>> clipped.sensitivity("replace").each
        {'sum': 50, 'rows': 0}
        """
        validate.choice("neighbours", neighbours, ("add/remove", "replace"))
        rows, witnesses = list(self._rows), list(self._rows.values())
        small = all(isinstance(value, int) and abs(value) < _SMALL for row in rows for value in row)
        matrix = np.array(rows, dtype=np.int64 if small else object)
        each, changed, monotonic, alone = np.zeros_like(matrix[0]), 0, True, neighbours == "add/remove"
        together: Exact = 0
        step: tuple[Any, ...] = (witnesses[0],) * (1 if alone else 2)
        for index, row in enumerate(matrix):
            # Adding `row`, or exchanging it with each later one; removing and exchanging back only change the sign.
            moves = row[None, :] if alone else row - matrix[index + 1 :]
            if not len(moves):
                continue
            size = np.abs(moves)
            each = np.maximum(each, size.max(axis=0))
            changed = max(changed, int((size != 0).sum(axis=1).max()))
            monotonic = monotonic and not bool(((moves > 0).any(axis=1) & (moves < 0).any(axis=1)).any())
            sums = size.sum(axis=1)
            if sums.max() > together:
                other = int(sums.argmax())
                together = int(sums[other]) if small else sums[other]
                step = (witnesses[index],) if alone else (witnesses[index], witnesses[index + 1 + other])
        return Sensitivity(
            neighbours=neighbours,
            each=dict(zip(_named(self.queries), each.tolist(), strict=True)),
            together=together,
            changed=changed,
            monotonic=monotonic,
            disjoint=bool((matrix != 0).sum(axis=1).max() <= 1),
            step=step,
        )

    def answers(self, data: Iterable[Hashable] | Mapping[Hashable, int]) -> list[Exact]:
        """Return the true answers on one dataset, so that what is asked is what was examined.

        Parameters
        ----------
        data : iterable of records, or dict or pandas Series of record to count
            Every record must be one of the domain.

        Returns
        -------
        list of int or Fraction, one for each query

        Raises
        ------
        ValueError
            If a record is not in the domain, or a count is not a whole number of at least 0.

        Examples
        --------
        >>> parity = Workload(range(10), {"even": lambda x: x % 2 == 0, "small": lambda x: x < 5})
        >>> parity.answers([2, 2, 3, 8])
        [3, 3]
        >>> parity.answers({2: 2, 3: 1, 8: 1})
        [3, 3]
        """
        try:
            counts: Any = data if hasattr(data, "items") else Counter(data)
        except TypeError:
            raise ValueError(f"data must be records, or a dict of record to count, got {_short(data)}") from None
        total: list[Exact] = [0] * len(self.queries)
        for record, count in counts.items():
            if not self._contains(record):
                raise ValueError(f"data must consist of records of the domain, got {_short(record)}")
            times = validate.count("data", count, least=0)
            total = [old + times * new for old, new in zip(total, self._contributions(record), strict=True)]
        return total


@dataclass(frozen=True, eq=False, repr=False)
class _Subsets(Workload):
    """What `Workload.subsets` returns: the domain is known by its shape, so its records are not listed."""

    items: tuple[Hashable, ...]
    at_most: int

    def __post_init__(self) -> None:
        pass

    def _domain(self) -> str:
        return f"sets of at most {self.at_most:,} items"

    def _contains(self, record: Any) -> bool:
        return isinstance(record, frozenset) and len(record) <= self.at_most and record <= frozenset(self.items)

    def sensitivity(self, neighbours: str = "add/remove") -> Sensitivity:
        validate.choice("neighbours", neighbours, ("add/remove", "replace"))
        n, most = len(self.items), self.at_most
        step = (frozenset(self.items[:most]), frozenset(self.items[most : 2 * most]))
        together = most if neighbours == "add/remove" else min(2 * most, n)
        return Sensitivity(
            neighbours=neighbours,
            each=dict.fromkeys(_named(self.queries), min(1, most)),
            together=together,
            changed=together,
            monotonic=neighbours == "add/remove" or most == 0 or n == 1,
            disjoint=most <= 1,
            step=step[:1] if neighbours == "add/remove" else step,
        )
