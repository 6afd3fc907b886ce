"""The figures of *Reproducing Lyu, Su & Li*, with the counts behind its sentences."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binomtest

from svtcourse.chapter import experiments
from svtcourse.chapter.tables import load_table
from svtcourse.chapter.whole_sets import expected_ser, one_shot
from svtcourse.figures import display, plots
from svtcourse.lessons.table3 import NAMES, PLACE, RETR, by_method, cells, label, scores, z

MARKS = {"BMS-POS": ("o", "alg1"), "Kosarak": ("s", "alg2"), "AOL": ("^", "laplace_all"), "Zipf": ("D", "abs_value")}


def two_lines(*, alt):
    """Printed means of SVT-S-1:c on AOL at ε = 0.5, with two standard errors, and the expectations of both readings."""
    where = "dataset == 'AOL' and epsilon == 0.5 and method == 'SVT-S-1:c'"
    printed = load_table("table3-published").query(where).sort_values("c")
    exact = experiments.expected(["AOL"], [0.5], list(printed.c), ["SVT-S-1:c"], n_jobs=1)
    theirs, error = printed.ser_mean.to_numpy(), printed.ser_std.to_numpy() / 10 + 0.0005
    assert (abs(theirs - exact.ser) < 4 * error).all() and abs(theirs[1] - exact.ser_of_selected[1]) > 8 * error[1]
    fig, (ax,) = plots.new_figure(height=3.2)
    for name, values, key, dash in (("A", exact.ser, "alg7", "-"), ("B", exact.ser_of_selected, "alg3", "--")):
        ax.plot(exact.c, values, dash, color=plots.style(key).color, label=f"line {name}")
    ax.errorbar(printed.c, theirs, yerr=2 * error, fmt="o", color="#000000", markersize=5, label="printed")
    ax.set(xlabel="c", ylabel="SER")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def all_cells(*, alt):
    """The z of all 240 printed means, a row of dots for each method."""
    table = cells()
    beyond = {(r.dataset, r.epsilon, r.c, r.method): round(r.z, 1) for r in table[abs(table.z) > 4].itertuples()}
    assert beyond == {("Kosarak", 0.5, 50, "SVT-S-1:1"): 5.0, ("BMS-POS", 0.1, 50, "SVT-ReTr-1:1"): 4.2}
    fig, (ax,) = plots.new_figure(height=3.5)
    order = {name: place for place, name in enumerate(reversed(NAMES))}
    for shift, title in zip((0.2, 0.0, -0.2), list(MARKS)[:3], strict=True):
        rows, (mark, key) = table[table.dataset == title], MARKS[title]
        heights = [order[name] + shift for name in rows.method]
        ax.plot(rows.z, heights, mark, color=plots.style(key).color, markersize=4, label=label(title))
    ax.axvspan(-4, 4, color="#000000", alpha=0.06, linewidth=0)
    ax.axvline(0, color="#000000", linewidth=0.8)
    ax.set_yticks(list(order.values()), [name.removeprefix("SVT-") for name in order])
    ax.set_xlabel("z of the printed mean")
    fig.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def all_p_values(*, alt):
    """All 480 p-values, sorted, for the printed numbers and for 100 runs of our own."""
    both = cells().merge(load_table("table3-pvalues"), on=PLACE)
    kinds = {"theirs": ["p_mean", "p_std"], "our 100 runs": ["own_p_mean", "own_p_std"]}
    small = {k: [int((both[c] < p).to_numpy().sum()) for p in (0.05, 0.01, 0.001)] for k, c in kinds.items()}
    assert small == {"theirs": [29, 8, 3], "our 100 runs": [8, 1, 0]}
    theirs, own = ((both[columns] < 0.05).any(axis=1) for columns in kinds.values())
    only = int((theirs & ~own).sum()), int((own & ~theirs).sum())
    assert only == (19, 5) and binomtest(only[0], sum(only)).pvalue < 0.01
    least = both[kinds["theirs"]].to_numpy().min()
    assert round(480 * least, 2) == 0.08 and round(1 - math.exp(-0.48) * 1.48, 4) == 0.0842
    top = scores("Kosarak").top(50)
    assert 0.45 < top[:3].sum() / top.sum() < 0.5
    fig, axes = plots.new_figure(columns=2, height=3.9)
    for ax, (whose, columns) in zip(axes, kinds.items(), strict=True):
        for title, dash in {"Kosarak": "-", "AOL": "--", "BMS-POS": ":"}.items():
            p = np.sort(both.loc[both.dataset == title, columns].to_numpy().ravel())
            color = plots.style(MARKS[title][1]).color
            rank = np.arange(1, p.size + 1) / (p.size + 1)
            ax.plot(rank, p, linestyle=dash, linewidth=1.8, color=color, label=label(title))
        ax.plot([0.005, 1], [0.005, 1], color="#000000", linewidth=0.8)
        ax.set(xscale="log", yscale="log", xlabel="rank / 161")
        ax.set_title(whose, fontsize=11)
    axes[0].set_ylabel("p-value", fontsize=11)
    handles = axes[0].get_legend_handles_labels()
    fig.legend(*handles, loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def two_readings():
    """How the printed cells of the interactive methods agree with either reading of SER."""
    both = cells().merge(load_table("readings-1000"), on=PLACE, suffixes=("", "_read"))
    both = both[both.reading == "by selected"]
    both = both.assign(z_read=z(both, "ser_mean_read", "ser_std_read", 1000))
    both = both.assign(sd=both.ser_std / both.ser_std_printed, sd_read=both.ser_std_read / both.ser_std_printed)
    columns = {
        "cells": ("fewer", "size"),
        "Pr[fewer than c]": ("fewer", "mean"),
        "|z| ≤ 4, divided by c": ("z", lambda x: (abs(x) <= 4).sum()),
        "|z| ≤ 4, by |S|": ("z_read", lambda x: (abs(x) <= 4).sum()),
        "median sd, ours / theirs, by c": ("sd", "median"),
        "by |S|": ("sd_read", "median"),
    }
    return both.groupby("method", sort=False).agg(**columns).round(2)


def five_suspects(*, alt):
    """SER of SVT-DPBook, of Alg. 1, and of either with one noise changed."""
    names = ["SVT-DPBook", "threshold noise divided by c", "query noise halved"]
    names += ["Alg. 1, not halved", "Alg. 1, halved = SVT-S-1:1"]
    ser = load_table("suspects-1000").set_index(["dataset", "epsilon", "c", "mechanism"]).sort_index()
    ser = ser.ser_mean.unstack("mechanism")[names]
    settings = [("Kosarak", 0.1, 50), ("AOL", 0.5, 150)]
    assert ser.loc[settings[0]].round(2).tolist() == [0.69, 0.72, 0.09, 0.72, 0.06]
    fig, axes = plots.new_figure(columns=2, height=2.8)
    for ax, setting in zip(axes, settings, strict=True):
        for height, name in enumerate(reversed(names)):
            value, halved = ser.loc[setting, name], "halved" in name and "not" not in name
            color = plots.style("alg1" if name.startswith("Alg") else "alg2").color
            ax.barh(height, value, 0.6, facecolor=color if halved else "none", edgecolor=color, linewidth=1.5)
            ax.annotate(f"{value:.2f}", (value, height), xytext=(3, 0), textcoords="offset points", va="center")
        ax.set_title(f"{setting[0]}, c = {setting[2]}", fontsize=11)
        ax.set_xlim(0, 0.95)
        ax.set_xlabel("SER")
    axes[0].set_yticks(range(5), [name.partition(" =")[0] for name in reversed(names)])
    return display.figure(fig, alt=alt)


def less_than_em(*, alt):
    """SER of re-traversal at each increment less that of the exponential mechanism, with two standard errors."""
    mean, spread = by_method(interactive=False), by_method(interactive=False, column="ser_std")
    less = mean.drop(columns="EM").sub(mean["EM"], axis=0)
    error = np.sqrt((spread.drop(columns="EM") ** 2).add(spread["EM"] ** 2, axis=0) / 1000)
    high = [f"{RETR} 4D", f"{RETR} 5D"]
    assert less[high].to_numpy().max() < 0.025 and (less[high] / error[high]).to_numpy().min() > 2
    ahead = less[f"{RETR} 2D"] / error[f"{RETR} 2D"]
    assert list(ahead.index[ahead < -4]) == [("BMS-POS", c) for c in (225, 250, 275, 300)]
    bms, rng = scores("BMS-POS"), np.random.default_rng(191)
    sets = {c: expected_ser(bms, c, epsilon=0.1) for c in range(25, 301, 25)}
    late = range(200, 301, 25)  # exponential noise, ε = 0.1
    once = {c: one_shot(bms, c, scale=10 * c, trials=400, rng=rng).ser().mean() for c in late}
    assert abs(once[300] - 0.115) < 0.002 and abs(mean.loc[("BMS-POS", 300), "EM"] - 0.140) < 0.001
    assert round(sets[300], 3) == 0.137 and max(sets[c] for c in sets if c <= 175) < 1e-4
    assert all(sets[c] > once[c] + 0.01 for c in late)
    fig, axes = plots.new_figure(columns=2, height=4.2)
    colors = [plots.style(key).color for key in ("alg2", "alg1", "laplace_all", "abs_value", "alg7")]
    for ax, title in zip(axes, ("BMS-POS", "Kosarak"), strict=True):
        for k, (color, dash) in enumerate(zip(colors, (":", "--", "-.", ":", "--"), strict=True), 1):
            line, name = less.loc[title, f"{RETR} {k}D"], f"SVT-ReTr {k}D"
            look = {"color": color, "linestyle": dash, "linewidth": 1.4, "label": name}
            ax.errorbar(line.index, line, yerr=2 * error.loc[title, f"{RETR} {k}D"], **look)
        ax.axhline(0, color="#000000", linewidth=0.8)
        ax.set_title(label(title), fontsize=11)
        ax.set_xlabel("c", fontsize=11)
        ax.set_yscale("symlog", linthresh=0.005)
    axes[0].set_ylabel("SER less that of EM", fontsize=11)
    handles = axes[0].get_legend_handles_labels()
    fig.legend(*handles, loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def public_thresholds(*, alt):
    """SER at c = 100 against a public threshold, beside the threshold computed from the data."""
    table = load_table("public-thresholds").set_index(["c", "dataset", "fraction"]).loc[100]
    records = experiments.table1().set_index("dataset").records
    fractions = [f for f in table.index.unique("fraction") if f != "from the data"]
    fig, axes = plots.new_figure(columns=2, height=3.9)
    for ax, column, what in zip(axes, ("ser", "again_mean"), ("one pass", "re-traversal"), strict=True):
        for title, (mark, key) in MARKS.items():
            line, look = table.loc[title], {"color": plots.style(key).color, "marker": mark}
            percent = [100 * float(f) for f in fractions]
            ax.plot(percent, line.loc[fractions, column], markersize=5, label=label(title), **look)
            own = line.loc["from the data"]
            at = 100 * own.threshold / records[title]
            ax.plot(at, own[column], markersize=9, markerfacecolor="none", linestyle="none", **look)
        ax.set(xscale="log", xlabel="T, per cent of the records")
        ax.set_title(what, fontsize=11)
    axes[0].set_ylabel("SER", fontsize=11)
    handles = axes[0].get_legend_handles_labels()
    fig.legend(*handles, loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def without_the_rounding():
    """Cells that would be excluded if the rounding of the printed mean were left out of z."""
    table = cells().assign(naive=lambda t: (t.ser_mean_printed - t.ser_mean) / (t.ser_std * math.sqrt(0.0101)))
    em = table[(table.method == "EM") & (table.dataset == "Kosarak") & (table.epsilon == 0.5)].set_index("c")
    assert em.ser_mean_printed[100] == em.ser_std_printed[100] == 0
    assert (round(em.ser_mean[100], 5), round(em.ser_std[100], 5)) == (0.00023, 0.00016)
    assert [round(x, 1) for x in em.naive[:2]] == [-1.2, -14.3]
    hit = table[(abs(table.naive) > 4) & (abs(table.z) <= 4)].replace({"dataset": {"BMS-POS": label("BMS-POS")}})
    return hit[[*PLACE, "ser_mean_printed", "ser_mean", "ser_std", "naive", "z"]].round(5)
