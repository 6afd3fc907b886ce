"""`python -m svtlib`: the doctor and the audit of a program in a file."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from parts import one_in

from svtcourse.command_line import CHECKS, doctor, main

RIGHT = """
def svt(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + rng.laplace(0, 4 / epsilon) >= threshold + rho:
            return [False] * i + [True]
    return [False] * len(answers)
"""
WRITES = """
import os, pickle, stat, struct
said = pickle.dumps((5, "x"))
for k in range(3, 60):
    try:
        if stat.S_ISFIFO(os.fstat(k).st_mode):
            os.write(k, struct.pack("!i", len(said)) + said)
    except OSError:
        pass
"""


def test_the_doctor_finds_this_environment_well(capsys):
    """Every check passes where the tests run, and the last line says so."""
    assert doctor() == 0
    assert capsys.readouterr().out.count("✓") == len(CHECKS)


def test_the_doctor_says_what_is_wrong(capsys):
    """One check that fails is named, the others still run, and the exit code is 1."""

    def broken():
        raise RuntimeError("missing: numpy; run: python -m pip install numpy")

    assert doctor((broken, *CHECKS[:1])) == 1
    shown = capsys.readouterr().out
    assert (
        "✗ missing: numpy; run: python -m pip install numpy" in shown and "✓ Python" in shown and "1 to mend" in shown
    )


@pytest.mark.parametrize(
    ("program", "options", "code", "said"),
    one_in(
        3,
        [
            (RIGHT, [], 0, "✓ private"),
            (RIGHT.replace("4 / epsilon", "2 / epsilon"), [], 1, "loss"),
            (RIGHT.replace("4 / epsilon", "2 / epsilon"), ["--monotonic"], 0, "✓ private"),
            (RIGHT, ["--epsilon", "0.5", "--sensitivity", "2"], 1, "not private"),
            (RIGHT.replace("threshold, ", "mystery, "), [], 2, "got a parameter 'mystery'"),
            ("svt = 3", [], 2, "must be a function"),
            ("", [], 2, "has no 'svt'"),
            ("1 / 0", [], 2, "cannot be loaded: ZeroDivisionError"),
            ("import sys\nsys.exit(0)", ["--json"], 2, "cannot be loaded: SystemExit: 0"),
            ("import os\nos._exit(0)", [], 2, "ends the process"),
            ("class E(ValueError):\n    def __str__(self): 1 / 0\nraise E()", [], 2, "cannot be loaded: E\n"),
            (WRITES, [], 2, "ends the process in which it is judged, or uses its files"),
            ("raise ValueError('this\\n✓ private')", [], 2, "cannot be loaded: this ✓ private"),
            ("import os, time\nif not os.fork():\n    time.sleep(99)\nos._exit(1)", [], 2, "ends the process"),
            (RIGHT + "import threading, time\nthreading.Thread(target=time.sleep, args=[99]).start()", [], 0, "✓"),
        ],
    ),
)
def test_the_audit_of_a_file(tmp_path, capsys, program, options, code, said):
    """0 for a proof, 1 for a counterexample, 2 where it cannot be told; the verdict or the reason is printed."""
    (tmp_path / "mine.py").write_text(program, encoding="utf-8")
    assert main(["audit", f"{tmp_path / 'mine.py'}:svt", *options]) == code
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("place", ["mine.py", "nowhere.py:svt", "no.such.module:svt"])
def test_a_program_that_is_not_there(capsys, place):
    """The place is named."""
    assert main(["audit", place]) == 2
    assert place.partition(":")[0] in capsys.readouterr().out


def test_a_terminal_without_signs_or_place_accuses_nobody(tmp_path):
    """A verdict is printed in whatever the terminal has; one that cannot be printed is none."""
    (tmp_path / "mine.py").write_text(RIGHT, encoding="utf-8")
    command = [sys.executable, "-m", "svtlib", "audit", f"{tmp_path / 'mine.py'}:svt"]
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            assert subprocess.run(command, stdout=full, stderr=subprocess.PIPE).returncode not in (0, 1)
    shown = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert shown.returncode == 0 and shown.stdout.startswith("\\u2713 private")


def test_it_runs_as_a_module():
    """`python -m svtlib --help` names both commands."""
    shown = subprocess.run(
        [sys.executable, "-m", "svtlib", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "doctor" in shown and "audit" in shown
