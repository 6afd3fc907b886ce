"""The noise and the programs of proofs/Statement.v, line by line in Python, and the probability of one transcript.

`alg1_loop` and `svt_loop` have the names and the lines of the file; where it draws, they read a tape.
`probability` follows the same recursion for one transcript of a variant whose queries are chosen in advance: the sum
over the noise of a comparison is a tail of the geometric law, that over the threshold noise is cut off far out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

Query = Callable[[tuple[Any, ...], Any], int]
Threshold = Callable[[tuple[Any, ...]], int]
REACH = 60  # how many scales of threshold noise are summed: what is left out weighs less than exp(-60)


def decay(scale: float) -> float:
    """`decay`: how much less likely the next number is."""
    return math.exp(-1 / scale)


def geometric_pmf(scale: float, k: int) -> float:
    """`geometric_pmf`."""
    return (1 - decay(scale)) / (1 + decay(scale)) * decay(scale) ** abs(k)


def one_sided_pmf(scale: float, k: int) -> float:
    """`one_sided_pmf`."""
    return (1 - decay(scale)) * decay(scale) ** abs(k) if k >= 0 else 0.0


def alg1_loop(
    q: Query, threshold: Threshold, query_noise: Iterator[int], rho: int, steps: int, left: int, said: tuple, d: Any
) -> tuple:
    """`alg1_loop`, with the query noise read from a tape."""
    if steps == 0 or left == 0:
        return said
    nu = next(query_noise)
    if q(said, d) + nu >= threshold(said) + rho:
        return alg1_loop(q, threshold, query_noise, rho, steps - 1, left - 1, (*said, True), d)
    return alg1_loop(q, threshold, query_noise, rho, steps - 1, left, (*said, False), d)


def alg1_with(
    q: Query, threshold: Threshold, query_noise: Iterator[int], threshold_noise: Iterator[int], n: int, c: int, d: Any
) -> tuple:
    """`alg1_with`."""
    return alg1_loop(q, threshold, query_noise, next(threshold_noise), n, c, (), d)


@dataclass(frozen=True)
class Variant:
    """`variant`, its laws read from tapes; `positive` gets the true answer, the noisy one and the noisy threshold."""

    threshold_noise: Iterator[int]
    refresh_noise: Iterator[int] | None
    query_noise: Iterator[int]
    negative: Any
    positive: Callable[[int, int, int], Any]


def next_threshold(v: Variant, rho: int, left: int) -> int:
    """`next_threshold`."""
    return rho if v.refresh_noise is None or left == 0 else next(v.refresh_noise)


def svt_loop(v: Variant, q: Query, threshold: Threshold, rho: int, steps: int, left: int, said: tuple, d: Any) -> tuple:
    """`svt_loop`."""
    if steps == 0 or left == 0:
        return said
    nu = next(v.query_noise)
    if q(said, d) + nu >= threshold(said) + rho:
        shown = v.positive(q(said, d), q(said, d) + nu, threshold(said) + rho)
        again = next_threshold(v, rho, left - 1)
        return svt_loop(v, q, threshold, again, steps - 1, left - 1, (*said, shown), d)
    return svt_loop(v, q, threshold, rho, steps - 1, left, (*said, v.negative), d)


def svt(v: Variant, q: Query, threshold: Threshold, n: int, c: int, d: Any) -> tuple:
    """`svt`."""
    return svt_loop(v, q, threshold, next(v.threshold_noise), n, c, (), d)


# --- the probability of a transcript ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """Geometric noise, or none: scale 0 is `dunit 0`."""

    scale: float

    def pmf(self, k: int) -> float:
        """Pr[k]."""
        return geometric_pmf(self.scale, k) if self.scale else float(k == 0)

    def at_least(self, t: int) -> float:
        """Pr[at least t]: what `chance true t` of Refuted.v sums to."""
        if not self.scale:
            return float(t <= 0)
        a = decay(self.scale)
        return a**t / (1 + a) if t > 0 else 1 - a ** (1 - t) / (1 + a)

    def support(self) -> range:
        """Where almost all of the mass is."""
        reach = math.ceil(REACH * self.scale)
        return range(-reach, reach + 1)


@dataclass(frozen=True)
class Numbers:
    """What a mechanism is made of; `shows` says which number a positive releases, if any."""

    threshold: Law
    query: Law
    refresh: Law | None = None
    fresh: Law | None = None
    shows: str = "true"  # true, gap, noisy (q + nu) or fresh (q + noise of its own)


def probability(m: Numbers, answers: list[int], transcript: list[Any], left: int) -> float:
    """Pr[transcript], thresholds 0: False, True, or the number that a positive releases."""

    def rest(rho: int, i: int, left: int) -> float:
        value = 1.0
        for j in range(i, len(transcript)):
            if left == 0:
                return 0.0
            said, answer = transcript[j], answers[j]
            if said is False:
                value *= 1 - m.query.at_least(rho - answer)
                continue
            value *= positive(rho, answer, said)
            left -= 1
            if m.refresh is not None and left:
                return value * again(m.refresh, j + 1, left)
        return value

    @cache
    def again(law: Law, i: int, left: int) -> float:
        return sum(law.pmf(z) * rest(z, i, left) for z in law.support())

    def positive(rho: int, answer: int, said: Any) -> float:
        if m.shows == "gap":
            return m.query.pmf(said + rho - answer) if said >= 0 else 0.0
        if m.shows == "noisy":
            return m.query.pmf(said - answer) if said >= rho else 0.0
        crossed = m.query.at_least(rho - answer)
        return crossed * m.fresh.pmf(said - answer) if m.shows == "fresh" and m.fresh else crossed

    return sum(m.threshold.pmf(z) * rest(z, 0, left) for z in m.threshold.support())


def loss(m: Numbers, here: list[int], there: list[int], transcript: list[Any], left: int) -> float:
    """The privacy loss of one transcript: log of Pr on `here` over Pr on `there`."""
    p, p_there = probability(m, here, transcript, left), probability(m, there, transcript, left)
    if not p > 0:
        raise ValueError("the transcript is not possible")
    return math.log(p / p_there) if p_there > 0 else math.inf
