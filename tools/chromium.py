"""Chromium without a window, spoken to through two pipes: enough to open a page, run a script in it and print it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PLACES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND"),
)


class NoBrowser(RuntimeError):
    """Chromium is not there, or it died."""


def executable() -> str:
    """Find Chromium: the one that CHROMIUM names, or the first that is installed."""
    named = os.environ.get("CHROMIUM", "")
    found = named if Path(named).is_file() else next(filter(None, map(shutil.which, PLACES)), None)
    if not found:
        raise NoBrowser("No Chromium was found: install it (on Debian: apt install chromium), or set CHROMIUM to it.")
    return found


class Page:
    """One page in a browser of its own."""

    def __init__(self, write: Any, read: Any) -> None:
        self._write, self._read, self._number, self._session = write, read, 0, ""
        self._left = b""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = self._read.read1(1 << 16)
            if not more:
                raise NoBrowser("Chromium ended before it had answered.")
            self._left += more
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)  # type: ignore[no-any-return]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command of the DevTools protocol and wait for what it returns."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        self._write.flush()
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise NoBrowser(f"{method}: {answer['error']['message']}")
                return answer["result"]  # type: ignore[no-any-return]
            self.events.append(answer)

    def open(self, address: str) -> None:
        """Go to `address` and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def run(self, script: str) -> Any:
        """Run `script` in the page, wait for its promise, and return its value."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise NoBrowser(f"script error: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def print(self, path: Path, **options: Any) -> None:
        """Print the page to `path`."""
        stream = self.call(
            "Page.printToPDF",
            preferCSSPageSize=True,
            printBackground=True,
            transferMode="ReturnAsStream",
            **options,
        )["stream"]
        with path.open("wb") as file:
            while True:
                part = self.call("IO.read", handle=stream, size=1 << 22)
                data = part["data"]
                file.write(base64.b64decode(data) if part.get("base64Encoded") else data.encode())
                if part["eof"]:
                    return

    def failures(self) -> list[str]:
        """What the page could not load, and what its scripts complained of."""
        found = []
        for event in self.events:
            given = event.get("params", {})
            if event.get("method") == "Network.loadingFailed":
                found.append(f"not loaded: {given.get('errorText')}")
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(f"script error: {given['exceptionDetails']['text']}")
            elif event.get("method") == "Runtime.consoleAPICalled" and given.get("type") == "error":
                found.append("console: " + " ".join(str(part.get("value")) for part in given["args"]))
        return found


@contextlib.contextmanager
def browser() -> Iterator[Page]:
    """Start Chromium with a profile that is thrown away, and end it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        commands_read, commands_write = os.pipe()
        answers_read, answers_write = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4; a shell knows others than 0 to 9 only by their files.
        shell = f'exec "$@" 3</dev/fd/{commands_read} 4>/dev/fd/{answers_write}'
        command = [executable(), *QUIET, f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        process = subprocess.Popen(
            ["sh", "-c", shell, "sh", *command],
            pass_fds=(commands_read, answers_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands_read)
        os.close(answers_write)
        try:
            with os.fdopen(commands_write, "wb") as write, os.fdopen(answers_read, "rb") as read:
                yield Page(write, read)
        finally:
            process.terminate()
            process.wait(20)
