"""Exact probabilities of an outcome, and the loss between neighbours; first, what an outcome says of the noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.exact.comparisons import Epoch, Group
from svtlib.exact.integral import log_integral, possible
from svtlib.mechanism import ABORT, Mechanism, a_mechanism
from svtlib.noise import Noise, NoNoise
from svtlib.noise_base import Array
from svtlib.switches import Told
from svtlib.transcript import Transcript

_SIGNS = str.maketrans({"⊥": "0", "F": "0", "⊤": "1", "T": "1"})
_BOUND = 1e-9  # of the error of a log probability, relative where it is below -1
_LARGEST_INTEGER = 2.0**53  # beyond it floats skip some
_COARSE = 1e-12  # noise scales that a threshold may be rounded by
_NEAR_TIE = 3e-8  # of two heights, relative to the answers: floats take them apart to nine digits no more
_LEAST_LOG = -1e299
_MOST_ERROR = 1e-3  # of a loss that is reported


class Outcome(NamedTuple):
    """A possible transcript of a mechanism: which queries crossed the threshold, as the one answered ABORT did too.

    And index and value of each released number.
    """

    positive: NDArray[np.bool_]
    numbers: list[tuple[int, float]]


def _read_string(text: str) -> NDArray[np.bool_]:
    if text.strip("⊥⊤FT"):
        for index, sign in enumerate(text):
            if sign not in "⊥⊤FT":
                raise ValueError(f"outcome must consist of ⊥ and ⊤ (or F and T), got {sign!r} at index {index}")
    return np.asarray(np.frombuffer(text.translate(_SIGNS).encode(), dtype=np.uint8) == ord("1"))


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
    """Read `outcome` as a transcript of `mechanism` on `n` answers; ValueError if no noise could produce it."""
    numbers, aborts = list[tuple[int, float]](), list[int]()
    outcome = outcome.outcome if isinstance(outcome, Transcript) else outcome
    outcome = outcome.tolist() if isinstance(outcome, np.ndarray) else outcome  # without dimensions it is a number
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
    mechanism: Mechanism,
    answers: NDArray[Any],
    threshold: NDArray[Any],
    outcome: Outcome,
    number: Callable[[float], Any] = float,
) -> tuple[list[Epoch], list[tuple[Noise, Any, Any]]]:
    """The factors of an outcome's probability: one for each threshold noise, and (noise, number, answer) of each shown.

    Answers and thresholds, shape (n,), are floats or fractions; `number` makes of each what is calculated with.
    """
    m, length = mechanism, outcome.positive.size
    q, t, signs = answers[:length].tolist(), threshold[:length].tolist(), outcome.positive.tolist()
    correction, absolute = number(m.correction), m.sides.absolute

    def key(answer: float, level: float, positive: bool) -> tuple[Any, Any, bool]:
        x, bar = number(answer), number(level) + correction
        return (bar, x, positive) if absolute else (bar - x, 0, positive)

    settled, seen = dict[int, Told](), []
    for index, shown in outcome.numbers:
        answer, value, bar = number(q[index]), number(shown), number(t[index]) + correction
        told = m.shows.told(value, answer, bar, m.sides, m.query_noise, m.release_noise)
        if told.noise is not None:
            seen.append((told.noise, value, answer))
        if told.most is not None or told.offset is not None:
            settled[index] = told
    starts = [0, *(np.flatnonzero(outcome.positive) + 1).tolist()] if m.refresh else [0]
    found = []
    for start, stop in zip(starts, [*starts[1:], length], strict=True):
        if start == stop and m.refresh:
            continue
        compared = Counter[tuple[Any, Any, bool]]()
        for given, times in Counter(zip(q[start:stop], t[start:stop], signs[start:stop], strict=True)).items():
            compared[key(*given)] += times
        cap, offsets = math.inf, []
        for i, told in settled.items():
            if start <= i < stop:
                compared[key(q[i], t[i], True)] -= 1
                cap = cap if told.most is None else min(cap, told.most)
                offsets += [] if told.offset is None else [told.offset]
        groups = tuple(sorted(Group(*key, count) for key, count in compared.items() if count))
        rho = m.redraw_noise if start else m.threshold_noise
        found.append(Epoch(rho, m.query_noise, absolute, groups, cap, tuple(sorted(offsets))))
    return found, seen


def _released(noise: Noise, number: float, answer: float) -> float:
    """Log density of `noise` at the value that turned `answer` into `number`."""
    value = number - answer
    if noise.discrete and answer + round(value) == number:
        value = round(value)  # the addition rounded, the noise is an integer
    return float(noise.logpdf(float(value)))


def _in_steps(epoch: Epoch) -> Epoch:
    """The same with whole and half numbers, which floats hold: noise on the whole numbers tells no fraction apart."""
    counted = Counter[tuple[float, float, bool]]()
    for threshold, answer, positive, times in epoch.groups:
        up, down = math.ceil(threshold - answer), math.floor(-threshold - answer)
        place = ((up - down) / 2, -(up + down) / 2) if epoch.absolute else (float(up), 0.0)
        counted[*place, positive] += times
    groups = tuple(sorted(Group(*key, times) for key, times in counted.items()))
    return epoch._replace(groups=groups, cap=float(epoch.cap), offsets=tuple(map(float, epoch.offsets)))


def _in_floats(epoch: Epoch) -> Epoch:
    """The same with differences that are rounded once."""
    groups = tuple(Group(float(t), float(q), positive, times) for t, q, positive, times in epoch.groups)
    return epoch._replace(groups=groups, cap=float(epoch.cap), offsets=tuple(map(float, epoch.offsets)))


def _log_transcript(mechanism: Mechanism, answers: Array, threshold: Array, outcome: Outcome) -> float:
    m = mechanism
    exactly = m.threshold_noise.discrete or m.redraw_noise.discrete
    if m.correction and not exactly:  # where floats would round it away
        exactly = np.spacing(np.abs(threshold).max(initial=0.0)) > _COARSE * m.query_noise.width
    if exactly:
        found, seen = epochs(m, answers, threshold, outcome, Fraction)
        whole = all(noise.discrete for noise in (m.threshold_noise, m.redraw_noise, m.query_noise))  # a tie counts
        found = [_in_steps(epoch) if whole else _in_floats(epoch) for epoch in found]
    else:
        _refuse_near_ties(m, answers, threshold, outcome.positive)
        found, seen = epochs(m, answers, threshold, outcome)
    log_p = sum(_released(*number) for number in seen)
    for epoch in found:
        if log_p == -math.inf:
            break
        log_p += logs([epoch], lambda them: [log_integral(them[0])])[epoch]
    return float(log_p)


def _refuse_near_ties(m: Mechanism, answers: Array, threshold: Array, positive: NDArray[np.bool_]) -> None:
    """Where all mass may lie between the highest negative and the lowest positive, floats must tell these apart."""
    nu, absolute = m.query_noise, m.sides.absolute
    if all(nu.ways) or not (absolute or isinstance(nu, NoNoise)):
        return
    q, t = answers[: positive.size], threshold[: positive.size]
    low, high = ~positive, positive
    if not isinstance(nu, NoNoise):  # the noise reaches a bar on the other side through a window of rho only
        towards = q if nu.ways[1] else -q
        low, high = low & (towards >= 0), high & (towards <= 0)
    if not low.any() or not high.any():
        return
    height = (np.abs(q) if absolute else q) - t
    largest = float(max(np.abs(q).max(), np.abs(t + m.correction).max()))
    highest, lowest = height[low].max(), height[high].min()
    ends = []
    for these, end, best in ((low, highest, max), (high, lowest, min)):
        rows = set(zip(q[these].tolist(), t[these].tolist(), height[these].tolist(), strict=True))
        near = [(x, bar) for x, bar, h in rows if abs(h - end) <= _NEAR_TIE * largest]
        ends.append(best(Fraction(abs(x) if absolute else x) - Fraction(bar) for x, bar in near))
    if 0 < abs(ends[0] - ends[1]) < _NEAR_TIE * largest:
        raise ValueError(
            "answers must be equally far from their thresholds, or clearly not, where the noise of the queries is "
            f"one-sided, or none; got a difference of {float(abs(ends[0] - ends[1])):.3g}"
        )


def logs(found: Sequence[Epoch], integrals: Callable[[Sequence[Epoch]], Iterable[float]]) -> dict[Epoch, float]:
    """The logarithm of each epoch's probability, or ValueError where floats do not hold it."""
    try:
        logs = dict(zip(found, integrals(found), strict=True))
    except ArithmeticError as error:
        raise ValueError(f"answers must be nearer to the thresholds, in scales, for floats: {error}") from error
    if any(map(math.isnan, logs.values())):
        raise ValueError("answers, thresholds and noise must be nearer to each other in size, for floats")
    if any(log < _LEAST_LOG and possible(epoch) for epoch, log in logs.items()):
        raise ValueError("outcome must be likelier than exp(-1e299): floats hold no smaller logarithm")
    return logs


def checked(mechanism: Any, answers: ArrayLike, threshold: ArrayLike) -> tuple[Mechanism, Array, Array]:
    """Mechanism, answers and thresholds as an exact computation takes them, or ValueError."""
    mechanism = a_mechanism(mechanism)
    q = validate.finite_array("answers", answers)
    t = validate.finite_array("threshold", threshold, length=q.size)
    if mechanism.integers:
        for name, values in (("answers", q), ("threshold", t)):
            largest = float(np.max(np.abs(values), initial=0.0))
            if largest > _LARGEST_INTEGER:
                raise ValueError(f"{name} must be within 2^53 of 0 where noise takes whole numbers, got {largest:g}")
    return mechanism, q, t


def log_probability(mechanism: Mechanism, answers: ArrayLike, outcome: Any, threshold: ArrayLike = 0.0) -> float:
    """Natural log of the probability that `mechanism` answers exactly `outcome`.

    Given the threshold noise the comparisons are independent, so the probability is a one-dimensional integral
    (Lyu, Su & Li 2017, eq. 5), one for each draw of the threshold noise.
    The error is at most 1e-9 max(1, abs(result)), for answers up to 1e5 noise scales apart and 10,000 queries.
    Noise that takes whole numbers needs answers and thresholds below 2^53, where floats still tell these apart.
    What would take more than some seconds is refused.

    Parameters
    ----------
    mechanism : Mechanism
    answers : array_like, shape (n,)
        True query answers on one dataset, in the units of `mechanism.sensitivity`; for "absolute" comparison the
        differences between estimate and true answer.
    outcome : str or sequence, length <= n
        "⊥⊥⊤" (or "FFT"), or a sequence of bools, released numbers as floats, and `ABORT`.
        True where the mechanism releases a number means: positive, number not observed.
        Shorter than n only where the cut-off ends it.
    threshold : float or array_like, shape (n,)

    Returns
    -------
    float
        Natural log; a log density if numbers are released; -inf if no noise gives this outcome.

    Raises
    ------
    ValueError
        If `outcome` is not a transcript of this mechanism on n queries, an input is not finite, or answers and
        thresholds lie so many noise scales apart that it would take too long.

    Examples
    --------
    >>> import svtlib as svt
    >>> m = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    >>> round(svt.log_probability(m, [0, 0], "⊥⊤"), 6)
    -1.568616
    """
    mechanism, q, t = checked(mechanism, answers, threshold)
    return _log_transcript(mechanism, q, t, parse(mechanism, outcome, q.size))


def _plain(value: Any) -> str:
    """All digits of a number, and no more."""
    return repr(float(value)).removesuffix(".0")


def moved(answer: float, change: float) -> float:
    """`answer` + `change`, rounded towards `answer`: never farther than a neighbour may be."""
    there = answer + change
    return there if abs(Fraction(there) - Fraction(answer)) <= abs(change) else math.nextafter(there, answer)


def check_neighbours(mechanism: Mechanism, q: NDArray[Any], p: NDArray[Any]) -> None:
    """Refuse answers that no two neighbouring datasets have.

    Fractions are compared exactly, and where noise is whole; else the last two bits of floats are taken for rounding.
    """
    exact, at = q.dtype == object or mechanism.integers, dict[tuple[Any, Any], int]()
    if exact:  # each pair once: most are equal, and fractions take long
        for i, pair in enumerate(zip(q.tolist(), p.tolist(), strict=True)):
            at.setdefault(pair, i)
        q, p = (np.array([Fraction(pair[side]) for pair in at], dtype=object) for side in (0, 1))
    difference, largest = p - q, np.maximum(np.abs(p), np.abs(q))
    rounding = 0 * difference if exact else np.minimum(4 * np.spacing(largest), 1e-9 * mechanism.sensitivity)
    if mechanism.whole_answers:
        for name, values in (("answers", q), ("neighbour", p)):
            broken = np.flatnonzero(values % 1)
            if broken.size:
                validate.whole(name, values.tolist()[broken[0]])
    far = np.flatnonzero(np.abs(difference) > mechanism.sensitivity + rounding)
    if far.size:
        i = int(far[0])
        raise ValueError(
            f"neighbour must differ from answers by at most the sensitivity {mechanism.sensitivity:g}, "
            f"got {_plain(p[i])} against {_plain(q[i])} at index {[*at.values()][i] if exact else i}"
        )
    if mechanism.monotonic and (difference > rounding).any() and (difference < -rounding).any():
        raise ValueError(
            "neighbour must differ from answers in one direction, because the mechanism is for monotonic queries; "
            f"got differences from {float(difference.min()):g} to {float(difference.max()):g}"
        )


def privacy_loss(
    mechanism: Mechanism, answers: ArrayLike, neighbour: ArrayLike, outcome: Any, threshold: ArrayLike = 0.0
) -> float:
    """Log of how much likelier `outcome` is on `answers` than on `neighbour`.

    A difference of two values of `log_probability`: its error is at most the sum of theirs, 1e-9 for each unit of log
    probability. Outcomes so unlikely that this exceeds 0.001, and a thousandth of the loss, are refused: the loss of an
    outcome likelier than exp(-500,000) is always known.

    Parameters
    ----------
    mechanism : Mechanism
    answers, neighbour : array_like, shape (n,)
        True answers on two neighbouring datasets.
    outcome : str or sequence
        As in `log_probability`.
    threshold : float or array_like, shape (n,)
        Public, so the same on both.

    Returns
    -------
    float
        `inf` if only the neighbour cannot produce the outcome, `-inf` if only the first dataset cannot.

    Raises
    ------
    ValueError
        If neither can produce it, if it is too unlikely for its loss to be known, if the answers differ by more than
        the sensitivity or, for a mechanism for monotonic queries, in both directions, or as in `log_probability`.

    Examples
    --------
    Theorem 3.5 of Lyu, Su & Li 2017: Alg. 5 is not private.

    >>> import svtlib as svt
    >>> m = svt.variant("alg5").calibrate(epsilon=1.0)
    >>> svt.privacy_loss(m, [0, 1], [1, 0], "⊥⊤")
    inf
    """
    mechanism, q, t = checked(mechanism, answers, threshold)
    p = validate.finite_array("neighbour", neighbour, length=q.size)
    check_neighbours(mechanism, q, p)
    parsed = parse(mechanism, outcome, q.size)
    here, there = _log_transcript(mechanism, q, t, parsed), _log_transcript(mechanism, p, t, parsed)
    if here == there == -math.inf:
        raise ValueError(f"outcome must be possible on answers or on neighbour, got {outcome!r}, possible on neither")
    error = _BOUND * sum(max(1.0, abs(log_p)) for log_p in (here, there) if math.isfinite(log_p))
    if math.isfinite(here - there) and error > _MOST_ERROR * max(1.0, abs(here - there)):
        raise ValueError(
            f"outcome must be likelier for its loss to be known to {_MOST_ERROR:g}: answers and neighbour give it the "
            f"log probabilities {here:.6g} and {there:.6g}, whose difference is known to {error:.2g}"
        )
    return here - there
