"""The divergences of one pair against closed forms, quadrature, guarantees and bad orders."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from parts import close
from scipy import integrate, stats

import svtlib as svt
from svtcourse.chapter.curve import _number_of_transcripts

ALG1 = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
NORMAL = replace(
    svt.variant("alg1").calibrate(epsilon=1.0), threshold_noise=svt.Gaussian(2.0), query_noise=svt.Gaussian(4.0)
)
SILENT = replace(svt.variant("lecture2012").calibrate(epsilon=1.0, c=2), release="indicator")
SHAPES = {
    "at c": ALG1,
    "refreshed": svt.variant("alg2").calibrate(epsilon=1.0, c=2),
    "after c": SILENT,
    "no cut-off": svt.variant("alg6").calibrate(epsilon=1.0),
    "geometric": svt.variant("geometric").calibrate(epsilon=1.0, c=2),
    "Gaussian": NORMAL,
}


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("key", SHAPES)
def test_the_outcomes_are_all_there_are(key, n):
    """None twice, as many as counted beforehand, and their probabilities add up to 1 on both datasets."""
    curve = svt.pair_curve(SHAPES[key], [1.0] * n, [0.0] * n)
    assert len(set(curve.outcomes)) == len(curve.outcomes) == _number_of_transcripts(SHAPES[key], n)
    for logs in (curve.log_p, curve.log_q):
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-8)


MORE = {"absolute": replace(ALG1, compare="absolute"), "corrected": replace(ALG1, correction=2.0)}


@pytest.mark.parametrize("key", SHAPES | MORE)
def test_outcomes_together_are_those_one_at_a_time(key):
    """Queries of three kinds, so that many outcomes share a table: each within twice the error bound."""
    m = (SHAPES | MORE)[key]
    answers = [0.0, 3.0, -2.0] * (2 if m.cutoff is None or key == "geometric" else 4)
    curve = svt.pair_curve(m, answers, [q + 1 for q in answers], 1.0)
    each = [svt.log_probability(m, answers, outcome, 1.0) for outcome in curve.outcomes]
    assert len(each) > 12 and all(close(a, b) for a, b in zip(curve.log_p, each, strict=True))


def test_an_integral_that_is_not_found_is_said_of_the_answers(monkeypatch):
    """No case is known: where one is met, one outcome and all of a pair are refused, and no number is given."""

    def lost(_):
        raise ArithmeticError("uncertain")

    calls = (
        ("svtlib.exact.probability.log_integral", svt.log_probability, "⊥"),
        ("svtcourse.chapter.curve._log_each", svt.pair_curve, [0.0]),
    )
    for name, call, last in calls:
        monkeypatch.setattr(name, lost)
        with pytest.raises(ValueError, match="answers must be nearer to the thresholds"):
            call(ALG1, [1.0], last)


def test_three_gaussian_queries_by_quadrature():
    """The sum over outcomes of independent one-dimensional integrals."""
    answers, neighbour = np.array([0.5, -2.0, 1.0]), np.array([-0.5, -1.0, 2.0])

    def law(q):
        def given(z, stop):
            below = np.prod(stats.norm.cdf((z - q[:stop]) / 4.0))
            return stats.norm.pdf(z / 2.0) / 2.0 * below * (stats.norm.sf((z - q[stop]) / 4.0) if stop < 3 else 1.0)

        return np.array([integrate.quad(given, -25, 25, args=(stop,), epsabs=1e-13)[0] for stop in range(4)])

    p, q = law(answers), law(neighbour)
    curve = svt.pair_curve(NORMAL, answers, neighbour)
    assert curve.delta(0.05) == pytest.approx(np.maximum(0.0, p - math.exp(0.05) * q).sum(), abs=1e-9)
    assert curve.renyi(4.0) == pytest.approx(math.log((p**4 / q**3).sum()) / 3, rel=1e-7)


def test_limits_of_the_curves():
    """delta(0) is the total variation, delta(largest loss) is 0, and Rényi orders rise to the largest loss."""
    curve = svt.pair_curve(ALG1, [0.0, 3.0, -1.0, 2.0], [1.0, 2.0, -2.0, 3.0])
    p, q = np.exp(curve.log_p), np.exp(curve.log_q)
    largest = float(curve.loss.max())
    assert curve.delta(0.0) == pytest.approx(np.abs(p - q).sum() / 2, abs=1e-8)
    assert curve.delta(largest) == 0.0 < curve.delta(largest - 1e-3)
    orders = [curve.renyi(order) for order in (1.01, 2.0, 8.0, 64.0, 2048.0)]
    assert all(a < b for a, b in itertools.pairwise(orders)) and largest - 0.01 < orders[-1] < largest + 1e-9


def test_a_mechanism_that_is_not_private_does_not():
    """Alg. 4 with many positives passes the epsilon it claims; Alg. 5 gives an outcome that the neighbour cannot."""
    alg4 = svt.variant("alg4").calibrate(epsilon=1.0, c=3)
    found = svt.worst_case(alg4, 5)
    assert svt.pair_curve(alg4, found.answers, found.neighbour).delta(1.0) > 0
    curve = svt.pair_curve(svt.variant("alg5").calibrate(epsilon=1.0), [0, 1], [1, 0])
    assert curve.renyi(1.5) == math.inf
    assert (
        0
        < curve.delta(50.0)
        == pytest.approx(math.exp(svt.log_probability(svt.variant("alg5").calibrate(epsilon=1.0), [0, 1], "⊥⊤")))
    )


def test_the_arrays_cannot_be_changed():
    """A curve is a value."""
    curve = svt.pair_curve(ALG1, [0.0], [1.0])
    with pytest.raises(ValueError, match="read-only"):
        curve.log_p[0] = 0.0
