"""What a run of a program consists of: its frames, and the kinds of values that are no numbers, texts or lists.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.parsing import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from svtcourse.judge.unknowns.symbols import Fork, Unreadable

__all__ = [
    "A_TURN", "Abstract", "Class", "Error", "Frame", "Function", "Instance", "Iter", "Native", "Part", "Property",
    "Raised", "Room", "Row", "Run", "Table",
]  # fmt: skip

_MOST_ITEMS, A_TURN, _IN_A_TURN = 4_000_000, 5_000, 20  # of one list; that are made, or gone through, in one turn


class Raised(Exception):
    """An exception of the program's own: an `Error`, or a `Class` made of one."""

    def __init__(self, kind: Any, words: str = "") -> None:
        super().__init__(words)
        self.kind, self.words = kind, words

    @property
    def name(self) -> str:
        """Of Python's own kind that it is, or is made of."""
        kind = self.kind
        while isinstance(kind, Class):
            kind = kind.base
        return str(kind.name)


_MADE_OF = {"IndexError": "LookupError", "KeyError": "LookupError", "ZeroDivisionError": "ArithmeticError"}


class Error:
    """A kind of exception."""

    def __init__(self, name: str) -> None:
        self.name = name

    def catches(self, raised: Raised) -> bool:
        """Whether a handler for this kind takes it."""
        return self.name in ("Exception", raised.name, _MADE_OF.get(raised.name, ""))


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
        self.line = self.held = self.count = 0
        self.site: Any = None  # the operation that is under way: a node, and which of its parts
        self.seeded = self.strange = False  # whether a seed was fixed; whether it drew from no generator that is known
        self.known: Any = None
        self.frames: list[Frame] = []
        self.maps: list[tuple[str, Any]] = []
        self.always: Any = None  # a run on a list of which the length is not known

    def stop(self, reason: str) -> Unreadable:
        """Say why the run cannot be read."""
        return self.fork.stop(reason) if self.fork is not None else Refusal(reason, self.line)

    def tick(self) -> None:
        """One turn of a loop, or one call."""
        self.left -= 1
        if self.left < 0:
            raise self.stop("It does not end")
        if self.always is not None:
            self.always.tick()

    def at(self, line: int) -> None:
        """Keep where it is."""
        self.line = line
        if self.fork is not None:
            self.fork.line = line

    def fits(self, length: int) -> None:
        """Refuse what grows without end."""
        self.left -= length // A_TURN
        if length > _MOST_ITEMS or self.left < 0:
            raise self.stop("It makes a list or a text that is too long")

    def works(self, count: int) -> None:
        """So many elements are gone through in one go."""
        self.left -= count // _IN_A_TURN
        if self.left < 0:
            raise self.stop("It does not end")

    def new_list(self, items: list[Any], site: Any = None) -> Any:
        """A list of the program's own."""
        return items if self.always is None else self.always.new_list(items, site)


class Frame:
    """The names of one call of a function, or of one round through a list."""

    def __init__(self, run: Run, up: Frame | None, node: Any = None, site: Any = None) -> None:
        self.run, self.up, self.node, self.site = run, up, node, site
        self.names: dict[str, Any] = {}
        self.at: Any = None  # the statement that is under way
        self.loops: list[list[Any]] = []  # what loops are under way, with what they go through and how far they are
        self.said: Any = None  # where what it yields is kept


class Function:
    """A function with the names around it and its defaults."""

    def __init__(self, code: Any, up: Frame | None, defaults: dict[str, Any]) -> None:
        self.code, self.up, self.defaults = code, up, defaults


class Class:
    """A class: its methods and constants."""

    def __init__(self, name: str, base: Any, names: dict[str, Any]) -> None:
        self.name, self.base, self.names = name, base, names


class Instance:
    """An object of a class."""

    def __init__(self, of: Class) -> None:
        self.of, self.names = of, {}  # type: Class, dict[str, Any]


class Native:
    """A function that is known: of the language, of numpy, or a method ``of`` something."""

    def __init__(self, name: str, do: Callable[..., Any], of: Any = None) -> None:
        self.name, self.do, self.of = name, do, of


class Property(Native):
    """What an object has under a name is calculated when it is asked for."""


class Room:
    """A module: what it has, by name; an unknown name is refused as ``words``."""

    def __init__(self, words: str, has: dict[str, Any]) -> None:
        self.words, self.has = words, has

    def get(self, run: Run, name: str) -> Any:
        """What it has under a name."""
        if name not in self.has:
            raise run.stop(f"It uses {self.words}.{name}, which is not read")
        return self.has[name]


class Iter:
    """Something that hands out one element after the other, once."""

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items


class Row:
    """An array of one dimension; one that is part of another may not be changed."""

    def __init__(self, items: list[Any]) -> None:
        self.items, self.shared = items, False


class Part:
    """What stands in square brackets with colons."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step

    def of(self, items: Any) -> Any:
        """These elements."""
        return items[self.start : self.stop] if self.step is None else items[self.start : self.stop : self.step]


class Table:
    """A dictionary, as pairs: an unknown key is compared with each."""

    def __init__(self, pairs: list[list[Any]]) -> None:
        self.pairs = pairs


class Abstract:
    """Something of which a run on a list of unknown length holds more than one value at once."""

    what = "uses something that depends on the number of queries"
    endless = False  # whether a loop through it has no place that the state has to tell
    something = True  # whether it cannot be None
    is_one = False  # whether it stands for one number or sign
    has_places = False  # whether it has an element for each turn
    truths = False  # whether all its elements are truths
    each_turn: Any = None  # a loop hands its turn to this, where what it goes through runs on its own

    def of_numpy(self, run: Run, name: str = "") -> Any:
        """The array that a function of numpy, of this name, makes of it."""
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
        return self.binary(run, op, other, False)

    def truth(self, run: Run) -> bool:
        """Whether it is true."""
        raise self.refused(run)

    def state(self, state: Any) -> Any:
        """What of it belongs to the state of a run."""
        raise NotImplementedError

    def index(self, run: Run, place: Any) -> Any:
        """What stands at a place."""
        raise self.refused(run)

    def put(self, run: Run, place: Any, value: Any) -> None:
        """Set what stands there."""
        raise self.refused(run)

    def iterate(self, run: Run) -> Iterator[Any]:
        """One element after the other."""
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
