"""The decision tree of a program, and the SVT that it is: what is compared, with which noise, and what ends the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from svtcourse.judge.symbols import Key, Law, Path
from svtlib.mechanism import Mechanism
from svtlib.noise import Exponential, Gaussian, Gumbel, Laplace, Noise, NoNoise

__all__ = ["Leaf", "Node", "Unrecognised", "comparison", "grow", "law_of", "mechanism_of", "recognise", "strays"]

Part = tuple[tuple[int, Fraction], ...]  # draws with the factors with which they enter
_FAMILIES: dict[str, Callable[[float], Noise]] = {
    "laplace": Laplace,
    "exponential": Exponential,
    "gumbel": Gumbel,
    "normal": Gaussian,
}


class Unrecognised(Exception):
    """The program is no `Mechanism`; the message says why, in words for its author."""


@dataclass
class Leaf:
    """Where a run ends."""

    output: Any
    path: Path


@dataclass
class Node:
    """A comparison, and how the run goes on if its form is below 0 or not."""

    question: tuple[Key, bool]
    laws: list[Law]
    next: dict[bool, Node | Leaf] = field(default_factory=dict)


def grow(paths: list[Path]) -> Node | Leaf:
    """The tree of all paths, without comparisons that change nothing of the output."""
    return _reduced(_grown(paths, 0))


def _grown(paths: list[Path], depth: int) -> Node | Leaf:
    if len(paths[0].literals) == depth:
        return Leaf(paths[0].output, paths[0])
    key, strict, _ = paths[0].literals[depth]
    node = Node((key, strict), paths[0].laws)
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


@dataclass(frozen=True)
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
    offset : Fraction
        What else is added, but for the threshold.
    absolute : bool
        Whether the answer and some of the noise stand inside an absolute value.
    inside : dict
        The draws that do.
    """

    query: int
    up: bool
    draws: dict[int, Fraction]
    offset: Fraction
    absolute: bool = False
    inside: dict[int, Fraction] = field(default_factory=dict)


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


def law_of(draws: dict[int, Fraction], laws: list[Law]) -> Noise | None:
    """The law of a sum of draws, None where svtlib has no name for it."""
    parts = sorted((laws[k][0], laws[k][1] * abs(f), f > 0) for k, f in draws.items())
    if not parts:
        return NoNoise()
    if len(parts) == 2 and parts[0][:2] == parts[1][:2] and parts[0][0] == "exponential" and parts[0][2] != parts[1][2]:
        return Laplace(float(parts[0][1]))
    ((family, scale, positive),) = parts if len(parts) == 1 else (("", Fraction(0), False),)
    if family not in _FAMILIES or (not positive and family not in ("laplace", "normal")):
        return None
    return _FAMILIES[family](float(scale))


def _words(draws: dict[int, Fraction], laws: list[Law]) -> str:
    return " and ".join(
        f"{'-' if f < 0 else ''}{laws[k][0]}({float(laws[k][1] * abs(f)):.6g})" for k, f in draws.items()
    )


@dataclass
class _Seen:
    """What the comparisons so far have shown of the mechanism."""

    laws: dict[str, Noise] = field(default_factory=dict)
    offset: Fraction | None = None
    absolute: bool | None = None
    refresh: bool | None = None
    releases: set[str] = field(default_factory=set)
    most: int = 0

    def same(self, role: str, draws: dict[int, Fraction], laws: list[Law]) -> None:
        law = law_of(draws, laws)
        what = {"nu": "queries", "rho": "threshold", "again": "threshold drawn again", "number": "released number"}[
            role
        ]
        if law is None:
            raise Unrecognised(f"The noise of the {what} is {_words(draws, laws)}, which is no noise of an SVT here")
        if self.laws.setdefault(role, law) != law:
            before, now = self.laws[role], law
            raise Unrecognised(f"The noise of the {what} is not always the same: {before}, and then {now}")


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


Positive = tuple[Comparison, dict[int, Fraction], dict[int, Fraction]]


def _walk(
    tree: Node | Leaf,
    side: int,
    positives: list[Positive | None],
    rho: dict[int, Fraction] | None,
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
        shared: dict[int, Fraction] | None
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
            rho = {**fresh, -1: Fraction(1)}  # the last query of an epoch: which part is whose cannot be seen any more
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
        _walk(part, side, [*positives, entry], rho, used, seen)


def _forms(output: Any) -> Iterator[Key]:
    if isinstance(output, tuple) and output and output[0] == "form":
        yield output[1]
    elif isinstance(output, tuple):
        for part in output:
            yield from _forms(part)


def _release(leaf: Leaf, positives: list[Positive], used: set[int], seen: _Seen) -> None:
    """Which number each positive shows."""
    shown = list(_forms(leaf.output))
    if not shown:
        if positives:
            seen.releases.add("indicator")
        return
    if len(shown) != len(positives):
        raise Unrecognised("It shows numbers, and not one for each positive")
    told: set[int] = set()
    for (this, nu, _), (terms, constant) in zip(positives, shown, strict=True):
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


def mechanism_of(
    seen: _Seen, n: int, *, name: str, c: int, epsilon: float, sensitivity: float, monotonic: bool
) -> Mechanism:
    """The mechanism found, its claim split as its costs are.

    Parameters
    ----------
    seen : what `recognise` found
    n : int
        The number of queries of the tree: a cut-off that it does not reach is none.
    """
    if len(seen.releases) > 1:
        raise Unrecognised("Some positives show a number and others do not")
    stops = seen.most <= n - 2
    release = next(iter(seen.releases), "indicator")
    rho, nu, number = seen.laws.get("rho", NoNoise()), seen.laws.get("nu", NoNoise()), seen.laws.get("number")
    again = seen.laws.get("again")
    widths = [(1, rho), (2 * c, nu), (c, number)]
    costs = [
        times * sensitivity / noise.width if noise is not None and noise.variance else 0.0 for times, noise in widths
    ]
    parts = [epsilon * cost / (sum(costs) or 1.0) for cost in costs]
    assert seen.offset is not None
    return Mechanism(
        name,
        threshold_noise=rho,
        query_noise=nu,
        release_noise=number if release == "fresh" else None,
        refresh=bool(seen.refresh),
        refresh_noise=again if seen.refresh and again is not None and again != rho else None,
        c=max(seen.most, 1) if stops else c,
        cutoff="at c" if stops else None,
        release=release,  # type: ignore[arg-type]
        compare="absolute" if seen.absolute else "signed",
        sensitivity=sensitivity,
        monotonic=monotonic,
        epsilon=epsilon,
        epsilon1=parts[0],
        epsilon2=parts[1],
        epsilon3=parts[2],
        correction=-float(seen.offset),
    )


def strays(path: Path, mechanism: Mechanism, side: int) -> bool:
    """Whether a long run is not that of the mechanism: another law, noise used again, a threshold drawn unasked.

    Parameters
    ----------
    path : Path
    mechanism : Mechanism
    side : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.
    """
    try:
        asked = [(comparison(key), above) for key, _, above in path.literals]
    except Unrecognised:
        return True
    within = 1 if mechanism.sides.absolute else side
    still = isinstance(mechanism.threshold_noise, NoNoise)
    used: set[int] = set()
    rho: dict[int, Fraction] | None = None  # None where it has to be seen from what the next comparison has too
    for i, (this, _) in enumerate(asked):
        own = {**this.draws, **this.inside}
        old = {k: f for k, f in this.draws.items() if k in used}
        anew = i > 0 and mechanism.refresh and (asked[i - 1][1] is asked[i - 1][0].up) is (side > 0)
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
                if law != (mechanism.redraw_noise if i else mechanism.threshold_noise):
                    return True
                fresh = {k: f for k, f in fresh.items() if k not in rho}
        clear = rho is not None or still  # else the last query of an epoch: which noise is whose cannot be seen
        if clear and law_of({k: f * within for k, f in fresh.items()}, path.laws) != mechanism.query_noise:
            return True
        if -float(this.offset) != mechanism.correction:
            return True
        used |= own.keys()
    return False
