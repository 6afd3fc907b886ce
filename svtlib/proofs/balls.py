"""The noise in ball arithmetic: tails, densities and masses of every family of the library, with their error."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from flint import arb, fmpq

from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise

Ball = Any  # flint.arb or flint.acb
Side = Literal[-1, 1]
_FAMILIES = (Exponential, Gaussian, Geometric, Gumbel, Laplace, NoNoise)


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
        y = x / ball(self.scale)
        if isinstance(self.noise, Gumbel):
            power = -(-y).exp()
            return power.exp() if tail == "most" else -power.expm1()
        if isinstance(self.noise, Gaussian):
            return ((y if tail == "least" else -y) / ball(2).sqrt()).erfc() / 2
        a, b, g = self.exponentials(tail, side)
        return ball(a) + ball(b) * (g * y).exp()

    def density(self, side: Side) -> Callable[[Ball], Ball]:
        """The density of a continuous family, analytic on that side of 0."""
        scale = ball(self.scale)
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
            return ball(int(k == 0))
        assert isinstance(self.noise, Geometric)
        a = (-1 / ball(self.scale)).exp()
        if self.noise.sides == 1:
            return (1 - a) * a**k if k >= 0 else ball(0)
        return (1 - a) / (1 + a) * a ** abs(k)

    def _least(self, k: int) -> Ball:
        """Pr[X >= k] of a family on the integers."""
        if isinstance(self.noise, NoNoise):
            return ball(int(k <= 0))
        assert isinstance(self.noise, Geometric)
        a = (-1 / ball(self.scale)).exp()
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
        return self.tail("least" if tail == "least" else "most", ball(x), 1 if x >= 0 else -1)


def side_of(x: Fraction) -> Side:
    """On which side of 0 a number lies; 0 itself on the right."""
    return 1 if x >= 0 else -1


def density_at(law: Law, x: Fraction, *, inside: bool = False) -> Ball:
    """The density, or the probability of one of the whole numbers; `inside` the support at 0, where it is largest."""
    if law.lattice:
        return law.mass(math.floor(x) if x >= 0 else math.ceil(x)) if inside or x.denominator == 1 else ball(0)
    below = not x and getattr(law.noise, "sign", 1) < 0  # at 0 one-sided noise has the density of its own side
    return law.density(-1 if below else side_of(x))(ball(x))
