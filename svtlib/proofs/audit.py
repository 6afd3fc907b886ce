"""Many runs side by side, and the lower bound on epsilon that they certify, by an event that is measured afresh.

A search finds the event, and the guarantee rests on what follows it alone: on samples that the search has not seen, the
number of runs in the event is binomial, so its Clopper-Pearson bounds hold whatever the search did (Jagielski, Ullman &
Oprea 2020, with events of any kind; the search by sorted ratios is that of Neyman and Pearson).
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.exact.probability import check_neighbours, checked
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise_base import Array, Index

Rows = NDArray[Any]
Sampler = Callable[[Any, int, np.random.Generator], Rows]

_AT_ONCE = 1 << 16  # runs
_NOT_ANSWERED, _ABORTED = -1, 2
_MOST_NAMED = 3  # outcomes of an event
_SIGNS = {_NOT_ANSWERED: "", 0: "⊥", 1: "⊤", _ABORTED: " ABORT"}

_MOST_SEARCHED = 200_000
_MOST_VALUES = 12  # a column with more distinct values holds numbers, not answers
_BINS = 24
_CANDIDATES = 64


def sampler_of(mechanism: Mechanism, threshold: ArrayLike = 0.0) -> Sampler:
    """A sampler of a mechanism: the loop of `svtlib.run`, for many runs at once.

    All runs are at the same query at the same time, so each query is one array operation; runs that have stopped draw
    no more. Each run is that of `Session`, with its noise drawn in the same order, so the law is the same.

    Parameters
    ----------
    mechanism : Mechanism
    threshold : float or array_like, shape (n,)

    Returns
    -------
    callable (answers, trials, rng) -> ndarray, shape (trials, n) or (trials, 2 n)
        For each run and query 0 (below), 1 (above), 2 (ABORT) or -1 (not answered); where the mechanism releases
        numbers, followed by n columns with these, NaN where there is none.

    Raises
    ------
    ValueError
        If `mechanism` is none; the sampler, if an input is not finite or lengths differ.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> sampler = svt.sampler_of(svt.variant("alg1").calibrate(epsilon=1.0, c=1), threshold=50)
    >>> sampler([0, 90, 0], 3, np.random.default_rng(1))
    array([[ 0,  1, -1],
           [ 0,  1, -1],
           [ 0,  1, -1]], dtype=int8)
    """
    return partial(_sampled, a_mechanism(mechanism), threshold)


def _sampled(mechanism: Mechanism, threshold: ArrayLike, answers: Any, trials: int, rng: np.random.Generator) -> Rows:
    m, q = mechanism, validate.finite_array("answers", answers)
    level = validate.finite_array("threshold", threshold, length=q.size) + m.correction
    trials, rng = validate.count("trials", trials), validate.generator("rng", rng)
    numbered = m.shows.numbered
    width = 2 * q.size if numbered else q.size
    rows = np.empty((trials, width), dtype=float if numbered else np.int8, order="F")  # written column by column
    for start in range(0, trials, _AT_ONCE):
        _fill(rows[start : start + _AT_ONCE], m, q, level, rng)
    return rows


def _fill(rows: Rows, mechanism: Mechanism, q: Array, level: Array, rng: np.random.Generator) -> None:
    """Run the mechanism once for each row and write down what it answers."""
    m, n = mechanism, q.size
    rows[:, :n] = _NOT_ANSWERED
    if rows.shape[1] > n:
        rows[:, n:] = np.nan
    live = np.arange(rows.shape[0])
    rho = np.asarray(m.threshold_noise.sample(rng, live.size), dtype=float)
    found = np.zeros(live.size, dtype=np.int64)
    for i in range(n):
        noisy, bar = q[i] + np.asarray(m.query_noise.sample(rng, live.size), dtype=float), level[i] + rho
        hit = m.sides.above(noisy, bar)
        rows[live, i] = hit
        over = hit & m.ends.aborts(found, m.c)
        rows[live[over], i] = _ABORTED
        given = hit & ~over
        found += given
        ended = over | m.ends.ended(found, m.c)
        if m.refresh:
            again = given & ~ended
            rho[again] = m.redraw_noise.sample(rng, int(again.sum()))
        if m.shows.numbered:
            drawn = 0.0 if m.release_noise is None else m.release_noise.sample(rng, int(given.sum()))
            rows[live[given], n + i] = m.shows.number(q[i], noisy[given], bar[given], drawn)
        if ended.any():
            live, rho, found = live[~ended], rho[~ended], found[~ended]


def _place(known: Rows, values: Rows) -> Index:
    """Index of each value among the sorted known ones, one more than the last for a value that is none of them."""
    place = np.minimum(np.searchsorted(known, values), known.size - 1)
    return np.where(known[place] == values, place, known.size)


def _edges(numbers: Array, short: bool) -> Array:
    """Between bins with about as many numbers each; where they are to be `short`, with few digits."""
    present = numbers[~np.isnan(numbers)]
    edges = np.unique(np.quantile(present, np.arange(1, _BINS) / _BINS)) if present.size else np.empty(0)
    spread = float(np.ptp(edges)) if edges.size and short else 0.0
    return np.unique(np.round(edges, int(np.clip(3 - math.log10(spread), -200, 200)))) if spread else edges


def _bins(numbers: Array, edges: Array) -> Index:
    """Index of the bin (edge, next edge] of each number; one bin more for NaN, which sorts last."""
    return np.asarray(np.where(np.isnan(numbers), edges.size + 1, np.searchsorted(edges, numbers)), dtype=np.int64)


class _Columns:
    """The columns of a sampler's rows, each cut into few classes: its values, or bins with about as many runs each."""

    def __init__(self, rows: Rows, signs: int | None) -> None:
        self.edges: list[Array] = []
        self.values: list[Array] = []
        self.short = signs is not None
        for j, column in enumerate(rows.T):
            some = np.unique(column[:2000])  # a glance spares sorting a column of numbers
            values = np.unique(column) if some.size <= _MOST_VALUES else some
            answered = values.size <= _MOST_VALUES and not np.isnan(values[-1])  # NaN, no number, sorts last
            answered = answered if signs is None else j < signs
            self.values.append(values if answered else np.empty(0))
            self.edges.append(np.empty(0) if answered else _edges(column, self.short))
        self.signs = [j for j, values in enumerate(self.values) if values.size]
        self.numbers = [j for j, edges in enumerate(self.edges) if edges.size]

    def classes(self, rows: Rows, j: int) -> Index:
        known = self.values[j]
        if not known.size:
            return _bins(rows[:, j], self.edges[j])
        if rows.dtype == np.int8:  # answers without numbers: looked up, where a search would take most of the time
            place_of = np.full(256, known.size)
            place_of[known.astype(np.uint8)] = np.arange(known.size)
            return place_of[rows[:, j].astype(np.uint8)]
        return _place(known, rows[:, j])

    def size(self, j: int) -> int:
        return int(self.values[j].size or self.edges[j].size + 2) + 1

    def mixed(self, rows: Rows, chosen: Sequence[int]) -> Index:
        """One number for each combination of classes; wraps around where there are too many columns, like a hash."""
        codes = np.zeros(rows.shape[0], dtype=np.int64)
        for j in chosen:
            codes = codes * np.int64(2 * self.size(j) + 1) + self.classes(rows, j)  # odd: nothing is shifted out
        return codes


def _extreme(chosen: Sequence[int], least: bool, rows: Rows) -> Array:
    """The smallest, or the largest, number of each row."""
    numbers = np.where(np.isnan(rows[:, chosen]), np.inf if least else -np.inf, rows[:, chosen])
    value = numbers.min(axis=1) if least else numbers.max(axis=1)
    return np.where(np.isinf(value), np.nan, value)


def _likelihood(columns: _Columns, tables: Sequence[Array], rows: Rows) -> Array:
    """The sum over columns of the log ratio of their frequencies: where outcomes are too many to meet any twice."""
    total = np.zeros(rows.shape[0])
    for j, table in enumerate(tables):
        total += table[columns.classes(rows, j)]
    return total


def _outcome(values: Array) -> str:
    if all(value in _SIGNS for value in values.tolist()):
        return "".join(_SIGNS[int(value)] for value in values.tolist()).strip()
    return "(" + ", ".join(map(_digits, values.tolist())) + ")"


def _digits(x: float) -> str:
    """A number with all its digits."""
    return f"{x:g}" if float(f"{x:g}") == x else repr(x)


@dataclass(frozen=True, eq=False)
class _Feature:
    """A whole number for each row: of which classes its answers are, and in which bin a number made of it lies."""

    columns: _Columns
    chosen: Sequence[int]
    name: str = ""  # of the number
    number: Callable[[Rows], Array] | None = None
    edges: Array = field(default_factory=lambda: np.empty(0))

    def codes(self, rows: Rows) -> Index:
        codes = self.columns.mixed(rows, self.chosen)
        if self.number is None:
            return codes
        return codes * np.int64(self.edges.size + 2) + _bins(self.number(rows), self.edges)

    def describe(self, rows: Rows) -> str:
        """The commonest of these outcomes, where their numbers lie, and how many other outcomes there are."""
        codes = self.columns.mixed(rows, self.chosen)
        known, first, counts = np.unique(codes, return_index=True, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:_MOST_NAMED]
        text = " or ".join(self._named(rows[first[i]], rows[codes == known[i]]) for i in order)
        others = counts.size - order.size
        return text + (f" or {others} other outcome{'s' * (others > 1)}" if others else "")

    def _named(self, row: Rows, alike: Rows) -> str:
        """An outcome, and where the numbers of those like it lie."""
        text, where = "", ""
        if self.chosen:
            values = row[list(self.chosen)].astype(float)
            text = _outcome(values) or "no answer"
            begins = len(self.chosen) < len(self.columns.signs) and float(values[-1]) != _NOT_ANSWERED
            text += "…" * begins  # else nothing comes after it
        if self.number is not None:
            where = self._where(self.number(alike))
        return f"{text} with {where}" if text and where else text or where or "no answer"

    def _where(self, numbers: Array) -> str:
        """The bins of these numbers, those side by side together; empty if there is no number."""
        edges, bins = [-math.inf, *self.edges.tolist(), math.inf], np.unique(_bins(numbers, self.edges))
        beyond = len(edges) - 1  # the bin of none
        present = bins[bins < beyond]
        runs = np.split(present, np.flatnonzero(np.diff(present) > 1) + 1) if present.size else []
        parts = [_between(edges[run[0]], edges[run[-1] + 1]) for run in runs]
        return f"{self.name} {' or '.join(parts + ['none'] * (beyond in bins))}" if parts else ""


def _between(low: float, high: float) -> str:
    if math.isinf(low):
        return "any" if math.isinf(high) else f"at most {_digits(high)}"
    return f"above {_digits(low)}" + ("" if math.isinf(high) else f" and at most {_digits(high)}")


def _features(columns: _Columns, rows: Rows, rows_neighbour: Rows, half: int) -> Iterator[_Feature]:
    """The answers, or how they begin; the answers with a number; the likelihood ratio. Learned from one half."""
    seen, pooled = (rows[:half], rows_neighbour[:half]), np.concatenate([rows[:half], rows_neighbour[:half]])
    signs, numbers = columns.signs, columns.numbers
    for k in sorted({len(signs), *(2**k for k in range(12) if 2**k < len(signs))} - {0}):
        yield _Feature(columns, signs[:k])
    if numbers:
        alone = all((~np.isnan(these[:, numbers])).sum(axis=1).max() == 1 for these in (rows, rows_neighbour))
        for least, which in ((True, "smallest "), (False, "largest ")):
            number = partial(_extreme, numbers, least)
            yield _Feature(
                columns, signs, f"{'' if alone else which}number", number, _edges(number(pooled), columns.short)
            )
    tables = []
    for j in range(rows.shape[1]):
        here, there = (np.bincount(columns.classes(these, j), minlength=columns.size(j)) + 0.5 for these in seen)
        tables.append(np.log(here / here.sum()) - np.log(there / there.sum()))
    ratio = partial(_likelihood, columns, tables)
    yield _Feature(columns, (), "log likelihood ratio, column by column,", ratio, _edges(ratio(pooled), columns.short))


@dataclass(frozen=True, eq=False)
class Event:
    """A set of outcomes of a sampler.

    Calling it with rows, shape (trials, width), says of each whether it is in the set.

    Attributes
    ----------
    description : str
        A summary: the commonest outcomes in it, the numbers with which they are in it, and how many others are.
    """

    description: str
    _feature: _Feature = field(repr=False)
    _kept: Index = field(repr=False)

    def __call__(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are in the set."""
        return np.asarray(_place(self._kept, self._feature.codes(rows)) < self._kept.size)

    def __repr__(self) -> str:
        return f"Event({self.description})"


def clopper_pearson(inside: ArrayLike, inside_neighbour: ArrayLike, trials: float, alpha: float) -> tuple[Array, Array]:
    """Bounds of two probabilities, each wrong with probability at most `alpha`: below the first, above the second."""
    from scipy.special import betainccinv, betaincinv

    a, b = np.asarray(inside, dtype=float), np.asarray(inside_neighbour, dtype=float)
    with np.errstate(invalid="ignore"):
        lower = np.where(a > 0, betaincinv(np.maximum(a, 1e-9), trials - a + 1, alpha), 0.0)
        upper = np.where(b < trials, betainccinv(b + 1, np.maximum(trials - b, 1e-9), alpha), 1.0)
    return lower, upper


def _search(rows: Rows, rows_neighbour: Rows, trials: int, alpha: float, signs: int | None) -> Event:
    """The event with the largest bound to be expected from `trials` runs.

    One half of the sample estimates the ratio of each outcome, the other half chooses how many of the outcomes, from
    the largest ratio down, and by which feature they are told apart.
    """
    half = rows.shape[0] // 2
    columns = _Columns(np.concatenate([rows, rows_neighbour]), signs)
    best: tuple[float, _Feature, Index] | None = None
    for feature in _features(columns, rows, rows_neighbour, half):
        here, there = feature.codes(rows), feature.codes(rows_neighbour)
        known, index = np.unique(np.concatenate([here[:half], there[:half]]), return_inverse=True)
        a = np.bincount(index[:half], minlength=known.size) + 0.5
        b = np.bincount(index[half:], minlength=known.size) + 0.5
        order = np.argsort(-(np.log(a) - np.log(b) - np.sqrt(1 / a + 1 / b)), kind="stable")
        rank = np.empty(known.size + 1, dtype=np.int64)
        rank[order], rank[-1] = np.arange(known.size), known.size  # last: outcomes of the second half only

        sizes = np.unique(np.geomspace(1, known.size, _CANDIDATES).astype(np.int64))
        scale = trials / (rows.shape[0] - half)
        counts = (np.bincount(rank[_place(known, c[half:])], minlength=known.size + 1) for c in (here, there))
        inside, inside_neighbour = (np.cumsum(count)[sizes - 1] * scale for count in counts)
        lower, upper = clopper_pearson(inside, inside_neighbour, trials, alpha)
        value = np.log(np.maximum(lower, 1e-300)) - np.log(upper)
        top = int(value.argmax())
        if best is None or value[top] > best[0] + 1e-9:
            best = float(value[top]), feature, np.sort(known[order[: sizes[top]]])
    assert best is not None
    _, feature, kept = best
    event = Event("", feature, kept)
    seen = np.concatenate([rows, rows_neighbour])
    seen = seen[event(seen)]
    return replace(event, description=feature.describe(seen) if seen.size else "nothing that was seen")


@dataclass(frozen=True, eq=False)
class AuditResult:
    """A lower bound on epsilon, and the event that shows it.

    Attributes
    ----------
    epsilon_lower : float
        The mechanism is not epsilon-DP for any smaller epsilon, unless the fresh samples were among the unlikely
        ones: probability at most 1 - confidence. At least 0.
    event : Event
        A set of outcomes; `event(rows)` says which rows of a sample are in it.
    p, p_neighbour : float
        The frequency of the event in the fresh runs on either dataset.
    p_lower, p_neighbour_upper : float
        The bounds on its probability whose ratio is exp(epsilon_lower), where that is positive.
    confidence : float
    trials : int
        Runs on each dataset to measure the event; others found it.
    """

    epsilon_lower: float
    event: Event
    p: float
    p_neighbour: float
    p_lower: float
    p_neighbour_upper: float
    confidence: float
    trials: int

    def __repr__(self) -> str:
        here, there = (f"{p * self.trials:,.0f}" for p in (self.p, self.p_neighbour))
        return (
            f"epsilon is at least {self.epsilon_lower:.4g} (confidence {self.confidence:g}): {self.event.description}, "
            f"in {here} of {self.trials:,} runs on D and {there} on D′"
        )

    def _repr_html_(self) -> str:
        return f'<div class="svt-step">{html.escape(repr(self))}</div>'


def _sample(sampler: Sampler, answers: Any, trials: int, rng: np.random.Generator) -> Rows:
    rows = np.asarray(sampler(answers, trials, rng))
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or rows.shape[0] != trials or not rows.shape[1] or rows.dtype.kind not in "biuf":
        raise ValueError(
            f"sampler must return an array of numbers with {trials} rows, one for each run, "
            f"got shape {rows.shape} and dtype {rows.dtype}"
        )
    if np.isinf(rows).any():
        raise ValueError("sampler must return finite numbers, or NaN for no number, got infinity")
    return rows if rows.dtype.kind != "b" else rows.astype(np.int8)


def _parts(total: int) -> list[int]:
    return [min(_AT_ONCE, total - start) for start in range(0, total, _AT_ONCE)]


def audit(
    sampler: Sampler | Mechanism,
    answers: Any,
    neighbour: Any,
    *,
    trials: int,
    confidence: float = 0.99,
    rng: np.random.Generator | int,
    signs: int | None = None,
) -> AuditResult:
    """Lower bound on the epsilon of a mechanism that can only be run, from its outputs on two neighbours.

    Half of the runs, but at most 200,000 on each dataset, search for an event that is likelier on `answers` than on
    `neighbour`: a set of outcomes, of beginnings of outcomes, of outcomes with a bound on a released number, or of
    those with a high likelihood ratio, taken from the largest estimated ratio down. The other runs measure it:
    Clopper-Pearson bounds, each at (1 - confidence) / 2, below Pr[event | answers] and above Pr[event | neighbour].
    A bound on epsilon from above no sample can give.

    Parameters
    ----------
    sampler : callable (data, trials, rng) -> array_like, shape (trials,) or (trials, width)
        Runs the mechanism `trials` times, independently, and returns one row of numbers a run. Columns with at most
        12 values are taken as answers (for an SVT: -1 not answered, 0 below, 1 above, 2 ABORT), others as real
        numbers, NaN for none. It is called several times, for at most 65,536 runs at a time.
        `sampler_of(mechanism, threshold)` makes one; a mechanism stands for its own at threshold 0.
    answers, neighbour : object
        What the sampler is given: true answers of an SVT, or whatever data a black box takes. They must be neighbours;
        exchange them to look in the other direction.
    trials : int
        Runs on each dataset, at least 1,000.
    confidence : float
        Between 0 and 1: `epsilon_lower` exceeds the true epsilon with probability at most 1 - confidence.
    rng : numpy.random.Generator
    signs : int, optional
        How many of the first columns are answers; the others are numbers, however few values they have, and the bounds
        on them have few digits.

    Returns
    -------
    AuditResult

    Raises
    ------
    ValueError
        If an argument is out of range or the sampler returns something else than rows of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> alg5 = svt.sampler_of(svt.variant("alg5").calibrate(epsilon=1.0))
    >>> svt.audit(alg5, [0, 1], [1, 0], trials=20000, rng=np.random.default_rng(1))
    epsilon is at least 5.887 (confidence 0.99): ⊥⊤, in 2,011 of 10,000 runs on D and 0 on D′
    """
    if isinstance(sampler, Mechanism):
        check_neighbours(*checked(sampler, answers, neighbour))
        sampler = sampler_of(sampler)
    if not callable(sampler):
        raise ValueError(f"sampler must be callable, as sampler_of(mechanism) is, got {sampler!r}")
    trials, rng = validate.count("trials", trials, least=1000), validate.generator("rng", rng)
    confidence = validate.probability("confidence", confidence)
    alpha = (1 - confidence) / 2
    searched = min(trials // 2, _MOST_SEARCHED)
    measured = trials - searched
    seen = [np.concatenate([_sample(sampler, data, k, rng) for k in _parts(searched)]) for data in (answers, neighbour)]
    if seen[0].shape[1] != seen[1].shape[1]:
        raise ValueError(
            f"sampler must return rows of one width, got {seen[0].shape[1]} and {seen[1].shape[1]} columns"
        )
    event = _search(seen[0], seen[1], measured, alpha, signs)
    inside = [
        sum(int(event(_sample(sampler, data, k, rng)).sum()) for k in _parts(measured)) for data in (answers, neighbour)
    ]
    bounds = clopper_pearson(inside[0], inside[1], measured, alpha)
    lower, upper = float(bounds[0]), float(bounds[1])
    return AuditResult(
        epsilon_lower=max(0.0, math.log(lower / upper)) if lower > 0 else 0.0,
        event=event,
        p=inside[0] / measured,
        p_neighbour=inside[1] / measured,
        p_lower=lower,
        p_neighbour_upper=upper,
        confidence=confidence,
        trials=measured,
    )
