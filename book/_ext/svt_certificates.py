"""The directive of the certificates page: the files of `data/certificates`, a table a variant, each one to download."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from page_tables import mark, table
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class Certificates(SphinxDirective):
    """What each certificate shows, and its file."""

    def run(self) -> list[nodes.Node]:
        """Build one table."""
        rows = []
        files = sorted((Path(self.env.srcdir) / "data" / "certificates").glob("*.json"))
        for file in files:
            self.env.note_dependency(str(file))
            data = json.loads(file.read_text(encoding="utf-8"))
            sign, colour = ("✓", "confirmed") if data.get("private") else ("✗", "refuted")
            what = nodes.paragraph("", "", mark(sign, colour))
            what += nodes.Text(f" {data['statement']}")
            target = f"/data/certificates/{file.name}"
            link = addnodes.download_reference(
                "", "", nodes.literal("", file.stem), reftarget=target, refdoc=self.env.docname
            )
            name = f"certificate-{file.stem}"
            entries = nodes.entry("", what), nodes.entry("", nodes.paragraph("", "", link))
            rows.append(nodes.row("", *entries, ids=[name]))
        shown = table(("what it shows", "file"), (78, 22), rows)
        return [nodes.paragraph("", f"{len(files)} certificates."), shown]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-certificates", Certificates)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
