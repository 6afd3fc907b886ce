"""Whether what a program does for a few queries is what it does for every number of them.

The tree of a program is exact for the number of queries that it was grown for.  It says something about longer lists
if the program cannot tell how far it has come: the states in which its loops begin a turn repeat, and lengths,
positions and counts of negatives are used for nothing but going through the list, or for what is said after a run.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from svtcourse.judge.reading import Reader, calls_itself, expressions, turns
from svtcourse.judge.symbols import Form
from svtcourse.judge.syntax import (
    HITS,
    called,
    in_clip,
    is_beginning,
    is_hit,
    is_text,
    measures,
    of_hits,
    parents_of,
    positions,
    sums,
    text_of,
)

__all__ = ["States", "unsteady"]

_NEGATIVE = (False, None, "⊥", "F", 0, "")
_SIZED = {"range", "enumerate", "len", "zeros", "ones", "full", "empty"}
_DRAWS = {"laplace", "exponential", "gumbel", "normal", "uniform", "random", "standard_normal", "standard_exponential"}
_ONE_PLACE = {
    "roll",
    "tile",
    "repeat",
    "resize",
    "diff",
    "argsort",
    "flip",
    "reversed",
    "insert",
    "pop",
    "map",
    "filter",
    "next",
    "iter",
    "concatenate",
    "stack",
    "outer",
}
_WALKED = {"zip", "enumerate", "range", "len", "list", "tuple", "tolist", "sorted", "sort", "clip", "cumsum"}


_UNREAD = itertools.count()


class States:
    """The states in which the loops of a program began a turn, over all runs with one number of queries."""

    def __init__(self, reader: Reader, n: int) -> None:
        self.reader, self.n = reader, n
        self.keys: set[Any] = set()
        self.varying: dict[Any, list[dict[str, Any]]] = {}  # of the run without positives, by loop

    def add(self) -> None:
        """Take in the turns of the last run."""
        for loop, state, _ in self.reader.heads:
            self.keys.add((loop, self._key(loop, state)))

    def negatives(self, run: Callable[[], Any]) -> None:
        """Take in the turns of a run in which every answer is negative."""
        run()
        for loop, state, _ in self.reader.heads:
            self.varying.setdefault(loop, []).append(state)

    def _key(self, loop: Any, state: dict[str, Any]) -> Any:
        use = _uses(self.reader, loop)
        names: dict[Any, int] = {}
        return tuple(
            (name, _canonical(value, names, self.n, use.get(name, "any")))
            for name, value in sorted(state.items())
            if use.get(name) not in ("position", "written") and not callable(value)
        )


def _canonical(value: Any, names: dict[Any, int], n: int, use: str) -> Any:
    """A value of the state, with the unknowns renamed in the order in which they are met."""
    if isinstance(value, Form):
        return _terms(value, names)
    if isinstance(value, (bool, np.bool_, str, int, float, type(None), np.integer, np.floating)) and use != "said":
        return value
    if isinstance(value, np.ndarray) and value.dtype == bool and value.shape == (n,):
        return "a row of truths"
    if isinstance(value, np.ndarray) and value.dtype.kind == "i" and use == "places":
        return "places"
    if isinstance(value, (list, tuple, str, np.ndarray)):
        items = list(value)
        bare = bool(items) and all(isinstance(x, Form) and len(x.terms) == 1 and not x.noisy for x in items)
        if use == "said" and not bare:
            plain = ["number" if isinstance(x, Form) else x for x in items]
            low = [any(x is y or (type(x) is type(y) and x == y) for y in _NEGATIVE) or x == 0 for x in plain]
            return "said", low.count(False), any(low), plain[-1] if plain and not low[-1] else None
        if items and all(isinstance(x, Form) for x in items):
            rows = {_row(x, items) for x in items}
            if len(rows) == 1:
                return "row", rows.pop()
        return tuple(_canonical(x, names, n, "any") for x in items)
    if hasattr(value, "laplace"):
        return "generator"
    if hasattr(value, "__dict__"):
        return tuple((k, _canonical(v, names, n, "any")) for k, v in sorted(vars(value).items()))
    return "unread", next(_UNREAD)  # never the same again


def _terms(form: Form, names: dict[Any, int]) -> Any:
    found: list[Any] = []
    for variable, factor in sorted(form.terms.items(), key=repr):
        if variable[0] == "|":
            inner = Form(dict(variable[1][0]), variable[1][1], form.fork)
            found.append(("|", _terms(inner, names), factor))
        elif variable[0] == "T":
            found.append(("T", factor))
        else:
            law = form.fork.laws[variable[1]] if variable[0] == "z" else "answer"
            found.append((law, names.setdefault(variable, len(names)), factor))
    return tuple(found), form.constant


def _row(form: Form, row: list[Form]) -> Any:
    """One element of a row as seen from itself: its own unknowns, and those that it shares with others."""
    found = []
    for variable, factor in sorted(form.terms.items(), key=repr):
        owners = sum(variable in other.terms for other in row) if len(row) > 1 else 1
        law = form.fork.laws[variable[1]] if variable[0] == "z" else variable[0]
        found.append((law, factor) if owners == 1 and variable[0] != "T" else (law, variable, factor))
    return tuple(sorted(found, key=repr)), form.constant


# What the source does with names ------------------------------------------------------------------------------------


def _uses(reader: Reader, loop: Any) -> dict[str, str]:
    """How the names of a loop's function are used: as a position, as a list of what was said, only written, or any."""
    place, index = loop
    memory: dict[Any, dict[str, str]] = reader.__dict__.setdefault("_uses", {})
    if loop in memory:
        return memory[loop]
    if place < 0:
        memory[loop] = {}
        return {}
    translation = reader.translations[place]
    tree, parents = translation.tree, parents_of(translation.tree)
    node = turns(tree)[index]
    found: dict[str, str] = {}
    names = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}
    for name in names:
        all_uses = [part for part in ast.walk(tree) if isinstance(part, ast.Name) and part.id == name]
        inside = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]
        if inside and all(_writes(part, parents) for part in inside):
            found[name] = "written"
        elif (isinstance(node, ast.FunctionDef) and name == node.name) or (
            name in positions(tree) and not list(_violations_of(tree, name))
        ):
            found[name] = "position"
        elif all(_says(part, parents) for part in all_uses):
            found[name] = "said"
        elif is_hit(all_uses[0], tree):
            found[name] = "places"
    memory[loop] = found
    return found


def _writes(name: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    parent = parents[name]
    if isinstance(parent, ast.Attribute) and parent.attr == "append":
        return isinstance(parents.get(parents[parent]), ast.Expr)
    return isinstance(parent, ast.AugAssign) and parent.target is name


def _says(name: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a use of a list asks only for its last item, its positives, or all of it at the end."""
    parent = parents[name]
    if _writes(name, parents) or isinstance(parent, (ast.Return, ast.Yield, ast.Assign, ast.AugAssign)):
        return True
    if isinstance(parent, ast.Tuple):
        return isinstance(parents[parent], ast.Assign)
    if isinstance(parent, ast.Attribute):
        return parent.attr in ("count", "append")
    if isinstance(parent, ast.Subscript) and parent.value is name:
        return text_of(parent.slice) == "-1"
    if isinstance(parent, ast.Call):
        return called(parent) in ("sum", "any", "len", "list", "tuple")
    if isinstance(parent, ast.Compare):
        return all(isinstance(op, (ast.In, ast.NotIn)) for op in parent.ops)
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, ast.Add) and isinstance(parents[parent], (ast.Return, ast.Assign))
    if isinstance(parent, ast.comprehension):
        return parent.iter is name and called(parents[parents[parent]]) in ("sum", "any", "all", "len")
    return False


def _violations_of(tree: ast.AST, name: str | None) -> Iterator[ast.AST]:
    """Uses of positions and lengths (or of one of them) by which a program could tell how far it has come."""
    parents, names = parents_of(tree), positions(tree)
    for node in ast.walk(tree):
        atom = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
        if name is not None and not (atom and node.id == name):  # type: ignore[attr-defined]
            continue
        if not atom and (not measures(node) or of_hits(node, tree)):
            continue
        whole = node
        while (
            isinstance(parents[whole], ast.BinOp) and isinstance(parents[whole].op, (ast.Add, ast.Sub))  # type: ignore[attr-defined]
        ) or (isinstance(parents[whole], ast.Attribute) and parents[whole].attr in ("size", "shape")):  # type: ignore[attr-defined]
            whole = parents[whole]
        if isinstance(parents[whole], ast.Subscript) and measures(parents[whole]):
            whole = parents[whole]
        if not _passes(whole, parents, names):
            yield whole


def _passes(whole: ast.AST, parents: dict[ast.AST, ast.AST], names: set[str]) -> bool:
    parent = parents[whole]
    if measures(parent) and not isinstance(parent, ast.Call):
        return True  # the attribute inside x.shape[0] is looked at as a whole
    if isinstance(parent, ast.Subscript) and parent.slice is whole:
        return isinstance(whole, ast.Name)
    if isinstance(parent, ast.Slice):
        return sums(whole, names)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult):
        return isinstance(parent.left, ast.List) or isinstance(parent.right, ast.List) or is_text(parent)
    if isinstance(parent, ast.Compare):
        sides = [parent.left, *parent.comparators]
        others = [side for side in sides if side is not whole]
        empty = all(isinstance(o, ast.Constant) and o.value == 0 for o in others) and measures(whole)
        return empty or all(sums(side, names) for side in others) or _only_ends(parent, parents)
    if isinstance(parent, (ast.UnaryOp, ast.BoolOp, ast.If, ast.IfExp, ast.While)):
        return measures(whole)  # is there anything at all
    if isinstance(parent, ast.keyword):
        return parent.arg in ("size", "shape")
    if isinstance(parent, ast.Call):
        name = called(parent)
        size = 0 if name == "random" else 1 if "exp" in name else 2  # its place among the arguments of a draw
        return name in _SIZED or (name in _DRAWS and whole in parent.args[size:])
    if isinstance(parent, (ast.Tuple, ast.List)):
        return True
    return isinstance(parent, (ast.Return, ast.Yield, ast.Assign, ast.AugAssign, ast.Expr, ast.FormattedValue))


def _only_ends(test: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a test, alone or as one of several, does no more than end the run: as if the list were shorter."""
    while isinstance(parents[test], ast.BoolOp) and isinstance(parents[test].op, ast.Or):  # type: ignore[attr-defined]
        test = parents[test]
    step = parents[test]
    loop = parents.get(step)
    if not (
        isinstance(step, ast.If) and step.test is test and not step.orelse and isinstance(loop, (ast.For, ast.While))
    ):
        return False
    function = parents[loop]
    if loop.orelse or not isinstance(function, ast.FunctionDef) or loop not in function.body:
        return False
    after = [text_of(part) for part in function.body[function.body.index(loop) + 1 :]]
    said = len(after) == 1 and re.fullmatch(r"return \w+", after[0])
    return bool(said) and [text_of(part) for part in step.body] in (["break"], after)


def _depends(what: str) -> str:
    return f"what it does may depend on the number of queries, or on how many it has seen ({what})"


Watched = dict[tuple[int, int], list[Any]]


def unsteady(reader: Reader, shorter: States, longer: States, watched: tuple[Watched, Watched]) -> str | None:
    """Why what was seen for a few queries may change for more, None if it cannot.

    Parameters
    ----------
    reader : Reader
    shorter, longer : States
        Of all runs with one query less and one more.
    watched : pair of dict
        The values of all expressions in the runs of both lengths in which every answer is negative.
    """
    counted = _counts(reader, *watched)
    if counted is not None:
        return _depends(counted)
    for translation in reader.translations:
        tree = translation.tree
        parents = parents_of(tree)
        names = positions(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) in _ONE_PLACE:
                return f"it uses {called(node)}"
            if isinstance(node, ast.Subscript) and not (
                measures(node) or _steady_place(node, tree, names) or _gone_through_first(node, parents)
            ):
                return f"it looks at a fixed place of a list ({text_of(node)})"
            through = node.iter if isinstance(node, (ast.For, ast.comprehension)) else node
            if (through is not node or (isinstance(node, ast.Call) and called(node) == "zip")) and not _walks(through):
                return f"it goes through {text_of(through)}, which may not be one for each query"
            if isinstance(node, (ast.NamedExpr, ast.Nonlocal)) and any(
                isinstance(p, ast.comprehension) for p in parents.values()
            ):
                return "it changes its state inside a comprehension"
        for part in _violations_of(tree, None):
            if not _still(reader, translation, part, longer):
                return _depends(text_of(parents[part])[:60])
    new = longer.keys - shorter.keys
    if new:
        loop, key = sorted(new, key=repr)[0]
        earlier = [known for place, known in shorter.keys if place == loop]
        before = {name: {repr(v) for known in earlier for m, v in known if m == name} for name, _ in key}
        which = [name for name, value in key if repr(value) not in before.get(name, ())]
        return f"its state goes on changing with the number of queries{' (' + ', '.join(which) + ')' if which else ''}"
    return None


def _still(reader: Reader, translation: Any, part: ast.AST, states: States) -> bool:
    """Whether a count, as of what was said so far, stays as it is while nothing but negatives are said."""
    for node in ast.walk(part):
        if isinstance(node, (ast.Name, ast.Attribute)) and measures(node):
            return False
        if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Add, ast.Sub)):
            return False
    place = reader.translations.index(translation)
    code = compile(text_of(part), "<count>", "eval")
    seen = set()
    for (where, _), begun in states.varying.items():
        if where != place:
            continue
        for state in begun[1:]:
            try:
                seen.add(eval(code, dict(translation.names), dict(state)))
            except Exception:
                return False
    lengths = [n for n in ast.walk(part) if isinstance(n, ast.Call) and called(n) == "len"]
    lists = {
        text_of(a.generators[0].iter) if isinstance(a, (ast.ListComp, ast.GeneratorExp)) else text_of(a)
        for a in (n.args[0] for n in lengths)
    }
    uses = {
        name
        for loop in states.varying
        if loop[0] == place
        for name, use in _uses(reader, loop).items()
        if use == "said"
    }
    return len(seen) == 1 and lists <= uses


def _gone_through_first(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a loop goes through the first so many of a list, as if it were no longer."""
    if not is_beginning(node):
        return False
    while isinstance(parents[node], ast.Call) and called(parents[node]) in ("enumerate", "list", "tuple"):
        node = parents[node]
    return isinstance(parents[node], ast.For) and parents[node].iter is node  # type: ignore[attr-defined]


def _walks(node: ast.AST) -> bool:
    """Whether what a loop goes through is made of whole lists only, or of their beginnings."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)) and len(node.generators) == 1 and not node.generators[0].ifs:
        return _walks(node.generators[0].iter)  # one for each
    if isinstance(node, ast.Call) and called(node) == "range" and all(isinstance(a, ast.Constant) for a in node.args):
        return True  # so many rounds, however long the list
    drawn = {
        p for call in ast.walk(node) if isinstance(call, ast.Call) and called(call) in _DRAWS for p in ast.walk(call)
    }
    first = [part for part in ast.walk(node) if is_beginning(part)]
    drawn |= {p for part in first for p in ast.walk(part)}
    for part in ast.walk(node):
        if part in drawn:
            continue
        if isinstance(part, ast.Call) and called(part) not in _WALKED:
            return False
        if isinstance(part, ast.Constant) and part.value not in (0, 1) and not in_clip(part, node):
            return False
        if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.BitAnd, ast.BitOr)):
            continue  # of rows of truths, place by place
        if isinstance(part, (ast.BinOp, ast.Subscript, ast.ListComp, ast.GeneratorExp)) and not measures(part):
            return False
    return True


def _steady_place(node: ast.Subscript, tree: ast.AST, names: set[str]) -> bool:
    """Whether an index is the current position, the last item, or one of the hits."""
    numbers = [
        p for p in ast.walk(node.slice) if isinstance(p, (ast.Constant, ast.Name)) and getattr(p, "id", "") not in names
    ]
    if not numbers or text_of(node.slice) == "-1":
        return True
    if text_of(node.slice) in ("0", "1:") and isinstance(node.value, ast.Name) and _goes_on(tree, node.value.id):
        return True
    if isinstance(node.slice, ast.Slice) and all(
        sums(s, names) or is_hit(s, tree) for s in (node.slice.lower, node.slice.upper) if s is not None
    ):
        return node.slice.step is None
    if is_hit(node.slice, tree):
        return True
    value = node.value
    if isinstance(value, ast.Call) and called(value) in HITS:
        return True
    if isinstance(value, ast.Subscript):
        return _steady_place(value, tree, names)
    return isinstance(value, ast.Name) and is_hit(value, tree)


def _goes_on(tree: ast.AST, name: str) -> bool:
    """Whether a name is the list of what is left, in a function that says something and then calls itself."""
    parents = parents_of(tree)
    for function in turns(tree):
        if not calls_itself(function) or name not in [a.arg for a in function.args.args]:
            continue
        calls = [p for p in ast.walk(function) if isinstance(p, ast.Call) and called(p) == function.name]
        above = [parents[call] for call in calls]
        above = [
            parents[parents[a]] if isinstance(a, ast.Starred) else parents[a] if isinstance(a, ast.BinOp) else a
            for a in above
        ]
        return all(isinstance(a, (ast.Return, ast.YieldFrom)) for a in above)
    return False


def _counts(reader: Reader, short: Watched, long: Watched) -> str | None:
    """An expression that tells how long the list is, or how far the run has come, and is none of those that may."""
    for place, translation in enumerate(reader.translations):
        tree = translation.tree
        nodes, parents, names = expressions(tree), parents_of(tree), positions(tree)
        number = {id(node): k for k, node in enumerate(nodes)}

        def values(node: ast.AST) -> tuple[list[Any], list[Any]]:
            k = (place, number.get(id(node), -1))  # noqa: B023
            return short.get(k, []), long.get(k, [])

        for node in nodes:
            mine = values(node)
            if isinstance(node, ast.Subscript) and (isinstance(node.slice, ast.Slice) or sums(node.slice, names)):
                base = values(node.value)
                if _listed(base) and _longest(base[0]) == _longest(base[1]) != 0:
                    return f"a list of another length, {text_of(node.value)[:60]}"
            through = isinstance(node, ast.Name) and _listed(mine) and _gone_through(node, parents)
            if through and (_longest(mine[0]) == _longest(mine[1]) != 0 or mine[1][-1][2] == "uneven"):
                return f"a list of another length, {text_of(node)}"
            if not _moves(*mine) or sums(node, names) or measures(node) or isinstance(parents[node], ast.Attribute):
                continue
            whole: ast.AST = node
            while isinstance(parents[whole], ast.BinOp) and isinstance(parents[whole].op, (ast.Add, ast.Sub)):  # type: ignore[attr-defined]
                whole = parents[whole]
            if whole is not node and not _moves(*values(whole)):
                continue
            if _padding(whole, parents):
                continue
            return text_of(whole)[:60]
    return None


def _moves(short: list[Any], long: list[Any]) -> bool:
    """Whether a longer list brings numbers that a shorter one does not, or an array goes along the list."""
    rows = [{x[1] for x in part if isinstance(x, tuple) and x[2] == "uneven"} for part in (short, long)]
    return rows[0] != rows[1] or {x for x in short if isinstance(x, float)} != {x for x in long if isinstance(x, float)}


def _longest(values: list[Any]) -> int:
    return max(int(value[1]) for value in values if isinstance(value, tuple))


def _listed(values: tuple[list[Any], list[Any]]) -> bool:
    return all(v and isinstance(v[0], tuple) for v in values)


def _gone_through(node: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a name is what a loop goes through, or is looked up by position."""
    parent: ast.AST = parents[node]
    if isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.slice, ast.Name):
        return True
    while isinstance(parent, ast.Call) and called(parent) in _WALKED:
        if called(parent) == "zip":
            return True
        node, parent = parent, parents[parent]  # type: ignore[assignment]
    return isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node


def _padding(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a number is only how often something is said at the end."""
    parent = parents[node]
    return (
        isinstance(parent, ast.BinOp)
        and isinstance(parent.op, ast.Mult)
        and (isinstance(parent.left, ast.List) or isinstance(parent.right, ast.List))
    )
