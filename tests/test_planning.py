"""Planning: each answer is the exact failure probability turned round, by bisection where it uses a scale and back."""

from __future__ import annotations

import numpy as np
import pytest

import svtlib as svt
from svtlib.select import accuracy

ALG7 = svt.variant("alg7")


def failure(m, k, alpha):
    return max(
        svt.failure_probability(m, accuracy.separated(k, alpha, last_above=last), alpha=alpha) for last in (True, False)
    )


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize(("k", "alpha", "sensitivity", "c"), [(1, 3.0, 1.0, 1), (50, 200.0, 7.0, 3)])
def test_least_epsilon_is_where_the_failure_is_beta(k, alpha, sensitivity, c, monotonic):
    """There, and by the scale: the smallest alpha is in proportion to sensitivity / epsilon."""
    how = {"c": c, "sensitivity": sensitivity, "monotonic": monotonic}
    epsilon = svt.least_epsilon(ALG7, k, alpha, 0.1, **how)
    assert failure(ALG7.calibrate(epsilon=epsilon, **how), k, alpha) == pytest.approx(0.1, abs=1e-8)
    scaled = svt.smallest_alpha(ALG7.calibrate(epsilon=1.0, **how), k, 0.1) / alpha
    assert epsilon == pytest.approx(scaled, rel=1e-7)


def test_false_alarms_count_too():
    """Exponential noise lifts a single answer: below the threshold it fails more often than above."""
    v = svt.variant("svt_exp")
    m = v.calibrate(epsilon=svt.least_epsilon(v, 1, 9.0, 0.1))
    below, above = (svt.failure_probability(m, [side * 9.0], alpha=9.0) for side in (-1, 1))
    assert below == pytest.approx(0.1, abs=1e-8) and above < 0.09
    assert svt.most_queries(m, 9.0, 0.11) >= 1 and svt.most_queries(m, 9.0, 0.09) == 0


def test_integer_noise_has_no_scale_and_is_planned_too():
    """With integer noise the threshold falls between integers or on one, and the failure still falls with epsilon."""
    v = svt.variant("geometric")
    epsilon = svt.least_epsilon(v, 20, 30, 0.05)
    assert failure(v.calibrate(epsilon=epsilon), 20, 30) == pytest.approx(0.05, abs=1e-7)


def test_where_a_coin_is_enough_no_budget_is_needed():
    """One answer is right with probability one half without any; and then no split is better than another."""
    assert svt.least_epsilon(ALG7, 1, 5.0, 0.6) == 0.0
    assert svt.least_epsilon(ALG7, 1, 5.0, 0.49) > 0
    with pytest.raises(ValueError, match="beta must be smaller"):
        svt.best_split(ALG7, 1, 0.9)


def test_more_certainty_takes_more():
    """Also for Alg. 5, whose only noise is the threshold's."""
    assert svt.least_epsilon(svt.variant("alg5"), 9, 1.0, 0.5) < svt.least_epsilon(svt.variant("alg5"), 9, 1.0, 0.1)


@pytest.mark.parametrize("alpha", [0.5, 8.0, 15.0, 20.0])
def test_one_query_more_is_too_many(alpha):
    """The number is allowed and the next one is not; 0 where not even one is."""
    m = ALG7.calibrate(epsilon=1.0, monotonic=True)
    k = svt.most_queries(m, alpha, 0.05)
    assert (k == 0) == (failure(m, 1, alpha) > 0.05)
    assert k == 0 or failure(m, k, alpha) <= 0.05
    assert failure(m, k + 1, alpha) > 0.05
    assert svt.most_queries(m, alpha, 0.05, limit=5) == min(k, 5)


@pytest.mark.parametrize(("c", "monotonic"), [(1, False), (10, True)])
def test_no_other_split_needs_less(c, monotonic):
    """On a grid from a quarter to four times the best split, and the split of least variance is on it."""
    best = svt.best_split(ALG7, 30, 0.1, c=c, monotonic=monotonic)

    def alpha(split):
        return svt.smallest_alpha(ALG7.calibrate(epsilon=1.0, c=c, monotonic=monotonic, split=split), 30, 0.1)

    least = alpha(best)
    others = [alpha(best * factor) for factor in np.geomspace(0.25, 4, 13)] + [alpha(ALG7.split(c, monotonic))]
    assert least <= min(others) * (1 + 1e-6)
    assert max(others) > 1.05 * least
