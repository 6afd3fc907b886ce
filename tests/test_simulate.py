"""The grouped simulation has the law of the plain loop: on (number selected, counts per group), for every variant.

Every comparison is a chi-square test of homogeneity at the level LEVEL; there are fewer than 100 of them, so that with
fresh seeds all of them together would raise a false alarm with probability below 1e-6.
"""

import dataclasses
import importlib
import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from parts import calibrated, one_in
from scipy.stats import chi2_contingency

import svtlib as svt
from svtlib.select.clocks import PassClock, RateClock, comparison_blocks, rate_blocks
from svtlib.select.scores import Scores

LEVEL = 1e-8
PLAIN, GROUPED = 4_000, 40_000

TIES = Scores([6, 5, 3, 1, 0], [1, 2, 3, 1, 4], "exact", "five scores with ties")
CROWD = Scores([40, 30, 0, -12], [2, 3, 5, 400], "exact", "a few items above many")


def plain(mechanism, scores, threshold, rng, passes=1, trials=PLAIN):
    """Counts per group by the loop itself, item after item, in all trials at once: shuffled lists, what is left again.

    `test_the_plain_loop_is_run` holds it to `svt.run`.
    """
    m, group = mechanism, np.repeat(np.arange(scores.support.size), scores.count)
    order = rng.permuted(np.tile(group, (trials, 1)), axis=1)
    left, counts = np.ones(order.shape, dtype=bool), np.zeros((trials, scores.support.size), dtype=np.int64)
    rho, found, live = m.threshold_noise.sample(rng, trials), np.zeros(trials, dtype=int), np.arange(trials)
    while passes > 0 and live.size:
        for i in range(group.size):
            noisy = scores.support[order[live, i]] + m.query_noise.sample(rng, live.size)
            hit = (noisy >= threshold + rho[live]) & left[live, i]
            given = live[hit & (found[live] < m.most_positives)]
            found[given] += 1
            left[given, i] = False
            counts[given, order[given, i]] += 1
            if m.refresh:
                rho[given] = m.redraw_noise.sample(rng, given.size)
            if m.cutoff == "at c":
                live = live[found[live] < m.c]
            elif m.cutoff == "after c":
                live = live[~hit | np.isin(live, given)]  # one positive too many aborts
        live = live[left[live].any(axis=1)]
        passes -= 1
    return counts


def race(scale, trials, seed):
    """Three items by the exponential mechanism, with probability proportional to exp(score / scale)."""
    rng = np.random.default_rng(seed)
    return svt.exponential_mechanism(TIES, 3, epsilon=3 / scale, monotonic=True, trials=trials, rng=rng)


def p_value(first, second):
    """Of the hypothesis that the rows of two tables have one law; outcomes seen fewer than 20 times are pooled."""
    tally = [Counter(map(tuple, table.tolist())) for table in (first, second)]
    joint = tally[0] + tally[1]
    keep = [outcome for outcome, seen in joint.items() if seen >= 20]
    table = np.array([[t[outcome] for outcome in keep] + [len(rows) - sum(t[o] for o in keep)]
                      for t, rows in zip(tally, (first, second), strict=True)])  # fmt: skip
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else chi2_contingency(table).pvalue


@pytest.mark.parametrize("key", ["alg1", "alg2", "lecture2012"])
@pytest.mark.parametrize("trials", [1_000, pytest.param(10_000, marks=pytest.mark.full)])
def test_the_plain_loop_is_run(key, trials):
    """The loop that the simulation is compared with, in all trials at once, has the law of `svt.run`."""
    mechanism, group = calibrated(key, 2, epsilon=3.0), np.repeat(np.arange(5), TIES.count)
    rng = np.random.default_rng(10)
    rows = []
    for _ in range(trials):
        order = rng.permutation(group)
        positives = svt.run(mechanism, TIES.support[order], 4.0, rng=rng).positives
        rows.append(np.bincount(order[positives], minlength=5))
    assert p_value(plain(mechanism, TIES, 4.0, rng, trials=10 * trials), np.array(rows)) > LEVEL


RETRAVERSED = svt.variant("alg7").calibrate(epsilon=6.0, c=3, monotonic=True, split=3 ** (2 / 3))
OTHER_NOISE = [
    dataclasses.replace(
        calibrated("alg1", 2, epsilon=2.0),
        threshold_noise=family(2.0),
        query_noise=family(3.0),
        refresh=refresh,
        refresh_noise=family(9.0) if refresh else None,
    )
    for family, refresh in product([svt.Exponential, svt.Gumbel, svt.Gaussian, svt.Geometric], [False, True])
]
SELECTING = [v.key for v in map(svt.variant, svt.variants()) if v.cutoff and v.compare == "signed"]
CASES = [  # mechanism, scores, threshold, passes
    *one_in(6, [(calibrated(key, 2, epsilon=2.0), TIES, 4.0, 1) for key in SELECTING]),
    *one_in(2, [(calibrated(key, 2, epsilon=3.0), CROWD, 20.0, 1) for key in ("alg1", "alg2")]),
    *one_in(5, [(mechanism, CROWD, 25.0, 1) for mechanism in OTHER_NOISE]),
    *one_in(4, [(RETRAVERSED, *case, 3) for case in ((TIES, 4.0), (TIES, 6.0), (CROWD, 22.0), (CROWD, 20.0))]),
    *one_in(4, [(RETRAVERSED, *case, math.inf) for case in ((CROWD, 20.0), (CROWD, 22.0), (TIES, 6.0), (TIES, 4.0))]),
]
MORE = [(calibrated(key, 2, epsilon=12.0), TIES, 4.0, 1) for key in SELECTING]
MORE += [(calibrated(key, 2, epsilon=3.0), CROWD, 20.0, 1) for key in ("alg4", "sparse")]
CASES += [pytest.param(*case, marks=pytest.mark.full) for case in MORE]


@pytest.mark.parametrize(("mechanism", "scores", "threshold", "passes"), CASES, ids=lambda x: getattr(x, "name", None))
def test_the_simulation_selects_as_the_plain_loop_does(mechanism, scores, threshold, passes):
    """Fewer than c, exactly c and more than c positives; ties, refreshes; all families; several passes."""
    loop = plain(mechanism, scores, threshold, np.random.default_rng(11), passes=passes)
    runs = svt.simulate(mechanism, scores, threshold, trials=GROUPED, rng=np.random.default_rng(12), passes=passes)
    assert p_value(loop, runs.counts()) > LEVEL


def wider(noise, factor):
    """Laplace noise with another scale."""
    return svt.Laplace(factor * noise.scale)


WRONG = {
    "the threshold noise is kept": lambda m: dataclasses.replace(m, refresh=False, refresh_noise=None),
    "one positive more": lambda m: dataclasses.replace(m, c=m.c + 1),
    "the query noise is a tenth wider": lambda m: dataclasses.replace(m, query_noise=wider(m.query_noise, 1.1)),
    "the fresh noise is half as wide": lambda m: dataclasses.replace(m, refresh_noise=wider(m.threshold_noise, 0.5)),
}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.full] if "noise is" in what else []) for what in WRONG]
)
def test_a_wrong_sampler_is_rejected(what):
    """The comparison above can fail: each of these differs from Alg. 2 in one respect."""
    mechanism = calibrated("alg2", 3, epsilon=2.0)
    loop = plain(mechanism, CROWD, 30.0, np.random.default_rng(19), trials=3 * PLAIN)
    right = svt.simulate(mechanism, CROWD, 30.0, trials=GROUPED, rng=np.random.default_rng(20))
    assert p_value(loop, right.counts()) > LEVEL
    runs = svt.simulate(WRONG[what](mechanism), CROWD, 30.0, trials=GROUPED, rng=np.random.default_rng(20))
    assert p_value(loop, runs.counts()) < LEVEL


def test_the_bounds_of_the_blocks_hold():
    """No item has a hazard above the bound of its block: otherwise the thinning would be wrong without a word."""
    scores = svt.load_scores("kosarak")
    rank = np.cumsum(scores.count) - 1
    two_sided = svt.Laplace(30.0), svt.Gumbel(30.0), svt.Gaussian(30.0), svt.Geometric(30.0), svt.NoNoise()
    one_sided = svt.Exponential(30.0), svt.Exponential(30.0, sign=-1), svt.Geometric(30.0, sides=1)
    for noise, waiting_for in product((*two_sided, *one_sided), (0, 1, 1000)):
        blocks = comparison_blocks(scores, noise, np.array([-50.0, 3.0, 900.0, 1e6]), waiting_for)
        for trial in range(4):
            block = np.searchsorted(blocks.edges[trial], rank, side="right") - 1
            group = np.arange(rank.size)
            assert (blocks.hazard(np.full(rank.size, trial), group) <= blocks.bound[trial][block] * (1 + 1e-12)).all()
    blocks = rate_blocks(scores, 30.0, 1_320, 1)
    block = np.searchsorted(blocks.edges[0], rank, side="right") - 1
    assert (
        blocks.hazard(np.zeros(rank.size, dtype=int), np.arange(rank.size)) <= blocks.bound[0][block] * (1 + 1e-12)
    ).all()


@pytest.mark.parametrize("clock", [PassClock(), RateClock()])
def test_a_moment_is_where_the_survival_has_the_value(clock):
    """`moment` inverts `log_survival`, also in the hundredth pass."""
    hazard = np.array([1e-9, 0.01, 0.3, 0.999999])[:, None]
    time = np.array([1e-3, 0.4, 0.99, 1.7, 5.25, 117.5])
    survival = clock.log_survival(time, hazard)
    seen = np.exp(survival) > 1e-12
    again = clock.moment(survival, hazard)
    assert np.allclose(np.broadcast_to(time, seen.shape)[seen], again[seen], rtol=1e-6)


def test_the_noise_above_a_bar_has_the_law_it_should():
    """`sample_at_least`: never below the bar, with the conditional mean of the whole law."""
    rng = np.random.default_rng(27)
    two_sided = svt.Laplace(2.0), svt.Gumbel(2.0), svt.Gaussian(2.0), svt.Geometric(2.0)
    one_sided = svt.Exponential(2.0), svt.Exponential(2.0, sign=-1), svt.Geometric(2.0, sides=1)
    for noise in (*two_sided, *one_sided):
        whole = noise.sample(rng, 400_000)
        for bar in (-6.5, -1.0, 0.0, 0.5):
            want = whole[whole >= bar]
            if not want.size:
                continue
            have = noise.sample_at_least(rng, np.full(200_000, bar))
            assert have.min() >= bar
            spread = math.sqrt(want.var() / want.size + have.var() / have.size)
            assert abs(want.mean() - have.mean()) < 6 * spread, (noise, bar)
    far = svt.Laplace(1.0).sample_at_least(rng, np.full(10_000, 2_000.0))
    assert 2_000.9 < far.mean() < 2_001.1
    assert (svt.NoNoise().sample_at_least(rng, np.full(3, -1.0)) == 0).all()


def test_what_can_never_be_selected_is_not_waited_for():
    """Re-traversal without any chance of success says so instead of running for ever."""
    mechanism = dataclasses.replace(
        calibrated("alg1", 2, epsilon=1.0), query_noise=svt.NoNoise(), threshold_noise=svt.NoNoise()
    )
    with pytest.raises(ValueError, match="passes must be finite here"):
        svt.simulate(mechanism, TIES, 100.0, trials=3, rng=np.random.default_rng(1), passes=math.inf)


def test_what_is_selected_in_no_time_a_float_has_is_said_of_the_threshold():
    """Laplace noise passes any threshold some time; at 1e9, after exp(2.5e8) passes, which no float counts."""
    far = {"trials": 3, "rng": np.random.default_rng(1), "passes": math.inf}
    with pytest.raises(ValueError, match=r"threshold must be nearer to the scores that are waited for, got 1e\+09"):
        svt.simulate(calibrated("alg1", 2, epsilon=1.0), TIES, 1e9, **far)
    assert (svt.simulate(calibrated("alg1", 2, epsilon=1.0), TIES, 4_000.0, **far).selected == 2).all()


@pytest.mark.parametrize("family", [svt.Laplace, svt.Gumbel, svt.Exponential])
def test_retraversal_far_below_the_threshold_is_the_race(family):
    """200 scales up, a pass selects with a chance of e^-200, and these tails are exponential: the law is that of EM."""
    mechanism = dataclasses.replace(calibrated("alg1", 3, epsilon=1.0), query_noise=family(2.0))
    far = svt.simulate(mechanism, TIES, 400.0, trials=5_000, rng=np.random.default_rng(28), passes=math.inf).counts()
    right, wrong = (race(s, 5_000, 29).counts() for s in (2.0, 1.5))
    assert p_value(far, right) > LEVEL
    assert p_value(far, wrong) < LEVEL


def test_the_tail_of_normal_noise_is_narrow_enough():
    """30 standard deviations below the threshold one unit of score is worth e^30: the best three items are selected."""
    mechanism = dataclasses.replace(calibrated("alg1", 3, epsilon=1e4), query_noise=svt.Gaussian(1.0))
    runs = svt.simulate(mechanism, TIES, 36.0, trials=200, rng=np.random.default_rng(31), passes=math.inf)
    assert (runs.counts() == [1, 2, 0, 0, 0]).all()


def test_the_smallest_positive_hazard_raises_no_warning():
    """A chance of 5e-324 in one pass: nothing is selected, and nothing overflows."""
    mechanism = dataclasses.replace(calibrated("alg1", 2, epsilon=1e4), query_noise=svt.Laplace(1.0))
    with np.errstate(over="raise"):
        runs = svt.simulate(mechanism, TIES, 6.0 + 744.0, trials=10, rng=np.random.default_rng(1))
    assert not runs.selected.any()


def test_integer_noise_that_is_nearly_always_zero_raises_no_warning():
    """Geometric noise of scale 0.01 differs from 0 with probability 2e-44: everything from the threshold up passes."""
    mechanism = dataclasses.replace(
        calibrated("alg1", 7, epsilon=1.0), threshold_noise=svt.NoNoise(), query_noise=svt.Geometric(0.01)
    )
    with np.errstate(all="raise", under="ignore"):
        runs = svt.simulate(mechanism, TIES, 3.0, trials=10, rng=np.random.default_rng(1))
    assert (runs.counts() == [1, 2, 3, 0, 0]).all()


def test_a_small_list_is_selected_whole():
    """With more wanted than there are items, re-traversal ends when all are selected."""
    mechanism = calibrated("alg1", 40, epsilon=5.0)
    runs = svt.simulate(mechanism, TIES, 4.0, trials=50, rng=np.random.default_rng(2), passes=math.inf)
    assert (runs.counts() == TIES.count).all()


@pytest.mark.parametrize("key", one_in(2, ["alg7", "alg2", "race"]))
def test_many_trials_are_drawn_in_parts(key, monkeypatch):
    """Parts of a thousandth of the work: every trial is there once, in its place, with the law of one large part."""
    module = importlib.import_module("svtlib.select.simulate")

    def draw(seed, trials):
        if key == "race":
            return race(2.0, trials, seed)
        rng = np.random.default_rng(seed)
        return svt.simulate(calibrated(key, 2, epsilon=3.0), TIES, 4.0, trials=trials, rng=rng)

    whole = draw(40, 20_000)
    monkeypatch.setattr(module, "_WORK_AT_ONCE", 1_000)
    sizes = []
    part = module._in_parts
    monkeypatch.setattr(module, "_in_parts", lambda draw, *rest: part(lambda k: sizes.append(k) or draw(k), *rest))
    parts = draw(41, 20_001)
    assert max(sizes) <= 1_000 and sum(sizes) == parts.trials == 20_001 and len(set(sizes)) == 2
    assert parts.counts().shape == (20_001, 5) and parts.c == whole.c
    assert p_value(whole.counts(), parts.counts()) > LEVEL
    assert p_value(whole.counts()[:10_000], parts.counts()[-10_000:]) > LEVEL
    first = draw(42, sizes[0]).counts()
    assert (draw(42, 3 * sizes[0]).counts()[: sizes[0]] == first).all()
