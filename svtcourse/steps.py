"""Steps of a proof, run: both sides of an inequality over adversarial neighbours and threshold noises."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate

__all__ = ["Cases", "Step", "adversarial_cases", "check_step"]

Array = NDArray[np.float64]

# A log probability is computed to about 1e-12; a step that fails in truth fails by far more.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Cases:
    """Neighbouring answers and threshold noises on which a step of a proof is tried.

    Attributes
    ----------
    answers, neighbour : ndarray, shape (count, n)
        Answers on D and on D', minus the threshold; they differ by at most the sensitivity.
    z : ndarray, shape (count,)
        Values of the threshold noise.
    """

    answers: Array
    neighbour: Array
    z: Array

    def __len__(self) -> int:
        return self.z.size


def adversarial_cases(
    rng: np.random.Generator,
    n: int,
    *,
    scale: float,
    count: int = 2000,
    sensitivity: float = 1.0,
    monotonic: bool = False,
) -> Cases:
    """Draw cases that are hard on a step: ties, extremes of the sensitivity, answers and noise far out.

    A third of the cases has all answers equal, a third has them spread over up to 100 scales, a third has the noise
    fall exactly on an answer. Half of the neighbours move every answer by the whole sensitivity, the others by any
    part of it.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
        Number of queries.
    scale : float
        Scale of the noise, in the units of the answers.
    count : int
        Number of cases.
    sensitivity : float
        The most by which an answer moves.
    monotonic : bool
        True to move all answers of a case in one direction.

    Returns
    -------
    Cases

    Examples
    --------
    >>> cases = adversarial_cases(np.random.default_rng(1), 4, scale=2.0, count=6)
    >>> cases.answers.shape, bool((abs(cases.answers - cases.neighbour) <= 1).all())
    ((6, 4), True)
    """
    rng = validate.generator("rng", rng)
    n, count = validate.count("n", n), validate.count("count", count)
    scale, sensitivity = validate.positive("scale", scale), validate.positive("sensitivity", sensitivity)
    kind = np.arange(count) % 3
    height = scale * 10 ** rng.uniform(-2, 2, count)
    # Rounded, so that answers + move does not carry a neighbour beyond the sensitivity.
    answers = np.round(rng.normal(0, 1, (count, n)) * height[:, None], 6)
    answers[kind == 0] = answers[kind == 0, :1]
    move = rng.uniform(-1, 1, (count, n))
    whole = rng.random(count) < 0.5
    move[whole] = np.sign(move[whole])
    if monotonic:
        move = np.abs(move) * np.sign(rng.uniform(-1, 1, count))[:, None]
    z = rng.normal(0, 1, count) * height
    z[kind == 2] = answers[kind == 2, 0]
    return Cases(answers, answers + np.round(move * sensitivity, 6), z)


@dataclass(frozen=True)
class Step:
    """One inequality of a proof and how it fared.

    Attributes
    ----------
    statement : str
        The inequality, as a reader writes it.
    cases, failures : int
        How many cases were tried, and in how many the left side exceeded the right by more than rounding.
    smallest_slack : float
        The least of log(right) - log(left); negative where the step fails.
    """

    statement: str
    cases: int
    failures: int
    smallest_slack: float

    @property
    def holds(self) -> bool:
        """True if no case failed."""
        return self.failures == 0

    def __repr__(self) -> str:
        slack = self.smallest_slack if abs(self.smallest_slack) >= 5e-7 else 0.0
        shown = f"{slack:.6f}" if np.isfinite(slack) else str(slack)
        if self.holds:
            return f"✓ {self.statement}: no failure in {self.cases:,} cases, smallest slack {shown}"
        return f"✗ {self.statement}: fails in {self.failures:,} of {self.cases:,} cases, by up to {shown.lstrip('-')}"

    def _repr_html_(self) -> str:
        kind = "holds" if self.holds else "fails"
        return f'<div class="svt-step svt-step-{kind}">{html.escape(repr(self))}</div>'


def check_step(statement: str, left: ArrayLike, right: ArrayLike) -> Step:
    """Hold one side of an inequality between probabilities to the other, case by case.

    Parameters
    ----------
    statement : str
        The inequality, left <= right.
    left, right : array_like, shape (cases,)
        Natural logs of both sides.

    Returns
    -------
    Step
        It does not raise: a step that fails is shown as failing, and a chapter asserts what it expects.

    Raises
    ------
    ValueError
        If the shapes differ, a side is empty, or an entry is NaN.

    Examples
    --------
    >>> check_step("Pr[⊥ | z] ≤ Pr[⊥ | z + Δ]", [-2.0, -0.5], [-1.75, -0.5])
    ✓ Pr[⊥ | z] ≤ Pr[⊥ | z + Δ]: no failure in 2 cases, smallest slack 0.000000
    >>> check_step("Pr[⊥ | z] ≤ Pr[⊥ | z - Δ]", [-1.75, -0.5], [-2.0, -0.5]).holds
    False
    """
    a, b = np.atleast_1d(np.asarray(left, dtype=float)), np.atleast_1d(np.asarray(right, dtype=float))
    if a.shape != b.shape or not a.size:
        raise ValueError(f"left and right must have one shape and at least one case, got {a.shape} and {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("left and right must be log probabilities, got NaN")
    slack = np.full(a.shape, np.inf)
    possible = ~np.isneginf(a)
    slack[possible] = b[possible] - a[possible]
    tolerance = _ROUNDING * np.maximum(1.0, np.where(possible, np.abs(a), 0.0))
    return Step(statement, int(a.size), int((slack < -tolerance).sum()), float(slack.min()))
