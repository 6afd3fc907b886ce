"""The Sparse Vector Technique: published variants as values, run, integrated exactly, and judged.

The names are listed in `__init__.pyi`, for editors and type checkers too, and load when they are first used: importing
svtlib takes numpy alone.
"""

import lazy_loader

from svtlib.catalogue import catalogue  # noqa: F401  the function, which would lose to the module of its name

__getattr__, __dir__, _every = lazy_loader.attach_stub(__name__, __file__)
__all__ = [name for name in _every if name not in ("exercises", "experiments")]
