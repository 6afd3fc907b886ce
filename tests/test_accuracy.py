"""Accuracy bounds of the sources against exact failure probabilities; planning with these; the best correction."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from parts import calibrated

import svtlib as svt
from svtcourse.chapter.accuracy import best_split, least_epsilon, most_queries, separated
from svtcourse.chapter.correction import success_probability, threshold_correction

ALG7 = svt.variant("alg7")
ABOVE = svt.variant("above_threshold").calibrate(epsilon=1.0)  # Lap(2/epsilon), Lap(4/epsilon): Dwork & Roth
EXP = replace(ABOVE, name="exp", query_noise=svt.Exponential(4.0))  # Liu et al., uncorrected
BOTH_EXP = replace(EXP, name="both", threshold_noise=svt.Exponential(2.0))

# Failure probabilities


def wrong(transcript, answers, alpha):
    """Whether a run on threshold 0 fails, as the docstring defines it."""
    answered = [answer is not False for answer in transcript.outcome]
    answered += [False] * (len(answers) - len(answered))
    return transcript.aborted or any(
        (q >= alpha and not positive) or (q <= -alpha and positive)
        for q, positive in zip(answers, answered, strict=True)
    )


RUNS = [
    (calibrated("alg1", 1), [-9, -9, 12], 8.0),
    (calibrated("alg1", 2), [-9, 1, 12, 0, 9, -20], 8.0),  # two within alpha, which can use the budget up
    (calibrated("alg1", 2), [20, 25, -9, 30], 8.0),  # three above, c = 2: always fails
    (calibrated("alg2", 2), [-30, 1, 40, -2, 50], 25.0),
    (calibrated("alg3", 2), [-9, 1, 12, 0], 8.0),
    (calibrated("lecture2012", 1), [-9, 10, 1, -9], 8.0),  # may abort after its one positive
    (calibrated("alg5", 1), [-9, 1, 10, -9], 3.0),
    (calibrated("sparse", 2), [-20, 0, 45, 30], 20.0),
]


@pytest.mark.parametrize(("mechanism", "answers", "alpha"), RUNS, ids=lambda x: getattr(x, "name", None))
def test_failure_probability_against_runs(mechanism, answers, alpha):
    """4,000 runs of the plain loop, every cut-off and refreshing; a false alarm has probability below 6e-7 each."""
    exact = svt.failure_probability(mechanism, answers, alpha=alpha)
    rng = np.random.default_rng(1)
    failed = sum(wrong(svt.run(mechanism, answers, rng=rng), answers, alpha) for _ in range(4000))
    assert abs(failed - 4000 * exact) <= 5 * math.sqrt(4000 * exact * (1 - exact)) + 1


def test_threshold_and_correction():
    """Only the distance to the threshold matters; a correction moves the mechanism's threshold, not the judge's."""
    here = svt.failure_probability(EXP, separated(5, 10), alpha=10, correction=6.0)
    assert svt.failure_probability(EXP, separated(5, 10) + 100, 100.0, alpha=10, correction=6.0) == pytest.approx(here)
    by_hand = -math.expm1(svt.log_probability(EXP, separated(5, 10), "⊥⊥⊥⊥⊤", 6.0))
    assert here == pytest.approx(by_hand, rel=1e-12)
    assert here < svt.failure_probability(EXP, separated(5, 10), alpha=10)


def test_no_margin_and_a_query_at_the_threshold():
    """At the threshold itself both answers are right; 1e-9 above it only ⊤ is."""
    assert svt.failure_probability(ABOVE, [0.0], alpha=0) == pytest.approx(0, abs=1e-8)
    assert svt.failure_probability(ABOVE, [1e-9], alpha=0) == pytest.approx(0.5, abs=1e-8)


@pytest.mark.parametrize(("k", "beta"), [(1, 0.1), (2, 0.3), (50, 0.01), (1000, 0.1), (50, 1e-8)])
def test_smallest_alpha_is_where_the_failure_probability_is_beta(k, beta):
    """The larger of the two failure probabilities equals beta there; a little less margin is not enough."""
    for mechanism in (ABOVE, EXP, BOTH_EXP):
        alpha = svt.smallest_alpha(mechanism, k, beta)
        assert worst(mechanism, k, alpha) == pytest.approx(beta, abs=1e-9)
        assert worst(mechanism, k, 0.999 * alpha) > beta


# Planning


def worst(m, k, alpha):
    """The larger of the failure probabilities on the two hardest lists."""
    return max(svt.failure_probability(m, separated(k, alpha, last_above=last), alpha=alpha) for last in (True, False))


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize(("k", "alpha", "sensitivity", "c"), [(1, 3.0, 1.0, 1), (50, 200.0, 7.0, 3)])
def test_least_epsilon_is_where_the_failure_is_beta(k, alpha, sensitivity, c, monotonic):
    """There, and by the scale: the smallest alpha is in proportion to sensitivity / epsilon."""
    how = {"c": c, "sensitivity": sensitivity, "monotonic": monotonic}
    epsilon = least_epsilon(ALG7, k, alpha, 0.1, **how)
    assert worst(ALG7.calibrate(epsilon=epsilon, **how), k, alpha) == pytest.approx(0.1, abs=1e-8)
    scaled = svt.smallest_alpha(ALG7.calibrate(epsilon=1.0, **how), k, 0.1) / alpha
    assert epsilon == pytest.approx(scaled, rel=1e-7)


def test_false_alarms_count_too():
    """Exponential noise lifts a single answer: below the threshold it fails more often than above."""
    v = svt.variant("svt_exp")
    m = v.calibrate(epsilon=least_epsilon(v, 1, 9.0, 0.1))
    below, above = (svt.failure_probability(m, [side * 9.0], alpha=9.0) for side in (-1, 1))
    assert below == pytest.approx(0.1, abs=1e-8) and above < 0.09
    assert most_queries(m, 9.0, 0.11) >= 1 and most_queries(m, 9.0, 0.09) == 0


def test_integer_noise_has_no_scale_and_is_planned_too():
    """With integer noise the threshold falls between integers or on one, and the failure still falls with epsilon."""
    v = svt.variant("geometric")
    epsilon = least_epsilon(v, 20, 30, 0.05)
    assert worst(v.calibrate(epsilon=epsilon), 20, 30) == pytest.approx(0.05, abs=1e-7)


def test_where_a_coin_is_enough_no_budget_is_needed():
    """One answer is right with probability one half without any."""
    assert least_epsilon(ALG7, 1, 5.0, 0.6) == 0.0
    assert least_epsilon(ALG7, 1, 5.0, 0.49) > 0


@pytest.mark.parametrize("alpha", [0.5, 8.0, 15.0, 20.0])
def test_one_query_more_is_too_many(alpha):
    """The number is allowed and the next one is not; 0 where not even one is."""
    m = ALG7.calibrate(epsilon=1.0, monotonic=True)
    k = most_queries(m, alpha, 0.05)
    assert (k == 0) == (worst(m, 1, alpha) > 0.05)
    assert k == 0 or worst(m, k, alpha) <= 0.05
    assert worst(m, k + 1, alpha) > 0.05


@pytest.mark.parametrize(("c", "monotonic"), [(1, False), (10, True)])
def test_no_other_split_needs_less(c, monotonic):
    """On a grid from a quarter to four times the best split, and the split of least variance is on it."""
    best = best_split(ALG7, 30, 0.1, c=c, monotonic=monotonic)

    def alpha(split):
        return svt.smallest_alpha(ALG7.calibrate(epsilon=1.0, c=c, monotonic=monotonic, split=split), 30, 0.1)

    least = alpha(best)
    others = [alpha(best * factor) for factor in np.geomspace(0.25, 4, 13)] + [alpha(ALG7.split(c, monotonic))]
    assert least <= min(others) * (1 + 1e-6)
    assert max(others) > 1.05 * least


# The correction of the threshold

LIU = svt.variant("svt_exp").calibrate(epsilon=1.0)
FAMILIES = [svt.variant(key).calibrate(epsilon=1.0) for key in ("alg1", "svt_exp", "svt_gumbel", "exp_exp")]
FAMILIES.append(replace(LIU, threshold_noise=svt.Gaussian(3.0), query_noise=svt.Gaussian(5.0)))


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("m", FAMILIES, ids=lambda m: f"{m.threshold_noise}, {m.query_noise}")
def test_no_other_correction_is_better(m, joint):
    """On a grid from far below to far tail; and the logarithm of the probability is concave there."""
    best = threshold_correction(m, 20, alpha=1.0, joint=joint)
    width = m.threshold_noise.width + m.query_noise.width
    grid = best + width * np.linspace(-1.5, 3, 31)
    found = np.log([success_probability(m, 20, alpha=1.0, correction=r, joint=joint) for r in grid])
    assert found.max() <= math.log(success_probability(m, 20, alpha=1.0, correction=best, joint=joint)) + 1e-10
    assert np.diff(found, 2).max() < 1e-7


def test_a_correction_of_the_mechanisms_own_is_made_up_for():
    """That it is in proportion to the noise is a claim (liu24-table-5-optimal)."""
    assert threshold_correction(replace(LIU, correction=4.0), 10) == pytest.approx(threshold_correction(LIU, 10) - 4)
