"""Longer runs, followed one by one: a second look before a program is called private.

That a program is an SVT for every number of queries is shown by its states (`always`), on a list of which the length is
not known.  Here the lists have a length: each run goes along outcomes that were chosen before, and everything that it
compares and shows must be what the SVT does.  It clears nothing, and it shares nothing with the lists of `always`.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math

from svtcourse.judge.language.outputs import said
from svtcourse.judge.language.program import FARTHEST, LONG
from svtcourse.judge.unknowns.svts import MIDDLE, strays, svt_of, too_many
from svtcourse.judge.unknowns.symbols import Unreadable
from svtcourse.judge.unknowns.tree import Leaf, Seen, Unrecognised, newest, read_of, release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from svtcourse.judge.language.program import Program
    from svtcourse.judge.unknowns.svts import SVT
    from svtcourse.judge.unknowns.symbols import Key, Path

__all__ = ["along", "departs", "departures", "lengths", "recognised", "shows_other"]

_FIRSTS, _LASTS = 25, 40  # queries of which each place of the first positive is tried, and each of the last


def lengths(program: Program) -> list[int]:
    """How long the lists are on which longer runs are looked at: beyond whole numbers in the source, and in use."""
    numbers = program.numbers()
    beyond = sorted({2 * math.ceil(k) + 3 for k in numbers if 8 < k <= 600})[:4]
    ends = sorted({math.ceil(k) for k in numbers if 8 < k <= FARTHEST})
    ends = [k for k in ends[:-1] if k <= LONG][-2:] + ends[-1:]  # of the longest, which take longest, one
    reached = [k + more for k in program.reached for more in (0, 1, 3)]
    return [12, _LASTS, MIDDLE] + beyond + [k + more for k in ends for more in (40, 2, 0)] + reached


def along(program: Program, side: int, n: int, places: Any) -> Path:
    """The run on n queries in which those at some places are positive, where they are compared."""

    def choose(key: Key) -> bool:
        try:
            query, up = newest(key)
        except Unrecognised:
            return False
        return up if (query in places) is (side > 0) else not up

    return program.along(n, choose)


def recognised(program: Program, tree: Any, n: int) -> tuple[int, SVT]:
    """The SVT that a program's tree for n queries is, with its side: when it ends, and what it shows, is seen on more.

    Raises
    ------
    Unrecognised
        If it is none, with the reason.
    """
    side, svt = svt_of(tree, n, program.c, lambda *found: _ends_later(program, *found))
    svt.sign, svt.posed = _sign(program, svt, side), program.posed
    runs = [(path, _shown(svt, _read(path, side)[1])) for path in program.grown(n)]
    if svt.sign and not all([svt.sign in _signs(path, n, found) for path, found in runs]):
        svt.sign = ""
    return side, svt


def _shown(svt: SVT, positives: list[Any]) -> list[int]:
    """At which queries a run has its positives."""
    return [this.query for this, _, _ in positives][: svt.c if svt.stops else len(positives)]


def _sign(program: Program, svt: SVT, side: int) -> str:
    """What is shown for each positive, ⊤ or ⊥, and for nothing else; nothing where some run shows other signs."""
    most = svt.c if svt.stops else 2
    n = most + 3
    found = ["⊤", "⊥"]
    for places in ((), (1,), range(1, n, 2), range(n)):
        try:
            shown = _signs(along(program, side, n, places), n, list(places)[: most if svt.stops else n])
        except (ValueError, Unreadable):
            return ""
        found = [sign for sign in found if sign in shown]
    return found[0] if found else ""


def _signs(path: Path, n: int, positives: list[int]) -> list[str]:
    """Which sign a run shows in the places of its positives, and nowhere else."""
    answers = said(path.output, n)
    return [
        sign
        for sign in ("⊤", "⊥")
        if [k for k, one in enumerate(answers) if (one is False) is (sign == "⊥")] == positives
    ]


def _ends_later(program: Program, svt: SVT, side: int) -> None:
    """Give an SVT that goes on through a few queries the c after which it stops on more, if it does.

    Raises
    ------
    Unrecognised
        If it says fewer positives than it finds.
    """
    try:
        path = along(program, side, MIDDLE, range(MIDDLE))
    except Unreadable:
        return
    listed = said(path.output, MIDDLE)
    bools = [one if one is True or one is False else None for one in listed]
    whole = program.positions(path.output) is not None  # in which 0 and 1 are no signs
    positives = len(listed if whole else [one for one in bools if [one] == bools[:1]])
    if positives < svt.most:
        more = len(path.literals) > len(bools)
        raise Unrecognised(
            "It compares more often than it answers" if more else f"Of {MIDDLE} queries it tells less than of a few"
        )
    positives = min(positives, len(_read(path, side)[1]))  # what it answers without a comparison tells nothing
    tells_all = len(path.literals) == MIDDLE and (
        along(program, side, MIDDLE, range(MIDDLE - 1)).output != path.output  # how the last one came out, too
    )
    if positives < MIDDLE and not tells_all:
        svt.stops, svt.c = True, positives


def _outcomes(n: int, c: int) -> list[Any]:
    """Where the positives of runs on n queries are: nowhere, at one end, at both, spread, and at random."""
    last = tuple(range(max(0, n - c - 1), n))  # one more than there may be
    found: list[Any] = [(), (n - 1,), last]
    if n <= LONG:
        found += [(0,), (n // 2,)]
    if n <= _LASTS:
        first = tuple(range(c - 1))
        found += [first + (n - 1,), first + (c - 1,), tuple(range(0, n, max(2, n // (c + 1))))]
        found += [first + tuple(range(k, n)) for k in range(c, n - 1, 2)] if n == _LASTS else []
        found += [(k, n - 2, n - 1) for k in range(n - 2)] if n == _FIRSTS else []
    seed = n
    for k in range(9 if n <= _LASTS else 2 if n <= MIDDLE else 0):  # every second is positive, or fewer
        places = []
        for i in range(n):
            seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
            if seed // 65_536 % (2 if k % 3 == 2 else max(4, n // c)) == 0:
                places.append(i)
        found.append(tuple(places))
    return found


def _read(path: Path, side: int) -> tuple[set[int], list[Any]]:
    """The noise of the comparisons of a run, and those that came out positive."""
    used: set[int] = set()
    positives = []
    for this, _, above in read_of(path):
        if this is None:  # of the threshold, with a number
            continue
        used |= set(this.draws) | set(this.inside)
        if (above is this.up) is (side > 0):
            positives.append((this, None, None))
    return used, positives


def _how(program: Program, svt: SVT, side: int, n: int, places: Any) -> str | None:
    """How a run is not the SVT's, None if it is; the SVT is told if it ends early in it, or shows other signs."""
    path = along(program, side, n, places)
    if program.seeded:
        return "It fixes the seed of its noise"
    if strays(path, svt, side):
        return "It compares otherwise than the SVT"
    if too_many(said(path.output, n), svt):
        return f"It gives each of two answers more than {'once' if svt.c == 1 else f'{svt.c} times'}"
    svt.in_turn = svt.in_turn and in_turn(path)
    positives = _read(path, side)[1]
    other = shows_other(path, svt, side)
    if other is not None:
        return other
    if svt.stops and len(positives) < svt.c and _is_short(path, n, svt, _shown(svt, positives)):
        svt.early = True  # and of what is said of it
    if svt.sign not in _signs(path, n, _shown(svt, positives)):
        svt.sign = ""
    late = svt.stops and len(positives) > svt.c  # what it compares after its last positive, nobody may see
    if late and along(program, side, n, places[: svt.c]).output != path.output:
        return f"It shows what comes after {svt.positives(svt.c)}"
    return None


def _asked(path: Path) -> list[int]:
    return [this.query for this, public, _ in read_of(path) if this is not None and not public]


def in_turn(path: Path) -> bool:
    """Whether a run compares no answer twice, or after a later one."""
    asked = _asked(path)
    return all([x < y for x, y in zip(asked, asked[1:])])


def _is_short(path: Path, n: int, svt: SVT, positives: list[int]) -> bool:
    """Whether a run ends before the list does: it compares no more, or has compared all and shows the first."""
    asked = _asked(path)
    reach = asked[-1] + 1 if asked and in_turn(path) else len(path.literals)
    return reach < n or (svt.in_turn and bool(_signs(path, n, positives)) and 0 < len(said(path.output, n)) < n)


def shows_other(path: Path, svt: SVT, side: int, all_of_it: bool = False) -> str | None:
    """Whether a run shows other numbers than the SVT, in words; or, where all is asked for, none where the SVT does."""
    (used, positives), seen = _read(path, side), Seen()
    seen.laws["number"], seen.laws["nu"] = svt.number, svt.query
    try:
        release(Leaf(path.output, path), positives[: svt.c] if svt.stops else positives, used, seen, side)
    except Unrecognised as reason:
        return str(reason)
    if not seen.releases <= {svt.release} or (all_of_it and positives and not seen.releases):
        return "It does not always show the same kind of number"
    return None


def departures(program: Program, svt: SVT, side: int, farthest: int) -> Iterator[tuple[int, Any, str]]:
    """Of each length at which a run is not the SVT's, the outcomes of the first such run, and how it is not.

    Parameters
    ----------
    program : Program
    svt : SVT
    side : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.
    farthest : int
        Queries beyond which no run is looked at.
    """
    for n in [n for n in sorted({7, _FIRSTS, 400} | set(lengths(program))) if n <= farthest]:
        for places in _outcomes(n, svt.c):
            how = _how(program, svt, side, n, places)
            if how:
                yield n, places, how
                break


def departs(program: Program, svt: SVT, side: int, farthest: int) -> str | None:
    """Why a longer run is not the SVT's, in words, None if that was not seen; the parameters are those above."""
    for n, _, how in departures(program, svt, side, farthest):
        return f"on {n} queries {how[0].lower()}{how[1:]}"
    return None
