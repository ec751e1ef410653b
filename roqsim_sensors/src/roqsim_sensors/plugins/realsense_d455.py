"""A depth camera like the Intel RealSense D455."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from roqsim.config.pose import Pose
from roqsim.config.schema import opt

from roqsim_sensors.cameras.realsense import (
    TEMPORAL_NOISE,
    Realsense,
    RealsenseColour,
    RealsenseConfig,
    RealsenseDepth,
)
from roqsim_sensors.cameras.streams import OpticsConfig

SPECIFIED_AT = 4.0
"""Distance in metres at which the data sheet states the noise."""


@dataclass(frozen=True, kw_only=True)
class D455ColourOptics(OpticsConfig):
    """The colour imager: 90 by 65 degrees in 1280 x 800."""

    width: int = opt(1280, gt=0, le=1280, unit="px")
    """Columns."""
    height: int = opt(720, gt=0, le=800, unit="px")
    """Rows."""

    full_fovy: ClassVar[float] = math.radians(65.0)
    full_aspect: ClassVar[float] = 1280.0 / 800.0


@dataclass(frozen=True, kw_only=True)
class D455Colour(RealsenseColour):
    """The colour picture."""

    optics: D455ColourOptics | None = opt(D455ColourOptics())
    """Optics of the colour imager."""
    pose: Pose | None = opt(Pose(position=(0.0, -0.059, 0.0)))
    """Pose of the colour imager in the camera's frame."""


@dataclass(frozen=True, kw_only=True)
class D455Depth(RealsenseDepth):
    """The depth picture."""

    range_min: float = opt(0.35, ge=0, unit="m")
    """Shortest distance that is measured; at 848 x 480, other sizes have others."""


@dataclass(frozen=True, kw_only=True)
class RealsenseD455Config(RealsenseConfig):
    """87 by 58 degrees of depth from a baseline of 95 mm; see ``cameras.realsense`` for the sources."""

    colour: D455Colour = opt(D455Colour())
    """The colour picture."""
    depth: D455Depth = opt(D455Depth())
    """The depth picture."""
    depth_stddev_quadratic: float = opt(TEMPORAL_NOISE / SPECIFIED_AT, ge=0, unit="1/m")
    """Growth of the standard deviation of a depth with its square: 1 % at 4 m."""

    full_fovy: ClassVar[float] = math.radians(58.0)


class RealsenseD455(Realsense):
    """Depth from two infrared imagers and a projector, and colour."""

    Config = RealsenseD455Config
