"""Transport is how a run is deployed, not what it is: so a loading world gains or loses it as asked."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roqsim.config.entries import PluginSpec, subtree, without
from roqsim.config.nodes import Node, Origin
from roqsim.errors import ConfigError, Problem

if TYPE_CHECKING:
    from roqsim.config.extends import Document
    from roqsim.config.world import SimConfig

BRIDGE = "ros2_bridge"
SIM_CONTROL = "sim_interfaces"
APPENDED = (BRIDGE, SIM_CONTROL)
"""The plugins that a run appends: the refs, whether their package is installed or not."""

COMMAND_LINE = ("--ros", "--tf-namespace", "--sim-control")
ENVIRONMENT = ("ROQSIM_ROS", "ROQSIM_TF_NAMESPACE", "ROQSIM_SIM_CONTROL")
"""How a run is asked to connect: for the bridge, for a scope of its transforms, for simulation_interfaces."""

YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")
"""What switches an environment variable on and off, in any case of letters."""

WAYS_ON = (
    "the world needs only its transport: install the package roqsim_ros_bridge in the ROS 2 workspace and source it, "
    "or run without it: leave out what asks for it, or take --no-communication where the document declares it"
)


@dataclass(frozen=True, kw_only=True)
class Transport:
    """What a run is connected to.

    Attributes:
        ros: Append the ROS 2 bridge.
        tf_namespace: Publish transforms under this namespace; appends the bridge.
        sim_control: Serve simulation_interfaces; appends the bridge.
        asked: What errors call the three wishes.
    """

    ros: bool = False
    tf_namespace: str | None = None
    sim_control: bool = False
    asked: tuple[str, str, str] = COMMAND_LINE

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Transport | None:
        """What ``ROQSIM_ROS``, ``ROQSIM_TF_NAMESPACE`` and ``ROQSIM_SIM_CONTROL`` ask for; None for nothing.

        Raises:
            ConfigError: If a switch is neither on nor off.
        """
        ros, scope, control = ENVIRONMENT
        wishes = cls(
            ros=is_on(environment, ros),
            tf_namespace=environment.get(scope) or None,
            sim_control=is_on(environment, control),
            asked=tuple(f"{name}={environment.get(name, '')}" for name in ENVIRONMENT),
        )
        return wishes if wishes.ros or wishes.tf_namespace is not None or wishes.sim_control else None

    def append_to(self, document: Document) -> Document:
        """A document with what is missing of it; one that has everything keeps its entries."""
        document = document.copy()
        if self.ros or self.tf_namespace is not None or self.sim_control:
            bridge = _entry(document, BRIDGE, self._asking())
            if self.tf_namespace is not None:
                origin = Origin(self._scope())
                bridge.config.value["tf_namespace"] = Node(self.tf_namespace, origin, origin)
        if self.sim_control:
            _entry(document, SIM_CONTROL, self.asked[2])
        return document

    def _asking(self) -> str:
        """The option that asks for the bridge."""
        if self.ros:
            return self.asked[0]
        return self.asked[2] if self.sim_control else self._scope()

    def _scope(self) -> str:
        option = self.asked[1]
        return f"{option} {self.tf_namespace}" if option.startswith("--") else option


def is_on(environment: Mapping[str, str], name: str) -> bool:
    """Whether an environment variable switches something on.

    Raises:
        ConfigError: If it is neither on nor off.
    """
    text = environment.get(name, "")
    if text.strip().lower() in (*YES, *NO):
        return text.strip().lower() in YES
    raise ConfigError(Problem(name, f"one of {', '.join(YES)} or {', '.join(NO[1:])}", repr(text)))


def _entry(document: Document, ref: str, asking: str) -> PluginSpec:
    """The entry of a ref that is enabled, appended as by the option ``asking`` where the document has none."""
    for spec in document.specs:
        if spec.ref == ref and spec.enabled:
            return spec
    origin = Origin(asking)
    taken = {spec.label for spec in document.specs if spec.owner is None}
    name = next(label for label in (ref, *(f"{ref}_{i}" for i in range(2, 100))) if label not in taken)
    spec = PluginSpec(ref, Node({}, origin, origin), origin, document.base_dir, name=None if name == ref else name)
    document.specs.append(spec)
    return spec


def with_transport(
    cfg: SimConfig, *, ros: bool = True, tf_namespace: str | None = None, sim_control: bool = False
) -> SimConfig:
    """The same world connected to ROS 2; appends nothing that it has already.

    Args:
        cfg: A loaded world.
        ros: Append the ROS 2 bridge.
        tf_namespace: Publish transforms under this namespace; implies ``ros``.
        sim_control: Serve simulation_interfaces; implies ``ros``.

    Raises:
        ConfigError: the appended entries make the world wrong.
    """
    transport = Transport(ros=ros, tf_namespace=tf_namespace, sim_control=sim_control)
    return cfg.rebuilt(document=transport.append_to(cfg.document))


def drop_transport(cfg: SimConfig) -> tuple[SimConfig, list[str]]:
    """The world without its transport, for those who only look at the scene.

    Only what is known to be transport goes: a class with ``transport_only``, or a ref that ``with_transport``
    appends. A misspelt plugin stays, and is refused when the world is built.

    Returns:
        The world, and the addresses that went.
    """
    return _drop(cfg, [spec.address for spec in cfg.plugins if is_transport(spec)])


def drop_transport_plugins(cfg: SimConfig) -> tuple[SimConfig, list[str]]:
    """The world without its transport and without whatever was not found, for those who take any scene they get.

    Returns:
        The world, and the addresses that went.
    """
    unresolved = {each.address for each in cfg.unresolved}
    return _drop(cfg, [spec.address for spec in cfg.plugins if is_transport(spec) or spec.address in unresolved])


def is_transport(spec: PluginSpec) -> bool:
    """Whether a component is transport and nothing else."""
    return bool(getattr(spec.plugin, "transport_only", False)) or spec.ref in APPENDED


def _drop(cfg: SimConfig, addresses: list[str]) -> tuple[SimConfig, list[str]]:
    gone = subtree(cfg.plugins, set(addresses))
    kept = dataclasses.replace(
        cfg,
        plugins=without(cfg.plugins, gone),
        unresolved=[each for each in cfg.unresolved if each.address not in gone],
        dropped=[*cfg.dropped, *addresses],
    )
    return kept, addresses
