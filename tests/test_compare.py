"""The table of ways by error: its distances are enough, no smaller ones are, and the published cases come out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from parts import one_in

import svtlib as svt
from svtcourse.chapter.compare import compare, gaussian_sigma, svt_alpha

BEST = [(10, "one SVT, exponential", 129), (50, "one SVT, Gaussian", 456), (100, "no SVT, Gaussian", 501)]


@pytest.mark.parametrize(("c", "way", "alpha"), one_in(2, BEST))
def test_the_best_of_a_thousand(c, way, alpha):
    """As computed apart from this module: exponential noise for few positives, then Gaussian, then no SVT."""
    table = compare(1000, c, delta=1e-6)
    assert (table.index[0], round(table.alpha.iloc[0])) == (f"{way} noise", alpha) and len(table) == 6
    assert table.alpha.is_monotonic_increasing and set(table.delta) == {0.0, 1e-6}


@pytest.mark.parametrize("monotonic", [False, True])
def test_the_distance_is_enough_and_no_smaller_one_is(monotonic):
    """The probability of the run at the distance and correction; at 0.97 of it, at every correction of a grid."""
    m = svt.variant("alg7").calibrate(epsilon=0.5, c=3, monotonic=monotonic)
    alpha, r = svt_alpha(m, 40, 3, beta=0.1)

    def right(at, more):
        return math.exp(svt.log_probability(m, [-at] * 37 + [at] * 3, "⊥" * 37 + "⊤" * 3, more))

    assert right(alpha, r) >= 0.9 - 1e-3
    assert max(right(0.97 * alpha, more) for more in np.linspace(-alpha, 2 * alpha, 60)) < 0.9


def test_what_a_record_changes_matters_without_an_svt_only():
    few, many = (compare(100, 2, together=t).alpha for t in (3, 30))
    plain = "no SVT, Laplace noise"
    assert many[plain] == pytest.approx(10 * few[plain], rel=1e-2) and few.idxmin() == plain
    assert few.drop(plain).to_dict() == many.drop(plain).to_dict()


def test_the_call_gives_the_mechanism():
    """What the column says can be run, and costs what was asked for."""
    for way, call in compare(50, 2, epsilon=0.5, monotonic=True).call.items():
        if way.startswith("one SVT"):
            assert svt.decide(eval(call), 0.5 * (1 + 1e-12)).private


def test_the_gaussian_deviation_is_exact():
    """Its delta by simulation of the loss, which is normal: within five standard errors."""
    sigma, rng = gaussian_sigma(1.0, 0.05), np.random.default_rng(3)
    x = rng.normal(0, sigma, 400_000)
    loss = (x * x - (x - 1) ** 2) / (2 * sigma**2)
    over = np.maximum(0, 1 - np.exp(1 + loss))
    assert abs(over.mean() - 0.05) < 5 * over.std() / math.sqrt(x.size)
