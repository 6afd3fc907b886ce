"""Many runs of an SVT side by side: what an audit draws its samples from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib import validate
from svtlib.law import Array
from svtlib.mechanism import Mechanism, a_mechanism

Rows = NDArray[Any]
Sampler = Callable[[Any, int, np.random.Generator], Rows]

AT_ONCE = 1 << 16  # runs
_NOT_ANSWERED, _ABORTED = -1, 2
SIGNS = {_NOT_ANSWERED: "", 0: "⊥", 1: "⊤", _ABORTED: " ABORT"}


def sampler_of(mechanism: Mechanism, threshold: ArrayLike = 0.0) -> Sampler:
    """A sampler of a mechanism: the loop of `svtlib.run`, for many runs at once.

    All runs are at the same query at the same time, so each query is one array operation; runs that have stopped draw
    no more. Each run is that of `Session`, with its noise drawn in the same order, so the law is the same.

    Parameters
    ----------
    mechanism : Mechanism
    threshold : float or array_like, shape (n,)

    Returns
    -------
    callable (answers, trials, rng) -> ndarray, shape (trials, n) or (trials, 2 n)
        For each run and query 0 (below), 1 (above), 2 (ABORT) or -1 (not answered); where the mechanism releases
        numbers, followed by n columns with these, NaN where there is none.

    Raises
    ------
    ValueError
        If `mechanism` is none; the sampler, if an input is not finite or lengths differ.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> sampler = svt.sampler_of(svt.variant("alg1").calibrate(epsilon=1.0, c=1), threshold=50)
    >>> sampler([0, 90, 0], 3, np.random.default_rng(1))
    array([[ 0,  1, -1],
           [ 0,  1, -1],
           [ 0,  1, -1]], dtype=int8)
    """
    return partial(_sampled, a_mechanism(mechanism), threshold)


def _sampled(mechanism: Mechanism, threshold: ArrayLike, answers: Any, trials: int, rng: np.random.Generator) -> Rows:
    m, q = mechanism, validate.finite_array("answers", answers)
    level = validate.finite_array("threshold", threshold, length=q.size) + m.correction
    trials, rng = validate.count("trials", trials), validate.generator("rng", rng)
    numbered = m.shows.numbered
    width = 2 * q.size if numbered else q.size
    rows = np.empty((trials, width), dtype=float if numbered else np.int8, order="F")  # written column by column
    for start in range(0, trials, AT_ONCE):
        _fill(rows[start : start + AT_ONCE], m, q, level, rng)
    return rows


def _fill(rows: Rows, mechanism: Mechanism, q: Array, level: Array, rng: np.random.Generator) -> None:
    """Run the mechanism once for each row and write down what it answers."""
    m, n = mechanism, q.size
    rows[:, :n] = _NOT_ANSWERED
    if rows.shape[1] > n:
        rows[:, n:] = np.nan
    live = np.arange(rows.shape[0])
    rho = np.asarray(m.threshold_noise.sample(rng, live.size), dtype=float)
    found = np.zeros(live.size, dtype=np.int64)
    for i in range(n):
        noisy, bar = q[i] + np.asarray(m.query_noise.sample(rng, live.size), dtype=float), level[i] + rho
        hit = m.sides.height(noisy) >= bar
        rows[live, i] = hit
        over = hit & m.ends.aborts(found, m.c)
        rows[live[over], i] = _ABORTED
        given = hit & ~over
        found += given
        ended = over | m.ends.ended(found, m.c)
        if m.refresh:
            again = given & ~ended
            rho[again] = m.redraw_noise.sample(rng, int(again.sum()))
        if m.shows.numbered:
            drawn = 0.0 if m.release_noise is None else m.release_noise.sample(rng, int(given.sum()))
            rows[live[given], n + i] = m.shows.number(q[i], noisy[given], bar[given], drawn)
        if ended.any():
            live, rho, found = live[~ended], rho[~ended], found[~ended]
