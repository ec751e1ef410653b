"""Sectors of a circle around a robot, as bumpers have them."""

from __future__ import annotations

import math

FULL_CIRCLE = 2.0 * math.pi


def is_within(angle: float, start: float, end: float) -> bool:
    """Whether an angle lies in the sector that runs from ``start`` to the left up to ``end``; all in radians.

    The ends belong to it. Angles may be given by any number of turns:

    >>> is_within(3.1, 3.0, 3.5), is_within(-3.1, 3.0, 3.5), is_within(0.0, 3.0, 3.5)
    (True, True, False)
    """
    return end - start >= FULL_CIRCLE or (angle - start) % FULL_CIRCLE <= (end - start)


def bearing(point_W: tuple[float, float, float], p_WB: list[float], R_WB: list[float]) -> float:
    """The direction of a point as seen from a body, about the body's z axis from its x axis.

    Args:
        point_W: Metres in the world.
        p_WB: The body's origin in the world.
        R_WB: Its rotation matrix as nine numbers in rows.

    Returns:
        Radians in [-pi, pi].
    """
    dx, dy, dz = point_W[0] - p_WB[0], point_W[1] - p_WB[1], point_W[2] - p_WB[2]
    x = R_WB[0] * dx + R_WB[3] * dy + R_WB[6] * dz
    y = R_WB[1] * dx + R_WB[4] * dy + R_WB[7] * dz
    return math.atan2(y, x)
