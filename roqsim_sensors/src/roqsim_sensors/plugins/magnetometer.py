"""A magnetometer: the compass of a robot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from roqsim.config.angle import HALF_TURN, RIGHT_ANGLE, TURN
from roqsim.config.schema import need, opt
from roqsim.context import MagneticField, SimContext
from roqsim.sensing.sensor import Sensor
from roqsim.sensing.sensor_config import SensorConfig

from roqsim_sensors.signals.geodesy import turn
from roqsim_sensors.signals.triad import IDENTITY, Triad, Vector


@dataclass(frozen=True, kw_only=True)
class MagnetometerConfig(SensorConfig):
    """The earth's field where the world lies, what the robot adds to it, and the device's errors.

    Strength, inclination and declination of a place are what the World Magnetic Model gives for it, on the sites of
    NOAA and the British Geological Survey among others.
    """

    rate_hz: float = opt(50.0, gt=0, unit="Hz")
    """How often it measures."""
    strength: float = need(gt=0, lt=1e-2, unit="T")
    """Strength of the earth's field; 25e-6 at the equator to 65e-6 near the poles."""
    inclination: float = need(ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")
    """Angle by which the field points down; negative in the south."""
    declination: float = opt(0.0, ge=-HALF_TURN, le=HALF_TURN, unit="rad")
    """Angle from true north to magnetic north, positive to the east."""
    yaw: float = opt(0.0, ge=-TURN, le=TURN, unit="rad")
    """Angle of the world's x axis from east, counterclockwise seen from above; 0 is REP-103's east-north-up."""
    hard_iron: Vector = opt((0.0, 0.0, 0.0), unit="T")
    """Field of magnets that move with the sensor, along its axes."""
    soft_iron: tuple[Vector, Vector, Vector] = opt(IDENTITY)
    """Rows of the matrix by which iron around the sensor bends the earth's field, along its axes."""
    stddev: float = opt(0.0, ge=0, unit="T")
    """Standard deviation of one reading."""
    range: float | None = opt(None, gt=0, unit="T")
    """Largest field that it can read along an axis; any where nothing is said."""
    resolution: float = opt(0.0, ge=0, unit="T")
    """Step of its readings; 0 for none."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "strength", "inclination", "declination", "hard_iron", "soft_iron", "stddev", "range", "resolution",
    )  # fmt: skip

    def triad(self) -> Triad:
        """How the device measures."""
        return Triad(
            matrix=self.soft_iron,
            bias=self.hard_iron,
            stddev=self.stddev,
            limit=math.inf if self.range is None else self.range,
            resolution=self.resolution,
        )

    def field_W(self) -> Vector:
        """The earth's field in tesla along the world's axes."""
        return earth_field(self.strength, self.inclination, self.declination, self.yaw)


class Magnetometer(Sensor):
    """The magnetic field along the axes of the sensor's frame; the earth's field is the same all over the world."""

    Config = MagnetometerConfig
    stream = "mag"
    message = "sensor_msgs.msg.MagneticField"

    def use(self, values: MagnetometerConfig) -> None:
        """Makes a configuration the one in force."""
        super().use(values)
        self._triad = values.triad()
        self._field_W = np.array(values.field_W())
        self._covariance = np.eye(3) * values.stddev**2
        self._covariance.flags.writeable = False

    def measure(self, ctx: SimContext) -> MagneticField:
        """What the device reports."""
        ctx.refresh()
        _, R_WS = self.mount.place(self.config.pose)
        field = self._triad.measure(R_WS.T @ self._field_W, self.rng() if self._triad.is_random else None)
        field.flags.writeable = False
        return MagneticField(ctx.time_ns, self.frame_id, field, self._covariance)


def earth_field(strength: float, inclination: float, declination: float, yaw: float = 0.0) -> Vector:
    """The earth's field along the axes of a level frame.

    Args:
        strength: Its magnitude, in any unit.
        inclination: By how many radians it points down.
        declination: Radians from true north to its horizontal part, positive to the east.
        yaw: The frame's x axis in radians from east, counterclockwise.

    Returns:
        ``(x, y, z)`` in the unit of the strength, z up.
    """
    horizontal = strength * math.cos(inclination)
    east, north = horizontal * math.sin(declination), horizontal * math.cos(declination)
    return (*turn(east, north, -yaw), -strength * math.sin(inclination))
