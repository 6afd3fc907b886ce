"""A chapter has the number of its file on every page of the site.

Sphinx numbers by position: a chapter that is missing, or stands elsewhere, moves the numbers of those after it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from parts import HTML, ROOT

CONFIGURATION = """
extensions = ["myst_parser", "sphinx_external_toc"]
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
      - file: chapters/11_eleven
"""
PAGES = {name: f"# {name}" for name in ("index", "chapters/02_two", "chapters/05_five", "chapters/11_eleven")}


def small_book(folder: Path) -> None:
    """Build the four pages in `folder`."""
    (folder / "chapters").mkdir()
    (folder / "conf.py").write_text(CONFIGURATION)
    (folder / "_toc.yml").write_text(CONTENTS)
    for name, text in PAGES.items():
        (folder / f"{name}.md").write_text(text)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", ".", "out"]
    subprocess.run(command, cwd=folder, check=True, timeout=100)


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


def test_a_number_that_is_not_the_file_s_is_noticed(tmp_path):
    """The check rejects the numbers 1, 2, 3 of the files 2, 5 and 11: in titles, and in links to them."""
    small_book(tmp_path)
    assert headings(tmp_path / "out/chapters/11_eleven.html")[0].startswith("3. ")
    assert {fault.partition(" ")[0] for fault in wrong(tmp_path / "out", CHAPTERS)} == set(CHAPTERS)


@pytest.mark.site
def test_every_chapter_of_the_site_has_the_number_of_its_file():
    """Title and contents of the built pages agree with the names of the notebooks."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [page["file"] for part in toc["parts"] if part.get("numbered") for page in part["chapters"]]
    assert len(files) >= 10
    assert wrong(HTML, files) == []
