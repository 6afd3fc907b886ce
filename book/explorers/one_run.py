"""The explorer "One run": the same noise through any variant, step by step, and what the answers so far give away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from svtcourse.figures import pictures
from svtcourse.figures.plots import style
from svtlib.catalogue import variant as find_variant, variants
from svtlib.exact.probability import log_probability
from svtlib.mechanism import ABORT, Mechanism, NoiseTape, Said, Transcript, run
from svtlib.noise import Laplace, Noise, NoNoise
from svtlib.proofs.prove import prove

from .frame import Control, Explorer, Parts, State, View, short, shown

__all__ = ["LISTS", "NAMES", "ONE_RUN", "Questions"]

# In the order of the catalogue; the name is what a sentence says of it.
NAMES = {key: find_variant(key).title.partition(":")[0] for key in variants()}
NAMES |= {"lecture2012": "The 2012 lecture’s algorithm", "exp_exp": "Exponential noise on both"}
NAMES |= {"gap": "SVT with gap", "geometric": "Geometric noise on both"}
EPSILON = 1.0
_MOST = 24


class Questions(NamedTuple):
    """A list of questions, with the seed of its noise.

    The neighbour's answer is larger by 1 where a question is answered ⊥; it is smaller by `leaves` where it is
    answered ⊤.
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
    "sentence": "{answered|k}",
    "answered 0": "{n} questions of one kind: is this count at least {threshold}? Nothing has been answered yet.",
    "answered": "Question {k} of {n}: {variant} {told|said}. {likelier|leaves}; ε = {epsilon} allows a factor of "
    "{allowed}.",
    "told ⊥": "says ⊥",
    "told ⊤": "says ⊤",
    "told abort": "aborts",
    "told": "prints {said}",
    "likelier 0": "{below|factor}",
    "likelier 1": "{moved|factor}",
    "below": "All answers so far are {factor} times likelier {with|fewer} one person who counts in every question "
    "answered ⊥",
    "with 0": "without",
    "with 1": "with",
    "below 1": "All answers so far are as likely with one person who counts in every question answered ⊥ as without",
    "below ∞": "With one person more in every question answered ⊥ this could not have happened",
    "moved": "All answers so far are {factor} times likelier if one record counts in exactly the questions answered "
    "{sign|fewer} than if it counts in exactly the others",
    "sign 0": "⊤",
    "sign 1": "⊥",
    "moved 1": "All answers so far are as likely if one record counts in exactly the questions answered ⊤ as if it "
    "counts in exactly the others",
    "moved ∞": "With a record that counts in every question answered ⊥ and in none answered ⊤ this could not have "
    "happened",
    "details": "{so far|k}",
    "so far 0": "Nothing is paid yet.",
    "so far": "The true answer is {answer:4}; with noise it is {noisy:4}{of which|absolute}. The threshold is "
    "{threshold}; with noise it is {bar:4}. So: {shows|said}.\n{price|paid}\n{end|ended}",
    "of which 0": "",
    "of which 1": ", of which the absolute value is compared",
    "shows": "{number|release}, {said}",
    "shows ⊥": "⊥",
    "shows ⊤": "⊤",
    "shows abort": "abort",
    "number fresh": "⊤, and the answer with new noise of its own is printed",
    "number compared": "⊤, and the noisy answer is printed",
    "number gap": "⊤, and the difference of the two is printed",
    "price": "{paid for|dear}",
    "price ∞": "No proof by moving the noise covers these answers at any price.",
    "paid for 0": "The proof has paid {paid} of ε = {epsilon}: for the noise of the threshold{also|positives}; answers "
    "⊥ are free.",
    "paid for 1": "The cheapest proof by moving the noise pays {paid} for these answers: more than ε = {epsilon}.",
    "also": " and for {positives} answers ⊤{their|release}",
    "also 0": "",
    "also 1": " and for 1 answer ⊤{its|release}",
    "their": "",
    "their fresh": " and their numbers",
    "its": "",
    "its fresh": " and its number",
    "end 0": "",
    "end 1": "The run ends here: it pays for answers ⊤ up to c = {c}.",
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
        return float(m.threshold_noise.price(m.sensitivity))
    price = float(prove(replace(m, cutoff="at c", c=positives)).epsilon)  # type: ignore[arg-type]
    # A threshold that was drawn again is paid for with the first answer it gave.
    anew = m.refresh and not last
    return price + (float(m.redraw_noise.price(m.sensitivity)) if anew else 0.0)


@lru_cache(maxsize=64)
def _run(key: str, name: str) -> tuple[Mechanism, Transcript]:
    asked = LISTS[name]
    m = _mechanism(key, asked.c)
    return m, run(m, asked.answers, asked.threshold, tape=_tape(m, asked.seed))


def _written(said: Said) -> str:
    if isinstance(said, bool):
        return "⊤" if said else "⊥"
    return "abort" if said is ABORT else shown(round(float(said), 1), 9)


def _compute(state: State) -> dict[str, Any]:
    """All steps of the run, and how it ended.

    A step is the noisy answer, the noisy threshold, what is said, the loss so far and what the proof has paid.
    """
    asked, (m, done) = LISTS[state["list"]], _run(state["variant"], state["list"])
    here = np.array(asked.answers)
    there = here + 1
    there[done.positives] = here[done.positives] - asked.leaves
    steps = []
    for k, said in enumerate(done.outcome):
        before = int((done.positives < k).sum())
        bar = asked.threshold + done.tape.rho[before if m.refresh else 0]
        p, q = (log_probability(m, data[: k + 1], done.outcome[: k + 1], asked.threshold) for data in (here, there))
        loss = None if q == -math.inf else round(p - q, 4) + 0.0
        yes = said is not False
        paid = short(_paid(m, before + yes, yes), 4)
        steps.append([round(here[k] + done.tape.nu[k], 2), round(bar, 2), _written(said), loss, paid])
    return {"steps": steps, "stopped": int(done.stopped), "c": m.c}


_KINDS = {
    key: {"absolute": int(find_variant(key).compare == "absolute"), "release": _mechanism(key, 1).release}
    for key in NAMES
}


def _parts(state: State, found: Mapping[str, Any]) -> Parts:
    asked, steps = LISTS[state["list"]], found["steps"]
    k = min(state["step"], len(steps))
    begin: Parts = {"k": k, "n": len(asked.answers), "threshold": asked.threshold}
    if not k:
        return begin
    noisy, bar, said, *both = steps[k - 1]
    loss, paid = (math.inf if one is None else one for one in both)
    most = EPSILON * (1 + 1e-9)
    return begin | _KINDS[state["variant"]] | {
        "said": said, "epsilon": EPSILON, "allowed": math.exp(EPSILON),
        "leaves": asked.leaves, "given": abs(loss), "factor": math.exp(abs(loss)), "fewer": loss < 0,
        "answer": asked.answers[k - 1], "noisy": noisy, "bar": bar,
        "positives": sum(step[2] != "⊥" for step in steps[:k]), "paid": paid, "dear": paid > most,
        "ended": found["stopped"] and k == len(steps), "c": found["c"], "warns": max(abs(loss), paid) > most,
    }  # fmt: skip


def _draw(state: State, found: Mapping[str, Any], view: View) -> str:
    asked, (m, done) = LISTS[state["list"]], _run(state["variant"], state["list"])
    parts = _parts(state, found)
    begun = run(m, asked.answers[: parts["k"]], asked.threshold, tape=done.tape)
    alt = f"The answers so far, as in the sentence: {view.sentence}"
    drawn = pictures.one_run(begun, asked.answers, asked.threshold, alt=alt, variant=state["variant"])
    bars = ("Given away", parts.get("given", 0.0)), ("Paid in the proof", parts.get("paid", 0.0))
    return drawn.svg + "".join(_bar(what, value / EPSILON) for what, value in bars)


def _bar(what: str, share: float) -> str:
    """A bar across half of the page where all that is allowed is used, and at most the page."""
    width, color = min(50 * share, 100), "#a8201a" if share > 1 + 1e-9 else "#12467a"
    text = f"{what}: {shown(share)} of what is allowed"
    bar = f'<div style="width:{width:.1f}%;height:.6em;background:{color}"></div>'
    return f'<div style="max-width:34em" role="img" aria-label="{text}">{text}{bar}</div>'


ONE_RUN = Explorer(
    name="one-run",
    controls=(
        Control("variant", "Version", NAMES, "alg3"),
        Control("list", "Questions", {name: one.name for name, one in LISTS.items()}, "below"),
        Control("step", "Answers shown", _STEPS, 0, slider=True, steps=True),
    ),
    by=("variant", "list"),
    texts=TEXTS,
    compute=_compute,
    parts=_parts,
    shared={
        "epsilon": EPSILON,
        "lists": {
            name: {"threshold": one.threshold, "answers": one.answers, "leaves": one.leaves}
            for name, one in LISTS.items()
        },
        "colors": {key: style(key).color for key in NAMES},
        "kinds": _KINDS,
    },
    draw=_draw,
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
