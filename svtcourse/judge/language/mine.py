"""A program that is a function or a class of Python: its source, what stands for its names, and runs on numbers."""

from __future__ import annotations

import ast
import builtins
import collections
import contextlib
import copy
import dataclasses
import inspect
import io
import itertools
import math
import random
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from svtcourse.judge.language.grammar import HEADS, MADE_BY, check
from svtcourse.judge.language.kinds import Class, Function, Native, Run
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.machine import Machine
from svtcourse.judge.language.noise import DRAWN, MODULES
from svtcourse.judge.language.program import DEEPEST, ROLES, NoAnswers, Program, Told, hears_threshold, roles_of, said
from svtcourse.judge.language.source import same, tree_of
from svtcourse.judge.language.texts import Text
from svtcourse.judge.unknowns.symbols import Unreadable

__all__ = ["ELSEWHERE", "Mine"]

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
_LISTS = list, tuple, str, np.ndarray
_IN_PLACE = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


def _needed(function: Any) -> list[str]:
    """The parameters that have no default."""
    every = inspect.signature(function).parameters.values()
    gathers = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    return [one.name for one in every if one.default is one.empty and one.kind not in gathers]


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
        self._trees: list[Any] = []
        self._known: dict[int, Any] = {}
        self._kept: list[Any] = []
        self.unread: Unreadable | None = None
        try:
            self.read = self._value("program", function)
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
        return self._trees

    def sample(self, answers: Sequence[float], threshold: float, rng: np.random.Generator) -> tuple[Any, ...]:
        """One run of the program itself with noise of numpy, as signs and numbers; what it prints is not shown."""
        return self.samples([answers], threshold, rng)[0]

    def samples(
        self, lists: Iterable[Sequence[float]], threshold: float, rng: np.random.Generator
    ) -> list[tuple[Any, ...]]:
        """Such a run on each of several lists of answers, each with its own time."""
        found, printed = [], io.StringIO()
        try:
            with _clock() as begin, contextlib.redirect_stdout(printed):
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
                if isinstance(stopped, (bool, int, float, str, tuple, list, np.generic)) and bool(stopped):
                    break
                try:
                    heard.append(one.ask(answer, threshold + 0) if self.takes_threshold else one.ask(answer))
                except Exception:
                    break
        told = said(_plain(heard), len(answers))
        if self.level is None:
            return told
        return tuple(self.words[one >= self.level] if isinstance(one, float) else one for one in told)

    # what names stand for

    def _value(self, name: str, value: Any) -> Any:
        if type(value) in _OF_NUMPY:
            return _OF_NUMPY[type(value)](value)
        if type(value) in _PLAIN or (type(value) is tuple and all(type(x) in _PLAIN for x in value)):
            return value
        if id(value) in self._known:
            return self._known[id(value)]
        written = value.source if type(value) in ELSEWHERE else None
        called = str(getattr(value, "__name__", ""))
        if isinstance(written, tuple):
            there = _Elsewhere(*written)
            self._trees += there.text.nodes()
            found: Any = there if value is self.function else Native(
                f"{written[1]} of {id(there)}",
                lambda run, *given, **more: Machine(run).call(there.made(run), given, more),
            )  # fmt: skip
        elif isinstance(value, types.ModuleType):
            found = self._module(value)
        elif getattr(builtins, name, None) is value and name in BUILTINS:
            return BUILTINS[name]
        elif called in BUILTINS and value is getattr(builtins, called, None):
            if called in HEADS:
                raise Unreadable(f"It calls {called} by another name")
            return BUILTINS[called]
        elif value is _COUNTER["Counter"]:
            found = self._module(collections).has["Counter"]
        elif isinstance(value, types.FunctionType) and value.__module__ != "numpy":
            return self._function(value)
        elif isinstance(value, type) and not any(value is getattr(lib, called, None) for lib in (builtins, np)):
            return self._class(value)
        else:
            found = self._of_library(name, value)
        self._known[id(value)] = found
        self._kept.append(value)
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
            if "rvs" in vars(one) or not all(code and "scipy" in code.co_filename for code in drawn):
                raise Unreadable("It runs where scipy.stats was changed")
        for module, names in _KNOWN:
            if any(getattr(module, name, None) != known for name, known in names.items()):
                raise Unreadable(f"It runs where {module.__name__} was changed")
        if value is np.random:
            return MODULES["numpy"].has["random"]
        if value in (np, math, random, collections) or value.__name__ == "scipy.stats":
            return MODULES[value.__name__]
        raise Unreadable(f"It uses the module {value.__name__}")

    def _of_library(self, name: str, value: Any) -> Any:
        called = str(getattr(value, "__name__", getattr(value, "name", "")))
        self._module(np)  # as it was
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

    def _function(self, function: types.FunctionType, by: str = "") -> Function:
        node = tree_of(function)
        found = Function(node, function.__name__, None, {})
        if not by:  # under another name it is a function
            self._known[id(function)] = found
        self._kept.append(function)
        self._trees.append(node)
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
                    return self._value(name, value)
            if name in BUILTINS:
                return BUILTINS[name]
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
            found.defaults[name] = self._value(name, value)
        return found

    def _class(self, value: type) -> Class:
        base = value.__bases__[0]
        error = issubclass(base, Exception)
        if len(value.__bases__) > 1 or type(value) is not type or not (base is object or error):
            raise Unreadable(f"It uses {value.__name__}, a class made of another one")
        if not value.__flags__ & _OF_PYTHON_ITSELF:
            raise Unreadable(f"It uses {value.__name__}, which is not read")
        found = self._known[id(value)] = Class(value.__name__, {}, error)
        self._kept.append(value)
        made = self._made(value) if dataclasses.is_dataclass(value) else None
        if made is not None:
            found.names["__init__"] = made
        for name, part in vars(value).items():
            if name in _OF_A_CLASS or (made is not None and name in _OF_A_DATACLASS):
                continue
            function = isinstance(part, types.FunctionType)
            if error or (name.startswith("__") and not (function and name in MADE_BY)):
                raise Unreadable(f"It defines {name}")
            inner = part.fget if type(part) is property and not (part.fset or part.fdel) else None
            inner = part.__func__ if type(part) is staticmethod else inner
            if isinstance(inner, types.FunctionType):
                found.names[name] = self._function(inner, by=type(part).__name__)
                continue
            if not function and type(part) not in _PLAIN:
                raise Unreadable(f"It keeps something for all objects of a class, or has a method of a kind ({name})")
            found.names[name] = self._value(name, part)
        return found

    def _made(self, value: type) -> Function:
        """How a dataclass makes an object: as one does that is made anew of the same fields, or it is not read."""
        fields, post = dataclasses.fields(value), "__post_init__" in vars(value)
        names, init = [one.name for one in fields if one.init], vars(value).get("__init__")
        space = {"__post_init__": lambda made: None} if post else {}
        try:
            anew = [(one.name, object, dataclasses.field(default=one.default, init=one.init)) for one in fields]
            again = vars(dataclasses.make_dataclass(value.__name__, anew, namespace=space))["__init__"]
            frozen = value.__dataclass_params__.frozen  # type: ignore[attr-defined]
        except Exception as error:
            raise Unreadable("It is a dataclass with fields of a kind that is not read") from error
        if not isinstance(init, types.FunctionType) or not same(init.__code__, again.__code__) or frozen:
            raise Unreadable("It is a dataclass that makes its objects in a way that is not read")
        if list(init.__code__.co_varnames[: len(names) + 1]) != ["self", *names]:
            raise Unreadable("It is a dataclass with fields of a kind that is not read")
        lines = [f"self.{name} = {name}" for name in names] + ["self.__post_init__()"] * post
        node: Any = ast.parse(f"def __init__({', '.join(['self', *names])}): " + "; ".join(lines or ["pass"])).body[0]
        check(node, place="class")
        self._trees.append(node)
        usual = init.__defaults__ or ()
        pairs = zip(names[len(names) - len(usual) :], usual, strict=True)
        made = Function(node, "__init__", None, {name: self._value(name, default) for name, default in pairs})
        made.by = "function"
        return made


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
_OF_PYTHON_ITSELF = 1 << 9  # a class that was made by a statement (Py_TPFLAGS_HEAPTYPE), and not in C
_LIBRARIES = {"numpy": np, "math": math, "random": random, "collections": collections}
_OF_A_CLASS = {"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__"}
_OF_A_CLASS |= {"__static_attributes__", "__firstlineno__"}
_OF_A_DATACLASS = {"__dataclass_params__", "__dataclass_fields__", "__init__", "__repr__", "__eq__", "__hash__"}
_OF_A_DATACLASS |= {"__match_args__", "__replace__"}


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
    if isinstance(found, (list, tuple)):
        return tuple([one if type(one) in _PLAIN else _plain(one, depth + 1) for one in found])
    if isinstance(found, np.generic):
        return _plain(found.item(), depth)
    if isinstance(found, np.ndarray):
        return _plain(found.tolist(), depth)
    return found
