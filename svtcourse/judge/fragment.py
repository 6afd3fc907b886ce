"""The programs whose short runs show how the long ones go: what each name holds, so that none can tell how many.

A few queries say nothing of many, unless the program cannot tell how many there are or how far it has come.  Here it
cannot, by what is listed: each list with one element for each query is made element by element and gone through once;
where one is in it is used for nothing but taking the element of that turn, or saying so; what was said is read only by
what adds up turn by turn.  Everything else is a value, which `svtcourse.judge.uniform` compares from turn to turn.
What is not listed is refused, with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from svtcourse.judge.held import ARRAY, FIXED, MODULE, VALUE
from svtcourse.judge.kinds import Refused, Unbound
from svtcourse.judge.reading import Reader, turns
from svtcourse.judge.scope import Scope
from svtcourse.judge.source import arguments
from svtcourse.judge.syntax import parents_of, text_of
from svtcourse.judge.written import ROLES

__all__ = ["Fragment"]


class Fragment:
    """What the names of a program hold, or why that is not known for longer lists.

    Parameters
    ----------
    reader : Reader
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.scopes: dict[tuple[int, int], Scope] = {}
        self.loops: dict[tuple[int, int], Scope | None] = {(-1, 0): None}  # of an object that is asked there is none
        self.reading: list[Scope] = []
        self.reason: str | None = None
        self.asked_row: ast.AST | None = None  # the list of which it is asked where its positives are
        self.rounds: tuple[int, ast.For, ast.AST] | None = None  # a loop through the list inside one of few turns
        self.placed: list[tuple[Any, str]] = []  # lists into which it is put where one is: their scopes and names
        self.shared = False  # whether a function adds to what another one says
        place = len(reader.translations) - 1
        try:
            tree = reader.translations[place].tree
            if isinstance(tree, ast.ClassDef):
                self._of_class(place, tree)
            else:
                kinds = tuple(ARRAY if a.arg in ROLES["answers"] else VALUE for a in arguments(tree))
                self.scope(place, tree, kinds, None, True).read()
            for k, translation in enumerate(reader.translations):
                if isinstance(translation.tree, ast.ClassDef) and k != place:
                    self._of_class(k, translation.tree)
            for owner, name in self.placed:
                if any(fold != f"len({name})" for fold in owner.folds.get(name, ())):
                    raise Refused(f"it looks at where it was, in {name}")
            inside = [s for s in self.scopes.values() if s.outer is not None and (s.loop is not None or s.recursive)]
            for scope in inside:
                if self.shared or self.classes or any(isinstance(p, ast.Nonlocal) for p in self.all_of(scope.place)):
                    raise Refused("a function inside it changes what another one holds")
        except Refused as found:
            self.reason = str(found)
        except Unbound as found:
            self.reason = f"it reads {found} before it is set"

    def _of_class(self, place: int, tree: ast.ClassDef) -> None:
        for part in tree.body:
            if isinstance(part, ast.FunctionDef):
                self.scope(place, part, tuple(VALUE for _ in arguments(part)), None, False).read()
                continue
            value = getattr(part, "value", None)
            if not isinstance(getattr(value, "operand", value), ast.Constant) and not isinstance(part, ast.Pass):
                raise Refused(f"its class has {text_of(part)[:50]}")

    @property
    def says_at_once(self) -> bool:
        """Whether it gives its answers one by one, so that they are in no state."""
        trees = [t.tree for t in self.reader.translations]
        return isinstance(trees[-1], ast.ClassDef) or any(isinstance(p, ast.Yield) for t in trees for p in ast.walk(t))

    def scope(self, place: int, node: Any, kinds: tuple[str, ...], outer: Scope | None, walks: bool) -> Scope:
        """The scope of a function, which must be used in one way only."""
        key = place, id(node)
        known = self.scopes.get(key)
        if known is None or [known.kinds[a.arg] for a in arguments(node)] != list(kinds):
            if known is not None:
                raise Refused(f"it uses {getattr(node, 'name', 'a function')} in two ways")
            self.scopes[key] = Scope(self, place, node, kinds, outer, walks)
        return self.scopes[key]

    @property
    def classes(self) -> list[ast.ClassDef]:
        """The program's own classes."""
        return [t.tree for t in self.reader.translations if isinstance(t.tree, ast.ClassDef)]

    def has_method(self, name: str) -> bool:
        """Whether one of its classes has a function of this name."""
        return any(getattr(part, "name", "") == name for part in self.methods)

    @property
    def methods(self) -> list[ast.AST]:
        """The functions of its classes."""
        return [part for c in self.classes for part in c.body if isinstance(part, ast.FunctionDef)]

    def has_attribute(self, name: str) -> bool:
        """Whether a function of one of its classes sets an attribute of this name."""
        parts = [part for c in self.classes for part in ast.walk(c) if isinstance(part, ast.Attribute)]
        return any(part.attr == name and isinstance(part.ctx, ast.Store) for part in parts)

    def from_outside(self, place: int, name: str) -> str:
        """What a name from outside its function holds."""
        names = self.reader.translations[place].names
        if name not in names:
            return MODULE  # a builtin
        value = names[name]
        if isinstance(value, tuple):
            return FIXED
        return VALUE if value is None or isinstance(value, (bool, int, float, str)) else MODULE

    def function_of(self, place: int, name: str) -> tuple[int, Any, None] | None:
        """Another function of the program, by its name in this one."""
        value = self.reader.translations[place].names.get(name)
        for k, other in enumerate(self.reader.translations):
            if other.function is value and value is not None:
                return k, other.tree, None
        return None

    def is_none(self, place: int, name: str) -> bool:
        """Whether a name from outside holds nothing."""
        return self.reader.translations[place].names.get(name, 0) is None

    def meant(self, place: int, name: str) -> str:
        """The function of numpy or of the world that a name stands for."""
        value = self.reader.translations[place].names.get(name)
        real = value if isinstance(value, type) else getattr(value, "real", value)
        return str(getattr(real, "__name__", name)) if value is not None else name

    def most(self, place: int) -> str:
        """The name of the cut-off c of the whole program, where nothing sets it; "0" in its other functions."""
        tree = self.reader.translations[place].tree
        if place != len(self.reader.translations) - 1:
            return "0"
        names = [a.arg for a in arguments(tree)] if isinstance(tree, ast.FunctionDef) else []
        mine = [n for n in names if n in ROLES["c"]]
        stored = {p.id for p in ast.walk(tree) if isinstance(p, ast.Name) and not isinstance(p.ctx, ast.Load)}
        return mine[0] if mine and mine[0] not in stored else "0"

    def all_of(self, place: int) -> Iterator[ast.AST]:
        """All nodes of a translation."""
        return ast.walk(self.reader.translations[place].tree)

    def of_loop(self, loop: tuple[int, int]) -> Scope | None:
        """The scope in which a loop, or a function that calls itself, keeps its state."""
        if loop not in self.loops:
            place, index = loop
            tree = self.reader.translations[place].tree
            node: Any = turns(tree)[index]
            parents = parents_of(tree)
            while not isinstance(node, (ast.FunctionDef, ast.Lambda)):
                node = parents[node]
            self.loops[loop] = self.scopes.get((place, id(node)))
        return self.loops[loop]
