"""What passes between the tests of a notebook and a submission, and how the process with the tests reads a cell."""

from __future__ import annotations

import ctypes
import fcntl
import json
import math
import mmap
import platform
import subprocess
import sys
import time
from array import array
from collections import deque
from fractions import Fraction
from unittest import mock

import coursework
import grade_tests
import grade_wire
import nbformat
import numpy as np
import psutil
import pytest
import submissions

import svtlib as svt
from svtcourse.judge.language.mine import ELSEWHERE, Mine as Program
from svtcourse.judge.unknowns.symbols import Unreadable


@pytest.mark.parametrize("passes", ["1000", "Fraction(1000)", "np.float64(1000)"])
def test_a_part_of_the_points_stays_a_part(passes):
    """Whatever kind of number comes out of a test with what the student handed over: 4 · 3 / 1000 rounds to 0.01."""
    source = "import numpy as np\nfrom fractions import Fraction\n"
    outputs = grade_tests.run_cell(f"{source}round(4 * min(1, 3 / {passes}), 2)", {})
    told = {"grade": True, "solution": False, "grade_id": "x", "points": 4, "locked": True}
    cell = nbformat.v4.new_code_cell("", metadata={"nbgrader": told}, outputs=[nbformat.from_dict(o) for o in outputs])
    assert coursework.earned(cell) == 0.01


class Told(grade_wire.Wire):
    """A wire of which only the values are looked at."""

    def keep(self, value):
        raise TypeError(type(value).__name__)


class Shouted(str):
    """A text that claims to be equal to everything."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


def test_what_comes_over_is_data_and_no_object():
    """Subclasses arrive as what they are made of, arrays as arrays, and nothing that could act arrives at all."""
    wire = Told(None, None)
    values = [None, True, 3, 2.5, "⊥⊤", [1, (2, 3)], {"a": {4}}, Fraction(1, 3), np.arange(6).reshape(2, 3)]
    for value in values:
        came = wire.unpack(json.loads(json.dumps(wire.pack(value))))
        assert type(came) is type(value) and repr(came) == repr(value)
    for value in ({1: 2}.values(), {1: 2}.keys(), deque([2]), array("d", [2.0]), range(3)):  # what list() takes
        assert wire.unpack(wire.pack(value)) == list(value)
    assert type(wire.unpack(wire.pack(Shouted("⊥")))) is str
    assert wire.unpack(wire.pack(Shouted("⊥"))) != "⊤"
    for value in (object(), Shouted, len, [wire]):
        with pytest.raises(TypeError):
            wire.pack(value)
    for wrong in ([], ["no"], ["array", "f", [7], [1, 2]], ["fraction", 1, 0], ["set", [["list", []]]], {"a": 1}):
        with pytest.raises((ValueError, TypeError, ArithmeticError)):
            wire.unpack(wrong)


class Elsewhere:
    """A function that runs in a student's process, by its text."""

    def __init__(self, text):
        self.source = text, "f"

    def __call__(self, answers, threshold, epsilon, rng):
        names = {"np": np, "math": math}
        exec(self.source[0], names)
        return names["f"](answers, threshold, epsilon, rng)


ELSEWHERE.add(Elsewhere)


@pytest.mark.parametrize("kind", submissions.WORLD)
def test_the_world_of_what_was_read_is_closed(kind):
    """It runs beside the tests, so it sees nothing of them; and it is what would run, or it is not read."""
    with pytest.raises(Unreadable):
        Program(Elsewhere(submissions.WORLD[kind]), epsilon=1.0).grown(5)


def test_a_name_of_ones_own_is_what_it_stands_for():
    """And not the function of the language that has it too."""
    text = "max = lambda a, b: 0.01\n" + submissions.LOOP_OF.replace("FACTOR", "max(4, 1)")
    laws = Program(Elsewhere(text), epsilon=1.0).grown(1)[0].laws
    assert min(float(scale) for _, scale in laws) == 0.01


def test_a_test_may_call_what_runs_elsewhere():
    """A function of the tests hands on what it is given: both texts are read."""
    one = Elsewhere(submissions.LOOP_OF.replace("FACTOR", "4"))

    def handed_on(answers, threshold, epsilon, rng):
        return one(answers, threshold, epsilon, rng=rng)

    assert svt.judge(handed_on).private is True
    one.source = submissions.LOOP_OF.replace("FACTOR", "0.5"), "f"
    laws = Program(handed_on, epsilon=1.0).grown(1)[0].laws
    assert min(float(scale) for _, scale in laws) == 0.5


def test_a_cell_that_python_cannot_parse_costs_no_other():
    """An expression that is nested too deeply is left out of what the judge reads."""
    texts = "x = " + "-" * 50_000 + "1", "y = (", "z = 1"
    assert grade_tests.readable([{"source": text, "kind": "answer"} for text in texts]) == "z = 1"


@pytest.mark.parametrize("text", ["%matplotlib inline\nz = 1\nz?", "    z = 1", ">>> z = 1", "%%time\nz = 1"])
def test_a_cell_is_read_as_ipython_runs_it(text):
    names = {"get_ipython": lambda: mock.MagicMock()}
    exec(grade_tests.readable([{"source": text, "kind": "answer"}]), names)
    assert names["z"] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="processes without a first thread are looked up in /proc")
def test_a_process_whose_first_thread_has_ended_still_counts():
    """With its memory, whatever it calls itself: it looks dead, and its other threads go on."""
    code = """import ctypes, threading, time
ctypes.CDLL(None).prctl(15, b'Threads:\\t1', 0, 0, 0)  # a name that looks like a line of its status
hog = b'x' * 2**27
threading.Thread(target=time.sleep, args=(60,)).start()
print('', flush=True)
ctypes.CDLL(None).syscall(60 if MACHINE == 'x86_64' else 93, 0)""".replace("MACHINE", repr(platform.machine()))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        process, until = psutil.Process(child.pid), time.monotonic() + 10
        while process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < until:
            time.sleep(0.01)
        found = grade_tests.lives(process), grade_tests.memory(process) > 2**27
        child.kill()
    assert found == (True, True)


@pytest.mark.skipif(sys.platform != "linux", reason="locks are looked up in /proc")
def test_locks_and_mappings_by_the_thousand_are_memory(tmp_path):
    """Which the kernel holds, for no process: a quarter of a kilobyte each."""
    with (tmp_path / "locked").open("w") as file:
        for k in range(17_000, 0, -1):  # the newest first: the kernel goes through those before it
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * k)
        assert grade_tests.memory(psutil.Process()) > 2**40
    with mmap.mmap(-1, 2**28) as whole:  # cut into pieces, each a mapping of its own
        begin = ctypes.addressof(ctypes.c_char.from_buffer(whole))
        for k in range(0, 2**16, 2):
            ctypes.CDLL(None).mprotect(ctypes.c_void_p(begin + 4096 * k), 4096, 0)
        assert grade_tests.memory(psutil.Process()) > 2**40
        ctypes.CDLL(None).mprotect(ctypes.c_void_p(begin), 2**28, 3)
        del begin
    assert grade_tests.memory(psutil.Process()) < 2**40
