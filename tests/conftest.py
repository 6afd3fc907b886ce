"""Without clocks: that a machine is slow is no fault, neither of Hypothesis' examples nor of a program that is run."""

import pytest
from hypothesis import settings

from svtcourse.judge import probing

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """What a program is run for is so much time that its trials end it, on a machine ten times slower too."""
    monkeypatch.setattr(probing, "_SECONDS", 400.0)
