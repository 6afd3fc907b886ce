"""What a run of a program consists of: its frames, and the kinds of values that are no numbers or texts.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from collections import OrderedDict

from svtcourse.judge.language.tokens import Refusal
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from svtcourse.judge.unknowns.symbols import Fork, Unreadable

__all__ = [
    "Abstract", "Bound", "Class", "Error", "Frame", "Fresh", "Function", "Instance", "Later", "Member", "Native",
    "NoNumber", "Part", "Raised", "Record", "Room", "Rounded", "Row", "Run", "Silent", "View",
]  # fmt: skip

MOST_ITEMS = 20_000  # of a list


class Raised(Exception):
    """An exception of the program's own, by its name; `meant` where a statement of it raises it."""

    def __init__(self, name: str, words: str = "", meant: bool = False) -> None:
        super().__init__(words)
        self.name, self.words, self.meant = name, words, meant


class Run:
    """One run of a program.

    Parameters
    ----------
    fork : Fork or None
        None where it is run on numbers.
    generator : object
        Where its noise comes from.
    most_turns : int
        How many turns its loops may take together.
    """

    def __init__(self, fork: Fork | None, generator: Any, most_turns: int = 20_000) -> None:
        self.fork, self.generator, self.left = fork, generator, most_turns
        self.line = 0
        self.seeded = self.strange = False  # whether a seed was fixed; whether it drew from no generator that is known
        self.known: Any = None  # the draws of a seed that was set for all
        self.prints = self.rounds = False  # whether it prints; whether it shows rounded numbers
        self.frames: list[Frame] = []
        self.waiting: list[Any] = []  # values of expressions that are under way
        self.unsure: dict[float, float] = {}  # numbers of other last digits elsewhere, and by how much they may be off
        self.always: Any = None  # a run on a list of which the length is not known

    def stop(self, reason: str) -> Unreadable:
        """Say why the run cannot be read."""
        return self.fork.stop(reason) if self.fork is not None else Refusal(reason, self.line)

    def tick(self, count: int = 1) -> None:
        """So many turns of a loop, elements, or calls."""
        self.left -= count
        if self.left < 0:
            raise self.stop("It does not end, or takes too many turns")

    def at(self, line: int) -> None:
        """Keep where it is."""
        self.line = line
        if self.fork is not None:
            self.fork.line = line

    def grows(self, x: Any, count: int) -> None:
        """A list is lengthened by so many; where it is changed otherwise, `count` is negative."""
        if self.fork is not None:
            self.fork.grown += [(len(self.fork.order) if count > 0 else -1, x)] * abs(count)

    def same(self, x: Any, copy: Any) -> Any:
        """A copy of a list, or of its begin, has grown as it did."""
        if self.fork is not None:
            self.fork.copies.append((copy, x, len(self.fork.grown)))
        return copy

    def new_list(self, items: list[Any]) -> Any:
        """A list of the program's own."""
        if len(items) > MOST_ITEMS:
            raise self.stop("It makes a list that is too long")
        return items if self.always is None else self.always.new_list(items)


class Frame:
    """The names of one call of a function, or of one list that is made."""

    def __init__(self, up: Frame | None, own: Any) -> None:
        self.up, self.own = up, own  # the frame around it; which names are its own
        self.outside: Any = None if up is None else up.outside  # what names stand for that are in no frame
        self.names: dict[str, Any] = {}
        self.at: Any = None  # the call that is under way in it
        self.loops: list[list[Any]] = []  # those under way, with what they go through and how far they are
        self.said: Any = None  # where what it yields is kept


class Function:
    """A function with the names around it and its defaults."""

    def __init__(self, node: Any, name: str, up: Frame | None, defaults: dict[str, Any]) -> None:
        self.node, self.name, self.up, self.defaults = node, name, up, defaults
        self.outside: Any = None  # what names stand for that are not in any frame
        self.by = ""  # what decorates it: a property is called where its name is read, a static method has no object


class Class:
    """A class: its methods and constants; ``error`` where it is one of exceptions.

    Attributes
    ----------
    fields : list of str or None
        What its objects are made of, where they are records (a dataclass).
    frozen : bool
        Whether these never change.
    """

    fields: list[str] | None = None
    frozen = False

    def __init__(self, name: str, names: dict[str, Any], error: bool = False) -> None:
        self.name, self.names, self.error = name, names, error


class Instance:
    """An object of a class; `closed` as soon as it may not change any more."""

    closed = False

    def __init__(self, of: Class) -> None:
        self.of = of
        self.names: dict[str, Any] = {}

    def part(self, name: str) -> Any:
        """What it holds under a name, or its class does."""
        return self.names[name] if name in self.names else self.of.names.get(name)


class Member:
    """One of the values of an Enum."""

    def __init__(self, text: str, name: str, value: Any) -> None:
        self.text, self.name, self.value = text, name, value


class Record:
    """A dictionary with texts or whole numbers for keys; one that counts has 0 for those that it has not."""

    closed = False  # as an object

    def __init__(self, items: list[tuple[Any, Any]], counts: bool = False) -> None:
        self.names, self.counts = OrderedDict(items), counts  # a dict of MicroPython has no order


class View:
    """The keys, values or items of a dictionary, which change with it."""

    def __init__(self, of: Record, name: str) -> None:
        self.of, self.name = of, name

    def each(self, run: Run) -> Iterator[Any]:
        """One after the other."""
        names = self.of.names
        count = len(names)
        for key in list(names):
            if len(names) != count:
                raise run.stop("It goes through a dictionary that changes")
            yield key if self.name == "keys" else names[key] if self.name == "values" else (key, names[key])


class Error:
    """One of Python's own kinds of exceptions."""

    def __init__(self, name: str) -> None:
        self.name = name


class Native:
    """A function that is known: of the language, of numpy, or a method ``of`` something."""

    def __init__(self, name: str, do: Callable[..., Any], of: Any = None) -> None:
        self.name, self.do, self.of = name, do, of

    def done(self, run: Run, given: Any, options: Any) -> Any:
        """What it returns."""
        try:
            return self.do(run, *given, **options)
        except (TypeError, OverflowError) as error:
            raise run.stop(f"It calls {self.name} in a way that is not read ({error})") from error


class Bound:
    """A function of which some arguments are given."""

    def __init__(self, of: Any, given: Any, options: dict[str, Any]) -> None:
        self.of, self.given, self.options = of, given, options


class Silent(Native):
    """A function that only prints."""

    def __init__(self, name: str) -> None:
        super().__init__(name, self._noted)

    def _noted(self, run: Run, *given: Any, **options: Any) -> None:
        run.prints = True
        if run.always is not None:
            run.always.shared.prints = True
        for one in list(given) + list(options.values()):
            for x in one if isinstance(one, (list, tuple)) else (one,):
                plain = x is None or isinstance(x, (bool, int, float, str, Form, Member, Row, NoNumber))
                if not (plain or (isinstance(x, Abstract) and x.is_plain())):
                    raise run.stop("It prints an object, which may do something")


class Room:
    """A module: what it has, by name; an unknown name is refused as ``words``."""

    def __init__(self, words: str, has: dict[str, Any]) -> None:
        self.words, self.has = words, has

    def get(self, run: Run, name: str) -> Any:
        """What it has under a name."""
        if name not in self.has:
            raise run.stop(f"It uses {self.words}.{name}, which is not read")
        return self.has[name]


class Row:
    """An array of one dimension, of truths, whole numbers or numbers; only one that was made ``empty`` is filled.

    Where `floats` is not set, what is held as numbers here may be whole ones elsewhere, as what it was made of was.
    """

    def __init__(self, items: list[Any], empty: bool = False, floats: bool = False) -> None:
        self.items, self.empty, self.floats = items, empty, floats


class Fresh:
    """The default of a parameter that is a new list in each call."""


class NoNumber:
    """NaN, which may be shown, and is not calculated with or compared: Python and numpy part there."""


class Rounded:
    """A number that was rounded, which may be shown, and is not calculated with."""

    def __init__(self, form: Form) -> None:
        self.form = form


class Later:
    """What is made one after the other, once, while something goes through it."""

    def __init__(self, items: Any, made_of: Any = ()) -> None:
        self.items, self.made_of = items, made_of


class Part:
    """What stands in square brackets with colons."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step


class Abstract:
    """Something of which a run on a list of unknown length holds more than one value at once."""

    what = "uses something that depends on the number of queries"
    alone = False  # whether it is one number, sign or truth, and no list

    def is_plain(self) -> bool:
        """Whether nothing happens when it is printed."""
        return False

    def look(self, run: Run) -> None:
        """Told when a name for it is read."""

    def exact(self) -> Any:
        """A list of what is in it, where that is known."""
        return None

    def array_of(self, run: Run) -> Any:
        """The array that numpy makes of it."""
        return self

    def refused(self, run: Run) -> Unreadable:
        """Why this cannot be done with it."""
        return run.stop(f"It {self.what}")

    def binary(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Calculate with it and something else, which stands on the left if `swapped`."""
        raise self.refused(run)

    def compare(self, run: Run, op: str, other: Any, swapped: bool) -> Any:
        """Compare it."""
        raise self.refused(run)

    def opposite(self, run: Run, op: str) -> Any:
        """With another sign, or the other truth."""
        raise self.refused(run)

    def onto(self, run: Run, op: str, other: Any) -> Any:
        """What ``x += other`` makes of it."""
        raise self.refused(run)

    def truth(self, run: Run) -> bool:
        """Whether it is true."""
        raise self.refused(run)

    def text(self, run: Run, parts: list[Any]) -> Any:
        """A text in which it stands beside others."""
        raise self.refused(run)

    def index(self, run: Run, place: Any) -> Any:
        """What stands at a place."""
        raise self.refused(run)

    def put(self, run: Run, place: Any, value: Any) -> None:
        """Set what stands there."""
        raise self.refused(run)

    def begin(self, run: Run) -> Callable[[], Any]:
        """Go through it: what is given gives the element of a turn."""
        raise self.refused(run)

    def length(self, run: Run) -> Any:
        """How many there are."""
        raise self.refused(run)

    def contains(self, run: Run, one: Any) -> bool:
        """Whether it has an element."""
        raise self.refused(run)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """A method, or a function of which it is the first argument."""
        raise self.refused(run)

    def state(self, state: Any) -> Any:
        """What of it belongs to the state of a run."""
        raise NotImplementedError
