"""The explorer "Correct the threshold": how likely a run is right, against what is added to its threshold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from svtcourse.chapter.correction import success_probability, threshold_correction
from svtcourse.figures import plots
from svtcourse.figures.display import InlineSVG
from svtlib.catalogue import variant as find_variant
from svtlib.mechanism import Mechanism

from .frame import Control, Explorer, State, View, fill, shown
from .one_run import NAMES

__all__ = ["CORRECT_THE_THRESHOLD", "DISTANCES", "KEYS", "KS", "RS"]

KEYS = ("svt_exp", "svt_gumbel", "exp_exp", "alg7")
CS = (1, 10, 50)
KS = (1, 3, 10, 30, 100, 300, 1000)
DISTANCES = (0, 5, 15)
RS = tuple(range(-2, 31))

TEXTS = {
    "sentence": "{who} with c = {c} and r = {r} Δ/ε: {k} and then a positive, {where}, are all answered rightly with "
    "probability {p}; the best r, {best}, has {most}.",
    "one": "1 negative",
    "many": "{k} negatives",
    "at": "all at the threshold",
    "away": "each {alpha} Δ/ε from the threshold",
    "product": "The product of the probabilities of the comparisons is {p} here and would choose r = {best}, where the "
    "run is right with probability {there}.",
    "tiny": "less than 10⁻⁶",
    "mean": "The mean of the noise, query minus threshold, is {mean} Δ/ε: as a correction it gives {p}.",
    "zero": "Without a correction the probability is {p}.",
}


def _mechanism(key: str, c: int) -> Mechanism:
    return find_variant(key).calibrate(epsilon=1.0, c=c)


@lru_cache(maxsize=512)
def _curve(key: str, c: int, k: int, distance: int) -> dict[str, Any]:
    """The run and the product at every r, then the best r of each, and what they and the mean give."""
    m, alpha = _mechanism(key, c), float(distance * c)

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


def _name(key: str, c: int, k: int, distance: int) -> str:
    return f"{key} {c} {k} {distance}"


def _table() -> dict[str, Any]:
    return {
        "r": list(RS),
        "variants": {key: {"name": NAMES[key], "color": plots.style(key).color} for key in KEYS},
        "curves": {
            _name(key, c, k, distance): _curve(key, c, k, distance)
            for key in KEYS
            for c in CS
            for k in KS
            for distance in DISTANCES
        },
    }


def _place(state: State) -> tuple[str, int, int, int]:
    return state["variant"], state["c"], state["k"], state["alpha"]


def _find(numbers: Mapping[str, Any], state: State) -> Any:
    return numbers["curves"][_name(*_place(state))]


def _compute(state: State) -> dict[str, Any]:
    return _curve(*_place(state))


def _chance(p: float) -> str:
    return shown(p, 4) if p else TEXTS["tiny"]


def _words(state: State, found: Mapping[str, Any]) -> View:
    key, c, k, distance = _place(state)
    place = RS.index(state["r"])
    (best, most), (other, there), (mean, at_mean) = found["best"], found["other"], found["mean"]
    p = found["run"][place]
    sentence = fill(
        TEXTS["sentence"], who=NAMES[key], c=c, r=shown(state["r"] * c, 4), p=_chance(p), best=shown(best),
        most=_chance(most), k=TEXTS["one"] if k == 1 else fill(TEXTS["many"], k=k),
        where=TEXTS["at"] if not distance else fill(TEXTS["away"], alpha=distance * c),
    )  # fmt: skip
    details = (
        fill(TEXTS["product"], p=_chance(found["product"][place]), best=shown(other), there=_chance(there)),
        fill(TEXTS["mean"], mean=shown(mean), p=_chance(at_mean)),
        fill(TEXTS["zero"], p=_chance(found["run"][RS.index(0)])),
    )
    return View(sentence, p < 0.8 * most, details)


def _draw(state: State, found: Mapping[str, Any], view: View) -> InlineSVG:
    key, c = state["variant"], state["c"]
    return plots.lines(
        [r * c for r in RS],
        {f"{key}: the run": found["run"], f"{key}: the product": found["product"]},
        reference={"chosen": found["run"][RS.index(state["r"])]},
        xlabel="correction r, in Δ/ε",
        ylabel="probability",
        alt=f"Two curves with one peak each against the correction. {view.sentence}",
    )


CORRECT_THE_THRESHOLD = Explorer(
    name="correct-the-threshold",
    title="Correct the threshold",
    controls=(
        Control("variant", "Version", {key: NAMES[key] for key in KEYS}, "svt_exp"),
        Control("c", "Paid for, c", {c: str(c) for c in CS}, 1, slider=True),
        Control("k", "Negatives, k", {k: str(k) for k in KS}, 10, slider=True),
        Control("alpha", "Distance from T, in cΔ/ε", {d: str(d) for d in DISTANCES}, 5, slider=True),
        Control("r", "Correction r, in cΔ/ε", {r: shown(r) for r in RS}, 0, slider=True),
    ),
    texts=TEXTS,
    table=_table,
    find=_find,
    compute=_compute,
    words=_words,
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
