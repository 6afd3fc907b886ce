"""The figures and tables of *In the wild, and the verdict table*, and seven programs with a typical fault each."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import svtlib as svt
from svtcourse.figures import display, pictures, plots
from svtcourse.lessons.auditing import certified

FAR = [-1e4, -1, 0, 1, 1e4]


def versions():
    """The thirteen published versions, as the catalogue has them."""
    return svt.catalogue().loc[list(svt.variants("trial")), ["claimed", "actual", "actual, monotonic"]]


def what_holds(*, alt):
    """Bars: the privacy that really holds for each version, for 3 positives."""
    keys = list(versions().index)
    holds = {key: svt.actual_epsilon(key, 1.0, 3 if svt.variant(key).free_c else 1) for key in keys}
    assert len(keys) == 13 and sum(true > 1.0001 for true in holds.values()) == 6
    fig, (ax,) = plots.new_figure(height=4.2)
    for place, key in enumerate(keys):
        width = min(holds[key], 5.6)
        ax.barh(place, width, height=0.65, color=plots.style(key).color, alpha=0.85)
        text = "∞" if math.isinf(holds[key]) else f"{holds[key]:.3g} ε"
        ax.annotate(text, (width, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=11)
    ax.axvline(1, color="#000000", linewidth=1.2, linestyle=(0, (4, 3)))
    ax.set_yticks(range(len(keys)), [plots.style(key).label for key in keys])
    ax.invert_yaxis()
    ax.set_xlim(0, 6.2)
    ax.set_xlabel("privacy that holds, in units of ε, c = 3")
    ax.grid(False, axis="y")
    return display.figure(fig, alt=alt)


def filter_bill(*, alt):
    """What each draw of the filter pays with five positives, as intended and as it ran."""
    rows = {"as intended": 0.3 / 5, "as it ran": 0.3}
    bars = {name: [("ρ", 0.2), ("ν", 0.5)] + [("number", each)] * 5 for name, each in rows.items()}
    assert abs(sum(pays for _, pays in bars["as it ran"]) - 2.2) < 1e-9
    return pictures.budget_bars(bars, variants=["alg7", "alg3"], alt=alt)


def another_table(*, alt):
    """Counts of overlapping ages of everybody and of those under 40, and which are selected on either table."""
    ages = svt.load_adult("age").series()
    lows = range(20, 60, 5)
    queries = {f"{a}–{a + 9}": lambda age, a=a: a <= age < a + 10 for a in lows}
    ranges = svt.Workload(range(17, 91), queries)
    person = ranges.sensitivity("add/remove")
    assert person.one == 1 and person.together == 2 and not person.disjoint
    tables = [ranges.answers(ages), ranges.answers(ages[ages.index < 40])]
    selecting = svt.variant("sparse").calibrate(epsilon=0.5, c=6)
    chosen, meant = (svt.run(selecting, t, 6000, rng=np.random.default_rng(19)).positives for t in tables)
    assert len(chosen) == 5 and len(meant) == 3 and [tables[1][i] for i in chosen][3:] == [4275, 0]
    fig, (ax,) = plots.new_figure(height=3.0)
    at = np.arange(len(queries))
    kinds = (("everybody: asked", "alg3", tables[0], -0.2), ("under 40: the argument", "alg7", tables[1], 0.2))
    for label, key, counts, shift in kinds:
        ax.bar(at + shift, counts, width=0.38, color=plots.style(key).color, alpha=0.8, label=label)
    for i in chosen:
        ax.annotate("⊤", (i, max(tables[0][i], tables[1][i])), ha="center", va="bottom", fontsize=11)
    ax.axhline(6000, color="#000000", linewidth=1, linestyle=(0, (4, 3)))
    ax.set_xticks(at, list(queries))
    ax.set_ylim(0, 10_500)
    ax.set_ylabel("people")
    ax.legend(frameon=False, fontsize=10)
    return display.figure(fig, alt=alt)


def raw_threshold(answers, threshold, epsilon, c, rng):
    """The threshold without noise."""
    said = []
    for answer in answers:
        said.append(bool(answer + rng.laplace(0, 2 * c / epsilon) >= threshold))
        if sum(said) == c:
            break
    return said


def inverted(answers, threshold, epsilon, c, rng):
    """Scales upside down."""
    said, bar = [], threshold + rng.laplace(0, epsilon / 2)
    for answer in answers:
        said.append(bool(answer + rng.laplace(0, epsilon / (4 * c)) >= bar))
        if sum(said) == c:
            break
    return said


def cancels(answers, threshold, epsilon, c, rng):
    """One draw on both sides."""
    said, noise = [], rng.laplace(0, 2 / epsilon)
    for answer in answers:
        said.append(bool(answer + noise >= threshold + noise))
        if sum(said) == c:
            break
    return said


def from_the_answers(answers, threshold, epsilon, c, rng):
    """A scale computed from the answers."""
    spread = np.ptp(answers) / len(answers)
    said, bar = [], threshold + rng.laplace(0, 2 * spread / epsilon)
    for answer in answers:
        said.append(bool(answer + rng.laplace(0, 4 * c * spread / epsilon) >= bar))
        if sum(said) == c:
            break
    return said


def drawn_once(answers, threshold, epsilon, c, rng):
    """One query noise for all."""
    said, bar = [], threshold + rng.laplace(0, 2 / epsilon)
    nu = rng.laplace(0, 4 * c / epsilon)
    for answer in answers:
        said.append(bool(answer + nu >= bar))
        if sum(said) == c:
            break
    return said


def no_stop(answers, threshold, epsilon, c, rng):
    """No cut-off."""
    bar = threshold + rng.laplace(0, 2 / epsilon)
    return [bool(a + rng.laplace(0, 4 * c / epsilon) >= bar) for a in answers]


def the_number(answers, threshold, epsilon, c, rng):
    """The number that was compared."""
    said, found, bar = [], 0, threshold + rng.laplace(0, 2 / epsilon)
    for answer in answers:
        noisy = answer + rng.laplace(0, 4 * c / epsilon)
        said.append(noisy if noisy >= bar else False)
        found += noisy >= bar
        if found == c:
            break
    return said


FAULTS = {
    "the threshold without noise": raw_threshold,
    "scales upside down": inverted,
    "one draw that cancels on both sides": cancels,
    "a scale computed from the answers": from_the_answers,
    "query noise drawn once": drawn_once,
    "no stop": no_stop,
    "the compared number returned": the_number,
}


def sampler_of_program(program, threshold):
    """Runs of a program as rows: signs, and numbers where there are some."""

    def sampler(answers, trials, rng):
        """Rows of as many runs."""
        n, rows = len(answers), []
        for _ in range(trials):
            said = program(np.array(answers), threshold, 1.0, 2, rng)
            signs = [0 if s is False else 1 for s in said] + [-1] * (n - len(said))
            numbers = [s if isinstance(s, float) else math.nan for s in said]
            rows.append(signs + numbers + [math.nan] * (n - len(said)))
        rows = np.array(rows)
        return rows if program is the_number else rows[:, :n]

    return sampler


def tried(program, epsilon=1.0):
    """Whether the judge finds a program private, the loss of its pair, and what 2,000 runs certify on it."""
    verdict = svt.judge(program, epsilon=epsilon, c=2, trials=4_000)  # so few that no machine is too slow for them
    if verdict.pair is None:
        return verdict.private, 0.0, 0.0
    pair, rng = verdict.pair, np.random.default_rng(13)
    sampler = sampler_of_program(program, pair.threshold)
    runs = svt.audit(sampler, pair.answers, pair.neighbour, trials=2000, rng=rng)
    return verdict.private, pair.loss, runs.epsilon_lower


def unbounded():
    """Losses of larger pairs, or of answers of equal size, for the faults whose loss has no bound."""
    read = "the threshold without noise", "no stop", "the compared number returned"
    m = {name: svt.judge(FAULTS[name], epsilon=1.0, c=2).mechanism for name in read}
    rng, here, there = np.random.default_rng(5), [0.0] * 200, [1.0] * 200
    equal, other = [-1.0] * 4, [-1.0] * 3 + [0.0]
    outputs = [{str(from_the_answers(a, 0.0, 1.0, 2, rng)) for _ in range(200)} for a in (equal, other)]
    return {
        "the threshold without noise": svt.privacy_loss(
            m["the threshold without noise"], [*here, 0.0], [*there, 0.0], "⊥" * 200 + "⊤"
        ),
        "a scale computed from the answers": math.inf if len(outputs[0]) == 1 < len(outputs[1]) else 0.0,
        "no stop": svt.privacy_loss(
            m["no stop"], here + [-x for x in here], there + [-x for x in there], "⊥" * 200 + "⊤" * 200
        ),
        "the compared number returned": svt.privacy_loss(
            m["the compared number returned"], [*here, 0.0], [*there, 0.0], [False] * 200 + [0.0]
        ),
    }


def seven_faults():
    """Table: what each fault can lose, the loss of the judge's pair, and what 2,000 runs certify on it."""
    larger, rows = unbounded(), {}
    assert min(larger.values()) > 20
    for name, program in FAULTS.items():
        _, loss, seen = tried(program)
        most = svt.prove(svt.judge(program, epsilon=1.0, c=2).mechanism).epsilon if program is inverted else math.inf
        assert name in larger or loss == math.inf or most < math.inf
        rows[name] = {"can lose": f"{most:.0f}", "the pair": f"{loss:.1f}", "certified": f"{seen:.1f}"}
    assert sum(float(row["certified"]) < 1 for row in rows.values()) == 3
    # the question below the table: an output of probability 1e-6 on D, and e^1.5 times as rare on D′
    few, more = (certified(1e-6 * runs, 1e-6 * runs / math.exp(1.5), runs, 0.95) for runs in (1e8, 3e8))
    assert few < 1 < more
    return pd.DataFrame(rows).T.replace("inf", "∞").rename_axis("ε = 1, c = 2")


def largest_found(key, monotonic=False, n=8):
    """Largest exact loss found with n queries and c = 2 at ε = 1."""
    v = svt.variant(key)
    m = v.calibrate(epsilon=1.0, c=2 if v.free_c else 1, monotonic=monotonic)
    places = {"alg5": [-1, 0, 1], "abs_value": [-400, -100, 0, 100, 400]}.get(key, [-1e4, 0, 1e4])
    loss = svt.worst_case(m, n, answers_grid=places).loss
    assert loss <= svt.actual_epsilon(v, 1.0, m.c, monotonic) + 1e-9
    return loss


def verdict_table():
    """The verdict table, with the largest losses that a search finds with 8 queries."""
    table = versions()
    differ = table.index[table["claimed"] != table["actual"]].tolist()
    assert len(table) == 13 and len(differ) == 6 and "gptt" in differ
    for column, monotonic in (("found, 8 queries", False), ("found, monotonic", True)):
        table[column] = [f"{largest_found(key, monotonic):.3f}".replace("inf", "∞") for key in table.index]
    return table


def growth(*, alt):
    """Largest loss found for some versions, c = 2 where there is a c, against the number of queries."""
    n = list(range(1, 11))
    curves = {key: [largest_found(key, n=k) for k in n] for key in ("alg1", "alg4", "alg3", "alg6")}
    assert abs(curves["alg4"][-1] - 3.25) < 1e-3 and abs(curves["alg6"][-1] - 5) < 1e-3 and curves["alg1"][-1] < 1.001
    return plots.lines(
        n,
        curves,
        xlabel="number of queries n",
        ylabel="largest loss found",
        reference={"claimed ε = 1": 1.0},
        alt=alt,
    )
