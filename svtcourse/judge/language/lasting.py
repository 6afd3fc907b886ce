"""Whether a program that is not read can keep anything from one call to the next: only what is known here cannot."""

from __future__ import annotations

import builtins
import dis
import math
import random
import types
from typing import Any

import numpy as np

from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.methods import METHODS
from svtcourse.judge.language.noise import DRAWN, MODULES

__all__ = ["may_last"]

_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"}
_CHANGES = {
    "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_NAME", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "LOAD_BUILD_CLASS",
    "MATCH_CLASS", "BUILD_SET", "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC",
}  # fmt: skip
_KNOWN = set(BUILTINS) | set(DRAWN)
_KNOWN.update(*METHODS.values(), *(module.has for module in MODULES.values()))
_KNOWN |= {
    "ArithmeticError", "KeyError", "OverflowError", "TypeError", "ZeroDivisionError", "argsort", "around", "astype",
    "binomial", "choice", "choices", "concatenate", "cos", "dict", "diff", "divide", "divmod", "dot", "dtype",
    "endswith", "erf", "expm1", "fabs", "filter", "flatten", "geometric", "hypot", "insert", "integers", "isclose",
    "log10", "log2", "logistic", "lower", "map", "mean", "median", "ndim", "permutation", "poisson", "pow", "power",
    "prod", "remove", "repeat", "replace", "reshape", "resize", "reversed", "rint", "roll", "setdefault", "shape",
    "shuffle", "sin", "size", "slice", "sort", "sorted", "split", "standard_cauchy", "startswith", "std", "strip",
    "tanh", "tobytes", "tolist", "triangular", "trunc", "unique", "update", "upper", "values", "var",
}  # fmt: skip
_LIBRARIES = np, np.random, math, random, builtins
_THERE = {(k, name): getattr(x, name, None) for k, x in enumerate(_LIBRARIES) for name in _KNOWN}


def may_last(program: Any) -> str:
    """The name of the first thing that is not known to leave nothing to the next call; "" if there is none.

    Known are functions with nothing around them, numbers, and what libraries have that gives the same, or a new draw.
    """
    if any(getattr(_LIBRARIES[k], name, None) is not one for (k, name), one in _THERE.items()) or np.geterrcall():
        return "what libraries have here"
    waiting, walked = [("the program", program)], set()
    while waiting:
        name, function = waiting.pop()
        if type(function) is not types.FunctionType or vars(function) or function.__closure__:
            return name
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        if not all(_is_plain(value) for value in given):
            return f"a default of {function.__name__}"
        outside = function.__globals__
        around = outside.get("__builtins__")
        if type(outside) is not dict or not (around is builtins or around is vars(builtins)):
            return f"what stands around {function.__name__}"
        if function not in walked:
            walked.add(function)
            found, more = _looked_up(function.__code__, outside)
            if found:
                return found
            waiting += more
    return ""


def _is_plain(value: Any) -> bool:
    return type(value) in (bool, int, float, str, type(None))


def _looked_up(code: types.CodeType, outside: dict[str, Any]) -> tuple[str, list[tuple[str, Any]]]:
    """What a code looks up, or changes, that is not known; and the functions that it may call."""
    functions: list[tuple[str, Any]] = []
    for one in dis.get_instructions(code):
        name = one.argval
        if one.opname in _CHANGES:
            return name if isinstance(name, str) else "a class, a set or a text that it makes", []
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and name in outside:
            value = outside[name]
            if type(value) is types.FunctionType and not any(value is x for x in _THERE.values()):
                functions.append((name, value))
            elif not (_is_plain(value) or any(value is x for x in (*_LIBRARIES[:-1], *_THERE.values()))):
                return str(name), []
        elif one.opname in _LOADS and name not in _KNOWN:
            return str(name), []
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            found, more = _looked_up(part, outside)
            if found:
                return found, []
            functions += more
        elif isinstance(part, tuple) and all(_is_plain(x) for x in part):
            if {"where", "out"} & set(part):  # what stays as it was is what others left there
                return "where", []
        elif not _is_plain(part):
            return "a constant", []
    return "", functions
