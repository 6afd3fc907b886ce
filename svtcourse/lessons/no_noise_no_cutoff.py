"""The figures of *No noise, no cut-off*."""

from __future__ import annotations

import math

import numpy as np

import svtlib as svt
from svtcourse.figures import display, plots
from svtcourse.lessons.shared import far_loss

ALG5, ALG6 = (svt.variant(key).calibrate(epsilon=1.0) for key in ("alg5", "alg6"))
FAR = 100.0


def alike_or_mixed(*, alt):
    """Loss of Alg. 6 against the number of queries: outcomes that are all alike, and half and half."""
    n_values = list(range(2, 21, 2))
    alike = [max(far_loss(ALG6, n, 0), far_loss(ALG6, 0, n)) for n in n_values]
    assert max(alike) <= 0.5 + 1e-9
    return plots.lines(
        n_values,
        {
            "alg6: ⊥ⁿ or ⊤ⁿ": alike,
            "alg6: half ⊥, half ⊤": [far_loss(ALG6, n - n // 2, n // 2) for n in n_values],
        },
        reference={"claimed ε = 1": 1.0},
        xlabel="number of queries n",
        ylabel="privacy loss",
        alt=alt,
    )


def two_queries(*, alt):
    """Which threshold noise gives ⊥⊤ with Alg. 5, for the answers 0 and 1, and 1 and 0."""
    z, look = np.linspace(-4, 5, 181), plots.style("alg5")
    density = np.exp(ALG5.threshold_noise.logpdf(z))
    by_hand = float(np.diff(np.exp(ALG5.threshold_noise.logcdf([0.0, 1.0])))[0])
    assert abs(by_hand - math.exp(svt.log_probability(ALG5, [0, 1], "⊥⊤"))) < 1e-12 and round(by_hand, 3) == 0.197
    fig, axes = plots.new_figure(columns=2, height=2.8)
    for ax, pair, title in zip(axes, ((0.0, 1.0), (1.0, 0.0)), ("on D: 0, 1", "on D′: 1, 0"), strict=True):
        ax.plot(z, density, color=look.color, linewidth=2)
        inside = (z >= pair[0]) & (z <= pair[1])
        ax.fill_between(z[inside], density[inside], color=look.color, alpha=0.4, lw=0)
        for height, (answer, sign) in enumerate(zip(pair, "⊥⊤", strict=True)):
            negative = sign == "⊥"
            ax.annotate(
                f"{sign} needs ρ {'>' if negative else '≤'} {answer:g}",
                (answer, 0.27 + 0.035 * height),
                xytext=(3 if negative else -3, 0),
                textcoords="offset points",
                ha="left" if negative else "right",
                fontsize=10,
            )
            ax.axvline(answer, color="#000000", linewidth=1, linestyle=":")
        ax.set_title(title, fontsize=11)
        ax.set_xlabel("threshold noise ρ", fontsize=11)
    axes[0].set_ylim(0, 0.36)
    axes[0].set_ylabel("density", fontsize=11)
    return display.figure(fig, alt=alt)


def product(*, alt):
    """Density times the probability of a negative, of a positive and of both, over the threshold noise of Alg. 6."""
    rho, nu, look = ALG6.threshold_noise, ALG6.query_noise, plots.style("alg6")
    z = np.linspace(-12, 12, 241)
    p, f, g = np.exp(rho.logpdf(z)), np.exp(nu.log_less(z)), np.exp(nu.log_at_least(z))
    assert abs(math.exp(svt.log_probability(ALG6, [0, 0], "⊥⊤")) - 1 / 6) < 1e-9
    fig, (ax,) = plots.new_figure(height=3.2)
    kinds = ((p * f, "--", "p f: negative"), (p * g, ":", "p g: positive"), (p * f * g, "-", "p f g: both"))
    for values, dash, name in kinds:
        both = dash == "-"
        color, width = (look.color, 2.5) if both else ("#000000", 1.5)
        ax.plot(z, values, color=color, linestyle=dash, linewidth=width, label=name)
    ax.fill_between(z, p * f * g, color=look.color, alpha=0.2, linewidth=0)
    plots.name_axes(ax, "threshold noise z", "density × probability")
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def growth(*, alt):
    """Loss of Alg. 6 on m negatives and m positives: the pair of Theorem 9.13, and answers far away."""
    m_values = np.arange(1, 21)
    published = [far_loss(ALG6, m, m, 0) for m in m_values.tolist()]
    assert all(loss >= m / 2 for m, loss in zip(m_values, published, strict=True))
    return plots.lines(
        2 * m_values,
        {
            "alg6: Theorem 9.13": published,
            "alg6: far answers": [far_loss(ALG6, m, m) for m in m_values.tolist()],
        },
        xlabel="number of queries n = 2m",
        ylabel="loss of ⊥ᵐ⊤ᵐ",
        reference={"claimed ε = 1": 1.0, "bound mε/2": m_values / 2},
        alt=alt,
    )


def prices(*, alt):
    """Loss of Alg. 6 against the number of queries, beside the Laplace mechanism on all of them and Alg. 1."""
    n_values, noise = list(range(2, 25, 2)), svt.Laplace(2.0)
    each = float(noise.logpdf(0.0) - noise.logpdf(1.0))  # all that one noisy answer can lose
    two = [far_loss(ALG6, n - min(2, n // 2), min(2, n // 2)) for n in n_values]
    assert noise == ALG6.query_noise and abs(each - 0.5) < 1e-12 and abs(two[-1] - 2.5) < 1e-3
    kept = svt.variant("alg1").calibrate(epsilon=1.0)
    return plots.lines(
        n_values,
        {
            "alg6: half positive": [far_loss(ALG6, n - n // 2, n // 2) for n in n_values],
            "alg6: two positives": two,
            "laplace_all": [each * n for n in n_values],
            "alg1: c = 1": [far_loss(kept, n - 1, 1) for n in n_values],
        },
        xlabel="number of queries n",
        ylabel="largest loss, in ε",
        alt=alt,
    )
