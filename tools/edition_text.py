"""The Markdown of a chapter as plain Markdown: no directive, role or target is left, and every number is the site's.

JupyterLab, VS Code, Colab and code hosts read what comes out: boxes are headings and block quotes, what a reader should
not see at once is in `<details>`, and references are text or ordinary links.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from pybtex.database import parse_file
from pybtex.richtext import Text
from sphinx_external_toc.parsing import parse_toc_yaml

BOX = re.compile(
    r"^(?P<fence>:{3,})\{(?P<name>[\w:-]+)\}[ ]*(?P<title>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ ]*$", re.M | re.S
)
OPTION = re.compile(r":([\w-]+):[ ]*(.*)\n")
TARGETS = re.compile(r"^\(([\w.-]+)\)=[ ]*\n?", re.M)
EQUATION = re.compile(r"\$\$(?P<tex>(?:(?!\$\$).)+)\$\$[ ]*\((?P<label>[\w-]+)\)", re.S)
DISPLAY = re.compile(r"\$\$.+?\$\$", re.S)
ROLE = re.compile(r"(?P<space> ?)\{(?P<role>[a-z:]+)\}`(?P<text>[^`]+)`")
COMPUTED = re.compile(r"\[(?P<words>[^][]+)\]\((?:\.\./)*book/(?:claims\.md#(?P<claim>[\w.-]+)|api\.md)\)")
CLAIM = re.compile(r'^@evidence_for\(\s*"([\w.-]+)"', re.M)
LINK = re.compile(r"\]\((?P<to>[^()\s]+)\)")
CHOICE = re.compile(r"^- \[(?P<tick>[ x])\] (?P<words>.*?)(?=^- \[[ x]\] |\Z)", re.M | re.S)
BOXES_WITHOUT_NUMBER = ("prf:proof", "question", "solution", "dropdown", "admonition", "warning", "note", "tip")


@dataclass(frozen=True)
class Place:
    """What a label stands at: its page, such as `chapters/04_standard_svt`, and what a reference to it says."""

    page: str
    says: str


@dataclass(frozen=True)
class Work:
    """A work of the bibliography: who wrote it, when, and where it is."""

    names: str
    year: str
    address: str

    def linked(self, words: str) -> str:
        """`words` as a link, if it is known where the work is."""
        return f"[{words}]({self.address})" if self.address else words


def works(bibliography: Path) -> dict[str, Work]:
    """Every work of the bibliography by its key; more than three authors are the first one et al."""
    found = {}
    for key, entry in parse_file(str(bibliography)).entries.items():
        last = [" ".join((*person.prelast_names, *person.last_names)) for person in entry.persons["author"]]
        last = [str(Text.from_latex(name)) for name in last]
        names = f"{last[0]} et al." if len(last) > 3 else " & ".join(filter(None, (", ".join(last[:-1]), last[-1])))
        doi, url = (entry.fields.get(name, "") for name in ("doi", "url"))
        found[key] = Work(names, entry.fields.get("year", ""), f"https://doi.org/{doi}" if doi else url)
    return found


def evidence(root: Path) -> dict[str, str]:
    """The file of the function that decides each claim, by the name of the claim."""
    files = sorted((root / "evidence").glob("*.py"))
    return {name: f"evidence/{file.name}" for file in files for name in CLAIM.findall(file.read_text(encoding="utf-8"))}


def beside(page: str, path: str) -> str:
    """The path from the root of what `page` calls `path`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def number(page: str) -> str:
    """The number of a chapter as its numbers begin with it, `4.`; a page without one has none."""
    chapter = re.match(r"chapters/([0-8]\d)_", page)
    return f"{int(chapter[1])}." if chapter else ""


def prose(root: Path, page: str) -> list[str]:
    """The Markdown of a page, cell by cell."""
    notebook = root / f"{page}.ipynb"
    if notebook.exists():
        return [cell.source for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "markdown"]
    return [(root / f"{page}.md").read_text(encoding="utf-8")]


def options(body: str) -> tuple[dict[str, str], str]:
    """What a box says about itself in its first lines, and the rest."""
    found = {}
    while told := OPTION.match(body):
        found[told[1]] = told[2].strip()
        body = body[told.end() :]
    return found, body.strip("\n")


def places(root: Path) -> dict[str, Place]:
    """Every label of the book: boxes and equations with the numbers of the site, targets with the heading after them.

    Pages without a number share one count, in the order of the contents, as in Sphinx.
    """
    found: dict[str, Place] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for page in parse_toc_yaml(root / "_toc.yml"):
        before = number(page)
        for text in prose(root, page):
            for box in BOX.finditer(text):
                label = options(box["body"])[0].get("label", "")
                if box["name"] == "exercise" or (box["name"].startswith("prf:") and box["name"] != "prf:proof"):
                    kind = box["name"].removeprefix("prf:").capitalize()
                    counts[before, kind] += 1
                    found[label or box[0]] = Place(page, f"{kind} {before}{counts[before, kind]}")
            for equation in EQUATION.finditer(text):
                counts[before, "equation"] += 1
                found[equation["label"]] = Place(page, f"({before}{counts[before, 'equation']})")
            for target in TARGETS.finditer(text):
                heading = re.match(r"(?:\s|\([\w.-]+\)=)*#+ (.+)", text[target.end() :])
                found[target[1]] = Place(page, heading[1] if heading else "")
    return found


def quoted(text: str) -> str:
    """A block quote; a formula on lines of its own becomes one line, or its lines would begin with the quote's mark."""
    text = DISPLAY.sub(lambda formula: " ".join(formula[0].split()), text)
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def folded(summary: str, text: str) -> str:
    """What opens at a click; the blank lines make what is inside Markdown again."""
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


@dataclass
class Edition:
    """What a text needs to know of the book: labels, works, and where the pages that are no notebooks are found.

    `folder` is where the notebooks will lie; `site` the address of the published site, if it is known.
    """

    root: Path
    folder: Path
    site: str = ""
    labels: dict[str, Place] = field(init=False)
    works: dict[str, Work] = field(init=False)
    evidence: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.labels = places(self.root)
        self.works = works(self.root / "book" / "references.bib")
        self.evidence = evidence(self.root)

    def address(self, page: str, fragment: str = "") -> str:
        """Where a page is: a chapter beside this one, another page on the site or as the file it is made from."""
        folder, _, name = page.rpartition("/")
        if folder == "chapters":
            return f"{name}.ipynb"
        if self.site:
            return f"{self.site}{page}.html{fragment}"
        return f"{self._to(folder)}/{name}.md{fragment}"

    def _to(self, path: str) -> str:
        return os.path.relpath(self.root / path, self.folder).replace(os.sep, "/")

    def plain(self, source: str, page: str) -> str:
        """The text of one Markdown cell of `page` without anything that Markdown alone does not know."""
        text = BOX.sub(lambda box: self._box(box, page), source)
        text = EQUATION.sub(lambda found: f"$${found['tex'].rstrip()} \\tag{{{self._number(found['label'])}}} $$", text)
        text = TARGETS.sub("", text)
        text = self._inline(text, page)
        return re.sub(r"\n{3,}", "\n\n", text).strip("\n")

    def _number(self, label: str) -> str:
        return self.labels[label].says.strip("()")

    # --- inside a line ------------------------------------------------------------------------------------------------

    def _inline(self, text: str, page: str, *, title: bool = False) -> str:
        text = ROLE.sub(lambda role: self._role(role, page, title), text)
        if not self.site:
            text = COMPUTED.sub(self._from_its_source, text)
        return LINK.sub(
            lambda link: self._link(link, page), re.sub(r"\[([^][]*)\]\(([\w.-]+)\)", self._target(page), text)
        )

    def _target(self, page: str) -> Callable[[re.Match[str]], str]:
        def linked(found: re.Match[str]) -> str:
            place = self.labels.get(found[2])
            return self._refer(place, page, found[1]) if place else found[0]

        return linked

    def _link(self, link: re.Match[str], page: str) -> str:
        path, hash_, fragment = link["to"].partition("#")
        if re.match(r"[a-z]+:", path) or not path.endswith((".md", ".ipynb")):
            return link[0]
        return f"]({self.address(beside(page, path).rsplit('.', 1)[0], hash_ + fragment)})"

    def _from_its_source(self, link: re.Match[str]) -> str:
        """A row of a table that only the site has: the function that decides the claim, or words without a link."""
        file = self.evidence.get(link["claim"])
        return f"[{link['words']}]({self._to(file)}#{link['claim']})" if file else link["words"]

    def _refer(self, place: Place, page: str, words: str = "") -> str:
        words = words or place.says
        return words if place.page == page else f"[{words}]({self.address(place.page)})"

    def _role(self, found: re.Match[str], page: str, title: bool) -> str:
        role, text, space = found["role"], found["text"], found["space"]
        if role.startswith("cite"):
            cited = [self.works[key.strip()] for key in text.split(",")]
            if title:
                said = ", ".join(work.linked(f"{work.names} {work.year}") for work in cited)
                return f", {said}" if role == "cite:p" and space else space + said
            if role == "cite:t":
                return space + ", ".join(work.linked(f"{work.names} ({work.year})") for work in cited)
            return f"{space}({'; '.join(work.linked(f'{work.names} {work.year}') for work in cited)})"
        named = re.fullmatch(r"(?P<words>.*?)\s*<(?P<to>[^>]+)>", text)
        words, to = (named["words"], named["to"]) if named else ("", text)
        return space + self._refer(self.labels[to], page, words)

    # --- boxes --------------------------------------------------------------------------------------------------------

    def _box(self, box: re.Match[str], page: str) -> str:
        name, title = box["name"], self._inline(box["title"].strip(), page, title=True)
        told, body = options(box["body"])
        if name == "question":
            return self._question(title, body)
        if name == "solution":
            return folded(f"Solution to {self.labels[title].says}", body)
        if name == "dropdown":
            return folded(title, body)
        if name == "prf:proof":
            return quoted(f"**{f'Proof {title}'.strip().rstrip('.')}.** {body} ∎")
        if name in BOXES_WITHOUT_NUMBER:
            return quoted(f"**{title or name.capitalize()}**\n\n{body}")
        numbered = self.labels[told.get("label") or box[0]].says
        if name == "exercise":
            return f"### {numbered}" + (f" ({title})" if title else "") + f"\n\n{quoted(body)}"
        return quoted(f"**{numbered}**" + (f" ({title})" if title else "") + f"\n\n{body}")

    def _question(self, title: str, body: str) -> str:
        asked, words, reasons = body, [], []
        for count, choice in enumerate(CHOICE.finditer(body), 1):
            if count == 1:
                asked = body[: choice.start()].strip("\n")
            said, _, reason = choice["words"].strip("\n").partition("\n\n")
            words.append(f"{count}. {' '.join(said.split())}")
            verdict = "**Yes.**" if choice["tick"] == "x" else "**No.**"
            reasons.append(folded(f"Answer {count}?", f"{verdict} {re.sub(r'^  ', '', reason.strip(), flags=re.M)}"))
        question = f"**{title or 'Before you scroll'}**\n\n{asked}\n\n" + "\n".join(words)
        return quoted("\n\n".join([question, *reasons]))
