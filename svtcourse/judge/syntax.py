"""What expressions of a program are: lengths, positions in the list, places that were found by their answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

__all__ = [
    "HITS",
    "as_for",
    "called",
    "in_clip",
    "is_beginning",
    "is_hit",
    "is_text",
    "measures",
    "of_hits",
    "parents_of",
    "positions",
    "sums",
    "text_of",
]

HITS = {"flatnonzero", "nonzero", "where", "argmax", "index"}


def parents_of(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """What each node stands in."""
    return {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}


def text_of(node: ast.AST) -> str:
    """A node as source."""
    return ast.unparse(node)


def called(node: ast.AST) -> str:
    """The name of the function that a call calls."""
    function = getattr(node, "func", None)
    return getattr(function, "attr", getattr(function, "id", ""))


def measures(node: ast.AST) -> bool:
    """Whether an expression is a length, len(x), x.size, x.shape[0], or a place that is one where nothing is found."""
    if isinstance(node, ast.Call):
        return called(node) in ("len", "searchsorted")
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return isinstance(node, ast.Attribute) and node.attr in ("size", "shape")


def positions(tree: ast.AST) -> set[str]:
    """Names that hold a position or a length."""
    found: set[str] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Call):
                name, target = called(node.iter), node.target
                if name == "enumerate" and isinstance(target, ast.Tuple):
                    target = target.elts[0]
                if name in ("range", "enumerate") and isinstance(target, ast.Name):
                    found.add(target.id)
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                for one, value in _assigned(node.targets[0], node.value):
                    step = text_of(value) == f"{text_of(one)} + 1" and _counts_turns(tree, node)
                    ways = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                    far = any(sums(way, found) for way in ways) and all(sums(w, found) or is_hit(w, tree) for w in ways)
                    if isinstance(one, ast.Name) and (step or far):
                        found.add(one.id)
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and text_of(node.value) == "1":
                found |= {text_of(node.target)} if _counts_turns(tree, node) else set()
    return found


def _assigned(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _counts_turns(tree: ast.AST, node: ast.AST) -> bool:
    """Whether a step of 1 stands in a loop's own body, so that it is taken at every turn."""
    parents = parents_of(tree)
    return isinstance(parents[node], (ast.For, ast.While))


def sums(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression is a position or length, or one with a number added."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        sides = [node.left, node.right]
        return any(sums(s, names) for s in sides) and all(sums(s, names) or isinstance(s, ast.Constant) for s in sides)
    return measures(node)


def of_hits(node: ast.AST, tree: ast.AST) -> bool:
    """Whether a length is the number of places that were found by their answers."""
    if isinstance(node, ast.Call):
        return called(node) == "len" and bool(node.args) and is_hit(node.args[0], tree)
    return isinstance(node, ast.Attribute) and node.attr == "size" and is_hit(node.value, tree)


def is_hit(node: ast.AST, tree: ast.AST, through: tuple[str, ...] = ()) -> bool:
    """Whether an expression is a place that was found by its answer, or a list of such places.

    `through` has the names whose values are being looked at: one that is made of itself is no place.
    """
    while (
        isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant)
    ):
        node = node.left
    while isinstance(node, (ast.Subscript, ast.Call)) and called(node) not in HITS:
        node = node.value if isinstance(node, ast.Subscript) else node.args[0] if node.args else node.func
        if isinstance(node, ast.Attribute):
            break
    if isinstance(node, ast.Call):
        return True
    if not isinstance(node, ast.Name) or node.id in through:
        return False
    values = [
        v
        for a in ast.walk(tree)
        if isinstance(a, ast.Assign)
        for t, v in _assigned(a.targets[0], a.value)
        if text_of(t) == node.id
    ]
    return bool(values) and all(
        any(isinstance(p, ast.Call) and called(p) in HITS for p in ast.walk(v))
        or (not isinstance(v, ast.Name) and is_hit(v, tree, (*through, node.id)))
        for v in values
    )


def is_beginning(node: ast.AST) -> bool:
    """Whether an expression is the first so many of a list."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Slice)):
        return False
    end = node.slice.upper
    return node.slice.lower is node.slice.step is None and isinstance(end, ast.Constant) and end.value > 0  # type: ignore[operator]


def in_clip(part: ast.AST, node: ast.AST) -> bool:
    """Whether a number is a limit of np.clip."""
    calls = [c for c in ast.walk(node) if isinstance(c, ast.Call) and called(c) == "clip"]
    return any(part in ast.walk(limit) for c in calls for limit in c.args[1:])


def is_text(node: ast.BinOp) -> bool:
    """Whether one side is a text."""
    return any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right))


class _AsFor(ast.NodeTransformer):
    """A loop that takes the next answer from an iterator, or from the front of a list, as the loop that it is."""

    def __init__(self, tree: ast.AST) -> None:
        names = [part for part in ast.walk(tree) if isinstance(part, ast.Name)]
        self.names = [part.id for part in names]
        self.stored = {part.id for part in names if not isinstance(part.ctx, ast.Load)}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Functions with ``it = iter(...)`` or ``todo = list(...)`` that use it in one loop only."""
        lists: dict[str, str] = {}
        for part in node.body:
            found = re.fullmatch(r"(\w+) = (iter|list|deque)\((\w+)\)", text_of(part))
            uses = 2 if found and found[2] == "iter" else 3
            if found and self.names.count(found[1]) == uses and found[3] not in self.stored:
                lists[found[1]] = found[3]
        body = [self._looped(part, lists) for part in node.body]
        if body != node.body:
            node.body = [part for part in body if text_of(part).partition(" = ")[0] not in lists]
        return node

    def _looped(self, node: ast.stmt, lists: dict[str, str]) -> ast.stmt:
        if not isinstance(node, ast.While) or node.orelse:
            return node
        so, first = text_of(node.test), text_of(node.body[0])
        taken = re.fullmatch(r"try:\n    (\w+) = next\((\w+)\)\nexcept StopIteration:\n    break", first)
        rest = node.body[1:]
        if taken is None and rest:
            taken = re.fullmatch(
                r"(\w+) = next\((\w+), None\)\nif \1 is None:\n    break", f"{first}\n{text_of(rest[0])}"
            )
            rest = rest[1:] if taken else rest
        if taken is None:
            taken = re.fullmatch(r"(\w+) = (\w+)\.(?:pop\(0\)|popleft\(\))", first)
            if taken is None or not re.fullmatch(rf"{taken[2]}( and .*)?", so):
                return node
            so = so.removeprefix(taken[2]).removeprefix(" and ") or "True"
        if taken[2] not in lists:
            return node
        loop: Any = ast.parse(f"for {taken[1]} in {lists[taken[2]]}:\n    if not ({so}):\n        break").body[0]
        loop.body += rest
        return loop  # type: ignore[no-any-return]


def as_for(tree: ast.AST) -> Any:
    """A function whose loops that take one answer after the other are written as loops over their list."""
    return ast.fix_missing_locations(_AsFor(tree).visit(tree))
