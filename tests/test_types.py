"""What an editor and a type checker see: every public name with its type, and wrong arguments refused before a run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from parts import ROOT

import svtlib as svt

RIGHT = """
import numpy as np
import pandas as pd
import svtlib as svt
m = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
runs = svt.simulate(m, pd.Series([3, 2, 1]), 2.0, trials=3, rng=np.random.default_rng(1))
positive: bool = svt.Session(m, rng=np.random.default_rng(1)).ask(3.0).positive
loss: float = svt.privacy_loss(m, [0, 0], [1, 1], "FT")
order: list[int] = list(svt.exponential_mechanism([3, 2, 1], 1, epsilon=1.0, rng=np.random.default_rng(1)))
"""


def checked(tmp_path: Path, code: str) -> str:
    """What mypy says about a program of a reader."""
    (tmp_path / "reader.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-color-output", "--cache-dir", str(tmp_path), "reader.py"]
    env = {"MYPYPATH": str(ROOT), "PATH": ""}
    return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True).stdout


@pytest.mark.full
def test_a_type_checker_sees_what_a_reader_calls(tmp_path):
    """A right program passes; each wrong line is refused, at its line, for its argument."""
    wrong = {
        'svt.simulate("no", 3)': "Mechanism",
        'svt.variant("alg1").calibrate(epsilon="1")': "float",
        "svt.worst_case(m, 2.5)": "int",
        "svt.no_such_name": "no_such_name",
    }
    said = checked(tmp_path, RIGHT + "\n".join(wrong) + "\n")
    start = RIGHT.count("\n")
    for number, (line, word) in enumerate(wrong.items(), start + 1):
        assert re.search(rf"reader\.py:{number}: error: .*{word}", said), (line, said)
    assert set(re.findall(r"reader\.py:(\d+): error", said)) == {str(start + k + 1) for k in range(len(wrong))}, said


def test_the_stub_names_what_there_is_and_nothing_else():
    """Each name of the stub loads from its module, and the marker that makes the types count is there."""
    text = (ROOT / "svtlib/__init__.pyi").read_text(encoding="utf-8")
    names = re.findall(r"\b(\w+) as \1\b", text)
    assert len(names) == len(set(names)) and set(names) - {"exercises"} == set(svt.__all__)
    assert all(getattr(svt, name) is not None for name in names) and set(names) <= set(dir(svt))
    assert (ROOT / "svtlib/py.typed").exists()
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = svt.no_such_name


def test_importing_svtlib_takes_numpy_alone():
    """To run a mechanism and to load scores, too; pandas, scipy and the others come with the first that needs them."""
    code = (
        "import sys, numpy as np, svtlib as svt; m = svt.variant('alg1').calibrate(epsilon=1.0); "
        "svt.run(m, [0.0], rng=np.random.default_rng(1)); svt.load_scores('aol'); svt.load_adult('age').mean(); "
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = {name.partition(".")[0] for name in loaded.split()}
    assert "numpy" in found and not found & {"pandas", "scipy", "matplotlib", "IPython", "z3", "flint"}
