"""Noise handed out from a list: with it a reader's program is a function of its inputs alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from svtlib.mechanism import ABORT, Transcript
from svtlib.noise import Exponential, Gaussian, Gumbel, Laplace, Noise

__all__ = ["FAMILIES", "Draw", "Source", "replay"]

FAMILIES: dict[str, Callable[[float], Noise]] = {
    "laplace": Laplace,
    "exponential": Exponential,
    "gumbel": Gumbel,
    "normal": Gaussian,
}
_MOST_DRAWS = 100_000


@dataclass(frozen=True)
class Draw:
    """One number that a program drew.

    Attributes
    ----------
    family : str
        The method of numpy's generator: ``"laplace"``, ``"exponential"``, ``"gumbel"`` or ``"normal"``.
    scale : float
    """

    family: str
    scale: float

    @property
    def noise(self) -> Noise:
        """The same law as a value of svtlib."""
        return FAMILIES[self.family](self.scale)

    def __str__(self) -> str:
        return f"{self.family}({self.scale:.6g})"


class Source:
    """A stand-in for `numpy.random.Generator` that writes down what is asked for and answers from a rule.

    Parameters
    ----------
    value : callable (k, draw) -> float
        The k-th draw, without its location.

    Examples
    --------
    >>> source = Source(lambda k, draw: 10.0 * k)
    >>> source.laplace(1, 2), source.laplace(0, 4, size=2).tolist(), source.draws[2]
    (1.0, [10.0, 20.0], Draw(family='laplace', scale=4.0))
    """

    def __init__(self, value: Callable[[int, Draw], float]) -> None:
        self._value = value
        self.draws: list[Draw] = []

    def _draw(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        scales = np.broadcast_to(np.asarray(scale, dtype=float), shape)
        if scales.size + len(self.draws) > _MOST_DRAWS:
            raise ValueError(f"size must leave at most {_MOST_DRAWS:,} draws in one run, got {size!r}")
        drawn = np.empty(scales.shape)
        for index in np.ndindex(scales.shape):
            if not scales[index] >= 0 or np.isinf(scales[index]):
                raise ValueError(f"scale must be a number of at least 0, got {scale!r}")
            draw = Draw(family, float(scales[index]))
            drawn[index] = self._value(len(self.draws), draw) if draw.scale else 0.0
            self.draws.append(draw)
        drawn = drawn + loc
        return float(drawn) if drawn.shape == () else drawn

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.laplace`."""
        return self._draw("laplace", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.gumbel`."""
        return self._draw("gumbel", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.normal`."""
        return self._draw("normal", loc, scale, size)

    def standard_normal(self, size: Any = None) -> Any:
        """As `numpy.random.Generator.standard_normal`."""
        return self._draw("normal", 0.0, 1.0, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.exponential`."""
        return self._draw("exponential", 0.0, scale, size)

    def standard_exponential(self, size: Any = None) -> Any:
        """As `numpy.random.Generator.standard_exponential`."""
        return self._draw("exponential", 0.0, 1.0, size)


def _in_order(transcript: Transcript) -> Iterator[float]:
    rho, release = iter(transcript.tape.rho), iter(transcript.tape.release)
    yield next(rho)
    for nu, answer in zip(transcript.tape.nu, transcript.outcome, strict=True):
        yield nu
        if answer is not False and answer is not ABORT:
            yield from (z for z in [next(release, None)] if z is not None)
            yield from (z for z in [next(rho, None)] if z is not None)


def replay(transcript: Transcript) -> Source:
    """The noise of a run, in the order in which the loop drew it, for a program of the reader's own.

    First the threshold noise; then the noise of each query, after a positive followed by the noise of its number, where
    that is drawn afresh, and by the threshold noise drawn again, where it is.

    Parameters
    ----------
    transcript : Transcript

    Returns
    -------
    Source
        To be handed to the program in the place of a `numpy.random.Generator`; it raises ValueError when the program
        asks for more numbers than a run used that was not stopped by its cut-off.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> def above(answers, threshold, epsilon, rng):
    ...     rho = rng.laplace(0, 2 / epsilon)
    ...     for i, answer in enumerate(answers):
    ...         if answer + rng.laplace(0, 4 / epsilon) >= threshold + rho:
    ...             return [False] * i + [True]
    ...     return [False] * len(answers)
    >>> mechanism = svt.variant("above_threshold").calibrate(epsilon=1.0)
    >>> run = svt.run(mechanism, [0, 3, 50], 9, rng=np.random.default_rng(3))
    >>> above([0, 3, 50], 9, 1.0, replay(run)) == list(run.outcome)
    True
    """
    numbers = tuple(_in_order(transcript))

    def value(k: int, draw: Draw) -> float:
        if k >= len(numbers) and transcript.stopped:
            return 0.0  # nothing is answered any more; Alg. 2 as listed still draws the next threshold's noise
        if k >= len(numbers):
            raise ValueError(f"rng must not be asked for more than the {len(numbers)} numbers of the run")
        return numbers[k]

    return Source(value)
