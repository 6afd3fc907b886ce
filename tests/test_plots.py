"""The plots of the chapters: colours that can be seen, labels that do not overlap, bad input refused."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import svtlib as svt
from svtcourse.figures import plots
from svtcourse.figures.display import InlineSVG

ALT = "A sentence that says what the figure shows."
LABELS = {"alt": ALT, "xlabel": "n", "ylabel": "loss"}
# White, the site's dark page and panels, JupyterLab's dark page.
PAGES = ("#ffffff", "#14181e", "#121212", "#111111")


def linear(color):
    parts = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    """Contrast ratio of WCAG 2: from 1 for the same colour to 21 for black on white."""
    low, high = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(color)) for color in (first, second))
    return (high + 0.05) / (low + 0.05)


def texts(figure):
    return {
        "".join(node.itertext()).strip() for node in ET.fromstring(figure.svg).iter("{http://www.w3.org/2000/svg}text")
    }


# Styles


def test_contrast_of_black_and_white():
    """The measure itself: 21 to 1 (WCAG 2)."""
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("key", plots.STYLES)
def test_every_colour_is_seen_on_light_and_dark_pages(key, page):
    """At least 3 to 1, which WCAG 2.1 asks of graphics."""
    assert contrast(plots.style(key).color, page) >= 3


def test_styles_differ_without_colour():
    """No two variants share a marker, a label or a colour."""
    for field in ("marker", "label", "color"):
        values = [getattr(style, field) for style in plots.STYLES.values()]
        assert len(values) == len(set(values)), field


def test_every_variant_of_the_catalogue_has_a_style():
    """So that a chapter can draw any of them."""
    assert all(plots.style(key).label for key in svt.variants())


def test_a_new_variant_has_a_plain_look(monkeypatch):
    """A variant without a style of its own is drawn grey, under its name; a key that is no variant is refused."""
    monkeypatch.setattr(plots, "STYLES", {key: look for key, look in plots.STYLES.items() if key != "alg2"})
    assert plots.style("alg2") == plots.Style("Alg. 2", "#7b7b7b", "-", ".")
    assert plots.lines([1, 2, 3], {"alg2": [1, 2, 3]}, **LABELS)


# Figures


def draw_lines():
    n = np.geomspace(1, 10_000, 30)
    return plots.lines(n, {"laplace_all": n, "alg1": 4 + np.log(n)}, log="xy", reference={"ε": 1}, **LABELS)


def draw_every_style():
    return plots.lines([1, 2, 3], {key: [i, i, i] for i, key in enumerate(plots.STYLES)}, **LABELS)


def draw_two_bars():
    return plots.two_bars(["⊥", "⊤"], [0.5, 0.5], [0.25, 0.75], variant="alg5", highlight="⊤", alt=ALT)


FIGURES = [draw_lines, draw_every_style, draw_two_bars]


@pytest.mark.parametrize("draw", FIGURES)
def test_figures_are_stable_and_small(draw):
    """The same input gives the same bytes, described and with room below the limit of 60 kB."""
    first, second = draw(), draw()
    assert isinstance(first, InlineSVG) and first == second
    assert first.alt == ALT
    assert len(first.svg) < 50_000


def test_lines_are_labelled_directly():
    """Each line has its name, with what the chapter adds to it, and the axes have theirs."""
    shown = texts(plots.lines([1, 2], {"alg1": [1, 2], "alg1: c = 5": [2, 3]}, reference={"bound": [0, 1]}, **LABELS))
    assert {"Alg. 1", "Alg. 1, c = 5", "bound", "n", "loss"} <= shown


def test_lines_of_one_variant_are_labelled_by_what_differs():
    """Three budgets of one variant need no name three times over."""
    shown = texts(plots.lines([1, 2], {f"alg1: ε = {e}": [e, e] for e in (1, 2, 3)}, **LABELS))
    assert {"ε = 1", "ε = 2", "ε = 3"} <= shown and not any("Alg." in text for text in shown)


def test_two_lines_of_one_variant_share_the_colour_only():
    """The second has another dash and hollow markers."""
    svg = plots.lines([1, 2], {"alg1": [1, 2], "alg1: c = 5": [2, 3]}, **LABELS).svg
    color = plots.style("alg1").color
    drawn = set(re.findall(rf'style="[^"]*stroke: {color}[^"]*"', svg))
    assert any("stroke-dasharray" in style for style in drawn) and any(
        "stroke-dasharray" not in style for style in drawn
    )


def test_lines_leave_gaps_at_nan():
    """A value that does not exist is not drawn, and the label goes to the last one that does."""
    assert "Alg. 1" in texts(plots.lines([1, 2, 3], {"alg1": [1, 2, np.nan]}, **LABELS))


def test_bars_show_values():
    """The bars carry their numbers, and the panels their titles."""
    assert {"0.25", "0.75", "on D", "on D′", "⊤"} <= texts(draw_two_bars())


def test_labels_are_moved_apart():
    """Places keep their order, end at least one line apart, and stay where nothing is in the way."""
    assert plots._apart([0.2, 0.5, 0.9], 0.1) == pytest.approx([0.2, 0.5, 0.9])
    assert plots._apart([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
    rng = np.random.default_rng(1)
    for wanted in (sorted(rng.random(size)) for size in range(1, 16) for _ in range(20)):
        places = plots._apart(wanted, 0.06)
        assert all(second - first >= 0.06 - 1e-12 for first, second in itertools.pairwise(places))
        assert np.mean(places) == pytest.approx(np.mean(wanted))


def test_new_figure_is_plain():
    """Axes side by side share the vertical scale and have no frame on the right and top."""
    fig, (left, right) = plots.new_figure(columns=2, height=2)
    assert fig.get_size_inches().tolist() == [5.6, 2]
    assert left.get_shared_y_axes().joined(left, right)
    assert not any(ax.spines[side].get_visible() for ax in (left, right) for side in ("top", "right"))
