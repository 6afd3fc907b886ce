"""Executes one submitted notebook: two processes with limits, and what of it was tried before anybody is graded."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import coursework
import nbformat
import psutil

TOOLS = Path(__file__).resolve().parent
TESTS = TOOLS / "grade_tests.py"
SPACES = ("unshare", "--net", "--pid", "--mount", "--ipc", "--fork", "--kill-child", "--mount-proc")

# What a submission sees of the disk, beside the system's programs and libraries, which `tools/grade_worker.py` lists.
SEEN = [
    *(f(x) for x in (sys.prefix, sys.base_prefix) for f in (str, os.path.realpath)),
    os.path.realpath(sys.executable),
]
SEEN += [str(path) for path in (coursework.ROOT / name for name in ("svtlib", "svtcourse", "data"))]
SEEN += [str(TOOLS / name) for name in ("grade_worker.py", "grade_wire.py")]
ENVIRONMENT = {
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
}


# A user for each notebook, where there may be one: the number of processes is limited for each user.
STARTED = itertools.count(os.getpid() * 61)


def another_user() -> int:
    """Return a user id that hardly anything else has at the moment."""
    return 61_000 + next(STARTED) % 4_000


# A core for each notebook: a hundred busy processes of one student leave the others' cores alone.
FREE = deque(sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [])


@contextlib.contextmanager
def a_core() -> Iterator[int | None]:
    """A core that no other notebook has; None where there are fewer cores than notebooks."""
    try:
        core = FREE.popleft()
    except IndexError:
        yield None
        return
    try:
        yield core
    finally:
        FREE.append(core)


@dataclass(frozen=True)
class Limits:
    """What one notebook may use: seconds for a cell and for all of them, gigabytes of memory."""

    cell: float = 60.0
    total: float = 600.0
    memory: float = 4.0


@dataclass(frozen=True)
class Isolation:
    """How a submission is shut in: the way, and what was tried from inside and refused, or not."""

    spaces: tuple[str, ...]
    uid: int  # of the trial; 0 where it is the teacher's own
    held: dict[str, bool] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """What does not hold here."""
        return [what for what, holds in self.held.items() if not holds]

    def __str__(self) -> str:
        return (
            f"tried from inside a submission, and so it is: {'; '.join(w for w, holds in self.held.items() if holds)}"
        )


def running() -> int:
    """How many processes and threads this user has: the limit counts all of them, whoever started them."""
    count = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid():
                tasks = Path(f"/proc/{process.pid}/task")  # not a line of its status: its name may look like one
                count += len(list(tasks.iterdir())) if tasks.is_dir() else process.num_threads()
    return count


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that came of it; in name spaces of its own all end with the first of them."""
    with contextlib.suppress(psutil.Error):
        for one in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                one.kill()
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def start(told: dict[str, Any], isolation: Isolation, until: float) -> list[dict[str, Any]]:
    """Run `tools/grade_tests.py`, and return what it reported before it ended or hung, or the time was over."""
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="svt-", ignore_cleanup_errors=True) as place:
        Path(place).chmod(0o755)
        told = told | {
            "folder": str(Path(place).resolve()),
            "spaces": [one for one in isolation.spaces if one not in ("--mount-proc", "--map-root-user")],
            "uid": isolation.uid and another_user(),
            "running": 0 if isolation.uid else running(),
            "seen": SEEN,
        }
        process = subprocess.Popen(
            [*isolation.spaces, sys.executable, str(TESTS)],
            cwd=place,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(told).encode() + b"\n")
            left = b""
            patience = 60 + 4 * told.get("cell", 15.0)  # for a cell that the process itself does not get out of
            while select.select([process.stdout], [], [], max(0.0, min(until - time.monotonic(), patience)))[0]:
                data = process.stdout.read(1 << 20)
                if not data:
                    break
                *lines, left = (left + data).split(b"\n")
                found += map(json.loads, lines)
        finally:
            end(process)
            process.stdin.close()
            process.stdout.close()
    return found


def tried(isolation: Isolation, hidden: Iterable[Path] = ()) -> Isolation:
    """The way with what a submission tried in it; nothing was tried if none can be started in this way."""
    with tempfile.TemporaryDirectory(prefix="svt-") as place, socket.create_server(("127.0.0.1", 0)) as listener:
        secret, local = Path(place, "secret"), socket.socket(socket.AF_UNIX)
        with local:
            local.bind(f"{place}/socket")
            local.listen()
            secret.touch()
            for path, mode in ((place, 0o777), (f"{place}/socket", 0o777), (secret, 0o644)):
                os.chmod(path, mode)
            told = limits_of(Limits(), hidden) | {
                "port": listener.getsockname()[1],
                "socket": f"{place}/socket",
                "pid": os.getpid(),
                "outside": [place, *map(str, hidden), str(coursework.ROOT), sys.prefix, str(Path.home()), "/var/tmp"],
                "secret": [str(secret), "/etc/shadow", "/etc/passwd", *map(str, coursework.FOLDER.glob("*.ipynb"))],
            }
            found = start(told, isolation, time.monotonic() + 120)
    return replace(isolation, held=found[0] if found else {})


def find_isolation(hidden: Iterable[Path] = ()) -> Isolation:
    """Find the strictest way that works here."""
    root = os.geteuid() == 0
    ways = [SPACES if root else (*SPACES, "--map-root-user"), ()] if shutil.which("unshare") else [()]
    for spaces, uid in itertools.product(ways, (another_user(), 0) if root else (0,)):
        found = tried(Isolation(spaces, uid), hidden)
        if found.held:
            return found
    raise SystemExit("No submission can be executed here: run 'make doctor'.")


def limits_of(limits: Limits, hidden: Iterable[Path]) -> dict[str, Any]:
    """What the processes are told, without cells."""
    ours = [coursework.ROOT / name for name in ("chapters", "tests", "_build", ".git")]
    places = [str(path.resolve()) for path in (*hidden, *ours)]
    return {"cell": limits.cell, "memory": limits.memory, "hidden": places}


def executed(
    notebook: Any, names: Iterable[str], limits: Limits, isolation: Isolation, hidden: Iterable[Path] = ()
) -> bool:
    """Execute `notebook` by itself, without sight of the folders `hidden`, and write the outputs into it.

    Of what it defines the tests get `names` and nothing else. If the process with the tests ends or hangs, it is
    started again without the cell in which it did, in what is left of the time: the clock is here and starts once.
    False if it never got to a first cell.
    """
    until, code = time.monotonic() + limits.total, [cell for cell in notebook.cells if cell.cell_type == "code"]
    told = limits_of(limits, hidden) | {"cells": [], "lost": {}, "names": sorted(names)}
    for cell in code:
        kind = "test" if coursework.is_test(cell) else "given" if coursework.is_given(cell) else "answer"
        told["cells"].append({"source": cell.source, "kind": kind})
    outputs: dict[int, list[Any]] = {}
    failed = 0
    while len(outputs) < len(code) and time.monotonic() < until:
        with a_core() as core:
            found = start(told | {"core": core}, isolation, until)
        for event in found:
            if event["outputs"] is not None:
                text = json.dumps(event["outputs"], ensure_ascii=False).encode("utf-8", "replace")
                outputs.setdefault(event["cell"], json.loads(text))
        if found and found[-1]["outputs"] is None:
            told["lost"][str(found[-1]["cell"])] = "it ended the process that grades"
        elif len(outputs) < len(code) and time.monotonic() < until:
            failed += 1
            if failed == 2:
                return False
    over = f"the whole notebook took more than {limits.total:g} seconds"
    for index, cell in enumerate(code):
        error = nbformat.v4.new_output("error", ename="TimeoutError", evalue=over)
        cell.outputs = [nbformat.from_dict(output) for output in outputs.get(index, [error])]
    return True
