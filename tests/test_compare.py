"""The table of ways by error: its distances are enough, no smaller ones are, and the published cases come out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from parts import one_in
from scipy import stats

import svtlib as svt
from svtcourse.chapter import compare as chapter, whole_sets
from svtcourse.chapter.compare import compare, gaussian_sigma, svt_alpha
from svtlib.select.scores import Scores

BEST = [(10, "one SVT, exponential", 129), (50, "one SVT, Gaussian", 456), (100, "no SVT, Gaussian", 501)]


@pytest.mark.parametrize(("c", "way", "alpha"), one_in(3, BEST))
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


def test_the_chance_of_the_top_c_is_that_of_each_law():
    """Gumbel noise by its rounds, whole sets by their kinds, exponential noise by simulation; 12 and 3 of 40."""
    k, gap = 40, 9.0
    for c in (3, 12):
        rounds = -np.log1p((k - c) / np.arange(1, c + 1) * math.exp(-gap / 2)).sum()
        assert chapter._largest(k, c, gap, stats.gumbel_r(scale=2)) == pytest.approx(rounds, abs=1e-7)
        sets = whole_sets.kinds(Scores.of([gap] * c + [0.0] * (k - c)), c, 2.0)[-1, 0]
        assert sets == pytest.approx(1 / (1 + (math.comb(k, c) - 1) * math.exp(-gap / 2)), rel=1e-9)
        noise = np.random.default_rng(c).exponential(2.0, (100_000, k))
        right = (gap + noise[:, :c].min(axis=1) > noise[:, c:].max(axis=1)).mean()
        found = math.exp(chapter._largest(k, c, gap, stats.expon(scale=2)))
        assert abs(right - found) < 5 * math.sqrt(right * (1 - right) / 100_000)


def test_the_top_c_has_other_ways():
    """The distance of whole sets in closed form; with a delta ten rounds are ahead of all; one item, a little more."""
    table = compare(1000, 10, asked="top c", delta=1e-6, monotonic=True)
    sets = math.log(19 * (math.comb(1000, 10) - 1))
    assert table.alpha["a whole set at once"] == pytest.approx(sets, rel=1e-5)
    assert table.index[:2].tolist() == ["exponential mechanism, with the δ", "exponential noise in one shot"]
    one = compare(1000, 1, asked="top c")
    assert one.alpha["exponential mechanism"] == pytest.approx(math.log(999) + math.log(19), rel=1e-5)


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
