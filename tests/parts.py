"""What `make test` runs of a long table of cases; `make check` runs all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(step: int, cases: Iterable[Any]) -> list[Any]:
    """Leave every `step`-th case, beginning with the first, to `make test` and mark the others `full`."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.full] if number % step else [])
        for number, case in enumerate(cases)
    ]
