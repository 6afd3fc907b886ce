"""How long a chapter is, and what it is made of: the numbers that its form is held to, and the minutes it prints.

`python tools/measure.py [chapters/03*.ipynb]` prints the table.  A chapter's minutes are its visible words at 150 a
minute, one for each displayed formula and figure, half a minute for each visible cell of code, and three for each
proof; folded code, exercises, solutions and claim cards do not count.

`python tools/measure.py --rooms` prints how large the rooms of the program are, and who uses whom that should not.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDED = {"hide-input", "hide-cell", "remove-cell"}
KINDS = ("Compute it", "Write it", "Prove it", "Break it", "Open")
EXERCISE = re.compile(r"^:{3,}\{exercise\} *(?P<title>[^\n]*)$", re.M)
TITLE = re.compile(rf"(?P<level>◆{{1,3}}) (?P<kind>{'|'.join(KINDS)}) · (?P<minutes>\d+) min")
QUESTION = re.compile(r"^:{3,}\{question\}.*?^:{3,}\s*$", re.M | re.S)
BLOCK = r"^(:{3,})\{%s\}.*?^\1\s*$"
SOLUTION, TASK = (re.compile(BLOCK % kind, re.M | re.S) for kind in ("solution", "exercise"))
MINUTES = re.compile(r"^\*(\d+) minutes\.", re.M)

# The limits of a lesson; the browser measures its height.
LEAST_WORDS, MOST_WORDS = 1500, 2500
LONGEST = 500  # lines of a module
LEAST_MINUTES, MOST_MINUTES = 15, 45
MOST_LINES, LONGEST_CELL, TYPICAL_CELL = 120, 24, 15
LEAST_FIGURES, EXERCISES, QUESTIONS = 4, 5, range(2, 5)


@dataclass(frozen=True)
class Measures:
    """What one chapter is made of."""

    words: int  # without exercises and their solutions, which say their own minutes
    lines: int  # of visible code, without blank ones
    longest: int  # visible cell, in lines
    typical: float  # median of the visible cells
    figures: int
    questions: int
    exercises: tuple[str, ...]  # the kind of each, "" where its title does not say
    minutes: int


def text(cell: dict[str, Any]) -> str:
    """Return the source of a cell."""
    return "".join(cell["source"])


def visible(cell: dict[str, Any]) -> bool:
    """Whether the code of `cell` is on the page."""
    return cell["cell_type"] == "code" and not FOLDED & set(cell["metadata"].get("tags", []))


def figures(cell: dict[str, Any]) -> int:
    """Count the pictures among the outputs of `cell`."""
    html = ["".join(o.get("data", {}).get("text/html", "")) for o in cell.get("outputs", [])]
    return sum(len(re.findall(r'<svg[^>]*role="img"', page)) for page in html)


def measure(notebook: dict[str, Any]) -> Measures:
    """Measure one chapter."""
    shown = [c for c in notebook["cells"] if "remove-cell" not in c["metadata"].get("tags", [])]
    whole = "\n\n".join(text(cell) for cell in shown if cell["cell_type"] == "markdown")
    prose = SOLUTION.sub("", whole)
    formulas = len(re.findall(r"^\s*\$\$", prose, re.M)) / 2
    readable = re.sub(r"\$\$.*?\$\$|\\(?:operatorname|[lr]vert)", " ", TASK.sub("", prose), flags=re.S)
    readable = re.sub(r"\]\([^)]*\)|\{[a-z:]+\}|^\(\S+\)=$|^:[a-z]+:.*$", " ", readable, flags=re.M)
    words = len(re.findall(r"[^\W_][\w'’-]*", readable))
    lengths = [len([x for x in text(c).splitlines() if x.strip()]) for c in shown if visible(c)]
    drawn = sum(figures(cell) for cell in shown if "hide-cell" not in cell["metadata"].get("tags", []))
    proofs = len(re.findall(r"^:{3,}\{prf:proof\}", prose, re.M))
    titles = [TITLE.fullmatch(found["title"].strip()) for found in EXERCISE.finditer(prose)]
    return Measures(
        words=words,
        lines=sum(lengths),
        longest=max(lengths, default=0),
        typical=median(lengths) if lengths else 0,
        figures=drawn,
        questions=len(QUESTION.findall(prose)),
        exercises=tuple(found["kind"] if found else "" for found in titles),
        minutes=round(words / 150 + formulas + drawn + len(lengths) / 2 + 3 * proofs),
    )


def faults(notebook: dict[str, Any]) -> list[str]:
    """Say where a chapter leaves the limits of a lesson."""
    m = measure(notebook)
    found = []
    if not LEAST_WORDS <= m.words <= MOST_WORDS:
        found.append(f"{m.words:,} words without exercises; {LEAST_WORDS:,} to {MOST_WORDS:,} are wanted")
    if not LEAST_MINUTES <= m.minutes <= MOST_MINUTES:
        found.append(f"{m.minutes} minutes; {LEAST_MINUTES} to {MOST_MINUTES} are wanted")
    printed = MINUTES.findall("\n\n".join(text(cell) for cell in notebook["cells"]))
    if printed != [str(m.minutes)]:
        found.append(f"prints *{', '.join(printed) or 'no'} minutes.*, and {m.minutes} are measured")
    if m.lines > MOST_LINES:
        found.append(f"{m.lines} lines of visible code; at most {MOST_LINES}")
    if m.longest > LONGEST_CELL:
        found.append(f"a visible cell of {m.longest} lines; at most {LONGEST_CELL}")
    if m.typical > TYPICAL_CELL:
        found.append(f"half of the visible cells have more than {TYPICAL_CELL} lines")
    if m.figures < LEAST_FIGURES:
        found.append(f"{m.figures} pictures; at least {LEAST_FIGURES}")
    if m.questions not in QUESTIONS:
        found.append(f"{m.questions} questions with feedback; {QUESTIONS.start} to {QUESTIONS.stop - 1}")
    if len(m.exercises) != EXERCISES or "" in m.exercises:
        found.append(f"{len(m.exercises)} exercises; {EXERCISES}, each titled like '◆◆ Write it · 15 min'")
    found += [f"no exercise of the kind {kind}" for kind in KINDS[1:] if kind not in m.exercises]
    return found


def print_minutes(notebook: dict[str, Any]) -> None:
    """Write the measured minutes into the line under the title, in place."""
    minutes = measure(notebook).minutes
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and MINUTES.search(text(cell)):
            cell["source"] = MINUTES.sub(f"*{minutes} minutes.", text(cell), count=1)
            return


# --- the rooms of the program -----------------------------------------------------------------------------------------

# A module uses its own room and the floors below it; `svtlib` itself, the list of names, stands on all that is in it.
FLOORS = (
    ("svtlib",),
    ("svtlib.exact",),
    ("svtlib.proofs", "svtlib.select"),
    ("svtcourse.figures", "svtcourse.judge.unknowns", "svtcourse.chapter"),
    ("svtcourse.judge.language",),
    ("svtcourse.judge.any_length",),
    ("svtcourse.judge.convict",),
    ("svtcourse.judge",),
    ("svtcourse",),
    ("svtcourse.explorers", "svtcourse.lessons"),
    ("evidence",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FOLDER = {"svtcourse.explorers": "book/explorers"}


def modules() -> dict[str, Path]:
    """Every module of a room, with its file."""
    folders = {room: ROOT / FOLDER.get(room, room.replace(".", "/")) for room in FLOOR}
    return {
        f"{room}.{path.stem}": path
        for room, folder in folders.items()
        for path in sorted(folder.glob("*.py"))
        if not path.stem.startswith("__")
    }


def lengths() -> dict[str, int]:
    """How many lines each module has."""
    return {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in modules().items()}


def room_of(module: str) -> str:
    """The room that a module is in."""
    return module if module in FLOOR else module.rpartition(".")[0]


def used(source: str, module: str, known: set[str]) -> set[str]:
    """What the source of a module imports of the known modules, within functions too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = f"{module.rpartition('.')[0]}.{node.module or ''}".rstrip(".") if node.level else str(node.module)
            inner = {alias.name: f"{base}.{alias.name}" for alias in node.names}
            found |= {path if path in known else base for path in inner.values()}
    return found & known


def arrows() -> dict[str, set[str]]:
    """Which modules each module uses."""
    known = modules()
    names = {*known, "svtlib"}
    return {module: used(path.read_text(encoding="utf-8"), module, names) for module, path in known.items()}


def upwards(arrows: Mapping[str, set[str]]) -> list[str]:
    """The arrows that do not run down, as sentences."""

    def right(user: str, target: str) -> bool:
        if target == "svtlib":
            return user.startswith(("svtcourse.", "evidence."))
        return room_of(user) == room_of(target) or FLOOR[room_of(user)] > FLOOR[room_of(target)]

    return [f"{user} uses {target}" for user in arrows for target in sorted(arrows[user]) if not right(user, target)]


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """A way from a module back to itself, if there is one."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def print_rooms() -> None:
    """Print lines, names and the largest file of each room, then what should not be."""
    known = modules()
    lines = lengths()
    stub = ast.parse((ROOT / "svtlib/__init__.pyi").read_text(encoding="utf-8")).body
    places = [
        f"svtlib.{line.module}" if line.level else str(line.module)
        for line in stub
        if isinstance(line, ast.ImportFrom)
        for _ in line.names
    ]
    print(f"{'room':22}{'files':>7}{'lines':>8}{'svt. names':>12}  largest file")
    for room in FLOOR:
        mine = {module: lines[module] for module in known if room_of(module) == room}
        largest = max(mine, key=mine.__getitem__)
        names = sum(room_of(place) == room for place in places)
        print(f"{room:22}{len(mine):>7}{sum(mine.values()):>8}{names:>12}  {largest}, {mine[largest]}")
    print(f"{'together':22}{len(lines):>7}{sum(lines.values()):>8}{len(places):>12}")
    print(f"Above {LONGEST} lines:", ", ".join(f"{m} {n}" for m, n in lines.items() if n > LONGEST) or "none")
    print("Arrows that run upwards:", "; ".join(upwards(arrows())) or "none")
    print("Circle:", " - ".join(circle(arrows())) or "none")


def main(patterns: list[str]) -> int:
    """Print the measures of the chapters that match, or of the rooms."""
    if patterns == ["--rooms"]:
        print_rooms()
        return 0
    names = [field.name for field in fields(Measures)]
    print(f"{'chapter':34}" + "".join(f"{name:>10}" for name in names if name != "exercises") + "  exercises")
    for path in sorted({p for pattern in patterns or ["chapters/*.ipynb"] for p in ROOT.glob(pattern)}):
        row = asdict(measure(json.loads(path.read_text(encoding="utf-8"))))
        kinds = ", ".join(kind or "?" for kind in row.pop("exercises"))
        print(f"{path.stem[:33]:34}" + "".join(f"{value:>10}" for value in row.values()) + f"  {kinds}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
