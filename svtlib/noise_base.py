"""What every noise says of itself: samples, and log probabilities that stay accurate far into both tails.

An SVT compares `answer + nu >= threshold + rho`, so besides the usual distribution functions a noise gives the two
probabilities that comparison needs: `log_at_least(x)`, log of Pr[nu >= x], and `log_less(x)`, log of Pr[nu < x].
They differ from `logsf` and `logcdf` only where the distribution has atoms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Size: TypeAlias = int | tuple[int, ...] | None

LOG_HALF = math.log(0.5)
NARROW = np.polynomial.legendre.leggauss(8)


def log1mexp(x: Array) -> Array:
    """Return log(1 - exp(x)) for x <= 0, accurate for x near 0 and for x far below it (Maechler 2012)."""
    with np.errstate(divide="ignore"):
        return np.where(x > LOG_HALF, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


def log_sum(x: Array, axis: int | None = None) -> Array:
    """Log of the sum of exp(x), -inf if all entries are."""
    if x.size == 0:
        return np.asarray(-np.inf)
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(x - top), axis=axis)) + np.squeeze(top, axis=axis))


class Noise(ABC):
    """A real random variable, as a frozen value that says of itself what an integrator and a proof must know.

    Noise of one's own is a subclass with the six abstract methods; then it runs and is integrated.
    For a proof it also says in which directions a shift has a price (`moves`) and what it is divided by (`scale`).

    Attributes
    ----------
    scale : float
        A length, in the units of the answers, by which a shift is divided for its price; 0 where there is none.
    kinks : tuple of float
        Points where the density or the distribution function is not smooth, in units of the answers.
    discrete : bool
        True if the distribution has atoms; then `logpdf` is the log of the probability of one point.
    log_concave : bool
        True if it has a density whose logarithm is concave; like every family here it falls on both sides of 0.

    Examples
    --------
    The logistic distribution, whose log density never falls faster than 1 in 1:

    >>> import svtlib as svt
    >>> class Logistic(svt.noise.Noise):
    ...     scale, moves, log_concave = 1.0, (1, -1), True
    ...     def sample(self, rng, size=None):
    ...         return rng.logistic(size=size)
    ...     def logpdf(self, x):
    ...         return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))
    ...     def logcdf(self, x):
    ...         return -np.logaddexp(0, -np.asarray(x))
    ...     def logsf(self, x):
    ...         return -np.logaddexp(0, x)
    ...     def at_least_inverse(self, log_probability):
    ...         return -np.log(np.expm1(-np.asarray(log_probability)))
    ...     def moments(self):
    ...         return 0.0, np.pi**2 / 3
    >>> m = svt.Mechanism("mine", threshold_noise=Logistic(), query_noise=Logistic(), c=1,
    ...                   epsilon=3, epsilon1=1, epsilon2=2)
    >>> float(svt.prove(m).epsilon)
    3.0
    """

    scale: float = 0.0
    kinks: ClassVar[tuple[float, ...]] = ()
    discrete: ClassVar[bool] = False
    log_concave: ClassVar[bool] = False

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""

    @abstractmethod
    def logpdf(self, x: ArrayLike) -> Array:
        """Natural log of the density at `x` (of the probability of `x` if `discrete`)."""

    def pdf(self, x: ArrayLike) -> Array:
        """The density at `x` (the probability of `x` if `discrete`).

        Examples
        --------
        >>> from svtlib.noise import Laplace
        >>> float(Laplace(2.0).pdf(0))
        0.25
        """
        return np.exp(self.logpdf(x))

    @abstractmethod
    def logcdf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X <= x]."""

    @abstractmethod
    def logsf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X > x]."""

    @abstractmethod
    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""

    @abstractmethod
    def moments(self) -> tuple[float, float]:
        """Expectation and variance."""

    def log_less(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X < x]."""
        return self.logcdf(x)

    def log_at_least(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X >= x]."""
        return self.logsf(x)

    def log_atom(self, k: Array) -> Array:
        """The same as `logpdf`; where X is whole, for whole k, continued smoothly on each side of 0."""
        return self.logpdf(k)

    def log_inside(self, z: Array, threshold: Array, answer: Array) -> Array:
        """Log of Pr[abs(answer + X) < threshold + z]: of a negative answer where absolute values are compared."""
        # threshold - answer first: rounded after z was added, a tie of whole numbers could be lost
        up, down = (threshold - answer) + z, (-threshold - answer) - z
        inside = log_between(self, np.minimum(down, up), up, closed=(False, False))
        return np.where(threshold + z > 0, inside, -np.inf)

    def log_outside(self, z: Array, threshold: Array, answer: Array) -> Array:
        """Log of Pr[abs(answer + X) >= threshold + z]: of a positive answer where absolute values are compared."""
        up, down = (threshold - answer) + z, (-threshold - answer) - z
        outside = np.minimum(np.logaddexp(self.log_at_least(up), self.logcdf(down)), 0.0)
        return np.where(threshold + z > 0, outside, 0.0)

    def dents(self, answer: Array) -> Array | None:
        """At which bar `log_outside` is not a concave function of it, NaN for none; None if that is not known."""
        return None

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Log of the density at `x` over that at `y`, both possible: also where it is far below that of either."""
        return np.asarray(self.logpdf(x) - self.logpdf(y))

    def sample_at_least(self, rng: np.random.Generator, x: ArrayLike) -> Array:
        """Draw one value for each entry of `x`, given that it is at least that entry; exact far into the tail."""
        bar = np.asarray(x, dtype=float)
        drawn = self.at_least_inverse(self.log_at_least(bar) - rng.standard_exponential(bar.shape))
        return np.asarray(np.maximum(drawn, bar))

    @property
    def moves(self) -> tuple[int, ...]:
        """Directions, +1 and -1, in which a shift by x > 0 costs at most x / scale: log pdf(z) - log pdf(z ± x).

        In any other direction the noise would leave its support, or no multiple of x bounds the cost.
        """
        return ()

    def price(self, shift: Fraction | float) -> Fraction | float:
        """What it costs at most to move by `shift`: log pdf(z) - log pdf(z + shift) over all z; `inf` without bound.

        In each direction a multiple of the shift.
        """
        if shift and (1 if shift > 0 else -1) not in self.moves:
            return math.inf
        return abs(Fraction(shift)) / Fraction(self.scale) if shift else Fraction(0)

    def refuse(self) -> None:
        """Raise ValueError if what it says of its price cannot be so, or is not so where its density is looked at."""
        if type(self).__module__ == "svtlib.noise":  # there it is proved
            return
        moves = self.moves
        if not isinstance(moves, tuple) or moves not in ((), (1,), (-1,), (1, -1), (-1, 1)):
            raise ValueError(f"the moves of {self!r} must be +1, -1, both or none, got {moves!r}")
        if moves and type(self).price is Noise.price:
            validate.positive(f"the scale of {self!r}", self.scale)
        for way in moves:
            one, two = (validate.rational(f"the price of {self!r}", self.price(times * way)) for times in (1, 2))
            if not 0 < 2 * one == two:
                raise ValueError(f"a price of {self!r} must be positive, and twice as high for a move twice as far")
            self._refuse_density(way, float(1 / one))

    def _refuse_density(self, way: int, length: float) -> None:
        """Raise ValueError if the density falls faster than the price says, or ends: near 0, and in places far out.

        A move by `length` costs 1. Beyond 700 times as far a formula may give no number any more, which says nothing.
        Farther than a million times nothing is looked at.
        """
        step = float(max(1, round(length))) if self.discrete else length
        x = np.arange(-40.0, 41.0)
        far, beyond = (step * way * 2.0 ** np.arange(*powers) for powers in ((6, 10), (10, 21)))
        x = np.concatenate([step * x, x if self.discrete else step * x / 16, far, beyond])
        for by in (1.0, step) if self.discrete else (step, step / 16, step / 1024):
            at = np.concatenate([x, x - way * by])
            try:
                with np.errstate(all="ignore"):
                    here, there, out = (np.asarray(self.logpdf(y), dtype=float) for y in (at, at + way * by, far))
            except Exception as error:
                raise ValueError(f"the density of {self!r} must take an array of numbers: {error}") from error
            known = abs(at) <= 700 * length
            if here.shape != at.shape or there.shape != at.shape or not np.all(np.maximum(here, there)[known] < np.inf):
                raise ValueError(f"the density of {self!r} must be finite, a number for each of an array")
            blurred = (here < -690) & (there < -690) & ((there > -760) | np.isneginf(there))  # floats end at exp(-745)
            lost = np.isnan(there) | blurred
            inside = (here > -np.inf) & (known | ~lost)
            ends = np.any(np.isneginf(out[abs(far) <= 700 * length]))
            if ends or np.any(here[inside] - there[inside] > float(self.price(way * by)) + 1e-9):
                raise ValueError(f"the density of {self!r} falls faster than its price says")

    @cached_property
    def ways(self) -> tuple[bool, bool]:
        """Whether the noise can be negative, and whether it can be positive."""
        return float(self.log_less(0.0)) > -np.inf, float(self.logsf(0.0)) > -np.inf

    @cached_property
    def unbounded(self) -> bool:
        """Whether, where it can be negative or positive at all, it can be as far out as one likes."""
        far = [float(self.log_less(-100 * self.width)), float(self.logsf(100 * self.width))]
        return all(log > -np.inf for log, way in zip(far, self.ways, strict=True) if way)

    @property
    def whole(self) -> bool:
        """True if X takes whole numbers, and not 0 alone."""
        return self.discrete

    @property
    def symmetric(self) -> bool:
        """True if X and -X have the same law."""
        return False

    @cached_property
    def width(self) -> float:
        """A length over which the distribution changes, in the units of the answers.

        The standard deviation, but not less than the distance 1 of values that are whole numbers.
        """
        return max(math.sqrt(self.variance), float(self.whole))

    @property
    def mean(self) -> float:
        """Expectation, in the units of the answers."""
        return self.moments()[0]

    @property
    def variance(self) -> float:
        """Variance, in the squared units of the answers."""
        return self.moments()[1]


def log_between(noise: Noise, low: Array, high: Array, *, closed: tuple[bool, bool]) -> Array:
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
        mass = np.where(larger > smaller, larger + log1mexp(gap), -np.inf)
    narrow = (gap > -0.1) & (low < high) & (larger > -np.inf)
    if noise.discrete or not narrow.any():
        return mass
    ends = [low[narrow], *(np.clip(k, low[narrow], high[narrow]) for k in noise.kinks), high[narrow]]
    x, w = NARROW
    pieces = []
    for left, right in pairwise(ends):
        half = (right - left)[:, None] / 2
        with np.errstate(divide="ignore"):
            pieces.append(log_sum(noise.logpdf(left[:, None] + half * (1 + x)) + np.log(half * w), axis=1))
    mass[narrow] = log_sum(np.stack(pieces), axis=0)
    return mass
