"""svt.claim, the ledger, and what holds the ledger and the chapters together."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from parts import ROOT

import svtlib as svt
from svtcourse import claim_cards
from svtcourse.claim_cards import ClaimError, LedgerRow, ledger
from svtlib import files

CONFIRMED, CORRECTED = "lsl17-lem-1", "mach12-aborts"
HEADER = list(claim_cards._COLUMNS)
GOOD = ["a-1", "A source", "Lemma 1", "For all x, x = x.", "shortened", "confirmed", "", "3", "exact + proof"]


# svt.claim


@pytest.mark.parametrize("true", [True, np.True_, np.array([1.0, 2.0]).all()])
def test_confirmed(true):
    """A statement that holds and is recorded as confirmed renders as confirmed."""
    shown = svt.claim(CONFIRMED, holds=true, evidence=" slack 0.1 ")
    assert shown.mark == "✓ confirmed"
    assert shown.evidence == "slack 0.1"
    assert repr(shown).startswith("✓ confirmed: Lyu, Su & Li 2017, Lemma 1: For all neighbours")


def test_corrected():
    """A statement that fails and whose correction holds renders as corrected, with what holds instead."""
    shown = svt.claim(CORRECTED, holds=False, corrected=np.True_, evidence="it aborts with probability 0.001")
    assert shown.mark == "≈ corrected"
    assert "What holds: With probability" in repr(shown)
    assert "<b>What holds:</b> With probability" in shown._repr_html_()


def test_refuted(own_ledger):
    """A statement that fails and is recorded as refuted renders as refuted."""
    own_ledger([[*GOOD[:5], "refuted", "Not for x = 1.", "3", "exact"]])
    assert svt.claim("a-1", holds=False, evidence="x = 1").mark == "✗ refuted"


def test_html_is_one_escaped_block():
    """Whatever the statement and the evidence contain, the HTML is one block that names source and statement."""
    page = svt.claim(CONFIRMED, holds=True, evidence="1 < 2 & <script>")._repr_html_()
    assert page.count("<div") == page.count("</div>") == 1
    assert 'data-claim="lsl17-lem-1"' in page
    assert "Lyu, Su &amp; Li 2017, Lemma 1" in page
    assert "1 &lt;\xa02 &amp; &lt;script&gt;" in page
    assert "What holds" not in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1:c^(2/3) < e^ε₁", "1:<i>c</i><sup>2/3</sup> &lt;\xa0<i>e</i><sup><i>ε</i>₁</sup>"),
        ("2kε/c", "2<i>kε</i>/<i>c</i>"),
        ("f_D′(z), α_EM", "<i>f<sub>D′</sub></i>(<i>z</i>), <i>α</i><sub>EM</sub>"),
        ("6.7e-06, 1e6", "6.7\xa0·\xa010<sup>−6</sup>, 10<sup>6</sup>"),
        ("the (α, β)-th", "the (<i>α</i>,\xa0<i>β</i>)-th"),
        ("q̃ᵢ at -10, 2cΔ", "<i>q̃</i>ᵢ at −10, 2<i>c</i>Δ"),
        ("auto_avg and alg3", "<code>auto_avg</code> and Alg. 3"),
        ("A run for A ≥ T", "A run for <i>A</i> ≥\xa0<i>T</i>"),
        ("[W]e ask the lecture's T10I4D100K", "[W]e ask the lecture's T10I4D100K"),
        ("it is as it is: <b>", "it is as it is: &lt;b&gt;".replace("b", "<i>b</i>")),
    ],
)
def test_mathematics_of_a_claim_is_set(text, shown):
    """Variables, powers, indices and powers of ten are set, programs are code, words and HTML stay what they are."""
    assert claim_cards.typeset(text) == shown


PYTHON = re.compile(r"\w_\w|\^|\de[-+]?\d|\balg\d|\[['\"]|\*\*|\bnan\b|frozenset|(?<![\w)])-\d|\w\((?:df|adult)\b")


def test_no_claim_reads_as_python():
    """As it is shown: no underscore, caret, float, key of a listing, list or call outside the names of programs."""
    said = json.loads((ROOT / "data/evidence.json").read_text(encoding="utf-8"))
    for row in ledger().values():
        for text in filter(None, (row.statement, row.correction, said[row.id])):
            assert not PYTHON.search(re.sub("<code>.*?</code>", "", claim_cards.typeset(text))), (row.id, text)
    assert all(map(PYTHON.search, ("are ['alg3']", "e^ε", "f_D", "1e-07", "is -1", "age_sum_query(adult, 30)")))


@pytest.mark.parametrize(
    ("id", "holds", "corrected", "reached"),
    [
        (CONFIRMED, False, None, "refuted"),
        (CORRECTED, True, True, "confirmed"),
        (CORRECTED, True, False, "confirmed"),
        (CORRECTED, False, False, "refuted"),
    ],
)
def test_another_verdict_than_the_recorded_one_raises(id, holds, corrected, reached):
    """The message names the claim, both verdicts and the statement."""
    with pytest.raises(ClaimError, match=rf"^{id} is recorded as .*, but the computation says {reached} \("):
        svt.claim(id, holds=holds, corrected=corrected, evidence="a number")


# The ledger


@pytest.fixture
def own_ledger(tmp_path, monkeypatch):
    """Write a ledger of given rows and make svtlib read it."""
    monkeypatch.setattr(files, "_data_directory", lambda: tmp_path)

    def write(rows, header=HEADER):
        with (tmp_path / "claims.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])

    return write


def test_ledger_reads_every_column(own_ledger):
    """One row of the file becomes one value, with the chapter as a number and the ways as a tuple."""
    own_ledger([GOOD])
    row = LedgerRow(
        "a-1", "A source", "Lemma 1", "For all x, x = x.", "shortened", "confirmed", "", 3, ("exact", "proof")
    )
    assert ledger() == {"a-1": row}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("id", "A 1", "the id 'A 1' is not lower-case words"),
        ("id", "", "the id '' is not"),
        ("source", " ", "a-1 has no source"),
        ("locator", "", "a-1 has no locator"),
        ("statement", "", "a-1 has no statement"),
        ("verdict", "true", "a-1 has the verdict 'true', not one of refuted, corrected, confirmed"),
        ("wording", "", "a-1 has the wording '', not one of quoted, shortened, stronger, ours"),
        ("wording", "ours", "a-1 has the source 'A source', and exactly those of 'This course' are ours"),
        ("source", "This course", "a-1 has the source 'This course', and exactly"),
        ("wording", "quoted", "a-1 is quoted, and exactly the quoted statements have words between"),
        ("statement", "It is “true for all x”.", "a-1 is shortened, and exactly the quoted"),
        ("verdict", "refuted", "a-1 is refuted, and every verdict but confirmed has a correction"),
        ("correction", "Not so.", "a-1 is confirmed, and every verdict but confirmed has a correction"),
        ("chapter", "0", "a-1 has the chapter '0'"),
        ("chapter", "three", "a-1 has the chapter 'three'"),
        ("how", "", "a-1 has how ''"),
        ("how", "guess", "a-1 has how 'guess'"),
        ("how", "exact + exact", "a-1 has how"),
    ],
)
def test_damaged_ledger_is_refused(own_ledger, column, value, message):
    """The error names the file, the row and what is wrong."""
    own_ledger([[value if name == column else entry for name, entry in zip(HEADER, GOOD, strict=True)]])
    with pytest.raises(ValueError, match=f"'claims.csv' is damaged: {message}"):
        ledger()


@pytest.mark.parametrize("verdict", ["refuted", "corrected"])
@pytest.mark.parametrize(("source", "wording"), [("A source", "stronger"), ("This course", "ours")])
def test_only_what_a_source_says_can_be_wrong(own_ledger, source, wording, verdict):
    """A strengthening of ours that fails is our mistake, not the source's."""
    row = ["a-1", source, "Lemma 1", "For all x, x < x.", wording, verdict, "For no x.", "3", "exact"]
    own_ledger([row])
    with pytest.raises(ValueError, match=f"a-1 is {verdict}, but what is refuted or corrected must be what a source"):
        ledger()
    own_ledger([[*row[:5], "confirmed", "", *row[7:]]])
    shown = repr(svt.claim("a-1", holds=source == source.strip(), evidence="x = 1"))
    assert ("made stronger by us" in shown) == (wording == "stronger")


@pytest.mark.parametrize(("words", "message"), [(25, ""), (26, "a-1 quotes more than 25 words")])
def test_quotations_are_short(own_ledger, words, message):
    """A quotation is a sentence of the source, not a page of it."""
    own_ledger([[*GOOD[:3], f"In all cases “{'x ' * words}”.", "quoted", *GOOD[5:]]])
    if message:
        with pytest.raises(ValueError, match=message):
            ledger()
    else:
        assert ledger()["a-1"].wording == "quoted"


def test_rows_and_columns_are_there_once(own_ledger):
    """Two rows with one id could disagree, and a ledger without the verdict is none."""
    own_ledger([GOOD, GOOD])
    with pytest.raises(ValueError, match="the id 'a-1' occurs twice"):
        ledger()
    own_ledger([GOOD], header=[name for name in HEADER if name != "verdict"])
    with pytest.raises(ValueError, match="the header is"):
        ledger()


def test_statements_are_sentences():
    """Statements and corrections are whole sentences, so that they can be read alone."""
    for row in ledger().values():
        for text in filter(None, (row.statement, row.correction)):
            bare = text.replace("“", "").replace("”", "").lstrip("[")
            assert bare[0].isupper() and bare.endswith(".") and len(bare) > 40, (row.id, text)


# The ledger and the chapters

MARK = re.compile(r"\[(.)\]\((?:\.\./book/)?claims\.md#([^)\s]+)\)")
CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.ipynb"))
MOST_CARDS = 4


def problems_of(notebook: dict, number: int, rows: Mapping[str, LedgerRow]) -> list[str]:
    """What is wrong with the cards and the marks of a chapter."""
    found = []
    sources = {
        kind: ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]
        for kind in ("code", "markdown")
    }
    calls = [
        node
        for cell in sources["code"]
        for node in ast.walk(ast.parse(cell if not cell.startswith("%") else ""))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "claim"
    ]
    text = "\n".join(sources["markdown"])
    ids = [call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None for call in calls]
    if len(calls) > MOST_CARDS:
        found.append(f"{len(calls)} cards; at most {MOST_CARDS}")
    for id, call in zip(ids, calls, strict=True):
        if id not in rows or rows[id].chapter != number:
            found.append(f"a card of {id}, which the ledger does not have in this chapter")
        elif f"(claim-{id})=" not in text.splitlines():
            found.append(f"no line (claim-{id})=")
        for argument in call.keywords:
            if argument.arg in ("holds", "corrected") and not any(
                isinstance(n, ast.Name) for n in ast.walk(argument.value)
            ):
                found.append(f"{id} has {argument.arg}={ast.unparse(argument.value)}, which nothing computed")
    for target in re.findall(r"^\(claim-(.+)\)=$", text, re.M):
        if target not in ids:
            found.append(f"(claim-{target})= without a card")
    for sign, id in MARK.findall(text):
        if id not in rows:
            found.append(f"a mark for {id}, which is not in the ledger")
        elif sign != claim_cards.MARKS[rows[id].verdict]:
            found.append(f"{sign} for {id}, which is {rows[id].verdict}")
    return found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_cards_and_marks_agree_with_the_ledger(path):
    """A chapter has few cards, each in its place, and its marks have the sign of the recorded verdict."""
    assert problems_of(json.loads(path.read_text(encoding="utf-8")), int(path.name[:2]), ledger()) == []


SMALL = {
    "code": 'value = f(1)\nsvt.claim("lsl17-lem-1", holds=value >= 0, evidence="x")',
    "markdown": "It holds [✓](../book/claims.md#lsl17-lem-1).\n\n(claim-lsl17-lem-1)=",
}


def small(**changed: str) -> list[str]:
    cells = [{"cell_type": kind, "source": [text]} for kind, text in {**SMALL, **changed}.items()]
    return problems_of({"cells": cells}, 4, {CONFIRMED: replace(ledger()[CONFIRMED], chapter=4)})


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"code": SMALL["code"].replace("lem-1", "lem-9")}, "a card of lsl17-lem-9"),
        ({"code": SMALL["code"].replace("value >= 0", "1 < 2")}, "which nothing computed"),
        ({"code": "1"}, "without a card"),
        ({"code": "\n".join([SMALL["code"]] * 5)}, "5 cards"),
        ({"markdown": "Text."}, r"no line \(claim"),
        ({"markdown": SMALL["markdown"].replace("✓", "✗")}, "which is confirmed"),
        ({"markdown": SMALL["markdown"].replace("#lsl17", "#lsl18")}, "a mark for lsl18-lem-1"),
    ],
)
def test_the_check_rejects(changed, problem):
    """One fault is enough."""
    assert any(re.search(problem, found) for found in small(**changed))
