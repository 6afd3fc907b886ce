"""Two neighbours and an output by which a program that is no SVT gives them away, exactly.

An output comes of one or more paths of the program's tree.  Whether it can come at all is linear arithmetic; how
likely it is, given one draw that several comparisons share, is a product of distribution functions.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from svtcourse.judge.convict.chance import projected, violated
from svtcourse.judge.language.program import LONG
from svtcourse.judge.language.replay import FAMILIES
from svtcourse.judge.unknowns.ratio import Ratio, beside
from svtcourse.judge.unknowns.symbols import Path
from svtcourse.judge.unknowns.tree import shape
from svtlib.exact.quadrature import ladders, quadrature

if TYPE_CHECKING:
    from svtcourse.judge.unknowns.symbols import Law

__all__ = ["FAR", "Leak", "by_shape", "impossible", "log_probability", "losses"]

Row = dict[Any, Ratio]  # answers and their factors
_CERTAIN = 400  # scales beyond which a comparison is taken as known: its other side has less than e^-400
_MOST_PATHS, _MOST_QUESTIONS = 40, 300
_MOST_WORK = 10_000  # comparisons that are not alike, times the places where one of them turns
_DENSE, _MOST_TERMS = 20, 2_000  # unknowns of a comparison, and of all: of more the draws are shared by too many
FAR = 1e9  # where an answer is certain


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


def _numeric(path: Path, answers: Sequence[Ratio]) -> list[tuple[dict[int, Ratio], Ratio, bool]] | None:
    """The comparisons of a path for given answers and threshold 0: draws, a number, and whether they are at least 0."""
    found = []
    for (terms, constant), strict, above in path.literals:
        draws: dict[int, Ratio] = {}
        total = constant
        for variable, factor in terms:
            if variable[0] == "a":
                total += factor * answers[variable[1]]
            elif variable[0] == "z":
                draws[variable[1]] = draws.get(variable[1], Ratio(0)) + factor
            elif variable[0] == "|":
                raise NotImplementedError  # absolute values are left to runs
        if not draws:
            if ((total > 0) if strict else (total >= 0)) is not above:
                return None
            continue
        found.append((draws, total, above))
    return found


def log_probability(paths: Sequence[Path], answers: Sequence[float | Ratio]) -> float:
    """Log of the probability that the run is one of these paths, at threshold 0.

    Raises
    ------
    NotImplementedError
        If more than one draw is shared among comparisons that hang together, some stand in absolute values, or too
        many are not alike.
    """
    exact = [Ratio.of(answer) for answer in answers]
    logs = [_log_path(path, exact) for path in paths]
    top = max(logs)
    return top if top == -math.inf else top + math.log(sum(math.exp(x - top) for x in logs))


def _log_path(path: Path, answers: Sequence[Ratio]) -> float:
    comparisons = _numeric(path, answers)
    if comparisons is None:
        return -math.inf
    live = []
    for draws, total, above in comparisons:
        room = _CERTAIN * sum(path.laws[k][1] * abs(f) for k, f in draws.items())
        if abs(total) <= room or (total > 0) is not above:
            live.append((draws, total, above))
    result = 0.0
    for part in _together(live):
        result += _log_part(part, path.laws)
        if result == -math.inf:
            break
    return result


def _together(comparisons: list[Any]) -> list[list[Any]]:
    """Comparisons that have a draw in common, directly or through others."""
    group_of: dict[int, list[Any]] = {}  # the group of each draw
    for one in comparisons:
        touched = sorted({id(group_of[k]): group_of[k] for k in one[0] if k in group_of}.values(), key=len)
        group = touched.pop() if touched else []
        for other in touched:
            group += other
            group_of.update((k, group) for member in other for k in member[0])
        group.append(one)
        group_of.update((k, group) for k in one[0])
    return list({id(group): group for group in group_of.values()}.values())


def _log_part(part: list[Any], laws: list[Law]) -> float:
    often = Counter(k for one in part for k in one[0])
    outers: list[int | None] = [None] if len(often) == 1 else []
    outers += sorted(sorted(often), key=lambda k: -often[k])[:4]
    for outer in outers:
        if all(len(one[0].keys() - {outer}) <= 1 for one in part):
            return _integral(part, outer, laws)
    raise NotImplementedError


class _Uniform:
    """Uniform between 0 and `scale`: no noise of an SVT, as its support ends, but some programs draw it."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def _log(self, x: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(np.clip(np.asarray(x, dtype=float) / self.scale, 0.0, 1.0))

    def logcdf(self, x: Any) -> Any:
        """Log of the probability of at most x."""
        return self._log(x)

    def logsf(self, x: Any) -> Any:
        """Log of the probability of more than x."""
        return self._log(self.scale - np.asarray(x, dtype=float))

    def logpdf(self, x: Any) -> Any:
        """Log of the density."""
        inside = (np.asarray(x) >= 0) & (np.asarray(x) <= self.scale)
        return np.where(inside, -math.log(self.scale), -np.inf)


_FAMILIES: dict[str, Any] = {**FAMILIES, "uniform": _Uniform}


def _noise(law: Law) -> Any:
    return _FAMILIES[law[0]](float(law[1]))


def _integral(part: list[Any], outer: int | None, laws: list[Law]) -> float:
    """The probability of all comparisons, over the draw `outer`; given it, the other draws lie in intervals."""
    by_draw: dict[int | None, list[tuple[float, float, bool, float]]] = {}
    for draws, total, above in part:
        own = next((k for k in draws if k != outer), None)
        by_draw.setdefault(own, []).append(
            (
                float(draws.get(outer, 0)) if outer is not None else 0.0,
                float(total),
                above,
                float(draws[own]) if own is not None else 0.0,
            )
        )
    low, high = -math.inf, math.inf  # of the outer draw
    for slope, total, above, _ in by_draw.pop(None, []):
        edge = -total / slope
        if above is (slope > 0):
            low = max(low, edge)
        else:
            high = min(high, edge)
    if outer is None:
        at = np.zeros(1)
        alone = [(_edges(rules, at), laws[own]) for own, rules in by_draw.items() if own is not None]
        return float(sum(_log_interval(*edges, _noise(law))[0] for edges, law in alone))
    law = _noise(laws[outer])
    if laws[outer][0] in ("exponential", "uniform"):
        low = max(low, 0.0)
    if laws[outer][0] == "uniform":
        high = min(high, float(laws[outer][1]))
    scale = float(laws[outer][1])
    widest = max([scale, *(abs(float(laws[k][1])) for k in by_draw if k is not None)])
    kinks = {0.0} | {-t / s for rules in by_draw.values() for s, t, _, _ in rules if s}
    for rules in by_draw.values():  # where an interval closes
        for (s1, t1, _, w1), (s2, t2, _, w2) in itertools.combinations(rules[:40], 2):
            if s1 / w1 != s2 / w2:
                kinks.add((t1 / w1 - t2 / w2) / (s2 / w2 - s1 / w1))
    start = max(low, min(kinks) - 60 * widest)
    stop = min(high, max(kinks) + 60 * widest)
    if not start < stop:
        return -math.inf
    inner = sorted(k for k in kinks if start <= k <= stop) or [start]
    narrow = min([scale, *(float(laws[k][1]) for k in by_draw if k is not None)])
    alike = Counter((laws[own], tuple(rules)) for own, rules in by_draw.items() if own is not None)
    if len(inner) * len(alike) > _MOST_WORK:
        raise NotImplementedError
    groups = [(_noise(own_law), rules, times) for (own_law, rules), times in alike.items()]

    def log(z: Any, row: Any) -> Any:
        each = (times * _log_interval(*_edges(rules, z), noise) for noise, rules, times in groups)
        return sum(each, np.asarray(law.logpdf(z)))

    row, x = ladders(np.zeros(len(inner), dtype=np.int64), np.array(inner), narrow, inner[0] - start, stop - inner[-1])
    top = np.array([max(log(x, row).max(), log((x[1:] + x[:-1]) / 2, row[1:]).max(initial=-np.inf))])
    if top[0] == -math.inf:
        return -math.inf
    try:
        return float(quadrature(log, row[1:], x[:-1], x[1:], top, narrow)[0])
    except ArithmeticError as far:
        raise NotImplementedError from far


def _edges(rules: Sequence[Any], z: Any) -> tuple[Any, Any]:
    low, high = np.full(z.shape, -np.inf), np.full(z.shape, np.inf)
    for slope, total, above, factor in rules:
        edge = -(slope * z + total) / factor
        if above is (factor > 0):
            low = np.maximum(low, edge)
        else:
            high = np.minimum(high, edge)
    return low, high


def _log_interval(low: Any, high: Any, noise: Any) -> Any:
    """Log of the probability that a draw lies between."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below = np.where(np.isposinf(high), 0.0, np.asarray(noise.logcdf(np.where(np.isposinf(high), 0.0, high))))
        over = np.where(np.isneginf(low), 0.0, np.asarray(noise.logsf(np.where(np.isneginf(low), 0.0, low))))
        from_below = np.where(np.isneginf(low), -np.inf, np.asarray(noise.logcdf(np.where(np.isneginf(low), 0.0, low))))
        from_above = np.where(
            np.isposinf(high), -np.inf, np.asarray(noise.logsf(np.where(np.isposinf(high), 0.0, high)))
        )
        left = below + np.log1p(-np.exp(np.minimum(from_below - below, 0.0)))
        right = over + np.log1p(-np.exp(np.minimum(from_above - over, 0.0)))
        both = np.where(below < over, left, right)
        open_ended = np.where(np.isposinf(high), over, np.where(np.isneginf(low), below, both))
    return np.where(low < high, np.where(np.isnan(open_ended), -np.inf, open_ended), -np.inf)


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
    if not alone:
        rows = np.array([[dict(held).get(i, 0.0) for i in range(n)] for held in signs])
        unit = np.linalg.lstsq(rows, np.array(list(signs.values())), rcond=None)[0].round(9)
    against = np.sign(against.round(9))
    ways = [against] if not monotonic else [np.maximum(against, 0.0), np.minimum(against, 0.0)]
    nears = [2, 12] if alone and n > 12 else []  # of long lists only the last few, the others far on their side
    if not nears or n <= LONG:
        nears.append(n)
    for near, height, way in itertools.product(nears, heights, ways):
        answers = height * unit + 0.0
        answers[: n - near] = -FAR * np.sign(unit[: n - near])
        step = way.copy()
        step[: n - near] = 0.0  # what is certain stays: floats there do not hold the sensitivity
        moved = np.array([beside(float(x), float(sensitivity * d)) for x, d in zip(answers, step, strict=True)])
        try:
            here, there = log_probability(members, answers.tolist()), log_probability(members, moved.tolist())
        except NotImplementedError:
            return
        if here > -math.inf or there > -math.inf:
            pair = tuple(answers.tolist()), tuple(moved.tolist())
            yield Leak(*pair, members[0].output, here, there, path=members[0])
