"""The state of a program as it can be compared with that of another turn or run: all that it holds."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterable, Set
from typing import Any

import numpy as np

from svtcourse.judge.hidden import Place, Walk
from svtcourse.judge.lists import Length, Row, Said, fold_of
from svtcourse.judge.rows import Draws
from svtcourse.judge.symbols import Form, Signed, Unreadable, drawn_in
from svtcourse.judge.world import Function, Math, Numpy, Stats

__all__ = ["state_of"]

_UNREAD = itertools.count()
_PLAIN = (bool, np.bool_, str, int, float, type(None), np.integer, np.floating)


def state_of(rooms: Iterable[dict[str, Any]], walk: Walk, used: bool) -> Any:
    """What the names of some functions hold, with the unknowns renamed in the order in which they are met.

    Parameters
    ----------
    rooms : iterable of dict
    walk : Walk
    used : bool
        Whether it counts which draws were compared, or shown.
    """
    rooms = list(rooms)
    first = _State(walk, set())
    found = first.all(rooms)
    if not used:
        return found
    order, inverse = walk.fork.order, walk.fork.inverse
    shown = {v for form in first.shown for v in form.terms if v[0] == "z"}
    draws = {draw for question, _, _ in order for draw in drawn_in(question)} | set(inverse) | shown
    return _State(walk, draws).all(rooms)


class _State:
    def __init__(self, walk: Walk, used: Set[Any]) -> None:
        self.walk, self.used = walk, used
        self.names: dict[Any, int] = {}
        self.shown: list[Form] = []

    def all(self, rooms: list[dict[str, Any]]) -> Any:
        return tuple(tuple((name, self.of(value)) for name, value in sorted(room.items())) for room in rooms)

    def of(self, value: Any) -> Any:
        if isinstance(value, Form):
            return self.terms(value)
        if isinstance(value, Signed):
            return "signed", value.kind, self.variable(value.of), value.factor
        if isinstance(value, _PLAIN):
            return type(value).__name__, repr(value) if isinstance(value, (float, np.floating)) else value
        if isinstance(value, (Draws, np.random.Generator, np.random.RandomState)):
            return "generator"
        if isinstance(value, (Numpy, Math, Stats, types.ModuleType)):
            return "module"
        if isinstance(value, Length):
            return "length"
        if isinstance(value, Place):
            return "place", value.turn == value.walk.now, value.more
        if isinstance(value, tuple):
            return "tuple", tuple(self.of(x) for x in value)
        if isinstance(value, Function):
            return "function", value.real.__name__
        this = "object", id(value)
        if this in self.names:
            return "object", self.names[this]
        self.names[this] = len(self.names)  # two names of one object are not two objects
        return type(value).__name__, self.names[this], self.inside(value)

    def inside(self, value: Any) -> Any:
        if isinstance(value, Row):
            self.shown += [x for x in value.inner if value.written and isinstance(x, Form)]
            inner = [value.blank] if value.board else value.inner
            return value.serial, frozenset(_State(self.walk, set()).of(x) for x in inner)
        if isinstance(value, Said):
            self.shown += [x for x in value.items if isinstance(x, Form)]
            return tuple((text, self.fold(text, value)) for text in sorted(self.walk.folds.get(value.site, ())))
        if isinstance(value, (list, np.ndarray)):
            return tuple(self.of(x) for x in value)
        if isinstance(value, dict):
            return tuple((self.of(k), self.of(x)) for k, x in value.items())
        if isinstance(value, types.FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or () if _is_set(cell)]
            held = value.__code__.co_filename, value.__code__.co_firstlineno, value.__defaults__, value.__kwdefaults__
            return (*held[:2], *(self.of(x) for x in (*held[2:], vars(value), *cells)))
        if isinstance(value, types.MethodType):
            return value.__name__, self.of(value.__self__), self.of(value.__func__)
        if isinstance(value, types.BuiltinFunctionType) and value.__self__ is not None:
            return value.__name__, self.of(value.__self__)
        if isinstance(value, type):
            own = value.__module__ == "program"
            return value.__name__, tuple((k, self.of(x)) for k, x in vars(value).items() if own and k[:2] != "__")
        if isinstance(value, types.GeneratorType) and value.gi_running:
            return "running"  # its names are looked at as those of a function
        if type(value).__module__ == "program":
            return self.of(type(value)), tuple((k, self.of(x)) for k, x in sorted(vars(value).items()))
        return _never_again()

    def fold(self, text: str, said: Said) -> Any:
        """What is read off a list of what was said."""
        if text == "x[-1]":
            return self.of(said.items[-1]) if said.items else "nothing yet"
        try:
            return self.of(fold_of(text, said.items))
        except (OverflowError, TypeError, Unreadable):
            return _never_again()

    def variable(self, variable: Any) -> Any:
        law = self.walk.fork.laws[variable[1]] if variable[0] == "z" else variable[2:3]
        return law, variable in self.used, self.names.setdefault(variable, len(self.names))

    def terms(self, form: Form) -> Any:
        found: list[Any] = []
        for variable, factor in sorted(form.terms.items(), key=repr):
            if variable[0] == "|":
                inner = Form(dict(variable[1][0]), variable[1][1], form.fork)
                found.append(("|", self.terms(inner), factor))
            else:
                found.append(("T" if variable[0] == "T" else self.variable(variable), factor))
        return tuple(found), form.constant


def _is_set(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None or True
    except ValueError:
        return False


def _never_again() -> Any:
    return "unread", next(_UNREAD)
