"""The explorer "Break it": choose a variant, n, c and epsilon, and see the pair of datasets that costs most."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from matplotlib.figure import Figure

from svtcourse.figures import display
from svtcourse.figures.plots import style
from svtlib import validate
from svtlib.catalogue import variant as find_variant
from svtlib.exact import log_probability, moved as changed, privacy_loss
from svtlib.mechanism import Mechanism, Said
from svtlib.proofs.search import Counterexample, worst_case
from svtlib.proofs.verdicts import actual_epsilon

from .frame import Control, Explorer, State, View, fill, short, shown
from .one_run import NAMES

__all__ = ["BREAK_IT", "CS", "EPSILONS", "NS", "Cell", "Pair", "cell"]

NS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
CS = (1, 2, 3, 5)
EPSILONS = (0.1, 0.5, 1.0, 2.0)

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

    def row(self) -> list[Any]:
        """The texts, the loss, both probabilities, and 1 if they are densities: as the site holds them."""
        numbers = (self.loss, self.probability, self.probability_neighbour)
        return [*self.texts(), *map(short, numbers), int(self.density)]


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
        far = ratio * spread
        far = max(1.0, round(far)) if mechanism.integers else far
        start = worst_case(mechanism, n, answers_grid=[-far, 0.0, far])
        if start.loss >= target:
            log_p = log_probability(mechanism, start.answers, start.outcome)
            if log_p > log_best:
                best, log_best = start, log_p
    if best is None:
        return None
    step = max(1.0, round(spread / 2)) if mechanism.integers else spread / 2
    for _ in range(_MOST_MOVES):
        moved = None
        for candidate in _moves(best, step, mechanism.release == "gap"):
            log_p = log_probability(mechanism, candidate.answers, candidate.outcome)
            if log_p > log_best + 1e-3 and (
                privacy_loss(mechanism, candidate.answers, candidate.neighbour, candidate.outcome) >= target
            ):
                moved, log_best = candidate, log_p
        if moved is not None:
            best = moved
        elif step < max(spread / 10, 2.0 if mechanism.integers else 0.0):
            break
        else:
            step = step / 2 if not mechanism.integers else step // 2
    pair = _pair(mechanism, best)
    return pair if pair.loss >= target * (1 - 1e-3) else None


def _moves(found: Counterexample, step: float, gap: bool) -> Iterator[Counterexample]:
    """The pair with all negatives, all positives, or all released numbers moved; the changes stay as they are."""
    asked = len(found.outcome)
    for size, (below, above, number) in itertools.product(
        (-step, step), ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 1, 1))
    ):
        shifts = [size * (below if answer is False else above) for answer in found.outcome]
        shifts += [0.0] * (len(found.answers) - asked)
        outcome = tuple(o + size * number if isinstance(o, float) else o for o in found.outcome)
        if number and (outcome == found.outcome or (gap and min(o for o in outcome if isinstance(o, float)) < 0)):
            continue
        answers = tuple(a + s for a, s in zip(found.answers, shifts, strict=True))
        changes = [round(there - here, 6) for here, there in zip(found.answers, found.neighbour, strict=True)]
        yield replace(found, answers=answers, neighbour=tuple(map(changed, answers, changes)), outcome=outcome)


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


def _free(key: str) -> bool:
    return find_variant(key).free_c


def _choices() -> list[tuple[str, int, float]]:
    return [(key, c, epsilon) for key in NAMES for c in (CS if _free(key) else CS[:1]) for epsilon in EPSILONS]


_Row = list[list[Sequence[Any]]]


def _name(key: str, c: int, epsilon: float) -> str:
    return f"{key} {c} {epsilon:g}"


def _row(choice: tuple[str, int, float]) -> _Row:
    """For each n the largest pair and the visible one: three texts, the loss, the probability on D, the density."""
    key, c, epsilon = choice
    cells = (cell(key, n, c, epsilon) for n in NS)
    rows = [(one.largest.row(), one.visible.row()) for one in cells]
    return [[(*row[:5], row[6]) for row in both] for both in rows]


def _table(kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All cells; those of the table `kept` are not computed again.

    ``variants`` by key: name, colour, whether there is a choice of c, whether the source claims anything.
    ``holds`` by "variant c": the smallest epsilon known to hold, in units of the claim (None if there is none).
    ``texts``: answers and outputs. ``pairs``: as `Pair.row`, with places in ``texts`` and without what follows.
    ``cells`` by "variant c epsilon": for each n the places in ``pairs`` of the largest pair and of the visible one.
    """
    choices = _choices()
    rows: dict[str, _Row] = {}
    if kept is not None:
        pairs_kept = [(*(kept["texts"][i] for i in pair[:3]), *pair[3:]) for pair in kept["pairs"]]
        rows = {name: [[pairs_kept[i] for i in both] for both in row] for name, row in kept["cells"].items()}
    new = [choice for choice in choices if _name(*choice) not in rows]
    with ProcessPoolExecutor() as pool:
        rows |= zip([_name(*choice) for choice in new], pool.map(_row, new), strict=True)
    texts: dict[str, int] = {}
    pairs: dict[tuple[Any, ...], int] = {}

    def number(pair: Sequence[Any]) -> int:
        places = [texts.setdefault(text, len(texts)) for text in pair[:3]]
        return pairs.setdefault((*places, *pair[3:]), len(pairs))

    cells = {name: [[number(pair) for pair in both] for both in rows[name]] for name in (_name(*ch) for ch in choices)}
    return {
        "n": list(NS),
        "variants": {
            key: {
                "name": name,
                "color": style(key).color,
                "c": int(_free(key)),
                "claims": int(find_variant(key).claims),
            }
            for key, name in NAMES.items()
        },
        "holds": {f"{key} {c}": _holds(key, c) for key, c, epsilon in choices if epsilon == EPSILONS[0]},
        "cells": cells,
        "texts": list(texts),
        "pairs": [list(pair) for pair in pairs],
    }


def _holds(key: str, c: int) -> float | None:
    return short(actual_epsilon(key, 1.0, c))


def _of(state: State) -> tuple[str, int]:
    """The variant, and its c."""
    return state["variant"], state["c"] if _free(state["variant"]) else 1


def _find(numbers: Mapping[str, Any], state: State) -> dict[str, Any]:
    key, c = _of(state)
    both = numbers["cells"][f"{key} {c} {state['epsilon']:g}"][numbers["n"].index(state["n"])]
    rows = []
    for *places, loss, p, density in (numbers["pairs"][i] for i in both):
        q = 0.0 if loss is None else p * math.exp(-loss)
        rows.append([*(numbers["texts"][place] for place in places), loss, p, q, density])
    return {"largest": rows[0], "visible": rows[1], "holds": numbers["holds"][f"{key} {c}"]}


def _compute(state: State) -> dict[str, Any]:
    key, c = _of(state)
    one = cell(key, state["n"], c, state["epsilon"])
    return {"largest": one.largest.row(), "visible": one.visible.row(), "holds": _holds(key, c)}


TEXTS = {
    "with c": "{who} with c = {c}",
    "one query": "1 query",
    "queries": "{n} queries",
    "infinite": "{who} has an infinite loss on {queries}: an output that D can produce is impossible on D′; it claims "
    "{claim}.",
    "broken": "{who} loses {loss} on {queries}; it claims {claim}.",
    "kept": "{who} loses {loss} on {queries}, not more than the {claim} that it claims.",
    "broken unclaimed": "{who} loses {loss} on {queries}; its noise is that of ε = {claim}.",
    "kept unclaimed": "{who} loses {loss} on {queries}, not more than the ε = {claim} of its noise.",
    "output": "An output that is easier to see: its {kind} is {p} on D and {q} on D′. {ratio}",
    "digits": "{loss} to four digits",
    "impossible": "The output is impossible on D′.",
    "factor": "That is a factor of {factor}, a loss of {loss}; the claim, a loss of {claim}, allows {allowed}.",
    "factor unclaimed": "That is a factor of {factor}, a loss of {loss}; ε = {claim} would allow {allowed}.",
    "pair": "Answers on D: {here}. Answers on D′: {there}. Output: {outcome}.",
    "largest": "The pair with the largest loss: answers {here} on D and {there} on D′, output {outcome}.",
    "never": "No ε holds for every number of queries: the losses grow without bound.",
    "holds": "For every number of queries, ε = {epsilon} holds.",
}


def _words(state: State, found: Mapping[str, Any]) -> View:
    key, c = _of(state)
    claim, n = state["epsilon"], state["n"]
    who = fill(TEXTS["with c"], who=NAMES[key], c=c) if _free(key) else NAMES[key]
    queries = TEXTS["one query"] if n == 1 else fill(TEXTS["queries"], n=n)
    here, there, outcome, loss, p, q, density = found["visible"]
    far_here, far_there, far_outcome, largest = found["largest"][:4]
    broken = largest is None or largest > claim * (1 + 1e-5)
    extra = "" if find_variant(key).claims else " unclaimed"
    kind = "infinite" if largest is None else f"broken{extra}" if broken else f"kept{extra}"
    size = "" if largest is None else shown(largest, 4)
    if size == shown(claim, 4):
        size = fill(TEXTS["digits"], loss=size)
    sentence = fill(TEXTS[kind], who=who, loss=size, queries=queries, claim=shown(claim))
    ratio = TEXTS["impossible"]
    if loss is not None:
        parts = {
            "factor": shown(math.exp(loss)),
            "loss": shown(loss),
            "allowed": shown(math.exp(claim)),
            "claim": shown(claim),
        }
        ratio = fill(TEXTS[f"factor{extra}"], **parts)
    holds = TEXTS["never"] if found["holds"] is None else fill(TEXTS["holds"], epsilon=shown(found["holds"] * claim, 4))
    details = (
        fill(TEXTS["output"], kind="density" if density else "probability", p=shown(p), q=shown(q), ratio=ratio),
        fill(TEXTS["pair"], here=here, there=there, outcome=outcome),
        fill(TEXTS["largest"], here=far_here, there=far_there, outcome=far_outcome),
        holds,
    )
    return View(sentence, broken, details)


def _draw(state: State, found: Mapping[str, Any], view: View) -> display.InlineSVG:
    """The largest loss beside the claim, and the two probabilities of the visible pair."""
    color, claim = style(state["variant"]).color, state["epsilon"]
    loss, (p, q, density) = found["largest"][3], found["visible"][4:]
    fig = Figure(figsize=(5.6, 2.6), layout="constrained")
    left, right = fig.subplots(1, 2)
    top = 3 * claim if loss is None else max(loss, claim) * 1.25
    height = top if loss is None else loss
    left.bar([0], [height], width=0.5, color=color)
    left.axhline(claim, color="#000000", linewidth=1.2, linestyle=(0, (4, 3)))
    left.annotate("∞" if loss is None else shown(loss, 4), (0, min(height, 0.9 * top)), (0, 3), ha="center", **_POINTS)
    left.annotate(f"claims {claim:g}", (0.95, claim), (0, 3), ha="right", **_POINTS)
    left.set(xlim=(-1, 1), ylim=(0, top), xticks=[], title="largest loss")
    right.bar(["on D", "on D′"], (p, q), width=0.5, color=color)
    for place, value in enumerate((p, q)):
        right.annotate(shown(value), (place, value), (0, 3), ha="center", **_POINTS)
    right.set(ylim=(0, max(p, q) * 1.2), title="density of one output" if density else "probability of one output")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    return display.figure(fig, alt=f"{view.sentence} {view.details[0]}")


_POINTS: dict[str, Any] = {"textcoords": "offset points", "fontsize": 10}

BREAK_IT = Explorer(
    name="break-it",
    title="Break it",
    controls=(
        Control("variant", "Version", NAMES, "alg4"),
        Control("n", "Questions, n", {n: str(n) for n in NS}, 16, slider=True),
        Control(
            "c", "Paid for, c", {c: str(c) for c in CS}, 2, slider=True,
            only=("variant", tuple(key for key in NAMES if _free(key))),
        ),
        Control("epsilon", "Claimed ε", {epsilon: f"{epsilon:g}" for epsilon in EPSILONS}, 1.0, slider=True),
    ),
    texts=TEXTS,
    table=_table,
    more=_table,
    find=_find,
    compute=_compute,
    words=_words,
    draw=_draw,
    examples=(
        {},
        {"n": 1},
        {"variant": "alg5", "n": 2},
        {"n": 3, "c": 1, "epsilon": 0.5},
        {"variant": "alg3", "c": 5, "n": 24},
        {"variant": "gptt", "n": 24},
        {"variant": "geometric", "c": 3, "n": 8, "epsilon": 2.0},
    ),
    minutes="a few minutes",
)  # fmt: skip
