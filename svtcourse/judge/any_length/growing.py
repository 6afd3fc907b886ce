"""What stands for lists that grow, in a run on a list of unknown length.

Of a list that grows it is known how often each sign was put into it, as far as that can matter.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.public import Dead, Public, Shown, is_here, is_public
from svtcourse.judge.language.grammar import kind_of, walk
from svtcourse.judge.language.kinds import Abstract, Instance, Member, Part, Raised, Record, Rounded, Run
from svtcourse.judge.language.values import is_plain, row, truth
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "MANY", "MOST_COUNTED", "Said", "Told", "by_constants", "parts_of", "shows",
]  # fmt: skip

MANY = -1  # how often: that is not known
_SIGNS = (True, 1, "⊤", "T", "above", "yes")  # which are counted
MOST_COUNTED, _MOST_KEPT = 9, 12


def shows(turns: Any, x: Any) -> bool:
    """Whether a number is that of the positive just found, and may be shown, as it is or rounded."""
    x = x.form if isinstance(x, Rounded) else x
    return isinstance(x, Form) and turns.fork.shows(x)


def _is_that(x: Any, one: Any) -> bool:
    """Whether two signs are equal: of each member of an Enum there is one."""
    return x is one if isinstance(x, Member) or isinstance(one, Member) else bool(x == one)


def parts_of(x: Any) -> list[Any] | None:
    """What a record is made of; None of what is none."""
    if isinstance(x, Record):
        return list(x.names.values())
    fields = x.of.fields if isinstance(x, Instance) else None
    if fields is not None and set(x.names) - set(fields):
        return None  # it holds more
    return None if fields is None else [x.part(name) for name in fields]


class Told(Abstract):
    """What may be returned, and not looked at."""

    what = "looks at an array, or a tuple, of its answers in a way that is not read"

    source: Any = None  # the list of which it was made, where it goes to a function at once

    def __init__(self, tainted: str = "") -> None:
        self.tainted = tainted

    def state(self, state: Any) -> Any:
        """Whether it may be returned."""
        return self.tainted

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """The same in another form; or how many there are in it."""
        if self.source is not None and name in ("sum", "any", "all", "count_nonzero") and len(given) == 1:
            found = self.source.call(run, "sum" if name == "count_nonzero" else name, self.source, **options)
            if name == "sum" and type(found) is int and not any([n > 0 for n in self.source.counts.values()]):
                raise self.refused(run)  # the sum of nothing is of the array's kind
            return found
        if name not in ("list", "tuple", "tolist", "copy", "array") or len(given) != 1 or options:
            raise self.refused(run)
        return Told(self.tainted)

    def reveal(self, run: Run) -> None:
        """The program returns it."""
        if self.tainted:
            raise run.stop(self.tainted)


class Said(Abstract):
    """A list that the program fills.

    Parameters
    ----------
    items : sequence
        What is in it to begin with.
    """

    what = "uses a list that it fills in a way that is not read"

    def __init__(self, turns: Any, run: Run, items: Any = ()) -> None:
        self.turns = turns
        self.counts: dict[Any, int] = {}
        self.last: Any = None
        self.put_here: Any = None  # the turn in which a truth was put in its place last, and this truth
        self.answers, self.tainted = False, ""
        for x in items:
            self.take(run, x)
        odd = self.answers or self.tainted or ("number",) in self.counts or len(items) > _MOST_KEPT
        self.items: Any = None if odd else list(items)

    def exact(self) -> Any:
        """What is in it, where that is known, and nothing else can be."""
        return self.items

    def is_plain(self) -> bool:
        """Whether no objects are in it."""
        return not self.tainted and ("several",) not in self.counts

    def state(self, state: Any) -> Any:
        """What is known of it."""
        items = None if self.items is None else tuple([state.of(x) for x in self.items])
        counts = tuple(sorted([(repr(key), n) for key, n in self.counts.items()]))
        return self.answers, self.tainted, counts, state.of(self.last), items

    def array_of(self, run: Run) -> Any:
        """The array that numpy makes of it."""
        found = self.call(run, "array", self)
        if isinstance(found, Told):
            found.source = self.copy()
        return found

    def take(self, run: Run, x: Any, times: int = 1) -> None:
        """One more."""
        key: Any = ("public",)
        self.items, self.last = None, Public(self.turns)
        if isinstance(x, Form) and not x.constant and [(v[0], f == 1) for v, f in x.terms.items()] == [("a", True)]:
            self.answers = True
            return
        if isinstance(x, Shown) or shows(self.turns, x):
            key = ("number",)
        elif x is None or isinstance(x, (bool, str, Member)) or (type(x) is int and x in (0, 1)):
            key, self.last = (type(x).__name__, x), x
        elif isinstance(x, tuple) or parts_of(x) is not None:
            key, self.last = ("several",), Dead()
            if not isinstance(x, tuple):
                x.closed, x = True, parts_of(x)
            if not all([is_public(y) or shows(self.turns, y) for y in x]):
                self.tainted = "it keeps in a list what it may not show"
        elif not is_public(x):
            self.tainted = "it keeps in a list what it may not show"
        self.put_in(key, times)

    def put_in(self, key: Any, times: int) -> None:
        """So often more."""
        before = self.counts.get(key, 0)
        one = key[1].text if key[0] == "Member" else key[-1]
        counted = len(key) == 1 or key[1] in _SIGNS or one in self.turns.shared.svt.counted
        most = MOST_COUNTED if counted else 1 if key[1] == 0 and key[0] == "int" else 0
        known = MANY not in (before, times) and before + times <= most  # 0 may be the place of the first query
        self.counts[key] = before + times if known else MANY

    def unknown(self) -> None:
        """From here on it is not known how often, and what stands last."""
        self.counts, self.last, self.items = dict.fromkeys(self.counts, MANY), Public(self.turns), None
        self.put_here = None

    def copy(self) -> Said:
        """Another one with the same in it."""
        other = Said(self.turns, self.turns.run)
        other.counts, other.last, other.answers = dict(self.counts), self.last, self.answers
        other.tainted, other.items = self.tainted, None if self.items is None else list(self.items)
        return other

    def safe(self, run: Run) -> None:
        """Refuse to look at what may not be looked at."""
        if self.tainted or (self.answers and self.counts):
            raise run.stop(self.tainted or "it keeps answers beside other things")

    def joined(self, run: Run, other: Any) -> None:
        """Lengthened by another list."""
        if isinstance(other, Said):
            for key, n in list(other.counts.items()):
                self.put_in(key, n)
            self.answers, self.tainted = self.answers or other.answers, self.tainted or other.tainted
            self.last, self.items = other.last if other.items else Public(self.turns), None
        elif isinstance(other, tuple):
            for x in other:
                self.take(run, x)
        else:
            raise self.refused(run)

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Two lists put together, or one repeated."""
        if op == "Add" and type(other) is type(self) and not swapped:
            found = self.copy()
            found.joined(run, other)
            return found
        if op == "Mult" and (type(other) is int or isinstance(other, Public)):
            found = self.copy()
            if type(other) is not int or other != 1:
                found.unknown()
            return found
        raise self.refused(run)

    def onto(self, run: Run, op: str, other: Any) -> Any:
        """A list is lengthened where it is."""
        if op != "Add":
            raise self.refused(run)
        self.joined(run, other)
        return self

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Whether two lists are the same is a public thing."""
        self.safe(run)
        if op not in ("Eq", "NotEq") or self.answers or not isinstance(other, Said) or other.answers or other.tainted:
            raise self.refused(run)
        return Public(self.turns)

    def truth(self, run: Run) -> bool:
        """Whether there is something in it."""
        if self.items is not None or not (self.counts or self.answers or self.tainted):
            return bool(self.items)
        return any([n > 0 for n in self.counts.values()]) or Public(self.turns).truth(run)

    def one(self, run: Run) -> Any:
        """Any element."""
        self.safe(run)
        if ("several",) in self.counts:
            raise self.refused(run)
        return self.turns.fork.answer() if self.answers else Public(self.turns)

    def index(self, run: Run, place: Any) -> Any:
        """The last, or any; a part of it."""
        self.safe(run)
        if isinstance(place, Part):
            for k in (place.start, place.stop, place.step):
                Public(self.turns).near(run, k)
            found = self.copy()
            found.unknown()
            return found
        if self.items is not None and type(place) is int and -len(self.items) <= place < len(self.items):
            return self.items[place]
        if self.items is not None and type(place) is int:
            raise Raised("IndexError", "list index out of range")
        if type(place) is int and place == -1 and not self.answers and not isinstance(self.last, Dead):
            return self.last
        if self.put_here is not None and is_here(self.turns, place) and place.turn is self.put_here[0]:
            return self.put_here[1]
        if not is_public(place):
            raise self.refused(run)
        return self.one(run)

    def put(self, run: Run, place: Any, value: Any) -> None:
        """One of its elements is another."""
        if not is_public(place):
            raise self.refused(run)
        self.take(run, value)
        self.unknown()
        if is_here(self.turns, place) and (value is True or value is False):
            self.put_here = place.turn, value

    def begin(self, run: Run) -> Callable[[], Any]:
        """Any element, again and again."""
        return lambda: self.one(run)

    def length(self, run: Run) -> Any:
        """How many there are, if that is known."""
        if self.answers or self.tainted or MANY in self.counts.values():
            return Public(self.turns)
        return sum(list(self.counts.values()))

    def counted(self, run: Run, one: Any) -> Any:
        """How often something is in it."""
        self.safe(run)
        if self.answers or one is None or not isinstance(one, (bool, int, str, Member)):
            raise self.refused(run)
        found = [n for key, n in self.counts.items() if len(key) == 1 or _is_that(key[1], one)]
        return Public(self.turns) if MANY in found or any([len(key) == 1 for key in self.counts]) else sum(found)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it is there at all."""
        return truth(run, self.counted(run, one))

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """A method, or a function of it."""
        more = [x for x in given if x is not self]
        if options or len(more) + 1 != len(given):
            raise self.refused(run)
        if name == "append" and len(more) == 1:
            self.take(run, more[0])
        elif name == "extend" and len(more) == 1:
            self.joined(run, more[0])
        elif name in ("list", "copy") and not more:
            return self.copy()
        elif name == "join" and len(more) == 1 and all([key[0] == "str" for key in self.counts]):
            self.safe(run)
            return Told("it shows answers" if self.answers else "")
        elif name in ("tuple", "array", "asarray") and not more:
            if self.items is not None and all([is_plain(x) for x in self.items]):
                return tuple(self.items) if name == "tuple" else row(run, tuple(self.items))
            return Told(self.tainted or ("it shows answers" if self.answers else ""))
        elif name == "count" and len(more) == 1:
            return self.counted(run, more[0])
        elif name == "index" and len(more) == 1 and is_public(more[0]) and not self.answers:
            self.safe(run)
            return Public(self.turns)
        elif name in ("sum", "any", "all") and not more:
            return self._sum(run) if name == "sum" else self._either(run, name == "any")
        elif name == "pop" and (not more or is_public(more[0])):
            found = self.one(run)
            self.unknown()
            return found
        elif name in ("zip", "enumerate"):
            return self.turns.zipped(run, name, given)
        else:
            raise self.refused(run)
        return None

    def _sum(self, run: Run) -> Any:
        self.safe(run)
        kinds = {key[0] for key in self.counts}
        if self.answers or not kinds <= {"bool", "int", "public"}:
            raise self.refused(run)
        found = [n for key, n in self.counts.items() if key[0] == "public" or key[1]]
        return Public(self.turns) if MANY in found or "public" in kinds else sum(found)

    def _either(self, run: Run, some: bool) -> Any:
        self.safe(run)
        kinds = {key[0] for key in self.counts}
        if self.answers or not kinds <= {"bool", "int", "public"}:
            raise self.refused(run)
        if "public" in kinds:
            return Public(self.turns)
        found = [n for key, n in self.counts.items() if bool(key[1]) is some]
        if not found or any([n > 0 for n in found]):
            return some if found else not some
        return Public(self.turns)

    def mapped(self, run: Run, machine: Any, node: Any, frame: Any) -> Said:
        """A list made of its elements by constants alone."""
        found, part = Said(self.turns, run), node.generators[0]
        self.safe(run)
        if self.answers or ("several",) in self.counts:
            raise self.refused(run)
        for key, n in list(self.counts.items()):
            one: Any = key[1] if len(key) > 1 else Shown(self.turns) if key == ("number",) else Public(self.turns)
            machine.store(part.target, frame, one)
            tests = [machine.value(test, frame) for test in part.ifs]
            if all([isinstance(test, Public) or truth(run, test) for test in tests]):
                unsure = any([isinstance(test, Public) for test in tests])
                found.take(run, machine.value(node.elt, frame), MANY if unsure else n)
        found.last, found.items = Public(self.turns), None
        return found

    def reveal(self, run: Run) -> None:
        """The program returns it."""
        if self.answers or self.tainted:
            raise run.stop(self.tainted or "it shows answers")


_OF_CONSTANTS = "Name Constant Compare Is IsNot Eq NotEq Gt GtE Lt LtE Load Store"


def by_constants(node: Any) -> bool:
    """Whether a list is made of the elements of another one, and of constants, alone."""
    part = node.generators[0]
    inside = [x for y in [node.elt] + list(part.ifs) for x in walk(y)]
    names = {x.id for x in inside if kind_of(x) == "Name"}
    known = all([kind_of(x) in _OF_CONSTANTS.split() for x in inside])
    known = known and all([len(x.ops) == 1 for x in inside if kind_of(x) == "Compare"])  # nothing that is decided there
    return known and kind_of(part.target) == "Name" and names <= {part.target.id}
