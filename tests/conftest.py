"""What holds for the tests of every package."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("roqsim", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("roqsim")
