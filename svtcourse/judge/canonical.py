"""The state of a program as it can be compared with that of another turn or run: all that it holds."""

from __future__ import annotations

import itertools
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from svtcourse.judge.hidden import Place, Walk
from svtcourse.judge.lists import PLAIN, Lazy, Length, Numbered, Places, Row, Said, Zipped, fold_of
from svtcourse.judge.rows import Draws
from svtcourse.judge.symbols import Form, Signed, Unreadable
from svtcourse.judge.world import Function, Math, Numpy, Stats

__all__ = ["state_of"]

_UNREAD = itertools.count()
_OF_A_WALK = {"walk", "elements"}


def state_of(rooms: Iterable[dict[str, Any]], walk: Walk, renamed: bool, last: Sequence[Any] = ()) -> Any:
    """What the names of some functions hold.

    Parameters
    ----------
    rooms : iterable of dict
    walk : Walk
    renamed : bool
        Whether the unknowns are named in the order in which they are met, and told apart by what was compared with
        them and shown of them; else they keep their names.
    last : sequence of literals
        What was compared in the last turn in which something was: a state is the end of that turn.
    """
    rooms = list(rooms)
    if not renamed:
        return _State(walk, None).all(rooms)
    known = walk.fork.order
    uses: dict[Any, set[Any]] = {}
    first = _State(walk, uses)
    for question, _, _ in known:
        first.use(uses, Form(dict(question[0]), question[1], walk.fork), "compared")
    for draw, (how, made) in walk.fork.inverse.items():
        first.made |= dict.fromkeys(made.terms, draw)
        uses.setdefault(draw, set()).add(("made", repr(how), *(frozenset(uses.get(v, ())) for v in made.terms)))
    found = first.all(rooms)
    if first.shown:
        for form in first.shown:
            first.use(uses, form, "shown")
        again = _State(walk, uses)
        again.made = first.made
        found, first = again.all(rooms), again
    held = [literal for literal in known if first.holds(literal[0])]
    return found, first.literals(last), first.literals(held)


class _State:
    def __init__(self, walk: Walk, uses: dict[Any, set[Any]] | None) -> None:
        self.walk, self.uses = walk, uses
        self.names: dict[Any, int] = {}
        self.kept: list[Any] = []  # so that no two have one address
        self.shown: list[Form] = []
        self.made: dict[Any, Any] = {}  # of which draw another was made

    def all(self, rooms: list[dict[str, Any]]) -> Any:
        return tuple(tuple((name, self.of(value)) for name, value in sorted(room.items())) for room in rooms)

    def use(self, uses: dict[Any, set[Any]], form: Form, how: Any) -> None:
        """Keep of each unknown in what it stood, and where."""
        every = list(_inside(form.terms))
        for this in {v for v, _ in every}:
            parts = sorted((repr(self.law(v)), str(f), v == this) for v, f in every)
            one, known = (tuple(parts), str(form.constant), how), uses.setdefault(this, set())
            known.add((one, "again") if one in known and this[0] == "z" else one)

    def holds(self, question: Any) -> bool:
        """Whether all unknowns of a comparison have been met, so that it can be asked again."""
        return all(self.made.get(v, v) in self.names for v, _ in _inside(dict(question[0])) if v[0] != "T")

    def literals(self, some: Sequence[Any]) -> Any:
        """Comparisons and their answers."""
        return tuple((self.terms(Form(dict(key[0]), key[1], self.walk.fork)), above) for key, _, above in some)

    def number(self, thing: Any) -> int:
        """The same for the same thing."""
        return self.names.setdefault(thing, len(self.names))

    def of(self, value: Any) -> Any:
        if isinstance(value, Form):
            return self.terms(value)
        if isinstance(value, Signed):
            return "signed", value.kind, self.variable(value.of), value.factor
        if type(value) in PLAIN:
            if value != value:
                return _never_again()  # one of these is told from another
            return type(value), repr(value) if isinstance(value, float) else value
        if isinstance(value, (Numpy, Math, Stats, Function)):
            return type(value), id(value.real if isinstance(value, Function) else value)
        if isinstance(value, Length):
            return "length", self.of(value.length)
        if isinstance(value, Place):
            return "place", value.turn == value.walk.now, value.more, self.of(value.length)
        if isinstance(value, range):
            return repr(value)
        if isinstance(value, tuple):
            return "tuple", tuple(self.of(x) for x in value)
        this = "object", id(value)
        if this in self.names:
            return "object", self.names[this]
        self.kept.append(value)
        return type(value).__name__, self.number(this), self.inside(value)  # two names of one are not two

    def inside(self, value: Any) -> Any:
        if isinstance(value, Draws):
            return "draws"
        if isinstance(value, Row):
            self.shown += [x for x in value.inner if value.written and isinstance(x, Form)]
            if value.board:
                return value.serial, self.row([value.blank]), self.numbers(value.inner)
            return value.serial, self.row(value.inner)
        if isinstance(value, (Lazy, Numbered, Zipped, Places)):
            return tuple((name, self.of(x)) for name, x in sorted(vars(value).items()) if name not in _OF_A_WALK)
        if isinstance(value, Said):
            self.shown += [x for x in value.items if isinstance(x, Form)]
            folds = sorted(self.walk.folds.get(value.site, ()))
            return tuple((text, self.fold(text, value)) for text in folds), self.numbers(value.items)
        if isinstance(value, list):
            return tuple(self.of(x) for x in value)
        if isinstance(value, np.ndarray) and value.base is None and value.dtype in (bool, np.int64, np.float64):
            return value.dtype.str, value.shape, tuple(self.of(x) for x in value.flat)
        if isinstance(value, types.FunctionType):
            held = value.__defaults__, *sorted((value.__kwdefaults__ or {}).items()), *(value.__closure__ or ())
            return id(value.__code__), tuple(self.of(x) for x in held), self.fields(value)
        if isinstance(value, types.CellType):
            return self.of(value.cell_contents) if _is_set(value) else "nothing yet"
        if isinstance(value, types.MethodType):
            return self.of(value.__self__), self.of(value.__func__)
        if isinstance(value, types.GeneratorType) and value.gi_running:
            return "running"  # its names are looked at as those of a function
        if isinstance(value, type) and value.__module__ == "program":
            return self.fields(value)
        if type(value).__module__ == "program" and not isinstance(value, BaseException):
            return self.of(type(value)), self.fields(value)
        return _never_again()

    def fields(self, value: Any) -> Any:
        """What a function or an object holds, and the methods of a class, which is not told from another by more."""
        every = not isinstance(value, type)
        mine = [(name, x) for name, x in sorted(vars(value).items()) if every or isinstance(x, types.FunctionType)]
        return tuple((name, self.of(x)) for name, x in mine)

    def numbers(self, items: Any) -> Any:
        """Which numbers were put down to be shown; of answers as they are, only whether there are any."""
        forms = [x for x in items if isinstance(x, Form)]
        bare = [len(x.terms) == 1 and not x.constant and next(iter(x.terms))[0] == "a" for x in forms]
        return any(bare), tuple(self.of(x) for x, alone in zip(forms, bare, strict=True) if not alone)

    def row(self, items: Any) -> Any:
        """What each element of a row is: its own unknowns by their laws, and by their names those that it shares."""
        found = Counter(v for x in items if isinstance(x, Form) for v in x.terms)
        own = {v for v, times in found.items() if times == 1 and (v[0] == "a" or v in self.walk.own)}
        parts = []
        for x in items:
            alone = isinstance(x, Form) and [(self.law(v), f) for v, f in x.terms.items() if v in own]
            rest = Form({v: f for v, f in x.terms.items() if v not in own}, x.constant, x.fork) if alone else x
            parts.append((repr(sorted(alone, key=repr)) if alone else None, self.of(rest)))
        return frozenset(parts)

    def fold(self, text: str, said: Said) -> Any:
        """What is read off a list of what was said."""
        if text == "x[-1]":
            return self.of(said.items[-1]) if said.items else "nothing yet"
        try:
            return self.of(fold_of(text, said.items))
        except (OverflowError, TypeError, Unreadable):
            return _never_again()

    def variable(self, variable: Any) -> Any:
        if self.uses is None:
            return variable
        return self.law(variable), frozenset(self.uses.get(variable, ())), self.number(variable)

    def law(self, variable: Any) -> Any:
        """What is known of an unknown before it is met."""
        return self.walk.fork.laws[variable[1]] if variable[0] == "z" else (variable[0], *variable[2:3])

    def terms(self, form: Form) -> Any:
        found: list[Any] = []
        for variable, factor in sorted(form.terms.items(), key=repr):
            if variable[0] == "|":
                inner = Form(dict(variable[1][0]), variable[1][1], form.fork)
                found.append(("|", self.terms(inner), factor))
            else:
                found.append(("T" if variable[0] == "T" else self.variable(variable), factor))
        return tuple(found), form.constant


def _inside(terms: dict[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """The unknowns of a form with their factors, those inside absolute values too."""
    for v, factor in terms.items():
        if v[0] == "|":
            yield from ((inner, ("|", str(f), str(factor))) for inner, f in _inside(dict(v[1][0])))
        else:
            yield v, factor


def _is_set(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None or True
    except ValueError:
        return False


def _never_again() -> Any:
    return "unread", next(_UNREAD)
