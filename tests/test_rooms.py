"""The rooms of the project: arrows run downwards only, and there is no circle; the map of CONTRIBUTING leads there."""

from __future__ import annotations

import re

import measure
import pytest
from parts import ROOT

import svtlib as svt


@pytest.fixture(scope="module")
def arrows():
    """Who uses whom, read once."""
    return measure.arrows()


def test_arrows_run_downwards(arrows):
    """No module of a room uses one of a floor above it, or of a room beside it on a floor without arrows."""
    assert measure.upwards(arrows) == []


def test_there_is_no_circle(arrows):
    """Not between rooms, and not between modules: also not through an import within a function."""
    assert measure.circle(arrows) == []


def test_no_module_is_too_long():
    assert [module for module, lines in measure.lengths().items() if lines > measure.LONGEST] == []


@pytest.mark.parametrize(
    ("user", "used"),
    [
        ("svtlib.noise", "svtlib.proofs.prove"),
        ("svtlib.proofs.search", "svtlib.select.scores"),
        ("svtlib.exact.probability", "svtcourse.claim_cards"),
        ("svtcourse.claim_cards", "svtcourse.explorers.frame"),
    ],
)
def test_an_arrow_upwards_is_found(user, used):
    """The first test can fail."""
    assert measure.upwards({user: {used}}) == [f"{user} uses {used}"]


def test_a_circle_is_found():
    """The second test can fail."""
    assert set(measure.circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}


def test_a_relative_import_is_read(tmp_path):
    """`from . import x`, `from .x import y`, the import of a module by its package, and one within a function."""
    source = "from . import frame\nfrom .one_run import NAMES\ndef f():\n    from svtlib.exact import integral\n"
    modules = {"svtcourse.explorers.frame", "svtcourse.explorers.one_run", "svtlib.exact.integral"}
    assert measure.used(source, "svtcourse.explorers.top_c", modules) == modules


def test_the_map_leads_to_files_that_exist():
    """Ten things to change, and the place of each."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!---|I want)[^|]+\|(.+)\|$", text.partition("## The map")[2].partition("\n## ")[0], re.M)
    assert len(rows) >= 10
    places = [re.findall(r"`([\w./*-]+/[\w./*-]*)`", row) for row in rows]
    assert all(places) and [place for row in places for place in row if not list(ROOT.glob(place))] == []


def unused(names):
    """The names that no chapter, exercise notebook or lesson uses, nor the readme."""
    places = [*ROOT.glob("chapters/**/*.ipynb"), *ROOT.glob("svtcourse/lessons/*.py"), ROOT / "README.md"]
    text = "".join(place.read_text(encoding="utf-8") for place in places)
    return sorted(set(names) - set(re.findall(r"\bsvt\.(\w+)", text)))


def test_every_public_name_is_used_where_readers_are():
    """What a call returns stands in its module, and a new name of `svt` comes with the lesson that uses it."""
    assert unused(svt.__all__) == []
    assert unused([*svt.__all__, "novelty"]) == ["novelty"]
    assert len(svt.__all__) <= 50
