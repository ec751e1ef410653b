"""A sensor's housing on a robot, or standing in the world, with the plugins that make it measure."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
from roqsim.config.pose import Pose
from roqsim.config.schema import need, opt
from roqsim.context import Entity, SimContext, Transform
from roqsim.errors import RoqsimError
from roqsim.manifest import manifest_frame_id
from roqsim.mj import names, poses
from roqsim.spawning.frames import offer_fixed_frames
from roqsim.spawning.placement import place
from roqsim.spawning.spawner import Spawner

WORLD = "world"
"""The frame in which a sensor without a carrier stands."""

ENDPOINT = "mount_tf"
"""The endpoint that says where the device is fixed."""


@dataclass(frozen=True, kw_only=True)
class SpawnSensorConfig:
    """A device and where it is mounted."""

    model: str = need()
    """Model of the device: a short name, package:model, or the path of its MJCF file."""
    parent: str | None = opt(None, empty=True)
    """Body or site of the carrier that it is fixed to, without the carrier's prefix; its root body by default."""
    pose: Pose = opt(Pose())
    """Pose of the device in `parent`; in the world where it is nested under nothing."""
    frame_id: str | None = opt(None)
    """Frame of its data; the maker's name for it, as the device's manifest gives it, where nothing is said."""
    parent_frame: str | None = opt(None)
    """Frame that its own frame is published in; `parent`, else the carrier's root body, where nothing is said."""
    prefix: str | None = opt(None, empty=True)
    """What its names begin with in the compiled world; the carrier's prefix, the label and an underscore by default."""
    namespace: str | None = opt(None, empty=True)
    """Scope of its topics and frames; the carrier's where nothing is said."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""
    default_plugins: bool = opt(True)
    """Whether the components of the device's manifest come along."""


class SpawnSensor(Spawner):
    """Welds a device to the entity it is nested under; without one it stands in the world.

    The entity it makes is named by its label, or by its address where it has a carrier, so that two robots may carry
    devices of one label. Where it knows the frame of its data, it publishes that frame as the static transform
    ``mount_tf``.
    """

    Config = SpawnSensorConfig
    expansion_keys = ("model", "frame_id", "parent_frame", "default_plugins")

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Attaches the device."""
        config = self.config
        asset, child = self.load_model()
        self._carrier = ctx.owner_of(self)
        parent, name, prefix = config.parent, self.name, config.prefix
        if self._carrier is not None:
            parent, name = parent or "", self.address
            prefix = f"{self._carrier.prefix}{self.name}_" if prefix is None else prefix
        self._entity = place(
            ctx,
            child,
            plugin=self,
            kind="sensor",
            asset=asset,
            name=name,
            prefix=prefix,
            namespace=config.namespace,
            pose=config.pose,
            parent=parent,
            motion="static",
        )
        self._entity.meta["frame_id"] = config.frame_id or manifest_frame_id(config.model, self.base_dir)

    def configure(self, ctx: SimContext) -> None:
        """Publishes the frame of the device's data."""
        unknown = sorted(set(self.config.topics) - {ENDPOINT})
        if unknown:
            raise RoqsimError(f"{self.address}.topics: expected the endpoint {ENDPOINT!r}, got {unknown[0]!r}")
        frame_id = self._entity.meta["frame_id"]
        if frame_id is None:
            return
        parent, X_PS = self._mount(ctx)
        if parent == frame_id:
            raise RoqsimError(
                f"{self.address}.frame_id: expected another frame than the one it is fixed in, got {frame_id!r}; "
                "a frame can not be its own parent"
            )
        offer_fixed_frames(
            ctx,
            ENDPOINT,
            (Transform(parent, frame_id, *X_PS),),
            owner=self._entity.name,
            namespace=self._entity.namespace,
            doc="Where the device is fixed.",
            topic=self.topic_override(ENDPOINT),
        )

    def _mount(self, ctx: SimContext) -> tuple[str, poses.Transform]:
        """The frame that the device is fixed in, and its pose there."""
        model, data, device = ctx.model, ctx.data, ("body", self._entity.body)
        named = self.config.parent_frame
        if self._carrier is None:
            return named or WORLD, poses.pose(model, data, *device)
        kind, index = self._parent(model, self._carrier, named)
        here = index if kind == "body" else int(model.site_bodyid[index])
        if int(model.body_weldid[here]) != int(model.body_weldid[self._entity.body]):
            raise RoqsimError(
                f"{self.address}.parent_frame: expected a frame that does not move against the device, got {named!r}; "
                "name the body that it is mounted on"
            )
        name = named or names.name_of(model, kind, index).removeprefix(self._carrier.prefix)
        return name, poses.relative_pose(model, data, (kind, index), device)

    def _parent(self, model: mujoco.MjModel, carrier: Entity, named: str | None) -> tuple[str, int]:
        """The body or site of the parent frame; what the device is mounted on where the model has none of its name."""
        for name in (named, self.config.parent):
            for kind in ("body", "site"):
                index = None if name is None else names.find(model, kind, carrier.prefix + name)
                if index is not None:
                    return kind, index
        return "body", carrier.body
