"""The machine of the yard: a tank that fills, a navigator that counts places, gauges with faults."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from roqsim.errors import RoqsimError

from roqsim import Endpoint, Entity, Plugin


@dataclass(frozen=True)
class Level:
    """How full a tank is."""

    litres: float
    full: bool
    parts: tuple[float, ...]
    grid: np.ndarray
    labels: dict[str, int]


@dataclass(frozen=True)
class Route:
    """Where a navigator is."""

    seq: int
    finished: bool


class Machine(Plugin):
    """Fills one litre a second; takes half a second for each place of a route; asks for the end after three seconds."""

    provides_entity = True

    def build(self, spec, ctx):
        spec.worldbody.add_body(name="machine", pos=[0, 3, 0]).add_geom(size=[0.1, 0.1, 0.1])
        ctx.entities.add(Entity("machine", "object", address=self.address, body_name="machine"))

    def configure(self, ctx):
        self._ctx = ctx
        self.on_reset(ctx)
        for name, read in (("tank", self._tank), ("route_status", self._status), ("nothing", lambda: None)):
            ctx.interface.add(Endpoint(name, "out", "machine", read=read))
        for name in "navigate_through_poses cancel_route start_route refuse finish break_down steer".split():
            ctx.interface.add(Endpoint(name, "in", "machine", write=getattr(self, f"_{name}")))

    def on_reset(self, ctx):
        self._seq, self._places, self._began = 0, [], 0.0

    def _tank(self):
        litres = self._ctx.sim_time
        return Level(litres, litres >= 1.0, (litres, 2 * litres), np.eye(2), {"rim": 7})

    def _status(self):
        return Route(self._seq, self._ctx.sim_time - self._began >= 0.5 * len(self._places))

    def _navigate_through_poses(self, payload):
        self._seq, self._places, self._began = self._seq + 1, payload["poses"], self._ctx.sim_time
        return {"seq": self._seq}

    def _cancel_route(self, payload):
        self._ctx.log.info("the route is cancelled")
        self._places = []

    def _start_route(self, payload):
        return self._navigate_through_poses({"poses": [[0, 0]]})

    def _refuse(self, payload):
        raise RoqsimError(f"expected a better command, got {payload!r}")

    def _finish(self, payload):
        self._ctx.request_stop(f"finished by {payload!r}", failed=payload == "mistake")

    def _steer(self, payload):
        self._began -= payload.twist.linear[0] + payload["twist"]["angular"][2]

    def _break_down(self, payload):
        raise ZeroDivisionError("a part is missing")


class Gauge(Plugin):
    """Reads 1, or 0 while it is faulty."""

    def configure(self, ctx):
        self._active = False
        ctx.blackboard.set(f"sensor_fault:{self.address}", self)
        ctx.interface.add(
            Endpoint(f"{self.name}_dial", "out", "machine", read=lambda: {"value": float(not self._active)})
        )
        ctx.interface.add(Endpoint("fault", "in", self.address, write=self.set_active))

    def _read(self):
        return {"value": float(not self._active)}

    def is_active(self):
        return self._active

    def set_active(self, active):
        if not isinstance(active, bool):
            raise RoqsimError(f"fault: expected true or false, got {active!r}")
        self._active = active
