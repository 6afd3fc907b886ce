"""The figures of chapter 5, and what guards the numbers in its prose."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

import svtlib as svt
from svtcourse.figures import pictures, plots
from svtcourse.lessons import shared

FAR = 1e5
THRESHOLDS = (300_000, 100_000, 80_000, 50_000, 23_247.5, 20_000, 10_000)  # sessions
EPOCH = "⊥⊥⊥⊥⊤"


def one_run(*, alt):
    """One run of Alg. 2 on two dozen pages, all of it right."""
    T = 60_000
    some = np.random.default_rng(33).permutation(svt.load_scores("kosarak").top(33)[5:31]).astype(int)
    truth = np.flatnonzero(some >= T)[:4].tolist()
    teaser = svt.variant("alg2").calibrate(epsilon=0.006, c=4)
    runs = (svt.run(teaser, some, T, rng=np.random.default_rng(k)) for k in range(9999))
    shown = next(run for run in runs if run.positives.tolist() == truth)
    return shared.run_on_pages(shown, some, T, "alg2", alt=alt)


def bad_pair(c=1, negatives=20):
    """Answers far from the threshold, the neighbour's, the outcome; c times over.  One record does it."""
    record = svt.Workload(["a record"], [lambda _: 1] * negatives + [lambda _: -1])
    assert record.sensitivity().one == 1 and not record.sensitivity().monotonic
    here = np.array([FAR] * negatives + [-FAR])
    return np.tile(here, c), np.tile(here + record.answers(["a record"]), c), ("⊥" * negatives + "⊤") * c


def starts(*, alt):
    """The loss of c starts of AboveThreshold, with ε each and with ε/c each."""

    def loss(epsilon):
        """Loss of one run on the bad pair."""
        return svt.privacy_loss(svt.variant("above_threshold").calibrate(epsilon=epsilon), *bad_pair())

    c_values = np.arange(1, 11)
    together, paid = [c * loss(1.0) for c in c_values], [c * loss(1 / c) for c in c_values]
    assert abs(together[-1] - 10) < 1e-3 and np.abs(np.subtract(paid, 1)).max() < 1e-3
    return plots.lines(
        c_values,
        {"above_threshold: c starts with ε each": together, "above_threshold: c starts with ε/c each": paid},
        reference={"ε = 1": 1.0},
        xlabel="number of starts c",
        ylabel="privacy loss",
        alt=alt,
    )


def four(c=3):
    """Alg. 1 and its refreshed form, with threshold noise of either scale."""
    base = svt.variant("alg1").calibrate(epsilon=1.0, c=c)
    return {
        (scale, refresh): replace(base, threshold_noise=svt.Laplace(factor / 0.5), refresh=refresh)
        for scale, factor in (("Δ/ε₁", 1), ("cΔ/ε₁", c))
        for refresh in (False, True)
    }


def bills(*, alt):
    """What each noise pays in the four."""
    kinds = {
        "Alg. 1": ("Δ/ε₁", False),
        "Alg. 2": ("cΔ/ε₁", True),
        "Alg. 2 without c": ("Δ/ε₁", True),
        "Alg. 1 with c": ("cΔ/ε₁", False),
    }
    paid = {name: shared.bill(four()[kind]) for name, kind in kinds.items()}
    assert abs(sum(cost for _, cost in paid["Alg. 2 without c"]) - 2) < 1e-9
    return pictures.budget_bars(paid, variants=["alg1", "alg2", "alg2", "alg1"], alt=alt)


def one_epoch(*, alt):
    """The probability of one epoch of Alg. 2 without the factor c, on both datasets."""
    leaky = four()["Δ/ε₁", True]
    here, there = [0.0] * 4 + [4.0], [1.0] * 4 + [3.0]
    assert svt.certify(leaky, here * 3, there * 3, EPOCH * 3).exceeds(1)
    on_d, on_neighbour = (math.exp(svt.log_probability(leaky, a * 3, EPOCH * 3) / 3) for a in (here, there))
    assert (round(on_d, 5), round(on_neighbour, 5)) == (0.04351, 0.03107)
    assert round(math.log(on_d / on_neighbour), 3) == 0.337
    return plots.two_bars([EPOCH], [on_d], [on_neighbour], variant="alg2", highlight=EPOCH, alt=alt)


def log_right(mechanism, answers, threshold):
    """Log probability that exactly the answers that reach the threshold are marked."""
    outcome = (np.asarray(answers) >= threshold).tolist()
    if sum(outcome) == mechanism.c:
        outcome = outcome[: len(outcome) - outcome[::-1].index(True)]
    return svt.log_probability(mechanism, answers, outcome, threshold)


def all_pages(visits, *, alt):
    """The probability that all pages are marked right, for Alg. 1 and Alg. 2."""
    c_values = np.array([10, 11, 13, 16, 20, 25, 32])
    curves = {
        key: [math.exp(log_right(svt.variant(key).calibrate(epsilon=0.02, c=int(c)), visits, 60_000)) for c in c_values]
        for key in ("alg1", "alg2")
    }
    gap = np.subtract(curves["alg1"], curves["alg2"])
    assert 0 < gap.min() < gap.max() < 0.1
    assert min(curves["alg2"][0], curves["alg1"][0]) > 0.94 and curves["alg1"][-1] < 0.1
    return plots.lines(
        c_values, curves, xlabel="number of positives allowed c", ylabel="probability that all is right", alt=alt
    )


def with_split(epsilon, c, split, refresh):
    """Alg. 1, or its refreshed form, with ε₂ = split · ε₁."""
    e1 = epsilon / (1 + split)
    return svt.Mechanism(
        "alg2" if refresh else "alg1",
        svt.Laplace((c if refresh else 1) / e1),
        svt.Laplace(2 * c / (epsilon - e1)),
        c=c,
        epsilon=epsilon,
        epsilon1=e1,
        epsilon2=epsilon - e1,
        refresh=refresh,
    )


def mixed_visits():
    """The sessions of the 200 most visited pages, in a random order."""
    return np.random.default_rng(5).permutation(svt.load_scores("kosarak").top(200))


def needed_on_pages(calibrated):
    """The ε at which exactly the pages that reach T, c of them, are marked with probability 1/2, for each T.

    `calibrated` makes a mechanism of ε and c.
    """
    visits, found = mixed_visits(), []
    for T in THRESHOLDS:
        c = int((visits >= T).sum())

        def excess(log_e, c=c, T=T):
            return log_right(calibrated(math.exp(log_e), c), visits, T) - math.log(0.5)

        found.append(math.exp(brentq(excess, -10, 5, xtol=1e-4)))
    return np.array(found)


def epsilon_needed(*, alt):
    """The ε at which exactly the most visited pages are marked with probability 1/2, against Alg. 1's."""
    visits = mixed_visits()
    assert svt.Workload.subsets(visits.size).sensitivity().together == visits.size

    def needed(split, refresh):
        """One ε for each threshold."""
        return needed_on_pages(lambda epsilon, c: with_split(epsilon, c, split(c), refresh))

    listed = needed(lambda c: 1.0, refresh=False)
    even = needed(lambda c: 1.0, refresh=True) / listed
    anew = needed(lambda c: 2 ** (2 / 3), refresh=True) / listed
    once = needed(lambda c: (2 * c) ** (2 / 3), refresh=False) / listed
    assert (round(even.min(), 2), round(even.max(), 2)) == (1.04, 1.28)
    assert (round(anew.min(), 2), round(anew.max(), 2)) == (0.89, 1.24)
    assert (round(once.min(), 2), round(once[0], 1)) == (0.53, 0.7)
    assert round((anew / once).max(), 1) == 2.1
    return plots.lines(
        np.array([int((visits >= T).sum()) for T in THRESHOLDS]),
        {"alg2: 1 : 1, refreshed": even, "alg2: best split, refreshed": anew, "alg1: best split": once},
        log="x",
        reference={"Alg. 1, 1 : 1": 1.0},
        xlabel="pages above the threshold, c",
        ylabel="ε needed, against Alg. 1",
        alt=alt,
    )
