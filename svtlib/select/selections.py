"""What a selection mechanism selected, trial by trial, and how good that is.

All measures compare with the true top c.
Where several items share the c-th score, which of them belong to it is arbitrary; an item counts with the expectation
over a uniformly random choice, so that no measure depends on the order of the items.
For all measures but the precision and F1, which divide by the number of items selected, this makes the measure linear:
each item adds a weight that depends on its score alone (`Scores.top_weight`, `Scores.rank_weight`), so that the
expectation of the measure is the sum of weights times expected counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from svtlib.noise_base import Array, Index
from svtlib.select.scores import Scores
from svtlib.validate import finite_array


@dataclass(frozen=True, eq=False, repr=False)
class Selections:
    """How many items of each score were selected, in each of `trials` independent runs.

    Items with equal scores are exchangeable, so this is all that a measure of utility needs.
    The k-th entry says that in run `trial[k]` `number[k]` items of score `scores.support[group[k]]` were selected.
    A measure is an array with one number for each run; it needs the items that c asks for.

    Attributes
    ----------
    scores : Scores
        What was selected from.
    c : int
        How many items were wanted.
    trials : int
        Number of runs, those that selected nothing included.
    trial, group, number : ndarray of int, shape (entries,)
        In any order; no pair of trial and group occurs twice.
    order : ndarray of int, shape (c,), or None
        For one run on a list: the indices that were selected, in the order of selection; iterating gives these.

    Examples
    --------
    >>> import numpy as np
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=50.0, c=3)
    >>> runs = svt.simulate(mechanism, [7, 5, 5, 1, 1], 5.0, trials=2, rng=np.random.default_rng(4))
    >>> runs.counts()
    array([[1, 0, 0],
           [1, 2, 0]])
    >>> runs.fnr().round(3), runs.ser().round(3)  # 10 of 17 are missed in the first run
    (array([0.667, 0.   ]), array([0.588, 0.   ]))
    """

    scores: Scores
    c: int
    trials: int
    trial: Index
    group: Index
    number: Index
    order: Index | None = None

    def __iter__(self) -> Iterator[int]:
        if self.order is None:
            raise TypeError("only what was selected from a list of scores has an order; counts() has the numbers")
        return iter(self.order.tolist())

    @property
    def selected(self) -> Index:
        """How many items each run selected, shape (trials,)."""
        return np.bincount(self.trial, self.number, self.trials).astype(np.int64)

    def counts(self) -> Index:
        """Return how many items of each score each run selected, shape (trials, m)."""
        table = np.zeros((self.trials, self.scores.support.size), dtype=np.int64)
        table[self.trial, self.group] = self.number
        return table

    def total(self, weight: ArrayLike | None = None) -> Array:
        """Return the sum over the selected items of each run, shape (trials,).

        Parameters
        ----------
        weight : array_like, shape (m,), optional
            What an item of each score counts; the score itself if it is left out.
        """
        support = self.scores.support
        each = support if weight is None else finite_array("weight", weight, length=support.size)
        return np.asarray(np.bincount(self.trial, self.number * each[self.group], self.trials), dtype=float)

    def ser(self) -> Array:
        """Score error rate: which part of the score of the true top c each run missed (Lyu, Su & Li 2017, sec. 6).

        1 - (sum of the selected scores / c) / (mean of the c highest scores): an item that was not selected counts as a
        score of 0, as in Table 3 of the version of 2016.  The formula is printed as an average over the selected.

        Returns
        -------
        ndarray, shape (trials,)
            At most 1, and at least 0 if no score is negative.

        Raises
        ------
        ValueError
            If the c highest scores do not sum to a positive number.
        """
        best = self.scores.top(self._wanted()).sum()
        if not best > 0:
            raise ValueError(f"selections must be of scores whose c highest sum to a positive number, got {best:g}")
        return np.asarray(1 - self.total() / best)

    def fnr(self) -> Array:
        """False negative rate: which fraction of the true top c each run missed (Lyu, Su & Li 2017, sec. 6)."""
        return np.asarray(1 - self._hits() / self._wanted())

    def ncr(self) -> Array:
        """Normalised cumulative rank: the first of the true top c counts c, the next c - 1, … (Liu et al. 2024).

        Their section 5.2.2 says that queries below the threshold count 0; here that are all after the c-th, and the
        total is divided by its largest value, c (c + 1) / 2.
        """
        c = self._wanted()
        return np.asarray(self.total(self.scores.rank_weight(c)) / (c * (c + 1) / 2))

    def precision(self) -> Array:
        """Fraction of the selected items that belong to the true top c; 0 for a run that selects nothing."""
        return np.asarray(self._hits() / np.maximum(self.selected, 1))

    def f1(self) -> Array:
        """The harmonic mean of precision and recall, 2 TP / (number selected + c)."""
        return np.asarray(2 * self._hits() / (self.selected + self._wanted()))

    def _wanted(self) -> int:
        """The c that the true top is compared with."""
        if self.c > self.scores.items:
            raise ValueError(
                f"selections must be of c items that exist, got c = {self.c} and scores of {self.scores.items:,} items"
            )
        return self.c

    def _hits(self) -> Array:
        """How many of the true top c each run selected."""
        return self.total(self.scores.top_weight(self._wanted()))

    def __repr__(self) -> str:
        if self.order is not None:
            return f"Selections({', '.join(map(str, self))})"
        runs = f"{self.scores.name}: {self.trials:,} runs, c = {self.c}"
        return f"Selections({runs}, {self.selected.mean():.6g} items selected on average)"
