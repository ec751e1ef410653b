"""Lens distortion after Brown and Conrady, as OpenCV and ROS (``plumb_bob``) state it.

With ``r2 = x^2 + y^2`` at a depth of one metre::

    x' = x (1 + k1 r2 + k2 r2^2 + k3 r2^3) + 2 p1 x y + p2 (r2 + 2 x^2)
    y' = y (1 + k1 r2 + k2 r2^2 + k3 r2^3) + p1 (r2 + 2 y^2) + 2 p2 x y
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from roqsim_sensors.cameras.intrinsics import Intrinsics

ITERATIONS = 60
"""Steps of the fixed-point inversion at most; a wide-angle lens (k1 = -0.3, 100 degrees) needs about 30."""

KEPT_WARPS = 4
"""How many tables are kept, so that checking, building and configuring a camera makes its own once."""

INVERTED = 1e-9
"""How far, at a depth of one metre, an inverted point may come back from where it started."""

LARGEST_GROWTH = 4.0
"""How many times wider than the picture the drawn one may be."""


@dataclass(frozen=True)
class PlumbBob:
    """The coefficients of a lens.

    Attributes:
        k1: First radial coefficient.
        k2: Second radial coefficient.
        p1: First tangential coefficient.
        p2: Second tangential coefficient.
        k3: Third radial coefficient.
    """

    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    @property
    def coefficients(self) -> tuple[float, float, float, float, float]:
        """In the order of ``CameraInfo.d``."""
        return self.k1, self.k2, self.p1, self.p2, self.k3

    def distort(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the lens shows points, both at a depth of one metre."""
        r2 = x * x + y * y
        radial = 1.0 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3))
        xy = 2.0 * x * y
        return (
            x * radial + self.p1 * xy + self.p2 * (r2 + 2.0 * x * x),
            y * radial + self.p1 * (r2 + 2.0 * y * y) + self.p2 * xy,
        )

    def undistort(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which points the lens shows there: the inverse of ``distort``, by iteration.

        Raises:
            ValueError: If the lens shows nothing there, or folds the picture over.
        """
        u, v = x.copy(), y.copy()
        with np.errstate(all="ignore"):
            for _ in range(ITERATIONS):
                du, dv = self.distort(u, v)
                du, dv = x - du, y - dv
                miss = max(np.abs(du).max(), np.abs(dv).max())
                if miss < INVERTED:
                    return u, v
                u += du
                v += dv
        raise ValueError(
            f"expected coefficients that can be undone over the whole picture, got {self.coefficients!r}; make them or "
            "the field of view smaller"
        )


@functools.lru_cache(maxsize=KEPT_WARPS)
def warp_of(intrinsics: Intrinsics, lens: PlumbBob) -> Warp:
    """The warp of a lens, made once; see ``Warp``."""
    return Warp(intrinsics, lens)


class Warp:
    """How a distorted picture is taken out of a pinhole picture that is drawn wide enough.

    Args:
        intrinsics: The distorted picture.
        lens: Its distortion.

    Attributes:
        source: The pinhole picture to draw, with the focal lengths of the distorted one.
        slopes: ``(h, w, 2)`` float32 x and y at a depth of one metre of the points that the distorted pixels show.

    Raises:
        ValueError: If the distortion can not be undone, or the drawn picture would be too large.
    """

    def __init__(self, intrinsics: Intrinsics, lens: PlumbBob) -> None:
        columns, rows = intrinsics.slopes()
        x, y = lens.undistort(*np.meshgrid(columns, rows))
        fx, fy = intrinsics.fx, intrinsics.fy
        u, v = x * fx + intrinsics.cx, y * fy + intrinsics.cy
        # Whole pixels apart, so that where the lens changes nothing no pixel has to be mixed of two.
        left, top = math.floor(u.min()) - 1, math.floor(v.min()) - 1
        width, height = math.ceil(u.max()) + 2 - left, math.ceil(v.max()) + 2 - top
        if width > LARGEST_GROWTH * intrinsics.width or height > LARGEST_GROWTH * intrinsics.height:
            raise ValueError(
                f"expected a lens that needs at most {LARGEST_GROWTH:g} times the picture, got {lens.coefficients!r}, "
                f"which needs {width} x {height}; make the coefficients or the field of view smaller"
            )
        self.source = Intrinsics(width, height, fx, fy, intrinsics.cx - left, intrinsics.cy - top)
        self.slopes = np.stack((x, y), axis=-1).astype(np.float32)
        u, v = u - left, v - top
        column, row = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
        self._corner = row * width + column
        self._nearest = np.rint(v).astype(np.intp) * width + np.rint(u).astype(np.intp)
        self._right = (u - column).astype(np.float32)[..., None]
        self._down = (v - row).astype(np.float32)[..., None]

    def colours(self, picture: np.ndarray) -> np.ndarray:
        """``(h, w, 3)`` uint8 of a drawn picture, between its pixels."""
        flat = np.ascontiguousarray(picture).reshape(-1, picture.shape[-1])
        across, width = self._right, self.source.width
        upper = (1.0 - across) * flat[self._corner] + across * flat[self._corner + 1]
        lower = (1.0 - across) * flat[self._corner + width] + across * flat[self._corner + width + 1]
        return np.rint((1.0 - self._down) * upper + self._down * lower).astype(np.uint8)

    def nearest(self, picture: np.ndarray) -> np.ndarray:
        """``(h, w)`` values of a drawn picture whose values must not be mixed: depths, labels."""
        return np.ascontiguousarray(picture).reshape(-1)[self._nearest]
