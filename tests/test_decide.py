"""svt.decide: no wrong verdict over the catalogue, the damages and random mechanisms."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from parts import one_in
from random_mechanisms import random_mechanism

import svtlib as svt
from svtlib.exact import probability


def check(decision):
    """What a decision says is what it carries."""
    if decision.private:
        assert decision.proof.epsilon <= decision.epsilon * (1 + 1e-12)
    elif decision.private is False:
        assert decision.certificate.exceeds(decision.epsilon)
        assert decision.proof.epsilon > decision.epsilon


CUTOFFS = [
    *((key, 3 if svt.variant(key).free_c else 1) for key in svt.variants()),
    *(pytest.param(key, 1, marks=pytest.mark.full) for key in svt.variants() if svt.variant(key).free_c),
]


@pytest.mark.parametrize("monotonic", one_in(2, [False, True]))
@pytest.mark.parametrize(("key", "c"), CUTOFFS)
def test_the_verdict_table(key, c, monotonic):
    """At `actual` private, at 99 % of it not; where it is infinite, a certified loss above 1, 10 and 100."""
    v = svt.variant(key)
    m = v.calibrate(epsilon=1.0, c=c, monotonic=monotonic)
    actual = svt.actual_epsilon(v, 1.0, c, monotonic)
    if math.isfinite(actual):
        assert svt.decide(m, actual).private is True
    for epsilon in [0.99 * actual] if math.isfinite(actual) else [1, 10, 100]:
        decision = svt.decide(m, epsilon)
        assert decision.private is False
        check(decision)


def try_random(seed, count):
    """Private at the cost of the alignment, and not at 97 % of it; decided every time, or said not to be."""
    rng = np.random.default_rng([9, seed])
    undecided = []
    for _ in range(count):
        m = random_mechanism(rng)
        cost = svt.prove(m).epsilon
        if math.isfinite(cost):
            assert cost == 0 or svt.decide(m, cost).private is True
        for epsilon in [0.97 * cost] if math.isfinite(cost) else [1, 10]:
            decision = svt.decide(m, epsilon)
            check(decision)
            assert decision.private is not True
            if decision.private is None:
                undecided.append((m, epsilon))
    return undecided


def test_half_a_dozen_random_mechanisms():
    """The theorem on mechanisms that nobody published: the alignment's cost is the smallest epsilon."""
    assert try_random(0, 6) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 11))
def test_three_hundred_random_mechanisms(seed):
    """As above: never a wrong verdict, and none at all for at most 3 of 30 (the page *Certificates* says so)."""
    assert len({repr(m) for m, _ in try_random(seed, 30)}) <= 3


def test_a_corrected_threshold_moves_the_pair_along():
    """Alg. 1 with every threshold raised by 10^7: a pair around the raised one loses nearly all that is claimed."""
    check(svt.decide(replace(svt.variant("alg1").calibrate(epsilon=1.0, c=3), correction=1e7), 0.99))


def test_equal_answers_become_fractions_once(monkeypatch):
    """Of thousands of queries with whole noise, of which most are equal; an error names the first that is too far."""
    made, noise = [], svt.noise.Geometric(2.0)
    m = svt.Mechanism("m", noise, noise, c=1, epsilon=1.0, epsilon1=0.5, epsilon2=0.5)
    monkeypatch.setattr(probability, "Fraction", lambda value: made.append(value) or Fraction(value))
    answers = np.tile([0.0, 4.0, 0.0], 1000)
    neighbour = answers + 1
    probability.check_neighbours(m, answers, neighbour)
    assert sorted(made) == [0, 1, 4, 5]
    neighbour[[2997, 2999]] = 1 + 2.0**-52
    with pytest.raises(ValueError, match=r"got 1\.0000000000000002 against 0 at index 2997"):
        probability.check_neighbours(m, answers, neighbour)


def test_a_decision_says_what_it_rests_on():
    alg4 = svt.variant("alg4").calibrate(epsilon=1.0, c=2)
    assert repr(svt.decide(alg4, 3.25)) == "✓ alg4 is 3.25-DP: an alignment costs 3.25"
    shown = repr(svt.decide(alg4))
    assert shown.startswith("✗ alg4 is not 1-DP: a pair of neighbours with ") and " loses at least " in shown
