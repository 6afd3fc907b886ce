"""The explorer of errors: its table covers every choice, and any cell of it can be run again."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

from svtlib.teaching import error_explorer as explorer
from svtlib.utility import experiments

WRITTEN = Path(__file__).resolve().parent.parent / "book" / "_static" / "explorers" / "errors.js"
SMALL = {"epsilons": [0.5], "cs": [25, 50], "methods": ["SVT-S-1:1", "EM"], "trials": 5, "n_jobs": 1}


@pytest.fixture(scope="module")
def table():
    return json.loads(WRITTEN.read_text(encoding="utf-8").removeprefix(explorer.SCRIPT).removesuffix(";\n"))


def test_table_covers_every_choice(table):
    """Four numbers for every dataset, epsilon, c and method; errors lie between 0 and 1."""
    assert list(table["methods"]) == list(experiments.METHODS)
    assert list(table["cells"]) == [f"{name} {e:g}" for name in experiments.DATASETS for e in explorer.EPSILONS]
    numbers = np.array(list(table["cells"].values()))
    assert numbers.shape == (16, len(explorer.CS), len(experiments.METHODS), 4)
    assert ((numbers >= 0) & (numbers <= 1)).all()


def test_table_is_light_and_in_its_normal_form(table):
    """The page loads it as a whole; writing what was read gives the same bytes."""
    assert WRITTEN.stat().st_size < 150_000
    assert explorer.script(table) == WRITTEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("index", [5, 700, 1_300, 2_200])
def test_a_cell_of_the_table_can_be_run_again(table, index):
    """The same seed gives the same four numbers: a table that the code has left behind is noticed."""
    shape = (len(experiments.DATASETS), len(explorer.EPSILONS), len(explorer.CS), len(experiments.METHODS))
    d, e, i, m = np.unravel_index(index, shape)
    dataset, epsilon = list(experiments.DATASETS)[d], explorer.EPSILONS[e]
    place = dataset, epsilon, explorer.CS[i], list(experiments.METHODS)[m]
    again = experiments.cell(*place, trials=explorer.TRIALS, seed=[explorer.SEED, index])
    shown = table["cells"][f"{dataset} {epsilon:g}"][i][m]
    assert shown == pytest.approx([again[k] for k in ("ser_mean", "ser_std", "fnr_mean", "fnr_std")], abs=6e-5)


def test_the_table_meets_the_expectations(table):
    """SVT-S-1:3 on AOL at epsilon = 0.1: 1,000 runs around the exact expectation, |z| < 5."""
    exact = experiments.expected(["AOL"], [0.1], [25, 100, 150], ["SVT-S-1:3"], n_jobs=1)
    column = list(experiments.METHODS).index("SVT-S-1:3")
    for row in exact.itertuples():
        mean, spread, *_ = table["cells"]["AOL 0.1"][explorer.CS.index(row.c)][column]
        assert abs(mean - row.ser) < 5 * spread / math.sqrt(explorer.TRIALS) + 5e-5


def test_writing_the_table(tmp_path, capsys):
    """The command writes the form that the page reads, and twice the same bytes."""
    paths = [tmp_path / "one.js", tmp_path / "two.js"]
    assert [explorer.main([str(path)], **SMALL) for path in paths] == [0, 0]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert len(json.loads(paths[0].read_text(encoding="utf-8")[len(explorer.SCRIPT) : -2])["cells"]) == 4
    assert "Wrote two.js" in capsys.readouterr().out


@pytest.mark.skipif(importlib.util.find_spec("ipywidgets") is None, reason="ipywidgets is part of the book extra")
def test_widget_answers():
    """Changing a control changes the drawing."""
    box = explorer.explore_errors("AOL")
    _, _, c, measure, shown = box.children
    before = shown.value
    assert "exact head" in before
    c.value, measure.value = 25, "fnr"
    assert shown.value != before
    assert "c = 25" in shown.value and explorer.NOTE in shown.value


def test_bad_names_are_refused():
    """Before anything is run."""
    with pytest.raises(ValueError, match="dataset must be one of"):
        explorer.explore_errors("aol")
    with pytest.raises(ValueError, match="measure must be one of"):
        explorer.picture("AOL", 0.1, 50, "mse")
