"""The tests of one submitted notebook, in a process in which no cell of the student's runs: here the points are made.

What a test gives to `svt.judge` is read here, too: translated, it runs in the closed world of `svtcourse/judge`.

`tools/grade.py` starts it; it starts `tools/grade_worker.py`, which has the student's cells.  Before a test the values
that it names come over as data, functions as something that asks the other process (`tools/grade_wire.py`).  A cell
that does not end or that takes its process with it is left out: the process is started again, what ran before is run
again, and the next cell has its turn.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from grade_wire import OPERATIONS, TEXT_KEPT, Remote, Wire, error, said, signature
from grade_worker import HOME, PROCESSES

from svtcourse.judge.language.mine import ELSEWHERE
from svtcourse.judge.language.source import remembered

WORKER = Path(__file__).with_name("grade_worker.py")
SOCKET = 212_992  # bytes that Linux lets wait in one
LISTED = 2**20  # bytes in which Linux lists the locks on a file, or what is mapped: whoever needs more needs all memory
PRINTED = 20_000  # characters of what a test prints
STARTS = 60  # seconds in which the student's process answers, on a slow machine
DRAWS = {name for name in dir(np.random.Generator) if not name.startswith("_")}


class Died(BaseException):
    """The student's process is gone."""


class TooLong(BaseException):
    """The cell did not end."""


class Called(Remote):
    """A function of the student's, called in its own process.

    Attributes
    ----------
    source : (str, str)
        Where `svt.judge` may read what it is: the text of the cells, and its name in them.
    """

    source: tuple[str, str]

    def __init__(self, wire: Wire, number: int, told: Any = None) -> None:
        super().__init__(wire, int(number))
        if told is not None:
            self.__signature__ = signature(told)

    def __call__(self, *positional: Any, **named: Any) -> Any:
        """Call it."""
        return self._wire.ask(["call", self._number], positional, named)


ELSEWHERE.add(Called)


class Student(Wire):
    """The process with the student's cells, started again when it has to be."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.told, self.kept, self.why = told, [], ""
        self.hidden = False  # while a hidden test runs: what it hands over must not come back in an error
        self.thrown: BaseException | None = None
        self.generators: dict[int, tuple[Any, Any]] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.own: set[int] = set()

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.why, folder = "", tempfile.mkdtemp(dir=self.told["folder"])
        home = str(HOME) if self.told["spaces"] else folder
        environment = {**os.environ, "HOME": home, "TMPDIR": home, "IPYTHONDIR": home, "MPLCONFIGDIR": home}
        self.process = subprocess.Popen(
            [*self.told["spaces"], sys.executable, str(WORKER), folder],
            cwd="/" if self.told["spaces"] else folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.incoming, self.outgoing = self.process.stdout, self.process.stdin
        self.generators, self.kept = {}, []
        self.send({key: value for key, value in self.told.items() if key not in ("cells", "lost", "names")})

    def ready(self) -> None:
        """Wait until it can run cells, and watch from then on what it starts."""
        self.receive()
        self.own = {one.pid for one in self.children()}

    def children(self) -> list[psutil.Process]:
        """Everything that this process has started, and that was started by that."""
        return psutil.Process().children(recursive=True)

    def end(self, kept: set[int] | None = None) -> None:
        """End it and whatever it started, or only what is not in `kept`."""
        for _ in range(20):
            found = [one for one in self.children() if one.pid not in (kept or ())]
            if not any(map(lives, found)):
                break
            for number in (signal.SIGSTOP, signal.SIGKILL):  # first none of them goes on, then none is left
                for one in found:
                    with contextlib.suppress(psutil.Error):
                        one.send_signal(number)
            psutil.wait_procs(found, timeout=0.1)
        if kept is None and self.process is not None:
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]

    def watch(self) -> None:
        """End it when all its processes together use more than they may."""
        while True:
            with contextlib.suppress(psutil.Error, OSError):
                found = list(filter(lives, self.children()))
                if sum(map(memory, found)) > self.told["memory"] * 2**30:
                    self.why = f"it needed more than {self.told['memory']:g} GB of memory"
                elif len(found) > PROCESSES:
                    self.why = f"it started more than {PROCESSES} processes"
                for one in found if self.why else ():
                    with contextlib.suppress(psutil.Error):
                        one.kill()
            time.sleep(0.1)

    # What passes between the two.

    def receive(self) -> Any:
        """Wait for one message; `Died` where none comes that is one."""
        try:
            message = super().receive()
        except (OSError, EOFError, ValueError, RecursionError):
            raise Died from None
        if not isinstance(message, (list, dict)) or not message:
            raise Died
        return message

    def keep(self, value: Any) -> Any:
        """A generator goes over with its state; everything else stays here and is asked."""
        if isinstance(value, np.random.Generator):
            if id(value) not in self.generators:
                state = json.loads(json.dumps(value.bit_generator.state, default=lambda array: array.tolist()))
                self.generators[id(value)] = value, state
            return ["mine", list(self.generators).index(id(value)), self.generators[id(value)][1]]
        self.kept.append(value)
        return ["mine", len(self.kept) - 1, None]

    def theirs(self, *told: Any) -> Any:
        """A function of the student's."""
        return Called(self, *told)

    def ask(self, verb: list[Any], *given: Any) -> Any:
        """Have the student's process do something and return what came of it, whatever it asks on the way."""
        try:
            self.send([*verb, *(self.pack(list(one) if isinstance(one, tuple) else one) for one in given)])
            while True:
                kind, *answer = self.receive()
                if kind == "ask":
                    self.send(self.done(*answer))
                elif kind == "value":
                    return self.unpack(answer[0])
                elif answer[2] and self.thrown is not None:
                    raise self.thrown
                else:
                    found = error(str(answer[0])[:100], str(answer[1])[:TEXT_KEPT])
                    raise type(found)("") if self.hidden else found
        except BrokenPipeError:
            raise Died from None
        finally:
            self.kept, self.thrown = [], None

    def done(self, number: int, name: str, positional: Any, named: Any) -> Any:
        """What a function of the student's wants from what it was handed: a draw, arithmetic, a comparison."""
        try:
            if name not in OPERATIONS | DRAWS:
                raise AttributeError(f"{name!r}: a program may draw from it, calculate with it and compare it")
            given = self.unpack(positional)
            if any(isinstance(one, str) for one in given):
                raise TypeError("a text is no number")  # of which Fraction would calculate 1e999999999
            found = getattr(self.kept[number], name)(*given, **self.unpack(named))
            return ["value", ["not implemented"] if found is NotImplemented else self.pack(found)]
        except (TooLong, Died):
            raise
        except BaseException as failed:
            self.thrown = failed
            return ["raised", *said(failed), isinstance(failed, Exception)]


def lives(process: psutil.Process) -> bool:
    """Whether it is more than an entry that nobody has asked for yet: its first thread goes on, or another does."""
    with contextlib.suppress(psutil.Error, OSError):
        return bool(process.status() != psutil.STATUS_ZOMBIE or len(os.listdir(f"/proc/{process.pid}/task")) > 1)
    return False


def held(task: Path) -> int:
    """Bytes that the kernel holds for a process: of each socket what may wait in it, beyond all for endless lists."""
    total = 0
    for file in task.glob("fd/*"):
        with contextlib.suppress(OSError):  # closed by now
            total += SOCKET * os.readlink(file).startswith("socket:")
    for file in (task / "maps", *task.glob("fdinfo/*")):
        with contextlib.suppress(OSError), file.open("rb") as told:
            total += sys.maxsize * (len(told.read(LISTED)) == LISTED)
    return total


def memory(process: psutil.Process) -> int:
    """Bytes that a process uses, what it shares with others divided among them where the system says so."""
    for path in Path(f"/proc/{process.pid}/task").glob("*/smaps_rollup"):  # its first thread may have ended
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = path.read_text(encoding="ascii").splitlines()
            used = sum(int(line.split()[1]) for line in lines if line.startswith(("Pss:", "SwapPss:")))
            return held(path.parent) + 1024 * used
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


# --- cells ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TooLong` after so many seconds, and every second from then on."""

    def over(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def failure(kind: str, text: str) -> dict[str, Any]:
    """One error as the output of a cell."""
    return {"output_type": "error", "ename": kind, "evalue": text[:PRINTED], "traceback": []}


def hidden_lines(source: str) -> set[int]:
    """The numbers of the lines of hidden tests."""
    inside, found = False, set()
    for number, line in enumerate(source.split("\n"), 1):
        if "BEGIN HIDDEN TESTS" in line or "END HIDDEN TESTS" in line:
            inside = "BEGIN" in line
        elif inside:
            found.add(number)
    return found


def run_cell(source: str, names: dict[str, Any], student: Student | None = None) -> list[dict[str, Any]]:
    """Run a cell of the source notebook here, as a kernel does: the value of the last expression is its result.

    Of an error in a hidden test only the kind is told, unless the test itself says what is wrong.
    """
    printed, outputs, hidden, now = io.StringIO(), [], hidden_lines(source), False

    def begins(line: int) -> None:
        nonlocal now
        now = line in hidden
        if student is not None:
            student.hidden = now

    try:
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            for statement in tree.body:
                begins(statement.lineno)
                exec(compile(ast.Module([statement], []), remembered(source), "exec"), names)
            begins(last.lineno if last else 0)
            result = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        if result is not None:
            if not isinstance(result, (str, bool)):
                with contextlib.suppress(TypeError, ValueError):
                    result = float(result)  # an array or a fraction is a number of points, too
            text = {"text/plain": repr(result)[:PRINTED]}
            outputs.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": text})
    except (Exception, SystemExit) as failed:
        kind, text = said(failed)
        if now and not (text and isinstance(failed, AssertionError)):
            text = "at values that are not shown"
        outputs.append(failure(kind, text))
    finally:
        begins(0)
    if printed.tell():
        text = printed.getvalue()[:PRINTED]
        outputs.insert(0, {"output_type": "stream", "name": "stdout", "text": text})
    return outputs


def read_names(source: str) -> set[str]:
    """The names that a cell reads before it gives them a value itself."""
    read, stored = set[str](), set[str]()
    for statement in ast.parse(source).body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        set_here = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        plain = isinstance(statement, ast.Assign)
        read |= {node.id for node in names if not plain or isinstance(node.ctx, ast.Load)} - stored
        stored |= set_here if plain else set()
    return read


def python_of(source: str) -> str:
    """A cell as Python, where IPython makes that of it: with magic, prompts, or indented as a whole."""
    try:
        ast.parse(source)
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager

        source = TransformerManager().transform_cell(re.sub(r"\A\s*%%(time|capture)\b.*", "", source))
        ast.parse(source)
    return source


def readable(cells: list[dict[str, Any]]) -> str:
    """The cells before a test that are Python, as one text: a judge reads there what a function is."""
    texts = []
    for cell in cells:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            text = python_of(cell["source"])
            texts.append(text if cell["kind"] != "test" else "")
    return "\n".join(texts)


def run_notebook(told: dict[str, Any], report: Any) -> None:
    """Run the cells in order; `report(index, outputs)` after each."""
    cells, wanted = told["cells"], set(told["names"])
    names: dict[str, Any] = {"__name__": "tests"}
    student = Student(told)
    threading.Thread(target=student.watch, daemon=True).start()
    done: list[int] = []

    def start() -> None:
        student.start()
        student.ready()
        for index in done:
            with contextlib.suppress(Exception):
                student.ask(["run", cells[index]["source"]])
            student.end(student.own)

    def one(cell: dict[str, Any]) -> list[dict[str, Any]]:
        if cell["kind"] != "test":
            outputs = run_cell(cell["source"], names) if cell["kind"] == "given" else []
            failed = student.ask(["run", cell["source"]])
            return outputs or ([failure(*map(str, failed))] if failed else [])
        for name in sorted(read_names(cell["source"]) & wanted):
            names.pop(name, None)
            try:
                found = student.ask(["get", name])
                if found:
                    names[name] = found[0]
                if found and isinstance(found[0], Called):
                    found[0].source = readable(cells[: cells.index(cell)]), name
            except Exception as wrong:
                return [failure(said(wrong)[0], f"{name}: {said(wrong)[1]}")]
        return run_cell(cell["source"], names, student)

    with at_most(STARTS):
        start()
    report(-1, [])
    for index, cell in enumerate(cells):
        if str(index) in told["lost"]:
            report(index, [failure("RuntimeError", told["lost"][str(index)])])
            continue
        report(index, None)  # begun
        try:
            with at_most(told["cell"]):
                outputs = one(cell)
                student.end(student.own)
            if cell["kind"] != "test":
                done.append(index)
            report(index, outputs)
            continue
        except TooLong:
            text = f"stopped after {told['cell']:g} seconds: it takes longer, or does not end"
            outputs = [failure("TimeoutError", student.why or text)]
        except (Died, Exception):  # what is no message, too
            outputs = [failure("RuntimeError", student.why or "it ended the whole program")]
        report(index, outputs)
        for _ in range(3):
            with contextlib.suppress(TooLong, Died), at_most(STARTS + told["cell"] * len(done)):
                student.end()
                start()
                break
    student.end()


def main() -> None:
    """Read what to do, do it, and report a line for each cell."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    told = json.loads(sys.stdin.readline())
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (int(max(4.0, told["memory"]) * 2**30),) * 2)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # what loses its parent becomes a child of this process

    def report(index: int, outputs: list[Any] | None) -> None:
        out.write(json.dumps({"cell": index, "outputs": outputs}) + "\n")
        out.flush()

    if "port" in told:
        student = Student(told)
        with at_most(STARTS):
            student.start()
            out.write(json.dumps(student.receive()) + "\n")
            out.flush()
        student.end()
    else:
        run_notebook(told, report)
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
