"""The explorer "One run": its numbers are those of the engine, on the noise that it shows."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import svtlib as svt
from svtlib.teaching import one_run

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
WRITTEN = STATIC / "explorers" / "one_run.js"


@pytest.fixture(scope="module")
def table():
    return json.loads(WRITTEN.read_text(encoding="utf-8").removeprefix(one_run.SCRIPT).removesuffix(";\n"))


def test_the_file_is_what_the_module_writes(table, tmp_path):
    """Up to the last digits of another processor; `main` writes it where it is told."""
    one_run.main([str(tmp_path / "again.js")])
    again = json.loads((tmp_path / "again.js").read_text(encoding="utf-8").removeprefix(one_run.SCRIPT)[:-2])
    assert again["variants"].keys() == table["variants"].keys()
    for key, variant in table["variants"].items():
        for old, new in zip(variant["steps"], again["variants"][key]["steps"], strict=True):
            assert old[3] == new[3] and np.allclose(old[:3], new[:3], atol=2e-3)
            assert (old[4] is None) == (new[4] is None) and (old[4] is None or abs(old[4] - new[4]) < 2e-4)


def test_what_is_said_follows_from_what_is_drawn(table):
    """A ⊥ exactly where the noisy answer is below the noisy threshold."""
    for variant in table["variants"].values():
        for _, noisy, bar, said, _ in variant["steps"]:
            assert (said == "⊥") == (noisy < bar)


def test_private_versions_stay_within_epsilon_and_the_story_is_true(table):
    """No beginning of a private run loses more than ε, and Alg. 3 loses what the landing page says."""
    for key in ("alg1", "alg2", "alg7", "above_threshold", "sparse"):
        assert svt.decide(svt.variant(key).calibrate(epsilon=1.0)).private
        assert max(abs(step[4]) for step in table["variants"][key]["steps"]) <= table["epsilon"]
    last = table["variants"]["alg3"]["steps"][-1]
    page = (STATIC.parent / "intro.md").read_text(encoding="utf-8")
    assert len(table["variants"]["alg3"]["steps"]) == 20 and f"prints the number {last[3]}" in page
    assert f"{math.exp(last[4]):.0f} times likelier" in page and f"factor of {math.e:.2f}" in page
