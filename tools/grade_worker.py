"""One submitted notebook's own process: it shuts itself in, runs the student's cells, and calls what they define.

`tools/grade_tests.py` starts it and has the tests; this process never sees them.  What it sends is believed to be data
and nothing more.  Everything below that gives something up is tried afterwards by `attempts`, from inside.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import os
import platform
import resource
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grade_wire import OPERATIONS, Remote, Stopped, Wire, error, parameters, said

FILES = 200  # megabytes that a notebook may write, all its files together
PROCESSES = 64
HOME = Path("/notebook")  # where it may write, in its own file system
DEVICES = ("null", "full", "random", "urandom")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SYSTEM += ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")

# System calls that no notebook needs, on x86_64 and aarch64: another core, sockets and what they hold back, memory that
# is nobody's, pages in pipes, events that nobody reads, other processes, mounts, name spaces, and doors through which
# kernels were broken.
REFUSED = {
    "x86_64": (
        0xC000003E,
        56,
        9,
        "203 41 101 165 166 155 161 272 308 319 29 64 68 240 250 248 249 321 298 323 310 311 304 54 275 276 278 253 "
        "294 300",
    ),
    "aarch64": (
        0xC00000B7,
        220,
        222,
        "122 198 117 40 39 41 51 97 268 279 194 190 186 180 219 217 218 280 241 282 270 271 265 208 76 77 75 26 262",
    ),
}
REFUSED_EVERYWHERE = "425 428 429 430 431 432 438 442 447 467"


def _libc_call(name: str, *arguments: Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments):
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def _prctl(option: int, value: int = 0, third: Any = 0) -> None:
    _libc_call("prctl", option, ctypes.c_ulong(value), third, 0, 0)


# --- shutting in ------------------------------------------------------------------------------------------------------


def mount(source: str, target: Path, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """Mount, as mount(2)."""
    encoded = [None if text is None else os.fsencode(text) for text in (kind, options)]
    _libc_call("mount", os.fsencode(source), os.fsencode(target), encoded[0], ctypes.c_ulong(flags), encoded[1])


def room(folder: Path, seen: list[str], hidden: list[str], uid: int) -> None:
    """Leave a file system in which there is what a notebook needs to run, read-only, and a folder of its own.

    What is not put into it does not exist: no other student, no hidden test, no password file, no socket.
    """
    read_only, no_setuid, no_device, remount, bind, recursive = 1, 2, 4, 32, 4096, 16384
    mount("none", Path("/"), None, recursive | (1 << 18))
    mount("none", folder, "tmpfs", no_setuid, "size=4m,nr_inodes=4k,mode=755")
    places = [Path(text) for text in (*SYSTEM, *seen, *(f"/dev/{name}" for name in DEVICES)) if os.path.exists(text)]
    for place in sorted(places, key=lambda one: len(one.parts)):
        inside = folder / place.relative_to("/")
        if os.path.lexists(inside):
            continue  # it came with a folder above it
        inside.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink():
            inside.symlink_to(os.readlink(place))
            continue
        if place.is_dir():
            inside.mkdir()
        else:
            inside.touch()
        mount(str(place), inside, None, bind | recursive)
    home = folder / HOME.relative_to("/")
    home.mkdir()
    for name in ("tmp", "dev/shm"):
        if not (folder / name).exists():
            (folder / name).symlink_to(HOME)
    for text in hidden:
        inside = folder / Path(text).relative_to("/")
        if inside.is_dir():
            mount("none", inside, "tmpfs", read_only)
    kept = {2: 2, 4: 4, 8: 8, 1024: 1024, 2048: 2048, 4096: 1 << 21}  # what statvfs calls them, what mount does
    for line in Path("/proc/self/mounts").read_bytes().splitlines():
        inside = Path(os.fsdecode(line.split()[1].decode("unicode_escape").encode("latin-1")))
        if folder == inside or folder in inside.parents:
            flags = sum(flag for named, flag in kept.items() if os.statvfs(inside).f_flag & named)
            mount("none", inside, None, bind | remount | read_only | no_setuid | flags)
    mount("none", home, "tmpfs", no_setuid | no_device, f"size={FILES}m,nr_inodes=10k,mode=700,uid={uid},gid={uid}")
    os.chdir(folder)
    _libc_call("pivot_root", b".", b".")
    _libc_call("umount2", b".", 2)
    os.chdir(HOME)


def refuse_calls() -> None:
    """Have the kernel refuse the system calls of `REFUSED`, for this process and all that it will start."""
    architecture, clone, mmap, numbers = REFUSED[platform.machine()]
    refused, unknown, allowed = 0x00050001, 0x00050026, 0x7FFF0000  # EPERM, ENOSYS: glibc then takes clone
    load, equal, at_least, has_bit, also, done = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
    program = [(load, 0, 0, 4), (equal, 1, 0, architecture), (done, 0, 0, refused)]
    program += [(load, 0, 0, 0), (at_least, 0, 1, 0x40000000), (done, 0, 0, refused)]
    for number in (*numbers.split(), *REFUSED_EVERYWHERE.split()):
        program += [(equal, 0, 1, int(number)), (done, 0, 0, refused)]
    program += [(equal, 0, 1, 435), (done, 0, 0, unknown)]
    program += [(equal, 0, 5, mmap), (load, 0, 0, 40), (also, 0, 0, 0x21), (equal, 0, 1, 0x21)]  # shared, and no file:
    program += [(done, 0, 0, refused), (done, 0, 0, allowed)]  # its pages may be let go of, and are nobody's then
    program += [(equal, 1, 0, clone), (done, 0, 0, allowed), (load, 0, 0, 16)]
    program += [(has_bit, 0, 1, 0x7E020000), (done, 0, 0, refused), (done, 0, 0, allowed)]  # a clone with name spaces
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    held = ctypes.create_string_buffer(code, len(code))
    told = struct.pack("HxxxxxxP", len(program), ctypes.addressof(held))
    _prctl(22, 2, ctypes.create_string_buffer(told, len(told)))


def give_up(told: dict[str, Any]) -> None:
    """No capability, no way to get one, another user where there may be one, and limits for each process."""
    if told.get("core") is not None:
        os.sched_setaffinity(0, {told["core"]})
    if sys.platform == "linux":
        for capability in range(64):
            with contextlib.suppress(OSError):
                _prctl(24, capability)  # from the bounding set
        with contextlib.suppress(OSError):
            _prctl(28, 0b11)  # being root gives none, locked
    if told["uid"]:
        os.setgroups([])
        os.setresgid(told["uid"], told["uid"], told["uid"])
        os.setresuid(told["uid"], told["uid"], told["uid"])
    if sys.platform == "linux":
        _libc_call("capset", (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
        _prctl(38, 1)  # no new privileges
        _prctl(1, 9)  # it ends with the process that has the tests
        if platform.machine() in REFUSED:
            refuse_calls()
    limits = {
        "RLIMIT_AS": int(told["memory"] * 2**30),
        "RLIMIT_FSIZE": FILES * 2**20,
        "RLIMIT_NOFILE": 128,
        "RLIMIT_CORE": 1,  # with 0 a crash would still start the system's program for crashes
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NPROC": PROCESSES + told["running"],
    }
    for name, limit in limits.items():
        with contextlib.suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (limit, limit))


# --- what holds, by trying --------------------------------------------------------------------------------------------


def attempts(told: dict[str, Any]) -> dict[str, bool]:
    """What was tried from inside, and whether it was refused."""
    import socket

    def refused(*ways: Callable[[], Any]) -> bool:
        for way in ways:
            with contextlib.suppress(OSError, AttributeError):
                way()
                return False
        return True

    def unix() -> None:
        socket.socket(socket.AF_UNIX).connect(told["socket"])

    def written(place: str) -> Callable[[], Any]:
        def way() -> None:
            path = Path(place) / f"tried-{os.getpid()}"
            path.touch()
            path.unlink()

        return way

    def filled() -> None:
        for k in range(FILES // 50 + 1):
            with open(f"filled{k}", "wb") as file:
                file.write(bytes(50 * 2**20))

    listed = [lambda place=place: os.listdir(place) for place in told["hidden"]]
    read = [lambda path=path: open(path, "rb").close() for path in told["secret"]]
    new_root = [lambda: _libc_call("mount", b"none", b"/", b"tmpfs", 0, None), lambda: os.chroot("/usr")]
    new_root += [lambda: _libc_call("mount", b"none", b"/", None, 32 | 4096, None)]
    found = {
        "no connection, to this machine or another": refused(
            lambda: socket.create_connection(("127.0.0.1", told["port"]), 2)
        ),
        "no local socket": refused(unix),
        "nothing outside its own folder can be written": refused(*map(written, told["outside"])),
        "neither hidden tests, nor other submissions, nor passwords can be read": refused(*read, *listed),
        "no mount, no other root": refused(*new_root),
        "no name space of its own": refused(lambda: _libc_call("unshare", 0x10000000)),
        "no other user": refused(lambda: os.setuid((told["uid"] or 60_000) + 1)),
        "no signal to another process": refused(lambda: os.kill(told["pid"], 0)),
        f"{FILES} MB of files": refused(filled),
    }
    for left in Path().glob("filled*"):
        left.unlink()
    return found


# --- the notebook -----------------------------------------------------------------------------------------------------


class Handed(Remote):
    """What the tests handed to a function and keep: a source of noise, or a number that only they know."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *positional, **named: self._wire.ask(self, name, positional, named)


for _name in OPERATIONS:
    setattr(Handed, _name, lambda self, *operands, _name=_name: self._wire.ask(self, _name, operands, {}))


class Pupil(Wire):
    """The side of the submission."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        super().__init__(incoming, outgoing)
        self.generators: dict[int, Any] = {}

    def keep(self, value: Any) -> Any:
        """Only functions stay here: whatever else there is cannot be looked at from outside."""
        if not callable(value):
            raise TypeError(f"hand over numbers, texts, lists or functions, not a {type(value).__name__}")
        self.kept.append(value)
        return ["mine", len(self.kept) - 1, parameters(value)]

    def theirs(self, *told: Any) -> Any:
        """Something of the tests; numpy's generators come whole."""
        number, state = told
        if state is None:
            return Handed(self, number)
        if number not in self.generators:
            import numpy as np

            made = getattr(np.random, state["bit_generator"])()
            made.state = state
            self.generators[number] = np.random.Generator(made)
        return self.generators[number]

    def ask(self, handed: Handed, name: str, positional: Any, named: Any) -> Any:
        """Have the tests do something with what they keep."""
        self.send(["ask", handed._number, name, self.pack(list(positional)), self.pack(named)])
        kind, *answer = self.receive()
        if kind == "value":
            return NotImplemented if answer[0] == ["not implemented"] else self.unpack(answer[0])
        found: BaseException = error(*answer[:2]) if answer[2] else Stopped(answer[1])
        found.svt_theirs = True  # type: ignore[attr-defined]
        raise found

    async def cell(self, shell: Any, source: str) -> Any:
        """Run a cell as a kernel does, in its loop, and return its error or None; the tasks that it leaves begin."""
        text, wrong, ran = source, None, None
        try:
            text = shell.transform_cell(source)
        except Exception:
            wrong = sys.exc_info()
        given = {"store_history": True, "transformed_cell": text, "preprocessing_exc_tuple": wrong}
        try:
            ran = await shell.run_cell_async(source, **given)
        finally:
            shell.events.trigger("post_execute")
            shell.events.trigger("post_run_cell", ran)
        await asyncio.sleep(0)
        return ran.error_before_exec or ran.error_in_exec

    def wait(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let tasks go on until something is asked; what they raise is theirs."""
        with contextlib.suppress(BaseException):
            loop.add_reader(self.incoming, loop.stop)
            loop.run_forever()
        with contextlib.suppress(BaseException):
            loop.remove_reader(self.incoming)

    def serve(self) -> None:
        """Do what is asked until nobody asks any more."""
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        shell.enable_gui = lambda gui=None: None  # %matplotlib: here nobody looks

        def system(command: str) -> None:
            """What a line with ! does, without a terminal; names in it are those of the caller."""
            line = shell.var_expand(command, depth=1)
            ran = subprocess.run(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
            print(ran.stdout, end="")
            shell.user_ns["_exit_code"] = ran.returncode

        def found(verb: str, told: Any) -> Any:
            """The values of names, or what a function gives."""
            if verb == "get":
                return self.pack([shell.user_ns[name] for name in told if name in shell.user_ns])
            return self.pack(self.kept[told[0]](*self.unpack(told[1]), **self.unpack(told[2])))

        shell.system = system
        loop, context = asyncio.new_event_loop(), contextvars.copy_context()  # each cell's, and each call's
        self.send(["ready"])
        while True:
            with contextlib.suppress(ChildProcessError):  # the dead count until somebody asks for them
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            self.wait(loop)
            verb, *told = self.receive()
            try:
                if verb == "run":
                    failed = loop.run_until_complete(loop.create_task(self.cell(shell, told[0]), context=context))
                    answer: list[Any] = ["value", self.pack(list(said(failed)) if failed else None)]
                else:  # outside the loop, where a function may run its own
                    answer = ["value", context.run(found, verb, told)]
            except BaseException as failed:
                answer = ["raised", *said(failed), bool(getattr(failed, "svt_theirs", False))]
            try:
                self.send(answer)
            except ValueError as failed:  # it is too long for one message
                self.send(["raised", *said(failed), False])


def main() -> None:
    """Shut in, try it or serve."""
    pupil = Pupil(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    folder = Path(sys.argv[1])
    told = pupil.receive()
    if told["spaces"]:
        room(folder, told["seen"], told["hidden"], told["uid"])
    else:
        os.chdir(folder)
        if told["uid"]:
            os.chown(folder, told["uid"], told["uid"])
    give_up(told)
    if "port" in told:
        import IPython
        import matplotlib.pyplot

        import svtlib

        assert IPython and matplotlib.pyplot and svtlib.variant("alg1")
        pupil.send(attempts(told))
    else:
        pupil.serve()


if __name__ == "__main__":
    main()
