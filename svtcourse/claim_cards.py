"""Statements of the sources, confronted with what a chapter computed."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any

from svtlib import validate
from svtlib.files import damaged, read_table

__all__ = ["MARKS", "Claim", "ClaimError", "LedgerRow", "claim", "ledger", "typeset"]

_FILE = "claims.csv"
_COLUMNS = ("id", "source", "locator", "statement", "wording", "verdict", "correction", "chapter", "how")
MARKS = {"refuted": "✗", "corrected": "≈", "confirmed": "✓"}  # in the order of the page of claims
_WAYS = ("exact", "proof", "simulation", "data")
_WORDINGS = ("quoted", "shortened", "stronger", "ours")
_COURSE = "This course"
_MOST_WORDS = 25  # of a source, in one quotation
_LETTER = "[A-Za-zα-ωΔ][\u0300-\u036f]?"
_BELOW = "₀-ₜᵢ²³"
_SYMBOLS = re.compile(  # in the order in which they are tried
    r"(?P<name>\b[a-z]{2,}(?:_[a-z]+)+)"
    r"|\balg(?P<listing>\d)\b"
    r"|(?P<mantissa>\d+(?:\.\d+)?)e(?P<sign>[+-]?)0*(?P<ten>\d+)\b"
    r"|(?<![\w)])(?P<minus>-)(?=\d)"
    r"|\^(?P<power>\((?:[^()]|\([^()]*\))*\)|\w+)"
    rf"|(?<![A-Za-zα-ω])(?P<base>{_LETTER})_(?P<index>[A-Za-zα-ω]+′?)"
    r"|(?<![A-Za-zα-ωΔ_’'.\]])(?<![A-Za-z][\d-])(?<![A-Za-z]\d\d)(?<![A-Za-z]\d\d\d)"  # not inside a word or a name
    rf"(?P<letters>(?:{_LETTER}[{_BELOW}]*){{1,3}})(?![\w’'\u0300-\u036f]|-(?!th|DP|diff|Lip)|\.\w|\][a-z])"
)
_ARTICLE = re.compile(r"[ ,(]*[(=≥≤+)]|[,)]| \d|$")  # what follows an A or an a that is none


class ClaimError(AssertionError):
    """The verdict that a chapter reaches is not the one recorded in the ledger."""


@dataclass(frozen=True)
class LedgerRow:
    """One statement of a source, as recorded in `data/claims.csv`.

    Attributes
    ----------
    id : str
        Key of `claim` and of the target ``(claim-<id>)=`` in the chapter.
    source, locator : str
        Where it is stated.
    statement : str
        What is stated, with its quantifiers.
    wording : {"quoted", "shortened", "stronger", "ours"}
        Whether the statement is the source's own sentence in quotation marks, or that sentence in other words of the
        same content, or more than the source says, or a statement of this course alone.
        Only what a source says itself can be found wrong, so the last two are always confirmed.
    verdict : {"confirmed", "refuted", "corrected"}
    correction : str
        What holds instead; empty exactly if confirmed.
    chapter : int
        The chapter that leans on it.
    how : tuple of {"exact", "proof", "simulation", "data"}
        The ways in which it is checked.
    """

    id: str
    source: str
    locator: str
    statement: str
    wording: str
    verdict: str
    correction: str
    chapter: int
    how: tuple[str, ...]

    @property
    def place(self) -> str:
        """Source and locator, and whether the course states more than the source does."""
        return f"{self.source}, {self.locator}{', made stronger by us' if self.wording == 'stronger' else ''}"


@dataclass(frozen=True)
class Claim:
    """A statement of a source with the verdict on it and the evidence, as a chapter displays it."""

    row: LedgerRow
    evidence: str

    @property
    def mark(self) -> str:
        """The verdict as a sign and a word: ✓ confirmed, ✗ refuted, ≈ corrected."""
        return f"{MARKS[self.row.verdict]} {self.row.verdict}"

    def __repr__(self) -> str:
        row = self.row
        instead = f" What holds: {row.correction}" if row.correction else ""
        return f"{self.mark}: {row.place}: {row.statement}{instead} Evidence: {self.evidence}"

    def _repr_html_(self) -> str:
        row = self.row
        notes = [("What holds", row.correction), ("Evidence", self.evidence)]
        lines = [f'<p class="svt-why"><b>{name}:</b> {typeset(text)}</p>' for name, text in notes if text]
        return (
            f'<div class="svt-claim svt-claim-{row.verdict}" data-claim="{row.id}" '
            'style="border-left:.25rem solid currentColor;padding:.1rem .9rem">'
            f'<p><strong class="svt-mark svt-mark-{row.verdict}">{self.mark}</strong> '
            f"<cite>{html.escape(row.place)}</cite>: {typeset(row.statement)}</p>"
            f"{''.join(lines)}</div>"
        )


def typeset(text: str) -> str:
    """A sentence as HTML, its variables, powers, indices and powers of ten set, and names of programs as code.

    Examples
    --------
    >>> typeset("f_D(z) / e^ε₁ is 1e-09")
    '<i>f<sub>D</sub></i>(<i>z</i>) / <i>e</i><sup><i>ε</i>₁</sup> is 10<sup>−9</sup>'
    """
    text = re.sub(r"(?<= [=≤≥<>∈·+−]) (?=\S)", "\xa0", text)
    text = re.sub(r"(?<=\([\wΔ′]),(?: )(?=[\wΔ′]{1,2}\))", ",\xa0", text)
    return _set(text)


def _set(text: str) -> str:
    """All symbols of a text set, the rest escaped."""
    parts, end = [], 0
    for found in _SYMBOLS.finditer(text):
        parts += [html.escape(text[end : found.start()], quote=False), _symbol(found, text)]
        end = found.end()
    return "".join([*parts, html.escape(text[end:], quote=False)])


def _symbol(found: re.Match[str], text: str) -> str:
    """One symbol as HTML."""
    part = found.groupdict()
    if part["name"]:
        return f"<code>{part['name']}</code>"
    if part["listing"]:
        return f"Alg. {part['listing']}"
    if part["ten"]:
        factor = "" if part["mantissa"] == "1" else f"{part['mantissa']}\xa0·\xa0"
        return f"{factor}10<sup>{part['sign'].replace('-', '−').strip('+')}{part['ten']}</sup>"
    if part["minus"]:
        return "−"
    if part["power"]:
        inside = part["power"]
        return f"<sup>{_set(inside[1:-1] if inside.startswith('(') else inside)}</sup>"
    if part["base"]:
        index = part["index"]
        words = len(index.rstrip("′")) > 1  # SVT, EM: not a variable
        return f"<i>{part['base']}</i><sub>{index}</sub>" if words else f"<i>{part['base']}<sub>{index}</sub></i>"
    letters = part["letters"]
    if letters in ("A", "a", "I") and not _ARTICLE.match(text, found.end()):
        return letters
    if len(re.findall("[A-Za-z]", letters)) > 1 and letters.isascii():  # a short word
        return letters
    return re.sub(f"[^Δ{_BELOW}]+", r"<i>\g<0></i>", letters)  # Δ is upright, as in the chapters


def claim(id: str, *, holds: bool, evidence: str, corrected: bool | None = None) -> Claim:
    """Confront a statement of a source with what was just computed.

    Parameters
    ----------
    id : str
        Key of the statement in the ledger.
    holds : bool
        Whether the statement holds, as a condition on computed values, never a literal.
    evidence : str
        One sentence with the numbers that decide it.
    corrected : bool, optional
        Whether the recorded correction holds. Needed for a statement that the ledger records as corrected, and only
        there.

    Returns
    -------
    Claim
        Displayed as ✓ confirmed (`holds`), ✗ refuted (not `holds`), ≈ corrected (not `holds`, but
        `corrected`).

    Raises
    ------
    ClaimError
        If the verdict reached is not the recorded one.
    ValueError
        If the id is unknown, `holds` or `corrected` is not a boolean, `evidence` is empty, or `corrected` is missing
        or not wanted.

    Examples
    --------
    >>> slack = 0.5 - 0.4988
    >>> print(claim("lsl17-lem-1", holds=slack >= 0, evidence=f"slack {slack:.4f}").mark)
    ✓ confirmed
    """
    rows = ledger()
    if not isinstance(id, str) or id not in rows:
        raise ValueError(f"id must be one of the {len(rows)} in data/{_FILE}, got {id!r}")
    row = rows[id]
    holds = validate.boolean("holds", holds)
    if not isinstance(evidence, str) or not evidence.strip():
        raise ValueError(f"evidence must be a sentence with the numbers that decide it, got {evidence!r}")
    if (corrected is not None) != (row.verdict == "corrected"):
        rule = "given" if corrected is None else "left out"
        raise ValueError(f"corrected must be {rule} for {id}, which is recorded as {row.verdict}, got {corrected!r}")
    if corrected is not None:
        corrected = validate.boolean("corrected", corrected)
    reached = "confirmed" if holds else "corrected" if corrected else "refuted"
    if reached != row.verdict:
        raise ClaimError(
            f"{id} is recorded as {row.verdict}, but the computation says {reached} "
            f"({row.source}, {row.locator}: {row.statement} Evidence: {evidence.strip()})"
        )
    return Claim(row, evidence.strip())


def ledger() -> dict[str, LedgerRow]:
    """Return the ledger by id, in the order of the file.

    Raises
    ------
    ValueError
        If `data/claims.csv` is missing or damaged, naming what is wrong.

    Examples
    --------
    >>> ledger()["lsl17-lem-1"].verdict
    'confirmed'
    """
    rows: dict[str, LedgerRow] = {}
    for fields in read_table(_FILE, _COLUMNS):
        row = _row(dict(zip(_COLUMNS, fields, strict=True)))
        if row.id in rows:
            raise damaged(_FILE, f"the id {row.id!r} occurs twice")
        rows[row.id] = row
    return rows


def _check_wording(entry: dict[str, str]) -> None:
    """A source is held to its own words only: what the course adds to them cannot be found wrong."""
    name, wording, statement = entry["id"], entry["wording"], entry["statement"]
    if wording not in _WORDINGS:
        raise damaged(_FILE, f"{name} has the wording {wording!r}, not one of {', '.join(_WORDINGS)}")
    if (wording == "ours") != (entry["source"] == _COURSE):
        raise damaged(_FILE, f"{name} has the source {entry['source']!r}, and exactly those of {_COURSE!r} are ours")
    if wording in ("stronger", "ours") and entry["verdict"] != "confirmed":
        raise damaged(
            _FILE, f"{name} is {entry['verdict']}, but what is refuted or corrected must be what a source says"
        )
    quotations = re.findall(r"“([^“”]*)”", statement)
    if (wording == "quoted") != bool(quotations):
        raise damaged(_FILE, f"{name} is {wording}, and exactly the quoted statements have words between “ and ”")
    if sum(len(words.split()) for words in quotations) > _MOST_WORDS:
        raise damaged(_FILE, f"{name} quotes more than {_MOST_WORDS} words")


def _row(entry: dict[str, str]) -> LedgerRow:
    name = entry["id"]
    if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", name):
        raise damaged(_FILE, f"the id {name!r} is not lower-case words joined by - or .")
    for column in ("source", "locator", "statement"):
        if not entry[column].strip():
            raise damaged(_FILE, f"{name} has no {column}")
    if entry["verdict"] not in MARKS:
        raise damaged(_FILE, f"{name} has the verdict {entry['verdict']!r}, not one of {', '.join(MARKS)}")
    _check_wording(entry)
    if (entry["verdict"] == "confirmed") == bool(entry["correction"].strip()):
        raise damaged(_FILE, f"{name} is {entry['verdict']}, and every verdict but confirmed has a correction")
    if not re.fullmatch(r"[1-9][0-9]?", entry["chapter"]):
        raise damaged(_FILE, f"{name} has the chapter {entry['chapter']!r}, not a number from 1")
    how = tuple(entry["how"].split(" + "))
    if not set(how) <= set(_WAYS) or len(set(how)) < len(how):
        raise damaged(_FILE, f"{name} has how {entry['how']!r}, not one or more of {', '.join(_WAYS)} joined by ' + '")
    values: dict[str, Any] = {**entry, "chapter": int(entry["chapter"]), "how": how}
    return LedgerRow(**values)
