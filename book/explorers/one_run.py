"""The explorer "One run": the same noise through any variant, step by step, and what the answers so far give away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svtcourse.figures import pictures
from svtcourse.figures.display import InlineSVG
from svtcourse.figures.plots import style
from svtlib.catalogue import variant as find_variant, variants
from svtlib.exact import log_probability
from svtlib.mechanism import ABORT, Mechanism, NoiseTape, Said, Transcript, run
from svtlib.noise import Laplace, Noise, NoNoise
from svtlib.proofs.prove import prove

from .frame import Control, Explorer, State, View, fill, short, shown

__all__ = ["LISTS", "NAMES", "ONE_RUN", "Questions"]

# In the order of the catalogue; the name is what a sentence says of it.
NAMES = {key: find_variant(key).title.partition(":")[0] for key in variants()}
NAMES |= {"lecture2012": "The 2012 lecture’s algorithm", "exp_exp": "Exponential noise on both"}
NAMES |= {"gap": "SVT with gap", "geometric": "Geometric noise on both"}
EPSILON = 1.0
_MOST = 24


@dataclass(frozen=True)
class Questions:
    """A list of questions with its noise.

    Attributes
    ----------
    name : str
    threshold : float
    c : int
    answers : tuple of float
    seed : int
        Of the noise.
    leaves : int
        By how much the neighbour's answer is smaller where a question is answered ⊤; it is larger by 1 at every ⊥.
    """

    name: str
    threshold: float
    c: int
    answers: tuple[float, ...]
    seed: int
    leaves: int


def _drawn(seed: int, low: int, high: int, size: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).integers(low, high + 1, size).astype(float)


def _mixed() -> tuple[float, ...]:
    answers = _drawn(7, 0, 12, 20)
    answers[[4, 9, 13, 18]] = _drawn(8, 70, 95, 4)
    return tuple(answers.tolist())


LISTS = {
    "below": Questions("24 below T, paid for c = 1", 10.0, 1, tuple((_drawn(5, -2, 2, _MOST) + 6).tolist()), 453, 0),
    "mixed": Questions("a few far above T, c = 3", 40.0, 3, _mixed(), 12, 1),
    "close": Questions("all close to T, c = 3", 40.0, 3, tuple(_drawn(9, 37, 43, 20).tolist()), 345, 1),
}
_STEPS = {0: "none", **{k: str(k) for k in range(1, _MOST + 1)}}

TEXTS = {
    "waiting": "{n} questions of one kind: is this count at least {threshold}? Nothing has been answered yet.",
    "sentence": "Question {k} of {n}: {who} {told}. {likelier}; ε = {epsilon} allows a factor of {allowed}.",
    "says": "says {said}",
    "prints": "prints {said}",
    "aborts": "aborts",
    "below more": "All answers so far are {factor} times likelier {side} one person who counts in every question "
    "answered ⊥",
    "below same": "All answers so far are as likely with one person who counts in every question answered ⊥ as without",
    "below never": "With one person more in every question answered ⊥ this could not have happened",
    "moved more": "All answers so far are {factor} times likelier if one record counts in exactly the questions "
    "answered {side} than if it counts in exactly the others",
    "moved same": "All answers so far are as likely if one record counts in exactly the questions answered ⊤ as if it "
    "counts in exactly the others",
    "moved never": "With a record that counts in every question answered ⊥ and in none answered ⊤ this could not have "
    "happened",
    "step": "The true answer is {answer}; with noise it is {noisy}. The threshold is {threshold}; with noise it is "
    "{bar}. So: {shows}.",
    "step absolute": "The true answer is {answer}; with noise it is {noisy}, of which the absolute value is compared. "
    "The threshold is {threshold}; with noise it is {bar}. So: {shows}.",
    "fresh": "⊤, and the answer with new noise of its own is printed, {said}",
    "compared": "⊤, and the noisy answer is printed, {said}",
    "gap": "⊤, and the difference of the two is printed, {said}",
    "paid": "The proof has paid {paid} of ε = {epsilon}: for the noise of the threshold and for {positives}; answers ⊥ "
    "are free.",
    "paid once": "The proof has paid {paid} of ε = {epsilon}: for the noise of the threshold; answers ⊥ are free.",
    "overpaid": "The cheapest proof by moving the noise pays {paid} for these answers: more than ε = {epsilon}.",
    "unpaid": "No proof by moving the noise covers these answers at any price.",
    "nothing paid": "Nothing is paid yet.",
    "one positive": "1 answer ⊤",
    "positives": "{count} answers ⊤",
    "one number": "1 answer ⊤ and its number",
    "numbers": "{count} answers ⊤ and their numbers",
    "ended": "The run ends here: it pays for answers ⊤ up to c = {c}.",
}


def _scaled(noise: Noise | None, standard: NDArray[np.float64]) -> tuple[float, ...]:
    """The same draws with the law of a mechanism: equally likely to be exceeded, whatever the family."""
    if noise is None or isinstance(noise, NoNoise):
        return (0.0,) * standard.size
    return tuple(np.asarray(noise.at_least_inverse(Laplace(1.0).log_at_least(standard))).tolist())


def _tape(m: Mechanism, seed: int) -> NoiseTape:
    standard = np.random.default_rng(seed).laplace(size=(3, _MOST + 1))
    rho = _scaled(m.threshold_noise, standard[0, :1]) + _scaled(m.redraw_noise, standard[0, 1:])
    return NoiseTape(rho, _scaled(m.query_noise, standard[1]), _scaled(m.release_noise, standard[2]))


def _mechanism(key: str, c: int) -> Mechanism:
    variant = find_variant(key)
    options: dict[str, Any] = {"epsilon3": EPSILON / 3} if key == "alg7" else {}
    return variant.calibrate(epsilon=EPSILON, c=c if variant.free_c else 1, **options)


@lru_cache(maxsize=256)
def _paid(m: Mechanism, positives: int, last: bool) -> float:
    """What the cheapest alignment pays for a beginning with so many positives, `last` if it ends in one."""
    if not positives:
        return m.sensitivity / float(getattr(m.threshold_noise, "scale", math.nan))
    price = float(prove(replace(m, cutoff="at c", c=positives)).epsilon)  # type: ignore[arg-type]
    # A threshold that was drawn again is paid for with the first answer it gave.
    anew = m.refresh and not last
    return price + (m.sensitivity / float(getattr(m.redraw_noise, "scale", math.nan)) if anew else 0.0)


@lru_cache(maxsize=64)
def _run(key: str, name: str) -> tuple[Mechanism, Transcript]:
    asked = LISTS[name]
    m = _mechanism(key, asked.c)
    return m, run(m, asked.answers, asked.threshold, tape=_tape(m, asked.seed))


def _written(said: Said) -> str:
    if isinstance(said, bool):
        return "⊤" if said else "⊥"
    return "abort" if said is ABORT else shown(round(float(said), 1), 9)


@lru_cache(maxsize=64)
def _steps(key: str, name: str) -> tuple[tuple[Any, ...], ...]:
    """Noisy answer, noisy threshold, what is said, the loss so far and what the proof has paid, for each answer."""
    asked, (m, done) = LISTS[name], _run(key, name)
    here = np.array(asked.answers)
    there = here + 1
    there[done.positives] = here[done.positives] - asked.leaves
    told = []
    for k, said in enumerate(done.outcome):
        before = int((done.positives < k).sum())
        bar = asked.threshold + done.tape.rho[before if m.refresh else 0]
        p, q = (log_probability(m, data[: k + 1], done.outcome[: k + 1], asked.threshold) for data in (here, there))
        loss = None if q == -math.inf else round(p - q, 4) + 0.0
        yes = said is not False
        paid = short(_paid(m, before + yes, yes), 4)
        told.append((round(here[k] + done.tape.nu[k], 2), round(bar, 2), _written(said), loss, paid))
    return tuple(told)


def _compute(state: State) -> dict[str, Any]:
    """All steps of the run, and how it ended."""
    m, done = _run(state["variant"], state["list"])
    return {
        "steps": [list(step) for step in _steps(state["variant"], state["list"])],
        "stopped": int(done.stopped),
        "c": m.c,
    }


def _table(kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """For every variant its look, for every list its questions, and every run; those `kept` are not made again."""
    runs = {} if kept is None else kept["runs"]
    places = [(key, name) for key in NAMES for name in LISTS]
    return {
        "epsilon": EPSILON,
        "lists": {
            name: {"threshold": one.threshold, "answers": list(one.answers), "leaves": one.leaves}
            for name, one in LISTS.items()
        },
        "variants": {
            key: {
                "name": name,
                "color": style(key).color,
                "absolute": int(find_variant(key).compare == "absolute"),
                "shows": _run(key, "mixed")[0].release,
            }
            for key, name in NAMES.items()
        },
        "runs": {
            f"{key} {name}": runs.get(f"{key} {name}") or _compute({"variant": key, "list": name})
            for key, name in places
        },
    }


def _find(numbers: Mapping[str, Any], state: State) -> Any:
    return numbers["runs"][f"{state['variant']} {state['list']}"]


def _words(state: State, found: Mapping[str, Any]) -> View:
    asked, steps, who = LISTS[state["list"]], found["steps"], NAMES[state["variant"]]
    threshold, k = shown(asked.threshold), min(state["step"], len(steps))
    if not k:
        text = fill(TEXTS["waiting"], n=len(asked.answers), threshold=threshold)
        return View(text, False, (TEXTS["nothing paid"],))
    noisy, bar, said, loss, paid = steps[k - 1]
    signs = [step[2] for step in steps[:k]]
    kind = "moved" if asked.leaves else "below"
    if loss is None:
        likelier = TEXTS[f"{kind} never"]
    else:
        sides = ("⊤", "⊥") if kind == "moved" else ("without", "with")
        side = sides[loss < 0]
        factor = shown(math.exp(abs(loss)))
        likelier = fill(TEXTS[f"{kind} {'same' if factor == '1' else 'more'}"], factor=factor, side=side)
    told = fill(TEXTS["says" if said in "⊥⊤" else "aborts" if said == "abort" else "prints"], said=said)
    sentence = fill(
        TEXTS["sentence"], k=k, n=len(asked.answers), who=who, told=told, likelier=likelier,
        epsilon=shown(EPSILON), allowed=shown(math.exp(EPSILON)),
    )  # fmt: skip
    m = _run(state["variant"], state["list"])[0]
    absolute, released = m.compare == "absolute", m.release
    first = fill(
        TEXTS["step absolute" if absolute else "step"], answer=shown(asked.answers[k - 1], 4), noisy=shown(noisy, 4),
        threshold=threshold, bar=shown(bar, 4),
        shows=said if said in "⊥⊤" or said == "abort" else fill(TEXTS[released], said=said),
    )  # fmt: skip
    count = sum(sign != "⊥" for sign in signs)
    plural, one = ("numbers", "one number") if released == "fresh" else ("positives", "one positive")
    positives = TEXTS[one] if count == 1 else fill(TEXTS[plural], count=count)
    within = "paid" if count else "paid once"
    name = "unpaid" if paid is None else within if paid <= EPSILON * (1 + 1e-9) else "overpaid"
    price = "" if paid is None else shown(paid)
    second = fill(TEXTS[name], paid=price, epsilon=shown(EPSILON), positives=positives)
    last = (fill(TEXTS["ended"], c=found["c"]),) if found["stopped"] and k == len(steps) else ()
    warns = loss is None or paid is None or max(abs(loss), paid) > EPSILON * (1 + 1e-9)
    return View(sentence, warns, (first, second, *last))


def _draw(state: State, found: Mapping[str, Any], view: View) -> InlineSVG:
    asked, (m, done) = LISTS[state["list"]], _run(state["variant"], state["list"])
    k = min(state["step"], len(found["steps"]))
    begun = run(m, asked.answers[:k], asked.threshold, tape=done.tape)
    alt = f"The answers so far, as in the sentence: {view.sentence}"
    return pictures.one_run(begun, asked.answers, asked.threshold, alt=alt, variant=state["variant"])


def _bars(state: State, found: Mapping[str, Any]) -> list[tuple[str, float]]:
    """What is given away and what is paid, of the claimed epsilon."""
    k = min(state["step"], len(found["steps"]))
    loss, paid = (
        (math.inf if one is None else abs(one) / EPSILON for one in found["steps"][k - 1][3:]) if k else (0.0, 0.0)
    )
    return [("Given away", loss), ("Paid in the proof", paid)]


ONE_RUN = Explorer(
    name="one-run",
    title="One run, step by step",
    controls=(
        Control("variant", "Version", NAMES, "alg3"),
        Control("list", "Questions", {name: one.name for name, one in LISTS.items()}, "below"),
        Control("step", "Answers shown", _STEPS, 0, slider=True, steps=True),
    ),
    texts=TEXTS,
    table=_table,
    more=_table,
    find=_find,
    compute=_compute,
    words=_words,
    draw=_draw,
    bars=_bars,
    examples=(
        {},
        {"step": 1},
        {"step": 20},
        {"variant": "alg1", "step": 20},
        {"variant": "alg5", "list": "close", "step": 6},
        {"variant": "alg2", "list": "mixed", "step": 10},
        {"variant": "geometric", "list": "mixed", "step": 24},
        {"variant": "lecture2012", "list": "close", "step": 24},
        {"variant": "abs_value", "list": "below", "step": 3},
    ),
)
