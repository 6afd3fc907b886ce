"""Whether a program that is not read can keep anything from one call to the next: only what is known here cannot."""

from __future__ import annotations

import builtins
import dis
import math
import random
import sys
import types
from typing import Any

import numpy as np

from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.methods import METHODS
from svtcourse.judge.language.noise import DRAWN, MODULES

__all__ = ["may_last"]

_CHANGES = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "LOAD_BUILD_CLASS"}
_KNOWN = {*BUILTINS, *METHODS, *DRAWN, *(name for module in MODULES.values() for name in module.has)}
_KNOWN |= {
    "ArithmeticError", "KeyError", "OverflowError", "TypeError", "ZeroDivisionError", "add", "argsort", "around",
    "astype", "binomial", "choice", "choices", "concatenate", "cos", "diff", "divmod", "dict", "dot", "dtype",
    "endswith", "erf", "expm1", "fabs", "filter", "flatten", "format", "frozenset", "geometric", "integers", "isclose",
    "items", "keys", "log10", "log2", "logistic", "lower", "map", "mean", "median", "ndim", "permutation", "poisson",
    "pow", "power", "prod", "repeat", "replace", "repr", "reshape", "reversed", "rint", "roll", "rvs", "set", "shape",
    "shuffle", "sin", "size", "slice", "sorted", "split", "standard_cauchy", "startswith", "std", "str", "strip",
    "tanh", "tobytes", "tolist", "triangular", "trunc", "unique", "update", "upper", "values", "var",
}  # fmt: skip


def may_last(program: Any) -> str:
    """The name of the first thing that is not known to leave nothing to the next call; "" if there is none.

    Known are functions with nothing around them, numbers, and what libraries have that gives the same, or a new draw.
    """
    waiting, walked = [("the program", program)], set()
    while waiting:
        name, function = waiting.pop()
        if type(function) is not types.FunctionType or vars(function) or function.__closure__:
            return name
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        if not all(_is_plain(value) for value in given):
            return f"a default of {function.__name__}"
        if function not in walked:
            walked.add(function)
            found, more = _looked_up(function.__code__, function.__globals__)
            if found:
                return found
            waiting += more
    return ""


def _is_plain(value: Any) -> bool:
    return type(value) in (bool, int, float, str, type(None))


def _looked_up(code: types.CodeType, outside: dict[str, Any]) -> tuple[str, list[tuple[str, Any]]]:
    """What a code looks up, or changes, that is not known; and the functions that it may call."""
    libraries = np, np.random, math, random, sys.modules.get("scipy.stats"), builtins
    changes = [str(one.argval) for one in dis.get_instructions(code) if one.opname in _CHANGES]
    functions = []
    for name in code.co_names:
        value = outside.get(name, changes)
        known = name in _KNOWN and (value is changes or any(getattr(x, name, None) is value for x in libraries))
        if isinstance(value, types.FunctionType) and not known:
            functions.append((name, value))
        elif not (known or _is_plain(value) or any(value is one for one in libraries[:-1])):
            changes.append(name)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found, more = _looked_up(inner, outside)
            changes, functions = changes + [found] * bool(found), functions + more
    return next(iter(changes), ""), functions
