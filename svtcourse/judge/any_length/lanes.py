"""What stands for a list of which the length is not known, and for what is made of it.

A `Lane` has an element for each query, made when a turn asks for it; of a lane of truths one may ask where its
positives are, and it is then gone through as far as that needs.  Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.hidden import LIBRARY, Public, Shown
from svtcourse.judge.any_length.positives import Count, Hits, Scan, Walk, is_truth
from svtcourse.judge.any_length.walks import Made, Once, Walkable
from svtcourse.judge.language.kinds import Abstract, Error, Part, Raised, Run
from svtcourse.judge.language.library import call, called
from svtcourse.judge.language.numpys import Generator
from svtcourse.judge.language.ordering import is_plain
from svtcourse.judge.language.values import binary, compare, opposite
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["EACH", "Lane", "Listed"]


class Lane(Walkable):
    """A list or an array with an element for each query, made by `make` when its turn comes.

    Parameters
    ----------
    length : object
        The same for lists of the same length.
    make : callable (run, turn)
    parts : tuple
        What it is made of.
    noisy : bool
        Whether its elements are made of draws of their own: then it is gone through once.
    """

    has_places = True

    def __init__(
        self, turns: Any, length: Any, kind: Any, make: Callable[[Run, Any], Any], parts: Any = (), noisy: bool = False
    ) -> None:
        super().__init__(turns)
        self.length_, self.kind, self.make, self.parts = length, kind, make, parts
        self.noisy: bool = noisy or any([isinstance(x, Lane) and x.noisy for x in parts])
        self.owner: Any = None
        self.numbers = True  # whether numpy makes an array of it that has the same elements
        self.truths = False  # whether all its elements are truths
        self.total, self.asked, self.held, self.shifted = 0, 0, (), False

    @staticmethod
    def answers(turns: Any, length: Any = None) -> Lane:
        """The answers."""
        return Lane(turns, length or "n", "answers", lambda run, turn: turns.fork.answer())

    @staticmethod
    def places(turns: Any, length: Any) -> Lane:
        """Where in the list a turn is."""
        return Lane(turns, length, "places", lambda run, turn: Public(turns, turn=turn))

    @staticmethod
    def draws(turns: Any, length: Any, family: str, loc: Any, scale: Any) -> Lane:
        """A draw for each query."""
        parts = tuple([x for x in (loc, scale) if isinstance(x, Lane)])
        source = Generator()

        def make(run: Run, turn: Any) -> Any:
            at, wide = (x.at(run, turn) if isinstance(x, Lane) else x for x in (loc, scale))
            if isinstance(wide, Abstract):
                raise wide.refused(run)
            return source.shaped(run, family, at, wide, None)

        return Lane(turns, length, ("draws", family), make, (loc, scale) + parts, True)

    def state(self, state: Any) -> Any:
        """What it is made of, and how far."""
        made = tuple([state.of(x) for x in tuple(self.parts) + tuple(self.held)])
        return (
            state.number(self.length_),
            repr(self.kind),
            made,
            self.owner and state.number(("walk", id(self.owner))),
            self.total,
            self.kind == "cumsum" and self.asked == getattr(self.turns.walk, "number", 0),
            self.shifted,
        )

    def at(self, run: Run, turn: Any) -> Any:
        """The element of a turn."""
        if turn is not self.turns.turn:
            raise self.refused(run)
        if id(self) not in self.turns.memo:
            if self.noisy and self.owner not in (None, self.turns.walk):
                raise run.stop("it goes through its noise more than once")
            self.owner = self.turns.walk
            self.turns.memo[id(self)] = self, self.make(run, turn)  # with itself, so that no other has its place
        found = self.turns.memo[id(self)][1]
        if found is None:
            raise run.stop("it asks after a positive where it may not be one too many")
        return found

    def iterate(self, run: Run) -> Iterator[Any]:
        """One element after the other."""
        mine = self.turns.walk = Walk()
        if self.turns.scanned is not None and self.noisy:
            raise run.stop("it goes through the list more than once")
        while True:
            self.turns.head("walk")
            if not self.turns.more():
                return
            self.turns.walk = mine
            mine.number += 1
            yield self.at(run, self.turns.turn)

    def each(self, kind: Any, do: Callable[..., Any], *given: Any) -> Lane:
        """The same with each element of some lanes."""
        run = self.turns.run
        for x in given:
            same = x.length_ is self.length_ if isinstance(x, Lane) else isinstance(x, (bool, int, float, Form))
            if not same or (kind == "zip" and not isinstance(x, Lane)):
                raise run.stop("it puts lists together that may have other lengths")

        def make(run: Run, turn: Any) -> Any:
            return do(run, *[x.at(run, turn) if isinstance(x, Lane) else x for x in given])

        lane = Lane(self.turns, self.length_, kind, make, given)
        lane.numbers = kind != "zip" and all([x.numbers for x in given if isinstance(x, Lane)])
        known = kind[1] if isinstance(kind, tuple) else kind
        over = [x for x in given if isinstance(x, Lane)]
        lane.truths = known in _TRUTHS or (known in _OF_TRUTHS and all([x.truths for x in over]))
        return lane

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Element by element."""
        if op == "BitAnd" and isinstance(other, Lane):
            return self._and(other)
        given = (other, self) if swapped else (self, other)
        return self.each(op, lambda run, x, y: binary(run, op, x, y), *given)

    def _and(self, other: Lane) -> Lane:
        """Both: where a positive would be one too many, it is not asked whether it is one."""

        def both(run: Run, turn: Any) -> Any:
            for one, bound in ((self, other), (other, self)):
                if bound.kind in (("cumsum", "LtE"), ("cumsum", "Lt")) and bound.parts[0].parts[0] is one:
                    if id(bound.parts[0]) in self.turns.memo:
                        raise run.stop("it counts the positives before it asks for the next")
                    most, before = bound.parts[1], bound.parts[0].total
                    if before + 1 > most or (bound.kind[1] == "Lt" and before + 1 >= most):
                        self.turns.memo[id(one)] = one, None  # whatever it is, both are not: it is not looked at
                        return False
            return binary(run, "BitAnd", self.at(run, turn), other.at(run, turn))

        lane = Lane(self.turns, self.length_, "both", both, (self, other))
        lane.truths = self.truths and other.truths
        return lane

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Element by element."""
        given = (other, self) if swapped else (self, other)
        kind = ("cumsum", op) if self.kind == "cumsum" and not swapped and type(other) is int else op
        return self.each(kind, lambda run, x, y: compare(run, op, x, y), *given)

    def onto(self, run: Run, op: str, other: Any) -> Any:
        """An array is changed under all its names."""
        raise run.stop("it changes an array that has a place for each query")

    def opposite(self, run: Run, op: str) -> Any:
        """Element by element."""
        if op == "Invert":
            return self.each(op, lambda run, x: opposite(run, "Not", is_truth(run, x)), self)
        return self.each(op, lambda run, x: opposite(run, op, x), self)

    def truth(self, run: Run) -> bool:
        """Of an array it is that of its element, where it has one."""
        raise self.refused(run)

    def length(self, run: Run) -> Public:
        """How many there are."""
        return Public(self.turns, self.length_)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it has a positive."""
        return self.scan(run, 1) >= 1 if one is True else bool(super().contains(run, one))

    def index(self, run: Run, place: Any) -> Any:
        """The element of this turn, an answer, or what stands up to a positive."""
        if isinstance(place, Part) and place.step is None:
            if place.start is None and isinstance(place.stop, Public):
                if place.stop.of is self.length_:
                    return self
                if place.stop.within is not None:
                    place.stop.within.shows(run, self)
                    return Shown(self.turns)
            if self.kind == "answers" and not isinstance(place.stop, Form):
                return Lane.answers(self.turns, object())
        if isinstance(place, Public) and place.turn is self.turns.turn and place.turn is not None and not self.shifted:
            return self.at(run, place.turn)
        if self.kind == "answers" and (type(place) is int or isinstance(place, Public)):
            memo = self.turns.memo
            if (id(self), id(place)) not in memo:
                memo[(id(self), id(place))] = (self, place), self.turns.fork.answer()
            return memo[(id(self), id(place))][1]
        raise self.refused(run)

    # where its positives are

    def scan(self, run: Run, target: float) -> int:
        """Go through it until so many positives are found, or it ends."""
        turns = self.turns
        if not self.truths:
            raise run.stop("it asks after positives of what are no truths")
        if turns.scanned is None:
            turns.scanned = Scan(self)
        scan = turns.scanned
        if scan.lane is not self:
            if target == float("inf") and scan.ended:
                scan.shows(run, self)
                return 0
            raise run.stop("it asks after positives of more than one list")
        site = run.site
        while scan.count < target and not scan.ended:
            run.site = site
            turns.head(("scan", target))
            turns.walk = scan
            if not turns.more():
                scan.ended = True
            else:
                scan.number += 1
                scan.count += 1 if is_truth(run, self.at(run, turns.turn)) else 0
                known = scan.made if scan.begun else self.lanes()
                scan.made = [x for x in known if type(turns.memo.get(id(x), (x, None))[1]) is bool]
                scan.begun = True
        return int(scan.count)

    def lanes(self) -> list[Lane]:
        """Itself, and what it is made of."""
        return [self] + [y for x in self.parts if isinstance(x, Lane) for y in x.lanes()]

    def place_of(self, run: Run, number: int) -> Public:
        """Where its first positive is, or a later one."""
        if number < 1:
            raise self.refused(run)
        if self.scan(run, number) < number:
            raise Raised(Error("IndexError"))
        return Public(self.turns, within=self.turns.scanned)

    def reveal(self, run: Run) -> None:
        """All of it is shown."""
        if self.kind == "answers" or self.kind == "places":
            raise run.stop("it returns its answers")
        self.scan(run, float("inf"))

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """A method, or a function of it."""
        if options or (given and name in ("argmax", "cumsum", "size", "shape", "ndim", "flatnonzero", "nonzero")):
            raise self.refused(run)
        if name == "drawn":
            family, loc, scale, size = given
            same = size is None or (isinstance(size, Public) and size.of is self.length_)
            if same and all([not isinstance(x, Abstract) or isinstance(x, Lane) for x in (loc, scale)]):
                return Lane.draws(self.turns, self.length_, family, loc, scale)
        if name in ("size", "shape", "ndim"):
            return 1 if name == "ndim" else self.length(run) if name == "size" else (self.length(run),)
        if name in ("tolist", "copy", "array", "list", "tuple") and given in ((), (LIBRARY["float"],)):
            own = Lane.answers(self.turns, self.length_) if self.kind == "answers" else self
            if given and own is self:
                own = self.each("float", lambda run, x: call(run, LIBRARY["float"], x), self)
            return own if name in ("copy", "array") else Listed(own)
        if name == "pop" and self.kind == "answers":
            return self._popped()
        if self.kind == "answers" and (name == "sorted" or (name == "clip" and all([is_plain(x) for x in given]))):
            return Lane.answers(self.turns, self.length_)
        if name in ("any", "sum", "count_nonzero") and not given:
            return self.scan(run, 1) >= 1 if name == "any" else Count(self)
        if name == "count" and given == (True,):
            return Count(self)
        if name in ("flatnonzero", "nonzero") or (name == "where" and len(given) == 1):
            return Hits(self) if name == "flatnonzero" else (Hits(self),)
        if name == "argmax":
            return Public(self.turns, within=self.turns.scanned if self.scan(run, 1) else None)
        if name == "index" and given == (True,):
            return self.place_of(run, 1)
        if name == "cumsum":
            return self._running()
        if name == "searchsorted" and self.kind == "cumsum" and type(given[0]) is int and given[0] > 0:
            base = self.parts[0]
            base.scan(run, given[0])
            return Public(self.turns, within=self.turns.scanned)
        if name in ("zip", "map") or name in EACH:
            return self._together(run, name, given)
        return super().call(run, name, *given, **options)

    def _popped(self) -> Any:
        """An answer that is taken out: what is left has other places, and another length."""
        self.length_, self.shifted = object(), True
        for key in [key for key in self.turns.memo if isinstance(key, tuple) and key[0] == id(self)]:
            del self.turns.memo[key]
        self.turns.memo.pop(id(self), None)
        return self.turns.fork.answer()

    def _together(self, run: Run, name: str, given: Any) -> Any:
        if name in ("zip", "map"):
            given = tuple([x.of if isinstance(x, Listed) else x for x in given])
        if name == "zip":
            return Once(self.turns, self.each("zip", lambda run, *xs: tuple(xs), *given))
        if name == "map":
            function, lanes = given[0], given[1:]
            zipped = self.each("zip", lambda run, *xs: tuple(xs), *lanes)

            def rounds(frame: Any, items: Any) -> Any:
                return [called(run, function, *x) for x in items]

            return Made(self.turns, None, zipped, None, rounds, function)
        masked = name == "where" and len(given) == 3 and given[2] is False and isinstance(given[1], Lane)
        if masked and given[1].truths:
            return given[1].binary(run, "BitAnd", given[0], False)
        function = LIBRARY[name]
        return self.each(name, lambda run, *xs: call(run, function, *xs), *(given or (self,)))

    def _running(self) -> Lane:
        """How many positives there were at each query."""

        def make(run: Run, turn: Any) -> int:
            running.asked += 1
            if running.asked != self.turns.walk.number:
                raise run.stop("it counts its positives in some turns only")
            running.total += 1 if is_truth(run, self.at(run, turn)) else 0
            return running.total

        running = Lane(self.turns, self.length_, "cumsum", make, (self,), True)
        return running


class Listed(Walkable):
    """The same elements in a list or a tuple, with which nothing is calculated element by element."""

    what = "does with a list what is not read"

    def __init__(self, of: Lane) -> None:
        super().__init__(of.turns)
        self.of = of

    def state(self, state: Any) -> Any:
        """That of its elements."""
        return "list", state.of(self.of)

    def of_numpy(self, run: Run, name: str = "") -> Any:
        """An array, where numpy leaves the elements as they are."""
        if not self.of.numbers:
            raise self.refused(run)
        return self.of

    def iterate(self, run: Run) -> Iterator[Any]:
        """One element after the other."""
        return self.of.iterate(run)

    def length(self, run: Run) -> Public:
        """How many there are."""
        return self.of.length(run)

    def truth(self, run: Run) -> bool:
        """Whether there is an element."""
        return bool(self.turns.fork.public())

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it has a positive."""
        return self.of.contains(run, one)

    def index(self, run: Run, place: Any) -> Any:
        """An element, or some."""
        found = self.of.index(run, place)
        return Listed(found) if isinstance(found, Lane) else found

    def reveal(self, run: Run) -> None:
        """It is shown."""
        self.of.reveal(run)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """What a list knows, or a function of it."""
        if options or name in ("tolist", "cumsum", "argmax", "nonzero", "flatnonzero", "size", "shape", "ndim"):
            raise self.refused(run)
        bare = [x.of if isinstance(x, Listed) else x for x in given]
        if name in ("list", "tuple", "copy") and not given:
            return Listed(self.of)
        if name == "array" or name in EACH:
            self.of_numpy(run)
        return self.of.call(run, name, *bare)


_BY_ELEMENT = """
    abs sqrt exp log log1p sign logical_not maximum minimum greater greater_equal less less_equal logical_and
    logical_or where clip
"""
EACH = set(_BY_ELEMENT.split())
_TRUTHS = ["Gt", "GtE", "Lt", "LtE", "Eq", "NotEq", "greater", "greater_equal", "less", "less_equal"]
_TRUTHS += ["logical_and", "logical_or", "logical_not"]
_OF_TRUTHS = ["Invert", "BitAnd", "BitOr", "BitXor"]
