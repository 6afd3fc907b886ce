"""Ways to answer the same threshold questions, by error: the distance at which all answers are right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln, ndtr

from svtcourse.chapter.renyi import gaussian_noise
from svtlib import validate
from svtlib.catalogue import variant
from svtlib.exact.probability import log_probability
from svtlib.guarantee import Approximate, Renyi
from svtlib.mechanism import Mechanism
from svtlib.noise import Gaussian, Laplace, Noise

__all__ = ["compare", "gaussian_sigma", "least_alpha", "svt_alpha"]

LogRight = Callable[[float, float], float]
Way = tuple[str, tuple[float, float], float, str]  # its name, alpha and how much T is raised, the delta used, the call


def least_alpha(log_right: LogRight, *, unit: float, beta: float = 0.05, reach: float = 0.0) -> tuple[float, float]:
    """Return the smallest alpha at which all answers are right with probability 1 - beta, and how much T is raised.

    `log_right(alpha, r)` is the log probability with answers alpha from the threshold T, which is raised by r; it is
    concave in r, and values up to `alpha + reach` are tried. `unit` is about as large as the noise.
    """

    def best(alpha: float) -> tuple[float, float]:
        options = {"xatol": 2e-3 * alpha, "maxiter": 30}
        bounds = (-alpha, alpha + reach)
        search = minimize_scalar(lambda r: -log_right(alpha, r), bounds=bounds, method="bounded", options=options)
        return -search.fun - math.log1p(-beta), search.x

    high = unit
    while best(high)[0] < 0:
        high *= 2
    alpha = brentq(lambda a: best(a)[0], high / 1000, high, rtol=2e-3)
    return alpha, best(alpha)[1]


def svt_alpha(m: Mechanism, k: int, c: int, *, beta: float = 0.05) -> tuple[float, float]:
    """Return the same for an SVT: k answers of which c lie alpha above the threshold and the others alpha below."""
    pattern = "⊥" * (k - c) + "⊤" * c

    def log_right(alpha: float, r: float) -> float:
        return log_probability(m, [-alpha] * (k - c) + [alpha] * c, pattern, r)

    return least_alpha(log_right, unit=m.query_noise.scale, beta=beta, reach=8 * m.query_noise.scale)


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the deviation of Gaussian noise that is (epsilon, delta)-DP for this Euclidean sensitivity, exactly.

    Source: B. Balle, Y.-X. Wang, "Improving the Gaussian Mechanism for Differential Privacy" (ICML 2018), Theorem 8.
    """

    def excess(sigma: float) -> float:
        near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return float(ndtr(near) - math.exp(epsilon) * ndtr(far)) - delta

    high = 1.0
    while excess(high) > 0:
        high *= 2
    return sensitivity * float(brentq(excess, 1e-3, high))


def _budget_of_run(c: int, epsilon: float, delta: float) -> float:
    """Budget of each of c pure runs that together are (epsilon, delta)-DP, by their Rényi guarantees or their sum."""
    if c == 1 or delta == 0:
        return epsilon / c
    orders = np.geomspace(1.5, 20_000, 80)
    paid = [Renyi(a, 0.0).approximate(delta).epsilon for a in orders]

    def over(e: float) -> float:
        return min(c * Approximate(e).renyi(a).epsilon + p for a, p in zip(orders, paid, strict=True)) - epsilon

    return max(epsilon / c, float(brentq(over, epsilon / (10 * c), epsilon, rtol=1e-6)))


def _svts(k: int, c: int, epsilon: float, delta: float, monotonic: bool, beta: float) -> Iterator[Way]:
    """One SVT for all questions."""
    told = f"c={c}{', monotonic=True' if monotonic else ''}"
    for key, name in (("exp_exp", "one SVT, exponential noise"), ("alg7", "one SVT, Laplace noise")):
        m = variant(key).calibrate(epsilon=epsilon, c=c, monotonic=monotonic)
        yield name, svt_alpha(m, k, c, beta=beta), 0.0, f'svt.variant("{key}").calibrate(epsilon={epsilon:g}, {told})'
    if delta:
        rho, nu = gaussian_noise(epsilon=epsilon, delta=delta, n=k, c=c, monotonic=monotonic)
        base = variant("above_threshold").calibrate(epsilon=epsilon)
        m = replace(base, c=c, monotonic=monotonic, threshold_noise=rho, query_noise=nu)
        call = f"renyi.gaussian_noise(epsilon={epsilon:g}, delta={delta:g}, n={k}, {told})"
        yield "one SVT, Gaussian noise", svt_alpha(m, k, c, beta=beta), delta, call


def _ways(k: int, c: int, epsilon: float, delta: float, monotonic: bool, together: float, beta: float) -> Iterator[Way]:
    """Those that answer one question after the other."""
    yield from _svts(k, c, epsilon, delta, monotonic, beta)
    if c > 1:
        e, each = _budget_of_run(c, epsilon, delta), math.ceil(k / c)
        m = variant("exp_exp").calibrate(epsilon=e, c=1, monotonic=monotonic)
        pattern = "⊥" * (each - 1) + "⊤"

        def again(alpha: float, r: float) -> float:
            return c * log_probability(m, [-alpha] * (each - 1) + [alpha], pattern, r)

        scale = m.query_noise.scale
        call = f'{c} × svt.variant("exp_exp").calibrate(epsilon={e:.4g}{", monotonic=True" if monotonic else ""})'
        yield f"{c} SVTs, one after the other", least_alpha(again, unit=scale, beta=beta, reach=8 * scale), delta, call
    plain: list[tuple[Noise, float]] = [(Laplace(together / epsilon), 0.0)]
    if delta:
        plain.append((Gaussian(gaussian_sigma(epsilon, delta, math.sqrt(together))), delta))
    for noise, used in plain:

        def every(alpha: float, r: float, noise: Noise = noise) -> float:
            return (k - c) * float(noise.log_less(alpha + r)) + c * float(noise.log_at_least(r - alpha))

        call = f"svt.{type(noise).__name__}({noise.scale:.4g}).sample(rng, {k})"
        yield f"no SVT, {type(noise).__name__} noise", least_alpha(every, unit=noise.scale, beta=beta), used, call


@lru_cache(maxsize=1)
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(400)


def _largest(k: int, c: int, gap: float, law: stats.rv_continuous) -> float:
    """Log probability that c sums of score and noise are above the k - c others, whose scores are lower by the gap."""
    u, weight = _nodes()
    below = -np.expm1(np.log((u + 1) / 2) / (k - c))  # how much noise is above the largest of the others
    with np.errstate(divide="ignore"):
        return float(np.log(weight @ np.exp(c * law.logsf(law.isf(below) - gap)) / 2))


def _rounds(c: int, epsilon: float, delta: float) -> float:
    """Budget of all of c rounds of the exponential mechanism together, each with a divergence of a e^2 / 8."""
    if delta == 0:
        return epsilon
    orders = np.geomspace(1.5, 20_000, 200)

    def over(total: float) -> float:
        return min(Renyi(a, a * total**2 / (8 * c)).approximate(delta).epsilon for a in orders) - epsilon

    return max(epsilon, float(brentq(over, epsilon / 10, 10 * c * epsilon)))


def _selections(
    k: int, c: int, epsilon: float, delta: float, monotonic: bool, together: float, beta: float
) -> Iterator[Way]:
    """Those that choose the c largest of all scores, which are 2 alpha above the others."""
    times, told = (1 if monotonic else 2), f"c{', monotonic=True' if monotonic else ''}"

    def alpha(log_right: Callable[[float], float], unit: float) -> tuple[float, float]:
        high = unit
        while log_right(high) < math.log1p(-beta):
            high *= 2
        return float(brentq(lambda a: log_right(a) - math.log1p(-beta), high / 1000, high, rtol=1e-6)), 0.0

    def rounds(total: float) -> Callable[[float], float]:
        left = np.log((k - c) / np.arange(1, c + 1))
        return lambda a: -float(np.logaddexp(0, left - 2 * a * total / (times * c)).sum())

    sets = gammaln(k + 1) - gammaln(c + 1) - gammaln(k - c + 1)
    others = sets + math.log(-math.expm1(-sets)) if k > c else -math.inf
    unit = 2 * times / epsilon
    call = f"whole_sets.draw_sets(scores, {c}, scale={unit:g}, trials=1, rng=rng)"
    yield "a whole set at once", alpha(lambda a: -float(np.logaddexp(0, others - 2 * a / unit)), unit), 0.0, call
    shot = stats.expon(scale=times * c / epsilon)
    call = f"whole_sets.one_shot(scores, {c}, scale={times * c / epsilon:g}, trials=1, rng=rng)"
    yield "exponential noise in one shot", alpha(lambda a: _largest(k, c, 2 * a, shot), unit), 0.0, call
    for used in sorted({0.0, delta}):
        total = _rounds(c, epsilon, used)
        call = f"svt.exponential_mechanism(scores, {told}, epsilon={total:.4g}, rng=rng)"
        yield f"exponential mechanism{', with the δ' * (used > 0)}", alpha(rounds(total), unit), used, call
    plain = [("Laplace", stats.laplace(scale=together / epsilon), 0.0)]
    if delta:
        plain.append(("Gaussian", stats.norm(scale=gaussian_sigma(epsilon, delta, math.sqrt(together))), delta))
    for name, law, used in plain:

        def every(a: float, law: stats.rv_continuous = law) -> float:
            return _largest(k, c, 2 * a, law)

        call = f"svt.{name}({law.kwds['scale']:.4g}).sample(rng, {k})"
        yield f"no SVT, {name} noise", alpha(every, unit), used, call
    yield from _svts(k, c, epsilon, delta, monotonic, beta)


def compare(
    k: int,
    c: int = 1,
    *,
    asked: Literal["indicators", "top c"] = "indicators",
    epsilon: float = 1.0,
    delta: float = 0.0,
    monotonic: bool = False,
    together: float | None = None,
    beta: float = 0.05,
) -> pd.DataFrame:
    """Compare ways to answer k threshold questions with c positives, by the error that they need.

    Each SVT has its split of least variance and its best public correction of the threshold; the answers move by at
    most 1 between neighbours. For indicators they come one after the other; the top c is chosen by whoever has all.

    Parameters
    ----------
    k, c : int
        Questions, and positives among them.
    asked : {"indicators", "top c"}
        Which answers are above the threshold, or which c scores are the largest.
    epsilon, delta : float
        The guarantee; with a delta of 0 there is no Gaussian noise.
    monotonic : bool
        Whether all answers that differ between neighbours move in the same direction.
    together : float, optional
        What one record can change in all k answers, added up, each by at most 1 (`Workload.sensitivity`); k if not
        given. It matters only without an SVT.
    beta : float
        How often some answer may be wrong.

    Returns
    -------
    pandas.DataFrame
        A row for each way, the best first: `alpha`, the least distance from the threshold at which all k answers are
        right with probability 1 - beta; `raise T by`; the `delta` that it uses; the `call`, where `renyi` and
        `whole_sets` are modules of `svtcourse.chapter`, the latter with `svtlib.select.scores.Scores`.

    Examples
    --------
    >>> compare(1000, 10, delta=1e-6).alpha.round().head(2).to_dict()
    {'one SVT, exponential noise': 129.0, 'one SVT, Laplace noise': 175.0}
    """
    k = validate.count("k", k)
    c = validate.count("c", c, most=k)
    epsilon, beta = validate.positive("epsilon", epsilon), validate.probability("beta", beta)
    if not 0 <= delta < 1:
        raise ValueError(f"delta must be at least 0 and less than 1, got {delta!r}")
    if asked not in ("indicators", "top c"):
        raise ValueError(f"asked must be 'indicators' or 'top c', got {asked!r}")
    if asked == "top c" and c == k:
        raise ValueError(f"c must be less than k = {k}, or there is nothing to choose")
    ways = _ways if asked == "indicators" else _selections
    whole = float(k) if together is None else validate.positive("together", together)
    rows = [
        {"way": way, "alpha": alpha, "raise T by": r, "delta": used, "call": call}
        for way, (alpha, r), used, call in ways(k, c, epsilon, float(delta), monotonic, whole, beta)
    ]
    return pd.DataFrame(rows).set_index("way").sort_values("alpha")
