"""The explorer "Break it": choose a variant, n, c and epsilon, and see the pair of datasets that costs most."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from svtcourse.figures import display
from svtcourse.figures.plots import style
from svtlib.catalogue import variant as find_variant
from svtlib.exact.probability import log_probability, moved as changed, privacy_loss
from svtlib.mechanism import Mechanism, Said
from svtlib.proofs.search import Counterexample, worst_case
from svtlib.proofs.verdicts import actual_epsilon

from .frame import Control, Explorer, Parts, State, View, short, shown
from .one_run import NAMES

__all__ = ["BREAK_IT", "CS", "EPSILONS", "NS"]

NS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
CS = (1, 2, 3, 5)
EPSILONS = (0.1, 0.5, 1.0, 2.0)

_CLEARLY = 1.1  # a violation that is shown exceeds the claim by this factor
_NEARLY = 0.8  # where there is none, the pair that is shown has this part of the largest loss
_MOST_MOVES = 200


class Pair(NamedTuple):
    """The answers on two neighbours, minus the threshold, and an output, as they are shown; what follows from these.

    ``p`` is the probability of the output on the first dataset, or, if it has a released number, the density.
    """

    here: str
    there: str
    outcome: str
    loss: float
    p: float
    density: int  # 1 if p is one

    def row(self) -> list[Any]:
        """As the site holds it."""
        return [*self[:3], short(self.loss), short(self.p), self.density]


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
    loss = privacy_loss(mechanism, answers, neighbour, outcome)
    p = math.exp(log_probability(mechanism, answers, outcome))
    density = any(isinstance(said, float) for said in outcome)
    return Pair(_runs(answers), _runs(neighbour), _runs(outcome), loss, p, int(density))


@lru_cache(maxsize=4096)
def _likely(mechanism: Mechanism, n: int, target: float) -> Pair | None:
    """A pair on exactly n queries with a loss of at least `target`, moved to where its output is likeliest."""
    spread = math.sqrt(max(mechanism.threshold_noise.variance, mechanism.query_noise.variance))
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


def _compute(state: State) -> dict[str, Any]:
    """The pair with the largest loss, one that is easier to see, and the epsilon that holds, in units of the claim.

    The second is the likeliest pair found, on at most n queries, that breaks the claim by a tenth; or, where none was
    found, that loses four fifths of the largest loss.
    """
    key, c, epsilon, n = (state[name] for name in ("variant", "c", "epsilon", "n"))
    mechanism = find_variant(key).calibrate(epsilon=epsilon, c=c)
    largest, target = _pair(mechanism, worst_case(mechanism, n)), _CLEARLY * epsilon
    if math.isinf(largest.loss):
        target = math.inf
    elif largest.loss < target:
        target = _NEARLY * largest.loss
    likely = (_likely(mechanism, k, target) for k in NS if k <= n)
    visible = max((pair for pair in likely if pair), key=lambda pair: pair.p, default=largest)
    holds = short(actual_epsilon(key, 1.0, c))
    return {"largest": largest.row(), "visible": visible.row(), "holds": holds}


def _pack(cells: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The pairs, each once, and in the cells their places: of the largest pair and of the visible one, for each n.

    ``holds`` by variant and c: the smallest epsilon known to hold, in units of the claim (None if there is none).
    """
    pairs: dict[tuple[Any, ...], int] = {}
    found = {
        name: [[pairs.setdefault(tuple(one[pair]), len(pairs)) for pair in ("largest", "visible")] for one in row]
        for name, row in cells.items()
    }
    holds = {name.rpartition(" ")[0]: row[0]["holds"] for name, row in cells.items()}
    return {"holds": holds, "cells": found, "pairs": [list(pair) for pair in pairs]}


def _unpack(numbers: Mapping[str, Any], places: Sequence[int], state: State) -> dict[str, Any]:
    largest, visible = (numbers["pairs"][place] for place in places)
    return {"largest": largest, "visible": visible, "holds": numbers["holds"][f"{state['variant']} {state['c']}"]}


TEXTS = {
    "sentence": "{judged|largest}",
    "judged ∞": "{who|free} has an infinite loss on {queries|n}: an output that D can produce is impossible on D′; it "
    "claims {epsilon}.",
    "judged": "{lost|warns}",
    "lost 0": "{kept|claims}",
    "lost 1": "{broken|claims}",
    "kept 0": "{who|free} loses {loss|close} on {queries|n}, not more than the ε = {epsilon} of its noise.",
    "kept 1": "{who|free} loses {loss|close} on {queries|n}, not more than the {epsilon} that it claims.",
    "broken 0": "{who|free} loses {loss|close} on {queries|n}; its noise is that of ε = {epsilon}.",
    "broken 1": "{who|free} loses {loss|close} on {queries|n}; it claims {epsilon}.",
    "who 0": "{variant}",
    "who 1": "{variant} with c = {c}",
    "loss 0": "{largest:4}",
    "loss 1": "{largest:4} to four digits",
    "queries": "{n} queries",
    "queries 1": "1 query",
    "details": "An output that is easier to see: its {kind|density} is {p} on D and {q} on D′. {ratio|loss}\n"
    "Answers on D: {here}. Answers on D′: {there}. Output: {outcome}.\n"
    "The pair with the largest loss: answers {far_here} on D and {far_there} on D′, output {far_outcome}.\n"
    "{bound|holds:4}",
    "kind 0": "probability",
    "kind 1": "density",
    "ratio": "That is a factor of {factor}, a loss of {loss}; {allows|claims} {allowed}.",
    "ratio ∞": "The output is impossible on D′.",
    "allows 0": "ε = {epsilon} would allow",
    "allows 1": "the claim, a loss of {epsilon}, allows",
    "bound": "For every number of queries, ε = {} holds.",
    "bound ∞": "No ε holds for every number of queries: the losses grow without bound.",
}

_KINDS = {key: {"free": int(find_variant(key).free_c), "claims": int(find_variant(key).claims)} for key in NAMES}


def _parts(state: State, found: Mapping[str, Any]) -> Parts:
    claim, holds = state["epsilon"], found["holds"]
    far_here, far_there, far_outcome, largest, *_ = found["largest"]
    here, there, outcome, loss, p, density = found["visible"]
    largest, loss, holds = (math.inf if one is None else one for one in (largest, loss, holds))
    return _KINDS[state["variant"]] | {
        "largest": largest, "close": shown(largest, 4) == shown(claim, 4), "warns": largest > claim * (1 + 1e-5),
        "here": here, "there": there, "outcome": outcome, "density": density,
        "p": p, "q": p * math.exp(-loss), "loss": loss, "factor": math.exp(loss), "allowed": math.exp(claim),
        "far_here": far_here, "far_there": far_there, "far_outcome": far_outcome, "holds": holds * claim,
    }  # fmt: skip


def _draw(state: State, found: Mapping[str, Any], view: View) -> str:
    """The largest loss beside the claim, and the two probabilities of the visible pair."""
    color, claim, parts = style(state["variant"]).color, state["epsilon"], _parts(state, found)
    loss, p, q = found["largest"][3], parts["p"], parts["q"]
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
    right.set(ylim=(0, max(p, q) * 1.2), title=f"{'density' if parts['density'] else 'probability'} of one output")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    return display.figure(fig, alt=f"{view.sentence} {view.details[0]}").svg


_POINTS: dict[str, Any] = {"textcoords": "offset points", "fontsize": 10}

BREAK_IT = Explorer(
    name="break-it",
    controls=(
        Control("variant", "Version", NAMES, "alg4"),
        Control("n", "Questions, n", {n: str(n) for n in NS}, 16, slider=True),
        Control(
            "c", "Paid for, c", {c: str(c) for c in CS}, 2, slider=True,
            only=("variant", tuple(key for key in NAMES if _KINDS[key]["free"])),
        ),
        Control("epsilon", "Claimed ε", {epsilon: f"{epsilon:g}" for epsilon in EPSILONS}, 1.0, slider=True),
    ),
    by=("variant", "c", "epsilon"),
    along="n",
    texts=TEXTS,
    compute=_compute,
    parts=_parts,
    shared={"n": NS, "colors": {key: style(key).color for key in NAMES}, "kinds": _KINDS},
    pack=_pack,
    unpack=_unpack,
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
