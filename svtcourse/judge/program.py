"""A reader's program: how it is called, run on numbers, and run on unknowns."""

from __future__ import annotations

import copy
import inspect
import math
import time
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from svtcourse.judge.reading import Reader
from svtcourse.judge.source import Written
from svtcourse.judge.symbols import Fork, Form, Path, Refused, Unreadable, explore
from svtcourse.judge.world import symbolic
from svtcourse.judge.written import ROLES

if TYPE_CHECKING:
    from svtcourse.judge.symbols import Key

__all__ = ["Program"]

_PARAMETERS = {role: names for role, names in ROLES.items() if role != "parts"}
_OF_UNKNOWNS = AttributeError, TypeError, ArithmeticError, LookupError, NameError
_LONGEST = 30  # seconds
_LISTS = list, tuple, str, np.ndarray
_SIGNS: dict[Any, bool] = {"⊤": True, "T": True, "⊥": False, "F": False}


@dataclass
class Program:
    """A function with its budget, or a class with `ask`.

    Attributes
    ----------
    function : callable
        Its parameters are known by name: answers, threshold, epsilon, c, sensitivity, rng.
        A class takes all but the answers; its objects answer one query at a time, ``ask(answer)`` or
        ``ask(answer, threshold)``, and stop by an exception or by ``stopped``.
    epsilon, c, sensitivity : float, int, float
    """

    function: Callable[..., Any]
    epsilon: float
    c: int = 1
    sensitivity: float = 1.0
    names: dict[str, str] = field(init=False)
    reader: Reader | None = field(init=False, default=None)
    unread: str | None = field(init=False, default=None)
    level: float | None = field(init=False, default=None)
    kinds: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"program must be a function of answers and rng, got {self.function!r}")
        self.asks = isinstance(self.function, type) and callable(getattr(self.function, "ask", None))
        self.names = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            known = [role for role, names in _PARAMETERS.items() if name in names]
            if known:
                self.names[name] = known[0]
            elif parameter.default is parameter.empty and parameter.kind not in (
                parameter.VAR_KEYWORD,
                parameter.VAR_POSITIONAL,
            ):
                raise ValueError(f"program must take {', '.join(_PARAMETERS)}, got a parameter {name!r}")
        if "answers" not in self.names.values() and not self.asks:
            raise ValueError(f"program must take the answers, got the parameters {list(self.names)}")
        try:
            here = isinstance(self.function, (types.FunctionType, type))
            written = None if here else getattr(self.function, "source", None)  # of one that runs elsewhere: text, name
            self.source = self.function if written is None else Written(*written)
            self.reader = Reader(self.source)
        except Unreadable as found:
            self.unread = str(found)

    def told(self, level: float) -> Program:
        """The same, of which one is told only whether each number that it shows is at least `level`.

        What this gives away, the program does.
        """
        other = copy.copy(self)
        other.level, other.kinds = level, set()
        return other

    def _said(self, function: Callable[..., Any], answers: Any, threshold: Any, rng: Any, asks: Any = None) -> Any:
        said = self._all_said(function, answers, threshold, rng, asks)
        if self.level is None or not isinstance(said, Iterable) or isinstance(said, str):
            return said
        words = {True: Compared(f"(number ≥ {self.level:g})"), False: Compared(f"(number < {self.level:g})")}
        return [words[bool(one >= self.level)] if _is_number(one) else one for one in said]

    def _all_said(self, function: Callable[..., Any], answers: Any, threshold: Any, rng: Any, asks: Any) -> Any:
        values = {
            "answers": answers,
            "threshold": threshold,
            "epsilon": self.epsilon,
            "c": self.c,
            "sensitivity": self.sensitivity,
            "rng": rng,
        }
        arguments = {name: values[role] for name, role in self.names.items()}
        if not self.asks:
            said = function(**arguments)
            return list(said) if isinstance(said, Iterable) and not isinstance(said, _LISTS) else said
        one, heard = function(**arguments), []
        takes_threshold = len(inspect.signature(self.function.ask).parameters) > 2  # type: ignore[attr-defined]
        for k, answer in enumerate(answers):  # each with a threshold that is not known to be that of the last one
            if asks is not None:
                asks(one, True, k)
            if getattr(one, "stopped", False):
                break
            try:
                heard.append(one.ask(answer, threshold + 0) if takes_threshold else one.ask(answer))
            except Exception as error:
                if asks is not None and isinstance(error, _OF_UNKNOWNS):
                    raise Unreadable(f"On unknown answers it ends with {type(error).__name__}: {error}") from error
                if asks is not None and _goes_on(one, answer, threshold if takes_threshold else None):
                    raise Unreadable("It raises an exception, and answers when it is asked again") from error
                break
        else:
            if asks is not None:
                asks(one, False, len(heard))
        return heard

    def sample(self, answers: Sequence[float], threshold: float, rng: np.random.Generator) -> tuple[bool | float, ...]:
        """One run with noise of numpy, as signs and numbers."""
        return read(self._said(self.function, np.array(answers, dtype=float), threshold, rng), len(answers))

    def along(self, n: int, choose: Callable[[Key], bool]) -> Path:
        """The run on n unknown answers in which each comparison comes out as `choose` has it."""
        fork = Fork((), choose)
        return Path(fork, self._symbolic(fork, n, self.reader))

    def grown(self, n: int, reader: Reader | None = None, each: Callable[[Path], None] = lambda _: None) -> list[Path]:
        """All runs on n unknown answers, of another reader if there is one, each handed to `each` when it has ended.

        Raises
        ------
        Unreadable
            If the program does with an unknown what only a number allows.
        """
        found = []
        began = time.monotonic()
        for path in explore(lambda fork: self._symbolic(fork, n, reader or self.reader)):
            if time.monotonic() - began > _LONGEST:
                raise Unreadable(f"To follow all its runs on {n} queries takes more than {_LONGEST} seconds")
            found.append(path)
            each(path)
        read(found[0].output, n)
        return found

    def _symbolic(self, fork: Fork, n: int, reader: Reader | None) -> Any:
        if reader is None:
            raise Unreadable(str(self.unread))
        answers, threshold, source = symbolic(reader, fork, n)
        reader.fork, reader.turned, reader.known, reader.maps = fork, 0, None, []
        fork.truth, fork.unit = np.bool_, min(1.0, self.sensitivity)
        answers = reader.opened(answers, self.asks)
        try:
            said = self._said(reader.function, answers, threshold, source, reader.asks)
            if reader is self.reader:
                self.kinds |= {type(said).__name__} - {"NoneType"}
            if len(self.kinds) > 1:
                raise fork.stop(f"It returns now one kind of list, and now another ({', '.join(sorted(self.kinds))})")
            said = shown(said)
        except Refused:
            raise
        except Exception as error:
            raise Unreadable(
                fork.reason or f"On unknown answers it ends with {type(error).__name__}: {error}"
            ) from error
        if fork.reason:
            raise Unreadable(fork.reason)
        return said


def _goes_on(one: Any, answer: Any, threshold: Any) -> bool:
    """Whether an object that has raised an exception answers after all."""
    try:
        one.ask(answer) if threshold is None else one.ask(answer, threshold)
    except Exception:
        return False
    return True


class Compared(str):
    """What one is told of a number."""


def _is_number(said: Any) -> bool:
    if isinstance(said, (int, np.integer)):
        return not isinstance(said, bool) and said not in (0, 1)
    return isinstance(said, (Form, float))


def shown(said: Any) -> Any:
    """What a run gave, as a value that can be compared."""
    if isinstance(said, Form):
        return "form", said.key()
    if isinstance(said, (bool, np.bool_)):
        return bool(said)
    if said is None or isinstance(said, (int, float, str, np.integer, np.floating)):
        return said
    if isinstance(said, np.ndarray) and not said.shape:
        return shown(said.item())
    if isinstance(said, (list, tuple, np.ndarray)):
        return tuple(shown(part) for part in said)
    raise Unreadable(f"It returns {type(said).__name__}, which is not read")


def read(said: Any, n: int) -> tuple[bool | float, ...]:
    """The answers of a run, whichever way they were said: signs, booleans, numbers, or the index of the first.

    A number that no comparison tells from an unknown one stays what it is, ``("form", ...)``.
    """
    if said is None:
        return (False,) * n
    if isinstance(said, (int, np.integer)) and not isinstance(said, bool):
        return (False,) * int(said) + (True,)
    if isinstance(said, str):
        said = list(said)
    if not isinstance(said, (list, tuple, np.ndarray)):
        raise ValueError(f"program must return a list of answers, got {said!r}")
    if len(said) > 4 * n + 4:
        raise ValueError(f"program must return at most one answer for each of {n} queries, got {len(said)}")
    answers: list[Any] = []
    for one in said:
        answer = one.item() if isinstance(one, np.ndarray) and not one.shape else one
        if isinstance(answer, (bool, np.bool_)):
            answers.append(bool(answer))
        elif answer is None or (isinstance(answer, str) and answer in _SIGNS):
            answers.append(False if answer is None else _SIGNS[answer])
        elif isinstance(answer, (int, np.integer)) and answer in (0, 1):
            answers.append(bool(answer))
        elif isinstance(answer, (int, float, np.integer, np.floating)) and math.isfinite(answer):
            answers.append(float(answer))
        elif isinstance(answer, Compared) or (isinstance(answer, tuple) and answer[:1] == ("form",)):
            answers.append(answer)
        else:
            raise ValueError(f"program must answer True, False or a number, got {answer!r}")
    return tuple(answers)
