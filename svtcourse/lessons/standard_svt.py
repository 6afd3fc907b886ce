"""The figures of chapter 4, and what guards the numbers in its prose."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from svtcourse.figures import pictures, plots
from svtcourse.lessons import shared
from svtcourse.lessons.shared import far_loss

T = 60_000
EPSILON = 0.02  # of the comparison at the end
ALG1 = svt.variant("alg1")


def one_run(*, alt):
    """One run of Alg. 1 on two dozen pages, for three positives."""
    some = np.random.default_rng(21).permutation(svt.load_scores("kosarak").top(33)[6:30]).astype(int)
    truth = np.flatnonzero(some >= T)[:3].tolist()
    teaser = ALG1.calibrate(epsilon=0.003, c=3)
    runs = (svt.run(teaser, some, T, rng=np.random.default_rng(k)) for k in range(9999))
    shown = next(run for run in runs if run.positives.tolist() == truth and abs(run.tape.rho[0]) > 1500)
    return shared.run_on_pages(shown, some, T, "alg1", alt=alt)


def without_cutoff(loss_of_halves, endless, *, alt):
    """The loss of m negatives and m positives; one record that counts for the first half does it."""
    both_ways = svt.Workload([True, False], [lambda r: 2 * r - 1, lambda r: 1 - 2 * r])
    assert both_ways.sensitivity().one == 1 and both_ways.answers([True]) == [1, -1]
    m_values = np.array([1, 2, 3, 4, 6, 8, 10, 14, 20])
    growing = [loss_of_halves(endless, int(m)) for m in m_values]
    assert growing[1] < 1 < growing[2] and growing[-1] > 8
    near = svt.log_probability(endless, [0] * 3 + [1] * 3, "⊥⊥⊥⊤⊤⊤")  # at the threshold and next to it
    assert round(math.exp(near), 3) == 0.018
    return plots.lines(
        m_values,
        {"above_threshold: without a cut-off": growing},
        reference={"ε = 1": 1.0},
        xlabel="m negatives and m positives",
        ylabel="privacy loss",
        alt=alt,
    )


def wedge(*, alt):
    """The noise that gives an outcome, and the arrow that carries it into that of the neighbour."""
    mechanism = ALG1.calibrate(epsilon=1.0, c=1)
    return pictures.noise_plane(mechanism, bound=-4, bound_neighbour=-3, gap=1, gap_neighbour=2, alt=alt)


def bills(full, damaged, *, alt):
    """What each noise pays, in Alg. 1 and in the damaged forms whose bill is finite."""
    shown = {"Alg. 1, c = 3": full} | {name: damaged[name] for name in ("no factor 2", "no factor c")}
    return pictures.budget_bars({name: shared.bill(mechanism) for name, mechanism in shown.items()}, alt=alt)


def largest_losses(full, damaged, *, alt):
    """The largest loss found, against the number of queries."""
    n_values = [1, 2, 4, 6, 8, 12, 16, 24, 32]
    found = {
        name: [svt.worst_case(mechanism, n, answers_grid=[-1e4, 0, 1e4]).loss for n in n_values]
        for name, mechanism in {"alg1": full, **damaged}.items()
    }
    assert max(found["alg1"]) <= 1 + 1e-9
    assert abs(found["no factor 2"][-1] - 1.5) < 0.01 and abs(found["no factor c"][-1] - 2) < 0.01
    assert min(found["no threshold noise"][-1], found["no cut-off"][-1]) > 2
    return plots.lines(
        n_values,
        {name if name == "alg1" else f"alg1: {name}": values for name, values in found.items()},
        xlabel="number of queries n",
        ylabel="largest loss found",
        reference={"claimed ε = 1": 1.0},
        alt=alt,
    )


def far_away(*, alt):
    """How much of the budget a run of n queries spends: the smaller of nε/(4c) and ε, nearly."""
    n_values = np.arange(1, 33)
    curves = {
        c: np.array([far_loss(ALG1.calibrate(epsilon=1.0, c=c), n - min(c, n), min(c, n), 1e5) for n in n_values])
        for c in (1, 2, 4)
    }
    for c, values in curves.items():
        bound = np.minimum(1.0, n_values / (4 * c))
        assert (values <= bound + 1e-9).all() and (bound - values).max() < 1e-3
    return plots.lines(
        n_values,
        {f"alg1: c = {c}": values for c, values in curves.items()},
        xlabel="number of queries n",
        ylabel="loss, answers far away",
        reference={"ε = 1": 1.0},
        alt=alt,
    )


def price_of_c(visits, *, alt):
    """The probability that all pages are marked right, for two SVTs and for noise on every answer."""
    truth = (visits >= T).tolist()

    def all_right(mechanism):
        """Exact probability that every page is marked right, without stopping."""
        return math.exp(svt.log_probability(replace(mechanism, cutoff=None), visits, truth, T))

    def on_every_answer(m):
        """Noise that hides sessions of at most m pages."""
        return replace(general(1), threshold_noise=svt.NoNoise(), query_noise=svt.Laplace(m / EPSILON))

    def general(c):
        return ALG1.calibrate(epsilon=EPSILON, c=c)

    def monotonic(c):
        return svt.variant("alg7").calibrate(epsilon=EPSILON, c=c, monotonic=True)

    for m in (10, 160):
        assert svt.Workload.subsets(visits.size, at_most=m).sensitivity().together == m
    c_values = np.array([10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 130])
    ways = {"alg1": general, "alg7: monotonic counts": monotonic, "laplace_all: c pages": on_every_answer}
    right = {name: [all_right(way(int(c))) for c in c_values] for name, way in ways.items()}
    by_c = dict(zip(c_values.tolist(), zip(*right.values(), strict=True), strict=True))
    assert round(by_c[10][0], 2) == 0.96 and round(by_c[40][1], 2) == 0.94 and by_c[40][0] < 0.001
    for c in (10, 20, 32, 40):  # Alg. 1 pays for c as much as sessions of 4c pages do
        assert abs(all_right(general(c)) - all_right(on_every_answer(4 * c))) < 0.001
    for c, low, high in ((20, 1.15, 1.2), (100, 1.05, 1.1)):  # and Alg. 7 as much as a little more than c pages
        assert all_right(on_every_answer(round(high * c))) < by_c[c][1] < all_right(on_every_answer(round(low * c)))
    exponential = all_right(svt.variant("svt_exp").calibrate(epsilon=EPSILON, c=40, monotonic=True))
    assert all_right(on_every_answer(25)) < exponential < all_right(on_every_answer(24))
    runs = [
        svt.run(ALG1.calibrate(epsilon=0.1, c=c), visits, T, rng=np.random.default_rng(9)).length for c in (5, 10, 20)
    ]
    assert runs[0] < runs[1] < runs[2] == visits.size  # too small a c ends the run early
    return plots.lines(
        c_values,
        right,
        log="x",
        xlabel="c: positives, or pages",
        ylabel="probability that all is right",
        alt=alt,
    )
