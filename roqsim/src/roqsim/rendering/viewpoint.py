"""Where a picture is taken from: MuJoCo's free camera, with angles in degrees as ``sim.view`` states them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

ANGLE_DIGITS = 3
"""Decimals of an angle in degrees."""

DIGITS = 5
"""How many digits of the distance a viewpoint keeps: numbers that people copy, far finer than a pixel."""


def axes_of(azimuth: float, elevation: float) -> np.ndarray:
    """The axes of a camera in the world.

    Args:
        azimuth: Direction of view about the world's z axis in degrees; 0 looks along x.
        elevation: Direction of view above the horizontal plane in degrees; -90 looks straight down.

    Returns:
        ``(3, 3)`` unit vectors in rows: to the right of the picture, to its top, and forward.
    """
    a, e = math.radians(azimuth), math.radians(elevation)
    ca, sa, ce, se = math.cos(a), math.sin(a), math.cos(e), math.sin(e)
    return np.array([[sa, -ca, 0.0], [-ca * se, -sa * se, ce], [ca * ce, sa * ce, se]])


@dataclass(frozen=True)
class Viewpoint:
    """A camera that looks at a point from a distance.

    Attributes:
        lookat: Point in the middle of the picture, in metres in the world.
        distance: From the camera to that point in metres.
        azimuth: See ``axes_of``.
        elevation: See ``axes_of``.
    """

    lookat: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float

    @property
    def axes(self) -> np.ndarray:
        """``(3, 3)`` right, up and forward; see ``axes_of``."""
        return axes_of(self.azimuth, self.elevation)

    @property
    def eye(self) -> np.ndarray:
        """``(3,)`` where the camera is, in the world."""
        return np.asarray(self.lookat) - self.distance * self.axes[2]

    def rounded(self) -> Viewpoint:
        """The viewpoint in numbers that are short to write."""
        places = DIGITS - 1 - math.floor(math.log10(self.distance))
        lookat = tuple(round(value, places) + 0.0 for value in self.lookat)
        return Viewpoint(
            lookat,
            round(self.distance, places),
            round(self.azimuth, ANGLE_DIGITS) + 0.0,
            round(self.elevation, ANGLE_DIGITS) + 0.0,
        )

    def aim(self, camera: mujoco.MjvCamera) -> None:
        """Turns a free camera of MuJoCo this way."""
        camera.type = int(mujoco.mjtCamera.mjCAMERA_FREE)
        camera.lookat = self.lookat
        camera.distance, camera.azimuth, camera.elevation = self.distance, self.azimuth, self.elevation
