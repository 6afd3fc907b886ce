"""The probability of all comparisons that share one draw of the threshold noise.

Given rho the comparisons are independent (Lyu, Su & Li 2017, eq. 5), so this is one integral over rho of a product of
closed forms, or a sum where rho has atoms.
Everything is done with logarithms relative to the largest value, so underflow is no issue.
What takes care is to find the mass, which may sit in a peak much narrower than any noise scale, and far from zero.
Two facts find it with certainty:

* Laplace, Exponential, Gumbel and Gaussian noise is log-concave, and so is then the integrand: a chord of its logarithm
  bounds it beyond the chord, and outside the window where it is within e^-50 of its maximum it has no mass that counts.
  (Negatives inside the absolute value: Prékopa's theorem. Positives there: for Laplace noise by its closed form, for
  Exponential noise by its closed form on either side of one dent; for other families it is false in general, and not
  used.)
* For any noise Pr[negative] rises with rho and Pr[positive] falls, which bounds the integral over any interval from
  both sides, also where it is a step function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svtlib.noise import Exponential, Geometric, Laplace, Noise, NoNoise, _log1mexp

__all__ = ["Group", "forget", "log_integral", "possible"]

Array = NDArray[np.float64]

Group = tuple[float, float, bool, int]
"""Equal comparisons: threshold, answer, whether they are positive, and how many they are.

Without absolute values only threshold - answer matters, and the answer is then written as 0.
"""

_CUT = 50.0  # what is e^-50 below the largest value is left out
_TOLERANCE = 1e-11  # of a log probability, relative where it is below -1; the contract is 1e-9
_FLOOR = -1e300  # stands for -inf where differences are taken
_CHUNK = 1 << 17  # numbers in one evaluation, so that they stay in the cache
_ROUNDS = 200
_MOST_DENTS = 8  # pieces between them are integrated one by one


def _rule(few: int, many: int) -> tuple[Array, Array]:
    """Nodes of two Gauss-Legendre rules on [0, 2] together, and the weights of either, shape (nodes, 2)."""
    (x, v), (y, w) = np.polynomial.legendre.leggauss(few), np.polynomial.legendre.leggauss(many)
    weights = np.zeros((few + many, 2))
    weights[:few, 0], weights[few:, 1] = v, w
    return np.concatenate([x, y]) + 1, weights


_SHORT, _LONG = _rule(4, 7), _rule(10, 16)
_NARROW = np.polynomial.legendre.leggauss(8)
_SUM_ORDERS = (10, 16)
_ADDED = 32  # so many terms are added one by one


def _log_sum(x: Array, axis: int | None = None) -> Array:
    """Log of the sum of exp(x), -inf if all entries are."""
    if x.size == 0:
        return np.asarray(-np.inf)
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(x - top), axis=axis)) + np.squeeze(top, axis=axis))


def _log_between(noise: Noise, low: Array, high: Array, *, closed: tuple[bool, bool]) -> Array:
    """Log of Pr[low < X < high], with <= where `closed` says so, also where the interval is narrow or far out."""
    with np.errstate(invalid="ignore"):
        below_low = noise.log_less(low) if closed[0] else noise.logcdf(low)
        above_low = noise.log_at_least(low) if closed[0] else noise.logsf(low)
        below_high = noise.logcdf(high) if closed[1] else noise.log_less(high)
        above_high = noise.logsf(high) if closed[1] else noise.log_at_least(high)
    lower = below_high <= above_low
    larger, smaller = np.where(lower, below_high, above_low), np.where(lower, below_low, above_high)
    with np.errstate(invalid="ignore"):
        gap = np.where(larger > smaller, smaller - larger, 0.0)
        mass = np.where(larger > smaller, larger + _log1mexp(gap), -np.inf)
    narrow = (gap > -0.1) & (low < high) & (larger > -np.inf)
    if noise.discrete or not narrow.any():
        return mass
    ends = [low[narrow], *(np.clip(k, low[narrow], high[narrow]) for k in noise.kinks), high[narrow]]
    x, w = _NARROW
    pieces = []
    for left, right in pairwise(ends):
        half = (right - left)[:, None] / 2
        with np.errstate(divide="ignore"):
            pieces.append(_log_sum(noise.logpdf(left[:, None] + half * (1 + x)) + np.log(half * w), axis=1))
    mass[narrow] = _log_sum(np.stack(pieces), axis=0)
    return mass


@lru_cache(maxsize=256)
def _sides(noise: Noise) -> tuple[bool, bool]:
    """Whether the noise can be negative, and whether it can be positive."""
    return float(noise.log_less(0.0)) > -np.inf, float(noise.logsf(0.0)) > -np.inf


class _Comparisons:
    """The product of the probabilities of all comparisons, as a function of rho."""

    def __init__(self, nu: Noise, absolute: bool, groups: tuple[Group, ...], offsets: tuple[float, ...] = ()) -> None:
        self.nu, self.absolute, self.offset = nu, absolute, np.array(offsets)
        ordered = sorted(groups, key=lambda group: group[2])
        self.size = len(ordered)
        self.negatives = sum(not group[2] for group in ordered)
        columns = np.array(ordered, dtype=float).reshape(self.size, 4).T
        self.threshold, self.answer, self.count = columns[0], columns[1], columns[3]
        self.stacked = not absolute and nu.symmetric and not nu.discrete
        # Pr[nu >= x] = Pr[nu <= -x] for symmetric noise: one call for both signs
        self.sign = 1 - 2 * columns[2]

    def moved(self, shift: float) -> _Comparisons:
        """The same as a function of rho - shift, so that large numbers cancel once and not at every point."""
        other = _Comparisons.__new__(_Comparisons)
        other.__dict__.update(self.__dict__, threshold=self.threshold + shift, offset=self.offset + shift)
        return other

    def kinks(self) -> Array:
        """Where the product is not smooth, or where its slope is likely to change, in rho."""
        if self.absolute:
            return np.concatenate([-self.threshold, np.abs(self.answer) - self.threshold])
        return np.concatenate([-self.threshold, -self.offset])

    def support(self) -> tuple[float, float]:
        """An open interval of rho outside which the product is 0."""
        low, high = -math.inf, math.inf
        can_fall, can_rise = _sides(self.nu)
        negative, positive = slice(None, self.negatives), slice(self.negatives, None)
        if self.absolute and self.negatives:
            reach = np.zeros(self.negatives)
            if not can_fall:
                reach = np.maximum(reach, self.answer[negative])
            if not can_rise:
                reach = np.maximum(reach, -self.answer[negative])
            low = float(np.max(reach - self.threshold[negative]))
        elif not self.absolute:
            if not can_fall and self.negatives:
                low = float(np.max(-self.threshold[negative]))
            if not can_rise and self.negatives < self.size:
                high = float(np.min(-self.threshold[positive]))
            if self.offset.size:
                low = low if can_fall else max(low, float(np.max(-self.offset)))
                high = high if can_rise else min(high, float(np.min(-self.offset)))
        return low, high

    def dents(self) -> Array | None:
        """Where in rho the logarithm of a positive inside the absolute value is not concave; None if not known.

        One-sided noise reaches beyond the farther bar only, once the bars are so far out that the answer lies between
        them: there log(1 - 2 exp(-abs(answer) / s) sinh(w / s)), concave in w, turns into a straight line.
        """
        if not isinstance(self.nu, Exponential):
            return None
        behind = self.nu.sign * self.answer[self.negatives :] < 0
        return np.unique((np.abs(self.answer) - self.threshold)[self.negatives :][behind])

    def chunked(self, part: Callable[[Array], Array], z: Array) -> Array:
        step = max(1, _CHUNK // max(1, self.size))
        if z.size <= step:
            return part(z)
        return np.concatenate([part(z[i : i + step]) for i in range(0, z.size, step)])

    def _negative(self, z: Array) -> Array:
        if not self.negatives:
            return np.zeros(z.size)
        part = slice(None, self.negatives)
        x = self.threshold[part, None] + z
        if not self.absolute:
            return np.asarray(self.count[part] @ self.nu.log_less(x))
        q = self.answer[part, None]
        if isinstance(self.nu, Laplace):
            return np.asarray(self.count[part] @ _laplace_inside(x / self.nu.scale, np.abs(q) / self.nu.scale))
        if isinstance(self.nu, Exponential):
            q = self.nu.sign * q
            return np.asarray(self.count[part] @ _exponential_inside(x / self.nu.scale, q / self.nu.scale))
        # threshold - answer first: rounded after z was added, a tie of whole numbers could be lost
        up, down = (self.threshold[part, None] - q) + z, (-self.threshold[part, None] - q) - z
        logs = np.where(x > 0, _log_between(self.nu, np.minimum(down, up), up, closed=(False, False)), -np.inf)
        return np.asarray(self.count[part] @ logs)

    def _positive(self, z: Array) -> Array:
        if self.negatives == self.size:
            return np.zeros(z.size)
        part = slice(self.negatives, None)
        x = self.threshold[part, None] + z
        if not self.absolute:
            return np.asarray(self.count[part] @ self.nu.log_at_least(x))
        q = self.answer[part, None]
        if isinstance(self.nu, Laplace):
            return np.asarray(self.count[part] @ _laplace_outside(x / self.nu.scale, np.abs(q) / self.nu.scale))
        if isinstance(self.nu, Exponential):
            q = self.nu.sign * q
            return np.asarray(self.count[part] @ _exponential_outside(x / self.nu.scale, q / self.nu.scale))
        up, down = (self.threshold[part, None] - q) + z, (-self.threshold[part, None] - q) - z
        outside = np.logaddexp(self.nu.log_at_least(up), self.nu.logcdf(down))
        return np.asarray(self.count[part] @ np.where(x > 0, np.minimum(outside, 0.0), 0.0))

    def negative(self, z: Array) -> Array:
        """Log of the product of the negative answers' probabilities at each rho in `z`; rises with rho."""
        return self.chunked(self._negative, z)

    def positive(self, z: Array) -> Array:
        """Log of the product of the positive answers' probabilities at each rho in `z`; falls with rho."""
        return self.chunked(self._positive, z)

    def _fixed(self, z: Array) -> Array:
        """Log of the density of the query noises that a released gap ties to rho."""
        return np.asarray(self.nu.logpdf(self.offset[:, None] + z).sum(axis=0))

    def total(self, z: Array) -> Array:
        """Log of the product at each rho in `z`."""
        fixed = self.chunked(self._fixed, z) if self.offset.size else 0.0
        if not self.stacked:
            return self.chunked(lambda part: self._negative(part) + self._positive(part), z) + fixed
        offset, sign = (self.sign * self.threshold)[:, None], self.sign[:, None]
        return self.chunked(lambda part: np.asarray(self.count @ self.nu.logcdf(offset + sign * part)), z) + fixed

    def fixed_between(self, left: Array, right: Array) -> tuple[Array, Array]:
        """The least and the largest of `_fixed` on each interval: every density rises up to 0 and falls from there."""
        density = self.nu.log_atom if isinstance(self.nu, Geometric) else self.nu.logpdf
        a, b = self.offset[:, None] + left, self.offset[:, None] + right
        least, most = np.minimum(density(a), density(b)), density(np.clip(0.0, a, b))
        return np.asarray(least.sum(axis=0)), np.asarray(most.sum(axis=0))


def _laplace_inside(w: Array, q: Array) -> Array:
    """Log of Pr[|q + nu| < w] for Laplace noise of scale 1 and q >= 0, without cancellation."""
    v = np.maximum(w, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        near = np.log(-(np.expm1(np.minimum(q - v, 0.0)) + np.expm1(-q - v)) / 2)  # w >= q
        far = v - q + np.log(-np.expm1(-2 * v) / 2)
    return np.where(w > 0, np.where(v >= q, near, far), -np.inf)


def _laplace_outside(w: Array, q: Array) -> Array:
    """Log of Pr[|q + nu| >= w] for Laplace noise of scale 1 and q >= 0."""
    v = np.maximum(w, 0.0)
    beyond = q - v + np.log1p(np.exp(-2 * q)) - math.log(2)  # w >= q
    within = np.log1p((np.exp(-q - v) - np.exp(np.minimum(v - q, 0.0))) / 2)
    return np.where(v >= q, beyond, within)


def _exponential_inside(w: Array, q: Array) -> Array:
    """Log of Pr[|q + nu| < w] for exponential noise nu >= 0 of scale 1."""
    least = np.maximum(-w - q, 0.0)
    return np.where((w > 0) & (w > q), _log1mexp(np.minimum(least + q - w, 0.0)) - least, -np.inf)


def _exponential_outside(w: Array, q: Array) -> Array:
    """Log of Pr[|q + nu| >= w] for exponential noise nu >= 0 of scale 1."""
    above = -np.maximum(w - q, 0.0)
    return np.where(w > 0, np.logaddexp(above, _log1mexp(np.minimum(w + q, 0.0))), 0.0)


def log_integral(
    rho: Noise,
    nu: Noise,
    absolute: bool,
    groups: tuple[Group, ...],
    cap: float = math.inf,
    offsets: tuple[float, ...] = (),
) -> float:
    """Log of the probability that all comparisons come out as told, and that rho <= cap.

    Parameters
    ----------
    rho, nu : Noise
        Threshold noise, drawn once, and query noise, drawn for each comparison. Atoms, if any, are integers.
    absolute : bool
        Positive if abs(answer + nu) >= threshold + rho, else if answer + nu >= threshold + rho.
    groups : tuple of Group
        Equal comparisons, counted.
    cap : float
        The largest possible rho, known where a compared number has been released.
    offsets : tuple of float
        For each released gap what it tells: a query noise equals rho + offset. They need signed comparisons and query
        noise with a density, or on whole numbers as rho is.

    Returns
    -------
    float
        -inf if it is impossible; a log density where there are offsets.

    Raises
    ------
    ArithmeticError
        If the error bound cannot be reached. No case is known.

    Examples
    --------
    >>> round(math.exp(log_integral(Laplace(2.0), Laplace(4.0), False, ((0.0, 0.0, False, 1),))), 12)
    0.5
    """
    key = (rho, nu, absolute, groups, cap, offsets)
    return _remembered(*key) if len(groups) <= 32 else _log_integral(*key)


@np.errstate(over="ignore")  # exp(-x) of Gumbel noise: its log probability is then below -1e308
def _log_integral(
    rho: Noise, nu: Noise, absolute: bool, groups: tuple[Group, ...], cap: float, offsets: tuple[float, ...]
) -> float:
    if isinstance(nu, NoNoise):
        low, high = -math.inf, cap
        for threshold, answer, positive, _ in groups:
            step = (abs(answer) if absolute else answer) - threshold
            low, high = (low, min(high, step)) if positive else (max(low, step), high)
        if low >= high:
            return -math.inf
        return float(_log_between(rho, np.array([low]), np.array([high]), closed=(False, True))[0])
    if not groups and not offsets:
        return float(rho.logcdf(cap))
    if nu.discrete and any(offset != math.floor(offset) for offset in offsets):
        return -math.inf
    comparisons = _Comparisons(nu, absolute, groups, offsets)
    if isinstance(rho, NoNoise):
        return float(comparisons.total(np.zeros(1))[0]) if cap >= 0 else -math.inf
    low, high = _interval(rho, comparisons, cap)
    if low > high or (low == high and not rho.discrete):
        return -math.inf
    if low == high:
        return float(rho.logpdf(low) + comparisons.total(np.array([low]))[0])
    if not rho.log_concave or not nu.log_concave:
        return _by_bounds(rho, comparisons, low, high)
    if absolute and comparisons.negatives < comparisons.size and not isinstance(nu, Laplace):
        dents = comparisons.dents()
        if dents is None or dents.size > _MOST_DENTS:
            return _by_bounds(rho, comparisons, low, high)
        ends = [low, *dents[(dents > low) & (dents < high)].tolist(), high]
        return float(_log_sum(np.array([_by_concavity(rho, comparisons, *piece) for piece in pairwise(ends)])))
    return _by_concavity(rho, comparisons, low, high)


def _interval(rho: Noise, comparisons: _Comparisons, cap: float) -> tuple[float, float]:
    """Where in rho its density and the product of all comparisons are not 0."""
    low, high = comparisons.support()
    can_fall, can_rise = _sides(rho)
    return max(low, -math.inf if can_fall else 0.0), min(high, cap, math.inf if can_rise else 0.0)


def possible(rho: Noise, nu: Noise, absolute: bool, groups: tuple[Group, ...], cap: float, offsets: Any) -> bool:
    """Whether noise with densities gives these answers at all, however rarely; arguments as in `log_integral`."""
    if nu.discrete or (rho.discrete and not isinstance(rho, NoNoise)):
        return False
    comparisons = _Comparisons(nu, absolute, groups, offsets)
    if isinstance(rho, NoNoise):
        low, high = comparisons.support()
        return low < 0.0 < high and cap >= 0
    low, high = _interval(rho, comparisons, cap)
    return low < high


_remembered = lru_cache(maxsize=1 << 14)(_log_integral)


def forget() -> None:
    """Forget the integrals that are remembered, so that a measurement of time measures them."""
    _remembered.cache_clear()


# Log-concave integrands


def _ascending(*parts: Array) -> Array:
    """All numbers of all parts, sorted, each once."""
    grid = np.concatenate(parts)
    grid.sort()
    new = np.empty(grid.size, dtype=bool)
    new[:1] = True
    np.not_equal(grid[1:], grid[:-1], out=new[1:])
    return np.asarray(grid[new])


def _ladders(points: Array, step: float, below: float = 0.0, above: float = 0.0) -> Array:
    """Sorted `points` with others away from each, at distances that grow by a factor of 4 from `step`.

    Between two neighbours up to the middle; below the first and above the last up to the given distance.
    What happens near a point, and fades over a noise scale, is then resolved by the panels between these points.
    """
    parts = [points]
    gaps = np.diff(points)
    longest = max(below, above, float(gaps.max(initial=0.0)))
    while step < longest:
        wide = 3 * step < gaps
        parts += [points[:-1][wide] + step, points[1:][wide] - step]
        if step < below:
            parts.append(points[:1] - step)
        if step < above:
            parts.append(points[-1:] + step)
        step *= 4
    if below:
        parts.append(points[:1] - below)
    if above:
        parts.append(points[-1:] + above)
    return _ascending(*parts)


def _first_grid(kinks: Array, low: float, high: float, rho: float, nu: float) -> Array:
    """Points between which a log-concave integrand is first looked at: kinks, if few, and ladders away from them."""
    points = kinks if kinks.size <= 16 else kinks[np.linspace(0, kinks.size - 1, 13).astype(int)]
    reach = 45 * rho + 24 * nu
    ends = [end for end in (low, high) if math.isfinite(end)]
    if ends:
        points = _ascending(points, np.array(ends))
    grid = _ladders(points, 1.5 * nu, 0.0 if math.isfinite(low) else reach, 0.0 if math.isfinite(high) else reach)
    if ends:  # towards an edge, where the logarithm may fall to -inf
        room = min(nu, (high - low) / 4) * 10.0 ** -np.arange(1.0, 15.0, 2.0)
        grid = _ascending(grid, *(end + room if end == low else end - room for end in ends))
    return grid


def _peak_bounds(x: Array, g: Array, m: int) -> tuple[float, float]:
    """How large a concave function can be just left and just right of its largest known value at index m."""
    last = x.size - 1

    def beside(step: int) -> float:
        if not 0 <= m + step <= last:
            return -math.inf
        width = abs(float(x[m + step] - x[m]))
        back = ahead = math.inf
        if 0 <= m - step <= last:
            back = float(g[m] - g[m - step]) / abs(float(x[m] - x[m - step]))
        if 0 <= m + 2 * step <= last:
            ahead = float(g[m + step] - g[m + 2 * step]) / abs(float(x[m + 2 * step] - x[m + step]))
        if back == math.inf:
            return float(g[m + step]) + ahead * width
        if ahead == math.inf:
            return float(g[m]) + back * width
        if back + ahead <= 0:
            return float(g[m])
        return float(g[m]) + back * (float(g[m + step] - g[m]) + ahead * width) / (back + ahead)

    return beside(-1), beside(1)


def _by_concavity(rho: Noise, comparisons: _Comparisons, low: float, high: float) -> float:
    """The integral of a log-concave function on (low, high)."""
    kinks = np.array(sorted({*comparisons.kinks().tolist(), 0.0}))
    kinks = kinks[(kinks > low) & (kinks < high)]
    b, s = rho.width, comparisons.nu.width

    def log_integrand(z: Array) -> Array:
        return np.maximum(rho.logpdf(z) + comparisons.total(z), _FLOOR)

    x = _first_grid(kinks, low, high, b, s)
    g = log_integrand(x)
    for _ in range(_ROUNDS):
        m = int(np.argmax(g))
        top = float(g[m])
        if top <= _FLOOR:
            return -math.inf
        near = g >= top - _CUT
        extra: list[Array] = []
        if near[0] and x[0] > low:
            extra.append(np.maximum(x[:1] - 2 * (x[-1] - x[0] + b), low))
        if near[-1] and x[-1] < high:
            extra.append(np.minimum(x[-1:] + 2 * (x[-1] - x[0] + b), high))
        size = np.maximum(g[1:], g[:-1])
        rough = (near[1:] | near[:-1]) & (np.abs(g[1:] - g[:-1]) > 12 + (top - size))
        left, right = _peak_bounds(x, g, m)
        if left > top + 6:
            rough[m - 1] = True
        if right > top + 6:
            rough[m] = True
        at = np.flatnonzero(rough)
        if at.size:
            a, width = x[at], x[at + 1] - x[at]
            at_edge = ((a == low) & (g[at] == _FLOOR)) | ((a + width == high) & (g[at + 1] == _FLOOR))
            wide = width > np.maximum(np.where(at_edge, 1e-12 * s, 0.0), 1e-14 * np.abs(a))
            a, width = a[wide], width[wide]
            if a.size:
                extra.append((a[:, None] + width[:, None] * np.arange(1, 5) / 5).ravel())
        if not extra:
            break
        new = np.concatenate(extra)
        x, g = np.concatenate([x, new]), np.concatenate([g, log_integrand(new)])
        order = np.argsort(x, kind="stable")
        x, g = x[order], g[order]
    else:
        raise ArithmeticError("the mass of a log-concave integrand was not found")
    first, last = max(int(np.argmax(near)) - 1, 0), x.size - int(np.argmax(near[::-1]))
    edges = x[first : last + 1]
    if kinks.size > 16:
        inner = np.concatenate([edges[:1], kinks[(kinks > edges[0]) & (kinks < edges[-1])], edges[-1:]])
        edges = np.unique(np.concatenate([edges, _ladders(inner, 1.5 * s)]))
    shift = float(x[m])
    near_shift = comparisons.moved(shift)
    return _quadrature(
        lambda t: rho.logpdf(t + shift) + near_shift.total(t), edges[:-1] - shift, edges[1:] - shift, top, s
    )


def _quadrature(log_integrand: Callable[[Array], Array], left: Array, right: Array, top: float, s: float) -> float:
    """Log of the integral over the panels [left, right], refined until two Gauss-Legendre rules agree.

    `top` is about the largest value of the logarithm, `s` a length over which the noise changes.
    """
    tolerance = _TOLERANCE * max(1.0, abs(top))
    if tolerance > 1000:  # below -1e14, where the logarithm of the width of a peak is beyond the last digit
        return top

    def both_rules(left: Array, half: Array, rule: tuple[Array, Array]) -> Array:
        z = left[:, None] + half[:, None] * rule[0]
        return np.asarray(half[:, None] * (np.exp(log_integrand(z.ravel()) - top).reshape(z.shape) @ rule[1]))

    done = missed = 0.0
    half = (right - left) / 2
    short = half < s / 8
    for round_ in range(_ROUNDS):
        if round_ == 0 and short.any():
            sums = np.empty((half.size, 2))
            sums[short] = both_rules(left[short], half[short], _SHORT)
            sums[~short] = both_rules(left[~short], half[~short], _LONG)
        else:
            sums = both_rules(left, half, _LONG)
        error = np.abs(sums[:, 1] - sums[:, 0])
        total = done + float(sums[:, 1].sum())
        if missed + float(error.sum()) <= tolerance * total:
            return top + math.log(total) if total > 0 else -math.inf
        bad = (error > tolerance * total / (4 * half.size)) & (half > 1e-15 * np.abs(left))
        done, missed = done + float(sums[~bad, 1].sum()), missed + float(error[~bad].sum())
        if not bad.any():
            if missed <= 50 * tolerance * total:
                return top + math.log(total)
            break
        left, half = left[bad], half[bad] / 2
        left, half = np.concatenate([left, left + 2 * half]), np.concatenate([half, half])
    raise ArithmeticError(f"the error bound {tolerance:g} was not reached: {missed / total:g} is uncertain")


# Any integrand: it is a rising times a falling function


def _by_bounds(rho: Noise, comparisons: _Comparisons, low: float, high: float) -> float:
    """The integral on (low, high), or the sum over the atoms of rho on [low, high], from monotonicity alone."""
    nu = comparisons.nu
    b, s = rho.width, nu.width
    stepped = rho.discrete or nu.discrete
    kinks = np.concatenate([comparisons.kinks(), (0.0,)])
    finite = kinks[(kinks > low) & (kinks < high)]
    start = np.unique([*finite.tolist(), *(end for end in (low, high) if math.isfinite(end))])
    reach = 45 * b + 24 * s
    while True:  # further out until the two tails do not count
        below, above = 0.0 if math.isfinite(low) else reach, 0.0 if math.isfinite(high) else reach
        x = _ladders(start, 1.5 * s, below, above)
        reach *= 4
        negative, positive = comparisons.negative(x), comparisons.positive(x)
        least, _ = comparisons.fixed_between(x[:-1], x[1:])
        top = comparisons.offset.size * float(nu.logpdf(0.0))
        under = float(rho.log_less(x[0]) + negative[0]) + top if below else -math.inf
        over = float(rho.logsf(x[-1]) + positive[-1]) + top if above else -math.inf
        mass = _log_between(rho, x[:-1], x[1:], closed=(True, True))
        seen = float(_log_sum(mass + negative[:-1] + positive[1:] + least))
        if max(under, over) < seen - _CUT or reach > 1e300:
            break
    left, right = x[:-1], x[1:]
    kept_left, kept_right = [], []
    best = -math.inf
    for _ in range(_ROUNDS):
        ends, index = np.unique(np.concatenate([left, right]), return_inverse=True)
        negative, positive = comparisons.negative(ends), comparisons.positive(ends)
        i, j = index[: left.size], index[left.size :]
        mass = _log_between(rho, left, right, closed=(True, True))
        least, most = comparisons.fixed_between(left, right)
        least, most = mass + negative[i] + positive[j] + least, mass + negative[j] + positive[i] + most
        best = max(best, float(least.max(initial=-math.inf)))
        counts = (most >= best - _CUT - math.log(left.size + 1)) & (most > -math.inf)
        width = right - left
        with np.errstate(invalid="ignore"):
            loose = ~(most - least <= 3)
        if stepped:
            fine = width <= 1
        else:
            with np.errstate(invalid="ignore"):
                drift = np.abs(rho.logpdf(left + width * 1e-9) - rho.logpdf(right - width * 1e-9))
            loose |= ~(drift <= 8)
            fine = width <= 1e-13 * (np.abs(left) + s)
        ready = counts & (fine | ~loose)
        kept_left.append(left[ready])
        kept_right.append(right[ready])
        more = counts & ~ready
        if not more.any():
            break
        points = left[more, None] + width[more, None] * np.arange(5) / 4
        points[:, -1] = right[more]
        left, right = points[:, :-1].ravel(), points[:, 1:].ravel()
    else:
        raise ArithmeticError("the mass of an integrand was not found")
    left, right = np.concatenate(kept_left), np.concatenate(kept_right)
    if left.size == 0:
        return -math.inf
    order = np.argsort(left)
    left, right = left[order], right[order]
    if isinstance(rho, Geometric):
        return _over_atoms(rho, comparisons, left, right)
    if nu.discrete:
        return _over_steps(rho, comparisons, left, right, (low, high))
    top = float(np.max(rho.logpdf((left + right) / 2) + comparisons.total((left + right) / 2)))
    return _quadrature(lambda z: rho.logpdf(z) + comparisons.total(z), left, right, top, s)


# Noise on whole numbers: sums, with the cost of an integral


@lru_cache(maxsize=1 << 12)
def _sum_rules(size: float) -> tuple[Array, Array]:
    """Two rules on 0 … size - 1 together, as nodes and weights, shape (nodes, 2): exact for polynomials.

    They are for sums over whole numbers what Gauss-Legendre rules are for integrals: the nodes are the zeros of the
    polynomials that are orthogonal on these numbers (of Gram, or Chebyshev), by the method of Golub and Welsch.
    """
    nodes, weights = [], []
    for column, order in enumerate(_SUM_ORDERS):
        k = np.arange(1.0, order)
        between = k / 2 * np.sqrt((1 - (k / size) ** 2) / (4 * k**2 - 1))
        x, vectors = np.linalg.eigh(np.diag(between, 1) + np.diag(between, -1))
        nodes.append(size * (x + 0.5) - 0.5)
        weights.append(np.zeros((order, len(_SUM_ORDERS))))
        weights[-1][:, column] = size * vectors[0] ** 2
    return np.concatenate(nodes), np.concatenate(weights)


def _summed(log_term: Callable[[Array], Array], first: Array, last: Array) -> float:
    """Log of the sum of exp(log_term) over the whole numbers of the panels first … last, refined until rules agree."""
    few = last - first < _ADDED
    number = (last - first + 1)[few].astype(np.int64)
    each = np.repeat(first[few], number) + np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    parts = [log_term(each)]
    first, last = first[~few], last[~few]
    for _ in range(_ROUNDS):
        if not first.size:
            return float(_log_sum(np.concatenate(parts)))
        rules = [_sum_rules(size) for size in (last - first + 1).tolist()]
        z = first[:, None] + np.array([nodes for nodes, _ in rules])
        value = log_term(z.ravel()).reshape(z.shape)
        top = value.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        sums = np.einsum("ij,ijk->ik", np.exp(value - top), np.array([weights for _, weights in rules]))
        with np.errstate(divide="ignore"):
            panel = np.log(sums[:, 1]) + top[:, 0]
            wrong = np.log(np.abs(sums[:, 1] - sums[:, 0])) + top[:, 0]
        known = float(_log_sum(np.concatenate([*parts, panel])))
        bad = wrong > known + math.log(_TOLERANCE * max(1.0, abs(known)) / (4 * panel.size))
        parts.append(panel[~bad])
        first, last = first[bad], last[bad]
        middle = np.floor(first + (last - first) / 2)
        first, last = np.concatenate([first, middle + 1]), np.concatenate([middle, last])
        few = last - first < _ADDED
        for low, high in zip(first[few].tolist(), last[few].tolist(), strict=True):
            parts.append(log_term(np.arange(low, high + 1)))
        first, last = first[~few], last[~few]
    raise ArithmeticError("a sum over whole numbers was not found to its error bound")


class _OnIntegers:
    """All comparisons with integer query noise, for rho = j + shift: smooth in j between kinks."""

    def __init__(self, nu: Geometric, comparisons: _Comparisons, shift: float) -> None:
        self.nu, self.comparisons = nu, comparisons
        t, q = comparisons.threshold, comparisons.answer
        self.up = np.ceil(t - q + shift)  # answer + nu reaches the threshold where nu >= j + up
        self.down = np.floor(-t - q - shift)  # and, absolute, minus the threshold where nu <= down - j
        self.least = np.floor(-t - shift)  # the threshold is positive where j > least
        self.offset = comparisons.offset[:, None]  # whole numbers, as rho is then one: shift is 0

    def kinks(self) -> Array:
        """Whole numbers after which a new piece begins."""
        if not self.comparisons.absolute:
            return np.concatenate([-self.up, -self.comparisons.offset])
        return np.concatenate([-self.up, self.down, self.least])

    def total(self, j: Array) -> Array:
        """Log of the product of the probabilities of all comparisons at each j."""
        c = self.comparisons
        return c.chunked(self._total, j)

    def _total(self, j: Array) -> Array:
        c, nu = self.comparisons, self.nu
        below, above = slice(None, c.negatives), slice(c.negatives, None)
        count, up, down, least = c.count, self.up[:, None], self.down[:, None], self.least[:, None]
        if not c.absolute:
            fixed = nu.log_atom(j + self.offset).sum(axis=0)
            return np.asarray(
                count[below] @ nu.log_head(j + up[below]) + count[above] @ nu.log_tail(j + up[above]) + fixed
            )
        inside = nu.log_from_to(down[below] - j + 1, j + up[below] - 1)
        outside = np.logaddexp(nu.log_tail(j + up[above]), nu.log_head(down[above] - j + 1))
        inside = np.where(j > least[below] + 0.5, inside, -np.inf)
        outside = np.where(j > least[above] + 0.5, np.minimum(outside, 0.0), 0.0)
        return np.asarray(count[below] @ inside + count[above] @ outside)


def _panels(
    left: Array, right: Array, shift: float, width: float, kinks: Array, limits: tuple[float, float]
) -> tuple[Array, Array]:
    """The whole numbers j of the cells around j + shift in the sorted intervals, as panels that no kink divides.

    A cell between two intervals that touch belongs to one of them; at the other ends whatever a cell has inside counts,
    but none beyond the limits, where a cell ends.
    """
    start, stop = np.floor(left - shift) + 1, np.floor(right - shift)
    alone = left[1:] > right[:-1]
    begins, ends = np.r_[True, alone], np.r_[alone, True]
    beyond = shift + width / 2
    start[begins] = np.ceil(left[begins] - shift) if width == 0 else np.floor(left[begins] - beyond) + 1
    stop[ends] = np.floor(right[ends] - shift) if width == 0 else np.ceil(right[ends] - beyond + width) - 1
    if width:
        start = np.maximum(start, np.floor(limits[0] - shift) + 1)
        stop = np.minimum(stop, np.ceil(limits[1] - shift) - 1)
    start[1:] = np.maximum(start[1:], np.maximum.accumulate(stop)[:-1] + 1)
    kinks = np.unique(kinks)
    kinks = kinks[(kinks >= start[0]) & (kinks < stop[-1])]
    kinks = kinks[kinks < stop[np.searchsorted(start, kinks, side="right") - 1]]
    start, stop = np.sort(np.concatenate([start, kinks + 1])), np.sort(np.concatenate([stop, kinks]))
    return start[start <= stop], stop[start <= stop]


def _over_atoms(rho: Geometric, comparisons: _Comparisons, left: Array, right: Array) -> float:
    """The sum over the whole numbers in the sorted intervals."""
    nu = comparisons.nu
    smooth = _OnIntegers(nu, comparisons, 0.0) if isinstance(nu, Geometric) else comparisons
    kinks = np.append(np.floor(smooth.kinks()), 0.0)
    first, last = _panels(left, right, 0.0, 0.0, kinks, (-math.inf, math.inf))
    return _summed(lambda j: rho.log_atom(j) + smooth.total(j), first, last)


def _over_steps(rho: Noise, comparisons: _Comparisons, left: Array, right: Array, limits: tuple[float, float]) -> float:
    """The integral over the sorted intervals, in which the comparisons change by steps only; 0 beyond `limits`.

    Between two steps they are constant. Cells that lie at the same place between two whole numbers are added up, their
    probabilities as smooth functions of the whole number.
    """
    nu = comparisons.nu
    assert isinstance(nu, Geometric)
    t, q = comparisons.threshold, comparisons.answer
    steps = np.concatenate([q - t, -q - t, -t]) if comparisons.absolute else -t
    finite = [end for end in limits if math.isfinite(end)]
    phases = np.unique(np.mod(np.concatenate([steps, finite, rho.kinks]), 1.0))
    widths = np.diff(np.append(phases, phases[0] + 1))

    def cells(phase: float, width: float) -> float:
        """Log of the sum over the cells from j + phase to j + phase + width."""
        middle = phase + width / 2
        smooth = _OnIntegers(nu, comparisons, middle)
        kinks = np.append(smooth.kinks(), np.floor(np.array(rho.kinks) - middle))
        return _summed(
            lambda j: _log_cell(rho, j + phase, width) + smooth.total(j),
            *_panels(left, right, middle, width, kinks, limits),
        )

    return float(_log_sum(np.array([cells(*cell) for cell in zip(phases.tolist(), widths.tolist(), strict=True)])))


def _log_cell(rho: Noise, left: Array, width: float) -> Array:
    """Log of Pr[left < rho < left + width], without a kink inside, also where the sum rounds."""
    x, w = _NARROW
    if width < 1e-6 * rho.width:
        nodes = rho.logpdf(left[:, None] + width / 2 * (1 + x))
        return np.asarray(_log_sum(nodes + np.log(width / 2 * w), axis=1))
    return _log_between(rho, left, left + width, closed=(True, True))
