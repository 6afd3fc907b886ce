"""Where the data files are, and how a damaged one is reported."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path


def _data_directory() -> Traversable:
    """The data of the very copy of svtlib that is running: a wheel carries it inside, a checkout beside the package."""
    inside = resources.files("svtlib").joinpath("data")
    beside = Path(__file__).resolve().parents[1] / "data"
    return beside if not inside.is_dir() and (beside / "__init__.py").is_file() else inside


def data_file(name: str) -> Traversable:
    """Return the data file `name`, a path below `data/` with forward slashes; ValueError if there is none.

    Open it with ``.open()``; it need not be a file on disk.
    """
    path = _data_directory().joinpath(*name.split("/"))
    if not path.is_file():
        raise ValueError(
            f"data file {name!r} is missing from the installation of svtlib; install svtlib again "
            "(in a checkout: git restore data, then make book)"
        )
    return path


def read_table(name: str, columns: Sequence[str]) -> list[list[str]]:
    """Return the rows of a CSV data file below its header, as text: at least one, each as long as `columns`.

    ValueError, which names the file and the line, if it is missing, is not UTF-8 text, has another header than
    `columns`, no rows, or a row of another length.
    """
    try:
        with data_file(name).open(encoding="utf-8") as lines:
            reader = csv.reader(lines)
            header = next(reader, [])
            if header != list(columns):
                raise damaged(name, f"the header is {','.join(header)!r}, not {','.join(columns)!r}")
            rows = []
            for row in reader:
                if len(row) != len(columns):
                    raise damaged(name, f"line {reader.line_num} has {len(row)} fields, not {len(columns)}")
                rows.append(row)
    except UnicodeDecodeError as error:
        raise damaged(name, "it is not UTF-8 text") from error
    if not rows:
        raise damaged(name, "it has no rows")
    return rows


def damaged(name: str, what: str) -> ValueError:
    """Return the error for a damaged data file, which names the file and what is wrong."""
    return ValueError(f"data file {name!r} is damaged: {what}")


def whole_number(file: str, text: str) -> int:
    """Return the whole number that an entry of a data file is, or raise the error that names the file."""
    try:
        return int(text)
    except ValueError:
        raise damaged(file, f"{text!r} is not a whole number") from None
