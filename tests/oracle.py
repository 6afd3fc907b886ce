"""Probabilities of outcomes with 50 digits, written from the definition and independent of the engine that it judges.

Pr[outcome] is the integral over rho of its density times the product, over the queries, of Pr[nu < ...] or
Pr[nu >= ...] (Lyu, Su & Li 2017, eq. 5), one integral for each draw of the threshold noise.
The integral is cut at every point where a factor is not smooth, and each piece is halved until two Gauss-Legendre
rules agree; pieces are left out only where a bound shows that they do not count: the negatives' probabilities rise
with rho and the positives' fall, so both are bounded on a piece by their values at its ends.
mpmath's own integral to infinity is not used: it can be wrong by 1e-7.
"""

from collections import Counter
from functools import cache
from itertools import pairwise

import mpmath as mp

import svtlib as svt

DIGITS = 50
ACCURACY = mp.mpf(10) ** -20  # relative; asserted for every integral
_NEGLIGIBLE = mp.mpf(10) ** -26


@cache
def _gauss_legendre(order):
    """Nodes and weights on [-1, 1], from Newton's method on the Legendre polynomial."""
    with mp.workdps(DIGITS + 10):
        rule = []
        for i in range(1, order + 1):
            x = mp.cos(mp.pi * (i - mp.mpf(1) / 4) / (order + mp.mpf(1) / 2))
            for _ in range(12):
                p, before = mp.mpf(1), mp.mpf(0)
                for k in range(1, order + 1):
                    p, before = ((2 * k - 1) * x * p - (k - 1) * before) / k, p
                slope = order * (x * p - before) / (x * x - 1)
                x -= p / slope
            rule.append((x, 2 / ((1 - x * x) * slope * slope)))
        return rule


class Law:
    """A noise distribution: density, and the probabilities of < x, <= x and >= x."""

    def at_most(self, x):
        return self.less(x)

    def above(self, x):
        return self.at_least(x)

    def between(self, a, b):
        """Pr[a < X <= b], from the tail in which both are, so that no digits cancel."""
        return self.above(a) - self.above(b) if a > 0 else self.at_most(b) - self.at_most(a)


class LaplaceLaw(Law):
    """Two-sided exponential noise."""

    def __init__(self, scale):
        self.scale = mp.mpf(scale)

    def density(self, x):
        return mp.exp(-abs(x) / self.scale) / (2 * self.scale)

    def less(self, x):
        tail = mp.exp(-abs(x) / self.scale) / 2
        return tail if x < 0 else 1 - tail

    def at_least(self, x):
        return self.less(-x)


class ExponentialLaw(Law):
    """One-sided noise on x >= 0 or on x <= 0."""

    def __init__(self, scale, sign):
        self.scale, self.sign = mp.mpf(scale), sign

    def density(self, x):
        y = self.sign * x / self.scale
        return mp.exp(-y) / self.scale if y > 0 else mp.mpf(0)

    def less(self, x):
        y = self.sign * x / self.scale
        tail = mp.exp(-y) if y > 0 else mp.mpf(1)
        return 1 - tail if self.sign > 0 else tail

    def at_least(self, x):
        y = self.sign * x / self.scale
        tail = mp.exp(-y) if y > 0 else mp.mpf(1)
        return tail if self.sign > 0 else 1 - tail


class GaussianLaw(Law):
    """Normal noise."""

    def __init__(self, scale):
        self.scale = mp.mpf(scale)

    def density(self, x):
        return mp.npdf(x, 0, self.scale)

    def less(self, x):
        return mp.erfc(-x / self.scale / mp.sqrt(2)) / 2

    def at_least(self, x):
        return self.less(-x)


class GumbelLaw(Law):
    """Gumbel noise for maxima."""

    def __init__(self, scale):
        self.scale = mp.mpf(scale)

    def density(self, x):
        u = mp.exp(-x / self.scale)
        return u * mp.exp(-u) / self.scale

    def less(self, x):
        return mp.exp(-mp.exp(-x / self.scale))

    def at_least(self, x):
        return -mp.expm1(-mp.exp(-x / self.scale))


class GeometricLaw(Law):
    """Integer noise; `density` is the probability of one integer."""

    def __init__(self, scale, sides):
        self.decay, self.sides = mp.exp(-1 / mp.mpf(scale)), sides

    def density(self, x):
        if x != mp.floor(x) or (self.sides == 1 and x < 0):
            return mp.mpf(0)
        a = self.decay
        return (1 - a) / (1 + a if self.sides == 2 else 1) * a ** abs(int(x))

    def at_least(self, x):
        if mp.isinf(x):
            return mp.mpf(x < 0)
        k, a = int(mp.ceil(x)), self.decay
        if self.sides == 1:
            return a**k if k > 0 else mp.mpf(1)
        return a**k / (1 + a) if k > 0 else 1 - a ** (1 - k) / (1 + a)

    def less(self, x):
        if self.sides == 1 or mp.isinf(x):
            return 1 - self.at_least(x)
        return self.at_least(1 - mp.ceil(x))  # by symmetry: 1 - at_least would cancel

    def at_most(self, x):
        return self.less(mp.floor(x) + 1)

    def above(self, x):
        return self.at_least(mp.floor(x) + 1)


class NoLaw(Law):
    """The constant 0."""

    def density(self, x):
        return mp.mpf(x == 0)

    def less(self, x):
        return mp.mpf(x > 0)

    def at_most(self, x):
        return mp.mpf(x >= 0)

    def above(self, x):
        return mp.mpf(x < 0)

    def at_least(self, x):
        return mp.mpf(x <= 0)


def law(noise):
    """The oracle's own version of a noise family."""
    match noise:
        case svt.Laplace():
            return LaplaceLaw(noise.scale)
        case svt.Exponential():
            return ExponentialLaw(noise.scale, noise.sign)
        case svt.Gaussian():
            return GaussianLaw(noise.scale)
        case svt.Gumbel():
            return GumbelLaw(noise.scale)
        case svt.Geometric():
            return GeometricLaw(noise.scale, noise.sides)
        case svt.NoNoise():
            return NoLaw()
    raise TypeError(noise)


def log_probability(mechanism, answers, outcome, threshold=0.0):
    """Log of the probability (density) of `outcome`, an mpf; -inf if it is impossible."""
    thresholds = threshold if hasattr(threshold, "__len__") else [threshold] * len(answers)
    absolute = mechanism.compare == "absolute"
    nu = law(mechanism.query_noise)
    with mp.workdps(DIGITS + 10):
        p = mp.mpf(1)
        epochs = [(mechanism.threshold_noise, Counter(), [])]
        for answer, result, t in zip(answers, outcome, thresholds, strict=False):
            _, factors, caps = epochs[-1]
            q, t = mp.mpf(float(answer)), mp.mpf(float(t))
            above = result is not False
            if isinstance(result, float) and mechanism.release == "compared":
                p *= nu.density(result - q)
                caps.append((abs(result) if absolute else result) - t)
            else:
                factors[t, q, above] += 1
                if isinstance(result, float):
                    p *= law(mechanism.release_noise).density(result - q)
            if mechanism.refresh and above:
                epochs.append((mechanism.redraw_noise, Counter(), []))
        for rho, factors, caps in epochs:
            p *= _integral(law(rho), nu, absolute, factors, min(caps, default=mp.inf))
        return mp.log(p) if p else -mp.inf


def _integral(rho, nu, absolute, factors, cap):
    """Pr over rho that all comparisons come out as in `factors` and rho <= cap."""

    def below(t, q, z):
        if not absolute:
            return nu.less(t + z - q)
        w = t + z
        if w <= 0:
            return mp.mpf(0)
        return nu.above(-w - q) - nu.at_least(w - q) if q < -w else nu.less(w - q) - nu.at_most(-w - q)

    def above(t, q, z):
        if not absolute:
            return nu.at_least(t + z - q)
        w = t + z
        return nu.at_least(w - q) + nu.at_most(-w - q) if w > 0 else mp.mpf(1)

    def negatives(z):
        return mp.fprod(below(t, q, z) ** k for (t, q, positive), k in factors.items() if not positive)

    def positives(z):
        return mp.fprod(above(t, q, z) ** k for (t, q, positive), k in factors.items() if positive)

    steps = [(abs(q) if absolute else q) - t for t, q, _ in factors]
    if isinstance(nu, NoLaw):
        low = max((s for s, (_, _, positive) in zip(steps, factors, strict=True) if not positive), default=-mp.inf)
        high = min((s for s, (_, _, positive) in zip(steps, factors, strict=True) if positive), default=mp.inf)
        high = min(high, cap)
        return rho.between(low, high) if low < high else mp.mpf(0)
    if not factors:
        return rho.at_most(cap)
    if isinstance(rho, NoLaw):
        return negatives(mp.mpf(0)) * positives(mp.mpf(0)) if cap >= 0 else mp.mpf(0)
    if isinstance(nu, GeometricLaw) and not isinstance(rho, GeometricLaw):
        return _sum_over_steps(rho, negatives, positives, cap, [*steps, *(-abs(q) - t for t, q, _ in factors)])
    kinks = {*steps, mp.mpf(0), *((-t for t, _, _ in factors) if absolute else ())}
    if isinstance(rho, GeometricLaw):  # its atoms lie between the ends
        kinks = {mp.floor(k) + mp.mpf(1) / 2 for k in kinks}
        cap = mp.floor(cap) + mp.mpf(1) / 2
    ends = sorted(k for k in kinks if k < cap)
    reach = mp.mpf(1)
    if cap < mp.inf:
        ends.append(cap)
    best = _lower_bound(rho, negatives, positives, ends)
    while not ends or rho.less(ends[0]) * negatives(ends[0]) > best * _NEGLIGIBLE:
        ends.insert(0, (ends[0] if ends else mp.mpf(0)) - reach)
        reach *= 2
        best = max(best, _lower_bound(rho, negatives, positives, ends[:2]))
    reach = mp.mpf(1)
    while cap == mp.inf and rho.at_least(ends[-1]) * positives(ends[-1]) > best * _NEGLIGIBLE:
        ends.append(ends[-1] + reach)
        reach *= 2
        best = max(best, _lower_bound(rho, negatives, positives, ends[-2:]))
    summed = _sum_over_integers if isinstance(rho, GeometricLaw) else _adaptive
    return summed(rho, negatives, positives, ends, best)


def _lower_bound(rho, negatives, positives, ends):
    """The largest of the bounds from below that the values at the ends of the pieces give."""
    return max(
        (rho.between(a, b) * negatives(a) * positives(b) for a, b in pairwise(ends)),
        default=mp.mpf(0),
    )


def _adaptive(rho, negatives, positives, ends, best):
    """The integral over the pieces between `ends`."""
    coarse, fine = _gauss_legendre(16), _gauss_legendre(26)
    values = {}

    def at(z):
        if z not in values:
            values[z] = negatives(z), positives(z)
        return values[z]

    total, error = mp.mpf(0), mp.mpf(0)
    pieces = list(pairwise(ends))
    narrow, tiny = mp.mpf(10) ** -40, mp.mpf(10) ** -(10**9)
    while pieces:
        ready, later = [], []
        for a, b in pieces:
            mass = rho.between(a, b)
            (rising_a, falling_a), (rising_b, falling_b) = at(a), at(b)
            best = max(best, mass * rising_a * falling_b)
            most = mass * rising_b * falling_a
            if most <= best * _NEGLIGIBLE:
                error += most
                continue
            here, there = rho.density(a + narrow) + tiny, rho.density(b - narrow) + tiny
            steep = max(rising_b / (rising_a + tiny), falling_a / (falling_b + tiny), here / there, there / here)
            (later if steep > 10**12 and b - a > narrow else ready).append((a, b))
        for a, b in ready:
            half, middle = (b - a) / 2, (a + b) / 2
            one, two = (
                half
                * mp.fsum(
                    w * rho.density(z) * negatives(z) * positives(z)
                    for z, w in ((middle + half * x, w) for x, w in rule)
                )
                for rule in (coarse, fine)
            )
            if abs(one - two) <= max(best, two) * _NEGLIGIBLE * 10:
                total += two
                best = max(best, total / 2)
                error += abs(one - two)
            else:
                later.append((a, b))
        pieces = [half for a, b in later for half in ((a, (a + b) / 2), ((a + b) / 2, b))]
    assert error <= ACCURACY * total, f"the oracle's own error is {mp.nstr(error / total, 3)}"
    assert total >= best * (1 - ACCURACY), "the oracle has missed mass that a bound from below shows"
    return total


def _sum_over_integers(rho, negatives, positives, ends, best):
    """The sum over the atoms of rho between `ends`, halves of odd numbers."""
    values = {z: (negatives(z), positives(z)) for z in ends}
    total, missed = mp.mpf(0), mp.mpf(0)
    pieces = list(pairwise(ends))
    while pieces:
        later = []
        for a, b in pieces:
            mass = rho.between(a, b)
            best = max(best, mass * values[a][0] * values[b][1])
            most = mass * values[b][0] * values[a][1]
            if most <= best * _NEGLIGIBLE:
                missed += most
            elif b - a > 64:
                middle = mp.floor((a + b) / 2) + mp.mpf(1) / 2
                values[middle] = negatives(middle), positives(middle)
                later += [(a, middle), (middle, b)]
            else:
                atoms = range(int(mp.ceil(a)), int(mp.floor(b)) + 1)
                total += mp.fsum(rho.density(k) * negatives(k) * positives(k) for k in atoms)
                best = max(best, total)
        pieces = later
    assert missed <= ACCURACY * total, "the oracle has left out atoms that count"
    return total


def _sum_over_steps(rho, negatives, positives, cap, phases):
    """The integral of a product of step functions, constant between the points phase + integer."""
    reach = 50 * mp.log(10) * rho.scale + 1
    edges = {phase + k for phase in phases for k in range(int(-reach - phase), int(reach - phase) + 1)}
    edges = sorted({*(e for e in edges if e < cap), min(cap, reach)})
    total = mp.fsum(rho.between(a, b) * negatives((a + b) / 2) * positives((a + b) / 2) for a, b in pairwise(edges))
    missed = rho.less(edges[0]) * negatives(edges[0]) + rho.above(edges[-1]) * positives(edges[-1])
    assert cap < mp.inf or missed <= total * ACCURACY, "the oracle has left out steps that count"
    return total
