"""numpy, math and generators of noise, as far as a program finds them.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math
import random

from svtcourse.judge.language.kinds import Abstract, Error, Native, Raised, Room, Row, Run
from svtcourse.judge.language.library import BUILTINS, METHODS, call_max, cast, places, row
from svtcourse.judge.language.ordering import is_plain, moved, ordered
from svtcourse.judge.language.values import alike, binary, compare, holds, length, of_kind, opposite, truth
from svtcourse.judge.unknowns.symbols import Form, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["MODULES", "NAMES", "Generator"]

try:
    import numpy as _KNOWN  # a function of numpy may round otherwise than that of math
except ImportError:  # on a page
    _KNOWN = None  # type: ignore[assignment]

_LONGEST = 20_000
_LISTS = list, tuple, range, Row


def _clip(run: Run, x: Any, low: Any, high: Any) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "clip", low, high)
    if not (is_plain(low) and is_plain(high)):
        raise run.stop("It clips to limits that are no numbers")
    items = x.items if isinstance(x, Row) else list(x) if isinstance(x, (list, tuple)) else [x]
    made = moved(run, "clip", items, lambda data: [min(max(y, low), high) for y in data])
    if made is None:
        made = [call_max(run, "min", call_max(run, "max", y, low), high) for y in items]
    made = of_kind(run, made, items + [low, high])
    return Row(made) if isinstance(x, _LISTS) else made[0]


def _array(run: Run, x: Any, dtype: Any = None) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "array", *(() if dtype is None else (dtype,)))
    if isinstance(x, Row) or not isinstance(x, (list, tuple, range)):
        if not isinstance(x, Row):
            raise run.stop("It makes an array of a single number")
        found = Row(list(x.items))
    else:
        found = row(run, x)
    return found if dtype is None or not isinstance(found, Row) else METHODS["row"]["astype"](run, found, dtype)


def _asarray(run: Run, x: Any, dtype: Any = None) -> Any:
    found = _array(run, x, dtype)
    if isinstance(x, Row) and [type(y) for y in x.items] == [type(y) for y in found.items]:
        return x  # it is no copy
    return found


def _filled(value: Any) -> Callable[..., Any]:
    def do(run: Run, size: Any, dtype: Any = None) -> Any:
        return _full(run, size, value if dtype is None else cast(run, dtype, value))

    return do


def _full(run: Run, size: Any, value: Any, dtype: Any = None) -> Any:
    size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
    value = value if dtype is None else cast(run, dtype, value)
    if isinstance(size, Abstract):
        return size.call(run, "full", value)
    if type(size) is not int or not 0 <= size <= _LONGEST:
        raise run.stop("It makes an array of another shape")
    return Row(alike(run, [value] * size))


def _like(make: Callable[..., Any]) -> Callable[..., Any]:
    def do(run: Run, x: Any, *given: Any, **options: Any) -> Any:
        x = x.of_numpy(run) if isinstance(x, Abstract) else x
        if not isinstance(x, _LISTS) and not (isinstance(x, Abstract) and x.has_places):
            raise run.stop("It makes an array like what is none")
        if isinstance(x, Abstract) and x.truths and "dtype" not in options:
            options["dtype"] = BUILTINS["bool"]
        items = [] if isinstance(x, Abstract) else row(run, x).items
        if "dtype" not in options and not isinstance(x, Abstract):
            kind = type((items + [0.0])[0])
            options["dtype"] = BUILTINS[kind.__name__ if kind in (bool, int) else "float"]
        return make(run, length(run, x), *given, **options)

    return do


def _each(name: str, do: Callable[[Run, Any], Any]) -> Callable[..., Any]:
    """The same with each element."""

    def of(run: Run, x: Any) -> Any:
        if isinstance(x, Abstract):
            return x.call(run, name)
        if isinstance(x, _LISTS):
            return Row([do(run, y) for y in row(run, x).items])
        return do(run, x)

    return of


def _of_plain(name: str, numpy: bool = True) -> Callable[[Run, Any], Any]:
    def do(run: Run, x: Any) -> Any:
        if isinstance(x, Form) and name == "log":
            return x.fork.part_of_a_draw("log", x)
        if not isinstance(x, (bool, int, float)) or type(x) is bool:
            raise run.stop(f"It takes {name} of a number that it does not know")
        known = getattr(_KNOWN if numpy and _KNOWN is not None else math, name, None)
        if known is None:  # MicroPython has not all of them
            raise run.stop(f"It takes {name} of a number, which is not known here")
        try:
            found = known(x)
            if found != found:
                raise run.stop("It calculates with what is no number (NaN)")
            return float(found) if numpy else found
        except (ValueError, OverflowError) as error:
            raise run.stop(f"It takes {name} of {x}") from error

    return do


def _sign(run: Run, x: Any) -> Any:
    if isinstance(x, Form):
        return x.fork.part_of_a_draw("sign", x)
    if not is_plain(x):
        raise run.stop("It takes the sign of what is no number")
    sign = (1 if x > 0 else 0) - (1 if x < 0 else 0)
    return float(sign) if isinstance(x, float) else sign


def _two(name: str, do: Callable[[Run, Any, Any], Any]) -> Callable[..., Any]:
    """The same with each pair of elements."""

    def of(run: Run, x: Any, y: Any) -> Any:
        for one in (x, y):
            if isinstance(one, Abstract):
                return one.call(run, name, x, y)
        lists = [one for one in (x, y) if isinstance(one, _LISTS)]
        if not lists:
            found = do(run, x, y)
            return of_kind(run, [found], [x, y])[0] if name in ("maximum", "minimum") else found
        count = length(run, lists[0])
        rows = [row(run, one).items if isinstance(one, _LISTS) else [one] * count for one in (x, y)]
        if len(rows[0]) != len(rows[1]):
            raise run.stop("It puts arrays of different lengths together")
        made = [do(run, a, b) for a, b in zip(rows[0], rows[1])]
        return Row(of_kind(run, made, rows[0] + rows[1]) if name in ("maximum", "minimum") else alike(run, made))

    return of


def _truths(op: str) -> Callable[[Run, Any, Any], Any]:
    def do(run: Run, x: Any, y: Any) -> Any:
        if type(x) is not bool or type(y) is not bool:
            raise run.stop("It puts together what are no truths")
        return binary(run, op, x, y)

    return do


def _where(run: Run, which: Any, *both: Any) -> Any:
    for one in (which,) + both:
        if isinstance(one, Abstract):
            return one.call(run, "where", which, *both)
    if not both:
        return (places(run, which),)
    if not isinstance(which, _LISTS):
        raise run.stop("It makes an array of a single number")
    truths = row(run, which).items
    yes, no = (row(run, x).items if isinstance(x, _LISTS) else [x] * len(truths) for x in both)
    if not len(yes) == len(no) == len(truths):
        raise run.stop("It puts arrays of different lengths together")
    return Row(of_kind(run, [y if truth(run, t) else n for t, y, n in zip(truths, yes, no)], yes + no))


def _searchsorted(run: Run, x: Any, one: Any, side: str = "left") -> Any:
    if isinstance(x, Abstract) and side == "left":
        return x.call(run, "searchsorted", one)
    if isinstance(one, _LISTS + (Abstract,)) or isinstance(x, Abstract) or side != "left":
        raise run.stop("It looks for places in an array in a way that is not read")
    items = row(run, x).items
    if any([isinstance(y, Form) for y in items]):
        raise run.stop("It looks for places in an array in a way that is not read")
    if any([holds(run, "Gt", y, z) for y, z in zip(items, items[1:])]):
        raise run.stop("It looks for places in an array that is not in order")
    return len([y for y in items if holds(run, "Lt", y, one)])


def _arange(run: Run, *limits: Any) -> Any:
    found = BUILTINS["range"].do(run, *limits)
    return found if isinstance(found, Abstract) else Row(list(found))


def _of_list(name: str, do: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is a method too."""

    def of(run: Run, x: Any, *given: Any, **options: Any) -> Any:
        x = x.of_numpy(run, name) if isinstance(x, Abstract) else x
        if isinstance(x, Abstract):
            return x.call(run, name, *given, **options)
        return do(run, row(run, x), *given, **options)

    return of


_PLAIN = "sqrt exp log log1p"
_ORDERED = {"greater": "Gt", "greater_equal": "GtE", "less": "Lt", "less_equal": "LtE"}
_NUMPY: dict[str, Any] = {
    "abs": BUILTINS["abs"].do, "absolute": BUILTINS["abs"].do, "array": _array, "asarray": _asarray,
    "zeros": _filled(0.0), "ones": _filled(1.0), "full": _full, "zeros_like": _like(_filled(0.0)),
    "ones_like": _like(_filled(1.0)), "arange": _arange,
    "where": _where, "clip": _clip, "searchsorted": _searchsorted, "sign": _each("sign", _sign),
    "sort": lambda run, x: x.call(run, "sorted") if isinstance(x, Abstract) else Row(ordered(run, row(run, x).items)),
    "flatnonzero": _of_list("flatnonzero", places), "nonzero": _of_list("nonzero", METHODS["row"]["nonzero"]),
    "count_nonzero": _of_list("count_nonzero", lambda run, x: len(places(run, x).items)),
    "maximum": _two("maximum", lambda run, x, y: call_max(run, "max", x, y)),
    "minimum": _two("minimum", lambda run, x, y: call_max(run, "min", x, y)),
    "logical_and": _two("logical_and", _truths("BitAnd")), "logical_or": _two("logical_or", _truths("BitOr")),
    "logical_not": _each("logical_not", lambda run, x: opposite(run, "Not", x)),
}  # fmt: skip
_OF_ROWS = "any all argmax cumsum"
_NUMPY.update([(name, _of_list(name, METHODS["row"][name])) for name in _OF_ROWS.split()])
_NUMPY.update([(name, _of_list(name, METHODS["row"][name])) for name in ("sum", "max", "min")])
_NUMPY.update([(name, _each(name, _of_plain(name))) for name in _PLAIN.split()])


def _bool(run: Run, x: Any) -> bool:
    if isinstance(x, _LISTS) or (isinstance(x, Abstract) and not x.is_one):
        raise run.stop("It makes one truth of a list")
    return truth(run, x)


def _by_sign(name: str, op: str) -> Any:
    return _two(name, lambda run, x, y: compare(run, op, x, y))


_NUMPY.update([(name, _by_sign(name, op)) for name, op in _ORDERED.items()])
_NUMPY = {name: Native(f"np.{name}", do) for name, do in _NUMPY.items()}
_NUMBERS = {"inf": math.inf, "pi": math.pi, "e": math.e}
_NUMPY.update(_NUMBERS)
_NUMPY.update({"float64": BUILTINS["float"], "bool_": Native("np.bool_", _bool)})


# Noise


class Generator(Room):
    """A generator: its draws are unknowns of the run, or on numbers new ones; ``known`` are those of a fixed seed."""

    common = False  # whether it is numpy's own, whose seed is set for all

    def __init__(self, known: Any = None) -> None:
        super().__init__("rng", {})
        self.known = known

    def get(self, run: Run, name: str) -> Any:
        """What it draws under a name."""
        if name == "choice":
            return Native("rng.choice", self.coin, self)
        if name not in _LAWS:
            raise run.stop(f"It draws with rng.{name}, which is not read")
        return Native(f"rng.{name}", lambda run, *given, **options: self.drawn(run, name, *given, **options), self)

    def coin(self, run: Run, items: Any, size: Any = None) -> Any:
        """One of two signs."""
        items = items.call(run, "whole") if isinstance(items, Abstract) else items
        seeded = self.known is not None and run.fork is not None
        if size is not None or not isinstance(items, (list, tuple)) or sorted(items) != [-1, 1] or seeded:
            raise run.stop("It draws with rng.choice what is no sign")
        run.strange = True
        if run.fork is not None:
            return run.fork.coin()
        return int(self.known.choice(items)) if self.known is not None else random.choice(items)

    def drawn(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """One draw, or as many as are asked for: the location, and as much more as the scale says."""
        family, first = _LAWS[name]
        if len(given) == 2 and not options and name in _NAMES_OF_ALL and not isinstance(given[0], Abstract):
            if isinstance(given[1], Abstract):
                return given[1].call(run, "drawn", family, given[0], given[1], None)
            return self.shaped(run, family, given[0], given[1], None)
        values = list(first)
        names = NAMES[name]
        if len(given) > len(names):
            raise TypeError("too many arguments")
        asked = dict(zip(names, given))
        asked.update(options)
        if set(asked) - set(names):
            raise TypeError(f"it has no {sorted(set(asked) - set(names))[0]}")
        for k, key in enumerate(("loc", "scale")):
            values[k] = asked.get(key, values[k])
        if name == "uniform":
            low, high = asked.get("low", 0.0), asked.get("high", 1.0)
            if is_plain(low) and is_plain(high) and low > high:
                raise run.stop("It draws between limits in the wrong order")
            values = [low, binary(run, "Sub", high, low)]
        size = asked.get("size")
        size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
        loc, scale = values
        for one in (size, loc, scale):
            if isinstance(one, Abstract):
                return one.call(run, "drawn", family, loc, scale, size)
        return self.shaped(run, family, loc, scale, size)

    def shaped(self, run: Run, family: str, loc: Any, scale: Any, size: Any) -> Any:
        """The draws of a location, a scale and a size that are known."""
        lists = [x for x in (loc, scale) if isinstance(x, _LISTS)]
        count = size if size is not None else length(run, lists[0]) if lists else None
        if count is None:
            drawn = self.one(run, family, scale)
            return drawn if is_plain(loc) and not loc else binary(run, "Add", loc, drawn)
        if type(count) is not int or count < 0 or count > _LONGEST:
            raise Refused(f"size must leave at most {_LONGEST:,} draws in one run, got {size!r}")
        scales = row(run, scale).items if isinstance(scale, _LISTS) else [scale] * count
        if len(scales) != count:
            raise run.stop("It puts arrays of different lengths together")
        return binary(run, "Add", loc, Row([self.one(run, family, s) for s in scales]))

    def one(self, run: Run, family: str, scale: Any) -> Any:
        """One draw around 0."""
        known = run.known if self.known is None and self.common else self.known
        if known is not None:
            return float(getattr(known, family)()) * scale
        if run.fork is not None:
            return run.fork.draw(family, scale)
        run.strange = True
        if not isinstance(scale, (bool, int, float)) or not scale >= 0:
            raise Raised(Error("ValueError"), f"scale must be at least 0, got {scale}")
        u = 1 - random.random()
        if family == "laplace":
            return scale * (math.log(u) - math.log(1 - random.random()))
        if family == "normal":
            return scale * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * random.random())
        if family == "gumbel":
            return -scale * math.log(-math.log(u * (1 - 1e-16)))
        return -scale * math.log(u) if family == "exponential" else scale * (1 - u)


_LAWS = {
    "laplace": ("laplace", (0.0, 1.0)), "gumbel": ("gumbel", (0.0, 1.0)), "normal": ("normal", (0.0, 1.0)),
    "exponential": ("exponential", (0.0, 1.0)), "standard_exponential": ("exponential", (0.0, 1.0)),
    "standard_normal": ("normal", (0.0, 1.0)), "uniform": ("uniform", (0.0, 1.0)), "random": ("uniform", (0.0, 1.0)),
}  # fmt: skip
DRAWN = tuple(_LAWS)
_ALL = ("loc", "scale", "size")
_NAMES_OF_ALL = ("laplace", "gumbel", "normal")
NAMES = {
    "laplace": _ALL, "gumbel": _ALL, "normal": _ALL, "exponential": ("scale", "size"),
    "standard_exponential": ("size",), "standard_normal": ("size",), "uniform": ("low", "high", "size"),
    "random": ("size",),
}  # fmt: skip
SEEDED = "Its noise comes from a fixed seed, so that it is the same in every run and hides nothing"


def _seeded(run: Run, seed: Any) -> Any:
    if not isinstance(seed, int) or seed < 0:
        raise run.stop("The seed of its noise depends on the answers, and so gives them away")
    if run.always is not None:
        raise run.stop(SEEDED)
    run.seeded = True
    try:
        import numpy
    except ImportError:
        raise run.stop(SEEDED)  # noqa: B904  (a page, where there is no numpy)
    return numpy.random


def _default_rng(run: Run, seed: Any = None) -> Generator:
    if seed is None or isinstance(seed, Generator):
        return Generator() if seed is None else seed
    return Generator(_seeded(run, seed).default_rng(seed))


def _seed(run: Run, seed: Any = None) -> None:
    run.known = _seeded(run, seed).RandomState(seed)


class _Module(Generator):
    """numpy.random, which draws as a generator does."""

    common = True

    def get(self, run: Run, name: str) -> Any:
        """A draw, or another generator."""
        if name in ("default_rng", "seed"):
            return Native(f"np.random.{name}", _default_rng if name == "default_rng" else _seed)
        return super().get(run, name)


_NUMPY["random"] = _Module()


def _rvs(family: str) -> Native:
    def do(run: Run, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, random_state: Any = None) -> Any:
        return _default_rng(run, random_state).drawn(run, family, loc, scale, size)

    def exponential(run: Run, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, random_state: Any = None) -> Any:
        return binary(run, "Add", loc, _default_rng(run, random_state).drawn(run, family, scale, size))

    return Native("rvs", exponential if family == "exponential" else do)


_OWN = Generator()  # Python's
_OF_PYTHON: dict[str, Callable[..., Any]] = {
    "random": lambda: ("uniform", 0.0, 1.0),
    "uniform": lambda a, b: ("uniform", a, b - a),
    "gauss": lambda mu=0.0, sigma=1.0: ("normal", mu, sigma),
    "expovariate": lambda lambd=1.0: ("exponential", 0.0, 1 / lambd),
}


def _of_python(name: str, law: Callable[..., Any]) -> Callable[..., Any]:
    draw = getattr(random, name, None)  # MicroPython has not all of them

    def do(run: Run, *given: Any, **options: Any) -> Any:
        if not all([isinstance(x, (int, float)) and x > -math.inf for x in given + tuple(options.values())]):
            raise run.stop("It draws from the module random with what is no number")
        try:
            if run.fork is None and draw is not None:
                return draw(*given, **options)
            family, loc, scale = law(*given, **options)
        except ZeroDivisionError:
            scale = -1
        if scale < 0:
            raise run.stop("It draws with a scale that is none, or between limits in the wrong order")
        return _OWN.shaped(run, family, loc, scale, None)

    return do


_PYTHON: dict[str, Any] = {name: Native(f"random.{name}", _of_python(name, law)) for name, law in _OF_PYTHON.items()}
_PYTHON["choice"] = Native("random.choice", _OWN.coin)
_STATS = {"laplace": "laplace", "expon": "exponential", "norm": "normal", "gumbel_r": "gumbel"}
_MATH: dict[str, Any] = {name: Native(f"math.{name}", _of_plain(name, False)) for name in _PLAIN.split()}
_MATH.update(_NUMBERS)
MODULES = {
    "numpy": Room("np", _NUMPY),
    "math": Room("math", _MATH),
    "random": Room("random", _PYTHON),
    "scipy.stats": Room("scipy.stats", {name: Room(name, {"rvs": _rvs(of)}) for name, of in _STATS.items()}),
}
