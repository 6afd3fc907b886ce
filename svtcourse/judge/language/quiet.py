"""What a program writes to: screens, logs and warnings that do nothing but write."""

from __future__ import annotations

import codecs
import contextlib
import io
import logging
import logging.handlers
import re
import string
import sys
import threading
import time
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from svtcourse.judge.language.kinds import Room, Silent
from svtcourse.judge.unknowns.symbols import Unreadable

__all__ = ["log_of", "no_logs", "only_prints", "warns"]

_LOGS = "debug", "info", "warning", "error", "critical"
_CALLED = {name: getattr(logging, name) for name in _LOGS}
_STREAMS = "ipykernel.", "_pytest.", "idlelib."  # where other streams are defined that only write
_OF_A_LOG = {*vars(logging.Logger("one")), "manager"}
_PLAIN = {bool, int, float, str, bytes, type(None), re.Pattern, type(threading.RLock()), type(threading.Lock())}
_STYLES = logging.PercentStyle, logging.StrFormatStyle, logging.StringTemplateStyle
_FORMS = logging.Formatter, *_STYLES, string.Template
_WRITERS = (
    *(logging.StreamHandler, logging.FileHandler, logging.NullHandler, type(logging.lastResort)),
    *(logging.handlers.RotatingFileHandler, logging.handlers.TimedRotatingFileHandler),
    logging.handlers.WatchedFileHandler,
)
_OF_PYTHON = open, time.gmtime, time.localtime  # what a handler or a form of it may hold


def only_prints() -> bool:
    """Whether ``print`` does nothing but print."""
    return _is_stream(sys.stdout) and _is_stream(sys.stderr) and np.get_printoptions().get("formatter") is None


def log_of(log: Any) -> Room:
    """What writes into a log.

    Raises
    ------
    Unreadable
        If something of the program's own looks at it there.
    """
    at, odd = log, _is_changed(logging) or logging.getLogRecordFactory() is not logging.LogRecord
    odd = odd or any(getattr(logging, name) is not known for name, known in _CALLED.items())
    odd = odd or not _only_writes(logging.lastResort)
    while at is not None and not odd:
        odd = type(at) not in (logging.Logger, logging.RootLogger) or type(at.manager) is not logging.Manager
        held = {name: x for name, x in vars(at).items() if name not in ("parent", "manager", "handlers", "root")}
        odd = odd or bool(set(vars(at)) - _OF_A_LOG or at.filters) or not _holds_plain(held)
        odd = odd or type(at.handlers) is not list or not all(_only_writes(one) for one in at.handlers)
        at = at.parent
    if odd:
        raise Unreadable("It writes into a log that does something of its own")
    return Room("log", {name: Silent(f"log.{name}") for name in _LOGS})


def warns() -> Room | None:
    """The module `warnings`; None if something of the program's own looks at what is warned of."""
    if _is_changed(warnings) or not _is_stream(sys.stderr):
        return None
    kinds = [kind for _, text, kind, module, _ in warnings.filters if _holds_plain([text, module])]
    if len(kinds) < len(warnings.filters) or any(type(kind) is not type for kind in kinds):
        return None
    return Room("warnings", {"warn": Silent("warnings.warn")})


@contextlib.contextmanager
def no_logs() -> Iterator[None]:
    """Thousands of runs leave no trace in a log, and warn of nothing."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _is_changed(module: types.ModuleType) -> bool:
    """Whether a function of a module, or of a class of it, is not the one that stands in its file."""
    own = [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__]
    parts = [*vars(module).values(), *(part for kind in own for part in vars(kind).values())]
    parts = [getattr(part, "__func__", getattr(part, "fget", None) or part) for part in parts]
    functions = [part for part in parts if isinstance(part, types.FunctionType)]
    called = [part for part in vars(module).values() if callable(part)]
    known = types.FunctionType, types.BuiltinFunctionType, type
    return any(one.__globals__ is not vars(module) for one in functions) or not all(
        isinstance(one, known) for one in called
    )


def _holds_plain(held: Any) -> bool:
    """Whether a value has nothing that a program could have defined."""
    if type(held) in (list, tuple, set, dict):
        parts = [*held, *held.values()] if type(held) is dict else held
        return all(_holds_plain(one) for one in parts)
    if type(held) in _FORMS:
        return _holds_plain(vars(held))
    return type(held) in _PLAIN or any(held is one for one in _OF_PYTHON)


def _shadows(one: Any) -> bool:
    """Whether an object has functions of its own in place of those of its class."""
    return any(callable(getattr(type(one), name, None)) for name in getattr(one, "__dict__", {}))


def _is_stream(stream: Any) -> bool:
    """Whether what is written there goes to a file, a screen or a text, and does nothing else."""
    if stream is None:
        return True
    if _shadows(stream) or not (type(stream) in (io.StringIO, io.TextIOWrapper) or _is_of(stream, *_STREAMS)):
        return False
    if type(stream) is not io.TextIOWrapper:
        return True
    kept, raw = type(stream.buffer), getattr(stream.buffer, "raw", None)
    if kept is not io.BytesIO and (kept not in (io.BufferedWriter, io.BufferedRandom) or type(raw) is not io.FileIO):
        return False
    coded = codecs.lookup(stream.encoding).incrementalencoder
    lost = codecs.lookup_error(stream.errors or "strict")
    known = str(getattr(coded, "__module__", "")).startswith("encodings.")
    return known and isinstance(lost, types.BuiltinFunctionType)


def _is_of(one: Any, *modules: str) -> bool:
    """Whether the class of an object is defined in one of these modules, and not only says so."""
    there = vars(sys.modules.get(type(one).__module__, types))
    return type(one).__module__.startswith(modules) and there.get(type(one).__name__) is type(one)


def _only_writes(handler: Any) -> bool:
    """Whether a handler of a log, its form and its stream are those of Python."""
    if handler is None or _is_of(handler, "_pytest."):
        return handler is None or not (_shadows(handler) or handler.filters)
    held = {name: x for name, x in vars(handler).items() if name != "stream"}
    written = type(handler) is type(logging.lastResort) or _is_stream(getattr(handler, "stream", None))
    return type(handler) in _WRITERS and written and not handler.filters and _holds_plain(held)
