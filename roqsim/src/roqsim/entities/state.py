"""Where entities are and how they move: read, and set from outside.

An entity is placed by its free joint, or as a mocap body where it is driven. One that is welded keeps its pose; asking
it for the pose that it has is no error. What hangs below an entity on joints keeps its joint positions and speeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from roqsim.context import Entity, SimContext
from roqsim.errors import RoqsimError
from roqsim.mj import poses
from roqsim.mj.names import name_of
from roqsim.mj.state import free_joint, qpos_slice, qvel_slice

HELD = 1e-6
"""The distance in metres, and the angle in radians, up to which a pose counts as the one that is held."""

STILL = (0.0, 0.0, 0.0)
"""No velocity."""


@dataclass(frozen=True)
class EntityState:
    """Pose and velocity of an entity's root body in the world.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The frame of all vectors.
        position: ``(3,)`` metres.
        orientation: ``(4,)`` wxyz.
        linear_velocity: ``(3,)`` m/s of the body's origin, along the world's axes.
        angular_velocity: ``(3,)`` rad/s about the world's axes.
    """

    stamp_ns: int
    frame_id: str
    position: np.ndarray
    orientation: np.ndarray
    linear_velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(frozen=True)
class _Goal:
    """What is asked of one entity, checked and complete; a vector that is None stays as it is."""

    body: int
    position: poses.Vector | None
    orientation: poses.Quaternion | None
    linear: poses.Vector | None
    angular: poses.Vector | None

    @property
    def has_pose(self) -> bool:
        return self.position is not None or self.orientation is not None

    @property
    def is_still(self) -> bool:
        return not any((*(self.linear or STILL), *(self.angular or STILL)))


def read_state(ctx: SimContext, name: str) -> EntityState:
    """The state of an entity now, absent or not; on the physics thread.

    Raises:
        NotFoundError: If there is no entity of that name.
        RoqsimError: If it has no body.
    """
    body = _body_of(ctx.entities.require(name))
    ctx.refresh()
    position, orientation = poses.pose(ctx.model, ctx.data, "body", body)
    linear, angular = poses.velocity(ctx.model, ctx.data, "body", body, local=False)
    vectors = (np.array(values) for values in (position, orientation, linear, angular))
    return EntityState(ctx.time_ns, "world", *vectors)


def set_state(
    ctx: SimContext,
    name: str,
    *,
    position: Sequence[float] | None = None,
    orientation: Sequence[float] | None = None,
    linear_velocity: Sequence[float] | None = None,
    angular_velocity: Sequence[float] | None = None,
) -> EntityState:
    """Places an entity and sets its velocity; on the physics thread, between two steps.

    Everything is checked before anything is written, and derived quantities are recomputed, so what reads next sees the
    new place without a step. An absent entity may be placed: there it stands when it comes back.

    Args:
        ctx: A simulation with model and data.
        name: The entity.
        position: ``(3,)`` metres in the world; as it is where nothing is said.
        orientation: ``(4,)`` wxyz in the world, of any length but zero; as it is where nothing is said.
        linear_velocity: ``(3,)`` m/s of the body's origin in the world. Where nothing is said, a pose brings the entity
            to rest and a velocity alone leaves the other one.
        angular_velocity: ``(3,)`` rad/s about the world's axes; likewise.

    Returns:
        The state that it has now.

    Raises:
        NotFoundError: If there is no entity of that name.
        RoqsimError: If a number is not finite, or the entity can't take that pose or velocity.
    """
    entity = ctx.entities.require(name)
    body = _body_of(entity)
    goal = _Goal(
        body,
        _vector(name, "position", position, 3),
        _unit(name, orientation),
        _vector(name, "linear_velocity", linear_velocity, 3),
        _vector(name, "angular_velocity", angular_velocity, 3),
    )
    ctx.refresh()
    if ctx.model.body_mocapid[body] >= 0:
        _place_driven(ctx, entity, goal)
    elif (joint := free_joint(ctx.model, body)) is not None:
        _place_free(ctx, joint, goal)
    else:
        _check_held(ctx, entity, goal)
    ctx.state_changed()
    return read_state(ctx, name)


def _body_of(entity: Entity) -> int:
    if entity.body is None:
        raise RoqsimError(f"{entity.name}: expected an entity with a body, got one without")
    return entity.body


def _vector(name: str, what: str, values: Sequence[float] | None, length: int) -> tuple[float, ...] | None:
    if values is None:
        return None
    vector = tuple(float(value) for value in values)
    if len(vector) != length or not poses.is_finite(vector):
        raise RoqsimError(f"{name}.{what}: expected {length} finite numbers, got {vector!r}")
    return vector


def _unit(name: str, values: Sequence[float] | None) -> poses.Quaternion | None:
    quaternion = _vector(name, "orientation", values, 4)
    if quaternion is None:
        return None
    try:
        return poses.normalized(quaternion)
    except ValueError:
        raise RoqsimError(f"{name}.orientation: expected a quaternion other than zero, got {quaternion!r}") from None


def _place_driven(ctx: SimContext, entity: Entity, goal: _Goal) -> None:
    if not goal.is_still:
        raise RoqsimError(
            f"{entity.name}: expected no velocity for a driven entity, got {goal.linear!r}, {goal.angular!r}; place it "
            "again and again, or write `motion: physics` in its entry"
        )
    mocap = int(ctx.model.body_mocapid[goal.body])
    if goal.position is not None:
        ctx.data.mocap_pos[mocap] = goal.position
    if goal.orientation is not None:
        ctx.data.mocap_quat[mocap] = goal.orientation


def _place_free(ctx: SimContext, joint: int, goal: _Goal) -> None:
    q, v = ctx.data.qpos[qpos_slice(ctx.model, joint)], ctx.data.qvel[qvel_slice(ctx.model, joint)]
    before = poses.normalized(tuple(q[3:].tolist()))
    rest = STILL if goal.has_pose else None
    linear = goal.linear if goal.linear is not None else rest
    angular = goal.angular if goal.angular is not None else rest
    if goal.position is not None:
        q[:3] = goal.position
    if goal.orientation is not None:
        q[3:] = goal.orientation
    if linear is not None:
        v[:3] = linear
    if angular is not None:
        # A free joint's angular velocity is given along the axes of its body.
        v[3:] = poses.rotate(poses.conjugate(goal.orientation or before), angular)


def _check_held(ctx: SimContext, entity: Entity, goal: _Goal) -> None:
    """Accepts only what a welded or jointed entity does already.

    Raises:
        RoqsimError: Naming what holds it.
    """
    position, orientation = poses.pose(ctx.model, ctx.data, "body", goal.body)
    far = goal.position is not None and math.dist(goal.position, position) > HELD
    turned = goal.orientation is not None and _angle(goal.orientation, orientation) > HELD
    if far or turned or not goal.is_still:
        raise RoqsimError(
            f"{entity.name}: expected an entity on a free joint, got one that {_holder(ctx.model, entity)}"
        )


def _angle(a: poses.Quaternion, b: poses.Quaternion) -> float:
    """The angle in radians between two orientations."""
    _, *axis = poses.multiply(a, poses.conjugate(b))
    return 2.0 * math.asin(min(1.0, math.hypot(*axis)))


def _holder(model: mujoco.MjModel, entity: Entity) -> str:
    """What holds an entity, and what to do about it."""
    body = int(entity.body)
    if model.body_jntnum[body]:
        joint = name_of(model, "joint", int(model.body_jntadr[body])) or "without a name"
        return f"its own joint {joint!r} holds; move that joint instead"
    if entity.meta.get("carrier"):
        return f"is welded to {entity.meta['carrier']!r}, which carries it; move that instead"
    parent = name_of(model, "body", int(model.body_parentid[body])) or "world"
    return f"is welded to {parent!r}; write `motion: physics` in its entry {entity.address or entity.name!r}"
