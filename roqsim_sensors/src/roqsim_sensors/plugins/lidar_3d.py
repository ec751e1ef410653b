"""A lidar whose lasers turn about an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from roqsim.config.angle import RIGHT_ANGLE, TURN
from roqsim.config.schema import opt

from roqsim_sensors.rays.cloud_sensor import CloudSensor, CloudSensorConfig
from roqsim_sensors.rays.pattern import Pattern, spinning
from roqsim_sensors.rays.sweep import Sweep, sweep

RINGS, LOWEST, HIGHEST = 16, -math.radians(15.0), math.radians(15.0)
"""What a bare one has."""


@dataclass(frozen=True, kw_only=True)
class Lidar3dConfig(CloudSensorConfig):
    """The table of a lidar's lasers and the azimuths at which they fire; a bare one has 16 of them and 360."""

    azimuths: int = opt(360, gt=0)
    """At how many azimuths every laser fires in one turn."""
    azimuth_min: float = opt(-math.pi, ge=-TURN, le=TURN, unit="rad")
    """Right end of the sector, about the frame's z axis from its x axis."""
    azimuth_max: float = opt(math.pi, ge=-TURN, le=TURN, unit="rad")
    """Left end of the sector. A full circle does not repeat its first azimuth."""
    clockwise: bool = opt(False)
    """Whether it turns from the left end to the right one."""
    rings: int | None = opt(None, gt=0)
    """How many lasers it has, evenly spread from the lowest elevation to the highest; 16 by default."""
    elevation_min: float | None = opt(None, ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")
    """Lowest laser's angle above the frame's x-y plane; -15 degrees by default."""
    elevation_max: float | None = opt(None, ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")
    """Highest laser's angle above the frame's x-y plane; 15 degrees by default."""
    elevations: tuple[float, ...] | None = opt(None, ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")
    """Each laser's angle above the frame's x-y plane, by its number, instead of the three keys for an even spread."""
    azimuth_offsets: tuple[float, ...] | None = opt(None, ge=-TURN, le=TURN, unit="rad")
    """What is added to the azimuth of each laser, by its number; nothing by default."""

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        super().check()
        self.columns()
        if self.elevations is not None:
            for key in ("rings", "elevation_min", "elevation_max"):
                if getattr(self, key) is not None:
                    raise ValueError(f"{key}: expected elevations or {key}, not both, got {getattr(self, key)!r}")
            if not self.elevations:
                raise ValueError("elevations: expected at least one laser, got none")
        table = self.table()
        if table[0] > table[-1] and self.elevations is None:
            raise ValueError(f"elevation_max: expected at least elevation_min ({table[0]:g} rad), got {table[-1]!r}")
        if self.azimuth_offsets is not None and len(self.azimuth_offsets) != len(table):
            raise ValueError(f"azimuth_offsets: expected {len(table)}, one a laser, got {len(self.azimuth_offsets)}")

    def table(self) -> tuple[float, ...]:
        """The elevation of each laser in radians."""
        if self.elevations is not None:
            return self.elevations
        lowest = LOWEST if self.elevation_min is None else self.elevation_min
        highest = HIGHEST if self.elevation_max is None else self.elevation_max
        return tuple(np.linspace(lowest, highest, self.rings or RINGS).tolist())

    def columns(self) -> Sweep:
        """The azimuths in the order in which they are passed."""
        try:
            return sweep(self.azimuths, self.azimuth_min, self.azimuth_max, clockwise=self.clockwise)
        except ValueError as error:
            raise ValueError(str(error).replace("angle_", "azimuth_")) from None


class Lidar3d(CloudSensor):
    """Lasers of fixed elevations, all of which fire at each azimuth while they turn about z."""

    Config = Lidar3dConfig

    def pattern(self, period: int) -> Pattern:
        """The table's lasers at every azimuth."""
        return spinning(self.config.table(), self.config.columns(), self.config.azimuth_offsets)
