"""The directive `{question}`: a question inside the text, with a reason beside every answer.

Its content is a question and a task list; exactly one option is ticked, and each has its reason as a paragraph of its
own.  On the site the options are radio buttons and a reason appears when its option is chosen: no script, no kernel,
by keyboard too.  In JupyterLab the same source reads as a list with its reasons.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class choice_question(nodes.General, nodes.Element):
    """A fieldset; `title` is its legend."""


class choice_option(nodes.General, nodes.Element):
    """One answer: its words, then its reason; `correct`, `name`, `identifier`."""


class choice_words(nodes.General, nodes.Element):
    """What an option says."""


class choice_reason(nodes.General, nodes.Element):
    """Why it is right or wrong."""


class Question(SphinxDirective):
    """`:::{question} Before you scroll`, then the question, then the options."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse the content as Markdown and turn its last list into options."""
        name = f"question-{self.env.new_serialno('question')}"
        made = choice_question(title=self.arguments[0] if self.arguments else "Before you scroll", name=name)
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        *before, choices = inside.children or [None]
        if not isinstance(choices, nodes.bullet_list):
            raise self.error("a question ends with a list of options, - [ ] or - [x], each with a reason")
        made += before
        for number, item in enumerate(choices):
            box, *rest = item.children
            ticks = [node for node in box.findall(nodes.raw) if "checkbox" in node.astext()]
            if len(ticks) != 1 or not rest:
                raise self.error(f"option {number + 1} needs [ ] or [x], and a reason in a paragraph of its own")
            correct = "checked" in ticks[0].astext()
            box.remove(ticks[0])
            if not any(text.strip() and not isinstance(text.parent, nodes.math) for text in box.findall(nodes.Text)):
                raise self.error(f"option {number + 1} needs words: a formula alone is no label that can be read out")
            answer = choice_option(correct=correct, name=name, identifier=f"{name}-{number + 1}")
            answer += choice_words("", *box.children)
            answer += choice_reason("", *rest)
            made += answer
        if [node["correct"] for node in made.findall(choice_option)].count(True) != 1:
            raise self.error("exactly one option of a question is right, and ticked")
        return [made]


def _visit_question(self: Any, node: choice_question) -> None:
    self.body.append(
        f'<fieldset class="svt-question" id="{node["name"]}"><legend>{self.encode(node["title"])}</legend>'
    )


def _depart_question(self: Any, node: choice_question) -> None:
    self.body.append("</fieldset>")


def _visit_option(self: Any, node: choice_option) -> None:
    identifier = node["identifier"]
    self.body.append(
        f'<div class="svt-option"><input type="radio" name="{node["name"]}" id="{identifier}"'
        f' aria-describedby="{identifier}-reason">'
    )


def _depart_option(self: Any, node: choice_option) -> None:
    self.body.append("</div>")


def _visit_words(self: Any, node: choice_words) -> None:
    self.body.append(f'<label for="{node.parent["identifier"]}">')


def _depart_words(self: Any, node: choice_words) -> None:
    self.body.append("</label>")


def _visit_reason(self: Any, node: choice_reason) -> None:
    correct = node.parent["correct"]
    self.body.append(
        f'<div class="svt-reason svt-reason-{"right" if correct else "wrong"}" id="{node.parent["identifier"]}-reason">'
        f"<strong>{'Yes.' if correct else 'No.'}</strong> "
    )


def _depart_reason(self: Any, node: choice_reason) -> None:
    self.body.append("</div>")


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and its four nodes."""
    app.add_node(choice_question, html=(_visit_question, _depart_question))
    app.add_node(choice_option, html=(_visit_option, _depart_option))
    app.add_node(choice_words, html=(_visit_words, _depart_words))
    app.add_node(choice_reason, html=(_visit_reason, _depart_reason))
    app.add_directive("question", Question)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
