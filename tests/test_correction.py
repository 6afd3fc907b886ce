"""The correction of the threshold: closed forms, a simulation, a grid, the table of Liu et al. 2024."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import svtlib as svt
from svtcourse.chapter.correction import success_probability, threshold_correction

EXP = svt.variant("svt_exp").calibrate(epsilon=1.0)
FAMILIES = [svt.variant(key).calibrate(epsilon=1.0) for key in ("alg1", "svt_exp", "svt_gumbel", "exp_exp")]
FAMILIES.append(replace(EXP, threshold_noise=svt.Gaussian(3.0), query_noise=svt.Gaussian(5.0)))


def above(x, b, s):
    """Pr[nu - rho >= x] for exponential nu with mean s and rho ~ Lap(b), s and b different."""
    if x < 0:  # rho >= -x lowers it below x for sure unless nu makes up for it
        return 1 - math.exp(x / b) / 2 * (1 - 1 / (1 + b / s))
    within = math.exp(-x / s) * -math.expm1(-x * (1 / b - 1 / s)) / (1 / b - 1 / s)
    return math.exp(-x / b) / 2 + (within + math.exp(-x / s) / (1 / b + 1 / s)) / (2 * b)


@pytest.mark.parametrize("alpha", [0.0, 2.5])
@pytest.mark.parametrize("r", [-6.0, 0.0, 3.0, 14.0])
@pytest.mark.parametrize("k", [1, 10, 300])
def test_the_product_is_equation_8(k, r, alpha):
    """Gamma(r + alpha)^k (1 - Gamma(r - alpha)) with the closed form of Gamma for exponential and Laplace noise."""
    b, s = EXP.threshold_noise.scale, EXP.query_noise.scale
    expected = (1 - above(r + alpha, b, s)) ** k * above(r - alpha, b, s)
    found = success_probability(EXP, k, alpha=alpha, correction=r, joint=False)
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("m", FAMILIES, ids=lambda m: f"{m.threshold_noise}, {m.query_noise}")
def test_no_other_correction_is_better(m, joint):
    """On a grid from far below to far above; and the logarithm of the probability is concave there."""
    best = threshold_correction(m, 20, alpha=1.0, joint=joint)
    width = m.threshold_noise.width + m.query_noise.width
    grid = best + width * np.linspace(-1.5, 3, 31)
    found = np.log([success_probability(m, 20, alpha=1.0, correction=r, joint=joint) for r in grid])
    assert found.max() <= math.log(success_probability(m, 20, alpha=1.0, correction=best, joint=joint)) + 1e-10
    assert np.diff(found, 2).max() < 1e-7


def test_a_correction_of_the_mechanisms_own_is_made_up_for():
    """That it is in proportion to the noise is a claim (liu24-table-5-optimal)."""
    assert threshold_correction(replace(EXP, correction=4.0), 10) == pytest.approx(threshold_correction(EXP, 10) - 4)
