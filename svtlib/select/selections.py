"""What a selection mechanism selected, trial by trial, as counts of items per score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svtlib.select.scores import Scores
from svtlib.validate import count, finite_array

__all__ = ["Selections"]


@dataclass(frozen=True, eq=False, repr=False)
class Selections:
    """How many items of each score were selected, in each of `trials` independent runs.

    Items with equal scores are exchangeable, so this is all that a measure of utility needs.
    The k-th entry says that in run `trial[k]` `number[k]` items of score `scores.support[group[k]]` were selected.

    Attributes
    ----------
    scores : Scores
        What was selected from.
    c : int or None
        How many items were wanted; None for a mechanism without a cut-off, which selects whatever is above.
    trials : int
        Number of runs, those that selected nothing included.
    trial, group, number : ndarray of int, shape (entries,)
        In any order; no pair of trial and group occurs twice.
    order : ndarray of int, shape (c,), or None
        For one run on a list: the indices that were selected, in the order of selection; iterating gives these.

    Raises
    ------
    ValueError
        If the lengths differ, a trial or group does not exist, a number is below 1 or above the number of items of
        that score, or a pair of trial and group occurs twice.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> scores = svt.Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=50.0, c=3)
    >>> svt.simulate(mechanism, scores, 3.0, trials=2, rng=np.random.default_rng(1)).counts()
    array([[1, 2, 0],
           [1, 2, 0]])
    """

    scores: Scores
    c: int | None
    trials: int
    trial: NDArray[np.int64]
    group: NDArray[np.int64]
    number: NDArray[np.int64]
    order: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.scores, Scores):
            raise ValueError(f"scores must be a Scores, as load_scores returns one, got {self.scores!r}")
        if self.c is not None:
            object.__setattr__(self, "c", count("c", self.c))
        object.__setattr__(self, "trials", count("trials", self.trials))
        for name in ("trial", "group", "number"):
            values = np.asarray(getattr(self, name))
            if values.dtype.kind not in "iu" and values.size:
                raise ValueError(f"{name} must be whole numbers, got {values.dtype} such as {values.flat[0]!r}")
            values = values.astype(np.int64, copy=False).view()
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        self._check()

    def _check(self) -> None:
        """Refuse entries that no run of the mechanism could have made."""
        groups, shapes = self.scores.support.size, (self.trial.shape, self.group.shape, self.number.shape)
        if self.trial.ndim != 1 or len(set(shapes)) > 1:
            raise ValueError(
                "trial, group and number must be one-dimensional and of one length, "
                f"got shapes {', '.join(map(str, shapes))}"
            )
        ends: tuple[tuple[str, int, NDArray[np.int64] | int], ...] = (
            ("trial", 0, self.trials - 1),
            ("group", 0, groups - 1),
            ("number", 1, self.scores.count[np.clip(self.group, 0, groups - 1)]),
        )
        for name, least, most in ends:
            values = getattr(self, name)
            wrong = np.flatnonzero((values < least) | (values > most))
            if wrong.size:
                i = int(wrong[0])
                highest = most if isinstance(most, int) else int(most[i])
                raise ValueError(f"{name} must be from {least} to {highest:,} at entry {i}, got {values[i]:,}")
        key = self.trial * groups + self.group
        if (np.diff(key) <= 0).any() and np.unique(key).size < key.size:
            raise ValueError("trial and group must not name the same pair twice")

    def __iter__(self) -> Iterator[int]:
        if self.order is None:
            raise TypeError("only what was selected from a list of scores has an order; counts() has the numbers")
        return iter(self.order.tolist())

    @property
    def selected(self) -> NDArray[np.int64]:
        """How many items each run selected, shape (trials,)."""
        return np.bincount(self.trial, self.number, self.trials).astype(np.int64)

    def total(self, weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the sum over the selected items of each run, shape (trials,).

        Parameters
        ----------
        weight : array_like, shape (m,), optional
            What an item of each score counts; the score itself if it is left out.

        Raises
        ------
        ValueError
            If `weight` has another length than `scores.support`, or is not finite.
        """
        support = self.scores.support
        each = support if weight is None else finite_array("weight", weight, length=support.size)
        return np.asarray(np.bincount(self.trial, self.number * each[self.group], self.trials), dtype=float)

    def counts(self) -> NDArray[np.int64]:
        """Return how many items of each score each run selected, shape (trials, m)."""
        table = np.zeros((self.trials, self.scores.support.size), dtype=np.int64)
        table[self.trial, self.group] = self.number
        return table

    def __repr__(self) -> str:
        mean = self.selected.mean()
        wanted = "no cut-off" if self.c is None else f"c = {self.c}"
        if self.order is not None:
            return f"Selections({', '.join(map(str, self))})"
        return f"Selections({self.scores.name}: {self.trials:,} runs, {wanted}, {mean:.6g} items selected on average)"
