"""The search for a clipping bound: against the plain loop, the exact law, a closed form, and data that look unusual."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import compute_reference
import numpy as np
import pytest
from parts import p_value

import svtlib as svt
from svtcourse.chapter.clipping import clipping_bound, first_positives
from svtlib.select.counts import Counts

AGE = svt.load_adult("age")
BOUNDS = np.arange(1, 150, 5)
KEYS = ("above_threshold", "alg7", "svt_exp", "exp_exp", "svt_gumbel", "geometric")


def mechanism(key, epsilon=0.1):
    """The variant for monotonic queries, where it has a form for them."""
    return svt.variant(key).calibrate(epsilon=epsilon, monotonic=key != "above_threshold")


def exact_law(m, answers, threshold=0.0):
    """Probability of each index of the first positive, and of none."""
    silent = [math.exp(svt.log_probability(m, answers[:k], "⊥" * k, threshold)) for k in range(1, len(answers) + 1)]
    return -np.diff(np.array([1.0, *silent, 0.0]))


@pytest.mark.parametrize("key", KEYS)
def test_first_positives_have_the_exact_law(key):
    """50,000 runs over answers with groups of equal ones: a chi-squared statistic with a false alarm in 10^5."""
    m, runs = mechanism(key), 50_000
    answers = [-60.0] * 4 + [-20.0, -20.0, -50.0, -10.0] + [0.0] * 3
    law = dict(enumerate(exact_law(m, answers, -5.0)))
    found = first_positives(m, answers, -5.0, trials=runs, rng=np.random.default_rng(21))
    assert p_value(Counter(found.tolist()), law) > 1e-5
    assert p_value(Counter(np.where(found == len(answers), 0, found + 1).tolist()), law) < 1e-5  # one index off


def test_many_runs_are_done_in_blocks():
    """More comparisons than are held at once give as many runs, and the same law in every block."""
    found = first_positives(mechanism("alg7"), np.arange(-3000.0, 0.0), trials=2_000, rng=np.random.default_rng(23))
    assert found.shape == (2_000,)
    assert abs(found[:600].mean() - found[-600:].mean()) < 60  # the standard error is about 9


def test_rows_above_are_the_differences_of_the_clipped_sums():
    """S(b) - S(b + 1) of whole numbers is minus the number of rows above b, and the sums are sums of these."""
    fine = np.arange(0, 121)
    sums = np.array([AGE.clipped_sum(b) for b in fine])
    assert (np.diff(sums) == AGE.rows_above(fine[:-1])).all()
    assert AGE.rows_above([-1, 16.5, 17, 89.9, 90]).tolist() == [32561, 32561, 32166, 43, 0]


def test_the_search_is_the_run_of_its_mechanism():
    """The same seed gives the bound at the first positive of `svt.run`, for queries -N(b) and the threshold -above."""
    for seed in range(5):
        m = mechanism("svt_exp")
        found = clipping_bound(AGE, BOUNDS, m, above=40, rng=np.random.default_rng(seed))
        transcript = svt.run(m, -AGE.rows_above(BOUNDS), -40.0, rng=np.random.default_rng(seed))
        assert found == BOUNDS[transcript.positives[0]]


def test_nothing_found_is_none_and_not_the_last_bound():
    """Where 27,000 rows are above every bound the outcome is None; with all noise taken away as well."""
    few = np.arange(1, 30, 5)
    assert clipping_bound(AGE, few, mechanism("alg7"), above=20, rng=np.random.default_rng(1)) is None
    quiet = replace(mechanism("alg7"), threshold_noise=svt.NoNoise(), query_noise=svt.NoNoise())
    assert clipping_bound(AGE, few, quiet, rng=np.random.default_rng(1)) is None
    assert clipping_bound(AGE, [*few, 200], quiet, rng=np.random.default_rng(1)) == 200.0


def test_a_column_of_one_value_is_a_column_like_another():
    """To refuse it would tell that all values are equal: the search finds a bound at or above the value."""
    same = Counts(("pay",), [50], [1000], "made up")
    found = clipping_bound(same, [10, 40, 60, 90], mechanism("alg7", 1.0), above=20, rng=np.random.default_rng(4))
    assert found == 60.0


def test_the_histogram_seldom_sees_a_bin_that_is_empty():
    """Its threshold is passed by one of the other 17 empty bins in one run of a thousand: Google's rule."""
    one = Counts(("x",), [0.5], [100_000], "made up")
    index = compute_reference.chosen(
        one, 3.0, compute_reference.SEARCHES["histogram, doubling, centred"], np.random.default_rng(6)
    )
    assert (index > 0).mean() == pytest.approx(0.001, abs=0.0005)  # five standard errors
