"""The explorer "Split the budget": what a split of epsilon between threshold and comparisons is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from svtcourse.chapter.accuracy import failure_probability, smallest_alpha
from svtcourse.figures import plots
from svtlib.catalogue import variant as find_variant

from .frame import Control, Explorer, Parts, State, View, short, shown

__all__ = ["CS", "SPLITS", "SPLIT_THE_BUDGET", "published", "value"]

CS = (1, 2, 3, 5, 10, 20, 50, 100)
KINDS = {"any": "of any kind", "monotonic": "monotonic, as counts"}
BETA, BELOW = 0.05, 100
SPLITS = tuple(float(f"{2 ** (k / 4):.4g}") for k in range(-8, 33))

MEASURES = {
    "noise": "noise of a comparison",
    "one": "one question right",
    "list": f"{BELOW} below and c above, all right",
}
TEXTS = {
    "sentence": "ε₂/ε₁ = {split}, c = {c}, {asked|kind}: {what|measure}, {lost|times} the best split, {best}.",
    "asked any": "queries of any kind",
    "asked monotonic": "monotonic queries",
    "what noise": "a comparison has noise with a standard deviation of {own} Δ/ε",
    "what one": "one question is answered rightly 95 times in 100 if it is {own} Δ/ε from the threshold",
    "what list": f"{BELOW} questions below the threshold and {{c}} above it are all answered rightly 95 times in 100 "
    "if each is {own} Δ/ε from it",
    "lost": "{} times as much as at",
    "lost 1": "as good as at",
    "details": "The best split gives {least} Δ/ε.\n"
    "Published splits: {name1} {needs|times1}, {name2} {needs|times2}, {name3} {needs|times3}, {name4} {needs|times4}.",
    "needs": "needs {} times as much",
    "needs 1": "is as good",
}


def published(c: int, kind: str) -> dict[str, float]:
    """Return the splits of the sources: their names, and epsilon2 / epsilon1.

    Examples
    --------
    >>> published(4, "any")
    {'1 : 1': 1.0, '1 : 3': 3.0, '1 : c': 4.0, '1 : (2c)^(2/3)': 4.0}
    """
    base = c if kind == "monotonic" else 2 * c
    name = "1 : c^(2/3)" if kind == "monotonic" else "1 : (2c)^(2/3)"
    return {"1 : 1": 1.0, "1 : 3": 3.0, "1 : c": float(c), name: float(f"{base ** (2 / 3):.4g}")}


def value(c: int, kind: str, measure: str, split: float) -> float:
    """Return what a split of epsilon = 1 costs, in units of Delta / epsilon.

    That is the standard deviation of a comparison; or the least distance from the threshold at which one question, or
    100 below and c above that share one threshold noise, are answered rightly with probability 0.95.

    Examples
    --------
    >>> [round(value(1, "any", measure, 1.0), 2) for measure in ("noise", "one", "list")]
    [6.32, 10.28, 28.55]
    """
    from scipy.optimize import brentq

    m = find_variant("alg7").calibrate(epsilon=1.0, c=c, monotonic=kind == "monotonic", split=split)
    if measure == "noise":
        return math.sqrt(m.threshold_noise.variance + m.query_noise.variance)
    if measure == "one":
        return smallest_alpha(m, 1, BETA)

    def excess(distance: float) -> float:
        answers = [-distance] * BELOW + [distance] * c
        return failure_probability(m, answers, alpha=distance) - BETA

    high = sum(noise.width for noise in (m.threshold_noise, m.query_noise))
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 1e-9 * high, high, xtol=1e-11 * high, rtol=1e-11))


def _compute(state: State) -> dict[str, Any]:
    """Values at every split, the best split with its value, and the published ones with theirs."""
    from scipy.optimize import minimize_scalar

    def at(split: float) -> float:
        return value(state["c"], state["kind"], state["measure"], split)

    ends = math.log(SPLITS[0]), math.log(SPLITS[-1])
    search = minimize_scalar(lambda x: at(math.exp(x)), bounds=ends, method="bounded", options={"xatol": 1e-5})
    best = math.exp(search.x)
    return {
        "values": [short(at(split), 5) for split in SPLITS],
        "best": [short(best, 3), short(at(best), 5)],
        "published": [[name, s, short(at(s), 5)] for name, s in published(state["c"], state["kind"]).items()],
    }


def _parts(state: State, found: Mapping[str, Any]) -> Parts:
    own, (best, least) = found["values"][SPLITS.index(state["split"])], found["best"]
    parts: Parts = {"kind": state["kind"], "measure": state["measure"], "own": own, "best": best, "least": least}
    for number, (name, _, there) in enumerate(found["published"], 1):
        parts |= {f"name{number}": name, f"times{number}": there / least}
    return parts | {"times": own / least, "warns": own > 1.25 * least}


def _draw(state: State, found: Mapping[str, Any], view: View) -> str:
    return plots.lines(
        SPLITS,
        {"alg7": found["values"]},
        log="x",
        reference={"chosen": found["values"][SPLITS.index(state["split"])], "best": found["best"][1]},
        xlabel="split ε₂/ε₁",
        ylabel=f"{MEASURES['noise'] if state['measure'] == 'noise' else 'distance needed'}, in Δ/ε",
        alt=f"A valley over the splits from 1 : 1/4 to 1 : 256. {view.sentence}",
    ).svg


SPLIT_THE_BUDGET = Explorer(
    name="split-the-budget",
    controls=(
        Control("kind", "Queries", KINDS, "any"),
        Control("measure", "What counts", MEASURES, "noise"),
        Control("c", "Paid for, c", {c: str(c) for c in CS}, 10, slider=True),
        Control("split", "Your split, ε₂/ε₁", {split: shown(split) for split in SPLITS}, 4.0, slider=True),
    ),
    by=("kind", "measure", "c"),
    texts=TEXTS,
    compute=_compute,
    parts=_parts,
    shared={"splits": SPLITS, "color": plots.style("alg7").color},
    draw=_draw,
    examples=(
        {},
        {"split": 8.0},
        {"c": 100, "split": 1.0},
        {"c": 100, "kind": "monotonic", "measure": "one", "split": 32.0},
        {"c": 10, "measure": "list", "split": 16.0},
        {"c": 1, "measure": "list", "split": 256.0},
    ),
    minutes="about a minute",
)
