"""Two neighbours and an output by which a program that is no SVT gives them away, exactly.

An output comes of one or more paths of the program's tree.  Whether it can come at all is linear arithmetic; how
likely it is, `chance` says.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from svtcourse.judge.convict.chance import Beyond, log_chance, projected, violated
from svtcourse.judge.unknowns.ratio import Ratio, beside
from svtcourse.judge.unknowns.symbols import Path
from svtcourse.judge.unknowns.tree import shape

__all__ = ["FAR", "Leak", "by_shape", "impossible", "losses"]

Row = dict[Any, Ratio]  # answers and their factors
Array = npt.NDArray[Any]
_MOST_PATHS, _MOST_QUESTIONS = 40, 300
_DENSE, _MOST_TERMS = 20, 2_000  # unknowns of a comparison, and of all: of more the draws are shared by too many
FAR, _FAR_APART = 1e9, 1e5  # where an answer is certain; by how much some differ


@dataclass(frozen=True)
class Leak:
    """Answers on both datasets, an output, and the logarithm of its probability on each (threshold 0)."""

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    output: Any
    log_probability: float
    log_probability_on_neighbour: float
    confidence: float | None = None  # None where both are exact
    path: Path | None = None  # one that gives the output

    @property
    def loss(self) -> float:
        """Their difference."""
        return self.log_probability - self.log_probability_on_neighbour

    def turned(self) -> Leak:
        """The same seen from the neighbour."""
        logs = self.log_probability_on_neighbour, self.log_probability
        return Leak(self.neighbour, self.answers, self.output, *logs, path=self.path)


def by_shape(paths: Sequence[Path]) -> dict[Any, list[Path]]:
    """The paths of each output as it is seen: a number does not say of what it was made."""
    found: dict[Any, list[Path]] = {}
    for path in paths:
        found.setdefault(shape(path.output), []).append(path)
    return found


# Outputs that the neighbour cannot give ----------------------------------------------------------------------------


def impossible(
    paths: list[Path], n: int, sensitivity: float, monotonic: bool
) -> Iterator[tuple[tuple[float, ...], tuple[float, ...], list[Path]]]:
    """Neighbours and the paths of an output that the first can give, with room to spare, and the second cannot."""
    import z3

    ways = [d for d in itertools.product((1, -1, 0), repeat=n) if any(d)]
    if monotonic:
        ways = [d for d in ways if len({x for x in d if x}) == 1]
    delta, calls = Ratio.of(sensitivity), 0
    context = z3.Context()  # of its own: which model is found does not hang on what was asked before
    answers = [z3.Real(f"a{i}", context) for i in range(n)]

    def value(row: Row, constant: Ratio, shift: Sequence[int]) -> Any:
        total = z3.RealVal(str(constant), context)
        for v, f in row.items():
            moved = answers[v[1]] + z3.RealVal(str(shift[v[1]] * delta), context)
            total += z3.RealVal(str(f), context) * moved
        return total

    for members in by_shape(paths).values():
        conditions = [projected(path) for path in members]
        if len(members) > _MOST_PATHS or any(c is None for c in conditions) or any(not c for c in conditions):
            continue
        for shift in ways:
            if calls > _MOST_QUESTIONS:
                return
            calls += 1
            solver = z3.Solver(ctx=context)
            solver.set("rlimit", 5_000_000)
            for c in conditions:
                assert c is not None
                fails = []
                for row, constant, strict in c:
                    moved = value(row, constant, shift)
                    fails.append(moved <= 0 if strict else moved < 0)
                solver.add(z3.Or(fails))
            for a in answers:
                solver.add(a <= 10**6, a >= -(10**6))
            here = [[(value(row, constant, (0,) * n), strict) for row, constant, strict in c] for c in conditions if c]
            edge = z3.Or([z3.And([x > 0 if strict else x >= 0 for x, strict in c]) for c in here])
            roomy = [
                z3.Or([z3.And([x >= z3.RealVal(str(room * delta), context) for x, _ in c]) for c in here])
                for room in (2, 1, Ratio(1, 4))
            ]
            if any(solver.check(where) == z3.sat for where in (*roomy, edge)):  # the likelier, the more room
                model = solver.model()
                found = tuple(float(_fraction(model.eval(a, model_completion=True))) for a in answers)
                moved = tuple(beside(x, d * sensitivity) for x, d in zip(found, shift, strict=True))
                if all(violated(rows, [Ratio.of(x) for x in moved]) for rows in conditions):
                    yield found, moved, members
                    break


def _fraction(value: Any) -> Ratio:
    return Ratio(value.numerator_as_long(), value.denominator_as_long())


# Losses ------------------------------------------------------------------------------------------------------------


def _stands(rows: Array, signs: Array, way: Array) -> tuple[Array, Array]:
    """Answers by which comparisons stand on the wrong side, and those that move to it are far on the right one."""
    hurt = (rows @ way) * signs >= 0
    targets = np.where(hurt, signs, 0.0), np.where(hurt, 0.0, -_FAR_APART * signs)
    here, there = (np.linalg.lstsq(rows, target, rcond=None)[0].round(9) for target in targets)
    return here, there


def losses(
    members: list[Path], n: int, sensitivity: float, monotonic: bool, heights: Sequence[float]
) -> Iterator[Leak]:
    """Losses of one output on pairs whose answers stand on the wrong side of the threshold and move against it."""
    wanted: dict[tuple[tuple[int, float], ...], bool] = {}
    for (terms, _), _, above in members[0].literals:
        row: dict[int, float] = {}
        for variable, factor in terms:
            if variable[0] == "a":
                row[variable[1]] = row.get(variable[1], 0.0) + float(factor)
        held = tuple(sorted((i, f) for i, f in row.items() if f))
        if held and any(variable[0] == "z" for variable, _ in terms):
            wanted.setdefault(held, above)
    unknowns = sum(len(key[0]) for key, _, _ in members[0].literals)
    if not wanted or len(members) > _MOST_PATHS or unknowns > max(_DENSE * len(members[0].literals), _MOST_TERMS):
        return
    signs = {held: -1.0 if above else 1.0 for held, above in wanted.items()}
    alone = len({held[0][0] for held in signs}) == sum(map(len, signs))  # each answer in one comparison, and alone
    unit, against = np.zeros(n), np.zeros(n)
    for held, sign in signs.items():
        for i, f in held:
            unit[i] = sign / f
            against[i] += sign * f
    against = np.sign(against.round(9))
    ways = [against] if not monotonic else [np.maximum(against, 0.0), np.minimum(against, 0.0)]
    units = [(way, unit, np.zeros(n)) for way in ways]
    if not alone:
        turns = [] if monotonic else [(-1.0) ** np.arange(n), -((-1.0) ** np.arange(n))]  # what moves differences most
        rows = np.array([[dict(held).get(i, 0.0) for i in range(n)] for held in signs])
        units = [(way, *_stands(rows, np.array(list(signs.values())), way)) for way in (*ways, *turns)]
    nears = [2, 12, n] if alone and n > 12 else [n]  # of many only the last few, the others far on their side
    for near, height, (way, unit, certain) in itertools.product(nears, heights, units):
        answers = height * unit + certain + 0.0
        answers[: n - near] = -FAR * np.sign(unit[: n - near])
        step = way.copy()
        step[: n - near] = 0.0  # what is certain stays: floats there do not hold the sensitivity
        moved = np.array([beside(float(x), float(sensitivity * d)) for x, d in zip(answers, step, strict=True)])
        try:
            here, there = log_chance(members, answers.tolist()), log_chance(members, moved.tolist())
        except Beyond:
            return
        if here > -math.inf or there > -math.inf:
            pair = tuple(answers.tolist()), tuple(moved.tolist())
            yield Leak(*pair, members[0].output, here, there, path=members[0])
