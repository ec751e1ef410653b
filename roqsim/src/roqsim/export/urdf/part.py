"""Finding the robot in a world: an entity, or a body with everything that hangs on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from roqsim.context import Entity, SimContext, Transforms
from roqsim.errors import ConfigError, NotFoundError, suggest
from roqsim.mj import names
from roqsim.mj.poses import Transform
from roqsim.mj.state import qpos_slice

OPTION = "--robot"

ROBOTS = ("robot", "arm", "drone")
"""Kinds of entities that are robots."""


@dataclass(frozen=True)
class Frame:
    """A fixed frame that a component publishes.

    Attributes:
        parent: The frame that it is fixed in.
        name: Its name.
        X_PF: Where it stands in its parent.
    """

    parent: str
    name: str
    X_PF: Transform


@dataclass(frozen=True)
class Part:
    """A part of a compiled world.

    Attributes:
        model: The world.
        name: What the part is called.
        root: The id of its root body.
        bodies: The ids of its bodies, parents before children.
        prefix: What its names begin with in the model.
        others: What the names of other parts begin with, the longest first; what looks alike is shared between them.
        is_free: Whether its root body moves freely.
        frames: The fixed frames that its components publish.
        home: ``(nq,)`` positions of the whole world's joints in which it starts.
    """

    model: mujoco.MjModel
    name: str
    root: int
    bodies: list[int]
    prefix: str = ""
    others: tuple[str, ...] = ()
    is_free: bool = False
    frames: list[Frame] = field(default_factory=list)
    home: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def joints_of(self, body: int) -> list[int]:
        """The ids of a body's joints, in the order in which they act."""
        first = int(self.model.body_jntadr[body])
        return list(range(first, first + int(self.model.body_jntnum[body]))) if first >= 0 else []

    def geoms_of(self, body: int) -> list[int]:
        """The ids of a body's geoms."""
        first = int(self.model.body_geomadr[body])
        return list(range(first, first + int(self.model.body_geomnum[body]))) if first >= 0 else []


def find_part(ctx: SimContext, name: str | None = None) -> Part:
    """Finds the robot.

    Args:
        ctx: A built simulation, in the state in which the robot starts.
        name: An entity or a body; where None, the world's only robot.

    Raises:
        NotFoundError: There is no such entity or body.
        ConfigError: Nobody said which of several is meant, or there is none.
    """
    if name is None:
        entity = _only_entity(ctx)
        return _of_entity(ctx, entity) if entity is not None else _of_body(ctx, _only_body(ctx.model))
    entity = ctx.entities.get(name)
    if entity is not None:
        return _of_entity(ctx, entity)
    body = names.find(ctx.model, "body", name)
    if body is None or body == 0:
        known = [each.name for each in ctx.entities] or names.names(ctx.model, "body")[1:]
        raise NotFoundError(f"{OPTION}: expected an entity or a body, got {name!r}; {suggest(name, known)}")
    return _of_body(ctx, body)


def _only_entity(ctx: SimContext) -> Entity | None:
    standing = [entity for entity in ctx.entities if entity.carrier is None and entity.body]
    moving = [entity for entity in standing if _joints_below(ctx.model, entity.body)]
    for group in ([each for each in standing if each.kind in ROBOTS], moving, standing):
        if len(group) == 1:
            return group[0]
        if group:
            raise ConfigError(f"{OPTION}: expected one of {_listed([each.name for each in group])}, got none; name one")
    return None


def _only_body(model: mujoco.MjModel) -> int:
    roots = [body for body in range(1, model.nbody) if int(model.body_parentid[body]) == 0]
    moving = [body for body in roots if _joints_below(model, body)]
    for group in (moving, roots):
        if len(group) == 1:
            return group[0]
        if group:
            listed = _listed([names.name_of(model, "body", body) or f"(unnamed, id {body})" for body in group])
            raise ConfigError(f"{OPTION}: expected one of the bodies {listed}, got none; name one")
    raise ConfigError(f"{OPTION}: expected a world with a robot, got one without bodies")


def _listed(found: list[str]) -> str:
    more = f" and {len(found) - 10} more" if len(found) > 10 else ""
    return ", ".join(repr(name) for name in found[:10]) + more


def _subtree(model: mujoco.MjModel, root: int) -> list[int]:
    found = {root}
    for body in range(root + 1, model.nbody):
        if int(model.body_parentid[body]) in found:
            found.add(body)
    return sorted(found)


def _joints_below(model: mujoco.MjModel, root: int) -> bool:
    free = int(mujoco.mjtJoint.mjJNT_FREE)
    below = set(_subtree(model, root))
    return any(int(model.jnt_bodyid[j]) in below and int(model.jnt_type[j]) != free for j in range(model.njnt))


def _of_entity(ctx: SimContext, entity: Entity) -> Part:
    if not ctx.entities.is_present(entity):
        raise ConfigError(
            f"{OPTION}: expected an entity that is there, got {entity.name!r}, which is absent; "
            "set its 'present' to true"
        )
    if not entity.body:
        raise ConfigError(f"{OPTION}: expected an entity with a body, got {entity.name!r} without one")
    part = _of_body(ctx, entity.body)
    owners = {each.name for each in ctx.entities if each.body in part.bodies}
    others = sorted({each.prefix for each in ctx.entities} - {entity.prefix, ""}, key=len, reverse=True)
    frames = _frames(ctx, owners)
    return replace(part, name=entity.name, prefix=entity.prefix, others=tuple(others), frames=frames)


def _of_body(ctx: SimContext, body: int) -> Part:
    model = ctx.model
    bodies = _subtree(model, body)
    name = _model_name(model) or names.name_of(model, "body", body) or f"body_{body}"
    first = int(model.body_jntadr[body])
    is_free = first >= 0 and int(model.jnt_type[first]) == int(mujoco.mjtJoint.mjJNT_FREE)
    return Part(model, name, body, bodies, is_free=is_free, home=ctx.data.qpos.copy())


def _model_name(model: mujoco.MjModel) -> str:
    """What the model's file calls it; empty where it says nothing."""
    name = bytes(model.names).partition(b"\0")[0].decode()
    return "" if name == mujoco.MjSpec().modelname else name


def _frames(ctx: SimContext, owners: set[str]) -> list[Frame]:
    """What the components of some entities publish as transforms that never change."""
    found: dict[str, Frame] = {}
    for endpoint in ctx.interface.by_direction("out"):
        if endpoint.owner not in owners or endpoint.rate_hz != 0.0:
            continue
        payload = endpoint.read()
        for each in payload.transforms if isinstance(payload, Transforms) else ():
            frame = Frame(each.frame_id, each.child_frame_id, (tuple(each.position), tuple(each.quaternion)))
            found.setdefault(frame.name, frame)
    return list(found.values())


def home_of(part: Part, joint: int) -> tuple[float, ...]:
    """The positions of a joint in which the part starts."""
    return tuple(part.home[qpos_slice(part.model, joint)].tolist())
