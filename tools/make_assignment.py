"""`make assignment`: what students get, in one zip: notebooks without solutions, a wheel of svtlib, how to begin.

The wheel has the data in it, so the folder into which the zip is unpacked is all that a student needs beside Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import coursework
import nbformat

OUTPUT = coursework.ROOT / "_build" / "assignment.zip"
FOLDER = "svt-exercises"
STAMP = (2026, 1, 1, 0, 0, 0)  # the same bytes on every run

README = """The Sparse Vector Technique: exercises
======================================

You need Python 3.11 or newer.  In this folder, in a terminal:

    python3 -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/python -m svtlib doctor
    .venv/bin/jupyter lab

(On Windows: py -m venv .venv, and .venv\\Scripts\\ in the place of .venv/bin/.)

The second line takes a few minutes, the third says whether everything is there.

{notebooks}

Write into the cells that say YOUR CODE HERE or YOUR ANSWER HERE and leave the others as they are.
The cell after an answer tests it.  Hand in the notebook under the name that it has.
"""


def wheel(folder: Path) -> Path:
    """Build svtlib, with its data, into `folder`, from a copy, so that no earlier build leaves anything in it."""
    copy = folder / "source"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(coursework.ROOT / name, copy / name)
    for name in ("svtlib", "svtcourse", "data", "book/explorers"):
        shutil.copytree(coursework.ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--disable-pip-version-check", "--wheel-dir", str(folder), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit(f"The wheel of svtlib could not be built:\n{done.stderr}")
    (found,) = folder.glob("svtlib-*.whl")
    return found


def make(output: Path, names: list[str]) -> list[str]:
    """Write the zip with the notebooks `names`, or all of them, and return what is in it."""
    known = coursework.sources()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"ASSIGNMENT knows {' '.join(known)}; it was given {' '.join(unknown)}.")
    chosen = {name: known[name] for name in names or known}
    titles = {name: notebook.cells[0].source.split("\n")[0].lstrip("# ") for name, notebook in chosen.items()}
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        built = wheel(Path(scratch))
        files: dict[str, bytes] = {
            "README.txt": README.format(
                notebooks="\n".join(f"    {name}.ipynb  {title}" for name, title in titles.items())
            ).encode(),
            "requirements.txt": f"./{built.name}\njupyterlab>=4.4\nipywidgets>=8.1\n".encode(),
            built.name: built.read_bytes(),
        }
    for name, notebook in chosen.items():
        files[f"{name}.ipynb"] = (nbformat.writes(coursework.student_version(notebook)) + "\n").encode()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(f"{FOLDER}/{name}", STAMP), files[name], zipfile.ZIP_DEFLATED)
    return sorted(files)


def main(names: list[str]) -> int:
    """Write the zip with these notebooks of chapters/exercises, or all, and say where it is."""
    print("Assignment: building the wheel and the student versions (half a minute)", flush=True)
    files = make(OUTPUT, names)
    print(f"Written: {OUTPUT} ({OUTPUT.stat().st_size / 1e6:.1f} MB): {', '.join(files)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
