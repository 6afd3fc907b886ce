"""The figures of *Correcting the threshold*, and the published table that it takes apart."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.figures import display, plots

EXP = svt.variant("svt_exp").calibrate(epsilon=1.0)
BOTH = svt.variant("exp_exp").calibrate(epsilon=1.0)
LAPLACE = replace(svt.variant("alg1").calibrate(epsilon=1.0, split=2 ** (2 / 3)), name="alg7")
TABLE_5 = {  # of Liu et al. 2024
    "optimal": [35450.45, 7147.15, 2803.30, 280.78, 138.89],
    "mean": [5332.08, 1046.42, 523.21, 52.32, 26.16],
}


def comparison_noise(*, alt):
    """Density of query noise minus threshold noise, with its mean, for three SVTs."""
    x = np.linspace(-12, 22, 171)
    fig, (ax,) = plots.new_figure(height=2.8)
    for m, name in ((LAPLACE, "Laplace"), (EXP, "SVT-Exp"), (BOTH, "exponential on both")):
        look = plots.style(m.name)
        height = -np.gradient([math.exp(svt.log_probability(m, [-y], "⊤")) for y in x], x)
        ax.plot(x, height, color=look.color, linestyle=look.dash, linewidth=2, label=name)
        mean = m.query_noise.mean - m.threshold_noise.mean
        assert abs(np.trapezoid(x * height, x) - mean) < 0.4
        ax.axvline(mean, color=look.color, linewidth=1, linestyle=(0, (4, 3)))
    plots.name_axes(ax, "query noise minus threshold noise", "density")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def chance_of_a_right_run(*, alt):
    """Probability of ten negatives and a positive, all at the threshold, against the correction."""
    rs = np.linspace(0, 30, 61)
    curves = {
        "svt_exp: the run": [svt.success_probability(EXP, 10, correction=r) for r in rs],
        "svt_exp: the product": [svt.success_probability(EXP, 10, correction=r, joint=False) for r in rs],
        "svt_exp: exponential on both": [svt.success_probability(BOTH, 10, correction=r) for r in rs],
    }
    run, product, both = map(np.array, curves.values())
    assert product[20] > 1.2 * run[20] and product[2] < run[2] and both.max() > run.max()
    assert both.argmax() < run.argmax() < product.argmax()
    return plots.lines(rs, curves, xlabel="correction r", ylabel="probability of a right run", alt=alt)


def best_corrections(*, alt):
    """Best correction for the run and for the product, against the number of negatives."""
    ks = np.array([1, 3, 10, 30, 100, 300, 1000])
    run, product = ([svt.threshold_correction(EXP, int(k), joint=joint) for k in ks] for joint in (True, False))
    for k, right, wrong in zip(ks.tolist(), run, product, strict=True):
        chance = [svt.success_probability(EXP, k, correction=r) for r in (right, wrong)]
        assert 0.95 < chance[1] / chance[0] < 1
    gap = np.subtract(product, run)
    assert [round(run[i]) for i in (4, 6)] == [17, 25]
    assert run[0] < EXP.query_noise.mean and 0 < gap[2:].min() < gap.max() < 1.4
    return plots.lines(
        ks,
        {"svt_exp: for the run": run, "svt_exp: for the product": product},
        reference={"mean of the noise": EXP.query_noise.mean},
        log="x",
        xlabel="number of negatives k",
        ylabel="best correction",
        alt=alt,
    )


def printed_corrections():
    """Table 5 of the paper, each entry beside ε times it."""
    table = pd.DataFrame(TABLE_5, index=pd.Index([0.01, 0.05, 0.1, 1.0, 2.0], name="ε"))
    for name in TABLE_5:
        table[f"ε × {name}"] = (table[name] * table.index).round(1)
    counts = svt.variant("svt_exp").calibrate(epsilon=1.0, c=50, monotonic=True, split=100 ** (2 / 3))
    for joint, at_825, at_200 in ((True, 356, 282), (False, 362, 288)):
        found = [round(svt.threshold_correction(counts, k, joint=joint)) for k in (825, 200)]
        assert found == [at_825, at_200]
    return table


def after_rounds(m, *, alt):
    """Probability that a query at the threshold was answered ⊤ in some of t rounds, against t."""
    rounds = np.arange(1, 16)
    found = [-math.expm1(svt.log_probability(m, [0.0] * t, [False] * t)) for t in rounds.tolist()]
    assert round(found[0], 2) == 0.12 and found[-1] < 0.7 < 0.84 < 1 - (1 - found[0]) ** 15
    return plots.lines(
        rounds,
        {"svt_exp": found},
        reference={"t p": np.minimum(rounds * found[0], 1.0), "if independent": 1 - (1 - found[0]) ** rounds},
        xlabel="rounds t",
        ylabel="probability of ⊤ by then",
        alt=alt,
    )
