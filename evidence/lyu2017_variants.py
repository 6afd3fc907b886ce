"""Lyu, Su & Li, Understanding the Sparse Vector Technique (2017), Sections 3.2 to 4.3 and Appendix 9.

Why the other algorithms are less private or not at all, and Alg. 7.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import z3
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom

import svtlib as svt
from evidence import claim

FAR = [-1e4, 0, 1e4]


def _largest(mechanism, n):
    """Largest exact loss found with answers at the threshold or far on either side of it."""
    return svt.worst_case(mechanism, n, answers_grid=FAR).loss


# Section 3.2: Alg. 2 to 6


@claim("lsl17-alg2-dp", {"scale": 2.0})
def alg_2_is_private(scale=6.0):
    """Alg. 2 is ε-DP with ε₁ = ε₂ = ε/2, for all c, all neighbours and any number of queries of sensitivity Δ."""
    base = svt.variant("alg2").calibrate(epsilon=1.0, c=3)
    alg2, no_c = (replace(base, threshold_noise=svt.Laplace(s), refresh_noise=None) for s in (scale, 2.0))
    proof, without = svt.prove(alg2), svt.prove(no_c)
    report = svt.check_alignment(alg2, rng=np.random.default_rng(20))
    found = {n: _largest(alg2, n) for n in (3, 12, 24)}
    general = svt.prove(svt.variant("alg2")).holds
    return general and proof.holds and report.holds and not without.holds and max(found.values()) <= 1 + 1e-9, (
        f"for all inputs and c an alignment proves it; for c = 3 at ε = 1 it costs {proof.epsilon:g}, and without c in "
        f"the threshold noise {without.epsilon:g}; followed through {report.trials:,} runs: at most {report.cost:.6f}; "
        "largest exact loss for c = 3: " + ", ".join(f"{loss:.4f} (n = {n})" for n, loss in found.items())
    )


@claim("lsl17-alg2-refresh", {"large": 3.0})
def a_fresh_threshold_needs_c_times_the_noise(large=6.0):
    """The threshold noise must scale with c if it is drawn anew after each positive, and need not if drawn once."""
    base = svt.variant("alg1").calibrate(epsilon=1.0, c=3)
    small_once, small_anew, large_once, large_anew = (
        _largest(replace(base, threshold_noise=svt.Laplace(scale), refresh=refresh), 30)
        for scale, refresh in product((2.0, large), (False, True))
    )
    as_priced = abs(small_anew - 2.0) < 1e-3 and abs(large_once - 2 / 3) < 1e-3
    return as_priced and max(small_once, large_anew) <= 1 + 1e-9, (
        f"largest exact loss on 30 queries at ε = 1, c = 3: threshold scale Δ/ε₁, not refreshed {small_once:.4f}; "
        f"threshold scale Δ/ε₁, refreshed {small_anew:.4f}; threshold scale cΔ/ε₁, not refreshed {large_once:.4f}; "
        f"threshold scale cΔ/ε₁, refreshed {large_anew:.4f}"
    )


@claim("lsl17-alg3-indicator", {"key": "alg1"})
def with_indicators_alg_3_loses_half_more(key="alg3"):
    """The query noise of Alg. 3 is not enough for ε-DP, but suffices for 3ε/2-DP, if it released ⊤."""
    indicators = {c: replace(svt.variant(key).calibrate(epsilon=1.0, c=c), release="indicator") for c in (1, 2, 3)}
    cost = max(svt.prove(m).epsilon for m in indicators.values())
    found = {c: _largest(m, 6 * c) for c, m in indicators.items()}
    return cost <= 1.5 + 1e-9 and all(1.4 < loss <= 1.5 + 1e-9 for loss in found.values()), (
        f"the cheapest alignment costs {cost:g}, for all inputs; largest exact loss found at ε = 1: "
        + ", ".join(f"{loss:.3f} (c = {c})" for c, loss in found.items())
    )


@claim("lsl17-eq-11", {"scale": 1.0})
def the_step_to_11_drops_a_condition(scale=2.0):
    """The step to (11) removes the condition qᵢ(D) + νᵢ ≥ T + z, and that is the error."""
    alg3 = svt.variant("alg3").calibrate(epsilon=1.0)
    numbers, noise = (-5.0, 0.0, 5.0, 60.0), svt.Laplace(scale)

    def kept(answers, a):
        """The line before: log density of negatives, then the number a."""
        return svt.log_probability(alg3, answers, [False] * (len(answers) - 1) + [a])

    def dropped(answers, a):
        """Line (11): the same without the condition that a is above the threshold."""
        negatives = svt.log_probability(replace(alg3, release="indicator"), answers[:-1], "⊥" * (len(answers) - 1))
        return negatives + float(noise.logpdf(a - answers[-1]))

    pairs = [([0.0] * m + [x], [1.0] * m + [x + d]) for m in (1, 5, 20) for x in (0.0, 1.0) for d in (-1.0, 1.0)]
    low, high = (max(abs(dropped(here, a) - kept(here, a)) for here, _ in pairs) for a in (0.0, 60.0))
    of_11, loss = (max(line(p, a) - line(q, a) for p, q in pairs for a in numbers) for line in (dropped, kept))
    return low > 1 and high < 1e-6 and of_11 <= 1 + 1e-9 and loss > 2, (
        f"log of (11) over the line before it: up to {low:.2f} for the number 0, below 0.000001 for the number 60; the "
        f"largest loss of these pairs is {loss:.2f}, and {of_11:.3f} if (11) were true, at ε = 1"
    )


def _alg4_costs(share, far, monotonic=False):
    """Whether Alg. 4 costs (1 + share · c)/4 at ε = 1, and no less; and the losses of far answers in words."""
    exactly, reached = True, {}
    for c in (1, 2, 3, 10, 50):
        m, stated = svt.variant("alg4").calibrate(epsilon=1.0, c=c, monotonic=monotonic), (1 + share * c) / 4
        here, there = [far] * (c + 1) + [-far] * c, [far + 1] * (c + 1) + [-far - (not monotonic)] * c
        reached[c] = svt.privacy_loss(m, here, there, "⊥" * (c + 1) + "⊤" * c)
        exactly &= abs(svt.prove(m).epsilon - stated) < 1e-9 and -1e-9 <= stated - reached[c] < 1e-3
        exactly &= c > 2 or svt.worst_case(m, 2 * c + 4).loss <= stated + 1e-9
    return exactly, ", ".join(f"{loss:.3f} for c = {c}" for c, loss in reached.items())


@claim("lsl17-alg4-general", {"far": 1.0})
def alg_4_pays_for_every_positive(far=2000.0):
    """Alg. 4 is only ((1 + 6c)/4)ε-DP in general."""
    exactly, losses = _alg4_costs(6, far)
    return exactly, (
        "an alignment costs (1 + 6c)/4 at ε = 1, for all inputs; exact loss of c + 1 negatives and c positives, 2,000 "
        f"away: {losses}; a search over 2c + 4 queries finds no more for c = 1 and 2"
    )


@claim("lsl17-alg4-monotone", {"far": 1.0})
def alg_4_pays_half_for_monotonic_queries(far=2000.0):
    """Because of the monotonicity of its queries, the usage of Alg. 4 there is ((1 + 3c)/4)ε-DP."""
    exactly, losses = _alg4_costs(3, far, monotonic=True)
    return exactly, (
        "an alignment costs (1 + 3c)/4 at ε = 1, for all inputs; exact loss of c + 1 negatives that rise and c "
        f"positives that stay, 2,000 away: {losses}; a search over 2c + 4 queries finds no more for c = 1 and 2"
    )


@claim("lsl17-product-error", {"scale": 0.0})
def a_product_is_not_integrated_factor_by_factor(scale=2.0):
    """The proofs of Alg. 4, 5 and 6 take the integral of a product for the product of the integrals, which differ."""
    rho = svt.Laplace(scale) if scale else svt.NoNoise()
    alg6 = replace(svt.variant("alg6").calibrate(epsilon=1.0), threshold_noise=rho)

    def log_integral(negatives, positives):
        """Log of the integral of p(z) f(z) g(z), with this many queries of answer 0."""
        n = negatives + positives
        return svt.log_probability(alg6, [0.0] * n, "⊥" * negatives + "⊤" * positives)

    ratio = {m: math.exp(log_integral(m, m) - log_integral(m, 0) - log_integral(0, m)) for m in (1, 2, 5, 10)}
    return max(ratio.values()) < 0.9, (
        "integral of the product over product of the integrals, m negatives and m positives at the threshold: "
        + ", ".join(f"{x:.4f} for m = {m}" for m, x in ratio.items())
    )


@claim("lsl17-thm-3.5", {"key": "alg6"})
def alg_5_rules_a_dataset_out(key="alg5"):
    """Alg. 5 is not ε′-DP for any finite ε′: ⊥⊤ on the answers 0, 1 against 1, 0 has an infinite loss."""
    mechanism = svt.variant(key).calibrate(epsilon=1.0)
    probability = math.exp(svt.log_probability(mechanism, [0.0, 1.0], "⊥⊤"))
    by_hand = float(np.diff(np.exp(mechanism.threshold_noise.logcdf([0.0, 1.0])))[0])
    loss = svt.privacy_loss(mechanism, [0.0, 1.0], [1.0, 0.0], "⊥⊤")
    return loss == math.inf and abs(probability - by_hand) < 1e-12, (
        f"⊥⊤ has probability Pr[0 < ρ ≤ 1] = {probability:.6f} for the answers 0, 1 and probability 0 for 1, 0: there "
        "it would need 1 < ρ ≤ 0"
    )


# Section 3.3 and 3.4: other usages


@claim("lsl17-gptt-general", {"split": 3.0})
def gptt_is_alg_6(split=1.0):
    """When setting ε₁ = ε₂ = ε/2, GPTT becomes Alg. 6."""
    gptt = svt.variant("gptt").calibrate(epsilon=2.0, split=split)
    alg6, rng = svt.variant("alg6").calibrate(epsilon=2.0), np.random.default_rng(15)
    vectors = [rng.normal(0, 3, 4).round(2) for _ in range(40)]
    outcomes = ["".join(signs) for signs in product("⊥⊤", repeat=4)]
    gap = max(abs(svt.log_probability(gptt, v, o) - svt.log_probability(alg6, v, o)) for v in vectors for o in outcomes)
    return gap < 1e-9 and gptt.epsilon1 == gptt.epsilon2, (
        f"the log probabilities of {len(outcomes)} outcomes on {len(vectors)} answer vectors differ by less than 1e-9"
    )


@claim("lsl17-abs-inside", {"scale": 4.0})
def noise_inside_the_absolute_value_is_private(scale=8.0):
    """The noise inside is incorrect; or rather it is ε-DP, and misses more than the noise outside."""
    inside = replace(svt.variant("abs_value").calibrate(epsilon=1.0, c=2), query_noise=svt.Laplace(scale))
    proof = svt.prove(inside)
    here, there = [400.0] * 10 + [-100.0] * 2, [401.0] * 10 + [-99.0] * 2
    lost = {T: svt.privacy_loss(inside, here, there, "⊥" * 10 + "⊤" * 2, T) for T in (-5.0, 0.0, 20.0)}
    found = svt.worst_case(inside, 6, 20.0, answers_grid=[-400, -100, 0, 100, 400]).loss
    private = proof.holds and max(found, *lost.values()) <= 1 + 1e-9

    def log_alarm(key, error, T):
        """Log probability of ⊤ at c = 1 if the estimate is off by this much."""
        return svt.log_probability(svt.variant(key).calibrate(epsilon=1.0), [error], "⊤", T)

    level = brentq(lambda T: log_alarm("alg1", 0.0, T) - log_alarm("abs_value", 0.0, 20.0), 0, 20)
    misses_more = all(log_alarm("alg1", x, level) > log_alarm("abs_value", x, 20.0) for x in range(1, 51))
    return (not private, private and min(lost.values()) > 1 - 1e-3 and misses_more), (
        f"the alignment keeps the output at a cost of {proof.epsilon:g}, for all inputs; ten negatives at 400 and two "
        f"positives at −100, all rising by 1, lose {', '.join(f'{x:.4f} (T = {T:g})' for T, x in lost.items())} at ε = "
        "1, and the search finds no pair that loses more than 1; with as many false alarms at error 0 as inside at T "
        f"= 20 and c = 1 (outside at T = {level:.1f}) the test outside finds every error from 1 to 50 more often"
    )


@claim("lsl17-positive-leaks", {"T": 1000.0})
def a_negative_bounds_the_threshold_noise(T=1.0):
    """From a ⊤ one knows that ρ ≥ −T; or rather from a ⊥, since with T + ρ ≤ 0 every answer is ⊤."""
    one, rng = svt.variant("abs_value").calibrate(epsilon=1.0), np.random.default_rng(34)
    runs = [svt.run(one, [0.0], T, rng=rng) for _ in range(4000)]
    below = {said: [r.tape.rho[0] < -T for r in runs if r.outcome == (said,)] for said in (True, False)}
    tops, bottoms = sum(below[True]), sum(below[False])
    return (tops == 0, tops > 0 and bottoms == 0), (
        f"with T = 1, ρ < −T in {tops:,} of {len(below[True]):,} runs answered ⊤ and in {bottoms} of "
        f"{len(below[False]):,} answered ⊥"
    )


@claim("lsl17-abs-outside", {"scale": 4.0})
def the_error_is_a_query_like_any_other(scale=8.0):
    """With rᵢ = |q̃ᵢ − qᵢ(D)| as the query, it becomes a standard application of SVT."""
    error, d = z3.Reals("error d")
    size, moved = z3.If(error >= 0, error, -error), z3.If(error + d >= 0, error + d, -error - d)
    solver = z3.Solver()
    solver.add(d >= -1, d <= 1, z3.Or(moved - size > 1, size - moved > 1))
    proof = svt.prove(replace(svt.variant("alg1").calibrate(epsilon=1.0, c=2), query_noise=svt.Laplace(scale)))
    return solver.check() == z3.unsat and proof.holds, (
        "|q̃ − q| moves by at most 1 where q moves by at most 1, for all real numbers by the solver, and the "
        f"alignment of Alg. 1 about it costs {proof.epsilon:g} at ε = 1, for all inputs"
    )


@claim("lsl17-advanced", {"factor": 0.5})
def advanced_composition_holds(factor=2):
    """k instances of ε-DP algorithms satisfy (ε′, δ′)-DP, where ε′ = √(2k ln(1/δ′)) ε + kε(e^ε − 1)."""

    def exact_delta(k, epsilon, total):
        """Smallest δ for which k randomised responses, the worst case, are (total, δ)-DP."""
        i = np.arange(k + 1)
        weight = binom.pmf(i, k, 1 / (1 + math.exp(-epsilon)))
        return float((weight * -np.expm1(np.minimum(total - (2 * i - k) * epsilon, 0))).sum())

    shares = [
        exact_delta(k, e, math.sqrt(factor * k * math.log(1 / delta)) * e + k * e * math.expm1(e)) / delta
        for k, e, delta in product((1, 10, 100, 1000), (0.01, 0.1, 0.5), (1e-2, 1e-6))
    ]
    return max(shares) <= 1, (
        f"over {len(shares)} combinations of k, ε and δ′ the exact δ of the worst composition is at most "
        f"{max(shares):.3f} δ′"
    )


# Section 4: Alg. 7


def _variance(split, c, factor):
    """Variance of Lap(Δ/ε₁) − Lap(factor · cΔ/ε₂) at ε₁ + ε₂ = 1."""
    e1 = 1 / (1 + split)
    return svt.Laplace(1 / e1).variance + svt.Laplace(factor * c / (1 - e1)).variance


def _least_variance(c, factor):
    """The split of least variance, searched for."""
    search = minimize_scalar(
        lambda log_s: math.log(_variance(math.exp(log_s), c, factor)),
        bounds=(0.0, math.log(10 * c) + 1),
        method="bounded",
    )
    return math.exp(search.x)


def _is_least(searched, factor, stated):
    """Whether 1 : (stated · c)^(2/3) is the split found for each c, and no other split has less variance."""
    formula = {c: (stated * c) ** (2 / 3) for c in searched}
    return all(
        abs(found / formula[c] - 1) < 1e-3
        and all(
            _variance(s, c, factor) >= 2 * (1 + formula[c]) ** 3 * (1 - 1e-12) for s in np.geomspace(0.01, 1e4, 300)
        )
        for c, found in searched.items()
    )


@claim("lsl17-eq-12", {"factor": 1})
def least_variance(factor=2):
    """The variance of Lap(Δ/ε₁) − Lap(2cΔ/ε₂) is minimized when ε₁ : ε₂ = 1 : (2c)^(2/3)."""
    searched = {c: _least_variance(c, factor) for c in (1, 2, 5, 10, 100, 1000)}
    return _is_least(searched, factor, 2), (
        "the split with the least variance, searched: "
        f"{', '.join(f'1 : {s:.2f} (c = {c})' for c, s in searched.items())}; no other of 300 splits has less than "
        "that of 1 : (2c)^(2/3)"
    )


@claim("lsl17-split-monotone", {"factor": 2})
def least_variance_for_monotonic_queries(factor=1):
    """For monotonic queries (12) becomes ε₁ : ε₂ = 1 : c^(2/3)."""
    assert svt.prove(svt.variant("alg7"), monotonic=True).holds  # with query noise Lap(cΔ/ε₂)
    searched = {c: _least_variance(c, factor) for c in (2, 5, 10, 100, 1000)}
    return _is_least(searched, factor, 1), "the split with the least variance, searched: " + ", ".join(
        f"1 : {s:.2f} against c^(2/3) = {c ** (2 / 3):.2f} (c = {c})" for c, s in searched.items()
    )


def _fewest_errors(d, c):
    """The split with which one answer at distance d is judged wrongly least often."""

    def log_wrong(log_split):
        m = svt.variant("alg7").calibrate(epsilon=1.0, c=c, split=math.exp(log_split))
        return svt.log_probability(m, [-d], "⊤")

    bounds = math.log(math.sqrt(2 * c) / 2), math.log(8 * c)
    return math.exp(minimize_scalar(log_wrong, bounds=bounds, method="bounded", options={"xatol": 1e-3}).x)


@claim("lsl17-variance-aim", {"near": 3.0})
def the_variance_is_not_what_decides(near=0.02):
    """The most accurate comparison is that of least variance; or rather its split depends on the distance."""
    ends = {c: (_fewest_errors(near * c, c), _fewest_errors(1e4 * c, c)) for c in (1, 5, 10, 50)}
    holds = all(abs(split / (2 * c) ** (2 / 3) - 1) < 0.02 for c, both in ends.items() for split in both)
    tends = all(abs(a / math.sqrt(2 * c) - 1) < 0.03 and abs(b / (2 * c) - 1) < 0.03 for c, (a, b) in ends.items())
    return (holds, tends), (
        "best split for one comparison close to the threshold and far from it: "
        + ", ".join(
            f"1 : {a:.1f} and 1 : {b:.0f} (c = {c}, variance 1 : {(2 * c) ** (2 / 3):.1f})"
            for c, (a, b) in ends.items()
        )
    )


@claim("lsl17-thm-4.7", {"factor": 1})
def alg_7_is_private(factor=2):
    """Alg. 7 is (ε₁ + ε₂ + ε₃)-DP, for queries of sensitivity Δ and query noise Lap(2cΔ/ε₂)."""
    proofs = [svt.prove(svt.variant("alg7"), numbers=numbers) for numbers in (False, True)]
    mechanisms = []
    for (c, split), e3 in product(((1, 2.0), (3, 0.5), (3, 6.0)), (0.0, 0.25)):
        m = svt.variant("alg7").calibrate(epsilon=1.0, c=c, split=split, epsilon3=e3)
        mechanisms.append(replace(m, query_noise=svt.Laplace(factor * c / m.epsilon2)))
    reports = [svt.check_alignment(m, rng=np.random.default_rng(70), trials=100) for m in mechanisms]
    found = [_largest(m, 20) for m in mechanisms]
    two = svt.variant("alg7").calibrate(epsilon=1.0, c=2, epsilon3=0.4)
    audits = [
        svt.audit(svt.sampler_of(m), [3, 0, 3, 0], [2, 1, 2, 1], trials=30_000, rng=np.random.default_rng(71))
        for m in (two, replace(two, release_noise=svt.Laplace(0.5)))
    ]
    proved = all(proof.holds for proof in proofs) and all(report.holds for report in reports)
    attained = 1 - 1e-6 < min(found) <= max(found) <= 1 + 1e-9
    return proved and attained and audits[0].epsilon_lower <= 1 < audits[1].epsilon_lower, (
        f"every step is proved for all inputs; alignments of {len(reports)} calibrations cost at most "
        f"{max(report.cost for report in reports):.4f} at ε = 1; largest exact loss found {min(found):.4f} to "
        f"{max(found):.4f}; audit: ε at least {audits[0].epsilon_lower:.2f}, and {audits[1].epsilon_lower:.2f} for "
        "numbers with too little noise"
    )


@claim("lsl17-thm-4.9", {"factor": 0.5})
def alg_7_needs_half_the_noise_for_monotonic_queries(factor=1):
    """Alg. 7 with query noise Lap(cΔ/ε₂) is (ε₁ + ε₂ + ε₃)-DP when all queries are monotonic."""
    proofs = [svt.prove(svt.variant("alg7"), monotonic=True, numbers=numbers) for numbers in (False, True)]
    one_way = []
    for c, e3 in product((1, 3), (0.0, 0.25)):
        for split in (1.0, c ** (2 / 3)):
            m = svt.variant("alg7").calibrate(epsilon=1.0, c=c, split=split, epsilon3=e3, monotonic=True)
            one_way.append(replace(m, query_noise=svt.Laplace(factor * c / m.epsilon2)))
    both_ways = [replace(m, monotonic=False) for m in one_way]
    kept, broken = ([_largest(m, 20) for m in those] for those in (one_way, both_ways))
    aligned = [svt.check_alignment(m, rng=np.random.default_rng(49), trials=100).holds for m in one_way]
    needed = not any(svt.prove(m).holds for m in both_ways) and min(broken) > 1.2
    return all(proof.holds for proof in proofs) and all(aligned) and max(kept) <= 1 + 1e-9 and needed, (
        f"every step is proved for all inputs; largest exact loss found at ε = 1: {max(kept):.4f}; the same noise on "
        f"queries that move both ways loses {min(broken):.4f} to {max(broken):.4f}"
    )


# Appendix 9: the refutations


def _for_all_z(statement):
    """Whether a statement on e^ε₂ and F(z + k), of Laplace noise at Δ = 1, holds for all z and all ε₂."""
    u, e = z3.Reals("u e")  # u = e^(ε₂z) > 0

    def F(k):
        x = u * e**k if k >= 0 else u / e**-k
        return z3.If(x <= 1, x / 2, 1 - 1 / (2 * x))

    solver = z3.Solver()
    solver.add(e > 1, u > 0, z3.Not(statement(e, F)))
    return solver.check() == z3.unsat


@claim("lsl17-thm-9.11", {"number": 2.0})
def alg_3_loses_without_bound(number=0.0):
    """Alg. 3 is not ε′-DP for any finite ε′: 0^m Δ against Δ^m 0 has, for ⊥^m 0, the ratio e^((m − 1)ε/2)."""
    losses = {
        (e, m): svt.privacy_loss(
            svt.variant("alg3").calibrate(epsilon=e), [0.0] * m + [1.0], [1.0] * m + [0.0], [False] * m + [number]
        )
        for e, m in product((0.1, 1.0), (1, 2, 5, 20, 100))
    }
    return max(abs(loss - (m - 1) * e / 2) for (e, m), loss in losses.items()) < 1e-6, (
        "exact loss at ε = 1: "
        + ", ".join(f"{abs(loss):.4f} for m = {m}" for (e, m), loss in losses.items() if e == 1)
        + "; it differs from (m − 1)ε/2 by less than 0.000001, at ε = 0.1 too"
    )


@claim("lsl17-thm-9.13", {"falls": 0.0})
def alg_6_loses_without_bound(falls=1.0):
    """Alg. 6 is not ε′-DP for any finite ε′: ⊥^m ⊤^m on 0^2m against 1^m (−1)^m has a loss of at least mε/2."""
    alg6 = svt.variant("alg6").calibrate(epsilon=1.0)
    losses = {
        m: svt.privacy_loss(alg6, [0.0] * 2 * m, [1.0] * m + [-falls] * m, "⊥" * m + "⊤" * m)
        for m in (1, 2, 5, 10, 50, 200)
    }
    one_pair = _for_all_z(lambda e, F: e * F(-1) * (1 - F(1)) <= F(0) * (1 - F(0)))  # ε₂ = ε/2
    return one_pair and all(loss >= m / 2 for m, loss in losses.items()), (
        "a ⊥ and a ⊤ together are at least e^(ε/2) times as likely on D, at every z by the solver; exact loss of "
        "⊥^m ⊤^m for 0^2m against 1^m (−1)^m: " + ", ".join(f"{loss:.3f} for m = {m}" for m, loss in losses.items())
    )


def _log_kappa(z, shift=1.0):
    """Log of κ(z), the odds of a ⊥ and a ⊤ together on D against D′, given z, at ε₂ = 1."""
    nu = svt.Laplace(1.0)
    return nu.logcdf(z) + nu.logsf(z - shift) - nu.logcdf(z - shift) - nu.logsf(z)


def _gptt():
    """GPTT with ε₁ = ε₂ = 1."""
    return svt.variant("gptt").calibrate(epsilon=2.0, split=1.0)


def _kappa_is_at_least_e():
    """The lemma κ(z) ≥ e^ε₂."""
    return _for_all_z(lambda e, F: F(0) * (1 - F(-1)) >= e * F(-1) * (1 - F(0)))


@claim("lsl17-gptt-proof", {"delta": 3.0})
def kappa_falls_with_t(delta=None):
    """κ, the minimum of κ(z) over [−δ(t), δ(t)], decreases when t increases."""
    lengths, deltas, kappas = (1, 2, 5, 10), [], []
    for t in lengths:
        log_alpha = svt.log_probability(_gptt(), [1] * t + [0] * t, "⊥" * t + "⊤" * t)
        deltas.append(delta or math.log(2) - log_alpha)  # δ = |F⁻¹(α/4)| for Lap(1): half of e^(−δ) is α/4
        inside = np.append(np.linspace(-deltas[-1], deltas[-1], 20_001), [0.0, 0.5, 1.0])
        kappas.append(float(_log_kappa(inside).min()))
    falls = all(a > b for a, b in pairwise(kappas)) and all(a < b for a, b in pairwise(deltas))
    return falls, "δ(t) and log κ(t) at ε₁ = ε₂ = 1: " + ", ".join(
        f"{d:.2f} and {k:.6f} at t = {t}" for t, d, k in zip(lengths, deltas, kappas, strict=True)
    )


@claim("lsl17-kappa-to-1", {"shift": 0.0})
def kappa_stays_above_e(shift=1.0):
    """When |z| goes to ∞, κ(z) goes to 1; or rather to e^ε₂, and it is never less."""
    far = np.array([-400.0, -30.0, -5.0, 6.0, 30.0, 400.0])
    log_kappa = _log_kappa(far, shift)
    ends = log_kappa[[0, -1]]
    to_1, to_e = np.allclose(ends, 0, rtol=0, atol=1e-6), np.allclose(ends, 1, rtol=0, atol=1e-9)
    return (to_1, to_e and _kappa_is_at_least_e()), (
        f"log κ(z) at ε₂ = 1 for z = {', '.join(f'{z:g}' for z in far)}: {', '.join(f'{k:.6f}' for k in log_kappa)}; a "
        "κ of 1 would be 0, e^ε₂ is 1; κ(z) ≥ e^ε₂ for all z and ε₂ by the solver"
    )


@claim("lsl17-gptt-not-fixable", {"rate": 2.0})
def one_lemma_fixes_the_proof(rate=1.0):
    """The error in the proof cannot be easily fixed; or rather κ(z) ≥ e^ε₂ fixes it, with a loss of at least ε₂t."""
    losses = {
        t: svt.privacy_loss(_gptt(), [0] * t + [1] * t, [1] * t + [0] * t, "⊥" * t + "⊤" * t)
        for t in (1, 2, 5, 10, 20, 50, 100, 200)
    }
    grid = np.concatenate([np.linspace(-50, 50, 20_001), np.linspace(0, 1, 1001)])
    least = float(_log_kappa(grid).min())
    lemma = least >= rate - 1e-9 and _kappa_is_at_least_e()
    repaired = lemma and all(loss >= rate * t - 1e-9 for t, loss in losses.items())
    return (not repaired, repaired), (
        f"one lemma fixes it: κ(z) ≥ e^ε₂ for all z and ε₂ by the solver, and the least log κ(z) over {grid.size:,} "
        f"values of z is {least:.6f} = ε₂, so that the loss is at least ε₂t for every t (exact at t = 200: "
        f"{losses[200]:.2f})"
    )


@claim("lsl17-gptt-alg1", {"end": -1})
def the_same_logic_would_refute_alg_1(end=1):
    """Following the logic of that proof, one can prove that Alg. 1 is not ε′-DP for any finite ε′."""
    kappas, bounds, losses = {}, {}, {}
    for e, t in product((1.0, 10.0), (1, 10, 100, 1000, 10_000)):
        alg1 = svt.variant("alg1").calibrate(epsilon=e)
        nu = alg1.query_noise
        delta = (math.log(2) - svt.log_probability(alg1, [1] * t, "⊥" * t)) / alg1.epsilon1
        kappas[e, t] = float(nu.logcdf(end * delta) - nu.logcdf(end * delta - 1))  # least at δ: κ falls with z
        bounds[e, t] = t * kappas[e, t] - math.log(2)
        losses[e, t] = svt.privacy_loss(alg1, [0] * t, [1] * t, "⊥" * t)
    carries_over = min(kappas.values()) > 0 and all(bounds[key] <= losses[key] for key in losses)
    spans = {e: [b for (other, _), b in bounds.items() if other == e] for e in (1.0, 10.0)}
    return carries_over and all(loss <= e / 2 + 1e-9 for (e, _), loss in losses.items()), (
        "on Alg. 1 κ(t) > 1, and the loss is at least t·log κ(t) − log 2, at every t up to 10,000; but that stays "
        + " and ".join(f"between {min(span):.3f} and {max(span):.3f} at ε = {e:g}" for e, span in spans.items())
        + ", and the exact loss is at most ε₁"
    )
