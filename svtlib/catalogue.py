"""Every published variant of the Sparse Vector Technique as one value: what its source prints, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from svtlib import validate
from svtlib.mechanism import Mechanism
from svtlib.noise import Exponential, Geometric, Gumbel, Laplace, Noise, NoNoise
from svtlib.scales import Budget, Scale, Split
from svtlib.switches import Comparison, Cutoff, Release

ProofStep = Literal["threshold", "negatives", "positives", "release", "cut-off"]
"""The steps of a proof by alignment: what the noise of each must do on the neighbour, and pay for."""

Part = Literal["trial", "better", "other"]
"""Where a version belongs: see `Variant.part`."""


@dataclass(frozen=True)
class Variant:
    """One published (or, where it says so, our) version of the Sparse Vector Technique.

    Attributes
    ----------
    key, title, cite : str
        Catalogue key, name as used in the course, and key of the source in the bibliography.
    threshold_scale, query_scale, release_scale : Scale or None
        How the noise is scaled; None where there is none.
        The first two are those of Alg. 1 if nothing is said, so that a variant says what differs.
    split : Split
        epsilon2 / epsilon1 in the source.
    free_split, free_c : bool
        True where a cited statement, or a proof in the course, covers any split, or any c.
    cutoff, refresh, refresh_scale, release, compare
        As in `Mechanism`.
    claims : bool
        False where the source does not say that this version is private: it is there to be refuted.
    part : {"trial", "better", "other"}
        "trial" for the versions that the first chapters put on trial, "better" for those that improve on them; "other"
        for one that is in the catalogue, and on no page in words.
    flaw : str or None
        The step of the privacy argument that fails, in words; None for a private variant.
    """

    key: str
    title: str
    cite: str
    threshold_scale: Scale = Scale("epsilon1")  # noqa: RUF009  it is frozen, as the next two are
    query_scale: Scale | None = Scale("epsilon2", factor=2, times_c=True)  # noqa: RUF009
    flaw: str | None = None
    split: Split = Split()  # noqa: RUF009
    free_split: bool = False
    free_c: bool = True
    release_scale: Scale | None = None
    cutoff: Literal["at c", "after c"] | None = "at c"
    refresh: bool = False
    refresh_scale: Scale | None = None
    release: Literal["indicator", "compared", "gap"] = "indicator"
    compare: Literal["signed", "absolute"] = "signed"
    threshold_family: type[Any] = Laplace
    query_family: type[Any] = Laplace
    claims: bool = True
    part: Part = "trial"

    def __post_init__(self) -> None:
        for name in ("threshold_scale", "query_scale", "refresh_scale", "release_scale"):
            scale = getattr(self, name)
            if not isinstance(scale, Scale) and (scale is not None or name == "threshold_scale"):
                raise ValueError(f'{name} must be a Scale, such as Scale("epsilon1"), got {scale!r}')
        if not isinstance(self.split, Split):
            raise ValueError(f"split must be a Split, such as Split(3), got {self.split!r}")
        for name, switch in (("cutoff", Cutoff), ("release", Release), ("compare", Comparison)):
            validate.choice(name, getattr(self, name), [option.value for option in switch])

    def budget(
        self,
        epsilon: float,
        c: int,
        monotonic: bool,
        split: float | None = None,
        epsilon3: float = 0.0,
        sensitivity: float = 1.0,
    ) -> Budget:
        """The parts of a budget, split as here; ValueError for what no statement covers."""
        c = validate.count("c", c)
        monotonic = validate.boolean("monotonic", monotonic)
        if c != 1 and not self.free_c:
            why = "it has no cut-off" if self.cutoff is None else "it stops at the first positive"
            raise ValueError(f"c must be 1 for {self.key}, because {why}; got {c!r}")
        own = self.split(c, monotonic)
        if split is not None and not self.free_split and validate.positive("split", split) != own:
            raise ValueError(f"split must be None or {own:g} for {self.key}, the source's own; got {split!r}")
        if validate.non_negative("epsilon3", epsilon3) and self.release_scale is None:
            raise ValueError(f"epsilon3 must be 0 for {self.key}, which releases no fresh number; got {epsilon3!r}")
        return Budget(epsilon, c, sensitivity, monotonic, own if split is None else split, epsilon3)

    def __repr__(self) -> str:
        return f"Variant({self.key}: {self.title.partition(': ')[2] or self.title})"

    def calibrate(
        self,
        epsilon: float,
        *,
        c: int = 1,
        sensitivity: float = 1.0,
        monotonic: bool = False,
        split: float | None = None,
        epsilon3: float = 0.0,
    ) -> Mechanism:
        """Fix every number of this variant.

        Parameters
        ----------
        epsilon : float
            The budget as the source claims to spend it, greater than 0.
        c : int
            How many positives are paid for.
        sensitivity : float
            Delta, the most by which one person changes one answer, in the units of the answers.
        monotonic : bool
            True if all answers that differ between neighbours move in the same direction.
        split : float or None
            epsilon2 / epsilon1; None takes the source's own.
        epsilon3 : float
            Part of epsilon for released numbers; the rest is what is split.

        Returns
        -------
        Mechanism

        Raises
        ------
        ValueError
            If a value is out of range, or no cited statement and no proof of the course covers it for this variant.

        Examples
        --------
        >>> mechanism = variant("alg1").calibrate(epsilon=1.0, c=2)
        >>> mechanism.threshold_noise, mechanism.query_noise
        (Laplace(scale=2.0), Laplace(scale=8.0))
        """
        budget = self.budget(epsilon, c, monotonic, split, epsilon3, sensitivity)
        query: Noise = NoNoise() if self.query_scale is None else self.query_family(self.query_scale(budget))
        release_noise = Laplace(self.release_scale(budget)) if self.release_scale and budget.epsilon3 else None
        epsilon1, epsilon2, epsilon3 = budget.parts
        return Mechanism(
            name=self.key,
            threshold_noise=self.threshold_family(self.threshold_scale(budget)),
            query_noise=query,
            c=budget.c,
            epsilon=budget.epsilon,
            epsilon1=epsilon1,
            epsilon2=epsilon2,
            epsilon3=epsilon3,
            sensitivity=budget.sensitivity,
            monotonic=budget.monotonic,
            cutoff=self.cutoff,
            refresh=self.refresh,
            refresh_noise=self.threshold_family(self.refresh_scale(budget)) if self.refresh_scale else None,
            release="fresh" if release_noise else self.release,
            release_noise=release_noise,
            compare=self.compare,
        )


_HALVED = Scale("epsilon2", factor=2, times_c=True, halved_if_monotonic=True)
_OTHER_NOISE: tuple[tuple[str, str, str, type[Any], type[Any]], ...] = (  # of the threshold and of the queries
    ("svt_exp", "SVT-Exp: Liu et al. 2024", "liu2024svtexp", Laplace, Exponential),
    ("svt_gumbel", "SVT-Gumbel: Liu et al. 2024", "liu2024svtexp", Laplace, Gumbel),
    ("exp_exp", "Exponential on both: ours, after Liu et al. 2024", "liu2024svtexp", Exponential, Exponential),
    ("geometric", "Geometric on both: ours, after Ghosh et al. 2012", "ghosh2012universally", Geometric, Geometric),
)
_VARIANTS = (
    Variant(key="alg1", title="Alg. 1: Lyu, Su & Li 2017", cite="lyu2017understanding", free_split=True),
    Variant(
        key="alg2",
        title="Alg. 2: Dwork & Roth 2014",
        cite="dwork2014algorithmic",
        threshold_scale=Scale("epsilon1", times_c=True),
        query_scale=Scale("epsilon1", factor=2, times_c=True),
        refresh=True,
        refresh_scale=Scale("epsilon2", times_c=True),
    ),
    Variant(
        key="alg3",
        title="Alg. 3: Roth 2011",
        cite="roth2011sparse",
        query_scale=Scale("epsilon2", times_c=True),
        release="compared",
        flaw="the released number bounds the noisy threshold, but the proof drops the condition q + nu >= T + rho",
    ),
    Variant(
        key="alg4",
        title="Alg. 4: Lee & Clifton 2014",
        cite="lee2014top",
        query_scale=Scale("epsilon2"),
        split=Split(3),
        flaw="the query noise does not grow with c, so c positives cost too much; the proof multiplies integrals",
    ),
    Variant(
        key="alg5",
        title="Alg. 5: Stoddard et al. 2014",
        cite="stoddard2014differentially",
        query_scale=None,
        cutoff=None,
        free_c=False,
        flaw="negatives need the threshold raised and positives need it lowered; the proof multiplies integrals",
    ),
    Variant(
        key="alg6",
        title="Alg. 6: Chen et al. 2015",
        cite="chen2015differentially",
        query_scale=Scale("epsilon2"),
        cutoff=None,
        free_c=False,
        flaw="no cut-off bounds the number of positives that are paid for; the proof multiplies integrals",
    ),
    Variant(
        key="alg7",
        title="Alg. 7: Lyu, Su & Li 2017, standard SVT",
        cite="lyu2017understanding",
        query_scale=_HALVED,
        release_scale=Scale("epsilon3", times_c=True),
        split=Split(power=2 / 3),
        free_split=True,
    ),
    Variant(
        key="gptt",
        title="GPTT: Chen & Machanavajjhala 2015",
        cite="chen2015privacy",
        query_scale=Scale("epsilon2"),
        free_split=True,
        cutoff=None,
        free_c=False,
        flaw="no cut-off bounds the number of positives that are paid for",
        claims=False,
    ),
    Variant(
        key="above_threshold",
        title="AboveThreshold: Dwork & Roth 2014",
        cite="dwork2014algorithmic",
        query_scale=Scale("epsilon2", factor=2),
        free_c=False,
    ),
    Variant(
        key="sparse",
        title="Sparse: Near & Abuah",
        cite="near2021programming",
        threshold_scale=Scale("epsilon1", times_c=True),
        refresh=True,
    ),
    Variant(
        key="lecture2012",
        title="Machanavajjhala 2012",
        cite="machanavajjhala2012sparse",
        query_scale=Scale("epsilon2", times_c=True),
        cutoff="after c",
        release="compared",
        flaw="the released number bounds the noisy threshold; a product of conditionals is taken for an integral",
    ),
    Variant(
        key="abs_value",
        title="Noise inside the absolute value",
        cite="hardt2010multiplicative",
        compare="absolute",
        free_split=True,
    ),
    Variant(
        key="gap",
        title="SVT with gap: Ding et al. 2019",
        cite="ding2019free",
        release="gap",
        free_split=True,
    ),
    *(
        Variant(
            key=key,
            title=title,
            cite=cite,
            query_scale=_HALVED,
            threshold_family=threshold,
            query_family=query,
            split=Split.least_variance(threshold, query),
            free_split=True,
            part="better",
        )
        for key, title, cite, threshold, query in _OTHER_NOISE
    ),
)
_BY_KEY = {v.key: v for v in _VARIANTS}


def variants(part: Part | None = None) -> tuple[str, ...]:
    """The keys of all variants, in the order of the verdict table.

    Parameters
    ----------
    part : {"trial", "better", "other"}, optional
        Only those of this part of the course (`Variant.part`).

    Examples
    --------
    >>> variants()[:3], variants("better")
    (('alg1', 'alg2', 'alg3'), ('svt_exp', 'svt_gumbel', 'exp_exp', 'geometric'))
    """
    if part is not None:
        validate.choice("part", part, get_args(Part))
    return tuple(key for key, v in _BY_KEY.items() if part in (None, v.part))


def variant(key: str) -> Variant:
    """The variant with this catalogue key.

    Parameters
    ----------
    key : str
        One of `variants()`.

    Returns
    -------
    Variant

    Raises
    ------
    ValueError
        If no variant has this key.

    Examples
    --------
    >>> variant("alg5").flaw
    'negatives need the threshold raised and positives need it lowered; the proof multiplies integrals'
    """
    if not isinstance(key, str) or key not in _BY_KEY:
        raise ValueError(f"key must be one of {', '.join(_BY_KEY)}; got {key!r}")
    return _BY_KEY[key]


def a_variant(name: str, subject: Any) -> Variant:
    """Return a variant, or that of a key, or raise ValueError."""
    if isinstance(subject, Variant):
        return subject
    if isinstance(subject, str) and subject in _BY_KEY:
        return _BY_KEY[subject]
    raise ValueError(f'{name} must be a Variant, as svt.variant("alg7") is one, or its key, got {subject!r}')
