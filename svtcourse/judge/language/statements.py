"""The statements of Python's language, as far as they are read.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.expressions import Scope, kind_of, walk
from svtcourse.judge.language.kinds import (
    Abstract,
    Class,
    Error,
    Frame,
    Function,
    Instance,
    Property,
    Raised,
    Run,
)
from svtcourse.judge.language.library import BUILTINS, attribute, found_in
from svtcourse.judge.language.numpys import MODULES
from svtcourse.judge.language.rounds import Rounds
from svtcourse.judge.language.values import binary, index, iterate, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from svtcourse.judge.language.expressions import Do

__all__ = ["BREAK", "CONTINUE", "RETURN", "Statements", "place_in"]

BREAK, CONTINUE, RETURN = "break", "continue", "return"


class Statements(Rounds):
    """Makes functions of a frame out of statements."""

    loops = 0  # around the statement that is read, in its function

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
        return self.leaves(node, BREAK)

    def s_Continue(self, node: Any, scope: Scope) -> Do:
        return self.leaves(node, CONTINUE)

    def leaves(self, node: Any, how: str) -> Do:
        """A statement that ends a turn."""
        if not self.loops:
            raise self.refuse(node, f"It has a {how} outside of a loop")
        return lambda e: how

    def turn(self, nodes: list[Any], scope: Scope) -> Do:
        """The body of a loop."""
        self.loops += 1
        body = self.block(nodes, scope)
        self.loops -= 1
        return body

    def s_Expr(self, node: Any, scope: Scope) -> Do:
        if kind_of(node.value) == "Yield":
            yielded = self.value(node.value.value, scope) if node.value.value is not None else lambda e: None
            return lambda e: attribute(e.run, e.said, "append").do(e.run, yielded(e))
        value = self.value(node.value, scope)

        def do(e: Frame) -> None:
            value(e)

        return do

    def s_Return(self, node: Any, scope: Scope) -> Do:
        value = self.value(node.value, scope) if node.value is not None else lambda e: None

        def do(e: Frame) -> Any:
            e.names["return"] = value(e)
            return RETURN

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
        self.only_said(node.annotation)
        if kind_of(node.target) != "Name" or not getattr(node, "simple", 1):
            raise self.refuse(node, "It says of a place what kind of thing is in it")
        if node.value is None:
            return lambda e: None
        value, store = self.value(node.value, scope), self.store(node.target, scope)
        return lambda e: store(e, value(e))

    def s_AugAssign(self, node: Any, scope: Scope) -> Do:
        op, value = kind_of(node.op), self.beside(node.value, scope)
        kind = kind_of(node.target)
        if kind == "Name":
            before, store = self.value(node.target, scope), self.store(node.target, scope)

            def onto(e: Frame) -> None:
                store(e, _onto(e.run, op, before(e), value(e)))

            return onto
        if kind not in ("Attribute", "Subscript"):
            raise self.refuse(node, "It puts something onto what is not read")
        of = self.value(node.target.value, scope)
        if kind == "Attribute":
            name = node.target.attr

            def do(e: Frame) -> None:
                one = of(e)
                place_in(e.run, one, name, _onto(e.run, op, attribute(e.run, one, name), value(e)))

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
        test, body = self.test(node.test, scope), self.turn(node.body, scope)
        rest = self.block(node.orelse, scope) if node.orelse else lambda e: None

        def do(e: Frame) -> Any:
            while True:
                e.at, e.run.site = node, None
                e.run.tick()
                if e.run.always is not None:
                    e.run.always.head(node)
                if not test(e):
                    return rest(e)
                flow = body(e)
                if flow is BREAK:
                    return None
                if flow is RETURN:
                    return flow

        return do

    def s_For(self, node: Any, scope: Scope) -> Do:
        over, store = self.value(node.iter, scope), self.store(node.target, scope)
        body = self.turn(node.body, scope)
        rest = self.block(node.orelse, scope) if node.orelse else lambda e: None

        def do(e: Frame) -> Any:
            run, items = e.run, over(e)
            run.site, under = None, [node, items, 0]
            e.loops.append(under)

            def turn(one: Any) -> Any:
                run.tick()
                if not (isinstance(items, Abstract) and items.endless):
                    under[2] += 1
                store(e, one)
                flow = body(e)
                e.at, run.site = node, None
                return None if flow is CONTINUE else flow

            try:
                if isinstance(items, Abstract) and items.each_turn is not None:
                    flow = items.each_turn(run, turn)
                else:
                    flow = next((flow for flow in map(turn, iterate(run, items)) if flow is not None), None)
            finally:
                e.loops.pop()
            return rest(e) if flow is None else None if flow is BREAK else flow

        return do

    def s_Raise(self, node: Any, scope: Scope) -> Do:
        if node.exc is None:
            raise self.refuse(node, "It raises again what it has caught")
        if node.cause is not None and kind_of(node.cause) not in ("Name", "Constant"):
            raise self.refuse(node, "It raises an exception from what is not read")
        value = self.value(node.exc, scope)

        def do(e: Frame) -> Any:
            error = value(e)
            kind = error.of if isinstance(error, Instance) else error
            makes = isinstance(error, Class) and found_in(error, "__init__") is not None
            if makes or not _is_exception(kind):
                raise e.run.stop("It raises what is no exception, or one that does something when it is made")
            raise Raised(kind)

        return do

    def s_Assert(self, node: Any, scope: Scope) -> Do:
        test = self.test(node.test, scope)
        if node.msg is not None:
            self.only_shown(node.msg)
        does = node.msg is not None and any([kind_of(x) == "Call" for x in walk(node.msg)])

        def do(e: Frame) -> None:
            if not test(e):
                if does:
                    raise e.run.stop("It says with what is not read why it stops")
                raise Raised(Error("AssertionError"))

        return do

    def s_Try(self, node: Any, scope: Scope) -> Do:
        if node.finalbody:
            raise self.refuse(node, "It has a statement that is not read (finally)")
        body, rest = self.block(node.body, scope), self.block(node.orelse, scope) if node.orelse else lambda e: None
        handlers = []
        for one in node.handlers:
            known = kind_of(one.type) == "Name" and self.is_builtin(one.type.id, scope)
            if one.name or not known or not isinstance(BUILTINS[one.type.id], Error):
                raise self.refuse(one, "It catches other than one of Python's exceptions, or looks at it")
            handlers.append((BUILTINS[one.type.id], self.block(one.body, scope)))
        known = all([kind.name == "StopIteration" for kind, _ in handlers])

        def do(e: Frame) -> Any:
            if e.run.always is not None and not known:
                raise e.run.stop("it catches exceptions, of which it is not known when they come")
            held, frames, loops = e.run.held, len(e.run.frames), len(e.loops)
            try:
                flow = body(e)
            except Raised as raised:
                e.run.held = held
                del e.run.frames[frames:]
                del e.loops[loops:]
                for kind, handler in handlers:
                    if kind.catches(raised):
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
        around = scope.up
        while around is not None and around.up is not None and not set(node.names) <= around.names:
            around = around.up
        if around is None or around.up is None:
            raise self.refuse(node, "It sets as nonlocal what no function around it has")
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
        if node.level:
            raise self.refuse(node, "It imports from beside itself")
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

    def klass(self, node: Any, scope: Scope) -> Callable[[Frame], Any]:
        """A class that is defined inside a function or a text."""
        raise NotImplementedError

    # what is set

    def store(self, target: Any, scope: Scope) -> Callable[[Frame, Any], None]:
        """A function that sets a name, an attribute, a place, or several of them."""
        kind = kind_of(target)
        if kind == "Name":
            return self.storing(target.id, scope)
        if kind == "Attribute":
            of, name = self.beside(target.value, scope), target.attr
            if name.startswith("__"):
                raise self.refuse(target, f"It sets {name}")
            return lambda e, value: place_in(e.run, of(e), name, value)
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
        if name.startswith("__") and name != "__init__":
            raise self.refuse(None, f"It uses {name}")
        while name not in at.names:
            if at.up is None:
                raise self.refuse(None, f"It sets {name}, which is not its own")
            depth, at = depth + 1, at.up

        def do(e: Frame, value: Any) -> None:
            for _ in range(depth):
                e = e.up  # type: ignore[assignment]
            always = e.run.always
            e.names[name] = value if always is None else always.stored(e, name, value)

        return do


def place_in(run: Run, one: Any, name: str, value: Any) -> None:
    """Set an attribute."""
    if isinstance(one, (Class, Function)):
        raise run.stop(f"It keeps something between calls (.{name})")
    if not isinstance(one, Instance) or name.startswith("__"):
        raise run.stop(f"It sets .{name}, which is not read")
    if isinstance(found_in(one.of, name), Property):
        raise run.stop(f"It sets .{name}, which is a property")
    one.names[name] = value if run.always is None else run.always.stored(one, name, value)


def _onto(run: Run, op: str, x: Any, y: Any) -> Any:
    """What is put onto something: a list is lengthened where it is."""
    if op == "Add" and isinstance(x, list):
        if not isinstance(y, (list, tuple, str)):
            raise run.stop("It lengthens a list by what is none")  # to an array, Python adds it element by element
        x.extend(list(iterate(run, y)))
        run.fits(len(x))
        return x
    if isinstance(x, list):
        if op != "Mult" or type(y) is not int:
            raise run.stop("It puts onto a list what is not read")
        run.fits(len(x) * y)
        x[:] = x * y
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
        x.items[:] = found.items
        return x
    return found


def _is_exception(kind: Any) -> bool:
    while isinstance(kind, Class):
        kind = kind.base
    return isinstance(kind, Error)
