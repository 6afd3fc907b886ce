"""The published experiments: the grid, the seeds, and the numbers that the papers print."""

import math

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


@pytest.mark.full
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


@pytest.mark.parametrize("name", TABLES)
def test_every_table_loads(name):
    """Rows without holes."""
    assert not load_table(name).isna().to_numpy().any()
