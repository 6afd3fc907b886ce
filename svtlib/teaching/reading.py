"""A program's source, read and translated: a closed world in which it can be run on unknowns.

Only what is listed here is known to treat an unknown as a number: other names, attributes and statements stop the
reading, with the reason.  Loops report their state at each turn (`Reader.heads`); `svtlib.teaching.uniform` uses it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from svtlib.teaching.symbols import Fork, Form, Refused, Unreadable

__all__ = ["Reader", "Translation", "Written", "calls_itself", "expressions", "find_source", "turns"]

_STATEMENTS = (
    *(ast.FunctionDef, ast.ClassDef, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If),
    *(ast.Raise, ast.Assert, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Nonlocal, ast.Import, ast.ImportFrom),
)
_REFUSED = {
    ast.Global: "It keeps something between calls (global)",
    ast.Try: "It catches exceptions",
    ast.JoinedStr: "It makes a text of a number",
}
_ATTRIBUTES = frozenset(
    ["append", "extend", "insert", "pop", "sum", "any", "all", "size", "shape", "ndim", "tolist", "cumsum", "argmax", "argmin", "nonzero", "copy", "count", "index", "max", "min", "mean", "item", "astype", "uniform", "laplace", "exponential", "gumbel", "normal", "standard_normal", "standard_exponential", "random", "default_rng", "Generator", "rvs", "flatten", "ravel", "ask", "stopped", "sample"]
)
_BUILTINS = ["abs", "all", "any", "bool", "enumerate", "len", "list", "max", "min", "range", "reversed", "set", "sum", "tuple", "zip", "map", "filter", "next", "iter", "pow", "divmod", "True", "False", "None", "ValueError", "RuntimeError", "StopIteration", "IndexError", "Exception", "float", "int", "round", "sorted", "slice", "str", "object"]
_NUMPY = frozenset(
    ["abs", "absolute", "array", "asarray", "zeros", "ones", "zeros_like", "ones_like", "full", "full_like", "empty", "empty_like", "arange", "any", "all", "sum", "cumsum", "flatnonzero", "nonzero", "where", "argmax", "argmin", "max", "min", "amax", "amin", "maximum", "minimum", "count_nonzero", "concatenate", "append", "sqrt", "log", "exp", "log1p", "expm1", "log2", "cbrt", "power", "ceil", "floor", "inf", "pi", "e", "float64", "bool_", "int64", "clip", "median", "mean", "sort", "argsort", "diff", "roll", "tile", "repeat", "resize", "flip", "newaxis", "logical_and", "logical_or", "logical_not", "insert", "stack", "outer", "ptp", "isinf", "greater", "greater_equal", "less", "less_equal", "add", "subtract", "multiply", "divide", "negative", "std", "var"]
)
_PLAIN = (bool, int, float, str, type(None), np.floating, np.integer, np.bool_)


def find_source(function: Any) -> ast.AST:
    """The syntax tree of a function or class, found by its place in its file or cell.

    Raises
    ------
    Unreadable
        If there is none, or several that could be meant.
    """
    code = getattr(function, "__code__", None)
    if isinstance(function, Written):
        return function.node
    if isinstance(function, type):
        parts = [part for part in vars(function).values() if isinstance(part, types.FunctionType)]
        for node in _source_of(parts[0]) if parts else ():
            if isinstance(node, ast.ClassDef) and node.name == function.__name__:
                if node.lineno <= parts[0].__code__.co_firstlineno <= (node.end_lineno or 0):
                    return node
        raise Unreadable("Its source cannot be read")
    if code is None:
        raise Unreadable("It is no function written in Python")
    found = []
    for node in _source_of(function):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            if first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
                found.append(node)
    if len(found) > 1:  # several lambdas in a line: told apart by where their code stands
        where = {(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None and p[2:] != (0, 0)}
        found = [
            n
            for n in found
            if all((n.lineno, n.col_offset) <= p <= (n.end_lineno or 0, n.end_col_offset or 0) for p in where)
        ]
        found = [n for n in found if not any(m is not n and m in ast.walk(n) for m in found)] or found
    if len(found) != 1:
        raise Unreadable("Its source cannot be read")
    if [a.arg for a in _arguments(found[0])] != list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]):
        raise Unreadable("Its source is not the one that runs")
    return found[0]


class Written:
    """A program that stands in a text and was never run: the last definition of a name in it.

    Parameters
    ----------
    text : str
        Source of one or more cells.
    name : str
    known : dict, optional
        What else of the text was read already.
    """

    def __init__(self, text: str, name: str, known: dict[str, Any] | None = None) -> None:
        self.name, self.text, self.known = name, text, {} if known is None else known
        self.known[name] = self
        self.node = self._defined(name)

    def _defined(self, name: str) -> ast.AST:
        found: ast.AST | None = None
        for node in ast.parse(self.text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                found = node
            elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                found = node.value if isinstance(node.value, ast.Lambda) else node
        if not isinstance(found, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            raise Unreadable(f"The source of {name} cannot be read")
        return found

    def names(self) -> dict[str, Any]:
        """What the names of the text stand for, as far as it can be said without running it."""
        found: dict[str, Any] = {}
        for node in ast.parse(self.text).body:
            if isinstance(node, ast.Import):
                modules = {"numpy": np, "math": math}
                found |= {a.asname or a.name: modules[a.name] for a in node.names if a.name in modules}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found[node.name] = self.known.get(node.name) or Written(self.text, node.name, self.known)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        try:
                            found[target.id] = ast.literal_eval(node.value)
                        except ValueError:
                            found.pop(target.id, None)
        return found


def _source_of(function: Any) -> list[ast.AST]:
    """The nodes of the file or cell that a function stands in."""
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    try:
        return list(ast.walk(ast.parse("".join(lines))))
    except SyntaxError as error:
        raise Unreadable("Its source cannot be read") from error


def _arguments(node: Any) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def turns(tree: ast.AST) -> list[Any]:
    """What a tree does again and again, from outside in: loops, and functions inside it that call themselves."""
    order: list[Any] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, (ast.For, ast.While)) or (node is not tree and calls_itself(node)):
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
    for k, node in enumerate(turns(tree)):
        node.body = [ast.parse(f"__turn__({k}, locals())").body[0], *node.body]
    return tree


def expressions(tree: ast.AST) -> list[Any]:
    """The expressions of a tree whose values are watched, in the order in which they are numbered."""
    kinds = (ast.Name, ast.Call, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript)
    fixed = {id(call.func) for call in ast.walk(tree) if isinstance(call, ast.Call)}
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, kinds) and id(node) not in fixed and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    ]


def _watching(tree: Any) -> Any:
    """The same, with every expression reporting its value."""
    numbers = {id(node): k for k, node in enumerate(expressions(tree))}

    class Watch(ast.NodeTransformer):
        def visit(self, node: Any) -> Any:
            k = numbers.get(id(node))
            node = self.generic_visit(node)
            if k is None:
                return node
            return ast.Call(ast.Name("__seen__", ast.Load()), [ast.Constant(k), node], [])

    return ast.fix_missing_locations(Watch().visit(tree))


def _plain_size(value: Any) -> Any:
    """A plain number as it is, a list by its length, and an array of numbers by both; None of what is neither."""
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return (
            "list",
            value.size,
            "level" if value.size and (value == value.flat[0]).all() else "uneven" if value.size else "level",
        )
    if isinstance(value, (list, tuple, np.ndarray)):
        plain = (
            [x for x in value if isinstance(x, (int, float)) and not isinstance(x, bool)] if len(value) < 50_000 else []
        )
        return ("list", len(value), "uneven" if len(set(plain)) > 1 else "level")
    return None


def _as_it_is(value: Any) -> Any:
    """A copy of what the program may change later."""
    if isinstance(value, (list, dict, set)):
        return type(value)(value)
    return value.copy() if isinstance(value, np.ndarray) else value


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
        self.heads: list[tuple[Any, dict[str, Any], int]] = []
        self.seeded = False
        self.count = 0
        self.maps: list[tuple[str, Callable[[Any], Any]]] = []
        self.program, self.watching, self.watched, self._watching = program, False, None, None
        self.host = self
        self.function = self._translated(program)

    def steady(self, name: str, values: Any, function: Callable[[Any], Any], refused: bool) -> Any:
        """Sorted or clipped answers: new unknowns, of which one person changes each by no more, and in the same direction."""
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
        new = [self.fork.variable(("a", *p, name)) for p in places]
        return (
            new[0]
            if isinstance(values, Form)
            else np.array(new, dtype=object)
            if isinstance(values, np.ndarray)
            else new
        )

    def turn(self, loop: Any, state: dict[str, Any]) -> None:
        """Called at the start of each turn of a loop."""
        if len(self.heads) > 20_000:
            raise self.fork.stop("It does not end")
        self.heads.append((loop, {name: _as_it_is(value) for name, value in state.items()}, len(self.fork.order)))

    def seen(self, place: int, node: int, value: Any) -> Any:
        """Called with the value of each expression in a watched run."""
        if self.watched is not None:
            kind = _plain_size(value)
            if kind is not None:
                self.watched.setdefault((place, node), []).append(kind)
        return value

    def watch(self, run: Callable[[], Any]) -> dict[tuple[int, int], list[Any]]:
        """The plain numbers, and the lengths of lists, that the expressions of the program had in one run."""
        self.watched = {}
        try:
            self.function, kept = self._watching or self._watched_copy(), self.function
            run()
        finally:
            self.function = kept
            found, self.watched = self.watched, None
        return found

    def _watched_copy(self) -> Any:
        """The same program, translated once more with every expression watched."""
        copy = Reader.__new__(Reader)
        copy.__dict__.update(self.__dict__, translations=[], _known={}, watching=True)
        copy.host = self
        self._watching = copy._translated(self.program)
        return self._watching

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
            name = "program"
        node = ast.fix_missing_locations(node)
        self._checked(node)
        tree = ast.parse(ast.unparse(node)).body[0]
        space: dict[str, Any] = {}
        if name != "<lambda>":
            self._known[id(program)] = lambda *a, **k: space[name](*a, **k)  # for a function that calls itself
        self._names(program, node, space)
        place = len(self.translations)
        translation = Translation(program, tree, space)
        self.translations.append(translation)
        new = _reporting(
            _watching(ast.parse(ast.unparse(node)).body[0]) if self.watching else ast.parse(ast.unparse(node)).body[0]
        )
        host = self.host
        space["__builtins__"] = _allowed(self.host)
        space["__build_class__"] = builtins.__build_class__
        space["__name__"] = "program"
        space["__turn__"] = lambda loop, state: host.turn((place, loop), state)
        space["__seen__"] = lambda k, value: host.seen(place, k, value)
        module = ast.Module(body=[new], type_ignores=[])
        exec(compile(ast.fix_missing_locations(module), f"<program {name}>", "exec"), space)
        function = space[name]
        if isinstance(program, types.FunctionType):
            for default in (*(program.__defaults__ or ()), *(program.__kwdefaults__ or {}).values()):
                if not isinstance(default, _PLAIN):
                    raise Unreadable("It keeps something between calls (a default argument that can change)")
            function.__defaults__, function.__kwdefaults__ = program.__defaults__, program.__kwdefaults__
        translation.function = function
        self._known[id(program)] = function
        return function

    def _checked(self, node: ast.AST) -> None:
        for part in ast.walk(node):
            if type(part) in _REFUSED:
                raise Unreadable(_REFUSED[type(part)])
            if isinstance(part, ast.stmt) and not isinstance(part, _STATEMENTS):
                raise Unreadable(f"It has a statement that is not read ({type(part).__name__.lower()})")
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                names = [getattr(part, "module", None) or alias.name for alias in part.names]
                if isinstance(part, ast.ImportFrom) or set(names) - {"numpy", "math"}:
                    raise Unreadable(f"It imports {', '.join(names)}")
            if isinstance(part, (ast.Await, ast.Yield, ast.Starred, ast.NamedExpr)):
                continue
            if isinstance(part, ast.Name) and part.id.startswith("__"):
                raise Unreadable(f"It uses {part.id}")
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
            everything = vars(inspect.getmodule(program)) if inspect.getmodule(program) else {}
        own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
        own |= {a.arg for part in ast.walk(node) if isinstance(part, (ast.FunctionDef, ast.Lambda)) for a in _all(part)}
        own |= {part.name for part in ast.walk(node) if isinstance(part, (ast.FunctionDef, ast.ClassDef))}
        self_attributes = {
            part.attr
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)
        } | {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef)}
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute):
                base = part.value
                if isinstance(base, ast.Attribute) and base.attr == "random":
                    base = base.value  # np.random.laplace
                module = isinstance(base, ast.Name) and (
                    base.id in ("np", "numpy", "math")
                    or isinstance(outside.get(base.id, everything.get(base.id)), types.ModuleType)
                )
                if part.attr.startswith("__") or not (
                    module or part.attr in _ATTRIBUTES or part.attr in self_attributes
                ):
                    raise Unreadable(f"It uses .{part.attr}, which is not read")
            if not isinstance(part, ast.Name) or not isinstance(part.ctx, ast.Load) or part.id in space:
                continue
            if part.id in outside:
                space[part.id] = self._value(part.id, outside[part.id])
            elif part.id in own:
                if part.id == getattr(program, "__name__", getattr(program, "name", None)):
                    continue
            elif part.id in everything:
                space[part.id] = self._value(part.id, everything[part.id])
            elif part.id not in _BUILTINS:
                raise Unreadable(f"It uses {part.id}, which is not read")

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, _PLAIN) or (isinstance(value, tuple) and all(isinstance(v, _PLAIN) for v in value)):
            return value
        if value is np or value is math or value is np.random:
            return {"numpy": _Numpy, "math": _Math, "numpy.random": _Random}[value.__name__](self.host)
        if value is random:
            raise Unreadable("It draws from the module random, not from rng")
        if isinstance(value, types.ModuleType):
            raise Unreadable(f"It uses the module {value.__name__}")
        if isinstance(value, Written):
            return self._translated(value)
        if isinstance(value, (types.FunctionType, type)) and not isinstance(value, type(np.float64)):
            return self._translated(value)
        if getattr(builtins, name, None) is value and name in _BUILTINS:
            return _allowed(self.host)[name]
        if getattr(np, getattr(value, "__name__", ""), None) is value:
            return getattr(_Numpy(self.host), value.__name__)
        if isinstance(value, (list, dict, set, np.ndarray)):
            raise Unreadable(f"It keeps something between calls, or shares it with others ({name})")
        if isinstance(value, np.random.Generator):
            raise Unreadable(f"It draws from a generator of its own ({name}); draw from rng")
        raise Unreadable(f"It uses {name}, which is not read")


def _all(node: Any) -> list[ast.arg]:
    return [*_arguments(node), *filter(None, (node.args.vararg, node.args.kwarg))]


def _allowed(reader: Reader) -> dict[str, Any]:
    found = {name: getattr(builtins, name) for name in _BUILTINS if hasattr(builtins, name)}
    found["float"] = lambda x=0.0: x if isinstance(x, Form) else float(x)
    found["sorted"] = lambda x, **options: reader.steady("sorted", x, lambda y: sorted(y, **options), bool(options))
    found["locals"], found["__build_class__"] = locals, builtins.__build_class__
    found["__import__"] = lambda name, *_: {"numpy": _Numpy, "math": _Math}[name](reader)
    return found


class _Math:
    """The module math, for plain numbers."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        value = getattr(math, name)
        if not callable(value):
            return value

        def of_plain_numbers(*arguments: Any) -> Any:
            if any(isinstance(argument, Form) for argument in arguments):
                raise self._reader.fork.stop(f"It takes math.{name} of a number that it does not know")
            return value(*arguments)

        return of_plain_numbers


class _Numpy:
    """The module numpy, as far as it is read; arrays of unknowns are arrays of objects."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.random = _Random(reader)

    def __getattr__(self, name: str) -> Any:
        if name not in _NUMPY:
            raise self._reader.fork.stop(f"It uses np.{name}, which is not read")
        value = getattr(np, name)
        if not callable(value) or isinstance(value, type):
            return value
        if name in ("sort", "clip"):
            return lambda x, *limits, **options: self._reader.steady(
                name, x, lambda y: value(y, *limits, **options), bool(options) or any(map(_unknown, limits))
            )

        def called(*arguments: Any, **options: Any) -> Any:
            if any(_unknown(argument) for argument in arguments):
                options.pop("dtype", None)
            return value(*arguments, **options)

        return called


def _unknown(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == object
    return isinstance(value, Form) or (isinstance(value, (list, tuple)) and any(map(_unknown, value)))


class Source:
    """A generator whose draws are unknowns."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def _drawn(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        fork = self._reader.fork
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        if shape == ():
            return loc + fork.draw(family, scale)
        shape = (int(shape),) if hasattr(shape, "__index__") else tuple(int(k) for k in shape)
        if math.prod(shape) > 20_000:
            raise Refused(f"size must leave at most 20,000 draws in one run, got {size!r}")
        scales = np.broadcast_to(np.asarray(scale, dtype=object), shape)
        drawn = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            drawn[index] = fork.draw(family, scales[index])
        return drawn + loc

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.laplace`."""
        return self._drawn("laplace", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.gumbel`."""
        return self._drawn("gumbel", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.normal`."""
        return self._drawn("normal", loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.exponential`."""
        return self._drawn("exponential", 0.0, scale, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.uniform`."""
        return self._drawn("uniform", low, high - low, size)

    def random(self, size: Any = None) -> Any:
        """As `numpy.random.Generator.random`."""
        return self._drawn("uniform", 0.0, 1.0, size)

    def standard_normal(self, size: Any = None) -> Any:
        """As `numpy.random.Generator.standard_normal`."""
        return self._drawn("normal", 0.0, 1.0, size)

    def standard_exponential(self, size: Any = None) -> Any:
        """As `numpy.random.Generator.standard_exponential`."""
        return self._drawn("exponential", 0.0, 1.0, size)

    def __getattr__(self, name: str) -> Any:
        raise self._reader.fork.stop(f"It draws with rng.{name}, which is not read")


class _Random(Source):
    """The module numpy.random: unseeded it draws unknowns; what is seeded is no noise, and is run as it is."""

    def default_rng(self, seed: Any = None) -> Any:
        """As `numpy.random.default_rng`."""
        if seed is None:
            return Source(self._reader)
        if isinstance(seed, Source):
            return seed
        if _unknown(seed):
            raise self._reader.fork.stop("The seed of its noise depends on the answers, and so gives them away")
        self._reader.seeded = True
        return np.random.default_rng(seed)


def symbolic(reader: Reader, fork: Fork, n: int) -> tuple[Any, Any, Source]:
    """Unknown answers, an unknown threshold and a generator of unknowns."""
    reader.count = n
    answers = np.empty(n, dtype=object)
    answers[:] = [fork.variable(("a", i)) for i in range(n)]
    return answers, fork.variable(("T",)), Source(reader)
