"""Executable proofs of privacy: noise on the neighbour that gives the same output, and what moving it there costs.

A randomness alignment maps the noise drawn on D, one to one, to noise on D' with the same output.
If no noise loses more than a factor exp(epsilon) of its density on the way, the mechanism is epsilon-DP.
The map of `align` is that of Lyu, Su & Li 2017, Theorems 3.3 and 4.9; it follows from the features of the `Mechanism`.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svtlib import validate
from svtlib.catalogue import ProofStep
from svtlib.mechanism import Mechanism, NoiseTape, Said, Transcript, a_mechanism, run
from svtlib.noise import Noise
from svtlib.noise_base import Array, Index
from svtlib.switches import Release
from svtlib.transcript import shown

_MOST_QUERIES = 1_000  # of a trial, if nothing else is asked for
_ROUNDING = 1e-9
_PAID: tuple[ProofStep, ...] = ("threshold", "positives", "release")  # their noise moves: each has a part of the budget


@dataclass(frozen=True, eq=False)
class Case:
    """Neighbouring answers, public thresholds and the noise of one run.

    Attributes
    ----------
    answers, neighbour, threshold : ndarray, shape (n,)
    tape : NoiseTape
    """

    answers: Array
    neighbour: Array
    threshold: Array
    tape: NoiseTape


def _rounded(values: ArrayLike, unit: float) -> Array:
    return np.asarray(np.round(np.asarray(values, dtype=float) / unit) * unit + 0.0)  # + 0.0: no negative zeros


def resolution(mechanism: Mechanism) -> float:
    """The least power of two of which all numbers of a case, with up to 40 times the noise drawn, can be multiples."""
    widest = max(noise.width for noise in mechanism.noises)
    return 2.0 ** (math.ceil(math.log2(4000 * widest + 200 * mechanism.sensitivity)) - 52)


def hard_case(mechanism: Mechanism, n: int, rng: np.random.Generator) -> Case:
    """Draw answers and noise that are hard on an alignment.

    Everything is a multiple of a power of two, fine or coarse, so that ties are exact and sums do not round.
    The signs of the output are chosen first, and the answers such that the drawn noise gives them: by a tie, by a hair,
    within the sensitivity or far off.
    """
    m, reach = mechanism, mechanism.sensitivity
    size = n if rng.random() < 0.5 else int(rng.integers(1, n + 1))
    unit = 1.0 if m.integers else max(2.0 ** (math.floor(math.log2(reach)) - rng.choice([2, 16])), resolution(m))
    above = np.zeros(size, dtype=bool)
    most = int(min(m.c + 1, size))
    pattern = rng.integers(5)
    if pattern == 1:
        above[:] = True
    elif pattern == 2:
        above[rng.choice(size, most, replace=False)] = True
    elif pattern == 3:
        above[size - most :] = True
    elif pattern == 4:
        above = rng.random(size) < rng.random()
    epoch = np.cumsum(above) - above if m.refresh else np.zeros(size, dtype=np.int64)
    first = np.array([m.threshold_noise.sample(rng)])
    rho = _rounded(np.concatenate([first, m.redraw_noise.sample(rng, size)]) * rng.choice([1, 1, 6, 40]), unit)
    drawn = m.query_noise.sample(rng, size)
    alike = rng.random() < 0.3  # one draw for all queries: then no positive is cheaper than another
    nu = _rounded((np.full(size, drawn[0]) if alike else drawn) * rng.choice([1, 1, 6, 40]), unit)
    release = np.empty(0) if m.release_noise is None else _rounded(m.release_noise.sample(rng, size), unit)
    threshold = _rounded(rng.normal(0, 10 * reach, size), unit) if rng.random() < 0.3 else np.zeros(size)

    gap = np.choose(
        rng.integers(4, size=size),
        [np.zeros(size), np.full(size, unit), reach * rng.uniform(0, 2, size), 100 * reach * rng.random(size)],
    )
    # Where sensitivity or correction are no multiples of the unit, their sums round and a tie could be lost to that.
    exact = m.integers or reach % unit == m.correction % unit == 0
    gap, height = np.maximum(_rounded(gap, unit), 0.0 if exact else unit), threshold + m.correction + rho[epoch]
    if m.integers:  # whole answers, whatever the correction: the nearest on either side
        height = np.where(above, np.ceil(height + gap), np.ceil(height - gap) - 1)
    else:
        height += np.where(above, gap, -np.maximum(gap, unit))
    side = np.where((rng.random(size) < 0.5) & m.sides.absolute, -1.0, 1.0)
    q = side * height - nu

    whole = math.floor(reach / unit) * unit
    against = np.where(above, -1.0, 1.0)  # what the alignment has most to make up for
    up = rng.choice([-1.0, 1.0])
    direction = [np.full(size, up), against * side, -against * side, rng.choice([-1.0, 1.0], size)][rng.integers(4)]
    if m.monotonic:
        direction = np.full(size, up)
    part = [
        np.full(size, whole),
        np.full(size, whole),
        np.where(above, 0.0, whole),
        np.floor(rng.random(size) * (whole / unit + 1)) * unit,
    ][rng.integers(4)]
    return Case(q, q + direction * part, threshold, NoiseTape(*(tuple(x.tolist()) for x in (rho, nu, release))))


@dataclass(frozen=True)
class Alignment:
    """Noise on the neighbour, and for each step what it costs to move there.

    The log of how much denser the noise is before it moves than after; `inf` where it cannot be after.
    """

    tape: NoiseTape
    costs: dict[str, float]

    @property
    def cost(self) -> float:
        """Epsilon spent by this noise: the sum of `costs`."""
        return sum(self.costs.values())


def _raise(mechanism: Mechanism, q: Array, p: Array) -> float:
    """How far the threshold noise is raised from answers `q` to answers `p`.

    By the sensitivity, so that no negative turns positive. Where all answers fall they stay negative by themselves
    (Theorem 4.9); an absolute value may rise while the answer falls.
    """
    if mechanism.monotonic and not mechanism.sides.absolute and bool((p <= q).all()):
        return 0.0
    return mechanism.sensitivity


def _crossings(transcript: Transcript) -> Index:
    """Indices of the queries that crossed the threshold: the positives, and the one answered ABORT."""
    return np.append(transcript.positives, [transcript.length - 1] * transcript.aborted).astype(np.int64)


def _move(
    mechanism: Mechanism, q: Array, p: Array, transcript: Transcript, tape: NoiseTape, raised: float
) -> NoiseTape:
    """The noise with which answers `p` give the transcript that `tape` gave with answers `q`.

    With `raised` negative and the datasets exchanged it is its own inverse.
    """
    rho, nu, release = (np.array(part) for part in (tape.rho, tape.nu, tape.release))
    rho[: len(transcript.tape.rho)] += raised
    crossed = _crossings(transcript)
    compared = mechanism.shows is Release.COMPARED  # the number shows nu itself, which can only make up for q - p
    kept = transcript.positives if compared else crossed[:0]
    outwards = crossed[transcript.positives.size :] if compared else crossed
    x = q[outwards] + nu[outwards]
    nu[kept] += q[kept] - p[kept]
    nu[outwards] += (q - p)[outwards] + (np.copysign(raised, raised * x) if mechanism.sides.absolute else raised)
    if mechanism.release_noise is not None:
        release[: transcript.positives.size] += (q - p)[transcript.positives]
    return NoiseTape(*(tuple(part.tolist()) for part in (rho, nu, release)))


def _cost(noise: Noise, before: Array, after: Array) -> float:
    """Log density before the move minus log density after it, summed."""
    if (noise.logpdf(after) == -np.inf).any():
        return math.inf
    return float(np.sum(noise.log_ratio(before, after)))


def align(mechanism: Mechanism, case: Case, transcript: Transcript) -> Alignment:
    """Move the noise of a case, which gives this transcript, to noise that should give the same one on the neighbour.

    Every threshold noise rises by Delta (by 0 if the queries are monotonic and no answer rises).
    Negatives keep their noise; that of a positive moves so that its comparison keeps its margin, or, where absolute
    values are compared, so that answer + nu moves outwards by as much as the threshold rises.
    A released number must stay the same: the noise it was made with moves by answer - neighbour.
    Noise that the run does not use stays and costs nothing.
    """
    m, q, p, tape = mechanism, case.answers, case.neighbour, case.tape
    moved = _move(m, q, p, transcript, tape, _raise(m, q, p))
    epochs, crossed, found = len(transcript.tape.rho), _crossings(transcript), transcript.positives.size
    rho, nu, release = (np.array([getattr(tape, k), getattr(moved, k)]) for k in ("rho", "nu", "release"))
    costs = {
        "threshold": _cost(m.threshold_noise, *rho[:, :1]) + _cost(m.redraw_noise, *rho[:, 1:epochs]),
        "negatives": 0.0,
        "positives": _cost(m.query_noise, *nu[:, crossed]),
        "release": 0.0 if m.release_noise is None else _cost(m.release_noise, *release[:, :found]),
    }
    return Alignment(moved, costs)


def _unaligned(mechanism: Mechanism, case: Case, transcript: Transcript, tape: NoiseTape) -> NoiseTape:
    """The inverse, which makes the map one to one: it reads the output on the neighbour and takes every move back."""
    q, p = case.answers, case.neighbour
    return _move(mechanism, p, q, transcript, tape, -_raise(mechanism, q, p))


@dataclass(frozen=True, eq=False)
class Break:
    """Where an alignment fails.

    Attributes
    ----------
    step : {"threshold", "negatives", "positives", "release", "cut-off"}
    reason : str
        What happens there, with the numbers.
    needed : float
        The epsilon that would pay for it: `inf` where the output differs or noise cannot move.
    case : Case
        The answers and the noise.
    outcome, neighbour_outcome : Transcript
        What the mechanism answers on both, each with its noise.
    """

    step: ProofStep
    reason: str
    needed: float
    case: Case
    outcome: Transcript
    neighbour_outcome: Transcript


@dataclass(frozen=True, eq=False)
class AlignmentReport:
    """What `check_alignment` found.

    Attributes
    ----------
    name : str
        The mechanism's.
    epsilon : float
        What the alignment may cost.
    trials, n : int
        How many pairs of neighbours with noise were tried, and the most queries among them.
    failures : int
        In how many of them the alignment failed.
    costs : dict of str to float
        The largest cost of each step, over all trials.
    cost : float
        The largest cost of one trial.
    broken : Break or None
        If it failed: the step, the answers and the noise. The step is that of a different output or an infinite cost
        if there is one, else that of the largest cost; the answers and the noise are the fewest and shortest among
        those that failed at this step.
    """

    name: str
    epsilon: float
    trials: int
    n: int
    failures: int
    costs: dict[str, float]
    cost: float
    broken: Break | None

    @property
    def holds(self) -> bool:
        """True if no trial failed."""
        return self.broken is None

    @property
    def step(self) -> ProofStep | None:
        """Name of the step that fails, None if the alignment holds."""
        return None if self.broken is None else self.broken.step

    @property
    def reason(self) -> str:
        """What happens at that step, empty if the alignment holds."""
        return "" if self.broken is None else self.broken.reason

    def _lines(self) -> Iterator[str]:
        tried = f"{self.trials:,} trials of up to {self.n} queries"
        if self.broken is None:
            parts = ", ".join(f"{step} {_short(cost)}" for step, cost in self.costs.items() if cost > 0)
            yield f"✓ {self.name}: same output, and cost at most {_short(self.epsilon)}, in all {tried}"
            yield f"largest cost {_short(self.cost)}{f' (by step: {parts})' if parts else ''}"
            return
        case = self.broken.case
        yield f"✗ {self.name} fails at the step “{self.step}”: {self.reason} ({self.failures:,} of {tried} fail)"
        yield f"D: answers {_row(case.answers)}, {_noise(self.broken.outcome)}"
        yield f"D′: answers {_row(case.neighbour)}, {_noise(self.broken.neighbour_outcome)}"
        if case.threshold.any():
            yield f"thresholds {_row(case.threshold)}"

    def __repr__(self) -> str:
        return "\n  ".join(self._lines())

    def _repr_html_(self) -> str:
        kind = "holds" if self.holds else "fails"
        return f'<div class="svt-step svt-step-{kind}">{"<br>".join(map(html.escape, self._lines()))}</div>'


def _short(number: float) -> str:
    return "∞" if number == math.inf else f"{number:.6g}"


def _row(values: ArrayLike) -> str:
    shown = np.atleast_1d(np.asarray(values, dtype=float)).tolist()
    return f"({', '.join(map(_short, shown[:8]))}{', …' if len(shown) > 8 else ''})"


def _noise(transcript: Transcript) -> str:
    tape = transcript.tape
    release = f", release {_row(tape.release)}" if tape.release else ""
    return f"ρ {_row(tape.rho)}, ν {_row(tape.nu)}{release}: {transcript}"


def _rounding(mechanism: Mechanism, case: Case) -> float:
    """How far numbers of a case may be apart that differ by rounding only; much less than Delta."""
    largest = max(float(np.max(np.abs(part), initial=0.0)) for part in (case.answers, case.threshold))
    largest = max(largest, *(abs(x) for part in (case.tape.rho, case.tape.nu, case.tape.release) for x in part))
    return _ROUNDING * mechanism.sensitivity + 8 * float(np.spacing(largest))


def _differ(a: Said, b: Said, rounding: float) -> bool:
    """Whether two answers are not the same, numbers to rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) > rounding
    return a is not b


def _other_output(here: Transcript, there: Transcript, rounding: float) -> tuple[ProofStep, str] | None:
    """The step to which the first answer that differs belongs; None if there is none, for then both end there too."""
    pairs = list(zip(here.outcome, there.outcome, strict=False))
    i = next((k for k, pair in enumerate(pairs) if _differ(*pair, rounding)), None)
    if i is None:
        return None
    a, b = pairs[i]
    said = f"answer {i + 1} is {shown([a])} on D and {shown([b])} on D′"
    if a is False:
        return "negatives", f"{said}, although its noise stays and the threshold rises"
    if isinstance(a, float):
        return "release", f"{said}; the released number must stay the same, and is no longer above the raised threshold"
    return "positives", f"{said}, although its noise rises with the threshold"


def _overspent(
    mechanism: Mechanism, epsilon: float, crossings: int, costs: dict[str, float], rounding: float
) -> tuple[ProofStep, str] | None:
    """The step that costs more than its share, None if the whole does not exceed epsilon."""
    for step in _PAID:
        if costs[step] == math.inf:
            return step, "its noise moves to where the mechanism never draws it, so the cost is ∞"
    total = sum(costs.values())
    if total <= epsilon * (1 + rounding / mechanism.sensitivity):
        return None
    m, share = mechanism, epsilon / mechanism.epsilon
    paid = {"threshold": m.epsilon1 * share, "positives": m.epsilon2 * share, "release": m.epsilon3 * share}
    step = max(_PAID, key=lambda k: round((costs[k] - paid[k]) / epsilon, 9))  # the first of equals
    spent = f"{step} cost {_short(costs[step])} of a budget of {_short(paid[step])}"
    if crossings > m.c:
        return "cut-off", f"c = {m.c}, but {crossings} positives: {spent}"
    many = f"{crossings} positive{'s' * (crossings != 1)}: " if step == "positives" else ""
    return step, f"{many}{spent}"


def _not_back(case: Case, back: NoiseTape, crossed: Index, rounding: float) -> tuple[ProofStep, str] | None:
    """The step whose noise the inverse map does not bring back."""
    tapes = [(getattr(back, part), getattr(case.tape, part)) for part in ("rho", "nu", "release")]
    rho, nu, release = (np.abs(np.subtract(*pair)) > rounding for pair in tapes)
    steps: tuple[tuple[ProofStep, Any], ...] = (
        ("threshold", rho),
        ("positives", nu[crossed]),
        ("negatives", nu),
        ("release", release),
    )
    why = "the map is not one to one: its inverse does not bring the noise back"
    return next(((step, why) for step, wrong in steps if wrong.any()), None)


def _tried(mechanism: Mechanism, epsilon: float, case: Case) -> tuple[Alignment, Break | None]:
    """One pair of neighbours with noise: the alignment, and where it breaks."""
    here = run(mechanism, case.answers, case.threshold, tape=case.tape)
    alignment = align(mechanism, case, here)
    there = run(mechanism, case.neighbour, case.threshold, tape=alignment.tape)
    crossed, rounding = _crossings(here), _rounding(mechanism, case)
    wrong, needed = _other_output(here, there, rounding), math.inf
    if wrong is None:
        needed, back = alignment.cost, _unaligned(mechanism, case, there, alignment.tape)
        wrong = _overspent(mechanism, epsilon, crossed.size, alignment.costs, rounding)
        wrong = wrong or _not_back(case, back, crossed, rounding)
    return alignment, None if wrong is None else Break(*wrong, needed, case, here, there)


def _size(broken: Break) -> tuple[float, ...]:
    """How much there is to read in a break."""
    case, used = broken.case, broken.outcome.tape
    numbers = (*case.answers.tolist(), *case.threshold.tolist(), *used.rho, *used.nu, *used.release)
    written = sum(len(_short(x)) for x in numbers)
    return case.answers.size, float(case.threshold.any()), written, sum(map(abs, numbers))


def check_alignment(
    mechanism: Mechanism,
    *,
    rng: np.random.Generator | int,
    epsilon: float | None = None,
    n: int | None = None,
    trials: int = 2000,
) -> AlignmentReport:
    """Try the proof that a mechanism is private: the aligned noise gives the same output and costs at most epsilon.

    Each trial draws neighbours, thresholds and noise that are hard on the proof: ties, far tails, all negatives, more
    than c positives, every answer moved by Delta, up, down or against the noise. It replays the noise and its alignment
    through `svtlib.run` and asks for the same output, for a cost of at most epsilon, and that the inverse brings the
    noise back.

    A cost above epsilon is put down to the step that most exceeds its part of the budget (the first of equals):
    epsilon1 for "threshold", epsilon2 for "positives", epsilon3 for "release"; but to the "cut-off" if the run has more
    positives than the c that are paid for, the one answered ABORT included. An infinite cost is put down to the step
    whose noise cannot move, a different output to the kind of the first answer that differs.

    A mechanism that fails has no proof of this kind, which is no proof that it is not private: `worst_case` finds that.

    Parameters
    ----------
    mechanism : Mechanism
    rng : numpy.random.Generator
    epsilon : float or None
        What the alignment may cost; None means `mechanism.epsilon`, as claimed.
    n : int or None
        The most queries of a trial; half of the trials have exactly n, the others fewer. None means 12, or c + 2 if
        that is more; fewer than the cut-off lets cross the threshold would leave a part of the budget unspent.
    trials : int

    Returns
    -------
    AlignmentReport
        It does not raise where the proof fails.

    Raises
    ------
    ValueError
        If an argument is out of range, noise takes whole numbers only and the sensitivity is none, or the noise is
        so much wider than the sensitivity (some 1e11 times) that floats do not tell the two datasets apart.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> alg1 = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
    >>> svt.check_alignment(alg1, rng=np.random.default_rng(1), trials=300)
    ✓ alg1: same output, and cost at most 1, in all 300 trials of up to 12 queries
      largest cost 1 (by step: threshold 0.5, positives 0.5)
    >>> alg4 = svt.variant("alg4").calibrate(epsilon=1.0, c=2)
    >>> svt.check_alignment(alg4, rng=np.random.default_rng(1), trials=300).step
    'positives'
    """
    a_mechanism(mechanism)
    rng = validate.generator("rng", rng)
    crossings = 1 if math.isinf(mechanism.most_crossings) else int(mechanism.most_crossings)
    n = validate.count("n", max(12, min(mechanism.c + 2, _MOST_QUERIES)) if n is None else n)
    if n < crossings:
        raise ValueError(f"n must be at least {crossings}, as many as may cross the threshold, got {n}")
    trials = validate.count("trials", trials)
    if not mechanism.integers and 4 * resolution(mechanism) > mechanism.sensitivity:
        raise ValueError(
            f"sensitivity must not be lost in the noise, got {mechanism.sensitivity:g} with "
            f"{mechanism.threshold_noise!r} and {mechanism.query_noise!r}: floats cannot follow a move by it"
        )
    limit = mechanism.epsilon if epsilon is None else validate.positive("epsilon", epsilon)
    failures, largest, costs = 0, 0.0, dict.fromkeys(("threshold", "negatives", "positives", "release"), 0.0)
    worst: Break | None = None
    smallest: dict[ProofStep, Break] = {}
    for _ in range(trials):
        alignment, broken = _tried(mechanism, limit, hard_case(mechanism, n, rng))
        costs = {step: max(cost, alignment.costs[step]) for step, cost in costs.items()}
        largest = max(largest, alignment.cost)
        if broken is not None:
            failures += 1
            worst = broken if worst is None else max(worst, broken, key=lambda b: b.needed)
            smallest[broken.step] = min(smallest.get(broken.step, broken), broken, key=_size)
    shown = None if worst is None else smallest[worst.step]
    return AlignmentReport(mechanism.name, limit, trials, n, failures, costs, largest, shown)
