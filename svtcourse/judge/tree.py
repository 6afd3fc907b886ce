"""The decision tree of a program, and the SVT that it is: what is compared, with which noise, and what ends the run.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

from svtcourse.judge.ratio import Ratio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from svtcourse.judge.symbols import Key, Law, Path

    Draws = dict[int, Ratio]  # each draw with the factor with which it enters

__all__ = [
    "SVT",
    "Leaf",
    "Node",
    "Unrecognised",
    "comparison",
    "follows",
    "grow",
    "law_of",
    "law_words",
    "recognise",
    "strays",
    "svt_of",
]

NO_NOISE = "none", 0.0
_NAMES = {"laplace": "Laplace", "exponential": "Exponential", "gumbel": "Gumbel", "normal": "Gaussian"}
_MOVES = {"laplace": (1, -1), "exponential": (1,), "gumbel": (1,)}  # ways in which a shift by x costs x / scale at most
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
    if isinstance(below, Leaf) and isinstance(above, Leaf) and below.output == above.output:
        return below
    return tree


class Comparison:
    """answer + noise against 0: the comparison `question` of a node, solved for its answer.

    Attributes
    ----------
    query : int
        Which answer is compared.
    up : bool
        Whether a form of at least 0 means that the answer is high.
    draws : dict
        Each draw with the factor with which it is added to the answer.
    offset : Ratio
        What else is added, but for the threshold.
    absolute : bool
        Whether the answer and some of the noise stand inside an absolute value.
    inside : dict
        The draws that do.
    """

    def __init__(
        self, query: int, up: bool, draws: Draws, offset: Ratio, absolute: bool = False, inside: Draws | None = None
    ) -> None:
        self.query, self.up, self.draws, self.offset = query, up, draws, offset
        self.absolute, self.inside = absolute, inside or {}


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
            raise Unrecognised("It compares answers with each other")
        if not any(v[0] == "z" for v in terms):
            raise Unrecognised("It compares the threshold with a number")
        raise Unrecognised("It looks at its noise apart from any answer")
    (variable, factor) = own[0]
    size = abs(factor)
    draws = {v[1]: f / factor for v, f in terms.items() if v[0] == "z"}
    if variable[0] == "a":
        return Comparison(variable[1], factor > 0, draws, constant / factor)
    inner, shift = dict(variable[1][0]), variable[1][1]
    answers = [(v, f) for v, f in inner.items() if v[0] == "a"]
    if len(answers) != 1 or shift or any(v[0] not in ("a", "z") for v in inner):
        raise Unrecognised("What stands inside its absolute value is not an answer with noise")
    ((answer, f),) = answers
    if size * abs(f) != size * 1:
        raise Unrecognised("What stands inside its absolute value is a multiple of an answer")
    inside = {v[1]: g / f for v, g in inner.items() if v[0] == "z"}
    return Comparison(answer[1], factor > 0, draws, constant / factor, True, inside)


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
    return " and ".join(parts)


class _Seen:
    """What the comparisons so far have shown of the mechanism."""

    def __init__(self) -> None:
        self.laws: dict[str, tuple[str, float]] = {}
        self.offset: Ratio | None = None
        self.absolute: bool | None = None
        self.refresh: bool | None = None
        self.releases: set[str] = set()
        self.most = 0

    def same(self, role: str, draws: Draws, laws: list[Law]) -> None:
        law, what = law_of(draws, laws), _ROLES[role]
        if law is None:
            raise Unrecognised(f"The noise of the {what} is {_words(draws, laws)}, which is no noise of an SVT here")
        before = self.laws.setdefault(role, law)
        if before != law:
            change = f"{law_words(before)}, and then {law_words(law)}"
            raise Unrecognised(f"The noise of the {what} is not always the same: {change}")


def recognise(tree: Node | Leaf, orientation: int = 1) -> _Seen:
    """Find the noises, the cut-off and the release of the SVT that the tree is.

    Parameters
    ----------
    tree : Node or Leaf
    orientation : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.

    Raises
    ------
    Unrecognised
        If it is none, with the reason.
    """
    seen = _Seen()
    if isinstance(tree, Leaf):
        raise Unrecognised("It answers the same whatever the answers are")
    _walk(tree, orientation, [], None, set(), seen)
    return seen


def _walk(
    tree: Node | Leaf,
    side: int,
    positives: list[Any],
    rho: Draws | None,
    used: set[int],
    seen: _Seen,
) -> None:
    """One node: `positives` has what was found so far (None for a negative), `rho` the epoch's threshold noise."""
    if isinstance(tree, Leaf):
        count = [p for p in positives if p is not None]
        seen.most = max(seen.most, len(count))
        _release(tree, count, used, seen)
        return
    this = comparison(tree.question[0])
    if seen.absolute is None:
        seen.absolute, seen.offset = this.absolute, this.offset
    if (this.absolute, this.offset) != (seen.absolute, seen.offset):
        raise Unrecognised("Its threshold is not always moved by the same number")
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
    low = tree.next[not this.up if side > 0 else this.up]
    if first:
        shared: Draws | None
        if isinstance(low, Node):
            later = comparison(low.question[0]).draws
            shared = {k: f for k, f in fresh.items() if later.get(k) == f}
            if set(fresh) & (set(later) | set(comparison(low.question[0]).inside)) != set(shared):
                raise Unrecognised("The noise of the queries is used again")
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
            else "The threshold's noise is drawn again after a negative"
        )
    if positives and positives[-1] is not None and {k for k in rho if k >= 0}:
        if seen.refresh not in (None, refreshed):
            raise Unrecognised("The threshold's noise is drawn again after some positives and not after others")
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
        _walk(part, side, positives + [entry], rho, used, seen)


def _forms(output: Any) -> Iterator[Key]:
    if isinstance(output, tuple) and output and output[0] == "form":
        yield output[1]
    elif isinstance(output, tuple):
        for part in output:
            yield from _forms(part)


def _release(leaf: Leaf, positives: list[Any], used: set[int], seen: _Seen) -> None:
    """Which number each positive shows."""
    shown = list(_forms(leaf.output))
    if not shown:
        if positives:
            seen.releases.add("indicator")
        return
    if len(shown) != len(positives):
        raise Unrecognised("It shows numbers, and not one for each positive")
    told: set[int] = set()
    for (this, nu, _), (terms, constant) in zip(positives, shown):
        form = dict(terms)
        answer = form.pop(("a", this.query), None)
        draws = {v[1]: f for v, f in form.items() if v[0] == "z"}
        if answer != 1 or any(v[0] not in ("z", "T") for v in form):
            raise Unrecognised("The number that it shows is not that of the positive answer")
        if not constant and ("T",) not in form and draws == nu:
            seen.releases.add("compared")
        elif constant == this.offset and form.get(("T",)) == -1 and draws == this.draws:
            seen.releases.add("gap")
        elif not constant and ("T",) not in form and not set(draws) & (used | told):
            seen.releases.add("fresh")
            seen.same("number", draws, leaf.path.laws)
            told |= set(draws)
        else:
            raise Unrecognised("The number that it shows is made with noise that was used before")


class SVT:
    """The SVT that a tree is.

    Attributes
    ----------
    threshold, query, again, number : (family, scale)
        The noise of the threshold, of the queries, of the threshold drawn again, and of a released number.
    refresh, absolute, stops : bool
    release : str
        ``"indicator"``, ``"compared"``, ``"gap"`` or ``"fresh"``.
    c : int
        After how many positives it stops, or what was asked for where it does not.
    correction : float
        By how much its threshold is raised.
    """

    def __init__(self, seen: _Seen, n: int, c: int) -> None:
        if len(seen.releases) > 1:
            raise Unrecognised("Some positives show a number and others do not")
        self.threshold, self.query = seen.laws.get("rho", NO_NOISE), seen.laws.get("nu", NO_NOISE)
        self.again = seen.laws.get("again", self.threshold)
        self.number = seen.laws.get("number", NO_NOISE)
        self.refresh, self.absolute = bool(seen.refresh), bool(seen.absolute)
        self.stops = seen.most <= n - 2
        self.release = list(seen.releases)[0] if seen.releases else "indicator"
        self.c = max(seen.most, 1) if self.stops else c
        self.correction = -float(seen.offset or 0)

    def words(self, c: int) -> str:
        """What it is, in words; c is what was asked for."""
        text = (
            f"It is an SVT with {law_words(self.threshold)} on the threshold and {law_words(self.query)} on the queries"
        )
        if self.absolute:
            text += ", inside an absolute value"
        if self.correction:
            way = "raised" if self.correction > 0 else "lowered"
            text += f", its threshold {way} by {abs(self.correction):g}"
        if self.refresh:
            text += f", the threshold's drawn again after each ⊤ with {law_words(self.again)}"
        where = "" if self.c == c else f" where c is {c}"
        text += f", that stops after {self.c} ⊤{where}" if self.stops else ", that never stops"
        if self.release == "compared":
            text += ", and releases the number that it compared"
        elif self.release == "gap":
            text += ", and releases by how much the noisy answer passed the noisy threshold"
        elif self.release == "fresh":
            what = f"the answer with {law_words(self.number)}" if self.number[1] else "the true answer"
            text += f", and releases {what}"
        return text

    def bill(self, sensitivity: float, monotonic: bool) -> list[tuple[str, float]]:
        """What each step of its alignment pays; `inf` where no noise of this kind can pay.

        The threshold moves up by the sensitivity, so that all negatives stay; a positive's noise then moves up by twice
        that (once, if answers only move together), and a number of its own by the sensitivity, either way.
        If answers only move together, up and down are two cases, and the dearer one counts.
        """
        inf = float("inf")

        def price(law: tuple[str, float], way: int = 1) -> float:
            return sensitivity / law[1] if law[1] and way in _MOVES.get(law[0], ()) else inf

        both_ways = self.absolute or not monotonic
        each = (2 if both_ways else 1) * price(self.query)
        if self.absolute and -1 not in _MOVES.get(self.query[0], ()):
            each = inf
        if self.release == "compared" or (self.absolute and self.release != "indicator"):
            each = inf  # the number says where its noise was
        threshold = price(self.threshold) + ((self.c - 1) * price(self.again) if self.refresh and self.c > 1 else 0.0)
        times = self.c if self.stops else inf
        paid = [("threshold", threshold), ("positives", times * each)]
        if self.release != "fresh":
            return paid
        number = max(price(self.number), price(self.number, -1))
        if both_ways:
            return paid + [("numbers", times * number)]
        up = [("threshold", threshold), ("positives with their numbers", times * max(each, number))]
        down = [("positives", times * each), ("numbers", times * number)]
        return max(up, down, key=lambda bill: sum([x for _, x in bill]))


def svt_of(tree: Node | Leaf, n: int, c: int) -> tuple[int, SVT]:
    """The SVT that a tree for n queries is, with its side: 1 if the high answers are the positives, -1 if the low are.

    Raises
    ------
    Unrecognised
        If it is none, with the reason.
    """
    found, reasons = [], []
    for side in (1, -1):
        try:
            found.append((side, SVT(recognise(tree, side), n, c)))
        except Unrecognised as reason:
            reasons.append(str(reason))
    for side, svt in sorted(found, key=lambda pair: not pair[1].stops):
        if side == 1 or svt.stops:
            return side, svt
    raise Unrecognised(reasons[0])


def _with(draws: Draws, k: int, f: Ratio) -> Draws:
    more = dict(draws)
    more[k] = f
    return more


def _splits(draws: Draws, laws: list[Law], side: int, within: int, rho: Any, nu: Any) -> bool:
    """Whether some of these draws are the noise of a threshold, and the others that of a query."""
    ways: list[tuple[Draws, Draws]] = [({}, {})]
    for k, f in draws.items():
        ways = [
            (one, other)
            for first, second in ways
            for one, other in ((_with(first, k, -f * side), second), (first, _with(second, k, f * within)))
        ]
    return any(law_of(one, laws) == rho and law_of(other, laws) == nu for one, other in ways)


def follows(path: Path, svt: SVT, side: int) -> bool:
    """Whether a run, of whatever length, is one of the SVT: its comparisons, its stop, and what it shows."""
    if strays(path, svt, side):
        return False
    asked = [(comparison(key), above) for key, _, above in path.literals]
    hits = [this for this, above in asked if (above is this.up) is (side > 0)]
    shown = list(_forms(path.output))
    if (svt.stops and len(hits) > svt.c) or len(shown) != (0 if svt.release == "indicator" else len(hits)):
        return False
    used = {k for this, _ in asked for k in list(this.draws) + list(this.inside)}
    for this, (terms, constant) in zip(hits, shown):
        form = dict(terms)
        draws = {v[1]: f for v, f in form.items() if v[0] == "z"}
        if form.get(("a", this.query)) != 1 or len([v for v in form if v[0] in ("a", "|")]) > 1:
            return False
        if svt.release == "gap":
            if constant != this.offset or form.get(("T",)) != -1 or draws != this.draws:
                return False
        elif constant or ("T",) in form or set(draws) & used or law_of(draws, path.laws) != svt.number:
            return False
        used |= set(draws) if svt.release == "fresh" else set()
    return True


def strays(path: Path, svt: SVT, side: int) -> bool:
    """Whether a long run is not that of the mechanism: another law, noise used again, a threshold drawn unasked.

    Parameters
    ----------
    path : Path
    svt : SVT
    side : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.
    """
    try:
        asked = [(comparison(key), above) for key, _, above in path.literals]
    except Unrecognised:
        return True
    within = 1 if svt.absolute else side
    still = svt.threshold == NO_NOISE
    used: set[int] = set()
    rho: Draws | None = None  # None where it has to be seen from what the next comparison has too
    for i, (this, _) in enumerate(asked):
        own = dict(this.draws)
        own.update(this.inside)
        old = {k: f for k, f in this.draws.items() if k in used}
        anew = i > 0 and svt.refresh and (asked[i - 1][1] is asked[i - 1][0].up) is (side > 0)
        if i and old != (rho or {}):
            if not anew or old:
                return True
            rho = None
        fresh = {k: f for k, f in own.items() if k not in used}
        if rho is None and not still:
            if i and not anew:
                return True
            later = asked[i + 1][0].draws if i + 1 < len(asked) else {}
            rho = {k: f for k, f in fresh.items() if later.get(k) == f} or None
            if rho is not None:
                law = law_of({k: -f * side for k, f in rho.items()}, path.laws)
                if law != (svt.again if i else svt.threshold):
                    return True
                fresh = {k: f for k, f in fresh.items() if k not in rho}
        clear = rho is not None or still  # else the last query of an epoch: which noise is whose cannot be seen
        if clear and law_of({k: f * within for k, f in fresh.items()}, path.laws) != svt.query:
            return True
        if not clear and not _splits(fresh, path.laws, side, within, svt.again if i else svt.threshold, svt.query):
            return True
        if -float(this.offset) != svt.correction:
            return True
        used |= set(own)
    return False
