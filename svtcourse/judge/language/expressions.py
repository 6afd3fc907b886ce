"""The expressions of a program's tree, calls, and what is gone through, on numbers or on unknowns.

Every value that waits while another is calculated, and every call and loop that is under way, is kept in the run: on a
list of unknown length they are part of its state.  Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.attributes import Method, attribute
from svtcourse.judge.language.grammar import arguments_of, kind_of, size_of_sign, values_in, walk
from svtcourse.judge.language.kinds import (
    Abstract,
    Bound,
    Class,
    Frame,
    Fresh,
    Function,
    Instance,
    Later,
    Native,
    Part,
    Raised,
    Record,
    Row,
    Run,
    Silent,
)
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.methods import METHODS
from svtcourse.judge.language.noise import DRAWN, Family
from svtcourse.judge.language.terms import Node
from svtcourse.judge.language.values import binary, compare, index, iterate, opposite, put, truth
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = [
    "BREAK",
    "CONTINUE",
    "RETURN",
    "Expressions",
    "is_simple",
]

BREAK, CONTINUE, RETURN = "break", "continue", "return"
_DEEPEST = 40  # calls inside each other
_PLAIN = {"bool", "float", "int", "abs"} | set(DRAWN)
_LOOKS = {"bool", "float", "int", "abs", "len", "sum", "any", "all", "min", "max", "count", "isinstance"}
_LOOKS |= {"np.isfinite", "np.isnan"}
_MORE = "Its stopped, or an assert, does more than look at what is kept"


class Expressions:
    """Interprets expressions in one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.looks = False  # whether it is asked what may be asked twice, or not at all

    def looking(self, do: Callable[[], Any]) -> Any:
        """What is calculated where nothing else may be done."""
        self.looks = True
        try:
            return do()
        finally:
            self.looks = False

    def block(self, nodes: list[Any], e: Frame) -> Any:
        """One statement after the other."""
        raise NotImplementedError

    def function(self, node: Any, e: Frame) -> Function:
        """A function that is defined here, with the values of its defaults."""
        a = node.args
        last = a.args[len(a.args) - len(a.defaults) :]
        pairs = list(zip(last, a.defaults)) + [(k, v) for k, v in zip(a.kwonlyargs, a.kw_defaults) if v is not None]
        defaults = {one.arg: self.value(value, e) for one, value in pairs}
        for value in defaults.values():
            if value is not None and not isinstance(value, (bool, int, float, str, Function)):
                raise self.run.stop("It keeps something between calls (a default that can change)")
        return Function(node, getattr(node, "name", "<lambda>"), e, defaults)

    # what is set

    def set(self, e: Frame, name: str, value: Any) -> None:
        """Give a name a value, in the frame that it belongs to."""
        at: Any = e
        while at is not None and name not in at.own:
            at = at.up
        if at is None:
            raise self.run.stop(f"It sets {name}, which is not its own")
        at.names[name] = value

    def store(self, target: Any, e: Frame, value: Any) -> None:
        """Set a name, an attribute, a place, or several of them."""
        kind = kind_of(target)
        if kind == "Name":
            self.set(e, target.id, value)
        elif kind == "Attribute":
            self.place_in(self.beside(target.value, e, value), target.attr, value)
        elif kind == "Subscript":
            one = self.beside(target.value, e, value)
            put(self.run, one, self.beside(target.slice, e, value, one), value)
        else:
            if not isinstance(value, (tuple, list, Row)):
                raise self.run.stop("It gives several names what is no list")
            items = list(iterate(self.run, value))
            if len(items) != len(target.elts):
                raise Raised("ValueError", "not as many values as names")
            for part, one in zip(target.elts, items):
                self.store(part, e, one)

    def place_in(self, one: Any, name: str, value: Any) -> None:
        """Set an attribute."""
        if not isinstance(one, Instance) or getattr(one.of.names.get(name), "by", "") == "property":
            raise self.run.stop(f"It sets .{name} of what is no object of its own, or a property")
        if one.closed:
            raise self.run.stop(f"It sets .{name} of an object that may not change, or that it has shown")
        one.names[name] = value

    # going through lists

    def each(self, x: Any, node: Any, way: Any) -> Iterator[Any]:
        """One element after the other."""
        exact = x.exact() if isinstance(x, Abstract) else None
        if exact is not None:
            for one in exact:
                yield one
                if x.exact() is not exact:
                    raise self.run.stop("it changes a list while it goes through it")
        elif isinstance(x, Later):
            if self.run.always is not None:
                raise self.run.stop("it goes through what is made meanwhile")
            for one in x.items:
                yield one
        elif isinstance(x, Abstract):
            element = x.begin(self.run)
            while True:
                self.run.always.head(node, way)
                if not self.run.always.more():
                    return
                yield element()
        else:
            for one in iterate(self.run, x):
                yield one

    def rounds(self, node: Any, e: Frame, items: Any, level: int = 0) -> Iterator[Any]:
        """What a list is made of, in a frame of its own."""
        part = node.generators[level]
        way: Any = object()
        under, counts = [part, items, 0, way], not isinstance(items, Abstract) or items.exact() is not None
        e.loops.append(under)
        for one in self.each(items, part, way):
            self.run.tick()
            under[2] += counts
            self.store(part.target, e, one)
            keep = True
            for test in part.ifs:
                keep = keep and self.test(test, e)
            if keep and level + 1 < len(node.generators):
                yield from self.rounds(node, e, self.value(node.generators[level + 1].iter, e), level + 1)
            elif keep:
                yield self.value(node.elt, e)
        e.loops.pop()

    def made(self, node: Any, e: Frame) -> tuple[Any, Frame]:
        """What a list is made of, and the frame in which that is done."""
        frame = Frame(e, node.own)
        return self.value(node.generators[0].iter, e), frame

    def e_ListComp(self, node: Any, e: Frame) -> Any:
        items, frame = self.made(node, e)
        if self.run.always is not None:
            found = self.run.always.made(self, node, frame, items)
            if found is not None:
                return found
        return self.listed(node, frame, items)

    def listed(self, node: Any, frame: Frame, items: Any) -> Any:
        """The list, made at once."""
        said, depth, waiting = self.run.new_list([]), len(self.run.frames), len(self.run.waiting)
        self.run.frames.append(frame)
        self.run.waiting.append(said)
        for one in self.rounds(node, frame, items):
            if isinstance(said, Abstract):
                said.call(self.run, "append", said, one)
            else:
                METHODS["list"]["append"](self.run, said, one)
        del self.run.frames[depth:]
        del self.run.waiting[waiting:]
        return said

    def e_JoinedStr(self, node: Any, e: Frame) -> Any:
        if isinstance(node, Node):  # of which only the names were kept
            raise self.run.stop("It makes a text of a number")
        values = self.several(values_in(node) or [], e)
        unknown = [x for x in values if isinstance(x, Abstract)]
        if unknown:
            return unknown[0].text(self.run, values)
        told = []
        for part in node.values:
            if kind_of(part) == "Constant":
                told.append(part.value)
                continue
            found = values.pop(0)
            odd = part.conversion != -1 or part.format_spec is not None
            if odd or not (found is None or isinstance(found, (bool, int, str))):
                raise self.run.stop("It makes a text of a number")
            told.append(str(found))
        return "".join(told)

    def e_GeneratorExp(self, node: Any, e: Frame) -> Any:
        items, frame = self.made(node, e)
        if self.run.always is not None:
            return self.run.always.made(self, node, frame, items, later=True)
        return Later(self.rounds(node, frame, items))

    # expressions

    def value(self, node: Any, e: Frame) -> Any:
        """The value of an expression."""
        found = getattr(self, node.runs)(node, e)
        e.at = node  # the last that was calculated says where a call, or a look at a list, is under way
        return found

    def beside(self, node: Any, e: Frame, *waiting: Any) -> Any:
        """The same while other values wait."""
        if self.run.always is None:
            return self.value(node, e)
        held = self.run.waiting
        depth = len(held)
        held.extend(waiting)
        found = self.value(node, e)
        del held[depth:]
        return found

    def during(self, do: Any, *values: Any) -> Any:
        """What is done with values, while they are part of the state."""
        if self.run.always is None:
            return do(self.run, *values)
        held = self.run.waiting
        depth = len(held)
        held.extend([x for x in values if not isinstance(x, str)])
        found = do(self.run, *values)
        del held[depth:]
        return found

    def test(self, node: Any, e: Frame) -> bool:
        """Whether an expression counts as true, which is asked once."""
        kind = kind_of(node)
        if kind == "UnaryOp" and kind_of(node.op) == "Not":
            return not self.test(node.operand, e)
        if kind == "BoolOp":
            stop = kind_of(node.op) == "Or"
            for part in node.values:
                if self.test(part, e) is stop:
                    return stop
            return not stop
        return bool(self.during(truth, self.value(node, e)))

    def e_Constant(self, node: Any, e: Frame) -> Any:
        return node.value

    def e_Name(self, node: Any, e: Frame) -> Any:
        name, at = node.id, e
        while name not in at.own:
            if at.up is None:
                return at.outside(name)
            at = at.up
        if name not in at.names:
            raise Raised("NameError", f"{name} has no value yet")
        found = at.names[name]
        if isinstance(found, Abstract):
            found.look(self.run)
        return found

    def e_BinOp(self, node: Any, e: Frame) -> Any:
        left = self.value(node.left, e)
        return binary(self.run, kind_of(node.op), left, self.beside(node.right, e, left))

    def e_UnaryOp(self, node: Any, e: Frame) -> Any:
        if kind_of(node.op) == "Not":
            return self.test(node, e)
        return opposite(self.run, kind_of(node.op), self.value(node.operand, e))

    def e_BoolOp(self, node: Any, e: Frame) -> Any:
        stop = kind_of(node.op) == "Or"
        for part in node.values[:-1]:
            found = self.value(part, e)
            if self.during(truth, found) is stop:
                return found
        return self.value(node.values[-1], e)

    def e_Compare(self, node: Any, e: Frame) -> Any:
        left: Any = self.value(node.left, e)
        for k, (op, part) in enumerate(zip(node.ops, node.comparators)):
            right = self.beside(part, e, left)
            found = self.during(compare, kind_of(op), left, right)
            if k == len(node.ops) - 1 or not self.during(_both, found, right):
                return found
            left = right
        return None

    def e_IfExp(self, node: Any, e: Frame) -> Any:
        size = size_of_sign(node)
        if size is not None:  # 1 if u > 0 else -1
            of = self.value(node.test.left, e)
            if isinstance(of, Form) and of.fork.around_zero(of) is not None:
                return binary(self.run, "Mult", size, of.fork.part_of_a_draw("sign", of))
            above = self.during(compare, kind_of(node.test.ops[0]), of, 0)
            return self.value(node.body if self.during(truth, above) else node.orelse, e)
        return self.value(node.body if self.test(node.test, e) else node.orelse, e)

    def e_Lambda(self, node: Any, e: Frame) -> Function:
        return self.function(node, e)

    def e_Attribute(self, node: Any, e: Frame) -> Any:
        found = self.part(self.value(node.value, e), node.attr)
        if isinstance(found, Abstract):
            found.look(self.run)
        return found

    def part(self, one: Any, name: str) -> Any:
        """What ``one.name`` is, calculated where it is a property."""
        found = attribute(self.run, one, name)
        if not isinstance(found, Method) or found.function.by != "property":
            return found
        self.run.tick()
        kinds = [kind_of(x) for x in found.function.node.body]
        if self.looks and [kind for kind in kinds if kind != "Expr"] != ["Return"]:
            raise self.run.stop(_MORE)
        return self.during(lambda run, x: self.called(found.function, [x], {}), one)

    def e_Subscript(self, node: Any, e: Frame) -> Any:
        one = self.value(node.value, e)
        return self.during(index, one, self.beside(node.slice, e, one))

    def e_Slice(self, node: Any, e: Frame) -> Part:
        limits: list[Any] = []
        for part in (node.lower, node.upper, node.step):
            limits.append(None if part is None else self.beside(part, e, *limits))
        return Part(*limits)

    def several(self, nodes: list[Any], e: Frame) -> list[Any]:
        """Values one after the other."""
        found: list[Any] = []
        for part in nodes:
            found.append(self.beside(part, e, *found))
        return found

    def e_List(self, node: Any, e: Frame) -> Any:
        return self.run.new_list(self.several(node.elts, e))

    def e_Tuple(self, node: Any, e: Frame) -> tuple[Any, ...]:
        return tuple(self.several(node.elts, e))

    def e_Dict(self, node: Any, e: Frame) -> Any:
        if not node.keys and self.run.always is not None:
            return self.run.always.book(self.run)
        return Record(list(zip([key.value for key in node.keys], self.several(node.values, e))))

    def e_NamedExpr(self, node: Any, e: Frame) -> Any:
        if self.looks:
            raise self.run.stop(_MORE)
        found = self.value(node.value, e)
        self.set(e, node.target.id, found)
        return found

    def e_Call(self, node: Any, e: Frame) -> Any:
        run, function = self.run, self.value(node.func, e)
        makes = any([kind_of(x) == "GeneratorExp" for x in node.args])
        if makes and not any([function is known for known in BUILTINS.values()]):
            raise run.stop("It hands what is made one after the other to what may use it twice")
        if isinstance(function, Silent):
            every = list(node.args) + [one.value for one in node.keywords]
            return function.done(run, self.several([x for part in every for x in self.put_in(part)], e), {})
        if run.always is None:
            given = [self.value(part, e) for part in node.args]
            options = {one.arg: self.value(one.value, e) for one in node.keywords}
            run.at(node.lineno)
            return self.call(function, given, options)
        depth = len(run.waiting)
        run.waiting.append(function)
        given = self.several(node.args, e)
        run.waiting.extend(given)
        options = {}
        for one in node.keywords:
            options[one.arg] = self.value(one.value, e)
            run.waiting.append(options[one.arg])
        run.at(node.lineno)
        frames = len(run.frames)
        found = self.call(function, given, options)
        del run.frames[frames:]
        del run.waiting[depth:]
        return found

    def put_in(self, node: Any) -> list[Any]:
        """What is calculated for what is only printed: of a text the names that stand in it."""
        return (values_in(node) or []) if kind_of(node) == "JoinedStr" else [node]

    # calls

    def call(self, function: Any, given: Any, options: Any) -> Any:
        """Call a function, a method or a class."""
        run = self.run
        looks = isinstance(function, Native) and (function.name in _LOOKS or function.name.startswith("math."))
        if self.looks and not looks:
            raise run.stop(_MORE)
        if isinstance(function, Native):
            return function.done(run, given, options)
        if isinstance(function, Bound):
            more = dict(function.options)
            more.update(options)
            return self.call(function.of, list(function.given) + list(given), more)
        if isinstance(function, Family):
            return Native(function.words, function.frozen).done(run, given, options)
        run.tick()
        if isinstance(function, Method) and function.function.by != "property":
            return self.called(function.function, [function.of] + list(given), options)
        if isinstance(function, Function):
            return self.called(function, given, options)
        if isinstance(function, Class) and not function.error:
            one = Instance(function)
            run.waiting.append(one)
            begin = function.names.get("__init__")
            if isinstance(begin, Function):
                if self.called(begin, [one] + list(given), options) is not None:
                    raise Raised("TypeError", "__init__ returns something")
            elif begin is not None or "__init__" in function.names:
                raise run.stop("It has an __init__ that is no function")
            elif given or options:
                raise run.stop(f"It makes a {function.name} of something")
            run.waiting.pop()
            one.closed = function.frozen
            return one
        raise run.stop("It calls what is no function")

    def called(self, function: Function, given: Any, options: Any, said: Any = None) -> Any:
        """What a function returns; what it yields is kept in `said`, if that is given."""
        frame = self.bound(function, given, options)
        run, frame.said = self.run, said
        if len(run.frames) > _DEEPEST:
            raise run.stop("It goes deeper than can be read")
        run.frames.append(frame)
        node = function.node
        if kind_of(node) == "Lambda":
            found = self.value(node.body, frame)
        else:
            if said is None and node.gives:
                raise run.stop("It has a generator of its own")
            found = frame.names.get("return") if self.block(node.body, frame) is RETURN else None
            if said is not None and found is not None:
                raise run.stop("It has a generator that returns something, which may be looked at")
        run.frames.pop()
        return found

    def bound(self, function: Function, given: Any, options: Any) -> Frame:
        """A frame with the arguments."""
        node = function.node
        frame = Frame(function.up, node.own)
        if function.up is None:
            frame.outside = function.outside
        names = frame.names
        places = [one.arg for one in node.args.args]
        every = [one.arg for one in arguments_of(node)]
        names.update(zip(places, given))
        if len(given) > len(places) or any([name in names or name not in every for name in options]):
            raise Raised("TypeError", f"{function.name} is called with other arguments")
        names.update(options)
        for name in every:
            if name not in names:
                if name not in function.defaults:
                    raise Raised("TypeError", f"{function.name} needs an argument {name}")
                usual = function.defaults[name]
                names[name] = self.run.new_list([]) if isinstance(usual, Fresh) else usual
        return frame


def _both(run: Run, one: Any, waits: Any) -> bool:
    return truth(run, one)


def is_simple(node: Any) -> bool:
    """Whether an expression does nothing but calculate, compare and draw: then it may be looked at later."""
    for x in walk(node):
        kind = kind_of(x)
        if kind in ("Lambda", "ListComp", "GeneratorExp", "Subscript", "Yield"):
            return False
        if kind == "Call" and getattr(x.func, "id", getattr(x.func, "attr", "")) not in _PLAIN:
            return False
    return True
