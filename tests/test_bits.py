"""Integer noise drawn from bits: its law, and that nothing is rounded on its way."""

import itertools
import math
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from parts import one_in, p_value

import svtlib as svt

GEOMETRIC = svt.variant("geometric").calibrate(epsilon=1.0, c=3)


class Scripted(svt.Bits):
    """Bits whose yes-or-no decisions are given, with the probability that they come out so."""

    def __init__(self, decisions):
        super().__init__(seed=0)
        self.decisions, self.probability = iter(decisions), Fraction(1)

    def bernoulli(self, p):
        assert 0 <= p <= 1
        said = next(self.decisions)
        self.probability *= p if said else 1 - p
        return said


@pytest.mark.parametrize(
    ("x", "rest"), one_in(3, [(Fraction(12, 5), 1e-4), (Fraction(0), 0), (Fraction(1, 3), 1e-12), (Fraction(1), 1e-9)])
)
def test_every_path_to_a_decision_adds_up_to_the_exponential(x, rest):
    """The paths of at most 14 coins bracket exp(-x): what is left over is next to nothing."""
    heads = tails = Fraction(0)
    for n in range(1, 15):
        for decisions in itertools.product((False, True), repeat=n):
            bits = Scripted(decisions)
            try:
                said = bits.bernoulli_exp(x)
            except StopIteration:
                continue
            if next(bits.decisions, None) is not None:
                continue
            heads, tails = heads + bits.probability * said, tails + bits.probability * (not said)
    assert heads <= math.exp(-x) * (1 + 1e-12) and tails <= 1 - math.exp(-x) + 1e-12
    assert 0 <= 1 - heads - tails <= rest


@pytest.mark.parametrize(
    ("scale", "sides"), one_in(2, [(Fraction(5, 2), 2), (Fraction(1, 3), 2), (Fraction(7, 3), 1), (Fraction(0.7), 2)])
)
def test_draws_have_the_law_of_the_noise(scale, sides):
    """A chi-square test over all values expected five times or more, at level 1e-4; a scale a tenth wider fails it."""
    bits, values = svt.Bits(seed=17), np.arange(-400, 401)
    drawn = Counter(bits.geometric(scale, sides) for _ in range(20_000))
    laws = (svt.Geometric(wide * float(scale), sides=sides) for wide in (1.0, 1.1))
    right, wrong = (p_value(drawn, dict(zip(values.tolist(), np.exp(law.logpdf(values)), strict=True))) for law in laws)
    assert right > 1e-4 > wrong


def test_no_float_enters_between_the_bits_and_the_decision():
    """Every local variable of the sampler and of the loop, at every line, arrays by what is in them: no float."""
    seen = set()

    def watch(frame, event, _):
        name = frame.f_code.co_filename
        if name.endswith("bits.py") or (name.endswith("mechanism.py") and frame.f_code.co_name in ("ask", "_walk")):
            if event == "line":
                for variable, value in frame.f_locals.items():
                    values = value.tolist() if isinstance(value, np.ndarray) else [value]
                    seen.update((frame.f_code.co_name, variable, type(one).__name__) for one in values)
            return watch
        return None

    before = sys.gettrace()
    session = svt.Session(replace(GEOMETRIC, correction=0.25), rng=svt.Bits(seed=5))
    sys.settrace(watch)
    try:
        for answer in (0, 10**30, -3, np.int64(7)):
            session.ask(answer, threshold=Fraction(1, 3))
    finally:
        sys.settrace(before)
    names = {(where, variable) for where, variable, _ in seen}
    assert {("_walk", "noisy"), ("_walk", "bar"), ("geometric", "size"), ("bernoulli_exp", "x")} <= names
    assert not [entry for entry in seen if entry[2] in {"float", "float64"}]


def test_an_answer_that_a_float_cannot_hold_is_compared_exactly():
    """10^30 + 1 against a threshold of 10^30 + 1/2: the noise of this tape of bits is the same on either side."""
    for seed in range(20):
        large, small = (
            svt.Session(GEOMETRIC, rng=svt.Bits(seed=seed)).ask(base + 1, base + Fraction(1, 2)) for base in (10**30, 0)
        )
        assert large == small


def test_the_outcome_has_the_exact_probability():
    """4,000 runs of three queries: each outcome as often as the engine says, |z| < 4.5."""
    m = svt.variant("geometric").calibrate(epsilon=2.0, c=1)
    answers, bits, n = [0, 1, 3], svt.Bits(seed=21), 4000
    runs = [str(svt.run(m, answers, 2, rng=bits)) for _ in range(n)]
    for outcome in ("⊤", "⊥⊤", "⊥⊥⊤", "⊥⊥⊥"):
        p = math.exp(svt.log_probability(m, answers, outcome, 2))
        assert abs(runs.count(outcome) - n * p) < 4.5 * math.sqrt(n * p * (1 - p))


def test_bits_of_the_system_differ():
    """Two sources without a seed do not repeat each other."""
    assert svt.Bits().below(2**128) != svt.Bits().below(2**128)
