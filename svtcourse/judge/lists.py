"""The lists of a program that cannot ask how long they are: rows with an element for each query, and what was said."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from svtcourse.judge.hidden import ORDER, Count, Cut, Hidden, Hits, Output, Place, Rest, Walk, few
from svtcourse.judge.symbols import Form

__all__ = [
    "PLAIN",
    "Lazy",
    "Length",
    "Numbered",
    "Places",
    "Row",
    "Running",
    "Said",
    "Size",
    "Walked",
    "Zipped",
    "each",
]
__all__ += ["fold_of", "revealed"]

PLAIN = Form, bool, np.bool_, str, int, float, type(None), np.int64, np.float64
_TRUTHS = bool, np.bool_


class Walked(Hidden):
    """What a loop may go through, element by element."""

    what = "looks at the list other than element by element"
    elements: int
    length: Any  # what tells it from lists of other lengths

    def at(self, k: int) -> Any:
        """The element of a turn."""
        raise NotImplementedError

    def query(self, k: int) -> int:
        """Of which query this is."""
        return k


def each(walk: Walk, function: Callable[..., Any], *arguments: Any) -> Row:
    """What a function that does the same with each element makes of rows and single values."""
    walk.before()
    rows = [x for x in arguments if isinstance(x, Row)]
    others = [x for x in arguments if not isinstance(x, Row)]
    alike = len({row.length for row in rows}) == 1
    if not alike or any(isinstance(x, (Hidden, list, tuple, dict)) or np.ndim(_alone(x)) for x in others):
        raise walk.fork.stop("it puts lists together that may have other lengths")
    found = function(*(x.inner if isinstance(x, Row) else x for x in arguments))
    if not isinstance(found, np.ndarray) or found.shape != (rows[0].elements,):
        raise walk.fork.stop("it makes something of the list that is no list of the same length")
    made = Row(walk, found, rows[0].length)
    made.written = max(row.written for row in rows)
    return made


def _alone(x: Any) -> Any:
    return 0.0 if isinstance(x, Form) or callable(x) else x


def _by_element(operation: Callable[..., Any], swapped: bool = False) -> Callable[..., Any]:
    def method(self: Row, *others: Any) -> Row:
        rows = [x for x in (self, *others) if isinstance(x, Row)]
        if not all(isinstance(row.inner, np.ndarray) for row in rows):
            self.refused()
        return each(self.walk, operation, *((*others, self) if swapped else (self, *others)))

    return method


class Row(Walked):
    """A list or an array with one element for each query; `board` if a place of it may be set."""

    def __init__(self, walk: Walk, inner: Any, length: Any = None, board: bool = False, origin: Any = None) -> None:
        super().__init__(walk)
        if not all(isinstance(x, PLAIN) for x in inner):
            raise walk.fork.stop("it makes a list of things that are no numbers")
        self.inner, self.length, self.board, self.elements = inner, length, board, len(inner)
        self.written, self.blank = 0, inner[0]  # in which turn a place was last set, and what stood there before
        self.most = walk.most  # up to which number its positives may be counted
        self.origin = self if origin is None else origin
        walk.rows += 1
        self.serial = walk.rows

    def at(self, k: int) -> Any:
        """The element of a turn."""
        if self.written not in (0, self.walk.now):
            self.refused()
        return self.inner[k]

    def like(self, inner: Any) -> Row:
        """The same elements in a list or array of another kind."""
        new = Row(self.walk, inner, self.length, origin=self.origin)
        new.written, new.most = self.written, self.most
        return new

    @property
    def size(self) -> Length:
        """How many there are."""
        return Length(self.walk, self)

    @property
    def shape(self) -> tuple[Length]:
        """The same, in a tuple."""
        return (self.size,)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, Place):
            return self.at(place.here(self, 0))
        if isinstance(place, slice) and place.start is place.step is None:
            end = place.stop
            if isinstance(end, Length) and end.length == self.length:
                return self.like(self.inner[:])
            if isinstance(end, Cut):
                return Output(self.walk, self.inner[: end.value])
            if isinstance(end, Place) and self.board:
                return Output(self.walk, self.inner[: end.here(self, 1)])
        return self.refused()

    def __setitem__(self, place: Any, value: Any) -> None:
        if not (isinstance(place, Place) and self.board and isinstance(value, PLAIN)):
            self.refused()
        self.inner[place.here(self, 0)] = value
        self.written = self.walk.now

    def __contains__(self, sign: Any) -> bool:
        return bool(self.positives()) if sign is True and not isinstance(self.inner, np.ndarray) else self.refused()

    def tolist(self) -> Row:
        """As a list."""
        return self.like(list(self.inner.tolist()))

    def copy(self) -> Row:
        """Another with the same elements."""
        return self.like(self.inner.copy())

    def positives(self) -> list[int]:
        """Where its positives are: of one row only, of truths, and before a list was gone through."""
        other = self.walk.asked is not None and self.walk.asked is not self.origin
        if other or self.walk.walked or self.written or not all(isinstance(x, _TRUTHS) for x in self.inner):
            raise self.walk.fork.stop("it asks after positives of more than one list, or of other things than truths")
        self.walk.asked = self.origin
        return [k for k, x in enumerate(self.inner) if x]

    def any(self) -> bool:
        """Whether it has a positive."""
        return bool(self.positives())

    def sum(self) -> Count:
        """How many positives it has."""
        return Count(self.walk, len(self.positives()), self.most)

    def argmax(self) -> Cut:
        """Where the first is."""
        return Cut(self.walk, [*self.positives(), 0][0])

    def nonzero(self) -> tuple[Hits]:
        """Where they all are."""
        return (Hits(self.walk, self.positives(), self.most),)

    def cumsum(self) -> Running:
        """How many there were at each query."""
        if self.most < self.walk.most:
            self.refused()
        self.positives()
        return Running(self)

    def index(self, sign: Any) -> Cut:
        """Where the first is."""
        return Cut(self.walk, self.positives()[0]) if sign is True else self.refused()

    def count(self, sign: Any) -> Count:
        """How many positives it has."""
        return self.sum() if sign is True and not isinstance(self.inner, np.ndarray) else self.refused()


for _name in ["add", "sub", "mul", "truediv", "and", "or", *ORDER]:
    setattr(Row, f"__{_name}__", _by_element(getattr(operator, f"__{_name}__")))
    if _name in ("add", "sub", "mul", "truediv", "and", "or"):
        setattr(Row, f"__r{_name}__", _by_element(getattr(operator, f"__{_name}__"), swapped=True))
for _name in ("neg", "abs", "invert"):
    setattr(Row, f"__{_name}__", _by_element(getattr(operator, f"__{_name}__")))


class Length(Hidden):
    """How many there are: at least one."""

    def __init__(self, walk: Walk, of: Walked) -> None:
        super().__init__(walk)
        self.value, self.length = of.elements, of.length

    def __bool__(self) -> bool:
        return True

    def _to_zero(self, other: Any, answer: bool) -> bool:
        return answer if type(other) is int and other == 0 else bool(self.refused())

    def __eq__(self, other: object) -> bool:
        return self._to_zero(other, False)

    def __ne__(self, other: object) -> bool:
        return self._to_zero(other, True)

    __gt__ = __ne__

    def __sub__(self, other: Any) -> Any:
        return Rest(self.walk, self.value - len(other.of.items)) if isinstance(other, Size) else self.refused()

    def __rmul__(self, other: Any) -> Row:
        if not isinstance(other, list) or len(other) != 1:
            self.refused()
        return Row(self.walk, other * self.value, self.length, board=True)


class Running(Hidden):
    """How many positives there were at each query, as far as a few."""

    what = "calculates with how many positives there were"

    def __init__(self, row: Row) -> None:
        super().__init__(row.walk)
        self.value, self.row = np.cumsum(row.inner), row

    def cut(self, number: Any) -> Cut:
        """Where it is first so large."""
        return Cut(self.walk, int(np.searchsorted(self.value, few(self, self.walk.most, number))))


def _running(name: str) -> None:
    operation = getattr(operator, f"__{name}__")

    def method(self: Running, other: Any) -> Row:
        found = operation(self.value, few(self, self.walk.most, other))
        new = Row(self.walk, found, self.row.length, origin=self.row.origin)
        new.most = 0  # several of these could be asked for
        return new

    setattr(Running, f"__{name}__", method)


for _name in ORDER:
    _running(_name)


class Places(Walked):
    """``range(len(answers))``."""

    def __init__(self, walk: Walk, length: Length) -> None:
        super().__init__(walk)
        self.elements, self.length = length.value, length.length

    def at(self, k: int) -> Place:
        """Where it is."""
        return Place(self.walk, k, self.length)


class Numbered(Walked):
    """``enumerate(answers)``."""

    def __init__(self, walk: Walk, of: Walked, first: int) -> None:
        super().__init__(walk)
        self.of, self.first, self.elements, self.length = of, first, of.elements, of.length

    def at(self, k: int) -> Any:
        """Where it is, and the element; numbered from elsewhere, no place in the list."""
        return Place(self.walk, k + self.first, self if self.first else self.length), self.of.at(k)

    def query(self, k: int) -> int:
        """Of which query this is."""
        return self.of.query(k)


class Zipped(Walked):
    """``zip(answers, noise)``."""

    def __init__(self, walk: Walk, parts: tuple[Any, ...]) -> None:
        super().__init__(walk)
        if not all(isinstance(part, Walked) and part.length == parts[0].length for part in parts):
            raise walk.fork.stop("it goes through lists of different lengths")
        self.parts, self.elements, self.length = parts, parts[0].elements, parts[0].length

    def at(self, k: int) -> Any:
        """Their elements."""
        return tuple(part.at(k) for part in self.parts)


class Lazy(Walked):
    """A generator expression, or a map: its elements, one or none of each, are made when their turn comes."""

    def __init__(self, walk: Walk, of: Walked, per: Callable[[Any], list[Any]]) -> None:
        super().__init__(walk)
        self.of, self.per, self.elements, self.length = of, per, of.elements, of.length

    def at(self, k: int) -> Any:
        """The element, made now."""
        found = self.per(self.of.at(k))
        return found[0] if found else self.refused()

    def first(self, default: Any) -> Any:
        """The first element, at the turn that it is made in."""
        for some in self.walk.through(Lazy(self.walk, self.of, lambda x: [self.per(x)])):
            if some:
                return some[0]
        return default

    def query(self, k: int) -> int:
        """Of which query this is."""
        return self.of.query(k)


class Said(Walked):
    """A list or a text that a run fills, of which it may ask what adds up; gone through only if it has answers."""

    what = "looks at what was said other than by a count, or at what was last"

    def __init__(self, walk: Walk, site: Any, items: list[Any], text: bool = False) -> None:
        super().__init__(walk)
        self.site, self.items, self.text, self.length = site, items, text, self

    @property
    def elements(self) -> int:  # type: ignore[override]
        """How many it has."""
        return len(self.items)

    def at(self, k: int) -> Any:
        """An answer that was put aside."""
        return self.items[k]

    def query(self, k: int) -> int:
        """Of which query this is."""
        found = self.items[k]
        terms = list(found.terms.items()) if isinstance(found, Form) and not found.constant else []
        if len(terms) != 1 or terms[0][0][0] != "a" or len(terms[0][0]) > 2 or terms[0][1] != 1:
            self.refused()
        return int(terms[0][0][1])

    def append(self, one: Any) -> None:
        """One thing more is said."""
        if not isinstance(one, (*PLAIN, Place)):
            self.refused()
        if isinstance(one, Place):
            one.here(None, 1)
        self.items.append(one)

    def extend(self, more: Any) -> None:
        """Several things more are said."""
        for one in more if isinstance(more, str if self.text else (list, tuple)) else self.refused():
            self.append(one)

    def __iadd__(self, more: Any) -> Said:
        if self.text:  # which does not change under its other names
            return self + more  # type: ignore[no-any-return]
        self.extend(more)
        return self

    def __add__(self, more: Any) -> Any:
        if isinstance(more, Output) and not self.text:
            return Output(self.walk, self.items + more.value)
        new = Said(self.walk, self.site, list(self.items), self.text)
        new.extend(more)
        return new

    def fold(self, text: str) -> Any:
        """What is read off it by an expression of `x`, which then belongs to the state."""
        self.walk.folds.setdefault(self.site, set()).add(text)
        return self.items[-1] if text == "x[-1]" else fold_of(text, self.items)

    def __getitem__(self, place: Any) -> Any:
        return self.fold("x[-1]") if type(place) is int and place == -1 else self.refused()

    def __bool__(self) -> bool:
        return bool(self.fold("bool(x)"))

    def _sign(self, sign: Any) -> str:
        known = isinstance(sign, (bool, int, type(None))) or (isinstance(sign, str) and len(sign) == 1)
        return repr(sign) if known else str(self.refused())

    def __contains__(self, sign: Any) -> bool:
        return bool(self.fold(f"{self._sign(sign)} in x"))

    def count(self, sign: Any) -> int:
        """How often something was said."""
        return int(self.fold(f"x.count({self._sign(sign)})"))


class Size(Hidden):
    """How long a list is that a run has filled: asked for its value, it belongs to the state."""

    what = "uses how much was said"

    def __init__(self, of: Said) -> None:
        super().__init__(of.walk)
        self.of = of

    def value(self) -> int:
        """The number."""
        return int(self.of.fold("len(x)"))

    def __bool__(self) -> bool:
        return self.value() > 0


def _of_size(name: str) -> Callable[[Size, Any], Any]:
    operation = getattr(operator, f"__{name}__")

    def method(self: Size, other: Any) -> Any:
        if isinstance(other, Hidden) and not isinstance(other, Size):
            self.refused()
        return operation(self.value(), other.value() if isinstance(other, Size) else other)

    return method


for _name in [*ORDER, "add", "sub", "mul", "mod", "floordiv"]:
    setattr(Size, f"__{_name}__", _of_size(_name))


class _Unlooked:
    """A number of which can be asked that it is there, and, if it is noisy, whether it is a certain one: it is not."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, form: Form) -> None:
        self._form = form

    def _refused(self, *_: Any) -> Any:
        raise self._form.fork.stop("it looks at a number that was said")

    def __eq__(self, other: object) -> bool:
        return False if self._form.noisy and not isinstance(other, _Unlooked) else bool(self._refused())

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = _refused


def fold_of(text: str, items: list[Any]) -> Any:
    """What an expression of `x` is of a list: a sum of whole numbers, which nothing rounds, a count, what is last."""
    for one in items:
        if isinstance(one, (float, np.floating)) and "sum" in text:
            raise OverflowError("it adds up numbers that round")
    return eval(text, {"x": [_Unlooked(one) if isinstance(one, Form) else one for one in items]})


def revealed(said: Any) -> Any:
    """What a run returned, as it is."""
    if isinstance(said, Said):
        return "".join(said.items) if said.text else [revealed(one) for one in said.items]
    if isinstance(said, Row):
        if not said.origin.board:
            said.walk.before()
        return said.inner
    if isinstance(said, Place):
        return said.value + said.more
    if isinstance(said, (Cut, Output)):
        return said.value
    if isinstance(said, Hidden):
        return said.refused()
    return said
