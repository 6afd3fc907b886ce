"""The pictures of the lessons: what they show, and what they refuse."""

from __future__ import annotations

import math

import numpy as np

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


def test_shift_proof_draws_the_integrand():
    """The area under the curve on D is the probability of the outcome."""
    z = np.linspace(-200, 200, 400_001)
    density = pictures._integrand(ONE, np.array([0.5, -2.5, 3.5]), "⊥⊤⊥", z)
    exact = math.exp(svt.log_probability(ONE, [0.5, -2.5, 3.5], "⊥⊤⊥"))
    assert abs(np.trapezoid(density, z) - exact) < 1e-6
