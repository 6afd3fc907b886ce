"""A program's tree, interpreted: statement by statement.  Plain Python that MicroPython runs too."""

from __future__ import annotations

from svtcourse.judge.language.attributes import attribute
from svtcourse.judge.language.expressions import BREAK, CONTINUE, RETURN, Expressions
from svtcourse.judge.language.grammar import OF_A_METHOD, kind_of, names_in, walk
from svtcourse.judge.language.kinds import Abstract, Class, Error, Frame, Function, Raised
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.methods import METHODS
from svtcourse.judge.language.noise import MODULES
from svtcourse.judge.language.values import index, onto, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Machine"]

_END = object()  # of what is gone through
_SAID = "Constant", "JoinedStr", "Name", "Attribute"  # what an exception may say


class Machine(Expressions):
    """Interprets trees in one run."""

    # statements: each gives what comes next

    def block(self, nodes: list[Any], e: Frame) -> Any:
        """One statement after the other; a long block takes more than a turn."""
        if len(nodes) > 5:
            self.run.tick(len(nodes) // 6)
        for node in nodes:
            self.run.at(node.lineno)
            flow = getattr(self, node.runs)(node, e)
            if flow is not None:
                return flow
        return None

    def s_Pass(self, node: Any, e: Frame) -> None:
        pass

    s_Nonlocal = s_Pass

    def s_Break(self, node: Any, e: Frame) -> str:
        return BREAK

    def s_Continue(self, node: Any, e: Frame) -> str:
        return CONTINUE

    def s_Expr(self, node: Any, e: Frame) -> None:
        if kind_of(node.value) != "Yield":
            self.value(node.value, e)
            return
        found = None if node.value.value is None else self.value(node.value.value, e)
        if e.said is None:
            raise self.run.stop("It has a generator of its own")
        if self.run.always is not None:
            self.run.always.reveal(found, one=True)
        else:
            METHODS["list"]["append"](self.run, e.said, found)

    def s_Return(self, node: Any, e: Frame) -> str:
        e.names["return"] = None if node.value is None else self.value(node.value, e)
        return RETURN

    def s_Assign(self, node: Any, e: Frame) -> None:
        found = self.value(node.value, e)
        for target in node.targets:
            self.store(target, e, found)

    def s_AnnAssign(self, node: Any, e: Frame) -> None:
        if node.value is not None:
            self.store(node.target, e, self.value(node.value, e))

    def s_AugAssign(self, node: Any, e: Frame) -> None:
        op, target = kind_of(node.op), node.target
        kind = kind_of(target)
        if kind == "Name":
            before = self.value(target, e)
            self.store(target, e, onto(self.run, op, before, self.beside(node.value, e, before)))
            return
        one = self.value(target.value, e)
        if kind == "Attribute":
            before = attribute(self.run, one, target.attr)
            found = onto(self.run, op, before, self.beside(node.value, e, one, before))
            self.place_in(one, target.attr, found)
            return
        place = self.beside(target.slice, e, one)
        before = index(self.run, one, place)
        put(self.run, one, place, onto(self.run, op, before, self.beside(node.value, e, one, place, before)))

    def s_If(self, node: Any, e: Frame) -> Any:
        return self.block(node.body if self.test(node.test, e) else node.orelse, e)

    def s_While(self, node: Any, e: Frame) -> Any:
        while True:
            self.run.tick()
            if self.run.always is not None:
                self.run.always.head(node)
            if not self.test(node.test, e):
                return self.block(node.orelse, e)
            flow = self.block(node.body, e)
            if flow is BREAK:
                return None
            if flow is RETURN:
                return flow

    def s_For(self, node: Any, e: Frame) -> Any:
        items = self.value(node.iter, e)
        way: Any = object()
        under, counts = [node, items, 0, way], not isinstance(items, Abstract) or items.exact() is not None
        e.loops.append(under)
        for one in self.each(items, node, way):
            self.run.tick()
            under[2] += counts
            self.store(node.target, e, one)
            flow = self.block(node.body, e)
            if flow is BREAK or flow is RETURN:
                e.loops.pop()
                return None if flow is BREAK else flow
        e.loops.pop()
        return self.block(node.orelse, e)

    def s_Try(self, node: Any, e: Frame) -> Any:
        body, after = node.body[0], node.handlers[0]
        self.run.at(body.lineno)
        function, ended = self.value(body.value.func, e), self.value(after.type, e)
        if function is not BUILTINS["next"] or ended is not BUILTINS["StopIteration"]:
            raise self.run.stop("It has a statement that is not read (try)")
        depth = len(self.run.frames)
        found = self.call(function, [self.value(body.value.args[0], e), _END], {})
        del self.run.frames[depth:]
        if found is _END:
            return self.block(after.body, e)
        self.store(body.targets[0], e, found)
        return None

    def s_Raise(self, node: Any, e: Frame) -> None:
        called = kind_of(node.exc) == "Call"
        if called and not all([kind_of(x) in _SAID for x in node.exc.args] + [not node.exc.keywords]):
            raise self.run.stop("It raises an exception that says what is not read")
        kind = self.value(node.exc.func if called else node.exc, e)
        told = [one for text in (node.exc.args if called else ()) for one in self.say(text, e)]
        if isinstance(kind, Error) or (isinstance(kind, Class) and kind.error):
            raise Raised(kind.name, ", ".join(told), meant=True)
        raise self.run.stop("It raises what is no exception")

    def s_Assert(self, node: Any, e: Frame) -> None:
        if node.msg is not None and kind_of(node.msg) not in _SAID:
            raise self.run.stop("It says with what is not read why it stops")
        try:
            if not self.looking(lambda: self.test(node.test, e)):
                raise Raised("AssertionError")
        except Raised as error:
            if self.run.fork is not None:
                raise self.run.stop("It ends by assert, which python -O leaves out") from error
            raise

    def say(self, text: Any, e: Frame) -> list[str]:
        """The values in a text that an exception shows, or one alone: they have to be known."""
        told = []
        alone = [text] if kind_of(text) in ("Name", "Attribute") else []
        inside = names_in(text) if kind_of(text) == "JoinedStr" else alone
        if inside is None:
            raise self.run.stop("It raises an exception that says what is not read")
        for node in inside:
            found = self.value(node, e)
            if found is not None and not isinstance(found, (bool, int, float, str)):
                name = node.id if kind_of(node) == "Name" else f"{getattr(node.value, 'id', '…')}.{node.attr}"
                raise self.run.stop(f"It raises an exception that tells what {name} is")
            told.append(str(found))
        return told

    def s_FunctionDef(self, node: Any, e: Frame) -> None:
        self.set(e, node.name, self.function(node, e))

    def s_ClassDef(self, node: Any, e: Frame) -> None:
        base = self.value(node.bases[0], e) if node.bases else None
        error = isinstance(base, Error) or (isinstance(base, Class) and base.error)
        if base is not None and not error:
            raise self.run.stop("It has a class made of another one")
        names: dict[str, Any] = {}
        for part in node.body:
            kind = kind_of(part)
            if kind == "FunctionDef" and not error:
                if any(
                    [
                        kind_of(x) == "Name"
                        for y in list(part.args.defaults) + list(part.args.kw_defaults)
                        for x in walk(y)
                    ]
                ):
                    raise self.run.stop("It has a method with a default that is not a constant")
                names[part.name] = self.method(part, e)
                if any([by in names for by in OF_A_METHOD]):
                    raise self.run.stop("It gives property, staticmethod or classmethod another meaning")
            elif kind in ("Assign", "AnnAssign") and part.value is not None and not error:
                targets = part.targets if kind == "Assign" else [part.target]
                if any([kind_of(x) != "Name" for x in targets]):
                    raise self.run.stop("It has a class with more than methods and constants")
                names.update([(x.id, self.value(part.value, e)) for x in targets])
            elif kind not in ("Pass", "AnnAssign") and not (kind == "Expr" and kind_of(part.value) == "Constant"):
                raise self.run.stop("It has a class with more than methods and constants")
        self.set(e, node.name, Class(node.name, names, error))

    def method(self, node: Any, e: Frame) -> Function:
        """A function of a class."""
        found = self.function(node, e)
        for by in getattr(node, "decorator_list", []):
            if self.value(by, e) is not BUILTINS[by.id] or node.name == "__init__":
                raise self.run.stop("It has a decorated function")
            found.by = by.id
        return found

    def s_Import(self, node: Any, e: Frame) -> None:
        for alias in node.names:
            if alias.name not in MODULES or (alias.name == "scipy.stats" and not alias.asname):
                raise self.run.stop(f"It imports {alias.name}")
            self.set(e, alias.asname or alias.name, MODULES[alias.name])

    def s_ImportFrom(self, node: Any, e: Frame) -> None:
        for alias in node.names:
            found = MODULES.get(f"{node.module}.{alias.name}")
            if found is None and node.module in MODULES and not node.level:
                found = MODULES[node.module].has.get(alias.name)
            if found is None or node.level:
                raise self.run.stop(f"It imports {alias.name} from {node.module}")
            self.set(e, alias.asname or alias.name, found)
