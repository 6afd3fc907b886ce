"""What an alignment costs, as a number or as a formula in c and the parts of the budget."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from svtlib.scales import Budget

ROUNDING = Fraction(1, 2**48)  # of a scale and an epsilon that are floats, a few operations from what was meant

_SYMBOLS = {"": "", "epsilon1": "ε₁", "epsilon2": "ε₂", "epsilon3": "ε₃"}


def above(value: Fraction | float) -> float:
    """The least float that is not below `value`; infinity is one, minus infinity is not."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
    return near if near >= value else math.nextafter(near, math.inf)


def apart(value: float, limit: float) -> str:
    """A number with 6 digits, or with as many as tell it from `limit`."""
    shown = (f"{value:.{digits}g}" for digits in (6, 9, 12, 15, 17))
    return next((text for text in shown if float(text) != limit), f"{value:.6g}")


@dataclass(frozen=True)
class Count:
    """How often something is paid for: `slope` * c + `start`, or without bound.

    Examples
    --------
    >>> print(Count(1, 1), Count(0, 3), Count(unbounded=True))
    c + 1 3 ∞
    """

    slope: int = 0
    start: int = 0
    unbounded: bool = False

    def at(self, c: int) -> float:
        """The number for this c."""
        return math.inf if self.unbounded else self.slope * c + self.start

    def __str__(self) -> str:
        if self.unbounded:
            return "∞"
        if not self.slope:
            return str(self.start)
        return "c" + (f" + {self.start}" if self.start else "")


@dataclass(frozen=True)
class Cost:
    """A sum of terms coefficient * part * c^power, where the part "" stands for 1.

    Examples
    --------
    >>> cost = Cost.of("epsilon1") + Cost.of("epsilon2", 2).times(Count(1))
    >>> print(cost, cost.at(Budget(epsilon=1.0, c=2, split=3.0)))
    ε₁ + 2cε₂ 13/4
    """

    terms: tuple[tuple[str, int, Fraction], ...] = ()

    def __repr__(self) -> str:
        return str(self)

    @classmethod
    def _from(cls, terms: Mapping[tuple[str, int], Fraction]) -> Cost:
        kept = sorted((part, -power, value) for (part, power), value in terms.items() if value)
        return cls(tuple((part, -power, value) for part, power, value in kept))

    @classmethod
    def of(cls, part: str = "", coefficient: Fraction | int = 1, power: int = 0) -> Cost:
        """One term."""
        return cls._from({(part, power): Fraction(coefficient)})

    def __add__(self, other: Cost) -> Cost:
        terms: dict[tuple[str, int], Fraction] = {}
        for part, power, value in self.terms + other.terms:
            terms[part, power] = terms.get((part, power), Fraction(0)) + value
        return self._from(terms)

    def __mul__(self, factor: Fraction | int) -> Cost:
        return self._from({(part, power): value * factor for part, power, value in self.terms})

    def times(self, count: Count) -> Cost:
        """The cost of paying `count` times; the count is bounded."""
        grown = self._from({(part, power + 1): value for part, power, value in self.terms})
        return grown * count.slope + self * count.start

    def at(self, budget: Budget) -> Fraction:
        """The number, exactly, for a budget whose parts are taken as they are in floating point."""
        parts = dict(zip(_SYMBOLS, map(Fraction, (1, *budget.parts)), strict=True))
        return sum(
            (value * parts[part] * Fraction(budget.c) ** power for part, power, value in self.terms), Fraction(0)
        )

    def covers(self, other: Cost) -> bool:
        """Whether this cost is at least `other` for every budget and every c, seen term by term."""
        return all(value >= 0 for _, _, value in (self + other * -1).terms)

    def in_epsilons(self, ratio: Fraction) -> Cost:
        """The same where epsilon2 = ratio * epsilon1 and epsilon1 + epsilon2 = epsilon, as a number of epsilons."""
        share = {"epsilon1": 1 / (1 + ratio), "epsilon2": ratio / (1 + ratio)}
        return sum((Cost.of("", value * share[part], power) for part, power, value in self.terms), Cost())

    def __str__(self) -> str:
        by_part: dict[str, list[tuple[int, Fraction]]] = {}
        for part, power, value in self.terms:
            by_part.setdefault(part, []).append((power, value))
        return " + ".join(_polynomial(terms, _SYMBOLS[part]) for part, terms in by_part.items()) or "0"


def _polynomial(terms: Iterable[tuple[int, Fraction]], symbol: str) -> str:
    """A polynomial in c and 1/c times a symbol, over one denominator: (1 + 6c)ε/4."""
    ordered = sorted(terms, key=lambda term: (0, 1, -1).index(term[0]))
    bottom = math.lcm(*(value.denominator for _, value in ordered))
    top = ""
    for power, value in ordered:
        factor = abs(value * bottom)
        shown = {0: f"{factor}", 1: f"{factor}c" if factor != 1 else "c", -1: f"{factor}/c"}[power]
        sign = "-" if value < 0 else "+"
        top += f" {sign} {shown}" if top else ("-" if value < 0 else "") + shown
    under = f"/{bottom}" if bottom > 1 else ""
    if len(ordered) > 1:
        return f"({top}){symbol}{under}" if symbol else f"{top}{under}"
    if ordered[0][0] == -1:
        top, under = top.removesuffix("/c"), f"{under}/c"
    return f"{'' if top == '1' and symbol else top}{symbol}{under}"


def _largest_of(shown: Sequence[str]) -> str:
    """The largest of formulas, infinity where there are none."""
    return f"max({', '.join(shown)})" if len(shown) > 1 else "".join(shown) or "∞"


@dataclass(frozen=True)
class Bound:
    """The largest of some costs, or infinity where there are none: an epsilon as a formula.

    Examples
    --------
    >>> print(Bound((Cost.of("epsilon1"), Cost.of("epsilon2"))), Bound())
    max(ε₁, ε₂) ∞
    """

    costs: tuple[Cost, ...] = ()

    @classmethod
    def largest(cls, costs: Iterable[Cost]) -> Bound:
        """The largest of `costs`, without those that another one covers."""
        kept: list[Cost] = []
        for cost in costs:
            if not any(other.covers(cost) for other in kept):
                kept = [other for other in kept if not cost.covers(other)] + [cost]
        return cls(tuple(kept))

    def at(self, budget: Budget) -> Fraction | float:
        """The number for a budget: exact, or `inf`."""
        return max((cost.at(budget) for cost in self.costs), default=math.inf)

    def in_epsilons(self, ratio: float) -> str:
        """The formula in epsilon and c where epsilon2 = ratio * epsilon1 and nothing is kept for released numbers."""
        whole = Bound.largest(cost.in_epsilons(Fraction(ratio)) for cost in self.costs)
        return _largest_of([_polynomial([term[1:] for term in cost.terms], "ε") for cost in whole.costs])

    def __repr__(self) -> str:
        return _largest_of([str(cost) for cost in self.costs])
