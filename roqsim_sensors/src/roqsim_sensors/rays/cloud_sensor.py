"""What every sensor has in common that measures clouds of points: threads, sweeps over time, intensities.

A device derives from ``CloudSensor``, its configuration from ``CloudSensorConfig``, and supplies its ``Pattern``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import mujoco
import numpy as np
from roqsim.config.schema import opt
from roqsim.context import PointCloud, SimContext
from roqsim.raycast import RayCaster, unit

from roqsim_sensors.rays.pattern import Pattern
from roqsim_sensors.rays.range_model import RangeModel
from roqsim_sensors.rays.reflectivity import Reflectivity, incidence_cosines
from roqsim_sensors.rays.sliced_sensor import SlicedConfig, SlicedSensor


@dataclass(frozen=True, kw_only=True)
class CloudSensorConfig(SlicedConfig):
    """How a cloud of points is measured, beside mount, cadence, limits and noise."""

    intensity: Literal["reflectivity", "incidence", "none"] = opt("reflectivity")
    """What intensities tell: reflectivity (0 to 100), reflectivity times cosine of the incidence, or nothing."""
    organized: bool = opt(False)
    """Whether rays without a return keep their place in rows and columns, as NaN; else they are left out."""
    threads: int | None = opt(None, ge=1)
    """Threads that share a large cast; by default one for each core, up to four. Results are the same to the bit."""


class CloudSensor(SlicedSensor):
    """Measures clouds of points in its frame.

    Rays that give no return, that are lost or hit something too close are left out, or are NaN in an organized cloud.

    With ``slices``, ``time`` tells how much later than the stamp a point was measured.
    """

    stream = "points"
    message = "sensor_msgs.msg.PointCloud2"
    repeats: ClassVar[bool] = True
    """Whether every period has the rays of the first."""

    def pattern(self, period: int) -> Pattern:
        """The rays of a period, counted from the reset; as many in every period."""
        raise NotImplementedError

    def rays(self) -> np.ndarray:
        """``(n, 3)`` directions of the first period in the sensor's frame."""
        self._set_pattern(self.pattern(0))
        self._period_index = 0
        return self._pattern.directions

    def range_model(self) -> RangeModel:
        """The limits and the noise of the configuration in force; what cannot be reported is NaN."""
        return self.values.range_model(too_close=math.nan, no_return=math.nan)

    def make_caster(self, model: mujoco.MjModel, count: int) -> RayCaster:
        """Casts on several threads, and finds normals where intensities need them."""
        config = self.config
        return RayCaster(
            model,
            count,
            carrier=self.mount.body,
            max_range=config.range_max,
            threads=config.threads,
            with_normals=config.intensity == "incidence",
        )

    def configure(self, ctx: SimContext) -> None:
        """Prepares the rays and what stays the same of a cloud."""
        super().configure(ctx)
        self._reflectivity = Reflectivity(ctx.model)
        self._no_time = np.zeros(len(self._rays_F), dtype=np.float32)
        self._no_time.flags.writeable = False

    def edges(self, slices: int) -> list[int]:
        """The first ray of each of so many equal parts of the period, and the number of rays."""
        return self._pattern.edges(slices)

    def _set_pattern(self, pattern: Pattern) -> None:
        self._pattern = pattern
        # One row for each axis, because NumPy multiplies along rows several times as fast as across them.
        self._axes = np.ascontiguousarray(pattern.directions.T, dtype=np.float32)
        pattern.ring.flags.writeable = False

    def begin(self, period: int) -> None:
        """Makes the rays those of a period."""
        if self.repeats or period == self._period_index:
            return
        self._set_pattern(self.pattern(period))
        self._period_index = period
        np.dot(unit(self._pattern.directions), self._R_SF, out=self._rays_F)
        self._turned_by = b""

    def swept(self, ctx: SimContext, stamp_ns: int, later: np.ndarray | None) -> PointCloud:
        """The cloud of what was shot last."""
        model, caster, is_organized = self._model, self._caster, self.config.organized
        if model.is_exact and not is_organized:
            # The same in fewer passes over all rays, each of which costs about as much as fifty rays.
            rows = caster.hits(model.range_min)
            ranges = caster.distances.take(rows).astype(np.float32)
        else:
            caster.finish()
            ranges = model.measure(caster.distances, ctx.rng_for(self.address) if model.is_random else None)
            rows = self._pattern.order if is_organized else np.flatnonzero(ranges == ranges)
            ranges = ranges if rows is None else ranges.take(rows)
        return self._cloud(stamp_ns, rows, ranges, later)

    def _cloud(
        self, stamp_ns: int, rows: np.ndarray | None, ranges: np.ndarray, later: np.ndarray | None
    ) -> PointCloud:
        """The points of some rays, in this order, None for all of them, with ``(k,)`` float32 distances or NaN."""
        pattern, config = self._pattern, self.config
        fields = {"ring": pattern.ring} if later is None else {"ring": pattern.ring, "time": later}
        axes = self._axes
        if rows is not None:
            axes = axes.take(rows, axis=1)
            fields = {name: values.take(rows) for name, values in fields.items()}
        points = np.empty((len(ranges), 3), dtype=np.float32)
        np.multiply(axes, ranges, out=points.T)
        if later is None:
            fields["time"] = self._no_time[: len(points)]
        if config.intensity != "none":
            fields["intensity"] = self._intensities(ranges, rows)
        for array in (points, *fields.values()):
            array.flags.writeable = False
        height = pattern.height if config.organized else 1
        is_dense = not config.organized or not np.isnan(ranges).any()
        return PointCloud(stamp_ns, self.frame_id, height, len(points) // height, points, is_dense, fields)

    def _intensities(self, ranges: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        """``(k,)`` float32 of the rays in ``rows``, 0 where there is no return."""
        caster, table = self._caster, self._reflectivity.table()
        if not self.config.organized:
            values = table.take(caster.geoms_at(rows))
        else:
            geoms = caster.geoms
            values = table.take(geoms if rows is None else geoms.take(rows), mode="wrap")
            values[np.isnan(ranges)] = 0.0
        if caster.normals is not None:
            cosines = incidence_cosines(caster.normals, self._rays_W)
            values *= cosines if rows is None else cosines.take(rows)
        return values
