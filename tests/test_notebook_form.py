"""The form of the chapters: what makes them read well on the site and in JupyterLab, and stay the same on every run.

Each guard takes a notebook and returns its faults; below them every guard is shown a notebook that it must reject.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import refresh_notebooks as refresh

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))

Notebook = dict[str, Any]
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


GUARDS = (
    no_errors,
    executed_in_order,
    known_tags,
    normal_metadata,
    colon_fences,
    no_macros,
    display_mathematics,
    breakable_formulas,
    no_trailing_semicolon,
    light_figures,
    figures_through_the_helper,
    stable_outputs,
    chapter_shape,
)


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


def damage(change: str) -> Notebook:
    """The small chapter with one fault."""
    notebook = good()
    cell = notebook["cells"]
    match change:
        case "error output":
            cell[1]["outputs"] = [{"output_type": "error", "ename": "E", "evalue": "", "traceback": []}]
        case "never executed":
            cell[1]["execution_count"] = None
        case "out of order":
            cell[1]["execution_count"], cell[2]["execution_count"] = 2, 1
        case "widget outputs":
            cell[3]["outputs"] = [shown(text_plain="slider")]
        case "unknown tag":
            cell[1]["metadata"] = {"tags": ["hide-inputs"]}
        case "removed and compared":
            cell[3]["metadata"] = {"tags": ["remove-cell"]}
        case "widget state":
            notebook["metadata"]["widgets"] = {}
        case "times":
            cell[1]["metadata"]["execution"] = {"iopub.status.busy": "2026-01-01"}
        case "backticks":
            cell[0]["source"] += "\n\n```{prf:lemma}\n```"
        case "macro used":
            cell[0]["source"] += "\n\n$\\eps$"
        case "macro defined":
            cell[0]["source"] += "\n\n$\\newcommand{\\x}{y}$"
        case "folded on the site only":
            cell[2]["metadata"] = {"tags": ["hide-input"]}
        case "text before $$":
            cell[0]["source"] += "\n\nThen\n$$\nx\n$$"
        case "text after $$":
            cell[0]["source"] += "\n\n$$\nx\n$$\nThen"
        case "$$ in a line":
            cell[0]["source"] += "\n\nThen $$x$$ follows"
        case "left and right":
            cell[0]["source"] += "\n\n$\\left(x\\right)$"
        case "semicolon":
            cell[1]["source"] = "plot();\n"
        case "heavy figure":
            cell[2]["outputs"] = [shown(text_html=FIGURE.replace("M0 0", "M0 0" * LARGEST_FIGURE))]
        case "bitmap":
            cell[2]["outputs"] = [shown(image_png="AAAA")]
        case "no alternative":
            cell[2]["outputs"] = [shown(text_html=re.sub(' aria-label="[^"]*"', "", FIGURE))]
        case "warning":
            cell[1]["outputs"] = [{"output_type": "stream", "name": "stderr", "text": "Warning"}]
        case "memory address":
            cell[1]["outputs"] = [shown(text_plain="<object at 0x7f00deadbeef>")]
        case "random table":
            cell[1]["outputs"] = [shown(text_html='<table id="T_a1b2c">')]
        case "script":
            cell[1]["outputs"] = [shown(text_html="<script>1</script>")]
        case "mathematics in the title":
            cell[0]["source"] = cell[0]["source"].replace("# A question", "# A question of $c$", 1)
        case "two titles":
            cell[4]["source"] = "# Another\n\n" + cell[4]["source"]
        case "no card":
            cell[0]["source"] = cell[0]["source"].replace("prf:theorem", "note")
        case "no limits":
            cell[4]["source"] = cell[4]["source"].replace("Honest limits", "Limits")
        case "order":
            cell[4]["source"] += "\n\n## Honest limits"
        case "two exercises":
            cell[4]["source"] = cell[4]["source"].replace(EXERCISE.replace("NN", "2"), "")
        case "no solution":
            cell[4]["source"] = cell[4]["source"].replace("{solution} ex-1", "{solution} ex-9")
        case "solution open":
            cell[4]["source"] = cell[4]["source"].replace(":class: dropdown\n", "", 1)
        case _:
            raise KeyError(change)
    return notebook


REJECTED = {
    "error output": no_errors,
    "never executed": executed_in_order,
    "out of order": executed_in_order,
    "widget outputs": executed_in_order,
    "unknown tag": known_tags,
    "removed and compared": known_tags,
    "widget state": normal_metadata,
    "times": normal_metadata,
    "backticks": colon_fences,
    "macro used": no_macros,
    "macro defined": no_macros,
    "folded on the site only": normal_metadata,
    "text before $$": display_mathematics,
    "text after $$": display_mathematics,
    "$$ in a line": display_mathematics,
    "left and right": breakable_formulas,
    "semicolon": no_trailing_semicolon,
    "heavy figure": light_figures,
    "bitmap": figures_through_the_helper,
    "no alternative": figures_through_the_helper,
    "warning": stable_outputs,
    "memory address": stable_outputs,
    "random table": stable_outputs,
    "script": stable_outputs,
    "mathematics in the title": chapter_shape,
    "two titles": chapter_shape,
    "no card": chapter_shape,
    "no limits": chapter_shape,
    "order": chapter_shape,
    "two exercises": chapter_shape,
    "no solution": chapter_shape,
    "solution open": chapter_shape,
}


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_guard_accepts_a_good_chapter(guard):
    """No guard cries wolf."""
    assert guard(good()) == []


@pytest.mark.parametrize("change", REJECTED)
def test_guard_rejects_a_damaged_chapter(change):
    """One fault is enough for the guard that is there for it."""
    assert REJECTED[change](damage(change))


def test_every_guard_has_something_to_reject():
    """A guard that cannot fail is a defect."""
    assert set(REJECTED.values()) == set(GUARDS)


def test_refresh_makes_the_form_that_the_guards_want():
    """`make notebooks` removes times, widget state and the outputs of widget cells, and counts anew."""
    notebook = refresh.nbformat.from_dict({**damage("widget state"), "nbformat": 4, "nbformat_minor": 5})
    notebook["cells"][1]["metadata"]["execution"] = {"iopub.status.busy": "2026-01-01"}
    notebook["cells"][1]["execution_count"] = 17
    notebook["cells"][3]["outputs"] = [shown(text_plain="slider")]
    refresh.normalise(notebook)
    assert [guard.__name__ for guard in GUARDS if guard(notebook)] == []
