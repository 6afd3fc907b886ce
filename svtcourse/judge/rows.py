"""As much of numpy as a program on a page needs: rows, a few functions of them, and a generator.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math
import random

from svtcourse.judge.symbols import Form, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from svtcourse.judge.symbols import Fork

__all__ = ["Draws", "Math", "Numpy", "Row", "Source"]

_LONGEST = 20_000


def _alike(items: list[Any]) -> list[Any]:
    """What is put into one array: truths only, or numbers, as floats where one is or is not known."""
    if not all(isinstance(x, (bool, int, float, Form)) for x in items):
        raise TypeError("an array of other things than numbers and truths is not read")
    truths = [isinstance(x, bool) for x in items]
    if any(truths) and not all(truths):
        raise TypeError("truths and numbers in one array are not read")
    return [float(x) if type(x) is int else x for x in items] if not all(type(x) is int for x in items) else items


class Row:
    """An array of one dimension."""

    ndim = 1
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items: list[Any]) -> None:
        self.items, self.shared = items, False

    @property
    def size(self) -> int:
        """Its length."""
        return len(self.items)

    @property
    def shape(self) -> tuple[int]:
        """Its length, in a tuple."""
        return (len(self.items),)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, (Row, list)):
            places = list(place)
            if places and isinstance(places[0], bool):
                return Row([x for x, keep in zip(self.items, places) if keep])
            return Row([self.items[i] for i in places])
        found = self.items[place]
        if not isinstance(found, list):
            return found
        part = Row(found)
        part.shared = self.shared = True  # in numpy they are one array: neither may change here
        return part

    def __setitem__(self, place: Any, value: Any) -> None:
        if not isinstance(place, int) or self.shared:
            raise TypeError("only one place of an array that has no slices can be set here")
        self.items[place] = _alike(self.items + [value])[-1]

    def _become(self, other: Row) -> Row:
        if self.shared:
            raise TypeError("an array that has slices cannot be changed here")
        self.items = other.items
        return self

    def __iadd__(self, other: Any) -> Row:
        return self._become(self + other)

    def __isub__(self, other: Any) -> Row:
        return self._become(self - other)

    def __imul__(self, other: Any) -> Row:
        return self._become(self * other)

    def __itruediv__(self, other: Any) -> Row:
        return self._become(self / other)

    def _with(self, other: Any, do: Callable[[Any, Any], Any]) -> Row:
        if isinstance(other, (Row, list, tuple)):
            others = list(other)
            if len(others) != len(self.items):
                raise TypeError("arrays of different lengths")
            return Row([do(x, y) for x, y in zip(self.items, others)])
        return Row([do(x, other) for x in self.items])

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x + y)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x - y)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: y - x)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x * y)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x / y)

    def __neg__(self) -> Any:
        return Row([-x for x in self.items])

    def __abs__(self) -> Any:
        return Row([abs(x) for x in self.items])

    def __ge__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x >= y)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x > y)

    def __le__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x <= y)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x < y)

    def __eq__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x == y)

    def __ne__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x != y)

    def __and__(self, other: Any) -> Any:
        return self._with(other, _both)

    def __or__(self, other: Any) -> Any:
        return self._with(other, _either)

    def __invert__(self) -> Any:
        return Row([_opposite(x) for x in self.items])

    def __bool__(self) -> bool:
        if len(self.items) != 1:
            raise TypeError("the truth of an array with several elements is ambiguous")
        return bool(self.items[0])

    def tolist(self) -> list[Any]:
        """As a list."""
        return list(self.items)

    def copy(self) -> Row:
        """Another with the same elements."""
        return Row(list(self.items))

    def sum(self) -> Any:
        """Of its elements."""
        return sum(self.items)

    def any(self) -> bool:
        """Whether one is true."""
        return any(self.items)

    def all(self) -> bool:
        """Whether all are true."""
        return all(self.items)

    def max(self) -> Any:
        """The largest."""
        return max(self.items)

    def min(self) -> Any:
        """The smallest."""
        return min(self.items)

    def argmax(self) -> int:
        """Where the largest is first."""
        best = 0
        for i, x in enumerate(self.items):
            if x > self.items[best]:
                best = i
        return best

    def cumsum(self) -> Row:
        """Sums of the first, the first two, and so on."""
        total, found = 0, []
        for x in self.items:
            total = total + x
            found.append(total)
        return Row(found)

    def nonzero(self) -> tuple[Row]:
        """The places of what is true, in a tuple."""
        return (Row([i for i, x in enumerate(self.items) if x]),)


def _truths(*values: Any) -> None:
    if any(value is not True and value is not False for value in values):
        raise TypeError("& and | are read for truths only")


def _both(x: Any, y: Any) -> bool:
    _truths(x, y)
    return bool(x and y)


def _either(x: Any, y: Any) -> bool:
    _truths(x, y)
    return bool(x or y)


def _opposite(x: Any) -> bool:
    _truths(x)
    return not x


class Draws:
    """The draws of numpy's generator, each by its family, location, scale and size."""

    def _drawn(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        raise NotImplementedError

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("laplace", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("gumbel", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("normal", loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("exponential", 0.0, scale, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("uniform", low, high - low, size)

    def random(self, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("uniform", 0.0, 1.0, size)

    def standard_normal(self, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("normal", 0.0, 1.0, size)

    def standard_exponential(self, size: Any = None) -> Any:
        """As numpy's."""
        return self._drawn("exponential", 0.0, 1.0, size)

    def _coin(self) -> Any:
        raise NotImplementedError

    def choice(self, items: Any, size: Any = None) -> Any:
        """As numpy's, of a sign."""
        if size is not None or not isinstance(items, (list, tuple)) or sorted(items) != [-1, 1]:
            raise TypeError("rng.choice is read for one sign only, rng.choice([-1, 1])")
        return self._coin()


class Source(Draws):
    """A generator: its draws are unknowns of a run, or numbers."""

    def __init__(self, fork: Fork | None) -> None:
        self._fork = fork

    def _one(self, family: str, scale: Any) -> Any:
        if self._fork is not None:
            return self._fork.draw(family, scale)
        if not float(scale) >= 0:
            raise ValueError(f"scale must be at least 0, got {scale}")
        u = 1 - random.random()
        if family == "laplace":
            return scale * (math.log(u) - math.log(1 - random.random()))
        if family == "normal":
            return scale * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * random.random())
        if family == "gumbel":
            return -scale * math.log(-math.log(u * (1 - 1e-16)))
        return -scale * math.log(u) if family == "exponential" else scale * (1 - u)

    def _coin(self) -> Any:
        return self._fork.coin() if self._fork is not None else 1 if random.random() < 0.5 else -1

    def _drawn(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        if isinstance(size, tuple):
            if len(size) > 1:
                raise TypeError("arrays of one dimension only")
            size = size[0] if size else None
        if size is None and isinstance(loc, (Row, list)):
            size = len(loc)
        if size is None and isinstance(scale, (Row, list)):
            size = len(scale)
        if size is None:
            return loc + self._one(family, scale)
        if size > _LONGEST:
            raise Refused(f"size must leave at most {_LONGEST} draws in one run, got {size}")
        scales = list(scale) if isinstance(scale, (Row, list)) else [scale] * size
        return Row([self._one(family, s) for s in scales]) + loc

    def default_rng(self, seed: Any = None) -> Source:
        """As `numpy.random.default_rng`, without a seed."""
        if seed is not None and not isinstance(seed, Source) and self._fork is not None:
            raise self._fork.stop(
                "Its noise comes from a fixed seed, so that it is the same in every run and hides nothing"
            )
        return self


def _truth(dtype: Any) -> bool:
    if dtype not in (None, bool):
        raise TypeError("numbers of a type of their own (dtype) are not read")
    return dtype is bool


def _each(do: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: Row([do(y) for y in x]) if isinstance(x, (Row, list, tuple)) else do(x)


class Math:
    """The module math, for plain numbers."""

    def __init__(self, source: Source) -> None:
        self._fork = source._fork

    def __getattr__(self, name: str) -> Any:
        value = getattr(math, name)
        if not callable(value):
            return value

        def of_plain_numbers(*arguments: Any) -> Any:
            for x in arguments:
                if isinstance(x, Form):
                    if name == "log" and len(arguments) == 1:
                        return x.fork.part_of_a_draw(name, x)
                    raise x.fork.stop(f"It takes math.{name} of a number that it does not know")
            return value(*arguments)

        return of_plain_numbers


class Numpy:
    """The module numpy, as far as it is read on a page."""

    inf, pi, e, float64 = math.inf, math.pi, math.e, float

    def __init__(self, source: Source) -> None:
        self.random = source
        for name in ("sqrt", "exp", "ceil", "floor", "log"):
            setattr(self, name, _each(getattr(Math(source), name)))

    def sign(self, x: Any) -> Any:
        """Of a number."""
        return x.fork.part_of_a_draw("sign", x) if isinstance(x, Form) else (x > 0) - (x < 0)

    def array(self, items: Any, dtype: Any = None) -> Row:
        """A row."""
        if dtype is not None:
            raise TypeError("numbers of a type of their own (dtype) are not read")
        return Row(_alike(list(items)))

    asarray = array

    def zeros(self, n: int, dtype: Any = None) -> Row:
        """So many zeros."""
        return Row([False if _truth(dtype) else 0.0] * n)

    def ones(self, n: int, dtype: Any = None) -> Row:
        """So many ones."""
        return Row([True if _truth(dtype) else 1.0] * n)

    def full(self, n: int, value: Any) -> Row:
        """So many of these."""
        return Row([value] * n)

    def arange(self, *limits: int) -> Row:
        """Numbers in a row."""
        return Row(list(range(*limits)))

    def abs(self, x: Any) -> Any:
        """Sizes."""
        return abs(x)

    def sum(self, x: Any) -> Any:
        """Of all."""
        return sum(list(x))

    def any(self, x: Any) -> bool:
        """Whether one is true."""
        return any(list(x))

    def all(self, x: Any) -> bool:
        """Whether all are true."""
        return all(list(x))

    def cumsum(self, x: Any) -> Row:
        """Sums of the first, the first two, and so on."""
        return Row(list(x)).cumsum()

    def argmax(self, x: Any) -> int:
        """Where the largest is first."""
        return Row(list(x)).argmax()

    def flatnonzero(self, x: Any) -> Row:
        """The places of what is true."""
        return Row(list(x)).nonzero()[0]

    def where(self, truth: Any, yes: Any = None, no: Any = None) -> Any:
        """One or the other, place by place."""
        if yes is None:
            return Row(list(truth)).nonzero()
        both = [x if isinstance(x, Row) else Row([x] * len(truth)) for x in (yes, no)]
        return Row([y if t else n for t, y, n in zip(truth, both[0], both[1])])
