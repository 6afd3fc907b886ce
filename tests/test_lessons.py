"""The form of a lesson: length, pictures, visible code, questions and exercises, as `tools/measure.py` counts them."""

from __future__ import annotations

import copy
import json

import measure
import pytest
import refresh_notebooks
from parts import ROOT

CHAPTERS = [path for path in sorted((ROOT / "chapters").glob("*.ipynb")) if path.name < "90"]  # then pages of questions

PICTURE = '<svg class="svt-figure" role="img" aria-label="A curve that falls"><path d="M0 0"/></svg>'
QUESTION = ":::{question}\nWhich?\n\n- [ ] This.\n\n  No.\n- [x] That.\n\n  Yes.\n:::\n"


def exercise(kind: str) -> str:
    task = f":::{{exercise}} ◆ {kind} · 5 min\n:label: ex\n\nTry.\n:::\n\n"
    return task + "::::{solution} ex\n:class: dropdown\n\nDone.\n::::\n"


def cell(kind: str, text: str, *tags: str, html: str = "") -> dict:
    made = {"cell_type": kind, "metadata": {"tags": list(tags)} if tags else {}, "source": text}
    return made | ({"outputs": [{"data": {"text/html": html}}]} if kind == "code" else {})


def lesson() -> dict:
    """A small lesson within all limits."""
    exercises = "\n".join(map(exercise, measure.KINDS))
    cells = [
        cell("markdown", "# Title\n\n*11 minutes.*"),
        cell("markdown", "word " * 1650),
        *(cell("code", "plot()", "hide-input", html=PICTURE) for _ in range(4)),
        cell("code", "x = 1\n\ny = 2"),
        cell("markdown", f"{QUESTION}\n{QUESTION}\n{exercises}"),
        cell("code", "z = 3\n" * 200, "hide-cell"),
    ]
    made = {"cells": cells, "metadata": {}}
    assert measure.measure(made).minutes == 16
    measure.print_minutes(made)
    return made


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_a_lesson(path):
    """Length, code, pictures, questions and exercises are within the limits."""
    found = measure.faults(json.loads(path.read_text(encoding="utf-8")))
    assert found == []


def test_a_lesson_is_accepted():
    """No limit cries wolf."""
    assert measure.faults(lesson()) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda c: c[1].update(source="word " * 1400), "words without exercises; 1,500 to 2,500"),
        (lambda c: c[1].update(source="word " * 2600), "words without exercises; 1,500 to 2,500"),
        (lambda c: c[1].update(source="word"), "minutes; 15 to 45"),
        (lambda c: c[1].update(source="word " * 7000), "minutes; 15 to 45"),
        (lambda c: c[0].update(source="# Title\n\n*12 minutes.*"), "prints *12 minutes.*"),
        (lambda c: c[0].update(source="# Title"), "prints *no minutes.*"),
        (lambda c: c[6].update(source="x = 1\n" * 25), "a visible cell of 25 lines"),
        (lambda c: c[6].update(source="x = 1\n" * 16), "half of the visible cells"),
        (lambda c: c.extend([cell("code", "x = 1\n" * 15)] * 8), "lines of visible code"),
        (lambda c: c.pop(2), "3 pictures"),
        (lambda c: c[7].update(source=c[7]["source"].replace("{question}", "{note}", 1)), "1 questions"),
        (lambda c: c[7].update(source=c[7]["source"] + QUESTION * 3), "5 questions"),
        (lambda c: c[7].update(source=c[7]["source"].replace("Prove it", "Open")), "no exercise of the kind Prove it"),
        (lambda c: c[7].update(source=c[7]["source"].replace("◆ Write it · 5 min", "")), "exercises; 5"),
        (lambda c: c[7].update(source=c[7]["source"] + exercise("Open")), "6 exercises"),
    ],
)
def test_a_page_outside_a_limit_is_refused(change, found):
    """Each limit has something that it rejects."""
    damaged = copy.deepcopy(lesson())
    change(damaged["cells"])
    assert any(found in fault for fault in measure.faults(damaged))


def test_the_minutes_are_written_by_the_measure():
    """`make notebooks` puts the measured minutes under the title, whatever stood there."""
    wrong = lesson()
    wrong["cells"][0]["source"] = "# Title\n\n*99 minutes.*"
    measure.print_minutes(wrong)
    assert measure.faults(wrong) == []
    assert refresh_notebooks.print_minutes is measure.print_minutes
