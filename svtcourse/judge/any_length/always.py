"""Why a program is private for every number of queries: all its runs on a list of which it cannot know the length.

Whether there is another query, and whatever hangs on how many there were, is decided both ways.  What a run holds when
it begins a turn is its state; where that was met before, nothing new follows.  So a few runs stand for all, and of
each comparison in them it is asked whether it is the SVT's: an answer and new noise against the noisy threshold.
What else a program does with the outcomes of such comparisons, the number of queries and public numbers is free.
Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.at_once import made_at_once, made_of_signs
from svtcourse.judge.any_length.hidden import Public, Said, Size
from svtcourse.judge.any_length.lanes import Lane
from svtcourse.judge.any_length.walks import Counted, Made, Once, Walkable
from svtcourse.judge.language.kinds import (
    Abstract,
    Class,
    Error,
    Frame,
    Function,
    Instance,
    Iter,
    Native,
    Room,
    Row,
    Run,
    Table,
)
from svtcourse.judge.language.numpys import Generator
from svtcourse.judge.unknowns.symbols import Fork, Form, Signed, Unreadable, drawn_in
from svtcourse.judge.unknowns.tree import Unrecognised, compared, law_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from svtcourse.judge.unknowns.svts import SVT
    from svtcourse.judge.unknowns.symbols import Key

__all__ = ["why_not_always"]

_FEW_STATES, _MOST_STATES, _MOST_RUNS, _MOST_STARTS, _MANY = 30, 120, 4_000, 12, 9
_MOST_TURNS, _MOST_TICKS = 10_000, 20_000  # of all runs together: right programs take some hundred


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

    def public(self) -> bool:
        """What hangs on the number of queries, both ways."""
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
        this = self._read(key)
        above = self.public()
        self.last = None
        if (above is this.up) is (self.side > 0):
            self.found, self.last = self.found + 1, this
            if self.svt.refresh:
                self.thresholds = None
        return above

    def _read(self, key: Key) -> Any:
        svt = self.svt
        try:
            this, public = compared(key)
        except Unrecognised as reason:
            raise self.otherwise(str(reason)) from None
        if svt.stops and self.found >= svt.c:
            raise self.otherwise(f"it compares again after {svt.c} ⊤")
        if this.absolute is not svt.absolute or (not public and -float(this.offset) != svt.correction):
            raise self.otherwise("its threshold is not always moved by the same number")
        if set(this.draws) & set(this.inside):
            raise self.otherwise("the noise of a query stands inside its absolute value, and outside too")
        own = dict(this.draws)
        own.update(this.inside)
        ways = self._splits(this) if self.thresholds is None else [
            rho for rho in self.thresholds if all([this.draws.get(k) == f for k, f in rho.items()])
        ]  # fmt: skip
        self.thresholds = [rho for rho in ways if self._is_fresh(this, own, rho)]
        if not self.thresholds:
            raise self.otherwise("its noise is not always that of the SVT, or is used again")
        self.spent |= set(own)
        return this

    def _splits(self, this: Any) -> list[Any]:
        """Which of the draws of a first comparison may be the threshold's."""
        law = self.svt.again if self.found else self.svt.threshold
        ways: list[dict[int, Any]] = [{}]
        for k, f in this.draws.items():
            ways += [_with(rho, k, f) for rho in ways]
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

    def show(self, form: Form) -> None:
        """A number that is shown: that of the positive just found."""
        svt, this = self.svt, self.last
        terms, constant = dict(form.terms), form.constant
        answer = terms.pop(this.answer, None) if this is not None else None
        draws = {v[1]: f for v, f in terms.items() if v[0] == "z"}
        if answer != 1 or any([v[0] not in ("z", "T") or v in self.inverse for v in terms]):
            raise self.otherwise("it shows a number that is not that of a positive answer")
        self.last = None
        if svt.release == "gap":
            if constant == this.offset and terms.get(("T",)) == -1 and draws == this.draws:
                return
        elif svt.release == "fresh" and not constant and ("T",) not in terms and self._is_new(draws):
            self.spent |= set(draws)
            return
        raise self.otherwise("it shows a number with other noise than the SVT's")

    def _is_new(self, draws: dict[int, Any]) -> bool:
        """Whether draws make the noise of a number, and were not used."""
        return not self.spent & set(draws) and law_of(draws, self.laws) == self.svt.number

    def otherwise(self, reason: str) -> Otherwise:
        """Not the SVT's."""
        self.reason = self.reason or reason
        return Otherwise(self.reason)


class Always:
    """What all runs share: the states that were met, and by what they are told apart."""

    def __init__(self, svt: SVT, side: int) -> None:
        self.svt, self.side = svt, side
        self.folds: dict[Any, dict[Any, Callable[[list[Any]], Any]]] = {}  # what is read of a list, by where it is made
        self.wide: set[Any] = set()  # names of which only is known that their values are public numbers
        self.values: dict[Any, set[Any]] = {}
        self.states: set[Any] = set()
        self.kept: list[Any] = []
        self.unlike = self.turns = self.ticks = 0

    def explore(self, once: Callable[[Run], Any]) -> str | None:
        """Why it is not always the SVT, None if it is."""
        for _ in range(_MOST_STARTS):
            self.states, self.values = set(), {}
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
        if len(self.states) > _FEW_STATES:
            many = [where for where, values in self.values.items() if len(values) >= _MANY and where not in self.wide]
            if many:
                self.wide |= set(many)
                raise _Again
        if len(self.states) > _MOST_STATES:
            raise Unreadable("what it keeps goes on changing with the number of queries")
        return False

    def reads(self, site: Any, name: Any, fold: Callable[[list[Any]], Any]) -> None:
        """From now on this belongs to the state of a list."""
        known = self.folds.setdefault(site, {})
        if name not in known:
            known[name] = fold
            if self.states:
                raise _Again

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
        self.memo: dict[Any, Any] = {}
        self.scanned: Any = None
        self.walk: Any = None
        self.roots: list[Any] = []
        self.walking: list[Any] = []  # what a function goes through that looks for an element

    # what the language asks

    def head(self, where: Any) -> None:
        """The begin of a turn."""
        if self.run.held:
            raise self.run.stop("it goes through the list in the middle of a calculation")
        self.turn, self.memo = object(), {}
        self.shared.turns += 1
        if self.shared.turns > _MOST_TURNS:
            raise Unreadable("its runs are too many")
        self.fork.asked_for, self.fork.last = {}, None
        if len(self.fork.taken) >= len(self.fork.plan) and self.shared.met(State(self).all(where)):
            raise _Covered

    def tick(self) -> None:
        """One turn of any loop, or one call."""
        self.shared.ticks += 1
        if self.shared.ticks > _MOST_TICKS:
            raise Unreadable("its runs are too many")

    def more(self) -> bool:
        """Whether there is another query."""
        return self.fork.public()

    def stored(self, where: Any, name: str, value: Any) -> Any:
        """A value as it is kept under a name."""
        if isinstance(value, Size):
            value = value.number()
        place = where.of.name if isinstance(where, Instance) else id(where.node)
        return Public(self) if self.shared.widened((place, name), value) else value

    def new_list(self, items: list[Any], site: Any) -> Any:
        """A list of the program's own."""
        return Said(self, id(site), items)

    def new_text(self, site: Any) -> Any:
        """A text that it may fill."""
        return Said(self, id(site), [], "text")

    def counted(self, length: Any) -> Any:
        """``range(len(answers))``, or up to another number."""
        return Counted(self) if length is None else Lane.places(self, length)

    def draws(self, length: Any, family: str, loc: Any, scale: Any) -> Lane:
        """A draw for each query."""
        return Lane.draws(self, length, family, loc, scale)

    def some_answers(self) -> Lane:
        """Answers that were put aside, as many as one likes."""
        return Lane.answers(self, object())

    def folded(self, said: Any, node: Any, fold: Callable[[list[Any]], Any]) -> Any:
        """What is read of what was said."""
        if not isinstance(said, Said):
            raise said.refused(self.run)
        return said.fold(id(node), fold)

    def comprehension(self, node: Any, items: Any, frame: Frame, rounds: Any, beside: Any) -> Any:
        """A list made of one element after the other; `beside` are functions from outside, by name."""
        if isinstance(items, Said) and not items.answers:
            shown = None if node is None or beside else made_of_signs(self, node, items, frame, rounds)
            return self.new_list(list(rounds(frame, items)), frame.node) if shown is None else shown
        lane = None if node is None else made_at_once(self, node, items, frame, rounds, beside)
        return Made(self, frame.node, items, frame, rounds).call(self.run, "list") if lane is None else lane

    def generator(self, node: Any, items: Any, frame: Frame, rounds: Any) -> Any:
        """The same, made when it is asked for."""
        if isinstance(items, Said) and not items.answers:
            return Iter(rounds(frame, items))
        return Made(self, node, items, frame, rounds)

    def reveal(self, value: Any) -> None:
        """What the program returns."""
        if isinstance(value, Form):
            self.fork.show(value)
        elif isinstance(value, (Said, Walkable)):
            value.reveal(self.run)
        elif isinstance(value, tuple):
            for one in value:
                if isinstance(one, (Made, Once)):
                    raise self.run.stop("it returns what may fill the rest")
                self.reveal(one)
        elif not (
            value is None
            or isinstance(value, (bool, int, float, str))
            or type(value).__name__ in ("Public", "Shown", "Told")
        ):
            raise self.run.stop("it returns what is not read")


class State:
    """All that a run holds, as a value that can be compared: unknowns are named in the order in which they are met."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.fork = turns, turns.fork
        self.names: dict[Any, int] = {}

    def all(self, where: Any) -> Any:
        """The state at a place."""
        fork = self.fork
        rhos = None if fork.thresholds is None else tuple([
            tuple([(self.unknown(("z", k)), f) for k, f in sorted(rho.items())]) for rho in fork.thresholds
        ])  # fmt: skip
        frames = tuple([self.frame(frame) for frame in self.turns.run.frames])
        roots = tuple([self.of(root) for root in self.turns.roots + self.turns.walking])
        scanned = self.turns.scanned and self.turns.scanned.state(self)
        place, walk = (
            where if isinstance(where, (str, tuple)) else id(where),
            self.number(("walk", id(self.turns.walk))),
        )
        return place, self.site(self.turns.run.site), fork.found, rhos, frames, roots, scanned, walk

    def site(self, site: Any) -> Any:
        """The operation that is under way: what a run goes on with."""
        return site and (id(site[0]), site[1])

    def number(self, thing: Any) -> int:
        """The same for the same thing."""
        return self.names.setdefault(thing, len(self.names))

    def frame(self, frame: Frame | None) -> Any:
        """A call that is under way, or in which a function was defined."""
        if frame is None or ("frame", id(frame)) in self.names:
            return None if frame is None else self.names[("frame", id(frame))]
        number = self.number(("frame", id(frame)))
        loops = tuple([(id(node), self.of(items), k) for node, items, k in frame.loops])
        names = tuple([(name, self.of(frame.names[name])) for name in sorted(frame.names)])
        return (
            number,
            id(frame.node),
            self.site(frame.site),
            id(frame.at),
            loops,
            names,
            self.of(frame.said),
            self.frame(frame.up),
        )

    def unknown(self, v: Any) -> Any:
        """An unknown, with what it was used for."""
        if v[0] == "z":
            made = self.fork.inverse.get(v)
            of = None if made is None else (self._way(made[0]), self.form(made[1]))
            return "z", self.fork.laws[v[1]], v[1] in self.fork.spent, of, self.number(v)
        if v[0] == "|":
            return "|", tuple([(self.unknown(w), f) for w, f in v[1][0]]), v[1][1]
        return (v[0], v[2:3], self.number(v)) if v[0] == "a" else v

    def _way(self, how: Any) -> Any:
        """In which way another draw was made of one."""
        return self.number(how) if isinstance(how, tuple) else repr(how)

    def form(self, form: Form) -> Any:
        """A sum of unknowns."""
        parts = sorted(form.terms.items(), key=lambda term: (repr(term[0][0]), repr(term[1]), repr(term[0])))
        return tuple([(self.unknown(v), f) for v, f in parts]), form.constant

    def of(self, x: Any) -> Any:
        """Any value."""
        if isinstance(x, Form):
            return self.form(x)
        if x is None or isinstance(x, (bool, int, float, str, range)):
            return type(x).__name__, repr(x)
        if isinstance(x, tuple):
            return ("tuple",) + tuple([self.of(y) for y in x])
        if isinstance(x, Signed):
            return "signed", x.kind, self.unknown(x.of), x.factor
        if isinstance(x, Native):
            return x.name, id(x) if x.of is None else self.of(x.of)
        if isinstance(x, (Room, Error)) and not isinstance(x, Generator):
            return "known", id(x)
        if ("object", id(x)) in self.names:
            return "object", self.names[("object", id(x))]
        number = self.number(("object", id(x)))
        return number, type(x).__name__, self.inside(x)

    def inside(self, x: Any) -> Any:
        """What stands in something that can change."""
        if isinstance(x, Abstract):
            return x.state(self)
        if isinstance(x, Instance):
            return self.of(x.of), tuple([(name, self.of(x.names[name])) for name in sorted(x.names)])
        if isinstance(x, Function):
            defaults = tuple([(name, self.of(x.defaults[name])) for name in sorted(x.defaults)])
            return id(x.code), self.frame(x.up), defaults
        if isinstance(x, Class):
            return x.name, self.of(x.base), tuple([(name, self.of(x.names[name])) for name in sorted(x.names)])
        if isinstance(x, Row):
            return x.shared, tuple([self.of(y) for y in x.items])
        if isinstance(x, Table):
            return tuple([(self.of(key), self.of(value)) for key, value in x.pairs])
        if isinstance(x, Generator):
            return id(x.known)
        self.turns.shared.unlike += 1
        return "unlike any other", self.turns.shared.unlike


def _with(draws: dict[int, Any], k: int, f: Any) -> dict[int, Any]:
    more = dict(draws)
    more[k] = f
    return more


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

    def once(run: Run) -> None:
        turns = run.always
        turns.fork.unit = min(1.0, program.sensitivity)
        program.asked_always(run, Lane.answers(turns), turns.fork.variable(("T",)))

    try:
        return Always(svt, side).explore(once)
    except Unreadable as reason:
        return str(reason)
