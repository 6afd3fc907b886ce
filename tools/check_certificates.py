"""Check the certificates of the verdict table again, with a solver and a ball library and without svtlib.

Two kinds.  An *alignment* says how much noise moves so that a neighbouring dataset gives the same output, and what that
costs: Z3 decides, for all real answers, thresholds and noise, that every answer stays, and for every budget and c that
the cost is what is stated.  A *loss* is a pair of neighbouring datasets and an output: FLINT encloses both its
probabilities, and the log of their ratio must lie where it is stated and above the epsilon it refutes.
What is printed is made of what was checked; that the mechanism in a file is the one its source lists is for the reader.
What is trusted: that an alignment of cost epsilon makes a mechanism epsilon-DP (the page *Certificates* has the proof),
Z3, FLINT, Python, and these lines.
"""

from __future__ import annotations

import itertools
import json
import sys
from fractions import Fraction as Q
from pathlib import Path

import z3
from flint import acb, arb, ctx, fmpq

ROOT = Path(__file__).resolve().parent.parent
ENDS = {"any": (-1, 1), "rising": (0, 1), "falling": (-1, 0)}
MOVES = {
    "Laplace": (1, -1),
    "Geometric": (1, -1),
    "Exponential": (1,),
    "Gumbel": (1,),
    "NoNoise": (),
}  # where a shift by x costs at most x / scale


def require(condition: bool, message: str) -> None:
    """Stop with `message` unless `condition`."""
    if not condition:
        raise ValueError(message)


def never(*conditions: z3.BoolRef) -> bool:
    """Whether no real numbers meet all `conditions`."""
    solver = z3.Solver()
    solver.add(*conditions)
    return solver.check() == z3.unsat


def known(data: dict, truths: tuple) -> None:
    """Every switch has a value that this checker knows."""
    require(data["compare"] in ("signed", "absolute"), f"unknown comparison {data['compare']!r}")
    require(data["release"] in ("indicator", "compared", "fresh", "gap"), f"unknown release {data['release']!r}")
    require(data["cutoff"] in ("at c", "after c", None), f"unknown cut-off {data['cutoff']!r}")
    require(all(data[name] in (True, False) for name in truths), f"{truths} must be true or false")


def exact(x: Q) -> z3.RatNumRef:
    """A rational for the solver."""
    return z3.Q(x.numerator, x.denominator)


# --- alignments -------------------------------------------------------------------------------------------------------


def check_alignment(data: dict) -> str:
    """Every answer stays, for all inputs, and what the moves cost is at most what is stated, for all budgets and c."""
    known(data, ("any_c", "monotonic", "private", "refresh"))
    for law in data["noise"].values():
        usual = {"family", "factor", "part", "times_c"} if law["family"] != "NoNoise" else {"family"}
        require(set(law) == usual and law["family"] in MOVES, f"unknown noise {law}")
        require(Q(law.get("factor", 1)) > 0, "a factor must be positive")
    require(data["split"] is None or Q(data["split"]) > 0, "the split must be positive")
    directions = ["rising", "falling"] if data["monotonic"] else ["any"]
    require([a["direction"] for a in data["alignments"]] == directions, "an alignment for each direction is needed")
    require(data["cutoff"] in ("at c", "after c"), "without a cut-off nothing bounds the positives that pay")
    for given in data["alignments"]:
        a, b, k = (Q(given[name]) for name in ("threshold", "positive", "difference"))
        whole = any(law["family"] == "Geometric" for law in data["noise"].values())
        require(not whole or all(x.denominator == 1 for x in (a, b, k)), "noise on the integers moves by integers")
        check_answers(data["compare"] == "absolute", data["release"], ENDS[given["direction"]], *map(exact, (a, b, k)))
        check_cost(data, ENDS[given["direction"]], a, b, k)
    bounds = [" + ".join(f"{v} {part} c^{n}" for part, n, v in terms) for terms in data["epsilon"]]
    queries = "monotonic queries" if data["monotonic"] else "any queries"
    verdict = "as claimed" if data["private"] else "which is no claim of its source"
    return f"{data['variant']}, {queries}, {data['release']}: private at {' or '.join(bounds)} (the largest), {verdict}"


def check_answers(absolute: bool, release: str, ends: tuple, a: z3.RatNumRef, b: z3.RatNumRef, k: z3.RatNumRef) -> None:
    """rho moves by a Delta, nu of a positive by b Delta + k d (outwards, inside bars): every answer stays."""
    d, delta, x, y, bar = z3.Reals("d delta x y bar")  # x and y are answer + nu, bar is T + rho
    near = [delta > 0, ends[0] * delta <= d, d <= ends[1] * delta]

    def size(value: z3.ArithRef) -> z3.ArithRef:
        return z3.If(value >= 0, value, -value) if absolute else value

    def moved(value: z3.ArithRef) -> z3.ArithRef:
        return value + d + k * d + (z3.If(value >= 0, b * delta, -b * delta) if absolute else b * delta)

    require(never(*near, size(x) < bar, size(x + d) >= bar + a * delta), "a negative can turn positive")
    require(never(*near, size(x) >= bar, size(moved(x)) < bar + a * delta), "a positive can turn negative")
    require(never(*near, x != y, moved(x) == moved(y), size(x) >= bar, size(y) >= bar), "two noises move to one")
    require(release != "compared" or never(*near, size(x) >= bar, moved(x) != x), "a released number changes")
    gap = not absolute and never(*near, x >= bar, moved(x) - a * delta != x)
    require(release != "gap" or gap, "a released gap changes")


def check_cost(data: dict, ends: tuple, a: Q, b: Q, k: Q) -> None:
    """The largest cost of these moves is at most the stated bound and that at most the claim, for all budgets and c."""
    parts = dict(zip(("epsilon1", "epsilon2", "epsilon3"), z3.Reals("e1 e2 e3"), strict=True))
    c = z3.Real("c")
    allowed = [part > 0 for part in parts.values()] + [c >= 1 if data["any_c"] else c == 1]
    if data["split"]:
        allowed.append(parts["epsilon2"] == exact(Q(data["split"])) * parts["epsilon1"])
    require(not never(*allowed), "no budget is allowed")

    def pays(name: str, shift: Q) -> z3.ArithRef:
        law = data["noise"][name]
        require(not shift or (1 if shift > 0 else -1) in MOVES[law["family"]], f"{name} noise cannot move by {shift}")
        amount = exact(abs(shift) / Q(law["factor"])) * parts[law["part"]]
        return amount / c if law["times_c"] else amount

    crossings = c + (1 if data["cutoff"] == "after c" else 0)
    threshold = pays("threshold", a) + ((crossings - 1) * pays("redraw", a) if data["refresh"] else 0)
    powers = {-1: 1 / c, 0: 1, 1: c}
    bound = [z3.Sum([exact(Q(v)) * parts[part] * powers[n] for part, n, v in terms]) for terms in data["epsilon"]]
    fresh = data["release"] == "fresh"
    claim = parts["epsilon1"] + parts["epsilon2"] + (parts["epsilon3"] if fresh else 0)
    sides = (1, -1) if data["compare"] == "absolute" else (1,)
    for d, side, other in itertools.product(ends, sides, ends):
        total = threshold + c * pays("query", side * b + k * d) + (crossings - c) * pays("query", side * b + k * other)
        total += c * pays("number", Q(-d)) if fresh else 0
        require(never(*allowed, *(total > value for value in bound)), "the moves cost more than is stated")
    require(
        not data["private"] or all(never(*allowed, value > claim) for value in bound), "the bound exceeds the claim"
    )


# --- losses -----------------------------------------------------------------------------------------------------------


def ball(x: Q) -> arb:
    """A rational as a ball."""
    return arb(fmpq(x.numerator, x.denominator))


def tail(law: dict, x: acb, side: int) -> acb:
    """Pr[noise >= x], for x on one side of 0."""
    if law["family"] == "NoNoise":
        return acb(1 if side < 0 else 0)
    y = x / ball(Q(law["scale"]))
    if law["family"] == "Exponential":
        return (-y).exp() if side > 0 else acb(1)
    return (-y).exp() / 2 if side > 0 else 1 - y.exp() / 2


def density(law: dict, x: acb, side: int) -> acb:
    """The density of the noise on one side of 0."""
    scale, one_sided = ball(Q(law["scale"])), law["family"] == "Exponential"
    return acb(0) if one_sided and side < 0 else (-side * x / scale).exp() / (scale if one_sided else 2 * scale)


def probability(data: dict, answers: list[Q]) -> arb:
    """The probability (density, where numbers are shown) of the output on one dataset, enclosed."""
    m, t, rho = data["mechanism"], Q(data["threshold"]), data["mechanism"]["threshold"]
    nu, absolute = m["query"], m["compare"] == "absolute"
    epochs, shown = [[]], arb(1)
    for q, answer in zip(answers, data["outcome"], strict=True):
        epochs[-1].append((q, answer))
        if answer != "⊥" and m["refresh"]:
            epochs.append([])
    value = arb(1)
    for index, epoch in enumerate(e for e in epochs if e):
        law, cap, queries = (m["redraw"] if index else rho), None, {}
        for q, answer in epoch:
            if answer in ("⊥", "⊤", "ABORT"):
                queries[q, answer == "⊥"] = queries.get((q, answer == "⊥"), 0) + 1
            else:  # the number that was compared: it shows nu, and that rho was at most this
                x = Q(answer)
                cap = min(x - t, cap) if cap is not None else x - t
                shown *= density(nu, acb(ball(x - q)), 1 if x >= q else -1).real
        value *= integral(law, nu, queries, t, absolute, cap)
    return value * shown


def integral(rho: dict, nu: dict, queries: dict, t: Q, absolute: bool, cap: Q | None) -> arb:
    """What one threshold noise decides, enclosed: pieces between the corners, and bounds beyond the outermost."""
    corners = {Q(0), *(q - t for q, _ in queries)} | ({-q - t for q, _ in queries} | {-t} if absolute else set())
    reach = 400 * (Q(rho["scale"]) + Q(nu.get("scale", 0)) + 1)
    low, high = min(corners) - reach, max(corners) + reach
    edges = sorted({low, high, *corners})
    edges = [e for e in edges if cap is None or e < cap] + ([cap] if cap is not None else [])

    def product(z: acb, at: Q) -> acb:
        value = acb(1)
        for (q, negative), times in queries.items():
            factor = tail(nu, z + ball(t - q), 1 if at + t - q >= 0 else -1)
            if absolute and at + t > 0:  # |q + nu| at least the bar: above it, or below minus the bar
                factor += 1 - tail(nu, -z - ball(t + q), 1 if -at - t - q >= 0 else -1)
            elif absolute:
                factor = acb(1)
            value *= (1 - factor if negative else factor) ** times
        return value

    total = arb(0)
    for a, b in itertools.pairwise(edges):
        at, side = (a + b) / 2, 1 if a + b >= 0 else -1

        def integrand(z: acb, _: bool, at: Q = at, side: int = side) -> acb:
            return density(rho, z, side) * product(z, at)

        total += acb.integral(integrand, acb(ball(a)), acb(ball(b)), abs_tol=arb(2) ** -(ctx.prec - 20)).real
    return total + arb(0).union(2 * (-ball(reach / Q(rho["scale"]))).exp())  # what the threshold noise has further out


def check_loss(data: dict) -> str:
    """The datasets are neighbours, and the loss of the output lies in the stated interval, above what it refutes."""
    m = data["mechanism"]
    known(m, ("monotonic", "refresh"))
    for law in (m[name] for name in ("threshold", "redraw", "query")):
        usual = {"family", "scale"} if law["family"] != "NoNoise" else {"family"}
        require(set(law) == usual and law["family"] in MOVES, f"unknown noise {law}")
        require(Q(law.get("scale", 1)) > 0, "a scale must be positive")
    require("NoNoise" not in (m["threshold"]["family"], m["redraw"]["family"]), "the threshold needs noise here")
    require(Q(m["sensitivity"]) > 0 and Q(data["exceeds"]) >= 0, "sensitivity and epsilon must be positive")
    q, p = ([Q(x) for x in data[name]] for name in ("answers", "neighbour"))
    moves = [b - a for a, b in zip(q, p, strict=True)]
    require(all(abs(move) <= Q(m["sensitivity"]) for move in moves), "an answer moves by more than the sensitivity")
    require(not m["monotonic"] or min(moves) >= 0 or max(moves) <= 0, "answers of monotonic queries move both ways")
    marks = [answer if answer in ("⊥", "ABORT") else "⊤" for answer in data["outcome"]]
    positives, after = marks.count("⊤"), m["cutoff"] == "after c"
    require(m["cutoff"] is None or positives <= m["c"], "the output has more than c positives")
    require(m["cutoff"] != "at c" or positives < m["c"] or marks[-1] == "⊤", "the output goes on after c positives")
    require(
        "ABORT" not in marks[:-1] and (marks[-1] != "ABORT" or (after and positives == m["c"])), "no place to abort"
    )
    numbers = set(data["outcome"]) - {"⊥", "⊤", "ABORT"}
    require(not numbers or (m["release"] == "compared" and m["compare"] == "signed"), "no number can be in the output")
    ctx.prec = 1200
    here, there = probability(data, q), probability(data, p)
    require(bool(here > 0), "the output is not shown to be possible")
    shown = f"{data['variant']}, c = {m['c']}: a pair with {len(q)} queries loses "
    if data["loss"] == "inf":
        pairs = list(zip(p, data["outcome"], strict=True))
        below, above = ([x for x, answer in pairs if (answer == "⊥") == low] for low in (True, False))
        simple = m["query"]["family"] == "NoNoise" and m["compare"] == "signed" and not m["refresh"] and not there > 0
        require(simple and max(below) >= min(above), "the output is not shown to be impossible on the neighbour")
        return f"{shown}infinitely much"
    low, high = map(Q, data["loss"])
    loss = (here / there).log()
    require(bool(loss >= ball(low)) and bool(loss <= ball(high)), "the loss does not lie in the stated interval")
    require(low > Q(data["exceeds"]), "the loss does not exceed the epsilon it refutes")
    return f"{shown}at least {float(low):.5g}, more than {data['exceeds']}"


CHECKS = {"alignment": check_alignment, "loss": check_loss}


def main(names: list[str]) -> int:
    """Check every certificate named, and print what each shows or where it fails."""
    places = [Path(name) for name in names] or [ROOT / "data" / "certificates"]
    files = [file for place in places for file in (sorted(place.glob("*.json")) if place.is_dir() else [place])]
    failed = 0
    for file in files:
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            require(data["schema"] == 1, "this checker reads schema 1")
            print(f"✓ {file.name}: {CHECKS[data['kind']](data)}")
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            failed += 1
            print(f"✗ {file.name}: {error!r}")
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
