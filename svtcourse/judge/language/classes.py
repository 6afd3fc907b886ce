"""Classes of Python as they are read: their methods and constants, records, and the members of an Enum."""

from __future__ import annotations

import ast
import dataclasses
import enum
import types
from typing import Any

from svtcourse.judge.language.grammar import MADE_BY, check
from svtcourse.judge.language.kinds import Class, Fresh, Function, Member
from svtcourse.judge.language.source import same
from svtcourse.judge.unknowns.symbols import Unreadable

__all__ = ["PLAIN", "class_of"]

PLAIN = {bool, int, float, str, type(None)}
_OF_PYTHON_ITSELF = 1 << 9  # a class that was made by a statement (Py_TPFLAGS_HEAPTYPE), and not in C
_OF_ANY = {"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__"}
_OF_ANY |= {"__static_attributes__", "__firstlineno__"}
_OF_A_DATACLASS = {"__dataclass_params__", "__dataclass_fields__", "__init__", "__repr__", "__eq__", "__hash__"}
_OF_A_DATACLASS |= {"__match_args__", "__replace__", "__setattr__", "__delattr__"}
_TYPES = "_", "__dataclass_"  # before what is only the note of a field
_DATA = *PLAIN, list, dict, tuple
_NOT_USED = {"__repr__", "__str__", "__len__", "__call__", "__enter__", "__exit__"}  # where it is read, nobody asks
_BY = {staticmethod: "staticmethod", classmethod: "classmethod"}


def class_of(mine: Any, value: type) -> Class:
    """A class as it is read by `Mine`.

    Raises
    ------
    Unreadable
        If it is of another kind, or has a part that is not read.
    """
    if type(value) is enum.EnumMeta:
        return _members(mine, value)
    base = value.__bases__[0]
    error = issubclass(base, Exception)
    derived = not (base is object or error)
    if len(value.__bases__) > 1 or type(value) is not type or (derived and not _of_python(base)):
        raise Unreadable(f"It uses {value.__name__}, a class made of another one")
    if not _of_python(value):
        raise Unreadable(f"It uses {value.__name__}, which is not read")
    found = mine.seen[id(value)] = Class(value.__name__, {}, error)
    mine.kept.append(value)
    if error and base.__flags__ & _OF_PYTHON_ITSELF:
        mine.value_of(base.__name__, base)
    if derived:
        above = mine.value_of(base.__name__, base)
        if above.fields is not None:
            raise Unreadable(f"It uses {value.__name__}, a record made of another one")
        found.names.update(above.names)
    record = dataclasses.is_dataclass(value)
    if record:
        found.names["__init__"] = _made(mine, value, found)
    usual = _OF_ANY | (_OF_A_DATACLASS if record else set())
    for name, part in vars(value).items():
        if name in usual:
            continue
        function = isinstance(part, types.FunctionType)
        if function and name in _NOT_USED and not error:
            continue
        if error or (name.startswith("__") and not (function and name in MADE_BY)):
            raise Unreadable(f"It defines {name}")
        inner = part.fget if type(part) is property and not (part.fset or part.fdel) else None
        inner = part.__func__ if type(part) in _BY else inner
        if isinstance(inner, types.FunctionType):
            found.names[name] = mine.function_of(inner, by=_BY.get(type(part), "property"))
            continue
        if not function and type(part) not in PLAIN:
            raise Unreadable(f"It keeps something for all objects of a class, or has a method of a kind ({name})")
        found.names[name] = mine.value_of(name, part)
    return found


def _of_python(value: type) -> bool:
    return bool(value.__flags__ & _OF_PYTHON_ITSELF) and value.__module__ != "typing"


def _made(mine: Any, value: type, found: Class) -> Function:
    """How a dataclass makes an object: as one does that is made anew of the same fields, or it is not read."""
    fields, post = dataclasses.fields(value), "__post_init__" in vars(value)
    names, init = [one.name for one in fields if one.init], vars(value).get("__init__")
    space = {"__post_init__": lambda made: None} if post else {}
    lists = [one.name for one in fields if one.default_factory is list]
    if any(one.name.startswith(("_", "MISSING")) or one.name == "self" for one in fields):
        raise Unreadable("It is a dataclass with a field that may be called as something in its own __init__ is")
    try:
        anew = [
            (one.name, object, dataclasses.field(default=one.default, init=one.init))
            if one.default_factory is dataclasses.MISSING
            else (one.name, object, dataclasses.field(default_factory=one.default_factory, init=one.init))
            for one in fields
        ]
        frozen = value.__dataclass_params__.frozen  # type: ignore[attr-defined]
        made = dataclasses.make_dataclass(value.__name__, anew, namespace=space, frozen=frozen)
        again = vars(made)["__init__"]
    except Exception as error:
        raise Unreadable("It is a dataclass with fields of a kind that is not read") from error
    shown = [name for name in _OF_A_DATACLASS - {"__repr__"} if isinstance(vars(value).get(name), types.FunctionType)]
    usually = {name: getattr(vars(made).get(name), "__code__", None) for name in shown}
    if not all(usually[name] and same(vars(value)[name].__code__, usually[name]) for name in shown):
        raise Unreadable("It is a dataclass with methods of its own in place of those that it is given")
    if "__eq__" not in shown or not isinstance(init, types.FunctionType) or (frozen and post):
        raise Unreadable("It is a dataclass that makes its objects in a way that is not read")
    if any(name in vars(value) for name in ("__setattr__", "__delattr__", "__getattribute__") if not frozen):
        raise Unreadable("It is a dataclass that keeps its objects in a way that is not read")
    if any(one.default_factory not in (dataclasses.MISSING, list) for one in fields):
        raise Unreadable("It is a dataclass with fields of a kind that is not read")
    found.fields, found.frozen = [one.name for one in fields], frozen
    lines = [f"self.{one.name} = {one.name if one.init else []}" for one in fields if one.init or one.name in lists]
    usual = init.__defaults__ or ()
    defaults = dict(zip(names[len(names) - len(usual) :], usual, strict=True))
    lists_anew = [name for name, x in defaults.items() if type(x).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"]
    inside, held = _inside(init), _inside(again)
    if any(held.get(name, name) is not x for name, x in inside.items() if name.split("type_")[0] not in _TYPES):
        raise Unreadable("It is a dataclass that makes its objects in a way that is not read")
    if set(lists_anew) != set(lists) & set(names):
        raise Unreadable("It is a dataclass with fields of a kind that is not read")
    defaults.update(dict.fromkeys(lists_anew, None))
    mine.codes.append(init.__code__)
    made_by = _function(mine, names, lines + ["self.__post_init__()"] * post, defaults)
    made_by.defaults.update({name: Fresh() for name in lists_anew})
    return made_by


def _inside(function: types.FunctionType) -> dict[str, Any]:
    """What the names of a function stand for that are not its own."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells}


def _function(mine: Any, names: list[str], lines: list[str], defaults: dict[str, Any]) -> Function:
    node: Any = ast.parse(f"def __init__({', '.join(['self', *names])}): " + "; ".join(lines or ["pass"])).body[0]
    check(node, place="class")
    mine.trees.append(node)
    if any(type(x) not in PLAIN for x in defaults.values()):
        raise Unreadable("It keeps something between calls (a default that can change)")
    made = Function(node, "__init__", None, {name: mine.value_of(name, x) for name, x in defaults.items()})
    made.by = "function"
    return made


def _members(mine: Any, value: Any) -> Class:
    """An Enum of constants, without methods of its own."""
    known = {name: getattr(one, "value", None) for name, one in value.__members__.items()}
    if value.__bases__ != (enum.Enum,) or not known or any(type(x) not in PLAIN for x in known.values()):
        raise Unreadable(f"It uses {value.__name__}, an Enum with more than constants")
    usual: Any = enum.Enum(value.__name__, known)  # type: ignore[misc]
    for name in set(vars(value)) - set(known):
        part, its = (getattr(x, "__func__", x) for x in (vars(value)[name], vars(usual).get(name)))
        if part is not its and type(part) not in _DATA:
            raise Unreadable(f"It uses {value.__name__}, an Enum with more than constants")
    found = mine.seen[id(value)] = Class(value.__name__, {"__init__": None})
    mine.kept.append(value)
    for name, one in value.__members__.items():
        own = getattr(value, name) is one and type(one) is value and vars(one).keys() == vars(usual[name]).keys()
        if not own or one.name != usual[name].name or one.value != usual[name].value:
            raise Unreadable(f"It uses {value.__name__}, an Enum that was changed")
        first = found.names.get(one.name) or Member(f"{value.__name__}.{name}", name, mine.value_of(name, one.value))
        found.names[name] = first
    return found
