"""The figures of *Budgets that last*: what a budget for each person keeps, and a service whose power is cut."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

import svtlib as svt
from svtcourse.chapter.compare import gaussian_sigma
from svtcourse.figures import display, plots
from svtcourse.lessons.range_queries_and_cohorts import BLUE, ORANGE, C, T, ask_for_a_day
from svtlib.guarantee import Renyi
from svtlib.select.scores import Scores

__all__ = ["C", "T", "cut_and_restart", "left_out", "order_of_steps", "spent", "years"]

SCALE, CHARGES, DELTA = 35.3, 7, 1e-6  # of by_person for a year
SMALL, LARGE, BAR, PEOPLE, PAGES = 40, 1_000, 500, 80_000, 80_000  # readers, the threshold, new pages a day


def epsilon_of(scale, charges):
    """What the theorem promises for the best order, with DELTA."""
    best, b = math.inf, 1 / scale
    for more in np.geomspace(1, 400, 200):
        weight = 1 - math.exp(b) * math.expm1(min(more * b, 50))
        if weight > 0:
            best = min(best, Renyi(1 + more, -charges / more * math.log(weight)).approximate(DELTA).epsilon)
    return best


def right(noise_of_large, noise_of_small):
    """Mean of the chance that a large page passes, days alike, and that a small one does not."""
    return (np.mean(noise_of_large) + noise_of_small) / 2


def years(*, alt):
    """Mean of the share of large pages found and of small ones left, against the number of days."""
    days = np.array([10, 30, 100, 365, 1000, 2000])
    each = PAGES * SMALL / PEOPLE  # pages a day that one person opens

    def by_person(d):
        """The best number of positives for each person; whoever has had them is left out, false alarms included."""
        best = 0.0
        for charges in (2, 3, 5, 7, 10, 16, 24):
            noise = svt.Laplace(scales[charges])
            alarm = math.exp(noise.log_at_least(BAR - SMALL))
            day = min(1.0, (LARGE + PAGES * alarm * SMALL) / PEOPLE)  # the chance to be charged in a day
            left = LARGE * binom.cdf(charges - 1, np.linspace(0, d - 1, 40).astype(int), day)
            best = max(best, right(np.exp(noise.log_at_least(BAR - left)), 1 - alarm))
        return best

    def capped(d, at_least):
        """Each person counted in the first m pages only, the best m; `at_least(x, m)` is the chance of the noise."""

        def with_cap(m):
            left = LARGE * (np.linspace(0, d, 40) * each < m)
            return right(at_least(BAR - left, m), 1 - at_least(BAR - SMALL, m))

        return max(map(with_cap, np.geomspace(1, each * d + 1, 60)))

    def one_run(d):
        """Alg. 7 with the best of some c and thresholds, a run in random order."""
        pages, best = Scores([float(LARGE), float(SMALL)], [d, PAGES * d], "exact", "made up"), 0.0
        for c, bar in itertools.product((d, 58), (BAR, 600, 950, 1050)):
            m = svt.variant("alg7").calibrate(epsilon=1.0, c=c, monotonic=True)
            runs = svt.simulate(m, pages, float(bar), trials=20, rng=np.random.default_rng(18))
            large, small = runs.total([1.0, 0.0]).mean(), runs.total([0.0, 1.0]).mean()
            best = max(best, right(large / d, 1 - small / (PAGES * d)))
        return best

    scales = {n: brentq(lambda s, n=n: epsilon_of(s, n) - 1, 3, 1000) for n in (2, 3, 5, 7, 10, 16, 24)}
    assert abs(scales[CHARGES] - SCALE) < 0.1
    sigma = gaussian_sigma(1.0, DELTA)
    shares = {
        "alg7": [one_run(int(d)) for d in days],
        "laplace_all: first m pages": [capped(d, lambda x, m: np.exp(svt.Laplace(m).log_at_least(x))) for d in days],
        "gaussian: first m pages": [capped(d, lambda x, m: norm.sf(x, scale=sigma * math.sqrt(m))) for d in days],
        "by_person": [by_person(int(d)) for d in days],
    }
    person, thin = shares["by_person"], shares["gaussian: first m pages"]
    assert thin[1] > 0.999 and person[3] > 0.9999 and thin[3] < 0.85 and person[4] > 0.99 and person[5] < 0.9
    assert shares["alg7"][1] > 0.999 and 0.7 < shares["alg7"][2] < 0.85
    assert max(shares["alg7"][3], shares["laplace_all: first m pages"][3]) < 0.7
    return plots.lines(days, shares, log="x", xlabel="days", ylabel="mean share of right answers", alt=alt)


def left_out(*, alt):
    """Large pages found and people still counted, when 80,000 people go on for four years with seven positives each."""
    rng, charges, days = np.random.default_rng(26), np.zeros(PEOPLE, dtype=int), 1440
    found, counted = np.zeros(days), np.zeros(days)
    for day in range(days):
        readers = rng.choice(PEOPLE, LARGE, replace=False)
        counted[day] = (charges < CHARGES).mean()
        count = (charges[readers] < CHARGES).sum()
        found[day] = count + rng.laplace(0, SCALE) >= BAR
        charges[readers] += int(found[day])
    months = np.arange(0, days, 60)
    share = [found[month : month + 60].mean() for month in months]
    half = int(np.argmax(counted < 0.5))
    assert min(share[:8]) > 0.95 and 450 < half < 650 and max(share[14:]) < 0.3
    series = {"by_person: pages found": share, "by_person: people counted": counted[months]}
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
    plots.name_axes(ax, "question", "spent")
    return display.figure(fig, alt=alt)
