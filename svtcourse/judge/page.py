"""A program on a page of the site: run on numbers, or on unknowns and judged, by MicroPython and without numpy.

It reads with the same `symbols`, `tree` and `chance` as the whole judge, proves with the alignment's formula and
convicts by pairs whose probabilities are integrated here.  It says for how many queries that holds, and what it cannot
decide it leaves to the whole judge.
"""

from __future__ import annotations

import io
import json
import math
import sys

from svtcourse.judge.chance import Beyond, chance, numbers_in
from svtcourse.judge.ratio import Ratio
from svtcourse.judge.rows import Math, Numpy, Row, Source
from svtcourse.judge.symbols import Fork, Form, Path, Refused, Unreadable, explore
from svtcourse.judge.tree import Leaf, Unrecognised, comparison, follows, grow, law_words, strays, svt_of
from svtcourse.judge.written import Refusal, Text, numbers_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from svtcourse.judge.symbols import Key
    from svtcourse.judge.tree import SVT, Node

__all__ = ["Failed", "judge", "reply", "run"]

_ROUNDING = 1e-14  # what scales in floating point may lack of those that are meant
_MARGIN = 1e-6  # by how much a loss must exceed epsilon before it convicts
_MOST_PATHS = 700
_FARTHEST = 600
_MOST_POSITIVES = 5


class Failed(Exception):
    """The program ends with an error, at a line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def _nothing() -> None:
    """Told before each run: a page shows that it is still at work."""


_FAULTS = (TypeError, AttributeError, NameError, IndexError, KeyError, ZeroDivisionError, OverflowError, MemoryError)


class Program:
    """A text with its budget, run on numbers or on unknowns."""

    def __init__(self, text: str, asked: dict[str, Any], beat: Callable[[], None] = _nothing) -> None:
        self.given = asked.get("given", {})
        self.text = Text(text, asked.get("function", ""))
        self.epsilon, self.c = float(asked.get("epsilon", 1.0)), int(asked.get("c", 1))
        self.sensitivity, self.beat = float(asked.get("sensitivity", 1.0)), beat
        if not (self.epsilon > 0 and self.sensitivity > 0 and 1 <= self.c <= _MOST_POSITIVES):
            raise Failed(f"epsilon and sensitivity must be above 0, and c from 1 to {_MOST_POSITIVES}", 0)
        self.line = 0
        self.kept: dict[str, Any] | None = None  # what the definitions made, where they are not made anew for a run
        self.fork: Fork | None = None
        for name, role, default in self.text.parameters:
            if role is None and not default and name not in self.given:
                raise Refusal(f"It takes a parameter {name}, which has no meaning here")
        try:
            self.code = compile(self.text.source, "<program>", "exec")
        except SyntaxError as error:
            raise Failed(f"SyntaxError: {error}", self._line_of(error)) from error

    def _line_of(self, error: BaseException) -> int:
        """The line of the text where an error arose: MicroPython says it only when it prints the error."""
        if not hasattr(sys, "print_exception"):
            return int(getattr(error, "lineno", 0) or 0)
        printed = io.StringIO()
        sys.print_exception(error, printed)
        place = printed.getvalue().rpartition("line ")[2].partition("\n")[0].partition(",")[0]
        return self.text.lines[min(int(place), len(self.text.lines)) - 1] if place.isdigit() else 0

    def _at(self, line: int) -> None:
        self.line = line
        if self.fork is not None:
            self.fork.line = line

    def _called(self, answers: Any, threshold: Any, source: Source) -> Any:
        names = {"numpy": Numpy(source), "math": Math(source)}
        space: dict[str, Any] = {"_at": self._at, "__name__": "program", "np": names["numpy"]}
        space.update({"math": names["math"], "float": _float, "max": _largest, "min": _smallest})
        for name, module in self.text.imports.items():
            space[name] = names[module]
        self.line = 0
        if self.kept:
            self.kept.update(space)
            space = self.kept
        else:
            exec(self.code, space)
            self.kept = None if self.kept is None else space
        parts = [name for name, role, _ in self.text.parameters if role == "parts"]
        share = self.epsilon / (3 if "epsilons" in parts else len(parts) or 1)
        values = {"answers": answers, "threshold": threshold, "epsilon": self.epsilon, "c": self.c}
        values["sensitivity"], values["rng"], values["parts"] = self.sensitivity, source, share
        arguments = {}
        for name, role, _ in self.text.parameters:
            if role is not None:
                arguments[name] = (share, share, share) if name == "epsilons" else values[role]
        arguments.update(self.given)
        function = space[self.text.name]
        if not self.text.asks:
            said = function(**arguments)
            lists = isinstance(said, (list, tuple, str, int, float, Row, Form)) or said is None
            return said if lists else list(said)
        one, heard = function(**arguments), []
        for answer in answers:
            if getattr(one, "stopped", False):
                break
            try:
                heard.append(one.ask(answer, threshold) if self.text.takes_threshold else one.ask(answer))
            except _FAULTS:
                raise
            except Exception:  # so it says that it has stopped
                break
        return heard

    def _on_unknowns(self, fork: Fork, n: int) -> Any:
        self.beat()
        self.fork = fork
        answers = Row([fork.variable(("a", i)) for i in range(n)])
        try:
            said = _value(self._called(answers, fork.variable(("T",)), Source(fork)))
        except Refused as error:
            raise Failed(str(error), self.line) from error
        except Exception as error:
            reason = fork.reason or f"On unknown answers it ends with {type(error).__name__}: {error}"
            if "unsupported types for __" in reason:
                reason = "It compares a plain number with an unknown: write the unknown on the left"
            raise Refusal(reason, self.line) from error
        finally:
            self.fork = None
        if fork.reason:
            raise Refusal(fork.reason, self.line)
        return said

    def grown(self, n: int) -> list[Path]:
        """All runs on n unknown answers."""
        found = []
        for path in explore(lambda fork: self._on_unknowns(fork, n), _MOST_PATHS):
            found.append(path)
        return found

    def along(self, n: int, choose: Callable[[Key], bool]) -> Path:
        """The run on n unknown answers in which each comparison comes out as `choose` has it."""
        fork = Fork((), choose)
        return Path(fork, self._on_unknowns(fork, n))

    def once(self, answers: list[float], threshold: float) -> Any:
        """One run on numbers, with new noise."""
        try:
            return self._called(Row(list(answers)), threshold, Source(None))
        except Exception as error:
            raise Failed(f"{type(error).__name__}: {error}", self.line) from error


def _float(x: Any = 0.0) -> Any:
    return x if isinstance(x, Form) else float(x)


def _over(x: Any, y: Any) -> bool:
    """Whether x > y; MicroPython asks only what stands on the left."""
    return bool(y < x if isinstance(y, Form) else x > y)


def _largest(*items: Any) -> Any:
    best: Any = None
    for k, x in enumerate(items if len(items) > 1 else items[0]):
        best = x if k == 0 or _over(x, best) else best
    return best


def _smallest(*items: Any) -> Any:
    best: Any = None
    for k, x in enumerate(items if len(items) > 1 else items[0]):
        best = x if k == 0 or _over(best, x) else best
    return best


def _value(said: Any) -> Any:
    """What a run gave, as a value that can be compared."""
    if isinstance(said, Form):
        return "form", said.key()
    if said is None or isinstance(said, (bool, int, float, str)):
        return said
    if isinstance(said, (list, tuple, Row)):
        return tuple([_value(part) for part in said])
    raise Unreadable("It returns what is not read")


def said(output: Any, n: int) -> tuple[Any, ...]:
    """The answers of a run: True, False, a number (on unknowns the pair ``"form", key``).

    Raises
    ------
    Unreadable
        If it is no list of answers.
    """
    if output is None:
        return (False,) * n
    if isinstance(output, int) and not isinstance(output, bool):
        return (False,) * output + (True,)  # the index of the first
    if isinstance(output, str):
        output = tuple(output)
    if not isinstance(output, tuple) or output[:1] == ("form",) or len(output) > 4 * n + 4:
        raise Unreadable("It does not return a list with one answer for each query")
    found: list[Any] = []
    for answer in output:
        if answer is None or answer is False or answer is True:
            found.append(bool(answer))
        elif isinstance(answer, str) and answer in ("⊤", "T", "⊥", "F"):
            found.append(answer in ("⊤", "T"))
        elif isinstance(answer, int) and answer in (0, 1):
            found.append(answer == 1)
        elif isinstance(answer, (int, float)) or (isinstance(answer, tuple) and answer[:1] == ("form",)):
            found.append(answer)
        else:
            raise Unreadable("It answers what is neither True or False nor a number")
    return tuple(found)


def run(text: str, answers: list[float], threshold: float, **asked: Any) -> Any:
    """One run with new noise: the answers that it gives."""
    program = Program(text, asked)
    return list(said(_value(program.once(answers, threshold)), len(answers)))


class _Case:
    """One program on unknowns."""

    def __init__(self, program: Program, monotonic: bool) -> None:
        self.program, self.monotonic, self.n = program, monotonic, program.c + 4
        self.paths = program.grown(self.n)
        said(self.paths[0].output, self.n)
        self.tree = grow(self.paths)
        self.svt: SVT | None = None
        self.side, self.why_not = 1, ""
        try:
            self.side, self.svt = svt_of(self.tree, self.n, program.c)
        except Unrecognised as reason:
            self.why_not = str(reason)

    def high(self, key: Key) -> bool | None:
        """Which answer to a comparison says that the query is high, None where it is about none."""
        try:
            return comparison(key).up
        except Unrecognised:
            return None

    def with_positives(self, n: int, places: Any) -> Path:
        """The run in which these queries are positive and no others."""

        def choose(key: Key) -> bool:
            high = self.high(key)
            if high is None:
                return False
            return high if (comparison(key).query in places) is (self.side > 0) else not high

        return self.program.along(n, choose)

    def shorter(self) -> str:
        """Why it is not the same SVT on every shorter list and every time, empty if it is."""
        assert self.svt is not None
        for n in range(1, self.n + 1):
            tree = self.tree if n == self.n else grow(self.program.grown(n))
            for way in _ways_through(tree, []):
                said(way.output, n)
                if not follows(way, self.svt, self.side):
                    return f"With {n} queries it is another"
        places = [(), (0,), (self.n - 1,)]
        first = [self.with_positives(self.n, place) for place in places]
        self.program.kept = {}
        again = [self.with_positives(self.n, place) for place in [(0,)] + places][1:]
        self.program.kept = None
        for one, other in zip(first, again):
            if (one.literals, one.output, one.laws) != (other.literals, other.output, other.laws):
                return "It keeps something between calls"
        return ""

    def longer(self) -> str:
        """Why it is not the same SVT on longer lists, empty if nothing was seen."""
        assert self.svt is not None
        numbers = numbers_of([t for t in self.program.text.tokens if t.line in self.program.text.kept])
        far = [k for k in numbers if k > _FARTHEST]
        if far:
            return f"It has the number {max(far):g}, and so many queries are not looked at here"
        for n in [12, 40, 150] + sorted({int(math.ceil(k)) + 3 for k in numbers if k > 8})[:4]:
            for places in ((), (n - 1,), (0,), (n // 2,))[: 4 if n < 100 else 2]:
                try:
                    if strays(self.with_positives(n, places), self.svt, self.side):
                        return f"With {n} queries it is another"
                except (Refusal, Failed):
                    return f"With {n} queries it cannot be read"
        return ""

    def gives(self, path: Path, pattern: Any) -> bool:
        """Whether the run says just this, on the conditions of the SVT that was recognised."""
        assert self.svt is not None
        answers = [answer is not False for answer in said(path.output, len(pattern))]
        short = answers[: len(pattern)] == list(pattern) and not any(answers[len(pattern) :])
        return short and not strays(path, self.svt, self.side)

    def pairs(self) -> Iterator[Any]:
        """Where the theorem says that an SVT loses most: negatives far above, positives far below the threshold."""
        svt, delta = self.svt, self.program.sensitivity
        assert svt is not None
        leaves = _leaves(self.tree)
        outputs = {}
        for leaf in leaves:
            outputs[leaf.output] = True
        if len(outputs) < len(leaves):
            return  # it says less than it finds out
        unit = max([delta, svt.threshold[1], svt.query[1]])
        for positives, negatives in (
            (svt.c, 1),
            (svt.c, 4),
            (svt.c, 16),
            (svt.c + 4, 8),
            (svt.c, 60),
            (svt.c + 24, 60),
            (svt.c, 240),
        ):
            if positives > svt.c and svt.stops:
                continue
            if svt.refresh:  # each epoch has its negatives
                each = max(1, negatives // positives)
                pattern = ([False] * each + [True]) * positives
            else:
                pattern = [False] * negatives + [True] * positives
            n = len(pattern)
            path = self.with_positives(n, [i for i, hit in enumerate(pattern) if hit])
            if not self.gives(path, pattern):
                continue
            ways = ((1, -1),) if svt.absolute else ((1, 1),) if not self.monotonic else ((1, 0), (0, 1), (1, 1))
            level, turn = (8 * unit, 1) if svt.absolute else (0.0, self.side)
            for height in (0.0, delta, 2 * unit, 8 * unit):
                depths = (height / 2, height + 2 * delta) if svt.absolute else (0.0, height)
                for depth in depths[: 2 if height else 1]:
                    for low, high in ways:
                        positive = -level - depth
                        here = [turn * (positive if hit else level + height) for hit in pattern]
                        moves = [turn * delta * (-high if hit else low) for hit in pattern]
                        there = [x + move for x, move in zip(here, moves)]
                        for shown, moved in self._shown(pattern, here, there, height, depth):
                            yield [path], here, moved, shown, level

    def _shown(self, pattern: Any, here: Any, there: Any, height: float, depth: float) -> Iterator[Any]:
        """The numbers that the positives show, and the neighbour that this is hard on."""
        svt, delta = self.svt, self.program.sensitivity
        assert svt is not None
        if svt.release == "indicator":
            yield (), there
            return
        hits = [i for i, hit in enumerate(pattern) if hit]
        unit = 40 * max([delta, svt.threshold[1], svt.query[1], svt.number[1]])
        if svt.release == "gap":
            for gap in (0.0, unit):
                yield [gap * self.side] * len(hits), there
        elif svt.release == "fresh":
            for away in (0.0, unit) if svt.number[1] else (0.0,):
                yield [here[i] + away for i in hits], there
        else:
            still = [here[i] if pattern[i] else x for i, x in enumerate(there)]
            for y in (0.0, height / 2, height, -depth):
                yield [y] * len(hits), still

    def leaks(self) -> Iterator[Any]:
        """Pairs for a tree that is no SVT's: impossible next door, or each answer on its wrong side."""
        for n in (1, 2, 3) if self.program.c < 4 else (1, 2):
            paths = self.paths if n == self.n else self.program.grown(n)
            by_output: dict[Any, list[Path]] = {}
            for path in paths:
                by_output.setdefault(path.output, []).append(path)
            for members in by_output.values():
                if len(members) <= 12 and not numbers_in(members[0].output):
                    for here, there in _impossible(members, n, self.program.sensitivity, self.monotonic):
                        yield members, here, there, (), 0.0
            if n > 1:
                yield from self._against(by_output, n)
        by_output = {}
        for path in self.paths:
            by_output.setdefault(path.output, []).append(path)
        if len(by_output) <= 80:
            yield from self._against(by_output, self.n)

    def _against(self, by_output: Any, n: int) -> Iterator[Any]:
        delta = self.program.sensitivity
        scales = [float(scale) for path in self.paths[:1] for _, scale in path.laws]
        unit = max([delta] + scales)
        ways = ((1, 0), (0, 1)) if self.monotonic else ((1, 1),)
        for members in by_output.values():
            if len(members) > 24 or numbers_in(members[0].output):
                continue
            wanted: dict[int, bool] = {}
            for (terms, _), _, above in members[0].literals:
                own = [(v, f) for v, f in terms if v[0] == "a"]
                if len(own) == 1 and any(v[0] == "z" for v, _ in terms):
                    wanted.setdefault(own[0][0][1], above is (own[0][1] > 0))
            for height in (0.0, delta, 4 * unit):
                for up, down in ways:
                    here, there = [0.0] * n, [0.0] * n
                    for i, high in wanted.items():
                        here[i] = -height if high else height
                        there[i] = here[i] + (-up * delta if high else down * delta)
                    yield members, here, there, (), 0.0

    def _all(self) -> Iterator[Any]:
        if self.svt is not None:
            yield from self.pairs()
        yield from self.leaks()

    def convicted(self) -> dict[str, Any] | None:
        """The first pair whose loss exceeds epsilon with room."""
        count = 0
        for members, here, there, shown, level in self._all():
            count += 1
            self.program.beat()
            if count > 400:
                break
            try:
                p, q = chance(members, here, shown, level), chance(members, there, shown, level)
            except Beyond:
                continue
            if q > p:
                here, there, p, q = there, here, q, p
            if p < 1e-120 or (q > 0 and not p > q * math.exp(self.program.epsilon + _MARGIN)):
                continue
            if q < p * 1e-14 and not self._never(members, there, shown, level):
                continue
            return {
                "answers": here, "neighbour": there, "threshold": level,
                "output": _signs(members[0].output, len(here), shown),
                "p": p, "q": q if q > p * 1e-14 else 0.0, "density": bool(shown),
                "loss": math.log(p / q) if q > p * 1e-14 else None,
            }  # fmt: skip
        return None

    def _never(self, members: Any, answers: Any, shown: Any, level: float) -> bool:
        """Whether the output cannot come of these answers, exactly."""
        if shown or level:
            return chance(members, answers, shown, level) == 0
        exact = [Ratio.of(float(x)) for x in answers]
        return all(_violated(_projected(path), exact) for path in members)


class _Way:
    """A path through a tree without the comparisons that change nothing of the output."""

    def __init__(self, literals: list[Any], leaf: Leaf) -> None:
        self.literals, self.output, self.laws = literals, leaf.output, leaf.path.laws


def _ways_through(tree: Node | Leaf, literals: list[Any]) -> list[Any]:
    if isinstance(tree, Leaf):
        return [_Way(literals, tree)]
    key, strict = tree.question
    return [
        way for above in (False, True) for way in _ways_through(tree.next[above], literals + [(key, strict, above)])
    ]


def _leaves(tree: Node | Leaf) -> list[Leaf]:
    if isinstance(tree, Leaf):
        return [tree]
    return [leaf for part in tree.next.values() for leaf in _leaves(part)]


def _projected(path: Path) -> list[Any] | None:
    """Linear conditions on the answers under which a path is possible; None if there are too many."""
    rows: list[Any] = []  # coefficients, a number, whether strictly above 0
    for (terms, constant), strict, above in path.literals:
        sign = 1 if above else -1
        if any(v[0] == "|" for v, _ in terms):
            return None
        row = {v: f * sign for v, f in terms if v[0] != "T"}
        rows.append((row, constant * sign, above if strict else not above))
    draws = sorted({v for row, _, _ in rows for v in row if v[0] == "z"})
    for v in draws:
        family, scale = path.laws[v[1]]
        if family in ("exponential", "uniform"):
            rows.append(({v: Ratio(1)}, Ratio(0), False))
        if family == "uniform":
            rows.append(({v: Ratio(-1)}, scale, False))
    for v in draws:
        up = [r for r in rows if v in r[0] and r[0][v] > 0]
        down = [r for r in rows if v in r[0] and r[0][v] < 0]
        rows = [r for r in rows if v not in r[0]]
        for r1, k1, s1 in up:
            for r2, k2, s2 in down:
                a, b = r1[v], -r2[v]
                joined: dict[Any, Ratio] = {}
                for row, times in ((r1, b), (r2, a)):
                    for k, f in row.items():
                        if k != v:
                            joined[k] = joined.get(k, Ratio(0)) + f * times
                rows.append(({k: f for k, f in joined.items() if f}, k1 * b + k2 * a, s1 or s2))
        if len(rows) > 120:
            return None
    return rows


def _violated(rows: list[Any] | None, answers: list[Ratio], room: Ratio | None = None) -> bool:
    """Whether some condition fails (or has less room than that)."""
    if rows is None:
        return room is not None
    for row, constant, strict in rows:
        total = constant
        for v, f in row.items():
            total = total + f * answers[v[1]]
        if total < (room or 0) or (strict and not total and room is None):
            return True
    return False


def _impossible(members: Any, n: int, sensitivity: float, monotonic: bool) -> Iterator[Any]:
    """Neighbours of which the first gives an output with room to spare, and the second cannot."""
    conditions = [_projected(path) for path in members]
    if any(rows is None for rows in conditions) or not all(conditions):
        return
    delta = Ratio.of(sensitivity)
    half = delta / 2
    levels = {Ratio(0), half, -half, delta, -delta, delta * 8, delta * -8}
    for rows in conditions:
        for row, constant, _ in rows or []:
            for f in row.values() if len(row) == 1 else []:
                levels |= {-constant / f + d for d in (Ratio(0), half, -half, delta, -delta)}
    nearest = sorted(levels, key=lambda x: (float(abs(x)), float(x)))[: 24 if n == 1 else 10 if n == 2 else 6]
    shifts = [d for d in _ways([-1, 0, 1], n) if any(d) and (not monotonic or len({x for x in d if x}) == 1)]
    for answers in _ways(nearest, n):
        if all(_violated(rows, answers, half / 2) for rows in conditions):
            continue
        for shift in shifts:
            moved = [x + delta * d for x, d in zip(answers, shift)]
            if all(_violated(rows, moved) for rows in conditions):
                yield [float(x) for x in answers], [float(x) for x in moved]
                return


def _ways(values: Any, n: int) -> list[Any]:
    found: list[Any] = [()]
    for _ in range(n):
        found = [way + (value,) for way in found for value in values]
    return found


def _signs(output: Any, n: int, shown: Any) -> str:
    text, k = "", 0
    for answer in said(output, n):
        if answer is True or answer is False:
            text += "⊤" if answer else "⊥"
        elif isinstance(answer, tuple):
            text += f" {shown[k]:g} " if k < len(shown) else " number "
            k += 1
        else:
            text += f" {answer:g} "
    return text


# What a page shows -----------------------------------------------------------------------------------------------


def _names(path: Path) -> dict[int, str]:
    """ρ for what most comparisons share, ν with its query for the rest; a draw of several queries has all of them."""
    owners: dict[int, list[int]] = {}
    for (terms, _), _, _ in path.literals:
        inner = [v for w, _ in terms if w[0] == "|" for v, _ in w[1][0]]
        every = [v for v, _ in terms] + inner
        queries = [v[1] for v in every if v[0] == "a"]
        for v in every:
            if v[0] == "z":
                owners.setdefault(v[1], [])
                owners[v[1]] += queries
    first = min(owners) if owners else 0
    found = {}
    for k, queries in owners.items():
        many = len(queries) > 1
        found[k] = (
            ("ρ" if k == first and many else "ρ′")
            if many
            else "ν" + "".join("₀₁₂₃₄₅₆₇₈₉"[int(d)] for d in str(queries[0] + 1))
            if queries
            else "ν"
        )
    return found


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


def _drawn(tree: Node | Leaf, n: int) -> dict[str, Any]:
    if isinstance(tree, Leaf):
        return {"output": _signs(tree.output, n, ())}
    leaf = _leaves(tree)[0]
    high = True
    try:
        high = comparison(tree.question[0]).up
    except Unrecognised:
        pass
    return {
        "asks": _asked(tree.question[0], _names(leaf.path)), "line": tree.line,
        "no": _drawn(tree.next[not high], n), "yes": _drawn(tree.next[high], n),
    }  # fmt: skip


def _notes(case: _Case) -> dict[int, str]:
    """What each line does: which noise it draws and for what, and which line decides the answers."""
    path = case.with_positives(case.n, ())
    uses: dict[int, int] = {}
    for (terms, _), _, _ in path.literals:
        inner = [v for w, _ in terms if w[0] == "|" for v, _ in w[1][0]]
        for v in [v for v, _ in terms] + inner:
            if v[0] == "z":
                uses[v[1]] = uses.get(v[1], 0) + 1
    notes: dict[int, str] = {}
    by_line: dict[int, list[int]] = {}
    for k, line in enumerate(path.lines[1]):
        by_line.setdefault(line, []).append(k)
    asked = len(path.literals)
    for line, draws in by_line.items():
        family, scale = path.laws[draws[0]]
        often = sorted({uses.get(k, 0) for k in draws})
        if len(draws) == 1:
            what = "one draw, in " + ("every comparison" if often[-1] == asked > 1 else f"{often[-1]} comparisons")
        elif often[-1] <= 1:
            what = "a new draw for each query" if len(draws) == asked else f"{len(draws)} draws"
        else:
            what = f"{len(draws)} draws, some in {often[-1]} comparisons"
        notes[line] = f"{law_words((family, float(scale)))}: {what}"
    for line in sorted(set(path.lines[0])):
        notes[line] = (notes[line] + "; " if line in notes else "") + "decides the answer"
    return notes


def _mend(svt: SVT, program: Program, monotonic: bool) -> str:
    """The smallest change that is known to mend it."""
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
        return f"stop at ⊤ number {c}, not at number {svt.c}"
    bill = svt.bill(d, monotonic)
    total = sum([x for _, x in bill])
    positives = sum([x for what, x in bill if what.startswith("positives")])
    left = program.epsilon - (total - positives)
    if math.isinf(total) or positives == 0:
        return ""
    if left > 0:
        enough = svt.query[1] * positives / left
        return f"give the queries {law_words((svt.query[0], enough))} in place of {law_words(svt.query)}"
    return f"multiply every scale by {total / program.epsilon:.4g}"


def judge(text: str, beat: Callable[[], None] = _nothing, **asked: Any) -> dict[str, Any]:
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
        program = Program(text, asked, beat)
        found["name"] = program.text.name
        program.text.check()
        case = _Case(program, bool(asked.get("monotonic")))
        found["n"], found["notes"] = case.n, _notes(case)
        small = 2 if len(case.paths) > 40 else 3
        found["tree"], found["small"] = _drawn(grow(program.grown(small)), small), small
        _decide(case, found)
    except Refusal as reason:
        found["line"] = reason.line
        found["sentence"] = f"{reason.reason}; here it is not decided"
    except Unreadable as reason:
        found["sentence"] = f"{reason}; here it is not decided"
    return found


def _number(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:.6g}"


def _decide(case: _Case, found: dict[str, Any]) -> None:
    program, svt = case.program, case.svt
    n, limit = case.n, program.epsilon
    if svt is None:
        pair = case.convicted()
        if pair is not None:
            found.update({"private": False, "pair": pair, "sentence": case.why_not})
        else:
            found["sentence"] = (
                f"{case.why_not}. All {len(case.paths)} ways to answer {n} queries were read, and no pair "
                "was found that gives more than ε away, which proves nothing; here it is not decided"
            )
        return
    bill = svt.bill(program.sensitivity, case.monotonic)
    total = sum([x for _, x in bill])
    paid = " + ".join([name + " " + _number(x) for name, x in bill])
    words, cost = svt.words(program.c), _number(total)
    if total <= limit * (1 + _ROUNDING):
        other = case.shorter() or case.longer()
        if other:
            found["sentence"] = f"For up to {n} queries {words[0].lower()}{words[1:]}. {other}; here it is not decided"
            return
        found["private"] = True
        found["sentence"] = (
            f"{words}. The alignment pays {paid} = {cost}, and {limit:.6g} is allowed: for up to {n} queries, of which "
            f"all {len(case.paths)} ways to answer were read, and all inputs, it is private"
        )
        return
    pair = case.convicted()
    found["mend"] = _mend(svt, program, case.monotonic)
    if pair is None:
        found["sentence"] = (
            f"{words}. The alignment pays {paid} = {cost}, more than {limit:.6g}, and no pair was found that loses as "
            "much; here it is not decided"
        )
        return
    found.update({"private": False, "pair": pair})
    found["sentence"] = f"{words}. Its proof would pay {paid} = {cost}, and {limit:.6g} is allowed"


def reply(request: str, beat: Callable[[], None] = _nothing) -> str:
    """What a page asks, and gets, as JSON: ``do`` is ``judge`` or ``run``, the rest are their arguments."""
    arguments = json.loads(request)
    do = arguments.pop("do")
    try:
        answer = judge(beat=beat, **arguments) if do == "judge" else {"said": run(**arguments)}
    except Failed as error:
        answer = {"failed": error.reason, "line": error.line}
    except Unreadable as error:  # what the page does not run at all
        answer = {"failed": str(error), "line": getattr(error, "line", 0)}
    except RecursionError as error:
        answer = {"failed": str(error), "line": 0}
    return json.dumps(answer)
