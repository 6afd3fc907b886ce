"""How far apart the output laws of one pair of neighbours are: the hockey-stick and the Rényi divergence, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.exact.comparisons import Comparisons, Epoch
from svtlib.exact.integral import log_integral, log_integrals
from svtlib.exact.probability import Outcome, check_neighbours, checked, epochs, logs, parse
from svtlib.mechanism import ABORT, Mechanism, Said

__all__ = ["PairCurve", "pair_curve"]

Array = NDArray[np.float64]

_SHARED = 16  # integrals, and different comparisons among them
_MOST_OUTCOMES = 20_000  # all of them are integrated; with few different answers most of the integrals are remembered


@dataclass(frozen=True, eq=False)
class PairCurve:
    """The output laws of a mechanism on one pair of neighbours, and how far apart they are.

    One pair bounds the curves of a mechanism from below: no guarantee can promise less than `delta` and `renyi` return.
    They are no accountant: another pair may be farther apart, the same pair the other way round too, and what is
    promised for *all* pairs takes a proof.

    Attributes
    ----------
    outcomes : tuple of tuple
        Every transcript that the mechanism can give, as `svtlib.log_probability` takes it.
    log_p, log_q : ndarray, shape (number of outcomes,)
        Natural log of its probability on the answers, and on the neighbour.
    """

    outcomes: tuple[tuple[Said, ...], ...]
    log_p: Array
    log_q: Array

    def __post_init__(self) -> None:
        for name in ("log_p", "log_q"):
            getattr(self, name).setflags(write=False)

    @property
    def loss(self) -> Array:
        """The privacy loss of each outcome, log_p - log_q; 0 where neither dataset can produce it."""
        with np.errstate(invalid="ignore"):
            return np.where(self.log_p == self.log_q, 0.0, self.log_p - self.log_q)

    def delta(self, epsilon: float) -> float:
        """The hockey-stick divergence: the least delta with which this pair does not refute (epsilon, delta)-DP.

        The sum over the outcomes of max(0, p - exp(epsilon) q): by how much the likeliest set of outcomes, for this
        epsilon, is likelier on the answers.

        Parameters
        ----------
        epsilon : float
            At least 0.

        Returns
        -------
        float
            From 0 to 1, a lower bound on the delta of the mechanism.

        Raises
        ------
        ValueError
            If `epsilon` is negative or not finite.

        Examples
        --------
        A mechanism that compares without noise tells the two apart for certain.

        >>> import svtlib as svt
        >>> curve = svt.pair_curve(svt.variant("alg5").calibrate(epsilon=1.0), [0, 1], [1, 0])
        >>> round(curve.delta(5.0), 6)
        0.196735
        """
        epsilon = validate.non_negative("epsilon", epsilon)
        likelier = self.loss > epsilon
        p, loss = np.exp(self.log_p[likelier]), self.loss[likelier]
        return min(1.0, math.fsum(-p * np.expm1(epsilon - loss)))

    def renyi(self, order: float) -> float:
        """The Rényi divergence of this order of the law on the answers from the law on the neighbour.

        Parameters
        ----------
        order : float
            Greater than 1.

        Returns
        -------
        float
            At least 0, in nats: a lower bound on the epsilon of a `svtlib.guarantee.Renyi` of this order; `inf` if an
            outcome is possible on the answers only.

        Raises
        ------
        ValueError
            If `order` is not a number greater than 1.

        Examples
        --------
        >>> import svtlib as svt
        >>> from svtlib.guarantee import Approximate
        >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0)
        >>> curve = svt.pair_curve(mechanism, [0, 0, 0], [1, 1, -1])
        >>> curve.renyi(8.0) <= Approximate(1.0).renyi(8.0).epsilon
        True
        """
        order = validate.positive("order", order)
        if order <= 1:
            raise ValueError(f"order must be greater than 1, got {order!r}")
        possible = self.log_p > -math.inf
        terms = self.log_p[possible] + (order - 1) * self.loss[possible]
        top = float(terms.max())
        if top == math.inf:
            return math.inf
        return max(0.0, top + math.log(math.fsum(np.exp(terms - top)))) / (order - 1)

    def __repr__(self) -> str:
        return f"PairCurve({len(self.outcomes)} outcomes, losses from {self.loss.min():.6g} to {self.loss.max():.6g})"


def transcripts(mechanism: Mechanism, n: int) -> Iterator[tuple[Said, ...]]:
    """Every transcript on n queries, positives as indicators."""
    open_: list[tuple[tuple[Said, ...], int]] = [((), 0)]
    while open_:
        said, found = open_.pop()
        if len(said) == n:
            yield said
            continue
        open_.append(((*said, False), found))
        if mechanism.ends.aborts(found, mechanism.c):
            yield (*said, ABORT)
        elif mechanism.ends.ended(found + 1, mechanism.c):
            yield (*said, True)
        else:
            open_.append(((*said, True), found + 1))


def _number_of_transcripts(mechanism: Mechanism, n: int) -> int:
    """How many there are, without making them."""
    if math.isinf(mechanism.most_positives):
        return 1 << n
    c = mechanism.c
    running = sum(math.comb(n, k) for k in range(min(c + mechanism.ends.extra, n + 1)))
    return running + sum(math.comb(i, c - 1 + mechanism.ends.extra) for i in range(n))


def pair_curve(mechanism: Mechanism, answers: ArrayLike, neighbour: ArrayLike, threshold: ArrayLike = 0.0) -> PairCurve:
    """The law of the output on two neighbouring datasets, outcome by outcome, and how far the two are apart.

    Every transcript is integrated as in `svtlib.log_probability`, whose error bound holds for each.
    What it returns bounds the mechanism's own curves from below: see `PairCurve`.

    Parameters
    ----------
    mechanism : Mechanism
        One that releases no numbers: its outcomes can be listed.
    answers, neighbour : array_like, shape (n,)
        True answers on two neighbouring datasets, in the units of `mechanism.sensitivity`.
        n + 1 outcomes where the first positive ends the run; at most 20,000 are integrated.
    threshold : float or array_like, shape (n,)
        Public, so the same on both.

    Returns
    -------
    PairCurve

    Raises
    ------
    ValueError
        If the mechanism releases numbers, if there are too many outcomes, or as in `svtlib.privacy_loss`.

    Examples
    --------
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    >>> curve = svt.pair_curve(mechanism, [0, 0], [1, 1])
    >>> len(curve.outcomes), round(curve.delta(0.0), 6), round(curve.delta(1.0), 6)
    (3, 0.081888, 0.0)
    """
    mechanism, q, t = checked(mechanism, answers, threshold)
    if mechanism.shows.numbered:
        raise ValueError(f"mechanism must release no numbers, so that its outcomes can be listed, got {mechanism!r}")
    p = validate.finite_array("neighbour", neighbour, length=q.size)
    check_neighbours(mechanism, q, p)
    if q.size > _MOST_OUTCOMES or _number_of_transcripts(mechanism, q.size) > _MOST_OUTCOMES:
        raise ValueError(
            f"answers must have at most {_MOST_OUTCOMES} outcomes, got {q.size} queries of a mechanism with "
            f"{'no cut-off' if math.isinf(mechanism.most_positives) else f'c = {mechanism.c}'}"
        )
    outcomes = tuple(transcripts(mechanism, q.size))
    parsed = [parse(mechanism, outcome, q.size) for outcome in outcomes]
    return PairCurve(outcomes, *(_log_probabilities(mechanism, values, parsed, t) for values in (q, p)))


def _log_probabilities(mechanism: Mechanism, answers: Array, outcomes: Sequence[Outcome], threshold: Array) -> Array:
    """The logarithm of the probability of each outcome, without numbers, from the integrals that they share."""
    found = [epochs(mechanism, answers, threshold, outcome)[0] for outcome in outcomes]
    log_p = logs(list(dict.fromkeys(epoch for parts in found for epoch in parts)), _log_each)
    return np.array([sum(log_p[epoch] for epoch in parts) for parts in found])


def _log_each(epochs: Sequence[Epoch]) -> Array:
    """`log_integral` of each; where many have the same noise and the same few comparisons they share a table."""
    found, alike = np.empty(len(epochs)), dict[Any, list[int]]()
    for i, epoch in enumerate(epochs):
        alike.setdefault((epoch.rho, epoch.nu, epoch.absolute, bool(epoch.offsets)), []).append(i)
    for (rho, nu, absolute, tied), members in alike.items():
        columns = sorted({(g.positive, g.threshold, g.answer) for i in members for g in epochs[i].groups})
        if tied or len(members) < _SHARED or len(columns) > _SHARED:
            found[members] = [log_integral(epochs[i]) for i in members]
            continue
        place, count = {column: k for k, column in enumerate(columns)}, np.zeros((len(members), len(columns)))
        for row, i in enumerate(members):
            for g in epochs[i].groups:
                count[row, place[g.positive, g.threshold, g.answer]] = g.times
        negatives = sum(not positive for positive, _, _ in columns)
        threshold, answer = (np.tile([float(column[k]) for column in columns], (len(members), 1)) for k in (1, 2))
        cap = np.array([float(epochs[i].cap) for i in members])
        found[members] = log_integrals(rho, Comparisons(nu, absolute, negatives, threshold, answer, count, cap))
    return found
