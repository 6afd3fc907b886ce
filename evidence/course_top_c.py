"""Selecting the top c at once, in rounds, or with a threshold of noise: what this course adds in chapter 18."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

import svtlib as svt
from evidence import evidence_for
from evidence._common import each, mechanism
from svtcourse.chapter.renyi import renyi_bound
from svtcourse.chapter.whole_sets import expected_ser, one_shot
from svtcourse.explorers import EXPLORERS
from svtlib.guarantee import Renyi
from svtlib.select.scores import Scores

ORDERS = np.geomspace(1.5, 2000, 300)


@cache
def first_two(scores, scale):
    """Log probability of each ordered pair of the two largest sums of a score and exponential noise."""
    v = np.linspace(min(scores), max(scores) + 40 * scale, 40_001)
    tails = [np.exp(-np.maximum(v - q, 0) / scale) for q in scores]
    law = {}
    for first, second in itertools.permutations(range(len(scores)), 2):
        rest = np.prod([1 - tails[k] for k in range(len(scores)) if k not in (first, second)], axis=0)
        density = np.where(v >= scores[second], tails[second], 0) / scale
        law[first, second] = math.log(np.trapezoid(density * tails[first] * rest, v))
    return law


@cache
def errors_of_two_noises():
    """SER on Kosarak, ε = 0.1, c = 100: of exponential noise and of Gumbel noise, the c largest sums at once."""
    top = svt.load_scores("kosarak").top(41_270)
    rng, ser = np.random.default_rng(181), {"exponential noise": [], "Gumbel noise": []}
    for _ in range(200):
        for name, noise in zip(ser, (rng.exponential(1000, top.size), rng.gumbel(0, 1000, top.size)), strict=True):
            found = np.argpartition(-(top + noise), 100)[:100]
            ser[name].append(1 - top[found].sum() / top[:100].sum())
    return {name: round(float(np.mean(each)), 3) for name, each in ser.items()}


@evidence_for("svt-one-shot-exponential", part=0.8)
def exponential_noise_once(part=1.0):
    """The c largest sums with exponential noise cost what c rounds of the exponential mechanism do, and err less."""
    most = {}
    for name, scale, moves in (("any", 4.0, ((-1, 0, 1),)), ("monotonic", 2.0, ((0, 1), (-1, 0)))):
        losses = []
        for scores in itertools.product((0.0, 1.0, 8.0), repeat=3):
            here = first_two(scores, part * scale)
            for by in itertools.chain(*(itertools.product(way, repeat=3) for way in moves)):
                there = first_two(tuple(q + d for q, d in zip(scores, by, strict=True)), part * scale)
                losses.append(max(here[pair] - there[pair] for pair in here))
        most[name] = max(losses)
    mean = errors_of_two_noises()
    fine = all(0.99 < loss < 1.002 for loss in most.values())
    return fine and list(mean.values()) == [0.028, 0.034], (
        f"largest loss at ε = 1 over ordered pairs of three scores on a grid: {most['any']:.3f} for any scores, "
        f"{most['monotonic']:.3f} for monotonic ones; SER on Kosarak at ε = 0.1, c = 100: " + each("{1} {0:.3f}", mean)
    )


def misses_of_ranked_lists(top, c, epsilon, runs=200):
    """SER of one round over all ranked lists of c of the counts `top`, whose loss is the largest by which a rank falls.

    exp(-loss ε/2) is a sum over the whole numbers t >= loss, so t is drawn first; a list with a loss of at most t takes
    for each rank in turn any item that is left and within t of that rank's count.  One list has a loss of 0; where all
    lists together weigh less than exp(-50) of it, t is not looked at.
    """
    beyond = (c * math.log(top.size) + 50) * 2 / epsilon
    t, rng, rising = np.arange(min(top[0], beyond) + 1), np.random.default_rng(182), top[::-1]
    near = [top.size - np.searchsorted(rising, top[j] - t) for j in range(c)]
    log_weight = sum(np.log(n - j) for j, n in enumerate(near)) - epsilon / 2 * t
    drawn, missed = rng.choice(t.size, size=runs, p=np.exp(log_weight - logsumexp(log_weight))), []
    for at in drawn:
        taken: set[int] = set()
        for among in near:
            taken.add(next(i for i in iter(lambda n=among[at]: int(rng.integers(n)), -1) if i not in taken))
        missed.append(1 - top[list(taken)].sum() / top[:c].sum())
    return float(np.mean(missed))


@cache
def settings_behind():
    """How many settings the explorer has, with sets behind exponential noise, with that behind Gumbel noise."""
    numbers = EXPLORERS["top-c"].read()["numbers"]
    places = [list(numbers["methods"]).index(name) for name in ("EM", "exponential noise", "EM, whole sets")]
    cells = np.array([row for rows in numbers["cells"].values() for row in rows])[:, places]
    mean, error = cells[..., 0], cells[..., 1] / math.sqrt(numbers["trials"])

    def behind(one, other):
        """Settings in which one is behind the other by more than four standard errors and the rounding."""
        return int((mean[:, one] - mean[:, other] > 4 * np.hypot(error[:, one], error[:, other]) + 1e-4).sum())

    return len(cells), behind(2, 1), behind(1, 0)


@cache
def misses_of_whole_sets():
    """SER on Kosarak: whether as said; for four c of sets, noise and lists; of rounds; of sets at ε = 0.5."""
    kosarak, cs, rng = svt.load_scores("kosarak"), (100, 150, 200, 300), np.random.default_rng(183)
    sets = [expected_ser(kosarak, c, epsilon=0.1) for c in cs]
    high = max(expected_ser(kosarak, c, epsilon=0.5) for c in cs)
    once = [one_shot(kosarak, c, scale=c / 0.1, trials=200, rng=rng).ser().mean() for c in cs]
    lists = [misses_of_ranked_lists(kosarak.top(kosarak.items), c, 0.1) for c in cs]
    shown = [" ".join(f"{x:.1g}" if x < 1e-3 else f"{x:.2f}" for x in values) for values in (sets, once, lists)]
    more = brentq(lambda b: min(Renyi(a, a * b**2 / 2400).approximate(1e-6).epsilon for a in ORDERS) - 0.1, 0.1, 10)
    rounds = svt.exponential_mechanism(kosarak, 300, epsilon=more, monotonic=True, trials=100, rng=rng).ser().mean()
    right = shown == ["2e-06 0.17 0.22 0.28", "0.03 0.13 0.21 0.31", "0.17 0.23 0.28 0.33"]
    return right and high < 2e-6 and abs(rounds - 0.006) < 0.0005, shown, rounds, high


@evidence_for("svt-top-c-sets", part=0.8)
def a_whole_set_at_once(part=1.0):
    """One round over all sets of c items costs no factor c, and misses next to nothing, or a fifth of the counts."""

    def law(scores):
        """All pairs of items, and the log probability of each at scale 2 (ε = 1 for monotonic scores)."""
        pairs = list(itertools.combinations(range(len(scores)), 2))
        out = [max(q for i, q in enumerate(scores) if i not in two) for two in pairs]
        weight = -np.array([max(0, high - min(scores[i] for i in two)) for high, two in zip(out, pairs, strict=True)])
        return pairs, weight / (2 * part) - logsumexp(weight / (2 * part))

    grid, off = list(itertools.product((0.0, 1.0, 5.0), repeat=4))[1:], 0.0
    neighbours = [([1.0, *[0.0] * 39], [1.0, 0.0, *[1.0] * 38])]  # one set gets worse, and nearly all others better
    for scores, by in itertools.product(grid, itertools.product((0, 1), repeat=4)):
        neighbours.append((list(scores), [q + d for q, d in zip(scores, by, strict=True)]))
    most = max(float(abs(law(here)[1] - law(there)[1]).max()) for here, there in neighbours)
    for scores in grid:
        pairs, chance = law(scores)
        found = np.exp(chance) @ [1 - (scores[i] + scores[j]) / sum(sorted(scores)[2:]) for i, j in pairs]
        off = max(off, abs(found - expected_ser(Scores.of(scores), 2, epsilon=1 / part)))
    right, shown, rounds, high = misses_of_whole_sets()
    return bool(0.94 < most <= 1 + 1e-9 and off < 1e-9 and right and settings_behind() == (192, 28, 0)), (
        f"largest loss over monotonic lists of 4 and 40 scores, c = 2, {most:.3f} at ε = 1; the sum over kinds is "
        f"off by {off:.0e} from the list of all sets; SER on Kosarak at ε = 0.1, c = 100, 150, 200, 300: whole sets "
        f"{shown[0]}, exponential noise in one shot {shown[1]}, ranked lists {shown[2]}; 300 rounds with δ = 10⁻⁶ "
        f"{rounds:.3f}; whole sets at ε = 0.5 at most {high:.0e}; of the explorer's settings {settings_behind()[0]}, "
        f"whole sets behind exponential noise in {settings_behind()[1]}, that behind Gumbel noise in "
        f"{settings_behind()[2]}"
    )


@evidence_for("svt-top-c-threshold", share=0.5)
def a_noisy_threshold_for_the_top_c(share=0.05):
    """The c-th largest score plus Lap(Δ/ε₀) is a threshold one may print; it costs ε₀ and some accuracy."""
    rng, moved = np.random.default_rng(30), 0.0
    for _ in range(200):  # the c-th largest moves by no more than the largest move
        scores = rng.normal(0, 3, 12)
        there = scores + rng.uniform(-1, 1, 12)
        moved = max(moved, np.abs(np.sort(scores) - np.sort(there)).max())
    data, ser = svt.load_scores("kosarak"), {}
    T = data.threshold(100)
    for part in (0.0, share):
        m = mechanism("alg7", 100, epsilon=0.1 * (1 - part), monotonic=True)
        levels = (np.arange(7) + 0.5) / 7
        noise = svt.Laplace(1 / (0.1 * part)).at_least_inverse(np.log(levels)) if part else np.zeros(1)
        ser[part] = float(np.mean([svt.expected_error(m, data, T + float(x)).ser for x in noise]))
    options = {"epsilon": 0.1, "monotonic": True, "trials": 100, "rng": np.random.default_rng(16)}
    em = svt.exponential_mechanism(data, 100, **options).ser().mean()
    return bool(moved <= 1 and em < 0.04 < 0.36 < ser[0.0] < ser[share] < 0.45), (
        f"Kosarak, ε = 0.1, c = 100, expected SER: {ser[0.0]:.3f} with the threshold for nothing, {ser[share]:.3f} "
        f"with {share:.0%} of ε spent on it, {em:.3f} with the exponential mechanism; in 200 random pairs of lists no "
        f"order statistic moved by more than {moved:.3f} where each score moved by at most 1"
    )


@cache
def errors_of_one_and_of_many(width):
    """SER on Kosarak, ε = 0.1, c = 100: of one SVT, with Gaussian noise (δ = 10⁻⁶), and of runs of ε₁ + 2ε₂ = width."""
    data = svt.load_scores("kosarak")
    T, one = data.threshold(100), mechanism("alg7", 100, epsilon=0.1, monotonic=True)
    tried = {}

    def error(way, trials):
        return svt.simulate(*way, trials=trials, rng=np.random.default_rng(2)).ser().mean()

    for ratio, more in itertools.product((1, 1.5, 2), (250, 500)):  # of the parts for comparison and threshold
        first = width / (1 + 2 * ratio)
        base = mechanism("sparse", 100, epsilon=100 * first * (1 + ratio))
        m = replace(base, monotonic=True, threshold_noise=svt.Laplace(1 / first))
        m = replace(m, query_noise=svt.Laplace(1 / (ratio * first)))
        assert abs(svt.prove(m).epsilon - 100 * first * (1 + ratio)) < 1e-9
        tried[error((m, data, T + more), 20)] = m, data, T + more
    gaussian = replace(one, threshold_noise=svt.Gaussian(214.0), query_noise=svt.Gaussian(1140.0))
    assert renyi_bound(gaussian, 175.0, n=data.items).approximate(1e-6).epsilon <= 0.1
    single = [min(svt.expected_error(m, data, T + more).ser for more in (0, 570, 1500)) for m in (one, gaussian)]
    return *single, error(tried[min(tried)], 100)


def bounded_runs(rng, part):
    """Of one run on random counts: its divergence as a part of α(ε₁ + 2ε₂)²/`part`, its losses' width of ε₁ + 2ε₂."""
    most = wide = 0.0
    for _ in range(150):
        first, second, order = *rng.uniform(0.1, 2, 2), rng.uniform(1.01, 30)
        base = mechanism("above_threshold", epsilon=first + second)
        m = replace(base, monotonic=True, threshold_noise=svt.Laplace(1 / first), query_noise=svt.Laplace(1 / second))
        here = rng.normal(0, 20, rng.integers(2, 6))
        there = here + rng.integers(0, 2, here.size)
        outputs = ["F" * k + "T" for k in range(here.size)] + ["F" * here.size]
        p, q = (np.array([svt.log_probability(m, data, said, 0.0) for said in outputs]) for data in (here, there))
        for one, other in ((p, q), (q, p)):
            divergence = logsumexp(order * one + (1 - order) * other) / (order - 1)
            most = max(most, divergence * part / (order * (first + 2 * second) ** 2))
        wide = max(wide, np.ptp(p - q) / (first + 2 * second))
    return most, wide


@evidence_for("svt-em-rounds", part=9)
def rounds_of_the_exponential_mechanism(part=8):
    """One round at ε₀ has a Rényi divergence of at most αε₀²/8 at every order, so c rounds cost less with a δ."""
    rng, most = np.random.default_rng(31), 0.0
    for trial in range(400):
        items, one, order = rng.integers(2, 9), rng.uniform(0.01, 2), rng.uniform(1.01, 60)
        monotonic = trial % 2
        scores = rng.normal(0, 3, items) if trial % 4 else np.zeros(items)
        there = scores + rng.choice([0.0 if monotonic else -1.0, 1.0], items)
        p, q = (x - logsumexp(x) for x in (one * data / (1 if monotonic else 2) for data in (scores, there)))
        divergence = logsumexp(order * p + (1 - order) * q) / (order - 1)
        most = max(most, divergence * part / (order * one * one))

    def whole(epsilon, c, rho_of_one):
        """The budget of c rounds whose divergence is α times `rho_of_one` of the budget of each."""
        orders = np.geomspace(1.5, 2000, 300)

        def excess(total):
            bounds = (Renyi(a, a * c * rho_of_one(total / c)) for a in orders)
            return min(bound.approximate(1e-6).epsilon for bound in bounds) - epsilon

        return brentq(excess, epsilon / 10, epsilon * c)

    gains = {c: whole(0.1, c, lambda one: one * one / part) / 0.1 for c in (3, 4, 100)}
    divergence, wide = bounded_runs(rng, part)
    ser = dict(zip(("one", "gaussian", "again"), errors_of_one_and_of_many(0.001 * gains[100]), strict=True))
    options = {"epsilon": 0.1 * gains[100], "monotonic": True, "trials": 200, "rng": np.random.default_rng(16)}
    ser["em"] = svt.exponential_mechanism(svt.load_scores("kosarak"), 100, **options).ser().mean()
    right = 0.9 < most <= 1 + 1e-9 and ser["em"] < 0.001 < 0.015 < ser["again"] < 0.025 < 0.05 < ser["one"] < 0.065
    right = right and divergence <= 1 and 0.9 < wide <= 1 + 1e-9
    return bool(right and 0.015 < ser["gaussian"] < 0.025 and gains[3] < 1 < gains[4] and gains[100] > 5), (
        f"400 rounds on random scores reach {most:.3f} of the bound; 150 runs on random counts {divergence:.3f} of "
        f"α(ε₁ + 2ε₂)²/8, their losses {wide:.3f} of the interval; ε = 0.1, δ = 10⁻⁶: the budget of 3, 4 and 100 "
        f"rounds is {gains[3]:.2f}, {gains[4]:.2f} and {gains[100]:.2f} times as large; Kosarak, c = 100, SER at the "
        f"best threshold and split tried: one SVT {ser['one']:.3f}, with Gaussian noise {ser['gaussian']:.3f}, "
        f"one that begins again {ser['again']:.3f}, the exponential mechanism {ser['em']:.5f}"
    )
