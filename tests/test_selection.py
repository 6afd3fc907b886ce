"""The exponential mechanism in one shot and peeled, and report noisy max: the laws, exactly and of the samplers.

A sampler is held to an exact law by a chi-square test that rejects at p < 1e-6: that is the false-alarm probability of
each such test, and the seeds are fixed.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from parts import p_value

import svtlib as svt
from svtlib.select.scores import Scores
from svtlib.select.selections import Selections

RUNS = [5_000, pytest.param(20_000, marks=pytest.mark.full)]
VALUES = [2.0, 0.0, 3.0, 2.0, -1.0]
TIED = Scores([6, 5, 2, 0], [2, 1, 30, 400], "exact", "made up")


def test_one_type_is_returned_for_a_list_and_for_its_histogram():
    """A list has the order of selection and, like a histogram, the counts by score, which are those of the order."""
    for scores in ([3, 2, 3, 1], np.array([3.0, 2.0, 3.0, 1.0]), pd.Series([3, 2, 3, 1])):
        runs = svt.exponential_mechanism(scores, 3, epsilon=1.0, rng=np.random.default_rng(3))
        assert isinstance(runs, Selections) and runs.selected.tolist() == [3]
        assert sorted(runs.total()) == [sum(np.asarray(scores)[runs.order])] and list(runs) == runs.order.tolist()
    several = svt.exponential_mechanism(Scores.of([3, 2, 3, 1]), 3, epsilon=1.0, trials=2, rng=np.random.default_rng(3))
    assert type(several) is type(runs) and several.order is None
    with pytest.raises(TypeError, match="only what was selected from a list"):
        list(several)


def test_lists_and_series_go_wherever_scores_do():
    """simulate and expected_error on a list, an array and a Series are those on their distribution."""
    mechanism = svt.variant("alg1").calibrate(epsilon=5.0, c=2)
    whole = Scores.of([9, 4, 9, 1])
    assert whole.support.tolist() == [9, 4, 1] and whole.count.tolist() == [2, 1, 1]
    for scores in ([9, 4, 9, 1], pd.Series([9, 4, 9, 1]), np.array([9, 4, 9, 1])):
        one, other = (svt.simulate(mechanism, x, 5, trials=9, rng=np.random.default_rng(2)) for x in (scores, whole))
        np.testing.assert_array_equal(one.counts(), other.counts())
        assert svt.expected_error(mechanism, scores, 5).ser == svt.expected_error(mechanism, whole, 5).ser
        assert svt.run(mechanism, scores, 5, tape=svt.NoiseTape([0], [0] * 4)).positives.tolist() == [0, 2]
        assert svt.log_probability(mechanism, scores, "⊤⊥⊤", 5) == svt.log_probability(
            mechanism, [9, 4, 9, 1], "⊤⊥⊤", 5
        )


def histogram_law(scores, c, scale):
    """Law of the counts per group: c rounds, in which a group is drawn with its weight times what is left of it."""
    weight = np.exp((scores.support - scores.support[0]) / scale)
    law = {(0,) * weight.size: 1.0}
    for _ in range(c):
        rounds: Counter = Counter()
        for counts, p in law.items():
            left = weight * (scores.count - counts)
            for g, share in enumerate(left / left.sum()):
                rounds[(*counts[:g], counts[g] + 1, *counts[g + 1 :])] += p * share
        law = rounds
    return law


# ----------------------------------------------------------------------------------------------- one shot


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("runs", RUNS)
def test_the_order_of_a_list_follows_the_law(runs, monotonic):
    """Ordered selections of three of five items with a tie; that peeling has this law is a claim (svt-one-shot)."""
    options, rng = {"epsilon": 6.0, "sensitivity": 2.0, "monotonic": monotonic}, np.random.default_rng(1)
    drawn = (svt.exponential_mechanism(VALUES, 3, **options, rng=rng) for _ in range(runs))
    seen = Counter(tuple(map(int, one)) for one in drawn)
    assert p_value(seen, svt.top_law(VALUES, 3, **options)) > 1e-6
    for wrong in ({"epsilon": 18.0}, {"monotonic": not monotonic}):  # no factor c, or 1 for 2
        assert p_value(seen, svt.top_law(VALUES, 3, **(options | wrong))) < 1e-6


@pytest.mark.parametrize(("epsilon", "c"), [(3.0, 1), (6.0, 3), (0.5, 3), (12.0, 4)])
@pytest.mark.parametrize("runs", [2_500, pytest.param(10_000, marks=pytest.mark.full)])
def test_many_items(runs, epsilon, c):
    """433 items: the law of the counts per score, array and histogram alike."""
    values = np.repeat(TIED.support, TIED.count)
    law = histogram_law(TIED, c, 2 * c / epsilon)
    rng = np.random.default_rng(2)
    seen: Counter = Counter()
    for _ in range(runs):
        chosen = svt.exponential_mechanism(values, c, epsilon=epsilon, rng=rng).order
        seen[tuple(np.bincount(np.searchsorted(TIED.ranks, chosen, side="right"), minlength=4).tolist())] += 1
    assert p_value(seen, law) > 1e-6
    runs = svt.exponential_mechanism(TIED, c, epsilon=epsilon, trials=10_000, rng=rng)
    assert (runs.selected == c).all() and (runs.c, runs.trials, runs.scores) == (c, 10_000, TIED)
    counts = Counter(map(tuple, runs.counts().tolist()))
    assert p_value(counts, law) > 1e-6
    assert p_value(counts, histogram_law(TIED, c, c / epsilon)) < 1e-6


# ----------------------------------------------------------------------------------------------- edges and cost


class Zeros(np.random.Generator):
    """A generator whose exponential and uniform numbers are all exactly 0, as float32 ones of numpy can be."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))

    def standard_exponential(self, size=None):
        """Return zeros."""
        return np.zeros(size) if size is not None else 0.0

    def exponential(self, scale=1.0, size=None):
        """Return zeros."""
        return self.standard_exponential(size)

    def random(self, size=None):
        """Return zeros."""
        return np.zeros(size) if size is not None else 0.0


@pytest.mark.parametrize("n", [1, 3, 5000])
def test_an_exponential_number_that_is_exactly_0_is_harmless(n):
    """Its logarithm is -inf: no warning, no NaN, and c different items, best first."""
    values = np.arange(n, dtype=float)
    c = min(n, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = svt.exponential_mechanism(values, c, epsilon=1.0, rng=Zeros()).order
        assert len(set(chosen.tolist())) == c and (np.diff(values[chosen]) < 0).all()
        histogram = Scores(values[::-1], np.ones(n, dtype=int), "exact", "made up")
        assert svt.exponential_mechanism(histogram, c, epsilon=1.0, rng=Zeros()).selected.tolist() == [c]


@pytest.mark.parametrize("values", [[1e308, -1e308, 9e307], [-1e300, 0, -1.0], [1e300, -1e300, 0]])
def test_no_overflow(values):
    """Scores at both ends of the floating-point numbers: the best first, then the rest, each once, without a warning.

    False alarm: none, the distances are more than 700 scales wherever the order is told.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = [*map(int, svt.exponential_mechanism(values, 3, epsilon=1e4, rng=np.random.default_rng(4)))]
    assert chosen[0] == int(np.argmax(values))
    assert sorted(chosen) == [0, 1, 2]


def test_only_differences_of_scores_matter():
    """2^40 added to all of the integers 0 … 99 changes no selection: the noise keeps its precision."""
    values = np.arange(100.0)
    for seed in range(50):
        near, far = (
            svt.exponential_mechanism(values + shift, 10, epsilon=3.0, rng=np.random.default_rng(seed))
            for shift in (0, 2.0**40)
        )
        assert list(near) == list(far)


# ----------------------------------------------------------------------------------------------- report noisy max


@pytest.mark.parametrize("noise", ["laplace", pytest.param("gumbel", marks=pytest.mark.full), "exponential"])
def test_noisy_max_follows_its_law(noise):
    """20,000 runs on five scores with a tie; and another family is told apart."""
    options = {"epsilon": 1.5, "sensitivity": 2.0}
    rng = np.random.default_rng(7)
    family = {"laplace": svt.Laplace, "gumbel": svt.Gumbel, "exponential": svt.Exponential}[noise](2 * 2.0 / 1.5)
    seen = Counter((VALUES + family.sample(rng, (20_000, len(VALUES)))).argmax(axis=1).tolist())
    laws = {kind: dict(enumerate(svt.noisy_max_law(VALUES, **options, noise=kind))) for kind in ("laplace", "gumbel")}
    own = dict(enumerate(svt.noisy_max_law(VALUES, **options, noise=noise)))
    assert math.fsum(own.values()) == pytest.approx(1, abs=1e-8)
    assert p_value(seen, own) > 1e-6
    assert p_value(seen, laws["gumbel" if noise == "laplace" else "laplace"]) < 1e-6


def test_noisy_max_with_gumbel_noise_is_the_exponential_mechanism():
    """The softmax of the scores over the scale."""
    for monotonic, scale in [(False, 4.0), (True, 2.0)]:
        weight = np.exp(np.array(VALUES) / scale)
        law = svt.noisy_max_law(VALUES, epsilon=0.5, monotonic=monotonic, noise="gumbel")
        assert law == pytest.approx(weight / weight.sum(), abs=1e-8)
        first: Counter = Counter()
        for order, p in svt.top_law(VALUES, 1, epsilon=0.5, monotonic=monotonic).items():
            first[order[0]] += p
        assert law == pytest.approx([first[i] for i in range(5)], abs=1e-8)


@pytest.mark.parametrize("distance", [0.0, 0.5, 30.0])
def test_noisy_max_with_laplace_noise_of_two(distance):
    """Pr[Lap(b) - Lap(b) > d] = (1 + d / 2b) exp(-d/b) / 2."""
    loser = (1 + distance / 4) * math.exp(-distance / 2) / 2
    law = svt.noisy_max_law([distance, 0.0], epsilon=1.0)
    assert law == pytest.approx([1 - loser, loser], rel=1e-8)
