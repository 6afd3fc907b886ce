"""The directive `{svt-summary}`: a table of the names that an API page documents, each with its first sentence.

With `:pages: a b` the table has the names of those pages of `book/api`, by page.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from page_tables import table
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

DOCUMENTED = re.compile(r"^\.\. auto\w+:: ([\w.]+)", re.M)


def first_sentence(name: str) -> str:
    """What the docstring of `svtlib.name`, or of a name with its full path, says first."""
    path = name if "." in name else f"svtlib.{name}"
    module, _, attribute = path.rpartition(".")
    value = getattr(importlib.import_module(module), attribute)
    if callable(value):
        said = inspect.getdoc(value)
    else:  # a constant's docstring stands below it in the source
        documented = ModuleAnalyzer.for_module(type(value).__module__).find_attr_docs()
        said = "\n".join(documented["", attribute])
    paragraph = (said or "").partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.])\s+(?=[A-Z])", paragraph)[0].strip()


class Summary(SphinxDirective):
    """The table of an API page, or of all."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"pages": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Read the names from the source of the page, so that no name is written twice."""
        folder = Path(self.env.srcdir) / "book" / "api"
        here = Path(self.env.doc2path(self.env.docname))
        pages = [folder / f"{name}.md" for name in self.options.get("pages", "").split()] or [here]
        self.env.note_dependency(str(folder))
        rows = []
        for page in pages:
            self.env.note_dependency(str(page))
            for name in DOCUMENTED.findall(page.read_text(encoding="utf-8")):
                path = name if "." in name else f"svtlib.{name}"
                cells = f"{{py:obj}}`{name.rpartition('.')[2]} <{path}>`", first_sentence(name)
                rows.append([nodes.entry("", nodes.paragraph("", "", *self.parse_inline(text)[0])) for text in cells])
        return [table(("name", "what it is"), (30, 70), rows, classes=["svt-summary"])]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("svt-summary", Summary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
