"""What an inertial unit feels, from the motion of the frame that it is fixed to."""

from __future__ import annotations

from roqsim.mj.poses import Quaternion, Transform, Vector, conjugate, multiply, rotate


def felt_at(
    q_WF: Quaternion, w_W: Vector, f_W: Vector, alpha_W: Vector, X_FS: Transform
) -> tuple[Quaternion, Vector, Vector]:
    """Orientation, angular velocity and specific force of a frame S that is fixed to a moving frame F.

    The specific force of S is ``f + alpha x r + w x (w x r)`` with the lever arm ``r`` from F to S.

    Args:
        q_WF: The orientation of F in the world.
        w_W: The angular velocity of F in rad/s, along the world's axes.
        f_W: The acceleration of F's origin minus that of gravity in m/s², along the world's axes.
        alpha_W: The angular acceleration of F in rad/s², along the world's axes.
        X_FS: The pose of S in F.

    Returns:
        ``q_WS``, and along the axes of S the angular velocity in rad/s and the specific force in m/s².
    """
    p_FS, q_FS = X_FS
    q_WS = multiply(q_WF, q_FS)
    if any(p_FS):
        r_W = rotate(q_WF, p_FS)
        tangential, centripetal = cross(alpha_W, r_W), cross(w_W, cross(w_W, r_W))
        f_W = tuple(f + t + c for f, t, c in zip(f_W, tangential, centripetal, strict=True))
    q_SW = conjugate(q_WS)
    return q_WS, rotate(q_SW, w_W), rotate(q_SW, f_W)


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product, in plain floats."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
