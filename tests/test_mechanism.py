"""The loop: what it answers, when it stops, and that its fast and its plain form are the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import svtlib as svt

EVERY = svt.variants()


def calibrated(key, c=1, **more):
    """The variant at epsilon 1, with c where it has one."""
    v = svt.variant(key)
    return v.calibrate(epsilon=1.0, c=c if v.free_c else 1, **more)


def through_session(mechanism, answers, thresholds, tape):
    """The answers of the plain loop, one query at a time."""
    session = svt.Session(mechanism, tape=tape)
    outcome = []
    for answer, threshold in zip(answers, thresholds, strict=True):
        if session.stopped:
            break
        outcome.append(session.ask(answer, threshold))
    return tuple(outcome), session.stopped


@given(st.sampled_from(EVERY), st.integers(1, 4), st.integers(0, 900), st.floats(-30, 30), st.integers(0, 2**32 - 1))
def test_run_is_the_plain_loop(key, c, n, height, seed):
    """For every variant `run` answers what `Session.ask` answers on the same noise; its tape replays it."""
    rng = np.random.default_rng(seed)
    mechanism = calibrated(key, c)
    answers, thresholds = rng.normal(0, 10, n), rng.normal(height, 5, n)
    transcript = svt.run(mechanism, answers, thresholds, rng=rng)
    assert svt.run(mechanism, answers, thresholds, tape=transcript.tape) == transcript
    assert through_session(mechanism, answers, thresholds, transcript.tape) == (transcript.outcome, transcript.stopped)


@given(
    st.integers(0, 60),
    st.sampled_from(["at c", "after c", None]),
    st.booleans(),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
)
def test_switches_combine(n, cutoff, refresh, c, seed):
    """The same for combinations of switches that no published variant has."""
    rng = np.random.default_rng(seed)
    mechanism = replace(
        calibrated("alg7", c, epsilon3=0.5),
        cutoff=cutoff,
        refresh=refresh,
        refresh_noise=svt.Exponential(3.0) if refresh else None,
        compare="absolute" if seed % 2 else "signed",
    )
    answers = rng.normal(0, 30, n)
    transcript = svt.run(mechanism, answers, 5.0, rng=rng)
    assert svt.run(mechanism, answers, 5.0, tape=transcript.tape) == transcript
    assert through_session(mechanism, answers, [5.0] * n, transcript.tape) == (transcript.outcome, transcript.stopped)
    positives = sum(a is not False and a is not svt.ABORT for a in transcript.outcome)
    assert positives == transcript.positives.size <= mechanism.most_positives


def test_a_tie_is_positive():
    """answer + nu >= threshold + rho: equality is an above, as in every listing."""
    tape = svt.NoiseTape(rho=[0.5], nu=[0.25])
    assert svt.run(calibrated("alg1"), [1.25], 1.0, tape=tape).outcome == (True,)
    assert svt.run(calibrated("alg1"), [1.2499999], 1.0, tape=tape).outcome == (False,)
    assert through_session(calibrated("alg1"), [1.25], [1.0], tape) == ((True,), True)
    assert through_session(calibrated("alg1"), [1.2499999], [1.0], tape) == ((False,), False)


def test_the_comparison_can_be_of_absolute_values():
    """abs_value puts the noise inside the bars: |0 - 3| >= 2 + 0.5, |2 - 3| < 2.5, |6 - 3| >= 2.5."""
    tape = svt.NoiseTape(rho=[0.5], nu=[-3, -3, -3])
    assert svt.run(calibrated("abs_value", c=3), [0, 2, 6], 2.0, tape=tape).outcome == (True, False, True)


def test_the_cut_off_stops_at_the_cth_positive():
    """Alg. 1 with c = 2 answers nothing after its second positive; Alg. 6 goes on."""
    tape = svt.NoiseTape(rho=[0], nu=[0] * 5)
    answers = [1, -1, 1, 1, -1]
    assert str(svt.run(calibrated("alg1", 2), answers, tape=tape)) == "⊤⊥⊤"
    assert str(svt.run(calibrated("alg6"), answers, tape=tape)) == "⊤⊥⊤⊤⊥"


def test_the_lecture_goes_on_after_c_and_aborts_at_the_next():
    """lecture2012 with c = 1 answers negatives after the first positive and aborts at the second crossing."""
    transcript = svt.run(calibrated("lecture2012"), [1, -1, -1, 2, 3], tape=svt.NoiseTape([0], [0.5, 0, 0, 0, 0]))
    assert transcript.outcome == (1.5, False, False, svt.ABORT)
    assert transcript.stopped and transcript.aborted and transcript.positives.tolist() == [0]
    assert str(transcript) == "1.5 ⊥⊥ ABORT" and repr(svt.ABORT) == "ABORT"


def test_what_a_positive_releases():
    """alg3 releases the number that was compared; alg7 with epsilon3 releases the answer with fresh noise."""
    assert svt.run(calibrated("alg3"), [4], tape=svt.NoiseTape([0], [2.5])).outcome == (6.5,)
    fresh = calibrated("alg7", epsilon3=0.5)
    assert svt.run(fresh, [4], tape=svt.NoiseTape([0], [2.5], [-1.25])).outcome == (2.75,)


def test_a_refreshed_threshold_is_drawn_once_more_after_each_positive():
    """alg2 with c = 3 and three positives uses three threshold noises; alg1 uses one."""
    rng = np.random.default_rng(5)
    assert len(svt.run(calibrated("alg2", 3), [1e6] * 9, rng=rng).tape.rho) == 3
    assert len(svt.run(calibrated("alg1", 3), [1e6] * 9, rng=rng).tape.rho) == 1


def test_a_session_raises_once_the_budget_is_spent():
    """Every ask after the cut-off raises BudgetExhausted and leaves the session as it was."""
    session = svt.Session(calibrated("alg1", 2), rng=np.random.default_rng(3))
    assert [session.ask(1e9), session.ask(-1e9), session.ask(1e9)] == [True, False, True]
    for _ in range(2):
        with pytest.raises(svt.BudgetExhausted, match="alg1 has given its 2 positive answers"):
            session.ask(0)
    assert session.asked == 3


def test_run_on_nothing_answers_nothing():
    """No query, no answer."""
    transcript = svt.run(calibrated("alg1"), [], rng=np.random.default_rng(1))
    assert transcript.outcome == () and not transcript.stopped and transcript.tape.nu == ()


def test_the_same_seed_gives_the_same_transcript():
    """Randomness comes from the generator alone."""
    runs = [svt.run(calibrated("alg2", 3), np.zeros(5000), 40, rng=np.random.default_rng(9)) for _ in range(2)]
    assert runs[0] == runs[1] and runs[0] != svt.run(
        calibrated("alg2", 3), np.zeros(5000), 40, rng=np.random.default_rng(10)
    )
    assert "answers" in repr(runs[0]) and runs[0].__eq__(1) is NotImplemented


def test_a_tape_that_is_too_short_is_named():
    """Replaying needs every number that the run would have drawn."""
    for tape, part in ((svt.NoiseTape([0], [0]), "nu"), (svt.NoiseTape([], [0, 0]), "rho")):
        with pytest.raises(ValueError, match=rf"tape\.{part} has"):
            svt.run(calibrated("alg1"), [-1, -1], tape=tape)


def test_the_repr_shows_what_differs_from_the_defaults():
    """A mechanism prints its noise and the switches that are on."""
    assert repr(calibrated("alg2", 2)) == (
        "Mechanism(name='alg2', threshold_noise=Laplace(scale=4.0), query_noise=Laplace(scale=8.0), c=2, epsilon=1.0, "
        "epsilon1=0.5, epsilon2=0.5, refresh=True, refresh_noise=Laplace(scale=4.0))"
    )
