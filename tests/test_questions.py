"""The directive `{question}`: radio buttons with a reason each, and clear errors for what is not a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from sphinx.application import Sphinx

GOOD = """# Title

:::{question} Is it < 1?
What did $n$ negatives cost?

- [ ] A *little* each.

  Then there would be a sum.
- [x] Nothing.

  The threshold pays.
:::

:::{question}
Again?

- [x] Yes.

  So it is.
- [ ] No.

  It is not.
:::
"""


def build(text: str, folder: Path) -> tuple[str, str]:
    """Build one page and return its HTML and what Sphinx warned of."""
    (folder / "index.md").write_text(text, encoding="utf-8")
    warnings = folder / "warnings.txt"
    with warnings.open("w", encoding="utf-8") as stream:
        app = Sphinx(
            *(str(folder), None, str(folder / "html"), str(folder / "trees"), "html"),
            confoverrides={
                "extensions": ["myst_parser", "svt_questions"],
                "myst_enable_extensions": ["colon_fence", "tasklist", "dollarmath"],
            },
            status=None,
            warning=stream,
        )
        app.build()
    return (folder / "html" / "index.html").read_text(encoding="utf-8"), warnings.read_text(encoding="utf-8")


def test_a_question_becomes_radio_buttons(tmp_path):
    """Each option has its own button, a label and a reason; the buttons of one question form one group."""
    html, warnings = build(GOOD, tmp_path)
    assert warnings == ""
    assert html.count('type="radio"') == html.count("<label for=") == html.count('class="svt-reason ') == 4
    assert html.count('name="question-0"') == html.count('name="question-1"') == 2
    assert html.count("svt-reason-right") == 2 and html.count("checkbox") == 0
    assert (
        "<legend>Is it &lt; 1?</legend>" in html
        and "<legend>Before you scroll</legend>" in html
        and "<em>little</em>" in html
    )
    assert html.index("svt-reason-wrong") < html.index("Then there would be a sum") < html.index("svt-reason-right")


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("- [ ] A", "- [x] A", "exactly one option"),
        ("- [x] Nothing", "- [ ] Nothing", "exactly one option"),
        ("\n  The threshold pays.\n", "", "option 2 needs"),
        ("- [ ] A", "- A", "option 1 needs"),
        ("- [ ] A *little* each.", "- [ ] $n$", "option 1 needs words"),
        ("- [ ] A *little* each.\n\n  Then there would be a sum.\n- [x] Nothing.\n\n", "", "ends with a list"),
    ],
)
def test_what_is_not_a_question_is_refused(tmp_path, before, after, error):
    """Two right answers, none, an option without a reason or without a box, and no options at all."""
    assert before in GOOD
    assert error in build(GOOD.replace(before, after, 1), tmp_path)[1]
