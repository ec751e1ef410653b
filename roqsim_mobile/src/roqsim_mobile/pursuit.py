"""Following a path by pure pursuit.

Coulter, "Implementation of the Pure Pursuit Path Tracking Algorithm", CMU-RI-TR-92-01.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, remainder, sin, sqrt, tau

Point = tuple[float, float]
Pose = tuple[float, float, float]

TURN_FIRST = pi / 3.0
"""A target that lies farther off than this, rad, is turned to on the spot."""

TURN_GAIN = 2.0
"""Angular velocity for each rad of heading error, 1/s."""

APPROACH_GAIN = 1.5
"""Greatest speed for each metre that is left, 1/s."""


class Path:
    """Straight lines through points, addressed by the way along them.

    Args:
        points: ``(n, 2)`` m, two or more; a point that repeats its neighbour is left out.

    Attributes:
        points: The corners.
        stations: ``(n,)`` the way to each corner, m.
    """

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = [points[0]]
        self.stations = [0.0]
        for x, y in points[1:]:
            step = hypot(x - self.points[-1][0], y - self.points[-1][1])
            if step > 0.0:
                self.points.append((x, y))
                self.stations.append(self.stations[-1] + step)

    @property
    def length(self) -> float:
        """The whole way, m."""
        return self.stations[-1]

    def at(self, station: float) -> Point:
        """The point after a way along the path, m; its ends beyond them."""
        if station <= 0.0:
            return self.points[0]
        for index in range(1, len(self.points)):
            if station <= self.stations[index]:
                begin, end = self.stations[index - 1], self.stations[index]
                (ax, ay), (bx, by) = self.points[index - 1], self.points[index]
                share = (station - begin) / (end - begin)
                return ax + share * (bx - ax), ay + share * (by - ay)
        return self.points[-1]

    def project(self, x: float, y: float, begin: float, reach: float) -> float:
        """The station nearest to a point, searched from ``begin`` over ``reach`` m, so that loops do not confuse it."""
        best, nearest = begin, float("inf")
        for index in range(1, len(self.points)):
            low, high = max(self.stations[index - 1], begin), min(self.stations[index], begin + reach)
            if low > high:
                continue
            (ax, ay), (bx, by) = self.points[index - 1], self.points[index]
            span = self.stations[index] - self.stations[index - 1]
            along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / span
            station = min(max(self.stations[index - 1] + along, low), high)
            px, py = self.at(station)
            distance = hypot(x - px, y - py)
            if distance < nearest:
                best, nearest = station, distance
        return best


@dataclass(frozen=True)
class Follower:
    """A law that steers along a path.

    Attributes:
        path: The path.
        lookahead: How far ahead the robot aims, m.
        speed: The speed on a straight line, m/s.
        strafe: Whether the robot moves sideways instead of turning; holonomic robots only.
    """

    path: Path
    lookahead: float
    speed: float
    strafe: bool = False

    def advance(self, pose: Pose, station: float) -> float:
        """How far along the path a robot has come.

        Args:
            pose: x and y in m, yaw in rad.
            station: How far it had come before, m.
        """
        return self.path.project(pose[0], pose[1], station, 2.0 * self.lookahead)

    def steer(self, pose: Pose, station: float, yaw: float | None = None) -> tuple[float, float, float]:
        """The velocity to command.

        Args:
            pose: x and y in m, yaw in rad.
            station: How far along the path the robot is, m.
            yaw: The heading to keep while strafing, rad.

        Returns:
            ``(vx, vy, w)`` in the robot's frame, m/s and rad/s.
        """
        tx, ty = self._aim(pose, station)
        dx, dy = tx - pose[0], ty - pose[1]
        distance = hypot(dx, dy)
        if distance == 0.0:
            return 0.0, 0.0, 0.0
        left = hypot(self.path.points[-1][0] - pose[0], self.path.points[-1][1] - pose[1])
        remaining = max(self.path.length - station, left)
        speed = min(self.speed, APPROACH_GAIN * remaining)
        error = remainder(atan2(dy, dx) - pose[2], tau)
        if self.strafe:
            turn = TURN_GAIN * remainder((pose[2] if yaw is None else yaw) - pose[2], tau)
            return speed * cos(error), speed * sin(error), turn
        if abs(error) > TURN_FIRST:
            return 0.0, 0.0, TURN_GAIN * error
        vx = speed * cos(error)
        return vx, 0.0, vx * 2.0 * sin(error) / max(distance, self.lookahead / 2.0)

    def _aim(self, pose: Pose, station: float) -> Point:
        """The point one lookahead away, nearer along the path for a robot that is off it."""
        px, py = self.path.at(station)
        off = hypot(px - pose[0], py - pose[1])
        ahead = sqrt(max(self.lookahead**2 - off**2, (0.3 * self.lookahead) ** 2))
        return self.path.at(station + ahead)


def turn_to(yaw: float, wanted: float) -> float:
    """The angular velocity in rad/s that turns a robot to a heading."""
    return TURN_GAIN * remainder(wanted - yaw, tau)


def relative(start: Pose, pose: Pose) -> Pose:
    """A pose as seen from another one: x and y in m along the other's axes, and the turn in (-pi, pi]."""
    dx, dy = pose[0] - start[0], pose[1] - start[1]
    c, s = cos(start[2]), sin(start[2])
    return c * dx + s * dy, c * dy - s * dx, remainder(pose[2] - start[2], tau)


def compose(start: Pose, step: Pose) -> Pose:
    """The pose that is ``step`` as seen from ``start``."""
    c, s = cos(start[2]), sin(start[2])
    return (
        start[0] + c * step[0] - s * step[1],
        start[1] + s * step[0] + c * step[1],
        remainder(start[2] + step[2], tau),
    )
