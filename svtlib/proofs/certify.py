"""Privacy losses enclosed by ball arithmetic: "more than epsilon" as a theorem and not as a comparison of floats.

Given the threshold noise the answers are independent, so the probability of an output is a sum or an integral over
that noise.  Between the points where a factor changes its formula the integrand is analytic, and the ball arithmetic of
FLINT (`acb.integral`) encloses its integral; outside a finite range both sides are bounded by monotonicity.
All inputs are the exact rationals that the floats stand for.
"""

from __future__ import annotations

import decimal
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from flint import acb, acb_poly, arb, ctx, fmpq

from svtlib import validate
from svtlib.exact import check_neighbours
from svtlib.integral import log_integral
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise
from svtlib.outcomes import Outcome, parse
from svtlib.switches import Told

__all__ = ["Certificate", "certify", "log_probability_bounds"]

Ball = Any  # flint.arb or flint.acb
Side = Literal[-1, 1]
_MOST_WORK = 1_000_000  # evaluations of one comparison, at usual precision; some seconds
_FAMILIES = (Exponential, Gaussian, Geometric, Gumbel, Laplace, NoNoise)
_COSTS: dict[type[Noise], int] = {
    Gumbel: 2,
    Gaussian: 10,
}  # of a tail that is not multiplied out, at a point
_MULTIPLIED_OUT = 4  # up to this power a factor joins the polynomial; beyond, it is raised to it at every point
_Factor = tuple[Fraction, int, tuple[Ball, ...], int]  # place, name of the terms, coefficients, how often
_Tail = tuple[int, Literal["least", "most"], int, Fraction, Side]


@dataclass(frozen=True)
class Certificate:
    """A privacy loss between two bounds that hold, with everything needed to compute it again.

    Attributes
    ----------
    mechanism : Mechanism
    answers, neighbour, threshold : tuple of float or Fraction
        Exactly; a Fraction where no float is equal.
    outcome : object
        As it was given.
    log_probability, log_probability_on_neighbour : tuple of str
        Lower and upper bound of both, as decimals.
    lower, upper : float
        Bounds of the loss, rounded outwards; both are `inf` where only the neighbour cannot give the outcome.
    decimals : tuple of str
        The same with all digits asked for.

    Examples
    --------
    >>> import svtlib as svt
    >>> loss = svt.certify(svt.variant("alg4").calibrate(epsilon=1.0), [0, 0, 1], [1, 1, 0], "⊥⊥⊤")
    >>> loss.exceeds(1)
    True
    >>> loss.exceeds(2)
    False
    """

    mechanism: Mechanism
    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: tuple[float, ...]
    outcome: Any
    log_probability: tuple[str, str]
    log_probability_on_neighbour: tuple[str, str]
    lower: float
    upper: float
    decimals: tuple[str, str]

    def exceeds(self, epsilon: float | Fraction) -> bool:
        """Whether the loss is proved to be more than `epsilon`."""
        return self.lower == math.inf or Fraction(self.decimals[0]) > Fraction(epsilon)

    def rounded(self, digits: int) -> tuple[str, str]:
        """Both bounds with so many digits, rounded outwards, so that they are bounds too."""
        if self.lower == math.inf:
            return "∞", "∞"
        low, high = map(Fraction, self.decimals)
        return _decimal(low, digits, decimal.ROUND_FLOOR), _decimal(high, digits, decimal.ROUND_CEILING)

    def __repr__(self) -> str:
        if self.lower == math.inf:
            return f"Certificate({self.mechanism.name}: the neighbour cannot give this outcome, the loss is ∞)"
        parts = [text.partition("E") for text in self.decimals]
        low, high = (digits[:23] + "…" * (len(digits) > 23) + "".join(power) for digits, *power in parts)
        return f"Certificate({self.mechanism.name}: {low} <= loss <= {high})"


class Work:
    """What an enclosure may still take, counted and not timed, so that it ends everywhere at the same place."""

    def __init__(self) -> None:
        self.left = float(_MOST_WORK)

    def spend(self, evaluations: float) -> None:
        """Take these off, or raise ValueError if there are not so many."""
        self.left -= evaluations * (1 + ctx.prec // 512)
        if self.left < 0:
            raise ValueError(
                f"answers and noise must be simpler to be enclosed in {_MOST_WORK:,} evaluations of a comparison: "
                "fewer different answers, scales that differ less, or whole-number noise of a smaller scale"
            )


# --- the noise, in balls ----------------------------------------------------------------------------------------------


def _ball(value: Fraction | int) -> Ball:
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def _power(base: Ball, times: int) -> Ball:
    """`base` multiplied with itself: the power of a real ball that contains 0 is no number in flint."""
    value = base
    for bit in bin(times)[3:]:
        value = value * value * base if bit == "1" else value * value
    return value


class _Law:
    """Tails and density of a noise family in ball arithmetic; `side` says on which side of 0 the argument lies."""

    def __init__(self, noise: Noise) -> None:
        if type(noise) not in _FAMILIES:
            known = ", ".join(family.__name__ for family in _FAMILIES)
            raise ValueError(
                f"noise must be one of {known} to be enclosed, whose tails are known in ball arithmetic, "
                f"got {noise!r}; svt.privacy_loss computes with any"
            )
        self.noise = noise
        self.scale = Fraction(noise.scale or 1)
        self.lattice = noise.discrete
        self.kink = isinstance(noise, (Laplace, Exponential))

    def exponentials(self, tail: Literal["least", "most"], side: Side) -> tuple[Fraction, Fraction, int]:
        """(a, b, g) with Pr[X >= x], or Pr[X <= x], equal to a + b * exp(g * x / scale) on that side of 0."""
        sign = 1 if tail == "most" else -1
        if isinstance(self.noise, Laplace):
            half = Fraction(1, 2)
            return (Fraction(0), half, sign) if side * sign < 0 else (Fraction(1), -half, -sign)
        assert isinstance(self.noise, Exponential)
        s = self.noise.sign
        if side != s:  # outside the support
            return Fraction(int(side * sign > 0)), Fraction(0), 1
        return (Fraction(1), Fraction(-1), -s) if sign == s else (Fraction(0), Fraction(1), -s)

    def tail(self, tail: Literal["least", "most"], x: Ball, side: Side) -> Ball:
        """Pr[X >= x] or Pr[X <= x] of a continuous family, analytic in `x` on that side of 0."""
        y = x / _ball(self.scale)
        if isinstance(self.noise, Gumbel):
            power = -(-y).exp()
            return power.exp() if tail == "most" else -power.expm1()
        if isinstance(self.noise, Gaussian):
            return ((y if tail == "least" else -y) / _ball(2).sqrt()).erfc() / 2
        a, b, g = self.exponentials(tail, side)
        return _ball(a) + _ball(b) * (g * y).exp()

    def density(self, side: Side) -> Callable[[Ball], Ball]:
        """The density of a continuous family, analytic on that side of 0."""
        scale = _ball(self.scale)
        if isinstance(self.noise, (Laplace, Exponential)):
            if isinstance(self.noise, Exponential) and side != self.noise.sign:
                return lambda x: x * 0
            rate = -side / scale
            height = 1 / (2 * scale if isinstance(self.noise, Laplace) else scale)
            return lambda x: (rate * x).exp() * height
        if isinstance(self.noise, Gumbel):
            return lambda x: (-x / scale - (-x / scale).exp()).exp() / scale
        assert isinstance(self.noise, Gaussian)
        height = 1 / (scale * (2 * arb.pi()).sqrt())
        return lambda x: (-((x / scale) ** 2) / 2).exp() * height

    def mass(self, k: int) -> Ball:
        """Pr[X = k] of a family on the integers."""
        if isinstance(self.noise, NoNoise):
            return _ball(int(k == 0))
        assert isinstance(self.noise, Geometric)
        a = (-1 / _ball(self.scale)).exp()
        if self.noise.sides == 1:
            return (1 - a) * a**k if k >= 0 else _ball(0)
        return (1 - a) / (1 + a) * a ** abs(k)

    def _least(self, k: int) -> Ball:
        """Pr[X >= k] of a family on the integers."""
        if isinstance(self.noise, NoNoise):
            return _ball(int(k <= 0))
        assert isinstance(self.noise, Geometric)
        a = (-1 / _ball(self.scale)).exp()
        if self.noise.sides == 1:
            return a ** max(k, 0)
        return a**k / (1 + a) if k > 0 else 1 - a ** (1 - k) / (1 + a)

    def _less(self, k: int) -> Ball:
        """Pr[X < k] of a family on the integers, accurate where it is small."""
        symmetric = isinstance(self.noise, Geometric) and self.noise.sides == 2
        return self._least(1 - k) if symmetric else 1 - self._least(k)

    def at(self, tail: Literal["least", "most", "less"], x: Fraction) -> Ball:
        """Pr[X >= x], Pr[X <= x] or Pr[X < x] at one point."""
        if self.lattice:
            if tail == "least":
                return self._least(math.ceil(x))
            return self._less(math.ceil(x) if tail == "less" else math.floor(x) + 1)
        return self.tail("least" if tail == "least" else "most", _ball(x), 1 if x >= 0 else -1)


# --- one threshold noise and the answers that are compared with it ----------------------------------------------------


@dataclass(frozen=True)
class _Query:
    """One comparison: its answer, its threshold, and which way it went."""

    answer: Fraction
    threshold: Fraction
    positive: bool


@dataclass(frozen=True)
class _Epoch:
    """Everything that one threshold noise decides: comparisons, how often each, and a bound on the noise from above."""

    rho: _Law
    nu: _Law
    absolute: bool
    queries: tuple[tuple[_Query, int], ...]
    most: Fraction | None = None
    offsets: tuple[Fraction, ...] = ()  # of query noises that are the threshold noise plus this
    work: Work = field(default_factory=Work, compare=False)
    _known: dict[Any, Any] = field(default_factory=dict, compare=False)

    def factor(self, query: _Query, z: Fraction) -> Ball:
        """The probability of one comparison, given the threshold noise `z`."""
        bar = z + query.threshold
        x, y = bar - query.answer, -bar - query.answer
        if not self.absolute:
            return self.nu.at("least" if query.positive else "less", x)
        if bar <= 0:
            return _ball(int(query.positive))
        if query.positive:
            return self.nu.at("least", x) + self.nu.at("most", y)
        return self.nu.at("less", x) - self.nu.at("most", y)

    def product(self, z: Fraction, positive: bool | None = None) -> Ball:
        """The probability of all comparisons at `z`, or of the positive, or the negative ones."""
        value = _ball(1)
        for query, times in self.queries:
            if positive is None or query.positive == positive:
                value *= _power(self.factor(query, z), times)
        for offset in self.offsets if positive is None else ():
            value *= _density(self.nu, z + offset)
        return value

    def corners(self) -> list[Fraction]:
        """Where a factor or the density of the threshold noise changes its formula."""
        found = {Fraction(0)} if self.rho.kink else set()
        for query, _ in self.queries:
            places = [query.answer - query.threshold]
            if self.absolute:
                places += [-query.answer - query.threshold, -query.threshold]
            found.update(places if self.nu.kink or self.nu.lattice or self.absolute else ())
        return sorted(found.union(-offset for offset in self.offsets))

    def beyond(self, z: Fraction, right: bool) -> Ball:
        """An upper bound of what lies beyond `z`: positives only get rarer to the right, negatives to the left."""
        if right and self.most is not None and z >= self.most:
            return _ball(0)
        rare = self.rho.at("least" if right else "most", z)
        if rare == 0:
            return rare
        for offset in self.offsets:  # a density falls on both sides of 0
            x = z + offset
            rare *= _density(self.nu, max(x, Fraction(0)) if right else min(x, Fraction(0)), inside=True)
        return rare * self.product(z, positive=right)

    def range(self, small: Ball) -> tuple[Fraction, Fraction]:
        """Two rationals beyond which less than `small` lies."""
        corners = self.corners() or [Fraction(0)]
        ends = []
        for corner, sign in ((corners[0], -1), (corners[-1], 1)):
            step = max(self.rho.scale, self.nu.scale)
            z = corner + sign * step
            while not self.beyond(z, right=sign > 0) < small:
                self.work.spend(1 + len(self.queries))
                step *= 2
                z += sign * step
            ends.append(z)
        low, high = self._tightened(ends[0], ends[1], small)
        if isinstance(self.rho.noise, Exponential):
            low, high = (max(low, Fraction(0)), high) if self.rho.noise.sign > 0 else (low, min(high, Fraction(0)))
        return low, high if self.most is None else min(high, self.most)

    def _tightened(self, low: Fraction, high: Fraction, small: Ball) -> tuple[Fraction, Fraction]:
        """Both ends moved inwards while still less than `small` lies beyond: a peak far from a corner is found."""
        near = min(self.rho.scale, self.nu.scale) if not self.nu.lattice else self.rho.scale
        ends = []
        for kept, other, right in ((low, high, False), (high, low, True)):
            while abs(other - kept) > 16 * near:
                self.work.spend(1 + len(self.queries))
                middle = Fraction(round((kept + other) / (2 * near))) * near
                if self.beyond(middle, right=right) < small:
                    kept = middle
                else:
                    other = middle
            ends.append(kept)
        return ends[0], ends[1]

    def guess(self) -> Ball:
        """About how large the probability is: what floats say, which no bound rests on."""
        groups = [
            (float(x.threshold if self.absolute else x.threshold - x.answer), float(self.absolute * x.answer))
            for x, _ in self.queries
        ]
        told = tuple((*at, x.positive, times) for at, (x, times) in zip(groups, self.queries, strict=True))
        most = math.inf if self.most is None else float(self.most)
        offsets = tuple(map(float, self.offsets))
        try:
            log_p = log_integral(self.rho.noise, self.nu.noise, self.absolute, told, most, offsets)
        except ArithmeticError:
            return _ball(1)
        return _ball(Fraction(log_p)).exp() if math.isfinite(log_p) else _ball(1)

    def probability(self, small: Ball) -> Ball:
        """The probability, with an absolute error of about `small`."""
        if self.nu.lattice and any(offset.denominator > 1 for offset in self.offsets):
            return _ball(0)
        if isinstance(self.rho.noise, NoNoise):
            inside = self.most is None or self.most >= 0
            return self.product(Fraction(0)) if inside else _ball(0)
        low, high = self.range(small)
        tails = _ball(0)
        if not (isinstance(self.rho.noise, Exponential) and low == 0 and self.rho.noise.sign > 0):
            tails += self.beyond(low, right=False)
        tails += self.beyond(high, right=True)
        unknown = tails.union(_ball(0))
        if low >= high:
            return unknown
        if self.rho.lattice:
            cells = range(math.ceil(low), math.floor(high) + 1)
            self.work.spend(2 * len(cells) * (1 + len(self.queries)))
            return unknown + sum((self.rho.mass(k) * self.product(Fraction(k)) for k in cells), _ball(0))
        edges = [low, *(z for z in self._edges(low, high) if low < z < high), high]
        pieces = itertools.pairwise(edges)
        if self.nu.lattice:
            return unknown + sum((self._flat(a, b) for a, b in pieces), _ball(0))
        return unknown + sum((self._integral(a, b, small) for a, b in pieces), _ball(0))

    def _edges(self, low: Fraction, high: Fraction) -> list[Fraction]:
        if not self.nu.lattice:
            return self.corners()
        # Noise on the integers: every factor is constant between two places that differ from a corner by an integer.
        found = set(self.corners())
        places = {corner % 1 for corner in found} if isinstance(self.nu.noise, Geometric) else set()
        self.work.spend(float((high - low) * len(places) * (2 + len(self.queries))))
        for place in places:
            found.update(place + k for k in range(math.floor(low - place), math.ceil(high - place) + 1))
        return sorted(found)

    def _flat(self, a: Fraction, b: Fraction) -> Ball:
        return self.product((a + b) / 2) * (self.rho.at("most", b) - self.rho.at("most", a))

    def _integral(self, a: Fraction, b: Fraction, small: Ball) -> Ball:
        """The integral over one piece, on which every factor has one formula."""
        middle = (a + b) / 2
        side: Side = 1 if middle >= 0 else -1
        product = self._factors(middle)
        if product is None:
            return _ball(0)
        density = self.rho.density(side)
        each = 4 + _COSTS.get(type(self.nu.noise), 0) * (len(self.queries) + len(self.offsets))
        points = 0

        def integrand(z: Ball, _: bool) -> Ball:
            nonlocal points
            points += 1
            return density(z) * product(z)

        enough = max(1000, int(self.work.left / each))
        value = acb.integral(integrand, acb(_ball(a)), acb(_ball(b)), abs_tol=small, eval_limit=enough)
        self.work.spend(points * each + len(self.queries))
        return value.real

    def _factors(self, middle: Fraction) -> Callable[[Ball], Ball] | None:
        """The product of all comparisons as a function of the threshold noise near `middle`; None where it is 0.

        With exponential tails every comparison is a polynomial in e = exp(z / scale) and 1 / e: those of one kind are
        multiplied out once for the piece, so that a point of the integral costs one evaluation and not one a query.
        """
        lead, power = _ball(1), 0
        rising: list[_Factor] = []
        falling: list[_Factor] = []
        parts: list[tuple[dict[int, Ball], int]] = []
        others: list[tuple[Callable[[Ball], Ball], int]] = [(self._fixed(x, middle), 1) for x in self.offsets]
        for query, times in self.queries:
            terms = self._terms(query, middle)
            if terms is None:
                others.append((self._general(query, middle), times))
            elif not any(value != 0 for value in terms.values()):
                return None
            elif len(terms) == 1:
                ((g, value),) = terms.items()
                lead, power = lead * value**times, power + g * times
            elif times > _MULTIPLIED_OUT:
                parts.append((terms, times))
            else:
                lowest = min(terms)  # a polynomial in e, perhaps over e; or one in 1 / e
                corner = query.answer - query.threshold
                if 1 in terms:
                    rising.append((-corner, id(terms), tuple(terms.get(g, 0) for g in range(lowest, 2)), times))
                    power += lowest * times
                else:
                    falling.append((corner, id(terms), (terms[0], terms[-1]), times))
        up, down = self._multiplied("up", rising), self._multiplied("down", falling)
        scale = _ball(self.nu.scale)

        def product(z: Ball) -> Ball:
            value = z * 0 + lead
            if power or parts or up.degree() > 0 or down.degree() > 0:
                e = (z / scale).exp()
                value *= e**power
                if up.degree() > 0:
                    value *= up(e)
                if down.degree() > 0:
                    value *= down((-z / scale).exp())
                for terms, times in parts:
                    value *= sum(coefficient * (g * z / scale).exp() for g, coefficient in terms.items()) ** times
            for factor, times in others:
                value *= factor(z) ** times
            return value

        return product

    def _multiplied(self, kind: str, factors: list[_Factor]) -> Ball:
        """The product of factors; from piece to piece one joins or leaves, so products are kept as a chain."""
        factors = sorted(factors, key=lambda factor: factor[:2])
        names = [name for _, name, _, _ in factors]
        keys = [(kind, ctx.prec, *names[:k]) for k in range(len(factors) + 1)]
        known = next((k for k in range(len(factors), -1, -1) if keys[k] in self._known), 0)
        product = self._known.get(keys[known], acb_poly([1]))
        for k in range(known, len(factors)):
            *_, polynomial, times = factors[k]
            product = product * acb_poly(list(polynomial)) ** times
            self._known[keys[k + 1]] = product
        return product

    def _tails(
        self, query: _Query, middle: Fraction
    ) -> list[tuple[int, Literal["least", "most"], int, Fraction, Side]]:
        """The probability of a comparison as a sum of (sign, tail, direction of z, offset, side of 0)."""
        bar = middle + query.threshold
        near: Literal["least", "most"] = "least" if query.positive else "most"
        offset = query.threshold - query.answer
        found = [(1, near, 1, offset, _side(middle + offset))]
        if self.absolute and bar > 0:
            far = -query.threshold - query.answer
            found.append((1 if query.positive else -1, "most", -1, far, _side(-middle + far)))
        return found

    def _terms(self, query: _Query, middle: Fraction) -> dict[int, Ball] | None:
        """A comparison as a combination of powers of exp(z / scale); None for a family that is not one."""
        if self.absolute and middle + query.threshold <= 0:
            return {0: _ball(int(query.positive))}
        if not self.nu.kink:
            return None
        place = middle + query.threshold
        sides = (place >= query.answer, self.absolute and -place >= query.answer)
        key = (id(query), *sides, ctx.prec)
        if key not in self._known:
            self._known[key] = self._combined(self._tails(query, middle))
        terms: dict[int, Ball] = self._known[key]
        return terms

    def _combined(self, tails: list[_Tail]) -> dict[int, Ball]:
        terms: dict[int, Ball] = {}
        exact = Fraction(0)
        for sign, tail, direction, offset, side in tails:
            a, b, g = self.nu.exponentials(tail, side)
            exact += sign * a
            if b:
                coefficient = sign * _ball(b) * (g * _ball(offset / self.nu.scale)).exp()
                terms[g * direction] = terms.get(g * direction, 0) + coefficient
        if exact:
            terms[0] = _ball(exact)
        return terms or {0: _ball(0)}

    def _general(self, query: _Query, middle: Fraction) -> Callable[[Ball], Ball]:
        tails = self._tails(query, middle)

        def factor(z: Ball) -> Ball:
            return sum(
                sign * self.nu.tail(tail, direction * z + _ball(offset), side)
                for sign, tail, direction, offset, side in tails
            )

        return factor

    def _fixed(self, offset: Fraction, middle: Fraction) -> Callable[[Ball], Ball]:
        """The density of a query noise that a released gap ties to the threshold noise near `middle`."""
        side = _side(middle + offset)
        density, shift = self.nu.density(side), _ball(offset)
        return lambda z: density(z + shift)


def _side(x: Fraction) -> Side:
    return 1 if x >= 0 else -1


# --- a whole output ---------------------------------------------------------------------------------------------------


def _epochs(
    m: Mechanism, q: list[Fraction], t: list[Fraction], outcome: Outcome, work: Work
) -> tuple[list[_Epoch], Ball]:
    """The factors of an output's probability: one for each threshold noise, and the density of the numbers."""
    nu, numbers = _Law(m.query_noise), dict(outcome.numbers)
    density = _ball(1)
    epochs: list[_Epoch] = []
    queries: Counter[_Query] = Counter()
    most: Fraction | None = None
    offsets: list[Fraction] = []

    def close() -> None:
        nonlocal queries, most, offsets
        rho = _Law(m.redraw_noise if epochs else m.threshold_noise)
        epochs.append(_Epoch(rho, nu, m.sides.absolute, tuple(queries.items()), most, tuple(offsets), work))
        queries, most, offsets = Counter(), None, []

    for index, positive in enumerate(outcome.positive.tolist()):
        level = t[index] + Fraction(m.correction)
        told = Told(None)
        if index in numbers:
            number = Fraction(numbers[index])
            told = m.shows.told(number, q[index], level, m.sides, m.query_noise, m.release_noise)
            density *= _ball(1) if told.noise is None else _density(_Law(told.noise), number - q[index])
        if told.most is not None:
            most = told.most if most is None else min(most, told.most)
        elif told.offset is not None:
            offsets.append(told.offset)
        else:
            queries[_Query(q[index], level, positive)] += 1
        if positive and m.refresh:
            close()
    if queries or most is not None or offsets or not epochs:
        close()
    return epochs, density


def _density(law: _Law, x: Fraction, *, inside: bool = False) -> Ball:
    """The density, or the probability of one of the whole numbers; `inside` the support at 0, where it is largest."""
    if law.lattice:
        return law.mass(math.floor(x) if x >= 0 else math.ceil(x)) if inside or x.denominator == 1 else _ball(0)
    below = not x and getattr(law.noise, "sign", 1) < 0  # at 0 one-sided noise has the density of its own side
    return law.density(-1 if below else _side(x))(_ball(x))


def _probability(m: Mechanism, q: list[Fraction], t: list[Fraction], outcome: Outcome, digits: int, work: Work) -> Ball:
    """The probability (density, where numbers are released), with `digits` correct digits."""
    epochs, value = _epochs(m, q, t, outcome, work)
    if value == 0:
        return value
    goal = arb(10) ** -(digits + 5)
    for epoch in epochs:
        small = epoch.guess()
        for _ in range(10):
            found = epoch.probability(small * goal)
            if found == 0:
                return found
            if found > 0 and found.rel_accuracy_bits() > 3.33 * (digits + 3):
                break
            small = min(small, found.abs_upper()) * (arb(2) ** -60 if found.contains(0) else 1)
            ctx.prec = min(int(ctx.prec * 1.5), 20000)
        else:
            raise ValueError(f"outcome must be likelier than it is for its probability to be enclosed, got {outcome!r}")
        value = value * found
    return value


def log_probability_bounds(
    mechanism: Mechanism, answers: Iterable[Any], outcome: Any, threshold: Any = 0.0, *, digits: int = 20
) -> tuple[str, str]:
    """Enclose the log probability (log density, where numbers are released) of one output.

    Parameters
    ----------
    mechanism, answers, outcome, threshold
        As in `svtlib.log_probability`.
    digits : int
        How many digits of the probability are to be right, 1 to 1000.

    Returns
    -------
    tuple of str
        Lower and upper bound as decimals, both "-inf" where no noise gives this outcome.

    Raises
    ------
    ValueError
        As in `svtlib.log_probability`, or if the noise is none of the library's or an enclosure takes too much.

    Examples
    --------
    >>> import svtlib as svt
    >>> log_probability_bounds(svt.variant("alg1").calibrate(epsilon=1.0), [0, 0], "⊥⊤", digits=8)
    ('-1.5686160', '-1.5686159')
    """
    q, t = _given(mechanism, answers, threshold, digits)
    with ctx.workprec(_bits(digits)):
        found = _probability(mechanism, q, t, parse(mechanism, outcome, len(q)), digits, Work())
        return _bounds(found.log(), digits) if found != 0 else ("-inf", "-inf")


def _bits(digits: int) -> int:
    return math.ceil(3.33 * digits) + 60


def _given(
    mechanism: Mechanism, answers: Iterable[Any], threshold: Any, digits: int
) -> tuple[list[Fraction], list[Fraction]]:
    """Answers and thresholds as exact rationals."""
    a_mechanism(mechanism)
    validate.count("digits", digits, most=1000)
    q = validate.rationals("answers", answers)
    return q, validate.rationals("threshold", threshold, length=len(q))


def certify(
    mechanism: Mechanism,
    answers: Iterable[Any],
    neighbour: Iterable[Any],
    outcome: Any,
    threshold: Any = 0.0,
    *,
    digits: int = 20,
    work: Work | None = None,
) -> Certificate:
    """Enclose the privacy loss of one output between two bounds that hold.

    Parameters
    ----------
    mechanism : Mechanism
    answers, neighbour : sequence of float or Fraction, length n
        True answers on two neighbouring datasets, in the units of `mechanism.sensitivity`, each the number that it is:
        0.1 is not 1/10, and 1.1 lies farther from it than 1.
    outcome : str or sequence
        As in `log_probability`.
    threshold : float or Fraction, or a sequence of length n
        Public, so the same on both.
    digits : int
        How many digits of both probabilities are to be right, 1 to 1000.
    work : Work, optional
        What may still be spent, where several enclosures share it.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If the outcome is possible on neither dataset or on the neighbour only, if the answers are not exactly those of
        neighbours, if an enclosure takes too much, or as in `log_probability`.

    Examples
    --------
    Theorem 3.5 of Lyu, Su & Li 2017, and a pair for Alg. 4.

    >>> import svtlib as svt
    >>> svt.certify(svt.variant("alg5").calibrate(epsilon=1.0), [0, 1], [1, 0], "⊥⊤")
    Certificate(alg5: the neighbour cannot give this outcome, the loss is ∞)
    >>> svt.certify(svt.variant("alg1").calibrate(epsilon=1.0), [0, 0], [1, 1], "⊥⊤", digits=12)
    Certificate(alg1: 0.0244608864803 <= loss <= 0.0244608864804)
    """
    q, t = _given(mechanism, answers, threshold, digits)
    p = validate.rationals("neighbour", neighbour, length=len(q))
    check_neighbours(mechanism, np.array(q, dtype=object), np.array(p, dtype=object))
    parsed, work = parse(mechanism, outcome, len(q)), work or Work()
    with ctx.workprec(_bits(digits)):
        here = _probability(mechanism, q, t, parsed, digits, work)
        if here == 0:
            raise ValueError(f"outcome must be possible on answers, got {outcome!r}")
        there = _probability(mechanism, p, t, parsed, digits, work)
        logs = [_bounds(ball.log(), digits) if ball != 0 else ("-inf", "-inf") for ball in (here, there)]
        loss = _bounds((here / there).log(), digits) if there != 0 else ("inf", "inf")
    lower, upper = _outwards(loss)
    shown: Any = [tuple(float(x) if float(x) == x else x for x in part) for part in (q, p, t)]
    return Certificate(mechanism, shown[0], shown[1], shown[2], outcome, logs[0], logs[1], lower, upper, loss)


def _bounds(value: Ball, digits: int) -> tuple[str, str]:
    """A ball's lower and upper end as decimals, rounded outwards."""
    return (
        _decimal(_fraction(value.lower()), digits, decimal.ROUND_FLOOR),
        _decimal(_fraction(value.upper()), digits, decimal.ROUND_CEILING),
    )


def _fraction(value: Ball) -> Fraction:
    mantissa, exponent = (int(part) for part in value.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _decimal(value: Fraction, digits: int, rounding: str) -> str:
    with decimal.localcontext() as context:
        context.prec, context.rounding = digits, rounding
        return str(decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator))


def _outwards(bounds: tuple[str, str]) -> tuple[float, float]:
    """Two decimals as floats that enclose them."""
    low, high = (float(text) for text in bounds)
    if math.isinf(low):
        return low, high
    low = low if Fraction(low) <= Fraction(bounds[0]) else math.nextafter(low, -math.inf)
    high = high if Fraction(high) >= Fraction(bounds[1]) else math.nextafter(high, math.inf)
    return low, high
