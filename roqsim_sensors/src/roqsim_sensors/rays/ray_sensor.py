"""What every sensor that casts rays has in common: what it sees, and how well.

A device derives from ``RaySensor``, its configuration from ``RaySensorConfig``, and supplies its rays, its
``RangeModel`` and the payload that it makes of measured distances. Nothing else in it deals with MuJoCo, time or
chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np
from roqsim.config.schema import opt
from roqsim.context import SimContext
from roqsim.mj import poses
from roqsim.raycast import RayCaster, unit
from roqsim.sensing.sensor import Sensor, SensorConfig

from roqsim_sensors.rays.range_model import RangeModel


@dataclass(frozen=True, kw_only=True)
class RaySensorConfig(SensorConfig):
    """Limits and noise of a sensor that casts rays, beside its mount and cadence."""

    range_min: float = opt(0.0, ge=0, unit="m")
    """Shortest distance that it can measure."""
    range_max: float = opt(30.0, gt=0, unit="m")
    """Longest distance that it can measure; what lies beyond is no return."""
    range_stddev: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of a measured distance; 0 for none."""
    range_stddev_relative: float = opt(0.0, ge=0)
    """Standard deviation as a fraction of the distance, at and beyond `range_stddev_relative_from`; 0 for none."""
    range_stddev_relative_from: float = opt(0.0, ge=0, unit="m")
    """Distance from which on the relative standard deviation holds instead of the absolute one."""
    range_resolution: float = opt(0.0, ge=0, unit="m")
    """Step that measured distances are rounded to; 0 for none."""
    dropout_percent: float = opt(0.0, ge=0, le=100, unit="%")
    """How many of a hundred rays are lost by chance and give no return."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "range_stddev", "range_stddev_relative", "range_stddev_relative_from", "range_resolution", "dropout_percent",
    )  # fmt: skip

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        super().check()
        if self.range_min >= self.range_max:
            raise ValueError(f"range_min: expected less than range_max ({self.range_max:g} m), got {self.range_min!r}")
        if self.range_stddev and self.range_stddev_relative and not self.range_stddev_relative_from:
            raise ValueError(
                f"range_stddev: expected 0 where range_stddev_relative ({self.range_stddev_relative:g}) holds at every "
                f"distance, got {self.range_stddev!r}; set range_stddev_relative_from, or one of the two to 0"
            )

    def range_model(self, *, too_close: float | None, no_return: float) -> RangeModel:
        """The device's way of measuring, with what it reports outside its limits (see ``RangeModel``)."""
        return RangeModel(
            range_min=self.range_min,
            range_max=self.range_max,
            too_close=too_close,
            no_return=no_return,
            stddev=self.range_stddev,
            stddev_relative=self.range_stddev_relative,
            relative_from=self.range_stddev_relative_from,
            resolution=self.range_resolution,
            dropout=self.dropout_percent / 100.0,
        )


class RaySensor(Sensor):
    """Measures distances: ``Sensor`` says when, and for whom."""

    stream: ClassVar[str] = "scan"
    _caster: RayCaster | None = None

    def rays(self) -> np.ndarray:
        """``(n, 3)`` directions in the sensor's frame."""
        raise NotImplementedError

    def range_model(self) -> RangeModel:
        """How the device measures, by ``values``."""
        raise NotImplementedError

    def payload(self, stamp_ns: int, ranges: np.ndarray) -> object:
        """What the endpoint carries.

        Args:
            stamp_ns: The time of the state that was measured, in nanoseconds.
            ranges: ``(n,)`` float32 metres, not to be written.
        """
        raise NotImplementedError

    def make_caster(self, model: mujoco.MjModel, count: int) -> RayCaster:
        """What casts so many rays; a device that needs normals or threads makes one of its own."""
        return RayCaster(model, count, carrier=self.mount.body, max_range=self.config.range_max)

    def use(self, values: RaySensorConfig) -> None:
        """Makes a configuration the one in force."""
        super().use(values)
        self._model = self.range_model()

    def configure(self, ctx: SimContext) -> None:
        """Finds the mount, offers the endpoint and prepares the rays."""
        super().configure(ctx)
        self._p_WF, self._R_WF = self.mount.p_WF, self.mount.R_WF
        self._R_FW = np.empty((3, 3))
        pose = self.config.pose
        self._R_SF = poses.to_matrix(pose.quaternion).T
        self._offset_F = np.array(pose.position) if any(pose.position) else None
        self._rays_F = unit(unit(self.rays()) @ self._R_SF)
        self._rays_W, self._origin_W = np.empty_like(self._rays_F), np.empty(3)
        self._turned_by = b""
        self._caster = self.make_caster(ctx.model, len(self._rays_F))

    def shutdown(self, ctx: SimContext) -> None:
        """Gives back the threads that cast the rays."""
        if self._caster is not None:
            self._caster.close()

    def cast(self, ctx: SimContext, rows: slice | None = None) -> np.ndarray:
        """Casts the rays, or some rows of them, from where the sensor is now.

        Returns:
            ``(n,)`` true distances in metres, inf where nothing is hit; overwritten by the next cast.
        """
        self.shoot(ctx, rows)
        self._caster.finish()
        return self._caster.distances

    def shoot(self, ctx: SimContext, rows: slice | None = None) -> None:
        """Casts for who asks the caster for its hits only; see ``cast``."""
        ctx.refresh()
        R_FW, origin = self._R_FW, self._p_WF
        R_FW[:] = self._R_WF.T  # a copy, because BLAS takes twice as long for a transposed view
        if rows is not None:
            np.dot(self._rays_F[rows], R_FW, out=self._rays_W[rows])
            self._turned_by = b""
        elif (axes := R_FW.tobytes()) != self._turned_by:
            np.dot(self._rays_F, R_FW, out=self._rays_W)
            self._turned_by = axes
        if self._offset_F is not None:
            np.dot(self._offset_F, R_FW, out=self._origin_W)
            origin = np.add(self._origin_W, origin, out=self._origin_W)
        self._caster.shoot(ctx.data, origin, self._rays_W, rows)

    def measure(self, ctx: SimContext) -> object:
        """Casts the rays and reports the distances."""
        model = self._model
        ranges = model.measure(self.cast(ctx), ctx.rng_for(self.address) if model.is_random else None)
        ranges.flags.writeable = False
        return self.payload(ctx.time_ns, ranges)
