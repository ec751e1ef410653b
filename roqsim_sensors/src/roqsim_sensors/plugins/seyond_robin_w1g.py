"""A lidar like the Seyond Robin W1G, which looks ahead through a wide window."""

from __future__ import annotations

import math
from dataclasses import dataclass

from roqsim.config.angle import HALF_TURN
from roqsim.config.schema import opt

from roqsim_sensors.rays.cloud_sensor import CloudSensor, CloudSensorConfig
from roqsim_sensors.rays.pattern import Pattern, raster
from roqsim_sensors.rays.sweep import Sweep


@dataclass(frozen=True, kw_only=True)
class SeyondRobinW1gConfig(CloudSensorConfig):
    """Lines and field of view; 120 by 70 degrees, 0.1 m and 70 m at 10 % are what Seyond says of the Robin W."""

    range_min: float = opt(0.1, ge=0, unit="m")
    """Shortest distance that it can measure."""
    range_max: float = opt(70.0, gt=0, unit="m")
    """Longest distance that it can measure, on a target of 10 % reflectivity."""
    horizontal_fov: float = opt(math.radians(120.0), gt=0, le=HALF_TURN, unit="rad")
    """Angle from the right end of a line to its left end, with the frame's x axis in the middle."""
    vertical_fov: float = opt(math.radians(70.0), ge=0, le=HALF_TURN, unit="rad")
    """Angle from the lowest line to the highest, with the frame's x axis in the middle."""
    lines: int = opt(96, gt=0)
    """How many lines are drawn, from the top; a point's `ring` is the number of its line. The device draws more."""
    points: int = opt(240, gt=1)
    """Points of a line, from the left. The device takes more; a cast costs in proportion to lines times points."""


class SeyondRobinW1g(CloudSensor):
    """Draws level lines from the top down through a window ahead, each from the left to the right."""

    Config = SeyondRobinW1gConfig

    def pattern(self, period: int) -> Pattern:
        """The points of all lines."""
        return raster(
            _downwards(self.config.points, self.config.horizontal_fov),
            _downwards(self.config.lines, self.config.vertical_fov),
        )


def _downwards(count: int, width: float) -> Sweep:
    """Equally spaced angles from half a width down to minus half of it; 0 where there is one."""
    return Sweep(width / 2.0, -width / (count - 1), count) if count > 1 else Sweep(0.0, 0.0, 1)
