"""Selecting the items with the highest scores, all of them known at the start: what SVT competes with.

The exponential mechanism selects an item with probability proportional to exp(score / scale).
Adding independent Gumbel noise of that scale to every score and taking the largest sum has the same law, and taking
the c largest sums at once ("one shot") has the law of c rounds in which the selected item is taken out ("peeled"):
Durfee & Rogers 2019.
A sum is the logarithm of a clock: score / scale + Gumbel = -log(E / exp(score / scale)) with E exponential, so the c
largest sums are the c clocks that ring first.

Floating-point noise: a simulation, not for production.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svtlib.law import Array, Index
from svtlib.select.scores import Scores
from svtlib.select.selections import Selections
from svtlib.select.simulate import race
from svtlib.validate import boolean, count, finite_array, generator, positive

__all__ = ["exponential_mechanism"]


def exponential_mechanism(
    scores: Scores | ArrayLike,
    c: int,
    *,
    epsilon: float,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    trials: int = 1,
    rng: np.random.Generator,
) -> Selections:
    """Select c items by the exponential mechanism in one shot: the c largest scores after adding Gumbel noise.

    The scale of the noise is 2 c sensitivity / epsilon, and half of it for monotonic scores.
    This is epsilon-DP because its law is that of c rounds of the exponential mechanism, each with epsilon/c and without
    the items selected (Durfee & Rogers 2019).

    Parameters
    ----------
    scores : array_like, shape (n,), or Scores
    c : int
        How many items to select, from 1 to n.
    epsilon : float
        The whole budget.
    sensitivity : float
        The most by which one person changes one score, in the units of the scores.
    monotonic : bool
        True if all scores that differ between neighbours move in the same direction.
    trials : int
        How many independent runs; 1 for an array.
    rng : numpy.random.Generator

    Returns
    -------
    Selections
        The counts by score of each run; for an array with the indices in the `order` of selection.

    Raises
    ------
    ValueError
        If a score is not finite, c is not a whole number from 1 to n, epsilon or sensitivity is not positive, or
        `trials` is not 1 for an array.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> svt.exponential_mechanism([3, 90, 4, 80], 2, epsilon=2.0, rng=np.random.default_rng(1))
    Selections(1, 3)
    >>> kosarak = svt.load_scores("kosarak")
    >>> svt.exponential_mechanism(
    ...     kosarak, 50, epsilon=1.0, monotonic=True, trials=3, rng=np.random.default_rng(1)
    ... ).selected
    array([50, 50, 50])
    """
    trials = count("trials", trials)
    if isinstance(scores, Scores):
        c = count("c", c, most=scores.items)
        scale = gumbel_scale(c, epsilon, sensitivity, monotonic)
        return race(scores, scale, c, trials=trials, rng=generator("rng", rng))
    if trials != 1:
        raise ValueError(f"trials must be 1 for an array of scores, got {trials}: give them as a Scores")
    values, histogram = finite_array("scores", scores, copy=False), Scores.of(scores)
    c = count("c", c, most=values.size)
    order = _top(values, c, gumbel_scale(c, epsilon, sensitivity, monotonic), generator("rng", rng))
    group, number = np.unique(np.searchsorted(-histogram.support, -values[order]), return_counts=True)
    return Selections(histogram, c, 1, np.zeros_like(group), group, number, order)


def gumbel_scale(c: int, epsilon: float, sensitivity: float, monotonic: bool) -> float:
    """Scale of the Gumbel noise, in the units of the scores."""
    epsilon, sensitivity = positive("epsilon", epsilon), positive("sensitivity", sensitivity)
    return (1 if boolean("monotonic", monotonic) else 2) * c * sensitivity / epsilon


def _top(values: Array, c: int, scale: float, rng: np.random.Generator) -> Index:
    """Places of the c items whose clocks ring first: all of them drawn, and the lowest c sorted."""
    clocks = rng.standard_exponential(values.size)
    np.log(np.maximum(clocks, np.finfo(float).tiny, out=clocks), out=clocks)  # exactly 0 would ring before all
    with np.errstate(over="ignore"):
        clocks -= (values - values.max()) / scale
    first = np.argpartition(clocks, c - 1)[:c]
    return first[np.argsort(clocks[first], kind="stable")]
