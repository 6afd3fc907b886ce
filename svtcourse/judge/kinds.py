"""What the expressions of a function hold, in the fragment whose short runs show how the long ones go."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from svtcourse.judge.canonical import adds_up
from svtcourse.judge.held import (
    ARRAY,
    BOARD,
    COUNT,
    DRAWS,
    FIXED,
    HITS,
    JOINED,
    LENGTH,
    LIST,
    MODULE,
    OUTPUT,
    OWN,
    PAIR_OF_HITS,
    PLACE,
    PLACE_NOW,
    QUEUE,
    ROWS,
    RUNNING,
    SAID,
    TAIL,
    VALUE,
)
from svtcourse.judge.source import arguments
from svtcourse.judge.syntax import called, text_of, within


class Refused(Exception):
    """Something of which it is not known what it does in longer runs."""


class Unbound(Exception):
    """A name that has no kind yet."""


class Expressions:
    """What the names of one function hold.

    `whole` is the `Fragment`, `place` the translation that the function is in; `walks`: it may go through the list.
    """

    def __init__(
        self, whole: Any, place: int, node: Any, parameters: Sequence[str], outer: Expressions | None, walks: bool
    ) -> None:
        self.whole, self.place, self.node, self.outer, self.walks = whole, place, node, outer, walks
        self.body: list[Any] = node.body if isinstance(node, ast.FunctionDef) else [ast.Return(node.body)]
        self.own = [part for statement in self.body for part in within(statement)]
        self.parents = {child: parent for parent in self.own for child in ast.iter_child_nodes(parent)}
        self.kinds: dict[str, str] = dict(zip([a.arg for a in arguments(node)], parameters, strict=True))
        self.functions = {part.name: part for part in self.own if isinstance(part, ast.FunctionDef)}
        self.kinds |= dict.fromkeys(self.functions, OWN)
        self.given = set(self.kinds)
        self.folds: dict[str, set[str]] = {}
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        self.asked = {part.id for part in names if isinstance(part.ctx, ast.Load)}  # and not only set
        self.loop: Any = None  # the loop through the list
        self.settled = False  # whether it is known what its names hold
        self.recursive = TAIL in parameters
        self.returned: set[str] = set()
        self.local: list[dict[str, str]] = []

    # names

    def kind_of_name(self, name: str) -> tuple[str, Expressions | None]:
        """What a name holds, and whose it is."""
        for known in reversed(self.local):
            if name in known:
                return known[name], self
        if name in self.kinds:
            return self.kinds[name], self
        if self.stores(name):
            raise Unbound(name)
        if self.outer is not None:
            kind, owner = self.outer.kind_of_name(name)
            self.whole.shared |= kind in (SAID, QUEUE, BOARD)
            return kind, owner
        return self.whole.from_outside(self.place, name), None

    def held(self, name: str) -> tuple[str, Expressions | None]:
        """What a name of the state holds, and whose it is."""
        try:
            return self.kind_of_name(name)
        except (Refused, Unbound):
            return VALUE, None

    def builtin(self, *names: str) -> None:
        """Names that are Python's own here."""
        for name in names:
            if self.kind_of_name(name) != (MODULE, None) or self.function_of(name) is not None:
                raise Refused(f"it has its own {name}")

    def is_draw(self, name: str) -> bool:
        """Whether this is a name for the function of a generator that is called so: ``laplace = rng.laplace``."""
        made = [p.value for p in self.own if isinstance(p, ast.Assign) and text_of(p.targets[0]) == name]
        once = len(made) == self.times_set(name) == 1 and name in DRAWS
        return once and isinstance(made[0], ast.Attribute) and made[0].attr == name

    def times_set(self, name: str) -> int:
        """How often a name is given something in this function."""
        stored = [p for p in self.own if isinstance(p, ast.Name) and p.id == name and not isinstance(p.ctx, ast.Load)]
        functions = [p for p in self.own if isinstance(p, ast.FunctionDef) and p.name == name]
        imports = [a for p in self.own if isinstance(p, ast.Import) for a in p.names if name in (a.asname, a.name)]
        return len(stored) + len(functions) + len(imports) + any(a.arg == name for a in arguments(self.node))

    def stores(self, name: str) -> bool:
        """Whether it sets a name of its own."""
        outside = {n for part in self.own if isinstance(part, ast.Nonlocal) for n in part.names}
        return name not in outside and any(
            isinstance(p, ast.Name) and p.id == name and not isinstance(p.ctx, ast.Load) for p in self.own
        )

    def bind(self, name: str, kind: str) -> None:
        """Let a name hold something."""
        for part in self.own:
            if isinstance(part, ast.Nonlocal) and name in part.names and self.outer is not None:
                self.outer.bind(name, kind)
                return
        before = self.kinds.get(name, kind)
        self.kinds[name] = self.together(before, kind, name)

    def _most(self) -> str:
        return str(self.whole.most(self.place)) if self.outer is None else "0"

    def together(self, one: str, other: str, text: str) -> str:
        """What is one or the other."""
        if one == other:
            return one
        pair = frozenset((one, other))
        if pair not in JOINED:
            raise Refused(f"{text} is {one} or {other}")
        return JOINED[pair]

    def _where(self, node: Any) -> bool:
        """Whether this is where one is, or the number after it."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and text_of(node.right) == "1":
            node = node.left
        return isinstance(node, ast.Name) and self.kind_of_name(node.id)[0] == PLACE_NOW

    def _now(self, node: Any) -> bool:
        """Whether where one is is asked in the loop that counts it."""
        name = node.left if isinstance(node, ast.BinOp) else node
        if not (isinstance(name, ast.Name) and self.kind_of_name(name.id)[0] == PLACE_NOW):
            return False
        return not self.settled or (self.loop is not None and any(part is name for part in ast.walk(self.loop)))

    def _turns(self, target: Any, node: Any) -> tuple[bool, list[tuple[str, str]]]:
        name = called(node) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if name in ("enumerate", "zip", "range", "list", "tuple"):
            self.builtin(name)
        if name == "range":
            kinds = [self.kind(a) for a in node.args]
            one = self.name_in(target)
            if kinds == [LENGTH]:
                return True, [(one, PLACE_NOW)]
            if all(kind == VALUE for kind in kinds):
                return False, [(one, VALUE)]
            raise Refused(f"it goes through {text_of(node)[:50]}")
        if name == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2 and not node.keywords:
            if any(not isinstance(a, ast.Constant) for a in node.args[1:]):
                raise Refused(f"it goes through {text_of(node)[:50]}")
            through, bound = self._turns(target.elts[1], node.args[0])
            where = self.name_in(target.elts[0])
            return through, [(where, PLACE_NOW if through else VALUE), *bound]
        if name == "zip" and isinstance(target, ast.Tuple) and len(target.elts) == len(node.args) and not node.keywords:
            found = [self._turns(t, a) for t, a in zip(target.elts, node.args, strict=True)]
            if len({through for through, _ in found}) > 1 or any(isinstance(a, ast.Subscript) for a in node.args):
                raise Refused(f"it goes through lists of different lengths ({text_of(node)[:50]})")
            return found[0][0], [pair for _, bound in found for pair in bound]
        if name in ("list", "tuple") and len(node.args) == 1:
            return self._turns(target, node.args[0])
        first = re.fullmatch(r"\w+\[:[1-9]\d*\]", text_of(node))
        kind = self.kind(node.value if first else node)
        if kind not in (FIXED, QUEUE, *ROWS):
            raise Refused(f"it goes through {text_of(node)[:50]}, which is {kind}")
        return kind != FIXED, [(one, VALUE) for one in self.names_in(target)]

    def names_in(self, target: Any) -> list[str]:
        """The names that are set, where nothing else is."""
        return [self.name_in(part) for part in (target.elts if isinstance(target, ast.Tuple) else [target])]

    def name_in(self, target: Any) -> str:
        """The name that is set, where nothing else is."""
        if not isinstance(target, ast.Name):
            raise Refused(f"it sets {text_of(target)}")
        return target.id

    # expressions

    def need(self, node: Any, *kinds: str) -> str:
        """What an expression is, which must be one of these."""
        found = self.kind(node)
        if found not in kinds:
            raise Refused(f"{text_of(node)[:50]} is {found}")
        return found

    def truth(self, node: Any) -> None:
        """What is asked whether it is so."""
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                self.truth(part)
        elif node is not None and not (isinstance(node, ast.Constant) or self.kind(node) in (VALUE, COUNT, MODULE)):
            raise Refused(f"it asks whether {text_of(node)[:50]}, which is {self.kind(node)}")

    def kind(self, node: Any) -> str:
        """What an expression is."""
        if self._folded(node):
            return VALUE
        method = getattr(self, f"_kind_{type(node).__name__.lower()}", None)
        if method is None:
            raise Refused(f"it has {text_of(node)[:50]}, which is not read for longer lists")
        return str(method(node))

    def _folded(self, node: Any) -> bool:
        """Whether this is read off what was said so far by what adds up turn by turn; then it belongs to the state."""
        if not isinstance(node, (ast.Call, ast.Compare, ast.Subscript, ast.BinOp)):
            return False
        names = [p.id for p in ast.walk(node) if isinstance(p, ast.Name)]
        said = [n for n in names if self.held(n)[0] == SAID]
        if len(set(said)) != 1 or not adds_up(node, said[0]):
            return False
        owner = self.kind_of_name(said[0])[1]
        assert owner is not None
        self.builtin(*(n for n in ("sum", "len", "any", "all") if n in names))
        owner.folds.setdefault(said[0], set()).add(text_of(node))
        return True

    def _kind_constant(self, _: ast.Constant) -> str:
        return VALUE

    def _kind_name(self, node: ast.Name) -> str:
        return self.kind_of_name(node.id)[0]

    def _kind_attribute(self, node: ast.Attribute) -> str:
        kind = self.kind(node.value)
        if kind in ROWS and node.attr in ("size", "shape"):
            return LENGTH
        if kind == HITS and node.attr == "size":
            return COUNT
        if kind == MODULE:
            return VALUE if node.attr in ("inf", "pi", "e") else MODULE
        if kind == VALUE and (node.attr in DRAWS or self.whole.has_attribute(node.attr)):
            return MODULE if node.attr in DRAWS else VALUE
        raise Refused(f"it asks for {text_of(node)[:50]}")

    def _kind_namedexpr(self, node: ast.NamedExpr) -> str:
        if self.local or self.kinds.get(node.target.id) != VALUE:
            raise Refused(f"it sets {node.target.id} on the way")
        return self.need(node.value, VALUE)

    def _kind_unaryop(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            self.truth(node.operand)
            return VALUE
        return self.need(node.operand, VALUE, ARRAY)

    def _kind_boolop(self, node: ast.BoolOp) -> str:
        for part in node.values:
            self.need(part, VALUE)
        return VALUE

    def _kind_ifexp(self, node: ast.IfExp) -> str:
        self.truth(node.test)
        one, other = self.kind(node.body), self.kind(node.orelse)
        return self.together(one, other, text_of(node)[:50])

    def _kind_binop(self, node: ast.BinOp) -> str:
        padding = self._padding(node)
        if padding:
            return padding
        one, other = self.kind(node.left), self.kind(node.right)
        for kinds in ({VALUE}, {VALUE, FIXED}, {VALUE, ARRAY}):
            if {one, other} <= kinds:
                return FIXED if FIXED in kinds else ARRAY if ARRAY in kinds else VALUE
        steps = isinstance(node.op, (ast.Add, ast.Sub)) and text_of(node.right) in ("0", "1")
        if one == PLACE and steps:
            return PLACE
        raise Refused(f"{text_of(node)[:50]} is made of {one} and {other}")

    def _padding(self, node: ast.BinOp) -> str | None:
        """``[False] * (len(answers) - len(said))``, ``[False] * place + [True]``, and either after what was said."""
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List) and len(node.left.elts) == 1:
            if not isinstance(node.left.elts[0], ast.Constant):
                return None
            right = node.right
            if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Sub):
                lists = [p.args[0] for p in (right.left, right.right) if isinstance(p, ast.Call) and called(p) == "len"]
                kinds = [self.kind(p) for p in lists]
                return OUTPUT if len(kinds) == 2 and kinds[0] in ROWS and kinds[1] == SAID else None
            kind = self.kind(right)
            return LIST if kind == LENGTH else OUTPUT if kind in (PLACE, PLACE_NOW) else None
        if isinstance(node.op, ast.Add):
            known = isinstance(node.right, ast.List) and all(isinstance(p, ast.Constant) for p in node.right.elts)
            left = self.kind(node.left) if not isinstance(node.left, ast.List) else ""
            right_kind = "" if isinstance(node.right, ast.List) else self.kind(node.right)
            if left == OUTPUT and known:
                return OUTPUT
            if left in (SAID, OUTPUT) and right_kind == OUTPUT:
                return OUTPUT
        return None

    def _kind_compare(self, node: ast.Compare) -> str:
        kinds = [self.kind(part) for part in (node.left, *node.comparators)]
        alone = len(kinds) == 2 and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        if set(kinds) <= {VALUE, MODULE} or alone:  # nothing in a program turns to None
            return VALUE
        if len(kinds) == 2 and not isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            if set(kinds) <= {VALUE, ARRAY}:
                return ARRAY
            few = text_of(node.comparators[0]) in ("0", "1", self._most())
            if kinds[0] in (COUNT, RUNNING) and kinds[1] == VALUE and few:
                return VALUE if kinds[0] == COUNT else ARRAY
            if kinds[0] == LENGTH and text_of(node.comparators[0]) == "0":
                return VALUE
        raise Refused(f"it asks whether {text_of(node)[:50]}, of {' and '.join(kinds)}")

    def _kind_subscript(self, node: ast.Subscript) -> str:
        kind, part = self.kind(node.value), node.slice
        if kind in ROWS and isinstance(part, ast.Name) and self._now(part):
            return VALUE
        if isinstance(part, ast.Slice) and part.lower is part.step is None and part.upper is not None:
            far = kind == BOARD and self._where(part.upper)
            if far or (kind in ROWS and self.kind(part.upper) == PLACE):
                return OUTPUT
        if kind == TAIL and text_of(part) == "0":
            return VALUE
        if kind in (LENGTH, PAIR_OF_HITS) and text_of(part) == "0":
            return LENGTH if kind == LENGTH else HITS
        if kind == HITS and text_of(part) in ("0", f"{self._most()} - 1"):
            return PLACE
        if kind == FIXED and not isinstance(part, ast.Slice):
            self.need(part, VALUE)
            return VALUE
        raise Refused(f"it takes {text_of(node)[:50]}")

    def _kind_list(self, node: Any) -> str:
        for part in node.elts:
            self.need(part, VALUE)
        return FIXED

    def _kind_tuple(self, node: ast.Tuple) -> str:
        if len(node.elts) == 1 and self.kind(node.elts[0]) == LENGTH:
            return LENGTH
        return self._kind_list(node)

    def _kind_lambda(self, node: ast.Lambda) -> str:
        return OWN

    def _kind_listcomp(self, node: Any) -> str:
        one = node.generators[0]
        if len(node.generators) > 1 or one.ifs:
            raise Refused(f"it picks some of a list ({text_of(node)[:50]})")
        through, bound = self._turns(one.target, one.iter)
        if through and (
            self.loop is not None or any(isinstance(p, ast.Nonlocal) for p in self.whole.all_of(self.place))
        ):
            raise Refused("it goes through the list more than once, or changes its state on the way")
        self.local.append(dict(bound))
        try:
            self.need(node.elt, VALUE)
        finally:
            self.local.pop()
        return LIST if through else FIXED

    _kind_generatorexp = _kind_listcomp

    def function_of(self, name: str) -> tuple[int, Any, Expressions | None] | None:
        """The program's own function of this name: where it stands, its tree, and the scope that it stands in."""
        scope: Expressions | None = self
        while scope is not None:
            if name in scope.functions or scope.stores(name) or name in scope.kinds:
                set_here = [p for p in scope.own if isinstance(p, ast.Assign) and text_of(p.targets[0]) == name]
                values: list[Any] = [p.value for p in set_here]
                if name in scope.functions:
                    values = [scope.functions[name]]
                if not any(isinstance(value, (ast.Lambda, ast.FunctionDef)) for value in values):
                    return None
                if scope.times_set(name) > 1:
                    raise Refused(f"it has several functions {name}")
                return self.place, values[0], scope
            scope = scope.outer
        found: tuple[int, Any, None] | None = self.whole.function_of(self.place, name)
        return found
