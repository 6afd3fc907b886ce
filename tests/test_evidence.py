"""The record: every claim of the ledger has one function that computes it, and falls with its damaged inputs."""

from __future__ import annotations

import ast
import inspect
import json

import pytest
from outputs import text_difference
from parts import ROOT, one_in

import evidence
from evidence import Record, _common, evidence_for, records
from svtcourse.claim_cards import ledger

SAID = json.loads((ROOT / "data/evidence.json").read_text(encoding="utf-8"))


def test_every_claim_has_one_function_and_one_sentence():
    """Ledger, functions and committed sentences name the same claims."""
    assert set(records()) == set(ledger()) == set(SAID)


# Claims that take most of a second or more: `make check` computes them.
@pytest.mark.parametrize("id", one_in(17, sorted(ledger())))
def test_a_claim_is_what_the_ledger_says(id):
    """The verdict is the recorded one, the sentence the committed one up to last digits."""
    verdict, sentence = records()[id].verdict()
    assert verdict == ledger()[id].verdict, sentence
    assert not text_difference(SAID[id], sentence)


@pytest.mark.parametrize("id", one_in(19, sorted(ledger())))
def test_a_claim_falls_with_a_damaged_input(id):
    assert records()[id].damage
    for damage in records()[id].damage:
        verdict, sentence = records()[id].verdict(**damage)
        assert verdict != ledger()[id].verdict, (damage, sentence)


def literal(node: ast.AST) -> bool:
    """Whether no name is read and nothing called in an expression."""
    return not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node))


@pytest.mark.parametrize("id", sorted(ledger()))
def test_no_verdict_is_a_literal(id):
    """What is returned is a condition on values that were computed."""
    (function,) = ast.parse(inspect.getsource(records()[id].function)).body
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    verdicts = [value.elts[0] for value in returned if isinstance(value, ast.Tuple)]
    checked = [value for value in returned if isinstance(value, ast.Call)]  # by what claims of one kind share
    assert verdicts or checked
    for verdict in verdicts:
        for part in verdict.elts if isinstance(verdict, ast.Tuple) else [verdict]:
            assert not literal(part), ast.unparse(part)


# The checks themselves


@pytest.fixture
def own(monkeypatch):
    """A record of its own for the functions of a test."""
    monkeypatch.setattr(evidence, "_records", {})
    return evidence._records


def test_verdicts(own):
    """Holds is confirmed; fails is refuted, or corrected where what stands instead holds."""

    @evidence_for("one", {"value": 3})
    def larger(value=1):
        """It is at most two."""
        return value <= 2, f"{value}"

    @evidence_for("two", {"value": 0})
    def other(value=1):
        """It is two, or rather one."""
        return (value == 2, value == 1), f"{value}"

    assert own["one"].verdict() == ("confirmed", "1")
    assert own["one"].verdict(value=3) == ("refuted", "3")
    assert [own["two"].verdict(value=v)[0] for v in (0, 1, 2)] == ["refuted", "corrected", "confirmed"]


def test_two_functions_for_a_claim_are_refused(own):
    """Two records of one claim could disagree."""
    own["one"] = Record("one", test_verdicts, ())
    with pytest.raises(ValueError, match="one has two functions: test_verdicts and"):
        evidence_for("one")(lambda: (True, ""))


def test_what_claims_share_can_say_no(monkeypatch):
    """A cost that is not the alignment's, a loss above it, one too far below it; and what only sometimes holds."""
    m = _common.mechanism("alg1")
    assert _common.costs({"c = 1": (m, 1.0, 8)}, short=0.01)[0] and not _common.costs({"c = 1": (m, 1.1, 8)})[0]
    for found in (1.1, 0.9):
        monkeypatch.setattr(_common, "largest", lambda *_, found=found: found)
        assert not _common.costs({"c = 1": (m, 1.0, 8)}, short=0.01)[0]
    assert [_common.stays(*how) for how in (("⊥", 1), ("⊤", -1), ("⊥", 0.9), ("⊤", 0))] == [True, True, False, False]
    assert _common.lost(m, (20, 0, 1, "⊥"), (1, 0, -1, "⊤")) > 0.999 > abs(_common.lost(m, (9, 0, 0, "⊥")))
    assert _common.outcomes(3, 1) == sorted(["⊥⊥⊥", "⊥⊥⊤", "⊥⊤", "⊤"])
