"""Proofs for all inputs: what the cheapest linear alignment of an SVT pays, and at which step there is none."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import z3

from svtlib import validate
from svtlib.catalogue import ProofStep, Variant, a_variant
from svtlib.mechanism import Mechanism
from svtlib.proofs.cost import ROUNDING, Bound, Cost, Count, above, apart
from svtlib.proofs.linear import (
    ENDS,
    ORDER,
    Features,
    LinearAlignment,
    cheapest,
    counterexample,
    exact,
    of_mechanism,
    of_variant,
    rational,
    term,
)
from svtlib.scales import Budget
from svtlib.switches import Release

__all__ = ["LinearAlignment", "Proof", "ProofLine", "prove"]


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


class _Bill(NamedTuple):
    """What an alignment pays for one way in which the answers of positives move."""

    alignment: LinearAlignment
    paid: tuple[Cost, Cost, Cost]  # as the threshold, the positives and the released numbers move

    @property
    def total(self) -> Cost:
        return sum(self.paid, Cost())


def _bills(f: Features, alignment: LinearAlignment) -> list[_Bill]:
    threshold = f.threshold.each * alignment.threshold
    if f.refresh:
        later = replace(f.crossings, start=f.crossings.start - 1)
        threshold = threshold + (f.redraw.each * alignment.threshold).times(later)
    shifts = [(d, alignment.shift(d, side)) for d in ENDS[alignment.direction] for side in f.sides]
    aborts = f.crossings != f.positives
    found = []
    for d, shift in shifts:
        number = (f.number.each * abs(d)).times(f.positives) if f.number else Cost()
        released = (f.query.each * abs(shift)).times(f.positives)
        # the crossing that aborts is a positive of its own, whose answer may move otherwise
        for extra in {shift for _, shift in shifts} if aborts else {Fraction(0)}:
            found.append(_Bill(alignment, (threshold, released + f.query.each * abs(extra), number)))
    return found


def prove(subject: Variant | Mechanism | str, *, monotonic: bool | None = None, numbers: bool = False) -> Proof:
    """Find the cheapest linear alignment of an SVT and check it for all inputs.

    Parameters
    ----------
    subject : Variant or its key, or Mechanism
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
        return _prove(of_mechanism(subject), _claim_of_mechanism(subject))
    subject = a_variant("subject", subject)
    monotonic = validate.boolean("monotonic", bool(monotonic) if monotonic is None else monotonic)
    if validate.boolean("numbers", numbers) and subject.release_scale is None:
        raise ValueError(f"numbers must be False for {subject.key}, which releases no fresh number")
    return _prove(of_variant(subject, monotonic, numbers), _claim_of_variant(subject, monotonic, numbers))


class _Claim(NamedTuple):
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
        spent = z3.Sum([exact(value) * powers[power] * parts[part] for part, power, value in cost.terms])
        s = z3.Solver()
        s.add(c >= 1, one > 0, two > 0, three > 0 if numbers else three == 0, spent > c * (one + two + three))
        if not v.free_c:
            s.add(c == 1)
        if not v.free_split and not v.split.power:
            s.add(two == exact(Fraction(v.split.ratio)) * one)
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
        at = {str(x): float(rational(model.eval(x, model_completion=True))) for x in (c, one, two, three)}
        return Budget(at["ε₁"] + at["ε₂"] + at["ε₃"], math.ceil(at["c"]), 1.0, monotonic, at["ε₂"] / at["ε₁"], at["ε₃"])

    return _Claim("ε", exceeded, lambda b: b.parts, Count(int(v.free_c), int(not v.free_c)), True)


def _prove(f: Features, claim: _Claim) -> Proof:
    found = [cheapest(f, direction) for direction in f.directions]
    broken = [(alignment, step) for alignment, step in found if step is not None]
    if broken:
        alignment, step = min(broken, key=lambda pair: ORDER.index(pair[1]))
        return _without_alignment(f, claim, alignment, step)
    alignments = [alignment for alignment, _ in found]
    unkept = [
        (step, counterexample(f, alignment, step))
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
    paid = bound.at(sample)
    epsilon, at_most = (bound, math.inf) if claim.symbolic else (float(paid), above(paid))
    alignments.sort(key=lambda alignment: alignment is not shown.alignment)
    lines = tuple(_lines(f, shown, claim, holds=not over))
    if not over:
        return Proof(f.name, f.monotonic, True, epsilon, claim.shown, tuple(alignments), lines, at_most=at_most)
    budget = next(budget for bill, budget in over if bill is shown)
    step, reason = _overspent(f, shown, claim, budget)
    return Proof(f.name, f.monotonic, False, epsilon, claim.shown, tuple(alignments), lines, step, reason, at_most)


def _check_integers(f: Features, alignments: list[LinearAlignment]) -> None:
    """Noise on the integers moves by integers: Delta and d are, and so must the multiples be."""
    for alignment in alignments:
        multiples = [alignment.threshold] * (f.threshold.noise.whole or f.redraw.noise.whole)
        multiples += [alignment.positive, alignment.difference] * f.query.noise.whole
        if any(value.denominator != 1 for value in multiples):
            raise RuntimeError(f"the cheapest alignment of {f.name} leaves the integers: {alignment}")


def _money(cost: Cost, claim: _Claim) -> str:
    paid = cost.at(Budget(epsilon=1.0))
    if isinstance(claim.shown, str) or paid <= Fraction(claim.shown) * (1 + ROUNDING):
        return str(cost) if claim.symbolic else f"{float(paid):.6g}"
    return apart(float(paid), claim.shown)


def _said(f: Features, alignment: LinearAlignment) -> dict[str, str]:
    """What each step says, in words, without a step in which there is nothing to say."""
    rises = f"ρ → ρ{term(alignment.threshold, 'Δ')}" if alignment.threshold else "ρ stays"
    each = " for each threshold that is drawn" if f.refresh else ""
    outwards, answer = ("moves outwards, ", "|q + ν|") if f.absolute else ("", "q + ν")
    number = {
        Release.COMPARED: "the number q + ν stays the same, so ν → ν - d",
        Release.FRESH: "the number stays the same: its noise moves by -d",
        Release.GAP: "the gap q + ν - (T + ρ) stays the same, as both move alike",
        Release.INDICATOR: "",
    }
    said = {
        "threshold": f"{rises}{each}",
        "negatives": f"ν stays, and {answer} stays below",
        "positives": f"ν {outwards}{'→ ν' + alignment.moved}, and {answer} stays above",
        "release": number[f.release],
        "cut-off": f"at most {f.crossings} cross{'' if f.crossings == Count(0, 1) else ' (each pays)'}",
    }
    return {step: sentence for step, sentence in said.items() if sentence}


def _lines(f: Features, bill: _Bill, claim: _Claim, *, holds: bool) -> Iterator[ProofLine]:
    threshold, positives, release = bill.paid
    paid = {"threshold": threshold, "negatives": Cost(), "positives": positives, "release": release}
    for step, sentence in _said(f, bill.alignment).items():
        yield ProofLine(step, sentence, True, _money(paid[step], claim) if step in paid else "0")
    sign = "at most" if holds else "more than"
    yield ProofLine("together", f"{sign} the claimed {claim.shown}", holds, _money(bill.total, claim))


def _overspent(f: Features, bill: _Bill, claim: _Claim, budget: Budget) -> tuple[ProofStep, str]:
    """The step that most exceeds its part of the budget (the first of equals), and by how much."""
    steps: tuple[ProofStep, ...] = ("threshold", "positives", "release")
    parts = claim.parts(budget)
    most = max(parts) or 1.0
    rows = zip(steps, ("ε₁", "ε₂", "ε₃"), (float(cost.at(budget)) for cost in bill.paid), parts, strict=True)
    step, name, spent, part = max(rows, key=lambda row: round((row[2] - row[3]) / most, 12))
    told = f"the cost is {apart(spent, part)}, {name} is {part:.6g}"
    if claim.symbolic:
        told += f" (c = {budget.c}, ε = {budget.epsilon:.6g})"
    crossings, paid_for = f.crossings.at(budget.c), claim.paid_for.at(budget.c)
    if step == "positives" and crossings > paid_for:
        return "cut-off", f"{crossings:.0f} can cross, {paid_for:.0f} are paid for: {told}"
    return step, told


def _without_alignment(f: Features, claim: _Claim, alignment: LinearAlignment, step: ProofStep) -> Proof:
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
    if f.release is Release.COMPARED and step == "release":
        reasons["release"] = "the number shows q + ν, so that sum must stay, and it may then be below the raised ρ"
    before = itertools.takewhile(lambda pair: pair[0] != step, said.items())
    lines = [*(ProofLine(*pair, True, "–") for pair in before), ProofLine(step, said[step], False, "∞")]
    epsilon: float | Bound = Bound() if claim.symbolic else math.inf
    return Proof(f.name, f.monotonic, False, epsilon, claim.shown, (), tuple(lines), step, reasons[step])
