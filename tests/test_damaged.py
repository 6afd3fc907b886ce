"""Mechanisms one line away from a correct one: every check that should notice does, and none accuses a correct one."""

from dataclasses import fields

import compute_reference
import numpy as np
import pytest
from damaged import damaged, harmless
from parts import one_in
from test_decide import check

import svtlib as svt
from svtcourse.chapter.tables import load_table
from svtlib.proofs.alignment import align

DAMAGED = {change.name: change for change in damaged()}
HARMLESS = {change.name: change for change in harmless()}
ALL = DAMAGED | HARMLESS


@pytest.mark.parametrize("name", ALL)
def test_a_mutation_is_one_line(name):
    """One field differs from the original, and it says which."""
    change = ALL[name]
    damaged, original = change.mechanism, change.original
    assert [f.name for f in fields(damaged) if getattr(damaged, f.name) != getattr(original, f.name)] == [change.field]
    assert change.field in change.change
    assert svt.run(damaged, change.answers, change.threshold, rng=np.random.default_rng(1)).length > 0
    svt.privacy_loss(damaged, change.answers, change.neighbour, [False] * len(change.answers), change.threshold)


@pytest.mark.parametrize("name", ALL)
def test_every_damage_is_found_at_its_step(name):
    """`prove` names the step of what is damaged and holds for what is not; `decide` convicts the one alone."""
    change = ALL[name]
    proof, decision = svt.prove(change.mechanism), svt.decide(change.mechanism)
    assert proof.failing_step == change.step and decision.private is proof.holds is (change.step is None)
    if change.step is not None:
        assert proof.epsilon > change.mechanism.epsilon * (1 + 1e-9) and proof.reason
        check(decision)


@pytest.mark.parametrize("name", one_in(4, DAMAGED))
def test_the_alignment_fails_where_the_damage_is(name):
    """`check_alignment` names the step, with its numbers; the case shown fails by itself."""
    m, step = DAMAGED[name].mechanism, DAMAGED[name].step
    report = svt.check_alignment(m, rng=np.random.default_rng(1), trials=500)
    assert report.step == step
    case, moved = report.broken.case, align(m, report.broken.case, report.broken.outcome)
    there = svt.run(m, case.neighbour, case.threshold, tape=moved.tape)
    assert there == report.broken.neighbour_outcome
    assert there.outcome != report.broken.outcome.outcome or moved.cost > m.epsilon


# The committed table, which chapter 12 shows.


def test_the_committed_table_has_a_row_for_every_change():
    """In the order of the lists, damaged ones first, and no change that has since been renamed."""
    table = load_table("checks-100000")
    assert table["what"].tolist() == list(ALL)
    assert table["private"].tolist() == [change.step is None for change in ALL.values()]
    assert table["change"].tolist() == [change.change for change in ALL.values()]


@pytest.mark.parametrize("row", one_in(2, [4, 9, 19, 23, 28]))
def test_rows_of_the_committed_table_can_be_computed_again(row):
    """The seed of the row gives the recorded verdicts and numbers."""
    recorded = load_table("checks-100000").iloc[row]
    again = compute_reference.again("checks_100000", row)
    for column in ("what", "of", "change", "proof fails at", "n", "noticed by"):
        assert again[column] == recorded[column]
    for column in ("largest loss", "audited loss"):
        assert again[column] == pytest.approx(recorded[column], abs=1e-3)
