"""The explorer "Top c": how wrong a selection is, by dataset, epsilon, c and method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from svtcourse.chapter import experiments
from svtcourse.chapter.experiments import DATASETS, METHODS, RIVALS
from svtcourse.figures import display
from svtcourse.figures.plots import style
from svtlib.select.scores import load_scores

from .frame import Control, Explorer, Parts, State, View, shown

__all__ = ["CS", "EPSILONS", "SEED", "TOP_C", "TRIALS", "color"]

EPSILONS = (0.1, 0.2, 0.5, 1.0)
CS = tuple(range(25, 301, 25))
TRIALS, SEED = 1_000, 2018
MEASURES = {"ser": "SER: share of the top scores that is missing", "fnr": "FNR: share of the top c that is missed"}

_FAMILIES = {"SVT-DPBook": "alg2", "SVT-S": "alg7", "SVT-ReTr": "alg1", "EM, whole": "whole_sets"}
_FAMILIES |= {"EM": "exponential_mechanism", "exponential noise": "svt_exp"}
_NAMES = [*METHODS, *RIVALS]
_STATUS = {title: load_scores(name).status for title, name in DATASETS.items()}
_COLUMNS = ["ser_mean", "ser_std", "fnr_mean", "fnr_std"]

TEXTS = {
    "sentence": "{method} on {dataset} at ε = {epsilon}, c = {c}: {measure} {error}, the exponential mechanism "
    "{other|method}.",
    "other": "{em}",
    "other EM": "itself",
    "details": f"Over {TRIALS:,} runs the {{measure}} of {{method}} has a standard deviation of {{spread}}.\n"
    "The same bound ε for every method, and for every SVT a threshold computed from the whole list.\n"
    "{known|status}",
    "known estimate": "{dataset} is an estimate: its scores are off by about 2 %.",
    "known exact": "The scores of {dataset} are exact.",
    "known exact head": "The scores of {dataset} are exact at the head; the tail is a model.",
}


def color(method: str) -> str:
    """The colour of a method's family.

    Examples
    --------
    >>> color("SVT-S-1:3") == color("SVT-S-1:1") != color("EM")
    True
    """
    return next(style(key).color for family, key in _FAMILIES.items() if method.startswith(family))


def _compute(state: State) -> list[list[float]]:
    """Mean and standard deviation of SER, and of FNR, for each method; the seed is the place in the whole grid."""
    dataset, epsilon, c = state["dataset"], state["epsilon"], state["c"]
    before = (list(DATASETS).index(dataset) * len(EPSILONS) + EPSILONS.index(epsilon)) * len(CS) + CS.index(c)
    runs = (
        experiments.cell(dataset, epsilon, c, method, trials=TRIALS, seed=[seed, before * len(group) + place])
        for seed, group in ((SEED, METHODS), (SEED + 1, RIVALS))
        for place, method in enumerate(group)
    )
    found: list[list[float]] = np.round([[run[name] for name in _COLUMNS] for run in runs], 4).tolist()
    return found


def _column(state: State) -> int:
    return 2 * list(MEASURES).index(state["measure"])


def _parts(state: State, found: Sequence[Sequence[float]]) -> Parts:
    own, em = (found[_NAMES.index(name)] for name in (state["method"], "EM"))
    error, spread = own[_column(state) :][:2]
    return {"error": error, "spread": spread, "em": em[_column(state)], "status": _STATUS[state["dataset"]]}


def _draw(state: State, found: Sequence[Sequence[float]], view: View) -> str:
    """The mean error of every method with one standard deviation."""
    column = _column(state)
    fig = Figure(figsize=(5.6, 4.7), layout="constrained")
    ax = fig.subplots()
    place = list(range(len(found)))[::-1]
    mean = [numbers[column] for numbers in found]
    ax.barh(place, mean, color=[color(name) for name in _NAMES])
    ax.errorbar(mean, place, xerr=[n[column + 1] for n in found], fmt="none", ecolor="#000000", elinewidth=1)
    ax.set(yticks=place, yticklabels=_NAMES, xlim=(0, 1.05), xlabel=MEASURES[state["measure"]])
    ax.spines[["top", "right"]].set_visible(False)
    values = ", ".join(f"{name} {shown(value)}" for name, value in zip(_NAMES, mean, strict=True))
    return display.figure(fig, alt=f"{view.sentence} All methods as bars: {values}.").svg


TOP_C = Explorer(
    name="top-c",
    controls=(
        Control("dataset", "Dataset", {name: name for name in DATASETS}, "Kosarak"),
        Control("method", "Method", {name: name for name in _NAMES}, "SVT-S-1:c^(2/3)"),
        Control("measure", "Measure", {name: name.upper() for name in MEASURES}, "ser"),
        Control("epsilon", "Budget ε", {epsilon: f"{epsilon:g}" for epsilon in EPSILONS}, 0.1, slider=True),
        Control("c", "Wanted, c", {c: str(c) for c in CS}, 100, slider=True),
    ),
    by=("dataset", "epsilon"),
    along="c",
    texts=TEXTS,
    compute=_compute,
    parts=_parts,
    shared={
        "trials": TRIALS,
        "c": CS,
        "datasets": _STATUS,
        "methods": {name: color(name) for name in _NAMES},
    },
    draw=_draw,
    examples=(
        {},
        {"measure": "fnr"},
        {"dataset": "BMS-POS", "method": "EM", "epsilon": 0.5, "c": 300, "measure": "fnr"},
        {"dataset": "AOL", "method": "SVT-ReTr-1:c^(2/3) 3D", "epsilon": 0.2, "c": 50},
        {"dataset": "Zipf", "method": "SVT-DPBook", "epsilon": 1.0, "c": 25},
        {"method": "EM, whole sets", "c": 300},
    ),
    minutes="about ten minutes",
)
