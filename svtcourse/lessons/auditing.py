"""The figures of *Auditing a mechanism you did not write*, and the audits behind them."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

import svtlib as svt
from svtcourse.chapter.boxes import BOXES
from svtcourse.chapter.tables import load_table
from svtcourse.figures import display, plots
from svtlib.proofs.audit import clopper_pearson

BLUE, ORANGE = plots.style("alg1").color, plots.style("alg4").color
ON_D, ON_NEIGHBOUR = [1] * 4 + [0] * 4, [0] * 4 + [1] * 4
MOVES = {
    "one rises": [1] + [0] * 7,
    "one falls": [-1] + [0] * 7,
    "one rises, the rest fall": [1] + [-1] * 7,
    "one falls, the rest rise": [-1] + [1] * 7,
    "half rise, half fall": [1] * 4 + [-1] * 4,
    "all rise": [1] * 8,
    "all fall": [-1] * 8,
}
PAIRS = {name: ([0] * 8, move) for name, move in MOVES.items()} | {"blocks change places": (ON_D, ON_NEIGHBOUR)}
POWERS = 3 ** np.arange(8)  # a row of signs, plus one, times these is its number
ALG1 = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
SIX = [f"alg{k}" for k in range(1, 7)]
TENTH = {v: svt.variant(v).calibrate(epsilon=0.1, c=1) for v in SIX}


def certified(k, k_there, runs, confidence=0.99):
    """Lower bound on epsilon from how often an event happened on either side."""
    low, high = clopper_pearson(k, k_there, runs, (1 - confidence) / 2)
    return max(0.0, math.log(low / high)) if low else 0.0


def _frequencies(box, answers, runs=200_000):
    """How often each outcome came, by its number."""
    rows = box(answers, runs, np.random.default_rng(1))
    values, numbers = np.unique((rows + 1) @ POWERS[: rows.shape[1]], return_counts=True)
    return dict(zip(values.tolist(), (numbers / runs).tolist(), strict=True))


def five_boxes(*, alt):
    """For each box the frequencies of its outcomes on D and on D′, with the cone of ratios up to e."""
    fig, (*axes, last) = plots.new_figure(columns=3, rows=2, height=4.4)
    seen, line = {}, np.array([1e-5, 1])
    for ax, (name, box) in zip(axes, BOXES.items(), strict=True):
        here, there = _frequencies(box, ON_D), _frequencies(box, ON_NEIGHBOUR)
        either = {k: max(here.get(k, 0), there.get(k, 0)) for k in here.keys() | there.keys()}
        often = sorted(k for k, frequency in either.items() if frequency > 4e-4)
        seen[name] = len([k for k in often if not here.get(k) or not there.get(k)])
        x, y = (np.array([max(side.get(k, 0), 1e-5) for k in often]) for side in (here, there))
        ax.fill_between(line, line / math.e, line * math.e, color=BLUE, alpha=0.12, linewidth=0)
        ax.plot(x, y, ".", color=ORANGE, markersize=4)
        ax.set(xscale="log", yscale="log", xlim=(7e-6, 1), ylim=(7e-6, 1), title=name)
        ax.set_xticks([1e-4, 1e-2, 1], ["", "0.01", "1"])
        ax.set_yticks([1e-4, 1e-2, 1], ["0.0001", "0.01", "1"])
        ax.minorticks_off()
        ax.tick_params(labelbottom=True)
    assert seen["A"] == sum(seen.values()) == 1
    for ax in (axes[0], axes[3]):
        ax.set_ylabel("frequency on D′")
    for ax in axes[3:]:
        ax.set_xlabel("frequency on D")
    last.axis("off")
    last.text(0.05, 0.5, "shaded:\nup to e times\nas often", transform=last.transAxes)
    return display.figure(fig, alt=alt)


@functools.cache
def audits_of_nothing(times=100, runs=2000):
    """Bounds of audits of Alg. 1 on one list twice: the event counted on other runs than chosen on, and on the same."""
    sampler = svt.sampler_of(ALG1)

    def on_the_same(rng):
        """The largest bound over sets of outcomes, chosen on the runs that are counted."""
        codes = np.concatenate([sampler(ON_D, runs, rng) + 1 for _ in range(2)]) @ POWERS
        values, index = np.unique(codes, return_inverse=True)
        here, there = (np.bincount(part, minlength=values.size) for part in np.split(index, 2))
        order = np.argsort(-(here + 1) / (there + 1), kind="stable")
        sets = zip(np.cumsum(here[order]), np.cumsum(there[order]), strict=True)
        return max(certified(*counts, runs) for counts in list(sets)[:-1])

    def on_others(rng):
        """The bound of an audit with as many runs for the search and for the count."""
        return svt.audit(sampler, ON_D, ON_D, trials=2 * runs, rng=rng).epsilon_lower

    return tuple(np.array([way(np.random.default_rng(k)) for k in range(times)]) for way in (on_others, on_the_same))


def same_list_twice(*, alt):
    """Histograms of what a hundred audits certify where the truth is 0."""
    separate, same = audits_of_nothing()
    assert (separate == 0).all() and (same > 0).sum() == 83 and round(same.max(), 1) == 0.2
    fig, (ax,) = plots.new_figure(height=2.6)
    bins = np.arange(-0.02, 0.4, 0.04)
    ax.hist(same, bins=bins, color=ORANGE, alpha=0.7, label="counted on the same runs")
    ax.hist(separate, bins=bins, color=BLUE, histtype="step", linewidth=2, label="on others")
    ax.set(xlabel="certified, where the truth is 0", ylabel="audits of 100")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def expected(p, loss, runs):
    """What that many runs certify where every count is as expected."""
    return certified(p * runs, p * math.exp(-loss) * runs, runs)


def how_many_runs(*, alt):
    """What a number of runs certifies, for four events, and three audits of box D."""
    sizes = 10.0 ** np.arange(3, 9.01, 0.25)
    cases = [(0.1, 1.5), (0.01, 1.5), (0.01, 1.1), (0.0001, 1.5)]
    fig, (ax,) = plots.new_figure(height=3.2)
    enough = []
    for case, dash in zip(cases, ("-", "--", ":", "-."), strict=True):
        line = [expected(*case, n) for n in sizes]
        ax.plot(
            sizes,
            line,
            dash,
            color=BLUE,
            linewidth=2,
            label=f"p = {case[0]:g}, loss {case[1]}".replace("1e-04", "0.0001"),
        )
        assert line[-1] > 1 > line[0]
        enough.append(float(f"{10 ** brentq(lambda x, case=case: expected(*case, 10**x) - 1, 2.5, 9):.2g}"))
    assert enough == [2400, 25_000, 490_000, 2_500_000]
    box_d = replace(ALG1, query_noise=svt.Laplace(4))
    curve = svt.pair_curve(box_d, ON_NEIGHBOUR, ON_D)
    k = int(np.argmax(curve.loss))
    assert (curve.loss > 1).sum() == 1 and round(float(curve.loss[k]), 2) == 1.17
    assert [round(expected(math.exp(curve.log_p[k]), curve.loss[k], n), 2) for n in (400_000, 200_000)] == [1.09, 1.05]
    seeds = [audited(BOXES["D"], ON_NEIGHBOUR, ON_D, 400_000, seed=seed) for seed in range(8)]
    assert [round(min(seeds), 2), round(max(seeds), 2)] == [0.99, 1.11]
    dots = {n: audited(BOXES["D"], ON_NEIGHBOUR, ON_D, n, seed=1) for n in (4000, 40_000, 400_000)}
    ax.plot([n / 2 for n in dots], list(dots.values()), "D", color=ORANGE, label="box D")
    ax.axhline(1, color="#000000", linewidth=1)
    ax.set(xscale="log", xlabel="runs that are counted", ylabel="certified")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def audited(box, a, b, trials, confidence=0.99, seed=5):
    """What that many runs certify on this pair, in this direction."""
    return svt.audit(box, a, b, trials=trials, confidence=confidence, rng=np.random.default_rng(seed)).epsilon_lower


def positive(q):
    """Probability of ⊤ with threshold noise Lap(2) and query noise Lap(8)."""
    return math.exp(svt.log_probability(ALG1, [q], "⊤"))


def box_e(*, alt):
    """Loss of negatives in a row in box E, and how likely they are."""
    lengths, step = np.arange(1, 61), math.log1p(-positive(-1)) - math.log1p(-positive(0))
    assert math.ceil(1 / step) == 11 and f"{(1 - positive(-1)) ** 11:.0e}" == "1e-03"
    fig, (left, right) = plots.new_figure(rows=2, height=4.2)
    left.plot(lengths, lengths * step, color=ORANGE, linewidth=2)
    left.axhline(1, color="#000000", linewidth=1)
    left.set(ylabel="loss")
    right.plot(lengths, 10.0 ** (lengths * math.log10(1 - positive(-1))), color=BLUE, linewidth=2)
    right.set(yscale="log", xlabel="answers ⊥ in a row", ylabel="probability")
    return display.figure(fig, alt=alt)


def audited_program(row):
    """The mechanism of one line of the auditors' logs, its two lists, and its threshold."""
    m = svt.variant(row.variant).calibrate(epsilon=row.epsilon, c=1)
    a, b = (tuple(map(float, x.split())) for x in (row.answers, row.answers_there))
    assert np.abs(np.subtract(a, b)).max() == 1 and len(a) == len(b) == 10
    return m, a, b, row.threshold


@functools.cache
def curve_of(m, a, b, threshold):
    """Every outcome's exact probabilities on the two lists."""
    return svt.pair_curve(m, a, b, threshold)


def largest(m, a, b, threshold):
    """The largest loss of an outcome on this pair, either way round."""
    if m.release == "indicator":
        return float(np.abs(curve_of(m, a, b, threshold).loss).max())
    ends = [[False] * k + [x] for k in range(10) for x in (-60.0, 0.0, 7.5)]
    return max(abs(svt.privacy_loss(m, a, b, end, threshold)) for end in ends)


def auditors(*, alt):
    """Largest losses of Alg. 1 to 6 on ten answers and on the eight kinds of pair, with what auditors certified."""
    logs = load_table("auditors")
    by_ten = {v: svt.worst_case(m, n=10).loss for v, m in TENTH.items()}
    for v in SIX:  # not more: by proof, or each of ten factors moves by exp(1/20)
        most = 10 / 20 if v in ("alg3", "alg6") else svt.prove(TENTH[v]).epsilon
        assert TENTH[v].query_noise == svt.Laplace(20) or most != 0.5
        assert math.isclose(by_ten[v], most, rel_tol=1e-9)
    flat = (1.0,) * 10
    moves = ([1] + [0] * 9, [-1] + [0] * 9, [1] + [-1] * 9, [-1] + [1] * 9, [1] * 5 + [-1] * 5, [1] * 10, [-1] * 10)
    kinds = [(flat, tuple(1.0 + np.array(move))) for move in moves]
    kinds.append(((1.0,) * 5 + (0.0,) * 5, (0.0,) * 5 + (1.0,) * 5))
    level = logs.drop_duplicates("variant").set_index("variant").threshold
    on_kinds = {v: max(largest(TENTH[v], *ab, level[v]) for ab in kinds) for v in SIX}
    tried = [{a, b} for _, a, b, _ in map(audited_program, logs.itertuples())]
    assert all(any(pair == {*ab} for ab in kinds) for pair in tried)
    ours = {}
    for row in logs[logs.auditor == "DP-Sniper regression"].itertuples():
        m, a, b, threshold = audited_program(row)
        ours[row.variant] = audited(svt.sampler_of(m, threshold), a, b, 250_000, confidence=0.9)
    best = logs.groupby(["variant", logs.auditor.str.split().str[0]]).lower_bound.max()
    assert np.round([best["alg1", "DP-Sniper"], on_kinds["alg1"]], 3).tolist() == [0.086, 0.089]
    assert np.round([best["alg4", "StatDP"], on_kinds["alg4"]], 4).tolist() == [0.1719, 0.1725]
    assert round(on_kinds["alg6"], 2) == 0.42 and round(best["alg3"].max(), 2) == 0.18
    assert np.round([best["alg5", "DP-Sniper"], best["alg5", "StatDP"]], 3).tolist() == [1.761, 14.314]
    end = 40.0
    assert logs.lower_bound.max() < end
    fig, (ax,) = plots.new_figure(height=3.6)
    for y, v in enumerate(SIX):
        mine = logs[logs.variant == v]
        ax.barh(y, min(by_ten[v], end), color=plots.style(v).color, alpha=0.35, height=0.6)
        ax.plot([min(on_kinds[v], end)] * 2, [y - 0.36, y + 0.36], color="#000000", linewidth=2)
        for name, marker in (("DP-Sniper", "o"), ("StatDP", "^")):
            x = mine[mine.auditor.str.startswith(name)].lower_bound
            ax.plot(x, [y] * len(x), marker, color="#000000", fillstyle="none")
        ax.plot(ours[v], y, "D", color=ORANGE, markersize=5)
        if by_ten[v] == math.inf:
            ax.text(end * 1.1, y, "∞", va="center", fontsize=13)
    for label, marker, color in (
        ("DP-Sniper", "o", "#000000"),
        ("StatDP", "^", "#000000"),
        ("ours, few runs", "D", ORANGE),
    ):
        ax.plot([], [], marker, color=color, fillstyle="full" if marker == "D" else "none", label=label)
    ax.set_xscale("symlog", linthresh=0.1, linscale=1.5)
    ax.set(xlim=(-0.003, 70), xlabel="ε, in even steps up to the 0.1 that is claimed, then by factors")
    ax.set_xticks([0, 0.05, 0.1, 1, 10], ["0", "0.05", "0.1", "1", "10"])
    ax.set_yticks(range(6), [plots.style(v).label for v in SIX])
    ax.axvline(0.1, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    ax.invert_yaxis()
    ax.legend(frameon=False, fontsize=10, loc="upper right")
    return display.figure(fig, alt=alt)
