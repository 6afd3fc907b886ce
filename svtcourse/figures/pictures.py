"""The pictures that several lessons share, one function each: a run, budgets as bars, the noise plane.

Each takes an `alt`, as `display.figure` does, and returns an `InlineSVG`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from svtcourse.figures import display, plots
from svtlib import validate
from svtlib.mechanism import Mechanism, Transcript

__all__ = ["budget_bars", "noise_plane", "one_run"]

_SIZE = 11  # points, as in plots
_INK = "#000000"  # becomes the colour of the page's text
_DASHED = (0, (4, 3))
_NEIGHBOUR = "alg4"  # the orange that stands for D′ beside the variant's own colour
_MOST_MARKS = 40


def one_run(
    transcript: Transcript,
    answers: ArrayLike,
    threshold: float = 0.0,
    *,
    alt: str,
    xlabel: str = "queries, in order",
    ylabel: str = "answer",
    variant: str = "alg1",
) -> display.InlineSVG:
    """Draw one run: true answers, noisy answers, the noisy threshold of each epoch, and what was said.

    Parameters
    ----------
    transcript : Transcript
        Of `answers` at `threshold`.
    answers : array_like, shape (n,)
        Those that were not asked any more are drawn without noise.
    threshold : float
        In the units of the answers.
    xlabel, ylabel : str
    variant : str
        Key of `plots.STYLES`, for the colour.

    Raises
    ------
    ValueError
        If there are more than 40 answers or fewer than the transcript has.

    Examples
    --------
    >>> import svtlib as svt
    >>> mechanism = svt.variant("alg1").calibrate(epsilon=1.0, c=1)
    >>> run = svt.run(mechanism, [0, 5, 9], 4, tape=svt.NoiseTape([0.0], [1.0, -0.5, 0.0]))
    >>> one_run(run, [0, 5, 9], 4, alt="One run: the first answer is below and the second one above.")
    [figure] One run: the first answer is below and the second one above.
    """
    q = validate.finite_array("answers", answers)
    if not transcript.length <= q.size <= _MOST_MARKS:
        raise ValueError(f"answers must have {transcript.length} to {_MOST_MARKS} entries, got {q.size}")
    tape, asked = transcript.tape, np.arange(1, transcript.length + 1)
    noisy = q[: asked.size] + np.array(tape.nu[: asked.size])
    look = plots.style(variant)
    fig, (ax,) = plots.new_figure(height=3.0)
    ax.vlines(asked, q[: asked.size], noisy, color=look.color, linewidth=1, alpha=0.6)
    ax.plot(np.arange(1, q.size + 1), q, "o", color=_INK, markersize=4, label="true")
    ax.plot(asked, noisy, look.marker, color=look.color, mfc="none", markersize=8, label="noisy")
    ax.axhline(threshold, color=_INK, linewidth=1, linestyle=_DASHED, label="T")
    starts = [0, *(transcript.positives + 1).tolist()][: len(tape.rho)]
    ends = [*starts[1:], asked.size]
    for epoch, (start, end, rho) in enumerate(zip(starts, ends, tape.rho, strict=True)):
        label = "T + ρ" if epoch == 0 else ""
        ax.hlines(threshold + rho, start + 0.5, end + 0.5, color=look.color, linewidth=2.5, label=label)
    said = set(transcript.positives.tolist())
    for place in range(asked.size):
        ax.annotate(
            "⊤" if place in said else "⊥",
            (place + 1, 0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=_SIZE,
            fontweight="bold" if place in said else "normal",
            color=look.color if place in said else _INK,
        )
    ax.margins(y=0.12)
    ax.set_xticks([])
    plots.name_axes(ax, xlabel, ylabel)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.legend(frameon=False, ncols=4, fontsize=_SIZE - 1, loc="lower left", bbox_to_anchor=(0, 1), handlelength=1.4)
    return display.figure(fig, alt=alt)


def budget_bars(
    bills: Mapping[str, Sequence[tuple[str, float]]],
    *,
    alt: str,
    epsilon: float = 1.0,
    variants: Sequence[str] | None = None,
) -> display.InlineSVG:
    """Draw what each draw of noise pays, one bar for each mechanism, against the budget.

    Parameters
    ----------
    bills : mapping of str to sequence of (str, float)
        For each bar its parts, from left to right: what pays, and how much.
    epsilon : float
        The budget, drawn as a line.
    variants : sequence of str, optional
        Keys of `plots.STYLES`, one for each bar, for its colour.

    Raises
    ------
    ValueError
        If there is no bar, a part is negative or not finite.

    Examples
    --------
    >>> budget_bars({"Alg. 1, c = 2": [("ρ", 0.5), ("⊤", 0.25), ("⊤", 0.25)]},
    ...             alt="The threshold pays one half and each of two positives a quarter.")
    [figure] The threshold pays one half and each of two positives a quarter.
    """
    if not bills:
        raise ValueError("bills must have at least one bar, got none")
    keys = list(variants or ["alg1"] * len(bills))
    fig, (ax,) = plots.new_figure(height=0.85 + 0.5 * len(bills))
    longest = max([epsilon, *(sum(cost for _, cost in parts) for parts in bills.values())])
    for row, (parts, variant) in enumerate(zip(bills.values(), keys, strict=True)):
        start, color = 0.0, plots.style(variant).color
        for name, cost in parts:
            if not (math.isfinite(cost) and cost >= 0):
                raise ValueError(f"bills must have finite costs of at least 0, got {cost!r} for {name!r}")
            first = name.startswith("ρ")
            ax.barh(
                row, cost, left=start, height=0.62, facecolor=color, alpha=0.55 if first else 0.2, edgecolor=color,
                linewidth=1.2,
            )  # fmt: skip
            if cost > 0.018 * longest * max(len(name), 1):
                ax.annotate(name, (start + cost / 2, row), ha="center", va="center", fontsize=_SIZE - 1)
            start += cost
    ax.axvline(epsilon, color=_INK, linewidth=1.2, linestyle=_DASHED)
    ax.annotate("ε", (epsilon, 1), xycoords=("data", "axes fraction"), xytext=(3, -3), textcoords="offset points",
                va="top", fontsize=_SIZE)  # fmt: skip
    ax.set_yticks(range(len(bills)), list(bills))
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.set_xlim(0, 1.06 * longest)
    ax.set_xlabel("privacy cost", fontsize=_SIZE)
    return display.figure(fig, alt=alt)


def noise_plane(
    mechanism: Mechanism,
    bound: float,
    bound_neighbour: float,
    gap: float,
    gap_neighbour: float,
    *,
    alt: str,
    span: float = 12.0,
) -> display.InlineSVG:
    """Draw the noise (ρ, ν) that gives negatives and then a positive, on D and D′, and how the alignment moves it.

    The negatives are negative where ρ > `bound` (the largest of their noisy answers, less the threshold); the positive
    is one where ν ≥ ρ + `gap` (the threshold less its answer). The alignment moves ρ by Δ and ν by 2Δ.

    Parameters
    ----------
    mechanism : Mechanism
        Whose noise densities give the lines of equal density.
    bound, bound_neighbour : float
        On D and on D′, at most Δ apart.
    gap, gap_neighbour : float
        On D and on D′, at most Δ apart.
    span : float
        Half of the width of what is drawn, in the units of the answers.

    Raises
    ------
    ValueError
        If a bound or a gap differs by more than Δ between D and D′.

    Examples
    --------
    >>> import svtlib as svt
    >>> m = svt.variant("alg1").calibrate(epsilon=1.0)
    >>> noise_plane(m, -1, 0, 0, 1, alt="The region on D, moved by the alignment, is the region on D′.")
    [figure] The region on D, moved by the alignment, is the region on D′.
    """
    delta = mechanism.sensitivity
    for name, here, there in (("bound", bound, bound_neighbour), ("gap", gap, gap_neighbour)):
        if abs(here - there) > delta:
            raise ValueError(f"{name}_neighbour must be at most {delta:g} from {here:g}, got {there:g}")
    blue, orange = plots.style("alg1").color, plots.style(_NEIGHBOUR).color
    fig, (ax,) = plots.new_figure(height=4.0)
    axis = np.linspace(-span, span, 121)
    rho, nu = np.meshgrid(axis, axis)
    ax.contour(
        rho, nu, mechanism.threshold_noise.logpdf(rho) + mechanism.query_noise.logpdf(nu), levels=6, colors=_INK,
        linewidths=0.6, linestyles="-", alpha=0.35,
    )  # fmt: skip
    for low, rise, color, dash, alpha in (
        (bound, gap, blue, "-", 0.25),
        (bound_neighbour, gap_neighbour, orange, "--", 0.2),
    ):
        corner = (low, low + rise)
        ax.fill([low, low, span, span], [corner[1], 2 * span, 2 * span, span + rise], color=color, alpha=alpha, lw=0)
        ax.plot([low, low, span], [2 * span, corner[1], span + rise], color=color, linewidth=2, linestyle=dash)
    for x, y in ((bound, bound + gap), (bound + 2, bound + gap + 5), (bound + 5, bound + gap + 6)):
        ax.annotate(
            "", (x + delta, y + 2 * delta), (x, y), arrowprops={"arrowstyle": "->", "color": _INK, "linewidth": 1.4}
        )
    ax.annotate("on D", (bound, 0.97 * span), xytext=(-5, 0), textcoords="offset points", ha="right", va="top",
                color=blue, fontsize=_SIZE)  # fmt: skip
    ax.annotate("on D′", (bound_neighbour, 0.97 * span), xytext=(5, 0), textcoords="offset points", ha="left", va="top",
                color=orange, fontsize=_SIZE)  # fmt: skip
    ax.set_xlim(-span, span)
    ax.set_ylim(-span, span)
    plots.name_axes(ax, "threshold noise ρ", "noise ν of the positive")
    return display.figure(fig, alt=alt)
