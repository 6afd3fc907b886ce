"""The source of a function: where it stands, and whether it is what runs."""

from __future__ import annotations

import ast
import linecache
import types
import zlib
from typing import Any

from svtcourse.judge.unknowns.symbols import Unreadable

__all__ = ["remembered", "same", "tree_of"]

_OF_MODULES = 0x1000  # flags from here on are those of a module: from __future__, and how it was compiled


def remembered(text: str) -> str:
    """A file name to compile a text under, so that its source is found again as that of a notebook's cell is.

    Examples
    --------
    >>> space = {}
    >>> text = "f = lambda x: x"
    >>> exec(compile(text, remembered(text), "exec"), space)
    >>> type(tree_of(space["f"])).__name__
    'Lambda'
    """
    place = f"<cell {zlib.crc32(text.encode('utf-8', 'surrogatepass'))}>"
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    return place


def tree_of(function: types.FunctionType) -> Any:
    """The tree of a function, found by its place in its file or cell.

    Raises
    ------
    Unreadable
        If there is none, several could be meant, or what stands there is not what runs.
    """
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        whole = ast.parse(text)
        every = [compile(text, "source", "exec", dont_inherit=True)]
    except SyntaxError as error:
        raise Unreadable("Its source cannot be read") from error
    found: list[Any] = []
    for node in ast.walk(whole):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            if first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
                found.append(node)
    several = len(found) > 1
    if several:  # several lambdas in a line: told apart by where their code stands
        where = {(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None and p[2:] != (0, 0)}
        found = [
            n
            for n in found
            if all((n.lineno, n.col_offset) <= p <= (n.end_lineno or 0, n.end_col_offset or 0) for p in where)
        ]
    if len(found) != 1:
        raise Unreadable("Its source cannot be read")
    for outer in every:
        every += [inner for inner in outer.co_consts if isinstance(inner, types.CodeType)]
    alike = [c for c in every if c.co_firstlineno == code.co_firstlineno and c.co_name == code.co_name]
    if several:
        alike = [c for c in alike if list(c.co_positions()) == list(code.co_positions())]
    if not any(same(code, one) for one in alike):
        raise Unreadable("Its source is not the one that runs")
    found[0].decorator_list = []  # what decorates it was called before, and gave back this function
    return found[0]


def same(one: Any, other: Any) -> bool:
    """Whether two codes do the same."""
    names = ["co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount"]
    names += ["co_exceptiontable"]
    return (
        (one.co_flags ^ other.co_flags) % _OF_MODULES == 0
        and all(getattr(one, name) == getattr(other, name) for name in names)
        and len(one.co_consts) == len(other.co_consts)
        and all(_alike(x, y) for x, y in zip(one.co_consts, other.co_consts, strict=True))
    )


def _alike(x: Any, y: Any) -> bool:
    if isinstance(x, types.CodeType) and isinstance(y, types.CodeType):
        return same(x, y)
    if type(x) is type(y) is frozenset:
        x, y = sorted(x, key=repr), sorted(y, key=repr)
    if type(x) is type(y) in (tuple, list):
        return len(x) == len(y) and all(_alike(*both) for both in zip(x, y, strict=True))
    return type(x) is type(y) and repr(x) == repr(y)
