"""Write data/certificates: for every row of the verdict table the alignment, or the pair, that decides it.

`tools/check_certificates.py` checks them again without svtlib; the page *Certificates* of the site lists them.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from check_certificates import check_alignment, check_loss

import svtlib as svt
from svtlib.catalogue import Variant
from svtlib.noise import Noise
from svtlib.proofs.certify import Certificate
from svtlib.scales import Scale

DIGITS = 20
FOLDER = Path(__file__).resolve().parent.parent / "data" / "certificates"


def law(noise: Noise) -> dict[str, str]:
    """A noise family with its scale as an exact rational."""
    return {"family": type(noise).__name__} | ({"scale": str(Fraction(noise.scale))} if noise.scale else {})


def alignment(v: Variant, monotonic: bool, numbers: bool = False) -> dict[str, Any]:
    """The cheapest alignment of a variant, as a formula for all budgets and c."""
    proof = svt.prove(v, monotonic=monotonic, numbers=numbers)

    def noise(scale: Scale | None, family: type) -> dict[str, Any]:
        if scale is None:
            return {"family": "NoNoise"}
        factor = Fraction(scale.factor) / (2 if scale.halved_if_monotonic and monotonic else 1)
        return {"family": family.__name__, "factor": str(factor), "part": scale.part, "times_c": scale.times_c}

    assert not isinstance(proof.epsilon, float)
    threshold = noise(v.threshold_scale, v.threshold_family)
    data = {
        "schema": 1,
        "kind": "alignment",
        "statement": "",
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
            {name: str(getattr(a, name)) for name in ("direction", "threshold", "positive", "difference")}
            for a in sorted(proof.alignments, key=lambda a: a.direction, reverse=True)
        ],
        "epsilon": [[[part, power, str(value)] for part, power, value in cost.terms] for cost in proof.epsilon.costs],
    }
    return data | {"statement": check_alignment(data)}


def loss(found: Certificate, exceeds: float) -> dict[str, Any]:
    """A pair of neighbours and an output, with the interval that its loss lies in.

    Enclosed to more digits than are written: the last one then does not depend on how, and on no processor.
    """
    m = found.mechanism
    c = svt.certify(m, found.answers, found.neighbour, found.outcome, found.threshold, digits=2 * DIGITS)
    answers = {False: "⊥", True: "⊤", svt.ABORT: "ABORT"}
    thresholds = set(c.threshold)
    assert len(thresholds) == 1
    data = {
        "schema": 1,
        "kind": "loss",
        "statement": "",
        "variant": m.name,
        "mechanism": {
            "threshold": law(m.threshold_noise),
            "redraw": law(m.redraw_noise),
            "query": law(m.query_noise),
            **{name: getattr(m, name) for name in ("compare", "release", "refresh", "cutoff", "c", "monotonic")},
            "sensitivity": str(Fraction(m.sensitivity)),
        },
        "answers": [str(Fraction(x)) for x in c.answers],
        "neighbour": [str(Fraction(x)) for x in c.neighbour],
        "threshold": str(Fraction(thresholds.pop())),
        "outcome": [answers[x] if isinstance(x, bool) or x is svt.ABORT else str(Fraction(x)) for x in c.outcome],
        "exceeds": str(Fraction(exceeds)),
        "loss": "inf" if math.isinf(c.lower) else [str(Fraction(text)) for text in c.rounded(DIGITS)],
    }
    return data | {"statement": check_loss(data)}


def certificates(keys: Iterable[str] = svt.variants()) -> dict[str, dict[str, Any]]:
    """Every certificate of these variants by the name of its file."""
    found: dict[str, dict[str, Any]] = {}
    for key in keys:
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
            c = next(c for c in itertools.count(1) if svt.actual_epsilon(v, 1.0, c, monotonic) > 1)
            m = v.calibrate(epsilon=1.0, c=c, monotonic=monotonic)
            for limit in (1,) if proof.epsilon.costs else (1, 10, 100):
                decision = svt.decide(m, limit)
                assert decision.certificate is not None, (key, limit)
                found[f"{name}-above-{limit}"] = loss(decision.certificate, limit)
    one_sided = replace(svt.variant("abs_value").calibrate(epsilon=1.0), query_noise=svt.Exponential(4.0))
    shown = svt.certify(one_sided, [40, -42], [41, -41], [False, True], 4)
    found["abs_value-one-sided"] = loss(shown, 18)
    return found


def written(data: dict[str, Any]) -> str:
    """A certificate as its file has it."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write every certificate; remove what is none any more."""
    FOLDER.mkdir(exist_ok=True)
    found = certificates()
    for file in FOLDER.glob("*.json"):
        if file.stem not in found:
            file.unlink()
    for name, data in found.items():
        (FOLDER / f"{name}.json").write_text(written(data), encoding="utf-8")
    print(f"{len(found)} certificates in data/certificates")


if __name__ == "__main__":
    main()
