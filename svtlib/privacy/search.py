"""The worst pair of neighbours that can be found: exhaustively for few queries, through families of blocks for many.

One path for every mechanism: nothing here knows a variant by name.
The order of the queries between two draws of the threshold noise does not matter, so an outcome is a multiset of
*kinds*, and a kind is an answer, its change on the neighbour, and what was answered.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from svtlib import validate
from svtlib.mechanism import ABORT, Answer, Mechanism
from svtlib.noise import Noise
from svtlib.privacy.integrate import log_integral

__all__ = ["Counterexample", "worst_case"]

_MOST_INTEGRALS = 5000  # an exhaustive search may take this many; about two seconds
_MOST_MOVES = 40
_FAR = 50.0  # noise scales; beyond it a Laplace tail is exponential to the last digit


def _runs(values: Sequence[object]) -> str:
    shown = (f"{v:g}" if isinstance(v, float) else {False: "⊥", True: "⊤"}.get(v, repr(v)) for v in values)  # type: ignore[call-overload]
    runs = [(value, len(list(group))) for value, group in itertools.groupby(shown)]
    return ", ".join(value if length == 1 else f"{value} ×{length}" for value, length in runs)


@dataclass(frozen=True)
class Counterexample:
    """The pair of neighbours and the outcome with the largest privacy loss that a search found.

    The loss of this pair is exact; that no other pair has a larger one is known only on the grid of an exhaustive
    search. `svtlib.check_alignment` tries a bound from above, and `Variant.actual_epsilon` states what is proved.

    Attributes
    ----------
    answers, neighbour : tuple of float, length n
        True answers on the two datasets.
    outcome : tuple of bool, float or ABORT
        As `svtlib.privacy_loss` takes it.
    loss : float
        Log ratio of the probabilities (densities, where numbers are released) of `outcome`; `inf` if only `answers`
        can produce it.
    search : str
        Where the search looked.
    exhaustive : bool
        True if no pair on the stated grid has a larger loss; pairs off it may have, as without it.
    """

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    outcome: tuple[Answer, ...]
    loss: float
    search: str
    exhaustive: bool

    def __repr__(self) -> str:
        return (
            f"Counterexample(loss={self.loss:.6g}, the largest found\n"
            f"  answers   {_runs(self.answers)}\n"
            f"  neighbour {_runs(self.neighbour)}\n"
            f"  outcome   {_runs(self.outcome)}\n"
            f"  {'exhaustive' if self.exhaustive else 'search'}: {self.search})"
        )


class _Kind(NamedTuple):
    """One query: its answer (minus the threshold, if comparison is signed), its change, what was answered."""

    answer: float
    change: float
    answered: Answer

    @property
    def negative(self) -> bool:
        return self.answered is False


class _Found(NamedTuple):
    """The largest loss so far and the queries that have it, in an order in which they can be asked."""

    loss: float
    kinds: tuple[_Kind, ...]


_NOTHING = _Found(0.0, ())
_IMPOSSIBLE = _Found(-math.inf, ())


class _Epoch:
    """Queries that share one draw of the threshold noise."""

    def __init__(self, mechanism: Mechanism, threshold: float, noise: Noise) -> None:
        self.mechanism, self.noise = mechanism, noise
        self.absolute = mechanism.compare == "absolute"
        self.threshold = threshold if self.absolute else 0.0
        self._one_side = lru_cache(maxsize=200_000)(self._log_probability)

    def _log_probability(self, side: frozenset[tuple[float, bool, float | None, int]]) -> float:
        """Log probability of queries by answer, whether they are positive, released number, and how many they are."""
        m = self.mechanism
        total, cap = 0.0, math.inf
        groups: Counter[tuple[float, float, bool]] = Counter()
        for answer, positive, number, count in side:
            if number is not None:
                noise = m.query_noise if m.release == "compared" else m.release_noise
                assert noise is not None
                total += count * float(noise.logpdf(number - answer))
            if number is not None and m.release == "compared":
                cap = min(cap, (abs(number) if self.absolute else number) - self.threshold)
            else:
                key = (self.threshold, answer) if self.absolute else (self.threshold - answer, 0.0)
                groups[*key, positive] += count
        if total == -math.inf:
            return total
        ordered = tuple(sorted((*key, count) for key, count in groups.items()))
        return total + log_integral(self.noise, m.query_noise, self.absolute, ordered, cap)

    def loss(self, kinds: Iterable[_Kind]) -> float:
        """Log ratio of the probabilities of these queries and answers; -inf if the first dataset cannot have them."""
        here: Counter[tuple[float, bool, float | None]] = Counter()
        there: Counter[tuple[float, bool, float | None]] = Counter()
        for kind in kinds:
            what = (not kind.negative, kind.answered if isinstance(kind.answered, float) else None)
            here[kind.answer, *what] += 1
            there[kind.answer + kind.change, *what] += 1
        first, second = (self._one_side(frozenset((*k, c) for k, c in side.items())) for side in (here, there))
        return -math.inf if first == -math.inf else first - second

    def exhaustive(self, negatives: int, positives: int, menu: _Menu) -> _Found:
        """Largest loss over all multisets of kinds."""
        best = _IMPOSSIBLE
        for below in itertools.combinations_with_replacement(menu.negatives, negatives):
            for above in itertools.combinations_with_replacement(menu.positives, positives):
                loss = self.loss(below + above)
                if loss > best.loss:
                    best = _Found(loss, below + above)
        return best

    def blocks(self, negatives: int, positives: int, menu: _Menu) -> _Found:
        """Largest loss if all negatives are of one kind and all positives of one kind."""
        below = [(kind,) * negatives for kind in menu.negatives] if negatives else [()]
        above = [(kind,) * positives for kind in menu.positives] if positives else [()]
        families = [[first + second for first in below for second in above]]
        if menu.facing and negatives and positives:
            families.append([(first,) * negatives + (second,) * positives for first, second in menu.facing])
        best = _IMPOSSIBLE
        for family in families:
            found = _IMPOSSIBLE
            for kinds in family:
                loss = self.loss(kinds)
                if loss > found.loss:
                    found = _Found(loss, kinds)
            if menu.step and 0 < found.loss < math.inf:
                found = self._improved(found, negatives, menu)
            if found.loss > best.loss + 1e-4:
                best = found
        return best

    def _improved(self, best: _Found, negatives: int, menu: _Menu) -> _Found:
        step = menu.step
        for _ in range(_MOST_MOVES):
            better = max((self._moved(best, negatives, move) for move in menu.moves(step)), key=lambda f: f.loss)
            if better.loss > best.loss + 1e-4:
                best = better
            elif step < menu.step / 100:
                break
            else:
                step /= 4
        return best

    def _moved(self, found: _Found, negatives: int, move: tuple[float, float, float]) -> _Found:
        """The blocks with the answers of the negatives, of the positives, and the released number moved."""
        kinds = tuple(
            _Kind(k.answer + move[i >= negatives], k.change, k.answered + move[2])
            if isinstance(k.answered, float)
            else _Kind(k.answer + move[i >= negatives], k.change, k.answered)
            for i, k in enumerate(found.kinds)
        )
        return _Found(self.loss(kinds), kinds)


@dataclass(frozen=True)
class _Menu:
    """The kinds that a search may choose from, and the first step off the grid (0 to stay on it).

    Besides every negative with every positive, blocks are built of the pairs in `facing`.
    """

    negatives: tuple[_Kind, ...]
    positives: tuple[_Kind, ...]
    step: float
    facing: tuple[tuple[_Kind, _Kind], ...] = ()

    def moves(self, step: float) -> Iterator[tuple[float, float, float]]:
        for size in (-step, step):
            yield from ((size, 0.0, 0.0), (0.0, size, 0.0), (size, size, 0.0))
            if self.facing:
                yield (size, -size, 0.0)
            if any(isinstance(kind.answered, float) for kind in self.positives):
                yield from ((0.0, 0.0, size), (0.0, size, size))


def _scale(mechanism: Mechanism) -> float:
    """The largest standard deviation of the noise in a comparison, or the sensitivity if there is none."""
    noises = (mechanism.threshold_noise, mechanism.redraw_noise, mechanism.query_noise)
    return max(math.sqrt(max(noise.variance for noise in noises)), mechanism.sensitivity)


def _menus(
    mechanism: Mechanism, grid: Sequence[float], deltas: Sequence[float], numbers: Sequence[float], step: float
) -> list[_Menu]:
    """One menu, or for monotonic queries one for each direction."""
    answered: list[Answer] = [True]
    if mechanism.release != "indicator":
        answered += [float(number) for number in numbers]
    directions: list[list[float]] = [list(deltas)]
    if mechanism.monotonic:
        directions = [d for d in ([x for x in deltas if x >= 0], [x for x in deltas if x <= 0]) if d]
    return [
        _Menu(
            tuple(_Kind(a, d, False) for a in grid for d in changes),
            tuple(_Kind(a, d, what) for a in grid for d in changes for what in answered),
            step,
        )
        for changes in directions
    ]


def _facing(mechanism: Mechanism, far: Sequence[float], menu: _Menu) -> _Menu:
    """The menu with pairs on either side of 0, equally far out up to the two sensitivities that may part them.

    Inside an absolute value there is a way over the other bar; far out it may be the only one that the neighbour has.
    """
    delta = mechanism.sensitivity
    changes = sorted({kind.change for kind in menu.negatives})
    pairs = tuple(
        (_Kind(side * distance, here, False), _Kind(-side * (distance + k * delta), there, True))
        for distance, side, k in itertools.product(far, (-1, 1), (0, 1, 2))
        for here, there in itertools.product(changes, repeat=2)
    )
    return replace(menu, facing=pairs)


def _in_one_epoch(mechanism: Mechanism, epoch: _Epoch, n: int, menu: _Menu, exhaustive: bool) -> _Found:
    """Largest loss on n queries if the threshold noise is drawn once."""
    most = mechanism.most_positives + (1 if mechanism.cutoff == "after c" else 0)
    last = int(min(most, n))
    counts = set(range(last + 1))
    if not exhaustive and last > 8:
        counts &= {0, 1, 2, 3, n // 4, n // 3, n // 2, 2 * n // 3, n - 1, n, last}
    search = epoch.exhaustive if exhaustive else epoch.blocks
    best = _NOTHING
    for positives in sorted(counts):
        aborts = positives > mechanism.most_positives
        used = menu
        if aborts:  # the last positive is answered ABORT, so it shows no number; only unobserved ones are tried then
            used = replace(menu, positives=tuple(k for k in menu.positives if k.answered is True))
        ends = mechanism.cutoff is not None and positives == most
        rest = n - positives
        shorter = range(rest if exhaustive else min(rest, 3)) if ends else ()  # the cut-off may end the run early
        for negatives in (*shorter, rest):
            found = search(negatives, positives, used)
            if aborts and found.kinds:
                found = _Found(found.loss, (*found.kinds[:-1], found.kinds[-1]._replace(answered=ABORT)))
            best = max(best, found, key=lambda f: f.loss)
    return best


def _in_many_epochs(
    mechanism: Mechanism, epochs: tuple[_Epoch, _Epoch], n: int, menu: _Menu, exhaustive: bool
) -> _Found:
    """Largest loss on n queries if the threshold noise is drawn anew after each positive: losses of epochs add."""
    first, later = epochs

    @cache
    def epoch_loss(is_first: bool, negatives: int, positives: int) -> _Found:
        epoch = first if is_first else later
        return (epoch.exhaustive if exhaustive else epoch.blocks)(negatives, positives, menu)

    @cache
    def abort_loss(negatives: int) -> _Found:
        unobserved = replace(menu, positives=tuple(k for k in menu.positives if k.answered is True))
        found = (later.exhaustive if exhaustive else later.blocks)(negatives, 1, unobserved)
        return _Found(found.loss, (*found.kinds[:-1], *(k._replace(answered=ABORT) for k in found.kinds[-1:])))

    if mechanism.redraw_noise == mechanism.threshold_noise:
        first = later
    # best[k]: largest loss of exactly k queries that end with a positive, after the epochs so far
    best: dict[int, _Found] = {0: _NOTHING}
    answer = epoch_loss(True, n, 0)
    for number in range(1, int(min(mechanism.most_positives, n)) + 1):
        following: dict[int, _Found] = {}
        for done, found in best.items():
            for size in range(1, n - done + 1):
                more = epoch_loss(number == 1, size - 1, 1)
                total = _Found(found.loss + more.loss, found.kinds + more.kinds)
                if total.loss > following.get(done + size, _IMPOSSIBLE).loss:
                    following[done + size] = total
        if not following:
            break
        best = following
        for done, found in best.items():
            last = number == mechanism.most_positives
            tails = (
                [_NOTHING] if done == n or (last and mechanism.cutoff == "at c") else [epoch_loss(False, n - done, 0)]
            )
            if last and mechanism.cutoff == "after c":
                tails += [abort_loss(negatives) for negatives in range(n - done)]
            for tail in tails:
                answer = max(answer, _Found(found.loss + tail.loss, found.kinds + tail.kinds), key=lambda f: f.loss)
    return answer


def _default_grid(mechanism: Mechanism, threshold: float, few: bool) -> list[float]:
    delta, far = mechanism.sensitivity, _FAR * _scale(mechanism)
    grid = {-far, -delta, 0.0, delta, far}
    if not few:
        grid |= {-far / 10, -_scale(mechanism), _scale(mechanism), far / 10}
    if mechanism.compare == "absolute":
        grid |= {-abs(threshold), abs(threshold)}
    return sorted(grid)


def worst_case(
    mechanism: Mechanism,
    n: int,
    threshold: float = 0.0,
    *,
    answers_grid: ArrayLike | None = None,
    deltas: ArrayLike | None = None,
) -> Counterexample:
    """Search for the largest privacy loss on n queries, over pairs of neighbours and outcomes.

    With few queries every pair of neighbours on a grid and every outcome is tried.
    With many, pairs in which all negatives are alike and all positives are alike (in each stretch between two draws of
    the threshold noise): families that contain every counterexample of the literature.
    What is returned is the largest loss found, a bound from below: another pair may lose more, and where the loss grows
    without bound the search ends somewhere on the way.

    Parameters
    ----------
    mechanism : Mechanism
    n : int
        Number of queries.
    threshold : float
        The same for every query.
    answers_grid : array_like, optional
        Answers to try, minus the threshold unless comparison is absolute, in the units of the answers.
        By default 0, plus and minus the sensitivity, far out and between, and what lies near the best of them.
    deltas : array_like, optional
        Changes of an answer to try, at most the sensitivity; by default minus it, 0 and plus it.

    Returns
    -------
    Counterexample
        `exhaustive` tells whether no pair on the grid has a larger loss.

    Raises
    ------
    ValueError
        If n is not an integer of at least 1, or the grid or the changes are empty or out of range.

    Examples
    --------
    >>> import svtlib as svt
    >>> svt.worst_case(svt.variant("alg5").calibrate(epsilon=1.0), 2).loss
    inf
    """
    if not isinstance(mechanism, Mechanism):
        raise ValueError(f'mechanism must be a Mechanism, as from variant("alg1").calibrate(...), got {mechanism!r}')
    n, threshold = validate.count("n", n), validate.finite("threshold", threshold)
    delta = mechanism.sensitivity
    changes = [-delta, 0.0, delta] if deltas is None else validate.finite_array("deltas", deltas).tolist()
    if not changes or max(map(abs, changes)) > delta * (1 + 1e-12):
        raise ValueError(f"deltas must be between -{delta:g} and {delta:g}, the sensitivity, got {deltas!r}")
    given = None if answers_grid is None else validate.finite_array("answers_grid", answers_grid).tolist()
    if given is not None and not given:
        raise ValueError("answers_grid must have at least one answer, got none")

    few = given or _default_grid(mechanism, threshold, few=True)
    shift = threshold if mechanism.compare == "signed" else 0.0
    far = max(abs(a) for a in few) + _scale(mechanism)
    numbers = (-far, 0.0, far)
    step = 0.0 if given else _scale(mechanism)
    every = _menus(mechanism, few, changes, numbers, step)
    exhaustive = sum(_integrals(menu, n) for menu in every) <= _MOST_INTEGRALS
    # An answer that stays is of use only where the others must all move one way.
    ends = changes if mechanism.monotonic else [x for x in changes if x] or changes
    alike = _menus(mechanism, given or _default_grid(mechanism, threshold, few=False), ends, numbers, step)
    facing = mechanism.compare == "absolute" and not given
    if facing:
        out = _FAR * _scale(mechanism)
        alike = [_facing(mechanism, (out / 10, out), menu) for menu in alike]

    first = _Epoch(mechanism, threshold, mechanism.threshold_noise)
    later = _Epoch(mechanism, threshold, mechanism.redraw_noise)
    best = _NOTHING
    for menu, all_pairs in [(menu, True) for menu in every if exhaustive] + [(menu, False) for menu in alike]:
        if mechanism.refresh:
            found = _in_many_epochs(mechanism, (first, later), n, menu, all_pairs)
        else:
            found = _in_one_epoch(mechanism, first, n, menu, all_pairs)
        if found.loss > best.loss + 1e-9 or not best.kinds:
            best = found
    grid = "answers" if mechanism.compare == "absolute" else "answers minus threshold"
    where = f"{grid} in {np.round(given or few, 4).tolist()}, changes in {changes}"
    if mechanism.release != "indicator":
        where += f", released numbers unobserved or in {np.round(numbers, 4).tolist()}"
    blocks = "negatives alike and positives alike" + (", on either side of 0 too" if facing else "")
    blocks += f", {where}" if given else ", improved off a grid"
    search = f"every pair and outcome with {where}" + ("" if given else f"; and {blocks}") if exhaustive else blocks
    return _counterexample(best, n, shift, search, exhaustive)


def _integrals(menu: _Menu, n: int) -> int:
    """About how many integrals an exhaustive search takes: multisets of n of the (answer, answered) pairs."""
    kinds = menu.negatives + menu.positives
    sides = {(kind.answer + change, str(kind.answered)) for kind in kinds for change in (0, kind.change)}
    return math.comb(len(sides) + n - 1, n)


def _counterexample(best: _Found, n: int, shift: float, search: str, exhaustive: bool) -> Counterexample:
    kinds = best.kinds or (_Kind(0.0, 0.0, False),) * n
    unasked = (shift,) * (n - len(kinds))  # the cut-off ended the run before them
    return Counterexample(
        answers=tuple(float(k.answer + shift) for k in kinds) + unasked,
        neighbour=tuple(float(k.answer + k.change + shift) for k in kinds) + unasked,
        outcome=tuple(k.answered + shift if isinstance(k.answered, float) else k.answered for k in kinds),
        loss=float(best.loss),
        search=search,
        exhaustive=exhaustive,
    )
