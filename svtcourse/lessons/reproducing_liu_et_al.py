"""The figures of *Reproducing Liu et al.*, and its tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.chapter.whole_sets import draw_sets, one_shot
from svtcourse.figures import display, plots
from svtcourse.lessons.liu_runs import BEST, LAP, MEAN, NONE, SETTINGS, ahead, cells, scores
from svtcourse.lessons.table3 import label

LOOKS = {
    BEST: ("svt_exp", "-"),
    MEAN: ("svt_exp", "--"),
    NONE: ("svt_exp", ":"),
    LAP: ("alg7", "--"),
    "Lap (run)": ("alg7", "none"),
    "EM": ("laplace_all", ":"),
}


def panel(ax, title, methods, marks=True):
    """NCR against ε for some methods on one dataset."""
    table = cells()
    for method in methods:
        key, dash = LOOKS[method]
        look = plots.style(key)
        ring = {"mfc": "none", "markersize": 9} if dash == "none" else {"markersize": 4}
        line = table.loc[title, method]
        ax.plot(line.index, line, linestyle=dash, color=look.color, marker=look.marker if marks else None, **ring)
    ax.set(xscale="log", ylim=(-0.03, 1.05))
    ax.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    ax.minorticks_off()
    ax.set_title(label(title), fontsize=11)


def legend(fig, methods, names=None, marks=True):
    """One legend below all panels."""
    for method in methods:
        key, dash = LOOKS[method]
        look = plots.style(key)
        ring = {"mfc": "none"} if dash == "none" else {}
        line = {"linestyle": dash, "color": look.color, "marker": look.marker if marks else None, **ring}
        fig.axes[0].plot([], [], label=(names or {}).get(method, method), **line)
    handles = fig.axes[0].get_legend_handles_labels()
    fig.legend(*handles, loc="outside lower center", ncols=2, frameon=False, fontsize=10)


def two_panels(*, alt):
    """Zipf and Kosarak, with rings for corrected Laplace noise."""
    shown = [BEST, MEAN, LAP, "Lap (run)"]
    fig, axes = plots.new_figure(columns=2, height=3.9)
    for ax, title in zip(axes, ("Zipf", "Kosarak"), strict=True):
        panel(ax, title, shown)
        ax.set_xlabel("ε")
    axes[0].set_ylabel("NCR", fontsize=11)
    legend(fig, shown, {"Lap (run)": "Laplace, threshold corrected"})
    return display.figure(fig, alt=alt)


def same_as_simulated(appended, noises):
    """Check that the loop of the page has the law of the simulation behind the tables."""
    few, weight = [9.0, 7.0, 5.0, 5.0, 3.0, 0.0, 0.0, 0.0], {9.0: 2, 7.0: 1}
    for key, noise in noises.items():
        m, rng = svt.variant(key).calibrate(epsilon=2.0, c=2), np.random.default_rng(4)
        scales = m.threshold_noise.scale, m.query_noise.scale
        runs = [appended(few, 6.0, 6.0, *scales, 2, rng, noise) for _ in range(3000)]
        loop = np.array([sum(weight.get(few[i], 0) for i in chosen) / 3 for chosen in runs])
        again = svt.simulate(m, few, 12.0, trials=20_000, rng=np.random.default_rng(5), passes=math.inf)
        engine = again.ncr()
        error = math.hypot(loop.std() / math.sqrt(3000), engine.std() / math.sqrt(20_000))
        assert abs(loop.mean() - engine.mean()) < 4.5 * error


def six_lists(*, alt):
    """Scores of the six datasets against their rank, with a dot at the threshold."""
    fig, (ax,) = plots.new_figure(height=3.2)
    found = []
    for k, (title, (_, T, _)) in enumerate(SETTINGS.items(), 1):
        data = scores(title)
        last = np.cumsum(data.count)
        keep = np.unique(np.geomspace(1, (data.support > 0).sum(), 30).astype(int)) - 1
        ranks = np.column_stack([last - data.count + 1, last])[keep].ravel()
        color, dash = plots.style(f"alg{k}").color, ("-", "--", "-.", ":")[(k - 1) % 4]
        ax.plot(ranks, np.repeat(data.support[keep], 2), dash, color=color, linewidth=1.6, label=label(title))
        ax.plot(data.above(T), T, "o", color=color, markersize=6)
        found.append(data.above(T))
    assert found == [50, 50, 49, 50, 50, 81]
    ax.set(xscale="log", yscale="log", xlabel="rank of the item", ylabel="score")
    ax.legend(frameon=False, fontsize=9, loc="upper right")
    return display.figure(fig, alt=alt)


def six_panels(*, alt):
    """Figure 7 on all six datasets."""
    fig, axes = plots.new_figure(columns=3, rows=2, height=4.6)
    shown = [BEST, MEAN, NONE, LAP, "EM"]
    for ax, title in zip(axes, SETTINGS, strict=True):
        panel(ax, title, shown, marks=False)
    for ax in axes[3:]:
        ax.set_xlabel("ε")
    for ax in axes[::3]:
        ax.set_ylabel("NCR", fontsize=11)
    legend(fig, shown, {"EM": "exponential mechanism"}, marks=False)
    return display.figure(fig, alt=alt)


def ingredients():
    """NCR as one ingredient after the other is put in or left out."""
    parts = {
        "SVT-Lap": LAP,
        "+ exponential noise, mean correction": MEAN,
        "+ high correction": BEST,
        "the correction for the run instead": "SVT-Exp (run)",
        "− exponential noise": "Lap (run)",
        "the exponential mechanism": "EM",
    }
    assert ahead("SVT-Exp (run)", "Lap (run)")[0].abs().max() < 0.02 and ahead(BEST, "EM")[1].max() < 4
    smallest = cells().loc[("Kosarak", 0.01)].round(2)
    assert smallest["upper bound"] == 1 and smallest.drop("upper bound").max() == smallest["EM"] == 0.33
    table = cells().loc[[("Zipf", 1.0), ("Binary", 1.0), ("Kosarak", 0.05)], list(parts.values())].T
    table.index = list(parts)
    rng, c = np.random.default_rng(190), 50
    rivals = {"exponential noise in one shot": (one_shot, 2 * c), "a whole set at once": (draw_sets, 4)}
    for name, (draw, factor) in rivals.items():
        runs = [draw(scores(title), c, scale=factor / e, trials=1000, rng=rng) for title, e in table.columns]
        table.loc[name] = [run.ncr().mean() for run in runs]
    assert (table.loc["exponential noise in one shot"] > table.loc["the exponential mechanism"]).all()
    return table.round(2)


def by_passes(*, alt):
    """NCR at ε = 0.1 against the number of passes, on three datasets."""
    fig, axes = plots.new_figure(columns=3, height=3.4)
    counts, shown = [1, 2, 3, 5, 10], [BEST, MEAN, LAP]
    for ax, title in zip(axes, ("T40I10D100K", "BMS-POS", "Kosarak"), strict=True):
        for method in shown:
            key, dash = LOOKS[method]
            line = [cells(passes=n).loc[(title, 0.1), method] for n in counts]
            ax.plot(counts, line, dash, color=plots.style(key).color, marker=plots.style(key).marker)
        ax.set_title(label(title), fontsize=11)
        ax.set(xscale="log", xlabel="passes")
        ax.set_xticks([1, 2, 5, 10], ["1", "2", "5", "10"])
        ax.minorticks_off()
    axes[0].set_ylabel("NCR at ε = 0.1", fontsize=11)
    legend(fig, shown)
    return display.figure(fig, alt=alt)


def noise_by_passes():
    """NCR of the two noises on one list, each with the correction for the run, after so many passes."""
    counts = {"1": 1, "2": 2, "3": 3, "5": 5, "all": math.inf}
    lead = {name: ahead("SVT-Exp (run)", "Lap (run)", n)[0][("T40I10D100K", 0.1)] for name, n in counts.items()}
    assert lead["1"] > 0.025 and max(map(abs, list(lead.values())[2:])) < 0.005
    ways = {"exponential noise": "SVT-Exp (run)", "Laplace noise": "Lap (run)"}
    rows = {name: cells(passes=n).loc[("T40I10D100K", 0.1), list(ways.values())] for name, n in counts.items()}
    return pd.DataFrame(rows).set_axis(list(ways)).rename_axis(columns="passes").round(2)


def passes_needed():
    """Median number of passes of SVT-Exp (optimal) until c are found, to one digit, from 200 runs."""

    def median(title, epsilon):
        """Given the noisy threshold each item waits a geometric number of passes."""
        _, T, c = SETTINGS[title]
        m, data, rng = svt.variant("svt_exp").calibrate(epsilon=epsilon, c=c), scores(title), np.random.default_rng(21)
        r = svt.threshold_correction(m, data.items // c, joint=False)
        items, waits = np.repeat(data.support, data.count), []
        for rho in m.threshold_noise.sample(rng, 200):
            p = np.exp(m.query_noise.log_at_least(T + r + rho - items))
            waits.append(np.partition(rng.geometric(np.maximum(p, 1e-12)), c - 1)[c - 1])
        return int(float(f"{np.median(waits):.1g}"))

    titles = ("T40I10D100K", "BMS-POS", "Kosarak")
    table = pd.DataFrame({f"ε = {e:g}": {t: median(t, e) for t in titles} for e in (0.05, 0.1)})
    assert table.loc["Kosarak", "ε = 0.1"] > 100
    return table
