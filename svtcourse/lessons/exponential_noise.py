"""The figures of *Exponential noise*."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from svtcourse.figures import display, plots

FAMILIES = {"alg7": svt.Laplace(1.0), "svt_gumbel": svt.Gumbel(1.0), "svt_exp": svt.Exponential(1.0)}
LAPLACE = replace(
    svt.variant("alg7"), query_scale=svt.variant("alg1").query_scale
)  # general queries, at their best split
NAMES = {"alg7": "Laplace", "svt_gumbel": "Gumbel", "svt_exp": "exponential"}


def tails(*, alt):
    """Probability that noise makes up for a distance, logarithmic, for three families."""
    x = np.linspace(-4, 6, 101)
    fig, (ax,) = plots.new_figure(height=2.7)
    for key, noise in FAMILIES.items():
        tail = noise.log_at_least(x)
        assert (np.diff(tail) / np.diff(x)).min() > -1 - 1e-9
        ax.plot(x, np.exp(tail), label=NAMES[key], markevery=10, **plots.style(key).line)
    ax.set_yscale("log")
    plots.name_axes(ax, "distance x that the noise must make up for, in scales", "probability of ⊤")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def moved_up(*, alt):
    """An exponential density on either side of 0, and the same moved up by Δ."""
    z = np.linspace(-5, 7, 241)
    fig, axes = plots.new_figure(columns=2, height=2.3)
    for ax, sign, title in zip(axes, (1, -1), ("ρ ≥ 0", "ρ ≤ 0"), strict=True):
        law = svt.Exponential(2.0, sign=sign)
        with np.errstate(over="ignore"):
            here, moved = np.exp(law.logpdf(z)), np.exp(law.logpdf(z - 1))
        ax.plot(z, here, color=plots.style("exp_exp").color, linewidth=2, label="ρ")
        ax.plot(z, moved, "--", color="#000000", linewidth=1.5, label="ρ + Δ")
        lost = (here == 0) & (moved > 0)
        ax.fill_between(z, moved, where=lost, color=plots.style("alg3").color, alpha=0.5, linewidth=0)
        assert lost.any() == (sign < 0)
        ax.set_xlabel(f"threshold noise, {title}", fontsize=11)
        ax.set_yticks([])
        ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def false_alarms(*, alt):
    """How likely an answer two scales lower passes, against one at the threshold."""
    p, w = np.linspace(0.02, 0.98, 49), 2.0
    alarms = {key: np.exp(noise.log_at_least(noise.at_least_inverse(np.log(p)) + w)) for key, noise in FAMILIES.items()}
    assert all((alarm >= np.exp(-w) * p - 1e-12).all() for alarm in alarms.values())
    assert np.allclose(alarms["svt_exp"], np.exp(-w) * p)
    at_90 = [alarms[key][np.argmin(abs(p - 0.9))] for key in FAMILIES]
    assert np.round(at_90, 2).tolist() == [0.34, 0.27, 0.12]
    return plots.lines(
        p,
        {"alg7: Laplace": alarms["alg7"]} | {key: alarms[key] for key in ("svt_gumbel", "svt_exp")},
        xlabel="probability that an answer at T passes",
        ylabel="an answer 2 scales lower passes",
        alt=alt,
    )


def comparison(variant, c, split=None):
    """Variance of one comparison at ε = 1, at the variant's own split or at another one."""
    m = variant.calibrate(epsilon=1.0, c=int(c), split=split)
    return m.threshold_noise.variance + m.query_noise.variance


def relative_variance(*, alt):
    """Least variance of a comparison relative to Laplace noise on both."""
    cs = np.array([1, 2, 3, 5, 8, 13, 20, 32, 50])
    relative = {
        key: [comparison(svt.variant(key), c) / comparison(LAPLACE, c) for c in cs]
        for key in ("svt_exp", "svt_gumbel", "exp_exp")
    }
    gains = [relative["exp_exp"][k] / relative["svt_exp"][k] for k in (0, -1)]
    assert np.round(relative["exp_exp"], 2).tolist() == [0.5] * cs.size and np.round(gains, 2).tolist() == [0.75, 0.97]
    return plots.lines(
        cs,
        relative,
        reference={"Laplace on both": 1.0},
        log="x",
        xlabel="number of positives c",
        ylabel="variance relative to Laplace",
        alt=alt,
    )


def on_age_groups(*, alt):
    """Probability of the right output for the nested age groups, against ε."""
    starts = list(range(90, 15, -5))
    groups = svt.Workload(range(17, 91), {f"at least {s}": lambda age, s=s: age >= s for s in starts})
    assert groups.sensitivity("add/remove").monotonic
    people = groups.answers(svt.load_adult("age").series())
    truth = "".join("⊤" if count >= 4000 else "⊥" for count in people)
    truth = truth[: truth.index("⊤") + 3]
    epsilons = np.geomspace(0.005, 0.05, 9)

    def right(key, epsilon):
        """Probability of exactly this output; one-sided noise has its mean taken off."""
        m = svt.variant(key).calibrate(epsilon=epsilon, c=3, monotonic=True)
        r = m.query_noise.mean - m.threshold_noise.mean
        return math.exp(svt.log_probability(replace(m, correction=r), people, truth, 4000))

    def histogram(epsilon):
        """The same for sums of disjoint bands of five years, each with Laplace noise, in 20,000 runs."""
        bands = np.random.default_rng(15).laplace(0, 1 / epsilon, (20_000, len(truth)))
        above = np.array(people[: len(truth)]) + bands.cumsum(axis=1) >= 4000
        return (above == [said == "⊤" for said in truth]).all(axis=1).mean()

    curves = {key: [right(key, e) for e in epsilons] for key in ("alg7", "svt_exp", "exp_exp")}
    curves["no_svt: histogram"] = [histogram(e) for e in epsilons]
    middle = int(np.argmin(abs(epsilons - 0.016)))
    assert curves["exp_exp"][middle] > curves["svt_exp"][middle] > curves["alg7"][middle]
    assert all(np.subtract(curves["no_svt: histogram"], curves["exp_exp"])[:5] > 0.02)
    return plots.lines(epsilons, curves, log="x", xlabel="ε", ylabel="probability of the right output", alt=alt)


def spent(*, alt):
    """Largest loss found against the number of queries."""
    ns = np.array([1, 2, 3, 4, 6, 8, 10])
    realised = {
        key: [svt.worst_case(svt.variant(key).calibrate(epsilon=1.0, c=2), int(n)).loss for n in ns]
        for key in ("alg1", "geometric", "svt_exp")
    }
    assert realised["svt_exp"][2] > 1 - 1e-9 and realised["alg1"][2] < 0.7
    assert min(realised["alg1"][-2], realised["geometric"][-2]) > 0.95
    return plots.lines(
        ns, realised, reference={"ε": 1.0}, xlabel="number of queries", ylabel="largest loss found", alt=alt
    )
