"""A receiver of satellite navigation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import mujoco
import numpy as np
from roqsim.config.schema import need, opt
from roqsim.context import NavSatFix, SimContext, VelocityStamped
from roqsim.context.measurements import FIX, GBAS_FIX, NO_FIX, SBAS_FIX
from roqsim.mj.poses import OBJECTS
from roqsim.sensing.sensor import Output, Sensor
from roqsim.sensing.sensor_config import SensorConfig

from roqsim_sensors.signals.drift import Drift
from roqsim_sensors.signals.geodesy import Datum
from roqsim_sensors.signals.inertial import cross

ENU = "enu"
"""The frame of the velocity: east, north, up at the datum."""

STATUS = {"fix": FIX, "sbas": SBAS_FIX, "gbas": GBAS_FIX}


@dataclass(frozen=True, kw_only=True)
class GnssConfig(SensorConfig):
    """Where the world lies on the earth, and the receiver's errors; without any, it is perfect."""

    datum: Datum = need()
    """The world's origin on the earth."""
    fix: Literal["fix", "sbas", "gbas"] = opt("fix")
    """What the receiver computes: from satellites alone, corrected from a satellite, or from the ground (RTK)."""
    no_fix: bool = opt(False)
    """Whether it has no fix at all; a value for `fault`."""
    horizontal_stddev: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of one position, to the east and to the north each."""
    vertical_stddev: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of one altitude."""
    horizontal_drift: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of the part of the horizontal error that stays for `drift_correlation_time`."""
    vertical_drift: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of the part of the vertical error that stays for `drift_correlation_time`."""
    drift_correlation_time: float = opt(60.0, gt=0, unit="s")
    """After how long these parts are forgotten."""
    horizontal_velocity_stddev: float = opt(0.0, ge=0, unit="m/s")
    """Standard deviation of one velocity, to the east and to the north each."""
    vertical_velocity_stddev: float = opt(0.0, ge=0, unit="m/s")
    """Standard deviation of one vertical velocity."""
    dropout_percent: float = opt(0.0, ge=0, le=100, unit="%")
    """How many of a hundred measurements have no fix by chance."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "fix", "no_fix", "horizontal_stddev", "vertical_stddev", "horizontal_velocity_stddev",
        "vertical_velocity_stddev", "dropout_percent",
    )  # fmt: skip


class Gnss(Sensor):
    """Latitude, longitude and altitude of the antenna on WGS-84, and its velocity over ground.

    A lost fix is a message too: its status says so and its numbers are NaN; the velocity is then not sent. The axes of
    errors and velocity are those of the datum: east, north and up there.
    """

    Config = GnssConfig
    stream = "fix"

    def outputs(self) -> tuple[Output, ...]:
        """The fix and the velocity."""
        return (
            Output("fix", "sensor_msgs.msg.NavSatFix", lambda sample: sample[0]),
            Output("vel", "geometry_msgs.msg.TwistStamped", lambda sample: sample[1], ENU),
        )

    def configure(self, ctx: SimContext) -> None:
        """Prepares the errors that stay for a while."""
        super().configure(ctx)
        config = self.config
        self._twist = np.empty(6)
        self._object = OBJECTS[self.mount.kind]
        self._drifts = [
            Drift(f"{self.address}.{part}", size, self.period, stddev=stddev,
                  correlation_time=config.drift_correlation_time, walk=0.0)
            for part, size, stddev in (
                ("horizontal", 2, config.horizontal_drift), ("vertical", 1, config.vertical_drift),
            )
        ]  # fmt: skip

    def use(self, values: GnssConfig) -> None:
        """Makes a configuration the one in force."""
        super().use(values)
        horizontal, vertical = values.horizontal_stddev, values.vertical_stddev
        self._stddev = np.array([horizontal, horizontal, vertical])
        drift = np.array([values.horizontal_drift, values.horizontal_drift, values.vertical_drift])
        self._covariance = np.diag(self._stddev**2 + drift**2)
        horizontal, vertical = values.horizontal_velocity_stddev, values.vertical_velocity_stddev
        self._velocity_stddev = np.array([horizontal, horizontal, vertical])
        self._velocity_covariance = np.diag([*self._velocity_stddev**2, 0.0, 0.0, 0.0])
        for covariance in (self._covariance, self._velocity_covariance):
            covariance.flags.writeable = False

    def measure(self, ctx: SimContext) -> tuple[NavSatFix, VelocityStamped | None]:
        """Fix and velocity of the antenna."""
        ctx.refresh()
        values = self.values
        lost = values.dropout_percent
        if values.no_fix or (lost and self.rng(".dropout").random() * 100.0 < lost):
            nan = math.nan
            return NavSatFix(ctx.time_ns, self.frame_id, NO_FIX, nan, nan, nan, self._covariance), None
        position, velocity = self._true_motion(ctx)
        if self._stddev.any() or self._velocity_stddev.any():
            noise = self.rng().standard_normal((2, 3))
            position = position + self._stddev * noise[0]
            velocity = velocity + self._velocity_stddev * noise[1]
        east, north, up = (position + self._wander(ctx)).tolist()
        latitude, longitude, altitude = values.datum.to_geodetic(*values.datum.to_world(east, north), up)
        fix = NavSatFix(ctx.time_ns, self.frame_id, STATUS[values.fix], latitude, longitude, altitude, self._covariance)
        velocity.flags.writeable = False
        return fix, VelocityStamped(ctx.time_ns, ENU, velocity, np.zeros(3), self._velocity_covariance)

    def _true_motion(self, ctx: SimContext) -> tuple[np.ndarray, np.ndarray]:
        """``(3,)`` position in metres and ``(3,)`` velocity in m/s of the antenna along east, north, up."""
        datum, mount = self.config.datum, self.mount
        p_FA_W = (mount.R_WF @ np.array(self.config.pose.position)).tolist()
        p_WA = (mount.p_WF + p_FA_W).tolist()
        mujoco.mj_objectVelocity(ctx.model, ctx.data, self._object, mount.index, self._twist, 0)
        wx, wy, wz, vx, vy, vz = self._twist.tolist()
        lever = cross((wx, wy, wz), p_FA_W)
        position = np.array([*datum.to_enu(p_WA[0], p_WA[1]), p_WA[2]])
        velocity = np.array([*datum.to_enu(vx + lever[0], vy + lever[1]), vz + lever[2]])
        return position, velocity

    def _wander(self, ctx: SimContext) -> np.ndarray:
        """``(3,)`` the part of the error that stays for a while, along east, north, up."""
        index = ctx.tick // self._every
        horizontal, vertical = (drift.at(ctx.seed, ctx.episode, index) for drift in self._drifts)
        error = np.zeros(3)
        if horizontal is not None:
            error[:2] = horizontal
        if vertical is not None:
            error[2] = vertical[0]
        return error
