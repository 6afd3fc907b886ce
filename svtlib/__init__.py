"""The Sparse Vector Technique: published variants as values, run, integrated exactly, and judged.

The core (noise, mechanism, catalogue) needs numpy alone and is loaded at once; everything else when it is first used,
so that `import svtlib` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

# `catalogue` the function must win over `catalogue` the module, so the core is not left to __getattr__.
from svtlib.catalogue import Budget, Scale, Split, Variant, catalogue, variant, variants
from svtlib.guarantee import Approximate, Renyi, pure
from svtlib.mechanism import ABORT, Answer, BudgetExhausted, Mechanism, NoiseTape, Session, Transcript, run
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise

_LAZY = {
    "Alignment": "svtlib.privacy.alignment",
    "AlignmentReport": "svtlib.privacy.alignment",
    "AuditResult": "svtlib.privacy.audit",
    "Certificate": "svtlib.privacy.certify",
    "Counterexample": "svtlib.privacy.search",
    "Counts": "svtlib.utility.scores",
    "Decision": "svtlib.privacy.decide",
    "Expectation": "svtlib.utility.expectation",
    "Proof": "svtlib.privacy.prove",
    "Scores": "svtlib.utility.scores",
    "Selections": "svtlib.utility.selections",
    "Sensitivity": "svtlib.privacy.workload",
    "Workload": "svtlib.privacy.workload",
    "align": "svtlib.privacy.alignment",
    "audit": "svtlib.privacy.audit",
    "certify": "svtlib.privacy.certify",
    "check_alignment": "svtlib.privacy.alignment",
    "claim": "svtlib.teaching.claims",
    "decide": "svtlib.privacy.decide",
    "expected_error": "svtlib.utility.expectation",
    "exponential_mechanism": "svtlib.utility.selection",
    "f1": "svtlib.utility.metrics",
    "failure_probability": "svtlib.utility.accuracy",
    "fnr": "svtlib.utility.metrics",
    "load_adult": "svtlib.utility.scores",
    "load_scores": "svtlib.utility.scores",
    "log_probability": "svtlib.privacy.exact",
    "ncr": "svtlib.utility.metrics",
    "noisy_max_law": "svtlib.utility.selection",
    "peeled_exponential_mechanism": "svtlib.utility.selection",
    "precision": "svtlib.utility.metrics",
    "privacy_loss": "svtlib.privacy.exact",
    "prove": "svtlib.privacy.prove",
    "recall": "svtlib.utility.metrics",
    "report_noisy_max": "svtlib.utility.selection",
    "sampler_of": "svtlib.privacy.audit",
    "ser": "svtlib.utility.metrics",
    "simulate": "svtlib.utility.simulate",
    "smallest_alpha": "svtlib.utility.accuracy",
    "top_law": "svtlib.utility.selection",
    "unalign": "svtlib.privacy.alignment",
    "worst_case": "svtlib.privacy.search",
}

__all__ = [
    "ABORT",
    "Alignment",
    "AlignmentReport",
    "Answer",
    "Approximate",
    "AuditResult",
    "Budget",
    "BudgetExhausted",
    "Certificate",
    "Counterexample",
    "Counts",
    "Decision",
    "Expectation",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Gumbel",
    "Laplace",
    "Mechanism",
    "NoNoise",
    "Noise",
    "NoiseTape",
    "Proof",
    "Renyi",
    "Scale",
    "Scores",
    "Selections",
    "Sensitivity",
    "Session",
    "Split",
    "Transcript",
    "Variant",
    "Workload",
    "align",
    "audit",
    "catalogue",
    "certify",
    "check_alignment",
    "claim",
    "decide",
    "expected_error",
    "exponential_mechanism",
    "f1",
    "failure_probability",
    "fnr",
    "load_adult",
    "load_scores",
    "log_probability",
    "ncr",
    "noisy_max_law",
    "peeled_exponential_mechanism",
    "precision",
    "privacy_loss",
    "prove",
    "pure",
    "recall",
    "report_noisy_max",
    "run",
    "sampler_of",
    "ser",
    "simulate",
    "smallest_alpha",
    "top_law",
    "unalign",
    "variant",
    "variants",
    "worst_case",
]


_MODULES = {"exercises": "svtlib.teaching.exercises", "experiments": "svtlib.utility.experiments"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _LAZY:
        raise AttributeError(f"module 'svtlib' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
