"""What several lessons draw or compute alike, and the evidence with them."""

from __future__ import annotations

import svtlib as svt
from svtcourse.figures import pictures

SIGNS = {"⊥": False, "⊤": True}


def lost(mechanism, *blocks, T=0.0):
    """Return the exact loss at a pair, in blocks: how many answers, which, by how much they move, what is said."""
    rows = [(answer, answer + move, SIGNS.get(said, said)) for n, answer, move, said in blocks for _ in range(n)]
    here, there, outcome = map(list, zip(*rows, strict=True))
    return svt.privacy_loss(mechanism, here, there, outcome, T)


def far_loss(mechanism, m, k, far=100.0, falls=1.0):
    """Loss of m negatives far above the threshold that rise and k positives far below it that fall."""
    return lost(mechanism, (m, far, 1, "⊥"), (k, -far, -falls, "⊤"))


def near_loss(mechanism, n, moves=1.0):
    """Loss of n negatives at the threshold that rise and c positives there that fall, one for each threshold."""
    groups, k = (mechanism.c, 1) if mechanism.refresh else (1, mechanism.c)
    return lost(mechanism, *[(n, 0, moves, "⊥"), (k, 0, -moves, "⊤")] * groups)


def bill(mechanism):
    """The price of each move of the alignment: every ρ that is drawn by Δ, every positive by 2Δ."""
    rho, positive = ("ρ", 1 / mechanism.threshold_noise.scale), ("⊤", 2 / mechanism.query_noise.scale)
    parts = [rho, positive] * mechanism.c if mechanism.refresh else [rho] + [positive] * mechanism.c
    assert abs(sum(cost for _, cost in parts) - svt.prove(mechanism).epsilon) < 1e-9
    return parts


def run_on_pages(run, pages, T, variant, *, alt):
    """One run on the sessions of some pages."""
    asked = "pages, in the order in which they are asked"
    return pictures.one_run(run, pages, T, variant=variant, xlabel=asked, ylabel="sessions", alt=alt)
