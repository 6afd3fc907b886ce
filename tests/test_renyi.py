"""The Rényi bound of an SVT: above every exact pair, below the simple bounds, and the Gaussian noise made from it."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from parts import one_in
from scipy.integrate import quad

import svtlib as svt
from svtcourse.chapter.renyi import _apart, _log_weight, gaussian_noise
from svtlib.guarantee import Approximate, Renyi

GAUSSIAN = replace(
    svt.variant("alg1").calibrate(epsilon=1.0), threshold_noise=svt.Gaussian(1.5), query_noise=svt.Gaussian(2.0)
)
ORDERS = (1.2, 2.0, 8.0, 40.0)


def brute(order, m, n, c, again=0.0):
    """log V(n, c), the largest value over a fine grid of places and of how far the neighbour's is, by the recursion."""
    nu, x = svt.Gaussian(1.0), np.linspace(-10, 30, 100_001)
    weights = [
        [np.exp(order * log(x) - (order - 1) * log(x + s)) for log in (nu.log_less, nu.log_at_least)]
        for s in (0.0, m / 10, m / 2, m)
    ]
    v = np.ones(c + 1)
    for _ in range(n):
        more = [math.exp(again) if j > 1 else 1.0 for j in range(c + 1)]
        v[1:] = [
            max((below * v[j] + above * v[j - 1] * more[j]).max() for below, above in weights) for j in range(1, c + 1)
        ]
    return math.log(v[c])


@pytest.mark.parametrize(
    ("order", "m", "n", "c", "again"), [(1.2, 1.0, 3, 1, 0.0), (3.0, 0.25, 5, 2, 0.0), (20.0, 0.25, 4, 3, 0.3)]
)
def test_the_weight_is_that_of_the_recursion(order, m, n, c, again):
    """Chords of a convex function are above it, here by less than a millionth."""
    expected = brute(order, m, n, c, again)
    assert expected - 1e-9 <= _log_weight(m, order, n, c, again) <= expected + 2e-6


def neighbours(rng, n, monotonic):
    """Answers near and far from the threshold, and a neighbour at most 1 away, extremes first."""
    q = rng.choice([-6.0, -2.0, 0.0, 1.0, 4.0], n) + rng.uniform(0, 0.5, n)
    d = rng.choice([-1.0, 1.0], n)
    if monotonic:
        d = np.full(n, d[0]) * rng.integers(0, 2, n)
    return q, q + d


LAWS = [svt.Gaussian(1.5), svt.Laplace(2.0), svt.Exponential(2.0), svt.Gumbel(2.0)]


@pytest.mark.parametrize(("refresh", "cutoff"), one_in(4, itertools.product([False, True], ["at c", "after c", None])))
def test_no_pair_is_farther_apart(cutoff, refresh):
    """Every law on threshold and queries, one positive or two, any direction: exact divergences stay below."""
    rng = np.random.default_rng(17)
    for rho, nu, c, monotonic in itertools.product(LAWS, LAWS, (1, 2), (False, True)):
        m = replace(
            GAUSSIAN, threshold_noise=rho, query_noise=nu, c=c, cutoff=cutoff, refresh=refresh, monotonic=monotonic
        )
        n = int(rng.integers(1, 4))
        curve = svt.pair_curve(m, *neighbours(rng, n, monotonic))
        for order in ORDERS:
            assert curve.renyi(order) <= svt.renyi_bound(m, order, n=n).epsilon + 1e-7


@pytest.mark.parametrize("order", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("noise", [svt.Laplace(0.7), svt.Gaussian(1.3)])
def test_what_is_moved_is_so_far_apart(noise, order):
    """The integral that a Rényi divergence is."""

    def inner(x):
        return math.exp(order * noise.logpdf(x - 0.9) - (order - 1) * noise.logpdf(x))

    whole = quad(inner, -40, 40, points=(0, 0.9), limit=400)[0]
    assert _apart(noise, 0.9, order) == pytest.approx(math.log(whole) / (order - 1), rel=1e-7)


def test_units_do_not_matter_and_pure_noise_has_its_own():
    """Twice the answers, noise and sensitivity; Laplace noise: at most what pure privacy gives, for every n."""
    twice = replace(GAUSSIAN, threshold_noise=svt.Gaussian(3.0), query_noise=svt.Gaussian(4.0), sensitivity=2.0)
    assert svt.renyi_bound(twice, 3.0, n=20) == svt.renyi_bound(GAUSSIAN, 3.0, n=20)
    alg1 = svt.variant("alg1").calibrate(epsilon=1.0, c=3)
    assert svt.renyi_bound(alg1, 50.0, n=9).epsilon <= Approximate(1.0).renyi(50.0).epsilon
    mixed = replace(alg1, threshold_noise=svt.Gaussian(4.0))
    assert svt.renyi_bound(mixed, 2.0, n=3) == svt.renyi_bound(mixed, 2.0, n=3000) == Renyi(2.0, 2 / 32 + 0.5)
    assert svt.renyi_bound(replace(alg1, query_noise=svt.NoNoise()), 2.0, n=3).epsilon == math.inf
    narrow = svt.renyi_bound(replace(GAUSSIAN, query_noise=svt.Gaussian(1e-2)), 2.0, n=3)
    assert narrow.epsilon == pytest.approx(2 / 4.5 + 4e4 + math.log(4))  # too far for the recursion: the simple bound


ENOUGH = [(0.1, 1e-9, 30, 5, True), (1.0, 1e-6, 100, 1, False), (200.0, 1e-3, 10, 1, False), (1.0, 1e-6, 2, 9, False)]


@pytest.mark.parametrize(("epsilon", "delta", "n", "c", "monotonic"), one_in(4, ENOUGH))
def test_gaussian_noise_is_enough_and_hardly_more(epsilon, delta, n, c, monotonic):
    """At some order the bound converts to (epsilon, delta); with noise narrower by a fiftieth at none."""

    def least(rho, nu, wider):
        m = replace(GAUSSIAN, c=c, monotonic=monotonic)
        m = replace(m, threshold_noise=svt.Gaussian(rho.scale * wider), query_noise=svt.Gaussian(nu.scale * wider))
        orders = 1 + np.exp(np.linspace(-3, math.log(1e3 / epsilon), 60))
        return min(svt.renyi_bound(m, a, n=n).approximate(delta).epsilon for a in orders)

    rho, nu = gaussian_noise(epsilon=epsilon, delta=delta, n=n, c=c, monotonic=monotonic)
    assert least(rho, nu, 1.0) <= epsilon * 1.005 and least(rho, nu, 0.98) > epsilon


@pytest.mark.parametrize(("rho", "nu"), one_in(2, [(1e3, 10.0), (4.0, 8.0), (1e8, 1e6), (1.0, 1e9)]))
def test_it_does_not_fall_as_the_order_rises(rho, nu):
    """Down to order 1, where the recursion has no digits left, and a higher order stands in; and it stays finite."""
    m = replace(GAUSSIAN, threshold_noise=svt.Gaussian(rho), query_noise=svt.Gaussian(nu))
    orders = 1 + np.geomspace(1e-12, 1e7, 60)
    bounds = np.array([svt.renyi_bound(m, order, n=10).epsilon for order in orders])
    lower = np.maximum.accumulate(bounds)
    assert (
        (bounds > 0).all() and np.isfinite(bounds).all() and (bounds >= lower * (1 - 5e-3)).all()
    )  # chords add that much


def test_it_is_above_a_relative_entropy():
    """Of a pair with wide noise, at orders next to 1."""
    m = replace(GAUSSIAN, threshold_noise=svt.Gaussian(1e3), query_noise=svt.Gaussian(10.0))
    curve = svt.pair_curve(m, [0.0] * 10, [-1.0, 1.0] * 5)
    entropy = float(np.sum(np.exp(curve.log_p) * curve.loss))
    assert entropy > 8e-5
    assert all(svt.renyi_bound(m, 1 + tiny, n=10).epsilon > entropy for tiny in (1e-4, 1e-7, 1e-10, 1e-14))


ENDS = [(1e60, 1e-6, 3), (1e-4, 1e-3, 1), (1e-12, 1e-90, 1000), (0.3, 0.9, 2), (1e-9, 1e-90, 1000), (1.0, 0.9, 1)]


@pytest.mark.parametrize(("epsilon", "delta", "n"), one_in(2, ENDS))
def test_gaussian_noise_at_the_ends(epsilon, delta, n):
    """There is always some; for a tiny epsilon it grows as 1 / epsilon."""
    rho, nu = gaussian_noise(epsilon=epsilon, delta=delta, n=n)
    assert 0 < rho.scale < nu.scale < math.inf
    if delta < 1e-80:
        assert 30 < rho.scale * epsilon < 36
