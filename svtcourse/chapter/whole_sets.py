"""Rivals of the exponential mechanism for the top c: a whole set drawn at once, and exponential noise in one shot.

The mechanism over sets draws one of all sets of c items, with the loss of Shekelyan & Loukides 2022: the largest score
left out, less the smallest taken, which for counts is the number of records that must change until the set is a true
top c.
One record moves that loss by at most the sensitivity, up for some sets and down for others, so its scale is twice the
sensitivity over epsilon, with no factor c.

There are far too many sets to list, but few kinds: the rank j of the first item left out, and a score b that none of
those taken is below.
Since exp(-loss / s) is a sum over the scores b at or below the smallest taken, a kind drawn by its weight, and then any
set of that kind with equal chances, is the mechanism.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from svtlib.select.scores import Scores
from svtlib.select.selections import Selections

__all__ = ["draw_sets", "expected_ser", "kinds", "one_shot"]


@lru_cache(maxsize=8)
def kinds(scores: Scores, c: int, scale: float) -> NDArray[np.float64]:
    """Probability of each kind of set: row j, first item left out; column g, none taken is below the g-th score.

    The last row is the true top c, in its first column.

    Examples
    --------
    >>> kinds(Scores.of([2, 1, 0]), 1, 1.0).round(3)
    array([[0.   , 0.155, 0.18 ],
           [0.665, 0.   , 0.   ]])
    """
    ends, support = np.cumsum(scores.count), scores.support
    first, among = np.arange(c)[:, None], ends[None, :] - np.arange(c)[:, None] - 1
    wanted = c - first
    enough = among >= wanted
    n = np.where(enough, among, wanted)
    sets = gammaln(n + 1.0) - gammaln(wanted + 1.0) - gammaln(n - wanted + 1.0)
    step = np.append(-np.diff(support), np.inf)
    loss = (scores.top(c)[:, None] - support[None, :]) / scale
    log_weight = np.where(enough, sets - loss + np.log(-np.expm1(-step / scale)), -np.inf)
    log_weight = np.vstack([log_weight, np.where(np.arange(support.size) == 0, 0.0, -np.inf)])
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def expected_ser(scores: Scores, c: int, *, epsilon: float) -> float:
    """Score error rate that a whole set of c monotonic scores of sensitivity 1 has in the mean.

    Examples
    --------
    >>> round(expected_ser(Scores.of([2, 1, 0]), 1, epsilon=2.0), 3)
    0.212
    """
    chance = kinds(scores, c, 2 / epsilon)
    ends, best = np.cumsum(scores.count), scores.top(c)
    sums = np.cumsum(scores.count * scores.support)[None, :]
    ahead = np.concatenate([[0.0], np.cumsum(best)])[:c, None]
    among = np.maximum(ends[None, :] - np.arange(c)[:, None] - 1, 1)
    mean = (sums - ahead - best[:, None]) / among
    lost = best.sum() - ahead - (c - np.arange(c)[:, None]) * mean
    return float((chance[:-1] * lost).sum() / best.sum())


def draw_sets(scores: Scores, c: int, *, scale: float, trials: int, rng: np.random.Generator) -> Selections:
    """Select a whole set of c items, `trials` times."""
    chance = kinds(scores, c, scale)
    drawn = rng.choice(chance.size, size=trials, p=chance.ravel())
    starts = np.concatenate([[0], np.cumsum(scores.count)])
    taken = np.zeros((trials, scores.support.size), dtype=np.int64)
    for trial, (j, g) in enumerate(zip(*np.unravel_index(drawn, chance.shape), strict=True)):
        ahead = np.clip(j - starts[:-1], 0, scores.count)
        taken[trial] = ahead
        if j < c:
            out = np.searchsorted(starts, j, side="right") - 1
            free = scores.count - ahead
            free[out] -= 1
            free[g + 1 :] = 0
            taken[trial] += rng.multivariate_hypergeometric(free, c - j, method="marginals")
    return _selections(scores, c, taken)


def one_shot(scores: Scores, c: int, *, scale: float, trials: int, rng: np.random.Generator) -> Selections:
    """Select the c largest sums of score and exponential noise, `trials` times.

    Noise has no memory: given that a sum passes a bar above its score, it passes it by exponential noise again.
    So the few that pass a low bar are counted by score, and only they are drawn.
    That fewer than c pass has a probability below 1e-20.
    """
    room = c + 10 * np.sqrt(c) + 20
    low, high = scores.support[-1] - scale, scores.support[0] + 60 * scale
    for _ in range(60):
        bar = (low + high) / 2
        passing = (scores.count * np.exp(-np.maximum(bar - scores.support, 0) / scale)).sum()
        low, high = (bar, high) if passing > min(room, scores.items) else (low, bar)
    chance = np.exp(-np.maximum(low - scores.support, 0) / scale)
    passes = rng.binomial(scores.count, chance, (trials, chance.size))
    if (passes.sum(axis=1) < c).any():
        raise RuntimeError("fewer than c sums passed the bar")
    taken = np.zeros_like(passes)
    for trial, number in enumerate(passes):
        group = np.repeat(np.arange(number.size), number)
        sums = np.maximum(scores.support[group], low) + rng.exponential(scale, group.size)
        best = np.argpartition(-sums, c - 1)[:c]
        taken[trial] = np.bincount(group[best], minlength=number.size)
    return _selections(scores, c, taken)


def _selections(scores: Scores, c: int, taken: NDArray[np.int64]) -> Selections:
    trial, group = np.nonzero(taken)
    return Selections(scores, c, len(taken), trial, group, taken[trial, group])
