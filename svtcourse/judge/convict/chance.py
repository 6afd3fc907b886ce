"""How likely a path of a program is, as a logarithm: given the draw that comparisons share, a product of intervals.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

import math

from svtcourse.judge.convict.integral import FLOATS, INF, THIN, Beyond, log_between, log_density, log_integral, log_sum
from svtcourse.judge.unknowns.ratio import Ratio
from svtcourse.judge.unknowns.tree import forms_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from svtcourse.judge.unknowns.symbols import Path

__all__ = ["MARGIN", "Beyond", "log_chance", "log_sum", "projected", "violated"]

MARGIN = 1e-6  # by how much a loss must exceed epsilon before it convicts
_MOST_ROWS = 200
_KNOWN: dict[Any, float] = {}  # integrals that were asked for before: comparisons that are alike come again and again
_MOST_KNOWN = 2_000
_CERTAIN = 400  # scales beyond which a comparison is taken as known: its other side has less than e^-400


def _values(terms: Any, constant: Any, answers: Any, threshold: Any) -> tuple[dict[int, Ratio], Ratio]:
    """A form at given answers: its draws with their factors, and a number."""
    draws: dict[int, Ratio] = {}
    total = constant
    for variable, factor in terms:
        if variable[0] == "a":
            total = total + factor * answers[variable[1]]
        elif variable[0] == "T":
            total = total + factor * threshold
        elif variable[0] == "z":
            draws[variable[1]] = draws.get(variable[1], Ratio(0)) + factor
    return draws, total


class _Part:
    """What a path asks of its draws: linear rules, rules on absolute values, and draws that a shown number fixes.

    All numbers are exact until it is known which draws cancel.
    """

    def __init__(self, left: dict[int, int]) -> None:
        self.left = left  # draws that are part of another
        self.rules: list[Any] = []  # draws, total, above
        self.sure: list[Any] = []  # the same where the other side has less than e^-400
        self.bars: list[Any] = []  # draws and total outside, factor, draws and total inside, above
        self.fixed: dict[int, Any] = {}  # draw: (draws, total) that it equals

    def resolve(self, draws: dict[int, Ratio], total: Ratio) -> tuple[dict[int, Ratio], Ratio]:
        """The same without the draws that are fixed."""
        found: dict[int, Ratio] = {}
        for k, f in draws.items():
            if k in self.left:
                continue
            if k in self.fixed:
                others, shift = self.fixed[k]
                total = total + f * shift
                for j, g in others.items():
                    found[j] = found.get(j, Ratio(0)) + f * g
            else:
                found[k] = found.get(k, Ratio(0)) + f
        return {k: f for k, f in found.items() if f != 0}, total


def _floats(draws: dict[int, Ratio], total: Ratio) -> tuple[dict[int, float], float]:
    return {k: float(f) for k, f in draws.items()}, float(total)


def log_chance(paths: list[Path], answers: Any, shown: Any = (), threshold: float = 0.0) -> float:
    """Log of the probability that the run is one of these paths, and shows these numbers: then of a density.

    It is -∞ only where that is exact.

    Raises
    ------
    Beyond
        If more than one draw is shared among comparisons that hang together, or too many are not alike.
    """
    exact = [Ratio.of(x) for x in answers]
    return log_sum([_of_path(path, exact, shown, Ratio.of(threshold)) for path in paths])


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


def _of_path(path: Path, answers: Any, shown: Any, threshold: Ratio) -> float:
    left, laws = _paired(path, [(family, float(scale)) for family, scale in path.laws])
    part, fixes = _Part(left), 0.0
    for (terms, constant), y in zip(list(forms_in(path.output)), shown):
        draws, total = part.resolve(*_values(terms, constant, answers, threshold))
        if not draws:
            if total != Ratio.of(y):
                return -INF
            continue
        own = max(draws)  # drawn last
        f = draws.pop(own)
        if any(own in others for others, _ in part.fixed.values()):
            raise Beyond
        part.fixed[own] = {k: -g / f for k, g in draws.items()}, (Ratio.of(y) - total) / f
        fixes -= math.log(abs(float(f)))
    for (terms, constant), strict, above in path.literals:
        bars = [(v, f) for v, f in terms if v[0] == "|"]
        draws, total = part.resolve(*_values(terms, constant, answers, threshold))
        if bars:
            (_, within), factor = bars[0]
            if len(bars) > 1 or any(v[0] == "|" for v, _ in within[0]):
                raise Beyond
            inner, shift = part.resolve(*_values(within[0], within[1], answers, threshold))
            if inner:
                part.bars.append(_floats(draws, total) + (float(factor), _floats(inner, shift), above))
                continue
            total = total + factor * abs(shift)
        if draws:
            rule = _floats(draws, total) + (above,)
            far = abs(rule[1]) > _CERTAIN * sum([laws[k][1] * abs(f) for k, f in rule[0].items()])
            (part.sure if far and (rule[1] > 0) is above else part.rules).append(rule)
        elif ((total > 0) if strict else (total >= 0)) is not above:
            return -INF
    log = _product(part, laws)
    if log == -INF and _contradicts(path, answers, threshold):
        return log
    if part.sure and log < 100 - _CERTAIN:  # so rare that nothing is certain beside it
        part.rules += part.sure
        log = _product(part, laws)
    if log == -INF:
        raise Beyond  # too small for a float
    return fixes + log


def _contradicts(path: Path, answers: list[Ratio], threshold: Ratio) -> bool:
    """Whether no noise gives the path, exactly: two comparisons exclude each other, or all together do."""
    least: dict[Any, Any] = {}
    for (terms, constant), strict, above in path.literals:
        draws, total = [(v, f) for v, f in terms if v[0] == "z"], constant
        for v, f in terms:
            total += f * (answers[v[1]] if v[0] == "a" else threshold if v[0] == "T" else 0)
        if draws and not any(v[0] == "|" for v, _ in terms):
            first = draws[0][1]
            form, up = tuple([(v, f / first) for v, f in draws]), above is (first > 0)
            bound, open_end = -total / first, strict is above
            sign = 1 if up else -1
            key, value = (form, up), (bound * sign, open_end)
            least[key] = max(least.get(key, value), value)
    for (form, up), (bound, open_end) in least.items():
        other = least.get((form, False))
        if up and other and (bound > -other[0] or (bound == -other[0] and (open_end or other[1]))):
            return True
    return not threshold and violated(projected(path), answers)


def _product(part: _Part, laws: Any) -> float:
    """Everything that hangs together, one group at a time."""
    items = [("rule", set(r[0]), r) for r in part.rules]
    items += [("bar", set(r[0]) | set(r[3][0]), r) for r in part.bars]
    items += [("fixed", {k} | set(one[0]), (k,) + _floats(*one)) for k, one in part.fixed.items()]
    group_of: dict[int, list[Any]] = {}  # the group of each draw
    for item in items:
        touched = {}
        for k in item[1]:
            if k in group_of:
                touched[id(group_of[k])] = group_of[k]
        group, *others = sorted(list(touched.values()) or [[]], key=lambda one: -len(one))
        more = [item] + [one for other in others for one in other]
        group += more
        for one in more:
            for k in one[1]:
                group_of[k] = group
    groups, result = {}, 0.0
    for group in group_of.values():
        groups[id(group)] = group
    for group in groups.values():
        result += _of_group(group, laws)
        if result == -INF:
            break
    return result


def _of_group(group: Any, laws: Any) -> float:
    group = [(kind, set(what[1]) if kind == "fixed" else own, what) for kind, own, what in group]
    times: dict[int, int] = {}
    for _, own, _ in group:
        for k in own:
            times[k] = times.get(k, 0) + 1
    if not times:
        return sum([log_density(laws[k], total) for _, _, (k, _, total) in group])
    draws, often = times.keys(), sorted(times, key=lambda k: (-times[k], k))
    candidates = ([None] if len(draws) == 1 and all(i[0] == "rule" for i in group) else []) + often[:4]
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


def _close(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two lines are parallel and so near that floats do not tell how far they are apart."""
    (s1, t1), (s2, t2) = one, other
    parallel = abs(s1 - s2) <= THIN * max(abs(s1), abs(s2))
    return parallel and one != other and abs(t1 - t2) <= THIN * max(abs(t1), abs(t2))


def _integral(group: Any, outer: int | None, laws: Any) -> float:
    """Over the draw `outer`; given it, each other draw lies in an interval."""
    by_draw: dict[int, list[Any]] = {}
    low, high, dense, bars = -INF, INF, [], []
    kinks, borders, scale = {0.0}, set(), 0.0 if outer is None else laws[outer][1]
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
            unit = laws[own_draws[0]][1] * abs(draws[own_draws[0]]) if own_draws else scale * abs(slope)
            if abs(total) > FLOATS * unit:
                raise Beyond
            if own_draws:
                f = draws[own_draws[0]]
                by_draw.setdefault(own_draws[0], []).append((-slope / f, -total / f, above is (f > 0)))
            elif above is (slope > 0):
                low = max(low, -total / slope)
            else:
                high = min(high, -total / slope)
    for k, rules in by_draw.items():
        kinks |= {-total / slope for slope, total, _ in rules if slope}
        if laws[k][0] == "uniform":
            borders |= {(end - total) / slope for slope, total, _ in rules if slope for end in (0.0, laws[k][1])}
        for i, (s1, t1, _) in enumerate(rules[:40]):
            kinks |= {(t2 - t1) / (s1 - s2) for s2, t2, _ in rules[:i] if s1 != s2}
    counted: dict[Any, int] = {}
    for k, rules in by_draw.items():
        kind = laws[k], tuple(sorted(rules))
        counted[kind] = counted.get(kind, 0) + 1
    alike = []  # law, lines that it lies above and below, how many draws
    for (law, every), times in counted.items():
        above, below = ([(slope, total) for slope, total, over in every if over is way] for way in (True, False))
        if any([_close(one, other) for one in above for other in below]):
            raise Beyond
        alike.append((law, above, below, times))
    barred: dict[Any, int] = {}
    for bar in bars:
        barred[bar] = barred.get(bar, 0) + 1

    def given(z: float) -> float:
        result = 0.0
        for law, slope, total in dense:
            result += log_density(law, slope * z + total)
        for law, above, below, times in alike:
            floor, roof, width = -INF, INF, INF
            for slope, total in above:
                edge = slope * z + total
                if edge > floor:
                    floor, low_line = edge, (slope, total)
            for slope, total in below:
                edge = slope * z + total
                if edge < roof:
                    roof, high_line = edge, (slope, total)
            if above and below:
                width = (high_line[0] - low_line[0]) * z + (high_line[1] - low_line[1])
            result += times * log_between(law, floor, roof, width)
            if result == -INF:
                return result
        for (law, slope, total, f, shift, outside), times in barred.items():
            bound = slope * z + total
            ends = sorted([(-bound - shift) / f, (bound - shift) / f])
            if outside:  # both tails, where 1 less the rest would round
                tails = [log_between(law, -INF, ends[0]), log_between(law, ends[1], INF)]
                result += times * log_sum(tails) if bound > 0 else 0.0
            else:
                result += times * log_between(law, ends[0], ends[1], 2 * bound / abs(f)) if bound > 0 else -INF
        return result

    if outer is None:
        return given(0.0)
    law = laws[outer]
    if law[0] in ("exponential", "uniform"):
        low = max(low, 0.0)
    if law[0] == "uniform":
        high = min(high, scale)
    lines = [(law, slope) for law, above, below, _ in alike for slope, _ in above + below]
    lines += [(law, slope) for law, slope, _ in dense] + [(bar[0], bar[1] / bar[3]) for bar in barred]
    others = [law[1] for law, _ in lines]
    narrow = [law[1] / max(abs(slope), 1.0) for law, slope in lines]  # in units of what is integrated over
    kinds = len(alike) + len(barred) + len(dense)
    every = counted.items(), barred.items(), dense, kinks, borders
    same = (law, low, high) + tuple([tuple(sorted(one)) for one in every])
    if same not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[same] = log_integral(
            lambda z: log_density(law, z) + given(z),
            low,
            high,
            kinks,
            borders,
            min([scale] + narrow),
            max([scale] + others),
            kinds,
        )
    return _KNOWN[same]


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
