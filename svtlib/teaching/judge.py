"""A reader's SVT, judged: a proof for all inputs, or two neighbours and an output with both probabilities."""

from __future__ import annotations

import ast
import html
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svtlib import validate
from svtlib.mechanism import Mechanism
from svtlib.noise import NoNoise
from svtlib.privacy.audit import audit
from svtlib.privacy.decide import Decision, decide
from svtlib.privacy.exact import log_probability
from svtlib.privacy.prove import Proof
from svtlib.teaching import leaks
from svtlib.teaching.program import Program, read
from svtlib.teaching.symbols import Path, Unreadable
from svtlib.teaching.tree import Leaf, Node, Unrecognised, comparison, grow, law_of, mechanism_of, recognise
from svtlib.teaching.uniform import States, unsteady

__all__ = ["Pair", "Verdict", "judge"]

_TRIALS, _CONFIDENCE = 8_000, 0.999
_ROUNDING = 1e-14  # what the scales of a program in floating point may lack of those that are meant
_MOST_POSITIVES = 6


@dataclass(frozen=True)
class Pair:
    """Two neighbouring datasets and an output that tell a program apart from a private one.

    Attributes
    ----------
    answers, neighbour : tuple of float
        True answers on both.
    threshold : float
    outcome : str
    log_probability, log_probability_on_neighbour : float
        Natural logarithms; `-inf` where the output cannot occur, NaN on D where it can, with a probability not computed.
    confidence : float or None
        None where both are exact; otherwise that of the bounds which they are: from below on D, from above on D'.
    """

    answers: tuple[float, ...]
    neighbour: tuple[float, ...]
    threshold: float
    outcome: str
    log_probability: float
    log_probability_on_neighbour: float
    confidence: float | None = None

    @property
    def loss(self) -> float:
        """The privacy loss, a lower bound on every epsilon that could hold."""
        there = self.log_probability_on_neighbour
        return math.inf if there == -math.inf else self.log_probability - there


@dataclass(frozen=True)
class Verdict:
    """What was found out about a reader's program.

    Attributes
    ----------
    private : bool or None
        None where it could not be decided.
    epsilon : float
        What it should hold at.
    reason : str
        In words for its author.
    mechanism : Mechanism or None
        What the program is, if it is an SVT.
    proof : Proof or None
    pair : Pair or None
        The counterexample where it is not private.
    """

    private: bool | None
    epsilon: float
    reason: str
    mechanism: Mechanism | None = None
    proof: Proof | None = None
    pair: Pair | None = None

    def _lines(self) -> list[str]:
        mark = {True: "✓ private", False: "✗ not private", None: "? not decided"}[self.private]
        lines = [f"{mark} at ε = {self.epsilon:.6g}: {self.reason}"]
        if self.pair is not None:
            p = self.pair
            what = "density" if any(sign not in "⊥⊤…" for sign in p.outcome.partition("…")[0]) else "probability"
            here, there = _probability(p.log_probability), _probability(p.log_probability_on_neighbour)
            if p.confidence is not None:
                here, there = f"at least {here}", f"at most {there}"
            loss = "∞" if math.isinf(p.loss) else f"{p.loss:.6g}"
            at_least = "" if p.confidence is None else "at least "
            certain = "" if p.confidence is None else f" (confidence {p.confidence})"
            lines += [
                f"  answers on D {_shown(p.answers)}, on D′ {_shown(p.neighbour)}, threshold {p.threshold:g}",
                f"  output {_short(p.outcome)}: {what} {here} on D and {there} on D′",
                f"  loss {at_least}{loss}, more than {self.epsilon:.6g}{certain}",
            ]
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return f'<div class="svt-verdict">{"".join(f"<p>{html.escape(line)}</p>" for line in self._lines())}</div>'


def _probability(log: float) -> str:
    if math.isnan(log):
        return "above 0"
    return "0" if log == -math.inf else f"{math.exp(log):.6g}" if log > -600 else f"e^{log:.6g}"


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:10]}…{text[-6:]} ({len(text)} answers)"


def _shown(values: tuple[float, ...]) -> str:
    runs: list[list[Any]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    parts = [f"{value:.7g}" if times == 1 else f"{value:.7g} ({times} times)" for value, times in runs]
    return "(" + ", ".join(parts if len(parts) < 9 else [*parts[:4], "…", *parts[-3:]]) + ")"


def _signs(outcome: Any) -> str:
    return "".join("⊥" if a is False else "⊤" if a is True else f" {a} " for a in outcome)


def judge(
    program: Callable[..., Any],
    *,
    epsilon: float = 1.0,
    c: int = 1,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    rng: np.random.Generator | None = None,
    trials: int = _TRIALS,
) -> Verdict:
    """Say whether a program that answers threshold questions is epsilon-DP for every number of queries, and why.

    The program is run on unknown answers with unknown noise, on every path that its comparisons leave.
    Where that tree is an SVT's, and the source shows that it goes on like that for longer lists, `svt.decide` decides it for
    all inputs. Where it is not, an output is looked for by which neighbours are told apart.
    A program that cannot be run on unknowns is run often on numbers, and never called private.

    Parameters
    ----------
    program : callable
        Parameters by name: answers (array), threshold (number), epsilon, c, sensitivity, rng (draw noise with
        ``rng.laplace(0, scale)`` and its kin); what it does not need it leaves out. It returns one answer for each
        query until it stops: True or False, a number where it releases one, or, for c = 1, the index of the first.
        Or a class that takes all but the answers, with ``ask(answer)`` or ``ask(answer, threshold)``.
    epsilon, c, sensitivity, monotonic : float, int, float, bool
        What the program is called with, and for which queries it should be private.
    rng : numpy.random.Generator, optional
        For runs on numbers; seeded with 0 if not given, so that a verdict does not change from run to run.
    trials : int
        How many runs on each of two neighbours, where it has to be run on numbers.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        If an argument is out of range, or the program takes or returns what cannot be read.

    Examples
    --------
    >>> def above_threshold(answers, threshold, epsilon, rng):
    ...     rho = rng.laplace(0, 2 / epsilon)
    ...     for i, answer in enumerate(answers):
    ...         if answer + rng.laplace(0, 4 / epsilon) >= threshold + rho:
    ...             return [False] * i + [True]
    ...     return [False] * len(answers)
    >>> verdict = judge(above_threshold, epsilon=1.0)
    >>> verdict.private, verdict.mechanism.query_noise
    (True, Laplace(scale=4.0))
    >>> judge(lambda answers, threshold, rng: [q >= threshold for q in answers]).private
    False
    """
    mine = Program(
        program,
        validate.positive("epsilon", epsilon),
        validate.count("c", c),
        validate.positive("sensitivity", sensitivity),
    )
    if mine.c > _MOST_POSITIVES:
        raise ValueError(f"c must be at most {_MOST_POSITIVES} here, where every path is looked at, got {c!r}")
    monotonic, trials = validate.boolean("monotonic", monotonic), validate.count("trials", trials)
    generator = np.random.default_rng(0) if rng is None else validate.generator("rng", rng)
    try:
        return _Case(mine, monotonic).verdict()
    except Unreadable as found:
        return _probed(mine, monotonic, str(found), generator, trials)


class _Case:
    """One program that can be run on unknowns."""

    def __init__(self, program: Program, monotonic: bool) -> None:
        self.program, self.monotonic = program, monotonic
        self.n = program.c + 4
        reader = program.reader
        if reader is None:
            raise Unreadable(str(program.unread))
        shorter, self.states = States(reader, self.n - 1), States(reader, self.n)
        program.grown(self.n - 1, shorter)
        self.paths = program.grown(self.n, self.states)
        self.tree = grow(self.paths)
        self.seeded = reader.seeded
        self.side, self.mechanism, self.why_not = self._recognised()
        self.states.negatives(lambda: program.along(self.n, self._negative))
        watched = [reader.watch(lambda n=n: program.along(n, self._negative)) for n in (self.n - 1, self.n)]
        self.unsteady = unsteady(reader, shorter, self.states, (watched[0], watched[1]))

    def _recognised(self) -> tuple[int, Mechanism | None, str]:
        found: list[tuple[int, Mechanism]] = []
        reasons = []
        for side in (1, -1):
            try:
                seen = recognise(self.tree, side)
                p = self.program
                name = getattr(p.function, "__name__", "program")
                options: dict[str, Any] = dict(epsilon=p.epsilon, sensitivity=p.sensitivity, monotonic=self.monotonic)
                found.append((side, mechanism_of(seen, self.n, name=name, c=p.c, **options)))
            except Unrecognised as reason:
                reasons.append(str(reason))
        if self.seeded:
            return 1, None, "Its noise comes from a fixed seed, so that it is the same in every run and hides nothing"
        for side, mechanism in sorted(found, key=lambda pair: pair[1].cutoff is None):
            if side == 1 or mechanism.cutoff is not None:
                return side, mechanism, ""
        return 1, None, reasons[0]

    def _high(self, key: Any) -> bool | None:
        """Which answer to a comparison says that the query is high, None where it is about none."""
        try:
            return comparison(key).up
        except Unrecognised:
            return None

    def _negative(self, key: Any) -> bool:
        high = self._high(key)
        return False if high is None else high is (self.side < 0)

    def verdict(self) -> Verdict:
        """Proved, refuted or neither."""
        if self.mechanism is not None:
            decided = self._decided(self.mechanism)
            if decided is not None:
                return decided
        p = self.program
        strange = self._strange()
        if self.mechanism is not None and not strange and decide(self.mechanism, p.epsilon * (1 + _ROUNDING)).private:
            return self._neither()
        for leak in self._leaks(strange):
            if leak.log_probability_on_neighbour > leak.log_probability:
                leak = leaks.Leak(
                    leak.neighbour, leak.answers, leak.output, leak.log_probability_on_neighbour, leak.log_probability
                )
            if not (self._kept(leak.answers) and self._kept(leak.neighbour)):
                continue
            if leak.log_probability_on_neighbour == -math.inf or leak.loss > p.epsilon * (1 + 1e-6):
                pair = Pair(
                    leak.answers, leak.neighbour, 0.0, _said(leak.output, len(leak.answers)),
                    leak.log_probability, leak.log_probability_on_neighbour,
                )  # fmt: skip
                return Verdict(False, p.epsilon, self._why(), self.mechanism, pair=pair)
        return self._neither()

    def _why(self) -> str:
        if self.mechanism is None:
            return self.why_not
        return f"For up to {self.n} queries {_lower(_described(self.mechanism, self.program.c))}; but {self.unsteady or 'then it is another'}"

    def _neither(self) -> Verdict:
        p, m = self.program, self.mechanism
        if m is None:
            text = (
                f"{self.why_not}. All {len(self.paths)} ways to answer up to {self.n} queries were read, and no pair was found that "
                "gives more than ε away, which proves nothing; next: write it as one loop, answer + noise against a noisy threshold"
            )
            return Verdict(None, p.epsilon, text)
        decision = decide(m, p.epsilon * (1 + _ROUNDING))
        if decision.private:
            text = (
                f"{_described(m, p.c)}; an alignment proves {decision.proof.epsilon:.6g}-DP for all inputs of up to {self.n} queries, "
                f"and for more it is not known: {self.unsteady}; next: write what is done for a query so that it does not depend on how many came before"
            )
        else:
            text = (
                f"{_described(m, p.c)}; the cheapest alignment costs {decision.proof.epsilon:.6g}, and no pair was found on which the "
                "program gives so much away; next: give it the scales of a published SVT, or tell ε apart from what is to be shown"
            )
        return Verdict(None, p.epsilon, text, m, decision.proof)

    def _decided(self, m: Mechanism) -> Verdict | None:
        p = self.program
        decision = decide(m, p.epsilon * (1 + _ROUNDING))
        cost = decision.proof.epsilon
        described = _described(m, p.c)
        if decision.private:
            if self.unsteady or self._strange():
                return None
            room = f"; {p.epsilon:.6g} is allowed" if cost < 0.999 * p.epsilon else ""  # type: ignore[operator]
            reason = f"{described}; an alignment proves {cost:.6g}-DP for all inputs and every number of queries{room}"
            return Verdict(True, p.epsilon, reason, m, decision.proof)
        if decision.certificate is None:  # a pair that is too long to write, or none that was found
            return None
        pair = self._confirmed(m, decision)
        if pair is None:
            return None
        return Verdict(
            False, p.epsilon, f"{described}; {_bill(decision.proof, cost, p.epsilon)}", m, decision.proof, pair
        )

    def _confirmed(self, m: Mechanism, decision: Decision) -> Pair | None:
        """The mechanism's pair, if the program itself gives that output on exactly the mechanism's conditions."""
        shown = decision.certificate
        assert shown is not None
        leaves = list(_leaves(self.tree))
        if len({leaf.output for leaf in leaves}) < len(leaves):
            return None  # it says less than it finds out
        wanted, asked = list(shown.outcome), []

        def choose(key: Any) -> bool:
            high = self._high(key)
            if high is None:
                return False
            k = len(asked)
            asked.append(key)
            positive = k < len(wanted) and wanted[k] is not False
            return high if positive is (self.side > 0) else not high

        path = self.program.along(len(wanted), choose)
        try:
            said = read(path.output, len(wanted))
        except ValueError:
            return None
        signs = [answer is not False for answer in said]
        if signs[: len(wanted)] != [answer is not False for answer in wanted] or any(signs[len(wanted) :]):
            return None
        if self._strays(path):
            return None
        threshold = shown.threshold[0] if shown.threshold else 0.0
        logs = [
            log_probability(m, data, shown.outcome, list(shown.threshold)) for data in (shown.answers, shown.neighbour)
        ]
        sign = float(self.side)
        sides = [tuple(sign * x + 0.0 for x in data) for data in (shown.answers, shown.neighbour)]
        if not all(map(self._kept, sides)):
            return None
        return Pair(sides[0], sides[1], sign * threshold + 0.0, _signs(shown.outcome), logs[0], logs[1])

    def _kept(self, answers: Sequence[float]) -> bool:
        """Whether sorting or clipping, where the program does so, leaves these answers as they are."""
        assert self.program.reader is not None
        maps = {id(function): (name, function) for name, function in self.program.reader.maps[-2 * len(answers) :]}
        return all(list(np.ravel(function(np.array(answers)))) == list(answers) for _, function in maps.values())

    def _strays(self, path: Path) -> bool:
        """Whether a long run is not that of the mechanism: another law, noise used again, a threshold drawn unasked."""
        m, used, rho, after, first = self.mechanism, set(), None, False, True
        assert m is not None
        for key, _, above in path.literals:
            try:
                this = comparison(key)
            except Unrecognised:
                return True
            fresh = {k: f for k, f in {**this.draws, **this.inside}.items() if k not in used}
            old = {k: f for k, f in this.draws.items() if k in used}
            if first is False and (old if rho is None else old != rho):
                if not (m.refresh and after and not old):
                    return True
                rho = None
            elif rho is None and first is False and not (m.refresh and after):
                return True
            first = False
            laws = [law_of({k: f * (1 if m.sides.absolute else self.side) for k, f in fresh.items()}, path.laws)]
            if rho is None or (isinstance(m.threshold_noise, NoNoise) and not rho):
                if isinstance(m.threshold_noise, NoNoise):
                    rho = {}
                else:
                    rho = self._epoch(path, key, fresh)
                    nu = {k: f for k, f in fresh.items() if k not in rho}
                    laws = [law_of({k: f * (1 if m.sides.absolute else self.side) for k, f in nu.items()}, path.laws)]
                    law = law_of({k: -f * self.side for k, f in rho.items()}, path.laws)
                    if rho and law not in (m.threshold_noise, m.redraw_noise):
                        return True
                    if not rho:  # the last query of an epoch: which noise is whose cannot be seen
                        laws, rho = [m.query_noise], None
            if laws[0] != m.query_noise or -float(this.offset) != m.correction:
                return True
            used |= set(this.draws) | set(this.inside)
            after = (above is this.up) is (self.side > 0)
        return False

    def _epoch(self, path: Path, key: Any, fresh: dict[int, Any]) -> dict[int, Any]:
        """The draws of a comparison that the next one has too."""
        keys = [k for k, _, _ in path.literals]
        place = keys.index(key)
        if place + 1 == len(keys):
            return {}
        later = comparison(keys[place + 1]).draws
        return {k: f for k, f in fresh.items() if later.get(k) == f}

    def _lengths(self) -> list[int]:
        """How long the lists are on which longer runs are looked at: beyond every whole number in the source."""
        assert self.program.reader is not None
        numbers = {
            abs(node.value)
            for translation in self.program.reader.translations
            for node in ast.walk(translation.tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, (int, float))
            and not isinstance(node.value, bool)
        }
        numbers |= {abs(int(v)) for t in self.program.reader.translations for v in _numbers(t)}
        beyond = {2 * math.ceil(k) + 3 for k in numbers if 8 < k <= 600} | {
            math.ceil(k) + 2 for k in numbers if 8 < k <= 1500
        }
        return sorted({12, 40, 150} | beyond)[:10]

    def _long(self, lengths: Sequence[int]) -> Iterator[Path]:
        """Longer runs: without a positive, with one at the end, and with the first at the beginning."""
        for n in lengths:
            for place in (None, n - 1, 0, n // 2):
                yield self._with_positive(n, () if place is None else (place,))

    def _with_positive(self, n: int, places: tuple[int, ...]) -> Path:
        def choose(key: Any) -> bool:
            high = self._high(key)
            if high is None:
                return False
            positive = comparison(key).query in places
            return high if positive is (self.side > 0) else not high

        return self.program.along(n, choose)

    def _strange(self) -> list[int]:
        """The lengths at which a long run is not that of the mechanism, all of them where there is none."""
        if self.mechanism is None:
            return self._lengths()
        if not decide(self.mechanism, self.program.epsilon * (1 + _ROUNDING)).private:
            return [12, 40]
        return [n for n in self._lengths() if any(self._strays(path) for path in self._long((n,)))]

    def _leaks(self, lengths: list[int]) -> Iterator[leaks.Leak]:
        p = self.program
        for n in (1, 2, 3) if p.c < 4 else (1, 2):
            paths = p.grown(n)
            for answers, neighbour, members in leaks.impossible(paths, n, p.sensitivity, self.monotonic):
                try:
                    log = leaks.log_probability(members, answers)
                except NotImplementedError:
                    log = math.nan
                pair = tuple(map(float, answers)), tuple(map(float, neighbour))
                yield leaks.Leak(*pair, members[0].output, log, -math.inf)
                break
        scales = [float(scale) for path in self.paths[:1] for _, scale in path.laws]
        unit = max([p.sensitivity, *scales])
        heights = [0.0, p.sensitivity, unit, 4 * unit, 16 * unit, -p.sensitivity]
        by_output: dict[Any, list[Path]] = {}
        for path in self.paths:
            by_output.setdefault(path.output, []).append(path)
        for members in itertools.islice(by_output.values(), 64):
            yield from leaks.losses(members, self.n, p.sensitivity, self.monotonic, heights)
        for n in [1, 2, 3, 4, 5, 6, 8, *lengths]:
            for places in ((), (n - 1,), (0,), tuple(range(0, n, 2)), tuple(range(0, n, 3))):
                path = self._with_positive(n, places)
                if self._tells(path, n):
                    yield from leaks.losses([path], n, p.sensitivity, self.monotonic, heights)
            yield from self._reused(n)

    def _tells(self, path: Path, n: int) -> bool:
        """Whether the output shows every comparison of its path, so that no other path has it."""
        asked = [key for key, _, _ in path.literals]
        if any(self._high(key) is None for key in asked) or not asked:
            return False
        step = max(1, len(asked) // 12)
        for k in (*range(0, len(asked), step), len(asked) - 1):
            flipped = {key: above is not (i == k) for i, (key, _, above) in enumerate(path.literals)}
            if self.program.along(n, lambda key: flipped.get(key, self._negative(key))).output == path.output:  # noqa: B023
                return False
        return True

    def _reused(self, n: int) -> Iterator[leaks.Leak]:
        """Two queries that share more noise than others do, the rest far below."""
        path = self._with_positive(n, ())
        try:
            draws = [(comparison(key).query, set(comparison(key).draws)) for key, _, _ in path.literals]
        except Unrecognised:
            return
        owners: dict[int, list[int]] = {}
        for query, mine in draws:
            for k in mine:
                owners.setdefault(k, []).append(query)
        pairs = {(q[0], q[1]) for q in owners.values() if 1 < len(q) < len(draws)} | {
            (q[0], q[1]) for q in owners.values() if len(q) == len(draws) == 2
        }
        delta = self.program.sensitivity
        for i, j in sorted(pairs)[:3]:
            along = self._with_positive(n, (j,))
            if not self._tells(along, n):
                continue
            answers, neighbour = [-1e9 * self.side] * n, [-1e9 * self.side] * n
            answers[i], answers[j] = 0.0, delta * self.side
            neighbour[i], neighbour[j] = delta * self.side, delta * self.side
            try:
                here, there = (leaks.log_probability([along], data) for data in (answers, neighbour))
            except NotImplementedError:
                continue
            yield leaks.Leak(tuple(answers), tuple(neighbour), along.output, here, there)


def _numbers(translation: Any) -> Iterator[float]:
    """Numbers that a program takes from outside."""
    for value in (*translation.names.values(), *(getattr(translation.function, "__defaults__", None) or ())):
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            yield value


def _leaves(tree: Node | Leaf) -> Iterator[Leaf]:
    if isinstance(tree, Leaf):
        yield tree
    else:
        for part in tree.next.values():
            yield from _leaves(part)


def _said(output: Any, n: int) -> str:
    """An output of the tree as it is printed."""
    try:
        return _signs("(number)" if isinstance(a, tuple) else a for a in read(output, n))
    except ValueError:
        return str(output)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _law(noise: Any) -> str:
    scale = getattr(noise, "scale", 0.0)
    return f"{type(noise).__name__}({scale:.6g})" if scale else "no noise"


def _described(m: Mechanism, c: int) -> str:
    parts = [
        f"{_law(noise)} on {what}"
        for noise, what in ((m.threshold_noise, "the threshold"), (m.query_noise, "the queries"))
    ]
    text = f"It is an SVT with {parts[0]} and {parts[1]}"
    if m.sides.absolute:
        text += ", inside an absolute value"
    if m.correction:
        text += f", its threshold {'raised' if m.correction > 0 else 'lowered'} by {abs(m.correction):g}"
    if m.refresh:
        text += f", the threshold's drawn again after each ⊤ with {_law(m.redraw_noise)}"
    text += f", that stops after {m.c} ⊤{'' if m.c == c else f' where c is {c}'}" if m.cutoff else ", that never stops"
    if m.release == "compared":
        text += ", and releases the number that it compared"
    elif m.release == "gap":
        text += ", and releases by how much the noisy answer passed the noisy threshold"
    elif m.release == "fresh":
        exact = isinstance(m.release_noise, NoNoise)
        text += f", and releases {'the true answer' if exact else f'the answer with {_law(m.release_noise)}'}"
    return text


def _bill(proof: Proof, cost: Any, epsilon: float) -> str:
    """What each step pays, or the step that no noise can pay for."""
    if math.isinf(cost):
        return f"the proof fails at the step “{proof.failing_step}”: {proof.reason}"
    paid = [f"{step.step} {step.pays}" for step in proof.steps if step.step != "together" and step.pays != "0"]
    return f"it pays {' + '.join(paid)} = {cost:.6g}, more than {epsilon:.6g}"


def _probed(program: Program, monotonic: bool, reason: str, rng: np.random.Generator, trials: int) -> Verdict:
    """A program that cannot be run on unknowns is run on numbers; what is seen can convict it, and never clear it."""
    d = program.sensitivity
    pairs: list[tuple[list[float], list[float]]] = [([0.0] * 4, [d] * 4), ([0.0, d] * 2, [d, d] * 2), ([0.0], [d])]
    pairs += [([0.0] * 12, [d] * 12)]
    if not monotonic:
        pairs.append(([0.0, d], [d, 0.0]))
    pairs += [(there, here) for here, there in pairs]

    def sampler(answers: Any, trials: int, generator: np.random.Generator) -> Any:
        rows = np.full((trials, 4 * len(answers) + 4), -1.0)
        for row in rows:
            said = program.sample(answers, 0.0, generator)
            row[: len(said)] = said
        return rows

    for answers, neighbour in pairs:
        try:
            found = audit(sampler, answers, neighbour, trials=trials, confidence=_CONFIDENCE, rng=rng)
        except ValueError:
            raise
        except Exception as error:
            text = f"{reason}; and on the answers {_shown(tuple(answers))} it ends with {type(error).__name__}: {error}"
            return Verdict(None, program.epsilon, text)
        if found.epsilon_lower > program.epsilon:
            pair = Pair(
                tuple(answers), tuple(neighbour), 0.0, found.event.description,
                math.log(found.p_lower), math.log(found.p_neighbour_upper), _CONFIDENCE,
            )  # fmt: skip
            return Verdict(False, program.epsilon, reason, pair=pair)
    text = (
        f"{reason}. {trials:,} runs on each of {len(pairs)} pairs show no loss above ε, which proves nothing; next: draw all noise "
        "from rng, with laplace, exponential, gumbel or normal, and compare what comes of it; or give it more trials"
    )
    return Verdict(None, program.epsilon, text)
