"""How likely a path of a program is, in plain floats: given the draw that comparisons share, a product of intervals.

Plain Python that MicroPython runs too, as `symbols`; `leaks` has the same for many pairs at once.
"""

from __future__ import annotations

import math

from svtcourse.judge.unknowns.ratio import Ratio
from svtcourse.judge.unknowns.tree import forms_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from svtcourse.judge.unknowns.symbols import Path

__all__ = ["Beyond", "chance", "projected", "violated"]

_MOST_PIECES, _MOST_ROWS = 400, 200


class Beyond(Exception):
    """More than one draw is shared among comparisons that hang together."""


def _nodes(count: int) -> list[tuple[float, float]]:
    """Nodes and weights of Gauss and Legendre on [-1, 1]."""
    found = []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(30):
            before, now = 1.0, x
            for k in range(2, count + 1):
                before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
            slope = count * (x * now - before) / (x * x - 1)
            x -= now / slope
        found.append((x, 2 / ((1 - x * x) * slope * slope)))
    return found


_NODES = _nodes(16)
_INF = float("inf")


def _between(law: tuple[str, float], low: float, high: float) -> float:
    """The probability that a draw lies between."""
    family, b = law
    if not low < high:
        return 0.0
    if family == "laplace":
        if low >= 0:
            tail = 0.5 * math.exp(-low / b)
            return tail if high == _INF else tail * -math.expm1(max((low - high) / b, -800.0))
        if high <= 0:
            return _between(law, -high, -low)
        return -0.5 * (math.expm1(-high / b) + math.expm1(low / b))
    if family == "exponential":
        low = max(low, 0.0)
        return math.exp(-low / b) * -math.expm1(max((low - high) / b, -800.0)) if low < high else 0.0
    if family == "normal":
        if low < 0 < high:
            return 0.5 * (math.erf(high / b / math.sqrt(2)) + math.erf(-low / b / math.sqrt(2)))
        near, far = (low, high) if low >= 0 else (-high, -low)
        return 0.5 * (math.erfc(near / b / math.sqrt(2)) - math.erfc(far / b / math.sqrt(2)))
    if family == "gumbel":
        first, last = (math.exp(min(-x / b, 700.0)) if x > -_INF else _INF for x in (low, high))
        return math.exp(-last) * -math.expm1(max(last - first, -800.0)) if last < 700 else 0.0
    return max(0.0, min(high, b) - max(low, 0.0)) / b  # uniform between 0 and b


def _density(law: tuple[str, float], x: float) -> float:
    family, b = law
    if family == "laplace":
        return math.exp(-abs(x) / b) / (2 * b)
    if family == "exponential":
        return math.exp(-x / b) / b if x >= 0 else 0.0
    if family == "normal":
        return math.exp(-0.5 * (x / b) ** 2) / (b * math.sqrt(2 * math.pi))
    if family == "gumbel":
        return math.exp(-x / b - math.exp(min(-x / b, 700.0))) / b
    return 1 / b if 0 <= x <= b else 0.0


def _values(terms: Any, constant: Any, answers: Any, threshold: float) -> tuple[dict[int, float], float]:
    """A form at given answers: its draws with their factors, and a number."""
    draws: dict[int, float] = {}
    total = float(constant)
    for variable, factor in terms:
        if variable[0] == "a":
            total += float(factor) * answers[variable[1]]
        elif variable[0] == "T":
            total += float(factor) * threshold
        elif variable[0] == "z":
            draws[variable[1]] = draws.get(variable[1], 0.0) + float(factor)
    return draws, total


class _Part:
    """What a path asks of its draws: linear rules, rules on absolute values, and draws that a shown number fixes."""

    def __init__(self, left: dict[int, int]) -> None:
        self.left = left  # draws that are part of another
        self.rules: list[Any] = []  # draws, total, above
        self.bars: list[Any] = []  # draws and total outside, factor, draws and total inside, above
        self.fixed: dict[int, Any] = {}  # draw: (draws, total) that it equals

    def resolve(self, draws: dict[int, float], total: float) -> tuple[dict[int, float], float]:
        """The same without the draws that are fixed."""
        found: dict[int, float] = {}
        for k, f in draws.items():
            if k in self.left:
                continue
            if k in self.fixed:
                others, shift = self.fixed[k]
                total += f * shift
                for j, g in others.items():
                    found[j] = found.get(j, 0.0) + f * g
            else:
                found[k] = found.get(k, 0.0) + f
        kept = [(k, f) for k, f in found.items() if abs(f) > 1e-12]
        return dict(kept), total


def chance(paths: list[Path], answers: Any, shown: Any = (), threshold: float = 0.0) -> float:
    """The probability that the run is one of these paths, and shows these numbers: then a density.

    Raises
    ------
    Beyond
        If more than one draw is shared among comparisons that hang together.
    """
    return sum([_of_path(path, answers, shown, threshold) for path in paths])


def _paired(path: Path, laws: Any) -> tuple[dict[int, int], Any]:
    """Differences of two exponential draws that occur together only: each is one Laplace draw, the first's.

    Returns
    -------
    dict, list
        The second draws, which are left out, and the laws of all.
    """
    places: dict[int, list[Any]] = {}
    forms = [terms for (terms, _), _, _ in path.literals] + [terms for terms, _ in list(forms_in(path.output))]
    for i, terms in enumerate(forms):
        for v, f in terms:
            if v[0] == "z" and laws[v[1]][0] == "exponential":
                places.setdefault(v[1], []).append((i, float(f)))
            elif v[0] == "|":
                for w, _ in v[1][0]:
                    if w[0] == "z":
                        places[w[1]] = [(-1 - w[1], 1.0)]  # left as it is
    left: dict[int, int] = {}
    known: dict[Any, int] = {}
    laws = list(laws)
    for k in sorted(places):
        mirrored = laws[k][1], tuple([(i, -f) for i, f in sorted(places[k])])
        if mirrored in known:
            first = known.pop(mirrored)
            left[k], laws[first] = first, ("laplace", laws[k][1])
        else:
            known[laws[k][1], tuple(sorted(places[k]))] = k
    return left, laws


def _of_path(path: Path, answers: Any, shown: Any, threshold: float) -> float:
    left, laws = _paired(path, [(family, float(scale)) for family, scale in path.laws])
    part, factor = _Part(left), 1.0
    for (terms, constant), y in zip(list(forms_in(path.output)), shown):
        draws, total = part.resolve(*_values(terms, constant, answers, threshold))
        if not draws:
            if total != y:
                return 0.0
            continue
        own = max(draws)  # drawn last
        f = draws.pop(own)
        if any(own in others for others, _ in part.fixed.values()):
            raise Beyond
        part.fixed[own] = {k: -g / f for k, g in draws.items()}, (y - total) / f
        factor /= abs(f)
    for (terms, constant), strict, above in path.literals:
        bars = [(v, f) for v, f in terms if v[0] == "|"]
        draws, total = part.resolve(*_values(terms, constant, answers, threshold))
        if bars:
            if len(bars) > 1 or any(v[0] == "|" for v, _ in bars[0][0][1][0]):
                raise Beyond
            inner = part.resolve(*_values(bars[0][0][1][0], bars[0][0][1][1], answers, threshold))
            part.bars.append((draws, total, float(bars[0][1]), inner, above))
        elif draws:
            part.rules.append((draws, total, above))
        elif ((total > 0) if strict else (total >= 0)) is not above:
            return 0.0
    return factor * _product(part, laws)


def _product(part: _Part, laws: Any) -> float:
    """Everything that hangs together, one group at a time."""
    items = [("rule", set(r[0]), r) for r in part.rules]
    items += [("bar", set(r[0]) | set(r[3][0]), r) for r in part.bars]
    items += [("fixed", set(others), (k, others, total)) for k, (others, total) in part.fixed.items()]
    result = 1.0
    while items:
        group, touched = [items.pop()], True
        draws = set(group[0][1])
        while touched:
            touched = [item for item in items if item[1] & draws]  # type: ignore[assignment]
            items = [item for item in items if not item[1] & draws]
            for item in touched:  # type: ignore[attr-defined]
                draws |= item[1]
                group.append(item)
        result *= _of_group(group, draws, laws)
        if not result:
            break
    return result


def _of_group(group: Any, draws: set[int], laws: Any) -> float:
    if not draws:
        (_, _, (k, _, total)) = group[0]
        return _density(laws[k], total)
    often = sorted(draws, key=lambda k: -sum([k in item[1] for item in group]))
    candidates = ([None] if len(draws) == 1 and all(i[0] == "rule" for i in group) else []) + often[:3]
    for outer in candidates:
        if all(len(i[1] - {outer}) <= (0 if i[0] == "fixed" else 1) for i in group):
            bars = [i[2] for i in group if i[0] == "bar"]
            inside = [set(b[3][0]) - {outer} for b in bars]
            others = [i for i in group if i[0] != "bar"]
            alone = all(outer not in b[3][0] and not set(b[0]) - {outer} for b in bars)
            alone = alone and len({k for own in inside for k in own}) == sum([len(own) for own in inside])
            if alone and not any(own & i[1] for own in inside for i in others):
                return _integral(group, outer, laws)
    raise Beyond


def _integral(group: Any, outer: int | None, laws: Any) -> float:
    """Over the draw `outer`; given it, each other draw lies in an interval."""
    by_draw: dict[int, list[Any]] = {}
    low, high, dense, bars = -_INF, _INF, [], []
    kinks = {0.0}
    for kind, _, what in group:
        if kind == "fixed":
            k, others, total = what
            dense.append((laws[k], others.get(outer, 0.0), total))
            if others.get(outer):
                kinks.add(-total / others[outer])
        elif kind == "bar":
            draws, total, factor, (inner, shift), above = what
            if len(inner) != 1:
                raise Beyond
            (own, f), slope = list(inner.items())[0], draws.get(outer, 0.0) / factor
            bars.append((laws[own], -slope, -total / factor, f, shift, above is (factor > 0)))
            if slope:
                kinks |= {
                    -(total / factor) / slope,
                    (-total / factor + shift) / slope,
                    (-total / factor - shift) / slope,
                }
        else:
            draws, total, above = what
            own_draws = [k for k in draws if k != outer]
            slope = draws.get(outer, 0.0) if outer is not None else 0.0
            if own_draws:
                f = draws[own_draws[0]]
                by_draw.setdefault(own_draws[0], []).append((-slope / f, -total / f, above is (f > 0)))
            elif above is (slope > 0):
                low = max(low, -total / slope)
            else:
                high = min(high, -total / slope)
    for rules in by_draw.values():
        kinks |= {-total / slope for slope, total, _ in rules if slope}
        for i, (s1, t1, _) in enumerate(rules[:20]):
            kinks |= {(t2 - t1) / (s1 - s2) for s2, t2, _ in rules[:i] if s1 != s2}
    counted: dict[Any, int] = {}
    for k, rules in by_draw.items():
        kind = laws[k], tuple(sorted(rules))
        counted[kind] = counted.get(kind, 0) + 1
    alike = []  # law, lines that it lies above and below, how many draws
    for (law, every), times in counted.items():
        above, below = ([(slope, total) for slope, total, over in every if over is way] for way in (True, False))
        alike.append((law, above, below, times))
    barred: dict[Any, int] = {}
    for bar in bars:
        barred[bar] = barred.get(bar, 0) + 1

    def given(z: float) -> float:
        result = 1.0
        for law, slope, total in dense:
            result *= _density(law, slope * z + total)
        for law, above, below, times in alike:
            floor, roof = -_INF, _INF
            for slope, total in above:
                edge = slope * z + total
                if edge > floor:
                    floor = edge
            for slope, total in below:
                edge = slope * z + total
                if edge < roof:
                    roof = edge
            within = _between(law, floor, roof)
            if not within:
                return 0.0
            result *= within if times == 1 else within**times
        for (law, slope, total, f, shift, outside), times in barred.items():
            bound = slope * z + total
            ends = sorted([(-bound - shift) / f, (bound - shift) / f])
            if outside:  # both tails, where 1 less the rest would round
                within = _between(law, -_INF, ends[0]) + _between(law, ends[1], _INF) if bound > 0 else 1.0
            else:
                within = _between(law, ends[0], ends[1]) if bound > 0 else 0.0
            result *= within**times
        return result

    if outer is None:
        return given(0.0)
    law = laws[outer]
    scale = law[1]
    if law[0] in ("exponential", "uniform"):
        low = max(low, 0.0)
    if law[0] == "uniform":
        high = min(high, scale)
    narrow = min(
        [scale] + [each[0][1] for each in alike] + [law[1] for law, _, _ in dense] + [bar[0][1] for bar in barred]
    )

    def panel(a: float, b: float) -> float:
        middle, half = (a + b) / 2, (b - a) / 2
        return sum(
            [weight * half * _density(law, middle + half * x) * given(middle + half * x) for x, weight in _NODES]
        )

    reach = 40 * scale
    for _ in range(8):  # further out until nothing lies at the ends
        start, stop = max(low, min(kinks) - reach), min(high, max(kinks) + reach)
        if not start < stop:
            return 0.0
        points = _ladders([start] + sorted(k for k in kinks if start < k < stop) + [stop], 2 * narrow)
        if len(points) > _MOST_PIECES:
            raise Beyond
        panels = [(a, b, panel(a, b)) for a, b in zip(points, points[1:])]
        ends = (panels[0][2] if start > low else 0.0) + (panels[-1][2] if stop < high else 0.0)
        if ends <= 1e-13 * sum([found for _, _, found in panels]):
            break
        reach *= 4
    # there may be edges without a kink: panels are halved until that changes nothing
    result, left = 0.0, _MOST_PIECES
    worth = 1e-9 * sum([found for _, _, found in panels]) / len(panels)
    while panels:
        a, b, found = panels.pop()
        middle, left = (a + b) / 2, left - 1
        halves = [(a, middle, panel(a, middle)), (middle, b, panel(middle, b))]
        sharper = halves[0][2] + halves[1][2]
        if abs(sharper - found) <= max(worth, 1e-10 * result):
            result += sharper
        elif left < 0:
            raise Beyond
        else:
            panels += halves
    return result


def _ladders(points: list[float], step: float) -> list[float]:
    """The same with others between two of them, at distances from both that double from `step`."""
    found = set(points)
    for a, b in zip(points, points[1:]):
        distance = step
        while 2 * distance < b - a:
            found |= {a + distance, b - distance}
            distance *= 2
    return sorted(found)


def projected(path: Path) -> list[Any] | None:
    """Linear conditions on the answers, at threshold 0, under which a path is possible; None if there are too many.

    Each is the factors of the answers, a number, and whether the sum must be above 0, not only at least 0.
    """
    rows: list[Any] = []
    for (terms, constant), strict, above in path.literals:
        sign = 1 if above else -1
        if any(v[0] == "|" for v, _ in terms):
            return None
        row = {v: f * sign for v, f in terms if v[0] != "T"}
        rows.append((row, constant * sign, above if strict else not above))
    draws = sorted({v for row, _, _ in rows for v in row if v[0] == "z"})
    for v in draws:
        family, scale = path.laws[v[1]]
        if family in ("exponential", "uniform"):
            rows.append(({v: Ratio(1)}, Ratio(0), False))
        if family == "uniform":
            rows.append(({v: Ratio(-1)}, scale, False))
    for v in sorted(draws, key=lambda v: (sum([v in row for row, _, _ in rows]), v[1])):
        up = [r for r in rows if v in r[0] and r[0][v] > 0]
        down = [r for r in rows if v in r[0] and r[0][v] < 0]
        rows = [r for r in rows if v not in r[0]]
        if len(rows) + len(up) * len(down) > _MOST_ROWS:
            return None
        for r1, k1, s1 in up:
            for r2, k2, s2 in down:
                a, b = r1[v], -r2[v]
                joined: dict[Any, Ratio] = {}
                for row, times in ((r1, b), (r2, a)):
                    for k, f in row.items():
                        if k != v:
                            joined[k] = joined.get(k, Ratio(0)) + f * times
                rows.append(({k: f for k, f in joined.items() if f}, k1 * b + k2 * a, s1 or s2))
    return rows


def violated(rows: list[Any] | None, answers: list[Ratio], room: Ratio | None = None) -> bool:
    """Whether some condition fails (or has less room than that)."""
    if rows is None:
        return room is not None
    for row, constant, strict in rows:
        total = constant
        for v, f in row.items():
            total = total + f * answers[v[1]]
        if total < (room or 0) or (strict and not total and room is None):
            return True
    return False
