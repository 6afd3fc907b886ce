"""The reproduction report leaves out no numbered table, figure or output, and ours is what claims computed."""

from __future__ import annotations

import csv
import math
import re

import numpy as np
import pytest
from parts import ROOT

import svtlib as svt
from svtcourse.claim_cards import ledger

with (ROOT / "data" / "reproduction.csv").open(encoding="utf-8") as _file:
    ROWS = list(csv.DictReader(_file))


def test_ours_is_what_a_claim_computed_or_is_computed_here():
    """Each row has claims of the ledger, or a number that a test below computes, and never both."""
    assert all(bool(row["claims"]) != bool(row["ours"]) for row in ROWS)
    assert {id for row in ROWS for id in row["claims"].split()} <= set(ledger())
    assert {row["item"].partition("]")[0] for row in ROWS if row["ours"]} == {"Out[207", "Out[222", "In[123"}


def test_the_outputs_that_no_claim_is_about():
    """The probability of the printed triple and of errors as large as those printed; the ends of a plotted curve."""
    sparse, counts, plot = [row["ours"] for row in ROWS if row["ours"]]
    age, bounds = svt.load_adult("age"), np.arange(1, 150, 5)
    found = "".join("⊤" if k in (19, 22, 23) else "⊥" for k in range(24))
    mechanism = svt.variant("sparse").calibrate(epsilon=1.0, c=3)
    p = math.exp(svt.log_probability(mechanism, -age.rows_above(bounds)[:24], found))
    assert sparse == f"Pr = {p:.4f}" and p > 1e-3
    errors = [abs(noisy - true) for noisy, true in ((14272.137097167237, 14271), (17697.903735723932, 17655))]
    x = sum(errors) / 10
    p = (1 + x) * math.exp(-x)  # that two Laplace errors of scale 10 are together as large
    assert counts == f"errors {errors[0]:.1f} and {errors[1]:.1f}: p = {p:.3f}" and p > 0.01
    rows = age.rows_above(bounds)
    assert plot == f"from {-rows[0]:,.0f} at 1 to {rows[-1]:.0f} from {bounds[np.flatnonzero(rows == 0)[0]]} on"


def numbers(source: str, kind: str) -> set[int]:
    """The numbers of the tables, figures or outputs of a source that have a row."""
    items = " ".join(row["item"] for row in ROWS if row["source"] == source)
    found = re.findall(rf"{kind}s? ([\d, and]+)", items) + re.findall(rf"{kind}\[(\d+)\]", items)
    return {int(number) for part in found for number in re.findall(r"\d+", part)}


@pytest.mark.parametrize(
    ("source", "kind", "last"),
    [
        ("Lyu, Su & Li 2017", "Figure", 5),
        ("Lyu, Su & Li 2017", "Table", 2),
        ("Lyu, Su & Li 2016", "Figure", 3),
        ("Lyu, Su & Li 2016", "Table", 3),
        ("Liu et al. 2024", "Figure", 8),
        ("Liu et al. 2024", "Table", 5),
    ],
)
def test_every_table_and_figure_has_a_row(source, kind, last):
    """Numbered as in the source, none missing."""
    assert numbers(source, kind) == set(range(1, last + 1))


def test_every_printed_output_has_a_row():
    """The outputs of Near & Abuah's notebook, by their numbers."""
    assert numbers("Near & Abuah", "Out") == {7, 25, 205, 207, 219, 222, 118, 120}


def unfounded(rows):
    """Rows that count as reproduced, or as right but for a correction, although nothing says how close is close."""
    compared = ("reproduced", "with a correction")
    return [row["item"] for row in rows if row["status"] in compared and row["tolerance"] in ("", "-")]


def test_only_what_was_compared_counts_as_reproduced():
    """The page explains every status; a curve without numbers is not reproduced, and the check finds it."""
    page = (ROOT / "book" / "reproduction.md").read_text(encoding="utf-8")
    assert {row["status"] for row in ROWS} <= set(re.findall(r"^\* \*\*\S+ ([\w, ]+)\*\*", page, re.M))
    assert unfounded(ROWS) == []
    curves = [row for row in ROWS if "no numbers" in row["theirs"]]
    assert unfounded([{**row, "status": "reproduced"} for row in curves]) == [row["item"] for row in curves] != []
