"""A program that stands in a text, on a page or in a notebook: its definitions, and what else there is.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.grammar import check, children, kind_of, own_names, walk
from svtcourse.judge.language.kinds import Frame, Run
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.machine import Machine
from svtcourse.judge.language.noise import MODULES
from svtcourse.judge.language.parsing import parse
from svtcourse.judge.language.program import ROLES, Failed, Program, hears_threshold, nothing, roles_of
from svtcourse.judge.language.tokens import NoPython, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Text"]

_FUTURE = (
    "annotations", "division", "print_function", "generators", "absolute_import", "unicode_literals", "nested_scopes",
    "with_statement", "generator_stop",
)  # fmt: skip
_IDLE = ("matplotlib.pyplot", "pandas", "svtlib", "typing", "scipy", "__future__")  # an import of them changes nothing


class Text(Program):
    """A program that stands in a text: definitions and constants, of which the last that takes answers is judged.

    Parameters
    ----------
    text : str
    asked : dict
        ``epsilon``, ``c``, ``sensitivity``; ``function``, which of several; ``given``, values of its own parameters.
    """

    most_paths = 700

    def __init__(
        self, text: str, asked: dict[str, Any] | None = None, beat: Callable[[], None] = nothing, tree: Any = None
    ) -> None:
        asked = {} if asked is None else asked
        epsilon, c, sensitivity = asked.get("epsilon", 1.0), asked.get("c", 1), asked.get("sensitivity", 1.0)
        sized = all([isinstance(x, (int, float)) and 0 < x < 1e300 for x in (epsilon, sensitivity)])
        if not sized or c not in (1, 2, 3, 4, 5):
            raise Failed("epsilon and sensitivity must be above 0, and c from 1 to 5", 0)
        super().__init__(float(epsilon), int(c), float(sensitivity), beat)
        try:
            self.tree = _beginning_with_the_future(parse(text)) if tree is None else tree
        except NoPython as error:
            raise Failed(error.reason, error.line) from error
        self.given, self.name = asked.get("given") or {}, ""
        self.unseen: list[tuple[int, int]] = []  # statements that were not looked at, and their lines
        self.lost: dict[str, Refusal] = {}  # names of which it is not known what they stand for, and why
        kept: dict[str, Any] = {}
        for k, node in enumerate(self.tree.body):
            names = own_names(_Part(node))
            if _is_idle(node):
                self.lost.update([(name, Refusal(f"It uses {name}, which is not read", 0)) for name in names])
                continue
            try:
                _only_defines(node)
            except Refusal as reason:
                self.unseen.append((k, node.lineno))
                self.lost.update([(name, reason) for name in names | _touched(node)])
                continue
            for name in names:
                if name in kept:
                    self.lost[name] = Refusal(f"It defines {name} twice", node.lineno)
                kept[name] = node
        odd, wanted = None, asked.get("function", "")
        oddly: set[str] = set()
        for node in [node for node in self.tree.body if any([node is one for one in kept.values()])]:
            last, self.name = self.name, ""
            why = self._judged(_meant(node, kept), wanted)
            if why is not None or self.name:  # what is meant is the last that is
                odd, oddly = why, own_names(_Part(node))
            self.name = self.name or last
        if not self.name:
            lost = self.lost.get(wanted) or next((r for name, r in self.lost.items() if not wanted and r.line), None)
            words = "It has no function that takes answers, as in def program(answers, threshold, epsilon, c, rng):"
            raise odd or lost or Refusal(words)
        for k, _ in self.unseen if not wanted else ():
            node = self.tree.body[k]
            if _is_meant(node) and k > [kept.get(self.name) is one for one in self.tree.body].index(True):
                raise self.lost[node.name]
        needed, before = {self.name}, 0
        while len(needed) > before:
            before = len(needed)
            for name in list(needed):
                if name in kept:
                    needed |= {x.id for x in walk(kept[name]) if kind_of(x) == "Name" and x.id in kept}
        if odd is not None and not oddly & needed:
            raise odd
        for name in [self.name] + sorted(needed):
            if name in self.lost:
                raise self.lost[name]
        self.kept = [node for node in self.tree.body if any([kept[name] is node for name in needed])]
        self.bound = {name for node in self.kept for name in own_names(_Part(node))}

    def outside(self, name: str) -> Any:
        """What a name stands for that the text does not define: numpy and math are known without an import."""
        if name in self.lost or "*" in self.lost:
            raise self.lost[name if name in self.lost else "*"]
        if name in ("np", "math"):
            return MODULES["numpy" if name == "np" else name]
        if name in BUILTINS:
            return BUILTINS[name]
        raise Refusal(f"It uses {name}, which is not read")

    def _judged(self, node: Any, wanted: str) -> Refusal | None:
        """Take a definition, if it is one to judge; else why it is not, if it seems to be meant."""
        kind = kind_of(node)
        if kind == "Assign" and kind_of(node.value) == "Lambda":
            name, arguments = node.targets[0].id, node.value.args
        elif kind in ("FunctionDef", "ClassDef"):
            name, arguments = node.name, getattr(node, "args", None)
        else:
            return None
        if wanted not in ("", name):
            return None
        asks, methods = False, {}
        if kind == "ClassDef":
            methods = {part.name: part.args for part in node.body if kind_of(part) == "FunctionDef"}
            if "ask" not in methods:
                return None
            asks, arguments = True, methods.get("__init__")
        given, alone, needed = _parameters(arguments)
        names: dict[str, str] = {}
        roles = roles_of(given + alone, needed)
        told = list(roles.values())
        meant = asks or "answers" in told or ("rng" in told and ("epsilon" in told or "threshold" in told))
        for one in (given + alone)[1 if asks else 0 :]:
            if one in roles and not (asks and roles[one] == "answers"):
                names[one] = roles[one]
            elif meant and one not in self.given and one in needed:
                return Refusal(f"It takes a parameter {one}, which has no meaning here", node.lineno)
        heard = False
        if asks:
            given, alone, needed = _parameters(methods["ask"])
            try:
                heard = hears_threshold(given[1:], [one for one in needed if one not in given[:1]])
            except ValueError as error:
                return Refusal(str(error), node.lineno)
        if asks or "answers" in names.values():
            self.name, self.asks, self.names, self.takes_threshold = name, asks, names, heard
        return None

    def made(self, run: Run) -> Any:
        """What the text defines, made anew."""
        frame = Frame(None, self.bound)
        frame.outside = self.outside
        Machine(run).block(self.kept, frame)
        return frame.names[self.name]

    def nodes(self) -> list[Any]:
        """What is kept of the text."""
        return self.kept


class _Part:
    """One statement, as a text of its own."""

    def __init__(self, node: Any) -> None:
        self.body = [node]


def _meant(node: Any, kept: dict[str, Any]) -> Any:
    """The definition for which a statement gives another name; else the statement."""
    for _ in kept:
        if kind_of(node) in ("Assign", "AnnAssign") and kind_of(node.value) == "Name" and node.value.id in kept:
            node = kept[node.value.id]
    return node


def _is_meant(node: Any) -> bool:
    """Whether a definition that is not read may be the one to judge: it takes answers, has `ask`, or is derived."""
    if kind_of(node) == "FunctionDef":
        every = node.args.args + node.args.kwonlyargs + [node.args.vararg]
        return any([one is not None and one.arg in ROLES["answers"] for one in every])
    if kind_of(node) != "ClassDef":
        return False
    derived = any([kind_of(x) != "Name" or x.id not in BUILTINS for x in node.bases])
    return derived or "ask" in own_names(node)


def _parameters(arguments: Any) -> tuple[list[str], list[str], list[str]]:
    """The names of parameters: in their places, by name alone, and those without a default."""
    if arguments is None:
        return [], [], []
    given, alone = ([one.arg for one in some] for some in (arguments.args, arguments.kwonlyargs))
    needed = given[: len(given) - len(arguments.defaults)]
    return given, alone, needed + [one for one, v in zip(alone, arguments.kw_defaults) if v is None]


def _is_idle(node: Any) -> bool:
    """Whether a statement only imports what changes nothing, or says something."""
    if kind_of(node) == "Expr":
        return kind_of(node.value) == "Constant"
    if kind_of(node) == "ImportFrom":
        return node.module in _IDLE and not node.level
    return kind_of(node) == "Pass" or (kind_of(node) == "Import" and all([x.name in _IDLE for x in node.names]))


def _beginning_with_the_future(tree: Any) -> Any:
    """The tree, unless it imports from the future what Python has not, or behind another statement."""
    begun = False
    for k, node in enumerate(tree.body):
        early = kind_of(node) == "ImportFrom" and node.module == "__future__"
        if early and (begun or not all([x.name in _FUTURE for x in node.names])):
            raise NoPython("from __future__ imports what it has, and first of all", node.lineno)
        begun = begun or not (early or (k == 0 and _is_idle(node) and kind_of(node) == "Expr"))
    return tree


def _touched(node: Any) -> set[str]:
    """Names that a statement may give a value, or of which it changes a part."""
    found = set()
    for x in walk(node):
        if kind_of(x) == "Global":
            found |= set(x.names)
        if kind_of(x) == "NamedExpr":
            found.add(x.target.id)
        if kind_of(x) == "ExceptHandler" and x.name:
            found.add(x.name)
        if kind_of(x) == "withitem" and x.optional_vars is not None:
            found |= {one.id for one in walk(x.optional_vars) if kind_of(one) == "Name"}
        targets = list(getattr(x, "targets", [])) + [getattr(x, "target", None)]
        for one in [one for target in targets if target is not None for one in walk(target)]:
            while kind_of(one) in ("Attribute", "Subscript", "Starred"):
                one = one.value
                found |= {one.id} if kind_of(one) == "Name" else set()
    return found


def _only_defines(node: Any, inside: str = "") -> None:
    """Refuse a statement that does more than to name a function, a class, a known module or a number."""
    kind = kind_of(node)
    if kind == "FunctionDef" and not all(
        [_is_plain(x) for x in list(node.args.defaults) + list(node.args.kw_defaults)]
    ):
        raise Refusal("It keeps something between calls (a default that can change)", node.lineno)
    check(node, place=inside)
    again = Refusal("It does something beside its definitions", node.lineno)
    plain = kind == "FunctionDef"
    if kind == "ClassDef":
        plain = all([kind_of(x) == "Name" and x.id in BUILTINS for x in node.bases])
        again = again if plain else Refusal("It has a class made of another one", node.lineno)
        for part in node.body:
            if kind_of(part) in ("FunctionDef", "Assign", "AnnAssign"):
                _only_defines(part, "class")
            else:
                plain = plain and _is_idle(part)
    elif kind in ("Import", "ImportFrom"):
        names = [f"{node.module}.{x.name}" if kind == "ImportFrom" else x.name for x in node.names]
        plain = all([x in MODULES or x.rpartition(".")[0] in MODULES for x in names]) and not getattr(node, "level", 0)
        plain = plain and all([x.name != "*" for x in node.names])
    elif kind != "FunctionDef":
        targets = node.targets if kind == "Assign" else [node.target] if kind == "AnnAssign" else [node]
        lambda_ = kind == "Assign" and kind_of(node.value) == "Lambda"
        plain = all([kind_of(x) == "Name" for x in targets]) and (lambda_ or _is_plain(node.value))
    if not plain:
        raise again


def _is_plain(node: Any) -> bool:
    """Whether a value is made of constants and names."""
    if node is None or kind_of(node) in ("Constant", "Name"):
        return True
    return kind_of(node) in ("BinOp", "UnaryOp") and all([_is_plain(x) for x in children(node) if _has_a_line(x)])


def _has_a_line(node: Any) -> bool:
    return bool(getattr(node, "lineno", 0))
