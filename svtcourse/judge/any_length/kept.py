"""What a program fills in a run on a list of unknown length, beside lists: an array, a dictionary, a text.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.growing import MANY, MOST_COUNTED, Said, Told, shows
from svtcourse.judge.any_length.public import Public, is_here, is_public
from svtcourse.judge.language.kinds import Abstract, Part, Run
from svtcourse.judge.language.values import compare, truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Board", "Book", "Letters"]


class Board(Told):
    """An array of the program's own, that is filled place by place and not looked at before it is returned."""

    def __init__(self, turns: Any, tainted: str = "", truths: bool = False, found: int = MANY) -> None:
        super().__init__(tainted)
        self.turns, self.truths, self.open = turns, truths, True
        self.found, self.walk = found, None  # how often True was put in a new place, on one way
        self.last: Any = None  # the turn in which a truth was put in its place last, and this truth

    def state(self, state: Any) -> Any:
        """Whether it may be filled, and returned, and how many truths there are."""
        walk = self.walk and state.number(("walk", id(self.walk)))
        return self.tainted, self.open, self.truths, self.found, walk  # in another turn nobody asks after the last

    def put(self, run: Run, place: Any, value: Any) -> None:
        """One of its elements is another."""
        if not self.open or not is_public(place):
            raise self.refused(run)
        if not (is_public(value) or shows(self.turns, value)):
            self.tainted = "it keeps in an array what it may not show"
        known = self.truths and is_here(self.turns, place) and (value is True or value is False)
        again = self.last is not None and self.last[0] is self.turns.turn
        if not known or again or self.walk not in (None, self.turns.walk) or self.found >= MOST_COUNTED:
            self.found = MANY
        elif self.found != MANY:
            self.found += value
        self.walk = self.turns.walk
        self.last = (place.turn, value) if known else None

    def index(self, run: Run, place: Any) -> Any:
        """A part of it, which is the same array; or what was put in its place in this turn."""
        if self.last is not None and is_here(self.turns, place) and place.turn is self.last[0]:
            return self.last[1]
        if not isinstance(place, Part) or not all([is_public(x) for x in (place.start, place.stop, place.step)]):
            raise self.refused(run)
        self.open = False
        return Told(self.tainted)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """What it is now, or how many truths it has."""
        if name in ("sum", "count_nonzero", "any") and self.truths and len(given) == 1 and not options:
            return Public(self.turns) if self.found == MANY else self.found > 0 if name == "any" else self.found
        self.open = False
        return super().call(run, name, *given, **options)


class Book(Abstract):
    """A dictionary of the program's own, by the places of the queries."""

    what = "uses a dictionary that it fills in a way that is not read"

    def __init__(self, turns: Any, run: Run) -> None:
        self.turns = turns
        self.kept = Said(turns, run)  # its values
        self.walk: Any = None  # the way through the list on which it was filled
        self.turn: Any = None
        self.here: Any = None  # the turn in which a truth was put in its place last, and this truth

    def state(self, state: Any) -> Any:
        """What is known of it, and on which way through the list it was filled."""
        return state.of(self.kept), self.walk and state.number(("walk", id(self.walk)))

    def is_plain(self) -> bool:
        """Whether no objects are in it."""
        return self.kept.is_plain()

    def put(self, run: Run, place: Any, value: Any) -> None:
        """What stands there: one more if it is the place of this turn, and the first time."""
        if not is_public(place):
            raise self.refused(run)
        turns = self.turns
        first = is_here(turns, place) and self.walk in (None, turns.walk) and self.turn is not turns.turn
        self.kept.take(run, value)
        if not first:
            self.kept.unknown()
        self.walk, self.turn = turns.walk, turns.turn
        known = is_here(turns, place) and (value is True or value is False)
        self.here = (place.turn, value) if known else None

    def index(self, run: Run, place: Any) -> Any:
        """What was put there in this turn, or any."""
        if self.here is not None and is_here(self.turns, place) and place.turn is self.here[0]:
            return self.here[1]
        if not is_public(place):
            raise self.refused(run)
        return self.kept.one(run)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it has a key."""
        if not is_public(one):
            raise self.refused(run)
        return Public(self.turns).truth(run)

    def length(self, run: Run) -> Any:
        """How many there are, if that is known."""
        return self.kept.length(run)

    def truth(self, run: Run) -> bool:
        """Whether there is something in it."""
        return truth(run, compare(run, "Gt", self.length(run), 0))

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Its values."""
        if name != "values" or len(given) != 1 or options:
            raise self.refused(run)
        return Values(self)

    def begin(self, run: Run) -> Callable[[], Any]:
        """Its keys."""
        return lambda: Public(self.turns)

    def reveal(self, run: Run) -> None:
        """The program returns it."""
        self.kept.reveal(run)


class Values(Abstract):
    """The values of such a dictionary, which change with it."""

    what = "looks at the values of a dictionary in a way that is not read"

    def __init__(self, of: Book) -> None:
        self.of = of

    def state(self, state: Any) -> Any:
        """The dictionary."""
        return state.of(self.of)

    def array_of(self, run: Run) -> Any:
        """No array is made of them."""
        raise self.refused(run)

    def length(self, run: Run) -> Any:
        """How many there are, if that is known."""
        return self.of.length(run)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """What a function makes of them now."""
        if name not in ("sum", "any", "all", "list", "tuple") or len(given) != 1 or options:
            raise self.refused(run)
        copy = self.of.kept.copy()
        copy.last, copy.items = Public(self.of.turns), None  # a key that was there stays where it is
        return copy.call(run, name, copy)


class Letters(Said):
    """A text that is lengthened: of each it makes another one."""

    what = "uses a text that it makes in a way that is not read"

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """One after the other."""
        if op != "Add" or not isinstance(other, (str, Letters)):
            raise self.refused(run)
        both = (other, self) if swapped else (self, other)
        found = Letters(self.turns, run)
        for part in both:
            if isinstance(part, str):
                for one in part:
                    found.take(run, one)
            else:
                found.joined(run, part)
                found.last = part.last if part.counts else Public(self.turns)
        return found

    def onto(self, run: Run, op: str, other: Any) -> Any:
        """Another one."""
        return self.binary(run, op, other, False)

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Either."""
        if op not in ("Eq", "NotEq") or not isinstance(other, (str, Letters)):
            raise self.refused(run)
        return Public(self.turns)

    def index(self, run: Run, place: Any) -> Any:
        """A letter; a part of it is a text, and no list of letters."""
        if isinstance(place, Part):
            raise self.refused(run)
        return super().index(run, place)

    def put(self, run: Run, place: Any, value: Any) -> None:
        """Nothing is put into a text."""
        raise self.refused(run)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether a text stands in it."""
        if not isinstance(one, str):
            raise self.refused(run)
        return truth(run, self.counted(run, one) if len(one) == 1 else Public(self.turns))

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """How often a letter stands in it; others may count where they are."""
        if name != "count" or len(given) != 2 or options or not isinstance(given[1], str):
            raise self.refused(run)
        return self.counted(run, given[1]) if len(given[1]) == 1 else Public(self.turns)
