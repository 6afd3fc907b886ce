"""How a budget is split and what a noise scale is made of, as formulas that print themselves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from svtlib import validate


@dataclass(frozen=True)
class Budget:
    """A privacy budget and its parts, with what the noise scales depend on.

    Examples
    --------
    >>> Budget(epsilon=1.0, c=2).parts
    (0.5, 0.5, 0.0)
    """

    epsilon: float
    c: int = 1
    sensitivity: float = 1.0
    monotonic: bool = False
    split: float = 1.0
    epsilon3: float = 0.0

    def __post_init__(self) -> None:
        validate.fields(self, validate.positive, "epsilon", "sensitivity", "split")
        validate.fields(self, validate.count, "c")
        validate.fields(self, validate.boolean, "monotonic")
        validate.fields(self, validate.non_negative, "epsilon3")
        if self.epsilon3 >= self.epsilon:
            raise ValueError(f"epsilon3 must be less than epsilon = {self.epsilon}, got {self.epsilon3!r}")

    @property
    def parts(self) -> tuple[float, float, float]:
        """Epsilon1, epsilon2 and epsilon3, which add up to epsilon: epsilon2 is split * epsilon1."""
        epsilon1 = (self.epsilon - self.epsilon3) / (1 + self.split)
        return epsilon1, self.split * epsilon1, self.epsilon3


@dataclass(frozen=True)
class Scale:
    """A noise scale as the sources print it: factor * c * sensitivity / part of the budget.

    What a source prints with the whole epsilon has the share of the part in its factor: 3cΔ/ε is
    `Scale("epsilon2", factor=1.5, times_c=True)` where epsilon2 is half of it.

    Parameters
    ----------
    part : {"epsilon1", "epsilon2", "epsilon3"}
        The part of the budget that this noise spends.
    factor : float
    times_c : bool
        True if the scale grows with c.
    halved_if_monotonic : bool
        True if the source halves the scale for monotonic queries.

    Examples
    --------
    >>> scale = Scale("epsilon2", factor=2, times_c=True)
    >>> print(scale, scale(Budget(epsilon=1.0, c=3)))
    2cΔ/ε₂ 12.0
    """

    part: Literal["epsilon1", "epsilon2", "epsilon3"]
    factor: float = 1
    times_c: bool = False
    halved_if_monotonic: bool = False

    def __post_init__(self) -> None:
        validate.choice("part", self.part, ("epsilon1", "epsilon2", "epsilon3"))
        validate.fields(self, validate.positive, "factor")
        validate.fields(self, validate.boolean, "times_c", "halved_if_monotonic")

    def factor_for(self, monotonic: bool) -> Fraction:
        """The factor, exactly."""
        return Fraction(self.factor) / (2 if self.halved_if_monotonic and monotonic else 1)

    def __call__(self, budget: Budget) -> float:
        """The scale in the units of the answers."""
        factor = float(self.factor_for(budget.monotonic)) * (budget.c if self.times_c else 1)
        scale = factor * budget.sensitivity / budget.parts[int(self.part[-1]) - 1]
        if not validate.LEAST <= scale <= validate.MOST:
            raise ValueError(
                f"epsilon must give noise scales from {validate.LEAST:g} to {validate.MOST:g}, got {budget.epsilon!r}; "
                f"with sensitivity {budget.sensitivity:g}, c = {budget.c} and split {budget.split:g} it gives {scale:g}"
            )
        return scale

    def __str__(self) -> str:
        factor = "" if self.factor == 1 else f"{self.factor:g}"
        return f"{factor}{'c' if self.times_c else ''}Δ/ε{'₁₂₃'[int(self.part[-1]) - 1]}"


@dataclass(frozen=True)
class Split:
    """How a source splits its budget: epsilon2 / epsilon1 = ratio * (2c)^power, with c for 2c if queries are monotonic.

    Examples
    --------
    >>> print(Split(3), Split(power=2 / 3))
    1 : 3 1 : (2c)^(2/3)
    >>> Split(3)(c=4, monotonic=False)
    3.0
    >>> from svtlib.noise import Exponential, Laplace
    >>> print(Split.least_variance(Laplace, Exponential))  # Liu et al. 2024, Table 4: the square root of 2, times c
    1 : (1.41c)^(2/3)
    """

    ratio: float = 1.0
    power: float = 0.0

    def __post_init__(self) -> None:
        validate.fields(self, validate.positive, "ratio")
        validate.fields(self, validate.finite, "power")
        if abs(self.power) > 100:
            raise ValueError(f"power must be from -100 to 100, got {self.power!r}")

    @classmethod
    def least_variance(cls, threshold: type[Any], query: type[Any]) -> Split:
        """The split with the least variance of a comparison, for families with variances u and v at scale 1.

        With scales Delta / epsilon1 and 2c Delta / epsilon2 (c Delta / epsilon2 if monotonic) that is
        u / epsilon1^2 + v (2c)^2 / epsilon2^2, least where (epsilon2 / epsilon1)^3 = (2c)^2 v / u: Lyu, Su & Li 2017,
        sec. 4.2, for Laplace noise on both, and Liu et al. 2024, Table 4.
        """
        return cls((query(1.0).variance / threshold(1.0).variance) ** (1 / 3), 2 / 3)

    def __call__(self, c: int, monotonic: bool) -> float:
        """epsilon2 / epsilon1."""
        return float(self.ratio * ((1 if monotonic else 2) * c) ** self.power)

    def __str__(self) -> str:
        if not self.power:
            return f"1 : {self.ratio:g}"
        base = 2 * self.ratio ** (1 / self.power)
        return f"1 : ({base:.3g}c)^({Fraction(self.power).limit_denominator(9)})"
