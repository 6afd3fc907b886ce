"""The explorer "Break it": choose a variant, n, c and epsilon, and see the pair of datasets that costs most.

The site reads a table that `python -m svtlib.teaching.explorers` writes; JupyterLab computes the same cells when asked.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from svtlib import validate
from svtlib.catalogue import variant as find_variant
from svtlib.mechanism import Mechanism, Said
from svtlib.privacy.exact import log_probability, privacy_loss
from svtlib.privacy.search import Counterexample, worst_case
from svtlib.teaching import display
from svtlib.teaching.plots import style

__all__ = ["CS", "EPSILONS", "NAMES", "NS", "Cell", "Pair", "break_it", "break_it_table", "cell", "main", "picture"]

# In the order of the course; the name is what a sentence says of it.
NAMES = {
    "alg1": "Alg. 1",
    "alg2": "Alg. 2",
    "alg3": "Alg. 3",
    "alg4": "Alg. 4",
    "alg5": "Alg. 5",
    "alg6": "Alg. 6",
    "alg7": "Alg. 7",
    "above_threshold": "AboveThreshold",
    "sparse": "Sparse",
    "lecture2012": "The 2012 lecture’s algorithm",
    "gptt": "GPTT",
    "abs_value": "Noise inside the absolute value",
}
NS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
CS = (1, 2, 3, 5)
EPSILONS = (0.1, 0.5, 1.0, 2.0)
SCRIPT = "window.svtBreakIt = "

_CLEARLY = 1.1  # a violation that is shown exceeds the claim by this factor
_NEARLY = 0.8  # where there is none, the pair that is shown has this part of the largest loss
_MOST_MOVES = 200


@dataclass(frozen=True)
class Pair:
    """Two neighbours and an output, rounded to what is shown, with exact numbers for the rounded values.

    Attributes
    ----------
    answers, neighbour : tuple of float
        True answers minus the threshold.
    outcome : tuple of bool, float or ABORT
    loss : float
    probability, probability_neighbour : float
        Densities if `density`.
    density : bool
        True if the output has a released number.
    """

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    outcome: tuple[Said, ...]
    loss: float
    probability: float
    probability_neighbour: float
    density: bool

    def texts(self) -> tuple[str, str, str]:
        """The answers on both datasets and the output, in words of the page."""
        return _runs(self.answers), _runs(self.neighbour), _runs(self.outcome)


@dataclass(frozen=True)
class Cell:
    """One choice of the reader, and what is known about it.

    Attributes
    ----------
    variant : str
    n : int
    c : int
    epsilon : float
        What the source claims.
    largest : Pair
        The pair with the largest loss that was found.
    visible : Pair
        The likeliest pair found, on at most n queries, that breaks the claim by a tenth; or, where none was found, that
        loses four fifths of the largest loss.
    """

    variant: str
    n: int
    c: int
    epsilon: float
    largest: Pair
    visible: Pair

    @property
    def broken(self) -> bool:
        """Whether the largest loss exceeds the claim."""
        return self.largest.loss > self.epsilon * (1 + 1e-6)

    def sentence(self) -> str:
        """The result in one sentence.

        Examples
        --------
        >>> cell("alg4", 16, 2, 1.0).sentence()
        'Alg. 4 with c = 2 loses 3.25 on 16 queries; it claims 1.'
        """
        who = NAMES[self.variant] + (f" with c = {self.c}" if find_variant(self.variant).free_c else "")
        queries = "1 query" if self.n == 1 else f"{self.n} queries"
        if math.isinf(self.largest.loss):
            why = "an output that D can produce is impossible on D′"
            return f"{who} has an infinite loss on {queries}: {why}; it claims {self.epsilon:g}."
        loss = f"{self.largest.loss:.4g}"
        if self.broken:
            return f"{who} loses {loss} on {queries}; it claims {self.epsilon:g}."
        return f"{who} loses {loss} on {queries}, not more than the {self.epsilon:g} that it claims."


def _runs(values: Sequence[Said]) -> str:
    def one(value: Said) -> str:
        if isinstance(value, float):
            return f"{value:.6g}".replace("-", "−")
        return "⊥" if value is False else "⊤" if value is True else "abort"

    runs = [(text, len(list(group))) for text, group in itertools.groupby(map(one, values))]
    return ", ".join(text if length == 1 else f"{text} (×{length})" for text, length in runs)


def _rounded(values: Sequence[Said]) -> tuple[Any, ...]:
    return tuple(float(f"{value:.4g}") if isinstance(value, float) else value for value in values)


def _pair(mechanism: Mechanism, found: Counterexample) -> Pair:
    """The pair as it is shown: answers to four digits, the change exactly as it was."""
    outcome = _rounded(found.outcome)
    asked = len(outcome)  # the cut-off ends the run before the others
    answers = _rounded(found.answers)[:asked]
    changes = [there - here for here, there in zip(found.answers[:asked], found.neighbour, strict=False)]
    neighbour = tuple(float(f"{a + round(d, 6):.8g}") for a, d in zip(answers, changes, strict=True))
    first, second = (math.exp(log_probability(mechanism, q, outcome)) for q in (answers, neighbour))
    loss = privacy_loss(mechanism, answers, neighbour, outcome)
    return Pair(answers, neighbour, outcome, loss, first, second, any(isinstance(o, float) for o in outcome))


def _mechanism(variant: str, c: int, epsilon: float) -> Mechanism:
    return find_variant(variant).calibrate(epsilon=epsilon, c=c)


def _spread(mechanism: Mechanism) -> float:
    return math.sqrt(max(mechanism.threshold_noise.variance, mechanism.query_noise.variance))


@lru_cache(maxsize=4096)
def _largest(variant: str, n: int, c: int, epsilon: float) -> Pair:
    mechanism = _mechanism(variant, c, epsilon)
    return _pair(mechanism, worst_case(mechanism, n))


@lru_cache(maxsize=4096)
def _likely(variant: str, n: int, c: int, epsilon: float, target: float) -> Pair | None:
    """A pair on exactly n queries with a loss of at least `target`, moved to where its output is likeliest."""
    mechanism = _mechanism(variant, c, epsilon)
    spread = _spread(mechanism)
    best: Counterexample | None = None
    log_best = -math.inf
    for ratio in (0.25, 1.0, 4.0):
        start = worst_case(mechanism, n, answers_grid=[-ratio * spread, 0.0, ratio * spread])
        if start.loss >= target:
            log_p = log_probability(mechanism, start.answers, start.outcome)
            if log_p > log_best:
                best, log_best = start, log_p
    if best is None:
        return None
    step = spread / 2
    for _ in range(_MOST_MOVES):
        moved = None
        for candidate in _moves(best, step):
            log_p = log_probability(mechanism, candidate.answers, candidate.outcome)
            if log_p > log_best + 1e-3 and (
                privacy_loss(mechanism, candidate.answers, candidate.neighbour, candidate.outcome) >= target
            ):
                moved, log_best = candidate, log_p
        if moved is not None:
            best = moved
        elif step < spread / 10:
            break
        else:
            step /= 2
    pair = _pair(mechanism, best)
    return pair if pair.loss >= target * (1 - 1e-3) else None


def _moves(found: Counterexample, step: float) -> Iterator[Counterexample]:
    """The pair with all negatives, all positives, or all released numbers moved; the changes stay as they are."""
    asked = len(found.outcome)
    for size, (below, above, number) in itertools.product(
        (-step, step), ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 1, 1))
    ):
        shifts = [size * (below if answer is False else above) for answer in found.outcome]
        shifts += [0.0] * (len(found.answers) - asked)
        outcome = tuple(o + size * number if isinstance(o, float) else o for o in found.outcome)
        if number and outcome == found.outcome:
            continue
        yield replace(
            found,
            answers=tuple(a + s for a, s in zip(found.answers, shifts, strict=True)),
            neighbour=tuple(a + s for a, s in zip(found.neighbour, shifts, strict=True)),
            outcome=outcome,
        )


def cell(variant: str, n: int, c: int, epsilon: float) -> Cell:
    """Compute one cell of the table.

    Parameters
    ----------
    variant : str
        Key of `NAMES`.
    n, c : int
        Number of queries, and of positives that are paid for.
    epsilon : float
        The budget that the source claims to spend; the sensitivity is 1 and the threshold 0.

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If the variant is unknown or has no such c, or a number is out of range.

    Examples
    --------
    >>> cell("alg5", 2, 1, 1.0).largest.loss
    inf
    """
    validate.choice("variant", variant, NAMES)
    n, c, epsilon = validate.count("n", n), validate.count("c", c), validate.positive("epsilon", epsilon)
    largest = _largest(variant, n, c, epsilon)
    if math.isinf(largest.loss):
        target = math.inf
    elif largest.loss >= _CLEARLY * epsilon:
        target = _CLEARLY * epsilon
    else:
        target = _NEARLY * largest.loss
    few = [k for k in NS if k < n]
    found = [_likely(variant, k, c, epsilon, target) for k in (*few, n)]
    candidates = [pair for pair in found if pair is not None]
    visible = max(candidates, key=lambda pair: pair.probability, default=largest)
    return Cell(variant, n, c, epsilon, largest, visible)


def _choices() -> list[tuple[str, int, float]]:
    return [
        (key, c, epsilon) for key in NAMES for c in (CS if find_variant(key).free_c else CS[:1]) for epsilon in EPSILONS
    ]


def _row(choice: tuple[str, int, float]) -> list[Cell]:
    key, c, epsilon = choice
    return [cell(key, n, c, epsilon) for n in NS]


def _short(value: float) -> float | None:
    return None if math.isinf(value) else float(f"{value:.8g}")


def break_it_table(*, workers: int | None = None) -> dict[str, Any]:
    """Compute all cells, in the form that the site reads.

    Parameters
    ----------
    workers : int, optional
        Processes to use, 1 for none but this; by default as many as there are processors.

    Returns
    -------
    dict
        ``variants`` by key: name, colour, the values of c (empty if there is no choice) and the smallest epsilon known
        to hold, in units of the claim (None if there is none). ``pairs``: answers, answers on the neighbour, output,
        loss (None if infinite), probability on both, and 1 if these are densities. ``cells`` by "variant c epsilon":
        for each n of ``n`` the numbers of the largest and of the visible pair in ``pairs``.
    """
    choices = _choices()
    if workers == 1:
        rows = [_row(choice) for choice in choices]
    else:
        with ProcessPoolExecutor(workers) as pool:
            rows = list(pool.map(_row, choices))
    pairs: dict[tuple[Any, ...], int] = {}

    def number(pair: Pair) -> int:
        key = (
            *pair.texts(),
            _short(pair.loss),
            _short(pair.probability),
            _short(pair.probability_neighbour),
            int(pair.density),
        )
        return pairs.setdefault(key, len(pairs))

    cells = {
        f"{key} {c} {epsilon:g}": [[number(one.largest), number(one.visible)] for one in row]
        for (key, c, epsilon), row in zip(choices, rows, strict=True)
    }
    variants = {}
    for key, name in NAMES.items():
        entry = find_variant(key)
        cs = CS if entry.free_c else CS[:1]
        variants[key] = {
            "name": name,
            "color": style(key).color,
            "c": list(cs) if entry.free_c else [],
            "holds": [_short(entry.actual_epsilon(1.0, c)) for c in cs],
        }
    return {
        "n": list(NS),
        "epsilon": list(EPSILONS),
        "variants": variants,
        "cells": cells,
        "pairs": [list(pair) for pair in pairs],
    }


def script(table: dict[str, Any]) -> str:
    """The table as the script that the page loads, the same bytes every time."""
    return SCRIPT + json.dumps(table, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + ";\n"


def picture(shown: Cell) -> display.InlineSVG:
    """Draw the largest loss beside the claim, and the two probabilities of the visible pair.

    Examples
    --------
    >>> picture(cell("alg4", 3, 1, 1.0))  # doctest: +ELLIPSIS
    [figure] Alg. 4 with c = 1 loses 1.75 on 3 queries; it claims 1. ...
    """
    look = style(shown.variant)
    loss, pair = shown.largest.loss, shown.visible
    fig = Figure(figsize=(5.6, 2.6), layout="constrained")
    left, right = fig.subplots(1, 2)
    finite = not math.isinf(loss)
    top = max(loss, shown.epsilon) * 1.25 if finite else 3 * shown.epsilon
    left.bar([0], [loss if finite else top], width=0.5, color=look.color)
    left.axhline(shown.epsilon, color="#000000", linewidth=1.2, linestyle=(0, (4, 3)))
    left.annotate(f"{loss:.4g}" if finite else "∞", (0, loss if finite else top * 0.9), (0, 3), ha="center", **_POINTS)
    left.annotate(f"claims {shown.epsilon:g}", (0.95, shown.epsilon), (0, 3), ha="right", **_POINTS)
    left.set(xlim=(-1, 1), ylim=(0, top), xticks=[], title="largest loss")
    both = (pair.probability, pair.probability_neighbour)
    right.bar(["on D", "on D′"], both, width=0.5, color=look.color)
    for place, value in enumerate(both):
        right.annotate(f"{value:.3g}", (place, value), (0, 3), ha="center", **_POINTS)
    right.set(ylim=(0, max(both) * 1.2), title="density of one output" if pair.density else "probability of one output")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    kind = "density" if pair.density else "probability"
    alt = f"{shown.sentence()} One output has {kind} {both[0]:.3g} on D and {both[1]:.3g} on the neighbour."
    return display.figure(fig, alt=alt, key="break-it")


_POINTS: dict[str, Any] = {"textcoords": "offset points", "fontsize": 10}


def break_it(variant: str = "alg4") -> Any:
    """Return the explorer for JupyterLab: every choice is computed when it is made, in a few seconds.

    Parameters
    ----------
    variant : str
        Key of `NAMES`, to begin with.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If the variant is unknown.
    """
    validate.choice("variant", variant, NAMES)
    widgets = importlib.import_module("ipywidgets")
    labels = [(name, key) for key, name in NAMES.items()]
    which = widgets.Dropdown(options=labels, value=variant, description="variant")
    n = widgets.Dropdown(options=NS, value=16, description="queries, n")
    c = widgets.Dropdown(options=CS, value=2, description="c")
    epsilon = widgets.Dropdown(options=EPSILONS, value=1.0, description="claimed ε")
    shown = widgets.HTML()

    def update(_: object = None) -> None:
        free = find_variant(which.value).free_c
        c.disabled = not free
        one = cell(which.value, n.value, c.value if free else 1, epsilon.value)
        here, there, outcome = one.visible.texts()
        shown.value = (
            f"<p><strong>{one.sentence()}</strong></p>{picture(one).svg}"
            f"<p>Answers minus threshold on D: {here}; on D′: {there}; output: {outcome}.</p>"
        )

    for control in (which, n, c, epsilon):
        control.observe(update, names="value")
    update()
    return widgets.VBox([which, n, c, epsilon, shown])


def main(arguments: Sequence[str] | None = None, *, workers: int | None = None) -> int:
    """Write the table for the site: to the file that is named, or to where the site looks for it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    root = Path(__file__).resolve().parents[2]
    target = Path(given[0]) if given else root / "book" / "_static" / "explorers" / "break_it.js"
    print(f"Computing {len(_choices()) * len(NS)} cells (a few minutes)", flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = script(break_it_table(workers=workers))
    target.write_text(text, encoding="utf-8")
    print(f"Wrote {target.name}, {len(text.encode()) / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
