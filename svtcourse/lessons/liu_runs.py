"""What is read of the experiments of Liu et al. 2024: their settings, our 1,000 runs of each cell."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import svtlib as svt
from svtcourse.chapter.tables import load_table

RUNS = 1000
SETTINGS = {  # their threshold and c
    "Binary": ("binary", 500, 50),
    "Zipf": ("zipf10k", 200, 50),
    "T40I10D100K": ("t40i10d100k", 11_850, 50),
    "BMS-POS": ("bms-pos", 13_600, 50),
    "Kosarak": ("kosarak", 10_500, 50),
    "Adult": ("adult", 200, 5),
}
BEST, MEAN, NONE = "SVT-Exp (optimal)", "SVT-Exp (mean)", "SVT-Exp (no)"
LAP, GUMBEL = "SVT-Lap", "SVT-Gumbel"


def scores(title):
    """The scores of one dataset."""
    name, _, c = SETTINGS[title]
    return svt.load_scores(name, c=c) if name == "binary" else svt.load_scores(name)


@cache
def cells(column="ncr_mean", passes=math.inf):
    """One column of the table of runs, (dataset, ε) by method."""
    table = load_table("liu-1000").set_index(["passes", "dataset", "epsilon", "method"]).sort_index()
    return table.loc[passes][column].unstack()


def ahead(method, other, passes=math.inf):
    """How far one method's NCR is ahead of another's, cell by cell, and in standard errors."""
    ncr, spread = cells(passes=passes), cells("ncr_std", passes)
    error = np.sqrt((spread[method] ** 2 + spread[other] ** 2) / RUNS)
    lead = ncr[method] - ncr[other]
    return lead, lead / error.where(error > 0, 1e-3)
