"""The figures of the chapters: inline SVG that is stable, themed and described; plots and pictures that can be read."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import svtlib as svt
from svtcourse.figures import display, pictures, plots

# Inline SVG

TEXT = "A line with two markers, and the word high."
SVG = "{http://www.w3.org/2000/svg}"


def drawn(points=2):
    fig = Figure(figsize=(3, 2))
    ax = fig.subplots()
    ax.plot(np.linspace(0, 1, points), np.sin(np.arange(points) * 2.0), marker="o", color="#1a6fe1")
    ax.set_title("high", color="#000000")
    ax.set_xlabel(r"$\varepsilon_1$")
    return fig


def test_same_bytes_every_time():
    """Strict comparison of notebook outputs needs this; a figure drawn in between changes nothing."""
    first = display.figure(drawn(), alt=TEXT).svg
    display.figure(drawn(5), alt="Another figure that is drawn in between.")
    assert display.figure(drawn(), alt=TEXT).svg == first
    assert not re.search(r"<dc:date|\d{4}-\d{2}-\d{2}|matplotlib v|<!--|<metadata|<\?xml|<!DOCTYPE", first)


def test_svg_is_well_formed_and_described():
    """One svg element: an image with the alt text as its name, scaling down but never up."""
    root = ET.fromstring(display.figure(drawn(), alt=TEXT).svg)
    assert root.tag == f"{SVG}svg"
    assert (root.get("role"), root.get("aria-label"), root.get("class")) == ("img", TEXT, "svt-figure")
    assert root.get("viewBox") == "0 0 216 144"
    assert root.get("width") is None and root.get("height") is None
    assert "max-width:288px" in root.get("style")


def test_text_stays_text_in_the_page_font():
    """Words can be searched and copied; the font is the page's, not a list of matplotlib's."""
    svg = display.figure(drawn(), alt=TEXT).svg
    assert "high" in "".join(ET.fromstring(svg).itertext())
    assert "ε" in svg
    assert svg.count("font-family") == 1


def test_black_follows_the_theme_and_colours_stay():
    """Black is the page's text colour; nothing paints a background."""
    svg = display.figure(drawn(), alt=TEXT).svg
    assert 'fill="currentColor"' in svg and "stroke: currentColor" in svg and "#1a6fe1" in svg
    assert not re.search(r"#000\b|#000000|#fff\b|#ffffff|black|white", svg)


def test_nothing_leaks_into_the_page():
    """No style sheet, which would apply to the whole page, and no id without the figure's prefix."""
    svg = display.figure(drawn(), alt=TEXT).svg
    (key,) = re.findall(r"fig-[0-9a-f]{8}(?=-)", svg)[:1]
    assert "<style" not in svg
    ids = re.findall(r' id="([^"]+)"', svg)
    used = re.findall(r'(?:url\(|href=")#([^")]+)', svg)
    assert ids and set(used) == set(ids) and len(ids) == len(set(ids))
    assert all(name.startswith(f"{key}-") for name in ids)


def test_two_figures_share_no_id():
    """The prefix comes from the alt text, so figures with different texts stay apart."""
    pages = [display.figure(drawn(), alt=f"{TEXT} Number {number}.").svg for number in (1, 2)]
    first, second = (set(re.findall(r' id="([^"]+)"', page)) for page in pages)
    assert first and second and not first & second


def test_drawing_changes_no_global_setting():
    """Neither matplotlib's parameters nor pyplot's list of figures."""
    before = dict(mpl.rcParams)
    display.figure(drawn(), alt=TEXT)
    assert dict(mpl.rcParams) == before


def test_alt_text_is_escaped_and_on_one_line():
    """Quotes, angle brackets and line breaks in the alt text do no harm."""
    shown = display.figure(drawn(), alt='Losses < 1 & "free"\n   negatives on D.')
    assert shown.alt == 'Losses < 1 & "free" negatives on D.'
    assert ET.fromstring(shown._repr_html_()).get("aria-label") == shown.alt
    assert repr(shown) == f"[figure] {shown.alt}"


def test_too_large_is_refused_and_rasterising_helps():
    """Above 60 kB the error says what to do, and doing it works."""
    fig = Figure(figsize=(3, 2))
    points = np.random.default_rng(1).random((2, 5_000))
    fig.subplots().scatter(*points, s=1)
    with pytest.raises(ValueError, match=r"fig must stay under 60 kB as SVG, got \d+ kB: .*rasterized"):
        display.figure(fig, alt=TEXT)
    fig = Figure(figsize=(3, 2), dpi=72)
    fig.subplots().scatter(*points, s=1, rasterized=True)
    assert len(display.figure(fig, alt=TEXT).svg) < 60_000


LABELS = {"alt": TEXT, "xlabel": "n", "ylabel": "loss"}
# White, the site's dark page and panels, JupyterLab's dark page.
PAGES = ("#ffffff", "#14181e", "#121212", "#111111")


def linear(color):
    parts = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    """Contrast ratio of WCAG 2: from 1 for the same colour to 21 for black on white."""
    low, high = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(color)) for color in (first, second))
    return (high + 0.05) / (low + 0.05)


def words(figure):
    return {"".join(node.itertext()).strip() for node in ET.fromstring(figure.svg).iter(f"{SVG}text")}


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
        values = [getattr(style, field) for style in map(plots.style, plots.STYLES)]
        assert len(values) == len(set(values)), field


def test_a_new_variant_has_a_plain_look(monkeypatch):
    """A variant without a style of its own is drawn grey, under its name; a key that is no variant is refused."""
    monkeypatch.setattr(plots, "STYLES", {key: look for key, look in plots.STYLES.items() if key != "alg2"})
    assert plots.style("alg2") == plots.Style("#7b7b7b", "-", ".", label="Alg. 2")
    assert plots.lines([1, 2, 3], {"alg2": [1, 2, 3]}, **LABELS)


# Figures


def test_lines_are_labelled_directly():
    """Each line has its name, with what the chapter adds to it, and the axes have theirs."""
    shown = words(plots.lines([1, 2], {"alg1": [1, 2], "alg1: c = 5": [2, 3]}, reference={"bound": [0, 1]}, **LABELS))
    assert {"Alg. 1", "Alg. 1, c = 5", "bound", "n", "loss"} <= shown


def test_lines_of_one_variant_are_labelled_by_what_differs():
    """Three budgets of one variant need no name three times over."""
    shown = words(plots.lines([1, 2], {f"alg1: ε = {e}": [e, e] for e in (1, 2, 3)}, **LABELS))
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
    assert "Alg. 1" in words(plots.lines([1, 2, 3], {"alg1": [1, 2, np.nan]}, **LABELS))


def test_bars_show_values():
    """The bars carry their numbers, and the panels their titles."""
    drawn = plots.two_bars(["⊥", "⊤"], [0.5, 0.5], [0.25, 0.75], variant="alg5", highlight="⊤", alt=TEXT)
    assert {"0.25", "0.75", "on D", "on D′", "⊤"} <= words(drawn)


def test_labels_are_moved_apart():
    """Places keep their order, end at least one line apart, and stay where nothing is in the way."""
    assert plots._apart([0.2, 0.5, 0.9], 0.1) == pytest.approx([0.2, 0.5, 0.9])
    assert plots._apart([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
    rng = np.random.default_rng(1)
    for wanted in (sorted(rng.random(size)) for size in range(1, 16) for _ in range(20)):
        places = plots._apart(wanted, 0.06)
        assert all(second - first >= 0.06 - 1e-12 for first, second in itertools.pairwise(places))
        assert np.mean(places) == pytest.approx(np.mean(wanted))


# Pictures


def test_one_run_says_every_answer():
    """One sign for each answered query, and a thick line for each draw of the threshold noise."""
    q = [0.0, 30.0, 0.0, 30.0, 0.0]
    once, again = (svt.variant(key).calibrate(epsilon=4.0, c=3) for key in ("alg1", "alg2"))
    for mechanism, draws in ((once, 1), (again, 3)):
        run = svt.run(mechanism, q, 15, rng=np.random.default_rng(1))
        svg = pictures.one_run(run, q, 15, alt=TEXT, variant=mechanism.name).svg
        assert str(run) == "⊥⊤⊥⊤⊥" and len(run.tape.rho) == draws
        assert (svg.count(">⊤<"), svg.count(">⊥<")) == (2, 3)
