"""Score distributions and Adult counts: what they hold, and that a damaged file is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from svtlib import files
from svtlib.files import data_file
from svtlib.select.counts import Counts, load_adult
from svtlib.select.scores import Scores, load_scores

FILES = ["bms-pos", "kosarak", "aol", "t40i10d100k", "adult"]
COLUMNS = ["age", "capital_gain", "hours_per_week", "joint"]


@pytest.mark.parametrize(("name", "lowest", "items"), [("kosarak", 991, 1_259), ("aol", 1_295, 2_637)])
def test_exact_heads_are_as_long_as_stated(name, lowest, items):
    """The source text and data/README.md say from which support on, and for how many items, the counts are exact."""
    scores = load_scores(name)
    assert scores.above(lowest) == items
    assert f"{lowest:,} ({items:,} items) exact" in scores.source


def test_lists_that_are_made_up():
    """10,000 items: the i-th score proportional to 1/i with the sum 1,000,000 (Lyu, Su & Li); 10,000/i; c at 1,000."""
    zipf, zipf10k, binary = load_scores("zipf"), load_scores("zipf10k"), load_scores("binary", c=np.int64(50))
    assert zipf.items == binary.items == 10_000 and zipf.total == pytest.approx(1_000_000, rel=1e-12)
    for scores, first in ((zipf, zipf.support[0]), (zipf10k, 10_000)):
        assert scores.support * np.arange(1, 10_001) == pytest.approx(first, rel=1e-12)
    assert (binary.support.tolist(), binary.count.tolist()) == ([1000, 0], [50, 9_950])
    assert zipf10k.above(200) == binary.above(500) == 50


def test_top_and_threshold_with_equal_scores():
    """Equal scores are repeated, and the threshold is the mean of the c-th and the next score."""
    scores = Scores([7, 5, 1], [1, 2, 4], "exact", "made up")
    assert scores.top(7).tolist() == [7, 5, 5, 1, 1, 1, 1]
    assert scores.ranks.tolist() == [1, 3, 7]
    assert [scores.threshold(c) for c in range(1, 7)] == [6, 5, 3, 1, 1, 1]
    assert [scores.above(value) for value in (8, 7, 5.5, 5, 1, 0)] == [0, 1, 1, 3, 7, 7]
    assert scores.total == 21


def test_scores_and_counts_are_read_only():
    """A chapter cannot change a distribution by accident, nor through the arrays it passed in."""
    support = np.array([2.0, 1.0])
    scores, counts = Scores(support, [1, 1], "exact", "made up"), Counts(("share",), [0.25, 0.5], [3, 1], "made up")
    support[0] = 9
    assert scores.support[0] == 2 and counts.mean() == pytest.approx(0.3125)
    for array in (scores.support, scores.count, counts.count):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3


# Adult


@pytest.mark.parametrize("column", COLUMNS)
def test_adult_has_every_row_once(column):
    """32,561 rows, whichever way they are counted, and the Series says the same."""
    counts = load_adult(column)
    series = counts.series()
    assert counts.rows == series.sum() == 32_561
    assert tuple(series.index.names) == counts.columns
    assert f"{column if column != 'joint' else 'age_from x education_num x sex x income'}: 32,561 rows" in repr(counts)


def test_between_is_half_open():
    """Neighbouring bands share no row and leave none out."""
    age = load_adult("age")
    assert age.between(17, 18) == 395
    assert age.between(17, 17) == 0
    assert sum(age.between(start, start + 5) for start in range(15, 95, 5)) == age.between(-np.inf, np.inf) == 32_561


def test_joint_agrees_with_age():
    """The age bands of the joint counts are sums of the single ages."""
    bands = load_adult("joint").series().groupby("age_from").sum()
    age = load_adult("age")
    assert {start: age.between(start, start + 5) for start in bands.index} == bands.to_dict()


# Damaged files


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the data that a test may damage: call it with a file and a function of its text."""
    monkeypatch.setattr(files, "_data_directory", lambda: tmp_path)

    def damage(name, change):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        text = change(ORIGINAL[name])
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    return damage


ORIGINAL = {
    name: data_file(name).read_text(encoding="utf-8")
    for name in [*(f"scores/{name}.csv" for name in FILES), *(f"adult/{column}.csv" for column in COLUMNS)]
}


def swap_lines(first, second):
    def change(text):
        lines = text.splitlines(keepends=True)
        lines[first], lines[second] = lines[second], lines[first]
        return "".join(lines)

    return change


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "the header is ''"),
        (lambda text: "support,count_of_items\n", "it has no rows"),
        (lambda text: text.replace("support", "score", 1), "the header is 'score,count_of_items'"),
        (lambda text: text.replace(",1\n", "\n", 1), "line 2 has 1 fields, not 2"),
        (lambda text: text.replace(",1\n", ",1,1\n", 1), "line 2 has 3 fields, not 2"),
        (lambda text: text.replace(",1\n", ",one\n", 1), "'one' is not a whole number"),
        (lambda text: text.replace(",1\n", ",1.0\n", 1), "'1.0' is not a whole number"),
        (lambda text: text.replace(",1\n", ",0\n", 1), "count must be whole numbers of at least 1, got 0"),
        (lambda text: text.replace(",1\n", ",2\n", 1), r"it has [\d,]+ items, not"),
        (lambda text: text.replace("\n", "\n9", 1), "the highest support is .* but there are only"),
        (lambda text: re.sub(r"\d+", lambda n: str(int(n[0]) - 1), text, count=1), "items sum to .*, not to"),
        (lambda text: text + "0,1\n", "the lowest support is 0"),
        (lambda text: text.rsplit("\n", 2)[0] + "\n", "it has .* items, not"),
        (swap_lines(1, 2), "support must be strictly descending"),
        (lambda text: "".join(text.splitlines(keepends=True)[i] for i in (0, 1, 1, 2)), "strictly descending"),
        (lambda text: b"\xff\xfe" + text.encode(), "it is not UTF-8 text"),
    ],
)
def test_damaged_score_file_is_refused(copied, name, change, message):
    """Totals, order, duplicates, form: the error names the file and what is wrong."""
    copied(f"scores/{name}.csv", change)
    with pytest.raises(ValueError, match=f"'scores/{name}.csv' is damaged: .*{message}"):
        load_scores(name)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.split("\n", 1)[1], "the header is"),
        (swap_lines(1, 2), "values must be strictly ascending"),
        (lambda text: text.rsplit("\n", 2)[0] + "\n", "the counts sum to .*, not to 32,561 rows"),
        (lambda text: text.rsplit(",", 1)[0] + ",-1\n", "count must be whole numbers of at least 1, got -1"),
        (lambda text: text.rsplit(",", 1)[0] + ",many\n", "'many' is not a whole number"),
    ],
)
def test_damaged_adult_file_is_refused(copied, column, change, message):
    """The error names the file and what is wrong."""
    copied(f"adult/{column}.csv", change)
    with pytest.raises(ValueError, match=f"'adult/{column}.csv' is damaged: .*{message}"):
        load_adult(column)


@pytest.mark.parametrize("load", [lambda: load_scores("aol"), lambda: load_adult("age")])
def test_missing_file_is_named(copied, load):
    """A missing file is a ValueError that says which file and what to do."""
    with pytest.raises(ValueError, match=r"data file '(scores/aol|adult/age).csv' is missing .* install svtlib again"):
        load()


@pytest.mark.parametrize("place", ["data", "svtlib/data"], ids=["checkout", "wheel"])
def test_a_copy_of_the_package_reads_its_own_data(tmp_path, place):
    """With another checkout, or an unpacked wheel, first on the path, the data is its own and not what is installed."""
    root = Path(files.__file__).parents[1]
    shutil.copytree(root / "svtlib", tmp_path / "svtlib", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / place / "scores").mkdir(parents=True)
    shutil.copy(root / "data" / "__init__.py", tmp_path / place)
    (tmp_path / place / "scores" / "aol.csv").write_text("support,count_of_items\nmine,1\n", encoding="utf-8")
    code = "import svtlib as svt; print(svt.__file__); svt.load_scores('aol')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path
    )
    assert done.stdout.strip() == str(tmp_path / "svtlib" / "__init__.py")
    assert "data file 'scores/aol.csv' is damaged: 'mine' is not a whole number" in done.stderr
