"""An alignment of the reader's own: accepted for all inputs with its cost, or refused with noise that shows why."""

from __future__ import annotations

import math

import pytest

import svtlib as svt
from svtcourse.exercises import check_proof

STAY = {"rho": lambda D: D, "below": lambda d, D: 0, "above": lambda d, D: D - d}
KEYS = ["alg1", "alg2", "alg4", "alg7", "above_threshold", "sparse", "exp_exp", "svt_exp", "gptt"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("c", [1, 3])
def test_the_textbook_alignment_costs_what_the_linear_program_finds(key, c):
    """rho up by Delta, a positive by Delta - d: the same epsilon as `svt.prove`, for every variant, private or not."""
    free = svt.variant(key).free_c
    mechanism = svt.variant(key).calibrate(epsilon=1.0, **({"c": c} if free else {}))
    found, proof = check_proof(mechanism, **STAY), svt.prove(mechanism)
    assert found.failure is None
    assert found.cost == pytest.approx(proof.epsilon, rel=1e-12)
    assert found.holds is proof.holds


def test_monotonic_queries_have_one_alignment_for_each_direction():
    """Rising: everything moves by Delta. Falling: rho stays, a positive makes up for its own fall."""
    m = svt.variant("alg7").calibrate(epsilon=1.0, c=2, monotonic=True)
    rising = check_proof(m, **STAY, direction="rising")
    falling = check_proof(m, rho=lambda D: 0, below=lambda d, D: 0, above=lambda d, D: -d, direction="falling")
    assert rising.holds
    assert falling.holds
    assert rising.cost == pytest.approx(1.0)
    assert falling.cost == pytest.approx(m.epsilon2)
    assert not check_proof(m, **STAY).holds  # the halved noise does not pay for both directions at once


@pytest.mark.parametrize("key", ["alg1", "alg2", "exp_exp"])
@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"rho": lambda D: 0}, "A ⊥ becomes ⊤"),
        ({"rho": lambda D: D / 2}, "A ⊥ becomes ⊤"),
        ({"above": lambda d, D: D}, "A ⊤ becomes ⊥"),
        ({"above": lambda d, D: 1.5 * D}, "A ⊤ becomes ⊥"),
        ({"above": lambda d, D: D + d}, "A ⊤ becomes ⊥"),
        ({"below": lambda d, D: D}, "A ⊥ becomes ⊤"),
    ],
    ids=["rho stays", "rho half", "above only Delta", "above too little", "wrong sign of d", "below moves up"],
)
def test_a_wrong_alignment_meets_noise_it_fails_on(key, change, word):
    """The tape is real: replayed, the two outputs differ; and the neighbour is one."""
    m = svt.variant(key).calibrate(epsilon=1.0, sensitivity=5.0)
    found = check_proof(m, **(STAY | change))
    assert not found.holds
    assert found.reason == word
    f = found.failure
    assert f.outcome != f.neighbour_outcome
    assert abs(f.neighbour - f.answer) <= 5.0
    assert word[2] == ("⊥" if f.outcome[0] is False else "⊤")


def test_a_negative_that_moves_costs_without_bound():
    """It keeps the answers, and no finite budget pays for it."""
    m = svt.variant("alg1").calibrate(epsilon=1.0)
    found = check_proof(m, rho=lambda D: 0, below=lambda d, D: -d, above=lambda d, D: -d)
    assert (found.holds, found.cost, found.failure) == (False, math.inf, None)


def test_noise_on_one_side_cannot_move_down():
    """Exponential noise moved below zero is no noise of the mechanism."""
    m = svt.variant("exp_exp").calibrate(epsilon=1.0)
    found = check_proof(m, rho=lambda D: -D, below=lambda d, D: -D - d, above=lambda d, D: -D - d)
    assert found.cost == math.inf
