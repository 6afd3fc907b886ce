"""Lyu, Su & Li 2017, Section 5, SVT against the exponential mechanism; and what this course adds (chapter 18)."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

import svtlib as svt
from evidence import Said, claim
from svtcourse.chapter.accuracy import alpha_em, alpha_svt, separated, smallest_alpha
from svtcourse.chapter.renyi import renyi_bound
from svtcourse.chapter.tables import load_table
from svtcourse.chapter.whole_sets import expected_ser, one_shot
from svtcourse.explorers import EXPLORERS
from svtcourse.lessons.svt_against_em import on_noise, retraversal_law
from svtcourse.steps import adversarial_cases, check_step
from svtlib.guarantee import Renyi
from svtlib.select.scores import Scores

ABOVE = svt.variant("above_threshold").calibrate(epsilon=1.0)
ORDERS = np.geomspace(1.5, 2000, 300)
GRID = list(itertools.product((1, 2, 5, 10, 50, 100, 1000), (0.5, 0.2, 0.1, 0.05, 0.01, 0.001), (0.1, 1.0)))


@claim("lsl17-em-monotone", monotonic=False)
def monotonic_scores_need_half_the_noise(monotonic=True) -> Said:
    """For monotonic scores the exponent εq/Δ is enough, and for others not."""

    def total(scores, s):
        """Log of the sum of the weights."""
        return logsumexp(scores / s, axis=1)

    def chance(scores):
        """Log probability that the last item is selected, with the exponent of monotonic scores."""
        return scores[:, -1] - total(scores, 1)

    general = adversarial_cases(np.random.default_rng(150), n=6, scale=2.0)
    one_way = adversarial_cases(np.random.default_rng(151), n=6, scale=1.0, monotonic=monotonic)
    here, there = one_way.answers, one_way.neighbour
    up = there[:, -1] >= here[:, -1]
    steps = [
        check_step("weight, general", general.answers[:, -1] / 2, 0.5 + general.neighbour[:, -1] / 2),
        check_step("sum, general", total(general.neighbour, 2), 0.5 + total(general.answers, 2)),
        check_step("sum, scores rise", total(there[up], 1), 1 + total(here[up], 1)),
        check_step("weight, scores fall", here[~up][:, -1], 1 + there[~up][:, -1]),
        check_step("sum, scores fall", total(there[~up], 1), total(here[~up], 1)),
    ]
    pairs = check_step("monotonic", chance(here), 1 + chance(there))
    both = check_step("not monotonic", chance(general.answers), 1 + chance(general.neighbour))
    crowd, lonely = np.zeros((1, 10_000)), np.eye(1, 10_000, 9_999)
    attained, too_much = (abs(float(chance(lonely)[0] - chance(x)[0])) for x in (crowd, 1 - lonely))
    needed = not both.holds and too_much > 1.99
    return all(step.holds for step in (*steps, pairs)) and 0.999 < attained <= 1 and needed, (
        f"{pairs.cases:,} monotonic pairs at ε = 1 with exponent εq/Δ: no loss above ε; one of 10,000 equal scores "
        f"rises: loss {attained:.4f}; it rises and the others fall: {too_much:.4f}, so the condition is needed"
    )


@claim("lsl17-alpha-svt", factor=4)
def the_accuracy_bound_holds(factor=8) -> Said:
    """AboveThreshold is (α, β)-accurate for α = 8(log k + log(2/β))/ε."""
    k, beta, e = np.array(GRID).T
    bound = factor * (np.log(k) + np.log(2 / beta)) / e
    steps = [
        check_step("(a)  Pr[|ρ| ≥ α/2] ≤ β/2", -bound * e / 4, np.log(beta / 2)),
        check_step("(b)  k Pr[|ν| ≥ α/2] ≤ β/2", np.log(k) - bound * e / 8, np.log(beta / 2)),
    ]

    def failure(k, beta, e, last):
        """Exact probability that AboveThreshold errs on the hardest answers, over β."""
        m, alpha = svt.variant("above_threshold").calibrate(epsilon=e), alpha_svt(k, e, beta)
        return svt.failure_probability(m, separated(k, alpha, last_above=last), alpha=alpha) / beta

    used = [max(failure(*cell, last) for last in (True, False)) for cell in GRID]
    return all(step.holds for step in steps) and max(used) <= 1, (
        f"{len(GRID)} triples k, β, ε: both steps hold; the exact failure probability at the bound is {min(used):.0e} "
        f"to {max(used):.3f} of β"
    )


@claim("lsl17-3.24-quote", place=0.99)
def the_theorem_needs_plus_alpha(place=-0.99) -> Said:
    """“[A]ll queries with answers above T − α result in ⊤”; rather all above T + α."""
    reached, meant = [], []
    for k, beta in itertools.product((1, 10, 100), (0.2, 0.05)):
        alpha, outcome = alpha_svt(k, 1.0, beta), "⊥" * (k - 1) + "⊤"
        for found, last in ((reached, place * alpha), (meant, alpha)):
            right = math.exp(svt.log_probability(ABOVE, [-alpha] * (k - 1) + [last], outcome))
            found.append((right, right >= 1 - beta))
    return (all(ok for _, ok in reached), all(ok for _, ok in meant) and not any(ok for _, ok in reached)), (
        f"last answer T − 0.99 α, the others at T − α: right with probability at most {max(reached)[0]:.1e}, where "
        f"1 − β = 0.8 or 0.95 is promised (k = 1, 10, 100); last answer T + α: at least {min(meant)[0]:.4f}"
    )


@claim("lsl17-alpha-em", monotonic=True)
def the_exponential_mechanism_needs_exactly_this(monotonic=False) -> Said:
    """The exponential mechanism fails with probability β at its α."""
    pairs = [(k, b, e) for k, b, e in GRID if k >= 2 and alpha_em(k, e, b) > 0]
    odds = [(k - 1) * math.exp(-alpha_em(k, e, b) * e * (2 if monotonic else 1)) for k, b, e in pairs]
    exact = [odd / (1 + odd) / b for odd, (_, b, _) in zip(odds, pairs, strict=True)]
    by_law = 1 - svt.top_law([2 * alpha_em(10, 1.0, 0.05)] + [0.0] * 9, 1, epsilon=1.0)[0,]
    told, near = [], abs(by_law - 0.05) < 1e-9
    for k, b in ((10, 0.05), (1000, 0.2)):
        hard = Scores([2 * alpha_em(k, 1.0, b), 0.0], [1, k - 1], "exact", "made up")
        options = {"epsilon": 1.0, "trials": 10_000, "rng": np.random.default_rng(154)}
        failed = float(svt.exponential_mechanism(hard, 1, **options).fnr().mean())
        near &= abs(failed - b) < 5 * math.sqrt(b * (1 - b) / 10_000)
        told.append(f"{failed:.4f} (k = {k}, β = {b})")
    return bool(np.allclose(exact, 1, rtol=1e-9) and near), (
        f"the exact failure probability at α_EM is β for all {len(pairs)} triples k, β, ε; 10,000 runs: "
        + ", ".join(told)
    )


@claim("lsl17-alpha-eighth", part=16)
def it_is_less_than_an_eighth(part=8) -> Said:
    """α_EM is less than an eighth of α_SVT, by the bounds."""
    many = [cell for cell in GRID if cell[0] >= 2]
    above = [alpha_svt(k, e, b) / part - alpha_em(k, e, b) for k, b, e in many]
    sides = np.log([((k - 1) * (1 - b) / b, 2 * k / b) for k, b, _ in many]).T
    inside = check_step("(k − 1)(1 − β)/β < 2k/β", *sides)
    return min(above) > 0 and inside.holds and bool(inside.smallest_slack > 0), (
        f"α_SVT/8 − α_EM is positive for all {len(above)} triples; in the logarithms 2k/β exceeds (k − 1)(1 − β)/β by "
        f"a factor of at least {math.exp(inside.smallest_slack):.2f}"
    )


def em_needs(log_k, beta):
    """α of the exponential mechanism at ε = 1, k so large that k − 1 counts as k."""
    return log_k + math.log((1 - beta) / beta)


@claim("svt-alpha-ratio", split=2.5)
def it_is_about_a_quarter(split=1.0) -> Said:
    """Exactly, AboveThreshold needs about four times what the exponential mechanism needs, between two bounds."""

    def bounds(k, beta):
        """Lower and upper bound of the lemma at ε = 1."""
        least = 1 / (2 * -math.expm1(math.log1p(-2 * beta) / (k - 1)))
        return np.array([4 * math.log(least), 4 * math.log(2 * k / (3 * beta))])

    m = svt.variant("alg1").calibrate(epsilon=1.0, c=1, split=split)
    sizes = itertools.product((2, 4, 5, 10, 20, 50, 100, 1000, 10_000), (0.1, 0.05, 0.01, 0.001))
    needed = {cell: smallest_alpha(m, *cell) for cell in sizes}
    inside = all(bounds(*cell)[0] <= a <= bounds(*cell)[1] for cell, a in needed.items())
    ratio = {(k, b): a / alpha_em(k, 1.0, b) for (k, b), a in needed.items()}
    usual = [r for (k, _), r in ratio.items() if k >= 10]
    far = np.array([bounds(k, b) / em_needs(math.log(k), b) for k, b in ((100, 1e-200), (10**200, 0.1))])
    near = min(usual) > 3.7 and max(usual) < 3.9 and max(r for (k, _), r in ratio.items() if k >= 4) < 4
    return inside and near and bool(abs(far - 4).max() < 0.03), (
        f"exact ratio of what AboveThreshold and the exponential mechanism need: {min(usual):.2f} to {max(usual):.2f} "
        f"for k = 10 to 10,000 and β = 0.1 to 0.001, {ratio[2, 0.1]:.2f} for k = 2 and β = 0.1; all inside the lemma's "
        f"bounds, which are {far.min():.2f} to {far.max():.2f} for β = 1e-200 or k = 1e200"
    )


@claim("svt-best-split", epsilon=1.9)
def at_the_best_split_it_is_two_to_three(epsilon=1.0) -> Said:
    """At the best split of Alg. 1 the ratio tends to 3 for small β and to 2 for many queries."""

    def bounds(log_n, beta):
        """The larger lower, the smaller upper bound of the lemma at ε = 1, n = k − 1."""
        log_k = np.logaddexp(log_n, 0)
        least = max(3 * math.log(1 / (4 * beta)), 2 * (log_n - math.log(-2 * math.log1p(-2 * beta))))
        x, d = np.linspace(0.001, 0.999, 999), np.linspace(0.001, 0.5, 500)
        one = (3 / (1 - d) * (log_k - np.log(4 * d * beta))).min()
        other = (math.log(2 / beta) / x + 2 / (1 - x) * (log_k - math.log(beta))).min()
        return np.array([least, min(one, other)])

    tried = [svt.variant("alg1").calibrate(epsilon=epsilon, c=1, split=x) for x in (1, 1.5, 2, 2.5, 3, 4, 6)]
    told, inside = [], True
    for k, b in ((2, 0.1), (2, 1e-8), (100, 0.05), (100, 1e-8), (10_000, 0.1)):
        best, (least, most) = min(smallest_alpha(m, k, b) for m in tried), bounds(math.log(k - 1), b)
        inside &= bool(least <= best <= most)
        told.append(f"{best / alpha_em(k, 1.0, b):.2f} (k = {k:,}, β = {b:g})")
    small, many = (bounds(n, b) / em_needs(n, b) for n, b in ((math.log(100), 1e-300), (1e6, 0.1)))
    return inside and bool(abs(small - 3).max() < 0.06 and abs(many - 2).max() < 0.02), (
        f"needed at the best of seven splits over needed by the exponential mechanism: {', '.join(told)}; all inside "
        f"the lemma's bounds, which are {small[0]:.2f} to {small[1]:.2f} for k = 100 and β = 1e-300, {many[0]:.3f} to "
        f"{many[1]:.3f} for log k = 1e6 and β = 0.1"
    )


@claim("svt-retraversal-beats-em", raised=6.0)
def re_traversal_beats_the_exponential_mechanism_once(raised=1.0) -> Said:
    """On T40I10D100K, whose counts are exact, re-traversal has a smaller SER than EM at ε = 0.1, c = 300."""
    rows = load_table("raises-4000").set_index(["scores", "c"]).loc[("t40i10d100k", 300)]
    again = rows[(rows.method == "re-traversal") & (rows.deviations == raised)].iloc[0]
    em = rows[rows.method == "EM"].iloc[0]
    lead = (again.ser_mean - em.ser_mean) / math.hypot(again.ser_std, em.ser_std) * math.sqrt(4000)
    return bool(lead < -6) and svt.load_scores("t40i10d100k").status == "exact", (
        f"4,000 runs of each: re-traversal {again.ser_mean:.4f}, exponential mechanism {em.ser_mean:.4f}, {lead:+.1f} "
        "standard errors"
    )


def first_taken(p):
    """Law of the item taken first: passes in random order, item i taken with p[i]."""
    law, orders = np.zeros(len(p)), list(itertools.permutations(range(len(p))))
    for order in map(list, orders):
        reached = np.concatenate([[1], np.cumprod(1 - p[order])[:-1]])
        law[order] += reached * p[order] / len(orders)
    return law / law.sum()


@claim("svt-flip-is-retraversal", at=-1.0)
def permute_and_flip_is_re_traversal(at=0.0) -> Said:
    """With exponential noise re-traversal at T = max is permute-and-flip, and far above the exponential mechanism."""
    s, rng = 2.0, np.random.default_rng(153)
    many = [np.round(rng.normal(0, 10 ** rng.uniform(-1, 1.2), 4), 3) for _ in range(100)]

    def flips(scores, raised):
        """Law of the item selected: exponential query noise, no threshold noise."""
        return first_taken(np.exp(svt.Exponential(s).log_at_least(np.max(scores) + (raised + at) * s - scores)))

    def em_law(scores):
        """Law of the exponential mechanism with the same scale."""
        return np.exp(scores / s - logsumexp(scores / s))

    steps = (0, 0.5, 1, 2, 4, 10, 30)
    same = max(abs(flips(x, 0) - svt.noisy_max_law(x, epsilon=1.0, noise="exponential")).max() for x in many)
    ends = max(abs(flips(x, 30) - em_law(x)).max() for x in many)
    favours = min(np.diff((flips(x, up) / em_law(x))[np.argsort(x, kind="stable")]).min() for x in many for up in steps)
    scores = np.array([5.0, 4.0, 2.0, 2.0, 0.0])
    errors = [float(scores.max() - flips(scores, up) @ scores) for up in steps]
    return bool(max(same, ends) < 1e-9 and favours > -1e-9) and errors == sorted(errors), (
        "100 random lists: re-traversal at T = max has the law of permute-and-flip to 1e-9, 30 scales higher that of "
        "the exponential mechanism to 1e-9, and the quotient of the laws never falls with the score; expected error "
        "for 5, 4, 2, 2, 0 at T raised by "
        + ", ".join(f"{up:g}s: {error:.4f}" for up, error in zip(steps, errors, strict=True))
    )


def clocks_law(scores, c, epsilon):
    """Law of the first c of exponential clocks to ring, in order: the c largest sums of score and Gumbel noise.

    `before` is Pr[the clocks so far ring in order, before t] as a sum of terms coefficient * exp(-rate * t).
    """
    rate, law = np.exp(np.array(scores) * epsilon / (2 * c)).tolist(), {}
    for order in itertools.permutations(range(len(scores)), c):
        before = [(1.0, 0.0)]
        for i in order[:-1]:
            rung = [(a * rate[i] / (rate[i] + r), rate[i] + r) for a, r in before]
            before = [(math.fsum(a for a, _ in rung), 0.0), *((-a, r) for a, r in rung)]
        rest = math.fsum(rate[i] for i in range(len(scores)) if i not in order[:-1])
        law[order] = math.fsum(a * rate[order[-1]] / (rest + r) for a, r in before)
    return law


def peeled(scores, c, *, epsilon, rng):
    """c rounds of the exponential mechanism with ε/c, each without the items selected."""
    left, order = list(range(len(scores))), []
    for _ in range(c):
        until = np.cumsum(np.exp(np.array(scores)[left] * epsilon / (2 * c)))
        order.append(left.pop(int(np.searchsorted(until, rng.random() * until[-1], side="right"))))
    return order


@claim("svt-one-shot", epsilon=2.0)
def one_shot_is_peeling(epsilon=3.0) -> Said:
    """Gumbel noise once and the c highest have the law of c rounds of the exponential mechanism."""
    scores, trials = [5.0, 4.0, 2.0, 2.0, 0.0], 3000
    once, rounds = clocks_law(scores, 3, epsilon), svt.top_law(scores, 3, epsilon=3.0)
    apart = max(abs(once[order] - rounds[order]) for order in rounds)
    expected = trials * np.array(list(rounds.values()))
    rng, chi = np.random.default_rng(152), {}
    for name, draw in (("one shot", svt.exponential_mechanism), ("peeled", peeled)):
        drawn = [tuple(draw(scores, 3, epsilon=3.0, rng=rng)) for _ in range(trials)]
        chi[name] = float(((np.array([drawn.count(order) for order in rounds]) - expected) ** 2 / expected).sum())
    return len(rounds) == 60 and apart < 1e-12 and max(chi.values()) < 130, (
        f"{len(rounds)} ordered selections of 3 from 5 items: the exact laws differ by less than 1e-12; chi-square of "
        f"{trials:,} runs against the law: {', '.join(f'{name} {x:.0f}' for name, x in chi.items())} (expected "
        f"{len(rounds) - 1})"
    )


def first_two(scores, scale):
    """Log probability of each ordered pair of the two largest sums of a score and exponential noise."""
    v = np.linspace(min(scores), max(scores) + 40 * scale, 40_001)
    tails = [np.exp(-np.maximum(v - q, 0) / scale) for q in scores]
    law = {}
    for first, second in itertools.permutations(range(len(scores)), 2):
        rest = np.prod([1 - tails[k] for k in range(len(scores)) if k not in (first, second)], axis=0)
        density = np.where(v >= scores[second], tails[second], 0) / scale
        law[first, second] = math.log(np.trapezoid(density * tails[first] * rest, v))
    return law


@claim("svt-one-shot-exponential", part=0.8)
def exponential_noise_once(part=1.0) -> Said:
    """The c largest sums with exponential noise cost what c rounds of the exponential mechanism do, and err less."""
    most = {}
    for name, scale, moves in (("any", 4.0, ((-1, 0, 1),)), ("monotonic", 2.0, ((0, 1), (-1, 0)))):
        losses = []
        for scores in itertools.product((0.0, 1.0, 8.0), repeat=3):
            here = first_two(scores, part * scale)
            for by in itertools.chain(*(itertools.product(way, repeat=3) for way in moves)):
                there = first_two([q + d for q, d in zip(scores, by, strict=True)], part * scale)
                losses.append(max(here[pair] - there[pair] for pair in here))
        most[name] = max(losses)
    top = svt.load_scores("kosarak").top(41_270)
    rng, ser = np.random.default_rng(181), {"exponential noise": [], "Gumbel noise": []}
    for _ in range(200):
        for name, noise in zip(ser, (rng.exponential(1000, top.size), rng.gumbel(0, 1000, top.size)), strict=True):
            found = np.argpartition(-(top + noise), 100)[:100]
            ser[name].append(1 - top[found].sum() / top[:100].sum())
    mean = {name: round(float(np.mean(each)), 3) for name, each in ser.items()}
    fine = all(0.99 < loss < 1.002 for loss in most.values())
    return fine and list(mean.values()) == [0.028, 0.034], (
        f"largest loss at ε = 1 over ordered pairs of three scores on a grid: {most['any']:.3f} for any scores, "
        f"{most['monotonic']:.3f} for monotonic ones; SER on Kosarak at ε = 0.1, c = 100: "
        + ", ".join(f"{name} {value:.3f}" for name, value in mean.items())
    )


def misses_of_ranked_lists(top, c, epsilon, runs=200):
    """SER of one round over all ranked lists of c of the counts `top`, whose loss is the largest by which a rank falls.

    exp(-loss ε/2) is a sum over the whole numbers t >= loss, so t is drawn first; a list with a loss of at most t takes
    for each rank in turn any item that is left and within t of that rank's count.
    """
    t, rng, rising = np.arange(top[0] + 1), np.random.default_rng(182), top[::-1]
    near = [top.size - np.searchsorted(rising, top[j] - t) for j in range(c)]
    log_weight = sum(np.log(n - j) for j, n in enumerate(near)) - epsilon / 2 * t
    drawn, missed = rng.choice(t.size, size=runs, p=np.exp(log_weight - logsumexp(log_weight))), []
    for at in drawn:
        taken: set[int] = set()
        for among in near:
            taken.add(next(i for i in iter(lambda n=among[at]: int(rng.integers(n)), -1) if i not in taken))
        missed.append(1 - top[list(taken)].sum() / top[:c].sum())
    return float(np.mean(missed))


@cache
def settings_behind():
    """How many settings the explorer has, with sets behind exponential noise, with that behind Gumbel noise."""
    numbers = EXPLORERS["top-c"].read()["numbers"]
    places = [list(numbers["methods"]).index(name) for name in ("EM", "exponential noise", "EM, whole sets")]
    cells = np.array([row for rows in numbers["cells"].values() for row in rows])[:, places]
    mean, error = cells[..., 0], cells[..., 1] / math.sqrt(numbers["trials"])

    def behind(one, other):
        """Settings in which one is behind the other by more than four standard errors and the rounding."""
        return int((mean[:, one] - mean[:, other] > 4 * np.hypot(error[:, one], error[:, other]) + 1e-4).sum())

    return len(cells), behind(2, 1), behind(1, 0)


@claim("svt-top-c-sets", part=0.8)
def a_whole_set_at_once(part=1.0) -> Said:
    """One round over all sets of c items costs no factor c, and misses next to nothing, or a fifth of the counts."""

    def law(scores):
        """All pairs of items, and the log probability of each at scale 2 (ε = 1 for monotonic scores)."""
        pairs = list(itertools.combinations(range(len(scores)), 2))
        out = [max(q for i, q in enumerate(scores) if i not in two) for two in pairs]
        weight = -np.array([max(0, high - min(scores[i] for i in two)) for high, two in zip(out, pairs, strict=True)])
        return pairs, weight / (2 * part) - logsumexp(weight / (2 * part))

    grid, off = list(itertools.product((0.0, 1.0, 5.0), repeat=4))[1:], 0.0
    neighbours = [([1.0, *[0.0] * 39], [1.0, 0.0, *[1.0] * 38])]  # one set gets worse, and nearly all others better
    for scores, by in itertools.product(grid, itertools.product((0, 1), repeat=4)):
        neighbours.append((list(scores), [q + d for q, d in zip(scores, by, strict=True)]))
    most = max(float(abs(law(here)[1] - law(there)[1]).max()) for here, there in neighbours)
    for scores in grid:
        pairs, chance = law(scores)
        found = np.exp(chance) @ [1 - (scores[i] + scores[j]) / sum(sorted(scores)[2:]) for i, j in pairs]
        off = max(off, abs(found - expected_ser(Scores.of(scores), 2, epsilon=1 / part)))
    kosarak, cs = svt.load_scores("kosarak"), (100, 150, 200, 300)
    sets = [expected_ser(kosarak, c, epsilon=0.1) for c in cs]
    high = max(expected_ser(kosarak, c, epsilon=0.5) for c in (100, 150, 200, 300))
    rng = np.random.default_rng(183)
    once = [one_shot(kosarak, c, scale=c / 0.1, trials=200, rng=rng).ser().mean() for c in cs]
    lists = [misses_of_ranked_lists(kosarak.top(kosarak.items), c, 0.1) for c in cs]
    shown = [" ".join(f"{x:.1g}" if x < 1e-3 else f"{x:.2f}" for x in values) for values in (sets, once, lists)]
    more = brentq(lambda b: min(Renyi(a, a * b**2 / 2400).approximate(1e-6).epsilon for a in ORDERS) - 0.1, 0.1, 10)
    rounds = svt.exponential_mechanism(kosarak, 300, epsilon=more, monotonic=True, trials=100, rng=rng).ser().mean()
    right = shown == ["2e-06 0.17 0.22 0.28", "0.03 0.13 0.21 0.31", "0.17 0.23 0.28 0.33"] and high < 2e-6
    right = right and settings_behind() == (192, 28, 0) and abs(rounds - 0.006) < 0.0005
    return bool(0.94 < most <= 1 + 1e-9 and off < 1e-9 and right), (
        f"largest loss over monotonic lists of 4 and 40 scores, c = 2, {most:.3f} at ε = 1; the sum over kinds is "
        f"off by {off:.0e} from the list of all sets; SER on Kosarak at ε = 0.1, c = 100, 150, 200, 300: whole sets "
        f"{shown[0]}, exponential noise in one shot {shown[1]}, ranked lists {shown[2]}; 300 rounds with δ = 10⁻⁶ "
        f"{rounds:.3f}; whole sets at ε = 0.5 at most {high:.0e}; of the explorer's settings {settings_behind()[0]}, "
        f"whole sets behind exponential noise in {settings_behind()[1]}, that behind Gumbel noise in "
        f"{settings_behind()[2]}"
    )


@claim("svt-retraversal-free", epsilon=2.0)
def passes_share_one_threshold(epsilon=1.0) -> Said:
    """Re-traversal costs nothing if all passes share the threshold noise; drawn again it does."""
    alg1 = svt.variant("alg1").calibrate(epsilon=epsilon, c=1)
    alg7 = svt.variant("alg7").calibrate(epsilon=1.0, c=3, monotonic=True)
    places = itertools.product(itertools.product((-30.0, 0.0, 30.0), repeat=2), itertools.product((-1, 1), repeat=2))
    neighbours = [(list(here), [q + d for q, d in zip(here, by, strict=True)]) for here, by in places]

    def shared(passes):
        """Largest loss if all passes share the threshold noise."""
        outcomes = ["⊥" * i + "⊤" for i in range(2 * passes)] + ["⊥" * (2 * passes)]
        return max(
            svt.privacy_loss(alg1, (here * passes)[: len(o)], (there * passes)[: len(o)], o)
            for here, there in neighbours
            for o in outcomes
        )

    passes = (1, 2, 3, 4, 6, 8)
    kept = [shared(r) for r in passes]
    fresh = 8 * max(svt.privacy_loss(alg1, here, there, "⊥⊥") for here, there in neighbours)
    proofs = [svt.prove(m) for m in (alg1, alg7)]
    bounded = max(kept) <= 1 + 1e-9 and kept == sorted(kept)
    return bounded and fresh > 2 and all(proof.holds for proof in proofs), (
        f"largest exact loss at ε = 1 after {', '.join(map(str, passes))} passes: "
        f"{', '.join(f'{x:.4f}' for x in kept)}; alignments of Alg. 1 and of the monotonic Alg. 7 with c = 3 cost "
        f"{max(proof.epsilon for proof in proofs):.4f}, for any number of queries; with fresh ρ in each pass the loss "
        f"of silence is {fresh:.1f} after 8"
    )


@claim("svt-retraversal-limit", part="epsilon1")
def re_traversal_tends_to_the_exponential_mechanism(part="epsilon2") -> Said:
    """As T rises, the first c positives tend to the peeled exponential mechanism with budget ε₂."""
    four, two = (12.0, 9.0, 8.0, 3.0), svt.variant("alg7").calibrate(epsilon=1.0, c=2, monotonic=True)
    whole, limit = (svt.top_law(four, 2, epsilon=e, monotonic=True) for e in (two.epsilon, getattr(two, part)))

    def distance(law, other):
        """Total variation."""
        return sum(abs(law[s] - other[s]) for s in law) / 2

    far, bounded = {}, True
    for T in (0, 4, 8, 12, 16, 20, 25, 30, 40, 60):
        p, weight = on_noise(two, four, float(T))
        far[T] = distance(retraversal_law(two, four, float(T)), limit)
        bounded &= far[T] <= float(weight @ np.minimum(1, 2 * two.c * sum(p)))
    wide = distance(retraversal_law(replace(two, threshold_noise=svt.Laplace(10.0)), four, 150.0), limit)
    from_whole, at_12 = distance(retraversal_law(two, four, 60.0), whole), retraversal_law(two, four, 12.0)
    known, rng = Scores(four, [1] * 4, "exact", "made up"), np.random.default_rng(159)
    runs = svt.simulate(two, known, 12.0, trials=20_000, rng=rng, passes=math.inf).counts()
    off = 0.0
    for chosen in {frozenset(order) for order in at_12}:
        exact = sum(p for order, p in at_12.items() if set(order) == chosen)
        counted = (runs[:, sorted(chosen)] == 1).all(axis=1).mean()
        off = max(off, abs(counted - exact) / math.sqrt(exact * (1 - exact) / 20_000))
    right = bounded and wide < 1e-5 and from_whole > 0.1 and abs(sum(at_12.values()) - 1) < 1e-9
    return bool(right and off < 5.5), (
        f"exact distance from the exponential mechanism with ε₂ at T = 12, 20, 40: {far[12]:.4f}, {far[20]:.4f}, "
        f"{far[40]:.0e}, never above the bound; from the one with ε {from_whole:.3f} at T = 60; threshold noise four "
        f"times as large: {wide:.0e} at T = 150; 20,000 runs at T = 12 agree within {off:.1f} standard errors"
    )


@claim("svt-top-c-threshold", share=0.5)
def a_noisy_threshold_for_the_top_c(share=0.05) -> Said:
    """The c-th largest score plus Lap(Δ/ε₀) is a threshold one may print; it costs ε₀ and some accuracy."""
    rng, moved = np.random.default_rng(30), 0.0
    for _ in range(200):  # the c-th largest moves by no more than the largest move
        scores = rng.normal(0, 3, 12)
        there = scores + rng.uniform(-1, 1, 12)
        moved = max(moved, np.abs(np.sort(scores) - np.sort(there)).max())
    data, ser = svt.load_scores("kosarak"), {}
    T = data.threshold(100)
    for part in (0.0, share):
        m = svt.variant("alg7").calibrate(epsilon=0.1 * (1 - part), c=100, monotonic=True)
        levels = (np.arange(7) + 0.5) / 7
        noise = svt.Laplace(1 / (0.1 * part)).at_least_inverse(np.log(levels)) if part else np.zeros(1)
        ser[part] = float(np.mean([svt.expected_error(m, data, T + float(x)).ser for x in noise]))
    options = {"epsilon": 0.1, "monotonic": True, "trials": 100, "rng": np.random.default_rng(16)}
    em = svt.exponential_mechanism(data, 100, **options).ser().mean()
    return bool(moved <= 1 and em < 0.04 < 0.36 < ser[0.0] < ser[share] < 0.45), (
        f"Kosarak, ε = 0.1, c = 100, expected SER: {ser[0.0]:.3f} with the threshold for nothing, {ser[share]:.3f} "
        f"with {share:.0%} of ε spent on it, {em:.3f} with the exponential mechanism; in 200 random pairs of lists no "
        f"order statistic moved by more than {moved:.3f} where each score moved by at most 1"
    )


@cache
def errors_of_one_and_of_many(again):
    """SER on Kosarak, ε = 0.1, c = 100: of one SVT, with Gaussian noise (δ = 10⁻⁶), and begun again with `again`."""
    data = svt.load_scores("kosarak")
    T, one = data.threshold(100), svt.variant("alg7").calibrate(epsilon=0.1, c=100, monotonic=True)
    base, tried = svt.variant("sparse").calibrate(epsilon=again, c=100), []
    for ratio, more in itertools.product((2, 4), (0, 500)):  # of the parts for comparison and threshold
        first = again / 100 / (1 + ratio)
        noises = {"threshold_noise": svt.Laplace(1 / first), "query_noise": svt.Laplace(1 / (ratio * first))}
        m = replace(base, monotonic=True, **noises)
        assert abs(svt.prove(m).epsilon - again) < 1e-9
        runs = svt.simulate(m, data, T + more, trials=100, rng=np.random.default_rng(2))
        tried.append(runs.ser().mean())
    gaussian = replace(one, threshold_noise=svt.Gaussian(214.0), query_noise=svt.Gaussian(1140.0))
    assert renyi_bound(gaussian, 175.0, n=data.items).approximate(1e-6).epsilon <= 0.1
    single = [min(svt.expected_error(m, data, T + more).ser for more in (0, 570, 1500)) for m in (one, gaussian)]
    return *single, min(tried)


@claim("svt-em-rounds", part=9)
def rounds_of_the_exponential_mechanism(part=8) -> Said:
    """One round at ε₀ has a Rényi divergence of at most αε₀²/8 at every order, so c rounds cost less with a δ."""
    rng, most = np.random.default_rng(31), 0.0
    for trial in range(400):
        items, one, order = rng.integers(2, 9), rng.uniform(0.01, 2), rng.uniform(1.01, 60)
        monotonic = trial % 2
        scores = rng.normal(0, 3, items) if trial % 4 else np.zeros(items)
        there = scores + rng.choice([0.0 if monotonic else -1.0, 1.0], items)
        p, q = (x - logsumexp(x) for x in (one * data / (1 if monotonic else 2) for data in (scores, there)))
        divergence = logsumexp(order * p + (1 - order) * q) / (order - 1)
        most = max(most, divergence * part / (order * one * one))

    def whole(epsilon, c, rho_of_one):
        """The budget of c rounds whose divergence is α times `rho_of_one` of the budget of each."""
        orders = np.geomspace(1.5, 2000, 300)

        def excess(total):
            bounds = (Renyi(a, a * c * rho_of_one(total / c)) for a in orders)
            return min(bound.approximate(1e-6).epsilon for bound in bounds) - epsilon

        return brentq(excess, epsilon / 10, epsilon * c)

    gains = {c: whole(0.1, c, lambda one: one * one / part) / 0.1 for c in (3, 4, 100)}
    again = whole(0.1, 100, lambda one: one * one / 2)
    ser = dict(zip(("one", "gaussian", "again"), errors_of_one_and_of_many(again), strict=True))
    options = {"epsilon": 0.1 * gains[100], "monotonic": True, "trials": 200, "rng": np.random.default_rng(16)}
    ser["em"] = svt.exponential_mechanism(svt.load_scores("kosarak"), 100, **options).ser().mean()
    right = 0.9 < most <= 1 + 1e-9 and ser["em"] < 0.001 < 0.025 < ser["again"] < 0.035 < 0.05 < ser["one"] < 0.065
    return bool(right and 0.015 < ser["gaussian"] < 0.025 and gains[3] < 1 < gains[4] and gains[100] > 5), (
        f"400 rounds on random scores reach {most:.3f} of the bound; ε = 0.1, δ = 10⁻⁶: the budget of 3, 4 and 100 "
        f"rounds is {gains[3]:.2f}, {gains[4]:.2f} and {gains[100]:.2f} times as large; Kosarak, c = 100, SER at the "
        f"best threshold and split tried: one SVT {ser['one']:.3f}, with Gaussian noise {ser['gaussian']:.3f}, "
        f"one that begins again {ser['again']:.3f}, the exponential mechanism {ser['em']:.5f}"
    )
