"""Reading and writing the state of a simulation.

``INTEGRATION`` is everything that the next step depends on, warm start, activation and history included: continuing
from it is bit-identical, which ``mjSTATE_FULLPHYSICS`` is not.
"""

from __future__ import annotations

import mujoco
import numpy as np

from roqsim.mj.poses import Transform

INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""MuJoCo's bit mask of the state that a step depends on."""

WIDTH = {
    int(mujoco.mjtJoint.mjJNT_FREE): 7,
    int(mujoco.mjtJoint.mjJNT_BALL): 4,
    int(mujoco.mjtJoint.mjJNT_SLIDE): 1,
    int(mujoco.mjtJoint.mjJNT_HINGE): 1,
}
"""How many numbers of qpos a joint has, by its type."""

FREEDOM = {
    int(mujoco.mjtJoint.mjJNT_FREE): 6,
    int(mujoco.mjtJoint.mjJNT_BALL): 3,
    int(mujoco.mjtJoint.mjJNT_SLIDE): 1,
    int(mujoco.mjtJoint.mjJNT_HINGE): 1,
}
"""How many numbers of qvel a joint has, by its type."""


def size(model: mujoco.MjModel) -> int:
    """The length of an integration state."""
    return mujoco.mj_stateSize(model, INTEGRATION)


def take(model: mujoco.MjModel, data: mujoco.MjData, out: np.ndarray | None = None) -> np.ndarray:
    """Copies the integration state.

    Args:
        model: The compiled model.
        data: The state to copy.
        out: ``(size(model),)`` doubles to write into, or None for a new array.

    Returns:
        The array that was written.
    """
    state = np.empty(size(model)) if out is None else out
    mujoco.mj_getState(model, data, state, INTEGRATION)
    return state


def put(model: mujoco.MjModel, data: mujoco.MjData, state: np.ndarray) -> None:
    """Writes an integration state; derived quantities are stale until the next forward or step.

    Raises:
        ValueError: If the array is not ``(size(model),)``.
    """
    if state.shape != (size(model),):
        raise ValueError(f"expected a state of shape {(size(model),)}, got {state.shape}")
    mujoco.mj_setState(model, data, state, INTEGRATION)


def qpos_slice(model: mujoco.MjModel, joint: int) -> slice:
    """Where a joint's positions stand in ``data.qpos``."""
    start = int(model.jnt_qposadr[joint])
    return slice(start, start + WIDTH[int(model.jnt_type[joint])])


def qvel_slice(model: mujoco.MjModel, joint: int) -> slice:
    """Where a joint's velocities stand in ``data.qvel``."""
    start = int(model.jnt_dofadr[joint])
    return slice(start, start + FREEDOM[int(model.jnt_type[joint])])


def free_joint(model: mujoco.MjModel, body: int) -> int | None:
    """The id of the free joint that carries a body, or None."""
    for joint in range(int(model.body_jntadr[body]), int(model.body_jntadr[body]) + int(model.body_jntnum[body])):
        if int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_FREE):
            return joint
    return None


def can_move(model: mujoco.MjModel, body: int) -> bool:
    """Whether ``set_body_pose`` can place a body: it has a free joint or is a mocap body."""
    return int(model.body_mocapid[body]) >= 0 or free_joint(model, body) is not None


def set_body_pose(
    model: mujoco.MjModel, data: mujoco.MjData, body: int, X_WB: Transform, *, still: bool = True
) -> None:
    """Places a free or mocap body; derived quantities are stale until they are recomputed.

    Args:
        model: The compiled model.
        data: The state to write.
        body: The body's id.
        X_WB: Position in metres and quaternion wxyz in the world.
        still: Also set a free body's velocity to zero.

    Raises:
        ValueError: If the body can not be placed.
    """
    position, quaternion = X_WB
    mocap = int(model.body_mocapid[body])
    if mocap >= 0:
        data.mocap_pos[mocap] = position
        data.mocap_quat[mocap] = quaternion
        return
    joint = free_joint(model, body)
    if joint is None:
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
        raise ValueError(f"expected a body with a free joint or a mocap body, got {name!r}")
    data.qpos[qpos_slice(model, joint)] = [*position, *quaternion]
    if still:
        data.qvel[qvel_slice(model, joint)] = 0.0
