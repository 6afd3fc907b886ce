"""The record: for each claim of the ledger one function that computes whether it holds.

A function returns whether the statement holds and one sentence of evidence; where the ledger has a correction,
`(holds, corrected)` and the sentence: `corrected` is whether the correction holds.  Its parameters are what it is
computed from, and `damage` names values of them with which it must come to another verdict.

One module for each source, or part of one.  `python -m evidence [id ...]` runs them and writes `data/evidence.json`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Said = tuple[bool | tuple[bool, bool], str]


@dataclass(frozen=True)
class Record:
    """A claim's function, and the damaged inputs that it must not survive."""

    id: str
    function: Callable[..., Said]
    damage: tuple[Mapping[str, Any], ...]

    def verdict(self, **inputs: Any) -> tuple[str, str]:
        """Return the verdict ("confirmed", "refuted", "corrected") on the given inputs, and the sentence."""
        holds, sentence = self.function(**inputs)
        first, second = holds if isinstance(holds, tuple) else (holds, False)
        return "confirmed" if first else "corrected" if second else "refuted", sentence


_records: dict[str, Record] = {}


def evidence_for(
    id: str, *more: Mapping[str, Any], **damage: Any
) -> Callable[[Callable[..., Said]], Callable[..., Said]]:
    """Record the function below as the evidence of the claim `id`; with `damage`, and each of `more`, it must fall."""

    def record(function: Callable[..., Said]) -> Callable[..., Said]:
        if id in _records:
            raise ValueError(f"{id} has two functions: {_records[id].function.__name__} and {function.__name__}")
        _records[id] = Record(id, function, (*([damage] if damage else []), *more))
        return function

    return record


@cache
def records() -> dict[str, Record]:
    """Every claim's record, from all modules."""
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(_records)
