"""How accurate is it, exactly; what the sources promise; and the same turned round, to plan before one asks.

An answer is wrong by more than alpha if a query at T + alpha or above is answered ⊥, or one at T - alpha or below is
answered ⊤, where T is the threshold; in between both answers are right.
A mechanism is (alpha, beta)-accurate for some queries if with probability at least 1 - beta no answer is wrong by more
than alpha (Dwork & Roth 2014, Definition 3.9).
Queries exactly alpha away are judged here: a bound for all queries nearer or farther away is one for these.

`k` queries are k of which all but the last are at most T - alpha, and the last is at T + alpha or at T - alpha:
`separated` makes the worst of them. Then c only scales the noise: a list with c positives needs a little more, at
c = 10 a thousandth of epsilon. `beta` is a failure probability between 0 and 1, where it is met exactly at least 1e-8,
ten times the error of `failure_probability`.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.catalogue import Variant, a_variant
from svtlib.exact.probability import log_probability
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise import Exponential, Laplace
from svtlib.validate import MOST, boolean, count, finite, finite_array, non_negative, positive, probability

__all__ = [
    "alpha_em",
    "alpha_laplace",
    "alpha_svt",
    "best_split",
    "failure_probability",
    "least_epsilon",
    "lecture_failure",
    "most_queries",
    "separated",
    "signed",
    "smallest_alpha",
]

_LEAST_BETA = 1e-8
_MOST_FREE = 12  # queries within alpha of the threshold: 4,096 outcomes
_MOST_TRIED = 100_000  # queries
_NO_EPSILON = 1e-9  # in units of sensitivity / alpha: noise that wide makes every answer a coin


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
    signed(mechanism)
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


def signed(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism that compares signed values, or raise ValueError."""
    if a_mechanism(mechanism).sides.absolute:
        raise ValueError(f"mechanism must compare signed values, got compare={mechanism.compare!r} of {mechanism.name}")
    return mechanism


def separated(k: int, alpha: float, *, last_above: bool = True) -> NDArray[np.float64]:
    """Return the answers for which the bounds are hardest to keep, for threshold 0: k - 1 at -alpha, the last at alpha.

    Moving an answer away from the threshold makes the right answer likelier, whatever the threshold noise is.
    With `last_above` False the last one is at -alpha too: then all positives are false alarms.

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

    The larger of the failure probabilities with the last one at T + alpha and at T - alpha is beta (between them it is
    not judged).

    Parameters
    ----------
    mechanism : Mechanism
        With signed comparisons.
    k : int
        Number of queries, at least 1.
    beta : float
    correction : float
        As for `failure_probability`; at most 1e100 from 0.

    Returns
    -------
    float
        The failure probability there is beta up to the error of `failure_probability`; 0 if no margin is needed.

    Examples
    --------
    The bound of Dwork & Roth is more than twice what is needed.

    >>> import svtlib as svt
    >>> m = svt.variant("above_threshold").calibrate(epsilon=1.0)
    >>> round(smallest_alpha(m, 50, 0.1), 2), round(alpha_svt(50, 1.0, 0.1), 2)
    (22.76, 55.26)
    """
    from scipy.optimize import brentq

    signed(mechanism)
    k, beta, correction = count("k", k), _beta(beta), finite("correction", correction)
    if abs(correction) > MOST:
        raise ValueError(f"correction must be within {MOST:g} of 0, got {correction!r}")

    def excess(alpha: float) -> float:
        return _failure(mechanism, k, alpha, correction) - beta

    # With alpha = 0 both answers are right everywhere, so the search starts just above.
    spread = abs(correction) + abs(mechanism.correction) + mechanism.sensitivity
    spread += sum(abs(noise.mean) + noise.width for noise in mechanism.noises)
    low, high = 1e-12 * spread, spread
    if excess(low) <= 0:
        return 0.0
    while excess(high) > 0:
        low, high = high, 2 * high
    return float(brentq(excess, low, high, xtol=1e-12 * spread, rtol=1e-11))


def least_epsilon(
    variant: Variant,
    k: int,
    alpha: float,
    beta: float,
    *,
    c: int = 1,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    split: float | None = None,
) -> float:
    """Return the least epsilon with which a variant, at this split, is (alpha, beta)-accurate for k queries, exactly.

    Parameters
    ----------
    variant : Variant
        One that compares signed values. Whether it spends the epsilon it is given is another question (`prove`).
    k : int
    alpha : float
        How far from the threshold the answers are, in their own units, greater than 0.
    beta : float
    c, sensitivity, monotonic, split
        As for `Variant.calibrate`: without `split` it is the variant's own, which is not the best one (`best_split`).

    Returns
    -------
    float
        To a relative error of about 1e-8; 0 if beta is so large that no budget is needed.

    Examples
    --------
    A hundred counts, all fifty persons or more from the threshold, judged rightly with probability 0.95.

    >>> import svtlib as svt
    >>> round(least_epsilon(svt.variant("alg7"), 100, alpha=50, beta=0.05, monotonic=True), 3)
    0.312
    """
    from scipy.optimize import brentq

    variant = _checked(variant, k, alpha, beta)

    def excess(log_epsilon: float) -> float:
        epsilon = math.exp(log_epsilon)
        m = variant.calibrate(epsilon=epsilon, c=c, sensitivity=sensitivity, monotonic=monotonic, split=split)
        return _failure(m, k, alpha) - beta

    low = high = math.log(sensitivity / alpha)
    while excess(high) > 0:
        low, high = high, high + math.log(4)
    while excess(low) <= 0:
        low, high = low - math.log(4), low
        if low < math.log(_NO_EPSILON * sensitivity / alpha):
            return 0.0
    return math.exp(brentq(excess, low, high, xtol=1e-11))


def most_queries(mechanism: Mechanism, alpha: float, beta: float) -> int:
    """Return for how many queries a mechanism is (alpha, beta)-accurate, exactly; 0 if not for one.

    Parameters
    ----------
    mechanism : Mechanism
        One that compares signed values.
    alpha : float
        How far from the threshold the answers are, greater than 0.
    beta : float

    Returns
    -------
    int
        At most 100,000: no more are tried.

    Examples
    --------
    Ten persons more between the answers and the threshold allow 150 times as many questions.

    >>> import svtlib as svt
    >>> m = svt.variant("alg7").calibrate(epsilon=1.0, monotonic=True)
    >>> [most_queries(m, alpha, beta=0.05) for alpha in (15, 25)]
    [73, 11175]
    """
    signed(mechanism)
    positive("alpha", alpha)
    _beta(beta)
    low, high = 0, 1  # low is allowed, high is not known to be
    while _failure(mechanism, high, alpha) <= beta:
        low = high
        if high == _MOST_TRIED:
            return high
        high = min(2 * high, _MOST_TRIED)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _failure(mechanism, middle, alpha) <= beta else (low, middle)
    return low


def best_split(variant: Variant, k: int, beta: float, *, c: int = 1, monotonic: bool = False) -> float:
    """Return the epsilon2 / epsilon1 with which a variant needs the smallest alpha, for k queries and this beta.

    For continuous noise it depends on neither epsilon nor the sensitivity: the smallest alpha is in proportion to
    sensitivity / epsilon. The least *variance* of a comparison is a different aim and has another split.

    Parameters
    ----------
    variant : Variant
        One that compares signed values and accepts any split.
    k : int
    beta : float
    c, monotonic
        As for `Variant.calibrate`.

    Returns
    -------
    float
        To a relative error of 1e-3: alpha is flat there.

    Raises
    ------
    ValueError
        If an argument is out of range, or the variant has a split of its own, or beta is met whatever the split.

    Examples
    --------
    The least variance would be at 2^(2/3) = 1.59 and at 20^(2/3) = 7.37.

    >>> import svtlib as svt
    >>> [round(best_split(svt.variant("alg7"), 100, 0.05, c=c), 1) for c in (1, 10)]
    [2.5, 11.1]
    """
    from scipy.optimize import minimize_scalar

    variant = _checked(variant, k, 1.0, beta)
    if not variant.free_split:
        raise ValueError(f"variant must accept any split, and {variant.key} has one of its own")

    def alpha(log_split: float) -> float:
        m = variant.calibrate(epsilon=1.0, c=c, monotonic=monotonic, split=math.exp(log_split))
        return smallest_alpha(m, k, beta)

    own = math.log(variant.split(c, monotonic))
    if alpha(own) == 0:
        raise ValueError(f"beta must be smaller: with {beta!r} no alpha is needed, whatever the split")
    found = minimize_scalar(alpha, bracket=(own - 0.5, own + 0.5), options={"xtol": 1e-4})  # one valley
    return math.exp(float(found.x))


def alpha_svt(k: int, epsilon: float, beta: float) -> float:
    """Error bound of AboveThreshold: 8 (log k + log(2/beta)) / epsilon (Dwork & Roth 2014, Theorem 3.24).

    For every epsilon, beta, sensitivity 1, c = 1 and k queries of which all but the last are below T - alpha.
    Lyu, Su & Li (2017, sec. 5) quote it with "all queries with answers above T - alpha" positive: it must be T + alpha.
    Exactly needed is less than half of it (`smallest_alpha`).

    Examples
    --------
    >>> round(alpha_svt(100, 0.1, 0.05), 1)
    663.5
    """
    k, epsilon, beta = count("k", k), positive("epsilon", epsilon), probability("beta", beta)
    return 8 * (math.log(k) + math.log(2 / beta)) / epsilon


def alpha_em(k: int, epsilon: float, beta: float) -> float:
    """Error of the exponential mechanism: (log(k-1) + log((1-beta)/beta)) / epsilon (Lyu, Su & Li 2017, sec. 5).

    For every epsilon, beta, sensitivity 1 and k >= 2: the alpha at which the mechanism, exponent epsilon/2, selects the
    one query at T + alpha among k - 1 at T - alpha with probability exactly 1 - beta.
    It is not a bound but the value itself, and always less than an eighth of the bound `alpha_svt`, since
    (k - 1)(1 - beta) / beta < 2 k / beta; it is not less than an eighth of what SVT needs (`smallest_alpha`).
    It is not positive where even equal scores are told apart often enough, (k - 1)(1 - beta) <= beta.

    Examples
    --------
    >>> round(alpha_em(100, 0.1, 0.05), 1)
    75.4
    """
    k, epsilon, beta = count("k", k, least=2), positive("epsilon", epsilon), probability("beta", beta)
    return (math.log(k - 1) + math.log((1 - beta) / beta)) / epsilon


def alpha_laplace(n: int, epsilon: float, beta: float) -> float:
    """Error bound of Laplace noise on all n answers: (n/epsilon) log(n/beta) (Machanavajjhala 2012, corrected).

    For every n, epsilon, beta and queries of sensitivity 1: with probability at least 1 - beta all n answers with noise
    Lap(n/epsilon) are within alpha.
    The lecture prints (n/epsilon) log(n/(epsilon beta)), because its integral lacks the factor epsilon/(2n) of the
    density; for one answer (n/epsilon) log(1/beta) suffices.

    Examples
    --------
    >>> round(alpha_laplace(100, 1.0, 0.05))
    760
    """
    n, epsilon, beta = count("n", n), positive("epsilon", epsilon), probability("beta", beta)
    return n / epsilon * math.log(n / beta)


def lecture_failure(n: int, c: int, alpha: float, epsilon: float) -> float:
    """Exact probability of max |nu_i| + |rho| > alpha with the noise of the lecture's SVT.

    That is what its proof bounds: as long as the sum is at most alpha, nothing is wrong.
    Pr[all |nu_i| < alpha - |rho|] is the probability that an SVT with absolute comparisons, threshold alpha and
    threshold noise -|rho| answers n times ⊥ to 0, so the exact engine gives it.

    Examples
    --------
    >>> round(lecture_failure(100, 5, 165.9, 1.0), 6)  # at its bound, (4 c / epsilon) (log n + log(2 / 0.05))
    8e-06
    """
    n, c, alpha, epsilon = count("n", n), count("c", c), non_negative("alpha", alpha), positive("epsilon", epsilon)
    rho, nu = Exponential(2 / epsilon, sign=-1), Laplace(2 * c / epsilon)
    inside = Mechanism("inside", rho, nu, 1, epsilon, epsilon / 2, epsilon / 2, compare="absolute")
    return max(0.0, -math.expm1(log_probability(inside, np.zeros(n), [False] * n, alpha)))


def _failure(mechanism: Mechanism, k: int, alpha: float, correction: float = 0.0) -> float:
    """Failure probability on the worse of the two hardest lists."""
    return max(
        failure_probability(mechanism, separated(k, alpha, last_above=last), alpha=alpha, correction=correction)
        for last in (True, False)
    )


def _beta(beta: Any) -> float:
    """Return a failure probability, one that can be met exactly."""
    number = probability("beta", beta)
    if number < _LEAST_BETA:
        raise ValueError(f"beta must be at least {_LEAST_BETA:g}, smaller ones are not computed, got {beta!r}")
    return number


def _checked(variant: object, k: int, alpha: float, beta: float) -> Variant:
    variant = a_variant("variant", variant)
    count("k", k)
    positive("alpha", alpha)
    _beta(beta)
    return variant


def _end(mechanism: Mechanism, answered: NDArray[np.bool_]) -> int:
    """How many queries are answered if these are the signs of a run that no abort ends."""
    ends = np.flatnonzero(mechanism.ends.ended(np.cumsum(answered), mechanism.c))
    return int(ends[0]) + 1 if ends.size else answered.size
