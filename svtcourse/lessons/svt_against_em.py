"""The figures of *SVT against the exponential mechanism*, and its table."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.chapter.accuracy import alpha_em, alpha_svt, smallest_alpha
from svtcourse.chapter.compare import svt_alpha
from svtcourse.chapter.tables import load_table
from svtcourse.chapter.whole_sets import draw_sets, expected_ser
from svtcourse.figures import display, plots
from svtlib.select.scores import Scores


def alg7_for(c, epsilon=0.1):
    """Alg. 7 for monotonic queries at its best split, 1 : c^(2/3)."""
    return svt.variant("alg7").calibrate(epsilon=epsilon, c=c, monotonic=True)


def race(scores, scale, wanted, *, alt):
    """Clocks that ring, and the same draws as noisy scores."""
    clock = np.random.default_rng(500).exponential(size=scores.size) / np.exp(scores / scale)
    rings, noisy = np.argsort(clock), -np.log(clock)  # the score over s, plus a Gumbel variable
    assert list(np.argsort(-noisy)) == list(rings) == [0, 3, 1, 2, 4, 5]
    fig, (left, right) = plots.new_figure(columns=2, height=3.4)
    for item, time in enumerate(clock):
        place = int(np.flatnonzero(rings == item)[0])
        color = plots.style("exponential_mechanism").color if place < wanted else "#8c8c8c"
        left.plot([clock.min() / 3, time], [item, item], linewidth=1.6, color=color)
        left.plot(time, item, marker="o", markersize=6, color=color)
        left.annotate(f"{place + 1}", (time, item), (7, -4), textcoords="offset points", fontsize=10)
        right.plot([scores[item] / scale, noisy[item]], [item, item], linewidth=1.6, color=color)
        right.plot(scores[item] / scale, item, marker="|", markersize=9, color=color)
        right.plot(noisy[item], item, marker="o", markersize=6, color=color)
    for place in range(wanted):
        left.axvline(clock[rings[place]], color="#000000", linestyle=":", linewidth=1)
    left.set(xscale="log", xlabel="time", yticks=range(scores.size))
    left.set_yticklabels([f"score {q:g}" for q in scores])
    right.set(xlabel="score/s (bar), with noise (dot)", yticks=range(scores.size))
    return display.figure(fig, alt=alt)


def on_kosarak(kosarak, *, alt):
    """Missed part of the counts: SVT at two thresholds, and the exponential mechanism, by items and by sets."""
    cs = [25, 50, 100, 150, 200, 300]
    names = ("alg7: T halfway", "alg7: best raised T")
    missed = {name: [] for name in (*names, "exponential_mechanism: item by item", "whole_sets")}
    for c in cs:
        m, T = alg7_for(c), kosarak.threshold(c)
        steps = [svt.expected_error(m, kosarak, T + k * m.query_noise.scale).ser for k in (0.0, 0.5, 1.5, 4.0)]
        rng = np.random.default_rng(16)
        runs = svt.exponential_mechanism(kosarak, c, epsilon=0.1, monotonic=True, trials=100, rng=rng)
        sets = expected_ser(kosarak, c, epsilon=0.1)
        for curve, value in zip(missed.values(), (steps[0], min(steps), runs.ser().mean(), sets), strict=True):
            curve.append(value)
    between, higher, em, whole = (dict(zip(cs, curve, strict=True)) for curve in missed.values())
    assert f"{between[100]:.2f} {higher[100]:.2f}" == "0.37 0.06" and abs(em[100] - 0.034) < 0.003
    assert all(em[c] < higher[c] + 1e-3 for c in (100, 200, 300)) and between[300] > 0.95 > 0.4 > higher[300]
    assert f"{whole[100]:.0e} {whole[150]:.2f} {whole[300]:.2f}" == "2e-06 0.17 0.28"
    return plots.lines(
        np.array(cs),
        missed,
        ticks=(100, 200, 300),
        xlabel="number of pages wanted, c",
        ylabel="missed part of the counts (SER)",
        alt=alt,
    )


def has_its_law(whole_set):
    """Check that the program of the page draws whole sets as often as it should, 4,000 times on a short list."""
    few, rng = np.array([5.0, 4.0, 4.0, 2.0, 1.0, 0.0]), np.random.default_rng(182)
    missed = [1 - few[whole_set(few, 3, 1.5, rng)].sum() / 13 for _ in range(4000)]
    exact = expected_ser(Scores.of(few), 3, epsilon=1.5)
    assert abs(np.mean(missed) - exact) < 4.5 * np.std(missed) / math.sqrt(4000)


def needed_alpha(*, alt):
    """What AboveThreshold needs over what the exponential mechanism needs, for 100 queries, against β."""
    betas = np.array([0.1, 1e-2, 1e-4, 1e-6])
    at = {x: svt.variant("alg1").calibrate(epsilon=1.0, c=1, split=x) for x in (1, 2, 2.5, 4)}

    def ratios(beta):
        """For each split, with α of the exponential mechanism as unit."""
        em = alpha_em(100, 1.0, beta)
        return [smallest_alpha(m, 100, beta) / em for m in at.values()]

    found = [ratios(float(b)) for b in betas]
    even, best = [r[0] for r in found], [min(r) for r in found]
    bound = [alpha_svt(100, 1.0, b) / alpha_em(100, 1.0, b) for b in betas]
    both = svt.variant("exp_exp").calibrate(epsilon=1.0, c=1)
    corrected = [svt_alpha(both, 100, 1, beta=float(b))[0] / alpha_em(100, 1.0, b) for b in (*betas, 0.05)]
    usual = ratios(0.05)
    assert min(bound) > 8 and 3.7 < min(even) < max(even) < 4
    assert f"{usual[0]:.1f}, {min(usual):.1f}, {corrected.pop():.1f}" == "3.8, 3.1, 2.2"
    return plots.lines(
        betas,
        {
            "above_threshold: bound": bound,
            "above_threshold: exact, 1 : 1": even,
            "alg1: exact, best split tried": best,
            "exp_exp: its best correction": corrected,
        },
        log="x",
        reference={"limit at 1 : 1": 4.0, "limit at best split": 3.0},
        xlabel="failure probability β",
        ylabel="α of SVT over α of EM",
        alt=alt,
    )


def raised(*, alt):
    """SER of re-traversal on T40I10D100K against how far the threshold is raised, beside the exponential mechanism."""
    rows = load_table("raises-4000").set_index(["scores", "c"])
    rows = rows.loc[("t40i10d100k", 300)].set_index("method")
    again = rows.loc["re-traversal"]
    ser = again.set_index("deviations").ser_mean
    whole, part = (rows.loc[name].ser_mean for name in ("EM", "EM with epsilon2"))
    assert ser[1.0] < whole - 0.005 and abs(ser[6.0] - part) < 0.001
    fig, (ax,) = plots.new_figure(height=3.2)
    look = {"color": plots.style("alg7").color, "marker": "o", "markersize": 4, "capsize": 3}
    error = 2 * again.ser_std / math.sqrt(4_000)
    ax.errorbar(again.deviations, again.ser_mean, yerr=error, label="SVT with re-traversal", **look)
    for label, height, dash in (("EM", whole, "--"), ("EM with ε₂", part, ":")):
        ax.axhline(height, color=plots.style("exponential_mechanism").color, linestyle=dash, label=label)
    ax.set(xlabel="T above halfway, in standard deviations of ν", ylabel="SER")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def in_pass(p, ahead, left, c, again=False):
    """Selections of c items, `ahead` still to come; `again`: then new passes."""
    if c == 0:
        yield (), 1.0
        return
    silent = 1.0
    for place, i in enumerate(ahead):
        for rest, chance in in_pass(p, ahead[place + 1 :], left - {i}, c - 1, True):
            yield (i, *rest), silent * p[i] * chance
        silent = silent * (1 - p[i])
    if again:
        for selection, chance in given_noise(p, left, c).items():
            yield selection, silent * chance


def given_noise(p, left, c):
    """Law of the next c positives, a new pass beginning; p[i] by item."""
    with np.errstate(divide="ignore"):
        someone = -np.expm1(sum(np.log1p(-p[i]) for i in left))
    law, orders = {}, list(itertools.permutations(sorted(left)))
    for order in orders:
        for selection, chance in in_pass(p, order, left, c):
            law[selection] = law.get(selection, 0) + chance / someone / len(orders)
    return law


def on_noise(mechanism, scores, T):
    """Probabilities of ⊤ of each item at values of ρ, and the weights of these values."""
    scale = mechanism.threshold_noise.scale
    edges = np.array(sorted({0.0, *(q - T for q in scores), *(x * scale for x in (-40, -20, -8, -3, 3, 8, 20, 40))}))
    x, w = np.polynomial.legendre.leggauss(24)
    half = np.diff(edges)[:, None] / 2
    z = (edges[:-1, None] + half * (1 + x)).ravel()
    p = [np.exp(mechanism.query_noise.log_at_least(T + z - q)) for q in scores]
    return p, (half * w).ravel() * np.exp(mechanism.threshold_noise.logpdf(z))


@cache
def retraversal_law(mechanism, scores, T):
    """Exact law of the first c positives, each pass in a new random order."""
    p, weight = on_noise(mechanism, scores, T)
    law = given_noise(p, frozenset(range(len(scores))), mechanism.c)
    return {selection: float(weight @ chance) for selection, chance in law.items()}


def which_are_above(kosarak, T=10_000, c=100):
    """Pages said to be above T: by SVT, by the exponential mechanism, with noisy counts, and by a set of as many."""
    above, rows = (kosarak.support >= T).astype(float), {}
    for e in (0.1, 0.5):
        rng = np.random.default_rng(160)
        em = {
            part: svt.exponential_mechanism(kosarak, c, epsilon=part, monotonic=True, trials=100, rng=rng)
            for part in (e, e / 2)
        }
        svt_runs = svt.simulate(alg7_for(c, e), kosarak, T, trials=200, rng=rng)
        passes_noise = np.exp(svt.Laplace(c / (e / 2)).log_at_least(T - kosarak.support))
        for name, runs, kept in (
            ("Alg. 7", svt_runs, np.ones_like(above)),
            ("exponential mechanism", em[e], np.ones_like(above)),
            ("half of ε for it, half for noisy counts", em[e / 2], passes_noise),
        ):
            said, right = runs.total(kept).mean(), runs.total(kept * above).mean()
            wrong = {"wrongly said": said - right, "missed": above @ kosarak.count - right}
            rows[f"ε = {e}", name] = {"said to be above T": said, **wrong}
        ask = svt.variant("alg7").calibrate(epsilon=e / 2, c=1, monotonic=True)
        runs = [svt.run(ask, kosarak.top(c)[::-1], T, rng=rng) for _ in range(100)]
        number = [c - int(run.positives[0]) for run in runs]
        right = [draw_sets(kosarak, r, scale=2 / (e / 2), trials=1, rng=rng).total(above)[0] for r in number]
        said, right = np.mean(number), np.mean(right)
        wrong = {"wrongly said": said - right, "missed": above @ kosarak.count - right}
        rows[f"ε = {e}", "half for how many, half for a whole set"] = {"said to be above T": said, **wrong}
    table = pd.DataFrame(rows).T.round(1)
    split = table.xs("half of ε for it, half for noisy counts", level=1)
    assert abs(split["wrongly said"] - 1).max() < 0.15 and abs(split["missed"] - [12.2, 1.9]).max() < 0.4
    assert table.xs("half for how many, half for a whole set", level=1)[["wrongly said", "missed"]].max().max() < 0.6
    return table
