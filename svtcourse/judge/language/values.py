"""The values of a program and what can be done with them: numbers, truths, texts, lists, rows, objects, unknowns.

Whatever a program does goes through one of these functions, so that nothing is done to an unknown that is not known.
Where numpy does otherwise than Python (truths, whole numbers that run over, division by zero), the run stops.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import Abstract, Error, Iter, Part, Raised, Row, Run, Table
from svtcourse.judge.unknowns.symbols import Form, Signed

try:
    import numpy  # noqa: F401

    WITH_NUMPY = True
except ImportError:  # on a page
    WITH_NUMPY = False

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


__all__ = ["alike", "binary", "compare", "contains", "index", "iterate", "length", "opposite", "put", "truth"]

MOST_WHOLE = 2**31
_LISTS = list, tuple, range
_NUMBERS = bool, int, float
_UNKNOWN = Form, Signed
_DO: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mult": lambda x, y: x * y, "Div": lambda x, y: x / y,
    "FloorDiv": lambda x, y: x // y, "Mod": lambda x, y: x % y, "Pow": lambda x, y: x**y,
    "BitAnd": lambda x, y: x & y, "BitOr": lambda x, y: x | y, "BitXor": lambda x, y: x ^ y,
    "Lt": lambda x, y: x < y, "LtE": lambda x, y: x <= y, "Gt": lambda x, y: x > y, "GtE": lambda x, y: x >= y,
    "Eq": lambda x, y: x == y, "NotEq": lambda x, y: x != y,
}  # fmt: skip
_TURNED = {"Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE", "Eq": "Eq", "NotEq": "NotEq"}
_BITS = "BitAnd", "BitOr", "BitXor"


def alike(run: Run, items: list[Any]) -> list[Any]:
    """What is put into one array: truths only, or numbers, as floats where one is or is not known."""
    run.fits(len(items))
    for x in items:
        if isinstance(x, Abstract) or not isinstance(x, (bool, int, float, Form)):
            raise run.stop("It makes an array of other things than numbers and truths")
    truths = [type(x) is bool for x in items]
    if any(truths) and not all(truths):
        raise run.stop("It puts truths beside numbers into an array")
    whole = all(truths) or all([type(x) is int for x in items])
    return items if whole else [float(x) if type(x) is int else x for x in items]


def of_kind(run: Run, made: list[Any], given: list[Any]) -> list[Any]:
    """What is made of some numbers: of the kind that one array with all of them would have."""
    return alike(run, made + given)[: len(made)]


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
    if isinstance(x, _NUMBERS) and isinstance(y, _NUMBERS):
        return _of_numbers(run, op, x, y)
    sizes = [len(one) if isinstance(one, (str, list, tuple)) else one if type(one) is int else 0 for one in (x, y)]
    run.fits(sizes[0] * sizes[1] if op == "Mult" else sizes[0] + sizes[1])
    if op == "Add" and isinstance(x, list) and isinstance(y, list):
        return run.new_list(x + y)
    if op == "Mult" and isinstance(x, list) and type(y) is int:
        return run.new_list(x * y)
    if op == "Mult" and isinstance(y, list) and type(x) is int:
        return run.new_list(y * x)
    if op == "Add" and type(x) is type(y) and isinstance(x, (str, tuple)):
        return x + y
    if op == "Mult" and isinstance(x, (str, tuple)) and type(y) is int:
        return x * y
    raise run.stop("It calculates with what is no number")


def _of_unknowns(run: Run, op: str, x: Any, y: Any) -> Any:
    for one in (x, y):
        if not isinstance(one, _UNKNOWN) and not isinstance(one, _NUMBERS):
            raise run.stop("It calculates with what is no number")
    if op not in ("Add", "Sub", "Mult", "Div"):
        raise run.stop("It takes a power or a remainder of an unknown")
    if op == "Div" and isinstance(y, _NUMBERS) and not y:
        raise run.stop("It divides by zero")
    if isinstance(x, _UNKNOWN):
        return _DO[op](x, int(y) if type(y) is bool else y)
    if op == "Div":
        raise run.stop("It divides by a number that it does not know")
    return _DO["Add" if op == "Sub" else op](-y if op == "Sub" else y, int(x) if type(x) is bool else x)


def _of_numbers(run: Run, op: str, x: Any, y: Any) -> Any:
    truths = (type(x) is bool) + (type(y) is bool)
    if truths and not (truths == 2 and op in _BITS):
        if truths == 2 or op not in ("Add", "Sub", "Mult"):
            raise run.stop("It calculates with truths, of which Python makes numbers where numpy does not")
        x, y = int(x) if type(x) is bool else x, int(y) if type(y) is bool else y
    if op in ("Div", "FloorDiv", "Mod") and not y:
        if run.fork is None:
            raise Raised(Error("ZeroDivisionError"), "division by zero")
        raise run.stop("It divides by zero")
    if op == "Pow" and (x < 0 or (y < 0 and type(x) is type(y) is int)):
        raise run.stop("It takes a power that Python and numpy understand differently")
    if op in _BITS and float in (type(x), type(y)):
        raise run.stop("It calculates with what is no whole number")
    if op not in _DO:
        raise run.stop(f"It calculates in a way that is not read ({op})")
    if op == "Pow" and type(x) is type(y) is int and y > 64 and x > 1:
        raise run.stop("It calculates with whole numbers so large that numpy's run over")
    try:
        found = _DO[op](x, y)
    except (OverflowError, ZeroDivisionError) as error:
        raise run.stop("It calculates with numbers that run over") from error
    if found != found:
        raise run.stop("It calculates with what is no number (NaN)")
    if op == "Pow" and found - found != 0 and x - x == 0:  # MicroPython has no error for it
        raise run.stop("It calculates with numbers that run over")
    if type(found) is int and abs(found) > MOST_WHOLE:
        raise run.stop("It calculates with whole numbers so large that numpy's run over")
    return found


def _by_row(run: Run, do: Callable[..., Any], op: str, x: Any, y: Any) -> Row:
    """The same with each element of a row."""
    sizes = [len(one.items if isinstance(one, Row) else one) for one in (x, y) if isinstance(one, (Row,) + _LISTS)]
    if max(sizes) != min(sizes):
        raise run.stop("It puts arrays of different lengths together")
    xs, ys = (
        one.items if isinstance(one, Row) else alike(run, list(one)) if isinstance(one, _LISTS) else [one] * sizes[0]
        for one in (x, y)
    )
    run.works(sizes[0])
    if op == "Pow" and any([type(one) is float for one in list(xs) + list(ys)]):
        return _power(run, x, y)
    return Row([do(run, op, a, b) for a, b in zip(xs, ys)])


def _power(run: Run, x: Any, y: Any) -> Row:
    """Of arrays of numbers, as numpy rounds it, which is not always as Python does."""
    for one in (x, y):
        for part in one.items if isinstance(one, Row) else [one]:
            if type(part) is not float and type(part) is not int:
                raise run.stop("It takes a power of what are no numbers")
    try:
        import numpy
    except ImportError:
        raise run.stop("It takes a power of an array, which numpy rounds otherwise than Python")  # noqa: B904
    with numpy.errstate(all="ignore"):
        found = [numpy.array(one.items) if isinstance(one, Row) else one for one in (x, y)]
        powers = (found[0] ** found[1]).tolist()
    if not all([type(one) is float and one - one == 0 for one in powers]):
        raise run.stop("It calculates with numbers that run over")
    return Row(powers)


def waiting(run: Run, values: Any, do: Callable[[], Any]) -> Any:
    """Do something for which these values wait: they belong to the state of a list that it goes through."""
    if run.always is None:
        return do()
    walking = run.always.walking
    depth = len(walking)
    walking.append(values)
    try:
        return do()
    finally:
        del walking[depth:]


def compare(run: Run, op: str, x: Any, y: Any) -> Any:
    """x < y, and what else there is, by the name of its sign."""
    if op in ("Is", "IsNot"):
        if x is not None and y is not None:
            raise run.stop("It asks whether two things are the same object (is)")
        for one in (x, y):
            if isinstance(one, Abstract) and not one.something:
                raise one.refused(run)
        return (x is y) is (op == "Is")
    if op in ("In", "NotIn"):
        return waiting(run, (x, y), lambda: contains(run, y, x)) is (op == "In")
    if isinstance(x, Abstract):
        return x.compare(run, op, y, False)
    if isinstance(y, Abstract):
        return y.compare(run, op, x, True)
    if isinstance(x, Row) or isinstance(y, Row):
        return _by_row(run, compare, op, x, y)
    numbers = [isinstance(one, (bool, int, float, Form)) for one in (x, y)]
    if all(numbers):
        if not WITH_NUMPY and not isinstance(x, Form) and not isinstance(y, Form) and _hangs_on_last_digits(x, y):
            raise run.stop("It hangs on the last digits of a number, which are not the same everywhere")
        if isinstance(y, Form) and not isinstance(x, Form):
            return _DO[_TURNED[op]](y, x)
        return _DO[op](x, y)
    if isinstance(x, str) and isinstance(y, str):
        return _DO[op](x, y)
    if op in ("Eq", "NotEq"):
        return waiting(run, (x, y), lambda: _equal(run, x, y)) is (op == "Eq")
    raise run.stop("It compares what is no number")


def _hangs_on_last_digits(x: Any, y: Any) -> bool:
    """Whether which of two numbers is larger is a matter of rounding: literals, powers and logarithms may differ."""
    near = abs(x - y) <= 1e-12 * abs(x)
    return near and (x != y or (type(x) is float and float(f"{x:.12g}") != x))


def holds(run: Run, op: str, x: Any, y: Any) -> bool:
    """The same, where it is asked whether it is so: of arrays it is not known."""
    return truth(run, compare(run, op, x, y))


def _equal(run: Run, x: Any, y: Any) -> bool:
    """Whether two things are the same that are not both numbers."""
    lists = [isinstance(one, (list, tuple)) for one in (x, y)]
    if all(lists):
        if type(x) is not type(y) or any([isinstance(one, (list, tuple, Row)) for one in list(x) + list(y)]):
            raise run.stop("It compares lists that hold lists, or are of two kinds")
        run.works(len(x))
        return len(x) == len(y) and all([holds(run, "Eq", a, b) for a, b in zip(x, y)])
    plain = [one is None or isinstance(one, (str, bool, int, float, Form)) for one in (x, y)]
    if not all(plain):
        raise run.stop("It asks whether a list or an object equals another thing")
    return x is None and y is None


def contains(run: Run, items: Any, one: Any) -> bool:
    """Whether something is in a list or a text."""
    if isinstance(items, Abstract):
        return items.contains(run, one)
    if isinstance(items, str) and isinstance(one, str):
        return one in items
    if not isinstance(items, (list, tuple, Row, Table, range)):
        raise run.stop("It asks whether something is in what is no list")
    if isinstance(items, Table):
        return _key(run, items, one) is not None
    if isinstance(items, range):
        run.fits(len(items))
    run.works(0 if isinstance(items, range) else len(items.items if isinstance(items, Row) else items))
    return any(holds(run, "Eq", x, one) for x in list(items.items if isinstance(items, Row) else items))


def opposite(run: Run, op: str, x: Any) -> Any:
    """-x, +x, ~x or not x."""
    if op == "Not":
        return not truth(run, x)
    if isinstance(x, Abstract):
        return x.opposite(run, op)
    if isinstance(x, Row):
        if op == "Invert" and all([type(y) is bool for y in x.items]):
            return Row([not y for y in x.items])
        return Row([opposite(run, op, y) for y in x.items])
    if op == "Invert" or type(x) is bool or not isinstance(x, (bool, int, float, Form, Signed)):
        raise run.stop("It turns a truth around with ~ or -, of which Python makes a number where numpy does not")
    return -x if op == "USub" else x


def truth(run: Run, x: Any) -> bool:
    """Whether something counts as true."""
    if x is True or x is False:
        return x
    if isinstance(x, Abstract):
        return x.truth(run)
    if isinstance(x, (Form, Signed)):
        raise run.stop("It makes a truth of an unknown")
    if isinstance(x, Row):
        if len(x.items) != 1:
            raise run.stop("It asks for the truth of an array, which is not one")
        return truth(run, x.items[0])
    if isinstance(x, Table):
        return bool(x.pairs)
    return bool(x) if x is None or isinstance(x, (bool, int, float, str, list, tuple, range)) else True


def length(run: Run, x: Any) -> Any:
    """What ``len(x)`` is."""
    if isinstance(x, Abstract):
        return x.length(run)
    if isinstance(x, (Row, Table)):
        return len(x.items if isinstance(x, Row) else x.pairs)
    if not isinstance(x, (list, tuple, str, range)):
        raise run.stop("It asks for the length of what is no list")
    return len(x)


def _key(run: Run, items: Table, one: Any) -> Any:
    """The pair in which something is the key."""
    for pair in items.pairs:
        if holds(run, "Eq", pair[0], one):
            return pair
    return None


def index(run: Run, x: Any, place: Any) -> Any:
    """What ``x[place]`` is."""
    if isinstance(x, Abstract):
        return x.index(run, place)
    if isinstance(x, Table):
        pair = _key(run, x, place)
        if pair is None:
            raise Raised(Error("KeyError"))
        return pair[1]
    if isinstance(x, Row) and isinstance(place, (Row, list)):
        return _some(run, x, place.items if isinstance(place, Row) else place)
    items = x.items if isinstance(x, Row) else x
    if not isinstance(items, (list, tuple, str, range)):
        raise run.stop("It looks for a place in what is no list")
    limits = (place.start, place.stop, place.step) if isinstance(place, Part) else (place,)
    if not all([type(k) is int or (k is None and len(limits) > 1) for k in limits]):
        raise run.stop("It takes for a place what is no number")
    if limits[2:] == (0,):
        raise Raised(Error("ValueError"), "of steps of 0")
    try:
        found = place.of(items) if isinstance(place, Part) else items[place]
    except IndexError as error:
        raise Raised(Error("IndexError"), "index out of range") from error
    if not isinstance(place, Part):
        return found
    if isinstance(x, list):
        return run.new_list(list(found))
    if isinstance(x, Row):
        part = Row(list(found))
        part.shared = x.shared = True  # in numpy they are one array: neither may change here
        return part
    return found


def _some(run: Run, x: Row, places: list[Any]) -> Row:
    """Some elements of a row, by their truths or their places."""
    if places and all([type(k) is bool for k in places]):
        if len(places) != len(x.items):
            raise run.stop("It puts arrays of different lengths together")
        return Row([y for y, keep in zip(x.items, places) if keep])
    return Row([index(run, x.items, k) for k in places])


def put(run: Run, x: Any, place: Any, value: Any) -> None:
    """Do ``x[place] = value``."""
    if isinstance(x, Abstract):
        x.put(run, place, value)
    elif isinstance(x, Table):
        pair = _key(run, x, place)
        if pair is None:
            x.pairs.append([place, value])
        else:
            pair[1] = value
    elif (isinstance(x, list) and type(place) is int) or (isinstance(x, Row) and type(place) is int and not x.shared):
        items = x.items if isinstance(x, Row) else x
        if not -len(items) <= place < len(items):
            raise Raised(Error("IndexError"), "index out of range")
        if isinstance(x, Row):
            old = items[place]
            value = of_kind(run, [value], [old])[0]
            if type(alike(run, [old, value])[0]) is not type(old):
                raise run.stop("It puts a number into an array of another kind")
        items[place] = value
    else:
        raise run.stop("It sets more than one place, or a place of an array that has slices")


def iterate(run: Run, x: Any) -> Iterator[Any]:
    """What a loop goes through."""
    if isinstance(x, Abstract):
        return x.iterate(run)
    if isinstance(x, Iter):
        return x.items
    if isinstance(x, Row):
        return iter(x.items)
    if not isinstance(x, (list, tuple, str, range)):
        raise run.stop("It goes through what is no list")
    if isinstance(x, list):
        return (one for one in x)  # at its end for good: in MicroPython a list's own iterator goes on when it grows
    return iter(x)
