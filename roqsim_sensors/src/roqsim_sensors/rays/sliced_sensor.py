"""What every sensor has in common whose rays are fired one after the other while it moves: sweeps over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from roqsim.config.schema import opt
from roqsim.context import SimContext

from roqsim_sensors.rays.ray_sensor import RaySensor, RaySensorConfig


@dataclass(frozen=True, kw_only=True)
class SlicedConfig(RaySensorConfig):
    """How a sweep is spread over time, beside mount, cadence, limits and noise."""

    slices: int = opt(1, ge=1)
    """In how many slices the rays of a period are cast while it passes, each from the state of its own tick; one casts
    all of them from the state at its end. Rounded down to a number that divides the period's steps."""


class SlicedSensor(RaySensor):
    """Casts all rays at once, or in slices.

    With ``slices``, a measurement belongs to several states, as that of a device that turns: the stamp is the time of
    the first, and it can be read when its last slice is cast, at the end of the period. Nobody can ask for what was not
    cast, so slices are cast unless every transport says that nobody listens, and a reader gets nothing before the first
    period is over.

    Attributes:
        is_sliced: Whether a measurement belongs to several states, once configured.
    """

    is_sliced = False

    def edges(self, slices: int) -> list[int]:
        """The first ray of each of so many equal parts of the period, and the number of rays."""
        count = len(self._rays_F)
        return [-(-count * part // slices) for part in range(slices + 1)]

    def begin(self, period: int) -> None:
        """Told the number of a period, counted from the reset, before its first rays are cast."""

    def swept(self, ctx: SimContext, stamp_ns: int, later: np.ndarray | None) -> object:
        """What the endpoint carries of the rays that were shot last, which the caster has yet to finish.

        Args:
            ctx: The simulation.
            stamp_ns: The time of the first ray in nanoseconds.
            later: ``(n,)`` float32 seconds after it at which the rays were fired; None for all of them at once.
        """
        raise NotImplementedError

    def configure(self, ctx: SimContext) -> None:
        """Prepares the rays and the slices."""
        super().configure(ctx)
        slices = dividing(self._every, self.config.slices)
        if slices != self.config.slices:
            text = "%s.slices: a period of %d steps is cast in %d slices, not %d"
            ctx.log.info(text, self.address, self._every, slices, self.config.slices)
        self._step = self._every // slices
        edges = self.edges(slices)
        self._slices = [slice(first, last) for first, last in zip(edges[:-1], edges[1:], strict=True)]
        self._counts = np.diff(edges)
        self.is_sliced = slices > 1
        if self.is_sliced:
            ctx.schedule(self, "post_step", 1.0 / (self._step * ctx.dt))

    def is_stateless(self) -> bool:
        """Whether a measurement belongs to one state, rather than to all states of a sweep."""
        return super().is_stateless() and dividing(self._every, self.config.slices) == 1

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every measurement."""
        super().on_reset(ctx)
        self._first_tick = self._next = -1

    def post_step(self, ctx: SimContext) -> None:
        """Measures, or casts the slice that is due, if somebody wants it."""
        if not self.is_sliced:
            super().post_step(ctx)
            return
        number = (ctx.tick // self._step - 1) % len(self._slices)
        watched = [endpoint.is_watched for endpoint in self._endpoints]
        is_wanted = any(watched) or None in watched or self._wanted
        if not is_wanted or self.presence.is_absent(self._body):
            self._next = -1
            return
        if number == 0:
            self._next, self._first_tick = 0, ctx.tick
            self.begin(ctx.tick // self._every)
        if number != self._next:
            return
        self.shoot(ctx, self._slices[number])
        self._next += 1
        if self._next == len(self._slices):
            self._wanted = False
            self._send()

    def _read(self) -> object | None:
        return self._read_delayed() if self.is_sliced else super()._read()

    def stamp_tick(self) -> int:
        """The tick of the state that the last measurement's first rays belong to."""
        return self._first_tick if self.is_sliced else super().stamp_tick()

    def measure(self, ctx: SimContext) -> object:
        """Casts all rays from where the sensor is, or takes what was cast in slices."""
        if not self.is_sliced:
            self.begin(ctx.tick // self._every)
            self.shoot(ctx)
            return self.swept(ctx, ctx.time_ns, None)
        ticks = self._first_tick + self._step * np.arange(len(self._slices))
        stamps = [round(int(tick) * ctx.dt * 1e9) for tick in ticks]
        later = np.array([1e-9 * (stamp - stamps[0]) for stamp in stamps], dtype=np.float32)
        return self.swept(ctx, stamps[0], np.repeat(later, self._counts))


def dividing(number: int, limit: int) -> int:
    """The largest divisor of a positive number that is not above a limit."""
    return max(divisor for divisor in range(1, min(number, limit) + 1) if number % divisor == 0)
