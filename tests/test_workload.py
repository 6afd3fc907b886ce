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


def at_least(ages=range(60)):
    """How many are at least 10, 20, 30, …: a record is in all the thresholds up to its age."""
    return svt.Workload(ages, {f"{low}+": lambda age, low=low: age >= low for low in range(10, 60, 10)})


def everyone_or_one():
    """A sum that a record raises and one that it lowers: neither monotonic nor disjoint."""
    return svt.Workload([1, 2, 3], {"up": lambda x: x, "down": lambda x: Fraction(-x, 2)})


def by_hand(workload, neighbours, size=2):
    """The same numbers from all datasets of at most `size` records and all their neighbours."""
    records = list(workload.records)
    data = [list(rows) for n in range(size + 1) for rows in itertools.combinations_with_replacement(records, n)]
    each, together, changed, monotonic = [0] * len(workload.queries), 0, 0, True
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
    return dict(zip(workload.queries, each, strict=True)), together, changed, monotonic


def found(workload, neighbours):
    """What the workload says, in the order of `by_hand`."""
    s = workload.sensitivity(neighbours)
    return s.each, s.together, s.changed, s.monotonic


def test_bands_that_do_not_overlap_are_disjoint():
    """Ten-year bands: one person is in one of them, so all answers together change by 1, and by 2 if replaced."""
    one, two = (bands(10, 10).sensitivity(relation) for relation in BOTH)
    assert (one.one, one.together, one.changed, one.monotonic, one.disjoint) == (1, 1, 1, True, True)
    assert (two.one, two.together, two.changed, two.monotonic, two.disjoint) == (1, 2, 2, False, True)


def test_bands_that_overlap_are_not_disjoint():
    """Ten-year bands every five years: one person is in two of them; replaced, four answers change, two each way."""
    one, two = (bands(10, 5).sensitivity(relation) for relation in BOTH)
    assert (one.one, one.together, one.changed, one.monotonic, one.disjoint) == (1, 2, 2, True, False)
    assert (two.one, two.together, two.changed, two.monotonic, two.disjoint) == (1, 4, 4, False, False)


def test_nested_counts_are_monotonic_under_both_relations():
    """Whoever is older is in every count that a younger one is in, so an exchange moves all answers one way."""
    for relation in BOTH:
        s = at_least().sensitivity(relation)
        assert (s.together, s.monotonic, s.disjoint) == (5, True, False)


def test_neither_monotonic_nor_disjoint():
    """A record that raises one sum and lowers the other; fractions stay exact."""
    s = everyone_or_one().sensitivity()
    assert (s.each, s.together, s.monotonic, s.disjoint) == (
        {"up": 3, "down": Fraction(3, 2)},
        Fraction(9, 2),
        False,
        False,
    )
    assert s.one == 3


def test_a_count_of_all_rows_does_not_change_when_a_row_is_replaced():
    """Each query has its own sensitivity, and that of a constant contribution is 0 under "replace"."""
    clipped = svt.Workload(range(91), {"sum": lambda age: min(age, 50), "rows": lambda age: 1})
    assert clipped.sensitivity("add/remove").each == {"sum": 50, "rows": 1}
    assert clipped.sensitivity("replace").each == {"sum": 50, "rows": 0}


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
def test_the_step_attains_the_joint_sensitivity(neighbours):
    """Doing the step to a dataset changes the answers by `together` in sum."""
    for workload in (bands(10, 5), at_least(), everyone_or_one(), svt.Workload.subsets(7, at_most=5)):
        s = workload.sensitivity(neighbours)
        if neighbours == "add/remove":
            before, after = [], list(s.step)
        else:
            before, after = [s.step[0]], [s.step[1]]
        moved = [abs(b - a) for a, b in zip(workload.answers(before), workload.answers(after), strict=True)]
        assert sum(moved) == s.together


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("n", "most"), [(n, most) for n in range(1, 6) for most in range(n + 1)])
def test_sets_are_not_listed(n, most, neighbours):
    """`subsets` says what a list of all sets of at most `most` of n items says."""
    sets = [frozenset(s) for size in range(most + 1) for s in itertools.combinations(range(n), size)]
    listed = svt.Workload(sets, {str(i): lambda s, i=i: i in s for i in range(n)})
    short = svt.Workload.subsets(n, at_most=most)
    assert found(short, neighbours) == found(listed, neighbours)
    assert short.sensitivity(neighbours).disjoint == listed.sensitivity(neighbours).disjoint


def test_a_session_may_open_every_page():
    """Without a bound on the record all n answers may change; with at most k pages k of them, or 2k if replaced."""
    assert svt.Workload.subsets(1000).sensitivity().together == 1000
    assert svt.Workload.subsets(1000, at_most=7).sensitivity("add/remove").together == 7
    assert svt.Workload.subsets(1000, at_most=7).sensitivity("replace").together == 14
    assert svt.Workload.subsets(1000, at_most=700).sensitivity("replace").together == 1000


def damages():
    """Families beside the one that the test of the premise is for, each false in one respect."""
    return {
        "together": bands(10, 10),
        "one": svt.Workload(range(60), {"count": lambda a: 2 * (a > 0), "other": lambda a: a > 9}),
        "monotonic": svt.Workload(range(60), {"young": lambda a: a < 60, "old": lambda a: -(a > 9)}),
    }


def premises_hold(workload):
    """The premises of an example with n counts that one person may all change."""
    s = workload.sensitivity()
    return {"one": s.one == 1, "together": s.together == len(workload.queries), "monotonic": s.monotonic}


def test_a_false_premise_is_noticed():
    """The premises hold for nested counts, and each damaged family fails the one it is named after."""
    assert all(premises_hold(at_least()).values())
    for name, workload in damages().items():
        assert not premises_hold(workload)[name], name


def test_answers_are_sums_over_the_records():
    """A list, a dict of counts and a pandas Series give the same answers; other records are refused."""
    ages = svt.load_adult("age").series()
    workload = svt.Workload(range(17, 91), {"20s": lambda a: 20 <= a < 30, "years": lambda a: a})
    rows = [age for age, count in ages.items() for _ in range(count)]
    assert workload.answers(ages) == workload.answers(dict(ages)) == workload.answers(rows)
    assert workload.answers(ages) == [8054, sum(rows)]
    assert svt.Workload.subsets(3, at_most=2).answers([frozenset({0, 1}), frozenset({1})]) == [1, 2, 0]
    for bad in (frozenset({0, 1, 2}), frozenset({3})):
        with pytest.raises(ValueError, match="data must consist of records of the domain"):
            svt.Workload.subsets(3, at_most=2).answers([bad])


def test_the_repr_says_it_in_words():
    """One line, with a witness that is cut where it is long."""
    assert repr(bands(10, 5).sensitivity("replace")) == (
        "Sensitivity(replace: one query 1, together 4, changes 4 of 12, not monotonic, overlapping; "
        "attained by 5 for 15)"
    )
    assert len(repr(svt.Workload.subsets(1000).sensitivity())) < 150
    assert repr(svt.Workload.subsets(1000)) == "Workload(1,000 queries on sets of at most 1,000 items)"
