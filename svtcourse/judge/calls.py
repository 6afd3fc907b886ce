"""What calls make, in the fragment whose short runs show how the long ones go."""

from __future__ import annotations

import ast
from typing import Any

from svtcourse.judge.held import (
    ARRAY,
    CHANGES,
    COUNT,
    DRAWS,
    EACH,
    FIXED,
    HITS,
    LENGTH,
    LIST,
    MADE,
    MODULE,
    OF_A_FEW,
    OF_ALL,
    OF_VALUES,
    OPTIONS,
    OUTPUT,
    PAIR_OF_HITS,
    PLACE,
    ROWS,
    RUNNING,
    SHOWS,
    SIZE,
    TAIL,
    TRUTHS,
    VALUE,
)
from svtcourse.judge.kinds import Expressions, Refused
from svtcourse.judge.reading import calls_itself
from svtcourse.judge.source import arguments
from svtcourse.judge.syntax import called, text_of

__all__ = ["Calls"]


class Calls(Expressions):
    """Expressions, with what known functions and those of the program make of what they are given."""

    def _kind_call(self, node: ast.Call) -> str:
        function, options = node.func, {str(o.arg): o.value for o in node.keywords}
        if set(options) - OPTIONS or any(isinstance(a, ast.Starred) for a in node.args):
            raise Refused(f"it calls {text_of(node)[:50]}")
        name, given = called(node), list(node.args)
        if isinstance(function, ast.Name):
            own = self.function_of(name)
            if own is not None:
                return self._called(own, node)
            kind, owner = self.kind_of_name(name)
            if owner is not None and kind == MODULE and not owner.is_draw(name):
                raise Refused(f"it has its own {name}")
            if kind == VALUE and self.whole.is_none(self.place, name):
                return VALUE  # it is never called
            if kind != MODULE:
                raise Refused(f"it calls {name}, which is {kind}")
        elif isinstance(function, ast.Attribute):
            kind = self.kind(function.value)
            if kind == VALUE and name not in DRAWS:
                if (name != "item" and not self.whole.has_method(name)) or self.local:
                    raise Refused(f"it calls {text_of(node)[:50]}")
                for argument in (*given, *options.values()):
                    self.need(argument, VALUE)
                return VALUE  # a method of an object of its own
            if kind not in (MODULE, VALUE):
                if name in CHANGES:
                    raise Refused(f"it changes {text_of(function.value)[:50]}, which is {kind}")
                given.insert(0, function.value)
        else:
            raise Refused(f"it calls {text_of(node)[:50]}")
        kinds = [self.kind(a) for a in given]
        extra = {o: self.kind(v) for o, v in options.items() if o != "dtype"}
        if isinstance(function, ast.Name):
            name = self.whole.meant(self.place, name)
        return self._of(name, kinds, extra, node)

    def _of(self, name: str, kinds: list[str], options: dict[str, str], node: ast.Call) -> str:
        """What a known function makes of these."""
        every = {*kinds, *options.values()}
        if name in DRAWS and every <= {VALUE, FIXED, LENGTH, *ROWS}:
            if LENGTH in kinds[: SIZE.get(name, 2)] or any(k == LENGTH and o != "size" for o, k in options.items()):
                raise Refused(f"it draws with a scale by the length of the list ({text_of(node)[:50]})")
            if every & {LENGTH, *ROWS}:
                return ARRAY
            several = (FIXED in every and name != "choice") or len(kinds) > SIZE.get(name, 2)
            if FIXED in (options.get("size"), *kinds[SIZE.get(name, 2) :]):
                raise Refused(f"it draws lists of lists ({text_of(node)[:50]})")
            return FIXED if several or "size" in options else VALUE
        first = kinds[0] if kinds else VALUE
        rest = set(kinds[1:]) | set(options.values())
        text = text_of(node.args[-1]) if node.args else ""
        if name == "len":
            found = {ARRAY: LENGTH, LIST: LENGTH, TAIL: LENGTH, HITS: COUNT, FIXED: VALUE}.get(first)
            if found:
                return found
        if first in ROWS and not rest:
            single = {
                **dict.fromkeys(("list", "tuple", "tolist", "sorted"), LIST),
                **dict.fromkeys(("sum", "count_nonzero"), COUNT),
                "any": VALUE,
                "cumsum": RUNNING,
                "flatnonzero": HITS,
                "argmax": PLACE,
                **dict.fromkeys(("where", "nonzero"), PAIR_OF_HITS),
            }.get(name)
            if single:
                if single != LIST:
                    self._only_row(node)
                return single
        if first in ROWS and rest == {VALUE} and text == "True" and name in ("index", "count"):
            self._only_row(node)
            return PLACE if name == "index" else COUNT
        if kinds == [OUTPUT] and not options and name in ("list", "tuple", "tolist"):
            return OUTPUT
        if name == "searchsorted" and kinds == [RUNNING, VALUE] and not options and text in ("1", self._most()):
            return PLACE
        if name in MADE and first == LENGTH and rest <= {VALUE}:
            return ARRAY
        if name in EACH and every & set(ROWS) and every <= {VALUE, *ROWS} and len(kinds) <= EACH[name]:
            return ARRAY
        if name == "int" and every == {PLACE}:
            return PLACE
        most = 2 if name in ("max", "min", "power", "round", *MADE) else EACH.get(name, 1)
        if every <= {VALUE} and name in (*MADE, *OF_VALUES) and len(kinds) <= most:
            return FIXED if name in MADE else VALUE
        if every <= {VALUE, FIXED} and len(kinds) == 1 and name in (*OF_A_FEW, *OF_ALL):
            return FIXED if name in OF_A_FEW else VALUE
        raise Refused(f"it calls {text_of(node)[:50]} of {' and '.join(sorted(every))}")

    def _only_row(self, node: ast.Call) -> None:
        """Only one list is asked where, or how often, something is: of several, few queries do not show it all."""
        own = isinstance(node.func, ast.Attribute) and self._is_row(node.func.value)
        asked: Any = node.func.value if own else node.args[0]  # type: ignore[attr-defined]
        if not self._truths(asked):
            raise Refused(f"it asks after the positives of what may be other than truths ({text_of(asked)[:50]})")
        last = self.whole.asked_row or asked
        same = isinstance(asked, ast.Name) and text_of(last) == asked.id and self.times_set(asked.id) <= 1
        if not same and not (last is asked and isinstance(asked, ast.Compare)):  # asked again it has other draws
            raise Refused(f"it asks after the positives of more than one list ({text_of(asked)[:50]})")
        self.whole.asked_row = asked

    def _truths(self, node: Any) -> bool:
        """Whether each element of a list is a truth that comes of a comparison."""
        if isinstance(node, ast.Name):
            made = [p.value for p in self.own if isinstance(p, ast.Assign) and text_of(p.targets[0]) == node.id]
            return len(made) == self.times_set(node.id) == 1 and self._truths(made[0])
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._truths(node.elt)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, (ast.Not, ast.Invert)) and self._truths(node.operand)
        if isinstance(node, ast.Call) and called(node) in (*TRUTHS, *SHOWS, "bool", "tolist"):
            if isinstance(node.func, ast.Name):
                self.builtin(node.func.id)
                if self.whole.meant(self.place, node.func.id) != node.func.id:
                    return False
            elif called(node) != "tolist" and self.kind(node.func.value) != MODULE:  # type: ignore[attr-defined]
                return False
            own = [node.func.value] if called(node) == "tolist" else []  # type: ignore[attr-defined]
            return called(node) in TRUTHS or all(map(self._truths, own or node.args))
        return isinstance(node, ast.Compare)

    def _is_row(self, node: Any) -> bool:
        try:
            return self.kind(node) in ROWS
        except Refused:
            return False

    def _called(self, own: tuple[int, Any, Expressions | None], node: ast.Call) -> str:
        """What a function of the program's own makes of values."""
        place, inner, outer = own
        if isinstance(inner, ast.ClassDef):
            for argument in (*node.args, *(o.value for o in node.keywords)):
                self.need(argument, VALUE)
            return VALUE
        for argument in (*node.args, *(o.value for o in node.keywords)):
            self.need(argument, VALUE, FIXED)
        if calls_itself(inner) or (self.local and self.whole.classes):
            raise Refused(f"{called(node)} calls itself, or may change an object on the way")
        kinds = tuple(VALUE for _ in arguments(inner))
        return str(self.whole.scope(place, inner, kinds, outer, False).read())
