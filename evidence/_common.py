"""What many claims share: a variant at ε = 1, the loss at a pair, the search among far answers, lists in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import z3

import svtlib as svt
from svtcourse.chapter.curve import transcripts
from svtcourse.lessons.shared import lost as lost

FAR = [-1e4, 0, 1e4]


def mechanism(
    key: str, c: int = 1, *, epsilon: float = 1.0, changed: Mapping[str, Any] | None = None, **how: Any
) -> Any:
    """Return a variant calibrated, at ε = 1 if nothing else is said, with what is changed of the mechanism."""
    return replace(svt.variant(key).calibrate(epsilon=epsilon, c=c, **how), **(changed or {}))


def largest(mechanism: Any, n: int) -> float:
    """Return the largest exact loss found with n answers at the threshold or far on either side of it."""
    return svt.worst_case(mechanism, n, answers_grid=FAR).loss


def each(form: str, found: Any, between: str = ", ") -> str:
    """Return every value in words: the form has places for the parts of a value, then for those of its key."""

    def parts(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, tuple | list) else (x,)

    rows = ((*parts(x), *parts(key)) for key, x in found.items()) if hasattr(found, "items") else map(parts, found)
    return between.join(form.format(*row) for row in rows)


def always(statement: Any) -> bool:
    """Whether a statement on real numbers holds for all of them, by the solver."""
    solver = z3.Solver()
    solver.add(z3.Not(statement))
    return solver.check() == z3.unsat


def stays(said: str, shift: float) -> bool:
    """Whether an answer stays ⊥, or ⊤, for all neighbours and all noise, if the threshold moves by `shift` times Δ."""
    noisy, d, threshold = z3.Reals("q+ν d T+ρ")
    here, there = (x < y if said == "⊥" else x >= y for x, y in ((noisy, threshold), (noisy + d, threshold + shift)))
    return always(z3.Implies(z3.And(d >= -1, d <= 1, here), there))


def costs(rows: Mapping[Any, tuple[Any, float, int]], short: float = float("inf")) -> tuple[bool, dict[Any, float]]:
    """Whether each mechanism costs what is stated: by its cheapest alignment, for all inputs, and by a search.

    A row has the mechanism, its cost and a number of queries; the largest exact loss found with these is returned by
    the row's name, and may not exceed the cost, nor stay below it by more than `short`.
    """
    found = {name: largest(m, n) for name, (m, _, n) in rows.items()}
    told = [(svt.prove(m).epsilon - cost, cost - found[name]) for name, (m, cost, _) in rows.items()]
    return all(abs(off) < 1e-9 and -1e-9 <= gap <= short for off, gap in told), found


def outcomes(n: int, c: int) -> list[str]:
    """Return every outcome of n queries that ends with its c-th positive, if it has so many."""
    return sorted("".join("⊥⊤"[sign] for sign in said) for said in transcripts(mechanism("alg1", c), n))
