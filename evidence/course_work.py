"""What this course says itself on audits, floats, tables, budgets and bounds (chapters 21 to 26)."""

import itertools
import math
import tempfile
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.special import logit
from scipy.stats import beta

import svtlib as svt
from evidence import evidence_for
from evidence._common import each, mechanism
from svtcourse.chapter.boxes import BOXES
from svtcourse.chapter.budget_book import Ledger
from svtcourse.chapter.tables import load_table
from svtcourse.lessons import auditing, questions_for_ever as ever
from svtcourse.lessons.from_paper_to_production import loss_in_bits, share_impossible, twenty_thousand


@evidence_for("svt-audit-honest", counted_on=1)
def audits_are_honest(counted_on=0):
    """A bound exceeds the loss in at most a share 1 − confidence of audits, if choice and count have their own runs."""
    bounds, same = auditing.audits_of_nothing()[counted_on], auditing.audits_of_nothing()[1]
    return bool((bounds > 0).sum() <= 4 and (same > 0).mean() > 0.5), (
        f"the same list twice, loss 0, {bounds.size} audits at confidence 0.99: {(bounds > 0).sum()} certify more than "
        f"0 where the event is counted on other runs, {(same > 0).sum()} where it is counted on the same, up to "
        f"{same.max():.1f}"
    )


@cache
def certified(box):
    """What 600,000 runs certify on the best of eight pairs, each tried with 10,000."""
    both = [ab[::way] for ab in auditing.PAIRS.values() for way in (1, -1)]
    best = max(both, key=lambda ab: auditing.audited(box, *ab, 10_000))
    return auditing.audited(box, *best, 600_000, confidence=0.996, seed=99)


@evidence_for("svt-boxes", swapped=True)
def boxes_by_their_runs(swapped=False):
    """600,000 runs on the best of eight pairs convict two of four bad boxes, and not the good one."""
    boxes = BOXES | ({"C": BOXES["D"], "D": BOXES["C"]} if swapped else {})
    final = {name: certified(box) for name, box in boxes.items()}
    d_true = svt.prove(replace(auditing.ALG1, query_noise=svt.Laplace(4))).epsilon
    step = math.log1p(-auditing.positive(-1)) - math.log1p(-auditing.positive(0))
    rng = np.random.default_rng(6)
    trimmed, ordered = boxes["B"]([-51.0], 100_000, rng), boxes["A"]([1, 0], 100_000, rng)
    never = not trimmed.any() and not ((ordered[:, 0] == 0) & (ordered[:, 1] == 1)).any()
    convicted = min(final["A"], final["D"]) > 1 > max(final[name] for name in "BCE")
    return bool(never and convicted and abs(d_true - 1.5) < 1e-9 and 30 * step > 1), (
        f"A never answers ⊥⊤ on (1, 0); D costs {d_true:g} by proof; B never answers ⊤ at −51, where nothing is left "
        f"of the noise; E loses {8 * step:.2f} with 8 negatives and {30 * step:.2f} with 30; certified: "
        + each("{1} {0:.1f}", final)
    )


COUNTED = 200_000_000  # runs on either list in the recounts of the auditors' events


def exactly(row, fewer=0):
    """The probabilities of the event that StatDP's log names, on either side."""
    m, a, b, threshold = auditing.audited_program(row)
    if row.variant == "alg3":  # five negatives, then a number below 0

        def density(x, q):
            """Of that outcome with the number x."""
            return math.exp(svt.log_probability(m, q, [*[False] * 5, x], threshold))

        return [quad(density, -1500, 0, args=(q,), points=(-100, -20))[0] for q in (a, b)]
    if row.variant == "alg5":  # the signs that b has without noise
        events = [np.array(b) >= threshold]
    elif row.variant == "alg6":  # one sign other than a has without noise
        events = [(np.array(a) >= threshold) ^ one for one in np.eye(10, dtype=bool)]
    else:  # so many negatives, and the positive that ends the run
        negatives = int(row.event.split("[")[1][:-1]) - fewer
        events = [np.arange(negatives + 1) == negatives]
    return [sum(math.exp(svt.log_probability(m, q, e.tolist(), threshold)) for e in events) for q in (a, b)]


def with_floor(row, floor=0.01):
    """The largest log(p / floor) where q is the floor: what events no rarer show."""
    curve = auditing.curve_of(*auditing.audited_program(row))
    order = np.argsort(-curve.loss, kind="stable")
    p, q = (np.append(0, np.exp(x[order]).cumsum()) for x in (curve.log_p, curve.log_q))
    return math.log(np.interp(floor, q[q < 1], p[q < 1]) / floor)


def by_certified(row):
    """The bound that two counts of the log certify."""
    k, k_there = (math.floor(COUNTED * p) for p in (row.p, row.p_there))
    return auditing.certified(max(k, k_there), min(k, k_there), COUNTED, confidence=0.9)


def rare_in_alg3():
    """Probabilities of nine times ⊥ and then a number below −1, for answers that fall, stay and rise."""

    def density(x, q):
        """Of that outcome with the number x."""
        return math.exp(svt.log_probability(auditing.TENTH["alg3"], q, [False] * 9 + [x], 1.0))

    return [quad(density, -1500, -1, args=(np.full(10, level),), points=(-100, -20))[0] for level in (0.0, 1.0, 2.0)]


@evidence_for("svt-auditors", fewer=1)
def published_auditors_are_honest(fewer=0):
    """No bound in the logs of DP-Sniper and StatDP passes the loss on its pair, and StatDP's frequencies are right."""
    logs = load_table("auditors")
    on_pair = np.array([auditing.largest(*auditing.audited_program(row)) for row in logs.itertuples()])
    again = np.array([by_certified(row) for row in logs.itertuples()])
    sniper = logs[logs.auditor.str.startswith("DP-Sniper") & (logs.variant != "alg3")]
    floored = np.array([with_floor(row) for row in sniper.itertuples()])
    named = logs[logs.auditor.str.startswith("StatDP")]
    truth = np.array([exactly(row, fewer) for row in named.itertuples()])
    deviation = np.where(truth > 0, np.sqrt(truth * (1 - truth) / COUNTED), 1e-12)
    off = np.abs(named[["p", "p_there"]].to_numpy() - truth) / deviation
    rare, slack = rare_in_alg3(), (on_pair - logs.lower_bound).min()
    assert np.allclose(np.diff(np.log(rare)), -0.5, rtol=1e-6) and 8e-7 < min(rare) < max(rare) < 2.5e-6
    bounds = slack > 0 and (sniper.lower_bound < floored).all() and np.abs(again - logs.lower_bound).max() < 1e-8
    return bool(len(logs) == 24 == off.size and bounds and off.max() < 3), (
        f"{len(logs)} bounds, each below the largest exact loss on its pair, by {slack:.4f} at least, and DP-Sniper's "
        f"ten for mechanisms without numbers below what its floor leaves, {floored.max():.3f} for Alg. 5; {off.size} "
        f"frequencies, off by {off.max():.1f} standard deviations at most"
    )


def add_up(p, p_there, processes, rng, order):
    """How often an event is counted on either list in 500,000 runs, shared out over processes."""
    counts = rng.binomial(500_000 // processes, [[p], [p_there]], (2, processes))
    return {"larger": np.sort(counts, axis=0)[::-1], "smaller": np.sort(counts, axis=0), "kept": counts}[order].sum(1)


def rejected(p, p_there, processes, order="larger", times=100):
    """The largest ε that a test of the sums at level 0.1 rejects, in that many simulations."""
    rng = np.random.default_rng([processes, 7])
    k, k_there = np.transpose([add_up(max(p, p_there), min(p, p_there), processes, rng, order) for _ in range(times)])
    return np.maximum(0, logit(beta.ppf(0.1, k, k_there + 1)))  # share of all counts that are on this side


@evidence_for("svt-larger-first", order="smaller")
def larger_first_convicts_the_innocent(order="larger"):
    """If each of 128 processes hands back its larger count first, a test rejects three times what Alg. 1 can lose."""
    named = load_table("auditors").query("auditor.str.startswith('StatDP')")
    events = [(row, exactly(row)) for row in named.itertuples()]
    alg1 = next(p for row, p in events if row.variant == "alg1")
    many, one, kept = rejected(*alg1, 128, order), rejected(*alg1, 1, order), rejected(*alg1, 128, "kept")
    fits = {}
    for processes in (64, 128, 256):
        bands = [(rejected(*p, processes, order), row.preliminary) for row, p in events if min(p) > 0]
        fits[processes] = sum(band.min() < figure < band.max() for band, figure in bands), len(bands)
    holds = fits[128] == (10, 10) and max(fits[64][0], fits[256][0]) <= 6
    return bool(holds and many.min() > 0.1 > max(kept.max(), one.max())), (
        f"{many.size} simulations of 128 processes find from {many.min():.2f} to {many.max():.2f}; with one process, "
        f"or with the sides kept, at most {max(one.max(), kept.max()):.2f}; {fits[128][0]} of {fits[128][1]} figures "
        "of the logs lie among the simulated ones for 128 processes, at most 6 for 64 or 256"
    )


@evidence_for("svt-mw-step", times=1.5)
def an_update_brings_the_guess_nearer(times=1.0):
    """An update with any η lowers KL by at least η(⟨q, p⟩ − ⟨q, p̂⟩) − η²/8."""
    potential, floors = ever.progress()
    slack = (-np.diff(potential) - times * floors).min()
    rng, tight = np.random.default_rng(7), math.inf
    for _ in range(2000):
        p, guess = rng.dirichlet([0.3] * 6), rng.dirichlet([1.0] * 6)
        q, eta = rng.uniform(0, 1, 6), rng.normal(0, 2)
        fall = eta * (q @ p) - math.log(guess @ np.exp(eta * q))
        tight = min(tight, fall - times * (eta * (q @ p - q @ guess) - eta**2 / 8))
    return bool(min(slack, tight) > -1e-12), (
        f"each of the {floors.size} updates of the run lowers KL by at least the bound, and so do 2,000 random ones; "
        f"KL starts at {potential[0]:.2f} and ends at {potential[-1]:.2f}"
    )


@evidence_for("svt-pmw-against-histogram", mentioned_only=True)
def a_histogram_beats_the_weights_on_few_cells(mentioned_only=False):
    """At 1,024 cells a noisy histogram is twenty times nearer; holding columns that no question mentions, it is not."""
    mean = ever.comparison()["mean error"]
    first = {
        eps: next((k for k in range(25) if held(eps, k, mentioned_only) > ever.weights_error(eps)), 25)
        for eps in (0.3, 1.0)
    }
    few = mean.idxmin() == "noisy histogram" and 20 * mean.min() < mean[ever.OURS]
    return bool(few and all(4 <= k <= 16 for k in first.values()) and abs(held(1.0, 0) / mean.min() - 1) < 0.15), (
        f"mean error of 2,000 answers at ε = 1 over 8 runs: {each('{1} {0:,.0f}', mean)}; unmentioned columns to add "
        f"before the histogram that holds them is behind: {each('{} (ε = {:g})', first)}; a histogram without them has "
        f"{held(1.0, 0):.1f} for any number of them"
    )


@evidence_for("svt-pmw-delta", share=0.1)
def the_weights_with_a_delta(share=0.8):
    """With a δ the weights' SVT begins again, and errs half as much; Gaussian noise on every answer errs less still."""
    mean, data = ever.comparison()["mean error"], ever.adult()
    guard, noise = ever.with_delta(250, share)
    rng = [np.random.default_rng([seed, 8]) for seed in range(4)]
    found = float(np.mean([np.abs(ever.Run(guard, noise, r, T=500.0).given - data.true).mean() for r in rng]))
    gaussian, pure = mean[ever.GAUSSIAN], mean[ever.OURS]
    return bool(140 < gaussian < 160 and gaussian + 20 < found < 0.6 * pure), (
        f"mean error of 2,000 answers at ε = 1: pure weights {pure:.0f}; with δ = 10⁻⁶ the weights, T = 500, c = 250, "
        f"{found:.0f}, and Gaussian noise on every answer {gaussian:.0f}"
    )


def held(eps, columns, mentioned_only=False):
    """Expected error of a histogram that holds that many columns besides, or none of them."""
    return float(ever.histogram_error(eps, 0 if mentioned_only else columns))


def laplace(u, scale):
    """Laplace noise from a uniform number, as numpy computes it."""
    return scale * math.log(u + u) if u < 0.5 else -scale * math.log(2 - u - u)


def possible(y, answer, scale):
    """Whether some uniform number of 53 bits gives y from this answer."""
    u = math.exp(-abs(y - answer) / scale) / 2
    k = round((u if y < answer else 1 - u) * 2**53)
    around = range(max(1, k - 3), min(2**53, k + 4))
    return any(answer + laplace(j / 2**53, scale) == y for j in around)


@evidence_for("svt-float-numbers", compared_with=1)
def floats_give_the_count_away(compared_with=0):
    """Of numbers released from 1, over seven in ten are impossible from 0; fewer for counts beyond the scale."""
    shares = {
        scale: [share_impossible(possible, answer + 1, answer + compared_with, scale) for answer in (0, 1000)]
        for scale in (2.0, 8.0, 100.0)
    }
    return all(low > 0.7 and low > high for low, high in shares.values()), (
        f"of 2,000 numbers released from 1, impossible from 0: {each('{0:.1f} (scale {2:g})', shares)}; from 1,001, "
        f"impossible from 1,000: {each('{1:.2f}', shares.values())}"
    )


@evidence_for("svt-float-tail", shorter=3)
def float_noise_ends(shorter=1):
    """Laplace noise from k bits ends, and with it the answers ⊤ of an SVT."""
    one = mechanism("alg1")
    most = laplace(1 - 2.0**-53, 1.0)
    beyond = all(loss_in_bits((k - shorter) * math.log(2) * 6 + 0.5, k) == math.inf for k in (6, 8, 10))
    near = max(abs(loss_in_bits(d, 10) - svt.privacy_loss(one, [-d + 1], [-d], "⊤")) for d in (1, 5, 10))
    return beyond and abs(most - 53 * math.log(2)) < 1e-9 and near < 0.01, (
        f"largest Laplace noise of scale 1 from 53 bits: {most:.2f}; with 6, 8 and 10 bits an answer that is just out "
        "of reach is positive with probability 0, and one nearer is not; at distances up to 10 the loss with 10 bits "
        f"is the exact one to {near:.3f}"
    )


def exp_coin(x, bits):
    """True with probability exp(−x), for a fraction x from 0 to 1."""
    successes = 0
    while bits.bernoulli(x / (successes + 1)):
        successes += 1
    return successes % 2 == 0


def geometric(b, bits):
    """A whole number k with probability proportional to exp(−|k| / b)."""
    while True:
        size = bits.below(b)
        if exp_coin(Fraction(size, b), bits):
            while exp_coin(Fraction(1), bits):
                size += b
            negative = bits.below(2)
            if size or not negative:
                return -size if negative else size


@evidence_for("svt-exact-bits", first=1)
def exponential_coins_are_exact(first=0):
    """An even run of successes of probabilities x, x/2, x/3, … has probability exp(−x)."""
    bounds, close = [Fraction(1, 7), Fraction(1, 2), Fraction(1)], True
    for x in bounds:
        terms = [x**j / math.factorial(j) for j in range(27)]
        low = sum([a - b for a, b in itertools.pairwise(terms)][first::2])
        close &= abs(low - math.exp(-x)) < 1e-15 and 0 < terms[26] < 1e-15
    ks, observed, expected = twenty_thousand(geometric)
    z = np.abs((observed - expected) / np.sqrt(expected)).max()
    return bool(close and z < 4.5), (
        f"the paths of at most 25 successes enclose exp(−x) to 1e-15 for {each('{}', bounds)}; 20,000 draws "
        f"at b = 5: the largest |z| of {ks.size} frequencies is {z:.1f}"
    )


@evidence_for("svt-two-budgets", over=1)
def two_ways_to_spend_on_cohorts(over=0):
    """A quota of J on overlapping counts and Alg. 7 with c numbers are ε-DP; its numbers are better if 2c < J."""

    def worst(quota):
        """Largest loss over records of noise Lap(J/ε) on random intervals, stopped before one is in more than J."""
        rng, inside, noise = np.random.default_rng(quota), np.zeros(30), svt.Laplace(float(quota))
        for _ in range(200):
            low, high = np.sort(rng.integers(0, 31, 2))
            cohort = (np.arange(30) >= low) & (np.arange(30) < high)
            if (inside + cohort).max() > quota + over:
                break
            inside += cohort
        return float(inside.max() * (noise.logpdf(3.0) - noise.logpdf(4.0)))

    losses, sizes = [worst(quota) for quota in (2, 7, 20)], (1, 3, 10)
    seven = {c: mechanism("alg7", c, epsilon=1.5, split=1.0, epsilon3=0.5, monotonic=True) for c in sizes}
    proved = [svt.prove(m).epsilon for m in seven.values()]
    order = all(
        (m.release_noise.scale < J) == (2 * c < J) for c, m in seven.items() for J in (1, 2, 5, 6, 7, 19, 20, 21)
    )
    return order and max(losses) <= 1 + 1e-9 and max(abs(e - 1) for e in proved) < 1e-12, (
        f"quotas 2, 7 and 20 on random intervals lose at most {each('{:.3f}', losses)} at ε = 1; the "
        f"alignment of the explorer costs {each('{:.3f}', proved)} for c = 1, 3 and 10"
    )


@evidence_for("svt-ledger-pays", of_noise=0.5)
def the_ledger_charges_what_is_lost(of_noise=1.0):
    """A run of the explorer with k numbers loses up to ε/2 + kε/(2c), and the ledger charges that."""
    signs = mechanism("geometric", 3, split=1.0, monotonic=True)
    number = svt.Geometric(of_noise * 2 * 3)
    small = replace(signs, epsilon=1.5, epsilon3=0.5, release="fresh", release_noise=number)

    def charged(k, folder):
        """What a ledger says after forty sure ⊥ and k sure numbers."""
        book = Ledger(Path(folder) / f"{k}.jsonl", small, budget=9.0, bits=svt.Bits(seed=9))
        said = [bool(book.ask(answer)) for answer in [-10_000] * 40 + [10_000] * k]
        assert said == [False] * 40 + [True] * k
        return book.spent.epsilon

    def lost(k):
        """The larger exact loss of two pairs: negatives that rise, numbers that fall."""
        here = np.array([60.0] * 40 + [-60.0] * k)
        rise, fall = here + np.repeat([1.0, 0.0], [40, k]), here - np.repeat([0.0, 1.0], [40, k])
        return max(
            svt.privacy_loss(small, here, there, [False] * 40 + [released] * k)
            for there, released in ((rise, -61.0), (fall, -59.0))
        )

    with tempfile.TemporaryDirectory() as folder:
        tried = {k: (charged(k, folder), lost(k)) for k in (1, 2, 3)}
    return all(-1e-9 <= paid - loss < 0.01 for paid, loss in tried.values()), (
        "c = 3 at ε = 1, one run with k numbers, charged and the largest exact loss of two pairs: "
        + each("k = {2}: {0:.4f}, {1:.4f}", tried, "; ")
    )


@evidence_for("na-monotonic", monotonic=False)
def differences_of_clipped_sums_are_monotonic(monotonic=True):
    """No step moves one difference up and another down: half of the noise is ε-DP, all of it 3ε/4-DP."""
    queries = {f"{b}": lambda x, b=b: min(x, b) - min(x, b + 1) for b in range(1, 150, 5)}
    differences = svt.Workload(range(121), queries)
    half = mechanism("alg7", monotonic=monotonic)
    published = mechanism("above_threshold")
    ways = [differences.sensitivity(way).monotonic for way in ("add/remove", "replace")]
    pays = svt.prove(replace(published, monotonic=True)).epsilon
    halved = half.query_noise.scale == published.query_noise.scale / 2 and abs(svt.prove(half).epsilon - 1) < 1e-12
    return bool(all(ways) and halved and abs(pays - 0.75) < 1e-12), (
        "no step moves one difference up and another one down; an alignment proves ε with half of the query noise; "
        f"with all of it the same queries cost {pays:.2f} ε"
    )


@evidence_for("svt-clip-where", of_noise=0.5)
def clip_where_one_over_epsilon_are_above(of_noise=1.0):
    """Bias plus mean noise is least where 1/ε values are above the bound, and at most twice the mean error."""
    right, shares = [], []
    for column in (svt.load_adult("age"), svt.load_adult("capital_gain")):
        values = np.asarray(column.values, dtype=float)
        values = values[values > 0]
        bias = np.array([float(column.mean() * column.rows - column.clipped_sum(b)) for b in values])
        for epsilon in (1 / 3, 0.1 / 3, 0.01 / 3):
            scale = of_noise * values / epsilon
            least = values[(bias + scale).argmin()]
            right.append(values[column.rows_above(values) <= 1 / epsilon][0] == least)
            shares += ((bias + scale * np.exp(-bias / scale)) / (bias + scale)).tolist()
    return bool(all(right) and min(shares) >= 0.5 - 1e-12 and max(shares) <= 1 + 1e-12), (
        f"{len(right)} settings: among all values of the column A is least at the first one with at most 1/ε above it; "
        f"the mean error is between {min(shares):.3f} and {max(shares):.3f} times A"
    )


@evidence_for("svt-clip-better", ours="tenths, SVT-Exp, lower")
def a_better_search_for_the_bound(ours="tenths, SVT-Exp, lower, centred"):
    """A lowered bar, monotonic noise and a centred sum beat auto_avg; a histogram is at most twice as far off."""
    table = load_table("clipping-100000").set_index(["search", "column", "epsilon"])
    settings = [(column, epsilon) for column in ("age", "capital_gain") for epsilon in (1.0, 0.1)]
    names = ("auto_avg", "histogram, doubling, centred")
    published, histogram = ([table.error[ours, *at] / table.error[other, *at] for at in settings] for other in names)
    spread = max(table.standard_error[name, *at] / table.error[name, *at] for name in (ours, *names) for at in settings)
    return bool(max(published) < 0.9 and min(histogram) > 0.5 and max(histogram) < 1.1), (
        f"mean errors of 100,000 runs, over those of auto_avg: {each('{:.2f}', published)}; over those of the "
        f"histogram of doubling bins: {each('{:.2f}', histogram)}; standard errors are at most {spread:.2f} of an error"
    )
