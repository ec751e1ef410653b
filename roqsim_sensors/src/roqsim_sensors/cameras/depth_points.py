"""From a depth picture to points."""

from __future__ import annotations

import numpy as np


def points_of(depth: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """The points that a depth picture shows.

    Args:
        depth: ``(h, w)`` float32 metres along the optical axis, ``inf`` for nothing.
        slopes: ``(h, w, 2)`` float32 x and y at a depth of one metre, pixel by pixel.

    Returns:
        ``(h * w, 3)`` float32 metres in the optical frame, NaN for nothing.
    """
    points = np.empty((*depth.shape, 3), np.float32)
    points[..., 2] = np.where(np.isfinite(depth), depth, np.nan)
    np.multiply(slopes, points[..., 2:], out=points[..., :2])
    return points.reshape(-1, 3)
