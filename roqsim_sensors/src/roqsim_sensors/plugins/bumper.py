"""A bumper: zones around a robot that tell whether something presses them."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import mujoco
from roqsim.config.angle import TURN
from roqsim.config.schema import need, opt
from roqsim.context import Entity, SimContext
from roqsim.context.reports import BumperReport, BumperZone
from roqsim.errors import NotFoundError, RoqsimError, suggest
from roqsim.sensing.attention import Attentive
from roqsim.sensing.sensor import FLOAT_SLACK
from roqsim.sensing.sensor_config import StreamConfig

from roqsim_sensors.base.solve import SolvedValues
from roqsim_sensors.monitors.latch import Latch
from roqsim_sensors.monitors.ports import Port, offer, offer_fault, publish
from roqsim_sensors.monitors.sectors import FULL_CIRCLE, bearing, is_within
from roqsim_sensors.monitors.touches import ContactFilter, presses
from roqsim_sensors.monitors.watch import WatchConfig, watch

FOUND_AND_FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND) | 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
NET_FORCE = 3
"""MuJoCo's number for the reduction ``netforce`` of a contact sensor."""

TENTH = math.pi / 10.0


@dataclass(frozen=True, kw_only=True)
class ZoneConfig:
    """One zone: a sector, or geoms, or sites."""

    name: str = need()
    """Name of the zone."""
    start: float | None = opt(None, ge=-TURN, le=TURN, unit="rad")
    """Right end of a sector, about the root body's z axis from its x axis."""
    end: float | None = opt(None, ge=-TURN, le=TURN, unit="rad")
    """Left end of the sector."""
    geoms: tuple[str, ...] = opt(())
    """Geoms of the entity, without its prefix, that are the zone."""
    sites: tuple[str, ...] = opt(())
    """Sites of the entity, without its prefix, in whose volume contacts of the entity belong to the zone."""

    def __post_init__(self) -> None:
        is_sector = self.start is not None or self.end is not None
        if is_sector + bool(self.geoms) + bool(self.sites) != 1:
            raise ValueError(
                f"name: expected a zone with 'start' and 'end', or with 'geoms', or with 'sites', got {self.name!r} "
                "with another number of them; keep one kind"
            )
        if is_sector and (self.start is None or self.end is None or not 0.0 < self.end - self.start <= FULL_CIRCLE):
            raise ValueError(
                f"end: expected an angle beyond start ({self.start!r}) by at most one turn, got {self.end!r}"
            )


CREATE_3_ZONES = tuple(
    ZoneConfig(name=name, start=first * TENTH, end=last * TENTH)
    for name, first, last in (
        ("right", -5, -3),
        ("front_right", -3, -1),
        ("front_center", -1, 1),
        ("front_left", 1, 3),
        ("left", 3, 5),
    )
)
"""The bumper of an iRobot Create 3, as create3_sim has it (irobot_create_toolbox, sensors/bumpers.hpp)."""


@dataclass(frozen=True, kw_only=True)
class BumperConfig(WatchConfig, StreamConfig):
    """The zones, and what presses them. `bodies` and `geoms` are the parts that feel in sectors."""

    zones: tuple[ZoneConfig, ...] = opt(CREATE_3_ZONES, length=(1, 1000))
    """The zones; the front half in five sectors where nothing is said."""
    min_force: float = opt(0.0, ge=0, unit="N")
    """Force on a zone below which it is not pressed."""
    debounce: float = opt(0.05, ge=0, unit="s")
    """For how long a zone has to be free before it is pressed anew; it is reported for at least as long."""
    stuck: tuple[str, ...] = opt(())
    """Zones that are reported as pressed whatever happens."""
    dead: tuple[str, ...] = opt(())
    """Zones that feel nothing."""
    rate_hz: float = opt(20.0, gt=0, unit="Hz")
    """How often the zones are published; a press between two reports is in the next one."""

    fault_keys: ClassVar[tuple[str, ...]] = ("min_force", "stuck", "dead")

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        seen: set[str] = set()
        for zone in self.zones:
            if zone.name in seen:
                raise ValueError(f"zones: expected names of their own, got {zone.name!r} twice; rename one of them")
            seen.add(zone.name)
        for key in ("stuck", "dead"):
            for name in getattr(self, key):
                if name not in seen:
                    raise ValueError(f"{key}: expected names of zones, got {name!r}; {suggest(name, seen)}")
        if all(zone.start is None for zone in self.zones):
            for key in ("bodies", "geoms", "ignore", "ground", "own_parts"):
                if getattr(self, key):
                    raise ValueError(
                        f"{key}: expected a zone with 'start' and 'end' that it applies to, got "
                        f"{getattr(self, key)!r}; remove the key"
                    )


class Bumper(Attentive):
    """Tells for each zone whether something presses it, in every solve from the first reader or listener on.

    Until then, and again after a reset, it rests and costs nothing.

    A sector belongs to the root body of the entity, and asks where the points of contact are; the ground and the
    entity's own parts do not count. Zones of geoms or sites are MuJoCo's contact sensors: whatever touches there
    counts.
    """

    Config = BumperConfig
    reads_derived = False

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds the contact sensors of the zones of geoms and sites."""
        entity = self._entity(ctx)
        for zone in self.config.zones:
            for kind, wanted in (("geom", zone.geoms), ("site", zone.sites)):
                for index, name in enumerate(wanted):
                    target = self._target(spec, entity, zone, kind, name)
                    sensor = spec.add_sensor(
                        name=f"{self.address}.{zone.name}.{index}",
                        type=mujoco.mjtSensor.mjSENS_CONTACT,
                        objtype=mujoco.mjtObj.mjOBJ_GEOM if kind == "geom" else mujoco.mjtObj.mjOBJ_SITE,
                        objname=target,
                        intprm=[FOUND_AND_FORCE, NET_FORCE, 1],
                    )
                    if kind == "site":
                        sensor.reftype, sensor.refname = mujoco.mjtObj.mjOBJ_XBODY, entity.body_name

    def _entity(self, ctx: SimContext) -> Entity:
        named = self.config.entity
        entity = ctx.owner_of(self) if named is None else ctx.entities.require(named, f"{self.address}.entity")
        if entity is None:
            raise RoqsimError(
                f"{self.address}: expected an entity that has the bumper, got none; nest it under one or add 'entity:'"
            )
        return entity

    def _target(self, spec: mujoco.MjSpec, entity: Entity, zone: ZoneConfig, kind: str, name: str) -> str:
        """The compiled name of a zone's geom or site."""
        full = entity.prefix + name
        if (spec.geom(full) if kind == "geom" else spec.site(full)) is None:
            elements = spec.geoms if kind == "geom" else spec.sites
            known = [each.name.removeprefix(entity.prefix) for each in elements if each.name.startswith(entity.prefix)]
            raise NotFoundError(
                f"{self.address}.zones.{zone.name}.{kind}s: expected the name of a {kind}, got {name!r}; "
                f"{suggest(name, [each for each in known if each])}"
            )
        return full

    def configure(self, ctx: SimContext) -> None:
        """Finds the sensors; offers the whole bumper and each zone."""
        zones = self.config.zones
        entity = self._entity(ctx)
        self._sectors = [(index, zone.start, zone.end) for index, zone in enumerate(zones) if zone.start is not None]
        if self._sectors:
            self._filter = ContactFilter(ctx.data, watch(ctx, self, self.config))
        body = entity.body or 0
        self._p_WB, self._R_WB = ctx.data.xpos[body], ctx.data.xmat[body]
        self._find_sensors(ctx)
        added = offer(ctx, self, entity, self._ports(), self.config.rate_hz)
        self._attend(ctx, added)
        apart = round(self.config.debounce / ctx.dt)
        self._latches = [Latch(apart, max(apart, added[0].rate.every_steps)) for _ in zones]
        self._delay = math.ceil(self.config.delay / ctx.dt - FLOAT_SLACK)
        self._fault = offer_fault(ctx, self, added[0], self._use)
        self._use(self.config)
        publish(ctx, self, "bumper", self.read_state)
        self.on_reset(ctx)

    def _ports(self) -> list[Port]:
        """The whole, and each zone."""
        bools = {"message": "std_msgs.msg.Bool", "field": "pressed", "lazy": True}
        doc = "Whether any zone is pressed; the payload has all zones."
        ports = [Port(name="bumper", read=self.read_state, doc=doc, **bools)]
        for index, zone in enumerate(self.config.zones):
            name, read = f"bumper_{zone.name}", partial(self._read_zone, index)
            ports.append(Port(name=name, read=read, doc=f"Whether the zone {zone.name!r} is pressed.", **bools))
        return ports

    def _find_sensors(self, ctx: SimContext) -> None:
        """For each zone of geoms or sites, which of MuJoCo's sensors are its own."""
        self._sensed: list[tuple[int, slice]] = []
        labels: list[str] = []
        for index, zone in enumerate(self.config.zones):
            own = [f"{self.address}.{zone.name}.{number}" for number in range(len(zone.geoms or zone.sites))]
            if own:
                self._sensed.append((index, slice(len(labels), len(labels) + len(own))))
                labels += own
        self._solved = SolvedValues(ctx, labels)

    def _use(self, values: BumperConfig) -> None:
        """Makes a configuration the one in force."""
        self._min_force = values.min_force
        self._is_stuck = [zone.name in values.stuck for zone in self.config.zones]
        self._is_dead = [zone.name in values.dead for zone in self.config.zones]

    def on_reset(self, ctx: SimContext) -> None:
        """Frees every zone and ends the fault."""
        self._stir()
        self._solved.sleep()
        self._looked_tick = ctx.tick
        if self._fault is not None:
            self._fault.set_active(False)
        if self._sectors:
            self._filter.forget()
        self._underway: deque[tuple[int, int, float]] = deque()
        self._forces = [0.0] * len(self.config.zones)
        for latch in self._latches:
            latch.release()

    def post_step(self, ctx: SimContext) -> None:
        """Looks at the contacts of the step, if anybody wants to know."""
        if self._wanted or self._is_watched():
            self._look(ctx)
        else:
            self._solved.sleep()
            self._doze()

    def _is_watched(self) -> bool:
        """Whether a transport has a listener or, where presses are felt later, may get one."""
        for endpoint in self._endpoints:
            watched = endpoint.is_watched
            if watched or (watched is None and self._delay):
                return True
        return False

    def _look(self, ctx: SimContext) -> None:
        """Looks at the contacts of the last solve, once."""
        tick = ctx.tick
        if self._looked_tick == tick:
            return
        self._looked_tick = tick
        if self._sensed:
            self._look_at_sensors(tick)
        if self._sectors:
            rows = self._filter.rows()
            if rows:
                self._look_around(ctx, rows)
        while self._underway and self._underway[0][0] <= tick:
            self._note(*self._underway.popleft())

    def _look_at_sensors(self, tick: int) -> None:
        values = [row.tolist() for row in self._solved.read()]
        for index, own in self._sensed:
            if any(row[0] for row in values[own]):
                self._press(index, sum(math.hypot(*row[1:4]) for row in values[own]), tick)

    def _look_around(self, ctx: SimContext, rows: list) -> None:
        ctx.refresh()  # the body's pose, whether or not somebody else needed it in this tick
        p_WB, R_WB = self._p_WB.tolist(), self._R_WB.tolist()
        sums: dict[int, list[float]] = {}
        for row in rows:
            for press in presses(ctx.model, ctx.data, (row,)):
                angle = bearing(press.position, p_WB, R_WB)
                for index, start, end in self._sectors:
                    if is_within(angle, start, end):
                        total = sums.setdefault(index, [0.0, 0.0, 0.0])
                        total[0] += press.x
                        total[1] += press.y
                        total[2] += press.z
        for index, total in sums.items():
            self._press(index, math.hypot(*total), ctx.tick)

    def _press(self, index: int, force: float, tick: int) -> None:
        if force < self._min_force or self._is_dead[index]:
            return
        if self._delay:
            self._underway.append((tick + self._delay, index, force))
        else:
            self._note(tick, index, force)

    def _note(self, tick: int, index: int, force: float) -> None:
        self._forces[index] = force
        self._latches[index].touch(tick)

    def _read_zone(self, index: int) -> BumperZone:
        if not self._is_watched():
            self._want()
        self._look(self._ctx)
        ctx, latch = self._ctx, self._latches[index]
        is_felt = latch.is_shown(ctx.tick)
        name, force = self.config.zones[index].name, self._forces[index] if is_felt else 0.0
        return BumperZone(self._stamp_ns(), name, is_felt or self._is_stuck[index], force, latch.count)

    def _stamp_ns(self) -> int:
        """The time of the solve that is reported, in nanoseconds."""
        return round(max(self._ctx.tick - 1 - self._delay, 0) * self._ctx.dt * 1e9)

    def read_state(self) -> BumperReport:
        """All zones now; on the physics thread."""
        zones = tuple(self._read_zone(index) for index in range(len(self.config.zones)))
        return BumperReport(self._stamp_ns(), any(zone.pressed for zone in zones), zones)
