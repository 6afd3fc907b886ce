"""Where a program prints: a screen, a file or a text that does nothing but write."""

from __future__ import annotations

import codecs
import contextlib
import io
import logging
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["only_prints", "unheard"]

_STREAMS = "ipykernel.", "_pytest.", "idlelib."  # where other streams are defined that only write


def only_prints() -> bool:
    """Whether ``print`` does nothing but print."""
    return _is_stream(sys.stdout) and _is_stream(sys.stderr) and np.get_printoptions().get("formatter") is None


@contextlib.contextmanager
def unheard() -> Iterator[io.StringIO]:
    """What is printed meanwhile; thousands of runs leave no trace on a screen or in a log, and warn of nothing."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            contextlib.redirect_stdout(io.StringIO()) as printed,
            contextlib.redirect_stderr(printed),
        ):
            yield printed
    finally:
        logging.disable(before)


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
    kept = stream.buffer
    if type(kept) in (io.BufferedWriter, io.BufferedRandom):  # without them where Python runs unbuffered
        kept = kept.raw
    if type(kept) not in (io.BytesIO, io.FileIO):
        return False
    coded = codecs.lookup(stream.encoding).incrementalencoder
    lost = codecs.lookup_error(stream.errors or "strict")
    known = str(getattr(coded, "__module__", "")).startswith("encodings.")
    return known and isinstance(lost, types.BuiltinFunctionType)


def _is_of(one: Any, *modules: str) -> bool:
    """Whether the class of an object is defined in one of these modules, and not only says so."""
    there = vars(sys.modules.get(type(one).__module__, types))
    return type(one).__module__.startswith(modules) and there.get(type(one).__name__) is type(one)
