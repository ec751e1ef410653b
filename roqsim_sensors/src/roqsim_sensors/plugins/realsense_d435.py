"""A depth camera like the Intel RealSense D435."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from roqsim.config.schema import opt

from roqsim_sensors.cameras.realsense import TEMPORAL_NOISE, Realsense, RealsenseConfig, RealsenseDepth

SPECIFIED_AT = 2.0
"""Distance in metres at which the data sheet states the noise."""


@dataclass(frozen=True, kw_only=True)
class D435Depth(RealsenseDepth):
    """The depth picture."""

    range_min: float = opt(0.195, ge=0, unit="m")
    """Shortest distance that is measured; at 848 x 480, other sizes have others."""


@dataclass(frozen=True, kw_only=True)
class RealsenseD435Config(RealsenseConfig):
    """87 by 58 degrees of depth from a baseline of 50 mm; see ``cameras.realsense`` for the sources."""

    depth: D435Depth = opt(D435Depth())
    """The depth picture."""
    depth_stddev_quadratic: float = opt(TEMPORAL_NOISE / SPECIFIED_AT, ge=0, unit="1/m")
    """Growth of the standard deviation of a depth with its square: 1 % at 2 m."""

    full_fovy: ClassVar[float] = math.radians(58.0)


class RealsenseD435(Realsense):
    """Depth from two infrared imagers and a projector, and colour."""

    Config = RealsenseD435Config
