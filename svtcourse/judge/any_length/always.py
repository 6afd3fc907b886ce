"""Why a program is private for every number of queries: all its runs on a list of which it cannot know the length.

Whether there is another query, and whatever hangs on how many there were, is decided both ways.  What a run holds when
it begins a turn is its state; where that was met before, nothing new follows.  So a few runs stand for all, and of
each comparison in them it is asked whether it is the SVT's: an answer and new noise against the noisy threshold.
What else a program does with the outcomes of such comparisons, the number of queries and public numbers is free.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.growing import MANY, Said, by_constants, parts_of, shows
from svtcourse.judge.any_length.kept import Board, Book, Letters
from svtcourse.judge.any_length.lanes import Lane
from svtcourse.judge.any_length.public import Public, is_public
from svtcourse.judge.any_length.state import State
from svtcourse.judge.language.expressions import is_simple
from svtcourse.judge.language.grammar import kind_of, root_of, walk
from svtcourse.judge.language.kinds import Abstract, Frame, Instance, Later, Raised, Record, Room, Rounded, Row, Run
from svtcourse.judge.language.library import BUILTINS
from svtcourse.judge.language.noise import Generator
from svtcourse.judge.unknowns.svts import MOST_DRAWS, with_draw
from svtcourse.judge.unknowns.symbols import Fork, Form, Refused, Unreadable, drawn_in
from svtcourse.judge.unknowns.tree import Unrecognised, compared, law_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from svtcourse.judge.unknowns.svts import SVT
    from svtcourse.judge.unknowns.symbols import Key

__all__ = ["why_not_always"]

_AT_ONCE = "any", "all", "sum", "list", "tuple", "max", "min"  # what goes through all before anything else happens
_FEW_STATES, _MOST_STATES, _MOST_RUNS, _MOST_STARTS, _MANY = 30, 200, 4_000, 12, 9  # up to six positives
_MOST_TURNS = 20_000  # of all runs together: right programs take some hundred
_MOST_POSITIVES = 50
_MOST_TRIED = 64  # ways to make an element of a list
_OF_A_TRIAL = "asked_for", "order", "laws", "inverse", "limits", "answers", "trial"
_REACHED_ANYWAY, _MOST_REACHED = 8, 8  # numbers of queries that all runs reach; of others, how many are looked at
_REACHED_TOGETHER = 6_000  # queries on all the longer lists that these lead to


class _Covered(BaseException):
    """What follows was looked at already."""


class _Again(BaseException):
    """It has turned out that states have to be told apart by more, or by less."""


class Otherwise(Unreadable):
    """A comparison, or a number that is shown, is not the SVT's."""


class Watch(Fork):
    """One run: each comparison is held against the SVT, and decided by the plan.

    Parameters
    ----------
    plan : list of bool
    svt : SVT
    side : {1, -1}
        1 if answers above the threshold are the positives, -1 if those below are.
    """

    def __init__(self, plan: list[bool], svt: SVT, side: int) -> None:
        super().__init__()
        self.plan, self.svt, self.side = plan, svt, side
        self.taken: list[bool] = []
        self.found, self.answers = 0, 0
        self.thresholds: list[Any] | None = None  # which draws may be the threshold's, None before a comparison
        self.spent: set[int] = set()
        self.last: Any = None  # the last positive of this turn, as long as it may show a number
        self.trial: Any = None  # answers of what is tried beside the run, and those that were given

    def public(self) -> bool:
        """What hangs on the number of queries, both ways."""
        if self.trial is not None:
            plan, given = self.trial
            given.append(plan[len(given)] if len(given) < len(plan) else False)
            return bool(given[-1])
        k = len(self.taken)
        self.taken.append(self.plan[k] if k < len(self.plan) else False)
        return self.taken[k]

    def _compared(self, draw: Any) -> bool:
        return draw[1] in self.spent

    def answer(self) -> Form:
        """The answer to some query."""
        self.answers += 1
        return self.variable(("a", self.answers))

    def decided(self, key: Key, strict: bool) -> bool:
        """A comparison that was not asked before in this turn."""
        if not drawn_in(key):
            if any([v[0] != "T" for v, _ in key[0]]):
                raise self.otherwise("it compares an answer without noise")
            return self.public()
        if self.trial is not None:
            return self.public()
        this = self._read(key)
        above = self.public()
        self.passed()
        if (above is this.up) is (self.side > 0):
            self.found, self.last = self.found + 1, this
            if self.svt.refresh:
                self.thresholds = None
        return above

    def passed(self) -> None:
        """What the last positive has not shown by now, it does not show."""
        self.svt.some = self.svt.some or (self.last is not None and self.svt.release in ("gap", "fresh"))
        self.last = None

    def _read(self, key: Key) -> Any:
        svt = self.svt
        try:
            this, public = compared(key)
        except Unrecognised as reason:
            raise self.otherwise(str(reason)) from None
        if svt.stops and self.found >= svt.c:
            raise self.otherwise(f"with more queries it is not always seen to stop after {svt.positives(svt.c)}")
        if this.absolute is not svt.absolute or (not public and -float(this.offset) != svt.correction):
            raise self.otherwise("what it adds to its threshold is not always the same number")
        svt.times += [this.times] if not public and this.times not in svt.times else []
        if set(this.draws) & set(this.inside):
            raise self.otherwise("the noise of a query stands inside its absolute value, and outside too")
        own = dict(this.draws)
        own.update(this.inside)
        ways = self._splits(this) if self.thresholds is None else [
            rho for rho in self.thresholds if all([this.draws.get(k) == f for k, f in rho.items()])
        ]  # fmt: skip
        self.thresholds = [rho for rho in ways if self._is_fresh(this, own, rho)]
        if not self.thresholds:
            raise self.otherwise("its noise is not always seen to be that of the SVT")
        self.spent |= set(own)
        return this

    def _splits(self, this: Any) -> list[Any]:
        """Which of the draws of a first comparison may be the threshold's."""
        law = self.svt.again if self.found else self.svt.threshold
        if len(this.draws) > MOST_DRAWS:
            raise self.otherwise("it compares with a sum of many draws")
        ways: list[dict[int, Any]] = [{}]
        for k, f in this.draws.items():
            ways += [with_draw(rho, k, f) for rho in ways]
        return [
            rho for rho in ways
            if law_of({k: -f * self.side for k, f in rho.items()}, self.laws) == law and not self.spent & set(rho)
        ]  # fmt: skip

    def _is_fresh(self, this: Any, own: dict[int, Any], rho: Any) -> bool:
        """Whether what is left beside the threshold's noise is new noise of the queries'."""
        within = 1 if self.svt.absolute else self.side
        rest = {k: f for k, f in own.items() if k not in rho}
        if self.svt.absolute and set(rest) != set(this.inside):
            return False
        return (
            not self.spent & set(rest) and law_of({k: f * within for k, f in rest.items()}, self.laws) == self.svt.query
        )

    def shows(self, form: Form) -> bool:
        """Whether a number is that of the positive just found, and may be shown."""
        svt, this = self.svt, self.last
        terms, constant = dict(form.terms), form.constant
        answer = terms.pop(this.answer, None) if this is not None else None
        draws = {v[1]: f for v, f in terms.items() if v[0] == "z"}
        if answer != 1 or any([v[0] not in ("z", "T") or v in self.inverse for v in terms]):
            return False
        passed = terms.get(("T",)) == -1 == -this.times and constant == this.offset and draws == this.draws
        if svt.release == "gap" and passed:
            self.last = None
            return True
        if svt.release == "fresh" and not constant and ("T",) not in terms and self._is_new(draws):
            self.last = None
            self.spent |= set(draws)
            return True
        return False

    def _is_new(self, draws: dict[int, Any]) -> bool:
        """Whether draws make the noise of a number, and were not used."""
        return not self.spent & set(draws) and law_of(draws, self.laws) == self.svt.number

    def otherwise(self, reason: str) -> Otherwise:
        """Not the SVT's."""
        self.reason = self.reason or reason
        return Otherwise(self.reason)


class Always:
    """What all runs share: the states that were met, and which numbers are not told apart any more."""

    def __init__(self, svt: SVT, side: int) -> None:
        self.svt, self.side = svt, side
        self.wide: set[Any] = set()  # names of which only is known that their values are public numbers
        self.values: dict[Any, set[Any]] = {}
        self.states: set[Any] = set()
        self.ways: dict[Any, int] = {}  # in which numbers that are kept were calculated
        self.reached: set[int] = set()  # with which the number of queries, or what hangs on it, is compared
        self.unlike = self.turns = self.held = 0
        self.prints = False  # whether one of them prints, or writes into a log

    def explore(self, once: Callable[[Run], Any]) -> str | None:
        """Why it is not always the SVT, None if it is."""
        for _ in range(_MOST_STARTS):
            self.states, self.values, self.reached = set(), {}, set()
            try:
                return self._all(once)
            except _Again:
                continue
        return "more and more of what it keeps has to be told apart"

    def _all(self, once: Callable[[Run], Any]) -> str | None:
        plan: list[bool] = []
        for _ in range(_MOST_RUNS):
            fork = Watch(plan, self.svt, self.side)
            run = Run(fork, Generator())
            run.always = Turns(self, run, fork)
            try:
                once(run)
                fork.passed()
            except _Covered:
                pass
            if fork.reason:
                return fork.reason
            taken = fork.taken
            while taken and taken[-1]:
                taken.pop()
            if not taken:
                return None
            plan = taken[:-1] + [True]
        return "its runs are too many"

    def met(self, state: Any) -> bool:
        """Whether a state was met before."""
        if state in self.states:
            return True
        self.states.add(state)
        more = max(0, self.svt.c - 6)  # a count of them has so many values
        if len(self.states) > _FEW_STATES + 4 * more:
            many = [where for where, values in self.values.items() if len(values) >= _MANY + more]
            if many:
                self.wide |= set(many)
                raise _Again
        if len(self.states) > _MOST_STATES + 8 * more:
            raise Unreadable("what it keeps goes on changing with the number of queries")
        return False

    def widened(self, where: Any, value: Any) -> bool:
        """Whether a number is held to be any public one; else it is kept which it was."""
        if type(value) is not int and type(value) is not float:
            return False
        if where not in self.wide:
            self.values.setdefault(where, set()).add(value)
        return where in self.wide


class Turns:
    """One run on a list of which the length is not known."""

    def __init__(self, shared: Always, run: Run, fork: Watch) -> None:
        self.shared, self.run, self.fork = shared, run, fork
        self.turn: Any = object()
        self.walk: Any = None  # the way through the list that is under way
        self.roots: list[Any] = []
        self.ended: list[tuple[Any, Any]] = []  # lists, with places that do not stand before their end

    def head(self, where: Any, walk: Any = None) -> None:
        """The begin of a turn."""
        self.turn, self.walk = object(), walk
        self.shared.turns += 1
        if self.shared.turns > _MOST_TURNS:
            raise Unreadable("its runs are too many")
        self.fork.asked_for = {}
        self.fork.passed()
        state = State(self).all(where)
        if len(self.fork.taken) >= len(self.fork.plan) and self.shared.met(state):
            raise _Covered

    def more(self) -> bool:
        """Whether there is another query."""
        return self.fork.public()

    def tried(self, run: Run, lane: Lane) -> Lane:
        """A new list, of which one element is made beside the run: Python makes all of them, asked for or not."""
        fork = self.fork
        kept = [(name, getattr(fork, name)) for name in _OF_A_TRIAL]
        plan: list[bool] = []
        for _ in range(_MOST_TRIED):
            for name, value in kept:
                setattr(fork, name, value.copy() if isinstance(value, (list, dict)) else value)
            given: list[bool] = []
            fork.trial = plan, given
            try:
                lane.trial(run)
            except Raised as error:
                raise run.stop(f"it makes a list of which an element may end in {error.name}") from None
            for name, value in kept:
                setattr(fork, name, value)
            while given and given[-1]:
                given.pop()
            if not given:
                return lane
            plan = given[:-1] + [True]
        raise run.stop("it makes lists with elements that may be made in too many ways")

    def new_list(self, items: list[Any]) -> Said:
        """A list of the program's own."""
        return Said(self, self.run, items)

    def board(self, tainted: str, filled: Any) -> Board:
        """An array of one value."""
        return Board(self, tainted, type(filled) is bool, 0 if filled is False else MANY)

    def book(self, run: Run) -> Book:
        """A dictionary of its own, that has nothing in it yet."""
        return Book(self, run)

    def letters(self, run: Run, text: str) -> Letters:
        """A text that is lengthened."""
        return Letters(self, run, list(text))

    def draws(self, run: Run, family: str, loc: Any, scale: Any, size: Any) -> Lane:
        """A draw for each query."""
        return Lane.draws(self, run, family, loc, scale, size)

    def places(self, of: Any) -> Lane:
        """Where in a list a turn is."""
        return Lane.places(self, of)

    def zipped(self, run: Run, name: str, given: Any) -> Lane:
        """Elements side by side, or with their places."""
        return Lane.zipped(self, run, name, given)

    def made(self, machine: Any, node: Any, frame: Frame, items: Any, later: bool = False) -> Any:
        """A list that is made of something; None if that is done one after the other."""
        part = node.generators[0]
        simple = len(node.generators) == 1 and is_simple(node.elt)
        if isinstance(items, Said) and items.exact() is None and simple and by_constants(node):
            return items.mapped(self.run, machine, node, frame)
        kept = self._kept(node.elt, frame) if simple and not part.ifs else None
        known = kept if isinstance(items, Lane) else None
        whole = not later or not kept or self._at_once(node.goes, frame)
        if known is not None and whole:

            def do(one: Any, *values: Any) -> Any:
                again = Frame(None, set(known) | frame.own)
                again.outside = frame.outside
                again.names.update(zip(sorted(known), values))
                machine.store(part.target, again, one)
                return machine.value(node.elt, again)

            values = tuple([known[name] for name in sorted(known)])
            found = Lane(self, "made", (id(node), items) + values, lambda _, *xs: do(*xs), items.of, array=False)
            return self.tried(self.run, found)
        if not later:
            return None
        draws = all([kind_of(x.func) == "Attribute" for x in walk(node.elt) if kind_of(x) == "Call"])
        if kept is not None and whole and draws and not isinstance(items, Abstract):
            return machine.listed(node, frame, items)  # nobody sees how often it is evaluated
        return Later(self._rounds(machine, node, frame, items), (id(node), frame, items))

    def _rounds(self, machine: Any, node: Any, frame: Frame, items: Any) -> Any:
        self.run.frames.append(frame)  # for as long as the call that goes through it
        yield from machine.rounds(node, frame, items)

    def _at_once(self, place: str, frame: Frame) -> bool:
        """Whether what is made goes to a function that takes it whole, before a name in it can change."""
        name: str = place[len("call of ") :]
        at: Any = frame
        while at is not None and name not in at.own:
            at = at.up
        found = frame.outside(name) if at is None and name in _AT_ONCE else None
        return found is not None and found is BUILTINS[name]

    def _kept(self, node: Any, frame: Frame) -> Any:
        """What the names of an expression stand for, if none of it can change; else None."""
        found = {}
        for x in walk(node):
            if kind_of(x) == "Attribute" and (root_of(x) == "" or root_of(x) in frame.own):
                return None  # it may be a property, which does something
            if kind_of(x) == "Name" and x.id not in frame.own:
                at: Any = frame
                while at is not None and x.id not in at.own:
                    at = at.up
                value = frame.outside(x.id) if at is None else at.names.get(x.id)
                if not (isinstance(value, (bool, int, float, Form, Room)) or value is BUILTINS.get(x.id, self)):
                    return None
                if at is not None:
                    found[x.id] = value
        return found

    def reveal(self, value: Any, one: bool = False) -> None:
        """What the program returns, or answers to one query."""
        if isinstance(value, (Form, Rounded)):
            if not shows(self, value):
                raise self.run.stop("it shows a number that is not that of a positive answer, with its noise")
        elif isinstance(value, Abstract) and not isinstance(value, Public):
            reveal = getattr(value, "reveal", None)
            if one or reveal is None:
                raise self.run.stop("it returns what is not read")
            reveal(self.run)
        elif isinstance(value, Row) and not one:
            self.reveal(tuple(value.items))
        elif isinstance(value, tuple):
            self.run.waiting.append(value)  # while one part is gone through, the others are part of the state
            for part in value:
                self.reveal(part, one)
            self.run.waiting.pop()
        elif isinstance(value, (Record, Instance)) and parts_of(value) is not None:
            value.closed = value.closed or one  # it may be looked at from here on
            self.reveal(tuple(parts_of(value) or ()), one)
        elif not is_public(value):
            raise self.run.stop("it returns what is not read")


def why_not_always(program: Any, svt: SVT, side: int) -> str | None:
    """Why a program is not the SVT for every number of queries, None if it is.

    Parameters
    ----------
    program : Program
    svt : SVT
        What it is for a few.
    side : {1, -1}
        1 if high answers are its positives, -1 if low ones are.
    """
    if svt.c > _MOST_POSITIVES:
        return f"of more than {svt.positives(_MOST_POSITIVES)} the runs are too many"

    def once(run: Run) -> None:
        turns = run.always
        turns.fork.unit = min(1.0, program.sensitivity)
        program.asked_always(run, Lane.answers(turns, object()), turns.fork.variable(("T",)))

    svt.counted = program.counted - program.others
    always = Always(svt, side)
    try:
        reason = always.explore(once)
    except (Unreadable, Refused) as refused:
        why = str(refused)
        return f"{why[:1].lower()}{why[1:]}"
    program.prints = program.prints or always.prints
    program.reached = sorted([k for k in always.reached if k > _REACHED_ANYWAY])
    many = len(program.reached) > _MOST_REACHED or sum(program.reached) > _REACHED_TOGETHER
    return "it compares the number of queries with many numbers" if many else reason
