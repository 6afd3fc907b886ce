"""The inline SVG of a figure: stable, themed, described, and harmless to the page around it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from svtcourse.figures import display

ALT = "A line with two markers, and the word high."
SVG = "{http://www.w3.org/2000/svg}"


def draw(points=2):
    fig = Figure(figsize=(3, 2))
    ax = fig.subplots()
    ax.plot(np.linspace(0, 1, points), np.sin(np.arange(points) * 2.0), marker="o", color="#1a6fe1")
    ax.set_title("high", color="#000000")
    ax.set_xlabel(r"$\varepsilon_1$")
    return fig


def test_same_bytes_every_time():
    """Strict comparison of notebook outputs needs this; a figure drawn in between changes nothing."""
    first = display.figure(draw(), alt=ALT).svg
    display.figure(draw(5), alt="Another figure that is drawn in between.")
    assert display.figure(draw(), alt=ALT).svg == first
    assert not re.search(r"<dc:date|\d{4}-\d{2}-\d{2}|matplotlib v|<!--|<metadata|<\?xml|<!DOCTYPE", first)


def test_svg_is_well_formed_and_described():
    """One svg element: an image with the alt text as its name, scaling down but never up."""
    root = ET.fromstring(display.figure(draw(), alt=ALT).svg)
    assert root.tag == f"{SVG}svg"
    assert (root.get("role"), root.get("aria-label"), root.get("class")) == ("img", ALT, "svt-figure")
    assert root.get("viewBox") == "0 0 216 144"
    assert root.get("width") is None and root.get("height") is None
    assert "max-width:288px" in root.get("style")


def test_text_stays_text_in_the_page_font():
    """Words can be searched and copied; the font is the page's, not a list of matplotlib's."""
    svg = display.figure(draw(), alt=ALT).svg
    assert "high" in "".join(ET.fromstring(svg).itertext())
    assert "ε" in svg
    assert svg.count("font-family") == 1


def test_black_follows_the_theme_and_colours_stay():
    """Black is the page's text colour; nothing paints a background."""
    svg = display.figure(draw(), alt=ALT).svg
    assert 'fill="currentColor"' in svg and "stroke: currentColor" in svg and "#1a6fe1" in svg
    assert not re.search(r"#000\b|#000000|#fff\b|#ffffff|black|white", svg)


def test_nothing_leaks_into_the_page():
    """No style sheet, which would apply to the whole page, and no id without the figure's prefix."""
    svg = display.figure(draw(), alt=ALT).svg
    (key,) = re.findall(r"fig-[0-9a-f]{8}(?=-)", svg)[:1]
    assert "<style" not in svg
    ids = re.findall(r' id="([^"]+)"', svg)
    used = re.findall(r'(?:url\(|href=")#([^")]+)', svg)
    assert ids and set(used) == set(ids) and len(ids) == len(set(ids))
    assert all(name.startswith(f"{key}-") for name in ids)


def test_two_figures_share_no_id():
    """The prefix comes from the alt text, so figures with different texts stay apart."""
    pages = [display.figure(draw(), alt=f"{ALT} Number {number}.").svg for number in (1, 2)]
    first, second = (set(re.findall(r' id="([^"]+)"', page)) for page in pages)
    assert first and second and not first & second


def test_drawing_changes_no_global_setting():
    """Neither matplotlib's parameters nor pyplot's list of figures."""
    before = dict(mpl.rcParams)
    display.figure(draw(), alt=ALT)
    assert dict(mpl.rcParams) == before


def test_alt_text_is_escaped_and_on_one_line():
    """Quotes, angle brackets and line breaks in the alt text do no harm."""
    shown = display.figure(draw(), alt='Losses < 1 & "free"\n   negatives on D.')
    assert shown.alt == 'Losses < 1 & "free" negatives on D.'
    assert ET.fromstring(shown._repr_html_()).get("aria-label") == shown.alt
    assert repr(shown) == f"[figure] {shown.alt}"


def test_too_large_is_refused_and_rasterising_helps():
    """Above 60 kB the error says what to do, and doing it works."""
    fig = Figure(figsize=(3, 2))
    points = np.random.default_rng(1).random((2, 5_000))
    fig.subplots().scatter(*points, s=1)
    with pytest.raises(ValueError, match=r"fig must stay under 60 kB as SVG, got \d+ kB: .*rasterized"):
        display.figure(fig, alt=ALT)
    fig = Figure(figsize=(3, 2), dpi=72)
    fig.subplots().scatter(*points, s=1, rasterized=True)
    assert len(display.figure(fig, alt=ALT).svg) < 60_000
