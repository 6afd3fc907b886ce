"""What this course says itself on spending the budget, monotonic queries and released numbers (chapters 13 and 14)."""

import itertools
import math

import numpy as np
from scipy.optimize import minimize_scalar

import svtlib as svt
from evidence import evidence_for
from evidence._common import each, outcomes
from svtcourse.lessons.monotonic_and_numbers import loss_with_own_thresholds as loss, own_threshold
from svtcourse.lessons.spending_the_budget import log_right, variance

ALG1, ALG2, ALG7 = (svt.variant(key) for key in ("alg1", "alg2", "alg7"))


@evidence_for("svt-split-gain", split=3.0)
def even_split_is_within_twice_the_best(split=1.0):
    """At 1 : 1 the standard deviation is less than twice the least; the ratio grows with c, from 1.07 to 2."""
    sizes = (1, 2, 5, 10, 100, 1000, 10**6)
    gains = {c: math.sqrt(variance(split, c) / variance((2 * c) ** (2 / 3), c)) for c in sizes}
    grows = all(a < b < 2 for a, b in itertools.pairwise(gains.values()))
    ends = f"{gains[1]:.2f}" == "1.07" and abs(gains[10**6] - 2) < 1e-3
    return grows and ends, "standard deviation at 1 : 1 over the least: " + each("{:.4f} (c = {:,})", gains)


@evidence_for("svt-alg2-sqrt5", scale=0.5)
def alg2_is_within_root_five(scale=1.0):
    """Alg. 2 as listed has less than √5 times the deviation of Alg. 7; at best splits 2.08; monotonic 2√5."""

    def factors(c):
        """Standard deviations over that of Alg. 7 at its best split."""
        listed = ALG2.calibrate(epsilon=1.0, c=c)
        as_listed = scale**2 * listed.redraw_noise.variance + listed.query_noise.variance
        split = 2 ** (2 / 3)
        at_best = 2 * (c * (1 + split)) ** 2 + 2 * (2 * c * (1 + split) / split) ** 2
        best, monotonic = variance((2 * c) ** (2 / 3), c), variance(c ** (2 / 3), c, monotonic=True)
        return np.sqrt([as_listed / best, at_best / best, as_listed / monotonic])

    rows = {c: factors(c) for c in (1, 10, 100, 1000, 10**6)}
    limits = np.array([math.sqrt(5), (1 + 2 ** (-2 / 3)) ** 1.5, 2 * math.sqrt(5)])
    below = all((row < limits).all() for row in rows.values())
    return bool(below and abs(rows[10**6] / limits - 1).max() < 1e-3), (
        "Alg. 2 as listed over the best Alg. 7, best over best, and as listed over the monotonic Alg. 7: "
        + "; ".join(f"{each('{:.3f}', row)} (c = {c:,})" for c, row in rows.items())
    )


@evidence_for("svt-split-shared", close=(150, 200))
def least_variance_is_not_least_error(close=(60, 80, 100)):
    """All 110 answers are right more often at 1 : 2c near the threshold, and at 1 : (2c)^(2/3) far from it."""
    splits = (20 ** (2 / 3), 20.0)
    table = {d: [-math.expm1(log_right(split, float(d))) for split in splits] for d in (60, 80, 100, 150, 200)}
    near = all(at_2c < at_least for at_least, at_2c in (table[d] for d in close))
    far = all(at_2c > at_least for at_least, at_2c in (table[d] for d in (150, 200)))
    return near and far and variance(splits[0], 10) < variance(splits[1], 10), (
        "exact failure probabilities at 1 : (2c)^(2/3) and 1 : 2c, c = 10, ε = 1: "
        + each("{:.4f} and {:.4f} (distance {})", table)
    )


@evidence_for("svt-moving-threshold", epsilon=1.3)
def a_threshold_from_monotonic_counts_is_free(epsilon=1.0):
    """Monotonic queries with the mean of the c-th and (c+1)-th answer as threshold cost ε₁ + ε₂."""
    losses = []
    for c in (1, 2):
        m = ALG7.calibrate(epsilon=1.0, c=c, monotonic=True)
        for a in map(np.array, itertools.product((0.0, 3.0, 20.0), repeat=3)):
            for change in map(np.array, itertools.product((0.0, 1.0), repeat=3)):
                losses += [loss(m, a, a + sign * change, o) for sign in (1, -1) for o in outcomes(3, c)]
    three = ALG7.calibrate(epsilon=epsilon, c=3, monotonic=True)
    falls = np.array([-10.0] * 1000 + [0.0] * 4)
    attained = loss(three, falls, falls - np.array([0.0] * 1000 + [1.0] * 4), "⊥" * 1000 + "⊤" * 3)
    return max(losses) <= 1 + 1e-9 and abs(attained - 1) < 1e-4, (
        f"monotonic counts at ε = 1: largest of {len(losses):,} exact losses on a grid {max(losses):.4f}; a list of "
        f"{falls.size:,} counts of which the top four fall, c = 3: {attained:.4f}"
    )


@evidence_for("svt-threshold-general", moves=False)
def a_threshold_from_general_queries_costs(moves=True):
    """Queries that are not monotonic pay 2ε₁ + ε₂ then, and the threshold may not be printed."""
    m = ALG7.calibrate(epsilon=1.0, c=1)
    here, there = np.array([-2.0] * 1000 + [0.0] * 2), np.array([-1.0] * 1000 + [-1.0] * 2)
    lost = loss(m, here, there, "⊥" * 1000 + "⊤", moving=moves)
    apart = own_threshold(here, 1) - own_threshold(there, 1)
    return abs(lost - 2 * m.epsilon1 - m.epsilon2) < 1e-6 and abs(apart) > 0, (
        f"loss at ε = 1: {lost:.4f} = 2ε₁ + ε₂; the thresholds of these two neighbours differ by {apart:g}, so "
        "printing one tells them apart"
    )


@evidence_for("svt-release-budget", noises=("threshold_noise", "query_noise"))
def least_sum_of_three_variances(noises=("threshold_noise", "query_noise", "release_noise")):
    """The sum of the three variances is least at 1 : (2c)^(2/3) : c^(2/3)."""

    def total(share, c):
        """Sum of the variances; the share is epsilon3."""
        m = ALG7.calibrate(epsilon=1.0, c=c, epsilon3=share)
        return sum(getattr(m, noise).variance for noise in noises)

    told, right = [], True
    for c in (1, 3, 10, 100):
        weights = 1 + (2 * c) ** (2 / 3) + c ** (2 / 3)
        predicted = c ** (2 / 3) / weights
        search = minimize_scalar(total, bounds=(0.01, 0.99), args=(c,), method="bounded", options={"xatol": 1e-8})
        right &= bool(abs(search.x - predicted) < 1e-4 and abs(search.fun / (2 * weights**3) - 1) < 1e-6)
        told.append(f"{search.x:.4f}, predicted {predicted:.4f} (c = {c})")
    return right, f"share of ε₃ with the least sum of the three variances: {', '.join(told)}"


def three_parts(e1, e2, e3, c, monotonic=True):
    """Alg. 7 with these three budgets."""
    return ALG7.calibrate(epsilon=e1 + e2 + e3, c=c, split=e2 / e1, epsilon3=e3, monotonic=monotonic)


@evidence_for("svt-two-of-three", monotonic=False)
def monotonic_numbers_pay_two_of_three(monotonic=True):
    """Monotonic queries with released numbers cost the sum of the parts less the smallest, and no less."""
    far, told, right = [-1e4, 0, 1e4], [], True
    for parts in ((0.2, 0.3, 0.5), (0.5, 0.5, 0.5), (0.3, 0.6, 0.1), (0.5, 0.4, 0.3)):
        promised = sum(parts) - min(parts)
        for c in (1, 3):
            m = three_parts(*parts, c, monotonic)
            found = svt.worst_case(m, 12, answers_grid=far).loss
            report = svt.check_alignment(m, epsilon=promised, rng=np.random.default_rng(3), trials=150)
            right &= abs(found - promised) < 1e-6 and abs(svt.prove(m).epsilon - promised) < 1e-9 and report.holds
        told.append(f"{found:.4f} for {each('{}', parts)}")
    steep = three_parts(0.1, 0.5, 0.5, 3)
    fall, rise = (svt.worst_case(steep, 30, answers_grid=far, deltas=d).loss for d in ([-1, 0], [0, 1]))
    return bool(right) and abs(fall - 1.0) < 1e-6 and abs(rise - 0.6) < 1e-6, (
        f"largest exact loss found for ε₁, ε₂, ε₃: {'; '.join(told)}; each is the sum less the smallest part, which is "
        f"also what the cheapest alignment costs; for 0.1, 0.5, 0.5 {fall:.4f} if answers fall and {rise:.4f} if they "
        "rise"
    )


@evidence_for("svt-equal-parts", forgiven=0)
def equal_halves_have_least_variance(forgiven=1):
    """Of all parts whose sum less the smallest is ε, three halves of ε have the least sum of variances."""
    grid = np.round(np.arange(0.05, 0.96, 0.05), 2)
    triples = itertools.product(grid, repeat=3)
    allowed = [t for t in triples if sum(t) - forgiven * min(t) <= 1 + 1e-9]
    told, right = [], True
    for c in (1, 3, 10, 100):
        total = [1 / a**2 + c**2 / b**2 + c**2 / d**2 for a, b, d in allowed]
        first, second = np.argsort(total)[:2]
        right &= bool(np.array_equal(allowed[first], [0.5] * 3) and total[second] > 1.000001 * total[first])
        told.append(f"{each('{:g}', allowed[first])} (c = {c})")
    return right, (
        f"of {len(allowed):,} triples that are promised ε = 1, the one with the least sum of variances is "
        + "; ".join(told)
    )
