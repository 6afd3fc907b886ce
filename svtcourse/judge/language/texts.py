"""A program that stands in a text, on a page or in a notebook: its definitions, and what else there is.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.compiler import Compiler
from svtcourse.judge.language.expressions import DOING, Scope, bound, children, kind_of, walk
from svtcourse.judge.language.kinds import Class, Error, Frame, Run
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.numpys import MODULES
from svtcourse.judge.language.parsing import NoPython, Refusal, parse
from svtcourse.judge.language.program import ROLES, Failed, Program, nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Text"]

_KNOWN = ("numpy", "math", "scipy")  # modules of which the judge knows something
_IDLE = _KNOWN + (  # whose import changes nothing
    "scipy.stats", "matplotlib.pyplot", "pandas", "svtlib", "typing", "random", "dataclasses", "collections",
)  # fmt: skip
_NO_NOTE = DOING + ("Call", "JoinedStr")  # what an annotation may not be made of


class Text(Program):
    """A program that stands in a text: definitions and constants, of which the last that takes answers is judged.

    Parameters
    ----------
    text : str
    asked : dict
        ``epsilon``, ``c``, ``sensitivity``; ``function``, which of several; ``given``, values of its own parameters.
    """

    most_paths = 700
    strict = True  # whether the statements beside the program run in the same process
    odd: Refusal | None = None  # why a function that takes answers is not the one

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
            self.tree = parse(text) if tree is None else tree
        except NoPython as error:
            raise Failed(error.reason, error.line) from error
        self.given, self.name = asked.get("given") or {}, ""
        kept, self.lost = _kept(self.tree.body, self.strict)
        idle = [node for node in kept if not any([kind_of(x) == "Call" for y in _at_once(node) for x in walk(y)])]
        idle += [node for node in self.tree.body if _is_idle(node)]
        for node in kept:
            self._judged(node, asked.get("function", ""))
        if not self.name and self.odd is not None:
            raise self.odd
        if not self.name:
            for node in self.tree.body:
                if kind_of(node) in ("FunctionDef", "ClassDef") and not any([node is one for one in kept]):
                    raise Refusal(
                        f"{node.name} is decorated, or keeps something between calls (a default that can change)",
                        node.lineno,
                    )
            raise Refusal(
                "It has no function that takes answers, as in def program(answers, threshold, epsilon, c, rng):"
            )
        kept, self.lost = _needed(kept, self.lost, self.name)
        self.bound = {name for node in kept for name in _names_of(node)}
        if self.name in self.lost:
            raise Refusal(f"It defines {self.name} twice, or changes it")
        self.kept = kept
        named = {name for node in self.tree.body for name in _given(node)}
        bases = {name for name in BUILTINS if isinstance(BUILTINS[name], (Class, Error))} - named
        for node in kept:
            if kind_of(node) == "ClassDef" and not _is_asked_by_python(node, bases):
                bases.add(node.name)
        known = [node for node in kept + idle if not _is_asked_by_python(node, bases)]
        self.unseen = []
        for k, node in enumerate(self.tree.body):
            if not any([node is one for one in known]):
                self.unseen.append((k, node.lineno))
            else:
                self.unseen += [(k, line) for line in self._unread(node)]
        self.run_ = Compiler(self._outside).block(kept, Scope(self.bound, None))

    def _outside(self, name: str) -> Any:
        if name in ("np", "math") and name not in self.lost:
            return MODULES["numpy" if name == "np" else name]
        if name in self.lost or "*" in self.lost:
            raise Refusal(f"It uses {name} from outside: here only numpy and math are known")
        raise KeyError(name)

    def _unread(self, node: Any) -> list[int]:
        """Where functions begin that are not read, in a definition: what is not called may be no Python."""
        parts = node.body if kind_of(node) == "ClassDef" else [node]
        found = []
        for part in [part for part in parts if kind_of(part) == "FunctionDef"]:
            try:
                Compiler(self._outside).code(part, Scope(self.bound, None), part.name)
            except Refusal:
                found.append(part.lineno)
        return found

    def _judged(self, node: Any, wanted: str) -> None:
        """Take a definition, if it is one to judge."""
        kind = kind_of(node)
        if kind == "Assign" and kind_of(node.value) == "Lambda" and kind_of(node.targets[0]) == "Name":
            name, arguments = node.targets[0].id, node.value.args
        elif kind in ("FunctionDef", "ClassDef"):
            name, arguments = node.name, getattr(node, "args", None)
        else:
            return
        if wanted not in ("", name):
            return
        asks = False
        if kind == "ClassDef":
            methods = {part.name: part.args for part in node.body if kind_of(part) == "FunctionDef"}
            if "ask" not in methods:
                return
            asks, arguments = True, methods.get("__init__")
        given = [] if arguments is None else list(arguments.args)
        alone = [] if arguments is None else list(arguments.kwonlyargs)
        needed = given[: len(given) - len(arguments.defaults)] if arguments is not None else []
        needed = needed + [one for one, v in zip(alone, arguments.kw_defaults if arguments else []) if v is None]
        names: dict[str, str] = {}
        meant = asks or any([x.arg in ROLES["answers"] for x in given + alone])
        for one in (given + alone)[1 if asks else 0 :]:
            roles = [role for role in ROLES if one.arg in ROLES[role]]
            if roles:
                names[one.arg] = roles[0]
            elif meant and one.arg not in self.given and any([one is x for x in needed]):
                self.odd = Refusal(f"It takes a parameter {one.arg}, which has no meaning here", node.lineno)
                return  # perhaps it helps another one
        if asks or "answers" in names.values():
            self.name, self.asks, self.names = name, asks, names
            self.takes_threshold = asks and len(methods["ask"].args) > 2

    def made(self, run: Run) -> Any:
        """What the text defines, made anew."""
        frame = Frame(run, None, self.tree)
        self.run_(frame)
        return frame.names[self.name]

    def nodes(self) -> list[Any]:
        """What is kept of the text."""
        return self.kept


def _kept(nodes: list[Any], strict: bool) -> tuple[list[Any], set[str]]:
    """The statements that define something, and the names of which it is not known what they stand for.

    Where all of a text runs, a seed is one for all that draws.
    """
    kept: list[Any] = []
    lost: set[str] = set()
    for node in nodes:
        kind = kind_of(node)
        if kind in ("FunctionDef", "ClassDef"):
            keep = not node.decorator_list and all([_is_plain(x) for x in _at_once(node)]) and not _names_more(node)
            keep = keep and (kind == "FunctionDef" or all([_only_defines(part) for part in node.body]))
        elif kind in ("Import", "ImportFrom"):
            keep = bool(_imported(node) - {"*"})
        else:
            keep = kind == "Assign" and all([kind_of(x) == "Name" for x in node.targets])
            keep = keep and all([_is_plain(x) for x in _at_once(node)])
        if keep:
            kept.append(node)
        else:
            lost |= _given(node)
        for part in walk(node):
            lost |= set(part.names) if kind_of(part) == "Global" else set()
            if strict and not keep and "seed" in (getattr(part, "attr", ""), getattr(part, "id", "")):
                lost |= {"np"} | {name for one in nodes for name in _imported(one)}
    return kept, lost


def _needed(kept: list[Any], lost: set[str], name: str) -> tuple[list[Any], set[str]]:
    """The definitions that one name hangs on; what is made of a name that is lost is lost too."""
    wanted, count = {name}, 0
    while count < len(wanted):
        count = len(wanted)
        for node in kept:
            if _names_of(node) & wanted:
                wanted |= {x.id for x in walk(node) if kind_of(x) == "Name"}
    kept, before = [node for node in kept if _names_of(node) & wanted], -1
    while before < len(lost):
        before = len(lost)
        for node in kept:
            used = {x.id for y in _at_once(node) for x in walk(y) if kind_of(x) == "Name"}
            if (_names_of(node) | used) & lost:
                lost = lost | _names_of(node)
    return [node for node in kept if not _names_of(node) & lost], lost


def _names_of(node: Any) -> set[str]:
    names: set[str] = set()
    bound(node, names)
    return names


def _only_defines(node: Any) -> bool:
    """Whether a statement in a class does nothing else."""
    kind = kind_of(node)
    if kind == "Assign":
        return all([kind_of(x) == "Name" for x in node.targets])
    return kind in ("FunctionDef", "Pass") or (kind == "Expr" and kind_of(node.value) == "Constant")


def _is_asked_by_python(node: Any, known: set[str]) -> bool:
    """Whether Python may call a part of it unasked: a method between underscores, or what an unknown base asks for."""
    own = [one for part in node.body for one in _names_of(part)] if kind_of(node) == "ClassDef" else []
    names = [x for x in own if x != "__init__"] + list(_names_of(node))
    bases = getattr(node, "bases", []) if kind_of(node) == "ClassDef" else []
    plain = all([kind_of(x) == "Name" and x.id in known for x in bases])
    return any([x.startswith("__") for x in names]) or bool(getattr(node, "keywords", [])) or not plain


def _names_more(node: Any) -> bool:
    """Whether a definition names something besides, where it stands: in an annotation, say."""
    body = node.body if kind_of(node) in ("FunctionDef", "ClassDef") else []
    rest = [part for part in children(node) if not any([part is one for one in body])]
    found = any([kind_of(x) in _NO_NOTE for part in rest for x in walk(part)])
    return found or (kind_of(node) == "ClassDef" and any([_names_more(part) for part in body]))


def _imported(node: Any) -> set[str]:
    """The names that an import gives to what belongs to known modules; nothing if it is no such import."""
    names: set[str] = set()
    if kind_of(node) == "ImportFrom":
        modules = [getattr(node, "module", None) or ""] if not node.level else [""]
    else:
        modules = [x.name for x in node.names] if kind_of(node) == "Import" else [""]
    if all([x in _KNOWN for x in modules]):
        bound(node, names)
    return names


def _is_idle(node: Any) -> bool:
    """Whether a statement only imports what is known, or says something."""
    if kind_of(node) == "Expr":
        return kind_of(node.value) == "Constant"
    if kind_of(node) == "ImportFrom":
        return node.module in _IDLE and not node.level
    return kind_of(node) == "Pass" or (kind_of(node) == "Import" and all([x.name in _IDLE for x in node.names]))


def _given(node: Any) -> set[str]:
    """The names that a statement which is not kept may have given a value, or changed."""
    names: set[str] = set()
    bound(node, names)
    for part in walk(node):
        for one in (getattr(part, "name", None), getattr(part, "rest", None), getattr(part, "optional_vars", None)):
            names |= (
                {one} if isinstance(one, str) else {x.id for x in walk(one) if kind_of(x) == "Name"} if one else set()
            )
        target = getattr(part, "target", None)
        for one in [target] if target is not None else getattr(part, "targets", []):
            while kind_of(one) in ("Attribute", "Subscript", "Starred"):
                one = one.value
            names |= {x.id for x in walk(one) if kind_of(x) == "Name"}
    return names


def _at_once(node: Any) -> list[Any]:
    """What of a definition is looked at when it is made: a value, defaults, bases and constants of a class."""
    kind = kind_of(node)
    if kind == "FunctionDef" or (kind == "Assign" and kind_of(node.value) == "Lambda"):
        arguments = node.args if kind == "FunctionDef" else node.value.args
        return list(arguments.defaults) + [one for one in arguments.kw_defaults if one is not None]
    if kind != "ClassDef":
        return [node.value] if kind == "Assign" else []
    return list(node.bases) + [x for part in node.body for x in _at_once(part)]


def _is_plain(node: Any) -> bool:
    """Whether a value is made of constants and names."""
    kind = kind_of(node)
    if (
        kind == "Call"
        and kind_of(node.func) == "Attribute"
        and kind_of(node.func.value) == "Name"
        and not node.keywords
    ):
        return node.func.attr in ("sqrt", "exp", "log") and all([_is_plain(x) for x in node.args])
    if kind not in ("Constant", "Name", "BinOp", "UnaryOp", "Tuple"):
        return not getattr(node, "lineno", 0)
    return all([_is_plain(x) for x in children(node)])
