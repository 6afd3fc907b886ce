"""The decision tree of a program, and the SVT that it is: what is compared, with which noise, and what ends the run.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

from svtcourse.judge.unknowns.ratio import Ratio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from svtcourse.judge.unknowns.symbols import Key, Law, Path

    Draws = dict[int, Ratio]  # each draw with the factor with which it enters

__all__ = [
    "NO_NOISE",
    "Leaf",
    "Node",
    "Seen",
    "Unrecognised",
    "compared",
    "comparison",
    "forms_in",
    "grow",
    "is_by_threshold",
    "law_of",
    "law_words",
    "leaves",
    "newest",
    "read_of",
    "recognise",
    "release",
    "shape",
]

NO_NOISE = "none", 0.0
_ELSEWHERE = 1 << 30  # after a query that was not the next one
_NAMES = {"laplace": "Laplace", "exponential": "Exponential", "gumbel": "Gumbel", "normal": "Gaussian"}
_ROLES = {"nu": "queries", "rho": "threshold", "again": "threshold drawn again", "number": "released number"}


class Unrecognised(Exception):
    """The program is no `Mechanism`; the message says why, in words for its author."""


class Leaf:
    """Where a run ends."""

    def __init__(self, output: Any, path: Path) -> None:
        self.output, self.path = output, path


class Node:
    """A comparison, and how the run goes on if its form is below 0 or not; `line` is where the source asks it."""

    def __init__(self, question: tuple[Key, bool], laws: list[Law], line: int) -> None:
        self.question, self.laws, self.line = question, laws, line
        self.next: dict[bool, Node | Leaf] = {}


def grow(paths: list[Path]) -> Node | Leaf:
    """The tree of all paths, without comparisons that change nothing of the output."""
    return _reduced(_grown(paths, 0))


def _grown(paths: list[Path], depth: int) -> Node | Leaf:
    if len(paths[0].literals) == depth:
        return Leaf(paths[0].output, paths[0])
    key, strict, _ = paths[0].literals[depth]
    node = Node((key, strict), paths[0].laws, paths[0].lines[0][depth])
    for answer in (False, True):
        node.next[answer] = _grown([path for path in paths if path.literals[depth][2] is answer], depth + 1)
    return node


def _reduced(tree: Node | Leaf) -> Node | Leaf:
    if isinstance(tree, Leaf):
        return tree
    tree.next = {answer: _reduced(part) for answer, part in tree.next.items()}
    below, above = tree.next[False], tree.next[True]
    if isinstance(below, Leaf) and isinstance(above, Leaf) and _said(below) == _said(above):
        return below
    return tree


def _said(leaf: Leaf) -> tuple[str, Any]:
    """Its output, where True is not 1, and the laws of the draws in it."""
    draws = [v[1] for terms, _ in forms_in(leaf.output) for v, _ in terms if v[0] == "z"]
    return repr(leaf.output), [leaf.path.laws[k] for k in draws]


class Comparison:
    """answer + noise against 0: the comparison `question` of a node, solved for its answer.

    Attributes
    ----------
    answer : tuple
        What is compared: an answer, or what a clipped, sorted or largest one is.
    query : int
        Which answer that is.
    up : bool
        Whether a form of at least 0 means that the answer is high.
    draws : dict
        Each draw with the factor with which it is added to the answer.
    offset : Ratio
        What else is added, but for the threshold.
    times : Ratio
        How many thresholds are taken off.
    absolute : bool
        Whether the answer and some of the noise stand inside an absolute value.
    inside : dict
        The draws that do.
    """

    def __init__(
        self,
        answer: Any,
        up: bool,
        draws: Draws,
        offset: Ratio,
        times: Ratio,
        absolute: bool = False,
        inside: Draws | None = None,
    ) -> None:
        self.answer, self.query, self.up, self.draws, self.offset = answer, answer[1], up, draws, offset
        self.times, self.absolute, self.inside = times, absolute, inside or {}


def newest(key: Key) -> tuple[int, bool]:
    """The last query that a comparison is about, and whether it says yes where that query's answer is high.

    Raises
    ------
    Unrecognised
        If it is about none.
    """
    answers = [(v[1], f) for v, f in key[0] if v[0] == "a"]
    if len(answers) < 2:
        this = comparison(key)
        return this.query, this.up
    query, factor = max(answers, key=lambda one: one[0])
    return query, factor > 0


def comparison(key: Key) -> Comparison:
    """Read a comparison as an answer with noise.

    Raises
    ------
    Unrecognised
        If it compares no answer, or several.
    """
    terms, constant = dict(key[0]), key[1]
    own = [(v, f) for v, f in terms.items() if v[0] in ("a", "|")]
    if len(own) != 1:
        if own:
            raise Unrecognised("It compares several answers at a time")
        if not any(v[0] == "z" for v in terms):
            raise Unrecognised("It compares the threshold with a number")
        raise Unrecognised("It looks at its noise apart from any answer")
    (variable, factor) = own[0]
    size = abs(factor)
    draws = {v[1]: f / factor for v, f in terms.items() if v[0] == "z"}
    times = -terms[("T",)] / factor if ("T",) in terms else Ratio(0)
    if variable[0] == "a":
        return Comparison(variable, factor > 0, draws, constant / factor, times)
    inner, shift = dict(variable[1][0]), variable[1][1]
    answers = [(v, f) for v, f in inner.items() if v[0] == "a"]
    if len(answers) != 1 or shift or any(v[0] not in ("a", "z") for v in inner):
        raise Unrecognised("What stands inside its absolute value is not an answer with noise alone")
    ((answer, f),) = answers
    if size * abs(f) != size * 1:
        raise Unrecognised("What stands inside its absolute value is a multiple of an answer")
    inside = {v[1]: g / f for v, g in inner.items() if v[0] == "z"}
    return Comparison(answer, factor > 0, draws, constant / factor, times, True, inside)


def compared(key: Key) -> tuple[Comparison, bool]:
    """A comparison, and whether it is of no answer: a number that is compared as an answer that nobody changes.

    Raises
    ------
    Unrecognised
        If it is none of these.
    """
    line = dict(key[0]).get(("T",))
    if line is None or any([v[0] in ("a", "|") for v, _ in key[0]]):
        return comparison(key), False
    return comparison((key[0] + ((("a", 0), -line),), key[1])), True


def read_of(path: Path) -> list[tuple[Comparison | None, bool, bool]]:
    """The comparisons of a run, None for one that is none of these, whether each is of no answer, and its outcome."""
    if path.read is None:
        path.read = []
        for key, _, above in path.literals:
            try:
                path.read.append(compared(key) + (above,))
            except Unrecognised:
                path.read.append((None, False, above))
    return path.read


def law_of(draws: Draws, laws: list[Law]) -> tuple[str, float] | None:
    """Family and scale of a sum of draws, None where it has no name here."""
    parts = sorted([(laws[k][0], float(laws[k][1] * abs(f)), f > 0) for k, f in draws.items()])
    if not parts:
        return NO_NOISE
    if len(parts) == 2 and parts[0][:2] == parts[1][:2] and parts[0][0] == "exponential" and parts[0][2] != parts[1][2]:
        return "laplace", parts[0][1]
    family, scale, positive = parts[0]
    if len(parts) > 1 or family not in _NAMES or (not positive and family not in ("laplace", "normal")):
        return None
    return family, scale


def law_words(law: tuple[str, float]) -> str:
    """A law as it is printed."""
    return f"{_NAMES.get(law[0], law[0])}({law[1]:.6g})" if law[1] else "no noise"


def _words(draws: Draws, laws: list[Law]) -> str:
    parts = [f"{'-' if f < 0 else ''}{laws[k][0]}({float(laws[k][1] * abs(f)):.6g})" for k, f in sorted(draws.items())]
    return " and ".join(parts if len(parts) < 5 else parts[:3] + [f"{len(parts) - 3} more"])


class Seen:
    """What the comparisons so far have shown of the mechanism."""

    def __init__(self) -> None:
        self.laws: dict[str, tuple[str, float]] = {}
        self.offset: Ratio | None = None
        self.times: list[Ratio] = []
        self.walked = 0
        self.absolute: bool | None = None
        self.refresh: bool | None = None
        self.releases: set[str] = set()
        self.most = 0
        self.in_turn = True  # each answer once
        self.bare: bool | None = None  # whether answers are compared without any noise
        self.ends: set[tuple[int, int]] = set()  # before which query runs end, and how many positives

    def same(self, role: str, draws: Draws, laws: list[Law]) -> None:
        """Take in the noise of a role, which is what it was before."""
        law, what = law_of(draws, laws), _ROLES[role]
        if law is None:
            why = "which is no noise of an SVT here"
            if role == "nu" and sorted([f > 0 for f in draws.values()]) == [False, True]:
                what, why = "queries, in some place,", "as where the threshold's is drawn anew"
            of = f"of the {what}" if role in ("nu", "number") else "that comparisons share"
            raise Unrecognised(f"The noise {of} is {_words(draws, laws)}, {why}")
        before = self.laws.setdefault(role, law)
        if before != law:
            change = f"{law_words(before)}, and then {law_words(law)}"
            raise Unrecognised(f"The noise of the {what} is not always the same: {change}")


def recognise(tree: Node | Leaf, orientation: int, seen: Seen) -> None:
    """Find the noises, the cut-off and the release of the SVT that the tree is.

    Parameters
    ----------
    tree : Node or Leaf
    orientation : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.
    seen : Seen
        What was seen, where it stops too.

    Raises
    ------
    Unrecognised
        If it is none, with the reason.
    """
    if isinstance(tree, Leaf):
        shows = any([True for _ in forms_in(tree.output)])
        raise Unrecognised(
            "It shows numbers and compares nothing" if shows else "It answers the same whatever the answers are"
        )
    _walk(tree, orientation, [], None, set(), seen)


def _walk(
    tree: Node | Leaf,
    side: int,
    positives: list[Any],
    rho: Draws | None,
    used: set[int],
    seen: Seen,
    last: int = -1,
) -> None:
    """One node: `positives` has what was found so far (None for a negative), `rho` the epoch's threshold noise.

    `last` is the query before, as long as each comes after the one before.
    """
    if isinstance(tree, Leaf):
        count = [p for p in positives if p is not None]
        seen.most = max(seen.most, len(count))
        seen.ends.add((last + 1 if last < _ELSEWHERE else len(positives), len(count)))
        release(tree, count, used, seen, side)
        return
    seen.walked += 1
    this = comparison(tree.question[0])
    seen.in_turn = seen.in_turn and this.query == len(positives)
    low = tree.next[not this.up if side > 0 else this.up]
    after = comparison(low.question[0]) if isinstance(low, Node) else None
    for one in (this, after) if after else (this,):
        seen.bare = not one.draws and not one.inside if seen.bare is None else seen.bare
        if seen.bare is not (not one.draws and not one.inside):
            raise Unrecognised("It looks at some answers without any noise")
    if seen.absolute is None:
        seen.absolute, seen.offset = this.absolute, this.offset
    seen.times += [this.times] if this.times not in seen.times else []
    if (this.absolute, this.offset) != (seen.absolute, seen.offset):
        raise Unrecognised("What it adds to its threshold is not always the same number")
    draws = dict(this.draws)
    inside = dict(this.inside.items())
    first = rho is None
    old = {k: f for k, f in draws.items() if k in used}
    if rho is None:
        rho = {}
    if positives and positives[-1] is not None and rho and not old:
        first, refreshed = True, True
    else:
        refreshed = False
    fresh = {k: f for k, f in draws.items() if k not in used}
    if any(k in used for k in inside) or set(inside) & set(draws):
        raise Unrecognised("The noise of the queries is used again")
    if first:
        shared: Draws | None
        if after:
            later = after.draws
            shared = {k: f for k, f in fresh.items() if later.get(k) == f}
            if set(fresh) & (set(later) | set(after.inside)) != set(shared):
                raise Unrecognised("Its noise is used again, with another factor beside the answer, or elsewhere")
        elif refreshed:
            shared = None
        else:
            shared = {}
        if shared is None:
            rho = dict(fresh)
            rho[-1] = Ratio(1)  # the last query of an epoch: which part is whose cannot be seen any more
        else:
            rho = shared
            role = "again" if refreshed else "rho"
            seen.same(role, {k: -f * side for k, f in rho.items()}, tree.laws)
    elif {k: f for k, f in rho.items() if k >= 0} != old:
        raise Unrecognised(
            "The noise of the queries is used again"
            if set(old) - set(rho)
            else "The threshold's noise is not always added with the same factor"
            if set(old) == {k for k in rho if k >= 0}
            else "The threshold's noise is not the same after a negative"
        )
    if positives and positives[-1] is not None and {k for k in rho if k >= 0}:
        if seen.refresh not in (None, refreshed):
            raise Unrecognised("The threshold's noise is drawn again after some answers, not after others like them")
        seen.refresh = refreshed
    unclear = -1 in rho
    rho = {k: f for k, f in rho.items() if k >= 0}
    nu = inside if this.absolute else {k: f for k, f in fresh.items() if k not in rho}
    if this.absolute and {k for k in fresh if k not in rho}:
        raise Unrecognised("The noise of the threshold is not always the same")
    if not unclear:
        seen.same("nu", {k: f * (1 if this.absolute else side) for k, f in nu.items()}, tree.laws)
    used = used | set(draws) | set(inside)
    for answer, part in tree.next.items():
        high = answer is this.up
        positive = high if side > 0 else not high
        entry = (this, nu, rho) if positive else None
        _walk(part, side, positives + [entry], rho, used, seen, this.query if last < this.query else _ELSEWHERE)


def forms_in(output: Any) -> Iterator[Key]:
    """The numbers that an output shows."""
    if isinstance(output, tuple) and output and output[0] == "form":
        yield output[1]
    elif isinstance(output, tuple):
        for part in output:
            yield from forms_in(part)


def is_by_threshold(path: Path) -> bool:
    """Whether the threshold is what answers are compared with, once, and is in no number that is shown."""
    asked = [key for key, _, _ in path.literals if any([v[0] in ("a", "|") for v, _ in key[0]])]
    shown = any([("T",) in dict(terms) for terms, _ in forms_in(path.output)])
    return not shown and all([comparison(key).times == 1 for key in asked])


def shape(output: Any) -> Any:
    """An output as it looks: of two numbers nobody sees how they were made, and True is not 1.0."""
    if isinstance(output, tuple):
        return "number" if output[:1] == ("form",) else tuple([shape(one) for one in output])
    return type(output).__name__, output


def release(leaf: Leaf, positives: list[Any], used: set[int], seen: Seen, side: int) -> None:
    """Take in which number each positive shows: its comparison, the noise of its query and that of its threshold.

    Raises
    ------
    Unrecognised
        If that is no number of an SVT.
    """
    shown = list(forms_in(leaf.output))
    if not shown:
        if positives:
            seen.releases.add("indicator")
        return
    if len(shown) != len(positives):
        raise Unrecognised("It shows numbers, and not one for each positive")
    told: set[int] = set()
    for (this, nu, _), (terms, constant) in zip(positives, shown):
        form = dict(terms)
        answer = form.pop(this.answer, None)
        draws = {v[1]: f for v, f in form.items() if v[0] == "z"}
        if answer != 1 or any(v[0] not in ("z", "T") for v in form):
            raise Unrecognised("The number that it shows is not that of the positive answer")
        if nu is None:  # of a long run it is told by its law
            own, within = (this.inside, 1) if this.absolute else (this.draws, side)
            law = law_of({k: f * within for k, f in draws.items()}, leaf.path.laws)
            nu = draws if draws and all([own.get(k) == f for k, f in draws.items()]) else None
            nu = nu if law == seen.laws.get("nu") else None
        if not constant and ("T",) not in form and draws == nu:
            seen.releases.add("compared")
        elif constant == this.offset and form.get(("T",)) == -1 == -this.times and draws == this.draws:
            seen.releases.add("gap")
        elif not constant and not set(draws) & (used | told):
            seen.releases.add("fresh")
            seen.same("number", {k: f * side for k, f in draws.items()}, leaf.path.laws)
            told |= set(draws)
        else:
            raise Unrecognised("The number that it shows is made with noise that was used before, or is not the gap")


def leaves(tree: Node | Leaf) -> Iterator[Leaf]:
    """The ends of a tree."""
    if isinstance(tree, Leaf):
        yield tree
    else:
        for part in tree.next.values():
            yield from leaves(part)
