"""What this course says itself on the standard algorithms and their variants: chapters 1 to 6."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np

import svtlib as svt
from evidence import Said, claim
from evidence._common import costs, each, lost, mechanism
from svtcourse.chapter import accuracy
from svtcourse.lessons.releasing import bias as bias_of_a_number


@claim("svt-fresh-accuracy", factor=0.5)
def the_technique_is_accurate(factor=1.0) -> Said:
    """Alg. 7 with three equal budgets is (α, β)-accurate for α = (6c/ε) log(3n/β), if at most c of n exceed T − α."""
    shares, failed = [], 0
    for n, c, e, b in itertools.product((1, 10, 100, 1000), (1, 5, 50), (0.1, 1.0), (0.01, 0.05, 0.5)):
        if c <= n:
            alpha = factor * 6 * c / e * math.log(3 * n / b)
            comparisons = accuracy.lecture_failure(n, c, alpha, 2 * e / 3)  # the same scales, 3/ε and 3c/ε
            numbers = (1 - math.exp(-e * alpha / (3 * c))) ** c
            shares.append((1 - (1 - comparisons) * numbers) / b)
    m = mechanism("alg7", 5, split=1.0, monotonic=True, epsilon3=1 / 3)
    assert np.allclose((m.threshold_noise.scale, m.query_noise.scale), (3, 15))
    alpha = factor * 30 * math.log(300 / 0.05)
    answers = np.where(np.arange(100) % 20 == 7, alpha, -alpha)  # five of a hundred exceed T − α, by 2α
    for seed in range(2000):
        run = svt.run(m, answers, 0.0, rng=np.random.default_rng(seed))
        far = np.abs(run.released - answers[run.positives]).max(initial=0.0) > alpha
        failed += bool(far or run.positives.tolist() != np.flatnonzero(answers > 0).tolist())
    return max(shares) <= 1 and failed <= 0.05 * 2000, (
        f"over {len(shares)} combinations of n, c, ε and β the exact probability that the proof's supposition fails is "
        f"at most {max(shares):.3f} β; {failed} of 2,000 runs with n = 100, c = 5, β = 0.05 were off by more than α"
    )


@claim("svt-above-threshold-accuracy", constant=3.9)
def above_threshold_is_accurate(constant=4.0) -> Said:
    """No answer is wrong by more than α = (4Δ/ε) log(2n/(3β)) with probability 1 − β, and little less will do."""
    shares, one_answer = [], []
    for n, e, b in itertools.product((1, 3, 30, 1000), (0.01, 1.0), (0.01, 0.1, 0.6)):
        m, alpha = mechanism("above_threshold", epsilon=e), constant / e * math.log(2 * n / (3 * b))
        worst = (accuracy.separated(n, alpha, last_above=last) for last in (True, False))
        shares += [svt.failure_probability(m, answers, alpha=alpha) / b for answers in worst]
        s = m.query_noise.scale
        tail = 2 / 3 * math.exp(-alpha / s) - math.exp(-2 * alpha / s) / 6
        one_answer.append(abs(math.exp(svt.log_probability(m, [-alpha], "⊤")) - tail))
    m = mechanism("above_threshold", epsilon=0.1)
    least = {n: constant / 0.1 * math.log(2 * n / 0.15) / svt.smallest_alpha(m, n, 0.05) - 1 for n in (1, 50, 10_000)}
    return max(shares) <= 1 and max(one_answer) < 1e-9 and max(least.values()) < 0.02, (
        f"over {len(shares)} cases the exact failure probability is at most {max(shares):.4f} β; the tail agrees with "
        f"the engine to nine digits; at ε = 0.1, β = 0.05 the theorem's α is at most {max(least.values()):.1%} larger "
        "than the least"
    )


@claim("svt-sparse-tight", budget=0.9)
def composition_gives_nothing_away(budget=1.0) -> Said:
    """For every c there are neighbours and an outcome whose loss under Sparse comes as close to ε as you like."""
    pair = [(20, 1e5, 1, "⊥"), (1, -1e5, -1, "⊤")]
    found = {c: lost(mechanism("sparse", c, epsilon=budget), *pair * c) for c in (1, 3, 10)}
    once = {c: lost(mechanism("above_threshold", epsilon=budget / c), *pair) for c in (1, 3, 10, 100)}
    short = max(abs(1 - loss) for loss in [*found.values(), *(c * loss for c, loss in once.items())])
    return short < 1e-6, (
        f"exact loss at ε = 1 of 20 negatives and a positive, asked c times: {each('{:.6f} (c = {})', found)}; ε and c "
        "times the loss of one run differ by less than 1e-6 up to c = 100"
    )


@claim("svt-alg3-loss", number=1.0)
def alg_3_loses_half_a_budget_with_each_query(number=0.0) -> Said:
    """n queries of Alg. 3 lose at most nε/(2c), attained if all answers rise, by n − 1 negatives and a low number."""
    off = max(
        abs(lost(mechanism("alg3", c), (n - 1, 0, 1, "⊥"), (1, 0, 1, a)) - n / (2 * c))
        for c, n, a in itertools.product((1, 2, 5), (1, 12, 100), (number, number - 3))
    )
    found = [svt.worst_case(mechanism("alg3", changed={"monotonic": one_way}), 12).loss for one_way in (False, True)]
    noise = mechanism("alg3", 5).query_noise  # one comparison, or one number, loses at most one over its scale
    x = np.linspace(-20 * noise.scale, 20 * noise.scale, 2001)
    one = max(float((f(x) - f(x - 1)).max()) for f in (noise.log_less, noise.logpdf))
    return bool(off < 1e-6 and max(abs(loss - 6) for loss in found) < 1e-6 and one < 1 / 10 + 1e-9), (
        "exact loss of the rising pair and nε/(2c) differ by less than 0.000001 for c = 1, 2, 5 and n = 1, 12, 100; "
        f"one comparison or number loses at most {one:.4f} at c = 5; the largest loss found by a search on 12 queries "
        f"at c = 1 is {found[0]:.3f}, among monotonic pairs {found[1]:.3f}"
    )


@claim("mach12-indicators", factor=4)
def indicators_with_half_of_the_noise(factor=2) -> Said:
    """With indicators the least multiple of ε is 3/2 for a stop at positive c, 3/2 + 1/c with the abort rule."""
    rows = {}
    for c in (1, 2, 5):
        lecture = {"release": "indicator", "query_noise": svt.Laplace(factor * c)}
        rows["an abort", c] = mechanism("lecture2012", c, changed=lecture), 1.5 + 1 / c, 30
        rows["a stop", c] = mechanism("lecture2012", c, changed={**lecture, "cutoff": "at c"}), 1.5, 30
        rows["Alg. 3", c] = mechanism("alg3", c, changed={"release": "indicator"}), 1.5, 30
    holds, found = costs(rows, short=1e-3)
    return holds, (
        "the alignments cost 3/2 + 1/c with the abort rule and 3/2 without and for Alg. 3, at ε = 1, for all inputs; "
        f"largest exact losses found: {each('{:.3f} ({}, c = {})', found)}"
    )


@claim("svt-alg3-bias", release="fresh")
def the_compared_number_is_too_high(release="compared") -> Said:
    """The number that Alg. 3 releases is on average too high, given that it is released."""
    alg3 = mechanism("alg3", 3, epsilon=0.1)
    bias = partial(bias_of_a_number, alg3)
    biases = [bias(d) for d in np.linspace(-300, 300, 41)]
    drawn = alg3 if release == "compared" else replace(alg3, release="fresh", release_noise=alg3.query_noise)
    rows = svt.sampler_of(drawn)([-100.0], 400_000, np.random.default_rng(100))
    errors = rows[rows[:, 0] == 1, 1] + 100
    sampled, deviation = errors.mean(), errors.std() / math.sqrt(errors.size)
    return bool(min(biases) > 0 and abs(sampled - bias(-100.0)) < 4 * deviation), (
        f"ε = 0.1, c = 3: bias {bias(-100.0):.1f} for an answer 100 below the threshold (sampled {sampled:.1f} ± "
        f"{deviation:.1f}), {bias(0.0):.1f} at it, {bias(100.0):.1f} for 100 above; at least {min(biases):.2f} over "
        f"{len(biases)} distances"
    )
