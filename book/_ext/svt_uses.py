"""Where a statement or a work is used, and the map of what depends on what, from the references of all pages.

Each theorem-like box and each entry of the bibliography gets a line with the pages that refer to it; `{svt-map}` is the
map of the chapters, `{svt-statements}` the same for statements, in words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from html import escape
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

from svtcourse.claim_cards import ledger

INSIDES = (["proof-content"], ["exercise-content"], ["solution-content"])
CHAPTER = re.compile(r"chapters/([0-8]\d)_")
WIDTH, ARCS, ROW = 560, 150, 26  # of the map, of the arcs in it, from chapter to chapter


class drawn_later(nodes.General, nodes.Element):
    """Where the map or the list of statements goes, as `kind` says."""


class DrawnLater(SphinxDirective):
    """`{svt-map}`, and `{svt-statements}`: what other pages use, each with these pages."""

    def run(self) -> list[nodes.Node]:
        """Leave a place: what belongs there is known when every page is read."""
        return [drawn_later(kind=self.name)]


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
    app.env.metadata[app.env.docname]["svt_uses"] = found


def _found(env: Any) -> dict[str, list[tuple[str, str, str]]]:
    """By page: what it refers to, as (kind, target, the section where)."""
    return {page: told.get("svt_uses", []) for page, told in env.metadata.items()}


def users(env: Any, kind: str) -> dict[str, list[tuple[str, str]]]:
    """By target: the pages that refer to it in the order of the contents, each with the first section where."""
    order = {name: number for number, name in enumerate(env.config.external_site_map)}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for page, places in sorted(_found(env).items(), key=lambda one: order.get(one[0], 10**6)):
        for what, target, where in places:
            if what == kind:
                found[target].setdefault(page, where)
    return {target: list(pages.items()) for target, pages in found.items()}


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
    for place in list(doctree.findall(drawn_later)):
        if place["kind"] == "svt-map":
            place.replace_self(nodes.raw("", drawing(*chapters(app.env, page)), format="html"))
        else:
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
    for name, found in _found(env).items():
        for what, target, _ in found:
            ends = number_of.get(target, 99), number_of.get(name, 0)
            if what == "before" and ends[0] < ends[1]:
                before.add(ends)
            elif what == "prf" and target in env.proof_list and name in number_of:
                home = number_of.get(env.proof_list[target]["docname"])
                if home and home != number_of[name]:
                    uses[home, number_of[name]] += 1
    return boxes, before, uses


def needed(before: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The edges that no longer way replaces."""
    after: dict[int, set[int]] = defaultdict(set)
    for a, b in before:
        after[a].add(b)

    def leads(start: int, end: int) -> bool:
        return start == end or any(leads(one, end) for one in after[start])

    return {(a, b) for a, b in before if not any(leads(one, b) for one in after[a] - {b})}


def drawing(
    boxes: dict[int, tuple[str, str, int]], before: set[tuple[int, int]], uses: Counter[tuple[int, int]]
) -> str:
    """The map as an SVG of links, with arcs from what to read before, and all of it in words."""
    middle = {number: ROW * (row + 0.5) for row, number in enumerate(boxes)}
    arcs = []
    for start, end in sorted(needed(before)):
        y, to = middle[start] + 5, middle[end] - 5  # what comes in ends above what goes out
        out = ARCS - min(ARCS, 12 + (to - y) * 0.3)  # the farther, the wider
        arcs.append(f'<path d="M{ARCS} {y:g}C{out:g} {y:g} {out:g} {to:g} {ARCS} {to:g}"/>')
    drawn = []
    for number, (title, address, claims) in boxes.items():
        y = middle[number]
        counted = f"{claims} claim{'' if claims == 1 else 's'}" if claims else ""
        drawn.append(
            f'<a href="{escape(address)}"><rect x="{ARCS}" y="{y - ROW / 2 + 2:g}" width="{WIDTH - ARCS - 2}" '
            f'height="{ROW - 4}" rx="6"/><text x="{ARCS + 10}" y="{y + 4:g}">{escape(f"{number}. {title}")}</text>'
            f'<text class="svt-map-claims" x="{WIDTH - 10}" y="{y + 4:g}" text-anchor="end">{counted}</text></a>'
        )
    return (
        '<div class="svt-map" role="region" aria-label="Map of the chapters" tabindex="0">'
        f'<svg viewBox="0 0 {WIDTH} {ROW * len(boxes)}" role="group" '
        'aria-label="Chapters, each below what to read before it; the list below says the same in words">'
        f"{''.join(arcs)}{''.join(drawn)}</svg></div>"
        f"{_in_words(boxes, before, uses)}"
    )


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
    app.add_node(drawn_later)
    app.add_directive("svt-map", DrawnLater)
    app.add_directive("svt-statements", DrawnLater)
    app.connect("doctree-read", collect)
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1", "env_version": 1}
