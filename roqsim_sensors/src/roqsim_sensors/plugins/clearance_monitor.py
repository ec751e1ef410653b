"""How close anything came: the distance between true shapes, whether or not they touch in the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from roqsim.config.schema import opt
from roqsim.context import SimContext
from roqsim.context.reports import NEVER_NS, Approach, ClearanceReport
from roqsim.plugin import Plugin

from roqsim_sensors.monitors.pairing import can_collide
from roqsim_sensors.monitors.ports import Port, offer, publish
from roqsim_sensors.monitors.proximity import Proximity
from roqsim_sensors.monitors.watch import Names, WatchConfig, watch

COMPUTE_RATE_HZ = 200.0
"""How often distances are measured at least where nothing is said: every 7.5 mm at a walking 1.5 m/s."""

SLACK = 1e-9
"""What rounding may add to a number of steps."""

NOWHERE = np.full(3, np.nan)
NOWHERE.flags.writeable = False

NOTHING = Approach(NEVER_NS, math.inf, None, None, NOWHERE, NOWHERE)


@dataclass(frozen=True, kw_only=True)
class ClearanceMonitorConfig(WatchConfig):
    """What is watched, how far and how often."""

    reach: float = opt(5.0, gt=0, unit="m")
    """Distance beyond which nothing is looked for."""
    compute_rate_hz: float | None = opt(None, gt=0, unit="Hz")
    """How often distances are measured; at least 200 Hz, or every step where physics is slower, by default."""
    rate_hz: float = opt(20.0, gt=0, unit="Hz")
    """How often the report is published."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


class ClearanceMonitor(Plugin):
    """Reports the distance from what is watched to whatever it could hit, and the smallest one since the last reset.

    Only geoms that could touch count, by MuJoCo's own rule: render-only geometry, parts that are welded or hinged
    together, excluded pairs and absent entities do not. It never ends a run; who wants that reads the report.
    """

    Config = ClearanceMonitorConfig
    reads_derived = False

    def configure(self, ctx: SimContext) -> None:
        """Finds what is watched; offers the report."""
        self._ctx = ctx
        self._watch = watch(ctx, self, self.config)
        self._names = Names(ctx.model, ctx.entities)
        self._masks = b""
        every = max(1, int(1.0 / (COMPUTE_RATE_HZ * ctx.dt) + SLACK))
        ctx.schedule(self, "post_step", self.config.compute_rate_hz or 1.0 / (every * ctx.dt))
        ports = (
            Port(
                name="clearance",
                message="std_msgs.msg.Float64",
                field="distance",
                read=self.read_state,
                doc="Metres to what is nearest; the payload says where and what it is.",
            ),
            Port(
                name="clearance_minimum",
                message="std_msgs.msg.Float64",
                field="minimum",
                read=self.read_state,
                doc="The smallest distance in metres since the last reset.",
            ),
        )
        offer(ctx, self, self._watch.entity, ports, self.config.rate_hz)
        publish(ctx, self, "clearance_monitor", self.read_state)
        self.on_reset(ctx)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets what came close."""
        self._now: Approach | None = None
        self._closest = NOTHING
        self._version = -1

    def post_step(self, ctx: SimContext) -> None:
        """Measures."""
        self._measure()
        if self._now.distance < self._closest.distance:
            self._closest = self._now

    def read_state(self) -> ClearanceReport:
        """What is known now; on the physics thread. After a change of the state between two steps it measures anew."""
        ctx = self._ctx
        is_stale = ctx.version != self._version and ctx.changed_tick == ctx.tick
        if self._now is None or is_stale:
            self._measure()
        now, closest = self._now, self._closest
        if now.distance < closest.distance:
            closest = now
        return ClearanceReport(now.stamp_ns, now.distance, now, closest.distance, closest)

    def _measure(self) -> None:
        ctx = self._ctx
        ctx.refresh()
        search = self._proximity()
        if ctx.version != self._version:
            search.forget()
            self._version = ctx.version
        found = search.find(ctx.data)
        if found is None:
            self._now = Approach(ctx.time_ns, math.inf, None, None, NOWHERE, NOWHERE)
            return
        part, other = self._names.part(found.geom), self._names.part(found.other)
        self._now = Approach(ctx.time_ns, found.distance, part, other, found.p_geom, found.p_other)

    def _proximity(self) -> Proximity:
        """The search, set up anew whenever an entity came or went, or masks were changed otherwise."""
        model = self._ctx.model
        masks = model.geom_contype.tobytes() + model.geom_conaffinity.tobytes() + model.pair_margin.tobytes()
        if masks != self._masks:
            self._masks = masks
            watched, others = self._watch.watched, self._watch.others
            allowed = can_collide(model, watched, others)
            self._search = Proximity(model, watched, others, allowed, self.config.reach)
        return self._search
