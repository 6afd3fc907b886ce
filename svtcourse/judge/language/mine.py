"""A program that is a function or a class of Python: its source, what stands for its names, and runs on numbers."""

from __future__ import annotations

import ast
import builtins
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import inspect
import itertools
import math
import numbers
import os
import random
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from svtcourse.judge.language.classes import class_of
from svtcourse.judge.language.grammar import HEADS, check
from svtcourse.judge.language.kinds import Bound, Class, Function, Native, Run
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.machine import Machine
from svtcourse.judge.language.noise import DRAWN, MODULES
from svtcourse.judge.language.outputs import DEEPEST, NoAnswers, Told, unlike_a_kind
from svtcourse.judge.language.program import ROLES, Program, hears_threshold, roles_of
from svtcourse.judge.language.quiet import only_prints, unheard
from svtcourse.judge.language.source import tree_of
from svtcourse.judge.language.texts import Text
from svtcourse.judge.language.values import MOST_WHOLE
from svtcourse.judge.unknowns.symbols import Unreadable

__all__ = ["ELSEWHERE", "Mine", "own_sensitivity"]

ELSEWHERE: set[type] = set()  # kinds of functions that run in another process, and have `source`: a text and a name

_NUMPY = {name: getattr(np, name, None) for name in MODULES["numpy"].has}
_RANDOM = {name: getattr(np.random, name, None) for name in (*DRAWN, "default_rng", "seed", "choice")}
_MATH = {name: getattr(math, name, None) for name in MODULES["math"].has}
_PYTHON = {name: getattr(random, name, None) for name in MODULES["random"].has}
_COUNTER = {"Counter": collections.Counter}
_KNOWN = (np, _NUMPY), (np.random, _RANDOM), (math, _MATH), (random, _PYTHON), (collections, _COUNTER)
_BUILTINS = {name: vars(builtins).get(name) for name in BUILTINS}
_PLAIN = {bool, int, float, str, type(None)}
_OF_NUMPY = {np.bool_: bool, np.int64: int, np.float64: float}
_LISTS = list, tuple, str, dict, np.ndarray
_IN_PLACE = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


def _needed(function: Any) -> list[str]:
    """The parameters that have no default."""
    every = inspect.signature(function).parameters.values()
    gathers = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    return [one.name for one in every if one.default is one.empty and one.kind not in gathers]


def own_sensitivity(function: Any) -> float:
    """The default of its parameter for the sensitivity; 1 if there is none."""
    parameters = inspect.signature(function).parameters if callable(function) else {}
    usual = [parameters[name].default for name in ROLES["sensitivity"] if name in parameters]
    known = usual and type(usual[0]) in (int, float) and 0 < usual[0] < 1e300
    return float(usual[0]) if known else 1.0


class Mine(Program):
    """A function or class, with the budget that it is called with.

    Raises
    ------
    ValueError
        If it does not take what a program takes.
    """

    def __init__(self, function: Callable[..., Any], epsilon: float, c: int = 1, sensitivity: float = 1.0) -> None:
        super().__init__(epsilon, c, sensitivity)
        if not callable(function):
            raise ValueError(f"program must be a function of answers and rng, got {function!r}")
        self.function, self.name = function, getattr(function, "__name__", "program")
        self.asks = isinstance(function, type) and callable(getattr(function, "ask", None))
        self._names()
        self.trees: list[Any] = []
        self.seen: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.codes: list[types.CodeType] = []  # what was read
        self.elsewhere: set[str] = set()  # folders of what calls what runs in another process
        self.unread: Unreadable | None = None
        try:
            if not isinstance(function, (types.FunctionType, type)) and type(function) not in ELSEWHERE:
                raise Unreadable(
                    f"It is called without being a function ({type(function).__name__}); judge the function itself"
                )
            self.read = self.value_of("program", function)
            if not isinstance(self.read, (Function, Class, _Elsewhere)):
                raise Unreadable("It is no function written in Python")
        except Unreadable as found:
            self.unread = found
        except RecursionError:
            self.unread = Unreadable("It goes deeper than can be read")

    def _names(self) -> None:
        parameters = list(inspect.signature(self.function).parameters)
        needed = _needed(self.function)
        roles = roles_of(parameters, needed)
        for name in parameters:
            if name in roles and roles[name] not in ("parts", "answers" if self.asks else ""):
                self.names[name] = roles[name]
            elif name in needed:
                parts = ", ".join(role for role in ROLES if role != "parts")
                raise ValueError(f"program must take {parts}, got a parameter {name!r}")
        if "answers" not in self.names.values() and not self.asks:
            raise ValueError(f"program must take the answers, got the parameters {list(self.names)}")
        if self.asks:
            ask = self.function.ask  # type: ignore[attr-defined]
            told = [one.name for one in inspect.signature(ask).parameters.values() if one.kind in _IN_PLACE]
            own = isinstance(inspect.getattr_static(self.function, "ask"), types.FunctionType)  # is told its object
            self.takes_threshold = hears_threshold(told[own:], [one for one in _needed(ask) if one not in told[:own]])

    def told(self, level: float) -> Mine:
        """The same, of which one is told only whether each number that it shows is at least `level`.

        What this gives away, the program does.
        """
        other = copy.copy(self)
        other.level, other.kinds, other.known = level, set(), {}
        shown = repr(level).removesuffix(".0")
        other.words = Told(f"(number < {shown})"), Told(f"(number ≥ {shown})")
        return other

    def made(self, run: Run) -> Any:
        """What was read."""
        if self.unread is not None:
            raise run.stop(str(self.unread))
        return self.read.made(run) if isinstance(self.read, _Elsewhere) else self.read

    def nodes(self) -> list[Any]:
        """The trees of all functions that were read."""
        return self.trees

    def sample(self, answers: Sequence[float], threshold: float, rng: np.random.Generator) -> tuple[Any, ...]:
        """One run of the program itself with noise of numpy, as signs and numbers; what it prints is not shown."""
        return self.samples([answers], threshold, rng)[0]

    def samples(
        self, lists: Iterable[Sequence[float]], threshold: float, rng: np.random.Generator
    ) -> list[tuple[Any, ...]]:
        """Such a run on each of several lists of answers, each with its own time."""
        found = []
        try:
            with _clock() as begin, unheard() as printed:
                for answers in lists:
                    begin()
                    found.append(self._sampled(answers, threshold, rng))
                    printed.seek(0)
                    printed.truncate()
            return found
        except Exception:
            raise
        except _Stopped:
            raise KeyboardInterrupt from None
        except _TooLong as error:
            raise TimeoutError(f"it does not end within {_LONGEST:g} seconds") from error
        except BaseException as error:  # the program ends all that runs, and means itself
            raise RuntimeError(f"it ends with {type(error).__name__}") from error

    def _sampled(self, answers: Sequence[float], threshold: float, rng: np.random.Generator) -> tuple[Any, ...]:
        whole = getattr(answers, "dtype", None) == np.int64
        arguments = self._arguments(np.array(answers, dtype=np.int64 if whole else float), threshold, rng)
        if not self.asks:
            found, most = self.function(**arguments), 4 * len(answers) + 5  # of a list that may have no end
            iterated = isinstance(found, Iterable) and not isinstance(found, _LISTS)
            heard = list(itertools.islice(found, most)) if iterated else found
        else:
            one, heard = self.function(**arguments), []
            for answer in answers:
                stopped = getattr(one, "stopped", False)
                if (
                    self.heeds
                    and isinstance(stopped, (bool, int, float, str, tuple, list, np.generic))
                    and bool(stopped)
                ):
                    break
                try:
                    heard.append(one.ask(answer, threshold + 0) if self.takes_threshold else one.ask(answer))
                except Exception:
                    break
        told = self.returned(_plain(heard), len(answers))
        if self.level is None:
            return told
        return tuple(self.words[one >= self.level] if isinstance(one, float) else one for one in told)

    # what names stand for

    def value_of(self, name: str, value: Any) -> Any:
        """What stands for a value of Python."""
        if type(value) is np.float64:
            value = float(value)
        if type(value) is float and math.isnan(value):
            return MODULES["math"].has["nan"]
        if type(value) is int and abs(value) > MOST_WHOLE:
            raise Unreadable(f"It uses {name}, a whole number that is too large")
        if type(value) in _PLAIN:
            return value
        if type(value) is tuple and all(type(x) in _PLAIN for x in value):
            return tuple(self.value_of(name, x) for x in value)
        if id(value) in self.seen:
            return self.seen[id(value)]
        written = value.source if type(value) in ELSEWHERE else None
        called = str(getattr(value, "__name__", ""))
        if isinstance(written, tuple):
            self.elsewhere.add(os.path.dirname(type(value).__call__.__code__.co_filename) + os.sep)
            there = _Elsewhere(*written)
            self.trees += there.text.nodes()
            found: Any = there if value is self.function else Native(
                f"{written[1]} of {id(there)}",
                lambda run, *given, **more: Machine(run).call(there.made(run), given, more),
            )  # fmt: skip
        elif isinstance(value, types.ModuleType):
            found = self._module(value)
        elif getattr(builtins, name, None) is value and name in BUILTINS:
            if name == "print" and not only_prints():
                raise Unreadable("It prints where something else is done with it")
            return BUILTINS[name]
        elif called in BUILTINS and value is getattr(builtins, called, None):
            if called in HEADS:
                raise Unreadable(f"It calls {called} by another name")
            return BUILTINS[called]
        elif any(value is one for one in (numbers.Real, numbers.Integral, numbers.Number)):
            found = Native(called, lambda run: None)
        elif value is functools.partial:
            found = Native("partial", lambda run, of, *given, **options: Bound(of, given, options))
        elif value is _COUNTER["Counter"]:
            found = self._module(collections).has["Counter"]
        elif isinstance(value, types.FunctionType) and value.__module__ != "numpy":
            return self.function_of(value)
        elif isinstance(value, type) and not any(value is getattr(lib, called, None) for lib in (builtins, np)):
            return class_of(self, value)
        else:
            found = self._of_library(name, value)
        self.seen[id(value)] = found
        self.kept.append(value)
        return found

    def _imports(self, node: Any) -> None:
        """What a function imports is what stands under that name, and as it was."""
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for name in names:
            here = sys.modules.get(name)
            if getattr(node, "level", 0) or (
                name in MODULES and here is not None and here is not _LIBRARIES.get(name, here)
            ):
                raise Unreadable(f"It imports another module as {name}")
            if isinstance(here, types.ModuleType):
                self._module(here)

    def _module(self, value: types.ModuleType) -> Any:
        stats = sys.modules.get("scipy.stats")
        for one in [getattr(stats, name, None) for name in MODULES["scipy.stats"].has] if stats is not None else []:
            drawn = [getattr(getattr(type(one), name, None), "__code__", None) for name in ("rvs", "_rvs")]
            own = "rvs" in vars(one) or getattr(one, "_random_state", None) is not np.random.mtrand._rand
            if own or not all(code and "scipy" in code.co_filename for code in drawn):
                raise Unreadable("It runs where scipy.stats was changed")
        for module, names in _KNOWN:
            if any(getattr(module, name, None) is not known for name, known in names.items()):
                raise Unreadable(f"It runs where {module.__name__} was changed")
        if np.geterrcall() is not None:
            raise Unreadable("It runs where something is done with the errors of numpy")
        if value is np.random:
            return MODULES["numpy"].has["random"]
        if value in (np, math, random, collections) or value.__name__ == "scipy.stats":
            return MODULES[value.__name__]
        raise Unreadable(f"It uses the module {value.__name__}")

    def _of_library(self, name: str, value: Any) -> Any:
        called = str(getattr(value, "__name__", getattr(value, "name", "")))
        self._module(np)  # as it was
        if called in MODULES["math"].has and _MATH.get(called) is value:
            return self._module(math).has[called]
        if called and getattr(np, called, None) is value and called in MODULES["numpy"].has:
            return MODULES["numpy"].has[called]
        stats = sys.modules.get("scipy.stats")
        if called in MODULES["scipy.stats"].has and value is getattr(stats, called, None):
            return MODULES["scipy.stats"].has[called]
        if isinstance(value, (list, dict, set, np.ndarray)):
            raise Unreadable(f"It keeps something between calls, or shares it with others ({name})")
        if isinstance(value, np.random.Generator):
            raise Unreadable(f"It draws from a generator of its own ({name}); draw from rng")
        raise Unreadable(f"It uses {name}, which is not read")

    def function_of(self, function: types.FunctionType, by: str = "") -> Function:
        """A function as it is read; `by` is what decorates it."""
        node = tree_of(function)
        found = Function(node, function.__name__, None, {})
        if not by:  # under another name it is a function
            self.seen[id(function)] = found
        self.kept.append(function)
        self.trees.append(node)
        self.codes.append(function.__code__)
        check(node, place="class" if by else "")
        found.by = by
        for part in ast.walk(node):
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                self._imports(part)
        try:
            closure = inspect.getclosurevars(function).nonlocals
        except ValueError as error:
            raise Unreadable("It uses a name that has no value yet") from error
        everything = function.__globals__
        if getattr(function, "__builtins__", None) is not vars(builtins) or any(
            vars(builtins).get(name) is not known for name, known in _BUILTINS.items()
        ):
            raise Unreadable("It runs where Python's own functions were changed")

        def outside(name: str) -> Any:
            for names in (closure, everything):
                if name in names:
                    value = names[name]
                    if isinstance(value, types.FunctionType):
                        self.renamed |= name in BUILTINS or value.__name__ not in (name, "<lambda>")
                    return self.value_of(name, value)
            if name in BUILTINS:
                return self.value_of(name, vars(builtins)[name]) if name == "print" else BUILTINS[name]
            raise Unreadable(f"It uses {name}, which is not read")

        found.outside = outside
        names = [one.arg for one in node.args.args]
        given = function.__defaults__ or ()
        if len(given) > len(names):
            raise Unreadable("Its source is not the one that runs")
        pairs = [*zip(names[len(names) - len(given) :], given, strict=True), *(function.__kwdefaults__ or {}).items()]
        for name, value in pairs:
            if type(value) not in _PLAIN and not isinstance(value, (types.FunctionType, tuple)):
                raise Unreadable("It keeps something between calls (a default argument that can change)")
            found.defaults[name] = self.value_of(name, value)
        return found


class _TooLong(BaseException):
    """No program catches it by name."""


class _Stopped(_TooLong):
    """Who judges interrupts; a program that raises KeyboardInterrupt only ends itself."""


@contextlib.contextmanager
def _clock() -> Iterator[Callable[[], Any]]:
    """What begins the time of a run, which then ends it; no limit without such signals, or where one waits already."""
    main = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if not main or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield lambda: None
        return

    def over(*_: Any) -> None:
        raise _TooLong

    def stopped(*_: Any) -> None:
        raise _Stopped

    before, by_hand = signal.signal(signal.SIGALRM, over), signal.getsignal(signal.SIGINT)
    if by_hand is signal.default_int_handler:
        signal.signal(signal.SIGINT, stopped)
    try:
        yield lambda: signal.setitimer(signal.ITIMER_REAL, _LONGEST, 1.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if by_hand is signal.default_int_handler:
            signal.signal(signal.SIGINT, by_hand)


_LONGEST = 4.0  # seconds of one run of a program
_LIBRARIES = {"numpy": np, "math": math, "random": random, "collections": collections}


class _Elsewhere:
    """A function that stands in a text and runs in another process."""

    def __init__(self, text: str, name: str) -> None:
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            raise Unreadable("Its source cannot be read") from error
        self.text, self.name = _Part(text, {"function": name}, tree=tree), name
        if name not in self.text.bound:
            raise Unreadable(f"The source of {name} cannot be read")

    def made(self, run: Run) -> Any:
        """The function, made anew."""
        return self.text.made(run)


class _Part(Text):
    """A text of which any definition may be meant."""

    def _judged(self, node: Any, wanted: str) -> None:
        self.name = wanted


def _plain(found: Any, depth: int = 0) -> Any:
    """What a program returned, without numpy."""
    if type(found) in _OF_NUMPY:
        return _OF_NUMPY[type(found)](found)
    if depth > DEEPEST:
        raise NoAnswers("program must return a list of answers, got lists within lists within lists")
    made = _of_parts(found)
    if made is not None:
        return made[:1] + tuple([one if type(one) in _PLAIN else _plain(one, depth) for one in made[1:]])
    if isinstance(found, (list, tuple)):
        return tuple([one if type(one) in _PLAIN else _plain(one, depth + 1) for one in unlike_a_kind(found)])
    if isinstance(found, np.generic):
        return _plain(found.item(), depth)
    if isinstance(found, np.ndarray):
        return _plain(found.tolist(), depth)
    return found


def _of_parts(found: Any) -> tuple[Any, ...] | None:
    """A dictionary, a record or a member of an Enum as what it is made of; None of anything else."""
    kind = type(found)
    if isinstance(found, enum.Enum):
        return "member", f"{kind.__name__}.{found.name}"
    if isinstance(found, dict):
        return "record", *found.items()
    if not dataclasses.is_dataclass(found) or isinstance(found, type):
        return None
    names = [one.name for one in dataclasses.fields(found)]
    return "object", kind.__name__, *[(name, getattr(found, name)) for name in names]
