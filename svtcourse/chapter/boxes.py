"""Five mechanisms to be audited from outside: each claims to be a 1-differentially private SVT with c = 2.

Do not read on if you want to find out for yourself: chapter 25 opens them one after the other.
Each takes answers of sensitivity 1, compares them with the threshold 0, and runs many times at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate

__all__ = ["BOXES", "Box", "C"]

C = 2  # positives that each box pays for


class Box(Protocol):
    """A sampler: one row of -1 (not answered), 0 (below) and 1 (above) for each run."""

    def __call__(self, answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
        """Run on `answers` that many times."""


Noise = Callable[[tuple[int, int], np.random.Generator], NDArray[np.float64]]  # of a shape, a row for each run


def _box(query: Noise, threshold: Noise) -> Box:
    """The signs of each run up to its C-th positive, with this noise on the answers and on the threshold."""

    def box(answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
        q = validate.finite_array("answers", answers)
        shape = validate.count("trials", trials), q.size
        hits = q + query(shape, rng) >= threshold(shape, rng)
        return np.where(np.cumsum(hits, axis=1) - hits < C, hits, -1).astype(np.int8)

    return box


def _laplace(scale: float) -> Noise:
    """Laplace noise, drawn for each answer."""
    return lambda shape, rng: rng.laplace(0, scale, shape)


def _trimmed(scale: float) -> Noise:
    """Laplace noise given that it is at most five scales in size."""

    def noise(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
        sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
        return np.asarray(sign * -scale * np.log1p(rng.random(shape) * np.expm1(-5.0)))

    return noise


def _once(noise: Noise) -> Noise:
    """The same, drawn once in each run."""
    return lambda shape, rng: noise((shape[0], 1), rng)


BOXES: dict[str, Box] = {
    "A": _box(_once(_laplace(8)), _once(_laplace(2))),  # the query noise is drawn once and serves every query
    "B": _box(
        _trimmed(8), _once(_trimmed(2))
    ),  # beyond five scales it is drawn again, "so that nothing absurd comes out"
    "C": _box(_laplace(8), _once(_laplace(2))),  # as it should be: Alg. 1
    "D": _box(_laplace(4), _once(_laplace(2))),  # the query noise does not grow with c
    "E": _box(_laplace(8), _laplace(2)),  # the threshold gets fresh noise for every query
}
"""The boxes by the letters on their lids, shuffled."""
