"""A program that cannot be run on unknowns, run on numbers: that can convict it, and never clears it."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from svtcourse.judge.language.lasting import may_last
from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.outputs import NoAnswers
from svtcourse.judge.language.witness import profiled_by
from svtcourse.judge.unknowns.ratio import beside
from svtcourse.judge.verdict import Pair, Verdict, ending, shown
from svtlib.proofs.audit import AuditResult, audit

__all__ = ["CONFIDENCE", "TRIALS", "probed"]

CONFIDENCE = 0.999
TRIALS = 20_000
_WORK = 24_000_000  # steps of all its runs, half of them to choose: a program that takes many is run less often
_LINES = 8  # lines of Python that take as long as a call
_FEW = 10  # runs of which the steps are counted
_QUICK, _LONG = 3_000.0, 20.0  # microseconds of runs that are quick, and of a step that is long
_QUIET = 4e-4  # seconds that ten thousand calls take on a quiet machine
_SECONDS = 40.0  # only a program whose steps are long, as of numpy on large arrays, is ended by the clock
_GLANCES = (1_000, 12), (6_000, 3)  # runs on each of two neighbours to choose some pairs; how many are chosen
_GLANCE, _LOOKS = _GLANCES[0][0], _GLANCES[-1][1]
_HALF = 0.5  # confidence of a bound that only chooses
_LEVELS = (0.0, 0.0, 0.5, -0.5, 1.0, -1.0, 3.0, -3.0)  # of answers, in sensitivities

_Data = tuple[list[float], list[float]]


class _Slow(Exception):
    """A pair whose runs take too long."""


class _Runs:
    """Runs of a program on two neighbours, for an audit."""

    def __init__(self, program: Mine, pair: _Data, late: Callable[[], bool]) -> None:
        self.program, self.pair, self.late = program, pair, late
        self.width = 4 * len(pair[0]) + 4
        self.kept: tuple[list[Any], list[Any]] = [], []
        self.numbers: bool | None = None  # whether its answers are told as numbers, all of them; as the first runs say

    def _in_time(self, lists: list[list[float]]) -> Iterator[list[float]]:
        for one in lists:
            if self.late():  # the first runs were quicker than the rest
                raise _Slow
            yield one

    def __call__(self, data: Any, trials: int, generator: np.random.Generator) -> Any:
        """Runs on both in mixed order: what changes from run to run changes for both."""
        answers, neighbour = self.pair
        if not self.kept[data is neighbour]:
            there = generator.permutation(np.repeat([False, True], trials))
            rows = np.full((2 * trials, 2 * self.width), -1.0)
            rows[:, self.width :] = np.nan
            lists = self._in_time([neighbour if one else answers for one in there])
            every = self.program.samples(lists, 0.0, generator)
            numbers = {one for said in every for one in said if type(one) is float}
            if self.numbers is None:
                truths = any(one is True for said in every for one in said)
                self.numbers = any(one.is_integer() for one in numbers) or (len(numbers) > 0 and truths)
            for row, said in zip(rows, every, strict=True):
                row[: len(said)] = [self.numbers or one is not False for one in said]
                for j, one in enumerate(said):
                    if type(one) is float or self.numbers:
                        row[self.width + j] = one
            self.kept[0].append(rows[~there])
            self.kept[1].append(rows[there])
        return self.kept[data is neighbour].pop(0)

    def audited(self, trials: int, confidence: float, rng: np.random.Generator) -> tuple[AuditResult, str]:
        """What is found, and what the signs of its output are where some stand for numbers."""
        found = audit(self, *self.pair, trials=trials, confidence=confidence, rng=rng, signs=self.width)
        return found, "; each ⊤ in its output is a number, None and False are 0, True is 1" * bool(self.numbers)


def _pace() -> float:
    """How many times as long as on a quiet machine some calls take: an old one, or a traced run, is no fault."""

    def following(x: int) -> int:
        return x + 1

    spent = []
    for _ in range(3):
        x, began = 0, time.process_time()
        for _ in range(10_000):
            x = following(x)
        spent.append(time.process_time() - began)
    return max(1.0, min(spent) / _QUIET)


def _clock(pace: float) -> Callable[[], float]:
    """Tells the seconds since: of the processor's, which are one's own, or half of those on the wall, at its pace."""
    own, wall = time.process_time(), time.perf_counter()
    return lambda: max(time.process_time() - own, (time.perf_counter() - wall) / 2) / pace


def _steps(program: Mine, pair: _Data, most: float, seconds: float, pace: float) -> float:
    """How many calls and lines a run takes on both neighbours: the same on every machine, unless they are long.

    Raises
    ------
    _Slow
        If that is more than the most, or a thousand such runs take longer than so many seconds.
    """
    calls = lines = 0
    took = math.inf  # microseconds of both runs
    for _ in range(3):  # what is done once only does not count, nor what others do meanwhile
        since = _clock(pace)
        program.sample(pair[0], 0.0, np.random.default_rng(0))
        took = min(took, 2e6 * since())
        if took < _QUICK:
            break
    if took * _GLANCE > seconds * 1e6:
        raise _Slow
    before = sys.gettrace(), sys.getprofile()

    def counted(frame: Any, event: str, _: Any) -> Any:
        nonlocal calls, lines
        calls, lines = calls + event.endswith("call"), lines + (event == "line")
        if calls + lines / _LINES > most * _FEW:  # from here on it is not counted, and gets no other list
            sys.settrace(None)
            sys.setprofile(None)
        return counted

    def lists() -> Iterator[list[float]]:
        for one in _FEW * pair:
            if calls + lines / _LINES > most * _FEW:
                raise _Slow
            yield one

    def called(frame: Any, event: str, _: Any) -> None:
        if event == "c_call":
            counted(frame, event, _)

    try:
        sys.settrace(counted)
        sys.setprofile(called)
        program.samples(lists(), 0.0, np.random.default_rng(0))
    finally:
        sys.settrace(before[0])
        profiled_by(before[1])
    steps = (calls + lines / _LINES) / _FEW
    return 2 * took if took > max(_QUICK, _LONG * steps) else steps  # a usual step takes half a microsecond


def _pairs(d: float, monotonic: bool, more: int, rng: np.random.Generator) -> Iterator[_Data]:
    """Neighbours that many wrong programs tell apart, each both ways, and then some at random."""
    pairs = [([0.0] * 4, [d] * 4), ([0.0, d] * 2, [d, d] * 2), ([0.0], [d]), ([0.0] * 12, [d] * 12)]
    if not monotonic:
        pairs += [([0.0, d], [d, 0.0]), ([0.0] * 6 + [d], [d] * 6 + [0.0]), ([0.0, d] * 6, [d, 0.0] * 6)]
    for here, there in pairs:
        yield here, there
        yield there, here
    for _ in range(more):
        n = int(rng.choice([1, 2, 3, 4, 6, 8, 12]))
        answers = d * rng.choice(_LEVELS, size=n if rng.random() < 0.5 else 1) * np.ones(n)
        moves = np.full(n, 1.0) if rng.random() < 0.3 else rng.choice([0.0, 1.0] if monotonic else [-1.0, 1.0], size=n)
        moves = d * moves * rng.choice([-1.0, 1.0])
        yield answers.tolist(), [beside(float(x), float(move)) for x, move in zip(answers, moves, strict=True)]


def probed(program: Mine, monotonic: bool, reason: str, rng: np.random.Generator, trials: int) -> Verdict:
    """A program that cannot be run on unknowns is run on numbers; what is seen can convict it, and never clear it.

    A glance at many pairs chooses those that are looked at long; what is seen at a glance convicts nobody.
    """
    lasts = may_last(program.function)
    pairs = list(_pairs(program.sensitivity, monotonic, max(0, trials // _GLANCE - 1), rng))
    asked = max(1.0, trials / TRIALS)  # who wants more of them waits for it
    half, seconds, pace = asked * _WORK / 2, asked * _SECONDS / 2, _pace()
    since = _clock(pace)
    failed, tried, looks = "", 0, 0
    steps: dict[int, float] = {}

    def audited(runs: int, confidence: float, glance: bool = True) -> Iterator[tuple[AuditResult, str, _Data]]:
        """The pairs, the worst first, while there are steps left; and those at which it ends with an error left out."""
        nonlocal failed
        left, until = (half / 2, seconds) if glance else (half, 2 * seconds)
        for pair in pairs:
            try:
                if id(pair) not in steps:
                    steps[id(pair)] = _steps(program, pair, left / runs, seconds, pace)
                left -= runs * steps[id(pair)]
                if left < 0:
                    return
                found, signs = _Runs(program, pair, lambda: since() > until).audited(runs, confidence, rng)
                yield found, signs, pair
            except _Slow:
                return
            except (NoAnswers, NotImplementedError):
                raise  # what cannot be read, and what is not written yet
            except Exception as error:
                ends = f"it ends with {ending(error)}"
                if not failed or isinstance(error, TimeoutError):
                    failed = f"; and on the answers {shown(tuple(pair[0]))} {ends}"
                if not tried or isinstance(error, TimeoutError):
                    return

    for runs, most in _GLANCES:
        if runs == _GLANCE or (tried and runs <= trials // 2):
            glances = list(audited(runs, _HALF))
            tried = max(tried, len(glances))
            enough = 2 * program.epsilon + 1  # of pairs that lose more, the first is the simplest
            pairs = [
                pair for _, _, pair in sorted(glances, key=lambda one: -min(one[0].epsilon_lower, enough))
            ] or pairs
        pairs = pairs[:most]
    if tried:
        most = int(half / sum(steps[id(pair)] for pair in pairs))
        if since() > seconds:  # its steps are long: as many runs as there were at a glance
            most = min(most, _GLANCE * (tried // _LOOKS))
        trials = max(_GLANCE, min(trials, most))
    for found, signs, (answers, neighbour) in audited(trials, 1 - (1 - CONFIDENCE) / _LOOKS, False) if tried else ():
        looks += 1
        if found.epsilon_lower > program.epsilon:
            pair = Pair(
                tuple(answers), tuple(neighbour), 0.0, found.event.description,
                math.log(found.p_lower), math.log(found.p_neighbour_upper), CONFIDENCE,
            )  # fmt: skip
            lasts = lasts or may_last(program.function)  # also since
            if lasts:  # then runs may hang together
                seen = (
                    f"what its runs show, below, convicts it only if nothing lasts from one call to the next, which is "
                    f"not known of {lasts}; next: write it without that"
                )
                return Verdict(None, program.epsilon, f"{reason}{signs}; {seen}", pair=pair)
            return Verdict(False, program.epsilon, reason + signs, pair=pair)
    if failed:
        return Verdict(None, program.epsilon, f"{reason}{failed}; next: let it answer these without an error")
    seen = (
        f"{_GLANCE:,} runs on each of {tried} pairs, and {trials:,} on the {looks} that look{'s' * (looks == 1)} worst"
        f"{', then the time was over,' * (since() > 2 * seconds)} show no loss above ε, which proves nothing"
        if tried
        else f"It takes too long to be run {_GLANCE:,} times on two neighbours, so no pair was looked at"
    )
    text = (
        f"{reason}. {seen}; next: write it without that (what is read is noise from rng, with laplace, exponential, "
        "gumbel or normal, and comparisons with what comes of it), or give it more trials"
    )
    return Verdict(None, program.epsilon, text)
