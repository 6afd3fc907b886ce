"""Where a statement or a work is used, and the map of what depends on what, from the references of all pages.

Each theorem-like box and each entry of the bibliography gets a line with the pages that refer to it; `{svt-map}` is the
map of the chapters, `{svt-statements}` the same for statements, in words.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

from svtcourse.claims import ledger

INSIDES = (["proof-content"], ["exercise-content"], ["solution-content"])
CHAPTER = re.compile(r"chapters/([0-8]\d)_")
BOX, GAP, LAYER, ACROSS = (148, 62), 10, 100, 5  # pixels: a box, between boxes, from row to row; boxes in a row


class chapter_map(nodes.General, nodes.Element):
    """Where the map goes."""


class statement_list(nodes.General, nodes.Element):
    """Where the list of statements goes."""


class Map(SphinxDirective):
    """The map of the chapters."""

    def run(self) -> list[nodes.Node]:
        """Leave a place: what belongs there is known when every page is read."""
        return [chapter_map()]


class Statements(SphinxDirective):
    """The statements that other pages use, each with these pages."""

    def run(self) -> list[nodes.Node]:
        """Leave a place, as for the map."""
        return [statement_list()]


def _store(env: Any) -> dict[str, list[tuple[str, str, str]]]:
    """By page: what it refers to, as (kind, target, the section where)."""
    if not hasattr(env, "svt_uses"):
        env.svt_uses = {}
    return env.svt_uses  # type: ignore[no-any-return]


def collect(app: Any, doctree: nodes.document) -> None:
    """Note what a page refers to, when it is read."""
    found = []
    for link in doctree.findall(pending_xref):
        kind = link.get("refdomain")
        section = link.parent
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        # The insides of all boxes of a kind have one name, which nothing can lead to.
        while section is not None and section["ids"] in INSIDES:
            section = section.parent
        where = section["ids"][0] if section is not None and section["ids"] else ""
        if kind == "cite":
            found += [("cite", key.strip(), where) for key in link["reftarget"].split(",")]
        elif kind == "prf":
            found.append(("prf", link["reftarget"], where))
        elif kind == "doc" and isinstance(link.parent.parent, nodes.paragraph | nodes.section | nodes.emphasis):
            around = link.parent if isinstance(link.parent, nodes.paragraph) else link.parent.parent
            if "Before this:" in around.astext():
                found.append(("before", link["reftarget"].lstrip("/"), where))
    _store(app.env)[app.env.docname] = found


def forget(app: Any, env: Any, docname: str) -> None:
    """A page that is read again, or gone."""
    _store(env).pop(docname, None)


def merge(app: Any, env: Any, docnames: Iterable[str], other: Any) -> None:
    """Take over what another process read."""
    _store(env).update({name: _store(other)[name] for name in docnames if name in _store(other)})


def users(env: Any, kind: str) -> dict[str, list[tuple[str, str]]]:
    """By target: the pages that refer to it in the order of the contents, each with the first section where."""
    order = {name: number for number, name in enumerate(_in_order(env))}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for page in sorted(_store(env), key=lambda name: order.get(name, 10**6)):
        for what, target, where in _store(env)[page]:
            if what == kind:
                found[target].setdefault(page, where)
    return {target: list(pages.items()) for target, pages in found.items()}


def _in_order(env: Any) -> list[str]:
    def walk(page: str) -> list[str]:
        below = env.toctree_includes.get(page, [])
        return [page, *(name for child in below for name in walk(child))]

    return walk(env.config.root_doc)


def short(env: Any, page: str) -> str:
    """A chapter by its number, another page by its title."""
    chapter = CHAPTER.match(page)
    return str(int(chapter[1])) if chapter else str(env.titles[page].astext())


def _line(app: Any, page: str, lead: str, pages: list[tuple[str, str]]) -> nodes.paragraph:
    line = nodes.paragraph("", lead, classes=["svt-used"])
    for number, (other, where) in enumerate(pages):
        line += nodes.Text(" · " if number else " ")
        address = app.builder.get_relative_uri(page, other) + (f"#{where}" if where else "")
        line += nodes.reference("", short(app.env, other), refuri=address, internal=True)
    return line


def resolve(app: Any, doctree: nodes.document, page: str) -> None:
    """Write the back-links of a page, and the map where it belongs."""
    statements = users(app.env, "prf")
    for box in doctree.findall(nodes.Admonition):
        label = box.get("label", "")
        pages = [place for place in statements.get(label, []) if place[0] != page]
        if pages:
            box += _line(app, page, "used in", pages)
    works = users(app.env, "cite")
    keys = {}
    if any(True for _ in doctree.findall(nodes.citation)):
        keys = {one.citation_id: one.key for one in app.env.get_domain("cite").citations}
    for entry in doctree.findall(nodes.citation):
        key = next((keys[name] for name in entry["ids"] if name in keys), "")
        pages = [place for place in works.get(key, []) if place[0] != page]
        if pages:
            entry += _line(app, page, "cited in", pages)
    for place in list(doctree.findall(chapter_map)):
        place.replace_self(nodes.raw("", drawing(*chapters(app.env, page)), format="html"))
    for place in list(doctree.findall(statement_list)):
        place.replace_self(_statements(app, page, statements))


def _statements(app: Any, page: str, found: dict[str, list[tuple[str, str]]]) -> nodes.bullet_list:
    listed = nodes.bullet_list("")
    for label, one in app.env.proof_list.items():
        pages = [place for place in found.get(label, []) if place[0] != one["docname"]]
        if pages:
            link = pending_xref("", nodes.Text(label), refdomain="prf", reftype="ref", reftarget=label, refwarn=True)
            link["refdoc"], link["refexplicit"] = page, False
            resolved = app.env.get_domain("prf").resolve_xref(
                app.env, page, app.builder, "ref", label, link, nodes.inline("", label)
            )
            item = nodes.list_item("", _line(app, page, ": used in", pages))
            item.children[0]["classes"] = []
            item.children[0].insert(0, resolved)
            listed += item
    return listed


def chapters(env: Any, page: str) -> tuple[dict[int, tuple[str, str, int]], set[tuple[int, int]], Counter[Any]]:
    """Chapters by number (title, address, claims), what stands before what, and how often statements are used."""
    names = {int(found[1]): name for name in env.titles if (found := CHAPTER.match(name))}
    claims = Counter(row.chapter for row in ledger().values())
    boxes = {
        number: (env.titles[name].astext(), relative_uri(page, name) + ".html", claims[number])
        for number, name in sorted(names.items())
    }
    number_of = {name: number for number, name in names.items()}
    before, uses = set(), Counter()
    for name, found in _store(env).items():
        for what, target, _ in found:
            ends = number_of.get(target, 99), number_of.get(name, 0)
            if what == "before" and ends[0] < ends[1]:
                before.add(ends)
            elif what == "prf" and target in env.proof_list and name in number_of:
                home = number_of.get(env.proof_list[target]["docname"])
                if home and home != number_of[name]:
                    uses[home, number_of[name]] += 1
    return boxes, before, uses


def layers(numbers: Iterable[int], before: set[tuple[int, int]]) -> dict[int, int]:
    """The row of each chapter: one below the lowest of what stands before it."""
    rows: dict[int, int] = {}
    for number in sorted(numbers):
        above = [rows[a] for a, b in before if b == number and a in rows]
        rows[number] = max(above) + 1 if above else 0
    return rows


def needed(before: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The edges that no longer way replaces."""

    def reach(start: int, skip: tuple[int, int]) -> set[int]:
        found: set[int] = set()
        todo = [b for a, b in before if a == start and (a, b) != skip]
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += [b for a, b in before if a == one]
        return found

    return {edge for edge in before if edge[1] not in reach(edge[0], edge)}


Place = tuple[int, ...]  # a chapter, or where a line from one to another passes a row


def placed(rows: list[list[Place]], chains: list[list[Place]]) -> tuple[dict[Place, float], float]:
    """The middle of each place, and the width of all: near what it is joined to, as far as there is room."""
    joined: dict[Place, list[Place]] = {}
    for chain in chains:
        for above, below in itertools.pairwise(chain):
            joined.setdefault(above, []).append(below)
            joined.setdefault(below, []).append(above)

    def wide(place: Place) -> float:
        return (BOX[0] if len(place) == 1 else 0) + GAP

    width = max((sum(map(wide, row)) for row in rows), default=0) + GAP
    middles: dict[Place, float] = {}
    for sweep in range(13):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = {place: [middles[one] for one in joined.get(place, []) if one in middles] for place in row}
            row.sort(key=lambda place: (sum(wanted[place]) / max(len(wanted[place]), 1), place))
            left = (width - sum(map(wide, row))) / 2
            for place in row:
                middles[place] = left + wide(place) / 2
                left += wide(place)
    return middles, width


def drawing(
    boxes: dict[int, tuple[str, str, int]], before: set[tuple[int, int]], uses: Counter[tuple[int, int]]
) -> str:
    """The map as an SVG of links, with lines from what to read before, and all of it in words."""
    depth = layers(boxes, before)
    rows: list[list[Place]] = []
    for layer in sorted(set(depth.values())):
        inside = [number for number in sorted(boxes) if depth[number] == layer]
        count = -(-len(inside) // ACROSS)  # a layer that is too wide takes several rows, of about one length
        rows += [
            [(n,) for n in inside[len(inside) * i // count : len(inside) * (i + 1) // count]] for i in range(count)
        ]
    row_of = {number: row for row, inside in enumerate(rows) for (number,) in inside}
    chains: list[list[Place]] = []
    for start, end in sorted(needed(before)):
        between: list[Place] = [(start, end, row) for row in range(row_of[start] + 1, row_of[end])]
        chains.append([(start,), *between, (end,)])
        for via in between:
            rows[via[-1]].append(via)
    middles, width = placed(rows, chains)
    lines = []
    for chain in chains:
        x, y = middles[chain[0]], GAP + row_of[chain[0][0]] * LAYER + BOX[1]
        path = f"M{x:.0f} {y:.0f}"
        for place in chain[1:]:
            to, top = middles[place], GAP + (row_of[place[0]] if len(place) == 1 else place[-1]) * LAYER
            bend = (y + top) / 2
            path += f"C{x:.0f} {bend:.0f} {to:.0f} {bend:.0f} {to:.0f} {top:.0f}"
            x, y = to, top
            if len(place) > 1:
                y = top + BOX[1]
                path += f"V{y:.0f}"
        lines.append(f'<path d="{path}"/>')
    places = {n: (middles[(n,)] - BOX[0] / 2, float(GAP + row * LAYER)) for n, row in row_of.items()}
    height = max((y for _, y in places.values()), default=0) + BOX[1] + GAP
    drawn = []
    for number, (title, address, claims) in boxes.items():
        x, y = places[number]
        said = f"{number}. {title}"
        text = "\n".join(
            f'<tspan x="{x + 8:.0f}" dy="{0 if line == 0 else 14}">{escape(words)}</tspan>'
            for line, words in enumerate(_wrapped(said))
        )
        counted = f"{claims} claim{'' if claims == 1 else 's'}" if claims else ""
        drawn.append(
            f'<a href="{escape(address)}"><rect x="{x:.0f}" y="{y:.0f}" '
            f'width="{BOX[0]}" height="{BOX[1]}" rx="6"/><text x="{x + 8:.0f}" y="{y + 16:.0f}">{text}</text>'
            f'<text class="svt-map-claims" x="{x + BOX[0] - 6:.0f}" y="{y + BOX[1] - 5:.0f}" text-anchor="end">'
            f"{counted}</text></a>"
        )
    return (
        '<div class="svt-map" role="region" aria-label="Map of the chapters" tabindex="0">'
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" style="min-width:{width * 0.9:.0f}px" role="group" '
        'aria-label="Chapters, each below what to read before it; the list below says the same in words">'
        f"{''.join(lines)}{''.join(drawn)}</svg></div>"
        f"{_in_words(boxes, before, uses)}"
    )


def _wrapped(text: str, most: int = 23) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > most and len(lines) < 3:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _in_words(
    boxes: dict[int, tuple[str, str, int]], before: set[tuple[int, int]], uses: Counter[tuple[int, int]]
) -> str:
    made = []
    for number, (title, address, _) in boxes.items():
        first = sorted(a for a, b in before if b == number)
        used = sorted(a for a, b in uses if b == number and (a, b) not in before)
        said = [f"read {_and(first)} before" if first else "begins here"]
        said += [f"uses statements of {_and(used)}"] if used else []
        made.append(f'<li><a href="{escape(address)}">{number}. {escape(title)}</a>: {"; ".join(said)}.</li>')
    return f'<ul class="svt-map-words">{"".join(made)}</ul>'


def _and(numbers: list[int]) -> str:
    words = [str(number) for number in numbers]
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"


def setup(app: Any) -> dict[str, Any]:
    """Collect when pages are read, write when they are resolved."""
    app.add_node(chapter_map)
    app.add_node(statement_list)
    app.add_directive("svt-map", Map)
    app.add_directive("svt-statements", Statements)
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1", "env_version": 1}
