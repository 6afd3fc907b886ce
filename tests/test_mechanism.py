"""The loop: what it answers, when it stops, and that its fast and its plain form are the same."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from parts import calibrated

import svtlib as svt
from svtlib.select.simulate import _walk
from svtlib.switches import Comparison, Cutoff, Release

EVERY = svt.variants()


def through_session(mechanism, answers, thresholds, tape):
    """The answers of the plain loop, one query at a time."""
    session = svt.Session(mechanism, tape=tape)
    outcome = []
    for answer, threshold in zip(answers, thresholds, strict=True):
        if session.stopped:
            break
        outcome.append(session.ask(answer, threshold).outcome)
    transcript = session.transcript
    assert transcript.outcome == tuple(outcome) and session.asked == len(outcome)
    assert transcript == svt.run(mechanism, answers[: len(outcome)], thresholds[: len(outcome)], tape=transcript.tape)
    assert session.positives == transcript.positives.size
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


DRAWN = []


class Logged(svt.Laplace):
    """Laplace noise that writes down what it draws."""

    def sample(self, rng, size=None):
        values = super().sample(rng, size)
        DRAWN.append(np.array(values, ndmin=1))
        return values


def tapes_of(mechanism, rows, n, drawn):
    """The noise of each row of a sampler, from what was drawn: whoever was still asked, in the order of the rows."""
    drawn = iter(drawn)
    rho = [[x] for x in next(drawn)]
    nu, release, found = ([[] for _ in rho] for _ in range(3))
    for i in range(n):
        live = [k for k in range(len(rho)) if rows[k, i] != -1]
        if not live and mechanism.cutoff is not None:
            break
        for k, x in zip(live, next(drawn), strict=True):
            nu[k].append(x)
        above = [k for k in live if rows[k, i] == 1]
        for k in above:
            found[k].append(i)
        if mechanism.refresh:
            again = [k for k in above if mechanism.cutoff != "at c" or len(found[k]) < mechanism.c]
            for k, x in zip(again, next(drawn), strict=True):
                rho[k].append(x)
        if mechanism.release == "fresh":
            for k, x in zip(above, next(drawn), strict=True):
                release[k].append(x)
    return [svt.NoiseTape(*parts) for parts in zip(rho, nu, release, strict=True)]


def said(row, n):
    """A sampler's row as `Transcript.outcome` writes it."""
    signs = [{0: False, 1: True, 2: svt.ABORT}[int(code)] for code in row[:n] if code != -1]
    numbers = row[n:]
    return tuple(float(numbers[i]) if numbers.size and sign is True else sign for i, sign in enumerate(signs))


@given(
    st.sampled_from([option.value for option in Cutoff]),
    st.sampled_from([None, "as the first", "its own"]),
    st.sampled_from([(r, c) for r in Release for c in Comparison if r is not Release.GAP or not c.absolute]),
    st.integers(1, 3),
    st.integers(0, 40),
    st.floats(-10, 40),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=300)
def test_every_form_of_the_loop_is_the_plain_loop(cutoff, refresh, switches, c, n, height, seed):
    """`run`, the sampler of the audit and the walk of the simulation answer what `Session` does on the same noise.

    For every combination of switches, those that no published variant has included.
    """
    release, compare = (switch.value for switch in switches)
    mechanism = replace(
        calibrated("alg1", c),
        threshold_noise=Logged(3.0),
        query_noise=Logged(5.0),
        cutoff=cutoff,
        refresh=refresh is not None,
        refresh_noise=Logged(2.0) if refresh == "its own" else None,
        release=release,
        release_noise=Logged(4.0) if release == "fresh" else None,
        compare=compare,
        correction=height / 7,
    )
    rng = np.random.default_rng(seed)
    answers, thresholds = rng.normal(0, 20, n), rng.normal(height, 5, n)

    transcript = svt.run(mechanism, answers, thresholds, rng=rng)
    assert svt.run(mechanism, answers, thresholds, tape=transcript.tape) == transcript
    whole = through_session(mechanism, answers, thresholds, transcript.tape)
    assert whole == (transcript.outcome, transcript.stopped)
    positives = [i for i, answer in enumerate(whole[0]) if answer is not False and answer is not svt.ABORT]
    assert positives == transcript.positives.tolist() and len(positives) <= mechanism.most_positives

    DRAWN.clear()
    rows = svt.sampler_of(mechanism, thresholds)(answers, 4, rng)
    for row, tape in zip(rows, tapes_of(mechanism, rows, n, DRAWN), strict=True):
        assert through_session(mechanism, answers, thresholds, tape)[0] == said(row, n)

    if cutoff == "at c" and refresh and compare == "signed" and n:
        rho = np.pad(transcript.tape.rho, (0, c))[:c]
        nu = np.pad(transcript.tape.nu, (0, n))[:n]  # what the run did not use is not looked at
        found = np.zeros(1, dtype=np.int64)
        walked = _walk(np.zeros(n, dtype=np.int64), answers + nu - (thresholds + height / 7), rho[None, :], found, c)
        assert walked.tolist() == positives and found.tolist() == [len(positives)]


def test_the_comparison_can_be_of_absolute_values():
    """abs_value puts the noise inside the bars: |0 - 3| >= 2 + 0.5, |2 - 3| < 2.5, |6 - 3| >= 2.5."""
    tape = svt.NoiseTape(rho=[0.5], nu=[-3, -3, -3])
    assert svt.run(calibrated("abs_value", c=3), [0, 2, 6], 2.0, tape=tape).outcome == (True, False, True)


def test_the_lecture_goes_on_after_c_and_aborts_at_the_next():
    """lecture2012 with c = 1 answers negatives after the first positive and aborts at the second crossing."""
    transcript = svt.run(calibrated("lecture2012"), [1, -1, -1, 2, 3], tape=svt.NoiseTape([0], [0.5, 0, 0, 0, 0]))
    assert transcript.outcome == (1.5, False, False, svt.ABORT)
    assert transcript.stopped and transcript.aborted and transcript.positives.tolist() == [0]
    assert str(transcript) == "1.5 ⊥⊥ ABORT" and repr(svt.ABORT) == "ABORT"


def test_a_session_raises_once_the_budget_is_spent():
    """Every ask after the cut-off raises BudgetExhausted and leaves the session as it was."""
    session = svt.Session(calibrated("alg1", 2), rng=np.random.default_rng(3))
    assert [bool(session.ask(x)) for x in (1e9, -1e9, 1e9)] == [True, False, True]
    for _ in range(2):
        with pytest.raises(svt.BudgetExhausted, match="alg1 has given its 2 positive answers"):
            session.ask(0)
    assert session.asked == 3


def test_an_answer_is_true_exactly_if_it_is_positive():
    """A released 0.0 is positive, and ABORT, which crossed the threshold but answers nothing, is not."""
    session = svt.Session(calibrated("lecture2012"), tape=svt.NoiseTape([0], [0, -1, 0, 0]))
    said = [session.ask(x) for x in (0.0, 0.0, 2.0)]
    assert [bool(answer) for answer in said] == [True, False, False]
    assert [answer.outcome for answer in said] == [0.0, False, svt.ABORT]
    assert [str(answer) for answer in said] == ["Answer(⊤ 0)", "Answer(⊥)", "Answer(ABORT)"]
    gap = svt.Session(replace(calibrated("alg1"), release="gap"), tape=svt.NoiseTape([0.5], [1.0])).ask(2.0, 1.0)
    assert (gap.positive, gap.value, repr(gap)) == (True, 1.5, "Answer(⊤ 1.5)")


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("key", [k for k in EVERY if svt.variant(k).flaw is None and k != "abs_value"])
def test_no_transcript_loses_more_than_a_session_says_is_spent(key, monotonic):
    """For private variants, on 4 far queries: the loss so far is at most `spent`, and some reach 0.3 of it."""
    mechanism = calibrated(key, 2, monotonic=monotonic)
    ratios = []
    for signs in itertools.product([False, True], repeat=4):
        # the noise that gives these signs to answers far above and far below the threshold
        away = 60 * mechanism.query_noise.scale
        answers = [away * (1 - 2 * sign) for sign in signs]
        tape = svt.NoiseTape([0.0] * 4, [-2 * answer for answer in answers])
        session = svt.Session(mechanism, tape=tape)
        for answer in answers:
            if not session.stopped:
                session.ask(answer)
        outcome = session.transcript.outcome
        neighbours = [[1] * 4] if monotonic else [[1 - 2 * s for s in signs]]
        neighbours += [[-x for x in move] for move in neighbours]
        for move in neighbours:
            pair = answers, np.add(answers, move), outcome
            loss = svt.privacy_loss(mechanism, *pair)
            assert loss <= session.spent.epsilon * (1 + 1e-9)
            ratios.append(loss / session.spent.epsilon)
    assert session.spent.epsilon <= mechanism.epsilon * (1 + 1e-12) and max(ratios) > 0.3


def test_the_same_seed_gives_the_same_transcript():
    """Randomness comes from the generator alone."""
    runs = [svt.run(calibrated("alg2", 3), np.zeros(5000), 40, rng=np.random.default_rng(9)) for _ in range(2)]
    assert runs[0] == runs[1] and runs[0] != svt.run(
        calibrated("alg2", 3), np.zeros(5000), 40, rng=np.random.default_rng(10)
    )
    assert "answers" in repr(runs[0]) and runs[0].__eq__(1) is NotImplemented


def test_the_repr_shows_what_differs_from_the_defaults():
    """A mechanism prints its noise and the switches that are on."""
    assert repr(calibrated("alg2", 2)) == (
        "Mechanism(name='alg2', threshold_noise=Laplace(scale=4.0), query_noise=Laplace(scale=8.0), c=2, epsilon=1.0, "
        "epsilon1=0.5, epsilon2=0.5, refresh=True, refresh_noise=Laplace(scale=4.0))"
    )
