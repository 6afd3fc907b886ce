"""How long exact probabilities take: medians over repetitions, nothing remembered from one to the next.

Run with `make bench`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from record import Call, Recorder

import svtlib as svt
from svtlib.exact import integral


def main() -> None:
    """Print and record one line a case."""
    with Recorder("exact") as record:
        measure(record)


def measure(record: Recorder) -> None:
    """One row a case; nothing is remembered from one call to the next."""

    def report(what: str, size: int, target: str, call: Callable[[], object], repetitions: int) -> None:
        record.race(size, [Call(what, call, target=target, before=integral.forget)], repetitions=repetitions)

    n = 10_000
    alg1 = svt.variant("alg1").calibrate(epsilon=1.0)
    alg2 = svt.variant("alg2").calibrate(epsilon=1.0, c=100)
    alg3 = svt.variant("alg3").calibrate(epsilon=1.0)
    alg6 = svt.variant("alg6").calibrate(epsilon=1.0)
    eleven = ["⊥" * 10] + ["⊥" * k + "⊤" for k in range(10)]
    for kind, ten in (("equal", [0.0] * 10), ("distinct", list(np.linspace(-20, 20, 10)))):
        report(
            f"11 outcomes of Alg. 1, c = 1, {kind} answers",
            10,
            "<= 0.003 s",
            lambda ten=ten: [svt.log_probability(alg1, ten, outcome) for outcome in eleven],
            50,
        )
    for levels, target in ((10, "<= 0.05 s"), (1000, "<= 1 s")):
        answers = np.repeat(np.linspace(-50, 20, levels), n // levels)
        report(
            f"one outcome of Alg. 1, {levels} distinct answers",
            n,
            target,
            lambda answers=answers: svt.log_probability(alg1, answers, "⊥" * n),
            9,
        )
    half = ["⊥", "⊤"] * (n // 2)
    report(
        "one outcome of Alg. 6, 1000 distinct answers, half positive",
        n,
        "<= 1 s",
        lambda: svt.log_probability(alg6, np.repeat(np.linspace(-20, 20, 1000), 10), "".join(half)),
        9,
    )
    rng = np.random.default_rng(1)
    answers = rng.normal(0, 100, n)
    outcome = np.zeros(n, dtype=bool)
    outcome[rng.choice(n - 1, 99, replace=False)] = outcome[-1] = True
    report(
        "one outcome of Alg. 2, distinct answers, 100 positives",
        n,
        "<= 0.5 s",
        lambda: svt.log_probability(alg2, answers, outcome),
        9,
    )
    for kind, thousand in (("equal", np.zeros(1000)), ("distinct", np.linspace(-20, 20, 1000))):
        report(
            f"a released number of Alg. 3 after 999 negatives, {kind} answers",
            1000,
            "<= 0.05 s",
            lambda thousand=thousand: svt.log_probability(alg3, thousand, [False] * 999 + [3.5]),
            9,
        )


if __name__ == "__main__":
    main()
