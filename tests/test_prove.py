"""svt.prove: the formulas of the catalogue, every damage, and that the solver refuses what does not hold."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from parts import one_in
from random_mechanisms import random_mechanism

import svtlib as svt
from svtlib.proofs import linear as module
from svtlib.proofs.prove import LinearAlignment, _check_integers
from svtlib.scales import Budget

FORMULAS = {  # in general, on monotonic queries, in parts of the budget; in epsilons at the source's own split
    "alg1": ("ε₁ + ε₂", "ε₁ + ε₂/2", "ε"),
    "alg2": ("(1 + 1/c)ε₁ + (1 - 1/c)ε₂", "max((1 + 2/c)ε₁/2 + (1 - 1/c)ε₂, ε₁/2)", "ε"),
    "alg3": ("∞", "∞", "∞"),
    "alg4": ("ε₁ + 2cε₂", "ε₁ + cε₂", "(1 + 6c)ε/4"),
    "alg5": ("∞", "∞", "∞"),
    "alg6": ("∞", "∞", "∞"),
    "alg7": ("ε₁ + ε₂", "ε₁ + ε₂", "ε"),
    "gptt": ("∞", "∞", "∞"),
    "above_threshold": ("ε₁ + ε₂", "ε₁ + ε₂/2", "ε"),
    "sparse": ("ε₁ + ε₂", "ε₁ + ε₂/2", "ε"),
    "lecture2012": ("∞", "∞", "∞"),
    "abs_value": ("ε₁ + ε₂", "ε₁ + ε₂", "ε"),
    "gap": ("ε₁ + ε₂", "ε₁ + ε₂/2", "ε"),
    "svt_exp": ("ε₁ + ε₂", "ε₁ + ε₂", "ε"),
    "svt_gumbel": ("ε₁ + ε₂", "ε₁ + ε₂", "ε"),
    "exp_exp": ("ε₁ + ε₂", "ε₁ + ε₂", "ε"),
    "geometric": ("ε₁ + ε₂", "ε₁ + ε₂", "ε"),
}


def test_every_variant_of_the_chapters_has_its_formula_here():
    """Of an "other" one the certificate has it."""
    assert set(FORMULAS) == set(svt.variants()) - set(svt.variants("other"))


@pytest.mark.parametrize("key", FORMULAS)
def test_the_formulas(key):
    """What the sources' listings cost, symbolically in c and the parts of the budget."""
    v = svt.variant(key)
    general, monotonic, own = FORMULAS[key]
    proof = svt.prove(v)
    assert str(proof.epsilon) == general
    assert str(svt.prove(v, monotonic=True).epsilon) == monotonic
    assert proof.epsilon.in_epsilons(v.split(1, False)) == own


FAILS_AT = {"alg3": "release", "alg4": "positives", "alg5": "positives", "alg6": "cut-off", "gptt": "cut-off"}
FAILS_AT["lecture2012"] = "release"


@pytest.mark.parametrize("key", svt.variants())
def test_a_proof_fails_where_the_sources_do(key):
    """The step that no alignment pays for, or none; of a version in no chapter only that there is one."""
    v = svt.variant(key)
    proof = svt.prove(v)
    assert proof.holds == (v.flaw is None)
    assert v.part == "other" or proof.failing_step == FAILS_AT.get(key)
    if proof.steps[-1].pays == "∞":
        steps = [(line.step, line.holds) for line in proof.steps]
        assert steps[-1] == (proof.failing_step, False) and all(holds for _, holds in steps[:-1])


def test_what_is_made_for_one_positive_is_refuted_there():
    """The counterexample of a variant that has no c is one with c = 1."""
    v = svt.variant("above_threshold")
    less = replace(v, query_scale=replace(v.query_scale, factor=Fraction(9, 5)))
    proof = svt.prove(less)
    assert not proof.holds and proof.failing_step == "positives" and "(c = 1, ε = 2)" in str(proof)


@pytest.mark.parametrize(
    ("key", "monotonic", "c"), one_in(5, itertools.product(svt.variants(), (False, True), (1, 2, 5)))
)
def test_a_mechanism_costs_what_the_formula_says(key, monotonic, c):
    """Numbers from the scales of a calibrated mechanism, and the formula at its budget, are the same."""
    v = svt.variant(key)
    m = v.calibrate(epsilon=0.7, c=c if v.free_c else 1, monotonic=monotonic)
    budget = Budget(0.7, m.c, 1.0, monotonic, v.split(m.c, monotonic))
    assert svt.prove(m).epsilon == pytest.approx(float(svt.prove(v, monotonic=monotonic).epsilon.at(budget)), rel=1e-12)


def closed_form(m: svt.Mechanism) -> float:
    """The cost of the cheapest alignment by hand: rho up by a, positives by a - d, outwards inside the bars."""

    def pays(noise, shift):
        if shift == 0:
            return 0.0
        if not noise.moves or math.copysign(1, shift) not in noise.moves:
            return math.inf
        return abs(shift) * m.sensitivity / noise.scale

    crossings = {"at c": m.c, "after c": m.c + 1, None: math.inf}[m.cutoff]
    positives = math.inf if m.cutoff is None else m.c
    worst = 0.0
    for ends in [(0, 1), (-1, 0)] if m.monotonic else [(-1, 1)]:
        a = 1 if m.compare == "absolute" else ends[1]
        if m.release == "compared" and a > 0:
            return math.inf
        epochs = crossings if m.refresh else 1
        rho = pays(m.threshold_noise, a) + (0 if epochs == 1 else (epochs - 1) * pays(m.redraw_noise, a) if a else 0)
        plain, released = [], []
        for d in ends:
            shifts = [a - d, -a - d] if m.compare == "absolute" else [-d if m.release == "compared" else a - d]
            for shift in shifts:
                number = pays(m.release_noise, -d) if m.release == "fresh" else 0
                plain.append(pays(m.query_noise, shift))
                released.append(plain[-1] + number)
        if max(released) == 0:
            worst = max(worst, rho)
        elif crossings == math.inf:
            return math.inf
        else:
            aborting = max(plain) if crossings > positives else 0.0
            worst = max(worst, rho + positives * max(released) + aborting)
    return worst


@pytest.mark.parametrize("seed", one_in(5, range(5)))
def test_three_hundred_random_mechanisms(seed):
    """The linear program finds what a case distinction by hand finds, for all switches and families."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        m = random_mechanism(rng)
        assert svt.prove(m).epsilon == pytest.approx(closed_form(m), rel=1e-12), m


FEATURES = module.of_mechanism(svt.variant("alg1").calibrate(epsilon=1.0))
ABSOLUTE = module.of_mechanism(svt.variant("abs_value").calibrate(epsilon=1.0))


@pytest.mark.parametrize(
    ("features", "multiples", "step"),
    [
        (FEATURES, ("1/2", 1, -1), "negatives"),  # raised by half of Delta: a negative can turn positive
        (FEATURES, (1, "1/2", -1), "positives"),  # the factor 2 missing
        (FEATURES, (1, 1, 0), "positives"),
        (ABSOLUTE, ("9/10", 1, -1), "negatives"),
        (ABSOLUTE, (1, "9/10", -1), "positives"),
        (ABSOLUTE, (-1, -1, -1), "positives"),  # inwards: two noises move to one
    ],
)
def test_the_solver_refuses_a_wrong_alignment(features, multiples, step):
    """A case is shown, and it is one: the inequality of that step fails for its numbers."""
    wrong = LinearAlignment("any", *(Fraction(value) for value in multiples))
    case = module.counterexample(features, wrong, step)
    assert case is not None and case["Δ"] > 0 and abs(case["d"]) <= case["Δ"]
    if features is FEATURES and step == "positives":
        assert case["q+ν"] >= case["T+ρ"]
        moved = case["q+ν"] + case["d"] + wrong.positive * case["Δ"] + wrong.difference * case["d"]
        assert moved < case["T+ρ"] + wrong.threshold * case["Δ"]


def test_noise_on_the_integers_moves_by_integers():
    """Where the noise is whole, half a Delta is refused for the threshold, half a Delta or half a d for a query."""
    whole = module.of_mechanism(svt.variant("geometric").calibrate(epsilon=1.0))
    for multiples in ((Fraction(1, 2), 1, -1), (1, Fraction(1, 2), -1), (1, 1, Fraction(1, 2))):
        wrong = LinearAlignment("any", *map(Fraction, multiples))
        _check_integers(FEATURES, [wrong])
        with pytest.raises(RuntimeError, match="leaves the integers"):
            _check_integers(whole, [wrong])


def test_a_proof_can_be_read():
    """One line a step, in words, with what it pays; where it fails, that is not yet a breach of privacy."""
    shown = repr(svt.prove(svt.variant("alg1")))
    assert shown.splitlines()[1:4] == [
        "  ✓ threshold: ρ → ρ + Δ; pays ε₁",
        "  ✓ negatives: ν stays, and q + ν stays below; pays 0",
        "  ✓ positives: ν → ν + Δ - d, and q + ν stays above; pays ε₂",
    ]
    failed = svt.prove(svt.variant("alg4").calibrate(epsilon=1.0, c=2))
    assert "no linear alignment costs at most 1.0; the cheapest costs 3.25" in repr(failed)
    page = failed._repr_html_()
    assert page.count("<tr>") == len(failed.steps) + 1 and "Fails at the step “positives”" in page


@pytest.mark.parametrize(("c", "said"), [(1, "2 can cross, 1 are paid for"), (3, "4 can cross, 3 are paid for")])
def test_a_stop_that_comes_one_later_fails_at_the_cut_off(c, said):
    proof = svt.prove(replace(svt.variant("alg1").calibrate(epsilon=1.0, c=c), cutoff="after c"))
    assert proof.failing_step == "cut-off" and said in proof.reason
