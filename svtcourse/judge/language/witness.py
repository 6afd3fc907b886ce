"""Which functions run: what a verdict was read from, and no others of the program's own."""

from __future__ import annotations

import contextlib
import os
import site
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import svtcourse
import svtlib

__all__ = ["beside"]

_MADE = "<string>", "<frozen ", "<__array"  # texts that libraries and Python itself make functions of
_PATHS = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_PATHS |= {*site.getsitepackages(), site.getusersitepackages()}
_PATHS |= {os.path.dirname(str(module.__file__)) for module in (os, np, svtlib, svtcourse)}
_LIBRARIES = *(path + os.sep for path in _PATHS), *_MADE


@contextlib.contextmanager
def beside(read: Iterable[types.CodeType], trusted: set[str]) -> Iterator[list[types.CodeType]]:
    """A list of the functions that run meanwhile, are of no library and no `trusted` folder, and were not `read`."""
    known, found = set(read), []
    waiting = list(known)
    files = {one.co_filename for one in known if not one.co_filename.startswith(_MADE)}
    while waiting:
        inner = [one for one in waiting.pop().co_consts if isinstance(one, types.CodeType)]
        waiting += inner
        known.update(inner)
    before = sys.getprofile()

    def seen(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code not in known:
            known.add(code)
            library = code.co_filename.startswith(_LIBRARIES) and code.co_filename not in files
            if not library and not code.co_filename.startswith(tuple(trusted)):
                found.append(code)

    sys.setprofile(seen)
    try:
        yield found
    finally:
        profiled_by(before)


def profiled_by(before: Any) -> None:
    """Go on with the profiler that there was: a function, none, or one of `cProfile`, which is no function."""
    if before is None or callable(before):
        sys.setprofile(before)
    else:
        before.enable()
