"""The SVT that was read as a mechanism of svtlib, and what its proof says of it in words."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context
from typing import Any

from svtcourse.judge.convict.pairs import in_full
from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.replay import FAMILIES
from svtcourse.judge.unknowns.svts import ROUNDING, SVT, told_apart
from svtlib.mechanism import Mechanism
from svtlib.noise import Exponential, Laplace, Noise, NoNoise
from svtlib.proofs.prove import Proof

__all__ = ["bill_of", "mechanism_of", "proved", "spread_of"]

_UP = Context(prec=6, rounding=ROUND_CEILING)


def mechanism_of(svt: SVT, side: int, program: Mine, monotonic: bool) -> Mechanism:
    """The same as a value of svtlib, its claim split as its costs are; mirrored where what is low is positive."""
    rho, nu, number = _noise(svt.threshold), _noise(svt.query), _noise(svt.number)
    fresh = svt.release == "fresh"
    costs = [
        times * program.sensitivity / noise.width if noise.variance else 0.0
        for times, noise in ((1, rho), (2 * program.c, nu), (program.c if fresh else 0, number))
    ]
    parts = [program.epsilon * cost / (sum(costs) or 1.0) for cost in costs]
    return Mechanism(
        getattr(program.function, "__name__", "program"),
        threshold_noise=rho,
        query_noise=nu,
        release_noise=number if fresh else None,
        refresh=svt.refresh,
        refresh_noise=_noise(svt.again) if svt.refresh and svt.again != svt.threshold else None,
        c=svt.c,
        cutoff="at c" if svt.stops else None,
        release=svt.release,  # type: ignore[arg-type]
        compare="absolute" if svt.absolute else "signed",
        sensitivity=program.sensitivity,
        monotonic=monotonic,
        epsilon=program.epsilon,
        epsilon1=parts[0],
        epsilon2=parts[1],
        epsilon3=parts[2],
        correction=side * svt.correction,
    )


def _noise(law: tuple[str, float]) -> Noise:
    return FAMILIES[law[0]](law[1]) if law[1] else NoNoise()


def bill_of(proof: Proof, cost: Any, epsilon: float) -> str:
    """What each step pays, or the step that no noise can pay for."""
    if math.isinf(cost):
        reason = "each positive pays, and it is not seen to stop" if proof.failing_step == "cut-off" else proof.reason
        return f"the proof fails at the step “{proof.failing_step}”: {reason}"
    paid = [f"{step.step} {step.pays}" for step in proof.steps if step.step != "together" and step.pays != "0"]
    total, limit = told_apart(cost, epsilon)
    return f"it pays {' + '.join(paid)} = {total}, more than {limit}"


def proved(proof: Proof, epsilon: float) -> str:
    """What a proof costs, its sixth digit rounded up; or `epsilon`, where that rounds beyond it."""
    cost: Any = proof.epsilon
    if math.isinf(cost):
        return "inf"
    cost = cost * (1 - ROUNDING)
    rounded = float(_UP.create_decimal(cost))
    return in_full(epsilon if cost <= epsilon < rounded else rounded)


def spread_of(m: Mechanism, proof: Proof) -> str:
    """How much the noise varies, where the same price paid otherwise for threshold and queries buys less of it."""
    scales = [getattr(noise, "scale", 0.0) for noise in (m.threshold_noise, m.query_noise)]
    pays = [sum(float(step.pays) for step in proof.steps if step.step == name) for name in ("threshold", "positives")]
    unequal = m.refresh and m.redraw_noise != m.threshold_noise
    other = m.monotonic and m.release != "indicator"  # answers that rise and answers that fall have each a bill
    if type(m.threshold_noise) is not type(m.query_noise) or not all(scales) or not all(pays) or unequal or other:
        return ""
    once = 2.0 if isinstance(m.query_noise, Laplace) else 1.0 if isinstance(m.query_noise, Exponential) else 0.0
    prices = [pay * scale for pay, scale in zip(pays, scales, strict=True)]
    now, best = once * sum(s * s for s in scales), once * sum(x ** (2 / 3) for x in prices) ** 3 / sum(pays) ** 2
    return f"; ρ and ν have variance {now:.5g}, and {best:.5g} at the best split" if now > 1.01 * best else ""
