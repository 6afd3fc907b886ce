"""The figures and tables of chapter 6, and what guards the numbers in its prose."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.integrate import quad

import svtlib as svt
from svtcourse.figures import display, pictures, plots
from svtcourse.lessons import shared

ONE = svt.variant("alg3").calibrate(epsilon=1.0)  # c = 1
DASHED = (0, (4, 3))


def one_run(*, alt):
    """One run of Alg. 3 near the threshold, and which noisy thresholds its number rules out."""
    near = np.array([-1.0, 1.0, -2.0, 0.0, 1.0, -1.0, 1.0])
    seen = svt.run(ONE, near, rng=np.random.default_rng(263))
    ran = np.arange(1, seen.length + 1)
    noisy = near[: ran.size] + np.array(seen.tape.nu[: ran.size])
    number, level = seen.released[0], seen.tape.rho[0]
    assert seen.outcome[-1] == number == noisy[-1] and (noisy[:-1] < level).all()
    color = plots.style("alg3").color
    fig, (ax,) = plots.new_figure(height=3.1)
    ax.plot(ran, near[: ran.size], "o", color="#000000", label="true answer")
    ax.vlines(ran, near[: ran.size], noisy, color=color, linewidth=1)
    ax.plot(ran, noisy, "o", color=color, markerfacecolor="none", label="noisy answer")
    ax.axhline(level, color="#000000", linewidth=1.2, linestyle=DASHED)
    ax.text(0.55, level + 0.15, "noisy threshold", fontsize=10)
    high = max(noisy.max(), level) + 3
    hatched = {"facecolor": "none", "edgecolor": color, "hatch": "//", "alpha": 0.7, "linewidth": 0}
    ax.fill_between([0.5, ran[-1] + 0.5], number, high, **hatched, label="ruled out by the number")
    beside = {"xytext": (6, -14), "textcoords": "offset points", "fontsize": 11, "fontweight": "bold"}
    ax.annotate(f"{number:.1f}", (ran[-1], number), **beside)
    ax.set_xticks(ran, ["⊥"] * (ran.size - 1) + ["⊤"])
    ax.set(xlim=(0.5, ran[-1] + 0.7), ylim=(noisy.min() - 1, high))
    plots.name_axes(ax, "queries, and what was answered", "answer minus threshold")
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def densities(*, alt):
    """The density of the number after two negatives on both datasets, and the log of their ratio."""
    a = np.linspace(-6, 10, 65)
    on_d, on_d2 = (
        np.array([svt.log_probability(ONE, [q] * 3, [False, False, float(x)]) for x in a]) for q in (0.0, 1.0)
    )
    assert np.allclose((on_d - on_d2)[a <= 0], 1.5, atol=1e-9)
    peaks = a[[np.argmax(on_d), np.argmax(on_d2)]]
    between = (a >= peaks.min()) & (a <= peaks.max())
    assert np.abs(on_d - on_d2)[between].max() < 0.35
    fig, (left, right) = plots.new_figure(columns=2, height=2.8, shared=False)
    color = plots.style("alg3").color
    left.plot(a, np.exp(on_d), color=color, linewidth=2, label="on D")
    left.plot(a, np.exp(on_d2), color="#000000", linewidth=2, linestyle="--", label="on D′")
    left.set_ylabel("density with ⊥⊥ before it", fontsize=11)
    left.legend(frameon=False, fontsize=10)
    right.plot(a, on_d - on_d2, color=color, linewidth=2)
    for height, name in ((1.0, "ε"), (-1.0, "−ε")):
        right.axhline(height, color="#000000", linewidth=1, linestyle=DASHED)
        right.text(a[-1], height + 0.05, name, ha="right", fontsize=10)
    right.set_ylabel("privacy loss", fontsize=11)
    for ax in (left, right):
        ax.set_xlabel("released number a", fontsize=11)
    return display.figure(fig, alt=alt)


def event(mechanism, answers):
    """Probability of negatives for all queries but the last, then a number ≤ 0."""

    def density(a):
        outcome = [False] * (len(answers) - 1) + [float(a)]
        return math.exp(svt.log_probability(mechanism, answers, outcome))

    return quad(density, -120, 0, epsabs=1e-14, limit=200)[0]


def rare_event(*, alt):
    """The probability of two negatives and a number of at most 0, and of one above 0, on both datasets."""
    on_d, on_neighbour = event(ONE, [0.0] * 3), event(ONE, [1.0] * 3)
    assert abs(on_d - 1 / 192) < 1e-9 and abs(on_neighbour - math.exp(-1.5) / 192) < 1e-9
    rows = svt.sampler_of(ONE)([0.0] * 3, 1_000_000, np.random.default_rng(31))
    sampled = float(((rows[:, :3] == [0, 0, 1]).all(axis=1) & (rows[:, 5] <= 0)).mean())
    assert abs(sampled - on_d) < 4 * math.sqrt(on_d / 1_000_000)
    first, second = (math.exp(svt.log_probability(ONE, [q] * 3, [False, False, True])) for q in (0.0, 1.0))
    assert [round(first - on_d, 4), round(second - on_neighbour, 4)] == [0.0781, 0.0633]
    return plots.two_bars(
        ["⊥⊥, a ≤ 0", "⊥⊥, a > 0"],
        [on_d, first - on_d],
        [on_neighbour, second - on_neighbour],
        variant="alg3",
        highlight="⊥⊥, a ≤ 0",
        alt=alt,
    )


def losses(*, alt):
    """The loss against the number of queries, if all answers rise and on the pair of Theorem 9.11."""

    def rising(c, n):
        """All n answers rise: n - 1 negatives, then the number 0."""
        return shared.lost(svt.variant("alg3").calibrate(epsilon=1.0, c=c), (n - 1, 0, 1, "⊥"), (1, 0, 1, 0.0))

    def theirs(n):
        """The same, but the last answer falls."""
        return shared.lost(ONE, (n - 1, 0, 1, "⊥"), (1, 1, -1, 0.0))

    n_values = np.arange(2, 41)
    curves = {
        "alg3: c = 1, all answers rise": [rising(1, int(n)) for n in n_values],
        "alg3: c = 1, Theorem 9.11": [theirs(int(n)) for n in n_values],
        "alg3: c = 5, all answers rise": [rising(5, int(n)) for n in n_values],
    }
    for values, line in zip(curves.values(), (n_values / 2, n_values / 2 - 1, n_values / 10), strict=True):
        assert np.abs(values - line).max() < 1e-6
    return plots.lines(
        n_values,
        curves,
        reference={"claimed ε = 1": 1.0},
        xlabel="number of queries n",
        ylabel="privacy loss",
        alt=alt,
    )


def bills(program, people, *, alt):
    """What each draw pays with fresh numbers, with and without the factor c; the program is the catalogue's."""
    fresh = svt.variant("alg7").calibrate(epsilon=0.1, c=3, epsilon3=0.05)
    transcript = svt.run(fresh, people, 4000, rng=np.random.default_rng(7))
    replay = svt.exercises.replay(transcript)
    epsilons = fresh.epsilon1, fresh.epsilon2, fresh.epsilon3
    assert program(people, 4000, epsilons, 3, replay) == list(transcript.outcome)
    seven = svt.variant("alg7").calibrate(epsilon=1.0, c=3, epsilon3=0.4)
    shown = {
        "indicators only": svt.variant("alg7").calibrate(epsilon=1.0, c=3),
        "fresh, Lap(cΔ/ε₃)": seven,
        "fresh, Lap(Δ/ε₃)": replace(seven, release_noise=svt.Laplace(1 / seven.epsilon3)),
    }
    proofs = {name: svt.prove(m) for name, m in shown.items()}
    assert svt.prove(svt.variant("alg7"), numbers=True).holds  # for every epsilon and c
    assert [p.holds for p in proofs.values()] == [True, True, False]
    assert proofs["fresh, Lap(Δ/ε₃)"].failing_step == "release"
    paying = {"threshold": "ρ", "positives": "⊤", "release": "numbers"}
    paid = {
        name: [(paying[line.step], float(line.pays)) for line in proof.steps if line.step in paying]
        for name, proof in proofs.items()
    }
    return pictures.budget_bars(paid, variants=["alg7", "alg7", "alg3"], alt=alt)


def bias(mechanism, distance):
    """Mean error of the number that was compared, for an answer at `distance` from the threshold."""
    b, s = mechanism.threshold_noise.scale, mechanism.query_noise.scale

    def excess(z):
        t = abs(z - distance)
        return math.exp(-abs(z) / b) / (2 * b) * math.exp(-t / s) * (t + s) / 2

    total = quad(excess, -40 * b, 40 * b, points=[0, distance], limit=400)[0]
    positive = svt.log_probability(replace(mechanism, release="indicator", c=1), [distance], "⊤")
    return total / math.exp(positive)


def biases(*, alt):
    """The mean error of the compared number and of a fresh one, against the distance from the threshold."""
    compared = svt.variant("alg3").calibrate(epsilon=0.1, c=3)
    distances = np.linspace(-300, 300, 41)
    found = np.array([bias(compared, d) for d in distances])
    assert found[0] > 300 and 0 < found[-1] < 2
    return plots.lines(
        distances,
        {"alg3": found, "alg7": np.zeros_like(distances)},
        xlabel="true answer minus threshold",
        ylabel="mean error of the number",
        alt=alt,
    )


def against_histogram(people):
    """The right groups and the deviation of a number, for Alg. 7 and for a histogram of the ages."""
    truth = "".join("⊤" if count >= 4000 else "⊥" for count in people)
    truth = truth[: truth.index("⊤") + 3]
    first = truth.index("⊤") + 1  # so many bands add up to the first number
    assert first == 8

    def technique(epsilon):
        """Half of the budget for the numbers."""
        mechanism = svt.variant("alg7").calibrate(epsilon=epsilon, c=3, epsilon3=epsilon / 2, monotonic=True)
        signs = replace(mechanism, release="indicator", release_noise=None)
        right = math.exp(svt.log_probability(signs, people, truth, 4000))
        return right, math.sqrt(mechanism.release_noise.variance)

    def histogram(epsilon):
        """Sums of noisy bands."""
        noise, rng = svt.Laplace(1 / epsilon), np.random.default_rng(4)
        counts = people + noise.sample(rng, (20_000, len(people))).cumsum(axis=1)
        right = (counts >= 4000) == (np.array(people) >= 4000)
        return float(right[:, : len(truth)].all(axis=1).mean()), math.sqrt(first * noise.variance)

    rows = {
        f"{name}, ε = {e:g}": way(e)
        for name, way in (("Alg. 7", technique), ("histogram", histogram))
        for e in (0.05, 0.2)
    }
    assert rows["Alg. 7, ε = 0.2"][0] > 0.99 > 0.96 > rows["Alg. 7, ε = 0.05"][0]
    assert rows["histogram, ε = 0.05"][0] > rows["Alg. 7, ε = 0.05"][0]
    assert 3 * math.sqrt(2) > math.sqrt(2 * first)  # at every split: even all of ε would not be enough
    return pd.DataFrame(rows, index=["right groups", "standard deviation of a number"]).T.round(2)
