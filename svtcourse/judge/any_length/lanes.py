"""Lists with an element for each query, in a run on a list of unknown length.

An element is made when its turn comes; a lane of truths is gone through as far as its positives are asked for.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.growing import Said, Told
from svtcourse.judge.any_length.public import Public, is_here, is_public
from svtcourse.judge.language.kinds import Abstract, Part, Raised, Run
from svtcourse.judge.language.library import BUILTINS, NUMPY, ORDERED
from svtcourse.judge.language.noise import Generator
from svtcourse.judge.language.values import binary, compare, opposite
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Lane"]

_COPIES = ("list", "copy", "array", "asarray", "atleast_1d", "tolist")
_ARRAYS = ("copy", "array", "asarray", "atleast_1d")
_EACH = {  # by how many arguments they take: numpy writes into one more
    1: ["abs", "absolute", "sign", "log", "log1p", "isfinite", "isnan", "logical_not"],
    2: ["logical_and", "logical_or", "maximum", "minimum", "add", "subtract"] + list(ORDERED),
    3: ["where", "clip"],
}


class Lane(Abstract):
    """A list or an array with an element for each query.

    Parameters
    ----------
    kind : str
    parts : tuple
        What it is made of, element by element: lanes, and what is the same for all.
    do : callable
        Makes an element of those of its parts.
    of : object
        The same for lanes of the same length.
    array : bool
        Whether it is an array of numpy's, and no list.
    """

    what = "calculates with a list that has an element for each query in a way that is not read"

    def __init__(self, turns: Any, kind: Any, parts: Any, do: Callable[..., Any], of: Any, array: bool = True) -> None:
        self.turns, self.kind, self.parts, self.do, self.of, self.array = turns, kind, parts, do, of, array
        self.noisy: bool = kind in ("draws", "made") or any([isinstance(x, Lane) and x.noisy for x in parts])
        lanes = [x for x in parts if isinstance(x, Lane)]
        self.flat: bool = array and (not lanes or all([x.flat for x in lanes])) and kind not in ("places", "somewhere")
        self.owner: Any = None  # by which walk through the list its noise is used
        self.turn: Any = None
        self.value: Any = None
        self.root: Lane = self  # of which it is a copy
        self.compared: Any = None  # with what last, and what came of it
        self.found, self.ended, self.gathered = 0, False, False  # how many positives, and whether these are all
        self.empty = False  # whether it was seen that nothing is in it: for good, as it is never lengthened

    def is_plain(self) -> bool:
        """Numbers and truths are in it."""
        return True

    def array_of(self, run: Run) -> Any:
        """A copy of a list."""
        if self.kind in ("zip", "enumerate"):
            raise self.refused(run)
        return self if self.array else self.call(run, "array", self)

    def state(self, state: Any) -> Any:
        """What it is made of, and how far it was gone through."""
        owner = self.owner and state.number(("walk", id(self.owner)))
        parts = tuple([state.of(x) for x in self.parts])
        root = None if self.root is self else state.of(self.root)
        length = state.number(("length", id(self.of)))
        compared = self.compared and state.of(self.compared)
        made = parts, length, self.array, owner, self.found, self.ended, self.gathered, root, compared, self.empty
        return str(self.kind), made

    @staticmethod
    def answers(turns: Any, of: Any, array: bool = True) -> Lane:
        """Answers."""
        return Lane(turns, "answers", (), lambda: turns.fork.answer(), of, array)

    @staticmethod
    def places(turns: Any, of: Any) -> Lane:
        """Where in the list a turn is."""
        if of is None:
            return Lane(turns, "somewhere", (), lambda: Public(turns), object())
        return Lane(turns, "places", (), lambda: Public(turns, turn=turns.turn), of)

    @staticmethod
    def draws(turns: Any, run: Run, family: str, loc: Any, scale: Any, size: Any) -> Lane:
        """A draw for each query."""
        lengths = [x.of for x in (loc, scale) if isinstance(x, Lane)]
        lengths += [] if size is None else [size.of if isinstance(size, Public) else None]
        plain = all([isinstance(x, (int, float, Form, Lane)) for x in (loc, scale)])
        if not lengths or lengths[0] is None or any([x is not lengths[0] for x in lengths]) or not plain:
            raise run.stop("its noise has a scale, or a size, that depends on the number of queries")
        source = Generator()
        found = Lane(
            turns, "draws", (family, loc, scale),
            lambda family, loc, scale: source.shaped(run, family, loc, scale, None), lengths[0],
        )  # fmt: skip
        return turns.tried(run, found)  # type: ignore[no-any-return]

    @staticmethod
    def zipped(turns: Any, run: Run, name: str, given: Any) -> Lane:
        """The elements of several side by side; or of one with its place."""
        if name == "enumerate":
            known = given[1] == 0 and isinstance(given[0], Lane)
            parts = (Lane.places(turns, given[0].of if known else None), given[0])
        else:
            parts = tuple(given)
        sources, lengths = [], []
        for x in parts:
            if isinstance(x, Said):
                x = Lane(turns, "said", (x,), lambda x: x.one(run), object())
            if not isinstance(x, Lane):
                raise run.stop("it goes through lists side by side of which one is of no unknown length")
            sources.append(x)
            lengths.append(x.of)
        same = all([x is lengths[0] for x in lengths])
        return Lane(turns, name, tuple(sources), lambda *found: found, lengths[0] if same else object(), False)

    def number(self, run: Run, x: Any) -> Any:
        """An element of an array."""
        if not isinstance(x, (bool, int, float, Form)):
            raise run.stop("it makes an array of what are no numbers or truths")
        return x

    def at(self, run: Run) -> Any:
        """The element of this turn."""
        turns = self.turns
        if self.kind == "popped":  # its elements are elsewhere now
            raise self.refused(run)
        if self.turn is not turns.turn:
            if self.noisy and self.owner not in (None, turns.walk):
                raise run.stop("it goes through its noise more than once")
            self.owner, self.turn = turns.walk, turns.turn
            self.value = self.do(*[x.at(run) if isinstance(x, Lane) else x for x in self.parts])
        return self.value

    def trial(self, run: Run) -> Any:
        """Some element, made beside the run."""
        return self.do(*[x.trial(run) if isinstance(x, Lane) else x for x in self.parts])

    def begin(self, run: Run) -> Callable[[], Any]:
        """One element after the other."""
        return lambda: self.at(run)

    def copied(self, run: Run, array: bool) -> Lane:
        """The same elements again."""
        found = Lane(self.turns, "copy", (self,), lambda x: self.number(run, x) if array else x, self.of, array)
        found.root = self.root
        return self.turns.tried(run, found)  # type: ignore[no-any-return]

    def each(self, run: Run, kind: Any, do: Callable[..., Any], parts: Any) -> Lane:
        """The same with each element of some lanes of one length."""
        if not any([isinstance(x, Lane) and x.array for x in parts]):
            raise self.refused(run)
        for x in parts:
            known = x.of is self.of if isinstance(x, Lane) else isinstance(x, (bool, int, float, Form))
            if not known:
                raise run.stop("it puts lists together that may have other lengths")
        return self.turns.tried(run, Lane(self.turns, kind, tuple(parts), do, self.of))  # type: ignore[no-any-return]

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Element by element."""
        if isinstance(other, Upto):
            return other.binary(run, op, self, True)
        parts = (other, self) if swapped else (self, other)
        return self.each(run, op, lambda x, y: binary(run, op, x, y), parts)

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Element by element; the same comparison written twice is one, and a copy of it."""
        if self.compared and self.compared[:2] == (op, swapped) and self.compared[2] is other:
            return self.compared[3].copied(run, True)
        parts = (other, self) if swapped else (self, other)
        found = self.each(run, op, lambda x, y: compare(run, op, x, y), parts)
        self.compared = op, swapped, other, found
        return found

    def opposite(self, run: Run, op: str) -> Any:
        """Element by element."""
        if op == "Invert":
            return self.each(run, op, lambda x: not _is_truth(run, x), (self,))
        return self.each(run, op, lambda x: opposite(run, op, x), (self,))

    def truth(self, run: Run) -> bool:
        """Whether a list is empty."""
        if self.array:
            raise self.refused(run)
        self.empty = self.empty or not Public(self.turns).truth(run)
        return not self.empty

    def length(self, run: Run) -> Any:
        """How many there are."""
        return Public(self.turns, of=self.of)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it has a positive."""
        if one is not True:
            raise self.refused(run)
        return self.gather(run).found > 0

    def index(self, run: Run, place: Any) -> Any:
        """The element of this turn, any answer, or what stands up to a positive."""
        if isinstance(place, Part):
            stop = place.stop
            plain = place.start is None and place.step is None
            if plain and isinstance(stop, Public) and stop.of is self.of:
                return self if self.array else self.copied(run, False)
            if plain and isinstance(stop, Public) and stop.after is self.root:
                return Told()
            if self.kind == "answers" and all([x is None or is_public(x) for x in (place.start, stop, place.step)]):
                for x in (place.start, stop):
                    Public(self.turns).near(run, x)
                return Lane.answers(self.turns, object(), self.array)
            raise self.refused(run)
        if is_here(self.turns, place):
            return self.at(run)
        if isinstance(place, Upto) and place.short and self.array and place.seen(self):
            return Told()
        if self.kind == "answers" and (type(place) is int or isinstance(place, Public)):
            return self.turns.fork.answer()
        raise self.refused(run)

    def gather(self, run: Run) -> Lane:
        """Go through a lane of truths, once, until it has as many positives as there may be, or to its end."""
        root, turns = self.root, self.turns
        if not root.gathered:
            walk, most = object(), turns.fork.svt.c if turns.fork.svt.stops else 1 << 30
            depth = len(run.waiting)
            run.waiting.append(root)  # whoever asks, it is part of the state
            while root.found < most and not root.ended:
                turns.head("gather", walk)
                if not turns.more():
                    root.ended = True
                elif _is_truth(run, root.at(run)):
                    root.found += 1
            del run.waiting[depth:]
            root.gathered = True
        return root

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """A method, or a function of it."""
        plain = name in _ARRAYS[1:] and self.root.kind == "answers" and len(given) + len(options) == 2
        if plain and (options.get("dtype") or given[-1]) in (BUILTINS["float"], NUMPY["float64"]):
            given, options = given[:1], {}  # they are numbers
        alone = len(given) == 1 and given[0] is self
        if name == "drawn":
            return Lane.draws(self.turns, run, *given)
        if name in ("zip", "enumerate"):
            return Lane.zipped(self.turns, run, name, given)
        if name == "iter" and alone and not options and self.kind != "popped":
            return Steps(self)
        if options:
            raise self.refused(run)
        if name in _EACH.get(len(given), ()):
            return self.each(run, name, lambda *xs: NUMPY[name].done(run, xs, {}), given)
        popped = name == "pop" and self.root.kind in ("answers", "popped") and not self.array
        if popped and all([is_public(x) for x in given[1:]]):
            self.kind, self.of = "popped", object()
            return self.turns.fork.answer()
        if name == "index" and len(given) == 2 and given[1] is True:
            if not self.gather(run).found:
                raise Raised("ValueError", "not in the list")
            return Public(self.turns, after=self.root)
        if not alone:
            raise self.refused(run)
        if name in _COPIES:
            return self.copied(run, self.array if name == "copy" else name in _ARRAYS)
        if name in ("size", "shape", "ndim") and self.flat:
            size = self.length(run)
            return 1 if name == "ndim" else size if name == "size" else (size,)
        if name == "tuple":
            self.reveal(run)
            return Told()
        if name == "any":
            return self.gather(run).found > 0
        if name == "argmax":
            return Public(self.turns, after=self.root) if self.gather(run).found else 0
        if name in ("sum", "count_nonzero"):
            return Count(self.gather(run), 1, False)
        if name == "flatnonzero":
            return Hits(self.gather(run), 1, False)
        if name in ("nonzero", "where"):
            return (Hits(self.gather(run), 1, False),)
        if name == "cumsum":
            return Cumulated(self.gather(run))
        raise self.refused(run)

    def reveal(self, run: Run) -> None:
        """The program returns it: all of it was gone through."""
        if not self.gather(run).ended:
            raise run.stop(f"it may show what comes after {self.turns.fork.svt.positives(self.turns.fork.svt.c)}")


class Steps(Abstract):
    """A list that is gone through whenever the next of its elements is asked for."""

    what = "goes step by step through a list in a way that is not read"

    def __init__(self, lane: Lane) -> None:
        self.lane, self.ended = lane, False

    def state(self, state: Any) -> Any:
        """Its list, and whether that is at its end."""
        return state.of(self.lane), state.number(("walk", id(self))), self.ended

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """The next element."""
        if name != "next" or given[0] is not self or len(given) > 2 or options:
            raise self.refused(run)
        turns = self.lane.turns
        if not self.ended:
            turns.head("next", self)
            self.ended = not turns.more()
        if not self.ended:
            return self.lane.at(run)
        if len(given) < 2:
            raise Raised("StopIteration")
        return given[1]


class Hits(Abstract):
    """Where the positives of a lane are; or, with `only`, where there are `first` of them up to a query."""

    what = "calculates with where the positives are"

    def __init__(self, lane: Lane, first: int, only: bool) -> None:
        self.lane, self.first, self.only = lane, first, only

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane), self.first, self.only

    def length(self, run: Run) -> Count:
        """How many there are."""
        return Count(self.lane, self.first, self.only)

    def index(self, run: Run, place: Any) -> Any:
        """Where one of those is that were found; or the first of them, which are only shown."""
        first = isinstance(place, Part) and place.start is None and place.step is None and not self.only
        if first and type(place.stop) is int and place.stop > 0 and (self.lane.ended or self.lane.found >= place.stop):
            return Told()
        if type(place) is not int or place < 0 or (self.only and place):
            raise self.refused(run)
        wanted, lane = self.first + place, self.lane
        if lane.found < wanted and lane.ended:
            raise Raised("IndexError", "index out of range")
        if lane.found < wanted:
            raise self.refused(run)
        return Public(lane.turns, after=lane)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """How many there are."""
        if name != "size":
            raise self.refused(run)
        return self.length(run)


class Count(Abstract):
    """How many positives a lane has: as many as were found, or more where it was not gone through to its end."""

    what = "calculates with how many positives there are"

    def __init__(self, lane: Lane, first: int, only: bool) -> None:
        self.lane, self.first, self.only = lane, first, only

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane), self.first, self.only

    def truth(self, run: Run) -> bool:
        """Whether there is one."""
        if self.lane.found < self.first and not self.lane.ended:
            raise self.refused(run)
        return self.lane.found >= self.first

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> bool:
        """With a whole number, where what was found decides it."""
        if self.only and (op, other, swapped) == ("Gt", 0, False):
            return self.truth(run)
        if type(other) is not int or self.only or op not in ("Lt", "LtE", "Gt", "GtE", "Eq", "NotEq"):
            raise self.refused(run)
        found = self.lane.found
        counts = [found] if self.lane.ended else [found, found + 1, found + 2, max(found, other) + 9]
        counts += [] if self.lane.ended else [x for x in (other - 1, other, other + 1) if x >= found]
        told = {compare(run, op, other, x) if swapped else compare(run, op, x, other) for x in counts}
        if len(told) > 1:
            raise self.refused(run)
        return bool(told.pop())

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Itself, as a number."""
        if name not in ("int", "item") or len(given) != 1 or given[0] is not self:
            raise self.refused(run)
        return self


class Cumulated(Abstract):
    """How many positives a lane has up to each query, or before it."""

    what = "calculates with how many positives there are"

    def __init__(self, lane: Lane, before: bool = False) -> None:
        self.lane, self.before = lane, before

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane), self.before

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """How many there are before each query: without its own."""
        if self.before or op != "Sub" or swapped or not isinstance(other, Lane) or other.root is not self.lane:
            raise self.refused(run)
        return Cumulated(self.lane, before=True)

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Up to a number of them, or where there are as many."""
        if self.before and type(other) is int and other > 0 and not swapped and op == "Lt":
            return Upto(self.lane, other, False, short=True)
        if not self.before and type(other) is int and other > 0 and not swapped and op == "GtE":
            return Reached(self.lane, other)
        if self.before or type(other) is not int or other < 1 or swapped or op not in ("LtE", "Eq"):
            raise self.refused(run)
        return Upto(self.lane, other, op == "Eq")

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Where so many are reached; beyond the end if they are not."""
        plain = not self.before and options in ({}, {"side": "left"})
        known = name == "searchsorted" and len(given) == 2 and type(given[1]) is int and plain
        if not known or not (self.lane.ended or self.lane.found >= given[1]):
            raise self.refused(run)
        return Public(self.lane.turns, after=self.lane)


class Upto(Abstract):
    """Which queries come before positive number most + 1; or, if `there`, before it and not before number most.

    If `short`, it ends with positive number most.
    """

    what = "calculates with how many positives there are"

    def __init__(self, lane: Lane, most: int, there: bool, short: bool = False) -> None:
        self.lane, self.most, self.there, self.short = lane, most, there, short

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane), self.most, self.there, self.short

    def seen(self, other: Any) -> bool:
        """Whether it is about what is known of a lane."""
        return isinstance(other, Lane) and other.root is self.lane and (self.lane.ended or self.lane.found >= self.most)

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """The first positives, and negatives elsewhere: what comes after them nobody sees."""
        if op == "BitAnd" and not self.there and self.seen(other):
            return Told()
        raise self.refused(run)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Where there are so many."""
        if name in ("flatnonzero", "nonzero", "where") and self.there and len(given) == 1 and not options:
            found = Hits(self.lane, self.most, True)
            return found if name == "flatnonzero" else (found,)
        raise self.refused(run)


class Reached(Abstract):
    """Up to which queries a lane has so many positives."""

    what = "calculates with how many positives there are"

    def __init__(self, lane: Lane, most: int) -> None:
        self.lane, self.most = lane, most

    def state(self, state: Any) -> Any:
        """Its lane."""
        return state.of(self.lane), self.most

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Whether there is such a query, and which is the first; 0 if none is."""
        there = self.lane.found >= self.most
        if name not in ("any", "argmax") or len(given) != 1 or options or not (there or self.lane.ended):
            raise self.refused(run)
        return there if name == "any" else Public(self.lane.turns, after=self.lane) if there else 0


def _is_truth(run: Run, x: Any) -> bool:
    if x is not True and x is not False:
        raise run.stop("it asks after positives of what are no truths")
    return x
