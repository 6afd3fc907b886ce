"""The closed world in which a program is run on unknowns: builtins, numpy and a generator, as far as they are read."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from svtcourse.judge.rows import Draws
from svtcourse.judge.symbols import Fork, Form, Refused

__all__ = ["BUILTINS", "FAMILIES", "Function", "Math", "Numpy", "Random", "Source", "Stats", "allowed", "symbolic"]

_KNOWN = """
    abs all any bool enumerate len list max min range reversed set sum tuple zip map filter next iter pow divmod
    True False None ValueError RuntimeError StopIteration IndexError Exception float int round sorted slice str
    object
"""
_OF_NUMPY = """
    abs absolute array asarray zeros ones zeros_like ones_like full full_like empty empty_like arange any all
    sum cumsum flatnonzero nonzero where argmax argmin max min amax amin maximum minimum count_nonzero
    concatenate append sqrt log exp log1p expm1 log2 cbrt power ceil floor inf pi e float64 bool_ int64 clip
    median mean sort argsort diff roll tile repeat resize flip newaxis logical_and logical_or logical_not insert
    stack outer ptp isinf greater greater_equal less less_equal sign searchsorted add subtract multiply divide
    negative std var
"""
BUILTINS, _NUMPY = _KNOWN.split(), frozenset(_OF_NUMPY.split())


class Reading(Protocol):
    """What this world asks of the reader that runs a program in it."""

    fork: Fork
    seeded: bool
    known: Any
    count: int
    modules: dict[str, Any]

    def inverse(self, name: str, x: Any, function: Callable[[Any], Any]) -> Any:
        """A function of one number."""

    def steady(self, name: str, values: Any, function: Callable[[Any], Any], refused: bool) -> Any:
        """A function of a list that moves with its elements."""

    def extreme(self, name: str, values: Any, function: Callable[[Any], Any]) -> Any:
        """The largest or smallest of some numbers."""

    def drawn(self, draw: Callable[..., Any], loc: Any, scale: Any, size: Any) -> Any:
        """One draw, or as many as are asked for."""


def allowed(reader: Reading) -> dict[str, Any]:
    """The builtins that a program may use."""
    found = {name: getattr(builtins, name) for name in BUILTINS if hasattr(builtins, name)}
    found["float"] = _to_float
    found["str"] = partial(_text, reader)
    found["sorted"] = lambda x, **options: reader.steady("sorted", x, lambda y: sorted(y, **options), bool(options))
    for name, function in (("max", max), ("min", min)):
        found[name] = partial(_extreme, reader, name, function)
    for name, known in (("sum", sum), ("pow", pow), ("divmod", divmod)):
        found[name] = partial(_of_two, reader, known)
    found["__import__"] = partial(_imported, reader)
    return found


def _of_two(reader: Reading, function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """A function that calculates with two numbers, neither of which is a truth."""
    if len(values) + len(options) > 1 and any(isinstance(x, (bool, np.bool_)) for x in (*values, *options.values())):
        raise reader.fork.stop(f"It takes {function.__name__} of a truth")
    found = function(*values, **options)
    return int(found) if isinstance(found, np.integer) else found


def _to_float(x: Any = 0.0) -> Any:
    return x if isinstance(x, Form) else float(x)


_FLOATS = None, _to_float, float, np.float64, "float", "float64"
_PLAIN = *_FLOATS, bool, int, np.bool_, np.int64, "bool", "int", "int64"


def _imported(reader: Reading, name: str, *rest: Any) -> Any:
    if name not in reader.modules and not name.startswith("numpy."):  # which numpy's own methods ask for
        raise reader.fork.stop(f"It imports {name}")
    return reader.modules[name] if name in reader.modules else __import__(name, *rest)


def _text(reader: Reading, value: Any = "") -> str:
    if not isinstance(value, (bool, int, str, np.bool_, np.integer, Form)):  # another text in a run on numbers
        raise reader.fork.stop(f"It makes a text of {type(value).__name__}")
    return str(value)


def _extreme(reader: Reading, name: str, function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    if options or (len(values) == 1 and not isinstance(values[0], (list, tuple, np.ndarray))):
        return function(*values, **options)
    return reader.extreme(name, values if len(values) > 1 else values[0], lambda items: function(items))


class Function:
    """A function of numpy or math in this world: called as that is, and equal to itself as there."""

    def __init__(self, real: Any, ours: Callable[..., Any]) -> None:
        self.real, self.ours = real, ours

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Ours."""
        return self.ours(*arguments, **options)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Function) and self.real is other.real

    def __hash__(self) -> int:
        return hash(self.real)


class Math:
    """The module math, for plain numbers."""

    def __init__(self, reader: Reading) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        value = getattr(math, name)
        if not callable(value):
            return value

        def of_plain_numbers(*arguments: Any) -> Any:
            if name == "log" and len(arguments) == 1 and isinstance(arguments[0], Form):
                return self._reader.inverse(name, arguments[0], value)
            if any(isinstance(argument, Form) for argument in arguments):
                raise self._reader.fork.stop(f"It takes math.{name} of a number that it does not know")
            return value(*arguments)

        return Function(value, of_plain_numbers)


class Numpy:
    """The module numpy, as far as it is read; arrays of unknowns are arrays of objects."""

    def __init__(self, reader: Reading) -> None:
        self._reader = reader
        self.random = Random(reader)

    def __getattr__(self, name: str) -> Any:
        if name not in _NUMPY:
            raise self._reader.fork.stop(f"It uses np.{name}, which is not read")
        value = getattr(np, name)
        return value if not callable(value) or isinstance(value, type) else Function(value, self._ours(name, value))

    def _empty(self, name: str, like: Any, dtype: Any = None) -> Any:
        if dtype is not None and dtype is not _to_float and dtype is not np.float64:
            raise self._reader.fork.stop("It makes numbers of a type of their own (dtype), which round or run over")
        return np.full(like if name == "empty" else np.shape(like), _Unset(self._reader), dtype=object)

    def _ours(self, name: str, value: Callable[..., Any]) -> Callable[..., Any]:
        if name in ("sign", "log"):
            return lambda x: self._reader.inverse(name, x, value)
        if name in ("sort", "clip"):
            return lambda x, *limits, **options: self._reader.steady(
                name,
                np.array(list(x), dtype=object) if isinstance(x, (list, tuple)) and _unknown(x) else x,
                lambda y: value(y, *limits, **options),
                bool(options) or len(limits) > 2 or not all(isinstance(y, (int, float, np.number)) for y in limits),
            )

        if name in ("empty", "empty_like"):
            return partial(self._empty, name)

        def called(*arguments: Any, **options: Any) -> Any:
            if "where" in options:
                raise self._reader.fork.stop("It leaves a part of an array as the memory was")
            unknown = any(_unknown(argument) for argument in arguments)
            dtype = options.get("dtype")
            if not any(
                dtype is known or (isinstance(known, str) and dtype == known)
                for known in (_FLOATS if unknown else _PLAIN)
            ):
                raise self._reader.fork.stop("It makes numbers of a type of their own (dtype), which round or run over")
            if unknown or dtype is _to_float:
                options.pop("dtype", None)
            if unknown and any(map(_texts, arguments)):
                raise self._reader.fork.stop("It puts texts or None beside numbers into an array")
            found = value(*arguments, **options)
            if isinstance(found, (np.generic, np.ndarray)) and found.dtype.kind in "iufc" and found.dtype.itemsize < 8:
                raise self._reader.fork.stop("It makes numbers of a type of their own, which round or run over")
            if isinstance(found, np.ndarray) and found.dtype == object:
                self._as_floats(found)
            return found

        return called

    def _as_floats(self, found: Any) -> None:
        """Make floats of the numbers in an array of unknowns, as numpy would."""
        for place in np.ndindex(found.shape):
            one = found[place]
            if isinstance(one, (bool, np.bool_)) or (isinstance(one, int) and abs(one) > 2**53):
                raise self._reader.fork.stop("It puts truths, or numbers beyond 2^53, beside others into an array")
            found[place] = float(one) if isinstance(one, int) else one


class _Unset:
    """What nobody has written into an array: whatever was in that memory before."""

    __slots__ = ("_reader",)

    def __init__(self, reader: Reading) -> None:
        self._reader = reader

    def _refused(self, *_: Any) -> Any:
        raise self._reader.fork.stop("It reads a place of an array that it has not set")

    __bool__ = __float__ = __int__ = __str__ = __repr__ = __abs__ = __neg__ = _refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __hash__ = None  # type: ignore[assignment]


def _texts(value: Any) -> bool:
    """Whether a text, or None, is among these."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        return any(map(_texts, np.ravel(value) if isinstance(value, np.ndarray) else value))
    return value is None or isinstance(value, (str, np.str_))


def _unknown(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype == object)
    return isinstance(value, Form) or (isinstance(value, (list, tuple)) and any(map(_unknown, value)))


class Source(Draws):
    """A generator whose draws are unknowns."""

    def __init__(self, reader: Reading) -> None:
        self._reader = reader

    def _drawn(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        return self._reader.drawn(partial(self._of_known_shape, family), loc, scale, size)

    def _of_known_shape(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        fork = self._reader.fork
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        if shape == ():
            if size is not None:
                raise fork.stop("It draws an array without dimensions")
            return loc + fork.draw(family, scale)
        shape = (int(shape),) if hasattr(shape, "__index__") else tuple(int(k) for k in shape)
        if math.prod(shape) > 20_000:
            raise Refused(f"size must leave at most 20,000 draws in one run, got {size!r}")
        scales = np.broadcast_to(np.asarray(scale, dtype=object), shape)
        drawn = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            drawn[index] = fork.draw(family, scales[index])
        return drawn + loc

    def _coin(self) -> Any:
        return self._reader.fork.coin()

    def __getattr__(self, name: str) -> Any:
        raise self._reader.fork.stop(f"It draws with rng.{name}, which is not read")


class Random(Source):
    """The module numpy.random: unseeded it draws unknowns; what is seeded is no noise, and is run as it is."""

    def seed(self, seed: Any = None) -> None:
        """As `numpy.random.seed`: what is drawn from then on is known."""
        if _unknown(seed):
            raise self._reader.fork.stop("The seed of its noise depends on the answers, and so gives them away")
        self._reader.seeded, self._reader.known = True, np.random.RandomState(seed)

    def _drawn(self, family: str, loc: Any, scale: Any, size: Any) -> Any:
        if self._reader.known is None:
            return super()._drawn(family, loc, scale, size)
        return loc + scale * getattr(self._reader.known, family)(size=size)

    def _coin(self) -> Any:
        known = self._reader.known
        return super()._coin() if known is None else known.choice([-1, 1])

    def default_rng(self, seed: Any = None) -> Any:
        """As `numpy.random.default_rng`."""
        if seed is None:
            return Source(self._reader)
        if isinstance(seed, Source):
            return seed
        if _unknown(seed):
            raise self._reader.fork.stop("The seed of its noise depends on the answers, and so gives them away")
        self._reader.seeded = True
        return np.random.default_rng(seed)


FAMILIES = {"laplace": "laplace", "expon": "exponential", "norm": "normal", "gumbel_r": "gumbel"}  # of scipy.stats


class Stats:
    """The module scipy.stats, as far as it draws noise: ``laplace.rvs(loc, scale, size, random_state)`` and its kin."""

    def __init__(self, reader: Reading) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        if name not in FAMILIES:
            raise self._reader.fork.stop(f"It uses scipy.stats.{name}, which is not read")
        return SimpleNamespace(rvs=partial(self._rvs, FAMILIES[name]))

    def _rvs(self, family: str, loc: Any = 0, scale: Any = 1, size: Any = None, random_state: Any = None) -> Any:
        world = Random(self._reader)
        source = world if random_state is None else world.default_rng(random_state)
        if isinstance(source, Source):
            return source._drawn(family, loc, scale, size)
        return loc + scale * getattr(source, family)(size=size)


def symbolic(reader: Reading, fork: Fork, n: int) -> tuple[Any, Any, Source]:
    """Unknown answers, an unknown threshold and a generator of unknowns."""
    reader.count = n
    answers = np.empty(n, dtype=object)
    answers[:] = [fork.variable(("a", i)) for i in range(n)]
    return answers, fork.variable(("T",)), Source(reader)
