"""Privacy losses enclosed by ball arithmetic: "more than epsilon" as a theorem and not as a comparison of floats.

Given the threshold noise the answers are independent, so the probability of an output is a sum or an integral over
that noise.  Between the points where a factor changes its formula the integrand is analytic, and the ball arithmetic of
FLINT (`acb.integral`) encloses its integral; outside a finite range both sides are bounded by monotonicity.
All inputs are the exact rationals that the floats stand for.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from svtlib import validate
from svtlib.exact.probability import Outcome, check_neighbours, epochs, parse
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.proofs.cost import above
from svtlib.proofs.enclosure import Ball, Enclosure, Law, Work, ball, density_at


@dataclass(frozen=True)
class Certificate:
    """A privacy loss between two bounds that hold, with everything needed to compute it again.

    Attributes
    ----------
    mechanism : Mechanism
    answers, neighbour, threshold : tuple of float or Fraction
        Exactly; a Fraction where no float is equal.
    outcome : object
        As it was given.
    log_probability, log_probability_on_neighbour : tuple of str
        Lower and upper bound of both, as decimals.
    decimals : tuple of str
        Lower and upper bound of the loss, likewise; both are "inf" where only the neighbour cannot give the outcome.

    Examples
    --------
    >>> import svtlib as svt
    >>> loss = svt.certify(svt.variant("alg4").calibrate(epsilon=1.0), [0, 0, 1], [1, 1, 0], "⊥⊥⊤")
    >>> loss.exceeds(1)
    True
    >>> loss.exceeds(2)
    False
    """

    mechanism: Mechanism
    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: tuple[float, ...]
    outcome: Any
    log_probability: tuple[str, str]
    log_probability_on_neighbour: tuple[str, str]
    decimals: tuple[str, str]

    @property
    def lower(self) -> float:
        """The loss is at least this: a float, rounded down."""
        return math.inf if self.decimals[0] == "inf" else -above(-Fraction(self.decimals[0]))

    @property
    def upper(self) -> float:
        """The loss is at most this: a float, rounded up."""
        return math.inf if self.decimals[1] == "inf" else above(Fraction(self.decimals[1]))

    def exceeds(self, epsilon: float | Fraction) -> bool:
        """Whether the loss is proved to be more than `epsilon`."""
        return self.lower == math.inf or Fraction(self.decimals[0]) > Fraction(epsilon)

    def rounded(self, digits: int) -> tuple[str, str]:
        """Both bounds with so many digits, rounded outwards, so that they are bounds too."""
        if self.lower == math.inf:
            return "∞", "∞"
        low, high = map(Fraction, self.decimals)
        return _decimal(low, digits, decimal.ROUND_FLOOR), _decimal(high, digits, decimal.ROUND_CEILING)

    def __repr__(self) -> str:
        if self.lower == math.inf:
            return f"Certificate({self.mechanism.name}: the neighbour cannot give this outcome, the loss is ∞)"
        parts = [text.partition("E") for text in self.decimals]
        low, high = (digits[:23] + "…" * (len(digits) > 23) + "".join(power) for digits, *power in parts)
        return f"Certificate({self.mechanism.name}: {low} <= loss <= {high})"


def _probability(m: Mechanism, q: list[Fraction], t: list[Fraction], outcome: Outcome, digits: int, work: Work) -> Ball:
    """The probability (density, where numbers are released), with `digits` correct digits."""
    found, seen = epochs(m, np.array(q, dtype=object), np.array(t, dtype=object), outcome, Fraction)
    value = ball(1)
    for _ in range(20):
        value = math.prod((density_at(Law(noise), number - answer) for noise, number, answer in seen), start=ball(1))
        if value == 0:
            return value
        if value > 0 and value.rel_accuracy_bits() > 3.33 * (digits + 3):
            break
        ctx.prec = min(int(ctx.prec * 1.5), 20000)
    else:
        raise ValueError(f"outcome must be likelier than it is for its density to be enclosed, got {outcome!r}")
    goal = arb(10) ** -(digits + 5)
    for epoch in found:
        enclosure = Enclosure(epoch, work)
        small = enclosure.guess()
        for _ in range(10):
            enclosed = enclosure.probability(small * goal)
            if enclosed == 0:
                return enclosed
            if enclosed > 0 and enclosed.rel_accuracy_bits() > 3.33 * (digits + 3):
                break
            small = min(small, enclosed.abs_upper()) * (arb(2) ** -60 if enclosed.contains(0) else 1)
            ctx.prec = min(int(ctx.prec * 1.5), 20000)
        else:
            raise ValueError(f"outcome must be likelier than it is for its probability to be enclosed, got {outcome!r}")
        value = value * enclosed
    return value


def certify(
    mechanism: Mechanism,
    answers: Iterable[Any],
    neighbour: Iterable[Any],
    outcome: Any,
    threshold: Any = 0.0,
    *,
    digits: int = 20,
    work: Work | None = None,
) -> Certificate:
    """Enclose the privacy loss of one output between two bounds that hold.

    Parameters
    ----------
    mechanism : Mechanism
    answers, neighbour : sequence of float or Fraction, length n
        True answers on two neighbouring datasets, in the units of `mechanism.sensitivity`, each the number that it is:
        0.1 is not 1/10, and 1.1 lies farther from it than 1.
    outcome : str or sequence
        As in `log_probability`.
    threshold : float or Fraction, or a sequence of length n
        Public, so the same on both.
    digits : int
        How many digits of both probabilities are to be right, 1 to 1000.
    work : Work, optional
        What may still be spent, where several enclosures share it.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If the outcome is possible on neither dataset or on the neighbour only, if the answers are not exactly those of
        neighbours, if an enclosure takes too much, or as in `log_probability`.

    Examples
    --------
    Theorem 3.5 of Lyu, Su & Li 2017, and a pair for Alg. 4.

    >>> import svtlib as svt
    >>> svt.certify(svt.variant("alg5").calibrate(epsilon=1.0), [0, 1], [1, 0], "⊥⊤")
    Certificate(alg5: the neighbour cannot give this outcome, the loss is ∞)
    >>> svt.certify(svt.variant("alg1").calibrate(epsilon=1.0), [0, 0], [1, 1], "⊥⊤", digits=12)
    Certificate(alg1: 0.0244608864803 <= loss <= 0.0244608864804)
    """
    a_mechanism(mechanism)
    digits = validate.count("digits", digits, most=1000)
    q = validate.rationals("answers", answers)
    t = validate.rationals("threshold", threshold, length=len(q))
    p = validate.rationals("neighbour", neighbour, length=len(q))
    check_neighbours(mechanism, np.array(q, dtype=object), np.array(p, dtype=object))
    parsed, work = parse(mechanism, outcome, len(q)), work or Work()
    with ctx.workprec(math.ceil(3.33 * digits) + 60):
        here = _probability(mechanism, q, t, parsed, digits, work)
        if here == 0:
            raise ValueError(f"outcome must be possible on answers, got {outcome!r}")
        there = here if p == q else _probability(mechanism, p, t, parsed, digits, work)
        logs = [("-inf", "-inf") if ball == 0 else _bounds(ball.log(), digits) for ball in (here, there)]
        loss = ("inf", "inf") if there == 0 else _bounds((here / there).log(), digits)
    shown: Any = [tuple(float(x) if float(x) == x else x for x in part) for part in (q, p, t)]
    return Certificate(mechanism, shown[0], shown[1], shown[2], outcome, logs[0], logs[1], loss)


def _bounds(value: Ball, digits: int) -> tuple[str, str]:
    """A ball's lower and upper end as decimals, rounded outwards."""
    return (
        _decimal(_fraction(value.lower()), digits, decimal.ROUND_FLOOR),
        _decimal(_fraction(value.upper()), digits, decimal.ROUND_CEILING),
    )


def _fraction(value: Ball) -> Fraction:
    mantissa, exponent = (int(part) for part in value.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _decimal(value: Fraction, digits: int, rounding: str) -> str:
    with decimal.localcontext() as context:
        context.prec, context.rounding = digits, rounding
        return str(decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator))
