"""The versions with other noise: exhaustive exact search on a grid, what is attained and where, audits, refreshing."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from parts import calibrated, one_in

import svtlib as svt

BETTER = svt.variants("better")
GRID = (-40.0, -1.0, 0.0, 1.0, 40.0)
FEW = 1e-9


@pytest.mark.parametrize(("key", "c", "monotonic"), one_in(3, itertools.product(BETTER, [1, 2], [False, True])))
def test_no_pair_on_the_grid_loses_more_than_epsilon(key, c, monotonic):
    """Every pair on the grid and every output of three queries; with half of the query noise some loss is larger."""
    m = calibrated(key, c, monotonic=monotonic)
    found = svt.worst_case(m, 3, answers_grid=GRID, deltas=(-1, 0, 1))
    assert found.exhaustive and found.loss <= 1 + FEW
    half = replace(m, query_noise=type(m.query_noise)(m.query_noise.scale / 2))
    assert svt.worst_case(half, 12).loss > 1.1


@pytest.mark.parametrize("c", [1, 2, 3])
@pytest.mark.parametrize("key", ["svt_exp", "exp_exp"])
def test_exponential_query_noise_spends_all_of_epsilon_on_c_plus_one_queries(key, c):
    """One negative far above and c positives far below: exactly epsilon, and less with c queries."""
    m = calibrated(key, c)
    pair = [40.0] + [-40.0] * c, [41.0] + [-41.0] * c, "⊥" + "⊤" * c
    assert svt.privacy_loss(m, *pair) == pytest.approx(1, abs=FEW)
    assert svt.worst_case(m, c).loss < 0.9


def test_the_other_two_approach_it():
    """Gumbel noise on few queries far away; geometric noise, like Laplace noise, on many."""
    for key, n in (("svt_gumbel", 2), ("geometric", 8)):
        assert 0.999 < svt.worst_case(calibrated(key, 1), n).loss <= 1 + FEW
    assert svt.worst_case(calibrated("geometric", 1), 2).loss < 0.7


@pytest.mark.parametrize("key", BETTER)
def test_resampling_pays_the_threshold_c_times(key):
    """Theorem 3 of Liu et al. 2024: c epsilon1 + epsilon2 with RESAMPLE, and no less; epsilon1 + epsilon2 without."""
    m = calibrated(key, 4)
    assert svt.prove(replace(m, refresh=True)).epsilon == pytest.approx(4 * m.epsilon1 + m.epsilon2, rel=1e-12)
    assert svt.prove(m).epsilon == pytest.approx(1, rel=1e-12)
