"""From a part of a compiled world to a robot in URDF's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roqsim.errors import NotFoundError, suggest
from roqsim.export.urdf.chains import Chains
from roqsim.export.urdf.frames import Frames, frame_names
from roqsim.export.urdf.losses import add_mimics, note_losses
from roqsim.export.urdf.names import Names
from roqsim.export.urdf.part import Part
from roqsim.export.urdf.robot import Link, Mass, Robot
from roqsim.export.urdf.shapes import Shapes
from roqsim.mj.names import name_of
from roqsim.mj.poses import to_matrix
from roqsim.urdf.options import NO_LIMIT


def describe_robot(
    part: Part, *, name: str | None = None, weld: Sequence[str] = (), mesh_suffix: str = ".stl"
) -> Robot:
    """Describes a part of a world as a robot.

    Args:
        part: The part.
        name: The robot's name; the part's where None.
        weld: Joints that become fixed where they stand.
        mesh_suffix: The kind of mesh files, ``.stl`` or ``.obj``.

    Returns:
        The robot. Its links have the frames of the bodies; positions of its joints are those of the model.

    Raises:
        ConfigError: It has a ball joint that is not to be welded.
        NotFoundError: A joint to be welded is none of it.
    """
    model = part.model
    robot = Robot(name or part.name)
    links, joints = Names(part.prefix), Names(part.prefix)
    plain = {body: links.plain(name_of(model, "body", body)) for body in part.bodies}
    links.reserve(each for each in plain.values() if each)
    bodies = {body: plain[body] or links.take(f"body_{body}") for body in part.bodies}
    links.reserve(frame_names(part, links))
    chains = Chains(part, robot, links, joints, weld)
    chains.name_joints()
    shapes = Shapes(part, robot, mesh_suffix)
    for body in part.bodies:
        link = Link(bodies[body], body, _mass(part, body))
        shapes.add(body, link)
        if body == part.root:
            robot.links.append(link)
        else:
            chains.add(body, link, bodies[int(model.body_parentid[body])])
    _check_weld(chains, weld)
    Frames(part, robot, links, joints, bodies).add()
    add_mimics(part, robot)
    note_losses(part, robot)
    _note_limits(robot)
    return robot


def _mass(part: Part, body: int) -> Mass | None:
    model = part.model
    mass = float(model.body_mass[body])
    if not mass > 0.0:
        return None
    R = to_matrix(tuple(model.body_iquat[body].tolist()))
    tensor = R @ np.diag(model.body_inertia[body]) @ R.T
    return Mass(mass, tuple(model.body_ipos[body].tolist()), tensor)


def _check_weld(chains: Chains, weld: Sequence[str]) -> None:
    for each in weld:
        if each not in chains.welded:
            hint = suggest(each, chains.names.values())
            raise NotFoundError(f"--weld: expected a joint of the robot, got {each!r}; {hint}")


def _note_limits(robot: Robot) -> None:
    """Notes the joints for whose limits the model has no number and URDF wants one."""
    for what in ("effort", "velocity"):
        led = [joint for joint in robot.joints if joint.index >= 0 and joint.mimic is None]
        names = [joint.name for joint in led if getattr(joint, what) is None]
        if names:
            listed = ", ".join(repr(name) for name in names)
            robot.lose(f"no {what} limit of {listed} in the model; {NO_LIMIT:.0e} stands for none")
    slides = [joint.name for joint in robot.joints if joint.type == "prismatic" and joint.range is None]
    if slides:
        listed = ", ".join(repr(name) for name in slides)
        robot.lose(f"no range of {listed} in the model; {NO_LIMIT:.0e} m stands for none")
