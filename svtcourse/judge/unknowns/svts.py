"""The SVT that a tree is: in words, what its alignment pays, and whether another run is one of it.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

from svtcourse.judge.unknowns.tree import (
    NO_NOISE,
    Leaf,
    Seen,
    Unrecognised,
    comparison,
    law_of,
    law_words,
    leaves,
    read_of,
    recognise,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from svtcourse.judge.unknowns.ratio import Ratio
    from svtcourse.judge.unknowns.symbols import Law, Path
    from svtcourse.judge.unknowns.tree import Draws, Node

__all__ = [
    "ASKED_ON",
    "MIDDLE",
    "MOST_DRAWS",
    "ROUNDING",
    "SVT",
    "no_pair",
    "strays",
    "svt_of",
    "told_apart",
    "too_many",
    "with_draw",
]

ROUNDING = 1e-14  # what the scales of a program in floating point may lack of those that are meant
ASKED_ON = (
    ", for one who asks no more once it says that it has stopped; asked on, it is not known to be; "
    "next: let ask raise then, or return None"
)
MIDDLE = 150  # queries up to which a list is not long
MOST_DRAWS = 8  # in a comparison, of which each may be the threshold's
_MOVES = {"laplace": (1, -1), "exponential": (1,), "gumbel": (1,)}  # ways in which a shift by x costs x / scale at most


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
    most : int
        How many positives there are in a run of the tree.
    early : bool
        Whether some runs of the tree end before they have as many.
    correction : float
        By how much its threshold is raised.
    times : list of Ratio
        What the threshold that it was given is multiplied by; 0 where it compares with a number of its own.
    sign : str
        What it shows for a positive, ⊤ or ⊥, where that is known.
    in_turn : bool
        Whether it compares each answer once, one after the other.
    some : bool
        Whether a positive may show no number where others show one.
    counted : set of str
        Its own words for a positive.
    posed : bool
        Whether what it returns has a form of its own.
    """

    counted: Any = ()
    posed = False

    def __init__(self, seen: Seen, n: int, c: int) -> None:
        if len(seen.releases) > 1:
            raise Unrecognised("Some positives show a number and others do not")
        self.threshold, self.query = seen.laws.get("rho", NO_NOISE), seen.laws.get("nu", NO_NOISE)
        self.again = seen.laws.get("again", self.threshold)
        self.number = seen.laws.get("number", NO_NOISE)
        self.refresh, self.absolute = bool(seen.refresh), bool(seen.absolute)
        self.stops, self.most = seen.most <= n - 2, seen.most
        self.early = any([asked < n and found < seen.most for asked, found in seen.ends])
        self.release = list(seen.releases)[0] if seen.releases else "indicator"
        self.c = max(seen.most, 1) if self.stops else c
        self.correction = -float(seen.offset or 0)
        self.times = seen.times
        self.sign = ""
        self.in_turn, self.some = seen.in_turn, False

    def positives(self, many: int) -> str:
        """So many, in words."""
        return f"{many} {self.sign or ('positive' if many == 1 else 'positives')}"

    def words(self, c: int) -> str:
        """What it is, in words; c is what was asked for."""
        text = (
            f"It is an SVT with {law_words(self.threshold)} on the threshold and {law_words(self.query)} on the queries"
        )
        if self.absolute:
            text += ", inside an absolute value"
        if not self.in_turn:
            text += ", not asked of each answer in its turn"
        if self.correction:
            way = "raised" if self.correction > 0 else "lowered"
            by = f"its threshold {way} by {abs(self.correction):g}"
            if self.times != [1]:
                own = self.times == [0]
                by = f"its threshold {self.correction:g}" if own else f"{self.correction:g} added to its threshold"
            text += f", {by}"
        if self.refresh:
            text += f", the threshold's drawn again after each {self.sign or 'positive'} with {law_words(self.again)}"
        where = "" if self.c == c else f" where c is {c}"
        most = "at most " if self.c > self.most or self.early else ""  # than a tree of few queries shows
        if self.stops:
            text += f", that stops after {most}{self.positives(self.c)}{where}"
        else:
            alike = f"{MIDDLE} {self.sign or 'answers that come out alike'}"
            text += f", and on a longer list {'compares' if self.posed else 'goes'} on after {alike}"
        if self.release == "compared":
            text += ", and releases the number that it compared"
        elif self.release == "gap":
            answer, bar = ("noisy " if law[1] else "" for law in (self.query, self.threshold))
            text += f", and releases by how much the {answer}answer passed the {bar}threshold"
        elif self.release == "fresh":
            what = f"the answer with {law_words(self.number)}" if self.number[1] else "the true answer"
            text += f", and releases {what}"
        return text + ", perhaps not for every positive" * self.some

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


def svt_of(tree: Node | Leaf, n: int, c: int, later: Callable[[SVT, int], None]) -> tuple[int, SVT]:
    """The SVT that a tree for n queries is, with its side: 1 if the high answers are the positives, -1 if the low are.

    What stops on neither side is looked at `later`, on more queries.

    Raises
    ------
    Unrecognised
        If it is none, with the reason.
    """
    found, reasons = [], []
    for side in (1, -1):
        seen = Seen()
        try:
            recognise(tree, side, seen)
            svt = SVT(seen, n, c)
            if side < 0 and svt.absolute:
                raise Unrecognised("Its positives are what is small inside an absolute value, which no theorem covers")
            found.append((side, svt))
        except Unrecognised as reason:
            reasons.append((-seen.walked, _positives(tree, side), -side, str(reason)))
    if not any([svt.stops for _, svt in found]):
        for side, svt in found[:]:
            try:
                later(svt, side)
            except Unrecognised as reason:
                found.remove((side, svt))
                reasons.append((-svt.most, 0, -side, str(reason)))
    ends = not any([len(leaf.path.literals) < n for leaf in leaves(tree)])  # only with the list
    for side, svt in sorted(found, key=lambda pair: not pair[1].stops):
        if side == 1 or svt.stops or (len(found) == 1 and ends):
            return side, svt
    raise Unrecognised(min(reasons)[3])  # of the side that came farther, or ends at its positives


def _positives(tree: Node | Leaf, side: int) -> int:
    """How many ends there are behind the first positive."""
    if isinstance(tree, Leaf):
        return 1
    try:
        up = comparison(tree.question[0]).up
    except Unrecognised:
        return 0
    return len(list(leaves(tree.next[up if side > 0 else not up])))


def with_draw(draws: Draws, k: int, f: Ratio) -> Draws:
    """These draws and one more."""
    more = dict(draws)
    more[k] = f
    return more


def _splits(draws: Draws, laws: list[Law], side: int, within: int, rho: Any, nu: Any) -> bool:
    """Whether some of these draws are the noise of a threshold, and the others that of a query."""
    if len(draws) > MOST_DRAWS:
        raise Unrecognised("It compares with a sum of many draws")
    ways: list[tuple[Draws, Draws]] = [({}, {})]
    for k, f in draws.items():
        ways = [
            (one, other)
            for first, second in ways
            for one, other in ((with_draw(first, k, -f * side), second), (first, with_draw(second, k, f * within)))
        ]
    return any(law_of(one, laws) == rho and law_of(other, laws) == nu for one, other in ways)


def strays(path: Path, svt: SVT, side: int) -> bool:
    """Whether a long run is not that of the mechanism: another law, noise used again, a threshold drawn unasked.

    Parameters
    ----------
    path : Path
    svt : SVT
    side : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.
    """
    asked = []
    for (this, public, above), (key, _, _) in zip(read_of(path), path.literals):
        if [v for v, _ in key[0]] != [("T",)]:
            if this is None:
                return True
            asked.append((this, public, above))
    within = 1 if svt.absolute else side
    still = svt.threshold == NO_NOISE
    used: set[int] = set()
    rho: Draws | None = None  # None where it has to be seen from what the next comparison has too
    for i, (this, public, _) in enumerate(asked):
        if set(this.draws) & set(this.inside):
            return True
        own = dict(this.draws)
        own.update(this.inside)
        old = {k: f for k, f in this.draws.items() if k in used}
        anew = i > 0 and svt.refresh and (asked[i - 1][2] is asked[i - 1][0].up) is (side > 0)
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
        if (not public and -float(this.offset) != svt.correction) or this.absolute is not svt.absolute:
            return True
        used |= set(own)
    return False


def too_many(answers: Any, svt: SVT) -> bool:
    """Whether a long run shows more positives than the SVT, whichever of its answers says that."""
    negatives = len([answer for answer in answers if answer is False])
    return svt.stops and min(negatives, len(answers) - negatives) > svt.c


def told_apart(x: float, y: float) -> tuple[str, str]:
    """Both numbers, with as many digits as tell them apart, six at least."""
    first, second = f"{x:.6g}", f"{y:.6g}"
    for digits in range(7, 17):
        if first == second and x != y:
            first, second = ("{:." + str(digits) + "g}").format(x), ("{:." + str(digits) + "g}").format(y)
    return "∞" if x == float("inf") else first, second


def no_pair(count: int, queries: str) -> str:
    """What was looked at without finding a pair: how many ways to answer so many queries."""
    read = f"All {count} ways to answer {queries} were" if count > 1 else f"The one way to answer {queries} was"
    return f"{read} read, and no pair was found that gives more than ε away, which proves nothing"
