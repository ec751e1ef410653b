"""The tree of frames: the world, every body below it, and the frames that sensors and models add to bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roqsim.context import Endpoint, SimContext, Transforms
from roqsim.export.mcap.messages import Message, transform_of
from roqsim.export.motion import absent_bodies, names_of
from roqsim.mj.names import find
from roqsim.mj.poses import IDENTITY, Transform, relative_pose

WORLD = "world"
"""The root of the tree."""


@dataclass(frozen=True)
class FixedFrame:
    """A frame that never moves in its parent.

    Attributes:
        parent: The parent's name.
        name: Its own.
        X_PF: Its pose in the parent.
    """

    parent: str
    name: str
    X_PF: Transform


class FrameTree:
    """Names every frame and tells where it is.

    A body is called after its entity's namespace and its name without the entity's prefix, ``robot1/base_link``, as
    far as that is a name of its own; else by its name in the model.

    Args:
        ctx: A simulation after a reset.

    Attributes:
        bodies: A name for every body.
        fixed: The frames that are no bodies.
    """

    def __init__(self, ctx: SimContext) -> None:
        self._ctx = ctx
        model = ctx.model
        self.bodies = _body_frames(ctx)
        self._known = set(self.bodies)
        self.fixed: list[FixedFrame] = []
        self._moving = np.flatnonzero((model.body_jntnum > 0) | (model.body_mocapid >= 0)).tolist()
        self._still = [body for body in range(1, model.nbody) if body not in set(self._moving)]
        outs = ctx.interface.by_direction("out")
        waiting = [(each, transform) for each in outs for transform in _fixed_transforms(each)]
        for endpoint, transform in waiting:
            self._find_site(endpoint, transform.frame_id)
        while ready := [each for each in waiting if self.scoped(each[0].namespace, each[1].frame_id) in self._known]:
            for endpoint, transform in ready:
                parent = self.scoped(endpoint.namespace, transform.frame_id)
                name = _joined(endpoint.namespace, transform.child_frame_id)
                self._add(FixedFrame(parent, name, (tuple(transform.position), tuple(transform.quaternion))))
            waiting = [each for each in waiting if each not in ready]
        for endpoint in outs:
            hints = endpoint.backend.get("ros2", {})
            for frame in filter(None, (hints.get("frame_id"), hints.get("child_frame_id"))):
                self._find_site(endpoint, str(frame))

    def scoped(self, namespace: str, frame: str) -> str:
        """The name among all frames of one that an endpoint of a namespace speaks of."""
        name = _joined(namespace, frame)
        return frame if name not in self._known and frame in self._known else name

    def has(self, name: str) -> bool:
        """Whether a frame is part of the tree."""
        return name in self._known

    def fixed_transforms(self, stamp_ns: int) -> list[Message]:
        """Where the frames are that never move in their parents."""
        still = [self._body_transform(stamp_ns, body) for body in self._still]
        return still + [transform_of(stamp_ns, each.parent, each.name, *each.X_PF) for each in self.fixed]

    def moving_transforms(self, stamp_ns: int) -> list[Message]:
        """Where the bodies are now that move in their parents; without those of absent entities."""
        absent = absent_bodies(self._ctx)
        return [self._body_transform(stamp_ns, body) for body in self._moving if not absent[body]]

    def _body_transform(self, stamp_ns: int, body: int) -> Message:
        ctx = self._ctx
        parent = int(ctx.model.body_parentid[body])
        X_PB = relative_pose(ctx.model, ctx.data, ("body", parent), ("body", body))
        return transform_of(stamp_ns, self.bodies[parent], self.bodies[body], *X_PB)

    def _find_site(self, endpoint: Endpoint, frame: str) -> None:
        """Adds a frame that an endpoint speaks of if a site of its entity has the name, or it is the entity's own."""
        name, ctx = _joined(endpoint.namespace, frame), self._ctx
        entity = ctx.entities.get(endpoint.owner)
        if self.has(name) or self.has(frame) or entity is None:
            return
        site = find(ctx.model, "site", entity.prefix + frame)
        if site is not None:
            body = int(ctx.model.site_bodyid[site])
            position, quaternion = ctx.model.site_pos[site].tolist(), ctx.model.site_quat[site].tolist()
            self._add(FixedFrame(self.bodies[body], name, (tuple(position), tuple(quaternion))))
        elif entity.body is not None and entity.meta.get("frame_id") == frame:
            self._add(FixedFrame(self.bodies[entity.body], name, IDENTITY))

    def _add(self, frame: FixedFrame) -> None:
        if frame.name not in self._known:
            self._known.add(frame.name)
            self.fixed.append(frame)


def _fixed_transforms(endpoint: Endpoint) -> tuple[object, ...]:
    """The transforms of an endpoint that carries frames which never move."""
    if not endpoint.backend.get("ros2", {}).get("latched") or endpoint.rate_hz != 0.0:
        return ()
    payload = endpoint.read()
    return payload.transforms if isinstance(payload, Transforms) else ()


def _body_frames(ctx: SimContext) -> list[str]:
    model = ctx.model
    compiled = names_of(model, "body")
    owners = {entity.body: entity for entity in ctx.entities if entity.body}
    owner_of = [None] * model.nbody
    taken, found = {WORLD}, [WORLD]
    for body in range(1, model.nbody):
        entity = owner_of[body] = owners.get(body, owner_of[int(model.body_parentid[body])])
        name = compiled[body]
        if entity is not None:
            name = _joined(entity.namespace, name.removeprefix(entity.prefix))
        if name in taken:
            name = compiled[body]
        taken.add(name)
        found.append(name)
    return found


def _joined(namespace: str, name: str) -> str:
    namespace = namespace.strip("/")
    return f"{namespace}/{name}" if namespace else name
