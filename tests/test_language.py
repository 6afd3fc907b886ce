"""The language in which programs are read: its trees are those of `ast`, and what it does is what Python does."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import hostile_programs as hostile
import numpy as np
import pytest
import random_programs
from parts import one_in

from svtcourse.judge.any_length.always import Always, Turns, Watch, _Again, _Covered
from svtcourse.judge.any_length.lanes import Lane
from svtcourse.judge.language.kinds import Raised, Row, Run
from svtcourse.judge.language.mine import Mine, _plain
from svtcourse.judge.language.noise import Generator
from svtcourse.judge.language.outputs import said, value
from svtcourse.judge.language.parsing import Node, NoPython, Refusal, parse
from svtcourse.judge.unknowns.symbols import Unreadable

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"ctx", "type_comment", "type_params", "kind", "returns", "annotation", "simple"}


def assert_same(tree, node, where=""):
    """A node of `ast` and one of ours have the same kind, line and fields."""
    if isinstance(tree, list):
        assert isinstance(node, list) and len(tree) == len(node), where
        for k, pair in enumerate(zip(tree, node, strict=True)):
            assert_same(*pair, f"{where}[{k}]")
    elif isinstance(tree, ast.AST):
        assert isinstance(node, Node) and node.kind == type(tree).__name__, where
        assert not isinstance(tree, ast.stmt) or tree.lineno == node.lineno, where
        if isinstance(tree, ast.JoinedStr):  # what is put into it is not read
            return
        for name in set(tree._fields) - LEFT_OUT:
            assert_same(getattr(tree, name), getattr(node, name, None), f"{where}.{name}")
    else:
        assert type(tree) is type(node) and tree == node, where


def programs():
    """Every program of the lists, with what it is judged for."""
    for name, one in [*hostile.WRONG.items(), *hostile.RIGHT.items()]:
        yield name, one.make(), one.c
    for style in hostile.STYLES:
        yield style.__name__, style(*hostile.ENOUGH["alg1"], True), 2


def texts():
    """The programs, the cells of all chapters, and the project's own code."""
    for name, function, _ in programs():
        yield name, hostile.source_of(function)
    for path in sorted((ROOT / "chapters").rglob("*.ipynb"))[::3]:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for k, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                yield f"{path.stem}, cell {k}", "".join(cell["source"])
    for path in sorted((ROOT / "svtcourse" / "judge").glob("*.py")):
        yield path.stem, path.read_text(encoding="utf-8")


def test_a_tree_is_that_of_ast():
    """On hundreds of texts; what is refused says why."""
    read = 0
    for name, text in texts():
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        try:
            assert_same(tree.body, parse(text).body, name)
            read += 1
        except Refusal as reason:
            assert reason.line
    assert read > 300


@pytest.mark.parametrize("text", ["x = = 1", "if x:\npass", "x = (1", "'a", "def f(:\n    pass", "x y", "1.2.3"])
def test_what_is_no_python_is_refused_with_its_line(text):
    with pytest.raises(NoPython) as found:
        parse("y = 1\n" + text)
    assert found.value.line >= 2 and "not read as Python" in found.value.reason


def told(run):
    """What a run gave, or the kind of the error that it ended with."""
    try:
        return run()
    except Raised as error:
        return error.name
    except Exception as error:
        return type(error).__name__


# Their noise or their verdict hangs on what a seed, a clock or another run left; or they are not read.
OTHERWISE = {
    "np.random.seed", "a coin's sign", "arrays, its own generator and an index", "as_arrays", "as_a_while_loop",
    "a generator of its own, unseeded", "an iterator until None", "sorted answers", "from an iterator", "a clock for a seed", "state between calls",
}  # fmt: skip


@pytest.mark.parametrize("name", one_in(6, [name for name, *_ in programs()]))
def test_a_program_is_read_as_python_runs_it(name):
    """With the same noise, on twelve lists with ties and extremes: the same answers, to the last digits of a sum."""
    _, function, c = next(one for one in programs() if one[0] == name)
    mine, rng, read = Mine(function, 1.0, c), np.random.default_rng(3), 0
    for seed in range(12):
        answers = rng.choice([-100.0, -3.0, 0.0, 0.5, 1.0, 100.0, 101.5], size=seed)

        def python(seed=seed, answers=answers):
            return mine.sample(answers, 0.5, np.random.default_rng(seed))

        def ours(seed=seed, answers=answers):
            run = Run(None, Generator(np.random.default_rng(seed)))
            return said(value(run, mine.asked(run, Row(answers.tolist()), 0.5)), len(answers))

        try:
            found = told(ours)
        except Unreadable:
            continue
        read += 1
        expected = told(python)
        assert name in OTHERWISE or found == expected or np.allclose(
            np.array(found, dtype=float), np.array(expected, dtype=float)
        ), (answers, found, expected)  # fmt: skip
    assert read or name not in hostile.RIGHT or name in OTHERWISE


# Each is calculated by Python and numpy, and by the judge's language, from the list x = [3.0, -1.5, 2.0, 2.0, 0.25].
EXPRESSIONS = """
x[1:3] ; x[::-1] ; x[-1] ; x + 1 ; 2 * x - x / 4 ; -x ; abs(x) ; x > 1 ; x[x > 1] ; ~(x > 1) ; x // 2
x % 2 ; (x > 1) & (x < 3) ; (x > 1) | (x < 0) ; (x > 1) ^ (x < 0) ; x.max() ; x.min() ; x.argmax() ; x.any()
x.all() ; x.nonzero()[0] ; x.tolist() ; x.copy() ; x.astype(float) ; x.size ; x.shape[0] ; x.ndim
len(x) ; list(x) ; tuple(x) ; max(x) ; min(x) ; any(x) ; all(x) ; max(1, 2.5)
[a * 2 for a in x if a > 0] ; [a + b for a in x[:2] for b in x[2:]] ; any(a > 2 for a in x)
all(a > 2 for a in x) ; len([a for a in x if a > 0])
list(range(1, 9, 3)) ; int(2.7) ; float(3) ; bool(0) ; 7 // 2 ; -7 % 3 ; 2 ** 3
2.0 ** 0.5 ; 6 & 3 ; 6 | 3 ; 6 ^ 3 ; np.abs(x) ; np.sign(x) ; np.sqrt(abs(x)) ; np.exp(x) ; np.log(abs(x))
np.maximum(x, 1.0) ; np.minimum(x, x[::-1]) ; np.where(x > 1, x, 0.0) ; np.where(x > 1)[0]
np.flatnonzero(x > 1) ; np.count_nonzero(x > 1) ; np.argmax(x)
np.any(x > 2) ; np.all(x > 2) ; np.arange(4) ; np.zeros(3)
np.ones(2, dtype=bool) ; np.full(2, 4.0) ; np.array([1, 2.5]) ; np.asarray(x)
np.logical_and(x > 1, x < 3) ; np.logical_or(x > 1, x < 0) ; np.logical_not(x > 1) ; np.greater(x, 1)
np.less_equal(x, 1) ; np.inf > 1 ; np.pi ; np.max(x) ; "ab" + "c" ; "ab" * 2 ; "a" in "cat" ; "aab".count("a")
[1, 2] + [3] ; [0] * 3 ; (1, 2) + (3,) ; (1,) * 2 ; [1, 2] == [1, 2] ; [1] == [2, 3]
None is None ; 3 in [1, 2] ; 2 in x ; 1 < 2 <= 2 ; 1 < 0 < 2 ; 0 or 5 ; 1 and 0 ; not 3 ; 4 if x[0] > 1 else 5
(lambda a, b=2: a + b)(1) ; [3, 1].index(1) ; (3, 1).count(3) ; 5 - True
len("abc") ; [i for i, _ in enumerate(x) if i % 2] ; "x" == 3 ; None != 0 ; -x[0] ; +2 ; 1e3 ; x.tolist().count(2.0)
"""
PROGRAMS = {
    "loops": "n = 0\n    for a in x:\n        if a < 0: continue\n        n += 1\n        if n == 3: break\n    else: n = 9\n"
    "    while n < 8:\n        n += 2\n    else: n += 1\n    return [n]",
    "closures": "k = 0\n    def step(by=1):\n        nonlocal k\n        k += by\n        return k\n    step(); step(by=4)\n"
    "    return [k, step(2)]",
    "classes": "class A:\n        k = 2\n        def __init__(self, n): self.n = n\n        def f(self): return self.n * self.k\n"
    "    b = A(3)\n    b.n += 1\n    return [A(5).f(), b.f(), b.k]",
    "places": "a = [1, 2, 3]\n    a[0] = 9\n    a[1] += 5\n    b = np.zeros(3)\n    b[2] = 4.0\n    b[0] += 1\n"
    "    (p, q), r = (1, 2), 3\n    a.extend([1]); a.pop(0)\n    c = a.copy(); c += [5]; c = c * 2\n    return [a, c, b, p + q + r]",
    "imports": "import math\n    import numpy as n\n    from math import sqrt\n    assert sqrt(4) == 2\n    k: int = 3\n"
    "    return [math.exp(0), n.sqrt(4.0), k, math.floor(2.7), math.ceil(-0.5)]",
}  # fmt: skip


def calculated(body):
    """What a body gives in Python, and in the judge's language."""
    function = hostile.made(f"def program(answers, threshold):\n    x = answers\n    {body}\n")
    data = np.array([3.0, -1.5, 2.0, 2.0, 0.25])
    run = Run(None, Generator())
    ours = value(run, Mine(function, 1.0).asked(run, Row(data.tolist()), 0.5))
    return _plain(function(data, 0.5)), ours


@pytest.mark.parametrize(
    "text", [one.strip() for line in EXPRESSIONS.split("\n") for one in line.split(";") if one.strip()]
)
def test_an_expression_is_what_it_is_in_python(text):
    expected, ours = calculated(f"return [{text}]")
    assert ours == expected and repr(ours) == repr(expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_statements_do_what_they_do_in_python(name):
    expected, ours = calculated(PROGRAMS[name])
    assert ours == expected


@pytest.mark.parametrize("seed", [*range(3), *[pytest.param(k, marks=pytest.mark.full) for k in range(3, 30)]])
@pytest.mark.filterwarnings("ignore")
def test_what_is_made_at_random_is_what_it_is_in_python(seed):
    """Whatever is read and no error: the value and its kind, whole number, truth or other, save in sums of nothing."""
    read = 0
    for body in random_programs.bodies(seed, 1_200):
        try:
            expected, ours = calculated(body)
        except (SyntaxError, Unreadable, ValueError, TypeError, AttributeError, LookupError, Raised):
            continue
        read += 1
        told = [repr(one).replace("-0.0", "0.0") for one in (ours, expected)]
        assert told[0] == told[1] or ("sum" in body and ours == expected), body
    assert read > 150


def plain(x):
    """A value that one run gives, None where it stands for several."""
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    if isinstance(x, tuple) and all(isinstance(y, (bool, int, float, str)) for y in x):
        return x
    raise LookupError


def outcomes(function):
    """All that a function may give on a list of which the length is not known; None where that is not read."""
    some = SimpleNamespace(stops=True, c=9, some=False, release="indicator", counted=())
    mine, shared = Mine(function, 1.0), Always(some, 1)
    if mine.unread is not None:
        return None
    for _ in range(12):
        shared.states, shared.values, plan, found = set(), {}, [], set()
        try:
            for _ in range(300):
                fork = Watch(plan, some, 1)
                run = Run(fork, Generator())
                run.always = Turns(shared, run, fork)
                try:
                    found.add(repr(plain(mine.asked(run, Lane.answers(run.always, object()), fork.variable(("T",))))))
                except Raised as error:
                    found.add(error.name)
                except _Covered:
                    pass
                while fork.taken and fork.taken[-1]:
                    fork.taken.pop()
                if not fork.taken:
                    return found
                plan = [*fork.taken[:-1], True]
            return None
        except _Again:
            continue
        except (Unreadable, LookupError):
            return None
    return None


@pytest.mark.parametrize("seed", [0, *[pytest.param(k, marks=pytest.mark.full) for k in range(1, 12)]])
@pytest.mark.filterwarnings("ignore")
def test_of_a_list_of_unknown_length_no_outcome_is_forgotten(seed):
    """What Python gives for lists of some lengths is among what is followed."""
    read = 0
    for text in random_programs.endless(seed, 2_500):
        try:
            function = hostile.made(f"def program(answers, threshold):\n    return {text}\n")
        except SyntaxError:
            continue
        found = outcomes(function)
        for n in (0, 1, 2, 3, 5) if found is not None else ():
            try:
                given = _plain(function(np.linspace(-1, 1, n), 0.0))
            except Exception:
                continue
            read += 1
            assert repr(given) in found, (text, n)
    assert read > 200


REFUSED = """
x.sort() ; x @ x ; x.dtype ; int(a) ; round(a) ; str(a) ; a ** 2 ; 1 / a ; a % 2 ; a * a ; bool(a) ; np.sqrt(a) ; np.log(a) ; x is x
isinstance(a, float) ; [1] + (2,) ; True + True ; -True ; 1 / 0 ; 2 ** -1 ; x + x[:1] ; np.array([True, 1.0]) ; [1][x]
np.zeros((2, 2)) ; np.random.seed(a) ; np.random.default_rng(a) ; open("x") ; a.terms ; "x" + 1 ; np.empty(2)[0] > 1 ; {a: 1}[0]
np.clip(x, a, 1) ; sorted(x, key=abs) ; sum([0.1, 0.2, -0.3]) ; np.searchsorted([2, 1], 1) ; (lambda **k: 1)() ; f"{a}" ; 1j ; b"x"
np.inf - np.inf ; range(a) ; [0] * a ; x[a] ; len(a) ; iter(a) ; next(x) ; max([]) ; a() ; program.k ; x.__class__ ; [1] < [2]
"""


@pytest.mark.parametrize(
    "text", [one.strip() for line in REFUSED.split("\n") for one in line.split(";") if one.strip()]
)
def test_what_is_not_known_of_an_unknown_is_not_read(text):
    """Or it is no list of answers, or ends with an error: never a run that goes on as if it were known."""
    function = hostile.made(
        f"def program(answers, threshold):\n    x, a = answers, answers[0]\n    return [{text}, True]\n"
    )
    with pytest.raises((Unreadable, ValueError)):
        mine = Mine(function, 1.0)
        if mine.unread is not None:
            raise mine.unread
        mine.grown(2)


ODD = """
len(q) ** 2 ; len(q) / 0 ; q[0.5] ; q.max() ; q.mean() ; sum(q) ; q == q ; above.sum() + 1 ; hits[-1] ; hits[0] * 2 ; above[1:]
np.diff(q) ; q.dtype ; above.index(False) ; q[: len(q) - 1] is None ; len(q) < None ; min(q) ; np.zeros(len(q)) + 1
np.full(len(q), q) ; list(above)[0] + 1 ; len(hits) + len(q) ; (len(q), q)[1] ; q.argmin() ; range(len(q))[0]
len(y) + 1 ; len(y) > len(q) ; len(y) == 0 ; len(y) < None ; y[5] ; y[-1] ; y[:1] ; y + [1] ; y * 2 ; y == [True] ; y < [1] ; y.index(True)
y.pop() ; y.count("a") ; y.count(True) ; sum(y) ; any(y) ; sorted(y) ; tuple(y) + (1,) ; np.array(y) + y ; y.sort()
t + "a" ; t * 2 ; "a" in t ; "ab" in t ; t.count("a") ; t == "a" ; t + y ; t.upper() ; list(t) ; b[0] ; b[:2] ; b + [1] ; len(b) ; b.sum()
b.copy() ; b == b ; -len(q) ; len(q) > 5 ; len(q) == "a" ; len(q) + len(q) ; 2 * len(q) ; len(q) % 3 ; 3 % len(q) ; [1] * len(q) ; [q] * len(q)
q[3] ; q[len(q)] ; q[True] ; q[:5] ; abs(above) ; -above ; ~q ; above & above ; above | above ; np.where(above, 1, 0) ; above.count(True)
list(map(abs, q)) ; next(iter(q)) ; [a for a in q if a > 0] ; all(a > 0 for a in q) ; above.cumsum()[0]
np.maximum(q, 0) ; np.clip(q, 0, 1) ; np.sort(q) ; sorted(q) ; q.tolist() ; np.array(q, dtype=int) ; q.shape[0] ; q.ndim ; above.nonzero()[0].size
rng.laplace(0, q) ; rng.laplace(q, 1.0) ; rng.laplace(0, 1, len(q) + 1) ; rng.laplace(0, len(q)) ; above[hits[0]] ; q[: hits[0]] ; above[: hits[0] + 2]
"""


@pytest.mark.parametrize(
    "text", one_in(3, [one.strip() for line in ODD.split("\n") for one in line.split(";") if one.strip()])
)
def test_what_is_odd_of_a_list_of_any_length_is_not_shown(text):
    """Where only long lists meet it: either it is not read, or what every run may know."""
    function = hostile.made(
        "def program(q, T, epsilon, c, rng):\n"
        "    above = q + rng.laplace(0, 4 * c / epsilon, len(q)) >= T + rng.laplace(0, 2 / epsilon)\n"
        "    hits = np.flatnonzero(above)\n"
        "    if len(q) > 20_000:\n        y, t, b = [True], '', np.zeros(len(q), dtype=bool)\n        y.append(False); t += 'b'\n"
        f"        return [{text}]\n"
        "    return above[: hits[c - 1] + 1] if hits.size >= c else above\n"
    )
    from svtcourse.judge.case import Case

    assert "SVT" not in str(Case(Mine(function, 1.0), False).unsteady or "")
