"""Why a program does for many queries what it was seen to do for a few, or why that is not known.

Each turn of a program in the fragment starts from its state alone, and by its state it goes on.  So where runs on one
query more bring no state that shorter ones had not, no longer run brings one: a turn of it starts as one did that was
looked at.
"""

from __future__ import annotations

from typing import Any

from svtcourse.judge.canonical import canonical, folded, row
from svtcourse.judge.fragment import Fragment
from svtcourse.judge.held import ARRAY, BOARD, EXACT, LIST, SAID, TAIL
from svtcourse.judge.reading import Reader, turns
from svtcourse.judge.source import FARTHEST, numbers_in
from svtcourse.judge.svts import SVT
from svtcourse.judge.symbols import Form, Path, drawn_in
from svtcourse.judge.syntax import text_of
from svtcourse.judge.tree import Unrecognised, comparison

__all__ = ["States", "unsteady"]

_START = "start"


class States:
    """The states in which the turns of a program began, over all runs with one number of queries, and what led on."""

    def __init__(self, reader: Reader, fragment: Fragment) -> None:
        self.reader, self.fragment = reader, fragment
        self.steps: dict[Any, dict[Any, tuple[int, int]]] = {}  # from, to: how many high and low answers at most
        self.last: dict[Any, bool] = {}  # of each turn in a round, and its answers: whether it was always the last
        self._left: list[int] = []  # how many are left after each turn of the run, where that is known

    @property
    def keys(self) -> set[Any]:
        """All states."""
        return {key for steps in self.steps.values() for key in steps if key is not None}

    def add(self, path: Path) -> None:
        """Take in the turns of the last run."""
        before, begun = _START, 0
        for key, asked in [*self.reader.heads, (None, len(path.literals))]:
            high, low = 0, 0
            for question, _, above in path.literals[begun:asked]:
                up = _up(question)
                high, low = high + (above is not (not up)), low + (above is not up)
            steps = self.steps.setdefault(before, {})
            known = steps.get(key, (0, 0))
            steps[key] = max(high, known[0]), max(low, known[1])
            if before not in (_START, None) and self._left[0] >= 0:
                turn = before, tuple(above for _, _, above in path.literals[begun:asked])
                self.last[turn] = self.last.get(turn, True) and self._left[0] == 0
            self._left = self._left[before != _START :]
            before, begun = key, asked

    def key(self, loop: Any, state: dict[str, Any]) -> Any:
        """A state, as it can be met again in another turn or run."""
        if self.fragment.reason is not None:
            return None
        self._left.append(self._left_of(loop, state))
        scope = self.fragment.of_loop(loop)
        order = self.reader.fork.order
        used = {draw for question, _, _ in order for draw in drawn_in(question)} | set(self.reader.fork.inverse)
        for name, value in state.items():  # or shown
            if scope is not None and scope.held(name)[0] in (SAID, BOARD):
                used |= {v for form in value if isinstance(form, Form) for v in form.terms if v[0] == "z"}
        names: dict[Any, int] = {}
        found: list[Any] = []
        for name, value in sorted(state.items()):
            kind, owner = (EXACT[0], None) if scope is None else scope.held(name)
            if owner is not None and name not in owner.asked:
                continue
            if kind in EXACT:
                found.append((name, canonical(value, names, used)))
            elif kind in (ARRAY, LIST, TAIL):
                found.append((name, row(value, names, used)))
            elif kind == SAID and owner is not None:
                found += [(fold, folded(fold, name, value)) for fold in sorted(owner.folds.get(name, ()))]
        return loop, tuple(found)

    def _left_of(self, loop: Any, state: dict[str, Any]) -> int:
        """How many come after this one in its round, -1 where that is not asked."""
        if self.fragment.rounds is None:
            return -1
        place, _, inner = self.fragment.rounds
        if loop != (place, turns(self.reader.translations[place].tree).index(inner)):
            self._before = 0
            return -1
        self._before += 1
        through = state.get(text_of(inner.iter))  # type: ignore[attr-defined]
        return len(through) - self._before if isinstance(through, list) else 0

    def rounds_begin_anew(self) -> bool:
        """Whether each state that may end a round was seen in the next round, and each turn of one not as its last.

        However few are left for a round in a few queries: what comes after a turn was then seen.
        """
        if self.fragment.rounds is None:
            return True
        if any(self.last.values()):
            return False
        place, outer, inner = self.fragment.rounds
        order = turns(self.reader.translations[place].tree)
        rounds, steps = (place, order.index(outer)), (place, order.index(inner))
        name = text_of(outer.target)
        begun = [dict(state)[name] for loop, state in self.keys if loop == rounds and name in dict(state)]
        if not begun:
            return True  # nothing asks which round it is
        for here, found in self.steps.items():
            for key in found if here not in (_START, None) and here[0] == steps else ():
                loop, state = key or (None, ())
                if loop != steps or dict(state)[name] == max(begun):
                    continue
                after = tuple((n, (v[0], v[1] + 1) if n == name else v) for n, v in state)
                if (loop, after) not in self.keys:
                    return False
        return True

    def more_than(self, most: int, side: int) -> bool:
        """Whether some run, however long, may have more than so many positives: high answers, or low if side is -1.

        Without a loop all answers are compared at once, and what is shown of them is seen in a few queries.
        """
        if not self.keys:
            return False
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


def _up(question: Any) -> bool | None:
    try:
        return comparison(question).up
    except Unrecognised:
        return None


def unsteady(fragment: Fragment, shorter: States, longer: States, svt: SVT | None, side: int) -> str | None:
    """Why what was seen for a few queries may change for more, None if it cannot.

    Parameters
    ----------
    fragment : Fragment
    shorter, longer : States
        Of all runs with one query less and one more.
    svt : SVT, optional
        What it is for a few queries.
    side : {1, -1}
        Whether high answers are its positives, or low ones.
    """
    if longer.reader.changes:
        return "it changes an array in place"
    if fragment.reason is not None:
        return f"what it does may depend on the number of queries, or on how many it has seen: {fragment.reason}"
    if fragment.says_at_once and svt is not None and svt.release != "indicator":
        return "the numbers that it shows at a turn are not looked at in later ones"
    far = [x for x in numbers_in(longer.reader.translations) if x > FARTHEST or 0 < x < 1 / FARTHEST]
    if far:
        return f"it has a number of the size of {far[0]:.3g}, and no run of so many queries was looked at"
    new = longer.keys - shorter.keys
    if not new and not longer.rounds_begin_anew():
        return "in its later rounds it may do what was not seen in a few queries"
    if not new and svt is not None and svt.stops and longer.more_than(svt.c, side):
        return f"in longer runs it may say ⊤ more than {svt.c} times"
    if not new:
        return None
    loop, key = sorted(new, key=repr)[0]
    earlier = [known for place, known in shorter.keys if place == loop]
    before = {name: {repr(v) for known in earlier for m, v in known if m == name} for name, _ in key}
    which = [name for name, value in key if repr(value) not in before.get(name, ())]
    return f"its state goes on changing with the number of queries{' (' + ', '.join(which) + ')' if which else ''}"
