"""Whether what stands in a source is what runs: its code, its defaults, and the class around it."""

from __future__ import annotations

import ast
import linecache
import types
from typing import TYPE_CHECKING, Any

from svtcourse.judge.source import Written

if TYPE_CHECKING:
    from svtcourse.judge.reading import Translation

__all__ = ["differs"]

_OF_A_CLASS = {"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__init__", "__annotations__"}
_CHANGES = {"globals", "locals", "vars", "exec", "eval", "setattr", "delattr"}


def differs(t: Translation) -> str | None:
    """Why something else may run than was read, None if it does not."""
    original, tree = t.original, t.tree
    if any(isinstance(p, ast.Name) and p.id == tree.name and isinstance(p.ctx, ast.Load) for p in ast.walk(tree)):
        return "a function that calls itself"
    if isinstance(original, Written):
        return _of_text(original, tree)
    if type(original) is types.FunctionType:
        return "a source that is not what runs" if vars(original) or not _stands(original, tree) else None
    if type(original) is not type or original.__bases__ != (object,):
        return "something else than a function or a class of its own"
    methods = {name: part for name, part in vars(original).items() if isinstance(part, types.FunctionType)}
    if not set(vars(original)) <= _OF_A_CLASS | set(methods):
        return "a class that is not as it was written"
    if not all(not vars(method) and _stands(method, tree) for method in methods.values()):
        return "a source that is not what runs"
    spaces = {id(method.__globals__) for method in methods.values()}
    if len(spaces) > 1 or any(method.__code__.co_freevars for method in methods.values()):
        return "a class that was made in a function"
    again = vars(t.function)
    if any(repr(_defaults(method)) != repr(_defaults(again.get(name))) for name, method in methods.items()):
        return "a default that has changed"
    return None


def _defaults(function: Any) -> Any:
    return function.__defaults__, sorted((function.__kwdefaults__ or {}).items())


def _of_text(written: Written, tree: Any) -> str | None:
    everything = list(ast.walk(ast.parse(written.text)))
    if any(isinstance(p, ast.Name) and (p.id in _CHANGES or p.id.startswith("__")) for p in everything) or any(
        isinstance(p, ast.Attribute) and p.attr.startswith("__") for p in everything
    ):
        return "what changes names from outside"
    for part in ast.walk(tree):
        given = [x for x in (*part.defaults, *part.kw_defaults) if x] if isinstance(part, ast.arguments) else []
        if any(isinstance(p, ast.Name) for x in given for p in ast.walk(x)):
            return "a default that has a name"
    return None


def _stands(function: Any, tree: Any) -> bool:
    """Whether the source that stands there, compiled again, is the code of a function."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    every = [compile(text, "source", "exec", dont_inherit=True)]
    for outer in every:
        every += [inner for inner in outer.co_consts if isinstance(inner, types.CodeType)]
    found = [c for c in every if c.co_firstlineno == code.co_firstlineno and c.co_name == code.co_name]
    if len(found) == 1 or code.co_name != "<lambda>":
        return bool(found) and all(_same(code, one) for one in found)
    around: Any = ast.parse("def around():\n" + "".join(f"    {name} = None\n" for name in code.co_freevars) + "    0")
    around.body[0].body[-1].value = ast.Lambda(tree.args, tree.body[0].value)
    outer = compile(ast.fix_missing_locations(around), "source", "exec").co_consts[0]
    return any(isinstance(c, types.CodeType) and _same(code, c) for c in outer.co_consts)


def _same(one: Any, other: Any) -> bool:
    """Whether two codes do the same."""
    names = "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount"
    return (
        all(getattr(one, name) == getattr(other, name) for name in names)
        and len(one.co_consts) == len(other.co_consts)
        and all(_alike(x, y) for x, y in zip(one.co_consts, other.co_consts, strict=True))
    )


def _alike(x: Any, y: Any) -> bool:
    if isinstance(x, types.CodeType) and isinstance(y, types.CodeType):
        return _same(x, y)
    return type(x) is type(y) and repr(x) == repr(y)
