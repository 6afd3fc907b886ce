"""Every public name refuses bad input with a ValueError that names the argument."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import svtlib as svt
from svtcourse.chapter import accuracy
from svtcourse.chapter.clipping import clipping_bound, first_positives
from svtcourse.chapter.renyi import gaussian_noise
from svtlib.budget import Budget, Scale
from svtlib.guarantee import Approximate, Renyi, pure
from svtlib.noise import Noise
from svtlib.select.counts import Counts
from svtlib.select.scores import Scores

ALG1 = svt.variant("alg1").calibrate(epsilon=1.0)
ALG1_TWICE = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
ALG3 = svt.variant("alg3").calibrate(epsilon=1.0)
ALG5 = svt.variant("alg5").calibrate(epsilon=1.0)
ALG6 = svt.variant("alg6").calibrate(epsilon=1.0)
RNG = np.random.default_rng(1)
LAPLACE = svt.Laplace(1.0)
SAMPLER = svt.sampler_of(ALG1)
ABSOLUTE = svt.variant("abs_value").calibrate(epsilon=1.0)
PAIR = {"mechanism": ALG1, "answers": [0, 0], "neighbour": [0, 1], "outcome": "⊥⊥", "threshold": [0, 0]}
INTEGERS = svt.variant("geometric").calibrate(epsilon=1.0)
NORMAL = replace(ALG1, query_noise=svt.Gaussian(1.0))


AGES = Counts(("age",), [17, 40], [2, 1], "made up")
TWO = Counts(("age", "sex"), [(17, "F")], [2], "made up")
TENTH = svt.variant("alg1").calibrate(epsilon=1.0, sensitivity=0.1)
BOUNDS = ([], [3, 2], [1, 1], [math.nan], "1", [[1, 2]])  # empty, descending, equal, no numbers, not a list of them
FEW = Scores([3, 1], [2, 5], "exact", "made up")


def simulate(key, **change):
    """A simulation with one argument damaged."""
    mechanism = svt.variant(key).calibrate(epsilon=1.0)
    return svt.simulate(mechanism, FEW, 0.0, **({"trials": 2, "rng": RNG} | change))


# Squares and quotients of these leave floating point; the last is no float at all.
EXTREME = (1e-300, 1e165, 10**400)


def scales(family):
    """The bad scales of a noise family."""
    wrong = (0, -1.0, math.nan, math.inf, "1", True, None, *EXTREME)
    return [(lambda bad=bad: family(bad), "scale must be") for bad in wrong]


def epsilons(call):
    """The bad values of epsilon."""
    wrong = (0, -1, math.nan, math.inf, "1", None, 1j, *EXTREME)
    return [(lambda bad=bad: call(bad), "epsilon must be") for bad in wrong]


def mechanism(**change):
    """A mechanism with one argument damaged."""
    good = {"name": "m", "threshold_noise": LAPLACE, "query_noise": LAPLACE, "c": 1, "epsilon": 1.0}
    return lambda: svt.Mechanism(**(good | {"epsilon1": 0.5, "epsilon2": 0.5} | change))


def selections(select):
    """The bad calls of a function that selects c of an array of scores."""
    good = {"epsilon": 1.0, "rng": RNG}
    return [
        *epsilons(lambda bad: select([1, 2], 1, epsilon=bad, rng=RNG)),
        (lambda: select([], 1, **good), "scores must have at least one entry"),
        (lambda: select([1, math.nan], 1, **good), "scores must be finite"),
        (lambda: select([[1, 2]], 1, **good), "scores must be one-dimensional"),
        (lambda: select([1, 2], 0, **good), "c must be an integer of at least 1"),
        (lambda: select([1, 2], 3, **good), "c must be at most 2"),
        (lambda: select([1, 2], 1, sensitivity=-1, **good), "sensitivity must be greater than 0"),
        (lambda: select([1, 2], 1, monotonic="no", **good), "monotonic must be True or False"),
        (lambda: select([1, 2], 1, epsilon=1.0, rng=None), "rng must be a numpy.random.Generator"),
    ]


# name -> list of (call that must fail, pattern of the message); after the public names those that a module offers
BAD = {
    "ABORT": [(lambda: svt.log_probability(ALG1, [0], [svt.ABORT]), "outcome")],
    "Approximate": [
        (lambda: Approximate(-1), "epsilon must be at least 0"),
        (lambda: Approximate(1, 1.5), "delta must be from 0 to 1"),
    ],
    "Bits": [
        (lambda: svt.Bits(seed=-1), "seed must be an integer of at least 0"),
        (lambda: svt.Bits(seed=0).geometric(0), "scale must be greater than 0"),
        (lambda: svt.Bits(seed=0).geometric(math.inf), "scale must be a finite real number"),
        (lambda: svt.Bits(seed=0).geometric(2, sides=3), "sides must be one of"),
        (lambda: svt.Bits(seed=0).draw(LAPLACE), "bits draw integer noise only"),
        (lambda: svt.Bits(seed=0).below(0), "n must be an integer of at least 1"),
        (lambda: svt.Bits(seed=0).bernoulli(Fraction(3, 2)), "p must be from 0 to 1"),
        (lambda: svt.Bits(seed=0).bernoulli_exp(Fraction(-1)), "x must be at least 0"),
    ],
    "Budget": [
        *epsilons(lambda bad: Budget(bad)),
        (lambda: Budget(1.0, c=0), "c must be an integer"),
        (lambda: Budget(1.0, epsilon3=1.0), "epsilon3 must be less than epsilon"),
        (lambda: Budget(1.0, split=-1), "split must be"),
        (lambda: Budget(1.0, monotonic=1), "monotonic must be True or False"),
    ],
    "BudgetExhausted": [
        (lambda: svt.Session(ALG1, rng=RNG, tape=svt.NoiseTape([0], [0])), "exactly one of rng and tape")
    ],
    "Exponential": [*scales(svt.Exponential), (lambda: svt.Exponential(1.0, sign=0), "sign must be one of")],
    "Gaussian": scales(svt.Gaussian),
    "Geometric": [
        *scales(svt.Geometric),
        (lambda: svt.Geometric(1e15), "scale must be at most 1e.14 for integer noise"),
        (lambda: svt.Geometric(1.0, sides=3), "sides must be one of"),
    ],
    "Gumbel": scales(svt.Gumbel),
    "Laplace": scales(svt.Laplace),
    "Mechanism": [
        *epsilons(lambda bad: mechanism(epsilon=bad)()),
        (mechanism(c=0), "c must be an integer of at least 1"),
        (mechanism(c=1.0), "c must be an integer of at least 1"),
        (mechanism(c=True), "c must be an integer of at least 1"),
        (mechanism(c=10**400), "c must be at most 1,000,000,000,000, got an integer of 1329 bits"),
        (mechanism(sensitivity=-1), "sensitivity must be greater than 0"),
        (mechanism(epsilon3=-0.1), "epsilon3 must be at least 0"),
        (mechanism(query_noise=1.0), "query_noise must be a Noise"),
        (mechanism(refresh=True, refresh_noise=1.0), "refresh_noise must be a Noise or None"),
        (mechanism(refresh_noise=LAPLACE), "refresh_noise must be None"),
        (mechanism(refresh="yes"), "refresh must be True or False"),
        (mechanism(release="fresh"), "release_noise must be given"),
        (mechanism(release_noise=LAPLACE), "release_noise must be given"),
        (mechanism(cutoff="c"), "cutoff must be one of"),
        (mechanism(release="gap", compare="absolute"), 'compare must be "signed"'),
        (mechanism(release="gap", query_noise=svt.NoNoise()), "query_noise must be on a line"),
        (mechanism(release="gap", query_noise=svt.Geometric(2.0)), "query_noise must be on a line"),
        (mechanism(correction=float("nan")), "correction must be a finite real number"),
        (mechanism(compare="abs"), "compare must be one of"),
        (mechanism(query_noise=Noise), "query_noise must be a Noise"),
    ],
    "NoNoise": [(lambda: mechanism(query_noise=svt.NoNoise)(), "query_noise must be a Noise")],
    "NoiseTape": [
        (lambda: svt.NoiseTape([math.nan], [0]), "rho must be finite"),
        (lambda: svt.NoiseTape([0], [[0]]), "nu must be one-dimensional"),
        (lambda: svt.NoiseTape([0], ["a"]), "nu must be real numbers"),
    ],
    "Renyi": [
        (lambda: Renyi(1.0, 1.0), "order must be greater than 1"),
        (lambda: Renyi(2.0, -1.0), "epsilon must be at least 0"),
        (lambda: Renyi(2.0, 1.0).approximate(0), "delta must be greater than 0"),
    ],
    "Scale": [
        (lambda: Scale("epsilon2")(Budget(0.0)), "epsilon must be"),
        (lambda: svt.variant("alg1").calibrate(epsilon=1e-60, sensitivity=1e60), "epsilon must give noise scales from"),
        (lambda: svt.variant("alg7").calibrate(epsilon=1e-30, split=1e-80), "epsilon must give noise scales from"),
    ],
    "Session": [
        (lambda: svt.Session(ALG1), "exactly one of rng and tape"),
        (lambda: svt.Session("alg1", rng=RNG), "mechanism must be a Mechanism"),
        (lambda: svt.Session(ALG1, rng=1), "rng must be a numpy.random.Generator"),
        (lambda: svt.Session(ALG1, tape=(0, 0)), "tape must be a NoiseTape"),
        (lambda: svt.Session(ALG1, rng=svt.Bits()), "mechanism must have integer noise where rng is Bits"),
        (lambda: svt.Session(INTEGERS, rng=svt.Bits()).ask(0.5), "answer must be a whole number where the noise is"),
        (lambda: svt.Session(INTEGERS, rng=svt.Bits()).ask(0, math.inf), "threshold must be a finite real number"),
        (lambda: svt.Session(replace(INTEGERS, sensitivity=1.5), rng=svt.Bits()), "sensitivity must be a whole"),
        (lambda: svt.Session(ALG1, rng=RNG).ask(math.nan), "answer must be a finite"),
        (lambda: svt.Session(ALG1, rng=RNG).ask(0, math.inf), "threshold must be a finite"),
        (lambda: svt.Session(ALG1, rng=RNG).ask("1"), "answer must be a finite real number"),
    ],
    "Ledger": [
        (lambda: svt.Ledger(3, INTEGERS, budget=1.0), "path must be a str or a Path, got 3"),
        (lambda: svt.Ledger("no.jsonl", ALG1, budget=1.0), "mechanism must have integer noise where rng is Bits"),
        (lambda: svt.Ledger("no.jsonl", "alg1", budget=1.0), "mechanism must be a Mechanism"),
        (lambda: svt.Ledger("no.jsonl", INTEGERS, budget=0), "budget must be greater than 0"),
        (lambda: svt.Ledger("no.jsonl", INTEGERS, budget=1.0, bits=RNG), "bits must be Bits or None"),
        (
            lambda: svt.Ledger("no.jsonl", replace(INTEGERS, cutoff=None), budget=1.0),
            "mechanism must be private, but no alignment of geometric has a finite cost",
        ),
        (lambda: svt.Ledger("no.jsonl", INTEGERS, budget=1.0, seal="3:ab"), "does not go as far as the seal '3:ab'"),
    ],
    "Workload": [
        (lambda: svt.Workload([], [bool]), "records must have at least one entry, got 0"),
        (lambda: svt.Workload(3, [bool]), "records must be an iterable of records, got 3"),
        (lambda: svt.Workload("abc", [bool]), "records must be an iterable of records, got 'abc'"),
        (lambda: svt.Workload([1, 2, 1], [bool]), "records must be distinct, got 1 twice"),
        (lambda: svt.Workload([[1]], [bool]), "records must be hashable"),
        (lambda: svt.Workload(range(2**20), [bool] * 20), "records and queries must make at most 16,777,216 pairs"),
        (lambda: svt.Workload([1], []), "queries must be a dict or a sequence of at least one callable"),
        (lambda: svt.Workload([1], bool), "queries must be a dict or a sequence of at least one callable"),
        (lambda: svt.Workload([1], {1: bool}), "queries must have a str as name, got 1"),
        (lambda: svt.Workload([1], [3]), "queries must be callables, got 3 for query '0'"),
        (lambda: svt.Workload([1], [float]), "queries must give True, False, an integer or a Fraction"),
        (lambda: svt.Workload([1], [bool]).answers([2]), "data must consist of records of the domain, got 2"),
        *[(lambda bad=bad: svt.Workload([1], [bool]).answers(bad), "data must be records") for bad in (3, [[1]])],
        (lambda: svt.Workload([1], [bool]).answers({1: -1}), "data must be an integer of at least 0"),
        *[
            (lambda bad=bad: svt.Workload.subsets(bad), "items must")
            for bad in (0, -1, 1.5, [], "ab", [1, "1"], [1, 1])
        ],
        *[(lambda bad=bad: svt.Workload.subsets(3, at_most=bad), "at_most must be") for bad in (-1, 4, 1.0)],
        (lambda: svt.Workload([1], [bool]).sensitivity("swap"), "neighbours must be one of"),
    ],
    "audit": [
        (lambda: svt.audit(ALG1, [0], [1], trials=1000, rng=RNG), "sampler must be callable"),
        (lambda: svt.audit(SAMPLER, [0], [1], trials=1000, rng=None), "rng must be a numpy.random.Generator"),
        *[
            (lambda bad=bad: svt.audit(SAMPLER, [0], [1], trials=1000, rng=RNG, confidence=bad), "confidence must be")
            for bad in (0, 1, 1.5, math.nan, None)
        ],
        (lambda: svt.audit(SAMPLER, [math.nan], [1], trials=1000, rng=RNG), "answers must be finite"),
        (lambda: svt.audit(lambda q, k, rng: ["a"] * k, 0, 1, trials=1000, rng=RNG), "sampler must return an array"),
        (lambda: svt.audit(lambda q, k, rng: [0] * 9, 0, 1, trials=1000, rng=RNG), "sampler must return .* 500 rows"),
        (lambda: svt.audit(lambda q, k, rng: [math.inf] * k, 0, 1, trials=1000, rng=RNG), "must return finite"),
        (lambda: svt.audit(lambda q, k, rng: [[0] * q] * k, 1, 2, trials=1000, rng=RNG), "rows of one width"),
        (lambda: svt.audit(SAMPLER, [0], [1], trials=10, rng=RNG), "trials must be an integer of at least"),
    ],
    "catalogue": [(lambda: svt.variant("Alg. 1"), "key must be one of alg1, alg2")],
    "check_alignment": [
        *epsilons(lambda bad: svt.check_alignment(ALG1, rng=RNG, epsilon=math.nan if bad is None else bad)),
        (lambda: svt.check_alignment("alg1", rng=RNG), "mechanism must be a Mechanism"),
        (lambda: svt.check_alignment(ALG1, rng=RNG, n=0), "n must be an integer of at least 1"),
        (lambda: svt.check_alignment(ALG1, rng=RNG, trials=0.5), "trials must be an integer of at least 1"),
        (lambda: svt.check_alignment(ALG1, rng=1), "rng must be a numpy.random.Generator"),
    ],
    "claim": [(lambda: svt.claim("no-such-claim", holds=True, evidence="none"), "id")],
    "exponential_mechanism": [
        *selections(svt.exponential_mechanism),
        (lambda: svt.exponential_mechanism([1, 2], 1, epsilon=1.0, trials=2, rng=RNG), "trials must be 1 for an array"),
        (lambda: svt.exponential_mechanism(FEW, 8, epsilon=1.0, rng=RNG), "c must be at most 7"),
        (lambda: svt.exponential_mechanism(FEW, 2, epsilon=1.0, trials=0, rng=RNG), "trials must be an integer"),
        (lambda: svt.exponential_mechanism(FEW, 2, epsilon=1.0, rng=1), "rng must be a numpy.random.Generator"),
        (lambda: svt.exponential_mechanism([0, 0], 1, epsilon=1.0, rng=RNG).ser(), "of scores whose c highest sum"),
    ],
    "failure_probability": [
        (lambda: svt.failure_probability("alg1", [0], alpha=1), "mechanism must be a Mechanism"),
        (lambda: svt.failure_probability(ABSOLUTE, [0], alpha=1), "mechanism must compare signed values"),
        (lambda: svt.failure_probability(ALG1, [math.nan], alpha=1), "answers must be finite"),
        (lambda: svt.failure_probability(ALG1, [0], alpha=-1), "alpha must be at least 0"),
        (lambda: svt.failure_probability(ALG1, [0], math.inf, alpha=1), "threshold must be a finite"),
        (lambda: svt.failure_probability(ALG1, [0], alpha=1, correction=math.nan), "correction must be a finite"),
        (lambda: svt.failure_probability(ALG1, [0] * 13, alpha=1), "answers must have at most 12 entries within alpha"),
    ],
    "load_adult": [
        *[(lambda bad=bad: svt.load_adult(bad), "column") for bad in ("Age", None, 3)],
        (lambda: AGES.rows_above([math.nan]), "bounds must be finite"),
        (lambda: TWO.rows_above([1]), "rows_above needs counts of one column"),
    ],
    "load_scores": [(lambda: svt.load_scores("netflix"), "name")],
    "log_probability": [
        (lambda: svt.log_probability("alg1", [0], "⊥"), "mechanism"),
        (lambda: svt.log_probability(ALG1, [0, 0], "⊥⊥", [1, 2, 3]), "threshold must have length 2"),
    ],
    "noisy_max_law": [
        *epsilons(lambda bad: svt.noisy_max_law([0, 1], epsilon=bad)),
        (lambda: svt.noisy_max_law([], epsilon=1.0), "scores must have at least one entry"),
        (lambda: svt.noisy_max_law([0, 1], epsilon=1.0, noise="gaussian"), "noise must be one of"),
        (lambda: svt.noisy_max_law([0, math.nan], epsilon=1.0), "scores must be finite"),
        (lambda: svt.noisy_max_law([0, 1], epsilon=1.0, sensitivity=0), "sensitivity must be greater"),
    ],
    "prove": [
        (lambda: svt.prove("alg1"), "subject must be a Variant or a Mechanism"),
        *[(lambda bad=bad: svt.prove(svt.variant("alg1"), monotonic=bad), "monotonic") for bad in ("yes", 1)],
        (lambda: svt.prove(ALG1, monotonic=True), "must not be given"),
        (lambda: svt.prove(svt.variant("alg1"), numbers=True), "numbers must be False for alg1"),
    ],
    "certify": [
        (lambda: svt.certify("alg1", [0], [1], "⊥"), "mechanism must be a Mechanism"),
        (lambda: svt.certify(ALG1, [0], [1, 1], "⊥"), "neighbour must have length 1"),
        (lambda: svt.certify(ALG1, [0], [1], "⊥", digits=0), "digits"),
        (lambda: svt.certify(ALG1, [0], [1], "⊥", digits=1001), "digits must be at most 1,000"),
        (lambda: svt.certify(ALG1, [0], [1], "⊥⊥"), "outcome"),
        (lambda: svt.certify(ALG1, [math.nan], [1], "⊥"), "answers"),
        (lambda: svt.certify(ALG5, [1, 0], [0, 0], "⊥⊤"), "outcome must be possible on answers"),
        (lambda: svt.certify(ALG1, [0], [1], "⊥").exceeds("much"), "much"),
    ],
    "decide": [
        *[(lambda bad=bad: svt.decide(ALG1, bad), "epsilon") for bad in (0, -1.0, math.nan, "1")],
        (lambda: svt.decide(svt.variant("alg4")), r'svt\.variant\("alg4"\)\.calibrate\(epsilon=1\.0\) makes one'),
    ],
    "privacy_loss": [
        (lambda: svt.privacy_loss(ALG1, [0, 0], [0], "⊥⊥"), "neighbour must have length 2"),
        (lambda: svt.privacy_loss(ALG1, [0], [2], "⊥"), "neighbour"),
        *[
            (lambda name=name, bad=bad: svt.privacy_loss(**(PAIR | {name: [0.0, bad]})), name)
            for name in ("answers", "neighbour", "threshold")
            for bad in (math.nan, math.inf, -math.inf, "1", None, 1j, [[0.0]], object())
        ],
    ],
    "pure": [(lambda: pure(math.nan), "epsilon must be a finite real number")],
    "run": [
        (lambda: svt.run(ALG1, [0]), "exactly one of rng and tape"),
        (lambda: svt.run("alg1", [0], rng=RNG), "mechanism must be a Mechanism"),
        (lambda: svt.run(ALG1, [0, math.nan], rng=RNG), "answers must be finite, got .*nan.* at index 1"),
        (lambda: svt.run(ALG1, ["a"], rng=RNG), "answers must be real numbers"),
        (lambda: svt.run(ALG1, 3.0, rng=RNG), "answers must be one-dimensional"),
        (lambda: svt.run(ALG1, [0], math.nan, rng=RNG), "threshold must be a finite"),
        (lambda: svt.run(ALG1, [0, 0], [[1], [1, 2]], rng=RNG), "threshold must be real numbers"),
        (lambda: svt.run(ALG1, [0], rng=np.random), "rng must be a numpy.random.Generator"),
        (lambda: svt.run(ALG1, [0, 0], [1], rng=RNG), "threshold must have length 2"),
    ],
    "clipping_bound": [
        *[(lambda bad=bad: clipping_bound(AGES, bad, ALG1, rng=RNG), "bounds must") for bad in BOUNDS],
        (lambda: clipping_bound(Counts(("age",), [], [], ""), [1], ALG1, rng=RNG), "at least one, got 0"),
        (lambda: clipping_bound(TWO, [1], ALG1, rng=RNG), "column must be the Counts of one column"),
        (lambda: clipping_bound([3, 4], [1], ALG1, rng=RNG), "column must be the Counts of one column"),
        (lambda: clipping_bound(AGES, [1], "alg1", rng=RNG), "mechanism must be a Mechanism"),
        (lambda: clipping_bound(AGES, [1], ABSOLUTE, rng=RNG), "mechanism must compare signed values"),
        (lambda: clipping_bound(AGES, [1], TENTH, rng=RNG), "mechanism must be for a sensitivity of at least 1"),
        (lambda: clipping_bound(AGES, [1], ALG1, above=-1, rng=RNG), "above must be"),
        (lambda: clipping_bound(AGES, [1], ALG1, rng=3), "rng must be a numpy.random.Generator"),
    ],
    "first_positives": [
        (lambda: first_positives("alg1", [0], trials=2, rng=RNG), "mechanism must be a Mechanism"),
        (lambda: first_positives(ABSOLUTE, [0], trials=2, rng=RNG), "mechanism must compare signed values"),
        (lambda: first_positives(ALG1, [], trials=2, rng=RNG), "answers must have at least one entry"),
        (lambda: first_positives(ALG1, [math.nan], trials=2, rng=RNG), "answers must be finite"),
        (lambda: first_positives(ALG1, [0], math.inf, trials=2, rng=RNG), "threshold must be a finite"),
        (lambda: first_positives(ALG1, [0], trials=0, rng=RNG), "trials must be an integer of at least 1"),
        (lambda: first_positives(ALG1, [0], trials=2, rng=1), "rng must be a numpy.random.Generator"),
    ],
    "sampler_of": [
        (lambda: svt.sampler_of("alg1"), "mechanism must be a Mechanism"),
        (lambda: SAMPLER([0], 0, RNG), "trials must be an integer of at least 1"),
        (lambda: SAMPLER([0], 5, 1), "rng must be a numpy.random.Generator"),
        (lambda: svt.sampler_of(ALG1, [0, 1])([0], 5, RNG), "threshold must have length 1"),
    ],
    "accuracy": [
        (lambda: accuracy.alpha_svt(0, 1.0, 0.1), "k must be an integer of at least 1"),
        (lambda: accuracy.alpha_svt(5, 0.0, 0.1), "epsilon must be greater than 0"),
        (lambda: accuracy.alpha_svt(5, 1.0, 1.0), "beta must be less than 1"),
        (lambda: accuracy.alpha_em(1, 1.0, 0.1), "k must be an integer of at least 2"),
        (lambda: accuracy.alpha_em(3, 1.0, 0.0), "beta must be greater than 0"),
        (lambda: accuracy.alpha_laplace(0, 1.0, 0.1), "n must be an integer"),
        (lambda: accuracy.lecture_failure(3, 1, 1.0, -1.0), "epsilon must be greater than 0"),
        (lambda: accuracy.separated(0, 1.0), "k must be an integer"),
        (lambda: accuracy.separated(3, -1.0), "alpha must be at least 0"),
        (lambda: accuracy.separated(3, 1.0, last_above=0), "last_above must be True or False"),
    ],
    "least_epsilon": [
        (lambda: accuracy.least_epsilon("alg7", 3, 1.0, 0.1), "variant must be a Variant"),
        (lambda: accuracy.least_epsilon(svt.variant("alg7"), 3, 0.0, 0.1), "alpha must be greater than 0"),
        (lambda: accuracy.least_epsilon(svt.variant("alg7"), 3, 1.0, 1.0), "beta must be less than 1"),
        (lambda: accuracy.least_epsilon(svt.variant("alg7"), 3, 1.0, 1e-9), "beta must be at least 1e-08"),
        (lambda: accuracy.least_epsilon(svt.variant("abs_value"), 3, 1.0, 0.1), "mechanism must compare signed values"),
    ],
    "most_queries": [
        (lambda: accuracy.most_queries(svt.variant("alg7"), 1.0, 0.1), "mechanism must be a Mechanism"),
        (lambda: accuracy.most_queries(ALG1, -1.0, 0.1), "alpha must be greater than 0"),
        (lambda: accuracy.most_queries(ALG1, 1.0, 0.1, limit=0), "limit must be an integer of at least 1"),
        (lambda: accuracy.most_queries(ABSOLUTE, 1.0, 0.1), "mechanism must compare signed values"),
    ],
    "best_split": [
        (lambda: accuracy.best_split(svt.variant("alg2"), 3, 0.1), "has one of its own"),
        (lambda: accuracy.best_split(svt.variant("alg7"), 0, 0.1), "k must be an integer of at least 1"),
        (lambda: accuracy.best_split(svt.variant("alg7"), 3, math.nan), "beta must be a finite"),
        (lambda: accuracy.best_split("alg7", 3, 0.1), "variant must be a Variant"),
    ],
    "compare": [
        *epsilons(lambda bad: svt.compare(5, epsilon=bad)),
        (lambda: svt.compare(0), "k must be an integer of at least 1"),
        (lambda: svt.compare(5, 6), "c must be at most 5"),
        (lambda: svt.compare(5, delta=1.0), "delta must be at least 0"),
        (lambda: svt.compare(5, delta=math.nan), "delta must be at least 0"),
        (lambda: svt.compare(5, beta=1.0), "beta must be less than 1"),
        (lambda: svt.compare(5, together=0), "together must be"),
    ],
    "smallest_alpha": [
        (lambda: svt.smallest_alpha("alg1", 2, 0.1), "mechanism must be a Mechanism"),
        (lambda: svt.smallest_alpha(ALG1, 0, 0.1), "k must be an integer of at least 1"),
        (lambda: svt.smallest_alpha(ALG1, 2, 0), "beta must be greater than 0"),
        (lambda: svt.smallest_alpha(ALG1, 2, 1.0), "beta must be less than 1"),
        (lambda: svt.smallest_alpha(ALG1, 2, 0.1, correction=math.inf), "correction must be a finite"),
        (lambda: svt.smallest_alpha(ALG1, 2, 0.1, correction=1e300), "correction must be within 1e.100 of 0"),
        *[(lambda bad=bad: svt.smallest_alpha(ALG1, 50, bad), "beta must be") for bad in (9e-9, 1e-16, 1e-300)],
        (lambda: svt.smallest_alpha(ABSOLUTE, 2, 0.1), "mechanism must compare signed values"),
    ],
    "top_law": [
        *epsilons(lambda bad: svt.top_law([0, 1], 1, epsilon=bad)),
        (lambda: svt.top_law([0, 1], 3, epsilon=1.0), "c must be at most 2"),
        (lambda: svt.top_law([0] * 30, 3, epsilon=1.0), "at most 10,000 ordered selections, got 24,360"),
        (lambda: svt.top_law([1e4, 0], 1, epsilon=1.0), "scores must lie within 700 noise scales"),
    ],
    "expected_error": [
        (lambda: svt.expected_error("alg1", FEW, 0.0), "mechanism must be a Mechanism"),
        (lambda: svt.expected_error(ALG1, ["1"], 0.0), "scores must be real numbers"),
        (lambda: svt.expected_error(ALG1, FEW, math.nan), "threshold must be a finite"),
        *[
            (
                lambda key=key: svt.expected_error(svt.variant(key).calibrate(epsilon=1.0), FEW, 0.0),
                "mechanism must have",
            )
            for key in ("alg2", "alg6", "abs_value")
        ],
    ],
    "simulate": [
        (lambda: svt.simulate("alg1", FEW, 0.0, trials=1, rng=RNG), "mechanism must be a Mechanism"),
        (lambda: svt.simulate(ALG1, "aol", 0.0, trials=1, rng=RNG), "scores must be real numbers"),
        (lambda: svt.simulate(ALG1, FEW, math.nan, trials=1, rng=RNG), "threshold must be a finite"),
        (lambda: svt.simulate(ALG1, FEW, 0.0, trials=1, rng=1), "rng must be a numpy.random.Generator"),
        *[(lambda bad=bad: simulate("alg1", passes=bad), "passes must be an integer") for bad in (0, 1.5, None)],
        (lambda: simulate("alg6", passes=2), "passes must be 1"),
        (lambda: simulate("alg2", passes=math.inf), "passes must be 1"),
        (lambda: simulate("alg1", trials=0), "trials must be an integer of at least 1"),
        (lambda: simulate("alg1", trials=10**400), "trials must be at most"),
    ],
    "success_probability": [
        *[
            call
            for f in (svt.success_probability, svt.threshold_correction)
            for call in (
                (lambda f=f: f("alg1", 2), "mechanism must be a Mechanism"),
                (lambda f=f: f(ABSOLUTE, 2), "mechanism must compare signed values"),
                (lambda f=f: f(ALG1, 0), "k must be"),
                (lambda f=f: f(ALG1, 2, alpha=math.nan), "alpha must be"),
                (lambda f=f: f(ALG1, 2, alpha=-1.0), "alpha must be"),
                (lambda f=f: f(ALG1, 2, joint=1), "joint must be"),
            )
        ],
        (lambda: svt.success_probability(ALG1, 2, correction=math.inf), "correction must be"),
    ],
    "variant": [
        *[(lambda bad=bad: svt.variant(bad), "key must be one of") for bad in ("alg8", None, "")],
        *epsilons(lambda bad: svt.variant("alg1").calibrate(epsilon=bad)),
        (lambda: svt.variant("alg1").calibrate(epsilon=1.0, c=0), "c must be an integer"),
        (lambda: svt.variant("alg1").calibrate(epsilon=1.0, sensitivity=0), "sensitivity must be"),
        (lambda: svt.variant("alg1").calibrate(epsilon=1.0, monotonic="no"), "monotonic must be"),
        (lambda: svt.variant("alg7").calibrate(epsilon=1.0, epsilon3=1.0), "epsilon3 must be less than"),
        (lambda: svt.variant("alg1").calibrate(epsilon=1.0, split=0), "split must be greater than 0"),
    ],
    "threshold_correction": [
        (lambda: svt.threshold_correction(INTEGERS, 2), "threshold_noise must have a log-concave")
    ],
    "variants": [(lambda: svt.variants("worse"), "^part must be one of 'trial', 'better', 'other'")],
    "renyi_bound": [
        (lambda: svt.renyi_bound("alg1", 2.0, n=3), "mechanism must be a Mechanism"),
        (lambda: svt.renyi_bound(ALG1, 1.0, n=3), "order must be greater than 1"),
        (lambda: svt.renyi_bound(ALG1, 2.0, n=0), "n must be"),
        (lambda: svt.renyi_bound(ALG3, 2.0, n=3), "mechanism must release indicators"),
        (lambda: svt.renyi_bound(ABSOLUTE, 2.0, n=3), "mechanism must .* compare signed answers"),
        (lambda: svt.renyi_bound(NORMAL, 2.0, n=10**6), "n must be at most 100,000"),
    ],
    "gaussian_noise": [
        (lambda: gaussian_noise(epsilon=0.0, delta=0.1, n=3), "epsilon must be"),
        (lambda: gaussian_noise(epsilon=1.0, delta=1.0, n=3), "delta must be less than 1"),
        (lambda: gaussian_noise(epsilon=1.0, delta=0.1, n=10**6), "n must be at most 100,000"),
        (lambda: gaussian_noise(epsilon=1.0, delta=0.1, n=3, c=0), "c must be"),
        (lambda: gaussian_noise(epsilon=1.0, delta=0.1, n=3, sensitivity=-1.0), "sensitivity must be"),
        (lambda: gaussian_noise(epsilon=1.0, delta=0.1, n=3, monotonic=1), "monotonic must be"),
    ],
    "pair_curve": [
        (lambda: svt.pair_curve("alg1", [0], [1]), "mechanism must be a Mechanism"),
        (lambda: svt.pair_curve(ALG3, [0], [1]), "mechanism must release no numbers"),
        (lambda: svt.pair_curve(ALG1, [0], [2]), "neighbour must differ from answers by at most"),
        (lambda: svt.pair_curve(ALG1, [0], [1, 2]), "neighbour must have"),
        (lambda: svt.pair_curve(ALG6, [0] * 15, [1] * 15), "answers must have at most 20000 .* no cut-off"),
        (lambda: svt.pair_curve(ALG1_TWICE, [0] * 300, [1] * 300), "answers must have at most 20000 .* c = 2"),
        (lambda: svt.pair_curve(ALG1, [0], [1]).delta(-0.1), "epsilon must be"),
        (lambda: svt.pair_curve(ALG1, [0], [1]).renyi(1.0), "order must be greater than 1, got 1.0"),
        (lambda: svt.pair_curve(ALG1, [0], [1]).renyi(math.inf), "order must be"),
    ],
    "actual_epsilon": [
        *epsilons(lambda bad: svt.actual_epsilon("alg4", bad)),
        (lambda: svt.actual_epsilon("alg8", 1.0), "key must be one of alg1"),
    ],
    "judge": [
        *epsilons(lambda bad: svt.judge(lambda answers, rng: [], epsilon=bad)),
        (lambda: svt.judge("alg1"), "program must be"),
        (lambda: svt.judge(lambda answers, rng: [], c=7), "c must be"),
    ],
    "worst_case": [
        (lambda: svt.worst_case("alg1", 2), "mechanism"),
        (lambda: svt.worst_case(ALG1, 0), "n must be an integer"),
        (lambda: svt.worst_case(ALG1, 2, math.nan), "threshold must be"),
        (lambda: svt.worst_case(ALG1, 2, deltas=[2.0]), "deltas"),
        (lambda: svt.worst_case(ALG1, 2, answers_grid=[math.inf]), "answers_grid"),
    ],
}


def unlisted(names):
    """The public names without a bad call."""
    return sorted(set(names) - set(BAD))


def test_every_public_name_has_a_bad_call():
    """A new name in `svtlib.__all__` must come with the calls that it refuses; a name without one is reported."""
    assert unlisted(svt.__all__) == []
    assert unlisted([*svt.__all__, "novelty"]) == ["novelty"]


@pytest.mark.parametrize(("name", "index"), [(name, i) for name, calls in BAD.items() for i in range(len(calls))])
def test_bad_input_is_a_value_error_that_names_the_argument(name, index):
    """The call fails, with the message its row names."""
    call, pattern = BAD[name][index]
    with pytest.raises(ValueError, match=pattern):
        call()
