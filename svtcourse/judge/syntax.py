"""What expressions of a program are: lengths, positions in the list, places that were found by their answers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["HITS", "called", "is_hit", "measures", "of_hits", "parents_of", "positions", "sums", "text_of"]

HITS = {"flatnonzero", "nonzero", "where", "argmax"}


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


def is_hit(node: ast.AST, tree: ast.AST) -> bool:
    """Whether an expression is a place that was found by its answer, or a list of such places."""
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
    if not isinstance(node, ast.Name):
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
        or (not isinstance(v, ast.Name) and is_hit(v, tree))
        for v in values
    )
