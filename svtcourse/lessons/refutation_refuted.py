"""The figures of *A refutation refuted*, what a solver says of κ, and a loss with heavy-tailed noise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import z3
from scipy.integrate import quad
from scipy.stats import cauchy

import svtlib as svt
from svtcourse.figures import display, plots

GPTT = svt.variant("gptt").calibrate(epsilon=2.0)  # ε₁ = ε₂ = 1
T_VALUES = list(range(1, 31))


def log_kappa(z):
    """The logarithm of κ(z) for GPTT at ε₂ = 1."""
    nu = svt.Laplace(1.0)
    return nu.logcdf(z) + nu.logsf(z - 1) - nu.logcdf(z - 1) - nu.logsf(z)


def quantities(t):
    """δ(t) and log κ(t) of the published proof."""
    log_alpha = svt.log_probability(GPTT, [1] * t + [0] * t, "⊥" * t + "⊤" * t)
    delta = math.log(2) - log_alpha  # half of exp(−δ) is α/4
    inside = np.concatenate([np.linspace(-delta, delta, 20_001), [0.0, 0.5, 1.0]])
    return delta, float(log_kappa(inside).min())


def on_alg1(t):
    """δ(t) and log κ(t) of the same steps for Alg. 1 at ε = 4, and 0^t against 1^t."""
    m = svt.variant("alg1").calibrate(epsilon=4.0, c=1)
    assert m.query_noise == GPTT.query_noise == svt.Laplace(1.0)
    delta = (math.log(2) - svt.log_probability(m, [1] * t, "⊥" * t)) / m.epsilon1
    return delta, float(m.query_noise.logcdf(delta) - m.query_noise.logcdf(delta - 1))  # κ falls with z


def dispute(*, alt):
    """log κ for GPTT and for Alg. 1, with the intervals of the proof and the least value on each."""
    z, nu = np.linspace(-15, 15, 241), svt.Laplace(1.0)
    panels = (
        ("gptt", log_kappa(z), {t: quantities(t) for t in (1, 3, 6)}),
        ("alg1", nu.logcdf(z) - nu.logcdf(z - 1), {t: on_alg1(t) for t in (1, 100, 10**6)}),
    )
    fig, axes = plots.new_figure(columns=2, height=3.6)
    for ax, (key, curve, intervals) in zip(axes, panels, strict=True):
        look = plots.style(key)
        ax.plot(z, curve, color=look.color, linewidth=2)
        for row, (t, (delta, least)) in enumerate(intervals.items()):
            height = -0.45 - 0.45 * row
            ax.plot([-delta, delta], [height] * 2, "|-", color="#000000", linewidth=1)
            ax.text(0, height + 0.08, f"t = {t:,}: least {least:.3f}", ha="center", fontsize=9)
        ax.axhline(0.0, color="#000000", linewidth=1)
        ax.set_title(look.label, fontsize=11)
        ax.set_xlabel("threshold noise z", fontsize=11)
    axes[0].axhline(1.0, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    axes[0].set_ylabel("log κ(z)", fontsize=11)
    axes[0].set_ylim(-1.6, 1.9)
    axes[0].set_yticks([0, 0.5, 1, 1.5])
    return display.figure(fig, alt=alt)


def likely(*, alt):
    """Log probability of ⊥^t ⊤^t of GPTT on D and on D′, against t."""
    curves = {
        f"gptt: {side}": [svt.log_probability(GPTT, [a] * t + [1 - a] * t, "⊥" * t + "⊤" * t) for t in T_VALUES]
        for side, a in (("on D", 0), ("on D′", 1))
    }
    return plots.lines(T_VALUES, curves, xlabel="t", ylabel="log probability of ⊥ᵗ⊤ᵗ", alt=alt)


u, E = z3.Reals("u E")  # e^(ε₂z) and e^ε₂, the sensitivity being 1


def low_tail(power, positive):
    """F(z + power) of Laplace noise in u and E, by the sign of its argument."""
    x = u * E**power if power >= 0 else u / E**-power
    return 1 - 1 / (2 * x) if positive else x / 2


def for_all(piece, statement):
    """Whether no u and no E > 1 in the piece break the statement."""
    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.add(E > 1, piece, z3.Not(statement))
    found = solver.check()
    assert found != z3.unknown
    return found == z3.unsat


def kappa_for_all():
    """Table: on which pieces κ(z) ≥ e^ε₂ holds for all z and ε₂, and on which 1.1 times that."""
    pieces = {  # piece, and whether z and z - 1 are positive
        "z ≤ 0": (z3.And(u > 0, u <= 1), (False, False)),
        "0 ≤ z ≤ 1": (z3.And(u >= 1, u <= E), (True, False)),
        "1 ≤ z": (u >= E, (True, True)),
    }
    rows = {}
    for name, (piece, signs) in pieces.items():
        here, before = (low_tail(k, positive) for k, positive in zip((0, -1), signs, strict=True))
        left, right = here * (1 - before), before * (1 - here)
        floors = {"κ(z) ≥ exp(ε₂)": E, "κ(z) ≥ 1.1 exp(ε₂)": E * z3.Q(11, 10)}
        rows[name] = {label: for_all(piece, left >= least * right) for label, least in floors.items()}
        assert list(rows[name].values()) == [True, False]
    return pd.DataFrame(rows).T.replace({True: "✓ for all z and ε₂", False: "✗"})


def bracket_for_all():
    """Table: F(z)(1 − F(z)) ≥ e^ε₂ F(z − 1)(1 − F(z + 1)), piece by piece, and the same with e^(3ε₂)."""
    pieces = {  # piece, and whether z - 1, z and z + 1 are positive
        "z ≤ −1": (z3.And(u > 0, u * E <= 1), (False, False, False)),
        "−1 ≤ z ≤ 0": (z3.And(u * E >= 1, u <= 1), (False, False, True)),
        "0 ≤ z ≤ 1": (z3.And(u >= 1, u <= E), (False, True, True)),
        "1 ≤ z": (u >= E, (True, True, True)),
    }
    rows = {}
    for name, (piece, signs) in pieces.items():
        before, here, after = (low_tail(k, positive) for k, positive in zip((-1, 0, 1), signs, strict=True))
        left, right = here * (1 - here), before * (1 - after)
        rows[name] = {"exp(ε₂)": for_all(piece, left >= E * right), "exp(3ε₂)": for_all(piece, left >= E**3 * right)}
        assert list(rows[name].values()) == [True, False]
    return pd.DataFrame(rows).T.replace({True: "✓ for all z and ε₂", False: "✗"})


def brackets(*, alt):
    """The probability of one negative and one positive given the threshold noise, on D and on D′."""
    z, nu, look = np.linspace(-3, 4, 141), svt.Laplace(1.0), plots.style("gptt")
    curves = {"on D": nu.logcdf(z) + nu.logsf(z - 1), "on D′": nu.logcdf(z - 1) + nu.logsf(z)}
    fig, (ax,) = plots.new_figure(height=3.0)
    for (name, values), dash in zip(curves.items(), ("-", "--"), strict=True):
        ax.plot(z, np.exp(values), color=look.color, linestyle=dash, lw=2, label=name)
    plots.name_axes(ax, "threshold noise z", "bracket")
    fig.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def growth(gptt_loss, *, alt):
    """Exact loss of the pair of GPTT, and of Alg. 1 on 0^t against 1^t, against t."""
    alg1 = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    bounded = [svt.privacy_loss(alg1, [0] * t, [1] * t, "⊥" * t) for t in T_VALUES]
    assert round(bounded[9], 4) == 0.4988 and max(bounded) <= alg1.epsilon1 + 1e-9
    return plots.lines(
        T_VALUES,
        {"gptt": [gptt_loss(t) for t in T_VALUES], "alg1": bounded},
        xlabel="t",
        ylabel="exact loss",
        reference={"ε₂ t": [float(t) for t in T_VALUES]},
        alt=alt,
    )


def four_outcomes(*, alt):
    """Probabilities of the four outcomes of GPTT on two queries, 0 and 1 against 1 and 0."""
    pairs = ["".join(signs) for signs in itertools.product("⊥⊤", repeat=2)]
    values = [[math.exp(svt.log_probability(GPTT, a, o)) for o in pairs] for a in ([0, 1], [1, 0])]
    assert 4.1 < values[0][1] / values[1][1] < 4.2
    return plots.two_bars(pairs, *values, variant="gptt", highlight="⊥⊤", alt=alt)


def log_bracket(z, a, b):
    """Log of F(z − a)(1 − F(z − b)) for Cauchy noise."""
    return cauchy.logcdf(z - a) + cauchy.logsf(z - b)


def cauchy_loss(t):
    """Loss of ⊥^t ⊤^t with Cauchy query noise and Lap(1) threshold noise."""

    def log_integral(a, b, peak):
        """Log integral of density times bracket to the t; the peak is taken out."""
        height = log_bracket(peak, a, b)
        kinks = [-1, -0.2, 0, 0.2, 0.5, 0.8, 1, 1.2, 2]
        whole, _ = quad(
            lambda z: math.exp(t * (log_bracket(z, a, b) - height) - abs(z)), -60, 60, points=kinks, limit=400
        )
        return t * height + math.log(whole)

    return log_integral(0, 1, 0.5) - log_integral(1, 0, 0.0)
