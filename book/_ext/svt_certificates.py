"""The directive of the certificates page: the files of `data/certificates`, a table a variant, each one to download."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class Certificates(SphinxDirective):
    """What each certificate shows, and its file."""

    def run(self) -> list[nodes.Node]:
        """Build one table."""
        group = nodes.tgroup("", nodes.colspec("", colwidth=78), nodes.colspec("", colwidth=22), cols=2)
        heads = (nodes.entry("", nodes.paragraph("", head)) for head in ("what it shows", "file"))
        group += nodes.thead("", nodes.row("", *heads))
        body = nodes.tbody("")
        files = sorted((Path(self.env.srcdir) / "data" / "certificates").glob("*.json"))
        for file in files:
            self.env.note_dependency(str(file))
            data = json.loads(file.read_text(encoding="utf-8"))
            sign, colour = ("✓", "confirmed") if data.get("private") else ("✗", "refuted")
            what = nodes.paragraph("", "", nodes.inline("", sign, classes=["svt-mark", f"svt-mark-{colour}"]))
            what += nodes.Text(f" {data['statement']}")
            target = f"/data/certificates/{file.name}"
            link = addnodes.download_reference(
                "", "", nodes.literal("", file.stem), reftarget=target, refdoc=self.env.docname
            )
            name = f"certificate-{file.stem}"
            row = nodes.row("", nodes.entry("", what), nodes.entry("", nodes.paragraph("", "", link)), ids=[name])
            body += row
        group += body
        table = nodes.container("", nodes.table("", group), classes=["svt-table"])
        return [nodes.paragraph("", f"{len(files)} certificates."), table]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-certificates", Certificates)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
