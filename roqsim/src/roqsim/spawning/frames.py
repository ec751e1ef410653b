"""Frames that a model's manifest adds: built as sites, published as static transforms.

A model file may leave out links that hold no mass and no shape, such as a camera's optical frame. Its manifest puts
them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco

from roqsim.config.manifest import FrameConfig
from roqsim.context import Endpoint, Entity, SimContext, Transform, Transforms
from roqsim.errors import ConfigError, suggest
from roqsim.mj.attach import frame_on

ENDPOINT = "tf_static"


@dataclass(frozen=True)
class MadeFrame:
    """A frame that was built.

    Attributes:
        name: The site's name in the model, and the frame's.
        parent: The body, site or frame that it is fixed to.
        position: In the parent, metres.
        quaternion: In the parent, wxyz.
    """

    name: str
    parent: str
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]


def add_frames(child: mujoco.MjSpec, frames: Mapping[str, FrameConfig], where: str) -> list[MadeFrame]:
    """Adds a site to a model for each frame; one may be the parent of another, in any order.

    Args:
        child: The model, not yet attached.
        frames: The frames by name.
        where: Whose model it is; errors begin with it.

    Raises:
        ConfigError: If a name is taken, a parent does not exist, or frames are each other's parents.
    """
    waiting = dict(frames)
    made: list[MadeFrame] = []
    while waiting:
        ready = [name for name, frame in waiting.items() if frame.parent not in waiting]
        if not ready:
            names = ", ".join(repr(name) for name in sorted(waiting))
            raise ConfigError(f"{where}.frames: expected frames that end at a body, got a circle of {names}")
        for name in ready:
            made.append(_add(child, name, waiting.pop(name), where))
    return made


def _add(child: mujoco.MjSpec, name: str, frame: FrameConfig, where: str) -> MadeFrame:
    if child.site(name) is not None or child.body(name) is not None:
        raise ConfigError(
            f"{where}.frames.{name}: expected a name of its own, got {name!r}, which the model has already"
        )
    pose = frame.pose
    body = child.body(frame.parent) if frame.parent != "world" else None
    parent = body or child.site(frame.parent)
    if parent is None:
        known = [element.name for element in (*child.bodies, *child.sites) if element.name and element.name != "world"]
        raise ConfigError(
            f"{where}.frames.{name}.parent: expected a body, site or frame of the model, got {frame.parent!r}; "
            f"{suggest(frame.parent, known)}"
        )
    site = (body or parent.parent).add_site(name=name)
    site.set_frame(frame_on(child, parent, (pose.position, pose.quaternion)))
    return MadeFrame(name, frame.parent, tuple(pose.position), tuple(pose.quaternion))


def publish_frames(ctx: SimContext, entity: Entity, frames: list[MadeFrame]) -> None:
    """Offers an entity's frames as the endpoint ``tf_static``; nothing where there are none."""
    transforms = tuple(Transform(frame.parent, frame.name, frame.position, frame.quaternion) for frame in frames)
    if transforms:
        doc = "Fixed frames of the model."
        endpoint = offer_fixed_frames(ctx, ENDPOINT, transforms, owner=entity.name, namespace=entity.namespace, doc=doc)
        endpoint.component = entity.address or None


def offer_fixed_frames(
    ctx: SimContext,
    endpoint: str,
    transforms: tuple[Transform, ...],
    *,
    owner: str,
    namespace: str,
    doc: str,
    topic: str | None = None,
) -> Endpoint:
    """Offers transforms that never change as an endpoint that is never due: whoever comes late reads it once.

    Args:
        ctx: The simulation.
        endpoint: The endpoint's name.
        transforms: What it carries.
        owner: The entity it belongs to.
        namespace: The scope of its frames.
        doc: One sentence for people.
        topic: Where a transport publishes it; ``/tf_static`` where nothing is said.

    Returns:
        The endpoint.
    """
    hints = {
        "type": "tf2_msgs.msg.TFMessage",
        "topic": topic or "/tf_static",
        "latched": True,
        "shared": True,
        "fixed_frames": tuple(transform.child_frame_id for transform in transforms),
    }
    return ctx.interface.add(
        Endpoint(
            endpoint,
            "out",
            owner,
            read=lambda: Transforms(ctx.time_ns, transforms),
            rate_hz=0.0,
            namespace=namespace,
            backend={"ros2": hints},
            reads_derived=False,
            stateless=True,
            doc=doc,
        )
    )
