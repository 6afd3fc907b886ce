"""svt.claim, the ledger, and what holds the ledger and the chapters together."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path

import nbformat
import numpy as np
import pytest
from claim_checks import Chapter, binding_problems, chapters_in, damage_problems, literal_problems

import svtlib as svt
from svtcourse import claims
from svtcourse.claims import ClaimError, LedgerRow, ledger
from svtlib import files

ROOT = Path(__file__).parent.parent
CHAPTERS = chapters_in(ROOT / "chapters")
DAMAGES = tomllib.loads((ROOT / "tests/claims_damage.toml").read_text(encoding="utf-8"))
CONFIRMED, CORRECTED = "lsl17-lem-1", "mach12-aborts"
HEADER = list(claims._COLUMNS)
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
    assert "1 &lt; 2 &amp; &lt;script&gt;" in page
    assert "What holds" not in page


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


@pytest.mark.parametrize(
    ("id", "options", "message"),
    [
        ("lsl17-lemma-1", {}, "id must be one of the .* got 'lsl17-lemma-1'"),
        (1, {}, "id must be one of"),
        (CONFIRMED, {"holds": 1}, "holds must be True or False, got 1"),
        (CONFIRMED, {"holds": None}, "holds must be True or False"),
        (CONFIRMED, {"holds": "True"}, "holds must be True or False"),
        (CONFIRMED, {"evidence": "  "}, "evidence must be a sentence"),
        (CONFIRMED, {"evidence": 3}, "evidence must be a sentence"),
        (CONFIRMED, {"corrected": True}, "corrected must be left out for lsl17-lem-1"),
        (CORRECTED, {"holds": False}, "corrected must be given for mach12-aborts"),
        (CORRECTED, {"holds": False, "corrected": 1}, "corrected must be True or False, got 1"),
    ],
)
def test_bad_arguments(id, options, message):
    """ValueError, not ClaimError: the call is wrong, whatever the computation says."""
    with pytest.raises(ValueError, match=message):
        svt.claim(id, **{"holds": True, "evidence": "a number", **options})


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
        ("verdict", "true", "a-1 has the verdict 'true', not one of confirmed, refuted, corrected"),
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


def test_repeated_id_is_refused(own_ledger):
    """Two rows with one id could disagree."""
    own_ledger([GOOD, GOOD])
    with pytest.raises(ValueError, match="the id 'a-1' occurs twice"):
        ledger()


def test_missing_column_is_refused(own_ledger):
    """A ledger without the verdict cannot be read as one."""
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


def expect_none(problems):
    assert not problems, "\n".join(problems)


def test_ledger_and_chapters_agree():
    """Every row is claimed once, in its chapter, at a target (claim-<id>)=, and every claim has a row."""
    expect_none(binding_problems(ledger(), CHAPTERS))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_no_verdict_is_a_literal(chapter):
    """`holds` and `corrected` are conditions on computed values."""
    expect_none(literal_problems(chapter))


def test_every_row_has_a_damaged_input_and_no_other():
    """tests/claims_damage.toml names one damaged input for each row."""
    assert sorted(DAMAGES) == sorted(ledger())


@pytest.mark.damage
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_every_claim_falls_with_its_damaged_input(chapter):
    """Each claim raises when its input is damaged, so none of them passes whatever is computed."""
    expect_none(damage_problems(chapter, DAMAGES, ROOT / "chapters"))


# The checks themselves, on a small chapter and on broken copies of it

CELLS = {
    "setup": "import numpy as np\nimport svtlib as svt\nrng = np.random.default_rng(1)\nscale = 2.0",
    "compute": "limit = 1.0\ndef slack():\n    return limit - 1 / scale\nvalue = slack() + 0 * rng.random()",
    "claim": (
        'svt.claim("lsl17-lem-1", holds=value >= 0, evidence=f"slack {value:.2f}")\n'
        'svt.claim("mach12-aborts", holds=value < 0.4, corrected=value > 0.4, evidence=f"{value:.2f}")'
    ),
}
TEXT = "Prose.\n\n(claim-lsl17-lem-1)=\n(claim-mach12-aborts)=\n"
SMALL_DAMAGES = {
    "lsl17-lem-1": {"what": "a scale of a half", "find": "scale = 2.0", "replace": "scale = 0.5"},
    "mach12-aborts": {"what": "a limit of 0.8", "find": "limit = 1.0", "replace": "limit = 0.8"},
}


def small_rows():
    rows = {id: row for id, row in ledger().items() if id in SMALL_DAMAGES}
    return {id: LedgerRow(**{**vars(row), "chapter": 7}) for id, row in rows.items()}


def small(text=TEXT, name="07_small.ipynb", **changed):
    return Chapter(7, name, tuple({**CELLS, **changed}.values()), text)


def test_reading_a_notebook(tmp_path):
    """The number comes from the file name; cells that readers do not see are left out."""
    hidden = nbformat.v4.new_code_cell("%matplotlib widget", metadata={"tags": ["remove-cell"]})
    cells = [nbformat.v4.new_markdown_cell(TEXT), hidden, *map(nbformat.v4.new_code_cell, CELLS.values())]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "07_small.ipynb")
    (chapter,) = chapters_in(tmp_path)
    assert chapter == Chapter(7, "07_small.ipynb", tuple(CELLS.values()), TEXT)


def test_checks_pass_a_good_chapter(tmp_path):
    """The small chapter has no problem, and its generator is where one run leaves it."""
    assert binding_problems(small_rows(), [small()]) == []
    assert literal_problems(small()) == []
    assert damage_problems(small(), SMALL_DAMAGES, tmp_path) == []


@pytest.mark.parametrize(
    ("chapters", "problem"),
    [
        ([], "mach12-aborts: the ledger has it in chapter 7, svt.claim is called in no chapter"),
        ([small(), small(name="08_again.ipynb")], "svt.claim is called in 07_small.ipynb, 08_again.ipynb"),
        ([small(text=TEXT.replace("(claim-mach12-aborts)=", ""))], r"has no line \(claim-mach12-aborts\)="),
        ([small(more='svt.claim("a-new-one", holds=value > 0, evidence="x")')], "a-new-one is not in the ledger"),
        ([small(more="svt.claim(name, holds=value > 0, evidence='x')")], "is not a literal"),
    ],
)
def test_binding_check_rejects(chapters, problem):
    """A row without a claim, a claim without a row, one in two chapters, a missing target."""
    assert any(re.search(problem, found) for found in binding_problems(small_rows(), chapters))


@pytest.mark.parametrize(
    "holds",
    [
        "True",
        "1 < 2",
        "not False",
        "bool(1)",
        "np.bool_(True)",
        "ok",
        "derived",
        "scale > 1",
        "all(x > 0 for x in [1, 2])",
    ],
)
def test_literal_check_rejects(holds):
    """Literals, names of literals and tools applied to literals are not computed."""
    claim = f'ok = True\nderived = ok and scale > 1\nsvt.claim("lsl17-lem-1", holds={holds}, evidence="x")'
    assert literal_problems(small(claim=claim)) == [
        f"07_small.ipynb: lsl17-lem-1 has holds={holds}, which nothing computed"
    ]


def test_literal_check_rejects_a_missing_holds():
    """A claim without `holds` is no claim."""
    assert literal_problems(small(claim='svt.claim("lsl17-lem-1", evidence="x")')) == [
        "07_small.ipynb: lsl17-lem-1 has no holds="
    ]


@pytest.mark.parametrize(
    "holds",
    [
        "value >= 0",
        "all(v > 0 for v in values)",
        "(values > 0).all()",
        "svt.load_adult('age').mean() > 38",
        "bool(f(1))",
    ],
)
def test_literal_check_accepts(holds):
    """Conditions on what a call or a loop made."""
    claim = f'def f(x): return x\nvalues = np.exp(value)\nsvt.claim("lsl17-lem-1", holds={holds}, evidence="x")'
    assert literal_problems(small(claim=claim)) == []


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ({"replace": "scale = 3.0"}, "it still stands with a scale of a half"),
        ({"replace": "scale = 0"}, "ZeroDivisionError instead of ClaimError"),
        ({"find": "nowhere"}, "must occur once"),
        ({"find": "import"}, "must occur once"),
        ({"find": "value >= 0", "replace": "value >= 1"}, "not the call of claim"),
        ({"what": ""}, "it has no damaged input"),
    ],
)
def test_damage_check_rejects(damage, problem, tmp_path):
    """A damage that changes nothing, breaks something else, is not there, or damages the verdict itself."""
    damages = {**SMALL_DAMAGES, "lsl17-lem-1": {**SMALL_DAMAGES["lsl17-lem-1"], **damage}}
    (found,) = damage_problems(small(), damages, tmp_path)
    assert found.startswith("07_small.ipynb: lsl17-lem-1: ") and problem in found


def test_damage_check_rejects_a_claim_without_entry(tmp_path):
    """A row without a damaged input has not been tried."""
    (found,) = damage_problems(small(), {"lsl17-lem-1": SMALL_DAMAGES["lsl17-lem-1"]}, tmp_path)
    assert found == "07_small.ipynb: mach12-aborts: it has no damaged input (what, find, replace)"


def test_damage_check_rejects_a_claim_that_always_holds(tmp_path):
    """A condition that no input can change is found out, even if it looks computed."""
    claim = 'svt.claim("lsl17-lem-1", holds=value == value, evidence="x")'
    (found,) = damage_problems(small(claim=claim), SMALL_DAMAGES, tmp_path)
    assert "it still stands with a scale of a half" in found


def test_damage_check_reports_a_cell_that_fails(tmp_path):
    """A chapter that does not run proves nothing."""
    found = damage_problems(small(compute="value = 1 / 0"), SMALL_DAMAGES, tmp_path)
    assert found == ["07_small.ipynb: cell 2 raises ZeroDivisionError: division by zero"]


def test_damaged_runs_leave_the_chapter_alone(tmp_path):
    """Arrays and generators of the real run are not touched by the damaged ones."""
    compute = "values = np.zeros(1)\ndraws = []"
    claim = (
        "values += scale\ndraws.append(rng.random())\n"
        'svt.claim("lsl17-lem-1", holds=values[0] == 2 and len(draws) == 1, evidence="x")'
    )
    after = "assert values[0] == 2 and draws == [np.random.default_rng(1).random()]"
    assert damage_problems(small(compute=compute, claim=claim, after=after), SMALL_DAMAGES, tmp_path) == []
