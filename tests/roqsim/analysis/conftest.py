"""Recorded runs to look into."""

from __future__ import annotations

import textwrap

import pytest
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.recording import open_recording, record

WORLD = """
sim: {timestep: 0.002, seed: 4, name: crates}
components:
  - boxes:
      instances:
        - {name: crate, size: [0.2, 0.2, 0.2], mass: 2, pose: {position: {z: 1.0}}}
        - {name: brick, size: [0.2, 0.2, 0.2], mass: 1, pose: {position: {x: 1.0, z: 0.1}}}
  - ./lamp.py:Lamp: {}
    name: lamp
"""

LAMP = """
from dataclasses import dataclass

import numpy as np

from roqsim import Endpoint, Plugin


@dataclass(frozen=True)
class Reading:
    stamp_ns: int
    noise: float
    position: np.ndarray


class Lamp(Plugin):
    \"\"\"A stream that its state determines, noise included, and one that counts.\"\"\"

    def configure(self, ctx):
        self._ctx, self.count = ctx, 0
        read = lambda: Reading(ctx.time_ns, float(ctx.rng_for("lamp").random()), ctx.data.body("crate").xpos.copy())
        ctx.interface.add(Endpoint("light", "out", "lamp", read=read, rate_hz=50, stateless=True))
        ctx.interface.add(Endpoint("count", "out", "lamp", read=lambda: self.count, rate_hz=20))
        ctx.interface.add(Endpoint("picture", "out", "lamp", read=lambda: np.zeros((90, 60, 3)), stateless=True))
        ctx.interface.add(Endpoint("silent", "out", "lamp", read=lambda: None, stateless=True))

    def on_reset(self, ctx):
        self.count = 0

    def post_step(self, ctx):
        self.count += 1
"""


@pytest.fixture(scope="session")
def crates(tmp_path_factory):
    """The recording of a crate that falls for a second, as a file; not to be changed."""
    folder = tmp_path_factory.mktemp("crates")
    (folder / "world.yaml").write_text(textwrap.dedent(WORLD))
    (folder / "lamp.py").write_text(textwrap.dedent(LAMP))
    engine = Engine(load_config(folder / "world.yaml"))
    engine.setup()
    record(engine, folder / "run.mcap", fps=25.0)
    engine.reset()
    engine.advance(500)
    engine.shutdown()
    return folder / "run.mcap"


@pytest.fixture
def recording(crates):
    """The same, opened."""
    return open_recording(crates)
