"""Mechanisms one line away from a correct one, and the table of which check notices the difference.

A check that never fails shows nothing. So each private mechanism of the course is damaged in one place, as people do
damage it, and the proof (`check_alignment`), the exact search (`worst_case`) and the sampling (`audit`) are tried on
the result; and on mechanisms that differ as much but are still private.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from svtlib import validate
from svtlib.catalogue import ProofStep, variant
from svtlib.mechanism import Mechanism
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, NoNoise
from svtlib.privacy.alignment import check_alignment
from svtlib.privacy.audit import audit, sampler_of
from svtlib.privacy.search import worst_case

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Mutation", "harmless", "mutations", "power_table"]


@dataclass(frozen=True)
class Mutation:
    """One field of a correct mechanism, changed.

    Attributes
    ----------
    name, why : str
        What was done, in a few words, and why it is wrong (or why it is not) in a sentence.
    original : Mechanism
        Private at its own epsilon.
    field : str
        Name of the field of `Mechanism` that is changed.
    value : object
        What it is changed to.
    step : {"threshold", "negatives", "positives", "release", "cut-off"} or None
        Where the proof then fails; None if the mechanism is still private.
    n : int
        Number of queries on which the exact search finds a loss above epsilon.
    answers, neighbour : tuple of float
        A pair on which the damage is seen most easily by sampling.
    threshold : float

    Examples
    --------
    >>> damaged = mutations()[0]
    >>> damaged.name, damaged.change
    ('no threshold noise', 'threshold_noise: Laplace(scale=2.0) → NoNoise()')
    """

    name: str
    why: str
    original: Mechanism
    field: str
    value: Any
    step: ProofStep | None
    n: int
    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: float = 0.0

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with that field changed, which claims the epsilon of the original."""
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


def mutations() -> tuple[Mutation, ...]:
    """Damaged mechanisms: each one field away from a private one, none of them private at the epsilon it claims.

    Examples
    --------
    >>> len(mutations()) >= 12
    True
    """
    alg1 = variant("alg1").calibrate(epsilon=1.0)
    three = variant("alg1").calibrate(epsilon=1.0, c=3)
    two = variant("alg1").calibrate(epsilon=1.0, c=2)
    alg2 = variant("alg2").calibrate(epsilon=1.0, c=2)
    halved = variant("alg7").calibrate(epsilon=1.0, monotonic=True)
    numbers = variant("alg7").calibrate(epsilon=1.0, c=3, epsilon3=0.3)
    absolute = variant("abs_value").calibrate(epsilon=1.0)
    integers = replace(alg1, threshold_noise=Geometric(2.0), query_noise=Geometric(4.0))
    near, far = _pair((2, 0.0), above=(1, 0.0)), _pair((24, -4.0), above=(1, 0.0))
    return (
        Mutation(
            "no threshold noise",
            "Every negative then costs, however many there are.",
            alg1,
            "threshold_noise",
            NoNoise(),
            "threshold",
            6,
            *_pair((12, 0.0)),
        ),
        Mutation(
            "threshold noise halved",
            "Raising the threshold by Delta costs 2 epsilon1.",
            alg1,
            "threshold_noise",
            Laplace(1.0),
            "threshold",
            6,
            *_pair((6, 0.0), above=(1, 0.0)),
        ),
        Mutation(
            "Gaussian noise on the threshold",
            "With the same variance, but its tails fall faster than any exponential.",
            alg1,
            "threshold_noise",
            Gaussian(8**0.5),
            "threshold",
            6,
            *far,
        ),
        Mutation(
            "negative exponential noise on the threshold",
            "Noise that is never positive cannot be raised above 0.",
            alg1,
            "threshold_noise",
            Exponential(2.0, sign=-1),
            "threshold",
            6,
            *_pair((20, -4.0), above=(1, 0.0)),
        ),
        Mutation(
            "no query noise",
            "A positive cannot follow the threshold: Alg. 5 with a cut-off.",
            alg1,
            "query_noise",
            NoNoise(),
            "positives",
            2,
            (-1.0, 0.0),
            (-1.0, -1.0),
        ),
        Mutation(
            "query noise halved",
            "The scale lacks the factor 2: a positive moves by Delta for the threshold and by Delta for its answer.",
            alg1,
            "query_noise",
            Laplace(2.0),
            "positives",
            4,
            *near,
        ),
        Mutation(
            "query noise without c",
            "The scale lacks the factor c: each of three positives costs all of epsilon2.",
            three,
            "query_noise",
            Laplace(4.0),
            "positives",
            8,
            *_pair((6, -4.0), above=(3, 0.0)),
        ),
        Mutation(
            "Gaussian noise on the queries",
            "With the same variance; far out a shift by 2 Delta costs more than any budget.",
            alg1,
            "query_noise",
            Gaussian(32**0.5),
            "positives",
            4,
            *_pair((24, -8.0), above=(1, 0.0)),
        ),
        Mutation(
            "negative exponential noise on the queries",
            "Noise that is never positive cannot be raised above 0; +Exp would do.",
            alg1,
            "query_noise",
            Exponential(4.0, sign=-1),
            "positives",
            4,
            *_pair((6, 0.0), above=(1, 0.0)),
        ),
        Mutation(
            "integer noise on the queries halved",
            "As for Laplace noise: the factor 2 is missing.",
            integers,
            "query_noise",
            Geometric(2.0),
            "positives",
            4,
            *far,
        ),
        Mutation(
            "calibrated for half the sensitivity",
            "Answers move by 2 where all noise was made for 1: the threshold is the first that costs too much.",
            alg1,
            "sensitivity",
            2.0,
            "threshold",
            4,
            *_pair((24, -4.0), above=(1, 0.0), move=2.0),
        ),
        Mutation(
            "monotonic noise for any queries",
            "Half the query noise is enough only if all answers move in one direction.",
            halved,
            "monotonic",
            False,
            "positives",
            4,
            *near,
        ),
        Mutation(
            "stops one positive late",
            "The noise was made for c = 1 and the run ends after two.",
            alg1,
            "c",
            2,
            "positives",
            6,
            *_pair((6, 0.0), above=(2, 0.0)),
        ),
        Mutation(
            "goes on after c",
            "The cut-off of the 2012 lecture: the crossing that aborts is a positive too.",
            alg1,
            "cutoff",
            "after c",
            "cut-off",
            6,
            *_pair((6, 0.0), above=(2, 0.0)),
        ),
        Mutation(
            "no cut-off",
            "Every positive costs, however many there are.",
            alg1,
            "cutoff",
            None,
            "cut-off",
            6,
            *_pair((24, -4.0), above=(8, 0.0)),
        ),
        Mutation(
            "releases the compared number",
            "The number bounds the noisy threshold from above, which the negatives then give away: Alg. 3.",
            alg1,
            "release",
            "compared",
            "release",
            8,
            *_pair((24, 0.0), above=(1, 4.0)),
        ),
        Mutation(
            "refreshed with the noise of one threshold",
            "Two thresholds are drawn, each with noise that costs all of epsilon1.",
            two,
            "refresh",
            True,
            "threshold",
            12,
            *_pair((12, -4.0), above=(3, 8.0)),
        ),
        Mutation(
            "refreshed without c",
            "Alg. 2 with a scale of the later thresholds that lacks the factor c.",
            alg2,
            "refresh_noise",
            Laplace(2.0),
            "threshold",
            12,
            *_pair((12, -16.0), above=(3, 0.0)),
        ),
        Mutation(
            "numbers released without c",
            "The scale of the released numbers lacks the factor c: each of three costs all of epsilon3.",
            numbers,
            "release_noise",
            Laplace(1 / 0.3),
            "release",
            8,
            *_pair((2, 0.0), above=(3, 8.0)),
        ),
        Mutation(
            "numbers released with one-sided noise",
            "A released number is at least the true answer, on either dataset.",
            numbers,
            "release_noise",
            Exponential(3 / 0.3),
            "release",
            3,
            *_pair((6, 0.0), above=(3, 8.0)),
        ),
        Mutation(
            "one-sided noise inside the absolute value",
            "Below 0 a positive moves downwards, and this noise cannot.",
            absolute,
            "query_noise",
            Exponential(4.0),
            "positives",
            6,
            (-8.0,) * 7,
            (-9.0,) * 6 + (-7.0,),
            4.0,
        ),
        Mutation(
            "query noise inside the absolute value halved",
            "A positive moves by Delta outwards and by Delta for its answer, as without the bars.",
            absolute,
            "query_noise",
            Laplace(2.0),
            "positives",
            6,
            *_pair((2, 16.0), above=(1, 16.0)),
            16.0,
        ),
        Mutation(
            "threshold noise beside the absolute value halved",
            "Raising the threshold by Delta costs 2 epsilon1, as without the bars.",
            absolute,
            "threshold_noise",
            Laplace(1.0),
            "threshold",
            6,
            *_pair((6, 16.0), above=(1, 16.0)),
            16.0,
        ),
    )


def harmless() -> tuple[Mutation, ...]:
    """Changes of one field after which the mechanism is still private: no check may object to them.

    Examples
    --------
    >>> all(change.step is None for change in harmless())
    True
    """
    alg1 = variant("alg1").calibrate(epsilon=1.0)
    two = variant("alg1").calibrate(epsilon=1.0, c=2)
    opposite, together = _pair((6, 0.0), above=(2, 0.0)), _pair((8, 0.0))
    integers = replace(alg1, threshold_noise=Geometric(2.0))
    changes: tuple[tuple[str, str, Mechanism, str, Any], ...] = (
        (
            "threshold noise doubled",
            "More noise of the same family never costs more.",
            alg1,
            "threshold_noise",
            Laplace(4.0),
        ),
        ("query noise doubled", "As above.", alg1, "query_noise", Laplace(8.0)),
        (
            "exponential noise on the threshold",
            "The threshold is only ever raised, so one side is enough.",
            alg1,
            "threshold_noise",
            Exponential(2.0),
        ),
        (
            "exponential noise on the queries",
            "The noise of positives is only ever raised.",
            two,
            "query_noise",
            Exponential(8.0),
        ),
        ("Gumbel noise on the threshold", "Its upper tail is exponential.", alg1, "threshold_noise", Gumbel(2.0)),
        ("Gumbel noise on the queries", "Its upper tail is exponential.", two, "query_noise", Gumbel(8.0)),
        ("integer noise on the queries", "For integer answers.", integers, "query_noise", Geometric(4.0)),
        ("stops one positive early", "It pays for two positives and gives one.", two, "c", 1),
        ("told that queries are monotonic", "Fewer pairs are neighbours.", alg1, "monotonic", True),
        ("compares absolute values", "The same scales suffice.", two, "compare", "absolute"),
        (
            "refreshed for less",
            "The later thresholds of Alg. 2 get more noise than they need.",
            variant("alg2").calibrate(epsilon=1.0, c=2),
            "refresh_noise",
            Laplace(6.0),
        ),
        (
            "numbers with more noise",
            "Alg. 7 with its released numbers noisier than epsilon3 asks.",
            variant("alg7").calibrate(epsilon=1.0, c=2, epsilon3=0.3),
            "release_noise",
            Laplace(10.0),
        ),
    )
    return tuple(
        Mutation(*change, None, 8, *(together if change[3] == "monotonic" else opposite)) for change in changes
    )


def power_table(
    rng: np.random.Generator, changes: Iterable[Mutation] | None = None, *, trials: int = 400_000
) -> DataFrame:
    """Which check notices which change.

    Parameters
    ----------
    rng : numpy.random.Generator
    changes : iterable of Mutation, optional
        By default `mutations()`.
    trials : int
        Runs of each audit on each dataset; confidence 0.999.

    Returns
    -------
    pandas.DataFrame
        One row a change, indexed by its name: the mechanism, the change, the step at which the proof fails (empty if
        it holds), the number of queries and the largest loss the exact search finds, and the audit's bound, both in
        units of the claimed epsilon; and which of the three object: "proof", "exact", "audit".

    Raises
    ------
    ValueError
        If `trials` is below 1,000 or `rng` is no generator.

    Examples
    --------
    >>> table = power_table(np.random.default_rng(1), mutations()[4:5], trials=2000)
    >>> table.loc["no query noise", ["proof fails at", "noticed by"]].tolist()
    ['positives', 'proof, exact, audit']
    """
    import pandas as pd

    rng, trials = validate.generator("rng", rng), validate.count("trials", trials, least=1000)
    rows = {}
    for change in mutations() if changes is None else changes:
        m = change.mechanism
        proof = check_alignment(m, rng=rng, trials=500)
        loss = worst_case(m, change.n, change.threshold).loss / m.epsilon
        sampler = sampler_of(m, change.threshold)
        sampled = audit(sampler, change.answers, change.neighbour, trials=trials, confidence=0.999, rng=rng)
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
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("what")
