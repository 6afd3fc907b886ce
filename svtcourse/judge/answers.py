"""Whether a program answers what was asked: looked at where its noise is too small to matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from svtcourse.judge.language.mine import Mine
from svtcourse.judge.verdict import shown

__all__ = ["assert_answers"]

_FAR = (
    250.0  # from the threshold, in sensitivities a positive and unit of epsilon: more than 12 times the largest scale
)
_ABOVE = (False, False, True, False, True, True, False, True), (False, False, False), (True, True, False, True)


def assert_answers(
    program: Callable[..., Any],
    *,
    epsilon: float = 1.0,
    c: int = 1,
    sensitivity: float = 1.0,
    numbers: bool = False,
) -> None:
    """Check that a program says of answers far from the threshold on which side of it they are, and ends after c.

    `svtlib.judge` says whether a program is private; one that looks at no answer is, and answers nothing.

    Parameters
    ----------
    program : callable
        As for `svtlib.judge`.
    epsilon, c, sensitivity : float, int, float
        What it is called with.
    numbers : bool
        Whether a positive is answered with a number, which has to be near the answer.

    Raises
    ------
    AssertionError
        With the first answers on which it says something else.

    Examples
    --------
    >>> def one_answer(answers, threshold, epsilon, rng):
    ...     return [answers[0] + rng.laplace(0, 1 / epsilon) >= threshold]
    >>> assert_answers(one_answer)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    AssertionError: on the answers (-250 (2 times), 250, ... with threshold 0 it says F, not FFT
    """
    mine, far = Mine(program, epsilon, c, sensitivity), _FAR * c * sensitivity / epsilon
    rng = np.random.default_rng(0)
    for threshold in (0.0, 40 * far, -40 * far):
        for above in _ABOVE:
            answers = [threshold + (far if one else -far) for one in above]
            ends = [i for i, one in enumerate(above) if one][c - 1 : c]
            wanted = above[: ends[0] + 1] if ends else above
            said = mine.sample(answers, threshold, rng)
            signs = tuple(
                _near(one, answer, far) if numbers else one for one, answer in zip(said, answers, strict=False)
            )
            if len(said) != len(wanted) or signs != wanted:
                raise AssertionError(
                    f"on the answers {shown(tuple(answers))} with threshold {threshold:g} it says "
                    f"{_signs(said)}, not {_signs(wanted)}{' with numbers near these answers' * numbers}"
                )


def _near(said: Any, answer: float, far: float) -> Any:
    """A number that is near the answer is a positive, and a truth none."""
    return abs(said - answer) < far / 2 if type(said) is float else None if said is True else said


def _signs(said: tuple[Any, ...]) -> str:
    """Truths as letters; numbers as they are."""
    plain = all(type(one) is bool for one in said)
    return "".join("FT"[one] for one in said) if plain and said else str(list(said))
