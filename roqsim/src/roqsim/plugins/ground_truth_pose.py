"""Where an entity really is: what a test compares an estimate with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roqsim.config.schema import opt
from roqsim.context import Endpoint, PoseStamped, SimContext, Twist
from roqsim.errors import RoqsimError
from roqsim.mj import names, poses
from roqsim.plugin import Plugin

WORLD = "world"
"""The frame that the pose is given in."""


@dataclass(frozen=True, kw_only=True)
class GroundTruthPoseConfig:
    """Which frame is reported, and how often."""

    frame: str | None = opt(None)
    """Body or site of the entity, without its prefix; its root body where nothing is said."""
    frame_id: str = opt(WORLD)
    """What the world's frame is called in the payload."""
    rate_hz: float | None = opt(None, gt=0, unit="Hz")
    """How often it is published; every physics step where nothing is said."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


class GroundTruthPose(Plugin):
    """Reports the exact pose and velocity of the entity it is nested under, computed when it is read.

    Value and stamp belong to one state: the stamp is the time of the state that the pose was computed from.
    """

    Config = GroundTruthPoseConfig

    def configure(self, ctx: SimContext) -> None:
        """Finds the frame and offers the endpoint."""
        entity = ctx.owner_of(self)
        if entity is None:
            raise RoqsimError(
                f"{self.address}: expected to be nested under an entity, got no owner; move it into its `components:`"
            )
        self._entity = entity
        frame = self.config.frame
        if frame is None:
            self._kind, self._index = "body", entity.body
            child = entity.body_name.removeprefix(entity.prefix)
        else:
            self._kind, self._index = names.frame_id(
                ctx.model, frame, where=f"{self.address}.frame", prefix=entity.prefix
            )
            child = frame
        topic = self.topic_override(self.name) or self.name
        ctx.interface.add(
            Endpoint(
                self.name,
                "out",
                entity.name,
                read=lambda: self._read(ctx, child),
                rate_hz=self.config.rate_hz,
                namespace=entity.namespace,
                backend={
                    "ros2": {"type": "geometry_msgs.msg.PoseStamped", "topic": topic, "frame_id": self.config.frame_id}
                },
                lazy=True,
                doc="Exact pose of the entity in the world.",
            )
        )

    def _read(self, ctx: SimContext, child: str) -> PoseStamped | None:
        if not ctx.entities.is_present(self._entity):
            return None
        position, quaternion = poses.pose(ctx.model, ctx.data, self._kind, self._index)
        linear, angular = poses.velocity(ctx.model, ctx.data, self._kind, self._index)
        return PoseStamped(
            ctx.time_ns, self.config.frame_id, child, np.array(position), np.array(quaternion), Twist(linear, angular)
        )
