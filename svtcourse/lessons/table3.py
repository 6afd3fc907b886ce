"""What the functions on the experiments of Lyu, Su & Li read: the printed Table 3, our runs, the curves."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.chapter import experiments
from svtcourse.chapter.tables import load_table

PLACE = ["dataset", "epsilon", "c", "method"]
NAMES = experiments.GRIDS["table 3"][3]
SPLITS = [name for name in NAMES if name.startswith("SVT-S-")]
BEST, ONE_C = "SVT-S-1:c^(2/3)", "SVT-S-1:c"
RETR = "SVT-ReTr-1:c^(2/3)"


@cache
def scores(title):
    """The score distribution of a dataset, by its name in the paper."""
    return svt.load_scores(experiments.DATASETS[title])


def label(title):
    """A dataset's name; what is an estimate says so."""
    return f"{title} (estimate)" if title == "BMS-POS" else title


def short(name):
    """A method's name without what all have."""
    return name.removeprefix("SVT-").removeprefix("S-").replace("ReTr-", "ReTr ")


@cache
def printed():
    """Table 3 of the 2016 version."""
    return load_table("table3-published")


def z(table, mean="ser_mean", deviation="ser_std", runs=10_000):
    """Printed mean of 100 runs less ours, in standard errors; the print rounds to 0.001."""
    error = np.sqrt(table[deviation] ** 2 * (1 / 100 + 1 / runs) + 0.001**2 / 12)
    return (table.ser_mean_printed - table[mean]) / error


@cache
def cells():
    """The printed cells beside our 10,000 runs of each."""
    table = printed().merge(load_table("table3-10000"), on=PLACE, suffixes=("_printed", ""))
    return table.assign(z=z(table))


def wide(column="ser_mean", table=None):
    """One row for each dataset, epsilon and c, one column for each method."""
    table = load_table("table3-10000") if table is None else table
    return table.pivot(index=PLACE[:3], columns="method", values=column)[NAMES]


def low(column="ser_mean"):
    """The same at epsilon = 0.1."""
    return wide(column).xs(0.1, level="epsilon")


def curves(interactive=True):
    """The runs of Figure 4 (the interactive methods) or of Figure 5 (the others)."""
    table = load_table("curves-1000")
    chosen = table.method.str.startswith(("SVT-S", "SVT-DPBook"))
    return table[chosen if interactive else ~chosen]


def by_method(interactive=True, column="ser_mean"):
    """One row for each dataset and c of a figure, one column for each method."""
    return curves(interactive).pivot(index=["dataset", "c"], columns="method", values=column)


@cache
def one_or_other():
    """Means of 1:c and 1:c^(2/3) at epsilon = 0.1: exact where 10,000 runs do not decide."""
    pair = [ONE_C, BEST]
    exact = [
        experiments.expected([title], [0.1], cs, pair, n_jobs=1)
        for title, cs in (("BMS-POS", [200]), ("Kosarak", [100]), ("Zipf", [25, 50]))
    ]
    decided = pd.concat(exact).pivot(index=["dataset", "c"], columns="method", values=["ser", "fnr"])
    drawn = pd.concat({m: low(f"{m}_mean")[pair] for m in ("ser", "fnr")}, axis=1)
    for m in ("ser", "fnr"):  # what is taken from the runs is decided by them
        apart = (drawn[m][ONE_C] - drawn[m][BEST]).abs() / (1.5 * low(f"{m}_std")[ONE_C] / 100)
        assert (apart.drop(decided.index, errors="ignore") > 3).all()
    both = decided.combine_first(drawn)
    return pd.DataFrame({m: both[m, BEST] - both[m, ONE_C] for m in ("ser", "fnr")})
