"""A list that a comprehension makes of one of unknown length, element by element, where each is made in the same way.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.hidden import PLAIN, Public, Said, Shown
from svtcourse.judge.any_length.lanes import EACH, Lane, Listed
from svtcourse.judge.any_length.walks import Once
from svtcourse.judge.language.expressions import kind_of, walk
from svtcourse.judge.language.kinds import Frame, Function, Native, Room, Run
from svtcourse.judge.language.numpys import NAMES, Generator
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["made_at_once", "made_of_signs"]

_OF_ELEMENTS = """
    BinOp UnaryOp Compare Call Name Constant Attribute keyword IfExp Load Add Sub Mult Div USub Not Lt LtE Gt
    GtE Eq NotEq BoolOp And Or
"""
_PURE = set(_OF_ELEMENTS.split())
_SIMPLE = ["Return", "Assign", "Expr", "Store", "FloorDiv"]
_CALLED = ["bool", "float", "abs", "max", "min", "int"]
_OF_SIGNS = ["bool", "float", "int"]


def made_at_once(turns: Any, node: Any, items: Any, frame: Any, rounds: Any, beside: Any) -> Listed | None:
    """The list that a comprehension makes, as a lane, if each element is made in the same way of its own.

    `beside` are the functions from outside of the program that are called in it, by name.
    """
    one, items = node.generators[0], items.of if isinstance(items, Listed) else items
    zipped = kind_of(one.iter) == "Call" and kind_of(one.iter.func) == "Name" and one.iter.func.id == "zip"
    if isinstance(items, Once) and zipped:  # made here, so nobody has begun it, or goes on with it
        items = items.of
    if len(node.generators) > 1 or one.ifs or not isinstance(items, Lane):
        return None
    if any([kind_of(x) not in ("Name", "Tuple", "Store") for x in walk(one.target)]):
        return None
    if any([kind_of(x) not in _PURE for x in walk(node.elt)]):
        return None
    called = [x for x in walk(node.elt) if kind_of(x) == "Call"]
    own = {x.id for x in walk(one.target) if kind_of(x) == "Name"}
    names = [x.id for x in walk(node.elt) if kind_of(x) == "Name" and x.id not in own]
    copies: dict[Any, Any] = {}

    def copied(of: Any) -> Any:
        if of is None:
            return None
        if id(of) not in copies:
            new = copies[id(of)] = Frame(of.run, copied(of.up), of.node)
            for name, value in of.names.items():  # as they are now: an element may be made later
                inner = isinstance(value, Function) and value.up is not None
                new.names[name] = Function(value.code, copied(value.up), value.defaults) if inner else value
        return copies[id(of)]

    mine = copied(frame)
    seen = _around(mine)
    if zipped and ("zip" in seen or "zip" in beside):
        return None
    for name in names:
        one = seen.get(name)
        if isinstance(one, Native) and not (one.of is None or isinstance(one.of, Room)):
            return None  # a method may change what it belongs to
        if isinstance(one, Function) and not _is_simple(one):
            return None
        if not isinstance(one, (Form, Function, Generator, Native, Room, Public) + PLAIN):
            return None
    for call in called:
        func = call.func
        plain = kind_of(func) == "Name" and func.id in _CALLED and func.id not in seen and func.id not in beside
        method = kind_of(func) == "Attribute" and kind_of(func.value) == "Name"
        known = method and isinstance(seen.get(func.value.id), (Generator, Room, type(None)))
        own_name = func.id if kind_of(func) == "Name" else ""
        function = seen.get(own_name, beside.get(own_name))
        simple = isinstance(function, Function) and _is_simple(function)
        if not (plain or simple or (known and _gives_one(call, func.attr))):
            return None

    def make(run: Run, turn: Any) -> Any:
        found = list(rounds(mine, [items.at(run, turn)]))
        return found[0]

    lane = Lane(turns, items.length_, id(node), make, (items,), bool(called))
    shadowed = "bool" in seen or "bool" in beside
    lane.truths = not shadowed and _is_truth(node.elt, node.generators[0].target if items.truths else None)
    lane.numbers = _are_numbers(node, items, seen)
    lane.held = tuple([seen[name] for name in sorted(set(names)) if name in seen])
    return Listed(lane)


def _around(frame: Frame | None) -> dict[str, Any]:
    """What each name stands for in a call and in those that it stands in."""
    found: dict[str, Any] = {}
    while frame is not None:
        for name in frame.names:
            found.setdefault(name, frame.names[name])
        frame = frame.up
    return found


def _are_numbers(node: Any, items: Lane, seen: dict[str, Any]) -> bool:
    """Whether all that an element is made of are numbers and truths, of which numpy makes an array as they are."""
    target, zipped = node.generators[0].target, items.kind == "zip"
    parts = target.elts if zipped and kind_of(target) == "Tuple" else [] if zipped else [target]
    lanes = [x for x in items.parts if isinstance(x, Lane)] if zipped else [items]
    if not parts or not all([kind_of(x) == "Name" for x in parts]) or not all([x.numbers for x in lanes]):
        return False
    own = {x.id for x in parts}
    functions = [x.func for x in walk(node.elt) if kind_of(x) == "Call"]
    functions += [x.value for x in functions if kind_of(x) == "Attribute"]
    for x in walk(node.elt):
        if kind_of(x) == "Constant":
            value = x.value
        elif kind_of(x) == "Name" and x.id not in own and not any([x is f for f in functions]):
            value = seen.get(x.id)
        else:
            continue
        if not isinstance(value, (bool, int, float, Form, Public)) or (
            isinstance(value, Public) and not value.something
        ):
            return False
    return True


def _is_truth(node: Any, known: Any) -> bool:
    """Whether an element is a truth: it is compared, or turned into one, or the known one."""
    kind = kind_of(node)
    if kind == "IfExp":
        return _is_truth(node.body, known) and _is_truth(node.orelse, known)
    if kind == "BoolOp":
        return all([_is_truth(x, known) for x in node.values])
    if kind == "Constant":
        return type(node.value) is bool
    if kind == "Name":
        return kind_of(known) == "Name" and node.id == known.id
    return kind == "Compare" or (kind == "UnaryOp" and kind_of(node.op) == "Not") or (
        kind == "Call" and kind_of(node.func) == "Name" and node.func.id == "bool"
    )  # fmt: skip


def _is_simple(function: Function) -> bool:
    """Whether a function gives a number for numbers, with draws of its own, and keeps nothing."""
    code = function.code
    body = [code.node.body] if kind_of(code.node) == "Lambda" else code.node.body
    if kind_of(body[0]) == "Expr" and kind_of(body[0].value) == "Constant":
        body = body[1:]  # what it says of itself
    nodes = [x for part in body for x in walk(part)]
    if any([kind_of(x) not in _PURE and kind_of(x) not in _SIMPLE for x in nodes]) or code.yields:
        return False
    own = {x.id for part in body for one in getattr(part, "targets", []) for x in walk(one) if kind_of(x) == "Name"}
    own |= set(code.parameters + code.alone)
    around = _around(function.up)
    for x in nodes:
        if kind_of(x) == "Assign" and any([kind_of(one) != "Name" for one in x.targets]):
            return False
        if kind_of(x) == "Name" and x.id not in own and x.id not in around and x.id not in code.known:
            return False
        beside = around.get(x.id, 0) if kind_of(x) == "Name" and x.id not in own else 0
        if not isinstance(beside, (Form, Generator, Room, bool, int, float)):
            return False
        if kind_of(x) == "Constant" and not isinstance(x.value, (bool, int, float)):
            return False
        if kind_of(x) == "Call":
            plain = kind_of(x.func) == "Name" and x.func.id in _CALLED and x.func.id in code.known
            method = kind_of(x.func) == "Attribute" and kind_of(x.func.value) == "Name"
            of = x.func.value.id if method else ""
            if not (plain or ((of in own or of in around or of in code.known) and _gives_one(x, x.func.attr))):
                return False
    return all([isinstance(x, (bool, int, float)) for x in function.defaults.values()])


def _gives_one(call: Any, name: str) -> bool:
    """Whether a method or a function of a module gives a single number for single numbers."""
    if name in NAMES:
        return len(call.args) < len(NAMES[name]) and all([x.arg != "size" for x in call.keywords])
    return name in EACH


def made_of_signs(turns: Any, node: Any, said: Said, frame: Frame, rounds: Any) -> Shown | None:
    """The list that a comprehension makes of what was said, if each of its elements is made of a sign alone.

    The state then tells which signs were said, and not how many; of the list no more is known.
    """
    one = node.generators[0]
    if len(node.generators) > 1 or one.ifs or kind_of(one.target) != "Name" or said.holds:
        return None
    called = [x.func for x in walk(node.elt) if kind_of(x) == "Call"]
    names = [x for x in walk(node.elt) if kind_of(x) == "Name" and x.id != one.target.id]
    if any([kind_of(x) not in _PURE for x in walk(node.elt)]):
        return None
    if not all([any([x is f for f in called]) for x in names]):
        return None
    around = _around(frame)
    if any([x.id not in _OF_SIGNS or x.id in around for x in names]):
        return None
    signs = said.signs()
    if signs is None:
        return None
    made = [list(rounds(frame, [sign]))[0] for sign in signs]
    return Shown(turns) if all([isinstance(x, PLAIN) for x in made]) else None
