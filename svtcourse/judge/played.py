"""A program that stands in a text, run on numbers or on unknowns, by MicroPython and without numpy.

It reads with the same `symbols` as the whole judge does.
"""

from __future__ import annotations

import io
import sys

from svtcourse.judge.rows import Math, Numpy, Row, Source
from svtcourse.judge.symbols import Fork, Form, Path, Refused, Unreadable, explore
from svtcourse.judge.written import Refusal, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from svtcourse.judge.symbols import Key

__all__ = ["Failed", "Program", "said", "value"]

_MOST_PATHS = 700
_MOST_POSITIVES = 5


class Failed(Exception):
    """The program ends with an error, at a line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def _nothing() -> None:
    """Told before each run: a page shows that it is still at work."""


_FAULTS = (TypeError, AttributeError, NameError, IndexError, KeyError, ZeroDivisionError, OverflowError, MemoryError)


class Program:
    """A text with its budget, run on numbers or on unknowns."""

    def __init__(self, text: str, asked: dict[str, Any], beat: Callable[[], None] = _nothing) -> None:
        self.given = asked.get("given", {})
        self.text = Text(text, asked.get("function", ""))
        self.epsilon, self.c = float(asked.get("epsilon", 1.0)), int(asked.get("c", 1))
        self.sensitivity, self.beat = float(asked.get("sensitivity", 1.0)), beat
        if not (self.epsilon > 0 and self.sensitivity > 0 and 1 <= self.c <= _MOST_POSITIVES):
            raise Failed(f"epsilon and sensitivity must be above 0, and c from 1 to {_MOST_POSITIVES}", 0)
        self.line = 0
        self.kept: dict[str, Any] | None = None  # what the definitions made, where they are not made anew for a run
        self.fork: Fork | None = None
        for name, role, default in self.text.parameters:
            if role is None and not default and name not in self.given:
                raise Refusal(f"It takes a parameter {name}, which has no meaning here")
        try:
            self.code = compile(self.text.source, "<program>", "exec")
        except SyntaxError as error:
            raise Failed(f"SyntaxError: {error}", self._line_of(error)) from error

    def _line_of(self, error: BaseException) -> int:
        """The line of the text where an error arose: MicroPython says it only when it prints the error."""
        if not hasattr(sys, "print_exception"):
            return int(getattr(error, "lineno", 0) or 0)
        printed = io.StringIO()
        sys.print_exception(error, printed)
        place = printed.getvalue().rpartition("line ")[2].partition("\n")[0].partition(",")[0]
        return self.text.lines[min(int(place), len(self.text.lines)) - 1] if place.isdigit() else 0

    def _at(self, line: int) -> None:
        self.line = line
        if self.fork is not None:
            self.fork.line = line

    def _called(self, answers: Any, threshold: Any, source: Source) -> Any:
        names = {"numpy": Numpy(source), "math": Math(source)}
        space: dict[str, Any] = {"_at": self._at, "__name__": "program", "np": names["numpy"]}
        space.update({"math": names["math"], "float": _float, "max": _largest, "min": _smallest})
        for name, module in self.text.imports.items():
            space[name] = names[module]
        self.line = 0
        if self.kept:
            self.kept.update(space)
            space = self.kept
        else:
            exec(self.code, space)
            self.kept = None if self.kept is None else space
        parts = [name for name, role, _ in self.text.parameters if role == "parts"]
        share = self.epsilon / (3 if "epsilons" in parts else len(parts) or 1)
        values = {"answers": answers, "threshold": threshold, "epsilon": self.epsilon, "c": self.c}
        values["sensitivity"], values["rng"], values["parts"] = self.sensitivity, source, share
        arguments = {}
        for name, role, _ in self.text.parameters:
            if role is not None:
                arguments[name] = (share, share, share) if name == "epsilons" else values[role]
        arguments.update(self.given)
        function = space[self.text.name]
        if not self.text.asks:
            said = function(**arguments)
            lists = isinstance(said, (list, tuple, str, int, float, Row, Form)) or said is None
            return said if lists else list(said)
        one, heard = function(**arguments), []
        for answer in answers:
            if getattr(one, "stopped", False):
                break
            try:
                heard.append(one.ask(answer, threshold + 0) if self.text.takes_threshold else one.ask(answer))
            except _FAULTS:
                raise
            except Exception:  # so it says that it has stopped
                break
        return heard

    def _on_unknowns(self, fork: Fork, n: int) -> Any:
        self.beat()
        self.fork = fork
        answers = Row([fork.variable(("a", i)) for i in range(n)])
        try:
            said = value(self._called(answers, fork.variable(("T",)), Source(fork)))
        except Refused as error:
            raise Failed(str(error), self.line) from error
        except Exception as error:
            reason = fork.reason or f"On unknown answers it ends with {type(error).__name__}: {error}"
            if "unsupported types for __" in reason:
                reason = "It compares a plain number with an unknown: write the unknown on the left"
            raise Refusal(reason, self.line) from error
        finally:
            self.fork = None
        if fork.reason:
            raise Refusal(fork.reason, self.line)
        return said

    def grown(self, n: int) -> list[Path]:
        """All runs on n unknown answers."""
        found = []
        for path in explore(lambda fork: self._on_unknowns(fork, n), _MOST_PATHS):
            found.append(path)
        return found

    def along(self, n: int, choose: Callable[[Key], bool]) -> Path:
        """The run on n unknown answers in which each comparison comes out as `choose` has it."""
        fork = Fork((), choose)
        return Path(fork, self._on_unknowns(fork, n))

    def once(self, answers: list[float], threshold: float) -> Any:
        """One run on numbers, with new noise."""
        try:
            return self._called(Row(list(answers)), threshold, Source(None))
        except Exception as error:
            raise Failed(f"{type(error).__name__}: {error}", self.line) from error


def _float(x: Any = 0.0) -> Any:
    return x if isinstance(x, Form) else float(x)


def _over(x: Any, y: Any) -> bool:
    """Whether x > y; MicroPython asks only what stands on the left."""
    return bool(y < x if isinstance(y, Form) else x > y)


def _largest(*items: Any) -> Any:
    best: Any = None
    for k, x in enumerate(items if len(items) > 1 else items[0]):
        best = x if k == 0 or _over(x, best) else best
    return best


def _smallest(*items: Any) -> Any:
    best: Any = None
    for k, x in enumerate(items if len(items) > 1 else items[0]):
        best = x if k == 0 or _over(best, x) else best
    return best


def value(said: Any) -> Any:
    """What a run gave, as a value that can be compared."""
    if isinstance(said, Form):
        return "form", said.key()
    if said is None or isinstance(said, (bool, int, float, str)):
        return said
    if isinstance(said, (list, tuple, Row)):
        return tuple([value(part) for part in said])
    raise Unreadable("It returns what is not read")


def said(output: Any, n: int) -> tuple[Any, ...]:
    """The answers of a run: True, False, a number (on unknowns the pair ``"form", key``).

    Raises
    ------
    Unreadable
        If it is no list of answers.
    """
    if output is None:
        return (False,) * n
    if isinstance(output, int) and not isinstance(output, bool):
        return (False,) * output + (True,)  # the index of the first
    if isinstance(output, str):
        output = tuple(output)
    if not isinstance(output, tuple) or output[:1] == ("form",) or len(output) > 4 * n + 4:
        raise Unreadable("It does not return a list with one answer for each query")
    found: list[Any] = []
    for answer in output:
        if answer is None or answer is False or answer is True:
            found.append(bool(answer))
        elif isinstance(answer, str) and answer in ("⊤", "T", "⊥", "F"):
            found.append(answer in ("⊤", "T"))
        elif isinstance(answer, int) and answer in (0, 1):
            found.append(answer == 1)
        elif isinstance(answer, (int, float)) or (isinstance(answer, tuple) and answer[:1] == ("form",)):
            found.append(answer)
        else:
            raise Unreadable("It answers what is neither True or False nor a number")
    return tuple(found)
