"""Many integrals at once against one at a time: every pair of noise families, caps, empty columns, narrow peaks."""

import itertools
import math

import numpy as np
import pytest
from parts import one_in

import svtlib as svt
from svtlib.exact.comparisons import Comparisons
from svtlib.exact.integral import log_integral, log_integrals
from svtlib.exact.integral_by_bounds import by_bounds
from svtlib.exact.quadrature import quadrature

CONTINUOUS = {
    "Laplace": svt.Laplace,
    "Exponential": svt.Exponential,
    "-Exponential": lambda scale: svt.Exponential(scale, sign=-1),
    "Gumbel": svt.Gumbel,
    "Gaussian": svt.Gaussian,
}
INTEGER = {"Geometric": svt.Geometric, "one-sided Geometric": lambda scale: svt.Geometric(scale, sides=1)}
FAMILIES = CONTINUOUS | INTEGER
ORDER = list(FAMILIES)


def table(rng, nu, rows, absolute, *, spread, most, gaps=False):
    """Random comparisons, half of the tables with ties; some rows with a cap, some columns without any query."""
    columns = int(rng.integers(1, 5))
    threshold, answer = spread * rng.normal(0, 1, (2, rows, columns))
    if rng.random() < 0.5:
        threshold, answer = np.round(threshold / spread * 2) * spread, np.round(answer / spread * 2) * spread
    count = rng.integers(rng.integers(2), most, (rows, columns)).astype(float)
    cap = np.where(rng.random(rows) < 0.3, spread * rng.normal(0, 1, rows), np.inf)
    known = (rng.random((rows, columns)) < 0.3) & gaps
    offset, times = spread * np.round(rng.normal(0, 1, (rows, columns)), 1), np.where(known, count, 0.0)
    negatives, gap = int(rng.integers(0, columns + 1)), (offset, times) if gaps else ()
    return Comparisons(nu, absolute, negatives, threshold, answer * absolute, np.where(known, 0.0, count), cap, *gap)


def one_by_one(rho, these):
    """The same by the engine that `log_probability` uses."""
    return [log_integral(these.alone(rho, i)) for i in range(these.rows)]


PAIRS = [*itertools.product(CONTINUOUS, CONTINUOUS), *itertools.product(INTEGER, INTEGER)]


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize(("first", "second"), one_in(3, PAIRS))
def test_many_integrals_are_those_one_at_a_time(first, second, absolute):
    """To 1e-10 of a log probability, for scales and spreads of some orders of magnitude and up to 5,000 equal queries.

    Some of them are known from a gap.

    Where it is below -1e13 both ways stop at the height of the peak, within one part in 1e13.
    """
    rng = np.random.default_rng([ORDER.index(first), ORDER.index(second), absolute])
    near = first in INTEGER or (absolute and second in ("Gumbel", "Gaussian"))
    for most in (2, 100, 5000):
        rho, nu = FAMILIES[first](10 ** rng.uniform(-1, 1)), FAMILIES[second](10 ** rng.uniform(-1, 1))
        spread = 10 ** rng.uniform(-1, 1.5 if near else 4)
        gaps = not absolute and first not in INTEGER and most < 5000
        these = table(rng, nu, 7, absolute, spread=spread, most=most, gaps=gaps)
        many = log_integrals(rho, these)
        for ours, exact in zip(many.tolist(), one_by_one(rho, these), strict=True):
            assert ours == exact or math.isclose(ours, exact, rel_tol=1e-10, abs_tol=1e-10)


def test_nothing_to_compare_is_the_law_of_rho():
    """No column, or only empty ones: Pr[rho <= cap]."""
    for columns in (0, 2):
        empty = np.zeros((2, columns))
        these = Comparisons(svt.Laplace(1.0), False, 0, empty, empty, empty, np.array([1.0, np.inf]))
        for rho in (svt.Laplace(2.0), svt.Geometric(2.0)):
            assert log_integrals(rho, these) == pytest.approx([float(rho.logcdf(1.0)), 0.0], abs=1e-11)


def test_integer_noise_with_too_many_atoms_is_added_up_by_itself():
    """Scales of 100,000: the sums one at a time."""
    rho, these = svt.Geometric(1e5), table(np.random.default_rng(2), svt.Geometric(1e5), 3, True, spread=1.0, most=3)
    assert log_integrals(rho, these) == pytest.approx(one_by_one(rho, these), rel=1e-10)


def test_beside_a_dent_no_rounding_makes_the_impossible_likely():
    """A thousand positives behind the farther bar: a node that rounds to the other side was e^4000 times too large.

    Once raised, and once an infinite probability; the value is that by bounds alone.
    """
    rng = np.random.default_rng(0)
    threshold, answer = rng.normal(0, 30, (2, 40, 2))
    count = rng.integers(500, 1000, (40, 2)).astype(float)
    rho, nu = svt.Gumbel(12.241876921186767), svt.Exponential(0.7033962127341172)
    these = Comparisons(nu, True, 0, threshold, answer, count, np.full(40, np.inf))
    low, high = these.support()
    many = log_integrals(rho, these)
    for i, ours in enumerate(many.tolist()):
        with np.errstate(over="ignore"):
            exact = by_bounds(rho, these.part(np.array([i])), float(low[i]), float(high[i]))
        assert math.isclose(ours, exact, rel_tol=1e-10, abs_tol=1e-10)


def test_an_integral_that_is_not_found_is_refused():
    """Two rules that never agree, on noise: ArithmeticError and not a number."""
    rng = np.random.default_rng(1)
    with pytest.raises(ArithmeticError, match="uncertain"):
        quadrature(
            lambda z, _: rng.normal(0, 1, z.size), np.array([0]), np.array([0.0]), np.array([1.0]), np.zeros(1), 1.0
        )


@pytest.mark.parametrize("seed", [7521, 7688])
def test_a_peak_between_uneven_points_is_found(seed):
    """Two of some thousand random tables: a peak was e^600 above every point that was looked at before."""
    rng = np.random.default_rng(seed)
    first, second = rng.choice(list(CONTINUOUS), 2)
    _, most = rng.random(), int(rng.choice(5))
    rho, nu = CONTINUOUS[first](10 ** rng.uniform(-2, 2)), CONTINUOUS[second](10 ** rng.uniform(-1, 1))
    spread = 10 ** rng.uniform(-2, 3)
    gaps = bool(rng.random() < 0.3)
    these = table(rng, nu, 7, False, spread=spread, most=(2, 30, 100, 1000, 5000)[most], gaps=gaps and most < 2)
    for ours, exact in zip(log_integrals(rho, these).tolist(), one_by_one(rho, these), strict=True):
        assert math.isclose(ours, exact, rel_tol=1e-10)
