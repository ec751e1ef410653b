"""A lidar like the Livox Mid-360, whose scan never repeats."""

from __future__ import annotations

import math
from dataclasses import dataclass

from roqsim.config.angle import RIGHT_ANGLE
from roqsim.config.schema import opt

from roqsim_sensors.rays.cloud_sensor import CloudSensor, CloudSensorConfig
from roqsim_sensors.rays.pattern import Incommensurable, Pattern


@dataclass(frozen=True, kw_only=True)
class LivoxMid360Config(CloudSensorConfig):
    """Points and field of view; figures of the Mid-360's user manual v1.0 (Livox, 2023), "Specifications"."""

    range_min: float = opt(0.1, ge=0, unit="m")
    """Shortest distance that it can measure."""
    range_max: float = opt(40.0, gt=0, unit="m")
    """Longest distance that it can measure: 40 m on a target of 10 % reflectivity, 70 m on one of 80 %."""
    point_rate: int = opt(200_000, gt=0, unit="1/s")
    """Points in a second."""
    elevation_min: float = opt(-math.radians(7.0), ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")
    """Lowest angle above the frame's x-y plane."""
    elevation_max: float = opt(math.radians(52.0), ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")
    """Highest angle above the frame's x-y plane."""
    lines: int = opt(4, gt=0)
    """How many lasers fire in turn; a point's `ring` is the number of its laser."""
    turns_hz: float = opt(10.0, gt=0, unit="Hz")
    """Turns about the z axis in a second; an assumption."""
    swings: int = opt(32, ge=0)
    """Whole swings of the elevation in a turn, to which an irrational part is added; an assumption."""

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        super().check()
        if self.elevation_min > self.elevation_max:
            rule = f"expected at least elevation_min ({self.elevation_min:g} rad)"
            raise ValueError(f"elevation_max: {rule}, got {self.elevation_max!r}")
        if self.point_rate < self.rate_hz:
            raise ValueError(f"point_rate: expected a point in each period ({self.rate_hz:g}/s), got {self.point_rate}")


class LivoxMid360(CloudSensor):
    """Looks all around with a scan that never repeats, so that it sees more the longer it stands still.

    Livox does not publish the curve that its device draws; ``Incommensurable`` says which one is drawn instead. The
    points of a period are a pure function of its number, so a reset and a second run draw the same.
    """

    Config = LivoxMid360Config
    repeats = False

    def pattern(self, period: int) -> Pattern:
        """The points that are fired in a period."""
        config = self.config
        count = max(1, round(config.point_rate * self.period))
        scan = Incommensurable(
            config.point_rate, config.turns_hz, config.swings, config.elevation_min, config.elevation_max, config.lines
        )
        return scan.pattern(period * count, count)
