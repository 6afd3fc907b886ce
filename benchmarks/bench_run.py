"""One pass of `svt.run` over many answers, beside a bare numpy draw and beside a loop that draws item by item.

Run with `make bench`.
"""

from __future__ import annotations

import numpy as np
from record import Call, Recorder

import svtlib as svt

SIZES = (1_657, 41_270, 2_290_685)  # the items of BMS-POS, Kosarak and AOL
PART = 41_270  # how many items the loop is timed on


def loop(answers: list[float], threshold: float, c: int, epsilon: float) -> list[int]:
    """SVT as textbooks print it: one Laplace draw an item, and a list of what is above."""
    rho = np.random.laplace(scale=2 / epsilon)  # noqa: NPY002 - that is how they print it
    above: list[int] = []
    for i, answer in enumerate(answers):
        if len(above) == c:
            break
        if answer + np.random.laplace(scale=2 * c / epsilon) >= threshold + rho:  # noqa: NPY002
            above.append(i)
    return above


def main() -> None:
    """Print and record one line a size and way."""
    epsilon, c = 0.1, 100
    mechanism = svt.variant("alg1").calibrate(epsilon=epsilon, c=c, monotonic=True)
    scores = svt.load_scores("aol")
    rng = np.random.default_rng(1)
    everything = rng.permutation(np.repeat(scores.support, scores.count)).astype(float)
    scale = c / mechanism.epsilon2
    # No answer is positive (probability below 1e-10): every pass goes through all of them.
    level = float(everything.max()) + 40 * scale
    with Recorder("run") as record:
        for size in SIZES:
            answers = everything[:size].copy()
            part = answers[:PART].tolist()
            note = f" (timed on {len(part):,} items)" if len(part) < size else ""
            record.race(
                size,
                [
                    Call("bare draw and comparison", lambda a=answers: a + rng.laplace(0, scale, a.size) >= level),
                    Call(
                        "svt.run",
                        lambda a=answers: svt.run(mechanism, a, level, rng=rng),
                        relative_to="bare draw and comparison",
                        target="<= 1.3" if size == SIZES[-1] else "",
                    ),
                    Call(
                        f"loop, one draw an item{note}",
                        lambda a=part: loop(a, level, c, epsilon),
                        relative_to="svt.run",
                        weight=size / len(part),
                    ),
                ],
                repetitions=51,
            )


if __name__ == "__main__":
    main()
