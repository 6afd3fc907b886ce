"""The directive `{question}`: a question inside the text, with a reason beside every answer.

Its content is a question and a task list; exactly one option is ticked, and each has its reason as a paragraph of its
own.  On the site the options are radio buttons and a reason appears when its option is chosen: no script, no kernel,
by keyboard too.  In JupyterLab the same source reads as a list with its reasons.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class within(nodes.General, nodes.Element):
    """What stands between two pieces of HTML, `opening` and `closing`."""


class Question(SphinxDirective):
    """`:::{question} Before you scroll`, then the question, then the options."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse the content as Markdown and turn its last list into options."""
        name = f"question-{self.env.new_serialno('question')}"
        title = escape(self.arguments[0] if self.arguments else "Before you scroll")
        opening = f'<fieldset class="svt-question" id="{name}"><legend>{title}</legend>'
        *before, choices = self.parse_content_to_nodes() or [None]
        if not isinstance(choices, nodes.bullet_list):
            raise self.error("a question ends with a list of options, - [ ] or - [x], each with a reason")
        options = [self._option(item, name, number) for number, item in enumerate(choices, 1)]
        if [right for right, _ in options].count(True) != 1:
            raise self.error("exactly one option of a question is right, and ticked")
        return [within("", *before, *(option for _, option in options), opening=opening, closing="</fieldset>")]

    def _option(self, item: nodes.Element, name: str, number: int) -> tuple[bool, within]:
        """Whether an option is right; its button, with its words as a label, and its reason."""
        box, *rest = item.children
        ticks = [node for node in box.findall(nodes.raw) if "checkbox" in node.astext()]
        if len(ticks) != 1 or not rest:
            raise self.error(f"option {number} needs [ ] or [x], and a reason in a paragraph of its own")
        right = "checked" in ticks[0].astext()
        box.remove(ticks[0])
        if not any(text.strip() and not isinstance(text.parent, nodes.math) for text in box.findall(nodes.Text)):
            raise self.error(f"option {number} needs words: a formula alone is no label that can be read out")
        place, (side, word) = f"{name}-{number}", ("right", "Yes.") if right else ("wrong", "No.")
        button = f'<input type="radio" name="{name}" id="{place}" aria-describedby="{place}-reason">'
        reason = f'<div class="svt-reason svt-reason-{side}" id="{place}-reason"><strong>{word}</strong> '
        return right, within(
            "",
            within("", *box.children, opening=f'<label for="{place}">', closing="</label>"),
            within("", *rest, opening=reason, closing="</div>"),
            opening=f'<div class="svt-option">{button}',
            closing="</div>",
        )


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and its node."""
    writers = [lambda self, node, piece=piece: self.body.append(node[piece]) for piece in ("opening", "closing")]
    app.add_node(within, html=tuple(writers))
    app.add_directive("question", Question)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
