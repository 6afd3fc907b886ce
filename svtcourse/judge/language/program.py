"""A program that is judged: how it is called, run on numbers or on unknowns, and what it answers.

Plain Python that MicroPython runs too; `svtcourse.judge.language.mine` makes one of a function or a class.
"""

from __future__ import annotations

import math

from svtcourse.judge.language.attributes import attribute
from svtcourse.judge.language.grammar import kind_of, sizes, together, walk
from svtcourse.judge.language.kinds import Instance, Later, Raised, Row, Run
from svtcourse.judge.language.machine import Machine
from svtcourse.judge.language.noise import DRAWN, Generator
from svtcourse.judge.language.outputs import (
    SIGNS,
    NoAnswers,
    Told,
    flat,
    found_out,
    said,
    seen,
    spelled,
    value,
    words_of,
)
from svtcourse.judge.language.tokens import Refusal
from svtcourse.judge.language.values import binary, items_of, iterate, truth
from svtcourse.judge.unknowns.symbols import MOST_PATHS, Fork, Path, TooMany, Unreadable, form_of
from svtcourse.judge.unknowns.tree import shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from svtcourse.judge.unknowns.symbols import Key

__all__ = [
    "FARTHEST",
    "LONG",
    "ROLES",
    "Failed",
    "Program",
    "hears_threshold",
    "nothing",
    "roles_of",
]

ROLES = {
    "answers": ("answers", "queries", "q", "values", "counts"),
    "threshold": ("threshold", "T", "t"),
    "epsilon": ("epsilon", "eps"),
    "c": ("c", "cutoff"),
    "sensitivity": ("sensitivity", "Delta"),
    "rng": ("rng", "generator"),
    "parts": ("epsilon1", "epsilon2", "epsilon3", "epsilons"),
}
_LOOSE = ("t",)  # a name that may mean anything, and is given what it is needed for
FARTHEST = 12_000  # queries beyond which no run is looked at
_USUAL = 8  # unknowns of a comparison; what it has more makes a run as long as one of so many queries more
LONG = 1_500  # queries of which not all can stand at the threshold
_MOST_TURNS = 400_000  # of all runs on a few queries together: known programs take 23,000
_MOST_WALKED = 1_500_000  # of those that are followed along one path: right programs of the lists take 510,000


class Failed(Exception):
    """The program ends with an error, at a line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def nothing() -> None:
    """Told before each run: a page shows that it is still at work."""


def explore(run: Callable[[Fork], Any], most: int = MOST_PATHS) -> Iterator[Path]:
    """All runs: after each, the last comparison answered False is answered True, and the rest is open again."""
    plan: list[bool] = []
    asked: list[Any] = []
    for _ in range(most):
        fork = Fork(plan)
        output = run(fork)
        if fork.reason:
            raise Unreadable(fork.reason)
        again, asked = asked[: len(plan)], [question[:2] for question in fork.order]
        if asked[: len(plan)] != again:
            raise Unreadable("It keeps something between calls: run again, it asks otherwise")
        yield Path(fork, output)
        answers = [above for _, _, above in fork.order]
        while answers and answers[-1]:
            answers.pop()
        if not answers:
            return
        plan = answers[:-1] + [True]
    raise TooMany(f"It has more than {most:,} ways to answer so few queries")


class _Posed(Exception):
    """What it returns has a form of its own: its runs are looked at anew, and told by what they found out."""


class Program:
    """A function with its budget, or a class with `ask`.

    Attributes
    ----------
    name : str
    names : dict
        Its parameters with their roles: answers, threshold, epsilon, c, sensitivity, rng.
        A class takes all but the answers; its objects answer one query at a time, ``ask(answer)`` or
        ``ask(answer, threshold)``.
    asks, takes_threshold : bool
        Whether it is a class, and whether `ask` is given a threshold.
    epsilon, c, sensitivity : float, int, float
    level : float or None
        If a number, one is told of each number that it shows only whether it is at least that.
    """

    name = "program"
    asks = takes_threshold = seeded = False
    heeds = False  # whether one who asks an object stops as soon as it says that it has ``stopped``
    renamed = False  # whether a function of its own was called by another name than that of its definition
    level: float | None = None
    words: tuple[Told, Told]  # for numbers below the level, and others
    posed = False  # whether what it returns has a form of its own; then a run is told by what it found out
    coarse = False  # whether runs that found out different things return the same, or show numbers that are rounded
    one_each = True  # whether it is then a list with one word, or number, for each comparison, which tell them apart
    prints = False  # whether it prints, or writes into a log
    places = False  # whether it answers with whole numbers that are no signs
    none = "⊥"  # what is printed for None: a dash if it says False too
    most_paths = 3_000
    looked_at = 0  # queries of the runs that were followed along one path
    turns = 0  # that the runs took which are looked at now
    walked = 0  # that those took which were followed along one path

    def __init__(self, epsilon: float, c: int, sensitivity: float, beat: Callable[[], None] = nothing) -> None:
        self.epsilon, self.c, self.sensitivity, self.beat = epsilon, c, sensitivity, beat
        self.names: dict[str, str] = {}
        self.given: dict[str, Any] = {}
        self.kinds: set[str] = set()
        self.signs: set[str] = set()  # the words that it has for yes and no
        self.ends: set[tuple[int, str, str]] = set()  # how an asker ends: where, with which exception and values
        self.limits: set[tuple[float, float]] = set()  # to which answers are clipped
        self.known: dict[int, list[Path] | Unreadable] = {}  # all runs on so many queries, or why they are not read
        self.used = {"turns": 0, "integrals": 0}  # of all looks at few queries, for it and for what is told of it
        self.poses: dict[Any, Any] = {}  # of what was found out of so many queries, what is returned, and in words
        self.found_out: dict[Any, Any] = {}  # the other way round
        self.sole: dict[Path, bool] = {}  # whether no other run gives its output, of long ones
        self.means: dict[str, Any] = {}  # what an element then stands for
        self.counted: set[str] = set()  # words for positives, in a form of its own
        self.others: set[str] = set()  # and other words
        self.reached: list[int] = []  # with which it compares the number of queries, or what hangs on it

    def made(self, run: Run) -> Any:
        """The function or class."""
        raise NotImplementedError

    def unclipped(self, *sides: Any) -> bool:
        """Whether all answers are such that clipping leaves them as they are."""
        return all([low <= x <= high for low, high in self.limits for side in sides for x in side])

    def nodes(self) -> list[Any]:
        """The trees of all its functions."""
        raise NotImplementedError

    def says_stopped(self) -> bool:
        """Whether its objects may say that they have stopped."""
        names = [getattr(x, "attr", getattr(x, "name", "")) for tree in self.nodes() for x in walk(tree)]
        return self.asks and "stopped" in names

    def _arguments(self, answers: Any, threshold: Any, source: Any) -> dict[str, Any]:
        values = {"answers": answers, "threshold": threshold, "epsilon": self.epsilon, "c": self.c}
        values["sensitivity"], values["rng"] = self.sensitivity, source
        parts = [name for name in self.names if self.names[name] == "parts"]
        share = self.epsilon / (3 if "epsilons" in parts else len(parts) or 1)
        found = {}
        for name, role in self.names.items():
            found[name] = ((share, share, share) if name == "epsilons" else share) if role == "parts" else values[role]
        found.update(self.given)
        return found

    def positions(self, output: Any) -> str | None:
        """A list of whole numbers, which are no signs even if they are 0 and 1; None if the output is none."""
        whole = self.places and isinstance(output, tuple) and all([type(x) is int for x in output])
        return str(list(output)) if whole else None

    def asked(self, run: Run, answers: Any, threshold: Any) -> Any:
        """What it answers, to all queries or to one after the other."""
        machine = Machine(run)
        made, arguments = self.made(run), self._arguments(answers, threshold, run.generator)
        if not self.asks:
            heard = run.new_list([]) if made.node.gives else None
            found = machine.called(made, (), arguments, heard)
            return (items_of(run, found) if isinstance(found, Later) else found) if heard is None else heard
        one, heard = machine.call(made, (), arguments), []
        for answer in iterate(run, answers):
            if self._stopped(machine, one):
                break
            try:
                heard.append(self._ask(machine, one, answer, threshold))
                run.grows(heard, 1)
            except Raised as error:
                self._raised(run, error)
                break
        return heard

    def _raised(self, run: Run, error: Raised) -> None:
        if error.name in _FAULTS and not error.meant:
            raise error
        self._ends(run, (run.line, error.name, error.words))

    def _ends(self, run: Run, how: tuple[int, str, str]) -> None:
        """The answers always end in one way, told in the same words; a second one would be an answer too."""
        if run.fork is not None:
            self.ends.add(how)
            if len(self.ends) > 1:
                raise run.stop("It ends with one exception or another, or stopped, which may tell more than it answers")

    def _ask(self, machine: Machine, one: Any, answer: Any, threshold: Any) -> Any:
        given = (answer, binary(machine.run, "Add", threshold, 0)) if self.takes_threshold else (answer,)
        del machine.run.frames[:]
        del machine.run.waiting[:]
        return machine.call(attribute(machine.run, one, "ask"), given, {})

    def _stopped(self, machine: Machine, one: Any) -> bool:
        if not isinstance(one, Instance) or ("stopped" not in one.names and "stopped" not in one.of.names):
            return False
        # an asker may do without it where `ask` raises, or ask it twice
        found = machine.looking(lambda: truth(machine.run, machine.part(one, "stopped")))
        if found and self.heeds:
            self._ends(machine.run, (0, "stopped", ""))
        return found and self.heeds

    def asked_always(self, run: Run, answers: Any, threshold: Any) -> None:
        """The same on a list of which the length is not known."""
        turns = run.always
        try:
            if not self.asks:
                turns.reveal(self.asked(run, answers, threshold))
                return
            machine = Machine(run)
            one = machine.call(self.made(run), (), self._arguments(None, threshold, run.generator))
            turns.roots.append(one)
            while True:
                del run.frames[:]
                del run.waiting[:]
                turns.head("ask")
                if self._stopped(machine, one) or not turns.more():
                    return
                try:
                    turns.reveal(self._ask(machine, one, turns.fork.answer(), threshold), one=True)
                except Raised as error:
                    self._raised(run, error)
        except Raised as error:
            raise run.stop(f"it ends with {error.name}: {error}") from error

    def once(self, answers: list[float], threshold: float) -> Any:
        """One run on numbers, with new noise of its own."""
        run = Run(None, Generator())
        try:
            return value(run, self.asked(run, Row([float(x) for x in answers]), threshold))
        except Raised as error:
            raise Failed(f"{error.name}: {error.words}", run.line) from error
        except Refusal as refusal:
            raise Failed(refusal.reason, refusal.line or run.line) from refusal

    def grown(self, n: int) -> list[Path]:
        """All runs on n unknown answers."""
        if n not in self.known:
            for k, reason in self.known.items():
                if k < n and isinstance(reason, TooMany):  # of more queries there are no fewer ways
                    raise reason
            try:
                try:
                    self.known[n] = self._grown(n)
                except _Posed:
                    self.known.clear()
                    self.known[n] = self._grown(n)
            except Unreadable as reason:
                self.known[n] = reason
        found = self.known[n]
        if isinstance(found, Unreadable):
            raise found
        return found

    def _grown(self, n: int) -> list[Path]:
        found, self.turns = [], 0
        try:
            for path in explore(lambda fork: self._on_unknowns(fork, n), self.most_paths):
                found.append(path)
                if self.used["turns"] + self.turns > _MOST_TURNS:
                    raise Refusal("Its runs take too many turns together")
        finally:
            self.used["turns"] += self.turns
        said(found[0].output, n)
        return found

    def along(self, n: int, choose: Callable[[Key], bool]) -> Path:
        """The run on n unknown answers in which each comparison comes out as `choose` has it."""
        self.looked_at += n
        fork = Fork((), choose)
        before = self.turns
        try:
            path = Path(fork, self._on_unknowns(fork, n))
        except _Posed as anew:
            self.posed = False
            raise Refusal("What it returns has a form of its own on longer lists only") from anew
        self.walked += self.turns - before
        if self.walked > _MOST_WALKED:
            raise Refusal("Its longer runs take too many turns together")
        self.looked_at += sum([max(0, len(terms) - _USUAL) for (terms, _), _, _ in path.literals])
        return path

    def _on_unknowns(self, fork: Fork, n: int) -> Any:
        self.beat()
        most = 1_000 + 40 * n + min(n * n, 160_000)
        run = Run(fork, Generator(), most)
        fork.unit = min(1.0, self.sensitivity)
        try:
            output = self.asked(run, Row([fork.variable(("a", i)) for i in range(n)]), fork.variable(("T",)))
            fork.kept = _counts(fork, output, len(fork.grown), len(fork.copies))
            self.kinds.add(type(output).__name__)
            self.kinds.discard("NoneType")
            if len(self.kinds) > 1:
                raise run.stop(f"It returns now one kind of list, and now another ({', '.join(sorted(self.kinds))})")
            output = value(run, output)
            if self.posed or _is_posed(output, n):
                output = self._told_as_found(output, fork, n)
            if isinstance(output, tuple) and any([x is False or (type(x) is int and x == 0) for x in output]):
                self.none = "–"
            if isinstance(output, tuple) and any([type(x) is int and x > 1 for x in output]):
                self.places = True
            self.signs |= (
                {x for x in output if isinstance(x, str) and x in SIGNS} if isinstance(output, tuple) else set()
            )
            if len(self.signs) > len({SIGNS[x] for x in self.signs}):
                raise run.stop(f"It has several words for one answer ({', '.join(sorted(self.signs))})")
            if self.level is not None and not self.posed and isinstance(output, tuple) and output[:1] != ("form",):
                output = tuple([self._told(one, fork) for one in output])
        except Raised as error:
            words = f"On unknown answers it ends with {error.name}" + (f": {error.words}" if error.words else "")
            raise Refusal(fork.reason or words, run.line) from error
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.line or run.line) from refusal
        except Unreadable as reason:
            raise Refusal(fork.reason or str(reason), run.line) from reason
        except RuntimeError as error:
            raise run.stop("It goes deeper than can be read") from error
        self.seeded, self.limits = self.seeded or run.seeded, self.limits | set(fork.limits)
        self.prints, self.coarse = self.prints or run.prints, self.coarse or run.rounds
        if fork.reason:
            raise Refusal(fork.reason, run.line)
        self.turns += most - run.left
        return output

    def _told_as_found(self, output: Any, fork: Fork, n: int) -> tuple[Any, ...]:
        """What a run found out stands for what it returns, if that has a form of its own."""
        if not self.posed:
            self.posed = True
            raise _Posed
        output = output if self.level is None else self._all_told(output, fork)
        found = found_out(output, fork) + tuple([x for x in flat(output) if isinstance(x, Told)])
        said(found, n)
        what, told = (n, str(shape(found))), (n, seen(output))
        self.poses[what] = flat(output), spelled(output)
        self.coarse = self.coarse or self.found_out.setdefault(told, what) != what
        words = words_of(output) if isinstance(output, (str, tuple)) else []
        for word, one in zip(words, found) if len(words) <= len(found) else ():
            if word is not None:
                (self.others if one is False else self.counted).add(word)
        each = isinstance(output, tuple) and len(output) == len(found)
        for part, one in zip(output, found) if each else ():
            sign = "number" if isinstance(one, tuple) else one
            each = each and self.means.setdefault(str(seen(part)), sign) is sign
        self.one_each = self.one_each and each
        return found

    def tells_apart(self) -> bool:
        """Whether runs that found out different things were so far seen to return different things."""
        return not self.coarse and (self.one_each or not self.posed)

    def returned(self, output: Any, n: int) -> tuple[Any, ...]:
        """An output as it is compared with others: as answers, or all that stands in a form of its own."""
        return tuple(flat(output)) if self.posed else said(output, n)

    def pose(self, found: Any, n: int) -> tuple[Any, str]:
        """What is returned where this was found out, as it is compared with others, and in words."""
        return self.poses[n, str(shape(found))]  # type: ignore[no-any-return]

    def _all_told(self, output: Any, fork: Fork) -> Any:
        """The same of all numbers in a form of its own."""
        if isinstance(output, tuple) and output[:1] != ("form",):
            return tuple([self._all_told(one, fork) for one in output])
        return self._told(output, fork) if isinstance(output, (tuple, float)) else output

    def _told(self, one: Any, fork: Fork) -> Any:
        """What one is told of a number: whether it is at least the level."""
        fork.running = False
        if isinstance(one, tuple) and one[:1] == ("form",):
            one = form_of(one[1], fork)
        elif type(one) not in (int, float) or (type(one) is int and one in (0, 1)):
            return one
        return self.words[one >= self.level]

    def numbers(self) -> set[float]:
        """The numbers of its text, without their signs: alone, together in a term, and as powers.

        What a draw is given is no number of queries, if it is not whole.
        """
        found: set[float] = set()
        for tree in self.nodes():
            drawn = [x for x in walk(tree) if getattr(getattr(x, "func", None), "attr", "") in DRAWN]
            given = [x for call in drawn for x in call.args if type(getattr(x, "value", 0)) is float and x.value % 1]
            inside: dict[int, tuple[int, float, float, float]] = {}
            together(tree, inside)
            for node in walk(tree):
                if any([node is x for x in given]):
                    continue
                if kind_of(node) != "BinOp":
                    found |= set(sizes([node]))
                    continue
                op, (count, largest, product, total) = kind_of(node.op), inside[id(node)]
                if op in ("Mult", "Add") and count > 1 and largest < 1e6:
                    found.add(product if op == "Mult" else total)
                if op == "Pow":
                    for x in sizes(walk(node.left)):
                        for k in sizes(walk(node.right)):
                            size = min(math.log(max(x, 2.0)) * k, 600.0)
                            found |= {math.exp(size), math.exp(-size)}
        return found


_FAULTS = (
    "TypeError", "AttributeError", "NameError", "IndexError", "KeyError", "ZeroDivisionError",
)  # fmt: skip


def _counts(fork: Fork, output: Any, until: int, copies: int) -> list[int]:
    """After how many comparisons each element was put into a list, or into that of which it is a copy or the begin."""
    for k in range(copies - 1, -1, -1):
        copy, x, when = fork.copies[k]
        if copy is output:
            counts = _counts(fork, x, when, k)
            return counts if min(counts + [0]) < 0 else counts[: len(copy.items if isinstance(copy, Row) else copy)]
    return [count for count, x in fork.grown[:until] if x is output]


def roles_of(names: list[str], needed: list[str]) -> dict[str, str]:
    """Which of these parameters have a role; of several names for one role the first in `ROLES` has it.

    Those that are not needed keep their default where their name has other meanings too.
    """
    found = {}
    for name in names:
        for role, known in ROLES.items():
            if name not in known or (name not in needed and (role == "parts" or name in _LOOSE)):
                continue
            if role == "parts" or not any([one in names for one in known[: known.index(name)]]):
                found[name] = role
    return found


def hears_threshold(names: list[str], needed: list[str]) -> bool:
    """Whether `ask` is given a threshold after the answer; its parameters, without the object.

    Raises
    ------
    ValueError
        If it takes something else, or asks for the threshold first.
    """
    bars = ROLES["threshold"]
    heard = len(names) > 1 and names[1] in bars and (names[1] in needed or names[1] not in _LOOSE)
    first = [name for name in names[:1] if name in bars]
    if first or [name for name in needed if name not in names[: 2 if heard else 1]]:
        every = ", ".join(names + [name for name in needed if name not in names])
        raise ValueError(f"ask must take an answer, and may take a threshold after it, got {every}")
    return heard


def _is_posed(output: Any, n: int) -> bool:
    """Whether what is returned are no answers as they are usually given."""
    try:
        said(output, n)
        return False
    except NoAnswers:
        long = isinstance(output, tuple) and len(output) > 4 * n + 4
        return isinstance(output, (str, tuple)) and output[:1] != ("form",) and not long
