"""Python's language, as far as it is read: a program's tree is made into functions of a frame, and then run.

The tree is one of the module `ast`, or of `svtcourse.judge.parsing`.  Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.library import BUILTINS, MODULES, attribute, call
from svtcourse.judge.parsing import Node, Refusal
from svtcourse.judge.values import (
    Abstract,
    Class,
    Error,
    Frame,
    Function,
    Instance,
    Iter,
    Part,
    Raised,
    Run,
    Table,
    binary,
    compare,
    index,
    iterate,
    length,
    opposite,
    put,
    truth,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Do = Callable[[Frame], Any]

__all__ = ["Code", "Compiler", "Scope", "bound", "children", "kind_of", "walk"]

_NEXT, _BREAK, _CONTINUE, _RETURN = None, "break", "continue", "return"
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
    elif kind == "ExceptHandler" and node.name:
        found.add(node.name)
    for target in targets:
        _named(target, found)
    for child in children(node):
        bound(child, found)


def _named(target: Any, found: set[str]) -> None:
    kind = kind_of(target)
    if kind == "Name":
        found.add(target.id)
    elif kind in ("Tuple", "List"):
        for part in target.elts:
            _named(part, found)
    elif kind == "Starred":
        _named(target.value, found)


class Scope:
    """The names of a function, a round through a list, or a text, and what is around it."""

    def __init__(self, names: set[str], up: Scope | None, outside: Callable[[str], Any] | None = None) -> None:
        self.names, self.up, self.outside = names, up, outside
        self.rounds = False


class Code:
    """A function's parameters and body."""

    def __init__(self, node: Any, name: str, parameters: list[str], alone: list[str], star: str | None) -> None:
        self.node, self.name, self.parameters, self.alone, self.star = node, name, parameters, alone, star
        self.body: Callable[[Frame], Any] = lambda frame: None
        self.yields: Callable[[Frame], Iterator[Any]] | None = None

    def bound(self, run: Run, function: Function, given: Any, options: dict[str, Any]) -> Frame:
        """A frame with the arguments."""
        frame = Frame(run, function.up, self.node)
        names = frame.names
        if len(given) > len(self.parameters) and self.star is None:
            raise Raised(Error("TypeError"), f"{self.name} takes {len(self.parameters)} arguments")
        for name, value in zip(self.parameters, given):
            names[name] = value
        if self.star is not None:
            names[self.star] = tuple(given[len(self.parameters) :])
        for name, value in options.items():
            if name in names or name not in self.parameters + self.alone:
                raise Raised(Error("TypeError"), f"{self.name} got an argument {name}")
            names[name] = value
        for name in self.parameters + self.alone:
            if name not in names:
                if name not in function.defaults:
                    raise Raised(Error("TypeError"), f"{self.name} needs an argument {name}")
                names[name] = function.defaults[name]
        return frame

    def called(self, run: Run, function: Function, given: Any, options: dict[str, Any], said: Any = None) -> Any:
        """What the function returns; what it yields is kept in `said`, if that is given."""
        run.tick()
        frame = self.bound(run, function, given, options)
        if self.yields is not None and said is None:
            return Iter(self.yields(frame))
        frame.said, frame.site = said, run.site
        if len(run.frames) > 60:
            raise run.stop("It goes deeper than can be read")
        run.frames.append(frame)
        try:
            return self.body(frame)
        finally:
            run.frames.pop()


class Compiler:
    """Makes functions of trees.

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

    # statements: each returns what comes next

    def block(self, nodes: list[Any], scope: Scope) -> Do:
        """One statement after the other."""
        parts = [self.statement(node, scope) for node in nodes]
        if len(parts) == 1:
            return parts[0]

        def do(e: Frame) -> Any:
            for part in parts:
                flow = part(e)
                if flow is not None:
                    return flow
            return None

        return do

    def statement(self, node: Any, scope: Scope) -> Do:
        """One."""
        method = getattr(self, "s_" + kind_of(node), None)
        if method is None:
            raise self.refuse(node)
        inner, line = method(node, scope), node.lineno

        def do(e: Frame) -> Any:
            e.at = node
            e.run.at(line)
            return inner(e)

        return do

    def s_Pass(self, node: Any, scope: Scope) -> Do:
        return lambda e: None

    def s_Break(self, node: Any, scope: Scope) -> Do:
        return lambda e: _BREAK

    def s_Continue(self, node: Any, scope: Scope) -> Do:
        return lambda e: _CONTINUE

    def s_Expr(self, node: Any, scope: Scope) -> Do:
        kind = kind_of(node.value)
        if kind in ("Yield", "YieldFrom"):
            value = self.value(node.value.value, scope) if node.value.value is not None else lambda e: None

            def say(e: Frame) -> None:
                said = value(e)
                for one in [said] if kind == "Yield" else iterate(e.run, said):
                    attribute(e.run, e.said, "append").do(e.run, one)

            return say
        value = self.value(node.value, scope)

        def do(e: Frame) -> None:
            value(e)

        return do

    def s_Return(self, node: Any, scope: Scope) -> Do:
        value = self.value(node.value, scope) if node.value is not None else lambda e: None

        def do(e: Frame) -> Any:
            e.names["return"] = value(e)
            return _RETURN

        return do

    def s_Assign(self, node: Any, scope: Scope) -> Do:
        value = self.value(node.value, scope)
        stores = [self.store(target, scope) for target in node.targets]

        def do(e: Frame) -> None:
            found = value(e)
            for store in stores:
                store(e, found)

        return do

    def s_AnnAssign(self, node: Any, scope: Scope) -> Do:
        if node.value is None:
            return lambda e: None
        value, store = self.value(node.value, scope), self.store(node.target, scope)
        return lambda e: store(e, value(e))

    def s_AugAssign(self, node: Any, scope: Scope) -> Do:
        op, value = kind_of(node.op), self.beside(node.value, scope)
        kind = kind_of(node.target)
        if kind == "Name":
            before, store = self.value(node.target, scope), self.store(node.target, scope)
            return lambda e: store(e, _onto(e.run, op, before(e), value(e)))
        of = self.value(node.target.value, scope)
        if kind == "Attribute":
            name = node.target.attr

            def do(e: Frame) -> None:
                one = of(e)
                _set(e.run, one, name, _onto(e.run, op, attribute(e.run, one, name), value(e)))

            return do
        place = self.place(node.target.slice, scope)

        def at(e: Frame) -> None:
            one, k = of(e), place(e)
            put(e.run, one, k, _onto(e.run, op, index(e.run, one, k), value(e)))

        return at

    def s_If(self, node: Any, scope: Scope) -> Do:
        test, yes = self.test(node.test, scope), self.block(node.body, scope)
        no = self.block(node.orelse, scope) if node.orelse else lambda e: None
        return lambda e: yes(e) if test(e) else no(e)

    def s_While(self, node: Any, scope: Scope) -> Do:
        test, body = self.test(node.test, scope), self.block(node.body, scope)
        rest = self.block(node.orelse, scope) if node.orelse else lambda e: None

        def do(e: Frame) -> Any:
            while True:
                e.at = node
                e.run.tick()
                if e.run.always is not None:
                    e.run.always.head(node)
                if not test(e):
                    return rest(e)
                flow = body(e)
                if flow is _BREAK:
                    return None
                if flow is _RETURN:
                    return flow

        return do

    def s_For(self, node: Any, scope: Scope) -> Do:
        over, store = self.value(node.iter, scope), self.store(node.target, scope)
        body = self.block(node.body, scope)
        rest = self.block(node.orelse, scope) if node.orelse else lambda e: None

        def do(e: Frame) -> Any:
            run, items = e.run, over(e)
            under = [node, items, 0]
            e.loops.append(under)
            try:
                for one in iterate(run, items):
                    run.tick()
                    if not (isinstance(items, Abstract) and items.endless):
                        under[2] += 1
                    store(e, one)
                    flow = body(e)
                    e.at = node
                    if flow is _BREAK:
                        return None
                    if flow is _RETURN:
                        return flow
            finally:
                e.loops.pop()
            return rest(e)

        return do

    def s_Raise(self, node: Any, scope: Scope) -> Do:
        if node.exc is None:
            raise self.refuse(node, "It raises again what it has caught")
        value = self.value(node.exc, scope)

        def do(e: Frame) -> Any:
            error = value(e)
            kind = error.of if isinstance(error, Instance) else error
            if not isinstance(kind, (Error, Class)):
                raise e.run.stop("It raises what is no exception")
            raise Raised(kind)

        return do

    def s_Assert(self, node: Any, scope: Scope) -> Do:
        test = self.test(node.test, scope)

        def do(e: Frame) -> None:
            if not test(e):
                raise Raised(Error("AssertionError"))

        return do

    def s_Try(self, node: Any, scope: Scope) -> Do:
        if node.finalbody:
            raise self.refuse(node, "It has a statement that is not read (finally)")
        body, rest = self.block(node.body, scope), self.block(node.orelse, scope) if node.orelse else lambda e: None
        handlers = []
        for one in node.handlers:
            kinds = [] if one.type is None else one.type.elts if kind_of(one.type) == "Tuple" else [one.type]
            if one.name and any([kind_of(x) == "Name" and x.id == one.name for b in one.body for x in walk(b)]):
                raise self.refuse(one, "It looks at an exception that it has caught")
            handlers.append((one.type is None, [self.value(k, scope) for k in kinds], self.block(one.body, scope)))

        def do(e: Frame) -> Any:
            held, frames, loops = e.run.held, len(e.run.frames), len(e.loops)
            try:
                flow = body(e)
            except Raised as raised:
                e.run.held = held
                del e.run.frames[frames:]
                del e.loops[loops:]
                for bare, kinds, handler in handlers:
                    if bare or any([_catches(kind(e), raised) for kind in kinds]):
                        return handler(e)
                raise
            return rest(e) if flow is None else flow

        return do

    def s_FunctionDef(self, node: Any, scope: Scope) -> Do:
        if node.decorator_list:
            raise self.refuse(node, "It has a decorated function")
        make, store = self.function(node, scope), self.storing(node.name, scope)
        return lambda e: store(e, make(e))

    def s_ClassDef(self, node: Any, scope: Scope) -> Do:
        make, store = self.klass(node, scope), self.storing(node.name, scope)
        return lambda e: store(e, make(e))

    def s_Nonlocal(self, node: Any, scope: Scope) -> Do:
        return lambda e: None

    def s_Global(self, node: Any, scope: Scope) -> Do:
        raise self.refuse(node, "It keeps something between calls (global)")

    def s_Import(self, node: Any, scope: Scope) -> Do:
        stores = []
        for alias in node.names:
            if alias.name not in MODULES or (alias.name == "scipy.stats" and not alias.asname):
                raise self.refuse(node, f"It imports {alias.name}")
            stores.append((self.storing(alias.asname or alias.name, scope), MODULES[alias.name]))

        def do(e: Frame) -> None:
            for store, module in stores:
                store(e, module)

        return do

    def s_ImportFrom(self, node: Any, scope: Scope) -> Do:
        stores = []
        for alias in node.names:
            module = MODULES.get(f"{node.module}.{alias.name}")
            found = MODULES[node.module].has.get(alias.name) if node.module in MODULES else None
            if module is None and found is None:
                raise self.refuse(node, f"It imports {alias.name} from {node.module}")
            stores.append((self.storing(alias.asname or alias.name, scope), module if found is None else found))

        def do(e: Frame) -> None:
            for store, value in stores:
                store(e, value)

        return do

    # functions and classes

    def code(self, node: Any, scope: Scope | None, name: str, lambda_: bool = False) -> Code:
        """A function's code."""
        a = node.args
        if a.kwarg is not None:
            raise self.refuse(node, "It has a function with any number of named arguments (**)")
        parameters = [one.arg for one in list(getattr(a, "posonlyargs", [])) + list(a.args)]
        alone = [one.arg for one in a.kwonlyargs]
        star = a.vararg.arg if a.vararg is not None else None
        names, held = set(parameters + alone + ([star] if star else [])), set()
        for part in [] if lambda_ else node.body:
            bound(part, names)
        if lambda_:
            bound(node.body, names)
        for part in [] if lambda_ else self.own(node.body):
            if kind_of(part) == "Nonlocal":
                held |= set(part.names)
        made = Code(node, name, parameters, alone, star)
        inner = Scope(names - held, scope)
        if lambda_:
            made.body = self.value(node.body, inner)
            return made
        body = self.block(node.body, inner)

        def do(e: Frame) -> Any:
            return e.names.get("return") if body(e) is _RETURN else None

        made.body = do
        if any([kind_of(part) in ("Yield", "YieldFrom") for part in self.own(node.body)]):
            handed = self.handed(node.body, inner)

            def yields(e: Frame) -> Iterator[Any]:
                for one in handed(e):
                    if one is not _BREAK and one is not _RETURN and one is not _CONTINUE:
                        yield one[0]

            made.yields = yields
        return made

    def own(self, nodes: list[Any]) -> list[Any]:
        """The nodes of a function, without those of functions inside it."""
        found = []
        for node in nodes:
            found.append(node)
            if kind_of(node) not in ("FunctionDef", "Lambda", "ClassDef"):
                found += self.own(children(node))
        return found

    def handed(self, nodes: list[Any], scope: Scope) -> Callable[[Frame], Iterator[Any]]:
        """Statements of which some yield: each element in a tuple of its own, and last what comes next, if anything."""
        parts: list[Any] = []
        for node in nodes:
            kind = kind_of(node)
            if not any([kind_of(part) in ("Yield", "YieldFrom") for part in self.own([node])]):
                parts.append((None, self.statement(node, scope)))
            elif kind == "Expr" and kind_of(node.value) == "Yield" and node.value.value is not None:
                parts.append((self.one_yield(self.value(node.value.value, scope)), None))
            elif kind == "If":
                yes, no = self.handed(node.body, scope), self.handed(node.orelse, scope)
                parts.append((self.if_yields(self.test(node.test, scope), yes, no), None))
            elif kind in ("For", "While") and not node.orelse:
                parts.append((self.loop_yields(node, scope), None))
            else:
                raise self.refuse(node, "It yields in a way that is not read")

        def do(e: Frame) -> Iterator[Any]:
            for gives, plain in parts:
                if plain is not None:
                    flow = plain(e)
                    if flow is not None:
                        yield flow
                        return
                    continue
                for one in gives(e):
                    yield one
                    if one is _BREAK or one is _RETURN or one is _CONTINUE:
                        return

        return do

    def one_yield(self, value: Do) -> Callable[[Frame], Iterator[Any]]:
        def do(e: Frame) -> Iterator[Any]:
            yield (value(e),)

        return do

    def if_yields(self, test: Any, yes: Any, no: Any) -> Callable[[Frame], Iterator[Any]]:
        def do(e: Frame) -> Iterator[Any]:
            yield from yes(e) if test(e) else no(e)

        return do

    def loop_yields(self, node: Any, scope: Scope) -> Callable[[Frame], Iterator[Any]]:
        body = self.handed(node.body, scope)
        loop = kind_of(node) == "For"
        head = self.value(node.iter, scope) if loop else self.test(node.test, scope)
        store = self.store(node.target, scope) if loop else None

        def rounds(e: Frame) -> Iterator[None]:
            if store is None:
                while head(e):
                    yield
            else:
                for one in iterate(e.run, head(e)):
                    store(e, one)
                    yield

        def do(e: Frame) -> Iterator[Any]:
            if e.run.always is not None:
                raise e.run.stop("It has a generator of its own")
            for _ in rounds(e):
                e.run.tick()
                for one in body(e):
                    if one is _BREAK:
                        return
                    if one is _CONTINUE:
                        break
                    yield one
                    if one is _RETURN:
                        return

        return do

    def function(self, node: Any, scope: Scope) -> Callable[[Frame], Function]:
        """A function that is defined inside another."""
        lambda_ = kind_of(node) == "Lambda"
        code = self.code(node, scope, "<lambda>" if lambda_ else node.name, lambda_)
        a = node.args
        last = code.parameters[len(code.parameters) - len(a.defaults) :]
        given = list(zip(last, a.defaults)) + [(k, v) for k, v in zip(code.alone, a.kw_defaults) if v is not None]
        values = [(name, self.beside(value, scope)) for name, value in given]

        def make(e: Frame) -> Function:
            return Function(code, e, {name: value(e) for name, value in values})

        return make

    def klass(self, node: Any, scope: Scope) -> Callable[[Frame], Class]:
        """A class: methods, and constants."""
        if node.decorator_list or getattr(node, "keywords", []):
            raise self.refuse(node, "It has a class made in a way that is not read")
        bases = [self.value(base, scope) for base in node.bases]
        if len(bases) > 1:
            raise self.refuse(node, "It has a class made of several")
        parts = []
        for part in node.body:
            kind = kind_of(part)
            if kind == "FunctionDef" and not part.decorator_list:
                if part.name.startswith("__") and part.name != "__init__":
                    raise self.refuse(part, f"It defines {part.name}")
                parts.append((part.name, self.function(part, scope)))
            elif kind == "Assign" and kind_of(part.targets[0]) == "Name" and len(part.targets) == 1:
                parts.append((part.targets[0].id, self.beside(part.value, scope)))
            elif kind not in ("Pass",) and not (kind == "Expr" and kind_of(part.value) == "Constant"):
                raise self.refuse(part, "It has a class with more than methods and constants")

        def make(e: Frame) -> Class:
            base = bases[0](e) if bases else None
            if base is not None and not isinstance(base, (Class, Error)):
                raise e.run.stop("It has a class made of another one")
            names: dict[str, Any] = {}
            for name, value in parts:
                names[name] = value(e)
                if not isinstance(names[name], (Function, bool, int, float, str, tuple, type(None))):
                    raise e.run.stop("It keeps something for all objects of a class")
            return Class(node.name, base, names)

        return make

    # what is set

    def store(self, target: Any, scope: Scope) -> Callable[[Frame, Any], None]:
        """A function that sets a name, an attribute, a place, or several of them."""
        kind = kind_of(target)
        if kind == "Name":
            return self.storing(target.id, scope)
        if kind == "Attribute":
            of, name = self.beside(target.value, scope), target.attr
            return lambda e, value: _set(e.run, of(e), name, value)
        if kind == "Subscript":
            base, place = self.beside(target.value, scope), self.place(target.slice, scope)
            return lambda e, value: put(e.run, base(e), place(e), value)
        if kind not in ("Tuple", "List"):
            raise self.refuse(target, "It sets what is not read")
        parts = [self.store(part, scope) for part in target.elts]

        def do(e: Frame, value: Any) -> None:
            if isinstance(value, Abstract):
                raise value.refused(e.run)
            values = list(iterate(e.run, value))
            if len(values) != len(parts):
                raise Raised(Error("ValueError"), "not as many as there are names")
            for part, one in zip(parts, values):
                part(e, one)

        return do

    def storing(self, name: str, scope: Scope) -> Callable[[Frame, Any], None]:
        depth, at = 0, scope
        while name not in at.names:
            if at.up is None:
                raise Refusal(f"It sets {name}, which is not its own")
            depth, at = depth + 1, at.up

        def do(e: Frame, value: Any) -> None:
            for _ in range(depth):
                e = e.up  # type: ignore[assignment]
            always = e.run.always
            e.names[name] = value if always is None else always.stored(e, name, value)

        return do

    # values

    def value(self, node: Any, scope: Scope) -> Do:
        """A function that gives the value of an expression."""
        method = getattr(self, "e_" + kind_of(node), None)
        if method is None:
            what = {"JoinedStr": "It makes a text of a number"}.get(kind_of(node))
            raise self.refuse(node, what or f"It has an expression that is not read ({kind_of(node).lower()})")
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
        return lambda e: truth(e.run, value(e))

    def e_Constant(self, node: Any, scope: Scope) -> Do:
        value = node.value
        if isinstance(value, str) and not value:
            return lambda e: "" if e.run.always is None else e.run.always.new_text(node)
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise self.refuse(node, "It has a constant that is not read")
        return lambda e: value

    def e_Name(self, node: Any, scope: Scope) -> Do:
        name, depth, at = node.id, 0, scope
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
            for part in parts[:-1]:
                found = part(e)
                if truth(e.run, found) is stop:
                    return stop if isinstance(found, Abstract) and not stop else found
            return parts[-1](e)

        return do

    def e_Compare(self, node: Any, scope: Scope) -> Do:
        left = self.value(node.left, scope)
        rest = [(kind_of(op), self.beside(part, scope)) for op, part in zip(node.ops, node.comparators)]
        if len(rest) == 1:
            op, right = rest[0]
            return lambda e: compare(e.run, op, left(e), right(e))

        def do(e: Frame) -> Any:
            x, found = left(e), True
            for k, (op, part) in enumerate(rest):
                y = part(e)
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
        around = scope
        while around.rounds:
            around = around.up  # type: ignore[assignment]
        depth, at = 0, scope
        while at is not around:
            depth, at = depth + 1, at.up  # type: ignore[assignment]
        value, store = self.value(node.value, scope), self.storing(node.target.id, around)

        def do(e: Frame) -> Any:
            found, frame = value(e), e
            for _ in range(depth):
                frame = frame.up  # type: ignore[assignment]
            store(frame, found)
            return frame.names.get(node.target.id, found)

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
        return lambda e: index(e.run, value(e), place(e))

    def many(self, nodes: list[Any], scope: Scope, after: bool = False) -> Callable[[Frame], list[Any]]:
        """Values one after the other, those with a star all in a row; `after` others that wait."""
        parts = [
            (
                kind_of(x) == "Starred",
                (self.beside if k or after else self.value)(x.value if kind_of(x) == "Starred" else x, scope),
            )
            for k, x in enumerate(nodes)
        ]

        def do(e: Frame) -> list[Any]:
            found: list[Any] = []
            for star, part in parts:
                one = part(e)
                found += list(iterate(e.run, one)) if star and not isinstance(one, Abstract) else [one]
                if star and isinstance(one, Abstract):
                    raise one.refused(e.run)
            return found

        return do

    def e_List(self, node: Any, scope: Scope) -> Do:
        if node.elts and kind_of(node.elts[0]) == "Starred":  # [*x, y] is x + [y]
            first, rest = self.value(node.elts[0].value, scope), self.many(node.elts[1:], scope, True)
            return lambda e: binary(e.run, "Add", call(e.run, BUILTINS["list"], first(e)), e.run.new_list(rest(e)))
        items = self.many(node.elts, scope)
        return lambda e: e.run.new_list(items(e), node)

    def e_Tuple(self, node: Any, scope: Scope) -> Do:
        items = self.many(node.elts, scope)
        return lambda e: tuple(items(e))

    def e_Dict(self, node: Any, scope: Scope) -> Do:
        keys, values = self.many(node.keys, scope), self.many(node.values, scope, True)
        return lambda e: Table([[k, v] for k, v in zip(keys(e), values(e))])

    def e_Call(self, node: Any, scope: Scope) -> Do:
        folded = self.folded(node, scope)
        if folded is not None:
            return folded
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
            run.site = node
            return call(run, f, *arguments, **named)

        return do

    def is_own(self, name: str, scope: Scope | None) -> bool:
        """Whether a name is given a value in the program."""
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.up
        return False

    # rounds through a list

    def rounds(self, node: Any, generators: list[Any], scope: Scope, give: Callable[[Frame], Any]) -> Any:
        """All that `give` gives, for each element that is not left out."""
        levels = []
        for one in generators:
            over = self.value(one.iter, scope if one is generators[0] else node.inner)
            store = self.store(one.target, node.inner)
            levels.append((over, store, [self.test(test, node.inner) for test in one.ifs]))

        def at(level: int, frame: Frame, items: Any) -> Iterator[Any]:
            _, store, tests = levels[level]
            run, last = frame.run, level == len(levels) - 1
            if level and isinstance(items, Abstract):
                raise items.refused(run)
            for one in iterate(run, items):
                run.tick()
                store(frame, one)
                run.held += 1
                taken = all(test(frame) for test in tests)
                found = give(frame) if taken and last else None
                run.held -= 1
                if taken and last:
                    yield found
                elif taken:
                    yield from at(level + 1, frame, levels[level + 1][0](frame))

        return levels[0][0], lambda frame, items: at(0, frame, items)

    def inside(self, node: Any, generators: list[Any], scope: Scope) -> Any:
        """The names of the rounds, in a scope of their own."""
        names: set[str] = set()
        for one in generators:
            _named(one.target, names)
        inner = Scope(names, scope)
        inner.rounds = True
        return inner

    def comprehension(self, node: Any, scope: Scope, elt: Any) -> Any:
        holder = Node("rounds", node.lineno)
        holder.inner = self.inside(node, node.generators, scope)
        give = self.value(elt, holder.inner)
        first, rounds = self.rounds(holder, node.generators, scope, give)
        return first, rounds

    def e_ListComp(self, node: Any, scope: Scope) -> Do:
        first, rounds = self.comprehension(node, scope, node.elt)

        def do(e: Frame) -> Any:
            run, items, frame = e.run, first(e), Frame(e.run, e, node)
            if isinstance(items, Abstract) and run.always is not None:
                return run.always.comprehension(node, items, frame, rounds)
            return run.new_list(list(rounds(frame, items)))

        return do

    def e_GeneratorExp(self, node: Any, scope: Scope) -> Do:
        first, rounds = self.comprehension(node, scope, node.elt)

        def do(e: Frame) -> Any:
            run, items, frame = e.run, first(e), Frame(e.run, e, node)
            if isinstance(items, Abstract) and run.always is not None:
                return run.always.generator(node, items, frame, rounds)
            return Iter(rounds(frame, items))

        return do

    def folded(self, node: Any, scope: Scope) -> Do | None:
        """sum, len, any or all of a list made of what was said: of that, a run on a list of any length may keep it."""
        if (
            kind_of(node.func) != "Name"
            or node.func.id not in ("sum", "len", "any", "all")
            or self.is_own(node.func.id, scope)
        ):
            return None
        if len(node.args) != 1 or node.keywords or kind_of(node.args[0]) not in ("ListComp", "GeneratorExp"):
            return None
        inner = node.args[0]
        one = inner.generators[0]
        if len(inner.generators) > 1 or kind_of(one.iter) != "Name" or kind_of(one.target) != "Name":
            return None
        names = [x.id for part in [inner.elt] + list(one.ifs) for x in walk(part) if kind_of(x) == "Name"]
        calls = [x for part in [inner.elt] + list(one.ifs) for x in walk(part) if kind_of(x) in ("Call", "NamedExpr")]
        if calls or set(names) - {one.target.id}:
            return None
        plain, function, name = self.value(inner, scope), BUILTINS[node.func.id], node.func.id
        items, (_, rounds) = self.value(one.iter, scope), self.comprehension(inner, scope, inner.elt)

        def do(e: Frame) -> Any:
            said = items(e)
            if e.run.always is not None and isinstance(said, Abstract):

                def fold(some: list[Any]) -> Any:
                    found = list(rounds(Frame(e.run, e, inner), some))
                    return len(found) if name == "len" else call(e.run, function, found)

                return e.run.always.folded(said, node, fold)
            made = plain(e)
            return length(e.run, made) if name == "len" else call(e.run, function, made)

        return do


def _set(run: Run, one: Any, name: str, value: Any) -> None:
    if isinstance(one, (Class, Function)):
        raise run.stop(f"It keeps something between calls (.{name})")
    if not isinstance(one, Instance) or name.startswith("__"):
        raise run.stop(f"It sets .{name}, which is not read")
    one.names[name] = value if run.always is None else run.always.stored(one, name, value)


def _onto(run: Run, op: str, x: Any, y: Any) -> Any:
    """What is put onto something: a list is lengthened where it is."""
    if op == "Add" and isinstance(x, list):
        if not isinstance(y, (list, tuple, str)) and not hasattr(y, "items"):
            raise run.stop("It lengthens a list by what is none")
        x.extend(list(iterate(run, y)))
        return x
    if isinstance(x, Abstract):
        return x.onto(run, op, y)
    found = binary(run, op, x, y)
    if type(x).__name__ == "Row":
        if (
            x.shared
            or not isinstance(found, type(x))
            or [type(y) for y in x.items[:1]] != [type(y) for y in found.items[:1]]
        ):
            raise run.stop("It changes an array that has slices, or makes one of another kind")
        x.items = found.items
        return x
    return found


def _catches(kind: Any, raised: Raised) -> bool:
    if isinstance(kind, Error):
        return kind.catches(raised)
    found = raised.kind
    while isinstance(found, Class) and found is not kind:
        found = found.base
    return found is kind
