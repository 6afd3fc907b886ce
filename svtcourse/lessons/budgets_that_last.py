"""The figures of *Budgets that last*: what a budget for each person keeps, and a service whose power is cut."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.stats import binom, norm

import svtlib as svt
from svtcourse.figures import display, plots
from svtcourse.lessons.gaps_gaussians_renyi import gaussian_sigma
from svtcourse.lessons.range_queries_and_cohorts import BLUE, ORANGE, C, T, ask_for_a_day
from svtlib.select.scores import Scores

__all__ = ["C", "T", "cut_and_restart", "left_out", "order_of_steps", "spent", "ten_years"]

SCALE, PER_DAY = 24.0, 400  # the noise of by_person; small topics a day
SMALL, LARGE, PEOPLE = 40, 400, 80_000


def ten_years(*, alt):
    """Mean of the share of large topics found and of small ones left, against the number of days."""
    days = np.array([10, 30, 100, 365, 1000, 3650])
    daily = (PER_DAY * SMALL + LARGE) / PEOPLE  # topics that one person is in

    def balanced(law_of_large, law_of_small):
        """Mean of the chance that a large topic passes 200 and that a small one does not."""
        return (law_of_large + law_of_small) / 2

    def with_laplace(scale, large=LARGE):
        """For counts with Laplace noise; the large ones may have lost people."""
        noise = svt.Laplace(scale)
        found = np.exp(noise.log_at_least(200.0 - np.atleast_1d(large))).mean()
        return balanced(found, math.exp(noise.log_less(200.0 - SMALL)))

    def capped(d):
        """Each person counted in the first m topics only, the best m."""
        day = np.linspace(0, d, 40)
        caps = np.unique(np.geomspace(1, 2 * daily * d + 4, 40).astype(int))
        return max(with_laplace(m, LARGE * binom.cdf(m - 1, day.astype(int), min(1.0, daily))) for m in caps.tolist())

    def one_run(d):
        """Alg. 7 with c = the number of large topics, a run in random order."""
        m = svt.variant("alg7").calibrate(epsilon=1.0, c=d, monotonic=True)
        topics = Scores([float(LARGE), float(SMALL)], [d, PER_DAY * d], "exact", "made up")
        runs = svt.simulate(m, topics, 200.0, trials=40, rng=np.random.default_rng(18))
        large, small = runs.total([1.0, 0.0]).mean(), runs.total([0.0, 1.0]).mean()
        return balanced(large / d, 1 - small / (PER_DAY * d))

    def gaussian(d):
        """Gaussian noise on all counts; a person is in one topic a day at most."""
        sigma = gaussian_sigma() * math.sqrt(d)
        return balanced(norm.sf(200 - LARGE, scale=sigma), norm.cdf(200 - SMALL, scale=sigma))

    shares = {
        "alg7": [one_run(int(d)) for d in days],
        "laplace_all: first m topics": [capped(int(d)) for d in days],
        "gaussian: on all": [gaussian(int(d)) for d in days],
        "by_person": [with_laplace(SCALE)] * days.size,
    }
    year, cap, person = 3, shares["laplace_all: first m topics"], shares["by_person"][0]
    assert person > 0.999 and cap[1] > person > cap[year] + 0.02 and cap[-1] < 0.7
    assert shares["gaussian: on all"][year] > 0.95 > shares["gaussian: on all"][-1]
    return plots.lines(days, shares, log="x", xlabel="days", ylabel="mean share of right answers", alt=alt)


def left_out(*, alt):
    """Large topics found and people still counted, when 80,000 people go on for four years with two positives each."""
    rng, charges, days = np.random.default_rng(26), np.zeros(PEOPLE, dtype=int), 1440
    found, counted = np.zeros(days), np.zeros(days)
    for day in range(days):
        readers = rng.choice(PEOPLE, LARGE, replace=False)
        counted[day] = (charges < 2).mean()
        count = (charges[readers] < 2).sum()
        found[day] = count + rng.laplace(0, SCALE) >= 200
        charges[readers] += int(found[day])
    months = np.arange(0, days, 60)
    share = [found[month : month + 60].mean() for month in months]
    half = int(np.argmax(counted < 0.5))
    assert min(share[:3]) > 0.95 and 300 < half < 450 and max(share[12:]) < 0.2
    series = {"by_person: topics found": share, "by_person: people counted": counted[months]}
    return plots.lines(months, series, xlabel="days", ylabel="share", alt=alt)


def order_of_steps(*, alt):
    """What a question does one after the other, and what a restart assumes after a cut in each part."""
    steps = ["question\nwritten", "noise drawn,\ncompared", "answer\nwritten", "answer\ngiven out"]
    assumed = ["not asked", "a number: 0.05 paid", "a number: 0.05 paid", "what was said", "what was said"]
    fig, (ax,) = plots.new_figure(height=2.2)
    ax.plot([-0.9, len(steps) - 0.1], [0, 0], color="#000000", linewidth=1)
    for place, step in enumerate(steps):
        ax.plot([place], [0], "o", color=BLUE, markersize=9)
        ax.annotate(step, (place, 0.12), ha="center", va="bottom", fontsize=10)
    for place, text in enumerate(assumed):
        ax.annotate("×", (place - 0.5, 0), ha="center", va="center", fontsize=13, color=ORANGE)
        ax.annotate(text.replace(": ", ":\n"), (place - 0.5, -0.12), ha="center", va="top", fontsize=9)
    ax.set_xlim(-1, len(steps))
    ax.set_ylim(-0.6, 0.6)
    ax.axis("off")
    return display.figure(fig, alt=alt)


def _power_cut(noise):
    """Stands for the end of the program, in the middle of a question."""
    raise KeyboardInterrupt


def cut_and_restart(file, ledger, bits, mechanism):
    """Let analysts ask until the power is cut, and a second run until the budget is gone: that run, and both traces."""
    traces = []

    def until_cut(ledger, bits, seed, questions):
        """Analysts ask, and the power is cut at the last of so many questions."""
        left, trace = itertools.count(questions - 1, -1), []
        traces.append(trace)

        def ask(count):
            """One question, and what the file says then."""
            if next(left) == 0:
                bits.draw = _power_cut
            try:
                return ledger.ask(count, T, about="a cohort")
            finally:
                trace.append(ledger.spent.epsilon)

        try:
            ask_for_a_day(ask, np.random.default_rng(seed))
        except KeyboardInterrupt:
            print(f"cut in question {ledger.asked}; the file ends with")
            print(file.read_text(encoding="utf-8").splitlines()[-1][:63], "…")

    before = [ledger.spent.epsilon] * ledger.asked
    until_cut(ledger, bits, 3, 40)
    fresh = svt.Bits(seed=23)
    again = svt.Ledger(file, mechanism, budget=1.5, bits=fresh)
    until_cut(again, fresh, 4, 10_000)
    try:
        again.ask(1179, T)
    except svt.BudgetExhausted as stop:
        print(f"question {again.asked + 1} in run {again.run}: {stop}")
    traces[0][:0] = before
    assert len(traces[0]) == 44
    return again, traces


def spent(traces, *, alt):
    """What the file says was spent, against the number of questions, with the power cut."""
    trace, cut = list(itertools.chain(*traces)), len(traces[0])
    assert math.isclose(trace[0], 0.55) and math.isclose(trace[cut] - trace[cut - 1], 0.55)
    fig, (ax,) = plots.new_figure(height=2.8)
    ax.step(range(1, len(trace) + 1), trace, where="post", color=BLUE, linewidth=2)
    ax.axhline(1.5, color="#000000", linewidth=1)
    ax.axvline(cut, color=ORANGE, linewidth=1.5, linestyle=(0, (4, 3)))
    ax.annotate("power cut", (cut + 1, 0.2), fontsize=11)
    ax.set_ylim(0, 1.6)
    ax.set_yticks([0, 0.5, 1, 1.5])
    ax.set_xlabel("question", fontsize=11)
    ax.set_ylabel("spent", fontsize=11)
    return display.figure(fig, alt=alt)
