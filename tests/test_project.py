"""What the project says about itself is true: commands, pins, notices, contents, and no trace of one machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import build_site
import pytest
import svt_api
import svt_claims
import yaml
from parts import ROOT
from sphinx_external_toc.parsing import parse_toc_yaml

import svtlib
from svtcourse.lessons.from_paper_to_production import CHECKS
from svtlib.catalogue import variant, variants


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def tracked() -> tuple[Path, ...]:
    """The files of the project, new ones too; without git, whatever is not built."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(ROOT / name for name in listing.splitlines() if (ROOT / name).is_file())


@cache
def texts() -> dict[str, str]:
    """The text files of the project, without what is vendored."""
    found = {}
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if "/vendor/" not in name and path.suffix not in (".png", ".woff2"):
            found[name] = path.read_text(encoding="utf-8")
    return found


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "RELEASING.md", "book/intro.md", ".ci/run", "Makefile"]
)
def test_every_command_that_is_named_exists(name):
    """`make something` in a page is a target of the Makefile."""
    named = set(re.findall(r"(?:`|^    |^#+\s+|^)make ([a-z-]+)", text(name), re.M))
    assert named
    assert named <= targets()


def test_the_help_lists_every_target():
    """`make` alone shows the commands, all of them."""
    listed = set(re.findall(r"^##   make ([a-z-]+)", text("Makefile"), re.M))
    assert listed == targets() - {"help", "environment"}


def test_ci_runs_the_same_command_as_a_reader():
    """There is no second list of checks."""
    assert "make test" in text(".ci/run")
    assert ".ci/run" in text(".github/workflows/checks.yml")
    assert "pytest" not in text(".ci/run") + text(".github/workflows/checks.yml")


# --- one place for every pin ------------------------------------------------------------------------------------------


def pins(content: str) -> list[str]:
    return re.findall(r"^[^#\n]*\b[\w.-]+(?:\[\w+\])?==\d[\w.]*", content, re.M)


def test_only_the_lock_has_pins():
    """A version is pinned in requirements.txt and nowhere else."""
    places = ("pyproject.toml", "Makefile", "binder/", "tools/", ".ci/", ".github/", ".pre-commit-config.yaml")
    assert pins(text("requirements.txt")) and pins("  - run: pip install ruff==0.1\n")
    assert not pins("# numpy==2 was the last\nif version == 1:\n")
    assert {name: pins(content) for name, content in texts().items() if name.startswith(places) and pins(content)} == {}


UNLOCKED = {"compare", "grading"}  # what `make bench` measures beside ours, and nbgrader, where somebody installed them


def test_the_lock_satisfies_the_project():
    """Everything pyproject.toml asks for is pinned, and the project itself is installed from its folder."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    assert set(extras) > UNLOCKED
    wanted = {"": project["dependencies"], **extras}
    names = {extra: {re.split(r"[<>=\[]", want)[0].lower() for want in wants} for extra, wants in wanted.items()}
    lock = text("requirements.txt")
    assert lock.startswith("-e .\n")
    locked = {name.lower() for name in re.findall(r"^([\w.-]+)==", lock, re.M)}
    assert set().union(*(found for extra, found in names.items() if extra not in UNLOCKED)) <= locked
    # Nobody is made to install them.
    assert not set().union(*(names[extra] for extra in UNLOCKED)) & locked


def test_binder_uses_the_same_lock():
    """The launch button runs what the tests ran."""
    lines = [line for line in text("binder/requirements.txt").splitlines() if not line.startswith("#")]
    assert lines == ["-r ../requirements.txt"]


# --- contents ---------------------------------------------------------------------------------------------------------


def test_the_table_of_contents_has_every_page_once():
    """Pages that nobody can reach, and entries that lead nowhere, are both mistakes."""
    pages = [*(ROOT / "book").glob("**/*.md"), *(ROOT / "chapters").glob("*.ipynb")]
    assert sorted(parse_toc_yaml(ROOT / "_toc.yml")) == sorted(
        page.relative_to(ROOT).with_suffix("").as_posix() for page in pages
    )


def test_the_api_pages_document_every_public_name():
    """Every name of svtlib is on one of them, once; what is not of svtlib itself has its full path."""
    pages = sorted(path.stem for path in (ROOT / "book" / "api").glob("*.md"))
    documented = [name for page in pages for name in svt_api.DOCUMENTED.findall(text(f"book/api/{page}.md"))]
    assert len(documented) == len(set(documented))
    (listed,) = re.findall(r"^:pages: (.+)$", text("book/api.md"), re.M)
    assert sorted(listed.split()) == pages
    assert [name for name in documented if not svt_api.first_sentence(name).endswith(".")] == []
    assert sorted(name for name in documented if "." not in name) == sorted(svtlib.__all__)


def test_the_bibliography_has_what_is_cited_and_nothing_else():
    """A citation without an entry is a warning of the build; an entry that nobody cites is a leftover."""
    entries = re.findall(r"^@\w+\{(\w+),", text("book/references.bib"), re.M)
    assert len(entries) == len(set(entries))
    pages = "".join(content for name, content in texts().items() if re.match(r"book/.*\.md|chapters/.*\.ipynb", name))
    cited = {key.strip() for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", pages) for key in keys.split(",")}
    cited |= {variant(key).cite for key in variants()}
    assert set(entries) == cited


# --- licences, notices, changes ---------------------------------------------------------------------------------------


def test_every_file_in_the_notice_exists():
    """NOTICE names files by path, indented."""
    named = re.findall(r"^    (\S+)$", text("NOTICE"), re.M)
    assert len(named) > 3
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_everything_vendored_is_in_the_notice():
    """No file by others without its licence."""
    named = tuple(re.findall(r"^    (\S+)$", text("NOTICE"), re.M))
    vendored = [path.relative_to(ROOT).as_posix() for path in tracked() if "vendor" in path.parts]
    assert vendored
    assert [name for name in vendored if not name.startswith(named)] == []


def test_the_version_is_the_same_everywhere():
    """Package, changelog, citation, and the citation of a claim; the checklist names the files."""
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.M)[:2] == ["Unreleased", version]
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version
    assert version == svt_claims.VERSION
    assert all(f"`{name}`" in text("RELEASING.md") for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md"))


# --- no trace of one machine ------------------------------------------------------------------------------------------

# Written in two halves, so that this file does not contain what it looks for.
TRACES = re.compile("|".join(["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/\\w+/", r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b"]))


def traces(content: str) -> list[str]:
    return TRACES.findall(content)


def test_no_path_of_one_machine_and_nothing_left_to_do():
    """The project stands on its own, and what is in it is finished."""
    assert len(texts()) > 20 and all(map(traces, ("open('/wo" + "rk/x')", "# TO" + "DO: later", "/ro" + "ot/.cache")))
    assert {name: traces(content) for name, content in texts().items() if traces(content)} == {}


# --- the tools --------------------------------------------------------------------------------------------------------


def test_a_change_is_noticed_and_its_reach_known(tmp_path):
    """A chapter asks for its own page again, the table of contents for every page, a cache for none."""
    for name in ("_toc.yml", "chapters/01_a.ipynb", "svtlib/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    everywhere, everything = build_site.fingerprints(tmp_path)
    (tmp_path / "svtlib/__pycache__/a.pyc").write_text("after")
    assert build_site.fingerprints(tmp_path) == (everywhere, everything)
    (tmp_path / "chapters/01_a.ipynb").write_text("after")
    chapter = build_site.fingerprints(tmp_path)
    assert chapter[0] == everywhere
    assert chapter[1] != everything
    (tmp_path / "_toc.yml").write_text("after")
    assert build_site.fingerprints(tmp_path)[0] != everywhere


OLD = 'case "$1$2" in -V) echo "Python 3.9.2";; *version_info*) exit 1;; esac'
BARE = 'case "$1$2" in -V) echo "Python 3.11.2";; *ensurepip*) exit 1;; esac'


@pytest.mark.parametrize(
    ("python", "asked_for", "sentence"),
    [
        (None, "", "No python3 was found: install Python 3.11 or newer"),
        (OLD, "", "python3 is Python 3.9.2 and the course needs Python 3.11 or newer"),
        (BARE, "", "python3 cannot make virtual environments: install its venv module"),
        (BARE, "/no/such/python", "PYTHON=/no/such/python does not run: give the path of a Python 3.11 or newer"),
    ],
    ids=["no python", "an old python", "no venv module", "a wrong PYTHON"],
)
def test_a_machine_without_the_right_python_is_told_what_to_do(tmp_path, python, asked_for, sentence):
    """One sentence, no traceback, and nothing is left behind."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for program in ("cat", "cksum", "dirname", "grep", "sed", "sh"):
        (programs / program).symlink_to(shutil.which(program) or "")
    if python is not None:
        (programs / "python3").write_text(f"#!{shutil.which('sh')}\n{python}\n")
        (programs / "python3").chmod(0o755)
    project = tmp_path / "project"
    (project / "tools").mkdir(parents=True)
    for name in ("requirements.txt", "pyproject.toml", "tools/environment.sh"):
        shutil.copy(ROOT / name, project / name)
    command = [str(programs / "sh"), "tools/environment.sh"]
    result = subprocess.run(
        command, cwd=project, env={"PATH": str(programs), "PYTHON": asked_for}, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1
    assert not (project / ".venv").exists()


def test_the_example_of_the_readme_runs():
    """A reader who pastes it gets answers."""
    (block,) = re.findall(r"^```python\n(.*?)^```", text("README.md"), re.M | re.S)
    names: dict[str, object] = {}
    exec(block, names)
    assert "mechanism" in names


def test_the_checklist_of_production_names_tests_that_exist():
    """Chapter 24 says which test would notice each fault: there is one of that name."""
    named = set(CHECKS.values())
    defined = {
        name
        for path in (ROOT / "tests").glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    assert len(named) > 5 and named <= defined
