"""The figures of chapter 3, and what guards the numbers in its prose."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from svtcourse.chapter import accuracy
from svtcourse.figures import display, plots
from svtcourse.lessons import shared

T = 60_000
EPSILON, BETA = 0.1, 0.05
NAIVE = svt.Mechanism(
    "naive",
    threshold_noise=svt.NoNoise(),
    query_noise=svt.Laplace(1.0),
    c=1,
    epsilon=1.0,
    epsilon1=0.0,
    epsilon2=1.0,
)


def one_run(*, alt):
    """One run of AboveThreshold on two dozen pages, of which the seventeenth is the first above the threshold."""
    some = svt.load_scores("kosarak").top(36)[7:31].astype(int)
    mixed = (np.random.default_rng(seed).permutation(some) for seed in range(100))
    some = next(pages for pages in mixed if np.argmax(pages >= T) == 16)
    teaser = svt.variant("above_threshold").calibrate(epsilon=0.001)
    runs = (svt.run(teaser, some, T, rng=np.random.default_rng(k)) for k in range(1000))
    shown = next(run for run in runs if abs(run.tape.rho[0]) > 3000 and run.positives.tolist() == [16])
    return shared.run_on_pages(shown, some, T, "above_threshold", alt=alt)


def shift(*, alt):
    """The curve under which the probability lies, on D and on D', and the move that compares them."""
    m, z = svt.variant("above_threshold").calibrate(epsilon=1.0), np.linspace(-9.0, 13.0, 221)

    def curve(z, negatives, positive):
        """Density of the threshold noise, times the probability of four negatives and a positive with these answers."""
        signs = 4 * m.query_noise.log_less(z - negatives) + m.query_noise.log_at_least(z - positive)
        return np.exp(m.threshold_noise.logpdf(z) + signs)

    whole = np.linspace(-200, 200, 400_001)
    probability = math.exp(svt.log_probability(m, [1, 1, 1, 1, -1], "⊥⊥⊥⊥⊤"))
    assert abs(np.trapezoid(curve(whole, 1, -1), whole) - probability) < 1e-6
    here, there, moved = curve(z, 0, 0), curve(z, 1, -1), curve(z + 1, 1, -1)
    cover = math.e * moved
    assert (here <= cover * (1 + 1e-9)).all()
    blue, orange = plots.style("above_threshold").color, plots.style("alg4").color
    fig, (left, right) = plots.new_figure(columns=2, height=2.6)
    left.plot(z, here, color=blue, linewidth=2, label="on D")
    left.plot(z, there, "--", color=orange, linewidth=2, label="on D′")
    right.fill_between(z, here, cover, color=orange, alpha=0.15, linewidth=0)
    right.plot(z, here, color=blue, linewidth=2, label="on D")
    right.plot(z, moved, "--", color=orange, linewidth=2, label="D′, moved by Δ")
    right.plot(z, cover, ":", color=orange, linewidth=3, label="$e^ε$ times that")
    right.set_ylim(0, 1.7 * cover.max())
    for ax in (left, right):
        ax.set_xlabel("threshold noise z", fontsize=11)
        ax.set_yticks([])
        ax.legend(frameon=False, fontsize=10, loc="upper right", handlelength=1.4)
    left.set_ylabel("density × probability", fontsize=11)
    return display.figure(fig, alt=alt)


def naive(edits, *, alt):
    """The outcomes of the naive version on two counts, with and without a session; none of the edits is private."""
    decided = [svt.decide(edited) for edited in edits.values()]
    assert [found.private for found in decided] == [False] * 4
    pairs = [found.certificate for found in decided]
    assert max(np.abs([*pair.answers, *pair.neighbour]).max() for pair in pairs) <= 1
    assert [svt.prove(edited).epsilon for edited in edits.values()] == [math.inf, 1.5, math.inf, math.inf]
    certificate = svt.certify(NAIVE, [0, 0], [1, 1], "⊥⊥")
    assert certificate.exceeds(1) and abs(certificate.lower - 2) < 1e-9
    outcomes = ["⊥⊥", "⊥⊤", "⊤"]
    probabilities = [
        [math.exp(svt.log_probability(NAIVE, answers, o)) for o in outcomes] for answers in ([0, 0], [1, 1])
    ]
    return plots.two_bars(
        outcomes,
        *probabilities,
        variant="naive",
        highlight="⊥⊥",
        titles=("two counts at T", "with one session more"),
        alt=alt,
    )


def alpha_theorem(n):
    """The α of the theorem at ε = 0.1 and β = 0.05."""
    return 4 / EPSILON * np.log(2 * n / (3 * BETA))


def smallest_alpha(*, alt):
    """The smallest α against the number of queries, with the theorem's and the textbook's."""
    mechanism = svt.variant("above_threshold").calibrate(epsilon=EPSILON)
    n_values = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000])
    exact = np.array([svt.smallest_alpha(mechanism, int(n), BETA) for n in n_values])
    textbook = np.array([accuracy.alpha_svt(int(n), EPSILON, BETA) for n in n_values])
    assert (round(exact[0]), round(exact[-1])) == (103, 469) and (textbook > 2 * exact).all()
    alarms = [svt.failure_probability(mechanism, [-200.0] * n, alpha=200) for n in (10, 100, 1000)]
    assert [round(p, 4) for p in alarms] == [0.0425, 0.3165, 0.9195]
    assert alpha_theorem(11) < 200 < alpha_theorem(12)
    return plots.lines(
        n_values,
        {"above_threshold": exact},
        log="x",
        reference={"the theorem": alpha_theorem(n_values), "8(log n + log 2/β)/ε": textbook},
        xlabel="number of queries n",
        ylabel="error α at β = 0.05, ε = 0.1",
        alt=alt,
    )


def few_questions(n_pages):
    """Guard: for which few questions noise on all answers is better, and by how much the exponential mechanism is."""
    mechanism = svt.variant("above_threshold").calibrate(epsilon=EPSILON)
    monotonic = svt.variant("alg7").calibrate(epsilon=EPSILON, monotonic=True)

    def needed(way, n):
        """Smallest α for n queries."""
        return svt.smallest_alpha(way, n, BETA)

    for n in (1, 2, 3, 4, 5, 6, 10):
        on_every = needed(replace(NAIVE, query_noise=svt.Laplace(n / EPSILON)), n)
        assert (on_every < needed(mechanism, n)) == (n <= 4)
        assert (on_every < needed(monotonic, n)) == (n <= 2)
    for n in (10, 100, 1000, 10_000):  # records cut to their first m questions
        for m in (1, 2, 3, 4, 5):
            cut = needed(replace(NAIVE, query_noise=svt.Laplace(m / EPSILON)), n)
            assert (cut < needed(mechanism, n)) == (m <= 4) and (cut < needed(monotonic, n)) == (m <= 2)
    assert 3.8 < needed(mechanism, n_pages) / accuracy.alpha_em(n_pages, EPSILON, BETA) < 4


def ways(census):
    """Three mechanisms for the census question, as functions of ε."""
    person = census.sensitivity(neighbours="add/remove")

    def histogram(epsilon):
        """Noisy counts of all bands, then compared with T: the law of the naive version."""
        return replace(NAIVE, query_noise=svt.Laplace(person.together / epsilon), epsilon=epsilon)

    return {
        "above_threshold": lambda e: svt.variant("above_threshold").calibrate(epsilon=e),
        "alg7: monotonic counts, best split": lambda e: svt.variant("alg7").calibrate(
            epsilon=e, monotonic=person.monotonic
        ),
        "laplace_all: noisy histogram": histogram,
    }


def names_right(mechanism, people, threshold=4000):
    """Exact probability that the run names the first band that reaches the threshold."""
    right = next(i for i, count in enumerate(people) if count >= threshold)
    return math.exp(svt.log_probability(mechanism, people, "⊥" * right + "⊤", threshold))


def three_mechanisms(census, people, *, alt):
    """The probability of the right band, against ε, for two SVTs and a histogram."""
    few_questions(n_pages=41_270)
    budgets = np.array([0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2])
    rights = {name: [names_right(way(e), people) for e in budgets] for name, way in ways(census).items()}
    first_way, second_way, third_way = (np.array(x) for x in rights.values())
    ahead = third_way - np.maximum(first_way, second_way)
    assert (ahead > 0).all() and ahead[2] > 0.02
    return plots.lines(budgets, rights, xlabel="ε", ylabel="probability of the right band", alt=alt)
