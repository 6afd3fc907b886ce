"""What a program gives back: as a value that can be compared, as answers, and what it says in a form of its own.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.language.kinds import Instance, Member, NoNumber, Record, Rounded, Row, Run
from svtcourse.judge.unknowns.symbols import Fork, Form, Unreadable
from svtcourse.judge.unknowns.tree import Unrecognised, comparison, forms_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "DEEPEST",
    "SIGNS",
    "NoAnswers",
    "Told",
    "flat",
    "found_out",
    "said",
    "seen",
    "spelled",
    "unlike_a_kind",
    "value",
    "words_of",
]

_KINDS = "form", "member", "object", "record"  # what begins a value that is no list

DEEPEST = 3  # lists within lists, in what a program returns
SIGNS = {"⊤": True, "T": True, "above": True, "yes": True, "⊥": False, "F": False, "below": False, "no": False}


class NoAnswers(ValueError):
    """What a program returns are no answers."""


class Told(str):
    """What is told of a number: on which side of a level it is."""


def value(run: Run, found: Any, depth: int = 0) -> Any:
    """What a run gave, as a value that can be compared."""
    if depth > DEEPEST:
        raise run.stop("It returns lists within lists within lists")
    if isinstance(found, NoNumber):
        return float("nan")
    if isinstance(found, Rounded):
        run.rounds, found = True, found.form
    if isinstance(found, Form):
        return "form", found.key()
    if found is None or isinstance(found, (bool, int, float, str)):
        return found
    if isinstance(found, Member):
        return "member", found.text
    if isinstance(found, Record):
        return ("record",) + tuple([unlike_a_kind((k, value(run, x, depth + 1))) for k, x in found.names.items()])
    if isinstance(found, Instance) and found.of.fields is not None:
        if set(found.names) - set(found.of.fields):
            raise run.stop("It returns an object that holds more than its fields")
        parts = [unlike_a_kind((name, value(run, found.part(name), depth + 1))) for name in found.of.fields]
        return ("object", found.of.name) + tuple(parts)
    items = found.items if isinstance(found, Row) else found
    if isinstance(items, (list, tuple)):
        return tuple([value(run, part, depth + 1) for part in unlike_a_kind(items)])
    raise run.stop("It returns what is not read")


def unlike_a_kind(items: Any) -> Any:
    """The parts of a list, or a key and its value, which do not begin as what stands for a value of another kind does.

    Raises
    ------
    Unreadable
        If they do.
    """
    if isinstance(items[0] if items else None, str) and items[0] in _KINDS:
        raise Unreadable(f"It returns a list, key or field that begins with {items[0]!r}, a word with a meaning here")
    return items


def _without_places(output: tuple[Any, ...]) -> tuple[Any, ...]:
    """Truths that were said with their places, counted from 0 or from 1, as truths."""
    plain = [isinstance(one, tuple) and [type(x) for x in one] == [int, bool] for one in output]
    if output and all(plain) and [one[0] - output[0][0] for one in output] == list(range(len(output))):
        return tuple([one[1] for one in output]) if output[0][0] in (0, 1) else output
    return output


def said(output: Any, n: int) -> tuple[Any, ...]:
    """The answers of a run, whichever way they were said: signs, truths, also with places, numbers, or the first index.

    A number that no comparison tells from an unknown one stays what it is, ``("form", ...)``.

    Raises
    ------
    ValueError
        If it is no list of answers.
    """
    if output is None or (type(output) is int and output == -1):
        return (False,) * n
    if isinstance(output, int) and type(output) is not bool:
        if not 0 <= output <= 4 * n + 4:
            raise NoAnswers(f"program must return the index of the first, or None, got {output}")
        return (False,) * output + (True,)
    if isinstance(output, str):
        if any([x not in SIGNS for x in output]):
            raise NoAnswers(f"program must return a list of answers, got the text {output[:60]!r}")
        output = tuple(output)
    if not isinstance(output, tuple) or output[:1] == ("form",):
        got = "a number" if isinstance(output, (tuple, float)) else repr(output)
        raise NoAnswers(f"program must return a list of answers, got {got}")
    if len(output) > 4 * n + 4:
        raise NoAnswers(f"program must return at most one answer for each of {n} queries, got a list of {len(output)}")
    found: list[Any] = []
    for answer in _without_places(output):
        if answer is None or answer is False or answer is True:
            found.append(bool(answer))
        elif isinstance(answer, str) and (answer in SIGNS or isinstance(answer, Told)):
            found.append(SIGNS.get(answer, answer))
        elif isinstance(answer, int) and answer in (0, 1):
            found.append(answer == 1)
        elif (isinstance(answer, (bool, int, float)) and abs(answer) < 1e300) or (
            isinstance(answer, tuple) and answer[:1] == ("form",)
        ):
            found.append(answer if isinstance(answer, tuple) else float(answer))
        else:
            got = "several values in one answer" if isinstance(answer, (tuple, list, dict)) else repr(answer)
            raise NoAnswers(f"program must answer True, False, a number, or a word such as above and below, got {got}")
    return tuple(found)


# In a form of its own


def flat(output: Any) -> list[Any]:
    """All that stands in an output, one after the other, with what holds it."""
    if isinstance(output, tuple) and output[:1] != ("form",):
        return ["("] + [x for part in output for x in flat(part)] + [")"]
    return ["nan" if type(output) is float and output != output else output]


def seen(output: Any) -> tuple[str, ...]:
    """The same as one sees it: of a number only that it is one."""
    return tuple(["number" if isinstance(x, (tuple, float)) else repr(x) for x in flat(output)])


def spelled(output: Any) -> str:
    """An output as Python prints it, with an ellipsis for a number."""
    if not isinstance(output, tuple):
        return str(output) if isinstance(output, Told) else repr(output)
    if output[:1] == ("form",):
        return "…"
    if output[:1] == ("member",):
        return str(output[1])
    if output[:1] == ("record",):
        return "{" + ", ".join([repr(key) + ": " + spelled(x) for key, x in output[1:]]) + "}"
    if output[:1] == ("object",):
        return output[1] + "(" + ", ".join([key + "=" + spelled(x) for key, x in output[2:]]) + ")"  # type: ignore
    parts: list[str] = []
    times: list[int] = []
    for x in [spelled(one) for one in output]:
        if parts and parts[-1] == x:
            times[-1] += 1
        else:
            parts, times = parts + [x], times + [1]
    every = [f"{x} ({k} times)" if k > 3 else ", ".join([x] * k) for x, k in zip(parts, times)]
    return "[" + ", ".join(every) + "]"


def found_out(output: Any, fork: Fork) -> tuple[Any, ...]:
    """What a run found out, comparison by comparison: whether an answer is high, and the number that is shown of it."""
    numbers = [("form", key) for key in forms_in(output)]
    found: list[Any] = []
    for key, _, above in fork.order:
        try:
            this = comparison(key)
            high, answer = above is this.up, this.answer
        except Unrecognised:
            high, answer = above, None
        own = [x for x in numbers if answer is not None and any([v == answer for v, _ in x[1][0]])]
        if high and own:
            numbers.remove(own[0])
        found.append(own[0] if high and own else high)
    return tuple(found + numbers)


def words_of(output: Any) -> list[Any]:
    """The words of a list, a text or a dictionary, one for each answer; None for what is none."""
    if isinstance(output, str):
        return [x for x in output]
    parts = [x for _, x in output[1:]] if output[:1] == ("record",) else output
    return [x[1] if isinstance(x, tuple) and x[:1] == ("member",) else x if isinstance(x, str) else None for x in parts]
