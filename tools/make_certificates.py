"""Write data/certificates: for every row of the verdict table the alignment, or the pair, that decides it.

`tools/check_certificates.py` checks them again without svtlib; the page *Certificates* of the site lists them.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import svtlib as svt
from svtlib.noise import Noise
from svtlib.privacy.certify import Certificate

FOLDER = Path(__file__).resolve().parent.parent / "data" / "certificates"


def law(noise: Noise) -> dict[str, str]:
    """A noise family with its scale as an exact rational."""
    scale = getattr(noise, "scale", None)
    return {"family": type(noise).__name__} | ({} if scale is None else {"scale": str(Fraction(scale))})


def alignment(v: svt.Variant, monotonic: bool, numbers: bool = False) -> dict[str, Any]:
    """The cheapest alignment of a variant, as a formula for all budgets and c."""
    proof = svt.prove(v, monotonic=monotonic, numbers=numbers)

    def noise(scale: svt.Scale | None, family: type) -> dict[str, Any]:
        if scale is None:
            return {"family": "NoNoise"}
        factor = Fraction(scale.factor) / (2 if scale.halved_if_monotonic and monotonic else 1)
        return {"family": family.__name__, "factor": str(factor), "part": scale.part, "times_c": scale.times_c}

    assert not isinstance(proof.epsilon, float)
    threshold = noise(v.threshold_scale, v.threshold_family)
    for_which = " on monotonic queries" if monotonic else ""
    shown = " with released numbers" if numbers else ""
    every = "every epsilon" + (" and c" if v.free_c else "")
    return {
        "schema": 1,
        "kind": "alignment",
        "statement": f"{v.title}{shown}{for_which} is ({proof.epsilon})-DP, for {every}, for all n",
        "variant": v.key,
        "private": proof.holds,
        "monotonic": monotonic,
        "compare": v.compare,
        "release": "fresh" if numbers else v.release,
        "refresh": v.refresh,
        "cutoff": v.cutoff,
        "any_c": v.free_c,
        "split": None if v.free_split else str(Fraction(v.split.ratio)),
        "noise": {
            "threshold": threshold,
            "redraw": noise(v.refresh_scale, v.threshold_family) if v.refresh_scale else threshold,
            "query": noise(v.query_scale, v.query_family),
            **({"number": noise(v.release_scale, svt.Laplace)} if numbers else {}),
        },
        "alignments": [
            {
                "direction": a.direction,
                "threshold": str(a.threshold),
                "positive": str(a.positive),
                "difference": str(a.difference),
            }
            for a in sorted(proof.alignments, key=lambda a: a.direction, reverse=True)
        ],
        "epsilon": [[[part, power, str(value)] for part, power, value in cost.terms] for cost in proof.epsilon.costs],
    }


def loss(c: Certificate, exceeds: float, what: str) -> dict[str, Any]:
    """A pair of neighbours and an output, with the interval that its loss lies in."""
    m = c.mechanism
    answers = {False: "⊥", True: "⊤", svt.ABORT: "ABORT"}
    thresholds = set(c.threshold)
    assert len(thresholds) == 1
    found = "∞" if math.isinf(c.lower) else f"at least {c.lower:.6g}"
    return {
        "schema": 1,
        "kind": "loss",
        "statement": f"{what} loses {found} on {len(c.answers)} queries, so it is not {exceeds:g}-DP",
        "variant": m.name,
        "mechanism": {
            "threshold": law(m.threshold_noise),
            "redraw": law(m.redraw_noise),
            "query": law(m.query_noise),
            "compare": m.compare,
            "release": m.release,
            "refresh": m.refresh,
            "cutoff": m.cutoff,
            "c": m.c,
            "monotonic": m.monotonic,
            "sensitivity": str(Fraction(m.sensitivity)),
        },
        "answers": [str(Fraction(x)) for x in c.answers],
        "neighbour": [str(Fraction(x)) for x in c.neighbour],
        "threshold": str(Fraction(thresholds.pop())),
        "outcome": [answers[x] if isinstance(x, bool) or x is svt.ABORT else str(Fraction(x)) for x in c.outcome],
        "exceeds": str(Fraction(exceeds)),
        "loss": "inf" if math.isinf(c.lower) else [str(Fraction(text)) for text in c.decimals],
    }


def certificates() -> dict[str, dict[str, Any]]:
    """Every certificate by the name of its file."""
    found: dict[str, dict[str, Any]] = {}
    for key in svt.variants():
        v = svt.variant(key)
        for monotonic in (False, True):
            name = f"{key}{'-monotonic' if monotonic else ''}"
            proof = svt.prove(v, monotonic=monotonic)
            if proof.epsilon.costs:
                found[name] = alignment(v, monotonic)
            if v.release_scale:
                found[f"{name}-numbers"] = alignment(v, monotonic, numbers=True)
            if proof.holds:
                continue
            c = dict(proof.case).get("c", 1)
            m = v.calibrate(epsilon=1.0, c=int(c), monotonic=monotonic)
            for limit in (1,) if proof.epsilon.costs else (1, 10, 100):
                decision = svt.decide(m, limit)
                assert decision.certificate is not None, (key, limit)
                what = f"{v.title} at epsilon = 1, c = {m.c}{', monotonic queries,' if monotonic else ''}"
                found[f"{name}-above-{limit}"] = loss(decision.certificate, limit, what)
    one_sided = replace(svt.variant("abs_value").calibrate(epsilon=1.0), query_noise=svt.Exponential(4.0))
    shown = svt.certify(one_sided, [40, -42], [41, -41], [False, True], 4)
    found["abs_value-one-sided"] = loss(shown, 18, "One-sided noise inside the absolute value")
    return found


def main() -> None:
    """Write every certificate; remove what is none any more."""
    FOLDER.mkdir(exist_ok=True)
    found = certificates()
    for file in FOLDER.glob("*.json"):
        if file.stem not in found:
            file.unlink()
    for name, data in found.items():
        text = json.dumps(data, ensure_ascii=False, indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(found)} certificates in data/certificates")


if __name__ == "__main__":
    main()
