"""What holds the ledger and the chapters together: each function returns a list of problems, empty if all is well."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import io
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

from svtcourse.claims import ClaimError, LedgerRow
from svtcourse.judge.source import remembered

# Roots of calls that say nothing about what was computed: np.bool_(True) is still a literal.
_TOOLS = {"np", "numpy", "math", "pd", *dir(builtins)}
_COPIED = (list, dict, set, bytearray, np.ndarray, np.random.Generator)


@dataclass(frozen=True)
class Chapter:
    """A notebook as the checks read it."""

    number: int
    name: str
    cells: tuple[str, ...]  # source of the code cells that readers see
    text: str  # source of all markdown cells

    @classmethod
    def read(cls, path: Path) -> Chapter:
        notebook = nbformat.read(path, as_version=4)
        code = [
            cell.source
            for cell in notebook.cells
            if cell.cell_type == "code" and "remove-cell" not in cell.metadata.get("tags", [])
        ]
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        return cls(int(path.name.split("_")[0]), path.name, tuple(code), text)


def chapters_in(directory: Path) -> list[Chapter]:
    return [Chapter.read(path) for path in sorted(directory.glob("[0-9]*.ipynb"))]


def claim_calls(source: str) -> Iterator[tuple[str | None, ast.Call]]:
    """Every call of `claim` in the source with its id, None if that is not a literal string."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) == "claim":
            first = node.args[0] if node.args else None
            literal = isinstance(first, ast.Constant) and isinstance(first.value, str)
            yield (first.value if literal else None), node


def binding_problems(rows: Mapping[str, LedgerRow], chapters: Iterable[Chapter]) -> list[str]:
    """The ledger and the chapters name the same claims, each in one chapter, once, and with a target in its text."""
    problems = []
    places: dict[str, list[Chapter]] = {}
    for chapter in chapters:
        for cell in chapter.cells:
            for id, call in claim_calls(cell):
                if id is None:
                    problems.append(f"{chapter.name}: the id in {ast.unparse(call)[:60]} is not a literal")
                elif id not in rows:
                    problems.append(f"{chapter.name}: {id} is not in the ledger")
                else:
                    places.setdefault(id, []).append(chapter)
    for id, row in rows.items():
        found = places.get(id, [])
        if [chapter.number for chapter in found] != [row.chapter]:
            names = ", ".join(chapter.name for chapter in found) or "no chapter"
            problems.append(f"{id}: the ledger has it in chapter {row.chapter}, svt.claim is called in {names}")
        elif f"(claim-{id})=" not in found[0].text.splitlines():
            problems.append(f"{id}: {found[0].name} has no line (claim-{id})=")
    return problems


def literal_problems(chapter: Chapter) -> list[str]:
    """`holds` and `corrected` depend on something that is neither a literal nor made of literals only."""
    constants = _constants(chapter.cells)
    problems = []
    for cell in chapter.cells:
        for id, call in claim_calls(cell):
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            if "holds" not in given:
                problems.append(f"{chapter.name}: {id} has no holds=")
            for argument in ("holds", "corrected"):
                if argument in given and not _is_computed(given[argument], constants):
                    shown = ast.get_source_segment(cell, given[argument])
                    problems.append(f"{chapter.name}: {id} has {argument}={shown}, which nothing computed")
    return problems


def damage_problems(chapter: Chapter, damages: Mapping[str, Mapping[str, str]], directory: Path) -> list[str]:
    """Every claim of the chapter raises ClaimError once its damaged input is put in.

    The cells run in order, once. Before the cell of a claim runs, the last cell up to it that holds the text to damage
    is run in its damaged form, and what follows it up to the claim, in a copy of the names as they were.
    """
    import matplotlib

    matplotlib.use("Agg")
    problems: list[str] = []
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *_args, **_options: None}
    snapshots: list[dict[str, Any]] = []
    with contextlib.chdir(directory):
        for index, cell in enumerate(chapter.cells):
            snapshots.append(_copy(names))
            for id, _ in claim_calls(cell):
                if id is not None:
                    problem = _survives(id, damages.get(id, {}), chapter.cells[: index + 1], snapshots)
                    if problem:
                        problems.append(f"{chapter.name}: {id}: {problem}")
            try:
                _execute(cell, names)
            except Exception as error:
                problems.append(f"{chapter.name}: cell {index + 1} raises {type(error).__name__}: {error}")
                break
    return problems


def _survives(
    id: str, damage: Mapping[str, str], cells: tuple[str, ...], snapshots: list[dict[str, Any]]
) -> str | None:
    if not all(damage.get(key, "").strip() for key in ("what", "find")) or "replace" not in damage:
        return "it has no damaged input (what, find, replace)"
    place = max((index for index, cell in enumerate(cells) if damage["find"] in cell), default=None)
    if place is None or cells[place].count(damage["find"]) > 1:
        return f"the text {damage['find']!r} must occur once in its cell or in one before it"
    damaged = list(cells)
    damaged[place] = damaged[place].replace(damage["find"], damage["replace"])
    if _calls(cells[-1], id) != _calls(damaged[-1], id):
        return "the damage must change what the claim is computed from, not the call of claim"
    names = _copy(snapshots[place])
    try:
        for cell in damaged[place:]:
            _execute(cell, names, only=id)
    except ClaimError:
        return None
    except Exception as error:
        return f"with {damage['what']}, {type(error).__name__} instead of ClaimError: {error}"
    return f"it still stands with {damage['what']}"


def _calls(source: str, id: str) -> list[str]:
    return [ast.unparse(call) for name, call in claim_calls(source) if name == id]


class _Silence(ast.NodeTransformer):
    """Replaces every claim but one by None."""

    def __init__(self, source: str, only: str) -> None:
        self.others = {(call.lineno, call.col_offset) for id, call in claim_calls(source) if id != only}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if (node.lineno, node.col_offset) in self.others and node.keywords:
            return ast.copy_location(ast.Constant(None), node)
        return self.generic_visit(node)


def _execute(source: str, names: dict[str, Any], only: str | None = None) -> None:
    tree = ast.parse(source)
    if only is not None:
        tree = ast.fix_missing_locations(_Silence(source, only).visit(tree))
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, remembered(source), "exec"), names)


def _copy(names: dict[str, Any]) -> dict[str, Any]:
    # Functions see the copy's names, and a damaged run must not advance a generator or change an array of the real one.
    result = dict(names)
    for key, value in names.items():
        if isinstance(value, types.FunctionType) and value.__globals__ is names:
            twin = types.FunctionType(value.__code__, result, value.__name__, value.__defaults__, value.__closure__)
            twin.__kwdefaults__ = value.__kwdefaults__
            result[key] = twin
        elif isinstance(value, _COPIED):
            result[key] = copy.deepcopy(value)
    return result


def _constants(cells: Iterable[str]) -> set[str]:
    """Names that are only ever assigned literals, or expressions of such names."""
    assigned: dict[str, list[ast.expr]] = {}
    bound: set[str] = set()  # by a loop, a definition, an import, ...
    for cell in cells:
        tree = ast.parse(cell)
        simple: set[ast.AST] = set()
        for node in ast.walk(tree):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if _is_annotated(node) else []
            for target in targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        simple.add(name)
                        assigned.setdefault(name.id, []).append(value)
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                bound.add(node.name)
            elif isinstance(node, ast.alias):
                bound.add((node.asname or node.name).split(".")[0])
        bound |= {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in simple
        }
    constants = set(assigned) - bound
    while wrong := {name for name in constants if any(_is_computed(value, constants) for value in assigned[name])}:
        constants -= wrong
    return constants


def _is_annotated(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is not None


def _is_computed(expression: ast.expr, constants: set[str]) -> bool:
    loops = {
        name.id
        for node in ast.walk(expression)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    used = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return bool(used - loops - constants - _TOOLS)
