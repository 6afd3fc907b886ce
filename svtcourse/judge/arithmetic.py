"""Where numpy does otherwise than Python with truths, lists and whole numbers: looked at while a program runs."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from svtcourse.judge.symbols import Form

if TYPE_CHECKING:
    from svtcourse.judge.world import Reading

__all__ = ["Arithmetic", "asking"]

_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_ORDER = ast.Lt, ast.LtE, ast.Gt, ast.GtE
_MOST = 2**31  # of whole numbers that are calculated with
_OF_TWO = {kind.__name__: function for kind, function in _ARITHMETIC.items()}


class _Asking(ast.NodeTransformer):
    """Asks what ~ is applied to, and what is added or multiplied: with truths numpy does otherwise than Python."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) not in _ARITHMETIC:
            return node
        arguments = [ast.Constant(type(node.op).__name__), node.left, node.right]
        return ast.Call(ast.Name("__of_two__", ast.Load()), arguments, [])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        if len(sides) == 2 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            both = ast.Starred(ast.Call(ast.Name("__same__", ast.Load()), sides, []), ast.Load())
            compared: Any = ast.parse(f"(lambda x, y: x {'==' if isinstance(node.ops[0], ast.Eq) else '!='} y)()").body[
                0
            ]
            compared.value.args = [both]
            return compared.value  # type: ignore[no-any-return]
        for k, op in enumerate(node.ops):
            asked = "__itself__" if isinstance(op, (ast.Is, ast.IsNot)) else "__alone__"
            for j in [] if isinstance(op, _ORDER) else [k, k + 1]:
                if j > k and isinstance(op, (ast.In, ast.NotIn)):
                    asked = "__among__"
                sides[j] = ast.Call(ast.Name(asked, ast.Load()), [sides[j]], [])
        node.left, node.comparators = sides[0], sides[1:]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        place = node.targets[0]
        if isinstance(place, ast.Subscript) and isinstance(place.slice, ast.Name):
            node.value = ast.Call(ast.Name("__put__", ast.Load()), [node.value, place.value], [])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        before = ast.parse(ast.unparse(node.target), mode="eval").body
        asked = [before, node.value, ast.Constant(type(node.op).__name__)]
        node.value = ast.Call(ast.Name("__onto__", ast.Load()), asked, [])
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Invert):
            return node
        return ast.Call(ast.Name("__invert__", ast.Load()), [node.operand], [])


def asking(tree: Any) -> Any:
    """A tree that asks so."""
    return _Asking().visit(tree)


class Arithmetic:
    """What such a tree calls in the run of a reader."""

    def __init__(self, reader: Reading) -> None:
        self.reader = reader

    def inverted(self, x: Any) -> Any:
        """What ~ makes of a row of truths; of one truth it makes a number, if that is Python's and not numpy's."""
        if isinstance(x, np.bool_):
            raise self.reader.fork.stop(
                "It turns a truth around with ~, of which Python makes a number where numpy does not"
            )
        return ~x

    def beside(self, x: Any, y: Any) -> Any:
        """The second of two numbers that are added or multiplied, which are not two truths, if one is numpy's."""
        truths = isinstance(x, (bool, np.bool_)) and isinstance(y, (bool, np.bool_))
        if truths and not (isinstance(x, bool) and isinstance(y, bool)):
            raise self.reader.fork.stop(
                "It calculates with two truths, of which Python makes a number and numpy a truth"
            )
        return bool(y) if isinstance(y, np.bool_) and isinstance(x, (int, float)) else y

    def of_two(self, name: str, x: Any, y: Any) -> Any:
        """Two numbers added, or multiplied, and so on: as whole ones they stay where numpy's do not run over."""
        if isinstance(x, np.bool_) and isinstance(y, (int, float)) and not isinstance(y, bool):
            x = bool(x)
        if name not in ("Add", "Sub", "Mult") and any(isinstance(z, (bool, np.bool_)) for z in (x, y)):
            raise self.reader.fork.stop("It divides by a truth, or a truth, or takes its power")
        y = self.beside(x, y)
        found = _OF_TWO[name](x, y)
        if isinstance(found, (int, np.integer)) and abs(int(found)) > _MOST:
            raise self.reader.fork.stop("It calculates with whole numbers so large that numpy's run over")
        return int(found) if isinstance(found, np.integer) else found

    def onto(self, x: Any, y: Any, name: str) -> Any:
        """What is put onto something."""
        whole = int, np.integer, np.bool_
        if name in _OF_TWO and isinstance(x, whole) and isinstance(y, whole):
            self.of_two(name, x, y)
        return self.beside(x, y) if name in _OF_TWO else y

    def alone(self, x: Any) -> Any:
        """What is asked whether it equals another: no list, which numpy's numbers are compared with one by one."""
        if isinstance(x, (list, tuple)):
            raise self.reader.fork.stop("It asks whether a list equals another, or is in one")
        return x

    def same(self, *both: Any) -> tuple[Any, ...]:
        """Two things of which it is asked whether they are equal: two lists without lists in them, or none."""
        if not all(isinstance(x, (list, tuple)) for x in both):
            return tuple(map(self.alone, both))
        return tuple(map(self.among, both))

    def among(self, items: Any) -> Any:
        """What is asked whether something is in it: no lists."""
        for x in items if isinstance(items, (list, tuple)) else ():
            self.alone(x)
        return items

    def put(self, value: Any, into: Any) -> Any:
        """What is put into a place: into an array of unknowns, which are floats, no truth, and numbers as floats."""
        if not isinstance(into, np.ndarray) or into.dtype != object or isinstance(value, Form):
            return value
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
            raise self.reader.fork.stop("It puts something else than numbers into an array of numbers")
        return float(value)

    def itself(self, x: Any) -> Any:
        """What is asked whether it is one certain object: not a truth of which it is not known whose it is."""
        if isinstance(x, np.bool_):
            raise self.reader.fork.stop("It asks whether a truth is a certain object (is)")
        return x

    def names(self) -> dict[str, Any]:
        """By the names that the tree has for them."""
        return {
            "__invert__": self.inverted,
            "__onto__": self.onto,
            "__of_two__": self.of_two,
            "__itself__": self.itself,
            "__alone__": self.alone,
            "__among__": self.among,
            "__same__": self.same,
            "__put__": self.put,
        }
