"""Poses and velocities: quaternion algebra in plain floats, and the frames of a compiled model.

Quaternions are ``(w, x, y, z)``, a pose is ``(position, quaternion)``. Plain floats are several times faster here than
arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import mujoco
import numpy as np

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Transform = tuple[Vector, Quaternion]

IDENTITY: Transform = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
"""The pose of a frame in itself."""

GIMBAL = 1.0 - 1e-12
"""Above this sine of the pitch, roll and yaw turn about the same axis."""

OBJECTS = {
    "body": mujoco.mjtObj.mjOBJ_XBODY,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "camera": mujoco.mjtObj.mjOBJ_CAMERA,
}
"""What has a pose, by MuJoCo's object type; XBODY is the body's own frame, BODY would be its inertial one."""


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation ``b`` followed by ``a``: the product ``a b``."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """The inverse rotation of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


def normalized(q: Quaternion) -> Quaternion:
    """The unit quaternion of the same rotation.

    Raises:
        ValueError: If the quaternion is zero.
    """
    length = math.sqrt(sum(part * part for part in q))
    if not length > 0.0:
        raise ValueError(f"expected a quaternion other than zero, got {q!r}")
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def rotate(q: Quaternion, v: Vector) -> Vector:
    """The vector ``v`` turned by the unit quaternion ``q``."""
    w, x, y, z = q
    tx, ty, tz = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


def compose(X_AB: Transform, X_BC: Transform) -> Transform:
    """``X_AC``: the pose of C in A from those of B in A and of C in B."""
    (p, q), (r, s) = X_AB, X_BC
    turned = rotate(q, r)
    return (p[0] + turned[0], p[1] + turned[1], p[2] + turned[2]), multiply(q, s)


def inverse(X_AB: Transform) -> Transform:
    """``X_BA``."""
    p, q = X_AB
    back = conjugate(q)
    x, y, z = rotate(back, p)
    return (-x, -y, -z), back


def from_euler(roll: float, pitch: float, yaw: float) -> Quaternion:
    """The rotation by roll, pitch, yaw about the fixed axes x, y, z (REP-103), in radians."""
    cr, sr = math.cos(roll / 2.0), math.sin(roll / 2.0)
    cp, sp = math.cos(pitch / 2.0), math.sin(pitch / 2.0)
    cy, sy = math.cos(yaw / 2.0), math.sin(yaw / 2.0)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def from_rotation_vector(v: Vector) -> Quaternion:
    """The turn about an axis by an angle: ``v`` is the unit axis times the angle in radians.

    >>> tuple(round(x, 4) for x in from_rotation_vector((0.0, 0.0, math.pi / 2)))
    (0.7071, 0.0, 0.0, 0.7071)
    """
    angle = math.hypot(*v)
    scale = math.sin(angle / 2) / angle if angle > 0.0 else 0.5
    return math.cos(angle / 2), v[0] * scale, v[1] * scale, v[2] * scale


def to_euler(q: Quaternion) -> Vector:
    """Roll, pitch, yaw about the fixed axes x, y, z in radians; at a pitch of ±90 degrees the roll is zero."""
    w, x, y, z = q
    sine = 2.0 * (w * y - z * x)
    if abs(sine) >= GIMBAL:
        return 0.0, math.copysign(math.pi / 2.0, sine), 2.0 * math.copysign(1.0, -sine) * math.atan2(x, w)
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return roll, math.asin(sine), yaw_of(q)


def yaw_of(q: Quaternion) -> float:
    """The heading: the angle of the turned x axis in the x-y plane, in (-pi, pi]."""
    w, x, y, z = q
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def to_matrix(q: Quaternion) -> np.ndarray:
    """``(3, 3)`` rotation matrix of a unit quaternion."""
    columns = [rotate(q, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return np.array(columns).T


def from_matrix(matrix: np.ndarray) -> Quaternion:
    """The unit quaternion of a rotation matrix, ``(3, 3)`` or ``(9,)`` in rows."""
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.asarray(matrix, dtype=float).reshape(9))
    return tuple(quaternion.tolist())


def pose(model: mujoco.MjModel, data: mujoco.MjData, kind: str, index: int) -> Transform:
    """``X_WB``: where a body, site, geom or camera stands in the world, as of the last kinematics.

    Args:
        model: The compiled model.
        data: Its state, with derived poses up to date.
        kind: One of ``OBJECTS``.
        index: The object's id.
    """
    if kind == "body":
        return tuple(data.xpos[index].tolist()), tuple(data.xquat[index].tolist())
    position, matrix = {
        "site": (data.site_xpos, data.site_xmat),
        "geom": (data.geom_xpos, data.geom_xmat),
        "camera": (data.cam_xpos, data.cam_xmat),
    }[kind]
    return tuple(position[index].tolist()), from_matrix(matrix[index])


def relative_pose(model: mujoco.MjModel, data: mujoco.MjData, a: tuple[str, int], b: tuple[str, int]) -> Transform:
    """``X_AB``: where frame ``b`` stands in frame ``a``; both are a kind and an id."""
    return compose(inverse(pose(model, data, *a)), pose(model, data, *b))


def velocity(
    model: mujoco.MjModel, data: mujoco.MjData, kind: str, index: int, *, local: bool = True
) -> tuple[Vector, Vector]:
    """The velocity of an object's origin against the world.

    Args:
        model: The compiled model.
        data: Its state, with derived velocities up to date (``mj_comVel``).
        kind: One of ``OBJECTS``.
        index: The object's id.
        local: Along the object's own axes; else along the world's.

    Returns:
        ``v`` in m/s and ``w`` in rad/s.
    """
    result = np.empty(6)
    mujoco.mj_objectVelocity(model, data, OBJECTS[kind], index, result, 1 if local else 0)
    values = result.tolist()
    return tuple(values[3:]), tuple(values[:3])


def is_finite(*vectors: Iterable[float]) -> bool:
    """Whether no number of the vectors is infinite or NaN."""
    return all(math.isfinite(value) for vector in vectors for value in vector)
