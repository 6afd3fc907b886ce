"""Near & Abuah, Programming Differential Privacy, "The Sparse Vector Technique": claims in the order of the chapter."""

import math
import re
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import z3

import svtlib as svt
from evidence import evidence_for
from evidence._common import always, costs, each, lost, mechanism, outcomes
from svtcourse.chapter.tables import load_table
from svtcourse.lessons.clipping_bound import STEPS, silent
from svtcourse.lessons.range_queries_and_cohorts import printed_ranges


def _above_threshold(answers, threshold, epsilon, rng):
    """Their listing: the index of the first answer above the noisy threshold, or −1."""
    noisy = threshold + rng.laplace(0, 2 / epsilon)
    for index, answer in enumerate(answers):
        if answer + rng.laplace(0, 4 / epsilon) >= noisy:
            return index
    return -1


def _sparse(answers, threshold, c, epsilon, rng):
    """Their listing: AboveThreshold with ε/c, at most c times, as the signs of the answers."""
    said = ""
    for _ in range(c):
        index = _above_threshold(answers[len(said) :], threshold, epsilon / c, rng)
        if index == -1:
            return said + "⊥" * (len(answers) - len(said))
        said += "⊥" * index + "⊤"
    return said


def _search(epsilon=1.0):
    """AboveThreshold."""
    return mechanism("above_threshold", epsilon=epsilon)


def _naive(scale):
    """Their naive search: no noise on the threshold, Lap(scale) on each answer."""
    return svt.Mechanism("naive", svt.NoNoise(), svt.Laplace(scale), 1, 1 / scale, 0.0, 1 / scale)


def _answers(column, bounds):
    """The sums clipped at b less those clipped at b + 1: minus the number of rows above b."""
    return -column.rows_above(bounds)


@evidence_for("na-above-threshold", {"query_scale": 1.0})
def one_budget_for_any_number_of_queries(query_scale=4.0):
    """AboveThreshold with the noise Lap(2/ε), Lap(4/ε) is ε-DP for every stream and every threshold."""
    m = replace(_search(), query_noise=svt.Laplace(query_scale))
    holds, found = costs({n: (m, 1.0, n) for n in (1, 2, 3, 4, 20)})
    return holds, (
        f"an alignment costs {svt.prove(m).epsilon:g} at ε = 1 for all inputs and any number of queries; largest exact "
        f"loss {each('{:.4f} for n = {}', found)}"
    )


@evidence_for("na-naive", {"scale": 0.5}, {"scale": 2.0})
def without_threshold_noise_every_query_costs(scale=1.0):
    """The naive search of n queries is nε-DP, and for no smaller multiple of ε."""
    epsilon, heights = 0.1, np.linspace(-300, 300, 2001)
    naive = _naive(scale / epsilon)
    nu = naive.query_noise
    negative = (nu.log_less(heights) - nu.log_less(heights - 1)).max()
    positive = (nu.log_at_least(heights) - nu.log_at_least(heights + 1)).max()
    multiples = [lost(naive, (n, 0, 1, "⊥")) / (n * epsilon) for n in (1, 10, 100, 1000)]
    return max(negative, positive) <= epsilon + 1e-9 and np.allclose(multiples, 1, rtol=1e-9), (
        "loss of ⊥ⁿ divided by nε, answers at the threshold, for n = 1, 10, 100, 1000: "
        f"{each('{:.6f}', multiples)}; one answer of either kind never costs more than ε ({heights.size:,} heights)"
    )


@evidence_for("na-withholds", {"n": 1})
def withheld_numbers_are_not_paid_for(n=50):
    """Because AboveThreshold withholds the other indices and the noisy answers, it costs less than composition says."""
    epsilon = 0.1
    quiet, below = _search(epsilon), (n - 1, 0, 1, "⊥")
    number = lost(replace(quiet, release="compared"), below, (1, 0, 1, -300.0))
    withheld, naive = abs(lost(quiet, below, (1, 0, 1, "⊤"))), lost(_naive(1 / epsilon), (n, 0, 1, "⊥"))
    return svt.prove(quiet).epsilon <= epsilon + 1e-12 and withheld <= epsilon < 2 * epsilon < number, (
        f"AboveThreshold at ε = {epsilon} on {n} queries: if it released the number that it compared, {n - 1} "
        f"negatives and the number −300 would lose {number:.3f}, and with ⊤ in its place they lose {withheld:.3f}; but "
        f"the naive version has the same {n + 1} possible outcomes and loses {naive:.3f}"
    )


@evidence_for("na-wrong-index", {"epsilon": 0.1})
def the_index_can_be_wrong(epsilon=0.001):
    """AboveThreshold may return an index whose query is not above the threshold, or not the first that is."""
    kosarak, T = svt.load_scores("kosarak"), 60_000
    visits = np.random.default_rng(5).permutation(np.repeat(kosarak.support, kosarak.count).astype(int))
    first, second = np.flatnonzero(visits >= T)[:2].tolist()

    def chance(epsilon, outcome):
        """Exact probability of the outcome on the first pages."""
        return math.exp(svt.log_probability(_search(epsilon), visits[: len(outcome)], outcome, T))

    right = {e: chance(e, "⊥" * first + "⊤") for e in (epsilon, 0.0005, 0.002)}
    none_yet = chance(epsilon, "⊥" * first)
    next_one = chance(epsilon, "⊥" * second + "⊤")
    return 1 - none_yet > 0.01 and next_one > 0.01, (
        f"on the pages at ε = {epsilon}: the first one above the threshold with probability {right[epsilon]:.4f}, one "
        f"below it that comes before {1 - none_yet:.4f}, the second one above it {next_one:.4f} (exact); the first one "
        f"with probability {right[0.0005]:.4f} at ε = 0.0005 and {right[0.002]:.4f} at 0.002"
    )


@evidence_for("na-minus-one", {"doublings": 24})
def nothing_found_means_the_last_bound(doublings=18):
    """If no comparison succeeds, the function returns −1, the last element: auto_avg clips at the last bound."""
    double = 2.0 ** np.arange(doublings)
    index = _above_threshold([-1e9] * doublings, 0, 1.0, np.random.default_rng(1))
    third = _search(1 / 3)
    age, gain = svt.load_adult("age"), svt.load_adult("capital_gain")
    on_theirs = max(silent(third, _answers(column, STEPS)) for column in (age, gain))
    ages, gains = (silent(third, _answers(column, double)) for column in (age, gain))
    return index == -1 and double[index] == double.max() and on_theirs < 1e-6 and gains > 0.4, (
        f"nothing is found at ε = 1 with probability {on_theirs:.0e} at most on their list of 30,000 bounds, "
        f"{ages:.3f} (age) and {gains:.3f} (capital gain) on the doubling list; the bound is then {double[index]:,.0f}"
    )


@evidence_for("na-clip-913809", {"bound": 31})
def the_clipped_sum_is_as_printed(bound=30):
    """The sum of the ages of Adult, clipped at 30, is 913,809."""
    age = svt.load_adult("age")
    total = age.clipped_sum(bound)
    return total == 913_809, f"the ages of the {age.rows:,} rows, clipped at 30, sum to {total:,.0f}"


@evidence_for("na-sensitivity-1", {"step": 2})
def differences_of_clipped_sums_move_by_one(step=1):
    """The difference of the sums clipped at b and at b + 1 changes by at most 1 if a row is added or removed."""
    x, b = z3.Reals("x b")
    change = z3.If(x < b, x, b) - z3.If(x < b + step, x, b + step)
    queries = [lambda x, b=b: min(x, b) - min(x, b + step) for b in range(1, 150, 5)]
    found = svt.Workload(range(121), queries).sensitivity("add/remove")
    return always(z3.And(change >= -1, change <= 0)) and found.one == 1, (
        "all ages from 0 to 120 and all 30 queries: a row changes each by 0 or 1; by the solver it changes none by "
        "more than 1 for all real numbers in the row and all b"
    )


@evidence_for("na-length-free", {"lengths": (18, 18, 18)})
def long_lists_stop_too_early(lengths=(18, 150, 30_000)):
    """The length of the list bs does not matter for cost and accuracy; or rather for the cost alone."""
    gain, search = svt.load_adult("capital_gain"), _search(0.1 / 3)
    lists = [np.unique(np.ceil(np.arange(1, k + 1) * 150_000 / k)) for k in lengths]
    early = [1 - silent(search, _answers(gain, bounds[bounds < 99_999])) for bounds in lists]
    cost = svt.prove(_search()).epsilon
    most = max(cost, *(svt.worst_case(_search(), n).loss for n in (2, 6, 12)))
    corrected = most <= 1 + 1e-9 and early[0] < early[1] < early[2] and early[2] > 0.999999
    return (max(early) - min(early) < 0.01, corrected), (
        "the alignment costs ε at any length, and the largest loss found is not above it; the exact probability that "
        "the search of capital gains at ε = 0.1 stops too early is "
        + each("{1:.6f} for {0:,} bounds", zip(lengths, early, strict=True))
    )


@evidence_for("na-same-output", {"steps": (5, 5, 5)})
def finer_lists_stop_earlier(steps=(5, 1, 0.05)):
    """The output does not depend on how many b are tried; or rather it does."""
    age, gain, third = svt.load_adult("age"), svt.load_adult("capital_gain"), _search(0.1 / 3)
    ages = silent(third, _answers(age, np.arange(1, 150, 5)))
    gains = silent(_search(1 / 3), _answers(gain, 2.0 ** np.arange(18)))
    lists = [np.arange(1, 150, step) for step in steps]
    early = [1 - silent(third, _answers(age, bounds[bounds <= 86])) for bounds in lists]
    corrected = 0.01 < ages < 0.03 and gains > 0.4 and early[0] < early[1] < early[2]
    return (max(early) - min(early) < 0.01 and gains < 0.01, corrected), (
        f"nothing is found with probability {ages:.3f} (ages) and {gains:.3f} (gains); a bound of at most 86 in steps "
        f"of 5, 1 and 0.05 with {each('{:.4f}', early)}"
    )


@evidence_for("na-auto-avg-dp", {"sum_noise": 2 / 3})
def three_thirds_make_the_average(sum_noise=1.0):
    """auto_avg, a search, a clipped sum and a count with ε/3 each, is ε-DP by sequential composition."""

    def largest_loss(scale, moved):
        """Loss of a number with Lap(scale) that a row moves, at an output beyond it."""
        noise = svt.Laplace(scale)
        return float(noise.logpdf(0.0) - noise.logpdf(moved))

    parts = {
        e: (svt.prove(_search(e / 3)).epsilon, largest_loss(3 / e, 1.0), largest_loss(sum_noise * 90 * 3 / e, 90.0))
        for e in (0.1, 1.0, 10.0)
    }
    return all(abs(sum(part) / e - 1) < 1e-12 for e, part in parts.items()), (
        "at ε = 1 an alignment of the search costs {:.4f}, one row in the count {:.4f}, and 90 in a sum clipped at 90 "
        "{:.4f}".format(*parts[1.0])
    )


@evidence_for("na-printed", {"gains": 1608.1445048412666})
def the_printed_outputs_are_usual(ages=38.5750654706846, gains=1068.1445048412666):
    """The outputs printed for the ages (the bound 101 twice, an average) and the gains (an average) are usual ones."""
    age, gain = svt.load_adult("age"), svt.load_adult("capital_gain")
    bounds = np.arange(1, 150, 5)
    until = bounds.tolist().index(101)
    before, after = (silent(_search(0.1), _answers(age, bounds[:k])) for k in (until, until + 1))
    naive_bounds = np.arange(1, 1000, 10)
    sums = np.array([age.clipped_sum(b) for b in naive_bounds])
    noisy = sums + np.random.default_rng(25).laplace(size=(20_000, naive_bounds.size)) * 100 * naive_bounds
    naive = float((naive_bounds[(np.diff(noisy, axis=1, prepend=0) <= 10).argmax(axis=1)] == 101).mean())
    most = load_table("clipping-100000").set_index(["search", "column", "epsilon"]).q95["auto_avg"]
    off = abs(ages - age.mean()), abs(gains - gain.mean())
    usual = most[age.columns[0], 1.0], most[gain.columns[0], 1.0]
    return min(before - after, naive) > 0.025 and off[0] < usual[0] and off[1] < usual[1], (
        f"101 has a share of {naive:.3f} in 20,000 naive searches and the exact probability {before - after:.3f} in "
        f"the SVT; the averages are off by {off[0]:.4f} and {off[1]:.2f}, and 95 % of 100,000 runs by less than "
        f"{usual[0]:.4f} and {usual[1]:.2f}"
    )


def _by_restarts(answers, outcome, mechanism):
    """Log probability of an outcome at threshold 1: the sum over the runs of one AboveThreshold after the other."""
    total, start = 0.0, 0
    for part in re.findall("⊥*⊤|⊥+", outcome):
        total += svt.log_probability(mechanism, answers[start : start + len(part)], part, 1.0)
        start += len(part)
    return total


def _by_loop(answers, outcome, c):
    """The same by the loop of Alg. 2 at ε = 1, query by query, with the law of ρ on a grid."""
    z = np.linspace(-150, 150, 30_001)
    rho, nu = svt.Laplace(2 * c), svt.Laplace(4 * c)
    weight = fresh = np.exp(rho.logpdf(z)) * (z[1] - z[0])
    for answer, sign in zip(answers, outcome, strict=False):
        below = np.exp(nu.log_less(1.0 + z - answer))
        weight = weight * below if sign == "⊥" else fresh * (weight * (1 - below)).sum()
    return math.log(weight.sum())


@cache
def _sampled_chi2(trials=4000):
    """Chi-square of runs of their listing against the exact law of Alg. 2, on 4 queries with c = 2: 10 degrees."""
    rng, four = np.random.default_rng(1955), [2.0, -1.0, 3.0, 0.0]
    runs = [_sparse(four, 1.0, 2, 1.0, rng) for _ in range(trials)]
    expected = {a: trials * math.exp(svt.log_probability(mechanism("alg2", 2), four, a, 1.0)) for a in outcomes(4, 2)}
    assert set(runs) <= set(expected)
    return sum((runs.count(a) - e) ** 2 / e for a, e in expected.items())


@evidence_for("na-sparse-alg2", {"share": 0.5})
def sparse_is_alg_2(share=1.0):
    """sparse, which restarts AboveThreshold with ε/c, has the law of Alg. 2 with ε₁ = ε₂."""
    rng = np.random.default_rng(25)
    vectors = [np.zeros(5), np.arange(5.0) - 2, *rng.normal(0, 6, (4, 5)).round(2)]
    logs = []
    for c, answers in product((1, 2, 3), vectors):
        for outcome in outcomes(5, c):
            exact = [svt.log_probability(mechanism(key, c), answers, outcome, 1.0) for key in ("alg2", "sparse")]
            logs.append([*exact, _by_restarts(answers, outcome, _search(share / c)), _by_loop(answers, outcome, c)])
    probabilities = np.exp(logs)
    exact_gap, grid_gap = np.ptp(probabilities[:, :3], axis=1).max(), np.ptp(probabilities, axis=1).max()
    chi2 = _sampled_chi2()  # above 29.6 with probability 0.001
    return exact_gap < 1e-9 and grid_gap < 1e-5 and chi2 < 29.6, (
        f"{len(logs)} outcomes on {len(vectors)} answer vectors for c = 1, 2, 3: the exact probabilities under Alg. 2, "
        "Sparse and restarts differ by less than 1e-9, from the plain loop of Alg. 2 on a grid by less than 1e-5; "
        f"chi-square of 4,000 sampled runs of the listing {chi2:.1f}"
    )


@evidence_for("na-sparse-dp", {"restart": 1.5})
def c_restarts_cost_one_budget(restart=1.0):
    """sparse with c runs of AboveThreshold at ε/c each is ε-DP."""
    sizes, general = ((1, 4), (2, 4), (2, 12), (3, 24)), svt.prove(svt.variant("sparse"))
    holds, found = costs({(c, n): (mechanism("sparse", c, epsilon=restart), 1.0, n) for c, n in sizes})
    return general.holds and holds, (
        f"an alignment costs {general.epsilon}, for all inputs and every c; largest exact loss at ε = 1: "
        + each("{:.4f} (c = {}, n = {})", found)
    )


@evidence_for("na-range-global", {"younger_than": 200})
def the_ranges_are_selected_on_another_table(younger_than=40):
    """range_query_svt(df) selects the ranges on df; or rather on the global table adult, and answers them on df."""
    ages = svt.load_adult("age").series()
    ranges = svt.Workload(range(17, 91), [lambda age, a=a: a <= age < a + 10 for a in range(20, 60, 5)])
    adult, df = ranges.answers(ages), ranges.answers(ages[ages.index < younger_than])
    as_printed, as_meant = (_sparse(table, 6000, 6, 0.5, np.random.default_rng(19)) for table in (adult, df))
    counts = [df[i] for i, sign in enumerate(as_printed) if sign == "⊤"]
    return (as_printed == as_meant, as_printed != as_meant and min(counts) == 0), (
        f"with the people under 40 as the argument, {len(counts)} ranges are selected where {as_meant.count('⊤')} "
        "would be, with the same noise, if the argument were asked; the true counts of the selected ones on the "
        "argument are " + each("{:,}", counts)
    )


def _range_query_svt(number_scale=10.0):
    """Sparse with ε/2 and c = 5, and each positive's answer with noise Lap(2c/ε), at ε = 1."""
    numbers = {"release": "fresh", "release_noise": svt.Laplace(number_scale), "epsilon": 1.0, "epsilon3": 0.5}
    return mechanism("sparse", 5, epsilon=0.5, changed=numbers)


@evidence_for("na-range-dp", {"number_scale": 5.0})
def half_for_the_search_and_half_for_the_numbers(number_scale=10.0):
    """range_query_svt is ε-DP for every number of range queries, if both steps ask the same table."""
    published = _range_query_svt(number_scale)
    proof = svt.prove(published)
    counted = svt.prove(replace(published, monotonic=True)).epsilon
    return proof.holds and abs(proof.epsilon - 1) < 1e-12 and published.query_noise.scale == 40, (
        f"an alignment costs {proof.epsilon:.2f} at ε = 1 for any number of queries; for counts, which are monotonic, "
        f"{counted:.2f}"
    )


@evidence_for("na-range-cost", {"number": -950.0})
def finds_cost_and_queries_do_not(number=-850.0):
    """A run that finds k < c queries loses at most (k + 1/4)ε/c, one that finds c at most ε, and both are attained."""
    published = _range_query_svt()
    pays = {line.step: float(line.pays) for line in svt.prove(published).steps}  # for all five runs and finds
    most = [k * pays["together"] / 5 + pays["threshold"] / 5 * (k < 5) for k in range(6)]
    stated = [(k + 1 / 4) / 5 if k < 5 else 1.0 for k in range(6)]

    def loss(k, silent):
        """Exact loss of k finds, each after some ⊥, and as many ⊥ again if k < c."""
        below = silent, 900, 1, "⊥"
        return lost(published, *[below, (1, -900, -1, number)] * k, *[below] * (k < 5))

    found, longer = ([loss(k, silent) for k in range(6)] for silent in (12, 60))
    attained = all(np.allclose(losses, stated, rtol=0, atol=1e-9) for losses in (found, longer))
    return attained and np.allclose(most, stated, rtol=0, atol=1e-12), (
        "for all inputs k finds cost at most (k + 1/4)ε/c, and ε for k = c, by an alignment of each run; exact losses "
        f"of far answers at ε = 1, c = 5, for k = 0 to 5 finds: {each('{:.2f}', found)}, with 12 negatives before each "
        "find and with 60"
    )


@evidence_for("na-range-accurate", {"threshold": 1000})
def overlap_decides_what_is_more_accurate(threshold=10_000):
    """With few queries above the threshold range_query_svt is more accurate; or only if one person is in many."""
    ranges = printed_ranges()  # the printed count says which range it was
    tests = [lambda x, a=a, b=b: a < x < b for a, b in ranges]
    overlap = svt.Workload(range(17, 91), tests).sensitivity("add/remove").together
    tiny = sum(count > threshold for count in ranges.values())
    scale = _range_query_svt().release_noise.scale
    return (scale < overlap, tiny == 2 and 2 * tiny < overlap < scale), (
        f"{tiny} of the ten printed counts exceed 10,000; their noise has the scale {scale:g}, plain noise on all ten "
        f"has {overlap}, and the numbers would have {2 * tiny} with c = {tiny}"
    )
