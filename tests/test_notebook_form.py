"""The form of the chapters: lessons of a length, that read well on the site and in JupyterLab, the same on every run.

Each guard takes a notebook and returns its faults; below them every guard is shown a notebook that it must reject.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import measure
import pytest
import refresh_notebooks as refresh
from parts import ROOT

CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))
QUESTIONS_AND_ANSWERS = "90"  # from here on pages of these, without exercises

Notebook = dict[str, Any]
Guard = Callable[[Notebook], list[str]]
Change = Callable[[list[dict[str, Any]]], object]
TAGS = {"hide-cell", "hide-input", "nbval-ignore-output", "remove-cell"}
OWN_COMMAND = r"\\(?:newcommand|def|eps|Lap|Prob|E|Var|abs|sens|above|below)(?![A-Za-z])"


def cells(notebook: Notebook, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for index, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == kind:
            yield index, cell


def outputs(notebook: Notebook) -> Iterator[tuple[int, dict[str, Any]]]:
    for index, cell in cells(notebook, "code"):
        for output in cell["outputs"]:
            yield index, output


def html_outputs(notebook: Notebook) -> Iterator[tuple[int, str]]:
    for index, output in outputs(notebook):
        if "text/html" in output.get("data", {}):
            yield index, "".join(output["data"]["text/html"])


def prose(notebook: Notebook) -> str:
    return "\n\n".join(measure.text(cell) for _, cell in cells(notebook, "markdown"))


# --- the guards -------------------------------------------------------------------------------------------------------


def as_refreshed(notebook: Notebook) -> list[str]:
    """Executed from top to bottom, no times, versions or traces of widgets and editors, folded on every host."""
    again = copy.deepcopy(notebook)
    refresh.normalise(again)
    faults = [] if again["metadata"] == notebook["metadata"] else ["other metadata"]
    return faults + [f"cell {i}" for i, cell in enumerate(notebook["cells"]) if cell != again["cells"][i]]


def known_tags(notebook: Notebook) -> list[str]:
    """A tag that nothing reads is a mistake; a removed code cell is a widget cell and says so to nbval."""
    faults = []
    for i, cell in enumerate(notebook["cells"]):
        tags = set(cell["metadata"].get("tags", []))
        faults += [f"cell {i}: unknown tag {tag}" for tag in sorted(tags - TAGS)]
        if cell["cell_type"] == "code" and "remove-cell" in tags and "nbval-ignore-output" not in tags:
            faults.append(f"cell {i}: remove-cell without nbval-ignore-output")
    return faults


def colon_fences(notebook: Notebook) -> list[str]:
    """JupyterLab shows a directive in backticks as code: no title, no mathematics."""
    return [
        f"cell {i}: a directive in backticks"
        for i, cell in cells(notebook, "markdown")
        if re.search(r"^\s*`{3,}\s*\{", measure.text(cell), re.M)
    ]


def no_macros(notebook: Notebook) -> list[str]:
    """Code hosts and editors do not read a command that another cell defines: mathematics is written out."""
    text = prose(notebook)
    return [f"the macro {name}" for name in sorted(set(re.findall(OWN_COMMAND, text)))]


def display_mathematics(notebook: Notebook) -> list[str]:
    """Without a blank line on both sides of `$$` ... `$$` the site prints the dollar signs."""
    faults = []
    for i, cell in cells(notebook, "markdown"):
        lines = ["", *measure.text(cell).split("\n"), ""]
        inside = False
        for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
            for _ in range(line.count("$$")):
                if not inside and (before.strip() or not line.lstrip().startswith("$$")):
                    faults.append(f"cell {i}: no blank line before {line.strip()!r}")
                inside = not inside
            if "$$" in line and not inside and after.strip():
                faults.append(f"cell {i}: no blank line after {line.strip()!r}")
    return faults


def breakable_formulas(notebook: Notebook) -> list[str]:
    """A formula between left and right delimiters that grow cannot break on a phone; bigl and bigr can."""
    return [
        f"cell {i}: {found}"
        for i, cell in cells(notebook, "markdown")
        for found in re.findall(r"\\(?:left|right)(?![A-Za-z])", measure.text(cell))
    ]


def no_trailing_semicolon(notebook: Notebook) -> list[str]:
    """It does not silence a cell for nbval; `_ = ...` does."""
    return [
        f"cell {i}: ends with ;" for i, cell in cells(notebook, "code") if measure.text(cell).rstrip().endswith(";")
    ]


def figures_through_the_helper(notebook: Notebook) -> list[str]:
    """`svtcourse.figures.display` gives a figure its text alternative and the colours of the page."""
    faults = []
    for i, output in outputs(notebook):
        faults += [
            f"cell {i}: an output of type {kind}" for kind in output.get("data", {}) if kind.startswith("image/")
        ]
    for i, html in html_outputs(notebook):
        faults += [
            f"cell {i}: a figure without a text alternative"
            for head in re.findall(r"<svg[^>]*>", html)
            if not re.search(r'aria-label="[^"]{10,}"', head) or 'role="img"' not in head
        ]
    return faults


def stable_outputs(notebook: Notebook) -> list[str]:
    """No warnings, memory addresses, random table ids or scripts: they differ between runs, or ask other hosts."""
    faults = []
    for i, output in outputs(notebook):
        if output.get("name") == "stderr":
            faults.append(f"cell {i}: output on stderr")
        shown = json.dumps(output, ensure_ascii=False)
        faults += [
            f"cell {i}: {found}" for found in re.findall(r"\bat 0x[0-9a-f]{6,}|\bT_[0-9a-f]{5}\b|<script", shown)
        ]
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
            faults.append(f"cell {i}: a saved widget")
    return faults


def chapter_shape(notebook: Notebook) -> list[str]:
    """Title, statement card, honest limits, exercises with folded solutions, take-aways: always in this order."""
    text = prose(notebook)
    faults = []
    titles = re.findall(r"^# .+$", text, re.M)
    if len(titles) != 1 or not measure.text(notebook["cells"][0]).startswith("# "):
        faults.append("the first cell must begin with the only title of first level")
    if any("$" in title for title in titles):
        faults.append("no mathematics in the title: the contents show it on pages that do not load MathJax")
    if not re.search(r"^:{3,}\{prf:(algorithm|definition|theorem)\}", text, re.M):
        faults.append("no statement card: {prf:algorithm}, {prf:definition} or {prf:theorem}")
    sections = re.findall(r"^## (.+?)\s*$", text, re.M)
    last = ["Honest limits", "Exercises", "Take-aways"]
    if [name for name in sections if name in last] != last:
        faults.append(f"the sections {', '.join(last)} must occur once each, in this order")
    exercises = re.findall(r"^:{3,}\{exercise\}[^\n]*\n:label: (\S+)", text, re.M)
    if len(exercises) != len(re.findall(r"^:{3,}\{exercise\}", text, re.M)):
        faults.append("an exercise without a label")
    solutions = re.findall(r"^:{3,}\{solution\} (\S+)\n((?::\w+:[^\n]*\n)*)", text, re.M)
    if sorted(label for label, _ in solutions) != sorted(exercises):
        faults.append("exercises and solutions do not match")
    faults += [f"the solution of {label} is not folded" for label, options in solutions if "dropdown" not in options]
    return faults


# --- each guard rejects what it is for --------------------------------------------------------------------------------

QUESTION = ":::{question}\nWhich?\n\n- [ ] This.\n\n  No.\n- [x] That.\n\n  Yes.\n:::\n"
FIGURE = '<svg role="img" aria-label="Noise against the number of queries"><path d="M0 0"/></svg>'


def markdown(text: str, *tags: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {"tags": list(tags)} if tags else {}, "source": text}


def code(text: str, count: int | None, *found: dict[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": refresh.metadata_of(set(tags)),
        "source": text,
        "execution_count": count,
        "outputs": list(found),
    }


def shown(**data: str) -> dict[str, Any]:
    kinds = {kind.replace("_", "/", 1): value for kind, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": kinds}


def exercise(kind: str) -> str:
    label = f"ex-{kind.split()[0].lower()}"
    task = f":::{{exercise}} ◆ {kind} · 5 min\n:label: {label}\n\nTry.\n:::\n\n"
    return task + f"::::{{solution}} {label}\n:class: dropdown\n\nDone.\n::::\n"


def good() -> Notebook:
    """A small chapter that every guard accepts."""
    exercises = "\n".join(map(exercise, measure.KINDS))
    card = ":::{prf:theorem} Title\n:label: t\n\n$$\nx\n$$\n\n:::"
    made = copy.deepcopy(
        {
            "metadata": refresh.METADATA,
            "cells": [
                markdown(f"# A question\n\n*11 minutes.*\n\n{card}"),
                code("1 + 1", 1, shown(text_plain="2")),
                code("figure", 2, shown(text_html=FIGURE * 4)),
                code("slider", None, tags=("nbval-ignore-output", "remove-cell")),
                markdown("word " * 1650 + f"\n\n{QUESTION}\n{QUESTION}"),
                code("z = 3\n" * 199 + "z = 3", 3, tags=("hide-cell",)),
                markdown(f"## Honest limits\n\nSome.\n\n## Exercises\n\n{exercises}\n## Take-aways\n\nThree."),
            ],
        }
    )
    measure.print_minutes(made)
    return made


def more(index: int, text: str) -> Change:
    """More text at the end of a cell."""
    return lambda cells: cells[index].update(source=f"{cells[index]['source']}\n\n{text}")


def instead(index: int, old: str, new: str, count: int = -1) -> Change:
    """Other words in a cell."""
    return lambda cells: cells[index].update(source=cells[index]["source"].replace(old, new, count))


def out(index: int, **data: str) -> Change:
    """Another output."""
    return lambda cells: cells[index].update(outputs=[shown(**data)])


def tagged(index: int, *tags: str) -> Change:
    """Other tags, and no more metadata."""
    return lambda cells: cells[index].update(metadata={"tags": list(tags)})


WARNING = {"output_type": "stream", "name": "stderr", "text": "Warning"}

# What is wrong, the guard that must find it, and how the small chapter comes to it.
REJECTED: dict[str, tuple[Guard, Change]] = {
    "never executed": (as_refreshed, lambda cells: cells[1].update(execution_count=None)),
    "out of order": (as_refreshed, lambda cells: cells.insert(1, cells.pop(2))),
    "widget outputs": (as_refreshed, out(3, text_plain="slider")),
    "unknown tag": (known_tags, tagged(1, "hide-inputs")),
    "removed and compared": (known_tags, tagged(3, "remove-cell")),
    "times": (
        as_refreshed,
        lambda cells: cells[1].update(metadata={"execution": {"iopub.status.busy": "2026"}}),
    ),
    "folded on the site only": (as_refreshed, tagged(2, "hide-input")),
    "backticks": (colon_fences, more(0, "```{prf:lemma}\n```")),
    "macro used": (no_macros, more(0, "$\\eps$")),
    "macro defined": (no_macros, more(0, "$\\newcommand{\\x}{y}$")),
    "text before $$": (display_mathematics, more(0, "Then\n$$\nx\n$$")),
    "text after $$": (display_mathematics, more(0, "$$\nx\n$$\nThen")),
    "$$ in a line": (display_mathematics, more(0, "Then $$x$$ follows")),
    "left and right": (breakable_formulas, more(0, "$\\left(x\\right)$")),
    "semicolon": (no_trailing_semicolon, more(1, "plot();\n")),
    "bitmap": (figures_through_the_helper, out(2, image_png="AAAA")),
    "no alternative": (figures_through_the_helper, out(2, text_html=re.sub(' aria-label="[^"]*"', "", FIGURE))),
    "warning": (stable_outputs, lambda cells: cells[1].update(outputs=[WARNING])),
    "memory address": (stable_outputs, out(1, text_plain="<object at 0x7f00deadbeef>")),
    "random table": (stable_outputs, out(1, text_html='<table id="T_a1b2c">')),
    "script": (stable_outputs, out(1, text_html="<script>1</script>")),
    "mathematics in the title": (chapter_shape, instead(0, "# A question", "# A question of $c$", 1)),
    "two titles": (chapter_shape, instead(6, "## Honest", "# Another\n\n## Honest", 1)),
    "no card": (chapter_shape, instead(0, "prf:theorem", "note")),
    "no limits": (chapter_shape, instead(6, "Honest limits", "Limits")),
    "order": (chapter_shape, more(6, "## Honest limits")),
    "an exercise without a label": (chapter_shape, instead(6, ":label: ex-open\n", "")),
    "no solution": (chapter_shape, instead(6, "{solution} ex-open", "{solution} ex-9")),
    "solution open": (chapter_shape, instead(6, ":class: dropdown\n", "", 1)),
}


# What is outside a limit of `tools/measure.py`, what it says of it, and how the small chapter comes to it.
OUTSIDE: dict[str, tuple[str, Change]] = {
    "few words": ("words without exercises; 1,500 to 2,500", lambda cells: cells[4].update(source="word " * 1400)),
    "many words": ("words without exercises; 1,500 to 2,500", more(4, "word " * 1000)),
    "few minutes": ("minutes; 15 to 45", lambda cells: cells[4].update(source="word")),
    "many minutes": ("minutes; 15 to 45", more(4, "word " * 7000)),
    "other minutes": ("prints *12 minutes.*", lambda cells: cells[0].update(source="# Title\n\n*12 minutes.*")),
    "no minutes": ("prints *no minutes.*", lambda cells: cells[0].update(source="# Title")),
    "a long cell": ("a visible cell of 25 lines", lambda cells: cells[1].update(source="x = 1\n" * 25)),
    "long cells": ("half of the visible cells", lambda cells: cells.extend([code("x = 1\n" * 16, 4)] * 3)),
    "much code": ("lines of visible code", lambda cells: cells.extend([code("x = 1\n" * 15, 4)] * 8)),
    "few pictures": ("3 pictures", out(2, text_html=FIGURE * 3)),
    "one question": ("1 questions", instead(4, "{question}", "{note}", 1)),
    "five questions": ("5 questions", more(4, QUESTION * 3)),
    "no proof to write": ("no exercise of the kind Prove it", instead(6, "Prove it", "Open")),
    "an exercise without a kind": ("exercises; 5", instead(6, "◆ Write it · 5 min", "")),
    "six exercises": ("6 exercises", more(6, exercise("Open"))),
}

# In the order of the list: a guard without anything that it must reject is none.
GUARDS = (*dict.fromkeys(guard for guard, _ in REJECTED.values()), measure.faults)
OF_LESSONS = (chapter_shape, measure.faults)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_form(path, guard):
    """Every chapter passes every guard."""
    if guard in OF_LESSONS and path.name >= QUESTIONS_AND_ANSWERS:
        pytest.skip("a page of questions has no exercises")
    assert guard(json.loads(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_guard_accepts_a_good_chapter(guard):
    """No guard cries wolf."""
    assert guard(good()) == []


@pytest.mark.parametrize("what", REJECTED)
def test_guard_rejects_a_damaged_chapter(what):
    """One fault is enough for the guard that is there for it."""
    guard, change = REJECTED[what]
    notebook = good()
    change(notebook["cells"])
    assert guard(notebook)


@pytest.mark.parametrize("what", OUTSIDE)
def test_a_chapter_outside_a_limit_is_rejected(what):
    limit, change = OUTSIDE[what]
    notebook = good()
    change(notebook["cells"])
    assert any(limit in fault for fault in measure.faults(notebook))


def test_the_minutes_are_written_by_the_measure():
    """`make notebooks` puts the measured minutes under the title, whatever stood there."""
    notebook = good()
    OUTSIDE["other minutes"][1](notebook["cells"])
    measure.print_minutes(notebook)
    assert measure.faults(notebook) == []
