"""Why a program does for many queries what it was seen to do for a few, or why that is not known.

Run on a list of which it cannot ask how long it is (`svtcourse.judge.blind`), each turn of a program starts from its
state alone, and by its state it goes on, or ends.  So where each state in which a list ended was also met with a query
to come, in runs on one query, two, and so on, no longer list brings one that was not looked at both ways.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from svtcourse.judge.blind import Blind
from svtcourse.judge.program import Program
from svtcourse.judge.svts import SVT, follows
from svtcourse.judge.symbols import Path, Unreadable
from svtcourse.judge.tree import Leaf, Node, Unrecognised, comparison, forms_in, grow

__all__ = ["unsteady"]

_START = "start"
_MOST_READ = 6  # how often it may turn out that something more is read off what was said


class States:
    """The states in which the turns of a program began, over all runs on some queries, and what led on."""

    def __init__(self, reader: Blind) -> None:
        self.reader = reader
        self.steps: dict[Any, dict[Any, tuple[int, int]]] = {}  # from, to: how many high and low answers at most
        self.begun: set[Any] = set()
        self.ended: set[Any] = set()
        self.asked: list[tuple[Path, list[Any]]] = []  # runs that ask where the positives of a row are, and the row
        self.aside: set[Any] = set()  # those in which an answer that was put aside is gone on with

    def add(self, path: Path) -> None:
        """Take in the turns of the last run."""
        heads = self.reader.heads
        if self.reader.walk.asked is not None:
            self.asked.append((path, list(self.reader.walk.asked.inner)))
        first = heads[0][2] if heads else 0
        self._step(_START, heads[0][0] if heads else None, [])
        for k, (key, more, asked, query, aside) in enumerate(heads):
            if (
                more or not aside
            ):  # the state says whether anything was put aside: the first turn, or an end without one
                (self.begun if more else self.ended).add(key)
            if more and aside:
                self.aside.add(key)
            end, after = (heads[k + 1][2], heads[k + 1][0]) if k + 1 < len(heads) else (len(path.literals), None)
            early = _of_query(path.literals[:first], query) if more else []
            self._step(key, after, [*early, *path.literals[asked:end]])

    def _step(self, key: Any, after: Any, literals: Sequence[Any]) -> None:
        """One turn, with what it compared."""
        high, low = 0, 0
        for question, _, above in literals:
            up = _up(question)
            high, low = high + (above is not (not up)), low + (above is not up)
        steps = self.steps.setdefault(key, {})
        known = steps.get(after, (0, 0))
        steps[after] = max(high, known[0]), max(low, known[1])

    def more_than(self, most: int, side: int) -> bool:
        """Whether some run, however long, may have more than so many positives: high answers, or low if side is -1."""
        best, waiting = {_START: 0}, [_START]
        while waiting:
            here = waiting.pop()
            for there, (high, low) in self.steps.get(here, {}).items():
                count = best[here] + (high if side > 0 else low)
                if count > most:
                    return True
                if there is not None and count > best.get(there, -1):
                    best[there] = count
                    waiting.append(there)
        return False


def _of_query(literals: Sequence[Any], query: int | None) -> list[Any]:
    """What was compared of a query before the list was gone through; what is no comparison of one counts for all."""
    found = []
    for literal in literals:
        try:
            if comparison(literal[0]).query == query:
                found.append(literal)
        except Unrecognised:
            found.append(literal)
    return found


def _up(question: Any) -> bool | None:
    try:
        return comparison(question).up
    except Unrecognised:
        return None


def unsteady(program: Program, runs: dict[int, list[Path]], svt: SVT, side: int) -> str | None:
    """Why what was seen for a few queries may change for more, None if it cannot.

    Parameters
    ----------
    program : Program
    runs : dict
        All its runs on one query, on two, and so on to c + 4.
    svt : SVT
        What it is for so many.
    side : {1, -1}
        Whether high answers are its positives, or low ones.
    """
    for n, paths in runs.items():
        if not all(_shows(leaf, count, svt, side) for leaf, count in _ends(grow(paths), side)):
            return f"on {n} queries it shows what it does not show on more"
    try:
        states = _states(program, runs)
    except Unreadable as found:
        return f"what it does may depend on the number of queries, or on how many it has seen: {found}"
    trees = [t.tree for t in states.reader.translations]
    at_once = program.asks or any(isinstance(p, (ast.Yield, ast.YieldFrom)) for t in trees for p in ast.walk(t))
    if at_once and svt.release != "indicator":
        return "the numbers that it shows at a turn are not looked at in later ones"
    if svt.stops and not states.begun and not (svt.c <= program.c and states.asked):
        return "what it shows of all queries at once has no end that was seen"
    if not all(_is_of_positives(path, row, side) for path, row in states.asked):
        return "it asks after what is not its positives"
    new = (states.ended - states.begun) | (states.aside - states.ended)
    if not new:
        more = svt.stops and states.more_than(svt.c, side)
        return f"in longer runs it may say ⊤ more than {svt.c} times" if more else None
    places, (rooms, *_) = min(new, key=repr)
    before: dict[Any, set[str]] = {}
    for there, (others, *_) in states.begun:
        for room in others if there == places else ():
            for name, value in room:
                before.setdefault(name, set()).add(repr(value))
    which = sorted({name for room in rooms for name, value in room if repr(value) not in before.get(name, ())})
    return f"its state goes on changing with the number of queries{' (' + ', '.join(which) + ')' if which else ''}"


def _is_of_positives(path: Path, row: list[Any], side: int) -> bool:
    """Whether a row has a truth where a query was positive, and only there."""
    try:
        asked = [(comparison(key), above) for key, _, above in path.literals]
    except Unrecognised:
        return False
    found = {this.query: (above is this.up) is (side > 0) for this, above in asked}
    return len(asked) == len(found) == len(row) and all(bool(x) is found[k] for k, x in enumerate(row))


def _ends(tree: Node | Leaf, side: int, positives: int = 0) -> Iterator[tuple[Leaf, int]]:
    """The ends of a tree, each with how many positives it shows."""
    if isinstance(tree, Leaf):
        yield tree, positives
        return
    for answer, part in tree.next.items():
        positive = (answer is comparison(tree.question[0]).up) is (side > 0)
        yield from _ends(part, side, positives + positive)


def _shows(leaf: Leaf, positives: int, svt: SVT, side: int) -> bool:
    """Whether a run shows no more positives, and no other numbers, than the SVT does."""
    if svt.stops and positives > svt.c:
        return False
    return not any(forms_in(leaf.output)) if svt.release == "indicator" else follows(leaf.path, svt, side)


def _states(program: Program, runs: dict[int, list[Path]]) -> States:
    """The states of all its runs, once it is known what they read off what was said."""
    reader = Blind(program.source, max(runs) - 3)
    for _ in range(_MOST_READ):
        known, states = sum(map(len, reader.folds.values())), States(reader)
        for n, paths in runs.items():
            found = program.grown(n, reader, states.add)
            if [(p.literals, p.output) for p in found] != [(p.literals, p.output) for p in paths]:
                raise Unreadable("it does otherwise where it cannot ask for its length")
        if sum(map(len, reader.folds.values())) == known:
            return states
    raise Unreadable("more and more is read off what was said")
