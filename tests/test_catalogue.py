"""The catalogue against what the sources print."""

import math

import pytest

import svtlib as svt


def scales(sensitivity, c, w):
    """Sensitivity / epsilon1 and 2c sensitivity / epsilon2, with epsilon2 = w epsilon1 and epsilon = 1."""
    return sensitivity * (1 + w), 2 * c * sensitivity * (1 + w) / w


# Scales of rho and nu at epsilon = 1, sensitivity 2, c = 3 (or 1), typed in from the listings of Lyu, Su & Li 2017
# (alg1 to alg7, GPTT in sec. 3.3, the absolute value in sec. 3.4), Dwork & Roth 2014, the lecture, Near & Abuah.
PRINTED = {
    "alg1": (2 / 0.5, 2 * 3 * 2 / 0.5),
    "alg2": (3 * 2 / 0.5, 2 * 3 * 2 / 0.5),
    "alg3": (2 / 0.5, 3 * 2 / 0.5),
    "alg4": (2 / 0.25, 2 / 0.75),
    "alg5": (2 / 0.5, None),
    "alg6": (2 / 0.5, 2 / 0.5),
    "alg7": (2 * (1 + 6 ** (2 / 3)), 2 * 3 * 2 * (1 + 6 ** (2 / 3)) / 6 ** (2 / 3)),
    "gptt": (2 / 0.5, 2 / 0.5),
    "above_threshold": (2 * 2, 4 * 2),
    "sparse": (2 * 3 * 2, 4 * 3 * 2),
    "lecture2012": (2 * 2, 2 * 3 * 2),
    "abs_value": (2 / 0.5, 2 * 3 * 2 / 0.5),
    "gap": (2 / 0.5, 2 * 3 * 2 / 0.5),  # the middle branch of Ding et al. 2019, Algorithm 2, without adaptivity
    # Algorithm 2 of Liu et al. 2024 with w of its Table 4 at c = 3; the other two have the w of SVT-Lap.
    "svt_exp": scales(2, 3, (math.sqrt(2) * 3) ** (2 / 3)),
    "svt_gumbel": scales(2, 3, (math.pi * 3 / math.sqrt(3)) ** (2 / 3)),
    "exp_exp": scales(2, 3, 6 ** (2 / 3)),
    "geometric": scales(2, 3, 6 ** (2 / 3)),
}


def test_every_variant_of_the_chapters_is_held_to_its_listing():
    """The table above names each once; an "other" one has no listing but its own value."""
    assert set(PRINTED) == set(svt.variants()) - set(svt.variants("other"))


@pytest.mark.parametrize("key", PRINTED)
def test_noise_scales_are_the_printed_ones(key):
    v = svt.variant(key)
    m = v.calibrate(epsilon=1.0, c=3 if v.free_c else 1, sensitivity=2.0)
    rho, nu = PRINTED[key]
    assert math.isclose(m.threshold_noise.scale, rho)
    assert m.query_noise == svt.NoNoise() if nu is None else math.isclose(m.query_noise.scale, nu)
    assert math.isclose(m.epsilon1 + m.epsilon2, 1.0) and m.name == key


def test_what_holds_for_monotonic_queries():
    """The column that Figure 2 of Lyu, Su & Li has not; its own columns are a claim (lsl17-fig-2)."""
    table = svt.catalogue().loc[[f"alg{i}" for i in range(1, 7)]]
    assert table["actual, monotonic"].tolist() == ["3ε/4", "3ε/4", "∞", "(1 + 3c)ε/4", "∞", "∞"]


def test_alg7_halves_for_monotonic_queries_and_pays_for_numbers():
    """Theorem 4.9's scale c Delta / epsilon2 at split 1 : c^(2/3), and c Delta / epsilon3 for released numbers."""
    m = svt.variant("alg7").calibrate(epsilon=2.0, c=8, monotonic=True, epsilon3=0.5)
    assert m.epsilon2 / m.epsilon1 == pytest.approx(4) and m.epsilon1 + m.epsilon2 == pytest.approx(1.5)
    assert m.query_noise.scale == pytest.approx(8 / m.epsilon2)
    assert m.release == "fresh" and m.release_noise == svt.Laplace(8 / 0.5)


# Which argument each variant accepts besides epsilon and sensitivity: c = 2, monotonic, split = 2, epsilon3 = 0.1.
ACCEPTS = dict.fromkeys(PRINTED, "c monotonic split") | {
    **dict.fromkeys(("alg2", "alg3", "alg4", "sparse", "lecture2012"), "c monotonic"),
    **dict.fromkeys(("alg5", "alg6", "above_threshold"), "monotonic"),
    "gptt": "monotonic split",
    "alg7": "c monotonic split epsilon3",
}
ARGUMENTS = {"c": 2, "monotonic": True, "split": 2.0, "epsilon3": 0.1}


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("key", ACCEPTS)
def test_an_argument_is_accepted_only_where_something_covers_it(key, argument):
    """The table of accepted arguments; a refused one is a ValueError that names the argument and the variant."""
    call = {argument: ARGUMENTS[argument]}
    if argument in ACCEPTS[key].split():
        svt.variant(key).calibrate(epsilon=1.0, **call)
    else:
        with pytest.raises(ValueError, match=rf"^{argument} must be .*{key}"):
            svt.variant(key).calibrate(epsilon=1.0, **call)


def test_the_sources_own_split_may_be_spelled_out():
    """split=3 for Alg. 4 is its own."""
    v = svt.variant("alg4")
    assert v.calibrate(epsilon=1.0, split=3.0) == v.calibrate(epsilon=1.0)


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("c", [1, 5, 50])
@pytest.mark.parametrize("key", ["alg7", *svt.variants("better")])
def test_the_split_has_the_least_variance(key, c, monotonic):
    """Table 4 of Liu et al. 2024, in general and for monotonic queries: no other split gives a smaller variance."""
    v = svt.variant(key)

    def variance(split):
        m = v.calibrate(epsilon=1.0, c=c, monotonic=monotonic, split=split)
        if key == "geometric":  # whole noise has a twelfth of a squared step less, whatever the split
            return m.threshold_noise.scale**2 + m.query_noise.scale**2
        return m.threshold_noise.variance + m.query_noise.variance

    own = v.split(c, monotonic)
    assert all(variance(own) < variance(own * factor) for factor in (0.3, 0.97, 1.03, 3))


def test_parts():
    """Every variant is in one part of the course; one of those on trial claims nothing."""
    assert svt.variants("trial") + svt.variants("better") + svt.variants("other") == svt.variants()
    assert [key for key in svt.variants("trial") if not svt.variant(key).claims] == ["gptt"]
