"""Integer noise drawn exactly: whole numbers and fractions only between the random bits and the decision.

After Canonne, Kamath & Steinke (2020), Algorithms 1 and 2.
"""

from __future__ import annotations

import random
import secrets
from fractions import Fraction

from svtlib import validate
from svtlib.noise import Geometric, Noise, NoNoise


class Bits:
    """Random bits, and integer noise made of them without a rounding anywhere.

    The noise is exact as a law; that its bits are unpredictable is up to the operating system.
    Nothing here takes the same time for every draw: whoever can time a draw learns something about its size.

    Parameters
    ----------
    seed : int, optional
        Repeatable bits, for tests and lessons; without it they come from the operating system (`secrets`).

    Attributes
    ----------
    drawn : int
        How many bits have been used.

    Examples
    --------
    >>> bits = Bits(seed=1)
    >>> [bits.geometric(Fraction(5, 2)) for _ in range(8)]
    [1, -1, 0, 0, 0, 1, -1, -2]
    >>> isinstance(Bits().below(6), int)
    True
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None:
            seed = validate.count("seed", seed, least=0)
        self._random = secrets.randbits if seed is None else random.Random(seed).getrandbits
        self.drawn = 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each equally likely."""
        if n < 1:
            raise ValueError(f"n must be an integer of at least 1, got {n!r}")
        width = (n - 1).bit_length()
        while True:
            self.drawn += width
            number = self._random(width) if width else 0
            if number < n:
                return number

    def bernoulli(self, p: Fraction) -> bool:
        """True with probability `p`, a fraction from 0 to 1."""
        if not 0 <= p <= 1:
            raise ValueError(f"p must be from 0 to 1, got {p!r}")
        return self.below(p.denominator) < p.numerator

    def bernoulli_exp(self, x: Fraction) -> bool:
        """True with probability exp(-x), for a fraction x of at least 0.

        For x <= 1 the number of successes in a row, with probabilities x, x/2, x/3, ..., is even with probability
        1 - x + x^2/2! - x^3/3! + ... = exp(-x); a larger x is taken one unit after the other.
        """
        if x < 0:
            raise ValueError(f"x must be at least 0, got {x!r}")
        while x > 1:
            if not self.bernoulli_exp(Fraction(1)):
                return False
            x -= 1
        successes = 0
        while self.bernoulli(x / (successes + 1)):
            successes += 1
        return successes % 2 == 0

    def geometric(self, scale: Fraction, sides: int = 2) -> int:
        """A draw of `Geometric(scale, sides)`: Pr[k] proportional to exp(-|k| / scale), with k >= 0 on one side.

        Raises
        ------
        ValueError
            If `scale` is not a positive rational number, or `sides` is neither 1 nor 2.
        """
        scale = validate.rational("scale", scale)
        if scale <= 0:
            raise ValueError(f"scale must be greater than 0, got {scale}")
        validate.choice("sides", sides, (1, 2))
        s, t = scale.denominator, scale.numerator
        while True:
            rest = self.below(t)
            if not self.bernoulli_exp(Fraction(rest, t)):
                continue
            whole = 0
            while self.bernoulli_exp(Fraction(1)):
                whole += 1
            size = (rest + t * whole) // s  # rest + t * whole is geometric with decay exp(-1/t)
            if sides == 1:
                return size
            negative = bool(self.below(2))
            if size or not negative:  # 0 has one sign only
                return -size if negative else size

    def draw(self, noise: Noise) -> int:
        """One draw of integer noise, the scale taken as the fraction that its float is.

        Raises
        ------
        ValueError
            If `noise` takes other values than whole numbers.
        """
        if isinstance(noise, NoNoise):
            return 0
        if not isinstance(noise, Geometric):
            raise ValueError(f"bits draw integer noise only, as of variant 'geometric', got {noise!r}")
        return self.geometric(Fraction(noise.scale), noise.sides)
