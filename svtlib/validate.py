"""Checks of arguments: one sentence that names the argument, the value and what is allowed."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST, MOST = 1e-100, 1e100  # of what is multiplied, divided and squared: nothing then leaves floating point
_MOST_COUNTED = 10**12
_LONGEST = 4096  # bits of a denominator; of a float's they are 1,074


def _shown(value: Any) -> str:
    """The value as it is written in a message; hundreds of digits are only counted."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def finite(name: str, value: Any) -> float:
    """Return `value` as a float, or raise ValueError unless it is one finite real number that a float can hold."""
    number = math.nan
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite real number, got {_shown(value)}")
    return number


def positive(name: str, value: Any) -> float:
    """Return `value` as a float, or raise ValueError unless it is greater than 0, and from 1e-100 to 1e100."""
    number = finite(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be greater than 0, got {value!r}")
    if not LEAST <= number <= MOST:
        raise ValueError(f"{name} must be from {LEAST:g} to {MOST:g}, got {value!r}")
    return number


def probability(name: str, value: Any) -> float:
    """Return `value` as a float, or raise ValueError unless it is greater than 0 and less than 1."""
    number = positive(name, value)
    if number >= 1:
        raise ValueError(f"{name} must be less than 1, got {value!r}")
    return number


def non_negative(name: str, value: Any) -> float:
    """Return `value` as a float, or raise ValueError unless it is finite and at least 0."""
    number = finite(name, value)
    if number < 0:
        raise ValueError(f"{name} must be at least 0, got {value!r}")
    return number


def count(name: str, value: Any, *, least: int = 1, most: int = _MOST_COUNTED) -> int:
    """Return `value` as an int, or raise ValueError unless it is an integer from `least` to `most`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {_shown(value)}")
    number = int(value)
    if number > most:
        raise ValueError(f"{name} must be at most {most:,}, got {_shown(value)}")
    return number


def rational(name: str, value: Any) -> Fraction:
    """Return `value` as a fraction, a float as the fraction that it is, or raise ValueError unless it is finite.

    Or if it is beyond every float, or has a denominator longer than anybody writes one.
    """
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        found = Fraction(int(value.numerator), int(value.denominator))
        if abs(found) > sys.float_info.max or found.denominator >> _LONGEST:
            raise ValueError(f"{name} must be below 1.8e308, with a denominator of at most {_LONGEST:,} bits")
        return found
    return Fraction(finite(name, value))


def rationals(name: str, values: Any, *, length: int | None = None) -> list[Fraction]:
    """Return `values` as fractions, or raise ValueError if one is no finite number.

    With `length` a number is repeated, and a sequence of another length is refused.
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()  # an array without dimensions is a number
    if isinstance(values, numbers.Real) and length is not None:
        return [rational(name, values)] * length
    try:
        listed = list(values)
    except TypeError:
        raise ValueError(f"{name} must be a sequence of real numbers, got {values!r}") from None
    if length is not None and len(listed) != length:
        raise ValueError(f"{name} must have length {length}, one for each query, got length {len(listed)}")
    return [rational(name, value) for value in listed]


def whole(name: str, value: Any) -> int:
    """Return `value` as an int, or raise ValueError unless it is a whole number."""
    number = rational(name, value)
    if number.denominator != 1:
        raise ValueError(f"{name} must be a whole number where the noise is, got {value!r}")
    return number.numerator


def boolean(name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise ValueError unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def fields(value: Any, check: Callable[[str, Any], Any], *names: str) -> None:
    """Replace these fields of a frozen value by what `check` makes of them."""
    for name in names:
        object.__setattr__(value, name, check(name, getattr(value, name)))


def choice(name: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Return `value`, or raise ValueError unless it is one of `allowed`."""
    options = list(allowed)
    if not any(value is option or (type(value) is type(option) and value == option) for option in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def finite_array(name: str, values: Any, *, length: int | None = None, copy: bool = True) -> NDArray[np.float64]:
    """Return `values` as a one-dimensional float array, or raise ValueError if an entry is not a finite number.

    With `length` a scalar is repeated, and an array of another length is refused.
    Without `copy` floats are returned themselves: only for a caller that does not write to them.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iuf" and array.size:
            raise TypeError
        array = array.astype(float, copy=copy)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be real numbers, got {values!r}") from None
    if array.ndim == 0 and length is not None:
        array = np.full(length, finite(name, array.item()))
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if length is not None and array.size != length:
        raise ValueError(f"{name} must have length {length}, one for each answer, got length {array.size}")
    if not np.isfinite(array).all():
        index = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[index]!r} at index {index}")
    return array


def generator(name: str, value: Any) -> np.random.Generator:
    """Return a numpy random Generator, or that of a seed; ValueError for what is neither."""
    if isinstance(value, np.random.Generator):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 0:
        return np.random.default_rng(value)
    raise ValueError(
        f"{name} must be a numpy.random.Generator, such as numpy.random.default_rng(1), or its seed, got {value!r}"
    )
