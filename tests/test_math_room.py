"""The room kept for a formula is about the room it takes, so that lines stay when it is set."""

from __future__ import annotations

import pytest
from math_room import INLINE, room

# Widths in ems as MathJax set them at the size of the text.
SET = {
    r"\varepsilon": 0.50,
    "c": 0.46,
    r"\Delta": 0.89,
    r"\top": 0.83,
    "D'": 1.28,
    r"2\Delta": 1.43,
    r"\varepsilon = 1": 2.47,
    "1 : 2c": 2.43,
    "c = 100": 3.50,
    r"\ln k": 1.63,
    r"(\varepsilon, \delta)": 2.29,
    "q_i": 0.83,
    r"\varepsilon_1 + \varepsilon_2 = \varepsilon": 5.17,
    r"\operatorname{KL}": 1.50,
    r"D \simeq D'": 3.60,
}


@pytest.mark.parametrize("source", SET)
def test_it_is_within_a_letter_of_what_is_set(source):
    assert room(source) == pytest.approx(SET[source], abs=0.3, rel=0.08)


def test_every_inline_formula_of_a_page_is_found():
    page = r'<p><span class="math notranslate nohighlight">\(a &lt; b\)</span> <span class="math">\(x\)</span></p>'
    assert [m[3] for m in INLINE.finditer(page)] == ["a &lt; b"]
    assert room("a &lt; b") == room("a < b") == pytest.approx(2.5, abs=0.3)
