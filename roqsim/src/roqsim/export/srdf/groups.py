"""Which joints are planned for together: arms as chains, grippers at their tips."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from roqsim.errors import ConfigError, NotFoundError, suggest
from roqsim.export.srdf.description import EndEffector, Group
from roqsim.export.srdf.drives import below_link, is_wheel, moving_joints, passive_joints
from roqsim.export.urdf.part import Part
from roqsim.export.urdf.robot import Joint, Robot

SHORTEST_ARM = 3
"""Joints in a row that make an arm."""


def asked_groups(robot: Robot, texts: Sequence[str]) -> list[Group]:
    """The groups that a user names as ``NAME=BASE:TIP``.

    Raises:
        ConfigError: A text is none of these, or base and tip are no chain.
        NotFoundError: There is no such link.
    """
    groups = []
    links = [link.name for link in robot.links]
    for text in texts:
        name, equals, ends = text.partition("=")
        base, colon, tip = ends.partition(":")
        if not (name and equals and colon):
            raise ConfigError(f"--group: expected NAME=BASE:TIP, got {text!r}; name the links at both ends of a chain")
        for link in (base, tip):
            if link not in links:
                raise NotFoundError(f"--group {name}: expected a link, got {link!r}; {suggest(link, links)}")
        joints = _between(robot, base, tip)
        if joints is None:
            raise ConfigError(
                f"--group {name}: expected a tip below the base, got {tip!r}, which is not below {base!r}"
            )
        groups.append(Group(name, (base, tip), tuple(joint.name for joint in joints if joint.type != "fixed")))
    return groups


def _between(robot: Robot, base: str, tip: str) -> list[Joint] | None:
    """The joints from a link down to another one, or None where it is not below."""
    above = {joint.child: joint for joint in robot.joints}
    path = []
    while tip != base:
        if tip not in above:
            return None
        path.append(above[tip])
        tip = above[tip].parent
    return path[::-1]


def find_groups(part: Part, robot: Robot) -> list[Group]:
    """The arms and grippers of a robot; its other joints but the wheels are a group of their own."""
    passive = set(passive_joints(part, robot))
    driven = [joint for joint in moving_joints(robot) if joint.mimic is None and joint.name not in passive]
    movers = [joint for joint in driven if not is_wheel(part, robot, joint)]
    arms = [run for run in _runs(robot, movers) if len(run) >= SHORTEST_ARM]
    groups, taken = [], set()
    for run, name in zip(arms, _arm_names(arms), strict=True):
        names = tuple(joint.name for joint in run)
        groups.append(Group(name, (run[0].parent, run[-1].child), names))
        taken.update(names)
        held = tuple(joint.name for joint in below_link(robot, run[-1].child) if joint in movers)
        if held and not taken.intersection(held):
            prefix = name.removesuffix("arm")
            groups.append(Group(f"{prefix}gripper", None, held))
            taken.update(held)
    rest = tuple(joint.name for joint in movers if joint.name not in taken)
    return [*groups, Group("joints", None, rest)] if rest else groups


def find_end_effectors(robot: Robot, groups: Sequence[Group]) -> list[EndEffector]:
    """The groups that hang on the tip of a chain."""
    found = []
    for arm in groups:
        if arm.chain is None:
            continue
        held = {joint.name for joint in below_link(robot, arm.chain[1])}
        for group in groups:
            if group is not arm and group.joints and held.issuperset(group.joints):
                found.append(EndEffector(f"{group.name}_tool", arm.chain[1], group.name, arm.name))
    return found


def _runs(robot: Robot, movers: Sequence[Joint]) -> Iterator[list[Joint]]:
    """The joints that follow each other without a branch, at which passive and following joints are branches too."""
    next_to: dict[str | None, list[Joint]] = {}
    above = {joint.child: joint for joint in robot.joints}
    for joint in moving_joints(robot):
        link = joint.parent
        while link in above and above[link].type == "fixed":
            link = above[link].parent
        next_to.setdefault(above[link].name if link in above else None, []).append(joint)
    leads = {joint.name: (name, len(group)) for name, group in next_to.items() for joint in group}
    names = {joint.name for joint in movers}
    for joint in movers:
        parent, siblings = leads[joint.name]
        if parent in names and siblings == 1:
            continue
        run = [joint]
        while len(below := next_to.get(run[-1].name, [])) == 1 and below[0].name in names:
            run += below
        yield run


def _arm_names(arms: Sequence[Sequence[Joint]]) -> list[str]:
    """``arm``, or for several what each one's joints begin with."""
    if len(arms) == 1:
        return ["arm"]
    starts = [os.path.commonprefix([joint.name for joint in run]).rstrip("_-/0123456789") for run in arms]
    if all(starts) and len(set(starts)) == len(starts):
        return [f"{start}_arm" for start in starts]
    return [f"arm_{number}" for number in range(1, len(arms) + 1)]
