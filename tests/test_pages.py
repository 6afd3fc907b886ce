"""Pages keep up with the course: errata with the ledger, notation and terms with themselves, the paper with all."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest
from parts import ROOT

from svtcourse.claim_cards import LedgerRow, ledger

# Errata

ERRATA = (ROOT / "book" / "errata.md").read_text(encoding="utf-8")
SOURCES = {"Lyu, Su & Li 2017", "Lyu, Su & Li 2016", "Machanavajjhala 2012", "Near & Abuah", "Liu et al. 2024"}
NUMBERS = {int(path.name[:2]) for path in (ROOT / "chapters").glob("[0-9]*.ipynb")}
CHAPTERS = {number for number in NUMBERS if number < 90}
LINK = re.compile(r"\{ref\}`([^`]*?)\s*<claim-([^>`]+)>`")
KINDS = ("error", "imprecision", "remark")
MARKS = re.compile(r"\*(printed|expectation|ours|exact)\*")
MOST_WORDS = 25


def entries(page: str) -> list[tuple[str, str]]:
    """Every entry of the sections on sources: its first line and what follows it."""
    sections = page.split("\n## ", 1)[-1]
    return re.findall(r"^(\S[^\n]*)\n((?:(?:: |  )[^\n]*\n)+)", sections, re.M)


def covered(page: str) -> set[int]:
    """The chapters that the page says it covers: "chapters 1 to 11, 15 and 16"."""
    found: set[int] = set()
    words = re.search(r"^\*State of .*; chapters (.*)\.\*$", page, re.M)
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", words[1] if words else ""):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def place_of(row: LedgerRow) -> str:
    """What a link to a claim calls the place where it is decided, if not just "claims"."""
    return f"chapter {row.chapter}"


def errata_problems(page: str, rows: dict[str, LedgerRow]) -> list[str]:
    """What is wrong with the page, against the ledger; nothing if it is right."""
    found = []
    listed = set()
    for head, body in entries(page):
        kind = re.search(r" · \*\*(\w+)\*\*$", head)
        if kind is None or kind[1] not in KINDS:
            found.append(f"{head!r} does not end in one of {KINDS}")
        elif kind[1] != "remark":
            listed |= {id for _, id in LINK.findall(body)}
    for words, id in LINK.findall(page):
        if id not in rows:
            found.append(f"{id} is not in the ledger")
        elif not re.search(rf"\b({(place := place_of(rows[id]))}|claims)\b", words):
            found.append(f"the link to {id} does not say {place}")
    if page.count("claim-") != len(LINK.findall(page)):
        found.append("a claim is linked in a way that is not checked")
    for id, row in rows.items():
        due = row.source in SOURCES and row.verdict != "confirmed"
        if due and id not in listed:
            found.append(f"{id} is {row.verdict} and in no entry on an error or an imprecision")
    return found


def unmarked_numbers(page: str) -> list[str]:
    """Sentences of entries with a decimal number that does not say where it comes from.

    Not counted: formulas, links, quotations, and the places that an entry names.
    """
    found = []
    for head, body in entries(page):
        for line in body.splitlines():
            bare = re.sub(r"\$[^$]*\$|\{ref\}`[^`]*`|\"[^\"]*\"|`[^`]*`|\[[^]]*\]\([^)]*\)", "", line)
            bare = re.sub(r"\b(?:Sections?|Theorems?|Table|Figures?|Alg\.) [\d.]+(?:,? and [\d.]+)*", "", bare)
            if re.search(r"\d\.\d", bare) and not MARKS.search(bare):
                found.append(f"{head!r}: nothing says what the numbers are in {line.strip()!r}")
            if "*ours*" in bare and "±" not in bare:
                found.append(f"{head!r}: no standard error in {line.strip()!r}")
    return found


def long_quotations(page: str) -> list[str]:
    """Quotations of more than 25 words."""
    quoted = [words for _, body in entries(page) for words in re.findall(r"\"([^\"]*)\"", body)]
    return [words for words in quoted if len(words.split()) > MOST_WORDS]


def test_numbers_and_quotations():
    """Every number of an erratum says what it is, and no quotation is long."""
    assert unmarked_numbers(ERRATA) == []
    assert long_quotations(ERRATA) == []


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("0.775 ± 0.013 (*ours*)", "0.775 ± 0.013", unmarked_numbers),
        ("0.775 ± 0.013 (*ours*)", "0.775 (*ours*)", unmarked_numbers),
        ("1.664 (*exact*)", "1.664", unmarked_numbers),
        ("Alg. 1 differs in that", "Alg. 1 differs " + "very " * 25 + "much in that", long_quotations),
    ],
)
def test_a_number_of_no_kind_is_rejected(old, new, check):
    """A number without its kind, ours without its error, a paragraph in quotation marks."""
    assert ERRATA.count(old) == 1
    assert check(ERRATA.replace(old, new))


def test_page_agrees_with_ledger():
    """Every statement that is not confirmed has its entry, and every link its claim and chapter."""
    assert covered(ERRATA) == CHAPTERS
    assert len(entries(ERRATA)) == ERRATA.count(" · **")
    assert errata_problems(ERRATA, ledger()) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("<claim-mach12-aborts>", "<claim-mach12-aborted>", "mach12-aborted is not in the ledger"),
        ("chapter 9 <claim-lsl17-kappa-to-1>", "chapter 8 <claim-lsl17-kappa-to-1>", "does not say chapter 9"),
        ("{ref}`chapter 1 <claim-mach12-aborts>`", "chapter 1", "mach12-aborts is corrected and in no entry"),
        ("Accuracy (proof) · **error**", "Accuracy (proof) · **remark**", "mach12-aborts is corrected and in no entry"),
        ("the listing · **imprecision**", "the listing", "'Above Threshold, the listing' does not end in one of"),
        ("{ref}`chapter 1 <claim-mach12-aborts>`", "[chapter 1](#claim-mach12-aborts)", "a way that is not checked"),
    ],
)
def test_damaged_page_is_rejected(old, new, problem):
    """An unknown claim, a wrong chapter, a missing or belittled error, a nameless kind, a link of another form."""
    assert ERRATA.count(old) == 1
    assert any(problem in line for line in errata_problems(ERRATA.replace(old, new), ledger()))


def test_new_verdict_must_reach_the_page():
    """A statement that a chapter finds false is missed on the page from then on."""
    row = LedgerRow(
        "na-new", "Near & Abuah", "Somewhere", "For all x, x < x.", "shortened", "refuted", "For no x.", 3, ("proof",)
    )
    assert errata_problems(ERRATA, {**ledger(), "na-new": row}) == [
        "na-new is refuted and in no entry on an error or an imprecision"
    ]


# Notation and terms

BOOK = ROOT / "book"
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


# The paper about the course

PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
HEAD, BODY = PAPER.split("---\n", 2)[1:]


def test_its_numbers_are_those_of_the_course():
    rows = ledger().values()
    verdicts = Counter(row.verdict for row in rows)
    said = f"{len(rows)} statements of the sources and of the course, with a verdict each: "
    said += ", ".join(f"{verdicts[v]} {v}" for v in ("confirmed", "corrected", "refuted"))
    assert said in BODY
    chapters = [path for path in (ROOT / "chapters").glob("[0-9]*.ipynb") if int(path.name[:2]) < 90]
    assert f"in {len(chapters)} chapters" in BODY
    exercises = list((ROOT / "chapters" / "exercises").glob("e*.ipynb"))
    assert len(exercises) == 6 and "Six further notebooks" in BODY


def test_every_citation_is_in_the_bibliography():
    bibliography = re.search(r"^bibliography: (.*)$", HEAD, re.M)[1]
    entries = re.findall(r"^@\w+\{([^,]+),", (ROOT / "paper" / bibliography).read_text(encoding="utf-8"), re.M)
    cited = set(re.findall(r"@([a-z]+\d{4}\w*)", BODY))
    assert len(cited) >= 5 and cited <= set(entries)


def test_it_has_the_parts_and_the_length_that_the_journal_asks_for():
    for key in ("title", "tags", "authors", "affiliations", "date", "bibliography"):
        assert re.search(rf"^{key}:", HEAD, re.M), key
    assert "# Statement of need" in BODY and "# Summary" in BODY
    assert 250 <= len(BODY.split()) <= 1000
