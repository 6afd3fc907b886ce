"""Every check of the project, the steps side by side where there are cores, with a table of times at the end.

`make test` runs what a contributor runs; `make check` adds what takes long: full-power statistics, and the unit tests
and notebooks once more as another processor would round.
`ONLY="style types"` runs some.  A step's output is shown when it fails, its last lines when it passes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LONGEST = 3600  # seconds for one step: a slow machine is not a fault
WORKERS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
PYTEST = (str(BIN / "pytest"), "-p", "no:cacheprovider", "--color=no", "-v")
SHARED_OUT = (*PYTEST, f"--numprocesses={WORKERS}")
DOCTESTS = ("--doctest-modules", "svtlib", "svtcourse", "book/explorers")
UNIT = (*SHARED_OUT, "--dist=worksteal", "tests", *DOCTESTS)
NOTEBOOKS = (
    *(*SHARED_OUT, "--dist=loadscope", "--nbval", "--nbval-current-env", "--nbval-kernel-startup-timeout=600"),
    "chapters",
)

SITE = sorted(
    str(path) for path in (ROOT / "tests").glob("test_*.py") if "mark.site" in path.read_text(encoding="utf-8")
)

# Tests of what computes no number of the course: texts, the site, grading, and how a program is read.
READING = "test_alive.py", "test_always.py", "test_forms.py", "test_language.py"
WORDS = tuple(
    f"--ignore={path.relative_to(ROOT)}"
    for path in sorted((ROOT / "tests").glob("test_*.py"))
    if path.name in READING
    or not re.search(r"^(import|from) (svtlib|svtcourse|evidence)\b", path.read_text(encoding="utf-8"), re.M)
)

# No AVX-512 for numpy, the oldest kernels of the linear algebra, no AVX2 and no fused multiply-add for the C library:
# last digits come out as they do on a processor without them.
ANOTHER_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Nehalem",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
}


@dataclass(frozen=True)
class Step:
    """One command, what it is for, and how many lines of its output are worth reading when it passes."""

    key: str
    title: str
    command: tuple[str, ...]
    shown: int = 1
    environment: dict[str, str] = field(default_factory=dict)


# The lanes run side by side, the steps of a lane one after the other: so no core waits for another one.
TEST = (
    (
        Step("style", "ruff: code and notebooks", (str(BIN / "ruff"), "check", "--no-cache", "--quiet", "."), 0),
        Step("format", "ruff: formatting", (str(BIN / "ruff"), "format", "--no-cache", "--check", "."), 1),
        Step("types", "mypy on svtlib, svtcourse and the explorers", (str(BIN / "mypy"), "--no-color-output"), 1),
        Step("certificates", "every verdict, without svtlib", (sys.executable, "tools/check_certificates.py"), 1),
        Step("unit", "unit tests, guards, and the examples of every docstring", UNIT),
    ),
    (
        Step(
            "book", "the site from nothing, warnings as errors", (sys.executable, "tools/build_site.py", "--clean"), 2
        ),
        Step("site", "links of the built site, and no other host", (*PYTEST, "-m", "site", *SITE), 1),
        Step("notebooks", "every cell of every chapter again, outputs compared", NOTEBOOKS),
    ),
)
COVERED = (*UNIT, *WORDS, "--cov", "--cov-report=term", "--durations=10")
MORE = (
    (
        Step("full", "full-power statistics and long searches", (*SHARED_OUT, "-m", "full", "tests")),
        Step("unit-again", "unit tests as on another processor, with coverage", COVERED, 32, ANOTHER_PROCESSOR),
    ),
    (
        Step(
            "cells-again",
            "every cell as on another processor",
            NOTEBOOKS,
            1,
            {**ANOTHER_PROCESSOR, "COLD_KERNELS": "1"},
        ),
    ),
)
LANES = {"test": TEST, "check": tuple(a + b for a, b in zip(TEST, MORE, strict=True)), "more": MORE}


class Run:
    """All lanes at once, and one voice."""

    def __init__(self, directory: Path = ROOT) -> None:
        self.directory = directory
        self.results: dict[str, tuple[int, float]] = {}  # exit code and seconds, by step
        self.running: dict[str, tuple[float, IO[str]]] = {}
        self.lock = threading.Lock()

    def say(self, text: str) -> None:
        """Print one piece of text whole, whichever lane it comes from."""
        with self.lock:
            print(text, flush=True)

    def lane(self, steps: tuple[Step, ...]) -> None:
        """Run `steps` one after the other."""
        for step in steps:
            if step.key == "site" and self.results.get("book", (0,))[0]:
                self.say("- site: skipped, because the site was not built")
                self.results[step.key] = 1, 0.0
                continue
            self.say(f"> {step.key}: {step.title}")
            started = time.monotonic()
            with tempfile.NamedTemporaryFile("w+", encoding="utf-8", errors="replace") as output:
                self.running[step.key] = started, output
                code = self.execute(step, output)
                output.seek(0)
                lines = [line.rstrip() for line in output if line.strip() and not DONE.search(line)]
                del self.running[step.key]
            seconds = time.monotonic() - started
            self.results[step.key] = code, seconds
            shown = lines[-400:] if code else lines[-step.shown :] if step.shown else []
            head = f"{'FAILED' if code else 'passed'} {step.key} ({seconds:.0f} s)"
            self.say("\n".join([head, *("    " + line for line in shown)]))

    def execute(self, step: Step, output: IO[str]) -> int:
        """Run one command with everything it says in `output`; return its exit code, 1 if it does not end."""
        environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "120", **step.environment}
        try:
            return subprocess.run(
                step.command,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                timeout=LONGEST,
            ).returncode
        except subprocess.TimeoutExpired:
            output.seek(0, os.SEEK_END)
            output.write(f"\nstopped after {LONGEST} seconds, in {', '.join(under_way(output)) or 'no test'}\n")
            return 1

    def heartbeat(self, done: threading.Event) -> None:
        """Say every 20 seconds what is still running, and in which test, until `done`."""
        while not done.wait(20):
            for key, (since, output) in list(self.running.items()):
                tests = under_way(output)
                self.say(f"  ... {key} {time.monotonic() - since:.0f} s{': ' if tests else ''}{', '.join(tests)}")


# How pytest -v says that a test began (its name alone on a line) and how it ended: where tests are shared out on a line
# of its own, else behind the name.
BEGAN = re.compile(r"^(\S+::(?!.* [A-Z]{4,} +\[ *\d+%\]).+?) ?$")
ENDED = re.compile(r"^\[gw\d+\] (?:\[ *\d+%\] )?[A-Z]+ (\S+::.+?) ?$")
DONE = re.compile(r"^(?:\[gw\d+\] .*(?:PASSED|SKIPPED) .*|\S+::.*(?: PASSED.*| ?)|\d+ workers \[.*)$")


def under_way(output: IO[str]) -> list[str]:
    """Return the tests that began and did not end, by what pytest wrote to `output` so far."""
    began: Counter[str] = Counter()
    with open(output.name, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := BEGAN.match(line):
                began[match[1]] += 1
            elif match := ENDED.match(line):
                began[match[1]] -= 1
    return sorted((+began).elements())


def main(name: str, only: list[str]) -> int:
    """Run the steps of the set `name` that are in `only`, or all of them, and print how each ended."""
    lanes = LANES[name]
    known = [step.key for lane in lanes for step in lane]
    unknown = [key for key in only if key not in known]
    if unknown:
        print(f"ONLY knows {' '.join(known)}; it was given {' '.join(unknown)}.")
        return 2
    started = time.monotonic()
    run, done = Run(), threading.Event()
    print(f"Checking: {len(only or known)} steps on {WORKERS} cores (a few minutes for make test)", flush=True)
    threading.Thread(target=run.heartbeat, args=(done,), daemon=True).start()
    chosen = [tuple(step for step in lane if not only or step.key in only) for lane in lanes]
    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(run.lane, chosen))
    done.set()
    print("\nstep          time  result")
    for key in filter(run.results.get, known):
        code, seconds = run.results[key]
        print(f"{key:<12} {seconds:4.0f} s  {'FAILED' if code else 'passed'}")
    print(f"{'all':<12} {time.monotonic() - started:4.0f} s")
    failed = sum(bool(code) for code, _ in run.results.values())
    print(f"{len(run.results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
