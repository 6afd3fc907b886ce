"""How accurate is it? The bounds of the sources, next to the exact probability that they bound.

An answer is wrong by more than alpha if a query at T + alpha or above is answered ⊥, or one at T - alpha or below is
answered ⊤, where T is the threshold; in between both answers are right.
A mechanism is (alpha, beta)-accurate for some queries if with probability at least 1 - beta no answer is wrong by more
than alpha (Dwork & Roth 2014, Definition 3.9).
Queries exactly alpha away are judged here: a bound for all queries nearer or farther away is one for these.

The bounds hold for k queries of which all but the last are at most T - alpha: `separated` makes the worst of them.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise import Exponential, Laplace
from svtlib.validate import MOST, boolean, count, finite, finite_array, non_negative, positive, probability

__all__ = [
    "alpha_em",
    "alpha_laplace",
    "alpha_lecture",
    "alpha_svt",
    "alpha_svt_exp",
    "exponential_mechanism_failure",
    "failure_probability",
    "laplace_failure",
    "lecture_failure",
    "separated",
    "smallest_alpha",
]

_LEAST_BETA = 1e-8
_MOST_FREE = 12  # queries within alpha of the threshold: 4,096 outcomes


def failure_probability(
    mechanism: Mechanism, answers: ArrayLike, threshold: float = 0.0, *, alpha: float, correction: float = 0.0
) -> float:
    """Exact probability that a run of an SVT gives an answer that is wrong by more than alpha.

    The run fails if a query with answer >= threshold + alpha is not answered ⊤ (which includes that the run ended
    before it), if one with answer <= threshold - alpha is answered ⊤, or if the run aborts.
    It is the sum of the probabilities of all outcomes without such an answer (`log_probability`).
    Released numbers are not judged, only the side of the threshold.

    Parameters
    ----------
    mechanism : Mechanism
        With signed comparisons.
    answers : array_like, shape (n,)
        True answers; at most 12 of them within alpha of the threshold, where both answers are right.
    threshold : float
    alpha : float
        At least 0, in the units of the answers.
    correction : float
        Added, like the mechanism's own, to the threshold that it compares with, not to the one that judges
        (Liu et al. 2024).

    Returns
    -------
    float
        From 0 to 1; the error is at most 1e-8, and 1e-9 if no answer lies within alpha of the threshold.

    Raises
    ------
    ValueError
        If the mechanism compares absolute values, more than 12 answers lie within alpha of the threshold, alpha is
        negative or an input is not finite.

    Examples
    --------
    A thousand queries 200 below the threshold, at epsilon = 0.1: a false alarm nine times out of ten.
    "[I]t doesn't matter how long the list bs is" (Near & Abuah 2021) is true of the privacy.

    >>> import svtlib as svt
    >>> m = svt.variant("above_threshold").calibrate(epsilon=0.1)
    >>> [round(svt.failure_probability(m, [-200.0] * k, alpha=200), 4) for k in (10, 100, 1000)]
    [0.0425, 0.3165, 0.9195]
    """
    # A sibling, not a layer below: only the exact probabilities need it, so only there is it loaded.
    from svtlib.exact import log_probability

    _svt(mechanism)
    q = finite_array("answers", answers)
    threshold, alpha = finite("threshold", threshold), non_negative("alpha", alpha)
    level = threshold + finite("correction", correction)
    above, below = q >= threshold + alpha, q <= threshold - alpha
    above, below = above & ~below, below & ~above  # alpha = 0, at the threshold: both answers are right
    free = np.flatnonzero(~(above | below))
    if free.size > _MOST_FREE:
        raise ValueError(
            f"answers must have at most {_MOST_FREE} entries within alpha of the threshold, got {free.size}"
        )
    outcomes = set()
    for signs in itertools.product((False, True), repeat=free.size):
        answered = above.copy()
        answered[free] = signs
        length = _end(mechanism, answered)
        if not above[length:].any() and answered[:length].sum() <= mechanism.most_positives:
            outcomes.add(tuple(answered[:length].tolist()))
    right = np.array([log_probability(mechanism, q, outcome, level) for outcome in sorted(outcomes)])
    if right.size == 1:
        return max(0.0, -math.expm1(right[0]))
    return min(1.0, max(0.0, 1 - math.fsum(np.exp(right))))


def separated(k: int, alpha: float, *, last_above: bool = True) -> NDArray[np.float64]:
    """Return the answers for which the bounds are hardest to keep, for threshold 0: k - 1 at -alpha, the last at alpha.

    Moving an answer away from the threshold makes the right answer likelier, whatever the threshold noise is.

    Parameters
    ----------
    k : int
        Number of queries, at least 1.
    alpha : float
        At least 0.
    last_above : bool
        False puts the last one at -alpha too: then all positives are false alarms.

    Returns
    -------
    ndarray, shape (k,)

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> separated(3, 5.0)
    array([-5., -5.,  5.])
    """
    answers = np.full(count("k", k), -non_negative("alpha", alpha))
    if boolean("last_above", last_above):
        answers[-1] = alpha
    return answers


def smallest_alpha(mechanism: Mechanism, k: int, beta: float, *, correction: float = 0.0) -> float:
    """Return the smallest alpha for which the mechanism is (alpha, beta)-accurate, exactly.

    For every sequence of k queries of which all but the last are at most T - alpha: the larger of the failure
    probabilities with the last one at T + alpha and at T - alpha is beta (between them it is not judged).

    Parameters
    ----------
    mechanism : Mechanism
    k : int
        Number of queries, at least 1.
    beta : float
        Failure probability, less than 1, and at least 1e-8, ten times the error of `failure_probability`.
    correction : float
        As for `failure_probability`; at most 1e100 from 0.

    Returns
    -------
    float
        The failure probability there is beta up to the error of `failure_probability`; 0 if no margin is needed.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    The bound of Dwork & Roth is more than twice what is needed.

    >>> import svtlib as svt
    >>> m = svt.variant("above_threshold").calibrate(epsilon=1.0)
    >>> round(smallest_alpha(m, 50, 0.1), 2), round(alpha_svt(50, 1.0, 0.1), 2)
    (22.76, 55.26)
    """
    from scipy.optimize import brentq

    _svt(mechanism)
    k, beta, correction = count("k", k), checked_beta(beta), finite("correction", correction)
    if abs(correction) > MOST:
        raise ValueError(f"correction must be within {MOST:g} of 0, got {correction!r}")

    def excess(alpha: float) -> float:
        return (
            max(
                failure_probability(mechanism, separated(k, alpha, last_above=last), alpha=alpha, correction=correction)
                for last in (True, False)
            )
            - beta
        )

    # With alpha = 0 both answers are right everywhere, so the search starts just above.
    spread = abs(correction) + abs(mechanism.correction) + mechanism.sensitivity
    spread += sum(abs(noise.mean) + noise.width for noise in mechanism.noises)
    low, high = 1e-12 * spread, spread
    if excess(low) <= 0:
        return 0.0
    while excess(high) > 0:
        low, high = high, 2 * high
    return float(brentq(excess, low, high, xtol=1e-12 * spread, rtol=1e-11))


def checked_beta(beta: Any) -> float:
    """Return a failure probability as a float, or raise ValueError unless it is one that can be met exactly."""
    number = probability("beta", beta)
    if number < _LEAST_BETA:
        raise ValueError(f"beta must be at least {_LEAST_BETA:g}, smaller ones are not computed, got {beta!r}")
    return number


def alpha_svt(k: int, epsilon: float, beta: float) -> float:
    """Error bound of AboveThreshold: 8 (log k + log(2/beta)) / epsilon (Dwork & Roth 2014, Theorem 3.24).

    For every epsilon, beta, sensitivity 1, c = 1 and k queries of which all but the last are below T - alpha.
    Lyu, Su & Li (2017, sec. 5) quote it with "all queries with answers above T - alpha" positive: it must be T + alpha.
    Exactly needed is less than half of it (`smallest_alpha`).

    Parameters
    ----------
    k : int
        Number of queries.
    epsilon, beta : float
        Budget, and failure probability between 0 and 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(alpha_svt(100, 0.1, 0.05), 1)
    663.5
    """
    return 2 * alpha_svt_exp(k, epsilon, beta)


def alpha_svt_exp(k: int, epsilon: float, beta: float) -> float:
    """Error bound of SVT with exponential query noise: 4 (log k + log(2/beta)) / epsilon (Liu et al. 2024, Theorem 4).

    For every epsilon, beta, sensitivity 1, c = 1, epsilon1 = epsilon2, threshold noise Lap(2/epsilon), query noise
    Exp(4/epsilon), their optimal correction of the threshold, and k queries as for `alpha_svt`.
    They compare it with 8 (log k + log(2/beta)) / epsilon for Laplace noise; but that is a bound too, and at this very
    alpha, without a correction, Laplace noise of the same scales fails less often than exponential noise: on a grid of
    k and beta at most with probability beta/3 against 2 beta/3 (`failure_probability`).

    Parameters
    ----------
    k, epsilon, beta
        As for `alpha_svt`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(alpha_svt_exp(50, 1.0, 0.1), 2)
    27.63
    """
    k, epsilon, beta = count("k", k), positive("epsilon", epsilon), probability("beta", beta)
    return 4 * (math.log(k) + math.log(2 / beta)) / epsilon


def alpha_em(k: int, epsilon: float, beta: float) -> float:
    """Error of the exponential mechanism: (log(k-1) + log((1-beta)/beta)) / epsilon (Lyu, Su & Li 2017, sec. 5).

    For every epsilon, beta, sensitivity 1: the alpha at which the mechanism, exponent epsilon/2, selects the one query
    at T + alpha among k - 1 at T - alpha with probability exactly 1 - beta (`exponential_mechanism_failure`).
    It is not a bound but the value itself, and always less than an eighth of the bound `alpha_svt`, since
    (k - 1)(1 - beta) / beta < 2 k / beta; it is not less than an eighth of what SVT needs (`smallest_alpha`).

    Parameters
    ----------
    k : int
        Number of queries, at least 2.
    epsilon, beta
        As for `alpha_svt`.

    Returns
    -------
    float
        Not positive where even equal scores are told apart often enough, (k - 1)(1 - beta) <= beta.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(alpha_em(100, 0.1, 0.05), 1), round(exponential_mechanism_failure(100, alpha_em(100, 0.1, 0.05), 0.1), 10)
    (75.4, 0.05)
    """
    k, epsilon, beta = count("k", k, least=2), positive("epsilon", epsilon), probability("beta", beta)
    return (math.log(k - 1) + math.log((1 - beta) / beta)) / epsilon


def exponential_mechanism_failure(
    k: int, alpha: float, epsilon: float, *, sensitivity: float = 1.0, monotonic: bool = False
) -> float:
    """Exact probability that the exponential mechanism does not select, of k queries, the one at T + alpha.

    The other k - 1 are at T - alpha: 1 - 1 / (1 + (k - 1) exp(-alpha epsilon / sensitivity)), with twice the exponent
    for monotonic scores.

    Parameters
    ----------
    k : int
        Number of queries, at least 1.
    alpha, epsilon, sensitivity : float
        Distance to the threshold (finite), budget, and the most by which one person changes one answer.
    monotonic : bool
        True if all scores that differ between neighbours move in the same direction.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> exponential_mechanism_failure(4, 0.0, 1.0)
    0.75
    """
    k, epsilon, sensitivity = count("k", k), positive("epsilon", epsilon), positive("sensitivity", sensitivity)
    if k == 1:
        return 0.0
    step = (2 if boolean("monotonic", monotonic) else 1) * epsilon / sensitivity
    log_odds = math.log(k - 1) - finite("alpha", alpha) * step
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else math.exp(log_odds)


def alpha_laplace(n: int, epsilon: float, beta: float, *, printed: bool = False) -> float:
    """Error bound of Laplace noise on all n answers: (n/epsilon) log(n/beta) (Machanavajjhala 2012, corrected).

    For every n, epsilon, beta and queries of sensitivity 1: with probability at least 1 - beta all n answers with noise
    Lap(n/epsilon) are within alpha.
    The lecture prints (n/epsilon) log(n/(epsilon beta)), because its integral lacks the factor epsilon/(2n) of the
    density; for one answer (n/epsilon) log(1/beta) suffices.

    Parameters
    ----------
    n : int
        Number of queries.
    epsilon, beta
        As for `alpha_svt`.
    printed : bool
        True for what the lecture prints: not a bound for epsilon > 1, and negative for epsilon > n/beta.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(alpha_laplace(100, 1.0, 0.05))
    760
    """
    n, epsilon, beta = count("n", n), positive("epsilon", epsilon), probability("beta", beta)
    return n / epsilon * (math.log(n / beta) - (math.log(epsilon) if boolean("printed", printed) else 0.0))


def laplace_failure(n: int, alpha: float, epsilon: float) -> float:
    """Exact probability that one of n answers with noise Lap(n/epsilon) is off by more than alpha.

    1 - (1 - exp(-alpha epsilon / n))^n.

    Parameters
    ----------
    n : int
        Number of queries, of sensitivity 1.
    alpha, epsilon : float
        Error (at least 0) and budget.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(laplace_failure(100, alpha_laplace(100, 1.0, 0.05), 1.0), 4)
    0.0488
    """
    n, alpha, epsilon = count("n", n), non_negative("alpha", alpha), positive("epsilon", epsilon)
    one = math.exp(-alpha * epsilon / n)
    return 1.0 if one == 1 else -math.expm1(n * math.log1p(-one))


def alpha_lecture(n: int, c: int, epsilon: float, beta: float) -> float:
    """Error bound of the lecture's SVT: (4c/epsilon) (log n + log(2/beta)) (Machanavajjhala 2012).

    For every epsilon, beta, sensitivity 1 and n queries of which at most c exceed the threshold minus alpha: with
    probability at least 1 - beta it does not abort, released numbers are within alpha, and what is answered ⊥ is below
    T + alpha.
    The lecture says "always aborts" where it proves that it does not, and needs |Y| where it bounds the tail of Y.
    (The released numbers make this SVT not private for any epsilon; the accuracy is as stated.)

    Parameters
    ----------
    n, c : int
        Number of queries, and of positives.
    epsilon, beta
        As for `alpha_svt`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(alpha_lecture(100, 5, 1.0, 0.05), 1)
    165.9
    """
    n, c, epsilon, beta = count("n", n), count("c", c), positive("epsilon", epsilon), probability("beta", beta)
    return 4 * c / epsilon * (math.log(n) + math.log(2 / beta))


def lecture_failure(n: int, c: int, alpha: float, epsilon: float) -> float:
    """Exact probability of max |nu_i| + |rho| > alpha with the noise of the lecture's SVT.

    That is what its proof bounds: as long as the sum is at most alpha, nothing is wrong.
    Pr[all |nu_i| < alpha - |rho|] is the probability that an SVT with absolute comparisons, threshold alpha and
    threshold noise -|rho| answers n times ⊥ to 0, so the exact engine gives it.

    Parameters
    ----------
    n, c : int
        Number of queries, and of positives.
    alpha, epsilon : float
        Error (at least 0) and budget.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(lecture_failure(100, 5, alpha_lecture(100, 5, 1.0, 0.05), 1.0), 6)
    8e-06
    """
    from svtlib.exact import log_probability  # as in failure_probability

    n, c, alpha, epsilon = count("n", n), count("c", c), non_negative("alpha", alpha), positive("epsilon", epsilon)
    rho, nu = Exponential(2 / epsilon, sign=-1), Laplace(2 * c / epsilon)
    inside = Mechanism("inside", rho, nu, 1, epsilon, epsilon / 2, epsilon / 2, compare="absolute")
    return max(0.0, -math.expm1(log_probability(inside, np.zeros(n), [False] * n, alpha)))


def _svt(value: Any) -> None:
    a_mechanism(value)
    if value.sides.absolute:
        raise ValueError(f"mechanism must compare signed values, got compare {value.compare!r} of {value.name}")


def _end(mechanism: Mechanism, answered: NDArray[np.bool_]) -> int:
    """How many queries are answered if these are the signs: the c-th positive ends the run, or the next one aborts."""
    ends = np.flatnonzero(mechanism.ends.ended(np.cumsum(answered), mechanism.c))
    return int(ends[0]) + 1 if ends.size else answered.size
