"""Mechanisms one field away from a private one, for the tests of every check and the table of what each check sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from svtlib import Exponential, Gaussian, Geometric, Gumbel, Laplace, Mechanism, NoNoise, variant

# The step of the proof that a wrong value of each field breaks.
STEPS = {
    **dict.fromkeys(("threshold_noise", "refresh", "refresh_noise", "sensitivity"), "threshold"),
    **dict.fromkeys(("query_noise", "monotonic", "c"), "positives"),
    **dict.fromkeys(("release", "release_noise"), "release"),
    "cutoff": "cut-off",
}


@dataclass(frozen=True)
class Change:
    """One field of a private mechanism, changed.

    `n` queries are enough for the exact search to see it, and sampling sees it most easily where the answers move as
    `moves` says: ((6, 0, 1), (1, 5, -1)) are six answers of 0 that rise by 1, and one of 5 that falls.
    """

    original: Mechanism
    field: str
    value: Any
    n: int
    moves: tuple[tuple[int, float, float], ...]
    threshold: float = 0.0
    private: bool = False
    name: str = ""

    @property
    def step(self) -> str | None:
        """Where the proof then fails, None if it holds."""
        return None if self.private else STEPS[self.field]

    @property
    def answers(self) -> tuple[float, ...]:
        """The answers on one dataset."""
        return tuple(float(at) for many, at, _ in self.moves for _ in range(many))

    @property
    def neighbour(self) -> tuple[float, ...]:
        """The answers on its neighbour."""
        return tuple(float(at + by) for many, at, by in self.moves for _ in range(many))

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
        "no threshold noise": Change(alg1, "threshold_noise", NoNoise(), 6, ((12, 0, 1),)),
        "threshold noise halved": Change(alg1, "threshold_noise", Laplace(1.0), 6, ((6, 0, 1), (1, 0, -1))),
        "Gaussian noise on the threshold": Change(
            alg1, "threshold_noise", Gaussian(8**0.5), 6, ((24, -4, 1), (1, 0, -1))
        ),
        "negative exponential noise on the threshold": Change(
            alg1, "threshold_noise", Exponential(2.0, sign=-1), 6, ((20, -4, 1), (1, 0, -1))
        ),
        "no query noise": Change(alg1, "query_noise", NoNoise(), 2, ((1, -1, 0), (1, 0, -1))),
        "query noise halved": Change(alg1, "query_noise", Laplace(2.0), 4, ((2, 0, 1), (1, 0, -1))),
        "query noise without c": Change(three, "query_noise", Laplace(4.0), 8, ((6, -4, 1), (3, 0, -1))),
        "Gaussian noise on the queries": Change(alg1, "query_noise", Gaussian(32**0.5), 4, ((24, -8, 1), (1, 0, -1))),
        "negative exponential noise on the queries": Change(
            alg1, "query_noise", Exponential(4.0, sign=-1), 4, ((6, 0, 1), (1, 0, -1))
        ),
        "integer noise on the queries halved": Change(
            integers, "query_noise", Geometric(2.0), 4, ((24, -4, 1), (1, 0, -1))
        ),
        "calibrated for half the sensitivity": Change(alg1, "sensitivity", 2.0, 4, ((24, -4, 2), (1, 0, -2))),
        "monotonic noise for any queries": Change(halved, "monotonic", False, 4, ((2, 0, 1), (1, 0, -1))),
        "stops one positive late": Change(alg1, "c", 2, 6, ((6, 0, 1), (2, 0, -1))),
        "goes on after c": Change(alg1, "cutoff", "after c", 6, ((6, 0, 1), (2, 0, -1))),
        "no cut-off": Change(alg1, "cutoff", None, 6, ((24, -4, 1), (8, 0, -1))),
        "releases the compared number": Change(alg1, "release", "compared", 8, ((24, 0, 1), (1, 4, -1))),
        "refreshed with the noise of one threshold": Change(two, "refresh", True, 12, ((12, -4, 1), (3, 8, -1))),
        "refreshed without c": Change(alg2, "refresh_noise", Laplace(2.0), 12, ((12, -16, 1), (3, 0, -1))),
        "numbers released without c": Change(numbers, "release_noise", Laplace(1 / 0.3), 8, ((2, 0, 1), (3, 8, -1))),
        "numbers released with one-sided noise": Change(
            numbers, "release_noise", Exponential(3 / 0.3), 3, ((6, 0, 1), (3, 8, -1))
        ),
        "one-sided noise inside the absolute value": Change(
            absolute, "query_noise", Exponential(4.0), 6, ((6, -8, -1), (1, -8, 1)), 4.0
        ),
        "query noise inside the absolute value halved": Change(
            absolute, "query_noise", Laplace(2.0), 6, ((2, 16, 1), (1, 16, -1)), 16.0
        ),
        "threshold noise beside the absolute value halved": Change(
            absolute, "threshold_noise", Laplace(1.0), 6, ((6, 16, 1), (1, 16, -1)), 16.0
        ),
    }
    return tuple(replace(change, name=name) for name, change in changes.items())


def harmless() -> tuple[Change, ...]:
    """Still private: no check may object."""
    alg1 = variant("alg1").calibrate(epsilon=1.0)
    two = variant("alg1").calibrate(epsilon=1.0, c=2)
    numbers = variant("alg7").calibrate(epsilon=1.0, c=2, epsilon3=0.3)
    integers = replace(alg1, threshold_noise=Geometric(2.0), query_noise=Geometric(2.0))
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
    moves = {"monotonic": ((8, 0, 1),)}
    return tuple(
        Change(original, field, value, 8, moves.get(field, ((6, 0, 1), (2, 0, -1))), private=True, name=name)
        for name, original, field, value in changes
    )
