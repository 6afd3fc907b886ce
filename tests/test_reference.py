"""The tables in data/computed are what their script computes: some rows are computed again, with their seeds."""

from __future__ import annotations

import compute_reference
import numpy as np
import pytest

from svtcourse.chapter import experiments
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


@pytest.mark.parametrize(
    ("table", "function", "row"),
    [
        ("liu-1000", "traversed", 3),
        pytest.param("liu-1000", "traversed", 196, marks=pytest.mark.full),
        pytest.param("liu-1000", "traversed", 420, marks=pytest.mark.full),
        ("public-thresholds", "public", 9),
        ("raises-4000", "watched", 30),
        pytest.param("raises-4000", "watched", 41, marks=pytest.mark.full),
        ("readings-1000", "reading", 4),
        pytest.param("readings-1000", "reading", 100, marks=pytest.mark.full),
        ("retraversal-10000", "raised", 44),
        pytest.param("retraversal-10000", "raised", 79, marks=pytest.mark.full),
        ("rivals-4000", "rival", 13),
        ("suspects-1000", "suspect", 4),
        pytest.param("suspects-1000", "suspect", 45, marks=pytest.mark.full),
    ],
)
def test_a_row_can_be_computed_again(table, function, row):
    """The seed of a row is made from its place, so the row comes out alone as it does in the whole table."""
    recorded = load_table(table).iloc[row]
    again = getattr(compute_reference, function)(row)
    assert set(again) == set(recorded.index)
    assert differing(recorded, again) == []
    measured = next(name for name in again if name.startswith(("ser", "again", "ncr")))
    assert differing({**recorded, measured: recorded[measured] * 1.01 + 1e-5}, again) == [measured]


@pytest.mark.parametrize(("row", "seed", "place"), [(13, [2017, 13], "figure 4"), (240 + 71, [2018, 71], "figure 5")])
def test_a_point_of_the_curves_can_be_computed_again(row, seed, place):
    """Figure 4 has the first 240 rows and Figure 5 the other 288, each a sweep of its own."""
    recorded = load_table("curves-1000").iloc[row]
    where = [recorded[name] for name in compute_reference.PLACE]
    assert differing(recorded, experiments.cell(*where, trials=compute_reference.FEWER, seed=seed)) == [], place


def test_a_pair_of_equal_ratio_can_be_computed_again():
    """Row 65 of the sweep over epsilon and c."""
    recorded = load_table("equal-ratios-1000").iloc[65]
    where = [recorded[name] for name in compute_reference.PLACE]
    assert differing(recorded, experiments.cell(*where, trials=compute_reference.FEWER, seed=[19, 65])) == []


@pytest.mark.parametrize("row", [71, pytest.param(132, marks=pytest.mark.full)])
def test_p_values_can_be_computed_again(row):
    """From the 10,000 runs of the cell and the same resamples."""
    recorded = load_table("table3-pvalues").iloc[row]
    assert differing(recorded, compute_reference.judged(row)) == []


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
