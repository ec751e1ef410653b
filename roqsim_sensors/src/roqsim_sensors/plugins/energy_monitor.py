"""What a robot's motors draw, and how long its battery lasts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from roqsim.config.schema import opt
from roqsim.context import Entity, SimContext
from roqsim.context.reports import BatteryState, EnergyReport
from roqsim.errors import RoqsimError
from roqsim.mj import contacts, names
from roqsim.plugin import Plugin

from roqsim_sensors.monitors.ports import Port, offer, publish
from roqsim_sensors.monitors.power import Braking, Meter, PowerModel, body_of_actuator

SECONDS_PER_HOUR = 3600.0

EMPTY = 1e-9
"""The fraction of its capacity below which a battery is empty: what rounding leaves of a long sum."""


@dataclass(frozen=True, kw_only=True)
class EnergyMonitorConfig:
    """Which motors, how they turn electrical into mechanical power, and the battery."""

    entity: str | None = opt(None)
    """Entity whose motors are metered; the one it is nested under where nothing is said."""
    actuators: tuple[str, ...] = opt(())
    """Actuators of the entity, without its prefix; all of them where nothing is said."""
    idle_power: float = opt(0.0, ge=0, unit="W")
    """Power that is drawn whatever the motors do: computers, sensors, motor controllers."""
    efficiency: float = opt(1.0, gt=0, le=1)
    """Efficiency from supply to joint, gears included; where power is recovered, also back."""
    braking: Braking = opt("lost")
    """What a motor that is driven by its load does: costs (draws as if it drove), lost (draws none), recovered."""
    heat: float = opt(0.0, ge=0, unit="W/(N m)^2")
    """Power that a motor turns into heat per squared torque (or force), even at rest: R / kt^2, seen at the joint."""
    capacity: float | None = opt(None, gt=0, unit="J")
    """Energy in the full battery, 3600 J a Wh; no battery where nothing is said."""
    initial_charge: float = opt(1.0, gt=0, le=1)
    """Fraction of the capacity that is there at the start."""
    voltage: float = opt(24.0, gt=0, unit="V")
    """Nominal voltage of the battery, with which its state is told in ampere-hours."""
    stop: bool = opt(False)
    """Whether an empty battery ends the run."""
    failed: bool = opt(True)
    """Whether a run that an empty battery ends counts as failed."""
    rate_hz: float = opt(10.0, gt=0, unit="Hz")
    """How often the report is published; energy is summed in every step."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""

    def __post_init__(self) -> None:
        if self.stop and self.capacity is None:
            raise ValueError("stop: expected a battery that can be empty, got no 'capacity'; add it or remove 'stop'")


class EnergyMonitor(Plugin):
    """Sums the power of the motors of an entity, step by step.

    Forces belong to the last solve, so energy is known up to its time, which is the report's stamp. While its entity
    is absent nothing is drawn.
    """

    Config = EnergyMonitorConfig
    reads_derived = False

    def configure(self, ctx: SimContext) -> None:
        """Finds the motors; offers the readings."""
        config = self.config
        self._ctx, self._entity = ctx, self._find_entity(ctx)
        self._meter = Meter(ctx.model, ctx.data, self._actuators(ctx))
        self._model = PowerModel(
            idle=config.idle_power, efficiency=config.efficiency, braking=config.braking, heat=config.heat
        )
        ports = [
            Port(
                name="power",
                message="std_msgs.msg.Float64",
                field="power",
                read=self.read_state,
                doc="W that are drawn; the payload has the sums.",
            ),
            Port(
                name="energy",
                message="std_msgs.msg.Float64",
                field="energy",
                read=self.read_state,
                doc="J that were drawn since the last reset.",
            ),
        ]
        if config.capacity is not None:
            ports.append(
                Port(
                    name="battery_state",
                    message="sensor_msgs.msg.BatteryState",
                    read=self._read_battery,
                    doc="The state of the battery.",
                )
            )
        offer(ctx, self, self._entity, ports, config.rate_hz)
        publish(ctx, self, "energy_monitor", self.read_state)
        self.on_reset(ctx)

    def _find_entity(self, ctx: SimContext) -> Entity:
        named = self.config.entity
        entity = ctx.owner_of(self) if named is None else ctx.entities.require(named, f"{self.address}.entity")
        if entity is None:
            raise RoqsimError(
                f"{self.address}: expected an entity with motors, got none; nest it under one or add 'entity:'"
            )
        return entity

    def _actuators(self, ctx: SimContext) -> list[int]:
        model, entity = ctx.model, self._entity
        if self.config.actuators:
            where = f"{self.address}.actuators"
            return [names.actuator_id(model, name, where=where, prefix=entity.prefix) for name in self.config.actuators]
        bodies = contacts.subtree(model, entity.body or 0)
        return [index for index in range(model.nactuator) if body_of_actuator(model, index) in bodies]

    def on_reset(self, ctx: SimContext) -> None:
        """Begins with a fresh battery."""
        self._meter.restart()
        self._power = self._mechanical = self._energy = self._work = 0.0
        self._charge = math.inf if self.config.capacity is None else self.config.capacity * self.config.initial_charge
        self._is_empty = False

    def post_step(self, ctx: SimContext) -> None:
        """Adds the work of a step."""
        if not ctx.entities.is_present(self._entity):
            self._meter.restart()
            self._power = self._mechanical = 0.0
            return
        meter = self._meter
        if not meter.step():
            return
        self._mechanical = meter.driving + meter.braking
        self._power = self._model.draw(meter.driving, meter.braking, meter.squares)
        drawn = self._power * ctx.dt
        self._work += self._mechanical * ctx.dt
        self._energy += drawn
        if self.config.capacity is not None:
            left = min(self._charge - drawn, self.config.capacity)
            self._charge = left if left > EMPTY * self.config.capacity else 0.0
            if self._charge == 0.0 and not self._is_empty:
                self._run_empty(ctx)

    def _run_empty(self, ctx: SimContext) -> None:
        self._is_empty = True
        if self.config.stop:
            reason = f"{self.address}: the battery of {self._entity.name} is empty at {ctx.solve_time:.3f} s"
            ctx.request_stop(reason, failed=self.config.failed)

    def read_state(self) -> EnergyReport:
        """What is known now; on the physics thread."""
        capacity = self.config.capacity
        return EnergyReport(
            stamp_ns=self._ctx.solve_time_ns,
            power=self._power,
            mechanical_power=self._mechanical,
            energy=self._energy,
            mechanical_energy=self._work,
            charge=self._charge,
            state_of_charge=np.nan if capacity is None else self._charge / capacity,
            empty=self._is_empty,
        )

    def _read_battery(self) -> BatteryState:
        volts, capacity = self.config.voltage, self.config.capacity
        hours = volts * SECONDS_PER_HOUR
        return BatteryState(
            stamp_ns=self._ctx.solve_time_ns,
            voltage=volts,
            current=-self._power / volts,
            charge=self._charge / hours,
            capacity=capacity / hours,
            design_capacity=capacity / hours,
            percentage=self._charge / capacity,
            present=True,
        )
