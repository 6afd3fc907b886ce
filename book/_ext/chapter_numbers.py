"""Number a chapter after its file: `chapters/15_name` is chapter 15, whatever stands before it in `_toc.yml`.

Sphinx numbers by position, so a chapter that is not written yet would shift those after it.
Every other number comes from these: titles, contents, links, and the figures and theorems of a chapter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from docutils import nodes
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.util import logging
from sphinx_external_toc.collectors import disable_builtin_toctree_collector

logger = logging.getLogger(__name__)
CHAPTER = re.compile(r"chapters/(\d+)_")


class ChapterNumbers(TocTreeCollector):
    """The numbers of sphinx_multitoc_numbering, the first part of each replaced by the number of the chapter's file."""

    def assign_section_numbers(self, env: Any) -> list[str]:
        """Number every page, and return those whose numbers changed."""
        before = env.toc_secnumbers
        super().assign_section_numbers(env)
        of_position: dict[int, int] = {}
        for page, numbers in env.toc_secnumbers.items():
            title = numbers.get("")
            if title and len(title) == 1:
                name = CHAPTER.match(page)
                if not name:
                    logger.warning(
                        "a numbered page needs a name like chapters/01_name, or a chapter it belongs to", location=page
                    )
                elif int(name[1]) in of_position.values():
                    logger.warning("chapter %d exists twice", int(name[1]), location=page)
                of_position[title[0]] = int(name[1]) if name else title[0]

        def renumbered(number: Sequence[int]) -> list[int]:
            return [of_position.get(number[0], number[0]), *number[1:]]

        for page, numbers in env.toc_secnumbers.items():
            env.toc_secnumbers[page] = {
                place: number and tuple(renumbered(number)) for place, number in numbers.items()
            }
            for node in (env.titles[page], *env.tocs[page].findall(nodes.reference)):
                if node.get("secnumber"):
                    node["secnumber"] = renumbered(node["secnumber"])
        return [page for page, numbers in env.toc_secnumbers.items() if numbers != before.get(page)]


def setup(app: Any) -> dict[str, Any]:
    """Take the place of the collector of sphinx_external_toc, which must be loaded before."""
    app.setup_extension("sphinx_external_toc")
    disable_builtin_toctree_collector(app)
    app.add_env_collector(ChapterNumbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
