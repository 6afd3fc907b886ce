"""Benchmarks leave well-formed rows that the performance page shows; how fast anything is, no test asks."""

from __future__ import annotations

import csv
import re
import statistics

import pytest
import svt_performance as page
from parts import ROOT

from benchmarks import record

NAMES = sorted(path.stem.removeprefix("bench_") for path in (ROOT / "benchmarks").glob("bench_*.py"))


def rows() -> list[dict[str, str]]:
    with (ROOT / "data" / "performance.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_every_benchmark_has_rows_and_a_table_on_the_page():
    """A file of benchmarks/ is measured and shown; no table is left of one that is gone."""
    text = (ROOT / "book" / "performance.md").read_text(encoding="utf-8")
    assert len(NAMES) >= 4
    assert sorted({row["benchmark"] for row in rows()}) == NAMES
    assert sorted(re.findall(r"^:+\{svt-performance\} (\w+)$", text, re.M)) == NAMES
    for name in NAMES:
        assert f"benchmarks/bench_{name}.py" in text
        assert f'Recorder("{name}")' in (ROOT / "benchmarks" / f"bench_{name}.py").read_text(encoding="utf-8")


def test_no_machine_has_a_name():
    """The description has processor, memory and versions, and neither a host nor a date."""
    described = r".+, \d+ cores(, \d+ GiB)?; Python \d+\.\d+\.\d+\w*, numpy [\d.]+"
    assert all(re.fullmatch(described, row["machine"]) for row in rows())
    assert re.fullmatch(described, record.machine())


def test_calls_take_turns(monkeypatch):
    """A B, B A, A B: and the ratio is the median of the ratios turn by turn, times the weight."""
    turns = []
    seconds = {"a": iter([9, 2.0, 20.0, 6.0]), "b": iter([9, 1.0, 5.0, 4.0])}
    now = [0.0]

    def call(name):
        def work():
            turns.append(name)
            now[0] += next(seconds[name])

        return work

    monkeypatch.setattr(record.time, "perf_counter", lambda: now[0])
    times = record.measure([record.Call("a", call("a"), weight=2), record.Call("b", call("b"))], 3)
    assert "".join(turns) == "ab" + "ab" + "ba" + "ab"
    assert times == [[4.0, 40.0, 12.0], [1.0, 5.0, 4.0]]
    assert statistics.median(a / b for a, b in zip(*times, strict=True)) == 4


def test_a_benchmark_replaces_its_own_rows_only(tmp_path, capsys):
    """Other benchmarks stay, cases that are gone go, and what was skipped keeps its earlier rows."""
    file = tmp_path / "performance.csv"
    for name in ("one", "two"):
        with record.Recorder(name, file) as table:
            table.add("old", 5, 1.0, 3)
            table.add("library", 5, 2.0, 3, "old", "2", "<= 3")
    with record.Recorder("one", file) as table:
        table.add("new", 5, 4.0, 3)
        table.skip("library", "not installed")
    with file.open(encoding="utf-8") as lines:
        kept = [(row["benchmark"], row["case"], row["seconds"]) for row in csv.DictReader(lines)]
    assert kept == [("one", "new", "4"), ("one", "library", "2"), ("two", "old", "1"), ("two", "library", "2")]
    assert "skipped    library: not installed" in capsys.readouterr().out


def test_a_benchmark_that_fails_leaves_the_file_alone(tmp_path):
    """Half a measurement replaces nothing."""
    file = tmp_path / "performance.csv"
    with pytest.raises(RuntimeError), record.Recorder("one", file):
        raise RuntimeError
    assert not file.exists()


@pytest.mark.parametrize(
    ("target", "ratio", "seconds", "met"),
    [
        ("<= 1.3", "1.3", "9", True),
        ("<= 1.3", "1.31", "0.1", False),
        (">= 50", "50", "9", True),
        (">= 50", "49", "99", False),
        ("<= 0.003 s", "", "0.003", True),
        ("<= 0.003 s", "", "0.0031", False),
    ],
)
def test_a_target_is_judged(target, ratio, seconds, met):
    """The page says missed where a target was missed."""
    assert page.met({"target": target, "ratio": ratio, "seconds": seconds}) is met


@pytest.mark.parametrize(
    ("seconds", "shown"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (0.1234, "123 ms"), (4e-6, "4 µs")]
)
def test_times_are_shown_in_a_unit_that_suits(seconds, shown):
    """Three digits and a unit."""
    assert page.spoken(seconds) == shown.replace(" ", "\u00a0")
