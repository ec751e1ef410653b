"""What holds for the tests of every package."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("roqsim", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("roqsim")


def is_installed(package: str) -> bool:
    """Whether a package can be imported; the folder of its name, where tests run, is none."""
    spec = find_spec(package)
    return spec is not None and spec.has_location


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leaves out what needs a package of the family that is not installed: a package is tested alone, too."""
    for marker in item.iter_markers("needs"):
        missing = [name for name in marker.args if not is_installed(name)]
        if missing:
            pytest.skip(f"{' and '.join(missing)} is not installed")
