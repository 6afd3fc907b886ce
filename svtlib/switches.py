"""The switches of an SVT as values: which sides are compared, when a run ends, what a positive shows."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, NamedTuple

from svtlib.noise import Noise, NoNoise


class Comparison(Enum):
    """Which sides of the noisy threshold count as above it."""

    SIGNED = "signed"
    ABSOLUTE = "absolute"

    @property
    def absolute(self) -> bool:
        """True if the answer's distance from 0 is compared."""
        return self is Comparison.ABSOLUTE

    def height(self, noisy: Any) -> Any:
        """What of a noisy answer is compared with the noisy threshold."""
        return abs(noisy) if self is Comparison.ABSOLUTE else noisy

    def above(self, noisy: Any, bar: Any) -> Any:
        """Whether a noisy answer is above the noisy threshold: at a tie it is."""
        return self.height(noisy) >= bar


class Cutoff(Enum):
    """When positives end a run, where c of them are paid for."""

    AT_C = "at c"
    AFTER_C = "after c"
    NEVER = None

    @property
    def extra(self) -> int:
        """How many queries may cross the threshold beyond the positives: the one answered ABORT."""
        return int(self is Cutoff.AFTER_C)

    def most(self, c: int) -> float:
        """The largest number of positives."""
        return math.inf if self is Cutoff.NEVER else c

    def ended(self, found: Any, c: int) -> Any:
        """Whether the last of so many positives ended the run."""
        return (found == c) & (self is Cutoff.AT_C)

    def aborts(self, found: Any, c: int) -> Any:
        """Whether after so many positives the next crossing is answered ABORT, which ends the run."""
        return (found == c) & (self is Cutoff.AFTER_C)


class Told(NamedTuple):
    """What a released number says of the noise on one dataset."""

    noise: Noise | None  # the one that is known by it, if it is alone: the number has its density
    most: Any = None  # the largest threshold noise with which the number is released: the comparison is then settled
    offset: Any = None  # the query noise is the threshold noise plus this: its density replaces the comparison


class Release(Enum):
    """What a positive answer shows: that it is one, or a number."""

    INDICATOR = "indicator"
    COMPARED = "compared"
    FRESH = "fresh"
    GAP = "gap"

    @property
    def numbered(self) -> bool:
        """True if a positive is answered with a number."""
        return self is not Release.INDICATOR

    @property
    def moves_with_threshold(self) -> bool:
        """True if the number is a distance from the threshold: it does not change if threshold and answers do."""
        return self is Release.GAP

    def number(self, answer: Any, noisy: Any, bar: Any, drawn: Any) -> Any:
        """The number shown, from the true answer, the compared one, the noisy threshold and fresh noise."""
        return {Release.COMPARED: noisy, Release.FRESH: answer + drawn}.get(self, noisy - bar)

    def told(self, number: Any, answer: Any, threshold: Any, side: Comparison, query: Noise, fresh: Any) -> Told:
        """What `number` says if this is the true answer, for query noise and fresh noise of these laws."""
        if self is Release.COMPARED:
            return Told(query, most=side.height(number) - threshold)
        return Told(None, offset=threshold - answer + number) if self is Release.GAP else Told(fresh)

    def kept(self, moved: Any, raised: Any) -> Any:
        """What must be 0 so that the number stays, if the noisy answer and the threshold move so far; None if nothing.

        A fresh number stays by its own noise.
        """
        return {Release.COMPARED: moved, Release.GAP: moved - raised}.get(self)

    def refuse(self, side: Comparison, query: Noise, fresh: Noise | None) -> None:
        """Raise ValueError if numbers of this kind cannot be shown, or have no law."""
        if (self is Release.FRESH) != (fresh is not None):
            raise ValueError(
                f'release_noise must be given exactly if release is "fresh", got {fresh!r} with release {self.value!r}'
            )
        if self is not Release.GAP:
            return
        if side.absolute:
            raise ValueError("compare must be \"signed\" where the gap is released, got 'absolute'")
        if isinstance(query, NoNoise):
            raise ValueError(f"query_noise must be noise where the gap is released, got {query!r}")
