"""Every check of the project, in two lanes on two cores, with a table of times at the end.

`make test` runs all of them; `make test ONLY="style types"` some.
A step's output is shown when it fails, its last lines when it passes: the lanes do not write into each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LONGEST = 900  # seconds for one step; all of them together are to stay under ten minutes
PYTEST = (str(BIN / "pytest"), "-p", "no:cacheprovider", "--color=no")


@dataclass(frozen=True)
class Step:
    """One command, what it is for, and how many lines of its output are worth reading when it passes."""

    key: str
    title: str
    command: tuple[str, ...]
    shown: int = 1


LANES = (
    (
        Step("style", "ruff: code and notebooks", (str(BIN / "ruff"), "check", "--no-cache", "--quiet", "."), 0),
        Step("format", "ruff: formatting", (str(BIN / "ruff"), "format", "--no-cache", "--check", "."), 1),
        Step("types", "mypy on svtlib", (str(BIN / "mypy"), "--no-color-output"), 1),
        Step(
            "unit",
            "unit tests, doctests and guards, with coverage of svtlib (a few minutes)",
            (*PYTEST, "-q", "--doctest-modules", "--cov", "--cov-report=term", "--durations=5", "tests", "svtlib"),
            28,
        ),
    ),
    (
        Step(
            "book",
            "the site from nothing, warnings as errors (half a minute)",
            (sys.executable, "tools/build_site.py", "--clean"),
            2,
        ),
        Step("site", "links of the built site, and no other host", (*PYTEST, "-q", "-m", "site", "tests"), 1),
        Step(
            "damage",
            "every claim with its input damaged (about 10 seconds a chapter)",
            (*PYTEST, "-q", "-m", "damage", "tests"),
            1,
        ),
        Step(
            "notebooks",
            "every cell of every chapter again, outputs compared (about 10 seconds a chapter)",
            (*PYTEST, "-q", "--nbval", "--nbval-current-env", "chapters"),
            1,
        ),
    ),
)


@dataclass
class Result:
    """How one step ended."""

    step: Step
    code: int
    seconds: float


class Run:
    """All lanes at once, and one voice."""

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.running: dict[str, float] = {}
        self.lock = threading.Lock()

    def say(self, text: str) -> None:
        """Print one piece of text whole, whichever lane it comes from."""
        with self.lock:
            print(text, flush=True)

    def lane(self, steps: list[Step]) -> None:
        """Run `steps` one after the other."""
        failed: set[str] = set()
        for step in steps:
            if step.key == "site" and "book" in failed:
                self.say("- site: skipped, because the site was not built")
                self.results.append(Result(step, 1, 0.0))
                continue
            self.say(f"> {step.key}: {step.title}")
            started = self.running[step.key] = time.monotonic()
            with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
                code = self.execute(step.command, output)
                output.seek(0)
                lines = [line.rstrip() for line in output if line.strip()]
            seconds = time.monotonic() - started
            del self.running[step.key]
            self.results.append(Result(step, code, seconds))
            if code:
                failed.add(step.key)
            shown = lines[-400:] if code else lines[-step.shown :] if step.shown else []
            head = f"{'FAILED' if code else 'passed'} {step.key} ({seconds:.0f} s)"
            self.say("\n".join([head, *("    " + line for line in shown)]))

    def execute(self, command: tuple[str, ...], output: IO[str]) -> int:
        """Run one command with everything it says in `output`; return its exit code, 1 if it does not end."""
        environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "120"}
        try:
            return subprocess.run(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                timeout=LONGEST,
            ).returncode
        except subprocess.TimeoutExpired:
            output.seek(0, os.SEEK_END)
            output.write(f"\nstopped after {LONGEST} seconds\n")
            return 1

    def heartbeat(self, done: threading.Event) -> None:
        """Say every 20 seconds what is still running, until `done`."""
        while not done.wait(20):
            running = ", ".join(f"{key} {time.monotonic() - since:.0f} s" for key, since in list(self.running.items()))
            if running:
                self.say(f"  ... {running}")


def main(only: list[str]) -> int:
    """Run the steps named in `only`, or all of them, and print how each ended."""
    known = [step.key for lane in LANES for step in lane]
    unknown = [key for key in only if key not in known]
    if unknown:
        print(f"ONLY knows {' '.join(known)}; it was given {' '.join(unknown)}.")
        return 2
    started = time.monotonic()
    run, done = Run(), threading.Event()
    chosen = [[step for step in lane if not only or step.key in only] for lane in LANES]
    print(f"Checking: {sum(map(len, chosen))} steps, two at a time (a few minutes for all)", flush=True)
    threads = [threading.Thread(target=run.lane, args=(lane,)) for lane in chosen]
    pulse = threading.Thread(target=run.heartbeat, args=(done,), daemon=True)
    for thread in (*threads, pulse):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    print("\nstep        time  result")
    for result in sorted(run.results, key=lambda result: known.index(result.step.key)):
        print(f"{result.step.key:<10} {result.seconds:4.0f} s  {'FAILED' if result.code else 'passed'}")
    print(f"{'all':<10} {time.monotonic() - started:4.0f} s")
    count = Counter("failed" if result.code else "passed" for result in run.results)
    print(f"{count['passed']} passed, {count['failed']} failed")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
