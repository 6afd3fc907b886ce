"""Mechanisms one line away from a correct one: every check that should notice does, and none accuses a correct one."""

from dataclasses import fields

import compute_reference
import numpy as np
import pytest
from damaged import damaged, harmless, power_table
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
    case, moved = report.broken.case, report.broken.alignment
    assert align(m, case, report.broken.outcome).tape == moved.tape
    there = svt.run(m, case.neighbour, case.threshold, tape=moved.tape)
    assert there.outcome != report.broken.outcome.outcome or moved.cost > m.epsilon


# Where outcomes that occur often enough in 50,000 runs have a loss well above epsilon.
VISIBLE = {
    "no query noise",
    "negative exponential noise on the queries",
    "integer noise on the queries halved",
    "calibrated for half the sensitivity",
    "no cut-off",
    "numbers released with one-sided noise",
}


@pytest.fixture(scope="module")
def powers():
    """The power table of the damaged mechanisms."""
    return power_table(np.random.default_rng(5), damaged(), trials=100_000)


@pytest.mark.full
def test_the_power_table(powers):
    """Proof and exact search notice every damage; sampling notices those whose loss occurs often enough to be seen."""
    assert powers.index.tolist() == list(DAMAGED)
    assert powers["proof fails at"].tolist() == [change.step for change in damaged()]
    assert (powers["largest loss"] >= 1.1).all()
    assert powers["noticed by"].str.startswith("proof, exact").all()
    seen = set(powers.index[powers["noticed by"] == "proof, exact, audit"])
    assert seen >= VISIBLE and (powers.loc[sorted(VISIBLE), "audited loss"] > 1).all()
    assert not seen >= set(DAMAGED)


@pytest.mark.full
def test_an_audited_loss_is_not_above_what_the_damage_allows(powers):
    """epsilon1 + 2 epsilon2 = 1.5 and the like hold for any number of queries; a bound errs at most once in 1,000."""
    most = {
        "threshold noise halved": 1.5,
        "query noise halved": 1.5,
        "query noise without c": 2.0,
        "goes on after c": 1.5,
    }
    for name, epsilon in most.items():
        assert powers.loc[name, "audited loss"] <= epsilon


@pytest.mark.full
def test_the_power_table_of_what_is_harmless_is_empty():
    """No check notices anything: false alarm of an audit at most 0.001 each."""
    table = power_table(np.random.default_rng(6), harmless(), trials=40_000)
    assert (table["noticed by"] == "").all() and (table["proof fails at"] == "").all()
    assert (table["largest loss"] <= 1 + 1e-9).all() and (table["audited loss"] <= 1).all()


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
