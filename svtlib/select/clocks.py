"""Items with random clocks: which ring first, without looking at the items that cannot be among them.

Walking through items in random order and keeping the first c that pass a noisy comparison is the same as giving every
item a clock and keeping the c that ring first: an item that passes one comparison with probability p rings at the
uniformly distributed moment of its turn, or a whole pass later, and so on.
Clocks of items with equal scores have one law, so a histogram of the scores is enough; and since a clock with a hazard
below some bound is a thinned clock with that bound, only the few items that ring under the bound are ever drawn.
All of this is exact in distribution: no tail is cut off and nothing is approximated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svtlib.noise import Noise
from svtlib.noise_base import Array, Index
from svtlib.select.scores import Scores

_WIDTH = 0.7  # of a block, in log hazard: a bound is at most exp(0.7) = 2 times too large
_BLOCKS = 60  # below exp(-42) one last block holds the rest
LEAST_LOG_HAZARD = 745.0  # exp(-745) is the smallest positive float


class PassClock:
    """One turn in every pass, at a uniformly distributed moment of it; each turn succeeds with probability `hazard`."""

    def log_survival(self, time: Array, hazard: Array) -> Array:
        """Log of the probability of silence until `time`: passes before the present one, and the part of it done."""
        passes = np.floor(time)
        with np.errstate(divide="ignore", invalid="ignore"):
            before = np.where(passes > 0, passes * np.log1p(-hazard), 0.0)
            return np.asarray(before + np.log1p(-hazard * (time - passes)))

    def moment(self, log_survival: Array, hazard: Array) -> Array:
        """The time with this survival: whole passes first, the rest within a pass is linear in it."""
        with np.errstate(divide="ignore", invalid="ignore"):
            one_pass = np.log1p(-hazard)
            passes = np.where(np.isfinite(one_pass), np.floor(log_survival / one_pass), 0.0)
            rest = log_survival - np.where(passes > 0, passes * one_pass, 0.0)
        return np.asarray(passes + np.clip(-np.expm1(rest) / hazard, 0.0, 1.0))

    def next_stop(self, start: Array, left: NDArray[np.int64], bound: Array, wanted: Array) -> Array:
        """A time by which about `wanted` of the items `left` (trials, blocks) ring: a part of a pass, or whole ones."""
        with np.errstate(divide="ignore", over="ignore"):  # an infinite step: nothing will ring
            step = 1.4 * wanted / np.sum(left * bound, axis=1)
        here = np.floor(start)
        inside = start + step <= here + 0.5
        return np.where(inside, start + step, np.where(start > here, here + 1, here + np.ceil(step)))


class RateClock(PassClock):
    """An exponential clock, which has no memory: `hazard` is its rate."""

    def log_survival(self, time: Array, hazard: Array) -> Array:
        """As for `PassClock`."""
        return np.asarray(-time * hazard)

    def moment(self, log_survival: Array, hazard: Array) -> Array:
        """As for `PassClock`."""
        return np.asarray(-log_survival / hazard)

    def next_stop(self, start: Array, left: NDArray[np.int64], bound: Array, wanted: Array) -> Array:
        """Bisection of the logarithm of the step; where all trials are alike, as at the start, in one of them."""
        alike = all((values == values[:1]).all() for values in (left, bound, wanted))
        if alike and start.size > 1:
            return start + self.next_stop(np.zeros(1), left[:1], bound[:1], wanted[:1])
        goal = np.minimum(wanted, 0.9 * left.sum(axis=1))
        low, high = np.full(start.size, -700.0), np.full(start.size, 700.0)
        with np.errstate(over="ignore"):
            for _ in range(30):
                middle = (low + high) / 2
                rung = -np.sum(left * np.expm1(-np.exp(middle)[:, None] * bound), axis=1)
                low, high = np.where(rung < goal, middle, low), np.where(rung < goal, high, middle)
        return np.asarray(start + np.exp(high))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Runs of items, by rank of score, with a bound on the hazards in each, and the clock that these drive."""

    edges: Index  # shape (trials, blocks + 1): ranks edges[k] to edges[k+1] - 1, counted from 0 for the highest score
    bound: Array  # shape (trials, blocks)
    hazard: Callable[[Index, Index], Array]  # of items in these trials, of these groups of equal scores
    clock: PassClock = PassClock()  # noqa: RUF009  it has no state


def _joined(taken: Index, new: Index) -> Index:
    """Two disjoint sets of items as one, ascending."""
    return np.sort(np.concatenate([taken, np.sort(new)]), kind="stable")  # two runs: a merge


def _edges(scores: Scores, least: Array) -> Index:
    """Ranks at which the scores fall below `least` (trials, blocks), between rank 0 and the last."""
    starts = np.concatenate([[0], scores.ranks])
    inner = starts[np.searchsorted(-scores.support, -least, side="right")]
    ends = np.broadcast_to(np.array([0, scores.items]), (least.shape[0], 2))
    return np.concatenate([ends[:, :1], inner, ends[:, 1:]], axis=1)


def comparison_blocks(scores: Scores, noise: Noise, level: Array, waiting_for: int = 0) -> Blocks:
    """Hazard Pr[score + nu >= level], for one level per trial.

    The first block holds the scores of about the level and more, with the bound 1; below it the bound falls by steps.
    Whoever goes on until the best `waiting_for` items have rung needs narrow blocks as far down as these lie.
    """
    blocks = _BLOCKS
    if waiting_for:
        least = float(noise.log_at_least(level.max() - scores.at_rank(waiting_for)))
        room = min(-least, LEAST_LOG_HAZARD) + 20  # for exp(20) items still lower
        blocks = max(blocks, math.ceil(room / _WIDTH))
    top = float(noise.log_at_least(0.0))
    below = np.nextafter(noise.at_least_inverse(top - _WIDTH * np.arange(blocks + 1)), np.inf)  # beyond an atom there
    bound = np.concatenate([[1.0], np.exp(noise.log_at_least(below))])
    return Blocks(
        _edges(scores, np.asarray(level[:, None] - below)),
        np.broadcast_to(bound, (level.size, bound.size)),
        lambda trial, group: np.exp(noise.log_at_least(level[trial] - scores.support[group])),
    )


def rate_blocks(scores: Scores, scale: float, c: int, trials: int) -> Blocks:
    """Hazard exp(score / scale), scaled to 1 at the c-th: the first c to ring are those of an exponential mechanism."""
    level = scores.at_rank(c)
    above = _WIDTH * np.arange(_BLOCKS, -_BLOCKS - 1, -1)
    bound = np.concatenate([[np.inf], np.exp(above)])
    edges = _edges(scores, np.asarray(level + scale * above)[None, :])
    return Blocks(
        np.broadcast_to(edges, (trials, edges.shape[1])),
        np.broadcast_to(bound, (trials, bound.size)),
        lambda trial, group: np.exp(np.minimum((scores.support[group] - level) / scale, 700.0)),
        RateClock(),
    )


class Arrivals:
    """The items of a histogram in the order in which their clocks ring, in several independent trials.

    An item of a trial has the number trial * scores.items + rank.
    """

    def __init__(self, scores: Scores, blocks: Blocks, rng: np.random.Generator) -> None:
        self.scores, self.blocks, self.clock, self.rng = scores, blocks, blocks.clock, rng
        self.taken = np.empty(0, dtype=np.int64)  # what has rung, ascending
        self.time = np.zeros(blocks.edges.shape[0])

    def left(self, trials: Index) -> Index:
        """How many items of each block have not rung, shape (len(trials), blocks)."""
        edges = self.blocks.edges[trials]
        row = trials[:, None] * self.scores.items
        gone = np.diff(np.searchsorted(self.taken, row + edges), axis=1) if self.taken.size else 0
        return np.asarray(np.diff(edges, axis=1) - gone)

    def advance(self, trials: Index, wanted: Array, end: float = math.inf) -> tuple[Index, Index, Index]:
        """Let the clocks of `trials` run on until about `wanted` items have rung, or to `end`.

        What rang, as trial, group and item, is sorted by trial and time; ValueError if nothing ever will.
        """
        left, bound = self.left(trials), self.blocks.bound[trials]
        start = self.time[trials]
        stop = np.minimum(self.clock.next_stop(start, left, bound, wanted), end)
        if not np.isfinite(stop).all():
            raise ValueError("passes must be finite here: an item that never passes the comparison is waited for")
        self.time[trials] = stop
        chance = self._chance(start[:, None], stop[:, None], bound)
        number = self.rng.binomial(left, chance)
        slot, item = self._items(trials, number, left)
        at = slot // bound.shape[1]
        trial = trials[at]
        group = np.searchsorted(self.scores.ranks, item - trial * self.scores.items, side="right")
        own = self._chance(start[at], stop[at], self.blocks.hazard(trial, group))
        rings = self.rng.random(item.size) * chance.ravel()[slot] < own
        trial, group, item, own = trial[rings], group[rings], item[rings], own[rings]
        hazard = self.blocks.hazard(trial, group)
        began = self.clock.log_survival(start[at[rings]], hazard)
        moment = self.clock.moment(began + np.log1p(-self.rng.random(item.size) * own), hazard)
        order = np.lexsort((moment, trial))
        self.taken = _joined(self.taken, item)
        return trial[order], group[order], item[order]

    def _chance(self, start: Array, stop: Array, hazard: Array) -> Array:
        """Probability to ring by `stop`, given silence until `start`."""
        with np.errstate(invalid="ignore", over="ignore"):
            passed = self.clock.log_survival(stop, hazard) - self.clock.log_survival(start, hazard)
        return np.where(np.isnan(passed), 1.0, -np.expm1(passed))

    def _items(self, trials: Index, number: Index, left: Index) -> tuple[Index, Index]:
        """`number` distinct items of each block, uniformly among those left, as (block, item), block after block."""
        edges = self.blocks.edges[trials]
        first = (trials[:, None] * self.scores.items + edges[:, :-1]).ravel()
        size = np.diff(edges, axis=1).ravel()
        number = number.ravel()
        slot = np.repeat(np.arange(number.size), number)  # the block of every item that is drawn
        item = np.empty(slot.size, dtype=np.int64)
        dense = 2 * number > left.ravel()
        of_dense = dense[slot]
        item[of_dense] = self._from_lists(np.flatnonzero(dense & (number > 0)), first, size, number)
        waiting = np.flatnonzero(~of_dense)
        seen = self.taken
        while waiting.size:  # a repeated item is drawn again: so every set of distinct items is equally likely
            block = slot[waiting]
            drawn = first[block] + (self.rng.random(waiting.size) * size[block]).astype(np.int64)
            distinct, index = np.unique(drawn, return_index=True)
            if seen.size:
                place = np.minimum(np.searchsorted(seen, distinct), seen.size - 1)
                index = index[seen[place] != distinct]
            item[waiting[index]] = drawn[index]
            seen = _joined(seen, drawn[index])
            waiting = np.delete(waiting, index)
        return slot, item

    def _from_lists(self, block: Index, first: Index, size: Index, number: Index) -> Index:
        """The same for blocks of which more than half is drawn: shuffle what is left and cut."""
        owner = np.repeat(block, size[block])
        inside = np.arange(owner.size) - np.repeat(np.cumsum(size[block]) - size[block], size[block])
        item = first[owner] + inside
        if self.taken.size:
            place = np.minimum(np.searchsorted(self.taken, item), self.taken.size - 1)
            free = self.taken[place] != item
            owner, item = owner[free], item[free]
        order = np.lexsort((self.rng.random(owner.size), owner))
        rank = np.arange(owner.size) - np.searchsorted(owner, owner)
        return item[order][rank < number[owner]]
