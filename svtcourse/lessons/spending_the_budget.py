"""The figures of *Spending the budget well*, and its two tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize_scalar

import svtlib as svt
from svtcourse.figures import display, pictures, plots

ALG1, ALG2, ALG7 = (svt.variant(key) for key in ("alg1", "alg2", "alg7"))


def variance(split, c, monotonic=False):
    """Variance of ν − ρ of Alg. 7 at ε = 1."""
    m = ALG7.calibrate(epsilon=1.0, c=c, split=split, monotonic=monotonic)
    return m.threshold_noise.variance + m.query_noise.variance


def thirds(c):
    """The split of least variance."""
    return (2 * c) ** (2 / 3)


def three_bills(*, alt):
    """What each draw pays at ε = 1 for three splits, c = 4."""

    def bill(split, c=4):
        """Parts of the threshold and of each positive."""
        m = ALG7.calibrate(epsilon=1.0, c=c, split=split)
        assert svt.prove(m).holds and abs(svt.prove(m).epsilon - 1) < 1e-9
        return [("ρ", m.epsilon1), *[("⊤", m.epsilon2 / c)] * c]

    return pictures.budget_bars({f"1 : {s:g}": bill(s) for s in (1, 4, 19)}, variants=["alg1", "alg7", "alg7"], alt=alt)


def right_pages(kosarak, T, *, alt):
    """Mean number of right pages among 100 that Alg. 1 finds, against the split, for three budgets."""
    is_top, splits = (kosarak.support >= T).astype(float), [1, 3, 10, 30, 100, 300]

    def found(epsilon, split):
        """Mean number of pages above T among the positives."""
        m = ALG1.calibrate(epsilon=epsilon, c=100, split=split)
        runs = svt.simulate(m, kosarak, T, trials=300, rng=np.random.default_rng(11))
        return runs.total(is_top).mean()

    curves = {f"alg1: ε = {e:g}": [found(e, s) for s in splits] for e in (0.1, 0.2, 0.5)}
    low, middle, high = curves.values()
    assert middle[0] < 10 and middle[3] > 55 and np.argmax(high) == 3 and np.argmax(low) == 5
    shown = [round(x) for x in (low[0], low[4], middle[0], middle[3], high[0], high[3])]
    assert shown == [2, 9, 9, 57, 80, 93]
    return plots.lines(
        splits,
        curves,
        log="x",
        reference={"all 100": 100.0},
        xlabel="split ε₂/ε₁",
        ylabel="right pages among 100",
        alt=alt,
    )


def valley(*, alt):
    """Variance of a comparison relative to its least value, against the split, with four published splits."""
    assert max(variance(s, 100) for s in (thirds(100) / 2, 2 * thirds(100))) < 1.06 * variance(thirds(100), 100)
    for c in np.unique(np.geomspace(1, 1e6, 40).astype(int)).tolist():
        assert variance(float(c), c) < 1.25 * variance(thirds(c), c)
    fig, (ax,) = plots.new_figure(height=3.8)
    grid = np.geomspace(0.3, 1000, 60)
    for c, dash in ((1, "-"), (10, "--"), (100, "-.")):
        values = [variance(s, c) / variance(thirds(c), c) for s in grid]
        ax.plot(grid, values, color=plots.style("alg1").color, linestyle=dash, linewidth=2, label=f"c = {c}")
    marks = {"1 : 1": ("o", lambda c: 1.0), "1 : 3": ("s", lambda c: 3.0), "1 : c": ("D", float)}
    for name, (marker, split) in (marks | {"1 : (2c)^(2/3)": ("*", thirds)}).items():
        at = [(split(c), variance(split(c), c) / variance(thirds(c), c)) for c in (1, 10, 100)]
        size = 11 if marker == "*" else 7
        look = {"color": "#000000", "markerfacecolor": "none", "markeredgewidth": 1.5, "markersize": size}
        ax.plot(*zip(*at, strict=True), marker, label=name, **look)
    ax.set(xscale="log", yscale="log", xlabel="split ε₂/ε₁", ylabel="variance, least = 1", ylim=(0.9, 20))
    ax.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    fig.legend(loc="outside upper center", frameon=False, ncols=4, fontsize=10)
    return display.figure(fig, alt=alt)


def deviations(*, alt):
    """Standard deviation of a comparison over that of Alg. 7 at its best split, against c."""

    def over_best(value, c):
        """Square root of a variance over the least one."""
        return math.sqrt(value / variance(thirds(c), c))

    def alg2(c):
        """Variance of Alg. 2 as listed."""
        m = ALG2.calibrate(epsilon=1.0, c=c)
        return m.redraw_noise.variance + m.query_noise.variance

    best = 2 ** (2 / 3)
    own = 2 * (1 + best) ** 2 + 2 * (2 * (1 + best) / best) ** 2  # times c²
    c_shown = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
    return plots.lines(
        c_shown,
        {
            "alg1": [over_best(variance(1.0, c), c) for c in c_shown.tolist()],
            "alg2: as listed": [over_best(alg2(c), c) for c in c_shown.tolist()],
            "alg2: its best split": [over_best(own * c**2, c) for c in c_shown.tolist()],
        },
        log="x",
        reference={"Alg. 7, best split": 1.0, "2": 2.0},
        xlabel="positives paid for, c",
        ylabel="standard deviation, least = 1",
        alt=alt,
    )


def log_right(split, distance, c=10):
    """Log probability that a hundred answers below and ten above, all at this distance, are judged rightly."""
    m = ALG1.calibrate(epsilon=1.0, c=c, split=split)
    return svt.log_probability(m, [-distance] * 100 + [distance] * 10, "⊥" * 100 + "⊤" * 10)


def log_wrong(split, d, c=10):
    """Log probability that one answer at distance d is judged wrongly."""
    return svt.log_probability(ALG1.calibrate(epsilon=1.0, c=c, split=split), [-d], "⊤")


def least_split(loss, c=10):
    """The split with the least loss."""
    grid = np.linspace(math.log(math.sqrt(2 * c) / 2), math.log(8 * c), 10)
    i = int(np.clip(np.argmin([loss(math.exp(s)) for s in grid]), 1, grid.size - 2))
    bounds = grid[i - 1], grid[i + 1]
    search = minimize_scalar(lambda s: loss(math.exp(s)), bounds=bounds, method="bounded", options={"xatol": 1e-3})
    return round(math.exp(search.x), 1)


def best_splits(*, alt):
    """The split with the fewest errors against the distance, for one comparison and for 110 that share a threshold."""
    extra = [
        log_wrong(thirds(10), d) - min(log_wrong(s, d) for s in np.geomspace(3, 30, 30))
        for d in range(1, 400, 20)
        if log_wrong(thirds(10), d) > math.log(0.001)
    ]
    assert len(extra) > 5 and math.exp(max(extra)) < 1.1
    distances = np.array([1, 3, 10, 20, 40, 60, 100, 170, 300, 1000, 3000, 10_000])
    alone = [least_split(lambda s, d=d: log_wrong(s, float(d))) for d in distances]
    whole = [least_split(lambda s, d=d: -log_right(s, float(d))) if 40 <= d <= 300 else math.nan for d in distances]
    return plots.lines(
        distances,
        {"alg1: one comparison": alone, "alg1: 110 comparisons": whole},
        log="x",
        reference={"1 : √(2c)": math.sqrt(20), "1 : (2c)^(2/3)": thirds(10), "1 : 2c": 20.0},
        xlabel="distance from the threshold",
        ylabel="best split ε₂/ε₁",
        alt=alt,
    )


def chance_of_an_error():
    """Probability that at least one of the 110 answers is misjudged, by split and distance."""
    splits = {"1 : 1": 1.0, "1 : (2c)^(2/3)": thirds(10), "1 : 2c": 20.0}
    rows = {
        d: {name: -math.expm1(log_right(split, float(d))) for name, split in splits.items()}
        for d in (60, 80, 100, 150, 200)
    }
    return pd.DataFrame(rows).round(4).rename_axis("split").rename_axis("distance", axis=1)


def needed_on_kosarak(kosarak):
    """The ε at which all 200 pages are judged rightly with probability 1/2, over what the two-thirds split needs."""
    pages = kosarak.top(200)

    def needed(T, split):
        """The ε at which Alg. 1 is right on all 200 pages with probability one half."""
        above = int((pages >= T).sum())
        ordered, outcome = np.concatenate([pages[above:], pages[:above]]), "⊥" * (200 - above) + "⊤" * above

        def gap(log_e):
            """Log probability over one half."""
            m = ALG1.calibrate(epsilon=math.exp(log_e), c=above, split=split)
            return svt.log_probability(m, ordered, outcome, T) - math.log(0.5)

        return math.exp(brentq(gap, -8, 2, xtol=1e-3))

    rows = {}
    for level in (100_000, 50_000, 20_000, 10_000):
        c = int((pages >= level).sum())
        first = needed(level, thirds(c))
        rows[f"c = {c}"] = {"1 : 2c": needed(level, 2.0 * c) / first, "1 : 1": needed(level, 1.0) / first}
    table = pd.DataFrame(rows).T.round(2)
    assert 0.9 < table["1 : 2c"].min() < 1 < table["1 : 2c"].max() < 1.25 and table["1 : 1"].min() > 1.5
    return table
