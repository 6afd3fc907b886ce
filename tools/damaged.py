"""Mechanisms one field away from a private one, for the tests of every check and the table of what each check sees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pandas import DataFrame

import svtlib as svt
from svtlib import Exponential, Gaussian, Geometric, Gumbel, Laplace, Mechanism, NoNoise, variant

MOVE = re.compile(r"(\d+) (up|down|still) (?:from|at) (-?\d+)")


@dataclass(frozen=True)
class Change:
    """One field of a private mechanism, changed.

    `step` is where the proof then fails, None if it holds; `n` queries are enough for the exact search to see it, and
    sampling sees it most easily where the answers move as `moves` says: "6 up from 0, 1 down from 0", by 1 each.
    """

    original: Mechanism
    field: str
    value: Any
    step: str | None
    n: int
    moves: str
    threshold: float = 0.0
    name: str = ""

    @property
    def answers(self) -> tuple[float, ...]:
        """The answers on one dataset."""
        return tuple(float(at) for many, _, at in MOVE.findall(self.moves) for _ in range(int(many)))

    @property
    def neighbour(self) -> tuple[float, ...]:
        """The answers on its neighbour."""
        _, _, by = self.moves.partition(", by ")
        steps = {"up": float(by or 1), "down": -float(by or 1), "still": 0.0}
        return tuple(float(at) + steps[way] for many, way, at in MOVE.findall(self.moves) for _ in range(int(many)))

    @property
    def mechanism(self) -> Mechanism:
        """The changed mechanism, which claims the epsilon of the original."""
        return replace(self.original, **{self.field: self.value})

    @property
    def change(self) -> str:
        """The field, before and after."""
        return f"{self.field}: {getattr(self.original, self.field)!r} → {self.value!r}"


def damaged() -> tuple[Change, ...]:
    """None of them is private at the epsilon it claims."""
    alg1 = variant("alg1").calibrate(epsilon=1.0)
    three = variant("alg1").calibrate(epsilon=1.0, c=3)
    two = variant("alg1").calibrate(epsilon=1.0, c=2)
    alg2 = variant("alg2").calibrate(epsilon=1.0, c=2)
    halved = variant("alg7").calibrate(epsilon=1.0, monotonic=True)
    numbers = variant("alg7").calibrate(epsilon=1.0, c=3, epsilon3=0.3)
    absolute = variant("abs_value").calibrate(epsilon=1.0)
    integers = replace(alg1, threshold_noise=Geometric(2.0), query_noise=Geometric(4.0))
    changes: dict[str, Change] = {
        "no threshold noise": Change(alg1, "threshold_noise", NoNoise(), "threshold", 6, "12 up from 0"),
        "threshold noise halved": Change(
            alg1, "threshold_noise", Laplace(1.0), "threshold", 6, "6 up from 0, 1 down from 0"
        ),
        "Gaussian noise on the threshold": Change(
            alg1, "threshold_noise", Gaussian(8**0.5), "threshold", 6, "24 up from -4, 1 down from 0"
        ),
        "negative exponential noise on the threshold": Change(
            alg1, "threshold_noise", Exponential(2.0, sign=-1), "threshold", 6, "20 up from -4, 1 down from 0"
        ),
        "no query noise": Change(alg1, "query_noise", NoNoise(), "positives", 2, "1 still at -1, 1 down from 0"),
        "query noise halved": Change(alg1, "query_noise", Laplace(2.0), "positives", 4, "2 up from 0, 1 down from 0"),
        "query noise without c": Change(
            three, "query_noise", Laplace(4.0), "positives", 8, "6 up from -4, 3 down from 0"
        ),
        "Gaussian noise on the queries": Change(
            alg1, "query_noise", Gaussian(32**0.5), "positives", 4, "24 up from -8, 1 down from 0"
        ),
        "negative exponential noise on the queries": Change(
            alg1, "query_noise", Exponential(4.0, sign=-1), "positives", 4, "6 up from 0, 1 down from 0"
        ),
        "integer noise on the queries halved": Change(
            integers, "query_noise", Geometric(2.0), "positives", 4, "24 up from -4, 1 down from 0"
        ),
        "calibrated for half the sensitivity": Change(
            alg1, "sensitivity", 2.0, "threshold", 4, "24 up from -4, 1 down from 0, by 2"
        ),
        "monotonic noise for any queries": Change(
            halved, "monotonic", False, "positives", 4, "2 up from 0, 1 down from 0"
        ),
        "stops one positive late": Change(alg1, "c", 2, "positives", 6, "6 up from 0, 2 down from 0"),
        "goes on after c": Change(alg1, "cutoff", "after c", "cut-off", 6, "6 up from 0, 2 down from 0"),
        "no cut-off": Change(alg1, "cutoff", None, "cut-off", 6, "24 up from -4, 8 down from 0"),
        "releases the compared number": Change(
            alg1, "release", "compared", "release", 8, "24 up from 0, 1 down from 4"
        ),
        "refreshed with the noise of one threshold": Change(
            two, "refresh", True, "threshold", 12, "12 up from -4, 3 down from 8"
        ),
        "refreshed without c": Change(
            alg2, "refresh_noise", Laplace(2.0), "threshold", 12, "12 up from -16, 3 down from 0"
        ),
        "numbers released without c": Change(
            numbers, "release_noise", Laplace(1 / 0.3), "release", 8, "2 up from 0, 3 down from 8"
        ),
        "numbers released with one-sided noise": Change(
            numbers, "release_noise", Exponential(3 / 0.3), "release", 3, "6 up from 0, 3 down from 8"
        ),
        "one-sided noise inside the absolute value": Change(
            absolute, "query_noise", Exponential(4.0), "positives", 6, "6 down from -8, 1 up from -8", 4.0
        ),
        "query noise inside the absolute value halved": Change(
            absolute, "query_noise", Laplace(2.0), "positives", 6, "2 up from 16, 1 down from 16", 16.0
        ),
        "threshold noise beside the absolute value halved": Change(
            absolute, "threshold_noise", Laplace(1.0), "threshold", 6, "6 up from 16, 1 down from 16", 16.0
        ),
    }
    return tuple(replace(change, name=name) for name, change in changes.items())


def harmless() -> tuple[Change, ...]:
    """Still private: no check may object."""
    alg1 = variant("alg1").calibrate(epsilon=1.0)
    two = variant("alg1").calibrate(epsilon=1.0, c=2)
    numbers = variant("alg7").calibrate(epsilon=1.0, c=2, epsilon3=0.3)
    integers = replace(alg1, threshold_noise=Geometric(2.0))
    changes: tuple[tuple[str, Mechanism, str, Any], ...] = (
        ("threshold noise doubled", alg1, "threshold_noise", Laplace(4.0)),
        ("query noise doubled", alg1, "query_noise", Laplace(8.0)),
        ("exponential noise on the threshold", alg1, "threshold_noise", Exponential(2.0)),
        ("exponential noise on the queries", two, "query_noise", Exponential(8.0)),
        ("Gumbel noise on the threshold", alg1, "threshold_noise", Gumbel(2.0)),
        ("Gumbel noise on the queries", two, "query_noise", Gumbel(8.0)),
        ("integer noise on the queries", integers, "query_noise", Geometric(4.0)),
        ("stops one positive early", two, "c", 1),
        ("told that queries are monotonic", alg1, "monotonic", True),
        ("compares absolute values", two, "compare", "absolute"),
        ("refreshed for less", variant("alg2").calibrate(epsilon=1.0, c=2), "refresh_noise", Laplace(6.0)),
        ("numbers with more noise", numbers, "release_noise", Laplace(10.0)),
    )
    moves = {"monotonic": "8 up from 0"}
    return tuple(
        Change(original, field, value, None, 8, moves.get(field, "6 up from 0, 2 down from 0"), name=name)
        for name, original, field, value in changes
    )


def power_table(rng: np.random.Generator, changes: Iterable[Change], *, trials: int = 400_000) -> DataFrame:
    """Which check notices which change: the proof, the exact search, an audit at confidence 0.999."""
    rows = {}
    for change in changes:
        m = change.mechanism
        proof = svt.check_alignment(m, rng=rng, trials=500)
        loss = svt.worst_case(m, change.n, change.threshold).loss / m.epsilon
        sampler = svt.sampler_of(m, change.threshold)
        sampled = svt.audit(sampler, change.answers, change.neighbour, trials=trials, confidence=0.999, rng=rng)
        bound = sampled.epsilon_lower / m.epsilon
        noticed = {"proof": not proof.holds, "exact": loss > 1 + 1e-9, "audit": bound > 1}
        rows[change.name] = {
            "of": change.original.name,
            "change": change.change,
            "proof fails at": proof.step or "",
            "n": change.n,
            "largest loss": loss,
            "audited loss": bound,
            "noticed by": ", ".join(check for check, objects in noticed.items() if objects),
        }
    return DataFrame.from_dict(rows, orient="index").rename_axis("what")
