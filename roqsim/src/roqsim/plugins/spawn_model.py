"""A model from a file as a prop: a table, a pallet, a door, anything that needs no drive of its own kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco

from roqsim.config.pose import Pose
from roqsim.config.schema import need, opt
from roqsim.context import Endpoint, Entity, PoseStamped, SimContext
from roqsim.errors import BuildError, RoqsimError
from roqsim.mj import matter
from roqsim.mj.poses import is_finite
from roqsim.mj.state import set_body_pose
from roqsim.spawning.placement import place
from roqsim.spawning.spawner import Spawner, UrdfConfig


@dataclass(frozen=True, kw_only=True)
class SpawnModelConfig:
    """A model and how it stands in the world."""

    model: str = need()
    """Model: a short name, package:model, menagerie:NAME, or the path of an MJCF or URDF file."""
    pose: Pose = opt(Pose())
    """Pose of the model's own frame, in the world or in `parent`."""
    motion: Literal["physics", "static", "driven"] = opt("physics")
    """How it moves: physics lets forces move it, static fixes it, driven moves it only by being placed (`set_pose`)."""
    mass: float | None = opt(None, gt=0, unit="kg")
    """Mass of the whole model; inertias follow in proportion. The model's own where nothing is said."""
    friction: float | tuple[float, ...] | None = opt(None, ge=0, length=(1, 3))
    """Friction of every geom that touches others: sliding, or a list of sliding, torsional (m) and rolling (m)."""
    scale: float = opt(1.0, gt=0)
    """Factor on every length, about the model's origin; the density stays."""
    rgba: tuple[float, float, float, float] | None = opt(None, ge=0, le=1)
    """Colour of the whole model: red, green, blue, opacity."""
    parent: str | None = opt(None, empty=True)
    """Body or site of the owning entity that it is mounted on, without the owner's prefix."""
    prefix: str | None = opt(None, empty=True)
    """What the model's names begin with in the compiled world; the label and an underscore where nothing is said."""
    namespace: str | None = opt(None, empty=True)
    """Scope of its topics and frames."""
    keyframe: str | None = opt(None)
    """Keyframe of the model that it starts from; `home`, else the first, where nothing is said."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""
    urdf: UrdfConfig | None = opt(None)
    """How a URDF is read: packages, shapes, density, actuators."""
    default_plugins: bool = opt(True)
    """Whether the components of the model's manifest come along."""

    def __post_init__(self) -> None:
        if self.parent is not None and self.motion != "static":
            raise ValueError(
                f"motion: expected 'static' for what is mounted on a parent, got {self.motion!r}; write 'static'"
            )


class SpawnModel(Spawner):
    """Places a model."""

    Config = SpawnModelConfig

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Attaches the model."""
        config = self.config
        asset, child = self.load_model()
        if config.friction is not None and not matter.set_friction(child, config.friction):
            raise BuildError(
                f"{self.address}.friction: expected a model with colliding geoms, got {config.model!r} without"
            )
        if config.rgba is not None:
            matter.set_colour(child, config.rgba)
        self._entity = place(
            ctx,
            child,
            plugin=self,
            kind="object",
            asset=asset,
            prefix=config.prefix,
            namespace=config.namespace,
            pose=config.pose,
            parent=config.parent,
            motion=config.motion,
            scale=config.scale,
            mass_factor=self._mass_factor(child),
            keyframe=config.keyframe,
        )

    def _mass_factor(self, child: mujoco.MjSpec) -> float:
        if self.config.mass is None:
            return 0.0
        mass = matter.total_mass(child, self.address)
        if not mass > 0.0:
            raise BuildError(
                f"{self.address}.mass: expected a model with a mass to scale, got {self.config.model!r} without one"
            )
        return self.config.mass / mass

    def configure(self, ctx: SimContext) -> None:
        """Offers ``set_pose`` where the model is driven."""
        if self.config.motion != "driven":
            return
        entity = self._entity
        topic = self.topic_override("set_pose") or "set_pose"
        ctx.interface.add(
            Endpoint(
                "set_pose",
                "in",
                entity.name,
                write=lambda payload: _drive(ctx, entity, payload),
                namespace=entity.namespace,
                backend={"ros2": {"type": "geometry_msgs.msg.PoseStamped", "topic": topic}},
                doc="Places the model: a pose in the world.",
            )
        )


def _drive(ctx: SimContext, entity: Entity, payload: PoseStamped) -> None:
    if not is_finite(payload.position, payload.quaternion):
        raise RoqsimError(
            f"{entity.address}.set_pose: expected finite numbers, got {payload.position!r}, {payload.quaternion!r}"
        )
    set_body_pose(ctx.model, ctx.data, entity.body, (tuple(payload.position), tuple(payload.quaternion)))
    ctx.state_changed()
