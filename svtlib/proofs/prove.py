"""Proofs for all inputs: the cheapest linear alignment of an SVT, found by a linear program and checked by a solver.

An alignment moves the noise drawn on D, one to one, to noise on D' that gives the same output.
In the linear ones the threshold noise rises by a multiple of Delta, the noise of a positive moves by a combination of
Delta and q' - q (outwards by it, where absolute values are compared), and the noise of a released number by q - q'.
A negative pays for every move and nothing bounds how many there are, so its noise stays.
Which multiples keep every answer is a condition on linear inequalities, and the cheapest ones are a linear program over
the rationals; that they keep every answer for *all* real answers, thresholds and noise is decided by an SMT solver.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import z3

from svtlib import validate
from svtlib.budget import Budget, Scale
from svtlib.catalogue import ProofStep, Variant
from svtlib.mechanism import Mechanism
from svtlib.noise import Laplace, Noise, NoNoise
from svtlib.proofs.cost import ROUNDING, Bound, Cost, Count, above, apart
from svtlib.switches import Comparison, Cutoff, Release

__all__ = ["ENDS", "Direction", "LinearAlignment", "Proof", "ProofLine", "changed", "prove"]


Direction = Literal["any", "rising", "falling"]
ENDS: dict[Direction, tuple[int, ...]] = {"any": (-1, 1), "rising": (0, 1), "falling": (-1, 0)}
_ORDER: tuple[ProofStep, ...] = ("threshold", "positives", "release", "cut-off")


# --- what an SVT asks of an alignment ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Price:
    """What one Delta of a shift costs, and in which directions the noise can move at all."""

    each: Cost
    moves: tuple[int, ...]
    integer: bool = False  # the noise takes integers only, and so must its shifts

    @classmethod
    def of(cls, noise: Noise, each: Cost) -> _Price:
        return cls(each, noise.moves, noise.discrete and bool(noise.moves))


@dataclass(frozen=True)
class _Features:
    """A mechanism or a variant as the alignment sees it."""

    name: str
    absolute: bool
    release: Release
    monotonic: bool
    refresh: bool
    positives: Count  # that are released
    crossings: Count  # the positives, and the one that aborts
    threshold: _Price
    redraw: _Price
    query: _Price
    number: _Price | None

    @property
    def directions(self) -> tuple[Direction, ...]:
        return ("rising", "falling") if self.monotonic else ("any",)


def _counts(cutoff: Cutoff, slope: int, start: int) -> tuple[Count, Count]:
    """How many positives, and how many crossings of the threshold."""
    positives = Count(unbounded=True) if math.isinf(cutoff.most(1)) else Count(slope, start)
    return positives, replace(positives, start=positives.start + cutoff.extra)


def _of_mechanism(m: Mechanism) -> _Features:
    def price(noise: Noise) -> _Price:
        each = min(noise.price(m.sensitivity), noise.price(-m.sensitivity))
        return _Price.of(noise, Cost.of("", Fraction(each)) if noise.moves else Cost())

    positives, crossings = _counts(m.ends, 0, m.c)
    return _Features(
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


def _of_variant(v: Variant, monotonic: bool, numbers: bool) -> _Features:
    def price(scale: Scale | None, family: Callable[..., Noise]) -> _Price:
        if scale is None:
            return _Price.of(NoNoise(), Cost.of())
        factor = Fraction(scale.factor) / (2 if scale.halved_if_monotonic and monotonic else 1)
        return _Price.of(family(1.0), Cost.of(scale.part, 1 / factor, -1 if scale.times_c else 0))

    threshold = price(v.threshold_scale, v.threshold_family)
    positives, crossings = _counts(Cutoff(v.cutoff), int(v.free_c), int(not v.free_c))
    return _Features(
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
        return f"ρ → ρ{_term(self.threshold, 'Δ')}, ν → ν{self.moved} at a positive"

    @property
    def moved(self) -> str:
        """The move of a positive's noise, in words."""
        return (_term(self.positive, "Δ") + _term(self.difference, "d")) or " + 0"


def _term(factor: Fraction, symbol: str) -> str:
    if not factor:
        return ""
    size = "" if abs(factor) == 1 else f"{abs(factor)}"
    return f" {'+' if factor > 0 else '-'} {size}{symbol}"


def _rational(value: Any) -> Fraction:
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def _exact(value: Fraction) -> Any:
    return z3.Q(value.numerator, value.denominator)


def _sides(f: _Features) -> tuple[int, ...]:
    return (1, -1) if f.absolute else (1,)


def _program(f: _Features, direction: Direction, steps: tuple[ProofStep, ...]) -> tuple[Any, tuple[Any, ...], Any]:
    """The linear program with the conditions of `steps`: solver, unknowns (multiples), and what is to be made small.

    All moves are in units of Delta; conditions that are linear in d hold for all d if they hold at its two ends.
    Prices that are formulas are set to one number each: where the optimum depended on them, `_cheapest` would say so.
    """
    o = z3.Optimize()
    a, b, k = z3.Reals("threshold positive difference")
    sample = Budget(epsilon=3.0, c=2, epsilon3=1.0)

    def pays(shift: Any, price: _Price) -> Any:
        """The cost of a shift, at least: a new unknown."""
        paid = z3.FreshReal("paid")
        o.add(paid >= 0)
        for sign in (1, -1):
            if sign in price.moves:
                o.add(paid >= _exact(price.each.at(sample)) * sign * shift)
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
            for side in _sides(f):
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


def _cheapest(f: _Features, direction: Direction) -> tuple[LinearAlignment, ProofStep | None]:
    """The cheapest alignment; or, with the first step that has none, the cheapest one for the steps before it."""
    found = LinearAlignment(direction, Fraction(0), Fraction(0), Fraction(0))
    for index, step in enumerate(_ORDER):
        o, unknowns, total = _program(f, direction, _ORDER[: index + 1])
        o.minimize(total)
        # among alignments of the same cost, the one nearest to making up for d exactly, which is one of whole numbers
        excess = z3.Real("excess")
        o.add(excess >= unknowns[2] + 1, excess >= -unknowns[2] - 1)
        o.minimize(excess)
        if o.check() != z3.sat:
            return found, step
        model = o.model()
        found = LinearAlignment(direction, *(_rational(model.eval(x, model_completion=True)) for x in unknowns))
    return found, None


# --- for all inputs ---------------------------------------------------------------------------------------------------


def _refute(*conditions: Any) -> dict[str, Fraction] | None:
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
    return {name: _rational(model.eval(x, model_completion=True)) for name, x in names}


def _unknowns(expression: Any) -> Iterator[Any]:
    if z3.is_const(expression) and expression.decl().kind() == z3.Z3_OP_UNINTERPRETED:
        yield expression
    for child in expression.children():
        yield from _unknowns(child)


def _case(direction: Direction, absolute: bool) -> tuple[list[Any], Any, Any, Any, Any, Callable[[Any], Any]]:
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
    near, d, delta, x, bar, size = _case(direction, absolute)
    raised, shift = bar + _exact(rise) * delta, _exact(by_delta) * delta

    def moved(value: Any) -> Any:
        outward = z3.If(value >= 0, shift, -shift) if absolute else shift
        return value + d + outward + _exact(by_d) * d

    if not positive:
        return _refute(*near, size(x) < bar, size(moved(x)) >= raised)
    kept = _refute(*near, size(x) >= bar, size(moved(x)) < raised)
    if kept is not None or not absolute:
        return kept
    y = z3.Real("other q+ν")  # two noises that move to one: the map would not be one to one
    return _refute(*near, x != y, size(x) >= bar, size(y) >= bar, moved(x) == moved(y))


def _counterexample(f: _Features, alignment: LinearAlignment, step: str) -> dict[str, Fraction] | None:
    """Real numbers for which `alignment` does not keep the answer of this step; None if it keeps it for all."""
    a, b, k = alignment.threshold, alignment.positive, alignment.difference
    if step != "release":
        move = (b, k) if step == "positives" else (Fraction(0), Fraction(0))
        return changed(step == "positives", a, *move, alignment.direction, f.absolute)
    near, d, delta, x, bar, size = _case(alignment.direction, f.absolute)
    outward = _exact(b) * delta * (z3.If(x >= 0, 1, -1) if f.absolute else 1)
    changes = f.release.kept(d + outward + _exact(k) * d, _exact(a) * delta)
    return None if changes is None else _refute(*near, size(x) >= bar, changes != 0)


# --- the proof --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProofLine:
    """One step of a proof.

    Attributes
    ----------
    step : str
        "threshold", "negatives", "positives", "release", "cut-off" or "together".
    statement : str
        What it says, in words.
    holds : bool
        Whether it holds for all inputs; for "together", whether what is paid stays within the claim.
    pays : str
        What it costs, as a number or a formula.
    """

    step: str
    statement: str
    holds: bool
    pays: str


@dataclass(frozen=True)
class Proof:
    """The cheapest linear alignment of an SVT, checked for all inputs.

    Attributes
    ----------
    name : str
    monotonic : bool
    holds : bool
        Whether an alignment costs at most what is claimed: then the SVT is private, for all datasets, queries,
        thresholds and numbers of queries.
    epsilon : float or Bound
        What the cheapest alignment costs: a number for a mechanism, a formula for a variant; infinite where there is
        no linear alignment.
    claimed : float or str
    alignments : tuple of LinearAlignment
        One, or for monotonic queries one for answers that rise and one for answers that fall; the costliest first.
    steps : tuple of ProofLine
    failing_step : str or None
        The step that has no alignment, or the one that most exceeds its part of the budget.
    case : dict of str to Fraction
        Where it fails: numbers for which the alignment of the steps before does not keep the answer, or with which the
        claimed budget is exceeded.
    reason : str
        What happens there. Where it fails, no alignment *of this family* costs at most the claim: not yet that the SVT
        is not private, which a pair of datasets and an output show.
    at_most : float
        For a mechanism the least float that is not below the cost, which `epsilon` is rounded to the nearest of.
    """

    name: str
    monotonic: bool
    holds: bool
    epsilon: float | Bound
    claimed: float | str
    alignments: tuple[LinearAlignment, ...]
    steps: tuple[ProofLine, ...]
    failing_step: ProofStep | None = None
    case: tuple[tuple[str, Fraction], ...] = ()
    reason: str = ""
    at_most: float = math.inf

    def _head(self) -> str:
        for_which = " on monotonic queries" if self.monotonic else ""
        shown = str(self.epsilon)
        if isinstance(self.epsilon, float) and isinstance(self.claimed, float):
            shown = f"{self.epsilon:.6g}" if self.holds else apart(self.epsilon, self.claimed)
        shown = "∞" if shown == "inf" else f"({shown})" if " " in shown else shown
        if self.holds:
            return f"✓ {self.name}{for_which} is {shown}-DP, for every number of queries (claimed: {self.claimed})"
        return f"✗ {self.name}{for_which}: no linear alignment costs at most {self.claimed}; the cheapest costs {shown}"

    def __repr__(self) -> str:
        lines = [self._head()]
        lines += [f"  {'✓' if s.holds else '✗'} {s.step}: {s.statement}; pays {s.pays}" for s in self.steps]
        if not self.holds:
            lines.append(f"  fails at the step “{self.failing_step}”: {self.reason}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th scope='row'>{s.step}</th><td>{html.escape(s.statement)}</td>"
            f"<td>{'✓' if s.holds else '✗'}</td><td>{html.escape(s.pays)}</td></tr>"
            for s in self.steps
        )
        end = "" if self.holds else f"<p>Fails at the step “{self.failing_step}”: {html.escape(self.reason)}</p>"
        return (
            f'<div class="svt-proof"><p>{html.escape(self._head())}</p><table class="dataframe">'
            "<thead><tr><th>step</th><th>what it says</th><th>for all inputs</th><th>pays</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>{end}</div>"
        )


@dataclass(frozen=True)
class _Bill:
    """What an alignment pays for one way in which the answers of positives move."""

    alignment: LinearAlignment
    threshold: Cost
    positives: Cost
    release: Cost
    d: int
    shift: Fraction

    @property
    def total(self) -> Cost:
        return self.threshold + self.positives + self.release


def _bills(f: _Features, alignment: LinearAlignment) -> list[_Bill]:
    threshold = f.threshold.each * alignment.threshold
    if f.refresh:
        later = replace(f.crossings, start=f.crossings.start - 1)
        threshold = threshold + (f.redraw.each * alignment.threshold).times(later)
    shifts = [(d, alignment.shift(d, side)) for d in ENDS[alignment.direction] for side in _sides(f)]
    aborts = f.crossings != f.positives
    found = []
    for d, shift in shifts:
        number = (f.number.each * abs(d)).times(f.positives) if f.number else Cost()
        released = (f.query.each * abs(shift)).times(f.positives)
        # the crossing that aborts is a positive of its own, whose answer may move otherwise
        for extra in {shift for _, shift in shifts} if aborts else {Fraction(0)}:
            positives = released + f.query.each * abs(extra)
            found.append(_Bill(alignment, threshold, positives, number, d, shift))
    return found


def prove(subject: Variant | Mechanism, *, monotonic: bool | None = None, numbers: bool = False) -> Proof:
    """Find the cheapest linear alignment of an SVT and check it for all inputs.

    Parameters
    ----------
    subject : Variant or Mechanism
        For a variant the result is a formula, for every epsilon, c, sensitivity and split that `calibrate` accepts.
    monotonic : bool, optional
        Only for a variant: whether all answers that differ between neighbours move in one direction.
    numbers : bool
        Only for a variant that can release fresh numbers: whether it does (epsilon3 > 0).

    Returns
    -------
    Proof

    Raises
    ------
    ValueError
        If `subject` is neither, or an argument does not go with it.

    Examples
    --------
    >>> import svtlib as svt
    >>> print(svt.prove(svt.variant("alg1")).epsilon, "|", svt.prove(svt.variant("alg4")).epsilon)
    ε₁ + ε₂ | ε₁ + 2cε₂
    >>> svt.prove(svt.variant("alg4").calibrate(epsilon=1.0, c=2)).epsilon
    3.25
    >>> svt.prove(svt.variant("alg6")).failing_step
    'cut-off'
    """
    if isinstance(subject, Mechanism):
        if monotonic is not None or numbers:
            raise ValueError("monotonic and numbers must not be given for a Mechanism, which says both itself")
        return _prove(_of_mechanism(subject), _claim_of_mechanism(subject))
    if not isinstance(subject, Variant):
        raise ValueError(f"subject must be a Variant or a Mechanism, got {subject!r}")
    monotonic = validate.boolean("monotonic", bool(monotonic) if monotonic is None else monotonic)
    if validate.boolean("numbers", numbers) and subject.release_scale is None:
        raise ValueError(f"numbers must be False for {subject.key}, which releases no fresh number")
    return _prove(_of_variant(subject, monotonic, numbers), _claim_of_variant(subject, monotonic, numbers))


@dataclass(frozen=True)
class _Claim:
    """What a source claims, and whether a bill exceeds it."""

    shown: float | str
    exceeded: Callable[[Cost], Budget | None]
    parts: Callable[[Budget], tuple[float, float, float]]
    paid_for: Count
    symbolic: bool


def _claim_of_mechanism(m: Mechanism) -> _Claim:
    def exceeded(cost: Cost) -> Budget | None:
        nothing = Budget(epsilon=1.0)
        return nothing if cost.at(nothing) > Fraction(m.epsilon) * (1 + ROUNDING) else None

    return _Claim(m.epsilon, exceeded, lambda _: (m.epsilon1, m.epsilon2, m.epsilon3), Count(0, m.c), False)


def _claim_of_variant(v: Variant, monotonic: bool, numbers: bool) -> _Claim:
    def exceeded(cost: Cost) -> Budget | None:
        """A budget that `calibrate` accepts, in which `cost` is more than epsilon; decided for all of them."""
        c, one, two, three = z3.Reals("c ε₁ ε₂ ε₃")
        parts = {"": z3.RealVal(1), "epsilon1": one, "epsilon2": two, "epsilon3": three}
        powers = {-1: z3.RealVal(1), 0: c, 1: c * c}
        spent = z3.Sum([_exact(value) * powers[power] * parts[part] for part, power, value in cost.terms])
        s = z3.Solver()
        s.add(c >= 1, one > 0, two > 0, three > 0 if numbers else three == 0, spent > c * (one + two + three))
        if not v.free_c:
            s.add(c == 1)
        if not v.free_split and not v.split.power:
            s.add(two == _exact(Fraction(v.split.ratio)) * one)
        for bound in (1, 2, 4):  # a small case reads better
            s.push()
            s.add(c <= bound, one == 1, two <= bound)
            if s.check() == z3.sat:
                break
            s.pop()
        answer = s.check()
        if answer == z3.unsat:
            return None
        if answer != z3.sat:
            raise RuntimeError(f"the solver could not compare {cost} with the claim: {s.reason_unknown()}")
        model = s.model()
        at = {str(x): float(_rational_near(model.eval(x, model_completion=True))) for x in (c, one, two, three)}
        return Budget(at["ε₁"] + at["ε₂"] + at["ε₃"], math.ceil(at["c"]), 1.0, monotonic, at["ε₂"] / at["ε₁"], at["ε₃"])

    def parts(budget: Budget) -> tuple[float, float, float]:
        return budget.part("epsilon1"), budget.part("epsilon2"), budget.part("epsilon3")

    return _Claim("ε", exceeded, parts, Count(int(v.free_c), int(not v.free_c)), True)


def _rational_near(value: Any) -> Fraction:
    return _rational(value.approx(20) if z3.is_algebraic_value(value) else value)


def _prove(f: _Features, claim: _Claim) -> Proof:
    found = [_cheapest(f, direction) for direction in f.directions]
    broken = [(alignment, step) for alignment, step in found if step is not None]
    if broken:
        alignment, step = min(broken, key=lambda pair: _ORDER.index(pair[1]))
        return _without_alignment(f, claim, alignment, step)
    alignments = [alignment for alignment, _ in found]
    unkept = [
        (step, _counterexample(f, alignment, step))
        for alignment in alignments
        for step in ("negatives", "positives", "release")
    ]
    if any(case is not None for _, case in unkept):
        raise RuntimeError(f"the linear program and the solver disagree on {f.name}: {unkept}")
    _check_integers(f, alignments)
    bills = [bill for alignment in alignments for bill in _bills(f, alignment)]
    bound = Bound.largest(bill.total for bill in bills)
    over = [(bill, budget) for bill in bills if (budget := claim.exceeded(bill.total)) is not None]
    sample = Budget(epsilon=3.0, c=2, epsilon3=1.0) if claim.symbolic else Budget(epsilon=1.0)
    candidates = [bill for bill, _ in over] or bills
    shown = max(candidates, key=lambda bill: bill.total.at(sample))
    exact = bound.at(sample)
    epsilon, at_most = (bound, math.inf) if claim.symbolic else (float(exact), above(exact))
    alignments.sort(key=lambda alignment: alignment is not shown.alignment)
    lines = tuple(_lines(f, shown, claim, holds=not over))
    if not over:
        return Proof(f.name, f.monotonic, True, epsilon, claim.shown, tuple(alignments), lines, at_most=at_most)
    budget = next(budget for bill, budget in over if bill is shown)
    step, reason = _overspent(f, shown, claim, budget)
    case = {"d of a negative": Fraction(ENDS[shown.alignment.direction][-1]), "d of a positive": Fraction(shown.d)}
    case |= {"ρ moves by": shown.alignment.threshold, "ν of a positive moves by": shown.shift}
    if claim.symbolic:
        case["c"] = Fraction(budget.c)
    found_case = step, tuple(case.items()), reason, at_most
    return Proof(f.name, f.monotonic, False, epsilon, claim.shown, tuple(alignments), lines, *found_case)


def _check_integers(f: _Features, alignments: list[LinearAlignment]) -> None:
    """Noise on the integers moves by integers: Delta and d are, and so must the multiples be."""
    for alignment in alignments:
        multiples = [alignment.threshold] * (f.threshold.integer or f.redraw.integer)
        multiples += [alignment.positive, alignment.difference] * f.query.integer
        if any(value.denominator != 1 for value in multiples):
            raise RuntimeError(f"the cheapest alignment of {f.name} leaves the integers: {alignment}")


def _money(cost: Cost, claim: _Claim) -> str:
    paid = cost.at(Budget(epsilon=1.0))
    if isinstance(claim.shown, str) or paid <= Fraction(claim.shown) * (1 + ROUNDING):
        return str(cost) if claim.symbolic else f"{float(paid):.6g}"
    return apart(float(paid), claim.shown)


def _bars(f: _Features, text: str) -> str:
    return f"|{text}|" if f.absolute else text


def _said(f: _Features, alignment: LinearAlignment) -> dict[str, str]:
    """What each step says, in words."""
    rises = f"ρ → ρ{_term(alignment.threshold, 'Δ')}" if alignment.threshold else "ρ stays"
    each = " for each threshold that is drawn" if f.refresh else ""
    outwards = "moves outwards, " if f.absolute else ""
    number = {
        Release.COMPARED: "the number q + ν stays the same, so ν → ν - d",
        Release.FRESH: "the number stays the same: its noise moves by -d",
        Release.GAP: "the gap q + ν - (T + ρ) stays the same, as both move alike",
        Release.INDICATOR: "",
    }
    return {
        "threshold": f"{rises}{each}",
        "negatives": f"ν stays, and {_bars(f, 'q + ν')} stays below",
        "positives": f"ν {outwards}{'→ ν' + alignment.moved}, and {_bars(f, 'q + ν')} stays above",
        "release": number[f.release],
        "cut-off": f"at most {f.crossings} cross{'' if f.crossings == Count(0, 1) else ' (each pays)'}",
    }


def _lines(f: _Features, bill: _Bill, claim: _Claim, *, holds: bool) -> Iterator[ProofLine]:
    said = _said(f, bill.alignment)
    paid = {"threshold": bill.threshold, "negatives": Cost(), "positives": bill.positives, "release": bill.release}
    for step, cost in paid.items():
        if said[step]:
            yield ProofLine(step, said[step], True, _money(cost, claim))
    yield ProofLine("cut-off", said["cut-off"], True, "0")
    sign = "at most" if holds else "more than"
    yield ProofLine("together", f"{sign} the claimed {claim.shown}", holds, _money(bill.total, claim))


def _overspent(f: _Features, bill: _Bill, claim: _Claim, budget: Budget) -> tuple[ProofStep, str]:
    """The step that most exceeds its part of the budget (the first of equals), and by how much."""
    steps: tuple[ProofStep, ...] = ("threshold", "positives", "release")
    spent = [float(cost.at(budget)) for cost in (bill.threshold, bill.positives, bill.release)]
    parts = claim.parts(budget)
    excess = [round((s - part) / max(parts), 12) for s, part in zip(spent, parts, strict=True)]
    index = excess.index(max(excess))
    crossings = int(f.crossings.at(budget.c))
    told = f"{apart(spent[index], parts[index])} is paid from {parts[index]:.6g}"
    if claim.symbolic:
        told += f" where c = {budget.c}, ε = {budget.epsilon:.6g}, ε₁ = {parts[0]:.6g}"
    if steps[index] == "positives" and crossings > claim.paid_for.at(budget.c):
        return "cut-off", f"{crossings} can cross, {claim.paid_for.at(budget.c):.0f} are paid for: {told}"
    return steps[index], told


def _without_alignment(f: _Features, claim: _Claim, alignment: LinearAlignment, step: ProofStep) -> Proof:
    """The proof that ends at a step for which there is no alignment at all, or none of bounded cost."""
    needed = max(abs(d) if f.absolute else d for d in ENDS[alignment.direction])
    said = _said(f, replace(alignment, threshold=max(alignment.threshold, Fraction(needed))))
    cannot = "which this noise cannot do at a bounded cost"
    reasons: dict[ProofStep, str] = {
        "threshold": f"negatives stay negative only if ρ rises by {needed}Δ, {cannot}",
        "positives": f"positives stay positive only if ν moves {'outwards' if f.absolute else 'up'}, {cannot}",
        "release": f"the number shows answer + noise, so the noise must move by -d, {cannot}",
        "cut-off": "each positive pays, and nothing bounds how many there are",
    }
    case: dict[str, Fraction] | None = None
    if f.release is Release.COMPARED:
        reasons["release"] = "the number shows q + ν, which so must stay, and then it is below the raised ρ"
        if step == "release":
            case = _below_the_raised(f, alignment)
    lines = []
    for name in ("threshold", "negatives", "positives", "release", "cut-off"):
        if said[name]:
            fails = name == step
            lines.append(ProofLine(name, said[name], not fails, "∞" if fails else "–"))
            if fails:
                break
    epsilon: float | Bound = Bound() if claim.symbolic else math.inf
    return Proof(
        *(f.name, f.monotonic, False, epsilon, claim.shown, (), tuple(lines), step),
        case=tuple((case or {}).items()),
        reason=reasons[step],
    )


def _below_the_raised(f: _Features, alignment: LinearAlignment) -> dict[str, Fraction] | None:
    """A number that was above the noisy threshold and is below the raised one."""
    near, _, delta, x, bar, size = _case(alignment.direction, f.absolute)
    raised = bar + _exact(alignment.threshold) * delta
    return _refute(*near, delta == 1, size(x) >= bar, size(x) < raised)
