"""A reader's program, found out by replay: which noise it draws for what, and which `Mechanism` it is.

The program is run on tapes of our choosing.  First in worlds where every answer but one is settled, far above or far
below: what moves that one answer is its own noise or the threshold's, and nothing else.  Then on random tapes, on which
the mechanism so named must give the same transcript every time.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import numpy as np

from svtlib.mechanism import Mechanism, NoiseTape, run
from svtlib.noise import Laplace, Noise, NoNoise
from svtlib.teaching.replay import Draw, Source

__all__ = ["Program", "Unrecognised", "recognise"]

_PARAMETERS = {
    "answers": ("answers", "queries", "q", "values", "counts"),
    "threshold": ("threshold", "T", "t", "thresholds"),
    "epsilon": ("epsilon", "eps"),
    "c": ("c", "cutoff"),
    "sensitivity": ("sensitivity", "delta", "Delta"),
    "rng": ("rng", "generator", "noise", "random"),
}
_FAR, _PUSH = 2.0**48, 2.0**36  # settled answers stay settled under any push, and a push settles any other
_SIGNS: dict[Any, bool] = {"⊤": True, "T": True, "⊥": False, "F": False}

_UP = {"nu": 1, "rho": -1}  # a push upwards makes the answer ⊤, the threshold's makes it ⊥

Pattern = tuple[bool, ...]
Role = tuple[str, int, int]  # rho and its epoch, nu or release and its query; the sign with which it enters
Parts = tuple[tuple[Draw, int], ...]


class Unrecognised(Exception):
    """The program is no `Mechanism`; the message says why, in words for its author."""


class Repeated(Unrecognised):
    """Two draws where there should be one; `parts` has their laws and signs."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(str(self.__doc__).rstrip("."))
        self.parts = parts


class Independent(Repeated):
    """The threshold's noise is drawn anew for every query, so that each ⊥ pays again."""


class Shared(Repeated):
    """The noise of the queries is drawn once for all of them, and cancels between any two."""


@dataclass(frozen=True)
class Outcome:
    """What one run of the program gave."""

    answers: tuple[bool | float, ...]
    draws: tuple[Draw, ...]

    @property
    def signs(self) -> Pattern:
        """The answers without their numbers."""
        return tuple(answer is not False for answer in self.answers)


@dataclass
class Program:
    """A reader's function with its budget: a run is a function of answers, threshold and noise.

    Attributes
    ----------
    function : callable
        Its parameters are known by name: answers, threshold, epsilon, c, sensitivity, rng.
    epsilon, c, sensitivity : float, int, float
    """

    function: Callable[..., Any]
    epsilon: float
    c: int = 1
    sensitivity: float = 1.0
    names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"program must be a function of answers and rng, got {self.function!r}")
        self.names = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            known = [role for role, names in _PARAMETERS.items() if name in names]
            if known:
                self.names[name] = known[0]
            elif parameter.default is parameter.empty and parameter.kind not in (
                parameter.VAR_KEYWORD,
                parameter.VAR_POSITIONAL,
            ):
                raise ValueError(f"program must take {', '.join(_PARAMETERS)}, got a parameter {name!r}")
        if "answers" not in self.names.values():
            raise ValueError(f"program must take the answers, got the parameters {list(self.names)}")

    def __call__(self, answers: Sequence[float], threshold: float, value: Callable[[int, Draw], float]) -> Outcome:
        """Run on `answers`, with the k-th draw `value(k, draw)`, whichever generator the program takes it from."""
        source = Source(value)
        said = self._run(answers, threshold, source)
        return Outcome(said, tuple(source.draws))

    def sample(self, answers: Sequence[float], threshold: float, rng: np.random.Generator) -> tuple[bool | float, ...]:
        """Run with noise of numpy."""
        return self._run(answers, threshold, rng)

    def _run(self, answers: Sequence[float], threshold: float, source: Any) -> tuple[bool | float, ...]:
        given = {
            "answers": np.array(answers, dtype=float),
            "threshold": threshold,
            "epsilon": self.epsilon,
            "c": self.c,
            "sensitivity": self.sensitivity,
            "rng": source,
        }
        arguments = {name: given[role] for name, role in self.names.items()}
        families = ("laplace", "exponential", "gumbel", "normal", "standard_normal", "standard_exponential")
        with mock.patch.multiple(
            np.random, default_rng=lambda *_: source, **{name: getattr(source, name) for name in families}
        ):
            said = self.function(**arguments)
            said = list(said) if isinstance(said, Iterable) else said
        return _read(said, len(answers))


def _read(said: Any, n: int) -> tuple[bool | float, ...]:
    """The answers of a run, whichever way they were said: signs, booleans, numbers, or the index of the first."""
    if said is None:
        return (False,) * n
    if isinstance(said, (int, np.integer)) and not isinstance(said, bool):
        return (False,) * int(said) + (True,)
    if not isinstance(said, list):
        raise ValueError(f"program must return a list of answers, got {said!r}")
    if len(said) > n:
        raise ValueError(f"program must return at most one answer for each of {n} queries, got {len(said)}")
    answers: list[bool | float] = []
    for answer in said:
        if isinstance(answer, (bool, np.bool_)):
            answers.append(bool(answer))
        elif answer is None or (isinstance(answer, str) and answer in _SIGNS):
            answers.append(False if answer is None else _SIGNS[answer])
        elif isinstance(answer, (int, np.integer)) and answer in (0, 1):
            answers.append(bool(answer))
        elif isinstance(answer, (int, float, np.integer, np.floating)) and math.isfinite(answer):
            answers.append(float(answer))
        else:
            raise ValueError(f"program must answer True, False or a number, got {answer!r}")
    return tuple(answers)


class Worlds:
    """The program in worlds where all answers but one are settled, all of one length."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.length = program.c + 6
        self._decisive: dict[Pattern, dict[str, dict[int, int]]] = {}
        self.laws: dict[str, Parts] = {}
        self.stops_after = self._cutoff()

    def _cutoff(self) -> int | None:
        n = self.length
        above = self.settled((True,) * n)
        if not any(above.signs):
            raise Unrecognised("It never says ⊤, even where the answer is far above the threshold")
        if any(self.settled((False,) * n).signs):
            raise Unrecognised("It says ⊤ where every answer is far below the threshold")
        found = above.signs.index(False) if False in above.signs else len(above.signs)
        if any(above.signs[found:]):
            raise Unrecognised("Where every answer is far above the threshold it says ⊥ and then ⊤ again")
        nearer = self.settled((True,) * n, far=_FAR / 2)
        if nearer.draws != above.draws:
            raise Unrecognised("The scale of its noise depends on the answers, and so gives them away")
        return found if found < n else None

    def settled(
        self, pattern: Pattern, probed: int = -1, pushed: int = -1, push: float = 0.0, far: float = _FAR
    ) -> Outcome:
        """A run on answers far above or below the threshold as `pattern` has it, then below; `probed` is near it."""
        pattern = (*pattern, *(False,) * (self.length - len(pattern)))
        answers = [far if positive else -far for positive in pattern]
        if probed >= 0:
            answers[probed] = 1.0 if pattern[probed] else -1.0
        return self.program(answers, 0.0, lambda k, _: push if k == pushed else 0.0)

    def correction(self) -> float:
        """By how much the program raises its threshold: where an answer turns to ⊤ without any noise."""
        below, above = -_PUSH, _PUSH
        while above - below > 1e-12 * max(1.0, abs(above + below)):
            answer = (below + above) / 2
            said = self.program([answer, *[-_FAR] * (self.length - 1)], 0.0, lambda *_: 0.0).signs[0]
            below, above = (below, answer) if said else (answer, above)
        return above if abs(above) > 1e-9 else 0.0

    def ended(self, pattern: Pattern) -> bool:
        """Whether the cut-off ends a run with these answers."""
        return self.stops_after is not None and sum(pattern) >= self.stops_after

    def cut(self, outcome: Outcome) -> Outcome:
        """Without what is said after the program has stopped answering."""
        if not self.ended(outcome.signs):
            return outcome
        assert self.stops_after is not None
        last = [i for i, positive in enumerate(outcome.signs) if positive][self.stops_after - 1]
        if any(outcome.signs[last + 1 :]):
            raise Unrecognised("The number of positives that it gives before it stops is not always the same")
        return replace(outcome, answers=outcome.answers[: last + 1])

    def _moves(self, before: Pattern, k: int) -> tuple[int, ...]:
        """How the k-th draw moves the next three queries, all ⊥ so far: up, down or not at all."""
        moves = []
        for i in range(len(before), len(before) + 3):
            pushed = [self.settled(before, i, k, push).signs[i : i + 1] for push in (-_PUSH, _PUSH)]
            moves.append(sum(pushed[1]) - sum(pushed[0]))
        return tuple(moves)

    def _next(self, before: Pattern) -> dict[str, dict[int, int]]:
        """Which draws are the next query's noise after these answers, and which the threshold's, with signs."""
        if before not in self._decisive:
            outcome = self.settled(before)
            if outcome.signs[: len(before) + 1] != (*before, False):
                raise Unrecognised("What it compares is not an answer with a bar: settled answers come out otherwise")
            found: dict[str, dict[int, int]] = {"nu": {}, "rho": {}}
            for k in range(len(outcome.draws)):
                moves = self._moves(before, k)
                if not moves[0]:
                    continue
                if any(moves[1:]) and 0 in moves:
                    raise Unrecognised("One draw moves some of the queries and leaves others between them alone")
                kind = "rho" if moves[1] else "nu"
                found[kind][k] = moves[0] * _UP[kind]
            first = self._decisive.setdefault(before, found) if not before else self._decisive[()]
            for kind, signs in found.items():
                parts = tuple((outcome.draws[k], sign) for k, sign in signs.items())
                if len(parts) == 2 and not found["nu" if kind == "rho" else "rho"] and not _difference(parts):
                    raise (Shared if kind == "rho" else Independent)(parts)
                if parts:
                    self._same("redrawn" if kind == "rho" and signs.keys() != first["rho"].keys() else kind, parts)
            self._decisive[before] = found
        return self._decisive[before]

    def roles(self, pattern: Pattern) -> dict[int, Role]:
        """What each draw of a run with these answers is for; what is not listed has no effect."""
        found: dict[int, Role] = {}
        epochs = 0
        for i in range(min(len(pattern), self.length - 3)):
            decisive = self._next(pattern[:i])
            found |= {k: ("nu", i, sign) for k, sign in decisive["nu"].items()}
            if decisive["rho"].keys() - found.keys():
                if i and not pattern[i - 1]:
                    raise Unrecognised("The threshold's noise is drawn again after a ⊥")
                found |= {k: ("rho", epochs, sign) for k, sign in decisive["rho"].items()}
                epochs += 1
        return found | self._releases(pattern, found)

    def _releases(self, pattern: Pattern, found: dict[int, Role]) -> dict[int, Role]:
        before = self.settled(pattern)
        releases: dict[int, Role] = {}
        for k in range(len(before.draws)):
            if k in found:
                continue
            after = self.settled(pattern, pushed=k, push=1024.0)
            changed = [
                i
                for i, (a, b) in enumerate(zip(before.answers, after.answers, strict=False))
                if not isinstance(a, bool) and a != b
            ]
            if len(changed) == 1:
                i = changed[0]
                releases[k] = "release", i, 1 if after.answers[i] > before.answers[i] else -1
        for i in {i for _, i, _ in releases.values()}:
            self._same("release", tuple((before.draws[k], sign) for k, (_, j, sign) in releases.items() if j == i))
        return releases

    def _same(self, kind: str, parts: Parts) -> None:
        if self.laws.setdefault(kind, parts) != parts:
            before, now = (" and ".join(str(draw) for draw, _ in p) for p in (self.laws[kind], parts))
            raise Unrecognised(f"The noise of one role is not always the same: {before}, and then {now}")

    def law(self, kind: str) -> Noise:
        """The noise of one role, none if the program draws none."""
        parts = [(draw, sign) for draw, sign in self.laws.get(kind, ()) if draw.scale]
        if not parts:
            return NoNoise()
        if _difference(tuple(parts)):
            return Laplace(parts[0][0].scale)
        if len(parts) > 1:
            raise Unrecognised(f"One noise is made of several draws: {' and '.join(str(draw) for draw, _ in parts)}")
        ((draw, sign),) = parts
        if sign < 0 and draw.family not in ("laplace", "normal"):
            raise Unrecognised(f"{draw} noise is not symmetric, and it enters with the wrong sign")
        return draw.noise

    def tape(self, outcome: Outcome, values: Sequence[float]) -> NoiseTape:
        """The noise of one run, by role."""
        parts: dict[str, dict[int, float]] = {"rho": {}, "nu": {}, "release": {}}
        laws: dict[tuple[str, int], list[tuple[Draw, int]]] = {}
        for k, (kind, i, sign) in sorted(self.roles(outcome.signs).items()):
            parts[kind][i] = parts[kind].get(i, 0.0) + sign * values[k]
            laws.setdefault((kind, i), []).append((outcome.draws[k], sign))
        for (kind, i), law in laws.items():
            self._same("redrawn" if kind == "rho" and i else kind, tuple(law))
        count = len(outcome.answers)
        positives = [i for i, positive in enumerate(outcome.signs) if positive]
        return NoiseTape(
            tuple(parts["rho"].get(i, 0.0) for i in range(1 + len(positives))),
            tuple(parts["nu"].get(i, 0.0) for i in range(count)),
            tuple(parts["release"].get(i, 0.0) for i in positives),
        )


def _difference(parts: Parts) -> bool:
    """Whether the noise is the difference of two exponential draws of one scale: a Laplace draw."""
    return (
        len(parts) == 2
        and parts[0][0] == parts[1][0]
        and parts[0][0].family == "exponential"
        and (parts[0][1] == -parts[1][1])
    )


def _mechanism(worlds: Worlds, program: Program, monotonic: bool, release: str) -> Mechanism:
    refreshed = "redrawn" in worlds.laws
    rho = worlds.law("rho")
    number = worlds.law("release") if release == "fresh" else None
    # What the author meant each part to pay is not known: the claim is split as the costs are.
    costs = [
        times * program.sensitivity / getattr(noise, "scale", math.inf)
        for times, noise in ((1, rho), (2 * program.c, worlds.law("nu")), (program.c, number))
    ]
    parts = [program.epsilon * cost / (sum(costs) or 1.0) for cost in costs]
    redrawn = worlds.law("redrawn") if refreshed else None
    return Mechanism(
        getattr(program.function, "__name__", "program"),
        threshold_noise=rho,
        query_noise=worlds.law("nu"),
        release_noise=number,
        refresh=refreshed,
        refresh_noise=redrawn if redrawn is not None and redrawn != rho else None,
        c=worlds.stops_after or program.c,
        cutoff="at c" if worlds.stops_after else None,
        release=release,  # type: ignore[arg-type]
        sensitivity=program.sensitivity,
        monotonic=monotonic,
        epsilon=program.epsilon,
        epsilon1=parts[0],
        epsilon2=parts[1],
        epsilon3=parts[2],
        correction=worlds.correction(),
    )


def _released(outcome: Outcome) -> bool:
    return any(not isinstance(answer, bool) for answer in outcome.answers)


def recognise(program: Program, *, monotonic: bool, rng: np.random.Generator, runs: int = 150) -> Mechanism:
    """Return the mechanism that the program is: on `runs` random tapes both gave the same transcript.

    Raises
    ------
    Unrecognised
        If it is none, with the reason.
    """
    worlds = Worlds(program)
    n, tried = worlds.length, worlds.length - 3
    for pattern in ((False, False), (True, False) if worlds.stops_after != 1 else (True,)):
        worlds.roles(pattern)
    numbers = _released(worlds.settled((True,)))
    releases = ("compared", "gap", "fresh") if numbers else ("indicator",)
    candidates = {name: _mechanism(worlds, program, monotonic, name) for name in releases}
    width = max([draw.scale for parts in worlds.laws.values() for draw, _ in parts] + [program.sensitivity])
    for _ in range(runs):
        threshold = float(rng.integers(-3, 4))
        answers = np.append(threshold + np.round(rng.normal(0, width, tried), 3), [-_FAR] * (n - tried))
        values: list[float] = []

        def value(k: int, draw: Draw, values: list[float] = values) -> float:
            values.append(float(draw.noise.sample(rng)))
            return values[-1]

        outcome = program(answers.tolist(), threshold, value)
        outcome = worlds.cut(outcome)
        if len(outcome.answers) < n and not worlds.ended(outcome.signs):
            raise Unrecognised("It ends before all queries are answered, and not by its cut-off")
        tape = worlds.tape(outcome, _all_values(outcome, values))
        for name, mechanism in list(candidates.items()):
            again = run(mechanism, answers[: len(outcome.answers)], threshold, tape=tape).outcome
            if not _equal(again, outcome.answers):
                del candidates[name]
        if not candidates:
            raise Unrecognised("On a random tape its answers are not those of noisy answer against noisy threshold")
    return next(iter(candidates.values()))


def _all_values(outcome: Outcome, values: list[float]) -> list[float]:
    """One value for each draw: those of scale 0 were not asked for."""
    left = iter(values)
    return [next(left) if draw.scale else 0.0 for draw in outcome.draws]


def _equal(a: Sequence[Any], b: Sequence[Any]) -> bool:
    if len(a) != len(b):
        return False
    return all(
        math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9)
        if isinstance(x, float) and isinstance(y, float)
        else (x is True and y is True) or (x is False and y is False)
        for x, y in zip(a, b, strict=True)
    )
