"""The published experiments: the grid, the seeds, and the numbers that the papers print."""

import math

import numpy as np
import pytest
from joblib import parallel_config
from pandas.testing import assert_frame_equal

import svtlib as svt
from svtcourse.chapter import experiments
from svtcourse.chapter.tables import TABLES, load_table

SMALL = (["Kosarak", "AOL"], [0.1], [50], ["SVT-DPBook", "SVT-ReTr-1:c^(2/3) 2D", "EM"])


def test_the_methods_are_those_of_table_3():
    """Every cell of the printed table has a method, and the grid is the printed one."""
    published = load_table("table3-published")
    datasets, epsilons, cs, methods = experiments.GRIDS["table 3"]
    assert set(published.method) == set(methods)
    assert set(published.dataset) == set(datasets)
    assert set(published.epsilon) == set(epsilons)
    assert set(published.c) == set(cs)


def test_a_standard_deviation_is_the_root_of_two_scales():
    """The increments of 2016 (one scale) and 2017 (standard deviations) differ by sqrt(2)."""
    scores = svt.load_scores("kosarak")
    one = experiments.METHODS["SVT-ReTr-1:c^(2/3)"].threshold(scores, 0.1, 50) - scores.threshold(50)
    two = experiments.METHODS["SVT-ReTr-1:c^(2/3) 1D"].threshold(scores, 0.1, 50) - scores.threshold(50)
    assert two / one == pytest.approx(math.sqrt(2))


def test_processes_do_not_change_a_table():
    """One process, two processes: the same rows, because every cell has a seed of its own."""
    alone = experiments.sweep(*SMALL, trials=20, seed=3, n_jobs=1)
    assert_frame_equal(alone, experiments.sweep(*SMALL, trials=20, seed=3, n_jobs=2))
    assert not alone.equals(experiments.sweep(*SMALL, trials=20, seed=4, n_jobs=1))
    last = alone.iloc[-1]
    again = experiments.cell(*last[["dataset", "epsilon", "c", "method"]], trials=20, seed=[3, len(alone) - 1])
    assert again == last.to_dict()


@pytest.mark.full
def test_a_dask_cluster_computes_the_same_table():
    """The sweep runs on a cluster inside `joblib.parallel_config`, here a local one of two threads."""
    distributed = pytest.importorskip("distributed")
    alone = experiments.sweep(*SMALL, trials=20, seed=3, n_jobs=1)
    settings = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    cluster = distributed.LocalCluster(**settings)
    with cluster, distributed.Client(cluster), parallel_config(backend="dask"):
        there = experiments.sweep(*SMALL, trials=20, seed=3)
    assert_frame_equal(alone, there)


@pytest.mark.full
def test_the_whole_table_3_agrees_with_the_printed_one():
    """All 240 cells, 100 runs on either side: no difference of means beyond 4.5 standard errors.

    The larger of the two standard deviations counts: a rare large error may be missing from 100 runs.
    """
    ours = experiments.sweep(*experiments.GRIDS["table 3"], trials=100, seed=2016)
    both = ours.merge(
        load_table("table3-published"), on=["dataset", "epsilon", "c", "method"], suffixes=("", "_theirs")
    )
    assert len(both) == 240
    spread = both[["ser_std", "ser_std_theirs"]].max(axis=1)
    z = (both.ser_mean - both.ser_mean_theirs) / np.sqrt(2 * spread**2 / 100 + 0.001**2 / 12)
    assert z.abs().max() < 4.5
    shifted = (both.ser_mean + 0.05 - both.ser_mean_theirs) / np.sqrt(2 * spread**2 / 100 + 0.001**2 / 12)
    assert shifted.abs().max() > 4.5


def test_the_long_table_meets_the_expectations():
    """SVT-S cells of the 10,000 runs against the exact expectation: |z| < 5."""
    long = load_table("table3-10000")
    exact = experiments.expected(["Kosarak"], [0.1], [50, 300], ["SVT-S-1:3", "SVT-S-1:c^(2/3)"], n_jobs=1)
    both = exact.merge(long, on=["dataset", "epsilon", "c", "method"])
    assert len(both) == 4
    assert ((both.ser - both.ser_mean).abs() < 5 * both.ser_std / 100).all()
    assert ((both.fnr - both.fnr_mean).abs() < 5 * both.fnr_std / 100).all()


@pytest.mark.parametrize("name", TABLES)
def test_every_table_loads(name):
    """Rows without holes."""
    assert not load_table(name).isna().to_numpy().any()
