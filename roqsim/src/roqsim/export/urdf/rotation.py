"""Quaternions as URDF's roll, pitch and yaw."""

from __future__ import annotations

import math

from roqsim.mj.poses import Quaternion, Vector, to_matrix

LEVEL = 1e-9
"""Where the x axis lies this close to the vertical, its heading is as good as none and the yaw is zero."""

ROUNDING = 1e-15
"""An angle below this is the rounding of zero."""


def to_rpy(q: Quaternion) -> Vector:
    """Roll, pitch, yaw about the fixed axes x, y, z in radians, exact at a pitch of ±90 degrees too.

    Each angle is taken from the rotation that the ones before it leave over, so that an angle that is badly determined,
    as the yaw is near there, is made up for by the others.
    """
    R = to_matrix(q)
    yaw = math.atan2(R[1, 0], R[0, 0]) if math.hypot(R[0, 0], R[1, 0]) > LEVEL else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    # The rows of Rz(-yaw) R; the second one is (0, cos roll, -sin roll).
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return tuple(0.0 if abs(angle) < ROUNDING else angle for angle in (roll, pitch, yaw))
