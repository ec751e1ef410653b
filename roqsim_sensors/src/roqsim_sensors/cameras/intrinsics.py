"""The geometry of a pinhole camera in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Intrinsics:
    """Size and focal lengths of a picture; ``u`` to the right, ``v`` down, integers at the middle of pixels (OpenCV).

    Attributes:
        width: Columns.
        height: Rows.
        fx: Focal length in columns.
        fy: Focal length in rows.
        cx: Column that the optical axis meets.
        cy: Row that the optical axis meets.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    @classmethod
    def from_fovy(cls, width: int, height: int, fovy: float) -> Intrinsics:
        """Square pixels, and the optical axis in the middle.

        Args:
            width: Columns.
            height: Rows.
            fovy: Vertical field of view in radians.
        """
        focal = height / 2.0 / math.tan(fovy / 2.0)
        return cls(width, height, focal, focal, (width - 1) / 2.0, (height - 1) / 2.0)

    @property
    def focals(self) -> tuple[float, float, float, float]:
        """``fx, fy, cx, cy``."""
        return self.fx, self.fy, self.cx, self.cy

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self.width, self.height

    def matrix(self) -> np.ndarray:
        """``(3, 3)`` from a point in the optical frame to homogeneous pixel coordinates."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """``(w,)`` x and ``(h,)`` y of the points that the pixels show at a depth of one metre."""
        return (np.arange(self.width) - self.cx) / self.fx, (np.arange(self.height) - self.cy) / self.fy

    def project(self, points: np.ndarray) -> np.ndarray:
        """``(n, 2)`` pixel coordinates of ``(n, 3)`` points in the optical frame."""
        points = np.asarray(points, dtype=float)
        x, y = points[:, 0] / points[:, 2], points[:, 1] / points[:, 2]
        return np.column_stack((self.fx * x + self.cx, self.fy * y + self.cy))
