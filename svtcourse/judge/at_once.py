"""A list that a comprehension makes of one of unknown length, element by element, where each is made in the same way.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.expressions import kind_of, walk
from svtcourse.judge.hidden import PLAIN, Public
from svtcourse.judge.kinds import Frame, Native, Room, Run
from svtcourse.judge.lanes import Lane, Listed
from svtcourse.judge.numpys import Generator
from svtcourse.judge.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["made_at_once"]

_OF_ELEMENTS = """
    BinOp UnaryOp Compare Call Name Constant Attribute keyword IfExp Load Add Sub Mult Div USub Not Lt LtE Gt
    GtE Eq NotEq BoolOp And Or
"""
_PURE = set(_OF_ELEMENTS.split())
_CALLED = ["bool", "float", "abs", "max", "min", "int"]


def made_at_once(turns: Any, node: Any, items: Any, frame: Any, rounds: Any) -> Listed | None:
    """The list that a comprehension makes, as a lane, if each element is made in the same way of its own."""
    one, items = node.generators[0], items.of if isinstance(items, Listed) else items
    if len(node.generators) > 1 or one.ifs or not isinstance(items, Lane):
        return None
    if any([kind_of(x) not in _PURE for x in walk(node.elt)]):
        return None
    called = [x.func for x in walk(node.elt) if kind_of(x) == "Call"]
    own = {x.id for x in walk(one.target) if kind_of(x) == "Name"}
    names = [x.id for x in walk(node.elt) if kind_of(x) == "Name" and x.id not in own]
    copies: dict[Any, Any] = {}

    def copied(of: Any) -> Any:
        if of is None:
            return None
        if id(of) not in copies:
            new = copies[id(of)] = Frame(of.run, copied(of.up), of.node)
            new.names = dict(of.names)
        return copies[id(of)]

    mine = copied(frame)
    seen: dict[str, Any] = {}
    at = mine
    while at is not None:
        for name in at.names:
            seen.setdefault(name, at.names[name])
        at = at.up
    for name in names:
        one = seen.get(name)
        if isinstance(one, Native) and not (one.of is None or isinstance(one.of, Room)):
            return None  # a method may change what it belongs to
        if not isinstance(one, (Form, Generator, Native, Room, Lane, Public) + PLAIN):
            return None
    for func in called:
        plain = kind_of(func) == "Name" and func.id in _CALLED and func.id not in seen
        method = kind_of(func) == "Attribute" and kind_of(func.value) == "Name"
        known = method and isinstance(seen.get(func.value.id), (Generator, Room, type(None)))
        if not (plain or known or (kind_of(func) == "Name" and isinstance(seen.get(func.id), Native))):
            return None

    def make(run: Run, turn: Any) -> Any:
        found = list(rounds(mine, [items.at(run, turn)]))
        return found[0]

    parts = (items,) + tuple([seen[name] for name in names if isinstance(seen.get(name), Lane)])
    lane = Lane(turns, items.length_, id(node), make, parts, bool(called))
    lane.held = tuple([seen[name] for name in sorted(set(names)) if name in seen])
    return Listed(lane)
