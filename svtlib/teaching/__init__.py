"""Figures, tables and checked claims for the chapters."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, ["exercises"])
