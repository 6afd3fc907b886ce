"""All that a run on a list of unknown length holds when a turn begins, as a value that can be compared.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.public import Dead, Public
from svtcourse.judge.language.attributes import Method
from svtcourse.judge.language.kinds import (
    Abstract,
    Bound,
    Class,
    Error,
    Frame,
    Fresh,
    Function,
    Instance,
    Later,
    Member,
    Native,
    NoNumber,
    Record,
    Room,
    Rounded,
    Row,
    View,
)
from svtcourse.judge.language.noise import Generator, Law
from svtcourse.judge.language.values import off
from svtcourse.judge.unknowns.symbols import Form, Signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["State"]

_MOST_HELD, _MOST_TOGETHER = 5_000, 500_000  # values in a state, and in all: of right programs up to 180,000


class State:
    """All that a run holds, as a value that can be compared: unknowns are named in the order in which they are met.

    A name for an answer of an earlier turn, or for noise that was compared and is not the threshold's, is cleared.
    """

    def __init__(self, turns: Any) -> None:
        self.turns, self.fork = turns, turns.fork
        self.names: dict[Any, int] = {}
        self.ways: dict[int, int] = {}
        self.met = 0  # values, those in tuples as often as they stand there
        self.held: set[int] = set()  # the draws that may be the threshold's
        for rho in self.fork.thresholds or ():
            self.held |= set(rho)

    def all(self, where: Any) -> Any:
        """The state at a place."""
        run, fork = self.turns.run, self.turns.fork
        rhos = None if fork.thresholds is None else tuple([
            tuple([(self.unknown(("z", k)), f) for k, f in sorted(rho.items())]) for rho in fork.thresholds
        ])  # fmt: skip
        frames = tuple([(id(frame.at), self.frame(frame)) for frame in run.frames])
        if any([self.is_over(x) for x in run.waiting]):
            raise run.stop("it goes through the list in the middle of a calculation")
        waiting = tuple([self.of(x) for x in run.waiting])
        roots = tuple([self.of(root) for root in self.turns.roots])
        place = where if isinstance(where, (str, tuple)) else id(where)
        walk = self.number(("walk", id(self.turns.walk)))
        ended = [(self.number(("length", id(of))), end) for of, end in self.turns.ended if type(end) is int]
        return place, fork.found, rhos, frames, waiting, roots, walk, tuple(ended)

    def one_more(self) -> None:
        """Count a value that is met."""
        self.met += 1
        self.turns.shared.held += 1
        if self.met > _MOST_HELD or self.turns.shared.held > _MOST_TOGETHER:
            raise self.turns.run.stop("it keeps too many values")

    def number(self, thing: Any) -> int:
        """The same for the same thing."""
        return self.names.setdefault(thing, len(self.names))

    def is_over(self, x: Any) -> bool:
        """Whether a value belongs to an earlier turn."""
        self.one_more()
        if isinstance(x, Form):
            found = list(x.terms)
            while any([v[0] == "|" for v in found]):
                found = [w for v in found for w in ([y for y, _ in v[1][0]] if v[0] == "|" else [v])]
            return any([
                v[0] == "a"
                or (v[0] == "z" and (v in self.fork.inverse or (v[1] in self.fork.spent and v[1] not in self.held)))
                for v in found
            ])  # fmt: skip
        if isinstance(x, Rounded):
            return self.is_over(x.form)
        if isinstance(x, Signed):
            return True
        if isinstance(x, Native):  # the method of a number
            return self.is_over(x.of)
        if isinstance(x, (tuple, Row)):
            return any([self.is_over(y) for y in (x.items if isinstance(x, Row) else x)])
        return False

    def cleared(self, place: Any, names: dict[str, Any]) -> Any:
        """What names stand for, without what is over."""
        found = []
        for name in sorted(names, key=repr):
            if self.is_over(names[name]):
                names[name] = Dead()
            elif self.turns.shared.widened((place, name), names[name]):
                names[name] = Public(self.turns, whole=type(names[name]) is int)
            found.append((name, self.of(names[name])))
        return tuple(found)

    def frame(self, frame: Frame | None) -> Any:
        """A call that is under way, or in which a function was defined."""
        if frame is None or ("frame", id(frame)) in self.names:
            return None if frame is None else self.names[("frame", id(frame))]
        number = self.number(("frame", id(frame)))
        loops = tuple(
            [(id(node), self.of(items), k, self.number(("walk", id(way)))) for node, items, k, way in frame.loops]
        )
        return number, id(frame.own), loops, self.cleared(id(frame.own), frame.names), self.frame(frame.up)

    def unknown(self, v: Any) -> Any:
        """An unknown, with what it was used for."""
        if v[0] == "z":
            if v in self.fork.inverse:  # whoever keeps it: what was made of it may have been compared
                raise self.turns.run.stop("it keeps a draw of which it made another")
            return "z", self.fork.laws[v[1]], v[1] in self.fork.spent, self.number(v)
        if v[0] == "|":
            return "|", tuple([(self.unknown(w), f) for w, f in v[1][0]]), v[1][1]
        return (v[0], v[2:], self.number(v)) if v[0] == "a" else v

    def form(self, form: Form) -> Any:
        """A sum of unknowns."""
        parts = sorted(form.terms.items(), key=lambda term: repr(term[0]))
        return tuple([(self.unknown(v), f) for v, f in parts]), form.constant, self.way(form.made)

    def way(self, made: int) -> int:
        """How a number was calculated, with its unknowns named as they are here."""
        waiting, steps, shared = [made], self.fork.steps, self.turns.shared.ways
        while waiting:
            what, of = steps[waiting[-1]]
            missing = [k for k in of if k not in self.ways]
            if missing:
                waiting += missing
                continue
            if isinstance(what, tuple) and what[0] == "own":
                what = "own", self.number(what)
            elif not of and what[0] != "number":
                what = self.unknown(what)
            told = what, tuple([self.ways[k] for k in of])
            self.ways[waiting.pop()] = shared.setdefault(told, len(shared))
        return self.ways[made]

    def of(self, x: Any) -> Any:
        """Any value."""
        self.one_more()
        if isinstance(x, Form):
            return self.form(x)
        if x is None or isinstance(x, (bool, int, float, str, range)):
            return type(x).__name__, repr(x), off(self.turns.run, x)
        if isinstance(x, (NoNumber, Fresh)):
            return "nan" if isinstance(x, NoNumber) else "a new list"
        if isinstance(x, Rounded):
            return "rounded", self.form(x.form)
        if isinstance(x, Member):
            return "member", x.text, id(x)
        if isinstance(x, tuple):
            return ("tuple",) + tuple([self.of(y) for y in x])
        if isinstance(x, Native):
            return x.name, id(x) if x.of is None else self.of(x.of)
        if isinstance(x, Generator):
            return "generator", id(x.known)
        if isinstance(x, Law):
            return x.words, self.of(x.of)
        if isinstance(x, (Room, Error)):
            return "known", id(x)
        if ("object", id(x)) in self.names:
            return "object", self.names[("object", id(x))]
        number = self.number(("object", id(x)))
        return number, type(x).__name__, self.inside(x)

    def inside(self, x: Any) -> Any:
        """What stands in something that can change."""
        if isinstance(x, Abstract):
            return x.state(self)
        if isinstance(x, Instance):
            return self.of(x.of), x.closed, self.cleared(x.of.name, x.names)
        if isinstance(x, Record):
            return x.counts, x.closed, tuple(x.names), self.cleared("record", x.names)
        if isinstance(x, View):
            return x.name, self.of(x.of)
        if isinstance(x, Bound):
            options = tuple([(name, self.of(x.options[name])) for name in sorted(x.options)])
            return self.of(x.of), tuple([self.of(y) for y in x.given]), options
        if isinstance(x, Method):
            return self.of(x.function), self.of(x.of)
        if isinstance(x, Function):
            return (
                id(x.node),
                self.frame(x.up),
                tuple([(name, self.of(x.defaults[name])) for name in sorted(x.defaults)]),
            )
        if isinstance(x, Class):
            return x.name, tuple([(name, self.of(x.names[name])) for name in sorted(x.names)])
        if isinstance(x, Later) and x.made_of:
            return x.made_of[0], self.frame(x.made_of[1]), self.of(x.made_of[2])
        if isinstance(x, Row):
            return x.empty, x.floats, tuple([self.of(y) for y in x.items])
        self.turns.shared.unlike += 1
        return "unlike any other", self.turns.shared.unlike
