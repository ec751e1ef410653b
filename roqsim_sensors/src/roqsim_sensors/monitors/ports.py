"""How monitors offer what they know: endpoints for transports, a handle on the blackboard for programs nearby."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from roqsim.context import Endpoint, Entity, SimContext
from roqsim.errors import RoqsimError, suggest
from roqsim.plugin import Plugin
from roqsim.sensing.fault import FAULT, HANDLE, FaultSwitch
from roqsim.sensing.sensor_config import StreamConfig


@dataclass(frozen=True, kw_only=True)
class Port:
    """An endpoint to be.

    Attributes:
        name: Its name in its owner's namespace.
        message: The ROS 2 type.
        read: Gives the payload.
        doc: One sentence for people.
        field: The payload's member that a primitive message carries; None for the whole payload.
        topic: The topic where nothing else is said; the endpoint's name by default.
        reads_derived: Whether ``read`` looks at derived poses.
        lazy: Whether a transport need not read it while nobody listens.
    """

    name: str
    message: str
    read: Callable[[], object]
    doc: str
    field: str | None = None
    topic: str | None = None
    reads_derived: bool = False
    lazy: bool = False


def offer(
    ctx: SimContext, plugin: Plugin, entity: Entity | None, ports: Collection[Port], rate_hz: float | None
) -> list[Endpoint]:
    """Adds a monitor's endpoints.

    Where the entity has an endpoint of such a name, that of a second monitor begins with the monitor's own label.

    Args:
        ctx: The simulation that is being configured.
        plugin: The monitor; its ``topics`` say which topic an endpoint has.
        entity: Whom they belong to; None for the world.
        ports: What to offer.
        rate_hz: How often all of them are to be published; None for every step.

    Raises:
        RoqsimError: If ``topics`` names an endpoint that there is not.
    """
    owner = entity.name if entity is not None else ""
    taken = {endpoint.name for endpoint in ctx.interface.by_direction("out") if endpoint.owner == owner}
    is_second = bool(taken & {port.name for port in ports})
    label = {port.name: f"{plugin.name}_{port.name}" if is_second else port.name for port in ports}
    unknown = sorted(set(plugin.config.topics) - set(label.values()))
    if unknown:
        known = suggest(unknown[0], label.values())
        raise RoqsimError(f"{plugin.address}.topics: expected an endpoint, got {unknown[0]!r}; {known}")
    added = []
    for port in ports:
        name = label[port.name]
        hints = {"type": port.message, "topic": plugin.topic_override(name) or (not is_second and port.topic) or name}
        if port.field is not None:
            hints["field"] = port.field
        endpoint = Endpoint(
            name,
            "out",
            owner,
            read=port.read,
            rate_hz=rate_hz,
            namespace=entity.namespace if entity is not None else "",
            backend={"ros2": hints},
            lazy=port.lazy,
            reads_derived=port.reads_derived,
            doc=port.doc,
        )
        added.append(ctx.interface.add(endpoint))
    return added


def offer_fault(
    ctx: SimContext, plugin: Plugin, beside: Endpoint, use: Callable[[StreamConfig], None]
) -> FaultSwitch | None:
    """Adds the command that degrades a monitor which is a device, and the switch that scenarios use.

    Args:
        ctx: The simulation that is being configured.
        plugin: The monitor; nothing is added where its configuration has no ``fault``.
        beside: Its first endpoint, under whose topic the command is served.
        use: Told which configuration holds from now on.
    """
    config = plugin.config
    if not config.fault:
        return None
    switch = FaultSwitch(config, config.degraded, use)
    ctx.blackboard.set(f"{HANDLE}{plugin.address}", switch)
    taken = {endpoint.name for endpoint in ctx.interface.by_direction("in") if endpoint.owner == beside.owner}
    topic = f"{beside.backend['ros2']['topic']}/{FAULT}"
    ctx.interface.add(
        Endpoint(
            f"{plugin.name}_{FAULT}" if FAULT in taken else FAULT,
            "in",
            beside.owner,
            write=switch.set_active,
            namespace=beside.namespace,
            backend={"ros2": {"service": "std_srvs.srv.SetBool", "topic": topic}},
            doc="Degrades (true) and restores (false) the monitor.",
        )
    )
    return switch


def publish(ctx: SimContext, plugin: Plugin, kind: str, read: Callable[[], object]) -> None:
    """Puts a monitor's reading on the blackboard: a callable without arguments, for the physics thread.

    It stands under ``<kind>:<address>`` and, unless another component was first, under ``<kind>:<label>``.
    """
    for name in (plugin.address, plugin.name):
        if f"{kind}:{name}" not in ctx.blackboard:
            ctx.blackboard.set(f"{kind}:{name}", read)
