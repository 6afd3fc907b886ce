"""An explorer inside a lesson: where a cell calls `explore("name", ...)`, the site has the live one with that state.

JupyterLab runs the cell; without a script the page has the sentence of that state.
"""

from __future__ import annotations

import ast
import html
import json
import re
from typing import Any

from svtcourse.explorers import EXPLORERS
from svtcourse.explorers.frame import address

CALL = re.compile(r"^explore\(.*\)$", re.M | re.S)


def place(call: str) -> str:
    """The HTML that stands for `explore("name", control=value)`."""
    parsed = ast.parse(call, mode="eval").body
    assert isinstance(parsed, ast.Call)
    name = ast.literal_eval(parsed.args[0])
    chosen = {str(one.arg): ast.literal_eval(one.value) for one in parsed.keywords}
    explorer = EXPLORERS[name]
    state = explorer.start(**chosen)
    said = explorer.words(state, explorer.find(explorer.read()["numbers"], state)).sentence
    data = "".join(f' data-{key}="{html.escape(address(value))}"' for key, value in chosen.items())
    return (
        f'<div data-svt-explorer="{name}"{data} class="svt-explorer">\n'
        f"<p>The explorer needs JavaScript. Without it: {html.escape(said)}</p>\n</div>"
    )


def lessons_explore(app: Any, page: str, source: list[str]) -> None:
    """Put the live explorers where the cells are that JupyterLab runs."""
    if not page.startswith("chapters/"):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        call = CALL.search("".join(cell["source"])) if cell["cell_type"] == "code" else None
        if call:
            metadata = {key: value for key, value in cell["metadata"].items() if key != "tags"}
            markdown = {"cell_type": "markdown", "id": cell["id"], "metadata": metadata, "source": [place(call[0])]}
            cell.clear()
            cell.update(markdown)
    source[0] = json.dumps(notebook)


def setup(app: Any) -> dict[str, Any]:
    """Listen to Sphinx."""
    app.connect("source-read", lessons_explore)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
