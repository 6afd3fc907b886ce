"""What a mechanism guarantees, as values that compare, compose and print: pure, approximate and Rényi privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from svtlib import validate

__all__ = ["Approximate", "Renyi", "pure"]


@dataclass(frozen=True)
class Approximate:
    """(epsilon, delta)-differential privacy; pure, epsilon-differential privacy where delta is 0 (`pure(epsilon)`).

    `one <= other` says that whatever has the guarantee `one` has `other` too; `one + other` is what two mechanisms
    guarantee that are run one after the other, each on the same data (Dwork & Roth 2014, Theorem 3.16).

    Parameters
    ----------
    epsilon : float
        At least 0; infinite where nothing is guaranteed.
    delta : float
        From 0 to 1.

    Examples
    --------
    >>> pure(0.5) + pure(0.25), pure(1.0) <= Approximate(0.9, 0.1), pure(1.0) <= pure(0.9)
    (0.75-DP, True, False)
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.epsilon != math.inf:
            object.__setattr__(self, "epsilon", validate.non_negative("epsilon", self.epsilon))
        object.__setattr__(self, "delta", validate.non_negative("delta", self.delta))
        if self.delta > 1:
            raise ValueError(f"delta must be from 0 to 1, got {self.delta!r}")

    def at(self, epsilon: float) -> float:
        """The smallest delta that this guarantee gives for another epsilon.

        Exact: the worst pair is randomized response that tells the truth for certain with probability `delta`
        (Kairouz, Oh & Viswanath 2015).

        Examples
        --------
        >>> round(pure(1.0).at(0.0), 6), Approximate(1.0, 0.01).at(2.0)
        (0.462117, 0.01)
        """
        if epsilon >= self.epsilon:
            return self.delta
        if self.epsilon == math.inf:
            return 1.0
        lost = -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))
        return self.delta + (1 - self.delta) * lost

    def renyi(self, order: float) -> Renyi:
        """The Rényi guarantee of this order that pure differential privacy gives: that of randomized response.

        Examples
        --------
        >>> pure(1.0).renyi(2.0)
        (2, 0.735326)-Rényi DP
        """
        if self.delta or self.epsilon == math.inf:
            return Renyi(order, math.inf)
        a, e = Renyi(order, 0.0).order, self.epsilon  # Pr = exp(e) and 1, over 1 + exp(e), and the other way round
        terms = a * e, (1 - a) * e
        top = max(terms)
        log_sum = top + math.log(sum(math.exp(term - top) for term in terms)) - math.log1p(math.exp(-e)) - e
        return Renyi(order, max(log_sum, 0.0) / (a - 1))

    def __le__(self, other: object) -> bool:
        if isinstance(other, Renyi):
            return self.renyi(other.order).epsilon <= other.epsilon
        return self.at(other.epsilon) <= other.delta if isinstance(other, Approximate) else NotImplemented

    def __add__(self, other: object) -> Approximate:
        if not isinstance(other, Approximate):
            return NotImplemented
        return Approximate(self.epsilon + other.epsilon, min(1.0, self.delta + other.delta))

    def __repr__(self) -> str:
        epsilon = "∞" if self.epsilon == math.inf else f"{self.epsilon:.6g}"
        return f"({epsilon}, {self.delta:.6g})-DP" if self.delta else f"{epsilon}-DP"


def pure(epsilon: float) -> Approximate:
    """Epsilon-differential privacy: (epsilon, 0).

    Examples
    --------
    >>> pure(1.0)
    1-DP
    """
    return Approximate(epsilon)


@dataclass(frozen=True)
class Renyi:
    """Rényi differential privacy: the divergence of this order between neighbours is at most epsilon (Mironov 2017).

    `<=` and `+` are those of `Approximate`; guarantees of one order compose.

    Parameters
    ----------
    order : float
        Greater than 1.
    epsilon : float
        At least 0; infinite where nothing is guaranteed.

    Examples
    --------
    >>> Renyi(8.0, 0.1) + Renyi(8.0, 0.2), Renyi(8.0, 0.1) <= Renyi(4.0, 0.1)
    ((8, 0.3)-Rényi DP, True)
    """

    order: float
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", validate.positive("order", self.order))
        if self.order <= 1:
            raise ValueError(f"order must be greater than 1, got {self.order!r}")
        if self.epsilon != math.inf:
            object.__setattr__(self, "epsilon", validate.non_negative("epsilon", self.epsilon))

    def approximate(self, delta: float) -> Approximate:
        """An epsilon for this delta (Canonne, Kamath & Steinke 2020, Proposition 12), not below 0.

        Examples
        --------
        >>> Renyi(8.0, 0.5).approximate(1e-5)
        (1.71411, 1e-05)-DP
        """
        delta = validate.positive("delta", delta)
        more = math.log1p(-1 / self.order) - (math.log(delta) + math.log(self.order)) / (self.order - 1)
        return Approximate(max(0.0, self.epsilon + more), delta)

    def __le__(self, other: object) -> bool:
        if isinstance(other, Renyi):
            return self.order >= other.order and self.epsilon <= other.epsilon
        if not isinstance(other, Approximate):
            return NotImplemented
        return other.delta > 0 and self.approximate(other.delta) <= other

    def __add__(self, other: object) -> Renyi:
        if not isinstance(other, Renyi) or other.order != self.order:
            return NotImplemented
        return Renyi(self.order, self.epsilon + other.epsilon)

    def __repr__(self) -> str:
        return f"({self.order:.6g}, {self.epsilon:.6g})-Rényi DP"
