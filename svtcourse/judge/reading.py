"""A program's source, read and translated: a closed world in which it can be run on unknowns.

Only what is listed here is known to treat an unknown as a number: other names, attributes and statements stop the
reading, with the reason.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import random
import sys
import types
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from svtcourse.judge.arithmetic import Arithmetic, asking
from svtcourse.judge.source import Written, arguments, find_source
from svtcourse.judge.symbols import Fork, Form, Unreadable
from svtcourse.judge.syntax import NEXT
from svtcourse.judge.world import BUILTINS, FAMILIES, Math, Numpy, Random, Stats, allowed

__all__ = ["Reader", "Translation", "calls_itself", "turns"]

_READ = """
    FunctionDef ClassDef Return Assign AugAssign AnnAssign For While If Raise Assert Try Expr Pass Break
    Continue Nonlocal Import ImportFrom
"""
_STATEMENTS = tuple(getattr(ast, kind) for kind in _READ.split())
_REFUSED = {
    ast.Global: "It keeps something between calls (global)",
    ast.Try: "It catches exceptions",
    ast.JoinedStr: "It makes a text of a number",
}
_KNOWN = """
    append extend insert pop sum any all size shape ndim tolist cumsum argmax argmin nonzero copy count index
    max min mean item astype uniform laplace exponential gumbel normal standard_normal standard_exponential
    random default_rng Generator rvs choice flatten ravel ask stopped sample
"""
_ATTRIBUTES = frozenset(_KNOWN.split())
_PLAIN = {bool, int, float, str, type(None), np.bool_, np.int64, np.float64}


def turns(tree: ast.AST) -> list[Any]:
    """What a tree does again and again, from outside in: loops, and functions inside it that call themselves."""
    order: list[Any] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, (ast.For, ast.While)) or calls_itself(node):
            order.append(node)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return order


def calls_itself(node: ast.AST) -> bool:
    """Whether a function calls itself by its name."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == node.name
        for part in ast.walk(node)
    )


def _reporting(tree: Any) -> Any:
    """The same, in which each turn first reports the state that it starts from."""
    for node in turns(tree):
        node.body = [ast.parse("__turn__()").body[0], *node.body]
    return asking(tree)


def _owning(tree: Any) -> Any:
    """The same, in which whatever has an attribute that is set, or that is not in the list, is asked for first."""

    class Own(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> Any:
            self.generic_visit(node)
            loaded = isinstance(node.ctx, ast.Load)
            if not (loaded and node.attr in _ATTRIBUTES):
                name = ast.Name("__read__" if loaded else "__own__", ast.Load())
                node.value = ast.Call(name, [node.value, ast.Constant(node.attr)], [])
            return node

    return ast.fix_missing_locations(Own().visit(tree))


class Translation:
    """One function as it will be run: the original, its tree, and the function made from it."""

    def __init__(self, original: Any, tree: Any, names: dict[str, Any]) -> None:
        self.original, self.tree, self.names, self.function = original, tree, names, original


class Reader:
    """Translates a program and those that it calls, and runs it on unknowns.

    Parameters
    ----------
    program : callable
        A function, or a class whose objects have `ask`.

    Raises
    ------
    Unreadable
        If something in it is not known to treat an unknown as a number.
    """

    def __init__(self, program: Any) -> None:
        self.fork = Fork()
        self.translations: list[Translation] = []
        self._known: dict[int, Any] = {}
        self._kept: list[Any] = []
        self.seeded = False
        self.count = self.turned = 0
        self.known: np.random.RandomState | None = None
        self.maps: list[tuple[str, Callable[[Any], Any]]] = []
        self.builtins = allowed(self)
        self.modules: dict[str, Any] = {"numpy": Numpy(self), "math": Math(self), "scipy.stats": Stats(self)}
        self.prepare()
        self.function = self._translated(program)

    # what `svtcourse.judge.blind` does otherwise

    def prepare(self) -> None:
        """Called before anything is read."""

    def rewritten(self, tree: Any, program: Any) -> Any:
        """The tree of a program as it will be run."""
        return tree

    def names_of_its_own(self) -> dict[str, Any]:
        """What such a tree calls."""
        return {}

    def opened(self, answers: Any, one_by_one: bool) -> Any:
        """The list as a run is given it, or its answers one by one."""
        return answers

    def asks(self, one: Any, more: bool, query: int) -> None:
        """Called before an object is asked, and after the last query."""

    def drawn(self, draw: Callable[..., Any], loc: Any, scale: Any, size: Any) -> Any:
        """One draw, or as many as are asked for."""
        return draw(loc, scale, size)

    # what each program is given

    def inverse(self, name: str, x: Any, function: Callable[[Any], Any]) -> Any:
        """The sign or the logarithm of what is made of a uniform draw: parts of a Laplace draw by its inverse."""
        if not isinstance(x, Form):
            return function(x)
        return self.fork.part_of_a_draw(name, x)

    def steady(self, name: str, values: Any, function: Callable[[Any], Any], refused: bool) -> Any:
        """Sorted or clipped answers: new unknowns, which one person changes by no more, in the same direction."""
        values = values if isinstance(values, (Form, list, tuple, np.ndarray)) else list(values)
        items = [values] if isinstance(values, Form) else list(values)
        places = [
            next(iter(x.terms))[1:] for x in items if isinstance(x, Form) and len(x.terms) == 1 and not x.constant
        ]
        bare = len(places) == len(items) and all(
            x.terms.get(("a", *p)) == 1 for x, p in zip(items, places, strict=True)
        )
        if refused or not bare or len(set(places)) < len(items) or (name != "clip" and len(items) != self.count):
            return function(values)
        self.maps.append((name, function))
        new = [self.fork.variable(("a", *p, name, len(self.maps))) for p in places]  # each call makes others
        return new[0] if isinstance(values, Form) else np.array(new, dtype=object) if name != "sorted" else new

    def extreme(self, name: str, values: Any, function: Callable[[Any], Any]) -> Any:
        """The largest or smallest of two answers and numbers: a new unknown, which one person changes by no more."""
        items = list(values) if isinstance(values, (list, tuple, np.ndarray)) else []
        forms = [x for x in items if isinstance(x, Form)]
        numbers = [x for x in items if not isinstance(x, Form)]
        variables = [next(iter(x.terms)) for x in forms if len(x.terms) == 1 and not x.constant]
        answers = [v for x, v in zip(forms, variables, strict=False) if v[0] == "a" and x.terms[v] == 1]
        if not 1 <= len(forms) == len(answers) <= 2 or not all(map(_is_plain, numbers)):
            return function(values)
        along = np.maximum if name == "max" else np.minimum
        ends = [float(x) for x in numbers]
        self.maps.append((name, lambda data: along.reduce([along.accumulate(data), *(data * 0 + x for x in ends)])))
        return self.fork.variable(("a", max(v[1] for v in answers), name, len(self.maps)))

    def turn(self) -> None:
        """Called at the start of each turn of a loop, and of each call of a function by itself."""
        self.turned += 1
        if self.turned > (1_000 if self.count < 50 else 20_000):
            raise self.fork.stop("It does not end")

    def own(self, value: Any, name: str) -> Any:
        """Called with what has an attribute that is set: a function or an object of the program's own class."""
        mine = isinstance(value, types.FunctionType) and value.__globals__.get("__name__") == "program"
        if mine or "program" in (_home(value), _home(type(value))):
            return value
        raise self.fork.stop(f"It uses .{name}, which is not read")

    def read(self, value: Any, name: str) -> Any:
        """Called with what has an attribute that is not in the list: the program's own, or a module."""
        module = isinstance(value, (Numpy, Math, Random, Stats)) and not name.startswith("_")
        return value if module else self.own(value, name)

    def built(self, body: Any, name: str, *bases: Any, **options: Any) -> Any:
        """Build a class, on classes of the program's own and errors, which bring nothing with them."""
        if options or not all(
            _home(base) == "program" or base is object or issubclass(base, Exception) for base in bases
        ):
            raise self.fork.stop("It has a class made of another one")
        return builtins.__build_class__(body, name, *bases)

    def _translated(self, program: Any) -> Any:
        if id(program) in self._known:
            return self._known[id(program)]
        self._kept.append(program)
        node = find_source(program)
        node = ast.parse(ast.unparse(node), mode="exec").body[0]  # without the file's own line numbers
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.decorator_list = []  # what is translated is the function that they were given
        name = getattr(node, "name", "program")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Lambda):
            body = ast.Return(node.value.body)
            node = ast.FunctionDef(name="program", args=node.value.args, body=[body], decorator_list=[])
            ast.fix_missing_locations(node)
            name = "program"
        self._checked(node)
        tree = ast.parse(ast.unparse(node)).body[0]
        space: dict[str, Any] = {}
        if name != "<lambda>":
            self._known[id(program)] = lambda *a, **k: space[name](*a, **k)  # for a function that calls itself
        self._names(program, node, space)
        translation = Translation(program, tree, space)
        self.translations.append(translation)
        new = _reporting(self.rewritten(ast.parse(ast.unparse(node)).body[0], program))
        space["__builtins__"] = self.builtins | {"__build_class__": lambda *a, **k: self.built(*a, **k)}
        space["__name__"] = "program"
        space["__read__"], space["__own__"] = self.read, self.own
        space["__turn__"] = self.turn
        space |= self.names_of_its_own()
        space |= Arithmetic(self).names()
        module = ast.Module(body=[_owning(new)], type_ignores=[])
        try:
            exec(compile(ast.fix_missing_locations(module), f"<program {name}>", "exec"), space)
        except SyntaxError as error:
            raise Unreadable(f"It keeps something between calls ({error.msg})") from error
        except NameError as error:
            raise Unreadable(f"It has a default that is not read ({error})") from error
        function = space[name]
        if isinstance(program, types.FunctionType):
            for default in (*(program.__defaults__ or ()), *(program.__kwdefaults__ or {}).values()):
                if not _is_plain(default):
                    raise Unreadable("It keeps something between calls (a default argument that can change)")
            function.__defaults__, function.__kwdefaults__ = program.__defaults__, program.__kwdefaults__
        translation.function = function
        self._known[id(program)] = function
        return function

    def _checked(self, node: ast.AST) -> None:
        bare = {id(part.value) for part in ast.walk(node) if isinstance(part, ast.Expr)}  # texts about the program
        for part in ast.walk(node):
            if isinstance(part, ast.Try) and NEXT.fullmatch(ast.unparse(part)):
                continue
            if type(part) in _REFUSED:
                raise Unreadable(_REFUSED[type(part)])
            if isinstance(part, ast.stmt) and not isinstance(part, _STATEMENTS):
                raise Unreadable(f"It has a statement that is not read ({type(part).__name__.lower()})")
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                names = [getattr(part, "module", None) or alias.name for alias in part.names]
                if isinstance(part, ast.ImportFrom) or set(names) - {"numpy", "math"}:
                    raise Unreadable(f"It imports {', '.join(names)}")
            if isinstance(part, ast.Compare) and _same_object(part):
                raise Unreadable("It asks whether two things are the same object (is)")
            if isinstance(part, ast.Constant) and "%" in str(part.value) and id(part) not in bare:
                raise Unreadable("It makes a text of a number")
            if isinstance(part, (ast.Await, ast.Yield, ast.Starred, ast.NamedExpr)):
                continue
            if isinstance(part, ast.Name) and part.id.startswith("__"):
                raise Unreadable(f"It uses {part.id}")
            if isinstance(part, ast.FunctionDef) and part.name.startswith("__") and part.name != "__init__":
                raise Unreadable(f"It defines {part.name}")
            if isinstance(part, ast.FunctionDef) and part.decorator_list:
                raise Unreadable("It has a decorated function")
            if isinstance(part, ast.FunctionDef):
                for default in (*part.args.defaults, *part.args.kw_defaults):
                    if isinstance(default, (ast.List, ast.Dict, ast.Set, ast.Call)):
                        raise Unreadable("It keeps something between calls (a default argument that can change)")

    def _names(self, program: Any, node: ast.AST, space: dict[str, Any]) -> None:
        """Give every name from outside its value in the closed world."""
        outside: dict[str, Any] = {}
        if isinstance(program, types.FunctionType):
            closure = inspect.getclosurevars(program)
            outside = {**closure.globals, **closure.nonlocals}
            everything = program.__globals__
        elif isinstance(program, Written):
            everything = program.names()
        else:
            everything = next((f.__globals__ for f in vars(program).values() if isinstance(f, types.FunctionType)), {})
        own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
        own |= {a.arg for part in ast.walk(node) if isinstance(part, (ast.FunctionDef, ast.Lambda)) for a in _all(part)}
        own |= {part.name for part in ast.walk(node) if isinstance(part, (ast.FunctionDef, ast.ClassDef))}
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute):
                base = part.value
                if isinstance(base, ast.Attribute) and base.attr == "random":
                    base = base.value  # np.random.laplace
                module = isinstance(base, ast.Name) and (
                    base.id in ("np", "numpy", "math")
                    or isinstance(outside.get(base.id, everything.get(base.id)), types.ModuleType)
                )
                if part.attr.startswith("_" if module else "__"):
                    raise Unreadable(f"It uses .{part.attr}, which is not read")
            if not isinstance(part, ast.Name) or not isinstance(part.ctx, ast.Load) or part.id in space:
                continue
            if part.id in outside:
                space[part.id] = self._value(part.id, outside[part.id])
            elif part.id in own:
                if part.id in BUILTINS and part.id in everything:
                    raise Unreadable(f"It uses {part.id} in two ways")
            elif part.id in everything:
                space[part.id] = self._value(part.id, everything[part.id])
            elif part.id not in BUILTINS:
                raise Unreadable(f"It uses {part.id}, which is not read")

    def _value(self, name: str, value: Any) -> Any:
        if _is_plain(value) or (type(value) is tuple and all(map(_is_plain, value))):
            return value
        if value is np or value is math or value is np.random:
            return self.modules["numpy"].random if value is np.random else self.modules[value.__name__]
        stats = sys.modules.get("scipy.stats")
        if stats is not None and value is stats:
            return self.modules["scipy.stats"]
        family = str(getattr(value, "name", ""))
        if family in FAMILIES and value is getattr(stats, family, None):
            return getattr(self.modules["scipy.stats"], family)
        if value is random:
            raise Unreadable("It draws from the module random, not from rng")
        if isinstance(value, types.ModuleType):
            raise Unreadable(f"It uses the module {value.__name__}")
        written = None if isinstance(value, (types.FunctionType, type)) else getattr(value, "source", None)
        if isinstance(written, tuple):
            value = Written(*written)
        if isinstance(value, Written):
            return self._translated(value)
        known = [getattr(library, getattr(value, "__name__", ""), None) for library in (builtins, np)]
        if isinstance(value, (types.FunctionType, type)) and value not in known:
            return self._translated(value)
        if getattr(builtins, name, None) is value and name in BUILTINS:
            return self.builtins[name]
        called = str(getattr(value, "__name__", ""))
        if called and getattr(np, called, None) is value:
            return getattr(self.modules["numpy"], called)
        if isinstance(value, (list, dict, set, np.ndarray)):
            raise Unreadable(f"It keeps something between calls, or shares it with others ({name})")
        if isinstance(value, np.random.Generator):
            raise Unreadable(f"It draws from a generator of its own ({name}); draw from rng")
        raise Unreadable(f"It uses {name}, which is not read")


def _same_object(node: ast.Compare) -> bool:
    """Whether it asks with `is` for anything but None, True and False."""
    sides = [node.left, *node.comparators]
    return any(
        isinstance(op, (ast.Is, ast.IsNot))
        and not any(isinstance(side, ast.Constant) and side.value in (None, True, False) for side in pair)
        for op, pair in zip(node.ops, pairwise(sides), strict=True)
    )


def _is_plain(value: Any) -> bool:
    return type(value) in _PLAIN  # not one made of it


def _home(value: Any) -> str:
    """The module of a class; nothing of what is no class."""
    return str(value.__module__) if isinstance(value, type) else ""


def _all(node: Any) -> list[ast.arg]:
    return [*arguments(node), *filter(None, (node.args.vararg, node.args.kwarg))]
