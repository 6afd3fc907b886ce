"""What one record can change: against closed forms, against brute force over small datasets, and refusals."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import svtlib as svt

BOTH = ("add/remove", "replace")


def bands(width, step, ages=range(60)):
    """Age bands [low, low + width) at every `step` years."""
    return svt.Workload(ages, {f"{low}-": lambda age, low=low: low <= age < low + width for low in range(0, 60, step)})


def by_hand(workload, neighbours, size=2):
    """The same numbers from all datasets of at most `size` records and all their neighbours."""
    records = list(workload.records)
    data = [list(rows) for n in range(size + 1) for rows in itertools.combinations_with_replacement(records, n)]
    each, together, changed, monotonic = [0] * len(workload.queries), 0, 0, True
    disjoint = all(sum(map(bool, workload.answers([record]))) <= 1 for record in records)
    for rows in data:
        if neighbours == "add/remove":
            others = [[*rows, new] for new in records]
        else:
            others = [[*rows[:i], new, *rows[i + 1 :]] for i in range(len(rows)) for new in records]
        before = workload.answers(rows)
        for other in others:
            moves = [new - old for new, old in zip(workload.answers(other), before, strict=True)]
            each = [max(old, abs(move)) for old, move in zip(each, moves, strict=True)]
            together = max(together, sum(map(abs, moves)))
            changed = max(changed, sum(move != 0 for move in moves))
            monotonic &= not (min(moves) < 0 < max(moves))
    return dict(zip(workload.queries, each, strict=True)), together, changed, monotonic, disjoint


def found(workload, neighbours):
    """What the workload says, in the order of `by_hand`; the step that it shows attains the joint sensitivity."""
    s = workload.sensitivity(neighbours)
    before, after = ([], s.step) if neighbours == "add/remove" else ([s.step[0]], [s.step[1]])
    answers = zip(workload.answers(before), workload.answers(list(after)), strict=True)
    assert sum(abs(new - old) for old, new in answers) == s.together
    return s.each, s.together, s.changed, s.monotonic, s.disjoint


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("seed", range(20))
def test_against_all_small_datasets(neighbours, seed):
    """Random contributions on four records, some of them fractions and some large: brute force gives the same."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-2, 3, size=(4, 3)) * rng.integers(0, 2, size=(1, 3))
    scale = (1, Fraction(1, 3), 10**30)[seed % 3]
    workload = svt.Workload(range(4), [lambda x, q=q: int(table[x, q]) * scale for q in range(3)])
    assert found(workload, neighbours) == by_hand(workload, neighbours)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("n", "most"), [(n, most) for n in range(1, 6) for most in range(n + 1)])
def test_sets_are_not_listed(n, most, neighbours):
    """`subsets` says what a list of all sets of at most `most` of n items says."""
    sets = [frozenset(s) for size in range(most + 1) for s in itertools.combinations(range(n), size)]
    listed = svt.Workload(sets, {str(i): lambda s, i=i: i in s for i in range(n)})
    short = svt.Workload.subsets(n, at_most=most)
    assert found(short, neighbours) == found(listed, neighbours)


def test_answers_are_sums_over_the_records():
    """A list, a dict of counts and a pandas Series give the same answers."""
    ages = svt.load_adult("age").series()
    workload = svt.Workload(range(17, 91), {"20s": lambda a: 20 <= a < 30, "years": lambda a: a})
    rows = [age for age, count in ages.items() for _ in range(count)]
    assert workload.answers(ages) == workload.answers(dict(ages)) == workload.answers(rows)
    assert workload.answers(ages) == [8054, sum(rows)]
    assert svt.Workload.subsets(3, at_most=2).answers([frozenset({0, 1}), frozenset({1})]) == [1, 2, 0]


def test_the_repr_says_it_in_words():
    """One line, with a witness that is cut where it is long."""
    assert repr(bands(10, 5).sensitivity("replace")) == (
        "Sensitivity(replace: one query 1, together 4, changes 4 of 12, not monotonic, overlapping; "
        "attained by 5 for 15)"
    )
    assert len(repr(svt.Workload.subsets(1000).sensitivity())) < 150
    assert repr(svt.Workload.subsets(1000)) == "Workload(1,000 queries on sets of at most 1,000 items)"
