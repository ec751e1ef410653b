"""Where an entity really is: what a test compares an estimate with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roqsim.config.angle import HALF_TURN
from roqsim.config.schema import opt
from roqsim.context import PoseStamped, SimContext, Twist
from roqsim.errors import RoqsimError
from roqsim.mj import names, poses
from roqsim.sensing.mount import Mount, find_mount
from roqsim.sensing.sensor import Output, Sensor
from roqsim.sensing.sensor_config import StreamConfig

WORLD = "world"
"""The frame that the pose is given in."""

PERCENT = 100.0


@dataclass(frozen=True, kw_only=True)
class GroundTruthPoseConfig(StreamConfig):
    """Which frame is reported, how often, and the errors of what tracks it; without any, the pose is exact."""

    frame: str | None = opt(None)
    """Body or site of the entity, without its prefix; its root body where nothing is said."""
    frame_id: str = opt(WORLD)
    """What the world's frame is called in the payload."""
    rate_hz: float | None = opt(None, gt=0, unit="Hz")
    """How often it is measured; every physics step where nothing is said."""
    position_stddev: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of each coordinate of a position."""
    orientation_stddev: float = opt(0.0, ge=0, le=HALF_TURN, unit="rad")
    """Standard deviation of a small turn about each axis of the frame."""
    dropout_percent: float = opt(0.0, ge=0, le=100, unit="%")
    """Share of the measurements that are lost, as when a camera system loses sight of the entity."""

    fault_keys: ClassVar[tuple[str, ...]] = ("position_stddev", "orientation_stddev", "dropout_percent")


class GroundTruthPose(Sensor):
    """Reports pose and velocity of the entity it is nested under.

    Value and stamp belong to one state: the stamp is the time of the state that the pose was computed from. Errors are
    those of the pose; the velocity stays exact.
    """

    Config = GroundTruthPoseConfig
    message = "geometry_msgs.msg.PoseStamped"

    def outputs(self) -> tuple[Output, ...]:
        """One stream, called like the component."""
        return (Output(self.name, self.message, frame_id=self.config.frame_id),)

    def find_mount(self, ctx: SimContext) -> Mount:
        """The frame that is reported."""
        if self.entity is None:
            raise RoqsimError(
                f"{self.address}: expected to be nested under an entity, got no owner; move it into its `components:`"
            )
        frame, place = self.config.frame, {"body": None, "site": None}
        if frame is not None:
            where = f"{self.address}.frame"
            place[names.frame_id(ctx.model, frame, where=where, prefix=self.entity.prefix)[0]] = frame
        return find_mount(ctx, self.entity, **place, frame_id=self.config.frame_id, where=self.address)

    def configure(self, ctx: SimContext) -> None:
        """Finds the frame and offers the endpoint."""
        super().configure(ctx)
        kind, index = self.mount.kind, self.mount.index
        self._child = names.name_of(ctx.model, kind, index).removeprefix(self.entity.prefix)

    def measure(self, ctx: SimContext) -> PoseStamped | None:
        """Pose and velocity of the current state in the world; None where the measurement is lost."""
        ctx.refresh()
        values, kind, index = self.values, self.mount.kind, self.mount.index
        if values.dropout_percent and self.rng(".dropout").random() * PERCENT < values.dropout_percent:
            return None
        position, quaternion = (np.array(part) for part in poses.pose(ctx.model, ctx.data, kind, index))
        linear, angular = poses.velocity(ctx.model, ctx.data, kind, index)
        if values.position_stddev:
            position += values.position_stddev * self.rng(".position").standard_normal(3)
        if values.orientation_stddev:
            turn = values.orientation_stddev * self.rng(".orientation").standard_normal(3)
            quaternion = np.array(poses.multiply(quaternion, poses.from_rotation_vector(turn)))
        return PoseStamped(
            ctx.time_ns, values.frame_id, self._child, position, quaternion, Twist(linear, angular)
        )  # fmt: skip
