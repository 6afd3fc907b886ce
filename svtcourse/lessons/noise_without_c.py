"""The figures of *Noise without c*, and its table of pages found at equal true cost."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.figures import display, pictures, plots
from svtcourse.lessons.shared import far_loss

FAR = 2000.0
C_VALUES = (1, 2, 5, 10, 20, 50, 100, 200, 400)
ALG1, ALG4, ALG7 = (svt.variant(key) for key in ("alg1", "alg4", "alg7"))


def alg4_at(c, monotonic=False):
    """Alg. 4 at ε = 1."""
    return ALG4.calibrate(epsilon=1.0, c=c, monotonic=monotonic)


def most(mechanism, n):
    """The largest loss of n far answers, over the number of positives among them."""
    return max(far_loss(mechanism, n - k, k, FAR) for k in range(min(mechanism.c, n) + 1))


def query_noise(*, alt):
    """Scale of the query noise of Alg. 1 and 4 against c."""

    def scale(key, c):
        """Scale at ε = 0.1."""
        return svt.variant(key).calibrate(epsilon=0.1, c=c).query_noise.scale

    curves = {key: [scale(key, c) for c in C_VALUES] for key in ("alg1", "alg4")}
    return plots.lines(
        C_VALUES, curves, log="xy", xlabel="number of positives c", ylabel="scale of the query noise", alt=alt
    )


def bills(*, alt):
    """What each draw of Alg. 4 pays at a claimed ε of 1, beside Alg. 1."""
    rows = {"Alg. 1, c = 5": ("alg1", 5, False)}
    rows |= {f"Alg. 4, c = {c}": ("alg4", c, False) for c in (1, 2, 5)}
    rows["c = 5, monotonic"] = "alg4", 5, True
    paid = {}
    for name, (key, c, one_way) in rows.items():
        m = svt.variant(key).calibrate(epsilon=1.0, c=c, monotonic=one_way)
        pays = {line.step: float(line.pays) for line in svt.prove(m).steps}
        paid[name] = [("ρ", pays["threshold"]), *[("⊤", pays["positives"] / c)] * c]
        total = pays["threshold"] + pays["positives"]
        lost = far_loss(m, 4 * c if key == "alg1" else c + 1, c, FAR, falls=0.0 + (not one_way))
        assert total - 1e-3 < lost <= total + 1e-9
    return pictures.budget_bars(paid, variants=[key for key, _, _ in rows.values()], alt=alt)


def mass(*, alt):
    """The integrand on D, and e^(7/4) times that on D′ moved back by Δ: one positive of Alg. 4, answers at T."""
    rho, nu, z = svt.Laplace(4.0), svt.Laplace(4 / 3), np.linspace(-5, 9, 281)
    fig, axes = plots.new_figure(columns=3, height=2.8)
    for ax, m in zip(axes, (1, 4, 16), strict=True):
        here = np.exp(rho.logpdf(z) + m * nu.log_less(z) + nu.log_at_least(z))
        there = np.exp(1.75 + rho.logpdf(z + 1) + m * nu.log_less(z) + nu.log_at_least(z + 2))
        assert np.allclose(here[z >= 0], there[z >= 0]) and (there[z < -1e-9] > here[z < -1e-9]).all()
        for curve, key, dash, label in ((here, "alg4", "-", "on D"), (there, "alg1", "--", "on D′, raised")):
            ax.plot(z, curve / here.max(), dash, color=plots.style(key).color, linewidth=2, label=label)
        ax.axvline(0, color="#000000", linewidth=1, linestyle=":")
        ax.set_title(f"m = {m}", fontsize=11)
        ax.set_xlabel("threshold noise z", fontsize=11)
    axes[0].set_ylabel("integrand, highest = 1", fontsize=11)
    axes[2].legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def prices(*, alt):
    """The three prices of m negatives and k positives of Alg. 4, and which is the least."""
    size, unlimited = 6, alg4_at(6)
    look = {"each answer": "alg3", "threshold up": "alg1", "threshold down": "alg2"}
    arrows = dict(zip(look, ("·", "↑", "↓"), strict=True))
    names = dict(zip(((1, 1), (3, 0), (0, 3)), (f"{arrows[n]} {n}" for n in look), strict=True))
    fig, (ax,) = plots.new_figure(height=4.2)
    for m in range(size + 1):
        for k in range(size + 1):
            price = {"each answer": 0.75 * (m + k), "threshold up": 0.25 + 1.5 * k, "threshold down": 0.25 + 1.5 * m}
            least = min(price, key=price.get)
            if m + k:
                short = price[least] - far_loss(unlimited, m, k, 200.0)
                assert -1e-9 < short < 1e-3
            color = plots.style(look[least]).color
            ax.fill(
                [m - 0.5, m + 0.5, m + 0.5, m - 0.5],
                [k - 0.5, k - 0.5, k + 0.5, k + 0.5],
                facecolor=color,
                edgecolor=color,
                alpha=0.3,
                linewidth=0,
                label=names.pop((m, k), None),
            )
            text = f"{price[least]:g}\n{arrows[least]}"
            ax.text(m, k, text, ha="center", va="center", fontsize=10, linespacing=0.9)
    plots.name_axes(ax, "negatives m", "positives k")
    ax.grid(False)
    ax.set_aspect("equal")
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def queries_to_spend(mechanism, c, target):
    """The fewest queries whose far answers lose the target, up to 0.001."""
    return next(n for n in range(1, 60) if most(mechanism, n) > target - 1e-3)


def climb(*, alt):
    """Loss of Alg. 4 on n queries far from the threshold, for three numbers of positives."""
    n_values = np.arange(1, 12)
    curves = {f"alg4: c = {c}": [most(alg4_at(c), n) for n in n_values.tolist()] for c in (1, 2, 3)}
    for c in (1, 2, 3):
        assert queries_to_spend(alg4_at(c), c, 1.002) == 2
        assert queries_to_spend(alg4_at(c), c, (1 + 6 * c) / 4) == 2 * c + 1
        assert queries_to_spend(ALG1.calibrate(epsilon=1.0, c=c), c, 1.0) == 4 * c
    return plots.lines(
        n_values,
        curves,
        xlabel="number of queries n",
        ylabel="loss, answers far away",
        reference={"claimed ε = 1": 1.0},
        alt=alt,
    )


def spread(mechanism):
    """Standard deviation of ν − ρ."""
    return math.sqrt(mechanism.threshold_noise.variance + mechanism.query_noise.variance)


def spreads(*, alt):
    """Standard deviation of a comparison of Alg. 4 and 7 at equal true cost, against c."""

    def honest(c):
        """Alg. 4 with the ε that makes its true cost 1."""
        return ALG4.calibrate(epsilon=1.0 / svt.actual_epsilon("alg4", 1.0, c), c=c)

    best = {c: ALG7.calibrate(epsilon=1.0, c=c) for c in C_VALUES}
    curves = {
        "alg4: true cost 1": [spread(honest(c)) for c in C_VALUES],
        "alg7: true cost 1": [spread(best[c]) for c in C_VALUES],
        "alg4: claimed cost 1": [spread(alg4_at(c)) for c in C_VALUES],
    }
    times = np.array(curves["alg4: true cost 1"]) / curves["alg7: true cost 1"]
    assert (np.diff(times) > 0).all() and 1.7 < times[0] < 1.8 and 3.1 < times[-1] < 3.2
    four, seven = honest(50), best[50]
    assert four.threshold_noise.scale > 10 * seven.threshold_noise.scale
    assert four.query_noise.scale < seven.query_noise.scale
    return plots.lines(C_VALUES, curves, log="xy", xlabel="number of positives c", ylabel="sd of a comparison", alt=alt)


def pages_found(pages, threshold, c, epsilon=0.1, trials=200):
    """Table: how many of the c most opened pages are found at equal true cost, and what finds them without an SVT."""
    rng, top = np.random.default_rng(4), np.sort(pages)[::-1]

    def by_svt(variant, claimed, monotonic):
        """Mean number of right pages among the positives, the pages in a new order in each run."""
        m, right = variant.calibrate(epsilon=claimed, c=c, monotonic=monotonic), 0
        for _ in range(trials):
            asked = rng.permutation(top)
            right += (asked[svt.run(m, asked, threshold, rng=rng).positives] >= threshold).sum()
        return right / trials

    def largest(noise):
        """Mean number of right pages among the c largest noisy counts."""
        chosen = np.argsort(-(top + noise((trials, top.size))), axis=1)[:, :c]
        return (chosen < c).sum() / trials

    found = {}
    for column, monotonic in (("general", False), ("monotonic", True)):
        factor = svt.actual_epsilon("alg4", 1.0, c, monotonic)
        found[column] = {
            "Alg. 4, as claimed": by_svt(ALG4, epsilon, monotonic),
            "Alg. 4, true cost": by_svt(ALG4, epsilon / factor, monotonic),
            "Alg. 7": by_svt(ALG7, epsilon, monotonic),
            "noise on all 200 counts": largest(lambda size: rng.laplace(0, top.size / epsilon, size)),
            "exponential mechanism": largest(
                lambda size, scale=(2 - monotonic) * c / epsilon: rng.gumbel(0, scale, size)
            ),
        }
    for column in found.values():
        claimed, four, seven, noise, exponential = column.values()
        assert claimed > 49.9 and four < noise < seven < exponential
    return pd.DataFrame(found).round(1)
