"""Neighbours that are told apart often, looked for by drawing the noise of a program's paths.

The paths of a program are linear in its answers and its draws.  So the noise is drawn once, by the thousand, and every
pair of a grid is tried on it; what stands out is told apart exactly, or by fresh draws, elsewhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from svtcourse.judge.convict.leaks import by_shape
from svtcourse.judge.unknowns.ratio import beside
from svtcourse.judge.unknowns.symbols import drawn_in
from svtlib.proofs.audit import clopper_pearson

if TYPE_CHECKING:
    from svtcourse.judge.unknowns.symbols import Key, Law, Path

__all__ = ["MOST_PAIRS", "Scout"]

MOST_PAIRS = 8  # that are told apart
_DRAWS, _FRESH, _TRIED, _MOST_PATHS = 4_000, 1_000_000, 600, 100
_FAMILIES = {
    "laplace": lambda u, scale: np.where(u < 0.5, np.log(2 * u), -np.log(2 - 2 * u)) * scale,
    "exponential": lambda u, scale: -np.log1p(-u) * scale,
    "gumbel": lambda u, scale: -np.log(-np.log(u)) * scale,
    "uniform": lambda u, scale: u * scale,
}


class Scout:
    """The paths of a program on n queries, with noise to try answers on.

    Parameters
    ----------
    paths : list of Path
        All runs on n queries.
    n : int
    rng : numpy.random.Generator
    """

    def __init__(self, paths: list[Path], n: int, rng: np.random.Generator) -> None:
        self.paths, self.n, self.rng = paths, n, rng
        families = {family for path in paths for family, _ in path.laws}
        self.shapes = by_shape(paths)
        self.able = len(paths) <= _MOST_PATHS and families <= set(_FAMILIES)
        self.asked: dict[Any, int] = {}  # each comparison once, with the laws of its draws
        self.ways = {
            path: [(self._number(path, key, strict), above) for key, strict, above in path.literals]
            for path in (paths if self.able else [])
        }
        self.draws = self._uniform(_DRAWS) if self.able else None

    def _uniform(self, runs: int) -> Any:
        return self.rng.random((max(len(path.laws) for path in self.paths), runs))

    def _number(self, path: Path, key: Key, strict: bool) -> int:
        laws = tuple((draw[1], path.laws[draw[1]]) for draw in drawn_in(key))
        return self.asked.setdefault((key, strict, laws), len(self.asked))

    def counts(self, answers: Sequence[float], draws: Any) -> dict[Any, int]:
        """How often each output comes."""
        made: dict[tuple[int, Law], Any] = {}
        above = []
        for key, strict, laws in self.asked:
            value = _value(key, answers, dict(laws), draws, made)
            above.append(value > 0 if strict else value >= 0)

        def often(path: Path) -> int:
            holds = np.ones(draws.shape[1], dtype=bool)
            for number, up in self.ways[path]:
                holds &= above[number] if up else ~above[number]
            return int(holds.sum())

        return {shape: sum(map(often, members)) for shape, members in self.shapes.items()}

    def pairs(
        self, epsilon: float, sensitivity: float, monotonic: bool
    ) -> Iterator[tuple[tuple[float, ...], tuple[float, ...], Any]]:
        """Answers, neighbours and an output, those first that stand out most."""
        if not self.able:
            return
        laws = [float(scale) for path in self.paths for _, scale in path.laws]
        unit = max([sensitivity, *laws])
        levels = sorted(
            {0.0, *(s * x for s in (1, -1) for x in (sensitivity, unit, 3 * unit, 8 * unit))} | self._edges()
        )
        shifts = [d for d in itertools.product((-1, 0, 1), repeat=self.n) if any(d)]
        if monotonic:
            shifts = [d for d in shifts if len({x for x in d if x}) == 1]
        places = list(itertools.product(levels, repeat=self.n))
        tried = [(a, d) for a in places for d in shifts]
        if len(tried) > _TRIED:
            tried = [tried[i] for i in sorted(self.rng.choice(len(tried), _TRIED, replace=False))]
        known: dict[tuple[float, ...], dict[Any, int]] = {}
        scored = []
        for answers, shift in tried:
            moved = tuple(beside(a, sensitivity * d) for a, d in zip(answers, shift, strict=True))
            for data in (answers, moved):
                if data not in known:
                    known[data] = self.counts(data, self.draws)
            for output, k in known[answers].items():
                other = known[moved].get(output, 0)
                if k > 30 and math.log(k / (other + 1)) > 0.9 * epsilon:
                    score = math.log((k - 2 * math.sqrt(k)) / (other + 2 * math.sqrt(other) + 1))
                    scored.append((score, answers, moved, output))
        scored.sort(key=lambda one: -one[0])
        for _, answers, moved, output in scored[:MOST_PAIRS]:
            yield answers, moved, output

    def _edges(self) -> set[float]:
        """Where a comparison of an answer with a number turns."""
        found = set()
        for path in self.paths:
            for (terms, constant), _, _ in path.literals:
                if len(terms) == 1 and terms[0][0][0] == "a":
                    found.add(float(-constant / terms[0][1]))
        return set(sorted(found, key=abs)[:4])

    def bounded(
        self, answers: Sequence[float], moved: Sequence[float], output: Any, confidence: float
    ) -> tuple[float, float]:
        """A lower bound of the output's probability and an upper one on the neighbour, from fresh draws."""
        here, there = (
            sum(self.counts(data, self._uniform(50_000))[output] for _ in range(_FRESH // 50_000))
            for data in (answers, moved)
        )
        lower, upper = clopper_pearson(here, there, _FRESH, (1 - confidence) / 2)
        return float(lower), float(upper)


def _value(
    key: Key, answers: Sequence[float], laws: dict[int, Law], draws: Any, made: dict[tuple[int, Law], Any]
) -> Any:
    total = np.full(draws.shape[1], float(key[1]))
    for v, f in key[0]:
        if v[0] == "a":
            total += float(f) * answers[v[1]]
        elif v[0] == "|":
            total += float(f) * abs(_value(v[1], answers, laws, draws, made))
        elif v[0] == "z":
            at = v[1], laws[v[1]]
            if at not in made:
                made[at] = _FAMILIES[laws[v[1]][0]](draws[v[1]], float(laws[v[1]][1]))
            total += float(f) * made[at]
    return total
