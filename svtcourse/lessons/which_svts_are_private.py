"""The figures of *Which SVTs are private*, and its table of edits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.figures import display, pictures, plots
from svtcourse.lessons.shared import near_loss


def plane(*, alt):
    """The noise of two queries that gives ⊥⊤, on D and on a neighbour."""
    return pictures.noise_plane(svt.variant("alg1").calibrate(epsilon=1.0), 0, 1, 0, 1, span=10.0, alt=alt)


def threshold_given_output(*, alt):
    """Law of the threshold noise of Alg. 1, given N negatives and a positive that answer the threshold."""
    m = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    z, key = np.linspace(-15, 30, 901), plots.style("alg1")
    left = []
    fig, (ax,) = plots.new_figure()
    for n, dash in ((0, "-"), (5, "--"), (20, "-."), (100, ":")):
        nu = m.query_noise
        mass = np.exp(m.threshold_noise.logpdf(z) + n * nu.log_less(z) + nu.log_at_least(z))
        mass /= mass.sum() * (z[1] - z[0])
        left.append(float(mass[z < 0].sum() * (z[1] - z[0])))
        ax.plot(z, mass, color=key.color, linestyle=dash)
        ax.text(z[mass.argmax()] + 0.6, mass.max() + 0.002, f"N = {n}")
    assert left[0] > 0.5 and left[2] < 0.01 and left[3] < 1e-6
    ax.axvline(0, color="#000000", linewidth=1, linestyle=":")
    ax.set(xlabel="threshold noise ρ", ylabel="density, given the output", ylim=(0, None))
    return display.figure(fig, alt=alt)


def what_is_missing(*, alt):
    """Cost of the cheapest alignment less the loss of the pair next to the threshold, against its negatives."""
    negatives, short = [1, 2, 5, 10, 15, 20, 30], {}
    for key, c in (("alg1", 1), ("alg7", 2), ("alg2", 2)):
        m = svt.variant(key).calibrate(epsilon=1.0, c=c)
        missing = [svt.prove(m).epsilon - near_loss(m, n) for n in negatives]
        assert min(missing) > 0 and missing[-1] < 1e-4
        short[f"{key}: c = {c}"] = missing
    return plots.lines(
        negatives, short, log="y", xlabel="negatives N before the positives", ylabel="cost − loss of the pair", alt=alt
    )


def map_of_scales(*, alt):
    """Which scales are private for c = 2 and ε = 1, with what `svt.decide` says at twenty points."""
    two = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
    fig, (ax,) = plots.new_figure(height=3.8)
    b = np.linspace(1.001, 8.5, 300)
    for one_way, dash, label in ((False, "-", "any queries"), (True, "--", "monotonic")):
        edge = (2 if one_way else 4) / (1 - 1 / b)  # 1/b + 2c/s = 1, or 1/b + c/s = 1
        ax.plot(b, edge, color="#000000", linestyle=dash, linewidth=1.5, label=label)
        ax.fill_between(b, edge, 14, color=plots.style("alg1").color, alpha=0.12, lw=0)
    for scale_b in (1.5, 3.0, 5.0, 7.0):
        for scale_s in (1.5, 3.5, 6.5, 9.5, 12.5):
            point = replace(two, threshold_noise=svt.Laplace(scale_b), query_noise=svt.Laplace(scale_s))
            private = svt.decide(point).private
            assert private is (1 / scale_b + 4 / scale_s <= 1)
            color = plots.style("alg1" if private else "alg3").color
            ax.plot(scale_b, scale_s, "o" if private else "x", color=color, markersize=7)
    for key, place in (("alg1", (5, 5)), ("alg4", (5, -12)), ("alg7", (5, 5))):
        m, look = svt.variant(key).calibrate(epsilon=1.0, c=2), plots.style(key)
        at = m.threshold_noise.scale, m.query_noise.scale
        ax.plot(*at, look.marker, color=look.color, markersize=9)
        ax.annotate(look.label, at, xytext=place, textcoords="offset points", fontsize=11)
    ax.set(xlim=(1, 8.5), ylim=(0, 14))
    plots.name_axes(ax, "scale of the threshold noise, in Δ", "scale of the query noise, in Δ")
    fig.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def edits():
    """Table: what `svt.decide` says of four edits of Alg. 1 with c = 2."""
    two = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
    verdicts = {
        "query noise halved": svt.decide(replace(two, query_noise=svt.Laplace(4.0))),
        "exponential threshold noise": svt.decide(replace(two, threshold_noise=svt.Exponential(2.0))),
        "Gaussian threshold noise": svt.decide(replace(two, threshold_noise=svt.Gaussian(2.0))),
        "no cut-off": svt.decide(replace(two, cutoff=None)),
    }
    assert [v.private for v in verdicts.values()] == [False, True, False, False]
    rows = {
        name: {
            "private": "yes" if v.private else "no",
            "cheapest alignment": f"{v.proof.epsilon:.3g}".replace("inf", "∞"),
            "a pair loses at least": "" if v.private else f"{v.certificate.lower:.3f}",
        }
        for name, v in verdicts.items()
    }
    return pd.DataFrame(rows).T
