"""The five boxes of the chapter on audits are what the chapter says when it opens them."""

import math

import numpy as np
import pytest

import svtlib as svt
from svtcourse.chapter.boxes import BOXES, C

ANSWERS = [1.0, -3.0, 2.0]
ALG1 = svt.variant("alg1").calibrate(epsilon=1.0, c=C)


def shares(box, answers, trials=40_000, seed=1):
    """How often each outcome came."""
    rows, numbers = np.unique(box(answers, trials, np.random.default_rng(seed)), axis=0, return_counts=True)
    signs = {0: "⊥", 1: "⊤", -1: ""}
    return {"".join(signs[int(s)] for s in row): n / trials for row, n in zip(rows, numbers, strict=True)}


def near(share, p, trials=40_000):
    """Whether a share is within 4.5 standard errors of a probability."""
    return abs(share - p) < 4.5 * math.sqrt(p * (1 - p) / trials)


def test_box_c_is_alg1_and_box_d_lacks_the_c():
    """Every outcome as often as the exact engine says; and each box is told from the other."""
    without_c = svt.Mechanism(
        "D", threshold_noise=svt.Laplace(2), query_noise=svt.Laplace(4), c=C, epsilon=1.0, epsilon1=0.5, epsilon2=0.5
    )
    for name, mechanism, other in (("C", ALG1, without_c), ("D", without_c, ALG1)):
        seen = shares(BOXES[name], ANSWERS)
        assert len(seen) == 7
        exact = {o: math.exp(svt.log_probability(mechanism, ANSWERS[: len(o)], o)) for o in seen}
        assert all(near(seen[o], p) for o, p in exact.items()) and sum(exact.values()) == pytest.approx(1)
        assert not all(near(seen[o], math.exp(svt.log_probability(other, ANSWERS[: len(o)], o))) for o in seen)


def test_box_b_is_alg1_until_the_noise_ends():
    """At 50 scales nothing is left; near the threshold its signs are those of Alg. 1 but for the trimmed tails."""
    rng = np.random.default_rng(3)
    assert not BOXES["B"]([-50.1], 200_000, rng).any()
    assert BOXES["B"]([50.1], 200_000, rng).all()
    share = BOXES["B"]([-5.0], 200_000, rng).mean()
    assert share == pytest.approx(math.exp(svt.log_probability(ALG1, [-5], "⊤")), abs=0.01)


def test_box_e_answers_independently():
    """With a fresh threshold the negatives multiply."""
    one = math.exp(svt.log_probability(ALG1, [-2], "⊥"))
    assert near(shares(BOXES["E"], [-2.0] * 4)["⊥⊥⊥⊥"], one**4)
    assert not near(shares(BOXES["C"], [-2.0] * 4)["⊥⊥⊥⊥"], one**4)
