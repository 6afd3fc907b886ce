"""The Sparse Vector Technique: published variants as values, run, integrated exactly, and judged.

Names are loaded when they are first used, so that `import svtlib` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "svtlib.catalogue": ("Budget", "Scale", "Split", "Variant", "catalogue", "variant", "variants"),
    "svtlib.mechanism": ("ABORT", "BudgetExhausted", "Mechanism", "NoiseTape", "Session", "Transcript", "run"),
    "svtlib.noise": ("Exponential", "Gaussian", "Geometric", "Gumbel", "Laplace", "NoNoise"),
    "svtlib.privacy.exact": ("Counterexample", "log_probability", "privacy_loss", "worst_case"),
    "svtlib.teaching.claims": ("claim",),
    "svtlib.utility.scores": ("Counts", "Scores", "load_adult", "load_scores"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # noqa: PLE0605 - the table above is the one place for names


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'svtlib' has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
