"""Chromium without a window, by its command line: it opens a page, says what the page complained of, and prints it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PLACES = ("chromium", "chromium-browser", "google-chrome")
LONGEST = 1200  # seconds for one page, which is the whole book in `make pdf`: three minutes with a processor of its own
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"),
    "--virtual-time-budget=60000",  # milliseconds of the page's own clock, which jumps to what is due next
)
# In the head of a page: what it could not load, and what its scripts complain of, is a line of the console for us.
WATCH = """<script>{
  const say = (words) => console.log(`FAULT ${words}`);
  addEventListener("error", ({ target, message }) => say(message ?? `not loaded: ${target.src || target.href}`), true);
  addEventListener("unhandledrejection", ({ reason }) => say(reason));
  console.error = (...words) => say(words.join(" "));
}</script>"""
CONSOLE = re.compile(r':CONSOLE:\d+\] "(FAULT|BOOK) (.*?)", source: \S* \(\d+\)$', re.M | re.S)


class NoBrowser(RuntimeError):
    """Chromium is not there, or it failed."""


def executable() -> str:
    """Find Chromium: the one that CHROMIUM names, or the first that is installed."""
    named = os.environ.get("CHROMIUM", "")
    found = named if Path(named).is_file() else next(filter(None, map(shutil.which, PLACES)), None)
    if not found:
        raise NoBrowser("No Chromium was found: install it (on Debian: apt install chromium), or set CHROMIUM to it.")
    return found


def on_one_processor() -> None:
    """Stay where one is: where the clocks of two processors differ, Chromium sees time go back and ends."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def opened(page: Path, *options: str) -> tuple[str, list[tuple[str, str]]]:
    """Open a file until nothing more is due in it; return what Chromium wrote, and what the page told us."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [executable(), *QUIET, f"--user-data-dir={profile}", *options, page.as_uri()]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LONGEST,
                preexec_fn=on_one_processor,
            )
        except subprocess.TimeoutExpired as late:
            raise NoBrowser(f"Chromium did not end within {LONGEST} seconds.") from late
    if done.returncode:
        raise NoBrowser(f"Chromium failed: {done.stderr[-500:]}")
    return done.stdout, CONSOLE.findall(done.stderr)


def printed(page: Path, pdf: Path, width: int) -> list[tuple[str, str]]:
    """Print a file, with tags and a bookmark for each heading; return what the page told us."""
    options = ("--no-pdf-header-footer", "--generate-pdf-document-outline", f"--window-size={width},900")
    _, said = opened(page, *options, f"--print-to-pdf={pdf}")
    if not pdf.is_file():
        raise NoBrowser(f"Chromium did not print {page.name}")
    return said
