"""The data directory as a whole: everything is shipped, described, and as printed in its source."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path

import numpy as np
from parts import ROOT
from scipy.stats import beta

from svtcourse.chapter.tables import load_table
from svtlib.files import data_file, read_table
from svtlib.select.scores import RECORDS, load_scores

DATA = ROOT / "data"
FILES = sorted(
    path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file() and "__pycache__" not in path.parts
)
RUNS = 200_000_000  # by which the auditors counted each event, on either side
TABLE_3 = ["dataset", "epsilon", "c", "method", "ser_mean", "ser_std"]


def test_every_file_is_reached_by_the_resolver():
    """What lies in data/ is what an installed svtlib finds."""
    assert [name for name in FILES if data_file(name).read_bytes() != (DATA / name).read_bytes()] == []


def test_wheel_takes_every_file():
    """The package-data patterns cover all of data/, so that an installed wheel has it too."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert settings["package-dir"]["svtlib.data"] == "data" and "svtlib.data" in settings["packages"]
    patterns = settings["package-data"]["svtlib.data"]
    taken = {path.relative_to(DATA).as_posix() for pattern in patterns for path in DATA.glob(pattern)}
    assert set(FILES) - taken == {"__init__.py"}


def test_readme_describes_every_file():
    """No number without provenance: each CSV file is named in data/README.md."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert [name for name in FILES if name.endswith(".csv") and Path(name).name not in readme] == []


def test_readme_states_what_loading_checks():
    """Records, items, sums and status in data/README.md are those of the loaded distributions."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9-]+)\.csv" + r" \| ([\d,]+)" * 3 + r" \| ([a-z ]+) \|", readme, re.MULTILINE)
    assert len(rows) == 5
    for name, *stated in rows:
        scores = load_scores(name)
        assert [f"{x:,.0f}" for x in (RECORDS[name], scores.items, scores.total)] + [scores.status] == stated


def test_files_are_plain_csv():
    """UTF-8, line feeds only, a final one, and as many fields in each line as in the header."""
    for name in FILES:
        if name.endswith(".csv"):
            raw = (DATA / name).read_bytes()
            assert b"\r" not in raw and raw.endswith(b"\n"), name
            lines = list(csv.reader(raw.decode().splitlines()))
            assert {len(line) for line in lines} == {len(lines[0])}, name


def test_published_table_is_complete():
    """Table 3 of Lyu, Su & Li 2016: 3 datasets, 2 budgets, 5 values of c, 8 methods, once each."""
    rows = read_table("published/lyu2016_table3_ser.csv", TABLE_3)
    keys = [tuple(row[:4]) for row in rows]
    assert len(keys) == len(set(keys)) == 240
    assert [len({key[index] for key in keys}) for index in range(4)] == [3, 2, 5, 8]
    assert all(0 <= float(mean) <= 1 and 0 <= float(spread) < 0.5 for *_, mean, spread in rows)


def test_the_logs_of_the_auditors_hold_together():
    """24 lines; each bound is that of Clopper and Pearson for the two frequencies, so no digit was copied wrongly."""
    rows = load_table("auditors")
    assert rows.groupby(["auditor", "variant"]).size().tolist() == [1] * 24
    counts = np.floor(np.sort(rows[["p_there", "p"]].to_numpy(), axis=1) * RUNS)
    low = beta.ppf(0.05, counts[:, 1], RUNS - counts[:, 1] + 1)
    high = beta.ppf(0.95, counts[:, 0] + 1, RUNS - counts[:, 0])
    np.testing.assert_allclose(np.log(low / high), rows.lower_bound, rtol=0, atol=2e-8)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.abs(np.log(rows.p / rows.p_there)), rows.loss, rtol=0, atol=1e-12)
    assert rows.notna().all(axis=None)


def test_no_person_and_no_word():
    """Aggregated counts only: scores and Adult counts are numbers, besides the labels of sex and income."""
    counts = [DATA / name for name in FILES if name.startswith(("scores/", "adult/"))]
    lines = [line for file in counts for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    words = {field for line in lines for field in line.split(",") if not field.isdigit()}
    assert words == {"Male", "Female", "<=50K", ">50K"}
