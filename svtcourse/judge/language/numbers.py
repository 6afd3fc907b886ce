"""The functions of one number or two, those of Python's `math`: of numbers that are known, and of some draws.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math

from svtcourse.judge.language.kinds import NoNumber, Run
from svtcourse.judge.language.values import MOST_WHOLE, UNSURE, binary, is_off, is_plain, off
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["NUMBERS", "PLAIN", "ROOTS", "of_plain", "sign"]


def of_plain(name: str, library: Any = math) -> Callable[[Run, Any], Any]:
    """A root, an exponential or a logarithm, as a library rounds it."""

    def do(run: Run, x: Any) -> Any:
        if isinstance(x, Form) and name in ("log", "log1p"):
            return x.fork.part_of_a_draw("log", x + 1 if name == "log1p" else x)
        if (
            not is_plain(x)
            or (name == "log" and x <= 0)
            or (name == "sqrt" and x < 0)
            or (name == "exp" and x > 700)
            or (name == "log1p" and x <= -1)
        ):
            raise run.stop(f"It takes {name} of a number that it does not know, or that has none")
        if not hasattr(library, name):  # MicroPython has not all of them
            raise run.stop(f"It uses math.{name}, which is not here")
        found = float(getattr(library, name)(x))
        slope = {"exp": found, "log": 1 / (x or 1), "sqrt": 0.5 / (found or 1), "log1p": 1 / (1 + x or 1)}[name]
        return is_off(run, found, off(run, x) * slope + (0.0 if name == "sqrt" else UNSURE * abs(found)))

    return do


def _whole(name: str) -> Callable[[Run, Any], Any]:
    def do(run: Run, x: Any) -> int:
        known = is_plain(x) and abs(x) < MOST_WHOLE
        near = abs(x - round(x)) if known else 0.0
        if not known or not (near == off(run, x) == 0 or near > max(1e-9 * abs(x), 4 * off(run, x))):
            raise run.stop(f"It takes {name} of a number that it does not know, or by its last digits")
        return int(getattr(math, name)(x))

    return do


def _finite(name: str) -> Callable[[Run, Any], Any]:
    """Whether a number is finite, or none: what is unknown is a finite number."""

    def do(run: Run, x: Any) -> bool:
        if not is_plain(x) and not isinstance(x, Form):
            raise run.stop(f"It asks for {name} of what is no number")
        return bool(getattr(math, name)(0.0 if isinstance(x, Form) else x))

    return do


def sign(run: Run, x: Any) -> Any:
    """1.0, -1.0 or 0.0."""
    if isinstance(x, Form):
        return x.fork.part_of_a_draw("sign", x)
    if type(x) is not float:
        raise run.stop("It takes the sign of what is no number")
    return float((x > 0) - (x < 0))


def _copysign(run: Run, x: Any, y: Any) -> Any:
    if not is_plain(x) or not ((is_plain(y) and y) or isinstance(y, Form)):  # a zero may have either sign
        raise run.stop("It takes copysign of a number that it does not know")
    size = is_off(run, float(abs(x)), off(run, x))
    if isinstance(y, Form):
        return binary(run, "Mult", size, y.fork.part_of_a_draw("sign", y))
    return is_off(run, math.copysign(size, y), off(run, x))


def _pow(run: Run, x: Any, y: Any) -> Any:
    if not (is_plain(x) and is_plain(y) and x > 0):
        raise run.stop("It takes a power of a number that it does not know, or that has none")
    return binary(run, "Pow", float(x), float(y))


ROOTS = "sqrt", "exp", "log", "log1p"
PLAIN: dict[str, Callable[..., Any]] = {name: of_plain(name) for name in ROOTS}
PLAIN.update(
    [(name, _whole(name)) for name in ("ceil", "floor")] + [(name, _finite(name)) for name in ("isfinite", "isnan")]
)
NUMBERS = {"inf": math.inf, "pi": math.pi, "e": math.e, "nan": NoNumber()}
PLAIN["copysign"], PLAIN["pow"] = _copysign, _pow
