"""Where to put the threshold of an SVT whose noise is not symmetric: the chance of a right run, and the r that is best.

Liu et al. 2024 (Equations 7 to 9) ask for k negatives and then one positive, all at the threshold, and multiply the
probabilities of the k + 1 comparisons.
The comparisons share one threshold noise, so that the product is not the probability of such a run: here is either.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from svtcourse.chapter.accuracy import separated, signed
from svtlib import validate
from svtlib.exact.probability import log_probability
from svtlib.mechanism import Mechanism

__all__ = ["success_probability", "threshold_correction"]


def success_probability(
    mechanism: Mechanism, k: int, *, alpha: float = 0.0, correction: float = 0.0, joint: bool = True
) -> float:
    """Probability that k queries at T - alpha are answered ⊥ and then one at T + alpha ⊤.

    With alpha = 0 all of them are at the threshold: the worst case of Liu et al. 2024 (Equation 8), in which a larger
    alpha is a tolerance.

    Parameters
    ----------
    mechanism : Mechanism
        With signed comparisons; only its noise and its own correction matter, not its c.
    k : int
        Number of negatives, at least 1.
    alpha : float
        At least 0, in the units of the answers.
    correction : float
        Added, like the mechanism's own, to the threshold that is compared with.
    joint : bool
        True for the probability of such a run, given one threshold noise for all of it; False for the product of the
        probabilities of its comparisons, Equation 8.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range, or the mechanism compares absolute values.

    Examples
    --------
    >>> import svtlib as svt
    >>> m = svt.variant("svt_exp").calibrate(epsilon=1.0)
    >>> [round(success_probability(m, 10, correction=9.0, joint=joint), 4) for joint in (True, False)]
    [0.0272, 0.0335]
    """
    return math.exp(_log_success(_one_positive(mechanism), k, alpha, correction, joint))


def threshold_correction(mechanism: Mechanism, k: int, *, alpha: float = 0.0, joint: bool = True) -> float:
    """Return the correction of the threshold with the largest `success_probability`.

    If the noise has log-concave densities, as every continuous family here, the probability is log-concave in the
    correction (Prékopa), so that a search that narrows down finds the maximum; scaling all noise scales it, so at
    alpha = 0 it is proportional to 1 / epsilon.

    Parameters
    ----------
    mechanism : Mechanism
        With signed comparisons and noise of log-concave density.
    k : int
        Number of negatives, at least 1.
    alpha : float
        At least 0, in the units of the answers.
    joint : bool
        As for `success_probability`; False is the choice of Liu et al. 2024 (Equation 9).

    Returns
    -------
    float
        In the units of the answers, added to the mechanism's own correction; within 1e-5 of the noise's width.

    Raises
    ------
    ValueError
        If an argument is out of range, or the noise has no log-concave density.

    Examples
    --------
    >>> import svtlib as svt
    >>> m = svt.variant("svt_exp").calibrate(epsilon=1.0)
    >>> [round(threshold_correction(m, 10, joint=joint), 2) for joint in (True, False)]
    [9.14, 10.04]
    """
    from scipy.optimize import minimize_scalar

    one = _one_positive(mechanism)
    for name in ("threshold_noise", "query_noise"):
        noise = getattr(one, name)
        if not noise.log_concave:
            raise ValueError(f"{name} must have a log-concave density, got {noise!r}")

    def log_success(r: float) -> float:
        return _log_success(one, k, alpha, r, joint)

    width = one.threshold_noise.width + one.query_noise.width
    middle = one.query_noise.mean - one.threshold_noise.mean - one.correction
    low, high = middle - width, middle + width
    while log_success(low) > log_success(low + width):
        low -= 2 * (high - low)
    while log_success(high) > log_success(high - width):
        high += 2 * (high - low)
    options = {"xatol": 1e-6 * width}
    return float(minimize_scalar(lambda r: -log_success(r), bounds=(low, high), method="bounded", options=options).x)


def _one_positive(mechanism: Mechanism) -> Mechanism:
    return replace(signed(mechanism), c=1, cutoff="at c", release="indicator", release_noise=None)


def _log_success(one: Mechanism, k: int, alpha: float, correction: float, joint: bool) -> float:
    moved = replace(one, correction=one.correction + validate.finite("correction", correction))
    k = validate.count("k", k)
    if validate.boolean("joint", joint):
        return log_probability(moved, separated(k + 1, alpha), [*np.zeros(k, dtype=bool), True])
    above = separated(1, alpha)
    return k * log_probability(moved, -above, [False]) + log_probability(moved, above, [True])
