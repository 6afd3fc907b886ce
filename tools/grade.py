"""`make grade SUBMISSIONS=folder`: a page of feedback for every student and a table of the class, in folder-graded.

A submission is `folder/STUDENT/…/NOTEBOOK.ipynb`, NOTEBOOK being the name of one in chapters/exercises.
Tests, texts and everything else that was locked come from the source, the answers from the student.
The student's cells run in a process of their own that is shut in (`tools/grade_worker.py`), the tests in another one
that sees of them data only (`tools/grade_tests.py`); whatever happens costs the question in which it happens.
Answers in words are for a person to grade.  Grades are not kept here: the table is a file for what the school uses, and
where nbgrader is installed (the extra `grading`) its gradebook gets them, with which it grades by hand and writes
feedback.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import coursework
import nbformat
from grade_pages import Mark, Student, class_page, class_table, feedback, number, to_nbgrader
from grade_run import Isolation, Limits, executed, find_isolation
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
LARGEST = 20_000_000  # bytes of a submitted notebook
DEEPEST = 20  # folders inside a student's folder that are looked into
MOST = 2_000  # cells of it


# --- what was handed in -----------------------------------------------------------------------------------------------


def handed_in(folder: Path, known: Iterable[str]) -> list[Student]:
    """Every folder of `folder` is a student, whose outermost notebook of a name counts; links are not followed.

    Of several beside each other the one of that very name counts; else what a browser or a copy made of it, "e1 (1)".
    """
    wanted = {f"{name}.ipynb".lower(): name for name in known}
    students = []
    for place in sorted(path for path in folder.iterdir() if is_folder(path)):
        shown = os.fsencode(place.name).decode("utf-8", "backslashreplace")
        shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in shown)
        student, level = Student(shown, file_stem(place.name)), [place]
        for _ in range(DEEPEST):
            inside = sorted(path for one in level for path in listed(one) if path.name != ".ipynb_checkpoints")
            for path in sorted(inside, key=lambda path: path.name.removesuffix(".ipynb") not in wanted.values()):
                name = wanted.get(re.sub(r"(-copy| ?\()\d*\)?(?=\.ipynb$)", "", path.name.lower()))
                if name and os.path.isfile(path) and not os.path.islink(path):
                    student.files.setdefault(name, path)
            level = list(filter(is_folder, inside))
        students.append(student)
    return students


def is_folder(path: Path) -> bool:
    """Whether it is one, and no link to one."""
    return os.path.isdir(path) and not os.path.islink(path)


def listed(folder: Path) -> list[Path]:
    """What is in a folder; nothing where that may not be seen."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def file_stem(name: str) -> str:
    """A file name for a student: letters, digits, dot, dash and underscore, and a sign of what was left out."""
    safe = re.sub(r"[^\w.-]", "_", name.encode("utf-8", "replace").decode())[:80]
    safe = safe.encode()[:200].decode("utf-8", "ignore")  # a file name has 255 bytes
    mark = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    taken = name.casefold() == "class" or re.search(r"-[0-9a-f]{8}$", name)  # or looks like one that is marked
    return safe if safe == name and not taken else f"{safe}-{mark}"


def clean(text: str) -> str:
    """The text without what no file in UTF-8 can have."""
    return text.encode("utf-8", "replace").decode()


def read(path: Path) -> Any:
    """What of a submitted file is looked at: kind, name and text of each cell; ValueError where that is not there."""
    if path.stat().st_size > LARGEST:
        raise ValueError("it is too large")
    made, cells = nbformat.v4.new_notebook(), json.loads(path.read_bytes())["cells"]
    if len(cells) > MOST:
        raise ValueError("it has too many cells")
    for cell in cells:
        text = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        new = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}[cell["cell_type"]]
        name = coursework.grade_id(cell)
        made.cells.append(new(clean(text), metadata={"nbgrader": {"grade_id": name}} if name else {}))
    return made


def merged(source: Any, submitted: Any) -> Any:
    """The source with the student's answers in it, and the cells that the student added after those they follow."""
    answers: dict[str, str] = {}
    earlier: dict[str, list[str]] = {}  # of a cell that was copied or split the last is the answer, as in nbgrader
    added: dict[str, list[str]] = {}
    names = {coursework.grade_id(cell) for cell in source.cells}
    last = ""
    for cell in submitted.cells:
        name = coursework.grade_id(cell)
        if name in names:
            before = [answers[name]] if name in answers else []
            if cell.cell_type == "code":
                earlier.setdefault(name, []).extend(before)
                before = []
            answers[name], last = "\n\n".join([*before, cell.source]), name
        elif cell.cell_type == "code" and name not in names:
            added.setdefault(last, []).append(cell.source)
    empty = coursework.student_version(source)
    made = nbformat.v4.new_notebook(metadata=source.metadata)
    for cell, blank in zip(source.cells, empty.cells, strict=True):
        name = coursework.grade_id(cell)
        kept = nbformat.from_dict(dict(cell))
        if coursework.is_answer(cell):
            kept.source = answers.get(name, blank.source)
            made.cells += [new_code_cell(text) for text in earlier.get(name, [])]
        if not made.cells:
            made.cells += [new_code_cell(text) for text in added.get("", [])]
        made.cells.append(kept)
        made.cells += [new_code_cell(text) for text in added.get(name, [])]
    return made


def marked(
    name: str, source: Any, path: Path | None, limits: Limits, isolation: Isolation, hidden: Iterable[Path] = ()
) -> tuple[list[Mark], Any]:
    """The marks of one notebook of one student, and the notebook as it was executed, None if it was not."""
    problem, submitted, ran = "" if path else "not handed in", nbformat.v4.new_notebook(), False
    if path is not None:
        try:
            submitted = read(path)
        except Exception as found:
            problem = f"the file cannot be read as a notebook ({type(found).__name__}): it is damaged or no notebook"
    notebook = merged(source, submitted)
    if not problem:
        ran = executed(notebook, coursework.defined(source), limits, isolation, hidden)
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


def agreed(isolation: Isolation, sure: bool) -> None:
    """Ask whoever grades, where a submission could do something that it should not."""
    if not isolation.missing or sure:
        return
    print(f"On this machine a submission is not stopped from it: {'; '.join(isolation.missing)}.")
    print("On Linux with name spaces all of it holds. Go on only if you trust whoever wrote these notebooks.")
    if not sys.stdin.isatty() or input("Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise SystemExit("Nothing was executed; --yes goes on without asking.")


def grade(
    folder: Path,
    output: Path,
    names: Iterable[str] = (),
    limits: Limits | None = None,
    workers: int = CORES,
    sure: bool = False,
) -> list[Student]:
    """Grade everything in `folder` and write the pages and the tables into `output`, each student's when it is done."""
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
    output.mkdir(parents=True, exist_ok=True)
    isolation = find_isolation([folder, output])
    print(f"Grading: {len(students)} students, {', '.join(wanted)}; {isolation}", flush=True)
    agreed(isolation, sure)
    writing = threading.Lock()

    def one(student: Student) -> None:
        try:
            graded(student)
        except Exception as wrong:  # the others are graded all the same
            print(f"  {student.name}: NOT GRADED, {type(wrong).__name__}: {wrong}", flush=True)

    def graded(student: Student) -> None:
        marks: list[Mark] = []
        for name in wanted:
            path = student.files.get(name)
            more, student.executed[name] = marked(
                name, known[name], path, limits or Limits(), isolation, [folder, output]
            )
            marks += more
        with writing:
            student.marks = marks  # all or none: others write the table meanwhile
            (output / f"{student.file}.html").write_text(feedback(student), encoding="utf-8")
            class_table([student for student in students if student.marks], output / "class.csv")
            print(f"  {student.name}: {number(student.earned)}, {number(student.waiting)} to be read", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, students))
    (output / "class.html").write_text(class_page(students, str(isolation)), encoding="utf-8")
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
    parser.add_argument("--yes", action="store_true", help="do not ask where submissions cannot be shut in")
    given = parser.parse_args()
    folder = given.submissions.resolve()
    output = given.output or folder.with_name(f"{folder.name}-graded")
    limits = Limits(given.cell, given.total, given.memory)
    students = grade(folder, output, given.names, limits, sure=given.yes)
    print(f"Written: {output / 'class.html'}, class.csv and a page for each student beside it")
    return 0 if all(student.marks for student in students) else 1


if __name__ == "__main__":
    sys.exit(main())
