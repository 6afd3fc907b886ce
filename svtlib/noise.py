"""The families of noise, each a frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.noise_base import LOG_HALF, Array, Noise, Size, log1mexp

__all__ = ["Exponential", "Gaussian", "Geometric", "Gumbel", "Laplace", "NoNoise", "Noise"]

_EULER_GAMMA = 0.57721566490153286
_MOST_INTEGER_SCALE = 1e14  # beyond about 2^53 / 60 scales a float skips integers


@dataclass(frozen=True)
class _Scaled(Noise):
    """A family with one scale parameter; one on the line is written down for scale 1, in y = x / scale."""

    scale: float = field()

    def __post_init__(self) -> None:
        validate.fields(self, validate.positive, "scale")

    def _standard(self, x: ArrayLike) -> Array:
        return np.asarray(x, dtype=float) / self.scale


class _Straight(_Scaled):
    """A family whose logarithm falls by 1 / scale with each unit away from 0."""

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        return np.asarray((np.abs(y) - np.abs(x)) / self.scale)


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

    def _inverse(self, p: Array) -> Array:
        """The largest y with log Pr[X >= y] of at least p."""
        raise NotImplementedError

    def logpdf(self, x: ArrayLike) -> Array:
        """Natural log of the density at `x`; -inf on a side without mass."""
        return np.asarray(self._shape(self._standard(x)) - (math.log(self.scale) + self._log_constant))

    def logcdf(self, x: ArrayLike) -> Array:
        return np.asarray(self._head(self._standard(x)))

    def logsf(self, x: ArrayLike) -> Array:
        return np.asarray(self._tail(self._standard(x)))

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        return np.asarray(self._inverse(np.asarray(log_probability, dtype=float)) * self.scale)


@dataclass(frozen=True)
class Laplace(_OnLine, _Straight):
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
    moves: ClassVar[tuple[int, ...]] = (1, -1)
    symmetric: ClassVar[bool] = True
    _log_constant: ClassVar[float] = math.log(2)

    def moments(self) -> tuple[float, float]:
        return 0.0, 2 * self.scale**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        return rng.laplace(0.0, self.scale, size)

    def _shape(self, y: Array) -> Array:
        return np.asarray(-np.abs(y))

    def log_inside(self, z: Array, threshold: Array, answer: Array) -> Array:
        """Log of Pr[abs(answer + X) < threshold + z], without cancellation."""
        v, q = self._standard(np.maximum(threshold + z, 0.0)), self._standard(np.abs(answer))
        with np.errstate(divide="ignore", over="ignore"):
            near = np.log(-(np.expm1(np.minimum(q - v, 0.0)) + np.expm1(-q - v)) / 2)  # v >= q
            far = v - q + np.log(-np.expm1(-2 * v) / 2)
        return np.where(v > 0, np.where(v >= q, near, far), -np.inf)

    def log_outside(self, z: Array, threshold: Array, answer: Array) -> Array:
        """Log of Pr[abs(answer + X) >= threshold + z], without cancellation."""
        v, q = self._standard(np.maximum(threshold + z, 0.0)), self._standard(np.abs(answer))
        beyond = q - v + np.log1p(np.exp(-2 * q)) + LOG_HALF  # v >= q
        within = np.log1p((np.exp(-q - v) - np.exp(np.minimum(v - q, 0.0))) / 2)
        return np.where(v >= q, beyond, within)

    def dents(self, answer: Array) -> Array:
        """At which bar `log_outside` is not a concave function of it: nowhere."""
        return np.full(answer.shape, np.nan)

    def _head(self, y: Array) -> Array:
        return np.where(y < 0, y + LOG_HALF, np.log1p(-0.5 * np.exp(-np.abs(y))))

    def _inverse(self, p: Array) -> Array:
        return np.where(p < LOG_HALF, LOG_HALF - p, log1mexp(p) - LOG_HALF)


@dataclass(frozen=True)
class Exponential(_OnLine, _Straight):
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

    @property
    def moves(self) -> tuple[int, ...]:
        """In the direction of its sign; against it the noise would leave its support."""
        return (self.sign,)

    def moments(self) -> tuple[float, float]:
        return self.sign * self.scale, self.scale**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        return self.sign * rng.exponential(self.scale, size)

    def _shape(self, y: Array) -> Array:
        return np.where(self.sign * y < 0, -np.inf, -self.sign * y)

    def log_inside(self, z: Array, threshold: Array, answer: Array) -> Array:
        """Log of Pr[abs(answer + X) < threshold + z], without cancellation."""
        w, q = self._standard(threshold + z), self._standard(self.sign * answer)
        least = np.maximum(-w - q, 0.0)
        return np.where((w > 0) & (w > q), log1mexp(np.minimum(least + q - w, 0.0)) - least, -np.inf)

    def log_outside(self, z: Array, threshold: Array, answer: Array) -> Array:
        """Log of Pr[abs(answer + X) >= threshold + z], without cancellation."""
        w, q = self._standard(threshold + z), self._standard(self.sign * answer)
        above, below = -np.maximum(w - q, 0.0), w + q
        below = np.where(below < -1e-15 * np.abs(q), below, 0.0)  # a rounding must not make what is impossible likely
        return np.where(w > 0, np.logaddexp(above, log1mexp(below)), 0.0)

    def dents(self, answer: Array) -> Array:
        """At which bar `log_outside` is not a concave function of it, NaN for none.

        The noise reaches beyond the farther bar only, once the bars are so far out that the answer lies between them:
        there log(1 - 2 exp(-abs(answer) / s) sinh(w / s)), concave in w, turns into a straight line.
        """
        return np.where(self.sign * answer < 0, np.abs(answer), np.nan)

    def _beyond(self, y: Array, far: bool) -> Array:
        """Log of the probability of lying farther from 0 than y, on the side with mass; or not so far."""
        below = -np.maximum(self.sign * y, 0.0)
        return below if far else log1mexp(below)

    def _head(self, y: Array) -> Array:
        return self._beyond(y, self.sign < 0)

    def _tail(self, y: Array) -> Array:
        return self._beyond(y, self.sign > 0)

    def _inverse(self, p: Array) -> Array:
        return -p if self.sign > 0 else log1mexp(p)


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

    moves: ClassVar[tuple[int, ...]] = (1,)

    def moments(self) -> tuple[float, float]:
        return _EULER_GAMMA * self.scale, (math.pi * self.scale) ** 2 / 6

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
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
            return np.where(u < 1e-9, -y - u / 2, log1mexp(-u))

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        rise = self._standard(np.subtract(y, x))
        with np.errstate(over="ignore"):
            return np.asarray(rise + np.exp(-self._standard(x)) * np.expm1(-rise))

    def _inverse(self, p: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.where(p < -36, -p, -np.log(-log1mexp(np.maximum(p, -36.0))))


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

    symmetric: ClassVar[bool] = True
    _log_constant: ClassVar[float] = math.log(2 * math.pi) / 2

    def moments(self) -> tuple[float, float]:
        return 0.0, self.scale**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        return rng.normal(0.0, self.scale, size)

    def _shape(self, y: Array) -> Array:
        return np.asarray(-0.5 * y**2)

    def _head(self, y: Array) -> Array:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(y), dtype=float)

    def log_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        return np.asarray(self._standard(np.subtract(y, x)) * self._standard(np.add(y, x)) / 2)

    def _inverse(self, p: Array) -> Array:
        from scipy.special import ndtri_exp

        return np.asarray(-ndtri_exp(p))


@dataclass(frozen=True)
class Geometric(_Straight):
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
    def _fall(self) -> float:
        """1 - a without cancellation, for the ratio a = exp(-1 / scale) of neighbouring probabilities."""
        return -math.expm1(-1 / self.scale)

    @property
    def _lost(self) -> float:
        """By how much two sides make every logarithm smaller: log(1 + a)."""
        return math.log1p(math.exp(-1 / self.scale)) if self.symmetric else 0.0

    @property
    def moves(self) -> tuple[int, ...]:
        """Both directions where it has two sides, else up."""
        return (1, -1) if self.symmetric else (1,)

    @property
    def symmetric(self) -> bool:
        """True if it has two sides."""
        return self.sides == 2

    def moments(self) -> tuple[float, float]:
        a, fall = math.exp(-1 / self.scale), self._fall
        return (0.0 if self.symmetric else a / fall), self.sides * a / fall**2

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
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
        return self.log_tail(np.ceil(np.asarray(x, dtype=float)))

    def log_less(self, x: ArrayLike) -> Array:
        return self.log_head(np.ceil(np.asarray(x, dtype=float)))

    def log_atom(self, k: Array) -> Array:
        """Natural log of Pr[X = k] for whole k, continued smoothly on each side of 0."""
        return np.asarray(math.log(self._fall) - self._lost - np.abs(k) / self.scale)

    def log_tail(self, k: Array) -> Array:
        """Natural log of Pr[X >= k] for whole k, continued smoothly to the numbers up to 0 and to those from 1."""
        if self.sides == 1:
            return np.asarray(-np.maximum(k, 0.0) / self.scale)
        lost = self._lost
        upper = -k / self.scale - lost
        lower = np.log1p(-np.exp((np.minimum(k, 0.0) - 1) / self.scale - lost))
        return np.where(k > 0.5, upper, lower)

    def log_head(self, k: Array) -> Array:
        """Natural log of Pr[X < k] for whole k, continued like `log_tail`."""
        if self.sides == 1:
            return log1mexp(np.asarray(-np.maximum(k, 0.0) / self.scale))
        return self.log_tail(1 - k)

    def log_from_to(self, low: Array, high: Array) -> Array:
        """Natural log of Pr[low <= X <= high] for whole numbers, continued smoothly while neither end crosses 0.

        A sum of at most two geometric series, so that nothing cancels however wide the noise is.
        """
        lost, start = self._lost, np.maximum(low, 0.0)
        above = -start / self.scale + log1mexp(np.minimum(-(high - start + 1) / self.scale, 0.0)) - lost
        if self.sides == 1:
            return np.asarray(above)
        start = np.maximum(-high, 1.0)
        below = -start / self.scale + log1mexp(np.minimum((low + start - 1) / self.scale, 0.0)) - lost
        return np.asarray(np.logaddexp(above, below))

    def logcdf(self, x: ArrayLike) -> Array:
        return self.log_less(np.floor(np.asarray(x, dtype=float)) + 1)

    def logsf(self, x: ArrayLike) -> Array:
        return self.log_at_least(np.floor(np.asarray(x, dtype=float)) + 1)

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        p = np.asarray(log_probability, dtype=float)
        if self.sides == 1:
            return np.floor(-self.scale * p)
        lost = self._lost
        upper = np.floor(-self.scale * (p + lost))
        return np.where(upper > 0, upper, np.floor(1 + self.scale * (log1mexp(p) + lost)))


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
    whole: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, size: Size = None) -> Any:
        """Return 0, or an array of zeros of shape `size`."""
        return 0.0 if size is None else np.zeros(size)

    def _log(self, truth: NDArray[np.bool_]) -> Array:
        return np.where(truth, 0.0, -np.inf)

    def logpdf(self, x: ArrayLike) -> Array:
        """0 at 0, -inf elsewhere: the log of the probability of the one atom."""
        return self._log(np.asarray(x, dtype=float) == 0)

    def logcdf(self, x: ArrayLike) -> Array:
        return self._log(np.asarray(x, dtype=float) >= 0)

    def logsf(self, x: ArrayLike) -> Array:
        return self._log(np.asarray(x, dtype=float) < 0)

    def log_less(self, x: ArrayLike) -> Array:
        return self._log(np.asarray(x, dtype=float) > 0)

    def log_at_least(self, x: ArrayLike) -> Array:
        return self._log(np.asarray(x, dtype=float) <= 0)

    def at_least_inverse(self, log_probability: ArrayLike) -> Array:
        return np.zeros(np.shape(log_probability))

    def moments(self) -> tuple[float, float]:
        return 0.0, 0.0
