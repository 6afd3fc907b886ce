"""The assignable notebooks: form, points, that their solutions earn all of them, and that students see none."""

from __future__ import annotations

import copy
import io
import re
import zipfile
from typing import Any

import coursework
import grade_tests
import make_assignment
import nbformat
import pytest
from parts import one_in

SOURCES = coursework.sources()
ALL = pytest.mark.parametrize("name", SOURCES)


def solved(notebook: Any) -> Any:
    """The notebook with its outputs, run in this process."""
    made, names = copy.deepcopy(notebook), {}
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.from_dict(output) for output in grade_tests.run_cell(cell.source, names)]
    return made


def marks(notebook: Any) -> dict[str, float | None]:
    return {coursework.grade_id(c): coursework.earned(c) for c in notebook.cells if coursework.is_graded(c)}


# --- form -------------------------------------------------------------------------------------------------------------


@ALL
def test_every_cell_is_one_that_nbgrader_knows(name):
    """A grade id of its own, schema 3, no outputs, answers unlocked and everything else locked."""
    notebook = SOURCES[name]
    nbformat.validate(notebook)
    ids = [coursework.grade_id(cell) for cell in notebook.cells]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        told = coursework.meta(cell)
        assert told["schema_version"] == 3
        assert told["task"] is False
        assert told["locked"] is not coursework.is_answer(cell)
        assert ("points" in told) is coursework.is_graded(cell)
        assert cell.get("outputs", []) == []


@ALL
def test_the_points_and_minutes_are_those_it_says(name):
    """Twenty points in 60 to 90 minutes: the title says so, the headings add up to it, the cells are worth it."""
    notebook = SOURCES[name]
    title = notebook.cells[0].source
    total, minutes = (int(x) for x in re.search(r"\*\*(\d+) points, about (\d+) minutes\.", title).groups())
    said = [
        (float(p), int(m), cells)
        for heading, cells in coursework.questions(notebook)
        for p, m in re.findall(r"\((\d+) points?, (\d+) min\)$", heading)
    ]
    assert len(said) == len(list(coursework.questions(notebook)))
    for stated, _, cells in said:
        assert sum(coursework.points(cell) for cell in cells if coursework.is_graded(cell)) == stated
    assert (sum(p for p, _, _ in said), sum(m for _, m, _ in said)) == (total, minutes)
    assert total == 20
    assert 60 <= minutes <= 90


@ALL
def test_every_answer_has_a_solution_and_every_question_a_test(name):
    for _, cells in coursework.questions(SOURCES[name]):
        answers = [cell for cell in cells if coursework.is_answer(cell)]
        assert answers
        assert all("### BEGIN SOLUTION" in cell.source for cell in answers)
        assert any(map(coursework.is_graded, cells))
        for cell in answers:
            if cell.cell_type == "markdown":
                assert "*Rubric:" in cell.source


# --- solutions --------------------------------------------------------------------------------------------------------


def test_its_own_solutions_earn_every_point():
    """All that a machine can give; what is left is for a person.  The other notebooks: `test_sandbox.py`, shut in."""
    notebook = solved(SOURCES["e1_foundations"])
    wrong = {coursework.grade_id(c): coursework.error(c) for c in notebook.cells if coursework.error(c)}
    assert wrong == {}
    for cell in notebook.cells:
        if coursework.is_graded(cell):
            assert coursework.earned(cell) == (None if coursework.is_answer(cell) else coursework.points(cell))


def loop(name, parameters, bar, nu, stop="1", threshold="threshold", above=">="):
    """A program with two scales of noise, which stops after so many positives."""
    return f"""def {name}({parameters}):
    bar, said = {threshold} + {bar}, []
    for answer in answers:
        said.append(bool(answer + {nu} {above} bar))
        if sum(said) == {stop}:
            break
    return said"""


BESIDE = {  # answers that are none, and passed: the notebook, what is written into its cell, the tests that must fail
    "a split where no variance is left": (
        "e3_better_svts",
        {"q1": "def best_split(c, monotonic): return -1.000002 if monotonic else -1.000001"},
        {"q1-general", "q1-monotonic"},
    ),
    "a threshold raised by more than a tenth too much": (
        "e3_better_svts",
        {"q6-program": 'lean = svt.variant("svt_exp").calibrate(epsilon=1.0)', "q6": "raised = 16.1"},
        {"q6-test"},
    ),
    "one shot of noise that only suffices for counts": (
        "e4_selecting_the_top_c",
        {
            "q2": """def select(scores, c, epsilon, rng):
    return np.argsort(-(np.asarray(scores) + rng.gumbel(0, c / epsilon, size=len(scores))))[:c]"""
        },
        {"q2-law"},
    ),
    "one shot of Laplace noise": (
        "e4_selecting_the_top_c",
        {
            "q2": """def select(scores, c, epsilon, rng):
    return np.argsort(-(np.asarray(scores) + rng.laplace(0, 2 * c / epsilon, size=len(scores))))[:c]"""
        },
        {"q2-law"},
    ),
    "no verdict on what cannot be decided": (
        "e2_algorithms_on_trial",
        {"q5": "def machine(answers, threshold, epsilon, c, rng): return []\nis_private = None"},
        {"q5-verdict"},
    ),
    "a run until the second positive": (
        "e1_foundations",
        {
            "q4": """def above_threshold(answers, threshold, epsilon, sensitivity, rng):
    bar, said = threshold + rng.laplace(0, 2 * sensitivity / epsilon), []
    for answer in answers:
        said.append(bool(answer + rng.laplace(0, 8 * sensitivity / epsilon) >= bar))
        if sum(said) == 2:
            break
    return said"""
        },
        {"q4-spent"},
    ),
    "the first positive alone, where c was asked for": (
        "e2_algorithms_on_trial",
        {
            "q4": loop(
                "standard",
                "answers, threshold, epsilon, c, sensitivity, rng, share=0.5",
                "rng.laplace(0, sensitivity / share / epsilon)",
                "rng.laplace(0, 2 * sensitivity / (1 - share) / epsilon)",
            )
        },
        {"q4-private", "q4-split"},
    ),
    "noise that is large enough for anything": (
        "e2_algorithms_on_trial",
        {
            "q5": "def machine(answers, threshold, epsilon, c, rng): return []\nis_private = True\n"
            + loop(
                "mended",
                "answers, threshold, epsilon, c, rng",
                "rng.laplace(0, 2000 / epsilon)",
                "rng.laplace(0, 4000 * c / epsilon)",
                "c",
            )
        },
        {"q5-mended"},
    ),
    "parts of a budget that are no thirds": (
        "e3_better_svts",
        {
            "q2": """def with_numbers(answers, threshold, epsilon, c, rng):
    bar, said, found = threshold + rng.laplace(0, 20 / epsilon), [], 0
    for answer in answers:
        if answer + rng.laplace(0, 2 * c / (2 / 3 - 0.05) / epsilon) >= bar:
            said.append(float(answer + rng.laplace(0, 3 * c / epsilon)))
            found += 1
            if found == c:
                break
        else:
            said.append(False)
    return said"""
        },
        {"q2-spent"},
    ),
    "one-sided noise for the first positive alone": (
        "e3_better_svts",
        {
            "q3": loop(
                "one_sided",
                "answers, threshold, epsilon, c, rng",
                "rng.laplace(0, 2 / epsilon)",
                "rng.exponential(4 / epsilon)",
            )
        },
        {"q3-test"},
    ),
    "a clipping bound at the second positive": (
        "e5_svt_at_work",
        {
            "q2": "def clipping_answers(ages, bounds): return [-int((np.asarray(ages) > b).sum()) for b in bounds]\n"
            + loop(
                "first_above",
                "answers, threshold, epsilon, rng",
                "rng.laplace(0, 2 / epsilon)",
                "rng.laplace(0, 4 / epsilon)",
                "2",
            )
        },
        {"q2-private"},
    ),
    "no threshold": (
        "e1_foundations",
        {
            "q4": loop(
                "above_threshold",
                "answers, threshold, epsilon, sensitivity, rng",
                "rng.laplace(0, 2 * sensitivity / epsilon)",
                "rng.laplace(0, 4 * sensitivity / epsilon)",
                threshold="0",
            )
        },
        {"q4-private", "q4-spent"},
    ),
    "which answers are below": (
        "e2_algorithms_on_trial",
        {
            "q4": loop(
                "standard",
                "answers, threshold, epsilon, c, sensitivity, rng, share=0.5",
                "rng.laplace(0, sensitivity / share / epsilon)",
                "rng.laplace(0, 2 * c * sensitivity / (1 - share) / epsilon)",
                "c",
                above="<=",
            )
        },
        {"q4-private", "q4-split"},
    ),
    "numbers that are no answers": (
        "e3_better_svts",
        {
            "q2": """def with_numbers(answers, threshold, epsilon, c, rng):
    bar, said, found = threshold + rng.laplace(0, 3 / epsilon), [], 0
    for answer in answers:
        if answer + rng.laplace(0, 6 * c / epsilon) >= bar:
            said.append(float(5000 - answer + rng.laplace(0, 3 * c / epsilon)))
            found += 1
            if found == c:
                break
        else:
            said.append(False)
    return said"""
        },
        {"q2-private", "q2-spent"},
    ),
    "mended until nothing is asked": (
        "e6_find_the_bug",
        {
            f"q{k}-mend": loop(
                f"mended_{name}",
                "answers, threshold, epsilon, c, rng",
                "rng.laplace(0, 2 / epsilon)",
                "rng.laplace(0, 4 * c / epsilon)",
                "c",
                threshold="7",
            )
            for k, name in ((1, "anna"), (2, "boris"), (3, "chen"), (5, "emil"))
        },
        {"q1-mended", "q2-mended", "q3-mended", "q5-mended"},
    ),
    "two passes, which lose no more than the claim": (
        "e4_selecting_the_top_c",
        {"q4": "answers, neighbour, passes = [507.5] * 5, [508.5] * 5, 2"},
        {"q4-test"},
    ),
    "bills of one budget": (
        "e4_selecting_the_top_c",
        {"q5": "cost_shared = lambda passes, epsilon: 0.4\ncost_redrawn = lambda passes, epsilon: 0.2 * passes + 0.2"},
        {"q5-bills"},
    ),
    "neighbours whose difference runs over": (
        "e5_svt_at_work",
        {
            "q5-program": 'vendor = svt.sampler_of(svt.variant("alg4").calibrate(epsilon=1.0, c=1))',
            "q5": "answers, neighbour = np.array([-(2**63)]), np.array([2**63 - 1])",
        },
        {"q5-test"},
    ),
}


@pytest.mark.parametrize("what", one_in(9, BESIDE))
def test_an_answer_beside_the_question_earns_nothing(what):
    """Only its own cells run; the solutions pass them."""
    name, answers, tests = BESIDE[what]
    notebook = copy.deepcopy(SOURCES[name])
    notebook.cells = [c for c in notebook.cells if coursework.grade_id(c) in {"setup", *answers, *tests}]
    assert all(marks(solved(notebook)).values())
    for cell in notebook.cells:
        cell.source = answers.get(coursework.grade_id(cell), cell.source)
    assert set(marks(solved(notebook)).values()) == {0.0}


RIGHT = {  # answers that the question accepts, and lost points: the notebook, what is added to its cell, the test
    "a whole number of numpy's": ("e4_selecting_the_top_c", "q4", "passes = np.ceil(1 / 0.4999)", "q4-test"),
    "nearly a tenth above the best": ("e3_better_svts", "q6", "raised *= 1.0999", "q6-test"),
    "a tenth below the best": ("e3_better_svts", "q6", "raised *= 0.9", "q6-test"),
}


@pytest.mark.parametrize("what", RIGHT)
def test_an_answer_that_the_question_accepts_earns_every_point(what):
    """Where the text leaves a choice the test leaves it, too."""
    name, answer, more, test = RIGHT[what]
    notebook = copy.deepcopy(SOURCES[name])
    own = {"setup", f"{answer}-program", answer, test}
    notebook.cells = [c for c in notebook.cells if coursework.grade_id(c) in own]
    next(c for c in notebook.cells if coursework.grade_id(c) == answer).source += f"\n{more}"
    made = solved(notebook)
    assert marks(made)[test] == coursework.points(made.cells[-1]), coursework.error(made.cells[-1])


@pytest.mark.parametrize("name", one_in(len(SOURCES), SOURCES))
def test_an_empty_notebook_earns_nothing(name):
    """Handed out and handed in; and with the hidden tests back in it."""
    notebook = copy.deepcopy(SOURCES[name])
    for cell, blank in zip(notebook.cells, coursework.student_version(notebook).cells, strict=True):
        if coursework.is_answer(cell):
            cell.source = blank.source
    assert set(marks(solved(notebook)).values()) == {0.0}
    assert set(marks(solved(coursework.student_version(SOURCES[name]))).values()) == {0.0}


@pytest.mark.full
@ALL
def test_what_a_student_sees_passes_with_the_solutions_in_it(name):
    """The visible tests run without the hidden ones: no name is missing."""
    visible = coursework.student_version(SOURCES[name])
    for cell, full in zip(visible.cells, SOURCES[name].cells, strict=True):
        if coursework.is_answer(cell):
            cell.source = full.source
    assert [coursework.error(cell) for cell in solved(visible).cells if coursework.error(cell)] == []


# --- what students get ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, bytes]:
    """Everything in the zip, and in the wheel in it."""
    output = tmp_path_factory.mktemp("assignment") / "a.zip"
    make_assignment.make(output, [])
    found = {}
    with zipfile.ZipFile(output) as outer:
        for name in outer.namelist():
            found[name] = outer.read(name)
            if name.endswith(".whl"):
                with zipfile.ZipFile(io.BytesIO(found[name])) as inner:
                    found |= {f"{name}/{part}": inner.read(part) for part in inner.namelist()}
    return found


def leaks(files: dict[str, bytes], notebooks: dict[str, Any]) -> list[str]:
    """Where a marker, a line of a hidden test or a line of a solution is found."""
    hidden = {line for notebook in notebooks.values() for line in coursework.inside(notebook, "HIDDEN TESTS")}
    answers = {line for notebook in notebooks.values() for line in coursework.inside(notebook, "SOLUTION")}
    seen = {
        line.strip()
        for notebook in notebooks.values()
        for cell in coursework.student_version(notebook).cells
        for line in cell.source.split("\n")
    }
    found = []
    for name, content in files.items():
        if name.endswith(".whl"):
            continue
        text = content.decode("utf-8", "replace")
        lines = [mark for mark in coursework.STUDENT_MUST_NOT_SEE if mark in text]
        if name.endswith(".ipynb"):
            cells = nbformat.reads(text, 4).cells
            shown = {line.strip() for cell in cells for line in cell.source.split("\n")}
            shown |= {line.strip() for cell in cells for line in str(cell.get("outputs", "")).split("\n")}
            lines += sorted(shown & ((hidden | answers) - seen))
        else:
            lines += [line for line in hidden - seen if len(line) > 30 and line in text]
        found += [f"{name}: {line}" for line in lines]
    return found


def test_the_zip_has_no_solution_and_no_hidden_test(files):
    """Every file of it was searched, the wheel too."""
    assert leaks(files, SOURCES) == []
    assert sum(name.endswith(".ipynb") for name in files) == len(SOURCES)
    assert any(name.endswith("svtcourse/judge/judge.py") for name in files)
    assert any(name.endswith("svtcourse/explorers/frame.py") for name in files)
    assert any(name.endswith("svtlib/data/claims.csv") for name in files)


@ALL
@pytest.mark.parametrize("part", ["SOLUTION", "HIDDEN TESTS"])
def test_a_leak_is_found(name, part):
    """One line that was forgotten is one too many, and so is a marker."""
    blank = coursework.student_version(SOURCES[name])
    for line in (f"### BEGIN {part}", max(coursework.inside(SOURCES[name], part), key=len)):
        forgotten = copy.deepcopy(blank)
        forgotten.cells[-1].source += "\n" + line
        assert leaks({f"{name}.ipynb": nbformat.writes(forgotten).encode()}, SOURCES)


@pytest.mark.parametrize(
    "source",
    ["### BEGIN SOLUTION\nx = 1", "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"],
    ids=["no end", "nested"],
)
def test_a_damaged_marker_stops_the_assignment(source):
    """Rather than hand out half of a solution."""
    name = next(iter(SOURCES))
    notebook = copy.deepcopy(SOURCES[name])
    next(cell for cell in notebook.cells if coursework.is_answer(cell)).source = source
    with pytest.raises(ValueError, match="SOLUTION must"):
        coursework.student_version(notebook)


def test_a_solution_in_the_wrong_cell_stops_the_assignment():
    name = next(iter(SOURCES))
    notebook = copy.deepcopy(SOURCES[name])
    notebook.cells[1].source += "\n### BEGIN SOLUTION\n### END SOLUTION"
    with pytest.raises(ValueError, match="in a solution cell"):
        coursework.student_version(notebook)


# --- points -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "points"),
    [
        ([], 4.0),
        ([nbformat.v4.new_output("stream", text="fine")], 4.0),
        ([nbformat.v4.new_output("execute_result", data={"text/plain": "2.5"})], 2.5),
        ([nbformat.v4.new_output("execute_result", data={"text/plain": "9"})], 4.0),
        ([nbformat.v4.new_output("execute_result", data={"text/plain": "'yes'"})], 4.0),
        ([nbformat.v4.new_output("error", ename="AssertionError", evalue="no")], 0.0),
    ],
    ids=["nothing", "printed", "a part", "too much", "no number", "an error"],
)
def test_points_are_counted_as_nbgrader_counts_them(outputs, points):
    told = {"grade": True, "solution": False, "grade_id": "x", "points": 4, "locked": True}
    cell = nbformat.v4.new_code_cell("1", metadata={"nbgrader": told}, outputs=outputs)
    assert coursework.earned(cell) == points
