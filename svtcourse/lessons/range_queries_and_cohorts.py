"""The figures of *Range queries and cohorts*, and the day of questions behind them."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

import svtlib as svt
from svtcourse.figures import display, plots

BLUE, ORANGE = plots.style("alg7").color, plots.style("alg4").color
T, C = 600, 10
PRINTED = [6163, 1602, 3967, 3745, 14271, 898, 0, 808, 6657, 17655]  # the counts of Near & Abuah


@functools.cache
def people():
    """Women above 50K, by age band and by education."""
    table = np.zeros((16, 16), dtype=int)
    for (age_from, education, sex, income), number in svt.load_adult("joint").series().items():
        if (sex, income) == ("Female", ">50K"):
            table[(age_from - 15) // 5, education - 1] = number
    return table


def _wider(rng):
    """Cohorts around a random age and education, each wider than the one before."""
    a, e = rng.integers(2, 10), rng.integers(8, 15)
    for step in range(14):
        w, v = (step + 1) // 2, step // 2
        yield slice(max(a - w, 0), a + w + 1), slice(max(e - v, 0), e + v + 1)


def ask_for_a_day(ask, rng, most=400):
    """What analysts ask: the cohorts, the true counts and the answers."""
    asked = []
    while len(asked) < most:
        for cohort in _wider(rng):
            count = int(people()[cohort].sum())
            try:
                asked.append((cohort, count, ask(count)))
            except svt.BudgetExhausted:
                return asked
            if asked[-1][2]:
                break
    return asked


def _explorer(c):
    """The explorer at ε = 1: three parts of ε/2, of which one is free."""
    return svt.variant("alg7").calibrate(epsilon=1.5, c=c, split=1.0, epsilon3=0.5, monotonic=True)


@functools.cache
def first_day():
    """The questions of a day that the explorer answers, with its session and how much the cohorts overlap."""
    session = svt.Session(_explorer(C), rng=np.random.default_rng(4))
    asked = ask_for_a_day(lambda count: session.ask(count, T), np.random.default_rng(12))
    cohorts, counts, said = zip(*asked, strict=True)
    inside = np.zeros((len(asked), 16, 16), dtype=bool)
    for k, cohort in enumerate(cohorts):
        inside[k][cohort] = True
    overlap = inside.cumsum(axis=0).max(axis=(1, 2))
    tests = {f"{k}": lambda cell, k=k: bool(inside[k][cell]) for k in range(len(asked))}
    together = svt.Workload(list(np.ndindex(16, 16)), tests).sensitivity("add/remove")
    assert together.one == 1 and together.monotonic and together.together == overlap[-1]
    large = np.array([bool(answer) for answer in said])
    return SimpleNamespace(session=session, cohorts=cohorts, counts=np.array(counts), large=large, overlap=overlap)


def one_day(*, alt):
    """The true counts of the day in the order of the questions, and what the two ways have spent."""
    day = first_day()
    counts, large, overlap, n = day.counts, day.large, day.overlap, len(day.counts)
    stops = int(np.searchsorted(overlap, 2 * C, side="right"))
    assert day.session.stopped and large.sum() == C and overlap[-1] > 2 * C > overlap[stops - 1] - 1
    assert (n, stops, overlap[-1], overlap[stops - 1]) == (78, 41, 32, 20)
    print(f"{n} questions, {C} answered with a number; joint sensitivity {overlap[-1]}")
    print(f"after {stops} questions: {overlap[stops - 1]}")
    fig, (top, bottom) = plots.new_figure(rows=2, height=4.6)
    at = np.arange(1, n + 1)
    top.axhline(T, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    top.plot(at[~large], counts[~large], ".", color=BLUE, markersize=5, label="⊥")
    top.plot(at[large], counts[large], "D", color=ORANGE, markersize=6, label="a number")
    top.set_ylim(-40, 1150)
    top.set_ylabel("true count", fontsize=11)
    top.legend(frameon=False, fontsize=10, loc="upper right", ncols=2)
    paid = (1 + large.cumsum() / C) / 2  # what the alignment of its proof pays
    bottom.step(at, paid, where="post", color=BLUE, linewidth=2, label="SVT")
    plain, dash = np.minimum(overlap / (2 * C), 1), plots.style("laplace_all").dash
    bottom.step(at, plain, dash, where="post", color=ORANGE, linewidth=2, label="noise on every answer")
    bottom.axhline(1, color="#000000", linewidth=1)
    bottom.set_xlabel("question", fontsize=11)
    bottom.set_ylim(-0.05, 1.08)
    bottom.set_ylabel("ε used", fontsize=11)
    bottom.legend(frameon=False, fontsize=10, loc="lower right")
    return display.figure(fig, alt=alt)


@functools.cache
def printed_ranges():
    """The nine ranges of ages, open at both ends, that have the counts that Near & Abuah print; the tenth is empty."""
    ages = svt.load_adult("age").series()
    possible = {}
    for a in range(30, 50):
        for b in range(a, 70):
            possible.setdefault(int(ages[(ages.index > a) & (ages.index < b)].sum()), []).append((a, b))
    assert all(len(possible[count]) == 1 for count in PRINTED if count)
    assert all(b <= a + 1 for a, b in possible[0])  # nobody can be in the tenth
    return {possible[count][0]: count for count in PRINTED if count}


def ten_ranges(*, alt):
    """The printed ranges as bars, and in how many of them each age lies."""
    ranges = printed_ranges()
    tests = {f"{a}–{b}": lambda x, a=a, b=b: a < x < b for a, b in ranges}
    person = svt.Workload(range(17, 91), tests | {"none": lambda x: False}).sensitivity("add/remove")
    assert person.one == 1 and person.monotonic and not person.disjoint
    assert person.together == 6 and person.step == (41,)
    assert sum(count > 10_000 for count in ranges.values()) == 2
    in_ranges = np.array([sum(a < x < b for a, b in ranges) for x in range(30, 71)])
    assert in_ranges.max() == 6
    fig, (top, bottom) = plots.new_figure(rows=2, height=4.0)
    for row, (a, b) in enumerate(sorted(ranges)):
        color, hatch = (ORANGE, "//") if ranges[a, b] > 10_000 else (BLUE, None)
        top.barh(row, b - a - 1, left=a + 0.5, height=0.7, color=color, hatch=hatch, alpha=0.75)
    top.set_yticks([])
    top.set_ylabel("ranges", fontsize=11)
    bottom.step(range(30, 71), in_ranges, where="mid", color="#000000", linewidth=2)
    bottom.set_ylim(0, 7)
    plots.name_axes(bottom, "age", "ranges with it")
    return display.figure(fig, alt=alt)


def _ratio(q, bar, c, J, rng, trials=400):
    """Mean error of the explorer over that of noise on every answer, at ε = 1."""
    x = rng.permuted(np.tile(q, (trials, 1)), axis=1)

    def noise(scale):
        """One draw for every answer."""
        return rng.laplace(0, scale, x.shape)

    missed = np.maximum(x - bar, 0)
    plain = noise(J)
    everywhere = np.where(x + plain >= bar, np.abs(plain), missed).mean()
    rho = rng.laplace(0, 2, (trials, 1))
    positive = x + noise(2 * c) >= bar + rho
    given = positive & (positive.cumsum(axis=1) <= c)
    return np.where(given, np.abs(noise(2 * c)), missed).mean() / everywhere


def who_is_nearer(*, alt):
    """The ratio of the mean errors for windows of ages, by the overlap J and the number c of large ones."""
    by_age = svt.load_adult("age").series().reindex(range(17, 137), fill_value=0).to_numpy(dtype=float)
    widths, shares, rng = (1, 4, 8, 16, 32, 60), (1, 3, 6, 12, 24, 36), np.random.default_rng(6)
    measured = np.empty((len(shares), len(widths)))
    for column, width in enumerate(widths):
        tests = [lambda x, a=a, w=width: a <= x < a + w for a in range(17, 77)]
        windows = svt.Workload(range(17, 91), tests)
        assert windows.sensitivity("add/remove").together == width
        assert width > 1 or windows.sensitivity("replace").together == 2  # disjoint windows
        q = np.array([by_age[a : a + width].sum() for a in range(60)])
        ranked = np.sort(q)[::-1]
        for row, k in enumerate(shares):
            measured[row, column] = _ratio(q, (ranked[k - 1] + ranked[k]) / 2, k, width, rng)
    rule = 2 * np.array(shares)[:, None] / np.array(widths)[None, :]
    clear = (rule < 0.7) | (rule > 1.4)
    assert ((measured < 1) == (rule < 1))[clear].all()
    assert np.abs(np.log(measured / rule)).max() < math.log(1.6)
    fig, (ax,) = plots.new_figure(height=3.8)
    ax.grid(visible=False)
    for row, column in np.ndindex(measured.shape):
        value = measured[row, column]
        depth = min(abs(math.log2(value)) / 5, 1) * 0.55 + 0.08
        ax.add_patch(Rectangle((column, row), 1, 1, color=BLUE if value < 1 else ORANGE, alpha=depth, lw=0))
        text = f"{value:.2f}" if value < 0.995 else f"{value:.1f}" if value < 10 else f"{value:.0f}"
        ax.annotate(text, (column + 0.5, row + 0.5), ha="center", va="center", fontsize=11)
    edge = np.repeat((rule < 1).sum(axis=0), 2)
    ax.plot([column + side for column in range(len(widths)) for side in (0, 1)], edge, color="#000000", linewidth=2.5)
    ax.set(xlim=(0, len(widths)), ylim=(0, len(shares)))
    ax.set_xticks(np.arange(len(widths)) + 0.5, [f"{w}" for w in widths])
    ax.set_yticks(np.arange(len(shares)) + 0.5, [f"{k}" for k in shares])
    plots.name_axes(ax, "J, windows that share a person, of 60", "c, large windows of 60")
    return display.figure(fig, alt=alt)


def _on_counts(m):
    """What an SVT at half of the budget costs on counts, numbers included."""
    fresh = {"release": "fresh", "release_noise": svt.Laplace(2 * C), "epsilon3": 0.5}
    return svt.prove(replace(m, monotonic=True, epsilon=1.0, **fresh)).epsilon


@functools.cache
def six_ways():
    """Scale, cost, mean error and wrong signs of six ways to answer the questions of the day."""
    day = first_day()
    counts, n, J = day.counts, len(day.counts), int(day.overlap[-1])

    def loud(answers):
        """The answers, NaN where they are below the threshold."""
        return np.where(answers >= T, answers, np.nan)

    def signs(m, rng):
        """Answers of an SVT, NaN where it says ⊥ or nothing."""
        found = svt.run(m, counts, T, rng=rng).positives
        answers = np.full(n, np.nan)
        answers[found] = counts[found] + rng.laplace(0, 2 * C, found.size)
        return answers

    def histogram(rng):
        """One noisy table of the 256 cells, and every answer a sum of it."""
        table = people() + rng.laplace(0, 1, people().shape)
        return loud(np.array([table[cohort].sum() for cohort in day.cohorts]))

    def errors(answers):
        """Mean error, and the number of wrong signs."""
        silent = np.isnan(answers)
        error = np.where(silent, np.maximum(counts - T, 0), np.abs(answers - counts))
        return error.mean(), ((counts >= T) == silent).sum()

    published, one_bar = (svt.variant(key).calibrate(epsilon=0.5, c=C) for key in ("sparse", "alg1"))
    bare = replace(_explorer(C), release="indicator", release_noise=None)
    assert svt.prove(one_bar).holds and svt.prove(published).holds
    assert (published.threshold_noise.scale, published.query_noise.scale) == (40, 80)
    ways = {  # scale, cost, run
        "range_query_svt, mended": (2 * C, _on_counts(published), lambda rng: signs(published, rng)),
        "… Alg. 1 for sparse": (2 * C, _on_counts(one_bar), lambda rng: signs(one_bar, rng)),
        "explorer": (2 * C, svt.prove(_explorer(C)).epsilon, lambda rng: signs(bare, rng)),
        "every answer, n known": (n, J / n, lambda rng: loud(counts + rng.laplace(0, n, n))),
        "every answer, J known": (J, 1.0, lambda rng: loud(counts + rng.laplace(0, J, n))),
        "histogram": (1, 1.0, histogram),
    }
    rows = {}
    for index, (name, (scale, cost, way)) in enumerate(ways.items()):
        rng = np.random.default_rng([22, index])
        trials = np.array([errors(way(rng)) for _ in range(400)])
        rows[name] = {
            "scale": scale,
            "cost": cost,
            "mean error": trials[:, 0].mean(),
            "wrong signs": trials[:, 1].mean(),
        }
        assert trials[:, 0].std() / 20 < 0.03 * rows[name]["mean error"]
    table = pd.DataFrame(rows.values(), index=list(rows))
    error, costs = table["mean error"], table["cost"]
    assert error["explorer"] < error["every answer, J known"] < error["every answer, n known"]
    assert error["histogram"] < error["explorer"] < error["range_query_svt, mended"]
    assert np.allclose(costs[["range_query_svt, mended", "explorer"]], [0.75, 1])
    return table.round({"cost": 2, "mean error": 1, "wrong signs": 1})


def columns(table, *, alt):
    """Mean error of the histogram against the yes-or-no columns that it has besides, and that of the explorer."""
    day, rng = first_day(), np.random.default_rng(22)
    counts = np.array(day.counts)
    cells = np.array([people()[cohort].size for cohort in day.cohorts])

    def error(more):
        """A count is a sum of so many Laplace variables, which is the difference of two gamma variables."""
        shape = cells * 2**more
        answers = counts + rng.gamma(shape, size=(400, cells.size)) - rng.gamma(shape, size=(400, cells.size))
        return np.where(answers < T, np.maximum(counts - T, 0), abs(answers - counts)).mean()

    more = np.arange(9)
    histogram, explorer = [error(int(m)) for m in more], table["mean error"]["explorer"]
    assert abs(histogram[0] - table["mean error"]["histogram"]) < 0.1
    assert histogram[2] < explorer < histogram[4]
    series = {"laplace_all: histogram": histogram, "alg7: explorer": np.full(more.size, explorer)}
    return plots.lines(more, series, log="y", xlabel="yes-or-no columns besides", ylabel="mean error", alt=alt)
