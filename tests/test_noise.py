"""The noise families against closed forms, against 50-digit arithmetic, and against their own samples."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad

import svtlib as svt

CONTINUOUS = [svt.Laplace(1.7), svt.Exponential(1.7), svt.Exponential(1.7, sign=-1), svt.Gumbel(1.7), svt.Gaussian(1.7)]
DISCRETE = [svt.Geometric(1.7), svt.Geometric(1.7, sides=1), svt.Geometric(0.05), svt.NoNoise()]
ALL = [*CONTINUOUS, *DISCRETE]
X = np.linspace(-12, 12, 97)


def expectation(noise, f, low=-100.0, high=100.0):
    """Of f(X) where low <= X < high: a sum over the whole numbers, or an integral of the density by parts."""
    if noise.discrete:
        k = np.arange(math.ceil(low), math.ceil(high), dtype=float)
        return float((f(k) * np.exp(noise.logpdf(k))).sum())
    ends = [low, *(x for x in (-20.0, -5.0, 0.0, 5.0, 20.0) if low < x < high), high]
    return sum(
        quad(lambda x: f(x) * np.exp(noise.logpdf(x)), a, b, epsrel=1e-11)[0] for a, b in itertools.pairwise(ends)
    )


@pytest.mark.parametrize("noise", ALL, ids=repr)
def test_the_density_has_the_tails_and_the_moments(noise):
    """Pr[X < x] and Pr[X >= x], on the lattice and off it, with and without x itself; mean and variance; 1 in all."""
    for x in (-3.5, -3.0, 0.0, 0.25, 4.0, 4.5):
        below, atom = expectation(noise, np.ones_like, high=x), math.exp(noise.logpdf(x)) if noise.discrete else 0.0
        for log, p in (
            (noise.log_less, below),
            (noise.log_at_least, 1 - below),
            (noise.logcdf, below + atom),
            (noise.logsf, 1 - below - atom),
        ):
            assert math.exp(log(x)) == pytest.approx(p, abs=1e-11)
    assert expectation(noise, lambda x: x) == pytest.approx(noise.mean, abs=1e-9)
    assert expectation(noise, lambda x: (x - noise.mean) ** 2) == pytest.approx(noise.variance, abs=1e-9)


def _tails(noise, x):
    """(log Pr[X <= x], log Pr[X >= x]) in 50-digit arithmetic from the textbook distribution functions."""
    y = mp.mpf(x) / mp.mpf(noise.scale)
    if isinstance(noise, svt.Laplace):
        below = mp.exp(y) / 2 if y < 0 else 1 - mp.exp(-y) / 2
    elif isinstance(noise, svt.Exponential):
        below = (1 - mp.exp(-y) if y > 0 else mp.mpf(0)) if noise.sign > 0 else (mp.exp(y) if y < 0 else mp.mpf(1))
    elif isinstance(noise, svt.Gumbel):
        below = mp.exp(-mp.exp(-y))
    else:
        below = mp.erfc(-y / mp.sqrt(2)) / 2
        return mp.log(below), mp.log(mp.erfc(y / mp.sqrt(2)) / 2)
    return (mp.log(below) if below else -mp.inf), (mp.log(1 - below) if below != 1 else -mp.inf)


@pytest.mark.parametrize("noise", CONTINUOUS, ids=repr)
def test_tails_stay_accurate_where_probabilities_underflow(noise):
    """Both log tails keep 12 digits from 1e-8 to 600 scales away, where the probability itself is below 1e-260."""
    with mp.workdps(700):
        for scales in (1e-8, 1e-3, 0.5, 3, 30, 600):
            for x in (-scales * noise.scale, scales * noise.scale):
                for got, want in zip((noise.logcdf(x), noise.logsf(x)), _tails(noise, x), strict=True):
                    if want < -1e300:
                        assert got < -1e300
                    else:
                        assert math.isclose(got, float(want), rel_tol=1e-12, abs_tol=1e-320), (x, got, want)


@given(st.sampled_from(ALL), st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_log_probabilities_are_probabilities(noise, x, step):
    """Pr[X < x] + Pr[X >= x] = 1, both tails are monotone in x, and none is NaN or above 1."""
    less, at_least = float(noise.log_less(x)), float(noise.log_at_least(x))
    assert less <= 0 and at_least <= 0
    assert math.isclose(math.exp(less) + math.exp(at_least), 1, rel_tol=1e-12)
    assert noise.log_less(x + step) >= less and noise.log_at_least(x + step) <= at_least
    assert noise.logcdf(x) >= less and noise.logsf(x) <= at_least


@pytest.mark.parametrize("noise", ALL, ids=repr)
def test_samples_follow_the_distribution(noise):
    """200,000 seeded draws: counts below seven points lie within 6 standard deviations (false alarm below 2e-8)."""
    draws = noise.sample(np.random.default_rng(20120913), 200_000)
    assert draws.shape == (200_000,) and draws.dtype == float
    for x in (-4, -1, -0.5, 0, 0.5, 1, 4):
        p = math.exp(noise.log_less(x))
        sigma = math.sqrt(max(p * (1 - p), 0) / draws.size)
        assert abs((draws < x).mean() - p) <= 6 * sigma
    assert np.ndim(noise.sample(np.random.default_rng(1))) == 0


@pytest.mark.parametrize("noise", ALL, ids=repr)
def test_ratios_of_densities_keep_their_digits(noise):
    """`log_ratio` is the difference of `logpdf`, and for close arguments far out more than that."""
    x = np.array([k for k in (-7.0, -1.0, 0.0, 1.0, 5.0) if noise.logpdf(k) > -np.inf])
    for y in x:
        np.testing.assert_allclose(noise.log_ratio(x, y), noise.logpdf(x) - noise.logpdf(y), rtol=1e-12, atol=1e-12)
    wide = [svt.Laplace(1e10), svt.Exponential(1e10), svt.Gumbel(1e10), svt.Geometric(1e10)]
    assert [float(w.log_ratio(3e11, 3e11 + 1)) for w in wide] == pytest.approx([1e-10] * 4, rel=1e-12)
    assert float(svt.Gaussian(1e10).log_ratio(1e10, 1e10 + 1)) == pytest.approx(1e-10, rel=1e-9)


@pytest.mark.parametrize("noise", ALL, ids=repr)
def test_a_noise_moves_in_the_directions_that_it_says(noise):
    """A step of 2 costs at most 2 / scale there, in the other directions more, somewhere among whole numbers to 60."""
    z = np.arange(-60.0, 61.0)
    z = z[noise.logpdf(z) > -np.inf]
    for sign in (1, -1):
        with np.errstate(over="ignore"):
            cost = float(np.max(noise.logpdf(z) - noise.logpdf(z + 2 * sign)))
        assert (cost <= 2 / (noise.scale or math.inf) + 1e-12) == (sign in noise.moves)
        assert float(noise.price(2 * sign)) == pytest.approx(2 / noise.scale if sign in noise.moves else math.inf)
    assert not noise.symmetric or np.allclose(noise.logcdf(X), noise.log_at_least(-X), rtol=1e-9)
