"""What the course found about the variants itself: Alg. 4 to GPTT, absolute values and versions that run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from evidence import claim
from evidence._common import costs, each, lost, mechanism
from svtcourse.chapter.tables import load_table
from svtcourse.lessons.in_the_wild import FAULTS, tried
from svtcourse.lessons.refutation_refuted import log_kappa
from svtcourse.lessons.shared import near_loss

# Chapter 7: Alg. 4


@claim("svt-alg4-exception", one_way=False)
def alg_4_keeps_its_promise_once(one_way=True):
    """Alg. 4 with c = 1 is ε-DP for any number of monotonic queries, with c = 2 not."""
    one, two = (mechanism("alg4", c, monotonic=one_way) for c in (1, 2))
    kept, broken = (svt.worst_case(m, 12).loss for m in (one, two))
    return svt.prove(one).holds and kept <= 1 + 1e-9 < broken, (
        f"largest exact loss found with 12 monotonic queries at ε = 1: {kept:.3f} for c = 1, {broken:.3f} for c = 2; "
        f"the cheapest alignment costs {svt.prove(one).epsilon:g} for c = 1, for all inputs"
    )


@claim("svt-alg4-staircase", {"lowered": math.inf}, {"far": 1.0})
def the_loss_of_n_queries_is_a_staircase(lowered=0.25, far=2000.0):
    """The largest loss of n queries of Alg. 4 is the largest over k ≤ c of the least of three prices."""
    gaps, whole = [], True
    for c, n in [(size, n) for size in (1, 2, 3) for n in range(1, 2 * size + 4)]:
        splits = range(min(c, n) + 1)  # k positives from far below that fall, and negatives from far above that rise
        step = max(min(0.75 * n, 0.25 + 1.5 * k, lowered + 1.5 * (n - k)) for k in splits)
        gaps.append(step - max(lost(mechanism("alg4", c), (n - k, far, 1, "⊥"), (k, -far, -1, "⊤")) for k in splits))
        whole &= n <= 2 * c or abs(step - (1 + 6 * c) / 4) < 1e-12
        whole &= (c, n % 2) != (2, 0) or svt.worst_case(mechanism("alg4", c), n).loss <= step + 1e-9
    return whole and min(gaps) >= -1e-9 and max(gaps) < 1e-3, (
        f"{len(gaps)} pairs (c, n): answers 2,000 away lose less than 0.001 below the theorem's value and never more; "
        "for c = 2 a search over 2, 4 and 6 queries finds no more either"
    )


@claim("svt-near-threshold", {"moves": 0.5}, {"negatives": 5})
def answers_next_to_the_threshold_lose_it_all(moves=1.0, negatives=60):
    """Negatives at the threshold that rise and positives that fall lose Δ/b + 2kΔ/s, as the negatives get more."""
    told = {}
    for key, c in (("alg1", 1), ("alg4", 3), ("alg7", 2), ("alg2", 2)):
        m = mechanism(key, c)
        thresholds = c if m.refresh else 1
        most = thresholds / m.threshold_noise.scale + 2 * c / m.query_noise.scale
        told[key, c] = near_loss(m, negatives, moves), most
    return all(-1e-9 < most - loss < 1e-6 for loss, most in told.values()), (
        f"exact loss of {negatives} negatives at the threshold that rise by Δ and c positives that fall by Δ, ε = 1: "
        + each("{:.6f} of {:.6f} ({}, c = {})", told)
    )


# Chapter 12: versions that run


@claim("svt-flare-release", factor=5)
def numbers_without_the_factor_c(factor=1):
    """Release noise Δ/ε₃ where cΔ/ε₃ is due loses up to ε + (c − 1)ε₃."""
    c, epsilon3 = 5, 0.3
    intended = mechanism("alg7", c, epsilon3=epsilon3)
    as_was = replace(intended, release_noise=svt.Laplace(factor / epsilon3))
    holds, found = costs({"due": (intended, 1.0, 24), "was": (as_was, 1 + (c - 1) * epsilon3, 24)}, short=0.05)
    return holds, (
        f"c = {c}, ε = 1 of which ε₃ = {epsilon3}: largest exact loss found {found['due']:.3f} with release noise "
        f"cΔ/ε₃ and {found['was']:.3f} with Δ/ε₃; the alignments cost {svt.prove(intended).epsilon:.1f} and "
        f"{svt.prove(as_was).epsilon:.1f}"
    )


@claim("svt-mutations", damaged=True)
def damage_in_one_place_is_noticed(damaged=False):
    """The proof and the exact search catch every damaged mechanism of a list, and accuse no private one."""
    table = load_table("checks-100000").set_index("what")
    wrong, private = table[table["private"] == damaged], table[table["private"] != damaged]
    again = True
    for name, changed in {
        "no threshold noise": {"threshold_noise": svt.NoNoise()},
        "query noise halved": {"query_noise": svt.Laplace(2.0)},
        "threshold noise doubled": {"threshold_noise": svt.Laplace(4.0)},
    }.items():
        m, row = mechanism("alg1", changed=changed), table.loc[name]
        step = svt.check_alignment(m, rng=np.random.default_rng(1001), trials=300).step
        loss = svt.worst_case(m, int(row["n"])).loss
        again &= (step or "—") == row["proof fails at"]
        again &= bool(loss == row["largest loss"] or abs(loss - row["largest loss"]) < 1e-3)
    caught = bool((wrong["proof fails at"] != "—").all() and (wrong["largest loss"] > 1).all())
    spared = bool((private["noticed by"] == "—").all())
    audited = wrong["noticed by"].str.contains("audit").sum()
    return again and caught and spared and len(wrong) >= 12, (
        f"{len(wrong)} damaged mechanisms: the proof breaks for all, the exact search finds a loss above ε for all, "
        f"the audit with 100,000 runs certifies one for {audited}; none of {len(private)} mechanisms that are changed "
        "and still private is accused"
    )


@claim("svt-seven-faults", epsilon=0.1)
def seven_programs_are_refuted(epsilon=1.0):
    """Seven programs with a typical fault each lose more than 1 on a pair; short audits certify it for some."""
    found = {name: tried(program, epsilon) for name, program in FAULTS.items()}
    seen = [name for name, (*_, certified) in found.items() if certified > 1]
    refuted = all(not private and loss > 1 for private, loss, _ in found.values())
    return refuted and 2 <= len(seen) < len(found), (
        f"all seven refuted by a pair; 2,000 runs on the same pair certify more than ε for {', '.join(seen)}"
    )


# Chapter 10: noise inside the absolute value


@claim("svt-abs-one-sided", noise=svt.Laplace(4.0))
def one_sided_noise_inside_loses_without_bound(noise=svt.Exponential(4.0)):  # noqa: B008
    """Exponential query noise inside the absolute value loses in proportion to the distance of the errors from 0."""
    m, s = mechanism("abs_value", changed={"query_noise": noise}), 4.0
    b, proof = m.threshold_noise.scale, svt.prove(m)
    constant = sum(math.log(-math.expm1(-x)) for x in (1 / (2 * b), 1 / s, 1 / (2 * s)))
    losses = {a: lost(m, (1, a, 1, "⊥"), (1, -(a + 2), 1, "⊤"), T=4.0) for a in (10.0, 40.0, 160.0)}
    grows = all(loss >= 2 * (a + 1) / s + constant for a, loss in losses.items())
    return grows and not proof.holds and proof.failing_step == "positives", (
        f"no alignment keeps the step “{proof.failing_step}”; exact loss of ⊥⊤ at ε = 1, T = 4: "
        + each("{:.1f} for A = {:g}", losses)
    )


# Chapter 9: GPTT


@claim("svt-gptt-rate", z=0.0)
def the_loss_of_gptt_grows_at_one_rate(z=0.5):
    """One more t adds log κ(½) to the loss of GPTT on 0^t 1^t against 1^t 0^t, less about 1/(2t)."""
    rate, closed = float(log_kappa(z)), 1 + 2 * math.log(2 - math.exp(-0.5))
    gptt = mechanism("gptt", epsilon=2.0)
    loss = {t: lost(gptt, (t, 0, 1, "⊥"), (t, 1, -1, "⊤")) for t in (10, 11, 100, 101, 400, 401)}
    added = {t: loss[t + 1] - loss[t] for t in (10, 100, 400)}
    near = all(0 < (rate - value) * t < 0.6 for t, value in added.items())
    return near and abs(rate - closed) < 1e-12, (
        f"log κ(½) = {rate:.6f}; one more t adds {each('{:.6f} at t = {}', added)}"
    )


# Chapter 8: Alg. 6


@claim("svt-alg6-growth", far=0.0)
def alg_6_loses_as_much_as_all_noisy_answers(far=100.0):
    """Alg. 6 loses at most mε on m negatives and m positives, and far answers come arbitrarily close to it."""
    losses = {m: lost(mechanism("alg6"), (m, far, 1, "⊥"), (m, -far, -1, "⊤")) for m in (1, 2, 5, 20, 100)}
    within = all(svt.worst_case(mechanism("alg6"), n).loss <= n / 2 + 1e-9 for n in (2, 4))
    return within and all(m - 1e-3 <= loss <= m + 1e-9 for m, loss in losses.items()), (
        f"exact loss at ε = 1 with answers 100 away: {each('{:.4f} for m = {}', losses)}"
    )
