"""Selecting the items with the highest scores, all of them known at the start: what SVT competes with.

The exponential mechanism selects an item with probability proportional to exp(score / scale).
Adding independent Gumbel noise of that scale to every score and taking the largest sum has the same law, and taking
the c largest sums at once ("one shot") has the law of c rounds in which the selected item is taken out ("peeled"):
Durfee & Rogers 2019; `top_law` computes both laws.
A sum is the logarithm of a clock: score / scale + Gumbel = -log(E / exp(score / scale)) with E exponential, so the c
largest sums are the c clocks that ring first.

Floating-point noise: a simulation, not for production.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.mechanism import Mechanism
from svtlib.noise import Exponential, Gumbel, Laplace
from svtlib.select.scores import Scores
from svtlib.select.selections import Selections
from svtlib.select.simulate import race
from svtlib.validate import boolean, choice, count, finite_array, generator, positive

__all__ = [
    "exponential_mechanism",
    "noisy_max_law",
    "peeled_exponential_mechanism",
    "top_law",
]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


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
    This is epsilon-DP because its law is that of `peeled_exponential_mechanism`, c rounds of epsilon/c each
    (Durfee & Rogers 2019).

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
        scale = _scale(c, epsilon, sensitivity, monotonic)
        return race(scores, scale, c, trials=trials, rng=generator("rng", rng))
    if trials != 1:
        raise ValueError(f"trials must be 1 for an array of scores, got {trials}: give them as a Scores")
    values = _values(scores)
    c = count("c", c, most=values.size)
    order = _top(values, c, _scale(c, epsilon, sensitivity, monotonic), generator("rng", rng))
    histogram = Scores.of(values)
    group, number = np.unique(np.searchsorted(-histogram.support, -values[order]), return_counts=True)
    return Selections(histogram, c, 1, np.zeros_like(group), group, number, order)


def peeled_exponential_mechanism(
    scores: ArrayLike,
    c: int,
    *,
    epsilon: float,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    rng: np.random.Generator,
) -> Indices:
    """Select c items in c rounds of the exponential mechanism, each with epsilon/c and without the items selected.

    As Lyu, Su & Li (2017, sec. 5) describe it: an item is selected with probability proportional to
    exp(epsilon score / (2 c sensitivity)), for monotonic scores exp(epsilon score / (c sensitivity)); they print the
    exponents without the score.
    Each round costs epsilon/c (McSherry & Talwar 2007), so the whole is epsilon-DP.
    It takes c passes over the scores; `exponential_mechanism` has the same law and takes one.

    Parameters
    ----------
    scores : array_like, shape (n,)
    c : int
        How many items to select, from 1 to n.
    epsilon : float
        The whole budget.
    sensitivity : float
        The most by which one person changes one score, in the units of the scores.
    monotonic : bool
        True if all scores that differ between neighbours move in the same direction.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (c,)
        Indices in the order of selection.

    Raises
    ------
    ValueError
        As for `exponential_mechanism`.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> svt.peeled_exponential_mechanism([3, 90, 4, 80], 2, epsilon=2.0, rng=np.random.default_rng(1))
    array([1, 3])
    """
    values = _values(scores)
    c = count("c", c, most=values.size)
    scale = _scale(c, epsilon, sensitivity, monotonic)
    rng = generator("rng", rng)
    left = np.arange(values.size)
    selected = np.empty(c, dtype=np.int64)
    for k in range(c):
        until = np.cumsum(_weights(values[left], scale))
        # the first item whose cumulative weight exceeds the draw: never one of weight 0
        place = int(np.searchsorted(until, rng.random() * until[-1], side="right"))
        place = min(place, int(np.searchsorted(until, until[-1])))  # the product may round up to the total
        selected[k] = left[place]
        left = np.delete(left, place)
    return selected


def noisy_max_law(
    scores: ArrayLike, *, epsilon: float, sensitivity: float = 1.0, monotonic: bool = False, noise: str = "laplace"
) -> Array:
    """Exact probability of each index to be the largest score after noise is added to all (report noisy max).

    With each of the three families the scale 2 sensitivity / epsilon is private for all scores, and half of it for
    monotonic ones: if the winner's noise grows by the scale times epsilon it still wins on the neighbour, since no
    difference of two scores moves by more than 2 sensitivity (sensitivity if monotonic).
    That needs only a density with f(x) <= exp(b / scale) f(x + b) for all x and b > 0, as all three have.

    That item i wins means that all other noisy scores stay below score i + its noise: they are the queries of an SVT
    that are all negative, score i is its threshold and the noise of i its threshold noise.
    So the exact engine of `log_probability` computes it, with the error stated there.

    Parameters
    ----------
    scores : array_like, shape (n,)
    epsilon : float
    sensitivity : float
        The most by which one person changes one score, in the units of the scores.
    monotonic : bool
        True if all scores that differ between neighbours move in the same direction.
    noise : {"laplace", "gumbel", "exponential"}
        "laplace": report noisy max of Dwork & Roth 2014, sec. 3.3 (there for counts, with scale 1/epsilon).
        "gumbel": the exponential mechanism of McSherry & Talwar 2007 in other words.
        "exponential": one-sided noise, which is permute-and-flip of McKenna & Sheldon 2020, as Ding et al. 2021 show;
        it never errs more in expectation than the exponential mechanism.

    Returns
    -------
    ndarray, shape (n,)
        Sums to 1.

    Raises
    ------
    ValueError
        If a score is not finite, there is none, epsilon or sensitivity is not positive, or the family is unknown.

    Examples
    --------
    Permute-and-flip returns the best of two with probability 1 - exp(-distance / scale) / 2.

    >>> noisy_max_law([2.0, 0.0], epsilon=1.0, noise="exponential").round(6)  # 1 - exp(-1) / 2
    array([0.81606, 0.18394])
    """
    # A sibling, not a layer below: only this function needs it, so only here is it loaded.
    from svtlib.exact import log_probability

    values = _values(scores)
    family = _FAMILIES[choice("noise", noise, _FAMILIES)]
    law = family(_scale(1, epsilon, sensitivity, monotonic))
    race = Mechanism("noisy max", law, law, 1, epsilon, epsilon / 2, epsilon / 2, sensitivity=sensitivity)
    others = [np.delete(values, i) for i in range(values.size)]
    below = [False] * (values.size - 1)
    logs = [log_probability(race, rest, below, float(values[i])) for i, rest in enumerate(others)]
    return np.asarray(np.exp(logs))


def top_law(
    scores: ArrayLike,
    c: int,
    *,
    epsilon: float,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    how: str = "one shot",
) -> dict[tuple[int, ...], float]:
    """Exact law of the c items selected, in the order of selection, for few items.

    Parameters
    ----------
    scores : array_like, shape (n,)
        At most 10,000 ordered selections, n (n - 1) … (n - c + 1), and at most 700 noise scales from each other.
    c : int
        From 1 to n.
    epsilon, sensitivity, monotonic
        As for `exponential_mechanism`.
    how : {"one shot", "peeled"}
        "one shot": `exponential_mechanism`, by integrating the joint density of the c clocks that ring first and of
        the others ringing later.
        "peeled": `peeled_exponential_mechanism`, the product of the probabilities of its rounds, which is the law of
        Plackett and Luce.
        The two agree, which is the theorem; the rounding error of "one shot" grows like 2^c units of the last place.

    Returns
    -------
    dict from tuple of int to float
        Sums to 1.

    Raises
    ------
    ValueError
        If there are too many selections or the scores are too far apart, or as for `exponential_mechanism`.

    Examples
    --------
    >>> law = top_law([2.0, 0.0, 0.0], 2, epsilon=2.0, monotonic=True)
    >>> round(law[0, 1], 6)  # e^2 / (e^2 + 2) * 1/2
    0.393493
    """
    choice("how", how, ("one shot", "peeled"))
    values = _values(scores)
    c = count("c", c, most=values.size)
    if math.perm(values.size, c) > _MOST_ORDERS:
        raise ValueError(
            f"scores and c must give at most {_MOST_ORDERS:,} ordered selections, got {math.perm(values.size, c):,}"
        )
    scale = _scale(c, epsilon, sensitivity, monotonic)
    if not -float(_below_top(values).min()) <= 700 * scale:
        raise ValueError(f"scores must lie within 700 noise scales, 700 * {scale:g}, of each other")
    weight = _weights(values, scale).tolist()
    probability = _clocks_ring if how == "one shot" else _rounds_select
    return {order: probability(weight, order) for order in itertools.permutations(range(values.size), c)}


_FAMILIES = {"laplace": Laplace, "gumbel": Gumbel, "exponential": Exponential}
_MOST_ORDERS = 10_000


def _rounds_select(weight: list[float], order: tuple[int, ...]) -> float:
    """Product over the rounds of the weight of the selected item over the weight of those that are left."""
    left = dict(enumerate(weight))
    probability = 1.0
    for i in order:
        probability *= left[i] / math.fsum(left.values())
        del left[i]
    return probability


def _clocks_ring(weight: list[float], order: tuple[int, ...]) -> float:
    """Probability that exponential clocks with these rates ring first and in this order, by integration.

    `before` is Pr[the clocks so far ring in order, before t] as a sum of terms coefficient * exp(-rate * t).
    """
    before = [(1.0, 0.0)]
    for i in order[:-1]:
        rung = [(a * weight[i] / (weight[i] + r), weight[i] + r) for a, r in before]
        before = [(math.fsum(a for a, _ in rung), 0.0), *((-a, r) for a, r in rung)]
    last = order[-1]
    rest = math.fsum(w for i, w in enumerate(weight) if i not in order)
    return max(0.0, math.fsum(a * weight[last] / (weight[last] + rest + r) for a, r in before))


def _values(scores: ArrayLike) -> Array:
    values = finite_array("scores", scores)
    if not values.size:
        raise ValueError("scores must have at least one entry, got 0")
    return values


def _scale(c: int, epsilon: float, sensitivity: float, monotonic: bool) -> float:
    """Scale of the Gumbel noise, in the units of the scores."""
    epsilon, sensitivity = positive("epsilon", epsilon), positive("sensitivity", sensitivity)
    return (1 if boolean("monotonic", monotonic) else 2) * c * sensitivity / epsilon


def _below_top(values: Array) -> Array:
    """Differences to the highest score: nothing but differences matters, and none of them is positive."""
    with np.errstate(over="ignore"):  # scores more than 1.8e308 apart: -inf, never selected before the others
        return np.asarray(values - values.max())


def _weights(values: Array, scale: float) -> Array:
    """exp(score / scale), the largest 1, so that no weight overflows."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(_below_top(values) / scale))


def _gumbel(exponential: Array) -> Array:
    """Standard Gumbel noise from exponential noise; a draw that is exactly 0 would make it infinite."""
    return np.asarray(-np.log(np.maximum(exponential, np.finfo(float).tiny)))


def _positions(n: int, share: float, rng: np.random.Generator) -> Indices:
    """Return each of 0 … n - 1 independently with probability `share`, ascending: the gaps are geometric."""
    if share >= 1:
        return np.arange(n)
    blocks, last = [], -1
    size = int(n * share + 6 * math.sqrt(n * share)) + 1
    while last < n:
        blocks.append(last + np.cumsum(rng.geometric(share, size)))
        last = int(blocks[-1][-1])
    places = np.concatenate(blocks)
    return places[: int(np.searchsorted(places, n))]


def _top(values: Array, c: int, scale: float, rng: np.random.Generator) -> Indices:
    """Indices of the c largest of `values` + `scale` times Gumbel noise, largest first.

    The noise is -log(E) with E exponential, and almost no E has to be drawn.
    Whether E <= tau is drawn first, for all items: these are a random share of them, found by geometric gaps.
    Their sums give a bound that the c-th largest of all sums reaches.
    An item with E > tau stays below that bound unless its score exceeds bound + scale * log(tau), and for those that
    do, E - tau is again exponential, because the exponential distribution has no memory.
    """
    share = min(1.0, 2 * math.sqrt(c / values.size))  # about as many items in either step, for steep and flat scores
    top = float(values.max())
    near = _positions(values.size, share, rng)
    early = -np.log1p(-share * rng.random(near.size)) if share < 1 else rng.standard_exponential(near.size)
    with np.errstate(over="ignore"):
        sums = (values[near] - top) + scale * _gumbel(early)
        if share < 1:
            tau = -math.log1p(-share)
            bound = np.partition(sums, near.size - c)[near.size - c] if near.size >= c else -math.inf
            far = np.flatnonzero(values >= top + (bound + scale * math.log(tau)))
            far = far[~np.isin(far, near, assume_unique=True)]
            late = tau + rng.standard_exponential(far.size)
            sums = np.concatenate([sums, (values[far] - top) + scale * _gumbel(late)])
            near = np.concatenate([near, far])
    best = np.argpartition(sums, sums.size - c)[sums.size - c :]
    return near[best[np.argsort(-sums[best], kind="stable")]]
