"""What tests share: a part of a long table of cases, a variant at epsilon 1, and how close two probabilities are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pytest

import svtlib as svt


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
