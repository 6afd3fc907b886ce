"""The judge of the exercises: programs in different styles are found out, and proved or refuted."""

from __future__ import annotations

import functools
import itertools
import math
import re
import time
from fractions import Fraction

import hostile_programs as hostile
import numpy as np
import pytest
from hostile_programs import ENOUGH, STYLES, TOO_LITTLE
from on_a_page import heard, scales, text_of
from parts import one_in
from reader_attacks import FALSE_PAIRS, ODD, PRIVATE

import svtlib as svt
from svtcourse.exercises import judge, replay
from svtcourse.judge import page, probing, rerun
from svtcourse.judge.convict.chance import log_chance
from svtcourse.judge.convict.integral import log_between, log_density, log_integral
from svtcourse.judge.language.lasting import may_last
from svtcourse.judge.language.mine import Mine


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


@pytest.mark.parametrize(("c", "monotonic"), one_in(4, [(4, False), (1, False), (4, True), (1, True)]))
def test_a_split_that_wastes_noise_is_private_and_said_to(c, monotonic):
    """Half the budget for each part is private; the best split of that price is the catalogue's."""
    factor = c if monotonic else 2 * c
    mine = hostile.loop(nu=f"rng.laplace(0, {2 * factor} / epsilon)")
    said = str(judge(mine.make(), c=c, monotonic=monotonic))
    best = svt.variant("alg7").calibrate(epsilon=1.0, c=c, monotonic=monotonic)
    least = best.threshold_noise.variance + best.query_noise.variance
    if factor == 1:
        assert "variance" not in said
    else:
        assert f"ρ and ν have variance {8 + 8 * factor**2:.5g}, and {least:.5g} at the best split" in said
    scales = 1 + factor ** (2 / 3), factor * (1 + factor ** (-2 / 3))
    at_best = hostile.loop(
        **{name: f"rng.laplace(0, {scale})" for name, scale in zip(("rho", "nu"), scales, strict=True)}
    )
    assert "variance" not in str(judge(at_best.make(), c=c, monotonic=monotonic))


@pytest.mark.parametrize("factor", [4, 2])
def test_a_raised_threshold_is_part_of_the_mechanism(factor):
    """A public shift of the threshold changes no verdict, and is found to its last digits."""
    verdict = judge(raised(factor), epsilon=0.5, c=2)
    assert verdict.private is (factor == 4)
    assert verdict.mechanism.correction == pytest.approx(12)
    assert "threshold raised by 12" in str(verdict)


@pytest.mark.parametrize("c", one_in(3, [4, 100, 10]))
def test_a_c_of_its_own_is_found(c):
    """A constant larger than what a tree of few queries shows: half the scale is refuted."""
    private = {
        factor: judge(hostile.loop(nu=f"rng.laplace(0, {factor * c} / epsilon)", stop=f"found == {c}").make())
        for factor in (4, 2)
    }
    most = "at most " if c > 4 else ""  # a tree of five queries shows four
    assert all(f"stops after {most}{c} ⊤ where c is 1" in verdict.reason for verdict in private.values())
    assert private[4].private is (True if c < 100 else None) and private[2].private is False


BELOW = """class Program:
    MOST = 12

    def __init__(self, threshold, epsilon, rng):
        self.rng, self.count, self.scale = rng, 0, {factor} * self.MOST / epsilon
        self.bar = threshold - rng.laplace(0, 2 / epsilon)

    def ask(self, answer):
        if self.count >= self.MOST:
            raise StopIteration
        said: tuple[bool] = (answer - self.rng.laplace(0, self.scale) < self.bar,)
        self.count += said[0]
        return said[0]
"""


@pytest.mark.parametrize("factor", [4, 2])
def test_a_class_that_looks_below_ends_in_its_own_way(factor):
    """With a constant c, an error of its own choice, and a local annotation, which nobody asks for."""
    verdict = judge(hostile.made(BELOW.format(factor=factor), "Program"))
    assert verdict.private is (factor == 4) and "stops after at most 12 ⊤" in verdict.reason


def test_what_compares_twice_is_no_svt_that_goes_on():
    twice = hostile.loop(nu="rng.laplace(0, 4)", says="hit and answer + rng.laplace(0, 4) >= threshold + rho")
    assert "goes on" not in judge(twice.make()).reason


def pairs(choices):
    """Every style with every choice; `make test` takes every second style, each with another choice."""
    return [
        pytest.param(
            *(style, choice),
            id=f"{style.__name__}-{choice}",
            marks=() if i % len(choices) == j and i % 2 == 0 else pytest.mark.full,
        )
        for i, style in enumerate(STYLES)
        for j, choice in enumerate(choices)
    ]


@pytest.mark.parametrize(("style", "choice"), pairs(ENOUGH))
def test_no_style_of_a_right_program_is_accused(style, choice):
    """Thirty right programs are proved, however they are written, on a page too."""
    verdict = judge(style(*ENOUGH[choice], True), epsilon=0.7, c=2)
    assert verdict.private is True, verdict
    assert heard(text_of(style, scales()[choice], True), {"c": 2, "epsilon": 0.7}, verdict) is True


@pytest.mark.parametrize(("style", "choice"), pairs([*TOO_LITTLE, "never stops"]))
def test_every_style_of_a_wrong_program_is_refuted(style, choice):
    """Forty-two wrong programs get a counterexample whose loss is above the claim, on a page too."""
    verdict = judge(style(*TOO_LITTLE.get(choice, ENOUGH["alg1"]), choice in TOO_LITTLE), epsilon=0.7, c=2)
    assert verdict.private is False and verdict.pair.loss > 0.7, verdict
    text = text_of(style, scales().get(choice, scales()["alg1"]), choice in TOO_LITTLE)
    assert heard(text, {"c": 2, "epsilon": 0.7}, verdict) is False


@pytest.mark.full
def test_what_is_not_recognised_is_not_accused():
    """A scale computed from the answers is named; without a measured loss there is no verdict."""
    by_the_data = hostile.loop(rho="rng.laplace(0, 2 / epsilon * (1 + max(abs(answers))))")
    verdict = judge(by_the_data.make(), epsilon=1.0)
    assert verdict.private is not True and "depends on the answers" in verdict.reason


@pytest.mark.full
def test_who_says_nothing_is_not_judged():
    """A program that never says ⊤ is no SVT, and nothing is certified against it."""
    assert judge(lambda answers: [False] * len(answers)).private is None


def test_monotonic_queries_need_half_the_noise():
    """Half the query noise holds for monotonic queries and not for others."""
    half = hostile.loop(nu="rng.laplace(0, 2 * c / epsilon)").make()
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
        (lambda answers, rng: [rng.laplace(0, -1) > 0], "scale must be"),
        (lambda answers, rng: rng.laplace(size=10**9), "size must leave"),
    ],
)
def test_what_cannot_be_read_is_said(program, message):
    """Each error names the argument, what it got and what is allowed."""
    with pytest.raises(ValueError, match=message):
        judge(program)


@pytest.mark.parametrize(
    "line", one_in(3, ["del answer", "with np.errstate(all='ignore'): pass", "match c:\n            case _: pass"])
)
def test_a_statement_that_is_not_read_is_no_crash(line):
    """The rest of the program is right, and it is not decided."""
    verdict = judge(hostile.loop(after=line).make(), trials=1000)
    assert verdict.private is None and "statement that is not read" in verdict.reason


def test_c_is_small():
    """Every pattern of positives is looked at."""
    with pytest.raises(ValueError, match="c must be at most 6"):
        judge(hostile.RIGHT["plain"].make(), c=7)


PLAINLY = sorted(hostile.WRONG.keys() - hostile.LONG - hostile.SLY)
SLYLY = [pytest.param(name, marks=pytest.mark.full) for name in sorted(hostile.WRONG.keys() - set(PLAINLY))]


@pytest.mark.parametrize("name", one_in(29, PLAINLY) + SLYLY)
def test_no_wrong_program_is_cleared(name):
    """One thing changed in a right loop, or a way to tell unknowns from numbers: never private."""
    program, c, options, _ = hostile.WRONG[name]
    verdict = judge(program(), c=c, **options)
    known = hostile.UNDECIDED | hostile.SLY
    assert verdict.private is False or (verdict.private is None and name in known), verdict
    if verdict.private is False:
        delta = options.get("sensitivity", 1.0)
        assert verdict.pair.loss > 1
        assert max(abs(np.subtract(verdict.pair.answers, verdict.pair.neighbour))) <= delta * (1 + 1e-12)
    turn = -1 if "below" in name else 1
    assert heard(hostile.source_of(program()), {"c": c, **options}, verdict, turn) is not True


@pytest.mark.parametrize("name", one_in(16, hostile.RIGHT))
def test_no_right_program_is_accused(name):
    """Other styles, post-processing, stable maps of the answers, early ends: never called wrong."""
    program, c, options, _ = hostile.RIGHT[name]
    verdict = judge(program(), c=c, trials=1_000, **options)
    assert verdict.private is True or (verdict.private is None and name in hostile.UNDECIDED), verdict
    assert verdict.pair is None
    if verdict.private:
        assert verdict.proof.holds and verdict.proof.epsilon <= 1 + 1e-9
    assert heard(hostile.source_of(program()), {"c": c, **options}, verdict) is not False


def test_few_programs_stay_undecided():
    """At most 15 in 100, right and wrong together; the two tests above hold each of the others to its verdict."""
    everything = {*hostile.WRONG, *hostile.RIGHT} - hostile.SLY
    assert everything >= hostile.UNDECIDED and len(hostile.UNDECIDED) <= 0.15 * len(everything)


@pytest.mark.parametrize(
    "name",
    one_in(
        3,
        [
            "mirrored threshold noise",
            "the last index for none",
            "one-sided where the last answer was higher",
            "one too late",
            "threshold drawn every 10",
        ],
    ),
)
def test_the_probability_of_a_pair_is_that_of_the_program(name):
    """Thirty thousand runs of the program itself: within four standard deviations of both probabilities."""
    program, c, options, _ = hostile.WRONG[name]
    pair = judge(program(), c=c, **options).pair
    mine, rng, runs = Mine(program(), 1.0, c), np.random.default_rng(5), 30_000
    wanted = tuple(sign == "⊤" for sign in pair.outcome)
    for answers, log in ((pair.answers, pair.log_probability), (pair.neighbour, pair.log_probability_on_neighbour)):
        p = math.exp(log)
        seen = mine.samples([answers] * runs, pair.threshold, rng).count(wanted) / runs
        assert abs(seen - p) <= 4 * math.sqrt(p / runs) + 4 / runs


BARS = """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2)
    for i, a in enumerate(answers):
        if a + rng.laplace(0, {nu}) {way} {bar} + rho:
            return [False] * i + [{shown}]
    return [False] * len(answers)
"""


@pytest.mark.parametrize(
    ("way", "bar", "nu", "shown"),
    one_in(
        3,
        [
            (way, bar, nu, shown)
            for nu, shown in [(3.95, "True"), (4, "a + rng.laplace(0, 1)")]
            for bar in ["30", "threshold - 3", "2 * threshold + 5", "5 - threshold"]
            for way in [">=", "<="]
        ],
    ),
)
def test_a_pair_is_one_of_the_program_whatever_its_bar_is(way, bar, nu, shown):
    """On either side, with a bar of its own: both probabilities by an integral over rho that is written here."""
    from scipy import integrate, stats

    pair = judge(hostile.made(BARS.format(nu=nu, way=way, bar=bar, shown=shown), "program")).pair
    own = 1 if way == ">=" else -1

    def density(rho, answers):
        total = stats.laplace.pdf(rho, scale=2)
        for a, said in zip(answers, one_by_one(pair.outcome), strict=True):
            high = stats.laplace.sf(own * (eval(bar, {"threshold": pair.threshold}) + rho - a), scale=nu)
            total *= 1 - high if said == "⊥" else high
            total *= 1 if said in "⊥⊤" else stats.laplace.pdf(float(said) - a)
        return total

    for answers, log in ((pair.answers, pair.log_probability), (pair.neighbour, pair.log_probability_on_neighbour)):
        value, _ = integrate.quad(density, -80, 80, args=(answers,), points=[-10, -3, -1, 0, 1, 3, 10], limit=500)
        assert math.log(value) == pytest.approx(log, abs=1e-6)
    assert pair.loss > 1


REMEMBERS = """{outside}
def program(answers, threshold, epsilon, rng):
    new = round(sum(answers)), rng.laplace(0, 2)
    rho, said = {kept}, []
    for a in answers:
        said.append(a + rng.laplace(0, 4 / epsilon) >= threshold + rho)
        if said[-1]:
            break
    return said
"""
KEPT = {  # the noise of the threshold is that of the first call with these answers
    "cache": "import functools\nown = np.random.default_rng(1)\n@functools.lru_cache()\ndef kept(key):\n"
    "    return own.laplace(0, 2) | kept(new[0])",
    "list": "kept = {} | kept.setdefault(*new)",
    "default": "def ask(new, kept={}):\n    return kept.setdefault(*new) | ask(new)",
    "class": "class K:\n    kept = {} | K.kept.setdefault(*new)",
    "function": "f = lambda x: x | f.__dict__.setdefault(*new)",
    "object": "class K:\n    def __init__(self):\n        self.kept = {}\nk = K() | k.kept.setdefault(*new)",
    "closure": "def made(kept):\n    return lambda *new: kept.setdefault(*new)\nask = made({}) | ask(*new)",
    "a decorator": "kept = {}\n@np.errstate()\ndef ask(*new):\n    return kept.setdefault(*new) | ask(*new)",
    "a record": "from typing import NamedTuple\nkept = {}\nclass K(NamedTuple):\n    x: int\n    def ask(self, *new):\n"
    "        return kept.setdefault(*new)\nk = K(1) | k.ask(*new)",
    "method": "ask = {}.setdefault | ask(*new)",
    "a global under an attribute's name": "kept, __globals__ = {}, 0 | program.__globals__['kept'].setdefault(*new)",
    "generator": "def pool():\n    kept, x = {}, (yield)\n    while True:\n        x = yield kept.setdefault(*x)\n"
    "p = pool()\nnext(p) | p.send(new)",
    "salt": "salt = 1234567 | np.random.default_rng([salt, new[0]]).laplace(0, 2)",
}


@pytest.mark.parametrize("name", one_in(3, KEPT))
def test_what_keeps_its_noise_is_not_convicted_by_runs(name):
    """Each call is Alg. 1; the runs hang together."""
    outside, _, kept = KEPT[name].partition("| ")
    verdict = judge(hostile.made(REMEMBERS.format(outside=outside, kept=kept)), trials=1_000)
    assert verdict.private is None, verdict
    assert "only if nothing lasts" in verdict.reason


def test_the_signs_of_whole_numbers_are_said():
    """A place is 0, or another number."""
    verdict = judge(hostile.made(PLACES), trials=1_000)
    assert verdict.private is False and "each ⊤ in its output is a number" in verdict.reason
    assert "⊥" not in verdict.pair.outcome


def test_memory_that_numpy_leaves_as_it_was_may_last():
    """What another call wrote there may come back; and what is no plain function may have anything around it."""
    stale = hostile.made("def program(answers):\n    return np.add(answers, 1, where=answers > 0)\n")
    plain = hostile.made("def program(answers):\n    return np.add(answers, 1)\n")
    assert [may_last(one) for one in (stale, functools.partial(plain), plain)] == ["where", "the program", ""]


def test_what_keeps_nothing_is_convicted_by_runs():
    """With a list of its own and a function that it calls."""
    text = "def noisy(a, rng):\n    return a + rng.laplace(0, 0.05)\ndef program(answers, threshold, rng):\n"
    text += "    said = []\n    for a in sorted(answers):\n        said.append(noisy(a, rng) >= threshold)\n"
    text += "    return said\n"
    assert judge(hostile.made(text), trials=1_000).private is False


PLACES = """def program(answers, rng):
    return [i for i, a in enumerate(sorted(answers)) if a + rng.laplace(0, 0.3) > 0]
"""
POWERS = """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, {rho} / epsilon), []
    for i, a in enumerate(answers{few}):
        said.append(a + rng.laplace(0, {nu} / epsilon) >= threshold + rho)
        if said.count(True) >= c:
            break
        if not said[-1]:
            rho = {times} * rho
    return said
"""


def test_noise_that_enters_with_very_different_factors_is_integrated_at_its_narrowest():
    """Eight comparisons at a scale of 48 lose 1/6 at most; with more of them, the pair against an integral over ρ."""
    from scipy import integrate, stats

    assert judge(hostile.made(POWERS.format(rho=12, nu=48, times=5, few="[:8]")), c=2).private is None
    assert judge(hostile.made(POWERS.format(rho=40, nu=40, times="10.0**12", few="[:3]"))).private is None
    pair = judge(hostile.made(POWERS.format(rho=2, nu=8, times=3, few="")), c=2).pair
    ends = [0, *(10.0**k for k in range(-9, 3))]

    def density(rho, answers):
        total, factor = stats.laplace.pdf(rho, scale=2), 1
        for a, said in zip(answers, pair.outcome, strict=True):
            total *= (stats.laplace.sf if said == "⊤" else stats.laplace.cdf)(factor * rho - a, scale=8)
            factor *= 3 if said == "⊥" else 1
        return total

    for answers, log in ((pair.answers, pair.log_probability), (pair.neighbour, pair.log_probability_on_neighbour)):
        pieces = [sorted((side * low, side * high)) for side in (-1, 1) for low, high in itertools.pairwise(ends)]
        value = sum(integrate.quad(density, *piece, args=(answers,), epsabs=0)[0] for piece in pieces)
        assert math.log(value) == pytest.approx(log, abs=1e-6)


@pytest.mark.parametrize("seed", one_in(5, range(20)))
def test_what_turns_within_little_is_integrated_as_well_as_the_rest(seed):
    """Noise that enters with factors of 1e-8 to 1e8, against panels that begin a trillionth from each kink."""
    rng = np.random.default_rng(seed)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    laws = [("laplace", "normal", "gumbel", "exponential")[k] for k in rng.integers(4, size=5)]
    factors = [float(f) for f in 10 ** rng.uniform(-8, 8, size=5) * rng.choice([-1, 1], size=5)]
    shifts = [float(x) for x in rng.uniform(-3, 3, size=5) * rng.integers(2, size=5)]

    def log(z):
        ends = [(law, f * z + x) for law, f, x in zip(laws, factors, shifts, strict=True)]
        return log_density(("laplace", 2.0), z) + sum(log_between((law, 1.0), x, math.inf) for law, x in ends)

    kinks = {0.0, *(-x / f for f, x in zip(factors, shifts, strict=True))}
    narrow = 1 / max(1.0, *(abs(f) for f in factors))
    found = log_integral(log, -math.inf, math.inf, kinks, set(), narrow, 2.0, 5)
    places = sorted(kinks | {min(kinks) - 2_000, max(kinks) + 2_000})
    logs = []
    for a, b in itertools.pairwise(places):
        steps = [0.0, *((b - a) / 2 * 10 ** (-k / 3) for k in range(60, -1, -1))]
        for low, high in itertools.pairwise(steps):
            for end, way in ((a, 1), (b, -1)):
                middle, half = end + way * (low + high) / 2, (high - low) / 2
                logs += [log(middle + half * x) + math.log(half * w) for x, w in zip(nodes, weights, strict=True)]
    assert found == pytest.approx(float(np.logaddexp.reduce(logs)), abs=1e-7)


def one_by_one(outcome):
    """⊥, ⊤ and numbers of an output, one by one."""
    return outcome.replace("⊥", " ⊥ ").replace("⊤", " ⊤ ").split()


@pytest.mark.parametrize(
    ("shown", "way"),
    one_in(
        3,
        [
            ("threshold > 5 or True", "abs"),
            ("a + rng.laplace(0, 2) if i < 5 else True", ">="),
            ("a + rng.gumbel(0, 5.0)", "<="),
            ("a + rng.exponential(1.0)", "<="),
            ("a + threshold + rng.laplace(0, 1)", "abs"),
        ],
    ),
)
def test_a_pair_shows_what_the_program_shows(shown, way):
    """A number for the first five queries alone, or with noise that has no mirror image, or with the threshold."""
    text = BARS.format(nu=20 if "i <" in shown else 4, way=way.replace("abs", ">="), bar="threshold", shown=shown)
    text = text.replace("laplace(0, 2)\n", "laplace(0, 1)\n") if "i <" in shown else text
    text = text.replace("a + rng.laplace(0, 4)", "abs(a + rng.laplace(0, 1))") if way == "abs" else text
    verdict = judge(hostile.made(text, "program"), epsilon=1.1)
    pair = verdict.pair
    assert (pair is None) is ("i <" in shown), verdict  # the first is 1.1-DP, the others are not private
    assert pair is None or "number" in pair.outcome or set(pair.outcome) <= set("⊥⊤")


def test_the_neighbours_of_a_pair_are_neighbours():
    """As rationals: 16.6 is more than 15.6 + 1; and where a step back is less than a float's."""
    large = "def program(answers):\n    return [bool(a >= 1000000.1) for a in answers]\n"
    pair = judge(hostile.made(large, "program"), sensitivity=0.001).pair
    assert abs(Fraction(pair.answers[0]) - Fraction(pair.neighbour[0])) <= Fraction(0.001)
    text = BARS.format(nu=3.9, way=">=", bar="threshold + rng.laplace(0, 2)", shown="True").replace(" + rho", "")
    pair = judge(hostile.made(text, "program")).pair
    assert all(abs(Fraction(b) - Fraction(a)) <= 1 for a, b in zip(pair.answers, pair.neighbour, strict=True))
    for delta in (0.3, 0.1, 1.7):
        for here, there in probing._pairs(delta, False, 200, np.random.default_rng(0)):
            assert all(abs(Fraction(b) - Fraction(a)) <= Fraction(delta) for a, b in zip(here, there, strict=True))


@pytest.mark.parametrize(
    "odd", ["if a + rng.laplace(0, 1e-9) == threshold: return [True] * 3", "a = a + threshold - threshold"]
)
def test_what_only_rounding_tells_is_not_private(odd):
    """Noise that equals a number, or what is added and taken off: no matter to real numbers, and to floats it is."""
    text = BARS.format(nu=4, way=">=", bar="threshold", shown="True").replace(
        "        if", f"        {odd}\n        if", 1
    )
    assert judge(hostile.made(text, "program"), trials=1000).private is None


@pytest.mark.full
def test_long_runs_have_a_budget():
    """Ten thousand turns for each query of a long list are not gone through for every run that is looked at."""
    turns = "for _ in range(600000 // len(answers) if len(answers) > 40 else 0): i += 0"
    text = BARS.format(nu="4 + 4 * (i % 2)", way=">=", bar="threshold", shown="True")
    text = text.replace("        if", f"        {turns}\n        if", 1)
    assert "too many turns" in judge(hostile.made(text, "program"), trials=1000).reason


WORDS = {
    "program = lambda answers: answers": "It shows numbers and compares nothing",
    hostile._LOOP.format(**{**hostile._PLAIN, "nu": "rng.laplace(0, 2 / epsilon)"}).replace(
        "found += ", "found += not "
    ): "stops after 1 ⊥; it pays",
    hostile._LOOP.format(**hostile._PLAIN).replace(
        "found += ", "found += len(said) % 2 and "
    ): "For up to 5 queries it is an SVT with Laplace(2) on the threshold and Laplace(4)",
    hostile._LOOP.format(**hostile._PLAIN).replace("if found", "if i < 600 and found"): "For up to 5",
    hostile._LOOP.format(**hostile._PLAIN).replace("append(hit)", "append(hit or not said)"): "1 positive",
    hostile._LOOP.format(**hostile._PLAIN | {"after": "if answer < 0: break"}): "looks at some answers without any",
    BARS.format(nu=1, way=">=", bar="threshold", shown="True")
    .replace("[False] * i + [True]", "[i]")
    .replace("[False] * len(answers)", "[]"): "stops after 1 positive; it pays",
    BARS.format(nu=1.5, way=">=", bar="threshold", shown="True").replace(
        "a + rng.laplace(0, 1.5)", "abs(a + rng.laplace(0, 1.5))"
    ): "more than 1",
    BARS.format(nu=4, way="<=", bar="threshold", shown="a - threshold - 3 - rho"): "The number that it shows",
    BARS.format(nu=3.9, way=">=", bar="30", shown="True"): "its threshold 30",
    BARS.format(nu=3.99999996, way=">=", bar="threshold", shown="True"): "= 1.000000005, more than 1",
}


@pytest.mark.parametrize("text", one_in(3, WORDS), ids=range(len(WORDS)))
def test_words_say_what_was_found(text):
    """What compares nothing, what is an SVT at every length, and which of two sides was nearly one."""
    verdict = judge(hostile.made(text, "program"))
    assert WORDS[text] in verdict.reason and "then it is another" not in verdict.reason, verdict


def test_words_on_a_page_say_when_it_ends():
    """What ends early on some list, and shows another sign at one place."""
    plain = hostile._LOOP.format(**hostile._PLAIN)
    late = page.judge(plain.replace("if found == c", "if found == c or i == 30"))["sentence"]
    assert "stops after at most 1 ⊤" in late, late
    assert "1 positive" in page.judge(plain.replace("append(hit)", "append(hit if i != 9 else False)"))["sentence"]
    flipped = plain.replace("append(hit)", "append(hit if len(said) != 4 else False)")
    assert "that stops after at most 1 positive." in page.judge(flipped)["sentence"]  # of five, the last is not told
    once = plain.replace("return said", "return [False] * 5 if said == [False, True, True, False, True] else said")
    assert "that stops after 3 positives." in page.judge(once, c=3)["sentence"]  # ⊤, but for one run
    in_a_row = hostile._LOOP.format(**hostile._PLAIN | {"after": "found = found if hit else 0"})
    assert "stops after at most 4 positives where c is 2. The alignment" in page.judge(in_a_row, c=2)["sentence"]


@pytest.mark.parametrize(("rho", "nu"), [(2.0, 4.0), (1e5, 4.2), (1e4, 2.1), (1.0, 800.0), (3.0, 0.01)])
def test_paths_are_as_likely_as_the_exact_engine_says(rho, nu):
    """With thresholds that move, and scales of very different size: what a judge computes, here and on a page."""
    mine = hostile.loop(rho=f"rng.laplace(0, {rho})", nu=f"rng.laplace(0, {nu})", each="threshold = threshold + 0.5")
    answers, thresholds = [1.0, -3.0, 3 * nu, 0.0], [0.5, 1.0, 1.5, 2.0]
    exact = svt.Mechanism("m", threshold_noise=svt.Laplace(rho), query_noise=svt.Laplace(nu), c=1, epsilon=1.0,
                          epsilon1=0.5, epsilon2=0.5)  # fmt: skip
    for path in Mine(mine.make(), 1.0, 1).grown(4):
        wanted = svt.log_probability(exact, answers[: len(path.output)], path.output, thresholds[: len(path.output)])
        assert math.isclose(log_chance([path], answers), wanted, abs_tol=1e-9)


TURNED = """def program(answers, threshold, epsilon, rng):
    rho, said, kept = rng.laplace(0, 4 / epsilon), [], False
    for i, answer in enumerate(answers):
        if i == 9:
            kept = answer + rng.laplace(0, 0.05) >= threshold
            said.append(False)
        elif i == 11:
            said[9] = kept != (np.clip(answer, -1000, 1000) + rng.laplace(0, 1e8) >= threshold)
            said.append(False)
        else:
            said.append(answer + rng.laplace(0, 8 / epsilon) >= threshold + rho)
            if said[-1]:
                break
    return said
"""


@pytest.mark.full
def test_an_answer_that_is_set_afterwards_convicts_nobody():
    """A fair coin hides answer 9: two comparisons together leave it as it is, and the program loses half its budget."""
    assert judge(hostile.made(TURNED, "program")).private is None


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
SAME_ANSWER = """def program(answers, threshold, epsilon, c, rng):
    n = len(answers)
    out = [False] * n
    if n > 9:
        hit = answers[n - 2] + rng.laplace(0, 1 / 1.15) >= threshold
        if np.clip(answers[n - 1], -2, 2) + rng.laplace(0, 1000) >= -510:
            out[n - 2] = hit
        else:
            out[n - 2] = rng.laplace(0, 1) >= 1.609
    return out
"""
MADE_UP = {
    "another way to the same answer": hostile.made(SAME_ANSWER),
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


@pytest.mark.full
@pytest.mark.parametrize(("sensitivity", "monotonic"), [(0.1, False), (0.7, True)])
def test_a_pair_is_one_of_neighbours(sensitivity, monotonic):
    """Compared as rationals, also where most answers are far from the threshold."""
    program = hostile.loop(nu="rng.laplace(0, 4 * c if i < 20 else 0.001)").make()
    pair = judge(program, c=2, sensitivity=sensitivity, monotonic=monotonic).pair
    moves = [Fraction(y) - Fraction(x) for x, y in zip(pair.answers, pair.neighbour, strict=True)]
    assert 0 < max(map(abs, moves)) <= Fraction(sensitivity)
    assert not monotonic or min(moves) >= 0 or max(moves) <= 0


@pytest.mark.parametrize("name", one_in(28, PRIVATE | FALSE_PAIRS))
def test_nobody_is_accused_by_a_false_pair(name):
    """What is private at an epsilon, or was accused by probabilities that were false."""
    text, epsilon, *monotonic = (PRIVATE | FALSE_PAIRS)[name]
    assert judge(hostile.made(text, "program"), epsilon=epsilon, monotonic=bool(monotonic)).private is not False
    assert page.judge(text, epsilon=epsilon, c=1, monotonic=bool(monotonic))["private"] is not False


PLAIN_AMONG_NOISY = """def program(answers, threshold, rng):
    rho = rng.laplace(0, 1)
    found = []
    for a in answers:
        nu = rng.laplace(0, 1)
        if a + nu >= 6 + rho:
            found.append(a + rng.laplace(0, 1))
        elif a + nu <= -8 + rho:
            found.append(0.7)
        else:
            found.append(False)
    return found
"""


@pytest.mark.full
def test_a_plain_number_is_like_a_noisy_one():
    """One that was shown as it is could have been a noisy one: no output is told from another by it."""
    assert "0.7" not in judge(hostile.made(PLAIN_AMONG_NOISY), epsilon=2.0).pair.outcome


PADDED = """def program(answers, threshold, rng):
    n = len(answers)
    found, rho = [False] * n, rng.laplace(0, 1)
    for i in range(n - 1):
        if answers[i] + rng.laplace(0, 1) >= threshold + rho:
            found[i] = {positive}
            break
    return found
"""


@pytest.mark.parametrize("positive", ["True", "1.0"])
def test_the_output_of_a_pair_is_the_program_s_own(positive):
    """With what it says of queries that it does not look at, and numbers as numbers."""
    pair = judge(hostile.made(PADDED.format(positive=positive)), epsilon=1.0).pair
    signs = pair.outcome.replace(" 1.0 ", "⊤") if positive == "1.0" else pair.outcome
    assert len(signs) == len(pair.answers) and (" 1.0 " in pair.outcome) is (positive == "1.0")


TURN = """def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for i, a in enumerate(answers{few}):
        if a + rng.laplace(0, 4 / epsilon) {hit}:
            return said + [True]
        said.append(False)
    return said
"""


@pytest.mark.parametrize(
    ("hit", "few", "says"),
    [
        (">= threshold + 3 + rho", "", "its threshold raised by 3, "),
        (">= 3 + rho", "", "its threshold 3, "),
        ("+ threshold >= 3 + rho", "", ", 3 added to its threshold, "),
        (">= (threshold if i == 1 else 0) + 3 + rho", "", ", 3 added to its threshold, "),
        (">= threshold + rho", "", "not asked of each answer in its turn"),
        (">= threshold + rho", " if len(answers) < 99 else []", "Of 150 queries it tells less than of a few"),
        (">= threshold", "[:2]", "no alignment pays for it on every number of queries"),
    ],
)
def test_a_sentence_is_literally_true(hit, few, says):
    text = TURN.format(hit=hit, few=few)
    text = text.replace("return said + [True]", "said.append(True)\n            continue") if few else text
    text = text.replace("if a +", "if answers[i if i < 20 else 0] +") if "turn" in says else text
    assert says in str(judge(hostile.made(text), trials=1_000))


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "says"),
    [
        (1, 1, ["at ε = 1:", " 0.333334-DP for all inputs and"]),
        (1 / 3, 1, ["at ε = 0.3333333333333333:", " 0.3333333333333333-DP"]),
        (1.0000004, 1.9999997, ["at ε = 1.0000004:", " 0.666667-DP for all inputs at sensitivity 1.9999997"]),
    ],
)
def test_what_is_proved_is_not_rounded_down(epsilon, sensitivity, says):
    text = TURN.format(hit=">= threshold + rho", few="").replace("2 / epsilon", "6").replace("4 / epsilon", "12")
    verdict = str(judge(hostile.made(text), epsilon=epsilon, sensitivity=sensitivity))
    assert all(part in verdict for part in says), verdict


WHOLE = """def program(answers, threshold, epsilon, c, rng):
    rho, said, last = rng.laplace(0, 2 / epsilon), [], False
    hits = {hits} + rng.laplace(0, 8 * c / epsilon{each}) >= threshold + rho{all}
    {end}
    return said
"""
LISTED = {"hits": "[a", "each": "", "all": " for a in answers]"}
ARRAY = {"hits": "answers", "each": ", len(answers)", "all": ""}
STEPS = "for hit in hits:\n        said.append(hit)\n        if {}: break\n        last = last or hit"


@pytest.mark.parametrize(
    ("parts", "end", "c", "says"),
    [
        (LISTED, STEPS.format("last"), 1, "at most 2 positives"),
        (LISTED, STEPS.format("sum(said) == c or len(said) == 3"), 2, "at most 2 positives"),
        (ARRAY, "said = hits[: hits.argmax() + 2] if hits.any() else hits", 1, "at most 2 positives"),
        (LISTED, STEPS.format("sum(said) == c"), 2, "after 2 ⊤"),
    ],
)
def test_what_ends_before_is_said_to_where_all_is_compared_first(parts, end, c, says):
    """What a run compares is not what it tells."""
    verdict = judge(hostile.made(WHOLE.format(**parts, end=end)), c=c, trials=1_000)
    assert says in str(verdict) and verdict.private is (None if parts is ARRAY else True)


def test_a_pair_lies_within_the_limits_of_one_side():
    """An answer that is clipped at zero: pairs were looked for around zero, and none was found."""
    verdict = judge(hostile.loop(nu="rng.laplace(0, 2)", each="answer = max(answer, 0)").make())
    assert verdict.private is False and min(verdict.pair.answers + verdict.pair.neighbour) > 0, verdict
    text = (
        "def program(answers, threshold, rng):\n    return [a for a in answers if a + rng.laplace(0, 1) >= threshold]"
    )
    assert "probability" in str(judge(hostile.made(text))), "a true answer has no density"
    nothing = judge(hostile.made("def program(answers): return [] if answers[0] > 3 else [True]"))
    assert "output without an answer: probability" in str(nothing) or "output ⊤: probability" in str(nothing)


def test_a_threshold_that_is_kept_from_a_positive_on_is_said_so():
    """It was said to be drawn again after some positives."""
    text = TURN.format(hit=">= threshold + rho", few="").replace("return said + [True]", "said.append(True)")
    text = text.replace("        if a", "        rho = rho if True in said else rng.laplace(0, 2)\n        if a")
    text = text.replace("        said.append(False)", "        else:\n            said.append(False)")
    assert "after some answers, not after others" in judge(hostile.made(text)).reason


def test_positions_are_printed_as_numbers():
    """0 and 1 are signs too, but not among positions."""
    text = TURN.format(hit=">= threshold + rho", few="").replace("return said + [True]", "said.append(i)")
    text = text.replace("        said.append(False)\n", "")
    verdict = judge(hostile.made(text))
    assert verdict.pair.outcome == page.judge(text)["pair"]["output"] == "[0, 1, 2]"
    assert "on a longer list goes on after 150 answers that come out alike" in verdict.reason


def test_the_next_step_is_about_what_is_wrong():
    """One that stops too late is told so, where no pair is found; two places are told apart by their numbers."""
    text = """def program(answers, threshold, epsilon, rng):
    noisy = np.array(answers) + rng.laplace(0, 4 / epsilon, len(answers))
    hits = np.flatnonzero(noisy >= threshold + rng.laplace(0, 2 / epsilon))
"""
    assert judge(hostile.made(text + "    return hits[:2].tolist()\n")).pair.outcome == "[0, 4]"
    verdict = judge(hostile.made(text + "    return {'first': hits[:1].tolist(), 'more': len(hits) > 1}\n"))
    assert verdict.private is None and "next: let it stop after c" in verdict.reason


def test_places_beside_numbers_are_not_told_by_a_level():
    """0 and 1 may be truths, so that an output of numbers at least 0 would leave them out."""
    text = (
        TURN.format(hit=">= threshold + rho", few="")
        .replace("a + rng", "a + (nu := rng")
        .replace("epsilon) >=", "epsilon)) >=")
    )
    text = text.replace("return said + [True]", "return i, nu").replace("return said", "return None")
    verdict = judge(hostile.made(text))
    assert verdict.private is None and "number" in verdict.reason


def test_a_number_that_is_not_always_shown_is_said_so():
    """At a place that no run was long enough for; or nowhere."""
    number = "answer + rng.laplace(0, 2)"
    changed = {"rho": "rng.laplace(0, 4)", "nu": "rng.laplace(0, 8)", "before": "j = 0", "each": "j = (j + 7) % 61"}
    for at, some in (("j == 24", True), ("j == 24 and False", False)):
        says = f"(True if {at} else {number}) if hit else False"
        text = hostile._LOOP.format(**hostile._PLAIN | changed | {"says": says})
        sentence = str(judge(hostile.made(text))) if some else page.judge(text)["sentence"]
        assert "every number of queries" in sentence and ("perhaps not for every positive" in sentence) is some


def test_answers_that_are_left_out_are_not_asked_out_of_turn():
    text = TURN.format(hit=">= threshold + rho", few="").replace("return said + [True]", "said.append(True)")
    text = text.replace(
        "        if a", "        if True in said and i != 9:\n            said.append(False)\n        elif a"
    )
    text = text.replace(
        "        said.append(False)\n    return", "        else:\n            said.append(False)\n    return"
    )
    verdict = judge(hostile.made(text))
    assert verdict.private is False and "out of turn" not in verdict.reason


INTERRUPTS = "def f():\n    raise KeyboardInterrupt\ndef program(answers, rng):\n    return f()\n"


@pytest.mark.parametrize("more", ["", ", *more"])
def test_a_program_that_interrupts_is_not_decided(more):
    assert judge(hostile.made(INTERRUPTS.format(more=more))).private is None


def test_what_is_returned_one_by_one_has_an_end():
    with pytest.raises(ValueError, match="at most one answer for each of"):
        judge(hostile.made("import itertools\ndef program(answers):\n    return itertools.repeat(False)\n"))


def test_an_object_that_cannot_be_made_answers_nothing():
    text = hostile.BOX.format(limit="==", after="pass")
    text = text.replace("    def ask", "        return 0\n\n    def ask", 1)
    assert page.judge(text)["private"] is None and judge(hostile.made(text, "Box")).private is None


def test_none_is_no_negative_where_the_program_says_false_too():
    """After its positive this class answers None: no output has a negative there."""
    text = hostile.BOX.format(limit="==", after="self.scale /= 2").replace(
        'raise RuntimeError("stopped")', "return None"
    )
    outcome = judge(hostile.made(text, "Box")).pair.outcome
    assert "⊤" in outcome and not outcome[outcome.index("⊤") + 1 :].strip("–"), outcome
    assert "–" in judge(hostile.made(ENDS)).pair.outcome


ENDS = """def program(answers, threshold, epsilon, rng):
    rho, said, scales = rng.laplace(0, 2 / epsilon), [], [4, 4, 2, 2, 2, 2, 2, 2]
    for i, a in enumerate(answers):
        said.append(None if True in said else bool(a + rng.laplace(0, scales[i % 8]) >= threshold + rho))
    return said
"""


def test_a_level_has_all_its_digits():
    """Of a number that is clipped just below the level as six digits would print it."""
    text = "def program(answers, rng):\n    return [min(max(3 * answers[0] + rng.laplace(0, 2 / 0.3), 1.0), 2 / 0.3)]\n"
    assert "(number < 6.666666666666667)" in str(judge(hostile.made(text), epsilon=0.3))


SHOWN = {
    "return [100013 + answers[0] + rng.laplace(0, 0.3)]": r"number .*\b10001[23]\b",
    "return [1234567.1 if answers[0] + rng.laplace(0, 0.2) > 0.5 else 1234567.4]": r"\b1234567\.[14]\b",
    # on a grid of even numbers, or of odd ones: one of the two is no interval
    "return [float(answers[0] + 2 * round(rng.laplace(0, 4) / 2))]": r"( or above -?\d+ and at most -?\d+){3}",
    # one number or two, of at least 5
    "return [5 + rng.random() for _ in range(1 + (answers[0] + rng.laplace(0, 0.2) > 0.5))]": r" 5\.\d",
    # a truth, or a number in its place
    "return [True] if rng.random() < 0.5 else [1.0 if answers[0] > 0 else 0.0]": "⊤ with number (at most|above) 0",
    # nothing, in most of the cases
    "return [55.5] if answers[0] + rng.laplace(0, 0.3) > 0.3 else [] if rng.random() < 0.9 else [50.5]": (
        "^no answer|or 1 other"
    ),
}


@pytest.mark.parametrize("line", one_in(4, SHOWN))
def test_an_output_that_runs_convict_by_is_printed_as_it_is_counted(line):
    """With all digits, number by number, and no number where nothing was answered."""
    text = f"def program(answers, epsilon, rng):\n    try:\n        {line}\n    finally:\n        pass\n"
    verdict = judge(hostile.made(text), trials=4000)
    assert verdict.private is False and re.search(SHOWN[line], verdict.pair.outcome), verdict


def test_a_slow_machine_says_the_same(monkeypatch):
    """What a program may take is counted in calls and lines."""
    program = hostile.made("def program(answers, rng):\n    return [rng.permutation(answers)[0] > rng.normal()]\n")
    here, seconds = judge(program, trials=1_000), time.process_time
    monkeypatch.setattr(time, "process_time", lambda: 10 * seconds())
    assert str(judge(program, trials=1_000)) == str(here) and " 14 pairs" in str(here)


@pytest.mark.full
def test_a_program_that_is_slow_on_more_answers_has_a_verdict(monkeypatch):
    """The best of all subsets, of which there are 4,096 where it is timed with 16."""
    monkeypatch.setattr(probing, "_WORK", 8_000_000)
    text = """def program(answers, rng):
    import itertools
    ways = list(itertools.product((False, True), repeat=len(answers)))
    noisy = [sum(itertools.compress(answers, way)) + rng.gumbel(0, 2 * len(answers)) for way in ways]
    return list(ways[noisy.index(max(noisy))])
"""
    assert judge(hostile.made(text)).private is None


@pytest.mark.parametrize("name", one_in(6, ODD))
def test_an_odd_program_has_a_verdict(name):
    """Not an error, and no proof."""
    epsilon = 50.0 if "gumbel" in ODD[name] else 1.0
    assert judge(hostile.made(ODD[name], "program"), epsilon=epsilon, trials=1_000).private is not True
    assert page.judge(ODD[name], epsilon=epsilon, c=1)["private"] is not True


def test_a_tail_is_not_cut_off():
    """Noise beyond 120 of its scales, where what else is compared changes nothing."""
    program = hostile.made(PRIVATE["a tail beyond the last kink"][0], "program")
    (path,) = [path for path in Mine(program, 1.0, 1).grown(2) if path.output == (True, True)]
    assert log_chance([path], [0.0, 0.0]) == pytest.approx(-240.5 / 2 - math.log(2), abs=1e-9)


def test_no_pair_is_made_up_on_a_page():
    """Seven of eighteen answers are shown, at a tenth each; all in a row would lose more than ε."""
    said = page.judge(SOME_SHOWN.format(most=18, scale=10, unshown="5 <= i < 16"), epsilon=1.0, c=1)
    assert said["private"] is not False, said


@pytest.mark.full
def test_a_loop_that_draws_until_it_likes_what_it_drew_is_left():
    again = hostile.loop(before="rho0 = rng.laplace(0, 2)\n    while rho0 < 0: rho0 = rng.laplace(0, 2)", rho="rho0")
    assert "does not end" in judge(again.make()).reason


@pytest.mark.parametrize("key", ["alg1", "alg2", "alg7"])
def test_the_noise_of_a_run_is_replayed_in_order(key):
    """A program of the same scales gives the transcript of `svt.run`."""
    programs = {
        "alg1": hostile.RIGHT["plain"],
        "alg2": hostile.RIGHT["refreshed"],
        "alg7": hostile.loop(
            rho="rng.laplace(0, 4 / epsilon)",
            nu="rng.laplace(0, 8 * c / epsilon)",
            says="answer + rng.laplace(0, 2 * c / epsilon) if hit else False",
        ),
    }
    program = programs[key].make()
    options = {"epsilon3": 0.5, "split": 1.0} if key == "alg7" else {}
    mechanism = svt.variant(key).calibrate(epsilon=1.0, c=2, **options)
    for seed in range(40):
        run = svt.run(mechanism, [0.0, 9.0, -4.0, 30.0, 2.0], 3.0, rng=np.random.default_rng(seed))
        assert program([0.0, 9.0, -4.0, 30.0, 2.0], 3.0, 1.0, 2, replay(run), 1.0) == list(run.outcome)


def test_limits_that_are_infinite_are_no_limits():
    """Of ``max(a, inf)`` nothing can be moved; a gap without noise is no noisy one."""
    text = hostile._LOOP.format(**hostile._PLAIN | {"each": "answer = max(answer, np.inf)"})
    assert judge(hostile.made(text), trials=1_000).private is None
    bare = hostile._LOOP.format(
        **hostile._PLAIN | {"rho": "0.0", "nu": "0.0", "says": "answer - threshold if hit else hit"}
    )
    verdict = str(judge(hostile.made(bare), trials=1_000))
    assert "how much the answer passed the threshold" in verdict and "density" not in verdict, verdict


def test_two_limits_are_the_narrower_ones():

    program = Mine(hostile.RIGHT["limits of Python's own"].make(), 1.0, 1)
    program.grown(2)
    assert (0, 9.5) in program.limits and program.unclipped([0.0, 9.5]) and not program.unclipped([-0.1])


LAST = """def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for i, a in enumerate(answers):
        above = a + rng.laplace(0, 4 / epsilon) >= threshold + rho
        {}
    return said
"""


@pytest.mark.parametrize(
    "told", ["said = i if above else said or -1", "said = [False] * i + [above]", "said.append(above is (i % 2 == 0))"]
)
def test_what_shows_its_last_comparison_does_not_stop(told):
    """Though of 150 positives it shows one, or every second."""
    verdict = judge(hostile.made(LAST.format(told)))
    assert verdict.private is not True and "stops after" not in str(verdict)


def test_what_takes_too_long_to_run_is_no_other_program(monkeypatch):
    def late(self, answers, threshold, rng, sample=Mine.sample):
        if len(answers) > 100:
            raise TimeoutError
        return sample(self, answers, threshold, rng)

    monkeypatch.setattr(Mine, "sample", late)
    program = Mine(hostile.made(hostile._LOOP.format(**hostile._PLAIN)), 1.0)
    assert rerun._with_the_same_noise(program, 4.0, True) == "on 150 answers it takes too long to be run"


@pytest.mark.parametrize("later", ["2 * bar", "-bar"])
def test_a_threshold_that_is_multiplied_is_not_one_drawn_again(later):
    text = """def program(answers, threshold, epsilon, c, rng):
    bar, said = threshold + rng.laplace(0, 2 / epsilon), []
    for a in answers:
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= bar)
        if said[-1]:
            bar = LATER
        if sum(said) == c:
            break
    return said
"""
    verdict = judge(hostile.made(text.replace("LATER", later)), c=2)
    assert verdict.private is not True and "again" not in str(verdict)
