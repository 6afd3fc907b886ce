"""Sixty-odd programs by hand and by combination: each style of writing an SVT with each right and wrong choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Scale = Callable[[float, int], float]


def loop(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """A list and a counter."""

    def program(answers, threshold, epsilon, c, rng):
        rho, said, count = rng.laplace(0, rho_scale(epsilon, c)), [], 0
        for answer in answers:
            positive = answer + rng.laplace(0, nu_scale(epsilon, c)) >= threshold + rho
            said.append(bool(positive))
            count += positive
            if stop and count >= c:
                break
        return said

    return program


def arrays(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """Everything at once, cut off afterwards."""

    def program(c, eps, q, T):
        rng = np.random.default_rng()
        above = q + rng.laplace(0.0, nu_scale(eps, c), q.shape) >= T + rng.laplace(scale=rho_scale(eps, c))
        end = np.flatnonzero(above)[c - 1] + 1 if stop and above.sum() >= c else len(q)
        return above[:end]

    return program


def generator(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """Yields; the threshold's noise inside the location of the draw."""

    def program(values, t, epsilon, c, rng):
        bar, left = rng.laplace(t, rho_scale(epsilon, c)), c
        for value in values:
            positive = rng.laplace(value, nu_scale(epsilon, c)) > bar
            yield "⊤" if positive else "⊥"
            left -= positive
            if stop and not left:
                return

    return program


def recursive(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """One answer, then the rest."""

    def program(queries, threshold, epsilon, c, generator):
        bar = threshold + generator.laplace(scale=rho_scale(epsilon, c))

        def rest(values, left):
            if not len(values) or (stop and left == 0):
                return []
            positive = bool(values[0] - bar >= generator.laplace(scale=nu_scale(epsilon, c)))
            return [positive, *rest(values[1:], left - positive)]

        return rest(list(queries), c)

    return program


def exponentials(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """Laplace noise as the difference of two exponential draws; ⊥ for ever after the cut-off."""

    def program(answers, threshold, epsilon, c, rng):
        def laplace(scale):
            return scale * (rng.standard_exponential() - rng.standard_exponential())

        rho, said = rng.exponential(rho_scale(epsilon, c)) - rng.exponential(rho_scale(epsilon, c)), []
        for answer in answers:
            nu = rng.exponential(nu_scale(epsilon, c)) - rng.exponential(nu_scale(epsilon, c))
            open_ = not stop or said.count(True) < c
            said.append(bool(open_ and answer + nu >= threshold + rho))
        return said

    return program


def first_only(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """A while loop with integers for answers, in numpy's old interface."""

    def program(answers, threshold, epsilon, c):
        laplace = np.random.laplace
        rho, i, count, said = laplace(0, rho_scale(epsilon, c)), 0, 0, []
        while i < len(answers) and not (stop and count == c):
            said.append(int(threshold - answers[i] + rho <= laplace(0, nu_scale(epsilon, c))))
            count, i = count + said[-1], i + 1
        return tuple(said)

    return program


STYLES = (loop, arrays, generator, recursive, exponentials, first_only)
RIGHT: dict[str, tuple[Scale, Scale]] = {
    "alg1": (lambda e, c: 2 / e, lambda e, c: 4 * c / e),
    "1 : 3": (lambda e, c: 4 / e, lambda e, c: 8 * c / (3 * e)),
    "1 : (2c)^(2/3)": (
        lambda e, c: (1 + (2 * c) ** (2 / 3)) / e,
        lambda e, c: 2 * c * (1 + (2 * c) ** (-2 / 3)) / e,
    ),
    "more noise than needed": (lambda e, c: 3 / e, lambda e, c: 7 * c / e),
    "even in scale": (lambda e, c: (2 * c + 1) / e, lambda e, c: (2 * c + 1) / e),
}
WRONG: dict[str, tuple[Scale, Scale]] = {
    "alg4": (lambda e, c: 4 / e, lambda e, c: 4 / (3 * e)),
    "alg6": (lambda e, c: 2 / e, lambda e, c: 2 / e),
    "no factor c": (lambda e, c: 2 / e, lambda e, c: 4 / e),
    "no factor 2": (lambda e, c: 2 / e, lambda e, c: 2 * c / e),
    "epsilon upside down": (lambda e, c: e / 2, lambda e, c: e / 4),
    "whole budget twice": (lambda e, c: 1 / e, lambda e, c: 2 * c / e),
}
