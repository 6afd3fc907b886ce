"""Programs run on a list of which they cannot ask how long it is: what could tell stops them, what cannot does not."""

from __future__ import annotations

import numpy as np
import pytest
from hostile_programs import loop, made

from svtcourse.judge.canonical import state_of
from svtcourse.judge.case import Case
from svtcourse.judge.hidden import Walk
from svtcourse.judge.program import Program
from svtcourse.judge.symbols import Fork, Unreadable
from svtlib import judge


def reason(program, c=2):
    """Why it is no SVT for every number of queries, None if it is one."""
    try:
        case = Case(Program(program, 1.0, c), False)
    except Unreadable as found:
        return str(found)
    return case.why_not or case.unsteady


def taken_for_an_svt(program, c=2):
    """Whether it is one for every number of queries."""
    return reason(program, c) is None


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


def program(before="pass", noise=NOISE, result="said"):
    """A loop that hides something before it, in its noise, or after it."""
    return made(LOOP.format(before=before.replace("\n", "\n    "), noise=noise, result=result))


QUIET = f"({NOISE} if {{}} else 0.0)"
OUTSIDE = {
    "a position": (program(noise=QUIET.format("i < 500")), "it uses where in the list it is"),
    "a position in a function": (program(noise=QUIET.format("min(i, 40) < 40")), "it uses where in the list it is"),
    "the next answer": (
        program(noise=QUIET.format("answers[i - 1] < 9")),
        "Its threshold is not always moved by the same number",
    ),
    "a length": (program(noise=f"{NOISE} / len(answers)"), "Some of its runs compare otherwise than the rest"),
    "a comparison of lists": (
        program(noise=QUIET.format("said < [False, False]")),
        "The noise of the queries is not always the same: Laplace(8),",
    ),
    "a word in what was said": (
        program(noise=QUIET.format("said in ([False],)")),
        "The noise of the queries is not always the same: no noise, a",
    ),
    "a default that counts": (
        program("tick = lambda k=[]: (k.append(1), len(k))[1]", QUIET.format("tick() < 30")),
        "goes on changing with the number of queries (tick)",
    ),
    "an array that counts": (
        program("z = np.zeros(1)", QUIET.format("np.add(z, 1, z)[0] < 30")),
        "goes on changing with the number of queries (z)",
    ),
    "a generator that ends": (
        program("g = (x for x in (1, 2))", QUIET.format("any(g)")),
        "The noise of the queries is not always the same: Laplace(8),",
    ),
    "a loop before the loop": (
        program("for b in answers:\n    rho = max(rho, b)"),
        "The noise of the queries is not always the same: no noise, a",
    ),
    "something after the loop": (
        program(result="said + [bool(a > 3)]"),
        "Its threshold is not always moved by the same number",
    ),
    "its own any": (
        program("def any(x):\n    return len(x) > 900", QUIET.format("any(said)")),
        "goes on changing with the number of queries (said)",
    ),
    "its own tuple": (
        program("tuple = list", result="tuple(said)"),
        "goes on changing with the number of queries (tuple)",
    ),
    "a chain of is": (program(noise=QUIET.format("None is not i > 900")), "it uses where in the list it is"),
    "another place": (
        made(
            LOOP.format(
                before="nus = rng.laplace(0, 4 * c / epsilon, len(answers))", noise="nus[i]", result="said"
            ).replace("        said.append", "        i %= 900\n        said.append")
        ),
        "it uses where in the list it is",
    ),
    "a method that is kept": (
        program("tick = list(range(900)).pop", QUIET.format("tick()")),
        "goes on changing with the number of queries (tick)",
    ),
    "a scale by the length": (
        program(noise="rng.laplace(0, len(answers))"),
        "Some of its runs compare otherwise than the rest",
    ),
    "a range of the list and more": (
        program("for k in range(len(answers), 9):\n    pass"),
        "it calculates with how many queries there are",
    ),
    "lists of other lengths": (
        program("for a, b in zip(answers, (1, 2)):\n    pass"),
        "it goes through lists of different lengths",
    ),
    "numbered from elsewhere": (
        program("for k, a in enumerate(answers, c):\n    pass"),
        "it goes through the list more than once",
    ),
    "some of a list": (
        program("some = [x for x in answers if x > 3]"),
        "Its threshold is not always moved by the same number",
    ),
    "its own zip": (
        program("zip = list", QUIET.format("zip(answers)[0] < 3")),
        "Its threshold is not always moved by the same number",
    ),
    "a first answer": (program("rho += answers[0]"), "It looks at its noise apart from any answer"),
    "a slice": (program("answers = answers[1:]"), "it looks at the list other than element by element"),
    "a row of constants that is summed": (
        program("w = np.full(len(answers), 1e-5)", QUIET.format("w.sum() < 1")),
        "it asks after positives of more than one list, or of other t",
    ),
    "a count behind or": (
        program("w = answers > 0", QUIET.format("(w.sum() or 1) < 900")),
        "The noise of the queries is -laplace(2) and laplace(8), as i",
    ),
    "a function in another's name": (
        program("any = np.count_nonzero", QUIET.format("any(answers > 0)")),
        "The noise of the queries is not always the same: no noise, a",
    ),
    "its own less": (
        program("less = lambda a: 1e-5\nw = [less(a) for a in answers]", QUIET.format("sum(w) < 1")),
        "it asks after positives of more than one list, or of other t",
    ),
    "a place that was said": (
        made(
            LOOP.format(before="places = []", noise=QUIET.format("900 not in places"), result="said").replace(
                "        found +=", "        places.append(i)\n        found +="
            )
        ),
        "it uses where in the list it is",
    ),
}
INSIDE = {
    "its own sum": program("def sum(x):\n    return 0", QUIET.format("sum(said) < 3")),
    "two functions of one name": program(
        "def nu():\n    return 0\nif epsilon < 0:\n    def nu():\n        return 1", "nu()"
    ),
    "an attribute": program("n = answers.ndim"),
    "set on the way": program(noise=f"(i := {NOISE})"),
    "an else of another": program("k: int = 1\nwhile k > 1:\n    k -= 1\nelse:\n    k = 2"),
    "a place that a loop sets": program("z = np.zeros(2)\nfor z[0] in (1, 2):\n    pass"),
    "a place that a list sets": program("z = np.zeros(2)\ny = [0 for z[0] in (1, 2)]"),
    "a place among several": program("two = (1, 2)\nz = np.zeros(2)\nz[0], z[1] = two"),
    "names in brackets": program("[x, y] = 1, 2"),
    "names in names": program("x, (y, z) = 1, (2, 3)"),
    "two names in a range": program("for x, y in range(0):\n    pass"),
    "an array of arrays": program("one, zero = np.zeros((2, 1))"),
    "a draw of arrays": program("one, zero = rng.laplace(0, 1, (2, 1))"),
    "a module in several names": program("b = np.floor\nif c > 9:\n    b = np.ceil"),
    "a function in a helper's name": program(
        "m = np.floor\ndef turn():\n    nonlocal m\n    m = np.ceil\n    return 1", "turn()"
    ),
    "imported on the way": program("b = 1\nif c:\n    import math as b"),
    "two names of one list": program("x = b = [0 > 1 for a in answers]"),
    "an else of a loop": program("for k in range(2):\n    pass\nelse:\n    rho = 0"),
}


@pytest.mark.parametrize(("mine", "why"), OUTSIDE.values(), ids=OUTSIDE)
def test_what_could_tell_how_long_the_list_is_is_outside(mine, why):
    assert why in str(reason(mine))


@pytest.mark.parametrize("mine", INSIDE.values(), ids=INSIDE)
def test_what_cannot_is_inside_however_odd(mine):
    assert reason(mine) is None


def test_what_is_outside_is_not_private():
    """Though its runs of six queries are those of a private mechanism."""
    verdict = judge(program(noise=QUIET.format("i < 20_000")), c=2)
    assert (
        verdict.private is None and "alignment proves" in verdict.reason and "where in the list it is" in verdict.reason
    )


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
ALL_AT_ONCE = """def program(answers, threshold, epsilon, rng):
    ticks, rho = iter(range(900)), rng.laplace(0, 2 / epsilon)
    above = [a + (rng.laplace(0, 4 / epsilon) if next(ticks, -1) >= 0 else 0.0) >= threshold + rho for a in answers]
    return above[: above.index(True) + 1] if any(above) else above
"""
WALKED = """def program(answers, threshold, epsilon, c, rng):
    def walk(xs, {c}, rho):
        above = xs + rng.laplace(0, 4 / epsilon, len(xs)) >= threshold + rho
        return above & (np.cumsum(above) <= c)
    return walk(answers, 900, rng.laplace(0, 2 / epsilon))
"""
ROUNDS = """def program(answers, threshold, epsilon, c, rng):
    rho, said, queue = rng.laplace(0, 2 / epsilon), [], list(answers)
    for r in range(3):
        asked, queue = queue, []
        for a in asked:
            said.append(a + (rng.laplace(0, 4 * c / epsilon) if r < 2 else 0.0) >= threshold + rho)
            if said[-1]:
                return said
            if r < 1:
                queue.append(a)
    return said
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
SELF = """def helper():
    return 0
def program(answers, threshold, epsilon, c, rng):
    rho, said, self = rng.laplace(0, 2 / epsilon), [], helper
    self.k = -900
    for a in answers:
        self.k += 1
        said.append(a + (rng.laplace(0, 4 * c / epsilon) if self.k else 0.0) >= threshold + rho)
        if sum(said) == c:
            break
    return said
"""


TURN = """def program(answers, threshold, epsilon, c, rng):
    rho, said, rest = rng.laplace(0, 2 / epsilon), [], 0
    for i, a in enumerate(answers):
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        rest = rho
        if i == 20_000:
            break
        rest = 0
        if sum(said) == c:
            break
    return said
"""
LOGGED = """class Box:
    log = []
    def __init__(self, epsilon, rng):
        self.rng, self.rho = rng, rng.laplace(0, 2)
        if epsilon < 0:
            self.log = 0
    def ask(self, answer, threshold):
        j = self.log
        j += "a"
        return answer + (self.rng.laplace(0, 4) if len(self.log) < 900 else 0.0) >= threshold + self.rho
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
HIDDEN = {
    "a turn that is broken off": (TURN, "uses where in the list it is"),
    "a break out of another loop": (INNER, "uses where in the list it is"),
    "an iterator": (ALL_AT_ONCE, "looks at what it has made to return"),
    "another c": (WALKED.format(c="c"), "counts positives to 900"),
    "an attribute of a function": (SELF, "goes on changing with the number of queries (self)"),
    "an array that is changed under another name": (TICKS, "goes on changing with the number of queries (tick)"),
    "rounds of which the last is quiet": (ROUNDS, "goes on changing"),
}


def test_a_list_of_a_class_belongs_to_the_state():
    assert "goes on changing with the number of queries (object)" in reason(made(LOGGED, "Box"))


@pytest.mark.parametrize(("text", "why"), HIDDEN.values(), ids=HIDDEN)
def test_what_hides_where_it_is_is_outside(text, why):
    assert why in str(reason(made(text), 1))


def test_later_rounds_are_looked_at():
    """Though none of a few queries is left for the last, or for a third turn of it."""
    assert reason(made(ROUNDS.replace("range(3)", "range(2)")), 1) is None
    late = Case(Program(made(LATE), 1.0, 3), False)
    assert late.svt is not None and "goes on changing" in str(late.unsteady)


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
MAKE = """def make():
    k = 0
    def noisy(a):
        nonlocal k
        k += 1
        return a + (rng.laplace(0, 4 * c / epsilon) if k < b * b else 0.0)
    return noisy"""


def shell(outside="", before="pass", over="answers", each="pass", ok="True", end="pass", noise=NOISE):
    """A loop, with these parts in place of its own."""
    before, each, end = (x.replace("\n", "\n" + " " * n) for x, n in ((before, 4), (each, 8), (end, 4)))
    text = SHELL.format(outside=outside, before=before, over=over, each=each, ok=ok, end=end, noise=noise)
    return text.replace("rng.laplace(0, 4 * c / epsilon) if True else 0.0", NOISE)


def bits(zero, one, is_one, is_zero, before="pass"):
    """A counter of ten bits, each of which is one thing or another that looks the same."""
    count = f"j = 0\nwhile j < 9 and {is_one}:\n    fs[j] = {zero}\n    j += 1\nfs[j] = {one}"
    return shell("import math", f"{before}\nfs = [{zero}, {zero}] * 5", each=count, ok=is_zero)


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
    "a map of a counter": shell(before=MAKE, over="map(make(), answers)", noise="0.0"),
    "a generator expression of a counter": shell(
        before=MAKE, over="(lambda f: (f(a) for a in answers))(make())", noise="0.0"
    ),
    "a zip of a counter": shell(before=MAKE, over="zip(answers, map(make(), answers))", each="a = a[1]", noise="0.0"),
    "a default of a map": shell(
        before="k = 0",
        over=f"map(lambda a, k=[0]: (k.append(1), a + ({NOISE} if len(k) < 400 else 0))[1], answers)",
        noise="0.0",
    ),
    "the third row of an array": shell(before="z = np.zeros((5, 1))", each="z[2, 0] += 1", ok="z[2, 0] < b * b"),
    "the shape of an empty array": shell(
        before="z = np.zeros((0, 1))", each="z = np.zeros((0, z.shape[1] + 1))", ok="z.shape[1] < b * b"
    ),
    "the arguments of an exception": shell(
        before="class E(Exception):\n    pass\ne = E()\ne.args = (0,)",
        each="e.args = (e.args[0] + 1,)",
        ok="e.args[0] < b * b",
    ),
    "views": bits(
        "z.copy()",
        "z[:1]",
        "bit(fs[j])",
        "not bit(fs[8])",
        "z = np.zeros(1)\ndef bit(v):\n    z[0] = 1\n    r = v[0]\n    z[0] = 0\n    return r",
    ),
    "functions of one name": bits("np.floor", "math.floor", "fs[j] == math.floor", "fs[8] == np.floor"),
    "modules": bits("np", "math", "fs[j] == math", "fs[8] == np"),
    "generators": bits("rng", "np.random", "fs[j] == np.random", "fs[8] == rng"),
    "functions of one line": bits(
        "mk(0)", "mk(1)", "fs[j]() == 1", "not fs[8]() == 1", "mk = lambda v: (lambda: 1) if v else (lambda: 0)"
    ),
    "the cells of __init__": shell(
        before="def make():\n    k = 0\n    class C:\n        def __init__(self):\n            nonlocal k\n"
        "            k += 1\n            self.late = k > b * b\n    return C\nC = make()",
        ok="not C().late",
    ),
    "the base of a class": shell(
        before="def make():\n    class A:\n        size = [0]\n    class B(A):\n        def tick(self):\n"
        "            self.size.append(1)\n            return len(self.size)\n    return B()\nx = make()",
        ok="x.tick() < b * b",
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
    "a sum of its own": shell(
        "def sum(xs):\n    ys = list(xs)\n    return -1 if len(ys) > 400 else ys.count(True)",
        ok="sum(t for t in said) >= 0",
    ),
    "two functions of one name": shell(
        "def f():\n    return 1\ng = f\ndef f():\n    return 2", "g.k = 0", each="g.k += g()", ok="g.k < 400", end="f()"
    ),
    "a pool that is turned in a comprehension": """def program(answers, threshold, epsilon, rng):
    rho, pool = rng.laplace(0, 2 / epsilon), rng.laplace(0, 4 / epsilon, 256)
    def noise():
        nonlocal pool
        pool = np.roll(pool, 1)
        return pool[0]
    above = [a + noise() >= threshold + rho for a in answers]
    return above[: above.index(True) + 1] if any(above) else above
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
    "what waits while a round runs": """def program(answers, threshold, epsilon, c, rng):
    rho, said, queue, p, q, last, old = rng.laplace(0, 2 / epsilon), [], [], 0, 0, 0, 0
    for a in answers:
        said.append(a + rng.laplace(0, 4 / epsilon) >= threshold + rho)
        if said[-1]:
            return said
        queue.append(a)
        p = 0 if p == 3 else p + 1
        last = a
        a = 0
    def clear():
        nonlocal p
        old, p = p, 0
        return old
    def second():
        nonlocal q
        for a in queue:
            a = 0
            q = 0 if q == 2 else q + 1
        return q
    if (clear(), second()) == (3, 1):
        said.append(last > threshold)
    return said
""",
    "cells that are shared": bits(
        "pair(False)",
        "pair(True)",
        "bit(j)",
        "not bit(8)",
        "def mk():\n    v = 0\n    def get():\n        return v\n    def put(x):\n        nonlocal v\n        v = x\n"
        "    return get, put\ndef pair(shared):\n    g, p = mk()\n    if not shared:\n        g = mk()[0]\n"
        "    return g, p\ndef bit(j):\n    g, p = fs[j]\n    p(1)\n    r = g()\n    p(0)\n    return r",
    ),
    "which nan it is": bits(
        "n0", "n1", "fs[j] in (n1,)", "fs[8] not in (n1,)", "n0 = np.inf - np.inf\nn1 = np.inf - np.inf"
    ),
    "an imaginary zero": bits(
        "z0",
        "y0",
        "np.sqrt(fs[j]) != z1",
        "np.sqrt(fs[8]) == z1",
        "z0 = np.array([-1 + 0j])[0]\ny0 = np.array([-(1 + 0j)])[0]\nz1 = np.sqrt(z0)",
    ),
    "objects in a row": shell(
        before="class C:\n    def __init__(self):\n        self.k = 0\nx = C()\nrow = [x for a in answers]\nx = 0",
        over="zip(answers, row)",
        each="a, o = a\no.k += 1\nlate = o.k > 400\no = 0",
        ok="not late",
    ),
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
    "what is asked once more at the end": """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, late, i = rng.laplace(0, 2 / epsilon), [], 0, False, 0
    while (late := True) and i < len(answers):
        hit = answers[i] + rng.laplace(0, 4 * c / epsilon) >= threshold + rho
        said.append(hit)
        late = False
        if hit:
            break
        i += 1
    return said[:-1] + [answers[-1] > threshold] if late else said
""",
}


class Counter:
    __module__ = "program"

    def __init__(self, k):
        self.k = k

    def step(self):
        return self.k


def state(value):
    return state_of([{"x": value}], Walk(Fork(), 3, lambda *_: None, {}), True)


def test_states_are_the_same_only_if_nothing_tells_them_apart():
    """Types, last digits, methods with their objects, shared memory, and whether two names are one object."""
    mine, yours, array = Counter(1), Counter(1), np.zeros(3)
    assert state([mine, yours]) != state([mine, mine])
    assert state(mine) == state(yours) != state(Counter(2))
    assert state(mine.step) == state(yours.step) != state(Counter(2).step)
    assert state(1) != state(True) != state(1.0) and state(0.0) != state(-0.0)
    assert state(np.array([1.0])) != state([1.0]) and state(len) != state(len)
    assert state((array, array[1:])) == state((array, array[1:])) != state((array, array[1:].copy()))
    assert state(np.zeros((2, 0))) != state(np.zeros((3, 0)))
    assert state(np.random.default_rng()) != state(np.random.default_rng())


@pytest.mark.parametrize("text", SLIPPED.values(), ids=SLIPPED)
def test_what_once_slipped_through_does_not_again(text):
    assert not taken_for_an_svt(made(text), 3 if "kept =" in text else 1)


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
def test_what_short_runs_do_not_show_is_not_taken_for_an_svt(text, c):
    """A draw of which another was made before; a sum of floats that rounds; a list that is read under a wrong name."""
    assert not taken_for_an_svt(made(text), c)


def test_what_is_set_place_by_place_is_read_at_its_turn_only():
    assert judge(made(BOARD.format(place="i")), c=2).private is True
    before = BOARD.replace("    a = answers[i]", "    a = answers[i] + 0 * out[i]")
    assert "other than element by element" in reason(made(before.format(place="i")))


def test_a_list_of_places_is_counted_and_not_looked_at():
    assert judge(made(PLACES), c=2).private is True
    assert not taken_for_an_svt(made(PLACES.replace("len(places) == c", "sum(places) > 90")), 2)


@pytest.mark.parametrize(
    ("after", "c", "why"),
    [
        ("dry = dry + 1 if found == 1 and not hit else 0\n        if dry == 4: found = 0", 3, "more than 3 times"),
        ("dry = dry + 1 if dry < 40 else 40", 2, "goes on changing with the number of queries (dry)"),
        ("dry = dry + 1 if dry < 2 else 0", 2, None),
    ],
)
def test_all_ways_through_the_states_are_looked_at(after, c, why):
    """A count that is forgotten shows only in runs that are longer than those that were followed."""
    mine = loop(before="dry = 0", after=after, nu="rng.laplace(0, 4 * c / epsilon + 0 * dry)")()
    found = Case(Program(mine, 1.0, c), False).unsteady
    assert found is None if why is None else why in found
    assert judge(mine, c=c).private is (True if why is None else None)


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
    assert "goes on changing" in str(Case(Program(mine(), 1.0, 3), False).unsteady)


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
            out = [*out, above]
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
        (SHOWN, 2, False),
    ],
)
def test_what_is_shown_and_what_is_last_are_looked_at(text, c, proved):
    """A number of another answer than the one compared, a last query without noise."""
    assert taken_for_an_svt(made(text), c) is proved


SYMBOLS = {
    "half floats": loop(before="half = np.exp(False)", each="answer = answer * half"),
    "a small type": loop(each="one = (answer <= answer) // (answer <= answer)", nu=QUIET.format("one * 100 > 0")),
    "small inside bars": lambda: made(
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
    "an iter of its own": lambda: made(
        "def iter(x):\n    return (100 * v for v in x)\n"
        "def program(answers, threshold, epsilon, c, rng):\n"
        "    todo, rho, said = iter(answers), rng.laplace(0, 2 / epsilon), []\n"
        "    while sum(said) < c:\n        q = next(todo, None)\n        if q is None:\n            break\n"
        f"        said.append(q + {NOISE} >= threshold + rho)\n    return said\n"
    ),
    "a class that was changed": lambda: made(
        "class Box:\n    def __init__(self, epsilon, rng):\n        self.rng, self.rho = rng, rng.laplace(0, 2)\n"
        "    def ask(self, answer, threshold):\n"
        "        return bool(answer + self.rng.laplace(0, 4) >= threshold + self.rho)\n"
        "def other(self, answer, threshold):\n    return bool(answer >= threshold)\nBox.ask = other\n",
        "Box",
    ),
}


@pytest.mark.parametrize("mine", SYMBOLS.values(), ids=SYMBOLS)
def test_what_numpy_does_otherwise_than_unknowns_do_is_not_private(mine):
    assert not taken_for_an_svt(mine(), 2) or judge(mine(), c=2).private is not True


def test_small_differences_are_not_lost_in_large_numbers():
    """Where one person changes an answer by 1e-8, it is not rounded away in 2^29."""
    mine = loop(
        each="answer = answer + 2.0**29 - 2.0**29",
        rho="rng.laplace(0, 2 * sensitivity / epsilon)",
        nu="rng.laplace(0, 4 * c * sensitivity / epsilon)",
    )
    assert Case(Program(mine(), 1.0, 1), False).svt is not None
    with pytest.raises(Unreadable, match="rounding would count"):
        Case(Program(mine(), 1.0, 1, 1e-8), False)
