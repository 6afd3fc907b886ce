"""The figures and tables of chapter 1, and what guards the numbers in its prose."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.chapter import accuracy
from svtcourse.figures import display, plots
from svtcourse.lessons import shared

T = 60_000
BETA = 0.05


def one_run(*, alt):
    """One run of Alg. 7 on thirty pages, all of it right."""
    some = np.random.default_rng(8).permutation(svt.load_scores("kosarak").top(36)[6:])
    teaser = svt.variant("alg7").calibrate(epsilon=0.003, c=4, monotonic=True, split=1.0, epsilon3=0.001)
    shown = svt.run(teaser, some, T, rng=np.random.default_rng(34))
    assert shown.positives.tolist() == np.flatnonzero(some >= T).tolist()
    assert shown.stopped and shown.length < some.size
    return shared.run_on_pages(shown, some, T, "alg7", alt=alt)


def top_pages(visits, noisy, run, *, alt):
    """The thirty most visited pages, with noise on every count and as Alg. 7 releases them."""
    top = np.argsort(-visits)[:30]
    ranks = np.arange(1, top.size + 1)
    fig, (ax,) = plots.new_figure(height=3.6)
    ax.plot(ranks, visits[top], "o", color="#000000", markersize=5, label="true count")
    grey, blue = plots.style("laplace_all").color, plots.style("alg7").color
    ax.plot(ranks, noisy[top], "s", color=grey, mfc="none", label="noise n/ε on each")
    found = dict(zip(run.positives.tolist(), run.released, strict=True))
    said = [(r, found[page]) for r, page in zip(ranks, top, strict=True) if page in found]
    ax.plot(*zip(*said, strict=True), "h", color=blue, mfc="none", markersize=12, label="Alg. 7")
    ax.axhline(T, color="#000000", linewidth=1.2, linestyle=(0, (4, 3)))
    ax.set_yscale("symlog", linthresh=20_000)
    ax.set_yticks([-1e6, -1e5, 0, 2e4, 1e5, 1e6], ["−1 million", "−100,000", "0", "20,000", "100,000", "1 million"])
    ax.set_ylim(-2e6, 2e6)
    ax.set(xlabel="rank of the page", ylabel="sessions")
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(-0.1, 1))
    return display.figure(fig, alt=alt)


def errors_of_laplace(answers, threshold, scale, seed):
    """Wrong sides, and the largest error among the answers that come out above the threshold."""
    noisy = answers + np.random.default_rng(seed).laplace(0, scale, answers.size)
    shown = noisy >= threshold
    return (shown != (answers >= threshold)).sum(), np.abs(noisy - answers)[shown].max(initial=0)


def errors_of_svt(mechanism, answers, threshold, seed):
    """The same for an SVT that releases numbers."""
    run = svt.run(mechanism, answers, threshold, rng=np.random.default_rng(seed))
    wrong = set(run.positives) ^ set(np.flatnonzero(answers >= threshold))
    return len(wrong), np.abs(run.released - answers[run.positives]).max(initial=0)


def three_ways(visits, mechanism):
    """Mean errors of a hundred runs: noise on all, sessions cut, and the technique."""
    n, epsilon, pages = visits.size, mechanism.epsilon, svt.Workload.subsets(visits.size)
    most = {f"Laplace, all {n:,} pages of a session count": n}
    most |= {f"Laplace, its first {m:,} asked pages count": m for m in (1000, 100)}
    together = {name: pages.subsets(n, at_most=m).sensitivity().together for name, m in most.items()}
    assert list(together.values()) == [n, 1000, 100]
    ways = {
        name: [errors_of_laplace(visits, T, moved / epsilon, s) for s in range(100)] for name, moved in together.items()
    }
    ways[f"Alg. 7, c = {mechanism.c}"] = [errors_of_svt(mechanism, visits, T, s) for s in range(100)]
    means = {name: np.mean(runs, axis=0) for name, runs in ways.items()}
    (wrong_all, _), (wrong_thousand, _), (wrong_hundred, hundred), (wrong, technique) = means.values()
    assert wrong_all > 0.4 * n and wrong_thousand > 10 and max(wrong_hundred, wrong) < 1
    assert technique < hundred < 2 * technique
    table = pd.DataFrame(means, index=["wrong sides", "largest error of a released count"]).T
    return table.round(0).astype(int)


def bounds(*, alt):
    """The error bounds of Laplace noise on all answers, on records that are cut, and of the technique."""
    n_values = np.array([2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000])
    series = {"laplace_all": [accuracy.alpha_laplace(int(n), 1.0, BETA) for n in n_values]}
    cut = n_values >= 100
    series["laplace_all: cut to 100"] = np.where(cut, 100 * np.log(n_values / BETA), np.nan)
    series |= {f"alg7: c = {c}": 6 * c * np.log(3 * n_values / BETA) for c in (1, 10, 100)}
    return plots.lines(
        n_values, series, log="xy", xlabel="number of queries n", ylabel="error bound α at ε = 1", alt=alt
    )


def cohort():
    """252 wishes in random order, the patients that are possible, and 6,000 synthetic ones, counted."""
    rng, size = np.random.default_rng(59003), 6000
    ages = ["20s", "30s", "40s", "50s", "60s", "70s"]
    conditions = ["asthma", "cancer", "diabetes", "heart", "none", "stroke"]
    columns = {
        "sex": rng.choice(["female", "male"], size),
        "age": rng.choice(ages, size, p=[0.10, 0.13, 0.16, 0.19, 0.21, 0.21]),
        "condition": rng.choice(conditions, size, p=[0.1, 0.14, 0.15, 0.12, 0.41, 0.08]),
        "admitted": rng.choice(["surgery", "emergency", "never"], size, p=[0.2, 0.25, 0.55]),
    }
    values = [sorted(set(column.tolist())) for column in columns.values()]
    others = list(itertools.product([None, *values[0]], [None, *values[1]], [None, "surgery"]))
    wanted = [(sex, age, what, where) for what in values[2] for sex, age, where in others]
    wishes = [wanted[i] for i in rng.permutation(len(wanted))]
    return wishes, list(itertools.product(*values)), pd.DataFrame(columns).value_counts()


def cohort_errors(groups, people, *, alt):
    """Mean errors on the cohort questions: noise for n, the technique, noise for what a patient changes."""

    def means(neighbours):
        """Mean errors of a hundred runs of each way."""
        one_patient = groups.sensitivity(neighbours=neighbours)
        technique = svt.variant("alg7").calibrate(
            epsilon=1.0, c=int((people >= 200).sum()), monotonic=one_patient.monotonic, epsilon3=0.5
        )
        runs = {
            "Laplace, scale\n100/ε (lecture)": [errors_of_laplace(people, 200, 100, s) for s in range(100)],
            f"Alg. 7,\nc = {technique.c}": [errors_of_svt(technique, people, 200, s) for s in range(100)],
            f"Laplace,\nscale {one_patient.together}/ε": [
                errors_of_laplace(people, 200, one_patient.together, s) for s in range(100)
            ],
        }
        return {name: np.mean(found, axis=0) for name, found in runs.items()}

    lecture, technique, joint = means("replace").values()
    assert groups.sensitivity("replace").together == 13
    assert round(technique[1] / joint[1], 1) == 2.3 and technique[0] > 10 * joint[0]
    ways = means("add/remove")
    lecture, technique, joint = ways.values()
    assert (joint < technique / 4).all() and (technique < lecture / 2).all()
    fig, axes = plots.new_figure(columns=2, height=3.0)
    titles = ("wrong sides of 100", "largest error of a count")
    for ax, title, values in zip(axes, titles, np.array(list(ways.values())).T, strict=True):
        for place, (key, value) in enumerate(zip(("laplace_all", "alg7", "laplace_all"), values, strict=True)):
            height = value / values.max()
            ax.bar(place, height, width=0.6, color=plots.style(key).color)
            label = f"{value:.1f}" if value < 100 else f"{value:.0f}"
            ax.annotate(label, (place, height), xytext=(0, 3), textcoords="offset points", ha="center")
        ax.set_title(title, fontsize=11)
        ax.set_xticks(range(3), list(ways), fontsize=8)
        ax.set_yticks([])
        ax.set_ylim(0, 1.15)
        ax.grid(False)
    return display.figure(fig, alt=alt)


def failure(n, c, alpha, epsilon):
    """Probability that Alg. 7 in thirds is not α-accurate on the worst of all lists with at most c above T - α.

    Given the threshold noise, a query is least likely to be answered rightly at T + α, among those above T - α, and at
    T - α among the others; the others come first, because after the c-th ⊤ they are not asked any more.
    """
    m = svt.variant("alg7").calibrate(epsilon=2 * epsilon / 3, c=c, monotonic=True, split=1.0)
    number = -math.expm1(-epsilon * alpha / (3 * c))  # a released number is off by at most α
    lists = (([-alpha] * (n - j) + [alpha] * j, [False] * (n - j) + [True] * j) for j in range(c + 1))
    return 1 - min(math.exp(svt.log_probability(m, answers, said)) * number ** sum(said) for answers, said in lists)
