"""Wheels and body: which wheel speeds move a base as commanded, and which motion its wheels mean.

All drives here are linear: ``wheel_speeds = J (vx, vy, w)`` with one row of J a wheel, in ``base_link`` (x forward, y
to the left, w about z). The way back is the pseudo-inverse, which averages over wheels that share a task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, sin

import numpy as np

Row = tuple[float, float, float]


@dataclass(frozen=True)
class Kinematics:
    """A drive's wheels.

    Attributes:
        rows: ``(n, 3)``: by wheel, the speed in rad/s that 1 m/s along x, 1 m/s along y and 1 rad/s about z ask for.
    """

    rows: tuple[Row, ...]
    _back: tuple[tuple[float, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        back = np.linalg.pinv(np.array(self.rows))
        object.__setattr__(self, "_back", tuple(tuple(column) for column in back.T.tolist()))

    @property
    def is_holonomic(self) -> bool:
        """Whether the base can move sideways."""
        return any(row[1] for row in self.rows)

    def wheel_speeds(self, vx: float, vy: float, w: float) -> list[float]:
        """The wheels' speeds for a body velocity.

        Args:
            vx: Forward, m/s.
            vy: To the left, m/s; without effect on wheels that can't do it.
            w: About z, rad/s.

        Returns:
            ``(n,)`` rad/s, in the order of ``rows``.
        """
        return [a * vx + b * vy + c * w for a, b, c in self.rows]

    def body_motion(self, wheels: Sequence[float], before: Sequence[float] | None = None) -> Row:
        """The body's motion that wheels mean.

        Args:
            wheels: ``(n,)`` speeds in rad/s, or angles in rad.
            before: ``(n,)`` the angles a short time ago; zeros where nothing is said.

        Returns:
            Velocity ``(vx, vy, w)`` in m/s and rad/s, or way and turn in m and rad.
        """
        vx = vy = w = 0.0
        for at, (a, b, c) in enumerate(self._back):
            turned = wheels[at] if before is None else wheels[at] - before[at]
            vx += a * turned
            vy += b * turned
            w += c * turned
        return vx, vy, w


def differential(left: Sequence[float], right: Sequence[float], separation: float) -> Kinematics:
    """Wheels on two sides: v = r (right + left) / 2, w = r (right - left) / separation.

    Args:
        left: Radius of each wheel on the left, m.
        right: Radius of each wheel on the right, m.
        separation: Distance between the sides, m; for skid steering the effective one.
    """
    half = separation / 2.0
    return Kinematics((*((1.0 / r, 0.0, -half / r) for r in left), *((1.0 / r, 0.0, half / r) for r in right)))


def mecanum(radius: float, separation_x: float, separation_y: float) -> Kinematics:
    """Four mecanum wheels whose rollers form an X seen from above: front left, front right, rear left, rear right.

    Args:
        radius: Of the wheels, m.
        separation_x: Between front and rear axle, m.
        separation_y: Between left and right wheels, m.
    """
    arm = (separation_x + separation_y) / 2.0
    signs = ((-1.0, -1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0))
    return Kinematics(tuple((1.0 / radius, side / radius, turn * arm / radius) for side, turn in signs))


def omni(radius: float, places: Sequence[tuple[float, float]]) -> Kinematics:
    """Omni wheels that roll along the circle around the middle on which they stand.

    Args:
        radius: Of the wheels, m.
        places: Of each wheel, its direction from the middle in rad and its distance in m.
    """
    return Kinematics(tuple((-sin(angle) / radius, cos(angle) / radius, arm / radius) for angle, arm in places))


def saturate(speeds: Sequence[float], limits: Sequence[float]) -> float:
    """By which factor in (0, 1] all speeds have to shrink so that each keeps its limit; the curve stays the same."""
    share = 1.0
    for speed, limit in zip(speeds, limits, strict=True):
        if speed * share > limit or -speed * share > limit:
            share = limit / abs(speed)
    return share
