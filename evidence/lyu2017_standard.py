"""Lyu, Su & Li, Understanding the Sparse Vector Technique (2017), Sections 2 to 3.1.

The definitions, the table of the six algorithms, and the proof of Alg. 1.
"""

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from scipy.special import log_softmax, logsumexp

import svtlib as svt
from evidence import evidence_for
from evidence._common import costs, each, lost, mechanism, stays
from svtcourse.lessons.noise_without_c import spread
from svtcourse.lessons.refreshing import needed_on_pages, with_split


def _steps(subject):
    """The steps of the cheapest alignment, by name."""
    return {line.step: line for line in svt.prove(subject).steps}


def _endless(threshold_scale=2.0):
    """Alg. 1 at ε = 1 without its cut-off, so that there are any number of positives."""
    return mechanism("alg1", changed={"cutoff": None, "threshold_noise": svt.Laplace(threshold_scale)})


# Section 2: definitions and tools


@evidence_for("lsl17-def-1", {"neighbour": (9, 9, 9, 4, 0, 4)})
def single_outputs_bound_all_sets(neighbour=(1, 1, 1, 4, 0, 4)):
    """With countably many outputs, the inequality for single outputs gives it for all sets of outputs."""
    outcomes = ["⊥" * k + "⊤" for k in range(6)] + ["⊥" * 6]
    log_p, log_q = (
        np.array([svt.log_probability(mechanism("above_threshold"), answers, o, 2.5) for o in outcomes])
        for answers in ((0, 2, 0, 5, 1, 3), neighbour)
    )
    single = (log_p - log_q).max()
    sets = [list(s) for size in range(1, 8) for s in combinations(range(7), size)]
    of_sets = max(logsumexp(log_p[s]) - logsumexp(log_q[s]) for s in sets)
    return abs(logsumexp(log_p)) < 1e-9 and single <= 1 and of_sets <= single + 1e-9, (
        f"AboveThreshold on six queries: largest loss over the 7 outcomes {single:.6f}, over all {len(sets)} sets of "
        f"them {of_sets:.6f}"
    )


@evidence_for("lsl17-def-1-pointwise", {"scale": 20.0})
def single_numbers_have_no_probability(scale=1.0):
    """The inequality for each S ∈ Range(A) is ε-DP; or rather that for all sets, or for the densities."""
    epsilon, noise, x = 0.1, svt.Laplace(scale), np.linspace(-5, 5, 1001)
    here, there = (np.exp(noise.logcdf(y)) - np.exp(noise.log_less(y)) for y in (x, x + 1))
    passes = bool((here <= math.exp(epsilon) * there).all())
    set_loss = float(noise.log_at_least(0.0) - noise.log_at_least(1.0))
    density_loss = float((noise.logpdf(x) - noise.logpdf(x + 1)).max())
    return (passes and set_loss <= epsilon, passes and min(set_loss, density_loss) > epsilon), (
        f"a count released with noise Lap(1): each of {x.size} single numbers has probability {here.max():g}, so "
        f"it passes for ε = {epsilon}; but the set [8, ∞) has the loss {set_loss:.3f}, and the densities the loss "
        f"{density_loss:.3f}"
    )


@evidence_for("lsl17-laplace", {"factor": 0.5})
def laplace_noise_is_private(factor=1.0):
    """f(D) + Lap(Δ/ε) is ε-DP for every f of sensitivity Δ."""
    epsilon, sensitivity = 0.5, 3.0
    shifts, x = np.linspace(-sensitivity, sensitivity, 61), np.linspace(-300, 300, 2001)

    def losses(share):
        """At all outputs, for all moves of f, with this share of the noise."""
        noise = svt.Laplace(share * factor * sensitivity / epsilon)
        return noise.logpdf(x) - noise.logpdf(x - shifts[:, None])

    whole, half = losses(1.0), losses(0.5)
    return abs(whole.max() - epsilon) < 1e-9 and half.max() > epsilon + 1e-9, (
        f"largest loss over {whole.size:,} shifts and outputs: {whole.max():.6f} at ε = {epsilon}, attained; with "
        "half the noise it is exceeded"
    )


def em_losses(factor, monotonic=False):
    """Losses if r has a weight proportional to exp(ε q(D, r)/(factor · Δ)), at ε = 1.

    The largest over 4,000 pairs, the largest by which the sum of the weights changes, and that of one candidate that
    rises against 10,000 that fall, or stay.
    """
    rng = np.random.default_rng(2007)
    scores = rng.normal(0, 10, (4000, 5)) * 10 ** rng.uniform(-2, 1, (4000, 1))
    moved = scores + rng.choice([-1.0, 0.0, 1.0], scores.shape)
    if monotonic:
        moved = scores + abs(moved - scores) * rng.choice([-1.0, 1.0], (4000, 1))
    alone = np.eye(1, 10_001)
    pairs = (scores, moved), (alone, 0 * alone if monotonic else 1 - alone)
    weights = abs(logsumexp(moved / factor, axis=1) - logsumexp(scores / factor, axis=1)).max()
    most, rival = (abs(np.subtract(*(log_softmax(x / factor, axis=1) for x in pair))).max() for pair in pairs)
    return most, weights, rival


@evidence_for("lsl17-em", {"factor": 1})
def the_exponential_mechanism_is_private(factor=2):
    """Selecting r with probability proportional to exp(ε q(D, r)/(2Δ)) is ε-DP."""
    most, weights, rival = em_losses(factor)
    return weights <= 1 / 2 + 1e-9 and max(most, rival) <= 1 + 1e-9, (
        f"largest loss over 4,000 pairs of neighbours: {most:.4f}; one candidate that rises against 10,000 that fall: "
        f"{rival:.4f}, at ε = 1; the sum of the weights changes by at most e^(ε/2)"
    )


@evidence_for("lsl17-composition", {"second_scale": 1 / 6})
def losses_add(second_scale=1 / 0.6):
    """Releasing the outputs of mechanisms that are ε₁-DP, …, εₘ-DP is (ε₁ + … + εₘ)-DP."""
    first, tested = (mechanism("above_threshold", epsilon=e) for e in (0.4, 0.6))
    noisy = svt.Mechanism("noisy", svt.NoNoise(), svt.Laplace(second_scale), 1, 0.6, 0.0, 0.6)
    joint = []
    for height, a, b in product((-20.0, -1.0, 0.0, 2.0, 20.0), ("⊥⊥", "⊥⊤", "⊤"), ("⊥", "⊤")):
        second = tested if "⊤" in a else noisy  # what is asked next depends on the first output
        for here, there in (((1, 0), (0, 1)), ((0, 1), (1, 0)), ((1, 1), (0, 0)), ((0, 0), (1, 1))):
            q, p = np.add(here, height), np.add(there, height)
            joint.append(svt.privacy_loss(first, q, p, a) + svt.privacy_loss(second, q[:1], p[:1], b))
    return max(joint) <= 1 + 1e-9, (
        f"largest loss over {len(joint)} joint outputs of an adaptive pair at 0.4 and 0.6: {max(joint):.4f}, budget 1"
    )


# Section 3: the six algorithms


@evidence_for("lsl17-rest-not-private", {"others": ("alg1", "alg4", "alg5", "alg6")})
def only_two_of_six_are_private(others=("alg3", "alg4", "alg5", "alg6")):
    """Alg. 1 and 2 satisfy ε-DP, and the rest of them do not."""
    proved = [svt.prove(svt.variant(key)).holds for key in ("alg1", "alg2")]
    losses = {f"Alg. {key[3]}": svt.worst_case(mechanism(key), 8).loss for key in others}
    return all(proved) and min(losses.values()) > 1 + 1e-9, (
        "alignments prove Alg. 1 and 2 for all inputs; largest exact loss found with 8 queries at ε = 1 (c = 1 where "
        f"there is one): {each('{1} {0:.2f}', losses)}"
    ).replace("inf", "∞")


@evidence_for("lsl17-alg2-worse", {"query_grows": False})
def refreshing_costs_little_at_equal_splits(query_grows=True):
    """The extra factor c makes Alg. 2 much less accurate than Alg. 1; or only against the best split of Alg. 1."""
    splits = {"even": (lambda c: 1.0, lambda c: 1.0), "best": (lambda c: 2 ** (2 / 3), lambda c: (2 * c) ** (2 / 3))}

    def calibrated(split, refresh):
        """A mechanism of ε and c."""

        def made(epsilon, c):
            m = with_split(epsilon, c, split(c), refresh)
            return m if query_grows else replace(m, query_noise=svt.Laplace(2 / m.epsilon2))

        return made

    noise, needed = {}, {}
    for name, both in splits.items():
        anew, once = (calibrated(split, refresh) for split, refresh in zip(both, (True, False), strict=True))
        noise[name] = {c: spread(anew(1.0, c)) / spread(once(1.0, c)) for c in (2, 10, 100, 10**6)}
        needed[name] = needed_on_pages(anew) / needed_on_pages(once)
    even, limit, at_limit = needed["even"], (1 + 2 ** (-2 / 3)) ** 1.5, noise["best"].pop(10**6)
    most = max(noise["even"].values())
    small = most < math.sqrt(1.25) and max(even) < 1.3
    return (max(even) > 1.5, small and max(needed["best"]) > 2 and abs(at_limit - limit) < 1e-3), (
        f"at 1 : 1 the standard deviation of a comparison grows by at most {most:.4f} and the ε needed on Kosarak by "
        f"{min(even):.2f} to {max(even):.2f}; at the best split of each by {each('{:.2f} (c = {})', noise['best'])}, "
        f"in the limit {limit:.2f}, and the ε needed by up to {max(needed['best']):.2f}"
    )


@evidence_for("lsl17-alg2-listing", {"listed": False})
def the_listing_overspends_at_other_splits(listed=True):
    """As listed Alg. 2 loses ε₁(1 + 1/c) + ε₂(1 − 1/c); cΔ/ε₁ in every epoch and 2cΔ/ε₂ cost ε₁ + ε₂."""

    def refreshed(e1, e2, c, listed):
        """Alg. 2 with the scales of the listing, or with those that are right at every split."""
        again, query = (c / e2, 2 * c / e1) if listed else (c / e1, 2 * c / e2)
        noises = {"refresh": True, "refresh_noise": svt.Laplace(again)}
        return svt.Mechanism("alg2", svt.Laplace(c / e1), svt.Laplace(query), c, e1 + e2, e1, e2, **noises)

    found, off = {}, 0.0
    for e1, c in product((0.2, 0.5, 0.8), (1, 2, 5)):
        as_listed, sound = (refreshed(e1, 1 - e1, c, which) for which in (listed, False))
        formula = e1 * (1 + 1 / c) + (1 - e1) * (1 - 1 / c)
        assert (formula > 1 + 1e-9) == (e1 > 0.5)
        for m, cost in ((sound, 1.0), (as_listed, formula)):
            found[e1, c] = lost(m, *[(60, 1e5, 1, "⊥"), (1, -1e5, -1, "⊤")] * c)
            off = max(off, abs(found[e1, c] - cost), abs(svt.prove(m).epsilon - cost))
    return off < 1e-6, (
        f"far answers, ε₁ + ε₂ = 1: as listed the loss is {found[0.8, 1]:.4f} for ε₁ : ε₂ = 0.8 : 0.2 and c = 1, "
        f"{found[0.5, 1]:.4f} for 0.5 : 0.5; it and the bill of the alignment differ from the formula by less than "
        f"0.000001 over {len(found)} cases; the other scales cost and lose 1 in all of them"
    )


@evidence_for("lsl17-output-noisy", {"number": "indicator"})
def alg_3_outputs_the_number(number="compared"):
    """Alg. 1 outputs the noisy answer; or rather Alg. 3 does."""
    numbered = [i for i in range(1, 7) if svt.variant(f"alg{i}").release == number]
    return (numbered == [1], numbered == [3]), (
        f"of the six listings Alg. {each('{}', numbered)} alone outputs the number that it compared; the others, "
        "Alg. 1 among them, output ⊤"
    )


@evidence_for("lsl17-fig-2", {"alg3": "cΔ/ε₂"})
def figure_2_is_the_listings_but_for_two_letters(alg3="cΔ/ε₁"):
    """Figure 2 has the query noise 2cΔ/ε₂ for Alg. 2 and cΔ/ε₁ for Alg. 3, and else what the listings have."""
    figure_2 = {
        "ε₁ : ε₂": ["1 : 1", "1 : 1", "1 : 1", "1 : 3", "1 : 1", "1 : 1"],
        "threshold noise": ["Δ/ε₁", "cΔ/ε₁", "Δ/ε₁", "Δ/ε₁", "Δ/ε₁", "Δ/ε₁"],
        "refreshed": ["no", "yes", "no", "no", "no", "no"],
        "query noise": ["2cΔ/ε₂", "2cΔ/ε₂", alg3, "Δ/ε₂", "0", "Δ/ε₂"],
        "released": ["⊤", "⊤", "q + ν", "⊤", "⊤", "⊤"],
        "cut-off": ["at c", "at c", "at c", "at c", "none", "none"],
        "actual": ["ε", "ε", "∞", "(1 + 6c)ε/4", "∞", "∞"],
    }
    listed = svt.catalogue().loc["alg1":"alg6"]
    differ = {
        (number, column): (entry, there)
        for column, entries in figure_2.items()
        for number, (entry, there) in enumerate(zip(entries, listed[column], strict=True), start=1)
        if entry != there
    }
    evenly = all(svt.variant(f"alg{number}").split(1, False) == 1 for number, _ in differ)
    return list(differ) == [(2, "query noise"), (3, "query noise")] and evenly, (
        f"{sum(map(len, figure_2.values()))} entries; those whose letters differ from the listings: "
        f"{each('Alg. {2} {3} ({0}, listed {1})', differ)}; with ε₁ = ε₂, as both split, the numbers agree"
    )


@evidence_for("lsl17-threshold-zero", {"sign": -1})
def all_thresholds_may_be_zero(sign=1):
    """qᵢ against Tᵢ has the law of rᵢ = qᵢ − Tᵢ against 0, for all thresholds and every variant that compares so."""
    rng, agree = np.random.default_rng(31), []
    for m in [mechanism(key) for key in ("alg1", "alg2", "alg4", "alg6", "alg7") for _ in range(60)]:
        q, T = rng.normal(0, 8, (2, 6)).round(3)
        tape = svt.NoiseTape(rho=m.threshold_noise.sample(rng, 7), nu=m.query_noise.sample(rng, 6))
        agree.append(svt.run(m, q, T, tape=tape).outcome == svt.run(m, q - sign * T, 0.0, tape=tape).outcome)
    return all(agree), (
        f"q + ν ≥ T + ρ exactly if q − T + ν ≥ ρ, so the noise decides alike: {sum(agree)} of {len(agree)} runs of "
        "five variants say the same on the same noise"
    )


# Section 3.1: the proof of Alg. 1

HEIGHTS = (-100, -10, 0, 10, 100)
BY_THE_SOLVER = "for all inputs by the solver: ρ moves by {}, the ν stay, and what was {} stays so"


@evidence_for("lsl17-lem-1", {"threshold_scale": 1.0})
def negatives_cost_the_threshold_only(threshold_scale=2.0):
    """Pr[A(D) = ⊥^ℓ] ≤ e^ε₁ Pr[A(D′) = ⊥^ℓ] for Alg. 1, all neighbours and every number ℓ of queries."""
    m, negatives = _endless(threshold_scale), _steps(svt.variant("alg1"))["negatives"]
    sizes = (1, 2, 3, 10, 100, 1000)
    losses = {ell: max(lost(m, (ell, height, 1, "⊥")) for height in HEIGHTS) for ell in sizes}
    worst = max(losses.values())
    shortest = min(ell for ell in losses if losses[ell] > worst - 1e-3)
    free = negatives.holds and negatives.pays == "0" and stays("⊥", 1) and not stays("⊥", 1 / 2)
    return free and worst <= m.epsilon1 + 1e-9, (
        f"{BY_THE_SOLVER.format('Δ', 'below')}, but not if ρ moves by Δ/2; largest exact loss of ⊥^ℓ over "
        f"30 pairs with ℓ up to 1000: {worst:.6f}, within 0.001 of that from ℓ = {shortest} on, bound ε₁ = {m.epsilon1}"
    )


@evidence_for("lsl17-lem-1-top", {"threshold_scale": 1.0})
def all_positives_cost_the_threshold_only(threshold_scale=2.0):
    """Pr[A(D) = ⊤^ℓ] ≤ e^ε₁ Pr[A(D′) = ⊤^ℓ] for all neighbours and every number ℓ of queries."""
    m, pairs = _endless(threshold_scale), list(product((1, 2, 5, 20, 100, 1000), HEIGHTS))
    most = max(lost(m, (ell, height, -1, "⊤")) for ell, height in pairs)
    return stays("⊤", -1) and most <= m.epsilon1 + 1e-9, (
        f"{BY_THE_SOLVER.format('−Δ', 'above')}; largest exact loss of ⊤^ℓ over {len(pairs)} pairs with ℓ up to "
        f"1000: {most:.4f}, bound ε₁ = {m.epsilon1}"
    )


@evidence_for("lsl17-lem-1-no-noise", {"threshold_scale": 1.0})
def the_lemma_needs_no_query_noise(threshold_scale=2.0):
    """Lemma 1 holds whatever the law of the query noise, also with νᵢ = 0."""
    laws = (svt.NoNoise(), svt.Laplace(0.3), svt.Gumbel(2.0), svt.Gaussian(1.0), svt.Exponential(1.5))
    all_laws = {type(law).__name__: replace(_endless(threshold_scale), query_noise=law) for law in laws}
    most = {
        name.replace("NoNoise", "none"): max(lost(m, (ell, height, 1, "⊥")) for ell in (1, 3, 30) for height in HEIGHTS)
        for name, m in all_laws.items()
    }
    kept = [_steps(m)["negatives"].holds for m in all_laws.values()]
    return all(kept) and max(most.values()) <= 1 / 2 + 1e-9, (
        "for all inputs by the solver the ν stay; largest exact loss of ⊥^ℓ, ℓ up to 30, by query noise: "
        + each("{1} {0:.4f}", most)
    )


@evidence_for("lsl17-unshifted-unbounded", {"shift": 1.0})
def without_the_shift_no_bound_holds(shift=0.0):
    """With the threshold where it was, f_D(z)/f_D′(z) grows beyond every bound with ℓ, at every threshold noise z."""
    nu, z = mechanism("alg1").query_noise, np.linspace(-20, 20, 9)
    one_factor = float((nu.log_less(z) - nu.log_less(z + shift - 1)).min())
    return one_factor > 0 and 1_000_000 * one_factor > 100, (
        f"with answers 0 on D and 1 on D′, the smallest log f_D(z)/f_D′(z) over {z.size} values of z is "
        + each("{:.3g} for ℓ = {:,}", {ell: ell * one_factor for ell in (100, 10_000, 1_000_000)})
    )


@evidence_for("lsl17-eq-6", {"shift": 0.5})
def negatives_cost_nothing(shift=1.0):
    """f_D(z) ≤ f_D′(z + Δ) for all neighbours, all z and any number of negatives."""
    negatives = _steps(svt.variant("alg1"))["negatives"]
    return negatives.holds and negatives.pays == "0" and stays("⊥", shift), (
        f"{BY_THE_SOLVER.format('Δ', 'below')}, each at the price {negatives.pays}"
    )


@evidence_for("lsl17-eq-7", {"factor": 1})
def c_positives_cost_the_second_half(factor=2):
    """g_D(z) ≤ e^ε₂ g_D′(z + Δ) if at most c answers are positive and the query noise is Lap(2cΔ/ε₂)."""
    m = mechanism("alg1", 3, changed={"query_noise": svt.Laplace(factor * 3 / 0.5)})
    few, many = (_steps(replace(m, c=c))["positives"] for c in (3, 4))
    return few.holds and abs(float(few.pays) - m.epsilon2) < 1e-9 < float(many.pays) - m.epsilon2, (
        f"for all inputs by the solver: c = 3 positives pay {few.pays} = ε₂, and c + 1 of them {many.pays}"
    )


@evidence_for("lsl17-both-shifts", {"shift": 1.0})
def the_other_shift_does_not_help(shift=-1.0):
    """g_D(z) ≤ g_D′(z − Δ) is true, but f needs the threshold raised in the same integral."""
    unpaid = lost(_endless(), (20, 0, 1, "⊥"), (20, 1, -1, "⊤"))
    return stays("⊤", shift) and not stays("⊥", shift) and unpaid > 1, (
        "for all inputs by the solver: with the threshold lowered what was above stays above, but what was below need "
        f"not stay below; without a cut-off the exact loss of ⊥^20 ⊤^20 is {unpaid:.2f}"
    )


@evidence_for("lsl17-thm-3.3", {"factor": 1})
def alg_1_is_private(factor=2):
    """Alg. 1 is ε-DP for all ε, all c, all neighbours and any number of queries of sensitivity Δ."""
    sizes, proof = ((1, 3), (2, 3), (1, 20), (2, 20), (5, 40)), svt.prove(svt.variant("alg1"))
    noise = {c: {"query_noise": svt.Laplace(factor * c / 0.5)} for c, _ in sizes}
    holds, found = costs({(c, n): (mechanism("alg1", c, changed=noise[c]), 1.0, n) for c, n in sizes})
    return proof.holds and holds, (
        f"an alignment costs {proof.epsilon}, for all inputs, budgets and c; largest exact loss at ε = 1: "
        + each("{:.4f} (c = {}, n = {})", found)
    )
