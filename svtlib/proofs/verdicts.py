"""The verdict table: what each variant claims, and the smallest epsilon that a proof gives it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from svtlib.catalogue import Variant, variant, variants

if TYPE_CHECKING:
    from pandas import DataFrame

    from svtlib.proofs.cost import Bound


@cache
def _cost(v: Variant, monotonic: bool) -> Bound:
    """What the cheapest alignment of a variant costs, as a formula."""
    from svtlib.proofs.prove import prove  # and the solver with it: `import svtlib` takes numpy alone

    bound = prove(v, monotonic=monotonic).epsilon
    assert not isinstance(bound, float)
    return bound


def actual_epsilon(v: Variant | str, epsilon: float, c: int = 1, monotonic: bool = False) -> float:
    """The smallest epsilon known to hold for every number of queries; `math.inf` where none does.

    What the cheapest alignment costs (`svtlib.prove`, which derives it); losses of every variant here come close to it.

    Parameters
    ----------
    v : Variant or str
        The variant, or its key.
    epsilon, c, monotonic
        As for `Variant.calibrate`.

    Examples
    --------
    >>> actual_epsilon("alg4", 1.0, c=2), actual_epsilon("alg4", 1.0, c=1, monotonic=True)
    (3.25, 1.0)
    >>> actual_epsilon("alg6", 0.1)
    inf
    """
    v = variant(v) if isinstance(v, str) else v
    budget = v.budget(epsilon, c, monotonic)
    return float(_cost(v, budget.monotonic).at(budget))


def catalogue() -> DataFrame:
    """The verdict table: Figure 2 of Lyu, Su & Li 2017, generated from the variants and extended.

    Returns
    -------
    pandas.DataFrame
        One row a variant, indexed by key: source, split, noise scales, refresh, what is released, cut-off, the epsilon
        claimed, the smallest known to hold in general and for monotonic queries, and the step that fails.
        "∞" says that the variant is not epsilon-DP for any finite epsilon.

    Examples
    --------
    >>> catalogue()["actual"].head(6).tolist()
    ['ε', 'ε', '∞', '(1 + 6c)ε/4', '∞', '∞']
    """
    import pandas as pd

    rows = {}
    for v in map(variant, variants()):
        fresh = " or q + fresh noise" if v.release_scale else ""
        rows[v.key] = {
            "variant": v.title,
            "ε₁ : ε₂": str(v.split),
            "threshold noise": str(v.threshold_scale),
            "refreshed": "yes" if v.refresh else "no",
            "query noise": "0" if v.query_scale is None else str(v.query_scale),
            "released": {"indicator": "⊤", "compared": "q + ν", "gap": "q + ν - (T + ρ)"}[v.release] + fresh,
            "cut-off": v.cutoff or "none",
            "claimed": "ε" if v.claims else "none",
            "actual": _cost(v, monotonic=False).in_epsilons(v.split(1, False)),
            "actual, monotonic": _cost(v, monotonic=True).in_epsilons(v.split(1, True)),
            "fails at": v.flaw or "",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("key")
