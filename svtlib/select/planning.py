"""Plan before you ask: the budget that an accuracy needs, the questions a budget allows, the split that errs least.

All three turn round the same exact failure probability: k queries of which all but the last are at least alpha below
the threshold, and the last at least alpha from it (`failure_probability` of the worst of these lists).
So c only scales the noise: a list with c positives needs a little more, at c = 10 a thousandth of epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from svtlib import validate
from svtlib.catalogue import Variant
from svtlib.mechanism import Mechanism
from svtlib.select.accuracy import checked_beta, failure_probability, separated, smallest_alpha

__all__ = ["best_split", "least_epsilon", "most_queries"]

_NO_EPSILON = 1e-9  # in units of sensitivity / alpha: noise that wide makes every answer a coin


def _failure(mechanism: Mechanism, k: int, alpha: float) -> float:
    return max(
        failure_probability(mechanism, separated(k, alpha, last_above=last), alpha=alpha) for last in (True, False)
    )


def _checked(variant: object, k: int, alpha: float, beta: float) -> Variant:
    if not isinstance(variant, Variant):
        raise ValueError(f'variant must be a Variant, as from svt.variant("alg7"), got {variant!r}')
    validate.count("k", k)
    validate.positive("alpha", alpha)
    checked_beta(beta)
    return variant


def least_epsilon(
    variant: Variant,
    k: int,
    alpha: float,
    beta: float,
    *,
    c: int = 1,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    split: float | None = None,
) -> float:
    """Return the least epsilon with which a variant, at this split, is (alpha, beta)-accurate for k queries, exactly.

    The queries are at least alpha below the threshold, but for the last, which may be alpha above it.

    Parameters
    ----------
    variant : Variant
        One that compares signed values. Whether it spends the epsilon it is given is another question (`prove`).
    k : int
        Number of queries, all but the last at most T - alpha.
    alpha : float
        How far from the threshold the answers are, in their own units, greater than 0.
    beta : float
        Failure probability, between 1e-8 and 1.
    c, sensitivity, monotonic, split
        As for `Variant.calibrate`: without `split` it is the variant's own, which is not the best one (`best_split`).

    Returns
    -------
    float
        To a relative error of about 1e-8; 0 if beta is so large that no budget is needed.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    A hundred counts, all fifty persons or more from the threshold, judged rightly with probability 0.95.

    >>> import svtlib as svt
    >>> round(svt.least_epsilon(svt.variant("alg7"), 100, alpha=50, beta=0.05, monotonic=True), 3)
    0.312
    """
    from scipy.optimize import brentq

    variant = _checked(variant, k, alpha, beta)

    def excess(log_epsilon: float) -> float:
        epsilon = math.exp(log_epsilon)
        m = variant.calibrate(epsilon=epsilon, c=c, sensitivity=sensitivity, monotonic=monotonic, split=split)
        return _failure(m, k, alpha) - beta

    low = high = math.log(sensitivity / alpha)
    while excess(high) > 0:
        low, high = high, high + math.log(4)
    while excess(low) <= 0:
        low, high = low - math.log(4), low
        if low < math.log(_NO_EPSILON * sensitivity / alpha):
            return 0.0
    return math.exp(brentq(excess, low, high, xtol=1e-11))


def most_queries(mechanism: Mechanism, alpha: float, beta: float, *, limit: int = 100_000) -> int:
    """Return for how many queries a mechanism is (alpha, beta)-accurate, exactly; 0 if not for one.

    Parameters
    ----------
    mechanism : Mechanism
        One that compares signed values.
    alpha : float
        How far from the threshold the answers are, greater than 0.
    beta : float
        Failure probability, between 1e-8 and 1.
    limit : int
        No more are tried: this number is returned if it is allowed.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    Ten persons more between the answers and the threshold allow 150 times as many questions.

    >>> import svtlib as svt
    >>> m = svt.variant("alg7").calibrate(epsilon=1.0, monotonic=True)
    >>> [svt.most_queries(m, alpha, beta=0.05) for alpha in (15, 25)]
    [73, 11175]
    """
    if not isinstance(mechanism, Mechanism):
        raise ValueError(f"mechanism must be a Mechanism, got {mechanism!r}")
    limit = validate.count("limit", limit)
    validate.positive("alpha", alpha)
    checked_beta(beta)
    low, high = 0, 1  # low is allowed, high is not known to be
    while _failure(mechanism, high, alpha) <= beta:
        low = high
        if high == limit:
            return limit
        high = min(2 * high, limit)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _failure(mechanism, middle, alpha) <= beta else (low, middle)
    return low


def best_split(variant: Variant, k: int, beta: float, *, c: int = 1, monotonic: bool = False) -> float:
    """Return the epsilon2 / epsilon1 with which a variant needs the smallest alpha, for k queries and this beta.

    For continuous noise it depends on neither epsilon nor the sensitivity: the smallest alpha is in proportion to
    sensitivity / epsilon. The least *variance* of a comparison is a different aim and has another split.

    Parameters
    ----------
    variant : Variant
        One that compares signed values and accepts any split.
    k : int
        Number of queries, all but the last at most T - alpha.
    beta : float
        Failure probability, between 1e-8 and 1.
    c, monotonic
        As for `Variant.calibrate`.

    Returns
    -------
    float
        To a relative error of 1e-3: alpha is flat there.

    Raises
    ------
    ValueError
        If an argument is out of range, or the variant has a split of its own, or beta is met whatever the split.

    Examples
    --------
    The least variance would be at 2^(2/3) = 1.59 and at 20^(2/3) = 7.37.

    >>> import svtlib as svt
    >>> [round(svt.best_split(svt.variant("alg7"), 100, 0.05, c=c), 1) for c in (1, 10)]
    [2.5, 11.1]
    """
    variant = _checked(variant, k, 1.0, beta)
    if not variant.free_split:
        raise ValueError(f"variant must accept any split, and {variant.key} has one of its own")

    def alpha(log_split: float) -> float:
        m = variant.calibrate(epsilon=1.0, c=c, monotonic=monotonic, split=math.exp(log_split))
        return smallest_alpha(m, k, beta)

    own = math.log(variant.split(c, monotonic))
    if alpha(own) == 0:
        raise ValueError(f"beta must be smaller: with {beta!r} no alpha is needed, whatever the split")
    return math.exp(_lowest(alpha, own))


def _lowest(value: Callable[[float], float], start: float) -> float:
    """Where a function with one valley is lowest."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(value, bracket=(start - 0.5, start + 0.5), options={"xtol": 1e-4}).x)
