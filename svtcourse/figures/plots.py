"""The few plots that the chapters share, each variant in its own colour, dash and marker everywhere.

Each takes an `alt`, as `display.figure` does, and returns an `InlineSVG`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter
from numpy.typing import ArrayLike, NDArray

from svtcourse.figures import display
from svtlib import validate
from svtlib.catalogue import variant, variants

__all__ = ["STYLES", "Style", "lines", "name_axes", "new_figure", "style", "two_bars"]

_SIZE = 11  # points; still readable when a phone shrinks the figure to two thirds
_WIDTH = 5.6  # inches
_PLAIN = "#7b7b7b"
_INK = "#000000"  # becomes the colour of the page's text


@dataclass(frozen=True)
class Style:
    """How one variant looks in every figure.

    Attributes
    ----------
    color : str
        At least 3 : 1 against a white and against a dark page.
    dash, marker : str
        Matplotlib line style and marker, so that colour never carries the meaning alone.
    hollow : bool
        Whether the markers are hollow: a second line of the same variant.
    label : str
        Its name in figures; in `STYLES` only where that is not the beginning of the variant's title.
    """

    color: str
    dash: str
    marker: str
    hollow: bool = False
    label: str = ""

    @property
    def line(self) -> dict[str, Any]:
        """The line and its markers, as `Axes.plot` takes them; thin where there are no markers."""
        fill = "none" if self.hollow else self.color
        markers = {"marker": self.marker, "markersize": 6, "markerfacecolor": fill}
        return {"color": self.color, "linestyle": self.dash, "linewidth": 2 if self.marker else 1, **markers}


# Cool colours: private as published. Warm ones: not private. Grey: the Laplace mechanism on every query.
STYLES: dict[str, Style] = {
    "alg1": Style("#1a6fe1", "-", "o"),
    "alg2": Style("#139d9e", "--", "s"),
    "alg3": Style("#db2b32", "-.", "^"),
    "alg4": Style("#d27811", ":", "D"),
    "alg5": Style("#985e2b", "--", "v"),
    "alg6": Style("#cb17a4", "-.", "P"),
    "alg7": Style("#6b56df", ":", "h"),
    "gptt": Style("#f1579e", ":", "X"),
    "above_threshold": Style("#2099db", "--", ">"),
    "sparse": Style("#017f69", "-.", "d"),
    "lecture2012": Style("#ef6570", "--", "p", label="2012 lecture"),
    "abs_value": Style("#af76e8", "-.", "<", label="absolute value"),
    "gap": Style("#4f9a0a", "-", "8", label="with gap"),
    "svt_exp": Style("#1583a8", "-", "1"),
    "svt_gumbel": Style("#8a63d2", ":", "2"),
    "exp_exp": Style("#2a8a3e", "--", "4", label="exponential on both"),
    "geometric": Style("#5d7fa3", "-.", "H", label="geometric"),
    "gaussian": Style("#a8567b", "--", "3", label="Gaussian"),
    "by_person": Style("#4a76c9", "-", ".", label="by person"),
    "laplace_all": Style("#7b7b7b", "--", "x", label="Laplace on all"),
    "no_svt": Style("#7f7f7f", ":", "|", label="no SVT"),
    "naive": Style("#a39102", ":", "*", label="naive version"),
    "exponential_mechanism": Style("#018c24", "-", "+", label="exponential mechanism"),
    "whole_sets": Style("#a0522d", "-.", "$S$", label="a whole set at once"),
}


def style(key: str) -> Style:
    """Return how a variant looks in every figure.

    Parameters
    ----------
    key : str
        A key of `STYLES`: the catalogue's, or ``"gaussian"``, ``"by_person"``, ``"laplace_all"``, ``"no_svt"``,
        ``"naive"``, ``"exponential_mechanism"``. A variant of the catalogue without one has the plain look: its name,
        grey, solid, with points.

    Raises
    ------
    ValueError
        If there is no such key, with those there are.

    Examples
    --------
    >>> style("alg2").label
    'Alg. 2'
    """
    if key in variants():
        look = STYLES.get(key, Style(_PLAIN, "-", "."))
        return replace(look, label=look.label or variant(key).title.partition(":")[0])
    return STYLES[validate.choice("key", key, STYLES)]


def new_figure(
    *, columns: int = 1, rows: int = 1, height: float = 3.2, shared: bool = True
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure in the course's style and its axes, row by row.

    The figure belongs to no window and no global state; turn it into a display object with `display.figure`.

    Parameters
    ----------
    columns, rows : int
        Axes side by side share their vertical scale, those in several rows their horizontal one.
    height : float
        In inches; the width is 5.6.
    shared : bool
        False where the scales have nothing in common.

    Returns
    -------
    tuple of Figure and list of Axes

    Raises
    ------
    ValueError
        If `columns` or `rows` is not a whole number of at least 1, or `height` is not positive.

    Examples
    --------
    >>> fig, (left, right) = new_figure(columns=2)
    >>> _ = left.plot([0, 1], [0, 1])
    """
    fig = Figure(figsize=(_WIDTH, validate.positive("height", height)), layout="constrained")
    shape = validate.count("rows", rows), validate.count("columns", columns)
    axes = list(fig.subplots(*shape, sharex=shared and rows > 1, sharey=shared and rows == 1, squeeze=False).flat)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color=_INK, alpha=0.12, linewidth=0.8)
        ax.set_axisbelow(True)
        ax.tick_params(labelsize=_SIZE - 1)
    return fig, axes


def lines(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    alt: str,
    xlabel: str,
    ylabel: str,
    log: Literal["", "x", "y", "xy"] = "",
    reference: Mapping[str, ArrayLike] | None = None,
    ticks: Sequence[float] | None = None,
) -> display.InlineSVG:
    """Draw one labelled line for each variant.

    Parameters
    ----------
    x : array_like, shape (m,)
    series : mapping of str to array_like, shape (m,)
        By key of `STYLES`, or by key and what to add to its label: ``"alg1: c = 5"``. If all lines are of one variant
        and have such an addition, it alone is the label. NaN leaves a gap.
    xlabel, ylabel : str
        With units.
    log : {"", "x", "y", "xy"}
        Which axes are logarithmic.
    reference : mapping of str to array_like, scalar or shape (m,), optional
        Bounds and the like by label, drawn thin in the colour of the text.
    ticks : sequence of float, optional
        Where the horizontal axis has a number, if long labels leave it too short for those that it chooses.

    Raises
    ------
    ValueError
        If a key is unknown, lengths differ, nothing is to be drawn.

    Examples
    --------
    >>> lines([1, 10, 100], {"laplace_all": [1, 10, 100], "alg1": [4, 4, 4]}, log="xy",
    ...       xlabel="number of queries", ylabel="noise scale",
    ...       alt="The noise scale grows with the number of queries for Laplace and stays at 4 for Alg. 1.")
    [figure] The noise scale grows with the number of queries for Laplace and stays at 4 for Alg. 1.
    """
    position = validate.finite_array("x", x)
    if not series:
        raise ValueError("series must have at least one entry, got none")
    fig, (ax,) = new_figure()
    _set_scales(ax, log)
    if ticks is not None:
        ax.set_xticks(ticks)
    elif "x" not in log and (position == np.round(position)).all():
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ends: list[tuple[float, str, Style]] = []
    every = max(1, position.size // 8)
    # Lines that differ in the detail only are told apart by it: the axes and the caption name the variant.
    alike = len(series) > 1 and len({name.partition(":")[0] for name in series}) == 1 and all(":" in s for s in series)
    drawn: list[str] = []
    for offset, (name, values) in enumerate(series.items()):
        variant, _, detail = name.partition(":")
        look = style(variant)
        if drawn.count(variant):  # the same colour and marker again: another dash, hollow markers
            dashes = [look.dash, *(dash for dash in ("-", "--", "-.", ":") if dash != look.dash)]
            look = replace(look, dash=dashes[drawn.count(variant) % 4], hollow=True)
        drawn.append(variant)
        height = _heights(name, values, position.size)
        ax.plot(position, height, **look.line, markevery=(offset % every, every) if position.size > 12 else None)
        label = detail.strip() if alike else f"{look.label}, {detail.strip()}" if detail else look.label
        ends.append((_last(name, height), label, look))
    for name, values in (reference or {}).items():
        height = _heights(name, values, position.size)
        ax.plot(position, height, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
        ends.append((_last(name, height), name, Style(_INK, "--", "")))
    name_axes(ax, xlabel, ylabel)
    _label_ends(fig, ax, ends)
    return display.figure(fig, alt=alt)


def two_bars(
    outcomes: Sequence[str],
    probability: ArrayLike,
    probability_neighbour: ArrayLike,
    *,
    alt: str,
    variant: str,
    highlight: str | None = None,
    titles: tuple[str, str] = ("on D", "on D′"),
) -> display.InlineSVG:
    """Draw the probabilities of the same outcomes on two neighbouring datasets: a counterexample, side by side.

    Parameters
    ----------
    outcomes : sequence of str, length m
        For example ``["⊥⊥", "⊥⊤", "⊤"]``.
    probability, probability_neighbour : array_like, shape (m,)
        Each between 0 and 1; written above its bar.
    variant : str
        Key of `STYLES`, for the colour.
    highlight : str, optional
        The outcome that counts; the others are drawn hollow.
    titles : tuple of two str

    Raises
    ------
    ValueError
        If lengths differ, a probability is outside [0, 1], an outcome is repeated, `highlight` is not an outcome, the
        variant is unknown.

    Examples
    --------
    >>> two_bars(["⊥", "⊤"], [0.5, 0.5], [0.25, 0.75], variant="alg1", highlight="⊤",
    ...          alt="The outcome ⊤ has probability 0.5 on D and 0.75 on the neighbour.")
    [figure] The outcome ⊤ has probability 0.5 on D and 0.75 on the neighbour.
    """
    look = style(variant)
    names = _labels("outcomes", outcomes)
    if highlight is not None:
        validate.choice("highlight", highlight, names)
    fig, axes = new_figure(columns=2, height=2.6)
    for ax, title, label, values in zip(
        axes, titles, ("probability", "probability_neighbour"), (probability, probability_neighbour), strict=True
    ):
        heights = validate.finite_array(label, values, length=len(names))
        outside = heights[(heights < 0) | (heights > 1)]
        if outside.size:
            raise ValueError(f"{label} must be between 0 and 1, got {outside[0]}")
        for place, (name, height) in enumerate(zip(names, heights, strict=True)):
            full = highlight is None or name == highlight
            ax.bar(
                place, height, width=0.6, facecolor=look.color if full else "none", edgecolor=look.color, linewidth=1.5
            )
            ax.annotate(
                f"{height:.3g}",
                (place, height),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=_SIZE - 1,
                fontweight="bold" if full and highlight is not None else "normal",
            )
        ax.set_xticks(range(len(names)), names)
        ax.set_title(title, fontsize=_SIZE)
        ax.grid(False, axis="x")
    axes[0].set_ylabel("probability", fontsize=_SIZE)
    axes[0].margins(y=0.14)  # for the number above the highest bar; the panels share the axis
    return display.figure(fig, alt=alt)


def _labels(name: str, values: Sequence[str]) -> list[str]:
    if isinstance(values, str) or not all(isinstance(value, str) for value in values) or not len(values):
        raise ValueError(f"{name} must be a sequence of at least one string, got {values!r}")
    if len(set(values)) < len(values):
        raise ValueError(f"{name} must differ from each other, got {list(values)!r}")
    return list(values)


def _heights(name: str, values: ArrayLike, size: int) -> NDArray[np.float64]:
    array = np.broadcast_to(np.asarray(values, dtype=np.float64), size) if np.ndim(values) == 0 else np.asarray(values)
    if array.shape != (size,):
        raise ValueError(f"series {name!r} must have {size} values, one for each x, got shape {array.shape}")
    array = array.astype(np.float64)
    if np.isinf(array).any():
        raise ValueError(f"series {name!r} must be finite or NaN, got {array[np.isinf(array)][0]}")
    return array


def _last(name: str, height: NDArray[np.float64]) -> float:
    known = height[~np.isnan(height)]
    if not known.size:
        raise ValueError(f"series {name!r} must have at least one value that is not NaN, got none")
    return float(known[-1])


def _set_scales(ax: Axes, log: str) -> None:
    validate.choice("log", log, ("", "x", "y", "xy"))
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        if name in log:
            (ax.set_xscale if name == "x" else ax.set_yscale)("log")
            axis.set_minor_formatter(NullFormatter())


def name_axes(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Name both axes, in the size of the figures that the chapters share."""
    ax.set_xlabel(xlabel, fontsize=_SIZE)
    ax.set_ylabel(ylabel, fontsize=_SIZE)


def _label_ends(fig: Figure, ax: Axes, ends: list[tuple[float, str, Style]]) -> None:
    """Write each label beside the end of its line, moved apart where they would overlap, with a sample of the line."""
    ax.autoscale_view()
    low, high = ax.transAxes.transform([(0, 0), (0, 1)])[:, 1]
    gap = (_SIZE + 3) / 72 * fig.dpi / (high - low)
    order = sorted(range(len(ends)), key=lambda index: ends[index][0])
    wanted = [(ax.transData.transform((1, ends[index][0]))[1] - low) / (high - low) for index in order]
    for index, height in zip(order, _apart(wanted, gap), strict=True):
        _, label, look = ends[index]
        outside: dict[str, Any] = {"transform": ax.transAxes, "clip_on": False, "in_layout": False}
        ax.plot([1.02, 1.055, 1.09], [height] * 3, **look.line, markevery=[1], **outside)
        ax.annotate(
            label, (1.11, height), xycoords="axes fraction", va="center", fontsize=_SIZE - 1, annotation_clip=False
        )


def _apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Return ascending places as near as can be to the wanted ones (ascending), at least `gap` apart."""
    from scipy.optimize import isotonic_regression

    steps = gap * np.arange(len(wanted))
    return [float(place) for place in isotonic_regression(wanted - steps).x + steps]
