"""The few forms in which a program can be written of which something is said for every number of queries.

What is seen in short runs holds for long ones as far as the state of a program is all that it hands on
(`svtcourse.judge.uniform`).  Python has many places where something can be kept; here are those that are looked at.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from svtcourse.judge.source import Written
from svtcourse.judge.standing import differs
from svtcourse.judge.syntax import as_for

if TYPE_CHECKING:
    from svtcourse.judge.reading import Translation

__all__ = ["unplain"]

_FORMS = (
    *(ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Yield, ast.YieldFrom),
    *(ast.Assign, ast.AugAssign, ast.For, ast.If, ast.Break, ast.Continue, ast.Pass, ast.Raise, ast.Expr),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.keyword, ast.Constant),
    *(ast.Name, ast.NamedExpr, ast.Starred),
    *(ast.Attribute, ast.Subscript, ast.Slice, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.comprehension),
    *(
        ast.And,
        ast.Or,
        ast.Not,
        ast.USub,
        ast.Invert,
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.Div,
        ast.FloorDiv,
        ast.Mod,
        ast.Pow,
        ast.BitAnd,
    ),
    *(ast.BitOr, ast.cmpop, ast.expr_context),
)
_NUMBERS = "bool int float abs min max round"
BUILTINS = set(f"{_NUMBERS} len range enumerate zip sum any all list tuple sorted next map".split())
_BUILTINS = BUILTINS | {"Exception", "RuntimeError", "StopIteration", "ValueError"}
_ENDS = {"enumerate", "zip", "map"}  # what they make comes to an end: it is gone through where it is made
_OF_LISTS = "append extend count index sum any all argmax nonzero cumsum size shape ndim copy tolist"
_OF_NOISE = "laplace exponential standard_exponential gumbel normal standard_normal uniform random choice default_rng"
_OF_NUMPY = """
    abs absolute add argmax any array asarray bool_ clip copy count_nonzero cumsum divide e empty empty_like exp expm1
    flatnonzero float64 full full_like greater greater_equal inf int64 less less_equal log log1p logical_and logical_not
    logical_or maximum minimum multiply negative nonzero ones ones_like pi searchsorted sign sort sqrt subtract sum
    where zeros zeros_like
"""
_ATTRIBUTES = set(f"{_OF_LISTS} {_OF_NOISE} {_OF_NUMPY} rvs ask stopped".split())


def unplain(functions: Sequence[Translation]) -> str | None:
    """What in a program and in the functions that it calls is written otherwise; None if nothing is."""
    if any(_shadowed(f.original) for f in functions):
        return "another function under the name of a builtin"
    trees = [as_for(copy.deepcopy(f.tree)) for f in functions]
    parts = [part for tree in trees for part in ast.walk(tree)]
    classes = {name for f in functions for name, value in f.names.items() if isinstance(value, type)}
    classes |= {p.name for p in parts if isinstance(p, ast.ClassDef)}
    called = {id(p.func) for p in parts if isinstance(p, ast.Call)}
    if any(isinstance(p, ast.Name) and p.id in classes and id(p) not in called for p in parts):
        return "a class that is not called"
    through = {id(p.iter) for p in parts if isinstance(p, (ast.For, ast.comprehension))}
    ends = [p for p in parts if isinstance(p, ast.Call) and isinstance(p.func, ast.Name) and p.func.id in _ENDS]
    through |= {id(x) for p in ends if id(p) in through for x in p.args}  # enumerate(zip(...))
    if any(isinstance(p, ast.Name) and p.id in _ENDS and id(p) not in called for p in parts) or any(
        id(p) not in through for p in ends
    ):
        return "enumerate, zip or map other than in the head of a loop"
    fields = {id(field) for p in parts if isinstance(p, ast.ClassDef) for field in _fields(p)}
    stored = [p for p in parts if isinstance(p, ast.Attribute) and not isinstance(p.ctx, ast.Load)]
    if any(id(p) not in fields for p in stored):
        return "an attribute that is set outside its class"
    own = {p.attr for p in stored}
    own |= {p.name for p in parts if isinstance(p, ast.FunctionDef)}
    found = next((found for part in parts for found in _found(part, own)), None)
    return found or next(filter(None, map(differs, functions)), None)


def _found(part: Any, own: set[str]) -> Iterator[str]:
    if not isinstance(part, _FORMS):
        yield type(part).__name__.lower()
    elif isinstance(part, ast.Name):
        loaded = isinstance(part.ctx, ast.Load)
        if hasattr(builtins, part.id) and (not loaded or part.id not in _BUILTINS):
            yield part.id
    elif isinstance(part, ast.arg) and hasattr(builtins, part.arg):
        yield part.arg
    elif isinstance(part, ast.FunctionDef):
        known = hasattr(builtins, part.name) and part.name != "__init__"
        yield from [f"{part.name}(...)"] * bool(known or part.args.vararg or part.args.kwarg)
        inside = [p for x in part.body for p in ast.walk(x)]
        yield from ["a class in a function"] * any(isinstance(p, ast.ClassDef) for p in inside)
    elif isinstance(part, ast.arguments):
        given = [p for x in (*part.defaults, *part.kw_defaults) if x for p in ast.walk(x)]
        plain = ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context
        yield from ["a default that is made anew"] * any(not isinstance(p, plain) for p in given)
    elif isinstance(part, ast.ClassDef):
        inside = [x for x in part.body if not isinstance(x, (ast.FunctionDef, ast.Pass)) and not _is_text(x)]
        yield from ["a class with more than its methods"] * bool(inside or part.bases)
    elif isinstance(part, ast.Attribute):
        if isinstance(part.ctx, ast.Load) and part.attr not in _ATTRIBUTES | own:
            yield f".{part.attr}"
    elif isinstance(part, ast.Subscript):
        named = isinstance(part.slice, ast.Name) and isinstance(part.value, ast.Name)
        if not isinstance(part.ctx, ast.Load) and not named:
            yield "a place that is set"
    elif isinstance(part, ast.Call):
        yield from ["*"] * any(isinstance(x, ast.Starred) for x in part.args)
    elif isinstance(part, (ast.List, ast.Tuple, ast.For)):
        yield from _of_targets(part)
    elif isinstance(part, (ast.BinOp, ast.Compare)):
        yield from _of_operands(part)


def _fields(node: ast.ClassDef) -> Iterator[ast.Attribute]:
    """What the methods of a class set of their own object."""
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.args.args:
            own, parts = method.args.args[0].arg, list(ast.walk(method))
            stored = [p.id for p in parts if isinstance(p, ast.Name) and not isinstance(p.ctx, ast.Load)]
            given = [p.arg for p in parts if isinstance(p, ast.arg)]
            for part in parts if own not in stored and given.count(own) == 1 else ():
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == own:
                    yield part


def _of_targets(node: Any) -> Iterator[str]:
    if not isinstance(node, ast.For):
        places = isinstance(node, ast.List) or any(isinstance(p, ast.Subscript) for p in node.elts)
        yield from ["several things that are set at once"] * (places and not isinstance(node.ctx, ast.Load))
    else:
        if node.orelse:
            yield "for ... else"
        if not all(isinstance(p, (ast.Name, ast.Tuple, ast.expr_context)) for p in ast.walk(node.target)):
            yield "for ... in"


def _of_operands(node: Any) -> Iterator[str]:
    sides = [node.left, *([node.right] if isinstance(node, ast.BinOp) else node.comparators)]
    if isinstance(node, ast.BinOp) and any(isinstance(x, ast.Constant) and type(x.value) is bool for x in sides):
        yield "a truth that is calculated with"


def _shadowed(program: Any) -> bool:
    """Whether in the module of a program a builtin is not what it is elsewhere."""
    known = program.names() if isinstance(program, Written) else getattr(program, "__globals__", {})
    inside = set(getattr(getattr(program, "__code__", None), "co_freevars", ()))
    return bool(BUILTINS & ({*known} | inside))


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
