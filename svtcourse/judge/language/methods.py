"""The methods of lists, texts, dictionaries, numbers and arrays.  Plain Python that MicroPython runs too."""

from __future__ import annotations

from svtcourse.judge.language.kinds import MOST_ITEMS, Abstract, Raised, Record, Row, Run, View
from svtcourse.judge.language.library import OF_ROWS, cast, of_row, to_float
from svtcourse.judge.language.values import holds, items_of
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["METHODS"]


def _appended(run: Run, x: list[Any], one: Any) -> None:
    x.append(one)
    if len(x) > MOST_ITEMS:
        raise run.stop("It makes a list that is too long")
    run.grows(x, 1)


def _extended(run: Run, x: list[Any], more: Any) -> None:
    items = items_of(run, more)
    x.extend(items)
    run.grows(x, len(items))


def _pop(run: Run, x: list[Any], place: Any = -1) -> Any:
    if type(place) is not int:
        raise run.stop("It takes out of a list what stands at no number")
    if not -len(x) <= place < len(x):
        raise Raised("IndexError", "pop from an empty list")
    run.grows(x, -1)
    return x.pop(place)


def _index_of(run: Run, x: Any, one: Any) -> int:
    run.tick(len(x) // 20)
    for k, y in enumerate(x):
        if holds(run, "Eq", y, one):
            return k
    raise Raised("ValueError", "not in the list")


def _count(run: Run, x: Any, one: Any) -> int:
    run.tick(len(x) // 20)
    return len([y for y in list(x) if holds(run, "Eq", y, one)])


def _joined(run: Run, x: str, items: Any) -> Any:
    if isinstance(items, Abstract):
        return items.call(run, "join", items, x)
    words = items_of(run, items)
    if not all([isinstance(one, str) for one in words]):
        raise Raised("TypeError", "it joins what are no texts")
    return x.join(words)


def _got(run: Run, x: Record, place: Any, other: Any = None) -> Any:
    if type(place) not in (str, int) or x.counts:
        raise run.stop("It looks into a dictionary in a way that is not read")
    if isinstance(x.names.get(place), Abstract):
        x.names[place].look(run)
    return x.names.get(place, other)


METHODS: dict[str, dict[str, Callable[..., Any]]] = {
    "list": {
        "append": _appended, "extend": _extended, "copy": lambda run, x: list(x), "pop": _pop, "index": _index_of,
        "count": _count,
    },
    "tuple": {"index": _index_of, "count": _count},
    "str": {"count": lambda run, x, one: x.count(one), "join": _joined},
    "Record": {
        "values": lambda run, x: View(x, "values"),
        "keys": lambda run, x: View(x, "keys"),
        "items": lambda run, x: View(x, "items"),
        "get": _got,
    },
    "number": {"item": lambda run, x: to_float(run, x) if isinstance(x, Form) else x},
    "Row": {
        "tolist": lambda run, x: run.new_list(list(x.items)),
        "copy": lambda run, x: Row(list(x.items), empty=True, floats=x.floats),
        "astype": cast,
    },
}  # fmt: skip
METHODS["Row"].update([(name, of_row(do)) for name, do in OF_ROWS.items()])
