"""The explorers: each file covers every choice, has the numbers of the engine, and says what JupyterLab says."""

from __future__ import annotations

import html
import importlib.util
import itertools
import math
import re
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from parts import ROOT, one_in

import svtlib as svt
from svtcourse import explorers
from svtcourse.chapter import experiments
from svtcourse.explorers import EXPLORERS, break_it, correct_the_threshold, frame, one_run, split_the_budget

BOOK = ROOT / "book"
PAGES = {name: BOOK / "explore" / f"{name.replace('-', '_')}.md" for name in EXPLORERS}
LARGEST_FILE = 210_000 + 20_000 * len(svt.variants("other"))
WIDGETS = pytest.mark.skipif(importlib.util.find_spec("ipywidgets") is None, reason="ipywidgets is of the book extra")


@pytest.fixture(scope="module")
def numbers():
    return {name: one.read()["numbers"] for name, one in EXPLORERS.items()}


def choices(one):
    """Every state of an explorer."""
    names = [control.name for control in one.controls]
    for values in itertools.product(*(control.options for control in one.controls)):
        yield dict(zip(names, values, strict=True))


# --- what all five share ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_file_is_light_and_says_what_the_module_says_now(name, numbers):
    """Controls, sentences and examples are made again from the numbers of the file: the same bytes."""
    one = EXPLORERS[name]
    assert one.file.stat().st_size <= LARGEST_FILE
    assert one.script(numbers[name]) == one.file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXPLORERS)
def test_every_choice_has_its_words(name, numbers):
    """No choice of the reader is without an answer (all of them, at most 800 drawn at random)."""
    one, rng = EXPLORERS[name], np.random.default_rng(17)
    every = list(choices(one))
    for k in rng.permutation(len(every))[:800]:
        view = one.words(every[k], one.find(numbers[name], every[k]))
        words = " ".join((view.sentence, *view.details))
        assert view.sentence.endswith(".") and len(view.details) >= 1
        assert not re.search(r"[{}]|nan|None|inf\b", words), words


@pytest.mark.parametrize("name", EXPLORERS)
def test_at_least_three_examples_that_say_different_things(name):
    """The browser is asked for these states, and must show these sentences."""
    examples = EXPLORERS[name].read()["examples"]
    assert len({sentence for _, sentence, *_ in examples}) == len(examples) >= 5


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_links_of_a_page_are_states(name):
    """What a page proposes can be chosen: every name is a control, every value one of its options."""
    one = EXPLORERS[name]
    options = {control["name"]: {value for value, _ in control["options"]} for control in one.read()["controls"]}
    links = re.findall(r'href="#([^"]+)"', PAGES[name].read_text(encoding="utf-8"))
    assert len(links) >= 3
    for link in links:
        chosen = parse_qsl(html.unescape(link), strict_parsing=True)
        assert all(value in options[control] for control, value in chosen), link


def said(one, state):
    """What a fresh widget shows, as HTML."""
    *controls, out = (part for part in one.widget(**state).children if hasattr(part, "value"))
    begin = one.start(**state)
    for control, part in zip(one.controls, controls, strict=True):
        assert part.value == begin[control.name] and part.disabled is not control.offered(begin)
    assert 'role="img"' in out.value
    return out.value


@WIDGETS
@pytest.mark.parametrize("name", EXPLORERS)
def test_the_widget_says_what_the_site_says(name, numbers):
    """The same sentence and details as those that the file holds for the browser; three states each."""
    one = EXPLORERS[name]
    asked = replace(one, compute=lambda state: one.find(numbers[name], state))
    for state, (_, sentence, _, details) in zip(one.examples[1:4], one.read()["examples"][1:4], strict=True):
        shown = said(asked, state)
        assert f"<strong>{html.escape(sentence)}</strong>" in shown
        assert all(f"<p>{html.escape(text)}</p>" in shown for text in details)


@WIDGETS
def test_a_control_of_the_widget_changes_the_sentence():
    """Choosing is enough, and so is moving a slider."""
    which, _, step, buttons, out = explorers.explore("one-run", step=20).children
    assert "Alg. 3 prints 8.5" in out.value
    which.value = "alg1"
    assert "Alg. 1 says ⊤" in out.value
    step.value = 1
    assert "Question 1 of 24: Alg. 1 says ⊥" in out.value
    back, further, end = buttons.children
    for pressed, says in ((further, "Question 2 of 24"), (end, "Question 20 of 24"), (back, "Question 19 of 24")):
        pressed.click()
        assert says in out.value
    assert "Given away: 0.469 of what is allowed" in out.value and "Paid in the proof: 0.5 of" in out.value


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("break-them", {}), "name must be one of"),
        (("break-it", {"variant": "alg8"}), "variant must be one of"),
        (("break-it", {"m": 3}), "control must be one of"),
        (("top-c", {"c": 26}), "c must be one of"),
    ],
)
def test_bad_calls(call, words):
    """The error names what is wrong before anything is drawn."""
    with pytest.raises(ValueError, match=words):
        explorers.explore(call[0], **call[1])


@pytest.mark.full
def test_writing_the_files(tmp_path, monkeypatch, capsys):
    """The command writes what is named where it is told, with the numbers of the file or with new ones."""
    assert explorers.main(["top-c", "--keep", "--to", str(tmp_path)]) == 0
    assert (tmp_path / "top-c.data.js").read_bytes() == EXPLORERS["top-c"].file.read_bytes()
    short = replace(EXPLORERS["one-run"], pack=lambda cells: {"cells": {"alg3 below": {"c": 1}}}, examples=())
    monkeypatch.setitem(EXPLORERS, "one-run", short)
    assert explorers.main(["one-run", "--to", str(tmp_path)]) == 0
    assert short.read(tmp_path / "one-run.data.js")["numbers"]["cells"] == {"alg3 below": {"c": 1}}
    assert "one-run.data.js" in capsys.readouterr().out


def test_numbers_as_readers_see_them():
    """A half goes up, as in the site's script; no exponent before a ten-thousandth."""
    shown = [frame.shown(*one) for one in ((0.125, 2), (9.999, 3), (-2.5, 3), (0.0001, 3), (9.87e-6, 2), (math.inf, 3))]
    assert shown == ["0.13", "10", "−2.5", "0.0001", "9.9 × 10⁻⁶", "∞"] and frame.shown(1024.0, 4) == "1024"


def test_the_places_of_a_text():
    """Parts, digits, texts chosen by what is shown; a text that is not there is what is shown."""
    texts = {"loss ∞": "all", "loss": "{} of {all:4}", "none 0": ""}
    parts = {"all": 1234.5, "small": 0.25, "never": None, "zero": 0, "yes": True}
    for text, said in (
        ("{all} {all:4} {yes}", "1230 1235 1"),
        ("{loss|never}, {loss|small}", "all, 0.25 of 1235"),
        ("{none|zero}{none|small}", "0.25"),
    ):
        assert frame.fill(texts, text, parts) == said


def steps(numbers, key, name="below"):
    return numbers["one-run"]["cells"][f"{key} {name}"]["steps"]


@pytest.mark.parametrize(
    "run", ["alg1 mixed", "alg2 close", "alg3 below", "alg7 below", "gap mixed", "geometric close"]
)
def test_one_run_is_what_the_engine_says(numbers, run):
    """Up to the last digits of another processor."""
    key, name = run.split()
    again = EXPLORERS["one-run"].compute({"variant": key, "list": name})
    assert len(again["steps"]) == len(steps(numbers, key, name))
    for old, new in zip(steps(numbers, key, name), again["steps"], strict=True):
        assert old[2] == new[2] and np.allclose(old[:2], new[:2], atol=2e-2)
        for i in (3, 4):
            assert (old[i] is None) == (new[i] is None) and (old[i] is None or abs(old[i] - new[i]) < 2e-4)


def test_one_run_says_what_follows_from_what_is_drawn(numbers):
    """A ⊥ exactly where the noisy answer is below the noisy threshold; noise of a list adds up to what is drawn."""
    for name, run in numbers["one-run"]["cells"].items():
        absolute = svt.variant(name.split()[0]).compare == "absolute"
        for noisy, bar, said, *_ in run["steps"]:
            assert (said == "⊥") == ((abs(noisy) if absolute else noisy) < bar)


def test_private_runs_stay_within_epsilon_and_the_story_is_true(numbers):
    """No private run gives away more than the proof pays, nor that more than ε; Alg. 3 does what the pages say."""
    for key in svt.variants():
        actual = svt.actual_epsilon(key, 1.0, c=3 if svt.variant(key).free_c else 1)
        for name in one_run.LISTS:
            for *_, loss, paid in steps(numbers, key, name):
                assert paid is None or abs(loss) <= paid * (1 + 1e-3)
                assert actual > 1 or paid <= 1 + 1e-9
    last = steps(numbers, "alg3")[-1]
    for page in (BOOK / "intro.md", PAGES["one-run"]):
        text = page.read_text(encoding="utf-8")
        assert len(steps(numbers, "alg3")) == 20 and f"prints the number {last[2]}" in text
        assert f"{math.exp(last[3]):.0f} times likelier" in text and f"factor of {math.e:.2f}" in text


def test_what_the_proof_pays():
    """Alg. 2 pays a third of ε for each positive and the threshold before it; Alg. 4 pays 3/2 for each (c = 3)."""
    paid = [step[4] for step in EXPLORERS["one-run"].compute({"variant": "alg2", "list": "mixed"})["steps"]]
    assert paid[-1] == 1.0 and {round(p, 4) for p in paid} == {0.3333, 0.5, 0.6667, 0.8333, 1.0}
    last = EXPLORERS["one-run"].compute({"variant": "alg4", "list": "mixed"})["steps"][-1]
    assert last[4] == svt.actual_epsilon("alg4", 1.0, c=3) == 4.75


# --- break it ---------------------------------------------------------------------------------------------------------


def cells():
    every = EXPLORERS["break-it"].states().values()
    return [(one["variant"], one["c"], one["epsilon"], one["n"]) for row in every for one in row]


def found(numbers, key, c, epsilon, n):
    return EXPLORERS["break-it"].find(numbers["break-it"], {"variant": key, "c": c, "epsilon": epsilon, "n": n})


def read_back(text):
    """What a page says of answers or of an output, as values."""
    values = []
    for part in text.split(", "):
        value, _, times = part.partition(" (×")
        known = {"⊥": False, "⊤": True, "abort": svt.ABORT}
        one = known[value] if value in known else float(value.replace("−", "-"))
        values += [one] * int(times.rstrip(")") or 1)
    return values


def test_every_pair_of_break_it_has_the_loss_that_it_states(numbers):
    """Each pair is judged again as it is printed: neighbours, loss and probabilities (seeded sample of 150 cells)."""
    rng, every = np.random.default_rng(20261121), cells()
    for k in rng.choice(len(every), 150, replace=False):
        key, c, epsilon, n = every[k]
        mechanism = svt.variant(key).calibrate(epsilon=epsilon, c=c)
        both = found(numbers, key, c, epsilon, n)
        for here, there, outcome, loss, p, density in (both["largest"], both["visible"]):
            answers, neighbour, output = read_back(here), read_back(there), read_back(outcome)
            assert len(answers) <= n
            assert max(abs(a - b) for a, b in zip(answers, neighbour, strict=True)) <= 1 + 1e-6
            again = svt.privacy_loss(mechanism, answers, neighbour, output)
            assert again == (math.inf if loss is None else pytest.approx(loss, rel=1e-5, abs=1e-5)), every[k]
            assert p == pytest.approx(math.exp(svt.log_probability(mechanism, answers, output)), rel=1e-5)
            q = math.exp(svt.log_probability(mechanism, neighbour, output))
            assert q == (0 if loss is None else pytest.approx(p * math.exp(-loss), rel=2e-5))
            assert bool(density) == any(isinstance(o, float) for o in output)
            if mechanism.integers:
                assert all(value == round(value) for value in answers + neighbour)


@pytest.mark.parametrize(("losses", "whole", "most"), [(2, 1, 3), pytest.param(25, 6, 24, marks=pytest.mark.full)])
def test_a_sample_of_break_it_is_what_the_search_finds_now(numbers, losses, whole, most):
    """A table that the code has left behind is noticed (seeded sample of largest losses, the first as whole cells)."""
    rng, every = np.random.default_rng(1), [cell for cell in cells() if cell[3] <= most]
    for number, k in enumerate(rng.choice(len(every), losses, replace=False)):
        key, c, epsilon, n = every[k]
        both = found(numbers, key, c, epsilon, n)
        loss = math.inf if both["largest"][3] is None else both["largest"][3]
        worst = svt.worst_case(svt.variant(key).calibrate(epsilon=epsilon, c=c), n)
        assert loss == pytest.approx(worst.loss, rel=2e-3)  # the table rounds the answers
        if number < whole:
            again = EXPLORERS["break-it"].compute({"variant": key, "c": c, "epsilon": epsilon, "n": n})
            for one in ("largest", "visible"):
                assert again[one][3:] == pytest.approx(both[one][3:], rel=2e-5)


def made_up(state):
    """Stands for what would be computed."""
    return {"largest": ["0", "1", "⊤", 0.5, 0.25, 0], "visible": ["0", "1", "⊤", 0.5, 0.25, 0], "holds": None}


def test_a_new_variant_is_computed_and_no_other(numbers):
    """From a table without Alg. 5 all other cells stay, to the byte, and those of Alg. 5 are asked for."""
    whole = numbers["break-it"]
    short = whole | {"cells": {name: row for name, row in whole["cells"].items() if not name.startswith("alg5 ")}}
    again = replace(EXPLORERS["break-it"], compute=made_up).numbers(short)
    assert list(again["cells"]) == list(whole["cells"])
    for key, c, epsilon, n in cells():
        row = found({"break-it": again}, key, c, epsilon, n)
        if key == "alg5":
            assert row["visible"][:4] == ["0", "1", "⊤", 0.5]
        else:
            assert row == found(numbers, key, c, epsilon, n)
    for name, one in EXPLORERS.items():
        assert one.script(one.numbers(numbers[name])) == one.file.read_text(encoding="utf-8")


def test_break_it_agrees_with_what_is_proved(numbers):
    """No loss exceeds the epsilon that holds; where that exceeds the claim, some n goes a tenth beyond, or half way."""
    for key, c, epsilon in dict.fromkeys(cell[:3] for cell in cells()):
        rows = [found(numbers, key, c, epsilon, n) for n in break_it.NS]
        largest = max(math.inf if row["largest"][3] is None else row["largest"][3] for row in rows)
        actual = svt.actual_epsilon(key, epsilon, c)
        assert largest <= actual * (1 + 1e-5)
        assert rows[0]["holds"] == frame.short(svt.actual_epsilon(key, 1.0, c))
        if actual > epsilon * (1 + 1e-9):
            assert largest > min(1.1 * epsilon, (epsilon + actual) / 2), (key, c, epsilon)


def test_visible_pairs_can_be_seen(numbers):
    """Where a claim is broken, the second pair breaks it too and is at least as likely as the first."""
    for key, c, epsilon, n in cells():
        both = found(numbers, key, c, epsilon, n)
        largest, visible = both["largest"], both["visible"]
        assert visible[4] >= largest[4] * (1 - 1e-5) or visible[5] != largest[5]
        if largest[3] is None:
            assert visible[3] is None
        elif largest[3] > 1.1 * epsilon:
            assert visible[3] > epsilon


# --- split the budget -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("c", "kind", "measure"), [(1, "any", "list"), (10, "any", "noise"), (100, "monotonic", "one")]
)
def test_splits_are_what_the_engine_says(numbers, c, kind, measure):
    """A curve computed again, with the best and the published splits."""
    one = EXPLORERS["split-the-budget"]
    state = one.start(c=c, kind=kind, measure=measure)
    both = one.find(numbers["split-the-budget"], state), one.compute(state)
    was, now = ([*x["values"], x["best"][1], *(row[2] for row in x["published"])] for x in both)
    assert now == pytest.approx(was, rel=1e-4)


def test_the_best_splits_are_best(numbers):
    """Each curve has one valley and the best split at its bottom; that of the variance is (2c)^(2/3), or c^(2/3)."""
    for name, curve in numbers["split-the-budget"]["cells"].items():
        kind, measure, c = name.split()
        signs = np.sign(np.diff(curve["values"]))
        assert (np.diff(signs[signs != 0]) >= 0).all()
        assert curve["best"][1] <= min(curve["values"] + [row[2] for row in curve["published"]]) * (1 + 1e-4)
        if measure == "noise":
            assert curve["best"][0] == pytest.approx((int(c) * (1 if kind == "monotonic" else 2)) ** (2 / 3), rel=1e-2)


def test_the_pages_numbers_of_splits(numbers):
    """What the page says without JavaScript."""
    text = PAGES["split-the-budget"].read_text(encoding="utf-8")
    for c in (10, 100):
        curve = numbers["split-the-budget"]["cells"][f"any noise {c}"]
        lost = curve["published"][0][2] / curve["best"][1]
        assert f"{lost:.2f} times" in text and f"1 : {curve['best'][0]}" in text
    shared, alone = (numbers["split-the-budget"]["cells"][f"any {name} 10"]["best"][0] for name in ("list", "noise"))
    assert shared > 1.3 * alone


def test_a_split_at_which_a_list_is_right():
    """The distance of a list, put back into the engine, is failed at with probability 0.05."""
    distance = split_the_budget.value(3, "any", "list", 4.0)
    m = svt.variant("alg7").calibrate(epsilon=1.0, c=3, split=4.0)
    assert svt.failure_probability(m, [-distance] * 100 + [distance] * 3, alpha=distance) == pytest.approx(
        0.05, rel=1e-6
    )


# --- top c ------------------------------------------------------------------------------------------------------------


def test_errors_are_shares(numbers):
    """Of every dataset, epsilon, c and method."""
    every = np.array(list(numbers["top-c"]["cells"].values()))
    assert ((every >= 0) & (every <= 1)).all()


CELLS = [("Zipf", 0.1, 25), ("Kosarak", 0.2, 75), ("AOL", 1.0, 300)]


@pytest.mark.parametrize(("dataset", "epsilon", "c"), one_in(3, CELLS))
def test_errors_can_be_run_again(numbers, dataset, epsilon, c):
    """Every method, with the seeds of its cells: a table that the code has left behind is noticed."""
    one = EXPLORERS["top-c"]
    state = one.start(dataset=dataset, epsilon=epsilon, c=c)
    assert np.array(one.compute(state)) == pytest.approx(np.array(one.find(numbers["top-c"], state)), abs=6e-5)


def test_the_pages_numbers_of_errors(numbers):
    """What the page says without JavaScript."""
    text = PAGES["top-c"].read_text(encoding="utf-8")
    found = EXPLORERS["top-c"].find(numbers["top-c"], EXPLORERS["top-c"].start())
    for method in ("SVT-S-1:c^(2/3)", "EM"):
        assert f"pages with {frame.shown(found[list(experiments.METHODS).index(method)][0])}" in text


# --- correct the threshold --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [("svt_exp", 1, 10, 0), ("alg7", 50, 100, 15), ("exp_exp", 10, 1000, 5)])
def test_corrections_are_what_the_engine_says(numbers, place):
    """A curve computed again, to the digits that are kept."""
    key, c, k, alpha = place
    one = EXPLORERS["correct-the-threshold"]
    state = one.start(variant=key, c=c, k=k, alpha=alpha)
    old, new = one.find(numbers["correct-the-threshold"], state), one.compute(state)
    for name in ("run", "product"):
        assert new[name] == pytest.approx(old[name], rel=6e-3, abs=2e-6)
    for name in ("best", "other", "mean"):
        assert new[name][0] == pytest.approx(old[name][0], rel=1e-2, abs=2e-3)
        assert new[name][1] == pytest.approx(old[name][1], rel=6e-3, abs=2e-6)


def test_the_best_corrections_are_best(numbers):
    """No r on the slider is better, each curve has one peak, and the run at the product's r is no better."""
    for curve in numbers["correct-the-threshold"]["cells"].values():
        best = curve["best"][1]
        assert best >= max(*curve["run"], curve["other"][1], curve["mean"][1]) - 6e-5
        signs = np.sign(np.diff(curve["run"]))
        assert (np.diff(signs[signs != 0]) <= 0).all()


def test_the_pages_numbers_of_corrections(numbers):
    """What the page says, from the table and from the closed form of the mean."""
    text = PAGES["correct-the-threshold"].read_text(encoding="utf-8")
    curve = numbers["correct-the-threshold"]["cells"]["svt_exp 1 10 0"]
    zero = curve["run"][correct_the_threshold.RS.index(0)]
    assert f"probability {curve['best'][1]} at the best correction, {curve['best'][0]}, and with {zero} without" in text
    assert f"would choose {curve['other'][0]:g}, where the probability is {curve['other'][1]}" in text
    thousand = numbers["correct-the-threshold"]["cells"]["svt_exp 1 1000 0"]
    m = svt.variant("svt_exp").calibrate(epsilon=1.0)
    assert curve["mean"][0] == pytest.approx(2 / m.epsilon2, abs=6e-3)
    assert round(thousand["best"][0] / thousand["mean"][0]) == 7
