"""Every public name refuses bad input with a ValueError that names the argument."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import svtlib as svt
from svtcourse.chapter import accuracy, experiments
from svtcourse.chapter.boxes import BOXES
from svtcourse.chapter.clipping import clipping_bound, first_positives
from svtcourse.chapter.renyi import gaussian_noise
from svtcourse.chapter.tables import load_table
from svtcourse.exercises import check_proof
from svtcourse.figures import display, pictures, plots
from svtlib.guarantee import Approximate, Renyi
from svtlib.scales import Budget, Scale, Split
from svtlib.select.counts import Counts
from svtlib.select.scores import Scores

ALG1, ALG2, ALG3, ALG5, ALG6 = (svt.variant(f"alg{number}").calibrate(epsilon=1.0) for number in (1, 2, 3, 5, 6))
ABSOLUTE, INTEGERS = (svt.variant(key).calibrate(epsilon=1.0) for key in ("abs_value", "geometric"))
ALG1_TWICE = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
RNG = np.random.default_rng(1)
LAPLACE = svt.Laplace(1.0)
SAMPLER = svt.sampler_of(ALG1)
NORMAL = replace(ALG1, query_noise=svt.Gaussian(1.0))
AGES = Counts(("age",), [17, 40], [2, 1], "made up")
TWO = Counts(("age", "sex"), [(17, "F")], [2], "made up")
TENTH = svt.variant("alg1").calibrate(epsilon=1.0, sensitivity=0.1)
BOUNDS = ([], [3, 2], [1, 1], [math.nan], "1", [[1, 2]])  # empty, descending, equal, no numbers, not a list of them
FEW = Scores([3, 1], [2, 5], "exact", "made up")
FAMILIES = (svt.Exponential, svt.Gaussian, svt.Geometric, svt.Gumbel, svt.Laplace)
TINY = svt.variant("alg1").calibrate(epsilon=1e-13)
RUN = svt.run(ALG1, [0.0] * 3, rng=np.random.default_rng(0))
ALT = "A sentence that says what the figure shows."
BARS = {"outcomes": ["⊥"], "probability": [1], "probability_neighbour": [1], "alt": ALT}
LAW = {"epsilon": 1.0, "sensitivity": 1.0, "monotonic": False}
CORRECTED = {"mechanism": ALG1, "correction": 0.0}
MECHANISM = {"name": "m", "threshold_noise": LAPLACE, "query_noise": LAPLACE, "c": 1, "epsilon": 1.0}
MECHANISM |= {"epsilon1": 0.5, "epsilon2": 0.5}
EXTREME = (1e-300, 1e165, 10**400)  # squares and quotients of these leave floating point; the last is no float at all


def call(function, **good):
    """A function with arguments that are good; of each that `WRONG` knows it refuses whatever stands there."""
    return function, good


# Every argument that many functions have, with values that none of them takes.
WRONG = {
    "mechanism": ["alg1", None],
    "variant": ["alg77", None],
    "rng": ["1", -1, 1.5, True, np.random],
    "scale": [0, -1.0, math.nan, math.inf, "1", True, None, *EXTREME],
    "epsilon": [0, -1, math.nan, math.inf, "1", 1j, *EXTREME],
    "sensitivity": [0, -1, math.nan, "1"],
    "budget": [0, math.nan],
    "split": [0, -1],
    "monotonic": ["no", 1],
    "joint": [1],
    "last_above": [0],
    "refresh": ["yes"],
    **dict.fromkeys(("c", "k", "n", "trials", "digits"), (0, 1.5, True, "1")),
    **dict.fromkeys(("answers", "scores"), ([0, math.nan], [0, "a"], [[0, 0]], [0, 1j])),
    "neighbour": [[0, bad] for bad in (math.nan, math.inf, -math.inf, "1", None, 1j, [0.0], object())],
    **dict.fromkeys(("answer", "threshold", "correction"), (math.nan, math.inf, "1")),
    "alpha": [-1.0, math.nan],
    "above": [-1.0, math.nan],
    "beta": [0, 1.0, math.nan],
    "order": [1.0, math.inf],
    "confidence": [0, 1, 1.5, math.nan, None],
}
PAIR = {"mechanism": ALG1, "answers": [0, 0], "neighbour": [0, 1], "outcome": "⊥⊥", "threshold": 0}
PLAN = {"variant": svt.variant("alg7"), "k": 3, "beta": 0.1}
GOOD = {
    **{family.__name__: call(family, scale=1.0) for family in FAMILIES},
    "Counts": call(Counts, columns=("age",), values=[17, 40], count=[2, 1], source="made up"),
    "Scores": call(Scores, support=[3, 1], count=[2, 5], status="exact", source="made up"),
    "Budget": call(Budget, epsilon=1.0, c=1, split=1.0, monotonic=False),
    "Ledger": call(svt.Ledger, path="no.jsonl", mechanism=INTEGERS, budget=1.0),
    "Mechanism": call(svt.Mechanism, **MECHANISM, sensitivity=1.0, refresh=False, correction=0.0),
    "Session": call(svt.Session, mechanism=ALG1, rng=RNG),
    "Session.ask": call(svt.Session(ALG1, rng=RNG).ask, answer=0.0, threshold=0.0),
    "actual_epsilon": call(partial(svt.actual_epsilon, "alg4"), epsilon=1.0),
    "alpha_em": call(accuracy.alpha_em, k=3, epsilon=1.0, beta=0.1),
    "alpha_laplace": call(accuracy.alpha_laplace, n=3, epsilon=1.0, beta=0.1),
    "alpha_svt": call(accuracy.alpha_svt, k=3, epsilon=1.0, beta=0.1),
    "audit": call(svt.audit, sampler=SAMPLER, answers=[0], neighbour=[1], trials=1000, rng=RNG, confidence=0.9),
    "best_split": call(accuracy.best_split, **PLAN),
    "calibrate": call(svt.variant("alg1").calibrate, epsilon=1.0, c=1, sensitivity=1.0, monotonic=False, split=1.0),
    "cell": call(experiments.cell, dataset="AOL", epsilon=0.1, c=50, method="EM", trials=5, seed=1),
    "certify": call(svt.certify, **PAIR, digits=20),
    "check_alignment": call(svt.check_alignment, mechanism=ALG1, rng=RNG, epsilon=1.0, n=2, trials=5),
    "check_proof": call(check_proof, mechanism=ALG1, rho=lambda D: D, below=lambda d, D: 0, above=lambda d, D: D - d),
    "claim": call(svt.claim, id="lsl17-lem-1", holds=True, evidence="a number"),
    "clipping_bound": call(clipping_bound, column=AGES, bounds=[1], mechanism=ALG1, above=0.0, rng=RNG),
    "compare": call(svt.compare, k=5, c=1, epsilon=1.0, beta=0.1),
    "decide": call(partial(svt.decide, ALG1), epsilon=1.0),
    "expected_error": call(svt.expected_error, mechanism=ALG1, scores=FEW, threshold=0.0),
    "exponential_mechanism": call(svt.exponential_mechanism, scores=FEW, c=1, **LAW, rng=RNG),
    "failure_probability": call(svt.failure_probability, **CORRECTED, answers=[0], threshold=0.0, alpha=1),
    "first_positives": call(first_positives, mechanism=ALG1, answers=[0, 0], threshold=0.0, trials=2, rng=RNG),
    "gaussian_noise": call(gaussian_noise, epsilon=1.0, delta=0.1, n=3, c=1, monotonic=False),
    "judge": call(partial(svt.judge, lambda answers, rng: []), epsilon=1.0),
    "least_epsilon": call(accuracy.least_epsilon, **PLAN, alpha=1.0),
    "lecture_failure": call(accuracy.lecture_failure, n=3, c=1, alpha=1.0, epsilon=1.0),
    "lines": call(plots.lines, x=[1], series={"alg1": [1]}, alt=ALT, xlabel="n", ylabel="loss"),
    "log_probability": call(svt.log_probability, mechanism=ALG1, answers=[0, 0], outcome="⊥⊥", threshold=0.0),
    "most_queries": call(accuracy.most_queries, mechanism=ALG1, alpha=1.0, beta=0.1),
    "noisy_max_law": call(svt.noisy_max_law, scores=[0, 1], **LAW),
    "pair_curve": call(svt.pair_curve, mechanism=ALG1, answers=[0, 0], neighbour=[0, 1], threshold=0.0),
    "privacy_loss": call(svt.privacy_loss, **PAIR),
    "renyi_bound": call(svt.renyi_bound, mechanism=ALG1, order=2.0, n=3),
    "run": call(svt.run, mechanism=ALG1, answers=[0, 0], threshold=0.0, rng=RNG),
    "sampler": call(SAMPLER, answers=[0, 0], trials=5, rng=RNG),
    "sampler_of": call(svt.sampler_of, mechanism=ALG1),
    "separated": call(accuracy.separated, k=3, alpha=1.0, last_above=True),
    "simulate": call(svt.simulate, mechanism=ALG1, scores=FEW, threshold=0.0, trials=2, rng=RNG),
    "smallest_alpha": call(svt.smallest_alpha, **CORRECTED, k=2, beta=0.1),
    "success_probability": call(svt.success_probability, **CORRECTED, k=2, alpha=1.0, joint=True),
    "threshold_correction": call(svt.threshold_correction, mechanism=ALG1, k=2, alpha=1.0, joint=True),
    "top_law": call(svt.top_law, scores=[0, 1], c=1, **LAW),
    "two_bars": call(partial(plots.two_bars, variant="alg1"), **BARS),
    "worst_case": call(svt.worst_case, mechanism=ALG1, n=2, threshold=0.0),
}


def mechanism(**change):
    """A mechanism with one argument damaged."""
    return lambda: svt.Mechanism(**(MECHANISM | change))


SIGNED = "mechanism must compare signed values"


def other(name, **change):
    """The good call with another argument."""
    function, good = GOOD[name]
    return lambda: function(**(good | change))


# What else is refused: name -> list of (call that must fail, pattern of the message).
BAD = {
    "ABORT": [(other("log_probability", outcome=[svt.ABORT]), "outcome")],
    "Approximate": [
        (lambda: Approximate(-1), "epsilon must be at least 0"),
        (lambda: Approximate(math.nan), "epsilon must be a finite real number"),
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
    "Budget": [(other("Budget", epsilon3=1.0), "epsilon3 must be less than epsilon")],
    "BudgetExhausted": [(other("Session", tape=svt.NoiseTape([0], [0])), "exactly one of rng and tape")],
    "Exponential": [(other("Exponential", sign=0), "sign must be one of")],
    "Geometric": [
        (other("Geometric", scale=1e15), "scale must be at most 1e.14 for integer noise"),
        (other("Geometric", sides=3), "sides must be one of"),
    ],
    "Mechanism": [
        (mechanism(c=10**400), "c must be at most 1,000,000,000,000, got an integer of 1329 bits"),
        (mechanism(epsilon3=-0.1), "epsilon3 must be at least 0"),
        (mechanism(query_noise=1.0), "query_noise must be a Noise"),
        (mechanism(refresh=True, refresh_noise=1.0), "refresh_noise must be a Noise or None"),
        (mechanism(refresh_noise=LAPLACE), "refresh_noise must be None"),
        (mechanism(release="fresh"), "release_noise must be given"),
        (mechanism(release_noise=LAPLACE), "release_noise must be given"),
        (mechanism(cutoff="c"), "cutoff must be one of"),
        (mechanism(compare="abs"), "compare must be one of"),
        (mechanism(release="gap", compare="absolute"), 'compare must be "signed"'),
        (mechanism(release="gap", query_noise=svt.NoNoise()), "query_noise must be noise where the gap is"),
        (mechanism(query_noise=svt.Geometric(2.0)), "threshold_noise and query_noise must be whole numbers both"),
        (mechanism(refresh=True, refresh_noise=svt.Geometric(2.0)), "must be whole numbers both, or neither"),
    ],
    "NoNoise": [(mechanism(query_noise=svt.NoNoise), "query_noise must be a Noise")],
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
        (lambda: Scale("epsilon2", factor=-2), "factor must be greater than 0, got -2"),
        (lambda: Scale("epsilon2", factor=math.nan), "factor must be a finite"),
        (lambda: Scale("epsilon4"), "part must be one of"),
        (lambda: Scale("epsilon1", times_c="no"), "times_c must be True or False"),
        (lambda: Split(-1), "ratio must be greater than 0"),
    ],
    "Session": [
        (lambda: svt.Session(ALG1), "exactly one of rng and tape"),
        (lambda: svt.Session(ALG1, tape=(0, 0)), "tape must be a NoiseTape"),
        (other("Session", rng=svt.Bits()), "mechanism must have integer noise where rng is Bits"),
        (lambda: svt.Session(INTEGERS, rng=svt.Bits()).ask(0.5), "answer must be a whole number where the noise is"),
        (lambda: svt.Session(INTEGERS, rng=svt.Bits()).ask(0, math.inf), "threshold must be a finite real number"),
        (lambda: svt.Session(replace(INTEGERS, sensitivity=1.5), rng=svt.Bits()), "sensitivity must be a whole"),
    ],
    "Ledger": [
        (other("Ledger", path=3), "path must be a str or a Path, got 3"),
        (other("Ledger", mechanism=ALG1), "mechanism must have integer noise where rng is Bits"),
        (other("Ledger", bits=RNG), "bits must be Bits or None"),
        (
            other("Ledger", mechanism=replace(INTEGERS, cutoff=None)),
            "mechanism must be private, but no alignment of geometric has a finite cost",
        ),
        (other("Ledger", seal="3:ab"), "does not go as far as the seal '3:ab'"),
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
        *[
            (lambda bad=bad: svt.Workload.subsets(3, at_most=2).answers([frozenset(bad)]), "records of the domain")
            for bad in ({0, 1, 2}, {3})
        ],
        (lambda: svt.Workload([1], [bool]).sensitivity("swap"), "neighbours must be one of"),
    ],
    "audit": [
        (other("audit", sampler="alg1"), "sampler must be callable"),
        (other("audit", answers=[math.nan]), "answers must be finite"),
        (other("audit", sampler=lambda q, k, rng: ["a"] * k), "sampler must return an array"),
        (other("audit", sampler=lambda q, k, rng: [0] * 9), "sampler must return .* 500 rows"),
        (other("audit", sampler=lambda q, k, rng: [math.inf] * k), "must return finite"),
        (other("audit", sampler=lambda q, k, rng: [[0] * q] * k, answers=1, neighbour=2), "rows of one width"),
        (other("audit", trials=10), "trials must be an integer of at least"),
    ],
    "boxes": [
        call
        for box in BOXES.values()
        for call in (
            (lambda box=box: box(["one"], 10, RNG), "answers must be"),
            (lambda box=box: box([1.0], 0, RNG), "trials must be"),
        )
    ],
    "catalogue": [(lambda: svt.variant("Alg. 1"), "key must be one of alg1, alg2")],
    "check_alignment": [
        (other("check_alignment", mechanism=TINY), "sensitivity must not be lost in the noise"),
        (other("check_alignment", mechanism=ALG1_TWICE, n=1), "n must be at least 2, as many as may cross"),
        (other("check_alignment", mechanism=replace(ALG1_TWICE, cutoff="after c")), "n must be at least 3, as many"),
    ],
    "check_proof": [
        (other("check_proof", rho=lambda d, D: D), "rho must be a function of Delta"),
        (other("check_proof", below=0), "below must be a function"),
        (other("check_proof", direction="up"), "direction"),
        *[
            (other("check_proof", mechanism=svt.variant(key).calibrate(epsilon=1.0)), "signed answers")
            for key in ("alg3", "abs_value", "gap")
        ],
    ],
    "claim": [
        (other("claim", id="lsl17-lemma-1"), "id must be one of the .* got 'lsl17-lemma-1'"),
        (other("claim", id=1), "id must be one of"),
        *[(other("claim", holds=bad), "holds must be True or False") for bad in (1, None, "True")],
        *[(other("claim", evidence=bad), "evidence must be a sentence") for bad in ("  ", 3)],
        (other("claim", corrected=True), "corrected must be left out for lsl17-lem-1"),
        (other("claim", id="mach12-aborts", holds=False), "corrected must be given for mach12-aborts"),
        (other("claim", id="mach12-aborts", holds=False, corrected=1), "corrected must be True or False, got 1"),
    ],
    "experiments": [
        *[
            (other("cell", **bad), "must be")
            for bad in ({"dataset": "Netflix"}, {"method": "SVT"}, {"epsilon": -1}, {"c": 0})
        ],
        (lambda: experiments.expected(["AOL"], [0.1], [50], ["EM"], n_jobs=1), "method must be one of"),
        (lambda: load_table("table4"), "name must be one of 'table3-published'"),
    ],
    "figures": [
        (other("lines", series={}), "series must have at least one entry"),
        (other("lines", series={"alg9": [1]}), r"key must be one of 'alg1', .*'whole_sets', got 'alg9'"),
        (other("lines", series={"alg1": [1, 2]}), "series 'alg1' must have 1 values"),
        (other("lines", series={"alg1": [math.inf]}), "series 'alg1' must be finite or NaN"),
        (other("lines", series={"alg1": [math.nan]}), "at least one value that is not NaN"),
        (other("lines", x=[math.nan]), "x must be finite"),
        (other("lines", log="z"), "log must be one of"),
        *[
            (other("lines", alt=bad), "alt must say in at least 20 characters")
            for bad in ("", "   ", "A plot.", "a" + " " * 40 + "b", None, 12345678901234567890123)
        ],
        (other("two_bars", probability=[1.5]), "probability must be between 0 and 1, got 1.5"),
        (other("two_bars", probability_neighbour=[1, 0]), "probability_neighbour must have length 1"),
        (other("two_bars", outcomes="⊥⊤"), "outcomes must be a sequence"),
        (other("two_bars", outcomes=["⊥", "⊥"], probability=[1, 0]), "outcomes must differ"),
        (other("two_bars", highlight="⊤"), "highlight must be one of '⊥', got '⊤'"),
        (lambda: plots.new_figure(columns=0), "columns must be an integer of at least 1"),
        (lambda: plots.new_figure(height=0), "height must be greater than 0"),
        (lambda: display.figure(plots.new_figure()[1], alt=ALT), "fig must be a matplotlib Figure"),
        *[(lambda bad=bad: pictures.one_run(RUN, bad, alt=ALT), "answers must have") for bad in ([0.0] * 41, [0.0])],
        *[
            (lambda bad=bad: pictures.budget_bars(bad, alt=ALT), "bills must have")
            for bad in ({}, {"a": [("ρ", -1.0)]}, {"a": [("ρ", math.inf)]})
        ],
        (lambda: pictures.noise_plane(ALG1, 0, 1, 0, 2, alt=ALT), "gap_neighbour must be at most 1"),
        (lambda: pictures.noise_plane(ALG1, 1, -1, 0, 0, alt=ALT), "bound_neighbour must be at most 1"),
    ],
    "exponential_mechanism": [
        (other("exponential_mechanism", scores=[1, 2], trials=2), "trials must be 1 for an array"),
        (other("exponential_mechanism", scores=[]), "scores must have at least one entry"),
        (other("exponential_mechanism", scores=[1, 2], c=3), "c must be at most 2"),
        (other("exponential_mechanism", c=8), "c must be at most 7"),
        (other("exponential_mechanism", trials=0), "trials must be an integer"),
        (lambda: other("exponential_mechanism", scores=[0, 0])().ser(), "of scores whose c highest sum"),
    ],
    "failure_probability": [
        (other("failure_probability", mechanism=ABSOLUTE), SIGNED),
        (other("failure_probability", answers=[0] * 13), "answers must have at most 12 entries within alpha"),
    ],
    "load_adult": [
        *[(lambda bad=bad: svt.load_adult(bad), "column") for bad in ("sex", None, 3)],
        (lambda: AGES.between(3, 2), "low must be at most high, got low=3 and high=2"),
        (lambda: AGES.between(math.nan, 2), "low must be at most high"),
        (lambda: AGES.clipped_sum(-1), "upper must be at least 0, got -1"),
        (lambda: TWO.mean(), "mean needs counts of one column, got age, sex"),
        (lambda: TWO.between(1, 2), "between needs counts of one column"),
        *[(other("Counts", columns=bad), "columns must be a sequence of at least one name") for bad in ((), "age")],
        (other("Counts", values=[1, 1]), "values must be strictly ascending, got 1 after 1"),
        (other("Counts", columns=("a", "b"), values=[(1, 2), (1,)]), r"values must have 2 entries each, got \(1,\)"),
        (other("Counts", count=[1]), "count must have one entry for each of the 2 values"),
        (other("Counts", count=[-1, 1]), "count must be whole numbers of at least 1, got -1"),
        (lambda: AGES.rows_above([math.nan]), "bounds must be finite"),
        (lambda: TWO.rows_above([1]), "rows_above needs counts of one column"),
    ],
    "load_scores": [
        *[(lambda bad=bad: svt.load_scores(bad), "name must be one of 'bms-pos', .* got") for bad in ("netflix", 3)],
        (lambda: svt.load_scores("binary"), "c must be given for 'binary'"),
        *[
            (lambda bad=bad: svt.load_scores("binary", c=bad), "c must be an integer of at least 1")
            for bad in (0, True)
        ],
        (lambda: svt.load_scores("binary", c=10_000), "c must be at most 9,999, got 10000"),
        (lambda: svt.load_scores("kosarak", c=5), "c must be left out for 'kosarak'"),
        (lambda: FEW.top(8), "k must be at most 7, got 8"),
        (lambda: FEW.top(0), "k must be an integer of at least 1, got 0"),
        (lambda: FEW.threshold(7), "c must be at most 6, got 7"),
        (lambda: FEW.above(math.nan), "threshold must be a finite real number, got nan"),
        *[(lambda f=f: f(8), "c must be at most 7") for f in (FEW.top_weight, FEW.rank_weight)],
        *[(lambda f=f: f(0), "c must be an integer of at least 1") for f in (FEW.top_weight, FEW.rank_weight)],
        (other("Scores", support=[], count=[]), "at least one"),
        (other("Scores", count=[1]), "count must have one entry for each of the 2 values"),
        (other("Scores", support=[1, 2]), "support must be strictly descending, got 2 after 1"),
        (other("Scores", support=[2, 2]), "support must be strictly descending, got 2 after 2"),
        (other("Scores", support=[math.inf, 2]), "support must be finite, got .*inf"),
        (other("Scores", support=["a", 1]), "support must be real numbers"),
        (other("Scores", count=[0, 1]), "count must be whole numbers of at least 1, got 0"),
        (other("Scores", count=[1.5, 1]), "count must be whole numbers of at least 1, got 1.5"),
        (other("Scores", status="good"), "status must be one of 'exact', 'exact head', 'estimate', got 'good'"),
    ],
    "log_probability": [(other("log_probability", threshold=[1, 2, 3]), "threshold must have length 2")],
    "noisy_max_law": [
        (other("noisy_max_law", scores=[]), "scores must have at least one entry"),
        (other("noisy_max_law", noise="gaussian"), "noise must be one of"),
    ],
    "prove": [
        (lambda: svt.prove("alg77"), "subject must be a Variant"),
        *[(lambda bad=bad: svt.prove(svt.variant("alg1"), monotonic=bad), "monotonic") for bad in ("yes", 1)],
        (lambda: svt.prove(ALG1, monotonic=True), "must not be given"),
        (lambda: svt.prove(svt.variant("alg1"), numbers=True), "numbers must be False for alg1"),
    ],
    "certify": [
        (other("certify", neighbour=[1]), "neighbour must have length 2"),
        (other("certify", digits=1001), "digits must be at most 1,000"),
        (other("certify", outcome="⊥⊥⊥"), "outcome"),
        (other("certify", mechanism=ALG5, answers=[1, 0], outcome="⊥⊤"), "outcome must be possible on answers"),
        (lambda: other("certify")().exceeds("much"), "much"),
    ],
    "privacy_loss": [
        (other("privacy_loss", neighbour=[0]), "neighbour must have length 2"),
        (
            other("privacy_loss", neighbour=[0, 2]),
            "neighbour must differ .* sensitivity 1, got 2 against 0 at index 1",
        ),
        (
            other("privacy_loss", mechanism=replace(ALG1, monotonic=True), neighbour=[1, -1]),
            "neighbour must differ from answers in one direction",
        ),
        (other("privacy_loss", mechanism=ALG5, neighbour=[0, 0], outcome="⊥⊤"), "possible on answers or on neighbour"),
    ],
    "run": [
        (lambda: svt.run(ALG1, [0]), "exactly one of rng and tape"),
        (other("run", answers=[0, math.nan]), "answers must be finite, got .*nan.* at index 1"),
        (other("run", answers=3.0), "answers must be one-dimensional"),
        (other("run", threshold=[[1], [1, 2]]), "threshold must be real numbers"),
        (other("run", threshold=[1]), "threshold must have length 2"),
        (other("run", answers=[-1, -1], rng=None, tape=svt.NoiseTape([0], [0])), r"tape\.nu has"),
        (other("run", answers=[-1, -1], rng=None, tape=svt.NoiseTape([], [0, 0])), r"tape\.rho has"),
    ],
    "clipping_bound": [
        *[(other("clipping_bound", bounds=bad), "bounds must") for bad in BOUNDS],
        (lambda: Counts(("age",), [], [], ""), "at least one, got 0"),
        (other("clipping_bound", column=TWO), "column must be the Counts of one column"),
        (other("clipping_bound", column=[3, 4]), "column must be the Counts of one column"),
        (other("clipping_bound", mechanism=ABSOLUTE), SIGNED),
        (other("clipping_bound", mechanism=TENTH), "mechanism must be for a sensitivity of at least 1"),
    ],
    "first_positives": [
        (other("first_positives", mechanism=ABSOLUTE), SIGNED),
        (other("first_positives", answers=[]), "answers must have at least one entry"),
    ],
    "sampler_of": [(lambda: svt.sampler_of(ALG1, [0, 1])([0], 5, RNG), "threshold must have length 1")],
    "accuracy": [
        (other("alpha_em", k=1), "k must be an integer of at least 2"),
        (other("least_epsilon", beta=1e-9), "beta must be at least 1e-08"),
        (other("least_epsilon", variant=svt.variant("abs_value")), SIGNED),
        (other("most_queries", mechanism=ABSOLUTE), SIGNED),
        (other("best_split", variant=svt.variant("alg2")), "has one of its own"),
        (other("best_split", k=1, beta=0.9), "beta must be smaller"),
    ],
    "compare": [
        (other("compare", c=6), "c must be at most 5"),
        (other("compare", delta=1.0), "delta must be at least 0"),
        (other("compare", delta=math.nan), "delta must be at least 0"),
        (other("compare", together=0), "together must be"),
        (other("compare", asked="top c", c=5), "nothing to choose"),
    ],
    "smallest_alpha": [
        (other("smallest_alpha", correction=1e300), "correction must be within 1e.100 of 0"),
        *[(other("smallest_alpha", k=50, beta=bad), "beta must be") for bad in (9e-9, 1e-16, 1e-300)],
        (other("smallest_alpha", mechanism=ABSOLUTE), SIGNED),
    ],
    "top_law": [
        (other("top_law", c=3), "c must be at most 2"),
        (other("top_law", scores=[0] * 30, c=3), "at most 10,000 ordered selections, got 24,360"),
        (other("top_law", scores=[1e4, 0]), "scores must lie within 700 noise scales"),
    ],
    "expected_error": [
        (other("expected_error", mechanism=svt.variant(key).calibrate(epsilon=1.0)), "mechanism must have")
        for key in ("alg2", "alg6", "abs_value")
    ]
    + [
        (other("expected_error", scores=bad), "c highest that sum to a positive number")
        for bad in ([0.0] * 3, [-1.0, -5.0])
    ],
    "simulate": [
        (other("simulate", scores="aol"), "scores must be real numbers"),
        *[(other("simulate", passes=bad), "passes must be an integer") for bad in (0, 1.5, None)],
        *[(other("simulate", mechanism=bad), "mechanism must have a cut-off and signed") for bad in (ALG6, ABSOLUTE)],
        (other("simulate", mechanism=ALG2, passes=math.inf), "passes must be 1"),
        (other("simulate", trials=10**400), "trials must be at most"),
    ],
    "success_probability": [(other("success_probability", mechanism=ABSOLUTE), SIGNED)],
    "variant": [
        *[(lambda bad=bad: svt.variant(bad), "key must be one of") for bad in ("alg8", None, "")],
        (lambda: svt.variant("alg7").calibrate(epsilon=1.0, epsilon3=1.0), "epsilon3 must be less than"),
        (lambda: replace(svt.variant("alg1"), threshold_scale=None), "threshold_scale must be a Scale"),
        (lambda: replace(svt.variant("alg1"), query_scale=2.0), "query_scale must be a Scale"),
        (lambda: replace(svt.variant("alg1"), split=2), "split must be a Split"),
        (lambda: replace(svt.variant("alg1"), compare="both"), "compare must be one of"),
    ],
    "threshold_correction": [
        (other("threshold_correction", mechanism=ABSOLUTE), SIGNED),
        (other("threshold_correction", mechanism=INTEGERS), "threshold_noise must have a log-concave"),
    ],
    "variants": [(lambda: svt.variants("worse"), "^part must be one of 'trial', 'better', 'other'")],
    "renyi_bound": [
        (other("renyi_bound", mechanism=ALG3), "mechanism must release indicators"),
        (other("renyi_bound", mechanism=ABSOLUTE), "mechanism must .* compare signed answers"),
        (other("renyi_bound", mechanism=NORMAL, n=10**6), "n must be at most 100,000"),
    ],
    "gaussian_noise": [
        (other("gaussian_noise", delta=1.0), "delta must be less than 1"),
        (other("gaussian_noise", n=10**6), "n must be at most 100,000"),
    ],
    "pair_curve": [
        (other("pair_curve", mechanism=ALG3), "mechanism must release no numbers"),
        (other("pair_curve", neighbour=[0, 2]), "neighbour must differ from answers by at most"),
        (other("pair_curve", neighbour=[1]), "neighbour must have"),
        (
            other("pair_curve", mechanism=ALG6, answers=[0] * 15, neighbour=[1] * 15),
            "answers must have at most 20000 .* no cut-off",
        ),
        (
            other("pair_curve", mechanism=ALG1_TWICE, answers=[0] * 300, neighbour=[1] * 300),
            "answers must have at most 20000 .* c = 2",
        ),
        (lambda: other("pair_curve")().delta(-0.1), "epsilon must be"),
        (lambda: other("pair_curve")().renyi(1.0), "order must be greater than 1, got 1.0"),
        (lambda: other("pair_curve")().renyi(math.inf), "order must be"),
    ],
    "actual_epsilon": [(lambda: svt.actual_epsilon("alg8", 1.0), "key must be one of alg1")],
    "judge": [
        (lambda: svt.judge("alg1"), "program must be"),
        (other("judge", c=7), "c must be"),
    ],
    "worst_case": [
        (other("worst_case", deltas=[2.0]), "deltas"),
        (other("worst_case", answers_grid=[math.inf]), "answers_grid"),
    ],
}


REFUSED = {(name, argument) for name, (_, good) in GOOD.items() for argument in good if argument in WRONG}
REFUSED -= {("audit", "neighbour")}  # the data of a black box may be anything


@pytest.mark.parametrize(("name", "argument"), sorted(REFUSED))
def test_every_argument_is_looked_at(name, argument):
    """Whatever the function: a message that begins with the argument."""
    function, good = GOOD[name]
    for bad in WRONG[argument]:
        with pytest.raises(ValueError, match=f"^{argument} must"):
            function(**(good | {argument: bad}))


def unlisted(names):
    """The public names without a bad call."""
    return sorted(set(names) - set(BAD) - set(GOOD))


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
