"""A six-axis force and torque sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np
from roqsim.config.schema import opt
from roqsim.context import SimContext, WrenchStamped
from roqsim.errors import RoqsimError
from roqsim.mj import poses
from roqsim.sensing.sensor import Command
from roqsim.sensing.sensor_config import SensorConfig

from roqsim_sensors.base.solve import SolvedSensor
from roqsim_sensors.signals.drift import Drift
from roqsim_sensors.signals.triad import Triad
from roqsim_sensors.signals.wrench import moved

Vector = tuple[float, float, float]

TARE = "tare"
"""The endpoint that makes the present load the zero of the sensor."""


@dataclass(frozen=True, kw_only=True)
class ForceTorqueConfig(SensorConfig):
    """Where the sensor cuts a structure in two, and its errors; without any, the device is perfect."""

    rate_hz: float = opt(100.0, gt=0, unit="Hz")
    """How often it measures."""
    tare: bool = opt(False)
    """Whether the load at `tare_at` after each reset becomes the zero; before that, readings are raw."""
    tare_at: float = opt(0.0, ge=0, unit="s")
    """When that is, moved to the next measurement that is due."""
    force_stddev: float = opt(0.0, ge=0, unit="N")
    """Standard deviation of one reading of the force."""
    torque_stddev: float = opt(0.0, ge=0, unit="Nm")
    """Standard deviation of one reading of the torque."""
    force_bias: Vector = opt((0.0, 0.0, 0.0), unit="N")
    """What the force reads without a load."""
    torque_bias: Vector = opt((0.0, 0.0, 0.0), unit="Nm")
    """What the torque reads without a load."""
    force_random_walk: float = opt(0.0, ge=0, unit="N/√s")
    """Drift of the force: the standard deviation after one second, growing with the root of time."""
    torque_random_walk: float = opt(0.0, ge=0, unit="Nm/√s")
    """Drift of the torque: the standard deviation after one second, growing with the root of time."""
    force_range: float | None = opt(None, gt=0, unit="N")
    """Largest force that it can read along an axis, tare not counted; any where nothing is said."""
    torque_range: float | None = opt(None, gt=0, unit="Nm")
    """Largest torque that it can read about an axis, tare not counted; any where nothing is said."""
    force_resolution: float = opt(0.0, ge=0, unit="N")
    """Step of the force; 0 for none."""
    torque_resolution: float = opt(0.0, ge=0, unit="Nm")
    """Step of the torque; 0 for none."""

    fault_keys: ClassVar[tuple[str, ...]] = tuple(
        f"{part}_{key}" for part in ("force", "torque") for key in ("stddev", "bias", "range", "resolution")
    )

    def triad(self, part: str) -> Triad:
        """How ``force`` or ``torque`` is measured."""
        limit = getattr(self, f"{part}_range")
        return Triad(
            bias=getattr(self, f"{part}_bias"),
            stddev=getattr(self, f"{part}_stddev"),
            limit=math.inf if limit is None else limit,
            resolution=getattr(self, f"{part}_resolution"),
        )


class ForceTorque(SolvedSensor):
    """The wrench that passes through a site (or the origin of a body) between that body and its parent.

    Sign: the force and torque with which the parent holds the body, along the sensor's axes and about its origin. A
    tool of 1 kg that hangs at rest reads 9.81 N upwards, whatever the orientation of the sensor. The inertia of what is
    beyond the site is part of it.
    """

    Config = ForceTorqueConfig
    stream = "wrench"
    message = "geometry_msgs.msg.WrenchStamped"
    quantities = (mujoco.mjtSensor.mjSENS_FORCE, mujoco.mjtSensor.mjSENS_TORQUE)
    needs_site = True

    def configure(self, ctx: SimContext) -> None:
        """Prepares errors and tare."""
        config = self.config
        self._wait = math.ceil(config.tare_at / ctx.dt - 1e-9)
        super().configure(ctx)
        if self.mount.body == 0:
            raise RoqsimError(
                f"{self.address}.{self.mount.kind}: expected a part of a moving or mounted body, got the world; "
                "nest the sensor under an entity, and name a body of it that hangs on another one"
            )
        self._X_SF = poses.inverse((config.pose.position, config.pose.quaternion))
        self._drifts = tuple(
            Drift(f"{self.address}.{part}", 3, self.period, stddev=0.0, correlation_time=1.0, walk=walk)
            for part, walk in (("force", config.force_random_walk), ("torque", config.torque_random_walk))
        )

    def is_stateless(self) -> bool:
        """No: what it reads depends on when it was tared."""
        return False

    def commands(self) -> tuple[Command, ...]:
        """It can be tared."""
        return (Command(TARE, self.tare, "std_srvs.srv.Trigger", "Makes the present load the zero of the sensor."),)

    def use(self, values: ForceTorqueConfig) -> None:
        """Makes a configuration the one in force."""
        super().use(values)
        self._triads = values.triad("force"), values.triad("torque")
        self._is_random = any(triad.is_random for triad in self._triads)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every measurement and the tare."""
        super().on_reset(ctx)
        self._zero = (np.zeros(3), np.zeros(3))
        self._tare_tick: int | None = self._wait if self.config.tare else None

    def post_step(self, ctx: SimContext) -> None:
        """Tares when it is time, and measures, if somebody wants it."""
        if self._tare_tick is not None and ctx.tick >= self._tare_tick and not self.presence.is_absent(self._body):
            self.tare()
        super().post_step(ctx)

    def _doze(self) -> None:
        if self._tare_tick is None:
            super()._doze()

    def tare(self, payload: object = None) -> None:
        """Subtracts the load and the drift of the present state from now on; the next reset undoes it.

        Args:
            payload: Not looked at: the command has nothing to say.
        """
        readings = zip(self._raw(), self._triads, self._drift(), strict=True)
        self._zero = tuple(
            Triad(bias=triad.bias, limit=triad.limit).measure(truth, drift=drift) for truth, triad, drift in readings
        )
        self._tare_tick = None
        self._wake()

    def measure(self, ctx: SimContext) -> WrenchStamped:
        """What the device reports about the last solve."""
        rng = self.rng() if self._is_random else None
        readings = zip(self._raw(), self._triads, self._drift(), self._zero, strict=True)
        force, torque = (triad.measure(truth, rng, drift) - zero for truth, triad, drift, zero in readings)
        force.flags.writeable = torque.flags.writeable = False
        return WrenchStamped(self.stamp_ns(), self.frame_id, force, torque)

    def _raw(self) -> tuple[Vector, Vector]:
        """The true force and torque in the sensor's frame."""
        force, torque = (tuple(values.tolist()) for values in self.solved.read())
        return moved(force, torque, self._X_SF)

    def _drift(self) -> list[np.ndarray | None]:
        ctx = self._ctx
        return [drift.at(ctx.seed, ctx.episode, ctx.tick // self._every) for drift in self._drifts]
