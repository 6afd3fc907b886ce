"""The reproduction report is what its script computes, and it leaves out no table and no figure."""

from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE = ROOT / "data" / "reproduction.csv"


def script():
    """The module tools/reproduce.py."""
    spec = importlib.util.spec_from_file_location("reproduce", ROOT / "tools" / "reproduce.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


REPRODUCE = script()
with FILE.open(encoding="utf-8") as lines:
    RECORDED = list(csv.DictReader(lines))


def test_the_file_has_the_rows_of_the_script():
    """In the same order, with the same words."""
    assert [(row["source"], row["item"]) for row in RECORDED] == [(row.source, row.item) for row in REPRODUCE.ROWS]


@pytest.mark.parametrize("index", range(len(REPRODUCE.ROWS)))
def test_a_row_can_be_computed_again(index):
    """All but the time."""
    again = {name: str(value) for name, value in REPRODUCE.computed(REPRODUCE.ROWS[index]).items()}
    assert {**again, "seconds": ""} == {**RECORDED[index], "seconds": ""}


def test_a_number_that_does_not_agree_is_refused():
    """A row whose function says no is not written."""
    bad = REPRODUCE.Row("source", "Table 9", "reproduced", "1", "exact", 1, "", "", lambda: ("2", False))
    with pytest.raises(ValueError, match="Table 9: recorded as reproduced, but ours is 2"):
        REPRODUCE.computed(bad)


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
    """And whatever waits for its chapter says so."""
    page = (ROOT / "book" / "reproduction.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\* \*\*\S+ ([\w ]+)\*\*", page, re.M))
    assert {row["status"] for row in RECORDED} <= explained
    chapters = {int(path.name[:2]) for path in (ROOT / "chapters").glob("*.ipynb")}
    for row in RECORDED:
        assert (int(row["chapter"]) in chapters) == (row["status"] != "not yet"), row["item"]
