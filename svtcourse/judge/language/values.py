"""What is done with values: calculating, comparing, counting, looking up.

What numpy and Python do differently with the same signs (truths that are added, arrays of several kinds) is refused.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import (
    MOST_ITEMS,
    Abstract,
    Later,
    Member,
    Native,
    NoNumber,
    Part,
    Raised,
    Record,
    Room,
    Row,
    Run,
    View,
)
from svtcourse.judge.unknowns.symbols import Form, Signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = [
    "MOST_WHOLE", "UNSURE", "adds_up", "alike", "binary", "compare", "contains", "holds", "index", "is_off", "is_plain",
    "is_unsure", "items_of", "iterate", "length", "limited", "off", "onto", "opposite", "put", "row", "truth",
]  # fmt: skip

MOST_WHOLE = 2**53  # in size, of a whole number
_LAST_DIGITS = "It hangs on the last digits of a number"
_UNKNOWN = Form, Signed
_NUMBERS = bool, int, float
_BITS = "BitAnd", "BitOr", "BitXor"
_DO: dict[str, Callable[[Any, Any], Any]] = {  # MicroPython has no module for them
    "Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mult": lambda x, y: x * y, "Div": lambda x, y: x / y,
    "FloorDiv": lambda x, y: x // y, "Mod": lambda x, y: x % y, "Pow": lambda x, y: x**y,
    "BitAnd": lambda x, y: x & y, "BitOr": lambda x, y: x | y, "BitXor": lambda x, y: x ^ y,
    "Eq": lambda x, y: x == y, "NotEq": lambda x, y: x != y, "Lt": lambda x, y: x < y, "LtE": lambda x, y: x <= y,
    "Gt": lambda x, y: x > y, "GtE": lambda x, y: x >= y,
}  # fmt: skip
_TURNED = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}


def is_plain(x: Any) -> bool:
    """Whether something is a number, and no truth."""
    return isinstance(x, (int, float)) and type(x) is not bool


def alike(run: Run, items: list[Any]) -> list[Any]:
    """What is put into one array: truths, whole numbers, or numbers of which some may be unknown."""
    if len(items) > MOST_ITEMS:
        raise run.stop("It makes an array that is too long")
    if not items:
        return items
    truths = [type(x) is bool for x in items]
    if not all([isinstance(x, (bool, int, float, Form, NoNumber)) for x in items]) or any(truths) is not all(truths):
        raise run.stop("It makes an array of other things than numbers alone, or truths alone")
    if all(truths) or all([type(x) is int for x in items]):
        return items
    given = [isinstance(x, Form) and not x.noisy for x in items]
    if any(given) and not all([isinstance(x, Form) for x in items]):
        raise run.stop("It makes an array of numbers beside answers, or a threshold, that may be whole numbers")
    return [float(x) if type(x) is int else x for x in items]


def row(run: Run, x: Any) -> Row:
    """An array of something."""
    if isinstance(x, Row):
        run.tick(len(x.items) // 20)
        return x
    if not isinstance(x, (list, tuple, range)):
        raise run.stop("It makes an array of what is no list")
    run.tick(len(x) // 20)
    if len(x) > MOST_ITEMS:
        raise run.stop("It makes an array that is too long")
    return Row(alike(run, list(x)))


def binary(run: Run, op: str, x: Any, y: Any) -> Any:
    """x + y, and what else there is, by the name of its sign."""
    if type(x) in _NUMBERS and type(y) in _NUMBERS:
        return _of_numbers(run, op, x, y)
    if isinstance(x, Abstract):
        return x.binary(run, op, y, False)
    if isinstance(y, Abstract):
        return y.binary(run, op, x, True)
    if isinstance(x, Row) or isinstance(y, Row):
        return _by_row(run, binary, op, x, y)
    if isinstance(x, _UNKNOWN) or isinstance(y, _UNKNOWN):
        return _of_unknowns(run, op, x, y)
    short = max([len(one) if isinstance(one, (list, tuple, str)) else 0 for one in (x, y)]) <= MOST_ITEMS
    if op == "Mult" and isinstance(x, (list, tuple, str)) and type(y) is int and max(y, len(x) * y) <= MOST_ITEMS:
        return run.new_list(x * y) if isinstance(x, list) else x * y
    if op == "Add" and isinstance(x, str) and isinstance(y, str) and run.always is not None:
        return run.always.letters(run, x).binary(run, op, y, False)
    if op == "Add" and type(x) is type(y) and isinstance(x, (list, tuple, str)) and short:
        return run.new_list(x + y) if isinstance(x, list) else x + y
    raise run.stop("It calculates with what is no number")


def _of_unknowns(run: Run, op: str, x: Any, y: Any) -> Any:
    for one in (x, y):
        if not isinstance(one, (bool, int, float) + _UNKNOWN):
            raise run.stop("It calculates with what is no number")
    x, y = (int(one) if type(one) is bool else one for one in (x, y))
    if op not in ("Add", "Sub", "Mult", "Div"):
        raise run.stop("It takes a power or a remainder of an unknown")
    if op == "Div" and (isinstance(y, _UNKNOWN) or not y):
        raise run.stop("It divides by a number that it does not know, or by zero")
    turned = op == "Sub" and not isinstance(x, _UNKNOWN)
    found = _DO[op](x, y) if isinstance(x, _UNKNOWN) else _DO["Add" if turned else op](-y if turned else y, x)
    if not isinstance(found, _UNKNOWN):
        raise run.stop("It takes an unknown from itself: what is left is whole where the unknown is")
    if run.unsure and op in ("Add", "Sub") and any([_cancels(one, found) for one in (x, y)]):
        raise run.stop(_LAST_DIGITS)
    return found.rounded() if is_unsure(run, x, y) and isinstance(found, Form) else found


def _cancels(one: Any, found: Any) -> bool:
    """Whether in a sum less is left of something than stood in one of its parts."""
    if not isinstance(found, Form):
        return True
    terms = one.terms if isinstance(one, Form) else {}
    left = [(f, found.terms.get(v, 0)) for v, f in terms.items()]
    left.append((one.constant if isinstance(one, Form) else one, found.constant))
    return any([abs(float(now)) < abs(float(f)) for f, now in left])


def _of_numbers(run: Run, op: str, x: Any, y: Any) -> Any:
    truths = (type(x) is bool) + (type(y) is bool)
    if truths and not (truths == 2 and op in _BITS):
        if truths == 2 or op not in ("Add", "Sub", "Mult"):
            raise run.stop("It calculates with truths, of which Python makes numbers where numpy does not")
        x, y = (int(one) if type(one) is bool else one for one in (x, y))
    odd = (
        (op in ("Div", "FloorDiv", "Mod") and not y)
        or (op in _BITS and float in (type(x), type(y)))
        or (op == "Pow" and (x < 0 or x - x != 0 or y - y != 0 or (type(x) is type(y) is int and not 0 <= y <= 64)))
        or op not in _DO
    )
    if odd:
        raise run.stop("It divides by zero, or calculates in a way that is not read")
    try:
        found = _DO[op](x, y)
    except (OverflowError, ZeroDivisionError):
        found = float("inf")
    whole = type(found) is int
    large = abs(found) > MOST_WHOLE if whole else op in ("Add", "Sub") and abs(found) >= MOST_WHOLE  # 0.0 may be a 0
    if found - found != 0 or large:
        raise run.stop("It calculates with numbers that run over")
    power = op == "Pow" and type(found) is float and not (x == int(x) and y == int(y) >= 0 and found < MOST_WHOLE)
    if power or (run.unsure and is_unsure(run, x, y)):
        _carried(run, op, x, y, float(found))
    return found


# Last digits: exponentials, logarithms, powers and long sums have others on another processor, or in another release.

UNSURE = 1e-15  # part by which such a number may be off
_MOST_UNSURE = 1e-9


def _carried(run: Run, op: str, x: Any, y: Any, found: float) -> None:
    """By how much a number may be off that was made of such numbers."""
    by = [off(run, one) for one in (x, y)]
    if op in ("Add", "Sub"):
        apart = by[0] + by[1]
    elif op in ("Mult", "Div", "Pow") and not (op == "Pow" and by[1]):
        parts = [one / abs(number) if one else 0.0 for one, number in zip(by, (x, y))]
        apart = abs(found) * (parts[0] * (max(1.0, abs(y)) if op == "Pow" else 1.0) + parts[1])
    else:
        raise run.stop(_LAST_DIGITS)
    is_off(run, found, apart + UNSURE * abs(found))


def adds_up(numbers: list[Any]) -> bool:
    """Whether a sum is exact in any order: of whole numbers, or of whole numbers of small parts."""
    size = 1024 * sum([abs(x) for x in numbers])
    exact = size < MOST_WHOLE and all([1024 * x == int(1024 * x) for x in numbers])
    return exact or not any([type(x) is float for x in numbers])


def off(run: Run, x: Any) -> float:
    """By how much a number may be off."""
    return run.unsure.get(x, 0.0) if type(x) is float else 0.0


def is_off(run: Run, x: Any, by: float) -> Any:
    """The number, of which it is kept by how much it may be off; not read where that is much."""
    if by and by > _MOST_UNSURE * abs(x):
        raise run.stop(_LAST_DIGITS)
    if by:
        run.unsure[x] = max(by, run.unsure.get(x, 0.0))
    return x


def is_unsure(run: Run, *numbers: Any) -> bool:
    """Whether a number may be off."""
    return any([off(run, x) > 0 for x in numbers])


def _by_row(run: Run, do: Callable[..., Any], op: str, x: Any, y: Any) -> Row:
    """The same with each element of a row."""
    if isinstance(x, (list, tuple, str)) or isinstance(y, (list, tuple, str)):
        raise run.stop("It calculates with an array and a list")
    if op == "Pow":
        return Row(_powers(run, x, y))
    sizes = [len(one.items) for one in (x, y) if isinstance(one, Row)]
    if len(sizes) == 2 and sizes[0] != sizes[1]:
        raise run.stop("It puts arrays of different lengths together")
    run.tick(sizes[0] // 20)
    xs, ys = (one.items if isinstance(one, Row) else [one] * sizes[0] for one in (x, y))
    made = Row([])
    for a, b in zip(xs, ys):
        made.items.append(do(run, op, a, b))
        if do is compare:
            run.grows(made, 1)
    made.items = alike(run, made.items)
    return made


def _powers(run: Run, x: Any, y: Any) -> list[Any]:
    """Of an array of numbers, as numpy rounds them, which is not always as Python does."""
    try:
        import numpy
    except ImportError:
        raise run.stop("It takes a power of an array")  # noqa: B904  (a page, where there is no numpy)
    if not isinstance(x, Row) or type(y) is not float or not all([is_plain(one) and one > 0 for one in x.items]):
        raise run.stop("It takes a power of an array in a way that is not read")
    found: list[Any] = (numpy.array(x.items, dtype=float) ** y).tolist()
    if is_unsure(run, *x.items):
        raise run.stop(_LAST_DIGITS)
    return [is_off(run, one, UNSURE * abs(one)) for one in found]


def onto(run: Run, op: str, x: Any, y: Any) -> Any:
    """What ``x += y`` makes of x: a list is lengthened where it is."""
    if isinstance(x, list) and op == "Add" and isinstance(y, (list, tuple)):
        x.extend(y)
        run.tick(len(y) // 20)
        run.grows(x, len(y))
        return x
    if isinstance(x, Abstract):
        return x.onto(run, op, y)
    if isinstance(x, (list, Row)):
        raise run.stop("It changes a list or an array under all its names")
    return binary(run, op, x, y)


def compare(run: Run, op: str, x: Any, y: Any) -> Any:
    """x < y, and what else there is, by the name of its sign."""
    single = x.alone if isinstance(x, Abstract) else not isinstance(x, Row)
    if isinstance(y, Member) and op in ("Is", "IsNot") and single:
        op = "Eq" if op == "Is" else "NotEq"  # there is one of each
    if op in ("Is", "IsNot"):
        if y is not None or isinstance(x, (Abstract, Native)):
            if isinstance(x, Abstract) and y is None:
                return x.compare(run, op, y, False)
            raise run.stop("It asks whether two things are the same object (is)")
        return (x is None) is (op == "Is")
    if op in ("In", "NotIn"):
        return contains(run, y, x) is (op == "In")
    if isinstance(x, Abstract):
        return x.compare(run, op, y, False)
    if isinstance(y, Abstract):
        return y.compare(run, op, x, True)
    if isinstance(x, Row) or isinstance(y, Row):
        return _by_row(run, compare, op, x, y)
    if (
        op in ("Eq", "NotEq")
        and isinstance(x, Member)
        and (y is None or isinstance(y, (bool, int, float, str, Member)))
    ):
        return (x is y) is (op == "Eq")
    if isinstance(x, Form) and isinstance(y, (bool, int, float, Form)):
        return _DO[op](x, y)
    if isinstance(y, Form) and isinstance(x, (bool, int, float)):
        return _DO[_TURNED[op]](y, x)
    if isinstance(x, (bool, int, float)) and isinstance(y, (bool, int, float)):
        if x is not y and x != y and abs(x - y) <= 1e-12 * abs(x) < 1e300:
            raise run.stop(_LAST_DIGITS)
        apart = 4 * (off(run, x) + off(run, y)) if run.unsure else 0.0
        if apart and abs(x - y) <= apart:
            raise run.stop(_LAST_DIGITS)
        return _DO[op](x, y)
    known = [one is None or isinstance(one, (bool, int, float, str)) for one in (x, y)]
    if op in ("Eq", "NotEq") and all(known):
        return (x == y) is (op == "Eq")
    if op in ("Eq", "NotEq") and type(x) is type(y) and isinstance(x, (list, tuple)):
        run.tick(1 + min(len(x), len(y)) // 20)
        same = len(x) == len(y) and all([holds(run, "Eq", a, b) for a, b in zip(x, y)])
        return same is (op == "Eq")
    raise run.stop("It compares what is no number")


def limited(x: Any, low: Any, high: Any) -> Any:
    """An answer, or one that has limits already, between two numbers; None of anything else."""
    if not isinstance(x, Form) or len(x.terms) != 1 or x.constant or not (is_plain(low) and is_plain(high)):
        return None
    (variable,) = x.terms
    if x.made != x.fork.way(variable) or variable[0] != "a" or len(variable) not in (2, 5):
        return None
    if len(variable) == 5:
        low, high = max(low, variable[3]), min(high, variable[4])
    if not low <= high or low == float("inf") or high == -float("inf"):
        return None
    x.fork.limits.append((low, high))
    return x.fork.variable(variable[:2] + ("clipped", float(low), float(high)))


def holds(run: Run, op: str, x: Any, y: Any) -> bool:
    """The same, where it is asked whether it is so: of arrays it is not known."""
    return truth(run, compare(run, op, x, y))


def contains(run: Run, items: Any, one: Any) -> bool:
    """Whether something is in a list or a text."""
    if isinstance(items, Abstract):
        return items.contains(run, one)
    if isinstance(items, str) and isinstance(one, str):
        return one in items
    if isinstance(items, Record) and type(one) in (str, int):
        return one in items.names
    if not isinstance(items, (list, tuple, Row, View)):
        raise run.stop("It asks whether something is in what is no list")
    every = list(items.items if isinstance(items, Row) else iterate(run, items))
    run.tick(len(every) // 20)
    return any(holds(run, "Eq", x, one) for x in every)


def opposite(run: Run, op: str, x: Any) -> Any:
    """-x, +x, ~x or not x."""
    if op == "Not":
        return not truth(run, x)
    if isinstance(x, Abstract):
        return x.opposite(run, op)
    if isinstance(x, Row):
        run.tick(len(x.items) // 20)
        if op == "Invert" and all([type(y) is bool for y in x.items]):
            return Row([not y for y in x.items])
        return Row([opposite(run, op, y) for y in x.items])
    if op == "Invert" or not (is_plain(x) or isinstance(x, _UNKNOWN)):
        raise run.stop("It turns a truth around with ~ or -, of which Python makes a number where numpy does not")
    return is_off(run, -x, off(run, x)) if op == "USub" else x


def truth(run: Run, x: Any) -> bool:
    """Whether something counts as true."""
    if x is True or x is False:
        return x
    if isinstance(x, Abstract):
        return x.truth(run)
    if isinstance(x, (Member, Room)):  # a generator, a log or a module
        return True
    if x is None or isinstance(x, (int, float, str, list, tuple)):
        return bool(x)
    raise run.stop("It makes a truth of an unknown, an array or an object")


def length(run: Run, x: Any) -> Any:
    """What ``len(x)`` is."""
    if isinstance(x, Abstract):
        return x.length(run)
    if isinstance(x, (Record, View)):
        return len(x.names if isinstance(x, Record) else x.of.names)
    if not isinstance(x, (list, tuple, str, range, Row)):
        raise run.stop("It asks for the length of what is no list")
    return len(x.items if isinstance(x, Row) else x)


def index(run: Run, x: Any, place: Any) -> Any:
    """What ``x[place]`` is."""
    if isinstance(x, Abstract):
        return x.index(run, place)
    if isinstance(x, Row) and isinstance(place, Row):
        return _some(run, x, place.items)
    if isinstance(x, Record) and type(place) in (str, int):
        if place not in x.names and x.counts:
            return 0
        if place not in x.names:
            raise Raised("KeyError", "no such key")
        if isinstance(x.names[place], Abstract):
            x.names[place].look(run)
        return x.names[place]
    items = x.items if isinstance(x, Row) else x
    limits = (place.start, place.stop, place.step) if isinstance(place, Part) else (place,)
    plain = all([type(k) is int or (k is None and len(limits) > 1) for k in limits]) and limits[2:] != (0,)
    if isinstance(place, Abstract) and isinstance(x, tuple):
        return place.index(run, x)
    if not isinstance(items, (list, tuple, str)) or not plain:
        raise run.stop("It looks for a place in what is no list, or one that it does not know")
    if not isinstance(place, Part):
        try:
            return items[place]
        except IndexError as error:
            raise Raised("IndexError", "index out of range") from error
    found: Any = items[place.start : place.stop] if place.step is None else items[place.start : place.stop : place.step]
    run.tick(len(found) // 20)
    if isinstance(x, Row):
        x.empty = False  # in numpy both are one array: neither is filled from here on
        part = Row(found)
        return run.same(x, part) if place.start is None and place.step is None else part
    return run.new_list(found) if isinstance(x, list) else found


def _some(run: Run, x: Row, places: list[Any]) -> Row:
    """Some elements of a row, by their truths or their places."""
    run.tick(len(places) // 20)
    if places and all([type(k) is bool for k in places]):
        if len(places) != len(x.items):
            raise run.stop("It puts arrays of different lengths together")
        return Row([y for y, keep in zip(x.items, places) if keep])
    return Row([index(run, x.items, k) for k in places])


def put(run: Run, x: Any, place: Any, value: Any) -> None:
    """Do ``x[place] = value``."""
    if isinstance(x, Abstract):
        x.put(run, place, value)
        return
    if isinstance(x, Record) and type(place) in (str, int):
        if x.closed:
            raise run.stop("It changes a dictionary that it has shown")
        x.names[place] = value
        return
    items = x.items if isinstance(x, Row) else x
    if not isinstance(items, list) or type(place) is not int or (isinstance(x, Row) and not x.empty):
        raise run.stop("It sets more than one place, or a place of what it did not make empty")
    if not -len(items) <= place < len(items):
        raise Raised("IndexError", "index out of range")
    if isinstance(x, Row):
        kind = type(items[place])
        value = float(value) if kind is float and type(value) is int else value
        if kind in (float, Form) and not x.floats:
            raise run.stop("It puts a number into an array that is perhaps one of whole numbers; next: dtype=float")
        if type(value) is not kind and not (kind is float and isinstance(value, Form)):
            raise run.stop("It puts something into an array of another kind")
    items[place] = value
    run.grows(x, -1)


def iterate(run: Run, x: Any) -> Iterator[Any]:
    """What a loop goes through, that is not of unknown length."""
    if isinstance(x, Row):
        return iter(x.items)
    if isinstance(x, View):
        return x.each(run)
    if not isinstance(x, (list, tuple, str, range)):
        raise run.stop("It goes through what is no list")
    if isinstance(x, list):
        return (one for one in x)  # at its end for good: in MicroPython a list's own iterator goes on when it grows
    return iter(x)


def items_of(run: Run, x: Any) -> list[Any]:
    """All elements, one after the other."""
    found: list[Any] = []
    if isinstance(x, Later) and run.always is not None:
        raise run.stop("it goes through what is made meanwhile")
    for one in x.items if isinstance(x, Later) else iterate(run, x):
        found.append(one)
        if len(found) > MOST_ITEMS:
            raise run.stop("It makes a list that is too long")
    run.tick(len(found) // 20)
    return found
