"""A depth camera like the Luxonis OAK-D Pro."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from roqsim.config.schema import opt

from roqsim_sensors.cameras.device import DeviceCamera, DeviceConfig
from roqsim_sensors.cameras.streams import DepthConfig


@dataclass(frozen=True, kw_only=True)
class OakdDepth(DepthConfig):
    """The depth picture, which the driver maps to the colour imager."""

    format: Literal["32FC1", "16UC1"] = opt("16UC1")
    """`16UC1`: whole millimetres, 0 for nothing, as the driver has it; `32FC1`: metres, inf for nothing."""
    range_min: float = opt(0.7, ge=0, unit="m")
    """Shortest distance that is measured; with 800 rows and without extended disparity."""
    range_max: float | None = opt(12.0, gt=0, unit="m")
    """Longest distance that is measured; `clip_far` where null."""


@dataclass(frozen=True, kw_only=True)
class OakdCameraConfig(DeviceConfig):
    """Colour of 66 degrees, and depth from a baseline of 75 mm.

    Figures of Luxonis' documentation, page "OAK-D Pro": field of view of the IMX378 with autofocus (66 degrees across
    the 4:3 of its sensor), range and error of depth (below 2 % up to 4 m, 4 % up to 7 m, 6 % up to 10 m).
    Size and rate are those that turtlebot4_bringup (oakd_pro.yaml) sets.
    """

    width: int = opt(1280, gt=0, le=4056, unit="px")
    """Columns."""
    height: int = opt(720, gt=0, le=3040, unit="px")
    """Rows."""
    streams: tuple[Literal["colour", "depth", "segmentation", "points"], ...] = opt(("colour", "depth"), length=(1, 4))
    """What it delivers; all of it belongs to the colour imager."""
    depth: OakdDepth = opt(OakdDepth())
    """The depth picture."""
    depth_stddev_quadratic: float = opt(0.005, ge=0, unit="1/m")
    """Growth of the standard deviation of a depth with its square: 2 % at 4 m."""

    full_fovy: ClassVar[float] = 2.0 * math.atan(math.tan(math.radians(66.0) / 2.0) * 3.0 / 4.0)
    full_aspect: ClassVar[float] = 4.0 / 3.0


class OakdCamera(DeviceCamera):
    """A colour camera between two of a stereo pair; its frame is that of the colour imager."""

    Config = OakdCameraConfig
    link = "oakd_link"
    words: ClassVar[Mapping[str, str]] = {"": "rgb_camera", "depth": "right_camera"}
    topics: ClassVar[Mapping[str, str]] = {
        "image": "rgb/image_raw",
        "image_compressed": "rgb/image_raw/compressed",
        "camera_info": "rgb/camera_info",
        "depth": "stereo/image_raw",
        "depth_camera_info": "stereo/camera_info",
        "segmentation": "rgb/segmentation",
        "points": "points",
    }
