"""Measures of a selection: by hand, with ties and empty selections, and against a brute force over the ties."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

import svtlib as svt
from svtlib.select.scores import Scores
from svtlib.select.selections import Selections

MEASURES = ("ser", "fnr", "precision", "f1", "ncr")
SCORES = Scores([10, 6, 5, 1], [1, 1, 3, 2], "exact", "made up")


def selected(*runs, scores=SCORES, c=4):
    """Selections with these counts per score group, one row a run."""
    trial, group = np.nonzero(runs)
    return Selections(scores, c, len(runs), trial, group, np.asarray(runs)[trial, group])


def test_every_measure_by_hand():
    """Top 4 of 10, 6, 5, 5, 5, 1, 1: each 5 holds 2/3 of a place and on average rank 4; four selected, and one."""
    runs = selected([1, 0, 2, 1], [0, 1, 0, 0])
    assert runs.ser() == pytest.approx([1 - 21 / 26, 1 - 6 / 26])
    assert runs.fnr() == pytest.approx([1 - 7 / 12, 1 - 1 / 4])
    assert runs.precision() == pytest.approx([7 / 12, 1])
    assert runs.f1() == pytest.approx([2 * (7 / 3) / 8, 2 / 5])
    assert runs.ncr() == pytest.approx([(4 + 2 * (2 + 1 + 0) / 3) / 10, 3 / 10])


def test_a_run_that_selects_nothing():
    """Everything is missed; an average over no items is not defined and counts as the worst, with no warning."""
    runs = selected([0, 0, 0, 0], [1, 1, 2, 0])
    with np.errstate(all="raise"):
        assert [getattr(runs, name)()[0] for name in MEASURES] == [1, 1, 0, 0, 0]
        assert runs.ser()[1] == pytest.approx(0)


@pytest.mark.parametrize("c", [1, 2, 3, 4, 5, 6, 7])
def test_weights_are_the_mean_over_all_ways_to_break_the_ties(c):
    """Brute force: the seven items in all orders that are descending by score."""
    items = np.repeat(np.arange(4), SCORES.count)
    orders = [p for p in permutations(range(7)) if all(items[a] <= items[b] for a, b in pairwise(p))]
    assert len(orders) == 12  # 3! 2!
    place = np.array([[p.index(i) for i in range(7)] for p in orders])
    for weight, worth in [(SCORES.top_weight(c), place < c), (SCORES.rank_weight(c), np.maximum(c - place, 0))]:
        assert weight[items] == pytest.approx(worth.mean(axis=0), abs=1e-12)


def test_more_wanted_than_there_are_is_said_of_c():
    """Seven items, nine wanted: the message names c and the items, not an argument of an inner function."""
    mechanism = svt.variant("alg1").calibrate(epsilon=5.0, c=9)
    runs = svt.simulate(mechanism, SCORES, 0.0, trials=2, rng=np.random.default_rng(1))
    for name in MEASURES:
        with pytest.raises(ValueError, match=r"selections must be of c items that exist, got c = 9 .* 7 items"):
            getattr(runs, name)()
