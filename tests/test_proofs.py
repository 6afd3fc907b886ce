"""The machine-checked proofs are about what svtlib runs, and their checker refuses what is not proved; without Coq."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
from dataclasses import replace

import check_proofs as checker
import numpy as np
import proof_programs as programs
import pytest
from parts import ROOT

import svtlib as svt

STATEMENT = (ROOT / "proofs" / "Statement.v").read_text(encoding="utf-8")
FLAT = " ".join(STATEMENT.split())


@pytest.mark.parametrize("scale", [0.5, 2.0, 7.5])
def test_the_formula_of_the_file_is_the_law_of_svtlib(scale):
    """Both sides, and one side."""
    two_sided = "(1 - decay scale) / (1 + decay scale) * decay scale ^+ `|k|%N"
    assert f"geometric_pmf (scale : R) (k : int) : R := {two_sided}." in FLAT
    assert "if 0 <= k then (1 - decay scale) * decay scale ^+ `|k|%N else 0." in FLAT
    assert "Definition decay (scale : R) : R := expR (- (1 / scale))." in FLAT
    for k in range(-30, 31):
        expected = math.exp(svt.Geometric(scale).logpdf(k))
        assert programs.geometric_pmf(scale, k) == pytest.approx(expected, rel=1e-12)
        with np.errstate(divide="ignore"):
            expected = math.exp(svt.Geometric(scale, sides=1).logpdf(k))
        assert programs.one_sided_pmf(scale, k) == pytest.approx(expected, rel=1e-12)


def tape(rng: random.Random, n: int) -> svt.NoiseTape:
    """Whole-number noise for n queries."""
    rho, nu, fresh = ([rng.randint(-4, 4) for _ in range(n + 1)] for _ in range(3))
    return svt.NoiseTape(rho, nu, fresh)


def asked(said: tuple, answers: list[int]) -> int:
    """Queries chosen in advance: the next one, by how many were answered."""
    return answers[len(said)]


@pytest.mark.parametrize("seed", range(40))
def test_alg1_loop_is_the_loop_of_svtlib(seed):
    """On the same noise the recursion of the file and `svt.run` give the same transcript."""
    rng = random.Random(seed)
    n, c = rng.randint(1, 12), rng.randint(1, 4)
    answers, thresholds = ([rng.randint(-3, 3) for _ in range(n)] for _ in range(2))
    noise = tape(rng, n)
    mechanism = svt.variant("geometric").calibrate(epsilon=1.0, c=c)
    nu, rho = map(int, noise.nu), map(int, noise.rho)
    said = programs.alg1_with(asked, lambda said: thresholds[len(said)], nu, rho, n, c, answers)
    assert said == svt.run(mechanism, answers, thresholds, tape=noise).outcome


@pytest.mark.parametrize(
    ("key", "negative", "shown"),
    [
        ("sparse", False, lambda answer, noisy, bar: True),
        ("alg2", False, lambda answer, noisy, bar: True),
        ("gap", None, lambda answer, noisy, bar: noisy - bar),
        ("alg3", None, lambda answer, noisy, bar: noisy),
        ("alg7", None, None),
    ],
)
def test_svt_loop_is_the_loop_of_svtlib(key, negative, shown):
    """The same for refreshed thresholds, gaps and released numbers; a negative is None where positives are numbers."""
    rng = random.Random(len(key))
    for _ in range(20):
        n, c = rng.randint(1, 12), rng.randint(1, 4)
        answers, noise = [rng.randint(-3, 3) for _ in range(n)], tape(rng, n)
        mechanism = svt.variant(key).calibrate(epsilon=1.0, c=c, epsilon3=0.2 if key == "alg7" else 0.0)
        rho, fresh = map(int, noise.rho), map(int, noise.release)
        positive = shown or (lambda answer, noisy, bar, fresh=fresh: answer + next(fresh))
        again = rho if mechanism.refresh else None
        v = programs.Variant(rho, again, map(int, noise.nu), negative, positive)
        said = programs.svt(v, asked, lambda said: 0, n, c, answers)
        outcome = svt.run(mechanism, answers, 0, tape=noise).outcome
        assert said == tuple(negative if answer is False else answer for answer in outcome)


def test_exact_bits_run_the_program_of_the_file():
    """`svt.run` with `Bits`, the mechanism one would run: the recursion says the same on the noise that was drawn."""
    mechanism = svt.variant("geometric").calibrate(epsilon=1.0, c=2)
    for seed in range(20):
        run = svt.run(mechanism, [0, 3, -2, 5, 1], 1, rng=svt.Bits(seed=seed))
        noise = (map(int, run.tape.nu), map(int, run.tape.rho))
        assert programs.alg1_with(asked, lambda said: 1, *noise, 5, 2, [0, 3, -2, 5, 1]) == run.outcome


def coq_scale(text: str) -> str:
    """A scale of the file as the catalogue writes it."""
    text = re.sub(r"%:R|\s|\*", "", text).replace("Delta", "Δ")
    return re.sub(r"eps(\d)", lambda m: "ε" + "₁₂₃"[int(m[1]) - 1], text)


def scales_of(name: str) -> list[str]:
    """The scales in a definition of the file, in order."""
    body = re.search(rf"Definition {name}\b.*?\.\n", STATEMENT, re.DOTALL)
    assert body is not None, name
    return [coq_scale(found) for found in re.findall(r"\(([^()]*/ eps\d)\)", body[0])]


@pytest.mark.parametrize("key", ["sparse", "alg2", "alg3"])
def test_a_variant_of_the_loop_has_the_scales_of_the_catalogue(key):
    """Threshold, refreshed threshold (where there is one), queries."""
    v = svt.variant(key)
    refreshed = [v.refresh_scale or v.threshold_scale] if v.refresh else []
    assert scales_of(key) == [str(scale) for scale in (v.threshold_scale, *refreshed, v.query_scale)]


@pytest.mark.parametrize("key", ["alg1", "above_threshold", "alg6", "alg5", "alg4"])
def test_a_printed_program_has_the_scales_of_the_catalogue(key):
    """Queries, then the threshold; Alg. 5 has no query noise."""
    v = svt.variant(key)
    assert scales_of(key) == [str(scale) for scale in (v.query_scale, v.threshold_scale) if scale is not None]


def test_the_values_with_a_factor_have_the_scales_of_the_catalogue():
    """`gap` and `alg7` have f for 2, or 1 with monotonic queries; `alg7` the fresh noise of its numbers."""
    assert scales_of("gap") == ["Δ/ε₁", "fcΔ/ε₂"]
    alg7 = svt.variant("alg7")
    assert scales_of("alg7") == [str(alg7.threshold_scale), "fcΔ/ε₂", str(alg7.release_scale)]
    assert str(alg7.query_scale) == str(svt.variant("gap").query_scale) == "2cΔ/ε₂"
    assert alg7.query_scale.halved_if_monotonic


@pytest.mark.parametrize("monotonic", [False, True])
def test_the_catalogues_geometric_has_the_scales_of_the_theorem(monotonic):
    """`alg1` and `alg1_monotonic`, at any split."""
    name = "alg1_monotonic" if monotonic else "alg1"
    query, threshold = scales_of(name)
    for c, sensitivity, split in ((1, 1, 1.0), (3, 2, 4.0), (5, 1, 0.5)):
        m = svt.variant("geometric").calibrate(
            epsilon=1.5, c=c, sensitivity=sensitivity, monotonic=monotonic, split=split
        )
        assert threshold == "Δ/ε₁"
        assert m.threshold_noise == svt.Geometric(sensitivity / m.epsilon1)
        factor = {"2cΔ/ε₂": 2, "cΔ/ε₂": 1}[query]
        assert m.query_noise.scale == pytest.approx(factor * c * sensitivity / m.epsilon2, rel=1e-15)
        assert m.epsilon1 + m.epsilon2 == pytest.approx(1.5)


def test_continuous_noise_has_the_program_and_the_scales_of_the_printed_one():
    """`real_loop` branches as `alg1_loop` does, its noise has the scales of `alg1`, and Laplace densities shift."""
    branch = "if q said D + nu >= T said + rho then {0} rho steps' left' (rcons said true) D{1} "
    branch += "else {0} rho steps' left (rcons said false) D{1}"
    assert branch.format("alg1_loop", "") in FLAT and branch.format("real_loop", " o") in FLAT
    threshold, query = re.findall(r"shifts (?:threshold|query)_noise \(([^()]*)\)", FLAT)
    assert [coq_scale(query), coq_scale(threshold)] == scales_of("alg1")
    law, z = svt.Laplace(1.5), np.linspace(-9, 9, 181)
    for s in (-2.0, -0.3, 0.7, 4.0):
        assert np.all(law.logpdf(z) <= abs(s) / 1.5 + law.logpdf(z + s) + 1e-12)


# --- the checker ------------------------------------------------------------------------------------------------------


def test_every_sentence_has_one_theorem_and_nothing_is_admitted():
    proved = [theorem.sentence for theorem in checker.theorems()]
    assert sorted(proved) == sorted(checker.sentences())
    assert len(set(proved)) == len(proved) >= 12
    assert checker.suspicious() == []
    assert sorted(file.stem for file in (ROOT / "proofs").glob("*.v")) == sorted(checker.FILES)


def test_the_pages_name_theorems_that_exist():
    names = {theorem.name for theorem in checker.theorems()} | set(checker.sentences())
    page = (ROOT / "book" / "certificates.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+_(?:private|refuted|mass|a_law))`", page))
    assert named - set(checker.sentences()) == {theorem.name for theorem in checker.theorems()}
    (chapter,) = (ROOT / "chapters").glob("04_*.ipynb")
    named = set(re.findall(r"`((?:alg|gap|svt)\w*_(?:private|refuted|mass))`", chapter.read_text(encoding="utf-8")))
    assert named and named <= names


def test_the_table_of_the_page_has_the_file_and_the_lines_of_each_proof():
    page = (ROOT / "book" / "certificates.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \|.*\| `(\w+)\.v`, (\d+) \|$", page, re.MULTILINE)
    assert sorted(table) == sorted((t.name, t.file, str(t.lines)) for t in checker.theorems())


def test_the_box_of_chapter_4_has_the_sentence_of_the_file():
    """`Alg1_is_private`, word for word."""
    (chapter,) = (ROOT / "chapters").glob("04_*.ipynb")
    cells = ["".join(cell["source"]) for cell in json.loads(chapter.read_text(encoding="utf-8"))["cells"]]
    (box,) = [cell for cell in cells if ":label: rem-machine-checked" in cell]
    (statement,) = re.findall(r"```coq\n(.*?)```", box, re.DOTALL)
    assert f"Definition Alg1_is_private : Prop := {' '.join(statement.split())}" in FLAT
    assert "`arrow`" in box and "Lemma arrow " in (ROOT / "proofs" / "Alignment.v").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", ["Admitted.", "admit.", "Axiom trust : False."])
def test_what_is_left_out_is_found(tmp_path, word):
    for file in checker.FILES:
        shutil.copy(ROOT / "proofs" / f"{file}.v", tmp_path)
    with (tmp_path / "Alg1.v").open("a", encoding="utf-8") as file:
        file.write(f"(* {word} *)\n")
    assert checker.suspicious(tmp_path) == []
    with (tmp_path / "Alg1.v").open("a", encoding="utf-8") as file:
        file.write(f"{word}\n")
    (found,) = checker.suspicious(tmp_path)
    assert found.startswith("Alg1.v:")


def test_an_admitted_lemma_of_the_library_is_refused():
    """The answer of Coq to a theorem that rests on one, and to one that does not."""
    classical = (
        "Axioms:\nboolp.propositional_extensionality : forall P Q : Prop, P <-> Q -> P = Q\n"
        "boolp.functional_extensionality_dep\n  : forall (A : Type) (B : A -> Type) (f g : forall x : A, B x),\n"
        "    (forall x : A, f x = g x) -> f = g\n"
    )
    assert checker.beyond_classical(checker.assumptions(classical)) == []
    assert len(checker.assumptions(classical)) == 2
    admitted = classical + "interchange_psum\n  : forall (R : realType) (T U : choiceType) (S : T -> U -> R), True\n"
    assert checker.beyond_classical(checker.assumptions(admitted)) == ["interchange_psum"]
    assert checker.assumptions("Closed under the global context\n") == []
    with pytest.raises(ValueError, match="Print Assumptions"):
        checker.assumptions("Error: not found")


def test_without_coq_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(checker.shutil, "which", lambda name: None)
    assert checker.main([]) == 1
    told = capsys.readouterr().out
    assert f"apt-get install {checker.PACKAGES}" in told
    assert checker.PACKAGES in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("version", "told"), [("8.18.0 4.14.1", "this is Coq 8.18.0"), ("8.16.1 4.13.1", "distr.vo is not there")]
)
def test_with_another_coq_or_without_its_library_it_says_so(version, told, tmp_path, monkeypatch, capsys):
    coqc = tmp_path / "coqc"
    coqc.write_text(f'#!/bin/sh\n[ "$1" = -where ] && echo {tmp_path} || echo {version}\n', encoding="utf-8")
    coqc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert checker.main([]) == 1
    assert told in capsys.readouterr().out


def loses(
    threshold: float, query: float, here: list[int], there: list[int], said: list, c: int = 1, **more: object
) -> float:
    """The loss of one transcript, thresholds 0, with geometric noise of these scales."""
    mechanism = svt.variant("geometric").calibrate(epsilon=1.0, c=c)
    noise = svt.Geometric(threshold) if threshold else svt.NoNoise()
    mechanism = replace(mechanism, threshold_noise=noise, query_noise=svt.Geometric(query), **more)
    return svt.privacy_loss(mechanism, here, there, said)


def edges(threshold: float, query: float, c: int = 1, rise: int = 1, fall: int = 1, left: int = 0) -> float:
    """The loss of 40 negatives that rise from 20 and c positives that fall from 0."""
    here, there = [20] * 40 + [0] * c, [20 + rise] * 40 + [-fall] * c
    moves = float(max(rise, fall))
    return loses(threshold, query, here, there, [False] * 40 + [True] * c, left or c, sensitivity=moves)


# Of each damage that makes a sentence false, at eps1 = eps2 = 1/2 (of the last one 1 and 1/10) and Delta = 1: what it
# claims, and what a pair loses.
FALSE = {
    "half the query noise": (1.0, lambda: edges(2, 2)),
    "answers change by Delta + 1": (1.0, lambda: edges(2, 4, rise=2, fall=2)),
    "positives are not counted": (1.0, lambda: edges(2, 4, c=3, left=99)),
    "one positive more than is paid for": (1.0, lambda: edges(2, 4, c=2)),
    "no threshold noise": (1.0, lambda: loses(0, 4, [0] * 12, [1] * 12, [False] * 12)),
    "eps2 claimed by half": (0.75, lambda: edges(2, 4)),
    "monotonic noise for any queries": (1.0, lambda: edges(2, 2)),
    "the noisy answer in place of the gap": (
        1.0,
        lambda: loses(2, 4, [0] * 9, [1] * 8 + [0], [False] * 8 + [0.0], release="compared"),
    ),
    "released numbers pay for one only": (
        1.5,
        lambda: loses(
            *(2, 8, [60] * 40 + [0, 0], [61] * 40 + [-1, -1], [False] * 40 + [3.0, 3.0], 2),
            release="fresh",
            release_noise=svt.Geometric(2),
        ),
    ),
    "thresholds drawn again unpaid": (
        1.0,
        lambda: loses(
            *(2, 8, ([12] * 12 + [0]) * 2, ([13] * 12 + [-1]) * 2, ([False] * 12 + [True]) * 2, 2),
            refresh=True,
            refresh_noise=svt.Geometric(2),
        ),
    ),
    "Alg. 2 at any split": (1.1, lambda: edges(1, 2)),
}


def test_each_damage_hits_one_line_and_is_false_or_has_no_pair():
    """What Coq then says, `make proofs MUTATE=1` shows: of what is false there is no proof."""
    damages = checker.mutations()
    assert len(damages) >= 10 and {damage.name for damage in damages if damage.false} == set(FALSE)
    names = [theorem.name for theorem in checker.theorems()] + ["geometric_law"]
    for damage in damages:
        assert STATEMENT.count(damage.old) == 1 and damage.old != damage.new, damage.name
        assert damage.theorem in names


@pytest.mark.parametrize("damage", FALSE)
def test_a_pair_loses_more_than_a_damaged_sentence_claims(damage):
    claimed, lost = FALSE[damage]
    assert lost() > claimed + 0.01


def test_undamaged_the_same_pairs_lose_no_more_than_is_claimed():
    """The pairs of the damaged versions, on the printed programs: they come close to epsilon, and no more."""
    assert 0.99 < edges(2, 4) <= 1 + 1e-9
    assert 0.99 < edges(2, 8, c=2) <= 1 + 1e-9
    assert 0.99 < loses(2, 4, [0] * 9, [1] * 8 + [-1], [False] * 8 + [0.0], release="gap") <= 1 + 1e-9
