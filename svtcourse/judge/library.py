"""What a program finds ready made: the language's own functions, methods, numpy, math, and generators of noise.

Each is a `Native` that is given the run; what it is not listed for is refused by name.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math
import random

from svtcourse.judge.symbols import Form, Refused
from svtcourse.judge.values import (
    Abstract,
    Class,
    Error,
    Function,
    Instance,
    Iter,
    Native,
    Raised,
    Room,
    Row,
    Run,
    Table,
    alike,
    binary,
    compare,
    contains,
    index,
    iterate,
    length,
    opposite,
    truth,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["BUILTINS", "MODULES", "Generator", "attribute"]

_LONGEST = 20_000
_LISTS = list, tuple, Row


def items_of(run: Run, x: Any) -> list[Any]:
    """All elements, one after the other."""
    if isinstance(x, Abstract):
        return items_of(run, x.call(run, "whole"))
    return list(iterate(run, x))


# Functions of the language


def _enumerate(run: Run, x: Any, start: int = 0) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "enumerate", start)

    def each() -> Iterator[Any]:
        for k, one in enumerate(iterate(run, x)):
            yield k + start, one

    return Iter(each())


def _zip(run: Run, *lists: Any) -> Any:
    for x in lists:
        if isinstance(x, Abstract):
            return x.call(run, "zip", *lists)
    return Iter(zip(*[iterate(run, x) for x in lists]))


def _map(run: Run, function: Any, *lists: Any) -> Any:
    for x in lists:
        if isinstance(x, Abstract):
            return x.call(run, "map", function, *lists)
    return Iter(called(run, function, *xs) for xs in zip(*[iterate(run, x) for x in lists]))


def _filter(run: Run, function: Any, x: Any) -> Iter:
    if isinstance(x, Abstract):
        raise x.refused(run)
    return Iter(y for y in iterate(run, x) if truth(run, y if function is None else called(run, function, y)))


def _next(run: Run, x: Any, *default: Any) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "next", *default)
    if not isinstance(x, Iter):
        raise run.stop("It takes the next of what is no iterator")
    for one in x.items:
        return one
    if default:
        return default[0]
    raise Raised(Error("StopIteration"))


def _sum(run: Run, x: Any, start: Any = 0) -> Any:
    total = start
    if isinstance(x, Abstract):
        return x.call(run, "sum", *(() if type(start) is int and start == 0 else (start,)))
    for one in items_of(run, x):
        total = binary(run, "Add", total, one)
    return total


def _any(run: Run, x: Any) -> bool:
    if isinstance(x, Abstract):
        return bool(x.call(run, "any"))
    for one in iterate(run, x):
        run.tick()
        if truth(run, one):
            return True
    return False


def _all(run: Run, x: Any) -> bool:
    if isinstance(x, Abstract):
        return bool(x.call(run, "all"))
    for one in iterate(run, x):
        run.tick()
        if not truth(run, one):
            return False
    return True


def _extreme(name: str) -> Callable[..., Any]:
    op = "Gt" if name == "max" else "Lt"

    def do(run: Run, *given: Any) -> Any:
        items = list(given) if len(given) > 1 else items_of(run, given[0])
        if not items:
            raise Raised(Error("ValueError"), "of nothing")
        made = _stable(run, name, items)
        if made is not None:
            return made
        best = items[0]
        for one in items[1:]:
            if compare(run, op, one, best):
                best = one
        return best

    return do


def answer_in(x: Any) -> Any:
    """The unknown answer that something is, as it is; None if it is none."""
    if not isinstance(x, Form) or len(x.terms) != 1 or x.constant:
        return None
    ((v, f),) = x.terms.items()
    return v if v[0] == "a" and f == 1 else None


def _plain(x: Any) -> bool:
    return isinstance(x, (bool, int, float)) and type(x) is not bool


def _stable(run: Run, name: str, items: list[Any]) -> Any:
    """The largest or smallest of two answers and numbers: a new unknown, which one person changes by no more."""
    forms = [x for x in items if isinstance(x, Form)]
    answers = [answer_in(x) for x in forms]
    numbers = [float(x) for x in items if _plain(x)]
    if None in answers or not 1 <= len(forms) <= 2 or len(forms) + len(numbers) < len(items) or run.fork is None:
        return None
    best = max if name == "max" else min

    def on_numbers(data: list[float]) -> list[float]:
        return [best([y for y in data[: k + 1]] + numbers) for k in range(len(data))]

    run.maps.append((name, on_numbers))
    return run.fork.variable(("a", max([v[1] for v in answers]), name, len(run.maps)))


def moved(run: Run, name: str, items: list[Any], on_numbers: Callable[[list[float]], list[float]]) -> list[Any] | None:
    """Sorted or clipped answers: new unknowns, which one person changes by no more, in the same direction."""
    answers = [answer_in(x) for x in items]
    known = None in answers or len(set(answers)) < len(items) or run.fork is None
    if known or (name == "sorted" and len(items) != run.count and run.always is None):
        return None
    run.maps.append((name, on_numbers))
    assert run.fork is not None
    return [run.fork.variable(("a", v[1], name, len(run.maps))) for v in answers]


def _ordered(run: Run, items: list[Any]) -> list[Any]:
    made = moved(run, "sorted", items, sorted)
    if made is not None:
        return made
    found: list[Any] = []
    for one in items:
        k = len(found)
        while k and compare(run, "Lt", one, found[k - 1]):
            k -= 1
        found.insert(k, one)
    return found


def _clip(run: Run, x: Any, low: Any, high: Any) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "clip", low, high)
    if not (_plain(low) and _plain(high)):
        raise run.stop("It clips to limits that are no numbers")
    items = x.items if isinstance(x, Row) else list(x) if isinstance(x, _LISTS) else [x]
    made = moved(run, "clip", items, lambda data: [min(max(y, low), high) for y in data])
    if made is None:
        made = [call_max(run, "min", call_max(run, "max", y, low), high) for y in items]
    return Row(made) if isinstance(x, _LISTS) else made[0]


def call_max(run: Run, name: str, *given: Any) -> Any:
    """The largest or smallest of some."""
    return BUILTINS[name].do(run, *given)


def _int(run: Run, x: Any = 0) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "int")
    if not isinstance(x, (bool, int, float)):
        raise run.stop("It makes a whole number of an unknown, or of what is no number")
    return int(x)


def _float(run: Run, x: Any = 0.0) -> Any:
    if isinstance(x, (Form, Abstract)):
        return x if isinstance(x, Form) else x.call(run, "float")
    if not isinstance(x, (bool, int, float)):
        raise run.stop("It makes a number of what is none")
    return float(x)


def _str(run: Run, x: Any = "") -> str:
    if not isinstance(x, (bool, int, str)):
        raise run.stop("It makes a text of a number")
    return str(x)


def _round(run: Run, x: Any, digits: Any = None) -> Any:
    if not isinstance(x, (bool, int, float)):
        raise run.stop("It rounds an unknown")
    return round(x) if digits is None else round(x, digits)


def _pow(run: Run, x: Any, y: Any) -> Any:
    return binary(run, "Pow", x, y)


def _range(run: Run, *limits: Any) -> Any:
    if any([isinstance(x, Abstract) for x in limits]):
        return next(x for x in limits if isinstance(x, Abstract)).call(run, "range", *limits)
    if not all([type(x) is int for x in limits]):
        raise run.stop("It counts to what is no whole number")
    return range(*limits)


def _list(run: Run, x: Any = ()) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "list")
    return run.new_list(items_of(run, x))


def _tuple(run: Run, x: Any = ()) -> Any:
    return x.call(run, "list") if isinstance(x, Abstract) else tuple(items_of(run, x))


def _iter(run: Run, x: Any) -> Any:
    return x.call(run, "iter") if isinstance(x, Abstract) else x if isinstance(x, Iter) else Iter(iterate(run, x))


def _abs(run: Run, x: Any) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "abs")
    if isinstance(x, Row):
        return Row([_abs(run, y) for y in x.items])
    if type(x) is bool or not isinstance(x, (bool, int, float, Form)):
        raise run.stop("It takes the size of what is no number")
    return abs(x)


def _dict(run: Run, *given: Any) -> Table:
    if given:
        raise run.stop("It makes a dictionary of something")
    return Table([])


_ERRORS = "Exception ValueError RuntimeError StopIteration IndexError KeyError LookupError TypeError ZeroDivisionError"
BUILTINS: dict[str, Any] = {
    "len": length, "abs": _abs, "max": _extreme("max"), "min": _extreme("min"), "sum": _sum, "any": _any, "all": _all,
    "enumerate": _enumerate, "zip": _zip, "map": _map, "filter": _filter, "next": _next, "iter": _iter, "int": _int,
    "float": _float, "str": _str, "bool": truth, "round": _round, "pow": _pow, "range": _range, "list": _list,
    "tuple": _tuple, "dict": _dict, "sorted": lambda run, x: _in_order(run, x),
    "reversed": lambda run, x: Iter(iter(items_of(run, x)[::-1])),
}  # fmt: skip
BUILTINS = {name: Native(name, do) for name, do in BUILTINS.items()}
BUILTINS.update([(name, Error(name)) for name in _ERRORS.split()])
BUILTINS["object"] = Class("object", None, {})


def _in_order(run: Run, x: Any) -> Any:
    return x.call(run, "sorted") if isinstance(x, Abstract) else run.new_list(_ordered(run, items_of(run, x)))


def called(run: Run, function: Any, *given: Any) -> Any:
    """The same where it is not known who waits for it."""
    run.held += 1
    found = call(run, function, *given)
    run.held -= 1
    return found


def call(run: Run, function: Any, *given: Any, **options: Any) -> Any:
    """Call a function, a method or a class."""
    if isinstance(function, Native):
        try:
            return function.do(run, *given, **options)
        except TypeError as error:
            raise run.stop(f"It calls {function.name} in a way that is not read ({error})") from error
    if isinstance(function, Function):
        return function.code.called(run, function, given, options)
    if isinstance(function, Class):
        one = Instance(function)
        method = found_in(function, "__init__")
        if method is not None:
            call(run, method, one, *given, **options)
        elif given or options:
            raise run.stop(f"It makes a {function.name} of something")
        return one
    if isinstance(function, Error):
        return function
    raise run.stop("It calls what is no function")


# Attributes and methods


def found_in(kind: Any, name: str) -> Any:
    """What a class has under a name, or what it is made of."""
    while isinstance(kind, Class):
        if name in kind.names:
            return kind.names[name]
        kind = kind.base
    return None


def attribute(run: Run, x: Any, name: str) -> Any:
    """What ``x.name`` is."""
    if name.startswith("__"):
        raise run.stop(f"It uses .{name}, which is not read")
    if isinstance(x, Room):
        if name not in x.has:
            raise run.stop(f"It uses {x.words}.{name}, which is not read")
        return x.has[name]
    if isinstance(x, Generator):
        return x.method(run, name)
    if isinstance(x, Instance):
        if name in x.names:
            return x.names[name]
        found = found_in(x.of, name)
        if isinstance(found, Function):
            return Native(name, lambda run, *given, **options: call(run, found, x, *given, **options), x)
        if found is None:
            raise Raised(Error("AttributeError"), f"no {name}")
        return found
    if isinstance(x, Abstract):
        if name in ("size", "shape", "ndim"):
            return x.call(run, name)
        return Native(name, lambda run, *given, **options: x.call(run, name, *given, **options), x)
    if isinstance(x, Row) and name in ("size", "shape", "ndim"):
        return 1 if name == "ndim" else len(x.items) if name == "size" else (len(x.items),)
    kind = "row" if isinstance(x, Row) else type(x).__name__
    if kind == "Form" or kind == "float" or kind == "int" or kind == "bool":
        kind = "number"
    method = METHODS.get(kind, {}).get(name)
    if method is None:
        raise run.stop(f"It uses .{name}, which is not read")
    return Native(name, lambda run, *given, **options: method(run, x, *given, **options), x)


def _pop(run: Run, x: list[Any], place: int = -1) -> Any:
    if not -len(x) <= place < len(x):
        raise Raised(Error("IndexError"), "pop from an empty list")
    return x.pop(place)


def _index_of(run: Run, x: Any, one: Any) -> int:
    for k, y in enumerate(x):
        if compare(run, "Eq", y, one):
            return k
    raise Raised(Error("ValueError"), "not in the list")


def _count(run: Run, x: Any, one: Any) -> int:
    return len([y for y in list(x) if compare(run, "Eq", y, one)])


def _get(run: Run, x: Table, key: Any, default: Any = None) -> Any:
    return index(run, x, key) if contains(run, x, key) else default


def _setdefault(run: Run, x: Table, key: Any, default: Any = None) -> Any:
    if not contains(run, x, key):
        x.pairs.append([key, default])
    return index(run, x, key)


def _joined(run: Run, x: str, parts: Any) -> str:
    found = items_of(run, parts)
    if not all([isinstance(y, str) for y in found]):
        raise run.stop("It joins what are no texts")
    return x.join(found)


def _remove(run: Run, x: list[Any], one: Any) -> None:
    del x[_index_of(run, x, one)]


def _cumsum(run: Run, x: Any) -> Row:
    total, found = 0, []
    for y in row(run, x).items:
        total = binary(run, "Add", total, y)
        found.append(total)
    return Row(alike(run, found))


def _places(run: Run, x: Any) -> Row:
    return Row([k for k, y in enumerate(row(run, x).items) if truth(run, y)])


def _arg(name: str) -> Callable[..., int]:
    op = "Gt" if name == "argmax" else "Lt"

    def do(run: Run, x: Any) -> int:
        items, best = row(run, x).items, 0
        if not items:
            raise Raised(Error("ValueError"), "of nothing")
        for k, y in enumerate(items):
            if compare(run, op, y, items[best]):
                best = k
        return best

    return do


def _astype(run: Run, x: Row, kind: Any) -> Row:
    return Row([call(run, kind, y) for y in x.items])


def _mean(run: Run, x: Any) -> Any:
    items = row(run, x).items
    return binary(run, "Div", _sum(run, x), len(items))


METHODS: dict[str, dict[str, Callable[..., Any]]] = {
    "list": {
        "append": lambda run, x, one: x.append(one),
        "extend": lambda run, x, more: x.extend(items_of(run, more)),
        "insert": lambda run, x, place, one: x.insert(place, one),
        "copy": lambda run, x: list(x),
        "pop": _pop,
        "index": _index_of,
        "count": _count,
        "remove": _remove,
    },
    "tuple": {"index": _index_of, "count": _count},
    "str": {
        "count": lambda run, x, one: x.count(one),
        "endswith": lambda run, x, end: x.endswith(end),
        "startswith": lambda run, x, begin: x.startswith(begin),
        "join": _joined,
    },
    "Table": {
        "get": _get,
        "setdefault": _setdefault,
        "keys": lambda run, x: [pair[0] for pair in x.pairs],
        "values": lambda run, x: [pair[1] for pair in x.pairs],
        "items": lambda run, x: [tuple(pair) for pair in x.pairs],
    },
    "number": {"item": lambda run, x: x},
    "row": {
        "sum": _sum,
        "any": _any,
        "all": _all,
        "max": _extreme("max"),
        "min": _extreme("min"),
        "mean": _mean,
        "argmax": _arg("argmax"),
        "argmin": _arg("argmin"),
        "cumsum": _cumsum,
        "nonzero": lambda run, x: (_places(run, x),),
        "tolist": lambda run, x: list(x.items),
        "copy": lambda run, x: Row(list(x.items)),
        "flatten": lambda run, x: Row(list(x.items)),
        "ravel": lambda run, x: x,
        "astype": _astype,
    },
}


# numpy and math


def row(run: Run, x: Any) -> Row:
    """An array of something."""
    if isinstance(x, Row):
        return x
    if not isinstance(x, (list, tuple, range)):
        raise run.stop("It makes an array of what is no list")
    return Row(alike(run, list(x)))


def _array(run: Run, x: Any, dtype: Any = None) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "array", *(() if dtype is None else (dtype,)))
    if isinstance(x, Row) or not isinstance(x, (list, tuple, range)):
        found = Row(list(x.items)) if isinstance(x, Row) else alike(run, [x])[0]
    else:
        found = row(run, x)
    return found if dtype is None or not isinstance(found, Row) else _astype(run, found, dtype)


def _asarray(run: Run, x: Any, dtype: Any = None) -> Any:
    return x if isinstance(x, Row) and dtype is None else _array(run, x, dtype)


def _filled(value: Any) -> Callable[..., Any]:
    def do(run: Run, size: Any, dtype: Any = None) -> Any:
        return _full(run, size, value if dtype is None else call(run, dtype, value))

    return do


def _full(run: Run, size: Any, value: Any, dtype: Any = None) -> Any:
    size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
    value = value if dtype is None else call(run, dtype, value)
    if isinstance(size, Abstract):
        return size.call(run, "full", value)
    if type(size) is not int or not 0 <= size <= _LONGEST:
        raise run.stop("It makes an array of another shape")
    return Row(alike(run, [value] * size))


def _like(make: Callable[..., Any]) -> Callable[..., Any]:
    def do(run: Run, x: Any, *given: Any, **options: Any) -> Any:
        if not given and "dtype" not in options and isinstance(x, Row) and type((x.items + [0.0])[0]) is bool:
            options["dtype"] = BUILTINS["bool"]
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


def _of_plain(name: str) -> Callable[[Run, Any], Any]:
    def do(run: Run, x: Any) -> Any:
        if isinstance(x, Form) and name == "log":
            return x.fork.part_of_a_draw("log", x)
        if not isinstance(x, (bool, int, float)) or type(x) is bool:
            raise run.stop(f"It takes {name} of a number that it does not know")
        try:
            return getattr(math, name)(x)
        except (ValueError, OverflowError) as error:
            raise run.stop(f"It takes {name} of {x}") from error

    return do


def _sign(run: Run, x: Any) -> Any:
    if isinstance(x, Form):
        return x.fork.part_of_a_draw("sign", x)
    if not _plain(x):
        raise run.stop("It takes the sign of what is no number")
    return (x > 0) - (x < 0)


def _two(name: str, do: Callable[[Run, Any, Any], Any]) -> Callable[..., Any]:
    """The same with each pair of elements."""

    def of(run: Run, x: Any, y: Any) -> Any:
        for one in (x, y):
            if isinstance(one, Abstract):
                return one.call(run, name, x, y)
        lists = [one for one in (x, y) if isinstance(one, _LISTS)]
        if not lists:
            return do(run, x, y)
        count = length(run, lists[0])
        rows = [row(run, one).items if isinstance(one, _LISTS) else [one] * count for one in (x, y)]
        if len(rows[0]) != len(rows[1]):
            raise run.stop("It puts arrays of different lengths together")
        return Row(alike(run, [do(run, a, b) for a, b in zip(rows[0], rows[1])]))

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
        return (_places(run, which),)
    if not isinstance(which, _LISTS):
        return both[0] if truth(run, which) else both[1]
    truths = row(run, which).items
    yes, no = (row(run, x).items if isinstance(x, _LISTS) else [x] * len(truths) for x in both)
    if not len(yes) == len(no) == len(truths):
        raise run.stop("It puts arrays of different lengths together")
    return Row(alike(run, [y if truth(run, t) else n for t, y, n in zip(truths, yes, no)]))


def _searchsorted(run: Run, x: Any, one: Any, side: str = "left") -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "searchsorted", one)
    items = row(run, x).items
    if isinstance(one, _LISTS) or side != "left" or any([isinstance(y, Form) for y in items]):
        raise run.stop("It looks for places in an array in a way that is not read")
    return len([y for y in items if compare(run, "Lt", y, one)])


def _concatenate(run: Run, parts: Any) -> Row:
    return Row(alike(run, [y for part in items_of(run, parts) for y in row(run, part).items]))


def _resize(run: Run, x: Any, size: Any) -> Row:
    items = row(run, x).items
    if type(size) is not int or not items or not 0 <= size <= _LONGEST:
        raise run.stop("It makes an array of another shape")
    return Row([items[k % len(items)] for k in range(size)])


def _of_list(name: str, do: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is a method too."""

    def of(run: Run, x: Any, *given: Any, **options: Any) -> Any:
        if isinstance(x, Abstract):
            return x.call(run, name, *given, **options)
        return do(run, row(run, x), *given, **options)

    return of


_PLAIN = "sqrt exp log log1p expm1 floor ceil"
_ORDERED = {"greater": "Gt", "greater_equal": "GtE", "less": "Lt", "less_equal": "LtE", "equal": "Eq"}
_CALCULATED = {"add": "Add", "subtract": "Sub", "multiply": "Mult", "divide": "Div", "power": "Pow"}
_NUMPY: dict[str, Any] = {
    "abs": _abs, "absolute": _abs, "array": _array, "asarray": _asarray, "zeros": _filled(0.0), "ones": _filled(1.0),
    "full": _full, "empty": _filled(0.0), "zeros_like": _like(_filled(0.0)), "ones_like": _like(_filled(1.0)),
    "full_like": _like(_full), "where": _where, "clip": _clip, "searchsorted": _searchsorted, "resize": _resize,
    "concatenate": _concatenate, "sign": _each("sign", _sign), "append": lambda run, x, y: _concatenate(
        run, [x, y if isinstance(y, _LISTS) else [y]]),
    "arange": lambda run, *limits: _range(run, *limits) if any([isinstance(x, Abstract) for x in limits]) else Row(
        list(_range(run, *limits))),
    "sort": lambda run, x: x.call(run, "sorted") if isinstance(x, Abstract) else Row(_ordered(run, row(run, x).items)),
    "flatnonzero": _of_list("flatnonzero", _places), "nonzero": _of_list("nonzero", METHODS["row"]["nonzero"]),
    "count_nonzero": _of_list("count_nonzero", lambda run, x: len(_places(run, x).items)),
    "maximum": _two("maximum", lambda run, x, y: call_max(run, "max", x, y)),
    "minimum": _two("minimum", lambda run, x, y: call_max(run, "min", x, y)),
    "logical_and": _two("logical_and", _truths("BitAnd")), "logical_or": _two("logical_or", _truths("BitOr")),
    "logical_not": _each("logical_not", lambda run, x: opposite(run, "Not", x)),
    "negative": _each("negative", lambda run, x: opposite(run, "USub", x)),
}  # fmt: skip
_OF_ROWS = "any all argmax argmin cumsum mean"
_NUMPY.update([(name, _of_list(name, METHODS["row"][name])) for name in _OF_ROWS.split()])
_NUMPY.update([(name, _of_list("sum" if name == "sum" else name[-3:], METHODS["row"][name[-3:]])) for name in
               ["sum", "max", "min", "amax", "amin"]])  # fmt: skip
_NUMPY.update([(name, _each(name, _of_plain(name))) for name in _PLAIN.split()])


def _by_sign(name: str, do: Any, op: str) -> Any:
    return _two(name, lambda run, x, y: do(run, op, x, y))


_NUMPY.update([(name, _by_sign(name, compare, op)) for name, op in _ORDERED.items()])
_NUMPY.update([(name, _by_sign(name, binary, op)) for name, op in _CALCULATED.items()])
_NUMPY = {name: Native(f"np.{name}", do) for name, do in _NUMPY.items()}
_NUMBERS = {"inf": math.inf, "pi": math.pi, "e": math.e}
_NUMPY.update(_NUMBERS)
_NUMPY.update({"float64": BUILTINS["float"], "bool_": BUILTINS["bool"], "int64": BUILTINS["int"]})


# Noise


class Generator:
    """A generator: its draws are unknowns of the run, or on numbers new ones; ``known`` are those of a fixed seed."""

    def __init__(self, known: Any = None) -> None:
        self.known = known

    def method(self, run: Run, name: str) -> Any:
        """What it draws under a name."""
        if name == "choice":
            return Native("rng.choice", self.coin, self)
        if name not in _LAWS:
            raise run.stop(f"It draws with rng.{name}, which is not read")
        return Native(f"rng.{name}", lambda run, *given, **options: self.drawn(run, name, *given, **options), self)

    def coin(self, run: Run, items: Any, size: Any = None) -> Any:
        """One of two signs."""
        items = items.call(run, "whole") if isinstance(items, Abstract) else items
        if size is not None or not isinstance(items, (list, tuple)) or sorted(items) != [-1, 1] or self.known:
            raise run.stop("It draws with rng.choice what is no sign")
        return run.fork.coin() if run.fork is not None else 1 if random.random() < 0.5 else -1

    def drawn(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """One draw, or as many as are asked for: the location, and as much more as the scale says."""
        family, first = _LAWS[name]
        values = list(first)
        names = _NAMES[name]
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
            return binary(run, "Add", loc, self.one(run, family, scale))
        if type(count) is not int or count < 0 or count > _LONGEST:
            raise Refused(f"size must leave at most {_LONGEST:,} draws in one run, got {size!r}")
        scales = row(run, scale).items if isinstance(scale, _LISTS) else [scale] * count
        if len(scales) != count:
            raise run.stop("It puts arrays of different lengths together")
        return binary(run, "Add", loc, Row([self.one(run, family, s) for s in scales]))

    def one(self, run: Run, family: str, scale: Any) -> Any:
        """One draw around 0."""
        known = self.known if self.known is not None else run.known
        if known is not None:
            return float(getattr(known, family)()) * scale
        if run.fork is not None:
            return run.fork.draw(family, scale)
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
_ALL = ("loc", "scale", "size")
_NAMES = {
    "laplace": _ALL, "gumbel": _ALL, "normal": _ALL, "exponential": ("scale", "size"),
    "standard_exponential": ("size",), "standard_normal": ("size",), "uniform": ("low", "high", "size"),
    "random": ("size",),
}  # fmt: skip
SEEDED = "Its noise comes from a fixed seed, so that it is the same in every run and hides nothing"


def _seeded(run: Run, seed: Any) -> Any:
    if not isinstance(seed, int):
        raise run.stop("The seed of its noise depends on the answers, and so gives them away")
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

    def method(self, run: Run, name: str) -> Any:
        """A draw, or another generator."""
        if name in ("default_rng", "seed"):
            return Native(f"np.random.{name}", _default_rng if name == "default_rng" else _seed)
        return super().method(run, name)


_NUMPY["random"] = _Module()


def _rvs(family: str) -> Native:
    def do(run: Run, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, random_state: Any = None) -> Any:
        return _default_rng(run, random_state).drawn(run, family, loc, scale, size)

    def exponential(run: Run, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, random_state: Any = None) -> Any:
        return binary(run, "Add", loc, _default_rng(run, random_state).drawn(run, family, scale, size))

    return Native("rvs", exponential if family == "exponential" else do)


_STATS = {"laplace": "laplace", "expon": "exponential", "norm": "normal", "gumbel_r": "gumbel"}
_MATH: dict[str, Any] = {name: Native(f"math.{name}", _of_plain(name)) for name in _PLAIN.split()}
_MATH.update(_NUMBERS)
MODULES = {
    "numpy": Room("np", _NUMPY),
    "math": Room("math", _MATH),
    "scipy.stats": Room("scipy.stats", {name: Room(name, {"rvs": _rvs(of)}) for name, of in _STATS.items()}),
}
