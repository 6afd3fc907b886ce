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
from damaged import Change, damaged, harmless
from joblib import Parallel, delayed
from numpy.typing import NDArray
from pandas import DataFrame

import svtlib as svt
from svtcourse.chapter.clipping import first_positives
from svtcourse.chapter.correction import threshold_correction
from svtcourse.chapter.experiments import DATASETS, GRIDS, METHODS, Method, cell, errors
from svtcourse.chapter.tables import load_table
from svtlib.catalogue import variant
from svtlib.mechanism import Mechanism
from svtlib.noise import Laplace
from svtlib.select.counts import Counts, load_adult
from svtlib.select.expectation import expected_error
from svtlib.select.scores import RECORDS, Scores, load_scores
from svtlib.select.selections import Selections
from svtlib.select.simulate import exponential_mechanism, simulate

TRIALS, SEED = 10_000, 2026
FEWER, MORE = 1_000, 4_000  # runs of what is drawn, and of small differences
AUDITS, RESAMPLES = 100_000, 200_000
PLACE = ("dataset", "epsilon", "c", "method")
Array = NDArray[np.float64]
FOLDER = Path(__file__).resolve().parent.parent / "data" / "computed"


def spread(**measured: Array) -> dict[str, float]:
    """Mean and standard deviation of what was measured."""
    return {f"{name}_{what}": float(getattr(x, what)()) for name, x in measured.items() for what in ("mean", "std")}


def raised_by(deviations: float) -> Method:
    """SVT-ReTr-1:c^(2/3) with T raised by so many standard deviations."""
    return replace(METHODS["SVT-ReTr-1:c^(2/3)"], scales=0.0, deviations=deviations)


# --- Table 3, Figures 4 and 5, and a grid of equal ratios -------------------------------------------------------------

EQUAL_RATIOS = (list(DATASETS), [0.05, 0.1, 0.2, 0.4], [25, 50, 100, 200], ["SVT-S-1:c^(2/3)", "EM"])


def cells(grid: tuple[Any, ...], first: int, trials: int) -> list[tuple[Any, ...]]:
    """The places of a grid, each with how it is drawn."""
    return [(*place, {"trials": trials, "seed": [first, row]}) for row, place in enumerate(product(*grid))]


def drawn(*where: Any, seed: list[int]) -> dict[str, Any]:
    """One cell of a grid, drawn as its place says."""
    return cell(*where[:-1], **where[-1])


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


def judged(*where: Any, seed: list[int]) -> dict[str, float]:
    """A cell of Table 3 as printed, and 100 runs of ours in its place, against the law of 10,000 runs."""
    printed = load_table("table3-published").set_index(list(PLACE)).loc[where]
    law = errors(*where, trials=TRIALS, seed=seed)["ser"]
    own = cell(*where, trials=100, seed=[2016, seed[1]])
    rng = np.random.default_rng([*seed, 1])
    return {
        "p_mean": tails(law, float(printed.ser_mean), np.mean, rng),
        "p_std": tails(law, float(printed.ser_std), np.std, rng),
        "own_p_mean": tails(law, round(own["ser_mean"], 3), np.mean, rng),
        "own_p_std": tails(law, round(own["ser_std"], 3), np.std, rng),
    }


def summary(runs: Selections, by: str = "c") -> dict[str, float]:
    """Mean and standard deviation of SER, and how often fewer than c are selected."""
    lost = runs.ser()
    if by == "selected":  # as the formula is printed: an average over those that were selected
        lost = 1 - (1 - lost) * runs.c / np.maximum(runs.selected, 1)
    return spread(ser=lost) | {"fewer": float((runs.selected < runs.c).mean())}


# Cells of Table 3 that another reading of the text would change, and how.
READINGS = [
    (*place, "by selected" if place[3].startswith("SVT-S") else "by deviation")
    for place in product(*GRIDS["table 3"])
    if place[3].startswith(("SVT-S", "SVT-ReTr"))
]


def reading(dataset: str, epsilon: float, c: int, name: str, how: str, seed: list[int]) -> dict[str, float]:
    """One cell under the other reading: SER by the number selected, or T raised by one standard deviation."""
    method = METHODS[name] if how == "by selected" else replace(METHODS[name], scales=0.0, deviations=1.0)
    rng = np.random.default_rng(seed)
    runs = method.select(load_scores(DATASETS[dataset]), epsilon=epsilon, c=c, trials=FEWER, rng=rng)
    return summary(runs, "selected" if how == "by selected" else "c")


def suspects(epsilon: float, c: int) -> dict[str, Mechanism]:
    """SVT-DPBook, it with one difference from SVT-S-1:1 removed, and Alg. 1 in both forms."""
    book = variant("alg2").calibrate(epsilon=epsilon, c=c, monotonic=True)
    one = variant("alg1").calibrate(epsilon=epsilon, c=c, monotonic=True)
    small = Laplace(book.threshold_noise.scale / c)
    return {
        "SVT-DPBook": book,
        "threshold noise divided by c": replace(book, threshold_noise=small, refresh_noise=small),
        "query noise halved": replace(book, query_noise=Laplace(book.query_noise.scale / 2)),
        "Alg. 1, not halved": one,
        "Alg. 1, halved = SVT-S-1:1": replace(one, query_noise=Laplace(one.query_noise.scale / 2)),
    }


SETTINGS = [
    *(("Kosarak", 0.1, c) for c in (50, 75, 100, 150, 200, 300)),
    *(("AOL", 0.1, 50), ("AOL", 0.5, 150), ("BMS-POS", 0.1, 100), ("BMS-POS", 0.1, 300)),
]
SUSPECTED = [(*where, name) for where in SETTINGS for name in suspects(1.0, 1)]


def suspect(dataset: str, epsilon: float, c: int, name: str, seed: list[int]) -> dict[str, float]:
    """SER of one of the suspects in one setting."""
    scores, rng = load_scores(DATASETS[dataset]), np.random.default_rng(seed)
    return summary(simulate(suspects(epsilon, c)[name], scores, scores.threshold(c), trials=FEWER, rng=rng))


# --- re-traversal -----------------------------------------------------------------------------------------------------

INCREMENTS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, math.inf)
INCREASED = list(product(("bms-pos", "kosarak"), (100, 200, 250, 300), INCREMENTS))


def raised(name: str, c: int, deviations: float, seed: list[int]) -> dict[str, float]:
    """SER of SVT-ReTr-1:c^(2/3) at epsilon = 0.1, by increment; of the exponential mechanism where it is infinite."""
    method = Method("em") if math.isinf(deviations) else raised_by(deviations)
    rng = np.random.default_rng(seed)
    return spread(ser=method.select(load_scores(name), epsilon=0.1, c=c, trials=TRIALS, rng=rng).ser())


def jittered(scores: Scores, seed: int) -> Scores:
    """The same list, every count moved by 2 % at random."""
    moved = np.repeat(scores.support, scores.count)
    moved = moved * (1 + 0.02 * np.random.default_rng(seed).standard_normal(scores.items))
    support, count = np.unique(np.round(moved), return_counts=True)
    return Scores(support[::-1], count[::-1], "estimate", f"{scores.source}, every count moved by 2 %")


RIVALS = [
    *(("bms-pos", seed, c, d) for seed in (0, 1, 2, 3, 4) for c, d in ((300, 1.5), (300, 2.0))),
    *(("zipf", 0, 300, 2.5), ("t40i10d100k", 0, 300, 1.0), ("t40i10d100k", 0, 300, 2.0), ("kosarak", 0, 100, 2.0)),
]


def rival(name: str, moved: int, c: int, deviations: float, seed: list[int]) -> dict[str, float]:
    """SVT-ReTr-1:c^(2/3) less EM at epsilon = 0.1; on bms-pos every count is moved by 2 %, with this seed."""
    scores = jittered(load_scores(name), moved) if name == "bms-pos" else load_scores(name)
    rng = np.random.default_rng(seed)
    two = [one.select(scores, epsilon=0.1, c=c, trials=MORE, rng=rng) for one in (raised_by(deviations), METHODS["EM"])]
    found: dict[str, float] = {}
    for measure in ("ser", "fnr"):
        a, b = (getattr(runs, measure)() for runs in two)
        found |= {f"{measure}_less_em": a.mean() - b.mean(), f"{measure}_error": math.sqrt((a.var() + b.var()) / MORE)}
    return found


RAISES = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
WATCHED = [
    (name, c, *what)
    for name, c in (("bms-pos", 300), ("t40i10d100k", 300), ("kosarak", 100))
    for what in (*(("re-traversal", d) for d in RAISES), ("EM", 0.0), ("EM with epsilon2", 0.0))
]


def watched(name: str, c: int, what: str, deviations: float, seed: list[int]) -> dict[str, float]:
    """SER at epsilon = 0.1 of SVT-ReTr-1:c^(2/3) at one increment, or of EM with all or with a part of the budget."""
    best = raised_by(deviations)
    method = best if what == "re-traversal" else METHODS["EM"]
    budget = best.mechanism(0.1, c).epsilon2 if what == "EM with epsilon2" else 0.1
    rng = np.random.default_rng(seed)
    return spread(ser=method.select(load_scores(name), epsilon=budget, c=c, trials=MORE, rng=rng).ser())


# --- a public threshold -----------------------------------------------------------------------------------------------

FRACTIONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, None)
PUBLIC = list(product(DATASETS, (50, 100, 200, 300), FRACTIONS))


def public(dataset: str, c: int, fraction: float | None, seed: list[int]) -> dict[str, Any]:
    """Expected SER of SVT-S-1:c^(2/3) at epsilon = 0.1 with T a fraction of the published number of records.

    None stands for the threshold of the experiments, computed from the data. Re-traversal, at the same threshold, has
    no expectation in closed form: 1,000 runs.
    """
    scores, mechanism = load_scores(DATASETS[dataset]), METHODS["SVT-S-1:c^(2/3)"].mechanism(0.1, c)
    threshold = scores.threshold(c) if fraction is None else fraction * RECORDS[DATASETS[dataset]]
    once = expected_error(mechanism, scores, threshold)
    rng = np.random.default_rng(seed)
    again = simulate(mechanism, scores, threshold, trials=FEWER, rng=rng, passes=math.inf).ser()
    return {
        "fraction": "from the data" if fraction is None else f"{fraction:g}",
        "threshold": threshold,
        "above": scores.above(threshold),
        "ser": once.ser,
        "fnr": once.fnr,
        "selected": once.selected,
        **spread(again=again),
    }


# --- Liu et al. 2024 --------------------------------------------------------------------------------------------------

# Table 2: dataset, threshold and c of their Figures 7 and 8.
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


def traversed(dataset: str, epsilon: float, method: str, passes: float, seed: list[int]) -> dict[str, float]:
    """NCR and F1 of one method on one of the datasets of Liu et al., 1,000 runs."""
    name, threshold, c = LIU[dataset]
    scores = load_scores(name, c=c) if name == "binary" else load_scores(name)
    rng = np.random.default_rng(seed)
    if method == "EM":
        chosen = exponential_mechanism(scores, c, epsilon=epsilon, trials=FEWER, rng=rng)
    elif method == "upper bound":
        chosen = top_of_noisy(scores, epsilon, c, rng)
    else:
        mechanism = corrected(method, epsilon, c, scores.items // c)
        chosen = simulate(mechanism, scores, threshold, trials=FEWER, rng=rng, passes=passes)
    return spread(ncr=chosen.ncr(), f1=chosen.f1())


# --- a bound to clip at -----------------------------------------------------------------------------------------------

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


def searched(name: str, epsilon: float, how: str, seed: list[int]) -> dict[str, float]:
    """What one way of choosing the bound makes of an average: clipped at the last bound where nothing was found."""
    column, search, rng = load_adult(name), SEARCHES[how], np.random.default_rng(seed)
    index = chosen(column, epsilon, search, rng)
    bounds, last = search[0], search[0].size - 1
    used = np.minimum(index, last)
    total = np.array([column.clipped_sum(b) for b in bounds])[used]
    off = averaged(column, bounds[used], total, epsilon, search[3], rng) - column.mean()
    return {
        "bound": float(np.median(bounds[used])),
        "none": float((index > last).mean()),
        "bias": float(total.mean() / column.rows - column.mean()),
        "error": float(np.abs(off).mean()),
        "standard_error": float(np.abs(off).std() / math.sqrt(AUDITS)),
        "q95": float(np.quantile(np.abs(off), 0.95)),
    }


# --- what the checks see ----------------------------------------------------------------------------------------------


def check(change: Change, seed: list[int]) -> dict[str, Any]:
    """What the proof, the exact search and an audit at confidence 0.999 say of one change; "—" stands for nothing."""
    m, rng = change.mechanism, np.random.default_rng(seed)
    proof = svt.check_alignment(m, rng=rng, trials=500)
    loss = svt.worst_case(m, change.n, change.threshold).loss / m.epsilon
    sampler = svt.sampler_of(m, change.threshold)
    sampled = svt.audit(sampler, change.answers, change.neighbour, trials=AUDITS, confidence=0.999, rng=rng)
    bound = sampled.epsilon_lower / m.epsilon
    noticed = {"proof": not proof.holds, "exact": loss > 1 + 1e-9, "audit": bound > 1}
    return {
        "what": change.name,
        "private": change.step is None,
        "of": change.original.name,
        "change": change.change,
        "proof fails at": proof.step or "—",
        "n": change.n,
        "largest loss": loss,
        "audited loss": bound,
        "noticed by": ", ".join(check for check, objects in noticed.items() if objects) or "—",
    }


CHECKED = [(change,) for change in (*damaged(), *harmless())]
AVERAGED = list(product(("age", "capital_gain"), (1.0, 0.1), SEARCHES))
TABLES: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]], Callable[..., dict[str, Any]]]] = {
    "checks_100000": (("what",), CHECKED, check),
    "clipping_100000": (("column", "epsilon", "search"), AVERAGED, searched),
    "curves_1000": (PLACE, cells(GRIDS["figure 4"], 2017, FEWER) + cells(GRIDS["figure 5"], 2018, FEWER), drawn),
    "equal_ratios_1000": (PLACE, cells(EQUAL_RATIOS, 19, FEWER), drawn),
    "liu_1000": (("dataset", "epsilon", "method", "passes"), LIU_CELLS, traversed),
    "public_thresholds": (("dataset", "c", "fraction"), PUBLIC, public),
    "raises_4000": (("scores", "c", "method", "deviations"), WATCHED, watched),
    "readings_1000": ((*PLACE, "reading"), READINGS, reading),
    "retraversal_10000": (("scores", "c", "deviations"), INCREASED, raised),
    "rivals_4000": (("scores", "seed", "c", "deviations"), RIVALS, rival),
    "suspects_1000": (("dataset", "epsilon", "c", "mechanism"), SUSPECTED, suspect),
    "table3_10000": (PLACE, cells(GRIDS["table 3"], SEED, TRIALS), drawn),
    "table3_pvalues": (PLACE, list(product(*GRIDS["table 3"])), judged),
}
"""Of each table what the places of its rows are called, these places, and what computes a row from its place."""


def again(name: str, row: int) -> dict[str, Any]:
    """One row of the table of this name, computed alone."""
    columns, places, compute = TABLES[name]
    return dict(zip(columns, places[row], strict=False)) | compute(*places[row], seed=[SEED, row])


def made(name: str) -> DataFrame:
    """The table of this name."""
    return DataFrame(Parallel(n_jobs=-1)(delayed(again)(name, row) for row in range(len(TABLES[name][1]))))


def main(names: list[str]) -> int:
    """Write the files of these names."""
    known = sorted(TABLES)
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
