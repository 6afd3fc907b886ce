"""The SVT that a text is, and the neighbours and output that convict it, with their probabilities.

Plain Python that MicroPython runs too, as `symbols`.
"""

from __future__ import annotations

import math

from svtcourse.judge.any_length.longer import along, recognised
from svtcourse.judge.convict.chance import MARGIN, Beyond, log_chance, projected, violated
from svtcourse.judge.convict.shown import alone, shows
from svtcourse.judge.language.outputs import said
from svtcourse.judge.unknowns.ratio import Ratio, beside
from svtcourse.judge.unknowns.svts import strays
from svtcourse.judge.unknowns.tree import Leaf, Unrecognised, forms_in, grow, shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from svtcourse.judge.language.program import Program
    from svtcourse.judge.unknowns.svts import SVT
    from svtcourse.judge.unknowns.symbols import Path
    from svtcourse.judge.unknowns.tree import Node

__all__ = ["Case", "in_full", "leaves_of", "signs_of"]

_MOST_PATHS = 300  # integrated for one verdict
_MOST_TRIED = 100_000  # conditions that are looked at for one output


class Case:
    """One program on unknowns."""

    def __init__(self, program: Program, monotonic: bool) -> None:
        self.program, self.monotonic, self.n = program, monotonic, program.c + 4
        self.paths = program.grown(self.n)
        said(self.paths[0].output, self.n)
        self.tree = grow(self.paths)
        self.svt: SVT | None = None
        self.side, self.why_not = 1, ""
        try:
            self.side, self.svt = recognised(program, self.tree, self.n)
        except Unrecognised as reason:
            self.why_not = str(reason)

    def with_positives(self, n: int, places: Any) -> Path:
        """The run in which these queries are positive and no others."""
        return along(self.program, self.side, n, places)

    def gives(self, path: Path, pattern: Any) -> bool:
        """Whether the run says just this, on the conditions of the SVT that was recognised."""
        assert self.svt is not None
        answers = [answer is not False for answer in said(path.output, len(pattern))]
        short = answers[: len(pattern)] == list(pattern) and not any(answers[len(pattern) :])
        return short and not strays(path, self.svt, self.side)

    def pairs(self) -> Iterator[Any]:
        """Where the theorem says that an SVT loses most: negatives far above, positives far below the threshold."""
        svt, delta = self.svt, self.program.sensitivity
        assert svt is not None
        leaves = leaves_of(self.tree)
        outputs = {}
        for leaf in leaves:
            outputs[shape(leaf.output)] = True
        if len(outputs) < len(leaves):
            return  # it says less than it finds out
        unit = max([delta, svt.threshold[1], svt.query[1]])
        for positives, negatives in (
            (svt.c, 1),
            (svt.c, 4),
            (svt.c, 16),
            (svt.c + 4, 8),
            (svt.c, 60),
            (svt.c + 12, 60),
        ):
            if positives > svt.c and svt.stops:
                continue
            if svt.refresh:  # each epoch has its negatives
                each = max(1, negatives // positives)
                pattern = ([False] * each + [True]) * positives
            else:
                pattern = [False] * negatives + [True] * positives
            n = len(pattern)
            path = self.with_positives(n, [i for i, hit in enumerate(pattern) if hit])
            if not self.gives(path, pattern):
                continue
            some = [] if n > self.n else self.paths if n == self.n else self.program.grown(n)
            members = [path] + [
                one for one in some if shape(one.output) == shape(path.output) and one.literals != path.literals
            ]
            one_way = [(1, 0), (0, 1), (1, -1), (-1, 1)]
            ways = one_way if self.monotonic else [(1, -1)] if svt.absolute else [(1, 1)]
            level, turn = (8 * unit, 1) if svt.absolute else (0.0, self.side)
            for height in (0.0, delta, 2 * unit, 8 * unit):
                depths = (height / 2, height + 2 * delta) if svt.absolute else (0.0, height)
                for depth in depths[: 2 if height else 1]:
                    for low, high in ways:
                        positive = -level - depth
                        here = [turn * (positive if hit else level + height) for hit in pattern]
                        moves = [turn * delta * (-high if hit else low) for hit in pattern]
                        there = [beside(x, move) for x, move in zip(here, moves)]
                        for shown, moved in self._shown(pattern, here, there, height, depth):
                            yield members, here, moved, shown, level

    def _shown(self, pattern: Any, here: Any, there: Any, height: float, depth: float) -> Iterator[Any]:
        """The numbers that the positives show, and the neighbour that this is hard on."""
        svt, delta = self.svt, self.program.sensitivity
        assert svt is not None
        if svt.release == "indicator":
            yield (), there
            return
        hits = [i for i, hit in enumerate(pattern) if hit]
        unit = 40 * max([delta, svt.threshold[1], svt.query[1], svt.number[1]])
        if svt.release == "gap":
            for gap in (0.0, unit):
                yield [gap * self.side] * len(hits), there
        elif svt.release == "fresh":
            for away in (0.0, unit) if svt.number[1] else (0.0,):
                yield [here[i] + away for i in hits], there
        else:
            still = [here[i] if pattern[i] else x for i, x in enumerate(there)]
            for y in (0.0, height / 2, height, -depth):
                yield [y] * len(hits), still

    def leaks(self) -> Iterator[Any]:
        """Pairs for a tree that is no SVT's: impossible next door, or each answer on its wrong side."""
        for n in (1, 2, 3) if self.program.c < 4 else (1, 2):
            paths = self.paths if n == self.n else self.program.grown(n)
            by_output: dict[Any, list[Path]] = {}
            for path in paths:
                by_output.setdefault(shape(path.output), []).append(path)
            for members in by_output.values():
                if len(members) <= 12 and not any(forms_in(members[0].output)):
                    for here, there in _impossible(members, n, self.program.sensitivity, self.monotonic):
                        yield members, here, there, (), 0.0
            if n > 1:
                yield from self._against(by_output, n)
        by_output = {}
        for path in self.paths:
            by_output.setdefault(shape(path.output), []).append(path)
        if len(by_output) <= 80:
            yield from self._against(by_output, self.n)

    def _against(self, by_output: Any, n: int) -> Iterator[Any]:
        delta = self.program.sensitivity
        scales = [float(scale) for path in self.paths[:1] for _, scale in path.laws]
        unit = max([delta] + scales)
        ways = ((1, 0), (0, 1)) if self.monotonic else ((1, 1),)
        for members in by_output.values():
            if len(members) > 24 or any(forms_in(members[0].output)):
                continue
            wanted: dict[int, bool] = {}
            for (terms, _), _, above in members[0].literals:
                own = [(v, f) for v, f in terms if v[0] == "a"]
                if len(own) == 1 and any(v[0] == "z" for v, _ in terms):
                    wanted.setdefault(own[0][0][1], above is (own[0][1] > 0))
            for height in (0.0, delta, 4 * unit):
                for up, down in ways:
                    here, there = [0.0] * n, [0.0] * n
                    for i, high in wanted.items():
                        here[i] = -height if high else height
                        there[i] = beside(here[i], -up * delta if high else down * delta)
                    yield members, here, there, (), 0.0

    def _all(self) -> Iterator[Any]:
        if self.svt is not None:
            yield from self.pairs()
        yield from self.leaks()

    def convicted(self) -> dict[str, Any] | None:
        """The first pair whose loss exceeds epsilon with room; a form of its own is left to the whole judge."""
        if self.program.posed or self.program.coarse:
            return None
        count = 0
        for members, here, there, shown, level in self._all():
            count += len(members)
            self.program.beat()
            if count > _MOST_PATHS:
                break
            if not self.program.unclipped(here, there):
                continue
            try:
                p, q = log_chance(members, here, shown, level), log_chance(members, there, shown, level)
            except Beyond:
                continue
            if q > p:
                here, there, p, q = there, here, q, p
            if not p > q + self.program.epsilon + MARGIN:
                continue
            n = len(here)
            if n > self.n and not shows(self.program, self.side, members[0], n):
                continue
            if n <= self.n and not alone(self.program.grown(n), members[0], n):
                continue
            return {
                "answers": here, "neighbour": there, "threshold": level,
                "output": signs_of(members[0].output, len(here), shown, self.program),
                "p": math.exp(p), "q": math.exp(q), "density": bool(shown), "loss": p - q if q > -math.inf else None,
            }  # fmt: skip
        return None


def leaves_of(tree: Node | Leaf) -> list[Leaf]:
    """Where its runs end."""
    if isinstance(tree, Leaf):
        return [tree]
    return [leaf for part in tree.next.values() for leaf in leaves_of(part)]


def _impossible(members: Any, n: int, sensitivity: float, monotonic: bool) -> Iterator[Any]:
    """Neighbours of which the first gives an output with room to spare, and the second cannot."""
    conditions = [projected(path) for path in members]
    if any(rows is None for rows in conditions) or not all(conditions):
        return
    delta = Ratio.of(sensitivity)
    half = delta / 2
    levels = {Ratio(0), half, -half, delta, -delta, delta * 8, delta * -8}
    for rows in conditions:
        for row, constant, _ in rows or []:
            for f in row.values() if len(row) == 1 else []:
                levels |= {-constant / f + d for d in (Ratio(0), half, -half, delta, -delta)}
    nearest = sorted(levels, key=lambda x: (float(abs(x)), float(x)))[: 24 if n == 1 else 10 if n == 2 else 6]
    shifts = [d for d in _ways([-1, 0, 1], n) if any(d) and (not monotonic or len({x for x in d if x}) == 1)]
    if len(nearest) ** n * len(shifts) * sum([len(rows or []) for rows in conditions]) > _MOST_TRIED:
        return
    for answers in _ways(nearest, n):
        if all(violated(rows, answers, half / 2) for rows in conditions):
            continue
        for shift in shifts:
            moved = [x + delta * d for x, d in zip(answers, shift)]
            if all(violated(rows, moved) for rows in conditions):
                here = [float(x) for x in answers]
                there = [beside(x, d * sensitivity) for x, d in zip(here, shift)]
                exact = [[Ratio.of(x) for x in side] for side in (here, there)]
                never, cannot = [all(violated(rows, side) for rows in conditions) for side in exact]
                if cannot and not never:
                    yield here, there
                    return


def _ways(values: Any, n: int) -> list[Any]:
    found: list[Any] = [()]
    for _ in range(n):
        found = [way + (value,) for way in found for value in values]
    return found


def signs_of(output: Any, n: int, shown: Any, program: Program) -> str:
    """An output in ⊥, ⊤ and numbers, and what stands for None; or the positions that it is a list of."""
    if program.positions(output) is not None:
        return str(program.positions(output))
    text, k = "", 0
    for answer, raw in zip(said(output, n), output if isinstance(output, tuple) else said(output, n)):
        if raw is None:
            text += program.none
        elif answer is True or answer is False:
            text += "⊤" if answer else "⊥"
        elif isinstance(answer, tuple):
            text += f" {in_full(shown[k])} " if k < len(shown) else " number "
            k += 1
        else:
            text += f" {in_full(answer)} "
    return text


def in_full(x: float) -> str:
    """A number with all its digits."""
    return f"{x:.7g}" if float(f"{x:.7g}") == x else repr(float(x))
