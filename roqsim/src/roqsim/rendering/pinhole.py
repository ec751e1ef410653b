"""A pinhole camera as GL sees it: the intrinsics of computer vision on one side, a frustum in metres on the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

SKY_RADIUS = 0.7
"""Where MuJoCo draws the sky, as a fraction of the far plane's distance; measured with objects before a flat sky."""


@dataclass(frozen=True)
class Pinhole:
    """Size, intrinsics and clip range of a camera.

    Pixel coordinates are OpenCV's: ``u`` to the right, ``v`` down, and integers at the middle of pixels, so that a
    picture of 640 columns reaches from ``u = -0.5`` to ``639.5`` and a camera without an offset has ``cx = 319.5``.

    Attributes:
        width: Columns.
        height: Rows.
        fx: Focal length in columns.
        fy: Focal length in rows.
        cx: Column that the optical axis meets.
        cy: Row that the optical axis meets.
        near: Distance along the optical axis in metres below which nothing is drawn.
        far: Distance along the optical axis in metres beyond which nothing is measured.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    near: float
    far: float

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError(f"expected at least one pixel, got {self.width} x {self.height}")
        if not (0.0 < self.fx < math.inf and 0.0 < self.fy < math.inf):
            raise ValueError(f"expected finite focal lengths > 0, got {self.fx!r} and {self.fy!r}")
        if not 0.0 < self.near < self.far < math.inf:
            raise ValueError(f"expected 0 < near < far, got near {self.near!r} and far {self.far!r}")

    @classmethod
    def from_fovy(cls, width: int, height: int, fovy: float, near: float, far: float) -> Pinhole:
        """A camera with square pixels and the optical axis in the middle.

        Args:
            width: Columns.
            height: Rows.
            fovy: Vertical field of view in radians.
            near: See ``Pinhole``.
            far: See ``Pinhole``.
        """
        focal = height / 2.0 / math.tan(fovy / 2.0)
        return cls(width, height, focal, focal, (width - 1) / 2.0, (height - 1) / 2.0, near, far)

    @property
    def slopes(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top edge of the picture at a distance of one metre; x to the right, y up."""
        left = -(self.cx + 0.5) / self.fx
        right = (self.width - 0.5 - self.cx) / self.fx
        top = (self.cy + 0.5) / self.fy
        bottom = -(self.height - 0.5 - self.cy) / self.fy
        return left, right, bottom, top

    @property
    def far_behind_sky(self) -> float:
        """A far plane in metres for which nothing within ``far`` is behind the sky, not even in the corners."""
        left, right, bottom, top = self.slopes
        corner = math.hypot(max(abs(left), abs(right)), max(abs(bottom), abs(top)), 1.0)
        return self.far * corner / SKY_RADIUS
