"""The integral of any integrand, and sums over whole numbers: found from monotonicity alone.

For any noise Pr[negative] rises with rho and Pr[positive] falls, which bounds the integral over any interval from both
sides, also where it is a step function; intervals are divided until the bounds say where the mass is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from svtlib.exact.comparisons import Comparisons
from svtlib.exact.quadrature import CUT, ROUNDS, TOLERANCE, ladders, quadrature
from svtlib.noise import Geometric
from svtlib.noise_base import Array, Noise, log_between, log_sum

_SUM_ORDERS = (10, 16)
_ADDED = 32  # so many terms are added one by one
_MOST_WORK, _EACH = 1 << 28, 128  # evaluations of a comparison to find the mass, and what one more interval costs


def by_bounds(rho: Noise, comparisons: Comparisons, low: float, high: float) -> float:
    """The integral on (low, high), or the sum over the atoms of rho on [low, high], from monotonicity alone."""
    nu = comparisons.nu
    b, s = rho.width, nu.width
    kinks = np.append(comparisons.kinks(), 0.0)
    finite = kinks[(kinks > low) & (kinks < high)]
    start = np.unique([*finite.tolist(), *(end for end in (low, high) if math.isfinite(end))])
    reach = 45 * b + 24 * s
    while True:  # further out until the two tails do not count
        below, above = 0.0 if math.isfinite(low) else reach, 0.0 if math.isfinite(high) else reach
        _, x = ladders(np.zeros(start.size, dtype=np.int64), start, 1.5 * s, below, above)
        reach *= 4
        negative, positive = comparisons.sides(x)
        least, _ = comparisons.fixed_between(x[:-1], x[1:])
        top = comparisons.offset.size * float(nu.logpdf(0.0))
        under = float(rho.log_less(x[0]) + negative[0]) + top if below else -math.inf
        over = float(rho.logsf(x[-1]) + positive[-1]) + top if above else -math.inf
        mass = log_between(rho, x[:-1], x[1:], closed=(True, True))
        seen = float(log_sum(mass + negative[:-1] + positive[1:] + least))
        if max(under, over) <= seen - CUT or reach > 1e300:  # at once where there is no tail
            break
    left, right = x[:-1], x[1:]
    kept_left, kept_right = [], []
    best, work = -math.inf, 0
    for _ in range(ROUNDS):
        work += left.size * (_EACH + comparisons.count.size)
        if work > _MOST_WORK:
            raise ArithmeticError("the mass of an integrand is spread over more noise scales than can be looked at")
        ends, index = np.unique(np.concatenate([left, right]), return_inverse=True)
        negative, positive = comparisons.sides(ends)
        i, j = index[: left.size], index[left.size :]
        mass = log_between(rho, left, right, closed=(True, True))
        least, most = comparisons.fixed_between(left, right)
        least, most = mass + negative[i] + positive[j] + least, mass + negative[j] + positive[i] + most
        best = max(best, float(least.max(initial=-math.inf)))
        counts = (most >= best - CUT - math.log(left.size + 1)) & (most > -math.inf)
        width = right - left
        with np.errstate(invalid="ignore"):
            loose = ~(most - least <= 3)
        with np.errstate(invalid="ignore"):
            drift = np.abs(rho.log_atom(left + width * 1e-9) - rho.log_atom(right - width * 1e-9))
        loose |= ~(drift <= 8)
        fine = width <= (1 if rho.discrete else 1e-13 * (np.abs(left) + s))
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
    top = np.max(rho.logpdf((left + right) / 2) + comparisons.total((left + right) / 2), keepdims=True)
    row = np.zeros(left.size, dtype=np.int64)
    return float(quadrature(lambda z, _: rho.logpdf(z) + comparisons.total(z), row, left, right, top, s)[0])


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
    for _ in range(ROUNDS):
        if not first.size:
            return float(log_sum(np.concatenate(parts)))
        rules = [_sum_rules(size) for size in (last - first + 1).tolist()]
        z = first[:, None] + np.array([nodes for nodes, _ in rules])
        value = log_term(z.ravel()).reshape(z.shape)
        top = value.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        sums = np.einsum("ij,ijk->ik", np.exp(value - top), np.array([weights for _, weights in rules]))
        with np.errstate(divide="ignore"):
            panel = np.log(sums[:, 1]) + top[:, 0]
            wrong = np.log(np.abs(sums[:, 1] - sums[:, 0])) + top[:, 0]
        known = float(log_sum(np.concatenate([*parts, panel])))
        bad = wrong > known + math.log(TOLERANCE * max(1.0, abs(known)) / (4 * panel.size))
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
    """All comparisons with integer query noise, for rho = j: smooth in j between kinks."""

    def __init__(self, nu: Geometric, comparisons: Comparisons) -> None:
        self.nu, self.comparisons = nu, comparisons
        t, q = comparisons.threshold[0], comparisons.answer[0]
        self.up = np.ceil(t - q)  # answer + nu reaches the threshold where nu >= j + up
        self.down = np.floor(-t - q)  # and, absolute, minus the threshold where nu <= down - j
        self.least = np.floor(-t)  # the threshold is positive where j > least
        self.offset = comparisons.offset.T  # whole numbers too

    def kinks(self) -> Array:
        """Whole numbers after which a new piece begins."""
        if not self.comparisons.absolute:
            return np.concatenate([-self.up, -self.comparisons.offset[0]])
        return np.concatenate([-self.up, self.down, self.least])

    def total(self, j: Array) -> Array:
        """Log of the product of the probabilities of all comparisons at each j."""
        return self.comparisons.chunked(lambda j, _: self._total(j), j, None)

    def _total(self, j: Array) -> Array:
        c, nu = self.comparisons, self.nu
        below, above = slice(None, c.negatives), slice(c.negatives, None)
        count, up, down, least = c.count[0], self.up[:, None], self.down[:, None], self.least[:, None]
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


def _panels(left: Array, right: Array, kinks: Array) -> tuple[Array, Array]:
    """The whole numbers in the sorted intervals as panels that no kink divides; one where two touch is of the first."""
    start, stop = np.ceil(left), np.floor(right)
    start[1:] = np.maximum(start[1:], np.maximum.accumulate(stop)[:-1] + 1)
    kinks = np.unique(kinks)
    kinks = kinks[(kinks >= start[0]) & (kinks < stop[-1])]
    kinks = kinks[kinks < stop[np.searchsorted(start, kinks, side="right") - 1]]
    start, stop = np.sort(np.concatenate([start, kinks + 1])), np.sort(np.concatenate([stop, kinks]))
    return start[start <= stop], stop[start <= stop]


def _over_atoms(rho: Geometric, comparisons: Comparisons, left: Array, right: Array) -> float:
    """The sum over the whole numbers in the sorted intervals."""
    assert isinstance(comparisons.nu, Geometric)
    smooth = _OnIntegers(comparisons.nu, comparisons)
    panels = _panels(left, right, np.append(smooth.kinks(), 0.0))
    return _summed(lambda j: rho.log_atom(j) + smooth.total(j), *panels)
