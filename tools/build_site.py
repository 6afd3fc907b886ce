"""Build the site into _build/html, or say that it is up to date.

`--clean` starts from nothing: Sphinx repeats a warning only when it reads a page again, so a check must build clean.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import readers_edition

ROOT = Path(__file__).resolve().parent.parent
# A change here can change every page, and Sphinx does not see all of them by itself.
GLOBAL = (
    "_config.yml",
    "_toc.yml",
    "requirements.txt",
    "book/_ext/",
    "book/_static/",
    "book/references.bib",
    "book/programs.toml",
)
SOURCES = (
    *("_config.yml", "_toc.yml", "requirements.txt", "book", "chapters", "data", "svtlib", "svtcourse", "evidence"),
    *("tools/edition_text.py", "tools/readers_edition.py"),
)


def source_files(root: Path = ROOT) -> Iterator[Path]:
    """Every file that the site is made from, in a fixed order."""
    for name in SOURCES:
        path = root / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts and ".ipynb_checkpoints" not in file.parts:
                yield file


def fingerprints(root: Path = ROOT) -> tuple[str, str]:
    """Hash of the sources that touch every page, and of all of them."""
    address = os.environ.get("REPOSITORY_URL", "").encode()  # of the launch buttons
    everywhere, everything = hashlib.sha256(address), hashlib.sha256(address)
    for file in source_files(root):
        name = file.relative_to(root).as_posix()
        digest = f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode()
        everything.update(digest)
        if name.startswith(GLOBAL):
            everywhere.update(digest)
    return everywhere.hexdigest(), everything.hexdigest()


def build(root: Path, *, clean: bool) -> int:
    """Run Jupyter Book in `root`, warnings as errors; report progress in a few lines; return its exit code."""
    started = time.monotonic()
    output = root / "_build"
    html, trees, stamp = output / "html", output / ".doctrees", output / "site.stamp"
    now = fingerprints(root)
    before = tuple(stamp.read_text().split()) if stamp.exists() else ("", "")
    if not clean and now == before and (html / "index.html").exists():
        print("Site: nothing has changed since the last build")
        return 0
    rebuild = clean or now[0] != before[0] or not html.exists()
    stamp.unlink(missing_ok=True)
    if rebuild:
        shutil.rmtree(html, ignore_errors=True)
        shutil.rmtree(trees, ignore_errors=True)
    print(
        f"Site: building {'every page' if rebuild else 'the pages that changed'} (about half a minute for all)",
        flush=True,
    )
    output.mkdir(exist_ok=True)
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", ".", "-W", "--keep-going"]
    # Sphinx would print the year of SOURCE_DATE_EPOCH as the year of the copyright.
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    process = subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    log = []
    shown = ""
    assert process.stdout is not None
    for line in process.stdout:
        line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
        log.append(line)
        phase = re.match(r"(reading sources|writing output)\.\.\. \[ *(\d+)%\]", line)
        mark = f"{phase[1]} {int(phase[2]) // 25 * 25} %" if phase else ""
        if mark and mark != shown and not mark.endswith(" 0 %"):
            shown = mark
            print(f"  {mark}", flush=True)
        elif re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line):
            print("  " + line.rstrip(), flush=True)
    code = process.wait()
    (output / "site.log").write_text("".join(log), encoding="utf-8")
    if code == 0 and not (html / "index.html").exists():
        code = 1
    if code:
        # Without this the next, incremental run would say nothing about the pages it does not read again.
        shutil.rmtree(trees, ignore_errors=True)
        print("The site has faults: mend what the warnings above name and run again; the whole log is _build/site.log.")
        if not any("WARNING" in line or "ERROR" in line for line in log):
            print("".join(line for line in log if not line.startswith("  ")))
        return code
    downloads = html / "_sources" / "chapters"
    for name, content in readers_edition.made(root, root / "chapters", os.environ.get("REPOSITORY_URL", "")):
        (downloads / name).write_bytes(readers_edition.written(content))
    stamp.write_text("\n".join(now))
    print(f"Site: built in {time.monotonic() - started:.0f} s")
    return 0


def main() -> int:
    """Build, then say how to open the site."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clean", action="store_true", help="start from nothing")
    code = build(ROOT, clean=parser.parse_args().clean)
    if code == 0:
        print(
            f"Open {ROOT / '_build' / 'html' / 'index.html'} in a browser, or run 'make serve' and open http://localhost:8000/"
        )
    return code


if __name__ == "__main__":
    sys.exit(main())
