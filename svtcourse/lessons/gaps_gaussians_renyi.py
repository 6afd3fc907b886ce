"""The figures of *Gaps and Gaussian noise*, with the comparisons behind them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from svtcourse.chapter.compare import svt_alpha
from svtcourse.figures import display, plots

ABOVE = svt.variant("above_threshold").calibrate(epsilon=1.0)
GAUSSIAN = replace(ABOVE, threshold_noise=svt.Gaussian(4.0), query_noise=svt.Gaussian(8.0))
ORDERS = np.geomspace(3, 100, 13)
DELTA = 1e-6


def what_stays(*, alt):
    """The noise on D and on D′ of a positive whose gap stays, and of one whose number stays."""
    fig, axes = plots.new_figure(columns=2, height=2.6)
    assert "must stay" in svt.prove(svt.variant("alg3")).reason
    pictures = (("gap", "the gap stays", 2.0), ("alg3", "the number stays", 1.0))
    for ax, (key, title, moved) in zip(axes, pictures, strict=True):
        look = plots.style(key)
        for x, bar, noisy in ((0, 0.0, 1.0), (1, 1.4, moved + 0.4 * (key == "gap"))):
            ax.hlines(bar, x - 0.3, x + 0.3, color="#000000", linewidth=2)
            ax.plot([x], [noisy], look.marker, color=look.color, markersize=9)
            ax.plot([x, x], [bar, noisy], ":", color=look.color, linewidth=2)
        ax.text(-0.3, -0.3, "T + ρ", fontsize=11, va="center")
        ax.text(0.7, 1.1 if key == "gap" else 1.65, "T + ρ + Δ", fontsize=11, va="center")
        ax.set_xticks([0, 1], ["on D: ⊤", "on D′: ⊤" if key == "gap" else "on D′: ⊥"])
        ax.set_yticks([])
        ax.set_title(title, fontsize=11)
        ax.set(ylim=(-0.6, 2.8), xlim=(-0.5, 1.6))
    return display.figure(fig, alt=alt)


def gap_moments(gap, q):
    """Probability and mean of the gap of one query at distance q from the threshold."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    cuts = np.array([0.0, *sorted([2.0, 8.0, 20.0, 45.0, 90.0, abs(q) + 1e-9, 160.0])])
    x = (cuts[:-1, None] + np.diff(cuts)[:, None] * (nodes + 1) / 2).ravel()
    w = (np.diff(cuts)[:, None] * weights / 2).ravel()
    mass = w * np.exp([svt.log_probability(gap, [q], [float(g)]) for g in x])
    return float(mass.sum()), float(mass @ x / mass.sum())


def mean_gap(*, alt):
    """Mean of the released gap against the true distance from the threshold."""
    gap, distance = svt.variant("gap").calibrate(epsilon=1.0), [-10.0, -5.0, 0.0, 5.0, 10.0, 20.0, 40.0]
    means = [gap_moments(gap, q)[1] for q in distance]
    rho = np.linspace(-150, 150, 30_001)  # after a hundred negatives 5 below T, an answer 40 above
    log_weight = gap.threshold_noise.logpdf(rho) + 100 * gap.query_noise.log_less(rho + 5)
    likely = np.exp(log_weight - log_weight.max() + gap.query_noise.log_at_least(rho - 40))
    assert round(-float(rho @ likely / likely.sum())) == -9 and round(means[2], 1) == 4.7
    return plots.lines(
        np.array(distance),
        {"gap": means},
        reference={"q − T": np.array(distance)},
        xlabel="true distance from the threshold, q − T",
        ylabel="mean of the gap, given ⊤",
        alt=alt,
    )


PLACES = ((4, 8, 2), (8, 20, 2), (4, 12, 2), (8, 30, 2), (20, 30, 10))


def pair(m, k, high, low, part):
    """The laws on answers that rise at first, where they say ⊥, and fall in the last 1/part."""
    here = [float(high)] * (k - k // part) + [-float(low)] * (k // part)
    return svt.pair_curve(m, here, [q + 1 if q > 0 else q - 1 for q in here])


def bounds_and_pairs(*, alt):
    """Rényi and hockey-stick divergence of some pairs, below what the theorem promises, for 10 and 1,000 queries."""
    few = [pair(GAUSSIAN, 10, *place) for place in PLACES]
    found = {10: few, 1000: [*few, *(pair(GAUSSIAN, 100, *place) for place in PLACES), pair(GAUSSIAN, 1000, 8, 20, 2)]}
    bound = {k: np.array([svt.renyi_bound(GAUSSIAN, a, n=k).epsilon for a in ORDERS]) for k in found}
    seen = {k: np.array([max(c.renyi(a) for c in some) for a in ORDERS]) for k, some in found.items()}
    share = seen[1000] / bound[1000]
    assert 0.8 < share.max() < 0.9 and 20 < ORDERS[share.argmax()] < 40

    def bound_delta(k, epsilon):
        """The least δ at ε that the bound gives, over the orders (Canonne et al. 2020)."""
        loss = (ORDERS - 1) * (bound[k] - epsilon + np.log1p(-1 / ORDERS)) - np.log(ORDERS)
        return min(1.0, math.exp(loss.min()))

    fig, axes = plots.new_figure(columns=2, height=2.9, shared=False)
    epsilons = np.linspace(0, 3, 25)
    for k, width, mark in ((10, 1.2, "o"), (1000, 2.5, "")):
        small = [max(c.delta(e) for c in found[k]) for e in epsilons]
        large = [bound_delta(k, e) for e in epsilons]
        assert all(a >= b for a, b in zip(large, small, strict=True))
        look = {"color": plots.style("gaussian").color, "linewidth": width, "marker": mark, "markersize": 4}
        panels = ((axes[0], ORDERS, bound[k], seen[k]), (axes[1], epsilons, large, small))
        for ax, x, above, below in panels:
            ax.plot(x, above, **look, label=f"bound, k = {k}")
            ax.plot(x, below, "--", **look, label=f"pairs, k = {k}")
            ax.set_yscale("log")
    axes[0].set(xscale="log", ylim=(1e-4, 12))
    axes[1].set_ylim(1e-9, 2)
    for ax, name, title in zip(axes, ("order α", "ε"), ("Rényi divergence", "least δ"), strict=True):
        ax.set_xlabel(name, fontsize=11)
        ax.set_title(title, fontsize=11)
    axes[0].legend(frameon=False, fontsize=9, loc="lower right")
    return display.figure(fig, alt=alt)


def four_ways(*, alt):
    """α at which 1,000 answers are all right with probability 0.95, at ε = 1 and δ = 10⁻⁶, against c."""
    cs, alphas = [1, 10, 50, 100], {}
    for c in cs:
        found = svt.compare(1000, c, delta=DELTA).alpha
        one = found["one SVT, exponential noise"]
        again = one if c == 1 else found[f"{c} SVTs, one after the other"]
        alphas[c] = one, again, found["one SVT, Gaussian noise"], found["no SVT, Gaussian noise"]
    rounded = {c: [round(a) for a in alphas[c]] for c in (10, 50, 100)}
    one, runs, gauss, none = np.array([alphas[c] for c in cs]).T
    assert all(abs(a / b - 1) < 0.01 for a, b in zip(rounded[10], (129, runs[1], 201, 457), strict=True))
    assert all(abs(a / b - 1) < 0.01 for a, b in zip(rounded[50], (566, runs[2], 456, 489), strict=True))
    best = {c: int(np.argmin(alphas[c])) for c in cs}
    assert best[10] == 0 and best[100] == 3
    return plots.lines(
        np.array(cs),
        {
            "exp_exp: one run": one,
            "above_threshold: c runs, exponential": runs,
            "gaussian: one run": gauss,
            "no_svt: Gaussian on all": none,
        },
        log="xy",
        xlabel="number of positives c",
        ylabel="α, all 1,000 right",
        alt=alt,
    )


def log_k(*, alt):
    """α of AboveThreshold, of the best SVT of this course, and the lower bound for every pure mechanism, against k."""
    ks = np.array([10, 100, 1000, 10_000])
    even = [svt.smallest_alpha(ABOVE, int(k), 0.05) for k in ks]
    best = [svt_alpha(svt.variant("exp_exp").calibrate(epsilon=1.0, c=1), int(k), 1)[0] for k in ks]
    least = np.log((ks - 1) * 0.95 / 0.05) / 2
    assert np.round(best / least, 1).tolist() == [4.8, 4.3, 4.1, 3.9] and 7 < min(even / least) < max(even / least) < 8
    return plots.lines(
        ks,
        {"above_threshold": even, "exp_exp: its best correction": best},
        reference={"lower bound": least},
        log="x",
        xlabel="number of queries k",
        ylabel="α at ε = 1, β = 0.05",
        alt=alt,
    )
