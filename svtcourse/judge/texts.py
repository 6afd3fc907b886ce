"""A program that stands in a text, on a page or in a notebook: its definitions, and what else there is.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.expressions import Scope, bound, children, kind_of, walk
from svtcourse.judge.kinds import Frame, Run
from svtcourse.judge.language import Compiler
from svtcourse.judge.numpys import DRAWN, MODULES
from svtcourse.judge.parsing import NoPython, Refusal, parse
from svtcourse.judge.program import ROLES, Failed, Program, nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Text"]

_KNOWN = ("numpy", "math", "scipy")
_DRAWING = ("matplotlib", "svtlib")  # what these do changes no name and no noise
_MODULES = """
    numpy math scipy matplotlib pandas IPython svtlib svtcourse typing itertools collections fractions time random
    dataclasses statistics abc enum warnings copy __future__
"""
_REACHING = """
    exec eval compile open input globals locals vars dir setattr delattr getattr hasattr type super breakpoint map
    filter property classmethod staticmethod object memoryview help iter next __import__ __build_class__
"""
_KINDS = """
    Expr Assign AugAssign AnnAssign For While If Try ExceptHandler Assert Pass Break Continue Return Raise Name Constant
    Attribute Subscript Slice keyword Starred Tuple List Dict Set BinOp UnaryOp BoolOp Compare IfExp ListComp SetComp
    DictComp GeneratorExp comprehension Yield FunctionDef ClassDef Lambda arguments arg Nonlocal Import ImportFrom alias
"""
_OWN, _NUMBERS = ("exercises", "plots"), ("pi", "e", "inf", "nan")
_HARMLESS, _REACH, _READ = set(_MODULES.split()), set(_REACHING.split()), set(_KINDS.split())


class Text(Program):
    """A program that stands in a text: definitions and constants, of which the last that takes answers is judged.

    Parameters
    ----------
    text : str
    asked : dict
        ``epsilon``, ``c``, ``sensitivity``; ``function``, which of several; ``given``, values of its own parameters.
    """

    most_paths = 700
    strict = True  # whether all of the text runs as it stands, and not the program alone
    odd: Refusal | None = None  # why a function that takes answers is not the one

    def __init__(
        self, text: str, asked: dict[str, Any] | None = None, beat: Callable[[], None] = nothing, tree: Any = None
    ) -> None:
        asked = {} if asked is None else asked
        super().__init__(
            float(asked.get("epsilon", 1.0)), int(asked.get("c", 1)), float(asked.get("sensitivity", 1.0)), beat
        )
        if not (self.epsilon > 0 and self.sensitivity > 0 and 1 <= self.c <= 5):
            raise Failed("epsilon and sensitivity must be above 0, and c from 1 to 5", 0)
        try:
            self.tree = parse(text) if tree is None else tree
        except NoPython as error:
            raise Failed(error.reason, error.line) from error
        self.given, self.name = asked.get("given", {}), ""
        kept, self.lost = _kept(self.tree.body, self.strict)
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
        self.run_ = Compiler(self._outside).block(kept, Scope(self.bound, None))

    def _outside(self, name: str) -> Any:
        if name in ("np", "math") and name not in self.lost:
            return MODULES["numpy" if name == "np" else name]
        if name in self.lost or "*" in self.lost:
            raise Refusal(f"It uses {name} from outside: here only numpy and math are known")
        raise KeyError(name)

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

    In a `strict` text nothing else may change what they mean.
    """
    kept: list[Any] = []
    lost: set[str] = set()
    for node in nodes:
        kind = kind_of(node)
        if kind in ("FunctionDef", "ClassDef"):
            keep = not node.decorator_list and all([_is_plain(x) for x in _at_once(node)]) and not _names_more(node)
            keep = keep and (kind == "FunctionDef" or all([_only_defines(part) for part in node.body]))
        elif kind in ("Import", "ImportFrom"):
            keep = bool(_imported(node, _KNOWN) - {"*"})
        else:
            keep = kind == "Assign" and all([kind_of(x) == "Name" for x in node.targets])
            keep = keep and all([_is_plain(x) for x in _at_once(node)])
        if keep:
            kept.append(node)
        else:
            lost |= _given(node)
        for part in walk(node):
            lost |= set(part.names) if kind_of(part) == "Global" else set()
    return kept, lost | (_touched(nodes, kept) if strict else set())


def _touched(nodes: list[Any], kept: list[Any]) -> set[str]:
    """The names that may be something else, for what is handed on; refuse what runs and may change any of them.

    What runs sets names, elements and attributes of ``self``, and calls what is defined here or known by its name.
    """
    classes = {node.name for node in kept if kind_of(node) == "ClassDef"}
    called = "FunctionDef", "ClassDef", "Lambda"
    defined = {name for node in kept if kind_of(getattr(node, "value", node)) in called for name in _names_of(node)}
    imports = [node for node in nodes if kind_of(node) in ("Import", "ImportFrom")]
    named = {name for node in imports if getattr(node, "module", "") != "math" for name in _names_of(node)}
    set_here = {x.arg for node in nodes for x in walk(node) if kind_of(x) == "arg"}
    for node in nodes:
        bound(node, set_here)
    drawing = {name for node in imports if kind_of(node) == "Import" for name in _imported(node, _DRAWING)}
    drawing |= {"svt", "plt"} - set_here
    unknown = set_here - defined - {"default_rng"}
    beside = _Beside(classes, unknown | _REACH, (named | {"np", "math"}) - {"default_rng"}, drawing)
    beside.numbers = {"np", "math"} | {name for node in imports for name in _imported(node, ("numpy", "math"))}
    others = [node for node in nodes if not _among(node, kept)]
    runs = {x.id for node in others for x in walk(node) if kind_of(x) == "Name"}
    while True:  # what else runs when they do
        more = {x.id for node in kept if _names_of(node) & runs for x in walk(node) if kind_of(x) == "Name"}
        if more <= runs:
            break
        runs |= more
    lost: set[str] = set()
    for node in nodes:
        parts = list(walk(node))
        names = [part.name for part in parts if kind_of(part) == "FunctionDef"]
        if any([name[:2] == "__" and name != "__init__" for name in names]):
            raise _refused(node)  # Python calls it by itself
        if _among(node, imports):
            beside.imports(node)
        elif _among(node, others) or _names_of(node) & runs:
            beside.allows(node)
            if any([getattr(part, "attr", "") == "seed" for part in parts]):
                lost |= named | {"np", "math"}
        known = [part.func for part in parts if kind_of(part) == "Call"]
        known += [part.value for part in parts if kind_of(part) == "Attribute"]
        known += [base for part in parts if kind_of(part) == "ClassDef" for base in part.bases]
        lost |= {x.id for x in parts if kind_of(x) == "Name" and x.id in classes and not _among(x, known)}
    return lost


def _refused(node: Any) -> Refusal:
    return Refusal("It may change names or noise from outside", getattr(node, "lineno", 0))


class _Beside:
    """What may run beside a program: nothing that could change what its names stand for, or its noise."""

    def __init__(self, classes: set[str], unknown: set[str], modules: set[str], drawing: set[str]) -> None:
        self.classes, self.unknown, self.modules, self.drawing = classes, unknown, modules | drawing, drawing
        self.numbers: set[str] = set()

    def imports(self, node: Any) -> None:
        """Modules that change nothing when they are imported."""
        names = [node.module or ""] if kind_of(node) == "ImportFrom" else [x.name for x in node.names]
        if getattr(node, "level", 0) or not all([x.split(".")[0] in _HARMLESS for x in names]):
            raise _refused(node)

    def allows(self, node: Any) -> None:
        """Refuse a statement or definition if any part of it is not known to be harmless."""
        parts = list(walk(node))
        methods = [one for part in parts if kind_of(part) == "ClassDef" for one in part.body if _is_method(one)]
        called = [part.func for part in parts if kind_of(part) == "Call"]
        under = [part.value for part in parts if kind_of(part) == "Attribute"]
        targets = [x for one in parts for x in _targets(one)]
        for part in parts:
            kind = kind_of(part)
            if kind in ("Import", "ImportFrom"):
                self.imports(part)
            fine = kind in _READ or not getattr(part, "lineno", 0)
            if kind == "Call":
                of = part.func
                fine = kind_of(of) == "Attribute" or (kind_of(of) == "Name" and of.id not in self.unknown)
            elif kind == "JoinedStr":
                fine = not part.calls
            elif kind == "Attribute" and _among(part, targets):
                fine = any([_of_itself(part, method) for method in methods])
            elif kind == "Attribute":
                fine = self._read(part, _among(part, called), _among(part, under))
            elif kind == "Name" and part.id in self.modules:
                fine = _among(part, under)
            if not fine:
                raise _refused(part)

    def _read(self, part: Any, called: bool, under: bool) -> bool:
        """Whether an attribute may be read: of an object that has a name, or what a module is known to have."""
        base, name = part.value, part.attr
        if name.startswith("__"):
            return name in ("__doc__", "__name__")
        kind, root = kind_of(base), base
        while kind_of(root) == "Attribute":
            root = root.value
        if kind_of(root) == "Call":  # of what the course or an unknown function gives
            of = root.func
            return kind_of(of) == "Name" or (kind_of(of.value) == "Name" and of.value.id in self.drawing)
        if kind == "Attribute":
            random = base.attr == "random" and name in DRAWN + ("default_rng", "seed")
            own = base.attr in _OWN and base.value is root and kind_of(root) == "Name" and root.id in self.drawing
            far = kind_of(root) == "Name" and root.id not in self.modules | self.classes
            return far or (called and (random or own))
        if kind != "Name" or base.id in self.classes:
            return False
        if base.id in self.drawing:
            return called or (under and name in _OWN)
        if base.id in self.modules:
            if name == "random":
                return under
            return name in _NUMBERS or (called and base.id in self.numbers and not name.startswith("set"))
        return True


def _among(part: Any, others: list[Any]) -> bool:
    return any([part is one for one in others])


def _targets(node: Any) -> list[Any]:
    """What a statement sets."""
    targets = getattr(node, "targets", []) if kind_of(node) == "Assign" else [getattr(node, "target", None)]
    return [x for one in targets if one is not None for x in walk(one)]


def _is_method(node: Any) -> bool:
    return kind_of(node) == "FunctionDef" and bool(node.args.args)


def _of_itself(part: Any, method: Any) -> bool:
    """Whether an attribute is of the object whose method it stands in."""
    first = method.args.args[0].arg
    names: set[str] = set()
    for one in method.body:
        bound(one, names)
    inner = [x for one in method.body for y in walk(one) if kind_of(y) in ("FunctionDef", "Lambda") for x in walk(y)]
    inside = _among(part, [x for one in method.body for x in walk(one)]) and not _among(part, inner)
    return inside and kind_of(part.value) == "Name" and part.value.id == first and first not in names


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


def _names_more(node: Any) -> bool:
    """Whether a definition names something besides, where it stands: in an annotation, say."""
    body = node.body if kind_of(node) in ("FunctionDef", "ClassDef") else []
    rest = [part for part in children(node) if not any([part is one for one in body])]
    found = any([kind_of(x) in ("NamedExpr", "Call") for part in rest for x in walk(part)])
    return found or (kind_of(node) == "ClassDef" and any([_names_more(part) for part in body]))


def _imported(node: Any, known: tuple[str, ...]) -> set[str]:
    """The names that an import gives to what belongs to known modules; nothing if it is no such import."""
    names: set[str] = set()
    if kind_of(node) == "ImportFrom":
        modules = [getattr(node, "module", None) or ""] if not node.level else [""]
    else:
        modules = [x.name for x in node.names] if kind_of(node) == "Import" else [""]
    if all([(x if known is _KNOWN else x.split(".")[0]) in known for x in modules]):
        bound(node, names)
    return names


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
