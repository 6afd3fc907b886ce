"""What passes between the tests and a submission: data are copied, everything else stays where it is.

Each side has a `Wire`.  Numbers, texts, lists, dictionaries and arrays go over as JSON.  A function of the submission,
or a source of noise of the tests, stays in its own process; the other side gets a number for it and asks for what is to
be done.  So no object of a submission ever comes into the process that gives points, whatever it overrides.
"""

from __future__ import annotations

import builtins
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

LONGEST = 8_000_000  # bytes of one message
TEXT_KEPT = 2_000  # characters of what an error says
SEQUENCES: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple, "set": set}
BINARY = "add sub mul truediv floordiv mod pow"
OPERATIONS = {f"__{name}__" for name in f"{BINARY} neg pos abs lt le gt ge eq ne bool float int round hash".split()}
OPERATIONS |= {f"__r{name}__" for name in BINARY.split()}


class Stopped(BaseException):
    """The tests do not want this run to go on."""


def said(error: BaseException) -> tuple[str, str]:
    """Kind and text of an error, short enough to be shown."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return type(error).__name__[:100], text[:TEXT_KEPT]


def error(kind: str, text: str) -> Exception:
    """An error of the other side, of the same kind where Python has it."""
    found = getattr(builtins, kind, None)
    try:
        if isinstance(found, type) and issubclass(found, Exception):
            return found(text)
    except TypeError:  # it takes more than a text
        pass
    return RuntimeError(f"{kind}: {text}")


class Remote:
    """Something that stays on the other side; `wire.ask` has it do things."""

    def __init__(self, wire: Wire, number: int) -> None:
        self._wire, self._number = wire, number


class Wire:
    """One side's end: messages, values as JSON, and what this side keeps for the other one.

    Parameters
    ----------
    incoming, outgoing : binary files
    """

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self.kept: list[Any] = []

    def send(self, message: Any) -> None:
        """Send one message."""
        data = json.dumps(message).encode() + b"\n"
        if len(data) > LONGEST:
            raise ValueError(f"what is handed over must be shorter than {LONGEST:,} bytes, got {len(data):,}")
        self.outgoing.write(data)
        self.outgoing.flush()

    def receive(self) -> Any:
        """Wait for one message; EOFError when the other side is gone."""
        line = self.incoming.readline(LONGEST + 1)
        if not line.endswith(b"\n"):
            raise EOFError
        return json.loads(line)

    def keep(self, value: Any) -> Any:
        """Refuse, or keep what is no data and say how the other side may call it."""
        raise NotImplementedError

    def theirs(self, *told: Any) -> Any:
        """Return what stands here for something that the other side keeps."""
        raise NotImplementedError

    def pack(self, value: Any, depth: int = 0) -> Any:
        """The value as JSON."""
        if depth > 40:
            raise ValueError("what is handed over must not be nested in more than 40 levels")

        def each(values: Any) -> list[Any]:
            return [self.pack(one, depth + 1) for one in values]

        if isinstance(value, Remote):
            return ["yours", value._number]
        if value is None:
            return None
        for kinds, plain in ((bool, np.bool_), bool), ((int, np.integer), int), ((float, np.floating), float):
            if isinstance(value, kinds):
                return plain(value)
        if isinstance(value, str):
            return str(value)
        if isinstance(value, Fraction):
            return ["fraction", value.numerator, value.denominator]
        if not isinstance(value, type) and hasattr(value, "to_numpy"):
            value = value.to_numpy()  # of pandas
        if isinstance(value, np.ndarray):
            kind = value.dtype.kind if value.dtype.kind in "biuf" else "O"
            return ["array", kind, list(value.shape), each(value.ravel().tolist())]
        if isinstance(value, Mapping):
            return ["dict", [[self.pack(key, depth + 1), self.pack(one, depth + 1)] for key, one in value.items()]]
        if isinstance(value, (set, frozenset)):
            return ["set", each(value)]
        if isinstance(value, (Sequence, MappingView, Iterator)):
            return ["tuple" if isinstance(value, tuple) else "list", each(islice(value, LONGEST // 2))]
        return self.keep(value)

    def unpack(self, packed: Any) -> Any:
        """The value again; ValueError where it is none."""
        if packed is None or isinstance(packed, (bool, int, float, str)):
            return packed
        if not isinstance(packed, list) or not packed:
            raise ValueError("what was handed over cannot be read")
        kind, *told = packed
        if kind in SEQUENCES:
            return SEQUENCES[kind](self.unpack(one) for one in told[0])
        if kind == "dict":
            return {self.unpack(key): self.unpack(value) for key, value in told[0]}
        if kind == "fraction":
            return Fraction(int(told[0]), int(told[1]))  # of a text it would calculate 1e999999999
        if kind == "array":
            made = np.empty(
                len(told[2]), dtype={"b": bool, "i": np.int64, "u": np.uint64, "O": object}.get(told[0], float)
            )
            made[:] = [self.unpack(one) for one in told[2]]
            return made.reshape(told[1])
        if kind == "yours":
            return self.kept[told[0]]
        if kind == "mine":
            return self.theirs(*told)
        raise ValueError("what was handed over cannot be read")


def parameters(function: Any) -> list[list[Any]] | None:
    """Name, kind and whether it has a default, of each parameter; None where Python does not know."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [[one.name, int(one.kind), one.default is not one.empty] for one in found]


def signature(told: Any) -> inspect.Signature:
    """The signature that `parameters` described."""
    kinds = list(type(inspect.Parameter.VAR_KEYWORD))
    empty = inspect.Parameter.empty
    return inspect.Signature(
        [inspect.Parameter(name, kinds[kind], default=None if given else empty) for name, kind, given in told]
    )
