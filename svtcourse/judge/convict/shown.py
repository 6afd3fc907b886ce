"""Whether the output of a run of many queries shows all that was compared in it: then no other run gives it.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

from svtcourse.judge.any_length.longer import along
from svtcourse.judge.language.grammar import children, kind_of, walk
from svtcourse.judge.language.outputs import said
from svtcourse.judge.unknowns.tree import Unrecognised, newest, shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from svtcourse.judge.language.program import Program
    from svtcourse.judge.unknowns.symbols import Path

__all__ = ["MOST_SHOWN", "alone", "shows"]

MOST_SHOWN = 520  # queries, of which each is turned once


def _signs(path: Path, n: int) -> list[bool] | None:
    """Which answers are positive; None if some are other things than truths and numbers."""
    answers = list(said(path.output, n))
    if not all([answer is True or answer is False or isinstance(answer, tuple) for answer in answers]):
        return None
    return [answer is not False for answer in answers]


def alone(paths: list[Path], path: Path, n: int) -> bool:
    """Whether no other output is printed like that of a path."""
    answers, mine = said(path.output, n), shape(path.output)
    return not any([shape(one.output) != mine and _alike(said(one.output, n), answers) for one in paths])


def _alike(x: Any, y: Any) -> bool:
    """Whether two outputs may be printed alike: a number with noise may be any."""
    if len(x) != len(y):
        return False
    for one, other in zip(x, y):
        kinds = [type(one), type(other)]
        noisy = tuple in kinds and all([kind in (tuple, float) for kind in kinds])
        if not noisy and repr(one) != repr(other):
            return False
    return True


def _printed(path: Path, n: int) -> list[Any]:
    return ["number" if isinstance(answer, (tuple, float)) else repr(answer) for answer in said(path.output, n)]


def shows(program: Program, side: int, path: Path, n: int) -> bool:
    """Whether no other run says the same: it would part from this one at some comparison, and the list shows where.

    Each comparison is turned once.  The run that parts there ends, and says something else; or its answer stands
    before the next comparison in a list that only grows, or in an array of comparisons that is shown whole.
    """
    if path not in program.sole:
        program.sole[path] = n <= MOST_SHOWN and _shows(program, side, path, n)
    return program.sole[path]


def _shows(program: Program, side: int, path: Path, n: int) -> bool:
    try:
        asked = [newest(key)[0] for key, _, _ in path.literals]
    except Unrecognised:
        return False
    parts = path.output if isinstance(path.output, tuple) else ()
    signs = _signs(path, n)
    if asked != list(range(len(asked))) or signs is None or not asked:
        return False
    if any([isinstance(x, tuple) and x[:1] != ("form",) for x in parts]):
        return False
    hits = [newest(key)[1] is (above if side > 0 else not above) for key, _, above in path.literals]
    grows = _only_grows(program) or (len(signs) == n == len(asked) and _is_array(program))
    printed = _printed(path, n)
    for k in range(len(asked)):
        places = [i for i, hit in enumerate(hits[:k] + [not hits[k]]) if hit]
        other = along(program, side, n, places)
        turned = _signs(other, n)
        if turned is None:
            return False
        ends = len(other.literals) == k + 1 and _printed(other, n) != printed
        grown = grows and -1 not in other.kept and other.kept[: k + 1] == list(range(1, k + 2))
        shown = turned[: k + 1] != signs[: k + 1] and grown
        if not ends and not shown:
            return False
        program.beat()
    return True


_COPIES = ("list", "tuple")
_COUNTS = ("len", "sum", "any", "all")  # functions that look at a list and leave it


def _only_grows(program: Program) -> bool:
    """Whether what it answers is one list to which answers are only added, by its text.

    What is asked query by query, yielded, or made by one comprehension; or a list that is made empty once, before any
    loop, returned by its name, and otherwise only lengthened, counted and looked at.
    """
    if program.asks:
        return True
    own = [x for node in program.nodes() for x in walk(node)]
    renamed = {getattr(x, "name", "") for x in own} | {getattr(x, "arg", "") for x in own}
    set_ = [y.id for x in own for y in _set_by(x) if kind_of(y) == "Name"]
    node = _function(program, program.name)
    only: Any = node.body[-1] if node is not None else None
    called: Any = only.value if kind_of(only) == "Return" and kind_of(only.value) == "Call" else None
    if kind_of(getattr(called, "func", None)) == "Name" and called.func.id not in _COPIES:
        other, said_first = only.value.func.id, [x for x in node.body[:-1] if kind_of(x) != "Expr"]
        held = other in set_ or other in [getattr(x, "arg", "") for x in own]
        node = None if said_first or held else _function(program, other)  # it hands over to another
    if node is None:
        return False
    inside, everything = _own(node), list(walk(node))
    returned = [x.value for x in inside if kind_of(x) == "Return"]
    if any([kind_of(x) in ("Yield", "YieldFrom") for x in inside]):
        return True
    if program.renamed or kind_of(node.body[-1]) != "Return":  # else it may end and say nothing
        return False
    if len(returned) == 1 and kind_of(returned[0]) == "ListComp":
        return True
    copies = [x for x in returned if kind_of(x) == "Call" and len(x.args) == 1 and not x.keywords]
    called_by = [x.func.id if kind_of(x.func) == "Name" else "" for x in copies]
    if any([x not in _COPIES or x in renamed or x in set_ for x in called_by]):
        return False
    names = {x.id if kind_of(x) == "Name" else "" for x in [x.args[0] if x in copies else x for x in returned]}
    name = list(names)[0] if len(names) == 1 else ""
    if not name or set_.count(name) != 1 or any([x in renamed or x in set_ for x in _COUNTS]):
        return False
    good = len(returned) + len([value for x in node.body for value in _made(x, name) if _is_empty(value)])
    for x in everything:
        kind = kind_of(x)
        of = None
        if kind == "Call" and kind_of(x.func) == "Attribute" and x.func.attr in ("append", "count"):
            of = x.func.value
        elif kind == "Call" and kind_of(x.func) == "Name" and x.func.id in _COUNTS and len(x.args) == 1:
            of = x.args[0]
        elif kind == "Subscript":
            of = x.value
        good += of is not None and kind_of(of) == "Name" and of.id == name
    return good == len([x for x in everything if kind_of(x) == "Name" and x.id == name])


def _is_array(program: Program) -> bool:
    """Whether it answers with an array of comparisons as they were made, or with its begin, by its text."""
    own = [x for node in program.nodes() for x in walk(node)]
    node = _function(program, program.name)
    returned = [x.value for x in _own(node) if kind_of(x) == "Return"] if node is not None else []
    changed = [x for x in own if kind_of(x) in ("AugAssign", "Delete")]
    changed += [x for y in own for x in _set_by(y) if kind_of(x) in ("Subscript", "Attribute")]
    if program.renamed or changed or len(returned) != 1 or kind_of(node.body[-1]) != "Return":
        return False
    found = returned[0]
    if kind_of(found) == "Subscript" and kind_of(found.slice) == "Slice":
        found = found.value
    set_ = [y.id for x in own for y in _set_by(x) if kind_of(y) == "Name"]
    name = found.id if kind_of(found) == "Name" else ""
    made = [value for x in node.body for value in _made(x, name)]
    return set_.count(name) == 1 == len(made) and kind_of(made[0]) == "Compare"


def _function(program: Program, name: str) -> Any:
    found = [x for x in program.nodes() if kind_of(x) == "FunctionDef" and x.name == name]
    return found[0] if len(found) == 1 else None


def _is_empty(node: Any) -> bool:
    return kind_of(node) == "List" and not node.elts


def _made(node: Any, name: str) -> list[Any]:
    """What a statement gives a name."""
    target: Any = node.targets[0] if kind_of(node) == "Assign" and len(node.targets) == 1 else None
    if kind_of(target) == kind_of(getattr(node, "value", None)) == "Tuple":
        pairs = list(zip(target.elts, node.value.elts))
    else:
        pairs = [(target, getattr(node, "value", None))]
    return [value for one, value in pairs if kind_of(one) == "Name" and one.id == name]


def _set_by(node: Any) -> list[Any]:
    """What a statement or expression gives values to, or takes away."""
    targets = node.targets if hasattr(node, "targets") else [node.target] if hasattr(node, "target") else []
    return [x for target in targets for x in walk(target)]


def _own(node: Any) -> list[Any]:
    """The nodes of a function, without those of functions inside it."""
    found = []
    for child in children(node):
        found.append(child)
        if kind_of(child) not in ("FunctionDef", "Lambda", "ClassDef"):
            found += _own(child)
    return found
