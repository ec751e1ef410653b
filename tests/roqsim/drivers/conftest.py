"""What the tests of the scenario adapter share."""

from __future__ import annotations

import os

import pytest
from roqsim.scenario_adapter import MujocoSim

DROP = """
sim: {timestep: 0.004}
components:
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], mass: 1.0, motion: physics, pose: {position: {z: 1.0}}}]}
  - wrench: {body: crate, schedule: [{force: [2, 0, 0], start: 0.1, duration: 0.2}]}
    name: gust
"""


@pytest.fixture
def no_deployment(monkeypatch):
    """Nothing from the environment but what a test says; never a window."""
    for name in [name for name in os.environ if name.startswith("ROQSIM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ENABLE_X11", "false")


@pytest.fixture
def variant(write):
    """Writes the world of a falling crate with something replaced or appended; returns its path."""

    def write_variant(name, old="", new="", more=""):
        return write(name, (DROP.replace(old, new) if old else DROP) + more)

    return write_variant


@pytest.fixture
def drop(variant):
    """The path of a world in which a crate falls and is pushed."""
    return variant("drop.yaml")


@pytest.fixture
def adapters(no_deployment):
    """Makes adapters that are shut down with the test."""
    made = []

    def make(*args, **kwargs):
        made.append(MujocoSim(*args, **kwargs))
        return made[-1]

    yield make
    for each in made:
        each.shutdown()
