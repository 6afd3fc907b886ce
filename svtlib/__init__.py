"""The Sparse Vector Technique: published variants as values, run, integrated exactly, and judged.

The names are listed in `__init__.pyi`, for editors and type checkers too, and load when they are first used: importing
svtlib takes numpy alone. Some are of `svtcourse`, which stands on the modules here; none of these imports it.
"""

import ast
from pathlib import Path
from typing import Any

from svtlib.proofs.verdicts import catalogue  # noqa: F401  the function, which would lose to the module of its name


def _places() -> dict[str, tuple[str, str]]:
    """The module and the name there of every name in the stub."""
    lines = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    return {
        alias.asname or alias.name: ((f"svtlib.{line.module}" if line.level else str(line.module)), alias.name)
        for line in lines
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }


_PLACES = _places()
__all__ = sorted(name for name in _PLACES if name != "exercises")


def __getattr__(name: str) -> Any:
    """Load a name where it is first used."""
    if name == "__version__":
        return __import__("importlib.metadata", fromlist=["version"]).version("svtlib")
    if name not in _PLACES:
        raise AttributeError(f"module 'svtlib' has no attribute {name!r}")
    module, inner = _PLACES[name]
    value = globals()[name] = getattr(__import__(module, fromlist=[inner]), inner)
    return value


def __dir__() -> list[str]:
    """Every public name, loaded or not."""
    return sorted(_PLACES)
