"""A planar laser scanner."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from roqsim.config.angle import TURN
from roqsim.config.schema import opt
from roqsim.context import LaserScan, SimContext

from roqsim_sensors.rays.range_model import RangeModel
from roqsim_sensors.rays.range_value import RangeValue
from roqsim_sensors.rays.sliced_sensor import SlicedConfig, SlicedSensor
from roqsim_sensors.rays.sweep import Sweep, sweep

NO_INTENSITIES = np.zeros(0, dtype=np.float32)
NO_INTENSITIES.flags.writeable = False


@dataclass(frozen=True, kw_only=True)
class LidarConfig(SlicedConfig):
    """A scanner's rays beside mount, cadence, limits and noise; a bare one sees a full circle with a ray a degree."""

    rays: int = opt(360, gt=0, le=1_000_000)
    """How many rays one scan has."""
    angle_min: float = opt(-math.pi, ge=-TURN, le=TURN, unit="rad")
    """Right end of the sector, about the frame's z axis from its x axis."""
    angle_max: float = opt(math.pi, ge=-TURN, le=TURN, unit="rad")
    """Left end of the sector. A full circle does not repeat its first ray."""
    clockwise: bool = opt(False)
    """Whether the first ray is the left end, and the increment negative."""
    too_close: RangeValue = opt(RangeValue(-math.inf))
    """Reported below `range_min`: metres, inf, -inf (REP-117), nan, or raw for the distance as it is measured."""
    no_return: RangeValue = opt(RangeValue(math.inf))
    """Reported where nothing is hit: metres, inf (REP-117), nan, max for `range_max`, or max+metres."""

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        super().check()
        self.sweep()
        if self.no_return.is_raw:
            raise ValueError("no_return: expected a value to report, got 'raw'; nothing was measured there")

    def sweep(self) -> Sweep:
        """The angles of the rays."""
        return sweep(self.rays, self.angle_min, self.angle_max, clockwise=self.clockwise)


class Lidar(SlicedSensor):
    """A scanner in the x-y plane of its frame: angle zero is the x axis, angles grow towards y, z is up.

    All rays of a scan are cast from one state, the one its stamp belongs to, so ``time_increment`` is 0. With
    ``slices`` they are fired one after the other while the period passes.
    """

    Config = LidarConfig
    stream = "scan"
    message = "sensor_msgs.msg.LaserScan"

    def rays(self) -> np.ndarray:
        """``(n, 3)`` the scan's directions in its frame."""
        return self.config.sweep().directions()

    def range_model(self) -> RangeModel:
        """The limits and the noise of the configuration in force."""
        config = self.values
        too_close = None if config.too_close.is_raw else config.too_close.resolve(config.range_max)
        return config.range_model(too_close=too_close, no_return=config.no_return.resolve(config.range_max))

    def configure(self, ctx: SimContext) -> None:
        """Prepares the parts of a scan that stay the same."""
        super().configure(ctx)
        angles = self.config.sweep()
        self._angles = (angles.first, angles.last, angles.increment)

    def swept(self, ctx: SimContext, stamp_ns: int, later: np.ndarray | None) -> LaserScan:
        """A scan of float32 metres."""
        model, caster = self._model, self._caster
        caster.finish()
        ranges = model.measure(caster.distances, ctx.rng_for(self.address) if model.is_random else None)
        ranges.flags.writeable = False
        first, last, increment = self._angles
        config, apart = self.config, 0.0 if later is None else self.period / self.config.rays
        return LaserScan(
            stamp_ns, self.frame_id, first, last, increment, apart, self.period, config.range_min, config.range_max,
            ranges, NO_INTENSITIES,
        )  # fmt: skip
