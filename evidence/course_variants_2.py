"""What the course found about the variants itself: Alg. 4 to GPTT, absolute values and versions that run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import svtlib as svt
from evidence import claim

# Chapter 7: Alg. 4


@claim("svt-alg4-exception", one_way=False)
def alg_4_keeps_its_promise_once(one_way=True):
    """Alg. 4 with c = 1 is ε-DP for any number of monotonic queries, with c = 2 not."""
    one, two = (svt.variant("alg4").calibrate(epsilon=1.0, c=c, monotonic=one_way) for c in (1, 2))
    kept, lost = (svt.worst_case(m, 12).loss for m in (one, two))
    proof = svt.prove(one)
    return proof.holds and kept <= 1 + 1e-9 < lost, (
        f"largest exact loss found with 12 monotonic queries at ε = 1: {kept:.3f} for c = 1, {lost:.3f} for c = 2; the "
        f"cheapest alignment costs {proof.epsilon:g} for c = 1, for all inputs"
    )


def reached_by_far(m, n, far=2000.0):
    """Largest loss, over all divisions of n queries, of negatives that rise from far above and positives from below."""
    return max(
        svt.privacy_loss(m, [far] * (n - k) + [-far] * k, [far + 1] * (n - k) + [-far - 1] * k, "⊥" * (n - k) + "⊤" * k)
        for k in range(min(m.c, n) + 1)
    )


@claim("svt-alg4-staircase", {"lowered": math.inf}, {"far": 1.0})
def the_loss_of_n_queries_is_a_staircase(lowered=0.25, far=2000.0):
    """The largest loss of n queries of Alg. 4 is the largest over k ≤ c of the least of three prices."""
    alg4 = {c: svt.variant("alg4").calibrate(epsilon=1.0, c=c) for c in (1, 2, 3)}
    steps = {
        (c, n): max(min(0.75 * n, 0.25 + 1.5 * k, lowered + 1.5 * (n - k)) for k in range(min(c, n) + 1))
        for c in alg4
        for n in range(1, 2 * c + 4)
    }
    gaps = [value - reached_by_far(alg4[c], n, far) for (c, n), value in steps.items()]
    found = {n: svt.worst_case(alg4[2], n).loss for n in (2, 4, 6)}
    whole = all(abs(steps[c, n] - (1 + 6 * c) / 4) < 1e-12 for c, n in steps if n > 2 * c)
    within = all(loss <= steps[2, n] + 1e-9 for n, loss in found.items())
    return whole and within and min(gaps) >= -1e-9 and max(gaps) < 1e-3, (
        f"{len(gaps)} pairs (c, n): answers 2,000 away lose less than 0.001 below the theorem's value and never more; "
        "for c = 2 a search over 2, 4 and 6 queries finds no more either"
    )
