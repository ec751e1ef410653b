"""The ``actuators:`` block of a spawn plugin: an experiment's control laws and gains in the place of a model's own.

The words are the robot's: ``control`` is the command interface of ros2_control, the gains are those of a controller's
file, and ``effort_limit`` is URDF's. The model's file is not touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Literal

import mujoco

from roqsim.config.nodes import Node
from roqsim.config.schema import json_schema, opt, read
from roqsim.context import Entity, SimContext
from roqsim.errors import ConfigError, Problem, suggest
from roqsim.mj.actuators import (
    COMMANDS,
    GAINS,
    RATIO,
    Law,
    as_impedance,
    command_scale,
    held_bodies,
    joint_of,
    read_law,
    rescale_keyframes,
    write_law,
)
from roqsim.mj.home import name_what_moves

GAIN_KEYS = ("p", "d", "stiffness", "damping")
KEYS = (*GAIN_KEYS, "effort_limit", "command_range")

OTHER_KEYS = {
    "kp": "write 'p' for control: position, 'stiffness' for control: impedance",
    "kv": "write 'd' for control: position or velocity, 'damping' for control: impedance",
    "kd": "write 'd' for control: position or velocity, 'damping' for control: impedance",
    "forcerange": "write 'effort_limit: F' for a limit of -F to F",
    "ctrlrange": "write 'command_range: [least, greatest]'",
    "type": "write 'control: position', velocity, effort or impedance",
}
"""MuJoCo's words and what to write here."""

OTHER_LAWS = {"motor": "effort", "torque": "effort", "pd": "position", "servo": "position", "intvelocity": "velocity"}
"""Names of laws that are somebody else's."""

Control = Literal["position", "velocity", "effort", "impedance"]


@dataclass(frozen=True, kw_only=True)
class LawConfig:
    """A control law and its gains; what is left out stays as the model has it."""

    control: Control | None = opt(None)
    """What the actuator is commanded with: position, velocity, effort, or impedance (a position with a compliance)."""
    p: float | None = opt(None, gt=0, unit="N m/rad or N/m")
    """Gain on the position error, for control: position."""
    d: float | None = opt(None, ge=0, unit="N m s/rad or N s/m")
    """Gain on the velocity, for control: position and velocity."""
    stiffness: float | None = opt(None, gt=0, unit="N m/rad or N/m")
    """Stiffness of the joint, for control: impedance."""
    damping: float | None = opt(None, ge=0, unit="N m s/rad or N s/m")
    """Damping of the joint, for control: impedance."""
    effort_limit: float | None = opt(None, gt=0, unit="N m or N")
    """Greatest torque or force in either direction."""
    command_range: tuple[float, float] | None = opt(None)
    """Least and greatest command; to be stated where a law with another unit replaces one with limits."""

    expected: ClassVar[str] = "a mapping"

    @classmethod
    def from_node(cls, node: Node, where: str) -> LawConfig:
        """Reads the block, and says for another simulator's word what to write here.

        Raises:
            ConfigError: With every mistake in it.
        """
        problems = _other_words(node, where)
        known = node
        if node.is_mapping and problems:
            kept = {key: value for key, value in node.value.items() if key not in OTHER_KEYS}
            control = kept.get("control")
            if control is not None and control.value in OTHER_LAWS:
                del kept["control"]
            known = Node(kept, node.origin, node.key_origin)
        try:
            config = read(cls, known, where)
        except ConfigError as error:
            raise ConfigError([*problems, *error.problems]) from None
        if problems:
            raise ConfigError(problems)
        return config

    @classmethod
    def json_schema(cls) -> dict[str, object]:
        """The JSON Schema of the block."""
        return json_schema(cls)

    def __post_init__(self) -> None:
        if self.control is not None:
            for gain in GAIN_KEYS:
                if getattr(self, gain) is not None and gain not in GAINS[self.control]:
                    raise ValueError(_unread(gain, self.control))
        limits = self.command_range
        if limits is not None and not limits[0] < limits[1]:
            raise ValueError(f"command_range: expected the least before the greatest, got {list(limits)!r}; swap them")

    def stated(self) -> dict[str, object]:
        """The keys that are not left out, without ``control``."""
        return {key: getattr(self, key) for key in KEYS if getattr(self, key) is not None}


@dataclass(frozen=True, kw_only=True)
class ActuatorsConfig(LawConfig):
    """Control laws of a model: one for all of its actuators, and others for some of them."""

    each: dict[str, LawConfig] = opt(factory=dict)
    """Further laws and gains by actuator name, on top of the ones for all."""
    gravity_compensation: bool | None = opt(None)
    """Whether drives carry weight: true all, false none, left out what position and impedance joints hold up."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, own in self.each.items():
            control = own.control or self.control
            for gain in GAIN_KEYS:
                if control is not None and getattr(own, gain) is not None and gain not in GAINS[control]:
                    raise ValueError(f"each.{name}.{_unread(gain, control)}")


def _other_words(node: Node, where: str) -> list[Problem]:
    if not node.is_mapping:
        return []
    problems = []
    for key, value in node.value.items():
        place = f"{where}.{key}"
        if key in OTHER_KEYS:
            problems.append(Problem(place, "a known key", repr(key), value.key_origin or value.origin, OTHER_KEYS[key]))
        if key == "control" and value.value in OTHER_LAWS:
            laws = ", ".join(repr(law) for law in COMMANDS)
            hint = f"write 'control: {OTHER_LAWS[value.value]}'"
            problems.append(Problem(place, laws, repr(value.value), value.origin, hint))
    return problems


def _unread(gain: str, control: str) -> str:
    reads = " and ".join(GAINS[control]) or "no gain"
    return f"{gain}: expected a gain that control '{control}' reads, got {gain!r}; it reads {reads}"


@dataclass(frozen=True)
class ActuatorRow:
    """What one actuator of a run is.

    Attributes:
        actuator: Its name in the model.
        joint: The joint that it drives, None for another transmission.
        law: Its law in the joint's units, None for an actuator that follows none of them.
        sources: ``world`` or ``model`` for ``control``, each gain, ``effort_limit`` and ``command_range``.
    """

    actuator: str
    joint: str | None
    law: Law | None
    sources: dict[str, str]

    def as_dict(self) -> dict[str, object]:
        """The row as plain data, for a run's record."""
        law = None if self.law is None else asdict(self.law)
        return {"actuator": self.actuator, "joint": self.joint, "law": law, "sources": dict(self.sources)}


def apply_actuators(child: mujoco.MjSpec, config: ActuatorsConfig | None, where: str) -> list[ActuatorRow]:
    """Rewrites a model's actuators; to be called before the model is attached.

    Args:
        child: The model.
        config: The block, or None to change nothing.
        where: The component's address.

    Returns:
        One row for every actuator of the model, changed or not.

    Raises:
        ConfigError: With everything that does not fit the model.
    """
    name_what_moves(child)
    where = f"{where}.actuators"
    if config is None:
        return [_unchanged(actuator) for actuator in child.actuators]
    problems = _unknown_names(child, config, where)
    rows, scales = [], {}
    for actuator in child.actuators:
        try:
            rows.append(_row(actuator, config, where, scales))
        except ValueError as error:
            problems.append(str(error))
    problems = problems or _unused_gains(config, rows, where)
    if problems:
        raise ConfigError(problems)
    rescale_keyframes(child, scales, where)
    compensate_gravity(child, rows, config.gravity_compensation)
    return rows


def _unused_gains(config: ActuatorsConfig, rows: list[ActuatorRow], where: str) -> list[str]:
    """A gain for all that no actuator's law reads."""
    read_by_some = {gain for row in rows if row.law is not None for gain in GAINS[row.law.control]}
    return [
        f"{where}.{gain}: expected a gain that some actuator of the model reads, got {gain!r}; add 'control: …'"
        for gain in GAIN_KEYS
        if getattr(config, gain) is not None and gain not in read_by_some
    ]


def _unchanged(actuator: object) -> ActuatorRow:
    law = read_law(actuator)
    return ActuatorRow(actuator.name, joint_of(actuator), law, _sources(law, ()))


def _unknown_names(child: mujoco.MjSpec, config: ActuatorsConfig, where: str) -> list[str]:
    known = [actuator.name for actuator in child.actuators]
    drives = {joint_of(actuator): actuator.name for actuator in child.actuators if joint_of(actuator)}
    problems = []
    for name in config.each:
        if name in known:
            continue
        hint = (
            f"the joint {name!r} is driven by {drives[name]!r}; write that" if name in drives else suggest(name, known)
        )
        problems.append(f"{where}.each.{name}: expected the name of an actuator of the model, got {name!r}; {hint}")
    return problems


def _row(actuator: object, config: ActuatorsConfig, where: str, scales: dict[str, float]) -> ActuatorRow:
    """Rewrites one actuator; ``scales`` takes what its controls in keyframes are to be multiplied with."""
    own = config.each.get(actuator.name)
    if not _says_something(config, own):
        return _unchanged(actuator)
    law = read_law(actuator)
    place = f"{where}.each.{actuator.name}" if own is not None else where
    if law is None:
        kind = "the actuator of a joint with a position, velocity or effort law"
        hint = "name the actuators that are meant under 'each' and leave this one out"
        raise ValueError(f"{place}: expected {kind}, got {actuator.name!r}, which is none; {hint}")
    wanted, stated = _wanted(law, config, own, actuator.name, place)
    has_same_unit = COMMANDS[wanted.control] == COMMANDS[law.control]
    scales[actuator.name] = command_scale(actuator) if has_same_unit else 0.0
    write_law(actuator, wanted)
    return ActuatorRow(actuator.name, joint_of(actuator), wanted, _sources(wanted, stated))


def _says_something(config: LawConfig, own: LawConfig | None) -> bool:
    return any(each is not None and (each.control is not None or each.stated()) for each in (config, own))


def _wanted(law: Law, config: ActuatorsConfig, own: LawConfig | None, name: str, place: str) -> tuple[Law, set[str]]:
    """The law that the block asks for, and the keys of it that the block states."""
    control = (own.control if own else None) or config.control
    stated: set[str] = {"control"} if control is not None else set()
    control = control or law.control
    values = {**_readable(config.stated(), control), **(own.stated() if own else {})}
    for gain in values.keys() & set(GAIN_KEYS) - set(GAINS[control]):
        raise ValueError(f"{place}.{_unread(gain, control)}; the model's law of {name!r} is {control!r}")
    stated |= values.keys()
    base = _carried(law, control)
    gains = {**base.gains, **{key: value for key, value in values.items() if key in GAIN_KEYS}}
    if {"d", "damping"} & values.keys():
        gains.pop(RATIO, None)
    for index, gain in enumerate(GAINS[control]):
        if gain in gains or (index > 0 and RATIO in gains):
            continue
        if index == 0:
            raise ValueError(
                f"{place}.{gain}: expected a gain for {name!r}, whose law becomes {control!r}, got none; add '{gain}'"
            )
        gains[gain] = 0.0
    limits = values.get("command_range", base.command_range)
    if COMMANDS[control] != COMMANDS[law.control] and "command_range" not in values and law.command_range is not None:
        unit = COMMANDS[control]
        raise ValueError(
            f"{place}.command_range: expected limits in {unit} for {name!r}, whose law becomes {control!r}, got none; "
            "add 'command_range: [least, greatest]'"
        )
    limit = values.get("effort_limit")
    efforts = law.effort_range if limit is None else (-limit, limit)
    return Law(control, gains, efforts, limits), stated


def _readable(stated: Mapping[str, object], control: str) -> dict[str, object]:
    """The shared keys that a law reads; the gains of other laws are meant for other actuators."""
    return {key: value for key, value in stated.items() if key not in GAIN_KEYS or key in GAINS[control]}


def _carried(law: Law, control: str) -> Law:
    """What the model's own law means under another one of the same command."""
    if control == law.control:
        return law
    if control == "impedance" and law.control == "position":
        return as_impedance(law)
    return replace(law, control=control, gains={})


def _sources(law: Law | None, stated: set[str] | tuple[str, ...]) -> dict[str, str]:
    if law is None:
        return {}
    keys = ("control", *law.gains, "effort_limit", "command_range")
    return {key: "world" if key in stated else "model" for key in keys}


def compensate_gravity(child: mujoco.MjSpec, rows: list[ActuatorRow], whole: bool | None = None) -> None:
    """Lets drives carry the weight of what hangs on them, as a servo with an inner loop of its own does.

    To be called once a tool is attached to the model: the compensation is a property of each body.

    Args:
        child: The model, not yet attached.
        rows: Its actuators.
        whole: True for every body of the model, False for none, None for what position and impedance joints hold up.
    """
    if whole is False:
        return
    laws = {row.actuator: row.law for row in rows if row.law is not None}
    bodies = [body for body in child.bodies if body.name != "world"] if whole else held_bodies(child, laws)
    for body in bodies:
        body.gravcomp = 1.0


def publish_actuators(ctx: SimContext, entity: Entity, rows: list[ActuatorRow]) -> None:
    """Puts an entity's actuator table where a run's record finds it; to be called in ``configure``."""
    ctx.actuator_tables[entity.name] = [row.as_dict() for row in rows]
