"""A mobile robot: its model in the world, with the components of its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco
from roqsim.config.pose import Pose
from roqsim.config.schema import need, opt
from roqsim.context import SimContext
from roqsim.spawning.actuators import ActuatorsConfig, apply_actuators, publish_actuators
from roqsim.spawning.placement import place
from roqsim.spawning.spawner import Spawner, UrdfConfig


@dataclass(frozen=True, kw_only=True)
class SpawnRobotConfig:
    """A robot and where it starts."""

    model: str = need()
    """Model of the robot: a short name, package:model, menagerie:NAME, or the path of an MJCF or URDF file."""
    pose: Pose = opt(Pose())
    """Pose in which it starts, in the world; a robot of this package stands on the ground at z = 0."""
    motion: Literal["physics", "static"] = opt("physics")
    """How its base moves: physics lets it drive, static bolts it down while its wheels still turn."""
    prefix: str | None = opt(None, empty=True)
    """What its names begin with in the compiled world; the label and an underscore where nothing is said."""
    namespace: str | None = opt(None, empty=True)
    """Scope of its topics and frames; none where nothing is said."""
    actuators: ActuatorsConfig | None = opt(None)
    """Control laws and gains in the place of the model's own."""
    keyframe: str | None = opt(None)
    """Keyframe of the model that it starts from; `home`, else the first, where nothing is said."""
    urdf: UrdfConfig | None = opt(None)
    """How a URDF is read: packages, shapes, density, actuators."""
    default_plugins: bool = opt(True)
    """Whether the components of the model's manifest come along."""


class SpawnRobot(Spawner):
    """Places a robot."""

    Config = SpawnRobotConfig

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Attaches the robot."""
        config = self.config
        asset, child = self.load_model()
        self._rows = apply_actuators(child, config.actuators, self.address)
        self._entity = place(
            ctx,
            child,
            plugin=self,
            kind="robot",
            asset=asset,
            prefix=config.prefix,
            namespace=config.namespace,
            pose=config.pose,
            motion=config.motion,
            keyframe=config.keyframe,
        )

    def configure(self, ctx: SimContext) -> None:
        """Puts the robot's actuators on record."""
        publish_actuators(ctx, self._entity, self._rows)
