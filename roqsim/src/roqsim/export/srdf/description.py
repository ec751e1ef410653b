"""A robot in SRDF's words."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Group:
    """Joints that are planned for together.

    Attributes:
        name: Its name.
        chain: The links at its ends, base first; None for a group of single joints.
        joints: The joints in it, those of a chain included.
    """

    name: str
    chain: tuple[str, str] | None
    joints: tuple[str, ...]


@dataclass(frozen=True)
class EndEffector:
    """A group that is carried by another one's tip."""

    name: str
    parent_link: str
    group: str
    parent_group: str


@dataclass(frozen=True)
class Semantics:
    """Everything of an SRDF.

    Attributes:
        robot: The robot's name, as the URDF has it.
        groups: Its groups.
        states: By group, positions by joint in rad or m in which the robot starts.
        end_effectors: Its end effectors.
        base: The root link.
        base_joint: How the root link stands in its frame: ``fixed``, ``planar`` or ``floating``.
        base_frame: That frame.
        passive: Joints that nothing drives.
        disabled: Pairs of links that need no check, with the reason.
    """

    robot: str
    groups: list[Group] = field(default_factory=list)
    states: dict[str, dict[str, float]] = field(default_factory=dict)
    end_effectors: list[EndEffector] = field(default_factory=list)
    base: str = ""
    base_joint: str = "fixed"
    base_frame: str = "world"
    passive: list[str] = field(default_factory=list)
    disabled: list[tuple[str, str, str]] = field(default_factory=list)
