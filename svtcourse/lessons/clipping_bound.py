"""The figures of *Choosing a clipping bound*, and its table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.chapter.clipping import first_positives
from svtcourse.chapter.tables import load_table
from svtcourse.figures import display, plots

AGE, GAIN = svt.load_adult("age"), svt.load_adult("capital_gain")
STEPS = np.arange(1, 150_000, 5)  # the bounds of the published average
DOUBLE = 2.0 ** np.arange(18)
TENTHS = np.unique(np.ceil(1.1 ** np.arange(126)))
LOWERED = {"above_threshold": 50.0, "alg7": 31.0, "svt_exp": 17.0}  # rows that may stay above, in units of 1/ε
ROWS = {
    "auto_avg": "as published",
    "doubling": "doubling list",
    "tenths": "steps of a tenth",
    "tenths, SVT-Exp, lower": "… bar lowered",
    "tenths, SVT-Exp, lower, centred": "… … centred",
    "histogram, doubling, centred": "histogram",
}
SETTINGS = [(column, epsilon) for column in ("age", "capital_gain") for epsilon in (1.0, 0.1)]


def mean_error(column, b, epsilon):
    """Mean error of the clipped and noisy sum, exactly, and the bound A."""
    bias = float(column.mean() * column.rows - column.clipped_sum(b))
    scale = b / epsilon
    return bias + scale * math.exp(-bias / scale), bias + scale


def two_areas(*, alt):
    """The number of people above an age, with what is cut off and what is noise, for two bounds."""
    ages = [mean_error(AGE, b, 0.1 / 3) for b in range(17, 91)]
    at_79, at_90 = ages[79 - 17], ages[90 - 17]
    assert min(ages) == at_79 and min(a for _, a in ages) == at_90[1]
    assert round(at_90[0] / at_79[0], 1) == 1.1 and AGE.rows_above([79])[0] == 121
    t, height = np.arange(0, 121), 4000
    over = AGE.rows_above(t)
    best = int(t[over <= height][0])
    assert best == 56
    fig, axes = plots.new_figure(columns=2, height=2.5)
    for ax, b in zip(axes, (34, best), strict=True):
        cut, noise = plots.style("alg3").color, plots.style("alg1").color
        ax.fill_between(t, over, where=t >= b, step="post", color=cut, alpha=0.45)
        ax.fill_between([0, b], height, color=noise, alpha=0.45)
        ax.step(t, over, where="post", color="#000000", linewidth=1.5)
        ax.axvline(b, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate("noise", (b / 2, 0.5 * height), ha="center", va="center")
        ax.set_title(f"clipped at b = {b}", fontsize=11)
        ax.set_xlabel("age", fontsize=11)
        ax.set_ylim(0, 34_000)
        ax.yaxis.set_major_formatter("{x:,.0f}")
    axes[0].annotate("cut off", (36, 2_600))
    axes[0].set_ylabel("people above", fontsize=11)
    return display.figure(fig, alt=alt)


def searcher(key, epsilon):
    """A search with this budget; all but the published one have the noise for monotonic queries."""
    return svt.variant(key).calibrate(epsilon=epsilon, monotonic=key != "above_threshold")


def silent(m, answers, threshold=0.0):
    """Probability that all answers are ⊥, exactly."""
    below = "⊥" * len(answers)
    return math.exp(svt.log_probability(m, answers, below, threshold)) if below else 1.0


def early(bounds, epsilon, key="above_threshold", above=0.0):
    """Probability that the search of the capital gains stops below 99,999, exactly."""
    return 1 - silent(searcher(key, epsilon / 3), -GAIN.rows_above(bounds[bounds < 99_999]), -above)


def grid(k, equal):
    """About k bounds up to 150,000, in equal steps or by equal factors."""
    if equal == "steps":
        return np.unique(np.ceil(np.arange(1, k + 1) * 150_000 / k))
    return np.unique(np.ceil(np.geomspace(1, 150_000, k)))


def stops_too_early(*, alt):
    """Probability that the search of the capital gains stops too early, against the length of the list."""
    assert 1.5e-7 < 1 - early(STEPS, 0.1) < 2.5e-7
    assert ((STEPS > 41_310) & (STEPS < 99_999)).sum() == 11_738
    one = searcher("above_threshold", 0.1 / 3)
    assert round(1 - silent(one, [-159.0]), 2) == 0.17 and round(one.query_noise.scale) == 120
    assert GAIN.between(41_311, math.inf) == GAIN.between(99_999, math.inf) == 159
    lists = [np.arange(1, 150, step) for step in (5, 1, 0.05)]
    assert round(silent(one, -AGE.rows_above(lists[0])), 2) == 0.02
    low = [1 - silent(one, -AGE.rows_above(bounds[bounds <= 86])) for bounds in lists]
    assert np.round(low[:2], 2).tolist() == [0.57, 0.91] and round(low[2], 4) == 0.9996
    lengths = [18, 35, 70, 150, 500, 2_000, 8_000, 30_000]
    fig, axes = plots.new_figure(columns=2, height=2.6)
    for ax, equal in zip(axes, ("steps", "factors"), strict=True):
        lists = [grid(k, equal) for k in lengths]
        for epsilon, key in ((0.1, "alg3"), (0.3, "alg4"), (1.0, "alg1")):
            chance = [early(bounds, epsilon) for bounds in lists]
            ax.plot([bounds.size for bounds in lists], chance, label=f"ε = {epsilon}", **plots.style(key).line)
        ax.set_xscale("log")
        ax.set_title(f"equal {equal}", fontsize=11)
        ax.set_xlabel("bounds in the list", fontsize=11)
    axes[0].set_ylabel("stops too early", fontsize=11)
    axes[0].legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def runs_past_the_data(*, alt):
    """Probability that the search passes k bounds that nobody is above, with the bar at 0 and lowered."""
    published, alg1 = (svt.variant(key).calibrate(epsilon=1.0) for key in ("above_threshold", "alg1"))
    assert alg1.threshold_noise == published.threshold_noise and alg1.query_noise == published.query_noise

    def passes(key, k, above=0.0):
        """Probability that k bounds with nobody above them are passed, at ε = 1."""
        return silent(searcher(key, 1 / 3), np.zeros(k), -above)

    ks = np.array([1, 2, 3, 5, 8, 12, 18])
    late = {key: np.array([passes(key, int(k)) for k in ks]) for key in ("above_threshold", "alg7")}
    for key, r in LOWERED.items():
        late[f"{key}: lowered"] = np.array([passes(key, int(k), r) for k in ks])
        assert round(passes(key, 1, r), 2) == 0.01
    assert np.allclose(late["alg7"], 1 / (ks + 1), rtol=1e-8)
    assert all(late["alg7"][1:] > late["above_threshold"][1:])
    power = 4 / ((ks + 1) * (ks + 2))
    assert np.allclose(late["above_threshold"][ks >= 8], power[ks >= 8], rtol=0.01)
    return plots.lines(
        ks,
        late,
        log="y",
        xlabel="bounds above the largest value",
        ylabel="probability to pass them all",
        alt=alt,
    )


def relative_error(column, epsilon, r, rng):
    """Mean error of the average over the mean, with SVT-Exp in steps of a tenth and the bar lowered by r/ε."""
    search, answers = searcher("svt_exp", epsilon / 3), -column.rows_above(TENTHS)
    index = first_positives(search, answers, -r / epsilon, trials=10_000, rng=rng)
    used = np.minimum(index, TENTHS.size - 1)
    total = np.array([column.clipped_sum(b) for b in TENTHS])[used]
    sums = total + rng.laplace(size=used.size) * TENTHS[used] * 3 / epsilon
    rows = column.rows + rng.laplace(size=used.size) * 3 / epsilon
    return float(abs(sums / rows - column.mean()).mean()) / column.mean()


def the_dial(*, alt):
    """Mean error of the average, as a share of the mean, against how far the bar is lowered."""
    dial, errors = [0.0, 2, 5, 10, 17, 24, 32, 45], {}
    for column, epsilon in ((AGE, 0.1), (GAIN, 1.0), (GAIN, 0.1)):
        rng = np.random.default_rng(11)
        name = column.columns[0].replace("_", " ")
        errors[name, epsilon] = [relative_error(column, epsilon, r, rng) for r in dial]
    assert round(159 * 99_999 / (GAIN.mean() * GAIN.rows), 2) == 0.45
    assert errors["age", 0.1][0] > 3 * errors["age", 0.1][4]
    assert errors["capital gain", 0.1][0] < errors["capital gain", 0.1][4]
    fig, (ax,) = plots.new_figure(height=2.6)
    for ((name, epsilon), line), key in zip(errors.items(), ("alg1", "alg2", "alg3"), strict=True):
        ax.plot(dial, line, label=f"{name}, ε = {epsilon:g}", **plots.style(key).line)
    ax.axvline(LOWERED["svt_exp"], color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    ax.set_yscale("log")
    plots.name_axes(ax, "bar lowered by r, in units of 1/ε", "mean error / mean")
    ax.legend(frameon=False, fontsize=10, loc="center right", bbox_to_anchor=(1, 0.55))
    return display.figure(fig, alt=alt)


def six_searches():
    """Mean errors of the average with six ways to find the bound, and how often the SVTs stop too early."""
    table = load_table("clipping-100000").set_index(["search", "column", "epsilon"])
    error = {name: np.array([table.error[name, *at] for at in SETTINGS]) for name in table.index.unique("search")}
    _hold_the_prose(error)
    sensitive = svt.Workload(range(121), {"centred sum": lambda x: min(x, 90) - 45})
    assert [sensitive.sensitivity(way).one for way in ("add/remove", "replace")] == [45, 90]
    shown = pd.DataFrame(
        [error[name] for name in ROWS],
        columns=[f"{column.split('_')[-1]}, {epsilon:g}" for column, epsilon in SETTINGS],
        index=list(ROWS.values()),
    )
    shown["bias"] = [table.bias[name, "capital_gain", 0.1] for name in ROWS]
    lowered = early(TENTHS, 0.1, "svt_exp", 10 * LOWERED["svt_exp"])
    shown["too early"] = [early(STEPS, 0.1), early(DOUBLE, 0.1), early(TENTHS, 0.1), lowered, lowered, math.nan]
    forms = ["{:.3f}"] * 2 + ["{:,.1f}"] * 2 + ["{:,.0f}", "{:.3f}"]
    for name, form in zip(shown, forms, strict=True):
        shown[name] = [form.format(x) if x == x else "—" for x in shown[name]]
    return shown


def _hold_the_prose(error):
    """What the chapter says about the errors of the searches."""
    published, doubling, _, lowered, centred, histogram = (error[name] for name in ROWS)
    chosen = error["exponential mechanism, tenths, centred"]
    assert all(centred < 0.9 * published) and all(abs(np.log(histogram / centred)) < math.log(1.5))
    assert all(lowered[:2] > published[:2]) and lowered[3] < 0.8 * published[3]
    assert abs(centred[3] / lowered[3] - 1) < 0.01 and all(lowered[:3] / centred[:3] > published[:3] / lowered[:3])
    assert np.round(doubling[:2] / published[:2]).tolist() == [50, 50] and doubling[3] == min(error[n][3] for n in ROWS)
    assert np.round([error["tenths"][1], error["tenths, Alg. 7"][1]], 2).tolist() == [0.23, 2.18]
    assert round(chosen[3]) == 253 and np.round(chosen[:2], 1).tolist() == [1.4, 13.2]
    assert all(chosen[3] < line[3] for name, line in error.items() if "lower" in name)
    assert all(chosen[k] == max(line[k] for line in error.values()) for k in (0, 1))
