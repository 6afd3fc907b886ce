"""Executable proofs: they hold for what is private, break where the catalogue says, and notice a damaged proof."""

import math
from dataclasses import replace

import numpy as np
import pytest
from parts import calibrated, one_in

import svtlib as svt
from svtlib.proofs import alignment
from svtlib.proofs.alignment import Case, hard_case


def check(mechanism, *, trials=400, seed=1, **more):
    """The alignment tried with a fixed seed."""
    return svt.check_alignment(mechanism, rng=np.random.default_rng(seed), trials=trials, **more)


def align(m, answers, neighbour, tape, threshold=0.0):
    """The noise of one run, moved."""
    case = Case(np.array(answers, dtype=float), np.array(neighbour, dtype=float), np.array(threshold), tape)
    return alignment.align(m, case, svt.run(m, answers, threshold, tape=tape))


ALG1 = calibrated("alg1", 3)
ALG7 = calibrated("alg7", 3, epsilon3=0.25)
ABS = calibrated("abs_value", 2)
PRIVATE = {
    "alg1": ALG1,
    "alg1, c = 1, split 1:4": calibrated("alg1", split=4.0),
    "alg1, sensitivity 2.5": svt.variant("alg1").calibrate(epsilon=0.2, c=2, sensitivity=2.5),
    "alg1, sensitivity 0.1": svt.variant("alg1").calibrate(epsilon=3.0, c=2, sensitivity=0.1),
    "alg2": calibrated("alg2", 3),
    "sparse": calibrated("sparse", 3),
    "above_threshold": calibrated("above_threshold"),
    "alg7": calibrated("alg7", 3),
    "alg7, numbers": ALG7,
    "alg7, monotonic": calibrated("alg7", 3, monotonic=True),
    "alg7, monotonic, numbers": calibrated("alg7", 2, monotonic=True, epsilon3=0.4),
    "abs_value": ABS,
    "abs_value, monotonic": calibrated("abs_value", 2, monotonic=True),
    "alg4, c = 1, monotonic": calibrated("alg4", monotonic=True),
    "exponential threshold noise": replace(ALG1, threshold_noise=svt.Exponential(2.0)),
    "exponential query noise": replace(ALG1, query_noise=svt.Exponential(12.0)),
    "Gumbel noise": replace(ALG1, threshold_noise=svt.Gumbel(2.0), query_noise=svt.Gumbel(12.0)),
    "integer noise": replace(ALG1, threshold_noise=svt.Geometric(2.0), query_noise=svt.Geometric(12.0, sides=1)),
    "indicators of alg3 at 3/2 epsilon": replace(calibrated("alg3", 3), release="indicator", epsilon=1.5, epsilon2=1.0),
}


@pytest.mark.parametrize("name", one_in(4, PRIVATE))
def test_the_proof_holds_for_what_is_private(name):
    """Same output, cost at most epsilon, one to one; and the cases are hard enough for the cost to reach its bound.

    The bound is the sum of the largest costs of the steps: the threshold by Delta in every epoch, c positives each by
    2 Delta (Delta if monotonic), c numbers each by Delta.
    """
    m = PRIVATE[name]
    report = check(m)
    assert report.holds and report.step is None and report.failures == 0 and not report.reason
    shift = 1 if m.monotonic and m.compare == "signed" else 2
    bound = {
        "threshold": (m.c if m.refresh else 1) * m.sensitivity / m.threshold_noise.scale,
        "positives": m.c * shift * m.sensitivity / m.query_noise.scale,
        "release": m.c * m.sensitivity / m.release_noise.scale if m.release_noise else 0.0,
    }
    for step, most in bound.items():
        assert report.costs[step] <= most * (1 + 1e-9) and report.costs[step] >= 0.9 * most
    assert report.cost <= m.epsilon * (1 + 1e-9)


def test_the_map_of_theorem_3_3_by_hand():
    """One negative, one positive, as in the proof: rho + 1, nu of the negative kept, of the positive + 1 + (5 - 4)."""
    m = svt.variant("alg1").calibrate(epsilon=1.0)
    moved = align(m, [0, 5], [1, 4], svt.NoiseTape([0.5], [-1, 2]), threshold=3)
    assert moved.tape == svt.NoiseTape([1.5], [-1, 4])
    assert moved.costs == pytest.approx({"threshold": 0.5, "negatives": 0.0, "positives": 0.5, "release": 0.0})
    assert moved.cost == pytest.approx(1.0)


def test_the_two_cases_of_theorem_4_9():
    """Monotonic queries: if all answers fall the threshold stays and positives move by the fall, else both rise."""
    m = calibrated("alg7", monotonic=True)
    tape = svt.NoiseTape([0.5], [-1, 2])
    assert align(m, [0, 5], [-1, 4.5], tape, 3).tape == svt.NoiseTape([0.5], [-1, 2.5])
    assert align(m, [0, 5], [0.25, 6], tape, 3).tape == svt.NoiseTape([1.5], [-1, 2])


def test_numbers_stay_and_an_abort_moves_like_a_positive():
    """Compared noise moves by answer - neighbour, whatever the threshold; a crossing after c rises with it."""
    alg3, lecture = calibrated("alg3", 2), calibrated("lecture2012")
    assert align(alg3, [4], [3.5], svt.NoiseTape([0], [2])).tape.nu == (2.5,)
    assert align(lecture, [4, 6], [4, 5], svt.NoiseTape([0], [3, 0])).tape.nu == (3.0, 2.0)


def test_noise_that_cannot_move_costs_infinity():
    """A constant can only stay; one-sided noise can only rise."""
    tape = svt.NoiseTape([0], [0])
    assert align(calibrated("alg5"), [1], [0], tape).costs["positives"] == math.inf
    assert align(calibrated("alg5"), [-1], [0], tape).cost == 0.5
    falling = replace(ALG1, threshold_noise=svt.Exponential(2.0, sign=-1))
    assert align(falling, [-1], [0], tape).costs["threshold"] == math.inf


@pytest.mark.parametrize("part", [0.0, 0.5])
def test_a_threshold_raised_too_little_loses_a_negative(monkeypatch, part):
    """The checker notices a damaged proof, not only a damaged mechanism: Delta is needed for the negatives."""
    monkeypatch.setattr(alignment, "_raise", lambda m, q, p: part * m.sensitivity)
    report = check(ALG1)
    assert report.step == "negatives" and "is ⊥ on D and ⊤ on D′" in report.reason


@pytest.mark.parametrize(
    ("m", "part", "step", "words"),
    [(ALG1, "nu", "positives", "is ⊤ on D and ⊥ on D′"), (ALG7, "release", "release", "must stay the same")],
    ids=["positives", "numbers"],
)
def test_noise_that_does_not_follow_is_noticed(monkeypatch, m, part, step, words):
    """A proof that forgets to move the noise of the positives changes their answers, or their numbers."""
    whole = alignment._move

    def lazy(m, q, p, transcript, tape, raised):
        return replace(whole(m, q, p, transcript, tape, raised), **{part: getattr(tape, part)})

    monkeypatch.setattr(alignment, "_move", lazy)
    report = check(m)
    assert report.step == step and words in report.reason


@pytest.mark.parametrize(
    ("part", "step"), [("rho", "threshold"), ("nu", "negatives"), ("nu", "positives"), ("release", "release")]
)
def test_a_map_that_is_not_one_to_one_is_noticed(monkeypatch, part, step):
    """If the inverse does not bring a part of the noise back, the step it belongs to is named."""
    whole = alignment._unaligned

    def forgetful(m, case, transcript, tape):
        back = whole(m, case, transcript, tape)
        lost = np.array(getattr(back, part))
        lost[transcript.positives if step == "positives" else slice(None)] += 1
        return replace(back, **{part: lost})

    monkeypatch.setattr(alignment, "_unaligned", forgetful)
    report = check(ALG7)
    assert report.step in {step, "positives"} if step == "negatives" else report.step == step
    assert "not one to one" in report.reason


def test_reports_are_readable_and_reproducible():
    """Verdict, step, numbers and both runs, in text and in HTML; the same seed gives the same report."""
    good, bad = check(ALG1), check(calibrated("alg3"))
    assert repr(good).startswith("✓ alg1: same output, and cost at most 1, in all 400 trials of up to 12 queries")
    assert "largest cost 1 (by step: threshold 0.5, positives 0.5)" in repr(good)
    assert repr(bad).startswith("✗ alg3 fails at the step “release”: answer 1 is ") and "\n  D′: answers (" in repr(bad)
    assert good._repr_html_().startswith('<div class="svt-step svt-step-holds">✓ alg1')
    assert bad._repr_html_().startswith('<div class="svt-step svt-step-fails">✗ alg3')
    assert repr(bad) == repr(check(calibrated("alg3")))


def test_the_case_shown_is_small():
    """What a reader has to follow: one query for alg3, two positives for alg6."""
    assert check(calibrated("alg3")).broken.case.answers.size == 1
    assert check(calibrated("alg6")).broken.case.answers.size == 2


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("sensitivity", [1.0, 0.1, 2.5])
def test_cases_are_neighbours_that_are_hard(monotonic, sensitivity):
    """No answer moves by more than Delta, some by all of it; ties occur; monotonic ones move one way."""
    m = svt.variant("alg7").calibrate(epsilon=1.0, c=2, sensitivity=sensitivity, monotonic=monotonic)
    rng = np.random.default_rng(2)
    ties = whole = every = none = 0
    for _ in range(400):
        case = hard_case(m, 8, rng)
        move = case.neighbour - case.answers
        assert np.abs(move).max() <= sensitivity * (1 + 1e-9)
        assert not monotonic or (move >= 0).all() or (move <= 0).all()
        whole += bool((np.abs(move) >= sensitivity * 0.9999).any())
        transcript = svt.run(m, case.answers, case.threshold, tape=case.tape)
        margin = case.answers + case.tape.nu - case.threshold - case.tape.rho[0]
        ties += bool((margin[: transcript.length] == 0).any())
        every += transcript.positives.size == m.c
        none += transcript.positives.size == 0
    assert min(whole, every) > 100 and none > 50
    assert ties > 50 if sensitivity != 0.1 else ties == 0


# What was once said to hold and does not


def test_enough_queries_are_tried_for_all_positives():
    """c = 50 and query noise for 1.75 epsilon: 12 queries would not have spent half of what the run may."""
    m = replace(calibrated("alg1", 50), query_noise=svt.Laplace(80.0))
    report = check(m)
    assert report.step == "positives" and report.n >= 50
    assert 1.5 < report.cost <= 1.75 * (1 + 1e-9)
    assert check(m, epsilon=1.75, trials=200).holds
    assert check(replace(m, cutoff=None), n=1, trials=5).n == 1


@pytest.mark.parametrize("epsilon", one_in(3, [1e-10, 1e-5, 1e3]))
@pytest.mark.parametrize("sensitivity", [1.0, 0.1, 1e-9])
def test_a_budget_of_any_size_is_kept_to_its_last_hundredth(epsilon, sensitivity):
    """A tolerance that is not relative forgives Alg. 4 everything at a small epsilon, and Alg. 3 at a small unit."""
    small = {"epsilon": epsilon, "sensitivity": sensitivity}
    monotonic = sensitivity == 0.1
    m = svt.variant("alg4").calibrate(c=2, monotonic=monotonic, **small)
    true = svt.actual_epsilon("alg4", epsilon, 2, monotonic)
    assert check(m, epsilon=0.9 * true).step == "positives"
    assert check(m, epsilon=1.001 * true, trials=100).holds
    assert check(svt.variant("alg7").calibrate(c=2, epsilon3=epsilon / 3, **small), trials=100).holds
    assert check(svt.variant("alg3").calibrate(**small), trials=50).step == "release"
