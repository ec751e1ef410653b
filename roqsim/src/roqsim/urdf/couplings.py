"""What URDF says of two joints or of two links: mimics, and neighbours that never touch."""

from __future__ import annotations

import mujoco

from roqsim.errors import suggest
from roqsim.urdf.complaints import Complaints
from roqsim.urdf.description import WORLD, Description
from roqsim.urdf.limits import AXES
from roqsim.urdf.report import Report, count
from roqsim.urdf.shapes import COLLISION, Shape
from roqsim.urdf.values import number


def mimics(robot: Description, complaints: Complaints) -> dict[str, tuple[str, float, float]]:
    """The joints that follow another one.

    Returns:
        By joint: the joint that it follows, and the multiplier and offset of that one's position.
    """
    found = {}
    for joint in robot.joints.values():
        mimic = joint.element.find("mimic")
        if mimic is None:
            continue
        about, source = f"joint {joint.name!r}", mimic.get("joint", "")
        movable = [name for name, other in robot.joints.items() if other.type in AXES and name != joint.name]
        if source not in movable:
            rule = "another revolute, continuous or prismatic joint to mimic"
            complaints.add(about, rule, repr(source), mimic, suggest(source, movable))
        elif joint.type not in AXES:
            complaints.add(about, "a joint with one coordinate to mimic with", repr(joint.type), mimic)
        else:
            found[joint.name] = (source, number(mimic, "multiplier", 1.0), number(mimic, "offset"))
    return found


def add_mimics(spec: mujoco.MjSpec, found: dict[str, tuple[str, float, float]], report: Report) -> None:
    """Makes a joint that mimics another follow it by a constraint."""
    for name, (source, multiplier, offset) in found.items():
        equality = spec.add_equality(
            name=f"{name}_mimic", type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT
        )
        equality.name1, equality.name2 = name, source
        equality.data[:5] = [offset, multiplier, 0.0, 0.0, 0.0]
        report.add("made", f"a constraint by which joint {name!r} follows {source!r}")


def exclude_neighbours(spec: mujoco.MjSpec, robot: Description, shapes: list[Shape], report: Report) -> None:
    """Lets no link touch the one it is jointed to at the base.

    MuJoCo does so by itself everywhere else, but not beside a body that is fixed to the world.
    """
    touching = {shape.link for shape in shapes if shape.kind == COLLISION}
    base = robot.welded(robot.base)
    made = 0
    for joint in [joint for link in base for joint in robot.below(link) if joint.type != "fixed"]:
        for moved in touching.intersection(robot.welded(joint.child)):
            for fixed in touching.intersection(base) - {WORLD}:
                name = f"{fixed}_{moved}"
                spec.add_exclude(name=name, bodyname1=fixed, bodyname2=moved)
                made += 1
    if made:
        report.add(
            "made",
            f"{count(made, 'pair')} of neighbours at the base that do not touch, in case it is fixed to the world",
        )
