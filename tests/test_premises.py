"""No false theorem: what a proof, a verdict or an enclosure rests on is checked, exactly, and every call ends."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from parts import one_in

import svtlib as svt
from svtcourse.exercises import check_proof
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise
from svtlib.select.scores import Scores

ALG1, WHOLE = (svt.variant(key).calibrate(epsilon=1.0) for key in ("alg1", "geometric"))
STAY = {"rho": lambda D: D, "below": lambda d, D: 0, "above": lambda d, D: D - d}


def mechanism(rho, nu, **changes):
    """Alg. 1 with other noise."""
    return replace(ALG1, threshold_noise=rho, query_noise=nu, **changes)


# Whole numbers


@pytest.mark.parametrize("part", ["threshold_noise", "query_noise", "release_noise"])
def test_a_sensitivity_off_the_lattice_is_refused(part):
    """A proof said 0.5 where 1.0 is lost: noise on whole numbers cannot follow half a step."""
    switches = {"release": "fresh", "release_noise": Laplace(1.0)} if part == "release_noise" else {}
    with pytest.raises(ValueError, match=r"sensitivity must be a whole number where the noise is, got 0\.5"):
        replace(ALG1, sensitivity=0.5, **(switches | {part: Geometric(2.0)}))


@pytest.mark.parametrize(
    "shown", [{"release": "gap"}, {"release": "compared"}, {"release": "fresh", "release_noise": Geometric(1.0)}]
)
def test_a_whole_number_shows_the_fraction_of_an_answer(shown):
    """0 against 0.5 is told apart for sure by one whole number: no neighbours, for any verb; whole answers are."""
    m = replace(WHOLE, **shown)
    for loss in (svt.certify, svt.privacy_loss):
        with pytest.raises(
            ValueError, match=r"neighbour must be a whole number where the noise is, got (0\.5|Fraction\(1, 2\))"
        ):
            loss(m, [0.0], [0.5], [0.0])
    for values in ({"answers_grid": [0.5]}, {"deltas": [0.5]}):
        with pytest.raises(ValueError, match="must be a whole number where the noise is"):
            svt.worst_case(m, 1, **values)
    assert all(a % 1 == 0 for a in svt.worst_case(m, 2, 0.25).answers)


@pytest.mark.parametrize("threshold", [0.0, 0.25])
@pytest.mark.parametrize("monotonic", [False, True])
def test_signs_of_whole_noise_protect_fractions_too(threshold, monotonic):
    """Every pair of eighths, at most 1 apart, and every output of two queries: at most what the alignment costs."""
    m = replace(WHOLE, query_noise=Geometric(3.0), threshold_noise=Geometric(2.0), monotonic=monotonic)
    found = svt.worst_case(m, 2, threshold, answers_grid=[-0.625, 0.0, 0.375], deltas=[-1, -0.375, 0.125, 0.75])
    assert found.exhaustive and 0.1 < found.loss <= svt.prove(m).epsilon + 1e-9


def test_whole_noise_moves_by_whole_numbers():
    """A reader's alignment by half steps is refused; by whole ones it costs what the linear program finds."""
    half = check_proof(WHOLE, rho=lambda D: 1.5 * D, below=lambda d, D: 0, above=lambda d, D: 2.5 * D)
    assert not half.holds and half.cost == math.inf and "whole numbers" in half.reason
    assert check_proof(WHOLE, **STAY).holds


# Inputs of a theorem are rationals


def test_a_tie_of_whole_noise_is_one_only_if_it_is_one():
    """Ten answers a hair below the threshold: 1.99 was said of a mechanism that is 1-DP, as floats made a tie of it."""
    low, high, signs = [2.0] * 10 + [3.0], [3.0] * 10 + [2.0], "⊥" * 10 + "⊤"
    for case in ((low, high, signs, 1.2e-16), ([0.3], [0.0], "⊤", 1.3)):
        exact = svt.certify(WHOLE, *case)
        assert exact.lower - 1e-9 <= svt.privacy_loss(WHOLE, *case) <= exact.upper + 1e-9 < 1 + 1e-8
    for threshold, grid in ((0.1, [3, 0.9, -7]), (1e-16, None)):
        found = svt.worst_case(WHOLE, 2, threshold, answers_grid=grid)
        assert found.loss == svt.privacy_loss(WHOLE, found.answers, found.neighbour, found.outcome, threshold)
        assert not found.exhaustive
    with pytest.raises(ValueError, match=r"at most the sensitivity 1, got 1\.5000000000000002 against 0\.5"):
        svt.privacy_loss(WHOLE, [0.5], [math.nextafter(1.5, 2)], "⊤", 1.5)


def test_neighbours_are_compared_exactly():
    """8 apart at 10^16, where floats skip; beyond Delta by 10^-9; and tenths as fractions."""
    for answers, neighbour in (([1e16], [1e16 + 8]), ([0.0], [1 + 1e-9]), ([0.1], [1.1])):
        with pytest.raises(ValueError, match="neighbour must differ from answers by at most the sensitivity 1, got"):
            svt.certify(ALG1, answers, neighbour, "F")
    with pytest.raises(ValueError, match="neighbour must differ"):
        svt.privacy_loss(ALG1, [1e16], [1e16 + 8], "F")
    assert math.isfinite(svt.privacy_loss(ALG1, [0.1], [1.1], "F"))
    shown = svt.certify(ALG1, [Fraction(1, 10)], [Fraction(11, 10)], "F", Fraction(1, 3))
    assert shown.answers == (Fraction(1, 10),) and shown.lower == pytest.approx(
        svt.privacy_loss(ALG1, [0.1], [1.1], "F", 1 / 3), abs=1e-9
    )


@pytest.mark.parametrize("sensitivity", [0.3, 0.7, 1 / 3, 1e-7, 12.1])
def test_pairs_of_a_verdict_are_neighbours(sensitivity):
    """None is more than Delta apart, not by the last digit."""
    m = svt.variant("alg4").calibrate(epsilon=1.0, c=2, sensitivity=sensitivity)
    shown = svt.decide(m).certificate
    moves = [abs(Fraction(b) - Fraction(a)) for a, b in zip(shown.answers, shown.neighbour, strict=True)]
    assert shown.exceeds(1) and 0.99 * sensitivity < max(moves) <= Fraction(sensitivity)


def test_a_cost_just_above_the_claim_is_above_it():
    """1 + 2e-13 is not 1, and is shown with the digits that tell them apart; a last digit of a float is rounding."""
    above = mechanism(Laplace(2 / (1 + 2e-13)), Laplace(4 / (1 + 2e-13)))
    proof = svt.prove(above)
    assert not proof.holds and proof.epsilon > 1 + 1.9e-13 and "the cheapest costs 1.0000000000002" in repr(proof)
    assert svt.decide(above).private is False and not check_proof(above, **STAY).holds
    for epsilon in np.geomspace(1e-3, 1e3, 13).tolist():
        m = svt.variant("alg7").calibrate(epsilon=epsilon, c=7, sensitivity=0.7)
        decision = svt.decide(m)
        assert decision.private and epsilon <= decision.epsilon <= epsilon * (1 + 1e-14)
        assert decision.proof.at_most <= decision.epsilon


def test_no_query_noise_is_no_query_noise_in_the_proof_too():
    """`query_scale=None` is what `calibrate` makes of it, and was a traceback."""
    v = replace(svt.variant("alg1"), query_scale=None)
    assert svt.prove(v).failing_step == svt.prove(v.calibrate(epsilon=1.0)).failing_step == "positives"


# Within its premises the theorem answers


@pytest.mark.parametrize(
    ("rho", "nu", "changes", "epsilon"),
    [
        (0.5, 4000.0, {}, 2.0003),
        (1.0, 1e4, {}, 1.0001),
        (0.999, 1e6, {"c": 2}, 1.001003),
        (2.0, 3.0, {"c": 100_000}, 66_000.0),
        (1.0, 1e4, {"c": 2, "refresh": True}, 2.0003),
    ],
)
def test_a_pair_too_long_to_write_is_not_needed(rho, nu, changes, epsilon):
    """For Laplace noise, signed answers and indicators nothing below the cost holds, and decide says so."""
    decision = svt.decide(mechanism(Laplace(rho), Laplace(nu), **changes), epsilon)
    assert decision.private is False and decision.certificate is None and epsilon < decision.proof.epsilon
    assert "losses come as close to" in repr(decision)
    assert svt.decide(decision.mechanism, decision.proof.epsilon).private is True


@pytest.mark.parametrize("sensitivity", [0.5, 0.3, 3.0])
@pytest.mark.parametrize("epsilon", [0.4, 10.0, 100.0])
def test_without_query_noise_a_pair_lies_within_the_sensitivity(sensitivity, epsilon):
    """Monotonic, c = 3, Delta = 0.5 was not decided: the places tried were whole numbers."""
    m = mechanism(Laplace(1.0), NoNoise(), sensitivity=sensitivity, monotonic=True, c=3)
    decision = svt.decide(m, epsilon)
    assert decision.private is False and decision.certificate.exceeds(epsilon)


def test_a_bound_keeps_its_exponent():
    """8.1E-8 is not 8.1: in the words of a verdict and of an enclosure, however many digits it has."""
    decision = svt.decide(mechanism(Laplace(1e7), Laplace(2e7)), 1e-8)
    assert repr(decision).endswith("E-8") and decision.certificate.rounded(3)[0] == "7.99E-8"
    shown = svt.certify(*(getattr(decision.certificate, k) for k in ("mechanism", "answers", "neighbour", "outcome")),
                        decision.certificate.threshold, digits=60)  # fmt: skip
    assert repr(shown).count("…E-8") == 2


# Everything ends


class Logistic(Noise):
    """Noise of one's own."""

    log_concave = True

    def sample(self, rng, size=None):
        return rng.logistic(0.0, 1.0, size)

    def logpdf(self, x):
        return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))

    def logcdf(self, x):
        return -np.logaddexp(0.0, -np.asarray(x))

    def logsf(self, x):
        return -np.logaddexp(0.0, np.asarray(x))

    def at_least_inverse(self, log_probability):
        return -np.log(np.expm1(-np.asarray(log_probability)))

    def moments(self):
        return 0.0, math.pi**2 / 3


class Lopsided(Logistic):
    """Exponential on each side, a hundred times as wide below: a step down is cheap, and a step up is not."""

    moves, price = (1, -1), lambda self, shift: Fraction(shift) / (2 if shift > 0 else -200)

    def logpdf(self, x):
        return np.minimum(np.asarray(x) / 200, -np.asarray(x) / 2) - math.log(202)


def test_noise_of_ones_own_pays_for_the_dearer_direction():
    """0.01 was said to be proved where a pair loses 0.75; and of a variant the noise counts, not its name."""
    assert svt.prove(mechanism(Lopsided(), Lopsided(), c=1)).epsilon == 1.5
    narrow = replace(svt.variant("alg1"), threshold_family=lambda scale: Laplace(scale / 1024))
    assert not svt.prove(narrow).holds and "1024ε₁" in repr(svt.prove(narrow))
    with pytest.raises(ValueError, match="threshold_family and query_family must take the scale of their noise"):
        svt.prove(replace(svt.variant("alg1"), threshold_family=lambda scale: Laplace(scale**2)))


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ({"scale": -1.0}, "the scale of .* must be greater than 0, got -1"),
        ({"scale": math.inf}, "the scale of .* must be a finite real number, got inf"),
        ({"scale": 1.0, "moves": "ab"}, "the moves of .* must be .*, got 'ab'"),
        ({"scale": 1.0, "moves": (1, -1, 2)}, "the moves of .* must be .*, got .1, -1, 2."),
        ({"price": lambda self, shift: -1}, "a price of .* must be positive"),
        ({"price": lambda self, shift: 1}, "a price of .* twice as high for a move twice as far"),
        ({"price": lambda self, shift: math.inf}, "the price of .* must be a finite real number, got inf"),
        ({"scale": 1.01}, "the density of .* falls faster than its price says"),
        ({"scale": 2.0, "logpdf": lambda self, x: -np.floor(np.abs(x) / 2)}, "falls faster"),  # in steps
        ({"scale": 1.0, "logpdf": lambda self, x: -np.sqrt(np.abs(x))}, "falls faster"),  # steeply near 0
        ({"scale": 2, "discrete": True, "logpdf": lambda self, k: np.where(k % 2, -np.inf, -k / 2)}, "falls faster"),
        ({"scale": 1.0, "logpdf": lambda self, x: np.where(np.abs(x) < 100, 0.0, -np.inf)}, "falls faster"),
        ({"scale": 1.0, "logpdf": lambda self, x: -x * x / 1058}, "falls faster"),  # far out
        ({"scale": 1.0, "logpdf": lambda self, x: np.where(np.abs(x) < 1023.5, 0.0, -np.inf)}, "falls faster"),
        ({"scale": 100.0, "logpdf": lambda self, x: np.where(np.abs(x - 2) < 1, 0.0, -np.inf)}, "falls faster"),
        ({"scale": 2.0, "logpdf": lambda self, x: np.where(np.abs(x) < 1, -np.abs(x), np.nan)}, "must be finite"),
        ({"scale": 1.0, "logpdf": lambda self, x: 0.0}, "a number for each of an array"),
        ({"scale": 1.0, "logpdf": lambda self, x: -math.fabs(x)}, "must take an array of numbers"),
    ],
)
def test_noise_of_ones_own_that_cannot_cost_what_it_says_is_refused(says, message):
    """With the scale -1 `decide` said private, at a cost of -1, where one pair loses 2.98."""
    noise = type("Mine", (Logistic,), {"moves": (1, -1), **says})()
    with pytest.raises(ValueError, match=message):
        mechanism(noise, noise, c=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"discrete": True}, "noise must have a density here, or be Geometric"),
        ({"logsf": lambda self, x: np.where(np.asarray(x) < 3, -0.5, -np.inf)}, "noise must be unbounded here"),
        ({"moments": lambda self: (0.0, math.inf)}, "noise must have a variance here"),
    ],
)
def test_noise_that_is_not_integrated_is_refused(changes, message):
    """A probability of 0 was said where it is not, or nothing for a minute."""
    own = type("Own", (Logistic,), changes)()
    other = Geometric(1.0) if own.discrete else Laplace(1.0)
    for pair in ((own, other), (other, own)):
        with pytest.raises(ValueError, match=message):
            svt.log_probability(mechanism(*pair), [0, 1], "⊥⊤")
        with pytest.raises(ValueError, match=f"{message}|to be searched with floats"):
            svt.worst_case(mechanism(*pair), 2)


class FarOff(Logistic):
    """Likeliest at 9."""

    def logpdf(self, x):
        return super().logpdf(np.asarray(x) - 9)

    def logcdf(self, x):
        return super().logcdf(np.asarray(x) - 9)

    def logsf(self, x):
        return super().logsf(np.asarray(x) - 9)


def test_a_gap_takes_noise_that_is_likeliest_at_0():
    """Elsewhere its density was bounded too low: a loss of 3.2 was said where 1 is right."""
    own = mechanism(Laplace(1.0), FarOff(), c=1)
    assert svt.log_probability(own, [0.0], "⊤") < 0
    with pytest.raises(ValueError, match="noise of the queries must be likeliest at 0"):
        svt.log_probability(replace(own, release="gap"), [0.0], [1.0])
    with pytest.raises(ValueError, match="noise of the queries must be likeliest at 0"):
        svt.worst_case(replace(own, release="gap"), 2)


@pytest.mark.parametrize("correction", one_in(3, [0.5, 0.0, -2.25]))
def test_a_number_below_the_raised_threshold_is_tried(correction):
    """Of whole noise none was, where the correction was a fraction: what releases the number passed."""
    own = mechanism(Geometric(2.0), Geometric(4.0), c=1, release="compared", correction=correction)
    assert not svt.check_alignment(own, rng=np.random.default_rng(0), trials=300).holds
    assert svt.check_alignment(replace(own, release="indicator"), rng=np.random.default_rng(0), trials=300).holds


def test_noise_of_ones_own_is_computed_and_not_enclosed():
    """certify says what is missing, and what takes any noise; a subclass is no known law either."""
    own = mechanism(Logistic(), Logistic())
    assert math.isfinite(svt.privacy_loss(own, [0, 0], [1, -1], "FT"))
    with pytest.raises(ValueError, match=r"noise must be one of Exponential, .* got .*; svt\.privacy_loss"):
        svt.certify(own, [0, 0], [1, -1], "FT")


ABSOLUTE = mechanism(Laplace(2.0), Laplace(4.0), compare="absolute")
STEPS = [k / 10 for k in range(200)]
UP = [x + 0.5 for x in STEPS]


@pytest.mark.parametrize(
    "call",
    [
        lambda: svt.certify(mechanism(Laplace(2.0), Gumbel(6.0)), [0, 50, 0], [1, 49, 1], "FFT").upper < 0,
        lambda: svt.certify(mechanism(Gumbel(2.0), Gumbel(4.0)), [0, 5, 0], [1, 4, 1], "FFT").upper < 0,
        lambda: svt.certify(mechanism(Laplace(2.0), Gumbel(4.0)), [300.0], [301.0], "F").upper <= 0.501,
        lambda: svt.certify(mechanism(Gumbel(2.0), Gumbel(4.0)), [300.0], [301.0], "F").upper <= 0.501,
        lambda: svt.certify(ABSOLUTE, STEPS[:50], UP[:50], "F" * 49 + "T", 30),
        lambda: svt.certify(mechanism(Laplace(2.0), Laplace(4.0)), [1e30], [1e30], "F").upper <= 1e-9,
    ],
    ids=["Gumbel far", "Gumbel twice", "rare Gumbel", "rare Gumbel twice", "50 absolute", "far beyond floats"],
)
def test_an_enclosure_ends_with_an_answer(call):
    assert call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: svt.certify(mechanism(Geometric(1e4), Geometric(1e6)), [0, 0], [1, 1], "FT"), "evaluations"),
        (lambda: svt.worst_case(svt.variant("alg1").calibrate(epsilon=1e50), 5), "noise must be within a factor"),
        (lambda: svt.worst_case(svt.variant("alg1").calibrate(epsilon=1e-9), 3), "noise must be within a factor"),
        (lambda: svt.worst_case(svt.variant("geometric").calibrate(epsilon=1e-5), 3), "within a factor of 10000"),
        (lambda: svt.worst_case(mechanism(Laplace(1e30), Laplace(1e-30)), 3), "noise must be within a factor"),
        (lambda: svt.worst_case(ALG1, 3, 1e16), "threshold must be so near to 0"),
        (lambda: svt.privacy_loss(ALG1, [1e301], [1e301], "F"), "outcome must be likelier than exp"),
        (
            lambda: svt.privacy_loss(mechanism(NoNoise(), Gumbel(1.0)), [709.9], [710.5], "F"),
            "outcome must be likelier",
        ),
        (lambda: svt.privacy_loss(mechanism(Exponential(1.0), Exponential(1.0)), [-1e155], [-1e155], "T"), "nearer"),
        (
            lambda: svt.worst_case(
                mechanism(Laplace(0.002), Gaussian(8e8), compare="absolute", sensitivity=1e3),
                *(2, 0.0),
                answers_grid=[5e8, -2.5e8],
                deltas=[1e3],
            ),
            "losses that can be computed",
        ),
        (lambda: Scores([1.0], [10**11], "exact", "ties").top(10**11), "k must be at most 100,000,000"),
    ],
)
def test_what_is_too_far_is_said(call, message):
    """A ValueError at once, and not a traceback, a false infinity or a night."""
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.full
def test_the_slowest_enclosure_and_verdict_end():
    """200 different absolute and Gaussian queries, scales of 10^-50: within ten seconds each."""
    gaussian = mechanism(Gaussian(2.0), Gaussian(4.0)), STEPS, UP, "F" * 199 + "T"
    before = time.process_time()
    assert svt.certify(ABSOLUTE, STEPS, UP, "F" * 199 + "T", 30)
    with pytest.raises(ValueError, match="evaluations of a comparison"):
        svt.certify(*gaussian)
    assert svt.decide(svt.variant("alg1").calibrate(epsilon=1e50), 1e49).private is False
    assert svt.decide(mechanism(Laplace(1.0), Gaussian(1e8), compare="absolute")).private is None
    assert time.process_time() - before < 30


def test_ties_beyond_memory_have_a_rank():
    """10^11 items with one score: the k-th is known without a list of them."""
    scores = Scores([2.0, 1.0], [10**11, 5], "exact", "ties")
    assert scores.at_rank(10**11) == 2.0 and scores.threshold(10**11) == 1.5


@pytest.mark.full
def test_a_narrow_integral_is_refused_and_not_guessed():
    """Query noise of 1e-3 beside threshold noise of 1e4 on tens of thousands of scores."""
    m, kosarak = mechanism(Laplace(1e4), Laplace(1e-3), c=50, monotonic=True), svt.load_scores("kosarak")
    with pytest.raises(ValueError, match="query_noise must be wider beside the threshold noise"):
        svt.expected_error(m, kosarak, kosarak.threshold(50))


@pytest.mark.parametrize("epsilon", [1e-3, 1e-5])
def test_a_small_epsilon_is_searched_as_well_as_a_large_one(epsilon):
    """Absolute tolerances stopped at a tenth of it: nine tenths of what is lost at epsilon = 1 are found."""
    m = svt.variant("above_threshold").calibrate(epsilon=epsilon)
    assert svt.worst_case(m, 8).loss > 0.9 * epsilon


def test_no_threshold_noise_has_no_renyi_bound():
    """It was NaN, which is no epsilon."""
    assert svt.renyi_bound(mechanism(NoNoise(), Laplace(4.0)), 3.0, n=10).epsilon == math.inf


def test_an_audit_shows_certainty_as_such():
    """500 of 500 runs, and not "1 of 500"."""

    def sampler(data, trials, rng):
        return np.full(trials, data[0])

    found = svt.audit(sampler, [1], [2], trials=1000, rng=np.random.default_rng(1))
    assert "in 500 of 500 runs on D and 0 on D′" in repr(found)


# A reader's proof


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"above": lambda d, D: (2 - 1e-8) * D}, "A ⊤ becomes ⊥"),
        ({"rho": lambda D: (1 - 1e-9) * D}, "A ⊥ becomes ⊤"),
        ({"above": lambda d, D: 2 * D - 1e-20 * D}, "A ⊤ becomes ⊥, by so little that floats do not show it"),
    ],
)
def test_nearly_is_not_enough(change, why):
    """A multiple is the number that it is, not the fraction of small denominator next to it."""
    assert check_proof(ALG1, **(STAY | change)).reason == why


def caught(d, D):
    """Takes the refusal for an answer."""
    try:
        return D - d if d != 7 else 0
    except Exception:
        return D - d


@pytest.mark.parametrize(
    "above",
    [
        caught,
        lambda d, D: 0 if isinstance(d, float) else D - d,
        lambda d, D: D - d + (d - D) * (d + D) * (3 * d - D) * (5 * d + 2 * D) * d,
        lambda d, D: D - d if d != 7 else 0,
        lambda d, D: D - (d if d < 5 else 0),
        lambda d, D: max(D - d, 0),
        lambda d, D: round(D) - d,
        lambda d, D: D - d + 1,
        lambda d, D: abs(d),
        lambda d, D: D * float(d),
        lambda d, D: D**2,
        lambda d, D: D / d,
    ],
)
def test_a_move_is_the_same_sum_everywhere(above):
    """Right at some places is not enough: a move is run with symbols."""
    with pytest.raises(ValueError, match="above must be a sum of multiples of d and Delta"):
        check_proof(ALG1, **(STAY | {"above": above}))


@pytest.mark.parametrize("rho", [lambda D: D * 1e308 * 10, lambda D: [1][5], lambda D: D * np.nan, lambda D: D * "2"])
def test_a_move_that_is_none_is_said(rho):
    with pytest.raises(ValueError, match="rho must"):
        check_proof(ALG1, **(STAY | {"rho": rho}))


def test_a_raised_threshold_fails_at_its_own_place():
    m = replace(ALG1, correction=5.0)
    f = check_proof(m, **(STAY | {"above": lambda d, D: D})).failure
    assert f.threshold == -5 and f.outcome != f.neighbour_outcome


def test_half_a_proof_needs_monotonic_queries():
    """The rising half alone was accepted for a mechanism that has no halves; and it says which half it is."""
    for direction in ("rising", "falling"):
        with pytest.raises(ValueError, match="direction must be one of 'any'"):
            check_proof(svt.variant("alg7").calibrate(epsilon=1.0), **STAY, direction=direction)
    m = svt.variant("alg7").calibrate(epsilon=1.0, monotonic=True)
    assert "for all answers that rise" in check_proof(m, **STAY, direction="rising").reason


def test_failing_noise_is_noise_of_the_mechanism():
    """Noise that is never positive fails at a place where it can be."""
    m = mechanism(Laplace(2.0), Exponential(2.0, sign=-1))
    f = check_proof(m, **(STAY | {"above": lambda d, D: D / 2})).failure
    assert f.tape.nu[0] <= 0 and f.moved.nu[0] <= 0
