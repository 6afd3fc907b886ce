"""What the judge of the pages calculates: fractions, chances, the formula of a cost, integrals."""

from __future__ import annotations

import operator
from fractions import Fraction

import hostile_programs as hostile
import numpy as np
import pytest
from scipy.stats import gumbel_r

import svtlib as svt
from svtcourse.judge import page
from svtcourse.judge.convict.chance import log_chance
from svtcourse.judge.language.mine import Mine as Program
from svtcourse.judge.unknowns.ratio import Ratio


@pytest.mark.parametrize("other", [0, 1, -1, 3, Fraction(-5, 3), Fraction(3, 4)])
@pytest.mark.parametrize("one", [Fraction(0), Fraction(1), Fraction(-1), Fraction(7, 2), Fraction(-2, 3)])
def test_a_ratio_is_a_fraction(one, other):
    """What the judge calculates with, against the standard library: sums, products, quotients, order."""
    a, b = (Ratio(x.numerator, x.denominator) if isinstance(x, Fraction) else x for x in (one, other))
    for way in (operator.add, operator.sub, operator.mul, *([operator.truediv] if other else [])):
        found, exact = way(a, b), way(one, other)
        assert (found.top, found.bottom) == (exact.numerator, exact.denominator)
    for way in (operator.lt, operator.le, operator.eq, operator.ge, operator.gt):
        assert way(a, b) is way(one, other)


@pytest.mark.parametrize("name", ["plain", "arrays", "exponential noise", "stops at the first negative"])
def test_the_chances_of_all_paths_are_one(name):
    """At three places; that each is the integrator's, the whole judge's tests say."""
    made, c, *_ = hostile.RIGHT[name]
    paths = Program(made(), 1.0, c).grown(4)
    for answers in ([0.0] * 4, [3.0, -5.0, 0.5, 2.0], [40.0, 0.0, -30.0, 8.0]):
        assert log_chance(paths, answers) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("key", ["alg1", "alg2", "alg7", "svt_exp", "exp_exp", "svt_gumbel", "gap"])
@pytest.mark.parametrize("monotonic", [False, True])
def test_the_formula_is_the_cheapest_alignment(key, monotonic):
    """For what the catalogue holds, the sum over the steps is what the linear program finds."""
    from svtcourse.judge.unknowns.svts import SVT
    from svtcourse.judge.unknowns.tree import Seen

    variant = svt.variant(key)
    options = {"epsilon3": 0.5} if key == "alg7" else {}
    try:
        m = variant.calibrate(epsilon=1.0, c=3, monotonic=monotonic, **options)
    except ValueError:
        pytest.skip("the catalogue has no such case")
    law = lambda noise: (type(noise).__name__.lower(), noise.scale)  # noqa: E731
    found = SVT(Seen(), 7, 3)
    found.threshold, found.query, found.again = law(m.threshold_noise), law(m.query_noise), law(m.redraw_noise)
    found.release, found.refresh, found.stops, found.c = m.release, m.refresh, True, 3
    if m.release_noise is not None:
        found.number = law(m.release_noise)
    total = sum(x for _, x in found.bill(1.0, monotonic))
    assert total == pytest.approx(float(svt.prove(m).epsilon), rel=1e-12)


GUMBELS = """def program(answers, threshold, epsilon, rng):
    rho = rng.gumbel(0, 2000)
    out = []
    for a in answers:
        if a - rng.gumbel(0, 2000) <= threshold + rho:
            out.append(True)
            break
        out.append(False)
    return out
"""
WIDE = """def program(answers, threshold, epsilon, rng):
    unused = rng.laplace(0, 110)
    rho = rng.gumbel(0, 55)
    return [a + rng.laplace(0, 2 / epsilon) >= threshold + rho for a in answers[:2]]
"""


def test_gumbel_noise_is_integrated_as_exactly_as_the_other():
    """It has edges without a kink; a loss was half of what it is, and a right program was accused."""
    pair = page.judge(GUMBELS, epsilon=0.001, c=1, monotonic=True)["pair"]

    def all_negative(answers):
        def log_at(z):  # a - nu > rho of both, nu being Gumbel
            return gumbel_r.logpdf(z, scale=2000) + sum(gumbel_r.logcdf(a - z, scale=2000) for a in answers)

        places = np.linspace(-60_000, 60_000, 2_000_001)
        return np.exp(log_at(places)).sum() * (places[1] - places[0])

    assert pair["output"] == "⊥⊥"
    assert pair["p"] == pytest.approx(all_negative(pair["answers"]), rel=1e-7)
    assert pair["q"] == pytest.approx(all_negative(pair["neighbour"]), rel=1e-7)
    assert page.judge(WIDE)["private"] is None
