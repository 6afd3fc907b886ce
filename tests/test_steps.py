"""Executable proof steps: what is true passes, what is false is counted and shown."""

import math

import numpy as np
import pytest

import svtlib as svt
from svtcourse.steps import adversarial_cases, check_step


@pytest.mark.parametrize("monotonic", [False, True])
def test_adversarial_cases_are_neighbours(monotonic):
    """No answer moves by more than the sensitivity; monotonic cases move one way; ties and full moves occur."""
    cases = adversarial_cases(np.random.default_rng(4), 5, scale=7.0, count=3000, sensitivity=2.0, monotonic=monotonic)
    move = cases.neighbour - cases.answers
    assert len(cases) == 3000 and np.abs(move).max() <= 2 + 1e-9
    assert (np.abs(np.abs(move) - 2) < 1e-6).all(axis=1).sum() > 1000
    assert (cases.z == cases.answers[:, 0]).sum() > 500
    assert ((move >= 0).all(axis=1) | (move <= 0).all(axis=1)).all() == monotonic


def test_a_true_step_holds_and_half_the_shift_breaks_it():
    """Pr[q + nu < z] <= Pr[q' + nu < z + Delta] holds; with Delta / 2 it fails, and the failures are counted."""
    nu = svt.Laplace(3.0)
    cases = adversarial_cases(np.random.default_rng(5), 8, scale=3.0)

    def log_f(answers, z):
        return nu.log_less(z[:, None] - answers).sum(axis=1)

    whole = check_step("f", log_f(cases.answers, cases.z), log_f(cases.neighbour, cases.z + 1))
    half = check_step("f", log_f(cases.answers, cases.z), log_f(cases.neighbour, cases.z + 0.5))
    assert whole.holds and whole.smallest_slack >= 0 and whole.cases == 2000
    assert not half.holds and half.failures > 100 and half.smallest_slack < -0.1
    assert repr(whole).startswith("✓") and repr(half).startswith("✗")
    assert "svt-step-fails" in half._repr_html_()


def test_impossible_events_count_rightly():
    """0 <= anything holds; anything > 0 against 0 fails by infinity."""
    assert check_step("s", [-math.inf, -math.inf], [-math.inf, -1.0]).holds
    broken = check_step("s", [-1.0], [-math.inf])
    assert broken.failures == 1 and broken.smallest_slack == -math.inf


@pytest.mark.parametrize(("left", "right"), [([], []), ([0.0], [0.0, 1.0]), ([math.nan], [0.0])])
def test_sides_that_cannot_be_compared_are_refused(left, right):
    """Empty, unequal or NaN sides are a ValueError."""
    with pytest.raises(ValueError, match="left and right must"):
        check_step("s", left, right)
