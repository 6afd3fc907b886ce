"""The Sparse Vector Technique: published variants as values, run, integrated exactly, and judged.

The core (noise, mechanism, catalogue) needs numpy alone and is loaded at once; everything else when it is first used,
so that `import svtlib` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

# `catalogue` the function must win over `catalogue` the module, so the core is not left to __getattr__.
from svtlib.catalogue import Budget, Scale, Split, Variant, catalogue, variant, variants
from svtlib.mechanism import ABORT, BudgetExhausted, Mechanism, NoiseTape, Session, Transcript, run
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise

_LAZY = {
    "Alignment": "svtlib.privacy.alignment",
    "AlignmentReport": "svtlib.privacy.alignment",
    "AuditResult": "svtlib.privacy.audit",
    "Counterexample": "svtlib.privacy.search",
    "Counts": "svtlib.utility.scores",
    "Scores": "svtlib.utility.scores",
    "align": "svtlib.privacy.alignment",
    "audit": "svtlib.privacy.audit",
    "check_alignment": "svtlib.privacy.alignment",
    "claim": "svtlib.teaching.claims",
    "load_adult": "svtlib.utility.scores",
    "load_scores": "svtlib.utility.scores",
    "log_probability": "svtlib.privacy.exact",
    "privacy_loss": "svtlib.privacy.exact",
    "sampler_of": "svtlib.privacy.audit",
    "unalign": "svtlib.privacy.alignment",
    "worst_case": "svtlib.privacy.search",
}

__all__ = [
    "ABORT",
    "Alignment",
    "AlignmentReport",
    "AuditResult",
    "Budget",
    "BudgetExhausted",
    "Counterexample",
    "Counts",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Gumbel",
    "Laplace",
    "Mechanism",
    "NoNoise",
    "Noise",
    "NoiseTape",
    "Scale",
    "Scores",
    "Session",
    "Split",
    "Transcript",
    "Variant",
    "align",
    "audit",
    "catalogue",
    "check_alignment",
    "claim",
    "load_adult",
    "load_scores",
    "log_probability",
    "privacy_loss",
    "run",
    "sampler_of",
    "unalign",
    "variant",
    "variants",
    "worst_case",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'svtlib' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
