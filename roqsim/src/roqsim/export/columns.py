"""What a state tells, by name: joints, bodies and controls as columns of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.export.motion import absent_bodies, names_of
from roqsim.mj.names import control_slice
from roqsim.mj.state import FREEDOM, WIDTH

FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)

QUATERNION = tuple(f"orientation.{axis}" for axis in "wxyz")
POSE = (*(f"position.{axis}" for axis in "xyz"), *QUATERNION)
ANGULAR = tuple(f"angular.{axis}" for axis in "xyz")
POSITIONS = {FREE: POSE, BALL: QUATERNION}
VELOCITIES = {FREE: (*(f"linear.{axis}" for axis in "xyz"), *ANGULAR), BALL: ANGULAR}


@dataclass(frozen=True)
class Columns:
    """Numbers of one kind of thing.

    Attributes:
        kind: ``joint``, ``body`` or ``actuator``.
        things: The name of the thing that each column belongs to.
        names: What the column is of it, such as ``position`` or ``position.x``.
        take: The ``(n,)`` numbers in the current state; NaN for the pose of a body that is absent.
    """

    kind: str
    things: list[str]
    names: list[str]
    take: Callable[[SimContext], np.ndarray]

    @property
    def full_names(self) -> list[str]:
        """The columns' names in a table of everything: ``body.robot_base_link.position.x``."""
        return [f"{self.kind}.{thing}.{name}" for thing, name in zip(self.things, self.names, strict=True)]


def joint_columns(model: mujoco.MjModel) -> Columns:
    """Position and velocity of every joint: radians or metres, and per second.

    A free joint has a pose and a velocity, linear in the world and angular about its body's axes; a ball a quaternion
    and an angular velocity about its body's axes.
    """
    things, columns = [], []
    q_rows, v_rows, is_position = [], [], []
    for joint, name in enumerate(names_of(model, "joint")):
        kind = int(model.jnt_type[joint])
        position, velocity = POSITIONS.get(kind, ("position",)), VELOCITIES.get(kind, ("velocity",))
        things += [name] * (len(position) + len(velocity))
        columns += [*position, *velocity]
        is_position += [True] * len(position) + [False] * len(velocity)
        q_rows += range(int(model.jnt_qposadr[joint]), int(model.jnt_qposadr[joint]) + WIDTH[kind])
        v_rows += range(int(model.jnt_dofadr[joint]), int(model.jnt_dofadr[joint]) + FREEDOM[kind])
    positions = np.array(is_position, dtype=bool)

    def take(ctx: SimContext) -> np.ndarray:
        values = np.empty(len(positions))
        values[positions], values[~positions] = ctx.data.qpos[q_rows], ctx.data.qvel[v_rows]
        return values

    return Columns("joint", things, columns, take)


def body_columns(model: mujoco.MjModel) -> Columns:
    """The pose of every body but the world: metres, and a quaternion, both in the world."""
    names = names_of(model, "body")[1:]

    def take(ctx: SimContext) -> np.ndarray:
        poses = np.hstack([ctx.data.xpos[1:], ctx.data.xquat[1:]])
        poses[absent_bodies(ctx)[1:]] = np.nan
        return poses.reshape(-1)

    return Columns("body", [name for name in names for _ in POSE], list(POSE) * len(names), take)


def actuator_columns(model: mujoco.MjModel) -> Columns:
    """The controls of every actuator, in its own unit."""
    things, columns = [], []
    rows: list[int] = []
    for actuator, name in enumerate(names_of(model, "actuator")):
        where = control_slice(model, actuator)
        count = where.stop - where.start
        things += [name] * count
        columns += ["control"] if count == 1 else [f"control_{index}" for index in range(count)]
        rows += range(where.start, where.stop)
    return Columns("actuator", things, columns, lambda ctx: ctx.data.ctrl[rows])
