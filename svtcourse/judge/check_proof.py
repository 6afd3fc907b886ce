"""A reader's proof, checked: an alignment of their own is accepted for all inputs, or meets noise that it fails on."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from svtlib import validate
from svtlib.mechanism import Mechanism, NoiseTape, run
from svtlib.noise import Noise
from svtlib.proofs.cost import ROUNDING, above, apart
from svtlib.proofs.linear import ENDS, Direction, changed

__all__ = ["CheckedProof", "Failure", "check_proof"]

_INPUTS = {
    "any": "for all inputs",
    "rising": "for all answers that rise",
    "falling": "for all answers that fall",
}

_MOST = 10**100  # times d or Delta that noise may be moved

Move = Callable[..., Any]


@dataclass(frozen=True)
class Failure:
    """One query on two neighbours, with noise that the alignment moves to another answer.

    Attributes
    ----------
    answer, neighbour, threshold : float
    tape, moved : NoiseTape
        The noise on D, and where the alignment puts it on D'.
    outcome, neighbour_outcome : tuple
        What the mechanism says with each.
    """

    answer: float
    neighbour: float
    threshold: float
    tape: NoiseTape
    moved: NoiseTape
    outcome: tuple[Any, ...]
    neighbour_outcome: tuple[Any, ...]


@dataclass(frozen=True)
class CheckedProof:
    """What `check_proof` found.

    Attributes
    ----------
    holds : bool
        True if every output stays, for all inputs, and the cost is at most epsilon.
    cost : float
        What the alignment costs; `inf` if nothing bounds it or an output changes.
    epsilon : float
        What it may cost.
    reason : str
        In words for its author.
    failure : Failure or None
        The noise on which the two outputs differ.
    """

    holds: bool
    cost: float
    epsilon: float
    reason: str
    failure: Failure | None = None

    def _lines(self) -> list[str]:
        lines = [f"{'✓' if self.holds else '✗'} {self.reason}"]
        if self.failure is not None:
            f = self.failure
            for name, answer, tape, said in (
                ("D", f.answer, f.tape, f.outcome),
                ("D′", f.neighbour, f.moved, f.neighbour_outcome),
            ):
                sign = "⊥" if said[0] is False else "⊤"
                lines.append(
                    f"  {name}: answer {answer:g}, threshold {f.threshold:g}, "
                    f"ρ = {tape.rho[0]:g}, ν = {tape.nu[0]:g}: {sign}"
                )
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return f'<div class="svt-verdict">{"".join(f"<p>{html.escape(line)}</p>" for line in self._lines())}</div>'


@dataclass(frozen=True, eq=False)
class _Linear:
    """A sum of multiples of Delta and d, in place of which a move is called: what comes out is the move for all."""

    of_delta: Fraction
    of_d: Fraction
    refused: list[None]  # for each time that it was asked for something else, also where the move caught the refusal
    constant: Fraction = Fraction(0)

    def __add__(self, other: Any) -> _Linear:
        more = other.constant if isinstance(other, _Linear) else validate.rational("a move", other)
        of_delta, of_d = (other.of_delta, other.of_d) if isinstance(other, _Linear) else (0, 0)
        return _Linear(self.of_delta + of_delta, self.of_d + of_d, self.refused, self.constant + more)

    def __mul__(self, factor: Any) -> Any:
        if isinstance(factor, _Linear):
            return self._refused()
        times = validate.rational("a factor", factor)
        return _Linear(self.of_delta * times, self.of_d * times, self.refused, self.constant * times)

    def __truediv__(self, divisor: Any) -> Any:
        return self._refused() if isinstance(divisor, _Linear) else self * (1 / validate.rational("a divisor", divisor))

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def _refused(self, *_: Any) -> Any:
        self.refused.append(None)
        raise _NotLinearError

    __radd__, __rmul__ = __add__, __mul__
    __abs__ = __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = _refused
    __pow__ = __rpow__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __round__ = _refused
    __floor__ = __ceil__ = __trunc__ = __index__ = __hash__ = _refused


class _NotLinearError(ValueError):
    """A move did with its arguments what a sum of multiples does not do."""


def _linear(name: str, move: Move, arguments: int, sensitivity: float) -> tuple[Fraction, Fraction]:
    """Multiples of Delta and of d that a move is made of, which it also is on numbers of this sensitivity."""
    if not callable(move):
        raise ValueError(f"{name} must be a function such as lambda d, Delta: Delta - d, got {move!r}")
    refused: list[None] = []
    delta, d = _Linear(Fraction(1), Fraction(0), refused), _Linear(Fraction(0), Fraction(1), refused)
    try:
        said = delta * 0 + (move(d, delta) if arguments == 2 else move(delta))
        if said.constant or refused:
            raise _NotLinearError
    except _NotLinearError:
        raise ValueError(f"{name} must be a sum of multiples of d and Delta, the same for all d and Delta") from None
    except Exception as error:
        raise ValueError(f"{name} must be a function of {'d and ' * (arguments - 1)}Delta: {error}") from error
    if max(abs(said.of_delta), abs(said.of_d)) > _MOST:
        raise ValueError(f"{name} must move by at most {_MOST:g} times d or Delta")
    for part in (-1.0, -0.5, 0.0, 0.25, 1.0):
        numbers = (part * sensitivity, sensitivity)[-arguments:]
        meant = float(said.of_delta) * sensitivity + float(said.of_d) * part * sensitivity
        if not math.isclose(float(move(*numbers)), meant, rel_tol=1e-8, abs_tol=1e-8 * sensitivity):
            raise ValueError(f"{name} must be a sum of multiples of d and Delta, the same for all d and Delta")
    return said.of_delta, said.of_d


def _within(noise: Noise, shift: float) -> float:
    """A place from which the noise can be moved by `shift` and not leave its support."""
    ends: dict[tuple[int, ...], float] = {(1,): max(0.0, -shift), (-1,): min(0.0, -shift)}
    return ends.get(noise.moves, 0.0)


def check_proof(
    mechanism: Mechanism,
    *,
    rho: Move,
    below: Move,
    above: Move,
    direction: Direction = "any",
) -> CheckedProof:
    """Hold a reader's alignment to the solver: it keeps every output, for all inputs, and costs at most epsilon.

    An alignment says where the noise on D goes on D': rho moves by ``rho(Delta)``, the noise of a query that was
    answered ⊥ by ``below(d, Delta)`` and of one answered ⊤ by ``above(d, Delta)``, where d = q' - q is between -Delta
    and Delta. Moves that depend on nothing else map noise one to one, so what is left to check is that no answer
    changes, which a solver decides for all real answers, thresholds and noise, and the bill.

    Parameters
    ----------
    mechanism : Mechanism
        That answers ⊥ or ⊤ and compares signed answers.
    rho, below, above : callable
        The moves, sums of multiples of their arguments.
    direction : {"any", "rising", "falling"}
        Which neighbours it is for; a proof for monotonic queries has one alignment for each of the last two, and only
        a mechanism that says it is for these may be proved by halves.

    Returns
    -------
    CheckedProof

    Raises
    ------
    ValueError
        If a move is not linear, or the mechanism releases numbers or compares absolute values.

    Examples
    --------
    >>> import svtlib as svt
    >>> alg1 = svt.variant("alg1").calibrate(epsilon=1.0, c=2)
    >>> check_proof(alg1, rho=lambda Delta: Delta, below=lambda d, Delta: 0, above=lambda d, Delta: 2 * Delta)
    ✓ Every answer stays, for all inputs. ρ pays 0.5, a ⊤ pays 0.25, 2 of them: 1, and 1 is allowed
    >>> check_proof(alg1, rho=lambda Delta: Delta, below=lambda d, Delta: 0, above=lambda d, Delta: Delta)
    ✗ A ⊤ becomes ⊥
      D: answer 0, threshold 0, ρ = 0, ν = 0: ⊤
      D′: answer -1, threshold 0, ρ = 1, ν = 1: ⊥
    """
    m = mechanism
    if not isinstance(m, Mechanism) or m.release != "indicator" or m.compare != "signed":
        raise ValueError(f"mechanism must be one that compares signed answers and says ⊥ or ⊤, got {mechanism!r}")
    validate.choice("direction", direction, list(ENDS) if m.monotonic else ["any"])
    given = {"rho": (rho, 1), "below": (below, 2), "above": (above, 2)}
    moves = {name: _linear(name, move, arguments, m.sensitivity) for name, (move, arguments) in given.items()}
    if not _stays_whole(m, moves):
        return CheckedProof(False, math.inf, m.epsilon, "The noise takes whole numbers, and this moves it off them")
    for answer in ("below", "above"):
        (of_delta, of_d), raised = moves[answer], moves["rho"][0]
        if changed(answer == "above", raised, of_delta, of_d, direction) is not None:
            failure = _failure(m, moves, answer, direction)
            change = "A ⊥ becomes ⊤" if answer == "below" else "A ⊤ becomes ⊥"
            change += "" if failure else ", by so little that floats do not show it"
            return CheckedProof(False, math.inf, m.epsilon, change, failure)
    return _bill(m, moves, direction)


def _stays_whole(m: Mechanism, moves: dict[str, tuple[Fraction, Fraction]]) -> bool:
    """Whether noise on the whole numbers is moved by whole numbers, for all whole d."""
    names = {"rho": (m.threshold_noise, m.redraw_noise), "below": (m.query_noise,), "above": (m.query_noise,)}
    steps = {name: (moves[name][0] * Fraction(m.sensitivity), moves[name][1]) for name in names}
    whole = [step.denominator == 1 for name in names for step in steps[name] if _discrete(names[name])]
    return all(whole)


def _discrete(noises: tuple[Noise, ...]) -> bool:
    return any(noise.discrete and noise.moves for noise in noises)


def _failure(
    m: Mechanism, moves: dict[str, tuple[Fraction, Fraction]], kind: str, direction: Direction
) -> Failure | None:
    """A run on floats whose answer changes, None if floats do not show one."""
    delta = Fraction(m.sensitivity)
    low, high = ENDS[direction]
    (of_delta, of_d), raised = moves[kind], moves["rho"][0] * delta

    def lead(change: Fraction) -> Fraction:
        """By how much the noisy answer outruns the noisy threshold."""
        return change + of_delta * delta + of_d * change - raised

    # Linear in d, so an end of its range fails if anything does; the solver's own case is not the same on every run.
    change = (max if kind == "below" else min)((low * delta, high * delta), key=lead)
    noisy = -lead(change) / 2 if kind == "below" else Fraction(0)
    shift = float(of_delta * delta + of_d * change)
    nu, rho = _within(m.query_noise, shift), _within(m.threshold_noise, float(raised))
    answer, threshold = float(noisy) - nu, 0.0 - rho - m.correction
    tapes = (NoiseTape((rho,), (nu,)), NoiseTape((rho + float(raised),), (nu + shift,)))
    neighbour = answer + float(change)
    enough = tuple(NoiseTape(tape.rho * 2, tape.nu) for tape in tapes)  # a refreshed threshold draws again after a ⊤
    said = [run(m, [a], threshold, tape=tape).outcome for a, tape in zip((answer, neighbour), enough, strict=True)]
    return None if said[0] == said[1] else Failure(answer, neighbour, threshold, *tapes, *said)


def _bill(m: Mechanism, moves: dict[str, tuple[Fraction, Fraction]], direction: Direction) -> CheckedProof:
    """What the alignment costs, where it keeps every output."""

    def dearest(kind: str) -> Fraction | float:
        of_delta, of_d = moves[kind]
        return max(m.query_noise.price((of_delta + of_d * d) * Fraction(m.sensitivity)) for d in ENDS[direction])

    raised = moves["rho"][0] * Fraction(m.sensitivity)
    first = m.threshold_noise.price(raised)
    again = m.redraw_noise.price(raised)
    times = m.most_crossings
    times = times if math.isinf(times) else int(times)
    later = (times - 1) * again if m.refresh and again and times > 1 else 0
    each = dearest("above")
    if dearest("below"):
        text = "Every answer stays, but the noise of a ⊥ moves, and nothing bounds how many ⊥ there are"
        return CheckedProof(False, math.inf, m.epsilon, text)
    cost = first + later + (times * each if each else 0)
    many = "as many as there are queries" if math.isinf(times) else f"{times:g} of them"
    parts = f"ρ pays {float(first + later):.6g}, a ⊤ pays {float(each):.6g}, {many}"
    holds = cost <= Fraction(m.epsilon) * (1 + ROUNDING)
    total = f"{float(cost):.6g}" if holds else apart(float(cost), m.epsilon).replace("inf", "∞")
    text = f"Every answer stays, {_INPUTS[direction]}. {parts}: {total}, "
    text += f"and {m.epsilon:.6g} is allowed" if holds else f"more than the {m.epsilon:.6g} that is allowed"
    return CheckedProof(holds, above(cost), m.epsilon, text)
