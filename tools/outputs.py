"""What a fresh execution of a cell may change in its outputs: the last digits of a computation, and nothing else.

Processors round differently: the same code gives 0.49999999999 here and 0.5 there, and a curve whose points are off by
a millionth of a point.  So numbers are compared as numbers, coordinates of a figure as coordinates, and everything
else (words, whole numbers, tags, attributes, how many points) letter by letter.  `make notebooks` leaves a committed
output alone where it finds no difference, and `chapters/conftest.py` makes nbval compare by the same rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from lxml import html
from numpy.typing import NDArray

RELATIVE = 1e-7  # of a printed number that is not whole
ABSOLUTE = 1e-12  # of a printed number next to zero
POINTS = 0.05  # of a coordinate of a figure, in points; a line is 15 to 30 times as wide
LEVELS = 2  # of 255, for each of a colour's three parts

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?")
_STYLED = re.compile(rf"#[0-9a-fA-F]{{6}}\b|{_NUMBER.pattern}")
_SIGNED = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COORDINATES = {"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "points", "transform"}


def differences(before: Iterable[Any], after: Iterable[Any], skipped: Sequence[str] = ()) -> list[str]:
    """Return what differs between the outputs `before` and `after` of one cell, in words; nothing if all is well.

    Parameters
    ----------
    before, after : iterable of mapping
        Outputs in the notebook format.
    skipped : sequence of str
        Keys and media types that are not compared.
    """
    old, new = ([_flat(output, skipped) for output in outputs] for outputs in (before, after))
    if len(old) != len(new):
        return [f"{len(old)} outputs before, {len(new)} now"]
    found = []
    for number, (left, right) in enumerate(zip(old, new, strict=True), 1):
        if left.keys() != right.keys():
            found.append(f"output {number} has {sorted(left)} before, {sorted(right)} now")
            continue
        for key in left:
            compare = _markup_difference if key in ("text/html", "image/svg+xml") else text_difference
            difference = compare(left[key], right[key])
            if difference:
                found.append(f"output {number}, {key}: {difference}")
    return found


def _flat(output: Mapping[str, Any], skipped: Sequence[str]) -> dict[str, str]:
    fields = {key: value for key, value in output.items() if key != "data"} | dict(output.get("data", {}))
    return {
        key: "".join(value) if isinstance(value, list) else value if isinstance(value, str) else repr(value)
        for key, value in fields.items()
        if key not in skipped
    }


# --- text -------------------------------------------------------------------------------------------------------------


def text_difference(before: str, after: str) -> str:
    """Words letter by letter, blanks as one blank, numbers as numbers."""
    # A number that is printed longer moves what stands beside it: how many blanks there are says nothing.
    return _difference(before, after, _NUMBER, _same_number, r"[ \t]+")


def _difference(
    before: str, after: str, number: re.Pattern[str], same: Callable[[str, str], bool], blanks: str = r"[\s,]+"
) -> str:
    """What differs between texts of which whatever matches `number` is compared as `same` says."""
    if before == after:
        return ""
    words = [re.sub(blanks, " ", number.sub("0", text)) for text in (before, after)]
    numbers = [number.findall(text) for text in (before, after)]
    if words[0] != words[1] or len(numbers[0]) != len(numbers[1]):
        return _shown(before, after)
    for left, right in zip(*numbers, strict=True):
        if not same(left, right):
            return f"{left} before, {right} now, in {_shown(before, after)}"
    return ""


def _same_number(left: str, right: str) -> bool:
    if left == right:
        return True
    if (left.isdigit() and right.isdigit()) or ("e" in left.lower()) != ("e" in right.lower()):
        return False  # whole numbers are exact, and 1e-3 in place of 0.001 is another way to print
    return math.isclose(float(left), float(right), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _same_coordinate(left: str, right: str) -> bool:
    return abs(float(left) - float(right)) <= POINTS


def _same_style(left: str, right: str) -> bool:
    """Colours by their three parts, other numbers as numbers."""
    if not left.startswith("#") or not right.startswith("#"):
        return left == right or ("#" not in left + right and _same_number(left, right))
    return all(abs(int(left[i : i + 2], 16) - int(right[i : i + 2], 16)) <= LEVELS for i in (1, 3, 5))


def _shown(before: str, after: str) -> str:
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    left, right = (text[max(0, start - 40) : start + 60] for text in (before, after))
    return f"{left!r} before, {right!r} now"


# --- markup -----------------------------------------------------------------------------------------------------------


def _parts(markup: str) -> list[tuple[str, list[str], str, dict[str, str]]]:
    """Each tag of a page: its name, the text in and behind it, in words what it is, and its attributes."""
    return [
        (
            str(one.tag),
            [text if text and text.strip() else "" for text in (one.text, one.tail)],
            f"<{one.tag} {' '.join(one.attrib)}> with {len(one)} inside",
            dict(one.attrib),
        )
        for one in html.fragment_fromstring(markup, create_parent="div").iter()
    ]


def _markup_difference(before: str, after: str) -> str:
    """Tags, attributes and their order as they are; text as text, coordinates as coordinates."""
    if before == after:
        return ""
    old, new = _parts(before), _parts(after)
    for (tag, texts, shape, attributes), (_, new_texts, new_shape, new_attributes) in zip(old, new, strict=False):
        if shape != new_shape:
            return f"{shape} before, {new_shape} now"
        for text, new_text in zip(texts, new_texts, strict=True):
            if difference := text_difference(text, new_text):
                return difference
        for name, value in attributes.items():
            if difference := _attribute_difference(name, value, new_attributes[name]):
                return f"{name} of <{tag}>: {difference}"
    return ""


def _attribute_difference(name: str, before: str, after: str) -> str:
    if name == "d":
        return "" if _same_path(before, after) else _shown(before, after)
    if name in _COORDINATES:
        return _difference(before, after, _SIGNED, _same_coordinate)
    if name in ("style", "fill", "stroke"):
        return _difference(before, after, _STYLED, _same_style, r"[ \t]+")
    return text_difference(before, after)


def _same_path(before: str, after: str) -> bool:
    """Whether two paths draw the same line.

    Matplotlib leaves out points that lie on the line between their neighbours, and a last digit decides which: where
    the commands differ, every corner of one polygonal line must lie on the other one.
    """
    if not _difference(before, after, _SIGNED, _same_coordinate):
        return True
    old, new = (_strokes(path) for path in (before, after))
    return (
        bool(old)
        and len(old) == len(new)
        and all(_lies_on(left, right) and _lies_on(right, left) for left, right in zip(old, new, strict=True))
    )


def _strokes(path: str) -> list[NDArray[np.float64]]:
    """The polygonal lines of a path, shape (corners, 2) each; none where it has curves."""
    if set(re.findall(r"[A-Za-z]", re.sub(r"\d[eE][-+]?\d", "0", path))) - set("MLz"):
        return []
    return [np.array(_SIGNED.findall(stroke), dtype=float).reshape(-1, 2) for stroke in path.split("M")[1:]]


def _lies_on(corners: NDArray[np.float64], line: NDArray[np.float64]) -> bool:
    if len(line) < 2 or len(corners) < 2:
        return False
    ends = np.abs(corners[[0, -1]] - line[[0, -1]])
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-30)
    along = np.clip(((corners[:, None] - start) * step).sum(axis=2) / length, 0.0, 1.0)
    distance = np.hypot(*np.moveaxis(corners[:, None] - (start + along[..., None] * step), 2, 0)).min(axis=1)
    return bool(np.all(ends <= POINTS) and np.all(distance <= 2 * POINTS))
