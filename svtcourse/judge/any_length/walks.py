"""What a loop may go through on a list of which the length is not known, with an element for each query.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

from svtcourse.judge.any_length.hidden import Public, Said
from svtcourse.judge.language.kinds import Abstract, Error, Frame, Raised, Run
from svtcourse.judge.language.library import whole
from svtcourse.judge.language.values import truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Counted", "Handed", "Made", "Numbered", "Once", "Walkable"]


class Walkable(Abstract):
    """What a loop may go through, with an element for each query."""

    what = "looks at the list other than element by element"
    endless = True

    def __init__(self, turns: Any) -> None:
        self.turns = turns

    def consumed(self, run: Run) -> Iterator[Any]:
        """One element after the other, for a function that looks for one: what it goes through belongs to the state."""
        walking, depth, site = self.turns.walking, len(self.turns.walking), run.site
        for one in self._walked(run, walking, depth):
            del walking[depth:]
            yield one
            run.site = site  # who asks for the next one
        del walking[depth:]

    def _walked(self, run: Run, walking: list[Any], depth: int) -> Iterator[Any]:
        items = self.iterate(run)
        while True:
            walking.append(self)
            for one in items:
                yield one
                break
            else:
                return

    def reveal(self, run: Run) -> None:
        """It is shown."""
        self.call(run, "list").reveal(run)

    def call(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """One element after the other, numbered, one by one, or all in a list."""
        if name == "enumerate":
            return Numbered(self.turns, self, *given, **options)
        if name == "iter":
            return Once(self.turns, self)
        if name == "next" and len(given) <= 1:
            for one in self.consumed(run):
                return one
            if given:
                return given[0]
            raise Raised(Error("StopIteration"))
        if name in ("list", "tuple") and not given:
            return self.listed(run).call(run, name)
        if name in ("any", "all") and not given:
            for one in self.consumed(run):
                if truth(run, one) is (name == "any"):
                    return name == "any"
            return name == "all"
        raise self.refused(run)

    def listed(self, run: Run) -> Any:
        """All of it, in a list."""
        frame = Frame(run, None, type(self).__name__)
        frame.names["said"] = said = Said(self.turns, type(self).__name__, [])
        run.frames.append(frame)
        for one in self.consumed(run):
            said.append(run, one)
        run.frames.pop()
        return said


class Handed(Walkable):
    """An iterator, of which numpy makes one object and no array."""

    def of_numpy(self, run: Run, name: str = "") -> Any:
        """It is not read."""
        raise self.refused(run)


class Once(Handed):
    """An iterator: how far it was gone through is not known, so that it goes along with nothing."""

    def __init__(self, turns: Any, of: Walkable) -> None:
        super().__init__(turns)
        self.of = of

    def state(self, state: Any) -> Any:
        """What it goes through."""
        return state.of(self.of)

    def iterate(self, run: Run) -> Iterator[Any]:
        """One element after the other."""
        return self.of.iterate(run)


class Counted(Walkable):
    """Numbers up to one that is not known."""

    def state(self, state: Any) -> Any:
        """Nothing."""
        return "counted"

    def iterate(self, run: Run) -> Iterator[Any]:
        """One number after the other."""
        while True:
            self.turns.head("counted")
            if not self.turns.more():
                return
            yield Public(self.turns)


class Numbered(Handed):
    """``enumerate(answers)``."""

    def __init__(self, turns: Any, of: Any, start: Any = 0) -> None:
        super().__init__(turns)
        self.of, self.start = of, start

    def state(self, state: Any) -> Any:
        """What it numbers."""
        return state.of(self.of), state.of(self.start)

    def iterate(self, run: Run) -> Iterator[Any]:
        """Where it is, and the element."""
        for one in self.of.iterate(run):
            there = type(self.start) is int and self.start == 0 and self.of.has_places
            yield Public(self.turns, turn=self.turns.turn if there else None), one


class Made(Handed):
    """A generator expression, or a map of a function: its elements are made when their turn comes."""

    def __init__(self, turns: Any, node: Any, of: Any, frame: Any, rounds: Any, function: Any = None) -> None:
        super().__init__(turns)
        self.node, self.of, self.frame, self.rounds, self.function = node, of, frame, rounds, function

    def state(self, state: Any) -> Any:
        """Where it stands, and what it is made of."""
        return id(self.node), state.of(self.of), state.frame(self.frame), state.of(self.function)

    def iterate(self, run: Run) -> Iterator[Any]:
        """One element, or none, of each."""
        for one in self.of.iterate(run):
            yield from whole(run, self.rounds(self.frame, [one]))
