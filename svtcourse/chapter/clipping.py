"""Where to clip a column before it is summed: a search for a bound that few rows are above.

The clipped sums S(b) of whole numbers differ by S(b + 1) - S(b), which is the number of rows above b.
So the search of Near & Abuah (2021), which compares S(b) - S(b + 1) with 0, asks how many rows are above b: a counting
query, and all of them move in the same direction when a row is added, removed or exchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtcourse.chapter.accuracy import signed
from svtlib import validate
from svtlib.mechanism import Mechanism, run
from svtlib.select.counts import Counts

__all__ = ["clipping_bound", "first_positives"]

_AT_ONCE = 1 << 21  # comparisons that are held in memory


def clipping_bound(
    column: Counts, bounds: ArrayLike, mechanism: Mechanism, *, above: float = 0.0, rng: np.random.Generator
) -> float | None:
    """Return the first of the bounds that an SVT finds at most `above` rows above, or None if it finds none.

    The SVT is asked for each bound, in order, whether minus the number of rows above it is at least -above.
    What comes back has the privacy of `mechanism`, for queries of sensitivity 1 that are monotonic, whether neighbours
    have one row more or less or another row in the place of one.
    The outcome None is as public as a bound; it is not the last bound, at which nothing was found.

    A column of one value is not refused, because an error that depends on the values would tell of them; that there
    is a row at all is taken as public.

    Parameters
    ----------
    column : Counts
        Of one column; it has at least one row.
    bounds : array_like, shape (k,)
        Public, at least one, strictly ascending, in the units of the column.
    mechanism : Mechanism
        With signed comparisons and a sensitivity of at least 1; only its first positive is used.
    above : float
        How many rows may be above the bound, at least 0. A clipped sum with noise of scale b / epsilon has the least
        |bias| + E|noise| where 1 / epsilon are; a few noise scales more keep the search from running past the data.
    rng : numpy.random.Generator

    Returns
    -------
    float or None

    Raises
    ------
    ValueError
        If these are not the Counts of one column, the bounds are not strictly ascending, or the mechanism does not
        fit.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> search = svt.variant("alg7").calibrate(epsilon=1.0, monotonic=True)
    >>> ages = svt.load_adult("age")
    >>> clipping_bound(ages, range(1, 150, 5), search, above=20, rng=np.random.default_rng(1))
    91.0
    >>> clipping_bound(ages, range(1, 40, 5), search, above=20, rng=np.random.default_rng(1)) is None
    True
    """
    if not isinstance(column, Counts) or len(column.columns) > 1:
        raise ValueError(f"column must be the Counts of one column, got {column!r}")
    if signed(mechanism).sensitivity < 1:
        raise ValueError(f"mechanism must be for a sensitivity of at least 1, got {mechanism!r}")
    public = _bounds(bounds)
    transcript = run(mechanism, -column.rows_above(public), -validate.non_negative("above", above), rng=rng)
    return float(public[transcript.positives[0]]) if transcript.positives.size else None


def first_positives(
    mechanism: Mechanism, answers: ArrayLike, threshold: float = 0.0, *, trials: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the index of the first positive in each of many runs over the same answers, in their order.

    Exact in distribution and not one comparison at a time: given the threshold noise, the comparisons say ⊥ with
    probabilities whose logarithms add up, so that the first ⊤ is where their sum passes an exponential variable.
    Neighbouring equal answers count as one step of that sum.

    Parameters
    ----------
    mechanism : Mechanism
        With signed comparisons.
    answers : array_like, shape (k,)
        In the units of the mechanism's sensitivity.
    threshold : float
    trials : int
        How many runs.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (trials,)
        From 0 to k, where k stands for a run without a positive.

    Raises
    ------
    ValueError
        If there is no answer, an input is not finite, or the mechanism compares absolute values.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> m = svt.variant("above_threshold").calibrate(epsilon=1.0)
    >>> found = first_positives(m, [-30.0] * 50 + [0.0] * 5, trials=10_000, rng=np.random.default_rng(1))
    >>> [round(float((found < 50).mean()), 2), round(float((found == 55).mean()), 2)]
    [0.02, 0.09]
    """
    signed(mechanism)
    q = validate.finite_array("answers", answers)
    if not q.size:
        raise ValueError("answers must have at least one entry, got none")
    level = validate.finite("threshold", threshold) + mechanism.correction
    trials, rng = validate.count("trials", trials), validate.generator("rng", rng)
    start = np.flatnonzero(np.concatenate([[True], q[1:] != q[:-1]]))
    length = np.diff(np.append(start, q.size))
    rho = np.asarray(mechanism.threshold_noise.sample(rng, trials))
    until = rng.standard_exponential(trials)
    block = max(1, _AT_ONCE // start.size)
    return np.concatenate(
        [
            _passed(mechanism, level + rho[i : i + block, None] - q[start], until[i : i + block], start, length)
            for i in range(0, trials, block)
        ]
    )


def _passed(
    mechanism: Mechanism,
    bar: NDArray[np.float64],
    until: NDArray[np.float64],
    start: NDArray[np.int64],
    length: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Where the sum of -log Pr[⊥] passes `until`: `bar`, shape (runs, groups), is what the noise of each must reach."""
    hazard = -mechanism.query_noise.log_less(bar)
    total = np.cumsum(hazard * length, axis=1)
    group = (total <= until[:, None]).sum(axis=1)
    found = np.full(until.size, start[-1] + length[-1])
    hit = np.flatnonzero(group < start.size)
    g = group[hit]
    before = np.where(g > 0, total[hit, np.maximum(g, 1) - 1], 0.0)
    found[hit] = start[g] + np.minimum(((until[hit] - before) / hazard[hit, g]).astype(np.int64), length[g] - 1)
    return found


def _bounds(bounds: ArrayLike) -> NDArray[np.float64]:
    public = validate.finite_array("bounds", bounds)
    if not public.size:
        raise ValueError("bounds must have at least one entry, got none")
    wrong = np.flatnonzero(public[1:] <= public[:-1])
    if wrong.size:
        first, second = public[wrong[0]], public[wrong[0] + 1]
        raise ValueError(f"bounds must be strictly ascending, got {second:.12g} after {first:.12g}")
    return public
