"""What this course says itself, and Ding et al. 2019 before it, on other noise and on free gaps."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.special import gammaln

import svtlib as svt
from evidence import evidence_for
from evidence._common import each, mechanism
from svtcourse.lessons.gaps_gaussians_renyi import PLACES, gap_moments, pair
from svtlib.guarantee import Renyi

BASE = mechanism("svt_exp")
ABOVE = mechanism("above_threshold")
GAP = mechanism("gap")


@evidence_for("svt-one-side", step=-1.0)
def one_sided_conditions_are_enough(step=1.0):
    """If p falls by at most e^a per Δ upwards and the tail by e^b per 2Δ, the SVT is (a + cb)-DP."""
    laws = {
        "exponential": svt.Exponential(2.0),
        "mirrored exponential": svt.Exponential(2.0, sign=-1),
        "Gumbel": svt.Gumbel(2.0),
        "Gaussian": svt.Gaussian(2.0),
    }
    points = np.linspace(-60, 60, 4801)
    kept, agree, far = [], True, {}
    for name, law in laws.items():
        m = replace(BASE, threshold_noise=law, query_noise=svt.Laplace(4.0))
        possible = points[law.logpdf(points) > -np.inf]
        one_sided = bool((law.logpdf(possible) - law.logpdf(possible + step) <= 0.5 + 1e-9).all())
        kept += [name] * one_sided
        far[name] = [svt.worst_case(m, n).loss for n in (2, 6, 16)]
        agree &= one_sided == svt.prove(m).holds == (max(far[name]) <= 1 + 1e-9)
    return bool(agree), (
        f"p(z) ≤ exp(ε₁) p(z + Δ) holds for {', '.join(kept)}: there the proof costs ε and no loss found passes it; "
        f"the others lose {far['mirrored exponential'][-1]:.1f} and {far['Gaussian'][-1]:.1f} at ε = 1"
    )


@evidence_for("svt-query-optimal", second=svt.Gaussian(3.0))
def exponential_noise_is_least_spread(second=svt.Gumbel(3.0)):  # noqa: B008
    """Every difference of quantiles is at least that of exponential noise of mean 1/k, and so is the variance."""
    u = np.log1p(-np.array([0.001, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999]))
    others = [svt.Laplace(3.0), second]
    least = np.diff(svt.Exponential(3.0).at_least_inverse(u))
    wider = all((np.diff(noise.at_least_inverse(u)) >= least - 1e-9).all() for noise in others)
    rng, stretched = np.random.default_rng(32), []
    for noise in others:
        nu = noise.sample(rng, (2, 20_000))
        image = -noise.log_at_least(nu)
        stretched.append(np.max(np.abs(image[0] - image[1]) - np.abs(nu[0] - nu[1]) / 3))
    smallest = min(noise.variance for noise in others)
    return bool(wider and max(stretched) < 1e-9 and smallest > svt.Exponential(3.0).variance == 9), (
        "Laplace and Gumbel noise of scale 3: every difference of quantiles is at least the exponential one; in 40,000 "
        "draws each, −ln S(ν) stretches no distance by more than 1/3; variances "
        f"{others[0].variance:.1f} and {others[1].variance:.2f} against 9"
    )


@evidence_for("svt-one-step", falls=2.0)
def geometric_noise_is_best_for_one_step(falls=1.0):
    """With the guarantee for one step w only, the variance is at least w²/(4 sinh²(h/2)), which steps of w attain."""
    h = 0.8
    least = 1 / (4 * math.sinh(h / 2) ** 2)

    def variance_of(steps):
        """Variance of noise on multiples of 1/4 whose −log tail rises by `steps`."""
        windows = np.convolve(steps, np.ones(4), "valid").max()
        tail = np.exp(-falls * np.concatenate([[0.0], np.cumsum(steps * h / windows)]))
        mass, place = np.append(-np.diff(tail), tail[-1]), np.arange(tail.size) / 4
        return float(mass @ place**2 - (mass @ place) ** 2)

    rng, stairs = np.random.default_rng(33), np.tile([1.0, 0.0, 0.0, 0.0], 200)
    tried = [variance_of(rng.random(800) ** rng.integers(1, 9)) for _ in range(150)]
    tried += [variance_of(stairs + 0.04 * rng.random(800)) for _ in range(150)]
    geometric = svt.Geometric(1 / h, sides=1).variance
    counts = mechanism("geometric", 3, monotonic=True)
    one_sided = [svt.Geometric(noise.scale, sides=1) for noise in (counts.threshold_noise, counts.query_noise)]
    proof = svt.prove(replace(counts, threshold_noise=one_sided[0], query_noise=one_sided[1]))
    attained = max(abs(variance_of(stairs) - least), abs(geometric - least)) < 1e-9
    return min(tried) > least and attained and abs(1 / h**2 - least - 1 / 12) < 0.01 and proof.holds, (
        f"h = 0.8, w = 1: the bound is {least:.4f}, geometric noise has {geometric:.4f}, exponential noise "
        f"{1 / h**2:.4f}; 300 random laws with the guarantee have at least {min(tried):.4f}"
    )


@evidence_for("svt-exp-attains", negative=40.0)
def exponential_noise_spends_all_on_few_queries(negative=41.0):
    """With exponential query noise ε is attained on c + 1 queries, and not on c."""
    told, right = [], True
    for key, c in itertools.product(("svt_exp", "exp_exp"), (1, 2, 3)):
        m = mechanism(key, c)
        full = svt.privacy_loss(m, [40.0] + [-40.0] * c, [negative] + [-41.0] * c, "⊥" + "⊤" * c)
        fewer = svt.worst_case(m, c).loss
        right &= abs(full - 1) < 1e-9 and fewer < 0.9
        told.append(f"{full:.4f} and {fewer:.3f} ({key.replace('_', '-')}, c = {c})")
    return bool(right), f"exact loss of c + 1 queries at ε = 1, and the largest one found on c: {', '.join(told)}"


@evidence_for("ding19-gap", variant="alg3")
def the_gap_is_free(variant="gap"):
    """A positive may print its gap for the price of an indicator."""
    told, largest = [], 0.0
    for key, c in itertools.product((variant, "alg1"), (1, 2)):
        m = mechanism(key, c)
        losses = [svt.worst_case(m, n).loss for n in (2, 10)]
        largest = max(largest, *losses)
        told.append(f"{key}, c = {c}: {losses[0]:.3f} and {losses[1]:.3f}")
    return svt.prove(svt.variant(variant)).holds and 0.9 < largest < 1 + 1e-9, (
        "an alignment that keeps the gap costs ε₁ + ε₂, what indicators cost; the largest losses found at ε = 1 on 2 "
        f"and on 10 queries: {'; '.join(told)}"
    )


@evidence_for("svt-gap-bias", positive=False)
def the_gap_overestimates(positive=True):
    """Given ⊤, threshold plus gap is too large in the mean, at every distance of the answer."""
    found = {q: gap_moments(GAP, q) for q in (-10.0, -5.0, 0.0, 5.0, 10.0, 20.0, 40.0)}
    exact = {q: math.exp(svt.log_probability(GAP, [q], [positive])) for q in found}
    off = max(abs(total - exact[q]) for q, (total, _) in found.items())
    return all(mean > q + 1e-6 for q, (_, mean) in found.items()) and bool(off < 1e-3), (
        "mean of T + gap − q given ⊤, ε = 1: "
        + ", ".join(f"{mean - q:.2f} at q − T = {q:g}" for q, (_, mean) in found.items())
    )


ORDERS = np.geomspace(3, 100, 13)


@cache
def largest_divergence(k, query_noise):
    """The largest Rényi divergence, for each order, of some pairs of k queries; threshold noise Gaussian(4)."""
    m = replace(ABOVE, threshold_noise=svt.Gaussian(4.0), query_noise=query_noise)
    curves = [pair(m, k, *place) for place in PLACES[: 5 if k < 1000 else 2]]
    return np.max([[curve.renyi(order) for order in ORDERS] for curve in curves], axis=0)


@cache
def bound_on_divergence(k):
    """The recursion's bound for each order, k queries, Gaussian noise with standard deviations 4 and 8."""
    gaussian = replace(ABOVE, threshold_noise=svt.Gaussian(4.0), query_noise=svt.Gaussian(8.0))
    return np.array([svt.renyi_bound(gaussian, order, n=k).epsilon for order in ORDERS])


@evidence_for("svt-renyi-log-k", scale=4.0)
def gaussian_svt_grows_at_most_with_log_k(scale=8.0):
    """The recursion bounds the Rényi divergence for k queries, below the simple form with log(k + 1)."""
    seen, bound, simple = np.zeros(ORDERS.size), {}, {}
    shares, within = {}, True
    for k in (10, 100, 1000):  # fewer queries are at most k, too
        seen = np.maximum(seen, largest_divergence(k, svt.Gaussian(scale)))
        bound[k] = bound_on_divergence(k)
        simple[k] = ORDERS / 32 + 2 * ORDERS / 64 + math.log(k + 1) / (ORDERS - 1)
        shares[k] = float((seen / bound[k]).max())
        within &= shares[k] <= 1 and bool((bound[k] < simple[k]).all())
    return within and 0.5 < shares[10] < 0.6 and 0.75 < shares[1000] < 0.9, (
        "largest share of the bound that a pair attains, over the orders from 3 to 100: "
        + each("{:.2f} for k = {}", shares)
        + f"; at order 3 and k = 1000 the bound is {bound[1000][0]:.2f}, the simple form {simple[1000][0]:.2f}"
    )


@evidence_for("svt-renyi-no-log", query_noise=svt.Gaussian(8.0))
def laplace_comparisons_have_no_k(query_noise=svt.Laplace(8.0)):  # noqa: B008
    """Gaussian threshold noise with Laplace query noise costs ε_ρ(α) + b, whatever k is."""
    flat = ORDERS / 32 + 2 / 8.0
    shares = [float((largest_divergence(k, query_noise) / flat).max()) for k in (10, 100)]
    return max(shares) <= 1 and shares[1] > 0.5, (
        "Gaussian threshold noise with Laplace query noise: pairs of 10 and 100 queries attain at most "
        f"{shares[0]:.2f} and {shares[1]:.2f} of ε_ρ(α) + b, which has no k"
    )


@evidence_for("svt-renyi-counts", order=1.2)
def answers_above_the_threshold_need_no_k(order=20.0):
    """If no answer is below the threshold, one positive has a Rényi guarantee without k."""
    gaussian = replace(ABOVE, threshold_noise=svt.Gaussian(4.0), query_noise=svt.Gaussian(8.0))

    def bound(order):
        """ε_ρ + ε_ν + ln E[1/Pr[ν ≥ z]]/(order − 1), z normal with mean order − 1."""
        z = np.linspace(order - 1 - 80, order - 1 + 120, 40_001)
        weight = np.exp(-((z - order + 1) ** 2) / 32) / (4 * math.sqrt(2 * math.pi))
        mean = np.trapezoid(weight * np.exp(-gaussian.query_noise.log_at_least(z)), z)
        return order / 32 + 2 * order / 64 + math.log(mean) / (order - 1)

    seen = 0.0
    for n, high in itertools.product((10, 100, 400), (0.0, 2.0, 8.0)):
        curve = svt.pair_curve(gaussian, [0.0] * n + [high + 1], [1.0] * n + [high])
        seen = max(seen, curve.renyi(order))
    grows = [svt.renyi_bound(gaussian, order, n=n).epsilon for n in (10**4, 10**5)]
    return seen <= bound(order) < grows[0], (
        f"standard deviations 4 and 8, order {order:g}, no answer below the threshold: {bound(order):.3f} for every k, "
        f"where the recursion for answers of any kind gives {grows[0]:.3f} for 10⁴ queries and {grows[1]:.3f} for 10⁵; "
        f"pairs attain {seen:.3f}"
    )


def log_w(b, orders, ratio):
    """Log of what a round multiplies the moment by, at most; a negative multiplies the ratio by `ratio(b)`."""
    return np.log1p(-ratio(b) * np.expm1(orders * b))


def guarantee(scale, c, delta, ratio):
    """The least ε at this δ, over the orders of the theorem."""
    orders = np.linspace(1, scale * math.log1p(math.exp(-1 / scale)), 200)[:-1]
    each = -c / orders * log_w(1 / scale, orders, ratio)
    found = [Renyi(1 + o, e) for o, e in zip(orders, each, strict=True)]
    return min(bound.approximate(delta).epsilon for bound in found)


@cache
def person_delta(epsilons, shares, scale, c, rounds):
    """δ(ε) of one person who is in all of `rounds` questions alike, exact, at the worst share of positives."""
    nu, worst = svt.Laplace(scale), dict.fromkeys(epsilons, 0.0)
    t, j = np.arange(c, rounds + 1), np.arange(c)
    ways = gammaln(t) - gammaln(c) - gammaln(t - c + 1)
    some = gammaln(rounds + 1) - gammaln(j + 1) - gammaln(rounds - j + 1)
    for y in nu.at_least_inverse(np.log(shares)).tolist():
        up, up_with, down, down_with = nu.log_at_least(y), nu.log_at_least(y - 1), nu.log_less(y), nu.log_less(y - 1)
        log_p = np.r_[ways + c * up + (t - c) * down, some + j * up + (rounds - j) * down]
        loss = np.r_[t - c, rounds - j] * (down - down_with) + np.r_[0 * t + c, j] * (up - up_with)
        for epsilon in epsilons:
            over = loss > epsilon
            delta = float(np.exp(log_p[over]) @ -np.expm1(epsilon - loss[over]))
            worst[epsilon] = max(worst[epsilon], delta)
    return worst


@evidence_for("svt-by-person", ratio=lambda b: 0.5)
def a_person_pays_for_positives_only(ratio=math.exp):
    """Leaving a person out after c positives costs a bounded (ε, δ), whatever the number of rounds."""
    worst = []
    for b, part in itertools.product((0.05, 0.2), (0.3, 0.6, 0.95)):
        order = max(1.0, part * math.log1p(math.exp(-b)) / b)
        p = np.linspace(1e-6, 1 - 1e-6, 400)[:, None]
        most = np.minimum(math.exp(b) * p, 1 - (1 - p) * math.exp(-b))
        there = p + (most - p) * np.linspace(0, 1, 100)
        paid = p * np.exp(log_w(b, order, ratio)) * (p / there) ** order
        worst.append(float((paid + (1 - p) * ((1 - p) / (1 - there)) ** order).max()))
    tried = (*np.linspace(0.02, 0.98, 97).tolist(), 1e-2, 1e-3, 1e-4, 1e-5)
    exact = person_delta((0.2, 0.4, 0.6), tried, 24.0, 2, 20_000)
    within = all(guarantee(24.0, 2, delta, ratio) >= e for e, delta in exact.items())
    return max(worst) <= 1 + 1e-12 and within, (
        f"the round's inequality on {6 * 400 * 100:,} points is at most 1; one person in 20,000 rounds, scale 24, "
        "c = 2: exact δ " + each("{:.1e} at ε = {}", exact)
    )


@evidence_for("svt-packing", factor=0.1)
def accuracy_cannot_be_much_better(factor=2.0):
    """No ε-DP algorithm has an α below ln((k − 1)(1 − β)/β)/(2ε); AboveThreshold is within a constant of it."""
    ratio = {}
    for k in (10, 100, 1000, 10_000):
        least = math.log((k - 1) * 0.95 / 0.05) / factor
        ratio[k] = svt.smallest_alpha(ABOVE, k, 0.05) / least
    here, there = [6.0, -6.0, -6.0], [-6.0, 6.0, -6.0]  # twelve steps apart
    moved = svt.log_probability(ABOVE, there, "⊥⊤") - svt.log_probability(ABOVE, here, "⊥⊤")
    return min(ratio.values()) > 1 and max(ratio.values()) < 9 and 0 < moved <= 2 * 6.0, (
        "exact α of AboveThreshold at ε = 1, β = 0.05 over the lower bound: " + each("{:.2f} at k = {:,}", ratio)
    )


@evidence_for("ding19-adaptive", width=2)
def half_price_positives_are_private(width=4):
    """Adaptive SVT: a positive far above a wider bar pays half, and the whole stays ε-DP."""
    far, unit = 12.0, 0.25  # ε = 1: half for the threshold, 1/4 for a plain positive
    x, w = np.polynomial.legendre.leggauss(10)
    z, w = (np.arange(-120.0, 120.0)[:, None] + (x + 1) / 2).ravel(), np.tile(w / 2, 240)
    prior = w * np.exp(svt.Laplace(2.0).logpdf(z))
    wide, plain = svt.Laplace(width / unit), svt.Laplace(2 / unit)

    def branches(q):
        """Probabilities of ⊤ at half price, ⊤ at full price and ⊥, given ρ = z."""
        top = np.exp(wide.log_at_least(far + z - q))
        middle = (1 - top) * np.exp(plain.log_at_least(z - q))
        return {0.5: top, 1.0: middle, 0.0: 1 - top - middle}

    table = {q: branches(q) for q in (-61.0, -60.0, -59.0, 59.0, 60.0, 61.0)}
    outputs = [
        prices
        for n in (1, 2, 3)
        for prices in itertools.product((0.0, 0.5, 1.0), repeat=n)
        if sum(prices[:-1]) <= 1 and (sum(prices) > 1 or n == 3)
    ]

    def probability(answers, prices):
        """Twelve negatives with the first answer, then the prices paid on the others."""
        rest = math.prod(table[a][price] for a, price in zip(answers[1:], prices, strict=False))
        return prior * table[answers[0]][0.0] ** 12 @ rest

    pairs = itertools.product(itertools.product((-60.0, 60.0), repeat=4), itertools.product((-1.0, 1.0), repeat=4))
    losses = [
        math.log(probability(here, prices) / probability([q + d for q, d in zip(here, by, strict=True)], prices))
        for here, by in pairs
        for prices in outputs
    ]
    most = max(sum(price > 0 for price in prices) for prices in outputs)
    return 0.9 < max(losses) <= 1 + 1e-6 and most == 3, (
        f"{len(losses)} exact losses of up to 15 queries at ε = 1: the largest is {max(losses):.3f}; up to {most} "
        "positives for the budget of 2"
    )
