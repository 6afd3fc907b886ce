"""A program on a page of the site: run on numbers, or on unknowns and judged, by MicroPython and without numpy.

It reads with the same `symbols`, `tree` and `chance` as the whole judge, proves with the alignment's formula and
convicts by pairs whose probabilities are integrated here.  It says for how many queries that holds, and what it cannot
decide it leaves to the whole judge.
"""

from __future__ import annotations

import json
import math

from svtcourse.judge.any_length.always import why_not_always
from svtcourse.judge.any_length.longer import departs
from svtcourse.judge.convict.pairs import Case, leaves_of, signs_of
from svtcourse.judge.language.outputs import said
from svtcourse.judge.language.program import Failed, Program, nothing
from svtcourse.judge.language.texts import Text
from svtcourse.judge.language.tokens import Refusal
from svtcourse.judge.unknowns.svts import ASKED_ON, MIDDLE, ROUNDING, no_pair, told_apart
from svtcourse.judge.unknowns.symbols import Refused, Unreadable
from svtcourse.judge.unknowns.tree import Leaf, Unrecognised, comparison, grow, law_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from svtcourse.judge.unknowns.svts import SVT
    from svtcourse.judge.unknowns.symbols import Key, Path
    from svtcourse.judge.unknowns.tree import Node

__all__ = ["Failed", "judge", "reply", "run"]

_LITTLE = 1e-9  # of a budget, as good as nothing


def run(text: str, answers: list[float], threshold: float, **asked: Any) -> Any:
    """One run with new noise: the answers that it gives."""
    return list(said(Text(text, asked).once(answers, threshold), len(answers)))


def _names(key: Key, paths: list[Path]) -> dict[int, str]:
    """Of the draws of a comparison: ν with its query for what is with the answer and only there, ρ for the others.

    `paths` are those that go on from it: a draw that other comparisons have too is the threshold's.
    """
    owners: dict[int, set[int]] = {}
    for path in paths:
        for (terms, _), _, _ in path.literals:
            inner = [v for w, _ in terms if w[0] == "|" for v, _ in w[1][0]]
            every = [v for v, _ in terms] + inner
            for v in every:
                if v[0] == "z":
                    owners.setdefault(v[1], set())
                    owners[v[1]] |= {v[1] for v in every if v[0] == "a"}
    signs = [f > 0 for v, f in key[0] if v[0] in ("a", "|")]
    found, first = {}, min(owners) if owners else 0
    for v, f in key[0]:
        if v[0] == "z":
            against = bool(signs) and (f > 0) is not signs[0]
            many = len(owners.get(v[1], ())) > 1
            found[v[1]] = ("ρ" if v[1] == first else "ρ′") if many or against else "ν"
        elif v[0] == "|":
            found.update(_names(v[1], paths))
    query = [v[1] for v, _ in key[0] if v[0] == "a"]
    low = "".join("₀₁₂₃₄₅₆₇₈₉"[int(d)] for d in str(query[0] + 1)) if query else ""
    return {k: name + low if name == "ν" else name for k, name in found.items()}


def _asked(key: Key, names: dict[int, str]) -> str:
    """A comparison in signs: what stands with the answer, ≥, and what stands against it."""
    left: list[str] = []
    right: list[str] = []
    terms = sorted(key[0], key=lambda pair: (pair[0][0] not in ("a", "|"), repr(pair[0])))
    sign = 1
    for v, f in terms:
        if v[0] in ("a", "|"):
            sign = 1 if f > 0 else -1
            break
    for v, f in terms:
        size = abs(f)
        times = "" if size == 1 else f"{float(size):.4g}·"
        if v[0] == "a":
            text = "q" + "".join("₀₁₂₃₄₅₆₇₈₉"[int(d)] for d in str(v[1] + 1))
        elif v[0] == "|":
            text = "|" + _asked(v[1], names).partition(" ≥")[0] + "|"
        else:
            text = "T" if v[0] == "T" else names.get(v[1], "ν")
        (left if (f > 0) is (sign > 0) else right).append(times + text)
    number = float(key[1]) * sign
    if number:
        (left if number > 0 else right).append(f"{abs(number):.4g}")
    return f"{' + '.join(left) or '0'} ≥ {' + '.join(right) or '0'}"


def _drawn(tree: Node | Leaf, n: int, program: Text) -> dict[str, Any]:
    if isinstance(tree, Leaf):
        return {"output": signs_of(tree.output, n, (), program)}
    paths = [leaf.path for leaf in leaves_of(tree)]
    high = True
    try:
        high = comparison(tree.question[0]).up
    except Unrecognised:
        pass
    return {
        "asks": _asked(tree.question[0], _names(tree.question[0], paths)), "line": tree.line,
        "no": _drawn(tree.next[not high], n, program), "yes": _drawn(tree.next[high], n, program),
    }  # fmt: skip


def _laws(path: Path) -> dict[int, list[str]]:
    """The laws of the draws of each line."""
    found: dict[int, list[str]] = {}
    for line, (family, scale) in zip(path.lines[1], path.laws):
        law, laws = law_words((family, float(scale))), found.setdefault(line, [])
        if law not in laws:
            laws.append(law)
    return found


def _notes(case: Case) -> dict[int, str]:
    """What each line does: which noise it draws and for what, and which line decides the answers."""
    path = case.with_positives(case.n, ())
    uses: dict[int, int] = {}
    for (terms, _), _, _ in path.literals:
        inner = [v for w, _ in terms if w[0] == "|" for v, _ in w[1][0]]
        for v in [v for v, _ in terms] + inner:
            if v[0] == "z":
                uses[v[1]] = uses.get(v[1], 0) + 1
    notes: dict[int, str] = {}
    asked, after = len(path.literals), _laws(case.with_positives(case.n, [0]))
    a_positive = f"a {(case.svt.sign if case.svt else '') or 'positive'}"
    once = "" if set(after) <= set(_laws(path)) else f" up to {a_positive}"
    for line, laws in _laws(path).items():
        draws = [k for k, where in enumerate(path.lines[1]) if where == line]
        often = sorted({uses.get(k, 0) for k in draws})
        if len(draws) == 1:
            what = "one draw, in " + (
                f"every comparison{once}" if often[-1] == asked > 1 else f"{often[-1]} comparisons"
            )
        elif often[-1] <= 1:
            what = "a new draw for each query" if len(draws) == asked else f"{len(draws)} draws"
        else:
            what = f"{len(draws)} draws, some in {often[-1]} comparisons"
        later = [law for law in after.get(line, []) if law not in laws]
        notes[line] = f"{' and '.join(laws)}: {what}" + (f", after {a_positive} {' and '.join(later)}" if later else "")
    for line, laws in after.items():
        if line not in notes:
            notes[line] = f"{' and '.join(laws)}: drawn again after {a_positive}"
    for line in sorted(set(path.lines[0])):
        notes[line] = (notes[line] + "; " if line in notes else "") + "decides the answer"
    return notes


def _mend(svt: SVT, program: Program, monotonic: bool) -> str:
    """What mends it, or the first thing to mend."""
    d, c = program.sensitivity, program.c
    if svt.release == "compared":
        return "release a number with noise of its own, answer + rng.laplace(0, …), and pay for it"
    if not svt.threshold[1]:
        return "add noise to the threshold, drawn once"
    if not svt.query[1]:
        return "add noise to each answer, drawn anew for each"
    if not svt.stops:
        return f"stop after {'the first' if c == 1 else c} ⊤"
    if svt.c > c:
        return f"stop after {svt.positives(c)}, not after {svt.c}"
    bill = svt.bill(d, monotonic)
    total = sum([x for _, x in bill])
    positives = sum([x for what, x in bill if what.startswith("positives")])
    left = program.epsilon - (total - positives)
    if math.isinf(total) or positives == 0:
        return ""
    if left > _LITTLE * program.epsilon:
        before, enough = svt.query, _up(svt.query[1] * positives / left)
        svt.query = before[0], enough
        mended = sum([x for _, x in svt.bill(d, monotonic)]) <= program.epsilon * (1 + ROUNDING)
        svt.query = before
        if mended:
            return f"give the queries {law_words((svt.query[0], enough))} in place of {law_words(svt.query)}"
    return f"multiply every scale by {_up(total / program.epsilon):.6g}"


def _up(x: float) -> float:
    """The next number of five digits."""
    unit = 10.0 ** (math.floor(math.log(x) / math.log(10)) - 4)
    return math.ceil(x / unit * (1 - ROUNDING / 2)) * unit


def judge(text: str, beat: Callable[[], None] = nothing, **asked: Any) -> dict[str, Any]:
    """The verdict on a program, as data for the page.

    Parameters
    ----------
    text : str
    beat : callable
        Called before each run of the program.
    **asked
        ``epsilon``, ``c``, ``sensitivity``, ``monotonic``; ``function``, which of several (the last otherwise);
        ``given``, values of its own parameters.

    Returns
    -------
    dict
        ``private`` (True, False or None), ``name``, ``sentence``, ``line`` (of what is not read), ``tree`` (for two or
        three queries), ``notes`` (line by line), ``pair`` and ``mend`` where it is not private, ``n``.

    Raises
    ------
    Failed
        If the program ends with an error.
    """
    if ".stopped" not in text and "def stopped" not in text:
        return _judged(text, beat, asked)
    try:
        found = _judged(text, beat, asked)
        if found["private"]:
            return found
    except Failed:
        pass
    found = _judged(text, beat, asked, heeds=True)
    if found["private"]:
        found.update({"private": None, "sentence": f"{found['sentence']}{ASKED_ON}; here it is not decided"})
    return found


def _judged(text: str, beat: Callable[[], None], asked: dict[str, Any], heeds: bool = False) -> dict[str, Any]:
    """The same of an object that is asked on, or of one who `heeds` that it has ``stopped``."""
    found: dict[str, Any] = {
        "private": None,
        "name": "",
        "line": 0,
        "tree": None,
        "notes": {},
        "pair": None,
        "mend": "",
        "n": 0,
    }
    try:
        program = Text(text, asked, beat)
        found["name"], program.heeds = program.name, heeds
        case = Case(program, bool(asked.get("monotonic")))
        found["n"], found["notes"] = case.n, _notes(case)
        small = 2 if len(case.paths) > 40 else 3
        found["tree"], found["small"] = _drawn(grow(program.grown(small)), small, program), small
        _decide(case, found)
    except Refusal as reason:
        found["line"] = reason.line
        found["sentence"] = f"{reason.reason}; here it is not decided"
    except (Refused, ValueError) as error:
        raise Failed(str(error), 0) from error
    except RuntimeError as error:  # MicroPython has no other name for it
        raise Failed("It goes deeper than can be read", 0) from error
    except Unreadable as reason:
        found["sentence"] = f"{reason}; here it is not decided"
    return found


def _unseen(program: Any) -> str:
    """Which statements beside a program were not looked at."""
    runs: list[list[int]] = []  # first line, last line, which statement that is
    for k, line in program.unseen:
        if runs and runs[-1][2] == k - 1:
            runs[-1][1:] = [line, k]
        else:
            runs.append([line, line, k])
    if not runs:
        return ""
    lines = [f"{first} to {last}" if last > first else str(first) for first, last, _ in runs]
    one = len(runs) == 1 and runs[0][0] == runs[0][1]
    where = " and ".join([", ".join(lines[:-1]), lines[-1]] if lines[1:] else lines)
    return f"; what begins in line{'' if one else 's'} {where} was not looked at"


def _number(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:.6g}"


def _decide(case: Case, found: dict[str, Any]) -> None:
    program, svt = case.program, case.svt
    n, limit = case.n, program.epsilon
    if svt is None:
        pair = case.convicted()
        if pair is not None:
            found.update({"private": False, "pair": pair, "sentence": case.why_not})
        else:
            looked_at = no_pair(len(case.paths), f"{n} queries")
            found["sentence"] = f"{case.why_not}. {looked_at}; here it is not decided"
        return
    bill = svt.bill(program.sensitivity, case.monotonic)
    total = sum([x for _, x in bill])
    words, (cost, allowed) = svt.words(program.c), told_apart(total, limit)
    paid = " + ".join([name + " " + _number(x) for name, x in bill]) + f" = {cost}"
    if not svt.stops:
        paid = "for each positive, without an end that is seen"
    few = f"For up to {n} queries {words[0].lower()}{words[1:]}"  # how it goes on is not looked at where it costs more
    if total <= limit * (1 + ROUNDING):
        other = "the seed of its noise is fixed" if program.seeded else why_not_always(program, svt, case.side)
        other = other or departs(program, svt, case.side, MIDDLE)
        if other:
            found["sentence"] = f"{few}; but {other}; here it is not decided"
            return
        found["private"] = True
        together = " whose answers only move together" * case.monotonic
        if "sensitivity" in program.names.values() or program.sensitivity != 1:
            together += f" at sensitivity {_number(program.sensitivity)}"
        found["sentence"] = (
            f"{svt.words(program.c)}. The alignment pays {paid}, and {allowed} is allowed: it is private for all "
            f"inputs{together} and every number of queries{_unseen(program)}"
            + "; what it prints was not looked at"
            * program.prints
        )
        return
    pair = case.convicted()
    found["mend"] = _mend(svt, program, case.monotonic)
    if pair is None:
        found["sentence"] = (
            f"{few}. The alignment pays {paid}, more than {allowed}, and no pair was found that loses as "
            "much; here it is not decided"
        )
        return
    found.update({"private": False, "pair": pair})
    found["sentence"] = f"{few}. Its proof would pay {paid}, and {allowed} is allowed"


def reply(request: str, beat: Callable[[], None] = nothing) -> str:
    """What a page asks, and gets, as JSON: ``do`` is ``judge`` or ``run``, the rest are their arguments."""
    arguments = json.loads(request)
    do = arguments.pop("do")
    try:
        answer = judge(beat=beat, **arguments) if do == "judge" else {"said": run(**arguments)}
    except RuntimeError:
        answer = {"failed": "It goes deeper than can be read", "line": 0}
    except Failed as error:
        answer = {"failed": error.reason, "line": error.line}
    except Unreadable as error:  # what the page does not run at all
        answer = {"failed": str(error), "line": getattr(error, "line", 0)}
    return json.dumps(answer)
