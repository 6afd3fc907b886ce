"""What stands for numbers and lists of a run on a list of which the length is not known.

A `Said` is a list that the program fills: of it the state keeps what the program reads.  `Public` is a number that
hangs on the number of queries, or on what was said.  Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import Abstract, Error, Native, Part, Raised, Row, Run
from svtcourse.judge.language.library import BUILTINS, METHODS, call
from svtcourse.judge.language.numpys import MODULES
from svtcourse.judge.language.ordering import answer_in
from svtcourse.judge.language.values import alike, compare, holds, truth
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["LIBRARY", "PLAIN", "Public", "Said", "Shown", "Size", "Told"]

PLAIN = bool, int, float, str, type(None)
LIBRARY: dict[str, Any] = {}
LIBRARY.update(METHODS["list"])
LIBRARY.update(MODULES["numpy"].has)
LIBRARY.update(BUILTINS)


class Public(Abstract):
    """A number that every run may know: of queries, of positives, where in the list it is."""

    what = "calculates with how many queries there were what is not read"
    is_one = True

    def __init__(
        self, turns: Any, length: Any = None, turn: Any = None, within: Any = None, after: bool = False
    ) -> None:
        self.turns, self.of, self.turn, self.within, self.after = turns, length, turn, within, after

    @staticmethod
    def of_list(turns: Any) -> Public:
        """What stands in a list: it may be None."""
        found = Public(turns)
        found.something = False
        return found

    def state(self, state: Any) -> Any:
        """Whether it is a length, or where a positive is."""
        where = self.turn is self.turns.turn, self.within is not None, self.after
        return self.of and state.number(self.of), where, self.something

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Another; a list times it is one of unknown length."""
        if isinstance(other, Said) and op == "Mult" and other.kind == "list":
            other.public_only(run)
            return Shown(self.turns, self.of)
        number = isinstance(other, (bool, int, float))
        if op in ("Add", "Sub", "Mult") and (number or isinstance(other, (Public, Size))):
            after = op == "Add" and type(other) is int and other == 1 and not self.after  # where a positive is, and 1
            return Public(self.turns, within=self.within if after else None, after=after)
        if op in ("Div", "FloorDiv", "Mod") and number and other and not swapped:
            return Public(self.turns)
        raise self.refused(run)

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> bool:
        """Either way."""
        number = isinstance(other, (bool, int, float, Public, Size))
        if not number and (op not in ("Eq", "NotEq") or not isinstance(other, PLAIN)):
            raise self.refused(run)
        return bool(self.turns.fork.public())

    def opposite(self, run: Run, op: str) -> Public:
        """Another."""
        return Public(self.turns)

    def truth(self, run: Run) -> bool:
        """Either way."""
        return bool(self.turns.fork.public())

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """What can be made of a number."""
        if options:
            raise self.refused(run)
        if name in ("int", "float", "abs", "item") and not given:
            return self
        if name == "range":
            return self.turns.counted(self.of if given == (self,) else None)
        if name == "full" and self.of is not None and isinstance(given[0], PLAIN):
            return Shown(self.turns, self.of, "truths" if type(given[0]) is bool else "numbers")
        if name == "drawn":
            family, loc, scale, size = given
            if size is self and self.of is not None:
                return self.turns.draws(self.of, family, loc, scale)
        raise self.refused(run)


class Told(Abstract):
    """A number that was shown: only that it is there may be asked."""

    what = "looks at a number that it has shown"
    is_one = True

    def state(self, state: Any) -> Any:
        """Nothing."""
        return "told"

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> bool:
        """It is noisy, so it equals no certain one."""
        if op not in ("Eq", "NotEq") or not isinstance(other, PLAIN):
            raise self.refused(run)
        return op == "NotEq"


class Shown(Abstract):
    """A list of unknown length that holds nothing but what every run may know."""

    what = "looks at a list of unknown length"

    def __init__(self, turns: Any, length: Any = None, kind: str = "list") -> None:
        self.turns, self.length_, self.kind = turns, length, kind

    def state(self, state: Any) -> Any:
        """Nothing but its length and its kind."""
        return self.length_ and state.number(self.length_), self.kind

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """With another list after it."""
        if op == "Add" and self.kind == "list" and isinstance(other, (Said, Shown)) and other.kind == "list":
            if isinstance(other, Said):
                other.reveal(run)
            return Shown(self.turns)
        raise self.refused(run)

    def index(self, run: Run, place: Any) -> Any:
        """What was set in this turn, or any number."""
        if isinstance(place, Part):
            return Shown(self.turns, None, self.kind)
        if type(place) is not int and not isinstance(place, (Public, Size)):
            raise self.refused(run)
        return self.turns.memo.get(("board", id(self), id(place)), (None, Public.of_list(self.turns)))[1]

    def put(self, run: Run, place: Any, value: Any) -> None:
        """Set a place."""
        if type(place) is not int and not isinstance(place, Public):
            raise self.refused(run)
        if not isinstance(value, PLAIN + (Form, Public, Told)):  # a list may be filled afterwards
            raise self.refused(run)
        self.turns.reveal(value)
        for key in [key for key in self.turns.memo if isinstance(key, tuple) and key[0] == "board"]:
            del self.turns.memo[key]  # another place may be the same one
        same = self.kind == "list" or (self.kind == "truths" and type(value) is bool)  # else it is made another number
        kept = value if same and not isinstance(value, Form) else Public.of_list(self.turns)
        self.turns.memo[("board", id(self), id(place))] = (self, place), kept

    def length(self, run: Run) -> Public:
        """Any number."""
        return Public(self.turns, self.length_)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """Itself in another form."""
        if name in ("tolist", "copy", "list", "array") and not options and not given:
            return Shown(self.turns, self.length_, "list" if name in ("list", "tolist") else "numbers")
        raise self.refused(run)


class Size(Abstract):
    """How long a list is that the program fills: asked whether it is this or that, it belongs to the state."""

    what = "calculates with how much was said what is not read"

    def __init__(self, said: Said) -> None:
        self.said, self.count = said, len(said.items)

    def state(self, state: Any) -> Any:
        """How long it was."""
        return self.count

    def number(self) -> Any:
        """How long it was, which belongs to the state from now on."""
        self.said.fold("len", len)
        known = self.said.turns.shared.widened((self.said.site, "len"), self.count)
        return Public(self.said.turns) if known else self.count

    def truth(self, run: Run) -> bool:
        """Whether there was anything."""
        self.said.fold("bool", bool)
        return self.count > 0

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> bool:
        """With a number."""
        if not isinstance(other, (bool, int, float)):
            return self.said.turns.fork.public() if isinstance(other, (Public, Size)) else bool(self.fails(run))
        found = self.number()
        return bool(compare(run, op, other, found) if swapped else compare(run, op, found, other))

    def fails(self, run: Run) -> Any:
        """It cannot be done."""
        raise self.refused(run)

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Any number."""
        return Public(self.said.turns).binary(run, op, other, swapped)


class Said(Abstract):
    """A list, text, tuple or array that a program makes: the state holds what is read of it, else all of it."""

    what = "does with a list what is not read"

    def __init__(self, turns: Any, site: Any, items: list[Any], kind: str = "list") -> None:
        self.turns, self.site, self.items, self.kind = turns, site, items, kind
        self.answers = self.holds = False
        for one in items:
            self._takes(turns.run, one)

    def state(self, state: Any) -> Any:
        """What is read of it."""
        if self.holds:
            return self.kind, tuple([state.of(x) for x in self.items])
        folds = self.turns.shared.folds.get(self.site, {})
        found = [] if self.answers else [(name, self._read(fold)) for name, fold in folds.items()]
        return (
            self.site,
            self.kind,
            self.answers,
            tuple(sorted([(repr(name), state.of(value)) for name, value in found])),
        )

    def _read(self, fold: Callable[[list[Any]], Any]) -> Any:
        try:
            return fold(self.items)
        except (TypeError, Raised):
            self.turns.shared.unlike += 1
            return self.turns.shared.unlike

    def fold(self, name: Any, fold: Callable[[list[Any]], Any]) -> Any:
        """What is read of it, which belongs to the state from now on."""
        if self.answers:
            raise self.refused(self.turns.run)
        if self.holds:
            return fold(self.items)
        if name != "len" and any([isinstance(x, Public) for x in self.items]):
            return Public.of_list(self.turns)
        self.turns.shared.reads(self.site, name, fold)
        found = fold(self.items)
        return Public(self.turns) if self.turns.shared.widened((self.site, name), found) else found

    def signs(self) -> Any:
        """Which signs and numbers there are in it, each once; None if there is something else."""
        if self.answers or not all([isinstance(x, PLAIN) for x in self.items]):
            return None
        return self.fold("signs", _signs)

    def whole(self) -> list[Any]:
        """All of it, which belongs to the state from now on."""
        if not self.holds:
            self.turns.shared.reads(self.site, "whole", tuple)
        if self.answers and not self.holds:
            raise self.refused(self.turns.run)
        return self.items

    def _takes(self, run: Run, one: Any) -> None:
        """Take in an element: public, an answer that is put aside, a number that is shown, or anything else."""
        known = isinstance(one, PLAIN + (Public, Told))
        if not known and answer_in(one) is not None and (self.answers or len(self.items) <= 1) and not self.holds:
            self.answers = self.endless = True
        elif self.answers:
            raise run.stop("it puts answers and other things into one list")
        elif not known:
            self.holds = True

    def append(self, run: Run, one: Any) -> None:
        """Add an element."""
        if isinstance(one, Form) and self.turns.fork.last is not None and not self.holds and not self.answers:
            self.turns.fork.show(one)
            one = Told()
        if isinstance(one, Size):
            one = Public(self.turns)
        self.items.append(one)
        run.fits(len(self.items))
        self._takes(run, one)

    def extended(self, run: Run, more: Any) -> None:
        """Add several."""
        if not isinstance(more, (Said, list, tuple, str)):
            raise self.refused(run)
        for one in list(more.whole() if isinstance(more, Said) else more):
            self.append(run, one)

    def copied(self, extra: Any = (), kind: str | None = None) -> Said:
        """Another with the same elements."""
        new = Said(self.turns, self.site, [], self.kind if kind is None else kind)
        new.items, new.answers, new.holds = list(self.items), self.answers, self.holds
        new.endless = self.endless
        for one in extra:
            new.append(self.turns.run, one)
        return new

    def public_only(self, run: Run) -> None:
        """Refuse it where it holds more than every run may know."""
        if self.answers or not all([isinstance(x, PLAIN + (Public, Told)) for x in self.items]):
            raise self.refused(run)

    def reveal(self, run: Run) -> None:
        """It is shown."""
        self.public_only(run)

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Two lists, one after the other."""
        if isinstance(other, (Public, Shown)):
            return other.binary(run, op, self, not swapped)
        if op == "Mult" and type(other) is int and self.kind == "list":
            self.public_only(run)
            return Said(self.turns, self.site, self.whole() * other)
        alike = (isinstance(other, str) and self.kind == "text") or (
            isinstance(other, Said) and other.kind == self.kind
        )
        if op != "Add" or not alike or self.kind == "array":
            raise self.refused(run)
        more = list(other.whole() if isinstance(other, Said) else other)
        if swapped:
            return Said(self.turns, self.site, more + self.whole(), self.kind)
        return self.copied(more)

    def onto(self, run: Run, op: str, other: Any) -> Any:
        """Lengthened where it is; a text or a tuple is another then."""
        if self.kind in ("text", "tuple"):
            return self.binary(run, op, other, False)
        if op != "Add" or self.kind != "list" or getattr(other, "kind", "list") == "array":
            raise self.refused(run)
        self.extended(run, other)
        return self

    def truth(self, run: Run) -> bool:
        """Whether there is anything in it."""
        if self.answers:
            return bool(self.turns.fork.public())
        if self.kind == "array":
            raise self.refused(run)
        return bool(self.fold("bool", bool))

    def length(self, run: Run) -> Any:
        """How much there is in it."""
        if self.answers:
            return Public(self.turns)
        return len(self.items) if self.holds else Size(self)

    def index(self, run: Run, place: Any) -> Any:
        """An element, or some."""
        if self.answers:
            return self.turns.fork.answer()
        if type(place) is int and place == -1 and not self.holds:
            if not self.fold("bool", bool):
                raise Raised(Error("IndexError"))
            return self.fold("last", lambda items: items[-1] if items else None)
        if isinstance(place, Public) or (isinstance(place, Part) and isinstance(place.stop, Public)):
            self.public_only(run)
            kind = "list" if self.kind == "list" else "numbers"
            return Shown(self.turns, None, kind) if isinstance(place, Part) else Public.of_list(self.turns)
        if type(place) is not int:
            raise self.refused(run)
        items = self.whole()
        if not -len(items) <= place < len(items):
            raise Raised(Error("IndexError"))
        return items[place]

    def put(self, run: Run, place: Any, value: Any) -> None:
        """Set an element."""
        items = self.whole()
        if type(place) is not int or not -len(items) <= place < len(items) or self.kind != "list":
            raise self.refused(run)
        items[place] = value
        self._takes(run, value)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it has an element."""
        self.single(run, one)
        found = self.fold(("in", repr(one)), lambda items: any([holds(run, "Eq", x, one) for x in items]))
        return truth(run, found)

    def single(self, run: Run, one: Any) -> None:
        """Refuse to look in a text for more than one sign, and in a list for anything but a sign or a number."""
        if not isinstance(one, PLAIN) or (self.kind == "text" and not (isinstance(one, str) and len(one) == 1)):
            raise self.refused(run)

    def iterate(self, run: Run) -> Iterator[Any]:
        """Its elements: of answers that were put aside as many as one likes."""
        if self.answers:
            found: Iterator[Any] = self.turns.some_answers().iterate(run)
            return found
        return iter(self.whole())

    def of_numpy(self, run: Run, name: str = "") -> Any:
        """The array that a function of numpy makes of it; of whole numbers the sum is the same in a list."""
        folded = name in ("sum", "any", "all") and self.kind == "list" and self._kinds() <= {"int"}
        return self if self.kind == "array" or (folded and self.items) else self._array(run)

    def _kinds(self) -> set[str]:
        """Which kinds of elements there are, which belongs to the state from now on."""
        if not self.holds:
            self.turns.shared.reads(self.site, "kinds", _kinds)
        return set(_kinds(self.items))

    def _array(self, run: Run, dtype: Any = None) -> Any:
        """An array, where numpy takes the elements as they are; which kinds there are belongs to the state."""
        kinds = self._kinds()
        if self.kind == "text" or (dtype is not None and dtype is not LIBRARY["bool"]):
            raise self.refused(run)
        if dtype is not None and kinds <= {"bool", "int"} and not self.answers:
            return Shown(self.turns, None, "truths")
        if dtype is None and kinds and kinds <= {"int", "float"}:
            return Row(alike(run, list(self.whole())))
        if dtype is None and (self.answers or kinds <= {"bool"} or (self.holds and kinds <= {"float", "Form"})):
            return self.copied(kind="array")
        if dtype is None and kinds <= {"bool", "int", "float", "Public", "Told"}:
            return Shown(self.turns, None, "numbers")
        raise self.refused(run)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """A method, or a function of it."""
        if options:
            raise self.refused(run)
        if name == "list" and not given:
            return self.copied(kind="list")
        if name == "tuple" and not given:
            return self.copied(kind="tuple")
        if name in ("append", "extend", "pop") and self.kind != "list":
            raise self.refused(run)
        if name == "append":
            return self.append(run, *given)
        if name == "extend":
            return self.extended(run, *given)
        if name == "count" and self.kind != "array" and len(given) == 1:
            one = given[0]
            self.single(run, one)
            return self.fold(("count", repr(one)), lambda items: len([x for x in items if holds(run, "Eq", x, one)]))
        if name == "whole":
            return self.whole()
        if name in ("sum", "any", "all") and not given:
            return self.fold(name, lambda items: call(run, LIBRARY[name], items))
        if name == "array" and len(given) <= 1:
            return self._array(run, *given)
        if name in ("copy", "tolist") and not given and self.kind != "text":
            return self.copied(kind="list" if name == "tolist" else None)
        if name == "pop" and self.answers and len(given) <= 1:
            return self.turns.fork.answer()
        if name in ("index", "pop") and self.kind in ("list", "tuple"):
            self.holds = bool(self.whole()) or True
            return call(run, Native(name, LIBRARY[name]), self.items, *given)
        if name in ("iter", "enumerate") and self.answers:
            return self.turns.some_answers().call(run, name, *given)
        if name in ("enumerate", "zip", "map", "iter"):
            return call(run, LIBRARY[name], *[x.whole() if isinstance(x, Said) else x for x in (given or (self,))])
        raise self.refused(run)


def _signs(items: list[Any]) -> Any:
    if not all([isinstance(x, PLAIN) for x in items]):
        return None
    found = {(type(x).__name__, repr(x)): x for x in items}
    return tuple([found[key] for key in sorted(found)])


def _kinds(items: list[Any]) -> Any:
    return tuple(sorted({type(x).__name__ for x in items}))
