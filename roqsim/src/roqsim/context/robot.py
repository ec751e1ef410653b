"""How programs in the same process command a robot, whatever its drive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class RobotHandle:
    """A mobile robot's command and odometry; both callables run on the physics thread.

    Attributes:
        name: The robot's entity.
        drive: ``drive(vx, vy, w)`` commands a body velocity in ``base_link``: metres and radians per second.
        read_odom: Returns ``(x, y, yaw, vx, vy, w)``: the pose in ``odom`` in metres and radians, the velocity in
            ``base_link``.
    """

    name: str
    drive: Callable[[float, float, float], None]
    read_odom: Callable[[], tuple[float, float, float, float, float, float]]
