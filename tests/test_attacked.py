"""The page *What was attacked* says what the tests try: the tests that it names exist, and their lists are as long."""

from __future__ import annotations

import re

import hostile_programs as hostile
import pytest
import reader_attacks
import submissions
import test_alive
import test_always
import test_certificates
import test_forms
import test_grading
import test_judge
import test_language
from parts import ROOT

PAGE = (ROOT / "book" / "attacked.md").read_text(encoding="utf-8")


def missing(page: str) -> list[str]:
    """The tests that a page names after their file and that the file does not have."""
    lost, file = [], ""
    for name in re.findall(r"`(test_\w+(?:\.py)?)`", page):
        if name.endswith(".py"):
            file = (ROOT / "tests" / name).read_text(encoding="utf-8")
        elif f"def {name}(" not in file:
            lost.append(name)
    return lost


def cells(first: str) -> list[str]:
    """The row of a table that begins so."""
    (row,) = re.findall(rf"^\| {re.escape(first)}.*$", PAGE, re.M)
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_every_test_that_is_named_exists():
    """In the file that stands before it, and each row of what was tried has one."""
    assert PAGE.count("`test_") > 40 and missing(PAGE) == []
    tables = re.findall(r"^\| Tried .*\n\|---.*\n((?:\|.*\n)+)", PAGE, re.M)
    tried = [row for table in tables for row in table.splitlines()]
    assert len(tables) == 5 and len(tried) > 25 and [row for row in tried if "`test_" not in row] == []


def test_a_test_that_is_not_there_is_missed():
    """The test above can fail."""
    assert missing("`test_judge.py`: `test_c_is_small`, `test_ledger`") == ["test_ledger"]


CHOICES = len(hostile.ENOUGH | hostile.TOO_LITTLE) + 1  # of scales, and what never stops


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("Wrong programs", f"{len(hostile.WRONG)}"),
        ("Both but", f"{len(hostile.WRONG | hostile.RIGHT) - len(hostile.SLY)}"),
        ("Right programs in", f"{len(hostile.RIGHT)}"),
        ("Right mechanisms,", f"{len(hostile.STYLES) * len(hostile.ENOUGH)}"),
        ("Wrong mechanisms,", f"{len(hostile.STYLES) * (len(hostile.TOO_LITTLE) + 1)}"),
        ("All of these on a page", f"{len(hostile.WRONG | hostile.RIGHT) + len(hostile.STYLES) * CHOICES}"),
        ("Programs that do something else", f"{len(test_alive.SLY | test_alive.SLY_CLASSES)}"),
        ("Ways to tell", f"{len(test_always.OUTSIDE) + len(test_always.HIDDEN)}"),
        ("The same oddities", f"{len(test_always.INSIDE)}"),
        ("Unknowns that are used again", f"{len(test_always.USED)}"),
        ("What is known of a place", f"{len(test_always.NOTED_FACTS)}"),
        ("Other forms", f"{len(test_always.FORMS)}"),
        ("Sources that are not", f"{len(test_always.OF_CLASSES) + len(test_always.STANDING)}"),
        ("Forms that are read", f"{len(test_always.FEW_FORMS)}"),
        ("Programs that once slipped", f"{len(test_always.SLIPPED)}"),
        ("Programs of the twelfth", f"{len(test_always.LONG_LISTS) + len(test_always.SHORT)}"),
        ("Private programs that are", f"{len(test_judge.MADE_UP)}, one more on a page"),
        ("The interpreter against", f"{len(list(test_language.programs()))}"),
        ("Numbers that are not", f"{len(test_always.SYMBOLS)}"),
        ("Programs that the reader", f"{len(reader_attacks.PROGRAMS)}"),
        ("Private programs that were", f"{len(reader_attacks.PRIVATE)}"),
        ("Programs whose pair", f"{len(reader_attacks.FALSE_PAIRS)}"),
        ("Programs that once ended", f"{len(reader_attacks.ODD)}"),
        ("What may hide in", f"{len(test_forms.SLY)}"),
        ("Forms that few", f"{len(test_forms.NOT_READ)}"),
        ("Answers in a form", f"{len(test_forms.PROGRAMS)} and {len(test_forms.PROGRAMS)}"),
        ("Ways out of", f"173: {len(submissions.ESCAPES)} of the list, {173 - len(submissions.ESCAPES)} once"),
        ("Points without", f"60: {len(submissions.CHEATS)} of the list, {60 - len(submissions.CHEATS)} once"),
        ("Programs that the judge reads", f"{len(submissions.WORLD)}"),
        ("Harm", f"{len(submissions.BREAKS)}"),
        ("Notebooks that are damaged", f"{len(test_grading.DAMAGED | test_grading.STRANGE)} kinds of damage, 5 names"),
        ("Certificates with", f"{len(test_certificates.DAMAGES)}"),
    ],
)
def test_the_lists_are_as_long_as_the_page_says(row, said):
    assert cells(row)[1] == said
