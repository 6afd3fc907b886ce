"""Switches that know what they mean: the gap that a positive may release, and a threshold that is corrected."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from parts import enclosed, one_in

import svtlib as svt
from svtlib.select.scores import Scores
from svtlib.switches import Cutoff

ALG1 = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
GAP = replace(ALG1, release="gap")
LINES = [svt.Laplace(2.0), svt.Exponential(2.0), svt.Gumbel(2.0), svt.Gaussian(2.0), svt.Exponential(2.0, sign=-1)]
WHOLE = [svt.Geometric(2.0), svt.Geometric(2.0, sides=1)]
PAIRS = [
    *itertools.product(LINES, LINES),
    *itertools.product(WHOLE, WHOLE),
    (svt.NoNoise(), svt.Laplace(3.0)),
    (svt.Geometric(300.0), svt.Geometric(200.0)),
]


@pytest.mark.parametrize(("rho", "nu"), one_in(2, PAIRS), ids=repr)
@pytest.mark.parametrize("refresh", [False, True])
def test_the_density_of_gaps_lies_between_the_certified_bounds(rho, nu, refresh):
    """Floating point agrees with ball arithmetic, for every pair of families, off the lattice too, where it is 0."""
    m = replace(GAP, threshold_noise=rho, query_noise=nu, refresh=refresh)
    for outcome in ([False, 2.0, False, 5.0], [False, 0.0, False, True], [False, 1.5, False, 2.5]):
        low, high = enclosed(m, [1, 3, 0, -4], outcome, 1.0, digits=15)
        assert low == high == -math.inf or high - low < 1e-9 * max(1, abs(low))
        assert svt.log_probability(m, [1, 3, 0, -4], outcome, 1.0) == pytest.approx(low, rel=2e-9, abs=2e-9)


def test_the_gaps_of_integer_noise_sum_to_the_probability_of_a_positive():
    """The same as a sum over whole gaps."""
    m = replace(GAP, threshold_noise=svt.Geometric(2.0), query_noise=svt.Geometric(3.0))
    total = math.fsum(math.exp(svt.log_probability(m, [0, 2, 1], [False, float(k), False])) for k in range(120))
    assert total == pytest.approx(math.exp(svt.log_probability(m, [0, 2, 1], "⊥⊤⊥")), rel=1e-9)


@pytest.mark.parametrize("monotonic", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize("cutoff", [option.value for option in Cutoff])
def test_the_gap_is_free(cutoff, refresh, monotonic):
    """The proof pays no more than without it, the search loses no more, and the decision agrees on either side."""
    m = replace(GAP, cutoff=cutoff, refresh=refresh, monotonic=monotonic)
    plain, proof = svt.prove(replace(m, release="indicator")), svt.prove(m)
    assert (proof.epsilon, proof.failing_step) == (plain.epsilon, plain.failing_step)
    assert any(line.step == "release" for line in proof.steps) or proof.epsilon == math.inf
    assert not any(line.step == "release" for line in plain.steps)
    limit = min(proof.epsilon, 2.0)
    assert svt.decide(m, 0.97 * limit).private is False
    assert svt.decide(m, proof.epsilon).private if math.isfinite(proof.epsilon) else True
    assert svt.worst_case(m, 3).loss <= proof.epsilon * (1 + 1e-9)


def test_the_alignment_of_a_gap_keeps_it():
    """Noise on the neighbour gives the same gaps, over 300 hard cases; half the query noise does not pay for them."""
    rng = np.random.default_rng(8)
    assert svt.check_alignment(GAP, rng=rng, trials=300).holds
    assert not svt.check_alignment(replace(GAP, query_noise=svt.Laplace(4.0)), rng=rng, trials=300).holds


@pytest.mark.parametrize(
    ("compare", "release"),
    [(c, r) for c in ("signed", "absolute") for r in ("indicator", "compared")] + [("signed", "gap")],
)
def test_a_correction_is_a_higher_threshold(compare, release):
    """For every verb: run, exact and certified probabilities, the search and the decision."""
    plain = replace(ALG1, compare=compare, release=release)
    m = replace(plain, correction=2.5)
    q, p, outcome = [0, 3, -1], [1, 2, 0], [False, True, False]
    for tape in [svt.NoiseTape([x], [y, -y, x]) for x in (-2.0, 1.0, 4.0) for y in (0.5, 3.0)]:
        assert svt.run(m, q, 1.0, tape=tape).outcome == svt.run(plain, q, 3.5, tape=tape).outcome
        session = svt.Session(m, tape=tape)
        assert bool(session.ask(6.0, 1.0)) == bool(svt.run(plain, [6.0], 3.5, tape=tape).outcome[0])
    assert svt.log_probability(m, q, outcome, 1.0) == svt.log_probability(plain, q, outcome, 3.5)
    assert svt.certify(m, q, p, outcome, 1.0).decimals == svt.certify(plain, q, p, outcome, 3.5).decimals
    found, other = svt.worst_case(m, 2, 1.0), svt.worst_case(plain, 2, 3.5)
    assert found.loss == pytest.approx(other.loss)
    assert svt.privacy_loss(m, found.answers, found.neighbour, found.outcome, 1.0) == pytest.approx(found.loss)
    if release == "indicator":
        assert svt.decide(m).private
    rows = [svt.sampler_of(*pair)(q, 50, np.random.default_rng(3)) for pair in ((m, 1.0), (plain, 3.5))]
    np.testing.assert_array_equal(*rows)


def test_a_correction_moves_what_is_selected_and_how_accurate_it_is():
    """Simulation, expected error, failure probability: each as at the higher threshold."""
    m = replace(ALG1, correction=2.0)
    scores = Scores([9.0, 6.0, 1.0], [2, 3, 50], "exact", "made up")
    runs = [
        svt.simulate(x, scores, t, trials=200, rng=np.random.default_rng(2)).counts() for x, t in ((m, 4), (ALG1, 6))
    ]
    np.testing.assert_array_equal(*runs)
    assert svt.expected_error(m, scores, 4).ser == svt.expected_error(ALG1, scores, 6).ser
    corrected = svt.failure_probability(m, [-30.0, 30.0], alpha=20)
    assert corrected == svt.failure_probability(ALG1, [-30.0, 30.0], alpha=20, correction=2.0)
    assert svt.check_alignment(m, rng=np.random.default_rng(1), trials=100).holds
