"""The pictures of the lessons: what they show, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import svtlib as svt
from svtcourse.figures import pictures

ALT = "A picture with a text alternative of its own."
ONE = svt.variant("alg1").calibrate(epsilon=1.0, c=2)


def test_one_run_says_every_answer():
    """One sign for each answered query, and a thick line for each draw of the threshold noise."""
    q = [0.0, 30.0, 0.0, 30.0, 0.0]
    once, again = (svt.variant(key).calibrate(epsilon=4.0, c=3) for key in ("alg1", "alg2"))
    for mechanism, draws in ((once, 1), (again, 3)):
        run = svt.run(mechanism, q, 15, rng=np.random.default_rng(1))
        svg = pictures.one_run(run, q, 15, alt=ALT, variant=mechanism.name).svg
        assert str(run) == "⊥⊤⊥⊤⊥" and len(run.tape.rho) == draws
        assert (svg.count(">⊤<"), svg.count(">⊥<")) == (2, 3)


def test_one_run_refuses_a_crowd_and_a_run_of_other_answers():
    """More than forty answers are a smear; fewer than were asked are those of another run."""
    run = svt.run(ONE, [0.0] * 3, rng=np.random.default_rng(0))
    for answers in ([0.0] * 41, [0.0]):
        with pytest.raises(ValueError, match="answers must have"):
            pictures.one_run(run, answers, alt=ALT)


@pytest.mark.parametrize("key", ["alg2", "alg3"])
def test_shift_proof_refuses_what_it_does_not_draw(key):
    """With several thresholds, or with numbers, the probability is another integral."""
    with pytest.raises(ValueError, match="mechanism must draw one threshold"):
        pictures.shift_proof(svt.variant(key).calibrate(epsilon=1.0, c=2), [0, 0], [1, 1], "⊥⊥", alt=ALT)


def test_shift_proof_draws_the_integrand():
    """The area under the curve on D is the probability of the outcome."""
    z = np.linspace(-200, 200, 400_001)
    density = pictures._integrand(ONE, np.array([0.5, -2.5, 3.5]), "⊥⊤⊥", z)
    exact = math.exp(svt.log_probability(ONE, [0.5, -2.5, 3.5], "⊥⊤⊥"))
    assert abs(np.trapezoid(density, z) - exact) < 1e-6


def test_bars_refuse_what_is_no_cost():
    """A cost is finite and not negative, and there is at least one bar."""
    for bills in ({}, {"a": [("ρ", -1.0)]}, {"a": [("ρ", math.inf)]}):
        with pytest.raises(ValueError, match="bills must have"):
            pictures.budget_bars(bills, alt=ALT)


def test_noise_plane_refuses_what_no_neighbour_can_do():
    """One record moves an answer by Δ at most."""
    with pytest.raises(ValueError, match="gap_neighbour must be at most 1"):
        pictures.noise_plane(ONE, 0, 1, 0, 2, alt=ALT)


def test_power_is_a_probability():
    """A test has false alarms and power between 0 and 1."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        pictures.power_region({"a test": ([0.0, 2.0], [0.0, 1.0])}, {"ε = 1": 1.0}, alt=ALT)
