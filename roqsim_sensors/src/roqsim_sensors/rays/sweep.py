"""The angles of a planar scan, as ``sensor_msgs/LaserScan`` counts them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FULL_CIRCLE = 2.0 * math.pi

FLOAT_SLACK = 1e-3
"""By how many radians a sector may exceed a full circle through rounding of its ends."""


@dataclass(frozen=True)
class Sweep:
    """Equally spaced angles in radians.

    Attributes:
        first: The first ray's angle.
        increment: From one ray to the next; negative where the sweep runs clockwise.
        rays: How many there are.
    """

    first: float
    increment: float
    rays: int

    @property
    def last(self) -> float:
        """The last ray's angle."""
        return self.first + (self.rays - 1) * self.increment

    def angles(self) -> np.ndarray:
        """``(rays,)`` radians about the z axis from the x axis."""
        return self.first + self.increment * np.arange(self.rays)

    def directions(self) -> np.ndarray:
        """``(rays, 3)`` unit vectors in the sensor's frame: angle zero is its x axis, z is up."""
        angles = self.angles()
        return np.stack([np.cos(angles), np.sin(angles), np.zeros(self.rays)], axis=1)


def sweep(rays: int, angle_min: float, angle_max: float, *, clockwise: bool = False) -> Sweep:
    """Spreads rays over a sector, its two ends included.

    A full circle, which is a sector whose ends are less than half an increment apart, does not repeat its first ray.

    Args:
        rays: How many.
        angle_min: The sector's right end in radians.
        angle_max: Its left end in radians.
        clockwise: Whether the first ray is at ``angle_max`` and the others follow to the right.

    Raises:
        ValueError: If the sector is empty or more than a full circle.
    """
    width = angle_max - angle_min
    if not 0.0 <= width <= FULL_CIRCLE + FLOAT_SLACK or (width == 0.0 and rays > 1):
        rule = "angle_max: expected between angle_min and one turn beyond it"
        raise ValueError(f"{rule} ({angle_min:g} to {angle_min + FULL_CIRCLE:g} rad), got {angle_max!r}")
    increment = width / (rays - 1) if rays > 1 else 0.0
    if rays > 1 and FULL_CIRCLE - width < increment / 2.0:
        increment = FULL_CIRCLE / rays
    return Sweep(angle_max, -increment, rays) if clockwise else Sweep(angle_min, increment, rays)
