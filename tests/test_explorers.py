"""The explorer: its table covers every choice, its numbers are those of the exact engine, and its script finds them."""

from __future__ import annotations

import importlib.util
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import svtlib as svt
from svtlib.teaching import explorers

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "book" / "_static"
WRITTEN = STATIC / "explorers" / "break_it.js"
LARGEST_TABLE = 200_000


@pytest.fixture(scope="module")
def table():
    text = WRITTEN.read_text(encoding="utf-8")
    return json.loads(text.removeprefix(explorers.SCRIPT).removesuffix(";\n"))


def choices():
    return [
        (key, c, epsilon)
        for key in explorers.NAMES
        for c in (explorers.CS if svt.variant(key).free_c else (1,))
        for epsilon in explorers.EPSILONS
    ]


def numbers(text):
    """What `Pair.texts` wrote, read back."""
    values = []
    for part in text.split(", "):
        value, _, times = part.partition(" (×")
        known = {"⊥": False, "⊤": True, "abort": svt.ABORT}
        one = known[value] if value in known else float(value.replace("−", "-"))
        values += [one] * int(times.rstrip(")") or 1)
    return values


def test_table_covers_every_choice(table):
    """No selection of the reader is without an answer."""
    assert table["n"] == list(explorers.NS)
    assert table["epsilon"] == list(explorers.EPSILONS)
    assert list(table["cells"]) == [f"{key} {c} {epsilon:g}" for key, c, epsilon in choices()]
    assert all(len(row) == len(explorers.NS) for row in table["cells"].values())
    used = {number for row in table["cells"].values() for cell in row for number in cell}
    assert used == set(range(len(table["pairs"])))
    assert set(explorers.NAMES) <= set(svt.variants())


def test_table_is_light():
    """The page loads it as a whole."""
    assert WRITTEN.stat().st_size < LARGEST_TABLE


def test_table_is_in_its_normal_form(table):
    """Writing what was read gives the same bytes."""
    assert explorers.script(table) == WRITTEN.read_text(encoding="utf-8")


def test_every_pair_of_the_table_has_the_loss_that_it_states(table):
    """Each pair is judged again as it is printed: neighbours, loss and probabilities (seeded sample of 300)."""
    rng = np.random.default_rng(20261121)
    cells = [(k, i, j) for k in table["cells"] for i in range(len(explorers.NS)) for j in (0, 1)]
    for name, i, j in (cells[k] for k in rng.choice(len(cells), 300, replace=False)):
        key, c, epsilon = name.split()
        mechanism = svt.variant(key).calibrate(epsilon=float(epsilon), c=int(c))
        here, there, outcome, loss, p, q, density = table["pairs"][table["cells"][name][i][j]]
        answers, neighbour, output = numbers(here), numbers(there), numbers(outcome)
        assert len(answers) <= explorers.NS[i]
        assert max(abs(a - b) for a, b in zip(answers, neighbour, strict=True)) <= 1 + 1e-6
        found = svt.privacy_loss(mechanism, answers, neighbour, output)
        assert found == (math.inf if loss is None else pytest.approx(loss, rel=1e-6, abs=1e-6)), name
        assert p == pytest.approx(math.exp(svt.log_probability(mechanism, answers, output)), rel=1e-5)
        assert q == pytest.approx(math.exp(svt.log_probability(mechanism, neighbour, output)), rel=1e-5)
        assert bool(density) == any(isinstance(o, float) for o in output)


@pytest.mark.parametrize(("losses", "whole"), [(8, 2), pytest.param(25, 6, marks=pytest.mark.full)])
def test_sample_of_the_table_is_what_the_search_finds_now(table, losses, whole):
    """A table that the code has left behind is noticed (seeded sample of largest losses, the first as whole cells)."""
    rng = np.random.default_rng(1)
    every = [(*choice, i) for choice in choices() for i in range(len(explorers.NS))]
    for number, k in enumerate(rng.choice(len(every), losses, replace=False)):
        key, c, epsilon, i = every[k]
        largest, visible = (table["pairs"][m] for m in table["cells"][f"{key} {c} {epsilon:g}"][i])
        loss = math.inf if largest[3] is None else largest[3]
        worst = svt.worst_case(svt.variant(key).calibrate(epsilon=epsilon, c=c), explorers.NS[i])
        assert loss == pytest.approx(worst.loss, rel=2e-3)  # the table rounds the answers
        if number < whole:
            cell = explorers.cell(key, explorers.NS[i], c, epsilon)
            assert cell.largest.loss == pytest.approx(loss, rel=1e-6)
            assert cell.visible.probability == pytest.approx(visible[4], rel=1e-6)
            assert cell.visible.loss == pytest.approx(math.inf if visible[3] is None else visible[3], rel=1e-6)


def test_table_agrees_with_what_is_proved(table):
    """No loss exceeds the epsilon that holds, private variants never break, the others all do at epsilon 1."""
    for name, row in table["cells"].items():
        key, c, epsilon = name.split()
        losses = [math.inf if table["pairs"][one][3] is None else table["pairs"][one][3] for one, _ in row]
        actual = svt.variant(key).actual_epsilon(float(epsilon), int(c))
        assert max(losses) <= actual * (1 + 1e-6)
        stated = table["variants"][key]["holds"][explorers.CS.index(int(c))]
        assert (math.inf if stated is None else stated * float(epsilon)) == pytest.approx(actual)
        if actual > float(epsilon):
            assert max(losses) > 1.1 * float(epsilon), name


def test_closed_forms(table):
    """(1 + 6c)/4 for Alg. 4 (Lyu, Su & Li, Sec. 3.2) and n/2 for Alg. 6 and GPTT, at epsilon 1."""
    for c, n in ((1, 4), (2, 16), (3, 16), (5, 24)):
        largest, _ = table["cells"][f"alg4 {c} 1"][explorers.NS.index(n)]
        assert table["pairs"][largest][3] == pytest.approx((1 + 6 * c) / 4, rel=1e-3)
    for key in ("alg6", "gptt"):
        for n in (2, 8, 24):
            largest, _ = table["cells"][f"{key} 1 1"][explorers.NS.index(n)]
            assert table["pairs"][largest][3] == pytest.approx(n / 2, rel=1e-3)


def test_visible_pairs_can_be_seen(table):
    """Where a claim is broken, the second pair breaks it too and is at least as likely as the first."""
    for name, row in table["cells"].items():
        epsilon = float(name.split()[2])
        for first, second in row:
            largest, visible = table["pairs"][first], table["pairs"][second]
            assert visible[4] >= largest[4] * (1 - 1e-6) or visible[6] != largest[6]
            if largest[3] is None:
                assert visible[3] is None
            elif largest[3] > 1.1 * epsilon:
                assert visible[3] > epsilon


def test_sentences():
    """One for a broken claim, one for an infinite loss, one where the claim is kept."""
    assert explorers.cell("alg4", 3, 1, 0.5).sentence() == "Alg. 4 with c = 1 loses 0.875 on 3 queries; it claims 0.5."
    assert explorers.cell("alg5", 2, 1, 1.0).sentence() == (
        "Alg. 5 has an infinite loss on 2 queries: an output that D can produce is impossible on D′; it claims 1."
    )
    assert explorers.cell("gptt", 1, 1, 1.0).sentence() == (
        "GPTT loses 0.4941 on 1 query, not more than the 1 that it claims."
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("alg8", 1, 1, 1.0), "variant must be one of"),
        (("alg1", 0, 1, 1.0), "n must be"),
        (("alg5", 2, 3, 1.0), "c must be 1 for alg5"),
        (("alg1", 1, 1, 0.0), "epsilon must be"),
    ],
)
def test_bad_calls(call, words):
    """The error names the argument and what is allowed."""
    with pytest.raises(ValueError, match=words):
        explorers.cell(*call)


@pytest.mark.parametrize("call", [("alg5", 2, 1, 1.0), ("alg3", 2, 1, 1.0)])
def test_picture(call):
    """An infinite loss and a density are drawn and named."""
    picture = explorers.picture(explorers.cell(*call))
    assert ("∞" in picture.svg) == (call[0] == "alg5")
    assert ("density" in picture.alt) == (call[0] == "alg3")


@pytest.mark.skipif(importlib.util.find_spec("ipywidgets") is None, reason="ipywidgets is part of the book extra")
def test_widget_answers():
    """Changing a control changes the sentence; a variant without c has no choice of it."""
    box = explorers.break_it("alg5")
    which, n, c, epsilon, shown = box.children
    n.value = 2
    assert "Alg. 5 has an infinite loss on 2 queries" in shown.value
    assert c.disabled
    which.value = "alg4"
    epsilon.value = 0.5
    assert "Alg. 4 with c = 2 loses 0.75 on 2 queries; it claims 0.5." in shown.value
    assert not c.disabled
    assert 'role="img"' in shown.value


def test_widget_rejects_an_unknown_variant():
    """Before anything is drawn."""
    with pytest.raises(ValueError, match="variant must be one of"):
        explorers.break_it("alg8")


def test_writing_the_table(tmp_path, monkeypatch, capsys):
    """The command writes the same form, and twice the same bytes."""
    monkeypatch.setattr(explorers, "NS", (1, 2))
    monkeypatch.setattr(explorers, "EPSILONS", (1.0,))
    monkeypatch.setattr(explorers, "NAMES", {"alg5": "Alg. 5", "alg4": "Alg. 4"})
    paths = [tmp_path / "one.js", tmp_path / "two.js"]
    assert [explorers.main([str(path)], workers=1) for path in paths] == [0, 0]
    first, second = (path.read_text(encoding="utf-8") for path in paths)
    assert first == second
    written = json.loads(first.removeprefix(explorers.SCRIPT).removesuffix(";\n"))
    assert list(written["cells"]) == ["alg5 1 1", "alg4 1 1", "alg4 2 1", "alg4 3 1", "alg4 5 1"]
    assert "Wrote two.js" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("page", "file", "name"), [("break_it", "break_it", "svtBreakIt"), ("explore_errors", "errors", "svtErrors")]
)
def test_script_finds_its_place_and_its_table(page, file, name):
    """The page has the place that the script looks for, with text that is true without it; the site loads it."""
    script = (STATIC / "explorers.js").read_text(encoding="utf-8")
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    place = re.search(r'data-svt-explorer="([^"]+)"', text)
    assert place and re.search(rf'"?{place[1]}"?: \["{file}", .*window\.{name}', script)
    assert (STATIC / "explorers" / f"{file}.js").read_text(encoding="utf-8").startswith(f"window.{name} = ")
    assert "explorers.js" in (ROOT / "_config.yml").read_text(encoding="utf-8")
    assert "fetch(" not in script and "http" not in script.replace("http://www.w3.org/2000/svg", "")
