"""Neighbours with noise that are hard on an alignment: what `check_alignment` tries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from svtlib.law import Array
from svtlib.mechanism import Mechanism, NoiseTape


@dataclass(frozen=True, eq=False)
class Case:
    """Neighbouring answers, public thresholds and the noise of one run.

    Attributes
    ----------
    answers, neighbour, threshold : ndarray, shape (n,)
    tape : NoiseTape
    """

    answers: Array
    neighbour: Array
    threshold: Array
    tape: NoiseTape


def _round(values: ArrayLike, unit: float) -> Array:
    return np.asarray(np.round(np.asarray(values, dtype=float) / unit) * unit + 0.0)  # + 0.0: no negative zeros


def resolution(mechanism: Mechanism) -> float:
    """The least power of two of which all numbers of a case, with up to 40 times the noise drawn, can be multiples."""
    widest = max(noise.width for noise in mechanism.noises)
    return 2.0 ** (math.ceil(math.log2(4000 * widest + 200 * mechanism.sensitivity)) - 52)


def hard_case(mechanism: Mechanism, n: int, rng: np.random.Generator) -> Case:
    """Draw answers and noise that are hard on an alignment.

    Everything is a multiple of a power of two, fine or coarse, so that ties are exact and sums do not round.
    The signs of the output are chosen first, and the answers such that the drawn noise gives them: by a tie, by a hair,
    within the sensitivity or far off.
    """
    m, reach = mechanism, mechanism.sensitivity
    size = n if rng.random() < 0.5 else int(rng.integers(1, n + 1))
    unit = 1.0 if m.integers else max(2.0 ** (math.floor(math.log2(reach)) - rng.choice([2, 16])), resolution(m))
    above = np.zeros(size, dtype=bool)
    most = int(min(m.c + 1, size))
    pattern = rng.integers(5)
    if pattern == 1:
        above[:] = True
    elif pattern == 2:
        above[rng.choice(size, most, replace=False)] = True
    elif pattern == 3:
        above[size - most :] = True
    elif pattern == 4:
        above = rng.random(size) < rng.random()
    epoch = np.cumsum(above) - above if m.refresh else np.zeros(size, dtype=np.int64)
    first = np.array([m.threshold_noise.sample(rng)])
    rho = _round(np.concatenate([first, m.redraw_noise.sample(rng, size)]) * rng.choice([1, 1, 6, 40]), unit)
    drawn = m.query_noise.sample(rng, size)
    alike = rng.random() < 0.3  # one draw for all queries: then no positive is cheaper than another
    nu = _round((np.full(size, drawn[0]) if alike else drawn) * rng.choice([1, 1, 6, 40]), unit)
    release = np.empty(0) if m.release_noise is None else _round(m.release_noise.sample(rng, size), unit)
    threshold = _round(rng.normal(0, 10 * reach, size), unit) if rng.random() < 0.3 else np.zeros(size)

    gap = np.choose(
        rng.integers(4, size=size),
        [np.zeros(size), np.full(size, unit), reach * rng.uniform(0, 2, size), 100 * reach * rng.random(size)],
    )
    # Where the sensitivity is no multiple of the unit, its sums round and a tie could be lost to that.
    gap = np.maximum(_round(gap, unit), 0.0 if reach % unit == 0 else unit)
    height = threshold + m.correction + rho[epoch] + np.where(above, gap, -np.maximum(gap, unit))
    side = np.where((rng.random(size) < 0.5) & m.sides.absolute, -1.0, 1.0)
    q = side * height - nu

    whole = math.floor(reach / unit) * unit
    against = np.where(above, -1.0, 1.0)  # what the alignment has most to make up for
    up = rng.choice([-1.0, 1.0])
    direction = [np.full(size, up), against * side, -against * side, rng.choice([-1.0, 1.0], size)][rng.integers(4)]
    if m.monotonic:
        direction = np.full(size, up)
    part = [
        np.full(size, whole),
        np.full(size, whole),
        np.where(above, 0.0, whole),
        np.floor(rng.random(size) * (whole / unit + 1)) * unit,
    ][rng.integers(4)]
    return Case(q, q + direction * part, threshold, NoiseTape(*(tuple(x.tolist()) for x in (rho, nu, release))))
