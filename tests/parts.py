"""What tests share: where the project is, parts of long tables, a variant at epsilon 1, what is close, laws, bounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

import svtlib as svt

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"


def one_in(step: int, cases: Iterable[Any]) -> list[Any]:
    """Leave every `step`-th case, beginning with the first, to `make test`; `make check` runs the others too."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.full] if number % step else [])
        for number, case in enumerate(cases)
    ]


def calibrated(key: str, c: int = 1, **more: Any) -> svt.Mechanism:
    """The variant at epsilon 1, with c where it has one."""
    v = svt.variant(key)
    return v.calibrate(**({"epsilon": 1.0, "c": c if v.free_c else 1} | more))


def close(a: float, b: float, slack: float = 2e-9) -> bool:
    """Equal up to the error bound of two log probabilities."""
    return math.isclose(a, b, rel_tol=slack, abs_tol=slack)


def p_value(seen: Counter[Any], law: Mapping[Any, float]) -> float:
    """Of the chi-square test that the outcomes in `seen` follow `law`; outcomes expected less than 5 times are one."""
    total = sum(seen.values())
    assert total >= 2000 and set(seen) <= set(law)
    often = [key for key, p in law.items() if p * total >= 5]
    observed = [seen[key] for key in often]
    expected = [law[key] * total for key in often]
    return float(chisquare([*observed, total - sum(observed) + 1e-9], [*expected, total - sum(expected) + 1e-9]).pvalue)


def enclosed(mechanism, answers, outcome, threshold, digits):
    """Two floats that enclose the log probability of an outcome, or the density; both -inf where it is impossible."""
    try:
        found = svt.certify(mechanism, answers, answers, outcome, threshold, digits=digits)
    except ValueError as refused:
        if "outcome must be possible on answers" not in str(refused):
            raise
        return -math.inf, -math.inf
    return tuple(map(float, found.log_probability))
