"""A barometer: the pressure of the air, from which a robot knows its height."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roqsim.config.schema import opt
from roqsim.context import FluidPressure, SimContext
from roqsim.sensing.sensor import Sensor
from roqsim.sensing.sensor_config import SensorConfig

from roqsim_sensors.signals.atmosphere import SEA_LEVEL_PRESSURE, SEA_LEVEL_TEMPERATURE, TOP, pressure_at
from roqsim_sensors.signals.drift import Drift


@dataclass(frozen=True, kw_only=True)
class BarometerConfig(SensorConfig):
    """The air where the world lies, and the device's errors; without any, it is perfect."""

    altitude: float = opt(0.0, ge=-1000, le=TOP, unit="m")
    """Height of the world's origin above sea level."""
    sea_level_pressure: float = opt(SEA_LEVEL_PRESSURE, gt=50_000, lt=150_000, unit="Pa")
    """Pressure of the air at sea level."""
    sea_level_temperature: float = opt(SEA_LEVEL_TEMPERATURE, gt=200, lt=350, unit="K")
    """Temperature of the air at sea level."""
    stddev: float = opt(0.0, ge=0, unit="Pa")
    """Standard deviation of one reading; near the ground, 12 Pa are a metre."""
    bias: float = opt(0.0, unit="Pa")
    """By how much it reads too much."""
    drift: float = opt(0.0, ge=0, unit="Pa")
    """Standard deviation of the part of its error that stays for `drift_correlation_time`."""
    drift_correlation_time: float = opt(600.0, gt=0, unit="s")
    """After how long that part is forgotten."""
    random_walk: float = opt(0.0, ge=0, unit="Pa/√s")
    """Random walk of its error: the standard deviation after one second, growing with the root of time."""
    resolution: float = opt(0.0, ge=0, unit="Pa")
    """Step of its readings; 0 for none."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "sea_level_pressure", "sea_level_temperature", "stddev", "bias", "resolution",
    )  # fmt: skip


class Barometer(Sensor):
    """The absolute pressure at the sensor, by the International Standard Atmosphere."""

    Config = BarometerConfig
    stream = "pressure"
    message = "sensor_msgs.msg.FluidPressure"

    def configure(self, ctx: SimContext) -> None:
        """Prepares the errors that stay for a while."""
        super().configure(ctx)
        config = self.config
        self._drift = Drift(
            f"{self.address}.pressure",
            1,
            self.period,
            stddev=config.drift,
            correlation_time=config.drift_correlation_time,
            walk=config.random_walk,
        )

    def measure(self, ctx: SimContext) -> FluidPressure:
        """What the device reports."""
        ctx.refresh()
        values = self.values
        position, _ = self.mount.place(self.config.pose)
        height = min(values.altitude + float(position[2]), TOP)
        pressure = pressure_at(height, values.sea_level_pressure, values.sea_level_temperature) + values.bias
        drift = self._drift.at(ctx.seed, ctx.episode, ctx.tick // self._every)
        if drift is not None:
            pressure += float(drift[0])
        if values.stddev > 0.0:
            pressure += values.stddev * float(self.rng().standard_normal())
        if values.resolution > 0.0:
            pressure = round(pressure / values.resolution) * values.resolution
        return FluidPressure(ctx.time_ns, self.frame_id, pressure, values.stddev**2 + values.drift**2)
