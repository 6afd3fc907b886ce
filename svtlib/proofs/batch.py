"""Many integrals of `svtlib.integral` at once, for a search that needs thousands of small ones.

The steps are those taken there for a log-concave integrand, on flat arrays: the points of all integrals one after the
other, each with the number of its integral.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from svtlib.integral import (
    _CUT,
    _FLOOR,
    _LONG,
    _ROUNDS,
    _SHORT,
    _TOLERANCE,
    Group,
    _exponential_inside,
    _exponential_outside,
    _laplace_inside,
    _laplace_outside,
    _log_between,
    _sides,
    log_integral,
)
from svtlib.noise import Exponential, Geometric, Laplace, Noise, NoNoise

__all__ = ["Table", "log_integrals"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

_AT_ONCE = 256  # integrals, so that their points stay in the cache
_MOST_ATOMS, _MOST_CELLS = 4096, 1 << 15


@dataclass(frozen=True, eq=False)
class Table:
    """The comparisons of many integrals: a row each, with the same signs column by column.

    Attributes
    ----------
    threshold, answer, count : ndarray, shape (rows, columns)
        As in `svtlib.integral.Group`; a count may be 0.
    positive : ndarray of bool, shape (columns,)
    cap : ndarray, shape (rows,)
        The largest possible rho.
    offset : ndarray, shape (rows, columns)
        Where it is finite, each query noise of this column is rho + offset, known from the gap, and not compared.
    """

    threshold: Array
    answer: Array
    count: Array
    positive: Mask
    cap: Array
    offset: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if not self.offset.size:
            object.__setattr__(self, "offset", np.full(self.count.shape, np.inf))

    def part(self, rows: slice | Index) -> Table:
        """Some of the rows."""
        threshold, answer, count = self.threshold[rows], self.answer[rows], self.count[rows]
        return Table(threshold, answer, count, self.positive, self.cap[rows], self.offset[rows])

    def alone(self, row: int) -> tuple[tuple[Group, ...], float, tuple[float, ...]]:
        """One row as `log_integral` takes it: comparisons, equal ones counted together, cap, and offsets."""
        counted: dict[tuple[float, float, bool], int] = {}
        offsets: list[float] = []
        columns = (self.threshold[row], self.answer[row], self.positive, self.count[row], self.offset[row])
        for *comparison, count, offset in zip(*(column.tolist() for column in columns), strict=True):
            if math.isfinite(offset):
                offsets += [offset] * int(count)
            elif count:
                counted[tuple(comparison)] = counted.get(tuple(comparison), 0) + int(count)
        groups = tuple(sorted((*comparison, count) for comparison, count in counted.items()))
        return groups, float(self.cap[row]), tuple(sorted(offsets))


def log_integrals(rho: Noise, nu: Noise, absolute: bool, table: Table) -> Array:
    """`svtlib.integral.log_integral` of every row of a table, to the same error bound.

    Parameters
    ----------
    rho, nu : Noise
        Threshold noise and query noise.
    absolute : bool
        True if absolute values are compared.
    table : Table

    Returns
    -------
    ndarray, shape (rows,)

    Examples
    --------
    >>> at = np.array([[0.0], [1e9]])
    >>> table = Table(at, 0 * at, 1 + 0 * at, np.array([False]), np.full(2, np.inf))
    >>> np.exp(log_integrals(Laplace(2.0), Laplace(4.0), False, table)).round(12)
    array([0.5, 1. ])
    """
    rows = table.cap.size
    smooth = rho.log_concave and nu.log_concave and (not absolute or isinstance(nu, (Laplace, Exponential)))
    gaps = bool(np.isfinite(table.offset).any())
    if (isinstance(rho, Geometric) or isinstance(nu, Geometric)) and not isinstance(rho, NoNoise) and not gaps:
        added = _added_up(rho, nu, absolute, table)
        if added is not None:
            return added
    if not smooth or not table.positive.size:
        one_by_one = (log_integral(rho, nu, absolute, *table.alone(i)) for i in range(rows))
        return np.fromiter(one_by_one, dtype=float, count=rows)
    low, high = _support(rho, nu, absolute, table)
    owner, low, high = _pieces(nu, absolute, table, low, high)
    parts = [slice(start, start + _AT_ONCE) for start in range(0, owner.size, _AT_ONCE)]
    with np.errstate(over="ignore"):
        logs = [_Many(rho, nu, absolute, table.part(owner[k]), low[k], high[k]).solved() for k in parts]
    whole = np.concatenate(logs)
    return whole if owner.size == rows else np.logaddexp.reduceat(whole, np.searchsorted(owner, np.arange(rows)))


def _support(rho: Noise, nu: Noise, absolute: bool, table: Table) -> tuple[Array, Array]:
    """For each row an open interval of rho outside which the integrand is 0."""
    known = (table.count > 0) & np.isfinite(table.offset)
    made = (table.count > 0) & ~known
    low, high = np.full(table.cap.size, -np.inf), table.cap.copy()
    can_fall, can_rise = _sides(nu)
    negative, positive = made & ~table.positive, made & table.positive
    if absolute:
        reach = np.zeros_like(table.answer)
        if not can_fall:
            reach = np.maximum(reach, table.answer)
        if not can_rise:
            reach = np.maximum(reach, -table.answer)
        low = np.max(reach - table.threshold, axis=1, where=negative, initial=-np.inf)
    elif not can_fall:
        low = np.max(-table.threshold, axis=1, where=negative, initial=-np.inf)
        low = np.maximum(low, np.max(-table.offset, axis=1, where=known, initial=-np.inf))
    elif not can_rise:
        high = np.minimum(high, np.min(-table.threshold, axis=1, where=positive, initial=np.inf))
        high = np.minimum(high, np.min(-table.offset, axis=1, where=known, initial=np.inf))
    can_fall, can_rise = _sides(rho)
    return (low if can_fall else np.maximum(low, 0.0)), (high if can_rise else np.minimum(high, 0.0))


def _pieces(nu: Noise, absolute: bool, table: Table, low: Array, high: Array) -> tuple[Index, Array, Array]:
    """Row, beginning and end of intervals on which the integrands are log-concave (`_Comparisons.dents`)."""
    row = np.arange(table.cap.size)
    if not (absolute and isinstance(nu, Exponential) and table.positive.any()):
        return row, low, high
    behind = (nu.sign * table.answer < 0) & (table.count > 0) & table.positive
    dents = np.where(behind, np.abs(table.answer) - table.threshold, np.nan)
    dents = np.where((dents > low[:, None]) & (dents < high[:, None]), dents, np.nan)
    ends = np.sort(np.column_stack([dents, high]), axis=1)  # NaN last
    starts = np.column_stack([low, ends[:, :-1]])
    there = ~np.isnan(ends)
    there[:, 1:] &= ~(ends[:, 1:] == starts[:, 1:])
    return np.nonzero(there)[0], starts[there], ends[there]


def _added_up(rho: Noise, nu: Noise, absolute: bool, table: Table) -> Array | None:
    """Sums over all atoms of rho, or all cells in which integer noise makes no step; None if they are too many."""
    if isinstance(nu, NoNoise) or not table.positive.size:
        return None
    low, high = _support(rho, nu, absolute, table)
    kinks = np.column_stack([-table.threshold, np.abs(table.answer) - table.threshold, low, high])
    kinks = np.where(np.isfinite(kinks), kinks, 0.0)
    reach = math.ceil(45 * rho.width + 24 * nu.width)  # beyond the last kink everything falls like the noise
    first, last = math.floor(min(kinks.min(), 0.0)) - reach, math.ceil(max(kinks.max(), 0.0)) + reach
    if last - first > _MOST_ATOMS:
        return None
    atoms = np.arange(float(first), last + 1.0)
    result = np.empty(table.cap.size)
    at_once = max(1, _MOST_CELLS // atoms.size)
    for start in range(0, result.size, at_once):
        rows = slice(start, start + at_once)
        part, below, above = table.part(rows), low[rows, None], high[rows, None]
        if isinstance(rho, Geometric):
            z = np.broadcast_to(atoms, (part.cap.size, atoms.size))
            kept = (z >= below) & (z <= above)
            row, z = np.nonzero(kept)[0], z[kept]
            log_p = rho.logpdf(z)
        else:
            steps = [-part.threshold + side * part.answer for side in ((1, -1, 0) if absolute else (0,))]
            limits = np.where(np.isfinite([low[rows], high[rows]]), [low[rows], high[rows]], 0.0).T
            phases = np.mod(np.concatenate([*steps, limits, np.zeros((part.cap.size, 1))], axis=1), 1.0)
            edges = np.sort((atoms[:, None] + phases[:, None, :]).reshape(part.cap.size, -1), axis=1)
            edges = np.clip(edges, below, above)
            kept = edges[:, 1:] > edges[:, :-1]
            row, left, right = np.nonzero(kept)[0], edges[:, :-1][kept], edges[:, 1:][kept]
            z, log_p = (left + right) / 2, _log_between(rho, left, right, closed=(True, True))
        for column, positive in enumerate(part.positive.tolist()):
            count = part.count[row, column]
            answered = _comparison(nu, absolute, part, column, positive, row, z)
            log_p = log_p + np.where(count > 0, count * np.maximum(answered, _FLOOR), 0.0)
        top = np.full(part.cap.size, -np.inf)
        np.maximum.at(top, row, log_p)
        found = top > _FLOOR / 2
        shift = np.where(found, top, 0.0)
        with np.errstate(divide="ignore", under="ignore"):
            total = np.bincount(row, np.exp(np.minimum(log_p - shift[row], 0.0)), part.cap.size)
            result[rows] = np.where(found, np.log(total) + shift, -np.inf)
    return result


def _comparison(nu: Noise, absolute: bool, table: Table, column: int, positive: bool, row: Index, z: Array) -> Array:
    """Log probability of the answer in one column, for points z of the rows."""
    threshold, answer = table.threshold[:, column], table.answer[:, column]
    if not absolute:
        x = threshold[row] + z
        return nu.log_at_least(x) if positive else nu.log_less(x)
    up, down = (threshold - answer)[row] + z, (-threshold - answer)[row] - z  # no tie is lost to rounding
    barred = threshold[row] + z > 0
    if positive:
        return np.where(barred, np.minimum(np.logaddexp(nu.log_at_least(up), nu.logcdf(down)), 0.0), 0.0)
    return np.where(barred, _log_between(nu, np.minimum(down, up), up, closed=(False, False)), -np.inf)


class _Many:
    """Integrals of log-concave functions, each over its own interval."""

    def __init__(self, rho: Noise, nu: Noise, absolute: bool, table: Table, low: Array, high: Array) -> None:
        self.rho, self.nu, self.absolute, self.table = rho, nu, absolute, table
        self.b, self.s = rho.width, nu.width
        self.low, self.high = low, high
        self.known = np.isfinite(table.offset)
        self.shift = np.zeros(table.cap.size)
        self.result = np.full(table.cap.size, -np.inf)

    def log_integrand(self, row: Index, z: Array) -> Array:
        """At z + shift of the row: the shift cancels once and not at every point."""
        table = self.table
        total = self.rho.logpdf(z + self.shift[row])
        for column, positive in enumerate(table.positive.tolist()):
            x = (table.threshold[:, column] + self.shift)[row] + z
            if isinstance(self.nu, (Laplace, Exponential)) and self.absolute:
                w, q = x / self.nu.scale, table.answer[:, column] / self.nu.scale
                if isinstance(self.nu, Laplace):
                    log_p = (_laplace_outside if positive else _laplace_inside)(w, np.abs(q)[row])
                else:
                    log_p = (_exponential_outside if positive else _exponential_inside)(w, self.nu.sign * q[row])
            elif self.nu.symmetric:
                log_p = self.nu.logcdf(-x if positive else x)
            else:
                log_p = self.nu.log_at_least(x) if positive else self.nu.log_less(x)
            if self.known[:, column].any():
                offset = np.where(self.known, table.offset, 0.0)[:, column] + self.shift
                log_p = np.where(self.known[row, column], self.nu.logpdf(offset[row] + z), log_p)
            count = table.count[:, column]
            if count.min() == count.max() == 1:
                total = total + log_p
            elif count.min() > 0:
                total = total + count[row] * log_p
            else:
                total = total + np.where(count[row] > 0, count[row] * np.maximum(log_p, _FLOOR), 0.0)
        return np.asarray(np.maximum(total, _FLOOR))

    def _first_points(self) -> Array:
        """Points between which the integrands are first looked at, shape (rows, points), NaN for none.

        Kinks and finite ends, ladders away from them and, towards a finite end, a ladder towards it.
        """
        table, low, high = self.table, self.low[:, None], self.high[:, None]
        kinks = [-np.where(self.known, table.offset, table.threshold), np.zeros_like(low)]
        if self.absolute:
            kinks.append(np.abs(table.answer) - table.threshold)
        inner = np.concatenate(kinks, axis=1)
        inner = np.where((inner > low) & (inner < high), inner, np.nan)
        ends = np.where(np.isfinite([low, high]), [low, high], np.nan)
        points = np.sort(np.concatenate([inner, *ends], axis=1), axis=1)
        points = np.where(np.isnan(points), np.nanmax(points, axis=1, keepdims=True), points)
        gaps = np.diff(points, axis=1)
        reach = 45 * self.b + 24 * self.s
        open_low, open_high = ~np.isfinite(low), ~np.isfinite(high)
        parts, step = [points], 1.5 * self.s
        while step < max(reach, float(gaps.max(initial=0.0))):
            wide = 3 * step < gaps
            parts += [np.where(wide, points[:, :-1] + step, np.nan), np.where(wide, points[:, 1:] - step, np.nan)]
            if step < reach:
                parts.append(np.where(open_low, points[:, :1] - step, np.nan))
                parts.append(np.where(open_high, points[:, -1:] + step, np.nan))
            step *= 4
        parts.append(np.where(open_low, points[:, :1] - reach, np.nan))
        parts.append(np.where(open_high, points[:, -1:] + reach, np.nan))
        if not (open_low & open_high).all():
            with np.errstate(invalid="ignore"):
                room = np.minimum(self.s, (high - low) / 4) * 10.0 ** -np.arange(1.0, 15.0, 2.0)
            parts += [np.where(open_low, np.nan, low + room), np.where(open_high, np.nan, high - room)]
        return np.sort(np.concatenate(parts, axis=1), axis=1)

    def solved(self) -> Array:
        """Log of every integral."""
        alive = self.low < self.high
        points = np.where(alive[:, None], self._first_points(), np.nan)
        there = ~np.isnan(points)
        row, x = np.nonzero(there)[0], points[there]
        new = np.r_[True, (row[1:] > row[:-1]) | (x[1:] > x[:-1])][: row.size]
        row, x = row[new], x[new]
        g = self.log_integrand(row, x)
        for _ in range(_ROUNDS):
            if not row.size:
                return self.result
            row, x, g = self._refined(row, x, g)
        raise ArithmeticError("the mass of a log-concave integrand was not found")

    def _refined(self, row: Index, x: Array, g: Array) -> tuple[Index, Array, Array]:
        """Integrate the rows whose mass is found, and return the others with more points."""
        first = np.flatnonzero(np.r_[True, row[1:] > row[:-1]])
        last = np.r_[first[1:], row.size] - 1
        number = np.repeat(np.arange(first.size), last - first + 1)  # of the row among those that are left
        top = np.maximum.reduceat(g, first)
        peak = np.minimum.reduceat(np.where(g == top[number], np.arange(g.size), g.size), first)
        near = (g >= top[number] - _CUT) & (top[number] > _FLOOR)
        same = number[1:] == number[:-1]
        counts = same & (near[1:] | near[:-1])
        size = np.maximum(g[1:], g[:-1])
        rough = counts & (np.abs(g[1:] - g[:-1]) > 12 + (top[number[1:]] - size))
        for step in (-1, 1):
            over = _peak_bound(x, g, first, last, peak, step) > top + 6
            rough[(peak + min(step, 0))[over & near[peak]]] = True
        at = np.flatnonzero(rough)
        a, wide = x[at], x[at + 1] - x[at]
        low, high = self.low[row[at]], self.high[row[at]]
        at_edge = ((a == low) & (g[at] == _FLOOR)) | ((x[at + 1] == high) & (g[at + 1] == _FLOOR))
        kept = wide > np.maximum(np.where(at_edge, 1e-12 * self.s, 0.0), 1e-14 * np.abs(a))
        at, a, wide = at[kept], a[kept], wide[kept]
        new_rows, new = [np.repeat(row[at], 4)], [(a[:, None] + wide[:, None] * np.arange(1, 5) / 5).ravel()]
        span = 2 * (x[last] - x[first] + self.b)
        for end, beyond in ((first, np.maximum(x[first] - span, self.low[row[first]])),
                            (last, np.minimum(x[last] + span, self.high[row[last]]))):  # fmt: skip
            further = near[end] & (x[end] != beyond)
            new_rows.append(row[end][further])
            new.append(beyond[further])
        more, points = np.concatenate(new_rows), np.concatenate(new)
        waiting = np.zeros(self.result.size, dtype=bool)
        waiting[more] = True
        panels = np.flatnonzero(counts & ~waiting[row[1:]])
        self.shift[row[peak]] = x[peak]
        self._integrate(row[panels], x[panels], x[panels + 1], row[peak], top)
        self.shift[:] = 0.0
        stay = waiting[row]
        values = np.concatenate([g[stay], self.log_integrand(more, points)])
        row, x = np.concatenate([row[stay], more]), np.concatenate([x[stay], points])
        order = np.lexsort((x, row))
        return row[order], x[order], values[order]

    def _integrate(self, row: Index, left: Array, right: Array, owners: Index, tops: Array) -> None:
        """Gauss-Legendre over the panels, refined until two rules agree in every row; panels are near the shift."""
        top = np.full(self.result.size, np.nan)
        top[owners] = tops
        tolerance = _TOLERANCE * np.maximum(1.0, np.abs(top))
        far = tolerance > 1000
        self.result[np.unique(row[far[row]])] = top[np.unique(row[far[row]])]
        keep = ~far[row]
        row, half = row[keep], (right - left)[keep] / 2
        left = left[keep] - self.shift[row]
        done, missed = np.zeros(top.size), np.zeros(top.size)
        for round_ in range(_ROUNDS):
            if not row.size:
                return
            sums = np.empty((row.size, 2))
            short = (half < self.s / 8) & (round_ == 0)
            for which, (nodes, weights) in ((short, _SHORT), (~short, _LONG)):
                z = left[which, None] + half[which, None] * nodes
                owner = np.repeat(row[which], nodes.size)
                value = np.exp(self.log_integrand(owner, z.ravel()) - top[owner]).reshape(z.shape)
                sums[which] = half[which, None] * (value @ weights)
            error = np.abs(sums[:, 1] - sums[:, 0])
            total = done + np.bincount(row, sums[:, 1], top.size)
            unsure = missed + np.bincount(row, error, top.size)
            number = np.bincount(row, minlength=top.size)
            bad = (error > (tolerance * total / (4 * np.maximum(number, 1)))[row]) & (half > 1e-15 * np.abs(left))
            enough = unsure <= tolerance * total
            stuck = ~enough & (np.bincount(row[bad], minlength=top.size) == 0) & (unsure <= 50 * tolerance * total)
            ready = (number > 0) & (enough | stuck)
            with np.errstate(divide="ignore"):
                self.result[ready] = top[ready] + np.log(total[ready])
            done += np.bincount(row[~bad], sums[~bad, 1], top.size)
            missed += np.bincount(row[~bad], error[~bad], top.size)
            split = bad & ~ready[row]
            lost = np.setdiff1d(row[~ready[row]], row[split])
            if lost.size:
                raise ArithmeticError(f"the error bound was not reached in {lost.size} integrals")
            row, left, half = np.repeat(row[split], 2), np.repeat(left[split], 2), np.repeat(half[split] / 2, 2)
            left[1::2] += 2 * half[1::2]
        raise ArithmeticError("the error bound was not reached")


def _peak_bound(x: Array, g: Array, first: Index, last: Index, m: Index, step: int) -> Array:
    """How large concave functions can be beside their largest known values, at m, on one side (step -1 or 1).

    Between two neighbouring points a concave function lies below the chords of the intervals before and behind.
    """

    def at(values: Array, k: int) -> Array:
        """The value k points further in this direction, NaN beyond the ends."""
        i = m + k * step
        inside = (i >= first) & (i <= last)
        return np.where(inside, values[np.clip(i, first, last)], np.nan)

    width = np.abs(at(x, 1) - at(x, 0))
    with np.errstate(invalid="ignore", over="ignore"):
        back = (at(g, 0) - at(g, -1)) / np.abs(at(x, 0) - at(x, -1))
        ahead = (at(g, 1) - at(g, 2)) / np.abs(at(x, 2) - at(x, 1))
        steepest = back + ahead
        crossing = at(g, 0) + back * (at(g, 1) - at(g, 0) + ahead * width) / np.where(steepest > 0, steepest, 1.0)
        bound = np.where(steepest > 0, crossing, at(g, 0))
        bound = np.where(np.isnan(back), at(g, 1) + ahead * width, bound)
        bound = np.where(np.isnan(ahead), at(g, 0) + back * width, bound)
        both = np.isnan(back) & np.isnan(ahead) & ~np.isnan(width)
    return np.where(np.isnan(width), -np.inf, np.where(both, np.inf, bound))
