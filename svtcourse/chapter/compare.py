"""Ways to answer the same threshold questions, by error: the distance at which all answers are right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from svtcourse.chapter.renyi import gaussian_noise
from svtlib import validate
from svtlib.catalogue import variant
from svtlib.exact import log_probability
from svtlib.guarantee import Renyi, pure
from svtlib.mechanism import Mechanism
from svtlib.noise import Gaussian, Laplace, Noise

__all__ = ["compare", "gaussian_sigma", "least_alpha", "svt_alpha"]

LogRight = Callable[[float, float], float]


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
        return min(c * pure(e).renyi(a).epsilon + p for a, p in zip(orders, paid, strict=True)) - epsilon

    return max(epsilon / c, float(brentq(over, epsilon / (10 * c), epsilon, rtol=1e-6)))


def _ways(
    k: int, c: int, epsilon: float, delta: float, monotonic: bool, together: float, beta: float
) -> Iterator[tuple[str, tuple[float, float], float, str]]:
    """Name, alpha and how much T is raised, the delta used, and the call, of each way."""
    told = f"c={c}{', monotonic=True' if monotonic else ''}"
    for key, name in (("exp_exp", "one SVT, exponential noise"), ("alg7", "one SVT, Laplace noise")):
        m = variant(key).calibrate(epsilon=epsilon, c=c, monotonic=monotonic)
        yield name, svt_alpha(m, k, c, beta=beta), 0.0, f'svt.variant("{key}").calibrate(epsilon={epsilon:g}, {told})'
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
        rho, nu = gaussian_noise(epsilon=epsilon, delta=delta, n=k, c=c, monotonic=monotonic)
        base = variant("above_threshold").calibrate(epsilon=epsilon)
        m = replace(base, c=c, monotonic=monotonic, threshold_noise=rho, query_noise=nu)
        call = f"renyi.gaussian_noise(epsilon={epsilon:g}, delta={delta:g}, n={k}, {told})"
        yield "one SVT, Gaussian noise", svt_alpha(m, k, c, beta=beta), delta, call
        plain.append((Gaussian(gaussian_sigma(epsilon, delta, math.sqrt(together))), delta))
    for noise, used in plain:

        def every(alpha: float, r: float, noise: Noise = noise) -> float:
            return (k - c) * float(noise.log_less(alpha + r)) + c * float(noise.log_at_least(r - alpha))

        call = f"svt.{type(noise).__name__}({noise.scale:.4g}).sample(rng, {k})"
        yield f"no SVT, {type(noise).__name__} noise", least_alpha(every, unit=noise.scale, beta=beta), used, call


def compare(
    k: int,
    c: int = 1,
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
    monotonic: bool = False,
    together: float | None = None,
    beta: float = 0.05,
) -> pd.DataFrame:
    """Compare ways to answer k threshold questions with c positives, by the error that they need.

    Each way has its split of least variance and its best public correction of the threshold; the answers come one
    after the other and move by at most 1 between neighbours. Where all are known at once and the c largest are
    wanted, `svt.exponential_mechanism` needs less than any of these.

    Parameters
    ----------
    k, c : int
        Questions, and positives among them.
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
        right with probability 1 - beta; `raise T by`; the `delta` that it uses; the `call`, where `renyi` is
        `svtcourse.chapter.renyi`.

    Raises
    ------
    ValueError
        If an argument is out of range.

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
    whole = float(k) if together is None else validate.positive("together", together)
    rows = [
        {"way": way, "alpha": alpha, "raise T by": r, "delta": used, "call": call}
        for way, (alpha, r), used, call in _ways(k, c, epsilon, float(delta), monotonic, whole, beta)
    ]
    return pd.DataFrame(rows).set_index("way").sort_values("alpha")
