"""Where the positives of a list of unknown length are, and how many: it is gone through as far as that needs.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.hidden import Public
from svtcourse.judge.language.kinds import Abstract, Part, Run
from svtcourse.judge.language.values import compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Count", "Hits", "Scan", "Walk", "is_truth"]


class Count(Abstract):
    """How many positives a lane has, gone through as far as it is asked."""

    what = "calculates with how many positives there are"

    def __init__(self, lane: Any) -> None:
        self.lane = lane

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane)

    def truth(self, run: Run) -> bool:
        """Whether there is one."""
        return int(self.lane.scan(run, 1)) >= 1

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> bool:
        """With a whole number."""
        if type(other) is not int or other < 0:
            raise self.refused(run)
        more = swapped or op in ("Gt", "LtE", "Eq", "NotEq")
        found = self.lane.scan(run, other + 1 if more else other)
        return bool(compare(run, op, other, found) if swapped else compare(run, op, found, other))

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Itself, as a number."""
        if name in ("int", "item"):
            return self
        raise self.refused(run)


class Hits(Abstract):
    """Where the positives of a lane are."""

    what = "calculates with where the positives are"

    def __init__(self, lane: Any) -> None:
        self.lane = lane

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane)

    def length(self, run: Run) -> Count:
        """How many there are."""
        return Count(self.lane)

    def index(self, run: Run, place: Any) -> Any:
        """Where one of the first is, or the first so many are."""
        if isinstance(place, Part) and place.start is place.step is None and type(place.stop) is int and place.stop > 0:
            many = min(self.lane.scan(run, place.stop), place.stop)
            return run.new_list([self.lane.place_of(run, k + 1) for k in range(many)])
        if type(place) is not int or place < 0:
            raise self.refused(run)
        found: Public = self.lane.place_of(run, place + 1)
        return found

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """How many there are."""
        if name == "size":
            return Count(self.lane)
        raise self.refused(run)


class Walk:
    """One way through a list, and at which element it is."""

    number = 0


class Scan(Walk):
    """How far a lane was gone through for its positives."""

    def __init__(self, lane: Any) -> None:
        self.lane, self.count, self.ended, self.begun = lane, 0, False, False
        self.made: list[Any] = []  # the lanes of which each element up to there was made

    def state(self, state: Any) -> Any:
        """The lane, and how many were found."""
        return state.of(self.lane), self.count, self.ended, tuple([state.of(x) for x in self.made])

    def shows(self, run: Run, lane: Any) -> None:
        """Refuse to show of a lane what was not looked at."""
        if not any([is_same(x, lane) for x in self.made]) and (self.begun or not self.ended):
            raise run.stop("it shows of a list what it has not looked at")


def is_same(x: Any, y: Any) -> bool:
    """Whether two lanes are one, or the same comparison of the same things: then their elements are the same."""
    if x is y or x.kind != y.kind or x.kind not in ("Gt", "GtE", "Lt", "LtE"):
        return x is y
    return all([mine is theirs for mine, theirs in zip(x.parts, y.parts)])


def is_truth(run: Run, x: Any) -> bool:
    """The same, if it is a truth."""
    if x is not True and x is not False:
        raise run.stop("it asks after positives of what are no truths")
    return x
