"""The exact engine on noise of whole numbers: against the sum of all terms, wide noise, narrow noise, ties."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from parts import calibrated, close, one_in
from scipy.special import logsumexp

import svtlib as svt
from svtlib.exact import integral, integral_by_bounds
from svtlib.exact.integral_by_bounds import _OnIntegers

BOUND = 1e-9


def added_up(rho, nu, absolute, answers, thresholds, positive):
    """Log probability by adding up every atom of rho, term by term."""
    reach = math.ceil(45 * max(noise.scale for noise in (rho, nu)))
    t, q = np.array(thresholds)[:, None], np.array(answers)[:, None]
    z = np.arange(-reach, reach + 1.0)
    total = rho.logpdf(z)
    for threshold, answer, above in zip(t, q, positive, strict=True):
        high = (threshold - answer) + z
        low = np.where(threshold + z > 0, (-threshold - answer) - z, np.inf) if absolute else np.full(z.size, -np.inf)
        with np.errstate(divide="ignore"):
            outside = np.exp(nu.log_at_least(high)) + np.exp(nu.logcdf(low))
            inside = np.where(low < np.inf, np.exp(nu.log_less(high)) - np.exp(nu.logcdf(low)), 0.0)
            total = total + np.log(np.minimum(outside, 1.0) if above else np.maximum(inside, 0.0))
    return float(logsumexp(total))


@pytest.mark.parametrize("compare", ["signed", "absolute"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("scale", one_in(4, [40.0, 900.0, 0.2, 3.0]))
def test_sums_over_whole_numbers_are_those_of_all_terms(scale, whole, compare):
    """Noise of one side and of two, ties, real answers, both signs: term by term to 1e-9."""
    rng = np.random.default_rng(int(scale * 10))
    two, one = svt.Geometric(scale), svt.Geometric(2 * scale, sides=1)
    for rho, nu in itertools.product((two, one), (two, one)):
        mechanism = replace(calibrated("alg6"), threshold_noise=rho, query_noise=nu, compare=compare)
        answers, thresholds = scale * rng.normal(0, 1, 4), np.repeat(scale * rng.normal(1, 1, 2), 2)
        if whole:
            answers, thresholds = answers.round(), thresholds.round()
        for positive in ([True, False, False, True], [False] * 4, [True] * 4):
            ours = svt.log_probability(mechanism, answers, positive, thresholds)
            exact = added_up(rho, nu, compare == "absolute", answers, thresholds, positive)
            assert exact == ours == -math.inf or math.isclose(ours, exact, rel_tol=BOUND, abs_tol=BOUND)


def test_wide_integer_noise_is_laplace_noise():
    """On whole answers a wide law of integers differs from Laplace noise by the square of 1 / scale, or one step."""
    for scale in (1e5, 1e9, 1e13):
        laplace = replace(calibrated("alg6"), threshold_noise=svt.Laplace(scale), query_noise=svt.Laplace(2 * scale))
        integers = replace(laplace, threshold_noise=svt.Geometric(scale), query_noise=svt.Geometric(2 * scale))
        answers = [0.0, round(scale), -round(3 * scale), 7.0]
        for compare, outcome in itertools.product(("signed", "absolute"), ("⊥⊤⊥⊥", "⊥⊥⊥⊥", "⊤⊤⊤⊤")):
            exact = svt.log_probability(replace(laplace, compare=compare), answers, outcome, 5.0)
            ours = svt.log_probability(replace(integers, compare=compare), answers, outcome, 5.0)
            assert math.isclose(ours, exact, abs_tol=8 / scale + 1e-10)


@pytest.mark.parametrize("compare", ["signed", "absolute"])
def test_wide_integer_noise_costs_no_more_than_narrow(compare, monkeypatch):
    """The number of terms does not grow with the scale: noise of scale 1e13 is as cheap as of scale 100."""
    counted = []
    whole = _OnIntegers.total
    monkeypatch.setattr(_OnIntegers, "total", lambda self, j: counted.append(j.size) or whole(self, j))
    terms = {}
    for scale in (100.0, 1e5, 1e13):
        counted.clear()
        integral.forget()
        noise = svt.Geometric(scale)
        mechanism = replace(calibrated("alg6"), compare=compare, threshold_noise=noise, query_noise=noise)
        svt.log_probability(mechanism, [0, 0, round(scale)], "⊥⊥⊤", 3.0)
        terms[scale] = sum(counted)
    assert max(terms.values()) < 6 * terms[100.0] < 60_000


def test_a_tie_of_whole_numbers_is_not_lost_to_rounding():
    """Answer and threshold 4.0246…: (threshold + 4) - answer is not 4 in floating point, but the tie is one."""
    x = 4.024631028252055
    assert (x + 4) - x != 4
    for absolute, compare in ((False, "signed"), (True, "absolute")):
        rho, nu = svt.Geometric(2.0), svt.Geometric(1.0, sides=1)
        mechanism = replace(calibrated("alg6"), threshold_noise=rho, query_noise=nu, compare=compare)
        here = svt.log_probability(mechanism, [x] * 40, "⊥" * 40, x)
        assert close(here, added_up(rho, nu, absolute, [x] * 40, [x] * 40, [False] * 40))
        signed = replace(mechanism, compare="signed")  # the lower bar is below what one-sided noise reaches
        assert close(here, svt.log_probability(signed, [0.0] * 40, "⊥" * 40))


def test_tiny_integer_noise_ends():
    """Geometric noise of scale 0.001 is 0 but for e^-1000: what is left is Pr[rho > 0], or Pr[nu < 0]."""
    for scale in (1e-3, 1e-9, 1e-90):
        for pair in ((scale, 2.0), (2.0, scale)):
            rho, nu = map(svt.Geometric, pair)
            mechanism = replace(calibrated("alg6"), threshold_noise=rho, query_noise=nu)
            assert close(svt.log_probability(mechanism, [0], "⊥"), float(svt.Geometric(2.0).logsf(0)))


@pytest.mark.parametrize("apart", [1e7, pytest.param(1e14, marks=pytest.mark.full)])
def test_a_plateau_of_too_many_scales_is_refused(apart):
    """One factor falls as fast as another rises, so that bounds from monotonicity part every noise scale of 10^7."""
    noise = {"threshold_noise": svt.Geometric(apart), "query_noise": svt.Geometric(1.0)}
    mechanism, answers, neighbour = replace(calibrated("alg1"), **noise), [0, apart, -apart], [1, apart + 1, -apart - 1]
    with pytest.raises(ValueError, match=r"nearer to the thresholds.* more noise scales"):
        svt.privacy_loss(mechanism, answers, neighbour, "⊥⊥⊤")
    with pytest.raises(ValueError, match="whole-number noise of a smaller scale"):
        svt.certify(mechanism, answers, neighbour, "⊥⊥⊤")


def test_between_two_ends_no_tail_is_looked_for(monkeypatch):
    """Where a first look shows no mass, five hundred steps out were tried."""
    steps, ladders = [], integral_by_bounds.ladders
    monkeypatch.setattr(integral_by_bounds, "ladders", lambda *given: steps.append(1) or ladders(*given))
    wide = svt.Geometric(3.1)
    mechanism = replace(
        calibrated("alg1"), threshold_noise=wide, query_noise=wide, release="compared", compare="absolute", cutoff=None
    )
    integral.forget()
    assert svt.log_probability(mechanism, [-2.0, 0.0], [False, 1.0]) > -9
    assert len(steps) == 1
