"""The directive `{question}`: a question inside the text, with a reason beside every answer.

Its content is a question and a task list; exactly one option is ticked, and each has its reason as a paragraph of its
own.  On the site the options are radio buttons and a reason appears when its option is chosen: no script, no kernel,
by keyboard too.  In JupyterLab the same source reads as a list with its reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class choice_question(nodes.General, nodes.Element):
    """A fieldset; `title` is its legend."""


class choice_option(nodes.General, nodes.Element):
    """One answer: its words, then its reason; `name`, `identifier`."""


class choice_words(nodes.General, nodes.Element):
    """What an option says; `identifier` of its button."""


class choice_reason(nodes.General, nodes.Element):
    """Why it is right or wrong; `identifier`, `side` and the word that says so."""


# What stands around each of them; the fields of a node are put in.
HTML = {
    choice_question: ('<fieldset class="svt-question" id="{name}"><legend>{title}</legend>', "</fieldset>"),
    choice_option: (
        '<div class="svt-option"><input type="radio" name="{name}" id="{identifier}"'
        ' aria-describedby="{identifier}-reason">',
        "</div>",
    ),
    choice_words: ('<label for="{identifier}">', "</label>"),
    choice_reason: (
        '<div class="svt-reason svt-reason-{side}" id="{identifier}-reason"><strong>{word}</strong> ',
        "</div>",
    ),
}


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
            answer = choice_option(name=name, identifier=f"{name}-{number + 1}")
            answer += choice_words("", *box.children, identifier=answer["identifier"])
            told = {"side": "right", "word": "Yes."} if correct else {"side": "wrong", "word": "No."}
            answer += choice_reason("", *rest, identifier=answer["identifier"], **told)
            made += answer
        if [node["side"] for node in made.findall(choice_reason)].count("right") != 1:
            raise self.error("exactly one option of a question is right, and ticked")
        return [made]


def _writes(template: str) -> Callable[[Any, nodes.Element], None]:
    def write(self: Any, node: nodes.Element) -> None:
        fields = {name: self.encode(value) for name, value in node.attributes.items() if isinstance(value, str)}
        self.body.append(template.format_map(fields))

    return write


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and its four nodes."""
    for kind, (opening, closing) in HTML.items():
        app.add_node(kind, html=(_writes(opening), _writes(closing)))
    app.add_directive("question", Question)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
