"""Forces and torques in another frame."""

from __future__ import annotations

from roqsim.mj.poses import Transform, Vector, rotate

from roqsim_sensors.signals.inertial import cross


def moved(force: Vector, torque: Vector, X_SF: Transform) -> tuple[Vector, Vector]:
    """A wrench at frame F as it is at frame S, both fixed to one body.

    Args:
        force: N along the axes of F.
        torque: Nm about the origin of F, along its axes.
        X_SF: The pose of F in S.

    Returns:
        The force along the axes of S in N, and the torque about its origin in Nm.
    """
    p_SF, q_SF = X_SF
    force_S, torque_S = rotate(q_SF, force), rotate(q_SF, torque)
    arm = cross(p_SF, force_S)
    return force_S, (torque_S[0] + arm[0], torque_S[1] + arm[1], torque_S[2] + arm[2])
