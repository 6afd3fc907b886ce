"""Figures as inline SVG that follows the page's light or dark theme and says what it shows."""

from __future__ import annotations

import hashlib
import html
import io
import re
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = ["InlineSVG", "figure"]

_LEAST_ALT = 20
_MOST_BYTES = 60_000
_REFERENCE = re.compile(r'(?:url\(|href=")#([^")]+)')


@dataclass(frozen=True, repr=False)
class InlineSVG:
    """A figure as one themed SVG element with its text alternative, displayed by Jupyter as HTML.

    Attributes
    ----------
    svg : str
        The element, without XML declaration.
    alt : str
        What the figure shows, in words.
    """

    svg: str
    alt: str

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"[figure] {self.alt}"


def figure(fig: Figure, *, alt: str) -> InlineSVG:
    """Return a matplotlib figure as inline SVG, the same bytes every time.

    Black becomes the colour of the surrounding text and the background stays transparent, so that the figure works
    on a light and on a dark page.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        Made with `svtcourse.figures.plots.new_figure`, or any other.
    alt : str
        What the figure shows, in a sentence of at least 20 characters, for readers who do not see it.
        Every id is made from it, so it must be unique on the page.

    Returns
    -------
    InlineSVG

    Raises
    ------
    ValueError
        If `alt` is shorter than a sentence, or the SVG is larger than 60 kB.

    Examples
    --------
    >>> fig = Figure(figsize=(2, 1))
    >>> _ = fig.subplots().plot([0, 1], [0, 1])
    >>> figure(fig, alt="A straight line from the origin to (1, 1).")
    [figure] A straight line from the origin to (1, 1).
    """
    if not isinstance(fig, Figure):
        raise ValueError(f"fig must be a matplotlib Figure, got {fig!r}")
    if not isinstance(alt, str) or len(" ".join(alt.split())) < _LEAST_ALT:
        raise ValueError(f"alt must say in at least {_LEAST_ALT} characters what the figure shows, got {alt!r}")
    alt = " ".join(alt.split())
    key = f"fig-{hashlib.sha256(alt.encode()).hexdigest()[:8]}"
    svg = _inline(_render(fig, key), alt, key)
    size = len(svg.encode())
    if size > _MOST_BYTES:
        raise ValueError(
            f"fig must stay under {_MOST_BYTES // 1000} kB as SVG, got {size / 1000:.0f} kB: "
            "draw fewer points, or pass rasterized=True for the dense part"
        )
    return InlineSVG(svg, alt)


def _render(fig: Figure, salt: str) -> str:
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        fig.savefig(
            buffer,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    return buffer.getvalue()


def _inline(svg: str, alt: str, key: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    # Matplotlib's style sheet, "*{stroke-linejoin: round; ...}", would apply to the whole page: it goes on the root.
    svg = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("#000000", "currentColor")
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)  # the page's font, from the root
    svg = re.sub(r'\b(?:d|x|y|width|height|transform)="[^"]*"', lambda place: _shorten(place.group()), svg)
    # Matplotlib makes an id from all digits of what it names: counted, it is the same on every processor.
    names = {name: f"{key}-{count}" for count, name in enumerate(dict.fromkeys(_REFERENCE.findall(svg)), 1)}
    svg = re.sub(r' id="([^"]+)"', lambda name: f' id="{names[name[1]]}"' if name[1] in names else "", svg)
    svg = _REFERENCE.sub(lambda name: name.group().replace(name[1], names[name[1]]), svg)
    opening, body = svg.split(">", 1)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', opening)
    assert box is not None  # matplotlib always writes one
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {box.group()} '
        f'class="svt-figure" role="img" aria-label="{html.escape(alt)}" fill="currentColor" '
        f'style="max-width:{float(box.group(1)) * 4 / 3:.0f}px;height:auto;font-family:system-ui,sans-serif;'
        f'stroke-linejoin:round;stroke-linecap:butt">{body.strip()}'
    )


def _shorten(place: str) -> str:
    # A hundredth of a point is invisible, and six decimals make half of the file.
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number.group()):.2f}", " ".join(place.split()))
