"""A reader's SVT, judged: a proof for all inputs, or two neighbours and an output with both probabilities."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from svtcourse.judge.case import Case, apart
from svtcourse.judge.language.mine import Mine, own_sensitivity
from svtcourse.judge.language.outputs import NoAnswers
from svtcourse.judge.probing import TRIALS, probed
from svtcourse.judge.unknowns.svts import ASKED_ON
from svtcourse.judge.unknowns.symbols import TooMany, Unreadable
from svtcourse.judge.verdict import Pair, Verdict
from svtlib import validate

__all__ = ["Pair", "Verdict", "judge"]

_MOST_POSITIVES = 6


def judge(
    program: Callable[..., Any],
    *,
    epsilon: float = 1.0,
    c: int = 1,
    sensitivity: float | None = None,
    monotonic: bool = False,
    rng: np.random.Generator | int | None = None,
    trials: int = TRIALS,
) -> Verdict:
    """Say whether a program that answers threshold questions is epsilon-DP for every number of queries, and why.

    The program is run on unknown answers with unknown noise, on every path that its comparisons leave.
    Where that tree is an SVT's, and the source shows that it goes on like that for longer lists, `svt.decide` decides
    it for all inputs. Where it is not, an output is looked for by which neighbours are told apart.
    A program that cannot be run on unknowns is run often on numbers, and never called private; what is seen convicts it
    if it can keep nothing from one call to the next, and else is shown.

    Parameters
    ----------
    program : callable
        Parameters by name: answers (array; or queries, q, values, counts), threshold (number; or T, t), epsilon (or
        eps), c (or cutoff), sensitivity (or Delta), rng (or generator; draw noise with ``rng.laplace(0, scale)`` and
        its kin); what it does not need it leaves out. It returns one answer for each query until it stops: True or
        False, a number where it releases one, or, for c = 1, the index of the first, and None or -1 if there is none;
        or what is made of these: words, a text, positions, a dictionary, records. Or a class that takes all but the
        answers, with ``ask(answer)`` or ``ask(answer, threshold)``, which is asked until it raises: private is what
        stays so when asked on after it says that it has ``stopped``. Other parameters keep their defaults.
    epsilon, c, sensitivity, monotonic : float, int, float, bool
        What the program is called with, c at most 6, and for which queries it should be private. The sensitivity is, if
        not given, the default of the program's own parameter, or 1.
    rng : numpy.random.Generator or int, optional
        For runs on numbers; seeded with 0 if not given, so that a verdict does not change from run to run.
    trials : int
        How many runs on each of two neighbours, where it has to be run on numbers and looks bad at a glance.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        If an argument is out of range, or the program takes or returns what cannot be read.

    Examples
    --------
    >>> def above_threshold(answers, threshold, epsilon, rng):
    ...     rho = rng.laplace(0, 2 / epsilon)
    ...     for i, answer in enumerate(answers):
    ...         if answer + rng.laplace(0, 4 / epsilon) >= threshold + rho:
    ...             return [False] * i + [True]
    ...     return [False] * len(answers)
    >>> verdict = judge(above_threshold, epsilon=1.0)
    >>> verdict.private, verdict.mechanism.query_noise
    (True, Laplace(scale=4.0))
    >>> judge(lambda answers, threshold, rng: [q >= threshold for q in answers]).private
    False
    """
    epsilon, c = validate.positive("epsilon", epsilon), validate.count("c", c)
    sensitivity = validate.positive("sensitivity", own_sensitivity(program) if sensitivity is None else sensitivity)
    mine = Mine(program, epsilon, c, sensitivity)
    if mine.c > _MOST_POSITIVES:
        raise ValueError(f"c must be at most {_MOST_POSITIVES} here, where every path is looked at, got {c!r}")
    monotonic, trials = validate.boolean("monotonic", monotonic), validate.count("trials", trials, least=1000)
    generator = np.random.default_rng(0) if rng is None else validate.generator("rng", rng)
    if not mine.says_stopped():
        return _verdict(mine, monotonic, generator, trials)
    with contextlib.suppress(Unreadable, RecursionError, NoAnswers):
        asked_on = Case(mine, monotonic).verdict()
        if asked_on.private:
            return asked_on
    mine = Mine(program, epsilon, c, sensitivity)
    mine.heeds = True
    heeded = _verdict(mine, monotonic, generator, trials)
    if not heeded.private:
        return heeded
    return Verdict(None, epsilon, f"{heeded.reason}{ASKED_ON}", heeded.mechanism, heeded.proof)


def _verdict(mine: Mine, monotonic: bool, generator: np.random.Generator, trials: int) -> Verdict:
    try:
        return Case(mine, monotonic).verdict()
    except RecursionError:
        return probed(mine, monotonic, "It goes deeper than can be read", generator, trials)
    except Unreadable as found:
        pair = apart(mine, monotonic, (4, 3, 2)) if isinstance(found, TooMany) else None
        if pair is not None:
            return Verdict(False, mine.epsilon, str(found), pair=pair)
        line = getattr(found, "line", 0)
        reason = f"{found} (line {line})" if line else str(found)
        try:
            if not mine.posed:
                return probed(mine, monotonic, reason, generator, trials)
        except NoAnswers as error:
            if "must answer" not in str(error):
                raise
        text = f"{reason}, and what it returns has a form of its own, so it was not run on numbers; next: write it "
        return Verdict(None, mine.epsilon, f"{text}without that, or let it return True and False")
