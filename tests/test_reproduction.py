"""The reproduction report is what its script computes, and it leaves out no numbered table and no numbered figure."""

from __future__ import annotations

import re

import pytest
import reproduce
from parts import ROOT

from svtcourse.claims import ledger

RECORDED = reproduce.recorded()


def test_every_row_has_a_function_and_every_function_a_row():
    """Once each, by source and item."""
    assert sorted((row["source"], row["item"]) for row in RECORDED) == sorted(reproduce.ROWS)


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['source']}, {row['item']}")
def test_a_row_can_be_computed_again(row):
    """All but the time."""
    again = reproduce.computed(row | {"ours": ""}, reproduce.ROWS[row["source"], row["item"]])
    assert again | {"seconds": ""} == row | {"seconds": ""}


def test_a_number_that_does_not_agree_is_refused():
    """A row whose function says no is not written."""
    row = RECORDED[0] | {"item": "Table 9"}
    with pytest.raises(ValueError, match="Table 9: recorded as reproduced, but ours is 2"):
        reproduce.computed(row, lambda: ("2", False))


def numbers(source: str, kind: str) -> set[int]:
    """The numbers of the tables, figures or outputs of a source that have a row."""
    found: set[int] = set()
    for row in RECORDED:
        if row["source"] == source:
            for part in re.findall(rf"{kind}s? ([\d, and]+)", row["item"]) + re.findall(
                rf"{kind}\[(\d+)\]", row["item"]
            ):
                found |= {int(number) for number in re.findall(r"\d+", part)}
    return found


@pytest.mark.parametrize(
    ("source", "kind", "last"),
    [
        ("Lyu, Su & Li 2017", "Figure", 5),
        ("Lyu, Su & Li 2017", "Table", 2),
        ("Lyu, Su & Li 2016", "Figure", 3),
        ("Lyu, Su & Li 2016", "Table", 3),
        ("Liu et al. 2024", "Figure", 8),
        ("Liu et al. 2024", "Table", 5),
    ],
)
def test_every_table_and_figure_has_a_row(source, kind, last):
    """Numbered as in the source, none missing."""
    assert numbers(source, kind) == set(range(1, last + 1))


def test_every_printed_output_has_a_row():
    """The outputs of Near & Abuah's notebook, by their numbers."""
    assert numbers("Near & Abuah", "Out") == {7, 25, 205, 207, 219, 222, 118, 120}


def test_statuses_are_those_that_the_page_explains():
    """The page explains every status, and every chapter named exists."""
    page = (ROOT / "book" / "reproduction.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\* \*\*\S+ ([\w, ]+)\*\*", page, re.M))
    assert {row["status"] for row in RECORDED} <= explained
    chapters = {int(path.name[:2]) for path in (ROOT / "chapters").glob("*.ipynb")}
    for row in RECORDED:
        if row["chapter"]:
            assert int(row["chapter"]) in chapters, row["item"]


def unfounded(rows):
    """Rows that count as reproduced, or as right but for a correction, although nothing says how close is close."""
    compared = ("reproduced", "with a correction")
    return [row["item"] for row in rows if row["status"] in compared and row["tolerance"] in ("", "-")]


def test_only_what_was_compared_counts_as_reproduced():
    """A row without a tolerance compares nothing; a curve without numbers is one, and the check finds it."""
    assert unfounded(RECORDED) == []
    curves = [row for row in RECORDED if "no numbers" in row["theirs"]]
    assert unfounded([{**row, "status": "reproduced"} for row in curves]) == [row["item"] for row in curves] != []


def words(chapter):
    """The text, the code and the outputs of a chapter, and the claims that the ledger gives it."""
    (path,) = (ROOT / "chapters").glob(f"{chapter:0>2}_*.ipynb")
    return path.read_text(encoding="utf-8") + " ".join(
        id for id, row in ledger().items() if row.chapter == int(chapter)
    )


def test_a_row_names_a_chapter_that_treats_its_source():
    """The chapter of every row that has one mentions the object, or the source's algorithm, that the row is about."""
    sought = {
        "Figure 1: Alg. 1 to 6": "verdict",
        "Figure 2: differences among the six": "lsl17-fig-2",
        "Table 1: datasets": "lsl17-table-1",
        "Table 2: methods": "lsl17-table-2",
        "Figure 3: the 300 highest scores": "lsl17-fig-3",
        "Figure 4: interactive methods": "lsl17-fig-4",
        "Figure 5: EM and SVT-ReTr": "lsl17-fig-5",
        "Table 3: 240 cells of SER": "lsl16-table-3",
        "Figure 3: SER against c": "lsl16-fig-3",
        "Figures 1 and 2": "lsl17-fig-2",
        "Tables 1 and 2": "lsl17-table-2",
        "Laplace, one query at a time": "mach12-alpha-laplace",
        "Table 2: datasets": "liu24-table-2",
        "Table 1: feasible noise": "liu24-table-1-gumbel",
        "Table 3 and Table 4: methods and their splits": "liu24-table-4",
        "Table 5: corrections of the threshold": "liu24-table-5-mean",
        "Figures 1 and 2: designs": "SVT-Exp",
        "Figures 3, 4 and 5: accuracy, variance, correction": "liu24-fig-4",
        "Figures 6, 7 and 8: scores, NCR, traverses": "liu24-fig-7",
    }
    placed = {row["item"]: row["chapter"] for row in RECORDED if row["chapter"]}
    assert set(placed) == set(sought)
    assert [item for item, chapter in placed.items() if sought[item] not in words(chapter)] == []
    assert "lsl17-fig-3" not in words(placed["Figure 2: differences among the six"])
