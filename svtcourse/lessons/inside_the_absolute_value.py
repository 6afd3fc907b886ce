"""The figures of *Noise inside the absolute value*, and the chances of its opening."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.figures import display, plots

INSIDE = svt.variant("abs_value")
LOOK = plots.style("abs_value")


def all_right(ages, bounds, guess, together, T):
    """Table: the chance that every answer up to a ⊤ is right, at ε = 0.02, and of three rivals without an SVT."""
    years = ages.reindex(range(17, 91), fill_value=0).to_numpy()
    assert years.sum() == 32_561
    edges = np.pad(years.cumsum(), (1, 0))
    error = guess - (edges[bounds[:, 1] - 16] - edges[bounds[:, 0] - 17])
    right, rng = np.abs(error) >= T, np.random.default_rng(3)

    def by_histogram(cuts):
        """Which answers 20,000 noisy histograms with these edges get right; one person moves between two bars."""
        noise = rng.laplace(0, 2 / 0.02, (20_000, len(cuts) - 1))
        sums = np.pad((noise + np.diff(edges[cuts])).cumsum(axis=1), ((0, 0), (1, 0)))
        first, last = np.searchsorted(cuts, bounds[:, 0] - 17), np.searchsorted(cuts, bounds[:, 1] - 16)
        return (np.abs(guess - sums[:, last] + sums[:, first]) >= T) == right

    pieces = np.unique([0, 74, *(bounds[:, 0] - 17), *(bounds[:, 1] - 16)])
    histograms = {
        "a histogram of the years": by_histogram(np.arange(75)),
        "a histogram of the pieces": by_histogram(pieces),
    }
    rows = {}
    for c, found in ((1, 1), (2, 2), (3, 3), (4, 3)):
        correct = right[: 1 + np.flatnonzero(right)[found - 1]].tolist()
        m = INSIDE.calibrate(epsilon=0.02, c=c, split=(2 * c) ** (2 / 3))
        every = replace(m, threshold_noise=svt.NoNoise(), query_noise=svt.Laplace(together / 0.02))
        rows[f"{found} ⊤, c = {c}"] = {
            "SVT": math.exp(svt.log_probability(m, error, correct, T)),
            "noise on every answer": math.exp(svt.log_probability(every, error, correct, T)),
        } | {name: float(good[:, : len(correct)].all(axis=1).mean()) for name, good in histograms.items()}
    *few, four = rows.values()
    assert all(ways["SVT"] > max(list(ways.values())[1:]) + 0.03 for ways in few)
    assert four["a histogram of the pieces"] - four["SVT"] > 0.05 and len(pieces) == 51
    for c, sign in ((4, 1), (5, -1)):  # exponential noise outside the bars, with the means taken off
        m = svt.variant("exp_exp").calibrate(epsilon=0.02, c=c)
        bar = T + m.query_noise.scale - m.threshold_noise.scale
        outside = math.exp(svt.log_probability(m, np.abs(error), correct, bar))
        assert sign * (outside - four["a histogram of the pieces"]) > 0.03
    return pd.DataFrame(rows).round(2)


def one_run(mechanism, error, T, *, alt):
    """One run: true errors, the same with noise, and the band of the noisy threshold."""
    seen = svt.run(mechanism, error, T, rng=np.random.default_rng(1))
    shown, hits = np.arange(seen.length), seen.positives
    noisy, bar = error[: seen.length] + seen.tape.nu, T + seen.tape.rho[0]
    assert len(hits) == mechanism.c
    fig, (ax,) = plots.new_figure(height=3.4)
    ax.axhspan(-bar, bar, color=LOOK.color, alpha=0.13, linewidth=0)
    for height in (-bar, bar):
        ax.axhline(height, color=LOOK.color, linewidth=2)
    ax.vlines(shown, error[: seen.length], noisy, color="#000000", alpha=0.4, linewidth=1)
    ax.plot(shown, error[: seen.length], "o", color="#000000", markersize=4)
    ax.plot(shown, noisy, LOOK.marker, color=LOOK.color, mfc="none", markersize=7)
    ax.plot(hits, noisy[hits], LOOK.marker, color=LOOK.color, markersize=7)
    ax.set(xlabel="questions, in order", ylabel="guess − true count")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    return display.figure(fig, alt=alt)


def outwards(*, alt):
    """The alignment as two number lines: the band grows, what is outside is pushed further out."""
    orange, half = plots.style("alg4").color, 3.0
    fig, (ax,) = plots.new_figure(height=2.9)
    for level, reach, color in ((1.0, half, LOOK.color), (0.0, half + 1, orange)):
        ax.fill_between([-reach, reach], level - 0.16, level + 0.16, color=color, alpha=0.2)
        for end in (-reach, reach):
            ax.plot([end, end], [level - 0.16, level + 0.16], color=color, linewidth=2)
    for x, sign in ((-4.0, "⊤"), (1.2, "⊥"), (3.6, "⊤")):
        there = x + (0.8 if sign == "⊥" else math.copysign(1, x))
        ax.plot(x, 1, "o", color=LOOK.color, markersize=7)
        ax.plot(there, 0, "s", color=orange, markersize=7)
        ax.annotate("", (there, 0.08), (x, 0.92), arrowprops={"arrowstyle": "->", "color": "#000000"})
        ax.annotate(sign, (x, 1.22), ha="center", fontsize=12)
    ax.set_yticks([0, 1], ["on D′", "on D"])
    ax.set_ylim(-0.4, 1.55)
    ax.set_xticks([-4, -3, 0, 3, 4], ["", "−(T+ρ)", "0", "T+ρ", ""])
    ax.set_xlim(-5.6, 5.6)
    ax.grid(False)
    return display.figure(fig, alt=alt)


def outward(noise, a, depth, level=4.0):
    """Loss of ⊥⊤ where the errors a and −(a − depth) both rise by 1."""
    m = replace(INSIDE.calibrate(epsilon=1.0, c=1), query_noise=noise)
    return svt.privacy_loss(m, [a, -(a - depth)], [a + 1, -(a - depth) + 1], "⊥⊤", level)


def three_noises(*, alt):
    """Largest loss of ⊥⊤ against the distance of the errors from 0, for three kinds of noise inside the bars."""
    distance = [5.0, 10.0, 20.0, 40.0, 80.0, 160.0]

    def largest(noise, depths):
        """The largest loss over some depths, for each distance."""
        return [max(outward(noise, a, d) for d in depths if d < a) for a in distance]

    growth = {
        "abs_value: Laplace": largest(svt.Laplace(4.0), range(-2, 30, 4)),
        "alg3: exponential": largest(svt.Exponential(4.0), [-2]),
        "alg6: Gumbel": largest(svt.Gumbel(4.0), range(-2, 30, 2)),
    }
    laplace, exponential, gumbel = (np.array(values) for values in growth.values())
    assert laplace.max() <= 1 and exponential[-1] > 50 and gumbel[-1] > 10
    fig, (ax,) = plots.new_figure()
    for name, values in growth.items():
        key, _, label = name.partition(": ")
        s = plots.style(key)
        ax.plot(distance, values, s.marker + s.dash, color=s.color, label=label)
    ax.axhline(1, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    ax.annotate("ε = 1", (distance[0], 1), xytext=(0, 4), textcoords="offset points")
    ax.set(xscale="log", yscale="log", xlabel="distance A", ylabel="loss of ⊥⊤")
    ax.legend(frameon=False)
    return display.figure(fig, alt=alt)


def calibrations(positive, lowered, *, alt):
    """Probability of ⊤ against the error: inside at T = 20, and outside with thresholds that agree at an error."""
    errors = np.linspace(0, 40, 41)
    inside = np.array([positive("inside", x, 20.0) for x in errors])
    curves = {"abs_value: inside, T = 20": inside}
    for key, (fair, T) in zip(("alg1", "above_threshold", "alg7"), lowered.items(), strict=True):
        curve = np.array([positive("outside", x, T) for x in errors])
        assert (curve[errors > fair] > inside[errors > fair]).all()
        assert (curve[errors < fair] < inside[errors < fair]).all()
        if fair < 10:
            curves[f"{key}: outside, T = {T:.1f}"] = curve
        else:
            assert np.abs(curve - inside).max() < 0.005 and 20 - T < 0.03
    assert [round(20 - T, 2) for T in lowered.values()] == [2.78, 0.32, 0.03]
    assert curves["alg1: outside, T = 17.2"][10] > 1.9 * inside[10]
    return plots.lines(errors, curves, log="y", xlabel="error of the estimate", ylabel="probability of ⊤", alt=alt)
