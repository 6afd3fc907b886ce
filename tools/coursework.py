"""The assignable notebooks of chapters/exercises: what a student gets of them, and what an executed one is worth.

They are in the source format of nbgrader: what is between BEGIN SOLUTION and END SOLUTION, or between BEGIN HIDDEN
TESTS and END HIDDEN TESTS, is not handed out.  `student_version` writes what `nbgrader generate_assignment` writes,
and `earned` counts as `nbgrader autograde` does; tests hold both to nbgrader, where that is installed.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "chapters" / "exercises"
CODE_STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
TEXT_STUB = "YOUR ANSWER HERE"
STUDENT_MUST_NOT_SEE = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS")

Cell = Any
Notebook = Any


def sources() -> dict[str, Notebook]:
    """Every assignable notebook, by name, with its solutions and hidden tests."""
    return {path.stem: nbformat.read(path, 4) for path in sorted(FOLDER.glob("*.ipynb"))}


def meta(cell: Cell) -> dict[str, Any]:
    """Return what nbgrader wrote down about a cell; nothing for a cell that a student added."""
    found = cell.get("metadata", {})
    found = found.get("nbgrader", {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}


def grade_id(cell: Cell) -> str:
    """Name of a cell, empty for a cell that a student added."""
    return str(meta(cell).get("grade_id", ""))


def is_answer(cell: Cell) -> bool:
    """Whether a student writes into it."""
    return bool(meta(cell).get("solution"))


def is_graded(cell: Cell) -> bool:
    """Whether it has points: a test, or an answer that a person grades."""
    return bool(meta(cell).get("grade"))


def is_test(cell: Cell) -> bool:
    """Whether it is a test."""
    return is_graded(cell) and not is_answer(cell)


def is_given(cell: Cell) -> bool:
    """Whether it is a cell of the source that everybody runs: imports, and what a question is about."""
    return bool(grade_id(cell)) and not is_graded(cell) and not is_answer(cell)


def defined(notebook: Notebook) -> set[str]:
    """The names that the solutions define: what a test may ask of an answer."""
    found: set[str] = set()
    for cell in notebook.cells:
        if is_answer(cell) and cell.cell_type == "code":
            for node in ast.parse(cell.source).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    found.add(node.name)
                else:
                    found |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found


def points(cell: Cell) -> float:
    """What a graded cell is worth."""
    return float(meta(cell)["points"])


def questions(notebook: Notebook) -> Iterator[tuple[str, list[Cell]]]:
    """Each question: its title, and its cells."""
    title, cells = "", []
    for cell in notebook.cells:
        heading = re.search(r"^## (.+)$", cell.source, re.M) if cell.cell_type == "markdown" else None
        if heading and not is_answer(cell):
            if title:
                yield title, cells
            title, cells = heading[1], []
        cells.append(cell)
    if title:
        yield title, cells


# --- what a student gets ----------------------------------------------------------------------------------------------


def _without(source: str, mark: str, stub: str | None) -> tuple[str, bool]:
    kept: list[str] = []
    inside = found = False
    for line in source.split("\n"):
        if f"BEGIN {mark}" in line:
            if inside:
                raise ValueError(f"BEGIN {mark} must not stand inside another one, in {source!r}")
            inside = found = True
            indent = re.match(r"\s*", line)
            if stub is not None and indent is not None:
                kept += [indent[0] + part for part in stub.split("\n")]
        elif f"END {mark}" in line:
            inside = False
        elif not inside:
            kept.append(line)
    if inside:
        raise ValueError(f"BEGIN {mark} must have an END {mark}, in {source!r}")
    return "\n".join(kept), found


def checksum(cell: Cell) -> str:
    """Return nbgrader's checksum of a cell, by which it knows that an answer was not touched."""
    told = meta(cell)
    parts = [cell.source, cell.cell_type]
    parts += [str(bool(told.get(name))) for name in ("grade", "solution")]
    parts += [str(True if is_test(cell) else not is_answer(cell) and bool(told.get("locked"))), grade_id(cell)]
    if is_graded(cell):
        parts.append(str(points(cell)))
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()


def student_version(notebook: Notebook) -> Notebook:
    """Return the notebook without solutions, hidden tests and outputs, its tests and texts locked."""
    made = copy.deepcopy(notebook)
    for cell in made.cells:
        stub = CODE_STUB if cell.cell_type == "code" else TEXT_STUB
        cell.source, found = _without(cell.source, "SOLUTION", stub)
        if found and not is_answer(cell):
            raise ValueError(f"a solution must be in a solution cell, got one in {grade_id(cell)!r}")
        if is_answer(cell) and not found:
            cell.source = stub
        cell.source, found = _without(cell.source, "HIDDEN TESTS", None)
        if found and not is_test(cell):
            raise ValueError(f"hidden tests must be in a test cell, got some in {grade_id(cell)!r}")
        cell.metadata["deletable"] = False
        if not is_answer(cell):
            cell.metadata["editable"] = False
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        cell.metadata["nbgrader"]["checksum"] = checksum(cell)
        cell.metadata["nbgrader"]["cell_type"] = cell.cell_type
    return made


def inside(notebook: Notebook, mark: str) -> Iterator[str]:
    """Every line between BEGIN `mark` and END `mark`, without blanks around it."""
    within = False
    for line in (line for cell in notebook.cells for line in cell.source.split("\n")):
        if f"BEGIN {mark}" in line or f"END {mark}" in line:
            within = "BEGIN" in line
        elif within and line.strip():
            yield line.strip()


# --- what an executed notebook is worth -------------------------------------------------------------------------------


def error(cell: Cell) -> str:
    """Why a test failed, in one text; empty if it did not."""
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            kind, said = output.ename, output.evalue
            if kind == "AssertionError" and said:
                return str(said)
            if kind == "NotImplementedError":
                return "not answered yet"
            return f"{kind}: {said}" if said else str(kind)
    return ""


def earned(cell: Cell) -> float | None:
    """Points of a graded cell after execution; None for an answer that a person has to grade.

    As nbgrader counts: an error is 0, a number as the cell's result is that many points, anything else is all of them;
    an answer in words that was left as it was handed out is 0.
    """
    most = points(cell)
    if is_answer(cell):
        return 0.0 if cell.source.strip() == TEXT_STUB or not cell.source.strip() else None
    if error(cell):
        return 0.0
    for output in cell.get("outputs", []):
        if output.output_type == "execute_result":
            try:
                return min(most, max(0.0, float(output.data["text/plain"])))
            except (KeyError, ValueError):
                return most
    return most
