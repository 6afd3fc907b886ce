"""Private or not, as a theorem either way: an alignment checked for all inputs, or a pair with an enclosed loss.

The cost of the cheapest linear alignment is the smallest epsilon for every family in `Noise.moves` (chapter *Which SVTs
are private*), and its proof says where a loss above any smaller epsilon lies: many negatives far above, so that the
threshold noise is far out in its tail, and every positive far out in its own.  Those few places are tried, nearest
first; no search over datasets is needed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from svtlib import validate
from svtlib.mechanism import ABORT, Mechanism
from svtlib.noise import Noise
from svtlib.privacy.certify import Certificate, certify
from svtlib.privacy.exact import privacy_loss
from svtlib.privacy.prove import Proof, prove

__all__ = ["Decision", "decide", "hard_cases"]

_MOST_QUERIES = 5000


@dataclass(frozen=True)
class Decision:
    """Whether a mechanism is epsilon-DP for every number of queries, and what shows it.

    Attributes
    ----------
    mechanism : Mechanism
    epsilon : float
    private : bool or None
        None where neither was shown; `proof` then says what the cheapest alignment costs.
    proof : Proof
        The cheapest linear alignment, which decides if it costs at most epsilon.
    certificate : Certificate or None
        Otherwise a pair of neighbours and an output whose loss is proved to be more than epsilon.
    """

    mechanism: Mechanism
    epsilon: float
    private: bool | None
    proof: Proof
    certificate: Certificate | None = None

    def __repr__(self) -> str:
        name = f"{self.mechanism.name} is"
        if self.private:
            return f"✓ {name} {self.epsilon:g}-DP: an alignment costs {self.proof.epsilon:.6g}"
        if self.certificate is None:
            cost = f"the alignment costs {self.proof.epsilon:.6g}"
            return f"? {name} neither shown to be {self.epsilon:g}-DP nor not: {cost}"
        loss = "∞" if self.certificate.lower == math.inf else f"{self.certificate.lower:.6g}"
        n = len(self.certificate.answers)
        return f"✗ {name} not {self.epsilon:g}-DP: a pair of neighbours with {n} queries loses at least {loss}"


@dataclass(frozen=True)
class HardCase:
    """Two neighbouring datasets and an output that is hard on an SVT.

    Attributes
    ----------
    answers, neighbour : tuple of float
    outcome : tuple
        Of False, True, released numbers and ABORT.
    """

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    outcome: tuple[Any, ...]


def _scale(noise: Noise | None) -> float:
    return float(getattr(noise, "scale", 0.0))


def _unit(m: Mechanism) -> float:
    """A length that all the noise and the sensitivity are made of: far is many of it."""
    scales = [m.sensitivity, *map(_scale, (m.threshold_noise, m.redraw_noise, m.query_noise, m.release_noise))]
    return max(scales)


def hard_cases(mechanism: Mechanism) -> Iterator[HardCase]:
    """The places where the theorem says that the loss is largest, nearest first.

    In each epoch: negatives that answer `height`, then one positive (or, without refreshing, all of them) that answers
    -`depth`; all move by the sensitivity against the output.  Threshold 0.

    Parameters
    ----------
    mechanism : Mechanism

    Yields
    ------
    HardCase

    Examples
    --------
    >>> import svtlib as svt
    >>> next(hard_cases(svt.variant("alg5").calibrate(epsilon=1.0)))
    HardCase(answers=(0.0, 1.0), neighbour=(1.0, 0.0), outcome=(False, True))
    """
    m = mechanism
    rho, nu = _scale(m.threshold_noise), _scale(m.query_noise)
    least = 1 + math.ceil(nu / rho) if rho else 1
    for far in range(12):
        unit = math.ceil(_unit(m)) * 2.0**far / 4 if far else 0.0
        heights = sorted({math.floor(unit), math.ceil(m.sensitivity)} if far == 0 else {math.floor(unit)})
        counts = [m.c if m.cutoff else 4**k for k in range(5 if m.cutoff is None else 1)]
        for height, crossings in itertools.product(heights, counts):
            total = crossings + (m.cutoff == "after c")
            epochs = total if m.refresh else 1
            each = 1 if m.refresh else total
            for more in (1, 4, 16, 64, 256):
                negatives = more * (least + each)
                if epochs * negatives + total > _MOST_QUERIES:
                    continue
                for depth in _depths(m, float(height)):
                    yield from _cases(m, float(height), depth, negatives, epochs, each, crossings)


def _depths(m: Mechanism, height: float) -> list[float]:
    if m.compare == "absolute":
        return sorted({math.ceil(height / 2) + 0.0, height + 2 * math.ceil(m.sensitivity)})
    return sorted({0.0, -height, height} | ({-math.ceil(m.sensitivity) + 0.0} if not height else set()))


def _cases(
    m: Mechanism, height: float, depth: float, negatives: int, epochs: int, each: int, crossings: int
) -> Iterator[HardCase]:
    """All ways to move against one output: towards and away from each other, and, if monotonic, in one direction."""
    delta, reach = m.sensitivity, 40.0 * math.ceil(_unit(m))
    ways = {False: [(1.0, -1.0)], True: [(1.0, 0.0), (0.0, -1.0), (1.0, 1.0)]}[m.monotonic]
    if m.compare == "absolute":
        ways = [(1.0, 1.0)]
    elif m.release == "fresh" and not m.monotonic:
        ways = [*ways, (1.0, 1.0)]
    for low, high in ways:
        answers: list[float] = []
        neighbour: list[float] = []
        outcome: list[Any] = []
        for _ in range(epochs):
            answers += [height] * negatives + [-depth] * each
            neighbour += [height + low * delta] * negatives + [-depth + high * delta] * each
            outcome += [False] * negatives + [True] * each
        if m.cutoff == "after c":
            outcome[-1] = ABORT
        if m.release == "indicator":
            yield HardCase(tuple(answers), tuple(neighbour), tuple(outcome))
            continue
        released = [i for i, sign in enumerate(outcome) if sign is True]
        for away in (reach, -reach, 0.0) if m.release == "fresh" else (0.0, height / 2, height):
            shown = list(outcome)
            still = list(neighbour)
            for i in released:
                # a fresh number far out on the side from which its answer moves; a compared one whose answer stays
                shown[i] = float(away if m.release == "compared" else answers[i] + away)
                still[i] = answers[i] if m.release == "compared" else neighbour[i]
            yield HardCase(tuple(answers), tuple(still), tuple(shown))


def decide(mechanism: Mechanism, epsilon: float | None = None) -> Decision:
    """Decide whether a mechanism is epsilon-DP for every number of queries.

    Parameters
    ----------
    mechanism : Mechanism
    epsilon : float, optional
        By default what the mechanism claims.

    Returns
    -------
    Decision

    Raises
    ------
    ValueError
        If `mechanism` is no Mechanism or `epsilon` is not positive.

    Examples
    --------
    >>> import svtlib as svt
    >>> svt.decide(svt.variant("alg1").calibrate(epsilon=1.0, c=3))
    ✓ alg1 is 1-DP: an alignment costs 1
    >>> svt.decide(svt.variant("alg4").calibrate(epsilon=1.0, c=1), 1.74).private
    False
    """
    proof = prove(mechanism)
    limit = mechanism.epsilon if epsilon is None else validate.positive("epsilon", epsilon)
    assert isinstance(proof.epsilon, float)
    if proof.epsilon <= limit * (1 + 1e-12):
        return Decision(mechanism, limit, True, proof)
    for case in hard_cases(mechanism):
        try:
            loss = privacy_loss(mechanism, case.answers, case.neighbour, case.outcome)
        except ValueError:  # an output that neither dataset gives
            continue
        if loss > limit * (1 + 1e-9):
            shown = certify(mechanism, case.answers, case.neighbour, case.outcome)
            if shown.exceeds(limit):
                return Decision(mechanism, limit, False, proof, shown)
    return Decision(mechanism, limit, None, proof)
