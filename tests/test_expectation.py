"""Expected errors without runs agree with enumeration, with closed forms and with the simulation."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from parts import one_in

import svtlib as svt
from svtlib.select.expectation import _given
from svtlib.select.scores import Scores

FEW = Scores([9, 7, 4, 3, 0], [1, 2, 2, 1, 3], "exact", "nine items")
WEIGHTS = np.stack([FEW.support / 30, [1, 1, 0.5, 0, 0], np.full(5, 1 / 4)])


def enumerated(level, nu, c):
    """The four sums and the probability by going through all 2^9 sets of positives."""
    scores = np.repeat(FEW.support, FEW.count)
    weights = np.repeat(WEIGHTS, FEW.count, axis=1)
    p = np.exp(nu.log_at_least(level - scores))
    total = np.zeros(5)
    for positive in itertools.product((False, True), repeat=scores.size):
        mask = np.array(positive)
        chance = np.prod(np.where(mask, p, 1 - p))
        n = mask.sum()
        if n:
            share = weights[:, mask].sum(axis=1) * min(1, c / n)
            total += chance * np.array([*share, share[0] / min(n, c), 0])
        total[4] += chance * (n < c)
    return total


@pytest.mark.parametrize("c", [1, 2, 4, 9])
@pytest.mark.parametrize("level", [-30.0, -2.0, 0.5, 4.0, 7.0, 12.0, 60.0])
@pytest.mark.parametrize("nu", [svt.Laplace(0.3), svt.Laplace(3.0), svt.Exponential(2.0), svt.NoNoise()])
def test_given_the_threshold_the_sums_are_those_of_all_sets(nu, level, c):
    """Nine items, every set of positives: the transforms give the same numbers to 1e-11."""
    assert _given(level, nu, FEW, WEIGHTS, c) == pytest.approx(enumerated(level, nu, c), abs=1e-11)


def test_one_item_has_a_closed_form():
    """One item above the threshold by x, Laplace noise on both: missed with the probability of the difference."""
    b, s, x = 1.0, 2.0, 3.0
    mechanism = svt.variant("alg1").calibrate(epsilon=2.0, c=1)
    assert (mechanism.threshold_noise.scale, mechanism.query_noise.scale) == (b, s)
    missed = (s**2 * math.exp(-x / s) - b**2 * math.exp(-x / b)) / (2 * (s**2 - b**2))
    found = svt.expected_error(mechanism, Scores([x], [1], "exact", "one"), 0.0)
    assert found.fewer == pytest.approx(math.exp(svt.log_probability(mechanism, [x], "⊥")), abs=1e-7)
    assert found.fewer == pytest.approx(missed, abs=1e-7)
    assert [found.ser, found.ser_of_selected] == pytest.approx([found.fewer] * 2, abs=1e-7)


CELLS = [
    ("bms-pos", 0.1, 50, 1.0), ("bms-pos", 0.1, 100, 100.0), ("kosarak", 0.1, 100, 100 ** (2 / 3)),
    ("aol", 0.1, 100, 100 ** (2 / 3)), ("aol", 0.1, 300, 300.0), ("zipf", 0.1, 50, 50.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "epsilon", "c", "split"), one_in(len(CELLS), CELLS))
def test_the_simulation_scatters_around_the_expectation(name, epsilon, c, split):
    """Five numbers of six cells, 4,000 runs each: |z| < 5.5 (a false alarm with fresh seeds: below 1e-6)."""
    scores = svt.load_scores(name)
    mechanism = svt.variant("alg7").calibrate(epsilon=epsilon, c=c, monotonic=True, split=split)
    threshold = scores.threshold(c)
    want = svt.expected_error(mechanism, scores, threshold)
    runs = svt.simulate(mechanism, scores, threshold, trials=4_000, rng=np.random.default_rng(5))
    have = {
        "ser": runs.ser(), "fnr": runs.fnr(), "selected": runs.selected, "fewer": runs.selected < c,
        "ser_of_selected": 1 - (1 - runs.ser()) * c / np.maximum(runs.selected, 1),
    }  # fmt: skip
    assert want.error < 1e-4
    for key, values in have.items():
        spread = max(values.std(), 0.05 * (key != "fewer") / 4_000) / math.sqrt(4_000) + 1e-6
        if values.std() > 0:
            assert abs(values.mean() - getattr(want, key)) < 5.5 * spread, key


@pytest.mark.full
def test_the_tolerance_is_met(monkeypatch):
    """A hundred times more accuracy moves the numbers by less than the tolerance."""
    scores = svt.load_scores("bms-pos")
    mechanism = svt.variant("alg7").calibrate(epsilon=0.1, c=100, monotonic=True, split=20.0)
    rough = svt.expected_error(mechanism, scores, scores.threshold(100))
    monkeypatch.setattr("svtlib.select.expectation._TOLERANCE", 1e-7)
    fine = svt.expected_error(mechanism, scores, scores.threshold(100))
    assert abs(rough.ser - fine.ser) < 1e-5
    assert fine.error < 1e-7


def test_what_happens_between_two_scores_is_not_missed():
    """With little query noise: an answer 0.02 above the threshold is missed if the Laplace noise is above.

    A spike of mass 0.005 beside the kink of a density, which no quadrature sees that is not told where to look.
    """
    scores = Scores([0.27, 0.25, 0.17], [1, 4, 4], "exact", "made up")
    mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    for nu, exact in ((svt.Laplace(1e-5), 1e-4), (svt.Exponential(1e-5), 1e-4)):
        sharp = dataclasses.replace(mechanism, threshold_noise=svt.Laplace(2.0), query_noise=nu)
        found = svt.expected_error(sharp, scores, 0.25)
        assert found.fewer == pytest.approx(math.exp(-0.02 / 2) / 2, abs=exact)


@pytest.mark.full
def test_narrow_query_noise_ends():
    """A thousandth of the budget for the threshold: the integrand is looked at some thousand times, not for ever."""
    import svtlib.select.expectation as module

    scores, counted = svt.load_scores("zipf"), []
    mechanism = svt.variant("alg7").calibrate(epsilon=0.1, c=50, split=1000)
    given = module._given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_given", lambda *arguments: counted.append(1) or given(*arguments))
        found = svt.expected_error(mechanism, scores, scores.threshold(50))
    assert len(counted) < 5_000
    assert (found.ser, found.fewer) == pytest.approx((0.735338, 0.363341), abs=2e-6)
