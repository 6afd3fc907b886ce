"""One threshold noise and the answers that are compared with it: their probability, enclosed by ball arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from flint import acb, arb, ctx, fmpq

from svtlib.exact.comparisons import Epoch, Group
from svtlib.exact.integral import log_integral
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise

Ball = Any  # flint.arb or flint.acb
Side = Literal[-1, 1]  # of 0
Tail = Literal["least", "most"]  # Pr[X >= x], Pr[X <= x]
_FAMILIES = (Exponential, Gaussian, Geometric, Gumbel, Laplace, NoNoise)

_MOST_WORK = 1_000_000  # evaluations of one comparison, at usual precision; some seconds
_COSTS: dict[type[Noise], int] = {Gumbel: 2, Gaussian: 10}  # of a tail at a point; of the others 1
_LONG = 256  # bits of a place that take as long as an evaluation


def ball(value: Fraction | int) -> Ball:
    """A rational number as a ball of radius 0, or of the last bit."""
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def power(base: Ball, times: int) -> Ball:
    """`base` multiplied with itself: the power of a real ball that contains 0 is no number in flint."""
    value = base
    for bit in bin(times)[3:]:
        value = value * value * base if bit == "1" else value * value
    return value


class Law:
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
        self.lattice, self.one_sided = noise.discrete, getattr(noise, "sides", 2) == 1
        self.kink = isinstance(noise, (Laplace, Exponential))

    def exponential(self, tail: Tail, side: Side) -> bool:
        """Whether that tail is a multiple of an exponential on that side of 0, where it is at most a half."""
        return self.kink and side == (1 if tail == "least" else -1) == getattr(self.noise, "sign", side)

    def tail(self, tail: Tail, side: Side) -> Callable[[Ball], Ball]:
        """Pr[X >= x] or Pr[X <= x] of a continuous family, analytic in x on that side of 0."""
        scale = ball(self.scale)
        if isinstance(self.noise, Gumbel):
            return lambda x: (-(-x / scale).exp()).exp() if tail == "most" else -(-(-x / scale).exp()).expm1()
        if isinstance(self.noise, Gaussian):
            width = (scale if tail == "least" else -scale) * ball(2).sqrt()
            return lambda x: (x / width).erfc() / 2
        if isinstance(self.noise, Exponential) and side != self.noise.sign:
            return lambda x: x * 0 + int(tail == ("least" if side < 0 else "most"))
        rate, height = -side / scale, ball(Fraction(1, 2) if isinstance(self.noise, Laplace) else 1)
        if self.exponential(tail, side):
            return lambda x: height * (rate * x).exp()
        return lambda x: 1 - height * (rate * x).exp()

    def density(self, side: Side) -> Callable[[Ball], Ball]:
        """The density of a continuous family, analytic on that side of 0."""
        scale = ball(self.scale)
        if self.kink:
            outwards = self.tail("least" if side > 0 else "most", side)
            return lambda x: outwards(x) / scale
        if isinstance(self.noise, Gumbel):
            return lambda x: (-x / scale - (-x / scale).exp()).exp() / scale
        assert isinstance(self.noise, Gaussian)
        height = 1 / (scale * (2 * arb.pi()).sqrt())
        return lambda x: (-((x / scale) ** 2) / 2).exp() * height

    @property
    def _decay(self) -> Ball:
        """The ratio of neighbouring probabilities of a family on the integers; 0 where there is 0 alone."""
        return (-1 / ball(self.scale)).exp() if self.noise.whole else ball(0)

    def mass(self, k: int) -> Ball:
        """Pr[X = k] of a family on the integers."""
        a = self._decay
        if self.one_sided:
            return (1 - a) * a**k if k >= 0 else ball(0)
        return (1 - a) / (1 + a) * a ** abs(k)

    def _least(self, k: int) -> Ball:
        """Pr[X >= k] of a family on the integers."""
        a = self._decay
        if self.one_sided:
            return a ** max(k, 0)
        return a**k / (1 + a) if k > 0 else 1 - a ** (1 - k) / (1 + a)

    def at(self, tail: Tail | Literal["less"], x: Fraction) -> Ball:
        """Pr[X >= x], Pr[X <= x] or Pr[X < x] at one point."""
        if not self.lattice:
            return self.tail("least" if tail == "least" else "most", side_of(x))(ball(x))
        if tail == "least":
            return self._least(math.ceil(x))
        k = math.ceil(x) if tail == "less" else math.floor(x) + 1
        return 1 - self._least(k) if self.one_sided else self._least(1 - k)  # accurate where it is small


def side_of(x: Fraction) -> Side:
    """On which side of 0 a number lies; 0 itself on the right."""
    return 1 if x >= 0 else -1


def density_at(law: Law, x: Fraction, *, inside: bool = False) -> Ball:
    """The density, or the probability of one of the whole numbers; `inside` the support at 0, where it is largest."""
    if law.lattice:
        return law.mass(math.floor(x) if x >= 0 else math.ceil(x)) if inside or x.denominator == 1 else ball(0)
    below = not x and getattr(law.noise, "sign", 1) < 0  # at 0 one-sided noise has the density of its own side
    return law.density(-1 if below else side_of(x))(ball(x))


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


class Enclosure:
    """The probability of an epoch whose numbers are fractions, for what work is left."""

    def __init__(self, epoch: Epoch, work: Work) -> None:
        self.epoch, self.work = epoch, work
        self.rho, self.nu = Law(epoch.rho), Law(epoch.nu)
        self.absolute, self.queries, self.most, self.offsets = epoch[2:]

    def factor(self, query: Group, z: Fraction) -> Ball:
        """The probability of one comparison, given the threshold noise `z`."""
        bar = z + query.threshold
        x, y = bar - query.answer, -bar - query.answer
        if not self.absolute:
            return self.nu.at("least" if query.positive else "less", x)
        if bar <= 0:
            return ball(int(query.positive))
        if query.positive:
            return self.nu.at("least", x) + self.nu.at("most", y)
        return self.nu.at("less", x) - self.nu.at("most", y)

    def product(self, z: Fraction, positive: bool | None = None) -> Ball:
        """The probability of all comparisons at `z`, or of the positive, or the negative ones."""
        value = ball(1)
        for query in self.queries:
            if positive is None or query.positive == positive:
                value *= power(self.factor(query, z), query.times)
        for offset in self.offsets if positive is None else ():
            value *= density_at(self.nu, z + offset)
        return value

    def corners(self) -> list[Fraction]:
        """Where a factor or the density of the threshold noise changes its formula."""
        found = {Fraction(0)} if self.rho.kink else set()
        for query in self.queries:
            places = [query.answer - query.threshold]
            if self.absolute:
                places += [-query.answer - query.threshold, -query.threshold]
            found.update(places if self.nu.kink or self.nu.lattice or self.absolute else ())
        return sorted(found.union(-offset for offset in self.offsets))

    def beyond(self, z: Fraction, right: bool) -> Ball:
        """An upper bound of what lies beyond `z`: positives only get rarer to the right, negatives to the left."""
        if right and z >= self.most:
            return ball(0)
        rare = self.rho.at("least" if right else "most", z)
        if rare == 0:
            return rare
        for offset in self.offsets:  # a density falls on both sides of 0
            x = z + offset
            rare *= density_at(self.nu, max(x, Fraction(0)) if right else min(x, Fraction(0)), inside=True)
        return rare * self.product(z, positive=right)

    def range(self, small: Ball) -> tuple[Fraction, Fraction]:
        """Two rationals beyond which less than `small` lies."""
        corners = self.corners() or [Fraction(0)]
        ends = []
        for corner, sign in ((corners[0], -1), (corners[-1], 1)):
            step = max(self.rho.scale, self.nu.scale)
            z = corner + sign * step
            while not self.beyond(z, right=sign > 0) < small:
                self._spend_at(z)
                step *= 2
                z += sign * step
            ends.append(z)
        low, high = self._tightened(ends[0], ends[1], small)
        if isinstance(self.rho.noise, Exponential):
            low, high = (max(low, Fraction(0)), high) if self.rho.noise.sign > 0 else (low, min(high, Fraction(0)))
        return low, min(high, self.most)

    def _spend_at(self, z: Fraction) -> None:
        """Count one product at `z`, whose numbers may have more digits than any scale."""
        bits = z.numerator.bit_length() + z.denominator.bit_length()
        self.work.spend((1 + len(self.queries)) * (1 + bits // _LONG))

    def _tightened(self, low: Fraction, high: Fraction, small: Ball) -> tuple[Fraction, Fraction]:
        """Both ends moved inwards while still less than `small` lies beyond: a peak far from a corner is found."""
        near = min(self.rho.scale, self.nu.scale) if not self.nu.lattice else self.rho.scale
        ends = []
        for kept, other, right in ((low, high, False), (high, low, True)):
            while abs(other - kept) > 16 * near:
                middle = Fraction(round((kept + other) / (2 * near))) * near
                self._spend_at(middle)
                if self.beyond(middle, right=right) < small:
                    kept = middle
                else:
                    other = middle
            ends.append(kept)
        return ends[0], ends[1]

    def guess(self) -> Ball:
        """About how large the probability is: what floats say, which no bound rests on."""
        groups = tuple(Group(float(x.threshold), float(x.answer), x.positive, x.times) for x in self.queries)
        offsets = tuple(map(float, self.offsets))
        try:
            log_p = log_integral(self.epoch._replace(groups=groups, cap=float(self.most), offsets=offsets))
        except ArithmeticError:
            return ball(1)
        return ball(Fraction(log_p)).exp() if math.isfinite(log_p) else ball(1)

    def probability(self, small: Ball) -> Ball:
        """The probability, with an absolute error of about `small`."""
        if self.nu.lattice and any(offset.denominator > 1 for offset in self.offsets):
            return ball(0)
        if isinstance(self.rho.noise, NoNoise):
            return self.product(Fraction(0)) if self.most >= 0 else ball(0)
        low, high = self.range(small)
        tails = ball(0)
        if not (isinstance(self.rho.noise, Exponential) and low == 0 and self.rho.noise.sign > 0):
            tails += self.beyond(low, right=False)
        tails += self.beyond(high, right=True)
        unknown = tails.union(ball(0))
        if low >= high:
            return unknown
        if self.rho.lattice:
            cells = range(math.ceil(low), math.floor(high) + 1)
            self.work.spend(3 * max(0, cells.stop - cells.start) * (1 + len(self.queries)))
            return unknown + sum((self.rho.mass(k) * self.product(Fraction(k)) for k in cells), ball(0))
        edges = [low, *(z for z in self.corners() if low < z < high), high]
        pieces = itertools.pairwise(edges)
        if self.nu.lattice:
            below = self.rho.at("most", low)
            for a, b in pieces:
                upto = self.rho.at("most", b)
                unknown, below = unknown + self.product((a + b) / 2) * (upto - below), upto
            return unknown
        return unknown + sum((self._integral(a, b, small) for a, b in pieces), ball(0))

    def _integral(self, a: Fraction, b: Fraction, small: Ball) -> Ball:
        """The integral over one piece, on which every factor has one formula."""
        middle = (a + b) / 2
        density = self.rho.density(side_of(middle))
        factors = [(self._fixed(offset, middle), 1) for offset in self.offsets]
        alone, slope = ball(1), Fraction(0)  # exponentials are multiplied first: what rises meets what falls
        for query in self.queries:
            factor, side = self._compared(query, middle), side_of(middle + query.threshold - query.answer)
            if not self.absolute and self.nu.exponential("least" if query.positive else "most", side):
                alone *= factor(ball(0)) ** query.times
                slope -= side * query.times / self.nu.scale
            else:
                factors.append((factor, query.times))
        each = 4 + _COSTS.get(type(self.nu.noise), 1) * len(factors)
        points = 0

        def integrand(z: Ball, _: bool) -> Ball:
            nonlocal points
            points += 1
            value = density(z) * alone * (ball(slope) * z).exp()
            for factor, times in factors:
                value *= factor(z) ** times
            return value

        enough = max(1000, int(self.work.left / each))
        value = acb.integral(integrand, acb(ball(a)), acb(ball(b)), abs_tol=small, eval_limit=enough)
        self.work.spend(points * each + len(self.queries))
        return value.real

    def _compared(self, query: Group, middle: Fraction) -> Callable[[Ball], Ball]:
        """The probability of a comparison as a function of the threshold noise near `middle`."""
        up, down = query.threshold - query.answer, -query.threshold - query.answer
        above, below = side_of(middle + up), side_of(down - middle)
        high, low = ball(up), ball(down)
        if not self.absolute:
            tail = self.nu.tail("least" if query.positive else "most", above)
            return lambda z: tail(z + high)
        if middle + query.threshold <= 0:
            return lambda z: z * 0 + int(query.positive)
        if query.positive:
            over, under = self.nu.tail("least", above), self.nu.tail("most", below)
            return lambda z: over(z + high) + under(low - z)
        far: Tail = "least" if below > 0 else "most"  # the one in which less cancels
        over, under = self.nu.tail(far, above), self.nu.tail(far, below)
        return lambda z: below * (under(low - z) - over(z + high))

    def _fixed(self, offset: Fraction, middle: Fraction) -> Callable[[Ball], Ball]:
        """The density of a query noise that a released gap ties to the threshold noise near `middle`."""
        density, shift = self.nu.density(side_of(middle + offset)), ball(offset)
        return lambda z: density(z + shift)
