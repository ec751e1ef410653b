"""Who touches what is watched: every contact of every step, however seldom anybody reads."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from roqsim.config.schema import opt
from roqsim.context import SimContext
from roqsim.context.reports import NEVER_NS, ContactReport
from roqsim.plugin import Plugin

from roqsim_sensors.monitors.latch import Latch
from roqsim_sensors.monitors.ports import Port, offer, publish
from roqsim_sensors.monitors.touches import ContactFilter, Press, presses
from roqsim_sensors.monitors.watch import Names, WatchConfig, watch


@dataclass(frozen=True, kw_only=True)
class ContactMonitorConfig(WatchConfig):
    """What is watched, what counts as a touch, and what follows from one."""

    min_force: float = opt(0.0, ge=0, unit="N")
    """Force between two geoms below which they do not count as touching."""
    debounce: float = opt(0.05, ge=0, unit="s")
    """For how long a thing has to be away before it touches anew; a touch is reported for at least as long."""
    stop: bool = opt(False)
    """Whether the first touch ends the run."""
    failed: bool = opt(True)
    """Whether a run that a touch ends counts as failed."""
    rate_hz: float = opt(20.0, gt=0, unit="Hz")
    """How often the report is published; a touch between two reports is in the next one."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


class ContactMonitor(Plugin):
    """Reports the contacts of an entity, or of named bodies and geoms, and can end the run at the first.

    It looks at every solve. While the same geoms touch as one step before and none of them counts, which is the rule
    for wheels on a floor, a step costs well under a microsecond. The report is about the last solve and is stamped with
    its time.
    """

    Config = ContactMonitorConfig
    reads_derived = False

    def configure(self, ctx: SimContext) -> None:
        """Finds what is watched; offers the report."""
        self._ctx = ctx
        self._watch = watch(ctx, self, self.config)
        self._names = Names(ctx.model, ctx.entities)
        self._filter = ContactFilter(ctx.data, self._watch)
        ports = (
            Port(
                name="collision",
                message="std_msgs.msg.Bool",
                field="in_contact",
                read=self.read_state,
                doc="Whether anything touches; the payload says who, where and how hard.",
            ),
            Port(
                name="collision_count",
                message="std_msgs.msg.UInt32",
                field="count",
                read=self.read_state,
                doc="How many touches began since the last reset.",
            ),
        )
        added = offer(ctx, self, self._watch.entity, ports, self.config.rate_hz)
        self._apart = round(self.config.debounce / ctx.dt)
        self._hold = max(self._apart, added[0].rate.every_steps)
        publish(ctx, self, "contact_monitor", self.read_state)
        self.on_reset(ctx)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every touch."""
        self._filter.forget()
        self._presses: list[Press] = []
        self._any = Latch(self._apart, self._hold)
        self._by: dict[str, Latch] = {}
        self._first = NEVER_NS
        self._peak = 0.0

    def post_step(self, ctx: SimContext) -> None:
        """Looks at the contacts of the step."""
        rows = self._filter.rows()
        if rows:
            found = presses(ctx.model, ctx.data, rows, self.config.min_force)
            if found:
                self._note(ctx, found)

    def _note(self, ctx: SimContext, found: list[Press]) -> None:
        tick = ctx.tick
        for press in found:
            owner = self._names.part(press.other).owner
            if owner not in self._by:
                self._by[owner] = Latch(self._apart, self._hold)
            self._by[owner].touch(tick)
            self._peak = max(self._peak, press.magnitude)
        self._any.touch(tick)
        self._presses = found
        if self._first == NEVER_NS:
            self._first = ctx.solve_time_ns
            if self.config.stop:
                self._stop(ctx, max(found, key=lambda press: press.magnitude))

    def _stop(self, ctx: SimContext, press: Press) -> None:
        part, other = self._names.part(press.part), self._names.part(press.other)
        reason = (
            f"{self.address}: {part.owner} touched {other.owner} ({part.geom} against {other.geom}) "
            f"with {press.magnitude:.4g} N at {ctx.solve_time:.3f} s"
        )
        ctx.request_stop(reason, failed=self.config.failed)

    def read_state(self) -> ContactReport:
        """What is known now; on the physics thread."""
        ctx = self._ctx
        is_shown = self._any.is_shown(ctx.tick)
        shown = self._presses if is_shown else []
        force = [sum(axis) for axis in zip(*((press.x, press.y, press.z) for press in shown), strict=True)] or [0.0] * 3
        return ContactReport(
            stamp_ns=ctx.solve_time_ns,
            in_contact=is_shown,
            touches=tuple(press.touch(self._names) for press in shown),
            touches_ns=round((self._any.last - 1) * ctx.dt * 1e9) if is_shown else NEVER_NS,
            force=np.array(force),
            magnitude=math.hypot(*force),
            count=sum(latch.count for latch in self._by.values()),
            counts={owner: latch.count for owner, latch in self._by.items()},
            first_ns=self._first,
            peak_force=self._peak,
        )
