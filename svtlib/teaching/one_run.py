"""The explorer "One run": the same noise through any variant, step by step, and what the answers so far give away.

The site reads a table that `python -m svtlib.teaching.one_run` writes.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from svtlib.catalogue import variant as find_variant
from svtlib.mechanism import Mechanism, NoiseTape, run
from svtlib.noise import Laplace, Noise, NoNoise
from svtlib.privacy.exact import log_probability
from svtlib.teaching.explorers import NAMES
from svtlib.teaching.plots import style

__all__ = ["SCRIPT", "main", "script", "steps", "table"]

SCRIPT = "window.svtOneRun = "
EPSILON, C, QUERIES, SEED = 1.0, 1, 24, 453
THRESHOLD = 4.0


def _answers() -> tuple[np.ndarray, np.ndarray]:
    """Answers on D, and on D′ with one person more in every question."""
    here = np.random.default_rng(5).integers(-2, 3, QUERIES).astype(float)
    return here, here + 1


def _scaled(noise: Noise | None, standard: np.ndarray) -> tuple[float, ...]:
    """The same standard Laplace draws at the scale of a mechanism."""
    if noise is None or isinstance(noise, NoNoise):
        return (0.0,) * standard.size
    assert isinstance(noise, Laplace)
    return tuple((noise.scale * standard).tolist())


def _tape(m: Mechanism) -> NoiseTape:
    standard = np.random.default_rng(SEED).laplace(size=(3, QUERIES + 1))
    rho = _scaled(m.threshold_noise, standard[0, :1]) + _scaled(m.redraw_noise, standard[0, 1:])
    return NoiseTape(rho, _scaled(m.query_noise, standard[1]), _scaled(m.release_noise, standard[2]))


def _mechanism(key: str) -> Mechanism:
    variant = find_variant(key)
    options: dict[str, Any] = {"epsilon3": EPSILON / 3} if key == "alg7" else {}
    return variant.calibrate(epsilon=EPSILON, c=C if variant.free_c else 1, **options)


def steps(key: str) -> list[tuple[float, float, float, str, float | None]]:
    """Return one run of a variant, answer by answer.

    Parameters
    ----------
    key : str
        Of the catalogue.

    Returns
    -------
    list of tuple
        Answer on D, noisy answer, noisy threshold, what was said, and the privacy loss of all that was said so far
        against the neighbour on which every answer is larger by 1 (but the last positive, which stays), None where the
        neighbour cannot say it.

    Examples
    --------
    >>> steps("alg1")[0][3]
    '⊥'
    """
    m = _mechanism(key)
    here, there = _answers()
    tape = _tape(m)
    done = run(m, here, THRESHOLD, tape=tape)
    there[done.positives] = here[done.positives]
    told = []
    for k, said in enumerate(done.outcome):
        bar = THRESHOLD + tape.rho[int((done.positives < k).sum()) if m.refresh else 0]
        noisy = here[k] + tape.nu[k]
        beginning = list(done.outcome[: k + 1])
        p, q = (log_probability(m, data[: k + 1], beginning, THRESHOLD) for data in (here, there))
        loss = None if q == -math.inf else round(p - q, 4)
        words = "⊥" if said is False else "⊤" if said is True else f"{said:.1f}".replace("-", "−")
        told.append((float(here[k]), round(noisy, 3), round(bar, 3), words, loss))
    return told


def table() -> dict[str, Any]:
    """Return everything that the page needs, as JSON can hold it."""
    keys = [key for key in NAMES if key != "abs_value"]
    return {
        "epsilon": EPSILON,
        "threshold": THRESHOLD,
        "variants": {key: {"name": NAMES[key], "color": style(key).color, "steps": steps(key)} for key in keys},
    }


def script() -> str:
    """Return the file of numbers that the site loads."""
    return SCRIPT + json.dumps(table(), ensure_ascii=False, separators=(",", ":"), allow_nan=False) + ";\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; `arguments` may name another place for it."""
    given = sys.argv[1:] if arguments is None else arguments
    default = Path(__file__).resolve().parents[2] / "book" / "_static" / "explorers" / "one_run.js"
    Path(given[0] if given else default).write_text(script(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
