"""Five mechanisms to be audited from outside: each claims to be a 1-differentially private SVT with c = 2.

Do not read on if you want to find out for yourself: chapter 25 opens them one after the other.
Each takes answers of sensitivity 1, compares them with the threshold 0, and runs many times at once.
"""

from __future__ import annotations

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


def _rows(hits: NDArray[Any]) -> NDArray[Any]:
    """The signs of each run up to its C-th positive."""
    before = np.cumsum(hits, axis=1) - hits
    return np.where(before < C, hits, -1).astype(np.int8)


def _shape(answers: ArrayLike, trials: int) -> tuple[NDArray[np.float64], tuple[int, int]]:
    q = validate.finite_array("answers", answers)
    return q, (validate.count("trials", trials), q.size)


def _box_a(answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
    """As it should be: Alg. 1."""
    q, shape = _shape(answers, trials)
    return _rows(q + rng.laplace(0, 8, shape) >= rng.laplace(0, 2, (shape[0], 1)))


def _box_b(answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
    """The query noise is drawn once and serves every query."""
    q, shape = _shape(answers, trials)
    return _rows(q + rng.laplace(0, 8, (shape[0], 1)) >= rng.laplace(0, 2, (shape[0], 1)))


def _box_c(answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
    """The query noise does not grow with c."""
    q, shape = _shape(answers, trials)
    return _rows(q + rng.laplace(0, 4, shape) >= rng.laplace(0, 2, (shape[0], 1)))


def _box_d(answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
    """The threshold gets fresh noise for every query."""
    q, shape = _shape(answers, trials)
    return _rows(q + rng.laplace(0, 8, shape) >= rng.laplace(0, 2, shape))


def _box_e(answers: ArrayLike, trials: int, rng: np.random.Generator) -> NDArray[Any]:
    """Noise beyond five scales is drawn again, "so that nothing absurd comes out"."""
    q, shape = _shape(answers, trials)
    return _rows(q + _trimmed(8, shape, rng) >= _trimmed(2, (shape[0], 1), rng))


def _trimmed(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise given that it is at most five scales in size."""
    sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
    size: NDArray[np.float64] = -scale * np.log1p(rng.random(shape) * np.expm1(-5.0))
    return sign * size


BOXES: dict[str, Box] = {"A": _box_b, "B": _box_e, "C": _box_a, "D": _box_c, "E": _box_d}
"""The boxes by the letters on their lids, shuffled."""
