"""What a program finds ready made: the language's own functions, methods, numpy, math, and generators of noise.

Each is a `Native` that is given the run; what it is not listed for is refused by name.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import (
    A_TURN,
    Abstract,
    Class,
    Error,
    Function,
    Instance,
    Iter,
    Native,
    Property,
    Raised,
    Room,
    Row,
    Run,
    Table,
)
from svtcourse.judge.language.ordering import ordered, stable
from svtcourse.judge.language.values import (
    MOST_WHOLE,
    alike,
    binary,
    contains,
    holds,
    index,
    iterate,
    length,
    truth,
    waiting,
)
from svtcourse.judge.unknowns.ratio import exact_sum
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = [
    "BUILTINS",
    "METHODS",
    "appended",
    "attribute",
    "call",
    "call_max",
    "called",
    "found_in",
    "items_of",
    "places",
    "row",
]

_LONGEST = 20_000
_LISTS = list, tuple, Row


def items_of(run: Run, x: Any) -> list[Any]:
    """All elements, one after the other."""
    if isinstance(x, Abstract):
        return items_of(run, x.call(run, "whole"))
    if isinstance(x, range):
        run.fits(len(x))
    if not isinstance(x, Iter):
        return list(iterate(run, x))
    found: list[Any] = []
    for one in x.items:
        found.append(one)
        if len(found) % A_TURN == 0:
            run.fits(len(found))
    return found


# Functions of the language


def _enumerate(run: Run, x: Any, start: Any = 0) -> Any:
    if type(start) is not int:
        raise run.stop("It counts from what is no whole number")
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
    items = items_of(run, x)
    run.works(len(items))
    for one in items:
        total = binary(run, "Add", total, one)
    odd = [one for one in items if type(one) is float and not (abs(one) <= MOST_WHOLE and one == int(one))]
    far = any([one - one != 0 for one in odd]) or (odd and len(items) > 7)  # numpy adds every eighth number together
    if type(total) is float and (far or total != exact_sum([start] + items)):
        raise run.stop("It adds up numbers so that it depends on their order how they round")
    return total


def _asked(name: str) -> Callable[..., bool]:
    """Any or all: whether an element, or none, counts as that."""

    def do(run: Run, x: Any) -> bool:
        if isinstance(x, Abstract):
            return truth(run, x.call(run, name))
        for one in iterate(run, x):
            run.tick()
            if truth(run, one) is (name == "any"):
                return name == "any"
        return name == "all"

    return do


def _extreme(name: str) -> Callable[..., Any]:
    op = "Gt" if name == "max" else "Lt"

    def do(run: Run, *given: Any) -> Any:
        items = list(given) if len(given) > 1 else items_of(run, given[0]) if given else []
        if not items:
            raise Raised(Error("ValueError"), "of nothing")
        run.works(len(items))
        made = stable(run, name, items)
        if made is not None:
            return made
        best = items[0]
        for one in items[1:]:
            if holds(run, op, one, best):
                best = one
        return best

    return do


def call_max(run: Run, name: str, *given: Any) -> Any:
    """The largest or smallest of some."""
    return BUILTINS[name].do(run, *given)


def _int(run: Run, x: Any = 0) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "int")
    if not isinstance(x, (bool, int, float)):
        raise run.stop("It makes a whole number of an unknown, or of what is no number")
    if not abs(x) <= MOST_WHOLE:
        raise run.stop("It makes a whole number of one that is too large")
    return int(x)


def _float(run: Run, x: Any = 0.0) -> Any:
    if isinstance(x, (Form, Abstract)):
        return x if isinstance(x, Form) else x.call(run, "float")
    if not isinstance(x, (bool, int, float)):
        raise run.stop("It makes a number of what is none")
    return float(x)


def _range(run: Run, *limits: Any) -> Any:
    if any([isinstance(x, Abstract) for x in limits]):
        return next(x for x in limits if isinstance(x, Abstract)).call(run, "range", *limits)
    if not all([type(x) is int for x in limits]):
        raise run.stop("It counts to what is no whole number")
    if limits[2:] == (0,):
        raise Raised(Error("ValueError"), "of steps of 0")
    return range(*limits)


def _list(run: Run, x: Any = ()) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "list")
    return run.new_list(items_of(run, x))


def _tuple(run: Run, x: Any = ()) -> Any:
    return x.call(run, "tuple") if isinstance(x, Abstract) else tuple(items_of(run, x))


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


_ERRORS = """
    Exception ArithmeticError LookupError ValueError RuntimeError StopIteration IndexError KeyError TypeError
    ZeroDivisionError
"""


def _print(run: Run, *given: Any) -> None:
    if not all([isinstance(x, str) for x in given]):
        raise run.stop("It prints what it does not return")


BUILTINS: dict[str, Any] = {
    "print": _print, "len": length, "abs": _abs, "max": _extreme("max"), "min": _extreme("min"), "sum": _sum,
    "any": _asked("any"), "all": _asked("all"), "enumerate": _enumerate, "zip": _zip, "map": _map, "next": _next,
    "iter": _iter, "int": _int, "float": _float, "bool": truth, "range": _range, "list": _list, "tuple": _tuple,
    "sorted": lambda run, x: _in_order(run, x),
}  # fmt: skip
BUILTINS = {name: Native(name, do) for name, do in BUILTINS.items()}
BUILTINS.update([(name, Error(name)) for name in _ERRORS.split()])
BUILTINS["object"] = Class("object", None, {})


def _in_order(run: Run, x: Any) -> Any:
    if isinstance(x, Abstract):
        return x.call(run, "sorted").call(run, "list")
    return run.new_list(ordered(run, items_of(run, x)))


def called(run: Run, function: Any, *given: Any) -> Any:
    """The same where it is not known who waits for it."""
    run.held += 1
    try:
        found = call(run, function, *given)
    except Raised as error:
        raise run.stop(f"It ends with {error.name} where it is not known who waits for it") from error
    run.held -= 1
    return found


def whole(run: Run, items: Iterator[Any]) -> Iterator[Any]:
    """The same, where nothing inside ends it by mistake, of which Python makes another exception."""
    try:
        yield from items
    except Raised as error:
        if error.name == "StopIteration":
            raise run.stop("It takes the next of nothing inside a generator") from error
        raise


def call(run: Run, function: Any, *given: Any, **options: Any) -> Any:
    """Call a function, a method or a class."""
    if isinstance(function, Native):
        try:
            if run.always is None:
                return function.do(run, *given, **options)
            return waiting(run, given + tuple(options.values()), lambda: function.do(run, *given, **options))
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
        if not all([x is None or isinstance(x, (bool, int, float, str)) for x in given]) or options:
            raise run.stop("It raises an exception that says something of an unknown")
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
        return x.get(run, name)
    if isinstance(x, Instance):
        if name in x.names:
            return x.names[name]
        found = found_in(x.of, name)
        if isinstance(found, Function):
            return Native(name, lambda run, *given, **options: call(run, found, x, *given, **options), x)
        if isinstance(found, Property):  # in the middle of whatever asks for it
            return called(run, found, x)
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


def appended(run: Run, x: list[Any], one: Any) -> None:
    """Lengthen a list, and keep when."""
    x.append(one)
    if run.fork is not None:
        run.fork.grown.append((len(run.fork.order), x))


def _pop(run: Run, x: list[Any], place: int = -1) -> Any:
    if not -len(x) <= place < len(x):
        raise Raised(Error("IndexError"), "pop from an empty list")
    return x.pop(place)


def _index_of(run: Run, x: Any, one: Any) -> int:
    run.works(len(x))
    for k, y in enumerate(x):
        if holds(run, "Eq", y, one):
            return k
    raise Raised(Error("ValueError"), "not in the list")


def _count(run: Run, x: Any, one: Any) -> int:
    run.works(len(x))
    return len([y for y in list(x) if holds(run, "Eq", y, one)])


def _get(run: Run, x: Table, key: Any, default: Any = None) -> Any:
    return index(run, x, key) if contains(run, x, key) else default


def _joined(run: Run, x: str, parts: Any) -> str:
    found = items_of(run, parts)
    if not all([isinstance(y, str) for y in found]):
        raise run.stop("It joins what are no texts")
    return x.join(found)


def row(run: Run, x: Any) -> Row:
    """An array of something."""
    if isinstance(x, Row):
        return x
    if not isinstance(x, (list, tuple, range)):
        raise run.stop("It makes an array of what is no list")
    return Row(alike(run, list(x)))


def _cumsum(run: Run, x: Any) -> Row:
    total, found = 0, []
    for y in row(run, x).items:
        total = binary(run, "Add", total, y)
        found.append(total)
    return Row(alike(run, found))


def places(run: Run, x: Any) -> Row:
    """Where the truths of an array are."""
    return Row([k for k, y in enumerate(row(run, x).items) if truth(run, y)])


def _argmax(run: Run, x: Any) -> int:
    items, best = row(run, x).items, 0
    if not items:
        raise Raised(Error("ValueError"), "of nothing")
    for k, y in enumerate(items):
        if holds(run, "Gt", y, items[best]):
            best = k
    return best


def cast(run: Run, kind: Any, x: Any) -> Any:
    """A number as one of an array of some kind."""
    known = any([kind is BUILTINS[name] for name in ("bool", "int", "float")])
    if not known and getattr(kind, "name", "") != "np.bool_":
        raise run.stop("It makes an array of a kind that is not read")
    return call(run, kind, x)


def _astype(run: Run, x: Row, kind: Any) -> Row:
    return Row([cast(run, kind, y) for y in x.items])


def _total(run: Run, x: Any) -> Any:
    if isinstance(x, Row) and not x.items:
        raise run.stop("It takes the sum of nothing")
    return _sum(run, x)


def _extend(run: Run, x: list[Any], more: Any) -> None:
    if isinstance(more, Iter):
        raise run.stop("It lengthens a list by what may look at it meanwhile")
    x.extend(items_of(run, more))
    run.fits(len(x))


METHODS: dict[str, dict[str, Callable[..., Any]]] = {
    "list": {
        "append": lambda run, x, one: appended(run, x, one),
        "extend": _extend,
        "copy": lambda run, x: list(x),
        "pop": _pop,
        "index": _index_of,
        "count": _count,
    },
    "tuple": {"index": _index_of, "count": _count},
    "str": {
        "count": lambda run, x, one: x.count(one),
        "join": _joined,
    },
    "Table": {
        "get": _get,
    },
    "number": {"item": lambda run, x: x},
    "row": {
        "sum": _total,
        "any": _asked("any"),
        "all": _asked("all"),
        "max": lambda run, x: BUILTINS["max"].do(run, x),
        "min": lambda run, x: BUILTINS["min"].do(run, x),
        "argmax": _argmax,
        "cumsum": _cumsum,
        "nonzero": lambda run, x: (places(run, x),),
        "tolist": lambda run, x: list(x.items),
        "copy": lambda run, x: Row(list(x.items)),
        "astype": _astype,
    },
}
