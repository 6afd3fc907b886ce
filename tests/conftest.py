"""Hypothesis without its clock: that a machine is slow is no fault."""

from hypothesis import settings

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
