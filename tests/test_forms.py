"""Answers in a form of their own, and what people write around an SVT: right ones are proved, wrong ones convicted."""

from __future__ import annotations

import builtins
import codecs
import cProfile
import io
import sys

import hostile_programs as hostile
import numpy as np
import pytest
from parts import one_in

from svtcourse.judge import page
from svtcourse.judge.judge import judge
from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.quiet import only_prints
from svtcourse.judge.rerun import draws_otherwise

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
            raise {raised}
        above = answer + {draw} >= self.bar
        self.left -= bool(above)
        return {end}
"""
USUAL = {"before": "", "start": "said = []", "say": "said.append(bool(above))", "end": "said"}
USUAL_CLASS = {
    "before": "",
    "base": "",
    "body": "",
    "start": "",
    "draw": "self.rng.laplace(0, self.scale)",
    "raised": "RuntimeError('closed')",
    "end": "bool(above)",
}
ENUM = "from enum import Enum\nclass Said(Enum):\n    LOW = 'low'\n    HIGH = 'high'\n"
RECORD = """from dataclasses import dataclass, field
@dataclass
class R:
    said: list = field(default_factory=list)
"""
KIND = """from dataclasses import dataclass, field
@dataclass
class R:
    above: bool
    kind: str = field(init=False, default="svt")
"""
FROZEN = """from dataclasses import dataclass
@dataclass(frozen=True)
class R:
    place: int
    above: bool
"""
BASE = """class Base:
    def noise(self, b):
        return self.rng.laplace(0, b)
"""
SIGNED = """import math
from math import log1p
def lap(b, rng):
    u = rng.uniform(-0.5, 0.5)
    s = 1.0 if u >= 0 else -1.0
    return -b * s * {log}
"""
FORMS = {
    "words of its own": {"say": "said.append('HIGH' if above else 'fine')"},
    "a text that grows": {"start": "said = ''", "say": "said += '1' if above else '0'"},
    "a text of a list": {"say": "said.append('⊤' if above else '⊥')", "end": "''.join(said)"},
    "a text of numbers": {"say": "said.append(f'query {i}: {bool(above)}')"},
    "by places": {"start": "said = {}", "say": "said[i] = bool(above)"},
    "rows": {"say": "said.append({'above': bool(above), 'left': c - found})", "end": "{'rows': said, 'n': found}"},
    "members": {"before": ENUM, "say": "said.append(Said.HIGH if above else Said.LOW)"},
    "a dataclass": {"before": RECORD, "start": "r = R()", "say": "r.said.append(bool(above))", "end": "r"},
    "records with a field of their class": {"before": KIND, "say": "said.append(R(bool(above)))"},
    "frozen records": {"before": FROZEN, "say": "said.append(R(i, bool(above)))"},
    "no numbers": {"say": "said.append(1.0 if above else np.nan)"},
    "an array of truths": {
        "start": "said = np.zeros(len(answers), dtype=bool)",
        "say": "said[i] = above",
        "end": "said[: i + 1] if said.sum() == c else said",
    },
    "printed": {"say": "said.append(bool(above)); print(f'{i:3d}', above)"},
}
OBJECTS = {
    "members": {"before": ENUM, "end": "Said.HIGH if above else Said.LOW"},
    "derived": {"before": BASE, "base": "(Base)", "draw": "self.noise(self.scale)"},
    "partial": {
        "before": "from functools import partial",
        "start": "self.draw = partial(rng.laplace, 0.0, self.scale)",
        "draw": "self.draw()",
    },
    "a law of scipy": {
        "before": "from scipy import stats",
        "start": "self.law = stats.laplace(loc=0, scale=self.scale)",
        "draw": "self.law.rvs(random_state=self.rng)",
    },
    "a sign": {"before": SIGNED.format(log="math.log(1 - 2 * abs(u))"), "draw": "lap(self.scale, self.rng)"},
    "log1p": {"before": SIGNED.format(log="log1p(-2 * abs(u))"), "draw": "lap(self.scale, self.rng)"},
    "an end of its own": {
        "before": "class Closed(Exception):\n    pass\n",
        "raised": "Closed(2)",
    },
    "records, a law of scipy": {
        "before": "from dataclasses import dataclass\nfrom scipy.stats import laplace\n@dataclass\nclass R: up: bool",
        "draw": "laplace.rvs(scale=self.scale, random_state=self.rng)",
        "end": "R(bool(above))",
    },
    "or one of its own": {"start": "self.rng = rng or np.random.default_rng()"},
    "checks": {
        "before": "import math\nfrom numbers import Real",
        "start": "if not (isinstance(epsilon, Real) and np.isfinite(epsilon) and math.isfinite(c)): raise ValueError",
    },
}
PROGRAMS = {
    f"{name}, a {kind}": (text.format(**{**usual, **parts, "nu": "{nu}"}), called)
    for text, usual, table, kind, called in (
        (LOOP, USUAL, FORMS, "loop", "program"),
        (CLASS, USUAL_CLASS, OBJECTS, "class", "Program"),
    )
    for name, parts in table.items()
}


@pytest.mark.parametrize("form", one_in(6, PROGRAMS))
def test_a_form_of_its_own_is_proved_where_it_is_right(form):
    """And no pair is found."""
    text, name = PROGRAMS[form]
    verdict = judge(hostile.made(text.replace("{nu}", "4 * c / epsilon"), name), c=2)
    assert verdict.private is True, verdict


@pytest.mark.parametrize("form", one_in(8, PROGRAMS))
def test_a_form_of_its_own_is_convicted_where_it_is_wrong(form):
    """By an output that it returns."""
    text, name = PROGRAMS[form]
    verdict = judge(hostile.made(text.replace("{nu}", "0.5 * c / epsilon"), name), c=2)
    assert verdict.private is False and verdict.pair.loss > 1, verdict


HIDDEN = """{before}
def program(answers, threshold, epsilon, c, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    out, found, first = [], 0, 0
    {setup}
    for i, a in enumerate(answers):
        {turn}
        if a + rng.laplace(0, 4 * c / epsilon) >= bar:
            first = i if found == 0 else first
            found += 1
            out.append(True)
            {hit}
            if found == c:
                return out
        elif i > 56 and first == 13 and {rare}:
            out.append(a > threshold)
        else:
            out.append(False)
    return out
"""
USUAL_HIDDEN = {"before": "", "setup": "pass", "turn": "pass", "hit": "pass", "rare": "True"}
FLIP = """class Flip:
    def __init__(self):
        self.mode = False
    @property
    def flip(self):
        self.mode = not self.mode
        return self.mode
    def turn(self):
        self.mode = True
        return self
    def __str__(self):
        self.mode = True
        return ''
    def write(self, text):
        self.mode = True
"""
NOTED = """from dataclasses import dataclass
@dataclass
class R:
    above: bool
    raw = None
"""
TWICE = """import enum
class E(enum.Enum):
    HIGH = 1
first_ = E
class E(enum.Enum):
    HIGH = 1
second = E
"""
SHARED = """from dataclasses import dataclass, field
shared = []
@dataclass
class R:
    xs: list = field(default_factory=lambda: shared)
R.__dataclass_fields__["xs"].default_factory = list
"""
TURN = "if i == 57 and first == 13: {}"
NOTES = """class K:
    leak = False
class G:
    @property
    def flip(self):
        K.leak = True
        return int
    def __or__(self, other):
        return self.flip
G = G()
"""
COMPARED = """from dataclasses import dataclass
class K: leak = False
@dataclass
class R:
    above: bool
    def __eq__(self, other):
        K.leak = True
        return True
"""
SHADOWED = """from dataclasses import dataclass, field
@dataclass
class Item:
    x: float = 0.0
@dataclass
class Box:
    self: object = None
@dataclass
class Made:
    items: list = field(default_factory=list)
    _HAS_DEFAULT_FACTORY: object = None
"""
ORDERED = """if i == 57:
            if first == 13: d['y'] = 0; d['x'] = 0
            else: d['x'] = 0; d['y'] = 0"""
REPLACED = """from dataclasses import dataclass
class K: leak = False
@dataclass(frozen=True)
class R:
    above: bool
class Odd:
    @staticmethod
    def __setattr__(self, name, x): K.leak = True; object.__setattr__(self, name, x)
R.__init__.__closure__[R.__init__.__code__.co_freevars.index('__dataclass_builtins_object__')].cell_contents = Odd
"""
SLY = {
    "a part of a text": {"setup": "s = ''", "turn": "s += '0'", "hit": "s += '1'", "rare": "'01' in s[:]"},
    "how often a text stands in a part of one": {
        "setup": "s = ''",
        "turn": "s += '0'",
        "hit": "s += '1'",
        "rare": "s[:].count('01')",
    },
    "the order of a dictionary": {
        "setup": "d = {'z': 0}; leak = False",
        "turn": "leak = [k for k in d.keys()][-1] == 'x'\n        " + ORDERED,
        "rare": "leak",
    },
    "records that are compared": {
        "before": COMPARED,
        "turn": TURN.format("k = [R(True)].count(True)"),
        "rare": "K.leak",
    },
    "what makes a record": {"before": REPLACED, "turn": TURN.format("p = R(True)"), "rare": "K.leak"},
    "a note of a function": {"before": NOTES, "setup": "def inner(x: G.flip): return x", "rare": "K.leak"},
    "a note of what is given back": {"before": NOTES, "setup": "def inner(x) -> G | None: return x", "rare": "K.leak"},
    "a note in a class": {"before": NOTES, "setup": "class L: x: G.flip = 1", "rare": "K.leak"},
    "an operator of a member": {"before": ENUM + "Said.__bool__ = bool\n", "rare": "not Said.HIGH"},
    "a function of a library": {
        "before": ENUM + "def eq(s, o): return True\neq.__module__ = 'enum'\nSaid.__eq__ = eq\n",
        "rare": "Said.HIGH == Said.LOW",
    },
    "members exchanged": {
        "before": ENUM + "type.__setattr__(Said, 'HIGH', Said.LOW)\n",
        "rare": "Said.HIGH is Said.LOW",
    },
    "members of two kinds": {
        "before": TWICE,
        "setup": "seen = []",
        "hit": "seen.append(second.HIGH); found = seen.count(first_.HIGH)",
        "rare": "False",
    },
    "a member as a text": {
        "before": ENUM,
        "setup": "seen = []",
        "hit": "seen.append(Said.HIGH); found = sum([x == 'Said.HIGH' for x in seen])",
        "rare": "False",
    },
    "what is no number": {"setup": "import math", "rare": "math.nan in (math.nan, 1.0)"},
    "what is no number in numpy": {"rare": "np.maximum(1.0, np.nan) != 1.0"},
    "what is no number in a value": {"before": "X = float('nan')", "rare": "X in (X,)"},
    "the sign of zero": {"setup": "import math", "rare": "math.copysign(1.0, np.maximum(-0.0, 0.0)) > 0"},
    "printed in part": {
        "before": "from functools import partial\n" + FLIP,
        "setup": "f = Flip(); partial(print, f)()",
        "rare": "f.mode",
    },
    "printed in a list": {"before": FLIP, "setup": "f = Flip(); seen_ = [f]; print(seen_)", "rare": "f.mode"},
    "a list for all": {"before": SHARED, "setup": "r = R(); r.xs.append(1)", "rare": "len(R().xs) > 1"},
    "a view of a dictionary": {"setup": "d = {}; seen = d.values()", "hit": "d[i] = True", "rare": "sum(seen) > 0"},
    "the keys of a dictionary": {
        "setup": "d = {}",
        "hit": "d[i] = True",
        "rare": "len([k for k in d if k == True]) != found",
    },
    "a view of names": {"setup": "d = {'n': 0}; seen = d.keys()", "hit": "d['m'] = 1", "rare": "len(seen) > 1"},
    "a property in a text": {"before": FLIP, "setup": "f, word = Flip(), ''", "rare": "f'{f.flip} {i}' and f.mode"},
    "a note of a field": {"before": FLIP, "setup": "f = Flip(); f.turn().mode: bool", "rare": "f.mode"},
    "an object that is printed": {"before": FLIP, "setup": "f = Flip(); print(f)", "rare": "f.mode"},
    "where it prints": {"before": FLIP, "setup": "f = Flip(); print('', file=f)", "rare": "f.mode"},
    "how numpy rounds": {"rare": "round(np.float64(2.675), 2) > 2.6751"},
    "what is left of an unknown": {
        "before": "from numbers import Integral",
        "rare": "isinstance(threshold - threshold, Integral)",
    },
    "how odd it is": {"rare": "(a - a + 134217729) * 134217729 % 2 == 1"},
    "the sum of nothing": {"rare": "f'{np.sum(())}' == '0.0'"},
    "the sum of an empty array": {"rare": "f'{np.zeros(3)[3:].sum()}' == '0.0'"},
    "the sum of an empty part": {"setup": "e = []", "rare": "f'{np.sum(e[:])}' == '0.0'"},
    "the sum of no values": {"setup": "d = {}", "rare": "f'{np.sum(list(d.values()))}' == '0.0'"},
    "the kind of a sum": {
        "before": "from numbers import Integral",
        "setup": "e = []",
        "rare": "not isinstance(np.sum(e[:]), Integral)",
    },
    "what an array is a part of": {"rare": "answers.base is None"},
    "what is made as long as it": {"setup": "b = np.zeros(len(answers))", "rare": "b.base is None"},
    "what a member is worth": {
        "before": "from enum import Enum\nclass N(Enum):\n    A = None\n    B = 1",
        "rare": "(N.A, N.A)[i % 2].value is None",
    },
    "which member an array is": {
        "before": "from enum import Enum\nclass N(Enum):\n    A = 1",
        "setup": "z = np.zeros(0)",
        "rare": "np.any(z is not N.A)",
    },
    "how members are made": {"before": ENUM, "rare": "Said.__init__"},
    "the sign of a last digit": {
        "setup": "import math",
        "rare": "math.copysign(math.exp(0.3), -1.0) != -0.6749294037880016 * 2",
    },
    "no number of numpy": {"before": "X = np.float64('nan')", "rare": "X in (X,)"},
    "a whole number of numpy": {"before": "X = np.int64(-2**63)", "rare": "-X < 0"},
    "a number that is printed as a letter": {"rare": "print(f'{a:c}')"},
    "the kind of a budget": {"before": "from numbers import Integral", "rare": "isinstance(epsilon, Integral)"},
    "a field called self": {"before": SHADOWED, "rare": "Box(Item(0.0)).self is not None"},
    "a field called as a factory is": {"before": SHADOWED, "rare": "Made(None).items is not None"},
    "a kind of number": {"setup": "T = np.array([1, 2]).sum()", "rare": "not isinstance(T, int)"},
    "a kind of threshold": {"rare": "not isinstance(threshold, float)"},
    "a field of no record": {
        "before": NOTED,
        "setup": "seen = []",
        "hit": "r = R(True); r.raw = a; seen.append(r)",
        "rare": "False",
    },
}


@pytest.mark.parametrize("how", one_in(9, SLY))
def test_what_is_hidden_in_a_form_is_not_cleared(how):
    """Nor does anything else come of it than a verdict."""
    text = HIDDEN.format(**{**USUAL_HIDDEN, **SLY[how]})
    text = text.replace("return out", "return seen") if "r = R(True)" in text else text
    assert judge(hostile.made(text), c=2, trials=1000).private is not True


def _own(*_, **__):
    return None


def _streamed(**changes):
    stream = io.StringIO()
    stream.__dict__.update(changes)
    return stream


WRITES = {
    "print('begins')": [
        (sys, "stdout", _streamed(write=_own)),
        (sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii", "own")),
        (sys, "stdout", io.TextIOWrapper(type("Tee", (io.BytesIO,), {"raw": io.BytesIO()})())),
        (sys, "stdout", type("Spy", (), {"__module__": "io", "write": _own})()),
    ],
    "print(answers)": [(np, "get_printoptions", lambda: {"formatter": {"all": _own}})],
    "k0 = np.exp(-800.0)": [(np, "geterrcall", lambda: _own)],
    "class Local: pass": [(builtins, "__build_class__", lambda *given, of=builtins.__build_class__: of(*given))],
}


@pytest.mark.parametrize("setup", one_in(2, WRITES))
def test_what_is_called_where_a_program_writes_is_pythons_own(setup, monkeypatch):
    """Where something else would be called, it is not cleared."""
    codecs.register_error("own", _own)
    program = hostile.made(HIDDEN.format(**USUAL_HIDDEN | {"setup": setup, "rare": "False"}))
    assert judge(program, c=2, trials=1000).private is True
    for of, name, other in WRITES[setup]:
        with monkeypatch.context() as changed:
            changed.setattr(of, name, other, raising=False)
            assert judge(program, c=2, trials=1000).private is not True, name


def test_a_screen_without_a_buffer_only_prints(monkeypatch, tmp_path):
    """As with python -u."""
    with open(tmp_path / "printed", "wb", buffering=0) as raw:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, write_through=True))
        assert only_prints()


def test_a_profiler_goes_on_after_a_verdict():
    """It is no function that could be set again."""
    profiler, text = cProfile.Profile(), LOOP.format(**USUAL, nu="4 * c / epsilon")
    profiler.enable()
    assert judge(hostile.made(text), c=2).private is True and sys.getprofile() is profiler
    profiler.disable()


NOT_READ = {
    "logs": ("import logging; logging.info('begins')", "module logging"),
    "warnings": ("import warnings; warnings.warn('begins')", "module warnings"),
    "named tuples": ("P(True, 1)", "P, a class made of another"),
    "slots": ("S()", "__slots__"),
    "abstract classes": ("A()", "A, a class made of another"),
    "an exception that does something": ("E(found)", "__init__"),
}
UNUSUAL = """import abc
from typing import NamedTuple
class P(NamedTuple):
    above: bool
    place: int
class S:
    __slots__ = ("above",)
class A(abc.ABC):
    pass
class E(Exception):
    def __init__(self, found):
        self.found = found
"""


@pytest.mark.parametrize("what", NOT_READ)
def test_what_few_programs_need_is_not_read(what):
    """It is named, and such a program is not decided: each was a way to hide something."""
    setup, named = NOT_READ[what]
    text = HIDDEN.format(**USUAL_HIDDEN | {"before": UNUSUAL, "setup": setup, "rare": "False"})
    verdict = judge(hostile.made(text), c=2, trials=1000)
    assert verdict.private is None and named in verdict.reason and "next:" in verdict.reason, verdict


KEYS = """def program(answers, threshold, epsilon, c, rng):
    noisy = threshold + rng.laplace(0, 2 / epsilon)
    d = {}
    out, found, first, skip = [], 0, -1, False
    for i, a in enumerate(answers):
        if skip:
            skip = False
            d[i] = False
            out.append(False)
            continue
        above = bool(a + rng.laplace(0, 4 * c / epsilon) >= noisy)
        d[i] = above
        out.append(above)
        if above and first == -1:
            first = i
        if above and list(d.values())[-1]:
            found += 1
        if found == c:
            break
        if i > 56 and first == 13:
            for j in range(len(answers)):
                d[j] = False
            first = 0
            skip = True
    return out
"""


def test_a_key_that_was_there_stays_where_it_is():
    """The last value is that of the last key, and not the one that was put in last."""
    assert judge(hostile.made(KEYS), c=2, trials=1000).private is not True


@pytest.mark.parametrize(
    "setup",
    [
        *("W = np.array([1.0, 2.0])", "d = {'n': 0}; d[0] = 0", "sensitivity = 10**400", "d = {}; d[a] = 1"),
        "from dataclasses import dataclass\n@dataclass(unsafe_hash=True)\nclass W:\n    above: bool",
        *("W = 10**400", "it = iter(next(it) for k in (1, 2)); next(it)"),
    ],
)
def test_odd_values_are_no_crash(setup):
    """Not an error, whatever is said of them."""
    text = HIDDEN.format(**{**USUAL_HIDDEN, "setup": "a = 0", "hit": setup, "rare": "False"})
    asked = "len(W)" if "[" in setup else "W(True)" if "class" in setup else "W == 1"
    text = f"{setup}\n{text.replace(setup, asked)}" if "W" in setup else text
    assert judge(hostile.made(text), c=2, trials=1000).reason


@pytest.mark.parametrize("said", ["{'form': x}", "['record', x, x]", "[('member',), x]", "['object', x]"])
def test_a_word_that_stands_for_a_kind_of_value_is_not_read(said):
    """In an answer of its own it was taken for one, and a right program ended in an error."""
    draw = "x = bool(answers[0] + rng.laplace(0, 1 / epsilon) >= 0)"
    text = f"def program(answers, epsilon, rng):\n    {draw}\n    return {said}"
    verdict = judge(hostile.made(text), trials=1000)
    assert verdict.private is None and "a word with a meaning here" in verdict.reason


def test_an_assert_that_ends_with_an_error_is_no_end():
    """With python -O it is left out, and the program never stops; on a page too."""
    text = """class Program:
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.left, self.scale = rng, c, 4 * c / epsilon
        self.bar = threshold + rng.laplace(0, 2 / epsilon)
    def ask(self, answer):
        if self.left == 0:
            assert max(()) > 0
        above = answer + self.rng.laplace(0, self.scale) >= self.bar
        self.left -= bool(above)
        return bool(above)
"""
    assert judge(hostile.made(text, "Program"), c=2, trials=1000).private is None
    assert page.judge(text, c=2)["private"] is not True


@pytest.mark.parametrize(("test", "private"), [("(found := found + 1) > 0", None), ("c > 0", True)])
def test_an_assert_only_looks(test, private):
    """With python -O the count that stands in it is left out, and the program never stops."""
    text = f"""def program(answers, threshold, epsilon, c, rng):
    rho, said, found = rng.laplace(0, 2 / epsilon), [], 0
    for a in answers:
        said.append(bool(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho))
        if said[-1]:
            assert {test}
            {"found += 1" if private else "pass"}
            if found == c:
                break
    return said
"""
    assert judge(hostile.made(text), c=2, trials=1000).private is private


GAPS = """def program(answers, threshold, epsilon, c, rng):
    rho, said, n = rng.laplace(0, 2 / epsilon), [], 0
    for a in answers:
        v = a + rng.laplace(0, 4 * c / epsilon)
        said.append(v - {shown} if v >= {bar} else False)
        n += v >= {bar}
        if n == c:
            break
    return said
"""


@pytest.mark.parametrize(
    ("shown", "bar", "gap"),
    one_in(
        3,
        [
            ("threshold - rho", "threshold + rho", True),
            ("threshold - rho", "2 * threshold + rho", False),
            ("threshold - rho - 5", "5 + rho", False),
        ],
    ),
)
def test_a_number_is_the_gap_only_where_it_is_what_was_passed(shown, bar, gap):
    """Of 2T it was said too, where T was taken off."""
    assert ("by how much" in judge(hostile.made(GAPS.format(shown=shown, bar=bar)), c=2, trials=1000).reason) is gap


@pytest.mark.parametrize(("scale", "other"), [(4.0, False), (3.0, True)])
def test_the_noise_of_a_long_pair_is_looked_at(scale, other):
    """A few hundred runs do not tell a scale of 3 from one of 4."""
    mine = Mine(hostile.made(LOOP.format(**USUAL, nu="4.0")), 1.0)
    assert draws_otherwise(mine, [-1e9] * 240 + [0.0] * 12, [("Laplace", 2.0), ("Laplace", scale)]) is other


def test_what_is_printed_late_is_said():
    """Where only a long list comes to it."""
    text = HIDDEN.format(**USUAL_HIDDEN | {"rare": "print(a) is not None"})
    verdict = judge(hostile.made(text), c=2)
    assert verdict.private is not True or "prints" in verdict.reason


@pytest.mark.full
def test_a_pair_of_rounded_numbers_is_not_given():
    """They are densities of other numbers."""
    text = LOOP.format(
        **USUAL | {"say": "said.append(round(a + rng.laplace(0, c / 0.27), -2) if above else False)"}, nu="4 * c"
    )
    assert judge(hostile.made(text.replace("2 / epsilon", "4")), c=2).pair is None
