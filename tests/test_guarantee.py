"""Guarantees as values: what implies what, and that everything the catalogue makes pickles."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import svtlib as svt
from svtlib.guarantee import Approximate, Renyi

EPSILONS = st.floats(0.01, 5)


@given(EPSILONS, st.floats(1.01, 50))
def test_the_renyi_guarantee_of_a_pure_one_is_that_of_randomized_response(epsilon, order):
    """Against the divergence of (e^epsilon, 1) and (1, e^epsilon); at most epsilon, and at most order epsilon^2 / 2."""
    p = np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon))
    divergence = math.log(float(np.sum(p**order * p[::-1] ** (1 - order)))) / (order - 1)
    found = Approximate(epsilon).renyi(order).epsilon
    assert found == pytest.approx(divergence, rel=1e-6, abs=1e-9)
    assert found <= min(epsilon, order * epsilon**2 / 2) * (1 + 1e-9)


@given(st.floats(1.1, 60), st.floats(0.5, 8), st.floats(1e-9, 0.1))
def test_the_conversion_of_renyi_holds_for_gaussian_noise(order, sigma, delta):
    """Gaussian noise is (order, order / 2 sigma^2)-Rényi DP, and its exact delta is at most the converted one."""
    from scipy.special import log_ndtr

    converted = Renyi(order, order / (2 * sigma**2)).approximate(delta)
    e, half = converted.epsilon, 1 / (2 * sigma)
    exact = math.exp(log_ndtr(half - e * sigma)) - math.exp(e + log_ndtr(-half - e * sigma))
    assert exact <= delta * (1 + 1e-9)


def test_guarantees_print_and_are_what_a_mechanism_claims():
    """Infinity guarantees nothing, of any order."""
    nothing = Approximate(math.inf)
    assert [*map(repr, (Approximate(0.75), nothing, Renyi(2, 1)))] == ["0.75-DP", "∞-DP", "(2, 1)-Rényi DP"]
    assert nothing.renyi(2.0) == Approximate(1.0, 1e-6).renyi(2.0) == Renyi(2.0, math.inf)
    assert svt.variant("alg4").calibrate(epsilon=0.5).claimed == Approximate(0.5)


def values(keys):
    """One of every kind of value that the module returns, of some variants."""
    rng = np.random.default_rng(4)
    for key in keys:
        v = svt.variant(key)
        m = v.calibrate(epsilon=1.0)
        yield from (v, m, m.claimed, svt.prove(v), svt.prove(m), svt.prove(v).epsilon, svt.worst_case(m, 2))
        yield from (svt.run(m, [0, 9], 1.0, rng=rng), svt.decide(m), svt.check_alignment(m, rng=rng, trials=20))
    m = svt.variant("alg1").calibrate(epsilon=1.0)
    sampler = svt.sampler_of(m)
    session = svt.Session(m, rng=rng)
    yield from (session.ask(3.0), session.spent, session, sampler, svt.ABORT, Renyi(2, 1))
    for move in ([1.0, 0.0], [0.4, 0.3]):
        yield svt.audit(sampler, [0.0, 1.0], move, trials=1000, rng=rng)
    yield svt.audit(svt.sampler_of(svt.variant("alg3").calibrate(epsilon=1.0)), [0.0], [1.0], trials=1000, rng=rng)
    scores = svt.load_scores("binary", c=5)
    yield from (scores, svt.load_adult("age"), svt.simulate(m, scores, 9.0, trials=2, rng=rng))
    yield svt.exponential_mechanism(scores, 2, epsilon=1.0, rng=rng)
    yield svt.Workload.subsets(3).sensitivity()
    yield svt.certify(m, [0, 0], [1, 1], "⊥⊤")


# Every class that occurs in a value of any variant occurs in one of these.
HALF = ("alg3", "alg5", "alg7", "lecture2012", "gap", "svt_exp", "svt_gumbel", "geometric")


@pytest.mark.parametrize(
    "keys",
    [HALF, pytest.param(svt.variants(), marks=pytest.mark.full)],
    ids=["some", "all"],
)
def test_everything_pickles_and_comes_back_the_same(keys):
    """No value holds a lambda: each survives a round trip, prints the same, and is equal where it compares by value."""
    found = list(values(keys))
    assert len({type(value) for value in found}) > 18
    for value in found:
        again = pickle.loads(pickle.dumps(value))
        assert type(again) is type(value)
        assert repr(again).partition(" at 0x")[0] == repr(value).partition(" at 0x")[0]
        if type(value).__eq__ is not object.__eq__ and not isinstance(value, svt.Session):
            assert again == value


def test_an_event_is_the_same_after_a_round_trip():
    """What an audit found still sorts the same rows."""
    rng = np.random.default_rng(6)
    sampler = svt.sampler_of(svt.variant("alg3").calibrate(epsilon=1.0))
    event = svt.audit(sampler, [0.0, 1.0], [1.0, 0.0], trials=2000, rng=rng).event
    rows = sampler([0.0, 1.0], 500, rng)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(event))(rows), event(rows))
