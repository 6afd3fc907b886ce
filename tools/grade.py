"""`make grade SUBMISSIONS=folder`: a page of feedback for every student and a table of the class, in folder-graded.

A submission is `folder/STUDENT/…/NOTEBOOK.ipynb`, NOTEBOOK being the name of one in chapters/exercises.
Tests, texts and everything else that was locked come from the source, the answers from the student.
Each notebook is executed in a process of its own with limits of time and memory and without a network (see
`tools/grade_worker.py`); whatever happens in it costs the question in which it happens.
Answers in words are for a person to grade.  Grades are not kept here: the table is a file for what the school uses, and
where nbgrader is installed (the extra `grading`) its gradebook gets them, with which it grades by hand and writes
feedback.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import html
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coursework
import nbformat
from nbformat.v4 import new_code_cell

WORKER = Path(__file__).with_name("grade_worker.py")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
LARGEST = 20_000_000  # bytes of a submitted notebook
SPACES = ("unshare", "--net", "--pid", "--mount", "--ipc", "--fork", "--kill-child", "--mount-proc")

# A user for each notebook, where there may be one: the number of processes is limited for each user.
STARTED = itertools.count(os.getpid() * 61)


def another_user() -> int:
    """Return a user id that hardly anything else has at the moment."""
    return 61_000 + next(STARTED) % 4_000


@dataclass(frozen=True)
class Limits:
    """What one notebook may use: seconds for a cell and for all of them, gigabytes of memory."""

    cell: float = 60.0
    total: float = 600.0
    memory: float = 4.0


@dataclass
class Mark:
    """One graded cell of one student: points, None where a person has to give them, and why."""

    notebook: str
    question: str
    name: str
    most: float
    earned: float | None
    reason: str = ""
    answer: str = ""


@dataclass
class Student:
    """What one student handed in, and the marks for it."""

    name: str
    files: dict[str, Path] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    executed: dict[str, Any] = field(default_factory=dict)

    @property
    def earned(self) -> float:
        """The points that are certain."""
        return sum(mark.earned or 0.0 for mark in self.marks)

    @property
    def waiting(self) -> float:
        """The points that a person has to give."""
        return sum(mark.most for mark in self.marks if mark.earned is None)


# --- what was handed in -----------------------------------------------------------------------------------------------


def handed_in(folder: Path, known: Iterable[str]) -> list[Student]:
    """Every folder of `folder` is a student; links are not followed."""
    wanted = set(known)
    students = []
    for place in sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()):
        student = Student(place.name)
        for path in sorted(place.rglob("*.ipynb")):
            if (
                path.stem in wanted
                and path.is_file()
                and not path.is_symlink()
                and ".ipynb_checkpoints" not in path.parts
            ):
                student.files.setdefault(path.stem, path)
        students.append(student)
    return students


def merged(source: Any, submitted: Any) -> Any:
    """The source with the student's answers in it, and the cells that the student added after those they follow."""
    answers: dict[str, str] = {}
    added: dict[str, list[str]] = {}
    names = {coursework.grade_id(cell) for cell in source.cells}
    last = ""
    for cell in submitted.cells:
        name = coursework.grade_id(cell)
        if name in names and name not in answers:
            answers[name], last = cell.source, name
        elif cell.cell_type == "code" and name not in names:
            added.setdefault(last, []).append(cell.source)
    empty = coursework.student_version(source)
    made = nbformat.v4.new_notebook(metadata=source.metadata)
    for cell, blank in zip(source.cells, empty.cells, strict=True):
        name = coursework.grade_id(cell)
        kept = nbformat.from_dict(dict(cell))
        if coursework.is_answer(cell):
            kept.source = answers.get(name, blank.source)
        if not made.cells:
            made.cells += [new_code_cell(text) for text in added.get("", [])]
        made.cells.append(kept)
        made.cells += [new_code_cell(text) for text in added.get(name, [])]
    return made


# --- execution --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Isolation:
    """How a submission is shut in, as it was tried on this machine."""

    spaces: tuple[str, ...]
    uid: int  # of the trial; 0 where it is the teacher's own
    network: bool
    writes: bool

    def __str__(self) -> str:
        if self.spaces:
            net = "no network (a network name space of its own, in which no connection succeeds)"
            files = "the rest of the disk read-only" if not self.writes else "files guarded inside Python only"
        else:
            net = "no network for Python (a guard on its sockets; a program in another language could still reach it)"
            files = "files guarded inside Python only"
        user = ", as a user of its own" if self.uid else ""
        return f"{net}; {files}{user}"


def start(folder: Path, told: dict[str, Any], limit: float, spaces: tuple[str, ...]) -> list[dict[str, Any]]:
    """Run the worker in `folder` and return what it reported, until it ended or `limit` seconds were over."""
    (folder / "told.json").write_text(json.dumps(told), encoding="utf-8")
    read, write = os.pipe()
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "IPYTHONDIR": str(folder / ".ipython"),
        "MPLCONFIGDIR": str(folder / ".matplotlib"),
        "JUPYTER_CONFIG_DIR": str(folder / ".jupyter"),
        "JUPYTER_DATA_DIR": str(folder / ".jupyter"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".jupyter"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    process = subprocess.Popen(
        [*spaces, sys.executable, str(WORKER), str(folder), str(write)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(write,),
        start_new_session=True,
    )
    os.close(write)

    def end() -> None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)

    alarm = threading.Timer(limit, end)
    alarm.start()
    found = []
    with os.fdopen(read, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    alarm.cancel()
    end()
    process.wait()
    return found


def find_isolation() -> Isolation:
    """Try the strictest way that works here: name spaces, another user, or a guard inside Python alone."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    ways = [SPACES, ()] if shutil.which("unshare") else [()]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for spaces in ways:
            for uid in (another_user(), 0) if root else (0,):
                user = (*spaces, "--map-root-user") if spaces and not root else spaces
                with tempfile.TemporaryDirectory(prefix="svt-") as place:
                    told = {"probe": port, "spaces": bool(spaces), "uid": uid, "memory": 4.0, "total": 60.0}
                    found = start(Path(place).resolve(), told, 60.0, user)
                if found and not (spaces and found[0]["network"]):
                    return Isolation(user, uid, found[0]["network"], found[0]["writes"])
    raise SystemExit("No submission can be executed here: run 'make doctor'.")


def executed(notebook: Any, limits: Limits, isolation: Isolation, hidden: Iterable[Path] = ()) -> bool:
    """Execute `notebook` by itself, without sight of the folders `hidden`, and write the outputs into it.

    If the process that grades ends before it has been through all cells it is started again: what went wrong may have
    been this machine's fault. A cell that ends it twice is left out. False if it never got to a first cell.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    told: dict[str, Any] = {
        "spaces": bool(isolation.spaces),
        "cell": limits.cell,
        "total": limits.total,
        "memory": limits.memory,
        "hidden": [str(path.resolve()) for path in hidden],
        "skip": [],
        "cells": [
            {
                "source": cell.source,
                "test": coursework.is_test(cell),
                "setup": bool(coursework.grade_id(cell))
                and not coursework.is_graded(cell)
                and not coursework.is_answer(cell),
            }
            for cell in code
        ],
    }
    ended: list[int] = []
    while True:
        told["uid"] = isolation.uid and another_user()
        with tempfile.TemporaryDirectory(prefix="svt-", ignore_cleanup_errors=True) as place:
            found = start(Path(place).resolve(), told, limits.total + 2 * limits.cell, isolation.spaces)
        events = {event["cell"]: event["outputs"] for event in found if isinstance(event.get("cell"), int)}
        at = next((index for index in range(-1, len(code)) if index not in events), None)
        if at is None:
            break
        if ended.count(at) == 1 and at >= 0:
            told["skip"].append(at)
        elif ended.count(at) == 2:
            return False
        ended.append(at)
    for index, cell in enumerate(code):
        outputs = [nbformat.from_dict(output) for output in events[index]]
        # A warning costs nothing here, and every point with nbgrader.
        cell.outputs = [o for o in outputs if not (coursework.is_test(cell) and o.get("name") == "stderr")]
    return True


def marked(
    name: str, source: Any, path: Path | None, limits: Limits, isolation: Isolation, hidden: Iterable[Path] = ()
) -> tuple[list[Mark], Any]:
    """The marks of one notebook of one student, and the notebook as it was executed, None if it was not."""
    problem = ""
    submitted: Any = None
    if path is None:
        problem = "not handed in"
    else:
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError("it is too large")
            submitted = nbformat.read(path, 4)
            texts = [cell.source for cell in submitted.cells]
            if not all(isinstance(text, str) for text in texts):
                raise ValueError("a cell has no text")
        except Exception as found:
            problem = f"the file cannot be read as a notebook ({type(found).__name__}): it is damaged or no notebook"
    if problem:
        submitted = nbformat.v4.new_notebook()
    notebook = merged(source, submitted)
    ran = True
    if not problem:
        ran = executed(notebook, limits, isolation, hidden)
    marks = []
    present = {coursework.grade_id(cell) for cell in submitted.cells}
    for title, cells in coursework.questions(notebook):
        answer = "\n\n".join(cell.source for cell in cells if coursework.is_answer(cell))
        failed = next(
            (coursework.error(cell) for cell in cells if coursework.is_answer(cell) and coursework.error(cell)), ""
        )
        if failed and failed != "not answered yet":
            failed = f"the cell of the answer fails: {failed}"
        gone = [coursework.grade_id(cell) for cell in cells if coursework.is_answer(cell)]
        gone = [one for one in gone if one not in present and not problem]
        for cell in cells:
            if not coursework.is_graded(cell):
                continue
            if problem:
                got, why = 0.0, problem
            elif not ran:
                got, why = None, "the notebook could not be executed"
            else:
                got, why = coursework.earned(cell), coursework.error(cell)
                if why.startswith("NameError"):
                    why = failed or f"{why} (a function or a value must keep the name that the question gives it)"
                if not why and got == 0.0 and coursework.is_answer(cell):
                    why = "not answered yet"
                if gone and got == 0.0:
                    why = f"the cell for the answer is missing; {why}"
                if not why and got is not None and got < coursework.points(cell):
                    why = printed(cell)
            marks.append(Mark(name, title, coursework.grade_id(cell), coursework.points(cell), got, why, answer))
    return marks, None if problem or not ran else notebook


def printed(cell: Any) -> str:
    """What a test printed: where part of the points was given, that says for what."""
    return "".join(output.text for output in cell.outputs if output.output_type == "stream").strip()


# --- what comes out ---------------------------------------------------------------------------------------------------

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
td.low { background: #d556; } td.part { background: #db46; } td.full { background: #5a56; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid #8886; padding: .3rem .8rem; }
.wide { overflow-x: auto; } .why { border-left-color: #c55; } footer { margin-top: 3rem; font-size: .85rem; }
"""


def number(value: float) -> str:
    """A number of points."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def page(title: str, body: str) -> str:
    """One HTML page that asks nobody for anything."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>\n<h1>{html.escape(title)}</h1>\n{body}\n</main></body></html>\n"
    )


def feedback(student: Student) -> str:
    """The page for one student."""
    most = sum(mark.most for mark in student.marks)
    waiting = (
        f" {number(student.waiting)} more are for answers in words, which a person reads." if student.waiting else ""
    )
    body = [f"<p>{number(student.earned)} of {number(most)} points.{waiting}</p>"]
    for name in dict.fromkeys(mark.notebook for mark in student.marks):
        body.append(f"<h2>{html.escape(name)}</h2>")
        marks = [mark for mark in student.marks if mark.notebook == name]
        for question in dict.fromkeys(mark.question for mark in marks):
            parts = [mark for mark in marks if mark.question == question]
            body.append(f"<h3>{html.escape(question)}</h3>")
            for mark in parts:
                if mark.earned is None:
                    why = html.escape(f" ({mark.reason})" if mark.reason else "")
                    body.append(f"<p>– of {number(mark.most)}: to be read by a person{why}.</p>")
                    continue
                sign = "✓" if mark.earned == mark.most else "✗" if not mark.earned else "≈"
                body.append(f"<p>{sign} {number(mark.earned)} of {number(mark.most)}</p>")
                if mark.reason:
                    body.append(f'<pre class="why">{html.escape(mark.reason)}</pre>')
            if parts[0].answer.strip() and not all(mark.earned == mark.most for mark in parts):
                body.append(
                    f"<details><summary>Your answer</summary><pre>{html.escape(parts[0].answer)}</pre></details>"
                )
    return page(f"Feedback for {student.name}", "\n".join(body))


def columns(students: list[Student]) -> list[tuple[str, str]]:
    """Every graded cell of the class, by notebook and name."""
    return list(dict.fromkeys((mark.notebook, mark.name) for student in students for mark in student.marks))


def class_table(students: list[Student], path: Path) -> None:
    """Write one row a student, one column a graded cell; empty where a person has to grade."""
    heads = columns(students)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["student", *(f"{notebook}:{name}" for notebook, name in heads), "points", "to_be_read"])
        for student in students:
            by_name = {(mark.notebook, mark.name): mark.earned for mark in student.marks}
            row = ["" if by_name[head] is None else number(by_name[head] or 0.0) for head in heads]
            shown = student.name if student.name[:1] not in ("=", "+", "-", "@") else f"'{student.name}"
            writer.writerow([shown, *row, number(student.earned), number(student.waiting)])


def class_page(students: list[Student], isolation: Isolation) -> str:
    """The page for the teacher: who has what, and what the class did not understand."""
    heads = columns(students)
    body = ['<div class="wide"><table><thead><tr><th>Student</th>']
    body += [f"<th>{html.escape(notebook.split('_')[0])}<br>{html.escape(name)}</th>" for notebook, name in heads]
    body.append("<th>points</th><th>to be read</th></tr></thead><tbody>")
    shares: dict[tuple[str, str], list[float]] = {head: [] for head in heads}
    reasons: dict[tuple[str, str], Counter[str]] = {head: Counter() for head in heads}
    titles: dict[tuple[str, str], str] = {}
    read: set[tuple[str, str]] = set()  # by a person
    for student in students:
        link = f"{student_file(student.name)}"
        body.append(f'<tr><td><a href="{html.escape(link)}">{html.escape(student.name)}</a></td>')
        for mark in student.marks:
            head = (mark.notebook, mark.name)
            titles[head] = mark.question
            if mark.earned is None:
                read.add(head)
                body.append("<td>–</td>")
                continue
            kind = "full" if mark.earned == mark.most else "part" if mark.earned else "low"
            body.append(f'<td class="{kind}">{number(mark.earned)}/{number(mark.most)}</td>')
            shares[head].append(mark.earned / mark.most)
            if mark.reason:
                reasons[head][mark.reason.split("\n")[0][:160]] += 1
        body.append(f"<td>{number(student.earned)}</td><td>{number(student.waiting)}</td></tr>")
    body.append("</tbody></table></div><h2>What the class did not understand</h2>")
    body.append(
        "<p>Questions by the share of their points that was earned, the lowest first, and why points were lost.</p>"
    )
    by_machine = [head for head in heads if shares[head] and head not in read]
    for head in sorted(by_machine, key=lambda h: sum(shares[h]) / len(shares[h])):
        share = sum(shares[head]) / len(shares[head])
        if share >= 0.995:
            continue
        body.append(f"<h3>{html.escape(titles[head])} · {html.escape(head[1])}: {share:.0%}</h3><ul>")
        body += [f"<li>{count} × {html.escape(why)}</li>" for why, count in reasons[head].most_common(4)]
        body.append("</ul>")
    body.append(f"<footer>Every notebook was executed by itself: {html.escape(str(isolation))}.</footer>")
    return page("Class", "\n".join(body))


NBGRADER = """c = get_config()
c.CourseDirectory.course_id = "svt"
c.ClearSolutions.code_stub = {"python": %r}
# What ran is not run again: the outputs are counted as they are.
c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.OverwriteCells"]
c.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.SaveAutoGrades"]
"""


def to_nbgrader(course: Path, students: list[Student], wanted: list[str]) -> bool:
    """Make a course of nbgrader with all marks in its gradebook; False where nbgrader is not installed."""
    program = Path(sys.executable).with_name("nbgrader")
    if not program.exists():
        return False
    for old in (
        "source",
        "release",
        "submitted",
        "autograded",
        "feedback",
    ):  # the gradebook has what was graded by hand
        shutil.rmtree(course / old, ignore_errors=True)
    (course / "source" / "svt").mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(NBGRADER % coursework.CODE_STUB, encoding="utf-8")
    for name in wanted:
        shutil.copy(coursework.FOLDER / f"{name}.ipynb", course / "source" / "svt")
    for student in students:
        place = course / "submitted" / re.sub(r"[^\w.-]", "_", student.name) / "svt"
        place.mkdir(parents=True, exist_ok=True)
        for name, notebook in student.executed.items():
            if notebook is not None:
                nbformat.write(notebook, place / f"{name}.ipynb")
    path = os.pathsep.join([str(program.parent), os.environ.get("PATH", os.defpath)])  # it calls alembic by name
    for command in (["generate_assignment", "--create"], ["autograde", "--create"], ["generate_feedback"]):
        done = subprocess.run(
            [str(program), command[0], "svt", *command[1:], "--log-level=ERROR"],
            cwd=course,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(f"nbgrader {command[0]} failed, the pages beside it are complete:\n{done.stderr[-2000:]}")
            return False
    return True


def student_file(name: str) -> str:
    """File name of a student's page: letters, digits, dot, dash and underscore only."""
    return re.sub(r"[^\w.-]", "_", name) + ".html"


def grade(
    folder: Path, output: Path, names: Iterable[str] = (), limits: Limits | None = None, workers: int = CORES
) -> list[Student]:
    """Grade everything in `folder` and write the pages and the tables into `output`."""
    if not folder.is_dir():
        raise SystemExit(f"SUBMISSIONS must be a folder with a folder for each student, got {str(folder)!r}")
    known = coursework.sources()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"ASSIGNMENT knows {' '.join(known)}; it was given {' '.join(unknown)}.")
    students = handed_in(folder, known)
    wanted = list(names) or [name for name in known if any(name in student.files for student in students)]
    if not wanted:
        raise SystemExit(f"There is no notebook called {' or '.join(f'{n}.ipynb' for n in known)} in {folder}.")
    isolation = find_isolation()
    print(f"Grading: {len(students)} students, {', '.join(wanted)}; {isolation}", flush=True)

    hidden = [coursework.ROOT / name for name in ("chapters", "tests", "_build", ".git")]
    hidden = [path for path in (*hidden, folder) if path.is_dir()]

    def one(student: Student) -> None:
        for name in wanted:
            path = student.files.get(name)
            marks, student.executed[name] = marked(name, known[name], path, limits or Limits(), isolation, hidden)
            student.marks += marks
        print(f"  {student.name}: {number(student.earned)}, {number(student.waiting)} to be read", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, students))
    output.mkdir(parents=True, exist_ok=True)
    for student in students:
        (output / student_file(student.name)).write_text(feedback(student), encoding="utf-8")
    class_table(students, output / "class.csv")
    (output / "class.html").write_text(class_page(students, isolation), encoding="utf-8")
    if to_nbgrader(output / "nbgrader", students, wanted):
        print(f"nbgrader has them too: `nbgrader` in {output / 'nbgrader'} shows its gradebook and its feedback")
    return students


def main() -> int:
    """Grade and say where the pages are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("submissions", type=Path)
    parser.add_argument("names", nargs="*", help="notebooks of chapters/exercises; those that were handed in if none")
    parser.add_argument("--output", type=Path, help="a folder; by default that of the submissions with -graded added")
    parser.add_argument("--cell", type=float, default=Limits.cell, help="seconds for one cell")
    parser.add_argument("--total", type=float, default=Limits.total, help="seconds for one notebook")
    parser.add_argument("--memory", type=float, default=Limits.memory, help="gigabytes")
    given = parser.parse_args()
    folder = given.submissions.resolve()
    output = given.output or folder.with_name(f"{folder.name}-graded")
    grade(folder, output, given.names, Limits(given.cell, given.total, given.memory))
    print(f"Written: {output / 'class.html'}, class.csv and a page for each student beside it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
