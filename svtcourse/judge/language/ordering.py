"""Sorted, clipped and largest answers: new unknowns, which one person changes by no more than the answers.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import Run
from svtcourse.judge.language.values import holds
from svtcourse.judge.unknowns.symbols import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["answer_in", "is_plain", "moved", "ordered", "stable"]


def answer_in(x: Any) -> Any:
    """The unknown answer that something is, as it is; None if it is none."""
    if not isinstance(x, Form) or len(x.terms) != 1 or x.constant:
        return None
    ((v, f),) = x.terms.items()
    return v if v[0] == "a" and f == 1 else None


def is_plain(x: Any) -> bool:
    """Whether something is a number, and no truth."""
    return isinstance(x, (bool, int, float)) and type(x) is not bool


def stable(run: Run, name: str, items: list[Any]) -> Any:
    """The largest or smallest of two answers and numbers: a new unknown, which one person changes by no more."""
    forms = [x for x in items if isinstance(x, Form)]
    answers = [answer_in(x) for x in forms]
    numbers = [float(x) for x in items if is_plain(x)]
    if None in answers or not 1 <= len(forms) <= 2 or len(forms) + len(numbers) < len(items) or run.fork is None:
        return None
    best = max if name == "max" else min

    def on_numbers(data: list[float]) -> list[float]:
        return [best([y for y in data[: k + 1]] + numbers) for k in range(len(data))]

    run.maps.append((name, on_numbers))
    return run.fork.variable(("a", max([v[1] for v in answers]), name, len(run.maps)))


def moved(run: Run, name: str, items: list[Any], on_numbers: Callable[[list[float]], list[float]]) -> list[Any] | None:
    """Sorted or clipped answers: new unknowns, which one person changes by no more, in the same direction."""
    answers = [answer_in(x) for x in items]
    known = None in answers or len(set(answers)) < len(items) or run.fork is None
    if known or (name == "sorted" and len(items) != run.count and run.always is None):
        return None
    run.maps.append((name, on_numbers))
    assert run.fork is not None
    return [run.fork.variable(("a", v[1], name, len(run.maps))) for v in answers]


def ordered(run: Run, items: list[Any]) -> list[Any]:
    """The same, the smallest first."""
    made = moved(run, "sorted", items, sorted)
    if made is not None:
        return made
    found: list[Any] = []
    for one in items:
        k = len(found)
        while k and holds(run, "Lt", one, found[k - 1]):
            run.tick()
            k -= 1
        found.insert(k, one)
    return found
