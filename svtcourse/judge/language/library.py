"""The functions that a program finds: Python's own, numpy's, and the methods of lists and arrays.

A list of unknown length is handed on to itself, by the name of what is asked of it.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math

from svtcourse.judge.language.kinds import (
    MOST_ITEMS,
    Abstract,
    Error,
    Later,
    Native,
    Raised,
    Room,
    Rounded,
    Row,
    Run,
    Silent,
)
from svtcourse.judge.language.numbers import NUMBERS, PLAIN, ROOTS, of_plain, sign
from svtcourse.judge.language.values import (
    MOST_WHOLE,
    UNSURE,
    adds_up,
    alike,
    binary,
    compare,
    holds,
    is_off,
    is_plain,
    is_unsure,
    items_of,
    iterate,
    length,
    limited,
    off,
    opposite,
    row,
    truth,
)
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["BUILTINS", "NUMPY", "OF_ROWS", "ORDERED", "cast", "of_row", "to_float"]

try:
    import numpy as _KNOWN  # a function of numpy may round otherwise than that of math
except ImportError:  # on a page
    _KNOWN = None  # type: ignore[assignment]

_LISTS = list, tuple, range, Row


def _later(run: Run, items: Any, lists: Any) -> Any:
    """One after the other; where states are compared, all at once, if what they are made of does not change."""
    if run.always is not None and not all([isinstance(x, (tuple, range)) for x in lists]):
        raise run.stop("it goes through lists side by side that may change meanwhile")
    return Later(items) if run.always is None else tuple([one for one in items])


def _asks(name: str, do: Callable[..., Any]) -> Callable[..., Any]:
    """The same, where what is abstract among its arguments knows for itself what comes of it."""

    def of(run: Run, *given: Any, **options: Any) -> Any:
        for x in given:
            if isinstance(x, Abstract):
                return x.call(run, name, *given, **options)
        return do(run, *given, **options)

    return of


def _zip(run: Run, *lists: Any) -> Any:
    for x in lists:
        if isinstance(x, Abstract):
            return x.call(run, "zip", *lists)
    return _later(run, zip(*[x.items if isinstance(x, Later) else iterate(run, x) for x in lists]), lists)


def _enumerate(run: Run, x: Any, start: Any = 0) -> Any:
    if type(start) is not int:
        raise run.stop("It counts from what is no whole number")
    if isinstance(x, Abstract):
        return x.call(run, "enumerate", x, start)
    return _later(
        run, ((k + start, one) for k, one in enumerate(x.items if isinstance(x, Later) else iterate(run, x))), [x]
    )


def _iter(run: Run, x: Any) -> Later:
    if run.always is not None:
        raise run.stop("it goes step by step through what is no list of answers")
    return x if isinstance(x, Later) else Later(iterate(run, x))


def _next(run: Run, x: Any, *default: Any) -> Any:
    if not isinstance(x, Later):
        raise run.stop("It takes the next of what is no iterator")
    try:
        for one in x.items:
            return one
    except ValueError as error:
        if "already executing" not in str(error):
            raise
        raise Raised("ValueError", "it asks for the next while it makes it") from error
    if not default:
        raise Raised("StopIteration")
    return default[0]


def _counted(run: Run, x: Any) -> Iterator[Any]:
    for one in x.items if isinstance(x, Later) else iterate(run, x):
        run.tick()
        yield one


def _any(run: Run, x: Any) -> bool:
    return any(truth(run, one) for one in _counted(run, x))


def _all(run: Run, x: Any) -> bool:
    return all(truth(run, one) for one in _counted(run, x))


def _total(run: Run, x: Any) -> Any:
    if isinstance(x, Row) and not x.items:
        raise run.stop("It adds up an array of nothing, which numpy makes a number of the array's kind")
    return _sum(run, x)


def _sum(run: Run, x: Any, start: Any = 0) -> Any:
    total, items = start, items_of(run, x)
    run.tick(len(items) // 20)
    if type(start) is int and start == 0 and all([one is True or one is False for one in items]):
        return len([one for one in items if one])
    for one in items:
        total = binary(run, "Add", total, one)
    numbers = [one for one in [start] + list(items) if isinstance(one, (int, float)) and one]
    if len(numbers) > 2 and not adds_up(numbers):
        if min(numbers) < 0 < max(numbers) or type(total) is not float:
            raise run.stop("It adds up numbers so that it depends on their order how they round")
        is_off(run, total, off(run, total) + UNSURE * len(numbers) * abs(total))
    return total.rounded() if isinstance(total, Form) and len(items) > 2 else total


def _extreme(op: str) -> Callable[..., Any]:
    def do(run: Run, *given: Any) -> Any:
        items = items_of(run, given[0]) if len(given) == 1 else list(given)
        if not items:
            raise Raised("ValueError" if given else "TypeError", "of nothing")
        run.tick(len(items) // 20)
        for x, limit in (given, (given[1], given[0])) if len(given) == 2 else ():
            found = limited(x, limit, math.inf) if op == "Gt" else limited(x, -math.inf, limit)
            if found is not None:
                return found
        best = items[0]
        for one in items[1:]:
            if holds(run, op, one, best):
                best = one
        return best

    return do


def _int(run: Run, x: Any = 0) -> Any:
    if not isinstance(x, (bool, int, float)) or not abs(x) <= MOST_WHOLE or is_unsure(run, x):
        raise run.stop("It makes a whole number of an unknown, or of what is too large for one")
    return int(x)


def to_float(run: Run, x: Any = 0.0) -> Any:
    """What ``float(x)`` is."""
    if isinstance(x, Form):
        return x if x.noisy else (x * 1).rounded()  # of a shorter float it is another
    if not isinstance(x, (bool, int, float)):
        raise run.stop("It makes a number of what is none")
    return float(x)


def _range(run: Run, *limits: Any) -> Any:
    for x in limits:
        if isinstance(x, Abstract):
            return x.call(run, "range", *limits)
    if not all([type(x) is int for x in limits]) or limits[2:] == (0,):
        raise run.stop("It counts to what is no whole number")
    if max([abs(x) for x in limits] + [0]) > 2**53:
        raise run.stop("It counts farther than floats do")
    return range(*limits)


def _round(run: Run, x: Any, digits: Any = None) -> Any:
    """A number that is only shown; or one that is known, and not on the edge, where numpy and Python part."""
    if isinstance(x, Form) and type(digits) is int:
        return Rounded(x)
    if type(digits) is not int or type(x) is not float or is_unsure(run, x) or not 0 <= digits <= 9 or abs(x) > 1e5:
        raise run.stop("It rounds in a way that is not read")
    if run.fork is not None and abs(abs(x * 10**digits) % 1 - 0.5) < 1e-4:
        raise run.stop("It rounds in a way that is not read")
    found = float(round(x, digits))
    return is_off(run, found, UNSURE * abs(found)) if run.fork is not None else found


def _abs(run: Run, x: Any) -> Any:
    if isinstance(x, Row):
        run.tick(len(x.items) // 20)
        return Row([_abs(run, y) for y in x.items])
    if not is_plain(x) and not isinstance(x, Form):
        raise run.stop("It takes the size of what is no number")
    return is_off(run, abs(x), off(run, x))


def _bool(run: Run, x: Any) -> bool:
    if isinstance(x, Row):
        raise run.stop("It makes one truth of an array")
    return truth(run, x)


def _is_a(run: Run, x: Any, kinds: Any) -> bool:
    """Whether a number is of a kind: where it does not matter whether it is one of numpy's, or a whole one."""
    names = {one.name if isinstance(one, Native) else "" for one in (kinds if isinstance(kinds, tuple) else (kinds,))}
    if not names <= {"int", "float", "Integral", "Real", "Number"} or not (is_plain(x) or isinstance(x, Form)):
        raise run.stop("It asks of which kind something is, in a way that is not read")
    either = type(x) is float and "float" in names and len(names) > 1  # it may be whole where one calls it
    if names & {"Real", "Number"} or either or (type(x) is int and "Integral" in names):
        return True
    raise run.stop("It asks of which kind something is, in a way that is not read")


def _single(do: Callable[[Run, Any], Any]) -> Callable[[Run, Any], Any]:
    """The same of one number alone."""

    def of(run: Run, x: Any) -> Any:
        if not isinstance(x, (bool, int, float, Form)):
            raise run.stop("It makes one number of what is none")
        return do(run, x)

    return of


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": _abs, "max": _extreme("Gt"), "min": _extreme("Lt"), "sum": _sum, "any": _any, "all": _all, "int": _int,
    "float": to_float, "bool": _bool, "iter": _iter, "next": _next, "round": _round,
    "tuple": lambda run, x=(): run.same(x, tuple(items_of(run, x))),
    "list": lambda run, x=(): run.same(x, run.new_list(items_of(run, x))),
}  # fmt: skip
BUILTINS: dict[str, Any] = {name: Native(name, _asks(name, do)) for name, do in _FUNCTIONS.items()}
_OF_LISTS = {"len": length, "range": _range, "zip": _zip, "enumerate": _enumerate}
BUILTINS.update([(name, Native(name, do)) for name, do in _OF_LISTS.items()])
BUILTINS.update([(name, Room(name, {})) for name in ("property", "staticmethod", "classmethod")])  # never called
BUILTINS["print"] = Silent("print")
BUILTINS["isinstance"] = Native("isinstance", lambda run, x, kinds: _is_a(run, x, kinds))
_ERRORS = "Exception ValueError RuntimeError IndexError StopIteration PermissionError"
BUILTINS.update([(name, Error(name)) for name in _ERRORS.split()])


# Arrays


def _kind(run: Run, kind: Any) -> str:
    """Truths, whole numbers or numbers."""
    alone = isinstance(kind, Native) and kind.of is None
    name = {"np.bool_": "bool", "np.float64": "float"}.get(kind.name, kind.name) if alone else ""
    if name not in ("bool", "int", "float"):
        raise run.stop("It makes an array of a kind that is not read")
    return name


def cast(run: Run, x: Any, kind: Any) -> Row:
    """What ``x.astype(kind)`` is."""
    one = _FUNCTIONS[_kind(run, kind)]
    return Row([one(run, y) for y in row(run, x).items], floats=one is to_float)


def _array(run: Run, x: Any, dtype: Any = None) -> Any:
    return Row(list(row(run, x).items), floats=row(run, x).floats) if dtype is None else cast(run, x, dtype)


def _asarray(run: Run, x: Any, dtype: Any = None) -> Any:
    found = _array(run, x, dtype)
    same = isinstance(x, Row) and [type(y) for y in x.items] == [type(y) for y in found.items]
    return x if same else found  # it is no copy


def _filled(value: float) -> Callable[..., Any]:
    def do(run: Run, size: Any, dtype: Any = None) -> Any:
        return _full(run, size, value, BUILTINS["float"] if dtype is None else dtype)

    return do


def _full(run: Run, size: Any, value: Any, dtype: Any = None) -> Any:
    size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
    if not isinstance(value, (bool, int, float, Form, Abstract)):
        raise run.stop("It fills an array with what is no number")
    if dtype is not None and isinstance(value, Abstract):
        raise run.stop("It makes numbers of one kind of what is no number")
    one = None if dtype is None else _FUNCTIONS[_kind(run, dtype)]
    value = value if one is None else one(run, value)
    if isinstance(size, Abstract):
        return size.call(run, "full", size, value)
    if type(size) is not int or not 0 <= size <= MOST_ITEMS:
        raise run.stop("It makes an array of another shape")
    run.tick(size // 20)
    return Row(alike(run, [value] * size), empty=True, floats=one is to_float)


def _like(value: float) -> Callable[..., Any]:
    def do(run: Run, x: Any, dtype: Any = None) -> Any:
        if dtype is None:
            raise run.stop("It makes an array like another one; dtype says of which kind")
        flat = x if isinstance(x, Abstract) and getattr(x, "flat", False) else row(run, x)
        return _full(run, length(run, flat), value, dtype)

    return do


def _clip(run: Run, x: Any, low: Any, high: Any) -> Any:
    """A clipped answer is another one of no more sensitivity; what else is clipped is compared with the limits."""
    if not (is_plain(low) and is_plain(high) and low <= high):
        raise run.stop("It clips to limits that are no numbers in order")
    if isinstance(x, _LISTS):
        return Row(alike(run, [_clip(run, y, low, high) for y in row(run, x).items]))
    found = limited(x, low, high)
    return (
        _FUNCTIONS["min"](run, alike(run, [_FUNCTIONS["max"](run, alike(run, [x, low])), high]))
        if found is None
        else found
    )


def _two(do: Callable[[Run, Any, Any], Any]) -> Callable[..., Any]:
    """The same with each pair of elements."""

    def of(run: Run, x: Any, y: Any) -> Any:
        rows = [row(run, one) for one in (x, y) if isinstance(one, _LISTS)]
        if not rows:
            return do(run, x, y)
        pairs = [row(run, one).items if isinstance(one, _LISTS) else [one] * len(rows[0].items) for one in (x, y)]
        if len(pairs[0]) != len(pairs[1]):
            raise run.stop("It puts arrays of different lengths together")
        return Row(alike(run, [do(run, a, b) for a, b in zip(pairs[0], pairs[1])]))

    return of


def _by_sign(op: str, of: Callable[..., Any] = compare) -> Callable[[Run, Any, Any], Any]:
    return lambda run, x, y: of(run, op, x, y)


def _truths(op: str) -> Callable[[Run, Any, Any], Any]:
    def do(run: Run, x: Any, y: Any) -> Any:
        if type(x) is not bool or type(y) is not bool:
            raise run.stop("It puts together what are no truths")
        return binary(run, op, x, y)

    return do


def _where(run: Run, which: Any, *both: Any) -> Any:
    if not both:
        return (_places(run, which),)
    if len(both) != 2:
        raise run.stop("It chooses between other things than two")
    truths = row(run, which).items
    yes, no = (row(run, x).items if isinstance(x, _LISTS) else [x] * len(truths) for x in both)
    if not len(yes) == len(no) == len(truths):
        raise run.stop("It puts arrays of different lengths together")
    return Row(alike(run, alike(run, [y if truth(run, t) else n for t, y, n in zip(truths, yes, no)] + yes + no))[
        : len(truths)
    ])  # fmt: skip


def _places(run: Run, x: Any) -> Row:
    """Where the truths of an array are."""
    return Row([k for k, y in enumerate(row(run, x).items) if truth(run, y)])


def _cumsum(run: Run, x: Any) -> Row:
    total, found = 0, []
    for y in row(run, x).items:
        if type(y) is float:
            raise run.stop("It adds up numbers so that it depends on their order how they round")
        total = binary(run, "Add", total, y)
        found.append(total)
    return Row(alike(run, found))


def _searchsorted(run: Run, x: Any, one: Any, side: Any = "left") -> int:
    if side != "left":
        raise run.stop("It looks for places from the right")
    items = row(run, x).items
    if not all([type(y) is int for y in items + [one]]) or any([y > z for y, z in zip(items, items[1:])]):
        raise run.stop("It looks for places in an array that is not of whole numbers in order")
    return len([y for y in items if y < one])


def _argmax(run: Run, x: Any) -> int:
    items, best = row(run, x).items, 0
    if not items:
        raise Raised("ValueError", "of nothing")
    for k, y in enumerate(items):
        if k and holds(run, "Gt", int(y) if type(y) is bool else y, items[best]):
            best = k
    return best


def _each(name: str, do: Callable[[Run, Any], Any]) -> Callable[..., Any]:
    """The same with each element."""

    def of(run: Run, x: Any) -> Any:
        return Row([do(run, y) for y in row(run, x).items]) if isinstance(x, _LISTS) else do(run, x)

    return of


def of_row(do: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an array alone."""
    return lambda run, x: do(run, row(run, x))


ORDERED = {"greater": "Gt", "greater_equal": "GtE", "less": "Lt", "less_equal": "LtE"}
OF_ROWS: dict[str, Callable[..., Any]] = {
    "any": _any, "all": _all, "argmax": _argmax, "cumsum": _cumsum, "flatnonzero": _places, "sum": _total,
    "max": _FUNCTIONS["max"], "min": _FUNCTIONS["min"], "nonzero": lambda run, x: (_places(run, x),),
    "count_nonzero": lambda run, x: len(_places(run, x).items),
}  # fmt: skip
_ARRAYS: dict[str, Callable[..., Any]] = {
    "abs": _abs, "absolute": _abs, "array": _array, "clip": _clip, "asarray": _asarray,
    "atleast_1d": lambda run, x: _asarray(run, x),
    "searchsorted": _searchsorted, "where": _where, "sign": _each("sign", sign),
    "logical_and": _two(_truths("BitAnd")), "logical_or": _two(_truths("BitOr")),
    "logical_not": _each("logical_not", lambda run, x: opposite(run, "Not", x)),
    "bool_": _single(_bool), "float64": _single(to_float),
    "maximum": _two(lambda run, x, y: _FUNCTIONS["max"](run, alike(run, [x, y]))),
    "minimum": _two(lambda run, x, y: _FUNCTIONS["min"](run, alike(run, [x, y]))),
    "add": _two(_by_sign("Add", binary)), "subtract": _two(_by_sign("Sub", binary)),
    "isfinite": _each("isfinite", PLAIN["isfinite"]), "isnan": _each("isnan", PLAIN["isnan"]),
}  # fmt: skip
_ARRAYS.update([(name, _two(_by_sign(op))) for name, op in ORDERED.items()])
_ARRAYS.update([(name, _each(name, of_plain(name, math if _KNOWN is None else _KNOWN))) for name in ROOTS])
_ARRAYS.update([(name, of_row(do)) for name, do in OF_ROWS.items()])


def _of_numpy(name: str, do: Callable[..., Any]) -> Native:
    asked = _asks(name, do)

    def of(run: Run, *given: Any, **options: Any) -> Any:
        return asked(run, *[x.array_of(run) if isinstance(x, Abstract) else x for x in given], **options)

    return Native(f"np.{name}", of)


NUMPY: dict[str, Any] = {name: _of_numpy(name, do) for name, do in _ARRAYS.items()}
_MADE = {
    "zeros": _filled(0.0), "ones": _filled(1.0), "full": _full, "zeros_like": _like(0.0), "ones_like": _like(1.0),
    "arange": lambda run, *limits: _arange(run, *limits),
}  # fmt: skip
NUMPY.update([(name, Native(f"np.{name}", do)) for name, do in _MADE.items()])
NUMPY.update(NUMBERS)


def _arange(run: Run, *limits: Any) -> Any:
    found = _range(run, *limits)
    return found if isinstance(found, Abstract) else row(run, found)
