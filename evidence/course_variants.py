"""What this course says itself on the standard algorithms and their variants: chapters 1 to 6."""

from __future__ import annotations

import itertools
import math

import numpy as np

import svtlib as svt
from evidence import Said, claim
from svtlib.utility import accuracy


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
    m = svt.variant("alg7").calibrate(epsilon=1.0, c=5, split=1.0, monotonic=True, epsilon3=1 / 3)
    assert np.allclose((m.threshold_noise.scale, m.query_noise.scale), (3, 15))
    alpha = factor * 30 * math.log(300 / 0.05)
    answers = np.where(np.arange(100) % 20 == 7, alpha, -alpha)  # five of a hundred exceed T − α, by 2α
    for seed in range(2000):
        run = svt.run(m, answers, 0.0, rng=np.random.default_rng(seed))
        far = np.abs(run.released - answers[run.positives]).max(initial=0.0) > alpha
        failed += bool(far or set(np.flatnonzero(answers > 0)) - set(run.positives.tolist()))
    return max(shares) <= 1 and failed <= 0.05 * 2000, (
        f"over {len(shares)} combinations of n, c, ε and β the exact probability that the proof's supposition fails is "
        f"at most {max(shares):.3f} β; {failed} of 2,000 runs with n = 100, c = 5, β = 0.05 were off by more than α"
    )


@claim("svt-above-threshold-accuracy", constant=3.9)
def above_threshold_is_accurate(constant=4.0) -> Said:
    """No answer is wrong by more than α = (4Δ/ε) log(2n/(3β)) with probability 1 − β, and little less will do."""
    shares, one_answer = [], []
    for n, e, b in itertools.product((1, 3, 30, 1000), (0.01, 1.0), (0.01, 0.1, 0.6)):
        m, alpha = svt.variant("above_threshold").calibrate(epsilon=e), constant / e * math.log(2 * n / (3 * b))
        worst = (accuracy.separated(n, alpha, last_above=last) for last in (True, False))
        shares += [svt.failure_probability(m, answers, alpha=alpha) / b for answers in worst]
        s = m.query_noise.scale
        tail = 2 / 3 * math.exp(-alpha / s) - math.exp(-2 * alpha / s) / 6
        one_answer.append(abs(math.exp(svt.log_probability(m, [-alpha], "⊤")) - tail))
    m = svt.variant("above_threshold").calibrate(epsilon=0.1)
    least = {n: constant / 0.1 * math.log(2 * n / 0.15) / svt.smallest_alpha(m, n, 0.05) - 1 for n in (1, 50, 10_000)}
    return max(shares) <= 1 and max(one_answer) < 1e-9 and max(least.values()) < 0.02, (
        f"over {len(shares)} cases the exact failure probability is at most {max(shares):.4f} β; the tail agrees with "
        f"the engine to nine digits; at ε = 0.1, β = 0.05 the theorem's α is at most {max(least.values()):.1%} larger "
        "than the least"
    )


@claim("svt-sparse-tight", budget=0.9)
def composition_gives_nothing_away(budget=1.0) -> Said:
    """For every c there are neighbours and an outcome whose loss under Sparse comes as close to ε as you like."""

    def pair(c):
        """Twenty negatives far above that rise and a positive far below that falls, c times over."""
        return [*[1e5] * 20, -1e5] * c, [*[1e5 + 1] * 20, -1e5 - 1] * c, ("⊥" * 20 + "⊤") * c

    found = {c: svt.privacy_loss(svt.variant("sparse").calibrate(epsilon=budget, c=c), *pair(c)) for c in (1, 3, 10)}
    once = {
        c: svt.privacy_loss(svt.variant("above_threshold").calibrate(epsilon=budget / c), *pair(1))
        for c in (1, 3, 10, 100)
    }
    short = max(abs(1 - loss) for loss in [*found.values(), *(c * loss for c, loss in once.items())])
    return short < 1e-6, (
        "exact loss at ε = 1 of 20 negatives and a positive, asked c times: "
        + ", ".join(f"{loss:.6f} (c = {c})" for c, loss in found.items())
        + "; ε and c times the loss of one run differ by less than 1e-6 up to c = 100"
    )
