"""What a run answers and the noise it uses: answers, tapes of noise, transcripts."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from svtlib import validate


class _Abort(enum.Enum):
    ABORT = "ABORT"

    def __repr__(self) -> str:
        return self.value


ABORT: Final = _Abort.ABORT
"""In an outcome, the answer of a mechanism with cut-off "after c" at its (c+1)-th positive, which ends the run."""

Said = bool | float | _Abort
"""One answer as an outcome writes it: False, True, a released number, or ABORT."""


@dataclass(frozen=True)
class Answer:
    """What `Session.ask` answers; true where it is positive, whatever number it shows.

    Attributes
    ----------
    positive : bool
        False also for the query that aborts.
    value : float or None
        The number shown, in the units of the answers; a gap where that is released.
    aborted : bool
        True if the query was answered ABORT.

    Examples
    --------
    >>> Answer(True, value=0.0), bool(Answer(True, value=0.0)), bool(Answer(False, aborted=True))
    (Answer(⊤ 0), True, False)
    """

    positive: bool
    value: float | None = None
    aborted: bool = False

    def __bool__(self) -> bool:
        return self.positive

    @property
    def outcome(self) -> Said:
        """The same as an outcome writes it."""
        if self.aborted:
            return ABORT
        return self.positive if self.value is None else self.value

    def __repr__(self) -> str:
        number = "" if self.value is None else f" {self.value:.6g}"
        return f"Answer({shown([ABORT if self.aborted else self.positive])}{number})"


def shown(outcome: Iterable[Said]) -> str:
    """An outcome as a line of ⊥ and ⊤ and numbers."""
    signs = {False: "⊥", True: "⊤", ABORT: " ABORT"}
    return "".join(signs[a] if isinstance(a, (bool, _Abort)) else f" {a:.6g} " for a in outcome).strip()


@dataclass(frozen=True)
class NoiseTape:
    """The noise of one run, recorded or given: with it a run is a function of the answers alone.

    Parameters
    ----------
    rho : tuple of float
        Threshold noise: one number, and one more for each refresh.
    nu : tuple of float
        Query noise, one number for each answered query.
    release : tuple of float
        Noise of the released numbers, one for each positive, where the mechanism draws it afresh.

    Examples
    --------
    >>> NoiseTape(rho=[0.5], nu=[-1, 2])
    NoiseTape(rho=(0.5,), nu=(-1.0, 2.0), release=())
    """

    rho: tuple[float, ...]
    nu: tuple[float, ...]
    release: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            values = validate.finite_array(field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, tuple(values.tolist()))


@dataclass(frozen=True, eq=False)
class Transcript:
    """What one run answered, and the noise it used.

    Attributes
    ----------
    positives : ndarray of int, shape (number of positives,)
        Indices of the positive answers, ascending; the query answered ABORT is not among them.
    stopped : bool
        True if the cut-off ended the run.
    length : int
        How many queries were answered, the ABORT included.
    released : tuple of float
        The released numbers, one for each positive; empty where positives are indicators.
    aborted : bool
        True if the last answer is ABORT.

    Examples
    --------
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    >>> transcript = svt.run(mechanism, [0, 5, 9], threshold=4, tape=svt.NoiseTape([0.0], [1.0, -0.5, 0.0]))
    >>> print(transcript)
    ⊥⊤
    >>> transcript.outcome, transcript.stopped
    ((False, True), True)
    """

    positives: NDArray[np.int64]
    stopped: bool
    length: int
    released: tuple[float, ...]
    aborted: bool
    _rho: tuple[float, ...]
    _nu: tuple[NDArray[np.float64], ...]
    _release: tuple[float, ...]

    @cached_property
    def outcome(self) -> tuple[Said, ...]:
        """The answers: False, True, a released number, or ABORT at the end."""
        answers: list[Said] = [False] * self.length
        for k, index in enumerate(self.positives.tolist()):
            answers[index] = self.released[k] if self.released else True
        if self.aborted:
            answers[-1] = ABORT
        return tuple(answers)

    @cached_property
    def tape(self) -> NoiseTape:
        """The noise that was used, and no more of it: `run(..., tape=...)` replays it."""
        nu = np.concatenate(self._nu)[: self.length] if self._nu else np.empty(0)
        return NoiseTape(self._rho, tuple(nu.tolist()), self._release)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transcript):
            return NotImplemented
        return (self.outcome, self.stopped, self.tape) == (other.outcome, other.stopped, other.tape)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return shown(self.outcome)

    def __repr__(self) -> str:
        shown = str(self) if self.length <= 60 else f"{self.length} answers, {self.positives.size} positive"
        return f"Transcript({shown}{', stopped' if self.stopped else ''})"
