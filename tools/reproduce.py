"""What the sources number, computed again: ours in data/reproduction.csv, which the report shows.

A row of the file names what the source prints and how close is close enough; the function here that has its source and
item computes ours and says whether it is.  `make reference` runs them after the tables of 10,000 runs; a test computes
every row again and compares.
"""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import svtlib as svt
from svtcourse.chapter import experiments
from svtcourse.chapter.tables import load_table

FILE = Path(__file__).resolve().parent.parent / "data" / "reproduction.csv"
LSL17, LSL16, LECTURE = "Lyu, Su & Li 2017", "Lyu, Su & Li 2016", "Machanavajjhala 2012"
NEAR, LIU = "Near & Abuah", "Liu et al. 2024"
Compute = Callable[[], tuple[str, bool]]
ROWS: dict[tuple[str, str], Compute] = {}


def row(source: str, item: str) -> Callable[[Compute], Compute]:
    """Register what computes one row: ours, in words, and whether it is what the status of the row says."""

    def register(compute: Compute) -> Compute:
        ROWS[source, item] = compute
        return compute

    return register


# Lyu, Su & Li 2017


@row(LSL17, "Figure 1: Alg. 1 to 6")
def listings() -> tuple[str, bool]:
    """The verdicts of the catalogue."""
    sound = [k for k in range(1, 7) if svt.actual_epsilon(f"alg{k}", 1.0, c=1) <= 1.0]
    return f"private: {', '.join(f'Alg. {k}' for k in sound)}", sound == [1, 2]


@row(LSL17, "Figure 2: differences among the six")
def differences() -> tuple[str, bool]:
    """The scales as the listings print them."""
    scales = [str(svt.variant(key).query_scale) for key in ("alg3", "alg2")]
    return f"Alg. 3: {scales[0]}, Alg. 2: {scales[1]}", scales == ["cΔ/ε₂", "2cΔ/ε₁"]


@row(LSL17, "Table 1: datasets")
def table1() -> tuple[str, bool]:
    """Items, counted."""
    items = experiments.table1()["items"].tolist()
    return ", ".join(f"{n:,}" for n in items), items == [1_657, 41_270, 2_290_685, 10_000]


@row(LSL17, "Table 2: methods")
def table2() -> tuple[str, bool]:
    """The variant, the passes and the splits at c = 8 of every family of methods that can be run."""
    family = {name: "-".join(name.split("-")[:2]) for name in experiments.METHODS}
    keys = {family[name]: method.key for name, method in experiments.METHODS.items()}
    again = {family[name] for name, method in experiments.METHODS.items() if method.passes > 1}
    ones = [method.mechanism(0.1, 8) for name, method in experiments.METHODS.items() if family[name] == "SVT-S"]
    right = (
        keys == {"SVT-DPBook": "alg2", "SVT-S": "alg7", "SVT-ReTr": "alg7", "EM": "em"}
        and again == {"SVT-ReTr"}
        and [round(one.epsilon2 / one.epsilon1, 6) for one in ones] == [1.0, 3.0, 8.0, 4.0]
    )
    return "; ".join(f"{name}: {key}" for name, key in keys.items()), right


@row(LSL17, "Figure 3: the 300 highest scores")
def figure3() -> tuple[str, bool]:
    """First and 300th score of each curve."""
    curves = {title: svt.load_scores(name).top(300)[[0, -1]] for title, name in experiments.DATASETS.items()}
    ends = [f"{title} {top:,.0f} to {end:,.0f}" for title, (top, end) in curves.items()]
    return "; ".join(ends), all(top > end for top, end in curves.values())


def _long(**where: object) -> float:
    table = load_table("table3-10000")
    for name, value in where.items():
        table = table[table[name] == value]
    return float(table.ser_mean.item())


@row(LSL17, "Figure 4: interactive methods")
def figure4() -> tuple[str, bool]:
    """The cell that section 6 quotes."""
    place = {"dataset": "Kosarak", "epsilon": 0.1, "c": 50}
    book, even = _long(**place, method="SVT-DPBook"), _long(**place, method="SVT-S-1:1")
    return f"DPBook {book:.3f}, SVT-S-1:1 {even:.3f}", abs(book - 0.705) < 0.05 and even > 0.05


@row(LSL17, "Figure 5: EM and SVT-ReTr")
def figure5() -> tuple[str, bool]:
    """The largest margin of re-traversal over EM, in standard errors of the difference."""
    table = load_table("retraversal-10000")
    shown, sigmas = [], []
    for title, name in (("BMS-POS", "bms-pos"), ("Kosarak", "kosarak")):
        part = table[(table.scores == name) & (table.c == 300)]
        em, rest = part[np.isinf(part.deviations)].iloc[0], part[~np.isinf(part.deviations)]
        best = rest.loc[rest.ser_mean.idxmin()]
        shown.append(f"{title}, c = 300: {best.ser_mean:.4f} at {best.deviations:g}D against {em.ser_mean:.4f}")
        sigmas.append((em.ser_mean - best.ser_mean) / math.hypot(best.ser_std, em.ser_std) * 100)
    return "; ".join(shown), sigmas[0] > 4 and sigmas[1] < 4


# Lyu, Su & Li 2016


@row(LSL16, "Table 3: 240 cells of SER")
def table3() -> tuple[str, bool]:
    """p-values of every printed mean and standard deviation under the law of 100 runs."""
    p = load_table("table3-pvalues")[["p_mean", "p_std"]].to_numpy().ravel()
    small = ", ".join(f"{int((p < level).sum())} below {level:g}" for level in (0.05, 0.01, 0.001))
    least = p.size * float(p.min())
    return f"{p.size} p-values: {small}; the smallest times {p.size} is {least:.2f}", p.size == 480 and least > 0.05


@row(LSL16, "Figure 3: SER against c")
def figure3_of_2016() -> tuple[str, bool]:
    """The cells that the later version quotes."""
    place = {"dataset": "AOL", "epsilon": 0.1, "c": 150}
    ours = [_long(**place, method=name) for name in ("EM", "SVT-S-1:c^(2/3)", "SVT-S-1:1")]
    close = all(abs(x - y) < 0.03 for x, y in zip(ours, (0.15, 0.59, 0.99), strict=True))
    return ", ".join(f"{x:.3f}" for x in ours), close


for _item, _same in {"Figures 1 and 2": (listings, differences), "Tables 1 and 2": (table1, table2)}.items():
    row(LSL16, _item)(lambda same=_same: ("as for 2017", all(fine for _, fine in (one() for one in same))))


# Machanavajjhala 2012


@row(LECTURE, "Laplace, one query at a time")
def lecture() -> tuple[str, bool]:
    """Exact probability that one of ten answers is off by more than the printed bound, at beta = 0.05."""
    n, epsilon, beta = 10, 1.0, 0.05
    alpha = n / epsilon * math.log(1 / beta)
    one = math.exp(-alpha * epsilon / n)
    whole = 1 - (1 - one) ** n
    return f"one of 10 fails: {whole:.3f} at β = 0.05", abs(one - beta) < 1e-12 and whole > beta


# Near & Abuah


def _age() -> tuple[np.ndarray, np.ndarray]:
    age = svt.load_adult("age")
    return np.asarray(age.values), np.asarray(age.count)


@row(NEAR, "Out[7]: age_sum_query(adult, 30)")
def out7() -> tuple[str, bool]:
    """The clipped sum."""
    total = svt.load_adult("age").clipped_sum(30)
    return f"{total:.0f}", total == 913_809


def _clipping() -> tuple[list[int], list[float]]:
    age, bounds = svt.load_adult("age"), list(range(1, 150, 5))
    return bounds, [age.clipped_sum(b) - age.clipped_sum(b + 1) for b in bounds]


@row(NEAR, "Out[205]: AboveThreshold's clipping bound")
def out205() -> tuple[str, bool]:
    """Probability of the printed output, exactly."""
    bounds, answers = _clipping()
    mechanism = svt.variant("above_threshold").calibrate(epsilon=0.1)
    law = [math.exp(svt.log_probability(mechanism, answers[: k + 1], "⊥" * k + "⊤")) for k in range(len(bounds))]
    p = law[bounds.index(101)]
    return f"Pr[101] = {p:.3f}, Pr[91] = {max(law):.3f}", p > 0.01 and bounds[int(np.argmax(law))] == 91


@row(NEAR, "Out[207]: sparse, c = 3")
def out207() -> tuple[str, bool]:
    """Probability of the printed output, exactly."""
    outcome = ["⊥"] * 24
    for k in (19, 22, 23):
        outcome[k] = "⊤"
    mechanism = svt.variant("sparse").calibrate(epsilon=1.0, c=3)
    p = math.exp(svt.log_probability(mechanism, _clipping()[1][:24], "".join(outcome)))
    return f"Pr = {p:.4f}", p > 1e-3


@row(NEAR, "Out[219]: ten random range queries")
def out219() -> tuple[str, bool]:
    """The ranges lower < age < upper, lower from 30 to 49 and upper from lower to 69, that give these counts."""
    value, number = _age()
    ranges: dict[int, list[tuple[int, int]]] = {}
    for low in range(30, 50):
        for high in range(low, 70):
            ranges.setdefault(int(number[(value > low) & (value < high)].sum()), []).append((low, high))
    printed = (6163, 1602, 3967, 3745, 14271, 898, 0, 808, 6657, 17655)
    unique = [ranges[count][0] for count in printed if count and len(ranges.get(count, [])) == 1]
    shown = ", ".join(f"({low}, {high})" for low, high in unique)
    return f"ranges {shown}", len(unique) == 9 and 0 in ranges


@row(NEAR, "Out[222]: noisy counts of the ranges above 10,000")
def out222() -> tuple[str, bool]:
    """Probability that two Laplace errors are together as large."""
    x = (abs(14272.137097167237 - 14271) + abs(17697.903735723932 - 17655)) / 10
    p = (1 + x) * math.exp(-x)
    return f"errors 1.1 and 42.9: p = {p:.3f}", p > 0.01


@row(NEAR, "Out[118], Out[120]: automatic averages")
def averages() -> tuple[str, bool]:
    """The true means."""
    means = svt.load_adult("age").mean(), svt.load_adult("capital_gain").mean()
    close = all(abs(x / y - 1) < 0.01 for x, y in zip((38.5750654706846, 1068.1445048412666), means, strict=True))
    return f"true means {means[0]:.2f} and {means[1]:,.2f}", close


@row(NEAR, "Out[25]: the naive choice of a clipping bound")
def out25() -> tuple[str, bool]:
    """How often the first noisy increase of at most 10 is at 101, with Laplace noise of scale 100 b on the sum at b."""
    age, bounds, trials = svt.load_adult("age"), np.arange(1, 1000, 10), 20_000
    sums = np.array([age.clipped_sum(b) for b in bounds])
    noisy = sums + np.random.default_rng(25).laplace(size=(trials, bounds.size)) * 100 * bounds
    stops = np.diff(noisy, axis=1, prepend=0) <= 10
    chosen = np.where(stops.any(axis=1), bounds[stops.argmax(axis=1)], bounds[-1])
    values, counts = np.unique(chosen, return_counts=True)
    share = float((chosen == 101).mean())
    return f"101 in {share:.1%}, most often {values[counts.argmax()]}", share > 0.01


@row(NEAR, "In[123]: the plot of the differences")
def plot123() -> tuple[str, bool]:
    """The differences that are plotted."""
    answers = _clipping()[1]
    rising = bool((np.diff(answers) >= 0).all())
    return f"from {answers[0]:,.0f} at 1 to {answers[-1]:.0f} from 91 on", rising and answers[18:] == [0.0] * 12


# Liu et al. 2024


@row(LIU, "Table 2: datasets")
def liu_table2() -> tuple[str, bool]:
    """Items, and how many lie above the thresholds of the table."""
    items = [svt.load_scores(name).items for name in ("t40i10d100k", "bms-pos", "kosarak", "adult")]
    above = svt.load_scores("adult").above(200)
    right = items == [942, 1657, 41270, 123] and above == 81
    return f"{', '.join(f'{n:,}' for n in items)}; Adult above 200: {above}", right


@row(LIU, "Table 1: feasible noise")
def liu_table1() -> tuple[str, bool]:
    """The families for which an alignment has a finite price, on either side."""
    alg1 = svt.variant("alg1").calibrate(epsilon=1.0)
    kinds = {"Laplace": svt.Laplace, "exponential": svt.Exponential, "Gumbel": svt.Gumbel, "Gaussian": svt.Gaussian}

    def priced(field: str) -> list[str]:
        proofs = {name: svt.prove(replace(alg1, **{field: kind(4.0)})) for name, kind in kinds.items()}
        return [name for name, proof in proofs.items() if math.isfinite(proof.epsilon)]

    threshold, queries = priced("threshold_noise"), priced("query_noise")
    right = threshold == queries == ["Laplace", "exponential", "Gumbel"]
    return f"threshold: {', '.join(threshold)}; queries: {', '.join(queries)}", right


@row(LIU, "Table 3 and Table 4: methods and their splits")
def liu_table4() -> tuple[str, bool]:
    """The splits of least variance at c = 50."""
    wanted = {"svt_exp": math.sqrt(2) * 50, "svt_gumbel": math.pi * 50 / math.sqrt(3), "alg7": 100.0}
    found = {key: svt.variant(key).calibrate(epsilon=1.0, c=50) for key in wanted}
    splits = {key: m.epsilon2 / m.epsilon1 for key, m in found.items()}
    right = all(abs(splits[key] / value ** (2 / 3) - 1) < 1e-6 for key, value in wanted.items())
    return "at c = 50: " + ", ".join(f"{split:.2f}" for split in splits.values()), right


@row(LIU, "Table 5: corrections of the threshold")
def liu_table5() -> tuple[str, bool]:
    """The mean corrections as they come out, and epsilon times the printed optima."""
    share = 100 ** (2 / 3) / (1 + 100 ** (2 / 3))
    means = [50 / (e * share) for e in (0.01, 0.05, 0.1, 1.0, 2.0)]
    optima = [0.01 * 35450.45, 0.05 * 7147.15, 0.1 * 2803.30, 280.78, 2 * 138.89]
    printed = (5232.08, 1046.42, 523.21, 52.32, 26.16)
    near = all(abs(mean - p) < 0.01 for mean, p in zip(means, printed, strict=True))
    shown = (", ".join(f"{mean:.2f}" for mean in means), ", ".join(f"{optimum:.1f}" for optimum in optima))
    return "; ε times the optima: ".join(shown), near and max(optima) > 1.25 * min(optima)


@row(LIU, "Figures 1 and 2: designs")
def liu_figures12() -> tuple[str, bool]:
    """The proofs of the variants that the diagrams show."""
    proofs = {key: svt.prove(svt.variant(key).calibrate(epsilon=1.0, c=2)) for key in ("alg7", "svt_exp")}
    costs = ", ".join(f"{key} costs {proof.epsilon:g}" for key, proof in proofs.items())
    return costs, all(proof.holds for proof in proofs.values())


@row(LIU, "Figures 3, 4 and 5: accuracy, variance, correction")
def liu_figures345() -> tuple[str, bool]:
    """Standard deviations of a comparison at c = 50, and the best correction at c = 1."""
    found = {key: svt.variant(key).calibrate(epsilon=1.0, c=50) for key in ("alg7", "svt_exp", "svt_gumbel")}
    spread = {key: math.sqrt(m.threshold_noise.variance + m.query_noise.variance) for key, m in found.items()}
    best = svt.threshold_correction(svt.variant("svt_exp").calibrate(epsilon=1.0), 10, joint=False)
    text = ", ".join(f"{key} {value:.0f}" for key, value in spread.items())
    return f"deviations at c = 50: {text}; correction for k = 10: {best:.2f}", min(spread, key=spread.get) == "svt_exp"


@row(LIU, "Figures 6, 7 and 8: scores, NCR, traverses")
def liu_figures678() -> tuple[str, bool]:
    """The largest lead over SVT-Lap, and over Laplace noise with a correction."""
    cells = load_table("liu-1000")
    mean = cells[np.isinf(cells.passes)].set_index(["dataset", "epsilon", "method"]).ncr_mean.unstack()
    lead = (mean["SVT-Exp (optimal)"] - mean["SVT-Lap"]).max()
    twin = (mean["SVT-Exp (run)"] - mean["Lap (run)"]).abs().max()
    return f"ahead of SVT-Lap by up to {lead:.2f} in NCR, of corrected Laplace noise by {twin:.3f}", twin < 0.02 < lead


def recorded() -> list[dict[str, str]]:
    """The rows of the file."""
    with FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def computed(told: dict[str, str], compute: Compute) -> dict[str, str]:
    """The row with our number in it; ValueError if it is not what the status says."""
    begun = time.perf_counter()
    ours, fine = compute()
    seconds = time.perf_counter() - begun
    if not fine:
        raise ValueError(f"{told['source']}, {told['item']}: recorded as {told['status']}, but ours is {ours}")
    return told | {"ours": ours, "seconds": "< 0.1" if seconds < 0.1 else f"{seconds:.1f}"}


def main() -> None:
    """Write ours into the file, and how long it took."""
    rows = [computed(told, ROWS[told["source"], told["item"]]) for told in recorded()]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{FILE.name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
