"""The figures of *From paper to production*, and its table of checks."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.figures import display, plots

ONE = svt.variant("alg1").calibrate(epsilon=1.0)
CHECKS = {
    "Numbers are drawn in floats": "test_no_float_enters_between_the_bits_and_the_decision",
    "The sampler has the wrong law": "test_draws_have_the_law_of_the_noise",
    "Sensitivity off the lattice": "test_a_sensitivity_off_the_lattice_is_refused",
    "Answers go on after the last ⊤": "test_every_form_of_the_loop_is_the_plain_loop",
    "The noise does not grow with c": "test_every_damage_is_found_at_its_step",
    "The threshold noise is left out or halved": "test_every_damage_is_found_at_its_step",
    "The program is not the mechanism of the proof": "test_the_outcome_has_the_exact_probability",
    "Bits that repeat": "test_bits_of_the_system_differ",
}


def from_bits(bits):
    """Laplace noise of scale 1 from every uniform number of that many bits."""
    u = np.arange(1, 2**bits) / 2**bits
    return np.where(u < 0.5, np.log(2 * u), -np.log(2 - 2 * u))


def two_combs(*, alt):
    """Every number that a machine of six bits and two decimals can release from 1 and from 2."""
    here, there = (set(np.round(100 * (answer + 2 * from_bits(6))).astype(int).tolist()) for answer in (1, 2))
    common = sorted(here & there)
    assert (len(here), len(there), len(common)) == (63, 63, 8)
    fig, (ax,) = plots.new_figure(height=2.2)
    for height, values, key in ((1, here, "alg7"), (0, there, "alg4")):
        x = np.array(sorted(values)) / 100
        ax.vlines(x, height + 0.1, height + 0.8, color=plots.style(key).color, linewidth=1.2)
    ax.plot(np.array(common) / 100, [0.95] * len(common), "kx", markersize=6)
    ax.set_yticks([0.45, 1.45], ["on D′: 2", "on D: 1"])
    ax.grid(visible=False)
    ax.set_xlabel("number that is released")
    return display.figure(fig, alt=alt)


def share_impossible(possible, answer, other, scale):
    """Of 2,000 numbers released from an answer those that another one cannot give."""
    rng = np.random.default_rng(3)
    numbers = [answer + rng.laplace(0, scale) for _ in range(2000)]
    return float(np.mean([not possible(y, other, scale) for y in numbers]))


def given_away(possible, *, alt):
    """Share of released numbers that a count lower by one cannot give, against the count."""
    counts = (0, 1, 3, 10, 30, 100, 300, 1000)
    fig, (ax,) = plots.new_figure(height=3.0)
    for scale, dash in ((2.0, "-"), (8.0, "--"), (100.0, ":")):
        line = [share_impossible(possible, q + 1, q, scale) for q in counts]
        assert line[0] > 0.7 and line[-1] < 0.1
        look = {"color": plots.style("alg7").color, "marker": "o", "label": f"{scale:g}"}
        ax.plot([q + 1 for q in counts], line, dash, **look)
    ax.set(xscale="log", xlabel="count", ylabel="share that gives it away")
    ax.legend(title="scale of the noise", frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def loss_in_bits(distance, bits):
    """Log ratio of Pr[⊤] one nearer to the threshold and here, from uniform numbers of that many bits."""
    rho, nu = np.sort(2 * from_bits(bits)), 4 * from_bits(bits)
    here, nearer = (
        int(np.searchsorted(rho, nu - away + 1e-9, side="right").sum()) for away in (distance, distance - 1)
    )
    if nearer == 0:
        return math.nan
    return math.log(nearer / here) if here else math.inf


def where_noise_ends(*, alt):
    """Loss of ⊤ against the distance to the threshold, with real numbers and with few bits."""
    assert (ONE.query_noise.scale, ONE.threshold_noise.scale) == (4.0, 2.0)
    assert svt.log_probability(ONE, [-36.0 * (4 + 2)], "⊤") / math.log(10) < -23
    ends = {k: (k - 1) * math.log(2) * 6 for k in (6, 8, 10)}
    assert [round(end, 1) for end in ends.values()] == [20.8, 29.1, 37.4]
    far, color = np.arange(0.5, 42, 0.5), plots.style("alg1").color
    fig, (ax,) = plots.new_figure(height=3.0)
    exact = [svt.privacy_loss(ONE, [-d + 1], [-d], "⊤") for d in far]
    ax.plot(far, exact, color=color, linewidth=3, alpha=0.4, label="real numbers")
    for k, dash in ((6, ":"), (8, "--"), (10, "-")):
        line = [min(loss_in_bits(d, k), 4.0) for d in far if d < ends[k] + 1]
        ax.plot(far[: len(line)], line, dash, color=color, linewidth=1.4, label=f"{k} bits")
    ax.set_ylim(-0.1, 3.2)
    ax.set(xlabel="how far the answer lies below the threshold", ylabel="loss of ⊤")
    ax.legend(frameon=False, fontsize=10, loc="upper left")
    return display.figure(fig, alt=alt)


def twenty_thousand(geometric):
    """Draws of an exact sampler at b = 5: numbers, how often each was drawn, and how often it should be."""
    bits, ks = svt.Bits(seed=11), np.arange(-25, 26)
    found = np.array([geometric(5, bits) for _ in range(20_000)])
    return ks, (found[:, None] == ks).sum(axis=0), found.size * np.exp(svt.Geometric(5.0).logpdf(ks))


def drawn(geometric, *, alt):
    """Histogram of these draws, with the expected numbers."""
    ks, observed, expected = twenty_thousand(geometric)
    assert np.abs((observed - expected) / np.sqrt(expected)).max() < 4.5
    fig, (ax,) = plots.new_figure(height=2.8)
    ax.bar(ks, observed, color=plots.style("geometric").color, alpha=0.5, width=0.9)
    ax.plot(ks, expected, "k.", markersize=5)
    ax.set(xlabel="noise", ylabel="of 20,000 draws")
    return display.figure(fig, alt=alt)


def bits_used(*, alt):
    """Mean number of random bits that a draw of whole-number noise takes, by its size."""
    bits, used = svt.Bits(seed=7), {}
    for _ in range(3000):
        before = bits.drawn
        k = abs(bits.draw(svt.Geometric(12.0)))
        used.setdefault(k // 6 * 6, []).append(bits.drawn - before)
    means = {k: float(np.mean(u)) for k, u in sorted(used.items()) if len(u) >= 30}
    least, *_, most = means.values()
    assert most > 1.5 * least
    return plots.lines(
        list(means),
        {"geometric: mean": list(means.values())},
        xlabel="size of the noise, from … to five more",
        ylabel="random bits",
        alt=alt,
    )


def checks():
    """What goes wrong in practice, and the test of this project that notices it."""
    return pd.DataFrame(CHECKS.items(), columns=["what goes wrong", "test"]).set_index("what goes wrong")
