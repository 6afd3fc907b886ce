"""Noise as a program asks for it: generators, and the modules that have them.

Plain Python that MicroPython runs too.
"""

from __future__ import annotations

import math
import random

from svtcourse.judge.language.kinds import Abstract, Native, Raised, Record, Room, Row, Run
from svtcourse.judge.language.library import NUMPY
from svtcourse.judge.language.numbers import NUMBERS, PLAIN
from svtcourse.judge.language.values import binary, is_plain, row
from svtcourse.judge.unknowns.symbols import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["DRAWN", "MODULES", "SEEDED", "Generator"]

_LONGEST = 20_000
_LISTS = list, tuple, Row
SEEDED = "Its noise, or some of it, comes from a fixed seed: it is the same in every run and hides nothing"
_LAWS = {  # the family, and what may be asked for
    "laplace": ("laplace", ("loc", "scale", "size")), "gumbel": ("gumbel", ("loc", "scale", "size")),
    "normal": ("normal", ("loc", "scale", "size")), "exponential": ("exponential", ("scale", "size")),
    "standard_exponential": ("exponential", ("size",)), "standard_normal": ("normal", ("size",)),
    "uniform": ("uniform", ("low", "high", "size")), "random": ("uniform", ("size",)),
}  # fmt: skip
DRAWN = tuple(_LAWS)


class Generator(Room):
    """A generator: its draws are unknowns of the run, or on numbers new ones; ``known`` are those of a fixed seed."""

    common = False  # whether it is numpy's own, whose seed is set for all

    def __init__(self, known: Any = None) -> None:
        super().__init__("rng", {})
        self.known = known

    def get(self, run: Run, name: str) -> Any:
        """What it draws under a name."""
        if name not in _LAWS:
            raise run.stop(f"It draws with rng.{name}, which is not read")
        return Native(f"rng.{name}", lambda run, *given, **options: self.drawn(run, name, *given, **options), self)

    def drawn(self, run: Run, name: str, *given: Any, **options: Any) -> Any:
        """One draw, or as many as are asked for: the location, and as much more as the scale says."""
        family, names = _LAWS[name]
        asked = dict(zip(names, given))
        if len(given) > len(names) or set(options) - set(names) or set(options) & set(asked):
            raise TypeError("too many arguments, or others")
        asked.update(options)
        loc, scale, size = asked.get("loc", 0.0), asked.get("scale", 1.0), asked.get("size")
        if name == "uniform":
            loc, high = asked.get("low", 0.0), asked.get("high", 1.0)
            if not (is_plain(loc) and is_plain(high) and loc <= high):
                raise run.stop("It draws between limits that are no numbers in order")
            scale = high - loc
        size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
        for one in (size, loc, scale):
            if isinstance(one, Abstract):
                return one.call(run, "drawn", family, loc, scale, size)
        return self.shaped(run, family, loc, scale, size)

    def shaped(self, run: Run, family: str, loc: Any, scale: Any, size: Any) -> Any:
        """The draws of a location, a scale and a size that are known."""
        lists = [x for x in (loc, scale) if isinstance(x, _LISTS)]
        count = size if size is not None else len(row(run, lists[0]).items) if lists else None
        if count is None:
            drawn = self.one(run, family, scale)
            return drawn if is_plain(loc) and not loc else binary(run, "Add", loc, drawn)
        if type(count) is tuple:
            raise run.stop("It draws noise in another shape than a list")
        if type(count) is not int or count < 0 or count > _LONGEST:
            raise Refused(f"size must leave at most {_LONGEST:,} draws in one run, got {size!r}")
        run.tick(count // 10)
        scales = row(run, scale).items if isinstance(scale, _LISTS) else [scale] * count
        drawn = Row([self.one(run, family, s) for s in scales])
        if len(scales) != count:
            raise run.stop("It puts arrays of different lengths together")
        return binary(run, "Add", row(run, loc) if isinstance(loc, _LISTS) else loc, drawn)

    def one(self, run: Run, family: str, scale: Any) -> Any:
        """One draw around 0."""
        known = run.known if self.known is None and self.common else self.known
        if known is not None:
            return float(getattr(known, family)()) * scale
        if run.fork is not None:
            return run.fork.draw(family, scale)
        run.strange = True
        if not isinstance(scale, (int, float)) or not scale >= 0:
            raise Raised("ValueError", f"scale must be at least 0, got {scale}")
        u = 1 - random.random()
        if family == "laplace":
            return scale * (math.log(u) - math.log(1 - random.random()))
        if family == "normal":
            return scale * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * random.random())
        if family == "gumbel":
            return -scale * math.log(-math.log(u * (1 - 1e-16)))
        return -scale * math.log(u) if family == "exponential" else scale * (1 - u)


def _seeded(run: Run, seed: Any) -> Any:
    if not isinstance(seed, int) or seed < 0:
        raise run.stop("The seed of its noise depends on the answers, and so gives them away")
    if run.always is not None:
        raise run.stop(SEEDED)
    run.seeded = True
    try:
        import numpy
    except ImportError:
        raise run.stop(SEEDED)  # noqa: B904  (a page, where there is no numpy)
    return numpy.random


def _default_rng(run: Run, seed: Any = None) -> Generator:
    if seed is None or isinstance(seed, Generator):
        return Generator() if seed is None else seed
    return Generator(_seeded(run, seed).default_rng(seed))


def _seed(run: Run, seed: Any = None) -> None:
    numpy_random = _seeded(run, seed)
    if seed >= 1 << 32:
        raise Raised("ValueError", f"Seed must be between 0 and 2**32 - 1, got {seed}")
    run.known = numpy_random.RandomState(seed)


class _Module(Generator):
    """numpy.random, which draws as a generator does."""

    common = True

    def get(self, run: Run, name: str) -> Any:
        """A draw, or another generator."""
        if name in ("default_rng", "seed"):
            return Native(f"np.random.{name}", _default_rng if name == "default_rng" else _seed)
        return super().get(run, name)


def _rvs(family: str) -> Native:
    def do(run: Run, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, random_state: Any = None) -> Any:
        source = _default_rng(run, random_state)
        for one in (size, loc, scale):
            if isinstance(one, Abstract):
                return one.call(run, "drawn", family, loc, scale, size)
        return source.shaped(run, family, loc, scale, size)

    return Native("rvs", do)


class Family(Room):
    """A law of scipy's: it draws, or is given its location and scale first."""

    def frozen(self, run: Run, loc: Any = 0.0, scale: Any = 1.0) -> Room:
        """The law of that location and scale."""
        rvs = self.has["rvs"]

        def do(run: Run, size: Any = None, random_state: Any = None) -> Any:
            return rvs.do(run, loc, scale, size, random_state)

        return Law(self.words, {"rvs": Native(f"{self.words}.rvs", do, (loc, scale))}, (loc, scale))


class Law(Room):
    """A law of scipy's with its location and scale."""

    def __init__(self, words: str, has: dict[str, Any], of: Any) -> None:
        super().__init__(words, has)
        self.of = of


_OWN = Generator()  # Python's
_OF_PYTHON: dict[str, Callable[..., Any]] = {
    "random": lambda: ("uniform", 0.0, 1.0),
    "uniform": lambda a, b: ("uniform", a, b - a),
    "gauss": lambda mu=0.0, sigma=1.0: ("normal", mu, sigma),
    "expovariate": lambda lambd=1.0: ("exponential", 0.0, 1 / lambd),
}


def _of_python(name: str, law: Callable[..., Any]) -> Native:
    draw = getattr(random, name, None)  # MicroPython has not all of them

    def do(run: Run, *given: Any, **options: Any) -> Any:
        if not all([is_plain(x) and x > -math.inf for x in given + tuple(options.values())]):
            raise run.stop("It draws from the module random with what is no number")
        try:
            if run.fork is None and draw is not None:
                return draw(*given, **options)
            family, loc, scale = law(*given, **options)
        except ZeroDivisionError:
            scale = -1
        if scale < 0:
            raise run.stop("It draws with a scale that is none, or between limits in the wrong order")
        return _OWN.shaped(run, family, loc, scale, None)

    return Native(f"random.{name}", do)


NUMPY["random"] = _Module()
_STATS = {"laplace": "laplace", "expon": "exponential", "norm": "normal", "gumbel_r": "gumbel"}
_MATH: dict[str, Any] = {name: Native(f"math.{name}", do) for name, do in PLAIN.items()}
_MATH.update(NUMBERS)
MODULES = {
    "numpy": Room("np", NUMPY),
    "math": Room("math", _MATH),
    "random": Room("random", {name: _of_python(name, law) for name, law in _OF_PYTHON.items()}),
    "collections": Room("collections", {"Counter": Native("Counter", lambda run: Record([], counts=True))}),
    "scipy.stats": Room("scipy.stats", {name: Family(name, {"rvs": _rvs(of)}) for name, of in _STATS.items()}),
}
