"""Small readings of a syntax tree, and loops that take one answer after the other written as what they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["NEXT", "adds_up", "as_for", "text_of"]

NEXT = re.compile(r"try:\n    (\w+) = next\((\w+)\)\nexcept StopIteration:\n    break")


def text_of(node: ast.AST) -> str:
    """A node as source."""
    return ast.unparse(node)


def _pairs(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """What is set to what, where several are set at once."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _set_in(statement: Any) -> Iterator[tuple[Any, Any]]:
    """What a statement sets, and to what."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        yield from _pairs(statement.targets[0], statement.value)
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        yield statement.target, ast.BinOp(statement.target, ast.Add(), statement.value)


def _is_step(target: Any, value: Any, name: str) -> bool:
    """Whether this is ``name = name + 1``."""
    return text_of(target) == name and text_of(value) == f"{name} + 1"


def _is_zero(node: Any) -> bool:
    """Whether this is the number 0."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0


def _changes_nothing(node: ast.AST) -> bool:
    """Whether it does not matter how often this is asked."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    return all(text_of(call.func) in ("len", "sum") for call in calls) and not any(
        isinstance(part, ast.NamedExpr) for part in ast.walk(node)
    )


def adds_up(node: ast.Call, said: str) -> bool:
    """Whether a call counts the elements of a list of which something is true that is said of each alone."""
    one = node.args[0].generators[0]  # type: ignore[attr-defined]
    free = {p.id for p in ast.walk(node.args[0]) if isinstance(p, ast.Name)} - {said, text_of(one.target)}
    plain = (ast.Name, ast.Constant, ast.Compare, ast.UnaryOp, ast.cmpop, ast.unaryop, ast.expr_context)
    parts = [p for part in (node.args[0].elt, *one.ifs) for p in ast.walk(part)]  # type: ignore[attr-defined]
    return (
        not free
        and not node.keywords
        and len(node.args[0].generators) == 1  # type: ignore[attr-defined]
        and isinstance(one.target, ast.Name)
        and one.target.id != said
        and all(isinstance(p, plain) for p in parts)
        and not any(isinstance(p, ast.Name) and p.id == said for p in parts)
    )


class _AsFor(ast.NodeTransformer):
    """A loop that takes the next answer from an iterator, or from the front of a list, as the loop that it is."""

    def __init__(self, tree: ast.AST) -> None:
        names = [part for part in ast.walk(tree) if isinstance(part, ast.Name)]
        self.names = [part.id for part in names]
        self.set = [part.id for part in names if not isinstance(part.ctx, ast.Load)]
        self.stored = set(self.set)
        self.stored |= {part.name for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Functions with ``it = iter(...)`` or ``todo = list(...)`` that use it in one loop only."""
        lists: dict[str, str] = {}
        for part in node.body:
            found = re.fullmatch(r"(\w+) = (iter|list)\((\w+)\)", text_of(part))
            uses = 2 if found and found[2] == "iter" else 3
            if found and self.names.count(found[1]) == uses and found[3] not in self.stored:
                lists[found[1]] = found[3]
        self.looped: set[str] = set()
        node.body = [self._counted(part, node) for part in node.body]
        body = [self._looped(part, lists) for part in node.body]
        node.body = [part for part in body if text_of(part).partition(" = ")[0] not in self.looped]
        return node

    def _counted(self, node: ast.stmt, function: ast.FunctionDef) -> ast.stmt:
        """``while i < len(answers) and test:`` with ``i += 1`` at its end, as ``for i in range(len(answers)):``."""
        if not isinstance(node, ast.While) or node.orelse or any(isinstance(p, ast.Continue) for p in ast.walk(node)):
            return node
        both = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
        asked = node.test.values if both else [node.test]  # type: ignore[attr-defined]
        counts = [found for part in asked if (found := re.fullmatch(r"(\w+) < len\((\w+)\)", text_of(part)))]
        if len(counts) != 1:
            return node
        name, through = counts[0][1], counts[0][2]
        steps = list(_set_in(node.body[-1]))
        if not all(map(_changes_nothing, asked)):
            return node
        others = [(t, v) for t, v in steps if not _is_step(t, v, name)]
        zeros = [p for p in function.body if any(text_of(t) == name and _is_zero(v) for t, v in _set_in(p))]
        inside = [p.id for p in ast.walk(node) if isinstance(p, ast.Name)].count(name)
        if len(others) != len(steps) - 1 or len(zeros) != 1 or self.names.count(name) != inside + 1:
            return node
        if function.body.index(zeros[0]) > function.body.index(node) or self.set.count(name) != 2:
            return node
        tests = [f"({text_of(part)})" for part in asked if text_of(part) != counts[0][0]]
        loop: Any = ast.parse(f"for {name} in range(len({through})):\n    pass").body[0]
        loop.body = list(ast.parse(f"if not ({' and '.join(tests)}):\n    break").body) if tests else []
        loop.body += node.body[:-1]
        if others:
            together = [ast.Tuple(list(side), ast.Store()) for side in zip(*others, strict=True)]
            loop.body.append(ast.parse(f"{text_of(together[0])} = {text_of(together[1])}").body[0])
        return loop  # type: ignore[no-any-return]

    def _looped(self, node: ast.stmt, lists: dict[str, str]) -> ast.stmt:
        if not isinstance(node, ast.While) or node.orelse:
            return node
        so, first = text_of(node.test), text_of(node.body[0])
        taken = NEXT.fullmatch(first)
        rest = node.body[1:]
        if taken is None and rest:
            taken = re.fullmatch(
                r"(\w+) = next\((\w+), None\)\nif \1 is None:\n    break", f"{first}\n{text_of(rest[0])}"
            )
            rest = rest[1:] if taken else rest
        if taken is None:
            taken = re.fullmatch(r"(\w+) = (\w+)\.pop\(0\)", first)
            both = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
            asked = node.test.values if both else [node.test]  # type: ignore[attr-defined]
            if taken is None or text_of(asked[0]) != taken[2]:
                return node
            so = " and ".join(f"({text_of(part)})" for part in asked[1:]) or "True"
        inside = [p.id for p in ast.walk(node) if isinstance(p, ast.Name)].count(taken[1])
        if taken[2] not in lists or re.search(rf"\b{taken[1]}\b", so) or self.names.count(taken[1]) > inside:
            return node
        if not _changes_nothing(ast.parse(so)):
            return node
        loop: Any = ast.parse(f"for {taken[1]} in {lists[taken[2]]}:\n    if not ({so}):\n        break").body[0]
        loop.body += rest
        self.looped.add(taken[2])
        return loop  # type: ignore[no-any-return]


def as_for(tree: ast.AST) -> Any:
    """A function whose loops that take one answer after the other are written as loops over their list."""
    loops = _AsFor(tree)
    if loops.stored & {"iter", "list", "next", "range", "len"}:
        return tree
    return ast.fix_missing_locations(loops.visit(tree))
