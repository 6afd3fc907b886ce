"""The figures of *Monotonic queries and released numbers*, and its two tables."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

import svtlib as svt
from svtcourse.chapter.compare import gaussian_sigma
from svtcourse.chapter.whole_sets import kinds
from svtcourse.figures import pictures, plots

ALG7 = svt.variant("alg7")
FAR = [-1e4, 0, 1e4]


def two_cases(*, alt):
    """What the moves of the noise cost with half of the query noise, c = 3."""
    c = 3
    halved = ALG7.calibrate(epsilon=1.0, c=c, monotonic=True)
    e1, e2 = halved.epsilon1, halved.epsilon2
    mixed = svt.prove(replace(halved, monotonic=False)).epsilon
    assert svt.prove(halved).holds and abs(e1 + e2 - 1) < 1e-9 and abs(mixed - e1 - 2 * e2) < 1e-9
    bars = {
        "answers fall": [("⊤", e2 / c)] * c,
        "answers rise": [("ρ", e1), *[("⊤", e2 / c)] * c],
        "some rise, some fall": [("ρ", e1), *[("⊤", 2 * e2 / c)] * c],
    }
    return pictures.budget_bars(bars, variants=["alg7", "alg7", "alg4"], alt=alt)


def both_databases(mechanism, here, there, outcome, *, alt):
    """Probability of an outcome on both of two neighbours."""
    assert svt.certify(mechanism, here, there, outcome).exceeds(1.07)
    p, q = (math.exp(svt.log_probability(mechanism, answers, outcome)) for answers in (here, there))
    return plots.two_bars([outcome, "any other"], [p, 1 - p], [q, 1 - q], variant="alg7", highlight=outcome, alt=alt)


def own_threshold(answers, c):
    """The mean of the c-th and the (c+1)-th answer."""
    ranked = np.sort(answers)[::-1]
    return (ranked[c - 1] + ranked[c]) / 2


def loss_with_own_thresholds(mechanism, here, there, outcome, moving=True):
    """Log ratio of the probabilities, each threshold from its own list."""
    T = own_threshold(here, mechanism.c)
    T_there = own_threshold(there, mechanism.c) if moving else T
    k = len(outcome)
    first = svt.log_probability(mechanism, here[:k], outcome, T)
    return first - svt.log_probability(mechanism, there[:k], outcome, T_there)


def right_pages(kosarak, T, *, alt):
    """Mean number of right pages among 100 with the noise for monotonic queries, against the split."""
    is_top = (kosarak.support >= T).astype(float)

    def found(epsilon, split, monotonic=True):
        """How many of the pages above T are among the positives, run by run."""
        m = ALG7.calibrate(epsilon=epsilon, c=100, split=split, monotonic=monotonic)
        return svt.simulate(m, kosarak, T, trials=300, rng=np.random.default_rng(12)).total(is_top)

    thirds = 100 ** (2 / 3)
    splits, budgets = [1.0, 3.0, 10.0, thirds, 50.0, 100.0, 300.0], (0.05, 0.1, 0.2, 0.5)
    curves = {e: [found(e, s).mean() for s in splits] for e in budgets}
    assert curves[0.1][3] > 50 and found(0.1, 200 ** (2 / 3), monotonic=False).mean() < 10
    assert found(0.05, 300.0).std() > 2 * found(0.05, thirds).std()
    best = {e: int(np.argmax(np.round(curves[e], 1))) for e in budgets}
    assert (best[0.05], best[0.2], best[0.5]) == (6, 3, 3)
    shown = curves[0.05][0], curves[0.05][6], curves[0.1][0], max(curves[0.1])
    assert [round(x) for x in shown] == [2, 16, 9, 57]
    return plots.lines(
        splits,
        {f"alg7: ε = {e:g}": curve for e, curve in curves.items()},
        log="x",
        reference={"all 100": 100.0},
        xlabel="split ε₂/ε₁",
        ylabel="right pages among 100",
        alt=alt,
    )


def three_bills(*, alt):
    """What is paid for the parts 0.3, 0.5 and 0.4 and c = 3, if answers fall and if they rise."""
    c, (first, second, third) = 3, (0.3, 0.5, 0.4)
    bars = {
        "fall": [("⊤", second / c)] * c + [("x", third / c)] * c,
        "rise, for the signs": [("ρ", first), *[("⊤", second / c)] * c],
        "rise, for the numbers": [("ρ", first), *[("x", third / c)] * c],
    }
    return pictures.budget_bars(bars, epsilon=second + third, variants=["alg7"] * 3, alt=alt)


def recipe(parts_of):
    """The parts and scales for c = 10 and ε = 1, each row proved to cost 1."""
    rows = {}
    for monotonic, numbers in itertools.product((False, True), repeat=2):
        e1, e2, e3, scale = parts_of(1.0, 10, monotonic, numbers)
        m = ALG7.calibrate(epsilon=e1 + e2 + e3, c=10, split=e2 / e1, epsilon3=e3, monotonic=monotonic)
        assert abs(svt.prove(m).epsilon - 1) < 1e-9 and svt.prove(m).holds
        assert abs(m.query_noise.scale - scale) < 1e-9
        rows["monotonic" if monotonic else "any kind", "numbers" if numbers else "signs"] = {
            "ε₁ : ε₂ : ε₃": f"{e1:.3f} : {e2:.3f} : {e3:.3f}",
            "scale of ρ": f"{m.threshold_noise.scale:.1f}",
            "of ν": f"{scale:.1f}",
            "of a number": f"{m.release_noise.scale:.1f}" if numbers else "–",
        }
    return pd.DataFrame(rows).T


def numbers_on_kosarak(kosarak):
    """Deviation of a released number where all signs are right with probability 0.9, by what is counted as paid."""
    counts, level = kosarak.top(200), 20_000
    above = int((counts >= level).sum())
    assert above == 27
    ordered, pattern = np.concatenate([counts[above:], counts[:above]]), "⊥" * (200 - above) + "⊤" * above

    def signs_right(e1, e2, e3, monotonic):
        """Log of the probability of the right signs over 0.9."""
        m = ALG7.calibrate(epsilon=e1 + e2 + e3, c=above, split=e2 / e1, epsilon3=e3, monotonic=monotonic)
        bare = replace(m, release="indicator", release_noise=None)
        return svt.log_probability(bare, ordered, pattern, level) - math.log(0.9)

    def the_sum(monotonic):
        """The largest epsilon3 where the sum of the parts is paid."""
        weight = (above if monotonic else 2 * above) ** (2 / 3)

        def gap(e3):
            e1 = (1 - e3) / (1 + weight)
            return signs_right(e1, 1 - e3 - e1, e3, monotonic)

        return brentq(gap, 1e-4, 0.99, xtol=1e-6)

    def free(e2):
        """The threshold's part as large as it may be for nothing."""
        return signs_right(min(e2, 1 - e2), e2, 1 - e2, True)

    parts = {
        "Theorem 4.7": the_sum(False),
        "Theorem 4.9": the_sum(True),
        "two of three": 1 - brentq(free, 0.02, 0.5, xtol=1e-6),
    }
    gaussian = gaussian_sigma(1.0, 1e-6, math.sqrt(200))
    assert round(gaussian) == 60 and norm.cdf(np.abs(counts - level) / gaussian).prod() > 0.9
    how_many = ALG7.calibrate(epsilon=0.05, monotonic=True)  # chapter 18: one positive over the ranks, then a whole set
    right = math.exp(svt.log_probability(how_many, counts[above - 1 :][::-1], "⊥" * (200 - above) + "⊤", level))
    assert right * kinds(kosarak, above, 2 / 0.01)[-1, 0] > 0.9 and round(math.sqrt(2) * above / 0.94) == 41
    return pd.Series({name: math.sqrt(2) * above / e3 for name, e3 in parts.items()}).round(1).to_frame("deviation")
