"""What is proved of a program for every number of queries, and what is not: odd programs, right and wrong."""

from __future__ import annotations

import itertools
import linecache
import sys
import types

import numpy as np
import pytest
import random_programs
import scipy.stats
from hostile_programs import loop, made, written
from parts import one_in
from reader_attacks import PROGRAMS, late

from svtcourse.judge import probing
from svtcourse.judge.any_length.always import why_not_always
from svtcourse.judge.case import Case
from svtcourse.judge.convict import pairs
from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.program import Failed
from svtcourse.judge.language.source import tree_of
from svtcourse.judge.language.texts import Text
from svtcourse.judge.language.tokens import Refusal
from svtcourse.judge.rerun import otherwise
from svtcourse.judge.unknowns.symbols import Unreadable
from svtlib import judge


def reason(program, c=2):
    """Why it is no SVT for every number of queries, None if it is one."""
    try:
        case = Case(Mine(program, 1.0, c), False)
    except Unreadable as found:
        return str(found)
    return case.why_not or case.unsteady


LOOP = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found = rng.laplace(0, 2 / epsilon), [], 0
    {before}
    for i, a in enumerate(answers):
        said.append(a + {noise} >= threshold + rho)
        found += said[-1]
        if found == c:
            break
    return {result}
"""
NOISE = "rng.laplace(0, 4 * c / epsilon)"


def cleared(function, c=1):
    """Whether it is called private: no pair is looked for, which takes longer, and is not what is asked."""
    with pytest.MonkeyPatch.context() as only:
        only.setattr(Case, "pair", lambda _: None)
        only.setattr(Case, "_by_numbers", lambda _: None)
        only.setattr(probing, "_WORK", 0)
        return judge(function, c=c).private is True


def program(before="pass", noise=NOISE, result="said"):
    """A loop that hides something before it, in its noise, or after it."""
    return made(LOOP.format(before=before.replace("\n", "\n    "), noise=noise, result=result))


QUIET = f"({NOISE} if {{}} else 0.0)"
OUTSIDE = {
    "a position": program(noise=QUIET.format("i < 500")),
    "a position in a function": program(noise=QUIET.format("min(i, 40) < 40")),
    "the next answer": program(noise=QUIET.format("answers[i - 1] < 9")),
    "a length": program(noise=f"{NOISE} / len(answers)"),
    "a comparison of lists": program(noise=QUIET.format("said < [False, False]")),
    "a word in what was said": program(noise=QUIET.format("said in ([False],)")),
    "a default that counts": program("tick = lambda k=[]: (k.append(1), len(k))[1]", QUIET.format("tick() < 30")),
    "an array that counts": program("z = np.zeros(1)", QUIET.format("np.add(z, 1, z)[0] < 30")),
    "a generator that ends": program("g = (x for x in (1, 2))", QUIET.format("any(g)")),
    "a loop before the loop": program("for b in answers:\n    rho = max(rho, b)"),
    "something after the loop": program(result="said + [bool(a > 3)]"),
    "a chain of is": program(noise=QUIET.format("None is not i > 900")),
    "another place": made(
        LOOP.format(
            before="nus = rng.laplace(0, 4 * c / epsilon, len(answers))", noise="nus[i]", result="said"
        ).replace("        said.append", "        i %= 900\n        said.append")
    ),
    "a scale by the length": program(noise="rng.laplace(0, len(answers))"),
    "lists of other lengths": program("for a, b in zip(answers, (1, 2)):\n    pass"),
    "some of a list": program("some = [x for x in answers if x > 3]"),
    "a first answer": program("rho += answers[0]"),
    "a row of constants that is summed": program("w = np.full(len(answers), 1e-5)", QUIET.format("w.sum() < 1")),
    "a count behind or": program("w = answers > 0", QUIET.format("(w.sum() or 1) < 900")),
    "its own less": program("less = lambda a: 1e-5\nw = [less(a) for a in answers]", QUIET.format("sum(w) < 1")),
    "a place that was said": made(
        LOOP.format(before="places = []", noise=QUIET.format("900 not in places"), result="said").replace(
            "        found +=", "        places.append(i)\n        found +="
        )
    ),
}
INSIDE = {
    "a range of the list and more": program("for k in range(len(answers), 9):\n    pass"),
    "numbered from elsewhere": program("for k, a in enumerate(answers, c):\n    pass"),
    "a slice": program("answers = answers[1:]"),
    "two functions of one name": program(
        "def nu():\n    return 0\nif epsilon < 0:\n    def nu():\n        return 1", "nu()"
    ),
    "an attribute": program("n = answers.ndim"),
    "names in names": program("x, (y, z) = 1, (2, 3)"),
    "two names in a range": program("for x, y in range(0):\n    pass"),
    "two names of one list": program("x = b = [0 > 1 for a in answers]"),
}


@pytest.mark.parametrize("name", one_in(12, OUTSIDE))
def test_what_could_tell_how_long_the_list_is_is_not_proved(name):
    assert reason(OUTSIDE[name]) is not None


@pytest.mark.parametrize("mine", INSIDE.values(), ids=INSIDE)
def test_what_changes_nothing_is_proved_however_odd(mine):
    assert reason(mine) is None


def test_what_is_not_proved_is_not_private():
    """Though its runs of six queries are those of a private mechanism."""
    verdict = judge(program(noise=QUIET.format("i < 4_900")), c=2)
    assert verdict.private is None and "alignment proves" in verdict.reason and "noise is not always" in verdict.reason


INNER = """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for i, a in enumerate(answers):
        nu = 0.0
        for _ in range(1):
            if i >= 900:
                break
            nu = rng.laplace(0, 4 * c / epsilon)
        said.append(a + nu >= threshold + rho)
        if sum(said) == c:
            break
    return said
"""
WALKED = """def program(answers, threshold, epsilon, c, rng):
    def walk(xs, {c}, rho):
        above = xs + rng.laplace(0, 4 / epsilon, len(xs)) >= threshold + rho
        return above & (np.cumsum(above) <= c)
    return walk(answers, 900, rng.laplace(0, 2 / epsilon))
"""
LATE = """def program(answers, threshold, epsilon, c, rng):
    rho, said, queue = rng.laplace(0, 2 / epsilon), [], list(answers)
    found, s, u, first = 0, 0, 0, 1
    for r in range(2):
        asked, queue = queue, []
        for a in asked:
            if u == 2:
                said.append(a >= threshold)
                return said
            hit = a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho
            said.append(hit)
            if first == 1 or (r == 0 and s == 1):
                queue.append(a)
            first = 0
            if r == 1:
                u, s = u + 1, 0
            elif found == 2:
                s = 0 if s == 3 else s + 1
            found += hit
            hit = 0
            if found == c:
                return said
    return said
"""


ROUNDS = """def program(answers, threshold, epsilon, c, rng):
    rho, said, queue = rng.laplace(0, 2 / epsilon), [], list(answers)
    for r in range(2):
        asked, queue = queue, []
        for a in asked:
            said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
            if said[-1]:
                return said
            if r < 1:
                queue.append(a)
    return said
"""
TURN = """def program(answers, threshold, epsilon, c, rng):
    rho, said, rest = rng.laplace(0, 2 / epsilon), [], 0
    for i, a in enumerate(answers):
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        rest = rho
        if i == 4_000:
            break
        rest = 0
        if sum(said) == c:
            break
    return said
"""
TICKS = """def program(answers, threshold, epsilon, rng):
    k = np.zeros(1)
    def tick():
        j = k
        j += 1
        return j[0] < 900
    def run(answers, rho):
        said = []
        for a in answers:
            said.append(a + (rng.laplace(0, 4 / epsilon) if tick() else 0.0) >= threshold + rho)
            if said[-1]:
                break
        return said
    return run(answers, rng.laplace(0, 2 / epsilon))
"""
HIDDEN = {"a break out of another loop": INNER, "another c": WALKED.format(c="c"), "an array under another name": TICKS}


@pytest.mark.parametrize("name", one_in(6, HIDDEN))
def test_what_hides_where_it_is_is_not_proved(name):
    assert reason(made(HIDDEN[name]), 1) is not None


EPOCHS = """def program(answers, threshold, epsilon, c, rng):
    i, n, said = 0, len(answers), []
    for _ in range(2):
        bar = threshold + rng.laplace(0, 2 * c / epsilon)
        while {}:
            said.append(answers[i] + rng.laplace(0, 4 * c / epsilon) >= bar)
            i += 1
            if said[-1]:
                break
        {}
    return said
"""


@pytest.mark.parametrize("more", ["i < n", "len(answers) > i", "not i >= len(answers)"])
def test_at_its_end_a_list_has_no_more(more):
    """Where the place does not move, no threshold is drawn again without a positive."""
    assert reason(made(EPOCHS.format(more, "pass")), 2) is None
    for after in ("i = min(i, 20)", "i -= i > 30", "i, n = n - i, n"):
        assert reason(made(EPOCHS.format(more, after)), 2) is not None
    assert reason(made(EPOCHS.format("i < n", "n += n > 30")), 2) is not None


def test_later_rounds_are_looked_at():
    """Though none of a few queries is left for the last, or for a third turn of it."""
    assert reason(made(ROUNDS), 1) is None and reason(made(TURN), 1) is None
    assert reason(made(LATE), 3) is not None


SHELL = """{outside}
def program(answers, threshold, epsilon, c, rng):
    rho, said, found, b = rng.laplace(0, 2 / epsilon), [], 0, 20
    {before}
    for a in {over}:
        {each}
        hit = a + ({noise} if {ok} else 0.0) >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
    {end}
    return said
"""


def shell(outside="", before="pass", over="answers", each="pass", ok="True", end="pass", noise=NOISE):
    """A loop, with these parts in place of its own."""
    before, each, end = (x.replace("\n", "\n" + " " * n) for x, n in ((before, 4), (each, 8), (end, 4)))
    text = SHELL.format(outside=outside, before=before, over=over, each=each, ok=ok, end=end, noise=noise)
    return text.replace("rng.laplace(0, 4 * c / epsilon) if True else 0.0", NOISE)


LATE_END = "odd, last = False, 0.0", "odd, last = not odd, a"
SLIPPED = {
    "the last answer of an odd list": shell(before=LATE_END[0], each=LATE_END[1], end="if odd:\n    said.append(last)"),
    "the last answer of a list of one": shell(
        before="k = 0", each="k = 2 if k else 1\nlast = a", end="if k == 1:\n    said.append(last)"
    ),
    "an end that comes first after c + 3": shell(
        before="p = 0",
        each="p = 2 if p == 4 else p + 1",
        end="if p == 4 and not found:\n    said.append(a > threshold)",
    ),
    "the front of a list": """def program(answers, threshold, epsilon, rng):
    k = 1
    for _ in range(9):
        k = k + k
    f = answers + rng.laplace(0, 4 / epsilon, len(answers)) >= threshold + rng.laplace(0, 2 / epsilon)
    g = f[:k]
    return f[: np.argmax(g) + 1] if g.any() else f
""",
    "a default of a map": shell(
        before="k = 0",
        over=f"map(lambda a, k=[0]: (k.append(1), a + ({NOISE} if len(k) < 400 else 0))[1], answers)",
        noise="0.0",
    ),
    "the shape of an empty array": shell(
        before="z = np.zeros((0, 1))", each="z = np.zeros((0, z.shape[1] + 1))", ok="z.shape[1] < b * b"
    ),
    "a function that is called as the run is": """def program(answers, threshold, epsilon, c, rng):
    def _symbolic(xs, rho):
        k, said = 0, []
        for a in xs:
            k += 1
            said.append(a + (rng.laplace(0, 4 * c / epsilon) if k < 400 else 0.0) >= threshold + rho)
            if said[-1]:
                break
        return said
    return _symbolic(answers, rng.laplace(0, 2 / epsilon))
""",
    "a list that is made of a generator": """def program(answers, threshold, epsilon, c, rng):
    def each():
        for a in answers:
            yield a
    xs = list(each())
    scale, rho, said = 4 * c / epsilon if len(xs) < 400 else 0.01, rng.laplace(0, 2 / epsilon), []
    for a in xs:
        said.append(a + rng.laplace(0, scale) >= threshold + rho)
        if said[-1]:
            break
    return said
""",
    "rounds of which some never ended so": """def program(answers, threshold, epsilon, c, rng):
    rho, said, queue, p, q, last = rng.laplace(0, 2 / epsilon), [], [], 0, 0, 0
    for a in answers:
        said.append(a + rng.laplace(0, 4 / epsilon) >= threshold + rho)
        if said[-1]:
            return said
        queue.append(a)
        if p != 3:
            queue.append(a)
            queue.append(a)
        p = 0 if p == 3 else p + 1
        last = a
    p = 0
    for a in queue:
        q = 0 if q == 2 else q + 1
    if q == 2:
        said.append(last > threshold)
    return said
""",
    "an attribute of what stands for the program": """def g(start):
    if start:
        program.k = 0
        return True
    program.k += 1
    return program.k < 400
def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    g(True)
    for a in answers:
        said.append(a + (rng.laplace(0, 4 / epsilon) if g(False) else 0.0) >= threshold + rho)
        if said[-1]:
            break
    return said
""",
    "all if three are low": """def program(answers, threshold, epsilon, c, rng):
    k = c + 2
    above = answers + rng.laplace(0, 4 * k / epsilon, len(answers)) >= threshold + rng.laplace(0, 2 / epsilon)
    below = ~above
    return above if below.sum() > 2 else np.zeros(len(answers), dtype=bool)
""",
    "all after two that are low": """def program(answers, threshold, epsilon, c, rng):
    above = answers + rng.laplace(0, 4 * (c + 2) / epsilon, len(answers)) >= threshold + rng.laplace(0, 2 / epsilon)
    k = 0
    for hit in above:
        if hit:
            return np.zeros(len(answers), dtype=bool)
        k += 1
        if k == 2:
            break
    return above
""",
    "compared when all is over": """def program(answers, threshold, epsilon, c, rng):
    s = 4 * (c + 2) / epsilon
    rho, lows, g = rng.laplace(0, 2 / epsilon), 0, [-1.0] * len(answers)
    for i, a in enumerate(answers):
        x = a + rng.laplace(0, s) - (threshold + rho)
        if lows == 2:
            g[i] = x
        elif x >= 0:
            break
        else:
            lows += 1
        x = a = 0
    return np.array(g) >= 0
""",
    "a method that is kept": shell(
        outside="class K:\n    k = 0\n    def step(self):\n        self.k = min(self.k + 1, 20)\n"
        "        return self.k < 20",
        before="step = K().step",
        ok="step()",
    ),
    "a tuple that grows": shell(before="t = ()", each="t = t + (1,)", ok="len(t) != 20"),
    "a list in a list": shell(before="t = [[]]", each="t[0].append(1)", ok="len(t[0]) != 20"),
    "an iterator that ends": shell(before="it = iter([1] * 10)", ok="next(it, 0)"),
    "the size of noise that was used": shell(
        before="last = 0.0",
        each="nu = abs(last) if found and len(said) % 2 else rng.laplace(0, 4 * c / epsilon)\nlast = nu",
        noise="nu",
    ),
    "one more after a positive": """def program(q, T, epsilon, c, rng):
    above = q + rng.laplace(0, 4 * c / epsilon, len(q)) >= T + rng.laplace(0, 2 / epsilon)
    return above[: np.argmax(above) + 1 + 1] if above.any() else above
""",
    "a draw that is kept in a row": """def program(answers, threshold, epsilon, c, rng):
    rho, p, said, found, z = rng.laplace(0, 2 / epsilon), 0, [], 0, rng.laplace(0, 4 * c / epsilon)
    kept = [z for _ in answers]
    z = 0
    for a, v in zip(answers, kept):
        nu = v if p == 3 else rng.laplace(0, 4 * c / epsilon)
        hit = a + nu >= threshold + rho
        said.append(hit)
        if found == 2:
            p = 0 if p == 3 else p + 1
        found += bool(hit)
        nu = v = hit = a = 0
        if found == c:
            break
    return said
""",
}


FORMS = {
    "while": "k = 0\nwhile k < 1:\n    k += 1",
    "nonlocal": "def f():\n    nonlocal found\n    found += 0",
    "sum(...)": "def sum(x):\n    return 0",
    "a class in a function": "class K:\n    def f(self):\n        return 0",
    ".pop": "ticks = [1, 2]\nticks.pop()",
    "a place that is set": "ticks = [0]\nticks[0] = 1",
    "a class that is not called": "class K:\n    pass\nk = K",
    "for ... in": "k = [0]\nfor k[0] in (1, 2):\n    pass",
    "for ... else": "for k in (1, 2):\n    pass\nelse:\n    k = 0",
    "annassign": "k: int = 0",
    "import": "import math",
    "a truth that is calculated with": "k = True + 1",
}


@pytest.mark.parametrize("why", FORMS)
def test_other_forms_are_proved_too(why):
    """Where they change nothing."""
    assert reason(program(FORMS[why])) is None


@pytest.mark.parametrize("name", one_in(4, SLIPPED))
def test_what_once_slipped_through_does_not_again(name):
    most = 3 if "kept =" in SLIPPED[name] else 2 if "last = nu" in SLIPPED[name] else 1
    assert reason(made(SLIPPED[name]), most) is not None


LATER = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, p, x, y = rng.laplace(0, 7 / epsilon), [], 0, 0, 0, 0
    for a in answers:
        nu = rng.laplace(0, 7 / epsilon)
        hit = a + nu >= threshold + rho
        said.append(hit)
        if found == 2:
            p = p + 1
            if p == 5:
                p, rho = 0, {fresh}
        found += hit
        nu = hit = a = 0
        if found == c:
            break
    return said
"""
SWAPPED = """def program(answers, threshold, epsilon, c, rng):
    line = threshold + rng.laplace(0, 2 / epsilon)
    said, high, low, x, y, v = [], 0, 0, 0, 0, 0
    for a in answers:
        if high == 2 and low == 1:
            noisy = a if v == 1 and x >= line else a + rng.laplace(0, 4 * c / epsilon)
            v = v + 1
            if v == 3:
                v = 0
                x, y = y, x
            hit = noisy >= line
        else:
            noisy = a + rng.laplace(0, 4 * c / epsilon)
            hit = noisy >= line
            if hit:
                high += 1
                y = noisy
            else:
                low = 1
                x = noisy
        said.append(hit)
        noisy = hit = a = 0
        if sum(said) == c:
            break
    return said
"""
PUT_DOWN = """def program(answers, threshold, epsilon, c, rng):
    rho, said, leak, k = rng.laplace(0, 2 / epsilon), [], [], 0
    for a in answers:
        if k == 0 or k == 2:
            hit = a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho
            said.append(hit)
            if hit:
                k = 3
            elif k == 0:
                leak.append(a)
                k = 1
        else:
            said.append(False)
            if k < 6:
                k = k + 1
    if k == 6:
        return leak
    return said
"""
TAKEN_OVER = """def program(answers, threshold, epsilon, c, rng):
    b, v, said, k, count = 3 * c / epsilon, 0.0, [], 0, 0
    u = rng.laplace(0, b)
    for a in answers:
        if k > 3 and k < 6:
            said.append(False)
            k = k + 1
        else:
            if k < 6:
                v = rng.laplace(0, b)
                hit = a + u + v >= threshold
            else:
                hit = a + v + rng.laplace(0, b) >= threshold
            said.append(hit)
            if hit:
                count = count + 1
                if count == c:
                    break
                u, v, k = rng.laplace(0, b), 0.0, 3 - k
            elif k == 0 or k == 2 or k == 3:
                k = k + 1
    return said
"""
POOL = """def program(answers, threshold, epsilon, c, rng):
    rho, said, junk, k = rng.laplace(0, 2 / epsilon), [], [], 1
    for _ in range(4):
        k = k + k
    pool = [{law} for _ in range(k)]
    for u in pool:
        {touch}
    for a in answers:
        u, pool = pool[0], pool[1:] + pool[:1]
        said.append(a + {noise} >= threshold + rho)
        u = 0
        if sum(said) == c:
            break
    return said
"""
USED = {
    "a threshold's noise that was a query's": LATER.format(fresh="nu"),
    "a threshold's noise drawn again after a negative": LATER.format(fresh="rng.laplace(0, 7 / epsilon)"),
    "answers that are told apart by how they compared": SWAPPED,
    "draws of which others were made": POOL.format(
        law="rng.random()", touch="np.log(u)", noise="-4 * c / epsilon * np.log(u)"
    ),
    "an answer that is put down where few queries do not show it": PUT_DOWN,
    "a query's noise that becomes the threshold's": TAKEN_OVER,
    "draws that lie in a list": POOL.format(law=NOISE, touch="junk.append(u)", noise="u"),
}


@pytest.mark.parametrize("text", USED.values(), ids=USED)
def test_what_an_unknown_was_used_for_belongs_to_the_state(text):
    """Where it is used again, in a turn that no short run shows, after states that look like earlier ones."""
    assert reason(made(text), {PUT_DOWN: 1, TAKEN_OVER: 2}.get(text, 3)) is not None


KEPT_OUTSIDE = """class Keep:
{field}
    def put(self, f, v):
        {own}
        self.k = v
def helper(x):
    return x
def program(answers, threshold, epsilon, c, rng):
    rho, said, keep = rng.laplace(0, 2 / epsilon), [], Keep()
    keep.put(helper, 0)
    for a in answers:
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        {set}
        if sum(said) == c:
            break
    return said
"""
OF_CLASSES = {
    "an attribute of a function": KEPT_OUTSIDE.format(field="", own="self = f", set="pass"),
    "a list of a class": KEPT_OUTSIDE.format(field="    log = []", own="pass", set="pass"),
}


@pytest.mark.parametrize("name", OF_CLASSES)
def test_nothing_is_proved_of_classes_that_keep_more_than_their_fields(name):
    assert reason(made(OF_CLASSES[name])) is not None


BOX = """
SCALE = 0.01
class Box:
    def __init__(self, threshold, epsilon, c, rng, scale=SCALE):
        self.rng, self.scale, self.bar, self.left = rng, scale, threshold + rng.laplace(0, 2 / epsilon), c
    def ask(self, answer):
        hit = answer + self.rng.laplace(0, self.scale) >= self.bar
        self.left -= hit
        return bool(hit)
SCALE = 4.0
"""
FACTORY = """
scale = 4.0
def make(scale):
    class Box:
        def __init__(self, threshold, epsilon, rng):
            self.rng, self.bar = rng, threshold + rng.laplace(0, 2 / epsilon)
        def ask(self, answer):
            return bool(answer + self.rng.laplace(0, scale) >= self.bar)
    return Box
Box = make(0.01)
"""
NAMED = """
def noise(rng, deep=False):
    return rng.laplace(0, 4.0) if deep else noise(rng, True)
first = noise
def noise(rng, deep=False):
    return rng.laplace(0, 0.01)
def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in answers:
        said.append(a + first(rng) >= threshold + rho)
        if said[-1]:
            break
    return said
"""
NOTED = """def program(answers, threshold, epsilon, c, rng):
    n, said, last = len(answers), [], 0
    {}
    rho = rng.laplace(0, 2 / epsilon)
    for i, a in enumerate(answers):
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        if said[-1]:
            if sum(said) == 2 and last == 13 and i == 17 and {}:
                said.append(a >= threshold)
            last = i
            if sum(said) >= c:
                break
    return said
"""


NOTED_FACTS = [
    ("x = 1.5\n    if x < n: pass", "x < n"),
    ("if True < n: pass", "True < n"),
    ("k = n - 1\n    x = k < n\n    if n % 2 == 1: x = 50 < n", "not x and k < n"),
    ("x = 3 < n\n    if n % 2 == 1: x = 50 < n", "not x and 3 < n"),
    ("x = [1.0, np.nan]", "not (y := x[i % 2]) < n and not y >= n"),
    ("x = 3", "n <= 36 and not 10 < (y := int('3', n)) and 10 < n"),
]


@pytest.mark.parametrize(("noted", "told"), NOTED_FACTS)
def test_what_is_known_of_a_place_belongs_to_the_state(noted, told):
    """Also where the place is a float, a truth or no number, and where its comparison is kept."""
    assert reason(made(NOTED.format(noted, told)), 3) is not None
    assert reason(made(NOTED.format(noted, "False")), 3) is None


OTHERWISE = """
def decorator(f):
    f.__defaults__ = (0.01,)
    return f
@decorator
""" + LOOP.format(before="c = 1", noise="rng.laplace(0, scale / epsilon)", result="said").replace(
    "rng):", "rng, scale=4.0):"
)


def edited():
    """A function whose source was changed after it was made."""
    text = LOOP.format(before="pass", noise="0.01 * " + NOISE, result="said")
    function = made(text)
    place = function.__code__.co_filename
    changed = text.replace("0.01 * ", "")
    linecache.cache[place] = (len(changed), None, changed.splitlines(keepends=True), place)
    return function


def bound():
    """A method, whose first argument is there already."""
    text = "def program(scale=4.0, answers=None, threshold=None, epsilon=1.0, rng=None):\n"
    text += LOOP.format(before="c = 1", noise="rng.laplace(0, scale)", result="said").split("\n", 1)[1]
    return types.MethodType(made(text), 0.01)


class Twice(tuple):
    def __getitem__(self, place):
        return 0.01


class Ninety(int):
    """A number that is equal to all."""

    def __eq__(self, other):
        return True

    __hash__, __repr__ = int.__hash__, lambda self: "99"


STANDING = {
    "a default that has changed": lambda: made(BOX, "Box"),
    "a class that was made in a function": lambda: made(FACTORY, "Box"),
    "another function under its name": lambda: made(NAMED),
    "a source that is not what runs": edited,
    "something else than a function": bound,
    "what decorates it gave it another default": lambda: made(OTHERWISE),
}


@pytest.mark.parametrize("name", one_in(4, STANDING))
def test_what_runs_is_judged_and_not_what_only_stands_there(name):
    """Each has a scale of 0.01 where it seems to have 4."""
    assert not cleared(STANDING[name]())


def test_a_constant_that_is_equal_to_all_is_not_that_of_the_source():
    function = made(LOOP.format(before="c = 1\n    few = (99, 99)", noise=NOISE, result="said"))
    assert tree_of(function)
    code = function.__code__
    known = [(Ninety(99), Ninety(99)) if x == (99, 99) else x for x in code.co_consts]
    for other in (code.replace(co_consts=tuple(known)), code.replace(co_flags=code.co_flags ^ 8)):
        function.__code__ = other
        with pytest.raises(Unreadable, match="not the one that runs"):
            tree_of(function)


def test_a_function_that_is_given_back_is_what_it_was():
    assert cleared(made(OTHERWISE.replace("0.01", "4.0")))
    text = LOOP.format(before="@lambda f: f\n    def noise(): return 4.0\n    c = 1", noise=NOISE, result="said")
    assert "decorated function" in str(judge(made(text)))


def test_what_only_looks_like_a_number_or_a_law_is_not_read():
    """A tuple of one's own, a type that rounds, a distribution under the name of another."""
    text = LOOP.format(before="pass", noise=f"ODD[0] * {NOISE}", result="said")
    law = scipy.stats.rv_discrete(name="laplace", values=([-1, 1], [0.5, 0.5]))
    for odd in (Twice((1.0,)), (np.float32(1),), law):
        function = made(text)
        function.__globals__["ODD"] = odd
        assert "It uses ODD, which is not read" in str(reason(function))


BOARD = """def program(answers, threshold, epsilon, c, rng):
    rho, out, found = rng.laplace(0, 2 / epsilon), np.zeros(len(answers), dtype=bool), 0
    for i in range(len(answers)):
        a = answers[i]
        out[i] = a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho
        if out[{place}]:
            found += 1
            if found == c:
                return out[: i + 1]
    return out
"""
PLACES = """def program(answers, threshold, epsilon, c, rng):
    rho, places = rng.laplace(0, 2 / epsilon), []
    for i, a in enumerate(answers):
        if a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho:
            places.append(i)
            if len(places) == c:
                break
    return places
"""


KEPT = """def program(answers, threshold, epsilon, c, rng):
    rho, found, p, said = rng.laplace(0, 2 / epsilon), 0, 0, []
    kept = rng.laplace(0, 4 * c / epsilon)
    for a in answers:
        v = kept if p == 3 else rng.laplace(0, 4 * c / epsilon)
        hit = a + abs(v) >= threshold + rho
        said.append(hit)
        if found == 2:
            p = 0 if p == 3 else p + 1
        found += hit
        v, hit, a = 0, 0, 0
        if found == c:
            break
    return said
"""
ABSORBED = """def program(answers, threshold, epsilon, rng):
    rho, said, first = rng.laplace(0, 2 / epsilon), [], True
    for a in answers:
        late = len(said) - sum(said) > -(2.0**70) and not first
        hit = a + (0.0 if late else rng.laplace(0, 4 / epsilon)) >= threshold + rho
        if hit:
            said.append(True)
            return said
        said.append(2.0**70 if first else 0.5)
        first = False
    return said
"""
QUEUES = """todo = (0, 0)
def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    queue = list(answers)
    todo = list(answers)
    quiet = todo[0] > 5 and todo[0] > 1
    while queue:
        a = queue.pop(0)
        said.append(a + (0.0 if quiet else rng.laplace(0, 4 / epsilon)) >= threshold + rho)
        if said[-1]:
            break
    return said
"""


@pytest.mark.parametrize(("text", "c"), [(KEPT, 3), (ABSORBED, 1), (QUEUES, 1)], ids=["kept", "absorbed", "queues"])
def test_what_short_runs_do_not_show_is_not_proved(text, c):
    """A draw of which another was made before; a sum of floats that rounds; a list that is read under a wrong name."""
    assert reason(made(text), c) is not None


def test_what_is_set_place_by_place_is_read_at_its_turn_only():
    before = BOARD.replace("    a = answers[i]", "    a = answers[i] + 0 * out[i]")
    assert reason(made(before.format(place="i"))) is not None


@pytest.mark.full
def test_a_list_of_places_is_counted_and_not_looked_at():
    assert cleared(made(PLACES), c=2)
    assert reason(made(PLACES.replace("len(places) == c", "sum(places) > 90")), 2) is not None


@pytest.mark.parametrize(
    ("after", "c", "private"),
    [
        ("dry = dry + 1 if found == 1 and not hit else 0\n        if dry == 4: found = 0", 3, False),
        ("dry = dry + 1 if dry < 2 else 0", 2, True),
    ],
)
def test_all_ways_through_the_states_are_looked_at(after, c, private):
    """A count that is forgotten shows only in runs that are longer than those that were followed."""
    mine = loop(before="dry = 0", after=after, nu="rng.laplace(0, 4 * c / epsilon + 0 * (dry > 0))").make()
    assert (reason(mine, c) is None) is private


def test_a_draw_that_was_used_is_not_one_that_was_not():
    """Eleven registers, of which the last is used after ⊤⊥⊤: full of used draws only after eleven queries."""
    registers = [f"z{k}" for k in range(1, 12)]
    noise = "rng.laplace(0, 4 * c / epsilon)"
    mine = loop(
        before="; ".join(f"{z} = {noise}" for z in registers) + "; p = q = r = False",
        each=f"nu = z11 if p and not q and r else {noise}",
        nu="nu",
        after=f"{', '.join(registers)} = nu, {', '.join(registers[:-1])}; r = q; q = p; p = hit",
    )
    assert reason(mine.make(), 3) is not None


NUMBERS = """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in answers:
        nu = rng.laplace(0, 4 / epsilon)
        if {compared} + nu >= threshold + rho:
            said.append(a + nu - threshold - rho)
            return said
        said.append(False)
    return said
"""
LAST = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, before, raw = rng.laplace(0, 2 / epsilon), [], 0, False, False
    for a in answers:
        if raw:
            said.append(a >= threshold)
            break
        hit = a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho
        said.append(hit)
        found += hit
        raw = found == 2 and hit and not before
        before = hit
        if found == c:
            break
    return said
"""
SHOWN = """def program(answers, threshold, epsilon, c, rng):
    rho, found, z = rng.laplace(0, 4 / epsilon), 0, rng.laplace(0, 16 * c / epsilon)
    for a in answers:
        number = rng.laplace(0, 16 * c / epsilon)
        hit = a + rng.laplace(0, 16 * c / epsilon) >= threshold + rho
        yield a + number if hit else False
        found += hit
        if found == c:
            return
"""


JOINED = """def program(values, T, eps, c, generator):
    out, left = [], c
    def coin(s):
        return generator.exponential(s) - generator.exponential(s)
    line = T - coin(2 / eps)
    for v in values:
        if left == 0:
            out = out + [False]
        else:
            above = not line > v + coin(4 * c / eps)
            out = out + [above]
            left = left - 1 if above else left
    return out
"""


@pytest.mark.parametrize(
    ("text", "c", "proved"),
    [
        (NUMBERS.format(compared="a"), 1, True),
        (NUMBERS.format(compared="min(a, 10)"), 1, False),
        (JOINED, 2, True),
        (LAST, 3, False),
        (SHOWN, 2, True),
    ],
)
def test_what_is_shown_and_what_is_last_are_looked_at(text, c, proved):
    """A number of another answer than the one compared, a last query without noise."""
    assert (reason(made(text), c) is None) is proved


SYMBOLS = {
    "half floats": loop(before="half = np.exp(False)", each="answer = answer * half"),
    "a small type": loop(each="one = (answer <= answer) // (answer <= answer)", nu=QUIET.format("one * 100 > 0")),
    "small inside bars": written(
        "def program(answers, threshold, epsilon, c, rng):\n"
        "    rho, said = rng.laplace(0, 100 / epsilon), []\n"
        "    for a in answers:\n"
        "        said.append(abs(a + rng.laplace(0, 2.03 * c / epsilon)) <= threshold + rho)\n"
        "        if sum(said) == c:\n            break\n"
        "    return said\n"
    ),
    "rounding asked": loop(nu=QUIET.format("answer / 49 * 49 == answer")),
    "a difference that is only rounding": loop(nu=QUIET.format("answer + 0.1 - answer == 0.1")),
    "a text among numbers": loop(says="hit or np.array(['', answer])[-1] == '100.0'"),
    "a truth that is numpy's": loop(nu=QUIET.format("(answer >= answer) is True")),
    "truths added": loop(before="odd = False", after="odd = odd + hit", stop="odd == c"),
    "a float of its own": loop(
        outside="class F(float):\n    def __float__(self):\n        return 9.0\nS = F(0.01)", nu="rng.laplace(0, S)"
    ),
    "a truth that is calculated with": loop(outside="one = True", stop="found == c and one + hit != 2"),
    "a truth beside a list": loop(stop="found == c and not hit == (1,)"),
    "an answer beside a list": loop(each="same = answer == [answer]", nu=QUIET.format("not same")),
    "an answer in a list of lists": loop(each="same = answer in ([answer],)", nu=QUIET.format("not same")),
    "truths to a power": loop(nu=QUIET.format("(answer >= answer) ** 2 * 100 + 100 > 0")),
    "whole numbers that run over": loop(stop="found == c and found * 3**20 * 3**20 == 3**40"),
    "a sum that starts from a truth": loop(nu=QUIET.format("sum((answer >= answer,), start=1 > 0) == 2")),
    "a noisy number that is its size": loop(before="x = rng.exponential(1)", nu=QUIET.format("x != abs(x)")),
    "a truth among floats": loop(
        before="x, k = rng.laplace(0, 1, 2), 0\n    x[k] = 1 > 0", nu=QUIET.format("not x[0] == 1")
    ),
    "whole numbers among floats": loop(nu=QUIET.format("np.array([rho, 3])[1] ** 40 % 2 == 1")),
    "noise that wide noise rounds away": loop(
        before="big = rng.laplace(0, 1e20)", rho="rng.laplace(0, 2 / epsilon) + big - big"
    ),
    "noise that a large answer rounds away": loop(each="k = 1e9 * answer", nu=f"({NOISE} + k - k)"),
    "noise beside which wide noise is all": loop(
        before="big = rng.laplace(0, 1e20)", nu=QUIET.format("rho + big != big")
    ),
    "noise that runs over": loop(rho="rng.laplace(0, 1e308) / 1e200 / 1e108 * 2 / epsilon"),
    "a target that is asked for twice": loop(
        before="n, z = 0, [0, 0, 0]\n    z[(n := n + 1)] += 1", nu=QUIET.format("n == 2")
    ),
    "a class that was changed": written(
        "class Box:\n    def __init__(self, epsilon, rng):\n        self.rng, self.rho = rng, rng.laplace(0, 2)\n"
        "    def ask(self, answer, threshold):\n"
        "        return bool(answer + self.rng.laplace(0, 4) >= threshold + self.rho)\n"
        "def other(self, answer, threshold):\n    return bool(answer >= threshold)\nBox.ask = other\n",
        "Box",
    ),
}


@pytest.mark.parametrize("name", one_in(12, SYMBOLS))
def test_what_numpy_does_otherwise_than_unknowns_do_is_not_private(name):
    assert reason(SYMBOLS[name].make(), 2) is not None or not cleared(SYMBOLS[name].make(), c=2)


FEW_FORMS = {  # forms that are read since they were asked for, in programs that give more away
    "quiet from a count by words on": """
    import collections
    bar, stats, out = threshold + rng.laplace(0, 2/epsilon), collections.Counter(), []
    for a in answers:
        hit = a + (rng.laplace(0, 4*c/epsilon) if stats["below"] < 40 else 0.0) >= bar
        stats["above" if hit else "below"] += 1
        out.append(hit)
        if stats["above"] == c: break
    return out
""",
    "an answer between limits of its own": """
    bar, out, last = threshold + rng.laplace(0, 2/epsilon), [], 0.0
    for a in answers:
        x = min(max(a, -3), 7.5)
        out.append(x + rng.laplace(0, 4*c/epsilon) >= bar)
        if sum(out) == c or len(out) > 30 and max(a, 2) == min(a, 2): break
    return out
""",
    "noise gone through step by step, twice": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    nus = rng.laplace(0, 4*c/epsilon, len(answers))
    it = iter(nus)
    out = []
    n = 0
    for a in answers:
        v = next(it, 0.0)
        if n % 2: it = iter(nus)
        hit = bool(a + v >= bar)
        out.append(hit)
        n += hit
        if n == c: break
    return out
""",
    "a first step before the queries": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    nus = rng.laplace(0, 4*c/epsilon, len(answers))
    out = []
    n = 0
    it = iter(nus)
    v = next(it, 0.0)
    for a in answers:
        hit = bool(a + v >= bar)
        out.append(hit)
        n += hit
        if n == c: break
    return out
""",
    "a draw in a record": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    d = {"nu": rng.laplace(0, 4*c/epsilon), "n": 0}
    out = []
    for a in answers:
        if len(out) > 40:
            nu = d["nu"]
        else:
            nu = rng.laplace(0, 4*c/epsilon)
        hit = bool(a + nu >= bar)
        out.append(hit)
        d["n"] += hit
        if d["n"] == c: break
    return out
""",
    "used noise in a record": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    d = {"nu": 0.0, "n": 0}
    out = []
    for a in answers:
        nu = rng.laplace(0, 4*c/epsilon)
        if len(out) > 40 and len(out) % 2:
            nu = d["nu"]
        d["nu"] = nu
        hit = bool(a + nu >= bar)
        out.append(hit)
        d["n"] += hit
        if d["n"] == c: break
    return out
""",
    "an answer in a record": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    d = {"a": 0.0, "n": 0}
    out = []
    for a in answers:
        nu = rng.laplace(0, 4*c/epsilon)
        hit = bool(a + nu >= bar)
        out.append(hit)
        d["a"] = a
        d["n"] += hit
        if d["n"] == c: break
    if len(out) > 40: out.append(bool(d["a"] > 0))
    return out
""",
    "beyond the positives": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    above = answers + rng.laplace(0, 4*c/epsilon, len(answers)) >= bar
    k = np.cumsum(above)
    return above[k <= c]
""",
    "more positives of long lists": """
    bar = threshold + rng.laplace(0, 2 / epsilon)
    above = answers + rng.laplace(0, 4 * c / epsilon, len(answers)) >= bar
    before = np.cumsum(above) - above
    return above[before < (c if len(answers) < 40 else c + 3)]
""",
    "answers up to the positives": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    above = answers + rng.laplace(0, 4*c/epsilon, len(answers)) >= bar
    k = np.cumsum(above) - above
    return answers[k < c]
""",
    "a truth that is put there again": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    out = np.zeros(len(answers), dtype=bool)
    n = 0
    for i in range(len(answers)):
        out[i] = answers[i] + rng.laplace(0, 4*c/epsilon) >= bar
        if i > 40: out[i] = False
        if out[i]:
            n += 1
            if n == c: break
    return out[:i+1]
""",
    "truths of two arrays": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    out = np.zeros(len(answers), dtype=bool)
    two = np.zeros(len(answers), dtype=bool)
    n = 0
    for i in range(len(answers)):
        out[i] = answers[i] + rng.laplace(0, 4*c/epsilon) >= bar
        two[i] = i < 40
        if out[i] and two[i]:
            n += 1
            if n == c: return out[:i+1]
    return out
""",
    "a name for other noise": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    out = []
    n = 0
    k = rng.laplace(0, 4*c/epsilon)
    for a in answers:
        if a + (nu := rng.laplace(0, 4*c/epsilon) if len(out) < 40 else k) >= bar:
            n += 1
            out.append(True)
            if n == c: break
        else: out.append(False)
    return out
""",
    "a name that is shown": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    out = []
    n = 0
    for a in answers:
        if (z := a + rng.laplace(0, 4*c/epsilon)) >= bar:
            n += 1
            out.append(True if len(out) < 40 else z)
            if n == c: break
        else: out.append(False)
    return out
""",
    "a list that is filled again": """
    e = epsilon / c
    out, rest = [], list(answers)
    for _ in range(c):
        rho = rng.laplace(0, 2 / e)
        while rest:
            a = rest.pop(0)
            hit = bool(a + rng.laplace(0, 4 / e) >= threshold + rho)
            out.append(hit)
            if hit: break
        if not rest: rest = list(answers)
    return out
""",
    "a query without noise, step by step": """
    bar = threshold + rng.laplace(0, 2/epsilon)
    it = iter(answers)
    out, n = [], 0
    while n < c:
        try:
            q = next(it)
        except StopIteration:
            return out
        if len(out) > 40 and q > 0:
            out.append(True)
        else:
            hit = bool(q + rng.laplace(0, 4*c/epsilon) >= bar)
            out.append(hit); n += hit
    return out
""",
}


@pytest.mark.parametrize("name", one_in(7, FEW_FORMS))
def test_new_forms_clear_no_wrong_program(name):
    program = made(f"def program(answers, threshold, epsilon, c, rng):{FEW_FORMS[name]}")
    assert reason(program) is not None or not cleared(program, c=2)


LATE_NAMES = {  # what a generator calculates with is looked up when it is asked, and not when it is made
    "the scale": ("a + rng.laplace(0, s) for a in answers", "v >= threshold + rho", "s = 0.0"),
    "the threshold's noise": ("a + rng.laplace(0, s) >= threshold + rho for a in answers", "v", "rho = 0.0"),
    "the scale of some noise": ("rng.laplace(0, s) for k in range(5)", "a + v >= threshold + rho", "s = 0.0"),
}


@pytest.mark.parametrize("name", LATE_NAMES)
def test_a_generator_that_is_handed_on_has_the_names_of_later(name):
    made_of, compared, changed = LATE_NAMES[name]
    text = f"""def program(answers, threshold, epsilon, c, rng):
    rho, s, said, found = rng.laplace(0, 2 / epsilon), 4 * c / epsilon, [], 0
    noisy = iter({made_of})
    for i, a in enumerate(answers):
        v = next(noisy, 0.0)
        if i % 50 == 49 and i % 49 == 48:
            {changed}
        hit = {compared}
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
"""
    assert reason(made(text)) is not None
    at_once = text.replace("iter(", "list(").replace("next(noisy, 0.0)", "noisy[i]")
    assert reason(made(at_once)) is None or "k in" in text


def test_no_more_is_shown_than_was_gone_through():
    """By the states alone, before longer runs are looked at."""
    text = FEW_FORMS["more positives of long lists"]
    assert reason(made(f"def program(answers, threshold, epsilon, c, rng):{text}")) is not None


def test_what_grows_with_every_turn_is_given_up_early():
    """A record that holds the one before it: each of its states is deeper, and all of them are compared."""
    text = LOOP.format(before="kept = {'before': 0}", noise=NOISE, result="said").replace(
        "        found +=", "        kept = {'before': kept}\n        found +="
    )
    assert "too many values" in str(reason(made(text)))


def test_small_differences_are_not_lost_in_large_numbers():
    """An answer is not moved by 1,000 where one person changes it by 1e-8, nor by 2^29 and back where by 1."""

    def moved(each, sensitivity):
        noise = {"rho": "rng.laplace(0, 2 * sensitivity)", "nu": "rng.laplace(0, 4 * sensitivity)"}
        return Case(Mine(loop(each=each, **noise).make(), 1.0, 1, sensitivity), False).svt

    assert moved("answer = answer + 1000.0", 1.0) is not None
    for each, sensitivity in (("answer = answer + 1000.0", 1e-8), ("answer = answer + 2.0**29 - 2.0**29", 1.0)):
        with pytest.raises(Unreadable, match="rounding would count"):
            moved(each, sensitivity)


GUARDED = """def program(q, T, epsilon, c, rng):
    x = q + rng.laplace(0, 4 * c / epsilon, len(q))
    above = x >= T + rng.laplace(0, 2 / epsilon)
    hits = np.flatnonzero(above)
    if len(q) > 50:
        {long}
    return above[: hits[c - 1] + 1] if hits.size >= c else above
"""
LONG_LISTS = {
    "an old object's place": "for i in range(len(q)):\n            said = [(q + 1 >= T)[i]]; return [(q >= T)[i]]",
    "answers up to a positive": "return q[: hits[c - 1] + 1] if hits.size >= c else above",
    "noisy answers": "return above[: hits[0] + 1] if hits.size else x",
    "answers up to where c is": "k = np.cumsum(above) >= c; return q[: np.argmax(k) + 1] if k.any() else above",
    "reached one too late": "k = np.cumsum(above) >= c + 1; return above[: np.argmax(k) + 1] if k.any() else above",
    "reached by others": "k = np.cumsum(q >= T) >= c; return above[: np.argmax(k) + 1] if k.any() else above",
    "where it is not reached": "k = np.cumsum(above) >= c; return above[: np.argmax(k) + 1] if k.any() else q",
    "up to no positive": "return q[: np.searchsorted(np.cumsum(above), 0) + 1]",
    "what a mask hides": "return above & (np.cumsum(above) <= c) | above",
    "limits that are answers": "above = np.clip(q, 100 * q, 100 * q) + x - q >= T",
    "the end of a list": "try:\n            q[60]\n        except IndexError:\n            return [q[0] >= T]",
    "a list of answers and more": "box = []; box.append(q[0]); box.append(100 * q[0]); return [box[1] + x[0] >= T]",
    "a board of answers": "return np.full(len(q), (q[0],))",
    "one place under two names": "b = np.zeros(len(q), dtype=bool)\n        for i in range(len(q)):\n"
    "            b[i] = True; b[i + 0] = False\n            if not b[i]: return [q[i] >= T]",
    "a method that is called in a list": "said = []; add = said.append\n        y = [add(a >= T) for a in x]\n"
    "        return said",
    "a text in a text": "t = ''\n        for a in q: t += 'F'\n        if 'FF' in t: return [q[0] >= T]",
    "a tuple that stays": "u = tuple([]); v = u; v += tuple([True])\n        if not u: return [q[0] >= T]",
    "an answer put in": "y = []; y.insert(0, q[0]); return y",
    "and of nothing": "y = []\n        if not ((y and True) == False): return q",
    "and of no text": "t = ''\n        if (t and 'x') != False: return q",
    "none in a list": "y = [None]\n        if y[len(q) - len(q)] is None: return q",
    "none in a board": "y = [None] * len(q)\n        if y[0] is None: return q",
    "the other side": "return above[: np.searchsorted(np.cumsum(above), c, side='right') + 1]",
    "running truths": "return above & (above.cumsum(dtype=bool) <= c)",
    "any, where": "if not above.any(where=q < -1000): return q",
    "a list twice": "y = rng.laplace(0, 4 * c / epsilon, len(q)).tolist() * 2; return [q[0] + y[0] >= T]",
    "a list and a list": "y = [a for a in q] + [a for a in q]; return y",
    "a list that is filled when it is on the board": "y, z = [False] * len(q), []; y[0] = z; z.append(q[0]); return y",
    "lists in a list": "for a, b in ((a, b) for a in q for b in (1, 5)):\n            while True: break\n"
    "            if b == 5: return q",
    "a branch that asks": "y = []; g = (y.append(h) or h for h in above)\n"
    "        z = all(g) if len(q) > 60 else any(g); return y",
    "which function asks": "y = []; g = (y.append(h) or h for h in above)\n"
    "        (all if len(q) > 60 else any)(g); return y",
    "a list beside a text": "for a, s in zip(q, 'ab'):\n            if s == 'a': return q",
    "truths in their order": "y = sorted(above.tolist()); return y[: y.index(True) + 1] if True in y else y",
    "counted in some turns": "y, n = [], np.cumsum(above)\n        for i in range(len(q)):\n"
    "            if i >= 40: y.append(above[i] and n[i] <= c)\n        return y",
    "counted before": "y, n = [], np.cumsum(above)\n        m = above & (n <= c)\n        for i in range(len(q)):\n"
    "            k = n[i]; y.append(m[i])\n        return y",
    "filled by what comes with it": "y = []; return y, (y.append(a) for a in q)",
    "a name that waits": "k = 5\n        def f():\n            nonlocal k\n            k = 0\n"
    "            for a in q: pass\n            k = 1\n            return 0\n        k += f()\n"
    "        if k == 5: return q",
}
SHORT = {  # a scale of 0.001 where it seems to be 4
    "a list that is repeated in place": "b = a = [4.0]\na *= 2\ns = 4.0 if len(b) == 1 else 0.001",
    "an array that is gone through": "xs = np.ones(2) * 4.0\nfor s in xs:\n    xs -= 3.999",
    "backwards": "xs = [4.0, 4.0]\nfor s in reversed(xs):\n    xs[0] = 0.001",
    "no order": "s = (0.001, 4.0)[np.searchsorted(np.array([5, 5, 5, 1]), 3)]",
    "sums that round": "s = 0.001 if np.sum([0.1] * 10) == 1.0 else 4.0",
    "no number": "x = np.inf - np.inf\ns = 0.001 if x in [x] else 4.0",
    "a dictionary in its order": "d = {0: (s := 4.0), (s := 0.001): 0}",
    "a name of an exception": "s, t = 4.0, 4.0\ntry:\n    raise ValueError\nexcept ValueError as s:\n    pass\n"
    "try:\n    t = s\nexcept Exception:\n    t = 0.001\ns = t",
    "floats of numpy": "s = 4.0\ntry:\n    range(np.floor(3.0))\nexcept TypeError:\n    s = 0.001",
}


@pytest.mark.parametrize("name", one_in(20, LONG_LISTS))
def test_what_only_long_lists_meet_is_not_private(name):
    """Found by the twelfth attack and the fifteenth: few queries are answered rightly."""
    assert not cleared(made(GUARDED.format(long=LONG_LISTS[name])))


@pytest.mark.parametrize("name", one_in(6, SHORT))
def test_what_python_does_otherwise_than_it_seems_is_not_private(name):
    """Found by the twelfth attack: each draws from Laplace(0.001)."""
    assert not cleared(program(SHORT[name], "rng.laplace(0, s * c / epsilon)"), c=2)


SEEN_LONGER = [(GUARDED.format(long=text), 1) for text in LONG_LISTS.values()]
SEEN_LONGER += [(text, {PUT_DOWN: 1, TAKEN_OVER: 2}.get(text, 3)) for text in USED.values()]


@pytest.mark.parametrize(("text", "c"), one_in(40, SEEN_LONGER))
def test_a_second_look_sees_it_without_the_first(text, c, monkeypatch):
    """Whatever the states of a program prove, longer runs of it are followed: those that were found above are seen."""
    monkeypatch.setattr("svtcourse.judge.case.why_not_always", lambda *_: None)
    assert not cleared(made(text), c=c)


NUMBERED = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found = rng.laplace(0, 4 / epsilon), [], 0
    for a in answers:
        if a + rng.laplace(0, 8 * c / epsilon) < threshold + rho:
            said.append(False)
            continue
        found += 1
        {shows}
        if found == c:
            break
    return said
"""
FRESH = "a + rng.laplace(0, 2 * c / epsilon)"


@pytest.mark.parametrize("late", one_in(4, [FRESH, "a", "a + rng.laplace(0, 1)", "True"]))
def test_a_number_of_another_kind_is_seen_in_a_longer_run(late, monkeypatch):
    """Every positive shows a number with its own noise, but in long lists."""
    monkeypatch.setattr("svtcourse.judge.case.why_not_always", lambda *_: None)
    text = NUMBERED.format(shows=f"said.append({late} if len(said) > 30 else {FRESH})")
    assert judge(made(text), c=2, trials=1_000).private is (True if late == FRESH else None)


LATE_GATE = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, s = rng.laplace(0, 2 / epsilon), [], 0, 1.0
    {before}
    for i, a in enumerate(answers):
        nu = rng.laplace(0, 4 * c / epsilon) if s else 0.0
        d = {compared}
        hit = d >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
"""
TENTHS = "[0.5, 0.2, 0.6000000000000001, 0.1, 0.8, 0.4, 0.6000000000000001, 0.1, 0.8, 0.7000000000000001,"
TENTHS += " 0.7000000000000001, 0.7000000000000001, 0.2, 0.30000000000000004, 0.9, 0.9, 0.4, 0.7000000000000001]"
IF_LONG = "if len(answers) > 200:\n        "
LATER_THAN_ANY = {
    "a query's noise outside its absolute value too": ("pass", "abs(a + nu) - (nu if i > 15 else 0)"),
    "the same in one length": ("pass", "abs(a + nu) + (nu / 2 if len(answers) == 7 else 0)"),
    "sums in lanes": (f"w = {TENTHS}\n    {IF_LONG}s = np.sum(w) == sum(w)", "a + nu"),
    "a large number in a sum": (f"{IF_LONG}s = np.sum([2.0**53, -2.0**53] + [0.0] * 6 + [1.0] + [0.0] * 7)", "a + nu"),
    "a square of an array": (
        f"x = 0.5073711867288875\n    {IF_LONG}s = (np.array([x]) ** 2)[0] != x * x",
        "a + nu",
    ),
    "a root of an array": (
        f"{IF_LONG}z = np.array([1.7599682342160143]) ** 0.5\n        s = z[0] != np.sqrt(1.7599682342160143)",
        "a + nu",
    ),
    "a module beside itself": (f"{IF_LONG}from .math import log1p\n        s = log1p(1.0)", "a + nu"),
}


@pytest.mark.parametrize(("name", "c"), one_in(10, [(name, c) for name in sorted(LATER_THAN_ANY) for c in (1, 2)]))
def test_what_two_looks_missed_is_not_private(name, c):
    """Found by the seventeenth attack: read as Python does where numpy does otherwise, or one draw in two places."""
    before, compared = LATER_THAN_ANY[name]
    assert not cleared(made(LATE_GATE.format(before=before, compared=compared)), c=c)


@pytest.mark.parametrize(
    "inside", one_in(2, ["import math", "from math import sqrt", "import numpy as num", "import scipy.stats as st"])
)
def test_a_module_that_was_changed_is_not_read(inside, monkeypatch):
    """Also where it is imported inside the function."""
    monkeypatch.setattr("math.sqrt", lambda x: 0.0)
    assert not cleared(made(LATE_GATE.format(before=inside, compared="a + nu")), c=2)


def test_a_module_in_place_of_another_is_not_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "math", types.SimpleNamespace(sqrt=lambda x: 0.0))
    assert not cleared(made(LATE_GATE.format(before="import math", compared="a + nu")), c=2)


@pytest.mark.parametrize("ending", ["raise SystemExit", "exit()", "raise GeneratorExit"])
def test_a_program_that_ends_python_does_not_end_the_judge(ending):
    verdict = judge(program(before=ending))
    assert verdict.private is None
    assert "it ends with" in str(verdict)


@pytest.mark.full
def test_a_program_without_an_end_is_not_decided():
    """It is not read, so it is run; whatever it catches."""
    verdict = judge(
        program(before="x = {1}\nwhile True:\n    try:\n        x.add(2)\n    except Exception:\n        pass")
    )
    assert verdict.private is None
    assert "does not end" in str(verdict)


def test_what_a_program_prints_is_not_shown(capsys, monkeypatch):
    """It is run thousands of times; and the verdict says that it was not looked at."""
    monkeypatch.setattr(probing, "_WORK", 400_000)
    assert "prints was not looked at" in judge(program(before="print(answers)")).reason
    assert judge(program(before="print(sorted(answers))"), trials=1_000).private is None
    assert not capsys.readouterr().out


SEVENTEEN = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, k, quiet = {draw}.laplace(0, 2 / epsilon), [], 0, 0, False
    for a in answers:
        hit = a + (0.0 if quiet else {draw}.laplace(0, 4 * c / epsilon)) >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
        if found == 1 and k == 17 and hit:
            {late}
        k = k + 1 if found == 0 and k < 18 else 18
        hit = a = 0
    return said
"""
WAITS = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, k, off, mark = rng.laplace(0, 2 / epsilon), [], 0, 0, 0, 0
    def take():
        nonlocal off
        now, off = off, 0
        return 0.0 if now else rng.laplace(0, 4 * c / epsilon)
    for b in answers:
        nu = next((a for a in answers[:1] if a is None), take())
        hit = b + nu >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
        if found == 1 and k == 17 and hit:
            mark = 1
        k = k + 1 if found == 0 and k < 18 else 18
        off = 0 if nu == 0.0 or hit else mark
        hit = b = nu = 0
    return said
"""
LATE_BY = {
    "without noise": "quiet = True",
    "the truth of a slice": "if answers[-1:]: return said",
    "and of what is made of it": "if not np.sort(answers[-1:]) > threshold: return said",
    "a slice, or else": "if (answers[-1:] or 5): return said",
    "a seed": "np.random.seed(106); quiet = rng.laplace(0, 1) > -4",
    "a seeded generator": "quiet = np.random.default_rng(7).uniform() > 0.1",
    "a seed of all": "np.random.seed(1)",
}


@pytest.mark.parametrize(("name", "draw"), one_in(10, [(x, y) for x in LATE_BY for y in ("rng", "np.random")]))
def test_what_comes_after_a_rare_order_is_looked_at(name, draw):
    """Found by the eighteenth attack: the first positive is the eighteenth query."""
    assert not cleared(made(SEVENTEEN.format(draw=draw, late=LATE_BY[name])), c=2)


def test_what_waits_for_a_walk_belongs_to_the_state():
    """The default of `next`, calculated before the list is gone through."""
    assert not cleared(made(WAITS), c=2)


@pytest.mark.parametrize(
    "number", one_in(2, ["sum([np.inf])", "np.array([1.0, np.inf]).sum()", "answers[0] / 0", "threshold / 0.0"])
)
def test_what_is_not_finite_is_no_crash(number):
    with np.errstate(all="ignore"):
        assert judge(program(before=f"x = {number} if len(answers) else 0"), trials=1_000).private is None


def test_scipy_is_what_it_was(monkeypatch):
    text = LATE_GATE.format(before="import scipy.stats as st", compared="a + st.laplace.rvs(0, 8 / epsilon)")
    monkeypatch.setattr(
        type(scipy.stats.laplace), "_rvs", lambda self, size=None, random_state=None: np.zeros(size or ())
    )
    assert not cleared(made(text), c=2)


def test_numpy_is_what_it_was_where_only_its_functions_are_named(monkeypatch):
    def absolute(x):
        return x

    absolute.__module__ = "numpy"
    monkeypatch.setattr(np, "absolute", absolute)
    function = made(SEVENTEEN.format(draw="rng", late="quiet = absolute(-3.0) < 0"))
    function.__globals__["absolute"] = absolute
    assert not cleared(function, c=2)


DRIFTS = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found = rng.laplace(0, 2 / epsilon), [], 0
    for a in answers:
        nu = rng.laplace(0, 4 * c / epsilon)
        said.append(a + nu >= threshold + rho)
        rho = rho + nu / 1000
        found += said[-1]
        if found == c:
            break
    return said
"""


@pytest.mark.full
def test_comparisons_that_share_all_noise_are_not_followed_for_ever():
    """A threshold that drifts by a thousandth of each noise: the search went on for more than ten minutes."""
    function = Mine(made(DRIFTS), 1.0, 3)
    assert Case(function, False).verdict().private is None
    assert function.looked_at < 1_000_000


LATE_KIND = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, s, k = rng.laplace(0, 2 / epsilon), [], 0, 1.0, 1
    for _ in range(15):
        k += k
    if len(answers) > k:
        {late}
    for a in answers:
        hit = a + rng.laplace(0, s * 4 * c / epsilon) >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
"""
OF_ANOTHER_KIND = [
    "not any([len(answers) * 0])",
    "not all([len(answers), 0])",
    "np.array([0.5, 0.25], dtype=int)[0] == 0",
    "np.array([0.5, 0.25], dtype=bool)[0]",
    "np.any(False for a in answers)",
    "np.any(map(lambda a: False, answers))",
    'np.array([0, "1"])[0]',
    'np.any([False, ""])',
    "not np.any([(0, 0)])",
    "not np.array([(0, 0)]).any()",
    "len(np.array([(1, 2), (3, 4)])[0] + np.array([(1, 2)])[0]) == 2",
    "np.ones_like([(1, 2), (3, 4)]).sum() == 4",
    "not np.bool_([0])",
    "not (2 in [np.array([3])])",
    "[np.array([3])].count(None) == 0",
    "sum(answers) < 0",
    "len(np.logical_and([np.zeros(2) for a in answers], True).shape) == 2",
    "np.array([x for x in zip(answers, answers)]).ndim == 2",
    "not np.array([x for x in zip([0 for a in answers], [0 for a in answers])]).all()",
]
OF_WORDS = """word, xs = "1", [True]
        for y in np.array([word if i == 0 else 0 for i in range(len(answers))]):
            s = 1.0 if y == 0 or y == word else 0.001
            break"""
OF_TRUTHS = """xs = [True]
        xs.index(True)
        y = np.ones_like(xs)
        s = 1.0 if y[0] + y[0] == 2 else 0.001"""


@pytest.mark.parametrize("test", one_in(6, OF_ANOTHER_KIND))
def test_what_numpy_takes_for_another_kind_is_not_private(test):
    """Found by the nineteenth attack: lists of unknown length that are read otherwise than lists of a known one."""
    late = f"s = 0.001 if {test} else 1.0"
    assert not cleared(made(LATE_KIND.format(late=late)))


MIXED = """xs, q = np.array([f(i) for i in range(len(answers))]), 0
        for x in xs:
            q = 1 if x == "0" else q
        s = 0.001 if q == 1 else 1.0"""
OUTSIDE_OF_IT = [
    ("def float(x): return (x, x)", "s = 0.001 if np.array([float(a) for a in answers]).ndim == 2 else 1.0"),
    (
        "def abs(x): return (x, x)\ndef f(x): return abs(x)",
        "s = 0.001 if np.array([f(0) for a in answers]).ndim == 2 else 1.0",
    ),
    (
        "class K:\n    @staticmethod\n    def abs(x): return (0, 0)",
        "s = 0.001 if np.array([K.abs(a) for a in answers]).ndim == 2 else 1.0",
    ),
    (
        "import random\nclass K:\n    @staticmethod\n    def abs(a): return True if a + random.random() >= 1 else 'no'",
        "f = K().abs; s = 0.001 if np.array([f(a) for a in answers])[0] == 'no' else 1.0",
    ),
    ("class B: pass", "b = B(); b.x = 0.0; ys = [b.x for b.x in answers]; s = 0.001 if b.x > 0 else 1.0"),
    ("", "z = np.zeros(len(answers), dtype=int)[:]; z[0] = 0.5; s = 0.001 if z[0] < 0.2 else 1.0"),
    ("", "z = np.array([True, False])[: len(answers)]; z[0] = 0.5; s = 0.001 if z[0] > 0.7 else 1.0"),
    ("", "z = np.array([True]) * len(answers); s = 0.001 if z[0] > 1 else 1.0"),
    (
        "",
        "y = z = np.zeros(len(answers), dtype=bool); y[0] = False; z += np.ones_like(z); s = 0.001 if y[0] else 1.0",
    ),
    ("", "h = [True]; h += np.array([True]); s = 0.001 if len(h) < 2 else 1.0"),
    ('def f(i): return 0 if i == 0 else "1"', MIXED),
    ('W = "1"\ndef f(i): return 0 if i == 0 else W', MIXED),
    (
        "class A: k = 1\nclass B:\n    k = 0\n    def __new__(cls): return A()",
        "b = B(); s = 0.001 if b.k == 1 else 1.0",
    ),
    ("class B:\n    @staticmethod\n    def __bool__(): return False", "b = B(); s = 1.0 if b else 0.001"),
    ("class B:\n    @property\n    def __len__(self): return lambda: 0", "b = B(); s = 1.0 if b else 0.001"),
]


@pytest.mark.parametrize(("outside", "late"), one_in(6, OUTSIDE_OF_IT))
def test_what_stands_outside_is_not_what_python_has(outside, late):
    """Found by the twenty-first attack: functions under Python's names, texts from functions, methods between bars."""
    assert not cleared(made(f"{outside}\n{LATE_KIND.format(late=late)}"))


def test_much_work_in_each_turn_has_an_end():
    """A sum over many thousand numbers in every turn of every run."""
    assert "It does not end" in str(reason(loop(after="m = sum(range(15_000))").make(), 3))


@pytest.mark.parametrize("late", one_in(2, [OF_WORDS, OF_TRUTHS]), ids=["words", "truths"])
def test_what_becomes_of_names_and_truths_in_an_array_is_known(late):
    """Found by the twentieth attack."""
    assert not cleared(made(LATE_KIND.format(late=late)))


@pytest.mark.full
def test_a_loop_that_lengthens_its_list_has_an_end():
    text = """def program(answers, threshold, epsilon, c, rng):
    bar, out, todo = threshold + rng.laplace(0, 2 / epsilon), [], [0]
    for k in todo:
        if k < len(answers):
            out.append(answers[k] + rng.laplace(0, 4 * c / epsilon) >= bar)
            if sum(out) == c:
                break
            todo.append(k + 1)
    return out
"""
    assert "changes a list while" in str(reason(made(text), 2))


WHERE = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, s, where = rng.laplace(0, 2 / epsilon), [], 0, 1.0, []
    for i, a in enumerate(answers):
        hit = a + rng.laplace(0, s * 4 * c / epsilon) >= threshold + rho
        said.append(hit)
        found += hit
        if hit:
            where.append(i % 29)
            if found == 2 and not any(where):
                s = 0.001
        if found == c:
            break
    return said
"""


def test_a_list_of_public_numbers_has_either_truth():
    """Whether any of them counts as true was always yes."""
    assert not cleared(made(WHERE), c=3)


TOGETHER = """def program(answers, threshold, epsilon, c, rng):
    rho, out, found = rng.laplace(0, 2 / epsilon), [], 0
    nus = [rng.laplace(0, 4 * c / epsilon) for _ in {over}]{more}
    for hit in [a + nu >= threshold + rho for a, nu in zip(answers, nus)]:
        out.append(hit)
        found += hit
        if found == c:
            break
    return out
"""


@pytest.mark.parametrize(("over", "more"), [("answers", ""), ("answers[:1]", " * len(answers)")])
def test_a_list_of_noise_is_as_long_as_the_answers(over, more):
    """Or one noise is that of all."""
    assert cleared(made(TOGETHER.format(over=over, more=more)), c=2) is (not more)


@pytest.mark.parametrize("name", one_in(8, PROGRAMS))
def test_what_the_reader_once_took_for_an_svt_is_not_private(name):
    """Found by the attacks on the reader as it is now; what they do, only lists of more than 3,000 queries show."""
    text, c = PROGRAMS[name]
    assert reason(made(text.replace("30000", "3000")), c) is not None


RARELY = """
import numpy as np
def program(answers, threshold, epsilon, c, rng):
    rho = rng.laplace(0, 2 / epsilon)
    out, count, first, n = [], 0, 0, len(answers)
    marks, flags, lst = list(range(50)), np.zeros(n), list(answers)
    for i, q in enumerate(answers):
        if q + rng.laplace(0, 4 * c / epsilon) >= threshold + rho:
            out.append(True)
            flags[i] = 1.0
            count += 1
            if count >= c:
                break
            if count == 2 and i == 22 and first == 4:
                k = len(out)
                LINES
            first = i
        else:
            out.append(False)
    return out
"""


def given_on(function, answers):
    """What a program gives, or the error that it ends with, with noise of four seeds; its answers are far from 0."""
    found = []
    for seed in range(4):
        try:
            found.append(repr(function(answers, answers.dtype.type(-500), 1.0, 3, np.random.default_rng(seed))))
        except Exception as error:
            found.append(type(error).__name__)
    return found


@pytest.mark.parametrize("seed", one_in(12, range(12)))
@pytest.mark.filterwarnings("ignore")
def test_what_stands_at_a_rare_place_tells_no_answer(seed):
    """Statements made at random where no look but that at every length comes: of those that are read, none tells q."""
    of = {"epsilon": 1.0, "c": 3}
    plain = Text(RARELY.replace("LINES", "pass"), of)
    case, read = pairs.Case(plain, False), 0
    assert why_not_always(plain, case.svt, case.side) is None
    for lines in random_programs.at_a_rare_place(seed, 150):
        text = RARELY.replace("LINES", ("\n" + 16 * " ").join(lines))
        try:
            if why_not_always(Text(text, of), case.svt, case.side) is not None:
                continue
        except (Refusal, Failed, Unreadable):
            continue
        read += 1
        for kind, place, (x, y) in itertools.product((float, int), (22, 29), ((5, 6), (0, 1), (1, 2), (0, -1))):
            here = np.full(30, -1000, dtype=kind)
            here[4], here[22], here[29] = 1000, 5, 0
            there = here.copy()
            here[place], there[place] = x, y
            assert given_on(made(text), here) == given_on(made(text), there), lines
    assert read > 3, read


@pytest.mark.parametrize("test", ["len(answers) == a + b", "len(answers) - b == a", "said[a + b :]", "i == a + b"])
def test_the_lengths_that_are_asked_for_are_known(test):
    """And noise that only lists of such a length have is seen there when the program is run."""
    harmless = Mine(made(late(before="a, b = 1000, 37", each=f"if {test}:\n    found = found + 0")), 1.0, 1)
    assert Case(harmless, False).unsteady is None and 1037 in harmless.reached
    wide = Mine(made(late(before="a, b = 1000, 37", each=f"if {test}:\n    nu = rng.laplace(0, 2 * s)")), 1.0, 1)
    laws = {("laplace", 2.0), ("laplace", 4.0)}
    assert otherwise(wide, laws, True) is None
    wide.reached = [1037]
    assert otherwise(wide, laws, True).startswith("in its noise on 1,0")
