"""The audit: samplers with the law of the loop, bounds that hold as often as they say, and what is broken is found."""

import math
from dataclasses import replace

import numpy as np
import pytest
from parts import calibrated, one_in
from scipy.stats import binom

import svtlib as svt

SIGNS = {0: False, 1: True, 2: svt.ABORT}


LAW = {key: calibrated(key, 2) for key in svt.variants()}
LAW |= {
    "refreshed, no cut-off": replace(LAW["alg2"], cutoff=None, refresh_noise=svt.Laplace(0.5)),
    "fresh numbers": calibrated("alg7", 2, epsilon3=0.2),
    "refreshed, goes on after c, absolute": replace(LAW["abs_value"], cutoff="after c", refresh=True),
}


def test_an_event_names_its_three_commonest_outcomes():
    """The commonest first; how many others there are is said."""

    def five(data, trials, rng):
        return (rng.choice(range(5, 10), trials, p=[0.1, 0.2, 0.3, 0.25, 0.15]) + 10 * data)[:, None]

    event = svt.audit(five, 0, 1, trials=2000, rng=np.random.default_rng(1)).event
    assert event.description == "(7) or (8) or (6) or 2 other outcomes"


@pytest.mark.parametrize("name", one_in(2, LAW))
def test_many_runs_have_the_exact_law(name):
    """The frequency of each pattern of answers is its exact probability, within 5.5 standard deviations.

    70,000 runs, so that they are drawn in more than one part. At most 27 patterns a mechanism and 15 mechanisms: false
    alarm below 2e-5.
    """
    m, answers, threshold, trials = LAW[name], [1.0, 0.0, -2.0], [0.5, 0.0, 1.0], 70_000
    rows = svt.sampler_of(m, threshold)(answers, trials, np.random.default_rng(11))[:, :3].astype(int)
    patterns, counts = np.unique(rows, axis=0, return_counts=True)
    total = 0.0
    for pattern, count in zip(patterns, counts, strict=True):
        signs = [SIGNS[code] for code in pattern.tolist() if code != -1]
        p = math.exp(svt.log_probability(m, answers, signs, threshold))
        total += p
        assert abs(count / trials - p) <= 5.5 * math.sqrt(p * (1 - p) / trials)
    assert total == pytest.approx(1, abs=1e-3)


def randomized_response(bit, trials, rng):
    """Says the truth with odds e : 1, which is exactly 1-DP."""
    return np.where(rng.random(trials) < math.e / (1 + math.e), bit, 1 - bit)


def lazy(bit, trials, rng):
    """Says 1 always or with probability 1/e: the loss of saying 1 is exactly 1, with all the doubt on one side."""
    return (rng.random(trials) < (1 if bit else 1 / math.e)).astype(int)


def uniform(data, trials, rng):
    """One of 1,024 outcomes whatever the data: perfectly private, and easy to see patterns in."""
    return rng.integers(0, 2, (trials, 10))


def noise(data, trials, rng):
    """A real number whatever the data."""
    return rng.normal(0, 1, trials)


ALG1 = calibrated("alg1")
# sampler, dataset, neighbour, true epsilon of this pair
PRIVATE = {
    "randomized response": (randomized_response, 1, 0, 1.0),
    "doubt on one side": (lazy, 1, 0, 1.0),
    "uniform outcomes": (uniform, None, None, 0.0),
    "a real number": (noise, None, None, 0.0),
    "alg1": (svt.sampler_of(ALG1), [0, 0, 0, 1], [1, 1, 1, 0], 1.0),
}


def audits(sampler, data, neighbour, runs, trials=1200):
    """Many seeded audits at confidence 0.9."""
    return [
        svt.audit(sampler, data, neighbour, trials=trials, confidence=0.9, rng=np.random.default_rng(seed))
        for seed in range(runs)
    ]


def tolerated(runs, rate=0.1, alarm=1e-6):
    """The most false alarms of audits that err with probability `rate`: more have probability below `alarm`."""
    return int(binom.ppf(1 - alarm, runs, rate))


@pytest.mark.parametrize(
    "name", one_in(2, ["alg1", "doubt on one side", "randomized response", "uniform outcomes", "a real number"])
)
def test_a_private_mechanism_is_not_accused_more_often_than_stated(name):
    """400 audits at confidence 0.9: more than 71 bounds above the true epsilon have probability below 1e-6."""
    *call, true = PRIVATE[name]
    false = sum(result.epsilon_lower > true for result in audits(*call, runs=400))
    assert tolerated(400) == 71
    assert false <= tolerated(400)


def test_the_error_rate_is_used():
    """With all the doubt on one side, the bound errs in up to 5 of 100 audits, not never: it is not merely loose.

    At a rate of 0.03 or more, none in 400 has probability below 6e-6.
    """
    false = sum(result.epsilon_lower > 1 for result in audits(lazy, 1, 0, runs=400))
    assert 1 <= false <= tolerated(400, 0.05)


def test_the_bounds_are_those_of_clopper_and_pearson():
    """The bounds of scipy's exact binomial test, at 0, in the middle and at all."""
    from scipy.stats import binomtest

    from svtlib.proofs.audit import clopper_pearson

    for inside in (0, 7, 1000):
        lower, upper = clopper_pearson(inside, inside, 1000, 0.005)
        interval = binomtest(inside, 1000).proportion_ci(0.99, method="exact")
        assert (float(lower), float(upper)) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_a_black_box_may_take_any_data_and_return_any_numbers():
    """Here words, and a column of each kind: a constant, whole numbers, real numbers with gaps, truth values."""

    def box(word, trials, rng):
        sure = rng.random(trials) < len(word) / 10
        number = np.where(rng.random(trials) < 0.5, np.nan, rng.normal(len(word), 1, trials))
        return np.column_stack([np.full(trials, 7), sure, rng.integers(0, 99, trials), number])

    result = svt.audit(box, "nine", "six", trials=20_000, rng=np.random.default_rng(1))
    assert result.epsilon_lower > 1 and result.event.description.startswith("log likelihood ratio")
    coins = svt.audit(
        lambda p, trials, rng: [(7, x) for x in rng.random(trials) < p],
        0.9,
        0.1,
        trials=5000,
        rng=np.random.default_rng(1),
    )
    assert repr(coins.event) == "Event((7, 1))"
    truth = svt.audit(
        lambda p, trials, rng: rng.random(trials) < p, 0.9, 0.2, trials=5000, rng=np.random.default_rng(1)
    )
    assert truth.epsilon_lower == pytest.approx(math.log(4.5), abs=0.2) and truth.event.description == "⊤"


@pytest.mark.parametrize(("word", "here"), [("above", 1.0), ("at most", 0.0)])
def test_the_bound_in_the_words_of_an_event_is_its_bound(word, here):
    """Normal numbers around 1 or 0: whatever lies beyond the bound is in the event, and nothing else."""

    def normal(mean, trials, rng):
        return rng.normal(mean, 1, trials)

    event = svt.audit(normal, here, 1.0 - here, trials=20_000, rng=np.random.default_rng(1)).event
    name, bound = event.description.rsplit(" ", 1)
    numbers = np.linspace(-4, 4, 801)
    assert name == f"number {word}"
    assert (event(numbers[:, None]) == (numbers > float(bound) if here else numbers <= float(bound))).all()


def test_an_audit_can_be_repeated_and_read():
    """The same seed gives the same result; it prints the bound, the event and both frequencies."""
    first, second = (
        svt.audit(svt.sampler_of(calibrated("alg3")), [0, 1], [1, 0], trials=5000, rng=np.random.default_rng(6))
        for _ in range(2)
    )
    assert repr(first) == repr(second)
    assert repr(first).startswith("epsilon is at least ") and "in " in repr(first) and "2,500 runs on D" in repr(first)
    assert first._repr_html_().startswith('<div class="svt-step">epsilon is at least')
    assert (first.trials, first.confidence) == (2500, 0.99)


def test_what_has_ended_is_no_begin():
    """On D every run ends after its first answer, on D′ some do: with "…" it would be what begins with ⊥."""

    def sampler(data, trials, rng):
        rows = np.full((trials, 4), -1)
        rows[:, 0] = 0
        rows[:, 1] = np.where(rng.random(trials) < 0.9, data[0] - 1, -1)
        return rows

    found = svt.audit(sampler, [0], [1], trials=4_000, rng=np.random.default_rng(1))
    assert found.epsilon_lower > 1 and found.event.description == "⊥"


def test_outcomes_of_many_columns_are_told_apart():
    """The first of 41 says nothing: both of its values are counted, and named."""

    def sampler(data, trials, rng):
        rows = rng.integers(-1, 2, size=(trials, 41)).astype(float)
        usual = rng.random(trials) < 0.95
        rows[usual, 1:] = 0
        rows[usual, 0] = rng.integers(0, 2, size=usual.sum())
        rows[usual, 40] = rng.random(usual.sum()) < (0.9 if data[0] else 0.1)
        return rows

    found = svt.audit(sampler, [1.0], [0.0], trials=20_000, rng=1)
    assert found.p > 0.8 and found.event.description == f"{'⊥' * 40}⊤ or ⊤{'⊥' * 39}⊤"
