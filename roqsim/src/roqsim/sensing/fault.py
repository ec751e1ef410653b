"""Values that a sensor takes on while it is degraded, and the switch between them and the healthy ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from roqsim.config.nodes import Node, Origin, from_plain
from roqsim.config.schema import fields_of, read_value
from roqsim.errors import ConfigError, Problem, RoqsimError, suggest

Config = TypeVar("Config")

FAULT = "fault"
"""The key, and the endpoint; a second sensor of the same entity puts its label before it."""

HANDLE = "sensor_fault:"
"""What the blackboard key of a switch begins with; the component's address follows."""


@dataclass(frozen=True)
class FaultValues:
    """The content of ``fault:``: keys of the sensor's own configuration with the values of the degraded sensor.

    Attributes:
        nodes: The values as they are written, by key.
        where: The address of the mapping.
    """

    nodes: Mapping[str, Node] = field(default_factory=dict)
    where: str = "fault"

    expected: ClassVar[str] = "a mapping of the sensor's keys to the values that they take on"

    @classmethod
    def from_node(cls, node: Node, where: str) -> FaultValues:
        """Keeps a mapping; what is in it is read once the sensor's own keys are known.

        Raises:
            ConfigError: If it is no mapping.
        """
        if node.value is None:
            return cls({}, where)
        if not node.is_mapping:
            raise ConfigError(Problem(where, cls.expected, node.shown(), node.origin))
        return cls(dict(node.value), where)

    @classmethod
    def of(cls, **values: object) -> FaultValues:
        """The same from Python."""
        return cls({key: from_plain(value, Origin("python", None)) for key, value in values.items()})

    @staticmethod
    def json_schema() -> dict[str, object]:
        """The JSON Schema of what ``from_node`` reads."""
        return {"type": "object"}

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def read(self, config: type, allowed: tuple[str, ...]) -> dict[str, object]:
        """The typed values.

        Args:
            config: The sensor's configuration class.
            allowed: The keys that a fault may change, because every measurement reads them.

        Raises:
            ConfigError: With every key that may not be changed and every value that breaks its key's rule.
        """
        known = {each.name: each for each in fields_of(config)}
        values, problems = {}, []
        for key, node in self.nodes.items():
            where = f"{self.where}.{key}"
            if key not in allowed:
                hint = suggest(key, allowed)
                if key in known:
                    hint = f"{key!r} holds for the whole run; {hint}"
                place = node.key_origin or node.origin
                problems.append(Problem(where, "a key that a fault may change", repr(key), place, hint))
                continue
            try:
                values[key] = read_value(known[key].type, node, where, known[key].rule)
            except ConfigError as error:
                problems += error.problems
        if problems:
            raise ConfigError(problems)
        return values


class FaultSwitch(Generic[Config]):
    """Lets a scenario degrade one sensor and restore it; for the physics thread.

    Args:
        healthy: The sensor's configuration.
        degraded: The same with the values of the fault.
        use: Told which of the two holds from now on.
    """

    def __init__(self, healthy: Config, degraded: Config, use: Callable[[Config], None]) -> None:
        self._healthy, self._degraded, self._use = healthy, degraded, use
        self._active = False

    def is_active(self) -> bool:
        """Whether the sensor is degraded."""
        return self._active

    def set_active(self, active: bool) -> None:
        """Degrades (True) or restores (False) the sensor from its next measurement on.

        Raises:
            RoqsimError: If it is told anything but true or false.
        """
        if not isinstance(active, bool):
            raise RoqsimError(f"fault: expected true or false, got {active!r}")
        if active != self._active:
            self._active = active
            self._use(self._degraded if active else self._healthy)
