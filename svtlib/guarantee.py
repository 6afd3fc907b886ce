"""What a mechanism guarantees, as values that convert and print: pure, approximate and Rényi privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from svtlib import validate


@dataclass(frozen=True)
class Approximate:
    """(epsilon, delta)-differential privacy; pure, epsilon-differential privacy where delta is 0.

    Parameters
    ----------
    epsilon : float
        At least 0; infinite where nothing is guaranteed.
    delta : float
        From 0 to 1.

    Examples
    --------
    >>> Approximate(1.0), Approximate(1.0, 1e-6)
    (1-DP, (1, 1e-06)-DP)
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.epsilon != math.inf:
            validate.fields(self, validate.non_negative, "epsilon")
        validate.fields(self, validate.non_negative, "delta")
        if self.delta > 1:
            raise ValueError(f"delta must be from 0 to 1, got {self.delta!r}")

    def renyi(self, order: float) -> Renyi:
        """The Rényi guarantee of this order that pure differential privacy gives: that of randomized response.

        Examples
        --------
        >>> Approximate(1.0).renyi(2.0)
        (2, 0.735326)-Rényi DP
        """
        if self.delta or self.epsilon == math.inf:
            return Renyi(order, math.inf)
        a, e = Renyi(order, 0.0).order, self.epsilon  # Pr = exp(e) and 1, over 1 + exp(e), and the other way round
        terms = a * e, (1 - a) * e
        top = max(terms)
        log_sum = top + math.log(sum(math.exp(term - top) for term in terms)) - math.log1p(math.exp(-e)) - e
        return Renyi(order, max(log_sum, 0.0) / (a - 1))

    def __repr__(self) -> str:
        epsilon = "∞" if self.epsilon == math.inf else f"{self.epsilon:.6g}"
        return f"({epsilon}, {self.delta:.6g})-DP" if self.delta else f"{epsilon}-DP"


@dataclass(frozen=True)
class Renyi:
    """Rényi differential privacy: the divergence of this order between neighbours is at most epsilon (Mironov 2017).

    Parameters
    ----------
    order : float
        Greater than 1.
    epsilon : float
        At least 0; infinite where nothing is guaranteed.

    Examples
    --------
    >>> Renyi(8.0, 0.1)
    (8, 0.1)-Rényi DP
    """

    order: float
    epsilon: float

    def __post_init__(self) -> None:
        validate.fields(self, validate.positive, "order")
        if self.order <= 1:
            raise ValueError(f"order must be greater than 1, got {self.order!r}")
        if self.epsilon != math.inf:
            validate.fields(self, validate.non_negative, "epsilon")

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

    def __repr__(self) -> str:
        return f"({self.order:.6g}, {self.epsilon:.6g})-Rényi DP"
