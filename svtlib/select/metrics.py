"""How good a selection is: one number for each run.

All measures compare with the true top c.
Where several items share the c-th score, which of them belong to it is arbitrary; an item counts with the expectation
over a uniformly random choice, so that no measure depends on the order of the items.
For all measures but the precision and F1, which divide by the number of items selected, this makes the measure linear:
each item adds a weight that depends on its score alone (`top_weight`, `rank_weight`), so that the expectation of the
measure is the sum of weights times expected counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svtlib.select.scores import Scores
from svtlib.select.selections import Selections
from svtlib.validate import choice, count

__all__ = ["f1", "fnr", "ncr", "precision", "rank_weight", "recall", "ser", "top_weight"]

Array = NDArray[np.float64]


def top_weight(scores: Scores, c: int) -> Array:
    """Probability that an item of each score belongs to the true top c, if ties are broken at random.

    1 above the c-th score, the share of the places left among the items that tie there, 0 below.

    Parameters
    ----------
    scores : Scores
        With m distinct scores.
    c : int
        From 1 to the number of items.

    Returns
    -------
    ndarray, shape (m,)
        The weights of all items sum to c.

    Raises
    ------
    ValueError
        If `scores` is not a `Scores`, or c is not a whole number in that range.

    Examples
    --------
    >>> import svtlib as svt
    >>> top_weight(svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up"), 2)
    array([1. , 0.5, 0. ])
    """
    before, until = _ranks(scores, c)
    return np.asarray((until - before) / scores.count)


def rank_weight(scores: Scores, c: int) -> Array:
    """Mean over the items of each score of max(c + 1 - rank, 0): c for the first, c - 1 for the second, and so on.

    Parameters
    ----------
    scores : Scores
        With m distinct scores.
    c : int
        From 1 to the number of items.

    Returns
    -------
    ndarray, shape (m,)
        The weights of all items sum to c (c + 1) / 2.

    Raises
    ------
    ValueError
        As for `top_weight`.

    Examples
    --------
    >>> import svtlib as svt
    >>> rank_weight(svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up"), 3)
    array([3. , 1.5, 0. ])
    """
    before, until = _ranks(scores, c)
    left, still_left = c - before, c - until
    return np.asarray((left * (left + 1) - still_left * (still_left + 1)) / 2 / scores.count)


def ser(selections: Selections, *, by: str = "c") -> Array:
    """Score error rate: which part of the score of the true top c each run missed (Lyu, Su & Li 2017, sec. 6).

    1 - (sum of the selected scores / d) / (mean of the c highest scores).

    Parameters
    ----------
    selections : Selections
    by : {"c", "selected"}
        "c": d = c, so that an item that was not selected counts as a score of 0; Table 3 of the version of 2016 was
        computed like this.
        "selected": d is the number of items selected, as the formula is printed (an average over the selected); a run
        that selects nothing has no average, and its rate is set to 1, which is also what "c" gives.

    Returns
    -------
    ndarray, shape (trials,)
        At most 1, and for "c" at least 0 if no score is negative; for "selected" it is negative where fewer than c
        items with high scores were selected.

    Raises
    ------
    ValueError
        If `selections` is not a `Selections` with a c of at most the number of items, `by` is not one of the two, or
        the c highest scores do not sum to a positive number.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> two_of_three = svt.Selections(scores, 3, 1, np.array([0, 0]), np.array([0, 1]), np.array([1, 1]))
    >>> svt.ser(two_of_three).round(4), svt.ser(two_of_three, by="selected").round(4)  # 1 - 12/17, 1 - 6/(17/3)
    (array([0.2941]), array([-0.0588]))
    """
    choice("by", by, ("c", "selected"))
    s, c = _selections(selections)
    best = s.scores.top(c).sum()
    if not best > 0:
        raise ValueError(f"selections must be of scores whose c highest sum to a positive number, got {best:g}")
    found = s.total() / best
    if by == "c":
        return np.asarray(1 - found)
    return np.asarray(1 - found * c / np.maximum(s.selected, 1))


def fnr(selections: Selections) -> Array:
    """False negative rate: which fraction of the true top c each run missed (Lyu, Su & Li 2017, sec. 6).

    Parameters
    ----------
    selections : Selections

    Returns
    -------
    ndarray, shape (trials,)
        From 0 to 1; 1 - `recall`.

    Raises
    ------
    ValueError
        If `selections` is not a `Selections` with a c of at most the number of items.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> svt.fnr(svt.Selections(scores, 2, 1, np.array([0]), np.array([1]), np.array([2])))  # one of two was wanted
    array([0.5])
    """
    return np.asarray(1 - recall(selections))


def ncr(selections: Selections) -> Array:
    """Normalised cumulative rank: the first of the true top c counts c, the next c - 1, and so on (Liu et al. 2024).

    Their section 5.2.2 says that queries below the threshold count 0; here that are all after the c-th, and the total
    is divided by its largest value, c (c + 1) / 2.

    Parameters
    ----------
    selections : Selections

    Returns
    -------
    ndarray, shape (trials,)
        From 0 to 1, which is best.

    Raises
    ------
    ValueError
        If `selections` is not a `Selections` with a c of at most the number of items.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> svt.ncr(svt.Selections(scores, 3, 1, np.array([0]), np.array([0]), np.array([1])))  # the first of three: 3/6
    array([0.5])
    """
    s, c = _selections(selections)
    return np.asarray(s.total(rank_weight(s.scores, c)) / (c * (c + 1) / 2))


def precision(selections: Selections) -> Array:
    """Fraction of the selected items that belong to the true top c.

    Parameters
    ----------
    selections : Selections

    Returns
    -------
    ndarray, shape (trials,)
        From 0 to 1; 0 for a run that selects nothing, which has no such fraction.

    Raises
    ------
    ValueError
        If `selections` is not a `Selections` with a c of at most the number of items.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> svt.precision(svt.Selections(scores, 3, 2, np.array([0, 0]), np.array([0, 2]), np.array([1, 1])))
    array([0.5, 0. ])
    """
    hits, s, _ = _hits(selections)
    return np.asarray(hits / np.maximum(s.selected, 1))


def recall(selections: Selections) -> Array:
    """Fraction of the true top c that was selected.

    Parameters
    ----------
    selections : Selections

    Returns
    -------
    ndarray, shape (trials,)
        From 0 to 1.

    Raises
    ------
    ValueError
        If `selections` is not a `Selections` with a c of at most the number of items.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> svt.recall(svt.Selections(scores, 4, 1, np.array([0, 0]), np.array([0, 2]), np.array([1, 4]))).round(4)
    array([0.5])
    """
    hits, _, c = _hits(selections)
    return np.asarray(hits / c)


def f1(selections: Selections) -> Array:
    """F1 score: the harmonic mean of precision and recall, 2 TP / (number selected + c).

    Parameters
    ----------
    selections : Selections

    Returns
    -------
    ndarray, shape (trials,)
        From 0 to 1; 0 for a run that selects nothing.

    Raises
    ------
    ValueError
        If `selections` is not a `Selections` with a c of at most the number of items.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> svt.f1(svt.Selections(scores, 3, 1, np.array([0]), np.array([0]), np.array([1])))  # 2 * 1 / (1 + 3)
    array([0.5])
    """
    hits, s, c = _hits(selections)
    return np.asarray(2 * hits / (s.selected + c))


def _selections(value: Any) -> tuple[Selections, int]:
    """Selections that can be compared with the true top c, and c."""
    if not isinstance(value, Selections):
        raise ValueError(f"selections must be a Selections, as simulate returns one, got {value!r}")
    if value.c is None:
        raise ValueError("selections must be of a mechanism with a cut-off: without one there is no c to compare with")
    if value.c > value.scores.items:
        raise ValueError(
            f"selections must be of c items that exist, got c = {value.c} and scores of {value.scores.items:,} items"
        )
    return value, value.c


def _hits(selections: Any) -> tuple[Array, Selections, int]:
    """How many of the true top c each run selected."""
    s, c = _selections(selections)
    return s.total(top_weight(s.scores, c)), s, c


def _ranks(scores: Any, c: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many of the c best places lie before, and until the end of, each group of equal scores."""
    if not isinstance(scores, Scores):
        raise ValueError(f"scores must be a Scores, as load_scores returns one, got {scores!r}")
    c = count("c", c, most=scores.items)
    return np.minimum(scores.ranks - scores.count, c), np.minimum(scores.ranks, c)
