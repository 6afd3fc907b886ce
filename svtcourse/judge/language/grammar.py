"""Which Python is read: the kinds of statements and expressions, and what names a function gives a value.

Everything else is refused with its line before anything is run.  Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.terms import Node
from svtcourse.judge.language.tokens import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = [
    "HEADS", "MADE_BY", "OF_A_METHOD", "STATEMENTS", "arguments_of", "check", "children", "kind_of", "names_in",
    "own_names", "root_of", "size_of_sign", "sizes", "together", "values_in",
    "walk",
]  # fmt: skip

_OF_STATEMENTS = """
    FunctionDef ClassDef Return Assign AugAssign AnnAssign If For While Break Continue Pass Expr Raise Assert Nonlocal
    Import ImportFrom Try
"""
STATEMENTS = _OF_STATEMENTS.split()
_EXPRESSIONS = """
    Constant Name BinOp UnaryOp BoolOp Compare IfExp Call Attribute Subscript Slice List Tuple ListComp GeneratorExp
    Lambda comprehension arguments arg keyword alias Load Store And Or Not Invert UAdd USub Add Sub Mult Div FloorDiv
    Mod Pow BitAnd BitOr BitXor Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn NamedExpr Dict ExceptHandler
"""
_READ = set(STATEMENTS + _EXPRESSIONS.split())
_NOTES = ("Constant", "Name", "Attribute", "Subscript", "Tuple", "List", "BinOp", "BitOr", "Load")
_WORDS = {
    "Global": "It keeps something between calls (global)",
    "JoinedStr": "It makes a text of a number",
}
_OF_A_CLASS = ("Constant", "UnaryOp", "USub", "BinOp", "Add", "Sub", "Mult", "Div")
HEADS = ("zip", "enumerate")  # where a loop goes through them, and nowhere else
OF_A_METHOD = ("property", "staticmethod", "classmethod")  # what may decorate one
MADE_BY = ("__init__", "__post_init__")  # an object; the second one by a dataclass
_MADE = ("ListComp", "GeneratorExp", "Lambda")
_CALLED = {  # where a kind is read in some forms only
    "Assign": "assigns", "AugAssign": "assigns", "AnnAssign": "assigns", "For": "has a loop", "ClassDef": "has a class",
    "FunctionDef": "has a function", "Lambda": "has a lambda", "ListComp": "makes a list",
    "GeneratorExp": "has a generator", "Dict": "has a dictionary", "Call": "calls something", "Try": "has a try",
    "Subscript": "looks up a part",
}  # fmt: skip


def kind_of(node: Any) -> str:
    """The name of a node's kind."""
    return node.kind if isinstance(node, Node) else type(node).__name__


def children(node: Any) -> list[Any]:
    """The nodes that a node is made of."""
    values = [getattr(node, name, None) for name in (node.fields if isinstance(node, Node) else node._fields)]
    found = []
    for value in values:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Node) or hasattr(one, "_fields"):
                found.append(one)
    return found


def walk(node: Any) -> Iterator[Any]:
    """A node and all inside, in their order."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(children(one)[::-1])


def together(node: Any, found: dict[int, tuple[int, float, float, float]]) -> tuple[int, float, float, float]:
    """How many numbers are inside, the largest of them, their product and their sum; and the same of all parts."""
    count, largest, product, total = 0, 0.0, 1.0, 0.0
    alone = [(1, size, size, size) for size in sizes([node])]
    for n, most, times, plus in alone + [together(child, found) for child in children(node)]:
        count, largest, product, total = count + n, max(largest, most), min(product * times, 1e300), total + plus
    found[id(node)] = count, largest, product, total
    return count, largest, product, total


def sizes(nodes: Any) -> list[float]:
    """The numbers among these nodes, without their signs."""
    found = []
    for node in nodes:
        if kind_of(node) == "Constant" and type(node.value) in (int, float):
            found.append(min(abs(float(node.value)), 1e300))
    return found


def arguments_of(node: Any) -> list[Any]:
    """The parameters of a function."""
    return list(node.args.args) + list(node.args.kwonlyargs)


def _refused(node: Any, line: int, words: str = "") -> Refusal:
    what = words or _WORDS.get(kind_of(node), f"It has a statement that is not read ({kind_of(node).lower()})")
    return Refusal(what, getattr(node, "lineno", line) or line)


def check(node: Any, line: int = 0, place: str = "", around: Any = ()) -> None:
    """Refuse what is not read, anywhere in a tree, and note at its nodes what interprets them.

    Parameters
    ----------
    node : object
    line : int
        Of what is around it.
    place : str
        Where it stands: in a ``"class"``, a ``"function"`` or a ``"loop"`` of one; in the ``"head"`` of a loop, or as
        what a ``"call"`` is given.
    around : tuple of set
        The names of the functions around it.

    Raises
    ------
    Refusal
        With the line.
    """
    kind, line = kind_of(node), getattr(node, "lineno", line) or line
    if kind == "JoinedStr" and values_in(node) is not None:  # on a page it is read in an exception, or for a log
        for one in values_in(node) or ():
            check(one, line, "", around)
        node.runs = "e_JoinedStr"
        return
    if kind not in _READ:
        raise _refused(node, line)
    for name in [getattr(node, field, "") for field in ("id", "attr", "name", "arg")]:
        if isinstance(name, str) and name.startswith("__") and name not in MADE_BY:
            raise _refused(node, line, f"It uses {name}")
    if _is_odd(node, kind, place, around):
        decorated = f"It has a decorated {'class' if kind == 'ClassDef' else 'function'}"
        words = f"It {_CALLED.get(kind, 'is written')} in a way that is not read"
        raise _refused(node, line, decorated if getattr(node, "decorator_list", []) else words)
    notes = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    if any([kind_of(x) not in _NOTES for note in notes if note is not None for x in walk(note)]):
        raise _refused(node, line, "It has an annotation that is not read")
    asked = around and not (kind == "AnnAssign" and place in ("function", "loop"))  # of local names nobody does
    inside = [x for note in notes if note is not None for x in walk(note)] if asked else []
    told = ("Constant", "Name", "Load")  # of the rest Python calls something, which may be one's own
    if any([kind_of(x) not in told or any([getattr(x, "id", "") in own for own in around]) for x in inside]):
        raise _refused(node, line, "It has an annotation that is asked for while it runs")
    node.runs = ("s_" if kind in STATEMENTS else "e_") + kind  # what interprets it
    if kind in ("FunctionDef", "Lambda", "ListComp", "GeneratorExp"):
        node.own = own_names(node)
        node.gives = kind == "FunctionDef" and any([kind_of(x) == "Yield" for x in walk(node)])
        node.goes = place
    outside, around = around, around + (node.own,) if kind == "FunctionDef" else around
    for child in children(node):
        if any([child is note for note in notes]):
            continue
        if kind == "Expr" and kind_of(child) == "Yield" and place in ("function", "loop"):
            if child.value is not None:
                check(child.value, line, "", around)
            continue
        early = kind == "FunctionDef" and child is node.args  # its notes are looked at where it is defined
        check(child, line, _place(node, kind, child, place), outside if early else around)


def _place(node: Any, kind: str, child: Any, place: str) -> str:
    """Where a part of a node stands."""
    if kind in ("FunctionDef", "ClassDef"):
        return "function" if kind == "FunctionDef" else "class"
    if kind in ("For", "While") and any([child is x for x in node.body]):
        return "loop"
    if kind in ("If", "For", "While") and any([child is x for x in node.body + node.orelse]):
        return place
    if kind in ("Try", "ExceptHandler") and any([child is x for x in node.body + getattr(node, "handlers", [])]):
        return place
    if kind == "Raise":
        return "raise"
    if kind in ("For", "comprehension") and child is node.iter:
        return "head"
    if kind == "Call" and child is node.func:
        return "called in a head" if place == "head" else ""
    if kind == "Call" and any([child is x for x in node.args]):
        if place == "head" and getattr(node.func, "id", "") in HEADS:
            return "head"
        return "call" if len(node.args) > 1 or node.keywords else f"call of {getattr(node.func, 'id', '')}"
    return ""


def _is_odd(node: Any, kind: str, place: str, around: Any) -> bool:
    """Whether it is read in other forms only, or is no Python where it stands."""
    if kind in _MADE + ("ClassDef",) and any([kind_of(x) == "NamedExpr" for y in _early(node) for x in walk(y)]):
        return True  # where nothing else may happen
    if kind in ("FunctionDef", "Lambda"):
        a, by = node.args, getattr(node, "decorator_list", [])
        late = [x for x in node.body if kind_of(x) == "Nonlocal"] if kind == "FunctionDef" else []
        first = [x for x in node.body if kind_of(x) != "Expr"][: len(late)] if late else []
        return bool(
            a.kwarg is not None or a.vararg is not None or getattr(a, "posonlyargs", [])
            or not all([place == "class" and getattr(x, "id", "") in OF_A_METHOD for x in by])
            or len(by) > 1
            or any([kind_of(x) != "Nonlocal" for x in first])
            or any([name in [x.arg for x in arguments_of(node)] for x in late for name in x.names])
            or not all([x is None or _is_constant(x) for x in list(a.defaults) + list(a.kw_defaults)])
        )  # fmt: skip
    if kind == "Nonlocal":
        return place != "function" or not all([any([name in names for names in around[:-1]]) for name in node.names])
    if kind in ("Assign", "AnnAssign") and place == "class":
        return node.value is not None and any([kind_of(x) not in _OF_A_CLASS for x in walk(node.value)])
    if kind == "ClassDef":
        return bool(node.decorator_list or len(node.bases) > 1 or getattr(node, "keywords", []))
    if kind in ("Assign", "AugAssign", "AnnAssign", "For", "comprehension"):
        targets = node.targets if kind == "Assign" else [node.target]
        plain = all([_is_target(x, several=kind not in ("AugAssign", "AnnAssign")) for x in targets])
        if kind == "comprehension":  # what it makes is made later, where nothing else may happen
            plain = all([kind_of(x) == "Name" for x in getattr(node.target, "elts", [node.target])])
        field = kind == "AnnAssign" and kind_of(node.target) == "Attribute" and node.value is not None
        noted = kind == "AnnAssign" and not getattr(node, "simple", 1) and not field
        return not plain or noted or bool(getattr(node, "is_async", 0))
    if kind == "Try":
        return place not in ("function", "loop") or not _takes_the_next(node)
    if kind == "Dict":
        keys = [getattr(key, "value", None) for key in node.keys]
        return len(set(keys)) < len(keys) or not all([type(key) is str for key in keys])
    if kind == "Constant":
        whole = type(node.value) is int and abs(node.value) > 2**53
        return whole or (node.value is not None and not isinstance(node.value, (bool, int, float, str)))
    return (
        (kind in ("Break", "Continue") and place != "loop")
        or (kind == "Return" and place not in ("function", "loop"))
        or (kind in ("Import", "ImportFrom") and (place == "class" or getattr(node, "module", "") == "__future__"))
        or (kind == "GeneratorExp" and place[:4] not in ("head", "call"))
        or (kind == "Name" and node.id in HEADS and place != "called in a head")
        or (kind == "keyword" and node.arg is None)
        or (kind == "Raise" and (node.exc is None or node.cause is not None))
    )


def _early(node: Any) -> list[Any]:
    """What belongs to a class before its begin, or to a list that may be made later."""
    return list(node.bases) if kind_of(node) == "ClassDef" else [node]


def _takes_the_next(node: Any) -> bool:
    """Whether a try statement is that around ``x = next(iterator)``, for its end."""
    body, handlers = node.body[0], node.handlers
    if len(node.body) + len(handlers) != 2 or node.orelse or node.finalbody or not handlers or handlers[0].name:
        return False
    call: Any = body.value if kind_of(body) == "Assign" else None
    names = [getattr(call, "func", None), handlers[0].type] + list(getattr(call, "args", []))
    return (
        kind_of(call) == "Call"
        and [getattr(x, "id", "") for x in names][:2] == ["next", "StopIteration"]
        and [kind_of(x) for x in names[2:] + body.targets] == ["Name", "Name"]
        and not call.keywords
    )


def _is_constant(node: Any) -> bool:
    """Whether a value is made of constants and names, and of nothing that does something."""
    kinds = ("Constant", "Name", "BinOp", "UnaryOp", "Lambda")
    return (
        kind_of(node) in kinds
        and kind_of(getattr(node, "op", None)) != "Pow"
        and (kind_of(node) == "Lambda" or all([_is_constant(x) for x in children(node) if getattr(x, "lineno", 0)]))
    )


def _is_plain_target(node: Any) -> bool:
    """Whether a value is set without anything else that happens meanwhile."""
    kind = kind_of(node)
    if kind == "Tuple":
        return all([_is_plain_target(x) for x in node.elts])
    return kind == "Name" or (kind == "Attribute" and kind_of(node.value) == "Name")


def _is_target(node: Any, several: bool) -> bool:
    """Whether something can be given a value."""
    kind = kind_of(node)
    if kind in ("Tuple", "List"):
        return several and all([_is_plain_target(x) for x in node.elts])
    return kind in ("Name", "Attribute", "Subscript")


def _targets(target: Any, found: set[str]) -> None:
    kind = kind_of(target)
    if kind == "Name":
        found.add(target.id)
    elif kind in ("Tuple", "List"):
        for part in target.elts:
            _targets(part, found)


def _bound(node: Any, found: set[str], outer: set[str]) -> None:
    kind = kind_of(node)
    if kind in ("FunctionDef", "ClassDef"):
        found.add(node.name)
        return
    if kind in ("Lambda", "ListComp", "GeneratorExp"):
        return
    if kind == "Nonlocal":
        outer |= set(node.names)
    elif kind == "Assign":
        for target in node.targets:
            _targets(target, found)
    elif kind in ("AugAssign", "AnnAssign", "For", "NamedExpr"):
        _targets(node.target, found)
    elif kind in ("Import", "ImportFrom"):
        for alias in node.names:
            found.add(alias.asname or alias.name.split(".")[0])
    for child in children(node):
        _bound(child, found, outer)


def values_in(text: Any) -> list[Any] | None:
    """The expressions that a text takes values from; None if one is written in a form that is calculated too.

    Of a page's text the names alone are kept.
    """
    if isinstance(text, Node):
        return names_in(text)
    put = [x for x in text.values if kind_of(x) != "Constant"]
    notes = [y for x in put if x.format_spec for y in x.format_spec.values]
    return [x.value for x in put] if all([kind_of(x) == "Constant" and x.value[-1:] != "c" for x in notes]) else None


def names_in(text: Any) -> list[Any] | None:
    """The names and attributes of names that a text takes values from; None if it takes one from something else."""
    put = text.values if isinstance(text, Node) else [x.value for x in text.values if kind_of(x) != "Constant"]
    noted = [] if isinstance(text, Node) else [x for x in text.values if kind_of(x) != "Constant" and x.format_spec]
    named = [kind_of(x.value if kind_of(x) == "Attribute" else x) == "Name" for x in put]
    return put if all(named) and not noted else None


def own_names(node: Any) -> set[str]:
    """The names that belong to a function, a list that is made, or a text."""
    found: set[str] = set()
    outer: set[str] = set()
    kind = kind_of(node)
    if kind in ("ListComp", "GeneratorExp"):
        for part in node.generators:
            _targets(part.target, found)
        return found
    if kind in ("FunctionDef", "Lambda"):
        found |= {one.arg for one in arguments_of(node)}
    for part in [] if kind == "Lambda" else node.body:
        _bound(part, found, outer)
    return found - outer


def size_of_sign(node: Any) -> Any:
    """What stands for the sign of x in ``1 if x > 0 else -1``; None if the expression is another."""
    test = node.test
    if kind_of(test) != "Compare" or len(test.ops) != 1 or getattr(test.comparators[0], "value", None) != 0:
        return None
    sizes = []
    for part in (node.body, node.orelse):
        minus = kind_of(part) == "UnaryOp" and kind_of(part.op) == "USub"
        size: Any = getattr(part.operand if minus else part, "value", None)
        if type(size) not in (int, float):
            return None
        sizes.append(-size if minus else size)
    up = {"Gt": 1, "GtE": 1, "Lt": -1, "LtE": -1}.get(kind_of(test.ops[0]))
    return None if up is None or sizes[0] != -sizes[1] else float(up * sizes[0])


def root_of(node: Any) -> str:
    """The name with which ``a.b.c`` begins; empty if it begins with something else."""
    while kind_of(node) == "Attribute":
        node = node.value
    return node.id if kind_of(node) == "Name" else ""
