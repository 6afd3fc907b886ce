"""The data, the runs and the figures of *Answering questions for ever*."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.optimize import brentq

import svtlib as svt
from svtcourse.chapter.compare import gaussian_sigma
from svtcourse.figures import display, plots
from svtlib.guarantee import Renyi

BLUE, ORANGE = plots.style("alg7").color, plots.style("alg4").color
T, C = 2000.0, 60
GUARD = svt.variant("alg7").calibrate(epsilon=0.5, c=C)
OURS, GAUSSIAN = "multiplicative weights with SVT", "Gaussian noise, adaptive, δ = 10⁻⁶"
AGAIN = "weights, SVT begins again, δ = 10⁻⁶"
ROUNDS = "weights in rounds without SVT, list"


def _question(rng, shape):
    """Ranges of age and of education, one sex or both, one income or both."""
    parts = []
    for size in shape[:2]:
        low, high = np.sort(rng.integers(0, size, 2))
        parts.append((np.arange(size) >= low) & (np.arange(size) <= high))
    for size in shape[2:]:
        k = int(rng.integers(0, 3))
        parts.append(np.ones(2, bool) if k == 2 else np.arange(size) == k)
    return np.einsum("a,b,c,d->abcd", *map(np.double, parts)).ravel()


@cache
def adult():
    """Adult's table of 1,024 cells, 2,000 questions about it with their true answers, and the flat guess."""
    joint = svt.load_adult("joint").series()
    axes = [sorted(set(joint.index.get_level_values(k))) for k in range(4)]
    table = joint.reindex(list(itertools.product(*axes)), fill_value=0).to_numpy(dtype=float)
    shape, n = tuple(map(len, axes)), float(table.sum())
    assert shape == (16, 16, 2, 2) and n == 32_561
    rng = np.random.default_rng(1)
    questions = np.array([_question(rng, shape) for _ in range(2000)])
    together = int(questions.sum(axis=0).max())
    fifty = svt.Workload(
        range(table.size), {f"{k}": lambda cell, k=k: bool(questions[k, cell]) for k in range(50)}
    ).sensitivity("add/remove")
    assert fifty.one == 1 and not fifty.disjoint and together == 291
    assert fifty.together == questions[:50].sum(axis=0).max()
    flat = np.full(table.size, n / table.size)
    return SimpleNamespace(table=table, questions=questions, true=questions @ table, flat=flat, n=n, together=together)


class Run:
    """Multiplicative weights behind an SVT: estimates, answers, updates, guesses."""

    def __init__(self, m, number_noise, rng, error=abs, T=T):
        data = adult()
        self.session, guess = svt.Session(m, rng=rng), data.flat
        self.guesses, self.said, self.given = [guess], data.true.copy(), data.true.copy()
        for k, query in enumerate(data.questions):
            self.said[k] = self.given[k] = query @ guess
            miss = error(data.true[k] - self.said[k])
            if not self.session.stopped and self.session.ask(miss, T):
                self.given[k] = data.true[k] + number_noise.sample(rng)
                eta = np.clip(4 * (self.given[k] - self.said[k]) / data.n, -1, 1)
                guess = guess * np.exp(eta * query)
                guess *= data.n / guess.sum()
                self.guesses.append(guess)
        self.changed = self.session.transcript.positives


@cache
def run():
    """The run of the page."""
    found = Run(GUARD, svt.Laplace(C / 0.5), np.random.default_rng(4))
    assert not found.session.stopped and found.changed.size == 44
    return found


def errors_of_the_guess(*, alt):
    """Error of the guess for the first 300 questions; updates are diamonds."""
    changed, missed = run().changed, np.abs(run().said - adult().true)
    updates, free = changed[changed < 300], np.setdiff1d(np.arange(300), changed)
    fig, (ax,) = plots.new_figure(height=3.2)
    ax.axhline(T, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    ax.plot(free, missed[free], ".", color=BLUE, alpha=0.6, markersize=4, label="free")
    ax.plot(updates, missed[updates], "D", color=ORANGE, markersize=5, label="update")
    ax.set_yscale("symlog", linthresh=1000)
    heights = {0: "0", 500: "500", 1000: "1,000", 2000: "T", 5000: "5,000", 10_000: "10,000"}
    ax.set_yticks(list(heights), list(heights.values()))
    ax.set(xlabel="question", ylabel="error of the guess, people")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def budget_left(*, alt):
    """What is left of the budget against the number of questions."""
    changed = run().changed
    spent = np.cumsum(np.isin(np.arange(2000), changed))
    budget = GUARD.epsilon1 + (GUARD.epsilon2 + 0.5) * spent / C
    assert abs(run().session.spent.epsilon + 0.5 * changed.size / C - budget[-1]) < 1e-9
    assert round(1 - budget[-1], 2) == 0.26
    fig, (ax,) = plots.new_figure(height=2.6)
    ax.step(np.arange(1, 2001), 1 - budget, where="post", color=BLUE, linewidth=2)
    ax.axhline(0, color="#000000", linewidth=1)
    ax.set_ylim(-0.05, 1.05)
    ax.set(xlabel="questions asked", ylabel="budget left, ε")
    return display.figure(fig, alt=alt)


def kl(guess):
    """How far the guess is from the true table."""
    there = adult().table > 0
    p = adult().table[there] / adult().n
    return float((p * np.log(p / (guess[there] / adult().n))).sum())


@cache
def progress():
    """KL of the guess after each update of the run, and the falls that the theorem promises."""
    found, data = run(), adult()
    k = found.changed
    step = np.clip(4 * (found.given[k] - found.said[k]) / data.n, -1, 1)
    floors = step * (data.true[k] - found.said[k]) / data.n - step**2 / 8
    return np.array([kl(guess) for guess in found.guesses]), floors


def distance_to_the_truth(*, alt):
    """KL against the number of updates, with what the theorem guarantees."""
    potential, floors = progress()
    assert [round(potential[0], 1), round(potential[-1], 1)] == [1.6, 0.3]
    fig, (ax,) = plots.new_figure(height=2.8)
    number, bound = np.arange(potential.size), potential[0] - np.concatenate([[0], np.cumsum(floors)])
    ax.plot(number, potential, "o-", color=BLUE, markersize=3, label="distance to the truth")
    ax.plot(number, bound, "--", color=ORANGE, linewidth=2, label="at most, by the theorem")
    ax.set_ylim(0, None)
    ax.set(xlabel="updates", ylabel="KL")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def noise_inside():
    """Updates in 2,000 questions, and how many had an error below T/2, with the noise outside the bars and inside."""
    inside = svt.variant("abs_value").calibrate(epsilon=0.5, c=C, split=GUARD.epsilon2 / GUARD.epsilon1)
    assert abs(inside.query_noise.scale - GUARD.query_noise.scale) < 1e-9

    def wasted(m, error):
        """Means of eight runs at the same noise."""
        trials = [Run(m, svt.Laplace(C / 0.5), np.random.default_rng(seed), error) for seed in range(8)]
        misses = [np.abs(r.said - adult().true)[r.changed] for r in trials]
        return np.mean([(len(miss), (miss < T / 2).sum()) for miss in misses], axis=0)

    counted = {"noise outside the bars": wasted(GUARD, abs), "noise inside": wasted(inside, lambda miss: miss)}
    assert counted["noise inside"][0] > counted["noise outside the bars"][0]
    return pd.DataFrame(counted, index=["updates", "of these, error below T/2"]).round(0).astype(int)


def plan(share, cells, questions=2000, epsilon=1.0, beta=0.05):
    """The c, and the least n and T, for which free answers miss by at most 1.5 T with probability 1 − β.

    T is `share` of n; a third of ε each for threshold, comparisons and numbers; β is divided by three likewise.
    If no noise is too large, a ⊤ needs a true error of T/2 and no number is off by more than T/4, so that an update
    lowers KL by 3/2 (T/2n)² at least.
    """
    c = math.ceil(math.log(cells) / (1.5 * (share / 2) ** 2))
    part, tail = epsilon / 3, beta / 3
    threshold = math.log(1 / tail) / part
    comparisons = 2 * c / part * math.log(questions / tail)
    numbers = c / part * math.log(c / tail)
    least = max(2 * (threshold + comparisons), 4 * numbers)
    # As good for all questions is a histogram of so many cells, half of which are in each; by the normal law its errors
    # are all within the square root of 2 cells log(2 questions / β), over ε.
    rival = (1.5 * least * epsilon) ** 2 / (2 * math.log(2 * questions / beta))
    return {"c": c, "T": least, "n": least / share, "cells": rival}


def plans():
    """Least n, T and c for three shares and two domains, at ε = 1, 2,000 questions, β = 0.05."""
    rows = {}
    for cells, share in itertools.product((2**10, 2**20), (0.2, 0.1, 0.05)):
        row = plan(share, cells)
        n, threshold = (f"{float(f'{row[key]:.2g}'):,.0f}" for key in ("n", "T"))
        rows[f"{cells:,}", share] = {"c": row["c"], "T": threshold, "n at least": n}
    table = pd.DataFrame(rows).T.rename_axis(["cells", "T/n"])
    assert plan(0.1, 2**20)["c"] == 3697 and 4e8 < plan(0.2, 2**10)["cells"] < 5e8
    return table


@cache
def with_delta(c, share, delta=1e-6):
    """An SVT that begins again c times and the noise of c numbers, together (1, delta)-private by their Rényi bounds.

    A run that is e-DP is Rényi private with order · e² / 2, a number with deviation s with order / (2 s²); the share is
    the SVT's. Its parts are 1 : 2, so that both of its noises have the scale 3 / e.
    """

    def excess(rho):
        """By how much the ε of order · rho passes 1."""
        return min(Renyi(a, a * rho).approximate(delta).epsilon for a in np.geomspace(1.1, 400, 300)) - 1

    rho = brentq(excess, 1e-5, 1)
    each = math.sqrt(2 * share * rho / c)
    noises = {"threshold_noise": svt.Laplace(3 / each), "query_noise": svt.Laplace(3 / each)}
    guard = replace(svt.variant("sparse").calibrate(epsilon=c * each, c=c), **noises)
    assert abs(svt.prove(guard).epsilon - c * each) < 1e-9
    return guard, svt.Gaussian(math.sqrt(c / (2 * (1 - share) * rho)))


def in_rounds(eps, rng, rounds=30):
    """Answers to a known list: the exponential mechanism picks the worst answer, all numbers so far teach the guess.

    Source: M. Hardt, K. Ligett, F. McSherry, "A Simple and Practical Algorithm for Differentially Private Data Release"
    (NIPS 2012), with the step of the chapter.
    """
    data, known, each = adult(), {}, eps / (2 * rounds)
    guess, queries = data.flat, data.questions.astype(float)
    for _ in range(rounds):
        size = np.abs(queries @ guess - data.true) + rng.gumbel(scale=2 / each, size=data.true.size)
        size[list(known)] = -np.inf
        worst = int(size.argmax())
        known[worst] = data.true[worst] + rng.laplace(0, 1 / each)
        for k, number in [*known.items()] * 10:
            guess = guess * np.exp(np.clip(4 * (number - queries[k] @ guess) / data.n, -1, 1) * queries[k])
            guess *= data.n / guess.sum()
    return queries @ guess


def errors(eps, seed, only=False):
    """Mean and largest error in 2,000 answers, by method, at the same budget."""
    data, rng = adult(), np.random.default_rng([seed, int(1000 * eps)])
    first, true = data.questions, data.true
    guard = svt.variant("alg7").calibrate(epsilon=eps / 2, c=C)
    within = svt.variant("abs_value").calibrate(epsilon=eps / 2, c=C)
    noisy_cells = data.table + rng.laplace(0, 1 / eps, data.table.size)
    ways = {
        "no data at all": first @ data.flat,
        "noise on every answer, adaptive": true + rng.laplace(0, 2000 / eps, 2000),
        "noise on every answer, list": true + rng.laplace(0, data.together / eps, 2000),
        OURS: Run(guard, svt.Laplace(2 * C / eps), rng).given,
        GAUSSIAN: true + np.random.default_rng([seed, 6]).normal(0, gaussian_sigma(eps, 1e-6) * 2000**0.5, 2000),
        "noisy histogram": first @ noisy_cells,
    }
    if not only:
        ways["weights, noise inside, 1 : 1"] = Run(within, svt.Laplace(2 * C / eps), rng, lambda e: e).given
        ways[AGAIN] = Run(*with_delta(250, 0.8), np.random.default_rng([seed, 7]), T=500.0).given
        ways[ROUNDS] = in_rounds(eps, np.random.default_rng([seed, 8]))
    return {k: (np.abs(v - true).mean(), np.abs(v - true).max()) for k, v in ways.items()}


@cache
def comparison():
    """Mean and largest error of every method at ε = 1, means of eight runs."""
    runs = [errors(1.0, seed) for seed in range(8)]
    summary = pd.DataFrame(
        {k: np.mean([run[k] for run in runs], axis=0) for k in runs[0]}, index=["mean error", "largest error"]
    )
    mean = summary.loc["mean error"]
    nearer = [2000 * (mean[way] / mean[GAUSSIAN]) ** 2 for way in (OURS, AGAIN)]
    assert 10_500 < nearer[0] < 12_000 and 2_900 < nearer[1] < 3_300, nearer
    known = gaussian_sigma(1.0, 1e-6) * math.sqrt(2 * adult().together / math.pi)  # mean size of noise on the list
    assert known < 0.7 * mean[ROUNDS] < 0.6 * mean[GAUSSIAN]
    return summary.T.iloc[[0, 1, 2, 6, 3, 7, 4, 8, 5]]


@cache
def weights_error(eps):
    """Mean error of the weights over four runs."""
    return float(np.mean([errors(eps, seed, eps != 1)[OURS][0] for seed in range(4)]))


def histogram_error(eps, columns=0):
    """Expected error of a histogram that also holds this many yes-or-no columns, by the normal law."""
    in_cells = np.sqrt(adult().questions.sum(axis=1)).mean()
    return 2 / math.sqrt(math.pi) * in_cells * 2 ** (np.asarray(columns) / 2) / eps


def crossing(eps):
    """Columns that no question mentions from which on the histogram that holds them is behind."""
    return next(k for k in range(25) if histogram_error(eps, k) > weights_error(eps))


def unmentioned_columns(*, alt):
    """Mean error against the number of added columns that no question mentions."""
    extra = np.arange(0, 25)
    assert [crossing(0.3), crossing(1.0)] == [8, 11] and 8 < histogram_error(1.0) < 9
    fig, (ax,) = plots.new_figure(height=3.2)
    for eps, dash in ((0.3, "--"), (1.0, "-")):
        ax.plot(extra, histogram_error(eps, extra), dash, color=ORANGE, label=f"full histogram, ε = {eps:g}")
        ax.axhline(weights_error(eps), linestyle=dash, color=BLUE, linewidth=2, label=f"weights, ε = {eps:g}")
    ax.axhline(np.abs(adult().questions @ adult().flat - adult().true).mean(), color="#000000", linewidth=1)
    ax.axhline(histogram_error(1.0), color=ORANGE, linewidth=1, linestyle=":", label="of mentioned columns, ε = 1")
    ax.text(24, 2150, "no data at all", ha="right", fontsize=10)
    ax.set_yscale("log")
    ax.set_ylim(5, 60_000)
    ax.set(xlabel="columns that no question mentions", ylabel="mean error, people")
    ax.legend(frameon=False, fontsize=9, ncols=2, loc="lower right", bbox_to_anchor=(1, 0.08))
    return display.figure(fig, alt=alt)


def mentioned_columns():
    """Mean errors at ε = 1 where each question fixes some of k added columns of fair coins, for the rivals."""
    rows, base = {}, histogram_error(1.0)
    blind = np.abs(adult().questions @ adult().flat - adult().true).mean()
    for k, fixed in ((12, 1), (12, 6), (14, 2), (16, 2)):
        rows[k, fixed] = {
            "one histogram of all": base * 2 ** ((k - fixed) / 2),
            "one for every choice": base * math.comb(k, fixed),
            "no data at all": blind / 2**fixed,
        }
    table = pd.DataFrame(rows).T.map(lambda x: int(float(f"{x:.2g}"))).rename_axis(["added", "fixed by a question"])
    assert table.loc[(12, 1), "one for every choice"] < weights_error(1.0)
    assert (table.iloc[:, :2].min(axis=1) < weights_error(1.0)).tolist() == [True, True, False, False]
    assert (table.iloc[1:, :2].min(axis=1) > table.iloc[1:, 2]).all()
    return table
