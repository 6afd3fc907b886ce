"""A chapter has the number of its file on every page of the site, also while chapters before it are missing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"

CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(ROOT / "book" / "_ext")!r})
extensions = ["myst_parser", "sphinx_external_toc", "sphinx_proof"%s]
master_doc = root_doc = "index"
numfig = True
"""
CONTENTS = """
format: jb-book
root: index
parts:
  - caption: First
    numbered: true
    chapters:
      - file: chapters/02_two
  - caption: Second
    numbered: true
    chapters:
      - file: chapters/05_five
        sections:
          - file: extra
      - file: chapters/11_eleven
"""
PAGES = {
    "index": "# Home\n\n{numref}`five`; {prf:ref}`law`; {ref}`inside`",
    "chapters/02_two": "# Two\n\n## Within",
    "chapters/05_five": "(five)=\n# Five\n\n## Within\n\n```{prf:theorem}\n:label: law\nText\n```",
    "extra": "# Extra\n\n(inside)=\n## Deep",
    "chapters/11_eleven": "# Eleven\n\n## Within",
}


def small_book(folder: Path, *, numbered: bool = True, contents: str = CONTENTS, **pages: str) -> tuple[int, str]:
    """Build the five pages in `folder`, warnings as errors; return the exit code and what Sphinx said."""
    (folder / "conf.py").write_text(CONFIGURATION % (', "chapter_numbers"' if numbered else ""))
    (folder / "_toc.yml").write_text(contents)
    for name, text in {**PAGES, **pages}.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ".", "out"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
    )
    return result.returncode, result.stderr


def plain(html: str) -> str:
    """The words of `html`."""
    return " ".join(re.sub(r"<[^>]+>", "", html).split())


def headings(page: Path) -> list[str]:
    """The titles on a page, with their numbers."""
    found = re.findall(r'<h[1-6]>((?:(?!</h).)*?)<a class="headerlink"', page.read_text(encoding="utf-8"), re.S)
    return [plain(title) for title in found]


def wrong(html: Path, files: list[str]) -> list[str]:
    """The pages of `files` whose title, or whose link in some page's contents or at its foot, has another number."""
    number = {name: str(int(Path(name).name.partition("_")[0])) for name in files}
    faults = [name for name in files if not headings(html / f"{name}.html")[0].startswith(f"{number[name]}. ")]
    links = r'<a class="(?:reference internal|left-prev|right-next)"\s+href="(?:[^"#]*/)?%s\.html"[^>]*>(.*?)</a>'
    for page in sorted(html.rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        for name in files:
            shown = [plain(link) for link in re.findall(links % re.escape(Path(name).name), text, re.S)]
            numbers = [
                found[1] for found in (re.match(r"(?:previous |next )?(\d+)\. ", link) for link in shown) if found
            ]
            faults += [f"{name} in {page.name}" for found in numbers if found != number[name]]
    return faults


CHAPTERS = [name for name in PAGES if name.startswith("chapters/")]


def test_numbers_are_those_of_the_files(tmp_path):
    """Titles, sections, pages within a chapter, {numref} and {prf:ref}: all by file name, over two parts with gaps."""
    assert small_book(tmp_path) == (0, "")
    out = tmp_path / "out"
    assert headings(out / "chapters/02_two.html") == ["2. Two", "2.1. Within"]
    assert headings(out / "chapters/05_five.html") == ["5. Five", "5.1. Within"]
    assert headings(out / "extra.html") == ["5.2. Extra", "5.2.1. Deep"]
    assert headings(out / "chapters/11_eleven.html") == ["11. Eleven", "11.1. Within"]
    assert wrong(out, CHAPTERS) == []
    home = plain((out / "index.html").read_text(encoding="utf-8"))
    assert "Section 5; Theorem 5.1; Deep" in home


@pytest.mark.full
def test_numbers_stay_when_a_page_is_built_again(tmp_path):
    """A second build changes what a new chapter moves by position, and nothing is left of the old numbers."""
    assert small_book(tmp_path) == (0, "")
    four = CONTENTS.replace(
        "      - file: chapters/05_five", "      - file: chapters/04_four\n      - file: chapters/05_five"
    )
    assert small_book(tmp_path, contents=four, **{"chapters/04_four": "# Four"}) == (0, "")
    assert wrong(tmp_path / "out", [*CHAPTERS, "chapters/04_four"]) == []


def test_numbers_by_position_are_noticed(tmp_path):
    """The check rejects what Sphinx does by itself: 1, 2, 3."""
    assert small_book(tmp_path, numbered=False)[0] == 0
    assert headings(tmp_path / "out/chapters/11_eleven.html")[0] == "3. Eleven"
    assert {fault.partition(" ")[0] for fault in wrong(tmp_path / "out", CHAPTERS)} == set(CHAPTERS)


def test_a_number_without_a_chapter_is_a_warning(tmp_path):
    """Two files with one number, and a numbered page whose name has none, stop the build."""
    contents = CONTENTS + "      - file: chapters/05_again\n      - file: stray\n"
    code, said = small_book(tmp_path, contents=contents, **{"chapters/05_again": "# Again", "stray": "# Stray"})
    assert code != 0
    assert "chapter 5 exists twice" in said and "a numbered page needs a name like chapters/01_name" in said


@pytest.mark.site
def test_every_chapter_of_the_site_has_the_number_of_its_file():
    """Title and contents of the built pages agree with the names of the notebooks."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [page["file"] for part in toc["parts"] if part.get("numbered") for page in part["chapters"]]
    assert len(files) >= 10
    assert wrong(HTML, files) == []
