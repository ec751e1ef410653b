"""What every sensor has in common: where it sits, how often it measures, when its data arrive, and how it degrades.

A device derives from ``Sensor``, its configuration from ``SensorConfig``, and supplies one measurement of the current
state. Mount, cadence, demand, latency, faults and endpoints are dealt with here.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from roqsim.context import Endpoint, SimContext
from roqsim.errors import RoqsimError
from roqsim.presence import Presence
from roqsim.sensing.attention import Attentive
from roqsim.sensing.fault import FAULT, HANDLE, FaultSwitch
from roqsim.sensing.mount import Mount, find_mount
from roqsim.sensing.sensor_config import SensorConfig, StreamConfig

FLOAT_SLACK = 1e-9
"""By how many steps a delay may be off a whole number of them through rounding alone."""


@dataclass(frozen=True)
class Output:
    """One stream of a sensor.

    Attributes:
        name: The endpoint's name; a second sensor of the same entity uses its label, with this name behind it for all
            but its first stream.
        message: The ROS 2 type of the payload.
        pick: Takes the payload out of a measurement; None where the measurement is the payload.
        frame_id: The frame that it is given in; the sensor's where nothing is said.
    """

    name: str
    message: str
    pick: Callable[[object], object] | None = None
    frame_id: str | None = None


@dataclass(frozen=True)
class Command:
    """What a sensor can be told.

    Attributes:
        name: The endpoint's name; a second sensor of the same entity puts its label before it.
        write: Takes the payload, on the physics thread.
        service: The ROS 2 type of the service that it is served as.
        doc: One sentence for people.
    """

    name: str
    write: Callable[[object], object]
    service: str
    doc: str


Port = TypeVar("Port", Output, Command)


class Sensor(Attentive):
    """Measures at a fixed rate, as long as somebody wants it.

    A measurement belongs to the state of the due tick and is held until the next one. It is taken only for a transport
    with a listener, or for whoever reads an endpoint: a reader who finds no measurement of the current period (after a
    pause in reading, after a reset, after the state was changed between two steps) gets one of the current state.

    With a ``delay``, measurements are taken at due ticks and handed out when their time has come. Nobody can ask for
    what was not measured, so they are taken unless every transport says that nobody listens.

    Attributes:
        values: The configuration in force: ``config``, or what the fault makes of it. Measurements read this one.
        entity: The entity that it belongs to, or None.
        mount: Where it is fixed, once configured.
        frame_id: The frame of its data, once configured.
        period: Seconds between two measurements, once configured.
        presence: Which bodies are absent.
    """

    stream: ClassVar[str] = "data"
    """The first endpoint's name; a second sensor of the same entity uses its own label."""
    message: ClassVar[str] = ""
    """The ROS 2 type of the payload."""
    reads_derived = False  # the engine need not refresh for a sensor that nobody watches

    def measure(self, ctx: SimContext) -> object | None:
        """A measurement of the current state, after ``ctx.refresh`` if need be; None where the sensor says nothing."""
        raise NotImplementedError

    def outputs(self) -> tuple[Output, ...]:
        """The streams that are made of a measurement."""
        return (Output(self.stream, self.message),)

    def commands(self) -> tuple[Command, ...]:
        """What it can be told beside its fault."""
        return ()

    def use(self, values: StreamConfig) -> None:
        """Makes a configuration the one in force; a device that derives something from it does so here."""
        self.values = values

    def stamp_tick(self) -> int:
        """The tick of the state that the last measurement belongs to."""
        return self._ctx.tick

    def is_stateless(self) -> bool:
        """Whether what is read belongs to the current state alone: nothing is delayed, summed or zeroed."""
        return not self._delay

    def rest(self) -> None:
        """Told at a due tick at which nobody wants a measurement, so that what only serves one can stop.

        From then on the sensor costs nothing, until somebody reads it or listens.
        """

    def rng(self, suffix: str = "") -> np.random.Generator:
        """The source of noise of the current state."""
        return self._ctx.rng_for(self.address + suffix)

    def find_mount(self, ctx: SimContext) -> Mount:
        """The body or site that carries it: what its configuration names, else the root of its entity."""
        config = self.config if isinstance(self.config, SensorConfig) else SensorConfig()
        return find_mount(
            ctx, self.entity, body=config.body, site=config.site, frame_id=config.frame_id, where=self.address
        )

    def configure(self, ctx: SimContext) -> None:
        """Finds the mount and offers the endpoints; a device calls it before it prepares its own."""
        config = self.config
        self._ctx = ctx
        self.entity = ctx.owner_of(self)
        self.mount = self.find_mount(ctx)
        self.frame_id = self.mount.frame_id
        self.presence = ctx.blackboard.require("presence", Presence)
        self._body = self.mount.body
        rate = ctx.schedule(self, "post_step", 1.0 / ctx.dt if config.rate_hz is None else config.rate_hz)
        self._every, self.period = rate.every_steps, rate.period
        self._delay = math.ceil(config.delay / ctx.dt - FLOAT_SLACK)
        self.use(config)
        self._offer()
        self.on_reset(ctx)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every measurement and ends the fault."""
        self._sample: object | None = None
        self._sampled_tick = self._sampled_version = -1
        self._underway: deque[tuple[int, object]] = deque()
        self._stir()
        if self._fault is not None:
            self._fault.set_active(False)

    def post_step(self, ctx: SimContext) -> None:
        """Measures, if somebody wants it."""
        if not self._wanted and not self._is_watched():
            self.rest()
            self._doze()
        elif self._delay:
            self._send()
        else:
            self._wanted = False
            self._update()

    def _is_watched(self) -> bool:
        """Whether a transport has a listener or, where measurements are read later, may get one."""
        for endpoint in self._endpoints:
            watched = endpoint.is_watched
            if watched or (watched is None and self._delay):
                return True
        return False

    def _read(self) -> object | None:
        self._want()
        self._update()
        return self._sample

    def _update(self) -> None:
        """Makes the sample one of the current period; there is none while the carrier is absent."""
        ctx = self._ctx
        tick = ctx.tick
        if self.presence.is_absent(self._body):
            self._sample, self._sampled_tick = None, -1
            return
        is_of_period = tick - tick % self._every <= self._sampled_tick <= tick
        is_untouched = ctx.version == self._sampled_version or ctx.changed_tick != tick
        if not (is_of_period and is_untouched):
            self._sample = self.measure(ctx)
            self._sampled_tick, self._sampled_version = tick, ctx.version

    def _read_delayed(self) -> object | None:
        self._want()
        self._receive()
        return self._sample

    def _send(self) -> None:
        """Measures now what is read later."""
        self._receive()
        if not self.presence.is_absent(self._body):
            sample = self.measure(self._ctx)
            self._underway.append((self.stamp_tick() + self._delay, sample))

    def _receive(self) -> None:
        """Makes the sample the newest one whose time has come; nothing reaches anybody while the carrier is absent."""
        if self.presence.is_absent(self._body):
            self._underway.clear()
            self._sample = None
        tick, underway = self._ctx.tick, self._underway
        while underway and underway[0][0] <= tick:
            self._sample = underway.popleft()[1]

    def _offer(self) -> None:
        """Adds the endpoints and the handle of the fault."""
        ctx, config = self._ctx, self.config
        outputs = self._free_names(self.outputs(), "out")
        commands = list(self.commands())
        self._fault = None
        if config.fault:
            self._fault = FaultSwitch(config, config.degraded, self.use)
            ctx.blackboard.set(f"{HANDLE}{self.address}", self._fault)
            doc = "Degrades (true) and restores (false) the sensor."
            commands.insert(0, Command(FAULT, self._fault.set_active, "std_srvs.srv.SetBool", doc))
        named = self._free_names(commands, "in")
        known = [*outputs, *named]
        unknown = sorted(set(config.topics) - set(known))
        if unknown:
            rule = " or ".join(repr(name) for name in known)
            raise RoqsimError(f"{self.address}.topics: expected the endpoint {rule}, got {unknown[0]!r}")
        self._attend(ctx, [ctx.interface.add(self._out(name, each)) for name, each in outputs.items()])
        for name, command in named.items():
            ctx.interface.add(self._in(name, command))

    def _free_names(self, ports: Sequence[Port], direction: str) -> dict[str, Port]:
        """The ports by the names that are free at their owner."""
        existing = self._ctx.interface.by_direction(direction)
        taken = {endpoint.name for endpoint in existing if endpoint.owner == self._owner}
        if direction == "out":
            if ports[0].name not in taken:
                return {port.name: port for port in ports}
            return {self.name if port is ports[0] else f"{self.name}_{port.name}": port for port in ports}
        return {f"{self.name}_{port.name}" if port.name in taken else port.name: port for port in ports}

    def _out(self, name: str, output: Output) -> Endpoint:
        read, pick = self._read_delayed if self._delay else self._read, output.pick
        topic = self.topic_override(name) or name
        frame_id = output.frame_id or self.frame_id
        return Endpoint(
            name,
            "out",
            self._owner,
            read=read if pick is None else lambda: None if (sample := read()) is None else pick(sample),
            rate_hz=self.config.rate_hz,
            namespace=self._namespace,
            backend={"ros2": {"type": output.message, "topic": topic, "frame_id": frame_id}},
            lazy=True,
            holds=True,
            reads_derived=False,
            stateless=self.is_stateless(),
            doc="What the sensor measures.",
        )

    def _in(self, name: str, command: Command) -> Endpoint:
        """A command, which a transport serves beside the sensor's first stream."""
        beside = self._endpoints[0].backend["ros2"]["topic"]
        topic = self.topic_override(name) or f"{beside}/{command.name}"
        return Endpoint(
            name,
            "in",
            self._owner,
            write=command.write,
            namespace=self._namespace,
            backend={"ros2": {"service": command.service, "topic": topic}},
            doc=command.doc,
        )

    @property
    def _owner(self) -> str:
        return self.entity.name if self.entity is not None else ""

    @property
    def _namespace(self) -> str:
        return self.entity.namespace if self.entity is not None else ""
