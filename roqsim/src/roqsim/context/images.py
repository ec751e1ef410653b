"""What cameras carry: pictures, their geometry, and the points they measure.

All arrays are read-only and belong to the payload alone. Rows run from the top, columns from the left. Frames are
optical (REP-103): z along the optical axis, x to the right, y down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Image:
    """A picture, as ``sensor_msgs/Image`` means it.

    Attributes:
        stamp_ns: The time of the state that is shown, in nanoseconds.
        frame_id: The camera's optical frame.
        encoding: ``rgb8`` (uint8), ``32FC1`` (float32 metres along the optical axis, ``inf`` for nothing),
            ``16UC1`` (uint16 millimetres, 0 for nothing).
        data: ``(h, w, 3)`` or ``(h, w)``.
    """

    stamp_ns: int
    frame_id: str
    encoding: str
    data: np.ndarray

    @property
    def height(self) -> int:
        """Rows."""
        return self.data.shape[0]

    @property
    def width(self) -> int:
        """Columns."""
        return self.data.shape[1]


@dataclass(frozen=True)
class CompressedImage:
    """A picture as a file holds it.

    Attributes:
        stamp_ns: The time of the state that is shown, in nanoseconds.
        frame_id: The camera's optical frame.
        format: ``jpeg``.
        data: The file's content.
    """

    stamp_ns: int
    frame_id: str
    format: str
    data: bytes


@dataclass(frozen=True)
class LabelImage:
    """What each pixel shows.

    Attributes:
        stamp_ns: The time of the state that is shown, in nanoseconds.
        frame_id: The camera's optical frame.
        data: ``(h, w)`` uint16 labels, 0 for what belongs to nobody.
        labels: By label: the entity's name.
    """

    stamp_ns: int
    frame_id: str
    data: np.ndarray
    labels: Mapping[int, str]


@dataclass(frozen=True)
class CameraInfo:
    """The geometry of a camera, as ``sensor_msgs/CameraInfo`` means it: integers are the middle of pixels.

    Attributes:
        stamp_ns: The time of the picture that it belongs to, in nanoseconds.
        frame_id: The camera's optical frame.
        height: Rows.
        width: Columns.
        distortion_model: ``plumb_bob``.
        d: ``(5,)`` distortion k1, k2, p1, p2, k3.
        k: ``(3, 3)`` intrinsics of the picture as it is, distorted.
        r: ``(3, 3)`` rectification, the identity.
        p: ``(3, 4)`` projection of points in the optical frame to the picture without distortion.
    """

    stamp_ns: int
    frame_id: str
    height: int
    width: int
    distortion_model: str
    d: np.ndarray
    k: np.ndarray
    r: np.ndarray
    p: np.ndarray


@dataclass(frozen=True)
class PointCloud:
    """Points with or without an order in rows and columns.

    Attributes:
        stamp_ns: The time of the first point in nanoseconds.
        frame_id: The frame of the points.
        height: Rows; 1 for a cloud without order.
        width: Points of a row.
        points: ``(height * width, 3)`` float32 metres, row by row; NaN for no return.
        is_dense: Whether no point is NaN.
        fields: By name, one value or row of values for each point: ``rgb`` (uint8, three), ``intensity`` (float32),
            ``ring`` (uint16), ``time`` (float32 seconds after the stamp).
    """

    stamp_ns: int
    frame_id: str
    height: int
    width: int
    points: np.ndarray
    is_dense: bool
    fields: Mapping[str, np.ndarray] = field(default_factory=dict)
