"""What an explorer is: controls, the numbers of every choice, the words for one, and how they are shown.

The site reads the numbers of all choices from a file and JupyterLab computes those of one, in the same form.  The words
are in the same file: `fill` puts them together here, and the function of that name in `explorers.js` there.
"""

from __future__ import annotations

import html
import importlib
import itertools
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from svtlib import validate

__all__ = ["Control", "Explorer", "Parts", "State", "View", "address", "fill", "short", "shown"]

State = Mapping[str, Any]
"""The value of every control, by its name."""

Parts = dict[str, Any]
"""What can stand in a place of a sentence, by its name: words, or a number, None for an infinite one."""

FOLDER = Path(__file__).resolve().parents[1] / "_static" / "explorers"
_PLACE = re.compile(r"\{(?:([\w ]+)\|)?(\w*)(?::(\d))?\}", re.ASCII)
_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown(value: float | None, digits: int = 3) -> str:
    """Return a number as a reader sees it, with this many digits; the site's script writes the same characters.

    Examples
    --------
    >>> shown(20.857), shown(-0.0625, 2), shown(20_857.0), shown(1.316e-31), shown(math.inf)
    ('20.9', '−0.063', '20900', '1.32 × 10⁻³¹', '∞')
    """
    if value is None or math.isinf(value):
        return "∞" if value is None or value > 0 else "−∞"
    exact = Context(digits, ROUND_HALF_UP).create_decimal_from_float(value).normalize()
    sign, size = "−" if exact < 0 else "", exact.copy_abs()
    if not exact or size >= Decimal("1e-4"):
        return f"{sign}{size:f}"
    front, _, power = f"{size:e}".partition("e")
    return f"{sign}{front} × 10{str(int(power)).translate(_POWERS)}"


def short(value: float, digits: int = 6) -> float | None:
    """Return a number as the site's files hold it: rounded, and None for an infinite one."""
    return None if math.isinf(value) else float(f"{value:.{digits}g}")


def fill(texts: Mapping[str, str], text: str, parts: Parts, this: str = "") -> str:
    """Put parts and other texts into the places of a text.

    ``{loss}`` is a part as it is shown, ``{loss:4}`` with four digits. ``{queries|n}`` is the text ``queries 1`` where
    n is shown as 1, ``queries`` where there is no such text, and n where neither is there; in it ``{}`` is that n.

    Examples
    --------
    >>> texts = {"queries": "{} queries", "queries 1": "1 query"}
    >>> [fill(texts, "{who} loses {loss} on {queries|n}.", {"who": "Alg. 4", "loss": 1.75, "n": n}) for n in (1, 16)]
    ['Alg. 4 loses 1.75 on 1 query.', 'Alg. 4 loses 1.75 on 16 queries.']
    """

    def put(place: re.Match[str]) -> str:
        words, part, digits = place.groups()
        value = parts[part] if part else this
        said = value if isinstance(value, str) else shown(value, int(digits or 3))
        return fill(texts, texts.get(f"{words} {said}", texts.get(words, "{}")), parts, said) if words else said

    return _PLACE.sub(put, text)


def address(value: object) -> str:
    """Return a value as an address of the site has it."""
    return value if isinstance(value, str) else f"{value:g}"


@dataclass(frozen=True)
class Control:
    """One choice of the reader.

    Attributes
    ----------
    name : str
        In the state, and in the address of a page.
    label : str
    options : mapping of values to str
        The values in their order, each with what the reader sees.
    start : value
        The one that is chosen at first.
    slider : bool
        True where the values are ordered.
    steps : bool
        True for a slider over the ``steps`` found, with buttons for one back, one forward, and to the end.
    only : tuple of str and values, optional
        Another control and the values of it with which there is this choice.
    """

    name: str
    label: str
    options: Mapping[Any, str]
    start: Any
    slider: bool = False
    steps: bool = False
    only: tuple[str, tuple[Any, ...]] | None = None

    def offered(self, state: State) -> bool:
        """Whether the reader has this choice."""
        return self.only is None or state[self.only[0]] in self.only[1]

    def as_json(self) -> dict[str, Any]:
        """For the site's script, which has values as an address has them."""
        return {
            "name": self.name,
            "label": self.label,
            "options": [[address(value), text] for value, text in self.options.items()],
            "start": address(self.start),
            "slider": int(self.slider),
            "steps": int(self.steps),
            "only": self.only and [self.only[0], [address(value) for value in self.only[1]]],
        }


class View(NamedTuple):
    """What an explorer says about one choice: whether it is bad news, and the paragraphs below the drawing."""

    sentence: str
    warns: bool
    details: tuple[str, ...]


@dataclass(frozen=True)
class Explorer:
    """One explorer, for the site and for JupyterLab.

    Attributes
    ----------
    name : str
    controls : tuple of Control
    by : tuple of str
        The controls on which the numbers hang; their values are the name of a cell of the table.
    texts : mapping of str to str
        Every sentence, as `fill` reads them: ``sentence``, ``details`` with one to a line, and what these use.
    compute : callable (state)
        The numbers of one choice.
    parts : callable (state, found) -> dict
        What the sentences say of these: numbers and words by name, ``warns`` if they are bad news; the site's script
        has the same. What the reader sees at a control is there by its name.
    draw : callable (state, found, view) -> str
        HTML for JupyterLab; the site draws by itself.
    examples : tuple of states
        Choices whose sentences are kept with the numbers, for a test of the site.
    along : str
        One more control on which the numbers hang; a cell has a row of them, for all its values.
    shared : mapping
        What the site's script has to know besides the cells.
    pack : callable (cells) -> dict
        The cells in the form that their file has, with what belongs to it.
    unpack : callable (numbers, packed, state)
        What `compute` finds, from that form.
    minutes : str
        How long all numbers take.
    """

    name: str
    controls: tuple[Control, ...]
    by: tuple[str, ...]
    texts: Mapping[str, str]
    compute: Callable[[State], Any]
    parts: Callable[[State, Any], Parts]
    draw: Callable[[State, Any, View], str]
    examples: tuple[State, ...]
    along: str = ""
    shared: Mapping[str, Any] = field(default_factory=dict)
    pack: Callable[[Mapping[str, Any]], dict[str, Any]] = lambda cells: {"cells": cells}
    unpack: Callable[[Mapping[str, Any], Any, State], Any] = lambda numbers, packed, state: packed
    minutes: str = "a few seconds"

    @property
    def file(self) -> Path:
        """Where the site's script looks for the numbers."""
        return FOLDER / f"{self.name}.data.js"

    @property
    def opening(self) -> str:
        """What stands before the numbers in their file, to make it a script."""
        return f'window.svtNumbers = {{ ...window.svtNumbers, "{self.name}": '

    def start(self, **chosen: Any) -> dict[str, Any]:
        """Return the state at first, with what is chosen otherwise.

        Raises
        ------
        ValueError
            If there is no such control or no such option.
        """
        state = {control.name: control.start for control in self.controls}
        for name, value in chosen.items():
            control = self.controls[list(state).index(validate.choice("control", name, state))]
            state[name] = validate.choice(name, value, list(control.options))
        return state

    def settled(self, state: State) -> dict[str, Any]:
        """The state with the first value where the reader has no choice."""
        return {
            control.name: state[control.name] if control.offered(state) else next(iter(control.options))
            for control in self.controls
        }

    def cell(self, state: State) -> str:
        """The name of the cell in which the numbers of a settled choice are."""
        return " ".join(address(state[name]) for name in self.by)

    def states(self) -> dict[str, list[dict[str, Any]]]:
        """The choices in each cell of the table."""
        names, asked = [control.name for control in self.controls], {*self.by, self.along}
        options = [control.options if control.name in asked else [control.start] for control in self.controls]
        found: dict[str, list[dict[str, Any]]] = {}
        for values in itertools.product(*options):
            state = self.settled(dict(zip(names, values, strict=True)))
            row = found.setdefault(self.cell(state), [])
            if state not in row:
                row.append(state)
        return found

    def numbers(self, kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Compute the numbers of all choices; no cell again of those that are kept."""
        states, old = self.states(), kept or {"cells": {}}
        rows = {name: [self.find(old, state) for state in row] for name, row in states.items() if name in old["cells"]}
        new = [name for name in states if name not in rows]
        with ProcessPoolExecutor() as pool:
            rows |= zip(new, pool.map(partial(_row, self.compute), [states[name] for name in new]), strict=True)
        return {**self.shared, **self.pack({name: rows[name] if self.along else rows[name][0] for name in states})}

    def find(self, numbers: Mapping[str, Any], state: State) -> Any:
        """Return those of one choice."""
        state = self.settled(state)
        found = numbers["cells"][self.cell(state)]
        if self.along:
            options = next(control.options for control in self.controls if control.name == self.along)
            found = found[list(options).index(state[self.along])]
        return self.unpack(numbers, found, state)

    def words(self, state: State, found: Any) -> View:
        """Say what was found."""
        state = self.settled(state)
        parts = {control.name: control.options[state[control.name]] for control in self.controls}
        parts |= self.parts(state, found)
        sentence, details = (fill(self.texts, self.texts[name], parts) for name in ("sentence", "details"))
        return View(sentence, bool(parts.get("warns")), tuple(line for line in details.splitlines() if line))

    def view(self, **chosen: Any) -> View:
        """Compute what the explorer says about a choice."""
        state = self.settled(self.start(**chosen))
        return self.words(state, self.compute(state))

    def script(self, numbers: Mapping[str, Any]) -> str:
        """Return the file that the site loads, the same characters for the same numbers."""
        examples = []
        for chosen in self.examples:
            state = self.start(**chosen)
            view = self.words(state, self.find(numbers, state))
            at = {name: address(value) for name, value in chosen.items()}
            examples.append([at, view.sentence, int(view.warns), list(view.details)])
        whole = {
            "by": self.by,
            "controls": [control.as_json() for control in self.controls],
            "texts": dict(self.texts),
            "examples": examples,
            "numbers": numbers,
        }
        body = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return f"{self.opening}{body} }};\n"

    def read(self, path: Path | None = None) -> dict[str, Any]:
        """Read a file that `script` made."""
        text = (path or self.file).read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text.removeprefix(self.opening).removesuffix(" };\n"))
        return found

    def write(self, path: Path | None = None, *, keep: bool = False) -> int:
        """Write the file, if `keep` with the numbers that it has; return its size in bytes."""
        data = self.script(self.numbers(self.read()["numbers"] if keep else None)).encode()
        (path or self.file).write_bytes(data)
        return len(data)

    def widget(self, **chosen: Any) -> Any:
        """Return the explorer for JupyterLab.

        Returns
        -------
        ipywidgets.VBox
            The controls in their order, then an HTML widget with what they lead to.
        """
        begin = self.start(**chosen)
        widgets = importlib.import_module("ipywidgets")
        parts, rows = {}, []
        for control in self.controls:
            kind = widgets.SelectionSlider if control.slider else widgets.Dropdown
            options = [(text, value) for value, text in control.options.items()]
            looks: dict[str, Any] = {"continuous_update": False} if control.slider else {}
            part = parts[control.name] = kind(
                options=options,
                value=begin[control.name],
                description=control.label,
                style={"description_width": "13em"},
                layout={"width": "37em"},
                **looks,
            )
            rows += [part, widgets.HBox(_buttons(widgets, part))] if control.steps else [part]
        out = widgets.HTML()
        known: dict[tuple[str, Any], Any] = {}

        def update(_: object = None) -> None:
            state = {name: part.value for name, part in parts.items()}
            for control in self.controls:
                parts[control.name].disabled = not control.offered(state)
            state = self.settled(state)
            name = self.cell(state), state.get(self.along)
            found = known[name] if name in known else known.setdefault(name, self.compute(state))
            for control in self.controls:
                if control.steps:  # not beyond the last one of this run
                    parts[control.name].index = min(parts[control.name].index, len(found["steps"]))
            view = self.words(state, found)
            details = "".join(f"<p>{html.escape(text)}</p>" for text in view.details)
            drawn = self.draw(state, found, view)
            out.value = f"<p><strong>{html.escape(view.sentence)}</strong></p>{drawn}{details}"

        for part in parts.values():
            part.observe(update, names="value")
        update()
        return widgets.VBox([*rows, out])


def _row(compute: Callable[[State], Any], states: Sequence[State]) -> list[Any]:
    return [compute(state) for state in states]


def _buttons(widgets: Any, slider: Any) -> list[Any]:
    """One step back, one forward, and to the end."""
    last, buttons = len(slider.options) - 1, []
    for text, steps in (("Back", -1), ("Next answer", 1), ("To the end", last)):
        buttons.append(widgets.Button(description=text, layout={"width": "8em"}))

        def press(_: object, steps: int = steps) -> None:
            slider.index = min(max(slider.index + steps, 0), last)

        buttons[-1].on_click(press)
    return buttons
