"""The words of a text in Python, with their lines.

Plain Python that MicroPython runs.
"""

from __future__ import annotations

from svtcourse.judge.unknowns.symbols import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["WORDS", "NoPython", "Refusal", "Token", "number_of", "text_of", "tokens_of"]

_ALL_SIGNS = """
    **= //= >>= <<= ... == != >= <= += -= *= /= %= &= |= ^= @= := -> ** // << >>
"""
_SIGNS = _ALL_SIGNS.split()
_KEPT = """
    and as assert break class continue def del elif else except False finally for from global if import in is
    lambda None nonlocal not or pass raise return True try while with yield async await
"""
WORDS = set(_KEPT.split())
_OPENING, _CLOSING = "([{", ")]}"
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "\n": "", "r": "\r"}


class Refusal(Unreadable):
    """Something that is not read, with its line."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class NoPython(Exception):
    """What is wrong with a text, with its line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason, self.line = f"It is not read as Python: {reason}", line


class Token:
    """A word, number, text or sign; a line begins with ``indent`` spaces before it, or -1 where none does."""

    def __init__(self, kind: str, text: str, line: int, indent: int) -> None:
        self.kind, self.text, self.line, self.indent = kind, text, line, indent


def _letter(sign: str) -> bool:
    return sign.isalpha() or sign == "_" or ord(sign) > 127


def _string_end(text: str, i: int, line: int) -> int:
    quote = text[i : i + 3] if text[i : i + 3] in ("'''", '"""') else text[i]
    i += len(quote)
    while text[i : i + len(quote)] != quote:
        if i >= len(text) or (len(quote) == 1 and text[i] == "\n"):
            raise NoPython("a text without an end", line)
        i += 2 if text[i] == "\\" else 1
    return i + len(quote)


def _ends_there(inside: str) -> bool:
    """Whether each value in a text stands in brackets of its own, with no text in it: else Pythons end it elsewhere."""
    within = False
    for sign in inside:
        if sign in "{}" and within is (sign == "{"):
            return False
        if within and sign in "'\"#\\":
            return False
        within = (within or sign == "{") and sign != "}"
    return not within


def _word(text: str, i: int, line: int) -> tuple[str, int]:
    """The kind of the word that begins at a place, and where it ends."""
    first, start = text[i], i
    if first in "'\"":
        return "text", _string_end(text, i, line)
    if _letter(first):
        while i < len(text) and (_letter(text[i]) or text[i].isdigit()):
            i += 1
        if i < len(text) and text[i] in "'\"" and i - start < 3:
            end = _string_end(text, i, line)
            inside = text[i:end]
            if "f" in text[start:i].lower() and not _ends_there(inside):
                raise Refusal("It has a text with a value inside that may not end where it seems to", line)
            return "prefixed", end
        return "name", i
    if first.isdigit() or (first == "." and text[i + 1 : i + 2].isdigit()):
        while i < len(text) and (text[i].isdigit() or text[i] in "._" or _letter(text[i])):
            i += 2 if text[i] in "eE" and text[i + 1 : i + 2] in ("+", "-") else 1
        return "number", i
    for sign in _SIGNS:
        if text[i : i + len(sign)] == sign:
            return "sign", i + len(sign)
    return "sign", i + 1


def tokens_of(text: str) -> list[Token]:
    """All words of a text."""
    found: list[Token] = []
    i, line, depth, indent = 0, 1, 0, 0
    fresh = True
    for odd in ("\f", "\r", "\v", "\0"):
        if odd in text:
            raise Refusal("It has a sign that ends or begins lines in ways that are not read", 1)
    begins = [row[: len(row) - len(row.lstrip(" \t"))] for row in text.split("\n")]
    if any(["\t" in one for one in begins]) and any([" " in one for one in begins]):
        raise Refusal("It mixes tabs and spaces", 1)
    while i < len(text):
        sign = text[i]
        if sign == "\n":
            i, line = i + 1, line + 1
            if depth == 0:
                fresh, indent = True, 0
        elif sign in " \t\r\f":
            if fresh:
                indent += 1 if sign == " " else 8 - indent % 8
            i += 1
        elif sign == "#":
            while i < len(text) and text[i] != "\n":
                i += 1
        elif sign == "\\" and text[i + 1 : i + 2] == "\n":
            if fresh or not text[i + 2 :].strip():
                raise Refusal("It goes on with a line that is not there", line)
            i, line = i + 2, line + 1
        else:
            kind, end = _word(text, i, line)
            word = text[i:end]
            if word in _CLOSING:
                depth -= 1
            if kind == "name" and any([ord(x) > 127 for x in word]):
                raise Refusal(f"It has a name in other letters ({word})", line)
            found.append(Token(kind, word, line, indent if fresh else -1))
            if word in _OPENING:
                depth += 1
            line += word.count("\n")
            i, fresh = end, False
    found.append(Token("end", "", line, 0))
    return found


def number_of(word: str, line: int) -> Any:
    """A number as it is written."""
    plain = word.replace("_", "")
    for k, sign in enumerate(word):
        if sign == "_" and not (word[k - 1].isdigit() and word[k + 1 : k + 2].isdigit()):
            raise NoPython(f"not a number: {word}", line)
        if ord(sign) > 127:
            raise NoPython(f"not a number: {word}", line)
    if len([sign for sign in plain if sign.isdigit()]) > 17 and not plain.isdigit():
        raise Refusal("It has a number of so many digits that not all may be read", line)
    try:
        return int(plain, 0) if plain.isdigit() or plain[:2].lower() in ("0x", "0b", "0o") else float(plain)
    except ValueError as error:
        raise NoPython(f"not a number: {word}", line) from error


def text_of(token: Token) -> str:
    """A text as it is written."""
    word = token.text
    inner = word[3:-3] if word[:3] in ("'''", '"""') else word[1:-1]
    found, i = "", 0
    while i < len(inner):
        if inner[i] != "\\":
            found, i = found + inner[i], i + 1
        elif inner[i + 1] in _ESCAPES:
            found, i = found + _ESCAPES[inner[i + 1]], i + 2
        else:
            raise Refusal("It has a text with a sign that is not read", token.line)
    return found
