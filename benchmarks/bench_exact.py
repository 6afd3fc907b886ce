"""How long exact probabilities take: medians over repetitions, nothing remembered from one to the next.

Run with `make bench`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import svtlib as svt
from svtlib.privacy import integrate


def report(what: str, target: str, call: Callable[[], object], repetitions: int) -> None:
    """Print the median time of `call`."""
    call()
    times = []
    for _ in range(repetitions):
        integrate.forget()
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    print(f"{1e3 * statistics.median(times):9.2f} ms   {what} (target {target})")


def main() -> None:
    """Print one line a case."""
    n = 10_000
    alg1 = svt.variant("alg1").calibrate(epsilon=1.0)
    alg2 = svt.variant("alg2").calibrate(epsilon=1.0, c=100)
    alg3 = svt.variant("alg3").calibrate(epsilon=1.0)
    alg6 = svt.variant("alg6").calibrate(epsilon=1.0)
    eleven = ["⊥" * 10] + ["⊥" * k + "⊤" for k in range(10)]
    for kind, ten in (("equal", [0.0] * 10), ("distinct", list(np.linspace(-20, 20, 10)))):
        report(
            f"11 outcomes of Alg. 1, c = 1, 10 {kind} answers",
            "3 ms",
            lambda ten=ten: [svt.log_probability(alg1, ten, outcome) for outcome in eleven],
            50,
        )
    for levels, target in ((10, "50 ms"), (1000, "1 s")):
        answers = np.repeat(np.linspace(-50, 20, levels), n // levels)
        report(
            f"one outcome of Alg. 1 on 10,000 queries, {levels} distinct answers",
            target,
            lambda answers=answers: svt.log_probability(alg1, answers, "⊥" * n),
            9,
        )
    half = ["⊥", "⊤"] * (n // 2)
    report(
        "one outcome of Alg. 6 on 10,000 queries, 1000 distinct answers, half positive",
        "1 s",
        lambda: svt.log_probability(alg6, np.repeat(np.linspace(-20, 20, 1000), 10), "".join(half)),
        9,
    )
    rng = np.random.default_rng(1)
    answers = rng.normal(0, 100, n)
    outcome = np.zeros(n, dtype=bool)
    outcome[rng.choice(n - 1, 99, replace=False)] = outcome[-1] = True
    report(
        "Alg. 2 on 10,000 distinct answers, 100 positives",
        "0.5 s",
        lambda: svt.log_probability(alg2, answers, outcome),
        9,
    )
    for kind, thousand in (("equal", np.zeros(1000)), ("distinct", np.linspace(-20, 20, 1000))):
        report(
            f"a released number of Alg. 3 after 999 negatives, {kind} answers",
            "50 ms",
            lambda thousand=thousand: svt.log_probability(alg3, thousand, [False] * 999 + [3.5]),
            9,
        )


if __name__ == "__main__":
    main()
