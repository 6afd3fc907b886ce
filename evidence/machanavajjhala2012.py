"""Machanavajjhala, The Sparse Vector Technique (slides of CompSci 590.03, 2012): claims in the order of the slides."""

import itertools
import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from evidence import evidence_for
from evidence._common import each, lost, mechanism, stays
from svtcourse.chapter.accuracy import alpha_laplace, lecture_failure

BETA = 0.05


@evidence_for("mach12-sensitivity", {"scale": 1.0})
def a_replaced_record_moves_a_histogram_by_two(scale=2.0):
    """A histogram has sensitivity 2 if one record takes another value; Lap(2/ε) has the variance 8/ε²."""
    epsilon = 0.1
    entries = [lambda record, k=k: record == k for k in range(12)]
    together = svt.Workload(range(12), entries).sensitivity(neighbours="replace").together
    variance = svt.Laplace(scale / epsilon).variance
    return together == 2 and abs(variance * epsilon**2 / 8 - 1) < 1e-12, (
        f"over all replacements in a histogram of 12 entries the largest total change is {together}; "
        f"variance of Lap(2/ε) at ε = {epsilon:g}: {variance:g}"
    )


@evidence_for("mach12-three-cohorts", {"operated": "female"})
def three_cohorts_share_a_person(operated="male"):
    """The three cohorts of the example have sensitivity 1 each and 3 together."""
    patients = itertools.product(("male", "female"), (19, 25, 31), (0, 1), (0, 1))  # sex, age, survivor, surgery
    cohorts = [
        lambda p: p[0] == "male" and 20 <= p[1] <= 30 and p[2] == p[3] == 1,
        lambda p: p[0] == "male" and 20 <= p[1] <= 30 and p[2] == 1,
        lambda p: p[0] == operated and p[2] == p[3] == 1,
    ]
    found = svt.Workload(patients, cohorts).sensitivity("add/remove")
    sex, age, survivor, surgery = found.step[0]
    return set(found.each.values()) == {1} and found.together == 3 and found.monotonic, (
        f"{found.together} together, attained by a {sex} {'cancer survivor' if survivor else 'patient'} of {age} "
        f"who was {'' if surgery else 'not '}admitted for surgery"
    )


@evidence_for("mach12-laplace-all", {"factor": 0.9}, {"factor": 1.1})
def n_answers_need_n_times_the_noise(factor=1.0):
    """Lap(n/ε) on each of n answers of sensitivity 1 is ε-DP, and no smaller scale is, for all such queries."""
    epsilon, sizes = 0.1, (1, 10, 100, 1000)

    def loss(n, share):
        """Largest loss of n numbers with that share of the noise, if one record moves as many as it can by 1."""
        subsets, scale = svt.Workload.subsets(n).sensitivity(), share * factor * n / epsilon
        x, noise = np.linspace(-20 * scale, 20 * scale, 4001), svt.Laplace(scale)
        assert subsets.one == 1
        return subsets.together * float((noise.logpdf(x) - noise.logpdf(x - 1)).max())

    at_n, less = ([loss(n, share) for n in sizes] for share in (1.0, 0.99))
    return max(at_n) <= epsilon + 1e-9 and min(less) > epsilon, (
        f"at ε = {epsilon} the largest loss of n numbers with scale n/ε is {each('{:.4f}', at_n)} for n = "
        f"{each('{}', sizes)}, where one record moves all n answers; with one hundredth less noise {min(less):.4f} or "
        "more"
    )


def laplace_failure(n, alpha, epsilon):
    """Exact probability that one of n answers with noise Lap(n/ε) is off by more than α."""
    return -math.expm1(n * math.log1p(-math.exp(-alpha * epsilon / n)))


@evidence_for("mach12-alpha-laplace", {"factor": 0.5})
def the_printed_bound_lacks_a_factor(factor=1.0):
    """All n answers are within (n/ε) log(n/(εβ)); or rather within (n/ε) log(n/β), and the printed one can fail."""
    cells = list(itertools.product((1, 2, 10, 100, 1000), (0.1, 0.5, 1.0, 1.1, 2.0, 10.0), (BETA, 0.9)))
    correct = max(laplace_failure(n, factor * alpha_laplace(n, e, b), e) / b for n, e, b in cells)
    stated = [(n, e, b) for n, e, b in cells if n > e * b]
    printed = {(n, e, b): laplace_failure(n, n / e * math.log(n / (e * b)), e) for n, e, b in stated}
    critical = {(n, b): n * (1 - (1 - b) ** (1 / n)) / b for n, _, b in cells}
    predicted = all((p > b + 1e-12) == (e > critical[n, b] + 1e-12) for (n, e, b), p in printed.items())
    limit = -math.log(1 - BETA) / BETA
    rises = all(critical[n, BETA] < critical[10 * n, BETA] < limit for n in (1, 10, 100))
    corrected = correct <= 1 + 1e-12 and predicted and rises and limit - critical[1000, BETA] < 1e-4
    return (all(p <= b * (1 + 1e-12) for (_, _, b), p in printed.items()), corrected), (
        f"β = {BETA}: the printed α fails with probability {printed[100, 2.0, BETA]:.4f} at n = 100, ε = 2 and "
        f"{printed[100, 10.0, BETA]:.4f} at ε = 10; it is too small above ε = 1 for n = 1 and above "
        f"{critical[1000, BETA]:.4f} for n = 1000; (n/ε) log(n/β) fails with at most {correct:.4f} β on {len(cells)} "
        "triples (n, ε, β)"
    )


@evidence_for("mach12-total-number", {"widths": (60, 60, 60)})
def overlap_matters_not_the_number(widths=(1, 8, 60)):
    """The accuracy depends on the total number of queries; or rather on how many of them one person is in."""
    ranges = {w: [lambda x, a=a, w=w: a <= x < a + w for a in range(17, 77)] for w in widths}
    together = {w: svt.Workload(range(17, 91), tests).sensitivity().together for w, tests in ranges.items()}
    return (len(set(together.values())) == 1, list(together.values()) == [1, 8, 60]), (
        f"joint sensitivity of 60 ranges of ages by their width in years: {each('{} (width {})', together)}"
    )


def alpha_lecture(n, c, epsilon, beta):
    """The lecture's bound: then it does not abort, numbers are within α, and what is answered ⊥ is below T + α."""
    return 4 * c / epsilon * (math.log(n) + math.log(2 / beta))


@evidence_for("mach12-alpha-svt", {"factor": 0.5})
def the_lecture_svt_is_accurate(factor=1.0):
    """The lecture's SVT is (α, β)-accurate for α = (4c/ε)(log n + log(2/β)), if at most c of n queries exceed τ − α."""
    cells = list(itertools.product((1, 10, 100, 1000), (1, 5, 50), (0.1, 1.0), (0.01, 0.05, 0.5)))
    fails = [lecture_failure(n, c, factor * alpha_lecture(n, c, e, b), e) / b for n, c, e, b in cells]
    return max(fails) <= 1, (
        f"over {len(fails)} combinations of n, c, ε and β the exact probability that any noise carries an answer "
        f"further than α is at most {max(fails):.3f} β"
    )


@evidence_for("mach12-aborts", {"others_below": 0.0})
def it_hardly_ever_aborts(others_below=1.0):
    """It always aborts; or rather hardly ever, if at most c of n queries exceed τ − α."""
    c, T, trials = 15, 60_000, 2000
    bound = alpha_lecture(100, c, 1.0, BETA)
    answers = np.where(np.arange(100) < c, T + bound, T - others_below * (bound + 1e-9))
    lecture = mechanism("lecture2012", c)
    aborted = sum(svt.run(lecture, answers, T, rng=np.random.default_rng(seed)).aborted for seed in range(trials))
    probability = lecture_failure(100, c, bound, 1.0)
    return (aborted == trials, aborted <= BETA * trials and probability <= BETA), (
        f"{aborted} of {trials:,} runs abort with n = 100 and c = {c} queries above τ − α; the probability is at most "
        f"{probability:.1e}, computed exactly"
    )


@evidence_for("mach12-smaller-error", {"factor": 10})
def many_queries_and_few_useful_favour_the_svt(factor=1):
    """If many queries are asked and few exceed the threshold, the SVT has a much smaller error than Laplace noise."""

    def ratio(n, c):
        """The SVT's bound over the least α that Laplace noise keeps on all n answers."""
        needed = -n * math.log(-math.expm1(math.log1p(-BETA) / n))
        assert abs(laplace_failure(n, needed, 1.0) / BETA - 1) < 1e-9
        return factor * alpha_lecture(n, c, 1.0, BETA) / needed

    ratios = {(n, c): ratio(n, c) for n, c in ((2, 1), (100, 1), (1000, 10), (10_000, 10))}
    better_from = {c: next(n for n in itertools.count(c) if ratio(n, c) < 1) for c in (1, 10, 100)}
    return max(r for (n, c), r in ratios.items() if n >= 100 * c) < 0.1, (
        "bound of the technique over what Laplace noise on all answers needs: "
        f"{each('{:.3g} (n = {:,}, c = {})', ratios)}; the technique's is the smaller one from "
        + each("n = {} at c = {}", better_from)
    )


@evidence_for("mach12-sets", {"shift": 0.5})
def a_moved_threshold_keeps_the_negatives(shift=1.0):
    """For the sets A of noise that gives the observed ⊥: A(Z − 1, D′) ⊆ A(Z, D) ⊆ A(Z + 1, D′)."""
    return stays("⊥", shift) and not stays("⊥", 1 / 2), (
        "for all answers, noise and thresholds by the solver: what is below stays below if the threshold moves by 1 "
        "with the data, in both directions, and need not if it moves by ½"
    )


@evidence_for("mach12-free", {"variant": "alg1"})
def what_each_step_costs(variant="lecture2012"):
    """ε/2 for the threshold, ε/2 for the positives, negatives free; or so for indicators and monotonic counts."""
    c = 3
    one_way = mechanism(variant, c, changed={"release": "indicator", "cutoff": "at c", "monotonic": True})
    pays = {line.step: line.pays for line in svt.prove(one_way).steps}
    general, aborts, doubled = (
        svt.prove(replace(one_way, **changed)).epsilon
        for changed in (
            {"monotonic": False},
            {"cutoff": "after c"},
            {"monotonic": False, "query_noise": svt.Laplace(4 * c)},
        )
    )
    number = lost(mechanism("lecture2012"), (40, 0, 1, "⊥"), (1, 0, 1, -100.0))
    costs = abs(general - 1.5) + abs(aborts - 1 - 1 / (2 * c)) + abs(doubled - 1) < 1e-9
    as_said = [pays["threshold"], pays["negatives"], pays["positives"]] == ["0.5", "0", "0.5"]
    return (as_said and number <= 1, as_said and costs and abs(number - 20.5) < 1e-3), (
        f"for all inputs by the solver, ε = 1, c = {c}: monotonic queries, indicators and a stop at the c-th positive "
        f"pay {pays['threshold']} for the threshold, {pays['negatives']} for negatives and {pays['positives']} for all "
        f"positives; general queries cost {general:g}, and {doubled:g} with twice the query noise, an abort at the "
        f"next positive {aborts:.4g}; with numbers and c = 1, 40 negatives and the number −100 lose {number:.2f}"
    )


@evidence_for("mach12-product", {"number": 90.0})
def a_number_seen_before_bounds_the_threshold(number=-1.0):
    """The negatives' conditional probabilities multiply to an integral over the prior; not if a number comes before."""
    m, once = 8, mechanism("lecture2012")
    low, high = [0.0] * (m + 1), [1.0] * (m + 1)
    first, last = [number] + [False] * m, [False] * m + [number]

    def product(answers, outcome):
        """Log of the product over the negatives of Pr[⊥ | all outputs before]."""
        log_p = [svt.log_probability(once, answers[:i], outcome[:i]) if i else 0.0 for i in range(m + 2)]
        return sum(log_p[i + 1] - log_p[i] for i in range(m + 1) if outcome[i] is False)

    def integral(answers):
        """Log of the integral of p(z) f(z), the negatives alone."""
        return svt.log_probability(replace(once, release="indicator"), answers[:m], "⊥" * m)

    before, after = (abs(product(low, outcome) - integral(low)) for outcome in (first, last))
    changes, bounded = product(low, first) - product(high, first), integral(low) - integral(high)
    corrected = after < 1e-6 and before > 1 and abs(changes - m / 2) < 0.01 and bounded <= 0.5 + 1e-9
    return (before < 1e-6 and after < 1e-6, corrected), (
        f"logs of the two sides differ by {before:.3f} if the number −1 comes before {m} negatives and by less than "
        f"0.000001 if it comes after them; the negatives' part of the loss is {changes:.3f} by the product and "
        f"{bounded:.3f} by the integral, bounded in the lecture by ε/2 = 0.5"
    )


@evidence_for("mach12-svt-private", {"lengths": (1, 2)})
def its_numbers_lose_without_bound(lengths=(3, 30, 300)):
    """The log ratio is at most ε/2 for the numbers and ε/2 for the other answers of every output."""
    pairs = itertools.product((1, 2, 5), lengths)
    losses = {(c, n): lost(mechanism("lecture2012", c), (n - 1, 0, 1, "⊥"), (1, 0, 1, 0.0)) for c, n in pairs}
    assert all(abs(loss - n / (2 * c)) < 1e-5 for (c, n), loss in losses.items())
    return max(losses.values()) <= 1 + 1e-9, (
        "exact loss at ε = 1 of n − 1 negatives and the number 0, if all n answers rise by 1: "
        f"{each('{:.2f} (c = {}, n = {})', losses)}; nε/(2c) up to 0.00001"
    )
