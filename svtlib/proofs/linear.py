"""The cheapest linear alignment of an SVT, found by a linear program and checked for all inputs by a solver.

How the noise moves in a linear alignment, `LinearAlignment` says.
A negative pays for every move and nothing bounds how many there are, so its noise stays.
Which multiples keep every answer is a condition on linear inequalities, and the cheapest ones are a linear program over
the rationals; that they keep every answer for *all* real answers, thresholds and noise is decided by an SMT solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import z3

from svtlib.catalogue import ProofStep, Variant
from svtlib.mechanism import Mechanism
from svtlib.noise import Laplace, Noise, NoNoise
from svtlib.proofs.cost import Cost, Count
from svtlib.scales import Budget, Scale
from svtlib.switches import Comparison, Cutoff, Release

Direction = Literal["any", "rising", "falling"]
ENDS: dict[Direction, tuple[int, ...]] = {"any": (-1, 1), "rising": (0, 1), "falling": (-1, 0)}
ORDER: tuple[ProofStep, ...] = ("threshold", "positives", "release", "cut-off")


# --- what an SVT asks of an alignment ---------------------------------------------------------------------------------


class Price(NamedTuple):
    """What one Delta of a shift of a noise costs, whatever its scale is here."""

    each: Cost
    noise: Noise


@dataclass(frozen=True)
class Features:
    """A mechanism or a variant as the alignment sees it."""

    name: str
    absolute: bool
    release: Release
    monotonic: bool
    refresh: bool
    positives: Count  # that are released
    crossings: Count  # the positives, and the one that aborts
    threshold: Price
    redraw: Price
    query: Price
    number: Price | None

    @property
    def directions(self) -> tuple[Direction, ...]:
        """For which neighbours an alignment is sought: for all, or for answers that rise and for those that fall."""
        return ("rising", "falling") if self.monotonic else ("any",)

    @property
    def sides(self) -> tuple[int, ...]:
        """On which sides of 0 a noisy answer can be positive."""
        return (1, -1) if self.absolute else (1,)


def _counts(cutoff: Cutoff, slope: int, start: int) -> tuple[Count, Count]:
    """How many positives, and how many crossings of the threshold."""
    positives = Count(unbounded=True) if math.isinf(cutoff.most(1)) else Count(slope, start)
    return positives, replace(positives, start=positives.start + cutoff.extra)


def of_mechanism(m: Mechanism) -> Features:
    """A mechanism as the alignment sees it: prices are numbers."""

    def price(noise: Noise) -> Price:
        each = max((noise.price(way * Fraction(m.sensitivity)) for way in noise.moves), default=0)
        return Price(Cost.of("", Fraction(each)), noise)

    positives, crossings = _counts(m.ends, 0, m.c)
    return Features(
        m.name,
        m.sides.absolute,
        m.shows,
        m.monotonic,
        m.refresh,
        positives,
        crossings,
        price(m.threshold_noise),
        price(m.redraw_noise),
        price(m.query_noise),
        None if m.release_noise is None else price(m.release_noise),
    )


def of_variant(v: Variant, monotonic: bool, numbers: bool) -> Features:
    """A variant as the alignment sees it: prices are formulas."""

    def price(scale: Scale | None, family: Callable[..., Noise]) -> Price:
        if scale is None:
            return Price(Cost.of(), NoNoise())
        factor, one, two = scale.factor_for(monotonic), family(1.0), family(2.0)
        each = max((Fraction(one.price(way)) for way in one.moves), default=Fraction(0))
        if any(two.price(2 * way) != one.price(way) for way in one.moves):
            raise ValueError(f"threshold_family and query_family must take the scale of their noise, got {two!r}")
        return Price(Cost.of(scale.part, each / factor, -1 if scale.times_c else 0), one)

    threshold = price(v.threshold_scale, v.threshold_family)
    positives, crossings = _counts(Cutoff(v.cutoff), int(v.free_c), int(not v.free_c))
    return Features(
        v.key,
        Comparison(v.compare).absolute,
        Release.FRESH if numbers else Release(v.release),
        monotonic,
        v.refresh,
        positives,
        crossings,
        threshold,
        price(v.refresh_scale, v.threshold_family) if v.refresh_scale else threshold,
        price(v.query_scale, v.query_family),
        price(v.release_scale, Laplace) if numbers else None,
    )


# --- the linear program -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearAlignment:
    """How the noise moves, in multiples of Delta and of d = q' - q.

    Attributes
    ----------
    direction : {"any", "rising", "falling"}
        Which neighbours it is for: all, or (for monotonic queries) those whose answers rise, or fall.
    threshold : Fraction
        rho rises by this many Delta.
    positive, difference : Fraction
        The noise of a positive moves by positive * Delta + difference * d, where absolute values are compared by
        ± positive * Delta + difference * d with the sign of answer + nu.
        A negative keeps its noise; the noise of a released number moves by -d.

    Examples
    --------
    >>> print(LinearAlignment("any", Fraction(1), Fraction(1), Fraction(-1)))
    ρ → ρ + Δ, ν → ν + Δ - d at a positive
    """

    direction: Direction
    threshold: Fraction
    positive: Fraction
    difference: Fraction

    def shift(self, d: int, side: int = 1) -> Fraction:
        """By how many Delta the noise of a positive moves, whose answer moves by `d` Delta."""
        return side * self.positive + self.difference * d

    def __str__(self) -> str:
        return f"ρ → ρ{term(self.threshold, 'Δ')}, ν → ν{self.moved} at a positive"

    @property
    def moved(self) -> str:
        """The move of a positive's noise, in words."""
        return (term(self.positive, "Δ") + term(self.difference, "d")) or " + 0"


def term(factor: Fraction, symbol: str) -> str:
    """A multiple of a symbol as it is added to something, in words."""
    if not factor:
        return ""
    size = "" if abs(factor) == 1 else f"{abs(factor)}"
    return f" {'+' if factor > 0 else '-'} {size}{symbol}"


def rational(value: Any) -> Fraction:
    """The number that the solver found, or one within 10^-20 of it."""
    near = value.approx(20) if z3.is_algebraic_value(value) else value
    return Fraction(near.numerator_as_long(), near.denominator_as_long())


def exact(value: Fraction) -> Any:
    """A number as the solver takes it."""
    return z3.Q(value.numerator, value.denominator)


def _program(f: Features, direction: Direction, steps: tuple[ProofStep, ...]) -> tuple[Any, tuple[Any, ...], Any]:
    """The linear program with the conditions of `steps`: solver, unknowns (multiples), and what is to be made small.

    All moves are in units of Delta; conditions that are linear in d hold for all d if they hold at its two ends.
    Prices that are formulas are set to one number each: where the optimum depended on them, `cheapest` would say so.
    """
    o = z3.Optimize()
    a, b, k = z3.Reals("threshold positive difference")
    sample = Budget(epsilon=3.0, c=2, epsilon3=1.0)

    def pays(shift: Any, price: Price) -> Any:
        """The cost of a shift, at least: a new unknown."""
        paid = z3.FreshReal("paid")
        o.add(paid >= 0)
        for sign in (1, -1):
            if sign in price.noise.moves:
                o.add(paid >= exact(price.each.at(sample)) * sign * shift)
            else:
                o.add(sign * shift <= 0)
        return paid

    for d in ENDS[direction]:
        o.add(a >= (abs(d) if f.absolute else d))
    total = pays(a, f.threshold)
    more = f.crossings.at(2) - 1 if f.refresh else 0  # thresholds that are drawn after the first
    later = pays(a, f.redraw) if more else z3.RealVal(0)
    if not math.isinf(more):
        total = total + int(more) * later
    plain, released = z3.Reals("plain released")
    if "positives" in steps:
        o.add(plain >= 0, released >= 0)
        if f.absolute:
            o.add(b >= 0)  # outwards: two noises must not move to one
        for d in ENDS[direction]:
            for side in f.sides:
                shift = side * b + k * d
                o.add(side * (d + shift) >= a)
                paid = pays(shift, f.query)
                o.add(plain >= paid)
                if "release" in steps and (changes := f.release.kept(d + shift, a)) is not None:
                    o.add(changes == 0)
                number = pays(z3.RealVal(-d), f.number) if "release" in steps and f.number else z3.RealVal(0)
                o.add(released >= paid + number)
        if "cut-off" not in steps:
            total = total + plain + released
    if "cut-off" in steps:
        if f.crossings.unbounded:
            o.add(plain == 0, released == 0, later == 0)
        else:
            positives, crossings = int(f.positives.at(2)), int(f.crossings.at(2))
            total = total + positives * released + (crossings - positives) * plain
    return o, (a, b, k), total


def cheapest(f: Features, direction: Direction) -> tuple[LinearAlignment, ProofStep | None]:
    """The cheapest alignment; or, with the first step that has none, the cheapest one for the steps before it."""
    found = LinearAlignment(direction, Fraction(0), Fraction(0), Fraction(0))
    for index, step in enumerate(ORDER):
        o, unknowns, total = _program(f, direction, ORDER[: index + 1])
        o.minimize(total)
        # among alignments of the same cost, the one nearest to making up for d exactly, which is one of whole numbers
        excess = z3.Real("excess")
        o.add(excess >= unknowns[2] + 1, excess >= -unknowns[2] - 1)
        o.minimize(excess)
        if o.check() != z3.sat:
            return found, step
        model = o.model()
        found = LinearAlignment(direction, *(rational(model.eval(x, model_completion=True)) for x in unknowns))
    return found, None


# --- for all inputs ---------------------------------------------------------------------------------------------------


def refute(*conditions: Any) -> dict[str, Fraction] | None:
    """A case in which all `conditions` hold, small where one is found; None if there is none, for all real numbers."""
    solver = z3.Solver()
    solver.add(*conditions)
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer != z3.sat:
        raise RuntimeError(f"the solver could not decide {conditions}: {solver.reason_unknown()}")
    names = sorted({str(x): x for c in conditions for x in _unknowns(c)}.items())
    smallest = z3.Optimize()
    smallest.add(*conditions)
    size = z3.Sum([z3.If(x >= 0, x, -x) for _, x in names])
    smallest.minimize(size)
    model = smallest.model() if smallest.check() == z3.sat else solver.model()
    return {name: rational(model.eval(x, model_completion=True)) for name, x in names}


def _unknowns(expression: Any) -> Iterator[Any]:
    if z3.is_const(expression) and expression.decl().kind() == z3.Z3_OP_UNINTERPRETED:
        yield expression
    for child in expression.children():
        yield from _unknowns(child)


def case_of(direction: Direction, absolute: bool) -> tuple[list[Any], Any, Any, Any, Any, Callable[[Any], Any]]:
    """Conditions on d and Delta, both, a noisy answer and a noisy threshold, and what of an answer is compared."""
    d, delta, x, bar = z3.Reals("d Δ q+ν T+ρ")
    low, high = ENDS[direction][0], ENDS[direction][-1]
    near = [delta > 0, d >= low * delta, d <= high * delta]
    return near, d, delta, x, bar, lambda value: z3.If(value >= 0, value, -value) if absolute else value


def changed(
    positive: bool, rise: Fraction, by_delta: Fraction, by_d: Fraction, direction: Direction, absolute: bool = False
) -> dict[str, Fraction] | None:
    """Real numbers for which an answer changes; None if it stays for all of them.

    The threshold noise rises by `rise` Delta, that of the query moves by `by_delta` Delta (outwards, where absolute
    values are compared) and `by_d` d.
    """
    near, d, delta, x, bar, size = case_of(direction, absolute)
    raised, shift = bar + exact(rise) * delta, exact(by_delta) * delta

    def moved(value: Any) -> Any:
        outward = z3.If(value >= 0, shift, -shift) if absolute else shift
        return value + d + outward + exact(by_d) * d

    if not positive:
        return refute(*near, size(x) < bar, size(moved(x)) >= raised)
    kept = refute(*near, size(x) >= bar, size(moved(x)) < raised)
    if kept is not None or not absolute:
        return kept
    y = z3.Real("other q+ν")  # two noises that move to one: the map would not be one to one
    return refute(*near, x != y, size(x) >= bar, size(y) >= bar, moved(x) == moved(y))


def counterexample(f: Features, alignment: LinearAlignment, step: str) -> dict[str, Fraction] | None:
    """Real numbers for which `alignment` does not keep the answer of this step; None if it keeps it for all."""
    a, b, k = alignment.threshold, alignment.positive, alignment.difference
    if step != "release":
        move = (b, k) if step == "positives" else (Fraction(0), Fraction(0))
        return changed(step == "positives", a, *move, alignment.direction, f.absolute)
    near, d, delta, x, bar, size = case_of(alignment.direction, f.absolute)
    outward = exact(b) * delta * (z3.If(x >= 0, 1, -1) if f.absolute else 1)
    changes = f.release.kept(d + outward + exact(k) * d, exact(a) * delta)
    return None if changes is None else refute(*near, size(x) >= bar, changes != 0)
