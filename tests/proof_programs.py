"""The noise and the programs of proofs/Statement.v, line by line in Python.

`alg1_loop` and `svt_loop` have the names and the lines of the file; where it draws, they read a tape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Query = Callable[[tuple[Any, ...], Any], int]
Threshold = Callable[[tuple[Any, ...]], int]


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
