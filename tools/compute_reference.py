"""Compute again the tables in data/computed, all of them or those named: half an hour on two cores.

The seed of every row is [SEED, its row], so any row can be computed again on its own; tests do so for some.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from damaged import damaged, harmless, power_table
from joblib import Parallel, delayed
from numpy.typing import NDArray
from pandas import DataFrame, concat

from svtcourse.chapter.clipping import first_positives
from svtcourse.chapter.correction import threshold_correction
from svtcourse.chapter.experiments import DATASETS, GRIDS, METHODS, Method, cell, errors, sweep
from svtcourse.chapter.tables import load_table
from svtlib.catalogue import variant
from svtlib.mechanism import Mechanism
from svtlib.noise import Laplace, Noise
from svtlib.select.counts import Counts, load_adult
from svtlib.select.expectation import expected_error
from svtlib.select.scores import RECORDS, Scores, load_scores
from svtlib.select.selections import Selections
from svtlib.select.simulate import exponential_mechanism, simulate

TRIALS, SEED = 10_000, 2026
FEWER, MORE = 1_000, 4_000  # runs of what is drawn, and of small differences
AUDITS, RESAMPLES = 100_000, 200_000
PLACE = ["dataset", "epsilon", "c", "method"]
Array = NDArray[np.float64]
FOLDER = Path(__file__).resolve().parent.parent / "data" / "computed"
INCREMENTS = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]


INCREASED = [
    (name, c, d) for name in ("bms-pos", "kosarak") for c in (100, 200, 250, 300) for d in (*INCREMENTS, math.inf)
]


def raised(row: int) -> dict[str, object]:
    """SER of SVT-ReTr-1:c^(2/3) at epsilon = 0.1, by increment; of the exponential mechanism where it is infinite."""
    dataset, c, deviations = INCREASED[row]
    best = METHODS["SVT-ReTr-1:c^(2/3)"]
    method = Method("em") if math.isinf(deviations) else replace(best, scales=0.0, deviations=deviations)
    rng = np.random.default_rng([SEED, row])
    lost = method.select(load_scores(dataset), epsilon=0.1, c=c, trials=TRIALS, rng=rng).ser()
    return {"scores": dataset, "c": c, "deviations": deviations, "ser_mean": lost.mean(), "ser_std": lost.std()}


def tails(law: Array, printed: float, statistic: Callable[..., Array], rng: np.random.Generator) -> float:
    """Two-sided p-value of a printed statistic of 100 runs, if a run has this law and three decimals are printed.

    Twice the smaller of the shares of resamples at most and at least as large, 1 at most; never below 2 / RESAMPLES.
    """
    low = high = 1
    for _ in range(0, RESAMPLES, 20_000):
        drawn = np.round(statistic(rng.choice(law, (20_000, 100)), axis=1), 3)
        low += int((drawn <= printed + 1e-9).sum())
        high += int((drawn >= printed - 1e-9).sum())
    return min(1.0, 2 * min(low, high) / (RESAMPLES + 1))


def judged(row: int) -> dict[str, object]:
    """A cell of Table 3 as printed, and 100 runs of ours in its place, against the law of 10,000 runs."""
    place = load_table("table3-10000").iloc[row][PLACE]
    found = load_table("table3-published")
    printed = found[(found[PLACE] == place).all(axis=1)].iloc[0]
    where = (str(place.dataset), float(place.epsilon), int(place.c), str(place.method))
    law = errors(*where, trials=TRIALS, seed=[SEED, row])["ser"]
    own = cell(*where, trials=100, seed=[2016, row])
    rng = np.random.default_rng([SEED, row, 1])
    values = {
        "p_mean": tails(law, float(printed.ser_mean), np.mean, rng),
        "p_std": tails(law, float(printed.ser_std), np.std, rng),
        "own_p_mean": tails(law, round(own["ser_mean"], 3), np.mean, rng),
        "own_p_std": tails(law, round(own["ser_std"], 3), np.std, rng),
    }
    return dict(zip(PLACE, where, strict=True)) | values


def summary(runs: Selections, by: str = "c") -> dict[str, float]:
    """Mean and standard deviation of SER, and how often fewer than c are selected."""
    lost = runs.ser()
    if by == "selected":  # as the formula is printed: an average over those that were selected
        lost = 1 - (1 - lost) * runs.c / np.maximum(runs.selected, 1)
    return {
        "ser_mean": float(lost.mean()),
        "ser_std": float(lost.std()),
        "fewer": float((runs.selected < runs.c).mean()),
    }


def reading_places() -> list[tuple[str, float, int, str, str]]:
    """Cells of Table 3 that another reading of the text would change, and how."""
    return [
        (*place, "by selected" if place[3].startswith("SVT-S") else "by deviation")
        for place in product(*GRIDS["table 3"])
        if place[3].startswith(("SVT-S", "SVT-ReTr"))
    ]


def reading(row: int) -> dict[str, object]:
    """One cell under the other reading: SER by the number selected, or T raised by one standard deviation."""
    dataset, epsilon, c, name, how = reading_places()[row]
    method = METHODS[name] if how == "by selected" else replace(METHODS[name], scales=0.0, deviations=1.0)
    rng = np.random.default_rng([SEED, row])
    runs = method.select(load_scores(DATASETS[dataset]), epsilon=epsilon, c=c, trials=FEWER, rng=rng)
    found = summary(runs, "selected" if how == "by selected" else "c")
    return dict(zip((*PLACE, "reading"), reading_places()[row], strict=True)) | found


def halved(noise: Noise) -> Noise:
    """The same Laplace noise at half its scale."""
    return Laplace(getattr(noise, "scale", 0.0) / 2)


def suspects(epsilon: float, c: int) -> dict[str, Mechanism]:
    """SVT-DPBook, it with one difference from SVT-S-1:1 removed, and Alg. 1 in both forms."""
    book = variant("alg2").calibrate(epsilon=epsilon, c=c, monotonic=True)
    one = variant("alg1").calibrate(epsilon=epsilon, c=c, monotonic=True)
    small = Laplace(getattr(book.threshold_noise, "scale", 0.0) / c)
    return {
        "SVT-DPBook": book,
        "threshold noise divided by c": replace(book, threshold_noise=small, refresh_noise=small),
        "query noise halved": replace(book, query_noise=halved(book.query_noise)),
        "Alg. 1, not halved": one,
        "Alg. 1, halved = SVT-S-1:1": replace(one, query_noise=halved(one.query_noise)),
    }


SUSPECTED = [
    *(("Kosarak", 0.1, c) for c in (50, 75, 100, 150, 200, 300)),
    ("AOL", 0.1, 50),
    ("AOL", 0.5, 150),
    ("BMS-POS", 0.1, 100),
    ("BMS-POS", 0.1, 300),
]


def suspect(row: int) -> dict[str, object]:
    """SER of one of the suspects in one setting."""
    (dataset, epsilon, c), name = list(product(SUSPECTED, suspects(1.0, 1)))[row]
    scores, rng = load_scores(DATASETS[dataset]), np.random.default_rng([SEED, row])
    runs = simulate(suspects(epsilon, c)[name], scores, scores.threshold(c), trials=FEWER, rng=rng)
    return {"dataset": dataset, "epsilon": epsilon, "c": c, "mechanism": name} | summary(runs)


def jittered(scores: Scores, seed: int) -> Scores:
    """The same list, every count moved by 2 % at random."""
    moved = np.repeat(scores.support, scores.count)
    moved = moved * (1 + 0.02 * np.random.default_rng(seed).standard_normal(scores.items))
    support, count = np.unique(np.round(moved), return_counts=True)
    return Scores(support[::-1], count[::-1], "estimate", f"{scores.source}, every count moved by 2 %")


RIVALS = [
    *(("bms-pos", seed, c, d) for seed in (0, 1, 2, 3, 4) for c, d in ((300, 1.5), (300, 2.0))),
    ("zipf", 0, 300, 2.5),
    ("t40i10d100k", 0, 300, 1.0),
    ("t40i10d100k", 0, 300, 2.0),
    ("kosarak", 0, 100, 2.0),
]


def rival(row: int) -> dict[str, object]:
    """SVT-ReTr-1:c^(2/3) less EM at epsilon = 0.1; on bms-pos every count is moved by 2 %, with this seed."""
    name, seed, c, deviations = RIVALS[row]
    scores = jittered(load_scores(name), seed) if name == "bms-pos" else load_scores(name)
    rng = np.random.default_rng([SEED, row])
    method = replace(METHODS["SVT-ReTr-1:c^(2/3)"], scales=0.0, deviations=deviations)
    two = [one.select(scores, epsilon=0.1, c=c, trials=MORE, rng=rng) for one in (method, METHODS["EM"])]
    found: dict[str, object] = {"scores": name, "seed": seed, "c": c, "deviations": deviations}
    for measure in ("ser", "fnr"):
        a, b = (getattr(runs, measure)() for runs in two)
        found |= {f"{measure}_less_em": a.mean() - b.mean(), f"{measure}_error": math.sqrt((a.var() + b.var()) / MORE)}
    return found


WATCHED = [("bms-pos", 300), ("t40i10d100k", 300), ("kosarak", 100)]
RAISES = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
BUDGETS = ("EM", "EM with epsilon2")


def watched(row: int) -> dict[str, object]:
    """SER at epsilon = 0.1 of SVT-ReTr-1:c^(2/3) at one increment, or of EM with all or with a part of the budget."""
    (name, c), what = list(product(WATCHED, (*RAISES, *BUDGETS)))[row]
    scores, rng, best = load_scores(name), np.random.default_rng([SEED, row]), METHODS["SVT-ReTr-1:c^(2/3)"]
    if isinstance(what, str):
        budget = 0.1 if what == BUDGETS[0] else best.mechanism(0.1, c).epsilon2
        runs = METHODS["EM"].select(scores, epsilon=budget, c=c, trials=MORE, rng=rng)
        found: dict[str, object] = {"method": what, "deviations": 0.0}
    else:
        method = replace(best, scales=0.0, deviations=what)
        runs = method.select(scores, epsilon=0.1, c=c, trials=MORE, rng=rng)
        found = {"method": "re-traversal", "deviations": what}
    lost = runs.ser()
    return {"scores": name, "c": c} | found | {"ser_mean": lost.mean(), "ser_std": lost.std()}


FRACTIONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


PUBLIC = [
    (dataset, c, fraction) for dataset, c in product(DATASETS, (50, 100, 200, 300)) for fraction in (*FRACTIONS, None)
]


def public(row: int) -> dict[str, object]:
    """Expected SER of SVT-S-1:c^(2/3) at epsilon = 0.1 with T a fraction of the published number of records.

    None stands for the threshold of the experiments, computed from the data. Re-traversal, at the same threshold, has
    no expectation in closed form: 1,000 runs.
    """
    dataset, c, fraction = PUBLIC[row]
    scores, mechanism = load_scores(DATASETS[dataset]), METHODS["SVT-S-1:c^(2/3)"].mechanism(0.1, c)
    threshold = scores.threshold(c) if fraction is None else fraction * RECORDS[DATASETS[dataset]]
    once = expected_error(mechanism, scores, threshold)
    rng = np.random.default_rng([SEED, row])
    again = simulate(mechanism, scores, threshold, trials=FEWER, rng=rng, passes=math.inf).ser()
    return {
        "dataset": dataset,
        "c": c,
        "fraction": "from the data" if fraction is None else f"{fraction:g}",
        "threshold": threshold,
        "above": scores.above(threshold),
        "ser": once.ser,
        "fnr": once.fnr,
        "selected": once.selected,
        "again_mean": again.mean(),
        "again_std": again.std(),
    }


# Liu et al. 2024, Table 2: dataset, threshold and c of their Figures 7 and 8.
LIU = {
    "Binary": ("binary", 500.0, 50),
    "Zipf": ("zipf10k", 200.0, 50),
    "T40I10D100K": ("t40i10d100k", 11_850.0, 50),
    "BMS-POS": ("bms-pos", 13_600.0, 50),
    "Kosarak": ("kosarak", 10_500.0, 50),
    "Adult": ("adult", 200.0, 5),
}
# Variant, and the correction of its threshold: the product of Equation 9, the probability of the run, or a mean.
CORRECTED = {
    "SVT-Exp (optimal)": ("svt_exp", "product"),
    "SVT-Exp (mean)": ("svt_exp", "mean"),
    "SVT-Exp (no)": ("svt_exp", "no"),
    "SVT-Gumbel": ("svt_gumbel", "mean"),
    "SVT-Lap": ("alg7", "no"),
    "SVT-Exp (run)": ("svt_exp", "run"),
    "Lap (run)": ("alg7", "run"),
    "Exp on both (run)": ("exp_exp", "run"),
}
EPSILONS, TRAVERSES = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0), (1, 2, 3, 5, 10)
LIU_CELLS = [
    *product(LIU, EPSILONS, (*CORRECTED, "EM", "upper bound"), (math.inf,)),
    *product(LIU, (0.1,), CORRECTED, TRAVERSES),
    *product(LIU, (0.05,), CORRECTED, TRAVERSES),
]


def corrected(method: str, epsilon: float, c: int, k: int) -> Mechanism:
    """One of their methods, or of ours beside them, with the correction for k negatives."""
    key, kind = CORRECTED[method]
    mechanism = variant(key).calibrate(epsilon=epsilon, c=c)
    if kind == "no":
        return mechanism
    mean = mechanism.query_noise.mean - mechanism.threshold_noise.mean
    shift = mean if kind == "mean" else threshold_correction(mechanism, k, joint=kind == "run")
    return replace(mechanism, correction=shift)


def top_of_noisy(scores: Scores, epsilon: float, c: int, rng: np.random.Generator) -> Selections:
    """Their upper bound: the c largest scores after adding exponential noise of mean 1 / epsilon2, without a c."""
    epsilon2 = epsilon * (math.sqrt(2) * c) ** (2 / 3) / (1 + (math.sqrt(2) * c) ** (2 / 3))
    items = np.repeat(np.arange(scores.support.size), scores.count)
    counts = []
    for _ in range(FEWER):
        noisy = scores.support[items] + rng.exponential(1 / epsilon2, items.size)
        best = items[np.argpartition(noisy, -c)[-c:]]
        counts.append(np.bincount(best, minlength=scores.support.size))
    trial, value = np.nonzero(counts)
    return Selections(scores, c, FEWER, trial, value, np.array(counts)[trial, value])


def traversed(row: int) -> dict[str, object]:
    """NCR and F1 of one method on one of the datasets of Liu et al., 1,000 runs."""
    dataset, epsilon, method, passes = LIU_CELLS[row]
    name, threshold, c = LIU[dataset]
    scores = load_scores(name, c=c) if name == "binary" else load_scores(name)
    rng = np.random.default_rng([SEED, row])
    if method == "EM":
        chosen = exponential_mechanism(scores, c, epsilon=epsilon, trials=FEWER, rng=rng)
    elif method == "upper bound":
        chosen = top_of_noisy(scores, epsilon, c, rng)
    else:
        mechanism = corrected(method, epsilon, c, scores.items // c)
        chosen = simulate(mechanism, scores, threshold, trials=FEWER, rng=rng, passes=passes)
    rank, harmonic = chosen.ncr(), chosen.f1()
    return {
        "dataset": dataset,
        "epsilon": epsilon,
        "method": method,
        "passes": passes,
        "ncr_mean": rank.mean(),
        "ncr_std": rank.std(),
        "f1_mean": harmonic.mean(),
        "f1_std": harmonic.std(),
    }


# SVT-S-1:c^(2/3) and EM where epsilon and c vary together.
EQUAL_RATIOS = (list(DATASETS), [0.05, 0.1, 0.2, 0.4], [25, 50, 100, 200], ["SVT-S-1:c^(2/3)", "EM"])

NAIVE, STEPS = np.arange(1.0, 1000, 10), np.arange(1.0, 150_000, 5)
DOUBLE = 2.0 ** np.arange(18)
TENTHS = np.unique(np.ceil(1.1 ** np.arange(126)))  # up to the first above 149,000
THOUSANDTHS = 1.001 ** np.arange(27_645)  # up to 10^12

# How the bound is searched: its list, the variant, how many rows over epsilon may be above, whether the sum is centred.
# With 50, 31 and 17 the three variants pass a bound that nobody is above with probability 0.01.
SEARCHES: dict[str, tuple[Array, str, float, bool]] = {
    "naive search": (NAIVE, "naive", 0, False),
    "auto_avg": (STEPS, "above_threshold", 0, False),
    "doubling": (DOUBLE, "above_threshold", 0, False),
    "tenths": (TENTHS, "above_threshold", 0, False),
    "tenths, lower": (TENTHS, "above_threshold", 50, False),
    "tenths, Alg. 7": (TENTHS, "alg7", 0, False),
    "tenths, Alg. 7, lower": (TENTHS, "alg7", 31, False),
    "tenths, SVT-Exp, lower": (TENTHS, "svt_exp", 17, False),
    "tenths, SVT-Exp, lower, centred": (TENTHS, "svt_exp", 17, True),
    "thousandths, SVT-Exp, lower, centred": (THOUSANDTHS, "svt_exp", 17, True),
    "histogram, doubling, centred": (DOUBLE, "histogram", 0, True),
    "histogram, tenths, centred": (TENTHS, "histogram", 0, True),
    "exponential mechanism, tenths, centred": (TENTHS, "em", 17, True),
}
SEARCHED = list(product(("age", "capital_gain"), (1.0, 0.1), SEARCHES))
CONFIDENCE = 0.999  # that no empty bin of the histogram passes its threshold


def chosen(
    column: Counts, epsilon: float, search: tuple[Array, str, float, bool], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Index of the bound that each of AUDITS searches finds with a third of epsilon; the length stands for none."""
    bounds, how, above, _ = search
    trials, k, noise = AUDITS, bounds.size, 3 / epsilon
    over, rows = column.rows_above(bounds), above / epsilon
    if how == "naive":
        sums = np.array([column.clipped_sum(b) for b in bounds])
        noisy = sums + rng.laplace(size=(trials, k)) * k * bounds * noise
        hit = np.diff(noisy, axis=1, prepend=0) <= 10
    elif how == "histogram":  # the highest bin whose noisy count passes: its upper end, as Google's ApproxBounds
        counts = -np.diff(over, prepend=column.rows)
        least = -noise * math.log(2 - 2 * CONFIDENCE ** (1 / (k - 1)))
        full = counts + rng.laplace(scale=noise, size=(trials, k)) >= least
        return np.where(full.any(axis=1), k - 1 - full[:, ::-1].argmax(axis=1), k)
    elif how == "em":
        score = -np.abs(over - rows) / (2 * noise)
        return np.asarray(np.argmax(score + rng.gumbel(size=(trials, k)), axis=1))
    else:
        mechanism = variant(how).calibrate(epsilon=epsilon / 3, monotonic=how != "above_threshold")
        return first_positives(mechanism, -over, -rows, trials=trials, rng=rng)
    return np.where(hit.any(axis=1), hit.argmax(axis=1), k)


def averaged(
    column: Counts, bound: Array, total: Array, epsilon: float, centred: bool, rng: np.random.Generator
) -> Array:
    """The noisy sum over the noisy count, a third of epsilon each; centred: of what exceeds half of the bound."""
    middle = bound / 2 if centred else np.zeros_like(bound)
    noise = rng.laplace(scale=3 / epsilon, size=(2, bound.size))
    return np.asarray(middle + (total - middle * column.rows + (bound - middle) * noise[0]) / (column.rows + noise[1]))


def searched(row: int) -> dict[str, object]:
    """What one way of choosing the bound makes of an average: clipped at the last bound where nothing was found."""
    name, epsilon, how = SEARCHED[row]
    column, search = load_adult(name), SEARCHES[how]
    rng = np.random.default_rng([SEED, row])
    index = chosen(column, epsilon, search, rng)
    bounds, last = search[0], search[0].size - 1
    used = np.minimum(index, last)
    total = np.array([column.clipped_sum(b) for b in bounds])[used]
    off = averaged(column, bounds[used], total, epsilon, search[3], rng) - column.mean()
    return {
        "column": name,
        "epsilon": epsilon,
        "search": how,
        "bound": float(np.median(bounds[used])),
        "none": float((index > last).mean()),
        "bias": float(total.mean() / column.rows - column.mean()),
        "error": float(np.abs(off).mean()),
        "standard_error": float(np.abs(off).std() / math.sqrt(AUDITS)),
        "q95": float(np.quantile(np.abs(off), 0.95)),
    }


def check(row: int) -> dict[str, object]:
    """What the three checks say about one changed mechanism; "—" stands for nothing."""
    change = (*damaged(), *harmless())[row]
    table = power_table(np.random.default_rng([SEED, row]), [change], trials=AUDITS).reset_index()
    table.insert(1, "private", change.step is None)
    return dict(table.replace("", "—").iloc[0])


ROWS: dict[str, tuple[Callable[[int], dict[str, object]], int]] = {
    "checks_100000": (check, len(damaged()) + len(harmless())),
    "clipping_100000": (searched, len(SEARCHED)),
    "liu_1000": (traversed, len(LIU_CELLS)),
    "public_thresholds": (public, len(PUBLIC)),
    "raises_4000": (watched, len(WATCHED) * (len(RAISES) + len(BUDGETS))),
    "readings_1000": (reading, len(reading_places())),
    "retraversal_10000": (raised, len(INCREASED)),
    "rivals_4000": (rival, len(RIVALS)),
    "suspects_1000": (suspect, 5 * len(SUSPECTED)),
    "table3_pvalues": (judged, 240),
}
"""Tables of which any row can be computed alone, with the number of rows."""

SWEEPS: dict[str, list[tuple[Any, int, int]]] = {
    "curves_1000": [(GRIDS["figure 4"], FEWER, 2017), (GRIDS["figure 5"], FEWER, 2018)],
    "equal_ratios_1000": [(EQUAL_RATIOS, FEWER, 19)],
    "table3_10000": [(GRIDS["table 3"], TRIALS, SEED)],
}
"""Tables of whole grids: the grids, how many runs, and the seed."""


def again(name: str, row: int) -> dict[str, Any]:
    """One row of the table of this name, computed alone: its seed is made from its place."""
    if name in ROWS:
        return ROWS[name][0](row)
    for grid, trials, seed in SWEEPS[name]:
        places = list(product(*grid))
        if row < len(places):
            return dict(cell(*places[row], trials=trials, seed=[seed, row]))
        row -= len(places)
    raise IndexError(f"{name} has no such row")


def made(name: str) -> DataFrame:
    """The table of this name."""
    if name in SWEEPS:
        parts = [sweep(*grid, trials=trials, seed=seed) for grid, trials, seed in SWEEPS[name]]
        return concat(parts, ignore_index=True)
    function, rows = ROWS[name]
    return DataFrame(Parallel(n_jobs=-1)(delayed(function)(row) for row in range(rows)))


def main(names: list[str]) -> int:
    """Write the files of these names."""
    known = sorted([*ROWS, *SWEEPS])
    unknown = set(names) - set(known)
    if unknown:
        print(f"No table {', '.join(sorted(unknown))}: name some of {', '.join(known)}.")
        return 1
    for name in names or known:
        begun = time.monotonic()
        made(name).round(6).to_csv(FOLDER / f"{name}.csv", index=False, lineterminator="\n")
        print(f"{name}.csv after {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
