"""What tests share: a part of a long table of cases, and a variant at epsilon 1."""

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


def enclosed(mechanism, answers, outcome, threshold, digits):
    """Two floats that enclose the log probability of an outcome, or the density; both -inf where it is impossible."""
    try:
        found = svt.certify(mechanism, answers, answers, outcome, threshold, digits=digits)
    except ValueError as refused:
        if "outcome must be possible on answers" not in str(refused):
            raise
        return -math.inf, -math.inf
    return tuple(map(float, found.log_probability))
