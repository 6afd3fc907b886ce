"""The slides of the lecture: figures that the chapters have, ninety minutes, notes on each, and no other host."""

from __future__ import annotations

import re

import make_slides
import pytest
from parts import ROOT

TEXT = make_slides.SOURCE.read_text(encoding="utf-8")
PAGE = make_slides.page(TEXT, ROOT / "chapters")


def test_the_lecture_has_ninety_minutes():
    assert make_slides.minutes(TEXT) == 90


def test_every_figure_is_shown_with_its_text():
    """As many as are named, each with the text alternative that it has in its chapter."""
    named = make_slides.FIGURE.findall(TEXT)
    assert len(named) >= 6
    labels = re.findall(r'<svg[^>]*aria-label="([^"]+)"', PAGE)
    assert len(labels) == len(named) == PAGE.count("<figure>")
    assert all(label.startswith(start) for label, (_, start) in zip(labels, named, strict=True))
    assert "@@" not in PAGE


def test_nothing_is_asked_of_another_host_and_nothing_runs():
    assert "<script" not in PAGE
    assert not re.findall(r"(?:src|href)=\"(?!#)|url\((?!#)|@import", PAGE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n\n::: notes\nLong.", "begin with its minutes"),
        ("# A", "begin with its minutes"),
        ("# A\n\n![](03: No such figure)\n\n::: notes\n1 min.", "one figure"),
    ],
)
def test_a_slide_that_is_not_whole_stops_it(text, said):
    with pytest.raises(ValueError, match=said):
        make_slides.page(text, ROOT / "chapters")
