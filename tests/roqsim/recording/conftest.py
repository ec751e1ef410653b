"""Worlds that are worth recording, and a way to record them in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from roqsim.engine import Engine
from roqsim.recording import Recording, open_recording, record

PLUGINS = '''
from dataclasses import dataclass

import numpy as np
from roqsim import Endpoint, Plugin
from roqsim.config.schema import opt


@dataclass(frozen=True)
class Push:
    """Forces by joint."""

    forces: np.ndarray
    times: tuple[float, ...] = ()


class Servo(Plugin):
    """Remembers things: an integral, a random walk, the last command."""

    @dataclass(frozen=True, kw_only=True)
    class Config:
        rate_hz: float = opt(50.0)
        """How often it acts."""
        fails_at: int | None = opt(None)
        """The tick at which it raises."""
        spawns_at: int | None = opt(None)
        """The tick at which it makes the box appear."""

    def configure(self, ctx):
        ctx.schedule(self, "pre_step", self.config.rate_hz)
        ctx.interface.add(Endpoint("goal", "in", "servo", write=self.take))
        ctx.interface.add(Endpoint("push", "in", "servo", write=self.push))
        ctx.interface.add(Endpoint("angle", "out", "servo", read=lambda: float(ctx.data.qpos[0]), rate_hz=10.0))
        self.ctx = ctx
        self.on_reset(ctx)

    def on_reset(self, ctx):
        self.goal, self.integral, self.walk = 0.5, 0.0, 0.0

    def take(self, payload):
        if payload["goal"] > 5:
            raise ValueError("too far")
        self.goal = payload["goal"]

    def push(self, payload):
        self.ctx.data.qfrc_applied[: len(payload.forces)] = payload.forces

    def pre_step(self, ctx):
        if ctx.tick == self.config.fails_at:
            raise ValueError("out of coffee")
        if self.config.spawns_at is not None and ctx.tick == self.config.spawns_at:
            from roqsim.presence import set_present
            set_present(ctx, "box", True)
        error = self.goal - ctx.data.joint("hinge").qpos[0]
        self.integral += error
        self.walk += ctx.rng_for(self.address).normal()
        ctx.data.ctrl[:] = 0.3 * error + 0.0005 * self.integral + 0.01 * self.walk


class Relay(Plugin):
    """Writes into another plugin's endpoint from its own hook: nothing that comes from outside."""

    def pre_step(self, ctx):
        if ctx.tick == 40:
            ctx.interface.get("servo", "goal", "in").write({"goal": -0.25})
'''

MODEL = """
<mujoco model="features">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="arm" pos="1 0 .5">
      <joint name="hinge" axis="0 1 0" damping="1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <site name="tip" pos=".3 0 0"/>
    </body>
    <body name="ball" pos="0 0 .3"><freejoint name="ball"/><geom size=".1" mass="1"/></body>
    <body name="target" mocap="true" pos="0 1 1"><geom size=".05" contype="0" conaffinity="0"/></body>
    <body name="leash" pos="0 1.1 .9"><freejoint/><geom size=".05" mass=".1"/></body>
  </worldbody>
  <equality><weld name="rope" body1="target" body2="leash"/></equality>
  <actuator>
    <general name="motor" joint="hinge" dyntype="filter" dynprm="0.1" gainprm="5" delay="0.01" nsample="8"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip" delay="0.02" nsample="16"/></sensor>
</mujoco>
"""

WORLD = """
sim: {world: features.xml, seed: 3}
components:
  - "parts.py:Servo": {}
    name: servo
"""

POPULATED = """
sim: {world: features.xml, seed: 3}
components:
  - "parts.py:Servo": {}
    name: servo
  - boxes: {instances: [{name: box, size: [0.2, 0.2, 0.2], mass: 2, pose: {position: {x: 0.05, z: 0.6}}}]}
    name: boxes
    present: false
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], mass: 2, pose: {position: {x: 2, z: 0.5}}}]}
    name: crates
  - model_override: {overrides: [{field: body_mass, select: ball, value: 3}]}
    name: heavy
  - model_override: {overrides: [{field: body_mass, select: ball, value: 5}]}
    name: heavier
  - entity_control: {}
"""
"""The same with entities, one of them absent at first, and with values that can be switched."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty working directory with the model and the plugins of the tests in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("ROQSIM_RECORD", "ROQSIM_CAPTURE_FPS", "ROQSIM_SIM_POSES", "ROQSIM_CAPTURE_EXPORT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("RUN_OUTPUT_DIR", raising=False)
    (tmp_path / "parts.py").write_text(PLUGINS)
    (tmp_path / "features.xml").write_text(MODEL)
    return tmp_path


@pytest.fixture
def recorded(folder, world):
    """Records a run: ``recorded(document, steps)`` gives the opened recording."""

    def run(document=WORLD, steps=200, *, path="run.mcap", fps=100.0, during=None, **options) -> Recording:
        engine: Engine = world(document, base_dir=folder, reset=False, **options)
        record(engine, path, fps)
        engine.reset()
        if during is None:
            engine.advance(steps)
        else:
            during(engine)
        engine.shutdown()
        return open_recording(path)

    return run
