"""`python -m svtlib doctor` checks an environment, `python -m svtlib audit FILE:FUNCTION` judges a program."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import math
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from multiprocessing import connection
from pathlib import Path
from typing import Any

_NEEDED = ("numpy", "pandas", "matplotlib", "scipy", "z3-solver", "python-flint", "ipywidgets", "jupyterlab")
_OLDEST = (3, 11)


def _python() -> str:
    found = sys.version_info[:2]
    if found < _OLDEST:
        raise RuntimeError(f"Python {found[0]}.{found[1]} is too old: install Python 3.11 or newer")
    return f"Python {found[0]}.{found[1]}"


def _packages() -> str:
    missing = []
    for name in _NEEDED:
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        raise RuntimeError(f"missing: {', '.join(missing)}; run: python -m pip install {' '.join(missing)}")
    return f"{len(_NEEDED)} packages"


def _data() -> str:
    import svtlib as svt

    people = int(svt.load_adult("age").series().sum())
    if people != 32_561:
        raise RuntimeError(f"the data files are damaged ({people:,} people in place of 32,561): install svtlib again")
    return "the data files"


def _solvers() -> str:
    import svtlib as svt

    alg4 = svt.variant("alg4").calibrate(epsilon=1.0)
    shown = svt.certify(alg4, [0, 0, 1], [1, 1, 0], "⊥⊥⊤", digits=10)
    if svt.prove(alg4).holds or not shown.exceeds(1):
        raise RuntimeError("a known result does not come out: install z3-solver and python-flint again")
    return "the solver and the ball arithmetic"


def _figures() -> str:
    from svtcourse.figures import plots

    plots.new_figure()
    return "figures"


CHECKS: tuple[Callable[[], str], ...] = (_python, _packages, _data, _solvers, _figures)


def doctor(checks: Sequence[Callable[[], str]] = CHECKS) -> int:
    """Check the environment of a reader and say what to do where something is missing; return 1 if something is."""
    faults = 0
    for check in checks:
        try:
            print(f"✓ {check()}")
        except Exception as error:
            faults += 1
            print(f"✗ {error}")
    print("Everything works." if not faults else f"{faults} to mend: see above.")
    return 1 if faults else 0


def load(place: str) -> Any:
    """Return the function that `place` names: file.py:function or package.module:function.

    Raises
    ------
    ValueError
        If the form is another one, or there is no such file or function; else whatever ends the loading of it.
    """
    where, _, name = place.partition(":")
    if not where or not name:
        raise ValueError(f"the program must be given as FILE.py:FUNCTION or MODULE:FUNCTION, got {place!r}")
    if where.endswith(".py"):
        if not Path(where).is_file():
            raise ValueError(f"there is no file {where}")
        spec = importlib.util.spec_from_file_location(Path(where).stem, where)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, "")
        try:
            module = importlib.import_module(where)
        finally:
            sys.path.remove("")
    if not hasattr(module, name):
        raise ValueError(f"{where} has no {name!r}")
    return getattr(module, name)


def _judged(place: str, as_json: bool, options: dict[str, Any], answer: Any) -> None:
    """Judge a program, and send the text to print and the exit code: 0 if private, 1 if not, 2 if not decided."""
    from svtcourse.exercises import judge
    from svtcourse.judge.verdict import ending

    try:
        program = load(place)
    except BaseException as error:
        said = ending(error).removeprefix("ValueError: ")
        answer.send((_not_decided(f"{place} cannot be loaded: {said}", as_json), 2))
        return
    try:
        verdict = judge(program, **options)
    except Exception as error:
        answer.send((_not_decided(ending(error).removeprefix("ValueError: "), as_json), 2))
        return
    text = str(verdict)
    if as_json:
        pair = None if verdict.pair is None else {**vars(verdict.pair), "loss": verdict.pair.loss}
        told = {"private": verdict.private, "epsilon": verdict.epsilon, "reason": verdict.reason, "pair": pair}
        text = json.dumps(_finite(told), ensure_ascii=False)
    answer.send((text, {True: 0, False: 1, None: 2}[verdict.private]))


def _not_decided(reason: str, as_json: bool) -> str:
    line = "".join(x if x.isprintable() else " " for x in reason)
    return json.dumps({"private": None, "reason": reason}) if as_json else f"? {line}"


def audit(place: str, *, as_json: bool = False, **options: Any) -> int:
    """Judge a program in a process of its own, print the verdict and return the exit code.

    A program that ends Python, in whichever way, ends that process, and is not decided; the file itself is run, and one
    that answers in place of the judge is not noticed.
    """
    try:
        text, code = _answer(place, as_json, options)
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:  # no process, no folder, or no place for the answer
        print(f"not decided: {error}", file=sys.stderr)
        return 2
    return code


def _answer(place: str, as_json: bool, options: dict[str, Any]) -> tuple[str, int]:
    """What a process of its own says: the text to print and the exit code."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_judged, args=(place, as_json, options, there))
    process.start()
    there.close()
    try:
        connection.wait([here, process.sentinel])  # a process that the file began may keep the pipe open
        text, code = here.recv() if here.poll() else (None, 2)
        if type(text) is not str or type(code) is not int or code not in (0, 1, 2):
            raise TypeError("what comes is not the judge's")
    except Exception:
        text, code = _not_decided(f"{place} ends the process in which it is judged, or uses its files", as_json), 2
    process.join(1)
    process.kill()  # a thread of the file may go on for ever
    process.join()
    return text, code


def _finite(value: Any) -> Any:
    """The same with infinities as text: JSON has no number for them."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m svtlib", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("doctor", help="check this environment and say what to do")
    one = commands.add_parser("audit", help="judge a program; exit code 1 and a counterexample if it is not private")
    one.add_argument("program", help="FILE.py:NAME or MODULE:NAME: a function of the answers, or a class with ask")
    one.add_argument("--epsilon", type=float, default=1.0)
    one.add_argument("--c", type=int, default=1, help="positives until it stops, at most 6")
    one.add_argument("--sensitivity", type=float, default=None)
    one.add_argument("--monotonic", action="store_true", help="for queries that all move in one direction")
    one.add_argument(
        "--trials", type=int, default=20_000, help="runs on each dataset, where it has to be run on numbers"
    )
    one.add_argument("--json", action="store_true", help="print the verdict as one line of JSON")
    given = parser.parse_args(arguments)
    if given.command == "doctor":
        return doctor()
    options = {name: getattr(given, name) for name in ("epsilon", "c", "sensitivity", "monotonic", "trials")}
    return audit(given.program, as_json=given.json, **options)


if __name__ == "__main__":
    sys.exit(main())
