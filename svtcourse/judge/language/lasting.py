"""What a program may keep from one call to the next: runs of such a program hang together, and convict nobody."""

from __future__ import annotations

import dis
import enum
import functools
import random
import sys
import types
from typing import Any

import numpy as np

from svtcourse.judge.language.witness import LIBRARIES

__all__ = ["Lasting"]

_PLAIN = bool, int, float, complex, str, type(None), np.generic
_OF_CLASSES = types.MemberDescriptorType, types.GetSetDescriptorType  # a field of each object
_DRAWS = np.random.Generator, np.random.RandomState, random.Random  # they go on, and what they give is independent
_MODULES = {
    "__future__", "abc", "bisect", "builtins", "cmath", "collections", "copy", "dataclasses", "decimal", "enum",
    "fractions", "functools", "heapq", "itertools", "math", "numbers", "numpy", "operator", "random", "re", "scipy",
    "secrets", "statistics", "string", "time", "types", "typing",
}  # fmt: skip
_SEEDED = {"default_rng", "RandomState", "Random", "SeedSequence", "PCG64", "MT19937", "Philox", "SFC64", "PCG64DXSM"}
_NOT_CALLED = {"seed", "set_state", "setstate", "bit_generator"}
_NOT_OF_PYTHON = {"compile", "delattr", "eval", "exec", "getattr", "globals", "hash", "id", "open", "setattr", "vars"}
_BETWEEN = {"__init__", "__call__", "__iter__", "__next__", "__post_init__", "__len__", "__getitem__", "__name__"}


class Lasting:
    """A walk through all that a function or class can reach by name."""

    def __init__(self, program: Any) -> None:
        self.seen: list[Any] = []
        self.classes: list[tuple[type, list[int]]] = []
        self.functions: list[types.FunctionType] = []
        try:
            self.found = self._value(program, str(getattr(program, "__name__", "what is called")))
        except Exception:  # what asks it may be answered in any way
            self.found = "what it is made of"

    def what(self) -> str:
        """The first thing that may last from one call to the next, also since the walk; "" if there is none."""
        if self.found:
            return self.found
        changed = [one.__name__ for one, before in self.classes if [*map(id, vars(one).values())] != before]
        return next(iter(changed + [f.__name__ for f in self.functions if vars(f)]), "")

    def _value(self, value: Any, name: str) -> str:
        if isinstance(value, (*_PLAIN, *_DRAWS, *_OF_CLASSES)) or any(value is one for one in self.seen):
            return ""
        self.seen.append(value)
        if isinstance(value, (tuple, frozenset)):
            return self._first([(part, name) for part in value])
        if isinstance(value, functools.partial):
            return self._first([(part, name) for part in (value.func, *value.args, *value.keywords.values())])
        if isinstance(value, types.ModuleType):
            return "" if value.__name__.split(".")[0] in _MODULES else name
        if isinstance(value, (types.MethodType, types.BuiltinFunctionType)):
            of = value.__self__
            return "" if of is None or isinstance(of, types.ModuleType) else self._value(of, name)
        if isinstance(value, types.FunctionType):
            return "" if value.__code__.co_filename.startswith(LIBRARIES) else self._function(value, name)
        if isinstance(value, enum.Enum):
            return self._value(type(value), name)
        home = sys.modules.get(str(getattr(value, "__module__", "numpy")))
        if str(getattr(home, "__name__", "")).split(".")[0] in _MODULES:
            return "" if getattr(home, getattr(value, "__name__", ""), None) is value else name
        return self._class(value, name) if isinstance(value, type) else name

    def _first(self, parts: list[tuple[Any, str]]) -> str:
        return next((found for part, name in parts if (found := self._value(part, name))), "")

    def _class(self, value: type, name: str) -> str:
        self.classes.append((value, [*map(id, vars(value).values())]))
        parts: list[tuple[Any, str]] = [(base, name) for base in (*value.__bases__, type(value))]
        made_by_python = isinstance(value, enum.EnumMeta)
        for key, part in vars(value).items():
            of_it = [getattr(part, "__func__", part)]
            if isinstance(part, property):
                of_it = [part.fget, part.fset]
            if isinstance(of_it[0], types.FunctionType) or not (key.startswith("__") or made_by_python):
                parts += [(one, f"{name}.{key}") for one in of_it]
        return self._first(parts)

    def _function(self, function: types.FunctionType, name: str) -> str:
        self.functions.append(function)
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        code = function.__code__
        try:
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
        except ValueError:
            return name
        around = dict(zip(code.co_freevars, cells, strict=True))
        found = self._first([(one, f"a default of {name}") for one in given] + [(x, k) for k, x in around.items()])
        return found or self._code(code, function.__globals__, around)

    def _code(self, code: types.CodeType, outside: dict[str, Any], around: dict[str, Any]) -> str:
        steps = [one for one in dis.get_instructions(code) if one.opname not in ("PRECALL", "PUSH_NULL", "CACHE")]
        for before, one, after in zip([None, *steps[:-1]], steps, [*steps[1:], None], strict=True):
            name, does = one.argval, one.opname
            if does in ("STORE_ATTR", "DELETE_ATTR") and not (before and _is_self(before, code)):
                return f"the attribute {name}"
            if does in ("STORE_GLOBAL", "DELETE_GLOBAL") or (does == "STORE_DEREF" and name in around):
                return str(name)
            if does == "IMPORT_NAME" and name.split(".")[0] not in _MODULES:
                return str(name)
            if name in _SEEDED and not (after and after.opname.startswith("CALL") and after.arg == 0):
                return f"the seed of {name}"
            if does.startswith("LOAD_CONST") and isinstance(name, types.CodeType):
                inner = self._code(name, outside, around)
                if inner:
                    return inner
        for name in code.co_names:
            known = name in outside
            if (
                name in _NOT_CALLED
                or (not known and name in _NOT_OF_PYTHON)
                or (name[:2] == "__" and name not in _BETWEEN)
            ):
                return name
            found = self._value(outside[name], name) if known and name not in _SEEDED else ""
            if found:
                return found
        return ""


def _is_self(step: dis.Instruction, code: types.CodeType) -> bool:
    """Whether it loads the first argument last."""
    loaded = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
    return "LOAD_FAST" in step.opname and code.co_argcount > 0 and loaded == code.co_varnames[0]
