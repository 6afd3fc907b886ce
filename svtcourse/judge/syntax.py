"""Small readings of a syntax tree, and loops that take one answer after the other written as what they are."""

from __future__ import annotations

import ast
import re
from typing import Any

__all__ = ["as_for", "called", "parents_of", "text_of"]


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


class _AsFor(ast.NodeTransformer):
    """A loop that takes the next answer from an iterator, or from the front of a list, as the loop that it is."""

    def __init__(self, tree: ast.AST) -> None:
        names = [part for part in ast.walk(tree) if isinstance(part, ast.Name)]
        self.names = [part.id for part in names]
        self.stored = {part.id for part in names if not isinstance(part.ctx, ast.Load)}
        self.stored |= {part.name for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)}

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
