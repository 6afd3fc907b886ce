"""Mechanisms one field away from a private one, for the tests of every check and the table of what each check sees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pandas import DataFrame

import svtlib as svt
from svtlib import Exponential, Gaussian, Geometric, Gumbel, Laplace, Mechanism, NoNoise, variant


@dataclass(frozen=True)
class Change:
    """One field of a private mechanism, changed.

    `step` is where the proof then fails, None if it holds; `n` queries are enough for the exact search to see it, and
    sampling sees it most easily on `answers` and `neighbour`.
    """

    name: str
    original: Mechanism
    field: str
    value: Any
    step: str | None
    n: int
    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: float = 0.0

    @property
    def mechanism(self) -> Mechanism:
        """The changed mechanism, which claims the epsilon of the original."""
        return replace(self.original, **{self.field: self.value})

    @property
    def change(self) -> str:
        """The field, before and after."""
        return f"{self.field}: {getattr(self.original, self.field)!r} → {self.value!r}"


def _pair(
    below: tuple[int, float], *, above: tuple[int, float] = (0, 0.0), move: float = 1.0
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Answers, (how many, where), of which the neighbour has the first higher and the last lower."""
    low, high = [below[1]] * below[0], [above[1]] * above[0]
    return tuple(low + high), tuple([x + move for x in low] + [x - move for x in high])


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
    near, far = (_pair((2, 0.0), above=(1, 0.0)), _pair((24, -4.0), above=(1, 0.0)))
    return (
        Change("no threshold noise", alg1, "threshold_noise", NoNoise(), "threshold", 6, *_pair((12, 0.0))),
        Change(
            "threshold noise halved",
            alg1,
            "threshold_noise",
            Laplace(1.0),
            "threshold",
            6,
            *_pair((6, 0.0), above=(1, 0.0)),
        ),
        Change("Gaussian noise on the threshold", alg1, "threshold_noise", Gaussian(8**0.5), "threshold", 6, *far),
        Change(
            "negative exponential noise on the threshold",
            alg1,
            "threshold_noise",
            Exponential(2.0, sign=-1),
            "threshold",
            6,
            *_pair((20, -4.0), above=(1, 0.0)),
        ),
        Change("no query noise", alg1, "query_noise", NoNoise(), "positives", 2, (-1.0, 0.0), (-1.0, -1.0)),
        Change("query noise halved", alg1, "query_noise", Laplace(2.0), "positives", 4, *near),
        Change(
            "query noise without c",
            three,
            "query_noise",
            Laplace(4.0),
            "positives",
            8,
            *_pair((6, -4.0), above=(3, 0.0)),
        ),
        Change(
            "Gaussian noise on the queries",
            alg1,
            "query_noise",
            Gaussian(32**0.5),
            "positives",
            4,
            *_pair((24, -8.0), above=(1, 0.0)),
        ),
        Change(
            "negative exponential noise on the queries",
            alg1,
            "query_noise",
            Exponential(4.0, sign=-1),
            "positives",
            4,
            *_pair((6, 0.0), above=(1, 0.0)),
        ),
        Change("integer noise on the queries halved", integers, "query_noise", Geometric(2.0), "positives", 4, *far),
        Change(
            "calibrated for half the sensitivity",
            alg1,
            "sensitivity",
            2.0,
            "threshold",
            4,
            *_pair((24, -4.0), above=(1, 0.0), move=2.0),
        ),
        Change("monotonic noise for any queries", halved, "monotonic", False, "positives", 4, *near),
        Change("stops one positive late", alg1, "c", 2, "positives", 6, *_pair((6, 0.0), above=(2, 0.0))),
        Change("goes on after c", alg1, "cutoff", "after c", "cut-off", 6, *_pair((6, 0.0), above=(2, 0.0))),
        Change("no cut-off", alg1, "cutoff", None, "cut-off", 6, *_pair((24, -4.0), above=(8, 0.0))),
        Change(
            "releases the compared number", alg1, "release", "compared", "release", 8, *_pair((24, 0.0), above=(1, 4.0))
        ),
        Change(
            "refreshed with the noise of one threshold",
            two,
            "refresh",
            True,
            "threshold",
            12,
            *_pair((12, -4.0), above=(3, 8.0)),
        ),
        Change(
            "refreshed without c",
            alg2,
            "refresh_noise",
            Laplace(2.0),
            "threshold",
            12,
            *_pair((12, -16.0), above=(3, 0.0)),
        ),
        Change(
            "numbers released without c",
            numbers,
            "release_noise",
            Laplace(1 / 0.3),
            "release",
            8,
            *_pair((2, 0.0), above=(3, 8.0)),
        ),
        Change(
            "numbers released with one-sided noise",
            numbers,
            "release_noise",
            Exponential(3 / 0.3),
            "release",
            3,
            *_pair((6, 0.0), above=(3, 8.0)),
        ),
        Change(
            "one-sided noise inside the absolute value",
            absolute,
            "query_noise",
            Exponential(4.0),
            "positives",
            6,
            (-8.0,) * 7,
            (-9.0,) * 6 + (-7.0,),
            4.0,
        ),
        Change(
            "query noise inside the absolute value halved",
            absolute,
            "query_noise",
            Laplace(2.0),
            "positives",
            6,
            *_pair((2, 16.0), above=(1, 16.0)),
            16.0,
        ),
        Change(
            "threshold noise beside the absolute value halved",
            absolute,
            "threshold_noise",
            Laplace(1.0),
            "threshold",
            6,
            *_pair((6, 16.0), above=(1, 16.0)),
            16.0,
        ),
    )


def harmless() -> tuple[Change, ...]:
    """Still private: no check may object."""
    alg1 = variant("alg1").calibrate(epsilon=1.0)
    two = variant("alg1").calibrate(epsilon=1.0, c=2)
    opposite, together = (_pair((6, 0.0), above=(2, 0.0)), _pair((8, 0.0)))
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
        (
            "numbers with more noise",
            variant("alg7").calibrate(epsilon=1.0, c=2, epsilon3=0.3),
            "release_noise",
            Laplace(10.0),
        ),
    )
    return tuple(Change(*change, None, 8, *(together if change[2] == "monotonic" else opposite)) for change in changes)


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
