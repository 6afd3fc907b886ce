"""Integrals of many functions side by side, from their logarithms: panels, and Gauss-Legendre rules on them.

Points and panels of all functions stand one after the other, each with the row that it belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from svtlib.noise_base import Array, Index

CUT = 50.0  # what is e^-50 below the largest value is left out
TOLERANCE = 1e-11  # of a log probability, relative where it is below -1; the contract is 1e-9
ROUNDS = 200
_MOST_PANELS, _MOST_OF_ONE = 1 << 17, 1 << 12  # more of one integral is only ever rounding that keeps two rules apart


def _rule(few: int, many: int) -> tuple[Array, Array]:
    """Nodes of two Gauss-Legendre rules on [0, 2] together, and the weights of either, shape (nodes, 2)."""
    (x, v), (y, w) = np.polynomial.legendre.leggauss(few), np.polynomial.legendre.leggauss(many)
    weights = np.zeros((few + many, 2))
    weights[:few, 0], weights[few:, 1] = v, w
    return np.concatenate([x, y]) + 1, weights


_SHORT, _LONG = _rule(4, 7), _rule(10, 16)


def ascending(row: Index, x: Array) -> tuple[Index, Array]:
    """Points sorted in each row, each once."""
    order = np.lexsort((x, row)) if row[-1:].any() else x.argsort()
    row, x = row[order], x[order]
    new = np.ones(x.size, dtype=bool)
    np.logical_or(x[1:] != x[:-1], row[1:] != row[:-1], out=new[1:])
    return row[new], x[new]


def ends_of(row: Index) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which points are the first of their row, and which the last."""
    edge = np.ones(row.size + 1, dtype=bool)
    np.not_equal(row[1:], row[:-1], out=edge[1:-1])
    return edge[:-1], edge[1:]


def ladders(row: Index, x: Array, step: float, below: float = 0.0, above: float = 0.0) -> tuple[Index, Array]:
    """Sorted points with others away from each, at distances that double from `step`.

    Between two neighbours of a row up to the middle; below the first and above the last up to the given distance.
    What happens near a point, and fades over a noise scale, is then resolved by the panels between these points.
    """
    first, last = ends_of(row)
    gaps = np.where(first[1:], 0.0, x[1:] - x[:-1])
    longest = float(gaps.max(initial=0.0))
    rows, parts = [row], [x]
    distance, reached = np.empty(0), 0.0
    for known, reach, sign in ((first, below, -1), (last, above, 1)):
        if reach:
            if reach != reached:
                doubled = step * 2.0 ** np.arange(max(1, 1 + math.ceil(math.log2(reach / step))))
                distance, reached = np.minimum(doubled, reach), reach
            parts.append((x[known][:, None] + sign * distance).ravel())
            rows.append(np.repeat(row[known], distance.size))
    while 3 * step < longest:
        (wide,) = (3 * step < gaps).nonzero()
        rows += [row[wide], row[wide]]
        parts += [x[wide] + step, x[wide + 1] - step]
        step *= 2
    return ascending(np.concatenate(rows), np.concatenate(parts))


def quadrature(
    log_integrand: Callable[[Array, Index], Array], row: Index, left: Array, right: Array, top: Array, s: float
) -> Array:
    """Log of each row's integral over its panels [left, right], refined until two Gauss-Legendre rules agree.

    `top` is about the largest value of each logarithm, `s` a length over which the noise changes.
    """
    rows = top.size
    top = np.where(np.bincount(row, minlength=rows) > 0, top, 0.0)  # nothing to add up where there are no panels
    tolerance = TOLERANCE * np.maximum(1.0, np.abs(top))
    far = tolerance > 1000  # below -1e14, where the logarithm of the width of a peak is beyond the last digit
    half = (right - left) / 2
    if far.any():
        row, left, half = row[~far[row]], left[~far[row]], half[~far[row]]

    def both_rules(which: Index | slice, rule: tuple[Array, Array]) -> Array:
        nodes, weights = rule
        z, owner = left[which, None] + half[which, None] * nodes, np.repeat(row[which], nodes.size)
        value = np.exp(log_integrand(z.ravel(), owner) - top[owner])
        return np.asarray(half[which, None] * (value.reshape(z.shape) @ weights))

    done, missed, short = np.zeros(rows), np.zeros(rows), (half < s / 8).nonzero()[0]
    for _ in range(ROUNDS):
        if short.size:
            long, sums = (half >= s / 8).nonzero()[0], np.empty((row.size, 2))
            sums[short], short = both_rules(short, _SHORT), short[:0]
            sums[long] = both_rules(long, _LONG)
        else:
            sums = both_rules(slice(None), _LONG)
        error, value = np.abs(sums[:, 1] - sums[:, 0]), sums[:, 1]
        total, unsure = done + np.bincount(row, value, rows), missed + np.bincount(row, error, rows)
        allowed = tolerance * total
        loose = unsure > allowed
        if not loose.any():
            break
        number = np.bincount(row, minlength=rows)
        bad = loose[row] & (error > (allowed / (4 * np.maximum(number, 1)))[row]) & (half > 1e-15 * np.abs(left))
        if not bad.any() or row.size > _MOST_PANELS or number.max() > _MOST_OF_ONE:
            loose = unsure > 50 * allowed
            break
        done += np.bincount(row[~bad], value[~bad], rows)
        missed += np.bincount(row[~bad], error[~bad], rows)
        row, left, half = np.repeat(row[bad], 2), np.repeat(left[bad], 2), np.repeat(half[bad] / 2, 2)
        left[1::2] += 2 * half[1::2]
    if (loose & ~far).any():
        worst = float(np.max((unsure / np.maximum(total, 1e-300))[loose & ~far]))
        raise ArithmeticError(f"the error bound was not reached: {worst:g} of an integral is uncertain")
    with np.errstate(divide="ignore"):
        return np.where(far, top, top + np.log(total))
