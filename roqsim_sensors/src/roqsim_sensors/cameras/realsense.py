"""What the RealSense D400 cameras share: names, rates and how their depth degrades.

Figures without another source are of Intel's "RealSense Product Family D400 Series Datasheet" (337029-017, 2023):
fields of view in "Depth Camera Specifications" and "Color Sensor Properties", the nearest distance in "Minimum-Z
Depth", noise in "Depth Quality Specification". Resolutions and rates are those that realsense2_camera starts with,
848 x 480 and 1280 x 720 at 30 Hz; places of imagers are those of realsense2_description.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from roqsim.config.pose import Pose
from roqsim.config.schema import opt

from roqsim_sensors.cameras.device import DeviceCamera, DeviceConfig
from roqsim_sensors.cameras.streams import ColourConfig, DepthConfig, OpticsConfig

FAR = 10.0
"""Distance in metres up to which the maker's pages speak of depth; noise has drowned it by then."""

WIDE = 16.0 / 9.0

TEMPORAL_NOISE = 0.01
"""Largest noise of a pixel over time, of the distance at which the device is specified."""


@dataclass(frozen=True, kw_only=True)
class ColourOptics(OpticsConfig):
    """The colour imager of D415 and D435: 69.4 by 42.5 degrees."""

    width: int = opt(1280, gt=0, le=1920, unit="px")
    """Columns."""
    height: int = opt(720, gt=0, le=1080, unit="px")
    """Rows."""

    full_fovy: ClassVar[float] = math.radians(42.5)
    full_aspect: ClassVar[float] = WIDE


@dataclass(frozen=True, kw_only=True)
class RealsenseColour(ColourConfig):
    """The colour picture."""

    optics: ColourOptics | None = opt(ColourOptics())
    """Optics of the colour imager."""
    pose: Pose | None = opt(Pose(position=(0.0, 0.015, 0.0)))
    """Pose of the colour imager in the camera's frame."""


@dataclass(frozen=True, kw_only=True)
class RealsenseDepth(DepthConfig):
    """The depth picture, which is taken from the left infrared imager."""

    format: Literal["32FC1", "16UC1"] = opt("16UC1")
    """`16UC1`: whole millimetres, 0 for nothing, as the driver has it; `32FC1`: metres, inf for nothing."""
    range_max: float | None = opt(FAR, gt=0, unit="m")
    """Longest distance that is measured; `clip_far` where null."""


@dataclass(frozen=True, kw_only=True)
class RealsenseConfig(DeviceConfig):
    """The depth imager; colour has optics and a place of its own."""

    width: int = opt(848, gt=0, le=1280, unit="px")
    """Columns of the depth picture."""
    height: int = opt(480, gt=0, le=800, unit="px")
    """Rows of the depth picture."""
    streams: tuple[Literal["colour", "depth", "segmentation", "points"], ...] = opt(("colour", "depth"), length=(1, 4))
    """What it delivers; segmentation and points come from the depth imager."""
    colour: RealsenseColour = opt(RealsenseColour())
    """The colour picture."""

    full_aspect: ClassVar[float] = WIDE


class Realsense(DeviceCamera):
    """An active stereo camera; its frame is that of the left infrared imager, to which depth belongs."""

    words: ClassVar[Mapping[str, str]] = {"": "depth", "colour": "color"}
    topics: ClassVar[Mapping[str, str]] = {
        "image": "color/image_raw",
        "image_compressed": "color/image_raw/compressed",
        "camera_info": "color/camera_info",
        "depth": "depth/image_rect_raw",
        "depth_camera_info": "depth/camera_info",
        "segmentation": "depth/segmentation",
        "points": "depth/color/points",
    }
