"""A value of a program's state as it can be compared with that of another turn or run."""

from __future__ import annotations

import ast
import itertools
import types
from collections.abc import Set
from typing import Any

import numpy as np

from svtcourse.judge.rows import Draws
from svtcourse.judge.symbols import Form
from svtcourse.judge.syntax import called, text_of

__all__ = ["adds_up", "canonical", "folded", "row"]

_UNREAD = itertools.count()
_PLAIN = (bool, np.bool_, str, int, float, type(None), np.integer, np.floating)


def canonical(value: Any, names: dict[Any, int], used: Set[Any] = frozenset()) -> Any:
    """A value of the state, with the unknowns renamed in the order in which they are met; of draws, whether used."""
    if isinstance(value, Form):
        return _terms(value, names, used)
    if isinstance(value, _PLAIN):
        return type(value).__name__, repr(value) if isinstance(value, (float, np.floating)) else value
    if isinstance(value, (list, tuple, np.ndarray)):
        return type(value).__name__, tuple(canonical(x, names, used) for x in value)
    if isinstance(value, (Draws, np.random.Generator, np.random.RandomState)):
        return "generator"
    if isinstance(value, types.FunctionType):
        return "function"
    if isinstance(value, types.MethodType):
        return value.__name__, canonical(value.__self__, names, used)
    if hasattr(value, "__dict__"):
        this = "object", id(value)
        if this in names:
            return "object", names[this]
        names[this] = len(names)  # two names of one object are not two objects
        return type(value), tuple((k, canonical(v, names, used)) for k, v in sorted(vars(value).items()))
    return _never_again()


def adds_up(node: Any, said: str) -> bool:
    """Whether an expression of what was said, with one thing more in it, is known from what it was before."""
    text = text_of(node)
    if text == f"{said}[-1]":
        return True
    if isinstance(node, ast.BinOp):
        counts = all(isinstance(x, ast.Call) and called(x) in ("len", "sum", "count") for x in (node.left, node.right))
        return (
            counts
            and isinstance(node.op, (ast.Add, ast.Sub))
            and adds_up(node.left, said)
            and adds_up(node.right, said)
        )
    if isinstance(node, ast.Compare):
        asked = _is_sign(node.left) and isinstance(node.ops[0], (ast.In, ast.NotIn))
        return asked and len(node.ops) == 1 and text_of(node.comparators[0]) == said
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return False
    inner = node.args[0]
    if text_of(node.func) == f"{said}.count":
        return _is_sign(inner)
    if text_of(node.func) not in ("sum", "len", "any", "all"):
        return False
    if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
        one = inner.generators[0]
        free = {p.id for p in ast.walk(inner) if isinstance(p, ast.Name)} - {said, text_of(one.target)}
        plain = (ast.Name, ast.Constant, ast.Compare, ast.UnaryOp, ast.cmpop, ast.unaryop, ast.expr_context)
        parts = [p for part in (inner.elt, *one.ifs) for p in ast.walk(part)]
        return (
            len(inner.generators) == 1
            and not free
            and text_of(one.iter) == said
            and isinstance(one.target, ast.Name)
            and all(isinstance(p, plain) for p in parts)
        )
    return text_of(inner) == said


def _is_sign(node: Any) -> bool:
    """Whether this is a constant, and of a text no more than one letter: two may stand across what was added."""
    return isinstance(node, ast.Constant) and not (isinstance(node.value, str) and len(node.value) != 1)


def folded(fold: str, name: str, value: Any) -> Any:
    """What is read off a list of what was said, where the numbers in it are not looked at."""
    items = [_Unlooked(x.noisy) if isinstance(x, Form) else x for x in value]
    if f"sum({name})" in fold and any(isinstance(x, (float, np.floating)) for x in items):
        return _never_again()  # what is rounded in a sum is not seen in it
    try:
        found = eval(fold, {name: items})  # an expression that `Fragment` has looked at
    except IndexError:
        return "nothing yet"
    except TypeError:
        return _never_again()
    return canonical(found, {}) if isinstance(found, _PLAIN) else _never_again()


def row(values: Any, names: dict[Any, int], used: Set[Any]) -> Any:
    """A list with one element for each query: what its elements are, each as seen from itself."""
    items = list(values)
    return frozenset(
        _element(x, items, names, used) if isinstance(x, Form) else canonical(x, names, used) for x in items
    )


def _never_again() -> Any:
    return "unread", next(_UNREAD)


class _Unlooked:
    """A number of which can be asked that it is there, and, if it is noisy, whether it is a certain one: it is not."""

    def __init__(self, noisy: bool) -> None:
        self._noisy = noisy

    __hash__ = None  # type: ignore[assignment]

    def _refused(self, *_: Any) -> Any:
        raise TypeError

    def __eq__(self, other: object) -> bool:
        return False if self._noisy and not isinstance(other, _Unlooked) else self._refused()

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = _refused


def _terms(form: Form, names: dict[Any, int], used: Set[Any]) -> Any:
    found: list[Any] = []
    for variable, factor in sorted(form.terms.items(), key=repr):
        if variable[0] == "|":
            inner = Form(dict(variable[1][0]), variable[1][1], form.fork)
            found.append(("|", _terms(inner, names, used), factor))
        elif variable[0] == "T":
            found.append(("T", factor))
        else:
            law = form.fork.laws[variable[1]] if variable[0] == "z" else variable[2:3]
            found.append((law, variable in used, names.setdefault(variable, len(names)), factor))
    return tuple(found), form.constant


def _element(form: Form, items: list[Any], names: dict[Any, int], used: Set[Any]) -> Any:
    """One element of a row: its own unknowns by their laws, and by their names those that it shares."""
    found: list[Any] = []
    for variable, factor in sorted(form.terms.items(), key=repr):
        shared = sum(isinstance(x, Form) and variable in x.terms for x in items) > 1 or variable in names
        law = form.fork.laws[variable[1]] if variable[0] == "z" else (variable[0], *variable[2:3])
        found.append((law, variable in used, factor, names.setdefault(variable, len(names)) if shared else None))
    return tuple(sorted(found, key=repr)), form.constant
