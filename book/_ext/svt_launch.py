"""Buttons that open a chapter in Colab or on Binder: there if the address of the repository is known, absent otherwise.

It is said in one place, the environment variable REPOSITORY_URL; the workflow that publishes the site sets it.
What they open is the reader's edition, which is not committed: that workflow pushes it to a branch of its own, where it
has the place of the chapters.
"""

from __future__ import annotations

import os
import re
from typing import Any

from sphinx.errors import ConfigError

BRANCH = "notebooks"
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+")


def theme_options(address: str) -> dict[str, Any]:
    """What the theme needs to know for the buttons; nothing without an address."""
    if not address:
        return {}
    if not ADDRESS.fullmatch(address):
        raise ConfigError(f"REPOSITORY_URL must look like https://github.com/owner/name, got {address!r}")
    return {
        "repository_url": address,
        "repository_branch": BRANCH,
        "path_to_docs": "",
        "launch_buttons": {
            "notebook_interface": "jupyterlab",
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
        },
    }


def configure(app: Any, config: Any) -> None:
    """Give the theme its options."""
    config.html_theme_options = {**config.html_theme_options, **theme_options(os.environ.get("REPOSITORY_URL", ""))}


def setup(app: Any) -> dict[str, Any]:
    """Before the theme reads them."""
    app.connect("config-inited", configure, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
