"""Submissions of the first notebook as a class hands them in, and as somebody does who does not want it graded."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coursework
import nbformat

NAME = "e1_foundations"

Change = Callable[[Any], None]


def cell(notebook: Any, name: str) -> Any:
    (found,) = [cell for cell in notebook.cells if coursework.grade_id(cell) == name]
    return found


def blank() -> Any:
    return coursework.student_version(coursework.sources()[NAME])


def perfect() -> Any:
    """The handed-out notebook with the solutions written into it."""
    notebook = blank()
    for full in coursework.sources()[NAME].cells:
        if coursework.is_answer(full):
            lines = [line for line in full.source.split("\n") if "SOLUTION" not in line]
            cell(notebook, coursework.grade_id(full)).source = "\n".join(lines)
    return notebook


OTHER_STYLE = {
    "q1": """from math import exp, expm1, log1p
false_alarm = lambda distance, scale: (
    exp(-distance / scale) / 2 if distance > 0 else 1 - exp(distance / scale) / 2)
def some_false_alarm(k, distance, scale):
    return -expm1(k * log1p(-false_alarm(distance, scale)))""",
    "q2": """premises = dict(bands=[1, 1, True], votes=[1, 4, False])
premises["at least"] = [1, 4, True]""",
    "q3": "answers = np.full(8, 50)\nneighbour = answers + 1\noutput = [False] * 8",
    "q4": """def above_threshold(answers, threshold, epsilon, sensitivity, rng):
    e1 = epsilon / (1 + 2 ** (2 / 3))
    noisy = threshold + rng.laplace(scale=sensitivity / e1)
    sums = answers + rng.laplace(scale=2 * sensitivity / (epsilon - e1), size=len(answers))
    above = np.flatnonzero(sums >= noisy)
    return (sums >= noisy)[: above[0] + 1].tolist() if above.size else [False] * len(answers)""",
    "q5": """rho_moves = lambda Delta: Delta
below_moves = lambda d, Delta: 0 * d
above_moves = lambda d, Delta: 2 * Delta""",
    "q6": "One noise, one move by Δ, all ⊥ stay; drawn anew, each would pay.",
}


def answered(changes: dict[str, str]) -> Any:
    notebook = perfect()
    for name, source in changes.items():
        cell(notebook, name).source = source
    return notebook


def above(body: str) -> str:
    return "def above_threshold(answers, threshold, epsilon, sensitivity, rng):\n" + body


LOOP = """    rho = rng.laplace(0, {rho})
    for i, q in enumerate(answers):
        if q + rng.laplace(0, {nu}) >= threshold + rho:
            return [False] * i + [True]
    return [False] * len(answers)"""


def tampered() -> Any:
    """Every test says yes, points are raised, one test is gone, and svtlib's judge is replaced; no answers."""
    notebook = blank()
    for one in notebook.cells:
        if coursework.is_test(one):
            one.source = "100"
            one.metadata["nbgrader"]["points"] = 100
    notebook.cells.remove(cell(notebook, "q5-test"))
    cell(notebook, "q4").source = """class Yes:
    private = True
    class proof: epsilon = 1e9
    class mechanism: cutoff = "at c"
svt.exercises.judge = lambda *a, **k: Yes
above_threshold = None"""
    cell(notebook, "q5").source = """class Fake:
    def __getattr__(self, name): return lambda *a, **k: type("V", (), {"holds": True})
svt = Fake()
rho_moves = below_moves = above_moves = lambda *a: 0"""
    return notebook


def writing(outside: Path) -> Any:
    """Writes a file beside the notebook, which it may, and one outside, which it may not."""
    text = "open('notes.txt', 'w').write('fine')\n" + cell(perfect(), "q1").source
    return answered({"q1": text, "q2": f"open({str(outside)!r}, 'w').write('gotcha')\n" + cell(perfect(), "q2").source})


def without(*names: str) -> Any:
    notebook = perfect()
    notebook.cells = [one for one in notebook.cells if coursework.grade_id(one) not in names]
    return notebook


def renamed() -> Any:
    return answered({"q4": cell(perfect(), "q4").source.replace("def above_threshold", "def AboveThreshold")})


def helped() -> Any:
    """A cell of the student's own, whose function an answer uses."""
    notebook = answered({"q4": above("    return helper(answers, threshold, 2 * sensitivity / epsilon, rng)")})
    helper = "def helper(answers, threshold, scale, rng):\n" + LOOP.format(rho="scale", nu="2 * scale")
    at = next(i for i, one in enumerate(notebook.cells) if coursework.grade_id(one) == "q4-text")
    notebook.cells.insert(at + 1, nbformat.v4.new_code_cell(helper))
    return notebook


BREAKS = {
    "crash": "import os; os._exit(3)",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "endless loop": "while True: pass",
    "endless and stubborn": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "fork bomb": "import os\nwhile True: os.fork()",
    "memory": "hog = [bytearray(2**28) for _ in range(100)]",
    "disk": "f = open('big', 'wb')\nwhile True: f.write(bytes(2**20))",
    "noise": "while True: print('x' * 10_000)",
    "network": "import socket; socket.create_connection(('127.0.0.1', PORT), timeout=3)",
    "network by hand": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT')",
    "curl": "import subprocess; subprocess.run(['python3', '-c', 'import socket; "
    'socket.create_connection(("127.0.0.1", PORT), 3)\'], check=True)',
    "exit": "import sys; sys.exit()",
    "quit": "quit()",
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(3000)",
    "kill": "import os; os.kill(os.getppid(), 9)",
    "input": "input('name?')",
}


def broken(kind: str, port: int) -> Any:
    """A perfect notebook whose fourth answer does harm before it answers."""
    harm = BREAKS[kind].replace("PORT", str(port))
    return answered({"q4": harm + "\n" + cell(perfect(), "q4").source})


def the_class(outside: Path) -> dict[str, tuple[Any, dict[str, float]]]:
    """Ten submissions, and what of the points of a perfect one they lose."""
    no_threshold_noise = {
        "q4": above(LOOP.format(rho="0", nu="sensitivity / epsilon").replace("rng.laplace(0, 0)", "0")),
        "q5": cell(perfect(), "q5").source.replace("Delta - d", "Delta"),
    }
    sensitivity_forgotten = {
        "q1": cell(perfect(), "q1").source.replace("tail if distance >= 0 else 1 - tail", "tail"),
        "q4": above(LOOP.format(rho="2 / epsilon", nu="4 / epsilon")),
    }
    no_factor_two = {
        "q2": "premises = {'bands': (1, 4, True), 'at least': (1, 4, True), 'votes': (1, 4, True)}",
        "q3": "answers, neighbour, output = [0.0] * 8, [1.0] * 8, '⊤' * 8",
        "q4": above(LOOP.format(rho="2 * sensitivity / epsilon", nu="2 * sensitivity / epsilon")),
    }
    nothing = {
        "q1-one": 2,
        "q1-some": 1,
        "q2-test": 3,
        "q3-test": 4,
        "q4-private": 3,
        "q4-spent": 2,
        "q5-test": 3,
        "q6": 2,
    }
    return {
        "ada": (perfect(), {}),
        "bea": (answered(OTHER_STYLE), {}),
        "cyn": (blank(), nothing),
        "dan": (answered(no_threshold_noise), {"q4-private": 3, "q4-spent": 2, "q5-test": 3}),
        "eve": (answered(sensitivity_forgotten), {"q1-one": 2, "q4-private": 3, "q4-spent": 2}),
        "fay": (answered(no_factor_two), {"q2-test": 2, "q3-test": 4, "q4-private": 3, "q4-spent": 2}),
        "gus": (broken("crash", 9), {"q4-private": 3, "q4-spent": 2}),
        "hal": (broken("endless loop", 9), {"q4-private": 3, "q4-spent": 2}),
        "ivy": (tampered(), nothing),
        "joe": (writing(outside), {"q2-test": 3}),
    }


def write(folder: Path, handed_in: dict[str, Any]) -> None:
    """One folder a student."""
    for student, notebook in handed_in.items():
        (folder / student).mkdir(parents=True)
        text = notebook if isinstance(notebook, str) else nbformat.writes(copy.deepcopy(notebook))
        (folder / student / f"{NAME}.ipynb").write_text(text, encoding="utf-8")
