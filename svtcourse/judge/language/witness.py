"""Which functions run: what a verdict was read from, and no others of the program's own."""

from __future__ import annotations

import contextlib
import site
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import svtcourse
import svtlib

__all__ = ["beside"]

_PATHS = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_OURS = {str(Path(module.__file__ or "").parent) for module in (svtlib, svtcourse)}
_SITES = {*site.getsitepackages(), site.getusersitepackages()}
_LIBRARIES = *(f"{path}/" for path in _PATHS | _OURS | _SITES), "<string>", "<frozen ", "<__array"


@contextlib.contextmanager
def beside(read: Iterable[types.CodeType], trusted: set[str]) -> Iterator[list[types.CodeType]]:
    """A list of the functions that run meanwhile, are of no library and no `trusted` folder, and were not `read`."""
    known, found = set(read), []
    waiting = list(known)
    files = {one.co_filename for one in known}
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
        sys.setprofile(before)
