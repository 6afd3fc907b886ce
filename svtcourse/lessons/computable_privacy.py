"""The figures of chapter 2, and what guards the numbers in its prose."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from svtcourse.figures import display, plots

BLUE, ORANGE, INK, DASHED = plots.style("alg1").color, plots.style("alg4").color, "#000000", (0, (4, 3))


def two_answers(program, *, alt):
    """The probabilities of yes and no with 8 people and with 7; the program is the mechanism."""
    honest = svt.Mechanism(
        "honest", svt.NoNoise(), svt.NoNoise(), c=1, epsilon=1.0, epsilon1=0.0, epsilon2=1.0, cutoff=None
    )
    assert svt.privacy_loss(honest, [8], [7], "⊤", 8) == math.inf
    noisy = replace(honest, query_noise=svt.Laplace(1.0))
    run = svt.run(noisy, [8, 7, 9], 8, rng=np.random.default_rng(1))
    again = svt.exercises.replay(run)
    assert again.laplace(0, 0) == 0  # the threshold has no noise
    assert program([8, 7, 9], 8, 1.0, again) == list(run.outcome)
    probabilities = [
        [math.exp(svt.log_probability(noisy, [people], outcome, 8)) for outcome in ("⊥", "⊤")] for people in (8, 7)
    ]
    return plots.two_bars(
        ["⊥", "⊤"], *probabilities, variant="alg1", highlight="⊤", titles=("8 people", "7 people"), alt=alt
    )


def noisy_count(*, alt):
    """Two Laplace densities and the log of their ratio."""
    x, noise = np.linspace(2, 13, 265), svt.Laplace(1.0)
    here, there = noise.logpdf(x - 8), noise.logpdf(x - 7)
    fig, (above, below) = plots.new_figure(rows=2, height=3.8)
    above.plot(x, np.exp(here), color=BLUE, linewidth=2, label="on D")
    above.plot(x, np.exp(there), "--", color=ORANGE, linewidth=2, label="on D′")
    above.legend(frameon=False, fontsize=11, loc="upper right")
    above.set_ylabel("density", fontsize=11)
    below.plot(x, here - there, color=BLUE, linewidth=2)
    for height, name, at, side in ((1.0, "ε", x[0], "left"), (-1.0, "−ε", x[-1], "right")):
        below.axhline(height, color=INK, linewidth=1, linestyle=DASHED)
        below.annotate(name, (at, height), xytext=(0, 2), textcoords="offset points", ha=side, fontsize=11)
    below.margins(y=0.25)
    plots.name_axes(below, "noisy count that is released", "privacy loss")
    return display.figure(fig, alt=alt)


def power(*, alt):
    """The power of an attacker's test against its false alarms, for one record and for three."""
    cut = np.linspace(-30, 30, 601)
    law = svt.Laplace(1.0)  # at ε = 1

    def says_yes(distance):
        """False alarms and power of "the noisy count is at least t", for all t."""
        return np.exp(law.log_at_least(cut)), np.exp(law.log_at_least(cut - distance))

    for distance in (1, 3):
        alarms, found = says_yes(distance)
        bound = math.exp(distance)
        edge = np.minimum(bound * alarms, 1 - (1 - alarms) / bound)
        assert (found <= edge + 1e-12).all() and np.isclose(found, edge).any()
    assert round(math.exp(1) * 0.05, 3) == 0.136
    fig, (ax,) = plots.new_figure(height=3.8)
    alarm = np.linspace(0, 1, 201)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=1, linestyle=":")
    ax.annotate("guessing", (0.74, 0.74), xytext=(4, -10), textcoords="offset points", fontsize=10)
    for name, epsilon in (("ε", 1), ("3ε", 3)):
        edge = np.minimum(math.exp(epsilon) * alarm, 1 - math.exp(-epsilon) * (1 - alarm))
        ax.plot(alarm, edge, color=INK, linewidth=1, linestyle=DASHED)
        corner = 1 / (1 + math.exp(epsilon))
        ax.annotate(name, (corner, 1 - corner), xytext=(-4, 3), textcoords="offset points", ha="right", fontsize=11)
    for name, distance, dash in (("one record", 1, "-"), ("three records", 3, "--")):
        alarms, found = says_yes(distance)
        ax.plot(alarms, found, color=BLUE, linewidth=2.5, linestyle=dash, label=name)
        ax.fill_between(alarms, alarms, found, color=BLUE, alpha=0.12, linewidth=0)
    ax.legend(frameon=False, fontsize=10, loc="lower right")
    ax.set_xlim(-0.12, 1.02)
    ax.set_ylim(0, 1.02)
    plots.name_axes(ax, "false alarms", "power")
    return display.figure(fig, alt=alt)


def three_lists(possible, *, alt):
    """Three lists of eight queries about ages, and which of them a person of 37 is in."""
    starts = range(15, 95, 10)
    families = {
        "ten-year bands": [lambda age, a=a: a <= age < a + 10 for a in starts],
        "thirty-year bands": [lambda age, a=a: a <= age < a + 30 for a in starts],
        "at least a years": [lambda age, a=a: age >= a for a in starts],
    }
    together = [svt.Workload(possible, family).sensitivity().together for family in families.values()]
    assert together == [1, 3, 8]
    assert [sum(query(37) for query in family) for family in families.values()] == [1, 3, 3]
    fig, axes = plots.new_figure(columns=3, height=2.4)
    for ax, (name, family) in zip(axes, families.items(), strict=True):
        for row, query in enumerate(family):
            inside = [age for age in possible if query(age)]
            ax.plot(
                [inside[0], inside[-1]],
                [row, row],
                color=plots.style("alg1").color,
                linewidth=5 if query(37) else 1.5,
                solid_capstyle="butt",
            )
        ax.axvline(37, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
        ax.set_title(name, fontsize=10)
        ax.set_xlabel("age")
        ax.set_yticks([])
    return display.figure(fig, alt=alt)


def counterexample(alg5, found, bands, *, alt):
    """The probabilities of all outcomes of two queries, on the datasets of the counterexample."""
    answers, neighbour = found.answers, found.neighbour
    moves = np.subtract(answers, neighbour).tolist()
    assert moves == bands.answers([35]) == [0, 1] and found.loss == math.inf
    assert svt.certify(alg5, answers, neighbour, found.outcome).lower == math.inf
    outcomes = ["".join(signs) for signs in itertools.product("⊥⊤", repeat=2)]
    on_d, on_neighbour = ([math.exp(svt.log_probability(alg5, a, o)) for o in outcomes] for a in (answers, neighbour))
    broken = "".join("⊤" if a else "⊥" for a in found.outcome)
    return plots.two_bars(outcomes, on_d, on_neighbour, variant="alg5", highlight=broken, alt=alt)


def growing(alg6, *, alt):
    """The largest loss found for Alg. 6, against the number of queries."""
    sizes = [1, 2, 3, 4, 6, 8, 12, 16]
    found = {n: svt.worst_case(alg6, n).loss for n in sizes}
    assert found[2] <= 1 + 1e-9 < found[4]
    return plots.lines(
        sizes,
        {"alg6": list(found.values())},
        reference={"claimed ε = 1": 1.0},
        xlabel="number of queries",
        ylabel="largest loss found",
        alt=alt,
    )
