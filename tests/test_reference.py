"""The tables in data/computed are what their script computes: some rows are computed again, with their seeds."""

from __future__ import annotations

import compute_reference
import numpy as np
import pytest
from parts import one_in

from svtcourse.chapter.tables import load_table


def differing(recorded, again):
    """Columns in which two rows differ by more than the rounding of the file and a last digit of the computation."""
    return [
        name
        for name, value in again.items()
        if (
            str(value) != str(recorded[name])
            if isinstance(value, str)
            else abs(float(value) - float(recorded[name])) > 1.1e-6 * max(1.0, abs(float(value)))
        )
    ]


# The rows that `make test` computes again, and those that `make check` adds.
SAMPLE = {
    "clipping_100000": ((1, 22), (7, 35, 46)),
    "curves_1000": ((13,), (240 + 71,)),  # Figure 4 has the first 240 rows, Figure 5 the others
    "equal_ratios_1000": ((65,), ()),
    "liu_1000": ((3,), (196, 420)),
    "public_thresholds": ((9,), ()),
    "raises_4000": ((), (30, 41)),
    "readings_1000": ((4,), (100,)),
    "retraversal_10000": ((), (44, 79)),
    "rivals_4000": ((13,), ()),
    "suspects_1000": ((4,), (45,)),
    "table3_10000": ((46,), (125, 160, 204, 207)),
    "table3_pvalues": ((), (71, 132)),
}
ROWS = one_in(2, [(table, row) for table, (quick, _) in SAMPLE.items() for row in quick])
ROWS += [pytest.param(table, row, marks=pytest.mark.full) for table, (_, more) in SAMPLE.items() for row in more]


def test_every_table_has_a_row_that_is_computed_again():
    """That of the checks in tests/test_damaged.py."""
    assert {*SAMPLE, "checks_100000"} == {*compute_reference.TABLES}


@pytest.mark.parametrize(("table", "row"), ROWS)
def test_a_row_can_be_computed_again(table, row):
    """With the seed of its place it comes out alone as it does in the whole table; a number off by 1 % is noticed."""
    recorded = load_table(table.replace("_", "-")).iloc[row]
    again = compute_reference.again(table, row)
    assert set(again) >= set(recorded.index)
    again = {name: again[name] for name in recorded.index}
    assert differing(recorded, again) == []
    measured = next(name for name in again if name.startswith(("ser", "again", "ncr", "p_", "error")))
    assert differing({**recorded, measured: recorded[measured] * 1.01 + 1e-5}, again) == [measured]


def test_a_p_value_is_the_share_of_resamples_at_least_as_extreme():
    """Means of 100 tosses of a fair coin: 0.5 has 1, 0.6 about 2 Pr[Bin(100, 0.5) >= 60] = 0.057, 1 next to nothing."""
    law, rng = np.array([0.0, 1.0]), np.random.default_rng(7)
    p = [compute_reference.tails(law, mean, np.mean, rng) for mean in (0.5, 0.6, 1.0)]
    assert p[0] == 1.0
    assert p[1] == pytest.approx(0.0569, abs=0.004)  # eight standard errors of 200,000 resamples
    assert p[2] == pytest.approx(2 / 200_001)


def test_a_name_without_a_table_is_refused(capsys):
    """The command names those that it knows."""
    assert compute_reference.main(["table4"]) == 1
    assert "No table table4: name some of checks_100000" in capsys.readouterr().out
