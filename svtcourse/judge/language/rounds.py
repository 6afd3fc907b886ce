"""Lists that a program makes round by round: comprehensions, generator expressions, and what is counted in them.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.expressions import Expressions, Scope, kind_of, named, walk
from svtcourse.judge.language.kinds import Abstract, Frame, Function, Iter
from svtcourse.judge.language.library import BUILTINS, appended, call, whole
from svtcourse.judge.language.values import iterate, length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from svtcourse.judge.language.expressions import Do

__all__ = ["Rounds"]


class Rounds(Expressions):
    """Makes functions of a frame out of what goes through a list inside an expression."""

    def e_Call(self, node: Any, scope: Scope) -> Do:
        folded = self.folded(node, scope)
        return super().e_Call(node, scope) if folded is None else folded

    def rounds(self, inner: Scope, generators: list[Any], scope: Scope, give: Callable[[Frame], Any]) -> Any:
        """All that `give` gives, for each element that is not left out."""
        levels = []
        for one in generators:
            if any([kind_of(x) == "NamedExpr" for x in walk(one.iter)]):
                raise self.refuse(one.iter, "It names something inside a list that it makes")
            over = self.value(one.iter, scope if one is generators[0] else inner)
            store = self.store(one.target, inner)
            levels.append((over, store, [self.test(test, inner) for test in one.ifs]))

        def at(level: int, frame: Frame, items: Any) -> Iterator[Any]:
            _, store, tests = levels[level]
            run, last = frame.run, level == len(levels) - 1
            if run.always is not None and len(levels) > 1:
                raise run.stop("It goes through lists inside a list")
            for one in iterate(run, items):
                run.tick()
                store(frame, one)
                run.held += 1
                taken = all(test(frame) for test in tests)
                found = give(frame) if taken and last else None
                run.held -= 1
                if taken and last:
                    yield found
                elif taken:
                    yield from at(level + 1, frame, levels[level + 1][0](frame))

        return levels[0][0], lambda frame, items: at(0, frame, items)

    def comprehension(self, node: Any, scope: Scope, elt: Any) -> Any:
        """What is gone through first, and a function of a frame and that; the rounds have a scope of their own."""
        names: set[str] = set()
        for one in node.generators:
            named(one.target, names)
        inner = Scope(names, scope)
        inner.rounds = True
        return self.rounds(inner, node.generators, scope, self.value(elt, inner))

    def e_ListComp(self, node: Any, scope: Scope) -> Do:
        first, rounds = self.comprehension(node, scope, node.elt)

        parts = list(walk(node.elt)) + [node.generators[0].iter]
        called = [x.func.id for x in parts if kind_of(x) == "Call" and kind_of(x.func) == "Name"]
        called = [name for name in called if not self.is_own(name, scope) and not self.is_builtin(name, scope)]
        beside = {name: self.global_value(name) for name in called}
        of = [x.func.value for x in parts if kind_of(x) == "Call" and kind_of(x.func) == "Attribute"]
        foreign = [x for x in of if kind_of(x) == "Name" and not self.is_own(x.id, scope)]
        known = all([isinstance(value, Function) for value in beside.values()])
        known = known and len(self.from_outside(foreign, scope)) == len({x.id for x in foreign})

        def do(e: Frame) -> Any:
            run, items, frame = e.run, first(e), Frame(e.run, e, node)
            if isinstance(items, Abstract) and run.always is not None:
                return run.always.comprehension(node if known else None, items, frame, rounds, beside)
            made: list[Any] = []
            for one in rounds(frame, items):
                appended(run, made, one)
            return run.new_list(made)

        return do

    def e_GeneratorExp(self, node: Any, scope: Scope) -> Do:
        first, rounds = self.comprehension(node, scope, node.elt)

        def do(e: Frame) -> Any:
            run, items, frame = e.run, first(e), Frame(e.run, e, node)
            if isinstance(items, Abstract) and run.always is not None:
                return run.always.generator(node, items, frame, rounds)
            return Iter(whole(run, rounds(frame, items)))

        return do

    def folded(self, node: Any, scope: Scope) -> Do | None:
        """sum, len, any or all of a list made of what was said: of that, a run on a list of any length may keep it."""
        if (
            kind_of(node.func) != "Name"
            or node.func.id not in ("sum", "len", "any", "all")
            or not self.is_builtin(node.func.id, scope)
        ):
            return None
        if len(node.args) != 1 or node.keywords or kind_of(node.args[0]) not in ("ListComp", "GeneratorExp"):
            return None
        inner = node.args[0]
        one = inner.generators[0]
        if len(inner.generators) > 1 or kind_of(one.iter) != "Name" or kind_of(one.target) != "Name":
            return None
        names = [x.id for part in [inner.elt] + list(one.ifs) for x in walk(part) if kind_of(x) == "Name"]
        calls = [x for part in [inner.elt] + list(one.ifs) for x in walk(part) if kind_of(x) in ("Call", "NamedExpr")]
        if calls or set(names) - {one.target.id}:
            return None
        plain, function, name = self.value(inner, scope), BUILTINS[node.func.id], node.func.id
        items, (_, rounds) = self.value(one.iter, scope), self.comprehension(inner, scope, inner.elt)

        def do(e: Frame) -> Any:
            said = items(e)
            if e.run.always is not None and isinstance(said, Abstract):

                def fold(some: list[Any]) -> Any:
                    found = list(rounds(Frame(e.run, e, inner), some))
                    return len(found) if name == "len" else call(e.run, function, found)

                return e.run.always.folded(said, node, fold)
            made = plain(e)
            return length(e.run, made) if name == "len" else call(e.run, function, made)

        return do
