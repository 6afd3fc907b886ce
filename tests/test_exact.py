"""The exact engine against closed forms, the papers' theorems, simulation, and bad input."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from parts import calibrated, close
from scipy import integrate

import svtlib as svt
from svtlib.exact.comparisons import Comparisons, Epoch, Group
from svtlib.exact.integral import _by_concavity, log_integral
from svtlib.exact.integral_by_bounds import by_bounds
from svtlib.noise_base import log_between
from svtlib.switches import Cutoff

EVERY = svt.variants()
BOUND = 1e-9
STEADY = settings(derandomize=True)
RHO = svt.Laplace(1.0)  # of comparisons that are only looked at


def outcomes(mechanism, n):
    """All transcripts on n queries, numbers unobserved."""
    for signs in itertools.product((False, True), repeat=n):
        outcome, found = [], 0
        for sign in signs:
            if sign and found == mechanism.most_positives:
                outcome.append(svt.ABORT)
                break
            outcome.append(sign)
            found += sign
            if mechanism.cutoff == "at c" and found == mechanism.c:
                break
        if not any(signs[len(outcome) :]):
            yield tuple(outcome)


# Probabilities


HEIGHTS = st.lists(st.floats(-30, 30).map(lambda x: round(x, 6)), min_size=1, max_size=5)  # a tie, or none


LINES = svt.Laplace(2.0), svt.Exponential(2.0), svt.Exponential(2.0, sign=-1), svt.Gumbel(2.0), svt.Gaussian(2.0)
WHOLE = svt.Geometric(2.0), svt.Geometric(2.0, sides=1)
PAIRS = [pair for laws in (LINES, WHOLE) for pair in itertools.product((*laws, svt.NoNoise()), repeat=2)]
SWITCHES = st.fixed_dictionaries(
    {
        "noise": st.sampled_from(PAIRS).map(
            lambda pair: dict(zip(("threshold_noise", "query_noise"), pair, strict=True))
        ),
        "cutoff": st.sampled_from([option.value for option in Cutoff]),
        "refresh": st.booleans(),
        "c": st.integers(1, 3),
        "compare": st.sampled_from(["signed", "absolute"]),
        "release": st.sampled_from(["indicator", "compared"]),
    }
)


@STEADY
@given(
    st.sampled_from(EVERY).map(calibrated)
    | SWITCHES.map(lambda switches: replace(calibrated("alg1"), **switches.pop("noise"), **switches)),
    st.lists(st.integers(-4, 4), min_size=1, max_size=4) | HEIGHTS,
    st.sampled_from([0.0, 2.0, 0.5]) | st.floats(-10, 10).map(lambda x: round(x, 6)),
)
def test_probabilities_of_all_outcomes_sum_to_one(mechanism, answers, threshold):
    """For every variant, and for switches and noise that no published one has; ties included."""
    possible = [svt.log_probability(mechanism, answers, o, threshold) for o in outcomes(mechanism, len(answers))]
    assert math.isclose(sum(map(math.exp, possible)), 1, rel_tol=BOUND)


def test_one_far_comparison_is_the_closed_form():
    """Pr[nu >= x + rho] for two Laplace laws is (s^2 e^(-x/s) - b^2 e^(-x/b)) / (2 (s^2 - b^2)), 1e5 scales out too."""
    mechanism = calibrated("alg1")
    b, s = mechanism.threshold_noise.scale, mechanism.query_noise.scale
    for x in (0.0, 1e-3, 1.0, 30.0, 1e3, 1e5 * s):
        log_tail = -x / s + math.log((s**2 - b**2 * math.exp(x / s - x / b)) / (2 * (s**2 - b**2)))
        assert close(svt.log_probability(mechanism, [-x], "⊤"), log_tail)
        assert close(svt.log_probability(mechanism, [x], "⊥"), log_tail)
        assert close(svt.log_probability(mechanism, [0.0], "⊤", threshold=x), log_tail)


def test_equal_noise_makes_all_orders_alike():
    """If rho and every nu have one law and all answers equal T, all are negative with probability 1/(n+1)."""
    mechanism = replace(calibrated("alg1"), query_noise=svt.Gaussian(3.0), threshold_noise=svt.Gaussian(3.0))
    for n in (1, 2, 10, 10_000):
        assert close(svt.log_probability(mechanism, [5.0] * n, "⊥" * n, 5.0), -math.log(n + 1))


def test_no_query_noise_is_a_difference_of_distribution_functions():
    """Alg. 5: ⊥ at 0 and ⊤ at x is Pr[0 < rho <= x], also where x is tiny and where it is far out."""
    mechanism = calibrated("alg5")
    b = mechanism.threshold_noise.scale
    for x in (1e-12, 1e-5, 1.0, 100.0):
        exact = math.log(-math.expm1(-x / b) / 2)
        assert close(svt.log_probability(mechanism, [0, x], "⊥⊤"), exact)
        assert close(svt.log_probability(mechanism, [1e4, 1e4 + 1], "⊥⊤"), -1e4 / b + math.log(-math.expm1(-1 / b) / 2))
    assert svt.log_probability(mechanism, [1, 1], "⊥⊤") == -math.inf


# Released numbers


@pytest.mark.parametrize(
    ("key", "compare"),
    [("gap", "signed"), *itertools.product(("alg3", "alg7", "lecture2012"), ("signed", "absolute"))],
)
def test_densities_of_released_numbers_integrate_to_the_probability_of_positive(key, compare):
    """One number observed, one not: the integral over the first is the probability of True."""
    mechanism = calibrated(key, 2, **({"epsilon3": 0.4} if key == "alg7" else {}))
    mechanism = replace(mechanism, compare=compare)
    answers, threshold = [0.5, 2.0, 1.0], [0.0, 1.0, 1.5]

    def density(a):
        return math.exp(svt.log_probability(mechanism, answers, [False, float(a), True], threshold))

    breaks = [b for b in (-400, -30, -5, -1, 0, 1, 2, 5, 30, 400) if key != "gap" or b >= 0]
    total = sum(
        integrate.quad(density, a, b, epsabs=1e-12, epsrel=1e-9, limit=200)[0] for a, b in itertools.pairwise(breaks)
    )
    exact = math.exp(svt.log_probability(mechanism, answers, [False, True, True], threshold))
    assert math.isclose(total, exact, rel_tol=1e-8)


@pytest.mark.parametrize(
    ("rho", "nu", "answer"),
    [
        (svt.Geometric(1.2), svt.Geometric(1e5), 16_000.0),
        (svt.Geometric(20.0), svt.Geometric(2e5, sides=1), 6e5),
    ],
)
def test_a_sum_finds_noise_much_narrower_than_its_panels(rho, nu, answer):
    """Two rules that both missed it agreed, and a loss was wrong in its first digit: balls say what is right."""
    m = replace(calibrated("alg1"), threshold_noise=rho, query_noise=nu)
    certified = svt.certify(m, [answer], [answer + 1], "⊤")
    assert certified.lower - 1e-9 <= svt.privacy_loss(m, [answer], [answer + 1], "⊤") <= certified.upper + 1e-9
    assert close(svt.log_probability(m, [answer], "⊤"), float(certified.log_probability[0]))


def test_a_number_from_integer_noise_is_recognised_through_rounding():
    """0.1 + 3 rounds; 3.1 - 0.1 is not 3 in floating point, but the noise was 3."""
    noise = svt.Geometric(2.0)
    mechanism = replace(calibrated("alg3"), threshold_noise=noise, query_noise=noise)
    assert math.isfinite(svt.log_probability(mechanism, [0.1], [0.1 + 3]))
    assert svt.log_probability(mechanism, [0.1], [3.6]) == -math.inf


# The facts that the integration rests on


@STEADY
@given(st.floats(-20, 20), st.floats(-5, 5), st.sampled_from([1, -1]))
def test_one_sided_noise_inside_the_absolute_value_is_log_concave_between_its_dents(answer, threshold, sign):
    """On either side of the one dent, which is there exactly if the noise points towards the farther bar."""
    groups = (Group(threshold, answer, True, 1),)
    comparisons = Comparisons.of(Epoch(RHO, svt.Exponential(1.0, sign=sign), True, groups))
    dents = [dent for dent in comparisons.dents[0].tolist() if not math.isnan(dent)]
    assert dents == ([abs(answer) - threshold] if sign * answer < 0 else [])
    for low, high in itertools.pairwise([-30.0, *dents, 60.0]):
        g = comparisons.total(np.linspace(low, high, 601))
        assert (g[:-2] + g[2:] - 2 * g[1:-1] <= 1e-11 * (1 + np.abs(g[1:-1]))).all()


@STEADY
@given(st.integers(0, 3), st.floats(-1, 1), st.floats(-1, 2.5), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_pieces_between_dents_add_up_to_the_whole(family, ratio, spread, size, seed):
    """One-sided noise inside the absolute value: the pieces, log-concave each, against bounds that need no shape."""
    rho = [svt.Laplace, svt.Gaussian, svt.Gumbel, svt.Exponential][family](10**ratio)
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < rng.choice([0.3, 1.0])
    heights, answers = 10**spread * rng.uniform(-1, 1, (2, size)).round(1)
    counts = rng.integers(1, 50, size)
    nu = svt.Exponential(1.0, sign=int(rng.choice([1, -1])))
    columns = zip(heights.tolist(), answers.tolist(), positive.tolist(), counts.tolist(), strict=True)
    epoch = Epoch(rho, nu, True, tuple(Group(*column) for column in columns))
    comparisons = Comparisons.of(epoch)
    low = max(float(comparisons.support()[0][0]), 0.0 if family == 3 else -math.inf)
    with np.errstate(over="ignore"):
        whole = by_bounds(rho, comparisons, low, math.inf)
    assert math.isclose(log_integral(epoch), whole, rel_tol=1e-10, abs_tol=1e-10)


@STEADY
@given(st.floats(-40, 40), st.floats(1e-12, 50))
def test_probabilities_of_intervals_keep_their_digits(low, width):
    """Laplace: Pr[low < X < high] however narrow or far out, against its closed form."""
    high = low + width
    width = high - low
    if low >= 0:
        exact = -low + math.log(-math.expm1(-width) / 2)
    elif high <= 0:
        exact = high + math.log(-math.expm1(-width) / 2)
    else:
        exact = math.log((-math.expm1(low) - math.expm1(-high)) / 2)
    ours = log_between(svt.Laplace(1.0), np.array([low]), np.array([high]), closed=(False, True))
    assert math.isclose(float(ours[0]), exact, rel_tol=1e-12, abs_tol=1e-12)


@STEADY
@given(st.integers(0, 8), st.floats(-2, 2), st.floats(-3, 3), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_both_ways_to_find_the_mass_agree(family, ratio, spread, size, seed):
    """Log-concavity and monotonicity place the panels differently; the integrals must not differ.

    Wide panels beside a kink once hid a corner of the integrand from both quadrature rules: 1.5e-8 in log p.
    """
    families = [svt.Laplace, svt.Gaussian, svt.Gumbel]
    rho, nu = families[family % 3](10**ratio), families[family // 3](1.0)
    rng = np.random.default_rng(seed)
    absolute = bool(rng.random() < 0.3) and isinstance(nu, svt.Laplace)
    positive = rng.random(size) < rng.choice([0.0, 0.1, 1.0])
    heights, answers = 10**spread * rng.uniform(-1, 1, (2, size))
    columns = zip(heights, answers * absolute, positive, rng.integers(1, 1000, size), strict=True)
    groups = tuple(Group(float(t), float(q), bool(p), int(k)) for t, q, p, k in columns)
    comparisons = Comparisons.of(Epoch(rho, nu, absolute, groups))
    low = float(comparisons.support()[0][0])
    with np.errstate(over="ignore"):
        one = float(_by_concavity(rho, comparisons, np.array([low]), np.array([math.inf]))[0])
        two = by_bounds(rho, comparisons, low, math.inf)
    assert one < -1e14 or math.isclose(one, two, rel_tol=1e-10, abs_tol=1e-10)


# How an outcome may be written, and what is refused


def test_ways_to_write_an_outcome():
    """A string of ⊥⊤ or FT, bools of Python or numpy, and what `run` returned."""
    mechanism = calibrated("alg1", 2)
    forms = ["⊥⊤⊥⊤", "FTFT", [False, True, False, True], np.array([False, True, False, True])]
    assert len({svt.log_probability(mechanism, range(5), form, 2.0) for form in forms}) == 1
    transcript = svt.run(calibrated("alg3", 2), [0, 9, 9], 3.0, rng=np.random.default_rng(1))
    assert math.isfinite(svt.log_probability(calibrated("alg3", 2), [0, 9, 9], transcript.outcome, 3.0))
    assert svt.log_probability(mechanism, [], "") == svt.log_probability(mechanism, [], []) == 0.0


REFUSED = [
    ("alg1", "⊥⊥x⊥⊥", "got 'x' at index 2"),
    ("alg1", [0, 0, 0, 0, 0], "got 0 at index 0: write True or False"),
    ("alg1", np.zeros(5, dtype=int), "at index 0"),
    ("alg1", [False, "⊤"], "got '⊤' at index 1"),
    ("alg1", None, "must be a string of ⊥ and ⊤ or a sequence"),
    ("alg1", 3, "must be a string of ⊥ and ⊤ or a sequence"),
    ("alg1", {True}, "must be a string of ⊥ and ⊤ or a sequence"),
    ("alg1", "⊥⊥⊥⊥⊥⊥", "at most 5 answers, one for each query, got 6"),
    ("alg1", "⊥⊥", "must answer all 5 queries, because nothing ended it; got 2"),
    ("alg1", "⊤⊥", "must answer all 5 queries"),
    ("alg1", "⊤⊤⊤", "at most c = 2 positives, got 3"),
    ("alg1", "⊤⊤⊥", "must end with positive number c = 2, got 1 answers after it"),
    ("alg1", [False, 1.5], "must not contain numbers, as alg1 releases none; got 1.5 at index 1"),
    ("alg1", [True, True, svt.ABORT], 'alg1 has not the cut-off "after c"'),
    ("alg3", [math.inf], "got inf at index 0"),
    ("alg3", [np.float64("nan")], "at index 0"),
    ("alg6", "⊥⊤⊤⊤", "must answer all 5 queries"),
    ("lecture2012", [True, svt.ABORT], "must have c = 2 positives before ABORT, got 1"),
    ("lecture2012", [True, True, svt.ABORT, False], "must end with ABORT, got 1 answers after it"),
    ("lecture2012", [True, True, True], "at most c = 2 positives, got 3"),
    ("lecture2012", [True, True], "must answer all 5 queries"),
]


@pytest.mark.parametrize(("key", "outcome", "message"), REFUSED)
def test_impossible_transcripts_are_refused(key, outcome, message):
    """What no noise could make the mechanism answer is a ValueError that says why."""
    with pytest.raises(ValueError, match="outcome must") as refused:
        svt.log_probability(calibrated(key, 2), [0] * 5, outcome)
    assert message in str(refused.value)


@STEADY
@given(st.sampled_from(EVERY), st.lists(st.sampled_from([False, True, 0.5, svt.ABORT]), max_size=6), st.integers(0, 5))
def test_every_outcome_is_a_probability_or_refused(key, outcome, n):
    """Whatever sequence is asked for, the answer is a log probability (density) or a ValueError about the outcome."""
    try:
        value = svt.log_probability(calibrated(key, 2), [0.0] * n, outcome)
    except ValueError as refused:
        assert str(refused).startswith("outcome must")
        return
    assert value <= 0 or any(isinstance(a, float) for a in outcome)
    assert not math.isnan(value)


def test_a_distance_that_is_only_rounded_is_one_of_neighbours():
    """0.1 + 0.2 and 0.4 at sensitivity 0.1; and all answers may fall together if queries are monotonic."""
    assert math.isfinite(svt.privacy_loss(calibrated("alg1", sensitivity=0.1), [0.1 + 0.2], [0.4], "⊥"))
    assert math.isfinite(svt.privacy_loss(calibrated("alg1", monotonic=True), [0, 0], [-1, 0], "⊥⊥"))


def test_a_loss_that_floats_do_not_know_is_refused():
    """The loss of one far and one near query stays 0.36646861 while log p falls to -475,000; at -2.5e14 it was 0.5."""
    mechanism = calibrated("alg1")
    for x in (1e2, 1e4, 1e6, 1.9e6):
        assert math.isclose(svt.privacy_loss(mechanism, [x, 0], [x + 1, 1], "⊥⊥"), 0.3664686073754, abs_tol=x * 1e-9)
    with pytest.raises(ValueError, match=r"outcome must be likelier for its loss to be known to 0\.001"):
        svt.privacy_loss(mechanism, [1e15, 0], [1e15 + 1, 1], "⊥⊥")
    assert close(svt.log_probability(mechanism, [1e15, 0], "⊥⊥"), -1e15 / mechanism.query_noise.scale)


def test_whole_numbers_that_floats_skip_are_refused():
    """2^53 + 1 is no float, so integer noise on 2^53 would round; continuous noise may be anywhere."""
    mechanism = svt.variant("geometric").calibrate(epsilon=1.0)
    assert math.isfinite(svt.log_probability(mechanism, [2.0**53], "⊤"))
    for arguments in (([2.0**54], "⊤"), ([0.0], "⊥", 2.0**54)):
        with pytest.raises(ValueError, match=r"(answers|threshold) must be within 2\^53 of 0"):
            svt.log_probability(mechanism, *arguments)
    assert math.isfinite(svt.log_probability(calibrated("alg1"), [2.0**54], "⊤"))


@pytest.mark.parametrize(
    ("noises", "answers", "neighbour", "outcome", "threshold"),
    [
        ((svt.NoNoise(), svt.Exponential(1.0), 0.2), [0.3], [0.25], [False], 0.1),
        ((svt.NoNoise(), svt.Exponential(3.778), 0.7), [0.7999999999999999], [0.5], [False], 0.1),
    ],
)
def test_what_atoms_allow_is_told_exactly(noises, answers, neighbour, outcome, threshold):
    """3.3 - 0.3 is a little less than 3, and a float takes it for 3: by how much, the exact enclosure says."""
    rho, nu, *raised = noises
    shown = "indicator" if outcome[-1] is False else "compared"
    m = replace(calibrated("alg1"), threshold_noise=rho, query_noise=nu, release=shown, correction=sum(raised))
    bounds = svt.certify(m, answers, neighbour, outcome, threshold)
    found = svt.privacy_loss(m, answers, neighbour, outcome, threshold)
    assert found == bounds.lower == math.inf or bounds.lower - 1e-9 <= found <= bounds.upper + 1e-9


@pytest.mark.parametrize("scale", [1e-8, 1e-15, 1e-20, 1e-40])
def test_threshold_noise_may_be_much_narrower_than_the_queries(scale):
    """Inside bars only rho above 0 leaves anything: the probability is its mean over 2 b times e^-1."""
    m = replace(calibrated("abs_value"), threshold_noise=svt.Exponential(scale), query_noise=svt.Laplace(1.0))
    assert svt.log_probability(m, [1.0], "⊥") == pytest.approx(math.log(scale) - 1, abs=1e-8)
    assert svt.privacy_loss(m, [1.0], [2.0], "⊥") == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-18, 1e-25, 1e-100])
def test_query_noise_may_be_much_narrower_than_what_it_has_to_bridge(scale):
    """A log probability of -10^25 is noise of 10^9 in floats: it does not look for more, and ends."""
    m = replace(calibrated("alg1"), threshold_noise=svt.Laplace(1.0), query_noise=svt.Laplace(scale))
    assert svt.log_probability(m, [0.0, -1.0], "⊥⊤") == pytest.approx(-1 / scale, rel=1e-9)


def test_no_query_may_be_written_in_any_way():
    """An empty pandas Series or array, whatever its type, is an empty list of answers."""
    for nothing in ([], (), np.array([]), np.array([], dtype=object), pd.Series([]), pd.Series([], dtype="float64")):
        assert svt.log_probability(calibrated("alg1"), nothing, "") == 0


@pytest.mark.parametrize(("release", "outcome"), [("indicator", "⊤"), ("gap", [1.0])])
def test_a_large_threshold_and_its_correction_are_added_exactly(release, outcome):
    """Their sum as a float is off by a millionth, and the answer stands beside it."""
    m = replace(calibrated("alg1"), correction=1.3, release=release)
    near = svt.log_probability(m, [2.0], outcome)
    assert svt.log_probability(m, [2.0**40 + 2], outcome, [2.0**40]) == pytest.approx(near, abs=1e-12)


def test_a_kink_that_is_left_out_at_first_is_looked_at():
    """Eight comparisons of absolute values have sixteen kinks; the value is that of `certify`, and of mpmath."""
    m = replace(calibrated("alg1"), threshold_noise=svt.Laplace(0.3818777063151432), compare="absolute", cutoff=None)
    m = replace(m, query_noise=svt.Exponential(1.2546118385102396))
    answers = [11.98998960186316, *[-46.5] * 3, 2.7, -46.5, *[46.5] * 3, 11.526333123419544, -46.5, 11.526333123419544]
    bars = [17.3, 10, 17.3, 2.7, 10, 10, 46.5, 46.5, 17.3, 10.381877706315143, 11.909388531575715, 46.5]
    assert svt.log_probability(m, answers, "⊥" * 12, bars) == pytest.approx(-99.46475035650, abs=1e-9)


def test_a_gap_that_noise_of_one_side_cannot_give_is_impossible():
    """The threshold has no noise, so the gap is q + ν − T, at least q − T."""
    m = replace(calibrated("gap"), threshold_noise=svt.NoNoise(), query_noise=svt.Exponential(1.0))
    assert svt.log_probability(m, [5.0], [1.0]) == -math.inf
    assert svt.privacy_loss(m, [0.0], [1.0], [0.5]) == math.inf


def test_heights_that_floats_hardly_tell_apart_are_refused():
    """Between them lies all the mass: −85.0794 was given as −85.0806."""
    m = replace(calibrated("alg1"), threshold_noise=svt.Exponential(1.0), compare="absolute", cutoff=None)
    m = replace(m, query_noise=svt.Exponential(0.1))
    with pytest.raises(ValueError, match="or clearly not"):
        svt.log_probability(m, [5, -5.000000000001], "⊥⊤")
    assert math.isfinite(svt.log_probability(m, [0.3, 0.1 + 0.2], "⊥⊤"))  # no window hangs on these
