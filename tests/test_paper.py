"""The paper about the course says what is true of it, and cites what is in the bibliography."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from svtcourse.claims import ledger

ROOT = Path(__file__).parent.parent
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
