"""The reader's edition: plain Markdown, numbers as on the site, figures as pictures, and a reader's changes kept."""

from __future__ import annotations

import base64
import re

import edition_text
import nbformat
import pytest
import readers_edition
import student_site
import svt_launch
from bs4 import BeautifulSoup
from nbformat.sign import NotebookNotary
from parts import HTML, ROOT

FOLDER = ROOT / readers_edition.FOLDER
ADDRESS = "https://github.com/some/where"
EDITIONS = dict(readers_edition.made(ROOT, FOLDER))
LEFT_OVER = re.compile(
    r":::|\{(?:prf|cite|ref|eq|numref|term|doc|func)\b[^}]*\}`|^\([\w.-]+\)=|^:label:|- \[[ x]\]", re.M
)
NAMES = sorted(EDITIONS)


def edition(**known: object) -> edition_text.Edition:
    return edition_text.Edition(ROOT, FOLDER, **known)


def markdown(name: str) -> str:
    return "\n\n".join(cell.source for cell in EDITIONS[name].cells if cell.cell_type == "markdown")


def code(name: str) -> list:
    return [cell for cell in EDITIONS[name].cells if cell.cell_type == "code"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_that_markdown_does_not_know(name):
    """No directive, role, target or task list; details are closed, with blank lines inside; the notebook is valid."""
    nbformat.validate(EDITIONS[name])
    text = markdown(name)
    assert not LEFT_OVER.search(text), LEFT_OVER.search(text)
    assert text.count("<details>") == text.count("</details>") == len(re.findall(r"</summary>\n(?:> *)?\n", text))
    assert all(len(re.findall(r"(?<!\\)\$\$", line)) in (0, 2) for line in text.split("\n") if line.startswith(">"))


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_file(name):
    """Another chapter beside it, another page where it lies."""
    for path in re.findall(r"\]\(([^()\s#]+)[^()\s]*\)", markdown(name)):
        if not path.startswith("https://"):
            assert path in EDITIONS or (FOLDER / path).resolve().is_file(), path


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_pictures_and_what_is_folded_says_so(name):
    """An image with words and paper of its own; what is folded is so in Colab too; the code is unchanged."""
    source = nbformat.read(ROOT / "chapters" / name, 4)
    ours = [cell.source for cell in source.cells if cell.cell_type == "code"]
    install, *cells = code(name)
    assert "find_spec" in install.source and [cell.source for cell in cells] == ours
    for cell in cells:
        tags = set(cell.metadata.get("tags", []))
        folded = bool(tags & {"hide-input", "hide-cell", "remove-cell"})
        assert folded == bool(cell.metadata.get("jupyter", {}).get("source_hidden")) == ("cellView" in cell.metadata)
        for output in cell.outputs:
            page = output.get("data", {}).get("text/html", "")
            assert "<svg" not in page
            if page.startswith("<img"):
                alt, data = re.fullmatch(r'<img alt="([^"]{20,})" width="\d+" src="data:[^,]+,([^"]+)">', page).groups()
                svg = BeautifulSoup(base64.b64decode(data), "xml").svg
                assert svg.rect["fill"] == readers_edition.PAPER and "color:" in svg["style"] and alt


@pytest.mark.parametrize("name", NAMES)
def test_what_is_below_a_solutions_heading_is_its_code(name):
    """The heading is folded in JupyterLab: neither text nor another cell may be hidden with it."""
    cells = EDITIONS[name].cells
    hidden = 0
    for i, cell in enumerate(cells):
        if "jp-MarkdownHeadingCollapsed" in cell.metadata:
            assert cell.source.startswith("#### Solution to Exercise ")
            below = list(cells[i + 1 :])
            while below and below[0].cell_type == "code":
                assert "hide-cell" in below.pop(0).metadata.tags
                hidden += 1
            assert not below or below[0].source.startswith("#")
    assert hidden == sum("hide-cell" in cell.metadata.get("tags", []) for cell in code(name))


def test_each_construct():
    """What becomes of a box, a proof, a question, a citation, references and targets, by example."""
    made = edition().plain(
        "(claim-x)=\n(claim-y-3.3)=\n:::{prf:proof} of {prf:ref}`thm-alg-1`\nA\n\n$$\na\n= b\n$$\n:::\n\n"
        "{cite:t}`lyu2017understanding` and {prf:ref}`lem-negatives` {cite:p}`dwork2006calibrating`\n"
        "$$\np\n$$ (eq-5)\n\nBy {eq}`eq-5`, "
        "{ref}`here <when-not>`, [errata](../book/errata.md) [✓](../book/claims.md#claim-x)",
        "chapters/04_standard_svt",
    )
    assert made == (
        "> **Proof of Theorem 4.1.** A\n>\n> $$ a = b $$ ∎\n\n"
        "[Lyu, Su & Li (2017)](https://doi.org/10.14778/3055330.3055331) and [Lemma 3.1](03_above_threshold.ipynb) "
        "([Dwork et al. 2006](https://doi.org/10.1007/11681878_14))\n"
        "$$\np \\tag{4.1} $$\n\nBy (4.1), "
        "[here](03_above_threshold.ipynb), [errata](../book/errata.md) ✓"
    )


def test_a_question_has_no_tick_and_its_reasons_are_folded():
    made = edition().plain(
        ":::{question} Guess\nWhich?\n\n- [ ] One.\n\n  No one.\n- [x] Two.\n\n  So.\n:::", "chapters/x"
    )
    assert made.startswith(
        "> **Guess**\n>\n> Which?\n>\n> 1. One.\n> 2. Two.\n>\n> <details><summary>Answer 1?</summary>"
    )
    assert "> **No.** No one.\n" in made and "> **Yes.** So.\n" in made


def test_pages_are_on_the_site_where_its_address_is_known():
    """By the address of the repository; chapters stay beside each other."""
    site = readers_edition.site_address(ROOT, ADDRESS)
    assert site == "https://some.github.io/where/" and not readers_edition.site_address(ROOT, "")
    text = "[a](../book/claims.md#claim-x), [b](05_refreshing.ipynb), [c](../book/explore/top_c.md)"
    assert edition(site=site).plain(text, "chapters/04_standard_svt") == (
        f"[a]({site}book/claims.html#claim-x), [b](05_refreshing.ipynb), [c]({site}book/explore/top_c.html)"
    )


def test_without_a_site_a_mark_leads_to_the_function_that_decides():
    """The claims page and that of the module are made by the site: as files their tables are empty."""
    text = "[✓](../book/claims.md#lsl17-eq-6), [`svt.Workload`](../book/api.md), [all](../book/claims.md)"
    assert edition().plain(text, "chapters/04_standard_svt") == (
        "[✓](../evidence/lyu2017_standard.py#lsl17-eq-6), `svt.Workload`, [all](../book/claims.md)"
    )
    assert 'evidence_for("lsl17-eq-6"' in (ROOT / "evidence" / "lyu2017_standard.py").read_text(encoding="utf-8")
    marks = [mark for name in NAMES for mark in re.findall(r"\[[✓≈✗]\]\(([^)#]+)", markdown(name))]
    assert len(marks) > 100 and all(re.fullmatch(r"\.\./evidence/\w+\.py", mark) for mark in marks)


def test_the_first_cell_installs_only_where_the_address_is_known():
    """From the repository, without a pin; elsewhere it says what to do."""
    with_address = dict(readers_edition.made(ROOT, FOLDER, ADDRESS))[NAMES[0]]
    first = [
        next(cell.source for cell in cells.cells if cell.cell_type == "code")
        for cells in (with_address, EDITIONS[NAMES[0]])
    ]
    assert f"%pip install --quiet 'svtlib @ git+{ADDRESS}'".replace("'", '"') in first[0] and "==" not in first[0]
    assert "pip install" not in first[1].split("raise")[0]


def test_what_the_buttons_open_is_what_the_workflow_pushes():
    """The branch of the buttons, with the edition in the place of the chapters."""
    steps = (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")
    assert svt_launch.theme_options(ADDRESS)["repository_branch"] == svt_launch.BRANCH
    assert f"git push --force origin HEAD:{svt_launch.BRANCH}\n" in steps
    assert "cp _build/html/_sources/chapters/*.ipynb chapters/\n" in steps


def test_what_a_reader_changed_is_never_written_over(tmp_path):
    """Kept while nothing is new; laid beside it when something is; two changed ones are both kept."""
    record: dict[str, list[str]] = {}
    path, beside = tmp_path / "01_a.ipynb", tmp_path / "01_a.new.ipynb"

    def lay(content: bytes) -> str:
        return readers_edition.lay(tmp_path, path.name, content, record)

    assert lay(b"one") == "" == lay(b"two") and path.read_bytes() == b"two"
    path.write_bytes(b"mine")
    assert "kept" in lay(b"two") and not beside.exists()
    assert beside.name in lay(b"three") and (path.read_bytes(), beside.read_bytes()) == (b"mine", b"three")
    assert "kept" in lay(b"three") and beside.name in lay(b"four") and beside.read_bytes() == b"four"
    beside.write_bytes(b"mine too")
    assert "both" not in lay(b"five") and (path.read_bytes(), beside.read_bytes()) == (b"mine", b"mine too")
    beside.unlink()
    path.unlink()
    assert lay(b"five") == "" and path.read_bytes() == b"five"


def test_to_open_or_run_is_no_change(tmp_path):
    """A notebook that was only run keeps its outputs until the chapter changes; then the chapter takes its place."""
    record: dict[str, list[str]] = {}
    path = tmp_path / "01_a.ipynb"

    def notebook(text: str, said: str = "") -> bytes:
        cell = nbformat.v4.new_code_cell(text, id="a", outputs=[nbformat.v4.new_output("stream", text=said)])
        return readers_edition.written(nbformat.v4.new_notebook(cells=[cell]))

    readers_edition.lay(tmp_path, path.name, notebook("1"), record)
    path.write_bytes(notebook("1", "run"))
    assert readers_edition.lay(tmp_path, path.name, notebook("1"), record) == ""
    assert path.read_bytes() == notebook("1", "run")
    assert readers_edition.lay(tmp_path, path.name, notebook("2"), record) == ""
    assert path.read_bytes() == notebook("2")


def test_the_edition_is_trusted_where_it_is_asked_for(tmp_path, monkeypatch):
    """By JupyterLab's own memory of what may show itself; a changed one is not."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    readers_edition.write(ROOT, tmp_path / "notebooks", trusted=True)
    chapter = nbformat.read(tmp_path / "notebooks" / NAMES[0], 4)
    assert NotebookNotary().check_signature(chapter)
    chapter.cells[0].source += " mine"
    assert not NotebookNotary().check_signature(chapter)


def test_students_get_no_solution_with_it(tmp_path):
    """The edition of what is left without solutions has none, and the search of the student site would find one."""
    student_site.copy(ROOT, tmp_path / "copy")
    without = dict(readers_edition.made(tmp_path / "copy", tmp_path / "copy" / "chapters"))
    assert not any("Solution to" in cell.source for chapter in without.values() for cell in chapter.cells)
    (tmp_path / "built").mkdir()
    name = "04_standard_svt.ipynb"
    nbformat.write(without[name], tmp_path / "built" / name)
    assert student_site.leaks(tmp_path / "built", ROOT) == []
    nbformat.write(EDITIONS[name], tmp_path / "built" / name)
    assert len(student_site.leaks(tmp_path / "built", ROOT)) > 5


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_of_the_site(name):
    """Boxes and equations, in their order."""
    page = BeautifulSoup((HTML / "chapters" / name).with_suffix(".html").read_text(encoding="utf-8"), "lxml")
    titles = [box.select_one("p.admonition-title") for box in page.select("div.proof, div.exercise")]
    boxes = [re.match(r"\S+ [\d.]+\d|\S+ \d+", title.get_text().strip())[0] for title in titles if title]
    text = markdown(name)
    assert re.findall(r"^(?:> \*\*|### )((?!Answer|Proof)[A-Z][a-z]+ (?:\d+\.)?\d+)(?:\*\*| \(|$)", text, re.M) == boxes
    equations = [number.get_text().strip("()#¶") for number in page.select("span.eqno")]
    assert re.findall(r"\\tag\{([\d.]+)\}", text) == equations
