"""svt.certify: enclosures that hold, agree with closed forms, and never claim more than they show."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from parts import one_in
from random_mechanisms import random_mechanism

import svtlib as svt
from svtlib.exact.probability import moved
from svtlib.proofs import enclosure
from svtlib.proofs.enclosure import Law

ALG1 = svt.variant("alg1").calibrate(epsilon=1.0)


def test_the_loss_of_released_numbers():
    """Alg. 3, n negatives and the number 0: each negative costs epsilon/(2c), so the loss is n/2 at c = epsilon = 1."""
    m = svt.variant("alg3").calibrate(epsilon=1.0)
    shown = svt.certify(m, [0.0] * 24 + [0.0], [1.0] * 24 + [0.0], [False] * 24 + [-30.0])
    assert Fraction(shown.decimals[0]) <= 12 <= Fraction(shown.decimals[1])
    assert shown.exceeds(11.999) and not shown.exceeds(12) and shown.upper <= 12.001


def test_more_digits_lie_inside_fewer():
    """Enclosures of one loss at 5, 20 and 80 digits are nested, to the last digit shown."""
    case = svt.variant("alg4").calibrate(epsilon=0.3, c=2), [0, 1, 2, 5], [1, 2, 3, 4], "⊥⊥⊤⊤"
    bounds = [tuple(map(Decimal, svt.certify(*case, digits=digits).decimals)) for digits in (5, 20, 80)]
    for (low, high), (lower, higher) in pairwise(bounds):
        assert low <= lower <= higher <= high


@pytest.mark.parametrize("seed", one_in(2, range(4)))
def test_random_mechanisms_agree_with_the_exact_engine(seed):
    """Two computations that share no line: the loss of 40 random outputs of random mechanisms."""
    rng = np.random.default_rng([7, seed])
    compared = 0
    while compared < 40:
        m = random_mechanism(rng)
        n = int(rng.integers(1, 7))
        q = rng.integers(-6, 7, n).astype(float)
        moves = rng.integers(-1, 2) * np.ones(n) if m.monotonic else rng.integers(-1, 2, n)
        p = np.array([moved(a, b * m.sensitivity) for a, b in zip(q.tolist(), moves.tolist(), strict=True)])
        threshold = float(rng.integers(0, 4))
        outcome = svt.run(m, q, threshold, rng=rng).outcome
        shown = svt.certify(m, q, p, outcome, threshold, digits=15)
        loss = svt.privacy_loss(m, q, p, outcome, threshold)
        assert shown.lower == loss if math.isinf(loss) else shown.lower - 1e-8 <= loss <= shown.upper + 1e-8
        compared += 1


def test_impossible_on_the_neighbour():
    """Theorem 3.5 of Lyu, Su & Li: infinite, and more than any number."""
    shown = svt.certify(svt.variant("alg5").calibrate(epsilon=1.0), [0, 1], [1, 0], "⊥⊤")
    assert shown.lower == math.inf and shown.exceeds(10**9) and shown.upper > 10**9
    assert shown.log_probability_on_neighbour == ("-inf", "-inf")
    assert repr(shown).endswith("the loss is ∞)")


@pytest.mark.parametrize("where", ["query_noise", "release_noise"])
def test_a_density_that_is_not_known_proves_nothing_impossible(where):
    """A ball that contains 0 was read as 0: ∞ was proved of two equal datasets."""
    fresh = {"release": "fresh"} if where == "release_noise" else {"release": "compared"}
    m = replace(svt.variant("alg1").calibrate(epsilon=1.0), **{where: svt.Gumbel(0.01)}, **fresh)
    same = svt.certify(m, [1.0], [1.0], [0.0])
    assert -1e-12 < same.lower <= 0 <= same.upper < 1e-12
    assert 2.6e43 < svt.certify(m, [0.0], [1.0], [0.0]).lower < 2.7e43


def test_the_precision_of_the_ball_library_is_given_back():
    from flint import ctx

    before = ctx.prec
    svt.certify(ALG1, [0], [1], "⊥", digits=200)
    assert ctx.prec == before


GIVEN_UP = {  # noise, answers, threshold, share of the usual work, and how often something is done before the refusal
    "places of thousands of digits": (
        (svt.Geometric(5.6e-66, sides=1), svt.Geometric(7e13)),
        [-21352.0, 100.0, 2000.0, -3000.0, 7.0],
        (0.0, 1, 20_000),
    ),
    "hundreds of factors": (
        (svt.Gaussian(2111.0), svt.Laplace(6.5e-6)),
        [17.0 * k for k in range(300)],
        (7e14, 0.1, 9_000),
    ),
    "a lattice of a million places": ((svt.Geometric(20_000.0), svt.Geometric(2.0)), [50_000.0], (0.0, 1, 50)),
    "a sum of 10^20 terms": ((svt.Geometric(1.0), svt.Geometric(3.0)), [0.0], (1e20, 1, 500)),
}


@pytest.mark.parametrize("what", GIVEN_UP)
def test_work_is_counted_as_it_is(what, monkeypatch):
    """Long numbers and many factors as what they take: each was refused after half a minute, or not at all."""
    (rho, nu), answers, (threshold, share, most) = GIVEN_UP[what]
    noise = {"threshold_noise": rho, "query_noise": nu, "sensitivity": 6000.0}
    mechanism = replace(ALG1, **noise, compare="absolute" if nu.scale > 1e9 else "signed")
    done, beyond, density = [], enclosure.Enclosure.beyond, Law.density
    monkeypatch.setattr(enclosure.Enclosure, "beyond", lambda *given, **side: done.append(1) or beyond(*given, **side))
    monkeypatch.setattr(Law, "density", lambda *given: lambda z: done.append(1) or density(*given)(z))
    neighbour, work = [answers[0] + 1000.0, *answers[1:]], enclosure.Work()
    work.left *= share
    with pytest.raises(ValueError, match="must be simpler to be enclosed"):
        svt.certify(mechanism, answers, neighbour, [False] * (len(answers) - 1) + [True], threshold, work=work)
    assert len(done) < most


@pytest.mark.parametrize("answer", [10**400, Fraction(1, 3**9000)], ids=["large", "long"])
def test_numbers_beyond_all_floats_are_refused(answer):
    with pytest.raises(ValueError, match=r"answers must be below 1\.8e308"):
        svt.certify(ALG1, [answer], [answer], "⊤")


def test_a_loss_beyond_all_floats_is_a_loss():
    """Gumbel's tail is a double exponential: the bound that holds is the largest float."""
    mechanism = replace(ALG1, threshold_noise=svt.NoNoise(), query_noise=svt.Gumbel(1e-3))
    loss = svt.certify(mechanism, [-0.28], [0.72], "⊥")
    assert loss.exceeds(1e300) and loss.lower == sys.float_info.max and loss.upper == math.inf
    assert loss.rounded(5) == ("4.9207E+312", "4.9208E+312")


def test_an_array_without_dimensions_is_a_number():
    assert svt.certify(ALG1, [0], [1], "⊥", np.array(1.0)) == svt.certify(ALG1, [0], [1], "⊥", 1.0)
    for answers, outcome in ((np.array(0.0), "⊥"), ([0.0], np.array(1.0))):
        with pytest.raises(ValueError, match="must be a"):
            svt.certify(ALG1, answers, [1.0], outcome)
