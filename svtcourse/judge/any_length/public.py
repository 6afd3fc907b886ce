"""What stands for public numbers, in a run on a list of unknown length.

Of a public number (a place, a length, how an earlier query was answered) nothing is known: what hangs on it goes both
ways.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math

from svtcourse.judge.language.kinds import Abstract, Member, NoNumber, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Dead", "Public", "Shown", "is_here", "is_public"]

_FAR = 5_000  # queries


def is_public(x: Any) -> bool:
    """Whether everybody may know a value, and it is a number or a sign."""
    return x is None or isinstance(x, (bool, int, float, str, Public, Member, NoNumber))


def is_here(turns: Any, place: Any) -> bool:
    """Whether a place is that of this turn."""
    return isinstance(place, Public) and place.turn is not None and place.turn is turns.turn


class Dead(Abstract):
    """What a name held in an earlier turn, and may not hold any more."""

    def look(self, run: Run) -> None:
        """It is read after all."""
        raise run.stop("it uses an answer, or noise that was compared, in a later turn")

    def state(self, state: Any) -> Any:
        """One is like the other."""
        return "dead"


class Public(Abstract):
    """Any public number, sign or truth.

    Parameters
    ----------
    turn : object, optional
        The turn of which it is the place.
    of : object, optional
        The list of which it is the length.
    after : object, optional
        It is where the lane's positive is which was just found, and `more` places further.
    added : float
        What was added to a number of which nothing is known.
    whole : bool
        It is known to be an int.
    """

    what = "calculates with a number that depends on the number of queries"
    alone = True

    def __init__(
        self,
        turns: Any,
        turn: Any = None,
        of: Any = None,
        after: Any = None,
        more: int = 0,
        added: float = 0,
        whole: bool = False,
    ) -> None:
        self.turns, self.turn, self.of, self.after = turns, turn, of, after
        self.more, self.added, self.whole = more, added, whole

    def is_plain(self) -> bool:
        """Nothing happens when it is printed."""
        return True

    def state(self, state: Any) -> Any:
        """What it is a place or a length of; the turn is over when states are compared."""
        length = None if self.of is None else state.number(("length", id(self.of)))
        ended = tuple([state.number(("length", id(of))) for of, place in self.turns.ended if place is self])
        return length, state.of(self.after), self.more, self.whole, ended

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Any other one."""
        if isinstance(other, Abstract) and not isinstance(other, Public):
            return other.binary(run, op, self, not swapped)
        self.near(run, other)
        if op == "Mod" and type(other) is int and other > 0 and not swapped:
            return Public(self.turns)  # shorter runs have all of its values
        if op not in ("Add", "Sub"):
            raise self.refused(run)
        if self.after is not None and op == "Add" and type(other) is int and self.more + other in (0, 1):
            return Public(self.turns, after=self.after, more=self.more + other)
        if type(other) is not int and type(other) is not float:
            return Public(self.turns)
        added = self.added + (-other if op == "Sub" else other)
        return Public(self.turns, added=added, whole=self.whole and type(other) is int)

    def near(self, run: Run, other: Any) -> None:
        """Whether runs that are followed one by one go as far as a number that it is added to or compared with."""
        if not is_public(other):
            raise self.refused(run)
        for k in (other, other - self.added) if type(other) in (int, float) else ():
            if abs(k) > _FAR:
                raise run.stop(f"it asks for more than {_FAR:,} queries")
            self.turns.shared.reached.add(math.ceil(abs(k)))

    def onto(self, run: Run, op: str, other: Any) -> Any:
        """Any other one."""
        return self.binary(run, op, other, False)

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Either; a place that was found not to stand before the end of a list does so the next time, too."""
        self.near(run, other)
        places = (other, self) if swapped else (self, other)
        place, length = places if op in ("Lt", "GtE") else places[::-1]
        of = getattr(length, "of", None)
        whole = type(place) is int or (isinstance(place, Public) and place.whole)
        if of is None or not whole or op not in ("Lt", "GtE", "Gt", "LtE"):
            return Public(self.turns)
        inside = op in ("Lt", "Gt")
        for known, end in self.turns.ended:
            if known is of and (end is place or (type(end) is type(place) is int and end <= place)):
                return not inside
        return Inside(self.turns, of, place, inside)

    def opposite(self, run: Run, op: str) -> Any:
        """Any other one."""
        return Public(self.turns)

    def truth(self, run: Run) -> bool:
        """Both."""
        return bool(self.turns.fork.public())

    def text(self, run: Run, parts: list[Any]) -> Any:
        """A text of public values."""
        if not all([is_public(x) for x in parts]):
            raise self.refused(run)
        return Public(self.turns)

    def index(self, run: Run, place: Any) -> Any:
        """One of several values."""
        if not isinstance(place, tuple) or not all([is_public(x) for x in place]):
            raise self.refused(run)
        return Public(self.turns)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """A function of public numbers."""
        if name == "drawn":
            family, loc, scale, size = given
            return self.turns.draws(run, family, loc, scale, size)
        if name == "full":
            tainted = "" if is_public(given[1]) else "it fills an array with unknowns"
            return self.turns.board(tainted, given[1])
        for x in given:
            self.near(run, x)
        if name == "range":
            return self.turns.places(self.of if len(given) == 1 else None)
        if options or (name == "int" and len(given) > 1):  # a text, to a base
            raise self.refused(run)
        return self if name == "int" else Public(self.turns)


class Inside(Public):
    """Whether a place stands before the end of the list `of`; or, if not `inside`, whether it does not."""

    def __init__(self, turns: Any, of: Any, place: Any, inside: bool) -> None:
        super().__init__(turns)
        self.list, self.place, self.inside = of, place, inside

    def state(self, state: Any) -> Any:
        """What it says of which place in which list."""
        return state.number(("length", id(self.list))), state.of(self.place), self.inside

    def truth(self, run: Run) -> bool:
        """Both, and at the end it is known from now on."""
        found = super().truth(run)
        if found is not self.inside and self.turns.fork.trial is None:
            self.turns.ended.append((self.list, self.place))
        return found


class Shown(Public):
    """A number that was shown."""

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """It is something."""
        return op == "IsNot" if other is None and op in ("Is", "IsNot") else super().compare(run, op, other, swapped)
