"""From a robot in URDF's words to what MoveIt wants to know beside it."""

from __future__ import annotations

from collections.abc import Sequence

from roqsim.export.srdf.collisions import disabled_pairs
from roqsim.export.srdf.description import Semantics
from roqsim.export.srdf.drives import moving_joints, passive_joints
from roqsim.export.srdf.groups import asked_groups, find_end_effectors, find_groups
from roqsim.export.urdf.part import Part, home_of
from roqsim.export.urdf.robot import Robot


def describe_semantics(
    part: Part,
    robot: Robot,
    *,
    groups: Sequence[str] = (),
    base_joint: str | None = None,
    base_frame: str = "world",
    samples: int = 10_000,
    seed: int = 0,
) -> Semantics:
    """Describes what MoveIt wants to know of a robot.

    Args:
        part: The robot's part of the world.
        robot: The robot as its URDF has it.
        groups: Chains as ``NAME=BASE:TIP``; arms and grippers are looked for where there are none.
        base_joint: ``fixed``, ``planar`` or ``floating``; by default what the root body does.
        base_frame: The frame that the root link stands in.
        samples: How many random poses decide about collisions.
        seed: What the poses depend on.

    Raises:
        RoqsimError: A group is none.
    """
    found = asked_groups(robot, groups) if groups else find_groups(part, robot)
    home = {joint.name: home_of(part, joint.index)[0] for joint in moving_joints(robot)}
    led = {joint.name for joint in moving_joints(robot) if joint.mimic is None}
    return Semantics(
        robot.name,
        found,
        {group.name: {name: home[name] for name in group.joints if name in led} for group in found},
        find_end_effectors(robot, found),
        robot.links[0].name,
        base_joint or ("floating" if part.is_free else "fixed"),
        base_frame,
        passive_joints(part, robot),
        disabled_pairs(part, robot, home, samples, seed),
    )
