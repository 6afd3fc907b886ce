"""The form of the chapters: what makes them read well on the site and in JupyterLab, and stay the same on every run.

Each guard takes a notebook and returns its faults; below them every guard is shown a notebook that it must reject.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import refresh_notebooks as refresh
from parts import ROOT

CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))

Notebook = dict[str, Any]
Guard = Callable[[Notebook], list[str]]
Change = Callable[[list[dict[str, Any]]], object]
TAGS = {"hide-cell", "hide-input", "nbval-ignore-output", "remove-cell"}
LARGEST_FIGURE = 60_000
OWN_COMMAND = r"\\(?:newcommand|def|eps|Lap|Prob|E|Var|abs|sens|above|below)(?![A-Za-z])"


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


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
    return "\n\n".join(source(cell) for _, cell in cells(notebook, "markdown"))


# --- the guards -------------------------------------------------------------------------------------------------------


def no_errors(notebook: Notebook) -> list[str]:
    """An expected exception is caught and its message printed."""
    return [f"cell {i}: an error output" for i, output in outputs(notebook) if output["output_type"] == "error"]


def executed_in_order(notebook: Notebook) -> list[str]:
    """Every code cell was executed, from top to bottom; widget cells are committed without a trace of it."""
    faults, expected = [], 0
    for i, cell in cells(notebook, "code"):
        if refresh.is_widget_cell(cell):
            if cell["execution_count"] is not None or cell["outputs"]:
                faults.append(f"cell {i}: a widget cell with outputs")
            continue
        expected += 1
        if cell["execution_count"] != expected:
            faults.append(f"cell {i}: execution count {cell['execution_count']}, not {expected}")
    return faults


def known_tags(notebook: Notebook) -> list[str]:
    """A tag that nothing reads is a mistake; a removed code cell is a widget cell and says so to nbval."""
    faults = []
    for i, cell in enumerate(notebook["cells"]):
        tags = set(cell["metadata"].get("tags", []))
        faults += [f"cell {i}: unknown tag {tag}" for tag in sorted(tags - TAGS)]
        if cell["cell_type"] == "code" and "remove-cell" in tags and "nbval-ignore-output" not in tags:
            faults.append(f"cell {i}: remove-cell without nbval-ignore-output")
    return faults


def normal_metadata(notebook: Notebook) -> list[str]:
    """Only what `make notebooks` writes: no times, no versions, nothing of an editor; a fold is one everywhere."""
    faults = [] if notebook["metadata"] == refresh.METADATA else [f"metadata: {sorted(notebook['metadata'])}"]
    for i, cell in enumerate(notebook["cells"]):
        if cell["metadata"] != refresh.metadata_of(set(cell["metadata"].get("tags", []))):
            faults.append(f"cell {i}: metadata {dict(cell['metadata'])}")
    return faults


def colon_fences(notebook: Notebook) -> list[str]:
    """JupyterLab shows a directive in backticks as code: no title, no mathematics."""
    return [
        f"cell {i}: a directive in backticks"
        for i, cell in cells(notebook, "markdown")
        if re.search(r"^\s*`{3,}\s*\{", source(cell), re.M)
    ]


def no_macros(notebook: Notebook) -> list[str]:
    """Code hosts and editors do not read a command that another cell defines: mathematics is written out."""
    text = prose(notebook)
    return [f"the macro {name}" for name in sorted(set(re.findall(OWN_COMMAND, text)))]


def display_mathematics(notebook: Notebook) -> list[str]:
    """Without a blank line on both sides of `$$` ... `$$` the site prints the dollar signs."""
    faults = []
    for i, cell in cells(notebook, "markdown"):
        lines = ["", *source(cell).split("\n"), ""]
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
        for found in re.findall(r"\\(?:left|right)(?![A-Za-z])", source(cell))
    ]


def no_trailing_semicolon(notebook: Notebook) -> list[str]:
    """It does not silence a cell for nbval; `_ = ...` does."""
    return [f"cell {i}: ends with ;" for i, cell in cells(notebook, "code") if source(cell).rstrip().endswith(";")]


def light_figures(notebook: Notebook) -> list[str]:
    """A page of heavy figures is slow on a phone: rasterise dense scatters."""
    return [
        f"cell {i}: a figure of {len(svg) / 1000:.0f} kB"
        for i, html in html_outputs(notebook)
        for svg in re.findall(r"<svg.*?</svg>", html, re.S)
        if len(svg) > LARGEST_FIGURE
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
    if len(titles) != 1 or not source(notebook["cells"][0]).startswith("# "):
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
    if not 3 <= len(exercises) <= 6 or len(exercises) != len(re.findall(r"^:{3,}\{exercise\}", text, re.M)):
        faults.append(f"{len(exercises)} exercises with a label; 3 to 6 are wanted")
    solutions = re.findall(r"^:{3,}\{solution\} (\S+)\n((?::\w+:[^\n]*\n)*)", text, re.M)
    if sorted(label for label, _ in solutions) != sorted(exercises):
        faults.append("exercises and solutions do not match")
    faults += [f"the solution of {label} is not folded" for label, options in solutions if "dropdown" not in options]
    return faults


# --- each guard rejects what it is for --------------------------------------------------------------------------------

EXERCISE = ":::{exercise}\n:label: ex-NN\n\nTry it.\n:::\n\n:::{solution} ex-NN\n:class: dropdown\n\nDone.\n:::\n"
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


def good() -> Notebook:
    """A small chapter that every guard accepts."""
    exercises = "\n".join(EXERCISE.replace("NN", str(k)) for k in range(3))
    return copy.deepcopy(
        {
            "metadata": refresh.METADATA,
            "cells": [
                markdown("# A question\n\nOne sentence.\n\n:::{prf:theorem} Title\n:label: t\n\n$$\nx\n$$\n\n:::"),
                code("1 + 1", 1, {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": "2"}}),
                code("figure", 2, shown(text_html=FIGURE)),
                code("slider", None, tags=("nbval-ignore-output", "remove-cell")),
                markdown(f"## Honest limits\n\nSome.\n\n## Exercises\n\n{exercises}\n## Take-aways\n\nThree."),
            ],
        }
    )


def said(index: int, more: str) -> Change:
    """More text at the end of a cell."""
    return lambda cells: cells[index].update(source=f"{cells[index]['source']}\n\n{more}")


def instead(index: int, old: str, new: str, count: int = -1) -> Change:
    """Other words in a cell."""
    return lambda cells: cells[index].update(source=cells[index]["source"].replace(old, new, count))


def out(index: int, **data: str) -> Change:
    """Another output."""
    return lambda cells: cells[index].update(outputs=[shown(**data)])


def tagged(index: int, *tags: str) -> Change:
    """Other tags, and no more metadata."""
    return lambda cells: cells[index].update(metadata={"tags": list(tags)})


ERROR = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
WARNING = {"output_type": "stream", "name": "stderr", "text": "Warning"}

# What is wrong, the guard that must find it, and how the small chapter comes to it.
REJECTED: dict[str, tuple[Guard, Change]] = {
    "error output": (no_errors, lambda cells: cells[1].update(outputs=[ERROR])),
    "never executed": (executed_in_order, lambda cells: cells[1].update(execution_count=None)),
    "out of order": (executed_in_order, lambda cells: cells.insert(1, cells.pop(2))),
    "widget outputs": (executed_in_order, out(3, text_plain="slider")),
    "unknown tag": (known_tags, tagged(1, "hide-inputs")),
    "removed and compared": (known_tags, tagged(3, "remove-cell")),
    "times": (normal_metadata, lambda cells: cells[1].update(metadata={"execution": {"iopub.status.busy": "2026"}})),
    "folded on the site only": (normal_metadata, tagged(2, "hide-input")),
    "backticks": (colon_fences, said(0, "```{prf:lemma}\n```")),
    "macro used": (no_macros, said(0, "$\\eps$")),
    "macro defined": (no_macros, said(0, "$\\newcommand{\\x}{y}$")),
    "text before $$": (display_mathematics, said(0, "Then\n$$\nx\n$$")),
    "text after $$": (display_mathematics, said(0, "$$\nx\n$$\nThen")),
    "$$ in a line": (display_mathematics, said(0, "Then $$x$$ follows")),
    "left and right": (breakable_formulas, said(0, "$\\left(x\\right)$")),
    "semicolon": (no_trailing_semicolon, said(1, "plot();\n")),
    "heavy figure": (light_figures, out(2, text_html=FIGURE.replace("M0 0", "M0 0" * LARGEST_FIGURE))),
    "bitmap": (figures_through_the_helper, out(2, image_png="AAAA")),
    "no alternative": (figures_through_the_helper, out(2, text_html=re.sub(' aria-label="[^"]*"', "", FIGURE))),
    "warning": (stable_outputs, lambda cells: cells[1].update(outputs=[WARNING])),
    "memory address": (stable_outputs, out(1, text_plain="<object at 0x7f00deadbeef>")),
    "random table": (stable_outputs, out(1, text_html='<table id="T_a1b2c">')),
    "script": (stable_outputs, out(1, text_html="<script>1</script>")),
    "mathematics in the title": (chapter_shape, instead(0, "# A question", "# A question of $c$", 1)),
    "two titles": (chapter_shape, instead(4, "## Honest", "# Another\n\n## Honest", 1)),
    "no card": (chapter_shape, instead(0, "prf:theorem", "note")),
    "no limits": (chapter_shape, instead(4, "Honest limits", "Limits")),
    "order": (chapter_shape, said(4, "## Honest limits")),
    "two exercises": (chapter_shape, instead(4, EXERCISE.replace("NN", "2"), "")),
    "no solution": (chapter_shape, instead(4, "{solution} ex-1", "{solution} ex-9")),
    "solution open": (chapter_shape, instead(4, ":class: dropdown\n", "", 1)),
}


# In the order of the list: a guard without anything that it must reject is none.
GUARDS = tuple(dict.fromkeys(guard for guard, _ in REJECTED.values()))


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_form(path, guard):
    """Every chapter passes every guard."""
    if guard is chapter_shape and path.name >= "90":
        pytest.skip("a page of questions has no exercises")
    assert guard(json.loads(path.read_text(encoding="utf-8"))) == []


def test_there_are_chapters():
    """The guards have something to guard."""
    assert CHAPTERS


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


def test_refresh_makes_the_form_that_the_guards_want():
    """`make notebooks` removes times, widget state and the outputs of widget cells, and counts anew."""
    notebook = refresh.nbformat.from_dict({**good(), "nbformat": 4, "nbformat_minor": 5})
    notebook["metadata"]["widgets"] = {}
    assert normal_metadata(notebook)
    notebook["cells"][1]["metadata"]["execution"] = {"iopub.status.busy": "2026-01-01"}
    notebook["cells"][1]["execution_count"] = 17
    notebook["cells"][3]["outputs"] = [shown(text_plain="slider")]
    refresh.normalise(notebook)
    assert [guard.__name__ for guard in GUARDS if guard(notebook)] == []
