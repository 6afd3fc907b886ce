"""The last look before a verdict: run on numbers, the program does what was read of it.

It clears nothing.  It is there for what may be wrong with the reading: where the program itself, with the same noise,
answers otherwise, the verdict is *not decided*.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from svtcourse.judge.language.kinds import Raised, Row, Run
from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.noise import Generator
from svtcourse.judge.language.outputs import value
from svtcourse.judge.language.replay import Source
from svtcourse.judge.language.witness import beside
from svtcourse.judge.unknowns.symbols import Unreadable
from svtcourse.judge.verdict import shown

__all__ = ["as_often", "draws_otherwise", "otherwise", "told_of"]

_LENGTHS = (0, 1, 2, 3, 5, 8, 13, 21, 40, 150)
_LATE, _MOST_TURNS = (400, 1_000), 1_500_000  # the last lists; what a program may do on one, in steps
_LONG, _LONGER, _QUICK = 1_000, 10_000, 0.03  # queries of a long list; of a longer one, if the first took so long
_SHORT = 8  # queries from which on numbers are read as unknowns are
_UNLIKELY = 1e-6  # how rare a count is no chance
_ELSE, _LATE_END = "it does something else when run", TimeoutError.__name__
_FAR = 1e4  # how many scales from the threshold an answer is


def otherwise(program: Mine, laws: set[tuple[str, float]], long: bool) -> str | None:
    """Where a program, run, does something else than was read of it, in words; None if that was not seen.

    Parameters
    ----------
    program : Mine
    laws : set of (str, float)
        Family and scale of each draw that was read.
    long : bool
        Whether it is read to draw no others on long lists.
    """
    unit = max([program.sensitivity, *[scale for _, scale in laws if scale < 1e200]])
    own, of_numpy = random.getstate(), np.random.get_state()
    try:
        with beside(program.codes, program.elsewhere) as more:
            where = _with_the_same_noise(program, unit, long)
        if more:
            return f"in {more[0].co_name} (line {more[0].co_firstlineno}), which was not read, {_ELSE}"
        return where or (_on_long_lists(program, laws, unit) if long else None)
    finally:
        random.setstate(own)
        np.random.set_state(of_numpy)


def _with_the_same_noise(program: Mine, unit: float, long: bool) -> str | None:
    """The program and what was read of it, on short lists with ties and extremes."""
    rng = np.random.default_rng(0)
    late = _LATE + tuple(k + more for k in program.reached for more in (0, 3))
    for seed, n in enumerate(2 * _LENGTHS + late):
        whole = len(_LENGTHS) <= seed < 2 * len(_LENGTHS)  # here it is run on whole numbers, and read as ever
        threshold = float(rng.choice([0.0, 1.0 if whole else 0.5, -7.0, 100.0]))
        steps = [-20.0, -2.0, -0.5, 0.0] + [0.5, 2.0, 20.0] * (seed < len(_LENGTHS))
        if seed >= 2 * len(_LENGTHS):  # so that a run comes to its end, and may stop there
            steps = [-40.0] * (n // program.c) + [20.0]
        answers = threshold + unit * rng.choice(steps, size=n)
        answers = np.rint(answers).clip(-(2.0**52), 2.0**52) if whole else answers

        def read(answers: Any = answers, threshold: float = threshold, seed: int = seed) -> Any:
            run = Run(None, Generator(np.random.default_rng(seed)), _MOST_TURNS)
            run.known = np.random.RandomState(seed)
            random.seed(seed)
            found = program.returned(value(run, program.asked(run, Row(answers.tolist()), threshold)), len(answers))
            return found if not run.strange else None

        try:
            ours = _told(read)
        except Unreadable as reason:
            if n < _SHORT or not long:
                continue
            return f"on {n} answers it was not followed to its end: {reason}"
        if ours is None:  # its noise is not all from rng
            _told(lambda a=answers, t=threshold: program.sample(a, t, np.random.default_rng(0)))
            continue
        random.seed(seed)
        np.random.seed(seed)
        a, t = (answers.astype(np.int64), int(threshold)) if whole else (answers, threshold)
        theirs = _told(lambda a=a, t=t, k=seed: program.sample(a, t, np.random.default_rng(k)))
        if theirs == _LATE_END and n > _SHORT:
            return f"on {n} answers it takes too long to be run"
        if not _alike(ours, theirs):
            return f"on the answers {shown(tuple(answers.tolist()))}, with threshold {threshold:g}, {_ELSE}"
    return None


def _on_long_lists(program: Mine, laws: set[tuple[str, float]], unit: float) -> str | None:
    """The program on answers that are far from the threshold, where it is certain what they are: what it draws."""
    rng, began = np.random.default_rng(1), time.perf_counter()
    far = [(_LONG, np.where(rng.random(_LONG) < 4 * program.c / _LONG, 1.0, -1.0))]
    far += [(n, np.full(n, way)) for k in program.reached for n in (k, k + 3) for way in (-1.0, 1.0)]
    while far:
        n, ways = far.pop(0)
        answers = _FAR * unit * ways
        found = _told(lambda a=answers: program.sample(a, 0.0, np.random.default_rng(2)))
        if not isinstance(found, tuple):
            far_off = f"on {n:,} answers far from the threshold"
            return f"{far_off} it takes too long to be run" if found == _LATE_END else f"{far_off} {_ELSE}"
        if draws_otherwise(program, answers, laws):
            return f"in its noise on {n:,} answers {_ELSE}"
        if n == _LONG and time.perf_counter() - began < _QUICK:
            far.append((_LONGER, np.where(rng.random(_LONGER) < 4 * program.c / _LONGER, 1.0, -1.0)))
    return None


def draws_otherwise(program: Mine, answers: Any, laws: Iterable[tuple[str, Any]]) -> bool:
    """Whether the program, run without noise, asks for noise of a scale that was not read."""
    source: Any = Source(lambda k, draw: 0.0)
    _told(lambda: program.sample(answers, 0.0, source))
    known = [float(scale) for _, scale in laws]
    return not all(np.isclose(draw.scale, known, rtol=1e-9, atol=0.0).any() for draw in source.draws)


def _told(run: Any) -> Any:
    """What a run gave, or the name of the error that it ended with."""
    try:
        return run()
    except Unreadable:
        raise
    except Raised as error:
        return error.name
    except Exception as error:
        return type(error).__name__


def _alike(ours: Any, theirs: Any) -> bool:
    if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
        return bool(ours == theirs)
    return len(ours) == len(theirs) and all(
        x == y or (float in (type(x), type(y)) and np.isclose(float(x), float(y), rtol=1e-9))
        for x, y in zip(ours, theirs, strict=True)
    )


def as_often(hits: int, log: float, runs: int) -> bool:
    """Whether so many runs of all may be a chance, where the logarithm of the probability is this."""
    from scipy.special import bdtr, bdtrc

    p = math.exp(min(log, 0.0))
    return bool(min(bdtr(hits, runs, p), bdtrc(hits - 1, runs, p)) > _UNLIKELY)


def told_of(said: Sequence[Any], noisy: bool = True) -> list[Any]:
    """The answers of a run, and of a number that may have noise only that it is one."""
    return ["number" if noisy and isinstance(one, (tuple, float)) else one for one in said]
