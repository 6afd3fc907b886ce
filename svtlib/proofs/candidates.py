"""What a search tries: pairs of neighbours with an outcome, made of blocks of queries that are alike."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from svtlib.exact.probability import moved
from svtlib.mechanism import Said
from svtlib.noise_base import Array


class Kind(NamedTuple):
    """One query: its answer (minus the threshold, if comparison is signed), its change, what was answered."""

    answer: float
    change: float
    answered: Said


class Found(NamedTuple):
    """The largest loss so far and the queries that have it, in an order in which they can be asked."""

    loss: float
    kinds: tuple[Kind, ...]


NO_KIND = Kind(0.0, 0.0, False)
NOTHING = Found(0.0, ())
IMPOSSIBLE = Found(-math.inf, ())


COLUMNS = ("answer", "change", "number", "count")


class Job(NamedTuple):
    """So many negatives and positives, of kinds from a menu."""

    negatives: int
    positives: int
    menu: Menu


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of neighbours with an outcome: a row each, with columns for blocks of queries of one kind."""

    answer: Array  # shape (rows, columns), as the next three
    change: Array
    number: Array  # the released one, NaN where there is none
    count: Array  # 0 where there is no such block
    positive: NDArray[np.bool_]  # shape (columns,)

    def kinds(self, row: int) -> tuple[Kind, ...]:
        """The queries of one row."""
        found: list[Kind] = []
        columns = (self.answer[row], self.change[row], self.number[row], self.positive, self.count[row])
        for answer, change, number, positive, count in zip(*(column.tolist() for column in columns), strict=True):
            answered = positive if math.isnan(number) else number
            found += [Kind(answer, change, answered)] * int(count)
        return tuple(found)


@dataclass(frozen=True)
class Menu:
    """The kinds that a search may choose from, and the first step off the grid (0 to stay on it).

    Besides every negative with every positive, blocks are built of the pairs in `facing`.
    """

    negatives: tuple[Kind, ...]
    positives: tuple[Kind, ...]
    step: float
    facing: tuple[tuple[Kind, Kind], ...] = ()

    @property
    def unobserved(self) -> Menu:
        """The same without released numbers."""
        return replace(self, positives=tuple(kind for kind in self.positives if kind.answered is True))

    @property
    def pairs(self) -> tuple[tuple[Kind, Kind], ...]:
        """Every negative with every positive."""
        return tuple(itertools.product(self.negatives, self.positives))

    def moves(self) -> Array:
        """Directions in which the negatives, the positives and a released number are moved, shape (moves, 3)."""
        forward = [(1, 0, 0), (0, 1, 0), (1, 1, 0)]
        if self.facing:
            forward.append((1, -1, 0))
        if any(isinstance(kind.answered, float) for kind in self.positives):
            forward += [(0, 0, 1), (0, 1, 1)]
        return np.concatenate([-np.array(forward, dtype=float), np.array(forward, dtype=float)])


def columns_of(kinds: Sequence[Kind]) -> tuple[Array, Array, Array]:
    """Answers, changes and released numbers of kinds, NaN for no number."""
    numbers = [kind.answered if isinstance(kind.answered, float) else math.nan for kind in kinds]
    return np.array([kind.answer for kind in kinds]), np.array([kind.change for kind in kinds]), np.array(numbers)


def blocks_of(job: Job, pairs: Sequence[tuple[Kind, Kind]]) -> Candidates:
    """A block of negatives and a block of positives for each pair; one of the two may be empty."""
    if not job.negatives:
        pairs = [(NO_KIND, kind) for kind in dict.fromkeys(kind for _, kind in pairs)]
    if not job.positives:
        pairs = [(kind, NO_KIND) for kind in dict.fromkeys(kind for kind, _ in pairs)]
    sides = columns_of([one for one, _ in pairs]), columns_of([other for _, other in pairs])
    answer, change, number = (np.column_stack(side) for side in zip(*sides, strict=True))
    count = np.tile([float(job.negatives), float(job.positives)], (len(pairs), 1))
    return Candidates(answer, change, number, count, np.array([False, True]))


def moved_blocks(job: Job, found: Found, step: float) -> Candidates:
    """The blocks moved by one step in every direction."""
    first = found.kinds[0] if job.negatives else NO_KIND
    last = found.kinds[-1] if job.positives else NO_KIND
    here = blocks_of(job, [(first, last)])
    move = step * job.menu.moves()
    rows = move.shape[0]
    return Candidates(
        here.answer + move[:, :2],
        np.repeat(here.change, rows, axis=0),
        here.number + np.column_stack([np.zeros(rows), move[:, 2]]),
        np.repeat(here.count, rows, axis=0),
        here.positive,
    )


def integrals(menu: Menu, n: int) -> int:
    """About how many integrals an exhaustive search takes: multisets of n of the (answer, answered) pairs."""
    kinds = menu.negatives + menu.positives
    sides = {(kind.answer + change, str(kind.answered)) for kind in kinds for change in (0, kind.change)}
    return math.comb(len(sides) + n - 1, n)


def tied(answers: Sequence[float], changes: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Answers and neighbours no farther than these changes, whose sizes are equal again where rounding parted them."""
    here = _same_sizes(answers)
    there = tuple(map(moved, here, changes))
    if _same_sizes(there) != there:
        there = _same_sizes(there)
        here = tuple(moved(x, -change) for x, change in zip(there, changes, strict=True))
    return here, there


def _same_sizes(values: Sequence[float]) -> tuple[float, ...]:
    sizes: list[float] = []
    for x in map(abs, values):
        sizes.append(next((y for y in sizes if math.isclose(x, y, rel_tol=1e-13)), x))
    return tuple(math.copysign(size, x) for size, x in zip(sizes, values, strict=True))
