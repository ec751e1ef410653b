"""What moves in a model, as other programs are told of it: joints by name, and bodies that are placed as a whole."""

from __future__ import annotations

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.mj.names import count, name_of
from roqsim.mj.poses import Transform, compose, inverse, pose
from roqsim.presence import Presence

PARKED = 100.0
"""How many metres below its place an absent entity is put, where a format has no way to hide it."""

TURNS_OR_SLIDES = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
"""The joints that one number places."""


def names_of(model: mujoco.MjModel, kind: str) -> list[str]:
    """A name for every object of a kind, in the order of the ids; one without a name is called ``<kind>_<id>``.

    The same model gives the same names, so that what is exported apart fits together.
    """
    found = [name_of(model, kind, index) for index in range(count(model, kind))]
    taken = set(found)
    for index, name in enumerate(found):
        if not name:
            name = f"{kind}_{index}"
            while name in taken:
                name += "_"
            taken.add(name)
            found[index] = name
    return found


def placed_bodies(model: mujoco.MjModel) -> np.ndarray:
    """``(nbody,)`` whether numbers of joints do not tell where a body is: mocap bodies, free joints, balls."""
    placed = model.body_mocapid >= 0
    turned = ~np.isin(model.jnt_type, TURNS_OR_SLIDES)
    placed[model.jnt_bodyid[turned]] = True
    return placed


def told_joints(model: mujoco.MjModel, placed: np.ndarray) -> np.ndarray:
    """``(n,)`` ids of the joints that one number places, on bodies that are not placed as a whole.

    Args:
        model: The compiled model.
        placed: ``(nbody,)`` the bodies that are.
    """
    return np.flatnonzero(np.isin(model.jnt_type, TURNS_OR_SLIDES) & ~placed[model.jnt_bodyid])


def joint_values(model: mujoco.MjModel, data: mujoco.MjData, joints: np.ndarray) -> np.ndarray:
    """``(n,)`` radians or metres by which joints differ from the pose that their bodies are declared in."""
    rows = model.jnt_qposadr[joints]
    return data.qpos[rows] - model.qpos0[rows]


def absent_bodies(ctx: SimContext) -> np.ndarray:
    """``(nbody,)`` whether a body belongs to an absent entity."""
    return ctx.blackboard.require("presence", Presence).absent


def shown_pose(data: mujoco.MjData, body: int, absent: np.ndarray) -> Transform:
    """``X_WB``: where a body is to be drawn, which is below its place if it is absent.

    Args:
        data: A state whose kinematics are current.
        body: The body's id.
        absent: ``(nbody,)`` the bodies of absent entities.
    """
    return _parked((tuple(data.xpos[body].tolist()), tuple(data.xquat[body].tolist())), bool(absent[body]))


def frame_of(
    model: mujoco.MjModel, data: mujoco.MjData, body: int, placed: np.ndarray, absent: np.ndarray
) -> Transform:
    """``X_PB``: where a body is drawn in its parent while its joints, if numbers place it, are at zero.

    Args:
        model: The compiled model.
        data: A state whose kinematics are current.
        body: The body's id, above 0.
        placed: ``(nbody,)`` the bodies that are placed as a whole; they stand where they are in this state.
        absent: ``(nbody,)`` the bodies of absent entities; the uppermost of each is parked below its place.
    """
    parent = int(model.body_parentid[body])
    declared = (tuple(model.body_pos[body].tolist()), tuple(model.body_quat[body].tolist()))
    if not placed[body] and absent[body] == absent[parent]:
        return declared
    X_WB = pose(model, data, "body", body)
    if not placed[body]:
        X_WB = compose(pose(model, data, "body", parent), declared)
    return compose(inverse(shown_pose(data, parent, absent)), _parked(X_WB, bool(absent[body])))


def _parked(X_WB: Transform, absent: bool) -> Transform:
    (x, y, z), quaternion = X_WB
    return ((x, y, z - PARKED) if absent else (x, y, z)), quaternion
