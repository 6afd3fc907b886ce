"""Lyu, Su & Li 2017, Section 5, SVT against the exponential mechanism; and what this course adds (chapter 18)."""

import itertools
import math
from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

import svtlib as svt
from evidence import evidence_for
from evidence._common import each, lost, mechanism
from evidence.lyu2017_standard import em_losses
from svtcourse.chapter.accuracy import alpha_em, alpha_svt, separated, smallest_alpha
from svtcourse.chapter.tables import load_table
from svtcourse.lessons.svt_against_em import on_noise, retraversal_law
from svtlib.select.scores import Scores

ABOVE = mechanism("above_threshold")
GRID = list(itertools.product((1, 2, 5, 10, 50, 100, 1000), (0.5, 0.2, 0.1, 0.05, 0.01, 0.001), (0.1, 1.0)))


@evidence_for("lsl17-em-monotone", monotonic=False)
def monotonic_scores_need_half_the_noise(monotonic=True):
    """For monotonic scores the exponent εq/Δ is enough, and for others not."""
    most, _, attained = em_losses(1, monotonic)
    general, _, too_much = em_losses(1)
    return bool(most <= 1 + 1e-9 and 0.999 < attained <= 1 and general > 1 and too_much > 1.99), (
        f"4,000 monotonic pairs at ε = 1 with exponent εq/Δ: no loss above ε; one of 10,001 equal scores rises: loss "
        f"{attained:.4f}; it rises and the others fall: {too_much:.4f}, so the condition is needed"
    )


@evidence_for("lsl17-alpha-svt", factor=4)
def the_accuracy_bound_holds(factor=8):
    """AboveThreshold is (α, β)-accurate for α = 8(log k + log(2/β))/ε."""
    k, beta, e = np.array(GRID).T
    bound = factor * (np.log(k) + np.log(2 / beta)) / e
    rho, nu = -bound * e / 4, np.log(k) - bound * e / 8  # logs of Pr[|ρ| ≥ α/2] and k Pr[|ν| ≥ α/2]

    def failure(k, beta, e, last):
        """Exact probability that AboveThreshold errs on the hardest answers, over β."""
        m, alpha = mechanism("above_threshold", epsilon=e), alpha_svt(k, e, beta)
        return svt.failure_probability(m, separated(k, alpha, last_above=last), alpha=alpha) / beta

    used = [max(failure(*cell, last) for last in (True, False)) for cell in GRID]
    return bool((np.maximum(rho, nu) <= np.log(beta / 2) + 1e-9).all() and max(used) <= 1), (
        f"{len(GRID)} triples k, β, ε: Pr[|ρ| ≥ α/2] and k Pr[|ν| ≥ α/2] are at most β/2; the exact failure "
        f"probability at the bound is {min(used):.0e} to {max(used):.3f} of β"
    )


@evidence_for("lsl17-3.24-quote", place=0.99)
def the_theorem_needs_plus_alpha(place=-0.99):
    """“[A]ll queries with answers above T − α result in ⊤”; rather all above T + α."""

    def right(last):
        """Probability of ⊤ at the last answer alone, over what is promised, for each k and β."""
        for k, beta in itertools.product((1, 10, 100), (0.2, 0.05)):
            alpha = alpha_svt(k, 1.0, beta)
            answers = [-alpha] * (k - 1) + [last * alpha]
            yield math.exp(svt.log_probability(ABOVE, answers, "⊥" * (k - 1) + "⊤")), 1 - beta

    (reached, kept), (meant, promised) = (tuple(zip(*right(last), strict=True)) for last in (place, 1.0))
    held = [p >= least for p, least in zip(reached, kept, strict=True)]
    return (all(held), all(map(np.greater_equal, meant, promised)) and not any(held)), (
        f"last answer T − 0.99 α, the others at T − α: right with probability at most {max(reached):.1e}, where "
        f"1 − β = 0.8 or 0.95 is promised (k = 1, 10, 100); last answer T + α: at least {min(meant):.4f}"
    )


@evidence_for("lsl17-alpha-em", monotonic=True)
def the_exponential_mechanism_needs_exactly_this(monotonic=False):
    """The exponential mechanism fails with probability β at its α."""
    pairs = [(k, b, e) for k, b, e in GRID if k >= 2 and alpha_em(k, e, b) > 0]
    odds = [(k - 1) * math.exp(-alpha_em(k, e, b) * e * (2 if monotonic else 1)) for k, b, e in pairs]
    exact = [odd / (1 + odd) / b for odd, (_, b, _) in zip(odds, pairs, strict=True)]
    by_law = 1 - svt.top_law([2 * alpha_em(10, 1.0, 0.05)] + [0.0] * 9, 1, epsilon=1.0)[0,]
    failed, near = {}, abs(by_law - 0.05) < 1e-9
    for k, b in ((10, 0.05), (1000, 0.2)):
        hard = Scores([2 * alpha_em(k, 1.0, b), 0.0], [1, k - 1], "exact", "made up")
        options = {"epsilon": 1.0, "trials": 10_000, "rng": np.random.default_rng(154)}
        failed[k, b] = float(svt.exponential_mechanism(hard, 1, **options).fnr().mean())
        near &= abs(failed[k, b] - b) < 5 * math.sqrt(b * (1 - b) / 10_000)
    return bool(np.allclose(exact, 1, rtol=1e-9) and near), (
        f"the exact failure probability at α_EM is β for all {len(pairs)} triples k, β, ε; 10,000 runs: "
        + each("{:.4f} (k = {}, β = {})", failed)
    )


@evidence_for("lsl17-alpha-eighth", part=16)
def it_is_less_than_an_eighth(part=8):
    """α_EM is less than an eighth of α_SVT, by the bounds."""
    many = [cell for cell in GRID if cell[0] >= 2]
    above = [alpha_svt(k, e, b) / part - alpha_em(k, e, b) for k, b, e in many]
    factor = min(2 * k / b / ((k - 1) * (1 - b) / b) for k, b, _ in many)
    return min(above) > 0 and factor > 1, (
        f"α_SVT/8 − α_EM is positive for all {len(above)} triples; in the logarithms 2k/β exceeds (k − 1)(1 − β)/β by "
        f"a factor of at least {factor:.2f}"
    )


def em_needs(log_k, beta):
    """α of the exponential mechanism at ε = 1, k so large that k − 1 counts as k."""
    return log_k + math.log((1 - beta) / beta)


@evidence_for("svt-alpha-ratio", split=2.5)
def it_is_about_a_quarter(split=1.0):
    """Exactly, AboveThreshold needs about four times what the exponential mechanism needs, between two bounds."""

    def bounds(k, beta):
        """Lower and upper bound of the lemma at ε = 1."""
        least = 1 / (2 * -math.expm1(math.log1p(-2 * beta) / (k - 1)))
        return np.array([4 * math.log(least), 4 * math.log(2 * k / (3 * beta))])

    sizes = itertools.product((2, 4, 5, 10, 20, 50, 100, 1000, 10_000), (0.1, 0.05, 0.01, 0.001))
    needed = {cell: smallest_alpha(mechanism("alg1", split=split), *cell) for cell in sizes}
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


@evidence_for("svt-best-split", epsilon=1.9)
def at_the_best_split_it_is_two_to_three(epsilon=1.0):
    """At the best split of Alg. 1 the ratio tends to 3 for small β and to 2 for many queries."""

    def bounds(log_n, beta):
        """The larger lower, the smaller upper bound of the lemma at ε = 1, n = k − 1."""
        log_k = np.logaddexp(log_n, 0)
        least = max(3 * math.log(1 / (4 * beta)), 2 * (log_n - math.log(-2 * math.log1p(-2 * beta))))
        x, d = np.linspace(0.001, 0.999, 999), np.linspace(0.001, 0.5, 500)
        one = (3 / (1 - d) * (log_k - np.log(4 * d * beta))).min()
        other = (math.log(2 / beta) / x + 2 / (1 - x) * (log_k - math.log(beta))).min()
        return np.array([least, min(one, other)])

    tried = [mechanism("alg1", epsilon=epsilon, split=x) for x in (1, 1.5, 2, 2.5, 3, 4, 6)]
    ratio, inside = {}, True
    for k, b in ((2, 0.1), (2, 1e-8), (100, 0.05), (100, 1e-8), (10_000, 0.1)):
        best, (least, most) = min(smallest_alpha(m, k, b) for m in tried), bounds(math.log(k - 1), b)
        inside &= bool(least <= best <= most)
        ratio[k, b] = best / alpha_em(k, 1.0, b)
    small, many = (bounds(n, b) / em_needs(n, b) for n, b in ((math.log(100), 1e-300), (1e6, 0.1)))
    return inside and bool(abs(small - 3).max() < 0.06 and abs(many - 2).max() < 0.02), (
        "needed at the best of seven splits over needed by the exponential mechanism: "
        f"{each('{:.2f} (k = {:,}, β = {:g})', ratio)}; all inside the lemma's bounds, which are {small[0]:.2f} to "
        f"{small[1]:.2f} for k = 100 and β = 1e-300, {many[0]:.3f} to {many[1]:.3f} for log k = 1e6 and β = 0.1"
    )


@evidence_for("svt-retraversal-beats-em", raised=6.0)
def re_traversal_beats_the_exponential_mechanism_once(raised=1.0):
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


@evidence_for("svt-flip-is-retraversal", at=-1.0)
def permute_and_flip_is_re_traversal(at=0.0):
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
    errors = {up: float(scores.max() - flips(scores, up) @ scores) for up in steps}
    rises = list(errors.values()) == sorted(errors.values())
    return bool(max(same, ends) < 1e-9 and favours > -1e-9) and rises, (
        "100 random lists: re-traversal at T = max has the law of permute-and-flip to 1e-9, 30 scales higher that of "
        "the exponential mechanism to 1e-9, and the quotient of the laws never falls with the score; expected error "
        f"for 5, 4, 2, 2, 0 at T raised by {each('{1:g}s: {0:.4f}', errors)}"
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


@evidence_for("svt-one-shot", epsilon=2.0)
def one_shot_is_peeling(epsilon=3.0):
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
        f"{trials:,} runs against the law: {each('{1} {0:.0f}', chi)} (expected {len(rounds) - 1})"
    )


@evidence_for("svt-retraversal-free", epsilon=2.0)
def passes_share_one_threshold(epsilon=1.0):
    """Re-traversal costs nothing if all passes share the threshold noise; drawn again it does."""
    alg1, alg7 = mechanism("alg1", epsilon=epsilon), mechanism("alg7", 3, monotonic=True)
    places = list(itertools.product((-30.0, 0.0, 30.0), (-30.0, 0.0, 30.0), (-1, 1), (-1, 1)))

    def shared(passes):
        """Largest loss if all passes share the threshold noise: ⊥ to the end, or up to the first ⊤."""
        quiet = [(n, "⊤") for n in range(2 * passes)] + [(2 * passes - 1, "⊥")]
        moves = [([(1, a, d, "⊥"), (1, b, e, "⊥")] * passes) for a, b, d, e in places]
        return max(lost(alg1, *asked[:n], (*asked[n][:3], said)) for asked in moves for n, said in quiet)

    kept = {r: shared(r) for r in (1, 2, 3, 4, 6, 8)}
    fresh = 8 * max(lost(alg1, (1, a, d, "⊥"), (1, b, e, "⊥")) for a, b, d, e in places)
    costs = [svt.prove(m).epsilon for m in (alg1, alg7)]
    losses = list(kept.values())
    return losses == sorted(losses) and max(*losses, *costs) <= 1 + 1e-9 and fresh > 2, (
        f"largest exact loss at ε = 1 after {each('{}', kept.keys())} passes: {each('{:.4f}', losses)}; alignments of "
        f"Alg. 1 and of the monotonic Alg. 7 with c = 3 cost {max(costs):.4f}, for any number of queries; with fresh ρ "
        f"in each pass the loss of silence is {fresh:.1f} after 8"
    )


@evidence_for("svt-retraversal-limit", part="epsilon1")
def re_traversal_tends_to_the_exponential_mechanism(part="epsilon2"):
    """As T rises, the first c positives tend to the peeled exponential mechanism with budget ε₂."""
    four, two = (12.0, 9.0, 8.0, 3.0), mechanism("alg7", 2, monotonic=True)
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
