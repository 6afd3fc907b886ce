"""Execute the chapters and write their outputs back, the same bytes on every run.

The line of minutes under the title is written from the measure (`tools/measure.py`).
The site shows these outputs and `make test` compares them with a fresh execution, so nothing in them may depend on the
day, the machine or the user: the metadata is reduced to what readers need, a widget cell keeps no output at all
(a saved widget makes the page load scripts from other hosts, and its identifiers are random), and an output that
differs from the committed one by the last digits of a computation only is left as it was (`tools/outputs.py`).
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from measure import print_minutes
from nbclient import NotebookClient
from outputs import differences

ROOT = Path(__file__).resolve().parent.parent
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET_TAGS = {"remove-cell", "nbval-ignore-output"}
FOLDED = {
    "hide-input": {"source_hidden"},
    "hide-cell": {"source_hidden", "outputs_hidden"},
    "remove-cell": {"source_hidden"},
}


def is_widget_cell(cell: dict[str, Any]) -> bool:
    """Whether `cell` is a code cell that lives only in JupyterLab and is committed without outputs."""
    return cell["cell_type"] == "code" and WIDGET_TAGS.issubset(cell.get("metadata", {}).get("tags", []))


def metadata_of(tags: set[str]) -> dict[str, Any]:
    """The metadata of a cell: its tags, and what they fold on the site is folded in JupyterLab too."""
    folded = sorted(set().union(*(FOLDED.get(tag, set()) for tag in tags)))
    metadata: dict[str, Any] = {"jupyter": dict.fromkeys(folded, True)} if folded else {}
    return {**metadata, "tags": sorted(tags)} if tags else {}


def normalise(notebook: dict[str, Any]) -> None:
    """Reduce `notebook` in place to source, tags and outputs."""
    notebook["metadata"] = nbformat.from_dict(METADATA)
    count = 0
    for cell in notebook["cells"]:
        cell["metadata"] = nbformat.from_dict(metadata_of(set(cell["metadata"].get("tags", []))))
        if cell["cell_type"] != "code":
            continue
        if is_widget_cell(cell):
            cell["outputs"], cell["execution_count"] = [], None
            continue
        count += 1
        cell["execution_count"] = count
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = count
            if "metadata" in output:
                output["metadata"] = nbformat.from_dict({})


def refresh(path: Path) -> tuple[Path, float, bool]:
    """Execute one chapter where it lies; return its path, the seconds it took, and whether its bytes changed."""
    started = time.monotonic()
    before = path.read_bytes()
    notebook = nbformat.read(path, as_version=4)
    committed = [list(cell.get("outputs", [])) for cell in notebook["cells"]]
    NotebookClient(
        notebook,
        timeout=3600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=40"],
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for cell, outputs in zip(notebook["cells"], committed, strict=True):
        if cell["cell_type"] == "code" and not differences(outputs, cell["outputs"], ("metadata", "execution_count")):
            cell["outputs"] = outputs
    print_minutes(notebook)
    normalise(notebook)
    nbformat.validate(notebook)
    after = (nbformat.writes(notebook) + "\n").encode()
    if after != before:
        path.write_bytes(after)
    return path, time.monotonic() - started, after != before


def main(patterns: list[str]) -> int:
    """Refresh the chapters that match `patterns`, all of them by default, two at a time."""
    paths = sorted(
        {path for pattern in patterns or ["chapters/*.ipynb"] for path in ROOT.glob(pattern.removeprefix("./"))}
    )
    if not paths:
        print(f"No notebook matches {' '.join(patterns) or 'chapters/*.ipynb'}: name one under chapters/.")
        return 1
    print(f"Executing {len(paths)} chapters, two at a time (about 10 seconds each)", flush=True)
    failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for path, future in [(path, pool.submit(refresh, path)) for path in paths]:
            try:
                _, seconds, changed = future.result()
            except Exception as error:
                failed += 1
                print(f"  {path.relative_to(ROOT)}: a cell failed, nothing was written\n{error}", flush=True)
            else:
                print(
                    f"  {path.relative_to(ROOT)}: {seconds:.0f} s, {'written' if changed else 'unchanged'}", flush=True
                )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
