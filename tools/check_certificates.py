"""Check the certificates of the verdict table again, with a solver and a ball library and without svtlib.

Two kinds.  An *alignment* says how much noise moves so that a neighbouring dataset gives the same output, and what that
costs: Z3 decides, for all real answers, thresholds and noise, that every answer stays, and for every budget and c that
the cost is what is stated.  A *loss* is a pair of neighbouring datasets and an output: FLINT encloses both its
probabilities, and the log of their ratio must lie where it is stated and above the epsilon it refutes.
The statement of a file must be the sentence made here of what was checked, noise and switches included; that these are
what the source of that name lists is for the reader.
What is trusted: that an alignment of cost epsilon makes a mechanism epsilon-DP (the page *Certificates* has the proof),
Z3, FLINT, Python, and these lines.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from fractions import Fraction as Q
from pathlib import Path

import z3
from flint import acb, arb, ctx, fmpq

ROOT = Path(__file__).resolve().parent.parent
ENDS = {"any": (-1, 1), "rising": (0, 1), "falling": (-1, 0)}
BOTH = (1, -1)
MOVES = {"Laplace": BOTH, "Geometric": BOTH, "Exponential": (1,), "Gumbel": (1,), "NoNoise": ()}  # at x / scale
ENCLOSED = ("Laplace", "Exponential", "NoNoise")  # whose tails and densities are written down below
EVALUATIONS = 10_000  # of tails of noise, on one dataset; the largest file needs 5,572
SWITCHES = {
    "compare": ("signed", "absolute"),
    "release": ("indicator", "compared", "fresh", "gap"),
    "cutoff": ("at c", "after c", None),
}


def require(condition: bool, message: str) -> None:
    """Stop with `message` unless `condition`."""
    if not condition:
        raise ValueError(message)


def never(*conditions: z3.BoolRef) -> bool:
    """Whether no real numbers meet all `conditions`; no if the solver does not find out."""
    solver = z3.Solver()
    solver.set("rlimit", 50_000_000)
    solver.add(*conditions)
    return solver.check() == z3.unsat


def known(data: dict, names: str, truths: str) -> None:
    """Exactly these entries, and every switch with a value that this checker knows."""
    require(set(data) == {*names.split(), *truths.split(), *SWITCHES}, f"the entries are not {names} {truths}")
    require(all(data[name] in values for name, values in SWITCHES.items()), "a switch has a value that is not known")
    require(all(type(data[name]) is bool for name in truths.split()), f"{truths} must be true or false")


def rational(text: str) -> Q:
    """A rational as the files write it: digits, perhaps over digits."""
    fits = isinstance(text, str) and re.fullmatch("-?[0-9]{1,1200}(/[0-9]{1,1200})?", text)
    require(bool(fits), f"{str(text)[:40]!r} is no rational of at most 1200 digits")
    return Q(text)


def exact(x: Q) -> z3.RatNumRef:
    """A rational for the solver."""
    return z3.Q(x.numerator, x.denominator)


def law(noise: dict, families: tuple, size: str) -> str:
    """A noise in words, if it is of one of these families, with a scale (or a factor of one) that is positive."""
    require(noise["family"] in families, f"unknown noise {noise['family']!r}")
    none = noise["family"] == "NoNoise"
    entries = set() if none else {"scale"} if size == "scale" else {"factor", "part", "times_c"}
    require(set(noise) == entries | {"family"}, f"a noise has a {size}, and NoNoise has none")
    require(none or rational(noise[size]) > 0, "a scale must be positive")
    if none or size == "scale":
        return f"{noise['family']}({noise.get('scale', '')})"
    require(type(noise["times_c"]) is bool, "times_c must be true or false")
    require(noise["part"] in ("epsilon1", "epsilon2", "epsilon3"), "unknown part of the budget")
    return f"{noise['family']}({noise['factor']}{' c' * noise['times_c']} Delta/{noise['part']})"


def named(data: dict, m: dict, families: tuple, size: str) -> str:
    """The mechanism in words: its name, and all of it that is checked."""
    require(bool(re.fullmatch("[a-z0-9_]{1,40}", data["variant"])), "the variant must be a key")
    noise = ", ".join(f"{name} {law(given, families, size)}" for name, given in m.items())
    truths = [name for name in ("monotonic", "refresh") if {**data, **data.get("mechanism", {})}[name]]
    switches = [str({**data, **data.get("mechanism", {})}[name]) for name in SWITCHES]
    return f"{data['variant']} ({'; '.join([noise, *switches, *truths])})"


# --- alignments -------------------------------------------------------------------------------------------------------


def check_alignment(data: dict) -> str:
    """Every answer stays, for all inputs, and what the moves cost is at most what is stated, for all budgets and c."""
    entries = "schema kind statement variant split noise alignments epsilon"
    known(data, entries, "any_c monotonic private refresh")
    short = not re.search("[0-9]{41}", json.dumps(data)) and sum(map(len, data["epsilon"])) <= 16  # for the solver
    require(short, "a number has more than 40 digits, or the bounds more than 16 terms")
    fresh = {"number"} if data["release"] == "fresh" else set()
    require(set(data["noise"]) == {"threshold", "redraw", "query"} | fresh, "a noise is missing, or one too many")
    mechanism = named(data, data["noise"], tuple(MOVES), "factor")
    require(data["split"] is None or rational(data["split"]) > 0, "the split must be positive")
    directions = ["rising", "falling"] if data["monotonic"] else ["any"]
    require([a["direction"] for a in data["alignments"]] == directions, "an alignment for each direction is needed")
    moves = "difference direction positive threshold"
    require(all(" ".join(sorted(a)) == moves for a in data["alignments"]), f"an alignment has {moves}")
    require(all(type(n) is int for terms in data["epsilon"] for _, n, _ in terms), "a power of c is a whole number")
    require(data["cutoff"] in ("at c", "after c"), "without a cut-off nothing bounds the positives that pay")
    whole = any(noise["family"] == "Geometric" for noise in data["noise"].values())
    for given in data["alignments"]:
        a, b, k = (rational(given[name]) for name in ("threshold", "positive", "difference"))
        require(not whole or all(x.denominator == 1 for x in (a, b, k)), "noise on the integers moves by integers")
        check_answers(data["compare"] == "absolute", data["release"], ENDS[given["direction"]], *map(exact, (a, b, k)))
        check_cost(data, ENDS[given["direction"]], a, b, k)
    bounds = [" + ".join(f"{v} {part} c^{n}" for part, n, v in terms) for terms in data["epsilon"]]
    where = ", where c = 1" * (not data["any_c"]) + f", where epsilon2 = {data['split']} epsilon1" * bool(data["split"])
    where += ", where the sensitivity and all answers are whole numbers" * whole + ", "
    where += "as claimed" if data["private"] else "which is no claim of its source"
    return f"{mechanism} is private at {' or '.join(bounds)} (the largest){where}"


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
    require(bool(data["epsilon"]) and all(data["epsilon"]), "no bound is stated")
    allowed = [part > 0 for part in parts.values()] + [c >= 1 if data["any_c"] else c == 1]
    if data["split"]:
        allowed.append(parts["epsilon2"] == exact(rational(data["split"])) * parts["epsilon1"])
    require(not never(*allowed), "no budget is allowed")

    def pays(name: str, shift: Q) -> z3.ArithRef:
        noise = data["noise"][name]
        require(not shift or (1 if shift > 0 else -1) in MOVES[noise["family"]], f"{name} noise cannot move by {shift}")
        amount = exact(abs(shift) / Q(noise.get("factor", 1))) * parts[noise.get("part", "epsilon1")]
        return amount / c if noise.get("times_c") else amount

    crossings = c + (1 if data["cutoff"] == "after c" else 0)
    threshold = pays("threshold", a) + ((crossings - 1) * pays("redraw", a) if data["refresh"] else 0)
    powers = {-1: 1 / c, 0: 1, 1: c}
    bound = [
        z3.Sum([exact(rational(v)) * parts[part] * powers[n] for part, n, v in terms]) for terms in data["epsilon"]
    ]
    fresh = data["release"] == "fresh"
    claim = parts["epsilon1"] + parts["epsilon2"] + (parts["epsilon3"] if fresh else 0)
    sides = (1, -1) if data["compare"] == "absolute" else (1,)
    for d, side, other in itertools.product(ends, sides, ends):
        total = threshold + c * pays("query", side * b + k * d) + (crossings - c) * pays("query", side * b + k * other)
        total += c * pays("number", Q(-d)) if fresh else 0
        require(never(*allowed, *(total > value for value in bound)), "the moves cost more than is stated")
    require(not data["private"] or all(never(*allowed, v > claim) for v in bound), "the bound exceeds the claim")


# --- losses -----------------------------------------------------------------------------------------------------------


def ball(x: Q) -> arb:
    """A rational as a ball."""
    return arb(fmpq(x.numerator, x.denominator))


def tail(noise: dict, x: acb, side: int) -> acb:
    """Pr[noise >= x], for x on one side of 0."""
    if noise["family"] == "NoNoise":
        return acb(1 if side < 0 else 0)
    y = x / ball(Q(noise["scale"]))
    if noise["family"] == "Exponential":
        return (-y).exp() if side > 0 else acb(1)
    return (-y).exp() / 2 if side > 0 else 1 - y.exp() / 2


def density(noise: dict, x: acb, side: int) -> acb:
    """The density of the noise on one side of 0."""
    scale, one_sided = ball(Q(noise["scale"])), noise["family"] == "Exponential"
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
    value, left = arb(1), [EVALUATIONS]
    for index, epoch in enumerate(e for e in epochs if e):
        drawn, cap, queries = (m["redraw"] if index else rho), None, {}
        for q, answer in epoch:
            if answer in ("⊥", "⊤", "ABORT"):
                queries[q, answer == "⊥"] = queries.get((q, answer == "⊥"), 0) + 1
            else:  # the number that was compared: it shows nu, and that rho was at most this
                x = Q(answer)
                cap = min(x - t, cap) if cap is not None else x - t
                shown *= density(nu, acb(ball(x - q)), 1 if x >= q else -1).real
        value *= integral(drawn, nu, queries, t, absolute, cap, left)
    return value * shown


def integral(rho: dict, nu: dict, queries: dict, t: Q, absolute: bool, cap: Q | None, left: list[int]) -> arb:
    """What one threshold noise decides, enclosed: pieces between the corners, and bounds beyond the outermost.

    `left` is in how many places it may still be looked at.
    """
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

    total, small = arb(0), arb(2) ** -(ctx.prec - 20)
    for a, b in itertools.pairwise(edges):
        at, side = (a + b) / 2, 1 if a + b >= 0 else -1

        def inner(z: acb, _: bool, at: Q = at, side: int = side) -> acb:
            left[0] -= len(queries) + 1
            return density(rho, z, side) * product(z, at)

        require(left[0] > 0, f"it takes more than {EVALUATIONS:,} tails of noise")
        total += acb.integral(inner, ball(a), ball(b), abs_tol=small, eval_limit=left[0] // (len(queries) + 1) + 1).real
    return total + arb(0).union(2 * (-ball(reach / Q(rho["scale"]))).exp())  # what the threshold noise has further out


def check_loss(data: dict) -> str:
    """The datasets are neighbours, and the loss of the output lies in the stated interval, above what it refutes."""
    entries = "schema kind statement variant mechanism answers neighbour threshold outcome exceeds loss"
    require(set(data) == set(entries.split()), f"the entries are not {entries}")
    m, noises, many = data["mechanism"], ("threshold", "redraw", "query"), len(data["outcome"])
    known(m, "threshold redraw query c sensitivity", "monotonic refresh")
    mechanism = named(data, {name: m[name] for name in noises}, ENCLOSED, "scale")
    require("NoNoise" not in (m["threshold"]["family"], m["redraw"]["family"]), "the threshold needs noise here")
    require(type(m["c"]) is int and 0 < m["c"] < 10**6, "c must be a whole number below a million")
    delta, exceeds, _ = map(rational, (m["sensitivity"], data["exceeds"], data["threshold"]))
    require(delta > 0 and exceeds >= 0, "sensitivity and epsilon must be positive")
    q, p = ([rational(x) for x in data[name]] for name in ("answers", "neighbour"))
    require(0 < many == len(q) == len(p) <= 10**4, "answers, neighbour and outcome must have one length, up to 10^4")
    require(len({*q, *p}) <= 16, "there are more than 16 different answers")
    moves = [b - a for a, b in zip(q, p, strict=True)]
    require(all(abs(move) <= delta for move in moves), "an answer moves by more than the sensitivity")
    require(not m["monotonic"] or min(moves) >= 0 or max(moves) <= 0, "answers of monotonic queries move both ways")
    marks = [answer if answer in ("⊥", "ABORT") else "⊤" for answer in data["outcome"]]
    positives, aborts = marks.count("⊤"), marks.count("ABORT")
    require(m["cutoff"] is None or positives <= m["c"], "the output has more than c positives")
    require(m["cutoff"] != "at c" or positives < m["c"] or marks[-1] == "⊤", "the output goes on after c positives")
    last = marks[-1] == "ABORT" and aborts == 1 and m["cutoff"] == "after c" and positives == m["c"]
    require(not aborts or last, "no place to abort")
    numbers = [rational(x) for x in data["outcome"] if x not in ("⊥", "⊤", "ABORT")]
    require(not numbers or (m["release"] == "compared" and m["compare"] == "signed"), "no number can be in the output")
    ctx.prec = 1200
    here, there = probability(data, q), probability(data, p)
    require(bool(here > 0), "the output is not shown to be possible")
    shown = f"{mechanism}, c = {m['c']}, Delta = {delta}: a pair with {many} queries loses"
    if data["loss"] == "inf":
        pairs = list(zip(p, data["outcome"], strict=True))
        below, above = ([x for x, answer in pairs if (answer == "⊥") == low] for low in (True, False))
        simple = m["query"]["family"] == "NoNoise" and m["compare"] == "signed" and not m["refresh"] and not there > 0
        beyond = bool(below and above) and max(below) >= min(above)
        require(simple and not numbers and beyond, "the output is not shown to be impossible on the neighbour")
        return f"{shown} infinitely much, more than {exceeds}"
    low, high = map(rational, data["loss"])
    loss = (here / there).log()
    require(bool(loss >= ball(low)) and bool(loss <= ball(high)), "the loss does not lie in the stated interval")
    require(low > exceeds, "the loss does not exceed the epsilon it refutes")
    cut = 10**4 * low.numerator // low.denominator
    return f"{shown} at least {cut // 10**4}.{cut % 10**4:04}, more than {exceeds}"


CHECKS = {"alignment": check_alignment, "loss": check_loss}


def refused(text: object) -> None:
    """What JSON can say and these files do not."""
    raise ValueError(f"a file has only texts, truths, whole numbers and each entry once, got {str(text)[:40]!r}")


def entries(pairs: list) -> dict:
    """The entries of an object, each of them once."""
    return dict(pairs) if len(dict(pairs)) == len(pairs) else refused([name for name, _ in pairs])


def checked(file: Path) -> str:
    """What a file shows, in the words of its statement."""
    require(file.is_file() and file.stat().st_size < 400_000, "this is no file of at most 400 kB")
    text = file.read_text(encoding="utf-8")
    data = json.loads(text, object_pairs_hook=entries, parse_float=refused, parse_constant=refused)
    require(type(data["schema"]) is int and data["schema"] == 1, "this checker reads schema 1")
    said = CHECKS[data["kind"]](data)
    require(data["statement"] == said, f"the statement is not what was checked: {said}")
    return said


def main(names: list[str]) -> int:
    """Check every certificate named, and print in a line what each shows or where it fails."""
    places = [Path(name) for name in names] or [ROOT / "data" / "certificates"]
    files = [file for place in places for file in (sorted(place.glob("*.json")) if os.path.isdir(place) else [place])]
    failed = 0
    sys.stdout.reconfigure(errors="backslashreplace")
    for file in files:
        try:
            line = f"✓ {file.name}: {checked(file)}"
        except Exception as error:  # whatever is wrong with one file, the next one is read
            failed += 1
            line = f"✗ {file.name}: {type(error).__name__}: {error}"
        print(line[:600] if line.isprintable() else ascii(line)[:600])
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
