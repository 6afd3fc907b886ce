"""Answers in a form of their own, and what people write around an SVT: right ones are proved, wrong ones convicted."""

from __future__ import annotations

import hostile_programs as hostile
import pytest

from svtcourse.judge.judge import judge

LOOP = """{before}
def program(answers, threshold, epsilon, c, rng):
    rho, found = rng.laplace(0, 2 / epsilon), 0
    {start}
    for i, a in enumerate(answers):
        above = a + rng.laplace(0, {nu}) >= threshold + rho
        found += above
        {say}
        if found == c:
            break
    return {end}
"""
CLASS = """{before}
class Program{base}:
    {body}
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.left, self.scale = rng, c, {nu}
        self.bar = threshold + rng.laplace(0, 2 / epsilon)
        {start}
    def ask(self, answer):
        if self.left == 0:
            raise RuntimeError("closed")
        above = answer + {draw} >= self.bar
        self.left -= bool(above)
        {say}
        return {end}
"""
ENUM = "from enum import Enum\nclass Said(Enum):\n    LOW = 'low'\n    HIGH = 'high'\n"
TUPLE = "from typing import NamedTuple\n"
DATA = "from dataclasses import dataclass, field\n"
LOG = "import logging, warnings\nlog = logging.getLogger('svt')\n"
SAID = "said = []"
APPEND = "said.append(bool(above))"
FORMS = {  # before, start, say, end of a loop
    "words of its own": ("", SAID, "said.append('HIGH' if above else 'fine')", "said"),
    "a text that grows": ("", "said = ''", "said += '1' if above else '0'", "said"),
    "a text of a list": ("", SAID, "said.append('⊤' if above else '⊥')", "''.join(said)"),
    "a text of numbers": ("", SAID, "said.append(f'query {i}: {bool(above)}')", "said"),
    "by places": ("", "said = {}", "said[i] = bool(above)", "said"),
    "rows": ("", SAID, "said.append({'query': i, 'above': bool(above), 'left': c - found})", "{'rows': said, 'n': found}"),
    "members": (ENUM, SAID, "said.append(Said.HIGH if above else Said.LOW)", "said"),
    "a named tuple": (TUPLE + "class R(NamedTuple):\n    said: list\n    done: bool = False\n", SAID, APPEND, "R(said, found == c)"),
    "a dataclass": (DATA + "@dataclass\nclass R:\n    said: list = field(default_factory=list)\n", "r = R()", "r.said.append(bool(above))", "r"),
    "frozen records": (DATA + "@dataclass(frozen=True)\nclass R:\n    place: int\n    above: bool\n", SAID, "said.append(R(i, bool(above)))", "said"),
    "no numbers": ("", SAID, "said.append(1.0 if above else np.nan)", "said"),
    "an array of truths": ("", "said = np.zeros(len(answers), dtype=bool)", "said[i] = above", "said[: i + 1] if said.sum() == c else said"),
    "a log": (LOG, SAID, APPEND + "; log.info('query %d: %s', i, above); warnings.warn(f'{i}'); print(i, found)", "said"),
}  # fmt: skip
PARTS = "from typing import NamedTuple\nclass S(NamedTuple):\n    a: float\n    b: float\n    @classmethod\n    def of(cls, e):\n        return cls(e / 2, e / 2)\n"
SIGNED = (
    "def lap(b, rng):\n    u = rng.uniform(-0.5, 0.5)\n    s = 1.0 if u >= 0 else -1.0\n    return -b * s * {log}\n"
)
OBJECTS = {  # before, base, body, start, draw, say, end of a class
    "members": (ENUM, "", "", "", "self.rng.laplace(0, self.scale)", "", "Said.HIGH if above else Said.LOW"),
    "derived": ("class Base:\n    def noise(self, b):\n        return self.rng.laplace(0, b)\n", "(Base)", "", "", "self.noise(self.scale)", "", "bool(above)"),
    "abstract": ("import abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def noise(self): ...\n", "(Base)", "def noise(self):\n        return self.rng.laplace(0, self.scale)\n", "", "self.noise()", "", "bool(above)"),
    "slots": ("", "", "__slots__ = ('rng', 'left', 'scale', 'bar')", "", "self.rng.laplace(0, self.scale)", "", "bool(above)"),
    "partial": ("from functools import partial", "", "", "self.draw = partial(rng.laplace, 0.0, self.scale)", "self.draw()", "", "bool(above)"),
    "a law of scipy": ("from scipy import stats", "", "", "self.law = stats.laplace(loc=0, scale=self.scale)", "self.law.rvs(random_state=self.rng)", "", "bool(above)"),
    "a split of one's own": (PARTS, "", "", "self.scale, _ = self.scale * S.of(2.0)[0], S.of(1.0).b", "self.rng.laplace(0, self.scale)", "", "bool(above)"),
    "a sign": ("import math\n" + SIGNED.format(log="math.log(1 - 2 * abs(u))"), "", "", "", "lap(self.scale, self.rng)", "", "bool(above)"),
    "log1p": ("from math import log1p\n" + SIGNED.format(log="log1p(-2 * abs(u))"), "", "", "", "lap(self.scale, self.rng)", "", "bool(above)"),
    "checks": ("from numbers import Real", "", "", "if not isinstance(epsilon, Real) or not np.isfinite(epsilon): raise ValueError('no')", "self.rng.laplace(0, self.scale)", "", "bool(above)"),
}  # fmt: skip
PROGRAMS = {f"loop: {name}": (LOOP.format(before=b, start=s, say=y, end=e, nu="{nu}"), "program") for name, (b, s, y, e) in FORMS.items()} | {
    f"ask: {name}": (CLASS.format(before=b, base=of, body=body, start=s, draw=d, say=y, end=e, nu="{nu}"), "Program")
    for name, (b, of, body, s, d, y, e) in OBJECTS.items()
}  # fmt: skip


@pytest.mark.parametrize("form", PROGRAMS)
def test_a_form_of_its_own_is_proved_where_it_is_right(form):
    """And no pair is found."""
    text, name = PROGRAMS[form]
    verdict = judge(hostile.made(text.replace("{nu}", "4 * c / epsilon"), name), c=2)
    assert verdict.private is True, verdict


@pytest.mark.parametrize("form", PROGRAMS)
def test_a_form_of_its_own_is_convicted_where_it_is_wrong(form):
    """By an output that it returns."""
    text, name = PROGRAMS[form]
    verdict = judge(hostile.made(text.replace("{nu}", "0.5 * c / epsilon"), name), c=2)
    assert verdict.private is False and verdict.pair.loss > 1, verdict
