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
from roqsim_sensors.rays.ray_sensor import RaySensor, RaySensorConfig
from roqsim_sensors.rays.reflectivity import Reflectivity, incidence_cosines


@dataclass(frozen=True, kw_only=True)
class CloudSensorConfig(RaySensorConfig):
    """How a cloud of points is measured, beside mount, cadence, limits and noise."""

    slices: int = opt(1, ge=1)
    """In how many slices the rays of a period are cast while it passes, each from the state of its own tick; one casts
    all of them from the state at its end. Rounded down to a number that divides the period's steps."""
    intensity: Literal["reflectivity", "incidence", "none"] = opt("reflectivity")
    """What intensities tell: reflectivity (0 to 100), reflectivity times cosine of the incidence, or nothing."""
    organized: bool = opt(False)
    """Whether rays without a return keep their place in rows and columns, as NaN; else they are left out."""
    threads: int | None = opt(None, ge=1)
    """Threads that share a large cast; by default one for each core, up to four. Results are the same to the bit."""


class CloudSensor(RaySensor):
    """Measures clouds of points in its frame.

    Rays that give no return, that are lost or hit something too close are left out, or are NaN in an organized cloud.

    With ``slices``, a cloud's points belong to several states, as those of a device that turns: the stamp is the time
    of the first, ``time`` tells how much later a point was measured, and the cloud can be read when its last slice is
    cast, at the end of the period. Nobody can ask for what was not cast, so slices are cast unless every transport says
    that nobody listens, and a reader gets nothing before the first period is over.
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
        """Prepares the rays and the slices."""
        super().configure(ctx)
        slices = dividing(self._every, self.config.slices)
        if slices != self.config.slices:
            text = "%s.slices: a period of %d steps is cast in %d slices, not %d"
            ctx.log.info(text, self.address, self._every, slices, self.config.slices)
        self._reflectivity = Reflectivity(ctx.model)
        self._step = self._every // slices
        edges = self._pattern.edges(slices)
        self._rows = [slice(first, last) for first, last in zip(edges[:-1], edges[1:], strict=True)]
        self._counts = np.diff(edges)
        self._no_time = np.zeros(len(self._rays_F), dtype=np.float32)
        self._no_time.flags.writeable = False
        if slices > 1:
            ctx.schedule(self, "post_step", 1.0 / (self._step * ctx.dt))

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every measurement."""
        super().on_reset(ctx)
        self._first_tick = self._next = -1

    def post_step(self, ctx: SimContext) -> None:
        """Measures, or casts the slice that is due, if somebody wants it."""
        if len(self._rows) == 1:
            super().post_step(ctx)
            return
        number = (ctx.tick // self._step - 1) % len(self._rows)
        watched = [endpoint.is_watched for endpoint in self._endpoints]
        is_wanted = any(watched) or None in watched or self._wanted
        if not is_wanted or self.presence.is_absent(self._body):
            self._next = -1
            return
        if number == 0:
            self._next, self._first_tick = 0, ctx.tick
            self._turn_to(ctx.tick // self._every)
        if number != self._next:
            return
        self.cast(ctx, self._rows[number])
        self._next += 1
        if self._next == len(self._rows):
            self._wanted = False
            self._send()

    def is_stateless(self) -> bool:
        """Whether a cloud belongs to one state, rather than to all states of a sweep."""
        return super().is_stateless() and dividing(self._every, self.config.slices) == 1

    def _read(self) -> PointCloud | None:
        return super()._read() if len(self._rows) == 1 else self._read_delayed()

    def stamp_tick(self) -> int:
        """The tick of the state that the last measurement's first points belong to."""
        return super().stamp_tick() if len(self._rows) == 1 else self._first_tick

    def measure(self, ctx: SimContext) -> PointCloud:
        """Casts all rays from where the sensor is, or takes what was cast in slices."""
        if len(self._rows) == 1:
            self._turn_to(ctx.tick // self._every)
            self.cast(ctx)
            return self._cloud(ctx, ctx.time_ns, None)
        ticks = self._first_tick + self._step * np.arange(len(self._rows))
        stamps = [round(int(tick) * ctx.dt * 1e9) for tick in ticks]
        later = np.array([1e-9 * (stamp - stamps[0]) for stamp in stamps], dtype=np.float32)
        return self._cloud(ctx, stamps[0], np.repeat(later, self._counts))

    def _set_pattern(self, pattern: Pattern) -> None:
        self._pattern = pattern
        # One row for each axis, because NumPy multiplies along rows several times as fast as across them.
        self._axes = np.ascontiguousarray(pattern.directions.T, dtype=np.float32)
        pattern.ring.flags.writeable = False

    def _turn_to(self, period: int) -> None:
        """Makes the rays those of a period."""
        if self.repeats or period == self._period_index:
            return
        self._set_pattern(self.pattern(period))
        self._period_index = period
        np.dot(unit(self._pattern.directions), self._R_SF, out=self._rays_F)
        self._turned_by = b""

    def _cloud(self, ctx: SimContext, stamp_ns: int, time: np.ndarray | None) -> PointCloud:
        """The cloud of what was cast last, ``time`` after the stamp or all of it at once."""
        model, pattern = self._model, self._pattern
        ranges = model.measure(self._caster.distances, ctx.rng_for(self.address) if model.is_random else None)
        fields = {"ring": pattern.ring} if time is None else {"ring": pattern.ring, "time": time}
        rows, height = self._selection(ranges)
        axes, found = self._axes, ranges
        if rows is not None:
            axes, found = axes.take(rows, axis=1), ranges.take(rows)
            fields = {name: values.take(rows) for name, values in fields.items()}
        points = np.empty((len(found), 3), dtype=np.float32)
        np.multiply(axes, found, out=points.T)
        if time is None:
            fields["time"] = self._no_time[: len(points)]
        if self.config.intensity != "none":
            fields["intensity"] = self._intensities(ranges, rows)
        for array in (points, *fields.values()):
            array.flags.writeable = False
        is_dense = not self.config.organized or not np.isnan(ranges).any()
        return PointCloud(stamp_ns, self.frame_id, height, len(points) // height, points, is_dense, fields)

    def _selection(self, ranges: np.ndarray) -> tuple[np.ndarray | None, int]:
        """Which rays make the cloud and in what order, None for all as they are fired, and how many rows they form."""
        if self.config.organized:
            return self._pattern.order, self._pattern.height
        returns = np.flatnonzero(ranges == ranges)
        return (None if len(returns) == len(ranges) else returns), 1

    def _intensities(self, ranges: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        """``(n,)`` float32 of the rays in ``rows``, 0 where there is no return."""
        caster = self._caster
        values = self._reflectivity.table().take(caster.geoms, mode="wrap")
        if caster.normals is not None:
            values *= incidence_cosines(caster.normals, self._rays_W)
        if self.config.organized:
            values[np.isnan(ranges)] = 0.0
        return values if rows is None else values.take(rows)


def dividing(number: int, limit: int) -> int:
    """The largest divisor of a positive number that is not above a limit."""
    return max(divisor for divisor in range(1, min(number, limit) + 1) if number % divisor == 0)
