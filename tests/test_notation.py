"""The pages of notation and of terms: one meaning a letter, one entry a term."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

BOOK = Path(__file__).parent.parent / "book"
NOTATION = (BOOK / "notation.md").read_text(encoding="utf-8")
GLOSSARY = (BOOK / "glossary.md").read_text(encoding="utf-8")


def repeated_symbols(page: str) -> list[str]:
    """Symbols that stand in the first column of two rows."""
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| $")]
    symbols = Counter(symbol for cell in cells for symbol in re.findall(r"\$([^$]+)\$", cell))
    return [symbol for symbol, count in symbols.items() if count > 1]


def disordered_terms(page: str) -> list[str]:
    """Terms that appear twice, or an entry that comes before its place in the alphabet."""
    body = page[page.index(":::{glossary}") :].split("\n", 1)[1]
    entries = [entry.split("\n  ")[0].splitlines() for entry in body.split("\n\n")]
    terms = Counter(term for entry in entries for term in entry)
    firsts = [entry[0].lower() for entry in entries]
    return [term for term, count in terms.items() if count > 1] + [
        later for earlier, later in itertools.pairwise(firsts) if later < earlier
    ]


def test_a_letter_has_one_meaning():
    """No symbol has two rows, in the sections for all chapters or in that for single ones."""
    assert repeated_symbols(NOTATION) == []
    assert len(re.findall(r"^\| \$", NOTATION, re.M)) > 30


def test_terms_are_in_order():
    """Every term once, in the order of the alphabet."""
    assert disordered_terms(GLOSSARY) == []


@pytest.mark.parametrize(
    ("check", "page", "old", "new"),
    [
        (repeated_symbols, NOTATION, "| $h$ |", "| $p$ |"),
        (disordered_terms, GLOSSARY, "\naudit\n", "\nzeal\n"),
        (disordered_terms, GLOSSARY, "\npositive\n", "\naudit\n"),
    ],
)
def test_damaged_pages_are_rejected(check, page, old, new):
    """A letter with two meanings, a term out of place, a term twice."""
    assert page.count(old) == 1
    assert check(page.replace(old, new))
