"""A calibrated Sparse Vector Technique, the loop that runs it, and what the loop returns."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.bits import Bits
from svtlib.guarantee import Approximate
from svtlib.noise import Geometric, Noise, NoNoise
from svtlib.switches import Comparison, Cutoff, Release
from svtlib.transcript import ABORT, Answer, NoiseTape, Said, Transcript

__all__ = ["ABORT", "Answer", "BudgetExhausted", "Mechanism", "NoiseTape", "Said", "Session", "Transcript", "run"]


class BudgetExhausted(RuntimeError):
    """Raised by `Session.ask` once the mechanism has stopped: nothing more may be asked."""


@dataclass(frozen=True)
class Mechanism:
    """One Sparse Vector Technique with every number fixed: the object that is run, integrated and judged.

    `svtlib.variant(key).calibrate(...)` makes one; `dataclasses.replace` damages one.

    Parameters
    ----------
    name : str
        The catalogue key, for titles and colours.
    threshold_noise, query_noise : Noise
        Law of rho, added to the threshold, and of each nu, added to an answer; in the units of the answers.
        Both take whole numbers, or neither; there may be none beside either.
    c : int
        How many positives are paid for; without meaning where `cutoff` is None.
    epsilon, epsilon1, epsilon2, epsilon3 : float
        The budget as claimed by the source, and its parts for the threshold, the comparisons and the released numbers.
    sensitivity : float
        Delta, the most by which one person changes one answer; whole where noise is.
    monotonic : bool
        True if all answers that differ between neighbours move in the same direction.
    cutoff : {"at c", "after c", None}
        "at c": the c-th positive ends the run.
        "after c": negatives are still answered after it, and the (c+1)-th positive is answered ABORT and ends the run.
        None: no positive ends the run.
    refresh : bool
        True if the threshold noise is drawn anew after each positive.
    refresh_noise : Noise or None
        Law of the fresh threshold noise; None means that of `threshold_noise`.
    release : {"indicator", "compared", "fresh", "gap"}
        What a positive answer is: True, the very noisy number that was compared, answer + fresh `release_noise`, or
        by how much the noisy answer exceeds the noisy threshold (free: Ding, Wang, Zhang & Kifer 2019).
    release_noise : Noise or None
        Given exactly if `release` is "fresh".
    compare : {"signed", "absolute"}
        Positive if answer + nu >= threshold + rho, or if abs(answer + nu) >= threshold + rho.
    correction : float
        Added to every threshold before its noise, in the units of the answers (r in Liu et al. 2024, Algorithm 2).
    """

    name: str
    threshold_noise: Noise
    query_noise: Noise
    c: int
    epsilon: float
    epsilon1: float
    epsilon2: float
    epsilon3: float = 0.0
    sensitivity: float = 1.0
    monotonic: bool = False
    cutoff: Literal["at c", "after c"] | None = "at c"
    refresh: bool = False
    refresh_noise: Noise | None = None
    release: Literal["indicator", "compared", "fresh", "gap"] = "indicator"
    release_noise: Noise | None = None
    compare: Literal["signed", "absolute"] = "signed"
    correction: float = 0.0

    def __post_init__(self) -> None:
        for name, or_none in (("threshold", ""), ("query", ""), ("refresh", " or None"), ("release", " or None")):
            noise = getattr(self, f"{name}_noise")
            if not isinstance(noise, Noise) and not (or_none and noise is None):
                raise ValueError(f"{name}_noise must be a Noise{or_none}, got {noise!r}")
            if noise is not None:
                noise.refuse()
        validate.fields(self, validate.count, "c")
        validate.fields(self, validate.positive, "epsilon", "sensitivity")
        validate.fields(self, validate.non_negative, "epsilon1", "epsilon2", "epsilon3")
        validate.fields(self, validate.boolean, "monotonic", "refresh")
        validate.fields(self, validate.finite, "correction")
        for name, switch in (("cutoff", Cutoff), ("release", Release), ("compare", Comparison)):
            validate.choice(name, getattr(self, name), [option.value for option in switch])
        if self.integers:
            validate.whole("sensitivity", self.sensitivity)
        if self.refresh_noise is not None and not self.refresh:
            raise ValueError(f"refresh_noise must be None where refresh is False, got {self.refresh_noise!r}")
        compared = (self.threshold_noise, self.redraw_noise, self.query_noise)
        if len({noise.whole for noise in compared if not isinstance(noise, NoNoise)}) > 1:
            raise ValueError(f"threshold_noise and query_noise must be whole numbers both, or neither, got {compared}")
        self.shows.refuse(self.sides, self.query_noise, self.release_noise)

    @cached_property
    def ends(self) -> Cutoff:
        """The cut-off, which knows when a run ends."""
        return Cutoff(self.cutoff)

    @cached_property
    def shows(self) -> Release:
        """The release, which knows what a positive shows and what that tells."""
        return Release(self.release)

    @cached_property
    def sides(self) -> Comparison:
        """The comparison, which knows its sides."""
        return Comparison(self.compare)

    @property
    def claimed(self) -> Approximate:
        """What the source claims that this mechanism guarantees."""
        return Approximate(self.epsilon)

    @property
    def most_positives(self) -> float:
        """The largest number of positives in one transcript, `inf` without a cut-off."""
        return self.ends.most(self.c)

    @property
    def most_crossings(self) -> float:
        """The largest number of queries that cross the threshold: the positives, and the one answered ABORT."""
        return self.most_positives + self.ends.extra

    @property
    def redraw_noise(self) -> Noise:
        """Law of the threshold noise after the first positive of a mechanism that refreshes it."""
        return self.threshold_noise if self.refresh_noise is None else self.refresh_noise

    @property
    def noises(self) -> tuple[Noise, ...]:
        """Every noise that is drawn: of the first threshold, of later ones, of the queries and of released numbers."""
        return tuple(filter(None, (self.threshold_noise, self.redraw_noise, self.query_noise, self.release_noise)))

    @property
    def integers(self) -> bool:
        """True if some noise takes whole numbers only; the constant 0 is not meant."""
        return any(noise.whole for noise in self.noises)

    @property
    def whole_answers(self) -> bool:
        """True if only whole answers are protected: a shown number would tell the fraction, or be moved by it."""
        return self.integers and self.shows.numbered

    def __repr__(self) -> str:
        shown = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.default is not getattr(self, field.name) and field.default != getattr(self, field.name)
        ]
        return f"Mechanism({', '.join(shown)})"


def a_mechanism(mechanism: Any) -> Mechanism:
    """Return `mechanism`, or raise ValueError unless it is one, with the line that makes one."""
    if not isinstance(mechanism, Mechanism):
        key = mechanism if isinstance(mechanism, str) else getattr(mechanism, "key", "alg1")
        line = f'svt.variant("{key}").calibrate(epsilon=1.0)'
        raise ValueError(f"mechanism must be a Mechanism, as {line} makes one, got {mechanism!r}")
    return mechanism


class _Drawn:
    """Noise drawn as it is asked for: from bits whole numbers, and nothing but whole numbers and fractions beside."""

    def __init__(self, mechanism: Mechanism, rng: np.random.Generator | int | Bits | None) -> None:
        exact = isinstance(rng, Bits)
        for noise in mechanism.noises if exact else ():
            if not isinstance(noise, (Geometric, NoNoise)):
                raise ValueError(f"mechanism must have integer noise where rng is Bits, got {noise!r}")
        self.mechanism, self.rng = mechanism, rng if isinstance(rng, Bits) else validate.generator("rng", rng)
        self.answer: Callable[[str, Any], Any] = validate.whole if exact else validate.finite
        self.level: Callable[[str, Any], Any] = validate.rational if exact else validate.finite

    def _draw(self, noise: Noise | None, size: int = 1) -> NDArray[Any]:
        assert noise is not None
        if isinstance(self.rng, Bits):
            return np.array([self.rng.draw(noise) for _ in range(size)], dtype=object)
        return np.asarray(noise.sample(self.rng, size))

    def rho(self, k: int) -> Any:
        return self._draw(self.mechanism.redraw_noise if k else self.mechanism.threshold_noise).item()

    def nu(self, start: int, stop: int) -> NDArray[Any]:
        return self._draw(self.mechanism.query_noise, stop - start)

    def release(self, k: int) -> Any:
        return self._draw(self.mechanism.release_noise).item()


class _Replayed:
    """Noise read from a tape."""

    answer = level = staticmethod(validate.finite)

    def __init__(self, tape: NoiseTape) -> None:
        if not isinstance(tape, NoiseTape):
            raise ValueError(f"tape must be a NoiseTape, got {tape!r}")
        self.tape, self._nu = tape, np.asarray(tape.nu)
        self.rho, self.release = partial(self._entry, "rho"), partial(self._entry, "release")

    def _entry(self, part: str, k: int) -> float:
        values = getattr(self.tape, part)
        if k >= len(values):
            raise ValueError(f"tape.{part} has {len(values)} entries, but the run needs entry {k}")
        return float(values[k])

    def nu(self, start: int, stop: int) -> NDArray[np.float64]:
        self._entry("nu", start)
        return self._nu[start:stop]


class Session:
    """The loop of every published SVT, one query at a time: the next question may depend on the last answer.

    With a numpy generator it is a simulation with floating-point noise, and not for production: the last bits of such
    noise leak information on the answer (Mironov 2012).
    With `Bits` the noise is integer noise, and nothing is rounded between the random bits and the decision.

    Parameters
    ----------
    mechanism : Mechanism
    rng : numpy.random.Generator, int or Bits
        Exactly one of `rng` and `tape` is given; an int is the seed of a new generator.
    tape : NoiseTape
        Noise to replay.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    >>> session = svt.Session(mechanism, rng=np.random.default_rng(1))
    >>> session.ask(0, threshold=100), session.spent
    (Answer(⊥), 0.5-DP)
    >>> if session.ask(200, threshold=100):
    ...     print(session)
    Session(alg1: ⊥⊤, stopped; 1-DP of 1-DP spent)
    >>> try:
    ...     session.ask(0, threshold=100)
    ... except svt.BudgetExhausted as stop:
    ...     print(stop)
    alg1 has given its 1 positive answer and stopped: no further query may be asked
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        rng: np.random.Generator | int | Bits | None = None,
        tape: NoiseTape | None = None,
    ) -> None:
        self.mechanism = a_mechanism(mechanism)
        if (rng is None) == (tape is None):
            raise ValueError(
                "exactly one of rng and tape must be given: rng=numpy.random.default_rng(1), its seed, or a tape"
            )
        self._noise = _Drawn(mechanism, rng) if tape is None else _Replayed(tape)
        self._correction = self._noise.level("correction", mechanism.correction)
        self.asked = self.positives = 0
        self.stopped = self._aborted = False
        self._rho, self._nu, self._fresh = [self._noise.rho(0)], list[Any](), list[float]()
        self._found, self._released = list[Any](), list[float]()

    @property
    def transcript(self) -> Transcript:
        """What was answered so far, and the noise it took."""
        index = np.concatenate(self._found) if self._found else np.empty(0, dtype=np.int64)
        noise = tuple(self._rho), tuple(self._nu), tuple(self._fresh)
        return Transcript(index, self.stopped, self.asked, tuple(self._released), self._aborted, *noise)

    @property
    def spent(self) -> Approximate:
        """What the answers so far have cost, by the budget that the mechanism claims.

        All of epsilon1 for the threshold, or 1/c of it for each that was drawn, and 1/c of epsilon2 and epsilon3 for
        each query that crossed it: where the alignment of the proof holds, what this transcript can lose.
        """
        m, crossed = self.mechanism, self.positives + self._aborted
        thresholds = len(self._rho) / m.c if m.refresh else 1.0
        return Approximate(m.epsilon1 * thresholds + (m.epsilon2 * crossed + m.epsilon3 * self.positives) / m.c)

    def __repr__(self) -> str:
        shown = str(self.transcript) if self.asked <= 60 else f"{self.asked} answers, {self.positives} positive"
        state = f"{', stopped' * self.stopped}; {self.spent} of {self.mechanism.claimed} spent"
        return f"Session({self.mechanism.name}: {shown}{state})"

    def ask(self, answer: float, threshold: float = 0.0) -> Answer:
        """Answer one query.

        Parameters
        ----------
        answer : float
            The true answer, in the units of the mechanism's sensitivity.
        threshold : float
            The public threshold of this query.

        Returns
        -------
        Answer
            True in a condition exactly if it is positive.

        Raises
        ------
        BudgetExhausted
            If the mechanism has stopped.
        ValueError
            If an argument is not a finite number, or, with `Bits`, if the answer is not a whole one.
        """
        m = self.mechanism
        answer, level = (
            self._noise.answer("answer", answer),
            self._noise.level("threshold", threshold) + self._correction,
        )
        if self.stopped:
            given = f"its {m.c} positive answer{'s' if m.c > 1 else ''}"
            raise BudgetExhausted(f"{m.name} has given {given} and stopped: no further query may be asked")
        before, shown = self.positives, len(self._released)
        kind = float if isinstance(answer, float) else object  # what `Bits` decide is never rounded
        self._walk(np.array([answer], dtype=kind), np.array([level], dtype=kind))
        positive = self.positives > before
        number = self._released[-1] if len(self._released) > shown else None
        return Answer(positive, number, self._aborted)

    def _walk(self, q: NDArray[Any], level: NDArray[Any]) -> None:
        """Answer a beginning of these queries: all of them, or up to one behind which the state is another.

        They have a level each, or one together.
        Given the threshold noise the comparisons are independent, so all noise is drawn and compared at once, and what
        lies behind a positive that changes the state is drawn anew.
        """
        m, noise, start = self.mechanism, self._noise, self.asked
        draw = noise.nu(start, start + q.size)
        used = draw.size  # a tape may have less
        noisy = q[:used] + draw
        bar = level[:used] + self._rho[-1]
        hits = np.flatnonzero(m.sides.above(noisy, bar))
        given = hits[: int(min(m.most_positives - self.positives, 1 if m.refresh else hits.size))]
        self.positives += given.size
        anew = m.refresh and given.size > 0  # what lies behind is compared with another threshold
        self._aborted = hits.size > given.size and not anew and bool(m.ends.aborts(self.positives, m.c))
        self.stopped = self._aborted or bool(m.ends.ended(self.positives, m.c))
        if self.stopped or anew:
            used = int(hits[given.size] if self._aborted else given[-1]) + 1
        if anew and not self.stopped:
            self._rho.append(noise.rho(self.positives))
        if m.shows.numbered and given.size:
            drawn = np.zeros(given.size)
            if m.release_noise is not None:
                drawn = np.array([noise.release(k) for k in range(self.positives - given.size, self.positives)])
                self._fresh.extend(drawn.tolist())
            bars = np.broadcast_to(bar, noisy.shape)[given]
            self._released.extend(map(float, m.shows.number(q[given], noisy[given], bars, drawn)))
        self._nu.append(draw[:used])
        if given.size:
            self._found.append(given + start)
        self.asked += used


_FIRST_BLOCK, _LARGEST_BLOCK = 256, 65536


def run(
    mechanism: Mechanism,
    answers: ArrayLike,
    threshold: ArrayLike = 0.0,
    *,
    rng: np.random.Generator | int | Bits | None = None,
    tape: NoiseTape | None = None,
) -> Transcript:
    """Run an SVT over `answers` and return its transcript.

    The loop of `Session`, many queries at a time.

    Parameters
    ----------
    mechanism : Mechanism
    answers : array_like, shape (n,)
        True query answers in the units of `mechanism.sensitivity`; for "absolute" comparison the differences
        between estimate and true answer.
    threshold : float or array_like, shape (n,)
    rng : numpy.random.Generator, int or Bits
        Exactly one of `rng` and `tape` is given; an int is the seed of a new generator.
    tape : NoiseTape
        Noise to replay: the result is then a function of the arguments.

    Returns
    -------
    Transcript

    Raises
    ------
    ValueError
        If an input is not finite, lengths differ, or the tape is too short.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
    >>> print(svt.run(mechanism, [0, 90, 0, 95, 0], threshold=50, rng=np.random.default_rng(7)))
    ⊥⊤⊥⊤
    """
    session = Session(mechanism, rng=rng, tape=tape)
    q = validate.finite_array("answers", answers, copy=False)
    n, block, alike = q.size, _FIRST_BLOCK, isinstance(threshold, numbers.Real)
    level = validate.finite_array("threshold", threshold, length=1 if alike else n, copy=False)
    while session.asked < n and not session.stopped:
        if isinstance(rng, Bits):
            session.ask(q[session.asked], level[0 if alike else session.asked])
            continue
        drawn, window = len(session._rho), slice(session.asked, session.asked + block)
        session._walk(q[window], (level if alike else level[window]) + mechanism.correction)
        block = min(2 * block, _LARGEST_BLOCK) if len(session._rho) == drawn else _FIRST_BLOCK
    return session.transcript
