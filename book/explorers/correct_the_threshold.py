"""The explorer "Correct the threshold": how likely a run is right, against what is added to its threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svtcourse.chapter.correction import success_probability, threshold_correction
from svtcourse.figures import plots
from svtlib.catalogue import variant as find_variant

from .frame import Control, Explorer, Parts, State, View, shown
from .one_run import NAMES

__all__ = ["CORRECT_THE_THRESHOLD", "DISTANCES", "KEYS", "KS", "RS"]

KEYS = ("svt_exp", "svt_gumbel", "exp_exp", "alg7")
CS = (1, 10, 50)
KS = (1, 3, 10, 30, 100, 300, 1000)
DISTANCES = (0, 5, 15)
RS = tuple(range(-2, 31))

TEXTS = {
    "sentence": "{variant} with c = {c} and r = {at:4} Δ/ε: {negatives|k} and then a positive, {where|away}, are all "
    "answered rightly with probability {chance|p:4}; the best r, {best}, has {chance|most:4}.",
    "negatives": "{k} negatives",
    "negatives 1": "1 negative",
    "where": "each {away} Δ/ε from the threshold",
    "where 0": "all at the threshold",
    "chance 0": "less than 10⁻⁶",
    "details": "The product of the probabilities of the comparisons is {chance|product:4} here and would choose "
    "r = {other}, where the run is right with probability {chance|there:4}.\n"
    "The mean of the noise, query minus threshold, is {mean} Δ/ε: as a correction it gives {chance|at_mean:4}.\n"
    "Without a correction the probability is {chance|without:4}.",
}


def _compute(state: State) -> dict[str, Any]:
    """The run and the product at every r, then the best r of each, and what they and the mean give."""
    c, k = state["c"], state["k"]
    m, alpha = find_variant(state["variant"]).calibrate(epsilon=1.0, c=c), float(state["alpha"] * c)

    def right(r: float, joint: bool = True) -> float:
        return _probability(success_probability(m, k, alpha=alpha, correction=r, joint=joint))

    best, other = (threshold_correction(m, k, alpha=alpha, joint=joint) for joint in (True, False))
    mean = m.query_noise.mean - m.threshold_noise.mean
    return {
        "run": [right(r * c) for r in RS],
        "product": [right(r * c, False) for r in RS],
        "best": [_correction(best), right(best)],
        "other": [_correction(other), right(other)],
        "mean": [_correction(mean), right(mean)],
    }


def _probability(p: float) -> float:
    """To four decimals, small ones to three digits; 0 for less than a millionth."""
    return round(p, 4) if p >= 0.01 else float(f"{p:.3g}") if p >= 1e-6 else 0.0


def _correction(r: float) -> float:
    """To three digits and three decimals."""
    return float(f"{round(r, 3):.3g}") + 0.0


def _parts(state: State, found: Mapping[str, Any]) -> Parts:
    c, place = state["c"], RS.index(state["r"])
    (best, most), (other, there), (mean, at_mean) = found["best"], found["other"], found["mean"]
    p, product, without = found["run"][place], found["product"][place], found["run"][RS.index(0)]
    return {
        "at": state["r"] * c, "away": state["alpha"] * c, "p": p, "product": product, "without": without,
        "best": best, "most": most, "other": other, "there": there, "mean": mean, "at_mean": at_mean,
        "warns": p < 0.8 * most,
    }  # fmt: skip


def _draw(state: State, found: Mapping[str, Any], view: View) -> str:
    key, c = state["variant"], state["c"]
    return plots.lines(
        [r * c for r in RS],
        {f"{key}: the run": found["run"], f"{key}: the product": found["product"]},
        reference={"chosen": found["run"][RS.index(state["r"])]},
        xlabel="correction r, in Δ/ε",
        ylabel="probability",
        alt=f"Two curves with one peak each against the correction. {view.sentence}",
    ).svg


CORRECT_THE_THRESHOLD = Explorer(
    name="correct-the-threshold",
    controls=(
        Control("variant", "Version", {key: NAMES[key] for key in KEYS}, "svt_exp"),
        Control("c", "Paid for, c", {c: str(c) for c in CS}, 1, slider=True),
        Control("k", "Negatives, k", {k: str(k) for k in KS}, 10, slider=True),
        Control("alpha", "Distance from T, in cΔ/ε", {d: str(d) for d in DISTANCES}, 5, slider=True),
        Control("r", "Correction r, in cΔ/ε", {r: shown(r) for r in RS}, 0, slider=True),
    ),
    by=("variant", "c", "k", "alpha"),
    texts=TEXTS,
    compute=_compute,
    parts=_parts,
    shared={"r": RS, "colors": {key: plots.style(key).color for key in KEYS}},
    draw=_draw,
    examples=(
        {},
        {"r": 9},
        {"k": 1000, "r": 0, "alpha": 0},
        {"k": 10, "r": 9, "alpha": 0},
        {"variant": "exp_exp", "k": 10, "alpha": 5, "r": 6},
        {"variant": "alg7", "c": 50, "k": 100, "alpha": 15, "r": 0},
        {"variant": "svt_gumbel", "c": 10, "k": 1, "r": -2},
    ),
    minutes="about a minute",
)
