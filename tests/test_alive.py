"""The judge of the pages: MicroPython runs the same files, and what it says is what the whole judge says, or less."""

from __future__ import annotations

import contextlib
import json
import math
import re
from fractions import Fraction

import hostile_programs as hostile
import pytest
import svt_alive
from on_a_page import in_micropython, reply
from parts import ROOT, one_in

from svtcourse.exercises import judge
from svtcourse.judge import page
from svtcourse.judge.language.texts import Text
from svtcourse.judge.unknowns.symbols import Unreadable

TWENTY = json.loads((ROOT / "tests" / "browser" / "twenty.json").read_text(encoding="utf-8"))
REPAIRS = {
    "no_noise": ("answer >=", "answer + rng.laplace(0, 4 * c / epsilon) >="),
    "no_stop": ("threshold + rho)\n", "threshold + rho)\n        if sum(said) == c:\n            break\n"),
    "public_threshold": ("answer + nu >= threshold", "answer + nu >= threshold + rho"),
    "no_factor": ("4 / epsilon", "4 * c / epsilon"),
    "drawn_once": ("answer + nu", "answer + rng.laplace(0, 4 * c / epsilon)"),
    "upside_down": ("epsilon / 2", "2 / epsilon"),
    "one_late": (
        "if hit and count == c:\n            break\n        count += hit",
        "count += hit\n        if count == c: break",
    ),
    "shows_it": ("noisy if above else False", "above"),
    "fresh_start": ("2 / epsilon", "2 * c / epsilon"),
    "counts_down": ("for answer", "scale = 4 * c / epsilon\n    for answer"),
}
ALSO = {
    "public_threshold": ("said = []", "said, rho = [], rng.laplace(0, 2 / epsilon)"),
    "upside_down": ("epsilon / (4 * c)", "4 * c / epsilon"),
    "counts_down": ("(0, 4 * c / epsilon)", "(0, scale)"),
}


def judged(text, options):
    """The verdict of the whole judge on a text."""
    name = Text(text).name
    return judge(hostile.made(text, name), trials=1000, **options)


REFUSED = {
    "with open('x') as x:\n        pass": "not read (with)",
    "global Z": "between calls",
    "x = isinstance(answers[0], float)": "of which kind",
    "x = getattr(answers, 'dtype')": "getattr",
    "x = answers.__class__": "__class__",
    "x = f'{threshold}'": "a text of a number",
    "raise ValueError(f'{threshold:d}')": "a text of a number",
    "raise ValueError(f'{threshold + rng.laplace()}')": "a text of a number",
    "x = max()": "TypeError",
    "assert f'{threshold}'": "a text of a number",
    "x = f'{threshold=}'": "a value inside",
    "program.count = 1": "no object of its own",
    "x = (answers[0] >= 0) is True": "is",
    "x = __import__('time')": "__import__",
    "import time": "imports time",
    "x = answers.terms": ".terms",
}
# Private for six queries, or by a first look; each does something else for fewer, for more, or the next time.
SLY = {
    "quiet for four": {"nu": "rng.laplace(0, 4 * c / epsilon if len(answers) != 4 else 0.01)"},
    "quiet for one": {"nu": "rng.laplace(0, 4 * c / epsilon if len(answers) > 1 else 0.01)"},
    "no end after 60, below": {"each": "answer = -answer", "stop": "found == c and i < 60"},
    "no end for three": {"stop": "found == c and len(answers) != 3"},
    "no end for seven": {"stop": "found == c and len(answers) % 7"},
    "a number for two": {"says": "answer if len(answers) == 2 else hit"},
    "quiet from 100 on": {"nu": "rng.laplace(0, 4 * c / epsilon if i < 100 else 0.01)"},
    "two statements in a line": {"outside": "X = 1; import random", "nu": "random.random()"},
    "another name for the answers": {
        "before": "noisy = answers; noisy -= answers",
        "nu": "rng.laplace(0, 4 * c / epsilon)",
    },
    "a constant that changes": {
        "outside": "S = 4\nfor k in range(9):\n    S *= 0.1",
        "nu": "rng.laplace(0, S * c / epsilon)",
    },
    "a view of the answers": {"before": "view = answers[:]; view -= view"},
    "a key that is dropped": {"nu": "max(rng.laplace(0, 4 * c / epsilon), 0.0, key=lambda x: -abs(x))"},
}
SLY_CLASSES = {
    "a test that MicroPython cannot make": (
        "hit = answer",
        "if 0 <= answer - threshold: return True\n        hit = answer",
    ),
    "a draw for all": ("hit = answer", "Box.rho, x = self.rho, 0\n        hit = answer"),
    "less noise where the threshold is another": (
        "hit = answer",
        "if self.left == self.c: self.bar = threshold\n"
        "        if threshold != self.bar: self.scale = 0.01\n        hit = answer",
    ),
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_not_known_to_be_read_is_refused(line):
    """By name, with its line: no verdict, and never private."""
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": line, "outside": "import random"})
    answer = page.judge(text)
    assert answer["private"] is None and REFUSED[line] in answer["sentence"] and answer["line"] == 3, answer


@pytest.mark.parametrize("name", one_in(6, [*SLY, *SLY_CLASSES]))
def test_what_is_sly_is_not_private(name):
    """Here and in MicroPython: what differs for another length, keeps something, or is not what numpy does."""
    if name in SLY:
        text = hostile._LOOP.format(**{**hostile._PLAIN, **SLY[name]})
    else:
        text = hostile.BOX.format(limit="==", after="pass").replace(*SLY_CLASSES[name])
    (answer,) = in_micropython([{"do": "judge", "text": text, "c": 2}])
    assert answer.get("private") is not True and page.judge(text, c=2)["private"] is not True


WITH_PROPERTIES = """
class Program:
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.left, self.scale, self.n = rng, c, 4 * c / epsilon, 0
        self.bar, self.kept = threshold + rng.laplace(0, 2 / epsilon), rng.laplace(0, 4 * c / epsilon)
    @property
    def stopped(self):
        {stops}
    @property
    def nu(self):
        {draws}
    def ask(self, answer):
        if self.stopped:
            return None
        self.n += 1
        above = bool(answer + self.nu >= self.bar)
        self.left -= above
        return above
"""
STOPS, DRAWS = "return self.left == 0", "return self.rng.laplace(0, self.scale)"


@pytest.mark.parametrize(
    ("stops", "draws", "private"),
    one_in(
        7,
        [
            (STOPS, DRAWS, True),
            (STOPS, "return self.kept", False),
            (STOPS, "return self.kept if self.n > 40 else self.rng.laplace(0, self.scale)", False),
            ("return self.left == 0 and self.n < 60", DRAWS, False),
            ("return self.left == 0 or self.bar > 50", DRAWS, False),
            (
                "self.n += 1; return self.left == 0",
                "return self.rng.laplace(0, self.scale) if self.n % 4 else self.kept",
                None,  # an asker may read it twice, or not at all
            ),
            ("self.kept = self.rng.laplace(0, self.scale); return False", "return self.kept", None),
            ("return self.nu > 10 * self.bar", DRAWS, None),
            (STOPS, "self.stopped = False; return self.rng.laplace(0, self.scale)", None),
            (STOPS, "return self.rng.laplace(0, self.scale) if self.stopped() else 0", None),
        ],
    ),
)
def test_a_property_is_called_where_it_is_read(stops, draws, private):
    text = WITH_PROPERTIES.format(stops=stops, draws=draws)
    assert judged(text, {"c": 2}).private is private
    assert page.judge(text, c=2)["private"] in (private, None)


ASKED_ON = """class Program:
    def __init__(self, threshold, epsilon, c, rng):
        self.threshold, self.rng, self.scale, self.late = threshold, rng, {nu} * c / epsilon, 0
        self.bar, self.left, self.stopped = threshold + rng.laplace(0, 2 / epsilon), c, False
    def ask(self, answer):
        if self.stopped:
            {then}
        above = bool(answer + self.rng.laplace(0, self.scale) >= self.bar)
        self.left -= above
        self.stopped = self.left <= 0
        return above
"""


@pytest.mark.parametrize(
    ("then", "private"),
    one_in(
        4,
        [
            *(("return None", True), ("raise RuntimeError('stopped')", True)),
            *(("return answer > self.threshold", None), ("pass", None)),
            *(("self.left = 2", None), ("return None if answer < self.threshold + 10 else False", None)),
            ("self.late += 1\n            if self.late < 20: return None\n            self.left = 2", None),
            ("if answer > self.threshold: raise RuntimeError\n            return None", None),
        ],
    ),
)
def test_who_has_stopped_is_asked_on(then, private):
    """Who asks need not look at it: what answers then is not cleared, nor is it convicted by that alone."""
    text = ASKED_ON.format(then=then, nu=4)
    assert judged(text, {"c": 2}).private is private and page.judge(text, c=2)["private"] is private
    text = ASKED_ON.format(then=then, nu=1)
    assert judged(text, {"c": 2}).private is False and page.judge(text, c=2)["private"] is False


@pytest.mark.parametrize(
    "name", ["program: object = wrong", "program = wrong", "def program(*answers):\n    return [1]"]
)
def test_another_name_for_a_wrong_program_is_meant(name):
    """With a note of its kind the right one before it was judged."""
    right = hostile._LOOP.format(**hostile._PLAIN).replace("def program", "def right")
    text = f"def wrong(answers, threshold):\n    return [a >= threshold for a in answers]\n{right}\n{name}\n"
    assert page.judge(text)["private"] is (None if "*" in name else False)


HEARD = """class Program:
    def __init__(self, threshold, epsilon, rng):
        self.threshold, self.rng, self.scale = threshold, rng, 4 / epsilon
        self.bar, self.stopped = threshold + rng.laplace(0, 2 / epsilon), False
    def ask({parameters}):
        if self.stopped:
            return None
        if {plain}:
            return answer >= self.threshold
        self.stopped = bool(answer + self.rng.laplace(0, self.scale) >= self.bar)
        return self.stopped
"""


@pytest.mark.parametrize(
    ("parameters", "plain", "private"),
    [
        ("self, answer, noisy=None", "noisy is None", False),
        ("self, answer, sensitivity=1.0", "not sensitivity", True),
        ("self, answer, *, log=False", "log", True),
        ("self, answer, t=None", "t is None", False),
        ("self, answer, threshold=None", "threshold is None", True),
        ("self, threshold, answer", "False", None),
        ("self, answer, other", "False", None),
        ("self, answer, *, threshold", "False", None),
    ],
)
def test_ask_is_given_what_its_parameters_say(parameters, plain, private):
    """The second one was given the threshold, whatever its name and its default."""
    text = HEARD.format(parameters=parameters, plain=plain)
    assert page.judge(text)["private"] is private
    if private is None:
        with pytest.raises(ValueError, match="ask must take an answer"):
            judge(hostile.made(text, "Program"))
    else:
        assert judge(hostile.made(text, "Program"), trials=1000).private is private


@pytest.mark.parametrize(("name", "default"), [("delta", "1e-6"), ("noise", "None"), ("epsilon1", "0.25")])
def test_a_default_is_kept_where_a_name_has_other_meanings(name, default):
    """``delta`` is a failure probability here, and was given the sensitivity; ``t``, ``noise`` may be anything."""
    text = hostile._LOOP.format(**hostile._PLAIN | {"nu": f"rng.laplace(0, 9 if {name} == {default} else 0.1)"})
    text = text.replace("sensitivity):", f"{name}={default}):", 1)
    assert judged(text, {}).private is True and page.judge(text)["private"] is True


@pytest.mark.parametrize(
    ("told", "private"),
    one_in(
        4,
        [
            *[('f"{left} of {self.c!r} are left"', True), ('"nothing"', True), ('f"{answer}"', None), ("answer", None)],
            *[("self.words", True), ("self.bar", None), ('f"{self.bar!s}"', None), ("self.left, self.asked", None)],
        ],
    ),
)
def test_what_an_exception_tells_is_shown(told, private):
    """The text of the last answer's refusal told this answer, and was read as one that nobody reads."""
    text = f"""import math
class Program:
    words = "the budget is spent"
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.c, self.left, self.asked = rng, c, c, 0
        self.scale, self.bar = 2 * math.pow(2 * c, 1.0) / epsilon, threshold + rng.laplace(0, 2 / epsilon)
    def ask(self, answer):
        self.asked += 1
        left, c, rho = self.left, self.c, self.bar
        if False: print(f"{{answer}} was asked")
        if self.left == 0:
            raise IndexError({told})
        above = bool(answer + self.rng.laplace(0, self.scale) >= self.bar)
        self.left -= above
        return above
"""
    assert judged(text, {"c": 2}).private is private and page.judge(text, c=2)["private"] is private


DATACLASS = """from dataclasses import InitVar, dataclass, field
@dataclass
class Program:
    threshold: float
    epsilon: float
    c: int
    rng: object
    {fields}
    def __post_init__(self{more}):
        self.bar = self.threshold + self.rng.laplace(0, 2 / self.epsilon)
    def ask(self, answer):
        if self.hits == self.c:
            raise StopIteration
        hit = answer + self.rng.laplace(0, self.k * self.c / self.epsilon) >= self.bar
        self.hits += int(hit)
        return bool(hit)
"""


@pytest.mark.parametrize(
    ("fields", "after", "private"),
    [
        ("k: float = 4.0\n    hits: int = field(default=0, init=False)", "", True),
        ("k: float = 2.0\n    hits: int = 0", "", False),
        ("k: float = 4.0\n    hits: int = 0", "Program.__init__.__defaults__ = (0.4, 0)", False),
        ("k: float = 0.4\n    hits: int = 0", "Program.__init__.__defaults__ = (4.0, 0)", True),
        ("k: float = field(default=4.0, init=False)\n    hits: int = 0", "Program.k = 0.4", False),
        ("k: float = 4.0\n    hits: int = field(default_factory=int)", "", None),
        ("k: float = 4.0\n    hits: int = 0\n    seed: InitVar[int] = 0", "", None),
        ("k = 4.0\n    hits = 0\n    def __init__(self, threshold, epsilon, c, rng): self.c = c", "", None),
        ("k: float = 4.0\n    hits: int = 0", "Program.__init__ = lambda self, threshold, epsilon, c, rng: None", None),
    ],
)
def test_a_dataclass_makes_its_objects_as_its_fields_say(fields, after, private):
    """And where that is not what runs, it is not read; on a page no dataclass is."""
    text = DATACLASS.format(fields=fields, more=", seed" * ("seed" in fields)) + after
    assert judge(hostile.made(text, "Program"), c=2, trials=1000).private is private
    assert page.judge(text, c=2)["private"] is None


def test_two_words_for_one_answer_are_not_taken_for_one():
    """Which of them is said may tell an answer, however it is told apart."""
    text = hostile._LOOP.format(**hostile._PLAIN | {"says": "('yes' if answer > 9 else 'above') if hit else 'no'"})
    assert "several words for one answer" in page.judge(text)["sentence"]
    assert "several words for one answer" in judged(text, {}).reason


ENDED = """class Program:
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.c, self.left, self.again = rng, c, c, 0
        self.scale, self.bar = 4 * c / epsilon, threshold + rng.laplace(0, 2 / epsilon)
    def ask(self, answer):
        above = bool(answer + self.rng.laplace(0, self.scale) >= self.bar)
        if self.left == 0:
            {ends}
        self.left -= above
        if above:
            self.again = int(answer + self.rng.laplace(0, self.scale) >= self.bar)
        return above
"""


@pytest.mark.parametrize(
    "ends",
    [
        "if above: raise RuntimeError\n            raise ValueError",
        "if self.again: raise RuntimeError('again')\n            raise RuntimeError('not')",
        "raise RuntimeError(f'{self.again} more')",
        "raise RuntimeError",  # or by what it says of itself
    ],
)
def test_how_an_asker_ends_may_tell_more_than_its_answers(ends):
    """Which exception, and with which text, was no part of the output: yet the few queries were proved."""
    text = ENDED.format(ends=ends)
    if ends == "raise RuntimeError":
        text = text.replace("self.again = int(", "self.stopped = bool(")
    for one in judged(text, {}).reason, page.judge(text)["sentence"]:
        assert "is an SVT" not in one and "proves" not in one.replace("proves nothing", ""), one


@pytest.mark.parametrize(("scale", "private"), [(4, True), (1, False)])
def test_words_copysign_and_a_static_method_are_read(scale, private):
    """A draw by its inverse, a helper of the class, and what many say for yes and no."""
    text = f"""import math
class Program:
    @staticmethod
    def noise(rng, scale):
        u = rng.uniform(-0.5, 0.5)
        return -math.copysign(scale, u) * math.log(1 - 2 * abs(u))
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.left, self.scale = rng, c, {scale} * c / epsilon
        self.bar = threshold + Program.noise(rng, 2 / epsilon)
    def ask(self, answer):
        if not self.left:
            raise StopIteration
        said = "above" if answer + self.noise(self.rng, self.scale) >= self.bar else "below"
        self.left -= said == "above"
        return said
"""
    assert judged(text, {"c": 2}).private is private and page.judge(text, c=2)["private"] is private
    unknown = text.replace("copysign(scale, u)", "copysign(u, scale)")
    assert private or "copysign of a number" in page.judge(unknown, c=2)["sentence"]


def test_a_class_made_of_the_one_that_is_read_is_meant():
    """It changes what the other one does, and stands after it."""
    text = WITH_PROPERTIES.format(stops=STOPS, draws=DRAWS)
    assert page.judge(text, c=2)["private"] is True
    verdict = page.judge(f"{text}\nclass Mine(Program):\n    nu = 0\n", c=2)
    assert verdict["private"] is None and "class made of another one" in verdict["sentence"]


def is_no_promise(verdict):
    """Whether it is not private, or only what was looked at is."""
    return verdict["private"] is not True or "was not looked at" in verdict["sentence"]


BESIDE = """
total = 0;for i in range(10): total += i | x = 1;x, y = 2, 3 | import numpy as np;np.random.seed(0)
import matplotlib.pyplot as plt;fig, ax = plt.subplots();ax.plot([1])
print(program([1], 0, 1.0, 1, np.random.default_rng(0), 1))
print(program.__doc__) | class A: L = [] | s = 1;s = [s]
"""
CHANGED = """
FACTOR = 0.01 | for FACTOR in [0.01]: pass | [FACTOR := 0.01] | FACTOR += 1 | class K: k = 4;L = [K];L[0].k = 0.01
def f(): global FACTOR | import math as FACTOR | FACTOR, x = 0.01, 2 | def FACTOR(): pass
from typing import cast as FACTOR | import scipy as FACTOR
try: 1 / 0;except ZeroDivisionError as FACTOR: pass | with open("x") as FACTOR: pass
"""


@pytest.mark.parametrize("lines", one_in(4, re.split(r" \| |\n", BESIDE.strip())))
def test_what_stands_beside_a_program_does_not_matter(lines):
    """Nothing that it uses is changed there: before it and after it."""
    own, lines = hostile._LOOP.format(**hostile._PLAIN), lines.replace(";", "\n")
    assert page.judge(f"{lines}\n{own}")["private"] is page.judge(f"{own}\n{lines}")["private"] is True


@pytest.mark.parametrize("lines", one_in(4, re.split(r" \| |\n", CHANGED.strip())))
def test_what_a_program_uses_may_not_be_changed_beside_it(lines):
    own = hostile._LOOP.format(**{**hostile._PLAIN, "outside": "FACTOR = 4", "nu": "rng.laplace(0, FACTOR / epsilon)"})
    assert page.judge(own)["private"] is True
    assert is_no_promise(page.judge(own + lines.replace(";", "\n")))


OF_CLASS = """
def f(): K.k = 0.01;f() | def f(k): k.k = 0.01;list(map(f, [K])) | J = K;def f(): J.k = 0.01;f()
class C:;  def __init__(self): K.k = 0.01;C() | class C:;  K.k = 0.01 | class C:;  def f(self): K.k = 0.01;C().f()
def f(k): k.k = 0.01;def g(): f(K);g() | Q = (K,);def f(k): k.k = 0.01;f(Q[0]) | getattr(K, "__init__")
K.k, x = 0.01, 2 | [x, K.k] = 2, 0.01
"""


@pytest.mark.parametrize("lines", one_in(4, re.split(r" \| |\n", OF_CLASS.strip())))
def test_a_class_is_not_changed_beside_a_program(lines):
    """By what is called there, whoever names it."""
    changed = {"outside": "class K:\n    k = 4", "before": "scale = K().k / epsilon", "nu": "rng.laplace(0, scale)"}
    own = hostile._LOOP.format(**{**hostile._PLAIN, **changed})
    assert page.judge(own)["private"] is True
    lines = lines.replace(";", "\n").replace(": K.k", ":\n    K.k").replace(": k.k", ":\n    k.k")
    assert is_no_promise(page.judge(own + lines))


ASKED = """class Asked:
    factor = 4
    def __init__(self, threshold, epsilon, c, rng):
        self.line, self.rng = threshold + rng.laplace(0, 2 / epsilon), rng
        self.scale, self.left, self.stopped = c / epsilon, c, False
    def ask(self, answer):
        if self.stopped:
            return None
        hit = answer + self.rng.laplace(0, self.factor * self.scale) >= self.line
        self.left -= hit
        self.stopped = self.left == 0
        return hit
"""
OWN = """import numpy as np
K = 4
def program(answers, threshold, epsilon, c):
    rng = np.random.default_rng()
    line, said = threshold + rng.laplace(0, 2 / epsilon), []
    for a in answers:
        said.append(a + rng.laplace(0, K * c / epsilon) >= line)
        if sum(said) == c:
            break
    return said
"""
SET_IT = "def change(x):\n    x.factor = 0.01\n"
REACHED = [ASKED + text for text in (
    SET_IT + "change(Asked.mro()[0])", "class Other(Asked): pass\n" + SET_IT + "change(Other.mro()[1])",
    "for x in Asked.mro()[:1]:\n    x.factor = 0.01",
    "class S:\n    def f(self):\n        self = Asked.mro()[0]\n        self.factor = 0.01\nS().f()",
    "class S:\n    def f(self, k):\n        def g(self): self.factor = 1\n        g(k)\nS().f(3)",
    "class M:\n    def __set_name__(cls, owner, name):\n        cls = owner.mro()[1]\n        cls.factor = 0.01\n"
    "m = M()\nclass Z(Asked):\n    k = m",
)] + [OWN + text for text in (
    "def change(m): m.default_rng = 3\nchange(np.random)", "import enum\ndef turn(m): m.len = 3\nturn(enum.bltns)",
    "from enum import bltns\ndef turn(m): m.len = 3\nturn(bltns)", "def h(x: np.random.seed(0)): pass",
    "import typing\ndef h(x: 'globals().update(K=0.01)'): pass\ntyping.get_type_hints(h)",
    "from typing import get_type_hints as g\ndef h(x: 'globals().update(K=0.01)'): pass\ng(h)",
    "import pandas as pd\npd.eval('@np.random.seed(0)')", "import matplotlib.pyplot as plt\nplt.np.random.seed(0)",
    "q = [np][0]\nq.sum = 3", "f = np.random.seed\nf(0)", "print(f'{np.random.seed(0)}')", "K.real = 3",
    "import scipy.stats as st\nst.np.random.seed(0)", "program.__globals__['K'] = 0.01", "np.seterr(all='raise')",
)] + ["if 0:\n\tk = 4\n        k = 0.001\n" + OWN]  # fmt: skip


@pytest.mark.parametrize("text", one_in(16, REACHED))
def test_what_is_reached_beside_a_program_is_not_promised(text):
    """Through classes, modules, texts that are calculated, what Python calls by itself; and what Python refuses."""
    with contextlib.suppress(page.Failed):
        assert is_no_promise(page.judge(text, c=2))


HELPED = "def h(x):\n    return x\ndef g(x):\n    return 0 * x\n" + hostile._LOOP.format(
    **{**hostile._PLAIN, "nu": "h(rng.laplace(0, 4 * c / epsilon))"}
)
OF_CLASS = "class A:\n    def __class_getitem__(cls, k):\n        h.__code__ = g.__code__\n"


@pytest.mark.parametrize(
    "text",
    [
        OF_CLASS + "def f(x: A[0]): pass",
        OF_CLASS + "def f(x) -> A[0]: pass",
        OF_CLASS + "class B:\n    def f(self, x: A[0]): pass",
        "class A:\n    def __init_subclass__(cls):\n        h.__code__ = g.__code__\nclass B(A): pass",
        "from matplotlib.pyplot import Enum\nclass E(Enum):\n    A = 1\n    def __init__(self, x):\n"
        "        h.__code__ = g.__code__",
        "from matplotlib.pyplot import Artist as Exception\nclass E(Exception):\n"
        "    def _update_set_signature_and_docstring():\n        h.__code__ = g.__code__",
    ],
)
def test_what_python_calls_by_itself_is_not_promised(text):
    """Found by the nineteenth attack: methods between underscores, asked for by annotations and by other classes."""
    assert page.judge(HELPED)["private"] is True
    verdict = page.judge(f"{HELPED}\n{text}\n")
    assert verdict["private"] is not True or "was not looked at" in verdict["sentence"]


@pytest.mark.parametrize(
    "x", ["max(map(abs, range(10**8)))", "list(zip(range(10**9)))", "tuple(enumerate(range(10**9)))"]
)
def test_what_is_made_of_too_many_is_left(x):
    """It went on for minutes, or took all memory."""
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": f"x = {x}"})
    assert page.judge(text)["private"] is None
    with pytest.raises((page.Failed, Unreadable)):
        page.run(text, [1.0], 0.0)


@pytest.mark.parametrize(
    "asked", [{"epsilon": None}, {"sensitivity": [1]}, {"c": None}, {"c": float("inf")}, {"c": 1.7}, {"epsilon": "1"}]
)
def test_what_is_no_option_is_one_sentence(asked):
    with pytest.raises(page.Failed, match="must be above 0, and c from 1 to 5"):
        page.judge(OWN, **asked)


NO_PYTHON = [
    *("def f(x=1, y): pass", "def f(a, a): pass", "try:\n    x = 1\n", "f(b=1, 2)", "f(1, b=1, b=2)", "x = 1__0"),
    'def f():\n    return f"{"""\nK = 4\n"""}" #"""',
    *("x = 1_.0", "x = 4_e0", "x = 4\u0663", "x := 3", "x = y = [1]\ny[]", "f = lambda *: 1", "def f(a, *a): pass"),
    """def f():\n    return f"{'}'+\"\"\"\nK = 4\n# \"\"\"}\"""",
    'def f():\n    return f"}}{ {"""\nK = 4\n# """}}"',
    *('x = f"{}"', 'y = f"{a b}"', 'x = fb"a"', "f = lambda *,: 1", "def f(*a, *, b): pass", "x = {y := 1: 2}"),
    "print(x for x in [1],)",
    *("x = 1 not\nin (1, 2)", "x = [1, 2][k:=0:2]", "x = (a for a in [1], 1)", "from math import pi.x as k"),
    *("from __future__ import braces", "x = 1\nfrom __future__ import division"),
]


@pytest.mark.parametrize("text", ["print(*K != 3)", "K @= yield_of"])
def test_what_python_reads_is_read_as_python(text):
    """It is not read, or changes nothing."""
    more = OWN.replace("    rng", f"    {text}\n    rng", 1)
    assert "as Python" not in page.judge(f"K = 0\n{more}")["sentence"]
    assert page.judge(f"from __future__ import generator_stop\n{OWN}", c=2)["private"]


@pytest.mark.parametrize(
    ("line", "says"), [("from foo import bar", "does something beside its"), ("from foo import *", "imports from foo")]
)
def test_what_a_name_stands_for_is_not_known(line, says):
    """It, or any name, comes from a module that is not read."""
    assert says in page.judge(f"{line}\n{OWN.replace('K * c', 'bar * c')}", c=2)["sentence"]


@pytest.mark.parametrize("text", NO_PYTHON)
def test_what_python_refuses_is_refused(text):
    with contextlib.suppress(page.Failed):
        assert page.judge(f"{text}\n{OWN}", c=2)["private"] is None


@pytest.mark.parametrize(
    "before",
    [
        *("break", "continue", "class A(K := Exception):\n        pass", "nonlocal K", "(K): float", "nonlocal c"),
        "x = [1 for i in (z := [1])]",
        *(
            "x = max(1, __debug__=2)",
            "((c) := 3)",
            "assert c, f(**a, *b)",
            "assert c, [*a for a in answers]",
            'x = lambda: f"{(*a)}"',
            "c.__debug__ = 1",
        ),
        "def inner():\n        count = 1\n        nonlocal count",
        "if c > 9:\n        from __future__ import division",
        "\n    ".join("    " * k + f"for i{k} in range(1):" for k in range(21)) + "\n" + "    " * 22 + "pass",
    ],
)
def test_a_program_that_python_refuses_is_not_private(before):
    """Or that sets a name elsewhere than it seems to."""
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": before})
    with contextlib.suppress(page.Failed):
        assert page.judge(f"K = 0\n{text}")["private"] is None


@pytest.mark.parametrize(
    "test",
    one_in(
        4,
        [
            "47.032770856082013467490509 == 47.03277085608202",
            "np.exp(0.019) == 1.019181648617408",
            "28.75 ** 9.76 == 172307986088955.28",
            "1e200 ** 2.0 > 1",
            "78.301401766870732505029385 != 78.30140176687073",
            "np.exp(0.019) != np.exp(0.019)",
            "-np.exp(0.5987) != -1.819751584973405",
            "abs(np.log(0.7748)) != np.sqrt(np.log(0.7748) ** 2.0)",
            "3.0 ** 34.0 < 16677181699666570",
            "sum((0.1, 0.2, 0.3)) != 0.1 + 0.2 + 0.3",
        ],
    ),
)
def test_on_a_page_nothing_hangs_on_last_digits(test):
    """MicroPython reads, raises and exponentiates some numbers otherwise than Python and numpy do."""
    text = hostile._LOOP.format(**{**hostile._PLAIN, "nu": f"rng.laplace(0, (0.05 if {test} else 4) * c / epsilon)"})
    (answer,) = in_micropython([{"do": "judge", "text": "import numpy as np\n" + text}])
    assert answer.get("private") is None, answer


@pytest.mark.parametrize(("first", "private"), [("'b': 0.5, 'a': 8.0", False), ("'b': 8.0, 'a': 0.5", True)])
@pytest.mark.parametrize("scale", ["tuple(d.values())[0]", "max(tuple(d.values())[0], 0.0)"])
def test_a_dictionary_has_its_order(first, private, scale):
    """In MicroPython too, where Python's own has none; nor can it turn a tuple round."""
    before = f"d = {{{first}, 'zz': 8.0, 'q': 8.0, 'x': 8.0}}"
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": before, "nu": f"rng.laplace(0, {scale})"})
    (answer,) = in_micropython([{"do": "judge", "text": text, "c": 2}])
    assert answer.get("private") is private, answer.get("sentence")


@pytest.mark.full
def test_an_iterator_that_has_ended_has_ended():
    """In MicroPython too, where a list's own goes on when the list grows; nor has that every function of math."""
    before = "L = []\n    it = iter(L)\n    y = next(it, 0)\n    L.append(1)\n    z = next(it, 0)"
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": before, "nu": "rng.laplace(0, 0.5 * z + 4 * c)"})
    logs = "import math\n" + hostile._LOOP.format(**{**hostile._PLAIN, "before": "t = math.log1p(1.0)"})
    answers = in_micropython([{"do": "judge", "text": one} for one in (text, logs)])
    assert all(answer.get("private", 0) is None for answer in answers), answers


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import annotations\nfrom typing import List\nfrom math import inf\n" + OWN,
        OWN + "x = program(np.zeros(3), 0, 1.0, 1)\nfor a in x:\n    print(f'{a}', len(x))\nassert x == [], x",
        ASKED + "import numpy as np\ns = Asked(0, 1.0, 2, np.random.default_rng(0))\nprint(s.ask(1), s.stopped)",
        "import svtlib as svt\n" + OWN + "print(svt.judge(program).mechanism.query_noise.variance)",
    ],
)
def test_what_tries_a_program_out_is_no_danger(text):
    assert page.judge(text, c=2)["private"] is True


@pytest.mark.parametrize("begin", one_in(2, ["import numpy as np\n", ""]))
@pytest.mark.parametrize(
    "lines",
    [
        "def f():\n    np.random.seed(0)\nf()",
        "from numpy.random import seed as s\ns(0)",
        "import numpy.random as r\nr.seed(0)",
        "np.random.set_bit_generator(np.random.MT19937(0))",
    ],
)
def test_a_seed_beside_a_program_is_one(lines, begin):
    own = begin + hostile._LOOP.format(**hostile._PLAIN).replace("rng.", "np.random.")
    assert page.judge(own)["private"] is True
    assert is_no_promise(page.judge(f"{own}\n{lines}"))


ANOTHER_WAY = """def program(answers, threshold, rng):
    bar = threshold + rng.laplace(0, {rho})
    n = len(answers)
    for i, a in enumerate(answers):
        if a + rng.laplace(0, {nu}) >= bar:
            {then}
            return [False] * i + [True]
    return {none}
"""
LAST = "[False] * (n - 1) + [n > 5]"
HIDES = """def program(answers, threshold, epsilon, c, rng):
    line = threshold + rng.laplace(0, 2 / epsilon)
    said, hits, n = [], [], len(answers)
    for i, a in enumerate(answers):
        hit = a + rng.laplace(0, 11.2 / epsilon) >= line
        said.append(hit)
        if hit:
            hits.append(i)
        if len(hits) == c:
            break
    if n >= 8 and len(hits) > 1 and hits[0] < n - 3:
        if hits[1] > hits[0] + 2 and hits[1] != n - 3:
            return [False] * (n - 3) + [True] * 3
        return [False] * hits[0] + [True] + [False] * (n - 1 - hits[0])
    if n >= 8 and len(hits) == 1 and hits[0] < n - 3:
        return [False] * hits[0] + [True] + [False] * (n - 1 - hits[0])
    return said
"""
MADE_UP = {
    "a draw decides, and only once": ANOTHER_WAY.format(
        rho=1.1, nu=10, then="i = n - 1 if 4 < i and rng.exponential(1) >= 0 else i", none=LAST
    ),
    "what a long list hides": HIDES,
    "a later positive decides": ANOTHER_WAY.format(
        rho=1.1, nu=10, then="i = n - 1 if 4 < i and max(answers[i:]) + rng.laplace(0, 10) >= bar else i", none=LAST
    ),
}


AGAIN = """def program(answers, threshold, c, rng):
    n, rho, again = len(answers), rng.laplace(0, 1.25), False
    while True:
        found, count = [], 0
        for k, a in enumerate(answers):
            if again:
                found.append(k >= n - 2)
            else:
                hit = a + rng.laplace(0, 16) >= threshold + rho
                found.append(hit)
                if hit:
                    count += 1
                    if count == 2:
                        break
        if again or n < 7 or count < 2 or k == n - 1 and found[n - 2]:
            break
        again = True
    return found
"""
UNUSED = """def program(answers, threshold, rng):
    n = len(answers)
    if n > 5:
        return [False] * n
    rho, found = rng.laplace(0, 1.25), []
    for a in answers:
        hit = a + rng.laplace(0, 8) >= threshold + rho
        found.append(hit)
        if hit:
            break
    if len(found) == 5 and found[4]:
        for k in range(9):
            unused = answers[k % 4] + rng.laplace(0, 8) >= threshold + rho
    return found
"""
REBOUND = """def other(answers, threshold, rng):
    rho, found = rng.laplace(0, 1.25), []
    for a in answers:
        found.append(a + rng.laplace(0, 16) >= threshold + rho)
    if len(answers) > 6 and sum(found) == 2:
        found = []
    return found
def once(answers, threshold, rng):
    rho, found = rng.laplace(0, 1.25), []
    for a in answers:
        found.append(a + rng.laplace(0, 16) >= threshold + rho)
    return found
def program(answers, threshold, rng):
    once = other
    return once(answers, threshold, rng)
"""
MADE_UP |= {"a list made anew": AGAIN, "a comparison that is of no use": UNUSED, "a name for another": REBOUND}


@pytest.mark.parametrize("name", one_in(6, MADE_UP))
def test_what_comes_in_another_way_is_not_convicted(name):
    """Only the first five comparisons are ever told, or of a long list two positives."""
    assert (
        page.judge(
            MADE_UP[name],
            c=3 if "hits" in MADE_UP[name] else 2 if name in ("a list made anew", "a name for another") else 1,
        )["private"]
        is not False
    )


def test_that_a_helper_yields_does_not_make_a_list_grow():
    """What two positives say is another list: no pair of many queries rests on it."""
    first, _, last = HIDES.partition("    if n >= 8 and len(hits) == 1")
    text = first + last[last.index("    return said") :]
    text = text.replace("    for i,", "    for _ in sign(1):\n        pass\n    for i,")
    pair = page.judge("def sign(x):\n    yield x\n" + text, c=3)["pair"]
    assert pair is None or len(pair["answers"]) <= 7


def test_a_second_look_at_a_query_is_a_way_too():
    """A ⊤ between the sixth and the seventeenth query is tried again: ten times as often as one way has it."""
    text = """class Asked:
    def __init__(self, threshold, c, rng):
        self.threshold, self.c, self.rng, self.rho = threshold, c, rng, rng.laplace(0, 2)
        self.count, self.k, self.stopped = 0, 0, False
    def ask(self, answer):
        self.k += 1
        above = answer + self.rng.laplace(0, 6) >= self.threshold + self.rho
        if above and 6 < self.k < 17:
            above = answer + self.rng.laplace(0, 6) >= self.threshold + self.rho
        if above:
            self.count += 1
            self.stopped = self.count == self.c
        return above
"""
    pair = page.judge(text, c=2)["pair"]
    assert pair is None or len(pair["answers"]) <= 6


@pytest.mark.parametrize(
    "odd",
    [
        *('assert c < 9, f"{(yield)}"', "assert c < 9, (yield from [])", 'raise ValueError(f"{(yield)}")'),
        *("assert c < 9, [a for a in (yield from [])]", 'f"{(yield)}"', "print((yield from []))"),
    ],
)
def test_a_yield_anywhere_makes_a_generator(odd):
    """Which is true, so that Python gives the answers away; in MicroPython too."""
    odd = f"def odd():\n        {odd}\n        return False\n    if odd():\n        return list(answers)"
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": odd})
    assert page.judge(text, c=2)["private"] is None
    assert in_micropython([{"do": "judge", "text": text, "c": 2}])[0].get("private") is None


BARED = """def program(answers, threshold, rng):
    rho, said = rng.laplace(0, {rho}), []
    for a in answers:
        if a + rng.laplace(0, {nu}) >= threshold + rho:
            said.append(a + rng.laplace(0, {number}))
            break
        said.append(False)
    return said
"""


def test_true_is_not_one():
    """Equal they are, and half of the positives are each."""
    text = "def program(answers, threshold, rng):\n    for a in answers:\n        if a >= threshold:\n"
    text += "            return [True if rng.laplace(0, 1) >= 0 else 1.0]\n    return [False]\n"
    assert page.judge(text)["pair"]["p"] == 0.5


def test_a_density_that_rounds_to_nothing_is_not_impossible():
    text = "def program(answers, threshold, rng):\n    rho = rng.laplace(0, 4)\n    for i, a in enumerate(answers):\n"
    text += "        if a + rng.laplace(0, 8) >= threshold + rho:\n"
    text += "            return [False] * i + [a + rng.normal(0, 0.02)]\n    return [False] * len(answers)\n"
    pair = page.judge(text)["pair"]
    assert pair is None or pair["loss"] is not None
    text = text.replace(" + rng.normal(0, 0.02)", "").replace("0, 4)", "0, 0.001)").replace("0, 8)", "0, 0.001)")
    pair = page.judge(text, monotonic=True)["pair"]  # a true answer that is another one cannot come
    assert pair["loss"] is not None or pair["neighbour"][-1] != pair["answers"][-1]


def test_what_mends_a_number_mends_the_program():
    """More noise on the queries does not pay for a number that is dearer than they are."""
    text = BARED.format(rho=2.0, nu=10.0, number=0.5)
    words = page.judge(text, monotonic=True)["mend"]
    factor = float(words.rpartition(" ")[2])
    mended = BARED.format(rho=2 * factor, nu=10 * factor, number=0.5 * factor)
    assert words.startswith("multiply") and page.judge(mended, monotonic=True)["private"] is True


def test_what_is_too_deep_or_too_far_has_an_end():
    """An epsilon of 710, 60 brackets, a threshold that a long list compares, and loops in each long run."""
    deep = OWN.replace("    return", "    x = " + "(" * 60 + "1" + ")" * 60 + "\n    return", 1)
    with contextlib.suppress(page.Failed):
        page.judge(deep, c=2)
    loop = hostile._LOOP.format(**{**hostile._PLAIN, "rho": "rng.laplace(0, 1.2)", "nu": "rng.laplace(0, 20)"})
    for first in (
        "if len(answers) > 9 and threshold > 3:\n        x = 0",
        "if len(answers) > 49:\n        for x in range(700000): y = x",
    ):
        assert page.judge(loop.replace("    for ", f"    {first}\n    for ", 1), c=2)["private"] is not True
    shown = "def program(answers, threshold, rng):\n    for a in answers:\n        return [a + rng.laplace(0, 4)]\n"
    assert page.judge(shown, epsilon=710)["private"] is not True


@pytest.mark.parametrize(("rho", "nu", "c"), one_in(2, [(1, 12, 2), (1, 6, 1), (1, 6, 2), (4, 1, 2)]))
def test_what_is_said_to_mend_a_program_mends_it(rho, nu, c):
    """Scales with all digits that it takes."""

    def program(rho, nu):
        scales = {"rho": f"rng.laplace(0, {rho!r})", "nu": f"rng.laplace(0, {nu!r})"}
        return hostile._LOOP.format(**{**hostile._PLAIN, **scales})

    words = page.judge(program(rho, nu), c=c)["mend"]
    if words.startswith("multiply"):
        factor = float(words.rpartition(" ")[2])
        rho, nu = rho * factor, nu * factor
    else:
        nu = float(words.partition("(")[2].partition(")")[0])
    assert page.judge(program(rho, nu), c=c)["private"] is True, words


def test_a_number_does_not_say_whose_it_is():
    """Every first positive gives such an output, with a density of 0.24 where 0.009 was printed."""
    text = ANOTHER_WAY.format(
        rho=2, nu=4, then="return [False] * (n - 1) + [a + rng.laplace(0, 2)]", none="[False] * n"
    )
    assert page.judge(text)["private"] is None


def test_a_short_output_has_all_its_ways():
    """Of two queries, both are told as one: 0.61 and 0.68 by simulation, where one way has 0.12."""
    found = page.judge(ANOTHER_WAY.format(rho=2, nu=1, then="i = 1 if n == 2 else i", none="[False] * n"))
    assert found["private"] is not False or found["pair"]["p"] / found["pair"]["q"] > math.e


def test_one_draw_in_two_bars_is_not_two():
    text = """def program(answers, threshold, rng):
    rho, nu, said = rng.laplace(0, 1), rng.laplace(0, 3), []
    for i, a in enumerate(answers):
        said.append(a + rng.laplace(0, 2) >= threshold + rho if i == 2 else abs(a + nu) >= threshold + rho)
    return said
"""
    pair = page.judge(text, epsilon=0.3)["pair"]
    assert pair is None or "⊤⊤" not in pair["output"]


@pytest.mark.parametrize("scale", [3.82, 3.586])
def test_the_neighbours_of_a_page_are_neighbours(scale):
    """As rationals, where a sum of floats is rounded too."""
    for delta in (1.0, 0.7):
        scales = {"rho": "rng.laplace(0, 2 * sensitivity)", "nu": f"rng.laplace(0, {scale} * sensitivity)"}
        text = hostile._LOOP.format(**{**hostile._PLAIN, **scales})
        pair = page.judge(text, sensitivity=delta)["pair"]
        moves = [Fraction(y) - Fraction(x) for x, y in zip(pair["answers"], pair["neighbour"], strict=True)]
        assert 0 < max(map(abs, moves)) <= Fraction(delta)


@pytest.mark.parametrize("line", ["1 * a + rng.uniform(0, 1.3) + 1.3 >= threshold", "3 * a >= threshold + 1.3"])
def test_the_neighbours_of_what_cannot_come_are_neighbours(line):
    for delta in (0.1, 0.05, 1.0):
        text = f"def program(answers, threshold, rng):\n    return [{line} for a in answers]\n"
        pair = page.judge(text, sensitivity=delta)["pair"]
        sides = zip(pair["answers"], pair["neighbour"], strict=True) if pair else ()
        assert all(abs(Fraction(y) - Fraction(x)) <= Fraction(delta) for x, y in sides)


@pytest.mark.parametrize(
    "line", one_in(3, ["f() = 1", "1 = 2", "*x = 1", "break", "nonlocal zz", "x, y: int", "x = 1; global x"])
)
def test_a_function_that_is_not_needed_is_read_or_named(line):
    """What Python refuses there, it refuses of the whole text."""
    assert is_no_promise(page.judge(f"def helper(f):\n    {line}\n{OWN}", c=2))


def test_monotonic_neighbours_move_one_way():
    """A common shift costs 1/1.1, the rest 1/1.2; a pair that moved both ways was said to lose 1.43."""
    body = "for a in answers[:2]:\n        said.append(bool(a + rng.laplace(0, 1.2) >= bar))\n"
    body += "        if said[-1]:\n            break\n    return said\n"
    text = f"def program(answers, threshold, rng):\n    bar, said = threshold + rng.laplace(0, 1.1), []\n    {body}"
    assert page.judge(text, monotonic=True)["private"] is not False


@pytest.mark.parametrize("text", ["f(", "class A(", "x, y += [1]", "f(a, *"])
def test_a_text_that_is_not_finished_is_no_crash(text):
    with contextlib.suppress(page.Failed):
        assert page.judge(text)["private"] is None


def test_clipped_answers_are_not_convicted_by_what_they_were():
    """Answers within 0.01 of each other lose nothing: the pair was one that the clip makes equal."""
    changed = {"before": "answers = np.clip(answers, 0, 0.01)", "nu": "rng.laplace(0, 0.4 * c / epsilon)"}
    assert page.judge(hostile._LOOP.format(**{**hostile._PLAIN, **changed}))["private"] is None


@pytest.mark.parametrize("default", ["[]", "Box()", "{}", "np.zeros(1)", "lambda x, kept=[]: kept"])
def test_a_default_argument_that_can_change_is_kept_between_calls(default):
    """The fifth call would answer without noise: each is private by itself, and a page says nothing of it."""
    text = hostile._LOOP.format(**{**hostile._PLAIN, "before": "kept"})
    text = "class Box:\n    number = 0\n\n\n" + text.replace("sensitivity)", f"sensitivity, kept={default})")
    answer = page.judge(text)
    assert answer["private"] is None and "between calls" in answer["sentence"], answer


def test_an_error_has_its_line():
    """In the text as it was written, in MicroPython too."""
    text = (
        "def f(answers, rng):\n    said = []\n\n    for a in answers:\n        said.append(a > rho)\n    return said\n"
    )
    answers = in_micropython(
        [
            {"do": "run", "text": text, "answers": [1.0], "threshold": 0.0},
            {"do": "judge", "text": text + "    x = = 1\n"},
        ]
    )
    assert answers[0]["line"] == 5 and "rho" in answers[0]["failed"]
    assert answers[1]["line"] == 7 and "not read as Python" in answers[1]["failed"]


@pytest.mark.parametrize("one", one_in(7, TWENTY), ids=lambda one: one["name"])
def test_the_twenty_programs_of_the_browser_have_these_verdicts(one):
    """Ten right ones in an unusual style and ten wrong ones: what the browser must show is what the judge says."""
    assert judged("\n".join([*one["text"], ""]), {"c": one["c"]}).private is one["private"]
    assert [program["private"] for program in TWENTY].count(True) == len(TWENTY) / 2 == 10


@pytest.mark.full
def test_each_of_the_ten_can_be_repaired():
    """Ten programs, each wrong as printed (below), and private after one small change."""
    name = "book/is_your_svt_private"
    repaired = [one for one in svt_alive.programs()[name] if one.get("repair")]
    assert [one["function"] for one in repaired] == list(REPAIRS)
    for one in repaired:
        text = text_of(name, one["function"])
        for old, new in (REPAIRS[one["function"]], ALSO.get(one["function"], ("", ""))):
            assert old in text
            text = text.replace(old, new) if old else text
        assert page.judge(text, c=one["c"])["private"] is True, text


PROGRAMS = [(name, one) for name, programs in svt_alive.programs().items() for one in programs]


def text_of(name, function):
    """The listing that a page shows."""
    path = ROOT / f"{name}.ipynb"
    if path.exists():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    else:
        sources = (ROOT / f"{name}.md").read_text(encoding="utf-8").split("```")[1::2]
        sources = [source.partition("\n")[2] for source in sources]
    return next(source for source in sources if f"def {function}(" in source or f"class {function}:" in source)


@pytest.mark.parametrize("name", one_in(30, sorted({name for name, _ in PROGRAMS}, reverse=True)))
def test_the_programs_of_a_page_run_and_their_edits_do_what_they_say(name):
    """Each listing gets the verdict that is written beside it; each edit has one place, and changes the verdict so."""
    requests, wanted = [], []
    for _, one in [pair for pair in PROGRAMS if pair[0] == name]:
        text = text_of(name, one["function"])
        asked = {key: one[key] for key in ("epsilon", "c", "sensitivity", "monotonic", "given") if key in one}
        asked |= {"function": one["function"]}
        requests.append({"do": "run", "text": text, "answers": one["answers"], "threshold": one["threshold"], **asked})
        wanted.append(None)
        requests.append({"do": "judge", "text": text, **asked})
        wanted.append(one["verdict"])
        for edit in one.get("edit", []):
            assert text.count(edit["find"]) == 1, (one["function"], edit)
            requests.append({"do": "judge", "text": text.replace(edit["find"], edit["replace"]), **asked})
            wanted.append(edit["verdict"])
    words = {"private": True, "not private": False, "not decided": None}
    for request, verdict, answer in zip(requests, wanted, map(reply, requests), strict=True):
        if verdict is None:
            assert answer.get("said"), (request, answer)
        else:
            assert answer.get("private", "failed") is words[verdict], (request["text"], answer)


INSIDE = """def program(answers, threshold, epsilon, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    for i, a in enumerate(answers):
        noisy = {bars}
        if abs(noisy) >= bar:
            return [False] * i + [{shown}]
    return [False] * len(answers)
"""


@pytest.mark.parametrize(
    ("bars", "shown"), [("a + rng.laplace(0, 4)", "noisy"), ("abs(a + rng.laplace(0, 4)) - 3", "True")]
)
def test_what_stands_in_bars_is_no_crash(bars, shown):
    assert page.judge(INSIDE.format(bars=bars, shown=shown))["private"] is not True
