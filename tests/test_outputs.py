"""The comparison of outputs: last digits pass, everything a reader could see or a mistake could change does not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest
import refresh_notebooks as refresh
from matplotlib.figure import Figure
from outputs import differences
from parts import ROOT

from svtcourse.figures import display, plots

ALT = "A curve of twelve points, one scattered point and a word."


def html(markup):
    return [{"output_type": "execute_result", "metadata": {}, "data": {"text/html": markup}}]


def stream(text):
    return [{"output_type": "stream", "name": "stdout", "text": text}]


def draw(*, factor=1.0, shift=0.0, label="loss", points=12, dots=(0.4, 0.7), color="#1a6fe1", dashed="-"):
    """A figure with everything that the chapters draw: a curve, markers, an area, words, a clip path."""
    fig, (ax,) = plots.new_figure()
    x = np.linspace(0, 1, points)
    ax.plot(x, factor * np.sin(3 * x) + shift, color=color, linestyle=dashed)
    ax.scatter(dots, np.asarray(dots) + shift, color="#db2b32")
    ax.fill_between(x, 0, np.cos(x) + shift, alpha=0.2)
    ax.set_ylim(-1.5, 1.5)
    ax.set_xlim(0, 1)
    ax.set_xlabel(label)
    return html(display.figure(fig, alt=ALT).svg)


@pytest.mark.parametrize(
    "change",
    [{"shift": 1e-9}, {"factor": 1 + 1e-7}, {"dots": (0.4 + 1e-9, 0.7)}, {"shift": -3e-5, "factor": 1 + 3e-5}],
    ids=str,
)
def test_last_digits_of_a_figure_pass(change):
    """A curve that is off by less than a tenth of a line's width is the same curve."""
    assert differences(draw(), draw(**change)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"factor": 1.01},
        {"shift": 0.01},
        {"label": "loSs"},
        {"points": 11},
        {"dots": (0.4,)},
        {"dots": (0.4, 0.71)},
        {"color": "#1a6fef"},
        {"dashed": "--"},
    ],
    ids=str,
)
def test_a_changed_figure_is_caught(change):
    """A curve moved by 1 %, a word, a missing point, a moved point, a colour, a dash."""
    assert differences(draw(), draw(**change))


def test_ids_are_counted():
    """Matplotlib hashes all digits of a clip path into its id; two runs that differ in the last have the same ids."""
    first, second = Figure(figsize=(3, 2)), Figure(figsize=(3, 2))
    for fig, left in ((first, 0.125), (second, 0.125 + 1e-13)):
        ax = fig.add_axes((left, 0.1, 0.8, 0.8))
        ax.plot([0, 1], [0, 1], marker="o")
    left, right = (display.figure(fig, alt=ALT).svg for fig in (first, second))
    assert re.search(r'id="fig-[0-9a-f]{8}-1"', left)
    assert differences(html(left), html(right)) == []


def test_a_path_with_one_corner_less_on_the_same_line_passes():
    """Matplotlib drops corners that lie on the line between their neighbours, and a last digit decides which."""
    path = '<svg><path d="M 0.00 0.00 L 10.00 10.00 L {}20.00 0.00 "/></svg>'
    plain, cornered, moved = (html(path.format(extra)) for extra in ("", "15.00 5.01 L ", "15.00 5.40 L "))
    assert differences(plain, cornered) == differences(cornered, plain) == []
    assert differences(plain, moved) and differences(moved, plain)
    shorter = html('<svg><path d="M 0.00 0.00 L 10.00 10.00 L 15.00 5.00 "/></svg>')
    assert differences(plain, shorter) and differences(shorter, plain)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss 0.5", "loss 0.49999999999"),
        ("loss 1.2345678901 of 2", "loss 1.2345678902 of 2"),
        ("error 3e-16\n", "error 1.1e-16\n"),
        ("a   0.50000000001 b", "a   0.5 b"),
    ],
)
def test_last_digits_of_a_text_pass(before, after):
    assert differences(stream(before), stream(after)) == []
    assert differences(html(f"<td>{before}</td>"), html(f"<td>{after}</td>")) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss 0.5000", "loss 0.5001"),
        ("loss 0.123456", "loss 0.123457"),
        ("3 of 12", "3 of 13"),
        ("loss 0.5", "less 0.5"),
        ("loss 0.5", "loss -0.5"),
        ("one line\nand another", "one line and another"),
        ("outcome ⊥⊤", "outcome ⊥⊥"),
        ("1.0 2.0", "1.0"),
        ("1e-3", "1e-4"),
        ("1.0e-3", "0.001"),
    ],
)
def test_a_changed_text_is_caught(before, after):
    """Numbers as printed, whole numbers, words, signs, lines."""
    assert differences(stream(before), stream(after))
    if "\n" not in before:
        assert differences(html(f"<td>{before}</td>"), html(f"<td>{after}</td>"))


def test_tables():
    """A cell, a row, a column and a name of a data frame count; a last digit does not."""
    frame = pd.DataFrame({"c": [1, 2], "loss": [0.5, 0.75]})
    table = html(frame.to_html())
    assert differences(table, html(frame.add([0, 1e-12]).to_html())) == []
    others = (frame.add([0, 0.001]), frame.add([1, 0]), frame.iloc[:1], frame[["c"]], frame.rename(columns={"c": "k"}))
    for other in others:
        assert differences(table, html(other.to_html()))


def test_kinds_and_numbers_of_outputs_count():
    """An output more, an output of another kind, an error where there was none."""
    assert differences(stream("a"), [*stream("a"), *stream("a")]) == ["1 outputs before, 2 now"]
    assert differences(stream("a"), html("a"))
    assert differences(html("a"), [{**html("a")[0], "data": {"text/html": "a", "text/plain": "a"}}])
    assert differences(html("<p>a</p>"), html("<p>a</p><p></p>"))
    assert differences(html("<p><b>a</b></p>"), html("<p></p><b>a</b>"))
    assert differences(html("<p><b>a</b> 0.5</p>"), html("<p><b>a</b> 0.6</p>"))
    assert differences(html('<p id="a">a</p>'), html('<p id="b">a</p>'))


# --- the two places that use it ---------------------------------------------------------------------------------------


def notebook(source: str, shown: str):
    cell = nbformat.v4.new_code_cell(source, execution_count=1, id="one", outputs=stream(shown))
    made = nbformat.v4.new_notebook(cells=[nbformat.from_dict(cell)])
    refresh.normalise(made)
    return made


@pytest.fixture
def chapter(tmp_path):
    (tmp_path / "chapters").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    shutil.copy(ROOT / "chapters/conftest.py", tmp_path / "chapters")
    return tmp_path / "chapters/01_a.ipynb"


@pytest.mark.full
@pytest.mark.parametrize(("shown", "passes"), [("0.50000000001\n", True), ("0.6\n", False)])
def test_nbval_compares_by_the_same_rule(chapter, shown, passes):
    """`pytest --nbval` in a checkout accepts the last digit and refuses the number."""
    chapter.write_text(json.dumps(notebook("print(0.5)", shown)), encoding="utf-8")
    command = [
        sys.executable,
        *["-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env"],
        chapter,
    ]
    result = subprocess.run(command, cwd=chapter.parents[1], capture_output=True, text=True)
    assert result.returncode == (0 if passes else 1), result.stdout
    assert passes or "0.6" in result.stdout


@pytest.mark.parametrize(("shown", "kept"), [("0.50000000001\n", True), ("0.6\n", False)])
def test_a_refresh_leaves_last_digits_alone(chapter, shown, kept):
    """A contributor on another processor gets a clean diff; what really changed is written."""
    chapter.write_text(nbformat.writes(notebook("print(0.5)", shown)) + "\n", encoding="utf-8")
    before = chapter.read_bytes()
    _, _, changed = refresh.refresh(chapter)
    assert changed != kept
    assert (chapter.read_bytes() == before) == kept
    assert kept or "0.5\\n" in chapter.read_text(encoding="utf-8")
