"""An inertial measurement unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np
from roqsim.config.angle import HALF_TURN
from roqsim.config.schema import opt
from roqsim.context import Imu as ImuData
from roqsim.context import SimContext
from roqsim.context.measurements import UNKNOWN
from roqsim.mj import poses
from roqsim.sensing.sensor_config import SensorConfig

from roqsim_sensors.base.solve import SolvedSensor
from roqsim_sensors.signals.drift import Drift
from roqsim_sensors.signals.inertial import felt_at
from roqsim_sensors.signals.triad import Triad, skewed

Vector = tuple[float, float, float]

ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class ImuConfig(SensorConfig):
    """Errors of a gyroscope, an accelerometer and an orientation estimate; without any, the device is perfect."""

    rate_hz: float = opt(100.0, gt=0, unit="Hz")
    """How often it measures."""
    orientation: bool = opt(True)
    """Whether the device estimates its orientation (REP-145 leaves that open)."""
    orientation_stddev: Vector = opt(ZERO, ge=0, le=HALF_TURN, unit="rad")
    """Standard deviations of the estimated orientation about the device's x, y and z axes."""
    gyro_noise_density: float = opt(0.0, ge=0, unit="rad/s/√Hz")
    """White noise of the angular velocity; one reading has this times the root of the rate."""
    gyro_bias: Vector = opt(ZERO, unit="rad/s")
    """What the gyroscope reads at rest."""
    gyro_bias_instability: float = opt(0.0, ge=0, unit="rad/s")
    """Standard deviation of the part of its bias that wanders about zero."""
    gyro_random_walk: float = opt(0.0, ge=0, unit="rad/s/√s")
    """Random walk of its bias: the standard deviation after one second, growing with the root of time."""
    gyro_scale_error: Vector = opt(ZERO, gt=-1, lt=1)
    """By which fraction each axis of it reads too much."""
    gyro_misalignment: Vector = opt(ZERO, ge=-0.5, le=0.5, unit="rad")
    """Roll, pitch and yaw of its axes in the device."""
    gyro_range: float | None = opt(None, gt=0, unit="rad/s")
    """Largest rate that it can read; any where nothing is said."""
    gyro_resolution: float = opt(0.0, ge=0, unit="rad/s")
    """Step of its readings; 0 for none."""
    accel_noise_density: float = opt(0.0, ge=0, unit="m/s²/√Hz")
    """White noise of the acceleration; one reading has this times the root of the rate."""
    accel_bias: Vector = opt(ZERO, unit="m/s²")
    """What the accelerometer reads in free fall."""
    accel_bias_instability: float = opt(0.0, ge=0, unit="m/s²")
    """Standard deviation of the part of its bias that wanders about zero."""
    accel_random_walk: float = opt(0.0, ge=0, unit="m/s²/√s")
    """Random walk of its bias: the standard deviation after one second, growing with the root of time."""
    accel_scale_error: Vector = opt(ZERO, gt=-1, lt=1)
    """By which fraction each axis of it reads too much."""
    accel_misalignment: Vector = opt(ZERO, ge=-0.5, le=0.5, unit="rad")
    """Roll, pitch and yaw of its axes in the device."""
    accel_range: float | None = opt(None, gt=0, unit="m/s²")
    """Largest acceleration that it can read; any where nothing is said."""
    accel_resolution: float = opt(0.0, ge=0, unit="m/s²")
    """Step of its readings; 0 for none."""
    bias_correlation_time: float = opt(100.0, gt=0, unit="s")
    """After how long both `…_bias_instability` biases are forgotten."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "orientation_stddev",
        *(f"{part}_{key}" for part in ("gyro", "accel") for key in ("noise_density", "bias", "scale_error", "range")),
    )

    def triads(self, period: float) -> tuple[Triad, Triad]:
        """How gyroscope and accelerometer measure once in ``period`` seconds."""
        return self._triad("gyro", period), self._triad("accel", period)

    def _triad(self, part: str, period: float) -> Triad:
        value = {key: getattr(self, f"{part}_{key}") for key in ("bias", "range", "resolution")}
        return Triad(
            matrix=skewed(getattr(self, f"{part}_scale_error"), getattr(self, f"{part}_misalignment")),
            bias=value["bias"],
            stddev=getattr(self, f"{part}_noise_density") / math.sqrt(period),
            limit=math.inf if value["range"] is None else value["range"],
            resolution=value["resolution"],
        )

    def variance(self, part: str, period: float) -> float:
        """The variance of one reading of ``gyro`` or ``accel``, random walk left out, for it has no limit."""
        noise, wander = getattr(self, f"{part}_noise_density"), getattr(self, f"{part}_bias_instability")
        return noise * noise / period + wander * wander


class Imu(SolvedSensor):
    """Angular velocity, specific force and, where the device has one, an estimate of its orientation (REP-145).

    At rest it reads 9.81 m/s² upwards, in free fall nothing. Whatever is fixed to the world is at rest, and so is what
    only moves by being placed.
    """

    Config = ImuConfig
    stream = "imu"
    message = "sensor_msgs.msg.Imu"
    quantities = (
        mujoco.mjtSensor.mjSENS_FRAMEQUAT,
        mujoco.mjtSensor.mjSENS_FRAMEANGVEL,
        mujoco.mjtSensor.mjSENS_FRAMELINACC,
        mujoco.mjtSensor.mjSENS_FRAMEANGACC,
    )

    def configure(self, ctx: SimContext) -> None:
        """Prepares the errors."""
        super().configure(ctx)
        config = self.config
        self._X_FS = (config.pose.position, config.pose.quaternion)
        self._at_rest = int(ctx.model.body_treeid[self.mount.body]) < 0
        self._drifts = tuple(
            Drift(
                f"{self.address}.{part}",
                3,
                self.period,
                stddev=getattr(config, f"{part}_bias_instability"),
                correlation_time=config.bias_correlation_time,
                walk=getattr(config, f"{part}_random_walk"),
            )
            for part in ("gyro", "accel")
        )

    def use(self, values: ImuConfig) -> None:
        """Makes a configuration the one in force."""
        super().use(values)
        self._gyro, self._accel = values.triads(self.period)
        self._gyro_covariance, self._accel_covariance = (
            fixed(np.eye(3) * values.variance(part, self.period)) for part in ("gyro", "accel")
        )
        self._orientation_covariance = np.diag(np.square(values.orientation_stddev))
        if not values.orientation:
            self._orientation_covariance[0, 0] = UNKNOWN
        fixed(self._orientation_covariance)
        self._is_random = self._gyro.is_random or self._accel.is_random or self._is_estimated(values)

    @staticmethod
    def _is_estimated(values: ImuConfig) -> bool:
        """Whether there is an orientation with errors."""
        return values.orientation and any(values.orientation_stddev)

    def stamp_tick(self) -> int:
        """The tick of the state that the last measurement belongs to."""
        return self._ctx.tick if self._at_rest else super().stamp_tick()

    def measure(self, ctx: SimContext) -> ImuData:
        """What the device reports about the last solve."""
        quaternion, rate, force = felt_at(*self._motion(ctx), self._X_FS)
        rng = self.rng() if self._is_random else None
        index = ctx.tick // self._every
        gyro_drift, accel_drift = (drift.at(ctx.seed, ctx.episode, index) for drift in self._drifts)
        angular_velocity = self._gyro.measure(rate, rng, gyro_drift)
        linear_acceleration = self._accel.measure(force, rng, accel_drift)
        return ImuData(
            self.stamp_ns(),
            self.frame_id,
            self._estimate(quaternion, rng) if self.values.orientation else None,
            fixed(angular_velocity),
            fixed(linear_acceleration),
            self._orientation_covariance,
            self._gyro_covariance,
            self._accel_covariance,
        )

    def _motion(self, ctx: SimContext) -> tuple[poses.Quaternion, Vector, Vector, Vector]:
        """Orientation, angular velocity, specific force and angular acceleration of the mount in the world."""
        if self._at_rest:
            ctx.refresh()
            up = tuple((-ctx.model.opt.gravity).tolist())
            return poses.from_matrix(self.mount.R_WF), ZERO, up, ZERO
        return tuple(tuple(values.tolist()) for values in self.solved.read())

    def _estimate(self, quaternion: poses.Quaternion, rng: np.random.Generator | None) -> np.ndarray:
        if self._is_estimated(self.values):
            error = rng.standard_normal(3) * self.values.orientation_stddev
            quaternion = poses.multiply(quaternion, rotation(error.tolist()))
        return fixed(np.array(quaternion))


def rotation(vector: list[float]) -> poses.Quaternion:
    """The rotation about a vector by its length in radians."""
    angle = math.hypot(*vector)
    if angle == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    scale = math.sin(angle / 2.0) / angle
    return (math.cos(angle / 2.0), vector[0] * scale, vector[1] * scale, vector[2] * scale)


def fixed(array: np.ndarray) -> np.ndarray:
    """The array, not to be written from now on."""
    array.flags.writeable = False
    return array
