"""A reader's SVT, judged: a proof for all inputs, or two neighbours and an output with both probabilities."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from svtlib import validate
from svtlib.mechanism import Mechanism
from svtlib.noise import NoNoise
from svtlib.privacy.audit import audit
from svtlib.privacy.decide import decide
from svtlib.privacy.exact import log_probability
from svtlib.privacy.prove import Proof
from svtlib.teaching.program import Program, Repeated, Shared, Unrecognised, recognise

__all__ = ["Pair", "Verdict", "judge"]

_TRIALS, _CONFIDENCE = 8_000, 0.999


@dataclass(frozen=True)
class Pair:
    """Two neighbouring datasets and an output that tell an SVT apart from a private one.

    Attributes
    ----------
    answers, neighbour : tuple of float
        True answers on both.
    threshold : float
    outcome : str
    log_probability, log_probability_on_neighbour : float
        Natural logarithms; `-inf` where the output cannot occur.
    """

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: float
    outcome: str
    log_probability: float
    log_probability_on_neighbour: float

    @property
    def loss(self) -> float:
        """The privacy loss, a lower bound on every epsilon that could hold."""
        return self.log_probability - self.log_probability_on_neighbour


@dataclass(frozen=True)
class Verdict:
    """What was found out about a reader's program.

    Attributes
    ----------
    private : bool or None
        None where it could not be decided.
    epsilon : float
        What it should hold at.
    reason : str
        In words for its author.
    mechanism : Mechanism or None
        What the program is, if it is an SVT.
    proof : Proof or None
    pair : Pair or None
        The counterexample where it is not private.
    """

    private: bool | None
    epsilon: float
    reason: str
    mechanism: Mechanism | None = None
    proof: Proof | None = None
    pair: Pair | None = None

    def _lines(self) -> list[str]:
        mark = {True: "✓ private", False: "✗ not private", None: "? not decided"}[self.private]
        lines = [f"{mark} at ε = {self.epsilon:.6g}: {self.reason}"]
        if self.pair is not None:
            p = self.pair
            what = "density" if any(sign not in "⊥⊤…" for sign in p.outcome.partition("…")[0]) else "probability"
            lines += [
                f"  answers on D {_shown(p.answers)}, on D′ {_shown(p.neighbour)}, threshold {p.threshold:g}",
                f"  output {_short(p.outcome)}: {what} {_probability(p.log_probability)} on D and "
                f"{_probability(p.log_probability_on_neighbour)} on D′",
                f"  loss {'∞' if math.isinf(p.loss) else f'{p.loss:.6g}'}, more than {self.epsilon:.6g}",
            ]
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return f'<div class="svt-verdict">{"".join(f"<p>{html.escape(line)}</p>" for line in self._lines())}</div>'


def _probability(log: float) -> str:
    return "0" if log == -math.inf else f"{math.exp(log):.6g}" if log > -600 else f"e^{log:.6g}"


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:10]}…{text[-6:]} ({len(text)} answers)"


def _shown(values: tuple[float, ...]) -> str:
    runs: list[list[Any]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    parts = [f"{value:g}" if times == 1 else f"{value:g} ({times} times)" for value, times in runs]
    return "(" + ", ".join(parts if len(parts) < 9 else [*parts[:4], "…", *parts[-3:]]) + ")"


def _signs(outcome: Any) -> str:
    return "".join("⊥" if a is False else "⊤" if a is True else f" {a} " for a in outcome)


def judge(
    program: Callable[..., Any],
    *,
    epsilon: float = 1.0,
    c: int = 1,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    rng: np.random.Generator | None = None,
) -> Verdict:
    """Say whether a program that answers threshold questions is epsilon-DP for every number of queries, and why.

    The program is run on noise of our choosing, which shows what each number it draws is for; on random noise it must
    then give the transcripts of the mechanism so found. That mechanism is decided for all inputs by `svt.decide`.
    A program that is no such mechanism is run often, and a certified lower bound on its loss is looked for.

    Parameters
    ----------
    program : callable
        Parameters by name: answers (array), threshold (number), epsilon, c, sensitivity, rng (draw noise with
        ``rng.laplace(0, scale)`` and its kin); what it does not need it leaves out. It returns one answer for each
        query until it stops: True or False, a number where it releases one, or, for c = 1, the index of the first.
    epsilon, c, sensitivity, monotonic : float, int, float, bool
        What the program is called with, and for which queries it should be private.
    rng : numpy.random.Generator, optional
        For the random tapes; seeded with 0 if not given, so that a verdict does not change from run to run.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        If an argument is out of range, or the program takes or returns what cannot be read.

    Examples
    --------
    >>> def above_threshold(answers, threshold, epsilon, rng):
    ...     rho = rng.laplace(0, 2 / epsilon)
    ...     for i, answer in enumerate(answers):
    ...         if answer + rng.laplace(0, 4 / epsilon) >= threshold + rho:
    ...             return [False] * i + [True]
    ...     return [False] * len(answers)
    >>> verdict = judge(above_threshold, epsilon=1.0)
    >>> verdict.private, verdict.mechanism.query_noise
    (True, Laplace(scale=4.0))
    >>> judge(lambda answers, threshold, rng: [q >= threshold for q in answers]).private
    False
    """
    mine = Program(
        program,
        validate.positive("epsilon", epsilon),
        validate.count("c", c),
        validate.positive("sensitivity", sensitivity),
    )
    if mine.c > 4:
        raise ValueError(f"c must be at most 4 here, where every pattern of positives is looked at, got {c!r}")
    generator = np.random.default_rng(0) if rng is None else validate.generator("rng", rng)
    try:
        mechanism = recognise(mine, monotonic=validate.boolean("monotonic", monotonic), rng=generator)
    except Repeated as found:
        shown = _repeated(mine, found)
        return shown or _without_mechanism(mine, monotonic, str(found), generator)
    except Unrecognised as found:
        return _without_mechanism(mine, monotonic, str(found), generator)
    return _decided(mine, mechanism)


def _law(noise: Any) -> str:
    scale = getattr(noise, "scale", 0.0)
    return f"{type(noise).__name__}({scale:.6g})" if scale else "no noise"


def _described(m: Mechanism, c: int) -> str:
    parts = [
        f"{_law(noise)} on {what}"
        for noise, what in ((m.threshold_noise, "the threshold"), (m.query_noise, "the queries"))
    ]
    text = f"It is an SVT with {parts[0]} and {parts[1]}"
    if m.correction:
        text += f", its threshold {'raised' if m.correction > 0 else 'lowered'} by {abs(m.correction):g}"
    if m.refresh:
        text += f", the threshold's drawn again after each ⊤ with {_law(m.redraw_noise)}"
    text += f", that stops after {m.c} ⊤{'' if m.c == c else f' where c is {c}'}" if m.cutoff else ", that never stops"
    if m.release == "compared":
        text += ", and releases the number that it compared"
    elif m.release == "gap":
        text += ", and releases by how much the noisy answer passed the noisy threshold"
    elif m.release == "fresh":
        exact = isinstance(m.release_noise, NoNoise)
        text += f", and releases {'the true answer' if exact else f'the answer with {_law(m.release_noise)}'}"
    return text


def _decided(program: Program, mechanism: Mechanism) -> Verdict:
    decision = decide(mechanism, program.epsilon)
    proof = decision.proof
    described = _described(mechanism, program.c)
    cost = proof.epsilon
    assert isinstance(cost, float)
    if decision.private:
        room = f"; {program.epsilon:.6g} is allowed" if cost < 0.999 * program.epsilon else ""
        reason = f"{described}; an alignment proves {cost:.6g}-DP{room}"
        return Verdict(True, program.epsilon, reason, mechanism, proof)
    if decision.certificate is None:
        reason = f"{described}; the cheapest alignment costs {cost:.6g}, and no counterexample was found"
        return Verdict(None, program.epsilon, reason, mechanism, proof)
    shown = decision.certificate
    threshold = shown.threshold[0] if shown.threshold else 0.0
    logs = [
        log_probability(mechanism, data, shown.outcome, list(shown.threshold))
        for data in (shown.answers, shown.neighbour)
    ]
    pair = Pair(shown.answers, shown.neighbour, threshold, _signs(shown.outcome), logs[0], logs[1])
    reason = f"{described}; {_bill(proof, cost, program.epsilon)}"
    return Verdict(False, program.epsilon, reason, mechanism, proof, pair)


def _bill(proof: Proof, cost: float, epsilon: float) -> str:
    """What each step pays, or the step that no noise can pay for."""
    if math.isinf(cost):
        return f"the proof fails at the step “{proof.failing_step}”: {proof.reason}"
    paid = [f"{step.step} {step.pays}" for step in proof.steps if step.step != "together" and step.pays != "0"]
    return f"it pays {' + '.join(paid)} = {cost:.6g}, more than {epsilon:.6g}"


def _repeated(program: Program, found: Repeated) -> Verdict | None:
    """One comparison is an SVT with one query; what many of them give away follows exactly."""
    directions = [sign * (-1 if isinstance(found, Shared) else 1) for _, sign in found.parts]
    if sorted(directions) != [-1, 1]:
        return None
    by_direction = {way: draw.noise for way, (draw, _) in zip(directions, found.parts, strict=True)}
    nu, rho = by_direction[1], by_direction[-1]
    delta = program.sensitivity
    one = Mechanism(
        "one comparison", threshold_noise=rho, query_noise=nu, c=1, epsilon=program.epsilon, epsilon1=0.0, epsilon2=0.0
    )
    if isinstance(found, Shared):
        apart = math.exp(log_probability(one, [0.0], "⊥")) - math.exp(log_probability(one, [delta], "⊥"))
        pair = Pair((0.0, delta), (delta, delta), 0.0, "⊥⊤", math.log(apart), -math.inf)
        return Verdict(False, program.epsilon, str(found), pair=pair)
    silent = {q: log_probability(one, [q], "⊥") for q in (0.0, delta, 4 * delta, 5 * delta, 16 * delta, 17 * delta)}
    q = max((0.0, 4 * delta, 16 * delta), key=lambda q: silent[q] - silent[q + delta])
    n = math.floor(program.epsilon / (silent[q] - silent[q + delta])) + 1
    pair = Pair((q,) * n, (q + delta,) * n, 0.0, "⊥" * n, n * silent[q], n * silent[q + delta])
    return Verdict(False, program.epsilon, str(found), pair=pair)


def _without_mechanism(program: Program, monotonic: bool, reason: str, rng: np.random.Generator) -> Verdict:
    """A program that is no SVT of the catalogue's kind: its structure may give it away, or else many runs."""
    delta = program.sensitivity
    pairs: list[tuple[list[float], list[float]]] = [([0.0] * 4, [delta] * 4), ([0.0, delta] * 2, [delta, delta] * 2)]
    if not monotonic:
        pairs.append(([0.0, delta], [delta, 0.0]))
    pairs += [(there, here) for here, there in pairs]

    def sampler(answers: Any, trials: int, generator: np.random.Generator) -> Any:
        rows = np.full((trials, len(answers)), -1.0)
        for row in rows:
            said = program.sample(answers, 0.0, generator)
            row[: len(said)] = said
        return rows

    for answers, neighbour in pairs:
        found = audit(sampler, answers, neighbour, trials=_TRIALS, confidence=_CONFIDENCE, rng=rng)
        if found.epsilon_lower > program.epsilon:
            shown = Pair(
                tuple(answers), tuple(neighbour), 0.0, str(found.event), math.log(found.p), _log(found.p_neighbour)
            )
            text = f"{reason}. Its loss is at least {found.epsilon_lower:.4g} (confidence {_CONFIDENCE})"
            return Verdict(False, program.epsilon, text, pair=shown)
    text = f"{reason}. {_TRIALS:,} runs on each of {len(pairs)} pairs show no loss above ε, which proves nothing"
    return Verdict(None, program.epsilon, text)


def _log(p: float) -> float:
    return math.log(p) if p else -math.inf
