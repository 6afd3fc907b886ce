"""Random expressions and statements about numbers, lists and arrays, for the language of the judge."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

BASES = """
np.array([3, 1]) ; np.array([3]) ; np.array([True, False]) ; np.array([True]) ; np.array([2.5, -1.0])
np.array([1, 2.5]) ; [3, 1] ; [True] ; (1, 2) ; [2.5, 1] ; x ; x[:2] ; np.arange(3) ; np.zeros(2)
np.ones(1, dtype=int) ; np.full(2, 3) ; np.full(1, True) ; np.zeros(2, dtype=bool) ; [] ; range(3) ; "aab" ; 2
2.5 ; True ; -1 ; 0 ; None ; x[0] ; np.array([0, 0]) ; np.array(3) ; [[1, 2], [3]] ; {1: 2}
"""
ONE = """
-A ; +A ; abs(A) ; ~A ; not A ; A[0] ; A[-1] ; A[::-1] ; A[:1] ; A[1:] ; A[-2:] ; A.sum() ; A.max() ; A.min()
A.cumsum() ; A.tolist() ; A.copy() ; A.astype(float) ; A.astype(int) ; A.astype(bool) ; np.sort(A)
np.sign(A) ; np.abs(A) ; np.cumsum(A) ; np.where(A, A, 0) ; np.where(A, 1, 2.5) ; np.where(A)[0]
np.flatnonzero(A) ; np.zeros_like(A) ; np.clip(A, 0, 2) ; np.clip(A, 0.5, 2) ; sum(A) ; max(A) ; min(A)
len(A) ; list(A) ; tuple(A) ; sorted(A) ; np.logical_not(A) ; np.maximum(A, 1) ; np.minimum(A, 1.5)
A.argmax() ; any(A) ; all(A) ; A.size ; np.any(A) ; A.shape ; A.ndim ; np.max(A) ; np.array(A) ; np.asarray(A)
np.array(A, dtype=float) ; int(A) ; list(enumerate(A)) ; [a for a in A if a] ; [a + 1 for a in A] ; float(A)
bool(A) ; A * 2 ; A + [1] ; list(map(abs, A)) ; list(zip(A, A)) ; A.nonzero()[0] ; np.count_nonzero(A)
A.count(1) ; A.index(1) ; np.sqrt(A) ; np.exp(A) ; next(iter(A)) ; A[True] ; A[[0]] ; A[A > 1]
A[np.array([0])] ; np.float64(A) ; np.bool_(A) ; np.logical_and(A, True) ; range(A) ; [0] * A ; 1 in A
True in A ; 2.5 in A
"""
TWO = """
A + B ; A - B ; A * B ; A / B ; A // B ; A % B ; A ** B ; A & B ; A | B ; A ^ B ; A < B ; A <= B ; A == B
A != B ; A > B ; A and B ; A or B ; A if B else 0 ; np.maximum(A, B) ; np.minimum(A, B) ; np.logical_or(A, B)
np.where(A > B, A, B) ; [A, B] ; (A, B) ; A in [B] ; np.array([A, B]) ; np.searchsorted(A, B) ; max(A, B)
min(A, B) ; A < B < 3 ; list(zip(A, B)) ; [*A, B] ; A[B] ; A[:B] ; A[B:] ; np.full(A, B) ; np.clip(A, B, 3)
[A] * B ; sum(A, B)
"""
NAMED = ["r", "r.copy()", "r[:]", "list(r)", "np.asarray(r)", "np.asarray(r, dtype=float)", "0"]
VALUES = ["2.5", "1", "True", "-1", "x[0]", "[1]", "np.array([1, 2])"]
CHANGES = """
T[0] = V ; T += V ; T -= V ; T *= V ; T[0] += V ; T[-1] = V ; T /= V ; T //= V ; T |= V ; T[:1] = V
T.append(V) ; T.extend(V) ; T.pop() ; T[V] = 1
"""


ENDLESS = """
answers ; answers.tolist() ; len(answers) ; range(len(answers)) ; np.zeros(len(answers)) ; [0] * len(answers)
[True] * len(answers) ; enumerate(answers) ; zip(answers, answers) ; (False for a in answers)
[False for a in answers] ; [True for a in answers] ; [1 for a in answers] ; [0.5 for a in answers]
np.zeros(len(answers), dtype=bool) ; np.full(len(answers), True) ; iter(answers) ; map(lambda a: False, answers)
map(lambda a: True, answers) ; np.arange(len(answers)) ; [None] * len(answers) ; np.array([False for a in answers])
np.array([1 for a in answers]) ; (i for i, a in enumerate(answers)) ; tuple(answers) ; ["" for a in answers]
[None for a in answers] ; ["F" for a in answers] ; answers[:2] ; answers[1:] ; answers == answers ; answers.copy()
np.flatnonzero(answers == answers) ; np.zeros_like(answers) ; [a for a in answers] ; [*answers]
[(0, 1) for a in answers] ; np.where(answers == answers, 1, 2) ; np.clip(answers, 0, 1) ; sorted(answers)
[len(answers)] ; (len(answers), 0) ; [len(answers), None] ; [np.zeros(2) for a in answers] ; True ; 0 ; 2 ; [True]
[0, 1] ; [0, "1"] ; ["", 0] ; [(0, 0)] ; [x for x in zip(answers, answers)] ; [[1, 2], [3, 4]] ; [0.5, 1.7]
np.array([3]) ; None
"""
OF_ENDLESS = """
np.array(A, dtype=int) ; np.array(A, dtype=bool) ; np.all(A) ; np.sum(A) > 0 ; np.any(a for a in A)
any(a for a in A) ; np.array(A).any() ; np.array(A).all() ; np.array(A).sum() > 0 ; np.array(list(A)) ; A.pop()
next(iter(A), 7) ; A.count(True) ; True in A ; 1 in A ; None in A ; sum(A) > 0 ; sum(A) < 0 ; sum(A) == 2
len(A) > 0 ; len(A) == len(answers) ; np.count_nonzero(A) > 1 ; 1 if A else 2 ; A is None ; A == 1 ; A.argmax() > 0
np.argmax(A) == 0 ; A[len(answers) - 1] ; len(np.shape(A)) ; len(A.shape) ; len(np.flatnonzero(A)) > 0
[x for x in A if x] ; [int(x) for x in A] ; [bool(x) for x in A] ; [x == 0 for x in A] ; A in [1]
len(np.logical_and(A, True).shape) ; np.ones_like(A).sum() == 4 ; A in (None, 1) ; A or 3 ; A and 3
len(A[0] + A[1])
"""


def _expressions(rng: random.Random, bases: list[str], ones: list[str], share: float) -> Callable[[int], str]:
    """Makes expressions of a depth: this share of them are bases or have one part, the others two."""
    twos = of(TWO)

    def expression(depth: int) -> str:
        kind = rng.random()
        if not depth or kind < 0.15:
            return rng.choice(bases)
        if kind < share:
            return rng.choice(ones).replace("A", f"({expression(depth - 1)})")
        both = rng.choice(twos).replace("A", f"({expression(depth - 1)})")
        return both.replace("B", f"({expression(depth - 1)})")

    return expression


def endless(seed: int, count: int) -> Iterator[str]:
    """Expressions about a list of answers, and others, of which the length is not known."""
    rng = random.Random(seed)
    expression = _expressions(rng, of(ENDLESS), of(ONE) + 2 * of(OF_ENDLESS), 0.85)

    for _ in range(count):
        yield expression(rng.choice([1, 1, 2, 2, 3]))


def of(text: str) -> list[str]:
    """The parts of a table."""
    return [one.strip() for line in text.split("\n") for one in line.split(";") if one.strip()]


def bodies(seed: int, count: int) -> Iterator[str]:
    """Bodies of a function that has a list x of numbers: an expression, or a thing under two names that is changed."""
    rng = random.Random(seed)
    changes = of(CHANGES)
    expression = _expressions(rng, of(BASES), of(ONE), 0.65)

    for _ in range(count):
        if rng.random() < 0.5:
            yield f"return [{expression(rng.choice([1, 2, 2, 3]))}]"
            continue
        lines = [f"r = {expression(rng.choice([1, 2]))}", f"s = {rng.choice(NAMED)}"]
        for _ in range(rng.choice([0, 1, 1, 2])):
            change = rng.choice(changes).replace("T", rng.choice("rrrs"))
            lines.append(change.replace("V", rng.choice([*VALUES, expression(1)])))
        yield "\n    ".join([*lines, "return [r, s]"])


RARE = """
q ; q ; q ; k ; count ; out ; answers ; marks ; flags ; lst ; n ; i ; threshold ; rho ; first ; rng ; epsilon
0 ; 1 ; -1 ; True ; None ; 0.5 ; [] ; (1, 2) ; [0.5, 1.5]
"""
OF_RARE = """
A.index(B) ; A.count(B) ; A.pop(B) ; A.append(B) ; A.extend(B) ; A[::B] ; range(A, B) ; np.arange(A, B) ; A in B
[x for x in A if B] ; [B for x in A] ; [x * B for x in A] ; sum(B for x in A) ; any(x == B for x in A) ; zip(A, B)
rng.laplace(A, B) ; rng.laplace(0, 1, A) ; rng.laplace(0, A, B) ; rng.exponential(A) ; enumerate(A, B) ; A.astype(B)
next((x for x in A if B), 7) ; [x for x in A][B] ; (lambda x: x + B)(A) ; np.where(A, B, 0) ; np.zeros_like(A, dtype=B)
[rng.laplace(0, B) for x in A] ; [1 // int(x < B) for x in A] ; A if B else q ; A[B : len(out)] ; max(A, B) ; A.item()
"""
STATEMENTS = """
return [E] ; return E ; v = E ; v = E | return v ; v = E | return [len(v)]
for v in E: | _count += 1 | return [count]
out[E] = E | return out ; flags[E] = E | return flags ; if E: | _return [] ; out += [E] | return [len(out)]
while E: | _return out ; def f(x=E): | _return x | return [f()] ; class K: | _v = E | return [K.v]
a, b = E | return [b] ; try: | _v = E | except ValueError: | _return []
def f(): | _return E | return f() ; v = lambda: E | return [v()]
v = [q] | v.append(E) | return [len(v)]
"""


def at_a_rare_place(seed: int, count: int) -> Iterator[list[str]]:
    """Lines with an answer q, and what else a program holds where one order of outcomes in many thousands brings it."""
    rng = random.Random(seed)
    expression = _expressions(rng, of(RARE), of(ONE) + 2 * of(OF_RARE), 0.85)

    def made(found: re.Match[str]) -> str:
        return f"({expression(rng.choice([1, 1, 2]))})".replace("B", rng.choice(["q", "q", "out", "k", "2"]))

    for _ in range(count):
        lines = [re.sub(r"\bE\b", made, line.strip()) for line in rng.choice(of(STATEMENTS)).split("|")]
        yield [line.replace("_", "    ", 1) if line.startswith("_") else line for line in lines]
