"""Whether a robot stands or has tipped over."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from roqsim.config.angle import HALF_TURN
from roqsim.config.schema import opt
from roqsim.context import SimContext
from roqsim.context.reports import UprightReport
from roqsim.errors import RoqsimError
from roqsim.mj import names
from roqsim.plugin import Plugin

from roqsim_sensors.monitors.ports import Port, offer, publish

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, kw_only=True)
class UprightMonitorConfig:
    """What is watched, and when it counts as fallen."""

    entity: str | None = opt(None)
    """Entity that is watched; the one it is nested under where nothing is said."""
    body: str | None = opt(None)
    """Body of the entity, without its prefix, whose z axis is to point up; its root body where nothing is said."""
    max_tilt: float = opt(math.pi / 4.0, gt=0, le=HALF_TURN, unit="rad")
    """Angle between that axis and the vertical beyond which it counts as falling."""
    min_time: float = opt(0.0, ge=0, unit="s")
    """For how long it has to be beyond that angle until it counts as fallen."""
    stop: bool = opt(False)
    """Whether a fall ends the run."""
    failed: bool = opt(True)
    """Whether a run that a fall ends counts as failed."""
    rate_hz: float = opt(50.0, gt=0, unit="Hz")
    """How often it looks, and publishes."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


def tilt(axis_W: np.ndarray, up_W: np.ndarray) -> float:
    """Radians between two unit vectors, exact for small angles too."""
    x, y, z = axis_W.tolist()
    u, v, w = up_W.tolist()
    across = math.hypot(y * w - z * v, z * u - x * w, x * v - y * u)
    return math.atan2(across, x * u + y * v + z * w)


def up(gravity_W: np.ndarray) -> np.ndarray:
    """``(3,)`` the direction against gravity; the world's z axis where there is none."""
    strength = float(np.linalg.norm(gravity_W))
    return -gravity_W / strength if strength > 0.0 else UP


class UprightMonitor(Plugin):
    """Reports the tilt of an entity against gravity, counts its falls, and can end the run at one."""

    Config = UprightMonitorConfig

    def configure(self, ctx: SimContext) -> None:
        """Finds the body; offers the report."""
        config = self.config
        self._ctx = ctx
        named = config.entity
        entity = ctx.owner_of(self) if named is None else ctx.entities.require(named, f"{self.address}.entity")
        if entity is None:
            raise RoqsimError(
                f"{self.address}: expected an entity to watch, got none; nest it under one or add 'entity:'"
            )
        self._entity, body = entity, entity.body or 0
        if config.body is not None:
            body = names.body_id(ctx.model, config.body, where=f"{self.address}.body", prefix=entity.prefix)
        self._axis = ctx.data.xmat[body].reshape(3, 3)[:, 2]
        ctx.schedule(self, "post_step", config.rate_hz)
        self._ticks = round(config.min_time / ctx.dt)
        ports = (
            Port(
                name="fallen",
                message="std_msgs.msg.Bool",
                field="fallen",
                read=self.read_state,
                reads_derived=True,
                doc="Whether it has tipped over; the payload has the tilt.",
            ),
            Port(
                name="tilt",
                message="std_msgs.msg.Float64",
                field="tilt",
                read=self.read_state,
                reads_derived=True,
                doc="Radians between the body's z axis and the vertical.",
            ),
        )
        offer(ctx, self, entity, ports, config.rate_hz)
        publish(ctx, self, "upright_monitor", self.read_state)
        self.on_reset(ctx)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every fall."""
        self._since = -1
        self._is_fallen = False
        self._count = 0

    def post_step(self, ctx: SimContext) -> None:
        """Looks whether it stands."""
        if not ctx.entities.is_present(self._entity):
            return
        angle = self._tilt()
        if angle <= self.config.max_tilt:
            self._since, self._is_fallen = -1, False
            return
        if self._since < 0:
            self._since = ctx.tick
        if not self._is_fallen and ctx.tick - self._since >= self._ticks:
            self._is_fallen = True
            self._count += 1
            if self.config.stop:
                reason = f"{self.address}: {self._entity.name} fell, tilted by {angle:.3f} rad at {ctx.sim_time:.3f} s"
                ctx.request_stop(reason, failed=self.config.failed)

    def _tilt(self) -> float:
        return tilt(self._axis, up(self._ctx.model.opt.gravity))

    def read_state(self) -> UprightReport:
        """What is known now; on the physics thread."""
        self._ctx.refresh()
        return UprightReport(self._ctx.time_ns, self._tilt(), self._is_fallen, self._count)
