"""One submitted notebook, executed by itself: `tools/grade.py` starts this in a process (and name spaces) of its own.

It shuts itself in, starts a kernel, runs the cells one after the other and reports each cell's outputs on a pipe that
the kernel does not have.  A cell that does not end, or that takes the kernel with it, has an error for its output; the
kernel is started again, what ran before is run again without that cell, and the next cell has its turn.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

MESSAGES_KEPT = 200  # of one cell
TEXT_KEPT = 20_000  # characters of one output

OWN_SPACE = False  # whether every process that is to be seen is one of this submission
OWN_USER = False  # whether every process of this user is

# Runs in the kernel before anything else; a hook of this kind cannot be taken out again.
GUARD = """
def _guard():
    import os, sys
    home = os.path.realpath(os.getcwd()) + os.sep
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    changing = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
    def inside(path):
        if not isinstance(path, (str, bytes, os.PathLike)):
            return True
        path = os.path.realpath(os.fsdecode(path))
        return path.startswith(home) or path == "/dev/null"
    def hook(event, arguments):
        if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"):
            if event == "socket.getaddrinfo" or isinstance(arguments[1], tuple):
                raise PermissionError("there is no network while a notebook is graded")
        elif event == "open" and arguments[2] & writing and not inside(arguments[0]):
            raise PermissionError(f"a notebook may write in its own folder only, not to {arguments[0]}")
        elif event in changing and not all(map(inside, arguments[:2])):
            raise PermissionError(f"a notebook may change its own folder only, not {arguments[0]}")
    sys.addaudithook(hook)
_guard()
del _guard
"""

# Before every test: what the tests call must still be svtlib's own.
UNTOUCHED = (
    "(lambda s: sorted(f'{m}.{k}' for m in list(s.modules) if m == 'svtlib' or m.startswith('svtlib.') "
    "for o in [s.modules[m], *(c for c in vars(s.modules[m]).values() if isinstance(c, type))] "
    "for k, v in list(vars(o).items()) if getattr(v, '__module__', '') == '__main__'))(__import__('sys'))"
)


# --- shutting in ------------------------------------------------------------------------------------------------------


def _libc_call(name: str, *arguments: Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments):
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def read_only_but(folder: Path, hidden: list[str]) -> None:
    """Make every file system read-only in this name space, but for `folder`, and the folders `hidden` empty."""
    bind, remount, read_only, recursive, private = 4096, 32, 1, 16384, 1 << 18
    _libc_call("mount", None, b"/", None, recursive | private, None)
    _libc_call("mount", os.fsencode(folder), os.fsencode(folder), None, bind, None)
    for place in hidden:
        _libc_call("mount", b"none", os.fsencode(place), b"tmpfs", read_only, None)
    kept = {2: 2, 4: 4, 8: 8, 1024: 1024, 2048: 2048, 4096: 1 << 21}  # what statvfs calls them, what mount does
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        place = line.split()[1].encode().decode("unicode_escape")
        if Path(place) == folder or place.startswith(("/proc", "/sys")):
            continue
        try:
            now = os.statvfs(place).f_flag
        except OSError:
            continue
        flags = sum(flag for said, flag in kept.items() if now & said)
        with contextlib.suppress(OSError):  # a mount inside a read-only one that cannot be changed stays as it is
            _libc_call("mount", None, os.fsencode(place), None, bind | remount | read_only | flags, None)


def running() -> int:
    """How many processes and threads this user has: the limit counts all of them, whoever started them."""
    import psutil

    count = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.uids().real == os.getuid():
                count += process.num_threads()
    return count


def become(uid: int) -> None:
    """Be another user from here on, who may still read everything if Python lies in a folder of the first one's."""
    keep_capabilities, ambient, raise_it, may_read = 8, 47, 2, 2
    _libc_call("prctl", keep_capabilities, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    kept = 0 if os.access(os.__file__, os.R_OK) and os.access(__file__, os.R_OK) else 1 << may_read
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _libc_call("capset", header, (ctypes.c_uint32 * 6)(kept, kept, kept, 0, 0, 0))
    if kept:
        _libc_call("prctl", ambient, raise_it, may_read, 0, 0)


def shut_in(folder: Path, told: dict[str, Any]) -> None:
    """Give up what a submission does not need; `told["spaces"]` says whether there are name spaces of our own."""
    global OWN_SPACE, OWN_USER
    if told["spaces"]:
        pid = os.fork()
        if pid:  # the first process of a name space: it collects what others leave behind, and ends with its child
            while True:
                done, status = os.wait()
                if done == pid:
                    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        if os.getppid() != 1:
            raise SystemExit("there is no name space of processes of our own")
        OWN_SPACE = True
        read_only_but(folder, told.get("hidden", []))
        os.chdir(folder)
    if told["uid"]:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, told["uid"], told["uid"])
        become(told["uid"])
        OWN_USER = True
    with contextlib.suppress(OSError, AttributeError):  # Linux: nobody looks into this process, nothing gains rights
        _libc_call("prctl", 4, 0, 0, 0, 0)
        _libc_call("prctl", 38, 1, 0, 0, 0)
    with contextlib.suppress(OSError, AttributeError):  # what loses its parent becomes a child of this process
        _libc_call("prctl", 36, 1, 0, 0, 0)
    limits = {
        "RLIMIT_AS": int(told["memory"] * 2**30),
        "RLIMIT_FSIZE": 100 * 2**20,
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": int(told["total"]) + 60,
    }
    limits["RLIMIT_NPROC"] = 128 + (0 if told["spaces"] or told["uid"] else running())
    for name, limit in limits.items():
        with contextlib.suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (limit, limit))


def strays(kept: set[int]) -> list[int]:
    """Processes that a cell left behind: in a name space of our own all others, else what descends from this one."""
    import psutil

    own = psutil.process_iter() if OWN_SPACE or OWN_USER else psutil.Process().children(recursive=True)
    found = []
    for process in own:
        with contextlib.suppress(psutil.Error):
            if not OWN_SPACE and OWN_USER and process.uids().real != os.getuid():
                continue
            if process.pid not in {1, os.getpid(), *kept} and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def sweep(kept: set[int]) -> int:
    """Kill what a cell left behind and return how many there were."""
    count = 0
    for _ in range(20):
        found = strays(kept)
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGSTOP)  # first none of them can go on, then none is left
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # the dead count as processes until somebody asks for them
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not found:
            break
        count = max(count, len(found))
        time.sleep(0.05)
    return count


# --- the kernel -------------------------------------------------------------------------------------------------------


class Died(Exception):
    """The kernel is gone."""


class TooLong(Exception):
    """The cell did not end."""


class Kernel:
    """A kernel that is started again when it has to be."""

    def __init__(self, folder: Path, limit: float) -> None:
        self.folder, self.limit, self.starts = folder, limit, 0
        self.start()

    def start(self) -> None:
        """Start a kernel, with its guard."""
        from jupyter_client.manager import KernelManager

        self.starts += 1
        self.manager = KernelManager(transport="ipc", ip=str(self.folder / f".k{self.starts}"))
        self.manager.start_kernel(cwd=str(self.folder), stdout=sys.stderr, stderr=sys.stderr)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run(GUARD, 60, silent=True)

    @property
    def pids(self) -> set[int]:
        """The kernel's process."""
        pid = getattr(self.manager.provisioner, "pid", None)
        return {pid} if pid else set()

    def stop(self) -> None:
        """End it and whatever it started."""
        sweep(set())  # a manager that is asked to end a kernel waits for seconds

    def run(self, source: str, limit: float, *, silent: bool = False, ask: str = "") -> tuple[list[Any], Any]:
        """Execute `source`; return its outputs and, where `ask` is an expression, the value of that."""
        from nbformat.v4 import output_from_msg

        request = self.client.execute(
            source,
            silent=silent,
            store_history=not silent,
            allow_stdin=False,
            user_expressions={"ask": ask} if ask else {},
        )
        outputs: list[Any] = []
        until, idle, reply = time.monotonic() + limit, False, None
        while not (idle and reply):
            if time.monotonic() > until:
                raise TooLong
            if not self.manager.is_alive():
                raise Died
            with contextlib.suppress(queue.Empty):
                message = self.client.get_iopub_msg(timeout=0.02 if reply else 0.2)
                if message["parent_header"].get("msg_id") != request:
                    continue
                kind = message["msg_type"]
                if kind == "status":
                    idle = idle or message["content"]["execution_state"] == "idle"
                elif kind in ("stream", "error", "execute_result", "display_data") and len(outputs) < MESSAGES_KEPT:
                    outputs.append(_cut(output_from_msg(message)))
                if not idle:
                    continue
            if reply is None:
                with contextlib.suppress(queue.Empty):
                    message = self.client.get_shell_msg(timeout=0.02)
                    if message["parent_header"].get("msg_id") == request:
                        reply = message["content"]
        assert reply is not None
        if any(part.get("source") == "ask_exit" for part in reply.get("payload", [])):
            raise Died  # quit(): the kernel goes when it has answered
        return outputs, reply.get("user_expressions", {}).get("ask")


def _cut(output: Any) -> Any:
    if "text" in output:
        output["text"] = output["text"][:TEXT_KEPT]
    for kind, value in output.get("data", {}).items():
        if isinstance(value, str) and kind.startswith("text/"):
            output["data"][kind] = value[:TEXT_KEPT]
    if output.output_type == "error":
        output["evalue"], output["traceback"] = output["evalue"][:TEXT_KEPT], []
    return output


def failure(name: str, said: str) -> list[dict[str, Any]]:
    """One error as the output of a cell."""
    return [{"output_type": "error", "ename": name, "evalue": said, "traceback": []}]


def run_notebook(cells: list[dict[str, Any]], folder: Path, told: dict[str, Any], report: Any) -> None:
    """Run the cells in order; `report(index, outputs)` after each."""
    until = time.monotonic() + told["total"]
    kernel = Kernel(folder, told["cell"])
    report(-1, [])  # ready
    done: list[int] = []  # cells that ended, which are run again after the kernel was lost
    lost: set[int] = set()

    def again() -> None:
        kernel.stop()
        kernel.start()
        for index in done:
            kernel.run(cells[index]["source"], told["cell"], silent=True)
            sweep(kernel.pids)

    for index, cell in enumerate(cells):
        if index in told["skip"]:
            report(index, failure("RuntimeError", "it ended the process that grades"))
            continue
        if time.monotonic() > until:
            report(index, failure("TimeoutError", f"the whole notebook took more than {told['total']:g} seconds"))
            continue
        try:
            if cell["test"]:
                for setup in cells[:index]:
                    if setup["setup"]:
                        kernel.run(setup["source"], told["cell"], silent=True)
            outputs, asked = kernel.run(cell["source"], told["cell"], ask=UNTOUCHED if cell["test"] else "")
            touched = (asked or {}).get("data", {}).get("text/plain", "[]")
            if cell["test"] and touched != "[]":
                outputs = failure("PermissionError", f"the notebook replaced parts of svtlib: {touched[:200]}")
            left = sweep(kernel.pids)
            if left:
                outputs += failure("RuntimeError", f"it left {left} processes behind")
            if kernel.manager.is_alive():
                done.append(index)
                report(index, outputs)
                continue
            raise Died
        except (TooLong, Died) as ended:
            lost.add(index)
            text = (
                f"stopped after {told['cell']:g} seconds: it does not end"
                if isinstance(ended, TooLong)
                else f"it ended the whole program, or needed more than {told['memory']:g} GB of memory"
            )
            report(index, failure("TimeoutError" if isinstance(ended, TooLong) else "RuntimeError", text))
            for attempt in range(6):
                try:
                    again()
                    break
                except (TooLong, Died, RuntimeError, OSError):
                    time.sleep(attempt / 2)  # what was killed takes a moment to be gone
    kernel.stop()


# --- the process ------------------------------------------------------------------------------------------------------


def probe(folder: Path, port: int) -> dict[str, bool]:
    """What holds in here: whether this process reaches a listener and writes outside its folder."""
    import socket

    found = {"network": False, "writes": False}
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        found["network"] = True
    with contextlib.suppress(OSError):
        outside = folder.parent / f"{folder.name}.outside"
        outside.touch()
        outside.unlink()
        found["writes"] = True
    import ipykernel
    import jupyter_client

    import svtlib

    assert ipykernel and jupyter_client and svtlib
    return found


def main() -> None:
    """Read what to do from a file in the folder, do it, report on the pipe."""
    folder, pipe = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    told = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    (folder / "told.json").unlink()  # the hidden tests are in it
    os.chdir(folder)
    shut_in(folder, told)
    os.set_inheritable(pipe, False)
    with os.fdopen(pipe, "w", encoding="utf-8") as out:

        def report(index: int, outputs: list[Any]) -> None:
            out.write(json.dumps({"cell": index, "outputs": outputs}) + "\n")
            out.flush()

        if told.get("probe"):
            out.write(json.dumps(probe(folder, told["probe"])) + "\n")
        else:
            run_notebook(told["cells"], folder, told, report)
    os._exit(0)


if __name__ == "__main__":
    main()
