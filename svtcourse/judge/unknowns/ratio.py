"""Exact fractions, as `fractions.Fraction` has them, in plain Python: MicroPython on the site's pages has none."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Ratio", "beside"]


class Ratio:
    """A fraction in lowest terms; with an int or another fraction exact, with a float a float.

    Compare it with a plain number on its right: MicroPython does not turn a comparison round.

    Examples
    --------
    >>> Ratio(2, 4) + 1, Ratio.of(0.75) == Ratio(3, 4), float(Ratio(1, 8)), str(Ratio(-3)), Ratio(1, 3) > 0.3
    (Ratio(3/2), True, 0.125, '-3', True)
    """

    __slots__ = ("bottom", "top")

    def __init__(self, top: int, bottom: int = 1) -> None:
        if bottom != 1:
            a, b = top, bottom
            while b:
                a, b = b, a % b
            if a < 0 < bottom or bottom < 0 < a:
                a = -a
            top, bottom = top // a, bottom // a
        self.top, self.bottom = top, bottom

    @staticmethod
    def of(number: Any) -> Ratio:
        """Exactly this int, float or fraction; an infinity or NaN is a ValueError or OverflowError."""
        if isinstance(number, Ratio):
            return number
        if isinstance(number, int):
            return Ratio(int(number))  # a truth too
        whole = int(number)
        if whole == number:
            return Ratio(whole)
        bottom = 1
        while whole != number:  # doubled, a float stays exact, and is whole in the end
            number, bottom = number * 2, bottom * 2
            whole = int(number)
        return Ratio(whole, bottom)

    def __float__(self) -> float:
        return self.top / self.bottom

    def __hash__(self) -> int:
        return hash((self.top, self.bottom))

    def __repr__(self) -> str:
        return f"Ratio({self})"

    def __str__(self) -> str:
        return f"{self.top}/{self.bottom}" if self.bottom != 1 else f"{self.top}"

    def __bool__(self) -> bool:
        return self.top != 0

    def __neg__(self) -> Ratio:
        return Ratio(-self.top, self.bottom)

    def __abs__(self) -> Ratio:
        return self if self.top >= 0 else -self

    def __add__(self, other: Any) -> Any:
        if isinstance(other, float):
            return float(self) + other
        if not isinstance(other, Ratio):
            other = Ratio.of(other)
        if not other.top:
            return self
        if not self.top:
            return other
        return Ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, float):
            return float(self) * other
        if not isinstance(other, Ratio):
            other = Ratio.of(other)
        if other.bottom == 1 and abs(other.top) == 1:
            return self if other.top == 1 else -self
        return Ratio(self.top * other.top, self.bottom * other.bottom)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, float):
            return float(self) / other
        if not isinstance(other, Ratio):
            other = Ratio.of(other)
        if other.bottom == 1 and abs(other.top) == 1:
            return self if other.top == 1 else -self
        return Ratio(self.top * other.bottom, self.bottom * other.top)

    def __rtruediv__(self, other: Any) -> Any:
        return Ratio.of(other) / self if not isinstance(other, float) else other / float(self)

    def _less(self, other: Any) -> int:
        if isinstance(other, int):
            return self.top - other * self.bottom
        right = other if isinstance(other, Ratio) else Ratio.of(other)
        return self.top * right.bottom - right.top * self.bottom

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ratio):
            return self.top == other.top and self.bottom == other.bottom
        return isinstance(other, (int, float)) and self._less(other) == 0

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __lt__(self, other: Any) -> bool:
        return self._less(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._less(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._less(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._less(other) >= 0


def beside(x: float, move: float) -> float:
    """x + move as a float, rounded to the near side of what it is.

    Examples
    --------
    >>> 15.6 + 1.0, beside(15.6, 1.0) < 16.6, beside(2.0, -1.0)
    (16.6, True, 1.0)
    """
    moved, less = x + move, 2.0**-40
    while abs(Ratio.of(moved) - Ratio.of(x)) > abs(Ratio.of(move)):
        moved, less = x + move * (1 - less), less * 2
    return moved
