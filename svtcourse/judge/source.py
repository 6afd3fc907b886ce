"""Where a program stands: its syntax tree, found in its file, its cell, or a text that was never run."""

from __future__ import annotations

import ast
import contextlib
import itertools
import linecache
import math
import types
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from svtcourse.judge.symbols import Unreadable

__all__ = ["FARTHEST", "Written", "arguments", "find_source", "numbers_in", "remembered"]

FARTHEST = 12_000  # queries beyond which no run is looked at


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
            if not isinstance(node, ast.ClassDef) or node.name != function.__name__:
                continue
            if node.lineno <= parts[0].__code__.co_firstlineno <= (node.end_lineno or 0):
                if not _as_written(function, node):
                    raise Unreadable("Its class is not the one that stands in its source any more")
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
    if [a.arg for a in arguments(found[0])] != list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]):
        raise Unreadable("Its source is not the one that runs")
    return found[0]


def _as_written(made: type, node: ast.ClassDef) -> bool:
    """Whether a class has the functions and values that its source gives it, and no others."""
    written = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
    values: dict[str, Any] = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            with contextlib.suppress(ValueError, TypeError):
                values[ast.unparse(statement.targets[0])] = ast.literal_eval(statement.value)
    for name, part in vars(made).items():
        if isinstance(part, types.FunctionType):
            code, stands = part.__code__, written.get(name)
            if stands is None or code.co_name != name or code.co_firstlineno != stands.lineno:
                return False
        elif not name.startswith("__") and (name not in values or repr(values[name]) != repr(part)):
            return False
    return True


def remembered(text: str) -> str:
    """A file name to compile a text under, so that its source is found again as that of a notebook's cell is.

    Examples
    --------
    >>> space = {}
    >>> text = "f = lambda x: x"
    >>> exec(compile(text, remembered(text), "exec"), space)
    >>> type(find_source(space["f"])).__name__
    'Lambda'
    """
    place = f"<cell {zlib.crc32(text.encode('utf-8', 'surrogatepass'))}>"
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    return place


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
            if name in _bound(node):
                found = node
        if isinstance(found, ast.Assign) and isinstance(found.value, ast.Lambda) and len(found.targets) == 1:
            found = found.value
        if not isinstance(found, (ast.FunctionDef, ast.ClassDef, ast.Lambda)) or getattr(found, "decorator_list", []):
            raise Unreadable(f"The source of {name} cannot be read")
        return found

    def names(self) -> dict[str, Any]:
        """What the names of the text stand for at its end; `NotImplemented` where only a run can say it."""
        found: dict[str, Any] = {}
        tree = ast.parse(self.text)
        for node in tree.body:
            found |= dict.fromkeys(_bound(node), NotImplemented)
            if isinstance(node, ast.Import):
                modules = {"numpy": np, "math": math}
                found |= {a.asname or a.name: modules.get(a.name, NotImplemented) for a in node.names}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found[node.name] = self.known.get(node.name) or Written(self.text, node.name, self.known)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        with contextlib.suppress(ValueError, TypeError):
                            found[target.id] = ast.literal_eval(node.value)
        for part in ast.walk(tree):
            if isinstance(part, ast.Global):
                found |= dict.fromkeys(part.names, NotImplemented)
            elif isinstance(part, ast.NamedExpr):
                found[part.target.id] = NotImplemented
            elif isinstance(part, ast.alias) and part.name == "*":
                raise Unreadable("It imports names that it does not say")
        return found


def _bound(node: ast.AST) -> set[str]:
    """The names that a statement gives a value, or may give one."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}  # what is in it has a room of its own
    for part in ast.walk(node):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, ast.alias):
            found.add((part.asname or part.name).partition(".")[0])
        elif isinstance(part, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and part.name:
            found.add(part.name)
    return found


def _source_of(function: Any) -> list[ast.AST]:
    """The nodes of the file or cell that a function stands in."""
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    try:
        return list(ast.walk(ast.parse("".join(lines))))
    except SyntaxError as error:
        raise Unreadable("Its source cannot be read") from error


def arguments(node: Any) -> list[ast.arg]:
    """The named parameters of a function."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def numbers_in(translations: Iterable[Any]) -> set[float]:
    """The numbers of a program, without their signs: in its text, together in a term, as a text, and from outside."""
    found: set[float] = set()
    for t in translations:
        nodes = list(ast.walk(t.tree))
        found.update(_sizes(nodes))
        for node, (kind, together) in itertools.product(nodes, ((ast.Mult, math.prod), (ast.Add, math.fsum))):
            parts: list[ast.AST] = []
            left: Any = node
            while isinstance(left, ast.BinOp) and isinstance(left.op, kind):
                parts, left = [*parts, left.right], left.left
            numbers = _sizes([*parts, left])
            if len(numbers) > 1 and max(numbers) < 1e6:
                found.add(together(numbers))
        for node in nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift)):
                base, power = _sizes(ast.walk(node.left)), _sizes(ast.walk(node.right))
                sizes = [math.log(max(x, 2.0)) * k for x in base for k in power]  # x << k is at most as far
                found.update(math.exp(sign * min(size, 700.0)) for size in sizes for sign in (1, -1))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        for text in texts:
            with contextlib.suppress(ValueError):
                found.update(_sizes([ast.Constant(float(text))] if math.isfinite(float(text)) else []))
        outside = *t.names.values(), *(getattr(t.function, "__defaults__", None) or ())
        each = [one for value in outside for one in (value if isinstance(value, tuple) else (value,))]
        found.update(_sizes([ast.Constant(one) for one in each if one not in (math.inf, -math.inf)]))
    return found


def _sizes(nodes: Iterable[ast.AST]) -> list[float]:
    values: list[Any] = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [float(min(abs(v), 1e300)) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
