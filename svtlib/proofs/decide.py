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
from typing import NamedTuple

from svtlib import validate
from svtlib.exact.probability import moved, privacy_loss
from svtlib.mechanism import ABORT, Mechanism, Said, a_mechanism
from svtlib.noise import Laplace
from svtlib.proofs.certify import Certificate, certify
from svtlib.proofs.cost import ROUNDING, apart
from svtlib.proofs.enclosure import Work
from svtlib.proofs.prove import Proof, prove
from svtlib.proofs.search import dear
from svtlib.switches import Release

_MOST_QUERIES = 5000  # of a pair
_MOST_TRIED = 400_000  # queries of all pairs that are tried together, each for 500 more, or 1,500; some seconds


@dataclass(frozen=True)
class Decision:
    """Whether a mechanism is epsilon-DP for every number of queries, and what shows it.

    Attributes
    ----------
    mechanism : Mechanism
    epsilon : float
        Where the mechanism is private, not less than the alignment costs: what was asked, or its last digit more.
    private : bool or None
        None where neither was shown; `proof` then says what the cheapest alignment costs.
    proof : Proof
        The cheapest linear alignment, which decides if it costs at most epsilon.
    certificate : Certificate or None
        Otherwise a pair of neighbours and an output whose loss is proved to be more than epsilon; None too where such a
        pair is too long to be written down, and the theorem of chapter 11 says that there is one.
    """

    mechanism: Mechanism
    epsilon: float
    private: bool | None
    proof: Proof
    certificate: Certificate | None = None

    def __repr__(self) -> str:
        name, asked = f"{self.mechanism.name} is", f"{self.epsilon:.12g}-DP"
        if self.private:
            return f"✓ {name} {asked}: an alignment costs {self.proof.epsilon:.6g}"
        assert isinstance(self.proof.epsilon, float)
        cost = apart(self.proof.epsilon, self.epsilon).replace("inf", "∞")
        if self.private is None:
            return f"? {name} neither shown to be {asked} nor not: the alignment costs {cost}"
        if self.certificate is None:
            all_of_it = "no epsilon holds" if cost == "∞" else f"losses come as close to {cost} as one likes"
            return f"✗ {name} not {asked}: {all_of_it}, by the theorem of chapter 11"
        loss, n = self.certificate.rounded(8)[0], len(self.certificate.answers)
        return f"✗ {name} not {asked}: a pair of neighbours with {n} queries loses at least {loss}"


class HardCase(NamedTuple):
    """Two neighbouring datasets and an output that is hard on an SVT, in the order in which `certify` takes them."""

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    outcome: tuple[Said, ...]
    threshold: float = 0.0

    def showing(self, numbers: list[float]) -> HardCase:
        """The same with these numbers where a positive answer is not observed."""
        shown = zip(self.outcome, numbers, strict=True)
        return self._replace(outcome=tuple(number if sign is True else sign for sign, number in shown))


def _round(length: float) -> float:
    """A number a little larger: whole, or below 1 a power of two."""
    return float(math.ceil(length)) if length >= 1 else 2.0 ** math.ceil(math.log2(length))


def hard_cases(mechanism: Mechanism) -> Iterator[HardCase]:
    """The places where the theorem says that the loss is largest, nearest first.

    In each epoch: negatives that answer threshold + `height`, then one positive (or, without refreshing, all of them)
    that answers threshold - `depth`; all move by the sensitivity against the output.
    Noise that is one-sided or missing has its places within one sensitivity of the threshold: they come first.
    """
    m, near = mechanism, mechanism.sensitivity
    rho, nu = m.threshold_noise.scale, m.query_noise.scale
    least = 1 + math.ceil(nu / rho) if rho else 1
    unit = _round(max(near, *(noise.scale for noise in m.noises)))  # far is many of it
    counts = [4**k for k in range(5)] if math.isinf(m.most_positives) else [m.c]
    for far in range(12):
        length = unit * 2.0**far / 4
        heights = [float(max(math.floor(length), length % 1))] if far else [-near, 0.0, near]
        levels = [0.0, near, 8.0 * unit] if m.sides.absolute and far < 4 else [0.0]
        for height, crossings, level in itertools.product(heights, counts, levels):
            total = crossings + m.ends.extra
            epochs, each = (total, 1) if m.refresh else (1, total)
            for more in (0, 1, 4, 16, 64, 256):
                negatives = more * (least + each) or 1
                if epochs * negatives + total > _MOST_QUERIES:
                    continue
                for depth in _depths(m, height):
                    for case in _cases(m, unit, level, height, depth, (negatives, each) * epochs):
                        yield case
                        if m.sides.absolute and len(m.query_noise.moves) < 2:  # one side of 0 is not like the other
                            answers, neighbour = (tuple(-x for x in side) for side in case[:2])
                            yield case._replace(answers=answers, neighbour=neighbour)


def _depths(m: Mechanism, height: float) -> list[float]:
    near = m.sensitivity
    if m.sides.absolute:
        return sorted({_round(height / 2) if height > 0 else math.ceil(height / 2) + 0.0, height + 2 * near})
    return sorted({0.0, -height, height} | ({near, -near} if abs(height) <= near else set()))


def _cases(
    m: Mechanism, unit: float, level: float, height: float, depth: float, runs: tuple[int, ...]
) -> Iterator[HardCase]:
    """All ways to move against one output: towards and away from each other, and, if monotonic, in one direction.

    The output is so many negatives, so many positives, and so on.
    """
    delta, reach = m.sensitivity, 40.0 * unit
    ways = {False: [(1.0, -1.0)], True: [(1.0, 0.0), (0.0, -1.0), (1.0, 1.0)]}[m.monotonic]
    above, below = level + height, level - depth
    if m.sides.absolute:
        ways, below = [(1.0, 1.0)], -level - depth  # inwards from the other side
    elif m.release_noise is not None and not m.monotonic:
        ways = [*ways, (1.0, 1.0)]
    for low, high in ways:
        kinds = (above, moved(above, low * delta), False), (below, moved(below, high * delta), True)
        asked = [kind for kind, times in zip(itertools.cycle(kinds), runs, strict=False) for _ in range(times)]
        answers, neighbour, outcome = zip(*asked, strict=True)
        if m.ends.extra:
            outcome = (*outcome[:-1], ABORT)
        case = HardCase(answers, neighbour, outcome, level - m.correction)
        if not m.shows.numbered:
            yield case
        elif m.shows.moves_with_threshold:
            yield from (case.showing([gap] * len(answers)) for gap in (0.0, reach))
        elif m.release_noise is not None:  # far out on the side from which its answer moves
            far = _round(6 * (m.release_noise.scale or delta))
            for away in (0.0, reach, -reach, far, -far):
                yield case.showing([answer + away for answer in answers])
        else:
            still = tuple(q if sign is True else p for q, p, sign in zip(answers, neighbour, outcome, strict=True))
            for away in (0.0, height / 2, height, height + delta / 2, height + 1, -depth):
                shown = case.showing([level + away] * len(answers))
                for p in (still, case.neighbour) if m.query_noise.variance == 0 else (still,):
                    yield shown._replace(neighbour=p)


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
        If `mechanism` is no Mechanism (`prove` takes a variant) or `epsilon` is not positive.

    Examples
    --------
    >>> import svtlib as svt
    >>> svt.decide(svt.variant("alg1").calibrate(epsilon=1.0, c=3))
    ✓ alg1 is 1-DP: an alignment costs 1
    >>> svt.decide(svt.variant("alg4").calibrate(epsilon=1.0, c=1), 1.74).private
    False
    """
    proof = prove(a_mechanism(mechanism))
    limit = mechanism.epsilon if epsilon is None else validate.positive("epsilon", epsilon)
    assert isinstance(proof.epsilon, float)
    if proof.at_most <= limit * (1 + float(ROUNDING)):
        return Decision(mechanism, max(limit, proof.at_most), True, proof)
    work, digits = Work(), 15 + max(0, -math.floor(math.log10(limit)))
    tried, each = 0, 1500 if dear(mechanism) else 500
    for case in hard_cases(mechanism):
        tried += each + len(case.answers)
        if tried > _MOST_TRIED:
            break
        try:
            if privacy_loss(mechanism, *case) > limit * (1 + 1e-9):
                shown = certify(mechanism, *case, digits=digits, work=work)
                if shown.exceeds(limit):
                    return Decision(mechanism, limit, False, proof, shown)
        except ValueError:  # an output that neither dataset gives, or gives too rarely, or one that takes too much
            if work.left < 0:
                break
    return Decision(mechanism, limit, False if _no_smaller(mechanism) else None, proof)


def _no_smaller(m: Mechanism) -> bool:
    """Whether chapter 11 proves that no epsilon below the cost of the cheapest alignment holds."""
    signs = m.shows is Release.INDICATOR and not m.sides.absolute
    return signs and all(type(noise) is Laplace for noise in m.noises)
