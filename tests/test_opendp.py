"""The listing of chapter 24 that takes its noise from OpenDP, where that is installed (the extra `compare`)."""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import pytest
from parts import ROOT
from scipy.stats import chisquare

import svtlib as svt

CHAPTER = ROOT / "chapters" / "24_from_paper_to_production.ipynb"
ANSWERS, THRESHOLD, EPSILON, RUNS = [0, 1, 3], 2, 1.0, 4000
OURS = svt.Mechanism(
    "discrete AboveThreshold",
    threshold_noise=svt.Geometric(2 / EPSILON),
    query_noise=svt.Geometric(4 / EPSILON),
    c=1,
    epsilon=EPSILON,
    epsilon1=EPSILON / 2,
    epsilon2=EPSILON / 2,
)


def listing():
    """The program on the page."""
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    (program,) = re.findall(r"```python\n(import opendp.*?)```", text, re.DOTALL)
    return program


def test_the_loop_is_private_by_proof():
    """What the page says of it, whether OpenDP is installed or not."""
    assert "exact_noise(4 / epsilon)" in listing() and "exact_noise(2 / epsilon)" in listing()
    assert svt.prove(OURS).epsilon == pytest.approx(EPSILON, abs=1e-12)


def test_its_runs_follow_the_exact_law():
    """Each transcript comes as often as the integral says; a false alarm is one run in a million."""
    pytest.importorskip("opendp")
    names: dict[str, object] = {}
    exec(compile(listing(), str(CHAPTER), "exec"), names)
    above_threshold = names["above_threshold"]
    counts = Counter(tuple(above_threshold(ANSWERS, THRESHOLD, EPSILON)) for _ in range(RUNS))
    outcomes = [(True,), (False, True), (False, False, True), (False, False, False)]
    law = [math.exp(svt.log_probability(OURS, ANSWERS, list(outcome), THRESHOLD)) for outcome in outcomes]
    assert set(counts) <= set(outcomes) and sum(law) == pytest.approx(1)
    assert chisquare([counts[outcome] for outcome in outcomes], [RUNS * p for p in law]).pvalue > 1e-6
