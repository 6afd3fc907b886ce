"""Exact laws of selecting the highest of few scores: which c, in which order; and which one, with which noise."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.exact.probability import log_probability
from svtlib.mechanism import Mechanism
from svtlib.noise import Exponential, Gumbel, Laplace
from svtlib.select.simulate import gumbel_scale
from svtlib.validate import choice, count, finite_array

__all__ = ["noisy_max_law", "top_law"]

_FAMILIES = {"laplace": Laplace, "gumbel": Gumbel, "exponential": Exponential}
_MOST_ORDERS = 10_000


def top_law(
    scores: ArrayLike, c: int, *, epsilon: float, sensitivity: float = 1.0, monotonic: bool = False
) -> dict[tuple[int, ...], float]:
    """Exact law of the c items that the exponential mechanism selects, in the order of selection, for few items.

    The product over c rounds of the weight of the selected item over the weight of those that are left: the law of
    Plackett and Luce, which `exponential_mechanism` has in one shot (Durfee & Rogers 2019).

    Parameters
    ----------
    scores : array_like, shape (n,)
        At most 10,000 ordered selections, n (n - 1) … (n - c + 1), and at most 700 noise scales from each other.
    c : int
        From 1 to n.
    epsilon, sensitivity, monotonic
        As for `exponential_mechanism`.

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
    values = _values(scores)
    c = count("c", c, most=values.size)
    if math.perm(values.size, c) > _MOST_ORDERS:
        raise ValueError(
            f"scores and c must give at most {_MOST_ORDERS:,} ordered selections, got {math.perm(values.size, c):,}"
        )
    scale = gumbel_scale(c, epsilon, sensitivity, monotonic)
    if not float(np.ptp(values)) <= 700 * scale:
        raise ValueError(f"scores must lie within 700 noise scales, 700 * {scale:g}, of each other")
    weight = np.exp((values - values.max()) / scale).tolist()

    def probability(order: tuple[int, ...]) -> float:
        left, product = dict(enumerate(weight)), 1.0
        for i in order:
            product *= left[i] / math.fsum(left.values())
            del left[i]
        return product

    return {order: probability(order) for order in itertools.permutations(range(values.size), c)}


def noisy_max_law(
    scores: ArrayLike, *, epsilon: float, sensitivity: float = 1.0, monotonic: bool = False, noise: str = "laplace"
) -> NDArray[np.float64]:
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
    epsilon, sensitivity, monotonic
        As for `exponential_mechanism`.
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
    values = _values(scores)
    family = _FAMILIES[choice("noise", noise, _FAMILIES)]
    law = family(gumbel_scale(1, epsilon, sensitivity, monotonic))
    race = Mechanism("noisy max", law, law, 1, epsilon, epsilon / 2, epsilon / 2, sensitivity=sensitivity)
    others = [np.delete(values, i) for i in range(values.size)]
    below = [False] * (values.size - 1)
    logs = [log_probability(race, rest, below, float(values[i])) for i, rest in enumerate(others)]
    return np.asarray(np.exp(logs))


def _values(scores: ArrayLike) -> NDArray[np.float64]:
    values = finite_array("scores", scores)
    if not values.size:
        raise ValueError("scores must have at least one entry, got none")
    return values
