"""What one types first works, or the message has the line to write."""

import importlib.metadata

import numpy as np
import pytest

import svtlib as svt

M = svt.variant("alg1").calibrate(1.0)
ANSWERS = [1.0, 9.0, 3.0]


def test_a_budget_needs_no_name():
    assert svt.variant("alg1").calibrate(epsilon=1.0) == M


def test_a_seed_is_a_generator():
    """A new one in every call: the same noise again."""
    runs = [svt.run(M, ANSWERS, 5, rng=rng) for rng in (1, np.int64(1), np.random.default_rng(1))]
    assert {(run.outcome, run.tape) for run in runs} == {(runs[0].outcome, runs[0].tape)}
    picked = [svt.simulate(M, [3, 2, 1], 2, trials=9, rng=4).number.tolist() for _ in range(2)]
    assert picked[0] == picked[1]


def test_without_noise_the_message_has_the_line():
    with pytest.raises(ValueError, match=r"rng=numpy.random.default_rng\(1\)"):
        svt.run(M, ANSWERS, 5)


def test_a_transcript_is_an_outcome():
    run = svt.run(M, ANSWERS, 5, rng=1)
    assert svt.log_probability(M, ANSWERS, run, 5) == svt.log_probability(M, ANSWERS, run.outcome, 5)
    assert (
        svt.certify(M, ANSWERS, [1.0, 8.0, 3.0], run, 5).lower < svt.privacy_loss(M, ANSWERS, [1, 8, 3], run, 5) + 1e-9
    )


def test_a_key_is_a_variant():
    assert repr(svt.prove("alg4")) == repr(svt.prove(svt.variant("alg4")))
    assert svt.actual_epsilon("alg4", 1.0) == svt.actual_epsilon(svt.variant("alg4"), 1.0)


def test_where_a_mechanism_is_needed_the_message_makes_one():
    for call in (svt.decide, lambda m: svt.log_probability(m, [0], "T")):
        for wrong in ("alg4", svt.variant("alg4")):
            with pytest.raises(ValueError, match=r'svt.variant\("alg4"\).calibrate\(epsilon=1.0\)'):
                call(wrong)


def test_an_audit_takes_a_mechanism():
    found = svt.audit(svt.variant("alg5").calibrate(1.0), [0, 1], [1, 0], trials=4000, rng=1)
    assert found.epsilon_lower > 1


def test_names_are_short():
    assert len(repr(svt.variant("alg4"))) < 40 and repr(svt.prove("alg1").epsilon) == "ε₁ + ε₂"
    assert svt.__version__ == importlib.metadata.version("svtlib")
    assert svt.Laplace(2.0).pdf([0.0, 2.0]).tolist() == pytest.approx([0.25, 0.25 / np.e])
