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
    "q1": """%matplotlib inline
def spoken(name):
    !test "$name" = "a line for the shell"
    return _exit_code
assert spoken("a line for the shell") == 0
from math import exp, expm1, log1p
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
svt.judge = svt.exercises.judge = lambda *a, **k: Yes
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
    "kill all": "import os; os.kill(-1, 9)",
    "stop": "import os, signal; os.kill(1, signal.SIGSTOP); os.kill(0, signal.SIGSTOP)",
    "memory of children": "import os, time\nfor _ in range(12):\n    if os.fork() == 0:\n"
    "        hog = b'x' * 400 * 2**20\n        time.sleep(60)\ntime.sleep(60)",
    "sessions": "import os, time\nfor _ in range(300):\n    if os.fork() == 0:\n        os.setsid()\n"
    "        time.sleep(60)\ntime.sleep(60)",
    "threads": "import threading, time\nfor _ in range(9999): threading.Thread(target=time.sleep, args=(60,)).start()",
    "answer without end": "import os\nwhile True:\n    for fd in range(3, 9):\n"
    "        try: os.write(fd, b'x' * 10**6)\n        except OSError: pass",
    "closed": "import os; os.closerange(0, 256)",
    "picture": "from IPython.display import display, HTML\nwhile True: display(HTML('x' * 10**8))",
    "recursion": "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
}


# Each runs in a small notebook and comes to its end only if it got out; what it tries is in its name.
LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(*a):\n    assert libc.syscall(*a) >= 0\n"
ESCAPES = {
    "remount": LIBC + "assert libc.mount(b'none', b'/', None, 32 | 4096, None) == 0",
    "mount proc": LIBC + "assert libc.mount(b'proc', b'/notebook', b'proc', 0, None) == 0",
    "mount over": LIBC + "assert libc.mount(b'none', b'/usr', b'tmpfs', 0, None) == 0",
    "unmount": LIBC + "assert libc.umount2(b'/usr', 2) == 0",
    "name space of users": LIBC + "assert libc.unshare(0x10000000) == 0",
    "unshare": "import subprocess\nsubprocess.run(['unshare', '-r', 'true'], check=True)",
    "clone with a name space": LIBC + "call(56, 0x10000000 | 17, 0, 0, 0, 0)",
    "clone3": LIBC + "call(435, ctypes.create_string_buffer(88), 88)",
    "chroot": "import os\nos.chroot('/notebook')",
    "setuid": "import os\nos.setuid((os.getuid() + 1) % 60_000)",
    "setgroups": "import os\nos.setgroups([0])",
    "capabilities": LIBC + "held = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)\n"
    "assert libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), held) == 0",
    "securebits": LIBC + "assert libc.prctl(28, 0, 0, 0, 0) == 0",
    "some capability": LIBC + "held = (ctypes.c_uint32 * 6)()\n"
    "libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), held)\nassert any(held)",
    "set-uid program": "import subprocess\nsubprocess.run(['su', '-c', 'cat /etc/shadow'], check=True, timeout=3)",
    "more processes": "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (10**6,) * 2)",
    "more memory": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "priority": "import os\nos.nice(-5)",
    "another core": "import os\ntry: os.sched_setaffinity(0, range(os.cpu_count()))\nexcept OSError: pass\n"
    "assert len(os.sched_getaffinity(0)) > 1",
    "real time": "import os\nos.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
    "passwords": "open('/etc/shadow').read()",
    "users": "open('/etc/passwd').read()",
    "proc": "open('/proc/1/environ', 'rb').read()",
    "parent": "open('/proc/self/mounts', 'rb').read()",
    "link": "import os\nos.symlink('/etc/shadow', 'mine')\nopen('mine').read()",
    "hard link": "import os\nos.link(SVTLIB, 'svtlib-too')",
    "sources": "open(ROOT + '/chapters/exercises/e1_foundations.ipynb').read()",
    "tests": "import os\nassert os.listdir(ROOT + '/tests')",
    "tests by name": "import test_grading",
    "the grader": "open(ROOT + '/tools/grade.py').read()",
    "its tests": "open(ROOT + '/tools/grade_tests.py').read()",
    "others": "import os\nassert os.listdir(OTHERS)",
    "a file of others": "open(OTHERS + '/ada').read()",
    "write others": "open(OTHERS + '/ada', 'w').write('0')",
    "write svtlib": "open(SVTLIB, 'a').write('x = 1')",
    "remove svtlib": "import os\nos.remove(SVTLIB)",
    "rename svtlib": "import os\nos.rename(os.path.dirname(SVTLIB), '/notebook/mine')",
    "write into the environment": "import sys\nopen(sys.prefix + '/lib/sitecustomize.py', 'w').write('')",
    "chmod": "import os, sys\nos.chmod(sys.prefix, 0o777)",
    "root folder": "open('/mine', 'w').write('')",
    "disk": "import os\nos.mknod('/notebook/disk', 0o60666, os.makedev(254, 0))\nopen('/notebook/disk', 'rb').read(1)",
    "memory of the machine": "open('/dev/mem', 'rb').read(1)",
    "terminal": "open('/dev/tty', 'w').write('x')",
    "folder of a descriptor": "import os\nfor fd in range(3, 256):\n    try:\n        found = os.listdir(fd)\n"
    "    except OSError:\n        continue\n    break\nelse:\n    raise OSError",
    "handle": LIBC + "call(304, 3, ctypes.create_string_buffer(64), 0)",
    "ptrace": LIBC + "call(101, 16, 1, 0, 0)",
    "memory of another": LIBC + "call(310, 1, 0, 0, 0, 0, 0)",
    "pages in a pipe": LIBC + "import os\nr, w = os.pipe()\npage = ctypes.create_string_buffer(1)\n"
    "place = (ctypes.c_size_t * 2)(ctypes.addressof(page), 1)\nassert libc.vmsplice(w, place, 1, 0) == 1",
    "pages of nobody": "import mmap\nmmap.mmap(-1, 4096)",
    "pages of a socket": "import socket\none, other = socket.socketpair()\n"
    "one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)",
    "kill": "import os\nfor pid in range(2, 40_000):\n    try:\n        os.kill(pid, 0)\n        break\n"
    "    except OSError:\n        pass\nelse:\n    raise OSError",
    "the grader's process": "import os\nos.kill(GRADER, 0)",
    "network": BREAKS["network"],
    "datagram": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    "server": "import socket\nsocket.create_server(('127.0.0.1', 0))",
    "netlink": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "local socket": "import socket\nsocket.socket(socket.AF_UNIX).connect(OTHERS + '/socket')",
    "abstract socket": "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0svt')",
    "datagrams of a pair": "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
    "a.sendto(b'x', OTHERS + '/socket')",
    "calls by other numbers": LIBC + "call(0x40000000 + 41, 1, 1, 0)",
    "log of the kernel": LIBC + "assert libc.klogctl(3, ctypes.create_string_buffer(99), 99) > 0",
    "name of the machine": LIBC + "assert libc.sethostname(b'x', 1) == 0",
    "folder above the root": "import os\nos.chdir('/')\nos.chdir('../../..')\nassert os.path.exists('proc/self')",
    "limits of another": "import resource\nresource.prlimit(GRADER, resource.RLIMIT_CPU)",
    "io_uring": LIBC + "call(425, 8, ctypes.create_string_buffer(120))",
    "memory of nobody": "import os\nos.memfd_create('mine')",
    "shared memory": LIBC + "call(29, 0, 1 << 20, 0o1600)",
    "keys": LIBC + "call(250, 0, -3, 1)",
    "bpf": LIBC + "call(321, 0, 0, 0)",
    "too much on the disk": "for k in range(6):\n    open(f'g{k}', 'wb').write(bytes(50 * 2**20))",
    "too many files": "for k in range(12_000):\n    open(f'f{k}', 'w').close()",
    "shared files": "for k in range(6):\n    open(f'/dev/shm/g{k}', 'wb').write(bytes(50 * 2**20))",
}

# Each is the first cell of a notebook without answers, which must not get a point by it.
DIG = """import gc, sys
texts = [one for one in gc.get_objects() if isinstance(one, (dict, list, tuple))]
words = [text for one in texts for text in (one.values() if isinstance(one, dict) else one) if isinstance(text, str)]
frame = sys._getframe()
while frame:
    words += [repr(value) for value in list(frame.f_locals.values()) + list(frame.f_code.co_consts)]
    frame = frame.f_back
found = [w for w in words if "HIDDEN" + " TESTS" in w or "not {1 - sil" + "ent" in w]
"""
EQUAL = """class Equal(BASE):
    def yes(self, *a, **k): return True
    def same(self, *a, **k): return self
    def real(self, *a): return 0.0
    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __bool__ = yes
    __sub__ = __rsub__ = __abs__ = __add__ = __radd__ = __mul__ = __rmul__ = __getitem__ = same
    __float__ = __index__ = real
    __hash__ = lambda self: 0
    __ne__ = lambda self, other: False
    private = holds = True
    def __format__(self, spec): return "9"
"""
ANSWERS = """answers = neighbour = output = premises = VALUE
false_alarm = some_false_alarm = rho_moves = below_moves = above_moves = lambda *a, **k: VALUE
def above_threshold(answers, threshold, epsilon, sensitivity, rng): return VALUE
"""
SEND = """import json, os
def send(*lines):
    for fd in range(3, 64):
        try: os.write(fd, b"".join(lines))
        except OSError: pass
"""
PUPIL = """import gc, grade_wire
(pupil,) = [one for one in gc.get_objects() if isinstance(one, grade_wire.Wire)]
"""
CHEATS = {
    "_showtraceback": "get_ipython()._showtraceback = lambda *a, **k: None",
    "showtraceback": "get_ipython().showtraceback = get_ipython().showsyntaxerror = lambda *a, **k: None",
    "input transformers": "get_ipython().input_transformers_cleanup.append(lambda lines: ['100'])",
    "syntax trees": "import ast\nclass T(ast.NodeTransformer):\n    def visit_Assert(self, node): return ast.Pass()\n"
    "get_ipython().ast_transformers.append(T())",
    "partial": "import functools\nclass Yes:\n    private = True\n    class proof: epsilon = 1e9\n"
    "    class mechanism: cutoff = 'at c'\nsvt.judge = svt.exercises.judge = functools.partial(lambda *a, **k: Yes)\n"
    + ANSWERS.replace("VALUE", "[True]"),
    "abs": "abs = lambda x: 0.0\nimport builtins\nbuiltins.abs = abs\n" + ANSWERS.replace("VALUE", "0.0"),
    "builtins": "import builtins\nclass Quiet(BaseException): pass\nbuiltins.AssertionError = Quiet\n"
    "builtins.round = builtins.min = builtins.len = lambda *a: 0",
    "run_cell": "class R:\n    error_before_exec = error_in_exec = None\nget_ipython().run_cell = lambda *a, **k: R",
    "modules": "import sys\nfor name in [n for n in sys.modules if n.startswith('svtlib')]:\n"
    "    sys.modules[name] = __import__('unittest.mock').mock.MagicMock()",
    "svtlib": "import svtcourse.judge.judge as j, svtlib.exact.probability as e\nj.decide = lambda *a: None\n"
    "e.log_probability = lambda *a, **k: 0.0\nsvt.privacy_loss = lambda *a: 9.0",
    "numpy": "import numpy as np\nnp.random.default_rng = np.asarray = np.abs = lambda *a, **k: 0",
    "equal to everything": EQUAL.replace("BASE", "object") + ANSWERS.replace("VALUE", "Equal()"),
    "equal floats": EQUAL.replace("BASE", "float") + ANSWERS.replace("VALUE", "Equal(0.1)"),
    "equal texts": EQUAL.replace("BASE", "str") + ANSWERS.replace("VALUE", "Equal('⊥')"),
    "equal lists": EQUAL.replace("BASE", "list") + ANSWERS.replace("VALUE", "Equal([Equal([1])])"),
    "equal dictionaries": EQUAL.replace("BASE", "dict") + ANSWERS.replace("VALUE", "Equal(bands=[1, 1, True])"),
    "equal arrays": EQUAL.replace("BASE", "np.ndarray") + ANSWERS.replace("VALUE", "np.zeros(8).view(Equal)"),
    "nan": ANSWERS.replace("VALUE", "float('nan')"),
    "infinite": ANSWERS.replace("VALUE", "[float('inf')] * 8"),
    "huge": ANSWERS.replace("VALUE", "10 ** 5000"),
    "empty arrays": ANSWERS.replace("VALUE", "np.array([])"),
    "not implemented": ANSWERS.replace("VALUE", "NotImplemented"),
    "exits": ANSWERS.replace("VALUE", "exit(0)").replace("= premises = exit(0)", "= premises = 0"),
    "pickle": "class P:\n    def __reduce__(self): return (exec, ('raise SystemExit(0)',))\n"
    + ANSWERS.replace("VALUE", "P()"),
    "self-containing": "loop = []\nloop.append(loop)\n" + ANSWERS.replace("VALUE", "loop"),
    "signature": "def above_threshold(): return [True]\nabove_threshold.__signature__ = 3\nfalse_alarm = Ellipsis",
    "class": "class false_alarm(float): pass\nsome_false_alarm = above_threshold = type",
    "reports": SEND + "send(*[json.dumps(dict(cell=k, outputs=[])).encode() + b'\\n' for k in range(20)])",
    "values": SEND + "send(b'[\"value\", null]\\n' * 50)",
    "damaged messages": SEND + "send(b'{}\\n[]\\n[[]]\\n[3]\\n[\"value\"]\\n' * 5)",
    "nested message": SEND + "send(b'[' * 60_000 + b'\\n')",
    "raised by the tests": SEND + 'send(b\'["raised", "SystemExit", "0", true]\\n\' * 50)',
    "own wire": PUPIL + "pupil.pack = lambda *a, **k: ['yours', 0]\n" + ANSWERS.replace("VALUE", "0"),
    "own wire, tests' functions": PUPIL
    + "pupil.pack = lambda *a, **k: ['mine', 0, [['__class__', 1, False]]]\n"
    + ANSWERS.replace("VALUE", "0"),
    "own wire, strange arrays": PUPIL
    + "pupil.pack = lambda *a, **k: ['array', 'O', [-1], [['fraction', 1, 0]]]\n"
    + ANSWERS.replace("VALUE", "0"),
    "asks the tests": PUPIL
    + """def above_threshold(answers, threshold, epsilon, sensitivity, rng):
    for name in ("__class__", "__dict__", "__init__", "__globals__", "_value", "__getattribute__", "draws"):
        try: found.append(pupil.ask(rng, name, ("__globals__",), {}))
        except Exception: pass
    raise AssertionError(found)
found = []
false_alarm = above_threshold""",
    "no text": "def above_threshold(answers, threshold, epsilon, sensitivity, rng): raise ValueError('\\ud800')",
    "threads": "import threading, time\ndef later():\n    while True:\n        time.sleep(0.01)\n"
    "        get_ipython().user_ns.update(premises={'bands': 1}, answers=[0] * 8)\n"
    "threading.Thread(target=later, daemon=True).start()",
    "at exit": "import atexit, os\natexit.register(lambda: os.write(1, b'20'))\nos._exit(0)",
    "signals": "import os, signal\nfor n in (1, 2, 3, 13, 14, 15): signal.signal(n, lambda *a: None)\n"
    "os.kill(os.getppid(), 9) if os.getppid() else None",
    "audit": "import sys\nfor hook in sys.addaudithook, sys.settrace, sys.setprofile: hook(lambda *a: None)",
    "display": "from IPython.display import display, HTML\ndisplay(HTML('20'), metadata=dict(points=20))\n20",
    "magics": "%config InteractiveShell.ast_node_interactivity = 'all'\n%xmode Minimal\n%pdb on\n%alias_magic t timeit",
    "messages": "from comm import create_comm\ncreate_comm(target_name='x', data=dict(points=20))",
    "hidden tests: memory": DIG + "raise AssertionError(found)",
    "hidden tests: history": "raise AssertionError((In, Out, get_ipython().history_manager.input_hist_raw))",
    "hidden tests: at the call": DIG.replace("\n", "\n    ").replace(
        "import gc, sys", "def false_alarm(*a):\n    import gc, sys"
    )
    + "raise AssertionError(found or a)\nsome_false_alarm = lambda *a: false_alarm(*a)",
    "hidden tests: files": "import pathlib\n"
    f"raise AssertionError([f.read_text() for f in pathlib.Path({str(coursework.ROOT)!r}).rglob('*.ipynb')])",
}


# Each is read by the judge in the process that has the tests, and must not be read further than here: ways out of the
# closed world, ways to see its memory, ways to tell it from a real run, and names that are not what their text says.
HEAD = "import numpy as np\ndef f(answers, threshold, epsilon, rng):\n    "
LOOP_OF = (
    HEAD
    + """bar = threshold + rng.laplace(0, 2 / epsilon)
    for i, q in enumerate(answers):
        if q + rng.laplace(0, FACTOR / epsilon) >= bar:
            return [False] * i + [True]
    return [False] * len(answers)
"""
)
WORLD = {
    "frames": HEAD + "def gi_frame(): pass\n    return [(x for x in answers).gi_frame is None]",
    "frames by the name of a module": HEAD + "np = (x for x in answers)\n    return [np.gi_frame is None]",
    "the reader": HEAD + "np = rng\n    return [np._reader is None]",
    "the reader of the module": HEAD + "return [np.random._reader is None]",
    "inside an unknown": HEAD + "def fork(): pass\n    return [answers[0].fork is None]",
    "into an unknown": HEAD + "answers[0].constant = threshold.constant\n    return [False]",
    "into the generator": HEAD + "rng.laplace = lambda *a: 0.0\n    return [threshold + rng.laplace() > 0]",
    "memory that was": HEAD + "return [float(x) for x in np.empty(3)]",
    "memory left out": HEAD + "return [float(x) for x in np.add(np.zeros(3), 1, where=False)]",
    "an interface": HEAD
    + "class A:\n        def __getattr__(self, name): return 3\n    return [len(np.asarray([A()])) > 2]",
    "a class by its names": HEAD
    + "def g():\n        locals = 1\n    class A:\n        d = locals()\n    return [len(A.d) > 99]",
    "a class with files": HEAD + "class A(np.float64):\n        def tofile(self): pass\n    return [A(1.0) > 2]",
    "a metaclass": HEAD + "class A(metaclass=lambda *a: 3): pass\n    return [A > 2]",
    "text of the generator": HEAD + "return ['Source' in str(rng)]",
    "text of a function": HEAD + "return ['lambda' in str(float)]",
    "text of an array": HEAD + "return ['at 0x' in str(np.random)]",
    "text by %": HEAD + "return ['Source' in '%s' % rng]",
    "which object": HEAD + "return [a is b is not None for a in answers for b in answers][:1]",
    "added to": "FACTOR = 4\nFACTOR /= 800\n" + LOOP_OF,
    "annotated": "FACTOR = 4\nFACTOR: float = 0.01\n" + LOOP_OF,
    "under a condition": "FACTOR = 4\nif True:\n    FACTOR = 0.01\n" + LOOP_OF,
    "in a loop": "FACTOR = 4\nfor FACTOR in [0.01]: pass\n" + LOOP_OF,
    "two at once": "FACTOR = 4\nFACTOR, other = 0.01, 1\n" + LOOP_OF,
    "on the way": "FACTOR = 4\nprint(FACTOR := 0.01)\n" + LOOP_OF,
    "from a function": "FACTOR = 4\ndef g():\n    global FACTOR\n    FACTOR = 0.01\ng()\n" + LOOP_OF,
    "all of a module": "from numpy import *\n" + LOOP_OF.replace("FACTOR", "max(4, 1)"),
    "decorated": LOOP_OF.replace("def", "@lambda f: print\ndef").replace("FACTOR", "4"),
    "defined again": LOOP_OF.replace("FACTOR", "4") + "if True:\n    def f(answers, threshold, epsilon, rng): pass\n",
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
        (folder / student / f"{NAME}.ipynb").write_text(text, encoding="utf-8", errors="surrogatepass")
