"""Score distributions and what a mechanism makes of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, ["experiments"])
