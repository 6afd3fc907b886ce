"""One-shot top-100 by the exponential mechanism, beside bare numpy and, where they are installed, other libraries.

Run with `make bench`; `.venv/bin/pip install -e ".[compare]"` installs the other libraries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bench_run import SIZES
from record import Call, Recorder

import svtlib as svt

OURS, BARE = "svt.exponential_mechanism", "bare draw and argpartition"


def opendp_top_k(scores: np.ndarray, c: int, epsilon: float) -> Callable[[], object]:
    """OpenDP's noisy top-k with the noise that makes it epsilon-DP (exponential), drawn exactly."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    space = domain, dp.linf_distance(T=float, monotonic=True)
    select = dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=c, scale=c / epsilon)
    values = scores.tolist()
    return lambda: select(values)


def diffprivlib_rounds(scores: np.ndarray, c: int, epsilon: float) -> Callable[[], object]:
    """c rounds of diffprivlib's exponential mechanism, each without what was selected before."""
    from diffprivlib.mechanisms import Exponential

    def rounds() -> list[int]:
        left, items, selected = scores.tolist(), list(range(scores.size)), []
        for _ in range(c):
            place = Exponential(epsilon=epsilon / c, sensitivity=1, utility=left, monotonic=True).randomise()
            selected.append(items.pop(place))
            del left[place]
        return selected

    return rounds


def main() -> None:
    """Print and record one line a size and way."""
    epsilon, c = 0.1, 100
    scores = svt.load_scores("aol")
    rng = np.random.default_rng(1)
    everything = rng.permutation(np.repeat(scores.support, scores.count)).astype(float)

    def bare(values: np.ndarray) -> np.ndarray:
        noisy = values + rng.gumbel(0, c / epsilon, values.size)
        return np.argpartition(noisy, noisy.size - c)[noisy.size - c :]

    def ours(values: np.ndarray) -> np.ndarray:
        return svt.exponential_mechanism(values, c, epsilon=epsilon, monotonic=True, rng=rng)

    with Recorder("selection") as record:
        for size in SIZES:
            values = everything[:size].copy()
            target = "<= 1.2" if size == SIZES[-1] else ""
            calls = [
                Call(BARE, lambda v=values: bare(v)),
                Call(OURS, lambda v=values: ours(v), relative_to=BARE, target=target),
            ]
            record.race(size, calls, repetitions=15)
        kosarak = svt.load_scores("kosarak")
        values = rng.permutation(np.repeat(kosarak.support, kosarak.count)).astype(float)
        one_shot = f"{OURS} on Kosarak"
        others = {"OpenDP, noisy top-k": opendp_top_k, "diffprivlib, 100 rounds": diffprivlib_rounds}
        for case, make in others.items():
            try:
                call = make(values, c, epsilon)
            except ImportError as error:
                record.skip(case, f'{error}; pip install -e ".[compare]"')
                record.skip(f"{one_shot}, beside {case.partition(',')[0]}", "nothing to stand beside")
                continue
            beside = f"{one_shot}, beside {case.partition(',')[0]}"
            calls = [Call(beside, lambda: ours(values)), Call(case, call, relative_to=beside)]
            record.race(values.size, calls, repetitions=5)


if __name__ == "__main__":
    main()
