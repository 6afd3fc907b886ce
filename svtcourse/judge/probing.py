"""A program that cannot be run on unknowns, run on numbers: that can convict it, and never clears it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from svtcourse.judge.language.mine import Mine
from svtcourse.judge.language.program import NoAnswers
from svtcourse.judge.verdict import Pair, Verdict, shown
from svtlib.proofs.audit import audit

__all__ = ["CONFIDENCE", "probed"]

CONFIDENCE = 0.999
_SECONDS, _FEWEST = 20.0, 1_000  # a program that is slow is run less often, and convicted by what is then seen


class _Slow(Exception):
    """A pair whose runs take too long."""


def _seconds(program: Mine, answers: list[float]) -> float:
    began = time.perf_counter()
    program.sample(answers, 0.0, np.random.default_rng(0))
    return time.perf_counter() - began


def probed(program: Mine, monotonic: bool, reason: str, rng: np.random.Generator, trials: int) -> Verdict:
    """A program that cannot be run on unknowns is run on numbers; what is seen can convict it, and never clear it."""
    d = program.sensitivity
    pairs: list[tuple[list[float], list[float]]] = [([0.0] * 4, [d] * 4), ([0.0, d] * 2, [d, d] * 2), ([0.0], [d])]
    pairs += [([0.0] * 12, [d] * 12)]
    if not monotonic:
        pairs += [([0.0, d], [d, 0.0]), ([0.0] * 6 + [d], [d] * 6 + [0.0]), ([0.0, d] * 6, [d, 0.0] * 6)]
    pairs += [(there, here) for here, there in pairs]

    def sampler_of(answers: list[float], neighbour: list[float]) -> Any:
        kept: tuple[list[Any], list[Any]] = [], []
        width = 4 * len(answers) + 4

        def in_time(lists: list[list[float]]) -> Iterator[list[float]]:
            for one in lists:
                if time.perf_counter() - began > 2 * _SECONDS:  # the first runs were quicker than the rest
                    raise _Slow
                yield one

        def sampler(data: Any, trials: int, generator: np.random.Generator) -> Any:
            """Runs on both in mixed order: what changes from run to run changes for both."""
            if not kept[data is neighbour]:
                there = generator.permutation(np.repeat([False, True], trials))
                rows = np.full((2 * trials, 2 * width), -1.0)
                rows[:, width:] = np.nan
                lists = [neighbour if one else answers for one in there]
                for row, said in zip(rows, program.samples(in_time(lists), 0.0, generator), strict=True):
                    row[: len(said)] = [one is not False for one in said]  # a number is an answer, with its number
                    for j, one in enumerate(said):
                        if type(one) is float:
                            row[width + j] = one
                kept[0].append(rows[~there])
                kept[1].append(rows[there])
            return kept[data is neighbour].pop(0)

        return sampler

    try:
        each = max(1e-6, _seconds(program, pairs[0][0]))  # a clock may be coarse
        for _ in range(9 if each < 0.1 else 0):  # the first is slow, and others may be disturbed
            each = min(each, max(1e-6, _seconds(program, pairs[0][0])))
        trials = max(_FEWEST, min(trials, int(_SECONDS / (2 * len(pairs) * each))))
        pairs = pairs[: math.ceil(_SECONDS / (2 * trials * each))] if each * trials < _SECONDS else []
    except NoAnswers:
        raise
    except Exception:
        pass  # it is said below on which answers it ends so
    began, tried = time.perf_counter(), 0
    for answers, neighbour in pairs:
        try:
            each = 1 - (1 - CONFIDENCE) / len(pairs)  # of all of them together
            found = audit(
                sampler_of(answers, neighbour), answers, neighbour,
                trials=trials, confidence=each, rng=rng, signs=4 * len(answers) + 4,
            )  # fmt: skip
        except _Slow:
            break
        except (NoAnswers, NotImplementedError):
            raise  # what cannot be read, and what is not written yet
        except Exception as error:
            text = f"{reason}; and on the answers {shown(tuple(answers))} it ends with {type(error).__name__}: {error}"
            return Verdict(None, program.epsilon, text)
        tried += 1
        if found.epsilon_lower > program.epsilon:
            pair = Pair(
                tuple(answers), tuple(neighbour), 0.0, found.event.description,
                math.log(found.p_lower), math.log(found.p_neighbour_upper), CONFIDENCE,
            )  # fmt: skip
            return Verdict(False, program.epsilon, reason, pair=pair)
    text = (
        f"{reason}. {trials:,} runs on each of {tried} pairs show no loss above ε, which proves nothing; "
        "next: draw all noise from rng, with laplace, exponential, gumbel or normal, and compare what comes of it; "
        "or give it more trials"
    )
    return Verdict(None, program.epsilon, text)
