"""What the tests of the mobile family share."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from roqsim.context import RobotHandle
from roqsim.engine import Engine


class Robot:
    """One robot of a running world, and where it really is."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.ctx, self.name = engine, engine.ctx, name
        self.entity = engine.ctx.entities.require(name)

    @property
    def handle(self) -> RobotHandle:
        return self.ctx.blackboard.require(f"robot:{self.name}", RobotHandle)

    @property
    def pose(self) -> tuple[float, float, float]:
        self.ctx.refresh()
        x, y, _ = self.ctx.data.xpos[self.entity.body]
        w, qx, qy, qz = self.ctx.data.xquat[self.entity.body]
        return float(x), float(y), math.atan2(2 * (w * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))

    def read(self, endpoint: str) -> object:
        return self.ctx.interface.get(self.name, endpoint, "out").read()

    def send(self, payload: object) -> None:
        endpoint = self.ctx.interface.get(self.name, "cmd_vel", "in")
        self.ctx.post(lambda ctx: endpoint.write(payload)).add_done_callback(lambda future: future.exception())

    def run(self, seconds: float) -> None:
        self.engine.advance(round(seconds / self.ctx.dt))

    def drive(self, vx: float, vy: float, w: float, seconds: float, ramp: float = 0.0) -> tuple[float, float, float]:
        """Commands for a while, waits until it stands, and returns way (m, m) and turn (rad) in the robot's axes."""
        ahead = aside = turned = 0.0
        before = self.pose
        for index in range(round(seconds / 0.02) + 100):
            if index < round(seconds / 0.02):
                self.handle.drive(vx, vy, w)
            else:
                self.handle.drive(0.0, 0.0, 0.0)
            self.run(0.02)
            now = self.pose
            step = math.remainder(now[2] - before[2], math.tau)
            c, s = math.cos(before[2] + step / 2), math.sin(before[2] + step / 2)
            dx, dy = now[0] - before[0], now[1] - before[1]
            ahead, aside, turned = ahead + c * dx + s * dy, aside + c * dy - s * dx, turned + step
            before = now
        return ahead, aside, turned


@pytest.fixture
def robot(world) -> Callable[..., Robot]:
    """Opens a world with one robot on flat ground, or on a slope that falls towards -x."""

    def opener(
        model: str, *, sim: dict | None = None, slope: float = 0.0, others: tuple = (), seed=None, **drive
    ) -> Robot:
        tilt = math.radians(slope)
        options = {"timestep": 0.004, "integrator": "implicitfast"}
        if slope:
            options["gravity"] = [-9.81 * math.sin(tilt), 0.0, -9.81 * math.cos(tilt)]
        ref = "omni_drive" if model == "ridgeback" else "diff_drive"
        entry = {"name": "robot", "spawn_robot": {"model": model}, "components": [{ref: drive}, *others]}
        engine = world({"sim": {**options, **(sim or {})}, "components": [{"floorplan": {}}, entry]}, seed=seed)
        return Robot(engine, "robot")

    return opener


@pytest.fixture
def as_robot() -> type[Robot]:
    """Makes a ``Robot`` of an engine and an entity's name."""
    return Robot
