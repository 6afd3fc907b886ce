"""Outcomes as they are written: which answers were positive, which numbers were released, and what is no outcome.

And what an outcome says of the noise: what was compared with which threshold noise, exactly or in floats.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from svtlib.comparisons import Epoch, Group
from svtlib.law import Noise
from svtlib.mechanism import ABORT, Mechanism
from svtlib.switches import Told

_SIGNS = str.maketrans({"⊥": "0", "F": "0", "⊤": "1", "T": "1"})


class Outcome(NamedTuple):
    """A possible transcript of a mechanism: which queries crossed the threshold, as the one answered ABORT did too.

    And index and value of each released number.
    """

    positive: NDArray[np.bool_]
    numbers: list[tuple[int, float]]


def _read_string(text: str) -> NDArray[np.bool_]:
    signs = text.translate(_SIGNS)
    if signs.strip("01"):
        for index, sign in enumerate(text):
            if sign not in "⊥⊤FT":
                raise ValueError(f"outcome must consist of ⊥ and ⊤ (or F and T), got {sign!r} at index {index}")
    return np.asarray(np.frombuffer(signs.encode(), dtype=np.uint8) == ord("1"))


def _read_sequence(answers: Iterable[Any]) -> tuple[NDArray[np.bool_], list[tuple[int, float]], list[int]]:
    """Signs, released numbers, and the places of ABORT."""
    answers = list(answers)
    if set(map(type, answers)) <= {bool}:
        return np.array(answers, dtype=bool), [], []
    signs, numbers, aborts = list[bool](), list[tuple[int, float]](), list[int]()
    for index, answer in enumerate(answers):
        if isinstance(answer, (bool, np.bool_)):
            signs.append(bool(answer))
            continue
        if answer is ABORT:
            aborts.append(index)
        elif isinstance(answer, (float, np.floating)) and math.isfinite(answer):
            numbers.append((index, float(answer)))
        else:
            hint = ": write True or False for an answer, a float for a number" if isinstance(answer, int) else ""
            raise ValueError(
                f"outcome must consist of True, False, finite floats and ABORT, got {answer!r} at index {index}{hint}"
            )
        signs.append(True)
    return np.array(signs, dtype=bool), numbers, aborts


def parse(mechanism: Mechanism, outcome: Any, n: int) -> Outcome:
    """Read `outcome`, as `svtlib.log_probability` takes it, as a transcript of `mechanism` on `n` answers.

    ValueError if it is none that some noise could produce.

    Examples
    --------
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    >>> parse(mechanism, "⊥⊥⊤", 5).positive
    array([False, False,  True])
    """
    numbers, aborts = list[tuple[int, float]](), list[int]()
    if isinstance(outcome, str):
        positive = _read_string(outcome)
    elif isinstance(outcome, Iterable) and not isinstance(outcome, (bytes, dict, set, frozenset)):
        positive, numbers, aborts = _read_sequence(outcome)
    else:
        raise ValueError(
            f"outcome must be a string of ⊥ and ⊤ or a sequence of True, False, floats and ABORT, got {outcome!r}"
        )
    m, length = mechanism, positive.size
    if length > n:
        raise ValueError(f"outcome must have at most {n} answers, one for each query, got {length}")
    if numbers and not m.shows.numbered:
        index, number = numbers[0]
        raise ValueError(
            f"outcome must not contain numbers, as {m.name} releases none; got {number!r} at index {index}"
        )
    for index, number in numbers:
        if number < 0 and m.shows.moves_with_threshold:
            raise ValueError(f"outcome must not contain gaps below 0, got {number!r} at index {index}")
    found = int(np.count_nonzero(positive)) - len(aborts)
    if aborts:
        if not m.ends.extra:
            raise ValueError(f'outcome must not contain ABORT, because {m.name} has not the cut-off "after c"')
        if aborts[0] != length - 1:
            raise ValueError(f"outcome must end with ABORT, got {length - 1 - aborts[0]} answers after it")
        if found != m.c:
            raise ValueError(f"outcome must have c = {m.c} positives before ABORT, got {found}")
    if found > m.most_positives:
        raise ValueError(f"outcome must have at most c = {m.c} positives, got {found}")
    ended = m.ends.ended(found, m.c)
    if ended and not positive[-1]:
        extra = length - 1 - int(np.flatnonzero(positive)[-1])
        raise ValueError(f"outcome must end with positive number c = {m.c}, got {extra} answers after it")
    if length < n and not (ended or aborts):
        raise ValueError(f"outcome must answer all {n} queries, because nothing ended it; got {length} answers")
    return Outcome(positive, numbers)


def epochs(
    mechanism: Mechanism, answers: NDArray[Any], threshold: NDArray[Any], outcome: Outcome
) -> tuple[list[Epoch], list[tuple[Noise, Any, Any]]]:
    """The factors of an outcome's probability: one for each threshold noise, and (noise, number, answer) of each shown.

    Answers and thresholds, shape (n,), the correction among these, are floats or fractions.
    """
    m, length = mechanism, outcome.positive.size
    q, t = answers[:length], threshold[:length]
    absolute, signs = m.sides.absolute, outcome.positive.tolist()
    first, second = (t.tolist(), q.tolist()) if absolute else ((t - q).tolist(), [0] * length)
    settled, seen = dict[int, Told](), []
    for index, shown in outcome.numbers:
        answer, number = q.item(index), Fraction(shown) if q.dtype == object else shown
        told = m.shows.told(number, answer, t.item(index), m.sides, m.query_noise, m.release_noise)
        if told.noise is not None:
            seen.append((told.noise, number, answer))
        if told.most is not None or told.offset is not None:
            settled[index] = told
    starts = [0, *(np.flatnonzero(outcome.positive) + 1).tolist()] if m.refresh else [0]
    found = []
    for start, stop in zip(starts, [*starts[1:], length], strict=True):
        if start == stop and m.refresh:
            continue
        compared = Counter(zip(first[start:stop], second[start:stop], signs[start:stop], strict=True))
        cap, offsets = math.inf, []
        for i, told in settled.items():
            if start <= i < stop:
                compared[first[i], second[i], True] -= 1
                cap = cap if told.most is None else min(cap, told.most)
                offsets += [] if told.offset is None else [told.offset]
        groups = tuple(sorted(Group(*key, count) for key, count in compared.items() if count))
        rho = m.redraw_noise if start else m.threshold_noise
        found.append(Epoch(rho, m.query_noise, absolute, groups, cap, tuple(sorted(offsets))))
    return found, seen
