"""Noise distributions: samples, and log probabilities that stay accurate far into both tails.

Every family is a frozen value with a `scale` in the units of the query answers.
An SVT compares `answer + nu >= threshold + rho`, so besides the usual distribution functions each family gives the two
probabilities that comparison needs: `log_at_least(x)`, log of Pr[nu >= x], and `log_less(x)`, log of Pr[nu < x].
They differ from `logsf` and `logcdf` only where the distribution has atoms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate

__all__ = ["Exponential", "Gaussian", "Geometric", "Gumbel", "Laplace", "NoNoise", "Noise"]

Array = NDArray[np.float64]
Size: TypeAlias = int | tuple[int, ...] | None

_LOG_HALF = math.log(0.5)
_EULER_GAMMA = 0.57721566490153286
_MOST_INTEGER_SCALE = 1e14  # beyond about 2^53 / 60 scales a float skips integers


def _log1mexp(x: Array) -> Array:
    """Return log(1 - exp(x)) for x <= 0, accurate for x near 0 and for x far below it (Maechler 2012)."""
    with np.errstate(divide="ignore"):
        return np.where(x > _LOG_HALF, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


class Noise(ABC):
    """A real random variable, as a frozen value that says of itself what an integrator and a proof must know.

    Attributes
    ----------
    kinks : tuple of float
        Points where the density or the distribution function is not smooth, in units of the answers.
    discrete : bool
        True if the distribution has atoms; then `logpdf` is the log of the probability of one point.
    log_concave : bool
        True if it has a density whose logarithm is concave; like every family here it falls on both sides of 0.
    """

    kinks: ClassVar[tuple[float, ...]] = ()
    discrete: ClassVar[bool] = False
    log_concave: ClassVar[bool] = False

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""

    @abstractmethod
    def logpdf(self, x: ArrayLike) -> Array:
        """Natural log of the density at `x` (of the probability of `x` if `discrete`)."""

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
    def _moments(self) -> tuple[float, float]:
        """Expectation and variance."""

    def log_less(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X < x]."""
        return self.logcdf(x)

    def log_at_least(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X >= x]."""
        return self.logsf(x)

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
        return self._directions()

    def _directions(self) -> tuple[int, ...]:
        return ()

    @property
    def symmetric(self) -> bool:
        """True if X and -X have the same law."""
        return self._mirrored()

    def _mirrored(self) -> bool:
        return False

    @property
    def width(self) -> float:
        """A length over which the distribution changes, in the units of the answers.

        The standard deviation, but not less than the distance 1 of values that are whole numbers.
        """
        return max(math.sqrt(self.variance), 1.0 if self.discrete and self.moves else 0.0)

    @property
    def mean(self) -> float:
        """Expectation, in the units of the answers."""
        return self._moments()[0]

    @property
    def variance(self) -> float:
        """Variance, in the squared units of the answers."""
        return self._moments()[1]


@dataclass(frozen=True)
class _Scaled(Noise):
    """A family with one scale parameter; one on the line is written down for scale 1, in y = x / scale."""

    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", validate.positive("scale", self.scale))

    def _standard(self, x: ArrayLike) -> Array:
        return np.asarray(x, dtype=float) / self.scale


class _OnLine(_Scaled):
    """A family with a density, from its functions for scale 1."""

    log_concave: ClassVar[bool] = True
    _log_constant: ClassVar[float] = 0.0

    def _shape(self, y: Array) -> Array:
        """Log of the density for scale 1, plus `_log_constant`."""
        raise NotImplementedError

    def _head(self, y: Array) -> Array:
        """Log of Pr[X <= y]."""
        raise NotImplementedError

    def _tail(self, y: Array) -> Array:
        """Log of Pr[X > y]: that of Pr[X < -y] for a symmetric family."""
        return self._head(-y)

    def logpdf(self, x: ArrayLike) -> Array:
        """Natural log of the density at `x`; -inf on a side without mass."""
        return np.asarray(self._shape(self._standard(x)) - (math.log(self.scale) + self._log_constant))

    def logcdf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X <= x]."""
        return np.asarray(self._head(self._standard(x)))

    def logsf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X > x]."""
        return np.asarray(self._tail(self._standard(x)))

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Log of the density at `x` over that at `y`, both possible: also where it is far below that of either."""
        return np.asarray((np.abs(y) - np.abs(x)) / self.scale)


@dataclass(frozen=True)
class Laplace(_OnLine):
    """Two-sided exponential noise with density exp(-|x| / scale) / (2 scale).

    Parameters
    ----------
    scale : float
        Greater than 0, in the units of the answers; the standard deviation is sqrt(2) times it.

    Examples
    --------
    >>> Laplace(2.0).variance
    8.0
    >>> float(Laplace(1.0).logsf(1000.0))  # the probability itself underflows
    -1000.6931471805599
    """

    kinks: ClassVar[tuple[float, ...]] = (0.0,)
    _log_constant: ClassVar[float] = math.log(2)

    def _directions(self) -> tuple[int, ...]:
        return 1, -1

    def _mirrored(self) -> bool:
        return True

    def _moments(self) -> tuple[float, float]:
        return 0.0, 2 * self.scale**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""
        return rng.laplace(0.0, self.scale, size)

    def _shape(self, y: Array) -> Array:
        return np.asarray(-np.abs(y))

    def _head(self, y: Array) -> Array:
        return np.where(y < 0, y + _LOG_HALF, np.log1p(-0.5 * np.exp(-np.abs(y))))

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""
        p = np.asarray(log_probability, dtype=float)
        return np.where(p < _LOG_HALF, _LOG_HALF - p, _log1mexp(p) - _LOG_HALF) * self.scale


@dataclass(frozen=True)
class Exponential(_OnLine):
    """One-sided exponential noise: `sign` times a variable with density exp(-x / scale) / scale on x >= 0.

    Parameters
    ----------
    scale : float
        Greater than 0, in the units of the answers; also the standard deviation.
    sign : int
        +1 (noise is never negative) or -1 (never positive).

    Examples
    --------
    >>> float(Exponential(2.0).logsf(6.0))
    -3.0
    >>> float(Exponential(2.0, sign=-1).mean)
    -2.0
    """

    sign: int = 1
    kinks: ClassVar[tuple[float, ...]] = (0.0,)

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.choice("sign", self.sign, (1, -1))

    def _directions(self) -> tuple[int, ...]:
        return (self.sign,)

    def _moments(self) -> tuple[float, float]:
        return self.sign * self.scale, self.scale**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""
        return self.sign * rng.exponential(self.scale, size)

    def _shape(self, y: Array) -> Array:
        return np.where(self.sign * y < 0, -np.inf, -self.sign * y)

    def _beyond(self, y: Array, far: bool) -> Array:
        """Log of the probability of lying farther from 0 than y, on the side with mass; or not so far."""
        below = -np.maximum(self.sign * y, 0.0)
        return below if far else _log1mexp(below)

    def _head(self, y: Array) -> Array:
        return self._beyond(y, self.sign < 0)

    def _tail(self, y: Array) -> Array:
        return self._beyond(y, self.sign > 0)

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""
        p = np.asarray(log_probability, dtype=float)
        return self.scale * (-p if self.sign > 0 else _log1mexp(p))


@dataclass(frozen=True)
class Gumbel(_OnLine):
    """Gumbel noise for maxima: Pr[X <= x] = exp(-exp(-x / scale)).

    Parameters
    ----------
    scale : float
        Greater than 0, in the units of the answers; the standard deviation is pi / sqrt(6) times it.

    Examples
    --------
    >>> float(Gumbel(1.0).logcdf(0.0))
    -1.0
    >>> float(Gumbel(1.0).logsf(800.0))
    -800.0
    """

    def _directions(self) -> tuple[int, ...]:
        return (1,)

    def _moments(self) -> tuple[float, float]:
        return _EULER_GAMMA * self.scale, (math.pi * self.scale) ** 2 / 6

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""
        return rng.gumbel(0.0, self.scale, size)

    def _shape(self, y: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(-y - np.exp(-y))

    def _head(self, y: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(-np.exp(-y))

    def _tail(self, y: Array) -> Array:
        with np.errstate(over="ignore", divide="ignore"):
            u = np.exp(-y)
            # log(1 - exp(-u)) = log(u) - u/2 + O(u^2), which needs no exp(-y) > 0
            return np.where(u < 1e-9, -y - u / 2, _log1mexp(-u))

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Log of the density at `x` over that at `y`, both possible: also where it is far below that of either."""
        rise = self._standard(np.subtract(y, x))
        with np.errstate(over="ignore"):
            return np.asarray(rise + np.exp(-self._standard(x)) * np.expm1(-rise))

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""
        p = np.asarray(log_probability, dtype=float)
        with np.errstate(divide="ignore"):
            return np.where(p < -36, -p, -np.log(-_log1mexp(np.maximum(p, -36.0)))) * self.scale


@dataclass(frozen=True)
class Gaussian(_OnLine):
    """Normal noise with mean 0 and standard deviation `scale`.

    Parameters
    ----------
    scale : float
        Greater than 0, in the units of the answers.

    Examples
    --------
    >>> Gaussian(3.0).variance
    9.0
    >>> round(float(Gaussian(1.0).logcdf(-40.0)), 6)
    -804.608442
    """

    _log_constant: ClassVar[float] = math.log(2 * math.pi) / 2

    def _mirrored(self) -> bool:
        return True

    def _moments(self) -> tuple[float, float]:
        return 0.0, self.scale**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""
        return rng.normal(0.0, self.scale, size)

    def _shape(self, y: Array) -> Array:
        return np.asarray(-0.5 * y**2)

    def _head(self, y: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(y), dtype=float)

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Log of the density at `x` over that at `y`, both possible: also where it is far below that of either."""
        return np.asarray(self._standard(np.subtract(y, x)) * self._standard(np.add(y, x)) / 2)

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""
        from scipy.special import ndtri_exp

        return np.asarray(-self.scale * ndtri_exp(np.asarray(log_probability, dtype=float)))


@dataclass(frozen=True)
class Geometric(_Scaled):
    """Integer noise whose probabilities fall by exp(-1 / scale) from one integer to the next.

    Parameters
    ----------
    scale : float
        Greater than 0, in the units of the answers, as for Laplace noise; at most 1e14, so that the noise is a whole
        number that a float holds exactly.
    sides : int
        2: Pr[X = k] proportional to exp(-|k| / scale) on all integers (Ghosh, Roughgarden & Sundararajan 2012).
        1: Pr[X = k] proportional to exp(-k / scale) on k >= 0.

    Examples
    --------
    >>> import math
    >>> round(math.exp(Geometric(1.0).logpdf(0)), 6)  # (1 - a) / (1 + a) with a = exp(-1)
    0.462117
    >>> float(Geometric(1.0, sides=1).log_at_least(5))
    -5.0
    >>> Geometric(1.0).logcdf(0.5) == Geometric(1.0).logcdf(0)
    np.True_
    """

    sides: int = 2
    discrete: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale > _MOST_INTEGER_SCALE:
            raise ValueError(f"scale must be at most {_MOST_INTEGER_SCALE:g} for integer noise, got {self.scale!r}")
        validate.choice("sides", self.sides, (1, 2))

    @property
    def _decay(self) -> float:
        """The ratio a of neighbouring probabilities, exp(-1 / scale)."""
        return math.exp(-1 / self.scale)

    @property
    def _fall(self) -> float:
        """1 - a without cancellation."""
        return -math.expm1(-1 / self.scale)

    def _directions(self) -> tuple[int, ...]:
        return (1, -1) if self._mirrored() else (1,)

    def _mirrored(self) -> bool:
        return self.sides == 2

    def _moments(self) -> tuple[float, float]:
        a, fall = self._decay, self._fall
        return (0.0 if self._mirrored() else a / fall), self.sides * a / fall**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Draw from the distribution: a float, or an array of shape `size`."""
        draw = rng.geometric(self._fall, size) - 1
        if self.sides == 2:
            draw = draw - (rng.geometric(self._fall, size) - 1)
        return draw + 0.0

    def logpdf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X = x]; -inf where `x` is not an integer of the support."""
        k = np.asarray(x, dtype=float)
        inside = (k == np.floor(k)) & ((k >= 0) | (self.sides == 2))
        return np.where(inside, self.log_atom(k), -np.inf)

    def log_at_least(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X >= x]."""
        return self.log_tail(np.ceil(np.asarray(x, dtype=float)))

    def log_less(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X < x]."""
        return self.log_head(np.ceil(np.asarray(x, dtype=float)))

    def log_atom(self, k: Array) -> Array:
        """Natural log of Pr[X = k] for whole k, continued smoothly on each side of 0."""
        lost = math.log1p(self._decay) if self.sides == 2 else 0.0
        return np.asarray(math.log(self._fall) - lost - np.abs(k) / self.scale)

    def log_tail(self, k: Array) -> Array:
        """Natural log of Pr[X >= k] for whole k, continued smoothly to the numbers up to 0 and to those from 1."""
        if self.sides == 1:
            return np.asarray(-np.maximum(k, 0.0) / self.scale)
        lost = math.log1p(self._decay)
        upper = -k / self.scale - lost
        lower = np.log1p(-np.exp((np.minimum(k, 0.0) - 1) / self.scale - lost))
        return np.where(k > 0.5, upper, lower)

    def log_head(self, k: Array) -> Array:
        """Natural log of Pr[X < k] for whole k, continued like `log_tail`."""
        if self.sides == 1:
            return _log1mexp(np.asarray(-np.maximum(k, 0.0) / self.scale))
        return self.log_tail(1 - k)

    def log_from_to(self, low: Array, high: Array) -> Array:
        """Natural log of Pr[low <= X <= high] for whole numbers, continued smoothly while neither end crosses 0.

        A sum of at most two geometric series, so that nothing cancels however wide the noise is.
        """
        lost = math.log1p(self._decay) if self.sides == 2 else 0.0
        start = np.maximum(low, 0.0)
        above = -start / self.scale + _log1mexp(np.minimum(-(high - start + 1) / self.scale, 0.0)) - lost
        if self.sides == 1:
            return np.asarray(above)
        start = np.maximum(-high, 1.0)
        below = -start / self.scale + _log1mexp(np.minimum((low + start - 1) / self.scale, 0.0)) - lost
        return np.asarray(np.logaddexp(above, below))

    def logcdf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X <= x]."""
        return self.log_less(np.floor(np.asarray(x, dtype=float)) + 1)

    def logsf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[X > x]."""
        return self.log_at_least(np.floor(np.asarray(x, dtype=float)) + 1)

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Log of the density at `x` over that at `y`, both possible: also where it is far below that of either."""
        return np.asarray((np.abs(y) - np.abs(x)) / self.scale)

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""
        p = np.asarray(log_probability, dtype=float)
        if self.sides == 1:
            return np.floor(-self.scale * p)
        lost = math.log1p(self._decay)
        upper = np.floor(-self.scale * (p + lost))
        return np.where(upper > 0, upper, np.floor(1 + self.scale * (_log1mexp(p) + lost)))


@dataclass(frozen=True)
class NoNoise(Noise):
    """The constant 0: what an algorithm adds where it adds nothing (Alg. 5 adds it to every query).

    Examples
    --------
    >>> float(NoNoise().log_at_least(0.0)), float(NoNoise().log_less(0.0))
    (0.0, -inf)
    """

    kinks: ClassVar[tuple[float, ...]] = (0.0,)
    discrete: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Return 0, or an array of zeros of shape `size`."""
        return 0.0 if size is None else np.zeros(size)

    def _log(self, truth: NDArray[np.bool_]) -> Array:
        return np.where(truth, 0.0, -np.inf)

    def logpdf(self, x: ArrayLike) -> Array:
        """0 at 0, -inf elsewhere: the log of the probability of the one atom."""
        return self._log(np.asarray(x, dtype=float) == 0)

    def logcdf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[0 <= x]."""
        return self._log(np.asarray(x, dtype=float) >= 0)

    def logsf(self, x: ArrayLike) -> Array:
        """Natural log of Pr[0 > x]."""
        return self._log(np.asarray(x, dtype=float) < 0)

    def log_less(self, x: ArrayLike) -> Array:
        """Natural log of Pr[0 < x]."""
        return self._log(np.asarray(x, dtype=float) > 0)

    def log_at_least(self, x: ArrayLike) -> Array:
        """Natural log of Pr[0 >= x]."""
        return self._log(np.asarray(x, dtype=float) <= 0)

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        """The largest x with `log_at_least(x)` of at least `log_probability`."""
        return np.zeros(np.shape(log_probability))

    def _moments(self) -> tuple[float, float]:
        return 0.0, 0.0
