"""What the statements of a function do with the list, in the fragment whose short runs show how the long ones go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from svtcourse.judge.calls import Calls
from svtcourse.judge.held import (
    BOARD,
    FIXED,
    LENGTH,
    LIST,
    MADE,
    MODULE,
    OUTPUT,
    OWN,
    PLACE_NOW,
    QUEUE,
    ROWS,
    SAID,
    SHOWS,
    TAIL,
    VALUE,
)
from svtcourse.judge.kinds import Refused, Unbound
from svtcourse.judge.reading import calls_itself
from svtcourse.judge.source import arguments
from svtcourse.judge.syntax import called, is_empty, is_end, is_step, is_zero, pairs, set_in, text_of, without

__all__ = ["Scope"]

_NUMBERS = ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop
_FRESH = {*MADE, "zeros_like", "ones_like", "full_like", "copy"}


class Scope(Calls):
    """The statements of one function."""

    # the whole function

    def read(self) -> str:
        """Look at all of it, and say what it returns."""
        if self in self.whole.reading:
            raise Refused("its functions call each other in turn")
        if not self.settled:
            self.whole.reading.append(self)
            self._read()
            self.whole.reading.pop()
        kinds = self.returned or {VALUE}
        return VALUE if kinds <= {VALUE} else FIXED if kinds <= {VALUE, FIXED} else OUTPUT

    def _read(self) -> None:
        self._named()
        for _ in range(len(self.own) + 2):
            before = dict(self.kinds)
            for part in self.own:
                if isinstance(part, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For)):
                    self._take(part)
            if self.kinds == before:
                break
        self.settled = True
        defaults = [*self.node.args.defaults, *filter(None, self.node.args.kw_defaults)]
        if not all(isinstance(p, _NUMBERS) for d in defaults for p in ast.walk(d)):
            raise Refused("it has a default argument that is more than a number")
        self.block(self.body, 0)

    def _take(self, part: Any) -> None:
        try:
            if isinstance(part, ast.For):
                self._bind_loop(part)
            elif part.value is not None:
                for target in part.targets if isinstance(part, ast.Assign) else [part.target]:
                    for name, kind in self._assigned(target, part.value):
                        if name not in self.given or (kind in ROWS and self.kinds[name] in ROWS):
                            self.bind(name, kind)
        except Unbound:
            pass

    def _named(self) -> None:
        """The names that are known by all their uses: positions, what was said, places to be set."""
        self.counters: set[str] = set()
        stored = [p for p in self.own if isinstance(p, ast.Name) and not isinstance(p.ctx, ast.Load)]
        lists: dict[str, str] = {}
        for part in self.own:
            if isinstance(part, ast.Assign) and len(part.targets) == 1:
                for target, value in pairs(part.targets[0], part.value):
                    if isinstance(target, ast.Name) and is_empty(value):
                        lists[target.id] = SAID
                    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                        lists[target.value.id] = BOARD
        through = {p.iter.id for p in self.own if isinstance(p, ast.For) and isinstance(p.iter, ast.Name)}
        swapped = {
            t.id: v.id
            for part in self.own
            if isinstance(part, ast.Assign)
            for t, v in pairs(part.targets[0], part.value)
            if isinstance(t, ast.Name) and isinstance(v, ast.Name)
        }
        for name, kind in list(lists.items()):
            if kind == SAID and (name in through or any(v == name and t in through for t, v in swapped.items())):
                lists |= {name: QUEUE} | {t: QUEUE for t, v in swapped.items() if v == name and t in through}
        self.kinds |= lists
        self.given |= set(lists)
        for part in self.own:
            if isinstance(part, ast.While):
                counter = self._counter(part, stored)
                if counter is not None:
                    self.kinds[counter] = PLACE_NOW
                    self.given.add(counter)
                    self.counters.add(counter)

    def _counter(self, loop: ast.While, stored: list[ast.Name]) -> str | None:
        """The name that a loop counts its turns with, from 0 to the number of queries."""
        tests = (
            loop.test.values if isinstance(loop.test, ast.BoolOp) and isinstance(loop.test.op, ast.And) else [loop.test]
        )
        for test in tests:
            if (
                isinstance(test, ast.Compare)
                and isinstance(test.left, ast.Name)
                and len(test.ops) == 1
                and isinstance(test.ops[0], ast.Lt)
                and called(test.comparators[0]) == "len"
            ):
                name = test.left.id
                steps = [s for s in loop.body if any(is_step(t, v, name) for t, v in set_in(s))]
                mine = [p for p in stored if p.id == name]
                begun = [
                    p
                    for p in self.own
                    if isinstance(p, ast.Assign)
                    and any(
                        isinstance(t, ast.Name) and t.id == name and is_zero(v) for t, v in pairs(p.targets[0], p.value)
                    )
                ]
                turning = [p for p in ast.walk(loop) if isinstance(p, ast.Continue)]
                if len(steps) == 1 and len(begun) == 1 and len(mine) == 2 and not turning and begun[0] in self.body:
                    return name
        return None

    def _assigned(self, target: Any, value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(target, ast.Tuple) and not isinstance(value, ast.Tuple):
            self.need(value, VALUE, FIXED)
            yield from ((name, VALUE) for name in self.names_in(target))
            return
        for one, what in pairs(target, value):
            if isinstance(one, ast.Name) and self.kinds.get(one.id) not in (SAID, QUEUE, BOARD, PLACE_NOW):
                yield one.id, self.kind(what)

    # statements

    def block(self, statements: list[Any], depth: int) -> None:
        """Statements one after the other; depth is how many loops they stand in."""
        for k, statement in enumerate(statements):
            self.statement(statement, depth)
            if self.loop is statement or (self.loop is not None and self.loop in ast.walk(statement)):
                self._after(statements[k + 1 :])
                return

    def _after(self, rest: list[Any]) -> None:
        """After the list there is nothing to be decided any more: it ends, and what was said is returned."""
        for part in rest:
            if not isinstance(part, ast.Return):
                raise Refused(f"after the last query it goes on ({text_of(part)[:50]})")
            self.statement(part, 0)
            ends = self._shown(part.value)
            if any(isinstance(p, (ast.IfExp, ast.BoolOp)) for p in ast.walk(part)):
                raise Refused(f"after the last query it decides what it returns ({text_of(part)[:50]})")
            plain = ends is None or isinstance(ends, ast.Constant) or self._only_negatives(ends)
            if not plain and self.kind(ends) not in (SAID, BOARD, OUTPUT):
                raise Refused(f"after the last query it returns {text_of(part)[:50]}")

    def _only_negatives(self, node: Any) -> bool:
        """``[False] * len(answers)``."""
        return isinstance(node, ast.BinOp) and isinstance(node.left, ast.List) and self._padding(node) == LIST

    def statement(self, part: Any, depth: int) -> None:
        """One statement."""
        kind = type(part).__name__
        method = getattr(self, f"_{kind.lower()}", None)
        if method is None:
            raise Refused(f"it has a statement that is not read for longer lists ({text_of(part)[:50]})")
        method(part, depth)

    def _pass(self, part: Any, depth: int) -> None: ...

    _break = _continue = _nonlocal = _pass

    def _import(self, part: Any, depth: int) -> None:
        names = [part.name] if isinstance(part, ast.FunctionDef) else [a.asname or a.name for a in part.names]
        if part not in self.body or any(self.times_set(name) > 1 for name in names):
            raise Refused(f"it sets {', '.join(names)} more than once, or not always")

    _functiondef = _import

    def _raise(self, part: ast.Raise, depth: int) -> None:
        if any(isinstance(p, (ast.Name, ast.Attribute)) for a in getattr(part.exc, "args", []) for p in ast.walk(a)):
            raise Refused("it raises an error that says more than that")

    def _assert(self, part: ast.Assert, depth: int) -> None:
        self.truth(part.test)

    def _expr(self, part: ast.Expr, depth: int) -> None:
        node = part.value
        if isinstance(node, ast.Yield):
            self._says(node.value)
        elif isinstance(node, ast.YieldFrom):
            self._return(node, depth)
        elif isinstance(node, ast.Call) and called(node) == "append" and isinstance(node.func, ast.Attribute):
            self._appended(node)
        elif not isinstance(node, ast.Constant):
            self.need(node, VALUE, FIXED)

    def _appended(self, node: Any) -> None:
        kind = self.kind(node.func.value)
        if kind == QUEUE and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            loop = self.loop
            if (
                isinstance(loop, ast.For)
                and text_of(loop.target) == node.args[0].id
                and self.times_set(node.args[0].id) == 1
            ):
                return
        if kind != SAID or len(node.args) != 1 or node.keywords:
            raise Refused(f"it appends to {text_of(node.func.value)}, which is {kind}")
        self._says(node.args[0], node.func.value)

    def _says(self, node: Any, to: Any = None) -> None:
        """What is said at one turn: values, and where one is, after which only how long the list is may be asked."""
        for one in node.elts if isinstance(node, ast.Tuple) else [node]:
            where = one is not None and self._where(one)
            if where and isinstance(to, ast.Name):
                self.whole.placed.append((self.kind_of_name(to.id)[1], to.id))
            if one is not None and not (where or self.kind(one) == VALUE):
                raise Refused(f"it says {text_of(one)[:50]}, which is {self.kind(one)}")

    def _return(self, part: Any, depth: int) -> None:
        node = part.value
        if node is None or is_empty(node):
            return
        node = self._shown(node)
        if self.recursive and self._goes_on(node):
            return
        if self._handed_on(node):
            return
        if self._where(node):
            self.returned.add(OUTPUT)
            return
        for one in node.elts if isinstance(node, ast.Tuple) else [node]:
            kind = self.kind(one)
            if kind not in (VALUE, FIXED, SAID, BOARD, OUTPUT, *ROWS):
                raise Refused(f"it returns {text_of(one)[:50]}, which is {kind}")
            self.returned.add(kind)

    def _shown(self, node: Any) -> Any:
        """What is inside ``list(...)``, ``np.array(...)`` and their kin."""
        while isinstance(node, ast.Call) and called(node) in SHOWS and len(node.args) == 1:
            if not all(text_of(option) == "dtype=bool" for option in node.keywords):
                return node
            if isinstance(node.func, ast.Name):
                self.builtin(node.func.id)
            elif self.kind(node.func.value) != MODULE:  # type: ignore[attr-defined]
                return node
            node = node.args[0]
        return node

    def _handed_on(self, node: Any) -> bool:
        """Whether all that is returned is what another function of the program makes of the list."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            return False
        found = self.function_of(node.func.id)
        if found is None:
            return False
        kinds = [self.kind(a) for a in node.args]
        if not any(kind in ROWS for kind in kinds) or any(self.kind(o.value) != VALUE for o in node.keywords):
            return False
        if not self.walks or self.loop is not None:
            raise Refused("it goes through the list more than once")
        place, inner, outer = found
        kinds += [VALUE] * (len(arguments(inner)) - len(kinds))
        if calls_itself(inner):
            kinds = [TAIL if kind in ROWS else kind for kind in kinds]
        if any(kind not in (VALUE, FIXED, TAIL, *ROWS) for kind in kinds):
            raise Refused(f"it hands on more than the list and values ({text_of(node)[:50]})")
        self.whole.scope(place, inner, tuple(kinds), outer, True).read()
        self.returned.add(OUTPUT)
        return True

    def _goes_on(self, node: Any) -> bool:
        """Whether this is what is said of the first of a list, and then the same function of the rest."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.List):
            said, rest = node.left.elts, node.right
        elif isinstance(node, ast.List) and node.elts and isinstance(node.elts[-1], ast.Starred):
            said, rest = node.elts[:-1], node.elts[-1].value
        else:
            said, rest = [], node
        if not (isinstance(rest, ast.Call) and isinstance(rest.func, ast.Name) and rest.func.id == self.node.name):
            return False
        for one in said:
            self.need(one, VALUE)
        if len(rest.args) != len(arguments(self.node)):
            raise Refused(f"it goes on with {text_of(rest)[:50]}")
        for argument, parameter in zip(rest.args, arguments(self.node), strict=True):
            if self.kinds[parameter.arg] != TAIL:
                self.need(argument, VALUE)
            elif text_of(argument) != f"{parameter.arg}[1:]":
                raise Refused(f"it goes on with {text_of(argument)}")
        return not rest.keywords

    def _assign(self, part: ast.Assign, depth: int) -> None:
        if len(part.targets) > 1:
            self.need(part.value, VALUE)
        for target in part.targets:
            self._set(target, part.value, depth)

    def _annassign(self, part: ast.AnnAssign, depth: int) -> None:
        if part.value is not None:
            self._set(part.target, part.value, depth)

    def _set(self, target: Any, value: Any, depth: int) -> None:
        if isinstance(target, ast.Tuple) and not isinstance(value, ast.Tuple):
            self.need(value, VALUE, FIXED)
            if {self.kind_of_name(name)[0] for name in self.names_in(target)} != {VALUE}:
                raise Refused(f"it sets {text_of(target)}")
            return
        for one, what in pairs(target, value):
            if isinstance(one, ast.Attribute):
                self._of_itself(one)
                self.need(what, VALUE)
            elif isinstance(what, ast.GeneratorExp):
                raise Refused(f"it keeps {text_of(what)[:50]}, which ends")
            elif isinstance(one, ast.Subscript):
                if self.kind(one.value) != BOARD or not (isinstance(one.slice, ast.Name) and self._now(one.slice)):
                    raise Refused(f"it sets {text_of(one)}")
                self._says(what)
            else:
                self._set_name(self.name_in(one), what, depth)

    def _of_itself(self, node: ast.Attribute) -> None:
        """What is set belongs to the object whose method this is."""
        first = next(iter(arguments(self.node)), None)
        method = self.node in self.whole.methods and first is not None and self.times_set(first.arg) == 1
        if not method or first is None or text_of(node.value) != first.arg:
            raise Refused(f"it sets {text_of(node)}")

    def _set_name(self, name: str, what: Any, depth: int) -> None:
        kind, owner = self.kind_of_name(name)
        if kind != VALUE and (owner is not self or (kind in (MODULE, OWN) and self.times_set(name) > 1)):
            raise Refused(f"it sets {name}, which is {kind}")
        if kind == SAID:
            if not (is_empty(what) and depth == 0):
                self._says_more(name, what)
        elif kind == QUEUE:
            if not is_empty(what) and self.kind(what) not in (QUEUE, *ROWS):
                raise Refused(f"it sets {name} to {text_of(what)[:50]}")
        elif kind == BOARD:
            fresh = isinstance(what, (ast.BinOp, ast.ListComp)) or called(what) in _FRESH
            if depth or not fresh or self.kind(what) not in ROWS:
                raise Refused(f"it sets {name} to {text_of(what)[:50]}")
        elif kind == PLACE_NOW:
            if name not in self.counters:
                raise Refused(f"it sets {name}, which is {kind}")
        else:
            given = self.together(kind, self.kind(what), name)
            if given != kind or (depth and kind not in (VALUE, FIXED)):
                raise Refused(f"it sets {name}, {kind}, to {text_of(what)[:50]}")

    def _says_more(self, name: str, what: Any) -> None:
        """``said = said + [x]`` and ``said = [*said, x]``."""
        if isinstance(what, ast.BinOp) and isinstance(what.op, ast.Add) and text_of(what.left) == name:
            new = what.right
        elif isinstance(what, ast.List) and what.elts and text_of(what.elts[0]) == f"*{name}":
            new = ast.List(what.elts[1:], ast.Load())
        else:
            raise Refused(f"it sets {name} to {text_of(what)[:50]}")
        self._new(name, new)

    def _new(self, name: str, new: Any) -> None:
        letters = [new.body, new.orelse] if isinstance(new, ast.IfExp) else [new]
        if all(isinstance(x, ast.Constant) and isinstance(x.value, str) and len(x.value) == 1 for x in letters):
            self.truth(getattr(new, "test", None))
            return
        if not isinstance(new, (ast.List, ast.Tuple)):
            raise Refused(f"it puts {text_of(new)[:50]} into {name}")
        for one in new.elts:
            self._says(one, ast.Name(name))

    def _augassign(self, part: ast.AugAssign, depth: int) -> None:
        target = part.target
        if isinstance(target, ast.Attribute):
            self._of_itself(target)
            self.need(part.value, VALUE)
            return
        if not isinstance(target, ast.Name):
            raise Refused(f"it sets {text_of(target)}")
        kind, _ = self.kind_of_name(target.id)
        if kind == SAID and isinstance(part.op, ast.Add):
            self._new(target.id, part.value)
        elif kind == VALUE:
            self.need(part.value, VALUE)
        elif target.id not in self.counters:
            raise Refused(f"it changes {target.id}, which is {kind}")

    def _if(self, part: ast.If, depth: int) -> None:
        test = part.test
        if self.recursive and is_end(part.body):
            self.truth(without(test, self._nothing_left))
        elif is_end(part.body) and not part.orelse and self._between_turns(part):
            self.truth(without(test, self._far_enough))
        else:
            self.truth(test)
        self.block(part.body, depth)
        self.block(part.orelse, depth)

    def _between_turns(self, part: ast.If) -> bool:
        """Whether a statement stands where nothing of a turn is done yet, or all: what ends there is a shorter list."""
        if self.loop is None or any(isinstance(p, ast.Continue) for p in ast.walk(self.loop)):
            return False
        return part in (self.loop.body[0], self.loop.body[-1])

    def _nothing_left(self, node: Any) -> bool:
        """Whether a test asks whether the rest of the list is empty."""
        text = text_of(node)
        tails = [name for name, kind in self.kinds.items() if kind == TAIL]
        return any(text in (f"not {t}", f"not len({t})", f"len({t}) == 0") for t in tails)

    def _far_enough(self, node: Any) -> bool:
        """Whether a test compares where one is with a number: what ends there is as if the list were shorter."""
        if not (
            isinstance(node, ast.Compare) and len(node.ops) == 1 and self._where(node.left) and self._now(node.left)
        ):
            return False
        return isinstance(node.comparators[0], ast.Constant)

    def _while(self, part: ast.While, depth: int) -> None:
        tests = (
            part.test.values if isinstance(part.test, ast.BoolOp) and isinstance(part.test.op, ast.And) else [part.test]
        )
        counting = [t for t in tests if isinstance(t, ast.Compare) and self._where(t.left)]
        for test in tests:
            if test not in counting:
                self.truth(test)
        if counting:
            size = counting[0].comparators[0]
            if len(counting) > 1 or self.kind(size) != LENGTH or not isinstance(counting[0].left, ast.Name):
                raise Refused(f"it goes on while {text_of(part.test)[:50]}")
            self._goes_through(part, depth)
        if part.orelse:
            raise Refused("it has a loop with else")
        self.block_of_turn(part.body, depth + 1)

    def _goes_through(self, part: Any, depth: int) -> None:
        """One loop goes through the list, in the function's own body or in one of a fixed number of rounds."""
        outside = self.parents.get(part)
        rounds = (
            depth == 1
            and isinstance(outside, ast.For)
            and outside in self.body
            and outside.body[-1] is part
            and all(isinstance(s, ast.Assign) and self._swaps(s) for s in outside.body[:-1])
            and called(outside.iter) == "range"
            and self.times_set(text_of(outside.target)) == 1
        )
        if not self.walks or self.loop not in (None, part) or not (part in self.body or rounds):
            raise Refused("it goes through the list more than once, or not always")
        self.loop = part
        if rounds:
            self.whole.rounds = self.place, outside, part

    def _swaps(self, part: ast.Assign) -> bool:
        return all(
            isinstance(t, ast.Name) and self.kind_of_name(t.id)[0] == QUEUE
            for t, _ in pairs(part.targets[0], part.value)
        )

    def block_of_turn(self, statements: list[Any], depth: int) -> None:
        """The statements of a loop."""
        for statement in statements:
            self.statement(statement, depth)

    def _for(self, part: ast.For, depth: int) -> None:
        if part.orelse:
            raise Refused("it has a loop with else")
        if self._bind_loop(part):
            self._goes_through(part, depth)
        self.block_of_turn(part.body, depth + 1)

    def _bind_loop(self, part: Any) -> bool:
        """Bind what a loop sets; whether it goes through the list."""
        through, bound = self._turns(part.target, part.iter)
        for name, kind in bound:
            self.bind(name, kind)
            if kind == PLACE_NOW:
                self.given.add(name)
        return through
