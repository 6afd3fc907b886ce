"""A verdict and its pair as values, and how they are printed; the sentences are written where they are found out."""

from __future__ import annotations

import contextlib
import html
import itertools
import math
import re
from dataclasses import dataclass
from typing import Any

from svtcourse.judge.convict.pairs import in_full
from svtcourse.judge.unknowns.svts import told_apart
from svtlib.mechanism import Mechanism
from svtlib.proofs.prove import Proof

__all__ = ["Pair", "Verdict", "ending", "shown", "signs"]


_SIGN = re.compile(r"\([^)]*\)|[⊥⊤]|[^\s⊥⊤()]+")


@dataclass(frozen=True)
class Pair:
    """Two neighbouring datasets and an output that tell a program apart from a private one.

    Attributes
    ----------
    answers, neighbour : tuple of float
        True answers on both.
    threshold : float
    outcome : str
        A dash for None where the program says False too.
    log_probability, log_probability_on_neighbour : float
        Natural logarithms; `-inf` where the output cannot occur, NaN on D where it can with a probability not computed.
    confidence : float or None
        None where both are exact; otherwise that of the bounds which they are: from below on D, from above on D'.
    density : bool
        Whether they are densities, at the numbers that the outcome shows.
    """

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: float
    outcome: str
    log_probability: float
    log_probability_on_neighbour: float
    confidence: float | None = None
    density: bool = False

    @property
    def loss(self) -> float:
        """The privacy loss, a lower bound on every epsilon that could hold."""
        there = self.log_probability_on_neighbour
        return math.inf if there == -math.inf else self.log_probability - there


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
        The counterexample where it is not private; of a program that may keep something between calls, what its runs
        show.
    """

    private: bool | None
    epsilon: float
    reason: str
    mechanism: Mechanism | None = None
    proof: Proof | None = None
    pair: Pair | None = None

    def _lines(self) -> list[str]:
        mark = {True: "✓ private", False: "✗ not private", None: "? not decided"}[self.private]
        lines = [f"{mark} at ε = {in_full(self.epsilon)}: {self.reason}"]
        if self.pair is not None:
            p = self.pair
            what = "density" if p.density else "probability"
            here, there = _probability(p.log_probability), _probability(p.log_probability_on_neighbour)
            if p.confidence is not None:
                here, there = f"at least {here}", f"at most {there}"
            loss, limit = told_apart(p.loss, self.epsilon)
            at_least = "" if p.confidence is None else "at least "
            certain = "" if p.confidence is None else f" (confidence {p.confidence})"
            lines += [
                f"  answers on D {shown(p.answers)}, on D′ {shown(p.neighbour)}, threshold {in_full(p.threshold)}",
                f"  output {_short(p.outcome)}: {what} {here} on D and {there} on D′",
                f"  loss {at_least}{loss}, more than {limit}{certain}",
            ]
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return f'<div class="svt-verdict">{"".join(f"<p>{html.escape(line)}</p>" for line in self._lines())}</div>'


def ending(error: BaseException) -> str:
    """An exception in words: its kind, and what it says if it can say it.

    Examples
    --------
    >>> ending(KeyError("c")), ending(MemoryError())
    ("KeyError: 'c'", 'MemoryError')
    """
    kind, said = "an exception", ""
    with contextlib.suppress(BaseException):
        kind = type(error).__name__
        said = str(error)
    return f"{kind}: {said}" if said else kind


def _probability(log: float) -> str:
    if math.isnan(log):
        return "above 0"
    return "0" if log == -math.inf else f"{math.exp(log):.6g}" if log > -600 else f"e^{log:.6g}"


def _short(text: str) -> str:
    if len(text) <= 24 or set(text) & set("[{'\"="):  # a form of its own
        return text or "without an answer"
    if set(text) <= set("⊥⊤"):
        return f"{text[:10]}…{text[-6:]} ({len(text)} answers)"
    runs = [(sign, len(list(times))) for sign, times in itertools.groupby(_SIGN.findall(text))]
    return " ".join(sign if times == 1 else f"{sign} {times} times" for sign, times in runs)


def shown(values: tuple[float, ...]) -> str:
    """Answers in a line, runs of equal ones once."""
    runs: list[list[Any]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    each = [(in_full(value), times) for value, times in runs]
    parts = [value if times == 1 else f"{value} ({times} times)" for value, times in each]
    return "(" + ", ".join(parts if len(parts) < 9 else [*parts[:4], "…", *parts[-3:]]) + ")"


def signs(outcome: Any) -> str:
    """An output as ⊥, ⊤ and numbers."""
    return "".join("⊥" if a is False else "⊤" if a is True else f" {a} " for a in outcome)
