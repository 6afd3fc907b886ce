"""What this course says itself on the standard algorithms and their variants: chapters 1 to 12."""

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np

import svtlib as svt
from evidence import evidence_for
from evidence._common import costs, each, lost, mechanism
from svtcourse.chapter import accuracy
from svtcourse.chapter.tables import load_table
from svtcourse.lessons.in_the_wild import FAULTS, tried
from svtcourse.lessons.refutation_refuted import log_kappa
from svtcourse.lessons.releasing import bias as bias_of_a_number
from svtcourse.lessons.shared import near_loss


@evidence_for("svt-fresh-accuracy", factor=0.5)
def the_technique_is_accurate(factor=1.0):
    """Alg. 7 with three equal budgets is (α, β)-accurate for α = (6c/ε) log(3n/β), if at most c of n exceed T − α."""
    shares, failed = [], 0
    for n, c, e, b in itertools.product((1, 10, 100, 1000), (1, 5, 50), (0.1, 1.0), (0.01, 0.05, 0.5)):
        if c <= n:
            alpha = factor * 6 * c / e * math.log(3 * n / b)
            comparisons = accuracy.lecture_failure(n, c, alpha, 2 * e / 3)  # the same scales, 3/ε and 3c/ε
            numbers = (1 - math.exp(-e * alpha / (3 * c))) ** c
            shares.append((1 - (1 - comparisons) * numbers) / b)
    m = mechanism("alg7", 5, split=1.0, monotonic=True, epsilon3=1 / 3)
    assert np.allclose((m.threshold_noise.scale, m.query_noise.scale), (3, 15))
    alpha = factor * 30 * math.log(300 / 0.05)
    answers = np.where(np.arange(100) % 20 == 7, alpha, -alpha)  # five of a hundred exceed T − α, by 2α
    for seed in range(2000):
        run = svt.run(m, answers, 0.0, rng=np.random.default_rng(seed))
        far = np.abs(run.released - answers[run.positives]).max(initial=0.0) > alpha
        failed += bool(far or run.positives.tolist() != np.flatnonzero(answers > 0).tolist())
    return max(shares) <= 1 and failed <= 0.05 * 2000, (
        f"over {len(shares)} combinations of n, c, ε and β the exact probability that the proof's supposition fails is "
        f"at most {max(shares):.3f} β; {failed} of 2,000 runs with n = 100, c = 5, β = 0.05 were off by more than α"
    )


@evidence_for("svt-above-threshold-accuracy", constant=3.9)
def above_threshold_is_accurate(constant=4.0):
    """No answer is wrong by more than α = (4Δ/ε) log(2n/(3β)) with probability 1 − β, and little less will do."""
    shares, one_answer = [], []
    for n, e, b in itertools.product((1, 3, 30, 1000), (0.01, 1.0), (0.01, 0.1, 0.6)):
        m, alpha = mechanism("above_threshold", epsilon=e), constant / e * math.log(2 * n / (3 * b))
        worst = (accuracy.separated(n, alpha, last_above=last) for last in (True, False))
        shares += [svt.failure_probability(m, answers, alpha=alpha) / b for answers in worst]
        s = m.query_noise.scale
        tail = 2 / 3 * math.exp(-alpha / s) - math.exp(-2 * alpha / s) / 6
        one_answer.append(abs(math.exp(svt.log_probability(m, [-alpha], "⊤")) - tail))
    m = mechanism("above_threshold", epsilon=0.1)
    least = {n: constant / 0.1 * math.log(2 * n / 0.15) / svt.smallest_alpha(m, n, 0.05) - 1 for n in (1, 50, 10_000)}
    return max(shares) <= 1 and max(one_answer) < 1e-9 and max(least.values()) < 0.02, (
        f"over {len(shares)} cases the exact failure probability is at most {max(shares):.4f} β; the tail agrees with "
        f"the engine to nine digits; at ε = 0.1, β = 0.05 the theorem's α is at most {max(least.values()):.1%} larger "
        "than the least"
    )


@evidence_for("svt-sparse-tight", budget=0.9)
def composition_gives_nothing_away(budget=1.0):
    """For every c there are neighbours and an outcome whose loss under Sparse comes as close to ε as you like."""
    pair = [(20, 1e5, 1, "⊥"), (1, -1e5, -1, "⊤")]
    found = {c: lost(mechanism("sparse", c, epsilon=budget), *pair * c) for c in (1, 3, 10)}
    once = {c: lost(mechanism("above_threshold", epsilon=budget / c), *pair) for c in (1, 3, 10, 100)}
    short = max(abs(1 - loss) for loss in [*found.values(), *(c * loss for c, loss in once.items())])
    return short < 1e-6, (
        f"exact loss at ε = 1 of 20 negatives and a positive, asked c times: {each('{:.6f} (c = {})', found)}; ε and c "
        "times the loss of one run differ by less than 1e-6 up to c = 100"
    )


@evidence_for("svt-alg3-loss", number=1.0)
def alg_3_loses_half_a_budget_with_each_query(number=0.0):
    """n queries of Alg. 3 lose at most nε/(2c), attained if all answers rise, by n − 1 negatives and a low number."""
    off = max(
        abs(lost(mechanism("alg3", c), (n - 1, 0, 1, "⊥"), (1, 0, 1, a)) - n / (2 * c))
        for c, n, a in itertools.product((1, 2, 5), (1, 12, 100), (number, number - 3))
    )
    found = [svt.worst_case(mechanism("alg3", changed={"monotonic": one_way}), 12).loss for one_way in (False, True)]
    noise = mechanism("alg3", 5).query_noise  # one comparison, or one number, loses at most one over its scale
    x = np.linspace(-20 * noise.scale, 20 * noise.scale, 2001)
    one = max(float((f(x) - f(x - 1)).max()) for f in (noise.log_less, noise.logpdf))
    return bool(off < 1e-6 and max(abs(loss - 6) for loss in found) < 1e-6 and one < 1 / 10 + 1e-9), (
        "exact loss of the rising pair and nε/(2c) differ by less than 0.000001 for c = 1, 2, 5 and n = 1, 12, 100; "
        f"one comparison or number loses at most {one:.4f} at c = 5; the largest loss found by a search on 12 queries "
        f"at c = 1 is {found[0]:.3f}, among monotonic pairs {found[1]:.3f}"
    )


@evidence_for("mach12-indicators", factor=4)
def indicators_with_half_of_the_noise(factor=2):
    """With indicators the least multiple of ε is 3/2 for a stop at positive c, 3/2 + 1/c with the abort rule."""
    rows = {}
    for c in (1, 2, 5):
        lecture = {"release": "indicator", "query_noise": svt.Laplace(factor * c)}
        rows["an abort", c] = mechanism("lecture2012", c, changed=lecture), 1.5 + 1 / c, 30
        rows["a stop", c] = mechanism("lecture2012", c, changed={**lecture, "cutoff": "at c"}), 1.5, 30
        rows["Alg. 3", c] = mechanism("alg3", c, changed={"release": "indicator"}), 1.5, 30
    holds, found = costs(rows, short=1e-3)
    return holds, (
        "the alignments cost 3/2 + 1/c with the abort rule and 3/2 without and for Alg. 3, at ε = 1, for all inputs; "
        f"largest exact losses found: {each('{:.3f} ({}, c = {})', found)}"
    )


@evidence_for("svt-alg3-bias", release="fresh")
def the_compared_number_is_too_high(release="compared"):
    """The number that Alg. 3 releases is on average too high, given that it is released."""
    alg3 = mechanism("alg3", 3, epsilon=0.1)
    bias = partial(bias_of_a_number, alg3)
    biases = [bias(d) for d in np.linspace(-300, 300, 41)]
    drawn = alg3 if release == "compared" else replace(alg3, release="fresh", release_noise=alg3.query_noise)
    rows = svt.sampler_of(drawn)([-100.0], 400_000, np.random.default_rng(100))
    errors = rows[rows[:, 0] == 1, 1] + 100
    sampled, deviation = errors.mean(), errors.std() / math.sqrt(errors.size)
    return bool(min(biases) > 0 and abs(sampled - bias(-100.0)) < 4 * deviation), (
        f"ε = 0.1, c = 3: bias {bias(-100.0):.1f} for an answer 100 below the threshold (sampled {sampled:.1f} ± "
        f"{deviation:.1f}), {bias(0.0):.1f} at it, {bias(100.0):.1f} for 100 above; at least {min(biases):.2f} over "
        f"{len(biases)} distances"
    )


# Chapter 7: Alg. 4


@evidence_for("svt-alg4-exception", one_way=False)
def alg_4_keeps_its_promise_once(one_way=True):
    """Alg. 4 with c = 1 is ε-DP for any number of monotonic queries, with c = 2 not."""
    one, two = (mechanism("alg4", c, monotonic=one_way) for c in (1, 2))
    kept, broken = (svt.worst_case(m, 12).loss for m in (one, two))
    return svt.prove(one).holds and kept <= 1 + 1e-9 < broken, (
        f"largest exact loss found with 12 monotonic queries at ε = 1: {kept:.3f} for c = 1, {broken:.3f} for c = 2; "
        f"the cheapest alignment costs {svt.prove(one).epsilon:g} for c = 1, for all inputs"
    )


@evidence_for("svt-alg4-staircase", {"lowered": math.inf}, {"far": 1.0})
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


@evidence_for("svt-near-threshold", {"moves": 0.5}, {"negatives": 5})
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


@evidence_for("svt-flare-release", factor=5)
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


@evidence_for("svt-mutations", damaged=True)
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


@evidence_for("svt-seven-faults", epsilon=0.1)
def seven_programs_are_refuted(epsilon=1.0):
    """Seven programs with a typical fault each lose more than 1 on a pair; short audits certify it for some."""
    found = {name: tried(program, epsilon) for name, program in FAULTS.items()}
    seen = [name for name, (*_, certified) in found.items() if certified > 1]
    refuted = all(not private and loss > 1 for private, loss, _ in found.values())
    return refuted and 2 <= len(seen) < len(found), (
        f"all seven refuted by a pair; 2,000 runs on the same pair certify more than ε for {', '.join(seen)}"
    )


# Chapter 10: noise inside the absolute value


@evidence_for("svt-abs-one-sided", noise=svt.Laplace(4.0))
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


@evidence_for("svt-gptt-rate", z=0.0)
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


@evidence_for("svt-alg6-growth", far=0.0)
def alg_6_loses_as_much_as_all_noisy_answers(far=100.0):
    """Alg. 6 loses at most mε on m negatives and m positives, and far answers come arbitrarily close to it."""
    losses = {m: lost(mechanism("alg6"), (m, far, 1, "⊥"), (m, -far, -1, "⊤")) for m in (1, 2, 5, 20, 100)}
    within = all(svt.worst_case(mechanism("alg6"), n).loss <= n / 2 + 1e-9 for n in (2, 4))
    return within and all(m - 1e-3 <= loss <= m + 1e-9 for m, loss in losses.items()), (
        f"exact loss at ε = 1 with answers 100 away: {each('{:.4f} for m = {}', losses)}"
    )
