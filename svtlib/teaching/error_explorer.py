"""The explorer "How wrong is a selection?": errors of every method by dataset, epsilon and c.

The site reads a table that `python -m svtlib.teaching.error_explorer` writes; JupyterLab runs the cells when asked.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from svtlib import validate
from svtlib.teaching import display
from svtlib.teaching.plots import style
from svtlib.utility.experiments import DATASETS, METHODS, sweep
from svtlib.utility.scores import load_scores

__all__ = ["CS", "EPSILONS", "SEED", "TRIALS", "color", "errors_table", "explore_errors", "main", "picture", "script"]

EPSILONS = (0.1, 0.2, 0.5, 1.0)
CS = tuple(range(25, 301, 25))
TRIALS, SEED = 1_000, 2018
MEASURES = {"ser": "SER: share of the top scores that is missing", "fnr": "FNR: share of the top c that is missed"}
NOTE = "The same bound ε for every method, and for every SVT a threshold computed from the whole list."
SCRIPT = "window.svtErrors = "

_FAMILIES = {"SVT-DPBook": "alg2", "SVT-S": "alg7", "SVT-ReTr": "alg1", "EM": "exponential_mechanism"}


def color(method: str) -> str:
    """The colour of a method's family.

    Examples
    --------
    >>> color("SVT-S-1:3") == color("SVT-S-1:1") != color("EM")
    True
    """
    return next(style(key).color for family, key in _FAMILIES.items() if method.startswith(family))


def errors_table(
    *,
    epsilons: Sequence[float] = EPSILONS,
    cs: Sequence[int] = CS,
    methods: Sequence[str] = tuple(METHODS),
    trials: int = TRIALS,
    seed: int = SEED,
    n_jobs: int = -1,
) -> dict[str, Any]:
    """Run every method everywhere, and return the errors in the form that the site reads.

    Parameters
    ----------
    epsilons, cs, methods
        What the reader can choose.
    trials, seed, n_jobs : int
        As for `svtlib.utility.experiments.sweep`.

    Returns
    -------
    dict
        ``datasets`` by name: how well it is known; ``methods`` by name: colour; ``cells`` by "dataset epsilon": for
        each c and each method mean and standard deviation of SER, and of FNR, to four decimals.
    """
    found = sweep(list(DATASETS), list(epsilons), list(cs), list(methods), trials=trials, seed=seed, n_jobs=n_jobs)
    columns = ["ser_mean", "ser_std", "fnr_mean", "fnr_std"]
    cells = {}
    for (dataset, epsilon), part in found.groupby(["dataset", "epsilon"], sort=False):
        numbers = part[columns].round(4).to_numpy().reshape(len(cs), len(methods), len(columns))
        cells[f"{dataset} {epsilon:g}"] = numbers.tolist()
    return {
        "trials": trials,
        "epsilon": list(epsilons),
        "c": list(cs),
        "measures": MEASURES,
        "datasets": {title: load_scores(name).status for title, name in DATASETS.items()},
        "methods": {name: color(name) for name in methods},
        "cells": cells,
    }


def script(table: dict[str, Any]) -> str:
    """The table as the script that the page loads, the same bytes every time."""
    return SCRIPT + json.dumps(table, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + ";\n"


def picture(dataset: str, epsilon: float, c: int, measure: str, *, trials: int = 100) -> display.InlineSVG:
    """Run every method, and draw its mean error with one standard deviation.

    Parameters
    ----------
    dataset : str
        A key of `DATASETS`.
    epsilon : float
    c : int
    measure : {"ser", "fnr"}
    trials : int

    Raises
    ------
    ValueError
        If a name is unknown or a number out of range.

    Examples
    --------
    >>> picture("AOL", 0.5, 50, "ser", trials=5)  # doctest: +ELLIPSIS
    [figure] Errors on AOL at epsilon = 0.5, c = 50, as 13 bars: SVT-DPBook ...
    """
    validate.choice("measure", measure, MEASURES)
    validate.choice("dataset", dataset, DATASETS)
    found = sweep([dataset], [epsilon], [c], list(METHODS), trials=trials, seed=SEED, n_jobs=1)
    mean, deviation = found[f"{measure}_mean"], found[f"{measure}_std"]
    fig = Figure(figsize=(5.6, 4.2), layout="constrained")
    ax = fig.subplots()
    place = list(range(len(found)))[::-1]
    ax.barh(place, mean, color=[color(name) for name in found.method])
    ax.errorbar(mean, place, xerr=deviation, fmt="none", ecolor="#000000", elinewidth=1)
    ax.set(yticks=place, yticklabels=found.method, xlim=(0, 1.05), xlabel=MEASURES[measure])
    ax.spines[["top", "right"]].set_visible(False)
    values = ", ".join(f"{name} {value:.3f}" for name, value in zip(found.method, mean, strict=True))
    alt = f"Errors on {dataset} at epsilon = {epsilon:g}, c = {c}, as {len(found)} bars: {values}."
    return display.figure(fig, alt=alt, key="errors")


def explore_errors(dataset: str = "Kosarak") -> Any:
    """Return the explorer for JupyterLab: 100 runs of every method, a second or two after every choice.

    Parameters
    ----------
    dataset : str
        A key of `DATASETS`, to begin with.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If the dataset is unknown.
    """
    validate.choice("dataset", dataset, DATASETS)
    widgets = importlib.import_module("ipywidgets")
    which = widgets.Dropdown(options=list(DATASETS), value=dataset, description="dataset")
    epsilon = widgets.Dropdown(options=EPSILONS, value=0.1, description="ε")
    c = widgets.Dropdown(options=CS, value=100, description="c")
    measure = widgets.Dropdown(options=[(name.upper(), name) for name in MEASURES], value="ser", description="measure")
    shown = widgets.HTML()

    def update(_: object = None) -> None:
        status = load_scores(DATASETS[which.value]).status
        drawn = picture(which.value, epsilon.value, c.value, measure.value)
        shown.value = f"<p><strong>{which.value}</strong> (data: {status}), 100 runs. {NOTE}</p>{drawn.svg}"

    for control in (which, epsilon, c, measure):
        control.observe(update, names="value")
    update()
    return widgets.VBox([which, epsilon, c, measure, shown])


def main(arguments: Sequence[str] | None = None, **choices: Any) -> int:
    """Write the table for the site: to the file that is named, or to where the site looks for it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    root = Path(__file__).resolve().parents[2]
    target = Path(given[0]) if given else root / "book" / "_static" / "explorers" / "errors.js"
    print("Running every method everywhere (about ten minutes on two cores)", flush=True)
    text = script(errors_table(**choices))
    target.write_text(text, encoding="utf-8")
    print(f"Wrote {target.name}, {len(text.encode()) / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
