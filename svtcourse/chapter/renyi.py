"""What an SVT guarantees whatever its noise: a Rényi bound for all pairs of neighbours, and Gaussian noise to match it.

Chapter 17 has the proof. On the neighbour the threshold noise moves by the sensitivity, which costs the divergence of
that noise from itself moved. Given its value each answer is a coin: noise that has to reach x has to reach x + s on the
neighbour, with s from 0 to m. So the weight of all transcripts with t queries and j positives to come is at most

    V(t, j) = sup over x, s of w(nu < x) V(t - 1, j) + w(nu >= x) V(t - 1, j - 1),   V(0, j) = V(t, 0) = 1,

where w of an event is Pr^order times its probability on the neighbour^(1 - order). Both weights of log-concave noise
are convex in s, so s = m is the worst, or s = 0, which weighs no more than x = infinity. V(t, j) / V(t - 1, j) is a
convex function of V(t - 1, j - 1) / V(t - 1, j), which is computed at nodes, and whose chords are above it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from svtlib import validate
from svtlib.guarantee import Approximate, Renyi
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise import Gaussian, Laplace, Noise

__all__ = ["gaussian_noise", "renyi_bound"]

Array = NDArray[np.float64]

_NODES = 1000
_HALVINGS = 45  # of the interval in which the best x is
_FAR = 40.0  # standard deviations
_LARGEST = 690.0  # log of a weight that is still a float
_LEAST_TILT, _HIGHEST = 1e-2, 1e6  # (order - 1) m, and order, between which the recursion keeps its digits
_MOST_QUERIES = 100_000  # one step for each


def renyi_bound(mechanism: Mechanism, order: float, *, n: int) -> Renyi:
    """A Rényi guarantee of an SVT on at most n queries, chosen adaptively: for all pairs of neighbours.

    Parameters
    ----------
    mechanism : Mechanism
        Without released numbers and absolute values; the noises need not have a pure guarantee, and Gaussian query
        noise, which has none, may be on any number of queries.
    order : float
        Greater than 1.
    n : int
        The most queries that are answered, at least 1. It matters for Gaussian query noise only, and is at most
        100,000 there.

    Returns
    -------
    Renyi
        Of this order; infinite where this proof gives nothing.

    Raises
    ------
    ValueError
        If an argument is out of range, or the mechanism releases numbers or compares absolute values.

    Examples
    --------
    >>> import svtlib as svt
    >>> from dataclasses import replace
    >>> from svtlib.guarantee import Approximate
    >>> laplace = svt.variant("above_threshold").calibrate(epsilon=1.0)
    >>> gaussian = replace(laplace, threshold_noise=svt.Gaussian(4.0), query_noise=svt.Gaussian(8.0))
    >>> [round(svt.renyi_bound(gaussian, 3.0, n=n).epsilon, 3) for n in (10, 1000)]
    [0.278, 0.568]
    >>> svt.renyi_bound(laplace, 3.0, n=10).epsilon <= Approximate(1.0).renyi(3.0).epsilon
    True
    """
    a_mechanism(mechanism)
    if mechanism.release != "indicator" or mechanism.compare != "signed":
        raise ValueError("mechanism must release indicators and compare signed answers for this bound")
    n, a = validate.count("n", n), Renyi(order, 0.0).order
    moved = mechanism.sensitivity
    passes = moved if mechanism.monotonic else 2 * moved
    crossings = int(min(mechanism.most_crossings, n))
    redraws = crossings - 1 if mechanism.refresh else 0
    nu, first, later = mechanism.query_noise, mechanism.threshold_noise, mechanism.redraw_noise
    if 1 in nu.moves:
        each = crossings * float(nu.price(passes))
        bound = _apart(first, moved, a) + (redraws and redraws * _apart(later, moved, a)) + each
        if 1 in first.moves and 1 in later.moves:
            whole = Approximate(float(first.price(moved) + redraws * later.price(moved)) + each)
            bound = min(bound, whole.renyi(a).epsilon)
        return Renyi(a, bound)
    if not isinstance(nu, Gaussian):
        return Renyi(a, math.inf)
    n = validate.count("n", n, most=_MOST_QUERIES)

    def anew(order: float) -> float:
        return _apart(later, moved, order) if redraws else 0.0

    return Renyi(a, _apart(first, moved, a) + _answers(passes / nu.scale, a, n, crossings, anew))


def gaussian_noise(
    *, epsilon: float, delta: float, n: int, c: int = 1, monotonic: bool = False
) -> tuple[Gaussian, Gaussian]:
    """Gaussian noise with which an SVT that stops at positive c is (epsilon, delta)-DP on at most n queries.

    The narrowest, by `renyi_bound` at the best order, in a ratio that makes the variance of a comparison nearly least.

    Parameters
    ----------
    epsilon, delta : float
        The guarantee; delta less than 1.
    n : int
        The most queries that are answered, at most 100,000: whoever runs it has to see to that.
    c : int
        The number of positives at which it stops.
    monotonic : bool
        True if all answers that differ between neighbours move in the same direction.

    Returns
    -------
    tuple of Gaussian
        For the threshold and for the queries, in units of the sensitivity.

    Examples
    --------
    >>> threshold, query = gaussian_noise(epsilon=1.0, delta=1e-6, n=1000)
    >>> round(threshold.scale), round(query.scale)
    (9, 14)
    """
    from scipy.optimize import brentq, minimize_scalar

    epsilon, delta = validate.positive("epsilon", epsilon), validate.positive("delta", delta)
    if delta >= 1:
        raise ValueError(f"delta must be less than 1, got {delta!r}")
    n = validate.count("n", n, most=_MOST_QUERIES)
    c = min(validate.count("c", c), n)
    passes = 1 if validate.boolean("monotonic", monotonic) else 2
    ratio = math.sqrt(passes * math.sqrt(c))  # of the simple bound

    def spent(log_scale: float, log_order: float) -> tuple[float, float]:
        """For the threshold and for the answers, at an order."""
        scale, order = math.exp(log_scale), 1 + math.exp(log_order)
        return order / (2 * scale**2), _answers(passes / (ratio * scale), order, n, c)

    def least(log_scale: float) -> tuple[float, float]:
        """The least epsilon, over some orders, and log(order - 1)."""

        def cost(log_order: float) -> float:
            return Renyi(1 + math.exp(log_order), sum(spent(log_scale, log_order))).approximate(delta).epsilon

        found = minimize_scalar(cost, bounds=near, method="bounded", options={"xatol": 0.05})
        return float(found.fun), float(found.x)

    # The simple bound is enough, and without its second and third term it is too little.
    outputs = _log_transcripts(n, c)
    highest = max(math.log((1e3 + 10 * outputs - 10 * math.log(delta)) / epsilon), 0.0)
    orders = 1 + np.exp(np.linspace(-3, highest, 1000))
    left = epsilon - np.log1p(-1 / orders) + (math.log(delta) + np.log(orders)) / (orders - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = orders / (left - outputs / (orders - 1))
        narrow = orders / left / 2
    best = int(np.argmin(np.where(wide > 0, wide, math.inf)))
    near = math.log(orders[best] - 1) - 6, math.log(orders[best] - 1) + 0.5

    def enough() -> float:
        """Log of a scale with which it is."""
        return math.log(wide[best] * (0.5 + c * passes**2 / (2 * ratio**2))) / 2

    # What each part costs, times its variance, says in which ratio the sum of the variances is least.
    threshold, answers = spent(enough(), least(enough())[1])
    ratio = math.sqrt(ratio * math.sqrt(answers / threshold))
    low = math.log(narrow[narrow > 0].min()) / 2
    found = brentq(lambda log_scale: least(log_scale)[0] - epsilon, low - 1e-3, enough() + 1e-3, xtol=3e-4)
    while least(found)[0] > epsilon:
        found += 3e-4
    return Gaussian(math.exp(found)), Gaussian(ratio * math.exp(found))


def _apart(noise: Noise, shift: float, order: float) -> float:
    """The Rényi divergence of noise from the same noise moved up by `shift`, or a bound on it."""
    if isinstance(noise, Gaussian):
        return order * (shift / noise.scale) ** 2 / 2
    t = float(noise.price(shift))
    if math.isinf(t) or not isinstance(noise, Laplace):
        return t
    ends = math.log(order) + (order - 1) * t, math.log(order - 1) - order * t
    return float(np.logaddexp(*ends) - math.log(2 * order - 1)) / (order - 1)


def _growth(m: float, order: float, least: float, most: float) -> tuple[Array, Array]:
    """Nodes u from exp(least) to exp(most), and at each the sup over x of w(nu < x) + w(nu >= x) u, less 1."""
    nu = Gaussian(1.0)

    def sides(x: Array) -> tuple[Array, Array, Array, Array]:
        """Of a negative and of a positive: log of the weight, and of how fast that log rises and falls with x."""
        found = []
        for log in (nu.log_less, nu.log_at_least):
            log_p, log_q = log(x), log(x + m)
            hazard = nu.logpdf(x) - log_p
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                steep = hazard + np.log(1 - (order - 1) * np.expm1(nu.logpdf(x + m) - log_q - hazard))
            found += [order * log_p - (order - 1) * log_q, steep]
        return tuple(found)  # type: ignore[return-value]

    def slope(x: Array) -> Array:
        """Log of the u for which x is best: where the weight of a positive falls, it falls with x."""
        below, rises, above, falls = sides(x)
        return np.where(np.isnan(falls), math.inf, below + rises - above - falls)

    near = most - np.geomspace(most - least, 1e-9, _NODES // 4)  # at small orders it bends there
    log_u = np.unique(np.concatenate([np.linspace(least, most, _NODES), near]))
    low, high = np.full(log_u.size, -_FAR), np.full(log_u.size, _FAR + order * m - 2 * least / ((order - 1) * m))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        right = slope(middle) > log_u
        low, high = np.where(right, middle, low), np.where(right, high, middle)
    grown = np.zeros(log_u.size)
    for x in (low, high):
        below, _, above, _ = sides(x)
        grown = np.maximum(grown, np.expm1(np.logaddexp(below, above + log_u)))
    return np.concatenate([[0.0], np.exp(log_u)]), np.concatenate([[0.0], grown])


def _log_transcripts(n: int, c: int) -> float:
    """Log of the number of outputs on n queries that end at positive c."""
    log_choose = [math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1) for j in range(c + 1)]
    return float(np.logaddexp.reduce(log_choose))


def _answers(m: float, order: float, n: int, c: int, anew: Callable[[float], float] = lambda _: 0.0) -> float:
    """log V(n, c) / (order - 1), or more; each positive but the last one costs `anew` of the order besides.

    A divergence does not fall as its order rises, so a higher order can stand in for this one.
    """
    outputs = _log_transcripts(n, c)
    least = max(order, 1 + math.sqrt(2 * outputs / c) / m)  # every positive at its worst, in every output
    simple = [outputs / (one - 1) + c * one * m**2 / 2 + (c - 1) * anew(one) for one in (order, least)]
    higher = max(order, 1 + _LEAST_TILT / m)
    if higher > _HIGHEST:
        return min(simple)
    return min(*simple, _log_weight(m, higher, n, c, (higher - 1) * anew(higher)) / (higher - 1))


def _log_weight(m: float, order: float, n: int, c: int, again: float = 0.0) -> float:
    """log V(n, c), where each positive but the last one costs a factor exp(again) more; inf if it is no float."""
    most = math.log1p(n) + (order - 1) * order * m**2 / 2 + again
    if not most < _LARGEST:
        return math.inf
    u, grown = _growth(m, order, -most, again)
    v = np.zeros(c + 1)
    redrawn = np.where(np.arange(1, c + 1) > 1, again, 0.0)
    for _ in range(n):
        v[1:] += np.log1p(np.interp(np.exp(v[:-1] - v[1:] + redrawn), u, grown))
    return float(v[c])
