"""Selecting from a histogram of scores, many times: an SVT over items in random order, and what it competes with."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from svtlib import validate
from svtlib.mechanism import Mechanism, a_mechanism
from svtlib.noise_base import Array, Index
from svtlib.select.clocks import LEAST_LOG_HAZARD, Arrivals, Blocks, comparison_blocks, rate_blocks
from svtlib.select.scores import Scores
from svtlib.select.selections import Selections

_WORK_AT_ONCE, _MOST_AT_ONCE = 300_000, 100_000  # items, and trials


def simulate(
    mechanism: Mechanism,
    scores: Scores | ArrayLike,
    threshold: float,
    *,
    trials: int,
    rng: np.random.Generator | int,
    passes: float = 1,
) -> Selections:
    """Run `mechanism` over the items of `scores`, each time in a new random order, and return what it selected.

    Exact in distribution, but an item that cannot be selected costs nothing: items with equal scores are exchangeable,
    and given the threshold noise every item passes or fails on its own (`svtlib.select.clocks`).
    Time grows in proportion to `trials`; they are drawn in parts, so that memory does not.

    Parameters
    ----------
    mechanism : Mechanism
        Its positives are what it selects: one with a cut-off, which compares the scores themselves.
    scores : Scores, or array_like, shape (n,)
        The true answers, in the units of `mechanism.sensitivity`.
    threshold : float
    trials : int
        Number of independent runs.
    rng : numpy.random.Generator
    passes : int or inf
        How often the items may be traversed: 1 for the plain algorithm; `math.inf` for re-traversal (SVT-ReTr of Lyu,
        Su & Li; appending, in Liu et al.), which goes through the items not yet selected, with the same noisy threshold
        and fresh query noise, until c are selected.

    Returns
    -------
    Selections

    Raises
    ------
    ValueError
        If an argument is out of range; if the mechanism has no cut-off or compares absolute values; if `passes` is not
        1 for one that refreshes its threshold noise, or not finite where nothing can be selected.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> aol = svt.load_scores("aol")
    >>> mechanism = svt.variant("alg7").calibrate(epsilon=0.5, c=100, monotonic=True)
    >>> runs = svt.simulate(mechanism, aol, aol.threshold(100), trials=1000, rng=np.random.default_rng(1))
    >>> runs
    Selections(aol: 1,000 runs, c = 100, 99.29 items selected on average)
    """
    a_mechanism(mechanism)
    if mechanism.cutoff is None or mechanism.sides.absolute:
        raise ValueError(f"mechanism must have a cut-off and signed comparison to select, got {mechanism.name}")
    scores = scores if isinstance(scores, Scores) else Scores.of(scores)
    threshold = validate.finite("threshold", threshold) + mechanism.correction
    trials = validate.count("trials", trials)
    rng = validate.generator("rng", rng)
    if passes != math.inf:
        passes = validate.count("passes", passes)
    if mechanism.refresh:
        if passes != 1:
            raise ValueError(f"passes must be 1 if the noise is refreshed, got {passes!r}")
        return _in_parts(lambda part: _refreshing(mechanism, scores, threshold, part, rng), mechanism.c, trials)
    return _in_parts(lambda part: _one_threshold(mechanism, scores, threshold, part, rng, passes), mechanism.c, trials)


def exponential_mechanism(
    scores: Scores | ArrayLike,
    c: int,
    *,
    epsilon: float,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    trials: int = 1,
    rng: np.random.Generator | int,
) -> Selections:
    """Select c items by the exponential mechanism in one shot: the c largest scores after adding Gumbel noise.

    The scale of the noise is 2 c sensitivity / epsilon, and half of it for monotonic scores.
    This is epsilon-DP because its law is that of c rounds of the exponential mechanism, each with epsilon/c and without
    the items selected (Durfee & Rogers 2019).
    A sum is the logarithm of a clock: score / scale + Gumbel = -log(E / exp(score / scale)) with E exponential, so the
    c largest sums are the c clocks that ring first.  Floating-point noise: a simulation, not for production.

    Parameters
    ----------
    scores : array_like, shape (n,), or Scores
    c : int
        How many items to select, from 1 to n.
    epsilon : float
        The whole budget.
    sensitivity : float
        The most by which one person changes one score, in the units of the scores.
    monotonic : bool
        True if all scores that differ between neighbours move in the same direction.
    trials : int
        How many independent runs; 1 for an array.
    rng : numpy.random.Generator

    Returns
    -------
    Selections
        The counts by score of each run; for an array with the indices in the `order` of selection.

    Raises
    ------
    ValueError
        If a score is not finite, c is not a whole number from 1 to n, epsilon or sensitivity is not positive, or
        `trials` is not 1 for an array.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> svt.exponential_mechanism([3, 90, 4, 80], 2, epsilon=2.0, rng=np.random.default_rng(1))
    Selections(1, 3)
    >>> kosarak = svt.load_scores("kosarak")
    >>> svt.exponential_mechanism(
    ...     kosarak, 50, epsilon=1.0, monotonic=True, trials=3, rng=np.random.default_rng(1)
    ... ).selected
    array([50, 50, 50])
    """
    trials = validate.count("trials", trials)
    histogram = scores if isinstance(scores, Scores) else Scores.of(scores)
    if histogram is not scores and trials != 1:
        raise ValueError(f"trials must be 1 for an array of scores, got {trials}: give them as a Scores")
    c = validate.count("c", c, most=histogram.items)
    scale, rng = gumbel_scale(c, epsilon, sensitivity, monotonic), validate.generator("rng", rng)
    if histogram is scores:
        return _in_parts(lambda part: _first(histogram, rate_blocks(histogram, scale, c, part), c, rng), c, trials)
    values = validate.finite_array("scores", scores, copy=False)
    clocks = rng.standard_exponential(values.size)
    np.log(np.maximum(clocks, np.finfo(float).tiny, out=clocks), out=clocks)  # exactly 0 would ring before all
    with np.errstate(over="ignore"):
        clocks -= (values - values.max()) / scale
    order = np.argpartition(clocks, c - 1)[:c]
    order = order[np.argsort(clocks[order], kind="stable")]
    group, number = np.unique(np.searchsorted(-histogram.support, -values[order]), return_counts=True)
    return Selections(histogram, c, 1, np.zeros_like(group), group, number, order)


def gumbel_scale(c: int, epsilon: float, sensitivity: float, monotonic: bool) -> float:
    """Scale of the Gumbel noise, in the units of the scores."""
    epsilon, sensitivity = validate.positive("epsilon", epsilon), validate.positive("sensitivity", sensitivity)
    return (1 if validate.boolean("monotonic", monotonic) else 2) * c * sensitivity / epsilon


def _in_parts(draw: Callable[[int], Selections], work: int, trials: int) -> Selections:
    """`draw(trials)`, so many trials at once that memory stays small and sorting in the cache, for `work` each."""
    at_once = max(1, min(_MOST_AT_ONCE, _WORK_AT_ONCE // work))
    parts = [draw(min(at_once, trials - start)) for start in range(0, trials, at_once)]
    if len(parts) == 1:
        return parts[0]
    trial = np.concatenate([part.trial + k * at_once for k, part in enumerate(parts)])
    group, number = (np.concatenate([getattr(part, name) for part in parts]) for name in ("group", "number"))
    return Selections(parts[0].scores, parts[0].c, trials, trial, group, number)


def _one_threshold(
    mechanism: Mechanism, scores: Scores, threshold: float, trials: int, rng: np.random.Generator, passes: float
) -> Selections:
    """Runs whose threshold noise is drawn once."""
    level = threshold + mechanism.threshold_noise.sample(rng, trials)
    waiting_for = min(mechanism.c, scores.items) if passes == math.inf else 0
    if waiting_for:
        chance = float(mechanism.query_noise.log_at_least(level.max() - scores.at_rank(waiting_for)))
        if -math.inf < chance < -LEAST_LOG_HAZARD:
            raise ValueError(
                f"threshold must be nearer to the scores that are waited for, got {threshold:g}: the chance of one in "
                f"a pass is exp({chance:.4g}), which is 0 in floating point"
            )
    blocks = comparison_blocks(scores, mechanism.query_noise, level, waiting_for)
    return _first(scores, blocks, mechanism.c, rng, passes)


def _first(scores: Scores, blocks: Blocks, c: int, rng: np.random.Generator, end: float = math.inf) -> Selections:
    """The first c items of every trial to ring before `end`."""
    trials = blocks.edges.shape[0]
    arrivals = Arrivals(scores, blocks, rng)
    missing = np.full(trials, min(c, scores.items))
    found: list[tuple[Index, Index]] = []
    active = np.arange(trials)
    while active.size:
        room = missing[active]
        trial, group, _ = arrivals.advance(active, room + 4 * np.sqrt(room) + 8, end)
        rank = np.arange(trial.size) - np.searchsorted(trial, trial)
        kept = rank < missing[trial]
        found.append((trial[kept], group[kept]))
        missing -= np.bincount(trial[kept], minlength=trials)
        active = active[(missing[active] > 0) & (arrivals.time[active] < end)]
    return _gathered(scores, c, trials, found)


def _refreshing(
    mechanism: Mechanism, scores: Scores, threshold: float, trials: int, rng: np.random.Generator
) -> Selections:
    """The loop itself, over the items that pass the lowest of the noisy thresholds: no other can be positive."""
    c = mechanism.c
    first = mechanism.threshold_noise.sample(rng, (trials, 1))
    rho = np.concatenate([first, mechanism.redraw_noise.sample(rng, (trials, c - 1))], axis=1)
    bars = threshold + rho
    level = bars.min(axis=1)
    k = np.zeros(trials, dtype=np.int64)
    found: list[tuple[Index, Index]] = []
    arrivals = Arrivals(scores, comparison_blocks(scores, mechanism.query_noise, level), rng)
    active, seen = np.arange(trials), np.zeros(trials)
    while active.size:
        trial, group, _ = arrivals.advance(active, 6.0 * (c - k[active]) + 20.0 + seen[active], 1.0)
        seen += np.bincount(trial, minlength=trials)
        q = scores.support[group]
        noisy = q + mechanism.query_noise.sample_at_least(rng, level[trial] - q)
        positive = _walk(trial, noisy, bars, k, c)
        found.append((trial[positive], group[positive]))
        active = active[(k[active] < c) & (arrivals.time[active] < 1)]
    return _gathered(scores, c, trials, found)


def _walk(trial: Index, noisy: Array, bars: Array, k: Index, c: int) -> Index:
    """Indices of the positives of every trial, whose count `k` (changed in place) says which bar is up."""
    ends = np.flatnonzero(np.diff(trial, append=-1)) + 1
    values = noisy.tolist()
    positive: list[int] = []
    start = 0
    for end in ends.tolist():
        t = int(trial[start])
        high, found = bars[t].tolist(), int(k[t])
        for i in range(start, end):
            if values[i] >= high[found]:
                positive.append(i)
                found += 1
                if found == c:
                    break
        k[t] = found
        start = end
    return np.array(positive, dtype=np.int64)


def _gathered(scores: Scores, c: int, trials: int, found: list[tuple[Index, Index]]) -> Selections:
    size = scores.support.size
    key = np.concatenate([trial * size + group for trial, group in found])
    cell, number = np.unique(key, return_counts=True)
    return Selections(scores, c, trials, cell // size, cell % size, number)
