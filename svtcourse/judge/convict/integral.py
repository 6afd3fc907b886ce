"""Integrals of one variable, in logarithms: laws of noise, and the density of a draw that comparisons share.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["FLOATS", "INF", "THIN", "Beyond", "log_between", "log_density", "log_integral", "log_sum"]

INF = float("inf")
FLOATS = 1e7  # scales beyond which a number in floats is too coarse
THIN = 1e-5  # part of a scale within which a density is the same, and of a number that floats tell apart well
_MOST_PIECES = 2_000
_MOST_WORK = 40_000  # pieces of an integral, times the draws that are not alike
_DEPTH = 45  # below its peak, in logarithms, where a density is left out
_STEEP = 50.0  # how much higher than at all nodes it is at the end of a panel, where it falls faster than they can see
_ROOT = math.sqrt(2)


class Beyond(Exception):
    """More than one draw is shared among comparisons that hang together, or floats do not tell."""


# Kronrod's 15 nodes on [-1, 1], from the outermost in, their weights, and those of Gauss at every other of them
_NODES = (
    (0.991455371120812639206854697526329, 0.022935322010529224963732008058970, 0.0),
    (0.949107912342758524526189684047851, 0.063092092629978553290700663189204, 0.129484966168869693270611432679082),
    (0.864864423359769072789712788640926, 0.104790010322250183839876322541518, 0.0),
    (0.741531185599394439863864773280788, 0.140653259715525918745189590510238, 0.279705391489276667901467771423780),
    (0.586087235467691130294144691693013, 0.169004726639267902826583426598550, 0.0),
    (0.405845151377397166906606412076961, 0.190350578064785409913256402421014, 0.381830050505118944950369775488975),
    (0.207784955007898467600689403773245, 0.204432940075298892414161999234649, 0.0),
    (0.0, 0.209482141084727828012999174891714 / 2, 0.417959183673469387755102040816327 / 2),
)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -INF


def log_sum(logs: list[float]) -> float:
    """The logarithm of the sum of numbers of which these are the logarithms."""
    top = max(logs)
    return top if top == -INF else top + math.log(sum([math.exp(max(x - top, -745.0)) for x in logs]))


def _less(more: float, less: float) -> float:
    """The same of a difference, which is not 0 though it may round to it."""
    return more + (_log(-math.expm1(max(less - more, -800.0))) if less < more else -40.0)


def _log_tail(x: float) -> float:
    """Log of the probability that a standard normal draw is above x, which is not negative."""
    if x < 25:
        return math.log(0.5 * math.erfc(x / _ROOT))
    if x == INF:
        return -INF
    y = 1 / (x * x)
    return -x * x / 2 - math.log(x * math.sqrt(2 * math.pi)) + math.log(1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y))))


def log_between(law: tuple[str, float], low: float, high: float, width: float = INF) -> float:
    """Log of the probability that a draw lies between two rounded numbers that are `width` apart."""
    family, b = law
    if family == "exponential" and low < 0:
        low, width = 0.0, high
    if family == "uniform" and (low < 0 or high > b):
        low, high = max(low, 0.0), min(high, b)
        width = high - low
    if not width > 0:
        return -INF
    low, high, width = low / b, high / b, width / b
    if family == "uniform":  # between 0 and b
        return math.log(width)
    if family == "exponential":
        return -low + _log(-math.expm1(-width))
    if family == "laplace":
        if low >= 0 or high <= 0:
            return -max(low, -high) + _log(-math.expm1(-width)) - math.log(2)
        rounded = width / (high - low) if width < 1 else 1.0
        return math.log(-0.5 * rounded * (math.expm1(-high) + math.expm1(low)))
    if width < THIN:
        return math.log(width * b) + log_density(law, (low + high) / 2 * b)
    if family == "normal":
        if low < 0 < high:
            return math.log(0.5 * (math.erf(high / _ROOT) + math.erf(-low / _ROOT)))
        near, far = (low, high) if low >= 0 else (-high, -low)
        return _less(_log_tail(near), _log_tail(far))
    if low > 600:  # of a Gumbel draw, whose tail is that of an exponential one
        return -low + _log(-math.expm1(-width))
    first, last = (math.exp(min(-x, 700.0)) if x > -INF else INF for x in (low, high))
    return _less(-last, -first)


def log_density(law: tuple[str, float], x: float) -> float:
    """Log of the density of a draw."""
    family, b = law
    x = x / b
    if family == "laplace":
        return -abs(x) - math.log(2 * b)
    if family == "exponential":
        return -x - math.log(b) if x >= 0 else -INF
    if family == "normal":
        return -0.5 * x * x - math.log(b * math.sqrt(2 * math.pi))
    if family == "gumbel":
        return -x - math.exp(min(-x, 700.0)) - math.log(b)
    return -math.log(b) if 0 <= x <= 1 else -INF


def log_integral(
    log: Callable[[float], float],
    low: float,
    high: float,
    kinks: set[float],
    borders: set[float],
    narrow: float,
    wide: float,
    kinds: int,
) -> float:
    """Log of the integral of a density that turns at the kinks, between two bounds."""
    if not low < high:
        return -INF
    reach, peak = 40 * wide, [-INF, 0.0]  # the highest that was met, and where
    ends = [x for x in (low, high) if abs(x) < INF]
    if any([0 < abs(x - end) <= THIN * abs(end) for end in ends for x in list(borders) + ends]):
        raise Beyond  # nearer than floats can tell
    kinks = kinks | borders | set(ends)

    def at(x: float) -> float:
        found = log(x)
        if found > peak[0]:
            peak[:] = [found, x]
        return found

    def height(x: float) -> float:
        return math.exp(min(max(at(x) - top, -745.0), 700.0))

    def panel(a: float, b: float) -> tuple[float, float]:
        """The integral between two places, and how far it may be off."""
        middle, half, fine, coarse, most = (a + b) / 2, (b - a) / 2, 0.0, 0.0, 0.0
        for x, kronrod, gauss in _NODES:
            left, right = height(middle - half * x), height(middle + half * x)
            fine += kronrod * (left + right)
            coarse += gauss * (left + right)
            most = max(most, left, right)
        edge = max(height(a), height(b))
        unseen = edge if edge > _STEEP * most else 0.0  # a peak between an end and the node next to it
        return half * fine, half * max(abs(fine - coarse), unseen)

    while True:  # further out until nothing lies at the ends, or with another unit where this one was too small
        start, stop = max(low, min(kinks) - reach), min(high, max(kinks) + reach)
        points = _ladders([start] + sorted(k for k in kinks if start < k < stop) + [stop], 2 * narrow)
        if len(points) > _MOST_PIECES or len(points) * kinds > _MOST_WORK:
            raise Beyond
        logs = [(at(a), at((a + b) / 2), at(b)) for a, b in zip(points, points[1:])]
        top = peak[0]
        if top == -INF:
            return top
        if top < -FLOATS:
            raise Beyond
        cut = (start > low and logs[0][0] > top - _DEPTH) or (stop < high and logs[-1][2] > top - _DEPTH)
        if cut and reach < 1e7 * wide:
            reach *= 4
            continue
        # such densities have one peak, so that where both ends are low, all between is
        places = zip(points, points[1:], logs)
        panels = [(a, b) for a, b, three in places if max(three) > top - _DEPTH or a <= peak[1] <= b]
        result = _refined(panels, panel)
        if peak[0] < top + 30:
            return top + _log(result)


def _refined(places: list[Any], panel: Callable[[float, float], tuple[float, float]]) -> float:
    """The sum of panels of which the worst is halved until that changes nothing: there may be edges without a kink."""
    panels = [(a, b) + panel(a, b) for a, b in places]
    for _ in range(_MOST_PIECES):
        errors = [error for _, _, _, error in panels]
        result = sum([found for _, _, found, _ in panels])
        if sum(errors) <= 1e-9 * result:
            return result
        a, b, _, _ = panels.pop(errors.index(max(errors)))
        middle = (a + b) / 2
        panels += [(a, middle) + panel(a, middle), (middle, b) + panel(middle, b)]
    raise Beyond


def _ladders(points: list[float], step: float) -> list[float]:
    """The same with others between two of them, at distances from both that double from `step`."""
    found = set(points)
    for a, b in zip(points, points[1:]):
        distance = step
        while 2 * distance < b - a:
            found |= {a + distance, b - distance}
            distance *= 2
    return sorted(found)
