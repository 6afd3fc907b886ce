"""What ``x.name`` is, of anything.  Plain Python that MicroPython runs too."""

from __future__ import annotations

from svtcourse.judge.language.kinds import Abstract, Class, Function, Instance, Member, Native, Raised, Room, Row, Run
from svtcourse.judge.language.methods import METHODS
from svtcourse.judge.unknowns.symbols import Form, Signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Method", "attribute"]

_METHODS = {name for every in METHODS.values() for name in every}


class Method:
    """A function of a class, with its object."""

    def __init__(self, function: Function, of: Any) -> None:
        self.function, self.of = function, of


def attribute(run: Run, x: Any, name: str) -> Any:
    """What ``x.name`` is."""
    if isinstance(x, Room):
        return x.get(run, name)
    if name == "__init__":
        raise run.stop("It uses __init__ as a value, which is not read")
    if isinstance(x, Instance):
        if name in x.names:
            return x.names[name]
        if name not in x.of.names:
            raise Raised("AttributeError", f"no {name}")
        found = x.of.names[name]
        by = getattr(found, "by", "staticmethod")
        return found if by == "staticmethod" else Method(found, x.of if by == "classmethod" else x)
    if isinstance(x, Class) and name in x.names and not x.error:
        found = x.names[name]
        if isinstance(found, Function) and found.by == "classmethod":
            return Method(found, x)
        if not isinstance(found, Function) or found.by == "staticmethod":
            return found
    if isinstance(x, Member) and name in ("name", "value"):
        return x.name if name == "name" else x.value
    if name in ("size", "shape", "ndim") and isinstance(x, (Abstract, Row)):
        if isinstance(x, Abstract):
            return x.call(run, name, x)
        return 1 if name == "ndim" else len(x.items) if name == "size" else (len(x.items),)
    if isinstance(x, Abstract) and name in _METHODS:
        return Native(name, lambda run, *given, **options: x.call(run, name, x, *given, **options), x)
    kind = "number" if isinstance(x, (bool, int, float, Form)) else type(x).__name__
    method = METHODS.get(kind, {}).get(name)
    if method is None or isinstance(x, Signed):
        raise run.stop(f"It uses .{name}, which is not read")
    return Native(name, lambda run, *given, **options: method(run, x, *given, **options), x)
