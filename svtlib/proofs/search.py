"""The worst pair of neighbours that can be found: exhaustively for few queries, through families of blocks for many.

One path for every mechanism: nothing here knows a variant by name.
The order of the queries between two draws of the threshold noise does not matter, so an outcome is a multiset of
*kinds*, and a kind is an answer, its change on the neighbour, and what was answered.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from svtlib import validate
from svtlib.exact.comparisons import Comparisons
from svtlib.exact.integral import log_integrals
from svtlib.exact.probability import moved, privacy_loss
from svtlib.mechanism import ABORT, Mechanism, Said, a_mechanism, run
from svtlib.noise import Noise
from svtlib.noise_base import Array
from svtlib.proofs.candidates import (
    COLUMNS,
    IMPOSSIBLE,
    NOTHING,
    Candidates,
    Found,
    Job,
    Kind,
    Menu,
    blocks_of,
    columns_of,
    integrals,
    moved_blocks,
    tied,
)

_MOST_INTEGRALS = 5000  # an exhaustive search may take this many; about two seconds
_DEAR, _MOST_DEAR = 10, 2500  # how much longer some integrals take; of those so many, before no pair is moved
_MOST_MOVES = 40
_WIDE = 30  # whole numbers over which the noise is spread
_WORTH_A_MOVE = 1e-4  # or a hundredth of what a shift by the sensitivity costs, if that is less
_ROUNDING = 1e-9  # losses that differ by less are equal: then the pair nearest to the threshold is shown
_MOST_APART = 1e6  # scales that are so many times the sensitivity, or the other way round, are too far for floats
_MOST_WHOLE = 1e4  # the same for whole-number noise, whose sums take longer
_FAR = 50.0  # noise scales; beyond it a Laplace tail is exponential to the last digit


def _runs(values: Sequence[object]) -> str:
    shown = (f"{v:g}" if isinstance(v, float) else {False: "⊥", True: "⊤"}.get(v, repr(v)) for v in values)  # type: ignore[call-overload]
    runs = [(value, len(list(group))) for value, group in itertools.groupby(shown)]
    return ", ".join(value if length == 1 else f"{value} ×{length}" for value, length in runs)


@dataclass(frozen=True)
class Counterexample:
    """The pair of neighbours and the outcome with the largest privacy loss that a search found.

    The loss of this pair is exact; that no other pair has a larger one is known only on the grid of an exhaustive
    search. `svtlib.check_alignment` tries a bound from above, and `svtlib.actual_epsilon` states what is proved.

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
    outcome: tuple[Said, ...]
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


class _Stretch:
    """Queries that share one draw of the threshold noise."""

    def __init__(self, mechanism: Mechanism, threshold: float, noise: Noise) -> None:
        self.mechanism, self.noise = mechanism, noise
        self.absolute = mechanism.sides.absolute
        self.threshold = threshold if self.absolute else 0.0
        self.left = _MOST_DEAR if dear(mechanism) else math.inf
        self.worth = min(_WORTH_A_MOVE, 0.01 * mechanism.sensitivity / _scale(mechanism))

    def losses(self, those: Candidates) -> Array:
        """Log ratios of the probabilities of these queries and answers; -inf if the first dataset cannot have them."""
        m = self.mechanism
        answer = np.concatenate([those.answer, those.answer + those.change])
        number, count = np.tile(those.number, (2, 1)), np.tile(those.count, (2, 1))
        extra, cap = np.zeros(answer.shape[0]), np.full(answer.shape[0], np.inf)
        offset = times = np.zeros((answer.shape[0], 0))
        shown = ~np.isnan(number) & (count > 0)
        if shown.any():
            number = np.where(shown, number, 0.0)
            told = m.shows.told(number, answer, self.threshold, m.sides, m.query_noise, m.release_noise)
            if told.noise is not None:
                with np.errstate(over="ignore"):  # a density below e^-1e308 is 0
                    seen = count * told.noise.logpdf(np.where(shown, number - answer, 0.0))
                    extra = np.sum(np.where(shown, seen, 0.0), axis=1)
            if told.most is not None:
                cap = np.min(np.where(shown, told.most, np.inf), axis=1)
                count = np.where(shown, 0.0, count)
            if told.offset is not None:
                offset, times = np.where(shown, told.offset, 0.0), np.where(shown, count, 0.0)
                count = np.where(shown, 0.0, count)
                extra = np.where((shown & (number < 0)).any(axis=1), -np.inf, extra)
        # Equal comparisons in another order are the same integral.
        negatives = int(np.count_nonzero(~those.positive))
        blocks = [slice(negatives), slice(negatives, None)]
        for values in ((answer, count), (offset, times)):
            for columns in blocks if values[0] is answer else [slice(None)]:
                order = np.lexsort([value[:, columns] for value in values[::-1]], axis=1)
                for value in values:
                    value[:, columns] = np.take_along_axis(value[:, columns], order, axis=1)
        whole = np.column_stack([cap, answer, count, offset, times])
        distinct, index = np.unique(whole, axis=0, return_inverse=True)
        k = answer.shape[1]
        answer, count, offset, times = np.split(distinct[:, 1:], [k, 2 * k, 2 * k + offset.shape[1]], axis=1)
        threshold = np.full_like(answer, self.threshold) if self.absolute else -answer
        table = Comparisons(
            *(m.query_noise, self.absolute, negatives, threshold, answer if self.absolute else 0 * answer, count),
            *(distinct[:, 0], offset, times),
        )
        self.left -= table.rows
        try:
            log_p = log_integrals(self.noise, table)[index.ravel()] + extra
        except ArithmeticError as error:
            raise ValueError(f"mechanism must have losses that can be computed: {error}") from error
        here, there = np.split(log_p, 2)
        with np.errstate(invalid="ignore"):
            return np.where(here == -np.inf, -np.inf, here - there)

    def searched(self, jobs: Sequence[Job], exhaustive: bool) -> list[Found]:
        """For each job the largest loss, over all multisets of kinds or those of blocks."""
        return [self._exhaustive(job) for job in jobs] if exhaustive else self._blocks(jobs)

    def _exhaustive(self, job: Job) -> Found:
        """Largest loss over all multisets of kinds."""
        kinds = job.menu.negatives + job.menu.positives
        first = len(job.menu.negatives)
        below = itertools.combinations_with_replacement(range(first), job.negatives)
        above = list(itertools.combinations_with_replacement(range(first, len(kinds)), job.positives))
        rows = np.array([one + other for one in below for other in above], dtype=np.int64)
        answer, change, number = (column[rows] for column in columns_of(kinds))
        positive = np.arange(job.negatives + job.positives) >= job.negatives
        return self._best([Candidates(answer, change, number, np.ones_like(answer), positive)])[0]

    def _blocks(self, jobs: Sequence[Job]) -> list[Found]:
        """For each job the largest loss if all negatives are of one kind and all positives of one kind.

        All jobs go on side by side, so that there are always many integrals to compute at once.
        """
        both = [k for k, job in enumerate(jobs) if job.menu.facing and job.negatives and job.positives]
        of = [*range(len(jobs)), *both]
        families = [blocks_of(job, job.menu.pairs) for job in jobs] + [
            blocks_of(jobs[k], jobs[k].menu.facing) for k in both
        ]
        best = [IMPOSSIBLE] * len(jobs)
        for k, found in zip(of, self._improved([jobs[k] for k in of], families) if of else (), strict=True):
            if found.loss > best[k].loss + self.worth:
                best[k] = found
        return best

    def _best(self, families: Sequence[Candidates]) -> list[Found]:
        """The largest loss of each family, of equal ones the nearest to the threshold; all have the same columns."""
        parts = {name: np.concatenate([getattr(family, name) for family in families]) for name in COLUMNS}
        whole = Candidates(**parts, positive=families[0].positive)
        losses = self.losses(whole)
        distance = np.sum(whole.count * (np.abs(whole.answer) + np.nan_to_num(np.abs(whole.number))), axis=1)
        ends = np.cumsum([family.count.shape[0] for family in families]).tolist()
        found = []
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            top = float(losses[start:end].max(initial=-math.inf))
            equal = start + np.flatnonzero(losses[start:end] >= top - _slack(top))
            row = int(equal[np.argmin(distance[equal])]) if top > -math.inf else -1
            found.append(IMPOSSIBLE if row < 0 else Found(float(losses[row]), whole.kinds(row)))
        return found

    def _improved(self, jobs: Sequence[Job], families: Sequence[Candidates]) -> list[Found]:
        """The best of each family, with its blocks moved off the grid while that is worth it."""
        best = self._best(families)
        steps = [job.menu.step for job in jobs]
        active = [k for k, found in enumerate(best) if steps[k] and 0 < found.loss < math.inf]
        for _ in range(_MOST_MOVES):
            if not active or self.left < 0:
                break
            moved = self._best([moved_blocks(jobs[k], best[k], steps[k]) for k in active])
            for k, found in zip(tuple(active), moved, strict=True):
                if found.loss > best[k].loss + self.worth:
                    best[k] = found
                elif steps[k] < jobs[k].menu.step / 100:
                    active.remove(k)
                else:
                    steps[k] = steps[k] // 4 if self.mechanism.integers else steps[k] / 4
        return best


def dear(mechanism: Mechanism) -> bool:
    """Whether integrals take milliseconds each: what is not log-concave, or whole and wide, is done one by one."""
    noises = mechanism.threshold_noise, mechanism.redraw_noise, mechanism.query_noise
    if any(noise.whole for noise in noises):
        return sum(noise.width for noise in noises) > _WIDE or mechanism.shows.moves_with_threshold
    within = not mechanism.sides.absolute or mechanism.query_noise.dents(np.zeros(1)) is not None
    return not (within and all(noise.log_concave or not noise.width for noise in noises))


def _scale(mechanism: Mechanism) -> float:
    """The largest standard deviation of the noise in a comparison, or the sensitivity if there is none.

    A whole number where noise and changes are: then answers between whole numbers show nothing new.
    """
    noises = (mechanism.threshold_noise, mechanism.redraw_noise, mechanism.query_noise)
    scale = max(*(noise.width for noise in noises), mechanism.sensitivity)
    return float(math.ceil(scale)) if mechanism.integers else scale


def _menus(
    mechanism: Mechanism, grid: Sequence[float], deltas: Sequence[float], numbers: Sequence[float], step: float
) -> list[Menu]:
    """One menu, or for monotonic queries one for each direction."""
    answered: list[Said] = [True]
    if mechanism.shows.numbered:
        answered += [float(number) for number in numbers]
    directions: list[list[float]] = [list(deltas)]
    if mechanism.monotonic:
        directions = [d for d in ([x for x in deltas if x >= 0], [x for x in deltas if x <= 0]) if d]
    return [
        Menu(
            tuple(Kind(a, d, False) for a in grid for d in changes),
            tuple(Kind(a, d, what) for a in grid for d in changes for what in answered),
            step,
        )
        for changes in directions
    ]


def _facing(delta: float, far: Sequence[float], menu: Menu) -> Menu:
    """The menu with pairs on either side of 0, equally far out up to the two sensitivities that may part them.

    Inside an absolute value there is a way over the other bar; far out it may be the only one that the neighbour has.
    """
    changes = sorted({kind.change for kind in menu.negatives})
    pairs = tuple(
        (Kind(side * distance, here, False), Kind(-side * (distance + k * delta), there, True))
        for distance, side, k in itertools.product(far, (-1, 1), (0, 1, 2))
        for here, there in itertools.product(changes, repeat=2)
    )
    return replace(menu, facing=pairs)


def _in_one_epoch(mechanism: Mechanism, epoch: _Stretch, n: int, menu: Menu, exhaustive: bool) -> Found:
    """Largest loss on n queries if the threshold noise is drawn once."""
    most = mechanism.most_crossings
    last = int(min(most, n))
    counts = set(range(last + 1))
    if not exhaustive and last > 8:
        counts &= {0, 1, 2, 3, n // 4, n // 3, n // 2, 2 * n // 3, n - 1, n, last}
    jobs: list[Job] = []
    for positives in sorted(counts):
        aborts = positives > mechanism.most_positives
        ends = positives == most
        rest = n - positives
        shorter = range(rest if exhaustive else min(rest, 3)) if ends else ()  # the cut-off may end the run early
        # The last positive is answered ABORT, so it shows no number; only unobserved ones are tried then.
        jobs += [Job(negatives, positives, menu.unobserved if aborts else menu) for negatives in (*shorter, rest)]
    best = NOTHING
    for job, found in zip(jobs, epoch.searched(jobs, exhaustive), strict=True):
        if job.positives > mechanism.most_positives:
            found = _aborted(found)
        best = _larger(best, found)
    return best


def _aborted(found: Found) -> Found:
    """The same with ABORT as the last answer."""
    return Found(found.loss, (*found.kinds[:-1], *(kind._replace(answered=ABORT) for kind in found.kinds[-1:])))


def _slack(loss: float) -> float:
    """How much another loss may differ from this one and be equal."""
    return _ROUNDING * max(1.0, abs(loss)) if math.isfinite(loss) else 0.0


def _larger(one: Found, other: Found) -> Found:
    """The one with the larger loss, the first of equals."""
    return other if other.loss > one.loss + _slack(one.loss) else one


def _in_many_epochs(
    mechanism: Mechanism, epochs: tuple[_Stretch, _Stretch], n: int, menu: Menu, exhaustive: bool
) -> Found:
    """Largest loss on n queries if the threshold noise is drawn anew after each positive: losses of epochs add."""
    first, later = epochs
    one = [Job(k, 1, menu) for k in range(n)]
    with_one = begun = later.searched(one, exhaustive)
    if mechanism.redraw_noise != mechanism.threshold_noise:
        begun = first.searched(one, exhaustive)
    tail = [NOTHING, *later.searched([Job(k, 0, menu) for k in range(1, n)], exhaustive)]
    cut = []
    if mechanism.ends.extra:
        last = later.searched([Job(k, 1, menu.unobserved) for k in range(n)], exhaustive)
        cut = [_aborted(found) for found in last]
    # best[k]: largest loss of exactly k queries that end with a positive, after the epochs so far
    best: dict[int, Found] = {0: NOTHING}
    answer = first.searched([Job(n, 0, menu)], exhaustive)[0]
    for number in range(1, int(min(mechanism.most_positives, n)) + 1):
        following: dict[int, Found] = {}
        for done, found in best.items():
            for size in range(1, n - done + 1):
                total = _joined(found, (begun if number == 1 else with_one)[size - 1])
                if total.loss > -math.inf:
                    following[done + size] = _larger(following.get(done + size, IMPOSSIBLE), total)
        if not following:
            break
        best = following
        for done, found in best.items():
            ends = done == n or mechanism.ends.ended(number, mechanism.c)
            aborted = cut[: n - done] if number == mechanism.most_positives else []
            for more in (NOTHING if ends else tail[n - done], *aborted):
                answer = _larger(answer, _joined(found, more))
    return answer


def _joined(one: Found, other: Found) -> Found:
    """One after the other: the losses of epochs add."""
    return Found(one.loss + other.loss, one.kinds + other.kinds)


def _default_grid(mechanism: Mechanism, threshold: float, few: bool) -> list[float]:
    delta, scale = mechanism.sensitivity, _scale(mechanism)
    far = _FAR * scale
    grid = {-far, -delta, 0.0, delta, far}
    if not few:
        grid |= {-far / 10, -scale, scale, far / 10}
    if mechanism.sides.absolute:
        grid |= {-abs(threshold), abs(threshold)}
    if mechanism.whole_answers:
        shift = 0.0 if mechanism.sides.absolute else threshold
        grid = {math.floor(a + shift) - shift for a in grid}
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
    a_mechanism(mechanism)
    n, threshold = (
        validate.count("n", n, most=1_000 if mechanism.refresh else 100_000),
        validate.finite("threshold", threshold),
    )
    delta = mechanism.sensitivity
    apart = _MOST_WHOLE if mechanism.integers else _MOST_APART
    for noise in mechanism.noises:
        if noise.width and not 1 / apart <= noise.width / delta <= apart:
            raise ValueError(
                f"noise must be within a factor of {apart:g} of the sensitivity {delta:g} to be searched with "
                f"floats, got {noise!r}; svt.decide and svt.certify compute exactly"
            )
    changes = [-delta, 0.0, delta] if deltas is None else validate.finite_array("deltas", deltas).tolist()
    if not changes or max(map(abs, changes)) > delta:
        raise ValueError(f"deltas must be between -{delta:g} and {delta:g}, the sensitivity, got {deltas!r}")
    given = None if answers_grid is None else validate.finite_array("answers_grid", answers_grid).tolist()
    if given is not None and not given:
        raise ValueError("answers_grid must have at least one answer, got none")
    if np.spacing(abs(threshold) + abs(mechanism.correction)) > _ROUNDING * delta:
        raise ValueError(f"threshold must be so near to 0 that floats tell answers by it apart, got {threshold!r}")
    public, threshold = threshold, threshold + mechanism.correction
    whole = all(noise.discrete for noise in mechanism.noises)
    if whole and mechanism.whole_answers and not mechanism.shows.moves_with_threshold:  # as good as the next one
        threshold = float(math.ceil(Fraction(public) + Fraction(mechanism.correction)))
    shift = 0.0 if mechanism.sides.absolute else threshold
    if mechanism.whole_answers:
        for value in (*(a + shift for a in given or ()), *changes):
            validate.whole("an answer of answers_grid or a change of deltas", value)
    scale, few = _scale(mechanism), given or _default_grid(mechanism, threshold, few=True)
    far = max(abs(a) for a in few) + scale
    numbers = (0.0, scale, far) if mechanism.shows.moves_with_threshold else (-far, 0.0, far)
    step = 0.0 if given else scale
    every = _menus(mechanism, few, changes, numbers, step)
    exhaustive = sum(integrals(menu, n) for menu in every) <= _MOST_INTEGRALS / (_DEAR if dear(mechanism) else 1)
    # An answer that stays is of use only where the others must all move one way.
    ends = changes if mechanism.monotonic else [x for x in changes if x] or changes
    alike = _menus(mechanism, given or _default_grid(mechanism, threshold, dear(mechanism)), ends, numbers, step)
    facing = mechanism.sides.absolute and not given
    if facing:
        alike = [_facing(delta, (_FAR * scale / 10, _FAR * scale), menu) for menu in alike]
    first = _Stretch(mechanism, threshold, mechanism.threshold_noise)
    later = _Stretch(mechanism, threshold, mechanism.redraw_noise)
    best = NOTHING
    for menu, all_pairs in [(menu, True) for menu in every if exhaustive] + [(menu, False) for menu in alike]:
        if mechanism.refresh:
            largest = _in_many_epochs(mechanism, (first, later), n, menu, all_pairs)
        else:
            largest = _in_one_epoch(mechanism, first, n, menu, all_pairs)
        if largest.loss > best.loss + 1e-9 * min(1.0, delta / scale) or not best.kinds:
            best = largest
    grid = "answers" if mechanism.sides.absolute else "answers minus threshold"
    where = f"{grid} in {np.round(given or few, 4).tolist()}, changes in {changes}"
    if mechanism.shows.numbered:
        where += f", released numbers unobserved or in {np.round(numbers, 4).tolist()}"
    blocks = "negatives alike and positives alike" + (", on either side of 0 too" if facing else "")
    blocks += f", {where}" if given else ", improved off a grid"
    search = f"every pair and outcome with {where}" + ("" if given else f"; and {blocks}") if exhaustive else blocks
    found = _counterexample(mechanism, best, n, shift, search, exhaustive)
    if found.loss == 0:  # any outcome that can be shows it
        said = run(mechanism, found.answers, public, rng=0).outcome
        return replace(found, neighbour=found.answers, outcome=said)
    moves = Fraction(public) + Fraction(mechanism.correction) != threshold or _rounded(found, best, shift)
    moves &= mechanism.integers  # where noise is whole, a tie counts
    if found.loss > 1e299 or moves or (mechanism.sides.absolute and not all(mechanism.query_noise.ways)):
        loss = privacy_loss(mechanism, found.answers, found.neighbour, found.outcome, public)
        found = replace(found, loss=loss, exhaustive=exhaustive and not moves)
    return found


def _rounded(found: Counterexample, best: Found, shift: float) -> bool:
    """Whether floats do not hold these answers and changes as they were searched for."""
    pairs = zip(found.answers, found.neighbour, best.kinds, strict=False)
    return any(Fraction(a) - Fraction(shift) != k.answer or Fraction(p) - Fraction(a) != k.change for a, p, k in pairs)


def _counterexample(
    mechanism: Mechanism, best: Found, n: int, shift: float, search: str, exhaustive: bool
) -> Counterexample:
    kinds = best.kinds or (Kind(0.0, 0.0, False),) * n
    kept = round if mechanism.whole_answers else float  # what lies between was taken off, and is added in floats
    unasked = (float(kept(shift)),) * (n - len(kinds))  # the cut-off ended the run before them
    more = 0.0 if mechanism.shows.moves_with_threshold else shift
    answers = tuple(float(kept(k.answer + shift)) for k in kinds)
    changes = [k.change for k in kinds]
    neighbour = tuple(map(moved, answers, changes))
    if mechanism.sides.absolute and not all(mechanism.query_noise.ways):
        answers, neighbour = tied(answers, changes)
    outcome = tuple(k.answered + more if isinstance(k.answered, float) else k.answered for k in kinds)
    return Counterexample(answers + unasked, neighbour + unasked, outcome, float(best.loss), search, exhaustive)
