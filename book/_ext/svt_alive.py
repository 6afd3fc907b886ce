"""Programs on the pages that can be changed, run and judged where they stand.

`book/programs.toml` names them by page and function, with what each is run on and the edits that a reader may try.
The listing stays what it is; `_static/alive/` puts the controls under it, and loads what they need at the first click:
MicroPython, and the judge's own files, which this extension writes into one.
"""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from sphinx.util import logging

ROOT = Path(__file__).resolve().parent.parent.parent
# Of svtcourse/judge; MicroPython runs them.
_ROOMS = {
    "unknowns": "ratio symbols tree svts",
    "language": "tokens terms parsing grammar kinds values numbers library methods noise attributes expressions "
    "machine outputs program texts",
    "any_length": "public growing kept lanes state always longer",
    "convict": "integral chance shown pairs",
}
MODULES = [f"{room}/{name}" for room, names in _ROOMS.items() for name in names.split()] + ["page"]
LISTING = re.compile(r'<div class="highlight[^>]*>.*?<pre>.*?</pre>', re.S)
log = logging.getLogger(__name__)


def judge_files() -> dict[str, str]:
    """What MicroPython imports, by its path there."""
    rooms = ["svtcourse", "svtcourse/judge", *(f"svtcourse/judge/{room}" for room in _ROOMS)]
    files = {"__future__.py": "annotations = None\n", **{f"{room}/__init__.py": "" for room in rooms}}
    for name in MODULES:
        text = (ROOT / f"svtcourse/judge/{name}.py").read_text(encoding="utf-8")
        files[f"svtcourse/judge/{name}.py"] = _bare(text)
    return files


class _Bare(ast.NodeTransformer):
    """Takes out what does nothing when a program runs: words about it, and what its values are said to be."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]:
            if one is not None:
                one.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return None if node.value is None else ast.Assign([node.target], node.value, lineno=node.lineno)

    def visit_Assign(self, node: ast.Assign) -> Any:
        return None if ast.unparse(node.targets[0]) in ("__all__", "TYPE_CHECKING") else node

    def visit_If(self, node: ast.If) -> Any:
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        return ast.Pass() if isinstance(node.value, ast.Constant) else node


def _bare(text: str) -> str:
    """The same program in fewer signs: a page loads it before its first verdict."""
    lines = ast.unparse(_Bare().visit(ast.parse(text))).split("\n")
    deep = [(len(line) - len(line.lstrip(" "))) // 4 for line in lines]
    return "\n".join(" " * k + line.strip() for k, line in zip(deep, lines, strict=True) if line.strip())


def programs() -> dict[str, list[dict[str, Any]]]:
    """The programs of each page, with the settings of the page filled in."""
    text = (ROOT / "book" / "programs.toml").read_text(encoding="utf-8")
    found = {}
    for page, settings in tomllib.loads(text).items():
        shared = {key: value for key, value in settings.items() if key != "program"}
        found[page] = [{**shared, **program} for program in settings["program"]]
    return found


def give_programs(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the settings of a page's programs below its text, and the script beside it."""
    mine = app.svt_programs.get(page)
    if not mine or "body" not in context:
        return
    listings = [re.sub(r"<[^>]+>", "", listing) for listing in LISTING.findall(context["body"])]
    there = [one for one in mine if any(re.search(rf"^(def|class) {one['function']}\b", x, re.M) for x in listings)]
    for one in mine:
        if one not in there and "WITHOUT_SOLUTIONS" not in os.environ:  # where some listings are left out
            log.warning("%s has no listing of %s, which book/programs.toml names", page, one["function"])
    if there:
        data = json.dumps(there, ensure_ascii=False).replace("<", "\\u003c")
        context["body"] += f'\n<script type="application/json" id="svt-programs">{data}</script>'
        app.add_js_file("alive/alive.js", defer="defer")


def write_judge(app: Any, exception: Exception | None) -> None:
    """Write the judge's files into the site, as one."""
    if exception is None and app.builder.name == "html":
        text = "\f".join(f"{path}\n{text}" for path, text in judge_files().items())
        packed = gzip.compress(text.encode("utf-8"), mtime=0)
        (Path(app.outdir) / "_static" / "alive" / "judge.bin").write_bytes(packed)


def setup(app: Any) -> dict[str, Any]:
    """Listen to Sphinx."""
    app.svt_programs = programs()
    app.connect("html-page-context", give_programs)
    app.connect("build-finished", write_judge)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
