"""Expected errors of a selection by SVT, computed instead of simulated.

Given the threshold noise every item is positive on its own, with probability p_i, and if N items are positive each of
them is among the c selected with probability min(1, c / N).
So all that is needed is the law of N, a sum of independent indicators: its characteristic function is a product over
the groups of equal scores, that without item i is the same product with one factor less, and what remains is one
integral over the threshold noise.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise import Noise, NoNoise
from svtlib.noise_base import Array
from svtlib.select.scores import Scores

Complex = NDArray[np.complex128]

_TOLERANCE = 1e-5
_MOST_PANELS = 350  # of the integral; some seconds
_STEP = 0.15  # of p |z - 1|, up to which a probability enters through power sums
_ORDERS = 15  # 0.15^16 = 7e-14
_LOST = 36.0  # exponents below -36 are rounding errors of 1
_STEPS = 30  # scores around which the integral is cut where the query noise is narrow


@dataclass(frozen=True)
class Expectation:
    """Expected errors of one mechanism on one list of items in random order.

    Attributes
    ----------
    ser, ser_of_selected : float
        E[SER], the sum of the selected scores divided by c, or by the number selected (an empty selection has SER 1).
    fnr : float
        E[FNR], the expected share of the true top c that is missed.
    selected : float
        Expected number of selected items.
    fewer : float
        Probability that fewer than c are selected.
    error : float
        Estimate of the largest absolute error of these numbers (of `selected` divided by c).
    """

    ser: float
    ser_of_selected: float
    fnr: float
    selected: float
    fewer: float
    error: float


def expected_error(mechanism: Mechanism, scores: Scores | ArrayLike, threshold: float) -> Expectation:
    """Expected errors when `mechanism` goes once through the items of `scores` in random order.

    Parameters
    ----------
    mechanism : Mechanism
        One that stops at its c-th positive and never refreshes the threshold noise: Alg. 1 and Alg. 7 at any split.
    scores : Scores, or array_like, shape (n,)
    threshold : float

    Returns
    -------
    Expectation
        To an absolute error of 1e-5 in every number (in the expected number of selected items divided by c).

    Raises
    ------
    ValueError
        If the mechanism has no cut-off, refreshes its threshold noise, compares absolute values, has no query noise or
        discrete threshold noise, if the c highest scores do not sum to a positive number, if an argument is out of
        range, or if the query noise is so narrow that the integral does not end.

    Examples
    --------
    >>> import svtlib as svt
    >>> kosarak = svt.load_scores("kosarak")
    >>> even = svt.variant("alg7").calibrate(epsilon=0.1, c=50, monotonic=True, split=1)
    >>> round(svt.expected_error(even, kosarak, kosarak.threshold(50)).ser, 4)
    0.0631
    """
    from scipy.integrate import quad_vec

    m = a_mechanism(mechanism)
    noise, nu = m.threshold_noise, m.query_noise
    if m.cutoff is None or m.refresh or m.sides.absolute or noise.discrete or isinstance(nu, NoNoise):
        raise ValueError(
            "mechanism must have a cut-off, one continuous threshold noise, query noise and signed comparison, "
            f"got {m.name} with cutoff={m.cutoff!r}, refresh={m.refresh}, compare={m.compare!r}, "
            f"threshold_noise={noise!r}, query_noise={nu!r}"
        )
    threshold = validate.finite("threshold", threshold) + m.correction
    scores = scores if isinstance(scores, Scores) else Scores.of(scores)
    c = m.c
    existing = min(c, scores.items)
    top = scores.top(existing).sum() * c / existing
    if not top > 0:
        raise ValueError(f"scores must have c highest that sum to a positive number, got {top:g}")
    each = np.full(scores.support.size, 1 / c)
    weights = np.stack([scores.support / top, scores.top_weight(existing) / existing, each])

    def integrand(rho: float) -> Any:
        return math.exp(float(noise.logpdf(rho))) * _given(threshold + rho, nu, scores, weights, c)

    reach = 24 * noise.width
    value, error = quad_vec(
        integrand,
        noise.mean - reach,
        noise.mean + reach,
        epsabs=_TOLERANCE / 4,
        epsrel=0,
        points=[*noise.kinks, *_steps(scores.support - threshold + nu.mean, nu, noise)],
        norm="max",
        limit=_MOST_PANELS,
    )
    if not error <= _TOLERANCE:
        raise ValueError(
            f"query_noise must be wider beside the threshold noise {noise!r} for these scores, got {nu!r}: "
            f"after {_MOST_PANELS} panels the error is {float(error):.2g}"
        )
    score, hits, number, average, fewer = value.tolist()
    return Expectation(1 - score, 1 - c * average, 1 - hits, c * number, fewer, float(error))


def _steps(at: Array, nu: Noise, noise: Noise) -> Array:
    """Where to cut the integral if the query noise is narrow: around the scores, between which nothing may happen."""
    wide, narrow = noise.width, nu.width
    if narrow > wide / 8:
        return np.empty(0)
    at = at[np.argsort(np.abs(at - noise.mean))[:_STEPS]]
    ladder = narrow * 6.0 ** np.arange(5)
    cuts = np.unique(at[:, None] + np.concatenate([-ladder, [0.0], ladder]))
    cuts = cuts[np.abs(cuts - noise.mean) < 24 * wide]
    return cuts[np.unique(np.floor(cuts / (2 * narrow)), return_index=True)[1]]  # one in each stretch of two scales


def _given(level: float, nu: Noise, scores: Scores, weights: Array, c: int) -> Array:
    """Given the noisy threshold: three weighted sums over the selected, the mean score / c, Pr[N < c].

    The mean score is that of the first weight.
    """
    p = np.exp(nu.log_at_least(level - scores.support))
    q = np.exp(nu.log_less(level - scores.support))
    n = scores.count
    mean, variance = float(n @ p), float(n @ (p * q))
    reach = 14 + math.sqrt(200 + 72 * variance)  # Bernstein: beyond it less than exp(-36)
    first = max(0, math.floor(mean - reach))
    size = 2 * math.ceil(reach) + 3  # odd, so that no factor of the product is 0
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    angle = angle[variance * (1 - np.cos(angle)) < _LOST + 5]  # the transform is 0 beyond
    law, parts = _transforms(p, q, n, weights, np.exp(1j * angle), first)
    sums = np.fft.irfft(np.conj(np.vstack([parts, law])), size)
    k = np.arange(first, first + size)
    selected = sums[:-1] @ np.minimum(1.0, c / (k + 1.0))
    return np.array([*selected, sums[0] @ (1 / (k + 1.0)), sums[-1] @ (k < c)])


def _transforms(
    p: Array, q: Array, n: NDArray[np.int64], weights: Array, z: Complex, first: int
) -> tuple[Complex, Complex]:
    """E[z^(N - first)], and the sums over the items i of weight_i p_i E[z^(N_without_i - first)]."""
    up, down = z - 1, 1 / z - 1
    near = min(0.5, _STEP / float(np.abs(up).max()))
    low, high = p <= near, (q <= near) & (p > near)
    some = ~(low | high)
    orders = np.arange(1, _ORDERS + 1)
    signs = np.where(orders % 2, 1.0, -1.0)
    rising, falling = (np.array(list(itertools.accumulate([x] * _ORDERS, np.multiply))) for x in (p[low], q[high]))
    log = (n[high].sum() - first) * np.log(z)
    log += (up[:, None] ** orders) @ (signs / orders * (rising @ n[low]))
    log += (down[:, None] ** orders) @ (signs / orders * (falling @ n[high]))
    parts = (signs * ((weights[:, low] * n[low]) @ rising.T)) @ (up ** (orders[:, None] - 1))
    of_high = np.vstack([p[high], p[high] * falling[:-1]])
    parts = parts + (signs * ((weights[:, high] * n[high]) @ of_high.T)) @ (down ** (orders[:, None] - 1) / z)
    factor = 1 + p[some, None] * up
    once = n[some] == 1  # most high scores: their factors are multiplied, without a logarithm
    log += n[some][~once] @ np.log(factor[~once])
    parts += (weights[:, some] * (n[some] * p[some])) @ (1 / factor)
    law = np.exp(log) * np.prod(factor[once], axis=0)
    return law, parts * law
