"""Dead reckoning: the pose that wheel encoders add up to (REP-105's ``odom``)."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, remainder, sin, tau

import numpy as np

STRAIGHT = 1e-8
"""Half a turn in rad below which an arc is as long as its chord, to the last bit."""


def move(x: float, y: float, yaw: float, dx: float, dy: float, turn: float) -> tuple[float, float, float]:
    """The pose after a motion with constant velocity in the body's own frame, which is an arc.

    Its chord is sin(turn / 2) / (turn / 2) times as long as the arc, and points half the turn further than the body.

    Args:
        x: Before, m.
        y: Before, m.
        yaw: Before, rad.
        dx: Way along the body's x axis, m.
        dy: Way along the body's y axis, m.
        turn: Turn about z, rad.

    Returns:
        x and y in m and the yaw in (-pi, pi].
    """
    half = turn / 2.0
    chord = sin(half) / half if half > STRAIGHT or half < -STRAIGHT else 1.0
    c, s = cos(yaw + half) * chord, sin(yaw + half) * chord
    return x + c * dx - s * dy, y + s * dx + c * dy, remainder(yaw + turn, tau)


@dataclass(frozen=True)
class VelocityNoise:
    """How wheel velocities are misread before they are integrated.

    Attributes:
        linear_scale: Factor on linear velocities.
        angular_scale: Factor on the angular velocity.
        linear_stddev: Standard deviation of white noise on each linear velocity, m/s.
        angular_stddev: Standard deviation of white noise on the angular velocity, rad/s.
    """

    linear_scale: float = 1.0
    angular_scale: float = 1.0
    linear_stddev: float = 0.0
    angular_stddev: float = 0.0

    @property
    def is_random(self) -> bool:
        """Whether random numbers are needed."""
        return self.linear_stddev > 0.0 or self.angular_stddev > 0.0


class Odometer:
    """Pose, velocity and their covariance, from increments of the body's motion.

    Args:
        noise: How velocities are misread; None reads them as they are.
        is_holonomic: Whether the sideways velocity is measured, and misread, too.

    Attributes:
        pose: ``(x, y, yaw)`` in the odometry's frame, m and rad.
        covariance: Of ``pose``: the entries xx, xy, x-yaw, yy, y-yaw, yaw-yaw. White noise is all it knows of, so
            without any it stays zero.
    """

    def __init__(self, noise: VelocityNoise | None = None, is_holonomic: bool = False) -> None:
        self._noise = noise
        self._sideways = noise is not None and is_holonomic
        self.reset()

    def reset(self) -> None:
        """Begins anew at the origin."""
        self.pose = (0.0, 0.0, 0.0)
        self._motion, self._period = (0.0, 0.0, 0.0), 1.0
        self.covariance = (0.0,) * 6

    @property
    def velocity(self) -> tuple[float, float, float]:
        """``(vx, vy, w)`` over the last period in the body's frame, m/s and rad/s."""
        dx, dy, turn = self._motion
        return dx / self._period, dy / self._period, turn / self._period

    def add(self, dx: float, dy: float, turn: float, period: float, rng: np.random.Generator | None = None) -> None:
        """Adds what the wheels did over a period.

        Args:
            dx: Way forward, m.
            dy: Way to the left, m.
            turn: Turn about z, rad.
            period: Seconds.
            rng: Where the noise comes from; needed where it is random.
        """
        noise = self._noise
        if noise is not None:
            dx, dy, turn = dx * noise.linear_scale, dy * noise.linear_scale, turn * noise.angular_scale
            if noise.is_random:
                draws = rng.standard_normal(3).tolist()
                dx += draws[0] * noise.linear_stddev * period
                dy += draws[1] * noise.linear_stddev * period if self._sideways else 0.0
                turn += draws[2] * noise.angular_stddev * period
                self._spread(dx, dy, turn, period)
        self._motion, self._period = (dx, dy, turn), period
        x, y, yaw = self.pose
        self.pose = move(x, y, yaw, dx, dy, turn)

    def _spread(self, dx: float, dy: float, turn: float, period: float) -> None:
        """P = F P F' + G Q G' with the yaw at the middle of the arc."""
        noise, (pxx, pxy, pxt, pyy, pyt, ptt) = self._noise, self.covariance
        middle = self.pose[2] + turn / 2.0
        c, s = cos(middle), sin(middle)
        fx, fy = -s * dx - c * dy, c * dx - s * dy
        qx = (noise.linear_stddev * period) ** 2
        qy = qx if self._sideways else 0.0
        self.covariance = (
            pxx + 2.0 * fx * pxt + fx * fx * ptt + c * c * qx + s * s * qy,
            pxy + fx * pyt + fy * pxt + fx * fy * ptt + c * s * (qx - qy),
            pxt + fx * ptt,
            pyy + 2.0 * fy * pyt + fy * fy * ptt + s * s * qx + c * c * qy,
            pyt + fy * ptt,
            ptt + (noise.angular_stddev * period) ** 2,
        )

    def pose_covariance(self) -> np.ndarray:
        """``(6, 6)`` of x, y, z, roll, pitch, yaw; zero where nothing moves."""
        matrix = np.zeros((6, 6))
        xx, xy, xt, yy, yt, tt = self.covariance
        for row, column, value in ((0, 0, xx), (0, 1, xy), (0, 5, xt), (1, 1, yy), (1, 5, yt), (5, 5, tt)):
            matrix[row, column] = matrix[column, row] = value
        return matrix

    def twist_covariance(self) -> np.ndarray:
        """``(6, 6)`` of the velocity along x, y, z and about x, y, z."""
        matrix = np.zeros((6, 6))
        if self._noise is not None:
            matrix[0, 0] = self._noise.linear_stddev**2
            matrix[1, 1] = self._noise.linear_stddev**2 if self._sideways else 0.0
            matrix[5, 5] = self._noise.angular_stddev**2
        return matrix
