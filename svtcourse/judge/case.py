"""A program that can be run on unknowns: the SVT that it is, proved or refuted, or neighbours that it tells apart."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from svtcourse.judge.any_length.always import why_not_always
from svtcourse.judge.any_length.longer import along, departs, departures, lengths as lengths_of, recognised, shows_other
from svtcourse.judge.convict import leaks
from svtcourse.judge.convict.chance import MARGIN, Beyond, log_chance
from svtcourse.judge.convict.pairs import in_full
from svtcourse.judge.convict.scout import MOST_PAIRS, Scout
from svtcourse.judge.convict.shown import MOST_SHOWN, alone, shows
from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.noise import SEEDED
from svtcourse.judge.language.outputs import said as read
from svtcourse.judge.language.program import FARTHEST
from svtcourse.judge.mechanism import bill_of, mechanism_of, proved, spread_of
from svtcourse.judge.probing import CONFIDENCE
from svtcourse.judge.rerun import as_often, draws_otherwise, otherwise, told_of
from svtcourse.judge.unknowns.ratio import beside
from svtcourse.judge.unknowns.svts import ROUNDING, SVT, no_pair, strays
from svtcourse.judge.unknowns.symbols import Path, TooMany, Unreadable
from svtcourse.judge.unknowns.tree import Unrecognised, comparison, forms_in, grow, is_by_threshold, leaves, shape
from svtcourse.judge.verdict import Pair, Verdict, signs
from svtlib.exact.probability import log_probability
from svtlib.mechanism import Mechanism
from svtlib.noise import NoNoise
from svtlib.proofs.decide import Decision, decide

__all__ = ["Case", "apart"]

_SCOUTED = 3  # queries up to which pairs are looked for by drawing
_CHECKED, _MOST_RUNS = 200, 2_000  # queries and runs with which a pair is tried on the program
_MOST_LOOKED_AT = 120_000  # queries, of all long runs together: no pair of the known programs takes more than 170,000
_MOST_INTEGRATED = 4_000  # runs of few queries, each with its probability: pairs of the known programs take 3,200
_IMPOSSIBLE = 20  # pairs of which one side cannot give the output, that are tried
_MOST_REFUSED = 12  # pairs that the program, run on numbers, does not bear out: then what was read is not what runs
_FAR = 1e4  # how many scales beyond its threshold an answer is that is above it for certain
_SIMPLER = "write it as one loop, answer + noise against a noisy threshold"
_ALL = 11  # queries up to which all runs are looked at for a pair
_EARLY = 40  # queries up to which each beginning of a run is followed


class Case:
    """One program that can be run on unknowns.

    Parameters
    ----------
    program : Program
    monotonic : bool
    few : int, optional
        Of how many queries all runs are looked at, where those of c + 4 are too many: it is then not recognised.

    Raises
    ------
    Unreadable
        If it cannot be run on unknowns.
    """

    def __init__(self, program: Mine, monotonic: bool, few: int | None = None) -> None:
        self.program, self.monotonic = program, monotonic
        self.n = program.c + 4 if few is None else few
        if program.unread is not None:
            raise program.unread
        for n in range(1, self.n) if few is None else ():
            program.grown(n)
        self.paths = program.grown(self.n)
        self.tree = grow(self.paths)
        self.seeded = program.seeded
        self.side, self.svt, self.why_not = self._recognised() if few is None else (1, None, "")
        self.mechanism = self._mechanism()

    @functools.cached_property
    def unsteady(self) -> str | None:
        """Why it is not known to be the same SVT for every number of queries, None if it is."""
        return None if self.svt is None else why_not_always(self.program, self.svt, self.side)

    def _recognised(self) -> tuple[int, SVT | None, str]:
        if self.seeded:
            return 1, None, SEEDED
        try:
            side, svt = recognised(self.program, self.tree, self.n)
            if any(strays(path, svt, side) for n in range(1, self.n + 1) for path in self.program.grown(n)):
                raise Unrecognised("Some of its runs compare otherwise than the rest")
            return side, svt, ""
        except Unrecognised as reason:
            return 1, None, str(reason)

    def _mechanism(self) -> Mechanism | None:
        if self.svt is None:
            return None
        try:
            return mechanism_of(self.svt, self.side, self.program, self.monotonic)
        except ValueError as error:
            self.why_not = f"{self.svt.words(self.program.c)}, of which no theorem speaks ({error})"
            self.svt = None
            return None

    def _high(self, key: Any) -> bool | None:
        """Which answer to a comparison says that the query is high, None where it is about none."""
        try:
            return comparison(key).up
        except Unrecognised:
            return None

    def verdict(self) -> Verdict:
        """Proved, refuted or neither."""
        found = None if self.mechanism is None else self._decided(self.mechanism)
        if found is None:
            pair = self.pair() or self._by_numbers()
            if pair is None:
                neither = self._neither()
                if self.program.coarse and not self.program.posed:  # runs see what rounding tells
                    raise Unreadable(neither.reason.partition("; next")[0] + "; and it rounds what it shows")
                return neither
            found = Verdict(False, self.program.epsilon, self._why(), self.mechanism, pair=pair)
        laws = {(family, float(scale)) for path in self.paths for family, scale in path.laws}
        where = otherwise(self.program, laws, found.private is True)
        if not where:
            return found
        text = f"{found.reason}, as it was read; but {where}; next: {_SIMPLER}"
        return Verdict(None, self.program.epsilon, text, self.mechanism)

    def pair(self) -> Pair | None:
        """Neighbours and an output by which the program, run on them, gives more than ε away."""
        p, refused = self.program, 0
        for leak in self._leaks():
            leak = leak.turned() if leak.loss < 0 and leak.confidence is None else leak
            possible = leak.log_probability_on_neighbour > -math.inf
            if leak.log_probability == -math.inf or (possible and not leak.loss > p.epsilon + MARGIN):
                continue
            assert leak.path is not None
            n = len(leak.answers)
            sure = self._sole(leak.path, n, summed=n <= self.n) and p.unclipped(leak.answers, leak.neighbour)
            if sure and self._seen(leak):
                return Pair(
                    leak.answers, leak.neighbour, 0.0, _said(leak.output, len(leak.answers), p),
                    leak.log_probability, leak.log_probability_on_neighbour, leak.confidence,
                )  # fmt: skip
            refused += sure
            if refused > _MOST_REFUSED:
                break
        return None

    def _by_numbers(self) -> Pair | None:
        """The same, where of each number that the program shows it is told only on which side of a level it is."""
        if self.svt is not None or self.program.places or not any(any(forms_in(x.output)) for x in self.paths):
            return None
        unit, most = self._heights()[3], (None, 4, 3, 2) if self.program.c < 3 else (4, 3, 2)
        with contextlib.suppress(Unreadable):  # of numbers that are not told its runs were read
            pairs = (apart(self.program.told(x), self.monotonic, most) for x in (0.0, unit, -unit))
            return next(filter(None, pairs), None)
        return None

    def _why(self) -> str:
        if self.svt is None:
            return self.why_not
        described = self.svt.words(self.program.c)
        if self.unsteady is None and self.mechanism is not None:
            decision = decide(self.mechanism, self.program.epsilon * (1 + ROUNDING))
            if not decision.private:
                return f"{described}; {bill_of(decision.proof, decision.proof.epsilon, self.program.epsilon)}"
        return f"{self._few()}; but {self.unsteady or 'then it is another'}"

    def _few(self) -> str:
        """What it is, for as many queries as it was looked at with."""
        assert self.svt is not None
        described = self.svt.words(self.program.c)
        return f"For up to {self.n} queries {described[:1].lower()}{described[1:]}"

    def _inputs(self) -> str:
        """For which inputs a proof is one."""
        s, together = self.program.sensitivity, " whose answers only move together" * self.monotonic
        return f"all inputs{together}" + f" at sensitivity {in_full(s)}" * (s != 1)

    def _neither(self) -> Verdict:
        p, m = self.program, self.mechanism
        if m is None or self.svt is None:
            looked_at = no_pair(len(self.paths), f"up to {self.n} queries")
            return Verdict(None, p.epsilon, f"{self.why_not}. {looked_at}; next: {_SIMPLER}")
        decision = decide(m, p.epsilon * (1 + ROUNDING))
        cost, described = proved(decision.proof, p.epsilon), self._few() if self.unsteady else self.svt.words(p.c)
        if decision.private:
            text = (
                f"{described}; an alignment proves {cost}-DP for {self._inputs()} of up to {self.n} queries, and for "
                f"more it is not known: {self.unsteady or 'longer runs are of another kind'}; "
                "next: write what is done for a query so that it does not depend on how many came before"
            )
        else:
            ends = self.svt.stops and self.svt.c <= p.c
            step = "give it the scales of a published SVT" if ends else "let it stop after c ⊤"
            costs = f"the cheapest alignment costs {cost}" if self.svt.stops else "an alignment pays for each positive"
            costs = "no alignment pays for it on every number of queries" if cost == "inf" else costs
            text = f"{described}; {costs}, and no pair was found that gives more than ε away; next: {step}"
        return Verdict(None, p.epsilon, text, m, decision.proof)

    def _decided(self, m: Mechanism) -> Verdict | None:
        p = self.program
        assert self.svt is not None
        decision = decide(m, p.epsilon * (1 + ROUNDING))
        cost = decision.proof.epsilon
        if decision.private:
            self.unsteady = self.unsteady or departs(p, self.svt, self.side, FARTHEST)
            if self.unsteady:
                return None
            described = self.svt.words(p.c)  # the longer runs have a say in it
            paid = proved(decision.proof, p.epsilon)
            room = f"; {in_full(p.epsilon)} is allowed" if cost < 0.999 * p.epsilon else ""  # type: ignore[operator]
            reason = f"{described}; an alignment proves {paid}-DP for {self._inputs()} and every number of queries"
            reason += f"{room}{spread_of(m, decision.proof)}"
            reason += "; what it returns is made of these outcomes" * p.posed
            reason += "; what it prints was not looked at" * p.prints
            return Verdict(True, p.epsilon, reason, m, decision.proof)
        if decision.certificate is None:  # a pair that is too long to write, or none that was found
            return None
        pair = self._confirmed(m, decision)
        described = self.svt.words(p.c) if self.svt.stops and self.unsteady is None else self._few()
        reason = f"{described}; {bill_of(decision.proof, cost, p.epsilon)}"
        return None if pair is None else Verdict(False, p.epsilon, reason, m, decision.proof, pair)

    def _confirmed(self, m: Mechanism, decision: Decision) -> Pair | None:
        """The mechanism's pair, if the program itself gives that output on exactly the mechanism's conditions."""
        found = decision.certificate
        assert found is not None
        ends = list(leaves(self.tree))
        if len({leaf.output for leaf in ends}) < len(ends):
            return None  # it says less than it finds out
        wanted = [answer is not False for answer in found.outcome]
        extra, path = next(((e, path) for e in (0, 1) if (path := self._giving(wanted, e))), (None, None))
        if extra is None or path is None or not self._sole(path, len(wanted) + extra):
            return None
        bar = found.threshold[0] if found.threshold else 0.0
        if any(level != bar for level in found.threshold):
            return None
        answers, neighbour, outcome = found.answers, found.neighbour, found.outcome
        if not m.sides.absolute:  # at threshold 0, whatever the program does with its threshold
            here = tuple(x - bar for x in answers)
            moves = (b - a for a, b in zip(answers, neighbour, strict=True))
            answers, neighbour = here, tuple(beside(x, move) for x, move in zip(here, moves, strict=True))
            moved = 0.0 if m.release == "gap" else bar
            outcome, bar = [x if isinstance(x, (bool, str)) else x - moved for x in outcome], 0.0
        elif bar and not is_by_threshold(path):
            return None
        logs = [log_probability(m, data, outcome, bar) for data in (answers, neighbour)]
        if not logs[0] > logs[1] + self.program.epsilon:
            return None
        sign, more = float(self.side), (0.0,) * extra
        sides = [tuple(sign * x + 0.0 for x in data) + more for data in (answers, neighbour)]
        clipped = not (m.sides.absolute or self.program.unclipped(*sides))
        moved = self._within_limits(*sides, path=path) if clipped else 0.0
        if moved:
            here = tuple(x + moved for x in sides[0])
            sides = [here, tuple(beside(x, b - a) for x, a, b in zip(here, *sides, strict=True))]
            more_shown = 0.0 if m.release == "gap" else sign * moved
            bar, outcome = moved, [x if isinstance(x, (bool, str)) else x + more_shown for x in outcome]
            as_found = [tuple(sign * x for x in data[: len(wanted)]) for data in sides]
            logs = [log_probability(m, data, outcome, sign * moved) for data in as_found]
        if not self.program.unclipped(*sides) or not logs[0] > logs[1] + self.program.epsilon:
            return None
        shown = signs(x if isinstance(x, (bool, str)) else sign * x + 0.0 for x in outcome)
        own = m.release_noise if m.release == "fresh" else m.query_noise
        bare = isinstance(own, NoNoise) and (m.release != "gap" or isinstance(m.threshold_noise, NoNoise))
        numbers = not bare and any(not isinstance(x, (bool, str)) for x in outcome)
        told: Any = wanted
        plain = set(shown) <= set("⊥⊤")
        if self.program.posed:
            told, shown = self.program.pose(path.output, len(wanted) + extra)
            given = [in_full(sign * x + 0.0) for x in outcome if not isinstance(x, (bool, str))]
            shown += f", its numbers {', '.join(given)} in the order of the positives" if given else ""
        pair = Pair(sides[0], sides[1], bar, shown, logs[0], logs[1], density=numbers)
        return pair if not plain or self._happens(pair, wanted, extra, told, path.laws) else None

    def _within_limits(self, *sides: tuple[float, ...], path: Path) -> float:
        """How far all answers, and the threshold, are moved so that clipping on one side leaves them as they are."""
        low, high = (end(limit) for end, limit in zip((max, min), zip(*self.program.limits, strict=True), strict=True))
        each = [x for side in sides for x in side]
        far = 3 * _FAR * math.ceil(max([self.program.sensitivity, *[float(scale) for _, scale in path.laws]]))
        if not is_by_threshold(path):
            return 0.0
        return float(math.ceil(low - min(each)) + far if low > -math.inf else math.floor(high - max(each)) - far)

    def _happens(self, pair: Pair, wanted: list[bool], extra: int, told: list[Any], laws: Any) -> bool:
        """Whether the program, run on numbers, returns what is told about as often as is said of both sides."""
        if len(pair.answers) > _CHECKED:
            return not draws_otherwise(self.program, pair.answers, laws)
        assert self.svt is not None
        rng = np.random.default_rng(len(wanted))
        scales = [float(scale) for path in self.paths[:1] for _, scale in path.laws]
        height = _FAR * max([self.program.sensitivity, *scales])
        high = [w == (self.side > 0) for w in (*wanted, *[False] * extra)]
        certain = [pair.threshold + self.svt.correction + (height if up else -height) for up in high]

        def gives(answers: Sequence[float], times: int) -> int:
            runs = self.program.samples([answers] * times, pair.threshold, rng)
            return sum(list(map(type, said)) == list(map(type, told)) and list(said) == told for said in runs)

        if gives(certain, 3) < 3:
            return False
        sides = (pair.answers, pair.log_probability), (pair.neighbour, pair.log_probability_on_neighbour)
        runs = self._runs(len(pair.answers))
        return all(as_often(gives(answers, runs), log, runs) for answers, log in sides)

    def _runs(self, n: int) -> int:
        """With how many runs a pair is tried."""
        return min(_MOST_RUNS, _CHECKED * 400 // n)

    def _giving(self, wanted: list[bool], extra: int) -> Path | None:
        """The run that says just this, and shows every comparison of it, with so many queries after it."""
        asked: list[Any] = []
        others: list[Any] = []  # comparisons that are about no answer

        def choose(key: Any) -> bool:
            high = self._high(key)
            if high is None:
                others.append(key)
                return False
            positive = len(asked) < len(wanted) and wanted[len(asked)]
            asked.append(key)
            return high if positive is (self.side > 0) else not high

        n = len(wanted) + extra
        path = self.program.along(n, choose)
        try:
            said = list(read(path.output, n))
        except ValueError:
            return None
        shown = [answer if answer is False or answer is True else isinstance(answer, tuple) or None for answer in said]
        just = shown == wanted and [comparison(key).query for key in asked] == list(range(len(wanted)))
        if others or not just or self.svt is None or strays(path, self.svt, self.side):
            return None
        if shows_other(path, self.svt, self.side, all_of_it=True):
            return None
        return path if not extra or wanted[-1] else None

    def _leaks(self) -> Iterator[leaks.Leak]:
        p, m = self.program, self.mechanism
        if m is not None and decide(m, p.epsilon * (1 + ROUNDING)).private:
            strange = False
            assert self.svt is not None
            for n, places, _ in departures(p, self.svt, self.side, MOST_SHOWN):
                strange = True
                yield from self._along(n, places)
            if not strange:
                return
            lengths: list[int] = []
        else:
            lengths = lengths_of(p) if self.mechanism is None else [12, 40]
        for n in range(1, min(self.n, 3 if p.c < 4 else 2) + 1):
            found = leaks.impossible(p.grown(n), n, p.sensitivity, self.monotonic)
            for answers, neighbour, members in itertools.islice(found, _IMPOSSIBLE):
                try:
                    log = log_chance(members, answers)
                except Beyond:
                    log = math.nan
                yield leaks.Leak(answers, neighbour, members[0].output, log, -math.inf, path=members[0])
        longer = [8, 12, *lengths, _ALL] if p.level is None else [_ALL, 60]
        for n in [self.n, *range(1, self.n), *longer]:
            yield from self._along(n)
        for n in range(1, min(_SCOUTED, self.n) + 1):
            yield from self._scouted(n)

    def _scouted(self, n: int) -> Iterator[leaks.Leak]:
        """What stands out when noise is drawn: exact where that can be, else from fresh draws."""
        scout = Scout(self.program.grown(n), n, np.random.default_rng(n))
        for answers, neighbour, output in scout.pairs(self.program.epsilon, self.program.sensitivity, self.monotonic):
            members, confidence = scout.shapes[output], None
            try:
                logs = [log_chance(members, data) for data in (answers, neighbour)]
            except Beyond:
                confidence = CONFIDENCE  # of all pairs together that may be tried, as it is and at three levels
                each = 1 - (1 - CONFIDENCE) / (MOST_PAIRS * _SCOUTED * 4)
                logs = [math.log(max(p, 1e-300)) for p in scout.bounded(answers, neighbour, output, each)]
            yield leaks.Leak(answers, neighbour, members[0].output, logs[0], logs[1], confidence, members[0])

    def _heights(self) -> list[float]:
        delta = self.program.sensitivity
        unit = max([delta, *(float(scale) for path in self.paths[:1] for _, scale in path.laws)])
        return [0.0, -delta, delta, unit, 4 * unit, 16 * unit]

    def _along(self, n: int, first: tuple[int, ...] = ()) -> Iterator[leaks.Leak]:
        """Along all runs of a few queries, or those of many whose output shows every comparison."""
        if n <= self.n:
            for members in itertools.islice(leaks.by_shape(self.program.grown(n)).values(), 64):
                for leak in leaks.losses(members, n, self.program.sensitivity, self.monotonic, self._heights()):
                    yield leak
                    self.program.used["integrals"] += 2 * len(members)
                    if self.program.used["integrals"] > _MOST_INTEGRATED:
                        return
            return
        if n > MOST_SHOWN:
            return
        last = tuple(range(max(0, n - self.program.c - 1), n))  # one more than there may be
        patterns = [(n - 1,), (), last, (0,), tuple(range(0, n, 2)), tuple(range(0, n, 3))]
        if n <= _EARLY:  # each way to begin, and then no positive any more
            some = (itertools.combinations(range(4), k) for k in range(1, self.program.c + 1))
            patterns += [places for ways in some for places in ways]
        for places in [first, *patterns]:
            if self.program.looked_at > _MOST_LOOKED_AT or self.program.used["integrals"] > _MOST_INTEGRATED:
                return
            path = along(self.program, self.side, n, places)
            for leak in leaks.losses([path], n, self.program.sensitivity, self.monotonic, self._heights()):
                self.program.used["integrals"] += 2
                if not -self.program.epsilon <= leak.loss <= self.program.epsilon:
                    if not self._sole(path, n):
                        break
                    yield leak
        yield from self._reused(n)

    def _sole(self, path: Path, n: int, summed: bool = False) -> bool:
        """Whether no other run gives the output of a path, or all that do of few queries were summed up."""
        if n <= max(_ALL, self.n):
            with contextlib.suppress(Unreadable):  # too many of them
                every = self.program.grown(n)
                one = summed or [shape(one.output) for one in every].count(shape(path.output)) == 1
                return one and alone(every, path, n) and not self.program.coarse
        p = self.program
        return p.tells_apart() and shows(p, self.side, path, n) and p.tells_apart()  # after more runs

    def _seen(self, leak: leaks.Leak) -> bool:
        """Whether the program itself, run on numbers, gives the output about as often as is said."""
        n, noisy = len(leak.answers), any(forms_in(leak.output))
        runs = self._runs(n)
        told = self.program.pose(leak.output, n)[0] if self.program.posed else read(leak.output, n)
        wanted, rng = told_of(told, noisy), np.random.default_rng(n)
        sides = (leak.answers, leak.log_probability), (leak.neighbour, leak.log_probability_on_neighbour)
        for answers, log in sides:
            hits = sum(told_of(said, noisy) == wanted for said in self.program.samples([answers] * runs, 0.0, rng))
            if not (hits if math.isnan(log) else as_often(hits, log, runs)):
                return False
        assert leak.path is not None
        return n <= self.n or not draws_otherwise(self.program, leak.answers, leak.path.laws)

    def _reused(self, n: int) -> Iterator[leaks.Leak]:
        """Two queries that share more noise than others do, the rest far below."""
        path = along(self.program, self.side, n, ())
        try:
            draws = [(comparison(key).query, set(comparison(key).draws)) for key, _, _ in path.literals]
        except Unrecognised:
            return
        owners: dict[int, list[int]] = {}
        for query, mine in draws:
            for k in mine:
                owners.setdefault(k, []).append(query)
        pairs = {(q[0], q[1]) for q in owners.values() if 1 < len(q) < len(draws)} | {
            (q[0], q[1]) for q in owners.values() if len(q) == len(draws) == 2
        }
        delta = self.program.sensitivity
        for i, j in sorted(pairs)[:3]:
            other = along(self.program, self.side, n, (j,))
            answers, neighbour = [-1e9 * self.side] * n, [-1e9 * self.side] * n
            answers[i], answers[j] = 0.0, delta * self.side
            neighbour[i], neighbour[j] = delta * self.side, delta * self.side
            try:
                here, there = (log_chance([other], data) for data in (answers, neighbour))
            except Beyond:
                continue
            yield leaks.Leak(tuple(answers), tuple(neighbour), other.output, here, there, path=other)


def apart(program: Mine, monotonic: bool, most: Sequence[int | None] = (None, 4, 3, 2)) -> Pair | None:
    """Neighbours that a program tells apart, with all runs looked at on as many queries as can be."""
    for few in most:
        try:
            return Case(program, monotonic, few).pair()
        except TooMany:
            continue
        except (Unreadable, RecursionError):  # on longer lists
            return None
    return None


def _said(output: Any, n: int, program: Mine) -> str:
    """An output of the tree as it is printed, with what stands for None."""
    if program.posed:
        return program.pose(output, n)[1]
    if program.positions(output) is not None:
        return str(program.positions(output))
    if type(output) is int and program.c > 1:  # no place of the first
        return str(output)
    try:
        answers, none = read(output, n), program.none
        every = zip(answers, output if isinstance(output, tuple) else answers, strict=True)
        return "".join(none if raw is None else signs(["(number)" if isinstance(a, tuple) else a]) for a, raw in every)
    except ValueError:
        return str(output)
