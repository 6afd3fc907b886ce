"""What a program is given in place of its list, so that it cannot ask how long that is, or how far it has come.

Each of these does what Python's or numpy's own does, as far as it does so in the same way for every number of queries.
Everything else stops the run.  Here stand those that are no lists (`svtcourse.judge.lists`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from svtcourse.judge.symbols import Fork

__all__ = ["ORDER", "Count", "Cut", "Hidden", "Hits", "Output", "Place", "Rest", "Walk", "few"]

ORDER = ["lt", "le", "gt", "ge", "eq", "ne"]
_SIGNS = bool, np.bool_, int, str, type(None)
_ASKED = {name for kind in (int, float, list, np.ndarray) for name in dir(kind) if name.startswith("__")}
_ASKED -= set(dir(object)) | {"__array_ufunc__"}
_ASKED |= {f"__{name}__" for name in (*ORDER, "hash", "str", "repr", "format", "call", "next")}


class Walk:
    """One run: how far it has come in the list, and what it has asked.

    Parameters
    ----------
    fork : Fork
    most : int
        Up to which number it may count positives: those of which short runs show what comes of them.
    turn : callable (more, query, walked)
        Called before each turn, and after the last: whether there is one, of which query, what is gone through.
    folds : dict
        By the place in the source of each list of what is said: what is read off it.
    """

    def __init__(
        self, fork: Fork, most: int, turn: Callable[[bool, int | None, Any], None], folds: dict[Any, set[str]]
    ) -> None:
        self.fork, self.most, self.turn, self.folds = fork, most, turn, folds
        self.now = self.rows = 0  # the number of this turn, and how many rows were made
        self.walked = self.inside = False
        self.closed = 0  # in how many places it is where no list may be gone through
        self.asked: Any = None  # the row of which it is asked where its positives are
        self.own: set[Any] = set()  # draws that were made for one query each

    def drew(self, before: int) -> None:
        """Since then each draw was made for one query."""
        self.own |= {("z", k) for k in range(before, len(self.fork.laws))}

    def before(self) -> None:
        """Go on only if no list was gone through: what is made of all of it then is in no turn."""
        if self.walked:
            raise self.fork.stop("it calculates with the list after going through it")

    def begin(self, again: bool = False) -> None:
        """Go through the list, which can be done once."""
        if self.inside or self.closed or self.asked is not None or (self.walked and not again):
            raise self.fork.stop("it goes through the list more than once")
        self.walked = self.walked or not again

    def through(self, walked: Any, again: bool = False) -> Iterator[Any]:
        """The elements of the list, one at each turn."""
        self.begin(again)
        self.inside = True
        try:
            for k in range(walked.elements):
                self.turn(True, walked.query(k), walked)
                self.now += 1
                yield walked.at(k)
            self.turn(False, None, walked)
            self.now += 1
        finally:
            self.inside = False


class Hidden:
    """Something of which a run may ask what is listed in its class, and nothing else."""

    __array_ufunc__ = None  # numpy leaves it to this class what is done with it
    ndim = 1
    what = "calculates with how many queries there are"

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def refused(self, *_: Any) -> Any:
        """Stop the run."""
        raise self.walk.fork.stop(f"it {self.what}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.walk.fork.stop(f"it {self.what} (.{name})")


for _name in _ASKED:
    setattr(Hidden, _name, Hidden.refused)


class Place(Hidden):
    """Where in the list this turn is, or the number after it."""

    what = "uses where in the list it is"

    def __init__(self, walk: Walk, value: int, length: Any, more: int = 0) -> None:
        super().__init__(walk)
        self.value, self.length, self.more, self.turn = value, length, more, walk.now

    def here(self, row: Any, most: int) -> int:
        """The number, in the turn that it belongs to only."""
        other = row is not None and row.length != self.length
        if self.turn != self.walk.now or other or self.more > most:
            self.refused()
        return self.value + self.more

    def __add__(self, other: Any) -> Place:
        if type(other) is not int or other != 1 or self.more or self.turn != self.walk.now:
            self.refused()
        return Place(self.walk, self.value, self.length, 1)

    def __rmul__(self, other: Any) -> Output:
        return _padding(self, other, self.here(None, 0))


class Cut(Hidden):
    """Where one of the first positives is, or the number after it."""

    what = "calculates with where a positive is"

    def __init__(self, walk: Walk, value: int, more: int = 0) -> None:
        super().__init__(walk)
        self.value, self.more = value + more, more

    def __add__(self, other: Any) -> Cut:
        if type(other) is not int or other not in (0, 1) or self.more:
            self.refused()
        return Cut(self.walk, self.value, other)

    def __rmul__(self, other: Any) -> Output:
        return _padding(self, other, self.value)


class Rest(Hidden):
    """How many queries are left of which nothing was said."""

    def __init__(self, walk: Walk, value: int) -> None:
        super().__init__(walk)
        self.value = value

    def __rmul__(self, other: Any) -> Output:
        return _padding(self, other, self.value)


def _padding(of: Hidden, sign: Any, times: int) -> Output:
    if not isinstance(sign, list) or len(sign) != 1 or not isinstance(sign[0], _SIGNS):
        of.refused()
    return Output(of.walk, sign * times)


class Output(Hidden):
    """What can only be returned."""

    what = "looks at what it has made to return"

    def __init__(self, walk: Walk, value: Any) -> None:
        super().__init__(walk)
        self.value = value

    def __add__(self, other: Any) -> Output:
        more = other.value if isinstance(other, Output) else other
        if not isinstance(more, list) or not isinstance(self.value, list):
            self.refused()
        return Output(self.walk, self.value + more)

    def tolist(self) -> Output:
        """As a list."""
        return Output(self.walk, self.value.tolist())

    def copy(self) -> Output:
        """Another."""
        return Output(self.walk, self.value.copy())


def few(of: Hidden, most: int, number: Any) -> Any:
    """A number of positives of which short runs show what comes after it."""
    if type(number) is not int or not 0 <= number <= most:
        raise of.walk.fork.stop(f"it counts positives to {number}")
    return number


class Count(Hidden):
    """How many positives there are, as far as a few."""

    what = "calculates with how many positives there are"

    def __init__(self, walk: Walk, value: int, most: int) -> None:
        super().__init__(walk)
        self.value, self.most = value, most

    def __bool__(self) -> bool:
        return self.value > 0


def _compared(name: str) -> None:
    operation = getattr(operator, f"__{name}__")

    def of_count(self: Count, other: Any) -> bool:
        return bool(operation(self.value, few(self, self.most, other)))

    setattr(Count, f"__{name}__", of_count)


for _name in ORDER:
    _compared(_name)


class Hits(Hidden):
    """Where the positives are."""

    what = "calculates with where the positives are"

    def __init__(self, walk: Walk, value: list[int], most: int) -> None:
        super().__init__(walk)
        self.value, self.most = value, most

    @property
    def size(self) -> Count:
        """How many there are."""
        return Count(self.walk, len(self.value), self.most)

    def __getitem__(self, number: Any) -> Cut:
        return Cut(self.walk, self.value[few(self, self.most, number)])
