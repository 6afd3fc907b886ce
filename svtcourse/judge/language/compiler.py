"""A program's functions and classes: a tree is made into something that can be called.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.expressions import Scope, bound, children, kind_of, walk
from svtcourse.judge.language.kinds import Abstract, Class, Error, Frame, Function, Raised, Run
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.parsing import Refusal
from svtcourse.judge.language.statements import RETURN, Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Code", "Compiler"]


class Code:
    """A function's parameters and body."""

    def __init__(self, node: Any, name: str, parameters: list[str], alone: list[str]) -> None:
        self.node, self.name, self.parameters, self.alone = node, name, parameters, alone
        self.body: Callable[[Frame], Any] = lambda frame: None
        self.yields = self.tries = False
        self.known: set[str] = set()  # names from outside that are numbers, modules, or functions of Python's own

    def bound(self, run: Run, function: Function, given: Any, options: dict[str, Any]) -> Frame:
        """A frame with the arguments."""
        frame = Frame(run, function.up, self.node)
        names = frame.names
        if len(given) > len(self.parameters):
            raise Raised(Error("TypeError"), f"{self.name} takes {len(self.parameters)} arguments")
        for name, value in zip(self.parameters, given):
            names[name] = value
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
        frame.site = run.site
        if self.yields and said is None:
            return Yields(frame, self)
        return self.walked(run, frame, said)

    def walked(self, run: Run, frame: Frame, said: Any = None) -> Any:
        """The same in a frame with its arguments."""
        frame.said = said
        if len(run.frames) > 60:
            raise run.stop("It goes deeper than can be read")
        run.frames.append(frame)
        try:
            return self.body(frame)
        finally:
            run.frames.pop()


class Yields(Abstract):
    """What a function that yields hands out, to one loop alone: its turn is made where the function yields."""

    what = "has a generator of its own"
    endless = True  # its frame tells where it is

    def __init__(self, frame: Frame, code: Code) -> None:
        self.frame, self.code, self.begun = frame, code, False

    def state(self, state: Any) -> Any:
        """Whether it was begun, and where it is."""
        return self.begun, state.frame(self.frame)

    def each_turn(self, run: Run, turn: Callable[[Any], Any]) -> Any:
        """What the first turn that ends the loop gives, None if it is not ended."""
        if self.begun or self.code.tries:
            raise self.refused(run)
        self.begun, mine = True, _Turn(turn)
        try:
            self.code.walked(run, self.frame, mine)
        except _Left as left:
            if left.turn is not mine:
                raise  # of a loop around it
            return left.flow
        except Raised as error:
            if error.name == "StopIteration":
                raise self.refused(run) from error
            raise
        return None


class _Left(BaseException):
    """A loop was left in the middle of a function that yields."""

    def __init__(self, turn: _Turn, flow: Any) -> None:
        self.turn, self.flow = turn, flow


class _Turn(Abstract):
    """Where a value is handed to when it is yielded."""

    def __init__(self, turn: Callable[[Any], Any]) -> None:
        self.turn = turn

    def state(self, state: Any) -> Any:
        """It is the loop's, which is part of the state."""
        return "turn"

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """One turn."""
        flow = self.turn(*given)
        if flow is not None:
            raise _Left(self, flow)


class Unread(Code):
    """A function of a text that is not read: it may stand there, but not be called."""

    def __init__(self, node: Any, name: str, why: Refusal) -> None:
        super().__init__(node, name, [], [])
        self.why = why

    def called(self, run: Run, function: Function, given: Any, options: dict[str, Any], said: Any = None) -> Any:
        """It is not known what comes of it."""
        raise self.why


class Compiler(Statements):
    """Makes functions of a frame out of functions and classes, and all that stands in them."""

    def code(self, node: Any, scope: Scope | None, name: str, lambda_: bool = False) -> Code:
        """A function's code."""
        a = node.args
        if a.kwarg is not None or a.vararg is not None or getattr(a, "posonlyargs", []):
            raise self.refuse(node, "It has a function with any number of arguments (*, **), or with / between them")
        for one in list(a.args) + list(a.kwonlyargs):
            self.only_said(getattr(one, "annotation", None))
        self.only_said(getattr(node, "returns", None))
        for one in list(a.defaults) + list(a.kw_defaults):
            if one is not None and any([kind_of(x) == "NamedExpr" for x in walk(one)]):
                raise self.refuse(node, "It names something in a default argument")
        parameters, alone = [one.arg for one in a.args], [one.arg for one in a.kwonlyargs]
        if any([one.startswith("__") for one in parameters + alone]):
            raise self.refuse(node, "It uses a name with two underscores")
        names, held = set(parameters + alone), set()
        for part in [] if lambda_ else node.body:
            bound(part, names)
        if lambda_:
            bound(node.body, names)
        for part in [] if lambda_ else self.own(node.body):
            if kind_of(part) == "Nonlocal":
                held |= set(part.names)
        if held & set(parameters + alone):
            raise self.refuse(node, "It has a parameter that is said to stand outside")
        if held:
            self.first_said(node, held)
        made = Code(node, name, parameters, alone)
        inner = Scope(names - held, scope)
        nodes = self.own([node.body] if lambda_ else node.body)
        made.known = self.from_outside(nodes, inner)
        if lambda_:
            made.body = self.value(node.body, inner)
            return made
        around, self.loops = self.loops, 0
        try:
            body = self.block(node.body, inner)
        finally:
            self.loops = around

        def do(e: Frame) -> Any:
            return e.names.get("return") if body(e) is RETURN else None

        made.body = do
        made.yields = any([kind_of(part) in ("Yield", "YieldFrom") for part in self.own(node.body)])
        made.tries = any([kind_of(part) == "Try" for part in self.own(node.body)])
        return made

    def first_said(self, node: Any, held: set[str]) -> None:
        """Refuse a name that stands outside where it is used before that is said, or annotated."""
        said = 0
        while said < len(node.body) and kind_of(node.body[said]) in ("Nonlocal", "Expr"):
            said += 1
        late = [x for part in node.body[said:] for x in self.own([part]) if kind_of(x) == "Nonlocal"]
        used = [x for part in node.body[:said] for x in walk(part) if kind_of(x) == "Name" and x.id in held]
        noted = [x for x in self.own(node.body) if kind_of(x) == "AnnAssign" and getattr(x.target, "id", "") in held]
        if late or used or noted:
            raise self.refuse(node, "It says late that a name stands outside")

    def own(self, nodes: list[Any]) -> list[Any]:
        """The nodes of a function, without those of functions inside it."""
        found = []
        for node in nodes:
            found.append(node)
            if kind_of(node) not in ("FunctionDef", "Lambda", "ClassDef"):
                found += self.own(children(node))
        return found

    def function(self, node: Any, scope: Scope) -> Callable[[Frame], Function]:
        """A function that is defined inside another."""
        lambda_ = kind_of(node) == "Lambda"
        name = "<lambda>" if lambda_ else node.name
        try:
            code = self.code(node, scope, name, lambda_)
        except Refusal as found:
            if scope.up is not None or lambda_:
                raise
            code = Unread(node, name, found)
            return lambda e: Function(code, e, {})
        a = node.args
        last = code.parameters[len(code.parameters) - len(a.defaults) :]
        given = list(zip(last, a.defaults)) + [(k, v) for k, v in zip(code.alone, a.kw_defaults) if v is not None]
        values = [(name, self.beside(value, scope)) for name, value in given]

        def make(e: Frame) -> Function:
            return Function(code, e, {name: value(e) for name, value in values})

        return make

    def klass(self, node: Any, scope: Scope) -> Callable[[Frame], Any]:
        """A class: methods, and constants."""
        try:
            return self._klass(node, scope)
        except Refusal as found:
            if scope.up is not None:
                raise
            code = Unread(node, node.name, found)
            return lambda e: Function(code, e, {})

    def _klass(self, node: Any, scope: Scope) -> Callable[[Frame], Any]:
        if node.decorator_list or getattr(node, "keywords", []) or node.name in BUILTINS:
            raise self.refuse(node, "It has a class made in a way that is not read")
        bases = [self.value(base, scope) for base in node.bases]
        if len(bases) > 1:
            raise self.refuse(node, "It has a class made of several")
        parts = []
        own: set[str] = set()
        if any([kind_of(x) == "NamedExpr" for base in node.bases for x in walk(base)]):
            raise self.refuse(node, "It has a class made in a way that is not read")
        for part in node.body:
            bound(part, own)
            if kind_of(part) != "FunctionDef" and any([kind_of(x) == "NamedExpr" for x in walk(part)]):
                raise self.refuse(part, "It has a class with more than methods and constants")
        for part in node.body:
            kind = kind_of(part)
            if kind == "FunctionDef" and not part.decorator_list:
                if part.name.startswith("__") and part.name != "__init__":
                    raise self.refuse(part, f"It defines {part.name}")
                given = [x for x in part.args.defaults + part.args.kw_defaults if x is not None]
                if any([kind_of(x) == "Name" and x.id in own for y in given for x in walk(y)]):
                    raise self.refuse(part, "It has a method with a default made of a constant of its class")
                parts.append((part.name, self.function(part, scope)))
            elif kind == "Assign" and kind_of(part.targets[0]) == "Name" and len(part.targets) == 1:
                if part.targets[0].id.startswith("__"):
                    raise self.refuse(part, f"It defines {part.targets[0].id}")
                if any([kind_of(x) == "Name" and x.id in own for x in walk(part.value)]):
                    raise self.refuse(part, "It has a class with a constant made of another")
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
                inside = names[name] if isinstance(names[name], tuple) else (names[name],)
                if not all([x is None or isinstance(x, (Function, bool, int, float, str)) for x in inside]):
                    raise e.run.stop("It keeps something for all objects of a class")
            return Class(node.name, base, names)

        return make
