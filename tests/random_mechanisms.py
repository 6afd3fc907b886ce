"""Mechanisms that nobody published: every switch and every family at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import svtlib as svt
from svtlib.noise import Exponential, Gaussian, Geometric, Gumbel, Laplace, Noise, NoNoise

_USUAL = (
    Laplace,
    Exponential,
    Geometric,
    Gumbel,
    lambda scale: Geometric(scale, sides=1),
)
_WILD = (*_USUAL, lambda scale: Exponential(scale, sign=-1), Gaussian, lambda _: NoNoise())


def _whole(noise: Noise | None) -> Noise | None:
    """The same, or geometric noise of the same scale."""
    return noise if noise is None or noise.discrete else Geometric(noise.scale)


def random_mechanism(rng: np.random.Generator) -> svt.Mechanism:
    """A mechanism with random switches, families and scales; two in five with noise that has no finite cost."""
    families = _WILD if rng.random() < 0.4 else _USUAL

    def noise():
        return families[rng.integers(len(families))](float(rng.choice([1, 2, 3, 5, 8])))

    release = ("indicator", "compared", "fresh")[rng.choice(3, p=[0.6, 0.15, 0.25])]
    refresh = bool(rng.random() < 0.4)
    rho, nu, again = noise(), noise(), noise() if refresh and rng.random() < 0.5 else None
    if any(isinstance(one, Geometric) for one in (rho, nu, again)):  # then all that is compared is whole
        rho, nu, again = (_whole(one) for one in (rho, nu, again))
    fresh = noise() if release == "fresh" else None
    drawn = [one for one in (rho, nu, again, fresh) if one is not None]
    whole = any(isinstance(one, Geometric) for one in drawn)
    return replace(
        svt.variant("alg1").calibrate(epsilon=1.0),
        threshold_noise=rho,
        query_noise=nu,
        c=int(rng.integers(1, 4)),
        compare=("signed", "absolute")[int(rng.random() < 0.3)],
        refresh=refresh,
        refresh_noise=again,
        monotonic=bool(rng.random() < 0.5),
        cutoff=("at c", "after c", None)[rng.choice(3, p=[0.6, 0.25, 0.15])],
        sensitivity=float(rng.choice([1, 2, 3] if whole else [1, 2, 0.3, 0.5, 2.7])),
        release=release,
        release_noise=fresh,
    )
