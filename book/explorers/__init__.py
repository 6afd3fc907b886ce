"""Five explorers: one definition each, from which the site gets its numbers and JupyterLab its widget.

`python -m svtcourse.explorers` writes the files of the site.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from svtlib import validate

from .break_it import BREAK_IT
from .correct_the_threshold import CORRECT_THE_THRESHOLD
from .frame import Explorer
from .one_run import ONE_RUN
from .split_the_budget import SPLIT_THE_BUDGET
from .top_c import TOP_C

__all__ = ["EXPLORERS", "explore", "main"]

EXPLORERS: dict[str, Explorer] = {
    one.name: one for one in (ONE_RUN, BREAK_IT, SPLIT_THE_BUDGET, TOP_C, CORRECT_THE_THRESHOLD)
}
"""By name, in the order of the site."""


def explore(name: str, **chosen: Any) -> Any:
    """Return an explorer for JupyterLab, where every choice is computed when it is made.

    Parameters
    ----------
    name : str
        A key of `EXPLORERS`.
    **chosen
        Values of its controls to begin with.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If there is no such explorer, control or option.

    Examples
    --------
    >>> EXPLORERS["break-it"].view(variant="alg4", n=3, c=1, epsilon=0.5).sentence
    'Alg. 4 with c = 1 loses 0.875 on 3 queries; it claims 0.5.'
    """
    return EXPLORERS[validate.choice("name", name, EXPLORERS)].widget(**chosen)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the numbers of some explorers, or of all, to where the site looks for them."""
    parser = argparse.ArgumentParser(prog="python -m svtcourse.explorers", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *EXPLORERS], help="which; all if none is named")
    parser.add_argument("--keep", action="store_true", help="compute no number that the file has")
    parser.add_argument("--to", type=Path, help="another folder")
    given = parser.parse_args(arguments)
    for name in given.names or EXPLORERS:
        one = EXPLORERS[name]
        print(f"{name}: {'what is new' if given.keep else f'computing, {one.minutes}'}", flush=True)
        path = given.to / one.file.name if given.to else one.file
        print(f"  {path.name}, {one.write(path, keep=given.keep) / 1000:.0f} kB")
    return 0
