"""A program run on a list of which it cannot ask how long it is: what it does at each turn holds for longer lists.

The list, what is drawn for each query and what is said are hidden (`svtcourse.judge.hidden`); whatever else a program
holds when a turn begins, in all its functions, is its state.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from svtcourse.judge.canonical import state_of
from svtcourse.judge.hidden import Cut, Hidden, Hits, Output, Walk
from svtcourse.judge.lists import (
    Lazy,
    Length,
    Numbered,
    Places,
    Row,
    Running,
    Said,
    Size,
    Walked,
    Zipped,
    each,
    revealed,
)
from svtcourse.judge.program import Program
from svtcourse.judge.reading import Reader
from svtcourse.judge.symbols import Form
from svtcourse.judge.syntax import adds_up, as_for, text_of
from svtcourse.judge.world import Function, Numpy

__all__ = ["Blind"]

_EACH = {  # with as many arguments
    **dict.fromkeys(("abs", "absolute", "sign", "sqrt", "log", "log1p", "exp", "expm1", "negative", "logical_not"), 1),
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum", "greater", "greater_equal"), 2),
    **dict.fromkeys(("less", "less_equal", "logical_and", "logical_or"), 2),
    "clip": 3,
    "where": 3,
}
_SAME = {"array", "asarray", "copy"}
_ASKED = {"any", "sum", "cumsum", "argmax", "nonzero", "where"}
_FILE = "<program "


class Blind(Reader):
    """A program that is run so.

    Parameters
    ----------
    program : callable
    most : int
        Up to which number it may count positives of a whole list.
    """

    def __init__(self, program: Any, most: int) -> None:
        self.most, self.sites = most, 0
        self.folds: dict[Any, set[str]] = {}
        self.walk: Any = None
        self.calls: Counter[types.CodeType] = Counter()
        # each turn: its state, whether there is one, how much was compared, of which query, and whether put aside
        self.heads: list[tuple[Any, bool, int, int | None, bool]] = []
        self.last: list[Any] = []  # what was compared in the last turn in which something was
        self.compared = 0
        self.walking: Any = None  # what is gone through
        super().__init__(program)
        names = [part for t in self.translations for part in ast.walk(t.tree) if isinstance(part, ast.Name)]
        self.only_set = {part.id for part in names} - {part.id for part in names if isinstance(part.ctx, ast.Load)}
        if isinstance(self.function, types.FunctionType):
            self.function = partial(_shown, self.function)

    def prepare(self) -> None:
        """Let the world know what is hidden."""
        plain = dict(self.builtins)
        own = {"len": _length, "range": _range, "list": self._list, "tuple": _tuple, "int": _int, "map": self._map}
        own |= {"next": _next}
        own |= {"enumerate": self._enumerate, "zip": self._zip, "sorted": partial(_in_order, plain["sorted"], "sorted")}
        own |= {name: partial(_asked, name) for name in ("sum", "any")}
        self.builtins |= {name: partial(_open, plain[name], ours) for name, ours in own.items()}
        self.modules["numpy"] = _Numpy(self, self.modules["numpy"])

    def opened(self, answers: Any, one_by_one: bool) -> Any:
        """The list, hidden, at the begin of a run."""
        self.heads, self.last, self.compared, self.walking = [], [], 0, None
        self.calls = Counter()
        self.walk = Walk(self.fork, self.most, self.began, self.folds)
        return answers if one_by_one else Row(self.walk, answers)

    def began(self, more: bool, query: int | None, walked: Any) -> None:
        """Keep the state before a turn, or after the last one."""
        self._turned()
        aside = isinstance(walked, Said) and (walked is self.walking if more else not walked.items)
        self.walking = walked
        self.heads.append((self._state(walked), more, len(self.fork.order), query, aside))

    def asks(self, one: Any, more: bool, query: int) -> None:
        """The same of an object that is asked."""
        self._turned()
        self.heads.append((self._state(one), more, len(self.fork.order), query, False))

    def _turned(self) -> None:
        order = self.fork.order
        if self.heads and len(order) > self.compared:
            self.last = order[self.compared :]
        self.compared = len(order)

    def _state(self, what: Any, renamed: bool = True) -> Any:
        """What all functions that run hold, with what is asked or gone through; as it is, if nothing is renamed."""
        frames: list[Any] = []
        frame: Any = sys._getframe(2)
        while frame.f_code.co_name != "_symbolic" or frame.f_globals["__name__"] != Program.__module__:
            if frame.f_code.co_filename.startswith(_FILE):
                frames.append(frame)
                if frame.f_code.co_cellvars and self.calls[frame.f_code] != 1:
                    raise self.fork.stop("it goes through the list in a function that was called before")
                going = bool(frame.f_code.co_flags & inspect.CO_GENERATOR)
                if going and frame.f_back.f_code not in _IN_THE_OPEN:
                    raise self.fork.stop("it takes the list from a generator other than by a loop")
            frame = frame.f_back
        if isinstance(what, Said) and len(frames) > 1:
            raise self.fork.stop("it goes through a list that it has made in a function inside it")
        places = [(f.f_code, f.f_lasti) for f in frames]
        rooms = [{name: x for name, x in f.f_locals.items() if name not in self.only_set} for f in frames]
        rooms.append({"object": what})
        rooms.append({f"{k}": t.function for k, t in enumerate(self.translations)})
        return tuple(places), state_of(rooms, self.walk, renamed, self.last)

    def drawn(self, draw: Callable[..., Any], loc: Any, scale: Any, size: Any) -> Any:
        """Draws for each query, or as ever."""
        if isinstance(size, tuple) and len(size) == 1:
            size = size[0]
        rows = [x for x in (loc, scale) if isinstance(x, Row)]
        if not rows and not isinstance(size, Length):
            return draw(loc, scale, size)
        lengths = {x.length for x in (*rows, *([] if size is None else [size]))} if _known(loc, scale, size) else {0, 1}
        if len(lengths) > 1:
            raise self.fork.stop("it draws with a scale by the length of the list, or as many as it likes")
        self.walk.before()
        made = len(self.fork.laws)
        loc, scale = (x.inner if isinstance(x, Row) else x for x in (loc, scale))
        found = draw(loc, scale, None if size is None else size.value)
        self.walk.drew(made)
        return Row(self.walk, found, lengths.pop())

    # loops and lists of the program's own

    def rewritten(self, tree: Any, program: Any) -> Any:
        """The same, in which loops, lists and what is read off them come here first."""
        return ast.fix_missing_locations(_Rewriting(self).visit(as_for(tree)))

    def names_of_its_own(self) -> dict[str, Any]:
        """What a rewritten tree calls."""
        return {
            "__begun__": self._begun,
            "__through__": self._through,
            "__each__": self._each,
            "__fold__": self._fold,
            "__said__": self._said,
            "__joined__": lambda one, rest: one + rest if isinstance(one, Said) else [*one, *rest],
        }

    def _begun(self) -> None:
        self.calls[sys._getframe(1).f_code] += 1

    def _said(self, site: int, text: bool) -> Any:
        return Said(self.walk, site, [], text)

    def _through(self, it: Any) -> Any:
        """What a loop goes through, each with where it is if the state has to tell."""
        if isinstance(it, Walked):
            return ((None, x) for x in self.walk.through(it, again=isinstance(it, Said)))
        if isinstance(it, types.GeneratorType):
            return _turns(it)
        if isinstance(it, (list, tuple, range, np.ndarray, str, enumerate, zip, map)):
            return (((k, it), x) for k, x in enumerate(it))
        raise self.fork.stop("it goes through something that ends")

    def _each(self, it: Any, per: Any, plain: Any, at_once: bool) -> Any:
        if not isinstance(it, Walked):
            self.walk.closed += at_once
            try:
                return plain(it)
            finally:
                self.walk.closed -= at_once
        if isinstance(it, Said):
            raise self.fork.stop("it picks some of a list")
        found = Lazy(self.walk, it, per)
        return self._list(found) if at_once else found

    def _fold(self, function: Any, name: str, said: Any, text: str, plain: Any) -> Any:
        known = function is self.builtins[name]
        return said.fold(text) if known and isinstance(said, Said) else plain()

    def _list(self, *of: Any) -> Any:
        """``list(...)``: of a generator expression a row, if nothing changes from one element to the next."""
        if not of:
            return Said(self.walk, "list()", [])
        (it,) = of
        if isinstance(it, (Said, Output)):
            return _tuple(it)
        if isinstance(it, Row):
            return it.like(list(it.inner))
        if not isinstance(it, Lazy):
            return it.refused()
        found, states, begun, made = [], set(), len(self.heads), len(self.fork.laws)
        self.walk.closed += 1
        for k in range(it.elements):
            states.add(self._state(it, renamed=False)[1])
            self.began(True, it.query(k), it)
            self.walk.now += 1
            found.append(it.at(k))
        states.add(self._state(it, renamed=False)[1])
        self.began(False, None, it)
        self.walk.now += 1
        self.walk.closed -= 1
        if len(states) > 1:  # it is a loop
            self.walk.begin()
            return Output(self.walk, found)
        del self.heads[begun:]
        self.walk.drew(made)
        return Row(self.walk, found, it.length)

    def _enumerate(self, it: Any, start: Any = 0) -> Any:
        return Numbered(self.walk, it, start) if isinstance(it, Walked) and type(start) is int else it.refused()

    def _zip(self, *parts: Any) -> Any:
        return Zipped(self.walk, parts)

    def _map(self, function: Any, *parts: Any) -> Any:
        return Lazy(self.walk, Zipped(self.walk, parts), lambda x: [function(*x)])


def _shown(function: Callable[..., Any], **given: Any) -> Any:
    said = function(**given)
    return _told(said) if isinstance(said, types.GeneratorType) else revealed(said)


def _told(said: Any) -> Iterator[Any]:
    for one in said:
        yield revealed(one)


def _turns(it: Any) -> Iterator[Any]:
    for one in it:
        yield it, one


_IN_THE_OPEN = (
    _told.__code__,
    _turns.__code__,
)  # through these generators go on; elsewhere what is made of them is hidden


def _known(*values: Any) -> bool:
    """Whether what is hidden among the location, the scale and the size of draws is where it may be."""
    *parts, size = values
    return (size is None or isinstance(size, Length)) and not any(
        isinstance(x, Hidden) and not isinstance(x, Row) for x in parts
    )


def _open(plain: Any, ours: Any, *given: Any, **options: Any) -> Any:
    """A builtin: our own where it is given something hidden, or nothing."""
    hidden = next((x for x in (*given, *options.values()) if isinstance(x, Hidden)), None)
    if ours is not None and (hidden is not None or (not given and getattr(ours, "__name__", "") == "_list")):
        return ours(*given, **options)
    if hidden is not None:
        return hidden.refused()
    return plain(*given, **options)


def _length(x: Any) -> Any:
    if isinstance(x, Row):
        return x.size
    if isinstance(x, Said):
        return Size(x)
    return x.size if isinstance(x, Hits) else x.refused()


def _range(*limits: Any) -> Any:
    one = limits[0]
    return (
        Places(one.walk, one)
        if len(limits) == 1 and isinstance(one, Length)
        else next(x for x in limits if isinstance(x, Hidden)).refused()
    )


def _tuple(x: Any) -> Any:
    if isinstance(x, Said):
        return Output(x.walk, list(x.items))
    if isinstance(x, Row):
        return x.like(list(x.inner))
    return Output(x.walk, list(x.value)) if isinstance(x, Output) else x.refused()


def _next(x: Any, *default: Any) -> Any:
    return x.first(*default) if isinstance(x, Lazy) and len(default) == 1 else x.refused()


def _int(x: Any) -> Any:
    return x if isinstance(x, Cut) else x.refused()


def _in_order(plain: Any, name: str, x: Any) -> Any:
    """A list in order: of answers only, of which others are made that one person changes by no more."""
    found = plain(x.inner) if isinstance(x, Row) else x.refused()
    if not all(isinstance(one, Form) and [v[2:3] for v in one.terms] == [(name,)] for one in found):
        return x.refused()
    return Row(x.walk, found, x.length)


def _asked(name: str, x: Any, *rest: Any) -> Any:
    if isinstance(x, Said) and not rest:
        return x.fold(f"{name}(x)")
    return getattr(x, name)() if isinstance(x, Row) and not rest else x.refused()


class _Numpy(Numpy):
    """The module numpy, for what is hidden too."""

    def __init__(self, reader: Blind, plain: Numpy) -> None:
        super().__init__(reader)
        self._plain, self._int = plain, reader.builtins["int"]

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._plain, name)
        return Function(value.real, partial(self._called, name, value)) if isinstance(value, Function) else value

    def _called(self, name: str, value: Any, *given: Any, **options: Any) -> Any:
        given = tuple(x[0] if isinstance(x, tuple) and len(x) == 1 and isinstance(x[0], Length) else x for x in given)
        given = tuple(int if x is self._int else x for x in given)
        options = {name: int if x is self._int else x for name, x in options.items()}
        hidden = [x for x in (*given, *options.values()) if isinstance(x, Hidden)]
        if not hidden:
            return value(*given, **options)
        first, walk = hidden[0], hidden[0].walk
        if given[:1] != () and first is given[0] and len(hidden) == 1:
            found = self._of_one(name, value, first, given[1:], options)
            if found is not None:
                return found
        if _EACH.get(name, 0) >= len(given) and set(options) <= {"a_min", "a_max"}:
            return each(walk, lambda *x: value(*x, **options), *given)
        return first.refused()

    def _of_one(self, name: str, value: Any, first: Any, rest: Any, options: Any) -> Any:
        """What a function makes of something hidden that is given first."""
        if isinstance(first, Length) and name in ("zeros", "ones", "full", "empty"):
            return Row(first.walk, value(first.value, *rest, **options), first.length, board=True)
        if isinstance(first, Row) and name in _SAME and not rest:
            return first.like(value(first.inner, **options))
        if isinstance(first, Said) and name in ("sum", "any") and not (rest or options):
            return _asked(name, first)
        if isinstance(first, Row) and name.endswith("_like"):
            return Row(first.walk, value(first.inner, *rest, **options), first.length, board=True)
        if isinstance(first, Said) and name in _SAME and not rest:
            return Output(first.walk, value(first.items, **options))
        if isinstance(first, Running) and name == "searchsorted" and len(rest) == 1 and not options:
            return first.cut(rest[0])
        if not isinstance(first, Row) or rest or options:
            return None
        if name in _ASKED:
            return getattr(first, "nonzero" if name == "where" else name)()
        if name == "sort":
            return _in_order(value, name, first)
        return {"count_nonzero": first.sum, "flatnonzero": lambda: first.nonzero()[0]}.get(name, lambda: None)()


class _Rewriting(ast.NodeTransformer):
    def __init__(self, reader: Blind) -> None:
        self.reader = reader

    def _site(self) -> int:
        self.reader.sites += 1
        return self.reader.sites

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body = [ast.Expr(_call("__begun__")), *node.body]
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        where = ast.Name(f"__{self._site()}__", ast.Store())
        node.target = ast.Tuple([where, node.target], ast.Store())
        node.iter = _call("__through__", node.iter)
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.YieldFrom):
            name = f"__{self._site()}__"
            said = ast.Expr(ast.Yield(_name(name)))
            return self.visit(ast.For(ast.Name(name, ast.Store()), node.value.value, [said], []))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        of = node.args[0] if len(node.args) == 1 else None
        name = text_of(node.func)
        if isinstance(of, (ast.ListComp, ast.GeneratorExp)) and name in ("sum", "len", "any", "all"):
            said = of.generators[0].iter
            if isinstance(said, ast.Name) and said.id != "x" and adds_up(node, said.id):
                text = text_of(_Renamed(said.id).visit(ast.parse(text_of(node), mode="eval").body))
                plain = self.generic_visit(node)
                return _call("__fold__", node.func, ast.Constant(name), said, ast.Constant(text), _thunk(plain))
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """How much was said but for one sign: neither alone comes to an end."""
        counted = re.fullmatch(r"len\((\w+)\) - \1\.count\((True|False|None|'.')\)", text_of(node))
        self.generic_visit(node)
        if counted is None:
            return node
        text = ast.Constant(f"len(x) - x.count({counted[2]})")
        return _call("__fold__", _name("len"), ast.Constant("len"), _name(counted[1]), text, _thunk(node))

    def visit_ListComp(self, node: Any) -> Any:
        one = node.generators[0]
        if len(node.generators) > 1 or any(isinstance(p, ast.NamedExpr) for p in ast.walk(node)):
            return node  # Python goes through it itself, and nothing that is hidden lets it
        self.generic_visit(node)
        at_once, it = isinstance(node, ast.ListComp), one.iter
        turn = ast.comprehension(one.target, ast.Tuple([_name("__x__")], ast.Load()), one.ifs, 0)
        per = _thunk(ast.ListComp(node.elt, [turn]), "__x__")
        one.iter = _name("__it__")
        return _call("__each__", it, per, _thunk(node, "__it__"), ast.Constant(at_once))

    visit_GeneratorExp = visit_ListComp

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _call("__said__", ast.Constant(self._site()), ast.Constant(True)) if node.value == "" else node

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        if not node.elts:
            return _call("__said__", ast.Constant(self._site()), ast.Constant(False))
        first, *rest = node.elts
        if isinstance(first, ast.Starred) and not any(isinstance(x, ast.Starred) for x in rest):
            return _call("__joined__", first.value, ast.List(rest, ast.Load()))
        return node


class _Renamed(ast.NodeTransformer):
    """What is read off a list, of `x`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        own = node.id in ("sum", "len", "any", "all")
        return ast.Name("x" if node.id == self.name else node.id if own else f"{node.id}_", node.ctx)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_name(name), list(arguments), [])


def _thunk(body: Any, *names: str) -> ast.Lambda:
    given = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    return ast.Lambda(given, body)
