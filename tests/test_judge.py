"""The judge of the exercises: programs in different styles are found out, and proved or refuted."""

from __future__ import annotations

import math

import hostile_programs as hostile
import numpy as np
import pytest
from hostile_programs import ENOUGH, STYLES, TOO_LITTLE
from parts import one_in

import svtlib as svt
from svtcourse.exercises import judge, replay
from svtcourse.judge import page
from svtcourse.judge.chance import chance
from svtcourse.judge.leaks import log_probability


def plain(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + rng.laplace(0, 4 / epsilon) >= threshold + rho:
            return [False] * i + [True]
    return [False] * len(answers)


def vectorised(T, queries, epsilon):
    """Arrays, queries first, numpy's own generator, an index in place of a list."""
    rng = np.random.default_rng()
    noisy = queries + rng.laplace(scale=4 / epsilon, size=len(queries))
    hits = np.flatnonzero(noisy >= T + rng.laplace(scale=2 / epsilon))
    return int(hits[0]) if hits.size else None


def generator(answers, threshold, epsilon, c, rng):
    """Yields, all on one side, the noise with the other sign."""
    rho, found = rng.laplace(0, 2 / epsilon), 0
    for answer in answers:
        if answer - threshold >= rho - rng.laplace(0, 4 * c / epsilon):
            yield True
            found += 1
            if found == c:
                return
        else:
            yield False


def signs(values, threshold, eps, generator):
    """⊥ and ⊤ as a string, then nothing but ⊥ after the cut-off."""
    rho, said = generator.laplace(0, 2 / eps), ""
    for value in values:
        positive = "⊤" not in said and value + generator.laplace(0, 4 / eps) >= threshold + rho
        said += "⊤" if positive else "⊥"
    return said


def of_exponentials(answers, threshold, epsilon, rng):
    """A Laplace draw as the difference of two exponential ones."""

    def laplace(scale):
        return rng.exponential(scale) - rng.exponential(scale)

    rho = laplace(2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + laplace(4 / epsilon) >= threshold + rho:
            return [False] * i + [True]
    return [False] * len(answers)


def one_sided(answers, threshold, epsilon, rng):
    rho = rng.exponential(2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + rng.exponential(4 / epsilon) >= threshold + rho:
            return [False] * i + [True]
    return [False] * len(answers)


def loop(threshold_scale, query_scale, *, stops=True, redrawn=None, number=None):
    """An SVT with the noise scales given as functions of epsilon and c, and what is done after a ⊤."""

    def program(answers, threshold, epsilon, c, rng):
        rho, said, found = rng.laplace(0, threshold_scale(epsilon, c)), [], 0
        for answer in answers:
            noisy = answer + rng.laplace(0, query_scale(epsilon, c))
            if noisy < threshold + rho:
                said.append(False)
                continue
            found += 1
            said.append(True if number is None else number(answer, noisy, epsilon, c, rng))
            if redrawn:
                rho = rng.laplace(0, redrawn(epsilon, c))
            if stops and found == c:
                break
        return said

    return program


def once(answers, threshold, epsilon, rng):
    rho, nu, said = rng.laplace(0, 2 / epsilon), rng.laplace(0, 4 / epsilon), []
    for answer in answers:
        said.append(answer + nu >= threshold + rho)
        if said[-1]:
            break
    return said


def anew(answers, threshold, epsilon, rng):
    said = []
    for answer in answers:
        said.append(answer + rng.laplace(0, 4 / epsilon) >= threshold + rng.laplace(0, 2 / epsilon))
        if said[-1]:
            break
    return said


def by_the_data(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon * (1 + max(abs(answers))))
    return [bool(rng.laplace(answer, 4 / epsilon) >= threshold + rho) for answer in answers]


def gaps(answers, threshold, epsilon, rng):
    """The free gap: by how much the first noisy answer passed the noisy threshold."""
    rho, said = rng.laplace(0, 2 / epsilon), []
    for answer in answers:
        said.append(float(gap) if (gap := answer + rng.laplace(0, 4 / epsilon) - threshold - rho) >= 0 else False)
        if said[-1] is not False:
            break
    return said


ALG1 = lambda e, c: 2 / e, lambda e, c: 4 * c / e

PRIVATE = {
    "plain": (plain, 1),
    "vectorised": (vectorised, 1),
    "generator": (generator, 3),
    "signs": (signs, 1),
    "of exponentials": (of_exponentials, 1),
    "one-sided noise": (one_sided, 1),
    "alg1": (loop(*ALG1), 2),
    "alg2": (loop(lambda e, c: 2 * c / e, lambda e, c: 4 * c / e, redrawn=lambda e, c: 2 * c / e), 2),
    "gaps": (gaps, 1),
    "alg7 with numbers": (
        loop(
            *(lambda e, c: 3 / e, lambda e, c: 6 * c / e),
            number=lambda answer, noisy, e, c, rng: answer + rng.laplace(0, 3 * c / e),
        ),
        2,
    ),
}
BROKEN = {
    "alg3": (loop(lambda e, c: 2 / e, lambda e, c: 2 * c / e, number=lambda answer, noisy, e, c, rng: noisy), 2),
    "alg4": (loop(lambda e, c: 4 / e, lambda e, c: 4 / (3 * e)), 2),
    "alg5": (lambda answers, threshold, epsilon, rng: [*(answers >= threshold + rng.laplace(0, 2 / epsilon))], 1),
    "alg6": (loop(lambda e, c: 2 / e, lambda e, c: 2 / e, stops=False), 1),
    "does not stop": (loop(*ALG1, stops=False), 2),
    "no factor c": (loop(lambda e, c: 2 / e, lambda e, c: 4 / e), 3),
    "epsilon upside down": (loop(lambda e, c: 2 * e / 9, lambda e, c: 4 * e / 9), 1),
    "no noise on the threshold": (
        lambda answers, threshold, epsilon, rng: [*(answers + rng.laplace(0, 4 / epsilon, len(answers)) >= threshold)],
        1,
    ),
    "the true answer": (loop(*ALG1, number=lambda answer, noisy, e, c, rng: answer), 1),
    "no noise": (lambda answers, threshold: [answer >= threshold for answer in answers], 1),
    "noise drawn once": (once, 1),
    "threshold drawn anew": (anew, 1),
    "redrawn too narrow": (loop(*ALG1, redrawn=lambda e, c: 2 / e), 3),
}


def raised(factor):
    """Alg. 1 with a threshold raised by 3c/epsilon, and that factor in its query noise."""

    def program(answers, threshold, epsilon, c, rng):
        said, bar = [], threshold + 3 * c / epsilon + rng.laplace(0, 2 / epsilon)
        for answer in answers:
            said.append(bool(answer + rng.laplace(0, factor * c / epsilon) >= bar))
            if sum(said) == c:
                break
        return said

    return program


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("c", [1, 4])
def test_a_split_that_wastes_noise_is_private_and_said_to(c, monotonic):
    """Half the budget for each part is private; the best split of that price is the catalogue's."""
    factor = c if monotonic else 2 * c
    said = str(judge(loop(lambda e, c: 2 / e, lambda e, c: 2 * factor / e), c=c, monotonic=monotonic))
    best = svt.variant("alg7").calibrate(epsilon=1.0, c=c, monotonic=monotonic)
    least = best.threshold_noise.variance + best.query_noise.variance
    if factor == 1:
        assert "variance" not in said
    else:
        assert f"ρ and ν have variance {8 + 8 * factor**2:.5g}, and {least:.5g} at the best split" in said
    at_best = loop(lambda e, c: 1 + factor ** (2 / 3), lambda e, c: factor * (1 + factor ** (-2 / 3)))
    assert "variance" not in str(judge(at_best, c=c, monotonic=monotonic))


@pytest.mark.parametrize("factor", [4, 2])
def test_a_raised_threshold_is_part_of_the_mechanism(factor):
    """A public shift of the threshold changes no verdict, and is found to its last digits."""
    verdict = judge(raised(factor), epsilon=0.5, c=2)
    assert verdict.private is (factor == 4)
    assert verdict.mechanism.correction == pytest.approx(12)
    assert "threshold raised by 12" in str(verdict)


@pytest.mark.parametrize(("program", "c"), PRIVATE.values(), ids=PRIVATE)
def test_a_right_program_is_proved(program, c):
    """Whatever its style, it is recognised, and its cheapest alignment costs at most epsilon."""
    verdict = judge(program, epsilon=0.5, c=c)
    assert verdict.private is True and verdict.pair is None, verdict
    assert verdict.proof.holds and verdict.proof.epsilon <= 0.5 * (1 + 1e-9)


@pytest.mark.parametrize(("program", "c"), BROKEN.values(), ids=BROKEN)
def test_a_wrong_program_is_refuted(program, c):
    """With a pair of neighbours whose loss exceeds epsilon, and the frequencies of the program itself agree with it."""
    verdict = judge(program, epsilon=1.0, c=c)
    assert verdict.private is False and verdict.pair.loss > 1, verdict
    pair = verdict.pair
    assert max(abs(np.subtract(pair.answers, pair.neighbour))) <= 1
    if verdict.mechanism is not None:
        assert verdict.mechanism.c == (c if verdict.mechanism.cutoff else verdict.mechanism.c)
    if set(pair.outcome) <= {"⊥", "⊤"} and pair.log_probability > math.log(0.01):
        assert abs(frequency(program, c, pair) - math.exp(pair.log_probability)) < 0.02


def frequency(program, c, pair, runs=4000):
    """How often the program gives the outcome on D; its standard deviation is below 0.008, so 0.02 is 2.5 of them."""
    from svtcourse.judge.program import Program

    mine, rng = Program(program, 1.0, c), np.random.default_rng(1)
    wanted = tuple(sign == "⊤" for sign in pair.outcome)
    return sum(mine.sample(pair.answers, pair.threshold, rng) == wanted for _ in range(runs)) / runs


def pairs(choices):
    """Every style with every choice; `make test` takes each style and each choice about once."""
    return [
        pytest.param(
            *(style, choice),
            id=f"{style.__name__}-{choice}",
            marks=() if i % len(choices) == j or (i == 0 and j >= len(STYLES)) else pytest.mark.full,
        )
        for i, style in enumerate(STYLES)
        for j, choice in enumerate(choices)
    ]


@pytest.mark.parametrize(("style", "choice"), pairs(ENOUGH))
def test_no_style_of_a_right_program_is_accused(style, choice):
    """Thirty right programs are proved, however they are written."""
    verdict = judge(style(*ENOUGH[choice], True), epsilon=0.7, c=2)
    assert verdict.private is True, verdict


@pytest.mark.parametrize(("style", "choice"), pairs([*TOO_LITTLE, "never stops"]))
def test_every_style_of_a_wrong_program_is_refuted(style, choice):
    """Forty-two wrong programs get a counterexample whose loss is above the claim."""
    scales = TOO_LITTLE.get(choice, ENOUGH["alg1"])
    verdict = judge(style(*scales, choice in TOO_LITTLE), epsilon=0.7, c=2)
    assert verdict.private is False and verdict.pair.loss > 0.7, verdict


@pytest.mark.full
def test_what_is_not_recognised_is_not_accused():
    """A scale computed from the answers is named; without a measured loss there is no verdict."""
    verdict = judge(by_the_data, epsilon=1.0)
    assert verdict.private is not True and "depends on the answers" in verdict.reason


@pytest.mark.full
def test_who_says_nothing_is_not_judged():
    """A program that never says ⊤ is no SVT, and nothing is certified against it."""
    assert judge(lambda answers: [False] * len(answers)).private is None


def test_monotonic_queries_need_half_the_noise():
    """Half the query noise holds for monotonic queries and not for others."""
    half = loop(lambda e, c: 2 / e, lambda e, c: 2 * c / e)
    assert judge(half, c=2, monotonic=True).private is True
    assert judge(half, c=2).private is False


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (3, "program must be a function"),
        (lambda answers, mystery: [], "got a parameter 'mystery'"),
        (lambda threshold: [], "must take the answers"),
        (lambda answers: object(), "must return a list"),
        (lambda answers: [True] * 100, "at most one answer"),
        (lambda answers: ["maybe"], "must answer True, False or a number"),
        (lambda answers, rng: [rng.laplace(0, -1) > 0], "scale must be"),
        (lambda answers, rng: rng.laplace(size=10**9), "size must leave"),
    ],
)
def test_what_cannot_be_read_is_said(program, message):
    """Each error names the argument, what it got and what is allowed."""
    with pytest.raises(ValueError, match=message):
        judge(program)


def test_c_is_small():
    """Every pattern of positives is looked at."""
    with pytest.raises(ValueError, match="c must be at most 6"):
        judge(plain, c=7)


@pytest.mark.parametrize(
    "name",
    [
        *one_in(8, sorted(hostile.WRONG.keys() - hostile.LONG)),
        *(pytest.param(name, marks=pytest.mark.full) for name in hostile.LONG),
    ],
)
def test_no_wrong_program_is_cleared(name):
    """One thing changed in a right loop, or a way to tell unknowns from numbers: never private."""
    program, c, options, _ = hostile.WRONG[name]
    verdict = judge(program(), c=c, **options)
    assert verdict.private is False or (verdict.private is None and name in hostile.UNDECIDED), verdict
    if verdict.private is False:
        delta = options.get("sensitivity", 1.0)
        assert verdict.pair.loss > 1
        assert max(abs(np.subtract(verdict.pair.answers, verdict.pair.neighbour))) <= delta * (1 + 1e-12)


@pytest.mark.parametrize("name", one_in(4, hostile.RIGHT))
def test_no_right_program_is_accused(name):
    """Other styles, post-processing, stable maps of the answers, early ends: never called wrong."""
    program, c, options, _ = hostile.RIGHT[name]
    verdict = judge(program(), c=c, **options)
    assert verdict.private is True or (verdict.private is None and name in hostile.UNDECIDED), verdict


def test_few_programs_stay_undecided():
    """At most 15 in 100, right and wrong together; the two tests above hold each of the others to its verdict."""
    everything = [*hostile.WRONG, *hostile.RIGHT]
    assert set(everything) >= hostile.UNDECIDED and len(hostile.UNDECIDED) <= 0.15 * len(everything)


@pytest.mark.parametrize(
    "name",
    [
        "mirrored threshold noise",
        "the last index for none",
        "threshold drawn every 10",
        "one too late",
        "one-sided where the last answer was higher",
    ],
)
def test_the_probability_of_a_pair_is_that_of_the_program(name):
    """Thirty thousand runs of the program itself: within four standard deviations of both probabilities."""
    from svtcourse.judge.program import Program

    program, c, options, _ = hostile.WRONG[name]
    pair = judge(program(), c=c, **options).pair
    mine, rng, runs = Program(program(), 1.0, c), np.random.default_rng(5), 30_000
    wanted = tuple(sign == "⊤" for sign in pair.outcome)
    for answers, log in ((pair.answers, pair.log_probability), (pair.neighbour, pair.log_probability_on_neighbour)):
        p = math.exp(log)
        seen = sum(mine.sample(answers, pair.threshold, rng) == wanted for _ in range(runs)) / runs
        assert abs(seen - p) <= 4 * math.sqrt(p / runs) + 4 / runs


@pytest.mark.parametrize(("rho", "nu"), [(2.0, 4.0), (1e5, 4.2), (1e4, 2.1), (1.0, 800.0), (3.0, 0.01)])
def test_paths_are_as_likely_as_the_exact_engine_says(rho, nu):
    """With thresholds that move, and scales of very different size: what a judge computes, here and on a page."""
    from svtcourse.judge.program import Program

    mine = hostile.loop(rho=f"rng.laplace(0, {rho})", nu=f"rng.laplace(0, {nu})", each="threshold = threshold + 0.5")
    answers, thresholds = [1.0, -3.0, 3 * nu, 0.0], [0.5, 1.0, 1.5, 2.0]
    exact = svt.Mechanism("m", threshold_noise=svt.Laplace(rho), query_noise=svt.Laplace(nu), c=1, epsilon=1.0,
                          epsilon1=0.5, epsilon2=0.5)  # fmt: skip
    for path in Program(mine.make(), 1.0, 1).grown(4):
        wanted = svt.log_probability(exact, answers[: len(path.output)], path.output, thresholds[: len(path.output)])
        assert math.isclose(log_probability([path], answers), wanted, abs_tol=1e-9)
        assert math.isclose(math.log(chance([path], answers)), wanted, abs_tol=1e-9)


UNSHOWN = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found = rng.laplace(0, 2 / epsilon), [], 0
    for i, a in enumerate(answers):
        hit = a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho
        if i % 3:
            said.append(False)
            continue
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
"""


SOME_SHOWN = """def program(answers, threshold, epsilon, c, rng):
    said = []
    for i, a in enumerate(answers[:{most}]):
        hit = a + rng.laplace(0, {scale} / epsilon) >= threshold
        if {unshown}:
            hit = False
        said.append(hit)
    return said
"""
XOR = """def program(answers, threshold, epsilon, c, rng):
    said = []
    for a in answers[:20]:
        said.append((a + rng.laplace(0, 1e3) >= threshold) != (a + rng.laplace(0, 1) >= threshold))
    return said
"""
MADE_UP = {
    "comparisons that are not shown": hostile.made(UNSHOWN),
    "an event of probability 0": hostile.loop(
        before="u = rng.uniform(0, 2)", says="answer >= threshold if u >= 2 else hit"
    ).make(),
    "a wide threshold": hostile.loop(
        rho="rng.laplace(0, 1e5)", nu="rng.laplace(0, 4.2)", each="threshold += 0.5", stop="hit"
    ).make(),
    "one wide": hostile.loop(nu="rng.laplace(0, (4000 if i == 0 else 8) / epsilon)").make(),
    "two comparisons that cancel": hostile.made(XOR),
    "half of the answers": hostile.made(SOME_SHOWN.format(most=44, scale=30, unshown="i >= 5 and i % 2")),
    "wider": hostile.loop(before="s = 4 * c / epsilon", nu="rng.laplace(0, s)", after="s *= 1.5").make(),
}


@pytest.mark.parametrize("name", one_in(len(MADE_UP), MADE_UP))
def test_no_pair_is_made_up(name):
    """Private programs that are no SVT, whose runs look otherwise where one looks too coarsely."""
    assert judge(MADE_UP[name], epsilon=1.0, c=2).private is not False


def test_no_pair_is_made_up_on_a_page():
    """Seven of eighteen answers are shown, at a tenth each; all in a row would lose more than ε."""
    said = page.judge(SOME_SHOWN.format(most=18, scale=10, unshown="5 <= i < 16"), epsilon=1.0, c=1)
    assert said["private"] is not False, said


def test_a_loop_that_draws_until_it_likes_what_it_drew_is_left():
    again = hostile.loop(before="rho0 = rng.laplace(0, 2)\n    while rho0 < 0: rho0 = rng.laplace(0, 2)", rho="rho0")
    assert "does not end" in judge(again.make()).reason


@pytest.mark.parametrize("key", ["alg1", "alg2", "alg7"])
def test_the_noise_of_a_run_is_replayed_in_order(key):
    """A program of the same scales gives the transcript of `svt.run`."""
    programs = {
        "alg1": loop(*ALG1),
        "alg2": PRIVATE["alg2"][0],
        "alg7": loop(
            lambda e, c: 4 / e,
            lambda e, c: 8 * c / e,
            number=lambda answer, noisy, e, c, rng: answer + rng.laplace(0, 2 * c / e),
        ),
    }
    options = {"epsilon3": 0.5, "split": 1.0} if key == "alg7" else {}
    mechanism = svt.variant(key).calibrate(epsilon=1.0, c=2, **options)
    for seed in range(40):
        run = svt.run(mechanism, [0.0, 9.0, -4.0, 30.0, 2.0], 3.0, rng=np.random.default_rng(seed))
        assert programs[key]([0.0, 9.0, -4.0, 30.0, 2.0], 3.0, 1.0, 2, replay(run)) == list(run.outcome)
