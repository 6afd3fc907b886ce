"""`pytest --nbval` compares the outputs of these notebooks as tools/outputs.py says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warm_kernels
from nbval.plugin import IPyNbCell
from outputs import differences

# The assignable notebooks have no outputs; tests/test_coursework.py runs them.
collect_ignore = ["exercises"]


def compare_outputs(
    cell: Any, fresh: list[Any], committed: list[Any], skip_compare: Sequence[str] = ()
) -> bool:
    """Whether a cell's outputs are the committed ones; differences go to nbval."""
    skipped = skip_compare or cell.parent.skip_compare
    cell.comparison_traceback = differences(committed, fresh, skipped)
    return not cell.comparison_traceback


IPyNbCell.compare_outputs = compare_outputs
warm_kernels.use()
