"""The probability of all comparisons that share one draw of the threshold noise.

Given rho the comparisons are independent (Lyu, Su & Li 2017, eq. 5), so this is one integral over rho of a product of
closed forms, or a sum where rho has atoms.
Everything is done with logarithms relative to the largest value, so underflow is no issue.
What takes care is to find the mass, which may sit in a peak much narrower than any noise scale, and far from zero.
Laplace, Exponential, Gumbel and Gaussian noise is log-concave, and so is then the integrand: a chord of its logarithm
bounds it beyond the chord, and outside the window where it is within e^-50 of its maximum it has no mass that counts.
(Negatives inside the absolute value: Prékopa's theorem. Positives there: for Laplace noise by its closed form, for
Exponential noise by its closed form on either side of one dent; for other families it is false in general, and not
used.)
Any other integrand is left to `svtlib.exact.integral_by_bounds`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from svtlib.exact.comparisons import FLOOR, Comparisons, Epoch
from svtlib.exact.integral_by_bounds import by_bounds
from svtlib.exact.quadrature import CUT, ROUNDS, ascending, ends_of, ladders, quadrature
from svtlib.noise import Geometric, NoNoise
from svtlib.noise_base import Array, Index, Noise, log_between, log_sum

_AT_ONCE = 256  # integrals, so that their points stay in the cache
_MOST_PIECES = 9  # of one integrand between its dents
_MANY = 16  # kinks; of more, some show where the mass is
_NARROW = 1e-8  # threshold noise, in widths of the queries', that needs points of its own at an edge
_MOST_POINTS = 1 << 12  # of one integrand, while its mass is looked for
_ROUNDING = 1e-14  # relative, of a logarithm
_MOST_ATOMS, _MOST_TERMS = 4096, 1 << 15


@lru_cache(maxsize=1 << 10)
def _refuse(noise: Noise) -> None:
    """Refuse noise of one's own whose probabilities are not integrated: whole, bounded, or without a variance."""
    if noise.discrete and not isinstance(noise, (Geometric, NoNoise)):
        raise ValueError(f"noise must have a density here, or be Geometric, got {noise!r}")
    if not math.isfinite(noise.width):
        raise ValueError(f"noise must have a variance here, got {noise!r}")
    if noise.width and not noise.unbounded:
        raise ValueError(f"noise must be unbounded here, wherever it can have that sign, got {noise!r}")


@lru_cache(maxsize=1 << 10)
def _falls(noise: Noise) -> bool:
    """Whether the density falls on both sides of 0, as far as some points tell; there a gap is bounded by it."""
    away = np.concatenate([[0.0], noise.width * 2.0 ** np.arange(-20, 9)])
    with np.errstate(invalid="ignore"):
        return not any(np.any(np.diff(noise.logpdf(side * away)) > 1e-9) for side in (1, -1))


def _refuse_gaps(noise: Noise) -> None:
    if not noise.whole and not _falls(noise):
        raise ValueError(f"noise of the queries must be likeliest at 0 and less likely beyond for a gap, got {noise!r}")


def log_integral(epoch: Epoch) -> float:
    """Log of the probability that all comparisons come out as told; a log density where there are offsets.

    ArithmeticError if the error bound cannot be reached, or only with too much work (`integral_by_bounds`).
    """
    _refuse(epoch.rho)
    _refuse(epoch.nu)
    if epoch.offsets:
        _refuse_gaps(epoch.nu)
    return _remembered(epoch) if len(epoch.groups) <= 32 else _log_integral(epoch)


@np.errstate(over="ignore")  # exp(-x) of Gumbel noise: its log probability is then below -1e308
def _log_integral(epoch: Epoch) -> float:
    rho, nu, absolute, groups, cap, offsets = epoch
    if isinstance(nu, NoNoise):
        low, high = -math.inf, cap
        for threshold, answer, positive, _ in groups:
            step = (abs(answer) if absolute else answer) - threshold
            low, high = (low, min(high, step)) if positive else (max(low, step), high)
        if low >= high:
            return -math.inf
        return float(log_between(rho, np.array([low]), np.array([high]), closed=(False, True))[0])
    if not groups and not offsets:
        return float(rho.logcdf(cap))
    if nu.discrete and any(offset != math.floor(offset) for offset in offsets):
        return -math.inf
    these = Comparisons.of(epoch)
    if isinstance(rho, NoNoise):
        total = float(these.total(np.zeros(1))[0])
        return total if cap >= 0 and total > FLOOR / 2 else -math.inf
    lows, highs = _interval(rho, these)
    low, high = float(lows[0]), float(highs[0])
    if low > high or (low == high and not rho.discrete):
        return -math.inf
    if low == high:
        return float(rho.logpdf(low) + these.total(lows)[0])
    if rho.log_concave and these.dents is not None:
        owner, lows, highs = _pieces(these, lows, highs)
        if owner.size == 1:
            return float(_by_concavity(rho, these, lows, highs)[0])
        if owner.size <= _MOST_PIECES:
            return float(log_sum(_by_concavity(rho, these.part(owner), lows, highs)))
    return by_bounds(rho, these, low, high)


def _interval(rho: Noise, these: Comparisons) -> tuple[Array, Array]:
    """Where in rho its density and the product of all comparisons are not 0."""
    low, high = these.support()
    can_fall, can_rise = rho.ways
    return low if can_fall else np.maximum(low, 0.0), high if can_rise else np.minimum(high, 0.0)


def possible(epoch: Epoch) -> bool:
    """Whether noise with densities gives these answers at all, however rarely."""
    rho, cap = epoch.rho, epoch.cap
    if epoch.nu.discrete or rho.whole:
        return False
    these = Comparisons.of(epoch._replace(cap=math.inf))
    if isinstance(rho, NoNoise):
        low, high = these.support()
        return bool(low[0] < 0.0 < high[0]) and cap >= 0
    low, high = _interval(rho, these)
    return bool(low[0] < min(high[0], cap))


_remembered = lru_cache(maxsize=1 << 14)(_log_integral)


def forget() -> None:
    """Forget the integrals that are remembered, so that a measurement of time measures them."""
    _remembered.cache_clear()


def log_integrals(rho: Noise, these: Comparisons) -> Array:
    """`log_integral` of every row, to the same error bound."""
    nu, rows = these.nu, np.arange(these.rows)
    _refuse(rho)
    _refuse(nu)
    if these.offset.size:
        _refuse_gaps(nu)
    if these.count.any() and not isinstance(rho, NoNoise) and not isinstance(nu, NoNoise):
        low, high = _interval(rho, these)
        if rho.discrete and not these.offset.size:
            added = _added_up(rho, these, low, high)
            if added is not None:
                return added
        elif rho.log_concave and these.dents is not None:
            owner, low, high = _pieces(these, low, high)
            parts = [slice(start, start + _AT_ONCE) for start in range(0, owner.size, _AT_ONCE)]
            with np.errstate(over="ignore"):
                whole = np.concatenate([_by_concavity(rho, these.part(owner[k]), low[k], high[k]) for k in parts])
            return whole if owner.size == rows.size else np.logaddexp.reduceat(whole, np.searchsorted(owner, rows))
    return np.array([log_integral(these.alone(rho, i)) for i in rows.tolist()])


def _pieces(these: Comparisons, low: Array, high: Array) -> tuple[Index, Array, Array]:
    """Row, beginning and end of intervals on which the integrands are log-concave."""
    assert these.dents is not None
    row = np.arange(these.rows)
    if not these.dents.size:
        return row, low, high
    dents = np.where((these.dents > low[:, None]) & (these.dents < high[:, None]), these.dents, np.nan)
    ends = np.sort(np.column_stack([dents, high]), axis=1)  # NaN last
    starts = np.column_stack([low, ends[:, :-1]])
    there = ~np.isnan(ends)
    there[:, 1:] &= ~(ends[:, 1:] == starts[:, 1:])
    return np.nonzero(there)[0], starts[there], ends[there]


def _first_points(rho: Noise, these: Comparisons, low: Array, high: Array, edged: bool) -> tuple[Index, Array]:
    """Points between which log-concave integrands are first looked at: kinks, if few, and ladders away from them."""
    kinks = np.concatenate([these.kinks(), np.zeros((these.rows, 1))], axis=1)
    if edged:
        kinks = np.clip(kinks, low[:, None], high[:, None])
    kinks.sort(axis=1)
    if kinks.shape[1] > _MANY:
        kinks = kinks[:, np.linspace(0, kinks.shape[1] - 1, 13).astype(int)]
    b, s = rho.width, these.nu.width
    reach = 45 * b + 24 * s
    parts = [kinks]
    for end, sign in ((low, 1), (high, -1)) if edged else ():  # towards an edge, where the logarithm may fall to -inf
        known = np.isfinite(end)[:, None]
        if known.any():
            for width in (s,) if b > _NARROW * s else (s, b):
                with np.errstate(invalid="ignore"):
                    room = np.minimum(width, (high - low) / 4)[:, None] * 10.0 ** -np.arange(1.0, 15.0, 2.0)
                    towards = end[:, None] + sign * np.column_stack([np.zeros(end.size), room])
                parts.append(np.where(known, towards, kinks[:, :1]))
    points = kinks if len(parts) == 1 else np.sort(np.concatenate(parts, axis=1), axis=1)
    row, x = np.repeat(np.arange(these.rows), points.shape[1]), points.ravel()
    row, x = ladders(row, x, 0.75 * s, reach, reach)
    if len(parts) > 1:
        row, x = ascending(row, np.clip(x, low[row], high[row]))
        inside = (low < high)[row]
        row, x = row[inside], x[inside]
    return row, x


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _by_concavity(rho: Noise, these: Comparisons, low: Array, high: Array) -> Array:
    """The integrals of log-concave functions, each on its (low, high)."""
    s, edged = these.nu.width, bool(np.isfinite(low).any() or np.isfinite(high).any())
    row, x = _first_points(rho, these, low, high, edged)
    top = np.full(these.rows, -np.inf)

    def log_integrand(z: Array, row: Index) -> Array:
        return np.maximum(rho.logpdf(z) + these.total(z, row), FLOOR)

    g = log_integrand(x, row)
    far = reach = 45 * rho.width + 24 * s
    narrow = s if rho.width > _NARROW * s else rho.width
    for _ in range(ROUNDS):
        if x.size > _MOST_POINTS * these.rows:
            raise ArithmeticError("the mass of a log-concave integrand is spread too thin")
        np.maximum.at(top, row, g)
        height = top[row]
        rounding = _ROUNDING * np.abs(height)
        near = g >= np.maximum(height - rounding - CUT, FLOOR / 2)
        first, last = ends_of(row)
        counts = ~last[:-1] & (near[1:] | near[:-1])
        below = height[1:] - np.maximum(g[1:], g[:-1]) + rounding[1:]
        # a concave function lies below the chords before and behind: so high may it be between two points
        width = x[1:] - x[:-1]
        slope = (g[1:] - g[:-1]) / width
        before, behind = np.full(width.size, np.inf), np.full(width.size, np.inf)
        before[1:] = np.where(first[1:-1], np.inf, g[1:-1] + slope[:-1] * width[1:])
        behind[:-1] = np.where(last[1:-1], np.inf, g[1:-1] - slope[1:] * width[:-1])
        hidden = np.minimum(before, behind) > height[1:] + 6 + rounding[1:]
        rough = counts & (hidden | (np.abs(g[1:] - g[:-1]) > 12 + below))
        (at,) = rough.nonzero()
        new_rows, new = [], []
        if at.size:
            a, b, owner = x[at], x[at + 1], row[at]
            each, least = width[at], 1e-14 * np.abs(a)
            if edged:
                at_edge = ((a == low[owner]) & (g[at] == FLOOR)) | ((b == high[owner]) & (g[at + 1] == FLOOR))
                least = np.maximum(np.where(at_edge, 1e-12 * narrow, 0.0), least)
            kept = each > least
            new_rows.append(np.repeat(owner[kept], 4))
            new.append((a[kept, None] + each[kept, None] * np.arange(1, 5) / 5).ravel())
        for end, limit, sign in ((first, low, -1), (last, high, 1)):
            (out,) = (near & end).nonzero()
            out = out[x[out] != limit[row[out]]]
            if out.size:
                new_rows.append(row[out])
                new.append(np.clip(x[out] + sign * far, low[row[out]], high[row[out]]))
        far *= 3
        if not any(part.size for part in new):
            break
        more, points = np.concatenate(new_rows), np.concatenate(new)
        row, x = np.concatenate([row, more]), np.concatenate([x, points])
        order = np.lexsort((x, row))
        row, x, g = row[order], x[order], np.concatenate([g, log_integrand(points, more)])[order]
    else:
        raise ArithmeticError("the mass of a log-concave integrand was not found")
    largest = g == height
    shift: Array = np.zeros(these.rows)
    shift[row[largest]] = x[largest]
    if edged:  # at an end a rounding may change the formula: nothing is to round there
        for limit in (low, high):
            shift = np.where(np.abs(shift - limit) < reach, limit, shift)
    left, right, row = x[:-1][counts], x[1:][counts], row[:-1][counts]
    if these.kinks().shape[1] >= _MANY:  # some are not among the first points
        row, left, right = _cut_at_kinks(these, row, left, right, s)
    moved = these.moved(shift)

    def shifted(z: Array, row: Index) -> Array:
        return rho.logpdf(z + shift[row]) + moved.total(z, row)

    return quadrature(shifted, row, left - shift[row], right - shift[row], top, s)


def _cut_at_kinks(these: Comparisons, row: Index, left: Array, right: Array, s: float) -> tuple[Index, Array, Array]:
    """Panels that no kink divides, and short beside each."""
    first, last = np.full(these.rows, np.inf), np.full(these.rows, -np.inf)
    np.minimum.at(first, row, left)
    np.maximum.at(last, row, right)
    kinks = np.column_stack([these.kinks(), np.zeros(these.rows), first, last])
    inside = (kinks >= first[:, None]) & (kinks <= last[:, None])
    rows, places = ladders(*ascending(np.nonzero(inside)[0], kinks[inside]), 1.5 * s)
    rows, x = ascending(np.concatenate([row, rows]), np.concatenate([left, places]))
    same = rows[1:] == rows[:-1]
    return rows[1:][same], x[:-1][same], x[1:][same]


def _added_up(rho: Noise, these: Comparisons, low: Array, high: Array) -> Array | None:
    """Sums over all atoms of rho; None if they are too many."""
    ends = np.where(np.isfinite([low, high]), [low, high], 0.0).T
    kinks = np.column_stack([-these.threshold, np.abs(these.answer) - these.threshold, ends])
    reach = math.ceil(45 * rho.width + 24 * these.nu.width)  # beyond the last kink everything falls like the noise
    first, last = math.floor(min(kinks.min(), 0.0)) - reach, math.ceil(max(kinks.max(), 0.0)) + reach
    if last - first > _MOST_ATOMS:
        return None
    atoms = np.arange(float(first), last + 1.0)
    result = np.empty(these.rows)
    at_once = max(1, _MOST_TERMS // atoms.size)
    for start in range(0, result.size, at_once):
        rows = slice(start, start + at_once)
        part, z = these.part(rows), np.broadcast_to(atoms, (result[rows].size, atoms.size))
        kept = (z >= low[rows, None]) & (z <= high[rows, None])
        row, z = np.nonzero(kept)[0], z[kept]
        log_p = rho.logpdf(z) + part.total(z, row)
        top = np.full(part.rows, -np.inf)
        np.maximum.at(top, row, log_p)
        found = top > FLOOR / 2
        shift = np.where(found, top, 0.0)
        with np.errstate(divide="ignore", under="ignore"):
            total = np.bincount(row, np.exp(np.minimum(log_p - shift[row], 0.0)), part.rows)
            result[rows] = np.where(found, np.log(total) + shift, -np.inf)
    return result
