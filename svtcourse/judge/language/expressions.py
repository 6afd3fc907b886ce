"""The expressions of Python's language, as far as they are read: a tree is made into functions of a frame.

The tree is one of the module `ast`, or of `svtcourse.judge.language.parsing`.  Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import Error, Frame, Part, Raised, Room, Table
from svtcourse.judge.language.library import BUILTINS, attribute, call
from svtcourse.judge.language.parsing import Node, Refusal
from svtcourse.judge.language.values import (
    MOST_WHOLE,
    binary,
    compare,
    index,
    opposite,
    put,
    truth,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Do = Callable[[Frame], Any]

__all__ = ["DOING", "Expressions", "Scope", "bound", "children", "kind_of", "named", "walk"]

_NEXT, _BREAK, _CONTINUE, _RETURN = None, "break", "continue", "return"
_ANNOTATIONS = ("Name", "Attribute", "Constant", "Subscript", "Tuple", "List", "BinOp", "BitOr", "Load")
DOING = (  # what changes something, or is more than a value, where only a value is looked for
    "NamedExpr", "ListComp", "SetComp", "DictComp", "GeneratorExp", "Lambda", "Yield", "YieldFrom", "Starred", "Await",
    "Dict", "Set",
)  # fmt: skip
_TRIVIAL = ("Name", "Constant", "Attribute")


def kind_of(node: Any) -> str:
    """The name of a node's kind."""
    return node.kind if isinstance(node, Node) else type(node).__name__


def children(node: Any) -> list[Any]:
    """The nodes that a node is made of."""
    values = list(node.fields.values()) if isinstance(node, Node) else [getattr(node, f, None) for f in node._fields]
    found = []
    for value in values:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Node) or hasattr(one, "_fields"):
                found.append(one)
    return found


def walk(node: Any) -> Iterator[Any]:
    """A node and all inside."""
    yield node
    for child in children(node):
        yield from walk(child)


def bound(node: Any, found: set[str]) -> None:
    """The names that a function gives a value."""
    kind = kind_of(node)
    if kind in ("FunctionDef", "ClassDef"):
        found.add(node.name)
        return
    if kind == "Lambda":
        return
    targets = []
    if kind == "Assign":
        targets = node.targets
    elif kind in ("AugAssign", "AnnAssign", "For", "NamedExpr"):
        targets = [node.target]
    elif kind in ("Import", "ImportFrom"):
        for alias in node.names:
            found.add(alias.asname or alias.name.split(".")[0])
    for target in targets:
        named(target, found)
    for child in children(node):
        bound(child, found)


def named(target: Any, found: set[str]) -> None:
    """Add the names that a target sets."""
    kind = kind_of(target)
    if kind == "Name":
        found.add(target.id)
    elif kind in ("Tuple", "List"):
        for part in target.elts:
            named(part, found)


class Scope:
    """The names of a function, a round through a list, or a text, and what is around it."""

    def __init__(self, names: set[str], up: Scope | None, outside: Callable[[str], Any] | None = None) -> None:
        self.names, self.up, self.outside = names, up, outside
        self.rounds = False


class Expressions:
    """Makes functions of a frame out of expressions.

    Parameters
    ----------
    outside : callable (name) -> value
        What a name stands for that is not the program's own; `KeyError` where it is unknown.
    """

    def __init__(self, outside: Callable[[str], Any]) -> None:
        self.outside = outside

    def refuse(self, node: Any, what: str = "") -> Refusal:
        """Why a node is not read."""
        words = what or f"It has a statement that is not read ({kind_of(node).lower()})"
        return Refusal(words, getattr(node, "lineno", 0))

    def function(self, node: Any, scope: Scope) -> Callable[[Frame], Any]:
        """A function that is defined inside another."""
        raise NotImplementedError

    def storing(self, name: str, scope: Scope) -> Callable[[Frame, Any], None]:
        """A function that gives a name a value."""
        raise NotImplementedError

    def store(self, target: Any, scope: Scope) -> Callable[[Frame, Any], None]:
        """A function that sets a name, an attribute, a place, or several of them."""
        raise NotImplementedError

    def value(self, node: Any, scope: Scope) -> Do:
        """A function that gives the value of an expression."""
        method = getattr(self, "e_" + kind_of(node), None)
        if method is None:
            raise self.refuse(node, f"It has an expression that is not read ({kind_of(node).lower()})")
        found: Do = method(node, scope)
        return found

    def beside(self, node: Any, scope: Scope) -> Do:
        """The same where another value is waiting that the state of the run does not show."""
        value = self.value(node, scope)
        if kind_of(node) in _TRIVIAL:
            return value

        def do(e: Frame) -> Any:
            run = e.run
            run.held += 1
            found = value(e)
            run.held -= 1
            return found

        return do

    def test(self, node: Any, scope: Scope) -> Callable[[Frame], bool]:
        """A function that says whether an expression counts as true, which is asked once."""
        kind = kind_of(node)
        if kind == "UnaryOp" and kind_of(node.op) == "Not":
            inner = self.test(node.operand, scope)
            return lambda e: not inner(e)
        if kind == "BoolOp":
            parts, stop = [self.test(part, scope) for part in node.values], kind_of(node.op) == "Or"

            def do(e: Frame) -> bool:
                for part in parts:
                    if part(e) is stop:
                        return stop
                return not stop

            return do
        value = self.value(node, scope)

        def ask(e: Frame) -> bool:
            found = value(e)
            e.run.site = node, "truth"
            return truth(e.run, found)

        return ask

    def e_Constant(self, node: Any, scope: Scope) -> Do:
        value = node.value
        if isinstance(value, str) and not value:
            return lambda e: "" if e.run.always is None else e.run.always.new_text(node)
        large = type(value) is int and abs(value) > MOST_WHOLE
        if large or (value is not None and not isinstance(value, (bool, int, float, str))):
            raise self.refuse(node, "It has a constant that is not read")
        return lambda e: value

    def only_shown(self, node: Any) -> None:
        """Refuse in a message what does something, or what Python may refuse: it is not looked at any further."""
        for x in walk(node):
            name = str(getattr(x, "id", None) or getattr(x, "attr", None) or getattr(x, "arg", None) or "")
            if kind_of(x) in DOING or name.startswith("__") or (kind_of(x) == "keyword" and x.arg is None):
                raise self.refuse(node, "It has a message that does something")

    def e_JoinedStr(self, node: Any, scope: Scope) -> Do:
        self.only_shown(node)

        def do(e: Frame) -> Any:  # in the message of an error it may stand, where none is raised
            raise e.run.stop("It makes a text of a number")

        return do

    def only_said(self, node: Any) -> None:
        """Refuse an annotation that does something."""
        if node is not None and any([kind_of(x) not in _ANNOTATIONS for x in walk(node)]):
            raise self.refuse(node, "It has an annotation that is not read")

    def e_Name(self, node: Any, scope: Scope) -> Do:
        name, depth, at = node.id, 0, scope
        if name.startswith("__"):
            raise self.refuse(node, f"It uses {name}")
        while name not in at.names:
            if at.up is None:
                return self.global_(node, at)
            depth, at = depth + 1, at.up

        def do(e: Frame) -> Any:
            for _ in range(depth):
                e = e.up  # type: ignore[assignment]
            if name in e.names:
                return e.names[name]
            raise Raised(Error("NameError"), f"{name} has no value yet")

        return do

    def global_(self, node: Any, scope: Scope) -> Do:
        try:
            value = self.outside(node.id)
        except Refusal as found:
            raise self.refuse(node, found.reason) from None
        except KeyError:
            if node.id not in BUILTINS:
                raise self.refuse(node, f"It uses {node.id}, which is not read") from None
            value = BUILTINS[node.id]
        return lambda e: value

    def e_BinOp(self, node: Any, scope: Scope) -> Do:
        op, left, right = kind_of(node.op), self.value(node.left, scope), self.beside(node.right, scope)
        return lambda e: binary(e.run, op, left(e), right(e))

    def e_UnaryOp(self, node: Any, scope: Scope) -> Do:
        op, value = kind_of(node.op), self.value(node.operand, scope)
        if op == "Not":
            return self.test(node, scope)
        return lambda e: opposite(e.run, op, value(e))

    def e_BoolOp(self, node: Any, scope: Scope) -> Do:
        parts, stop = [self.value(part, scope) for part in node.values], kind_of(node.op) == "Or"

        def do(e: Frame) -> Any:
            for k, part in enumerate(parts[:-1]):
                found = part(e)
                e.run.site = node, k
                if truth(e.run, found) is stop:
                    return found
            return parts[-1](e)

        return do

    def e_Compare(self, node: Any, scope: Scope) -> Do:
        left = self.value(node.left, scope)
        rest = [(kind_of(op), self.beside(part, scope)) for op, part in zip(node.ops, node.comparators)]
        if len(rest) == 1:
            op, right = rest[0]

            def one(e: Frame) -> Any:
                x, y = left(e), right(e)
                e.run.site = node, 0
                return compare(e.run, op, x, y)

            return one

        def do(e: Frame) -> Any:
            x, found = left(e), True
            for k, (op, part) in enumerate(rest):
                y = part(e)
                e.run.site = node, k
                found = compare(e.run, op, x, y)
                if k < len(rest) - 1 and not truth(e.run, found):
                    return found
                x = y
            return found

        return do

    def e_IfExp(self, node: Any, scope: Scope) -> Do:
        test, yes, no = self.test(node.test, scope), self.value(node.body, scope), self.value(node.orelse, scope)
        return lambda e: yes(e) if test(e) else no(e)

    def e_NamedExpr(self, node: Any, scope: Scope) -> Do:
        if scope.rounds:
            raise self.refuse(node, "It names something inside a list that it makes")
        value, store, name = self.value(node.value, scope), self.storing(node.target.id, scope), node.target.id

        def do(e: Frame) -> Any:
            found = value(e)
            store(e, found)
            return e.names.get(name, found)

        return do

    def e_Lambda(self, node: Any, scope: Scope) -> Do:
        return self.function(node, scope)

    def e_Attribute(self, node: Any, scope: Scope) -> Do:
        value, name = self.value(node.value, scope), node.attr
        return lambda e: attribute(e.run, value(e), name)

    def place(self, node: Any, scope: Scope) -> Do:
        """What stands in square brackets after a list."""
        kind = kind_of(node)
        if kind == "Slice":
            limits = [
                None if part is None else self.beside(part, scope) for part in (node.lower, node.upper, node.step)
            ]

            def do(e: Frame) -> Any:
                return Part(*[None if limit is None else limit(e) for limit in limits])

            return do
        return self.beside(node, scope)

    def e_Subscript(self, node: Any, scope: Scope) -> Do:
        value, place = self.value(node.value, scope), self.place(node.slice, scope)

        def do(e: Frame) -> Any:
            x, k = value(e), place(e)
            e.run.site = node, "place"
            return index(e.run, x, k)

        return do

    def many(self, nodes: list[Any], scope: Scope, after: bool = False) -> Callable[[Frame], list[Any]]:
        """Values one after the other; `after` others that wait."""
        parts = [(self.beside if k or after else self.value)(x, scope) for k, x in enumerate(nodes)]
        return lambda e: [part(e) for part in parts]

    def e_List(self, node: Any, scope: Scope) -> Do:
        if node.elts and kind_of(node.elts[0]) == "Starred":  # [*x, y] is list(x) + [y]
            first, rest = self.value(node.elts[0].value, scope), self.many(node.elts[1:], scope, True)
            return lambda e: binary(e.run, "Add", call(e.run, BUILTINS["list"], first(e)), e.run.new_list(rest(e)))
        items = self.many(node.elts, scope)
        return lambda e: e.run.new_list(items(e), node)

    def e_Tuple(self, node: Any, scope: Scope) -> Do:
        items = self.many(node.elts, scope)
        return lambda e: tuple(items(e))

    def e_Dict(self, node: Any, scope: Scope) -> Do:
        pairs = [(self.beside(key, scope), self.beside(value, scope)) for key, value in zip(node.keys, node.values)]

        def do(e: Frame) -> Any:
            found = Table([])
            for key, value in pairs:
                put(e.run, found, key(e), value(e))
            return found

        return do

    def e_Call(self, node: Any, scope: Scope) -> Do:
        function, given = self.value(node.func, scope), self.many(node.args, scope)
        known = kind_of(node.func) == "Name" and not self.is_own(node.func.id, scope)
        options = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.refuse(node, "It gives a function any number of named arguments (**)")
            options.append((keyword.arg, self.beside(keyword.value, scope)))
        waits = not known and not all([kind_of(x) in _TRIVIAL for x in node.args])
        line = node.lineno

        def do(e: Frame) -> Any:
            run = e.run
            f = function(e)
            run.held += 1 if waits else 0
            arguments = given(e)
            run.held -= 1 if waits else 0
            named = {name: value(e) for name, value in options}
            run.at(line)
            run.site = node, getattr(f, "name", None)
            return call(run, f, *arguments, **named)

        return do

    def is_builtin(self, name: str, scope: Scope | None) -> bool:
        """Whether a name stands for what the language has under it."""
        if self.is_own(name, scope) or name not in BUILTINS:
            return False
        try:
            return self.outside(name) is BUILTINS[name]
        except KeyError:
            return True

    def from_outside(self, nodes: Any, scope: Scope | None) -> set[str]:
        """Which names from outside are numbers, modules, or functions of Python's own."""
        names = {x.id for x in nodes if kind_of(x) == "Name" and not self.is_own(x.id, scope)}
        plain = {name for name in names if isinstance(self.global_value(name), (bool, int, float, Room))}
        return plain | {name for name in names if name in BUILTINS and self.is_builtin(name, scope)}

    def global_value(self, name: str) -> Any:
        """What a name from outside stands for, None if that is not known."""
        try:
            return self.outside(name)
        except (KeyError, Refusal):
            return BUILTINS.get(name)

    def is_own(self, name: str, scope: Scope | None) -> bool:
        """Whether a name is given a value in the program."""
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.up
        return False
